/*
 * The ABI of the MPI-5.0 standard (chapter 20, appendix A.1) as far as the back ends use it: what <mpi.h> is to the back end
 * for libmpi_abi.so, whichever MPI that comes from. A handle is a pointer; those of predefined objects are small numbers,
 * which the standard gives.
 */
#ifndef XYLEM_STANDARD_ABI_MPI_H
#define XYLEM_STANDARD_ABI_MPI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef intptr_t MPI_Aint;
typedef int64_t MPI_Offset;
typedef int64_t MPI_Count;

typedef struct {
  int MPI_SOURCE;
  int MPI_TAG;
  int MPI_ERROR;
  int MPI_internal[5];
} MPI_Status;

typedef struct MPI_ABI_Comm* MPI_Comm;
typedef struct MPI_ABI_Datatype* MPI_Datatype;
typedef struct MPI_ABI_Errhandler* MPI_Errhandler;
typedef struct MPI_ABI_Group* MPI_Group;
typedef struct MPI_ABI_Info* MPI_Info;
typedef struct MPI_ABI_Op* MPI_Op;
typedef struct MPI_ABI_Request* MPI_Request;

#define MPI_BOTTOM ((void*)0)
#define MPI_IN_PLACE ((void*)1)
#define MPI_STATUS_IGNORE ((MPI_Status*)0)
#define MPI_STATUSES_IGNORE ((MPI_Status*)0)

#define MPI_COMM_NULL ((MPI_Comm)0x100)
#define MPI_COMM_WORLD ((MPI_Comm)0x101)
#define MPI_COMM_SELF ((MPI_Comm)0x102)
#define MPI_ERRORS_ARE_FATAL ((MPI_Errhandler)0x141)
#define MPI_ERRORS_ABORT ((MPI_Errhandler)0x142)
#define MPI_ERRORS_RETURN ((MPI_Errhandler)0x143)
#define MPI_REQUEST_NULL ((MPI_Request)0x180)

#define MPI_OP_NULL ((MPI_Op)0x20)
#define MPI_SUM ((MPI_Op)0x21)
#define MPI_MIN ((MPI_Op)0x22)
#define MPI_MAX ((MPI_Op)0x23)
#define MPI_PROD ((MPI_Op)0x24)
#define MPI_BAND ((MPI_Op)0x28)
#define MPI_BOR ((MPI_Op)0x29)
#define MPI_BXOR ((MPI_Op)0x2a)
#define MPI_LAND ((MPI_Op)0x30)
#define MPI_LOR ((MPI_Op)0x31)
#define MPI_LXOR ((MPI_Op)0x32)
#define MPI_MINLOC ((MPI_Op)0x38)
#define MPI_MAXLOC ((MPI_Op)0x39)
#define MPI_REPLACE ((MPI_Op)0x3c)
#define MPI_NO_OP ((MPI_Op)0x3d)

