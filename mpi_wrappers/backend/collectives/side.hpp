// One side of a call that moves data, sending or receiving, on its way between the program's buffer and Xylem, which moves
// plain bytes. Blocks that lie in memory as they are sent are used in place; all others are packed before the call, or
// unpacked after it.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "backend/errors.hpp"
#include "backend/host_copy.hpp"
#include "backend/packing.hpp"
#include "xylem/xylem.h"

namespace xylem::preload {

template <class Blocks>
class Side {
 public:
  // In line, as a call of few bytes takes hardly longer than this.
  [[gnu::always_inline]] explicit Side(const Blocks& blocks) : blocks_(blocks), layouts_(make_layouts(blocks)) {
    wrong_ = !blocks.complete();
    if (wrong_) return;
    const int different = Blocks::kEven ? std::min(blocks.size(), 1) : blocks.size();
    for (int i = 0; i < different; ++i) look_at(i);
    if (!Blocks::kEven) return;
    total_ *= static_cast<std::size_t>(blocks.size());
    end_ = static_cast<std::ptrdiff_t>(total_);
  }

  static constexpr bool kEven = Blocks::kEven;

  // Whether there are blocks at all.
  bool any() const { return blocks_.size() > 0; }
  MPI_Datatype datatype(int block) const { return blocks_.datatype(block); }
  // Whether the MPI would refuse these arguments.
  bool wrong() const { return wrong_; }
  // Whether they hold anything.
  bool used() const { return total_ > 0; }
  // Bytes of the type signature of all blocks, and of one.
  std::size_t total() const { return total_; }
  std::size_t bytes(int block) const { return layout(block).bytes(std::max<std::ptrdiff_t>(blocks_.count(block), 0)); }
  const std::byte* address(int block) const { return start() + blocks_.offset(block, layout(block).extent()); }

  // Whether both are used where they are, and have bytes between their first and last ones in common.
  template <class Other>
  bool overlaps(const Side<Other>& other) const {
    if (!dense_ || !other.dense() || total_ == 0 || other.total() == 0) return false;
    return begin() < other.end() && other.begin() < end();
  }
  bool dense() const { return dense_; }
  std::uintptr_t begin() const { return reinterpret_cast<std::uintptr_t>(start()) + static_cast<std::uintptr_t>(begin_); }
  std::uintptr_t end() const { return reinterpret_cast<std::uintptr_t>(start()) + static_cast<std::uintptr_t>(end_); }

  // A block that is not moved.
  void leave_out(int block) { left_out_ = block; }
  // Bytes that the call moves of even blocks, each.
  std::size_t length() const { return left_out_ < 0 ? bytes(0) : 0; }

  // The program may free its datatypes, and the arrays that describe its blocks, from now on.
  void keep() {
    blocks_.keep();
    if constexpr (Blocks::kTyped)
      for (Layout& each : layouts_) each.keep();
    else
      layouts_.keep();
  }

  // Before a call that reads the blocks. `apart`: not where they lie, as the call writes there.
  Outcome give(bool apart) {
    list_blocks(!apart);
    return dense_ && !apart ? Outcome{} : pack(0, blocks_.size());
  }

  // Before a call that writes all blocks, and reads those from `first` to before `last`.
  Outcome expect(int first, int last) {
    list_blocks(true);
    return dense_ ? Outcome{} : pack(first, last);
  }

  // After it.
  Outcome receive() {
    if (packed_ == nullptr) return {};
    std::size_t at = 0;
    for (int i = 0; i < blocks_.size(); at += bytes(i++)) {
      if (bytes(i) == 0 || i == left_out_) continue;
      const int code = layout(i).unpack(packed_.get() + at, place(i), blocks_.count(i));
      if (code != MPI_SUCCESS) return {code};
    }
    packed_.reset();
    return {MPI_SUCCESS, copy_.bring_back()};
  }

  // What Xylem is given. Lengths and places are null where blocks are even.
  void* data() const {
    if (packed_ != nullptr) return packed_.get();
    return blocks_.buffer() == MPI_IN_PLACE ? XYLEM_IN_PLACE : start() + begin_;
  }
  const std::size_t* lengths() const { return table_.data(); }
  const std::size_t* places() const { return total_ == 0 ? nullptr : table_.data() + blocks_.size(); }

