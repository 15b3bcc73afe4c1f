#include "comm/communicator.hpp"

#include <unistd.h>

#include <chrono>

#include "base/log.hpp"
#include "base/settings.hpp"
#include "comm/device_hosts.hpp"
#include "comm/device_path.hpp"
#include "cuda/presence.hpp"
#include "exec/copy.hpp"
#include "exec/reduce.hpp"
#include "topo/topology.hpp"

namespace xylem {

namespace {

double now_seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

const char* fault_text(exec::Fault fault) {
  switch (fault) {
    case exec::Fault::mismatch:
      return "called something else than this rank";
    case exec::Fault::protocol:
      return "sent something that cannot be part of this call";
    case exec::Fault::timeout:
      return "did not come within XYLEM_TIMEOUT";
    case exec::Fault::died:
      return "died: its process has ended";
    case exec::Fault::unreachable:
      return "cannot be reached any more";
    case exec::Fault::aborted:
    case exec::Fault::none:
      break;
  }
  return "gave up this communicator";
}

xylem_status fault_status(exec::Fault fault) {
  switch (fault) {
    case exec::Fault::mismatch:
    case exec::Fault::protocol:
      return XYLEM_ERROR_MISMATCH;
    case exec::Fault::timeout:
      return XYLEM_ERROR_TIMEOUT;
    case exec::Fault::died:
    case exec::Fault::unreachable:
    case exec::Fault::aborted:
    case exec::Fault::none:
      break;
  }
  return XYLEM_ERROR_PEER_FAILED;
}

}  // namespace

Placement Placement::here() { return {topo::host().id, topo::host().name}; }

Communicator::Communicator(const std::shared_ptr<Bootstrap>& bootstrap, const Placement& placement,
                           const std::optional<AgreedSettings>& inherited)
    : Communicator(bootstrap, placement, wire_up(*bootstrap, placement.host_id, placement.host_name, inherited)) {}

Communicator::Communicator(std::shared_ptr<Bootstrap> bootstrap, const Placement& placement, WiredUp wired)
    : bootstrap_(std::move(bootstrap)),
      placement_(placement),
      settings_(std::move(wired.settings)),
      members_(std::move(wired.members)),
      host_names_(std::move(wired.host_names)),
      memory_(std::move(wired.memory)),
      links_(std::move(wired.links)),
      planner_(wired.shape, settings_.algorithm, settings_.chunk_bytes, settings_.tuning),
      to_(members_.size()),
      from_(members_.size()),
      board_(memory_->board()),
      endpoints_{to_.data(), from_.data(), &board_, &Communicator::connect, this},
      engine_(ProgressEngine::of_process()),
      crowded_(wired.shape.ranks_per_core > 1),
      waiter_(&memory_->abort_word(), crowded_, settings_.timeout_seconds,
              links_ == nullptr ? exec::Progress{} : exec::Progress{&Communicator::poke_network, this},
              exec::Progress{&Communicator::poke_engine, &engine_},
              exec::Progress{&Communicator::poke_bootstrap, bootstrap_.get()}),
      team_(waiter_, half_, background_),
      devices_(cuda::may_have_device_buffers()),
      device_path_(wired.devices && members_.hosts() == 1 && size() > 1 ? std::make_unique<DevicePath>(*this) : nullptr),
      device_hosts_(wired.devices && members_.hosts() > 1 && members_.ranks_per_host() > 1
                        ? std::make_unique<DeviceHosts>(*this)
                        : nullptr),
      timed_(!settings().stats_file.empty()),
      pid_(getpid()),
      vigil_(std::move(wired.watch), &Communicator::peer_ended, this) {
  counters_.describe(members_.size(), members_.hosts(), wired.provider);
  if (rank() == 0 && !planner_.complaints().empty()) log::warn(planner_.complaints() + "; left out");
  for (const Watched& each : wired.watched) {
    if (members_.here(each.rank)) {
      vigil_.watch_local(each.process, each.rank);
    } else {
      vigil_.watch_remote(each.process, each.rank);
    }
  }
  if (rank() == 0 && log::enabled(log::Level::info)) {
    log::info("a communicator of " + std::to_string(size()) + " ranks is connected, " +
              (links_ == nullptr ? "all on one host" : std::to_string(members_.hosts()) + " hosts over " + wired.provider));
  }
}

// From the watching thread. Whoever waits sees the abort word; the ranks of other hosts, of which each watches few, are told.
void Communicator::peer_ended(void* context, std::uint32_t rank, watch::End how) {
  auto& self = *static_cast<Communicator*>(context);
  const Members& members = self.members_;
  if (members.here(rank) && self.memory_->has_left(static_cast<int>(members.local_place_of(rank)))) return;
  const exec::Fault fault = how == watch::End::process ? exec::Fault::died : exec::Fault::unreachable;
  if (self.links_ == nullptr) return self.memory_->raise_abort(exec::abort_word(fault, rank));
  self.links_->give_up(self.ranks_elsewhere(rank), static_cast<int>(rank), fault);
  self.raise_failure_of_links();
}

Communicator::~Communicator() { engine_.forget(*this); }

void Communicator::poke_network(void* context) {
  auto& self = *static_cast<Communicator*>(context);
  self.links_->progress();
  if (!self.links_->failed()) return;
  self.raise_failure_of_links();
}

void Communicator::raise_failure_of_links() {
  memory_->raise_abort(exec::abort_word(links_->fault(), static_cast<std::uint32_t>(links_->failed_rank())));
}

void Communicator::poke_engine(void* engine) { static_cast<ProgressEngine*>(engine)->poke(); }

void Communicator::poke_bootstrap(void* bootstrap) { static_cast<Bootstrap*>(bootstrap)->progress(); }

bool Communicator::connect(void* context, std::uint32_t peer, bool outbound) {
  auto& self = *static_cast<Communicator*>(context);
  if (!self.members_.here(peer)) {
    try {
      exec::Channel& channel = outbound ? self.to_[peer] : self.from_[peer];
      channel = outbound ? self.links_->sender(static_cast<int>(peer)) : self.links_->receiver(static_cast<int>(peer));
      return true;
    } catch (const std::exception& error) {
      self.connect_error_ = error.what();
      return false;
    }
  }
  const int place = static_cast<int>(self.members_.local_place_of(peer));
  if (outbound) {
    self.to_[peer] = self.memory_->sender(place);
  } else {
    self.from_[peer] = self.memory_->receiver(place);
  }
  return true;
}

void Communicator::force(const std::string& rules) {
  settings_.algorithm = rules;
  settings_.tuning.clear();
  planner_ = plan::Planner(planner_.shape(), settings_.algorithm, settings_.chunk_bytes);
  memos_.fill({});
}

const plan::Plan& Communicator::plan_for(const Call& call, std::size_t total_bytes, std::size_t element_bytes) {
  PlanMemo& memo = memos_[(total_bytes ^ (total_bytes >> 9) ^ (static_cast<std::size_t>(call.collective) * 11)) % kPlanMemos];
  if (memo.bytes != total_bytes || memo.collective != call.collective || memo.element_bytes != element_bytes) {
    memo = {call.collective, total_bytes, element_bytes, planner_.choose(call.collective, total_bytes, element_bytes)};
    if (rank() == 0 && log::enabled(log::Level::debug)) log::debug(why(memo));
  }
  return memo.plan;
}

std::string Communicator::why(const PlanMemo& memo) const {
  std::string text = std::string(coll::collective_name(memo.collective)) + " of " + std::to_string(memo.bytes) +
                     " bytes over " + std::to_string(size()) + " ranks on " + std::to_string(members_.hosts()) +
                     " hosts, chunks of " + std::to_string(memo.plan.chunk_bytes) + " bytes:";
  for (const plan::Candidate& candidate : planner_.explain(memo.collective, memo.bytes, memo.element_bytes)) {
    text.append(" ").append(plan::catalogue()[candidate.algorithm].name);
    if (candidate.possible) text.append(" ").append(std::to_string(candidate.seconds * 1e6)).append(" us");
    if (!candidate.reason.empty()) text.append(" (").append(candidate.reason).append(")");
  }
  return text;
}

std::byte* Communicator::scratch(std::size_t bytes) {
  if (scratch_.size() < bytes) scratch_.resize(bytes);
  return scratch_.data();
}

Communicator::Execution Communicator::prepare(const Call& call) {
  if (call.exchange != nullptr) return prepare_exchange(call);
  const double begin = timed_ ? now_seconds() : 0;
  const coll::CollectiveFacts& facts = coll::facts(call.collective);
  coll::Args args;
  args.rank = rank();
  args.ranks = size();
  set_buffers(args, call, size(), offsets_);
  const plan::Plan& plan = plan_for(call, agreed_bytes(call, size()), args.element_bytes);
  const plan::Algorithm& algorithm = plan::catalogue()[plan.algorithm];
  args.chunk_bytes = plan.chunk_bytes;
  args.all = members_.all();
  args.host = members_.host();
  if (algorithm.traits.leaders) members_.set_leaders(args, facts.rooted);
  if (const std::size_t bytes = algorithm.scratch_bytes(args); bytes != 0) args.scratch = scratch(bytes);
  const std::uint32_t signature = call_signature(call, size());
  announce(call, signature);
  const exec::CpuArithmetic arithmetic{
      exec::find_reduce(facts.reduces ? call.op : XYLEM_BAND, facts.reduces ? call.type : XYLEM_BYTE), args.element_bytes};
  return {call, own_bytes(call), plan.algorithm, args, coll::CpuPort(team_, endpoints_, arithmetic, signature), begin};
}

// Before the first byte of the call: a peer that finds another call's signature looks here for what it was.
void Communicator::announce(const Call& announced, std::uint32_t signature) {
  const Call& call = announced.on_behalf_of == nullptr ? announced : *announced.on_behalf_of;
  memory_->own_record().publish({.sequence = sequence_ + (&call == &announced ? 0 : 1),
                                 .bytes = own_bytes(call),
                                 .signature = signature,
                                 .collective = static_cast<std::uint32_t>(call.collective),
                                 .op = static_cast<std::uint32_t>(call.op),
                                 .type = static_cast<std::uint32_t>(call.type),
                                 .root = static_cast<std::int32_t>(call.root),
                                 .pid = pid_});
}

// What another rank did in place of what this rank waits for, in words.
std::string Communicator::deed(std::uint32_t peer, exec::Fault fault) const {
  if (fault != exec::Fault::mismatch || !members_.here(peer)) return fault_text(fault);
  const shm::CallRecord record = memory_->record(static_cast<int>(members_.local_place_of(peer))).snapshot();
  Call other{static_cast<coll::Collective>(record.collective)};
  other.type = static_cast<xylem_type>(record.type);
  other.op = static_cast<xylem_op>(record.op);
  other.root = static_cast<std::uint32_t>(record.root);
  other.count = record.bytes / exec::type_bytes(other.type);
  return "called " + describe(other, size()) + " as its call " + std::to_string(record.sequence);
}

Communicator::Execution Communicator::prepare_exchange(const Call& call) {
  coll::Args args;
  args.rank = rank();
  args.ranks = size();
  args.chunk_bytes = planner_.channel_chunk();
  const exec::CpuArithmetic arithmetic{};  // nothing is reduced
  return {call, 0, 0, args, coll::CpuPort(team_, endpoints_, arithmetic, call_signature(call, size())), 0};
}

void Communicator::Execution::run() {
  coll::CpuLane lane(port);
  if (call.exchange != nullptr) {
    coll::run_exchange(lane, *call.exchange, args.rank, args.ranks, args.chunk_bytes);
    return;
  }
  coll::cpu_kernels()[algorithm](lane, args);
}

// `sending`: what became of what it sent.
xylem_status Communicator::conclude(const Execution& done, exec::Fault sending) {
  if (const exec::Fault fault = done.port.fault(); fault != exec::Fault::none) [[unlikely]] {
    const std::uint32_t peer = done.port.fault_peer();
    return fail(done.call, fault, done.port.fault_on_board() ? done.args.host.rank(peer) : peer);
  }
  if (sending != exec::Fault::none) return fail(done.call, sending, rank());
  if (done.call.internal || done.call.exchange != nullptr) return XYLEM_SUCCESS;
  counters_.count(done.call.collective, done.algorithm, done.bytes, timed_ ? now_seconds() - done.begin : 0);
  return XYLEM_SUCCESS;
}

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
  if (broken_ != XYLEM_SUCCESS) return broken_;
  if (!call.internal) ++sequence_;
  if (needs_no_algorithm(call)) return run_alone(call);
  Execution execution = prepare(call);
  execution.run();
  const bool flushes = links_ != nullptr && execution.port.fault() == exec::Fault::none;
  return conclude(execution, flushes ? flush() : exec::Fault::none);
}

