// What the driver refuses, and memory of the C API: with the driver API only, for the runtime refuses an old driver itself.
// CUDA_EMU_FAIL says what fails; results are exact wherever there are any.
//
//   refusals staged|kernels|unrecorded|fault|memory|exhausted|mapped|unexported RANKS     each rank is a process
#include <cuda.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "support/expect.hpp"
#include "support/rank_group.hpp"

namespace {

using xylem::test::check;
using xylem::test::expect;
using xylem::test::unexpected;

void check(CUresult code, const char* what) {
  if (code == CUDA_SUCCESS) return;
  std::fprintf(stderr, "%s failed with %d\n", what, static_cast<int>(code));
  std::_Exit(1);
}

// Memory of Xylem that holds `count` floats.
class Memory {
 public:
  Memory(std::size_t count, xylem_memory kind) : bytes_(count * sizeof(float)) {
    check(xylem_mem_alloc(&data_, bytes_, kind), "xylem_mem_alloc");
    expect(xylem_mem_kind(data_) == kind, "xylem_mem_kind of what xylem_mem_alloc gave");
  }
  ~Memory() { xylem_mem_free(data_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  float* data() const { return static_cast<float*>(data_); }
  void write(const std::vector<float>& values) const {
    check(xylem_mem_copy(data_, values.data(), bytes_), "xylem_mem_copy");
  }
  std::vector<float> read() const {
    std::vector<float> values(bytes_ / sizeof(float));
    check(xylem_mem_copy(values.data(), data_, bytes_), "xylem_mem_copy");
    return values;
  }

 private:
  std::size_t bytes_;
  void* data_ = nullptr;
};

struct Rank {
  int rank, size;
  const xylem_bootstrap& bootstrap;

  xylem_comm_t communicator() const {
    xylem_comm_t comm = nullptr;
    check(xylem_comm_create(&comm, &bootstrap), "xylem_comm_create");
    return comm;
  }
  float total() const { return static_cast<float>(size * (size + 1) / 2); }
};

constexpr std::size_t kCount = 40'001;

xylem_status allreduce(const float* from, float* to, xylem_comm_t comm) {
  return xylem_allreduce(from, to, kCount, XYLEM_FLOAT, XYLEM_SUM, comm, XYLEM_STREAM_NONE);
}

void sums_are_right(const Rank& r, xylem_memory kind) {
  const Memory from(kCount, kind), to(kCount, kind);
  const xylem_comm_t comm = r.communicator();
  for (int turn = 0; turn < 3; ++turn) {
    from.write(std::vector<float>(kCount, static_cast<float>(r.rank + 1)));
    to.write(std::vector<float>(kCount, -1));
    check(allreduce(from.data(), to.data(), comm), "xylem_allreduce");
    expect(to.read() == std::vector<float>(kCount, r.total()), "xylem_allreduce");
  }
  check(xylem_comm_destroy(comm), "xylem_comm_destroy");
}

bool statistics_have(const char* text) {
  std::size_t length = 0;
  std::string all(65536, '\0');
  check(xylem_statistics(all.data(), all.size(), &length), "xylem_statistics");
  return all.find(text) != std::string::npos;
}

// No kernel runs, and all is right.
void staged(const Rank& r) {
  sums_are_right(r, XYLEM_MEMORY_DEVICE);
  expect(statistics_have("\"device\": {\"calls\": 0, \"staged\": 3}"), "each call is staged");
}

// Kernels run, and all is right.
void kernels(const Rank& r) {
  sums_are_right(r, XYLEM_MEMORY_DEVICE);
  expect(statistics_have("\"device\": {\"calls\": 3, \"staged\": 0}"), "each call has a kernel");
}

// Nobody can wait for a kernel that waits for another GPU: an error on all ranks, also of the next call, and no hang.
void unrecorded(const Rank& r) {
  const Memory from(kCount, XYLEM_MEMORY_DEVICE), to(kCount, XYLEM_MEMORY_DEVICE);
  from.write(std::vector<float>(kCount, 1));
  const xylem_comm_t comm = r.communicator();
  const xylem_status status = allreduce(from.data(), to.data(), comm);
  expect(status == XYLEM_ERROR_SYSTEM || status == XYLEM_ERROR_PEER_FAILED, "the call whose kernel has no event");
  const bool own = status == XYLEM_ERROR_SYSTEM;
  expect(std::string(xylem_last_error()).find(own ? "cuEventRecord failed" : "rank ") != std::string::npos, "the error");
  expect(allreduce(from.data(), to.data(), comm) == status, "the next call");
  check(xylem_comm_destroy(comm), "xylem_comm_destroy");
}

// A kernel fails, and with it the contexts of its process: errors on all ranks; what has no part in it goes on.
void fault(const Rank& r) {
  const Memory from(kCount, XYLEM_MEMORY_DEVICE), to(kCount, XYLEM_MEMORY_DEVICE);
  from.write(std::vector<float>(kCount, 1));
  const xylem_comm_t comm = r.communicator();
  const xylem_status status = allreduce(from.data(), to.data(), comm);
  expect(status == XYLEM_ERROR_SYSTEM || status == XYLEM_ERROR_PEER_FAILED, "the call whose kernel fails");
  expect(std::string(xylem_last_error()).find("rank ") != std::string::npos, "the error names a rank");
  expect(allreduce(from.data(), to.data(), comm) == status, "the next call");
  check(xylem_comm_destroy(comm), "xylem_comm_destroy");

  std::vector<float> in(kCount, static_cast<float>(r.rank + 1)), out(kCount, -1);
  const xylem_comm_t another = r.communicator();
  check(allreduce(in.data(), out.data(), another), "xylem_allreduce of host buffers");
  expect(out == std::vector<float>(kCount, r.total()), "host buffers after a fault");
  expect(allreduce(from.data(), to.data(), another) != XYLEM_SUCCESS, "device buffers after a fault");
  check(xylem_comm_destroy(another), "xylem_comm_destroy");
}

void memory(const Rank& r) {
  sums_are_right(r, XYLEM_MEMORY_DEVICE);
  sums_are_right(r, XYLEM_MEMORY_PINNED);
  void* none = &unexpected;
  expect(xylem_mem_alloc(&none, 0, XYLEM_MEMORY_DEVICE) == XYLEM_ERROR_INVALID_ARGUMENT && none == nullptr, "0 bytes");
  expect(xylem_mem_alloc(&none, 8, XYLEM_MEMORY_MANAGED) == XYLEM_ERROR_INVALID_ARGUMENT && none == nullptr,
         "managed memory");
  expect(xylem_mem_alloc(nullptr, 8, XYLEM_MEMORY_DEVICE) == XYLEM_ERROR_INVALID_ARGUMENT, "no place for the address");
  expect(xylem_mem_free(&unexpected) == XYLEM_ERROR_INVALID_ARGUMENT, "memory of others is not freed");
  expect(xylem_mem_free(nullptr) == XYLEM_SUCCESS, "null is ignored");
}

// Memory apart from addresses, which has no IPC handle.
class Mapped {
 public:
  explicit Mapped(bool exportable) {
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.requestedHandleTypes = exportable ? CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR : CU_MEM_HANDLE_TYPE_NONE;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    check(cuCtxGetDevice(&properties.location.id), "cuCtxGetDevice");
    CUmemAccessDesc access{};
    access.location = properties.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    CUmemGenericAllocationHandle handle = 0;
    check(cuMemCreate(&handle, kBytes, &properties, 0), "cuMemCreate");
    check(cuMemAddressReserve(&base_, kBytes, 0, 0, 0), "cuMemAddressReserve");
    check(cuMemMap(base_, kBytes, 0, handle, 0), "cuMemMap");
    check(cuMemSetAccess(base_, kBytes, &access, 1), "cuMemSetAccess");
    check(cuMemRelease(handle), "cuMemRelease");
  }
  ~Mapped() {
    check(cuMemUnmap(base_, kBytes), "cuMemUnmap");
    check(cuMemAddressFree(base_, kBytes), "cuMemAddressFree");
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;

  // It does not begin its mapping.
  float* data() const { return reinterpret_cast<float*>(base_) + 100; }

 private:
  static constexpr std::size_t kBytes = std::size_t{2} << 20;
  CUdeviceptr base_ = 0;
};

// Another mapping in each turn, as a rule at the address of one that has gone.
void sums_of_mapped_memory(const Rank& r, bool exportable, const xylem_comm_t comm) {
  for (int turn = 0; turn < 5; ++turn) {
    const Mapped from(exportable), to(exportable);
    const float factor = static_cast<float>(turn + 1);
    const std::vector<float> own(kCount, static_cast<float>(r.rank + 1) * factor);
    check(xylem_mem_copy(from.data(), own.data(), kCount * sizeof(float)), "xylem_mem_copy");
    check(allreduce(from.data(), to.data(), comm), "xylem_allreduce");
    std::vector<float> got(kCount);
    check(xylem_mem_copy(got.data(), to.data(), kCount * sizeof(float)), "xylem_mem_copy");
    expect(got == std::vector<float>(kCount, r.total() * factor), "xylem_allreduce of mapped memory");
  }
}

void mapped(const Rank& r) {
  const xylem_comm_t comm = r.communicator();
  sums_of_mapped_memory(r, true, comm);
  expect(statistics_have("\"device\": {\"calls\": 5, \"staged\": 0}"), "mapped memory that can be exported needs no staging");
  sums_of_mapped_memory(r, false, comm);
  sums_of_mapped_memory(r, true, comm);
  expect(statistics_have("\"device\": {\"calls\": 10, \"staged\": 5}"), "mapped memory that cannot is staged");
  check(xylem_comm_destroy(comm), "xylem_comm_destroy");
}

// The driver does not export it: all is staged.
void unexported(const Rank& r) {
  const xylem_comm_t comm = r.communicator();
  sums_of_mapped_memory(r, true, comm);
  expect(statistics_have("\"device\": {\"calls\": 0, \"staged\": 5}"), "each call is staged");
  check(xylem_comm_destroy(comm), "xylem_comm_destroy");
}

void exhausted(const Rank& r) {
  void* none = &unexpected;
  expect(xylem_mem_alloc(&none, 8, XYLEM_MEMORY_DEVICE) == XYLEM_ERROR_OUT_OF_MEMORY && none == nullptr, "no memory");
  expect(std::string(xylem_last_error()).find("CUDA_ERROR_OUT_OF_MEMORY") != std::string::npos, "the driver's words");
  sums_are_right(r, XYLEM_MEMORY_PINNED);
}

}  // namespace

struct Mode {
  const char* name;
  void (*run)(const Rank&);
};
constexpr Mode kModes[] = {{"staged", staged}, {"kernels", kernels},      {"unrecorded", unrecorded},
                           {"fault", fault},   {"memory", memory},        {"exhausted", exhausted},
                           {"mapped", mapped}, {"unexported", unexported}};

int main(int argc, char** argv) {
  const std::string wanted = argc == 3 ? argv[1] : "";
  const Mode* const mode =
      std::find_if(std::begin(kModes), std::end(kModes), [&](const Mode& m) { return m.name == wanted; });
  if (mode == std::end(kModes)) return std::fprintf(stderr, "usage: see refusals.cpp\n"), 2;
  const int size = std::atoi(argv[2]);
  xylem::test::RankGroup group(size);
  const bool good = group.run(true, [&](int rank, const xylem_bootstrap& bootstrap) {
    int devices = 0;
    CUdevice device = 0;
    CUcontext context = nullptr;
    check(cuInit(0), "cuInit");
    check(cuDeviceGetCount(&devices), "cuDeviceGetCount");
    check(cuDeviceGet(&device, rank % devices), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    mode->run({rank, size, bootstrap});
    return unexpected.load();
  });
  if (good) std::printf("refusals: good: %s with %d ranks\n", mode->name, size);
  return good ? 0 : 1;
}
