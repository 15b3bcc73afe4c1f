// Streams being captured: what is put on them becomes a graph instead of being done.
#include <algorithm>

#include "driver/driver.hpp"

namespace cuda_emu {
namespace {

// cuThreadExchangeStreamCaptureMode: what this thread is held to.
thread_local CUstreamCaptureMode thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

template <class Visit>
void for_each_captured_stream(Driver& driver, Visit visit) {
  const auto consider = [&](CUstream_st& stream) {
    if (stream.capture) visit(stream);
  };
  driver.streams.for_each(consider);
  driver.contexts.for_each([&](CUctx_st& context) {
    for (const auto& [thread, stream] : context.thread_streams) consider(*stream);
  });
}

// Nodes that no other node depends on must all have come back to the stream that the capture began in.
bool joined(const Capture& capture, const std::set<std::size_t>& tail) {
  std::set<std::size_t> leaves;
  for (std::size_t node = 0; node < capture.nodes.size(); ++node) leaves.insert(node);
  for (const GraphNode& node : capture.nodes) {
    for (const std::size_t before : node.after) leaves.erase(before);
  }
  return std::ranges::includes(tail, leaves);
}

CUresult capture_info(CUstream handle, CUstreamCaptureStatus* status, cuuint64_t* id) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    require(status != nullptr);
    const CUstream_st& stream = stream_of(driver, context, handle);
    *status = CU_STREAM_CAPTURE_STATUS_NONE;
    if (!stream.capture) return;
    *status = stream.capture->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
    if (id != nullptr) *id = stream.capture->id;
  });
}

}  // namespace

void add_node(CUstream_st& stream, const Message& message, std::span<const std::byte> payload) {
  Capture& capture = *stream.capture;
  require(!capture.invalid, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  capture.nodes.push_back({message, {payload.begin(), payload.end()}, stream.capture_tail});
  stream.capture_tail = {capture.nodes.size() - 1};
}

void forbid_during_capture(Driver& driver) {
  if (thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED) return;
  bool forbidden = false;
  for_each_captured_stream(driver, [&](CUstream_st& stream) {
    Capture& capture = *stream.capture;
    const bool mine = capture.thread == std::this_thread::get_id();
    if (capture.mode == CU_STREAM_CAPTURE_MODE_RELAXED) return;
    if (!mine && (capture.mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL || thread_mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL))
      return;
    capture.invalid = true;
    forbidden = true;
  });
  require(!forbidden, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

void forbid_default_stream_during_capture(Driver& driver, CUctx_st& context) {
  bool forbidden = false;
  for_each_captured_stream(driver, [&](CUstream_st& stream) {
    if (stream.context != &context || (stream.flags & CU_STREAM_NON_BLOCKING) != 0) return;
    stream.capture->invalid = true;
    forbidden = true;
  });
  require(!forbidden, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
}

}  // namespace cuda_emu

using namespace cuda_emu;

CUresult cuStreamBeginCapture(CUstream handle, CUstreamCaptureMode mode) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    require(mode <= CU_STREAM_CAPTURE_MODE_RELAXED);
    CUstream_st& stream = stream_of(driver, context, handle);
    require(&stream != context.default_stream.get(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    require(!stream.capture, CUDA_ERROR_ILLEGAL_STATE);
    stream.capture = std::make_shared<Capture>();
    stream.capture->origin = &stream;
    stream.capture->mode = mode;
    stream.capture->thread = std::this_thread::get_id();
    stream.capture->id = driver.next_id++;
    stream.capture_tail.clear();
  });
}

CUresult cuStreamEndCapture(CUstream handle, CUgraph* graph) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    require(graph != nullptr);
    *graph = nullptr;
    CUstream_st& stream = stream_of(driver, context, handle);
    const std::shared_ptr<Capture> capture = stream.capture;
    require(capture != nullptr, CUDA_ERROR_ILLEGAL_STATE);
    require(capture->origin == &stream, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    require(capture->mode == CU_STREAM_CAPTURE_MODE_RELAXED || capture->thread == std::this_thread::get_id(),
            CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
    const std::set<std::size_t> tail = stream.capture_tail;
    for_each_captured_stream(driver, [&](CUstream_st& captured) {
      if (captured.capture == capture) captured.capture.reset();
    });
    require(!capture->invalid, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    capture->invalid = true;  // events recorded in it are of no more use
    require(joined(*capture, tail), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    auto made = std::make_unique<CUgraph_st>();
    made->nodes = std::move(capture->nodes);
    *graph = driver.graphs.add(std::move(made));
  });
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) { return capture_info(stream, status, nullptr); }

// Nodes of a capture cannot be had one by one.
CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
                                const CUgraphNode** dependencies, const CUgraphEdgeData** edges, size_t* count) {
  if (graph != nullptr || dependencies != nullptr || edges != nullptr || count != nullptr) return CUDA_ERROR_NOT_SUPPORTED;
  return capture_info(stream, status, id);
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  return enter([&](Driver& /*driver*/) {
    require(mode != nullptr && *mode <= CU_STREAM_CAPTURE_MODE_RELAXED);
    std::swap(*mode, thread_mode);
  });
}
