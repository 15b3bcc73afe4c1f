// Where other processes can bring a connection for one rank of one communicator, whatever its user is doing meanwhile. They
// have to know the process's secret and the door's key.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "watch/connection.hpp"
#include "watch/descriptor.hpp"

namespace xylem::watch {

class Watch;

class Door {
 public:
  // From now on the watching thread takes connections in. Throws Error.
  Door(std::shared_ptr<Watch> watch, std::uint64_t key);
  // Who asks for it afterwards is told goodbye, and who was not taken in is left.
  ~Door();
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  std::uint64_t key() const { return key_; }
  // A descriptor that can be read while connections wait. Made when first asked for: there may be thousands of doors at which
  // nobody ever calls. Throws Error.
  int bell();
  // Those that wait, now the caller's. They do not block.
  std::vector<std::unique_ptr<Connection>> take();

 private:
  friend class Watch;

  // Holding the watch's mutex.
  void let_in(std::unique_ptr<Connection> connection);
  void ring() const;

  std::shared_ptr<Watch> watch_;
  std::uint64_t key_;
  // Guarded by the watch's mutex.
  Descriptor bell_;
  std::vector<std::unique_ptr<Connection>> waiting_;
};

}  // namespace xylem::watch
