#include "backend/reductions.hpp"

#include <cfloat>

#include "backend/handle_map.hpp"
#include "backend/own_communicators.hpp"

namespace xylem::preload {
namespace {

// What a predefined type is, where its size is this MPI's or this Fortran compiler's affair.
enum class Kind { moved, signed_integer, unsigned_integer, real, complex, logical, pair };

struct Name {
  MPI_Datatype handle;
  Kind kind;
  xylem_type type = XYLEM_TYPE_COUNT;  // where the kind alone does not say it: pairs, and types of C
};

HandleMap<MPI_Datatype, PredefinedType, 256> types;
HandleMap<MPI_Op, xylem_op, 64> operations;

xylem_type by_size(std::size_t size, xylem_type one, xylem_type two, xylem_type four, xylem_type eight) {
  switch (size) {
    case 1:
      return one;
    case 2:
      return two;
    case 4:
      return four;
    case 8:
      return eight;
    default:
      return XYLEM_TYPE_COUNT;
  }
}

// A real of 16 bytes from Fortran is IEEE binary128: a long double only where that is the same.
constexpr bool kLongDoubleIsQuad = LDBL_MANT_DIG == 113;

xylem_type type_of(const Name& name, std::size_t size) {
  if (name.type != XYLEM_TYPE_COUNT) return name.type;
  switch (name.kind) {
    case Kind::signed_integer:
      return by_size(size, XYLEM_INT8, XYLEM_INT16, XYLEM_INT32, XYLEM_INT64);
    case Kind::unsigned_integer:
      return by_size(size, XYLEM_UINT8, XYLEM_UINT16, XYLEM_UINT32, XYLEM_UINT64);
    case Kind::logical:
      return by_size(size, XYLEM_LOGICAL8, XYLEM_LOGICAL16, XYLEM_LOGICAL32, XYLEM_LOGICAL64);
    case Kind::real:
      if (size == 16 && kLongDoubleIsQuad) return XYLEM_LONG_DOUBLE;
      return by_size(size, XYLEM_TYPE_COUNT, XYLEM_FLOAT16, XYLEM_FLOAT, XYLEM_DOUBLE);
    case Kind::complex:
      if (size == 32 && kLongDoubleIsQuad) return XYLEM_COMPLEX_LONG_DOUBLE;
      if (size == 16) return XYLEM_COMPLEX_DOUBLE;
      return size == 8 ? XYLEM_COMPLEX_FLOAT : XYLEM_TYPE_COUNT;
    default:
      return XYLEM_TYPE_COUNT;
  }
}

static_assert(XYLEM_OP_COUNT < 32);
std::uint32_t operations_on(xylem_type type) {
  std::uint32_t bits = 0;
  for (std::uint32_t op = 0; op < XYLEM_OP_COUNT; ++op) {
    if (xylem_op_supported(static_cast<xylem_op>(op), type) != 0) bits |= 1U << op;
  }
  return bits;
}

void learn_type(const Name& name) {
  // How MPICH says that it does not have one. In the standard's ABI it refuses to pack it.
  int size = 0;
  if (name.handle == MPI_DATATYPE_NULL || PMPI_Pack_size(1, name.handle, own_communicators().self, &size) != MPI_SUCCESS)
    return;
  PMPI_Type_size(name.handle, &size);
  if (size <= 0) return;
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  PMPI_Type_get_extent(name.handle, &lower_bound, &extent);
  xylem_type type = type_of(name, static_cast<std::size_t>(size));
  // A type of Fortran may be larger than its namesake in C (-fdefault-real-8 and its like); pairs count with their padding.
  if (type != XYLEM_TYPE_COUNT && xylem_type_size(type) != static_cast<std::size_t>(extent)) type = XYLEM_TYPE_COUNT;
  types.set(name.handle, {type, operations_on(type), static_cast<std::size_t>(size), size == extent});
}

void learn_types() {
  const Name names[] = {
      {MPI_CHAR, Kind::moved},
      {MPI_WCHAR, Kind::moved},
      {MPI_PACKED, Kind::moved},
      {MPI_CHARACTER, Kind::moved},
      {MPI_BYTE, Kind::moved, XYLEM_BYTE},
      {MPI_SIGNED_CHAR, Kind::signed_integer},
      {MPI_SHORT, Kind::signed_integer},
      {MPI_INT, Kind::signed_integer},
      {MPI_LONG, Kind::signed_integer},
      {MPI_LONG_LONG, Kind::signed_integer},
      {MPI_INT8_T, Kind::signed_integer},
      {MPI_INT16_T, Kind::signed_integer},
      {MPI_INT32_T, Kind::signed_integer},
      {MPI_INT64_T, Kind::signed_integer},
      {MPI_AINT, Kind::signed_integer},
      {MPI_COUNT, Kind::signed_integer},
      {MPI_OFFSET, Kind::signed_integer},
      {MPI_INTEGER, Kind::signed_integer},
      {MPI_INTEGER1, Kind::signed_integer},
      {MPI_INTEGER2, Kind::signed_integer},
      {MPI_INTEGER4, Kind::signed_integer},
      {MPI_INTEGER8, Kind::signed_integer},
      {MPI_UNSIGNED_CHAR, Kind::unsigned_integer},
      {MPI_UNSIGNED_SHORT, Kind::unsigned_integer},
      {MPI_UNSIGNED, Kind::unsigned_integer},
      {MPI_UNSIGNED_LONG, Kind::unsigned_integer},
      {MPI_UNSIGNED_LONG_LONG, Kind::unsigned_integer},
      {MPI_UINT8_T, Kind::unsigned_integer},
      {MPI_UINT16_T, Kind::unsigned_integer},
      {MPI_UINT32_T, Kind::unsigned_integer},
      {MPI_UINT64_T, Kind::unsigned_integer},
      {MPI_FLOAT, Kind::real},
      {MPI_DOUBLE, Kind::real},
      {MPI_LONG_DOUBLE, Kind::real, XYLEM_LONG_DOUBLE},
      {MPI_REAL, Kind::real},
      {MPI_DOUBLE_PRECISION, Kind::real},
      {MPI_REAL4, Kind::real},
      {MPI_REAL8, Kind::real},
      {MPI_REAL16, Kind::real},
      {MPI_C_FLOAT_COMPLEX, Kind::complex},
      {MPI_C_DOUBLE_COMPLEX, Kind::complex},
      {MPI_C_LONG_DOUBLE_COMPLEX, Kind::complex, XYLEM_COMPLEX_LONG_DOUBLE},
      {MPI_CXX_FLOAT_COMPLEX, Kind::complex},
      {MPI_CXX_DOUBLE_COMPLEX, Kind::complex},
      {MPI_CXX_LONG_DOUBLE_COMPLEX, Kind::complex, XYLEM_COMPLEX_LONG_DOUBLE},
      {MPI_COMPLEX, Kind::complex},
      {MPI_DOUBLE_COMPLEX, Kind::complex},
      {MPI_COMPLEX8, Kind::complex},
      {MPI_COMPLEX16, Kind::complex},
      {MPI_COMPLEX32, Kind::complex},
      {MPI_C_BOOL, Kind::logical, XYLEM_BOOL},
      {MPI_CXX_BOOL, Kind::logical, XYLEM_BOOL},
      {MPI_LOGICAL, Kind::logical},
#ifdef MPI_LOGICAL1
      {MPI_LOGICAL1, Kind::logical},
      {MPI_LOGICAL2, Kind::logical},
      {MPI_LOGICAL4, Kind::logical},
      {MPI_LOGICAL8, Kind::logical},
#endif
      {MPI_FLOAT_INT, Kind::pair, XYLEM_FLOAT_INT},
      {MPI_DOUBLE_INT, Kind::pair, XYLEM_DOUBLE_INT},
      {MPI_LONG_INT, Kind::pair, XYLEM_LONG_INT},
      {MPI_2INT, Kind::pair, XYLEM_INT_INT},
      {MPI_SHORT_INT, Kind::pair, XYLEM_SHORT_INT},
      {MPI_LONG_DOUBLE_INT, Kind::pair, XYLEM_LONG_DOUBLE_INT},
      {MPI_2INTEGER, Kind::pair, XYLEM_INT_INT},
      {MPI_2REAL, Kind::pair, XYLEM_FLOAT_FLOAT},
      {MPI_2DOUBLE_PRECISION, Kind::pair, XYLEM_DOUBLE_DOUBLE},
  };
  for (const Name& name : names) learn_type(name);
}

void learn_operations() {
  operations.set(MPI_SUM, XYLEM_SUM);
  operations.set(MPI_PROD, XYLEM_PROD);
  operations.set(MPI_MAX, XYLEM_MAX);
  operations.set(MPI_MIN, XYLEM_MIN);
  operations.set(MPI_LAND, XYLEM_LAND);
  operations.set(MPI_BAND, XYLEM_BAND);
  operations.set(MPI_LOR, XYLEM_LOR);
  operations.set(MPI_BOR, XYLEM_BOR);
  operations.set(MPI_LXOR, XYLEM_LXOR);
  operations.set(MPI_BXOR, XYLEM_BXOR);
  operations.set(MPI_MAXLOC, XYLEM_MAXLOC);
  operations.set(MPI_MINLOC, XYLEM_MINLOC);
  // Known, so as to be told from operations of the program; the MPI refuses them in collectives.
  operations.set(MPI_REPLACE, XYLEM_OP_COUNT);
  operations.set(MPI_NO_OP, XYLEM_OP_COUNT);
  operations.set(MPI_OP_NULL, XYLEM_OP_COUNT);
}

}  // namespace

void learn_predefined_handles() {
  learn_types();
  learn_operations();
}

const PredefinedType* find_predefined(MPI_Datatype datatype) { return types.find(datatype); }

Reduction find_reduction(MPI_Datatype datatype, MPI_Op op) {
  Reduction found{Reason::none, XYLEM_TYPE_COUNT, XYLEM_OP_COUNT, 0};
  const xylem_op* const known_op = operations.find(op);
  const PredefinedType* const known_type = types.find(datatype);
  if (known_op == nullptr) {
    found.reason = Reason::user_operation;
  } else if (known_type == nullptr) {
    found.reason = Reason::datatype;
  } else if ((known_type->operations >> static_cast<unsigned>(*known_op) & 1U) == 0) {
    found.reason = Reason::operation;
  } else {
    found = {Reason::none, known_type->type, *known_op, known_type->size};
  }
  return found;
}

}  // namespace xylem::preload
