// Where other processes can bring a connection for one rank of one communicator, whatever its user is doing meanwhile. They
// have to know the process's secret and the door's key.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

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
  // Those that wait: open descriptors that do not block, now the caller's.
  std::vector<int> take();

 private:
  friend class Watch;

  // Holding the watch's mutex.
  void let_in(int connection);
  void ring() const;

  std::shared_ptr<Watch> watch_;
  std::uint64_t key_;
  // Guarded by the watch's mutex.
  int bell_ = -1;
  std::vector<int> waiting_;
};

}  // namespace xylem::watch
