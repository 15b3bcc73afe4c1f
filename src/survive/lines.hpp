// The post of a rank whose communicator has failed: lines to and from other ranks over TCP, for everything else may have gone
// with them. A line is opened when it is needed. Its end is the end of the other rank, whose kernel closes it with the
// process.
#pragma once

#include <functional>
#include <map>
#include <set>

#include "survive/out_line.hpp"
#include "survive/post.hpp"
#include "watch/door.hpp"

namespace xylem::survive {

// Used by one thread.
class Lines final : public Post {
 public:
  using FindContact = std::function<Contact(std::uint32_t rank)>;

  // `find`: asked again and again while a rank is not reached. `progress`: called while waiting. All outlive it.
  Lines(watch::Door& door, std::uint32_t rank, FindContact find, std::function<void()> progress);

  void send(std::uint32_t to, const Letter& letter) override;
  std::optional<Received> receive() override;
  void attend(std::uint32_t rank) override { line_to(rank); }
  bool gone(std::uint32_t rank) const override;

 private:
  struct InLine {
    std::unique_ptr<watch::Connection> connection;
    Unpacker unpacker{};
    std::optional<std::uint32_t> from{};
  };

  OutLine& line_to(std::uint32_t rank) { return out_[rank]; }
  void go_on();
  bool read(InLine& line);
  void wait();

  watch::Door& door_;
  std::uint32_t rank_;
  FindContact find_;
  std::function<void()> progress_;
  std::map<std::uint32_t, OutLine> out_;
  std::vector<InLine> in_;
  std::set<std::uint32_t> hung_up_;  // whose own line has ended
  std::vector<Received> arrived_;    // the oldest is the last
};

}  // namespace xylem::survive
