/*
 * Xylem: collective communication for HPC programs on CPUs and NVIDIA GPUs.
 *
 * This header is the C API. It needs no MPI, CUDA or libfabric header. A program that has an MPI communicator makes a
 * Xylem communicator from it with <xylem/xylem_mpi.h>; any other program fills a xylem_bootstrap itself.
 *
 * Common rules, valid for every collective below:
 *
 * - All ranks of the communicator call the same collectives in the same order, with the same count, type, op and root.
 * - `count` is in elements of `type`, never in bytes. A count of 0 is legal: no buffer is touched, NULL is fine then.
 * - Buffers may have any alignment. Send buffers are only read. Send and receive buffers do not overlap, except where a
 *   function says how it works in place.
 * - Buffers may lie in host memory, pinned, managed or device memory, of any device of the process, in any mixture; the
 *   ranks of one call may differ.
 * - `stream` says where the call is ordered. XYLEM_STREAM_NONE: the call blocks until the result is in the receive buffer
 *   and the send buffer may be reused; device buffers are read after the work that is in the legacy default stream by then.
 *   Any other value is a CUDA stream: device buffers are read after the work that is in it, and work put into it later finds
 *   the result. It is refused with XYLEM_ERROR_UNSUPPORTED where the process has no CUDA driver. See "Streams" below.
 * - Threads: one communicator is used by one thread at a time; different communicators by different threads at once. Waiting
 *   for a nonblocking call is no use of its communicator in this sense.
 * - Results of a reduction are bitwise equal on all ranks that receive them, and from run to run with the same number of
 *   ranks and the same placement on hosts.
 * - No function throws or exits. Each returns a status; xylem_last_error() tells more in words.
 *
 * Streams. Where kernels run a call, the host does not wait for them: the call returns when all ranks have come to it and it
 * has its place in the stream. Calls that kernels cannot run (xylem_statistics() counts them as staged) wait on the host for
 * the stream. So
 * - what is in a stream before a call must be able to end while this and other ranks' hosts are inside of Xylem;
 * - the first call of a communicator on device buffers, and the first on a new buffer where ranks share a GPU, may wait for
 *   all streams of the context: the driver does so when it opens memory of another process;
 * - a send buffer may be written, and any buffer freed, after the stream has passed the call;
 * - an error that a kernel meets is told by the next call on the communicator, or by xylem_comm_check();
 * - xylem_comm_destroy() waits for the communicator's kernels.
 * Each rank chooses its stream, or XYLEM_STREAM_NONE, for itself. All calls of a communicator run one after the other, also
 * where they are in different streams.
 *
 * Stream capture. Blocking calls can be captured into a graph where all ranks are on one host and each has a GPU of its own
 * that reaches the others'. All ranks capture the same calls, and launch their graphs the same number of times, in the same
 * order with other calls of the communicator; on each rank these follow one another, as in one stream. Arrays of counts are
 * read when the call is captured. The communicator lives as long as the graph is launched. Everywhere else, and where only
 * some ranks capture, the call is refused on all ranks with XYLEM_ERROR_UNSUPPORTED; capture and communicator stay as they
 * were.
 */
#ifndef XYLEM_XYLEM_H
#define XYLEM_XYLEM_H

#include <stddef.h>
#include <stdint.h>

#define XYLEM_VERSION_MAJOR 0
#define XYLEM_VERSION_MINOR 1
#define XYLEM_VERSION_PATCH 0

#if defined(__GNUC__)
#define XYLEM_API __attribute__((visibility("default")))
#else
#define XYLEM_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** What a call came to. Everything but XYLEM_SUCCESS is a failure. */
typedef enum xylem_status {
  XYLEM_SUCCESS = 0,
  XYLEM_ERROR_INVALID_ARGUMENT = 1, /**< An argument is wrong; nothing was sent, the communicator is as before. */
  XYLEM_ERROR_UNSUPPORTED = 2,      /**< Legal, but not offered here (op for this type, device buffers, ...). As above. */
  XYLEM_ERROR_OUT_OF_MEMORY = 3,    /**< Memory, address space or descriptors ran out. */
  XYLEM_ERROR_SYSTEM = 4,           /**< The operating system or the network library refused; see xylem_last_error(). */
  XYLEM_ERROR_MISMATCH = 5,         /**< Ranks called different collectives, or with other count, type, op or root. */
  XYLEM_ERROR_PEER_FAILED = 6,      /**< Another rank died or gave up; the communicator cannot be used any more. */
  XYLEM_ERROR_TIMEOUT = 7,          /**< XYLEM_TIMEOUT was set and has passed. */
  XYLEM_ERROR_INTERNAL = 8          /**< A fault of Xylem's own. Please report it with the text of xylem_last_error(). */
} xylem_status;

