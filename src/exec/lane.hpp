// The verbs that algorithms are written in, over any Port. A verb takes at most one slot from each source and fills at most
// one of each destination, so a chunk fits a slot (the plan sees to that). Chunks of no bytes move nothing: both ends know
// the length, so both skip.
#pragma once

#include <utility>

#include "exec/slice.hpp"

namespace xylem::exec {

// Up to two ranks, in a fixed order: the children of a tree node.
struct Peers {
  std::uint32_t rank[2] = {0, 0};
  std::uint32_t count = 0;

  Peers() = default;
  XYLEM_HD Peers(std::uint32_t only) : rank{only, 0}, count(1) {}  // NOLINT: one rank is a list of one
  XYLEM_HD void add(std::uint32_t peer) { rank[count++] = peer; }
};

// Which operand of a reduction is the left one: a rank's own value, or what it received.
enum class Order : std::uint8_t { own_first, received_first };

template <class Port>
class Lane {
 public:
  XYLEM_HD explicit Lane(Port& port) : port_(port) {}

  // to <- own
  XYLEM_HD_CALLED void send(View own, Peers to) {
    if (own.bytes == 0) return;
    for (std::uint32_t i = 0; i < to.count; ++i) send_one(own, to.rank[i]);
  }

  // out <- from
  XYLEM_HD void recv(Peers from, Slice out) { recv_copy_send(from, out, {}); }

  // out, to <- from
  XYLEM_HD_CALLED void recv_copy_send(Peers from, Slice out, Peers to) {
    if (out.bytes == 0) return;
    const View received = port_.begin_recv(from.rank[0], out.bytes);
    // Passed on before it is kept: the next rank waits, our own buffer does not.
    send(received, to);
    port_.copy(out, received);
    port_.end_recv(from.rank[0]);
  }

  // out <- (own op from[0]) op from[1]; a plain copy where there are no sources. Or from[1] op (from[0] op own).
  XYLEM_HD_CALLED void recv_reduce_copy(Peers from, View own, Slice out, Order order = Order::own_first) {
    if (own.bytes == 0) return;
    fold(from, own, out, order);
  }

  // to <- (own op from[0]) op from[1]
  XYLEM_HD_CALLED void recv_reduce_send(Peers from, View own, std::uint32_t to) {
    if (own.bytes == 0) return;
    // The sum is made in the outgoing slot itself.
    fold(from, own, port_.begin_send(to, own.bytes), Order::own_first);
    port_.end_send(to, own.bytes);
  }

  // out, to <- (own op from[0]) op from[1]
  XYLEM_HD_CALLED void recv_reduce_copy_send(Peers from, View own, Slice out, Peers to, Order order = Order::own_first) {
    if (own.bytes == 0) return;
    fold(from, own, out, order);
    send(out, to);
  }

  // to <- from op own; out <- from, which may be own
  XYLEM_HD_CALLED void recv_copy_reduce_send(std::uint32_t from, View own, Slice out, std::uint32_t to) {
    if (own.bytes == 0) return;
    const View received = port_.begin_recv(from, own.bytes);
    port_.reduce(port_.begin_send(to, own.bytes), received, own);
    port_.end_send(to, own.bytes);
    port_.copy(out, received);
    port_.end_recv(from);
  }

  // to <- what fill(Slice) puts into the slot; and use(View) of the slot that comes next from a rank. Neither is called where
  // a fault leaves no slot.
  template <class Fill>
  XYLEM_HD void send_with(std::uint32_t to, std::size_t bytes, Fill fill) {
    if (bytes == 0) return;
    if (const Slice slot = port_.begin_send(to, bytes); slot.data != nullptr) fill(slot);
    port_.end_send(to, bytes);
  }
  template <class Use>
  XYLEM_HD void recv_with(std::uint32_t from, std::size_t bytes, Use use) {
    if (bytes == 0) return;
    if (const View slot = port_.begin_recv(from, bytes); slot.data != nullptr) use(slot);
    port_.end_recv(from);
  }

