// Vectors of one value in device memory, and their sums over all ranks by the C API: for tests that look at when and where a
// call runs rather than at what it computes.
#pragma once

#include <string>

#include "float_collectives.hpp"

namespace xylem::test {

// `count` floats, all of one value.
class Vector {
 public:
  explicit Vector(float all, std::size_t count) : count_(count), buffer_(count) { write(all); }
  float* data() const { return buffer_.data(); }
  std::size_t count() const { return count_; }
  void write(float all) const { buffer_.write(std::vector<float>(count_, all)); }
  bool is(float all) const { return buffer_.read() == std::vector<float>(count_, all); }

 private:
  std::size_t count_;
  DeviceBuffer buffer_;
};

// One rank. Each contributes its own value, and all of them come to the total.
struct World {
  int rank, size;
  xylem_comm_t comm;

  float own() const { return static_cast<float>(rank + 1); }
  float total() const { return static_cast<float>(size * (size + 1) / 2); }

  void sum(const Vector& from, const Vector& to, xylem_comm_t in, xylem_stream_t stream) const {
    check(xylem_allreduce(from.data(), to.data(), from.count(), XYLEM_FLOAT, XYLEM_SUM, in, stream), "xylem_allreduce");
  }
  xylem_request_t start(const Vector& from, const Vector& to, xylem_comm_t in, xylem_stream_t stream) const {
    xylem_request_t request = nullptr;
    check(xylem_iallreduce(from.data(), to.data(), from.count(), XYLEM_FLOAT, XYLEM_SUM, in, stream, &request),
          "xylem_iallreduce");
    return request;
  }
  xylem_comm_t duplicate() const {
    xylem_comm_t copy = nullptr;
    check(xylem_comm_split(comm, 0, 0, &copy), "xylem_comm_split");
    return copy;
  }
};

}  // namespace xylem::test