#define MPI_DATATYPE_NULL ((MPI_Datatype)0x200)
#define MPI_AINT ((MPI_Datatype)0x201)
#define MPI_COUNT ((MPI_Datatype)0x202)
#define MPI_OFFSET ((MPI_Datatype)0x203)
#define MPI_PACKED ((MPI_Datatype)0x207)
#define MPI_SHORT ((MPI_Datatype)0x208)
#define MPI_INT ((MPI_Datatype)0x209)
#define MPI_LONG ((MPI_Datatype)0x20a)
#define MPI_LONG_LONG ((MPI_Datatype)0x20b)
#define MPI_UNSIGNED_SHORT ((MPI_Datatype)0x20c)
#define MPI_UNSIGNED ((MPI_Datatype)0x20d)
#define MPI_UNSIGNED_LONG ((MPI_Datatype)0x20e)
#define MPI_UNSIGNED_LONG_LONG ((MPI_Datatype)0x20f)
#define MPI_FLOAT ((MPI_Datatype)0x210)
#define MPI_C_FLOAT_COMPLEX ((MPI_Datatype)0x212)
#define MPI_CXX_FLOAT_COMPLEX ((MPI_Datatype)0x213)
#define MPI_DOUBLE ((MPI_Datatype)0x214)
#define MPI_C_DOUBLE_COMPLEX ((MPI_Datatype)0x216)
#define MPI_CXX_DOUBLE_COMPLEX ((MPI_Datatype)0x217)
#define MPI_LOGICAL ((MPI_Datatype)0x218)
#define MPI_INTEGER ((MPI_Datatype)0x219)
#define MPI_REAL ((MPI_Datatype)0x21a)
#define MPI_COMPLEX ((MPI_Datatype)0x21b)
#define MPI_DOUBLE_PRECISION ((MPI_Datatype)0x21c)
#define MPI_DOUBLE_COMPLEX ((MPI_Datatype)0x21d)
#define MPI_CHARACTER ((MPI_Datatype)0x21e)
#define MPI_LONG_DOUBLE ((MPI_Datatype)0x220)
#define MPI_C_LONG_DOUBLE_COMPLEX ((MPI_Datatype)0x224)
#define MPI_CXX_LONG_DOUBLE_COMPLEX ((MPI_Datatype)0x225)
#define MPI_FLOAT_INT ((MPI_Datatype)0x228)
#define MPI_DOUBLE_INT ((MPI_Datatype)0x229)
#define MPI_LONG_INT ((MPI_Datatype)0x22a)
#define MPI_2INT ((MPI_Datatype)0x22b)
#define MPI_SHORT_INT ((MPI_Datatype)0x22c)
#define MPI_LONG_DOUBLE_INT ((MPI_Datatype)0x22d)
#define MPI_2REAL ((MPI_Datatype)0x230)
#define MPI_2DOUBLE_PRECISION ((MPI_Datatype)0x231)
#define MPI_2INTEGER ((MPI_Datatype)0x232)
#define MPI_C_BOOL ((MPI_Datatype)0x238)
#define MPI_CXX_BOOL ((MPI_Datatype)0x239)
#define MPI_WCHAR ((MPI_Datatype)0x23c)
#define MPI_INT8_T ((MPI_Datatype)0x240)
#define MPI_UINT8_T ((MPI_Datatype)0x241)
#define MPI_CHAR ((MPI_Datatype)0x243)
#define MPI_SIGNED_CHAR ((MPI_Datatype)0x244)
#define MPI_UNSIGNED_CHAR ((MPI_Datatype)0x245)
#define MPI_BYTE ((MPI_Datatype)0x247)
#define MPI_INT16_T ((MPI_Datatype)0x248)
#define MPI_UINT16_T ((MPI_Datatype)0x249)
#define MPI_INT32_T ((MPI_Datatype)0x250)
#define MPI_UINT32_T ((MPI_Datatype)0x251)
#define MPI_INT64_T ((MPI_Datatype)0x258)
#define MPI_UINT64_T ((MPI_Datatype)0x259)
#define MPI_LOGICAL1 ((MPI_Datatype)0x2c0)
#define MPI_INTEGER1 ((MPI_Datatype)0x2c1)
#define MPI_LOGICAL2 ((MPI_Datatype)0x2c8)
#define MPI_INTEGER2 ((MPI_Datatype)0x2c9)
#define MPI_LOGICAL4 ((MPI_Datatype)0x2d0)
#define MPI_INTEGER4 ((MPI_Datatype)0x2d1)
#define MPI_REAL4 ((MPI_Datatype)0x2d2)
#define MPI_LOGICAL8 ((MPI_Datatype)0x2d8)
#define MPI_INTEGER8 ((MPI_Datatype)0x2d9)
#define MPI_REAL8 ((MPI_Datatype)0x2da)
#define MPI_COMPLEX8 ((MPI_Datatype)0x2db)
#define MPI_REAL16 ((MPI_Datatype)0x2e2)
#define MPI_COMPLEX16 ((MPI_Datatype)0x2e3)
#define MPI_COMPLEX32 ((MPI_Datatype)0x2eb)

enum {
  MPI_SUCCESS = 0,
  MPI_ERR_COUNT = 2,
  MPI_ERR_REQUEST = 7,
  MPI_ERR_ARG = 13,
  MPI_ERR_TRUNCATE = 15,
  MPI_ERR_OTHER = 16,
  MPI_ERR_INTERN = 17,
  MPI_ERR_PENDING = 18,
  MPI_ERR_IN_STATUS = 19,
  MPI_ERR_NO_MEM = 39,

  MPI_ANY_SOURCE = -1,
  MPI_ANY_TAG = -2,
  MPI_PROC_NULL = -3,
  MPI_ROOT = -4,
  MPI_UNDEFINED = -32766,

  MPI_COMBINER_NAMED = 101,
  MPI_COMBINER_DUP = 102,
  MPI_COMBINER_CONTIGUOUS = 103,
  MPI_COMBINER_F90_REAL = 113,
  MPI_COMBINER_F90_COMPLEX = 114,
  MPI_COMBINER_F90_INTEGER = 115,

  MPI_KEYVAL_INVALID = 0,
  MPI_TAG_UB = 501,

