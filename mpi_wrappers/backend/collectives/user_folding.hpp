// A call that reduces with an operation of the program, on Xylem, in whatever form the program called it. Arguments:
// collectives/reduce.hpp. Xylem only moves the contributions; the thread of the program that learns of their arrival calls
// the operation, in the order of ranks.
//
// Either every rank gets all it needs in one exchange, or each folds a part of the vector and a second exchange hands on what
// came of it. The second way moves and keeps no more than two vectors however many ranks there are, but the program's thread
// is needed in the midst of it. A nonblocking call must also end while that is elsewhere, so it has the first way only.
#pragma once

#include <memory>
#include <numeric>
#include <vector>

#include "backend/collectives/contributions.hpp"
#include "backend/collectives/reduce.hpp"
#include "backend/collectives/reduction_arguments.hpp"
#include "backend/collectives/xylem_call.hpp"
#include "backend/errors.hpp"
#include "backend/host_copy.hpp"
#include "backend/packing.hpp"
#include "backend/reason.hpp"
#include "backend/user_operations.hpp"

namespace xylem::preload {

template <class Arguments>
class UserFolding {
 public:
  UserFolding(const Arguments& arguments, const Communicator& comm)
      : arguments_(arguments),
        peers_(Peers::of(comm, root_of(arguments))),
        comm_(comm.xylem),
        operation_(find_user_operation(arguments.op)),
        layout_(arguments.datatype) {}

  // Why the call is handed down.
  Reason reason() const {
    const bool bottom = !layout_.dense();
    const bool wrong = operation_ == nullptr || !layout_.usable() || is_wrong(arguments_, peers_, bottom);
    return wrong ? Reason::bad_argument : Reason::none;
  }
  // The same for a call that goes on after the program's has returned.
  Reason reason_later() const {
    const Reason why = reason();
    return why == Reason::none && !kScatters && bytes_of_all() > kMostLater ? Reason::user_operation : why;
  }

  // Of the signature of this rank's input.
  std::size_t bytes() const { return layout_.bytes(arguments_.elements(peers_)); }

  void keep() {
    later_ = true;
    counts_.keep(arguments_, peers_);
    layout_.keep();
  }

  // Runs on that communicator, of the same ranks.
  void use(xylem_comm_t comm) { comm_ = comm; }
  xylem_comm_t comm() const { return comm_; }

  // Legal order: (begin start finish)*.
  Outcome begin() {
    in_parts_ = kScatters || (!later_ && bytes_of_all() > kMostTogether);
    if (in_parts_) divide();
    const std::ptrdiff_t all = arguments_.elements(peers_);
    const EvenBlocks given = arguments_.sent(peers_), wanted = arguments_.received(peers_);
    if (const xylem_status status = out_.open(wanted); status != XYLEM_SUCCESS) return {MPI_SUCCESS, status};
    const EvenBlocks input(given.size() > 0 ? given.buffer() : wanted.buffer(), 1, all, arguments_.datatype);
    if (const xylem_status status = in_.open(input); status != XYLEM_SUCCESS) return {MPI_SUCCESS, status};
    if (const Outcome outcome = pack(all); !outcome.good()) return outcome;
    const bool folds = in_parts_ || !kRooted || peers_.is_root;
    return folds ? contributions_.open(layout_, peers_.size, in_parts_ ? parts_[own()] : all) : Outcome{};
  }
  xylem_status start(xylem_request_t* request) {
    if (in_parts_)
      return call_xylem(xylem_alltoallv, xylem_ialltoallv, request, input(), part_bytes_.data(), kNoPlaces,
                        contributions_.data(), own_bytes_.data(), kNoPlaces, XYLEM_BYTE, comm_);
    if constexpr (kRooted)
      return call_xylem(xylem_gather, xylem_igather, request, input(), contributions_.data(), bytes(), XYLEM_BYTE,
                        arguments_.root, comm_);
    else
      return call_xylem(xylem_allgather, xylem_iallgather, request, input(), contributions_.data(), bytes(), XYLEM_BYTE,
                        comm_);
  }
  Outcome finish(xylem_status status) {
    packed_.reset();
    const Outcome outcome = status != XYLEM_SUCCESS   ? Outcome{MPI_SUCCESS, status}
                            : in_parts_ && !kScatters ? finish_parts()
                                                      : finish_whole();
    contributions_ = {};
    return outcome;
  }

 private:
  static constexpr Collective kCollective = Arguments::kCollective;
  static constexpr bool kRooted = kCollective == Collective::reduce;
  static constexpr bool kScatters =
      kCollective == Collective::reduce_scatter || kCollective == Collective::reduce_scatter_block;
  static constexpr bool kScans = kCollective == Collective::scan || kCollective == Collective::exscan;
  static constexpr const std::size_t* kNoPlaces = nullptr;
  // Bytes of the vectors of all ranks: up to this, one exchange is faster than two; a call that goes on keeps no more.
  static constexpr std::size_t kMostTogether = std::size_t{64} << 10;
  static constexpr std::size_t kMostLater = std::size_t{16} << 20;

