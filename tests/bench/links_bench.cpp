// Two processes on loopback: half the round trip of 8 bytes, and the rate of one-way streams copied into and out of slots.
//
//   bench_links [provider [slot bytes]]
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "ofi/links.hpp"
#include "ofi/network.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using xylem::exec::Channel;
using xylem::ofi::ConnectInfo;
using xylem::ofi::Links;
using xylem::ofi::Network;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct Shared {
  std::array<ConnectInfo, 2> infos;
  std::atomic<int> arrived;
};

template <class Ready>
void wait(Links& links, const Ready& ready) {
  for (int polls = 0; !ready(); ++polls) {
    if (links.failed()) throw std::runtime_error(links.failure());
    if (!links.progress() && polls > 200) std::this_thread::yield();
  }
}

void send(Links& links, Channel& channel, const std::byte* data, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes; ++channel.position) {
    const std::size_t part = std::min<std::size_t>(bytes - done, channel.slot_bytes);
    wait(links, [&] { return channel.position - xylem::exec::load_acquire(channel.head->position) < xylem::exec::kSlots; });
    std::memcpy(channel.slot(), data + done, part);
    channel.tail->bytes[channel.position % xylem::exec::kSlots] = static_cast<std::uint32_t>(part);
    xylem::exec::store_release(channel.tail->position, channel.position + 1);
    done += part;
    links.progress();
  }
}

void receive(Links& links, Channel& channel, std::byte* data, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes; ++channel.position) {
    wait(links, [&] { return xylem::exec::load_acquire(channel.tail->position) > channel.position; });
    const std::size_t part = channel.tail->bytes[channel.position % xylem::exec::kSlots];
    std::memcpy(data + done, channel.slot(), part);
    xylem::exec::store_release(channel.head->position, channel.position + 1);
    done += part;
  }
}

struct End {
  Links& links;
  Channel out;
  Channel in;
  int rank;
};

double ping_pong(End& end, int rounds) {
  std::array<std::byte, 8> word{};
  const auto start = Clock::now();
  for (int i = 0; i < rounds; ++i) {
    if (end.rank == 0) send(end.links, end.out, word.data(), word.size());
    receive(end.links, end.in, word.data(), word.size());
    if (end.rank == 1) send(end.links, end.out, word.data(), word.size());
  }
  wait(end.links, [&] { return end.links.idle(); });
  return seconds_since(start) / rounds / 2;
}

double stream(End& end, std::vector<std::byte>& data) {
  std::byte answer{};
  const auto start = Clock::now();
  if (end.rank == 0) {
    send(end.links, end.out, data.data(), data.size());
    receive(end.links, end.in, &answer, 1);
  } else {
    receive(end.links, end.in, data.data(), data.size());
    send(end.links, end.out, &answer, 1);
  }
  wait(end.links, [&] { return end.links.idle(); });
  return seconds_since(start);
}

// The median of several goes: the machine has other things to do.
template <class Measure>
double median(int goes, const Measure& measure) {
  std::vector<double> values;
  for (int i = 0; i < goes; ++i) values.push_back(measure());
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void run(int rank, Shared& shared, const std::string& provider, std::uint32_t slot_bytes) {
  Links links(Network::open({provider, "lo", false}), rank, 2, slot_bytes);
  shared.infos[static_cast<std::size_t>(rank)] = links.info();
  ++shared.arrived;
  while (shared.arrived < 2) std::this_thread::yield();
  links.connect(shared.infos);
  End end{links, links.sender(1 - rank), links.receiver(1 - rank), rank};

  ping_pong(end, 100);
  const double latency = median(11, [&] { return ping_pong(end, 200); });
  std::vector<std::byte> small(1 << 20);
  const double one = median(21, [&] { return stream(end, small); });
  std::vector<std::byte> large(64 << 20);
  const double many = median(5, [&] { return stream(end, large); });
  if (rank == 0)
    std::printf("%-12s slots of %3u KiB: 8 B %6.2f us, 1 MiB %5.2f GB/s, 64 MiB %5.2f GB/s\n", provider.c_str(),
                slot_bytes / 1024, latency * 1e6, 1e-9 * static_cast<double>(small.size()) / one,
                1e-9 * static_cast<double>(large.size()) / many);
}

}  // namespace

int main(int count, char** arguments) {
  const std::string provider = count > 1 ? arguments[1] : "tcp;ofi_rxm";
  const auto slot_bytes = static_cast<std::uint32_t>(count > 2 ? std::atoi(arguments[2]) : 65536);
  void* const memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  auto* const shared = new (memory) Shared{};
  const pid_t child = fork();
  try {
    run(child == 0 ? 1 : 0, *shared, provider, slot_bytes);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  int status = 0;
  return child == 0 || waitpid(child, &status, 0) != child ? 0 : status;
}
