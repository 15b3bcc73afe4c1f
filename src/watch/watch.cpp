#include "watch/watch.hpp"

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>
#include <utility>

#include "base/block_signals.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "watch/addresses.hpp"
#include "watch/door.hpp"

namespace xylem::watch {
namespace {

// Connections that the other end has not chosen yet: strangers are not let in without limit.
constexpr std::size_t kUnknownLinks = 256;

// A process that has too many connections of strangers ends some of them; then one tries again.
constexpr int kMostAttempts = 50;

// Before what the system had no room for is tried again.
constexpr std::chrono::milliseconds kRest{100};

bool out_of_descriptors(int error) { return error == EMFILE || error == ENFILE; }

std::uint64_t random_secret() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

}  // namespace

std::shared_ptr<Watch> Watch::of_process() {
  static std::mutex mutex;
  static std::weak_ptr<Watch> known;
  static pid_t owner = 0;
  const std::scoped_lock lock(mutex);
  std::shared_ptr<Watch> watch = known.lock();
  // A forked child has a copy of the object, and no thread.
  if (watch == nullptr || owner != getpid()) {
    watch = std::make_shared<Watch>();
    known = watch;
    owner = getpid();
  }
  return watch;
}

Watch::Watch()
    : secret_(random_secret()),
      epoll_(Descriptor::opened([] { return epoll_create1(EPOLL_CLOEXEC); })),
      stop_(Descriptor::opened([] { return eventfd(0, EFD_CLOEXEC); })) {
  if (!epoll_.is_open() || !stop_.is_open()) throw system_error("descriptors for watching other processes");
  listen_to(stop_.number(), EPOLLIN, EPOLL_CTL_ADD);
  const BlockSignals blocked;
  thread_ = std::thread([this] { run(); });
}

Watch::~Watch() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(stop_.number(), &one, sizeof one);
  thread_.join();
  for (const auto& [descriptor, link] : links_)
    if (link.state == Link::State::chosen) link.connection->send({Message::Kind::goodbye, link.peer, secret_});
}

Identity Watch::identity(bool listens) {
  const std::scoped_lock lock(mutex_);
  if (listens && !listener_.is_open()) {
    listener_ = listen_everywhere(port_);
    if (listener_.is_open()) listen_to(listener_.number(), EPOLLIN, EPOLL_CTL_ADD);
  }
  Identity own{};
  own.secret = secret_;
  own.pid = getpid();
  own.port = port_;
  if (port_ != 0) own.addresses = own_addresses();
  return own;
}

void Watch::attend_to(int bell, void (*answer)()) {
  answer_ = answer;
  if (bell_.exchange(bell) != bell) listen_to(bell, EPOLLIN, EPOLL_CTL_ADD);
}

void Watch::listen_to(int descriptor, std::uint32_t events, int operation) const {
  epoll_event event{};
  event.events = events;
  event.data.fd = descriptor;
  epoll_ctl(epoll_.number(), operation, descriptor, &event);
}

// Before every close: where another process has a copy, as a child that knows nothing of Xylem has, the kernel goes on
// telling of what was closed here, and another descriptor may have its number by then.
void Watch::stop_listening_to(int descriptor) const { listen_to(descriptor, 0, EPOLL_CTL_DEL); }

void Watch::run() {
  pthread_setname_np(pthread_self(), "xylem-watch");
  for (;;) {
    epoll_event event{};
    // One at a time: the next may be of a descriptor that the first one's handling closes.
    const int events = epoll_wait(epoll_.number(), &event, 1, again_at_ ? static_cast<int>(kRest.count()) : -1);
    if (again_at_ && Clock::now() >= *again_at_) try_again();
    if (events != 1) continue;
    if (event.data.fd == stop_.number()) return;
    if (event.data.fd == bell_) {
      answer_.load()();
      continue;
    }
    const std::scoped_lock lock(mutex_);
    attend(event.data.fd);
  }
}

void Watch::attend(int descriptor) {
  if (descriptor == listener_.number()) return accept_links();
  if (const auto local = local_.find(descriptor); local != local_.end()) {
    const std::uint64_t secret = local->second.secret;
    stop_listening_to(descriptor);
    local_.erase(local);
    return end(secret, End::process);
  }
  if (const auto link = links_.find(descriptor); link != links_.end()) attend(descriptor, link->second);
}

void Watch::accept_links() {
  Descriptor accepted =
      Descriptor::opened([this] { return accept4(listener_.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC); });
  if (!accepted.is_open()) {
    // Whatever is wrong may last, and who wants to connect goes on waiting.
    if (const int error = errno; error != EAGAIN && error != ECONNABORTED && error != EINTR) rest(error);
    return;
  }
  std::size_t unknown = 0;
  for (const auto& [each, link] : links_) unknown += link.state == Link::State::accepted ? 1 : 0;
  if (unknown >= kUnknownLinks) return;
  add_link(std::move(accepted), Link::State::accepted, 0, EPOLLIN);
}

