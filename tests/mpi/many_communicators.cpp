// Communicators made and freed thousands of times, and many alive at once, each used: open files, mappings and memory must
// stay bounded.
//
// usage: many_communicators CYCLES ALIVE
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/verdict.hpp"

using namespace xylem::test;

namespace {

struct Usage {
  long files = 0;
  long mappings = 0;
  long kibibytes = 0;  // resident, shared memory included
};

Usage usage() {
  Usage now;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++now.files;
  std::string line;
  for (std::ifstream maps("/proc/self/maps"); std::getline(maps, line);) ++now.mappings;
  long pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  now.kibibytes = resident * (sysconf(_SC_PAGESIZE) / 1024);
  return now;
}

void use(MPI_Comm comm, int size, Verdict& verdict) {
  int one = 1, sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  verdict.check(sum == size, [&] { return "the sum is " + std::to_string(sum); });
}

void expect_growth_below(const Usage& before, long files, long mappings, long kibibytes, const char* what, Verdict& verdict) {
  const Usage now = usage();
  const Usage grown = {now.files - before.files, now.mappings - before.mappings, now.kibibytes - before.kibibytes};
  verdict.check(grown.files <= files && grown.mappings <= mappings && grown.kibibytes <= kibibytes, [&] {
    return std::string(what) + ": " + std::to_string(grown.files) + " more open files, " + std::to_string(grown.mappings) +
           " more mappings, " + std::to_string(grown.kibibytes) + " KiB more memory; allowed: " + std::to_string(files) +
           ", " + std::to_string(mappings) + ", " + std::to_string(kibibytes);
  });
}

void cycle(int times, int size, Verdict& verdict) {
  for (int i = 0; i < times; ++i) {
    MPI_Comm duplicate = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
    if (i % 3 != 0) use(duplicate, size, verdict);  // some are never used
    MPI_Comm_free(&duplicate);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int cycles = argc > 1 ? std::atoi(argv[1]) : 5000;
  const int alive = argc > 2 ? std::atoi(argv[2]) : 1500;
  Verdict verdict;

  cycle(200, size, verdict);  // pools fill up
  const Usage warm = usage();
  cycle(cycles, size, verdict);
  expect_growth_below(warm, 8, 64, 16 << 10, "after the cycles", verdict);

  std::vector<MPI_Comm> all(static_cast<std::size_t>(alive), MPI_COMM_NULL);
  for (MPI_Comm& comm : all) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (MPI_Comm& comm : all) use(comm, size, verdict);
  // MPI itself takes up to 20 KiB for each.
  expect_growth_below(warm, 64, 512, (64 << 10) + alive * 64L, "many alive", verdict);
  for (auto comm = all.rbegin(); comm != all.rend(); ++comm) use(*comm, size, verdict);
  for (MPI_Comm& comm : all) MPI_Comm_free(&comm);
  use(MPI_COMM_WORLD, size, verdict);

  const int code = verdict.finish("many_communicators");
  MPI_Finalize();
  return code;
}
