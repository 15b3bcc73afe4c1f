// An array among the arguments of a collective: the program's, or a copy of it. The program must leave its own alone until a
// nonblocking call has ended, but MPIs read it when the call starts, and there are programs (mpi4py's Iallgatherv) that free
// it then.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

namespace xylem::preload {

template <class T>
class Array {
 public:
  Array() = default;
  explicit Array(const T* data) : data_(data) {}

  const T* data() const { return data_; }
  const T& operator[](int i) const { return data_[i]; }

  // Copies `n` elements. An array that is not there stays so.
  void keep(int n) {
    if (data_ == nullptr || kept_ != nullptr) return;
    kept_ = std::make_shared<T[]>(static_cast<std::size_t>(n));
    std::copy_n(data_, n, kept_.get());
    data_ = kept_.get();
  }

 private:
  const T* data_ = nullptr;
  std::shared_ptr<T[]> kept_;
};

}  // namespace xylem::preload
