// Sending and receiving on the socket that a PMI launcher gives to each process.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace xylem::preload {

// Closes its descriptor at its end.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();
  int number() const { return number_; }

 private:
  int number_;
};

// The functions that follow return false or an empty text when the other end is gone.
bool send_all(int socket, std::string_view text);
std::string receive_line(int socket);
std::string receive_bytes(int socket, std::size_t bytes);
// Passes on what has come on one socket.
bool pass_on(int from, int to);

}  // namespace xylem::preload
