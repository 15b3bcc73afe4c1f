// Reading of /proc and /sys as they are in containers: anything may be missing, and nothing here throws for that.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace xylem::topo {

// The whole text of a file, empty if it cannot be read.
std::string read_text(const std::filesystem::path& file);

// The first line without its end.
std::string read_line(const std::filesystem::path& file);

// What a link says, empty if there is none.
std::string read_link(const std::filesystem::path& link);

// The entries of a folder, by name; none if it cannot be read.
std::vector<std::filesystem::path> entries(const std::filesystem::path& folder);

}  // namespace xylem::topo