/** Element types. Sizes are those of the C types of this platform; FLOAT16 and BFLOAT16 have 2 bytes,
 *  FLOAT8_E4M3 and FLOAT8_E5M2 have 1; these compute in float and round once to nearest, ties to even. */
typedef enum xylem_type {
  XYLEM_INT8 = 0,
  XYLEM_INT16,
  XYLEM_INT32,
  XYLEM_INT64,
  XYLEM_UINT8,
  XYLEM_UINT16,
  XYLEM_UINT32,
  XYLEM_UINT64,
  XYLEM_FLOAT16,     /**< IEEE binary16. */
  XYLEM_BFLOAT16,    /**< The upper half of a float. */
  XYLEM_FLOAT8_E4M3, /**< 8 bits of the Open Compute Project's format: no infinities; what exceeds 448 becomes NaN. */
  XYLEM_FLOAT8_E5M2, /**< Likewise: the upper half of a binary16; what exceeds 57344 becomes infinite. */
  XYLEM_FLOAT,
  XYLEM_DOUBLE,
  XYLEM_LONG_DOUBLE,
  XYLEM_COMPLEX_FLOAT,       /**< Two floats: real, imaginary. */
  XYLEM_COMPLEX_DOUBLE,      /**< Two doubles. */
  XYLEM_COMPLEX_LONG_DOUBLE, /**< Two long doubles. */
  XYLEM_BOOL,                /**< C _Bool, C++ bool. */
  XYLEM_LOGICAL8,            /**< Fortran LOGICAL of 1, 2, 4, 8 bytes: zero is false, results are 0 or 1. */
  XYLEM_LOGICAL16,
  XYLEM_LOGICAL32,
  XYLEM_LOGICAL64,
  XYLEM_BYTE,            /**< Uninterpreted 8 bits: bitwise ops only. */
  XYLEM_FLOAT_INT,       /**< struct { float value; int index; }, for MINLOC and MAXLOC; likewise those below. */
  XYLEM_DOUBLE_INT,      /**< struct { double value; int index; } */
  XYLEM_LONG_INT,        /**< struct { long value; int index; } */
  XYLEM_INT_INT,         /**< struct { int value; int index; } (MPI_2INT, MPI_2INTEGER) */
  XYLEM_SHORT_INT,       /**< struct { short value; int index; } */
  XYLEM_LONG_DOUBLE_INT, /**< struct { long double value; int index; } */
  XYLEM_FLOAT_FLOAT,     /**< struct { float value; float index; } (MPI_2REAL) */
  XYLEM_DOUBLE_DOUBLE,   /**< struct { double value; double index; } (MPI_2DOUBLE_PRECISION) */
  XYLEM_TYPE_COUNT       /**< The number of types; not a type. */
} xylem_type;

/** Reduction operations, with the meaning of MPI-4.0 section 6.9.2. All are commutative and associative to MPI.
 *  MAX and MIN beside a NaN give NaN. MAXLOC and MINLOC of equal values give the smaller index. */
typedef enum xylem_op {
  XYLEM_SUM = 0,
  XYLEM_PROD,
  XYLEM_MAX,
  XYLEM_MIN,
  XYLEM_LAND,
  XYLEM_BAND,
  XYLEM_LOR,
  XYLEM_BOR,
  XYLEM_LXOR,
  XYLEM_BXOR,
  XYLEM_MAXLOC,
  XYLEM_MINLOC,
  XYLEM_OP_COUNT /**< The number of operations; not an operation. */
} xylem_op;

/** A communicator: a set of ranks, one handle in each. */
typedef struct xylem_comm* xylem_comm_t;

