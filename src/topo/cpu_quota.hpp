// How much processor time the control group of this process grants, as containers limit it.
#pragma once

#include <filesystem>
#include <string_view>

namespace xylem::topo {

// The text of cpu.max (control groups v2): "150000 100000" is 1.5 hardware threads, "max 100000" no limit: 0, as for any text
// that is neither.
double parse_cpu_max(std::string_view text);

// The texts of cpu.cfs_quota_us and cpu.cfs_period_us (v1): "150000" and "100000" are 1.5, "-1" and any other no limit: 0.
double parse_cfs_quota(std::string_view quota, std::string_view period);

// The tightest limit on this process in any group that it is in, 0 if there is none. `root` is where proc/ and sys/ are
// looked for: "/", or a tree made by a test.
double read_cpu_quota(const std::filesystem::path& root);

}  // namespace xylem::topo
