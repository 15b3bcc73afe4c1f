// A xylem_bootstrap of the C API, as a Bootstrap.
#pragma once

#include "comm/bootstrap.hpp"

namespace xylem {

class UserBootstrap final : public Bootstrap {
 public:
  explicit UserBootstrap(const xylem_bootstrap& user) : user_(user) {}
  int rank() const override { return user_.rank; }
  int size() const override { return user_.size; }
  using Bootstrap::allgather;
  void allgather(const void* send, void* recv, std::size_t bytes) override {
    if (const int code = user_.allgather(send, recv, bytes, user_.context); code != 0) {
      throw Error(XYLEM_ERROR_SYSTEM, "the bootstrap's allgather failed with code " + std::to_string(code));
    }
  }
  void progress() override {
    if (user_.progress != nullptr) user_.progress(user_.context);
  }

 private:
  xylem_bootstrap user_;
};

}  // namespace xylem