/** A CUDA stream, opaque here. */
typedef struct CUstream_st* xylem_stream_t;
#define XYLEM_STREAM_NONE ((xylem_stream_t)-1)

/** In place of a send buffer: the input is in the receive buffer. Each collective says where in it. */
#define XYLEM_IN_PLACE ((void*)-1)

/**
 * How ranks find each other before Xylem connects them. The struct is copied; `context` must live until the communicator
 * is destroyed.
 */
typedef struct xylem_bootstrap {
  int rank; /**< This rank, 0 ... size - 1. */
  int size; /**< The number of ranks, at least 1. */
  /**
   * Gathers `bytes` bytes from every rank, in rank order, into `recv` (size * bytes bytes) on every rank. Blocks.
   * Returns 0, or anything else on failure. Called while a communicator is made, never in a split or a collective.
   */
  int (*allgather)(const void* send, void* recv, size_t bytes, void* context);
  /**
   * Called now and then by a thread that waits inside a Xylem call, so that messages of the layer below (an MPI's
   * rendezvous, say) go on. Must return at once. May be NULL.
   */
  void (*progress)(void* context);
  void* context; /**< Passed to both functions. */
} xylem_bootstrap;

/** The version of the library as "major.minor.patch". Never NULL. */
XYLEM_API const char* xylem_version(void);

/** A short text for a status, such as "invalid argument". Never NULL; valid for ever. */
XYLEM_API const char* xylem_status_string(xylem_status status);

/** What went wrong in the last failed Xylem call of this thread: call, rank, host, reason. Never NULL; valid until this
 *  thread's next failing call. */
XYLEM_API const char* xylem_last_error(void);

/** The size in bytes of one element, with the padding of the C struct for pairs; 0 for a value that is no type. */
XYLEM_API size_t xylem_type_size(xylem_type type);

/** 1 if `op` is defined on `type` (MPI-4.0 section 6.9.2), else 0. */
XYLEM_API int xylem_op_supported(xylem_op op, xylem_type type);

/**
 * Makes a communicator of all ranks of `bootstrap`. Collective over these ranks. All of them succeed or all of them fail.
 * On failure *comm is NULL.
 */
XYLEM_API xylem_status xylem_comm_create(xylem_comm_t* comm, const xylem_bootstrap* bootstrap);

/**
 * Makes a communicator from every group of ranks with the same `color`, ordered by `key`, then by rank in `comm`
 * (MPI-4.0 section 7.4.2, MPI_Comm_split). A negative color takes no part: *new_comm is NULL then. Collective over `comm`.
 * The parent's bootstrap must outlive the new communicator.
 */
XYLEM_API xylem_status xylem_comm_split(xylem_comm_t comm, int color, int key, xylem_comm_t* new_comm);

/**
 * Ends a communicator, after its outstanding calls. Every rank calls it once; no rank waits for another. NULL is ignored.
 * Requests may still be waited for; the bootstrap is not called any more for them. Refused while this thread has a group open
 * with calls on `comm`. A forked child's copy of a communicator is forgotten, and nothing of the parent's ends: a child does
 * nothing else with it.
 */
XYLEM_API xylem_status xylem_comm_destroy(xylem_comm_t comm);

/**
 * What has come so far of the calls on `comm` in streams. Once a stream has passed a call, and this succeeds, its result is
 * good; otherwise `comm` cannot be used any more. Waits for nothing. A rank that waits for a stream in another way does not
 * learn that a rank has died.
 */
XYLEM_API xylem_status xylem_comm_check(xylem_comm_t comm);

/**
 * Gives a communicator up, on all ranks: no call on it waits any longer. Calls that wait, here and on other ranks, and later
 * ones return XYLEM_ERROR_PEER_FAILED, with a text that names this rank; a call that has all it needs may still succeed. Not
 * collective, waits for nobody, and may be called by any thread at any time until xylem_comm_destroy(), which is still due.
 * Buffers of calls that wait in another thread are free when these calls have returned.
 */
XYLEM_API xylem_status xylem_comm_abort(xylem_comm_t comm);

/**
 * Whether a communicator has failed: *error becomes XYLEM_SUCCESS, or what later calls on it return, and then
 * xylem_last_error() says which rank failed and how. For threads that watch while others wait. Any thread, waits for nothing.
 */
