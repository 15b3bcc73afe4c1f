#include "comm/group_bootstrap.hpp"

#include <algorithm>
#include <cstring>

namespace xylem {

void GroupBootstrap::allgather(const void* send, void* recv, std::size_t bytes) {
  std::vector<std::byte> all(bytes * parent_->size());
  const Call call{
      .collective = coll::Collective::allgather, .input = send, .output = all.data(), .count = bytes, .internal = true};
  if (const xylem_status status = parent_->run(call); status != XYLEM_SUCCESS) {
    throw Error(status, "splitting a communicator: " + parent_->error());
  }
  auto* out = static_cast<std::byte*>(recv);
  for (const std::uint32_t member : members_) {
    if (bytes != 0) std::memcpy(out, all.data() + member * bytes, bytes);
    out += bytes;
  }
}

std::unique_ptr<Communicator> Communicator::split(int color, int key) {
  struct Wish {
    int color, key;
  };
  std::vector<std::uint32_t> everyone(size());
  for (std::uint32_t r = 0; r < size(); ++r) everyone[r] = r;
  GroupBootstrap parent(*this, bootstrap_, everyone, static_cast<int>(rank()));
  const std::vector<Wish> wishes = static_cast<Bootstrap&>(parent).allgather(Wish{color, key});
  if (color < 0) {
    sit_out(parent);
    return nullptr;
  }
  std::vector<std::uint32_t> members;
  for (const std::uint32_t r : everyone) {
    if (wishes[r].color == color) members.push_back(r);
  }
  std::stable_sort(members.begin(), members.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return wishes[a].key < wishes[b].key; });
  const int new_rank = static_cast<int>(std::find(members.begin(), members.end(), rank()) - members.begin());
  return std::make_unique<Communicator>(std::make_shared<GroupBootstrap>(*this, bootstrap_, members, new_rank), placement_,
                                        settings_);
}

}  // namespace xylem
