// Calls MPI_Barrier in a process without MPI: only a preloaded library can have it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

int main(void) {
  int (*barrier)(void*);
  *(void**)&barrier = dlsym(RTLD_DEFAULT, "MPI_Barrier");
  return barrier == NULL ? 3 : barrier(0);
}