XYLEM_API xylem_status xylem_comm_get_async_error(xylem_comm_t comm, xylem_status* error);

/**
 * Makes a communicator of the ranks of `comm` that live, in the same order, and so goes on after a failure. Collective over
 * these ranks: it waits until each of them has called it or has ended. Whoever calls it gives `comm` up, as by
 * xylem_comm_abort(), so every other living rank gets an error from its call on `comm` and can follow. Outstanding calls end
 * first.
 *
 * How: by TCP connections between the processes, for all else may have failed, the bootstrap included (only its `progress`
 * is called). The ranks agree by a two-phase commit that the lowest living rank leads, and the next one takes over when that
 * ends. What it guarantees:
 * - All ranks that return get the same members. A rank that ends before the agreement, or in the middle of connecting the new
 *   communicator, is left out of it; the others begin anew without it.
 * - All succeed or all fail. A rank that ends after that fails the new communicator, which can be shrunk in turn.
 * - A rank is missing only if its process has ended, it has destroyed `comm`, or its host cannot be reached for some ten
 *   seconds (for half a minute where it had been reached). Where the network parts living ranks, each part becomes a
 *   communicator.
 * `comm` can be shrunk once, and only destroyed afterwards. On failure *new_comm is NULL.
 */
XYLEM_API xylem_status xylem_comm_shrink(xylem_comm_t comm, xylem_comm_t* new_comm);

/** This rank in `comm`. */
XYLEM_API xylem_status xylem_comm_rank(xylem_comm_t comm, int* rank);

/** The number of ranks of `comm`. */
XYLEM_API xylem_status xylem_comm_size(xylem_comm_t comm, int* size);

/**
 * Reduces `count` elements over all ranks; every rank gets the result (MPI-4.0 section 6.9.6).
 * sendbuf, recvbuf: count elements each. In place: sendbuf is XYLEM_IN_PLACE or equals recvbuf.
 */
XYLEM_API xylem_status xylem_allreduce(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, xylem_op op,
                                       xylem_comm_t comm, xylem_stream_t stream);

/**
 * Reduces `count` elements over all ranks to `root` (MPI-4.0 section 6.9.1).
 * sendbuf: count elements. recvbuf: count elements at the root, ignored elsewhere. In place, at the root only: sendbuf is
 * XYLEM_IN_PLACE or equals recvbuf.
 */
XYLEM_API xylem_status xylem_reduce(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, xylem_op op, int root,
                                    xylem_comm_t comm, xylem_stream_t stream);

/** Copies `count` elements in `buffer` at `root` to `buffer` on every other rank (MPI-4.0 section 6.4). */
XYLEM_API xylem_status xylem_bcast(void* buffer, size_t count, xylem_type type, int root, xylem_comm_t comm,
                                   xylem_stream_t stream);

/**
 * Gathers `count` elements from each rank, in rank order, on every rank (MPI-4.0 section 6.7).
 * sendbuf: count elements; recvbuf: size * count elements. In place: sendbuf is XYLEM_IN_PLACE or equals the caller's own
 * block, recvbuf + rank * count elements.
 */
XYLEM_API xylem_status xylem_allgather(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, xylem_comm_t comm,
                                       xylem_stream_t stream);

/**
 * Reduces size * count elements over all ranks; rank i gets block i of the result (MPI-4.0 section 6.10.1).
 * sendbuf: size * count elements; recvbuf: count elements. In place with XYLEM_IN_PLACE: recvbuf holds size * count input
 * elements, and the result takes its first count elements. In place otherwise: recvbuf is sendbuf + rank * count elements.
 */
XYLEM_API xylem_status xylem_reduce_scatter_block(const void* sendbuf, void* recvbuf, size_t count, xylem_type type,
                                                  xylem_op op, xylem_comm_t comm, xylem_stream_t stream);

/**
 * Gathers recvcounts[i] elements from each rank i on every rank, at recvbuf + displs[i] elements (MPI-4.0 section 6.7).
 * sendcount equals recvcounts[own rank]; recvcounts (size entries) is the same on all ranks. displs: size entries, or NULL
 * for blocks one behind the other; every rank chooses its own. In place: sendbuf is XYLEM_IN_PLACE (sendcount is ignored
 * then) or equals the caller's own block in recvbuf. Blocks do not overlap. Both arrays are read until the call has ended.
 */
