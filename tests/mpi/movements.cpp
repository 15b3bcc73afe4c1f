// The collectives that move blocks, in every form, in place and not, with every root, lengths that differ or are 0, and type
// maps that differ between ranks and between the two sides of one call. What a rank gets is compared element by element, and
// with it all memory that must not change.
#include <mpi.h>

#include <cstdio>
#include <string>

#include "support/forms.hpp"
#include "support/pairwise.hpp"
#include "support/type_maps.hpp"
#include "support/verdict.hpp"

using namespace xylem::test;

namespace {

enum Kind { bcast, allgather, allgatherv, gather, gatherv, scatter, scatterv, alltoall, alltoallv, alltoallw, kinds };
constexpr const char* kind_names[] = {"Bcast",   "Allgather", "Allgatherv", "Gather",    "Gatherv",
                                      "Scatter", "Scatterv",  "Alltoall",   "Alltoallv", "Alltoallw"};
constexpr std::size_t lengths[] = {0, 1, 3, 700, 20011};

enum { p_kind, p_form, p_send_map, p_receive_map, p_length, p_in_place, p_root, p_comm, parameter_count };
using Case = PairwiseSample<parameter_count>::Indices;

// Lengths and places, in items, of the blocks of a side.
struct Places {
  Places(std::size_t ranks, const MappedItems& items) : items_(items), counts(ranks), bytes(ranks), starts(ranks) {}

  void set(std::size_t rank, std::size_t length, std::size_t start) {
    lengths_.push_back(length);
    starts_.push_back(start);
    counts.set(rank, items_.count(length));
    starts.set(rank, items_.count(start));
    bytes.set(rank, items_.bytes(start));
  }
  std::size_t length(int rank) const { return lengths_[static_cast<std::size_t>(rank)]; }
  std::size_t start(int rank) const { return starts_[static_cast<std::size_t>(rank)]; }

 private:
  const MappedItems& items_;
  std::vector<std::size_t> lengths_, starts_;

 public:
  Counts counts;
  Displacements bytes, starts;
};

class Exchange {
 public:
  Exchange(const Case& chosen, MPI_Comm comm, unsigned salt) : chosen_(chosen), comm_(comm), salt_(static_cast<int>(salt)) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
    root_ = static_cast<int>(chosen[p_root]) * (size_ - 1) / 2;
  }

  std::string run();

 private:
  Kind kind() const { return static_cast<Kind>(chosen_[p_kind]); }
  Form form() const { return forms[chosen_[p_form]]; }
  bool uneven() const {
    return kind() == allgatherv || kind() == gatherv || kind() == scatterv || kind() == alltoallv || kind() == alltoallw;
  }
  bool is_root() const { return rank_ == root_; }
  // Ranks describe the same data in their own ways.
  Map map(std::size_t parameter) const {
    return static_cast<Map>((chosen_[parameter] + static_cast<std::size_t>(rank_)) % map_count);
  }
  // Items that one rank sends to another; the same both ways where calls may be in place.
  std::size_t length(int from, int to) const {
    const std::size_t length = lengths[chosen_[p_length]];
    if (!uneven()) return length;
    const int which = kind() == allgatherv || kind() == gatherv ? from : kind() == scatterv ? to : from + to;
    return which % 3 == 1 ? 0 : length + static_cast<std::size_t>(which);
  }
  int value(int from, int to, std::size_t item) const {
    return ((salt_ * 7 + from) * 11 + to) * 100003 % 1000000 + static_cast<int>(2 * item);
  }
  // Blocks lie as the kind of call wants them; where it does not care, the last first and with gaps between.
  template <class Length>
  Places places(const MappedItems& items, Length&& length_of) const {
    Places all(static_cast<std::size_t>(size_), items);
    for (int rank = 0; rank < size_; ++rank) {
      std::size_t start = 0;
      if (uneven())
        for (int later = rank + 1; later < size_; ++later) start += length_of(later) + 2;
      else
        start = static_cast<std::size_t>(rank) * length_of(rank);
      all.set(static_cast<std::size_t>(rank), length_of(rank), start);
    }
    return all;
  }
  std::size_t room() const {
    std::size_t items = 0;
    for (int from = 0; from < size_; ++from)
      for (int to = 0; to < size_; ++to) items = std::max(items, length(from, to));
    return (items + 2) * static_cast<std::size_t>(size_);
  }
  void write(MappedItems& items, std::size_t start, int from, int to) const {
    for (std::size_t i = 0; i < length(from, to); ++i) items.write(start + i, value(from, to, i));
  }
  void want(MappedItems& items, std::size_t start, int from, int to) const {
    for (std::size_t i = 0; i < length(from, to); ++i) items.want(start + i, value(from, to, i));
  }

