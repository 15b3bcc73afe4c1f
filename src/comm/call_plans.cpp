#include "comm/call_plans.hpp"

#include <utility>

#include "base/log.hpp"

namespace xylem {

CallPlans::CallPlans(const plan::Planner& planner, const Members& members) : planner_(planner), members_(members) {
  const coll::Exchange nothing;
  exchange_.plan.chunk_bytes = planner_.channel_chunk();
  exchange_.signature = signature_of_kind({.collective = coll::Collective::barrier, .exchange = &nothing}, members_.size());
}

// The lengths of the blocks count for the signature, their sum for the plan.
const CallPlan& CallPlans::of_blocks(const Call& call) {
  const Key key{kind_of(call), agreed_bytes(call, members_.size())};
  CallPlan& plan = find_or_make(key, call).plan;
  plan.signature = signature_of_kind(call, members_.size());
  return plan;
}

CallPlans::Slot& CallPlans::find_or_make(const Key& key, const Call& call) {
  const std::size_t index = index_of(key);
  Slot& first = slots_[index];
  Slot& second = slots_[index ^ 1U];
  if (first.key == key) return first;
  if (second.key == key) return second;
  second = std::exchange(first, Slot{key, make(call)});
  return first;
}

CallPlan CallPlans::make(const Call& call) const {
  const coll::CollectiveFacts& facts = coll::facts(call.collective);
  const std::size_t bytes = agreed_bytes(call, members_.size());
  CallPlan made;
  // Where nothing is reduced, bytes are bytes: ranks may describe them by different types.
  made.arithmetic.element_bytes = facts.reduces ? exec::type_bytes(call.type) : 1;
  made.arithmetic.function = exec::find_reduce(facts.reduces ? call.op : XYLEM_BAND, facts.reduces ? call.type : XYLEM_BYTE);
  made.plan = planner_.choose(call.collective, bytes, made.arithmetic.element_bytes, rounds(call));
  made.algorithm = &plan::catalogue()[made.plan.algorithm];
  made.kernel = coll::cpu_kernels()[made.plan.algorithm];
  made.signature = signature_of_kind(call, members_.size());
  made.moves_nothing = moves_nothing(call, members_.size());
  if (members_.rank() == 0 && log::enabled(log::Level::debug)) log::debug(why(call, bytes, made));
  return made;
}

std::string CallPlans::why(const Call& call, std::size_t bytes, const CallPlan& made) const {
  std::string text = std::string(coll::collective_name(call.collective)) + " of " + std::to_string(bytes) + " bytes over " +
                     std::to_string(members_.size()) + " ranks on " + std::to_string(members_.hosts()) +
                     " hosts, chunks of " + std::to_string(made.plan.chunk_bytes) + " bytes:";
  for (const plan::Candidate& candidate :
       planner_.explain(call.collective, bytes, made.arithmetic.element_bytes, rounds(call))) {
    text.append(" ").append(plan::catalogue()[candidate.algorithm].name);
    if (candidate.possible) text.append(" ").append(std::to_string(candidate.seconds * 1e6)).append(" us");
    if (!candidate.reason.empty()) text.append(" (").append(candidate.reason).append(")");
  }
  return text;
}

}  // namespace xylem