XYLEM_API xylem_status xylem_allgatherv(const void* sendbuf, size_t sendcount, void* recvbuf, const size_t* recvcounts,
                                        const size_t* displs, xylem_type type, xylem_comm_t comm, xylem_stream_t stream);

/**
 * Reduces a vector of the sum of all recvcounts over all ranks; rank i gets the next recvcounts[i] elements of the result
 * (MPI-4.0 section 6.10.2). recvcounts (size entries) is the same on all ranks. sendbuf: all elements; recvbuf: those of the
 * caller. In place with XYLEM_IN_PLACE: recvbuf holds all elements of the input, and the result takes its first ones.
 */
XYLEM_API xylem_status xylem_reduce_scatter(const void* sendbuf, void* recvbuf, const size_t* recvcounts, xylem_type type,
                                            xylem_op op, xylem_comm_t comm, xylem_stream_t stream);

/**
 * Sends block i of sendbuf to rank i and receives block i of recvbuf from rank i (MPI-4.0 section 6.8).
 * sendbuf, recvbuf: size * count elements each. In place: sendbuf is XYLEM_IN_PLACE or equals recvbuf, and each block is
 * replaced by what its rank sent.
 */
XYLEM_API xylem_status xylem_alltoall(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, xylem_comm_t comm,
                                      xylem_stream_t stream);

/**
 * Sends sendcounts[i] elements at sendbuf + sdispls[i] elements to rank i and receives recvcounts[i] elements from rank i at
 * recvbuf + rdispls[i] elements (MPI-4.0 section 6.8). What rank i sends to rank j has the length that j expects of i. Arrays
 * have size entries and may differ between ranks; a NULL in place of displacements means one behind the other. Blocks of
 * recvbuf do not overlap. In place: sendbuf is XYLEM_IN_PLACE or equals recvbuf; sendcounts and sdispls are ignored, and what
 * two ranks send each other has one length. The arrays are read until the call has ended.
 */
XYLEM_API xylem_status xylem_alltoallv(const void* sendbuf, const size_t* sendcounts, const size_t* sdispls, void* recvbuf,
                                       const size_t* recvcounts, const size_t* rdispls, xylem_type type, xylem_comm_t comm,
                                       xylem_stream_t stream);

/** As xylem_alltoallv, all counts and displacements in bytes: for blocks of differing types, packed by the caller. */
XYLEM_API xylem_status xylem_alltoallw(const void* sendbuf, const size_t* sendbytes, const size_t* sdispls, void* recvbuf,
                                       const size_t* recvbytes, const size_t* rdispls, xylem_comm_t comm,
                                       xylem_stream_t stream);

/**
 * Gathers `count` elements from each rank, in rank order, at `root` (MPI-4.0 section 6.5).
 * sendbuf: count elements. recvbuf: size * count elements at the root, ignored elsewhere. In place, at the root only: sendbuf
 * is XYLEM_IN_PLACE or equals its own block of recvbuf.
 */
XYLEM_API xylem_status xylem_gather(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, int root,
                                    xylem_comm_t comm, xylem_stream_t stream);

/**
 * Gathers recvcounts[i] elements from each rank i at `root`, at recvbuf + displs[i] elements (MPI-4.0 section 6.5).
 * sendbuf: sendcount elements, which is what the root expects of the caller. recvbuf, recvcounts, displs: read at the root
 * only; displs may be NULL for blocks one behind the other. In place as xylem_gather; the root's sendcount is ignored then.
 */
XYLEM_API xylem_status xylem_gatherv(const void* sendbuf, size_t sendcount, void* recvbuf, const size_t* recvcounts,
                                     const size_t* displs, xylem_type type, int root, xylem_comm_t comm,
                                     xylem_stream_t stream);

/**
 * Sends block i of the root's sendbuf to rank i (MPI-4.0 section 6.6).
 * sendbuf: size * count elements at the root, ignored elsewhere. recvbuf: count elements. In place, at the root only: recvbuf
 * is XYLEM_IN_PLACE, and its block stays in sendbuf.
 */
