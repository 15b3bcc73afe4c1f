// Contexts, and the streams that belong to them.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "shared/protocol.hpp"

namespace cuda_emu {
struct Capture;
}

struct CUstream_st {
  CUcontext context = nullptr;
  std::uint32_t slot = 0;  // its place in the memory shared with the executor
  unsigned flags = CU_STREAM_DEFAULT;
  int priority = 0;
  unsigned long long id = 0;
  std::uint32_t ordered_after_default = 0;  // the default stream's operation it was last made to wait for

  std::shared_ptr<cuda_emu::Capture> capture;  // not null: calls on it become nodes of a graph
  std::set<std::size_t> capture_tail;          // nodes that its next node depends on
};

struct CUctx_st {
  CUdevice device = 0;
  unsigned flags = 0;
  bool primary = false;
  unsigned long long id = 0;
  std::unique_ptr<CUstream_st> default_stream;                             // the legacy one
  std::map<std::thread::id, std::unique_ptr<CUstream_st>> thread_streams;  // CU_STREAM_PER_THREAD
  std::vector<cuda_emu::StreamOperation> last_of_destroyed_streams;
  std::set<CUcontext> peers;  // contexts whose memory it may use
};