  int broadcast(MappedItems& data);
  int gather_to(int to, MappedItems& in, MappedItems& out);
  int scatter_from_root(MappedItems& in, MappedItems& out);
  int exchange(MappedItems& in, MappedItems& out);

  Case chosen_;
  MPI_Comm comm_;
  int salt_;
  int rank_ = 0, size_ = 0, root_ = 0;
};

int Exchange::broadcast(MappedItems& data) {
  const std::size_t n = length(root_, rank_);
  if (is_root())
    write(data, 0, root_, root_);
  else
    want(data, 0, root_, root_);
  return CALL_AS(form(), Bcast, bcast, data.buffer(), data.count(n), data.type(), root_, comm_);
}

// To one rank, or to every rank: `to` is what the values say.
int Exchange::gather_to(int to, MappedItems& in, MappedItems& out) {
  const bool receives = to < 0 || is_root(), in_place = chosen_[p_in_place] != 0 && receives;
  const std::size_t n = length(rank_, to);
  const Places all = places(out, [&](int from) { return length(from, to); });
  if (in_place)
    write(out, all.start(rank_), rank_, to);
  else
    write(in, 0, rank_, to);
  for (int from = 0; from < size_ && receives; ++from) want(out, all.start(from), from, to);
  const void* const sendbuf = in_place ? MPI_IN_PLACE : in.buffer();
  const int sendcount = in.count(n), recvcount = out.count(n);
  // What means nothing on this rank may be anything.
  void* const recvbuf = receives ? out.buffer() : nullptr;
  const MPI_Datatype sendtype = in_place ? MPI_DATATYPE_NULL : in.type(),
                     recvtype = receives ? out.type() : MPI_DATATYPE_NULL;
  switch (kind()) {
    case allgather:
      return CALL_AS(form(), Allgather, allgather, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm_);
    case allgatherv:
      return CALL_AS(form(), Allgatherv, allgatherv, sendbuf, sendcount, sendtype, recvbuf, all.counts, all.starts, recvtype,
                     comm_);
    case gather:
      return CALL_AS(form(), Gather, gather, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root_, comm_);
    default:
      return CALL_AS(form(), Gatherv, gatherv, sendbuf, sendcount, sendtype, recvbuf, all.counts, all.starts, recvtype, root_,
                     comm_);
  }
}

int Exchange::scatter_from_root(MappedItems& in, MappedItems& out) {
  const bool in_place = chosen_[p_in_place] != 0 && is_root();
  const std::size_t n = length(root_, rank_);
  const Places all = places(in, [&](int to) { return length(root_, to); });
  for (int to = 0; to < size_ && is_root(); ++to) write(in, all.start(to), root_, to);
  if (!in_place) want(out, 0, root_, rank_);
  const void* const sendbuf = is_root() ? in.buffer() : nullptr;
  void* const recvbuf = in_place ? MPI_IN_PLACE : out.buffer();
  const MPI_Datatype sendtype = is_root() ? in.type() : MPI_DATATYPE_NULL,
                     recvtype = in_place ? MPI_DATATYPE_NULL : out.type();
  if (kind() == scatter)
    return CALL_AS(form(), Scatter, scatter, sendbuf, in.count(n), sendtype, recvbuf, out.count(n), recvtype, root_, comm_);
  return CALL_AS(form(), Scatterv, scatterv, sendbuf, all.counts, all.starts, sendtype, recvbuf, out.count(n), recvtype,
                 root_, comm_);
}

