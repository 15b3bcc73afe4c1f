// Tests with several processes, each a user of the emulated GPU of its own.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace cuda_emu_test {

// One end of a conversation between two processes.
class Line {
 public:
  explicit Line(int socket) : socket_(socket) {}
  template <class T>
  void say(const T& value) const {
    ASSERT_EQ(send(socket_, &value, sizeof value, MSG_NOSIGNAL), static_cast<ssize_t>(sizeof value));
  }
  template <class T>
  T hear() const {
    T value{};
    EXPECT_EQ(recv(socket_, &value, sizeof value, MSG_WAITALL), static_cast<ssize_t>(sizeof value));
    return value;
  }
  int socket() const { return socket_; }

 private:
  int socket_;
};

// A process that runs body(Line). Made before this process has called cuInit.
class Child {
 public:
  template <class Body>
  explicit Child(Body body) {
    std::array<int, 2> ends{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    here_ = ends[0];
    process_ = fork();
    if (process_ != 0) {
      close(ends[1]);
      return;
    }
    close(ends[0]);
    body(Line(ends[1]));
    std::exit(testing::Test::HasFailure() ? 1 : 0);  // with what runs at exit
  }
  ~Child() {
    int status = -1;
    EXPECT_EQ(waitpid(process_, &status, 0), process_);
    EXPECT_EQ(status, expected_status_);
    close(here_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  Line line() const { return Line(here_); }
  pid_t process() const { return process_; }
  void kill_it() {
    kill(process_, SIGKILL);
    expected_status_ = SIGKILL;
  }

 private:
  int here_ = -1;
  pid_t process_ = -1;
  int expected_status_ = 0;
};

struct ProcessState {
  char state = 0;  // as in /proc; 0: there is no such process
  pid_t parent = 0;
  unsigned long ticks = 0;  // of CPU time
};

inline ProcessState state_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  if (!std::getline(file, text)) return {};
  std::istringstream rest(text.substr(text.rfind(')') + 1));
  ProcessState state;
  rest >> state.state >> state.parent;
  std::string skipped;
  for (int field = 5; field < 14; ++field) rest >> skipped;
  unsigned long user = 0, system = 0;
  rest >> user >> system;
  state.ticks = user + system;
  return state;
}

// The executor of a process, or 0.
inline pid_t executor_of(pid_t process) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "comm");
    std::string comm;
    std::getline(file, comm);
    if (comm == "cuda_emu_exec" && state_of(std::stoi(name)).parent == process) return std::stoi(name);
  }
  return 0;
}

// Where nobody reaps orphans, one that has ended stays as a zombie: that is not ours to mend.
inline bool has_ended(pid_t process) {
  const char state = state_of(process).state;
  return state == 0 || state == 'Z' || state == 'X';
}

inline bool ends_soon(pid_t process) {
  for (int i = 0; i < 500 && !has_ended(process); ++i) usleep(10'000);
  return has_ended(process);
}

}  // namespace cuda_emu_test
