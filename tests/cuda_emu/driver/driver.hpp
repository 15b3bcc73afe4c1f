// The state of libcuda.so.1 in this process, and how every call enters it. One lock guards all of it; nothing holds the lock
// while it waits for a stream.
#pragma once

#include <cuda.h>

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "driver/address_space.hpp"
#include "driver/context.hpp"
#include "driver/device.hpp"
#include "driver/error.hpp"
#include "driver/event.hpp"
#include "driver/executor.hpp"
#include "driver/graph.hpp"
#include "driver/ipc.hpp"
#include "driver/memory.hpp"
#include "driver/module.hpp"
#include "driver/pool.hpp"
#include "driver/registry.hpp"
#include "driver/settings.hpp"
#include "driver/stream.hpp"
#include "driver/virtual_memory.hpp"

namespace cuda_emu {

struct Driver {
  std::mutex mutex;
  bool started = false;                            // cuInit has been called
  std::atomic<bool> ended = false;                 // exit has begun
  std::atomic<bool> inherited = false;             // this is a child of the process that called cuInit
  CUresult unusable = CUDA_ERROR_NOT_INITIALIZED;  // or why cuInit failed

  Settings settings;
  Failures failures{""};
  std::vector<EmulatedDevice> devices;
  std::unique_ptr<Executor> executor;  // from the first context on
  AddressSpace addresses;
  Memory memory;
  std::set<std::uint64_t> shared_in_place;  // inodes of what registered private memory was exchanged for

  Registry<CUctx_st> contexts;
  Registry<CUstream_st> streams;
  Registry<CUevent_st> events;
  Registry<CUmod_st> modules;
  Registry<CUgraph_st> graphs;
  Registry<CUgraphExec_st> executable_graphs;
  Registry<CUmemPoolHandle_st> pools;
  VirtualMemory virtual_memory;
  StreamSlots stream_slots;
  EventSlots event_slots;
  std::list<StreamOrderedFree> stream_ordered_frees;
  std::vector<OpenedEvents> opened_events;
  bool host_function_thread_started = false;
  unsigned long long next_id = 1;

  EmulatedDevice& device(CUdevice ordinal);  // throws Error
};

Driver& driver();
bool in_host_function();                            // of cuLaunchHostFunc, in this thread
void start_driver(Driver& driver, unsigned flags);  // cuInit
void require_usable(Driver& driver);

// The current context; throws Error if there is none, it was destroyed, or a sticky error ended it.
CUctx_st& current_context(Driver& driver);

class Unlocked {
 public:
  explicit Unlocked(std::mutex& mutex) : mutex_(mutex) { mutex_.unlock(); }
  ~Unlocked() { mutex_.lock(); }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  std::mutex& mutex_;
};

// body(Driver&), with the lock held, once cuInit has been called.
template <class Body>
CUresult enter(Body body) {
  try {
    Driver& the_driver = driver();
    // Asked without the lock: when this child was forked, another thread of its parent may have held it.
    if (the_driver.inherited) return CUDA_ERROR_NOT_INITIALIZED;
    if (in_host_function()) return CUDA_ERROR_NOT_PERMITTED;
    const std::scoped_lock lock(the_driver.mutex);
    require_usable(the_driver);
    body(the_driver);
    return CUDA_SUCCESS;
  } catch (const Error& error) {
    return error.code;
  } catch (const std::bad_alloc&) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
}

// body(Driver&, CUctx_st&), with the current context.
template <class Body>
CUresult enter_context(Body body) {
  return enter([&](Driver& the_driver) { body(the_driver, current_context(the_driver)); });
}

}  // namespace cuda_emu
