// Parameters of the kernels of tests/kernels.cpp.
#pragma once

#include <cstdint>

namespace cuda_emu_test {

// Adds `value` to `count` numbers, block by block.
struct AddParameters {
  std::uint32_t* numbers;
  std::uint32_t count;
  std::uint32_t value;
};

// Waits until *flag is `value`, then stores `answer` in *to. Says in *started that it runs, if that is not null.
struct WaitParameters {
  const std::uint32_t* flag;
  std::uint32_t value;
  std::uint32_t answer;
  std::uint32_t* to;
  std::uint32_t* started = nullptr;
};

// All blocks wait for each other: each adds one to *counter and waits until it is the number of blocks.
struct MeetParameters {
  std::uint32_t* counter;
};

// Notes that it runs, how many run beside it at most, stays for some time.
struct CrowdParameters {
  std::uint32_t* running;
  std::uint32_t* most;
  std::uint32_t microseconds;
};

}  // namespace cuda_emu_test
