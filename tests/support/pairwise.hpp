// Samples a wide parameter space so that every pair of values of two parameters occurs in some case ("pairwise" testing): a
// fault that shows only when two parameters take certain values is met, at a small part of the price of all combinations.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace xylem::test {

// The cases, as one index per parameter, and what they cover.
template <std::size_t Parameters>
struct PairwiseSample {
  using Indices = std::array<std::size_t, Parameters>;

  std::vector<Indices> cases;
  std::size_t pairs = 0;       // of values of two parameters
  std::size_t covered = 0;     // of these, by the cases
  std::size_t impossible = 0;  // of these, in no valid case (or in none that was found)
  std::size_t combinations = 1;

  std::string summary() const {
    return std::to_string(cases.size()) + " cases of " + std::to_string(combinations) + " combinations cover " +
           std::to_string(covered) + " of " + std::to_string(pairs) + " pairs of values, " + std::to_string(impossible) +
           " exclude each other";
  }
};

// Parameter p takes the values 0 ... sizes[p] - 1. `valid(case)` says whether a combination makes sense. The sample depends
// only on the arguments, so all ranks of a program draw the same.
template <std::size_t Parameters, class Valid>
PairwiseSample<Parameters> sample_pairwise(const std::array<std::size_t, Parameters>& sizes, Valid valid, unsigned seed) {
  using Indices = typename PairwiseSample<Parameters>::Indices;
  PairwiseSample<Parameters> sample;
  std::mt19937 random(seed);

  // Values of all parameters in one numbering, so that a pair is an entry of a square table.
  std::array<std::size_t, Parameters> first{};
  std::size_t values = 0;
  for (std::size_t p = 0; p < Parameters; ++p) {
    first[p] = values;
    values += sizes[p];
    sample.combinations *= sizes[p];
  }
  std::vector<bool> done(values * values);
  const auto pair = [&](std::size_t p, std::size_t a, std::size_t q, std::size_t b) {
    return p < q ? (first[p] + a) * values + first[q] + b : (first[q] + b) * values + first[p] + a;
  };

  // Completes a case whose parameters p and q are given: each other parameter, in random order, takes the value that brings
  // the most new pairs with those set before it, or any value.
  const auto complete = [&](Indices& chosen, std::size_t p, std::size_t q, bool greedy) {
    Indices order{p, q};  // of parameters; the first `set` of them have their value
    std::size_t set = 2;
    for (std::size_t r = 0; r < Parameters; ++r)
      if (r != p && r != q) order[set++] = r;
    std::shuffle(order.begin() + 2, order.end(), random);
    for (set = 2; set < Parameters; ++set) {
      const std::size_t r = order[set];
      const std::size_t offset = random() % sizes[r];
      std::size_t best = offset, best_new = 0;
      for (std::size_t i = 0; greedy && i < sizes[r]; ++i) {
        const std::size_t value = (i + offset) % sizes[r];
        const auto fresh =
            static_cast<std::size_t>(std::count_if(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(set),
                                                   [&](std::size_t s) { return !done[pair(s, chosen[s], r, value)]; }));
        if (fresh > best_new) best = value, best_new = fresh;
      }
      // Where values exclude each other the greedy choice can be a dead end; now and then any value is taken.
      chosen[r] = random() % 4 == 0 ? offset : best;
    }
  };

  // The greedy ones take long: many of them in vain, for pairs that exclude each other, would take most of the time.
  constexpr int attempts = 400, greedy_attempts = 20;
  for (std::size_t p = 0; p < Parameters; ++p)
    for (std::size_t q = p + 1; q < Parameters; ++q)
      for (std::size_t a = 0; a < sizes[p]; ++a)
        for (std::size_t b = 0; b < sizes[q]; ++b) {
          ++sample.pairs;
          if (done[pair(p, a, q, b)]) continue;
          Indices chosen{};
          bool found = false;
          for (int attempt = 0; attempt < attempts && !found; ++attempt) {
            chosen[p] = a;
            chosen[q] = b;
            complete(chosen, p, q, attempt < greedy_attempts);
            found = valid(chosen);
          }
          if (!found) continue;
          sample.cases.push_back(chosen);
          for (std::size_t r = 0; r < Parameters; ++r)
            for (std::size_t s = r + 1; s < Parameters; ++s) done[pair(r, chosen[r], s, chosen[s])] = true;
        }
  sample.covered = static_cast<std::size_t>(std::count(done.begin(), done.end(), true));
  sample.impossible = sample.pairs - sample.covered;
  return sample;
}

}  // namespace xylem::test
