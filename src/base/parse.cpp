#include "base/parse.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace xylem {
namespace {

struct Unit {
  char letter;
  int shift;
};
constexpr std::array<Unit, 3> kUnits = {{{'G', 30}, {'M', 20}, {'K', 10}}};

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace

bool equal_in_any_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return upper(x) == upper(y); });
}

std::optional<bool> parse_flag(std::string_view text) {
  for (const std::string_view no : {"0", "no", "off", "false"})
    if (equal_in_any_case(text, no)) return false;
  for (const std::string_view yes : {"1", "yes", "on", "true"})
    if (equal_in_any_case(text, yes)) return true;
  return std::nullopt;
}

std::optional<std::size_t> parse_bytes(std::string_view text) {
  if (text.empty()) return std::nullopt;
  int shift = 0;
  for (const Unit& unit : kUnits) {
    if (upper(text.back()) == unit.letter) {
      shift = unit.shift;
      text.remove_suffix(1);
      break;
    }
  }
  const std::optional<std::size_t> number = parse_number<std::size_t>(text);
  if (!number || *number > (std::numeric_limits<std::size_t>::max() >> shift)) return std::nullopt;
  return *number << shift;
}

std::string print_bytes(std::size_t bytes) {
  for (const Unit& unit : kUnits) {
    const std::size_t whole = bytes >> unit.shift;
    if (whole > 0 && whole << unit.shift == bytes) return std::to_string(whole) + unit.letter;
  }
  return std::to_string(bytes);
}

std::optional<double> parse_seconds(std::string_view text) {
  if (text.ends_with('s')) text.remove_suffix(1);
  const std::optional<double> number = parse_number<double>(text);
  if (!number || !std::isfinite(*number) || *number < 0) return std::nullopt;
  return number;
}

}  // namespace xylem
