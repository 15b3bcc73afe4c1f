#include "comm/wire_up.hpp"

#include <algorithm>
#include <cstring>
#include <random>

#include "base/log.hpp"
#include "base/settings.hpp"
#include "base/version.hpp"
#include "comm/crowding.hpp"
#include "comm/read_probe.hpp"
#include "comm/tuning.hpp"
#include "cuda/presence.hpp"
#include "topo/host_identity.hpp"
#include "topo/topology.hpp"

namespace xylem {

namespace {

// Whether a rank could do its part.
struct Report {
  bool failed;
  xylem_status status;
  char reason[232];
};

struct Blocks {
  Report report;
  shm::BlockInfo memory;
  ofi::ConnectInfo network;
  watch::Identity process;
  ReadProbe probe;
};

struct Verdict {
  Report report;
  bool reads;  // can read the memory of all ranks of its host
  std::uint32_t slot_bytes;
  std::uint32_t board_bytes;
};

template <std::size_t N>
void put_text(char (&field)[N], const std::string& text) {
  const std::size_t length = std::min(text.size(), N - 1);
  std::memcpy(field, text.data(), length);
  std::memset(field + length, 0, N - length);
}

template <std::size_t N>
std::string get_text(const char (&field)[N]) {
  return std::string(field, strnlen(field, N));
}

std::uint64_t random_id() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

void check_versions(const std::vector<Hello>& hellos) {
  for (std::size_t rank = 0; rank < hellos.size(); ++rank) {
    if (get_text(hellos[rank].version) == get_text(hellos[0].version)) continue;
    throw Error(XYLEM_ERROR_UNSUPPORTED, "rank " + std::to_string(rank) + " on " + get_text(hellos[rank].host_name) +
                                             " has Xylem " + get_text(hellos[rank].version) + ", rank 0 has " +
                                             get_text(hellos[0].version) + "; load one version everywhere");
  }
}

std::string rank_0s_text(Bootstrap& bootstrap, const std::string& own, std::size_t length) {
  if (length == 0) return {};
  std::vector<char> mine(length), all(length * static_cast<std::size_t>(bootstrap.size()));
  std::copy_n(own.begin(), std::min(length, own.size()), mine.begin());
  bootstrap.allgather(mine.data(), all.data(), length);
  return {all.data(), length};
}

AgreedSettings agree(Bootstrap& bootstrap, const std::vector<Hello>& hellos, const AgreedSettings& own) {
  AgreedSettings agreed;
  agreed.chunk_bytes = hellos[0].chunk_bytes;
  agreed.loan_bytes = hellos[0].loan_bytes;
  agreed.timeout_seconds = hellos[0].timeout_seconds;
  agreed.reproducible = hellos[0].reproducible;
  agreed.algorithm = rank_0s_text(bootstrap, own.algorithm, hellos[0].algorithm_length);
  agreed.tuning = rank_0s_text(bootstrap, own.tuning, hellos[0].tuning_length);
  return agreed;
}

// The same on all ranks: made of what all ranks said.
double crowding_of(const std::vector<Hello>& hellos) {
  double most = 1;
  std::vector<RankCores> ranks;
  for (const Hello& hello : hellos) {
    ranks.push_back({hello.host_id, hello.machine_id, hello.cores, hello.cpu_quota});
    most = std::max(most, hello.crowding);
  }
  most = std::max(most, ranks_per_core(ranks));
  remember_crowding(most);
  return most;
}

// What went wrong on this rank, if anything did.
struct Trouble {
  bool failed = false;
  xylem_status status = XYLEM_SUCCESS;
  std::string reason;

  template <class Step>
  void guard(Step step) {
    if (failed) return;
    try {
      step();
    } catch (const Error& error) {
      *this = {true, error.code(), error.what()};
    } catch (const std::bad_alloc&) {
      *this = {true, XYLEM_ERROR_OUT_OF_MEMORY, "out of memory"};
    } catch (const std::exception& error) {  // no thread can be started, say
      *this = {true, XYLEM_ERROR_SYSTEM, error.what()};
    }
  }

