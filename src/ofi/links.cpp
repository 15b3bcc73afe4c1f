#include "ofi/links.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "base/log.hpp"
#include "ofi/address.hpp"
#include "ofi/farewell.hpp"
#include "ofi/hub.hpp"
#include "ofi/in_link.hpp"
#include "ofi/out_link.hpp"
#include "ofi/patience.hpp"
#include "ofi/wire.hpp"

namespace xylem::ofi {
namespace {

// Polls that move nothing before credits go out that no message has carried: far more than a peer on its way needs.
constexpr std::uint32_t kQuiet = 512;

const char* deed(exec::Fault fault) {
  if (fault == exec::Fault::died) return " died";
  return fault == exec::Fault::unreachable ? " cannot be reached" : " gave up";
}

std::string provider_of(const ConnectInfo& info) {
  return {info.provider.data(), strnlen(info.provider.data(), info.provider.size())};
}

}  // namespace

Links::Links(std::shared_ptr<Network> network, int rank, int size, std::uint32_t slot_bytes)
    : network_(std::move(network)),
      hub_(network_->hub()),
      rank_(rank),
      slot_bytes_(slot_bytes),
      outs_(static_cast<std::size_t>(size)),
      ins_(static_cast<std::size_t>(size)) {
  if (slot_bytes == 0 || slot_bytes > kMaxSlotBytes || slot_bytes % exec::kCacheLine != 0)
    throw Error(XYLEM_ERROR_INTERNAL, "network slots of " + std::to_string(slot_bytes) + " bytes");
  const fi_info& provider = hub_.endpoint().info();
  const std::vector<std::byte>& address = hub_.endpoint().address();
  if (address.size() > info_.address.size())
    throw Error(XYLEM_ERROR_UNSUPPORTED, "libfabric provider " + network_->provider() + " has addresses of " +
                                             std::to_string(address.size()) + " bytes");
  network_->provider().copy(info_.provider.data(), info_.provider.size() - 1);
  info_.place = meeting_place(network_->reach());
  info_.home = meeting_place(Reach::loopback);
  const std::size_t most = std::min<std::size_t>(slot_bytes, provider.ep_attr->max_msg_size);
  slot_bytes_ = info_.slot_bytes = static_cast<std::uint32_t>(most / exec::kCacheLine * exec::kCacheLine);
  if (slot_bytes_ == 0)
    throw Error(XYLEM_ERROR_UNSUPPORTED, "libfabric provider " + network_->provider() + " takes messages of " +
                                             std::to_string(provider.ep_attr->max_msg_size) + " bytes only");
  info_.address_format = provider.addr_format;
  info_.address_bytes = static_cast<std::uint32_t>(address.size());
  std::copy(address.begin(), address.end(), info_.address.begin());

  const std::scoped_lock lock(hub_.mutex());
  info_.first_link = hub_.add(*this, outs_.size());
}

Links::~Links() {
  std::unique_lock lock(hub_.mutex());
  close(lock);
}

void Links::connect(std::span<const ConnectInfo> peers) {
  for (std::size_t i = 0; i < peers.size(); ++i) {
    const ConnectInfo& peer = peers[i];
    const std::string name = "rank " + std::to_string(i);
    if (peer.provider != info_.provider || peer.address_format != info_.address_format)
      throw Error(XYLEM_ERROR_INVALID_ARGUMENT, "rank " + std::to_string(rank_) + " uses the libfabric provider " +
                                                    provider_of(info_) + " and " + name + " uses " + provider_of(peer) +
                                                    ": set XYLEM_PROVIDER and XYLEM_NIC so that they agree");
    if (peer.slot_bytes == 0 || peer.address_bytes > peer.address.size())
      throw Error(XYLEM_ERROR_INTERNAL, name + " has no network address");
    if (const char* const why = out_of_reach(peer))
      throw Error(XYLEM_ERROR_INVALID_ARGUMENT,
                  "rank " + std::to_string(rank_) + " and " + name + " cannot reach each other: " + why +
                      ". Here: " + network_->description() + ". Set XYLEM_NIC to an interface that joins them");
    slot_bytes_ = std::min(slot_bytes_, peer.slot_bytes);
  }
  const std::scoped_lock lock(hub_.mutex());
  // Memory of other processes has to be mapped while they live and have it under a name: see Network::seal().
  const bool at_once = network_->reach() == Reach::shared_memory;
  peers_.reserve(peers.size());
  for (const ConnectInfo& peer : peers)
    peers_.push_back({peer.first_link, hub_.remember(std::span(peer.address).first(peer.address_bytes))});
  if (at_once)
    for (const Peer& each : peers_) hub_.peer(each.address);
}

const char* Links::out_of_reach(const ConnectInfo& peer) const {
  if (peer.place != info_.place) return "one has an address that is valid on its own host only";
  const auto address = [](const ConnectInfo& info) { return std::span(info.address).first(info.address_bytes); };
  // Such as bridges of containers, whatever they are called: connections would lead back to this host, or nowhere.
  if (peer.home != info_.home && same_ip(info_.address_format, address(peer), address(info_)))
    return "they are on different hosts, and have the same address";
  return nullptr;
}

Links::Peer& Links::peer(int rank) { return peers_.at(static_cast<std::size_t>(rank)); }

exec::Channel Links::sender(int rank) {
  const std::scoped_lock lock(hub_.mutex());
  const Peer& to = peer(rank);
  auto link = std::make_unique<OutLink>(*this, hub_, rank, hub_.peer(to.address),
                                        to.first_link + static_cast<std::uint64_t>(rank_), slot_bytes_);
  active_outs_.push_back(link.get());
  std::unique_ptr<OutLink>& place = outs_[static_cast<std::size_t>(rank)];
  place = std::move(link);
  return place->channel();
}

exec::Channel Links::receiver(int rank) {
  const std::scoped_lock lock(hub_.mutex());
  hub_.peer(peer(rank).address);
  InLink* const link = in(rank);
  return (link != nullptr ? *link : make_in(rank)).channel();
}

InLink& Links::make_in(int rank) {
  auto link = std::make_unique<InLink>(*this, hub_, rank, info_.slot_bytes);
  active_ins_.push_back(link.get());
  std::unique_ptr<InLink>& place = ins_[static_cast<std::size_t>(rank)];
  place = std::move(link);
  return *place;
}

bool Links::progress() noexcept {
  std::unique_lock lock(hub_.mutex(), std::try_to_lock);
  if (!lock) {
    // Another thread drives the network, for us too; but it looks at what we publish now and then only.
    if (!unposted()) return false;
    lock.lock();
  }
  const bool moved = hub_.progress(*this, quiet_ >= kQuiet);
  quiet_ = moved || quiet_ >= kQuiet ? 0 : quiet_ + 1;
  return moved;
}

bool Links::idle() noexcept {
  progress();
  const std::scoped_lock lock(hub_.mutex());
  return failed() || std::all_of(active_outs_.begin(), active_outs_.end(),
                                 [](const OutLink* link) { return !link->unposted() && link->quiet(); });
}

std::string Links::failure() const {
  const std::scoped_lock lock(hub_.mutex());
  return failure_;
}

void Links::arrived(int from, const Tag& tag, const Data& data, std::span<const std::byte> payload) noexcept {
  if (failed()) return;
  try {
    if (tag.kind == MessageKind::give_up) return heard(from, data);
    OutLink* const out = outs_[static_cast<std::size_t>(from)].get();
    if (out != nullptr) out->credited(data.credit);
    if (tag.kind == MessageKind::credit || failed()) return;
    if (tag.kind == MessageKind::grant) return granted(from, out, payload);
    // The peer may be in the next call already, where we hear from it for the first time.
    InLink& link = in(from) != nullptr ? *in(from) : make_in(from);
    if (tag.kind == MessageKind::written)
      link.written(data, tag.slot);
    else
      link.arrived(data, payload);
  } catch (const std::exception& error) {
    fail("cannot receive from rank " + std::to_string(from) + ": " + error.what());
  }
}

void Links::granted(int from, OutLink* link, std::span<const std::byte> text) {
  RemoteSlots slots{};
  if (link == nullptr || text.size() != sizeof slots)
    return fail("malformed message from rank " + std::to_string(from) + ": slots to write to that nobody asked for", from);
  std::memcpy(&slots, text.data(), sizeof slots);
  link->granted(slots);
}

bool Links::push(bool all_credits) noexcept {
  if (farewell_ != nullptr) return farewell_->post();
  if (peers_.empty() || failed()) return false;
  bool moved = false;
  for (InLink* const link : active_ins_) link->refill();
  for (OutLink* const link : active_outs_) moved = link->post() || moved;
  for (InLink* const link : active_ins_)
    if (link->answer_due(all_credits)) moved = answer(*link) || moved;
  return moved;
}

bool Links::answer(InLink& link) noexcept {
  try {
    const Peer& to = peer(link.peer());
    return link.answer(hub_.peer(to.address), to.first_link + static_cast<std::uint64_t>(rank_));
  } catch (const std::exception& error) {
    fail("cannot answer rank " + std::to_string(link.peer()) + ": " + error.what());
    return false;
  }
}

void Links::give_up(std::span<const int> peers, int failed_rank, exec::Fault why) noexcept {
  const std::scoped_lock lock(hub_.mutex());
  // A rank that was lost may have said before that it gave up because of another: the first failure counts.
  hub_.poll();
  give_up_to(peers, failed_rank, why);
}

void Links::give_up_to(std::span<const int> peers, int failed_rank, exec::Fault why) noexcept {
  fail("rank " + std::to_string(failed_rank) + deed(why), failed_rank, why);
  if (farewell_ != nullptr) return;
  try {
    std::vector<Farewell::Peer> to;
    for (const int each : peers)
      to.push_back({hub_.peer(peer(each).address), peer(each).first_link + static_cast<std::uint64_t>(rank_)});
    farewell_ = std::make_unique<Farewell>(hub_, to, failed_rank, why);
    farewell_->post();
  } catch (const std::exception& error) {
    log::warn("network: rank " + std::to_string(rank_) + " cannot tell the others of its failure: " + error.what());
  }
}

void Links::heard(int from, const Data& data) noexcept {
  told_ = true;
  const int rank = data.signature < outs_.size() ? static_cast<int>(data.signature) : from;
  const auto said = static_cast<exec::Fault>(data.detail);
  const exec::Fault why = exec::is_told(said) ? said : exec::Fault::aborted;
  const std::string teller = rank == from ? "" : " (told by rank " + std::to_string(from) + ")";
  fail("rank " + std::to_string(rank) + deed(why) + teller, rank, why);
}

bool Links::unposted() const {
  return std::any_of(active_outs_.begin(), active_outs_.end(), [](const OutLink* link) { return link->unposted(); });
}

bool Links::unfinished() const {
  return unposted() || std::any_of(active_ins_.begin(), active_ins_.end(), [](const InLink* link) { return link->unread(); });
}

bool Links::settled() const {
  if (failed()) return farewell_told();
  return std::all_of(active_outs_.begin(), active_outs_.end(), [](const OutLink* link) { return link->settled(); });
}

bool Links::pending() const {
  return !std::all_of(active_outs_.begin(), active_outs_.end(), [](const OutLink* link) { return link->quiet(); }) ||
         !std::all_of(active_ins_.begin(), active_ins_.end(), [](const InLink* link) { return link->quiet(); }) ||
         (farewell_ != nullptr && !farewell_->quiet());
}

bool Links::farewell_told() const { return farewell_ == nullptr || farewell_->told(); }

void Links::fail(const std::string& reason, int failed_rank, exec::Fault fault) noexcept {
  if (failed()) return;
  failure_ = "network " + network_->provider() + ": " + reason;
  failed_rank_ = failed_rank;
  fault_ = fault;
  failed_.store(true, std::memory_order_release);
}

void Links::close(std::unique_lock<std::mutex>& lock) noexcept {
  // Polls until `done`; others may drive the network meanwhile.
  const auto poll_until = [&](const auto& done) {
    const Patience patience;
    for (hub_.poll(); !done(); hub_.poll()) {
      lock.unlock();
      const bool more = patience.left();
      lock.lock();
      if (!more) return;
    }
  };
  if (!failed() && unfinished()) {
    std::vector<int> peers;
    for (std::size_t i = 0; i < outs_.size(); ++i)
      if (outs_[i] != nullptr || ins_[i] != nullptr) peers.push_back(static_cast<int>(i));
    give_up_to(peers, rank_, exec::Fault::aborted);
  }
  // Nobody shall miss what we have read, or that we gave up. The last communicator takes the endpoint with it, and so what
  // the provider has not written out yet: it waits until the peers have all. Which one is the last may change while we wait.
  poll_until([&] {
    push(true);
    return farewell_told() && (hub_.communicators() > 1 || settled());
  });
  // From here on no other thread finds us, so that nothing is posted again after it was cancelled.
  hub_.remove(info_.first_link);
  poll_until([&] { return !pending(); });

  for (std::unique_ptr<OutLink>& link : outs_)
    if (link != nullptr && !link->quiet()) hub_.bury(std::move(link));
  // Where peers do not end as we do, some may still write. Providers end the connection when there is no such memory any
  // more.
  for (std::unique_ptr<InLink>& link : ins_)
    if (link != nullptr && (!link->quiet() || (failed() && link->writable()))) hub_.bury(std::move(link));
  if (farewell_ != nullptr && !farewell_->quiet()) hub_.bury(std::move(farewell_));
  // Here and not with the other members: what they give back belongs to the hub and the provider, which the mutex guards.
  outs_.clear();
  ins_.clear();
}

}  // namespace xylem::ofi
