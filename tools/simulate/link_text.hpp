// Links and rates as people write them: "latency=1.5us,bandwidth=50GB/s,rails=4".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "coll/traits.hpp"

namespace xylem::tools {

// "1.5us", "200ns", "3ms", "2s" in seconds.
std::optional<double> parse_time(std::string_view text);

// "50GB/s", "400Gbit/s", "100MB/s" in bytes per second; units of a thousand.
std::optional<double> parse_rate(std::string_view text);

// Sets what the text names. Returns what is wrong with it, naming the part; empty: nothing. Where it names a latency and no
// overhead, the overhead is the usual part of that. `rails`: null where there are none.
std::string read_link(const std::string& text, coll::Link& link, std::uint32_t* rails);

// "1.5 us, 50 GB/s"
std::string link_text(const coll::Link& link);

}  // namespace xylem::tools
