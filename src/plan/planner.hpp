// Which algorithm serves a call, and in what chunks. A pure function of the communicator's shape, the agreed settings and
// what MPI makes equal on all ranks of a call; so every rank decides alike.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "coll/collective.hpp"
#include "plan/catalogue.hpp"
#include "plan/rules.hpp"
#include "plan/shape.hpp"

namespace xylem::plan {

// Bytes that a block is taken to have where only two ranks know how long it is.
inline constexpr std::size_t kLikelyBlock = 4096;

struct Plan {
  std::uint32_t algorithm = 0;    // index in catalogue()
  std::uint32_t chunk_bytes = 0;  // a multiple of element_bytes is taken from it
  bool by_rank = false;           // Args::all is the ranks in their own order, not host by host
};

// One algorithm as the planner saw it.
struct Candidate {
  std::uint32_t algorithm;
  bool possible;
  std::uint32_t chunk_bytes;
  double seconds;      // predicted; 0 where it is not possible
  std::string reason;  // why it is not possible, or which rule decided
};

class Planner {
 public:
  // `forced` is XYLEM_ALGORITHM, `tuned` the tuning file's text: rules (plan/rules.hpp), of which the first that fits and can
  // run decides before the costs do. A rule that makes no sense is left out, and said in complaints(). `chunk_bytes` is
  // XYLEM_CHUNK; 0 leaves the choice to the planner.
  Planner(const Shape& shape, const std::string& forced, std::size_t chunk_bytes, const std::string& tuned = {});

  // `bytes` of the whole vector, or of all blocks of a rank, or of the root, together; of no account where not all ranks
  // know. element_bytes >= 1. `rounds`: the operation on these elements rounds, if there is one. At least two ranks.
  Plan choose(coll::Collective collective, std::size_t bytes, std::size_t element_bytes, bool rounds = true) const;

  // What choose() considered, best first.
  std::vector<Candidate> explain(coll::Collective collective, std::size_t bytes, std::size_t element_bytes,
                                 bool rounds = true) const;

  // The chunks of what goes through channels without being planned: sends and receives.
  std::uint32_t channel_chunk() const;

  const Shape& shape() const { return shape_; }
  const std::string& complaints() const { return complaints_; }

 private:
  std::uint32_t chunk_for(const Algorithm& algorithm, std::size_t most) const;
  bool canonical(coll::Collective collective, bool rounds) const {
    return shape_.reproducible && rounds && coll::facts(collective).reduces;
  }
  std::string obstacle(const Algorithm& algorithm, std::size_t element_bytes, bool rounds) const;
  void read_rules(const std::string& rules, const char* source);
  void apply_rules(std::vector<Candidate>& candidates, const coll::Workload& work) const;

  struct SourcedRule {
    Rule rule;
    const char* source;
  };

  Shape shape_;
  std::size_t chunk_limit_;
  std::vector<SourcedRule> rules_;  // that fit this shape
  std::string complaints_;
};

}  // namespace xylem::plan
