// Runs a few threads in every way that C++'s memory model allows. The threads are fibers and run one at a time; each load of
// an atomic word forks: it may return any store that it may see, or wait for a later one. Two runs differ in what some load
// has read, so none is done twice, and since stores are seen late as well as at once, no other interleaving has to be tried.
//
// Which accesses there are is told by the compiler: sources that are to be explored are compiled with -fsanitize=thread, and
// hooks.cpp stands in for that sanitizer's library. So what is explored is the very text of src/exec, with the memory orders
// that it really uses.
#pragma once

#include <ucontext.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weak_memory.hpp"

namespace xylem::explorer {

class Scenario {
 public:
  virtual ~Scenario() = default;
  virtual std::size_t threads() const = 0;
  virtual std::span<std::byte> memory() = 0;  // what the threads share
  virtual void reset() = 0;                   // memory and all else as at the beginning
  virtual void run(std::size_t thread) = 0;
};

// Makes loads or stores of a word weaker than the text has them: a planted fault.
struct Weakening {
  const void* word = nullptr;
  bool stores = false;
};

// What ends a nap: time, so that who naps is no more than one who sees stores late; or, a planted fault, nothing but a store
// that another thread makes while it lasts.
enum class Naps { timed, until_woken };

struct Result {
  std::uint64_t runs = 0;      // complete ones
  std::uint64_t accesses = 0;  // plain ones of shared memory, in all runs
  std::uint64_t naps = 0;
  std::string violation;  // of the first run that had one; empty: none
};

class Explorer {
 public:
  Result explore(Scenario& scenario, const std::vector<Weakening>& weakenings = {});

  // For the threads. A wait is: begin_wait(), then begin_look() before each look at words, and naps after looks in vain.
  static void begin_wait(Naps naps);
  static void begin_look();
  // What a thread found wrong: the exploration ends with it. Does not return.
  [[noreturn]] static void fail(const std::string& text);

  // For hooks.cpp. Null: no thread is running, or it is none of the shared memory.
  static Explorer* of(const void* address);
  static bool exploring();
  static void nap();
  std::uint64_t load(const void* address, std::size_t size, bool acquire);
  void store(const void* address, std::size_t size, std::uint64_t value, bool release);
  void plain(const void* address, std::size_t size, bool write);

 private:
  static constexpr std::size_t kStackBytes = 256 << 10;

  struct Thread {
    ucontext_t context;
    std::unique_ptr<std::byte[]> stack;
    bool finished = false;
    bool asleep = false;  // until it is woken
    // Of the wait under way: what its naps are, the words that its last look was at, whether that took a newer store of one
    // than it knew, and by word the newest store that was there after the look before.
    Naps naps = Naps::timed;
    std::vector<std::size_t> looked;
    bool took_newer = false;
    std::array<std::size_t, kWords> passed{};
  };
  struct Choice {
    std::size_t taken, options;
  };

  std::size_t choose(std::size_t options);
  bool next_path();
  void run_once();
  void resume(std::size_t thread);
  [[noreturn]] void abandon();
  void end_look(Thread& thread);
  bool awake(const Thread& thread) const;
  void settle();
  bool weakened(const void* address, bool store) const;
  static void enter();

  Scenario* scenario_ = nullptr;
  const std::vector<Weakening>* weakenings_ = nullptr;
  WeakMemory memory_;
  std::array<Thread, kThreads> threads_;
  ucontext_t scheduler_;
  std::size_t current_ = 0;
  std::vector<Choice> path_;
  std::size_t depth_ = 0;
  bool abandoned_ = false;
  bool settling_ = false;  // loads see the newest store: what every store comes to in the end
  Result result_;
};

}  // namespace xylem::explorer
