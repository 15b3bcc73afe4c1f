#include "bench/peer/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "base/settings.hpp"
#include "bench/peer/line.hpp"

namespace xylem::tools {
namespace {

constexpr int answer_limit_ms = 300'000;

// What the launcher of this job and Xylem have set would tell the peer that it is a part of this job.
constexpr std::string_view of_this_job[] = {"LD_PRELOAD=", "XYLEM_", "PMI_",   "PMIX_",     "PMIX2_", "OMPI_",
                                            "PRTE_",       "HYDI_",  "HYDRA_", "MPI_LOCAL", "SLURM_"};

[[noreturn]] void become(const std::vector<std::string>& command, const std::vector<int>& cores, int input, int output) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(core, &set);
  sched_setaffinity(0, sizeof set, &set);
  std::vector<char*> words, environment;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  const std::vector<std::string> kept = environment_without(of_this_job);
  for (const std::string& variable : kept) environment.push_back(const_cast<char*>(variable.c_str()));
  words.push_back(nullptr);
  environment.push_back(nullptr);
  execve(words.front(), words.data(), environment.data());
  _exit(127);
}

}  // namespace

PeerProcess::PeerProcess(std::string name, const std::vector<std::string>& command, const std::vector<int>& cores, int ranks)
    : name_(std::move(name)) {
  int down[2], up[2];
  if (pipe2(down, O_CLOEXEC) != 0 || pipe2(up, O_CLOEXEC) != 0) fail(std::strerror(errno));
  to_ = down[1];
  from_ = up[0];
  std::signal(SIGPIPE, SIG_IGN);  // a peer that has ended is told of by write()
  pid_ = fork();
  if (pid_ < 0) fail(std::strerror(errno));
  if (pid_ == 0) become(command, cores, down[0], up[1]);
  close(down[0]);
  close(up[1]);
  const nlohmann::json ready = nlohmann::json::parse(read_line(), nullptr, false);
  if (!ready.is_object() || !ready.contains("ready") || !ready.contains("ranks"))
    fail("does not speak the benchmark's protocol");
  if (ready["ranks"] != ranks) fail(fmt::format("has {} ranks, and this job has {}", ready["ranks"].dump(), ranks));
  title_ = ready["ready"].is_string() ? ready["ready"].get<std::string>() : name_;
}

PeerProcess::~PeerProcess() {
  close(to_);
  close(from_);
  if (pid_ > 0) waitpid(pid_, nullptr, 0);
}

void PeerProcess::fail(const std::string& what) const { throw std::runtime_error("peer " + name_ + ": " + what); }

std::string PeerProcess::read_line() {
  for (;;) {
    if (const std::size_t end = unread_.find('\n'); end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    pollfd wanted{from_, POLLIN, 0};
    const int events = poll(&wanted, 1, answer_limit_ms);
    if (events < 0 && errno == EINTR) continue;
    if (events == 0) fail("does not answer");
    char piece[4096];
    const ssize_t got = read(from_, piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail("has ended");
    unread_.append(piece, static_cast<std::size_t>(got));
  }
}

std::string PeerProcess::ask(const std::string& question) {
  const std::string line = question + "\n";
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t now = write(to_, line.data() + sent, line.size() - sent);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) fail("has ended");
    sent += static_cast<std::size_t>(now);
  }
  return read_line();
}

void PeerProcess::prepare(const CallKind& kind, const BenchEffort& effort) {
  wrong_ = 0;
  const std::string answer = ask(to_text(kind, effort));
  const nlohmann::json json = nlohmann::json::parse(answer, nullptr, false);
  if (!json.is_object() || json.value("line", "") != "prepared") fail("cannot measure this: " + answer);
}

double PeerProcess::run_round(int batch, SideResult* noted) {
  const std::string answer = ask(nlohmann::json{{"round", batch}}.dump());
  SideResult round;
  try {
    round = side_from_json(answer);
  } catch (const std::runtime_error&) {
    fail("gives no result: " + answer);
  }
  wrong_ += round.wrong_calls;
  if (noted != nullptr) {
    const auto before = static_cast<double>(noted->seconds.size());
    noted->cpu_seconds = (noted->cpu_seconds * before + round.cpu_seconds) / (before + 1);
    noted->seconds.push_back(round.seconds.front());
    noted->wrong_calls = wrong_;
    for (const auto& [number, times] : round.calls.counts()) noted->calls.put(number, times);
  }
  return round.seconds.front() * batch;
}

}  // namespace xylem::tools
