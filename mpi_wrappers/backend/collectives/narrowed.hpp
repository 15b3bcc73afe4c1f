// The functions whose counts are MPI_Count, for an MPI that does not have them. The front exports them all the same, and
// programs may look whether they are there (weak references, as of mpi4py): so they work, also where a call is handed down,
// as long as the numbers fit those of the older functions.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <deque>
#include <tuple>
#include <type_traits>
#include <vector>

#include "backend/collectives/peers.hpp"
#include "backend/errors.hpp"

namespace xylem::preload {

template <class T>
inline constexpr bool kIsWideArray = std::is_same_v<T, const MPI_Count*> || std::is_same_v<T, const MPI_Aint*>;

// An argument's type in the older function.
template <class T>
using Narrower = std::conditional_t<std::is_same_v<T, MPI_Count>, int, std::conditional_t<kIsWideArray<T>, const int*, T>>;

// The arguments of one call, taken in their order.
class NarrowedArguments {
 public:
  // `length`: of each array that means something on this rank.
  explicit NarrowedArguments(int length) : length_(length) {}

  bool fit() const { return fit_; }

  template <class T>
  Narrower<T> take(T argument) {
    if constexpr (std::is_same_v<T, const void*>) in_place_ = argument == MPI_IN_PLACE;
    if constexpr (std::is_same_v<T, void*>) of_what_is_sent_ = false;
    if constexpr (std::is_same_v<T, MPI_Count>) {
      return narrow(argument);
    } else if constexpr (kIsWideArray<T>) {
      // What would be sent does not count in place, and need not be there.
      if (argument == nullptr || (in_place_ && of_what_is_sent_)) return nullptr;
      std::vector<int>& copy = arrays_.emplace_back(length_);
      std::transform(argument, argument + length_, copy.begin(), [this](auto value) { return narrow(value); });
      return copy.data();
    } else {
      return argument;
    }
  }

 private:
  template <class T>
  int narrow(T value) {
    const int narrowed = static_cast<int>(value);
    fit_ = fit_ && narrowed == value;
    return narrowed;
  }

  int length_;
  bool fit_ = true;
  bool in_place_ = false;
  bool of_what_is_sent_ = true;
  // An MPI that lacks the functions looks at no array after a nonblocking call has returned.
  std::deque<std::vector<int>> arrays_;
};

// How many elements the arrays of a call have, on this rank.
template <class Arguments>
int array_length(const Arguments& arguments) {
  if (arguments.comm == MPI_COMM_NULL) return 0;  // told by the call itself
  const Peers peers = Peers::ask(arguments.comm, root_of(arguments));
  if constexpr (requires { arguments.op; }) return peers.size;
  if constexpr (requires { arguments.root; }) return peers.is_root ? peers.peers : 0;
  return peers.peers;
}

// Calls the older function with the arguments of the newer one.
template <class Signature>
class Narrowed;

template <class... Args>
class Narrowed<int(Args...)> {
 public:
  using Function = int(Narrower<Args>...);

  template <class Arguments>
  Narrowed(Function* function, const Arguments& arguments) : function_(function), comm_(arguments.comm) {
    if constexpr ((kIsWideArray<Args> || ...)) length_ = array_length(arguments);
  }

  int operator()(Args... args) const {
    NarrowedArguments narrowed(length_);
    const std::tuple<Narrower<Args>...> all{narrowed.take(args)...};
    return narrowed.fit() ? std::apply(function_, all) : report_code(comm_, MPI_ERR_COUNT);
  }

 private:
  Function* function_;
  MPI_Comm comm_;
  int length_ = 0;
};

}  // namespace xylem::preload
