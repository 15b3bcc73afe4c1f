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
    Hello hello;
  };
  std::vector<std::uint32_t> everyone(size());
  for (std::uint32_t r = 0; r < size(); ++r) everyone[r] = r;
  GroupBootstrap parent(*this, bootstrap_, everyone, static_cast<int>(rank()));
  const Wish own{color, key, make_hello(placement_.host_id, placement_.host_name, settings_)};
  const std::vector<Wish> wishes = static_cast<Bootstrap&>(parent).allgather(own);
  // Ranks of one host have mapped each other's memory when this communicator was made.
  const bool mapped = members_.hosts() == 1;
  if (color < 0) {
    sit_out(parent, mapped);
    return nullptr;
  }
  std::vector<std::uint32_t> members;
  for (const std::uint32_t r : everyone) {
    if (wishes[r].color == color) members.push_back(r);
  }
  std::stable_sort(members.begin(), members.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return wishes[a].key < wishes[b].key; });
  std::vector<Hello> hellos;
  for (const std::uint32_t r : members) hellos.push_back(wishes[r].hello);
  const int new_rank = static_cast<int>(std::find(members.begin(), members.end(), rank()) - members.begin());
  auto bootstrap = std::make_shared<GroupBootstrap>(*this, bootstrap_, std::move(members), new_rank);
  WiredUp wired = wire_up(*bootstrap, hellos, settings_, mapped);
  return std::unique_ptr<Communicator>(new Communicator(std::move(bootstrap), placement_, std::move(wired), false));
}

}  // namespace xylem
