#define _GNU_SOURCE
#include "find_mpi.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The paths of all loaded libraries, one after the other, each with its final NUL. */
struct paths {
  char* text;
  size_t bytes;
};

static int append_path(struct dl_phdr_info* info, size_t size, void* into) {
  (void)size;
  struct paths* paths = into;
  if (info->dlpi_name == NULL || info->dlpi_name[0] == '\0') return 0;
  size_t length = strlen(info->dlpi_name) + 1;
  char* longer = realloc(paths->text, paths->bytes + length);
  if (longer == NULL) return 1;
  memcpy(longer + paths->bytes, info->dlpi_name, length);
  paths->text = longer;
  paths->bytes += length;
  return 0;
}

/* A handle on the library at `path` if it is loaded and is the one that defines PMPI_Init; else NULL. */
static void* open_if_mpi(const char* path) {
  void* handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == NULL) return NULL;
  void* init = dlsym(handle, "PMPI_Init");
  Dl_info where;
  struct link_map *library, *definer;
  /* dlsym() also looks into what the library needs: a library that merely uses MPI is not meant. Nor are we ourselves, who
     export PMPI_Init but not this other function. */
  if (init != NULL && dladdr1(init, &where, (void**)&definer, RTLD_DL_LINKMAP) != 0 &&
      dlinfo(handle, RTLD_DI_LINKMAP, &library) == 0 && library == definer && dlsym(handle, "PMPI_Get_version") != NULL)
    return handle;
  dlclose(handle);
  return NULL;
}

/* PMPI_Abi_get_version and PMPI_Get_library_version are of the few functions that may be called before MPI_Init. */

/* Whether the library has the ABI of the MPI-5.0 standard. An MPI that has it in a library beside its usual one denies it
 * there. */
static int has_standard_abi(void* library) {
  int (*get_version)(int*, int*);
  *(void**)&get_version = dlsym(library, "PMPI_Abi_get_version");
  int major = -1, minor = -1;
  return get_version != NULL && get_version(&major, &minor) == 0 && major > 0;
}

/* MPICH and its descendants share one ABI (handles are integers); only what they say of themselves tells them from others. */
static int of_mpich_family(const char* version) {
  static const char* const family[] = {"MPICH", "MVAPICH", "Intel(R) MPI"};
  for (size_t i = 0; i < sizeof family / sizeof family[0]; i++)
    if (strstr(version, family[i]) != NULL) return 1;
  return 0;
}

static void recognise(struct xylem_mpi_library* mpi) {
  if (has_standard_abi(mpi->handle)) {
    mpi->abi = "standard";
    return;
  }
  if (dlsym(mpi->handle, "ompi_mpi_comm_world") != NULL) {
    mpi->abi = "openmpi";
    return;
  }
  int (*get_library_version)(char*, int*);
  *(void**)&get_library_version = dlsym(mpi->handle, "PMPI_Get_library_version");
  char version[8192] = "unknown"; /* as long as the longest MPI_MAX_LIBRARY_VERSION_STRING of all known MPIs */
  int length = 0;
  if (get_library_version != NULL) get_library_version(version, &length);
  snprintf(mpi->description, sizeof mpi->description, "%.*s", (int)strcspn(version, "\n"), version);
  if (of_mpich_family(version)) mpi->abi = "mpich";
}

struct xylem_mpi_library xylem_mpi_find(void) {
  struct xylem_mpi_library mpi = {0};
  struct paths paths = {0};
  /* Collected first: dlopen() must not be called from within dl_iterate_phdr(). */
  dl_iterate_phdr(append_path, &paths);
  for (const char* path = paths.text; path < paths.text + paths.bytes; path += strlen(path) + 1) {
    mpi.handle = open_if_mpi(path);
    if (mpi.handle == NULL) continue;
    /* A Python extension may have loaded it for itself alone (RTLD_LOCAL). */
    dlopen(path, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
    recognise(&mpi);
    break;
  }
  free(paths.text);
  return mpi;
}
