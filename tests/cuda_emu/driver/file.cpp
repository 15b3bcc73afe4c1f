#include "driver/file.hpp"

#include <sys/mman.h>

#include "driver/error.hpp"

namespace cuda_emu {

File shared_memory(const char* name, std::uint64_t bytes) {
  File file(memfd_create(name, MFD_CLOEXEC));
  require(static_cast<bool>(file) && ftruncate(file.get(), static_cast<off_t>(bytes)) == 0, CUDA_ERROR_OUT_OF_MEMORY);
  return file;
}

}  // namespace cuda_emu
