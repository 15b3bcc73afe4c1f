// One libfabric endpoint with its fabric, domain, address vector and completion queue. Not thread-safe: see Hub.
#pragma once

#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ofi/handles.hpp"
#include "ofi/operation.hpp"

namespace xylem::ofi {

// What posting came to: 0, kAgain (the provider is full: try later), or another negative errno value.
using PostResult = ssize_t;

class Endpoint {
 public:
  // Throws Error.
  explicit Endpoint(Info info);

  const fi_info& info() const { return *info_; }
  const std::vector<std::byte>& address() const { return address_; }
  // The same with the port, for people.
  std::string address_text() const;

  // Memory for sends and receives, or for peers to write into (and sends). Null where the provider needs no registration:
  // only what peers write into is always registered. Throws Error.
  enum class Access : std::uint8_t { local, remote };
  Handle<fid_mr> register_memory(std::span<std::byte> memory, Access access);
  // What peers write to in order to reach `data`, inside `memory` that was registered for them.
  std::uint64_t remote_address(std::span<const std::byte> memory, const std::byte* data) const;
  // Memory must have been touched before it is registered.
  bool wants_pages() const { return (info_->domain_attr->mr_mode & FI_MR_ALLOCATED) != 0; }
  // A message overtakes no write to the same peer that was posted before it.
  bool orders_writes() const { return (info_->tx_attr->msg_order & FI_ORDER_SAW) != 0; }

  // The handle that sends take. Throws Error when the address is none of this provider's.
  fi_addr_t insert(std::span<const std::byte> address);

  struct Buffer {
    std::byte* data;
    std::size_t bytes;
    void* descriptor;  // of the registered memory
  };
  PostResult receive(const Buffer& buffer, Operation& operation);
  // A completion follows, also of small ones where a message can be lost: only that tells. Elsewhere small ones have left the
  // buffer when this returns: then the operation is not pending.
  PostResult send(const Buffer& buffer, fi_addr_t to, std::uint64_t tag, std::uint64_t data, Operation& operation);
  // Into registered memory of the peer. Where writes are not ordered, the completion says that all has arrived.
  PostResult write(const Buffer& buffer, fi_addr_t to, std::uint64_t address, std::uint64_t key, Operation& operation);
  void cancel(Operation& operation);
  // The provider lets go of everything. Nothing but the destructor may follow.
  void close() { ep_.reset(); }

  // Drives the provider and hands completions to `handle(const Completion&)`. True when there were any.
  template <class Handle>
  bool poll(Handle&& handle) {
    // Bounded, so that one thread does not serve a flood for ever.
    for (int round = 0; round < kRounds; ++round) {
      const std::span<const fi_cq_tagged_entry> entries = read();
      for (const fi_cq_tagged_entry& entry : entries) handle(completion(entry));
      if (entries.empty() && !failed_) return round > 0;
      if (failed_) handle(failure());
    }
    return true;
  }

 private:
  static constexpr int kRounds = 8;
  static constexpr std::size_t kBatch = 16;

  std::span<const fi_cq_tagged_entry> read();
  static Completion completion(const fi_cq_tagged_entry& entry);
  Completion failure();

  Info info_;
  Handle<fid_fabric> fabric_;
  Handle<fid_domain> domain_;
  Handle<fid_cq> cq_;
  Handle<fid_av> av_;
  Handle<fid_ep> ep_;  // the last: closed first
  std::vector<std::byte> address_;
  std::array<fi_cq_tagged_entry, kBatch> entries_{};
  std::size_t inject_room_ = 0;  // bytes of the longest message that need not stay in its buffer; 0: none
  bool inside_host_ = false;     // where no connection can break
  bool failed_ = false;          // the queue holds the report of an error
};

}  // namespace xylem::ofi
