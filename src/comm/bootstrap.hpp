// How ranks find each other before they are connected: rank, size, an allgather of bytes, and what to poke while waiting.
// A user's xylem_bootstrap (an MPI communicator, by xylem_mpi.h), threads of one process, part of a communicator that is
// split, and what is left of one that is shrunk.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "xylem/xylem.h"

namespace xylem {

// A rank has ended in the middle of making a communicator. Thrown on all others alike.
class MemberLost : public Error {
 public:
  explicit MemberLost(const std::string& what) : Error(XYLEM_ERROR_PEER_FAILED, what) {}
};

class Bootstrap {
 public:
  virtual ~Bootstrap() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Gathers `bytes` bytes of each rank in rank order. Throws Error. Collective.
  virtual void allgather(const void* send, void* recv, std::size_t bytes) = 0;
  // Pokes the layer below; returns at once.
  virtual void progress() = 0;

  template <class T>
  std::vector<T> allgather(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(static_cast<std::size_t>(size()));
    allgather(&value, all.data(), sizeof(T));
    return all;
  }
};

}  // namespace xylem
