// Ranks as threads of one process: any number of ranks can be run, and watched by sanitizers, with no launcher.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "comm/bootstrap.hpp"

namespace xylem {

// Where the threads meet. Make one, give it to a ThreadBootstrap of each thread.
class Rendezvous {
 public:
  explicit Rendezvous(int size) : size_(size) {}
  int size() const { return size_; }
  void allgather(int rank, const void* send, void* recv, std::size_t bytes);

 private:
  const int size_;
  std::mutex mutex_;
  std::condition_variable all_here_;
  std::vector<std::byte> gathered_;
  int arrived_ = 0;
  int reading_ = 0;
};

class ThreadBootstrap final : public Bootstrap {
 public:
  ThreadBootstrap(std::shared_ptr<Rendezvous> rendezvous, int rank) : rendezvous_(std::move(rendezvous)), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return rendezvous_->size(); }
  using Bootstrap::allgather;
  void allgather(const void* send, void* recv, std::size_t bytes) override {
    rendezvous_->allgather(rank_, send, recv, bytes);
  }
  void progress() override {}

 private:
  std::shared_ptr<Rendezvous> rendezvous_;
  int rank_;
};

}  // namespace xylem
