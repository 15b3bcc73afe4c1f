#include "list_options.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/spelling.hpp"
#include "units.hpp"

namespace xylem::tools {

std::string check_name(const std::string& name, const std::vector<std::string_view>& known) {
  for (const std::string_view one : known)
    if (name == one) return "";
  return "'" + name + "' is not known" + suggestion(name, known);
}

void add_sizes_option(CLI::App& app, const std::string& option, std::vector<std::size_t>& sizes, const std::string& help) {
  app.add_option_function<std::string>(
         option,
         [option, &sizes](const std::string& text) {
           const auto parsed = parse_sizes(text);
           if (!parsed) throw CLI::ValidationError(option, "'" + text + "' is no list of sizes such as 8,1K,1M or 8-64M");
           sizes = *parsed;
         },
         help)
      ->type_name("SIZES");
}

void add_collectives_option(CLI::App& app, std::vector<std::string>& collectives, const std::vector<std::string>& known,
                            const std::string& help) {
  app.add_option_function<std::string>(
         "--collectives,--collective",
         [&collectives, &known](const std::string& text) {
           collectives = split_list(text);
           for (const std::string& name : collectives) {
             const std::string what = check_name(name, {known.begin(), known.end()});
             if (!what.empty()) throw CLI::ValidationError("--collectives", what);
           }
         },
         help)
      ->type_name("NAMES");
}

}  // namespace xylem::tools
