// One libfabric endpoint with its fabric, domain, address vector and completion queue. Not thread-safe: see Hub.
#pragma once

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
  // `register_memory`: also where the provider does not ask for it. Throws Error.
  Endpoint(Info info, bool register_memory);

  const fi_info& info() const { return *info_; }
  const std::vector<std::byte>& address() const { return address_; }
  // The same with the port, for people.
  std::string address_text() const;

  // Null when the provider needs no registration. Throws Error.
  Handle<fid_mr> register_memory(std::span<std::byte> memory);

  // The handle that sends take. Throws Error when the address is none of this provider's.
  fi_addr_t insert(std::span<const std::byte> address);

  struct Buffer {
    std::byte* data;
    std::size_t bytes;
    void* descriptor;  // of the registered memory
  };
  PostResult receive(const Buffer& buffer, std::uint64_t tag, std::uint64_t ignore, Operation& operation);
  PostResult send(const Buffer& buffer, fi_addr_t to, std::uint64_t tag, std::uint64_t data, Operation& operation);
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
  bool failed_ = false;  // the queue holds the report of an error
  bool register_memory_;
  std::uint64_t next_key_ = 1;
};

}  // namespace xylem::ofi
