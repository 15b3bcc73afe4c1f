// Where a communicator's kernels run on this rank's device: a stream of its own, which no work of the program waits behind,
// with what host and kernels tell each other.
#pragma once

#include <cstdint>
#include <string>

#include "cuda/kernels/kernel_call.hpp"
#include "cuda/memory.hpp"
#include "cuda/pinned.hpp"

namespace xylem::cuda {

struct LoadedKernels;

// Of one launch.
inline constexpr unsigned kMaxBlocks = 64;

class KernelStream {
 public:
  // On the device and in the context of `near`. Loads the kernels. Throws Error where they cannot run.
  explicit KernelStream(const Memory& near);
  ~KernelStream();
  KernelStream(const KernelStream&) = delete;
  KernelStream& operator=(const KernelStream&) = delete;

  const Memory& near() const { return near_; }
  CUstream_st* stream() const { return stream_; }

  // Fills in what the kernel reports to, and launches it in `stream`: this one, or one that is being captured. All its
  // `blocks` are resident at once, or it is refused. Throws Error; then nothing has run.
  void launch(const std::string& kernel, KernelCall call, unsigned blocks, CUstream_st* stream);

  // The context is still there.
  bool lives() const;

  // From now on there is room for `blocks` blocks of a kernel beside those of all streams that have asked for the same.
  // Kernels of several communicators that wait for other GPUs may start in another order on each: all of them must run at
  // once. Throws Error where there is no room left.
  void reserve(unsigned blocks);

  // As many blocks as can be resident at once.
  unsigned room(const std::string& kernel) const;

  // What a block of a kernel met, if any did; told once.
  KernelReport take_fault();

 private:
  // In memory that host and device write.
  struct Shared {
    std::uint32_t abort_word = 0;
    KernelReport reports[kMaxBlocks];
  };

  Memory near_;
  const LoadedKernels* kernels_ = nullptr;
  CUstream_st* stream_ = nullptr;
  int multiprocessors_ = 0;
  unsigned reserved_ = 0;  // blocks
  PinnedMemory shared_;
  Shared* on_device_ = nullptr;
};

}  // namespace xylem::cuda
