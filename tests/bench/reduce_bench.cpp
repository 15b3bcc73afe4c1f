// How fast one thread copies and reduces, beside memcpy. Not a test: run it by hand, and compare only what ran interleaved:
//
//   build/release/tests/bench_reduce --benchmark_enable_random_interleaving=true --benchmark_repetitions=25
//       --benchmark_min_time=0.005 --benchmark_report_aggregates_only=true [--benchmark_filter=...]
//
// bytes_per_second counts the bytes of one operand. On a machine that others use, look at "best".
#include <benchmark/benchmark.h>

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "exec/copy.hpp"
#include "exec/reduce/table.hpp"
#include "exec/stream.hpp"

namespace xylem::exec {
namespace {

struct Free {
  void operator()(std::byte* memory) const { std::free(memory); }  // NOLINT: of aligned_alloc
};
using Memory = std::unique_ptr<std::byte[], Free>;

Memory make_memory(std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  const std::size_t whole = (bytes + kPage - 1) / kPage * kPage;
  Memory memory(static_cast<std::byte*>(std::aligned_alloc(kPage, whole)));
  std::memset(memory.get(), 1, whole);
  return memory;
}

void count_bytes(benchmark::State& state, std::size_t bytes) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * bytes));
}

// Where malloc puts a large buffer in its first page.
constexpr std::size_t kOffset = 16;

void copy_with_memcpy(std::byte* out, const std::byte* in, std::size_t bytes) { std::memcpy(out, in, bytes); }
void copy_streaming(std::byte* out, const std::byte* in, std::size_t bytes) { stream_bytes(out, in, bytes); }
void copy_ours(std::byte* out, const std::byte* in, std::size_t bytes) { copy_bytes(out, in, bytes); }

void copy_private(benchmark::State& state, CopyFunction copy) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  const Memory in = make_memory(bytes);
  const Memory out = make_memory(bytes + kOffset);
  for (auto _ : state) {
    copy(out.get() + kOffset, in.get(), bytes);
    benchmark::ClobberMemory();
  }
  count_bytes(state, bytes);
}

// Keeps the calling thread on one of the first two CPUs that the process may use.
void stay_on(int which) {
  static const cpu_set_t allowed = [] {
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    return set;
  }();
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed) || which-- > 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    return;
  }
}

// Another CPU that copies a slot out when asked to, as a rank that receives.
class Receiver {
 public:
  Receiver(const std::byte* slot, std::size_t bytes) : thread_([this, slot, bytes] { run(slot, bytes); }) {}
  ~Receiver() {
    turn_.store(kStop, std::memory_order_release);
    thread_.join();
  }
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

  void receive() {
    turn_.store(kReceive, std::memory_order_release);
    while (turn_.load(std::memory_order_acquire) != kIdle) std::this_thread::yield();
  }

 private:
  enum Turn { kIdle, kReceive, kStop };

  void run(const std::byte* slot, std::size_t bytes) {
    stay_on(1);
    const Memory out = make_memory(bytes);
    for (;;) {
      Turn turn = kIdle;
      while ((turn = turn_.load(std::memory_order_acquire)) == kIdle) std::this_thread::yield();
      if (turn == kStop) return;
      copy_bytes(out.get(), slot, bytes);
      turn_.store(kIdle, std::memory_order_release);
    }
  }

  std::atomic<Turn> turn_ = kIdle;
  std::thread thread_;
};

// Into a slot and out of it on another CPU.
void hand_over(benchmark::State& state, CopyFunction copy) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  stay_on(0);
  const Memory in = make_memory(bytes + kOffset);
  const Memory slot = make_memory(bytes);
  Receiver receiver(slot.get(), bytes);
  for (auto _ : state) {
    copy(slot.get(), in.get() + kOffset, bytes);
    receiver.receive();
  }
  count_bytes(state, bytes);
}

void reduce_in_place(benchmark::State& state, ReduceFunction reduce, xylem_type type) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  const Memory out = make_memory(bytes);
  const Memory in = make_memory(bytes);
  for (auto _ : state) {
    reduce(out.get(), out.get(), in.get(), bytes / type_bytes(type));
    benchmark::ClobberMemory();
  }
  count_bytes(state, bytes);
}

template <class Function, class... Arguments>
benchmark::internal::Benchmark* add(const std::string& name, Function function, Arguments... arguments) {
  return benchmark::RegisterBenchmark(name.c_str(), function, arguments...)
      ->ComputeStatistics("best",
                          [](const std::vector<double>& times) { return *std::min_element(times.begin(), times.end()); });
}

void register_all() {
  constexpr std::pair<const char*, CopyFunction> kCopies[] = {
      {"memcpy", copy_with_memcpy}, {"copy_bytes", copy_ours}, {"stream_bytes", copy_streaming}};
  for (const auto& [name, copy] : kCopies) {
    for (std::int64_t bytes = 8; bytes <= 64 << 20; bytes *= bytes < 64 ? 2 : 8) {
      add(std::string("copy_private/") + name, copy_private, copy)->Arg(bytes);
    }
    for (std::int64_t bytes = 4096; bytes <= 64 << 20; bytes *= 8) {
      add(std::string("hand_over/") + name, hand_over, copy)->Arg(bytes)->UseRealTime();
    }
  }
  constexpr std::pair<xylem_op, xylem_type> kReductions[] = {
      {XYLEM_SUM, XYLEM_FLOAT},          {XYLEM_SUM, XYLEM_DOUBLE},       {XYLEM_MAX, XYLEM_DOUBLE},
      {XYLEM_MAX, XYLEM_INT32},          {XYLEM_SUM, XYLEM_FLOAT16},      {XYLEM_SUM, XYLEM_BFLOAT16},
      {XYLEM_PROD, XYLEM_COMPLEX_FLOAT}, {XYLEM_MAXLOC, XYLEM_DOUBLE_INT}};
  for (const auto& [op, type] : kReductions) {
    for (const InstructionSet set : {InstructionSet::baseline, InstructionSet::avx2, InstructionSet::avx512}) {
      if (!supported(set)) continue;
      const std::string name = std::string(op_name(op)) + "_" + type_name(type) + "/" + instruction_set_name(set);
      for (const std::int64_t bytes : {64, 4096, 64 << 10, 1 << 20, 64 << 20}) {
        add(name, reduce_in_place, find_reduce(op, type, set), type)->Arg(bytes);
      }
    }
  }
}

}  // namespace
}  // namespace xylem::exec

int main(int argc, char** argv) {
  xylem::exec::register_all();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
