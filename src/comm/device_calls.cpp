// Communicator: calls of a rank whose buffers may lie on a GPU.
#include "comm/communicator.hpp"
#include "comm/device_hosts.hpp"
#include "comm/device_path.hpp"
#include "comm/staging.hpp"

namespace xylem {

xylem_status Communicator::run_with_devices(const Call& call) {
  complete();  // then this thread alone has the communicator
  if (given_up()) return refuse();
  const cuda::StreamState state = call.stream == XYLEM_STREAM_NONE ? cuda::StreamState::ready : cuda::state_of(call.stream);
  const bool captured = state == cuda::StreamState::captured;
  const auto refused = [&] {
    error_ = describe(call, size()) + ": " + cuda::obstacle_to_waiting(state);
    return XYLEM_ERROR_UNSUPPORTED;
  };
  if (state != cuda::StreamState::ready && !captured) return refused();
  try {
    if (device_path_ != nullptr) {
      if (const std::optional<xylem_status> done = device_path_->run(call)) return *done;
    }
    if (device_hosts_ != nullptr) {
      if (const std::optional<xylem_status> done = device_hosts_->run(call)) return *done;
    }
    if (captured) return refused();
    const StagedCall staged(call, buffer_bytes(call, rank(), size()));
    if (staged.staged() && !call.internal) counters_.count_staged();
    const xylem_status status = run_on_host(staged.on_host());
    if (status == XYLEM_SUCCESS) staged.copy_back();
    return status;
  } catch (const Error& error) {
    return give_up(call, error.code(), error.what());
  }
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
  try {
    const std::optional<DevicePath::Met> met = device_path_->take_fault();
    return met ? fail(earlier_title(), met->fault, met->rank) : XYLEM_SUCCESS;
  } catch (const Error& error) {
    return give_up(earlier_title(), error.code(), error.what());
  }
}

std::string Communicator::earlier_title() const {
  return "a call in a stream, one of the first " + std::to_string(sequence_) + " of this communicator of " +
         std::to_string(size()) + " ranks";
}

}  // namespace xylem
