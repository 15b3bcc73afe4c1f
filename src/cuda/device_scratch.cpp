#include "cuda/device_scratch.hpp"

#include <bit>

#include "base/error.hpp"
#include "cuda/context.hpp"

namespace xylem::cuda {

DeviceScratch::DeviceScratch(const Memory& near) : near_(kept(the_driver(), near)) {}

DeviceScratch::~DeviceScratch() {
  const Driver* const driver = driver_in_process();
  if (driver == nullptr) return;
  try {
    const ContextScope scope(*driver, near_);
    for (std::byte* piece : pieces_) driver->mem_free(reinterpret_cast<CUdeviceptr>(piece));
  } catch (const Error&) {
    // The program has ended the context, and with it the memory.
  }
}

bool DeviceScratch::lives() const { return cuda::lives(the_driver(), near_); }

void DeviceScratch::reserve(std::size_t bytes) {
  if (bytes <= bytes_) return;
  const ContextScope scope(the_driver(), near_);
  const std::size_t wanted = std::bit_ceil(bytes);
  pieces_.reserve(pieces_.size() + 1);
  pieces_.push_back(static_cast<std::byte*>(allocate_device(wanted)));
  bytes_ = wanted;
}

}  // namespace xylem::cuda
