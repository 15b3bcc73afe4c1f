#include <sys/resource.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>

#include "base/settings.hpp"
#include "doctor/siblings.hpp"
#include "doctor/symptoms.hpp"
#include "info_facts.hpp"
#include "launcher.hpp"
#include "linked_mpi.hpp"

namespace xylem::tools::doctor {
namespace {

namespace fs = std::filesystem;

// The first of these variables that holds a number; "4(x2)" is 4. 0: none.
int number(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const std::string text = launcher_variable(name);
    int value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc()) return value;
  }
  return 0;
}

void ask_launcher(Symptoms& symptoms) {
  symptoms.by_slurm = !launcher_variable("SLURM_PROCID").empty() && !launcher_variable("SLURM_STEP_ID").empty();
  symptoms.launcher_mpi = launched_by(launcher_variable);
  symptoms.rank = number({"SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"});
  symptoms.ranks = number({"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"});
  symptoms.local_rank = number({"SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID"});
  symptoms.local_ranks = number({"SLURM_STEP_TASKS_PER_NODE", "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"});
  symptoms.nodes = number({"SLURM_STEP_NUM_NODES", "SLURM_NNODES"});
  if (symptoms.nodes == 0 && symptoms.ranks > symptoms.local_ranks && symptoms.local_ranks > 0) symptoms.nodes = 2;
}

void look_for_gpus(Symptoms& symptoms, int visible) {
  symptoms.gpu_list = launcher_variable("CUDA_VISIBLE_DEVICES");
  symptoms.gpus_visible = visible;
  for (int number = 0;; ++number) {
    const fs::path device = "/dev/nvidia" + std::to_string(number);
    std::error_code missing;
    if (!fs::exists(device, missing)) break;
    ++symptoms.gpus;
    errno = 0;
    if (!std::ifstream(device) && (errno == EPERM || errno == EACCES)) ++symptoms.hidden_gpus;
  }
}

int read_ptrace_scope() {
  int scope = -1;
  std::ifstream("/proc/sys/kernel/yama/ptrace_scope") >> scope;
  return scope;
}

}  // namespace

Symptoms gather(const std::string& program) {
  const Facts facts = collect_facts();
  Symptoms symptoms;
  symptoms.host = facts.host.name;
  ask_launcher(symptoms);
  symptoms.program = program;
  if (!program.empty()) symptoms.program_mpi = linked_mpi(program);
  symptoms.preload = facts.preload_library;
  symptoms.back_ends = facts.back_ends;
  symptoms.cores = number({"SLURM_CPUS_ON_NODE"});
  if (symptoms.cores == 0) symptoms.cores = std::max(facts.cores.allowed, 1);
  symptoms.cpu_quota = facts.cores.cpu_quota;
  look_for_gpus(symptoms, static_cast<int>(facts.cuda.list.size()));
  struct statvfs shm {};
  if (statvfs("/dev/shm", &shm) == 0) symptoms.shm_bytes = std::uint64_t{shm.f_blocks} * shm.f_frsize;
  const SiblingAccess access = try_siblings();
  symptoms.open_error = access.open_error;
  symptoms.copy_error = access.copy_error;
  symptoms.ptrace_scope = read_ptrace_scope();
  rlimit locked{};
  getrlimit(RLIMIT_MEMLOCK, &locked);
  symptoms.lockable_bytes = locked.rlim_cur == RLIM_INFINITY ? ~std::uint64_t{0} : locked.rlim_cur;
  symptoms.providers = facts.providers;
  symptoms.no_providers = facts.no_providers;
  symptoms.wanted_provider = settings().provider;
  symptoms.wanted_nic = settings().nic;
  std::error_code missing;
  symptoms.rdma_device = fs::exists("/sys/class/infiniband", missing) && !fs::is_empty("/sys/class/infiniband", missing);
  return symptoms;
}

}  // namespace xylem::tools::doctor
