// From handles of the MPI (integers or pointers) to values, for small sets that are filled once: no lock, no allocation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace xylem::preload {

template <class Handle, class Value, std::size_t capacity>
class HandleMap {
  static_assert((capacity & (capacity - 1)) == 0, "a power of two");

 public:
  // The last value set for a handle counts. At most half of the capacity is to be used.
  void set(Handle handle, const Value& value) {
    std::size_t i = start(handle);
    while (slots_[i].used && slots_[i].handle != handle) i = next(i);
    slots_[i] = {handle, value, true};
  }

  // Null: not there.
  const Value* find(Handle handle) const {
    for (std::size_t i = start(handle); slots_[i].used; i = next(i))
      if (slots_[i].handle == handle) return &slots_[i].value;
    return nullptr;
  }

 private:
  struct Slot {
    Handle handle;
    Value value;
    bool used;
  };

  static std::size_t start(Handle handle) {
    const auto bits = static_cast<std::uint64_t>((std::uintptr_t)handle);
    return static_cast<std::size_t>((bits * 0x9e3779b97f4a7c15u) >> 32) % capacity;
  }
  static std::size_t next(std::size_t i) { return (i + 1) % capacity; }

  std::array<Slot, capacity> slots_{};
};

}  // namespace xylem::preload
