#include "units.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "base/parse.hpp"

namespace xylem::tools {
namespace {

std::string with_thousands(long long number) {
  return number < 1000 ? std::to_string(number) : fmt::format("{},{:03}", with_thousands(number / 1000), number % 1000);
}

}  // namespace

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t comma = 0; comma != std::string_view::npos; text.remove_prefix(comma + 1)) {
    comma = text.find(',');
    parts.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) break;
  }
  return parts;
}

std::optional<std::vector<std::size_t>> parse_sizes(std::string_view text) {
  std::vector<std::size_t> sizes;
  for (const std::string& part : split_list(text)) {
    const std::size_t dash = part.find('-');
    const auto first = parse_bytes(std::string_view(part).substr(0, dash));
    if (!first) return std::nullopt;
    sizes.push_back(*first);
    if (dash == std::string::npos) continue;
    const auto last = parse_bytes(std::string_view(part).substr(dash + 1));
    if (!last || *first == 0 || *last < *first) return std::nullopt;
    for (std::size_t size = *first; size <= *last / 2;) sizes.push_back(size *= 2);
  }
  return sizes;
}

std::optional<std::pair<std::uint32_t, std::uint32_t>> parse_range(std::string_view text) {
  const auto number = [](std::string_view digits) -> std::optional<std::uint32_t> {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    return value;
  };
  const std::size_t dash = text.find('-');
  const auto first = number(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : number(text.substr(dash + 1));
  if (!first || !last || *last < *first) return std::nullopt;
  return std::pair(*first, *last);
}

std::string format_bytes(std::size_t bytes) {
  static constexpr std::array units = {"B", "KiB", "MiB", "GiB"};
  auto number = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; number >= 1024 && unit + 1 < units.size(); ++unit) number /= 1024;
  return fmt::format("{:.4g} {}", number, units[unit]);
}

std::string format_microseconds(double microseconds) {
  if (microseconds < 9.995) return fmt::format("{:.2f}", microseconds);
  if (microseconds < 99.95) return fmt::format("{:.1f}", microseconds);
  return with_thousands(std::llround(microseconds));
}

}  // namespace xylem::tools
