#include "verify/terms.hpp"

#include <algorithm>
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

bool Terms::is_sum(Term term, std::uint32_t call, std::uint32_t first, std::uint32_t last, std::uint64_t index) const {
  if (term == kGarbage || nodes_[term].leaves != last - first) return false;
  const auto fits = [&](const Node& leaf) {
    return leaf.call == call && leaf.index == index && leaf.rank >= first && leaf.rank < last;
  };
  if (nodes_[term].left == kGarbage) return fits(nodes_[term]);
  std::vector<bool> seen(last - first);
  std::vector<Term> open = {term};
  while (!open.empty()) {
    const Node& node = nodes_[open.back()];
    open.pop_back();
    if (node.left != kGarbage) {
      open.push_back(node.left);
      open.push_back(node.right);
      continue;
    }
    if (!fits(node) || seen[node.rank - first]) return false;
    seen[node.rank - first] = true;
  }
  return true;
}

bool Terms::is_complete_tree(Term term) const {
  std::vector<Term> open = {term};
  while (!open.empty()) {
    const Node& node = nodes_[open.back()];
    open.pop_back();
    if (node.left == kGarbage) continue;
    // A tree of so many leaves has half of the full level, and of the last one what there is up to that.
    std::uint32_t half = 1;
    while (4 * half <= node.leaves) half *= 2;
    if (nodes_[node.left].leaves != half + std::min(half, node.leaves - 2 * half)) return false;
    open.push_back(node.left);
    open.push_back(node.right);
  }
  return true;
}

bool Terms::is_left_fold(Term term) const {
  for (; nodes_[term].left != kGarbage; term = nodes_[term].left) {
    if (nodes_[nodes_[term].right].leaves != 1) return false;
  }
  return true;
}

bool Terms::is_in_rank_order(Term term) const {
  std::vector<Term> open = {term};
  for (std::int64_t before = -1; !open.empty();) {
    const Node& node = nodes_[open.back()];
    open.pop_back();
    if (node.left != kGarbage) {
      open.push_back(node.right);
      open.push_back(node.left);
      continue;
    }
    if (node.rank <= before) return false;
    before = node.rank;
  }
  return true;
}

}  // namespace xylem::verify