// Does not look at new connections for a while.
void Watch::rest(int error) {
  if (out_of_descriptors(error)) warn_once("connections of other processes have to wait");
  stop_listening_to(listener_.number());
  deaf_ = true;
  again_at_ = Clock::now() + kRest;
}

void Watch::try_again() {
  const std::scoped_lock lock(mutex_);
  again_at_.reset();
  if (std::exchange(deaf_, false)) listen_to(listener_.number(), EPOLLIN, EPOLL_CTL_ADD);
  for (const std::uint64_t each : std::exchange(redial_, {}))
    if (const auto known = peers_.find(each); known != peers_.end()) dial(each, known->second);
}

void Watch::warn_once(const std::string& what) {
  if (!std::exchange(warned_, true)) log::warn("this process has no file descriptors left (ulimit -n): " + what);
}

void Watch::attend(int descriptor, Link& link) {
  if (link.state == Link::State::connecting) {
    int error = 0;
    socklen_t length = sizeof error;
    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length);
    if (error == 0 && link.connection->send({Message::Kind::hello, link.peer, secret_})) {
      link.state = Link::State::greeted;
      return listen_to(descriptor, EPOLLIN, EPOLL_CTL_MOD);
    }
    log::debug("watching processes: an address of a peer cannot be reached: " + std::string(strerror(error)));
    const std::uint64_t peer = link.peer;
    close_link(descriptor);
    return fail_to_connect(peer, error);
  }
  const Connection::Heard heard = link.connection->receive();
  if (heard.message ? take(link, *heard.message) : heard.state == Connection::State::open) return;
  const std::uint64_t peer = link.peer;
  const Link::State state = link.state;
  close_link(descriptor);
  if (state == Link::State::greeted) {
    if (const auto known = peers_.find(peer); known != peers_.end()) known->second.hung_up = true;
    return fail_to_connect(peer, 0);
  }
  if (state != Link::State::chosen) return;
  if (heard.message && heard.message->kind == Message::Kind::goodbye) {
    peers_.erase(peer);
  } else {
    end(peer, heard.state == Connection::State::lost ? End::network : End::process);
  }
}

// False: the connection is of no further use.
bool Watch::take(Link& link, const Message& message) {
  if (message.to != secret_ || (link.peer != 0 && message.from != link.peer)) return false;
  switch (message.kind) {
    case Message::Kind::hello:
      if (link.state != Link::State::accepted) return false;
      link.peer = message.from;
      return link.connection->send({Message::Kind::welcome, link.peer, secret_});
    case Message::Kind::welcome:
      if (link.state != Link::State::greeted) return false;
      choose(link.peer, link.connection->descriptor());
      return link.connection->send({Message::Kind::chosen, link.peer, secret_});
    case Message::Kind::chosen:
      if (link.state != Link::State::accepted || link.peer == 0) return false;
      link.state = Link::State::chosen;
      if (const auto known = peers_.find(link.peer); known != peers_.end())
        known->second.descriptor = link.connection->descriptor();
      return true;
    case Message::Kind::line:
      if (link.state == Link::State::accepted && link.peer == 0) let_in(link, message.from);
      return false;
    case Message::Kind::goodbye:
      break;
  }
  return false;
}

void Watch::choose(std::uint64_t peer, int descriptor) {
  links_.at(descriptor).state = Link::State::chosen;
  Peer& known = peers_[peer];
  known.descriptor = descriptor;
  known.connecting = false;
  std::vector<int> others;
  for (const auto& [each, link] : links_)
    if (link.peer == peer && each != descriptor) others.push_back(each);
  for (const int each : others) close_link(each);
}

void Watch::dial(std::uint64_t secret, Peer& peer) {
  peer.connecting = true;
  peer.hung_up = false;
  ++peer.attempts;
  for (const Address& address : peer.process.addresses) {
    if (address.family == 0) continue;
    if (Descriptor connecting = begin_connecting(address, peer.process.port); connecting.is_open())
      add_link(std::move(connecting), Link::State::connecting, secret, EPOLLOUT);
  }
  fail_to_connect(secret, 0);
}

