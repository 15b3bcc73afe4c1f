// Communicator: one call, from its arguments to its end.
#include <chrono>
#include <new>

#include "comm/communicator.hpp"
#include "comm/device_path.hpp"
#include "exec/copy.hpp"

namespace xylem {

namespace {

double now_seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

xylem_status Communicator::run(const Call& call) {
  if (devices_) [[unlikely]] {
    return run_with_devices(call);
  }
  if (quiet()) return run_on_host(call);
  Request request(*this, call);
  if (const xylem_status status = start(request); status != XYLEM_SUCCESS) return status;
  wait_for(request);
  return request.status();
}

xylem_status Communicator::run_on_host(const Call& call) {
  if (given_up()) [[unlikely]] {
    return refuse();
  }
  if (!call.internal) ++sequence_;
  try {
    const CallPlan* const plan = plan_for(call);
    if (plan == nullptr) return run_alone(call);
    Execution execution = prepare(call, *plan);
    execution.run();
    const bool flushes = links_ != nullptr && execution.port.fault() == exec::Fault::none;
    return conclude(execution, flushes ? flush() : exec::Fault::none);
  } catch (const std::bad_alloc&) {
    return give_up(call, XYLEM_ERROR_OUT_OF_MEMORY, "out of memory");
  }
}

// A call returns only when what it sent needs this thread no more: its rank may go and wait in the MPI below for an hour.
exec::Fault Communicator::flush() {
  return team_.wait([this] { return links_->idle(); });
}

// Null: the call needs no algorithm, for there is one rank, or nothing to move.
const CallPlan* Communicator::plan_for(const Call& call) {
  if (size() == 1 && call.exchange == nullptr) return nullptr;
  const CallPlan& plan = plans_.of(call);
  return plan.moves_nothing ? nullptr : &plan;
}

// A single rank has its own contribution as the result; that of an exscan is undefined.
xylem_status Communicator::run_alone(const Call& call) {
  const auto count = [&](bool on_device) {
    if (call.internal) return;
    on_device ? counters_.count_on_device(call.collective, own_bytes(call))
              : counters_.count_trivial(call.collective, own_bytes(call));
  };
  if (moves_nothing(call, size()) || call.collective == coll::Collective::exscan) return count(false), XYLEM_SUCCESS;
  coll::Args args;
  set_buffers(args, call, size(), offsets_);
  const exec::View in = args.in_block(0, 0, args.sent.at(0).length);
  const exec::Slice out = args.out_block(0, 0, in.bytes);
  const bool copies = in.bytes != 0 && out.data != in.data;
  const bool on_device = copies && devices_ && copy_on_device(call, out.data, in.data, in.bytes);
  if (copies && !on_device) exec::copy_bytes(out.data, in.data, in.bytes);
  return count(on_device), XYLEM_SUCCESS;
}

std::byte* Communicator::scratch(std::size_t bytes) {
  if (scratch_.size() < bytes) scratch_.resize(bytes);
  return scratch_.data();
}

Execution Communicator::prepare(const Call& call, const CallPlan& plan) {
  const double begin = timed_ ? now_seconds() : 0;
  set_buffers(args_, call, size(), offsets_);
  args_.chunk_bytes = plan.plan.chunk_bytes;
  args_.all = plan.plan.by_rank ? members_.by_rank() : members_.all();
  if (plan.algorithm != nullptr) {
    if (plan.algorithm->traits.leaders) members_.set_leaders(args_, coll::facts(call.collective).rooted);
    if (const std::size_t bytes = plan.algorithm->scratch_bytes(args_); bytes != 0) args_.scratch = scratch(bytes);
  }
  const std::uint32_t signature = signature_of_call(plan.signature, call.root);
  // Where ranks call different things and neither reads what the other sent (two roots, say), the next line that is read
  // tells. Not all ranks take part in sends and receives.
  const bool of_all = call.exchange == nullptr;
  if (of_all) {
    history_ = (history_ + signature) * 0x9E3779B1U;
    ++ordinal_;
  }
  announce(call);
  return {call, plan, args_, coll::CpuPort(team_, endpoints_, plan.arithmetic, of_all ? history_ : signature), begin};
}

// Before the first byte of the call: a peer that finds another call's signature looks here for what it was.
void Communicator::announce(const Call& announced) {
  const Call& call = announced.on_behalf_of == nullptr ? announced : *announced.on_behalf_of;
  const coll::Collective collective = call.exchange == nullptr ? call.collective : coll::Collective{coll::kCollectives};
  log_.enter({.sequence = sequence_ + (&call == &announced ? 0 : 1),
              .bytes = own_bytes(call),
              .history = history_,
              .collective = static_cast<std::uint32_t>(collective),
              .op = static_cast<std::uint32_t>(call.op),
              .type = static_cast<std::uint32_t>(call.type),
              .root = static_cast<std::int32_t>(call.root),
              .ordinal = call.exchange == nullptr ? ordinal_ : 0});
}

void Execution::run() {
  coll::CpuLane lane(port);
  if (call.exchange != nullptr) {
    coll::run_exchange(lane, *call.exchange, args.rank, args.ranks, args.chunk_bytes);
    return;
  }
  plan.kernel(lane, args);
}

// `sending`: what became of what it sent.
xylem_status Communicator::conclude(const Execution& done, exec::Fault sending) {
  if (const exec::Fault fault = done.port.fault(); fault != exec::Fault::none) [[unlikely]] {
    if (parted_) return fail(done.call, fault, *parted_);
    const std::uint32_t peer = done.port.fault_peer();
    return fail(done.call, fault, done.port.fault_on_board() ? done.args.host.rank(peer) : peer);
  }
  if (sending != exec::Fault::none) [[unlikely]] {
    return fail(done.call, sending, rank());
  }
  if (done.call.internal) return XYLEM_SUCCESS;
  log_.leave(sequence_);
  if (done.call.exchange != nullptr) return XYLEM_SUCCESS;
  counters_.count(done.plan.plan.algorithm, own_bytes(done.call), timed_ ? now_seconds() - done.begin : 0);
  return XYLEM_SUCCESS;
}

}  // namespace xylem
