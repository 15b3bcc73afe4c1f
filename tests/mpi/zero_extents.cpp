// Datatypes whose elements all lie in one place, and datatypes without any data, in every collective that moves data and in
// every form of it: the one is sent as often as its count says, the other touches nothing.
#include <mpi.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/forms.hpp"
#include "support/verdict.hpp"

using namespace xylem::test;

namespace {

int rank = 0, size = 0;

// All calls of one form, with `count` elements for each rank, each the one number that a rank has for all of them.
class Repeated {
 public:
  Repeated(Form how, int count, Verdict& verdict)
      : how_(how),
        count_(count),
        verdict_(verdict),
        ones_(ranks()),
        anywhere_(ranks()),
        starts_(ranks()),
        bytes_(ranks()),
        nothing_(ranks()),
        received_(ranks() * static_cast<std::size_t>(count) + 1, -1) {
    MPI_Type_create_resized(MPI_INT, 0, 0, &type_);
    MPI_Type_commit(&type_);
    for (std::size_t r = 0; r < ranks(); ++r) {
      ones_.set(r, count);
      anywhere_.set(r, static_cast<long>(1000 * r));  // times an extent of 0
      starts_.set(r, static_cast<long>(r) * count);
      bytes_.set(r, static_cast<long>(r) * count * static_cast<long>(sizeof(int)));
    }
  }
  ~Repeated() { MPI_Type_free(&type_); }
  Repeated(const Repeated&) = delete;
  Repeated& operator=(const Repeated&) = delete;

  void run() {
    const int root = size - 1;
    const MPI_Comm comm = MPI_COMM_WORLD;
    const std::vector<MPI_Datatype> types(ranks(), type_), ints(ranks(), MPI_INT);
    int* const all = received_.data();
    const auto from_all = [](int from) { return from + 1; };
    const auto from_root = [&](int) { return root + 1; };
    int own = rank + 1;

    CALL_AS(how_, Allgather, allgather, &own, count_, type_, all, count_, MPI_INT, comm);
    check("Allgather", size, from_all);
    CALL_AS(how_, Allgatherv, allgatherv, &own, count_, type_, all, ones_, starts_, MPI_INT, comm);
    check("Allgatherv", size, from_all);
    CALL_AS(how_, Alltoall, alltoall, &own, count_, type_, all, count_, MPI_INT, comm);
    check("Alltoall", size, from_all);
    CALL_AS(how_, Alltoallv, alltoallv, &own, ones_, anywhere_, type_, all, ones_, starts_, MPI_INT, comm);
    check("Alltoallv", size, from_all);
    CALL_AS(how_, Alltoallw, alltoallw, &own, ones_, nothing_, types.data(), all, ones_, bytes_, ints.data(), comm);
    check("Alltoallw", size, from_all);
    CALL_AS(how_, Gather, gather, &own, count_, type_, all, count_, MPI_INT, root, comm);
    check("Gather", rank == root ? size : 0, from_all);
    CALL_AS(how_, Gatherv, gatherv, &own, count_, type_, all, ones_, starts_, MPI_INT, root, comm);
    check("Gatherv", rank == root ? size : 0, from_all);
    CALL_AS(how_, Scatter, scatter, &own, count_, type_, all, count_, MPI_INT, root, comm);
    check("Scatter", 1, from_root);
    CALL_AS(how_, Scatterv, scatterv, &own, ones_, anywhere_, type_, all, count_, MPI_INT, root, comm);
    check("Scatterv", 1, from_root);
    void* const buffer = rank == root ? &own : all;
    CALL_AS(how_, Bcast, bcast, buffer, count_, rank == root ? type_ : MPI_INT, root, comm);
    check("Bcast", rank == root ? 0 : 1, from_root);
    verdict_.check(own == rank + 1, [&] { return text("the number that is sent has changed"); });
  }

 private:
  static std::size_t ranks() { return static_cast<std::size_t>(size); }
  std::string text(const char* what) const {
    return std::string(what) + form_names[static_cast<std::size_t>(how_)] + ", " + std::to_string(count_) + " elements";
  }
  // So many blocks have come, and the rest is as it was; all is made so for the next call.
  template <class Value>
  void check(const char* what, int blocks, Value value_of) {
    bool good = true;
    for (std::size_t i = 0; i < received_.size(); ++i) {
      const int block = static_cast<int>(i) / (count_ > 0 ? count_ : 1);
      good = good && received_[i] == (count_ > 0 && block < blocks ? value_of(block) : -1);
    }
    verdict_.check(good, [&] { return text(what); });
    std::fill(received_.begin(), received_.end(), -1);
  }

  Form how_;
  int count_;
  Verdict& verdict_;
  Counts ones_;
  Displacements anywhere_, starts_, bytes_, nothing_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  std::vector<int> received_;
};

// Five elements of nothing, from and to a buffer that is not there.
void empty_types(Form form, Verdict& verdict) {
  MPI_Datatype empty, spread;
  MPI_Type_contiguous(0, MPI_DOUBLE, &empty);
  MPI_Type_create_resized(empty, 0, 24, &spread);
  MPI_Type_free(&empty);
  MPI_Type_commit(&spread);
  const auto n = static_cast<std::size_t>(size);
  Counts five(n);
  Displacements places(n);
  for (std::size_t r = 0; r < n; ++r) five.set(r, 5), places.set(r, static_cast<long>(r));
  const std::vector<MPI_Datatype> types(n, spread);
  const MPI_Comm comm = MPI_COMM_WORLD;
  double in = 1, out = 2;
  const auto say = [&](const char* what, int code) {
    verdict.check(code == MPI_SUCCESS && in == 1 && out == 2,
                  [&] { return std::string(what) + form_names[static_cast<std::size_t>(form)] + " of an empty type"; });
  };
  say("Bcast", CALL_AS(form, Bcast, bcast, &out, 5, spread, 0, comm));
  say("Allgather", CALL_AS(form, Allgather, allgather, &in, 5, spread, &out, 5, spread, comm));
  say("Allgatherv", CALL_AS(form, Allgatherv, allgatherv, &in, 5, spread, &out, five, places, spread, comm));
  say("Gather", CALL_AS(form, Gather, gather, &in, 5, spread, &out, 5, spread, 0, comm));
  say("Gatherv", CALL_AS(form, Gatherv, gatherv, &in, 5, spread, &out, five, places, spread, 0, comm));
  say("Scatter", CALL_AS(form, Scatter, scatter, &in, 5, spread, &out, 5, spread, 0, comm));
  say("Scatterv", CALL_AS(form, Scatterv, scatterv, &in, five, places, spread, &out, 5, spread, 0, comm));
  say("Alltoall", CALL_AS(form, Alltoall, alltoall, &in, 5, spread, &out, 5, spread, comm));
  say("Alltoallv", CALL_AS(form, Alltoallv, alltoallv, &in, five, places, spread, &out, five, places, spread, comm));
  say("Alltoallw",
      CALL_AS(form, Alltoallw, alltoallw, &in, five, places, types.data(), &out, five, places, types.data(), comm));
  MPI_Type_free(&spread);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Verdict verdict;
  for (const Form form : forms) {
    for (const int count : {0, 1, 17, 20000}) Repeated(form, count, verdict).run();
    empty_types(form, verdict);
  }
  const int code = verdict.finish("zero_extents");
  MPI_Finalize();
  return code;
}
