// How the ranks of a new communicator get connected: three rounds of the bootstrap's allgather. Every rank goes through all
// rounds whatever happens to it, so that all of them succeed or all of them fail.
//
//   hello     who is on which host, with which cores; what rank 0's settings are
//   blocks    where each rank's shared memory lies, its network address where there are several hosts, and what to try to
//   read
//             in its own memory
//   verdict   whether everything could be mapped and connected, and what all can take
//
// Where they are all on one host and have mapped each other's memory before, the verdict is known without asking.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/bootstrap.hpp"
#include "comm/hello.hpp"
#include "comm/members.hpp"
#include "ofi/links.hpp"
#include "plan/shape.hpp"
#include "shm/host_memory.hpp"
#include "watch/door.hpp"
#include "watch/watch.hpp"

namespace xylem {

// Settings that are equal on all ranks of a communicator: rank 0's, or the parent communicator's.
struct AgreedSettings {
  std::string algorithm;
  std::size_t chunk_bytes = 0;
  double timeout_seconds = 0;
  std::string tuning{};  // the rules of the tuning file
  std::size_t loan_bytes =
      coll::Loans::kNone;  // of the shortest block that is lent; none where ranks cannot read each other's memory
  bool reproducible = false;
};

struct WiredUp {
  Members members;
  AgreedSettings settings;
  plan::Shape shape;
  std::vector<std::string> host_names;  // by host
  std::unique_ptr<shm::HostMemory> memory;
  std::unique_ptr<ofi::Links> links;  // null where all ranks share a host
  std::string provider;               // of the links
  bool devices = false;               // all ranks may have device buffers
  std::shared_ptr<watch::Watch> watch;
  std::vector<watch::Identity> processes;  // by rank
  std::uint64_t id = 0;                    // of the communicator: random, equal on all ranks
  std::unique_ptr<watch::Door> door;       // of this rank
};

// Collective over the bootstrap's ranks. `host_id` and `host_name` say where this rank takes itself to be. Throws Error, on
// all ranks if on one.
WiredUp wire_up(Bootstrap& bootstrap, std::uint64_t host_id, const std::string& host_name,
                const std::optional<AgreedSettings>& inherited);

// What this rank says in the first round.
Hello make_hello(std::uint64_t host_id, const std::string& host_name, const AgreedSettings& own);

// The rounds after the first one, whose results and settings all ranks have. `mapped`: all are on one host, and have mapped
// each other's memory.
WiredUp wire_up(Bootstrap& bootstrap, const std::vector<Hello>& hellos, const AgreedSettings& agreed, bool mapped);

// The key of a rank's door.
std::uint64_t door_key(std::uint64_t communicator, std::uint32_t rank);

// Takes part in these rounds for ranks that are given none of the communicators made over one bootstrap (MPI_UNDEFINED).
void sit_out(Bootstrap& bootstrap, bool mapped);

}  // namespace xylem
