// A libfabric.so.1 to put in front of the real one (LD_LIBRARY_PATH): the same providers, as hard to please as any may be. It
// demands all registration modes, has small queues that are often full, takes its time, and ends the process where a rule is
// broken:
//
//   FI_MR_LOCAL       buffers lie in registered memory, with its descriptor, and it was registered for what is done
//   FI_MR_ALLOCATED   registered pages have been touched
//   FI_MR_VIRT_ADDR, FI_MR_PROV_KEY    writes name addresses of the peer, and keys that cannot be guessed
//   FI_THREAD_DOMAIN  one thread at a time is inside a domain
//   buffers of sends and writes stay as they are until the completion has been read; so do those of receives
//   max_msg_size, inject_size, and as many operations under way as the queues have places for
//
// What it does is set by words in STRICT_FABRIC, such as "again=3 delay=2". See Settings. What it saw is counted: see
// counts.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace strict_fabric {

struct Settings {
  std::uint64_t again = 0;         // one in so many posts is refused with FI_EAGAIN; 0: none is
  std::uint64_t delay = 0;         // a completion shows at the so-many-th look at the queue after it came
  std::uint64_t depth = 0;         // places of either queue; 0: the provider's own number
  std::uint64_t inject = 0;        // bytes that may be injected
  std::uint64_t max = 0;           // of a message; 0: the provider's own limit
  std::uint64_t fail = 0;          // the so-many-th send of some bytes is lost, and completes with an error; 0: none does
  std::uint64_t fail_empty = 0;    // the same of those without any
  std::uint64_t fail_empties = 1;  // how many of them fail from that one on
  std::uint64_t memlock = 0;       // 1: no more memory is registered than RLIMIT_MEMLOCK allows
  std::uint64_t reorder = 0;       // 1: a write is carried out some looks later; messages after it overtake it
};

// Read once. Ends the process where a word is not one of these.
const Settings& settings();

// Says what rule was broken, and ends the process.
[[noreturn]] void broken(const char* rule);

}  // namespace strict_fabric
