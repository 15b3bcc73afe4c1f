// The text by which ranks wait, for the explorer to look into.
#include "exec/waiter.cpp"  // NOLINT(bugprone-suspicious-include)
