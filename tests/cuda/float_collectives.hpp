// Collectives of the C API on floats in device memory, with what each must give: what device_ranks tests and device_bench
// measures.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

#include "check.hpp"
#include "support/rank_group.hpp"

namespace xylem::test {

class DeviceBuffer {
 public:
  explicit DeviceBuffer(std::size_t count) : count_(count) {
    check(cudaMalloc(&memory_, count * sizeof(float)), "cudaMalloc");
  }
  ~DeviceBuffer() { cudaFree(memory_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  float* data() const { return static_cast<float*>(memory_); }
  void write(const std::vector<float>& values) const {
    check(cudaMemcpy(memory_, values.data(), count_ * sizeof(float), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  std::vector<float> read() const {
    std::vector<float> values(count_);
    check(cudaMemcpy(values.data(), memory_, count_ * sizeof(float), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return values;
  }

 private:
  std::size_t count_;
  void* memory_ = nullptr;
};

// One rank's communicator and buffers for `size` blocks of `count` elements.
struct Rank {
  int rank, size;
  std::size_t count;
  xylem_comm_t comm;
  DeviceBuffer send, recv;

  Rank(int rank_, int size_, std::size_t count_, xylem_comm_t comm_)
      : rank(rank_), size(size_), count(count_), comm(comm_), send(blocks()), recv(blocks()) {}
  std::size_t blocks() const { return count * static_cast<std::size_t>(size); }
  std::size_t bytes() const { return blocks() * sizeof(float); }
};

struct FloatCollective {
  const char* name;
  void (*run)(const Rank& r);
  float (*wanted)(const Rank& r, std::size_t i);  // element i of the receive buffer
  std::size_t (*received)(const Rank& r);         // elements
  // What all ranks together must read and write at least, in buffers of this rank's bytes(), if all lie on one GPU.
  double (*least_traffic)(int size);
};

// What rank `of` sends.
inline float value(int of, std::size_t i) { return static_cast<float>(of + static_cast<int>(i % 97)); }
inline float total(int size, std::size_t i) {
  return static_cast<float>(size * (size - 1) / 2 + size * static_cast<int>(i % 97));
}

inline const FloatCollective float_collectives[] = {
    {"allreduce",
     [](const Rank& r) {
       check(xylem_allreduce(r.send.data(), r.recv.data(), r.blocks(), XYLEM_FLOAT, XYLEM_SUM, r.comm, XYLEM_STREAM_NONE),
             "xylem_allreduce");
     },
     [](const Rank& r, std::size_t i) { return total(r.size, i); }, [](const Rank& r) { return r.blocks(); },
     [](int size) { return 2.0 * size; }},
    {"reduce_scatter",
     [](const Rank& r) {
       check(xylem_reduce_scatter_block(r.send.data(), r.recv.data(), r.count, XYLEM_FLOAT, XYLEM_SUM, r.comm,
                                        XYLEM_STREAM_NONE),
             "xylem_reduce_scatter_block");
     },
     [](const Rank& r, std::size_t i) { return total(r.size, r.count * static_cast<std::size_t>(r.rank) + i); },
     [](const Rank& r) { return r.count; }, [](int size) { return size + 1.0; }},
    {"allgather",
     [](const Rank& r) {
       check(xylem_allgather(r.send.data(), r.recv.data(), r.count, XYLEM_FLOAT, r.comm, XYLEM_STREAM_NONE),
             "xylem_allgather");
     },
     [](const Rank& r, std::size_t i) { return value(static_cast<int>(i / r.count), i % r.count); },
     [](const Rank& r) { return r.blocks(); }, [](int size) { return size + 1.0; }},
    {"bcast",
     [](const Rank& r) {
       float* const data = r.rank == r.size - 1 ? r.send.data() : r.recv.data();
       check(xylem_bcast(data, r.blocks(), XYLEM_FLOAT, r.size - 1, r.comm, XYLEM_STREAM_NONE), "xylem_bcast");
     },
     [](const Rank& r, std::size_t i) { return value(r.size - 1, i); },
     [](const Rank& r) { return r.rank == r.size - 1 ? 0 : r.blocks(); }, [](int size) { return 1.0 * size; }},
};

// Ends the process unless all calls so far ran as kernels.
inline void check_all_on_device() {
  std::size_t length = 0;
  std::string text(65536, '\0');
  check(xylem_statistics(text.data(), text.size(), &length), "xylem_statistics");
  if (text.find("\"staged\": 0}") != std::string::npos && text.find("\"device\": {\"calls\": 0,") == std::string::npos)
    return;
  std::fprintf(stderr, "not all calls ran on the device: %s\n", text.c_str());
  std::_Exit(1);
}

// body(rank, communicator) on `size` ranks, spread over the GPUs of this machine; it returns its failures.
template <class Body>
bool run_on_devices(bool processes, int size, Body body) {
  RankGroup group(size);
  return group.run(processes, [&](int rank, const xylem_bootstrap& bootstrap) {
    int devices = 0;
    check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
    check(cudaSetDevice(rank % devices), "cudaSetDevice");
    check(cudaFree(nullptr), "cudaFree");  // makes the context
    xylem_comm_t comm = nullptr;
    check(xylem_comm_create(&comm, &bootstrap), "xylem_comm_create");
    const int failures = body(rank, comm);
    check(xylem_barrier(comm, XYLEM_STREAM_NONE), "xylem_barrier");
    check(xylem_comm_destroy(comm), "xylem_comm_destroy");
    return failures;
  });
}

}  // namespace xylem::test