  Report report() const {
    Report report{failed, status, {}};
    put_text(report.reason, reason);
    return report;
  }
};

AgreedSettings own_settings(int rank) {
  return {.algorithm = settings().algorithm,
          .chunk_bytes = settings().chunk_bytes,
          .timeout_seconds = settings().timeout_seconds,
          .tuning = rank == 0 ? tuning_of_process().rules : std::string(),
          .loan_bytes = settings().single_copy_bytes == 0 ? coll::Loans::kNone : settings().single_copy_bytes,
          .reproducible = settings().reproducible};
}

// Warnings of what is wrong with the settings. The ranks of a job have one environment, as a rule: each is told once, by one
// rank, however many communicators are made.
void tell_complaints(const std::vector<Hello>& hellos, std::size_t rank) {
  tell_settings_complaints(rank == 0 || hellos[rank].complaints != hellos[0].complaints);
  if (hellos[0].tuning_trouble && log::is_news("XYLEM_TUNING_FILE") && rank == 0)
    log::warn("XYLEM_TUNING_FILE: " + tuning_of_process().trouble + "; the file is not used");
}

// A name that is not there is an error also where nobody opens the network. libfabric takes its time to tell: it is asked
// once, and only where there is a name.
void check_network_names() {
  const ofi::NetworkOptions names{.provider = settings().provider, .nic = settings().nic};
  if (names.provider.empty() && names.nic.empty()) return;
  static const bool good = (ofi::check_names(names), true);
  static_cast<void>(good);
}

// Where a member is lost no rank goes on, and none has used the blocks.
template <class T>
std::vector<T> gather_or_abandon(Bootstrap& bootstrap, const T& value, shm::HostMemory* memory) {
  try {
    return bootstrap.allgather(value);
  } catch (const MemberLost&) {
    if (memory != nullptr) memory->abandon();
    throw;
  }
}

// What the ranks will say where they have mapped each other's memory before: of what they do last, nothing can fail.
std::vector<Verdict> foreseen(const std::vector<Blocks>& blocks, std::uint32_t rank, const Verdict& own) {
  std::vector<Verdict> verdicts(blocks.size(), own);
  for (std::size_t r = 0; r < blocks.size(); ++r)
    if (r != rank) verdicts[r].report = blocks[r].report;
  return verdicts;
}

}  // namespace

Hello make_hello(std::uint64_t host_id, const std::string& host_name, const AgreedSettings& own) {
  Hello hello{};
  put_text(hello.version, kVersion);
  hello.host_id = host_id;
  static const std::uint64_t machine_id = topo::machine_id(topo::read_host_facts());
  hello.machine_id = machine_id;
  put_text(hello.host_name, host_name);
  hello.cores = topo::cores().mask;
  hello.locality = topo::locality();
  hello.cpu_quota = topo::cores().cpu_quota;
  hello.crowding = remember_crowding(1.0);
  hello.devices = cuda::may_have_device_buffers();
  hello.complaints = std::hash<std::string>{}(settings_complaints());
  hello.id = random_id();
  hello.chunk_bytes = own.chunk_bytes;
  hello.loan_bytes = own.loan_bytes;
  hello.timeout_seconds = own.timeout_seconds;
  hello.reproducible = own.reproducible;
  hello.algorithm_length = own.algorithm.size();
  hello.tuning_length = own.tuning.size();
  return hello;
}

WiredUp wire_up(Bootstrap& bootstrap, std::uint64_t host_id, const std::string& host_name,
                const std::optional<AgreedSettings>& inherited) {
  const AgreedSettings own = inherited ? *inherited : own_settings(bootstrap.rank());
  Hello hello = make_hello(host_id, host_name, own);
  hello.tuning_trouble = !inherited && bootstrap.rank() == 0 && !tuning_of_process().trouble.empty();
  const std::vector<Hello> hellos = bootstrap.allgather(hello);
  check_versions(hellos);
  tell_complaints(hellos, static_cast<std::size_t>(bootstrap.rank()));
  return wire_up(bootstrap, hellos, inherited ? own : agree(bootstrap, hellos, own), false);
}

WiredUp wire_up(Bootstrap& bootstrap, const std::vector<Hello>& hellos, const AgreedSettings& agreed, bool mapped) {
  std::vector<std::uint64_t> host_ids;
  std::vector<topo::Locality> parts;
  for (const Hello& hello : hellos) {
    host_ids.push_back(hello.host_id);
    parts.push_back(hello.locality);
  }
  WiredUp wired{.members = Members(static_cast<std::uint32_t>(bootstrap.rank()), host_ids, parts),
                .settings = agreed,
                .shape = {},
                .host_names = {},
                .memory = nullptr,
                .links = nullptr,
                .provider = {},
                .devices = false,
                .watch = nullptr,
                .processes = {},
                .id = hellos[0].id,
                .door = nullptr};
  wired.devices = std::all_of(hellos.begin(), hellos.end(), [](const Hello& hello) { return hello.devices; });
  const Members& members = wired.members;
  wired.host_names.resize(members.hosts());
  for (std::uint32_t rank = members.size(); rank-- > 0;) {
    wired.host_names[members.host_of(rank)] = get_text(hellos[rank].host_name);
  }

  Trouble trouble;
  std::shared_ptr<ofi::Network> network;
  Blocks mine{};
  trouble.guard([&] {
    wired.memory =
        std::make_unique<shm::HostMemory>(static_cast<int>(members.local_place()), static_cast<int>(members.local().size()));
    mine.memory = wired.memory->info();
    wired.watch = watch::Watch::of_process();
    // Ranks of other hosts must be able to call when everything else has failed; those of this host learn the port then.
    mine.process = wired.watch->identity(members.hosts() > 1);
    mine.probe = own_read_probe();
    wired.door = std::make_unique<watch::Door>(wired.watch, door_key(wired.id, members.rank()));
    if (members.hosts() > 1) {
      network = ofi::Network::open({.provider = settings().provider, .nic = settings().nic});
      wired.provider = network->provider();
      wired.links = std::make_unique<ofi::Links>(network, bootstrap.rank(), bootstrap.size(), ofi::Links::kMaxSlotBytes);
      mine.network = wired.links->info();
    } else if (members.local_place() == 0) {
      check_network_names();
    }
  });
  mine.report = trouble.report();
  const std::vector<Blocks> blocks = gather_or_abandon(bootstrap, mine, wired.memory.get());

  const bool all_have_blocks = std::none_of(blocks.begin(), blocks.end(), [](const Blocks& b) { return b.report.failed; });
  if (all_have_blocks) {
    trouble.guard([&] {
      std::vector<shm::BlockInfo> local;
      for (const std::uint32_t rank : members.local()) local.push_back(blocks[rank].memory);
      wired.memory->attach(local);
      if (wired.links != nullptr) {
        std::vector<ofi::ConnectInfo> peers;
        for (const Blocks& block : blocks) peers.push_back(block.network);
        wired.links->connect(peers);
      }
    });
  }
  Verdict verdict{.report = trouble.report(), .reads = false, .slot_bytes = 0, .board_bytes = 0};
  if (all_have_blocks && !trouble.failed) {
    verdict.slot_bytes = wired.memory->min_slot_bytes();
    if (wired.links != nullptr) verdict.slot_bytes = std::min(verdict.slot_bytes, wired.links->slot_bytes());
    verdict.board_bytes = wired.memory->min_board_payload();
    // Those that have mapped each other's memory have tried before, and come with what they found.
    verdict.reads = wired.settings.loan_bytes != coll::Loans::kNone &&
                    (mapped || std::ranges::all_of(members.local(), [&](auto rank) { return can_read(blocks[rank].probe); }));
  }
  const std::vector<Verdict> verdicts =
      mapped ? foreseen(blocks, members.rank(), verdict) : gather_or_abandon(bootstrap, verdict, wired.memory.get());

  wired.shape.slot_bytes = wired.shape.board_bytes = ~std::uint32_t{0};
  for (std::size_t rank = 0; rank < verdicts.size(); ++rank) {
    const Verdict& said = verdicts[rank];
    if (said.report.failed) {
      if (wired.memory != nullptr) wired.memory->abandon();
      throw Error(said.report.status, "rank " + std::to_string(rank) + " on " + get_text(hellos[rank].host_name) + ": " +
                                          get_text(said.report.reason));
    }
    wired.shape.slot_bytes = std::min(wired.shape.slot_bytes, said.slot_bytes);
    wired.shape.board_bytes = std::min(wired.shape.board_bytes, said.board_bytes);
    if (!said.reads) wired.settings.loan_bytes = coll::Loans::kNone;
  }
  for (const Blocks& block : blocks) wired.processes.push_back(block.process);
  if (wired.links != nullptr) {
    // All ranks are connected now. Communicators to come are of ranks of the first one: the MPI's world, as a rule.
    network->seal();
    wired.shape.network = plan::network_link(wired.provider.c_str());
  }
  wired.shape.ranks = members.size();
  wired.shape.hosts = members.hosts();
  wired.shape.ranks_per_host = members.ranks_per_host();
  wired.shape.ranks_per_core = crowding_of(hellos);
  wired.shape.in_rank_order = members.in_rank_order();
  wired.shape.reproducible = wired.settings.reproducible;
  if (members.hosts() == 1) wired.shape.loans = coll::Loans::from(wired.settings.loan_bytes);
  return wired;
}

std::uint64_t door_key(std::uint64_t communicator, std::uint32_t rank) {
  return communicator + 0x9E3779B97F4A7C15 * (std::uint64_t{rank} + 1);
}

void sit_out(Bootstrap& bootstrap, bool mapped) {
  bootstrap.allgather(Blocks{});
  if (!mapped) bootstrap.allgather(Verdict{});
}

}  // namespace xylem
