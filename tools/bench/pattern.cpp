#include "bench/pattern.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>

namespace xylem::tools {
namespace {

constexpr std::size_t rank_step = 17;

// Products stay exact and small in every type if most factors are 1.
template <class T>
T number(const std::string& op, std::size_t i) {
  if (op == "prod") return static_cast<T>(i % 29 == 0 ? 2 : 1);
  return static_cast<T>(i * 37 % 100);
}

template <class T>
T combine(const std::string& op, T a, T b) {
  if (op == "max") return std::max(a, b);
  if (op == "min") return std::min(a, b);
  // Narrow integers wrap around here as they do in the reduction.
  return static_cast<T>(op == "prod" ? a * b : a + b);
}

}  // namespace

Pattern::Pattern(const std::string& type, const std::string& op, int ranks) {
  if (type == "float") make_tables<float>(op, ranks);
  if (type == "double") make_tables<double>(op, ranks);
  if (type == "int") make_tables<int>(op, ranks);
  if (type == "long") make_tables<long>(op, ranks);
  if (type == "uint8") make_tables<std::uint8_t>(op, ranks);
}

template <class T>
void Pattern::make_tables(const std::string& op, int ranks) {
  element_size_ = sizeof(T);
  std::vector<T> input(2 * kPeriod), reduction(2 * kPeriod);
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = number<T>(op, i % kPeriod);
  for (std::size_t i = 0; i < reduction.size(); ++i) {
    reduction[i] = input[i % kPeriod];
    for (std::size_t r = 1; r < static_cast<std::size_t>(ranks); ++r)
      reduction[i] = combine<T>(op, reduction[i], input[(i + r * rank_step) % kPeriod]);
  }
  const auto bytes = [](const std::vector<T>& values) {
    const auto* first = reinterpret_cast<const std::byte*>(values.data());
    return std::vector<std::byte>(first, first + values.size() * sizeof(T));
  };
  input_ = bytes(input);
  reduction_ = bytes(reduction);
}

void Pattern::fill(void* out, std::size_t first, std::size_t count, int rank, unsigned call) const {
  const std::size_t phase = (first + static_cast<std::size_t>(rank) * rank_step + call) % kPeriod;
  const std::byte* const table = input_.data() + phase * element_size_;
  auto* to = static_cast<std::byte*>(out);
  for (std::size_t done = 0; done < count; done += kPeriod)
    std::memcpy(to + done * element_size_, table, std::min(kPeriod, count - done) * element_size_);
}

std::optional<std::size_t> Pattern::first_difference(const void* data, std::size_t count, const std::vector<std::byte>& table,
                                                     std::size_t phase) const {
  const std::byte* const wanted = table.data() + phase * element_size_;
  const auto* got = static_cast<const std::byte*>(data);
  for (std::size_t done = 0; done < count; done += kPeriod) {
    const std::size_t bytes = std::min(kPeriod, count - done) * element_size_;
    const std::byte* const part = got + done * element_size_;
    if (std::memcmp(part, wanted, bytes) == 0) continue;
    const auto at = std::mismatch(part, part + bytes, wanted).first - part;
    return done + static_cast<std::size_t>(at) / element_size_;
  }
  return std::nullopt;
}

std::optional<std::size_t> Pattern::wrong_copy(const void* data, std::size_t first, std::size_t count, int rank,
                                               unsigned call) const {
  return first_difference(data, count, input_, (first + static_cast<std::size_t>(rank) * rank_step + call) % kPeriod);
}

std::optional<std::size_t> Pattern::wrong_reduction(const void* data, std::size_t first, std::size_t count,
                                                    unsigned call) const {
  return first_difference(data, count, reduction_, (first + call) % kPeriod);
}

}  // namespace xylem::tools
