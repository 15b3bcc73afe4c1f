#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <climits>

#include "base/settings.hpp"
#include "topo/files.hpp"
#include "topo/host_identity.hpp"

namespace xylem::topo {
namespace {

// FNV-1a, 64 bits. Among 100,000 hosts two have equal ids with a chance of 1 in 3,000 million.
class Hash {
 public:
  void add(std::string_view text) {
    for (const char c : text) add_byte(static_cast<unsigned char>(c));
    add_byte(0);  // ends the text: "ab" + "c" and "a" + "bc" differ
  }
  std::uint64_t value() const { return value_; }

 private:
  void add_byte(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001b3; }

  std::uint64_t value_ = 0xcbf29ce484222325;
};

std::string random_text() {
  std::array<char, 16> bytes{};
  const ssize_t filled = getrandom(bytes.data(), bytes.size(), GRND_NONBLOCK);
  return std::string(bytes.data(), filled > 0 ? static_cast<std::size_t>(filled) : 0) + std::to_string(getpid());
}

}  // namespace

HostFacts read_host_facts() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  gethostname(name.data(), name.size() - 1);
  return {read_line("/proc/sys/kernel/random/boot_id"), name.data(), read_link("/proc/self/ns/pid"),
          read_link("/proc/self/ns/user")};
}

Host make_host(std::string_view host_id, const HostFacts& facts) {
  Hash hash;
  if (!host_id.empty()) {
    hash.add(host_id);
    return {std::string(host_id), hash.value()};
  }
  hash.add(facts.boot_id);
  hash.add(facts.name);
  hash.add(facts.pid_namespace);
  hash.add(facts.user_namespace);
  // Where /proc is hidden, nothing tells this machine from another of the same name: each process is a host of its own then.
  if (facts.boot_id.empty()) hash.add(random_text());
  return {facts.name, hash.value()};
}

std::uint64_t machine_id(const HostFacts& facts) {
  if (facts.boot_id.empty()) return 0;
  Hash hash;
  hash.add(facts.boot_id);
  return hash.value();
}

const Host& host() {
  // Never destroyed: see settings().
  static const Host& it = *new Host(make_host(settings().host_id, read_host_facts()));
  return it;
}

}  // namespace xylem::topo