  MPI_MAX_ERROR_STRING = 512,
  MPI_MAX_LIBRARY_VERSION_STRING = 8192
};

typedef int MPI_Comm_copy_attr_function(MPI_Comm, int, void*, void*, void*, int*);
typedef int MPI_Comm_delete_attr_function(MPI_Comm, int, void*, void*);
#define MPI_COMM_NULL_COPY_FN ((MPI_Comm_copy_attr_function*)0)

/* Those that front/functions.def lists. */
int PMPI_Init(int* argc, char*** argv);
int PMPI_Init_thread(int* argc, char*** argv, int required, int* provided);

int PMPI_Barrier(MPI_Comm comm);
int PMPI_Ibarrier(MPI_Comm comm, MPI_Request* request);
int PMPI_Allgather(const void* in, int sent, MPI_Datatype in_type, void* out, int received, MPI_Datatype out_type,
                   MPI_Comm comm);
int PMPI_Allgatherv(const void* in, int sent, MPI_Datatype in_type, void* out, const int received[], const int places[],
                    MPI_Datatype out_type, MPI_Comm comm);
int PMPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int PMPI_Alltoall(const void* in, int sent, MPI_Datatype in_type, void* out, int received, MPI_Datatype out_type,
                  MPI_Comm comm);
int PMPI_Alltoallv(const void* in, const int sent[], const int in_places[], MPI_Datatype in_type, void* out,
                   const int received[], const int out_places[], MPI_Datatype out_type, MPI_Comm comm);
int PMPI_Alltoallw(const void* in, const int sent[], const int in_places[], const MPI_Datatype in_types[], void* out,
                   const int received[], const int out_places[], const MPI_Datatype out_types[], MPI_Comm comm);
int PMPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm);
int PMPI_Exscan(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int PMPI_Gather(const void* in, int sent, MPI_Datatype in_type, void* out, int received, MPI_Datatype out_type, int root,
                MPI_Comm comm);
int PMPI_Gatherv(const void* in, int sent, MPI_Datatype in_type, void* out, const int received[], const int places[],
                 MPI_Datatype out_type, int root, MPI_Comm comm);
int PMPI_Reduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm);
int PMPI_Reduce_scatter(const void* in, void* out, const int received[], MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int PMPI_Reduce_scatter_block(const void* in, void* out, int received, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int PMPI_Scan(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int PMPI_Scatter(const void* in, int sent, MPI_Datatype in_type, void* out, int received, MPI_Datatype out_type, int root,
                 MPI_Comm comm);
int PMPI_Scatterv(const void* in, const int sent[], const int places[], MPI_Datatype in_type, void* out, int received,
                  MPI_Datatype out_type, int root, MPI_Comm comm);

int PMPI_Cancel(MPI_Request* request);
int PMPI_Request_free(MPI_Request* request);
int PMPI_Start(MPI_Request* request);
int PMPI_Startall(int count, MPI_Request requests[]);
int PMPI_Error_string(int code, char* text, int* length);
int PMPI_Op_free(MPI_Op* op);
int PMPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status);
int PMPI_Test(MPI_Request* request, int* flag, MPI_Status* status);
int PMPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]);
int PMPI_Testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status);
int PMPI_Testsome(int count, MPI_Request requests[], int* completed, int indices[], MPI_Status statuses[]);
int PMPI_Wait(MPI_Request* request, MPI_Status* status);
int PMPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]);
int PMPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status);
int PMPI_Waitsome(int count, MPI_Request requests[], int* completed, int indices[], MPI_Status statuses[]);

int PMPI_Cart_create(MPI_Comm comm, int dimensions, const int dims[], const int periods[], int reorder, MPI_Comm* made);
int PMPI_Cart_sub(MPI_Comm comm, const int remain[], MPI_Comm* made);
int PMPI_Comm_accept(const char* port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* made);
int PMPI_Comm_connect(const char* port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* made);
int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made);
int PMPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made);
int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm* made);
int PMPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* made);
int PMPI_Comm_get_parent(MPI_Comm* parent);
int PMPI_Comm_idup(MPI_Comm comm, MPI_Comm* made, MPI_Request* request);
int PMPI_Comm_join(int fd, MPI_Comm* made);
int PMPI_Comm_spawn(const char* command, char* argv[], int count, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* made,
                    int codes[]);
int PMPI_Comm_spawn_multiple(int n, char* commands[], char** argvs[], const int counts[], const MPI_Info infos[], int root,
                             MPI_Comm comm, MPI_Comm* made, int codes[]);
