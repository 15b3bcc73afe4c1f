// The predefined MPI types and operations as tables, with the functions that fill and compare elements of each.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "values.hpp"

namespace xylem::test {

struct OpCase {
  const char* name;
  MPI_Op op;
};

inline std::vector<OpCase> op_cases() {  // in the order of Op
  return {{"none", MPI_OP_NULL}, {"SUM", MPI_SUM},       {"PROD", MPI_PROD},    {"MAX", MPI_MAX},   {"MIN", MPI_MIN},
          {"LAND", MPI_LAND},    {"LOR", MPI_LOR},       {"LXOR", MPI_LXOR},    {"BAND", MPI_BAND}, {"BOR", MPI_BOR},
          {"BXOR", MPI_BXOR},    {"MAXLOC", MPI_MAXLOC}, {"MINLOC", MPI_MINLOC}};
}

using OpSet = unsigned;
constexpr OpSet set_of(std::initializer_list<Op> ops) {
  OpSet set = 0;
  for (Op op : ops) set |= 1u << static_cast<unsigned>(op);
  return set;
}
inline constexpr OpSet moves = set_of({Op::none});
inline constexpr OpSet arithmetic = moves | set_of({Op::sum, Op::prod});
inline constexpr OpSet ordered = arithmetic | set_of({Op::max, Op::min});
inline constexpr OpSet logical = moves | set_of({Op::land, Op::lor, Op::lxor});
inline constexpr OpSet bitwise = moves | set_of({Op::band, Op::bor, Op::bxor});
inline constexpr OpSet integer = ordered | logical | bitwise;
inline constexpr OpSet fortran_integer = ordered | bitwise;  // MPI defines no logical operations on these
inline constexpr OpSet located = moves | set_of({Op::maxloc, Op::minloc});

struct TypeCase {
  const char* name;
  MPI_Datatype type;
  OpSet ops;
  std::size_t size;  // extent in bytes
  void (*fill)(void* out, std::size_t first, std::size_t count, Op op, int rank, unsigned salt);
  void (*expect)(void* out, std::size_t first, std::size_t count, Op op, int ranks, unsigned salt);
  // The index of the first element that differs, or `count`.
  std::size_t (*differs)(const void* a, const void* b, std::size_t count);
};

template <class T>
TypeCase type_case(const char* name, MPI_Datatype type, OpSet ops) {
  return {name,
          type,
          ops,
          sizeof(T),
          [](void* out, std::size_t first, std::size_t count, Op op, int rank, unsigned salt) {
            for (std::size_t i = 0; i < count; ++i) static_cast<T*>(out)[i] = input<T>(op, rank, first + i, salt);
          },
          [](void* out, std::size_t first, std::size_t count, Op op, int ranks, unsigned salt) {
            for (std::size_t i = 0; i < count; ++i) static_cast<T*>(out)[i] = reduced<T>(op, ranks, first + i, salt);
          },
          [](const void* a, const void* b, std::size_t count) {
            std::size_t i = 0;
            while (i < count && static_cast<const T*>(a)[i] == static_cast<const T*>(b)[i]) ++i;
            return i;
          }};
}

// MPI_OFFSET gets no negative values: Open MPI 4.1 compares it as unsigned. Types that this MPI does not have (a null handle)
// are left out.
inline std::vector<TypeCase> type_cases() {
  std::vector<TypeCase> all = {
      type_case<signed char>("SIGNED_CHAR", MPI_SIGNED_CHAR, integer),
      type_case<short>("SHORT", MPI_SHORT, integer),
      type_case<int>("INT", MPI_INT, integer),
      type_case<long>("LONG", MPI_LONG, integer),
      type_case<long long>("LONG_LONG", MPI_LONG_LONG, integer),
      type_case<unsigned char>("UNSIGNED_CHAR", MPI_UNSIGNED_CHAR, integer),
      type_case<unsigned short>("UNSIGNED_SHORT", MPI_UNSIGNED_SHORT, integer),
      type_case<unsigned>("UNSIGNED", MPI_UNSIGNED, integer),
      type_case<unsigned long>("UNSIGNED_LONG", MPI_UNSIGNED_LONG, integer),
      type_case<unsigned long long>("UNSIGNED_LONG_LONG", MPI_UNSIGNED_LONG_LONG, integer),
      type_case<std::int8_t>("INT8_T", MPI_INT8_T, integer),
      type_case<std::int16_t>("INT16_T", MPI_INT16_T, integer),
      type_case<std::int32_t>("INT32_T", MPI_INT32_T, integer),
      type_case<std::int64_t>("INT64_T", MPI_INT64_T, integer),
      type_case<std::uint8_t>("UINT8_T", MPI_UINT8_T, integer),
      type_case<std::uint16_t>("UINT16_T", MPI_UINT16_T, integer),
      type_case<std::uint32_t>("UINT32_T", MPI_UINT32_T, integer),
      type_case<std::uint64_t>("UINT64_T", MPI_UINT64_T, integer),
      type_case<MPI_Aint>("AINT", MPI_AINT, ordered),
      type_case<std::uint64_t>("OFFSET", MPI_OFFSET, ordered),
      type_case<MPI_Count>("COUNT", MPI_COUNT, ordered),
      type_case<std::int32_t>("INTEGER", MPI_INTEGER, fortran_integer),
      type_case<std::int8_t>("INTEGER1", MPI_INTEGER1, fortran_integer),
      type_case<std::int16_t>("INTEGER2", MPI_INTEGER2, fortran_integer),
      type_case<std::int32_t>("INTEGER4", MPI_INTEGER4, fortran_integer),
      type_case<std::int64_t>("INTEGER8", MPI_INTEGER8, fortran_integer),
      type_case<float>("FLOAT", MPI_FLOAT, ordered),
      type_case<double>("DOUBLE", MPI_DOUBLE, ordered),
      type_case<long double>("LONG_DOUBLE", MPI_LONG_DOUBLE, ordered),
      type_case<float>("REAL", MPI_REAL, ordered),
      type_case<double>("DOUBLE_PRECISION", MPI_DOUBLE_PRECISION, ordered),
      type_case<float>("REAL4", MPI_REAL4, ordered),
      type_case<double>("REAL8", MPI_REAL8, ordered),
      type_case<std::complex<float>>("C_FLOAT_COMPLEX", MPI_C_FLOAT_COMPLEX, arithmetic),
      type_case<std::complex<double>>("C_DOUBLE_COMPLEX", MPI_C_DOUBLE_COMPLEX, arithmetic),
      type_case<std::complex<long double>>("C_LONG_DOUBLE_COMPLEX", MPI_C_LONG_DOUBLE_COMPLEX, arithmetic),
      type_case<std::complex<float>>("COMPLEX", MPI_COMPLEX, arithmetic),
      type_case<std::complex<double>>("DOUBLE_COMPLEX", MPI_DOUBLE_COMPLEX, arithmetic),
      type_case<std::complex<float>>("COMPLEX8", MPI_COMPLEX8, arithmetic),
      type_case<std::complex<double>>("COMPLEX16", MPI_COMPLEX16, arithmetic),
      type_case<std::complex<float>>("CXX_FLOAT_COMPLEX", MPI_CXX_FLOAT_COMPLEX, arithmetic),
      type_case<std::complex<double>>("CXX_DOUBLE_COMPLEX", MPI_CXX_DOUBLE_COMPLEX, arithmetic),
      type_case<bool>("C_BOOL", MPI_C_BOOL, logical),
      type_case<bool>("CXX_BOOL", MPI_CXX_BOOL, logical),
      type_case<std::int32_t>("LOGICAL", MPI_LOGICAL, logical),
      type_case<unsigned char>("BYTE", MPI_BYTE, bitwise),
      type_case<char>("CHAR", MPI_CHAR, moves),
      type_case<wchar_t>("WCHAR", MPI_WCHAR, moves),
      type_case<Pair<float, int>>("FLOAT_INT", MPI_FLOAT_INT, located),
      type_case<Pair<double, int>>("DOUBLE_INT", MPI_DOUBLE_INT, located),
      type_case<Pair<long, int>>("LONG_INT", MPI_LONG_INT, located),
      type_case<Pair<int, int>>("2INT", MPI_2INT, located),
      type_case<Pair<short, int>>("SHORT_INT", MPI_SHORT_INT, located),
      type_case<Pair<long double, int>>("LONG_DOUBLE_INT", MPI_LONG_DOUBLE_INT, located),
      type_case<Pair<float, float>>("2REAL", MPI_2REAL, located),
      type_case<Pair<double, double>>("2DOUBLE_PRECISION", MPI_2DOUBLE_PRECISION, located),
      type_case<Pair<int, int>>("2INTEGER", MPI_2INTEGER, located),
  };
  std::erase_if(all, [](const TypeCase& one) { return one.type == MPI_DATATYPE_NULL; });
  return all;
}

}  // namespace xylem::test
