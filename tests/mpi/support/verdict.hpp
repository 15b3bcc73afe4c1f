// What a test program of several ranks found. The verdict travels to rank 0 point to point, never by a collective under test.
#pragma once

#include <mpi.h>

#include <cstdio>
#include <string>

namespace xylem::test {

class Verdict {
 public:
  // Notes a failure unless `good`. The text is built by the caller only for failures: pass a callable that returns it.
  template <class Text>
  bool check(bool good, Text text) {
    if (!good) fail(text());
    return good;
  }

  void fail(const std::string& text) {
    if (failures_++ < shown_) texts_ += text + "\n";
  }

  long failures() const { return failures_; }

  // Call last, before MPI_Finalize, on all ranks of MPI_COMM_WORLD. Rank 0 prints what the ranks found. Returns the exit
  // code.
  int finish(const char* name) {
    int rank = 0, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank != 0) {
      MPI_Send(&failures_, 1, MPI_LONG, 0, tag_, MPI_COMM_WORLD);
      MPI_Send(texts_.data(), static_cast<int>(texts_.size()), MPI_CHAR, 0, tag_, MPI_COMM_WORLD);
      return failures_ == 0 ? 0 : 1;
    }
    long total = 0;
    for (int from = 0; from < size; ++from) {
      long failures = failures_;
      std::string texts = texts_;
      if (from != 0) {
        MPI_Status status;
        int length = 0;
        MPI_Recv(&failures, 1, MPI_LONG, from, tag_, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Probe(from, tag_, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_CHAR, &length);
        texts.resize(static_cast<std::size_t>(length));
        MPI_Recv(texts.data(), length, MPI_CHAR, from, tag_, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
      if (failures != 0) std::printf("rank %d: %ld failures, first of them:\n%s", from, failures, texts.c_str());
      total += failures;
    }
    std::printf("%s: %s\n", name, total == 0 ? "good" : "FAILED");
    return total == 0 ? 0 : 1;
  }

 private:
  static constexpr int shown_ = 4;
  static constexpr int tag_ = 4711;
  long failures_ = 0;
  std::string texts_;
};

}  // namespace xylem::test
