#include "ofi/farewell.hpp"

#include <rdma/fi_errno.h>

#include <algorithm>

#include "ofi/hub.hpp"
#include "ofi/wire.hpp"

namespace xylem::ofi {

Farewell::Farewell(Hub& hub, const std::vector<Peer>& peers, int failed_rank, exec::Fault why)
    : hub_(hub),
      data_(pack(Data{static_cast<std::uint32_t>(failed_rank), static_cast<std::uint16_t>(why), 0})),
      waiting_(peers.size()) {
  notices_.reserve(peers.size());
  for (const Peer& peer : peers) {
    notices_.push_back({peer, true, {}});
    notices_.back().operation.kind = Operation::Kind::notice;
  }
}

bool Farewell::post() {
  bool moved = false;
  for (Notice& notice : notices_) {
    if (!notice.waiting) continue;
    const std::uint64_t tag = pack(Tag{MessageKind::give_up, 0, notice.peer.link});
    const PostResult code = hub_.endpoint().send({nullptr, 0, nullptr}, notice.peer.address, tag, data_, notice.operation);
    if (code == -FI_EAGAIN) continue;
    // A refusal needs no report: that peer has failed, too.
    notice.waiting = false;
    --waiting_;
    moved = true;
  }
  return moved;
}

bool Farewell::quiet() const {
  return std::none_of(notices_.begin(), notices_.end(), [](const Notice& notice) { return notice.operation.pending; });
}

}  // namespace xylem::ofi
