#include "verify/program.hpp"

#include <array>

namespace xylem::verify {

namespace {

std::string region_text(const Region& region) {
  static constexpr std::array names = {"nothing", "input", "output", "scratch", "slot to ", "slot from ", "board of member "};
  std::string text = names[static_cast<std::size_t>(region.space)];
  if (region.space >= Space::slot_out) text += std::to_string(region.peer);
  return text + "+" + std::to_string(region.offset);
}

}  // namespace

const char* action_name(Action action) {
  static constexpr std::array names = {"begin_send", "end_send", "begin_recv", "end_recv", "begin_publish", "end_publish",
                                       "fetch",      "finish",   "lend",       "settle",   "borrow",        "refuse",
                                       "copy",       "reduce",   "fork",       "next",     "join"};
  return names[static_cast<std::size_t>(action)];
}

std::string Step::text() const {
  std::string out_text = action_name(action);
  switch (action) {
    case Action::begin_send:
    case Action::end_send:
    case Action::begin_recv:
    case Action::fetch:
    case Action::refuse:
      return out_text + " peer " + std::to_string(peer) + ", " + std::to_string(bytes) + " elements";
    case Action::end_recv:
    case Action::settle:
      return out_text + " peer " + std::to_string(peer);
    case Action::lend:
      return out_text + " peer " + std::to_string(peer) + ", " + std::to_string(bytes) + " elements: " + region_text(left);
    case Action::borrow:
      return out_text + " peer " + std::to_string(peer) + ", " + std::to_string(bytes) + " elements: " + region_text(out);
    case Action::copy:
      return out_text + " " + std::to_string(bytes) + " elements: " + region_text(out) + " <- " + region_text(left);
    case Action::reduce:
      return out_text + " " + std::to_string(bytes) + " elements: " + region_text(out) + " <- " + region_text(left) + ", " +
             region_text(right);
    default:
      return out_text;
  }
}

}  // namespace xylem::verify
