// Notices the end of processes that ranks of this process's communicators belong to, whatever their users are doing: a thread
// sleeps in the kernel until one of them ends.
//
//   of this host    by a pidfd
//   of others       by a TCP connection, which the other's kernel closes with the process, and which keepalive ends where the
//                   network does not lead there any more. A process that closes in good order says goodbye before.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "watch/connection.hpp"
#include "watch/descriptor.hpp"
#include "watch/identity.hpp"

namespace xylem::watch {

enum class End {
  process,  // it ended
  network,  // it cannot be reached
};

class Door;
class Vigil;

class Watch {
 public:
  // The one of this process. It ends with the last owner. Throws Error. Thread-safe.
  static std::shared_ptr<Watch> of_process();

  Watch();
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // `listens`: processes on other hosts will connect. Thread-safe.
  Identity identity(bool listens);

  // From now on `answer` is called from the watching thread whenever the descriptor can be read. One per object. Thread-safe.
  void attend_to(int bell, void (*answer)());

 private:
  friend class Door;
  friend class Vigil;
  using Clock = std::chrono::steady_clock;

  // A process that is or was watched.
  struct Peer {
    std::multimap<Vigil*, std::uint32_t> ranks;
    Identity process{};  // of another host
    bool connecting = false;
    bool reachable = false;  // it is known that it can be: who refuses a connection has ended
    bool hung_up = false;    // a connection that it took has ended before it was chosen
    int attempts = 0;
    int descriptor = -1;  // what its end shows at: a pidfd, or a connection
  };
  struct Local {
    Descriptor process;
    std::uint64_t secret;
  };
  struct Link {
    enum class State { connecting, greeted, accepted, chosen };

    std::unique_ptr<Connection> connection;
    State state;
    std::uint64_t peer;  // 0: not known yet
  };

  Peer& peer(Vigil& vigil, std::uint64_t secret, std::uint32_t rank);
  void run();
  void attend(int descriptor);
  void accept_links();
  void rest(int error);
  void try_again();
  void attend(int descriptor, Link& link);
  bool take(Link& link, const Message& message);
  void choose(std::uint64_t peer, int descriptor);
  void dial(std::uint64_t secret, Peer& peer);
  void fail_to_connect(std::uint64_t peer, int error);
  void let_in(Link& link, std::uint64_t key);
  void add_link(Descriptor descriptor, Link::State state, std::uint64_t peer, std::uint32_t events);
  void close_link(int descriptor);
  void end(std::uint64_t peer, End how);
  void warn_once(const std::string& what);
  void stop_listening_to(int descriptor) const;
  void listen_to(int descriptor, std::uint32_t events, int operation) const;

  std::mutex mutex_;
  std::uint64_t secret_;
  Descriptor epoll_;
  Descriptor stop_;
  Descriptor listener_;
  std::atomic<int> bell_{-1};
  std::atomic<void (*)()> answer_{nullptr};
  std::uint16_t port_ = 0;
  std::map<std::uint64_t, Peer> peers_;        // by secret
  std::map<int, Local> local_;                 // by pidfd
  std::map<int, Link> links_;                  // by descriptor
  std::map<std::uint64_t, End> ended_;         // for who asks later
  std::map<std::uint64_t, Door*> doors_;       // by key
  std::set<std::uint64_t> redial_;             // peers to connect to when it is tried again
  bool deaf_ = false;                          // connections are not taken in until it is tried again
  bool warned_ = false;                        // that there are no descriptors left
  std::optional<Clock::time_point> again_at_;  // used by the thread alone
  std::thread thread_;                         // the last: uses all of the above
};

// What one communicator wants to know.
class Vigil {
 public:
  using Report = void (*)(void* context, std::uint32_t rank, End how);

  // `report` is called from the watching thread, once for each rank whose process ends. It must not touch a Vigil.
  Vigil(std::shared_ptr<Watch> watch, Report report, void* context);
  // Reports are over when it returns.
  ~Vigil();
  Vigil(const Vigil&) = delete;
  Vigil& operator=(const Vigil&) = delete;

  // A process of this host.
  void watch_local(const Identity& process, std::uint32_t rank);
  // A process of another host. Both watch each other; which of them connects they see from their secrets. `reachable`: it is
  // known that its host takes connections, so one that is refused is a process that has ended. Else it may be a firewall.
  void watch_remote(const Identity& process, std::uint32_t rank, bool reachable = false);

 private:
  friend class Watch;

  std::shared_ptr<Watch> watch_;
  Report report_;
  void* context_;
  std::set<std::uint64_t> peers_;
};

}  // namespace xylem::watch
