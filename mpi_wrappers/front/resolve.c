/*
 * Fills the table of jumps, once, when the first MPI function of functions.def is called: with the wrappers of the back end
 * that fits the MPI in this process, or with the MPI's own functions.
 *
 * MPI_X and PMPI_X are exported both: MPICH's Fortran bindings call MPI_X, Open MPI's call PMPI_X. Where a PMPI tool was
 * preloaded behind us, the program's MPI_X goes to the tool first, and its PMPI_X then comes to the wrapper.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "contract.h"
#include "find_mpi.h"
#include "hide_pmix.h"

enum { KINDS = 2 }; /* MPI_X, PMPI_X */

extern xylem_mpi_function xylem_mpi_table[KINDS][XYLEM_MPI_FUNCTIONS]; /* stubs.S */

static const char* const names[KINDS][XYLEM_MPI_FUNCTIONS] = {{
#define FUNCTION(name) "MPI_" #name,
#define EXTENSION(name) "MPIX_" #name,
#include "functions.def"
#undef EXTENSION
#undef FUNCTION
                                                              },
                                                              {
#define FUNCTION(name) "PMPI_" #name,
#define EXTENSION(name) "PMPIX_" #name,
#include "functions.def"
#undef EXTENSION
#undef FUNCTION
                                                              }};

static xylem_mpi_function real[XYLEM_MPI_FUNCTIONS];    /* the MPI's PMPI_X, or NULL */
static xylem_mpi_function left[XYLEM_MPI_FUNCTIONS];    /* the same, or what the back end has in its place */
static xylem_mpi_function outside[XYLEM_MPI_FUNCTIONS]; /* the MPI_X of a tool behind us, or NULL */

/* One write(), so that lines of several ranks never mix. */
static void say(const char* level, const char* text, const char* more) {
  char line[1024];
  snprintf(line, sizeof line - 1, "xylem: %s: pid %ld: %s%s", level, (long)getpid(), text, more);
  strcat(line, "\n");
  if (write(STDERR_FILENO, line, strlen(line)) < 0) return;
}

/* What a slot holds is a function for all callers at once: slots change while other threads jump through them. */
static void fill_table(const xylem_mpi_function* inside) {
  for (int f = 0; f < XYLEM_MPI_FUNCTIONS; f++) {
    __atomic_store_n(&xylem_mpi_table[1][f], inside[f], __ATOMIC_RELEASE);
    __atomic_store_n(&xylem_mpi_table[0][f], outside[f] != NULL ? outside[f] : inside[f], __ATOMIC_RELEASE);
  }
}

static void leave_to_mpi(void) { fill_table(left); }

static xylem_mpi_function find_function(void* handle, const char* name) {
  xylem_mpi_function function;
  *(void**)&function = dlsym(handle, name);
  return function;
}

/* Where a function that this MPI lacks leads to; the linker would have said it at the program's start. */
static void no_such_function(void) {
  say("error", "the program called an MPI function that this MPI library does not have", "");
  abort();
}

/* An MPI has a function under one of two names, or under both. */
static void same_function(int standard, int extension) {
  if (real[standard] == NULL) real[standard] = real[extension];
  if (real[extension] == NULL) real[extension] = real[standard];
}

static void look_up_functions(void* mpi) {
  for (int f = 0; f < XYLEM_MPI_FUNCTIONS; f++) {
    real[f] = find_function(mpi, names[1][f]);
    xylem_mpi_function next = find_function(RTLD_NEXT, names[0][f]);
    if (next != NULL && next != find_function(mpi, names[0][f])) outside[f] = next;
  }
#define FUNCTION(name)
#define EXTENSION(name) same_function(XYLEM_MPI_##name, XYLEM_MPIX_##name);
#include "functions.def"
#undef EXTENSION
#undef FUNCTION
}

/* The real path of the file that this code was loaded from: LD_PRELOAD may have named it relative to another directory. */
static int own_path(char* path, size_t capacity) {
  FILE* maps = fopen("/proc/self/maps", "re");
  if (maps == NULL) return 0;
  const unsigned long here = (unsigned long)(void*)names;
  char line[4096 + 128];
  int found = 0;
  while (!found && fgets(line, sizeof line, maps) != NULL) {
    unsigned long begin, end;
    const char* slash = strchr(line, '/');
    if (slash == NULL || sscanf(line, "%lx-%lx", &begin, &end) != 2 || here < begin || here >= end) continue;
    found = (size_t)snprintf(path, capacity, "%.*s", (int)strcspn(slash, "\n"), slash) < capacity;
  }
  fclose(maps);
  return found;
}

/* Back ends lie in xylem/ beside the front, so that an installation may be moved as a whole. NULL, or why it failed. */
static const char* open_backend(const char* abi, xylem_mpi_function* wrapper) {
  static const struct xylem_mpi_front front = {XYLEM_MPI_FUNCTIONS, real, leave_to_mpi, xylem_mpi_hide_pmix};
  char own[4096], path[4096 + 64];
  if (!own_path(own, sizeof own)) return "cannot find the library's own path in /proc/self/maps";
  *strrchr(own, '/') = '\0';
  snprintf(path, sizeof path, "%s/xylem/libxylem_mpi_%s.so", own, abi);
  void* backend = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (backend == NULL) return dlerror();
  xylem_mpi_backend_open_function* open;
  *(void**)&open = dlsym(backend, XYLEM_MPI_BACKEND_OPEN);
  return open == NULL ? "the back end is of another version" : open(&front, wrapper);
}

static void resolve(void) {
  const struct xylem_mpi_library mpi = xylem_mpi_find();
  if (mpi.handle == NULL) {
    say("error", "an MPI function was called, but no MPI library is loaded in this process", "");
    abort();
  }
  look_up_functions(mpi.handle);

  xylem_mpi_function wrapper[XYLEM_MPI_FUNCTIONS];
  memcpy(wrapper, real, sizeof wrapper);
  if (mpi.abi == NULL) {
    say("warn", "Xylem is off: it has no back end for this MPI: ", mpi.description);
  } else {
    const char* failure = open_backend(mpi.abi, wrapper);
    if (failure != NULL) {
      say("warn", "Xylem is off: ", failure);
      memcpy(wrapper, real, sizeof wrapper);
    }
  }
  for (int f = 0; f < XYLEM_MPI_FUNCTIONS; f++) {
    if (wrapper[f] == NULL) wrapper[f] = no_such_function;
    left[f] = real[f] != NULL ? real[f] : wrapper[f];
  }
  fill_table(wrapper);
}

/* Called by xylem_mpi_first_call (stubs.S) as often as threads come before the table is filled. */
__attribute__((visibility("hidden"))) void xylem_mpi_resolve(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  const int saved_errno = errno;
  pthread_once(&once, resolve);
  errno = saved_errno;
}
