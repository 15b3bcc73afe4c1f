#include "flight/entry.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

namespace xylem::flight {
namespace {

constexpr std::string_view kMark = "xylem: record: ";

// What would end a word or a list is not part of one.
std::string plain(std::string text, std::string_view forbidden) {
  std::replace_if(
      text.begin(), text.end(),
      [&](unsigned char letter) {
        return letter < ' ' || forbidden.find(static_cast<char>(letter)) != std::string_view::npos;
      },
      '_');
  return text;
}

template <class T>
bool read(std::string_view text, T& value, int base = 10) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

bool read_seconds(std::string_view text, double& value) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

bool read_calls(std::string_view text, std::map<std::uint64_t, std::string>& calls) {
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find('|'));
    text.remove_prefix(std::min(one.size() + 1, text.size()));
    const std::size_t space = one.find(' ');
    std::uint64_t number = 0;
    if (space == std::string_view::npos || !read(one.substr(0, space), number)) return false;
    calls[number] = one.substr(space + 1);
  }
  return true;
}

bool take(Entry& entry, std::string_view name, std::string_view value) {
  if (name == "comm") return read(value, entry.communicator, 16);
  if (name == "ranks") return read(value, entry.ranks);
  if (name == "rank") return read(value, entry.rank);
  if (name == "pid") return read(value, entry.pid);
  if (name == "entered") return read(value, entry.entered);
  if (name == "left") return read(value, entry.left);
  if (name == "awaits") return read(value, entry.awaits);
  if (name == "left_ago") return read_seconds(value, entry.left_ago);
  if (name == "waits_for") return read_seconds(value, entry.waits_for);
  if (name == "calls") return read_calls(value, entry.calls);
  if (name == "ended") entry.ended = value == "1";
  if (name == "host") entry.host = value;
  return true;  // of a later version
}

}  // namespace

std::string print(const Entry& entry) {
  std::array<char, 400> text{};
  std::snprintf(text.data(), text.size(),
                "comm=%llx ranks=%u rank=%u host=%.64s pid=%d ended=%d entered=%llu left=%llu left_ago=%.3f",
                static_cast<unsigned long long>(entry.communicator), entry.ranks, entry.rank,
                plain(entry.host, " \"=").c_str(), entry.pid, entry.ended ? 1 : 0,
                static_cast<unsigned long long>(entry.entered), static_cast<unsigned long long>(entry.left), entry.left_ago);
  std::string line(kMark);
  line += text.data();
  std::snprintf(text.data(), text.size(), " awaits=%lld waits_for=%.3f", static_cast<long long>(entry.awaits),
                entry.waits_for);
  line += text.data();
  line += " calls=\"";
  const char* between = "";
  for (const auto& [number, call] : entry.calls) {
    line.append(between).append(std::to_string(number)).append(1, ' ').append(plain(call, "\"|"));
    between = "|";
  }
  line.push_back('"');
  return line;
}

std::optional<Entry> parse(std::string_view line) {
  const std::size_t mark = line.find(kMark);
  if (mark == std::string_view::npos) return std::nullopt;
  line.remove_prefix(mark + kMark.size());
  Entry entry;
  while (!line.empty()) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string_view name = line.substr(0, equals);
    line.remove_prefix(equals + 1);
    const bool quoted = line.starts_with('"');
    if (quoted) line.remove_prefix(1);
    const std::size_t end = std::min(line.find(quoted ? '"' : ' '), line.size());
    if (!take(entry, name, line.substr(0, end))) return std::nullopt;
    line.remove_prefix(std::min(end + 1, line.size()));
    while (line.starts_with(' ')) line.remove_prefix(1);
  }
  if (entry.rank >= entry.ranks) return std::nullopt;
  return entry;
}

}  // namespace xylem::flight
