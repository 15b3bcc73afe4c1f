// Two objects of Watch stand for two processes where nothing has to die; where something has, it is a child.
#include "watch/watch.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <new>

#include "watch/addresses.hpp"

namespace {

std::atomic<bool> no_descriptors = false;
std::atomic<std::int64_t> refused = 0;

}  // namespace

// In place of libc's.
extern "C" int accept4(int socket, sockaddr* __restrict address, socklen_t* __restrict length, int flags) {
  if (!no_descriptors) return static_cast<int>(syscall(SYS_accept4, socket, address, length, flags));
  ++refused;
  errno = EMFILE;
  return -1;
}

namespace xylem::watch {
namespace {

using namespace std::chrono_literals;

// What a communicator was told.
class Told {
 public:
  static void report(void* context, std::uint32_t rank, End how) {
    auto& told = *static_cast<Told*>(context);
    const std::scoped_lock lock(told.mutex_);
    told.ends_.emplace_back(rank, how);
  }

  using Ends = std::vector<std::pair<std::uint32_t, End>>;
  Ends ends() const {
    const std::scoped_lock lock(mutex_);
    return ends_;
  }
  // Whether it was told so many in reasonable time.
  bool wait(std::size_t count) const {
    for (int i = 0; i < 2000 && ends().size() < count; ++i) std::this_thread::sleep_for(5ms);
    return ends().size() == count;
  }

