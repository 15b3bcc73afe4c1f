// Communicator: calls that were started and run in the background.
#include <new>

#include "comm/communicator.hpp"

namespace xylem {

namespace {

// A thread that looks again and again drives the MPI below on every eighth look, as a thread that waits does.
constexpr std::uint64_t kBootstrapEvery = 8;

void drive(void* communicator) { static_cast<Communicator*>(communicator)->drive(); }

}  // namespace

xylem_status Communicator::start(Request& request) {
  if (quiet() && given_up()) {
    const std::lock_guard lock(failure_mutex_);
    return request.finish(broken_, failure_text_);
  }
  if (devices_) [[unlikely]] {
    if (const xylem_status status = note_arrivals(request); status != XYLEM_SUCCESS) return status;
  }
  queue_.push(request);
  engine_.attend(*this);
  drive();
  return XYLEM_SUCCESS;
}

bool Communicator::drive() {
  drives_.fetch_add(1, std::memory_order_relaxed);
  return drive_unattended();
}

bool Communicator::drive_unattended() {
  const std::unique_lock lock(driving_, std::try_to_lock);
  if (!lock) return false;
  bool moved = false;
  for (Request* first = queue_.front(); first != nullptr; first = queue_.front()) {
    const std::uint64_t passed = team_.waits_passed();
    const std::optional<xylem_status> outcome = go_on_guarded(*first);
    moved = moved || outcome || team_.waits_passed() != passed;
    if (!outcome) break;
    queue_.pop(*outcome, error_);
  }
  return moved;
}

std::optional<xylem_status> Communicator::go_on_guarded(const Request& request) {
  try {
    return devices_ ? go_on_with_devices(request) : go_on(request.call());
  } catch (const std::bad_alloc&) {
    execution_.reset();
    in_background_.reset();
    return give_up(request.call(), XYLEM_ERROR_OUT_OF_MEMORY, "out of memory");
  }
}

std::optional<xylem_status> Communicator::go_on(const Call& call) {
  const bool only_sends = execution_ && !background_.running();
  if (!execution_) {
    if (given_up()) return refuse();
    if (!call.internal) ++sequence_;
    const CallPlan* const plan = plan_for(call);
    if (plan == nullptr) return run_alone(call);
    half_.reserve();
    background_.reserve();
    execution_.emplace(prepare(call, *plan));
    background_.start([](void* execution) { static_cast<Execution*>(execution)->run(); }, &*execution_);
  } else if (!only_sends) {
    waiter_.poke_network();
    background_.switch_over();
  }
  if (background_.running()) return std::nullopt;

  if (!only_sends) waiter_.start();
  exec::Fault sending = exec::Fault::none;
  if (links_ != nullptr && execution_->port.fault() == exec::Fault::none && !links_->idle()) {
    sending = waiter_.look();
    if (sending == exec::Fault::none) return std::nullopt;
  }
  const xylem_status status = conclude(*execution_, sending);
  execution_.reset();
  return status;
}

exec::Waiter Communicator::polite_waiter() {
  static constexpr std::uint32_t never = 0;  // failures come as outcomes of calls
  return {&never, crowded_, 0, {&xylem::drive, this}, {&poke_engine, &engine_}, {&poke_bootstrap, this}};
}

void Communicator::wait_for(const Request& request) {
  exec::Waiter waiter = polite_waiter();
  while (!request.done()) waiter.pause();
}

void Communicator::complete() {
  exec::Waiter waiter = polite_waiter();
  while (!quiet()) waiter.pause();
}

void Communicator::look_after() {
  drive();
  engine_.poke();
  if (drives() % kBootstrapEvery == 0) poke_bootstrap(this);
}

}  // namespace xylem
