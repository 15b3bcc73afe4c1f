#include "driver/settings.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <sstream>

namespace cuda_emu {
namespace {

std::string text(const char* name, const char* otherwise) {
  const char* const value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

std::uint32_t number(const char* name, std::uint32_t otherwise) {
  const char* const value = std::getenv(name);
  return value == nullptr ? otherwise : static_cast<std::uint32_t>(std::strtoul(value, nullptr, 10));
}

std::string beside_this_library() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&read_settings), &info) == 0) return "cuda_emu_executor";
  const std::string path = info.dli_fname;
  return path.substr(0, path.find_last_of('/') + 1) + "cuda_emu_executor";
}

}  // namespace

Settings read_settings() {
  Settings settings;
  settings.devices = number("CUDA_EMU_DEVICES", 1);
  settings.peer = number("CUDA_EMU_PEER", 1) != 0;
  settings.machine = text("CUDA_EMU_MACHINE", "");
  settings.memory_bytes = std::uint64_t{number("CUDA_EMU_MEMORY", 4096)} << 20;
  settings.multiprocessors = number("CUDA_EMU_MULTIPROCESSORS", 8);
  settings.reuse = number("CUDA_EMU_REUSE", 1) != 0;
  settings.delay_microseconds = number("CUDA_EMU_DELAY", 0);
  settings.seed = number("CUDA_EMU_SEED", 1);
  settings.fail = text("CUDA_EMU_FAIL", "");
  settings.executor = text("CUDA_EMU_EXECUTOR", beside_this_library().c_str());
  settings.visible_devices = text("CUDA_VISIBLE_DEVICES", "");
  settings.visible_devices_set = std::getenv("CUDA_VISIBLE_DEVICES") != nullptr;
  settings.eager_modules = text("CUDA_MODULE_LOADING", "LAZY") == "EAGER";
  return settings;
}

Failures::Failures(const std::string& list) {
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) {
    const std::size_t at = word.find('@');
    const std::uint64_t only = at == std::string::npos ? 0 : std::strtoull(word.c_str() + at + 1, nullptr, 10);
    const std::string kind = word.substr(0, at);
    if (kind == "ipc") {
      rules_["ipc_get"] = rules_["ipc_open"] = {only, 0};
    } else {
      rules_[kind] = {only, 0};
    }
  }
}

bool Failures::now(const std::string& kind) {
  const auto rule = rules_.find(kind);
  if (rule == rules_.end()) return false;
  ++rule->second.seen;
  return rule->second.only == 0 || rule->second.only == rule->second.seen;
}

}  // namespace cuda_emu
