// The bootstrap of a communicator that is split off another: its rounds run over the parent's own allgather, in which all the
// parent's ranks take part, and keep what the members of the group said.
#pragma once

#include <vector>

#include "comm/communicator.hpp"

namespace xylem {

class GroupBootstrap final : public Bootstrap {
 public:
  // `members` are ranks of the parent in the order of their new ranks. The parent is used by allgather() only: it may end
  // before this object once the new communicator is made. `below` is what the parent pokes.
  GroupBootstrap(Communicator& parent, std::shared_ptr<Bootstrap> below, std::vector<std::uint32_t> members, int rank)
      : parent_(&parent), below_(std::move(below)), members_(std::move(members)), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(members_.size()); }
  using Bootstrap::allgather;
  void allgather(const void* send, void* recv, std::size_t bytes) override;
  void progress() override { below_->progress(); }

 private:
  Communicator* parent_;
  std::shared_ptr<Bootstrap> below_;
  std::vector<std::uint32_t> members_;
  int rank_;
};

}  // namespace xylem
