#include "cuda/kernel_stream.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <new>

#include "base/error.hpp"
#include "cuda/context.hpp"
#include "cuda/kernels/kernel_image.hpp"
#include "cuda/kernels/kernel_list.hpp"
#include "cuda/kernels/kernel_name.hpp"

namespace xylem::cuda {
namespace {

struct Kernel {
  CUfunction function = nullptr;
  int blocks = 0;  // that a multiprocessor has room for
};

}  // namespace

// Of one context. All are looked up at once: where a driver loads code when it is first asked for, it waits for what runs.
struct LoadedKernels {
  std::map<std::string, Kernel> by_name;

  const Kernel& at(const std::string& name) const {
    const auto found = by_name.find(name);
    if (found == by_name.end()) throw Error(XYLEM_ERROR_INTERNAL, "there is no kernel " + name);
    return found->second;
  }
};

namespace {

LoadedKernels load_kernels(const Driver& driver) {
  if (kernel_image().empty()) throw Error(XYLEM_ERROR_UNSUPPORTED, "this build of Xylem has no kernels: nvcc was missing");
  // Within a major version drivers take the code of later ones.
  constexpr int kMajor = CUDA_VERSION / 1000;
  if (driver.version / 1000 < kMajor) {
    throw Error(XYLEM_ERROR_UNSUPPORTED, "the driver serves CUDA " + std::to_string(driver.version / 1000) + "." +
                                             std::to_string(driver.version % 1000 / 10) + ", kernels need " +
                                             std::to_string(kMajor) + ".0 or newer");
  }
  CUmodule module = nullptr;
  check(driver, driver.module_load_data(&module, kernel_image().data()), "cuModuleLoadData of Xylem's kernels");
  LoadedKernels loaded;
  for (const std::string& name : KernelList::map([]<class A>() { return kernel_name(A::collective, A::name); })) {
    Kernel kernel;
    check(driver, driver.module_get_function(&kernel.function, module, name.c_str()),
          ("cuModuleGetFunction of " + name).c_str());
    check(driver, driver.occupancy_max_active_blocks(&kernel.blocks, kernel.function, static_cast<int>(kBlockThreads), 0),
          "cuOccupancyMaxActiveBlocksPerMultiprocessor");
    loaded.by_name.emplace(name, kernel);
  }
  return loaded;
}

// The kernels in the context of `current`, which is, loaded once for all communicators; they go with the context.
const LoadedKernels& kernels_of(const Driver& driver, const Memory& current) {
  static std::mutex mutex;
  static std::map<ContextKey, LoadedKernels>& loaded = *new std::map<ContextKey, LoadedKernels>;
  const std::lock_guard lock(mutex);
  const auto found = loaded.find(ContextKey(current));
  return found != loaded.end() ? found->second : loaded.emplace(current, load_kernels(driver)).first->second;
}

}  // namespace

KernelStream::KernelStream(const Memory& near) : near_(kept(the_driver(), near)) {
  const Driver& driver = the_driver();
  const ContextScope scope(driver, near_);
  kernels_ = &kernels_of(driver, near_);
  int cooperative = 0;
  check(driver, driver.device_get_attribute(&cooperative, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, near_.device),
        "cuDeviceGetAttribute");
  if (cooperative == 0) throw Error(XYLEM_ERROR_UNSUPPORTED, "the device cannot run all blocks of a kernel at once");
  check(driver, driver.device_get_attribute(&multiprocessors_, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, near_.device),
        "cuDeviceGetAttribute");
  shared_ = PinnedMemory(sizeof(Shared), near_);
  new (shared_.data()) Shared;
  CUdeviceptr address = 0;
  check(driver, driver.mem_host_get_device_pointer(&address, shared_.data(), 0), "cuMemHostGetDevicePointer");
  on_device_ = reinterpret_cast<Shared*>(address);
  check(driver, driver.stream_create(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
}

namespace {

// Blocks that are reserved on each device. Other processes have the device at other times.
struct Reservations {
  std::mutex mutex;
  std::map<int, unsigned> of;
};

// Never destroyed: see PinnedMemory's pool.
Reservations& reservations() {
  static Reservations& it = *new Reservations;
  return it;
}

}  // namespace

KernelStream::~KernelStream() {
  if (reserved_ != 0) {
    const std::lock_guard lock(reservations().mutex);
    reservations().of[near_.device] -= reserved_;
  }
  const Driver* const driver = driver_in_process();
  if (driver == nullptr) return;
  try {
    const ContextScope scope(*driver, near_);
    driver->stream_destroy(stream_);
  } catch (const Error&) {
    // The program has ended the context, and with it the stream.
  }
}

bool KernelStream::lives() const { return cuda::lives(the_driver(), near_); }

void KernelStream::reserve(unsigned blocks) {
  int fewest = std::numeric_limits<int>::max();  // of any kernel, on a multiprocessor
  for (const auto& [name, kernel] : kernels_->by_name) fewest = std::min(fewest, kernel.blocks);
  const std::lock_guard lock(reservations().mutex);
  unsigned& taken = reservations().of[near_.device];
  if (taken + blocks > static_cast<unsigned>(fewest * multiprocessors_)) {
    throw Error(XYLEM_ERROR_UNSUPPORTED, "the device has no processors left for kernels that run at the same time");
  }
  taken += blocks;
  reserved_ += blocks;
}

unsigned KernelStream::room(const std::string& kernel) const {
  const auto all = static_cast<unsigned>(kernels_->at(kernel).blocks * multiprocessors_);
  return all < kMaxBlocks ? all : kMaxBlocks;
}

void KernelStream::launch(const std::string& kernel, KernelCall call, unsigned blocks, CUstream_st* stream) {
  const Driver& driver = the_driver();
  const ContextScope scope(driver, near_);
  if (call.abort_word == nullptr) call.abort_word = &on_device_->abort_word;
  call.reports = on_device_->reports;
  void* parameters[] = {&call};
  check(driver,
        driver.launch_cooperative_kernel(kernels_->at(kernel).function, blocks, 1, 1, kBlockThreads, 1, 1, 0, stream,
                                         parameters),
        ("cuLaunchCooperativeKernel of " + kernel).c_str());
}

KernelReport KernelStream::take_fault() {
  auto& shared = *reinterpret_cast<Shared*>(shared_.data());
  KernelReport worst;
  for (KernelReport& report : shared.reports) {
    if (exec::load_acquire(report.fault) == 0) continue;  // a kernel that runs may write its own at any time
    // That somebody gave up tells least.
    if (worst.fault == 0 || worst.fault == static_cast<std::uint32_t>(exec::Fault::aborted)) worst = report;
    report = {};
  }
  return worst;
}

}  // namespace xylem::cuda
