// Sizes and times as people write and read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace xylem::tools {

// The parts of a list such as "allreduce,bcast".
std::vector<std::string> split_list(std::string_view text);

// Sizes in bytes: a list such as "8,1K,1M", and in it ranges such as "8-64M", which double from the first to the last.
// Nothing if the text is no such list.
std::optional<std::vector<std::size_t>> parse_sizes(std::string_view text);

// First and last of a range such as "2-32"; a number is a range of one. Nothing if the text is neither, or falls.
std::optional<std::pair<std::uint32_t, std::uint32_t>> parse_range(std::string_view text);

// "8 B", "1.5 KiB", "64 MiB"
std::string format_bytes(std::size_t bytes);

// Microseconds with about three digits: "0.21", "12.3", "1,234".
std::string format_microseconds(double microseconds);

}  // namespace xylem::tools