// A call returns only when what it sent needs this thread no more: its rank may go and wait in the MPI below for an hour.
exec::Fault Communicator::flush() {
  waiter_.start();
  while (!links_->idle()) {
    if (const exec::Fault fault = waiter_.pause(); fault != exec::Fault::none) return fault;
  }
  return exec::Fault::none;
}

// One rank, or nothing to move.
bool Communicator::needs_no_algorithm(const Call& call) const {
  return call.exchange == nullptr && (size() == 1 || moves_nothing(call, size()));
}

// A single rank has its own contribution as the result; that of an exscan is undefined.
xylem_status Communicator::run_alone(const Call& call) {
  counters_.count_trivial(call.collective, own_bytes(call));
  if (moves_nothing(call, size()) || call.collective == coll::Collective::exscan) return XYLEM_SUCCESS;
  coll::Args args;
  set_buffers(args, call, size(), offsets_);
  const exec::View in = args.in_block(0, 0, args.sent.at(0).length);
  const exec::Slice out = args.out_block(0, 0, in.bytes);
  if (in.bytes != 0 && out.data != in.data) exec::copy_bytes(out.data, in.data, in.bytes);
  return XYLEM_SUCCESS;
}

std::string Communicator::where(std::uint32_t rank) const {
  return "rank " + std::to_string(rank) + " on " + host_names_[members_.host_of(rank)];
}

