// A tag on own_communicators().requests that no other request has as long as this object lives.
#pragma once

namespace xylem::preload {

class Tag {
 public:
  Tag();
  ~Tag();
  Tag(const Tag&) = delete;
  Tag& operator=(const Tag&) = delete;

  operator int() const { return value_; }  // NOLINT(google-explicit-constructor): it is one

 private:
  int value_;
};

}  // namespace xylem::preload
