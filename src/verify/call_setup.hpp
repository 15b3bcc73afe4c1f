// One rank's side of a call to be proved: its arguments over buffers that are names (recorder.hpp), what is in them before
// the call, and what must be in them after it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "coll/collective.hpp"
#include "comm/members.hpp"
#include "verify/machine.hpp"

namespace xylem::verify {

// One of the calls that follow each other.
struct CallSpec {
  std::uint32_t algorithm = 0;  // in plan::catalogue()
  std::uint64_t count = 0;      // elements of the vector or of a block; where blocks differ, about as many
  std::uint64_t chunk = 1;      // elements in a slot or board buffer
  std::uint32_t root = 0;
  bool in_place = false;
  std::uint32_t lanes = 1;                  // that the call is cut into; they run one after the other
  bool by_rank = false;                     // as where sums shall be reproducible: Args::all is the ranks in their own order
  std::uint64_t loan = coll::Loans::kNone;  // elements of the shortest block that is lent, either way, on one host
  bool refuses = false;                     // nobody can read what is lent
};

class CallSetup {
 public:
  // `host_of` by rank; `parts` of the hosts too, or none.
  CallSetup(const CallSpec& call, const std::vector<std::uint32_t>& host_of, std::span<const topo::Locality> parts,
            std::uint32_t rank);
  CallSetup(const CallSetup&) = delete;
  CallSetup& operator=(const CallSetup&) = delete;

  // An element is one byte. Of one lane, or of a call that is not cut.
  coll::Args args(std::uint32_t lane) const;

  // The buffers before call `number` of a row.
  Machine::Buffers before(Terms& terms, std::uint32_t number) const;

  // What is wrong with the output after the call.
  std::optional<std::string> wrong(const Terms& terms, const std::vector<Term>& output, std::uint32_t number) const;

 private:
  // Blocks of a buffer, by rank.
  struct Layout {
    std::vector<std::size_t> lengths, offsets;
    std::size_t size = 0;  // of the buffer
    coll::Blocks blocks;
  };

  Layout layout(coll::Buffer kind, bool sent) const;
  std::size_t length(std::uint32_t from, std::uint32_t to) const;
  bool canonical() const;
  bool alone_in(bool only_root) const { return only_root && rank_ != call_.root; }

  CallSpec call_;
  coll::Collective collective_;
  std::uint32_t rank_;
  Members members_;
  bool in_place_;
  Layout sent_, received_;
  std::size_t input_at_ = 0;   // in the output buffer, where the input lies in it
  std::size_t output_at_ = 0;  // in the output buffer
  coll::Args args_;
};

}  // namespace xylem::verify
