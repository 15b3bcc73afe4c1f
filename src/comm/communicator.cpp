#include "comm/communicator.hpp"

#include <unistd.h>

#include "base/log.hpp"
#include "base/settings.hpp"
#include "comm/device_hosts.hpp"
#include "comm/device_path.hpp"
#include "cuda/presence.hpp"
#include "topo/topology.hpp"

namespace xylem {

Placement Placement::here() { return {topo::host().id, topo::host().name}; }

Communicator::Communicator(const std::shared_ptr<Bootstrap>& bootstrap, const Placement& placement,
                           const std::optional<AgreedSettings>& inherited, bool reachable)
    : Communicator(bootstrap, placement, wire_up(*bootstrap, placement.host_id, placement.host_name, inherited), reachable) {}

Communicator::Communicator(std::shared_ptr<Bootstrap> bootstrap, const Placement& placement, WiredUp wired, bool reachable)
    : bootstrap_(std::move(bootstrap)),
      placement_(placement),
      settings_(std::move(wired.settings)),
      members_(std::move(wired.members)),
      host_names_(std::move(wired.host_names)),
      memory_(std::move(wired.memory)),
      links_(std::move(wired.links)),
      planner_(wired.shape, settings_.algorithm, settings_.chunk_bytes, settings_.tuning),
      plans_(planner_, members_),
      to_(members_.size()),
      from_(members_.size()),
      board_(memory_->board()),
      endpoints_{to_.data(), from_.data(), &board_, &Communicator::connect, this},
      engine_(ProgressEngine::of_process()),
      crowded_(wired.shape.ranks_per_core > 1),
      waiter_(&memory_->abort_word(), crowded_, settings_.timeout_seconds,
              links_ == nullptr ? exec::Progress{} : exec::Progress{&Communicator::poke_network, this},
              exec::Progress{&Communicator::poke_engine, &engine_}, exec::Progress{&Communicator::poke_bootstrap, this}),
      team_(waiter_, half_, background_),
      log_(memory_->own_log()),
      devices_(cuda::may_have_device_buffers()),
      device_path_(wired.devices && members_.hosts() == 1 && size() > 1 ? std::make_unique<DevicePath>(*this) : nullptr),
      device_hosts_(wired.devices && members_.hosts() > 1 && members_.ranks_per_host() > 1
                        ? std::make_unique<DeviceHosts>(*this)
                        : nullptr),
      timed_(!settings().stats_file.empty()),
      pid_(getpid()),
      id_(wired.id),
      processes_(std::move(wired.processes)),
      ended_(std::make_unique<std::atomic<bool>[]>(size())),
      watch_(wired.watch),
      door_(std::move(wired.door)),
      vigil_(wired.watch, &Communicator::peer_ended, this),
      recording_(*wired.watch, &Communicator::entries, this) {
  waiter_.report_to(&log_.awaiting, {&Communicator::look_around, this});
  args_.rank = rank();
  args_.ranks = size();
  args_.host = members_.host();
  args_.inside = members_.inside();
  args_.loans = wired.shape.loans;
  counters_.describe(members_.size(), members_.hosts(), wired.provider);
  tell_complaints();
  for (const std::uint32_t each : members_.watched_by_us()) {
    if (members_.here(each)) {
      vigil_.watch_local(processes_[each], each);
    } else {
      vigil_.watch_remote(processes_[each], each, reachable);
    }
  }
  if (rank() == 0 && log::enabled(log::Level::info)) {
    log::info("a communicator of " + std::to_string(size()) + " ranks is connected, " +
              (links_ == nullptr ? "all on one host" : std::to_string(members_.hosts()) + " hosts over " + wired.provider));
  }
}

// All ranks have the same.
void Communicator::tell_complaints() const {
  const std::string& complaints = planner_.complaints();
  if (!complaints.empty() && log::is_news(complaints) && rank() == 0) log::warn(complaints + "; left out");
}

// From the watching thread. Whoever waits sees the abort word; the ranks of other hosts, of which each watches few, are told.
void Communicator::peer_ended(void* context, std::uint32_t rank, watch::End how) {
  auto& self = *static_cast<Communicator*>(context);
  const Members& members = self.members_;
  if (members.here(rank)) {
    const int place = static_cast<int>(members.local_place_of(rank));
    if (self.memory_->has_left(place)) return;
    self.memory_->mourn(place);
  }
  if (how == watch::End::process) self.ended_[rank] = true;
  const exec::Fault fault = how == watch::End::process ? exec::Fault::died : exec::Fault::unreachable;
  if (self.links_ == nullptr) return self.memory_->raise_abort(exec::abort_word(fault, rank));
  self.links_->give_up(self.ranks_elsewhere(rank), static_cast<int>(rank), fault);
  self.raise_failure_of_links();
}

// Kernels are waited for while ranks that end are still noticed.
Communicator::~Communicator() {
  engine_.forget(*this);
  device_hosts_.reset();
  device_path_.reset();
}

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

void Communicator::poke_bootstrap(void* context) {
  auto& self = *static_cast<Communicator*>(context);
  if (!self.left_bootstrap_.load(std::memory_order_relaxed)) self.bootstrap_->progress();
}

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
    self.from_[peer].process = self.processes_[peer].pid;
  }
  return true;
}

void Communicator::force(const std::string& rules) {
  settings_.algorithm = rules;
  settings_.tuning.clear();
  planner_ = plan::Planner(planner_.shape(), settings_.algorithm, settings_.chunk_bytes);
  plans_.forget();
}

}  // namespace xylem
