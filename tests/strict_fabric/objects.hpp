// The objects that the strict libfabric hands out. Each begins as libfabric's does, and has the provider's own behind it.
// Calls that have no entry here end the process as a null pointer does: Xylem makes none.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "counts.h"
#include "settings.hpp"

namespace strict_fabric {

extern strict_fabric_counts_t counts;

// The real library, and what its provider said of itself before it was made strict.
struct RealLibrary {
  decltype(&fi_version) version;
  decltype(&fi_getinfo) getinfo;
  decltype(&fi_freeinfo) freeinfo;
  decltype(&fi_dupinfo) dupinfo;
  decltype(&fi_fabric) fabric;
  decltype(&fi_strerror) strerror;
};
const RealLibrary& real();
// `info` as the provider wants it. To be freed.
fi_info* as_real(const fi_info& info);

struct Domain;
struct Endpoint;

struct Fabric : fid_fabric {
  fid_fabric* behind;
};

struct Region : fid_mr {
  fid_mr* behind;
  void* descriptor;  // the provider's own
  Domain* domain;
  const std::byte* begin;
  std::size_t bytes;
  std::uint64_t access;
};

struct Queue : fid_cq {
  struct Entry {
    fi_cq_tagged_entry good;
    fi_cq_err_entry bad;  // where err is not 0
    std::uint64_t looks;  // still to pass before it shows
  };
  fid_cq* behind;
  Domain* domain;
  std::deque<Entry> waiting;
};

struct AddressVector : fid_av {
  fid_av* behind;
  Domain* domain;
};

struct Posted {
  enum class Kind : std::uint8_t { send, write, receive } kind;
  Endpoint* endpoint;
  const std::byte* data;
  std::size_t bytes;
  std::uint64_t sum;  // of what is in it
};

struct HeldWrite {
  Endpoint* endpoint;
  iovec local;
  void* descriptor;
  fi_addr_t to;
  fi_rma_iov remote;
  void* context;
  std::uint64_t flags;
  std::uint64_t looks;
};

struct Domain : fid_domain {
  fid_domain* behind;
  bool virtual_addresses;  // the provider's own mode
  std::atomic<bool> entered;
  std::map<void*, Posted> posted;  // by context
  std::vector<HeldWrite> held;
  std::uint64_t dice;
  std::uint64_t sends;
  std::uint64_t empty_sends;
};

struct Endpoint : fid_ep {
  fid_ep* behind;
  Domain* domain;
  Queue* queue;
  std::size_t transmit_places, receive_places;
  std::size_t max_bytes;
  std::size_t sending = 0, receiving = 0;
};

// One thread at a time.
class Entrance {
 public:
  explicit Entrance(Domain& domain) : domain_(domain) {
    if (domain_.entered.exchange(true)) broken("two threads are inside a domain at once");
  }
  ~Entrance() { domain_.entered.store(false); }
  Entrance(const Entrance&) = delete;
  Entrance& operator=(const Entrance&) = delete;

 private:
  Domain& domain_;
};

int open_domain(fid_fabric* fabric, fi_info* info, fid_domain** domain, void* context);
int open_region(fid* domain, const void* data, size_t bytes, uint64_t access, uint64_t offset, uint64_t key, uint64_t flags,
                fid_mr** region, void* context);
int open_queue(fid_domain* domain, fi_cq_attr* attributes, fid_cq** queue, void* context);
int open_address_vector(fid_domain* domain, fi_av_attr* attributes, fid_av** addresses, void* context);
int open_endpoint(fid_domain* domain, fi_info* info, fid_ep** endpoint, void* context);

std::uint64_t sum_of(const std::byte* data, std::size_t bytes);
// Hands writes that were held back to the provider when their time has come.
void release_writes(Domain& domain);

// Closes what is behind, and the object.
template <class Object>
int close_object(fid* object) {
  Object* const own = reinterpret_cast<Object*>(object);
  const int code = own->behind->fid.ops->close(&own->behind->fid);
  if (code == 0) delete own;
  return code;
}

}  // namespace strict_fabric
