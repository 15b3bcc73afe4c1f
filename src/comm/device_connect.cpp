// DevicePath: what is made once for a communicator, at its first call on device buffers.
#include "base/log.hpp"
#include "comm/communicator.hpp"
#include "comm/device_path.hpp"

namespace xylem {

namespace {

plan::Shape device_shape(std::uint32_t devices, bool reproducible) {
  plan::Shape shape;
  shape.reproducible = reproducible;
  shape.ranks = shape.ranks_per_host = devices;
  shape.slot_bytes = cuda::kDeviceSlotBytes;
  return shape;
}

// Whether it went well.
template <class Step>
bool guarded(const char* what, Step step) {
  try {
    step();
    return true;
  } catch (const Error& error) {
    if (log::enabled(log::Level::info)) log::info(std::string(what) + ": " + error.what());
    return false;
  }
}

}  // namespace

// On the device of `near`, this rank's first buffer on a device.
bool DevicePath::make_stream(const cuda::Memory& near) {
  if (stream_ != nullptr) return true;
  if (no_kernels_) return false;
  no_kernels_ = !guarded("kernels do not run here", [&] {
    auto stream = std::make_unique<cuda::KernelStream>(near);
    arrived_.emplace(stream->near());
    scratch_ = std::make_unique<cuda::DeviceScratch>(stream->near());
    stream_ = std::move(stream);
  });
  return !no_kernels_;
}

// Collective: on all ranks or on none.
bool DevicePath::connect(const DeviceAgreement& agreement) {
  const std::vector<cuda::DeviceUuid> devices = agreement.gather(cuda::uuid_of(stream_->near().device));
  groups_.emplace(communicator_.rank(), devices);
  if (!groups_->all_on_one() && !connect_devices(agreement)) return false;
  return exchange_events(agreement);
}

bool DevicePath::connect_devices(const DeviceAgreement& agreement) {
  constexpr const char* kFailed = "no channels between devices, their buffers go through host memory";
  const std::uint32_t devices = groups_->count();
  const AgreedSettings& settings = communicator_.settings_;
  planner_.emplace(device_shape(devices, settings.reproducible), settings.algorithm, settings.chunk_bytes);
  const bool leads = groups_->leads();
  const bool made = !leads || guarded(kFailed, [&] {
    stream_->reserve(cuda::kLanes);
    links_ = std::make_unique<cuda::DeviceLinks>(stream_->near(), groups_->own(), devices,
                                                 communicator_.memory_->abort_word(), stream_->stream());
  });
  if (agreement.any(!made)) return false;
  const std::vector<cuda::ExportedBuffer> of_ranks = agreement.gather(leads ? links_->info() : cuda::ExportedBuffer{});
  std::vector<cuda::ExportedBuffer> infos;
  for (std::uint32_t group = 0; group < devices; ++group) infos.push_back(of_ranks[groups_->leader(group)]);
  return !agreement.any(leads && !guarded(kFailed, [&] { links_->connect(infos); }));
}

bool DevicePath::exchange_events(const DeviceAgreement& agreement) {
  struct Card {
    cuda::ExportedEvent arrived, finished;
  };
  constexpr const char* kFailed = "no events between processes, device buffers go through host memory";
  const bool leads = groups_->leads(), alone = !groups_->shared();
  Card card;
  const bool made = guarded(kFailed, [&] {
    if (leads) finished_.emplace(stream_->near());
    if (alone) return;
    card.arrived = arrived_->exported();
    if (leads) card.finished = finished_->exported();
  });
  if (agreement.any(!made)) return false;
  if (alone) return true;
  const std::vector<Card> cards = agreement.gather(card);
  return !agreement.any(!guarded(kFailed, [&] {
    if (!leads) finished_.emplace(cards[groups_->own_leader()].finished, stream_->near());
    for (const std::uint32_t rank : groups_->residents()) {
      if (leads && rank != communicator_.rank()) residents_arrived_.emplace_back(cards[rank].arrived, stream_->near());
    }
  }));
}

std::vector<cuda::HeldBuffer> DevicePath::hold(const void* buffer, std::size_t bytes) {
  const Call registration{.collective = coll::Collective::barrier, .count = 1, .internal = true};
  const DeviceAgreement agreement(communicator_, registration);
  try {
    return hold_agreed(bytes == 0 ? nullptr : buffer, bytes, agreement);
  } catch (const DeviceAgreement::Broken&) {
    throw Error(communicator_.broken_, communicator_.error_);
  }
}

// The driver waits for kernels where a mapping ends: this rank does so first, in its own way.
void DevicePath::release(std::vector<cuda::HeldBuffer>& held) {
  if (!held.empty()) guarded("a registration ends while a call has failed", [&] { finish_what_runs(); });
  held.clear();
}

std::vector<cuda::HeldBuffer> DevicePath::hold_agreed(const void* buffer, std::size_t bytes,
                                                      const DeviceAgreement& agreement) {
  if (way_ == Way::none) return {};
  const cuda::Memory memory = buffer == nullptr ? cuda::Memory{} : cuda::memory_of(buffer);
  const bool on_device = memory.kind == cuda::MemoryKind::device && make_stream(memory);
  if (way_ == Way::unknown) {
    if (agreement.any(!on_device)) return {};
    way_ = connect(agreement) ? Way::kernels : Way::none;
  }
  if (way_ == Way::none || !groups_->shared()) return {};
  cuda::BufferExport own;
  if (on_device && !groups_->leads())
    guarded("a buffer is not registered", [&] { own = cuda::BufferExport(buffer, bytes, memory); });
  const std::vector<cuda::ExportedBuffer> buffers = agreement.gather(own.info());
  std::vector<cuda::HeldBuffer> held;
  for (const std::uint32_t rank : groups_->residents()) {
    if (!groups_->leads() || buffers[rank].process == 0) continue;
    finish_what_runs();
    guarded("a buffer is not registered", [&] { held.emplace_back(buffers[rank], stream_->near()); });
  }
  agreement.any(false);  // all have opened what this rank tells of
  return held;
}

}  // namespace xylem