  std::size_t own() const { return static_cast<std::size_t>(peers_.rank); }
  std::size_t bytes_of_all() const { return bytes() * static_cast<std::size_t>(peers_.size); }
  // Before which contribution this rank's result ends.
  int last_contribution() const {
    if (kCollective == Collective::scan) return peers_.rank + 1;
    return kCollective == Collective::exscan ? peers_.rank : peers_.size;
  }
  const std::byte* input() const { return packed_ != nullptr ? packed_.get() : in_.address(); }

  // How many elements each rank folds.
  void divide() {
    const auto ranks = static_cast<std::size_t>(peers_.size);
    parts_.resize(ranks);
    part_bytes_.resize(ranks);
    const std::ptrdiff_t all = arguments_.elements(peers_);
    for (std::size_t r = 0; r < ranks; ++r) {
      if constexpr (kHasRecvcounts<Arguments>)
        parts_[r] = arguments_.recvcounts[r];
      else
        parts_[r] = all / peers_.size + (static_cast<std::ptrdiff_t>(r) < all % peers_.size ? 1 : 0);
      part_bytes_[r] = layout_.bytes(parts_[r]);
    }
    own_bytes_.assign(ranks, part_bytes_[own()]);
  }

  Outcome pack(std::ptrdiff_t elements) {
    if (layout_.dense() || layout_.bytes(elements) == 0) return {};
    packed_ = scratch(layout_.bytes(elements));
    if (packed_ == nullptr) return {MPI_ERR_NO_MEM};
    return {layout_.pack(in_.address(), elements, packed_.get())};
  }

  Outcome fold(int first, int last) {
    return contributions_.fold(layout_, arguments_.datatype, operation_->get(), first, last);
  }

  Outcome deliver(const std::byte* packed, std::ptrdiff_t elements) {
    if (layout_.bytes(elements) == 0) return {};
    if (const int code = layout_.unpack(packed, out_.address(), elements); code != MPI_SUCCESS) return {code};
    return {MPI_SUCCESS, out_.bring_back()};
  }

  // What this rank has is all of its result.
  Outcome finish_whole() {
    const int last = in_parts_ ? peers_.size : last_contribution();
    if (contributions_.data() == nullptr || last == 0) return {};
    if (const Outcome outcome = fold(last - 1, last); !outcome.good()) return outcome;
    return deliver(contributions_.data(last - 1), in_parts_ ? parts_[own()] : arguments_.elements(peers_));
  }

  // The second exchange.
  Outcome finish_parts() {
    const int size = peers_.size;
    const Scratch result = scratch(bytes());
    const Outcome folded = result != nullptr ? fold(kScans ? 0 : size - 1, size) : Outcome{MPI_ERR_NO_MEM};
    if (!or_give_up(comm_, folded).good()) return folded;
    xylem_status status = XYLEM_SUCCESS;
    const std::byte* const mine = contributions_.data(size - 1);
    if constexpr (kScans)
      status = exchange_prefixes(result.get());
    else if constexpr (kRooted)
      status = xylem_gatherv(mine, contributions_.bytes(), result.get(), part_bytes_.data(), kNoPlaces, XYLEM_BYTE,
                             arguments_.root, comm_, XYLEM_STREAM_NONE);
    else
      status = xylem_allgatherv(mine, contributions_.bytes(), result.get(), part_bytes_.data(), kNoPlaces, XYLEM_BYTE, comm_,
                                XYLEM_STREAM_NONE);
    if (status != XYLEM_SUCCESS) return {MPI_SUCCESS, status};
    const bool receives = last_contribution() > 0 && (!kRooted || peers_.is_root);
    return receives ? deliver(result.get(), arguments_.elements(peers_)) : Outcome{};
  }

  // Each rank gets its own prefix of all parts; of an exscan, the one before.
  xylem_status exchange_prefixes(std::byte* result) {
    std::vector<std::size_t>& sent = own_bytes_;
    if (kCollective == Collective::exscan) sent[0] = 0;
    if (last_contribution() == 0) part_bytes_.assign(part_bytes_.size(), 0);
    return xylem_alltoallv(contributions_.data(), sent.data(), kNoPlaces, result, part_bytes_.data(), kNoPlaces, XYLEM_BYTE,
                           comm_, XYLEM_STREAM_NONE);
  }

  Arguments arguments_;
  [[no_unique_address]] KeptCounts<Arguments> counts_;
  Peers peers_;
  xylem_comm_t comm_;
  std::shared_ptr<UserOperation> operation_;
  Layout layout_;
  bool later_ = false;
  bool in_parts_ = false;
  std::vector<std::ptrdiff_t> parts_;
  std::vector<std::size_t> part_bytes_, own_bytes_;
  HostCopy in_, out_;
  Scratch packed_;
  Contributions contributions_;
};

}  // namespace xylem::preload
