#pragma once

#include <string>
#include <string_view>

namespace xylem::tools {

// `text` as it stands in SVG and HTML, between tags or in quotes.
std::string escaped(std::string_view text);

}  // namespace xylem::tools
