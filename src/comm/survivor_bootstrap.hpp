// The bootstrap of a communicator that is made of the survivors of another one. Its rounds are agreements, so that a rank
// that ends in the middle is lost for all others alike.
#pragma once

#include <memory>
#include <vector>

#include "comm/bootstrap.hpp"
#include "survive/agreement.hpp"

namespace xylem {

class SurvivorBootstrap final : public Bootstrap {
 public:
  // `members` are ranks of the communicator that failed, in the order of their new ranks. The agreement is used by
  // allgather() only. `below` is what is poked.
  SurvivorBootstrap(survive::Agreement& agreement, std::shared_ptr<Bootstrap> below, std::vector<std::uint32_t> members,
                    int rank)
      : agreement_(agreement), below_(std::move(below)), members_(std::move(members)), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(members_.size()); }
  using Bootstrap::allgather;
  // Throws MemberLost.
  void allgather(const void* send, void* recv, std::size_t bytes) override;
  void progress() override { below_->progress(); }

 private:
  survive::Agreement& agreement_;
  std::shared_ptr<Bootstrap> below_;
  std::vector<std::uint32_t> members_;
  int rank_;
};

}  // namespace xylem
