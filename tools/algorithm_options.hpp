// Options that name collectives and algorithms; names come from the catalogue.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library calls itself so
class App;
class Option;
}  // namespace CLI

namespace xylem::tools {

// --collective and --algorithm. A name that nothing has is an error of the command line that tells the nearest one.
void add_collective_option(CLI::App& app, std::string& collective);
void add_algorithm_option(CLI::App& app, std::string& algorithm);

// "" if it is the name of a collective, else what is wrong.
std::string check_collective(const std::string& name);

// Numbers in the catalogue; an empty name stands for all.
std::vector<std::uint32_t> chosen_algorithms(const std::string& collective, const std::string& algorithm);

}  // namespace xylem::tools
