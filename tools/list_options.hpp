// Options that take lists: of sizes, and of names that must be known.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library calls itself so
class App;
}

namespace xylem::tools {

// "" if it is one of the names known, else what is wrong, with the nearest one.
std::string check_name(const std::string& name, const std::vector<std::string_view>& known);

// Sizes such as 8,1K,1M, or 8-64M for all powers of two between.
void add_sizes_option(CLI::App& app, const std::string& option, std::vector<std::size_t>& sizes, const std::string& help);

// --collectives, or --collective: some of those known.
void add_collectives_option(CLI::App& app, std::vector<std::string>& collectives, const std::vector<std::string>& known,
                            const std::string& help);

}  // namespace xylem::tools
