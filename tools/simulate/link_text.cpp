#include "simulate/link_text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <span>

#include "plan/shape.hpp"
#include "units.hpp"

namespace xylem::tools {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};
constexpr Unit time_units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
constexpr Unit rate_units[] = {{"KB/s", 1e3},         {"MB/s", 1e6},         {"GB/s", 1e9},
                               {"Mbit/s", 1e6 / 8.0}, {"Gbit/s", 1e9 / 8.0}, {"Tbit/s", 1e12 / 8.0}};
constexpr std::uint32_t most_rails = 1024;

std::optional<double> parse_quantity(std::string_view text, std::span<const Unit> units) {
  double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number) || number < 0) return std::nullopt;
  const std::string_view rest = text.substr(static_cast<std::size_t>(stop - text.data()));
  for (const Unit& unit : units)
    if (rest == unit.name) return number * unit.factor;
  return std::nullopt;
}

}  // namespace

std::optional<double> parse_time(std::string_view text) { return parse_quantity(text, time_units); }

std::optional<double> parse_rate(std::string_view text) {
  const auto rate = parse_quantity(text, rate_units);
  return rate > 0 ? rate : std::nullopt;
}

std::string read_link(const std::string& text, coll::Link& link, std::uint32_t* rails) {
  bool latency_named = false, overhead_named = false;
  for (const std::string& part : split_list(text)) {
    const std::size_t equals = part.find('=');
    const std::string name = part.substr(0, equals), value = equals == std::string::npos ? "" : part.substr(equals + 1);
    if (name == "latency" || name == "overhead") {
      const auto seconds = parse_time(value);
      if (!seconds) return fmt::format("'{}': expected a time such as 1.5us", part);
      (name == "latency" ? link.latency : link.overhead) = *seconds;
      (name == "latency" ? latency_named : overhead_named) = true;
    } else if (name == "bandwidth") {
      const auto rate = parse_rate(value);
      if (!rate) return fmt::format("'{}': expected a rate such as 50GB/s or 400Gbit/s", part);
      link.per_byte = 1 / *rate;
    } else if (name == "rails" && rails != nullptr) {
      const auto number = parse_range(value);
      if (!number || number->first != number->second || number->first < 1 || number->first > most_rails)
        return fmt::format("'{}': expected a number from 1 to {}", part, most_rails);
      *rails = number->first;
    } else {
      return fmt::format("'{}': expected latency=, bandwidth=, overhead={}", part, rails == nullptr ? "" : " or rails=");
    }
  }
  if (latency_named && !overhead_named) link.overhead = plan::kBusyPart * link.latency;
  return "";
}

std::string link_text(const coll::Link& link) {
  return fmt::format("{:.4g} us, {:.4g} GB/s", link.latency * 1e6, 1e-9 / link.per_byte);
}

}  // namespace xylem::tools
