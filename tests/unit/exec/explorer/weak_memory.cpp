#include "weak_memory.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace xylem::explorer {

void WeakMemory::View::merge(const View& other) {
  for (std::size_t i = 0; i < kThreads; ++i) stamps[i] = std::max(stamps[i], other.stamps[i]);
  for (std::size_t i = 0; i < kWords; ++i) known[i] = std::max(known[i], other.known[i]);
}

void WeakMemory::reset(std::span<std::byte> bytes) {
  bytes_ = bytes;
  cells_.assign((bytes.size() + kCellBytes - 1) / kCellBytes, {});
  words_.clear();
  views_.fill({});
  for (std::size_t thread = 0; thread < kThreads; ++thread) views_[thread].stamps[thread] = 1;
  violation_.clear();
}

std::size_t WeakMemory::word(const void* address, std::size_t size) {
  Cell& cell = cells_[cell_of(address)];
  if (cell.word) return *cell.word;
  if (words_.size() == kWords) throw std::logic_error("more atomic words than the explorer has room for");
  if (cell.written != 0) violate("an atomic access to what was written plainly");
  std::uint64_t value = 0;
  std::memcpy(&value, address, size);
  const std::size_t number = words_.size();
  words_.push_back({size, std::nullopt, {{value, std::nullopt}}});
  for (std::size_t byte = 0; byte < size; byte += kCellBytes) (&cell)[byte / kCellBytes].word = number;
  return number;
}

std::uint64_t WeakMemory::load(std::size_t thread, std::size_t word, std::size_t store, bool acquire) {
  View& view = views_[thread];
  view.known[word] = static_cast<std::uint32_t>(store);
  const Store& read = words_[word].stores[store];
  if (acquire && read.released) view.merge(*read.released);
  return read.value;
}

void WeakMemory::store(std::size_t thread, std::size_t word, std::uint64_t value, bool release) {
  Word& target = words_[word];
  if (target.writer.value_or(thread) != thread) violate("an atomic word has two writers");
  target.writer = thread;
  View& view = views_[thread];
  view.known[word] = static_cast<std::uint32_t>(target.stores.size());
  target.stores.push_back({value, release ? std::optional(view) : std::nullopt});
  // What the thread does from now on is not known to who reads this store.
  if (release) ++view.stamps[thread];
}

void WeakMemory::plain(std::size_t thread, const void* address, std::size_t size, bool write) {
  const View& view = views_[thread];
  const std::size_t last = cell_of(static_cast<const std::byte*>(address) + size - 1);
  for (std::size_t i = cell_of(address); i <= last; ++i) {
    Cell& cell = cells_[i];
    const auto race = [&](const char* mine, const char* other, std::size_t with) {
      violate("data race: thread " + std::to_string(thread) + mine + "byte " + std::to_string(i * kCellBytes) + other +
              std::to_string(with) + (write ? " has not given it up" : " has not published it"));
    };
    if (cell.word) violate("a plain access to an atomic word");
    if (cell.written > view.stamps[cell.writer]) race(write ? " writes " : " reads ", " that thread ", cell.writer);
    if (!write) {
      cell.read[thread] = view.stamps[thread];
      continue;
    }
    for (std::size_t reader = 0; reader < kThreads; ++reader) {
      if (cell.read[reader] > view.stamps[reader]) race(" writes ", " that reader ", reader);
    }
    cell.writer = thread;
    cell.written = view.stamps[thread];
  }
}

}  // namespace xylem::explorer
