#include "comm/staging.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "exec/reduce.hpp"

namespace xylem {

namespace {

// From the begin of a buffer to the end of its last block.
std::size_t extent(coll::Buffer kind, const BlockList& list, std::size_t bytes, std::size_t unit, std::uint32_t ranks) {
  if (kind != coll::Buffer::blocks) return kind == coll::Buffer::none ? 0 : bytes;
  if (list.counts == nullptr) return bytes * ranks;
  std::size_t end = 0;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    end = list.offsets == nullptr ? end + list.counts[rank] : std::max(end, list.offsets[rank] + list.counts[rank]);
  }
  return end * unit;
}

}  // namespace

BufferBytes buffer_bytes(const Call& call, std::uint32_t rank, std::uint32_t ranks) {
  const coll::CollectiveFacts& facts = coll::facts(call.collective);
  const std::size_t unit = exec::type_bytes(call.type), bytes = call.count * unit;
  const bool is_root = rank == call.root, is_bcast = call.collective == coll::Collective::bcast;
  BufferBytes all;
  if (is_root || !(is_bcast || coll::only_root_sends(call.collective))) {
    all.input = extent(facts.input, call.sent, bytes, unit, ranks);
  }
  if (is_bcast ? !is_root : is_root || !coll::only_root_receives(call.collective)) {
    all.output = extent(facts.output, call.received, bytes, unit, ranks);
    all.output_has_gaps = call.received.offsets != nullptr;
  }
  return all;
}

namespace {

bool overlap(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
  const auto* const left = static_cast<const std::byte*>(a);
  const auto* const right = static_cast<const std::byte*>(b);
  return a_bytes != 0 && b_bytes != 0 && left < right + b_bytes && right < left + a_bytes;
}

}  // namespace

StagedCall::StagedCall(const Call& call, const BufferBytes& bytes)
    : call_(call), has_stream_(call.stream != XYLEM_STREAM_NONE) {
  if (has_stream_) stream_memory_ = cuda::memory_of_stream(call.stream);
  if (bytes.input != 0) input_.memory = cuda::memory_of(call.input);
  if (bytes.output != 0) output_.memory = cuda::memory_of(call.output);
  if (has_stream_) {
    cuda::wait_for(call.stream, stream_memory_);
  } else if (!call.arrived) {
    wait_for_managed();
  }
  if (output_on_device()) {
    result_ = call.output;
    result_bytes_ = bytes.output;
  }
  if (staged() && overlap(call.input, bytes.input, call.output, bytes.output)) {
    stage_overlapping(call, bytes);
    return;
  }
  if (input_.memory.kind == cuda::MemoryKind::device) {
    input_.copy = cuda::PinnedMemory(bytes.input, input_.memory);
    copy(input_.copy.data(), call.input, bytes.input, input_.memory);
    call_.input = input_.copy.data();
    // A root's buffer is both in a bcast; it is only read.
    if (call.output == call.input && bytes.output == 0) call_.output = input_.copy.data();
  }
  if (output_on_device()) {
    output_.copy = cuda::PinnedMemory(bytes.output, output_.memory);
    if (bytes.output_has_gaps) copy(output_.copy.data(), call.output, bytes.output, output_.memory);
    call_.output = output_.copy.data();
    if (call.input == call.output && bytes.input == 0) call_.input = output_.copy.data();
  }
}

// Work in place: one copy for both, in which they lie to each other as they do on the device.
void StagedCall::stage_overlapping(const Call& call, const BufferBytes& bytes) {
  const auto* const input = static_cast<const std::byte*>(call.input);
  auto* const output = static_cast<std::byte*>(call.output);
  const std::byte* const begin = std::min<const std::byte*>(input, output);
  const std::byte* const end = std::max<const std::byte*>(input + bytes.input, output + bytes.output);
  output_.copy = cuda::PinnedMemory(static_cast<std::size_t>(end - begin), output_.memory);
  std::byte* const image = output_.copy.data();
  if (bytes.output_has_gaps) copy(image + (output - begin), output, bytes.output, output_.memory);
  copy(image + (input - begin), input, bytes.input, output_.memory);
  call_.input = image + (input - begin);
  call_.output = image + (output - begin);
}

// The CPU must not look at managed memory before the program's work on it is done.
void StagedCall::wait_for_managed() const {
  for (const Side* side : {&input_, &output_}) {
    if (side->memory.kind == cuda::MemoryKind::managed) return cuda::wait_for(cuda::default_stream(), side->memory);
  }
}

void StagedCall::copy_back() const {
  if (result_ != nullptr) copy(result_, call_.output, result_bytes_, output_.memory);
}

void StagedCall::copy(void* to, const void* from, std::size_t bytes, const cuda::Memory& memory) const {
  if (has_stream_) return cuda::copy(to, from, bytes, stream_memory_, call_.stream);
  cuda::copy(to, from, bytes, memory, call_.arrived ? cuda::copy_stream(memory) : cuda::default_stream());
}

StagedExchange::StagedExchange(const coll::Exchange& exchange) : exchange_(exchange) {
  for (coll::Message& message : exchange_.sends) stage(message, false);
  for (coll::Message& message : exchange_.receives) stage(message, true);
}

void StagedExchange::stage(coll::Message& message, bool received) {
  if (message.bytes == 0) return;
  const cuda::Memory memory = cuda::memory_of(message.data);
  if (memory.kind != cuda::MemoryKind::device) return;
  Piece piece{memory, cuda::PinnedMemory(message.bytes, memory), received ? message.data : nullptr, message.bytes};
  if (!received) cuda::copy(piece.copy.data(), message.data, message.bytes, memory, cuda::copy_stream(memory));
  message.data = piece.copy.data();
  pieces_.push_back(std::move(piece));
}

void StagedExchange::copy_back() const {
  for (const Piece& piece : pieces_) {
    if (piece.result == nullptr) continue;
    cuda::copy(piece.result, piece.copy.data(), piece.bytes, piece.memory, cuda::copy_stream(piece.memory));
  }
}

}  // namespace xylem
