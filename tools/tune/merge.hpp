// Tuning files as text.
#pragma once

#include <string>
#include <vector>

#include "plan/rules.hpp"

namespace xylem::tools {

// `text` with new rules in front of it, under a comment that says where they come from. Rules of the same collective for just
// as many hosts and ranks give way to them, and their comment with the last of them; everything else stays as it is.
std::string merge_rules(const std::string& text, const std::vector<plan::Rule>& rules, const std::string& origin);

}  // namespace xylem::tools
