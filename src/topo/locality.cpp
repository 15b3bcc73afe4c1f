#include "topo/locality.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <string_view>

#include "topo/files.hpp"

namespace xylem::topo {
namespace {

constexpr unsigned kWordBits = 64;

// A list such as "0-3,8,10-11". What is no number is skipped, threads beyond a mask are left out.
CoreMask parse_list(std::string_view text) {
  CoreMask mask{};
  while (!text.empty()) {
    const std::string_view range = text.substr(0, text.find(','));
    text.remove_prefix(std::min(range.size() + 1, text.size()));
    const char* const end = range.data() + range.size();
    unsigned first = 0, last = 0;
    const auto [after, error] = std::from_chars(range.data(), end, first);
    if (error != std::errc()) continue;
    last = first;
    if (after != end && *after == '-') std::from_chars(after + 1, end, last);
    for (unsigned thread = first; thread <= last && thread / kWordBits < mask.size(); ++thread)
      mask[thread / kWordBits] |= std::uint64_t{1} << thread % kWordBits;
  }
  return mask;
}

// -1: none.
int first_of(const CoreMask& mask) {
  const auto word = std::find_if(mask.begin(), mask.end(), [](std::uint64_t bits) { return bits != 0; });
  return word == mask.end() ? -1 : static_cast<int>((word - mask.begin()) * kWordBits) + std::countr_zero(*word);
}

bool holds(const CoreMask& all, const CoreMask& part) {
  return std::equal(part.begin(), part.end(), all.begin(), [](std::uint64_t p, std::uint64_t a) { return (p & ~a) == 0; });
}

// The number in a name such as "node3"; -1: it is no such name.
int number_after(std::string_view name, std::string_view prefix) {
  int number = -1;
  if (name.starts_with(prefix)) std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number);
  return number;
}

}  // namespace

Locality find_locality(const std::filesystem::path& root, const CoreMask& cores) {
  const int core = first_of(cores);
  if (core < 0) return {};
  const std::filesystem::path system = root / "sys/devices/system", folder = system / "cpu" / ("cpu" + std::to_string(core));
  Locality found;
  for (const std::filesystem::path& entry : entries(folder)) {
    const int node = number_after(entry.filename().native(), "node");
    if (node >= 0 && holds(parse_list(read_line(system / "node" / entry.filename() / "cpulist")), cores))
      found.numa_node = node;
  }
  // The last level is the one with the highest number; a complex is known by its first core.
  int last = -1;
  for (const std::filesystem::path& entry : entries(folder / "cache"))
    last = std::max(last, number_after(entry.filename().native(), "index"));
  const CoreMask shared = parse_list(read_line(folder / "cache" / ("index" + std::to_string(last)) / "shared_cpu_list"));
  if (last >= 0 && holds(shared, cores)) found.core_complex = first_of(shared);
  return found;
}

const Locality& locality() {
  static const Locality it = find_locality("/", cores().mask);
  return it;
}

}  // namespace xylem::topo
