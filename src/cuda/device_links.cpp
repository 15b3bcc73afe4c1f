#include "cuda/device_links.hpp"

#include <unistd.h>

#include <algorithm>
#include <mutex>

#include "base/error.hpp"
#include "cuda/context.hpp"

namespace xylem::cuda {
namespace {

// What a rank owns of the two channels between it and a peer, in one lane, and of the two for small messages; the peer writes
// it.
struct Lines {
  exec::ChannelTail tail;  // of the channel from the peer
  exec::ChannelHead head;  // of the channel to the peer
  exec::ChannelHead line_head;
};

// Of one rank's memory: Lines of every lane and peer | a byte of every peer, 1 when it has gone | flagged words of every lane
// and peer, zero at first | slots of every lane and peer | what is the rank's own: messages from and to every peer in every
// lane, tables.
struct Layout {
  static constexpr std::size_t kPage = 4096;
  static constexpr std::size_t kWordBytes = exec::kSlots * std::size_t{kSlotWords} * sizeof(FlaggedWord);

  std::uint32_t ranks;

  std::size_t index(std::uint32_t lane, std::uint32_t peer) const { return std::size_t{lane} * ranks + peer; }
  std::size_t channels() const { return index(kLanes, 0); }
  std::size_t lines(std::uint32_t lane, std::uint32_t peer) const { return index(lane, peer) * sizeof(Lines); }
  std::size_t gone() const { return channels() * sizeof(Lines); }
  std::size_t words(std::uint32_t lane, std::uint32_t peer) const {
    return coll::divide_up(gone() + ranks, kPage) * kPage + index(lane, peer) * kWordBytes;
  }
  std::size_t slots(std::uint32_t lane, std::uint32_t peer) const {
    return coll::divide_up(words(kLanes, 0), kPage) * kPage + index(lane, peer) * exec::kSlots * kDeviceSlotBytes;
  }
  std::size_t message(std::uint32_t lane, std::uint32_t peer, bool to) const {
    return slots(kLanes, 0) + (2 * index(lane, peer) + (to ? 1 : 0)) * kLineBytes;
  }
  std::size_t tables() const { return message(kLanes, 0, false); }
};

// What kernels find one kind of channels by. Lies in device memory, with pointers into it.
template <class Endpoints, class Channel>
class Table {
 public:
  explicit Table(std::uint32_t ranks) : ranks_(ranks), channels_(2 * std::size_t{kLanes} * ranks) {}

  static constexpr std::size_t bytes(std::uint32_t ranks) {
    return kLanes * sizeof(Endpoints) + 2 * std::size_t{kLanes} * ranks * sizeof(Channel);
  }
  Channel& to(std::uint32_t lane, std::uint32_t peer) { return channels_[2 * std::size_t{lane} * ranks_ + peer]; }
  Channel& from(std::uint32_t lane, std::uint32_t peer) { return channels_[(2 * std::size_t{lane} + 1) * ranks_ + peer]; }

  // As it is to lie at `place`.
  std::vector<std::byte> image(std::byte* place) const {
    auto* const channels = reinterpret_cast<Channel*>(place + kLanes * sizeof(Endpoints));
    std::vector<Endpoints> endpoints(kLanes);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      endpoints[lane].to = channels + 2 * std::size_t{lane} * ranks_;
      endpoints[lane].from = endpoints[lane].to + ranks_;
    }
    std::vector<std::byte> all(bytes(ranks_));
    const auto first = std::as_bytes(std::span(endpoints)), second = std::as_bytes(std::span(channels_));
    std::copy(second.begin(), second.end(), std::copy(first.begin(), first.end(), all.begin()));
    return all;
  }

 private:
  std::uint32_t ranks_;
  std::vector<Channel> channels_;
};

using SlotTable = Table<exec::Endpoints, exec::Channel>;
using LineTable = Table<LineEndpoints, LineChannel>;

std::size_t all_bytes(std::uint32_t ranks) {
  return Layout{ranks}.tables() + SlotTable::bytes(ranks) + LineTable::bytes(ranks);
}

// Memory of links that have ended, which kernels of other ranks may still write to.
struct Retired {
  Memory near;
  std::byte* memory;
  std::uint32_t ranks;
};

struct RetiredMemory {
  std::mutex mutex;
  std::vector<Retired> all;
};

// Never destroyed: see PinnedMemory's pool.
RetiredMemory& retired_memory() {
  static RetiredMemory& it = *new RetiredMemory;
  return it;
}

// Gives back what no rank writes to any more, of the context that is current. `stream` is one of it.
void free_retired(const Driver& driver, const Memory& near, CUstream_st* stream) {
  RetiredMemory& retired = retired_memory();
  const std::lock_guard lock(retired.mutex);
  std::erase_if(retired.all, [&](const Retired& one) {
    if (!lives(driver, one.near)) return true;  // it went with its context
    if (ContextKey(one.near) != ContextKey(near)) return false;
    std::vector<std::uint8_t> gone(one.ranks);
    copy(gone.data(), one.memory + Layout{one.ranks}.gone(), gone.size(), near, stream);
    if (std::find(gone.begin(), gone.end(), 0) != gone.end()) return false;
    driver.mem_free(reinterpret_cast<CUdeviceptr>(one.memory));
    return true;
  });
}

}  // namespace

