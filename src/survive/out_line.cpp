#include "survive/out_line.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "watch/addresses.hpp"

namespace xylem::survive {
namespace {

// A host that answers nothing for so long is off the network. A process that is only stopped does answer: its kernel does.
constexpr std::chrono::seconds kUnreachable{10};
// A process that has too many connections of strangers ends some of them; then one tries again.
constexpr int kMostRefusals = 50;
constexpr std::chrono::milliseconds kRedial{10};

}  // namespace

void OutLine::go_on(const Contact& contact) {
  if (contact.state == Contact::State::gone) gone_ = true;
  if (gone_) {
    attempts_.clear();
    line_.reset();
  } else if (line_ == nullptr) {
    go_on_dialing(contact);
  } else {
    write();
  }
}

void OutLine::dial(const Contact& contact) {
  dialed_ = true;
  since_ = Clock::now();
  for (const watch::Address& address : contact.process.addresses) {
    if (address.family == 0) continue;
    watch::Descriptor connecting = watch::begin_connecting(address, contact.process.port);
    if (!connecting.is_open()) continue;
    watch::keep_alive(connecting.number());
    attempts_.push_back({std::make_unique<watch::Connection>(std::move(connecting)), false});
  }
}

void OutLine::go_on_dialing(const Contact& contact) {
  if (contact.state == Contact::State::unknown) return;
  if (!dialed_) dial(contact);
  std::erase_if(attempts_, [&](Attempt& attempt) { return !go_on(attempt, contact); });
  if (line_ != nullptr) {
    attempts_.clear();
    return write();
  }
  if (!reached_ && Clock::now() - since_ > kUnreachable) attempts_.clear();
  if (!attempts_.empty() || gone_) return;
  if (!reached_ || ++refusals_ > kMostRefusals) {
    gone_ = true;
  } else if (Clock::now() - since_ > kRedial) {
    reached_ = dialed_ = false;
  }
}

// False: nothing comes of it any more.
bool OutLine::go_on(Attempt& attempt, const Contact& contact) {
  const int descriptor = attempt.connection->descriptor();
  if (!attempt.greeted) {
    pollfd writable{descriptor, POLLOUT, 0};
    if (poll(&writable, 1, 0) <= 0) return true;
    int error = 0;
    socklen_t length = sizeof error;
    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length);
    if (error != 0) return false;
    reached_ = true;
    attempt.greeted = attempt.connection->send({watch::Message::Kind::line, contact.process.secret, contact.key});
    return attempt.greeted;
  }
  const watch::Connection::Heard heard = attempt.connection->receive();
  if (!heard.message) return heard.state == watch::Connection::State::open;
  if (heard.message->to != contact.key || heard.message->from != contact.process.secret) return false;
  if (heard.message->kind == watch::Message::Kind::goodbye) gone_ = true;
  if (heard.message->kind == watch::Message::Kind::welcome) line_ = std::move(attempt.connection);
  return false;
}

void OutLine::write() {
  std::size_t written = 0;
  while (written < unsent_.size()) {
    const ssize_t bytes =
        ::send(line_->descriptor(), unsent_.data() + written, unsent_.size() - written, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0 && errno != EAGAIN) gone_ = true;
    if (bytes < 0) break;
    written += static_cast<std::size_t>(bytes);
  }
  unsent_.erase(unsent_.begin(), unsent_.begin() + static_cast<std::ptrdiff_t>(written));
  // Nothing is ever written on the other side: whatever can be read is its end.
  char nothing = 0;
  const ssize_t bytes = recv(line_->descriptor(), &nothing, 1, MSG_DONTWAIT);
  if (bytes >= 0 || (errno != EAGAIN && errno != EINTR)) gone_ = true;
}

bool OutLine::add_to(std::vector<pollfd>& waits) const {
  if (gone_) return false;
  const auto add = [&](const watch::Connection& connection, bool writes) {
    waits.push_back({connection.descriptor(), static_cast<short>(writes ? POLLIN | POLLOUT : POLLIN), 0});
  };
  if (line_ != nullptr) {
    add(*line_, !unsent_.empty());
    return false;
  }
  for (const Attempt& attempt : attempts_) add(*attempt.connection, !attempt.greeted);
  return attempts_.empty() || !reached_;
}

}  // namespace xylem::survive
