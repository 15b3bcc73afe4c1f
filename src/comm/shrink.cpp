// Communicator: going on with the ranks that live.
#include <algorithm>

#include "base/log.hpp"
#include "comm/communicator.hpp"
#include "comm/survivor_bootstrap.hpp"
#include "survive/lines.hpp"
#include "watch/addresses.hpp"

namespace xylem {

namespace {

std::vector<std::uint32_t> ranks_of(const survive::Contributions& contributions) {
  std::vector<std::uint32_t> ranks;
  for (const auto& [rank, bytes] : contributions) ranks.push_back(rank);
  return ranks;
}

}  // namespace

// What this rank knows about where another one can be called. Processes of this host say so in shared memory when they come
// here: in a job of one host nobody listens before.
survive::Contact Communicator::contact(std::uint32_t peer) const {
  using State = survive::Contact::State;
  // Its port may be open all the same, with nobody behind it.
  if (ended_[peer]) return {State::gone};
  watch::Identity process = processes_[peer];
  if (members_.here(peer)) {
    const int place = static_cast<int>(members_.local_place_of(peer));
    if (memory_->has_left(place)) return {State::gone};
    process.port = memory_->port_of(place);
    if (process.port == 0) return {State::unknown};
    process.addresses = watch::own_addresses();
  }
  return {State::known, process, door_key(id_, peer)};
}

std::unique_ptr<Communicator> Communicator::shrink() {
  if (door_ == nullptr) throw Error(XYLEM_ERROR_INVALID_ARGUMENT, "this communicator has been shrunk before");
  abort();
  complete();
  // Whatever happens here: who calls afterwards learns that this rank takes no part any more.
  const std::unique_ptr<watch::Door> door = std::move(door_);
  const watch::Identity own = watch_->identity(true);
  if (own.port == 0) throw Error(XYLEM_ERROR_SYSTEM, "survivors cannot call each other: no TCP port can be opened");
  memory_->show_port(own.port);

  survive::Lines lines(
      *door, rank(), [this](std::uint32_t peer) { return contact(peer); }, [this] { bootstrap_->progress(); });
  survive::Agreement agreement(lines, rank(), size());
  for (;;) {
    const std::vector<std::uint32_t> members = ranks_of(agreement.agree({}));
    const auto place = std::find(members.begin(), members.end(), rank()) - members.begin();
    if (static_cast<std::size_t>(place) == members.size())
      throw Error(XYLEM_ERROR_PEER_FAILED, "the other ranks took " + where(rank()) + " for lost, and went on without it");
    const auto bootstrap = std::make_shared<SurvivorBootstrap>(agreement, bootstrap_, members, static_cast<int>(place));
    try {
      auto survivors = std::make_unique<Communicator>(bootstrap, placement_, settings_, true);
      agreement.leave();
      return survivors;
    } catch (const MemberLost& lost) {
      log::info(lost.what());
    } catch (const Error&) {
      agreement.leave();
      throw;
    }
  }
}

}  // namespace xylem
