// A file descriptor that no forked child keeps: a copy there would keep a connection open by whose end others notice the end
// of this process, and a port at which nobody answers.
#pragma once

#include <mutex>

namespace xylem::watch {

class Descriptor {
 public:
  Descriptor() = default;
  // What `open()` returns, or less than 0. No thread of this process forks meanwhile, so `open` must not wait.
  template <class Open>
  static Descriptor opened(Open&& open) {
    Descriptor result;
    {
      const std::scoped_lock lock(mutex());
      result.number_ = open();
      result.enlist();
    }
    return result;
  }
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept { take(other); }
  Descriptor& operator=(Descriptor&& other) noexcept;

  // Less than 0: there is none, as in a forked child.
  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }

 private:
  static std::mutex& mutex();
  static void close_all_in_child();
  void enlist();
  void leave_list();
  void take(Descriptor& other);
  void close();

  int number_ = -1;
  // Of those of this process, while it is open. Guarded by the mutex, as is what opens and closes.
  Descriptor* next_ = nullptr;
  Descriptor* previous_ = nullptr;
};

}  // namespace xylem::watch
