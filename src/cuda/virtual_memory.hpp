// Memory that a program made with cuMemCreate and mapped: it has no IPC handle, and crosses processes as a file descriptor.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/driver.hpp"
#include "cuda/file.hpp"

namespace xylem::cuda {

// Where a file of another process is found.
struct FileOfProcess {
  std::int32_t process;  // its pid
  std::int32_t descriptor;
};

// Whether memory that begins at `base` is mapped memory. All of these need a current context.
bool is_mapped(const Driver& driver, CUdeviceptr base);

// Of the memory mapped at `base`. It holds that memory. Throws Error where the program has not made it for this.
File export_mapping(const Driver& driver, CUdeviceptr base);

// Maps such memory of another process for a device of this one. Throws Error; where the system forbids to take files of other
// processes, too.
CUdeviceptr import_mapping(const Driver& driver, const FileOfProcess& there, std::size_t bytes, int device);
void unmap(const Driver& driver, CUdeviceptr base, std::size_t bytes);

}  // namespace xylem::cuda
