#include "settings.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

namespace strict_fabric {
namespace {

struct Name {
  const char* name;
  std::uint64_t Settings::*value;
};
constexpr std::array kNames = {Name{"again", &Settings::again},
                               Name{"delay", &Settings::delay},
                               Name{"depth", &Settings::depth},
                               Name{"inject", &Settings::inject},
                               Name{"max", &Settings::max},
                               Name{"fail", &Settings::fail},
                               Name{"fail_empty", &Settings::fail_empty},
                               Name{"fail_empties", &Settings::fail_empties},
                               Name{"memlock", &Settings::memlock},
                               Name{"reorder", &Settings::reorder}};

Settings read() {
  Settings settings;
  const char* const text = std::getenv("STRICT_FABRIC");
  std::istringstream words(text != nullptr ? text : "");
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    bool known = false;
    for (const Name& each : kNames) {
      if (word.substr(0, equals) != each.name || equals == std::string::npos) continue;
      settings.*each.value = std::strtoull(word.c_str() + equals + 1, nullptr, 10);
      known = true;
    }
    if (!known) broken(("STRICT_FABRIC does not know " + word).c_str());
  }
  return settings;
}

}  // namespace

const Settings& settings() {
  static const Settings once = read();
  return once;
}

void broken(const char* rule) {
  std::fprintf(stderr, "strict_fabric: %s\n", rule);
  std::abort();
}

}  // namespace strict_fabric
