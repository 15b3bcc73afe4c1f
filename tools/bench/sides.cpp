#include "bench/sides.hpp"

#include <dlfcn.h>
#include <link.h>

#include <stdexcept>
#include <string_view>

#include "xylem/xylem.h"

namespace xylem::tools {
namespace {

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// The path of the loaded library whose file name begins with one of two names; empty if there is none.
std::string loaded_library(std::string_view one, std::string_view other) {
  struct Search {
    std::string_view names[2];
    std::string found;
  } search{{one, other}, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        for (const std::string_view name : wanted.names)
          if (file_name(info->dlpi_name).starts_with(name)) wanted.found = info->dlpi_name;
        return wanted.found.empty() ? 0 : 1;
      },
      &search);
  return search.found;
}

template <class Function>
void look_up(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) throw std::runtime_error(std::string("the MPI library has no ") + name);
}

}  // namespace

Calls program_calls() {
  return {&MPI_Allreduce,
          &MPI_Reduce,
          &MPI_Bcast,
          &MPI_Allgather,
          &MPI_Allgatherv,
          &MPI_Reduce_scatter,
          &MPI_Reduce_scatter_block,
          &MPI_Alltoall,
          &MPI_Alltoallv,
          &MPI_Alltoallw,
          &MPI_Gather,
          &MPI_Gatherv,
          &MPI_Scatter,
          &MPI_Scatterv,
          &MPI_Scan,
          &MPI_Exscan,
          &MPI_Barrier};
}

Calls mpi_calls() {
  const std::string path = loaded_library("libmpi.so", "libmpich.so");
  void* library = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) throw std::runtime_error("no MPI library (libmpi.so, libmpich.so) is loaded in this process");
  Calls calls{};
  look_up(library, "PMPI_Allreduce", calls.allreduce);
  look_up(library, "PMPI_Reduce", calls.reduce);
  look_up(library, "PMPI_Bcast", calls.bcast);
  look_up(library, "PMPI_Allgather", calls.allgather);
  look_up(library, "PMPI_Allgatherv", calls.allgatherv);
  look_up(library, "PMPI_Reduce_scatter", calls.reduce_scatter);
  look_up(library, "PMPI_Reduce_scatter_block", calls.reduce_scatter_block);
  look_up(library, "PMPI_Alltoall", calls.alltoall);
  look_up(library, "PMPI_Alltoallv", calls.alltoallv);
  look_up(library, "PMPI_Alltoallw", calls.alltoallw);
  look_up(library, "PMPI_Gather", calls.gather);
  look_up(library, "PMPI_Gatherv", calls.gatherv);
  look_up(library, "PMPI_Scatter", calls.scatter);
  look_up(library, "PMPI_Scatterv", calls.scatterv);
  look_up(library, "PMPI_Scan", calls.scan);
  look_up(library, "PMPI_Exscan", calls.exscan);
  look_up(library, "PMPI_Barrier", calls.barrier);
  return calls;
}

bool xylem_is_preloaded() {
  Dl_info info{};
  return dladdr(dlsym(RTLD_DEFAULT, "MPI_Allreduce"), &info) != 0 && info.dli_fname != nullptr &&
         file_name(info.dli_fname).starts_with("libxylem_mpi");
}

std::string xylem_core_statistics() {
  const std::string path = loaded_library("libxylem.so", "libxylem.so");
  void* library = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return {};
  decltype(&xylem_statistics) statistics = nullptr;
  look_up(library, "xylem_statistics", statistics);
  std::size_t length = 0;
  statistics(nullptr, 0, &length);
  std::string text(length + 1, '\0');
  if (statistics(text.data(), text.size(), &length) != XYLEM_SUCCESS) return {};
  text.resize(length);
  return text;
}

}  // namespace xylem::tools
