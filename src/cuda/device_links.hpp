// The channels between the GPUs of a communicator's ranks, where each rank has a GPU of its own: FIFOs in device memory,
// which the GPU of each sender writes directly: of slots, and of flagged words for small messages.
//
// A rank owns what is read on its device: for each lane and peer the slots and the tail of the channel from that peer, and
// the head of the channel to it. So a kernel polls memory of its own device only, and writes to others'.
//
// Use: construct, info, [allgather of the infos], connect, endpoints. One thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "coll/args.hpp"
#include "cuda/ipc.hpp"
#include "cuda/kernels/line_channel.hpp"
#include "exec/port.hpp"

namespace xylem::cuda {

// Blocks of a kernel, each with channels of its own.
inline constexpr std::uint32_t kLanes = 4;
inline constexpr std::uint32_t kDeviceSlotBytes = 128 * 1024;

class DeviceLinks {
 public:
  // This rank's part, on the device of `near`. `abort_word` lies in host memory, alone in its page or beside words of its
  // kind. `stream` is one of the device in which kernels run; it outlives this object. Throws Error.
  DeviceLinks(const Memory& near, std::uint32_t rank, std::uint32_t ranks, std::uint32_t& abort_word, CUstream_st* stream);
  // When the kernels of this rank have ended. Those of others may still write here: each rank tells the others in their
  // memory that it has gone, and memory is given back once all have. No rank waits for another.
  ~DeviceLinks();
  DeviceLinks(const DeviceLinks&) = delete;
  DeviceLinks& operator=(const DeviceLinks&) = delete;

  const ExportedBuffer& info() const { return export_.info(); }
  // `infos` by rank. Throws Error where a device cannot reach another's memory.
  void connect(std::span<const ExportedBuffer> infos);

  // As kernels see them.
  exec::Endpoints* endpoints() const;
  const LineEndpoints* lines() const;
  std::uint32_t* abort_word() const { return abort_on_device_; }

 private:
  void say_farewell() const;

  Memory near_;
  std::uint32_t rank_;
  std::uint32_t ranks_;
  CUstream_st* stream_;
  std::byte* memory_ = nullptr;
  BufferExport export_;
  struct Peer {
    OpenedBuffer opened;
    std::byte* links;
  };
  std::vector<Peer> peers_;
  void* abort_page_ = nullptr;  // registered
  std::uint32_t* abort_on_device_ = nullptr;
};

}  // namespace xylem::cuda
