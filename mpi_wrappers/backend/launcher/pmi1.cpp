// PMI-1, spoken over the socket PMI_FD that hydra (and srun --mpi=pmi2) gives to each process: lines of key=value words, one
// answer for each request.
//
// A conversation begins with "cmd=init", and that may be said only once (srun does not answer a second one), but what is put
// after MPI_Init is published by nothing. So while the MPI is in MPI_Init we stand between it and the launcher: a thread
// passes on what either says and puts our word in as soon as the MPI's own init has been answered. Afterwards the MPI has its
// socket back, and as it is quiet then, words are read directly.
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

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

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

// The two functions that follow return false and an empty line when the other end is gone.
bool send_all(int socket, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::string receive_line(int socket) {
  std::string line;
  for (char c = 0; c != '\n';) {
    const ssize_t got = recv(socket, &c, 1, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};
    line += c;
  }
  return line;
}

// The answer, or nothing if it is not an answer to this or the launcher is gone.
std::string ask(int launcher, std::string_view request, std::string_view expected) {
  if (!send_all(launcher, request)) return {};
  std::string answer = receive_line(launcher);
  return value_in(answer, "cmd") == expected ? answer : std::string();
}

// Passes on what has come on one socket. False: its other end is gone.
bool pass_on(int from, int to) {
  std::array<char, 4096> bytes;
  const ssize_t got = recv(from, bytes.data(), bytes.size(), 0);
  if (got < 0 && errno == EINTR) return true;
  return got > 0 && send_all(to, {bytes.data(), static_cast<std::size_t>(got)});
}

class Pmi1 : public KeyValueSpace {
 public:
  Pmi1(int socket, int rank) : socket_(socket), rank_(rank) {}
  ~Pmi1() override { step_aside(); }
  Pmi1(const Pmi1&) = delete;
  Pmi1& operator=(const Pmi1&) = delete;

  int rank() const override { return rank_; }

  // Where this fails the MPI has its socket as before, and published() tells.
  void put(const std::string& word) override {
    std::array<int, 2> pair{-1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0) return;
    const Descriptor for_mpi(pair[0]);
    mpi_ = Descriptor(pair[1]);
    launcher_ = Descriptor(fcntl(socket_, F_DUPFD_CLOEXEC, 0));
    if (launcher_.number() < 0 || dup2(for_mpi.number(), socket_) < 0) return;
    // The thread leaves all signals to the threads of the program.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      between_ = std::thread([this, word] { stand_between(word); });
    } catch (const std::system_error&) {
      dup2(launcher_.number(), socket_);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  bool published() override {
    step_aside();
    return published_;
  }

  std::optional<std::string> get(int rank) override {
    const std::string answer = ask(socket_, "cmd=get" + key(rank) + "\n", "get_result");
    if (value_in(answer, "rc") != "0") return std::nullopt;
    return std::string(value_in(answer, "value"));
  }

 private:
  std::string key(int rank) const { return " kvsname=" + name_ + " key=xylem-" + std::to_string(rank); }

  void stand_between(const std::string& word) {
    const std::string request = receive_line(mpi_.number());
    if (request.empty() || !send_all(launcher_.number(), request)) return;
    const std::string answer = receive_line(launcher_.number());
    const bool begins = value_in(request, "cmd") == "init" && value_in(answer, "rc") == "0";
    // With PMI-2 the conversation goes on in another language.
    if (begins && value_in(answer, "pmi_version") == "1") publish(word);
    if (!send_all(mpi_.number(), answer)) return;

    std::array ends = {pollfd{mpi_.number(), POLLIN, 0}, pollfd{launcher_.number(), POLLIN, 0}};
    for (bool open = true; open;) {
      if (poll(ends.data(), ends.size(), -1) < 0 && errno != EINTR) return;
      if (ends[0].revents != 0) open = pass_on(mpi_.number(), launcher_.number());
      if (ends[1].revents != 0 && !pass_on(launcher_.number(), mpi_.number())) {
        open = false;
        shutdown(mpi_.number(), SHUT_RDWR);  // so that the MPI learns of it
      }
    }
  }

  void publish(const std::string& word) {
    name_ = value_in(ask(launcher_.number(), "cmd=get_my_kvsname\n", "my_kvsname"), "kvsname");
    const std::string answer = ask(launcher_.number(), "cmd=put" + key(rank_) + " value=" + word + "\n", "put_result");
    published_ = value_in(answer, "rc") == "0";
  }

  // Gives the MPI its socket back. It has had the answers to all that it asked.
  void step_aside() {
    if (!between_.joinable()) return;
    shutdown(socket_, SHUT_RDWR);
    between_.join();
    dup2(launcher_.number(), socket_);
  }

  int socket_;
  int rank_;
  Descriptor mpi_;       // the end of a new pair whose other end the MPI has as its PMI_FD
  Descriptor launcher_;  // what PMI_FD was
  std::thread between_;
  std::string name_;  // of this job's space
  bool published_ = false;
};

}  // namespace

std::unique_ptr<KeyValueSpace> open_key_value_space() {
  const std::optional<int> socket = number_from(launcher_variable("PMI_FD"));
  const std::optional<int> rank = number_from(launcher_variable("PMI_RANK"));
  if (!socket || !rank) return nullptr;
  return std::make_unique<Pmi1>(*socket, *rank);
}

}  // namespace xylem::preload
