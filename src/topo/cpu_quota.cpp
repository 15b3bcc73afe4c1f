#include "topo/cpu_quota.hpp"

#include <charconv>
#include <optional>
#include <sstream>
#include <string>

#include "topo/files.hpp"

namespace xylem::topo {
namespace {

namespace fs = std::filesystem;

std::optional<double> parse_positive(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || !(number > 0)) return std::nullopt;
  return number;
}

// The smaller limit, where 0 is none.
double tighter(double a, double b) {
  if (a == 0 || b == 0) return a + b;
  return a < b ? a : b;
}

double limit_of(const fs::path& group) {
  return tighter(parse_cpu_max(read_line(group / "cpu.max")),
                 parse_cfs_quota(read_line(group / "cpu.cfs_quota_us"), read_line(group / "cpu.cfs_period_us")));
}

// A limit of a group holds for all groups in it. In a container the path may name folders that are hidden here, or lead out
// of the mount; its limit is then at the top of what is mounted.
double tightest_limit(const fs::path& mount, std::string_view path) {
  double limit = limit_of(mount);
  fs::path group = mount;
  for (const fs::path& part : fs::path(path).relative_path()) {
    if (part == "..") break;
    group /= part;
    limit = tighter(limit, limit_of(group));
  }
  return limit;
}

bool names_controller(std::string_view controllers, std::string_view wanted) {
  while (!controllers.empty()) {
    const std::size_t comma = controllers.find(',');
    if (controllers.substr(0, comma) == wanted) return true;
    controllers.remove_prefix(comma == std::string_view::npos ? controllers.size() : comma + 1);
  }
  return false;
}

}  // namespace

double parse_cpu_max(std::string_view text) {
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos) return 0;
  return parse_cfs_quota(text.substr(0, space), text.substr(space + 1));
}

double parse_cfs_quota(std::string_view quota, std::string_view period) {
  const std::optional<double> granted = parse_positive(quota);
  const std::optional<double> of = parse_positive(period);
  return granted && of ? *granted / *of : 0;
}

double read_cpu_quota(const fs::path& root) {
  const fs::path mounts = root / "sys/fs/cgroup";
  double limit = 0;
  // Each line is "number:controllers:path"; v2 has number 0 and no controllers.
  std::istringstream lines(read_text(root / "proc/self/cgroup"));
  for (std::string number, controllers, path;
       std::getline(lines, number, ':') && std::getline(lines, controllers, ':') && std::getline(lines, path);) {
    if (controllers.empty()) {
      limit = tighter(limit, tightest_limit(mounts, path));
      limit = tighter(limit, tightest_limit(mounts / "unified", path));  // beside v1
    } else if (names_controller(controllers, "cpu")) {
      limit = tighter(limit, tightest_limit(mounts / "cpu", path));
    }
  }
  return limit;
}

}  // namespace xylem::topo
