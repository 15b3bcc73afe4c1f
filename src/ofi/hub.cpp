#include "ofi/hub.hpp"

#include <rdma/fi_errno.h>

#include <algorithm>
#include <bit>
#include <random>
#include <thread>

#include "base/error.hpp"
#include "base/log.hpp"
#include "ofi/farewell.hpp"
#include "ofi/in_link.hpp"
#include "ofi/links.hpp"
#include "ofi/out_link.hpp"
#include "ofi/patience.hpp"
#include "ofi/wire.hpp"

namespace xylem::ofi {
namespace {

constexpr std::size_t kPooled = 64;

// One poll in so many looks at what all communicators have published and read: hundreds of them must not slow down the one
// that is in a call.
constexpr std::uint64_t kPollsPerRound = 64;

std::size_t pool_size(const fi_info& info) { return std::clamp<std::size_t>(info.rx_attr->size / 2, 1, kPooled); }

// Somewhere in the first half of what a tag can hold: a message for a process that had our address before finds nobody.
std::uint64_t first_link() {
  std::random_device random;
  return (std::uint64_t{random()} << 32 | random()) % (kLinkLimit / 2);
}

}  // namespace

Hub::Hub(Info info)
    : endpoint_(std::move(info)),
      next_link_(first_link()),
      pool_(pool_size(endpoint_.info())),
      pool_memory_(endpoint_, pool_.size() * Links::kMaxSlotBytes) {
  const fi_info& got = endpoint_.info();
  // The topmost bits of the format that are zero are bits that the provider keeps.
  if (std::countl_zero(got.ep_attr->mem_tag_format) > std::countl_zero(kTagLimit - 1))
    throw Error(XYLEM_ERROR_UNSUPPORTED,
                std::string("libfabric provider ") + got.fabric_attr->prov_name + " has tags of less than 48 bits");
  for (std::size_t i = 0; i < pool_.size(); ++i) {
    pool_[i].kind = Operation::Kind::receive;
    pool_[i].slot = static_cast<std::uint32_t>(i);
  }
  pool_memory_.allow(Endpoint::Access::local);
  post_pool();
  drain_.emplace(*this);
}

Hub::~Hub() {
  drain_.reset();
  for (Operation& receive : pool_) endpoint_.cancel(receive);
  const auto pending = [](const Operation& receive) { return receive.pending; };
  const Patience patience;
  do poll();
  while (std::any_of(pool_.begin(), pool_.end(), pending) && patience.left());
  // What the provider still has ends with the endpoint, before the memory goes.
  if (std::any_of(pool_.begin(), pool_.end(), pending) || !dead_outs_.empty() || !dead_ins_.empty() ||
      !dead_farewells_.empty())
    endpoint_.close();
}

std::uint64_t Hub::add(Links& links, std::size_t size) {
  const std::uint64_t first = next_link_;
  if (size > kLinkLimit - first) throw Error(XYLEM_ERROR_UNSUPPORTED, "libfabric: all tags of this process are used up");
  routes_.emplace(first, Route{size, &links});
  next_link_ += size;
  return first;
}

void Hub::remove(std::uint64_t first) { routes_.erase(first); }

std::uint32_t Hub::remember(std::span<const std::byte> address) {
  std::string bytes(reinterpret_cast<const char*>(address.data()), address.size());
  const auto [name, is_new] = names_.emplace(std::move(bytes), static_cast<std::uint32_t>(addresses_.size()));
  if (is_new) addresses_.push_back({&name->first, FI_ADDR_NOTAVAIL});
  return name->second;
}

fi_addr_t Hub::peer(std::uint32_t name) {
  Address& address = addresses_[name];
  if (address.handle == FI_ADDR_NOTAVAIL) address.handle = endpoint_.insert(std::as_bytes(std::span(*address.bytes)));
  return address.handle;
}

bool Hub::progress(Links& caller, bool all_credits) {
  bool moved = caller.push(all_credits);
  if (round_due_.load(std::memory_order_relaxed)) {
    round_due_.store(false, std::memory_order_relaxed);
    moved = push_all(true) || moved;
  } else if (polls_ % kPollsPerRound == 0) {
    moved = push_all(false) || moved;
  }
  return poll() || moved;
}

bool Hub::push_all(bool all_credits) {
  bool moved = false;
  for (const auto& [first, route] : routes_) moved = route.links->push(all_credits) || moved;
  return moved;
}

bool Hub::poll() {
  ++polls_;
  if (!pool_is_posted_) post_pool();
  return endpoint_.poll([this](const Completion& done) { handle(done); });
}

void Hub::handle(const Completion& done) {
  if (done.of_queue) return fail_all(done.reason);
  // What a peer wrote did not arrive whole: all that this side sends has an operation. The peer's own side fails, too, and
  // tells, unless its process has ended, which is noticed.
  if (done.operation == nullptr) return;
  Operation& operation = *done.operation;
  operation.pending = false;
  switch (operation.kind) {
    case Operation::Kind::receive:
      if (done.error == FI_ECANCELED) return;
      arrived(done);
      return post(operation);
    case Operation::Kind::answer:
      return operation.in->answered(done);
    case Operation::Kind::send:
      return operation.out->sent(done);
    case Operation::Kind::notice:
      return;
  }
}

Links* Hub::find(std::uint64_t link, int& from) const {
  auto route = routes_.upper_bound(link);
  if (route == routes_.begin()) return nullptr;
  --route;
  if (link - route->first >= route->second.size) return nullptr;
  from = static_cast<int>(link - route->first);
  return route->second.links;
}

void Hub::arrived(const Completion& done) {
  const Tag tag = unpack_tag(done.tag);
  int from = 0;
  Links* const links = find(tag.link, from);
  if (done.error != 0) {
    // Not every provider says which message it was.
    if (links == nullptr) return fail_all("a message could not be received: " + done.reason);
    return links->fail("a message from rank " + std::to_string(from) + " could not be received: " + done.reason, from);
  }
  if (links != nullptr && done.has_data)
    links->arrived(from, tag, unpack_data(done.data), {pooled(done.operation->slot), done.bytes});
}

void Hub::post_pool() {
  pool_is_posted_ = true;
  for (Operation& receive : pool_)
    if (!receive.pending) post(receive);
}

void Hub::post(Operation& receive) {
  const Endpoint::Buffer buffer{pooled(receive.slot), Links::kMaxSlotBytes, pool_memory_.descriptor()};
  const PostResult code = endpoint_.receive(buffer, receive);
  if (code == 0) return;
  pool_is_posted_ = false;
  if (code != -FI_EAGAIN) fail_all(std::string("cannot post a receive: ") + library().strerror(static_cast<int>(-code)));
}

void Hub::fail_all(const std::string& reason) {
  for (const auto& [first, route] : routes_) route.links->fail(reason);
}

std::byte* Hub::pooled(std::size_t index) const { return pool_memory_.data() + index * Links::kMaxSlotBytes; }

void Hub::bury(std::unique_ptr<OutLink> link) {
  link->abandon();
  dead_outs_.push_back(std::move(link));
}

void Hub::bury(std::unique_ptr<InLink> link) {
  link->abandon();
  dead_ins_.push_back(std::move(link));
}

void Hub::bury(std::unique_ptr<Farewell> farewell) { dead_farewells_.push_back(std::move(farewell)); }

Drain::State Hub::drain() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) {
    round_due_.store(true, std::memory_order_relaxed);
    return Drain::State::busy;
  }
  const bool driven = polls_ != drained_at_;
  push_all(true);
  poll();
  drained_at_ = polls_;
  if (driven) return Drain::State::busy;
  const bool settled =
      std::all_of(routes_.begin(), routes_.end(), [](const auto& route) { return route.second.links->settled(); });
  return settled ? Drain::State::settled : Drain::State::unsettled;
}

}  // namespace xylem::ofi
