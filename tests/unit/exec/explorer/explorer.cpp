#include "explorer.hpp"

#include <algorithm>

namespace xylem::explorer {

namespace {

Explorer* running = nullptr;

}  // namespace

Explorer* Explorer::of(const void* address) {
  return running != nullptr && running->memory_.contains(address) ? running : nullptr;
}

Result Explorer::explore(Scenario& scenario, const std::vector<Weakening>& weakenings) {
  scenario_ = &scenario;
  weakenings_ = &weakenings;
  result_ = {};
  path_.clear();
  do {
    run_once();
    if (!abandoned_) ++result_.runs;
  } while (result_.violation.empty() && next_path());
  return result_;
}

void Explorer::run_once() {
  scenario_->reset();
  memory_.reset(scenario_->memory());
  depth_ = 0;
  abandoned_ = settling_ = false;
  for (std::size_t i = 0; i < scenario_->threads(); ++i) {
    Thread& thread = threads_[i];
    if (!thread.stack) thread.stack = std::make_unique<std::byte[]>(kStackBytes);
    thread.finished = thread.asleep = thread.took_newer = false;
    thread.looked.clear();
    getcontext(&thread.context);
    thread.context.uc_stack.ss_sp = thread.stack.get();
    thread.context.uc_stack.ss_size = kStackBytes;
    thread.context.uc_link = &scheduler_;
    makecontext(&thread.context, enter, 0);
    resume(i);
  }
  for (bool moved = true; moved && !abandoned_;) {
    moved = false;
    for (std::size_t i = 0; i < scenario_->threads() && !abandoned_; ++i) {
      if (threads_[i].finished || !awake(threads_[i])) continue;
      moved = true;
      resume(i);
    }
  }
  if (!abandoned_) settle();
}

// Nobody moves any more. A thread that waits for a later store than there are took one way of several: where it would go on
// with what is there, that way is another run, and this one is none. Where it would not, it waits for ever, and so does one
// that sleeps until it is woken.
void Explorer::settle() {
  settling_ = true;
  std::string waiting, sleeping;
  for (std::size_t i = 0; i < scenario_->threads() && !abandoned_; ++i) {
    if (threads_[i].finished) continue;
    if (!threads_[i].asleep) resume(i);
    (threads_[i].asleep ? sleeping : waiting) += " " + std::to_string(i);
  }
  if (abandoned_) return;
  if (!waiting.empty()) result_.violation = "deadlock: for ever wait threads" + waiting;
  if (!sleeping.empty()) result_.violation = "lost wake-up: for ever sleep threads" + sleeping;
}

void Explorer::enter() {
  Explorer& self = *running;
  const std::size_t thread = self.current_;
  self.scenario_->run(thread);
  if (self.settling_) self.abandon();
  self.threads_[thread].finished = true;
}

void Explorer::resume(std::size_t thread) {
  if (abandoned_) return;
  current_ = thread;
  running = this;
  swapcontext(&scheduler_, &threads_[thread].context);
  running = nullptr;
}

void Explorer::abandon() {
  abandoned_ = true;
  setcontext(&scheduler_);
  __builtin_unreachable();
}

void Explorer::fail(const std::string& text) {
  Explorer& self = *running;
  if (self.result_.violation.empty()) self.result_.violation = text;
  self.abandon();
}

std::size_t Explorer::choose(std::size_t options) {
  if (options == 1) return 0;
  if (depth_ == path_.size()) path_.push_back({0, options});
  return path_[depth_++].taken;
}

bool Explorer::next_path() {
  while (!path_.empty() && path_.back().taken + 1 == path_.back().options) path_.pop_back();
  if (path_.empty()) return false;
  ++path_.back().taken;
  return true;
}

bool Explorer::exploring() { return running != nullptr; }

void Explorer::begin_wait(Naps naps) {
  Explorer& self = *running;
  if (self.settling_) self.abandon();
  Thread& thread = self.threads_[self.current_];
  thread.naps = naps;
  thread.passed.fill(0);
  thread.looked.clear();
  thread.took_newer = false;
}

void Explorer::begin_look() {
  Explorer& self = *running;
  Thread& thread = self.threads_[self.current_];
  self.end_look(thread);
  thread.looked.clear();
  thread.took_newer = false;
}

// It was in vain.
void Explorer::end_look(Thread& thread) {
  if (settling_) return;
  // A look in vain at a newer store teaches less than the look that will end the wait, and the run without it is done too.
  if (thread.took_newer) abandon();
  for (const std::size_t word : thread.looked) thread.passed[word] = memory_.newest(word);
}

void Explorer::nap() {
  Explorer& self = *running;
  Thread& thread = self.threads_[self.current_];
  self.end_look(thread);
  thread.asleep = thread.naps == Naps::until_woken;
  ++self.result_.naps;
  swapcontext(&thread.context, &self.scheduler_);
  thread.looked.clear();
  thread.took_newer = false;
}

bool Explorer::awake(const Thread& thread) const {
  return !thread.asleep && std::any_of(thread.looked.begin(), thread.looked.end(),
                                       [&](std::size_t word) { return memory_.newest(word) > thread.passed[word]; });
}

bool Explorer::weakened(const void* address, bool store) const {
  return std::any_of(weakenings_->begin(), weakenings_->end(),
                     [&](const Weakening& fault) { return fault.word == address && fault.stores == store; });
}

std::uint64_t Explorer::load(const void* address, std::size_t size, bool acquire) {
  const std::size_t word = memory_.word(address, size);
  Thread& thread = threads_[current_];
  const std::size_t known = memory_.known(current_, word), newest = memory_.newest(word);
  thread.looked.push_back(word);
  std::size_t store = newest;
  if (!settling_) {
    // What was there at the look before was left for another run.
    const std::size_t passed = std::max(known, thread.passed[word]);
    const std::size_t chosen = choose(1 + newest - passed);
    store = chosen == 0 ? known : passed + chosen;
    if (chosen != 0) thread.took_newer = true;
  }
  return memory_.load(current_, word, store, acquire && !weakened(address, false));
}

void Explorer::store(const void* address, std::size_t size, std::uint64_t value, bool release) {
  if (settling_) abandon();
  const std::size_t word = memory_.word(address, size);
  memory_.store(current_, word, value, release && !weakened(address, true));
  for (Thread& thread : threads_) thread.asleep = false;
  if (!memory_.violation().empty()) fail(memory_.violation());
}

void Explorer::plain(const void* address, std::size_t size, bool write) {
  if (settling_) abandon();
  ++result_.accesses;
  memory_.plain(current_, address, size, write);
  if (!memory_.violation().empty()) fail(memory_.violation());
}

}  // namespace xylem::explorer
