#include "survive/agreement.hpp"

#include <algorithm>
#include <utility>

namespace xylem::survive {

Contributions Agreement::agree(Bytes own) {
  ++round_;
  own_ = std::move(own);
  accepted_.reset();
  proposed_ = false;
  // A leader that lives knows the outcome of the last round: it told this rank.
  if (leader_ != rank_) post_.send(leader_, {.kind = Letter::Kind::state, .round = round_, .own = own_});
  while (!decision_) {
    find_leader();
    if (leader_ == rank_ && lead()) break;
    if (const std::optional<Received> received = post_.receive()) handle(*received);
  }
  tell();
  last_ = *std::exchange(decision_, std::nullopt);
  return last_;
}

// The lowest rank that lives. Those below it never come back.
void Agreement::find_leader() {
  while (leader_ != rank_ && post_.gone(leader_)) {
    ++leader_;
    if (leader_ != rank_) report();
  }
}

// To a leader that takes over.
void Agreement::report() {
  Letter state{.kind = Letter::Kind::state, .round = round_, .own = own_, .accepted = accepted_};
  if (round_ > 1) state.decision = last_;
  post_.send(leader_, state);
}

// True: it is decided.
bool Agreement::lead() {
  const std::vector<std::uint32_t> living = followers();
  if (!proposed_) {
    const bool all_heard = std::all_of(living.begin(), living.end(),
                                       [&](std::uint32_t each) { return heard_[each] && heard_[each]->round == round_; });
    if (!all_heard) return false;
    accepted_ = {rank_, choose(living)};
    proposed_ = true;
    accepted_by_.clear();
    for (const std::uint32_t each : living)
      post_.send(each, {.kind = Letter::Kind::propose, .round = round_, .accepted = accepted_});
  }
  const bool all_accepted =
      std::all_of(living.begin(), living.end(), [&](std::uint32_t each) { return accepted_by_.contains(each); });
  if (!all_accepted) return false;
  decision_ = accepted_->proposal;
  return true;
}

// Whoever has told this rank its state waits for an answer, also where this rank has learned the outcome from another instead
// of leading to it.
void Agreement::tell() {
  for (std::uint32_t each = 0; each < heard_.size(); ++each) {
    if (heard_[each] && heard_[each]->round == round_)
      post_.send(each, {.kind = Letter::Kind::commit, .round = round_, .decision = decision_});
  }
}

std::vector<std::uint32_t> Agreement::followers() {
  std::vector<std::uint32_t> living;
  for (std::uint32_t each = rank_ + 1; each < heard_.size(); ++each) {
    post_.attend(each);
    if (!post_.gone(each)) living.push_back(each);
  }
  return living;
}

// What the last leader before this one may have decided; else it has decided nothing.
Contributions Agreement::choose(const std::vector<std::uint32_t>& living) const {
  const Accepted* last = accepted_ ? &*accepted_ : nullptr;
  for (const std::uint32_t each : living) {
    const std::optional<Accepted>& theirs = heard_[each]->accepted;
    if (theirs && (last == nullptr || theirs->leader > last->leader)) last = &*theirs;
  }
  if (last != nullptr) return last->proposal;
  Contributions all{{rank_, own_}};
  for (const std::uint32_t each : living) all.emplace(each, heard_[each]->own);
  return all;
}

void Agreement::handle(const Received& received) {
  const auto& [from, letter] = received;
  if (from >= heard_.size()) return;
  if (letter.kind == Letter::Kind::state) return handle_state(from, letter);
  if (letter.round != round_) return;
  switch (letter.kind) {
    case Letter::Kind::propose:
      if (from != leader_ || !letter.accepted) return;
      accepted_ = letter.accepted;
      return post_.send(leader_, {.kind = Letter::Kind::accept, .round = round_});
    case Letter::Kind::accept:
      accepted_by_.insert(from);
      return;
    case Letter::Kind::commit:
      // Late news of a leader that has gone would leave the next one, which may not have heard it, behind.
      if (from == leader_ && letter.decision) decision_ = letter.decision;
      return;
    case Letter::Kind::state:
      return;
  }
}

void Agreement::handle_state(std::uint32_t from, const Letter& letter) {
  heard_[from] = letter;
  // The leader before this one ended while it told the outcome: one of the two may have missed it.
  if (letter.round == round_ + 1 && letter.decision) decision_ = letter.decision;
  if (letter.round + 1 == round_) post_.send(from, {.kind = Letter::Kind::commit, .round = letter.round, .decision = last_});
}

}  // namespace xylem::survive
