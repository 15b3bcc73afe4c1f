// Ranks that go on when others are killed. This program is their launcher, too: it forks the ranks, kills some of them at
// random moments with SIGKILL, also in the middle of shrinking, and waits for the others, which compute on what is left.
//
// usage: survivors --ranks N --kill N --rounds N --seed N [--hosts N] [--children 1]
//
//   --children 1   each rank has a child of its own, which it has forked without exec, and which lives until the round is
//   over
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "xylem/xylem.h"

namespace {

using namespace std::chrono_literals;

constexpr int kMostRanks = 16;
constexpr std::size_t kMostBytes = 4096;
constexpr auto kPatience = 60s;

// What all processes of a round share.
struct Board {
  pthread_barrier_t barrier;
  char gathered[kMostRanks][kMostBytes];
  std::atomic<int> running;
  std::atomic<int> left_over;  // how many ranks shall be left in the end; 0: not yet
  std::atomic<bool> over;      // no rank lives any more
};

struct Rank {
  Board& board;
  int rank, ranks;
};

// The bootstrap of the first communicator. Afterwards it is as dead as the ranks that are killed.
int allgather(const void* send, void* recv, size_t bytes, void* context) {
  const Rank& rank = *static_cast<Rank*>(context);
  if (bytes > kMostBytes) return 1;
  std::memcpy(rank.board.gathered[rank.rank], send, bytes);
  pthread_barrier_wait(&rank.board.barrier);
  for (int each = 0; each < rank.ranks; ++each)
    std::memcpy(static_cast<char*>(recv) + static_cast<std::size_t>(each) * bytes, rank.board.gathered[each], bytes);
  pthread_barrier_wait(&rank.board.barrier);
  return 0;
}

[[noreturn]] void complain(int rank, const char* what) {
  std::fprintf(stderr, "FAILED: rank %d: %s: %s\n", rank, what, xylem_last_error());
  std::_Exit(1);
}

// Calls of several sizes with right values. False: the communicator has failed.
bool compute(xylem_comm_t comm, int rank, bool& over) {
  int size = 0, place = 0;
  xylem_comm_size(comm, &size);
  xylem_comm_rank(comm, &place);
  std::vector<long> members(static_cast<std::size_t>(size));
  const long own = rank + 1;
  if (xylem_allgather(&own, members.data(), 1, XYLEM_INT64, comm, XYLEM_STREAM_NONE) != XYLEM_SUCCESS) return false;
  if (!std::is_sorted(members.begin(), members.end()) || members[static_cast<std::size_t>(place)] != own)
    complain(rank, "the members are not in order");
  const long total = std::accumulate(members.begin(), members.end(), 0L);
  for (const std::size_t count : {1UL, 1000UL, 50'000UL}) {
    std::vector<long> data(count, own);
    if (xylem_allreduce(XYLEM_IN_PLACE, data.data(), count, XYLEM_INT64, XYLEM_SUM, comm, XYLEM_STREAM_NONE) != XYLEM_SUCCESS)
      return false;
    if (std::any_of(data.begin(), data.end(), [&](long value) { return value != total; })) complain(rank, "wrong sum");
  }
  const std::size_t block = 20'000;  // long enough to be lent
  std::vector<long> sent(block * members.size(), own), received(sent.size());
  if (xylem_alltoall(sent.data(), received.data(), block, XYLEM_INT64, comm, XYLEM_STREAM_NONE) != XYLEM_SUCCESS)
    return false;
  for (std::size_t i = 0; i < received.size(); ++i)
    if (received[i] != members[i / block]) complain(rank, "wrong block");
  long last = over ? 1 : 0;
  if (xylem_bcast(&last, 1, XYLEM_INT64, 0, comm, XYLEM_STREAM_NONE) != XYLEM_SUCCESS) return false;
  over = last == 1;
  return true;
}

void have_a_child(const Board& board) {
  if (fork() != 0) return;
  for (const auto end = std::chrono::steady_clock::now() + 2 * kPatience; !board.over;) {
    if (std::chrono::steady_clock::now() > end) break;
    std::this_thread::sleep_for(1ms);
  }
  std::_Exit(0);
}

void live(Rank rank, int hosts, bool children) {
  if (hosts > 1) {
    setenv("XYLEM_HOSTID", ("host" + std::to_string(rank.rank * hosts / rank.ranks)).c_str(), 1);
    setenv("XYLEM_PROVIDER", "tcp;ofi_rxm", 0);
    setenv("XYLEM_NIC", "lo", 0);
  }
  const xylem_bootstrap bootstrap{rank.rank, rank.ranks, allgather, nullptr, &rank};
  xylem_comm_t comm = nullptr;
  if (xylem_comm_create(&comm, &bootstrap) != XYLEM_SUCCESS) complain(rank.rank, "no communicator");
  if (children) {
    // With connections between the ranks, of which it has copies.
    bool over = false;
    if (!compute(comm, rank.rank, over)) complain(rank.rank, "the first calls");
    have_a_child(rank.board);
  }
  ++rank.board.running;
  for (;;) {
    int size = 0;
    xylem_comm_size(comm, &size);
    bool over = size == rank.board.left_over;
    if (compute(comm, rank.rank, over)) {
      if (over) break;
      continue;
    }
    xylem_comm_t survivors = nullptr;
    if (xylem_comm_shrink(comm, &survivors) != XYLEM_SUCCESS) complain(rank.rank, "cannot shrink");
    if (xylem_comm_destroy(comm) != XYLEM_SUCCESS) complain(rank.rank, "cannot destroy what failed");
    comm = survivors;
  }
  if (xylem_comm_destroy(comm) != XYLEM_SUCCESS) complain(rank.rank, "cannot destroy what is left");
  std::_Exit(0);
}

// What is wrong, or nothing.
std::string play(int ranks, int kill_count, int hosts, bool children, std::mt19937& random) {
  void* const memory = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  Board& board = *new (memory) Board{};
  pthread_barrierattr_t shared;
  pthread_barrierattr_init(&shared);
  pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&board.barrier, &shared, static_cast<unsigned>(ranks));
  std::map<pid_t, int> alive;
  std::vector<pid_t> pids;
  for (int rank = 0; rank < ranks; ++rank) {
    const pid_t pid = fork();
    if (pid == 0) live({board, rank, ranks}, hosts, children);
    pids.push_back(pid);
    alive[pid] = rank;
  }
  std::string wrong;
  const auto wait_for = [&](auto condition, const char* what) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (wrong.empty() && !condition()) {
      int status = 0;
      const pid_t pid = waitpid(-1, &status, WNOHANG);
      if (pid > 0) {
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) wrong = "rank " + std::to_string(alive[pid]) + " ended badly";
        alive.erase(pid);
      } else {
        std::this_thread::sleep_for(200us);
      }
      if (std::chrono::steady_clock::now() > end) wrong = std::string(what) + ": the ranks hang";
    }
  };
  wait_for([&] { return board.running == ranks; }, "at the beginning");
  std::vector<pid_t> victims = pids;
  std::shuffle(victims.begin(), victims.end(), random);
  victims.resize(static_cast<std::size_t>(kill_count));
  for (const pid_t victim : victims) {
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20'000));
    if (!wrong.empty()) break;
    std::printf(" %d", alive[victim]);
    kill(victim, SIGKILL);
    waitpid(victim, nullptr, 0);
    alive.erase(victim);
  }
  std::puts("");
  board.left_over = ranks - kill_count;
  wait_for([&] { return alive.empty(); }, "at the end");
  for (const auto& [pid, rank] : alive) {
    if (!wrong.empty()) std::printf("rank %d is left\n", rank);
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  board.over = true;
  munmap(memory, sizeof(Board));
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, int> options{{"--ranks", 4}, {"--kill", 1},  {"--rounds", 5},
                                     {"--seed", 1},  {"--hosts", 1}, {"--children", 0}};
  for (int i = 1; i + 1 < argc; i += 2) options[argv[i]] = std::atoi(argv[i + 1]);
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  std::printf("seed %d\n", options["--seed"]);
  std::mt19937 random(static_cast<unsigned>(options["--seed"]));
  for (int round = 0; round < options["--rounds"]; ++round) {
    std::printf("round %d kills", round);
    const std::string wrong =
        play(options["--ranks"], options["--kill"], options["--hosts"], options["--children"] != 0, random);
    if (!wrong.empty()) {
      std::printf("FAILED: round %d: %s\n", round, wrong.c_str());
      return 1;
    }
  }
}
