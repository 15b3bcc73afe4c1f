#include "survive/lines.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace xylem::survive {
namespace {

// Without anything to wait for, and while the layer below wants to be driven.
constexpr int kShortWaitMilliseconds = 1;
constexpr int kLongWaitMilliseconds = 20;

}  // namespace

Lines::Lines(watch::Door& door, std::uint32_t rank, FindContact find, std::function<void()> progress)
    : door_(door), rank_(rank), find_(std::move(find)), progress_(std::move(progress)) {}

void Lines::send(std::uint32_t to, const Letter& letter) {
  OutLine& line = line_to(to);
  if (!line.gone()) line.send(pack(rank_, letter));
}

bool Lines::gone(std::uint32_t rank) const {
  if (hung_up_.contains(rank)) return true;
  const auto line = out_.find(rank);
  return line != out_.end() && line->second.gone();
}

std::optional<Received> Lines::receive() {
  if (arrived_.empty()) {
    progress_();
    go_on();
    if (arrived_.empty()) wait();
    go_on();
    std::reverse(arrived_.begin(), arrived_.end());
  }
  if (arrived_.empty()) return std::nullopt;
  Received first = std::move(arrived_.back());
  arrived_.pop_back();
  return first;
}

void Lines::go_on() {
  for (std::unique_ptr<watch::Connection>& connection : door_.take()) in_.push_back({std::move(connection)});
  std::erase_if(in_, [&](InLine& line) { return !read(line); });
  for (auto& [rank, line] : out_)
    if (!line.gone()) line.go_on(find_(rank));
}

// False: the line has ended.
bool Lines::read(InLine& line) {
  std::array<std::byte, 4096> bytes;
  for (;;) {
    const ssize_t got = recv(line.connection->descriptor(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return true;
    if (got <= 0) break;
    line.unpacker.add(std::span<const std::byte>(bytes).first(static_cast<std::size_t>(got)));
    while (std::optional<Received> received = line.unpacker.next()) {
      line.from = received->from;
      arrived_.push_back(*std::move(received));
    }
  }
  // One that brought nothing may have been given up for another one.
  if (line.from) hung_up_.insert(*line.from);
  return false;
}

void Lines::wait() {
  std::vector<pollfd> waits{{door_.bell(), POLLIN, 0}};
  for (const InLine& line : in_) waits.push_back({line.connection->descriptor(), POLLIN, 0});
  bool soon = false;
  for (const auto& [rank, line] : out_) soon = line.add_to(waits) || soon;
  poll(waits.data(), waits.size(), soon ? kShortWaitMilliseconds : kLongWaitMilliseconds);
}

}  // namespace xylem::survive
