/* The contract between the emulated GPU and a library of kernels that were compiled for the CPU.
 *
 * CUDA_EMU_KERNELS names such libraries, separated by colons. The executor, a process beside the application, opens them
 * when the application makes its first context, and finds a kernel by the name that cuModuleGetFunction is given. What
 * image a module was loaded from does not matter.
 *
 * A launch of `blocks` blocks calls run_block once for each block, each on a thread of its own. All blocks of a
 * cooperative launch run at the same time; those of another launch do so as far as the device has room. Threads per block
 * and dynamic shared memory are accepted and not used: a block is what run_block makes of it, and it may start threads.
 * The kernel has ended when all blocks have returned.
 *
 * `parameters` is the launch's one by-value parameter, a copy that all blocks of the launch share and that is aligned to
 * 64 bytes. Pointers in it mean the same memory as in the application: device memory, pinned, registered and managed host
 * memory, memory opened by IPC. To touch anything else, or what has been freed, is an illegal address and ends the
 * application's contexts, as on a card.
 *
 * run_block must not throw, must yield where it waits, and may be ended at any point together with its process. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cuda_emu_kernel {
  const char* name;       /* as given to cuModuleGetFunction; lives as long as the library */
  size_t parameter_bytes; /* of the by-value parameter; 0: the kernel takes none */
  void (*run_block)(const void* parameters, unsigned block, unsigned blocks);
};

/* All kernels of the library; the table lives as long as the library. A library exports this one function. */
const struct cuda_emu_kernel* cuda_emu_kernels(size_t* count);

#ifdef __cplusplus
}
#endif
