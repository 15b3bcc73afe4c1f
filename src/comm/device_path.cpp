#include "comm/device_path.hpp"

#include <set>
#include <thread>

#include "base/log.hpp"
#include "comm/communicator.hpp"
#include "cuda/kernels/kernel_name.hpp"
#include "exec/reduce.hpp"

namespace xylem {

namespace {

// A block of a kernel is worth its start from so many bytes on.
constexpr std::size_t kBytesPerBlock = 32 * 1024;

bool has_kernel(coll::Collective collective) {
  switch (collective) {
    case coll::Collective::allreduce:
    case coll::Collective::reduce:
    case coll::Collective::bcast:
    case coll::Collective::allgather:
    case coll::Collective::reduce_scatter_block:
      return true;
    default:
      return false;
  }
}

// No GPU computes with these.
bool is_long_double(xylem_type type) {
  return type == XYLEM_LONG_DOUBLE || type == XYLEM_COMPLEX_LONG_DOUBLE || type == XYLEM_LONG_DOUBLE_INT;
}

plan::Shape device_shape(std::uint32_t ranks) {
  plan::Shape shape;
  shape.ranks = shape.ranks_per_host = ranks;
  shape.slot_bytes = cuda::kDeviceSlotBytes;
  return shape;
}

// Thrown where another rank broke the communicator in an agreement: all there is to say has been said.
struct Broken {};

void tell(const std::string& text) {
  if (log::enabled(log::Level::info)) log::info(text);
}

}  // namespace

DevicePath::DevicePath(Communicator& communicator)
    : communicator_(communicator),
      planner_(device_shape(communicator.size()), communicator.settings_.algorithm, communicator.settings_.chunk_bytes) {}

std::optional<xylem_status> DevicePath::run(const Call& call) {
  // What all ranks know alike.
  const std::uint32_t ranks = communicator_.size();
  if (way_ == Way::none || !has_kernel(call.collective) || moves_nothing(call, ranks)) return std::nullopt;
  if (ranks > cuda::kMaxResidents || (coll::facts(call.collective).reduces && is_long_double(call.type))) return std::nullopt;
  try {
    if (any(!suits(call))) return std::nullopt;
    if (way_ == Way::unknown) way_ = find_way();
    if (way_ == Way::own_device) return run_on_own_device(call);
    if (way_ != Way::one_device || any(!make_card(call))) return std::nullopt;
    const xylem_status status = run_on_one_device(call);
    if (way_ == Way::none) return std::nullopt;
    return status;
  } catch (const Broken&) {
    return communicator_.broken_;
  }
}

// Whether this rank's buffers lie on the one device that it uses. They are final when this returns.
bool DevicePath::suits(const Call& call) {
  const BufferBytes bytes = buffer_bytes(call, communicator_.rank(), communicator_.size());
  const cuda::Memory input = cuda::memory_of(bytes.input == 0 ? call.output : call.input);
  const cuda::Memory output = bytes.output == 0 ? input : cuda::memory_of(call.output);
  for (const cuda::Memory* memory : {&input, &output}) {
    if (memory->kind != cuda::MemoryKind::device) return false;
    if (stream_ == nullptr && !make_stream(*memory)) return false;
    if (memory->device != stream_->near().device || memory->context != stream_->near().context) return false;
  }
  try {
    cuda::wait_for(call.stream == XYLEM_STREAM_NONE ? cuda::default_stream() : call.stream, input);
    return true;
  } catch (const Error& error) {
    tell(std::string("device buffers go through host memory: ") + error.what());
    return false;
  }
}

bool DevicePath::make_stream(const cuda::Memory& near) {
  if (no_kernels_) return false;
  try {
    stream_ = std::make_unique<cuda::KernelStream>(near);
    return true;
  } catch (const Error& error) {
    no_kernels_ = true;
    tell(std::string("kernels do not run here: ") + error.what());
    return false;
  }
}

DevicePath::Way DevicePath::find_way() {
  const std::vector<cuda::DeviceUuid> devices = gather(cuda::uuid_of(stream_->near().device));
  const std::size_t different = std::set(devices.begin(), devices.end()).size();
  if (different == 1) return Way::one_device;
  return different == devices.size() && connect() ? Way::own_device : Way::none;
}

// Collective: channels between the ranks' devices, on all ranks or on none.
bool DevicePath::connect() {
  const auto guarded = [&](auto step) {
    try {
      step();
      return true;
    } catch (const Error& error) {
      tell(std::string("no channels between devices, their buffers go through host memory: ") + error.what());
      return false;
    }
  };
  const bool made = guarded([&] {
    const std::string any_kernel = cuda::kernel_name(coll::Collective::allreduce, "ring");
    if (stream_->room(any_kernel) < cuda::kLanes) throw Error(XYLEM_ERROR_UNSUPPORTED, "the device has too few processors");
    links_ = std::make_unique<cuda::DeviceLinks>(stream_->near(), communicator_.rank(), communicator_.size(),
                                                 communicator_.memory_->abort_word());
  });
  if (any(!made)) return false;
  const std::vector<cuda::ExportedBuffer> infos = gather(links_->info());
  return !any(!guarded([&] { links_->connect(infos); }));
}

bool DevicePath::make_card(const Call& call) {
  const BufferBytes bytes = buffer_bytes(call, communicator_.rank(), communicator_.size());
  card_ = {};
  try {
    if (bytes.input != 0) card_.input = cuda::export_buffer(call.input, cuda::memory_of(call.input));
    if (bytes.output != 0) card_.output = cuda::export_buffer(call.output, cuda::memory_of(call.output));
    return true;
  } catch (const Error& error) {
    tell(std::string("device buffers go through host memory: ") + error.what());
    return false;
  }
}

cuda::KernelCall DevicePath::kernel_call(const Call& call) const {
  const coll::CollectiveFacts& facts = coll::facts(call.collective);
  cuda::KernelCall kernel;
  kernel.args.rank = communicator_.rank();
  kernel.args.ranks = communicator_.size();
  kernel.args.all = {nullptr, communicator_.rank(), communicator_.size()};
  std::vector<std::size_t> none;  // even blocks need no offsets
  set_buffers(kernel.args, call, communicator_.size(), none);
  kernel.type = facts.reduces ? call.type : XYLEM_BYTE;
  kernel.op = facts.reduces ? call.op : XYLEM_OP_COUNT;
  kernel.signature = call_signature(call, communicator_.size());
  return kernel;
}

xylem_status DevicePath::run_on_one_device(const Call& call) {
  const std::uint32_t leader = coll::facts(call.collective).rooted ? call.root : 0;
  const std::vector<Card> cards = gather(card_);
  bool failed = false;
  if (communicator_.rank() == leader) {
    try {
      launch_for_all(call, cards);
    } catch (const Error& error) {
      failed = true;
      log::warn(std::string("device buffers of a communicator go through host memory from now on: ") + error.what());
    }
    if (!failed) wait_for_kernel();
  }
  if (any(failed)) {
    way_ = Way::none;
    return XYLEM_SUCCESS;
  }
  communicator_.counters_.count_on_device(call.collective, own_bytes(call));
  return XYLEM_SUCCESS;
}

// Throws Error; then nothing has been done.
void DevicePath::launch_for_all(const Call& call, const std::vector<Card>& cards) {
  const auto open = [&](const cuda::ExportedBuffer& buffer) -> std::byte* {
    return buffer.process == 0 ? nullptr : cuda::open_buffer(buffer, stream_->near());
  };
  const bool is_bcast = call.collective == coll::Collective::bcast;
  cuda::KernelCall kernel = kernel_call(call);
  kernel.residents = communicator_.size();
  kernel.folded_first = communicator_.rank();
  for (std::uint32_t rank = 0; rank < kernel.residents; ++rank) {
    kernel.resident[rank].input = is_bcast ? nullptr : open(cards[rank].input);
    kernel.resident[rank].output = open(cards[rank].output);
  }
  if (call.collective == coll::Collective::allreduce || call.collective == coll::Collective::reduce) {
    kernel.folded = kernel.args.output;
  }
  const std::string name = cuda::kernel_name(call.collective, "direct");
  const std::size_t wanted = coll::divide_up(agreed_bytes(call, communicator_.size()), kBytesPerBlock);
  stream_->launch(name, kernel, static_cast<unsigned>(coll::smaller(wanted, stream_->room(name))));
}

xylem_status DevicePath::run_on_own_device(const Call& call) {
  const std::size_t bytes = agreed_bytes(call, communicator_.size());
  cuda::KernelCall kernel = kernel_call(call);
  const plan::Plan plan = planner_.choose(call.collective, bytes, kernel.args.element_bytes);
  kernel.args.chunk_bytes = plan.chunk_bytes;
  kernel.args.scratch = links_->scratch();
  kernel.scratch_stride = cuda::kDeviceSlotBytes;
  kernel.endpoints = links_->endpoints();
  kernel.abort_word = links_->abort_word();
  const std::string name = cuda::kernel_name(call.collective, plan::catalogue()[plan.algorithm].name);
  const std::size_t blocks = coll::smaller(coll::divide_up(bytes, kBytesPerBlock), cuda::kLanes);
  // Others may have launched theirs: an Error from here on ends the communicator, and with it their kernels.
  stream_->launch(name, kernel, static_cast<unsigned>(blocks));
  const exec::Fault waiting = wait_for_kernel();
  const cuda::KernelReport met = stream_->take_fault();
  if (met.fault != 0) return communicator_.fail(call, static_cast<exec::Fault>(met.fault), met.peer);
  if (waiting != exec::Fault::none) return communicator_.fail(call, waiting, communicator_.rank());
  // All kernels have ended: no rank frees its channels while another's kernel still writes there.
  any(false);
  communicator_.counters_.count_on_device(call.collective, own_bytes(call));
  return XYLEM_SUCCESS;
}

// What ended the wait of the host, if anything did; the kernel has ended in any case. Throws Error where it failed.
exec::Fault DevicePath::wait_for_kernel() {
  exec::Fault fault = exec::Fault::none;
  communicator_.waiter_.start();
  while (stream_->busy()) {
    if (fault != exec::Fault::none) {
      std::this_thread::yield();
      continue;
    }
    fault = communicator_.waiter_.pause();
    // Kernels look at this word too.
    if (fault != exec::Fault::none) communicator_.memory_->raise_abort(static_cast<std::uint32_t>(fault));
  }
  return fault;
}

// Whether any rank says so. Throws Broken.
bool DevicePath::any(bool here) {
  const std::uint64_t mine = here ? 1 : 0;
  std::uint64_t all = 0;
  const Call agreement{.collective = coll::Collective::allreduce,
                       .input = &mine,
                       .output = &all,
                       .count = 1,
                       .type = XYLEM_UINT64,
                       .op = XYLEM_BOR,
                       .internal = true};
  if (communicator_.run_on_host(agreement) != XYLEM_SUCCESS) throw Broken{};
  return all != 0;
}

// Throws Broken.
template <class T>
std::vector<T> DevicePath::gather(const T& mine) {
  std::vector<T> all(communicator_.size());
  const Call exchange{.collective = coll::Collective::allgather,
                      .input = &mine,
                      .output = all.data(),
                      .count = sizeof mine,
                      .internal = true};
  if (communicator_.run_on_host(exchange) != XYLEM_SUCCESS) throw Broken{};
  return all;
}

}  // namespace xylem