XYLEM_API xylem_status xylem_scatter(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, int root,
                                     xylem_comm_t comm, xylem_stream_t stream);

/**
 * Sends sendcounts[i] elements at the root's sendbuf + displs[i] elements to rank i (MPI-4.0 section 6.6).
 * sendbuf, sendcounts, displs: read at the root only; displs may be NULL for blocks one behind the other. recvbuf: recvcount
 * elements, which is what the root sends. In place as xylem_scatter; the root's recvcount is ignored then.
 */
XYLEM_API xylem_status xylem_scatterv(const void* sendbuf, const size_t* sendcounts, const size_t* displs, void* recvbuf,
                                      size_t recvcount, xylem_type type, int root, xylem_comm_t comm, xylem_stream_t stream);

/**
 * Reduces over the ranks 0 ... own rank, in the order of ranks (MPI-4.0 section 6.11.1).
 * sendbuf, recvbuf: count elements each. In place: sendbuf is XYLEM_IN_PLACE or equals recvbuf.
 */
XYLEM_API xylem_status xylem_scan(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, xylem_op op,
                                  xylem_comm_t comm, xylem_stream_t stream);

/** As xylem_scan, without the caller's own contribution (MPI-4.0 section 6.11.2). At rank 0 recvbuf is undefined afterwards.
 */
XYLEM_API xylem_status xylem_exscan(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, xylem_op op,
                                    xylem_comm_t comm, xylem_stream_t stream);

/** Returns on no rank before every rank has called it (MPI-4.0 section 6.3). */
XYLEM_API xylem_status xylem_barrier(xylem_comm_t comm, xylem_stream_t stream);

/** Where memory lies. */
typedef enum xylem_memory {
  XYLEM_MEMORY_HOST = 0,    /**< Host memory that no CUDA driver knows. */
  XYLEM_MEMORY_PINNED = 1,  /**< Host memory that the driver has locked: GPUs copy from and to it at full speed. */
  XYLEM_MEMORY_MANAGED = 2, /**< Moves to whoever touches it, CPU or GPU. */
  XYLEM_MEMORY_DEVICE = 3   /**< On a GPU: the CPU cannot touch it. */
} xylem_memory;

/** Where `address` lies. Never fails, leaves no CUDA error behind, and changes nothing. XYLEM_MEMORY_DEVICE also
 *  for what the CPU cannot touch where the driver does not answer any more, as after the fault of a kernel. */
XYLEM_API xylem_memory xylem_mem_kind(const void* address);

/**
 * Allocates `bytes` bytes (at least 1) of memory that serves collectives best: XYLEM_MEMORY_DEVICE on the device of the
 * current CUDA context, which must exist; other processes can open it, as Xylem's kernels want. XYLEM_MEMORY_PINNED from a
 * pool of the process; where nothing can be locked it is plain host memory. Other kinds are refused. Using it is optional.
 */
XYLEM_API xylem_status xylem_mem_alloc(void** memory, size_t bytes, xylem_memory kind);

/** Gives back what xylem_mem_alloc() gave. NULL is ignored. No call may be using it. */
XYLEM_API xylem_status xylem_mem_free(void* memory);

/**
 * Copies `bytes` bytes between memory of any two kinds and returns when they have arrived. Device memory is read and written
 * after the work that the legacy default stream has by then.
 */
XYLEM_API xylem_status xylem_mem_copy(void* to, const void* from, size_t bytes);

/** What xylem_comm_register() gives. */
typedef struct xylem_registration* xylem_registration_t;

/**
 * Prepares calls on buffers that lie in the `bytes` bytes at `buffer`: where ranks share a GPU, the rank that launches its
 * kernels opens device memory of the others, and keeps it open until xylem_comm_deregister(). So no call has to open it, for
 * which the driver waits for what runs in all streams. Optional: calls on other buffers come to the same results. Where there
 * is nothing to prepare, as for host memory, it succeeds and does nothing.
 * Collective over `comm`, in order with its other calls. Each rank gives a buffer of its own; NULL and 0: none.
 */
