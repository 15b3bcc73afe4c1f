// Inside the emulated driver a call that is refused throws; the call's entry turns that into its CUresult.
#pragma once

#include <cuda.h>

namespace cuda_emu {

struct Error {
  CUresult code;
};

inline void require(bool condition, CUresult otherwise = CUDA_ERROR_INVALID_VALUE) {
  if (!condition) throw Error{otherwise};
}

}  // namespace cuda_emu
