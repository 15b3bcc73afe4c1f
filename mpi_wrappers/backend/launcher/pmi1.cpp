// PMI-1, spoken over the socket PMI_FD that hydra (and srun --mpi=pmi2) gives to each process: lines of key=value words, one
// answer for each request. The MPI speaks on the same socket; our requests come before its first and, once MPI_Init is done,
// between its last and its next, and each of them reads its whole answer.
#include <dlfcn.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <string_view>
#include <system_error>

#include "backend/launcher/key_value_space.hpp"
#include "base/log.hpp"
#include "base/settings.hpp"

namespace xylem::preload {
namespace {

std::optional<int> number_from(const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The value of `key` in a line "cmd=get_result rc=0 value=x"; empty if it is not there.
std::string_view value_in(std::string_view line, std::string_view key) {
  while (!line.empty()) {
    const std::string_view word = line.substr(0, line.find_first_of(" \n"));
    if (word.size() > key.size() && word.starts_with(key) && word[key.size()] == '=') return word.substr(key.size() + 1);
    line.remove_prefix(std::min(word.size() + 1, line.size()));
  }
  return {};
}

class Pmi1 : public KeyValueSpace {
 public:
  Pmi1(int socket, int rank) : socket_(socket), rank_(rank) {}

  // False: whoever is at the other end does not speak PMI-1.
  bool greet() {
    const std::string answer = request("cmd=init pmi_version=1 pmi_subversion=1\n", "response_to_init");
    if (value_in(answer, "rc") != "0") return false;
    name_ = value_in(request("cmd=get_my_kvsname\n", "my_kvsname"), "kvsname");
    return !name_.empty();
  }

  int rank() const override { return rank_; }

  void put(const std::string& word) override {
    const std::string answer = request("cmd=put" + key(rank_) + " value=" + word + "\n", "put_result");
    if (value_in(answer, "rc") != "0") log::warn("the launcher took no word from this rank: " + answer);
  }

  std::optional<std::string> get(int rank) override {
    const std::string answer = request("cmd=get" + key(rank) + "\n", "get_result");
    if (value_in(answer, "rc") != "0") return std::nullopt;
    return std::string(value_in(answer, "value"));
  }

 private:
  std::string key(int rank) const { return " kvsname=" + name_ + " key=xylem-" + std::to_string(rank); }

  // The answer, or nothing if it is not an answer to this or the launcher has gone.
  std::string request(std::string_view line, std::string_view expected) {
    while (!line.empty()) {
      const ssize_t sent = send(socket_, line.data(), line.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) return {};
      line.remove_prefix(static_cast<std::size_t>(sent));
    }
    std::string answer;
    for (char c = 0; c != '\n';) {
      const ssize_t got = recv(socket_, &c, 1, 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return {};
      answer += c;
    }
    return value_in(answer, "cmd") == expected ? answer : std::string();
  }

  int socket_;
  int rank_;
  std::string name_;  // of this job's space
};

}  // namespace

std::unique_ptr<KeyValueSpace> open_key_value_space() {
  const std::optional<int> socket = number_from(launcher_variable("PMI_FD"));
  const std::optional<int> rank = number_from(launcher_variable("PMI_RANK"));
  if (!socket || !rank) return nullptr;
  // An MPI that brings a PMI-2 library speaks another protocol on this socket.
  if (dlopen("libpmi2.so.0", RTLD_LAZY | RTLD_NOLOAD) != nullptr) return nullptr;
  auto space = std::make_unique<Pmi1>(*socket, *rank);
  if (!space->greet()) return nullptr;
  return space;
}

}  // namespace xylem::preload
