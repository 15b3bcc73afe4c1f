#include "verify/terms.hpp"

#include <utility>

namespace xylem::verify {

std::size_t Terms::hash(const Node& node) {
  std::uint64_t hash = 0;
  for (const std::uint64_t part :
       {std::uint64_t{node.left} << 32U | node.right, std::uint64_t{node.call} << 32U | node.rank, node.index}) {
    hash = (hash ^ part) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 29U;
  }
  return hash;
}

Term Terms::add(const Node& node) {
  if (nodes_.size() * 2 >= table_.size()) {
    std::vector<Term> larger(table_.size() * 4, kGarbage);
    for (Term term = 1; term < nodes_.size(); ++term) {
      std::size_t at = hash(nodes_[term]) % larger.size();
      while (larger[at] != kGarbage) at = (at + 1) % larger.size();
      larger[at] = term;
    }
    table_ = std::move(larger);
  }
  std::size_t at = hash(node) % table_.size();
  for (; table_[at] != kGarbage; at = (at + 1) % table_.size()) {
    if (nodes_[table_[at]] == node) return table_[at];
  }
  table_[at] = static_cast<Term>(nodes_.size());
  nodes_.push_back(node);
  return table_[at];
}

Term Terms::leaf(std::uint32_t call, std::uint32_t rank, std::uint64_t index) {
  return add({kGarbage, kGarbage, call, rank, index, 1});
}

Term Terms::reduce(Term left, Term right) {
  if (left == kGarbage || right == kGarbage) return kGarbage;
  return add({left, right, 0, 0, 0, nodes_[left].leaves + nodes_[right].leaves});
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
