// How the calls of a communicator are carried out. What follows from a call's kind (collective, type, operation, length) is
// worked out once and kept, so that a call like one before pays for a look-up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "coll/cpu_kernels.hpp"
#include "comm/call.hpp"
#include "comm/members.hpp"
#include "plan/planner.hpp"

namespace xylem {

// What calls of one kind have in common.
struct CallPlan {
  plan::Plan plan;
  const plan::Algorithm* algorithm = nullptr;  // null: an exchange of messages, which needs none
  coll::CpuKernel kernel = nullptr;            // the algorithm for a CPU thread
  exec::CpuArithmetic arithmetic;
  std::uint64_t signature = 0;  // see signature_of_kind()
  bool moves_nothing = false;   // all ranks know so
};

class CallPlans {
 public:
  // `planner` and `members` must outlive it. At least two ranks.
  CallPlans(const plan::Planner& planner, const Members& members);

  // Valid until the next call of of().
  const CallPlan& of(const Call& call) {
    if (call.exchange != nullptr) return exchange_;
    if (coll::facts(call.collective).uneven) return of_blocks(call);
    const Key key{kind_of(call), call.count};
    const Slot& slot = slots_[index_of(key)];
    return slot.key == key ? slot.plan : find_or_make(key, call).plan;
  }

  // The planner chooses anew.
  void forget() { slots_.fill({}); }

 private:
  struct Key {
    std::uint64_t kind = ~std::uint64_t{0};  // of no call
    std::size_t length = 0;                  // elements of every rank or, where blocks differ, bytes of all of them
    bool operator==(const Key&) const = default;
  };
  struct Slot {
    Key key;
    CallPlan plan;
  };
  // A kind of call has two places: so two kinds that fall to the same places do not drive each other out.
  static constexpr unsigned kIndexBits = 6;

  static std::uint64_t kind_of(const Call& call) {
    return static_cast<std::uint64_t>(call.collective) | static_cast<std::uint64_t>(call.type) << 8U |
           static_cast<std::uint64_t>(call.op) << 16U;
  }
  static std::size_t index_of(const Key& key) {
    return ((key.kind << 40U ^ key.length) * 0x9E3779B97F4A7C15) >> (64 - kIndexBits);
  }

  const CallPlan& of_blocks(const Call& call);
  Slot& find_or_make(const Key& key, const Call& call);
  CallPlan make(const Call& call) const;
  std::string why(const Call& call, std::size_t bytes, const CallPlan& made) const;

  const plan::Planner& planner_;
  const Members& members_;
  std::array<Slot, std::size_t{1} << kIndexBits> slots_;
  CallPlan exchange_;
};

}  // namespace xylem
