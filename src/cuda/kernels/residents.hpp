// What a block does for the ranks that share its GPU (cuda/kernels/kernel_call.hpp).
#pragma once

#include "cuda/kernels/block_arithmetic.hpp"
#include "cuda/kernels/kernel_call.hpp"

namespace xylem::cuda {

// A block goes through its part in pieces that stay in the GPU's caches while they are folded and copied.
inline constexpr std::size_t kPieceBytes = 64 * 1024;

template <class Piece>
XYLEM_HD void for_each_piece(std::size_t bytes, Piece piece) {
  for (std::size_t at = 0; at < bytes; at += kPieceBytes) piece(at, bytes - at < kPieceBytes ? bytes - at : kPieceBytes);
}

template <class Team>
class Residents {
 public:
  XYLEM_HD Residents(Team& team, const KernelCall& call) : team_(team), call_(call), arithmetic_(BlockArithmetic::of(call)) {}

  XYLEM_HD std::uint32_t count() const { return call_.residents; }
  XYLEM_HD const Resident& at(std::uint32_t i) const { return call_.resident[i]; }

  XYLEM_HD_CALLED void copy(std::byte* out, const std::byte* in, std::size_t bytes) {
    if (out == in) return;
    team_.sync();  // a thread may have written what another one reads now
    arithmetic_.copy(team_, {out, bytes}, {in, bytes});
  }

  // a_out <- b_in and b_out <- a_in, where an output may be the input of the same name.
  XYLEM_HD_CALLED void exchange(std::byte* a_out, const std::byte* a_in, std::byte* b_out, const std::byte* b_in,
                                std::size_t bytes) {
    team_.sync();
    exchange_shared(BlockArithmetic::share_of(team_), a_out, a_in, b_out, b_in, bytes);
  }

  // out <- left op right; out may be either.
  XYLEM_HD_CALLED void reduce(std::byte* out, const std::byte* left, const std::byte* right, std::size_t bytes) {
    team_.sync();
    arithmetic_.reduce(team_, {out, bytes}, {left, bytes}, {right, bytes});
  }

  // out <- the fold of all inputs, from `skip` on. It begins with resident `first`, in whose input `out` may lie; the others
  // follow in rank order.
  XYLEM_HD_CALLED void fold(std::uint32_t first, std::byte* out, std::size_t skip, std::size_t bytes) {
    const std::byte* left = at(first).input + skip;
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (i == first) continue;
      reduce(out, left, at(i).input + skip, bytes);
      left = out;
    }
    if (left != out) copy(out, left, bytes);
  }

  // The residents' outputs <- args.output, from `skip` on.
  XYLEM_HD_CALLED void spread(std::size_t skip, std::size_t bytes) {
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (at(i).output != nullptr) copy(at(i).output + skip, call_.args.output + skip, bytes);
    }
  }

 private:
  Team& team_;
  const KernelCall& call_;
  BlockArithmetic arithmetic_;
};

}  // namespace xylem::cuda
