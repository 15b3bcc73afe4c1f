#include "verify/terms.hpp"

namespace xylem::verify {

Term Terms::add(std::unordered_map<std::pair<std::uint64_t, std::uint64_t>, Term, Hash>& known,
                std::pair<std::uint64_t, std::uint64_t> key, const Node& node) {
  const auto [entry, is_new] = known.try_emplace(key, static_cast<Term>(nodes_.size()));
  if (is_new) nodes_.push_back(node);
  return entry->second;
}

Term Terms::leaf(std::uint32_t call, std::uint32_t rank, std::uint64_t index) {
  return add(leaves_, {(std::uint64_t{call} << 32U) | rank, index}, {kGarbage, kGarbage, call, rank, index, 1});
}

Term Terms::reduce(Term left, Term right) {
  if (left == kGarbage || right == kGarbage) return kGarbage;
  return add(sums_, {left, right}, {left, right, 0, 0, 0, nodes_[left].leaves + nodes_[right].leaves});
}

bool Terms::is_complete(Term term, std::uint32_t call, std::uint32_t ranks, std::uint64_t index) const {
  if (term == kGarbage || nodes_[term].leaves != ranks) return false;
  std::vector<bool> seen(ranks);
  std::vector<Term> open = {term};
  while (!open.empty()) {
    const Node& node = nodes_[open.back()];
    open.pop_back();
    if (node.left != kGarbage) {
      open.push_back(node.left);
      open.push_back(node.right);
      continue;
    }
    if (node.call != call || node.index != index || node.rank >= ranks || seen[node.rank]) return false;
    seen[node.rank] = true;
  }
  return true;
}

}  // namespace xylem::verify
