#include "flight/diagnose.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

namespace xylem::flight {
namespace {

using Ranks = std::map<std::uint32_t, Entry>;

std::string seconds(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f s", value);
  return text.data();
}

std::string who(const Entry& entry) { return "rank " + std::to_string(entry.rank) + " on " + entry.host; }

// A call by its number, in the words of a rank that has it.
std::string call(const Ranks& ranks, std::uint64_t number) {
  for (const auto& [rank, entry] : ranks)
    if (const auto found = entry.calls.find(number); found != entry.calls.end())
      return found->second + " #" + std::to_string(number);
  return "call #" + std::to_string(number);
}

std::string last_left(const Ranks& ranks, const Entry& entry) {
  // Who has begun a call has left the ones before it, even if nobody noted when.
  const std::uint64_t left = std::max(entry.left, entry.entered == 0 ? 0 : entry.entered - 1);
  if (left == 0) return "it has left no call yet";
  std::string text = "last left ";
  text += call(ranks, left);
  if (left == entry.left) text.append(1, ' ').append(seconds(entry.left_ago)).append(" ago");
  return text;
}

std::string position(const Ranks& ranks, const Entry& entry, std::uint64_t frontier) {
  if (frontier == 0) return entry.ended ? "has ended" : "has begun none";
  if (entry.ended) {
    return "has ended " + (entry.entered > entry.left ? "in " + call(ranks, entry.entered) : "outside of any call") + "; " +
           last_left(ranks, entry);
  }
  if (entry.entered < frontier && entry.left >= entry.entered)
    return "has not entered " + call(ranks, entry.entered + 1) + "; " + last_left(ranks, entry);
  if (entry.left >= entry.entered) return "has left " + call(ranks, entry.entered) + " " + seconds(entry.left_ago) + " ago";
  std::string text = "is in " + call(ranks, entry.entered);
  if (entry.awaits < 0) return text + " and waits for nobody";
  const auto awaited = ranks.find(static_cast<std::uint32_t>(entry.awaits));
  text += " and has waited " + seconds(entry.waits_for) + " for ";
  return text + (awaited != ranks.end() ? who(awaited->second) : "rank " + std::to_string(entry.awaits));
}

bool holds_up(const Entry& entry, std::uint64_t frontier) {
  return entry.ended || entry.entered < frontier || (entry.left < entry.entered && entry.awaits < 0);
}

std::string list(const std::vector<std::uint32_t>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (!text.empty()) text += ", ";
    text += std::to_string(ranks[i]);
    if (last > i) text.append(1, '-').append(std::to_string(ranks[last]));
    i = last + 1;
  }
  return text;
}

std::string paragraph(std::uint64_t communicator, const Ranks& ranks) {
  std::array<char, 32> name{};
  std::snprintf(name.data(), name.size(), "%llx", static_cast<unsigned long long>(communicator));
  const std::uint32_t size = ranks.begin()->second.ranks;
  std::uint64_t frontier = 0;
  for (const auto& [rank, entry] : ranks) frontier = std::max(frontier, entry.entered);

  std::string text = "communicator " + std::string(name.data()) + ", " + std::to_string(size) + " ranks: ";
  text += frontier == 0 ? "no call yet" : "the furthest have entered " + call(ranks, frontier);
  text += "\n";
  std::string waiting;
  for (const auto& [rank, entry] : ranks) {
    std::string& into = holds_up(entry, frontier) ? text : waiting;
    into.append("  ").append(who(entry)).append(1, ' ').append(position(ranks, entry, frontier)).append(1, '\n');
  }
  text += waiting;
  std::vector<std::uint32_t> missing;
  for (std::uint32_t rank = 0; rank < size; ++rank)
    if (!ranks.contains(rank)) missing.push_back(rank);
  if (!missing.empty()) text.append("  nothing is known of rank ").append(list(missing)).append(1, '\n');
  return text;
}

// Later news, and of the same call those that know of an end, or that were written later.
bool newer(const Entry& a, const Entry& b) {
  const auto key = [](const Entry& e) { return std::tuple(e.ended, e.entered, e.left, e.left_ago, e.waits_for); };
  return key(a) > key(b);
}

}  // namespace

std::string diagnose(std::span<const Entry> entries) {
  std::map<std::uint64_t, Ranks> communicators;
  for (const Entry& entry : entries) {
    const auto [place, is_new] = communicators[entry.communicator].emplace(entry.rank, entry);
    if (!is_new && newer(entry, place->second)) place->second = entry;
  }
  std::string text;
  for (const auto& [communicator, ranks] : communicators) text += paragraph(communicator, ranks);
  return text;
}

}  // namespace xylem::flight