int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made);
int PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made);
int PMPI_Dist_graph_create(MPI_Comm comm, int n, const int sources[], const int degrees[], const int destinations[],
                           const int weights[], MPI_Info info, int reorder, MPI_Comm* made);
int PMPI_Dist_graph_create_adjacent(MPI_Comm comm, int indegree, const int sources[], const int source_weights[],
                                    int outdegree, const int destinations[], const int destination_weights[], MPI_Info info,
                                    int reorder, MPI_Comm* made);
int PMPI_Graph_create(MPI_Comm comm, int nodes, const int index[], const int edges[], int reorder, MPI_Comm* made);
int PMPI_Intercomm_create(MPI_Comm comm, int leader, MPI_Comm peers, int remote_leader, int tag, MPI_Comm* made);
int PMPI_Intercomm_merge(MPI_Comm comm, int high, MPI_Comm* made);

/* Those that back ends call by their names. */
int PMPI_Add_error_class(int* error_class);
int PMPI_Add_error_code(int error_class, int* code);
int PMPI_Add_error_string(int code, const char* text);
int PMPI_Error_class(int code, int* error_class);
int PMPI_Errhandler_free(MPI_Errhandler* handler);
int PMPI_Get_library_version(char* version, int* length);

int PMPI_Comm_call_errhandler(MPI_Comm comm, int code);
int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* end, int* keyval, void* extra);
int PMPI_Comm_disconnect(MPI_Comm* comm);
int PMPI_Comm_free(MPI_Comm* comm);
int PMPI_Comm_free_keyval(int* keyval);
int PMPI_Comm_get_attr(MPI_Comm comm, int keyval, void* value, int* found);
int PMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* handler);
int PMPI_Comm_group(MPI_Comm comm, MPI_Group* group);
int PMPI_Comm_rank(MPI_Comm comm, int* rank);
int PMPI_Comm_remote_size(MPI_Comm comm, int* size);
int PMPI_Comm_set_attr(MPI_Comm comm, int keyval, void* value);
int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler);
int PMPI_Comm_size(MPI_Comm comm, int* size);
int PMPI_Comm_test_inter(MPI_Comm comm, int* flag);
int PMPI_Group_free(MPI_Group* group);
int PMPI_Group_size(MPI_Group group, int* size);
int PMPI_Group_translate_ranks(MPI_Group from, int n, const int ranks[], MPI_Group to, int found[]);

int PMPI_Op_commutative(MPI_Op op, int* commutes);
int PMPI_Reduce_local(const void* in, void* inout, int count, MPI_Datatype type, MPI_Op op);

int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status);
int PMPI_Irecv(void* data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request);
int PMPI_Recv(void* data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status);
int PMPI_Recv_init(void* data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request);
int PMPI_Send(const void* data, int count, MPI_Datatype type, int destination, int tag, MPI_Comm comm);
int PMPI_Sendrecv(const void* in, int sent, MPI_Datatype in_type, int destination, int in_tag, void* out, int received,
                  MPI_Datatype out_type, int source, int out_tag, MPI_Comm comm, MPI_Status* status);

int PMPI_Pack(const void* in, int count, MPI_Datatype type, void* out, int out_bytes, int* position, MPI_Comm comm);
int PMPI_Pack_size(int count, MPI_Datatype type, MPI_Comm comm, int* bytes);
int PMPI_Unpack(const void* in, int in_bytes, int* position, void* out, int count, MPI_Datatype type, MPI_Comm comm);
int PMPI_Type_commit(MPI_Datatype* type);
int PMPI_Type_contiguous(int count, MPI_Datatype type, MPI_Datatype* made);
int PMPI_Type_create_struct(int count, const int lengths[], const MPI_Aint places[], const MPI_Datatype types[],
                            MPI_Datatype* made);
int PMPI_Type_free(MPI_Datatype* type);
int PMPI_Type_get_contents(MPI_Datatype type, int most_integers, int most_addresses, int most_types, int integers[],
                           MPI_Aint addresses[], MPI_Datatype types[]);
int PMPI_Type_get_envelope(MPI_Datatype type, int* integers, int* addresses, int* types, int* combiner);
int PMPI_Type_get_extent(MPI_Datatype type, MPI_Aint* lower_bound, MPI_Aint* extent);
int PMPI_Type_get_true_extent(MPI_Datatype type, MPI_Aint* lower_bound, MPI_Aint* extent);
int PMPI_Type_size(MPI_Datatype type, int* size);
int PMPI_Type_size_x(MPI_Datatype type, MPI_Count* size);

#ifdef __cplusplus
}
#endif

#endif
