#include "info.hpp"

#include <cstdio>
#include <string>

#include "info_facts.hpp"

namespace xylem::tools {

int run_info(bool json) {
  const Facts facts = collect_facts();
  const std::string text = json ? facts_as_json(facts) : facts_as_text(facts);
  const bool printed = std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
  if (!printed) std::perror("xylem: info: cannot write to stdout");
  return printed ? 0 : 1;
}

}  // namespace xylem::tools
