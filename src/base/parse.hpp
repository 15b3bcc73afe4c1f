// Values as a person writes them: in XYLEM_* variables and on the tool's command line. Each function takes the whole text or
// gives nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace xylem {

// ASCII letters only, whatever the locale of the program is.
bool equal_in_any_case(std::string_view a, std::string_view b);

// 0 or 1; also no, yes, off, on, false, true, in any case.
std::optional<bool> parse_flag(std::string_view text);

// A whole number of at least 0, with an optional K, M or G (1024, 1024^2, 1024^3) behind it, in any case.
std::optional<std::size_t> parse_bytes(std::string_view text);

// The shortest text that parse_bytes() takes back to `bytes`: "0", "100", "64K", "1M".
std::string print_bytes(std::size_t bytes);

// A decimal number of at least 0, such as 2 or 0.5, with an optional s behind it.
std::optional<double> parse_seconds(std::string_view text);

}  // namespace xylem
