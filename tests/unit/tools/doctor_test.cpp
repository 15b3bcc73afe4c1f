// Every condition, made up: what the doctor says of it, and what is to be done.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "doctor/findings.hpp"
#include "doctor/siblings.hpp"
#include "linked_mpi.hpp"

namespace xylem::tools::doctor {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Grade = Finding::Grade;

// A host where nothing is wrong.
Symptoms healthy() {
  Symptoms s;
  s.host = "node1";
  s.ranks = 8;
  s.local_ranks = 4;
  s.nodes = 2;
  s.launcher_mpi = "mpich";
  s.preload = "/opt/lib/libxylem_mpi.so";
  s.back_ends = {"mpich", "openmpi"};
  s.cores = 4;
  s.shm_bytes = std::uint64_t{1} << 33;
  s.lockable_bytes = ~std::uint64_t{0};
  s.providers = {{.name = "tcp;ofi_rxm", .nic = "eth0", .fabric = "", .address = "", .usable = true, .reason = ""}};
  return s;
}

struct Case {
  const char* name;
  void (*spoil)(Symptoms& s);
  Grade grade;
  const char* subject;
  const char* text;
  const char* fix;
};

const Case kCases[] = {
    {"NoPmiUnderSrun", [](Symptoms& s) { s.by_slurm = true, s.launcher_mpi = ""; }, Grade::problem, "PMI",
     "speaks no PMI with them: every rank will be rank 0 of 1", "srun --mpi=pmi2 (MPICH and relatives) or --mpi=pmix"},
    {"NoPmiForOpenMpi", [](Symptoms& s) { s.by_slurm = true, s.launcher_mpi = "", s.program_mpi = "openmpi"; },
     Grade::problem, "PMI", "srun started 8 ranks", "srun --mpi=pmix"},
    {"OtherMpirun", [](Symptoms& s) { s.program = "./app", s.program_mpi = "openmpi"; }, Grade::problem, "PMI",
     "./app is linked with Open MPI, but the ranks are started for MPICH: every rank will be rank 0 of 1",
     "start it with the mpirun of Open MPI"},
    {"OtherPmi", [](Symptoms& s) { s.by_slurm = true, s.program = "./app", s.program_mpi = "openmpi"; }, Grade::problem,
     "PMI", "started for MPICH", "srun --mpi=pmix"},
    {"NoLauncher", [](Symptoms& s) { s.launcher_mpi = ""; }, Grade::hint, "PMI", "no launcher", "mpirun -n 4 xylem doctor"},
    {"NoLibrary", [](Symptoms& s) { s.preload = ""; }, Grade::problem, "library", "libxylem_mpi.so is not where", "install"},
    {"NoBackEnd", [](Symptoms& s) { s.back_ends = {"openmpi"}; }, Grade::problem, "library", "does not know MPICH",
     "mpicc of MPICH"},
    {"AllGpusHidden", [](Symptoms& s) { s.gpus = s.hidden_gpus = 4; }, Grade::problem, "GPUs",
     "4 of 4 GPUs are hidden from this rank by its control group", "--gpus-per-node"},
    {"SomeGpusHidden", [](Symptoms& s) { s.gpus = 4, s.hidden_gpus = 3; }, Grade::hint, "GPUs", "3 of 4 GPUs are hidden",
     "--gpu-bind"},
    {"GpusLeftOut", [](Symptoms& s) { s.gpus = 4, s.gpus_visible = 1, s.gpu_list = "2"; }, Grade::hint, "GPUs",
     "CUDA_VISIBLE_DEVICES=2 shows this rank 1 of 4 GPUs", "leave all GPUs visible"},
    {"SmallShm", [](Symptoms& s) { s.shm_bytes = 64 << 20; }, Grade::hint, "/dev/shm", "64 MiB are little", "--shm-size"},
    {"NoShm", [](Symptoms& s) { s.shm_bytes = 0; }, Grade::hint, "/dev/shm", "there is no /dev/shm", "--shm-size"},
    {"NoSharing", [](Symptoms& s) { s.open_error = EACCES; }, Grade::problem, "shared memory",
     "cannot open each other's memory: Permission denied", "XYLEM_HOSTID"},
    {"NoCmaByYama", [](Symptoms& s) { s.copy_error = EPERM, s.ptrace_scope = 1; }, Grade::hint, "CMA",
     "process_vm_readv is refused: Operation not permitted", "sysctl kernel.yama.ptrace_scope=0"},
    {"NoCmaByContainer", [](Symptoms& s) { s.copy_error = ENOSYS; }, Grade::hint, "CMA", "two copies",
     "--cap-add=SYS_PTRACE"},
    {"LittleLockedMemory", [](Symptoms& s) { s.lockable_bytes = 8 << 20, s.providers[0].name = "verbs;ofi_rxm"; },
     Grade::problem, "locked memory", "8 MiB are not enough for an RDMA network", "ulimit -l unlimited"},
    {"NoProvider", [](Symptoms& s) { s.providers.clear(), s.no_providers = "libfabric offers none"; }, Grade::problem,
     "network", "libfabric offers none", "install libfabric"},
    {"WrongProvider", [](Symptoms& s) { s.providers[0].usable = false, s.wanted_provider = "tpc"; }, Grade::problem,
     "network", "XYLEM_PROVIDER=tpc", "xylem info lists"},
    {"SlowProvider", [](Symptoms& s) { s.rdma_device = true; }, Grade::problem, "network",
     "has an RDMA device, but would use tcp;ofi_rxm on eth0", "verbs"},
    {"Crowded", [](Symptoms& s) { s.cores = 2; }, Grade::hint, "cores", "4 ranks share 2 cores", "fewer ranks"},
    {"CrowdedByQuota", [](Symptoms& s) { s.cpu_quota = 1.5; }, Grade::hint, "cores", "4 ranks share 1.5 cores",
     "fewer ranks"},
};

Finding of(const std::vector<Finding>& findings, const std::string& subject) {
  for (const Finding& finding : findings)
    if (finding.subject == subject) return finding;
  ADD_FAILURE() << "nothing of " << subject;
  return {};
}

TEST(Doctor, AHealthyHostHasNothingToFix) {
  for (const Finding& finding : examine(healthy())) {
    EXPECT_EQ(finding.grade, Grade::good) << finding.subject << ": " << finding.text;
    EXPECT_EQ(finding.fix, "");
  }
}

class Condition : public testing::TestWithParam<Case> {};

TEST_P(Condition, IsFoundAloneAndHasAFix) {
  const Case& param = GetParam();
  Symptoms symptoms = healthy();
  param.spoil(symptoms);
  const std::vector<Finding> findings = examine(symptoms);
  const Finding found = of(findings, param.subject);
  EXPECT_EQ(found.grade, param.grade);
  EXPECT_THAT(found.text, HasSubstr(param.text));
  EXPECT_THAT(found.fix, HasSubstr(param.fix));
  for (const Finding& other : findings) {
    if (other.subject == param.subject) continue;
    EXPECT_EQ(other.grade, Grade::good) << other.subject << ": " << other.text;
  }
  EXPECT_THAT(as_text(symptoms, findings),
              AllOf(HasSubstr("rank 0 on node1:\n"), HasSubstr(found.text), HasSubstr("-> " + found.fix)));
  const nlohmann::json json = nlohmann::json::parse(as_json(symptoms, findings));
  EXPECT_EQ(json["host"], "node1");
  EXPECT_EQ(json["findings"].size(), findings.size());
}

INSTANTIATE_TEST_SUITE_P(Made, Condition, testing::ValuesIn(kCases), [](const auto& param) { return param.param.name; });

TEST(Siblings, OfThisMachineMayShareMemory) { EXPECT_EQ(try_siblings().open_error, 0); }

TEST(LinkedMpi, IsSeenFromTheLibraries) {
  EXPECT_EQ(mpi_of_libraries("\tlibmpi.so.40 => /usr/lib/libmpi.so.40 (0x7f)\n"), "openmpi");
  EXPECT_EQ(mpi_of_libraries("\tlibmpi.so.12 => not found\n"), "mpich");
  EXPECT_EQ(mpi_of_libraries("\tlibmpich.so.12 => /usr/lib/libmpich.so.12 (0x7f)\n"), "mpich");
  EXPECT_EQ(mpi_of_libraries("\tlibc.so.6 => /lib/libc.so.6 (0x7f)\n"), "");
  EXPECT_EQ(linked_mpi("/absent"), "");
}

}  // namespace
}  // namespace xylem::tools::doctor
