// PMI, spoken over the socket PMI_FD that hydra and srun --mpi=pmi2 give to each process. The MPI chooses between PMI-1 and
// PMI-2 in its greeting.
//
// A conversation begins with "cmd=init", and that may be said only once (srun does not answer a second one), but what is put
// after MPI_Init is published by nothing. So while the MPI is in MPI_Init we stand between it and the launcher: a thread
// passes on what either says and puts our word in as soon as the MPI's own greeting has been answered. Afterwards the MPI has
// its socket back, and as it is quiet then, words are read directly.
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <system_error>
#include <thread>

#include "backend/launcher/key_value_space.hpp"
#include "backend/launcher/pmi_dialect.hpp"
#include "backend/launcher/pmi_socket.hpp"
#include "base/block_signals.hpp"
#include "base/settings.hpp"

namespace xylem::preload {

std::string_view value_in(std::string_view message, std::string_view key, char separator) {
  while (!message.empty()) {
    const std::string_view word = message.substr(0, message.find(separator));
    if (word.size() > key.size() && word.starts_with(key) && word[key.size()] == '=') return word.substr(key.size() + 1);
    message.remove_prefix(std::min(word.size() + 1, message.size()));
  }
  return {};
}

namespace {

std::optional<int> number_from(const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class Pmi : public KeyValueSpace {
 public:
  Pmi(int socket, int rank) : socket_(socket), rank_(rank) {}
  ~Pmi() override { step_aside(); }
  Pmi(const Pmi&) = delete;
  Pmi& operator=(const Pmi&) = delete;

  int rank() const override { return rank_; }

  // Where this fails the MPI has its socket as before, and published() tells.
  void put(const std::string& word) override {
    std::array<int, 2> pair{-1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0) return;
    const Descriptor for_mpi(pair[0]);
    mpi_ = Descriptor(pair[1]);
    launcher_ = Descriptor(fcntl(socket_, F_DUPFD_CLOEXEC, 0));
    if (launcher_.number() < 0 || dup2(for_mpi.number(), socket_) < 0) return;
    const BlockSignals blocked;
    try {
      between_ = std::thread([this, word] { stand_between(word); });
    } catch (const std::system_error&) {
      dup2(launcher_.number(), socket_);
    }
  }

  bool published() override {
    step_aside();
    return published_;
  }

  std::optional<std::string> get(int rank) override { return dialect_->get(socket_, key(rank)); }

 private:
  static std::string key(int rank) { return "xylem-" + std::to_string(rank); }

  void stand_between(const std::string& word) {
    if (!greet(word)) return;
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

  // Passes the greeting on, and puts our word in before the MPI hears that it may put its own. False: an end is gone.
  bool greet(const std::string& word) {
    const std::string request = receive_line(mpi_.number());
    if (request.empty() || !send_all(launcher_.number(), request)) return false;
    std::string answer = receive_line(launcher_.number());
    if (answer.empty()) return false;
    const std::string_view words = std::string_view(answer).substr(0, answer.size() - 1);
    if (value_in(request, "cmd", ' ') == "init" && value_in(words, "rc", ' ') == "0") {
      const std::string_view version = value_in(words, "pmi_version", ' ');
      if (version == "1") dialect_ = make_pmi1();
      if (version == "2") dialect_ = make_pmi2();
    }
    if (dialect_ != nullptr && dialect_->greets_twice()) {
      if (!send_all(mpi_.number(), answer)) return false;
      const std::string again = dialect_->receive(mpi_.number());
      if (again.empty() || !send_all(launcher_.number(), again)) return false;
      answer = dialect_->receive(launcher_.number());
    }
    published_ = dialect_ != nullptr && dialect_->put(launcher_.number(), key(rank_), word);
    return send_all(mpi_.number(), answer);
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
  std::unique_ptr<PmiDialect> dialect_;  // known once the MPI has greeted
  bool published_ = false;
};

}  // namespace

std::unique_ptr<KeyValueSpace> open_key_value_space() {
  const std::optional<int> socket = number_from(launcher_variable("PMI_FD"));
  const std::optional<int> rank = number_from(launcher_variable("PMI_RANK"));
  if (!socket || !rank) return nullptr;
  return std::make_unique<Pmi>(*socket, *rank);
}

}  // namespace xylem::preload
