// Communicator: calls of a rank whose buffers may lie on a GPU.
#include <new>

#include "comm/communicator.hpp"
#include "comm/device_hosts.hpp"
#include "comm/device_path.hpp"
#include "comm/staging.hpp"

namespace xylem {

namespace {

// Where the driver runs on a fiber: how much it takes is not told. Only what is used takes memory.
constexpr std::size_t kDriverStackBytes = std::size_t{1} << 20;

// What `body` returns, or, where it throws, what `fail` makes of the status and the reason.
template <class Body, class Fail>
xylem_status guarded(Body body, Fail fail) {
  try {
    return body();
  } catch (const Error& error) {
    return fail(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return fail(XYLEM_ERROR_OUT_OF_MEMORY, "out of memory");
  }
}

}  // namespace

xylem_status Communicator::run_with_devices(const Call& call) {
  complete();  // then this thread alone has the communicator
  return run_where_buffers_lie(call);
}

xylem_status Communicator::run_where_buffers_lie(const Call& call) {
  if (given_up()) return refuse();
  const auto run = [&] {
    const cuda::StreamState state = call.stream == XYLEM_STREAM_NONE ? cuda::StreamState::ready : cuda::state_of(call.stream);
    const bool captured = state == cuda::StreamState::captured;
    const auto refused = [&] {
      error_ = describe(call, size()) + ": " + cuda::obstacle_to_waiting(state);
      return XYLEM_ERROR_UNSUPPORTED;
    };
    if (state != cuda::StreamState::ready && !captured) return refused();
    if (device_path_ != nullptr) {
      if (const std::optional<xylem_status> done = device_path_->run(call)) return *done;
    }
    // Its steps are calls of other communicators, for which this thread would wait.
    if (device_hosts_ != nullptr && !call.arrived) {
      if (const std::optional<xylem_status> done = device_hosts_->run(call)) return *done;
    }
    if (size() == 1) return run_on_host(call);
    if (captured) return refused();
    return call.exchange != nullptr ? run_exchange_staged(call) : run_staged(call);
  };
  return guarded(run, [&](xylem_status status, const char* reason) { return give_up(call, status, reason); });
}

xylem_status Communicator::run_staged(const Call& call) {
  const StagedCall staged(call, buffer_bytes(call, rank(), size()));
  if (staged.staged() && !call.internal) counters_.count_staged();
  const xylem_status status = run_on_host(staged.on_host());
  if (status == XYLEM_SUCCESS) staged.copy_back();
  return status;
}

std::vector<cuda::HeldBuffer> Communicator::hold(const void* buffer, std::size_t bytes) {
  complete();
  if (given_up()) {
    const xylem_status status = refuse();
    throw Error(status, error_);
  }
  if (device_path_ == nullptr) return {};
  try {
    return device_path_->hold(buffer, bytes);
  } catch (const Error& error) {
    // The others are in a round of it.
    if (!given_up()) give_up("a registration of memory", error.code(), error.what());
    throw;
  }
}

void Communicator::release(std::vector<cuda::HeldBuffer>& held) {
  complete();
  if (device_path_ != nullptr) device_path_->release(held);
}

xylem_status Communicator::run_exchange_staged(const Call& call) {
  const StagedExchange staged(*call.exchange);
  if (staged.staged()) counters_.count_staged();
  Call on_host = call;
  on_host.exchange = &staged.on_host();
  const xylem_status status = run_on_host(on_host);
  if (status == XYLEM_SUCCESS) staged.copy_back();
  return status;
}

// The result of a single rank is its own contribution. False: the CPU can copy it, and it needs not wait for a stream.
bool Communicator::copy_on_device(const Call& call, void* to, const void* from, std::size_t bytes) {
  const auto on_gpu = [](const cuda::Memory& memory) {
    return memory.kind == cuda::MemoryKind::device || memory.kind == cuda::MemoryKind::managed;
  };
  const cuda::Memory target = cuda::memory_of(to), source = cuda::memory_of(from);
  if (call.stream != XYLEM_STREAM_NONE) {
    cuda::copy_in_stream(to, from, bytes, cuda::memory_of_stream(call.stream), call.stream);
    return true;
  }
  if (!on_gpu(target) && !on_gpu(source)) return false;
  const cuda::Memory& on = on_gpu(target) ? target : source;
  cuda::copy(to, from, bytes, on, call.arrived ? cuda::copy_stream(on) : cuda::default_stream());
  return true;
}

// What runs on the fiber of a call that was started.
xylem_status Communicator::run_after_arrivals(const Request& request) {
  Call call = request.call();
  const auto run = [&] {
    const exec::Fault fault = team_.wait([&] { return request.arrivals().passed(); });
    if (fault != exec::Fault::none) return fail(call, fault, rank());
    call.stream = XYLEM_STREAM_NONE;
    call.arrived = true;
    return run_where_buffers_lie(call);
  };
  return guarded(run, [&](xylem_status status, const char* reason) { return give_up(call, status, reason); });
}

std::optional<xylem_status> Communicator::go_on_with_devices(const Request& request) {
  if (!in_background_) {
    half_.reserve();
    background_.reserve(kDriverStackBytes);
    in_background_.emplace(InBackground{*this, request, XYLEM_SUCCESS});
    background_.start(
        [](void* argument) {
          auto& call = *static_cast<InBackground*>(argument);
          call.status = call.communicator.run_after_arrivals(call.request);
        },
        &*in_background_);
  } else {
    waiter_.poke_network();
    background_.switch_over();
  }
  if (background_.running()) return std::nullopt;
  const xylem_status status = in_background_->status;
  in_background_.reset();
  return status;
}

namespace {

void check_stream(xylem_stream_t stream) {
  if (stream == XYLEM_STREAM_NONE) return;
  const char* const obstacle = cuda::obstacle_to_waiting(cuda::state_of(stream));
  if (obstacle != nullptr) throw Error(XYLEM_ERROR_UNSUPPORTED, obstacle);
}

}  // namespace

void Communicator::note_arrival(Arrivals& arrivals, const void* buffer, xylem_stream_t stream) const {
  if (!devices_) return;
  check_stream(stream);
  arrivals.add(buffer, stream);
}

// By the thread that starts the call.
xylem_status Communicator::note_arrivals(Request& request) {
  const Call& call = request.call();
  try {
    check_stream(call.stream);
  } catch (const Error& error) {
    return request.finish(error.code(), describe(call, size()) + ": " + error.what());
  }
  const auto note = [&] {
    const BufferBytes bytes = buffer_bytes(call, rank(), size());
    if (bytes.input != 0 || call.stream != XYLEM_STREAM_NONE) request.arrivals().add(call.input, call.stream);
    if (bytes.output != 0) request.arrivals().add(call.output, call.stream);
    return XYLEM_SUCCESS;
  };
  return guarded(note, [&](xylem_status status, const char* reason) {
    const std::lock_guard lock(driving_);
    give_up(call, status, reason);
    return request.finish(status, error_);
  });
}

// Calls in streams have returned long before their kernels end.
xylem_status Communicator::check() {
  if (!quiet()) return XYLEM_SUCCESS;  // outstanding calls tell themselves
  if (given_up()) return refuse();
  if (const std::uint32_t word = exec::load_acquire(memory_->abort_word()); word != 0) {
    return fail(earlier_title(), exec::abort_fault(word), rank());
  }
  if (device_hosts_ != nullptr) return device_hosts_->check();
  if (device_path_ == nullptr) return XYLEM_SUCCESS;
  const auto look = [&] {
    const std::optional<DevicePath::Met> met = device_path_->take_fault();
    return met ? fail(earlier_title(), met->fault, met->rank) : XYLEM_SUCCESS;
  };
  return guarded(look, [&](xylem_status status, const char* reason) { return give_up(earlier_title(), status, reason); });
}

std::string Communicator::earlier_title() const {
  return "a call in a stream, one of the first " + std::to_string(sequence_) + " of this communicator of " +
         std::to_string(size()) + " ranks";
}

}  // namespace xylem
