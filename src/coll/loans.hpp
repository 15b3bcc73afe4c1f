// A block that one rank has for one other, whole. A long one is lent: its reader copies it once, from where it is, and nobody
// hands over chunk after chunk; while a rank is kept from its core, the other is not held up. Where the system does not let
// the reader, slots carry it after all. Which blocks are long is the same on all ranks, and how long a block is, at both its
// ends.
#pragma once

#include "coll/args.hpp"

namespace xylem::coll {

// Whether a block of that length is.
template <class Lane>
XYLEM_HD bool lends_exchanged(const Args& args, std::size_t length) {
  return Lane::kLends && length >= args.loans.exchanged;
}
template <class Lane>
XYLEM_HD bool lends_one_way(const Args& args, std::size_t length) {
  return Lane::kLends && length >= args.loans.one_way;
}

// At most a chunk of a block, from `base` on.
XYLEM_HD inline exec::View part_of(exec::View block, std::size_t base, std::size_t chunk) {
  const Range part = clip(base, chunk, block.bytes);
  return {block.data + part.first, part.length};
}
XYLEM_HD inline exec::Slice part_of(exec::Slice block, std::size_t base, std::size_t chunk) {
  const Range part = clip(base, chunk, block.bytes);
  return {block.data + part.first, part.length};
}

template <class Lane>
XYLEM_HD void send_in_chunks(Lane& lane, const Args& args, exec::View block, std::uint32_t to) {
  for (std::size_t base = 0; base < block.bytes; base += args.chunk_bytes) {
    lane.send(part_of(block, base, args.chunk_bytes), to);
  }
}

// The end of a loan.
template <class Lane>
XYLEM_HD void settle_or_send(Lane& lane, const Args& args, exec::View lent, std::uint32_t to) {
  if (!lane.settle(lent, to)) send_in_chunks(lane, args, lent, to);
}

// One way.
template <class Lane>
XYLEM_HD void send_block(Lane& lane, const Args& args, exec::View block, std::uint32_t to) {
  if (!lends_one_way<Lane>(args, block.bytes)) return send_in_chunks(lane, args, block, to);
  lane.lend(block, to);
  settle_or_send(lane, args, block, to);
}

template <class Lane>
XYLEM_HD void recv_block(Lane& lane, const Args& args, std::uint32_t from, exec::Slice block) {
  if (lends_one_way<Lane>(args, block.bytes) && lane.borrow(from, block)) return;
  for (std::size_t base = 0; base < block.bytes; base += args.chunk_bytes) {
    lane.recv(from, part_of(block, base, args.chunk_bytes));
  }
}

}  // namespace xylem::coll
