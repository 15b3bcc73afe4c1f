// Communicator: what becomes of a communicator when a call of it fails, and what is said about it.
#include <array>
#include <cstdio>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/device_hosts.hpp"

namespace xylem {

namespace {

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

// What another rank did in place of what this rank waits for, in words.
std::string Communicator::deed(std::uint32_t peer, exec::Fault fault) const {
  if (fault != exec::Fault::mismatch || !members_.here(peer)) return fault_text(fault);
  if (const std::optional<Parting> parting = parting_from(peer)) {
    const std::string text =
        "called " + describe_record(parting->other) + " as its call " + std::to_string(parting->other.sequence);
    const bool now = parting->own.ordinal == ordinal_;
    return now ? text : text + ", where this rank called " + describe_record(parting->own);
  }
  const shm::CallRecord record = log_of(peer).last();
  const std::string what = describe_record(record);
  return what.empty() ? fault_text(fault) : "called " + what + " as its call " + std::to_string(record.sequence);
}

// The first collective that a rank of this host and this one did not call alike, as far as their logs reach back.
std::optional<Communicator::Parting> Communicator::parting_from(std::uint32_t peer) const {
  std::optional<Parting> first;
  for (const shm::CallRecord& each : log_of(peer).calls) {
    const shm::CallRecord other = each.snapshot();
    if (other.ordinal == 0 || (first && other.ordinal > first->own.ordinal) || describe_record(other).empty()) continue;
    for (const shm::CallRecord& own : log_.calls)
      if (own.ordinal == other.ordinal && own.history != other.history) first = {own, other};
  }
  return first;
}

// How long this rank had waited in the call that fails.
std::string Communicator::waited() const {
  const std::uint64_t since = waiter_.since();
  const bool in_this_call = since != 0 && since >= log_.left_at;
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), ", after %.1f s",
                in_this_call ? 1e-9 * static_cast<double>(flight::now() - since) : 0.0);
  return text.data();
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
  if (!connect_error_.empty())
    return give_up(title, XYLEM_ERROR_SYSTEM, "cannot connect to " + where(peer) + ": " + connect_error_);
  const xylem_status status = fault_status(fault);
  // Whom we waited for is not always who failed.
  if (exec::is_told(fault)) peer = exec::abort_rank(exec::load_acquire(memory_->abort_word()), peer);
  if (fault == exec::Fault::died) ended_[peer] = true;
  // Nor is whom we waited for always who was late.
  if (const std::uint32_t late = fault == exec::Fault::timeout ? late_rank() : rank(); late != rank()) peer = late;
  error_ = title + ": " + where(peer) + " " + deed(peer, fault) + " (told by " + where(rank()) + ")" + waited();
  if (links_ != nullptr && links_->failed()) error_ += "; network: " + links_->failure();
  break_off(status);
  const bool learned = exec::is_told(fault);
  tell_others(learned, learned ? peer : rank());
  recording_.dump_to_file();
  return status;
}

// This rank cannot take part: the others must not wait for it.
xylem_status Communicator::give_up(const std::string& title, xylem_status status, const std::string& reason) {
  error_ = title + ", on " + where(rank()) + ": " + reason;
  break_off(status);
  tell_others(false, rank());
  return status;
}

void Communicator::break_off(xylem_status status) {
  const std::lock_guard lock(failure_mutex_);
  failure_text_ = error_;
  broken_ = status;
}

xylem_status Communicator::refuse() {
  const std::lock_guard lock(failure_mutex_);
  error_ = failure_text_;
  return broken_;
}

void Communicator::abort() {
  {
    const std::lock_guard lock(failure_mutex_);
    if (!given_up()) {
      failure_text_ = where(rank()) + " " + fault_text(exec::Fault::aborted);
      broken_ = XYLEM_ERROR_PEER_FAILED;
    }
  }
  memory_->raise_abort(exec::abort_word(exec::Fault::aborted, rank()));
  if (links_ != nullptr && !links_->failed()) links_->give_up(ranks_elsewhere(rank()), static_cast<int>(rank()));
  if (device_hosts_ != nullptr) device_hosts_->abort();
}

Failure Communicator::failure() const {
  {
    const std::lock_guard lock(failure_mutex_);
    if (given_up()) return {broken_, failure_text_};
  }
  const auto told = [&](exec::Fault fault, std::uint32_t peer) {
    return Failure{fault_status(fault), where(peer) + " " + fault_text(fault) + " (told by " + where(rank()) + ")"};
  };
  if (const std::uint32_t word = exec::load_acquire(memory_->abort_word()); word != 0)
    return told(exec::abort_fault(word), exec::abort_rank(word, rank()));
  if (links_ != nullptr && links_->failed()) return told(links_->fault(), static_cast<std::uint32_t>(links_->failed_rank()));
  return {};
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
