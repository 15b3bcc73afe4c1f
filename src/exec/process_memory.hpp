// Copies from the memory of another process of this host: one copy, where a slot takes two.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xylem::exec {

// False where the system does not let us, or where not all of it is memory of that process that can be read so (what a device
// driver maps, say): then what `out` holds is undefined.
bool read_process(std::int32_t process, void* out, const void* address, std::size_t bytes);

}  // namespace xylem::exec