int Exchange::exchange(MappedItems& in, MappedItems& out) {
  const bool in_place = chosen_[p_in_place] != 0;
  const std::size_t n = length(rank_, rank_);
  const Places sent = places(in, [&](int to) { return length(rank_, to); });
  const Places received = places(out, [&](int from) { return length(from, rank_); });
  for (int peer = 0; peer < size_; ++peer) {
    if (in_place)
      write(out, received.start(peer), rank_, peer);
    else
      write(in, sent.start(peer), rank_, peer);
  }
  for (int peer = 0; peer < size_; ++peer) want(out, received.start(peer), peer, rank_);
  const void* const sendbuf = in_place ? MPI_IN_PLACE : in.buffer();
  const std::vector<MPI_Datatype> sendtypes(static_cast<std::size_t>(size_), in.type()),
      recvtypes(static_cast<std::size_t>(size_), out.type());
  switch (kind()) {
    case alltoall:
      return CALL_AS(form(), Alltoall, alltoall, sendbuf, in.count(n), in.type(), out.buffer(), out.count(n), out.type(),
                     comm_);
    case alltoallv:
      return CALL_AS(form(), Alltoallv, alltoallv, sendbuf, sent.counts, sent.starts, in.type(), out.buffer(),
                     received.counts, received.starts, out.type(), comm_);
    default:
      return CALL_AS(form(), Alltoallw, alltoallw, sendbuf, sent.counts, sent.bytes, sendtypes.data(), out.buffer(),
                     received.counts, received.bytes, recvtypes.data(), comm_);
  }
}

// What is wrong, or nothing.
std::string Exchange::run() {
  MappedItems in(map(p_send_map), room()), out(map(p_receive_map), room());
  int error = MPI_SUCCESS;
  if (kind() == bcast)
    error = broadcast(in);
  else if (kind() == allgather || kind() == allgatherv)
    error = gather_to(-1, in, out);
  else if (kind() == gather || kind() == gatherv)
    error = gather_to(root_, in, out);
  else if (kind() == scatter || kind() == scatterv)
    error = scatter_from_root(in, out);
  else
    error = exchange(in, out);
  std::string text;
  if (error != MPI_SUCCESS) text += " error " + std::to_string(error);
  if (!in.good()) text += kind() == bcast ? " wrong data" : " the send buffer changed";
  if (!out.good()) text += " wrong data";
  if (text.empty()) return text;
  return std::string(kind_names[kind()]) + form_names[chosen_[p_form]] + ", length " +
         std::to_string(lengths[chosen_[p_length]]) + ", root " + std::to_string(root_) +
         (chosen_[p_in_place] != 0 ? ", in place" : "") + ", from " + map_names[static_cast<std::size_t>(map(p_send_map))] +
         " to " + map_names[static_cast<std::size_t>(map(p_receive_map))] + ", rank " + std::to_string(rank_) + " of " +
         std::to_string(size_) + ":" + text;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm reversed;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  Verdict verdict;
  const MPI_Comm comms[] = {MPI_COMM_WORLD, reversed, MPI_COMM_SELF};
  unsigned salt = 0;
  for (unsigned turn = 0; turn < 3; ++turn) {
    const auto sample = sample_pairwise<parameter_count>(
        {kinds, std::size(forms), map_count, map_count, std::size(lengths), 2, 3, 3},
        [](const Case& chosen) { return chosen[p_kind] != bcast || chosen[p_in_place] == 0; },
        static_cast<unsigned>(size) + 100 * turn);
    if (rank == 0) std::printf("coverage: %s\n", sample.summary().c_str());
    for (const Case& chosen : sample.cases) {
      const std::string wrong = Exchange(chosen, comms[chosen[p_comm]], ++salt).run();
      verdict.check(wrong.empty(), [&] { return wrong; });
    }
  }
  MPI_Comm_free(&reversed);
  const int code = verdict.finish("movements");
  MPI_Finalize();
  return code;
}
