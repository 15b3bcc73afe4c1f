#include "comm/device_hosts.hpp"

#include "base/log.hpp"
#include "comm/staging.hpp"

namespace xylem {

namespace {

using coll::Collective;

// Below, the rounds of the hosts cost more than what they save.
constexpr std::size_t kFewestBytes = std::size_t{64} * 1024;

}  // namespace

std::optional<xylem_status> DeviceHosts::run(const Call& call) {
  if (way_ == Way::none || !serves(call)) return std::nullopt;
  try {
    const DeviceAgreement agreement(communicator_, call);
    if (agreement.any(!suits(call))) return std::nullopt;
    if (way_ == Way::unknown) way_ = split(agreement) ? Way::by_host : Way::none;
    if (way_ == Way::none) return std::nullopt;
  } catch (const DeviceAgreement::Broken&) {
    return communicator_.broken_;
  }
  ++communicator_.sequence_;
  try {
    if (call.collective == Collective::allreduce) allreduce(call);
    if (call.collective == Collective::reduce) reduce(call);
    if (call.collective == Collective::bcast) bcast(call);
  } catch (const Error& error) {
    return give_up(communicator_.title(call), error.code(), error.what());
  }
  communicator_.counters_.count_on_device(call.collective, own_bytes(call));
  if (leads()) communicator_.counters_.count_staged();
  return XYLEM_SUCCESS;
}

// What all ranks know alike.
bool DeviceHosts::serves(const Call& call) const {
  const Members& members = communicator_.members_;
  const bool vector = call.collective == Collective::allreduce || call.collective == Collective::reduce ||
                      call.collective == Collective::bcast;
  if (!vector || call.internal || call.exchange != nullptr || agreed_bytes(call, members.size()) < kFewestBytes) return false;
  // What the ranks of a host contribute is folded before all else.
  if (communicator_.settings_.reproducible && rounds(call)) return false;
  return members.local_place_of(call.root) == 0;
}

bool DeviceHosts::suits(const Call& call) const {
  const BufferBytes bytes = buffer_bytes(call, communicator_.rank(), communicator_.size());
  const auto elsewhere = [](const void* buffer, std::size_t length) {
    return length != 0 && cuda::memory_of(buffer).kind != cuda::MemoryKind::device;
  };
  if (elsewhere(call.input, bytes.input) || elsewhere(call.output, bytes.output)) return false;
  return call.stream == XYLEM_STREAM_NONE || cuda::state_of(call.stream) == cuda::StreamState::ready;
}

// Collective: on all ranks or on none. Both splits are made by every rank, for the first may have failed on some hosts only.
bool DeviceHosts::split(const DeviceAgreement& agreement) {
  const Members& members = communicator_.members_;
  bool failed = false;
  const auto part = [&](int color) -> std::unique_ptr<Communicator> {
    try {
      return communicator_.split(color, 0);
    } catch (const Error& error) {
      failed = true;
      if (log::enabled(log::Level::info)) log::info(std::string("each rank stages its device buffers: ") + error.what());
      return nullptr;
    }
  };
  std::unique_ptr<Communicator> local = part(static_cast<int>(members.host_of(members.rank())));
  std::unique_ptr<Communicator> leaders = part(members.local_place() == 0 ? 0 : -1);
  if (agreement.any(failed)) return false;
  {
    const std::lock_guard lock(parts_);
    local_ = std::move(local);
    leaders_ = std::move(leaders);
  }
  if (communicator_.given_up()) abort();  // which came before there were parts
  return true;
}

void DeviceHosts::allreduce(const Call& call) {
  Call between = call;
  if (!alone()) {
    Call first = call;
    first.collective = Collective::reduce;
    first.root = 0;
    run_in(*local_, first);
    between.input = call.output;
  }
  if (leads()) run_in(*leaders_, between);
  Call last = call;
  last.collective = Collective::bcast;
  last.input = call.output;
  last.root = 0;
  if (!alone()) run_in(*local_, last);
}

void DeviceHosts::reduce(const Call& call) {
  Call first = call, between = call;
  first.root = 0;
  between.root = communicator_.members_.host_of(call.root);
  if (!alone()) {
    if (leads() && communicator_.rank() != call.root) {
      const std::size_t bytes = own_bytes(call);
      if (scratch_ == nullptr || !scratch_->lives())
        scratch_ = std::make_unique<cuda::DeviceScratch>(cuda::memory_of(call.input));
      scratch_->reserve(bytes);
      first.output = scratch_->data();
    }
    run_in(*local_, first);
    between.input = first.output;
  }
  if (leads()) run_in(*leaders_, between);
}

void DeviceHosts::bcast(const Call& call) {
  Call between = call, last = call;
  between.root = communicator_.members_.host_of(call.root);
  last.root = 0;
  if (leads()) run_in(*leaders_, between);
  if (!alone()) run_in(*local_, last);
}

// Throws Error.
void DeviceHosts::run_in(Communicator& part, Call call) {
  call.internal = true;
  if (part.run(call) != XYLEM_SUCCESS) throw Error(part.broken_, part.error());
}

// Nobody shall wait for this rank in any of the communicators.
xylem_status DeviceHosts::give_up(const std::string& title, xylem_status status, const std::string& reason) {
  for (Communicator* const part : {local_.get(), leaders_.get()}) {
    if (part != nullptr && !part->given_up()) part->give_up(title, status, reason);
  }
  return communicator_.give_up(title, status, reason);
}

void DeviceHosts::abort() {
  const std::lock_guard lock(parts_);
  for (Communicator* const part : {local_.get(), leaders_.get()})
    if (part != nullptr) part->abort();
}

xylem_status DeviceHosts::check() {
  for (Communicator* const part : {local_.get(), leaders_.get()}) {
    if (part == nullptr) continue;
    if (const xylem_status status = part->check(); status != XYLEM_SUCCESS) {
      return give_up(communicator_.earlier_title(), status, part->error());
    }
  }
  return XYLEM_SUCCESS;
}

}  // namespace xylem
