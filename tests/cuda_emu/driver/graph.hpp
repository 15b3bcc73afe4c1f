// Graphs, and streams being captured into them.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <thread>
#include <vector>

#include "shared/protocol.hpp"

namespace cuda_emu {

struct Driver;

struct GraphNode {
  Message message{};
  std::vector<std::byte> payload;
  std::set<std::size_t> after;  // nodes that it depends on, all of them before it in the graph
};

// One capture, which may have spread over several streams.
struct Capture {
  CUstream origin = nullptr;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  std::thread::id thread;
  unsigned long long id = 0;
  bool invalid = false;
  std::vector<GraphNode> nodes;
};

}  // namespace cuda_emu

struct CUgraph_st {
  std::vector<cuda_emu::GraphNode> nodes;
};

struct CUgraphExec_st {
  std::vector<cuda_emu::GraphNode> nodes;
  bool launched = false;
  std::uint32_t last_slot = 0, last_number = 0;  // a graph never runs beside itself
};

namespace cuda_emu {

void add_node(CUstream_st& stream, const Message& message, std::span<const std::byte> payload);

// Calls that would wait, or allocate, may not be made while this thread captures (or, in global mode, any thread does).
// The capture is then invalid. Throws Error.
void forbid_during_capture(Driver& driver);

// The legacy stream may not be used while a stream that it waits for is being captured.
void forbid_default_stream_during_capture(Driver& driver, CUctx_st& context);

}  // namespace cuda_emu
