// What all communicators share of a network: the endpoint, the buffers in which unexpected messages arrive, and who gets
// them.
//
// One mutex guards everything, the provider included. Threads that wait only try to take it: when it is held, another thread
// drives the network for all. Whoever drives it serves the communicators that nobody polls too: a rank may be in a call on
// one while a peer waits for what it left to another.
//
// Receiving. A pool of posted buffers takes whatever comes, so that any number of communicators can live with a bounded
// number of receives, and no message waits inside the provider for a rank that is late. Its payload is copied into the slot.
// Large payloads are written into their slots and need no receive.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ofi/drain.hpp"
#include "ofi/endpoint.hpp"
#include "ofi/memory.hpp"
#include "ofi/operation.hpp"

namespace xylem::ofi {

class Farewell;
class InLink;
class Links;
class OutLink;

class Hub {
 public:
  explicit Hub(Info info);
  ~Hub();
  Hub(const Hub&) = delete;
  Hub& operator=(const Hub&) = delete;

  std::mutex& mutex() { return mutex_; }
  Endpoint& endpoint() { return endpoint_; }

  // --- With the mutex held: ---

  // Gives `links` the numbers first ... first + size - 1 for its incoming messages. They are never given again, so that late
  // messages of a communicator that is gone find nobody.
  std::uint64_t add(Links& links, std::size_t size);
  void remove(std::uint64_t first);
  std::size_t communicators() const { return routes_.size(); }

  // A short name for a peer's address; equal addresses have equal names.
  std::uint32_t remember(std::span<const std::byte> address);
  // What sends take. Throws Error.
  fi_addr_t peer(std::uint32_t name);

  // Drives the network for all communicators, `caller` above all. True when anything moved.
  bool progress(Links& caller, bool all_credits);
  // Drives the provider only. True when anything was sent or received.
  bool poll();

  // Keeps what the provider has not let go of until the endpoint is closed.
  void bury(std::unique_ptr<OutLink> link);
  void bury(std::unique_ptr<InLink> link);
  void bury(std::unique_ptr<Farewell> farewell);

  // --- Without: ---

  // One round of the draining thread.
  Drain::State drain();

 private:
  struct Route {
    std::size_t size;
    Links* links;
  };
  struct Address {
    const std::string* bytes;  // the key in names_
    fi_addr_t handle;
  };

  bool push_all(bool all_credits);
  void handle(const Completion& done);
  // Who gets a message with this number, and its rank there; null: a communicator that is gone.
  Links* find(std::uint64_t link, int& from) const;
  void arrived(const Completion& done);
  void post_pool();
  void post(Operation& receive);
  void fail_all(const std::string& reason);
  std::byte* pooled(std::size_t index) const;

  std::mutex mutex_;
  Endpoint endpoint_;
  std::map<std::uint64_t, Route> routes_;  // by first number
  std::uint64_t next_link_;
  std::vector<Address> addresses_;
  std::map<std::string, std::uint32_t> names_;  // by the bytes of the address
  std::vector<std::unique_ptr<OutLink>> dead_outs_;
  std::vector<std::unique_ptr<InLink>> dead_ins_;
  std::vector<std::unique_ptr<Farewell>> dead_farewells_;
  std::vector<Operation> pool_;
  Memory pool_memory_;
  bool pool_is_posted_ = false;
  std::uint64_t polls_ = 0;
  std::uint64_t drained_at_ = 0;  // polls_ at the last round of the draining thread
  // The draining thread found the mutex taken: who has it sends all credits that are due in its place.
  std::atomic<bool> round_due_ = false;
  std::optional<Drain> drain_;  // the last: its thread uses all of the above
};

}  // namespace xylem::ofi