 private:
  static auto make_layouts(const Blocks& blocks) {
    if constexpr (Blocks::kTyped) {
      // A block without elements needs no datatype.
      std::vector<Layout> layouts(static_cast<std::size_t>(blocks.size()));
      if (!blocks.complete()) return layouts;
      for (int i = 0; i < blocks.size(); ++i)
        if (blocks.count(i) > 0) layouts[static_cast<std::size_t>(i)] = Layout(blocks.datatype(i));
      return layouts;
    } else {
      return blocks.size() > 0 ? Layout(blocks.datatype(0)) : Layout();
    }
  }

  const Layout& layout(int block) const {
    if constexpr (Blocks::kTyped)
      return layouts_[static_cast<std::size_t>(block)];
    else
      return layouts_;
  }

  std::byte* start() const { return static_cast<std::byte*>(blocks_.buffer()); }
  // Where the MPI packs from and unpacks to.
  std::byte* place(int block) const { return copy_.address() + blocks_.offset(block, layout(block).extent()); }

  void look_at(int i) {
    if (blocks_.count(i) < 0 || !layout(i).usable()) wrong_ = true;
    const std::size_t length = bytes(i);
    if (length == 0) return;
    if (blocks_.buffer() == MPI_IN_PLACE) wrong_ = true;
    // Elsewhere null is MPI_BOTTOM.
    if (layout(i).dense() && address(i) == nullptr) wrong_ = true;
    const std::ptrdiff_t first = blocks_.offset(i, layout(i).extent());
    const std::ptrdiff_t behind = first + static_cast<std::ptrdiff_t>(length);
    begin_ = total_ == 0 ? first : std::min(begin_, first);
    end_ = total_ == 0 ? behind : std::max(end_, behind);
    dense_ = dense_ && layout(i).dense();
    total_ += length;
  }

  void list_blocks(bool in_place) {
    if constexpr (!Blocks::kEven) {
      const auto n = static_cast<std::size_t>(blocks_.size());
      table_.assign(2 * n, 0);
      std::size_t packed = 0;
      for (int i = 0; i < blocks_.size(); ++i) {
        const std::size_t length = bytes(i);
        if (length == 0) continue;
        const auto block = static_cast<std::size_t>(i);
        const bool lies_there = in_place && dense_;
        table_[block] = i == left_out_ ? 0 : length;
        table_[n + block] = lies_there ? static_cast<std::size_t>(blocks_.offset(i, layout(i).extent()) - begin_) : packed;
        packed += length;
      }
    }
  }

  Outcome pack(int first, int last) {
    if (total_ == 0) return {};
    packed_ = scratch(total_);
    if (packed_ == nullptr) return {MPI_ERR_NO_MEM};
    if (const xylem_status status = copy_.open(blocks_, [&](int i) { return layout(i).datatype(); }); status != XYLEM_SUCCESS)
      return {MPI_SUCCESS, status};
    std::size_t at = 0;
    for (int i = 0; i < last; at += bytes(i++)) {
      if (i < first || bytes(i) == 0) continue;
      const int code = layout(i).pack(place(i), blocks_.count(i), packed_.get() + at);
      if (code != MPI_SUCCESS) return {code};
    }
    return {};
  }

  Blocks blocks_;
  std::conditional_t<Blocks::kTyped, std::vector<Layout>, Layout> layouts_;
  bool wrong_ = false;
  bool dense_ = true;  // all blocks that have elements
  std::size_t total_ = 0;
  // Of a dense side: from the first byte of its blocks, as seen from the buffer's address, to behind the last.
  std::ptrdiff_t begin_ = 0;
  std::ptrdiff_t end_ = 0;
  int left_out_ = -1;
  std::vector<std::size_t> table_;  // of uneven blocks: the length of each, then the place of each behind begin_
  HostCopy copy_;
  Scratch packed_;
};

}  // namespace xylem::preload
