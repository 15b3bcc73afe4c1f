// DevicePath: the kernel that a leader launches for the ranks of its GPU.
#include <algorithm>

#include "comm/communicator.hpp"
#include "comm/device_path.hpp"
#include "cuda/kernels/kernel_name.hpp"

namespace xylem {

namespace {

using coll::Collective;

// A block of a kernel is worth its start from so many bytes on.
constexpr std::size_t kBytesPerBlock = std::size_t{32} << 10;
constexpr std::size_t kScratchUnit = 256;
// Up to here, what flagged words save of each step's latency is worth that every word takes twice the bandwidth.
constexpr std::size_t kMostInLines = std::size_t{32} << 10;

std::size_t whole_units(std::size_t bytes) { return coll::divide_up(bytes, kScratchUnit) * kScratchUnit; }

bool folds(Collective collective) { return collective == Collective::allreduce || collective == Collective::reduce; }

}  // namespace

// Everything that may fail without harm, before the others are told that this rank takes part. Throws Error.
void DevicePath::prepare(const Call& call, const BufferBytes& bytes, Offer& offer) {
  if (groups_->residents().size() > 1) {
    const auto tell = [](const void* buffer, std::size_t length) {
      return length == 0 ? cuda::BufferExport() : cuda::BufferExport(buffer, length, cuda::memory_of(buffer));
    };
    told_input_ = tell(call.input, bytes.input);
    told_output_ = tell(call.output, bytes.output);
    offer.input = told_input_.info();
    offer.output = told_output_.info();
  }
  lane_scratch_ = folded_scratch_ = 0;
  if (groups_->all_on_one() || !groups_->leads()) return;
  coll::Args args;
  args.ranks = groups_->count();
  set_buffers(args, call, communicator_.size(), offsets_);
  plan_ = planner_->choose(call.collective, agreed_bytes(call, communicator_.size()), args.element_bytes, rounds(call));
  args.chunk_bytes = plan_.chunk_bytes;
  lane_scratch_ = whole_units(plan::catalogue()[plan_.algorithm].scratch_bytes(args));
  const bool has_place = call.collective == Collective::allreduce || groups_->of(call.root) == groups_->own();
  if (groups_->residents().size() > 1 && folds(call.collective) && !has_place) folded_scratch_ = whole_units(bytes.input);
  const std::size_t wanted = folded_scratch_ + cuda::kLanes * lane_scratch_;
  if (wanted <= scratch_->bytes()) return;
  finish_what_runs();
  scratch_->reserve(wanted);
}

// Throws Error.
void DevicePath::open_buffers(std::span<const Offer> offers) {
  buffers_.clear();
  leases_.clear();
  if (groups_->residents().size() == 1) return;
  for (const std::uint32_t rank : groups_->residents()) {
    std::byte* const input = open(offers[rank].input);
    buffers_.push_back({input, open(offers[rank].output)});
  }
}

// Where another rank's buffer lies here. Throws Error.
std::byte* DevicePath::open(const cuda::ExportedBuffer& buffer) {
  if (buffer.process == 0) return nullptr;
  if (buffer.process == cuda::this_process()) return reinterpret_cast<std::byte*>(buffer.base + buffer.offset);
  cuda::BufferLease lease = cuda::opened_buffer(buffer, stream_->near());
  if (lease == nullptr) {
    finish_what_runs();
    lease = cuda::open_buffer(buffer, stream_->near());
  }
  leases_.push_back(lease);
  return lease->address(buffer);
}

// Waits for nothing. Throws Error; then nothing has been launched.
void DevicePath::launch_kernel(const Call& call, const Terms& terms) {
  const cuda::KernelCall kernel = kernel_call(call, terms);
  const char* const algorithm = groups_->all_on_one() ? "direct" : plan::catalogue()[plan_.algorithm].name;
  const std::string name = cuda::kernel_name(call.collective, algorithm);
  const unsigned blocks = blocks_for(terms, name);
  if (terms.captured()) return stream_->launch(name, kernel, blocks, call.stream);
  if (call.stream != XYLEM_STREAM_NONE) arrived_->hold(stream_->stream());
  for (const cuda::Event& resident : residents_arrived_) resident.hold(stream_->stream());
  stream_->launch(name, kernel, blocks, stream_->stream());
  try {
    finished_->record(stream_->stream());
  } catch (const Error& error) {
    finish_unrecorded(call, error);
  }
  leases_.clear();
}

// The driver has launched a kernel and records no event behind it: who waits for the event takes the kernel for done, so here
// is waited until it is. One that waits for other GPUs is told to end first, for they may never come.
void DevicePath::finish_unrecorded(const Call& call, const Error& error) {
  if (!groups_->all_on_one()) {
    ++communicator_.sequence_;
    communicator_.give_up(call, XYLEM_ERROR_SYSTEM, error.what());
  }
  cuda::wait_for(stream_->stream(), stream_->near());
  if (!groups_->all_on_one()) throw DeviceAgreement::Broken();
}

unsigned DevicePath::blocks_for(const Terms& terms, const std::string& kernel) const {
  std::size_t most = groups_->all_on_one() ? stream_->room(kernel) : cuda::kLanes;
  if ((terms.flags & Offer::one_lane) != 0) most = 1;
  return static_cast<unsigned>(coll::smaller(coll::divide_up(std::max<std::uint64_t>(terms.bytes, 1), kBytesPerBlock), most));
}

cuda::KernelCall DevicePath::kernel_call(const Call& call, const Terms& terms) {
  const coll::CollectiveFacts& facts = coll::facts(call.collective);
  cuda::KernelCall kernel;
  kernel.args.rank = groups_->own();
  kernel.args.ranks = groups_->count();
  kernel.args.all = kernel.args.host = {nullptr, kernel.args.rank, kernel.args.ranks};
  set_buffers(kernel.args, call, communicator_.size(), offsets_);
  cuda::fill_tables(kernel, communicator_.size());
  kernel.type = facts.reduces ? call.type : XYLEM_BYTE;
  kernel.op = facts.reduces ? call.op : XYLEM_OP_COUNT;
  kernel.signature = call_signature(call, communicator_.size());
  if (groups_->residents().size() > 1) add_residents(kernel, call);
  if (!groups_->all_on_one()) {
    kernel.args.root = groups_->of(call.root);
    add_channels(kernel, terms);
  }
  return kernel;
}

void DevicePath::add_residents(cuda::KernelCall& kernel, const Call& call) {
  const bool is_bcast = call.collective == Collective::bcast;
  for (const std::uint32_t rank : groups_->residents()) {
    const std::uint32_t place = kernel.residents++;
    cuda::Resident& resident = kernel.resident[place];
    resident.output = buffers_[place].output;
    if (!is_bcast) resident.input = buffers_[place].input;
    if (!coll::facts(call.collective).rooted) {
      if (rank == communicator_.rank()) kernel.folded_first = place;
    } else if (rank == call.root) {
      // The root's buffer is what its GPU receives into, or sends from.
      kernel.args.output = is_bcast ? buffers_[place].input : resident.output;
      kernel.folded_first = place;
    }
  }
  if (is_bcast) kernel.args.input = kernel.args.output;
  if (!folds(call.collective)) return;
  kernel.folded = folded_scratch_ != 0 ? scratch_->data() : kernel.args.output;
  kernel.args.input = kernel.folded;
}

void DevicePath::add_channels(cuda::KernelCall& kernel, const Terms& terms) const {
  kernel.args.chunk_bytes = plan_.chunk_bytes;
  if (terms.bytes <= kMostInLines) {
    kernel.lines = links_->lines();
    kernel.args.chunk_bytes = std::min(plan_.chunk_bytes, cuda::kLineBytes);
  }
  kernel.args.scratch = lane_scratch_ != 0 ? scratch_->data() + folded_scratch_ : nullptr;
  kernel.scratch_stride = lane_scratch_;
  kernel.endpoints = links_->endpoints();
  kernel.abort_word = links_->abort_word();
}

}  // namespace xylem
