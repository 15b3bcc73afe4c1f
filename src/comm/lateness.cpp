// Communicator: who is waited for, and what the ranks of this host have done last. Any thread may ask: all of it is read from
// the logs in shared memory, which outlive their ranks.
#include <algorithm>
#include <fstream>

#include "base/log.hpp"
#include "base/settings.hpp"
#include "comm/communicator.hpp"
#include "flight/recorder.hpp"

namespace xylem {

namespace {

// By SIGSTOP or a debugger. /proc/PID/stat: pid (name) state ...
bool is_stopped(std::int32_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(") ");
  return name_end != std::string::npos && name_end + 2 < text.size() &&
         (text[name_end + 2] == 'T' || text[name_end + 2] == 't');
}

// The last collective in a log that may also hold sends and receives.
std::uint32_t last_ordinal(const shm::CallLog& log) {
  std::uint32_t last = 0;
  for (const shm::CallRecord& each : log.calls) last = std::max(last, each.snapshot().ordinal);
  return last;
}

}  // namespace

const shm::CallLog& Communicator::log_of(std::uint32_t rank) const {
  return memory_->log(static_cast<int>(members_.local_place_of(rank)));
}

// Empty: it makes no sense. A record is another process's word, and nothing is taken for granted.
std::string Communicator::describe_record(const shm::CallRecord& record) const {
  if (record.collective == coll::kCollectives) return "a group of sends and receives";
  const std::size_t element_bytes = exec::type_bytes(static_cast<xylem_type>(record.type));
  if (record.collective > coll::kCollectives || element_bytes == 0) return {};
  Call call{static_cast<coll::Collective>(record.collective)};
  call.type = static_cast<xylem_type>(record.type);
  call.op = static_cast<xylem_op>(record.op);
  call.root = static_cast<std::uint32_t>(record.root);
  call.count = record.bytes / element_bytes;
  return describe(call, size());
}

// What the last wait of a rank of this host is for, if it is in one.
std::optional<std::uint32_t> Communicator::awaited_by(std::uint32_t rank) const {
  const shm::CallLog& log = log_of(rank);
  const std::uint64_t since = exec::load_acquire(log.awaiting.since);
  if (since == 0 || since < exec::load_acquire(log.left_at)) return std::nullopt;
  const std::uint32_t who = exec::load_acquire(log.awaiting.who);
  switch (static_cast<exec::AwaitedKind>(exec::load_acquire(log.awaiting.kind))) {
    case exec::AwaitedKind::rank:
      return who < size() ? std::optional(who) : std::nullopt;
    case exec::AwaitedKind::board_member:
      return who < members_.local().size() ? std::optional(members_.local()[who]) : std::nullopt;
    case exec::AwaitedKind::nobody:
      break;
  }
  return std::nullopt;
}

// Whom all wait for, as seen from this rank: of this host, one that is stopped or has not come; else the end of the chain of
// those who wait for each other, which may lie on another host.
std::uint32_t Communicator::late_rank() const {
  for (const std::uint32_t each : members_.local())
    if (each != rank() && processes_[each].pid != pid_ && is_stopped(processes_[each].pid)) return each;
  for (const std::uint32_t each : members_.local())
    if (last_ordinal(log_of(each)) < ordinal_) return each;
  std::uint32_t late = rank();
  for (std::size_t steps = members_.local().size(); steps != 0 && members_.here(late); --steps) {
    const std::optional<std::uint32_t> next = awaited_by(late);
    if (!next) break;
    late = *next;
  }
  return late;
}

// From the thread that waits, maybe on a fiber. Ranks that called different things may wait where nobody ever comes.
exec::Fault Communicator::look_around(void* context, double seconds) {
  auto& self = *static_cast<Communicator*>(context);
  for (const std::uint32_t each : self.members_.local()) {
    if (each == self.rank() || !self.parting_from(each)) continue;
    self.parted_ = each;
    return exec::Fault::mismatch;
  }
  if (const double late = settings().late_seconds; late > 0 && seconds > late) self.warn_of_late_rank();
  return exec::Fault::none;
}

void Communicator::warn_of_late_rank() {
  if (!memory_->first_to_warn(sequence_)) return;
  const std::uint32_t late = late_rank();
  std::string text = describe_record(log_.last()) + ", call " + std::to_string(sequence_) + " of this communicator of " +
                     std::to_string(size()) + " ranks: " + where(late) + " is late" + waited();
  if (!members_.here(late)) {
    text += ", or waits for a rank of its host";
  } else if (processes_[late].pid != pid_ && is_stopped(processes_[late].pid)) {
    text += ": its process " + std::to_string(processes_[late].pid) + " is stopped";
  } else if (last_ordinal(log_of(late)) < ordinal_) {
    text += ": it has not come to this call";
  }
  log::warn(text + "; waiting goes on");
  recording_.dump();
}

flight::Entry Communicator::entry(std::uint32_t rank, std::uint64_t now) const {
  const shm::CallLog& log = log_of(rank);
  const shm::CallRecord last = log.last();
  const auto ago = [&](std::uint64_t then) { return then < now ? 1e-9 * static_cast<double>(now - then) : 0; };
  flight::Entry entry{.communicator = id_, .ranks = size(), .rank = rank, .host = host_names_[members_.host_of(rank)]};
  entry.pid = processes_[rank].pid;
  entry.ended = ended_[rank];
  entry.entered = last.sequence;
  entry.left = exec::load_acquire(log.left);
  if (entry.left != 0) entry.left_ago = ago(exec::load_acquire(log.left_at));
  if (const std::optional<std::uint32_t> awaited = awaited_by(rank); awaited && entry.left < entry.entered) {
    entry.awaits = static_cast<std::int64_t>(*awaited);
    entry.waits_for = ago(exec::load_acquire(log.awaiting.since));
  }
  for (const shm::CallRecord& each : log.calls) {
    const shm::CallRecord call = each.snapshot();
    if (call.sequence != 0) entry.calls[call.sequence] = describe_record(call);
  }
  return entry;
}

std::vector<flight::Entry> Communicator::entries(const void* context) {
  const auto& self = *static_cast<const Communicator*>(context);
  const std::uint64_t now = flight::now();
  std::vector<flight::Entry> entries;
  for (const std::uint32_t each : self.members_.local()) entries.push_back(self.entry(each, now));
  return entries;
}

}  // namespace xylem