// One connection has failed. Who took one and ended it may have too many, or has ended in that moment, and then refuses the
// next. After the last one of a process that must be there, it is not there any more.
void Watch::fail_to_connect(std::uint64_t peer, int error) {
  const auto known = peers_.find(peer);
  if (known == peers_.end() || !known->second.connecting) return;
  if (std::any_of(links_.begin(), links_.end(), [&](const auto& each) { return each.second.peer == peer; })) return;
  if (known->second.hung_up && known->second.attempts < kMostAttempts) {
    redial_.insert(peer);
    if (!again_at_) again_at_ = Clock::now() + kRest;
    return;
  }
  // Else later communicators may try again.
  known->second.connecting = false;
  if (known->second.reachable) end(peer, error == ECONNREFUSED || error == ECONNRESET ? End::process : End::network);
}

// A connection for one rank of this process.
void Watch::let_in(Link& link, std::uint64_t key) {
  const auto door = doors_.find(key);
  if (door == doors_.end()) {
    link.connection->send({Message::Kind::goodbye, key, secret_});
    return;
  }
  if (!link.connection->send({Message::Kind::welcome, key, secret_})) return;
  door->second->let_in(std::move(link.connection));
}

void Watch::add_link(Descriptor descriptor, Link::State state, std::uint64_t peer, std::uint32_t events) {
  const int number = descriptor.number();
  keep_alive(number);
  links_.emplace(number, Link{std::make_unique<Connection>(std::move(descriptor)), state, peer});
  listen_to(number, events, EPOLL_CTL_ADD);
}

void Watch::close_link(int descriptor) {
  stop_listening_to(descriptor);
  links_.erase(descriptor);
}

void Watch::end(std::uint64_t peer, End how) {
  ended_.emplace(peer, how);
  const auto known = peers_.find(peer);
  if (known == peers_.end()) return;
  const std::multimap<Vigil*, std::uint32_t> ranks = std::move(known->second.ranks);
  peers_.erase(known);
  for (const auto& [vigil, rank] : ranks) vigil->report_(vigil->context_, rank, how);
}

Watch::Peer& Watch::peer(Vigil& vigil, std::uint64_t secret, std::uint32_t rank) {
  Peer& known = peers_[secret];
  known.ranks.emplace(&vigil, rank);
  vigil.peers_.insert(secret);
  return known;
}

Vigil::Vigil(std::shared_ptr<Watch> watch, Report report, void* context)
    : watch_(std::move(watch)), report_(report), context_(context) {}

Vigil::~Vigil() {
  const std::scoped_lock lock(watch_->mutex_);
  // The processes stay watched, for communicators to come.
  for (const std::uint64_t each : peers_)
    if (const auto known = watch_->peers_.find(each); known != watch_->peers_.end()) known->second.ranks.erase(this);
}

void Vigil::watch_local(const Identity& process, std::uint32_t rank) {
  const std::scoped_lock lock(watch_->mutex_);
  if (process.secret == watch_->secret_) return;
  if (const auto ended = watch_->ended_.find(process.secret); ended != watch_->ended_.end())
    return report_(context_, rank, ended->second);
  Watch::Peer& peer = watch_->peer(*this, process.secret, rank);
  if (peer.descriptor >= 0) return;
  Descriptor pidfd = Descriptor::opened([&] { return static_cast<int>(syscall(SYS_pidfd_open, process.pid, 0)); });
  if (!pidfd.is_open()) {
    // There is no such process any more; else a container that forbids it, or a kernel before 5.3.
    if (errno == ESRCH) return watch_->end(process.secret, End::process);
    if (out_of_descriptors(errno)) watch_->warn_once("the end of other processes is not noticed");
    log::debug("watching processes: pidfd_open: " + std::string(strerror(errno)));
    return;
  }
  peer.descriptor = pidfd.number();
  watch_->local_.emplace(peer.descriptor, Watch::Local{std::move(pidfd), process.secret});
  watch_->listen_to(peer.descriptor, EPOLLIN, EPOLL_CTL_ADD);
}

void Vigil::watch_remote(const Identity& process, std::uint32_t rank, bool reachable) {
  const std::scoped_lock lock(watch_->mutex_);
  if (process.secret == watch_->secret_ || process.port == 0) return;
  if (const auto ended = watch_->ended_.find(process.secret); ended != watch_->ended_.end())
    return report_(context_, rank, ended->second);
  Watch::Peer& peer = watch_->peer(*this, process.secret, rank);
  if (peer.descriptor >= 0 || peer.connecting) return;
  if (watch_->secret_ > process.secret) {
    for (const auto& [descriptor, link] : watch_->links_)
      if (link.peer == process.secret && link.state == Watch::Link::State::chosen) peer.descriptor = descriptor;
    return;
  }
  peer.process = process;
  peer.reachable = reachable;
  watch_->dial(process.secret, peer);
}

}  // namespace xylem::watch