DeviceLinks::DeviceLinks(const Memory& near, std::uint32_t rank, std::uint32_t ranks, std::uint32_t& abort_word,
                         CUstream_st* stream)
    : near_(near), rank_(rank), ranks_(ranks), stream_(stream) {
  const Driver& driver = the_driver();
  const ContextScope scope(driver, near_);
  free_retired(driver, near_, stream_);
  const Layout layout{ranks_};
  memory_ = static_cast<std::byte*>(allocate_device(all_bytes(ranks_)));
  try {
    const auto address = reinterpret_cast<CUdeviceptr>(memory_);
    check(driver, driver.memset_d8_async(address, 0, layout.slots(0, 0), stream_), "cuMemsetD8Async");
    check(driver, driver.stream_synchronize(stream_), "cuStreamSynchronize");
    export_ = BufferExport(memory_, layout.slots(0, 0), memory_of(memory_));

    const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t in_page = reinterpret_cast<std::uintptr_t>(&abort_word) % page_bytes;
    void* const page = reinterpret_cast<std::byte*>(&abort_word) - in_page;
    check(driver, driver.mem_host_register(page, page_bytes, CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP),
          "cuMemHostRegister of the abort word");
    abort_page_ = page;
    CUdeviceptr on_device = 0;
    check(driver, driver.mem_host_get_device_pointer(&on_device, page, 0), "cuMemHostGetDevicePointer");
    abort_on_device_ = reinterpret_cast<std::uint32_t*>(on_device + in_page);
  } catch (...) {
    if (abort_page_ != nullptr) driver.mem_host_unregister(abort_page_);
    driver.mem_free(reinterpret_cast<CUdeviceptr>(memory_));
    throw;
  }
}

DeviceLinks::~DeviceLinks() {
  const Driver* const driver = driver_in_process();
  if (driver == nullptr) return;
  try {
    const ContextScope scope(*driver, near_);
    driver->mem_host_unregister(abort_page_);
    say_farewell();
    {
      RetiredMemory& retired = retired_memory();
      const std::lock_guard lock(retired.mutex);
      retired.all.push_back({near_, memory_, ranks_});
    }
    free_retired(*driver, near_, stream_);
  } catch (const Error&) {
    // The program has ended the context, and with it all of this.
  }
}

// Also where they have never been connected: then there is nobody else to wait for.
void DeviceLinks::say_farewell() const {
  const std::vector<std::uint8_t> ones(ranks_, 1);
  const std::size_t gone = Layout{ranks_}.gone();
  const auto say = [&](std::byte* links, std::uint32_t first, std::size_t count) {
    copy(links + gone + first, ones.data(), count, near_, stream_);
  };
  for (const Peer& peer : peers_) say(peer.links, rank_, 1);
  if (peers_.empty()) {
    say(memory_, 0, ranks_);
  } else {
    say(memory_, rank_, 1);
  }
}

void DeviceLinks::connect(std::span<const ExportedBuffer> infos) {
  const Layout layout{ranks_};
  const auto lines = [&](std::byte* owner, std::uint32_t lane, std::uint32_t peer) -> Lines& {
    return *reinterpret_cast<Lines*>(owner + layout.lines(lane, peer));
  };
  const auto words = [&](std::byte* owner, std::uint32_t lane, std::uint32_t peer) {
    return reinterpret_cast<FlaggedWord*>(owner + layout.words(lane, peer));
  };
  SlotTable slots(ranks_);
  LineTable small(ranks_);
  for (std::uint32_t peer = 0; peer < ranks_; ++peer) {
    if (peer == rank_) continue;
    OpenedBuffer opened(infos[peer], near_);
    std::byte* const there = opened.base() + infos[peer].offset;
    peers_.push_back({std::move(opened), there});
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      slots.to(lane, peer) = {&lines(there, lane, rank_).tail, &lines(memory_, lane, peer).head,
                              there + layout.slots(lane, rank_), kDeviceSlotBytes};
      slots.from(lane, peer) = {&lines(memory_, lane, peer).tail, &lines(there, lane, rank_).head,
                                memory_ + layout.slots(lane, peer), kDeviceSlotBytes};
      small.to(lane, peer) = {words(there, lane, rank_), &lines(memory_, lane, peer).line_head,
                              memory_ + layout.message(lane, peer, true)};
      small.from(lane, peer) = {words(memory_, lane, peer), &lines(there, lane, rank_).line_head,
                                memory_ + layout.message(lane, peer, false)};
    }
  }
  const auto write = [&](std::byte* place, const auto& table) {
    const std::vector<std::byte> image = table.image(place);
    copy(place, image.data(), image.size(), near_, stream_);
  };
  write(memory_ + layout.tables(), slots);
  write(memory_ + layout.tables() + SlotTable::bytes(ranks_), small);
}

exec::Endpoints* DeviceLinks::endpoints() const {
  return reinterpret_cast<exec::Endpoints*>(memory_ + Layout{ranks_}.tables());
}

const LineEndpoints* DeviceLinks::lines() const {
  return reinterpret_cast<const LineEndpoints*>(memory_ + Layout{ranks_}.tables() + SlotTable::bytes(ranks_));
}

}  // namespace xylem::cuda
