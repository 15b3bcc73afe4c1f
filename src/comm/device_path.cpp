#include "comm/device_path.hpp"

#include <algorithm>
#include <thread>

#include "base/log.hpp"
#include "comm/communicator.hpp"

namespace xylem {

namespace {

using coll::Collective;

// No GPU computes with these.
bool is_long_double(xylem_type type) {
  return type == XYLEM_LONG_DOUBLE || type == XYLEM_COMPLEX_LONG_DOUBLE || type == XYLEM_LONG_DOUBLE_INT;
}

bool on_channels(Collective collective) {
  const auto all = plan::catalogue();
  return std::any_of(all.begin(), all.end(), [collective](const plan::Algorithm& algorithm) {
    return algorithm.collective == collective && !algorithm.traits.board;
  });
}

// Where some GPUs are shared and there are several, a block of a call would have to be of several ranks.
bool on_shared_devices(Collective collective) {
  return collective == Collective::allreduce || collective == Collective::reduce || collective == Collective::bcast;
}

// Folded from the lowest rank on, by kernels for ranks of one GPU too.
bool in_order(Collective collective) { return collective == Collective::scan || collective == Collective::exscan; }

bool overlap(const Call& call, const BufferBytes& bytes) {
  const auto* const input = static_cast<const std::byte*>(call.input);
  const auto* const output = static_cast<const std::byte*>(call.output);
  return input < output + bytes.output && output < input + bytes.input;
}

}  // namespace

DevicePath::DevicePath(Communicator& communicator) : communicator_(communicator) {}

DevicePath::~DevicePath() {
  try {
    finish_what_runs();
  } catch (const Error&) {
    // The program has ended the context, and with it the kernels.
  }
}

std::optional<xylem_status> DevicePath::run(const Call& call) {
  if (const std::optional<Met> met = take_fault())
    return communicator_.fail(communicator_.earlier_title(), met->fault, met->rank);
  if (!may_serve(call)) return std::nullopt;
  try {
    const std::optional<xylem_status> done = run_agreed(call);
    told_input_ = {};
    told_output_ = {};
    return done;
  } catch (const DeviceAgreement::Broken&) {
    return communicator_.broken_;
  }
}

// What all ranks know alike before they have met.
bool DevicePath::may_serve(const Call& call) const {
  const coll::CollectiveFacts& facts = coll::facts(call.collective);
  const std::uint32_t ranks = communicator_.size();
  if (way_ == Way::none || call.exchange != nullptr || facts.input == coll::Buffer::none) return false;
  if (ranks > cuda::kMaxResidents || moves_nothing(call, ranks) || (facts.reduces && is_long_double(call.type))) return false;
  return way_ == Way::unknown || serves(call);
}

// What all know alike once they have.
bool DevicePath::serves(const Call& call) const {
  // What ranks of one GPU contribute is folded before all else.
  if (groups_->shared() && communicator_.settings_.reproducible && rounds(call) && !in_order(call.collective)) return false;
  if (groups_->all_on_one()) return !coll::facts(call.collective).uneven;
  return groups_->shared() ? on_shared_devices(call.collective) : on_channels(call.collective);
}

std::optional<xylem_status> DevicePath::run_agreed(const Call& call) {
  const DeviceAgreement agreement(communicator_, call);
  std::vector<Offer> offers = agreement.gather(offer(call));
  Terms terms(offers);
  if (terms.lost()) {
    forget();
    offers = agreement.gather(offer(call));
    terms = Terms(offers);
  }
  if (terms.captured_in_part()) {
    communicator_.error_ = describe(call, communicator_.size()) +
                           ": the streams of some ranks are being captured into graphs, and those of others are not";
    return XYLEM_ERROR_UNSUPPORTED;
  }
  if (terms.refused()) return std::nullopt;
  if (way_ == Way::unknown) {
    way_ = connect(agreement) ? Way::kernels : Way::none;
    if (way_ == Way::none || !serves(call)) return std::nullopt;
    // Now that it is known what has to be said.
    offers = agreement.gather(offer(call));
    terms = Terms(offers);
    if (terms.refused()) return std::nullopt;
  }
  // A graph is launched by each rank for itself: nobody would order it behind what others do.
  if (terms.captured() && groups_->shared()) return std::nullopt;
  return launch(call, offers, terms, agreement);
}

bool DevicePath::lost() const { return stream_ != nullptr && !stream_->lives(); }

// The ranks connect anew: some program has reset its device.
void DevicePath::forget() {
  finish_what_runs();
  under_way_ = false;
  way_ = Way::unknown;
  links_.reset();
  scratch_.reset();
  residents_arrived_.clear();
  finished_.reset();
  arrived_.reset();
  stream_.reset();
}

DevicePath::Terms::Terms(std::span<const Offer> offers) {
  for (const Offer& offer : offers) {
    flags |= offer.flags;
    bytes = std::max(bytes, offer.bytes);
  }
}

DevicePath::Offer DevicePath::offer(const Call& call) {
  const BufferBytes bytes = buffer_bytes(call, communicator_.rank(), communicator_.size());
  const coll::CollectiveFacts& facts = coll::facts(call.collective);
  const bool captured = call.stream != XYLEM_STREAM_NONE && cuda::state_of(call.stream) == cuda::StreamState::captured;
  Offer offer;
  offer.bytes = std::max(bytes.input, bytes.output);
  offer.flags = captured ? Offer::captured : Offer::not_captured;
  if (facts.uneven && facts.reduces && overlap(call, bytes)) offer.flags |= Offer::one_lane;
  if (lost()) {
    offer.flags |= Offer::lost | Offer::refuses;
    return offer;
  }
  try {
    if (!suits(call, bytes)) {
      offer.flags |= Offer::refuses;
      return offer;
    }
    if (way_ == Way::kernels) prepare(call, bytes, offer);
    if (call.arrived) return offer;
    if (call.stream == XYLEM_STREAM_NONE) {
      cuda::wait_for(cuda::default_stream(), stream_->near());
    } else if (!captured) {
      arrived_->record(call.stream);
    }
  } catch (const Error& error) {
    if (log::enabled(log::Level::info)) log::info(std::string("device buffers go through host memory: ") + error.what());
    offer.flags |= Offer::refuses;
  }
  return offer;
}

// Whether this rank's buffers, which are final, and its stream lie on the one device that it uses.
bool DevicePath::suits(const Call& call, const BufferBytes& bytes) {
  const auto here = [this](const void* buffer) {
    const cuda::Memory memory = cuda::memory_of(buffer);
    if (memory.kind != cuda::MemoryKind::device || !make_stream(memory)) return false;
    const cuda::Memory& near = stream_->near();
    return memory.device == near.device && (memory.context == near.context || memory.context == nullptr);
  };
  if (bytes.input != 0 && !here(call.input)) return false;
  if (bytes.output != 0 && !here(call.output)) return false;
  if (stream_ == nullptr) return false;
  return call.stream == XYLEM_STREAM_NONE || cuda::memory_of_stream(call.stream).context == stream_->near().context;
}

std::optional<xylem_status> DevicePath::launch(const Call& call, std::span<const Offer> offers, const Terms& terms,
                                               const DeviceAgreement& agreement) {
  std::string refusal;
  const auto lead = [&](auto step) {
    if (!groups_->leads() || !refusal.empty()) return;
    try {
      step();
    } catch (const Error& error) {
      refusal = error.what();
    }
  };
  lead([&] { open_buffers(offers); });
  if (groups_->shared() && !groups_->all_on_one() && agreement.any(!refusal.empty())) return leave_to_host(refusal);
  lead([&] {
    launch_kernel(call, terms);
    under_way_ = true;
  });
  // Whose kernel another rank launches must know that it has been launched; whose does not, that it never will be.
  const bool failed = groups_->shared() ? agreement.any(!refusal.empty()) : !refusal.empty();
  if (failed && groups_->all_on_one()) return leave_to_host(refusal);
  ++communicator_.sequence_;
  if (failed) {
    if (refusal.empty()) refusal = "another rank could not launch its kernel";
    return communicator_.give_up(call, XYLEM_ERROR_SYSTEM, refusal);
  }
  return conclude(call, terms);
}

// Nothing has been done, on any rank.
std::optional<xylem_status> DevicePath::leave_to_host(const std::string& refusal) {
  way_ = Way::none;
  if (!refusal.empty()) log::warn("device buffers of a communicator go through host memory from now on: " + refusal);
  return std::nullopt;
}

xylem_status DevicePath::conclude(const Call& call, const Terms& terms) {
  if (call.stream == XYLEM_STREAM_NONE) {
    const exec::Fault waiting = wait_for_kernel();
    if (const std::optional<Met> met = take_fault()) return communicator_.fail(call, met->fault, met->rank);
    if (waiting != exec::Fault::none) return communicator_.fail(call, waiting, communicator_.rank());
  } else if (!terms.captured()) {
    finished_->hold(call.stream);
  }
  if (!call.internal) communicator_.counters_.count_on_device(call.collective, own_bytes(call));
  return XYLEM_SUCCESS;
}

// What ended the wait of the host, if anything did. Throws Error where the driver reports a failure. A leader's kernels have
// ended in any case: they look at the abort word too.
exec::Fault DevicePath::wait_for_kernel() {
  const exec::Fault fault = communicator_.team_.wait([this] { return finished_->done(); });
  if (fault != exec::Fault::none) {
    communicator_.memory_->raise_abort(static_cast<std::uint32_t>(fault));
    if (!groups_->leads()) return fault;
    while (!finished_->done()) std::this_thread::yield();
  }
  under_way_ = false;
  return fault;
}

void DevicePath::finish_what_runs() {
  if (under_way_ && !lost() && wait_for_kernel() != exec::Fault::none) {
    throw Error(XYLEM_ERROR_PEER_FAILED, "a call before this one did not come to its end");
  }
}

std::optional<DevicePath::Met> DevicePath::take_fault() {
  if (!groups_ || !groups_->leads() || stream_ == nullptr || lost()) return std::nullopt;
  if (under_way_) under_way_ = !finished_->done();
  const cuda::KernelReport report = stream_->take_fault();
  if (report.fault == 0) return std::nullopt;
  return Met{static_cast<exec::Fault>(report.fault), groups_->leader(report.peer)};
}

}  // namespace xylem
