#include "flight/recorder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <mutex>

#include "base/log.hpp"
#include "base/settings.hpp"
#include "flight/signal.hpp"

namespace xylem::flight {
namespace {

struct Recordings {
  std::mutex mutex;
  std::vector<const Recording*> all;
};

// Never destroyed: communicators may end with the program's static objects.
Recordings& recordings() {
  static Recordings& it = *new Recordings;
  return it;
}

void write_lines(int file, const std::vector<Entry>& entries) {
  for (const Entry& entry : entries) {
    const std::string line = print(entry) + "\n";
    while (::write(file, line.data(), line.size()) < 0 && errno == EINTR) {
    }
  }
}

bool to_file() { return !settings().dump_file.empty(); }

void write_to_file(const std::vector<Entry>& entries) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  const std::string path = settings().dump_file + "." + host.data() + "." + std::to_string(getpid());
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) return log::warn("the flight recorder cannot be dumped to " + path + ": " + strerror(errno));
  write_lines(file, entries);
  close(file);
}

void write(const std::vector<Entry>& entries) {
  if (to_file()) {
    write_to_file(entries);
  } else {
    write_lines(STDERR_FILENO, entries);
  }
}

}  // namespace

std::uint64_t now() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count());
}

Recording::Recording(watch::Watch& watch, Tell tell, const void* context) : tell_(tell), context_(context) {
  Recordings& known = recordings();
  const std::lock_guard lock(known.mutex);
  if (known.all.empty()) take_signal();
  known.all.push_back(this);
  if (const int bell = signal_bell(); bell >= 0)
    watch.attend_to(bell, [] {
      silence_bell();
      dump_all();
    });
}

Recording::~Recording() {
  Recordings& known = recordings();
  const std::lock_guard lock(known.mutex);
  std::erase(known.all, this);
  if (known.all.empty()) give_signal_back();
}

void Recording::dump() const { write(tell_(context_)); }

void Recording::dump_to_file() const {
  if (to_file()) write_to_file(tell_(context_));
}

void dump_all() {
  Recordings& known = recordings();
  const std::lock_guard lock(known.mutex);
  for (const Recording* each : known.all) write(each->tell_(each->context_));
}

}  // namespace xylem::flight
