// Communicator: what becomes of a communicator when a call of it fails, and what is said about it.
#include <vector>

#include "comm/communicator.hpp"

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
  const shm::CallRecord record = memory_->record(static_cast<int>(members_.local_place_of(peer))).snapshot();
  const std::string which = " as its call " + std::to_string(record.sequence);
  if (record.collective == coll::kCollectives) return "called a group of sends and receives" + which;
  const std::size_t element_bytes = exec::type_bytes(static_cast<xylem_type>(record.type));
  // A record is another process's word: nothing is taken for granted.
  if (record.collective > coll::kCollectives || element_bytes == 0) return fault_text(fault);
  Call other{static_cast<coll::Collective>(record.collective)};
  other.type = static_cast<xylem_type>(record.type);
  other.op = static_cast<xylem_op>(record.op);
  other.root = static_cast<std::uint32_t>(record.root);
  other.count = record.bytes / element_bytes;
  return "called " + describe(other, size()) + which;
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