XYLEM_API xylem_status xylem_comm_register(xylem_comm_t comm, void* buffer, size_t bytes, xylem_registration_t* registration);

/**
 * Ends a registration. Every rank calls it once, before it frees the buffer and before it destroys the communicator; no rank
 * waits for another. The memory goes when all ranks have done so. NULL is ignored.
 */
XYLEM_API xylem_status xylem_comm_deregister(xylem_comm_t comm, xylem_registration_t registration);

/**
 * A nonblocking call that was started. The user's, from the start until xylem_test() or xylem_wait() reports its end and sets
 * it to NULL. NULL is no call: testing or waiting for it succeeds at once.
 */
typedef struct xylem_request* xylem_request_t;

/**
 * Nonblocking forms: arguments and meaning are those of the blocking form. They start the call and return, whatever other
 * ranks do.
 *
 * - Until the call has ended, no buffer of it may be touched (send buffers may be read), and arrays of counts, displacements
 *   and types must stay as they are.
 * - All ranks start the calls of one communicator, blocking and nonblocking, in one order; so they also run. Calls on
 * different communicators may be started in a different order on each rank: they do not wait for each other.
 * - Any number may be outstanding on a communicator. A blocking call waits for those that were started before it.
 * - Calls move inside of any Xylem call that waits, on whatever communicator, in xylem_test(), and by a thread of Xylem's
 * own, so they also end while all their ranks compute or sit in calls of another library. That thread exists while something
 * is outstanding and a second longer. It blocks all signals, calls neither the bootstrap nor MPI, and sleeps most of the
 * time.
 * - A request may be tested or waited for by another thread than the one that started it, one at a time; a waiting thread
 * calls the bootstrap's `progress`.
 * - A start that returns an error has started nothing and set *request to NULL. When the communicator fails, all outstanding
 *   calls end with that error.
 * - A communicator may be destroyed while calls are outstanding: it ends after them. The requests stay valid and must be
 * waited for.
 */
XYLEM_API xylem_status xylem_iallreduce(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, xylem_op op,
                                        xylem_comm_t comm, xylem_stream_t stream, xylem_request_t* request);
XYLEM_API xylem_status xylem_ireduce(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, xylem_op op, int root,
                                     xylem_comm_t comm, xylem_stream_t stream, xylem_request_t* request);
XYLEM_API xylem_status xylem_ibcast(void* buffer, size_t count, xylem_type type, int root, xylem_comm_t comm,
                                    xylem_stream_t stream, xylem_request_t* request);
XYLEM_API xylem_status xylem_iallgather(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, xylem_comm_t comm,
                                        xylem_stream_t stream, xylem_request_t* request);
XYLEM_API xylem_status xylem_ireduce_scatter_block(const void* sendbuf, void* recvbuf, size_t count, xylem_type type,
                                                   xylem_op op, xylem_comm_t comm, xylem_stream_t stream,
                                                   xylem_request_t* request);
XYLEM_API xylem_status xylem_iallgatherv(const void* sendbuf, size_t sendcount, void* recvbuf, const size_t* recvcounts,
                                         const size_t* displs, xylem_type type, xylem_comm_t comm, xylem_stream_t stream,
                                         xylem_request_t* request);
XYLEM_API xylem_status xylem_ireduce_scatter(const void* sendbuf, void* recvbuf, const size_t* recvcounts, xylem_type type,
                                             xylem_op op, xylem_comm_t comm, xylem_stream_t stream, xylem_request_t* request);
XYLEM_API xylem_status xylem_ialltoall(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, xylem_comm_t comm,
                                       xylem_stream_t stream, xylem_request_t* request);
XYLEM_API xylem_status xylem_ialltoallv(const void* sendbuf, const size_t* sendcounts, const size_t* sdispls, void* recvbuf,
                                        const size_t* recvcounts, const size_t* rdispls, xylem_type type, xylem_comm_t comm,
                                        xylem_stream_t stream, xylem_request_t* request);
XYLEM_API xylem_status xylem_ialltoallw(const void* sendbuf, const size_t* sendbytes, const size_t* sdispls, void* recvbuf,
                                        const size_t* recvbytes, const size_t* rdispls, xylem_comm_t comm,
                                        xylem_stream_t stream, xylem_request_t* request);
