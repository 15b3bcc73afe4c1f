// load_locally LIBRARY: calls run() of a library that uses MPI and is loaded for itself alone, as Python loads extensions.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return fprintf(stderr, "%s\n", dlerror()), 2;
  int (*run)(int, char**);
  *(void**)&run = dlsym(library, "run");
  return run == NULL ? 3 : run(argc, argv);
}
