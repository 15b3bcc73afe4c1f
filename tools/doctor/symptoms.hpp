// What the doctor looks at on one rank. Gathered apart from what is concluded of it, so that tests can make every condition
// up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ofi/providers.hpp"

namespace xylem::tools::doctor {

struct Symptoms {
  std::string host;

  // The job, as its launcher told this process. 0 and empty: it did not.
  int rank = 0;
  int local_rank = 0;
  int ranks = 0;
  int local_ranks = 0;
  int nodes = 0;
  bool by_slurm = false;     // srun started this process
  std::string launcher_mpi;  // "mpich", "openmpi": whose ranks the launcher starts
  std::string program;       // that is to be run, and
  std::string program_mpi;   // what it is linked with: "mpich", "openmpi"; empty: neither
  std::string preload;       // the path of libxylem_mpi.so
  std::vector<std::string> back_ends;

  // The host.
  int cores = 0;                // hardware threads that the job may use here
  double cpu_quota = 0;         // 0: no limit
  int gpus = 0;                 // of the host
  int hidden_gpus = 0;          // that this process may not open
  std::string gpu_list;         // CUDA_VISIBLE_DEVICES
  int gpus_visible = 0;         // that the driver shows
  std::uint64_t shm_bytes = 0;  // of /dev/shm; 0: there is none
  int open_error = 0;           // errno of opening shared memory of a sibling process
  int copy_error = 0;           // errno of process_vm_readv from it
  int ptrace_scope = -1;        // of Yama; -1: unknown
  std::uint64_t lockable_bytes = 0;

  // The network.
  std::vector<ofi::ProviderInfo> providers;  // best first
  std::string no_providers;                  // why there are none
  std::string wanted_provider, wanted_nic;   // by settings
  bool rdma_device = false;
};

// `program` may be empty.
Symptoms gather(const std::string& program);

}  // namespace xylem::tools::doctor
