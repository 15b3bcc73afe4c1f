// What the algorithms of a collective are tried with: places, counts, types, operations, roots, in place or not. Every pair
// of values of two of these (an algorithm is one of them) meets in some case of the sample; the long tests take products.
#pragma once

#include <iostream>
#include <map>

#include "collective_case.hpp"
#include "plan/catalogue.hpp"
#include "rank_threads.hpp"
#include "support/pairwise.hpp"

namespace xylem::test {

// What is left out takes sanitizers the longest and shows nothing new.
#if defined(__SANITIZE_THREAD__)
inline constexpr int kRanks[] = {1, 2, 3, 5};
#elif defined(__SANITIZE_ADDRESS__)
inline constexpr int kRanks[] = {1, 2, 3, 5, 8};
#else
inline constexpr int kRanks[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
#endif

struct Place {
  std::string name;
  int ranks;
  Hosts hosts;  // empty: all ranks on one
  std::size_t chunk_bytes;
};

// Numbers of ranks on one host, then the kHostPlaces of ranks on made-up hosts, so that some channels cross libfabric.
inline constexpr std::size_t kHostPlaces = 5;
inline const std::vector<Place>& places() {
  static const std::vector<Place> all = [] {
    std::vector<Place> made;
    for (const int ranks : kRanks) made.push_back({std::to_string(ranks) + "_ranks", ranks, {}, 256});
    made.push_back({"each_alone", 2, {0, 1}, 1024});
    made.push_back({"two_and_one", 3, {0, 0, 1}, 1024});
    made.push_back({"interleaved", 4, {0, 1, 0, 1}, 1024});
    made.push_back({"three_hosts", 5, {0, 1, 2, 1, 0}, 1024});
    made.push_back({"uneven", 7, {0, 0, 0, 1, 1, 2, 2}, 1024});
    return made;
  }();
  return all;
}

enum class Share { one_host, sampled_hosts, other_hosts };

// On one host all algorithms run on every number of ranks. Connecting hosts takes long: each algorithm has two of these
// places in turn, the others are for the long tests.
inline Share share_of(std::size_t algorithm, std::size_t place) {
  if (places()[place].hosts.empty()) return Share::one_host;
  if (plan::catalogue()[algorithm].traits.even_hosts) return Share::sampled_hosts;  // two of these places suit it
  const std::size_t turn = place + kHostPlaces - algorithm * 2 % kHostPlaces;
  return turn % kHostPlaces < 2 ? Share::sampled_hosts : Share::other_hosts;
}

inline bool runs_on(std::size_t algorithm, std::size_t place) {
  std::map<int, std::uint32_t> ranks_on;
  for (int rank = 0; rank < places()[place].ranks; ++rank) {
    ++ranks_on[places()[place].hosts.empty() ? 0 : places()[place].hosts[static_cast<std::size_t>(rank)]];
  }
  std::uint32_t most = 0;
  for (const auto& [host, ranks] : ranks_on) most = std::max(most, ranks);
  return coll::obstacle(plan::catalogue()[algorithm].traits, static_cast<std::uint32_t>(places()[place].ranks),
                        static_cast<std::uint32_t>(ranks_on.size()), most) == nullptr;
}

struct Kind {
  xylem_type type;
  xylem_op op;
};

inline bool is_kind(coll::Collective collective, const Kind& kind) {
  return !coll::facts(collective).reduces || exec::find_reduce(kind.op, kind.type) != nullptr;
}

// Who only moves data knows no more of a type than its size: there one stands for all of a size.
inline std::vector<xylem_type> sampled_types(coll::Collective collective) {
  std::map<std::size_t, xylem_type> by_size;
  std::vector<xylem_type> types;
  for (int t = 0; t < XYLEM_TYPE_COUNT; ++t) {
    const auto type = static_cast<xylem_type>(t);
    const bool first = by_size.emplace(exec::type_bytes(type), type).second;
    if (first || coll::facts(collective).reduces) types.push_back(type);
  }
  return types;
}

inline std::vector<Kind> kinds_of(coll::Collective collective) {
  const bool reduces = coll::facts(collective).reduces;
  std::vector<Kind> kinds;
  for (int t = 0; t < XYLEM_TYPE_COUNT; ++t) {
    const auto type = static_cast<xylem_type>(t);
    for (int o = 0; o < (reduces ? static_cast<int>(XYLEM_OP_COUNT) : 1); ++o) {
      const Kind kind{type, static_cast<xylem_op>(o)};
      if (is_kind(collective, kind)) kinds.push_back(kind);
    }
  }
  return kinds;
}

// Around every boundary of a chunk, and none.
inline constexpr std::size_t kCounts = 11;
inline std::size_t count_at(std::size_t index, const Place& place) {
  const std::size_t chunk = place.chunk_bytes / 4, many = static_cast<std::size_t>(place.ranks);
  const std::size_t counts[kCounts] = {0,         1,     2,         many - 1,         many + 1,     17,
                                       chunk - 1, chunk, chunk + 1, chunk * many + 3, chunk * 9 + 5};
  return counts[index];
}

// The cases of one algorithm at one place.
using Cases = std::vector<Case>;

class CaseSample {
 public:
  explicit CaseSample(coll::Collective collective) : cases_(plan::catalogue().size() * places().size()) {
    std::vector<std::size_t> algorithms;
    for (std::size_t i = 0; i < plan::catalogue().size(); ++i) {
      if (plan::catalogue()[i].collective == collective) algorithms.push_back(i);
    }
    const coll::CollectiveFacts& facts = coll::facts(collective);
    const std::vector<xylem_type> types = sampled_types(collective);
    const auto kind_of = [&](const auto& chosen) { return Kind{types[chosen[p_type]], static_cast<xylem_op>(chosen[p_op])}; };
    std::vector<bool> wanted(cases_.size());
    for (const std::size_t algorithm : algorithms) {
      for (std::size_t place = 0; place < places().size(); ++place) {
        wanted[at(algorithm, place)] = runs_on(algorithm, place) && share_of(algorithm, place) != Share::other_hosts;
      }
    }
    const bool data = facts.input != coll::Buffer::none;  // a barrier has no buffers
    const std::size_t operations = facts.reduces ? static_cast<std::size_t>(XYLEM_OP_COUNT) : 1;
    const auto sample = sample_pairwise<parameters>(
        {algorithms.size(), places().size(), data ? kCounts : 1, data ? types.size() : 1, operations, facts.rooted ? 9U : 1U,
         data ? 2U : 1U},
        [&](const auto& chosen) {
          return is_kind(collective, kind_of(chosen)) && wanted[at(algorithms[chosen[p_algorithm]], chosen[p_place])] &&
                 static_cast<int>(chosen[p_root]) < places()[chosen[p_place]].ranks;
        },
        1);
    std::cout << coll::collective_name(collective) << ": " << sample.summary() << std::endl;
    for (const auto& chosen : sample.cases) {
      const Kind kind = kind_of(chosen);
      Cases& cases = cases_[at(algorithms[chosen[p_algorithm]], chosen[p_place])];
      cases.push_back({count_at(chosen[p_count], places()[chosen[p_place]]), kind.type, kind.op,
                       static_cast<int>(chosen[p_root]), chosen[p_in_place] != 0, static_cast<int>(cases.size())});
    }
  }

  const Cases& of(std::size_t algorithm, std::size_t place) const { return cases_[at(algorithm, place)]; }

 private:
  enum { p_algorithm, p_place, p_count, p_type, p_op, p_root, p_in_place, parameters };
  static std::size_t at(std::size_t algorithm, std::size_t place) { return algorithm * places().size() + place; }
  std::vector<Cases> cases_;
};

inline const Cases& sampled_cases(std::size_t algorithm, std::size_t place) {
  static std::map<coll::Collective, CaseSample> samples;
  const coll::Collective collective = plan::catalogue()[algorithm].collective;
  return samples.try_emplace(collective, collective).first->second.of(algorithm, place);
}

// Every type with every operation and every count, roots and in place in turn; and every count from every root.
inline Cases all_cases(std::size_t algorithm, std::size_t place) {
  const std::vector<Kind> kinds = kinds_of(plan::catalogue()[algorithm].collective);
  const int ranks = places()[place].ranks;
  Cases cases;
  int step = 0;
  for (std::size_t index = 0; index < kCounts; ++index) {
    const std::size_t count = count_at(index, places()[place]);
    for (const Kind& kind : kinds) {
      cases.push_back({count, kind.type, kind.op, step * 5 % ranks, step % 3 == 1, step});
      ++step;
    }
    for (int root = 0; root < ranks; ++root, ++step) {
      cases.push_back({count, XYLEM_INT32, XYLEM_SUM, root, step % 2 == 0, step});
    }
  }
  return cases;
}

}  // namespace xylem::test
