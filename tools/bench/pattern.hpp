// Inputs whose reductions are exact, and a check of the results that is fast enough to look at every element of every call.
//
// Element i of rank r in call c is entry (i + 17 r + c) modulo 251 of a table of small numbers. So every reduction over the
// ranks has the period 251 too, and a comparison is a few memcmp. 251 is prime: a chunk that lands in the wrong place, and
// data of the call before, are noticed whatever the chunk size.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace xylem::tools {

class Pattern {
 public:
  // `type` and `op` as the options name them. Reductions are over ranks 0 to `ranks` - 1.
  Pattern(const std::string& type, const std::string& op, int ranks);

  std::size_t element_size() const { return element_size_; }

  // Writes `count` elements of a rank's input, beginning with element `first`.
  void fill(void* out, std::size_t first, std::size_t count, int rank, unsigned call) const;

  // The first of `count` elements that is not as it should be: of one rank's input, or of the reduction over all ranks. Both
  // begin with element `first`.
  std::optional<std::size_t> wrong_copy(const void* data, std::size_t first, std::size_t count, int rank,
                                        unsigned call) const;
  std::optional<std::size_t> wrong_reduction(const void* data, std::size_t first, std::size_t count, unsigned call) const;

 private:
  static constexpr std::size_t kPeriod = 251;

  template <class T>
  void make_tables(const std::string& op, int ranks);
  std::optional<std::size_t> first_difference(const void* data, std::size_t count, const std::vector<std::byte>& table,
                                              std::size_t phase) const;

  std::size_t element_size_ = 0;
  std::vector<std::byte> input_;      // two periods, so that one from any phase lies in one piece
  std::vector<std::byte> reduction_;  // likewise
};

}  // namespace xylem::tools