std::string Communicator::title(const Call& call) const {
  if (call.on_behalf_of != nullptr) return title(*call.on_behalf_of);
  return describe(call, size()) + ", call " + std::to_string(sequence_) + " of this communicator of " +
         std::to_string(size()) + " ranks";
}

xylem_status Communicator::fail(const std::string& title, exec::Fault fault, std::uint32_t peer) {
  broken_ = fault_status(fault);
  // Whom we waited for is not always who failed.
  if (exec::is_told(fault)) peer = exec::abort_rank(exec::load_acquire(memory_->abort_word()), peer);
  error_ = title + ": " + where(peer) + " " + deed(peer, fault) + " (told by " + where(rank()) + ")";
  if (links_ != nullptr && links_->failed()) error_ += "; network: " + links_->failure();
  if (!connect_error_.empty()) error_ += "; connecting: " + connect_error_;
  const bool learned = exec::is_told(fault);
  tell_others(learned, learned ? peer : rank());
  return broken_;
}

// This rank cannot take part: the others must not wait for it.
xylem_status Communicator::give_up(const std::string& title, xylem_status status, const std::string& reason) {
  broken_ = status;
  error_ = title + ", on " + where(rank()) + ": " + reason;
  tell_others(false, rank());
  return broken_;
}

// None shall wait for this rank for ever. `learned`: from the abort word. Whoever raised it or told us tells all, too.
void Communicator::tell_others(bool learned, std::uint32_t failed_rank) {
  memory_->raise_abort(exec::abort_word(exec::Fault::aborted, failed_rank));
  if (links_ == nullptr) return;
  if (links_->failed() ? links_->told() : learned) return;
  links_->give_up(ranks_elsewhere(rank()), static_cast<int>(failed_rank));
}

// Those of other hosts, but for one.
std::vector<int> Communicator::ranks_elsewhere(std::uint32_t without) const {
  std::vector<int> others;
  for (std::uint32_t other = 0; other < size(); ++other) {
    if (other != without && !members_.here(other)) others.push_back(static_cast<int>(other));
  }
  return others;
}

}  // namespace xylem
