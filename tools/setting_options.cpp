#include "setting_options.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <array>
#include <cctype>
#include <cstdlib>
#include <string>

#include "base/settings.hpp"
#include "base/spelling.hpp"

namespace xylem::tools {
namespace {

// "--stats" of XYLEM_STATS
std::string option_name(std::string_view setting) {
  std::string name = "--";
  for (const char letter : setting.substr(std::string_view("XYLEM_").size()))
    name += letter == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return name;
}

void put(const SettingInfo& setting, const std::string& option, const std::string& value) {
  const std::string entry = std::string(setting.name) + "=" + value;
  const std::array<const char*, 2> environment = {entry.c_str(), nullptr};
  std::string complaints;
  parse_settings(environment.data(), complaints);
  if (!complaints.empty()) throw CLI::ValidationError(option, "'" + printable(value) + "': expected " + setting.accepts);
  setenv(std::string(setting.name).c_str(), value.c_str(), 1);
}

}  // namespace

void add_setting_options(CLI::App& app) {
  for (const SettingInfo& setting : setting_infos()) {
    const std::string name = option_name(setting.name);
    const std::string help = std::string(setting.help) + " Sets " + std::string(setting.name) + ".";
    if (setting.type == "flag") {
      app.add_flag_callback(
          name, [=] { put(setting, name, "1"); }, help);
    } else {
      app.add_option_function<std::string>(
             name, [=](const std::string& value) { put(setting, name, value); }, help)
          ->type_name(setting.type == "path" ? "FILE" : "VALUE");
    }
  }
}

}  // namespace xylem::tools
