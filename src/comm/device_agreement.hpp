// What the ranks of a call on device buffers tell each other on the host before kernels are launched: rounds of the
// communicator's own allgather, on behalf of the call. So ranks that call different things find out here, and both calls are
// named.
#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include "comm/call.hpp"

namespace xylem {

class Communicator;

class DeviceAgreement {
 public:
  DeviceAgreement(Communicator& communicator, const Call& call) : communicator_(communicator), call_(call) {}

  // Thrown where the communicator broke in a round: all there is to say has been said.
  struct Broken {};

  // What each rank says, by rank.
  template <class T>
  std::vector<T> gather(const T& mine) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(ranks());
    exchange(&mine, all.data(), sizeof mine);
    return all;
  }
  // Whether any rank says so.
  bool any(bool here) const {
    const std::vector<char> all = gather(static_cast<char>(here));
    return std::any_of(all.begin(), all.end(), [](char said) { return said != 0; });
  }

 private:
  std::size_t ranks() const;
  void exchange(const void* mine, void* all, std::size_t bytes) const;

  Communicator& communicator_;
  const Call& call_;
};

}  // namespace xylem
