// The executor's view of device and pinned memory, and what moves bytes in it.
#pragma once

#include <cstdint>
#include <vector>

#include "shared/protocol.hpp"

namespace cuda_emu {

// Reserves the part of the address space that device memory lies in. `arena` backs what comes without a file.
std::uint32_t reserve_memory(const Hello& hello, int arena);
std::uint32_t map_memory(const Mapping& mapping, int file);  // -1: the arena
std::uint32_t unmap_memory(const Mapping& mapping);

void copy_memory(const Copy& copy);
void fill_memory(const Fill& fill);

void write_value(const Value& value);
void wait_for_value(const Value& value);

}  // namespace cuda_emu
