// Ranks for tests of the network: threads of one process, or processes, that exchange their ConnectInfo through shared memory
// and then send and receive as an algorithm does.
#pragma once

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ofi/links.hpp"
#include "ofi/network.hpp"

namespace xylem::ofi::test {

// Network traffic of tests stays on loopback.
inline NetworkOptions on_loopback(const std::string& provider) { return {provider, "lo"}; }

// What tests run over, and how CTest calls it.
inline constexpr std::array<const char*, 4> kProviders = {"tcp;ofi_rxm", "shm", "net", "udp;ofi_rxd"};
inline std::string provider_name(const testing::TestParamInfo<const char*>& instance) {
  std::string name = instance.param;
  std::erase_if(name, [](unsigned char letter) { return std::isalnum(letter) == 0; });
  return name;
}

// Where the ranks of a test meet: in memory that survives fork.
class Meeting {
 public:
  static constexpr int kMaxRanks = 8;

  explicit Meeting(int size) : size_(size) {
    void* const memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("mmap");
    shared_ = static_cast<Shared*>(memory);
    pthread_barrierattr_t attributes;
    pthread_barrierattr_init(&attributes);
    pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&shared_->barrier, &attributes, static_cast<unsigned>(size));
    pthread_barrierattr_destroy(&attributes);
  }
  ~Meeting() { munmap(shared_, sizeof(Shared)); }
  Meeting(const Meeting&) = delete;
  Meeting& operator=(const Meeting&) = delete;

  int size() const { return size_; }
  void barrier() { pthread_barrier_wait(&shared_->barrier); }
  std::vector<ConnectInfo> exchange(int rank, const ConnectInfo& info) {
    shared_->infos[static_cast<std::size_t>(rank)] = info;
    barrier();
    std::vector<ConnectInfo> all(shared_->infos.begin(), shared_->infos.begin() + size_);
    barrier();
    return all;
  }

 private:
  struct Shared {
    pthread_barrier_t barrier;
    std::array<ConnectInfo, kMaxRanks> infos;
  };
  int size_;
  Shared* shared_;
};

using Body = std::function<void(int rank, Meeting& meeting)>;

inline void run_threads(int size, const Body& body) {
  Meeting meeting(size);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      try {
        body(rank, meeting);
      } catch (const std::exception& error) {
        ADD_FAILURE() << "rank " << rank << ": " << error.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
}

// The parent must not have an open network: its threads would not be in the children.
inline void run_processes(int size, const Body& body) {
  Meeting meeting(size);
  std::vector<pid_t> children;
  for (int rank = 0; rank < size; ++rank) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      try {
        body(rank, meeting);
      } catch (const std::exception& error) {
        ADD_FAILURE() << "rank " << rank << ": " << error.what();
      }
      _exit(testing::Test::HasFailure() ? 1 : 0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "process " << child << " ended with status " << status;
  }
}

inline std::unique_ptr<Links> connect(const std::shared_ptr<Network>& network, int rank, Meeting& meeting,
                                      std::uint32_t slot_bytes = 1024) {
  auto links = std::make_unique<Links>(network, rank, meeting.size(), slot_bytes);
  links->connect(meeting.exchange(rank, links->info()));
  return links;
}

// Two ranks that one thread plays.
struct Pair {
  explicit Pair(const std::shared_ptr<Network>& network, std::uint32_t slot_bytes = 1024)
      : links{std::make_unique<Links>(network, 0, 2, slot_bytes), std::make_unique<Links>(network, 1, 2, slot_bytes)} {
    const std::array<ConnectInfo, 2> infos = {links[0]->info(), links[1]->info()};
    for (const std::unique_ptr<Links>& each : links) each->connect(infos);
  }
  std::array<std::unique_ptr<Links>, 2> links;
};

// Drives `links`, and `other` too where one thread plays two ranks, until `ready()`; a hang is caught by CTest.
template <class Ready, class... Other>
void wait(Links& links, const Ready& ready, Other&... other) {
  while (!ready()) {
    for (Links* each : {&links, &other...}) {
      if (each->failed()) throw std::runtime_error(each->failure());
      if (!each->progress()) std::this_thread::yield();
    }
  }
}

inline std::byte content(std::uint64_t position, std::size_t offset, std::uint32_t signature) {
  return static_cast<std::byte>(position * 131 + offset * 7 + signature);
}

template <class... Other>
void send_slot(Links& links, exec::Channel& channel, std::uint32_t bytes, std::uint32_t signature, Other&... other) {
  wait(
      links, [&] { return channel.position - exec::load_acquire(channel.head->position) < exec::kSlots; }, other...);
  for (std::uint32_t i = 0; i < bytes; ++i) channel.slot()[i] = content(channel.position, i, signature);
  channel.tail->bytes[channel.position % exec::kSlots] = bytes;
  channel.tail->signature[channel.position % exec::kSlots] = signature;
  exec::store_release(channel.tail->position, ++channel.position);
  links.progress();
}

template <class... Other>
void receive_slot(Links& links, exec::Channel& channel, std::uint32_t bytes, std::uint32_t signature, Other&... other) {
  wait(
      links, [&] { return exec::load_acquire(channel.tail->position) > channel.position; }, other...);
  ASSERT_EQ(channel.tail->bytes[channel.position % exec::kSlots], bytes) << "at " << channel.position;
  ASSERT_EQ(channel.tail->signature[channel.position % exec::kSlots], signature) << "at " << channel.position;
  std::uint32_t wrong = 0;
  for (std::uint32_t i = 0; i < bytes; ++i) wrong += channel.slot()[i] != content(channel.position, i, signature) ? 1 : 0;
  ASSERT_EQ(wrong, 0U) << "bytes of slot " << channel.position;
  exec::store_release(channel.head->position, ++channel.position);
}

// What a call does before it returns.
inline void finish(Links& links) {
  wait(links, [&] { return links.idle(); });
}

}  // namespace xylem::ofi::test