XYLEM_API xylem_status xylem_igather(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, int root,
                                     xylem_comm_t comm, xylem_stream_t stream, xylem_request_t* request);
XYLEM_API xylem_status xylem_igatherv(const void* sendbuf, size_t sendcount, void* recvbuf, const size_t* recvcounts,
                                      const size_t* displs, xylem_type type, int root, xylem_comm_t comm,
                                      xylem_stream_t stream, xylem_request_t* request);
XYLEM_API xylem_status xylem_iscatter(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, int root,
                                      xylem_comm_t comm, xylem_stream_t stream, xylem_request_t* request);
XYLEM_API xylem_status xylem_iscatterv(const void* sendbuf, const size_t* sendcounts, const size_t* displs, void* recvbuf,
                                       size_t recvcount, xylem_type type, int root, xylem_comm_t comm, xylem_stream_t stream,
                                       xylem_request_t* request);
XYLEM_API xylem_status xylem_iscan(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, xylem_op op,
                                   xylem_comm_t comm, xylem_stream_t stream, xylem_request_t* request);
XYLEM_API xylem_status xylem_iexscan(const void* sendbuf, void* recvbuf, size_t count, xylem_type type, xylem_op op,
                                     xylem_comm_t comm, xylem_stream_t stream, xylem_request_t* request);
XYLEM_API xylem_status xylem_ibarrier(xylem_comm_t comm, xylem_stream_t stream, xylem_request_t* request);

/**
 * Looks whether a call has ended: *done becomes 1 or 0. If so, *request becomes NULL, the results are in place, and the
 * status is what the call came to. Never waits.
 */
XYLEM_API xylem_status xylem_test(xylem_request_t* request, int* done);

/** Waits until a call has ended. Then *request becomes NULL, and the status is what the call came to. */
XYLEM_API xylem_status xylem_wait(xylem_request_t* request);

/** Waits until `count` calls have ended, of any communicators, in any order. All are set to NULL. The status is that of the
 *  first in the array that failed. */
XYLEM_API xylem_status xylem_wait_all(size_t count, xylem_request_t* requests);

/**
 * Groups. Between xylem_group_start() and xylem_group_end() of a thread, its blocking collectives, sends and receives only
 * check their arguments and are recorded; the end runs all of them at the same time and returns when all have ended, with the
 * status of the first that failed. So it does not matter in which order sends and receives, or calls on several
 * communicators, are named. Groups nest: the outermost end runs all.
 *
 * - Of each communicator, the collectives run in the order in which they were recorded, then all sends and receives as one.
 * - A call whose arguments are wrong returns its error at once and is left out. Nonblocking calls are refused in a group.
 * - Buffers, and arrays of counts and displacements, stay as they are until the end.
 */
XYLEM_API xylem_status xylem_group_start(void);
XYLEM_API xylem_status xylem_group_end(void);

/**
 * Sends `count` elements to rank `peer`, or receives as many from it. Messages between the same two ranks match in the order
 * in which both name them, and have equal bytes. A rank may send to itself if the same group receives that. Outside of a
 * group, each is a group of its own and waits for the peer. On one communicator, two ranks call what they do together,
 * messages and collectives, in the same order. Buffers may lie anywhere, as those of collectives.
 */
XYLEM_API xylem_status xylem_send(const void* buffer, size_t count, xylem_type type, int peer, xylem_comm_t comm,
                                  xylem_stream_t stream);
XYLEM_API xylem_status xylem_recv(void* buffer, size_t count, xylem_type type, int peer, xylem_comm_t comm,
                                  xylem_stream_t stream);

/**
 * Writes what this process did so far as one JSON object into `text` (at most `capacity` bytes with the final NUL, cut if
 * need be) and the length it wants, without the NUL, into *length: version; per collective calls, bytes, seconds (measured
 * only if XYLEM_STATS is set) and how often each algorithm ran; how often a buffer was copied from or to a device; hosts and
 * provider of the largest communicator seen. Only the program's calls count. Any thread, any time.
 */
XYLEM_API xylem_status xylem_statistics(char* text, size_t capacity, size_t* length);

#ifdef __cplusplus
}
#endif

#endif
