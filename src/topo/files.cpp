#include "topo/files.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>

namespace xylem::topo {

namespace fs = std::filesystem;

std::string read_text(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string read_line(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

std::string read_link(const fs::path& link) {
  std::error_code unreadable;
  return fs::read_symlink(link, unreadable).string();
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code unreadable;
  for (fs::directory_iterator it(folder, unreadable), end; !unreadable && it != end; it.increment(unreadable))
    found.push_back(it->path());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace xylem::topo
