#include "job_shape.hpp"

#include <algorithm>

#include "base/settings.hpp"
#include "ofi/links.hpp"
#include "shm/arena.hpp"
#include "shm/block_layout.hpp"

namespace xylem::tools {

plan::Shape job_shape(std::uint32_t ranks, std::uint32_t hosts, const coll::Link& network) {
  const std::uint32_t per_host = (ranks + hosts - 1) / hosts;
  const shm::BlockShape block = shm::choose_shape(per_host, shm::block_limit(shm::kArenaBytes, shm::kArenaBytes));
  return {.ranks = ranks,
          .hosts = hosts,
          .ranks_per_host = per_host,
          .slot_bytes = hosts == 1 ? block.slot_bytes : std::min(block.slot_bytes, ofi::Links::kMaxSlotBytes),
          .board_bytes = shm::board_payload_of(block.board_stride),
          .network = network,
          .loans = hosts == 1 && settings().single_copy_bytes != 0 ? coll::Loans::from(settings().single_copy_bytes)
                                                                   : coll::Loans{}};
}

}  // namespace xylem::tools
