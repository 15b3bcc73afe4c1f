#include "comm/members.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <unordered_map>

namespace xylem {

namespace {

// How many neighbours are in each part, where all parts have as many; 0 where they have not, or a rank is in none.
// `part` by place on the board.
std::uint32_t even_size(std::span<const std::int32_t> part) {
  const auto size =
      static_cast<std::uint32_t>(std::find_if(part.begin(), part.end(), [&](auto p) { return p != part[0]; }) - part.begin());
  if (part[0] < 0 || part.size() % size != 0) return 0;
  std::set<std::int32_t> seen;
  for (std::size_t first = 0; first < part.size(); first += size) {
    const auto group = part.subspan(first, size);
    if (group[0] < 0 || !seen.insert(group[0]).second) return 0;
    if (std::any_of(group.begin(), group.end(), [&](auto p) { return p != group[0]; })) return 0;
  }
  return size;
}

}  // namespace

Members::Members(std::uint32_t rank, std::span<const std::uint64_t> host_ids, std::span<const topo::Locality> parts)
    : rank_(rank), host_of_(host_ids.size()), place_on_host_(host_ids.size()) {
  std::unordered_map<std::uint64_t, std::uint32_t> numbers;
  std::vector<std::uint32_t> ranks_on;
  for (std::uint32_t r = 0; r < host_ids.size(); ++r) {
    const auto [entry, is_new] = numbers.try_emplace(host_ids[r], static_cast<std::uint32_t>(leaders_.size()));
    if (is_new) {
      leaders_.push_back(r);
      ranks_on.push_back(0);
    }
    host_of_[r] = entry->second;
    place_on_host_[r] = ranks_on[entry->second]++;
  }
  most_ = *std::max_element(ranks_on.begin(), ranks_on.end());
  rooted_leaders_ = leaders_;

  by_host_.resize(host_ids.size());
  std::iota(by_host_.begin(), by_host_.end(), 0);
  std::stable_sort(by_host_.begin(), by_host_.end(),
                   [this](std::uint32_t a, std::uint32_t b) { return host_of_[a] < host_of_[b]; });
  place_ = static_cast<std::uint32_t>(std::find(by_host_.begin(), by_host_.end(), rank_) - by_host_.begin());
  if (std::is_sorted(by_host_.begin(), by_host_.end())) by_host_.clear();

  for (std::uint32_t r = 0; r < host_ids.size(); ++r) {
    if (here(r)) local_.push_back(r);
  }
  local_place_ = place_on_host_[rank_];
  if (!parts.empty()) find_levels(parts);
}

void Members::find_levels(std::span<const topo::Locality> parts) {
  std::vector<std::int32_t> complexes, nodes;
  for (const std::uint32_t r : local_) {
    complexes.push_back(parts[r].core_complex);
    nodes.push_back(parts[r].numa_node);
  }
  // A level of one rank, or of all, is none.
  for (const std::uint32_t size : {even_size(complexes), even_size(nodes)}) {
    const std::uint32_t below = inside_.count == 0 ? 1 : inside_.sizes[inside_.count - 1];
    if (size > below && size < local_.size() && size % below == 0) inside_.sizes[inside_.count++] = size;
  }
}

std::vector<std::uint32_t> Members::watched_by_us() const {
  std::vector<std::uint32_t> ranks;
  std::copy_if(local_.begin(), local_.end(), std::back_inserter(ranks), [this](std::uint32_t r) { return r != rank_; });
  if (local_place_ != 0 || hosts() == 1) return ranks;
  const std::uint32_t own = host_of_[rank_], next = (own + 1) % hosts(), before = (own + hosts() - 1) % hosts();
  ranks.push_back(leaders_[next]);
  if (before != next) ranks.push_back(leaders_[before]);
  return ranks;
}

coll::Group Members::all() const { return {by_host_.empty() ? nullptr : by_host_.data(), place_, size()}; }

coll::Group Members::host() const {
  return {hosts() == 1 ? nullptr : local_.data(), local_place_, static_cast<std::uint32_t>(local_.size())};
}

void Members::set_leaders(coll::Args& args, bool rooted) {
  const std::uint32_t own_host = host_of_[rank_];
  const std::vector<std::uint32_t>* leaders = &leaders_;
  if (rooted) {
    std::copy(leaders_.begin(), leaders_.end(), rooted_leaders_.begin());
    rooted_leaders_[host_of_[args.root]] = args.root;
    leaders = &rooted_leaders_;
  }
  args.host_leader = (*leaders)[own_host];
  args.leaders = {leaders->data(), args.host_leader == rank_ ? own_host : hosts(), hosts()};
}

}  // namespace xylem
