// Collectives of the C API on device buffers, with no MPI and exact results. Runs on a real GPU (scripts/gpu_check.sh) and on
// the emulated one.
//
//   device_ranks threads|processes RANKS [kernels] [small]
//
// "kernels": all of it must have run on the device. "small": few and short calls, for tools that slow everything down.
#include <set>

#include "float_collectives.hpp"

namespace {

using namespace xylem::test;

int test(int rank, int size, xylem_comm_t comm, const std::vector<std::size_t>& counts) {
  int failures = 0;
  for (const std::size_t count : counts) {
    const Rank r(rank, size, count, comm);
    std::vector<float> input(r.blocks());
    for (std::size_t i = 0; i < input.size(); ++i) input[i] = value(rank, i);
    for (const FloatCollective& collective : float_collectives) {
      r.send.write(input);
      r.recv.write(std::vector<float>(r.blocks(), -1));
      collective.run(r);
      const std::vector<float> got = r.recv.read();
      for (std::size_t i = 0; i < collective.received(r); ++i) {
        if (got[i] == collective.wanted(r, i)) continue;
        std::fprintf(stderr, "rank %d: %s of blocks of %zu: element %zu is %g and not %g\n", rank, collective.name, count, i,
                     static_cast<double>(got[i]), static_cast<double>(collective.wanted(r, i)));
        ++failures;
        break;
      }
    }
  }
  return failures;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "usage: see device_ranks.cpp\n"), 2;
  const bool processes = std::string(argv[1]) == "processes";
  const int size = std::atoi(argv[2]);
  const std::set<std::string> options(argv + 3, argv + argc);
  const std::vector<std::size_t> counts =
      options.count("small") != 0 ? std::vector<std::size_t>{3, 4097} : std::vector<std::size_t>{1, 3, 1000, 4097, 200'003};
  const bool good = run_on_devices(processes, size, [&](int rank, xylem_comm_t comm) {
    const int failures = test(rank, size, comm, counts);
    if (options.count("kernels") != 0) check_all_on_device();
    return failures;
  });
  if (good) std::printf("device_ranks: good with %d %s\n", size, argv[1]);
  return good ? 0 : 1;
}