 private:
  mutable std::mutex mutex_;
  Ends ends_;
};

// A process that tells who it is, watches the test if `remote`, and waits for what comes.
class Child {
 public:
  Child(const Identity& parent, bool remote) {
    void* const page = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    shared_ = new (page) Shared{};
    pid_ = fork();
    if (pid_ != 0) {
      while (!shared_->ready) std::this_thread::sleep_for(1ms);
      return;
    }
    auto watch = std::make_shared<Watch>();
    shared_->identity = watch->identity(remote);
    Told told;
    auto vigil = std::make_unique<Vigil>(watch, &Told::report, &told);
    if (remote) vigil->watch_remote(parent, 0);
    shared_->ready = true;
    while (!shared_->end_well) {
      if (shared_->forks && !shared_->has_forked) fork_once();
      std::this_thread::sleep_for(1ms);
    }
    vigil.reset();
    watch.reset();
    _exit(told.ends().empty() ? 0 : 1);
  }
  ~Child() {
    kill();
    shared_->over = true;
    munmap(shared_, sizeof(Shared));
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  const Identity& identity() const { return shared_->identity; }
  // From now on it has a child of its own, which knows nothing of all this and lives as long as this object.
  void have_a_child() {
    shared_->forks = true;
    while (!shared_->has_forked) std::this_thread::sleep_for(1ms);
  }
  void kill() {
    if (pid_ == 0) return;
    ::kill(pid_, SIGKILL);
    waitpid(std::exchange(pid_, 0), nullptr, 0);
  }
  // Its exit status.
  int end_well() {
    shared_->end_well = true;
    int status = 0;
    waitpid(std::exchange(pid_, 0), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  struct Shared {
    Identity identity;
    std::atomic<bool> ready, end_well, forks, has_forked, over;
  };
  void fork_once() {
    if (fork() != 0) return;
    shared_->has_forked = true;
    while (!shared_->over) std::this_thread::sleep_for(1ms);
    _exit(0);
  }

  Shared* shared_;
  pid_t pid_;
};

TEST(Watch, AProcessOfThisHostThatIsKilledIsReported) {
  Child child({}, false);
  const auto watch = std::make_shared<Watch>();
  Told told, other;
  Vigil vigil(watch, &Told::report, &told);
  Vigil second(watch, &Told::report, &other);
  vigil.watch_local(child.identity(), 3);
  second.watch_local(child.identity(), 5);
  EXPECT_TRUE(told.ends().empty());
  child.kill();
  ASSERT_TRUE(told.wait(1) && other.wait(1));
  EXPECT_EQ(told.ends(), (Told::Ends{{3, End::process}}));
  EXPECT_EQ(other.ends(), (Told::Ends{{5, End::process}}));
}

TEST(Watch, AProcessOfAnotherHostThatIsKilledIsReported) {
  const auto watch = std::make_shared<Watch>();
  const Identity own = watch->identity(true);
  // Who connects is chance: both ways occur.
  for (std::uint32_t round = 0; round < 6; ++round) {
    Child child(own, true);
    Told told;
    Vigil vigil(watch, &Told::report, &told);
    vigil.watch_remote(child.identity(), round);
    // The connection takes a moment; what is killed before is noticed by who is told of a connection that was there.
    std::this_thread::sleep_for(200ms);
    EXPECT_TRUE(told.ends().empty());
    child.kill();
    ASSERT_TRUE(told.wait(1)) << "round " << round;
    EXPECT_EQ(told.ends(), (Told::Ends{{round, End::process}}));
  }
}

// A worker of a Python program, say.
TEST(Watch, AKilledProcessIsReportedThoughItsChildLives) {
  const auto watch = std::make_shared<Watch>();
  const Identity own = watch->identity(true);
  for (std::uint32_t round = 0; round < 4; ++round) {
    Child child(own, true);
    Told told;
    Vigil vigil(watch, &Told::report, &told);
    vigil.watch_remote(child.identity(), round);
    std::this_thread::sleep_for(200ms);
    child.have_a_child();
    EXPECT_TRUE(told.ends().empty());
    child.kill();
    ASSERT_TRUE(told.wait(1)) << "round " << round;
    EXPECT_EQ(told.ends(), (Told::Ends{{round, End::process}}));
  }
}

// A child that no handler of fork() has seen keeps what its parent closes open.
TEST(Watch, WhatIsClosedIsNotAttendedToThoughACopyIsOpen) {
  const auto watch = std::make_shared<Watch>();
  Told told;
  Vigil vigil(watch, &Told::report, &told);
  Child first({}, false), second({}, false), third({}, false);
  vigil.watch_local(first.identity(), 1);
  const auto copy = static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
  if (copy == 0)
    for (;;) pause();
  first.kill();
  ASSERT_TRUE(told.wait(1));
  // Its descriptor has the number that the first one's had.
  vigil.watch_local(second.identity(), 2);
  vigil.watch_local(third.identity(), 3);
  third.kill();
  EXPECT_TRUE(told.wait(2));
  EXPECT_EQ(told.ends(), (Told::Ends{{1, End::process}, {3, End::process}}));
  ::kill(copy, SIGKILL);
  waitpid(copy, nullptr, 0);
}

TEST(Watch, AGoodEndIsNotReported) {
  const auto watch = std::make_shared<Watch>();
  const Identity own = watch->identity(true);
  for (std::uint32_t round = 0; round < 6; ++round) {
    Child child(own, true);
    Told told;
    Vigil vigil(watch, &Told::report, &told);
    vigil.watch_remote(child.identity(), round);
    std::this_thread::sleep_for(100ms);
    EXPECT_EQ(child.end_well(), 0);
    std::this_thread::sleep_for(50ms);
    EXPECT_TRUE(told.ends().empty()) << "round " << round;
  }
}

TEST(Watch, NothingIsReportedAfterAVigil) {
  Child child({}, false);
  const auto watch = std::make_shared<Watch>();
  Told told;
  { Vigil(watch, &Told::report, &told).watch_local(child.identity(), 1); }
  child.kill();
  Told later;
  Child second({}, false);
  Vigil vigil(watch, &Told::report, &later);
  vigil.watch_local(second.identity(), 2);
  second.kill();
  ASSERT_TRUE(later.wait(1));
  EXPECT_TRUE(told.ends().empty());
}

TEST(Watch, ThreadsOfOneProcessDoNotWatchEachOther) {
  const auto watch = std::make_shared<Watch>();
  Told told;
  Vigil vigil(watch, &Told::report, &told);
  vigil.watch_local(watch->identity(true), 1);
  vigil.watch_remote(watch->identity(true), 1);
  EXPECT_TRUE(told.ends().empty());
}

// A connection from this host to what listens at the port, with `words` sent.
int connect_and_say(std::uint16_t port, const void* words) {
  const int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(connection, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  EXPECT_EQ(send(connection, words, sizeof(Message), MSG_NOSIGNAL), static_cast<ssize_t>(sizeof(Message)));
  return connection;
}

// Who connects while no descriptor is left is let in later, and is not looked at without a pause until then.
TEST(Watch, WithoutDescriptorsItRests) {
  const auto watch = std::make_shared<Watch>();
  const Identity own = watch->identity(true);
  no_descriptors = true;
  const auto begin = std::chrono::steady_clock::now();
  const Message hello{Message::Kind::hello, own.secret, 7};
  const int connection = connect_and_say(own.port, &hello);
  while (refused == 0) std::this_thread::sleep_for(1ms);
  std::this_thread::sleep_for(250ms);
  const std::int64_t seen = refused;
  EXPECT_LE(seen, 1 + (std::chrono::steady_clock::now() - begin) / 100ms);
  no_descriptors = false;
  Message answer{};
  EXPECT_EQ(recv(connection, &answer, sizeof answer, MSG_WAITALL), static_cast<ssize_t>(sizeof answer));
  EXPECT_EQ(answer.kind, Message::Kind::welcome);
  close(connection);
}

// A process that the test plays: the watch connects to it.
class Played {
 public:
  Played() : listener_(listen_everywhere(identity_.port)) {
    identity_.secret = ~std::uint64_t{0};
    identity_.addresses[0] = {4, {127, 0, 0, 1}};
  }

  const Identity& identity() const { return identity_; }
  // A connection whose hello has been read.
  Connection take_in() {
    pollfd waits{listener_.number(), POLLIN, 0};
    poll(&waits, 1, -1);
    Connection connection(Descriptor::opened([&] { return accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC); }));
    const Message hello = hear(connection);
    EXPECT_EQ(hello.kind, Message::Kind::hello);
    EXPECT_EQ(hello.to, identity_.secret);
    from_ = hello.from;
    return connection;
  }
  void welcome(Connection& connection) {
    EXPECT_TRUE(connection.send({Message::Kind::welcome, from_, identity_.secret}));
    EXPECT_EQ(hear(connection).kind, Message::Kind::chosen);
  }
  void stop_listening() { listener_ = {}; }

 private:
  static Message hear(Connection& connection) {
    const Connection::Heard heard = connection.receive();
    EXPECT_TRUE(heard.message);
    return heard.message.value_or(Message{});
  }

  Identity identity_{};
  Descriptor listener_;
  std::uint64_t from_ = 0;
};

TEST(Watch, AProcessThatEndsBeforeItsWelcomeIsReported) {
  Played peer;
  Told told;
  Vigil vigil(std::make_shared<Watch>(), &Told::report, &told);
  vigil.watch_remote(peer.identity(), 1, true);
  {
    const Connection connection = peer.take_in();
    peer.stop_listening();
  }
  ASSERT_TRUE(told.wait(1));
  EXPECT_EQ(told.ends(), (Told::Ends{{1, End::process}}));
}

// As one that has too many of them does.
TEST(Watch, AConnectionThatEndsBeforeItsWelcomeIsMadeAnew) {
  Played peer;
  Told told;
  Vigil vigil(std::make_shared<Watch>(), &Told::report, &told);
  vigil.watch_remote(peer.identity(), 1, true);
  for (int refusals = 0; refusals < 3; ++refusals) peer.take_in();
  {
    Connection connection = peer.take_in();
    peer.welcome(connection);
    EXPECT_TRUE(told.ends().empty());
  }
  ASSERT_TRUE(told.wait(1));
  EXPECT_EQ(told.ends(), (Told::Ends{{1, End::process}}));
}

// A connection of a stranger, who does not know the secret, or says something else altogether: it is ended.
TEST(Watch, StrangersAreRefused) {
  const auto watch = std::make_shared<Watch>();
  const Identity own = watch->identity(true);
  const Message guess{Message::Kind::hello, own.secret + 1, 7};
  const char garbage[sizeof(Message) + 1] = "GET / HTTP/1.1 and so on";
  for (const void* words : {static_cast<const void*>(&guess), static_cast<const void*>(garbage)}) {
    const int stranger = connect_and_say(own.port, words);
    char answer = 0;
    EXPECT_EQ(recv(stranger, &answer, 1, 0), 0);  // the end, and no word before it
    close(stranger);
  }
  // Who knows it is let in.
  Child child(own, true);
  Told told;
  Vigil vigil(watch, &Told::report, &told);
  vigil.watch_remote(child.identity(), 4);
  std::this_thread::sleep_for(200ms);
  child.kill();
  EXPECT_TRUE(told.wait(1));
}

}  // namespace
}  // namespace xylem::watch