  // Several blocks in one slot, one behind the other. block_at(i) is the i-th.
  template <class BlockAt>
  XYLEM_HD void send_blocks(std::uint32_t to, std::uint32_t blocks, BlockAt block_at) {
    send_with(to, total(blocks, block_at), [&](Slice slot) {
      for (std::uint32_t i = 0; i < blocks; ++i) {
        const View block = block_at(i);
        copy({slot.data, block.bytes}, block);
        slot.data += block.bytes;
      }
    });
  }
  template <class BlockAt>
  XYLEM_HD void recv_blocks(std::uint32_t from, std::uint32_t blocks, BlockAt block_at) {
    recv_with(from, total(blocks, block_at), [&](View slot) {
      for (std::uint32_t i = 0; i < blocks; ++i) {
        const Slice block = block_at(i);
        copy(block, {slot.data, block.bytes});
        slot.data += block.bytes;
      }
    });
  }
  // The same, each folded into the block that there is.
  template <class BlockAt>
  XYLEM_HD void recv_reduce_blocks(std::uint32_t from, std::uint32_t blocks, BlockAt block_at) {
    recv_with(from, total(blocks, block_at), [&](View slot) {
      for (std::uint32_t i = 0; i < blocks; ++i) {
        const Slice block = block_at(i);
        reduce(block, block, {slot.data, block.bytes});
        slot.data += block.bytes;
      }
    });
  }

  // Memory that its reader copies straight from its owner, however much it is (exec/port.hpp). Between lend() and settle()
  // the owner leaves it as it is. Where borrow() and settle() say false, nothing was copied, and slots have to carry it.
  static constexpr bool kLends = Port::kLends;
  XYLEM_HD void lend(View own, std::uint32_t to) {
    if constexpr (kLends) {
      if (own.bytes != 0) port_.lend(to, own);
    }
  }
  XYLEM_HD bool settle(View lent, std::uint32_t to) {
    if constexpr (kLends) return lent.bytes == 0 || port_.settle(to);
    return false;
  }
  XYLEM_HD bool borrow(std::uint32_t from, Slice out) {
    if constexpr (kLends) return out.bytes == 0 || port_.borrow(from, out);
    return false;
  }
  // What that said of the last slot from a rank.
  XYLEM_HD bool refused(std::uint32_t from, Slice out) {
    if constexpr (kLends) return out.bytes != 0 && port_.refused(from);
    return false;
  }

  // The board of the host, see exec/board.hpp. `show` is publish of a whole range.
  XYLEM_HD_CALLED void show(View own) {
    const Slice buffer = port_.begin_publish(own.bytes);
    if (own.bytes != 0) port_.copy(buffer, own);
    port_.end_publish();
  }
  // Shows `blocks` blocks, `width` bytes apart. A block may be shorter.
  template <class BlockAt>
  XYLEM_HD void show_blocks(std::uint32_t blocks, std::size_t width, BlockAt block_at) {
    const Slice buffer = port_.begin_publish(blocks * width);
    for (std::uint32_t i = 0; i < blocks; ++i) {
      const View block = block_at(i);
      copy({buffer.data + i * width, block.bytes}, block);
    }
    port_.end_publish();
  }
  XYLEM_HD View fetch(std::uint32_t member, std::size_t bytes) { return port_.fetch(member, bytes); }
  XYLEM_HD void finish(bool all_fetched) { port_.finish(all_fetched); }

  XYLEM_HD void copy(Slice out, View in) {
    if (out.bytes != 0) port_.copy(out, in);
  }
  // Copies what is not in place already.
  XYLEM_HD void keep(Slice out, View in) {
    if (out.data != in.data) copy(out, in);
  }
  XYLEM_HD void reduce(Slice out, View left, View right) {
    if (out.bytes != 0) port_.reduce(out, left, right);
  }

  // Both at the same time, each with a lane of its own: first(lane), second(lane).
  template <class First, class Second>
  XYLEM_HD void split(First first, Second second) {
    port_.split(
        [&](Port& port) {
          Lane half(port);
          first(half);
        },
        [&](Port& port) {
          Lane half(port);
          second(half);
        });
  }

 private:
  template <class BlockAt>
  static XYLEM_HD std::size_t total(std::uint32_t blocks, BlockAt block_at) {
    std::size_t bytes = 0;
    for (std::uint32_t i = 0; i < blocks; ++i) bytes += block_at(i).bytes;
    return bytes;
  }

  XYLEM_HD void send_one(View own, std::uint32_t to) {
    port_.copy(port_.begin_send(to, own.bytes), own);
    port_.end_send(to, own.bytes);
  }

  XYLEM_HD_CALLED void fold(Peers from, View own, Slice out, Order order) {
    if (from.count == 0) {
      if (out.data != own.data) port_.copy(out, own);
      return;
    }
    for (std::uint32_t i = 0; i < from.count; ++i) {
      const View received = port_.begin_recv(from.rank[i], own.bytes);
      const View sum = i == 0 ? own : View(out);
      if (order == Order::own_first) {
        port_.reduce(out, sum, received);
      } else {
        port_.reduce(out, received, sum);
      }
      port_.end_recv(from.rank[i]);
    }
  }

  Port& port_;
};

}  // namespace xylem::exec
