// The last that peers hear of a communicator that failed: messages without payload which say so, one to each. They need no
// channel, and a peer that cannot be reached holds up none of the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "exec/fault.hpp"
#include "ofi/operation.hpp"

namespace xylem::ofi {

class Hub;

class Farewell {
 public:
  struct Peer {
    fi_addr_t address;
    std::uint64_t link;  // the number by which the peer knows our messages
  };

  // `failed_rank`: because of whom, and why.
  Farewell(Hub& hub, const std::vector<Peer>& peers, int failed_rank, exec::Fault why);
  Farewell(const Farewell&) = delete;
  Farewell& operator=(const Farewell&) = delete;

  // --- With the hub's mutex held. ---

  // Posts what the provider takes. True when it took anything.
  bool post();
  // Every peer has been told, or cannot be.
  bool told() const { return waiting_ == 0 && quiet(); }
  // The provider holds none of our memory.
  bool quiet() const;

 private:
  struct Notice {
    Peer peer;
    bool waiting;
    Operation operation;
  };

  Hub& hub_;
  std::uint64_t data_;
  std::vector<Notice> notices_;
  std::size_t waiting_;
};

}  // namespace xylem::ofi
