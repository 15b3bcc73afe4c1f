#include "installation.hpp"

#include <system_error>

namespace xylem::tools {

namespace fs = std::filesystem;

fs::path preload_library() {
  std::error_code missing;
  const fs::path bin = fs::read_symlink("/proc/self/exe", missing).parent_path();
  // lib in a build tree; an installation may have another name for it, such as lib/x86_64-linux-gnu.
  for (const char* lib : {"lib", XYLEM_INSTALL_LIBDIR}) {
    const fs::path library = bin.parent_path() / lib / "libxylem_mpi.so";
    if (!bin.empty() && fs::exists(library, missing)) return library;
  }
  return {};
}

fs::path back_end_folder(const fs::path& preload_library) { return preload_library.parent_path() / "xylem"; }

}  // namespace xylem::tools
