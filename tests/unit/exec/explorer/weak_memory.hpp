// Memory as C++ defines it for programs of acquire loads, release stores and plain accesses. An atomic word is the list of
// all values ever stored to it; a load may return any of them that is not older than what its thread knows, so a store may be
// seen late. A thread learns what a store's thread knew when it reads that store, if both ends synchronise (view semantics,
// as in Kang et al., "A promising semantics for relaxed-memory concurrency", 2017, without promises: nothing here stores a
// value that depends on a later load). Plain accesses that no synchronisation orders are a data race, and that is an error:
// without one, a plain read returns the one value that happens before it.
//
// Every atomic word has one writer, so the order of its stores is the writer's own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace xylem::explorer {

inline constexpr std::size_t kThreads = 4;  // at most
inline constexpr std::size_t kWords = 64;   // atomic words at most

class WeakMemory {
 public:
  // Forgets all accesses: the bytes as they are now are known to every thread.
  void reset(std::span<std::byte> bytes);

  bool contains(const void* address) const { return address >= bytes_.data() && address < bytes_.data() + bytes_.size(); }

  // The number of the atomic word at `address`.
  std::size_t word(const void* address, std::size_t size);
  // Stores of a word by number, oldest 0.
  std::size_t newest(std::size_t word) const { return words_[word].stores.size() - 1; }
  std::size_t known(std::size_t thread, std::size_t word) const { return views_[thread].known[word]; }

  std::uint64_t load(std::size_t thread, std::size_t word, std::size_t store, bool acquire);
  void store(std::size_t thread, std::size_t word, std::uint64_t value, bool release);
  void plain(std::size_t thread, const void* address, std::size_t size, bool write);

  // The first rule that was broken; empty: none.
  const std::string& violation() const { return violation_; }

 private:
  // What a thread knows: of each thread the accesses up to a stamp, of each word the stores up to a number.
  struct View {
    std::array<std::uint32_t, kThreads> stamps{};
    std::array<std::uint32_t, kWords> known{};

    void merge(const View& other);
  };
  struct Store {
    std::uint64_t value;
    std::optional<View> released;
  };
  struct Word {
    std::size_t size;
    std::optional<std::size_t> writer;
    std::vector<Store> stores;
  };
  // The last plain accesses to four bytes. Stamp 0: none.
  struct Cell {
    std::size_t writer = 0;
    std::uint32_t written = 0;
    std::array<std::uint32_t, kThreads> read{};
    std::optional<std::size_t> word;
  };
  static constexpr std::size_t kCellBytes = 4;

  std::size_t cell_of(const void* address) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(address) - bytes_.data()) / kCellBytes;
  }
  void violate(const std::string& text) {
    if (violation_.empty()) violation_ = text;
  }

  std::span<std::byte> bytes_;
  std::vector<Cell> cells_;
  std::vector<Word> words_;
  std::array<View, kThreads> views_;
  std::string violation_;
};

}  // namespace xylem::explorer
