#include "doctor/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace xylem::tools::doctor {
namespace {

using Grade = Finding::Grade;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
// Below this an MPI's own shared memory, some MiB for each rank, may not fit; containers have 64 MiB.
constexpr std::uint64_t kEnoughShm = 256 * kMiB;
constexpr std::uint64_t kEnoughLockable = 256 * kMiB;

Finding good(const char* subject, std::string text) { return {Grade::good, subject, std::move(text), {}}; }

std::string title(const std::string& mpi) { return mpi == "openmpi" ? "Open MPI" : "MPICH"; }
std::string srun_type(const std::string& mpi) { return mpi == "openmpi" ? "pmix" : "pmi2"; }

Finding pmi(const Symptoms& s) {
  const char* const subject = "PMI";
  if (s.by_slurm && s.ranks > 1 && s.launcher_mpi.empty()) {
    const std::string type =
        s.program_mpi.empty() ? "pmi2 (MPICH and relatives) or --mpi=pmix (Open MPI)" : srun_type(s.program_mpi);
    return {Grade::problem, subject,
            fmt::format("srun started {} ranks and speaks no PMI with them: every rank will be rank 0 of 1", s.ranks),
            "srun --mpi=" + type + "; srun --mpi=list shows what this site has"};
  }
  if (s.launcher_mpi.empty())
    return {Grade::hint, subject, "no launcher started this process: nothing can be said of a job",
            "run it as the job is run: mpirun -n 4 xylem doctor, or srun xylem doctor"};
  if (s.program_mpi.empty() || s.program_mpi == s.launcher_mpi)
    return good(subject, fmt::format("rank {} of {}, started for {}", s.rank, s.ranks, title(s.launcher_mpi)));
  const std::string text =
      fmt::format("{} is linked with {}, but the ranks are started for {}: every rank will be rank 0 of 1", s.program,
                  title(s.program_mpi), title(s.launcher_mpi));
  return {Grade::problem, subject, text,
          s.by_slurm
              ? "srun --mpi=" + srun_type(s.program_mpi)
              : "start it with the mpirun of " + title(s.program_mpi) + ": which mpirun shows whose is first on the PATH"};
}

Finding library(const Symptoms& s) {
  const char* const subject = "library";
  if (s.preload.empty())
    return {Grade::problem, subject, "libxylem_mpi.so is not where this tool expects it",
            "install Xylem whole, or build all of it"};
  const std::string& mpi = s.program_mpi.empty() ? s.launcher_mpi : s.program_mpi;
  if (!mpi.empty() && std::find(s.back_ends.begin(), s.back_ends.end(), mpi) == s.back_ends.end())
    return {Grade::problem, subject, "this build of Xylem does not know " + title(mpi),
            "build it where mpicc of " + title(mpi) + " is found"};
  return good(subject, s.preload);
}

Finding gpus(const Symptoms& s) {
  const char* const subject = "GPUs";
  if (s.gpus == 0) return good(subject, "this host has none");
  if (s.hidden_gpus > 0) {
    return {s.hidden_gpus == s.gpus ? Grade::problem : Grade::hint, subject,
            fmt::format("{} of {} GPUs are hidden from this rank by its control group", s.hidden_gpus, s.gpus),
            "ask for GPUs per node (--gpus-per-node), not per task, and without --gpu-bind: ranks of a node reach each "
            "other's device memory only where each sees all of them"};
  }
  if (s.gpus_visible < s.gpus && !s.gpu_list.empty()) {
    return {Grade::hint, subject,
            fmt::format("CUDA_VISIBLE_DEVICES={} shows this rank {} of {} GPUs", s.gpu_list, s.gpus_visible, s.gpus),
            "leave all GPUs visible and let each rank choose its own: a GPU that a rank does not see is reached through the "
            "host"};
  }
  return good(subject, fmt::format("{} GPUs, all within reach", s.gpus));
}

Finding shm(const Symptoms& s) {
  const char* const subject = "/dev/shm";
  const std::string fix = "docker run --shm-size=1g (or --ipc=host); as root: mount -o remount,size=50% /dev/shm";
  if (s.shm_bytes == 0) return {Grade::hint, subject, "there is no /dev/shm. Xylem needs none, but the MPI below may", fix};
  if (s.shm_bytes < kEnoughShm)
    return {Grade::hint, subject,
            fmt::format("{} MiB are little. Xylem needs none of it, but an MPI that fills it up ends with SIGBUS",
                        s.shm_bytes / kMiB),
            fix};
  return good(subject, fmt::format("{} MiB", s.shm_bytes / kMiB));
}

Finding sharing(const Symptoms& s) {
  const char* const subject = "shared memory";
  if (s.open_error != 0) {
    return {Grade::problem, subject,
            fmt::format("ranks of this host cannot open each other's memory: {}", std::strerror(s.open_error)),
            "run all ranks of a host as one user in one container, from executables without set-uid bit or file "
            "capabilities; or give them different XYLEM_HOSTID values, and they use the network"};
  }
  return good(subject, "ranks of this host can open each other's memory");
}

Finding copying(const Symptoms& s) {
  const char* const subject = "CMA";
  if (s.copy_error == 0) return good(subject, "one copy from rank to rank is allowed");
  std::string text =
      fmt::format("process_vm_readv is refused: {}; large messages take two copies", std::strerror(s.copy_error));
  if (s.ptrace_scope > 0) text += fmt::format(" (kernel.yama.ptrace_scope is {})", s.ptrace_scope);
  return {Grade::hint, subject, text,
          s.ptrace_scope > 0 ? "as root: sysctl kernel.yama.ptrace_scope=0"
                             : "docker run --cap-add=SYS_PTRACE, or a seccomp profile that allows it"};
}

bool is_rdma(const std::string& provider) {
  constexpr std::array names = {"verbs", "efa", "cxi", "psm", "opx"};
  return std::any_of(names.begin(), names.end(), [&](const char* name) { return provider.starts_with(name); });
}

// What would be taken: what was asked for, else the first that is usable unasked.
const ofi::ProviderInfo* best(const Symptoms& s) {
  const auto found = std::find_if(s.providers.begin(), s.providers.end(), [&](const ofi::ProviderInfo& each) {
    const bool named = !s.wanted_provider.empty();
    return (named ? each.name == s.wanted_provider : each.usable) && (s.wanted_nic.empty() || each.nic == s.wanted_nic);
  });
  return found == s.providers.end() ? nullptr : &*found;
}

Finding locked_memory(const Symptoms& s) {
  const char* const subject = "locked memory";
  const std::string amount =
      s.lockable_bytes == ~std::uint64_t{0} ? "no limit" : fmt::format("{} MiB", s.lockable_bytes / kMiB);
  if (s.lockable_bytes >= kEnoughLockable) return good(subject, amount);
  const ofi::ProviderInfo* const provider = best(s);
  const bool matters = (provider != nullptr && is_rdma(provider->name)) || s.gpus > 0;
  if (!matters) return good(subject, amount + ", and nothing here locks much");
  return {
      Grade::problem, subject, amount + " are not enough for an RDMA network or for pinned buffers of GPUs",
      "ulimit -l unlimited; for all jobs: LimitMEMLOCK=infinity in slurmd's unit, PropagateResourceLimitsExcept=MEMLOCK in "
      "slurm.conf"};
}

Finding network(const Symptoms& s) {
  const char* const subject = "network";
  const bool needed = s.nodes > 1;
  const ofi::ProviderInfo* const provider = best(s);
  if (provider == nullptr) {
    const bool wanted = !s.wanted_provider.empty() || !s.wanted_nic.empty();
    std::string text = s.no_providers.empty() ? "no provider is usable" : s.no_providers;
    if (wanted) text += fmt::format(" (XYLEM_PROVIDER={} XYLEM_NIC={})", s.wanted_provider, s.wanted_nic);
    return {needed || wanted ? Grade::problem : Grade::hint, subject, text,
            wanted ? "xylem info lists the names that can be given" : "install libfabric with a provider for this network"};
  }
  const std::string chosen = fmt::format("{} on {}", provider->name, provider->nic);
  if (s.rdma_device && !is_rdma(provider->name) && s.wanted_provider.empty())
    return {needed ? Grade::problem : Grade::hint, subject, "this host has an RDMA device, but would use " + chosen,
            "load a libfabric that was built with verbs (or the device's provider): xylem info shows all and why"};
  return good(subject, chosen);
}

Finding crowding(const Symptoms& s) {
  const char* const subject = "cores";
  const double cores = s.cpu_quota > 0 ? std::min<double>(s.cpu_quota, s.cores) : s.cores;
  if (s.local_ranks > 0 && s.local_ranks > cores) {
    return {Grade::hint, subject,
            fmt::format("{} ranks share {:g} cores of this host: waiting ranks take time from others", s.local_ranks, cores),
            s.by_slurm ? "fewer --ntasks-per-node, or more cores with --cpus-per-task; never --overcommit"
                       : "fewer ranks for each host"};
  }
  return good(subject,
              s.local_ranks > 0 ? fmt::format("{:g} for {} ranks", cores, s.local_ranks) : fmt::format("{:g}", cores));
}

}  // namespace

std::vector<Finding> examine(const Symptoms& symptoms) {
  std::vector<Finding> findings;
  for (const auto look : {pmi, library, gpus, shm, sharing, copying, locked_memory, network, crowding})
    findings.push_back(look(symptoms));
  return findings;
}

}  // namespace xylem::tools::doctor
