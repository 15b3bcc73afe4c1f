#include "survive/letter.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <type_traits>

#include "base/error.hpp"

namespace xylem::survive {
namespace {

// Far more than the contributions of a million ranks: a length beyond it is none.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 32;

class Packer {
 public:
  template <class T>
  void put(T value) {
    static_assert(std::is_integral_v<T>);
    append(&value, sizeof value);
  }
  void put(const Bytes& bytes) {
    put(std::uint64_t{bytes.size()});
    if (!bytes.empty()) append(bytes.data(), bytes.size());
  }
  void put(const Contributions& contributions) {
    put(std::uint64_t{contributions.size()});
    for (const auto& [rank, bytes] : contributions) {
      put(rank);
      put(bytes);
    }
  }
  Bytes done() {
    const std::uint64_t length = sizeof length + out_.size();
    Bytes all(length);
    std::memcpy(all.data(), &length, sizeof length);
    std::memcpy(all.data() + sizeof length, out_.data(), out_.size());
    return all;
  }

 private:
  void append(const void* data, std::size_t bytes) {
    const auto* const first = static_cast<const std::byte*>(data);
    std::copy(first, first + bytes, std::back_inserter(out_));
  }

  Bytes out_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}
  template <class T>
  T get() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  Bytes bytes() {
    const std::span<const std::byte> taken = take(get<std::uint64_t>());
    return {taken.begin(), taken.end()};
  }
  Contributions contributions() {
    Contributions result;
    for (std::uint64_t left = get<std::uint64_t>(); left != 0; --left) {
      const auto rank = get<std::uint32_t>();
      result[rank] = bytes();
    }
    return result;
  }

 private:
  std::span<const std::byte> take(std::uint64_t bytes) {
    if (bytes > rest_.size()) throw Error(XYLEM_ERROR_INTERNAL, "a letter of another rank is too short");
    const std::span<const std::byte> taken = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    return taken;
  }

  std::span<const std::byte> rest_;
};

}  // namespace

Bytes pack(std::uint32_t from, const Letter& letter) {
  Packer packer;
  packer.put(from);
  packer.put(static_cast<std::uint32_t>(letter.kind));
  packer.put(letter.round);
  packer.put(letter.own);
  packer.put(std::uint8_t{letter.accepted.has_value()});
  if (letter.accepted) {
    packer.put(letter.accepted->leader);
    packer.put(letter.accepted->proposal);
  }
  packer.put(std::uint8_t{letter.decision.has_value()});
  if (letter.decision) packer.put(*letter.decision);
  return packer.done();
}

std::optional<Received> Unpacker::next() {
  std::uint64_t length = 0;
  if (bytes_.size() < sizeof length) return std::nullopt;
  std::memcpy(&length, bytes_.data(), sizeof length);
  if (length < sizeof length || length > kMostBytes)
    throw Error(XYLEM_ERROR_INTERNAL, "a letter of another rank has no length that can be");
  if (bytes_.size() < length) return std::nullopt;
  Reader reader(std::span<const std::byte>(bytes_).first(length).subspan(sizeof length));
  Received received{};
  received.from = reader.get<std::uint32_t>();
  received.letter.kind = static_cast<Letter::Kind>(reader.get<std::uint32_t>());
  received.letter.round = reader.get<std::uint64_t>();
  received.letter.own = reader.bytes();
  if (reader.get<std::uint8_t>() != 0) {
    const auto leader = reader.get<std::uint32_t>();
    received.letter.accepted = {leader, reader.contributions()};
  }
  if (reader.get<std::uint8_t>() != 0) received.letter.decision = reader.contributions();
  bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(length));
  return received;
}

}  // namespace xylem::survive
