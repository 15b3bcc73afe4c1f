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
    : call_(call),
      has_stream_(call.stream != XYLEM_STREAM_NONE),
      stream_(has_stream_ ? call.stream : cuda::default_stream()) {
  if (has_stream_) stream_memory_ = cuda::memory_of_stream(stream_);
  if (bytes.input != 0) input_.memory = cuda::memory_of(call.input);
  if (bytes.output != 0) output_.memory = cuda::memory_of(call.output);
  if (has_stream_) {
    cuda::wait_for(stream_, stream_memory_);
  } else {
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
    cuda::copy(input_.copy.data(), call.input, bytes.input, home(input_.memory), stream_);
    call_.input = input_.copy.data();
    // A root's buffer is both in a bcast; it is only read.
    if (call.output == call.input && bytes.output == 0) call_.output = input_.copy.data();
  }
  if (output_on_device()) {
    output_.copy = cuda::PinnedMemory(bytes.output, output_.memory);
    if (bytes.output_has_gaps) cuda::copy(output_.copy.data(), call.output, bytes.output, home(output_.memory), stream_);
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
  std::byte* const copy = output_.copy.data();
  if (bytes.output_has_gaps) cuda::copy(copy + (output - begin), output, bytes.output, home(output_.memory), stream_);
  cuda::copy(copy + (input - begin), input, bytes.input, home(output_.memory), stream_);
  call_.input = copy + (input - begin);
  call_.output = copy + (output - begin);
}

// The CPU must not look at managed memory before the program's work on it is done.
void StagedCall::wait_for_managed() const {
  for (const Side* side : {&input_, &output_}) {
    if (side->memory.kind == cuda::MemoryKind::managed) return cuda::wait_for(stream_, side->memory);
  }
}

void StagedCall::copy_back() const {
  if (result_ != nullptr) cuda::copy(result_, call_.output, result_bytes_, home(output_.memory), stream_);
}

}  // namespace xylem
