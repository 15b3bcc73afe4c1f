/*
 * The exported functions. MPI_X and PMPI_X are each one jump through a slot of the table that follows. At first a slot leads
 * to xylem_mpi_first_call, which keeps the caller's arguments, has the table filled (resolve.c) and jumps again. There is no
 * other state and no constructor: in a process that never calls MPI, nothing here ever runs.
 *
 * xylem_mpi_table is laid out as functions.def is: first all MPI_X, then all PMPI_X.
 */

#if defined(__x86_64__)

/* Landing pads for indirect branches, where the compiler was asked for them. */
#ifdef __CET__
#include <cet.h>
#else
#define _CET_ENDBR
#endif

.macro stub name
  .section .text, "ax", %progbits
  .globl \name
  .type \name, %function
  .balign 16
\name:
  _CET_ENDBR
  jmpq *slot_\name(%rip)
first_\name:
  _CET_ENDBR
  leaq slot_\name(%rip), %r11
  jmp xylem_mpi_first_call
  .size \name, . - \name

  .section .data.rel.xylem_mpi_table, "aw", %progbits
slot_\name:
  .quad first_\name
.endm

/* MPI functions have integer and pointer arguments only: no vector register holds one. */
  .section .text, "ax", %progbits
  .type xylem_mpi_first_call, %function
xylem_mpi_first_call:
  .cfi_startproc
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  pushq %rdi
  pushq %rsi
  pushq %rdx
  pushq %rcx
  pushq %r8
  pushq %r9
  pushq %rax
  pushq %r11
  call xylem_mpi_resolve
  popq %r11
  popq %rax
  popq %r9
  popq %r8
  popq %rcx
  popq %rdx
  popq %rsi
  popq %rdi
  popq %rbp
  .cfi_def_cfa %rsp, 8
  jmpq *(%r11)
  .cfi_endproc
  .size xylem_mpi_first_call, . - xylem_mpi_first_call

#elif defined(__aarch64__)

.macro stub name
  .section .text, "ax", %progbits
  .globl \name
  .type \name, %function
  .balign 16
\name:
  hint #34 /* bti c */
  adrp x16, slot_\name
  ldr x16, [x16, :lo12:slot_\name]
  br x16
first_\name:
  hint #34
  adrp x17, slot_\name
  add x17, x17, :lo12:slot_\name
  b xylem_mpi_first_call
  .size \name, . - \name

  .section .data.rel.xylem_mpi_table, "aw", %progbits
slot_\name:
  .quad first_\name
.endm

  .section .text, "ax", %progbits
  .type xylem_mpi_first_call, %function
xylem_mpi_first_call:
  .cfi_startproc
  stp x29, x30, [sp, #-96]!
  .cfi_def_cfa_offset 96
  .cfi_offset x29, -96
  .cfi_offset x30, -88
  mov x29, sp
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp x4, x5, [sp, #48]
  stp x6, x7, [sp, #64]
  str x17, [sp, #80]
  bl xylem_mpi_resolve
  ldp x0, x1, [sp, #16]
  ldp x2, x3, [sp, #32]
  ldp x4, x5, [sp, #48]
  ldp x6, x7, [sp, #64]
  ldr x17, [sp, #80]
  ldp x29, x30, [sp], #96
  .cfi_def_cfa_offset 0
  ldr x16, [x17]
  br x16
  .cfi_endproc
  .size xylem_mpi_first_call, . - xylem_mpi_first_call

#else
#error "The preload library has jumps for x86-64 and aarch64 only; add this processor's above."
#endif

  .section .data.rel.xylem_mpi_table, "aw", %progbits
  .balign 64
  .globl xylem_mpi_table
  .hidden xylem_mpi_table
  .type xylem_mpi_table, STT_OBJECT
xylem_mpi_table:

#define FUNCTION(name) stub MPI_##name;
#define EXTENSION(name) stub MPIX_##name;
#include "functions.def"
#undef EXTENSION
#undef FUNCTION
#define FUNCTION(name) stub PMPI_##name;
#define EXTENSION(name) stub PMPIX_##name;
#include "functions.def"
#undef EXTENSION
#undef FUNCTION

  .section .data.rel.xylem_mpi_table
  .size xylem_mpi_table, . - xylem_mpi_table

/* The stack need not be executable. */
  .section .note.GNU-stack, "", %progbits
