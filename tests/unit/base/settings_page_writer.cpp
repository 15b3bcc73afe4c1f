// settings_page_writer write|check FILE: writes docs/settings.md from the table of settings, or says whether it is as the
// table would have it.
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "base/settings.hpp"

namespace {

std::string page() {
  std::string text =
      "# Settings\n\n"
      "<!-- Written from the table in src/base/settings.cpp by the build target settings_page; do not edit. -->\n\n"
      "Every setting is an environment variable, read once when Xylem starts. An empty value counts as unset. A name that\n"
      "Xylem does not know, and a value that makes no sense, get one warning on stderr; the default holds then. `xylem "
      "info`\n"
      "shows the values in force.\n\n"
      "*Agreed* settings are taken from rank 0 of a communicator when it is made; the values of its other ranks do not "
      "count.\n\n"
      "| Name | Value | Default | Agreed | Meaning |\n"
      "| --- | --- | --- | --- | --- |\n";
  for (const xylem::SettingInfo& info : xylem::setting_infos()) {
    const std::string preset = info.default_value.empty() ? "unset" : "`" + info.default_value + "`";
    text += "| `" + std::string(info.name) + "` | " + info.accepts + " | " + preset + " | " + (info.agreed ? "yes" : "no") +
            " | " + std::string(info.help) + " |\n";
  }
  return text;
}

std::string content(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc == 3 ? argv[1] : "";
  if (mode == "write") {
    std::ofstream file(argv[2]);
    file << page() << std::flush;
    if (file) return 0;
    std::cerr << "cannot write " << argv[2] << "\n";
  } else if (mode == "check") {
    if (content(argv[2]) == page()) return 0;
    std::cerr << argv[2] << " is out of date. Build the target settings_page and commit the file. It should be:\n\n"
              << page();
  } else {
    std::cerr << "usage: settings_page_writer write|check FILE\n";
  }
  return 1;
}
