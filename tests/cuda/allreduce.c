/* An ordinary MPI program with its vectors on a GPU, as it would be written for a CUDA-aware MPI: it knows nothing of Xylem.
 * Exact results: every sum is of small integers. */
#include <cuda_runtime_api.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size, failures;

static void check(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return;
  fprintf(stderr, "rank %d: %s: %s\n", rank, what, cudaGetErrorString(code));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void expect(int right, const char* what, int count) {
  if (right) return;
  fprintf(stderr, "rank %d: wrong result: %s of %d elements\n", rank, what, count);
  ++failures;
}

static void sum_vectors(int count, int in_place) {
  const size_t bytes = (size_t)count * sizeof(double);
  double *host = malloc(bytes), *send = NULL, *recv = NULL;
  check(cudaMalloc((void**)&send, bytes), "cudaMalloc");
  check(cudaMalloc((void**)&recv, bytes), "cudaMalloc");
  for (int i = 0; i < count; ++i) host[i] = rank + 1 + i % 1000;
  check(cudaMemcpy(send, host, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  check(cudaMemset(recv, 0xff, bytes), "cudaMemset");

  if (in_place) {
    MPI_Allreduce(MPI_IN_PLACE, send, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  } else {
    MPI_Allreduce(send, recv, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  check(cudaMemcpy(host, in_place ? send : recv, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
  int right = 1;
  for (int i = 0; i < count; ++i) right &= host[i] == size * (size + 1) / 2 + (double)size * (i % 1000);
  expect(right, in_place ? "MPI_Allreduce in place" : "MPI_Allreduce", count);
  if (!in_place) {
    check(cudaMemcpy(host, send, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
    for (int i = 0; i < count; ++i) right &= host[i] == rank + 1 + i % 1000;
    expect(right, "the send buffer after MPI_Allreduce", count);
  }
  check(cudaFree(send), "cudaFree");
  check(cudaFree(recv), "cudaFree");
  free(host);
}

int main(int argc, char** argv) {
  int devices = 0, device = -1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  check(cudaSetDevice(rank % devices), "cudaSetDevice");
  for (int count = 1; count <= 300000; count = count * 7 + 1) {
    sum_vectors(count, 0);
    sum_vectors(count, 1);
  }
  check(cudaGetDevice(&device), "cudaGetDevice");
  expect(device == rank % devices, "the current device after all", 0);
  check(cudaGetLastError(), "an error left behind");
  if (rank == 0 && failures == 0) printf("device buffers: good on %d ranks, %d devices\n", size, devices);
  MPI_Finalize();
  return failures != 0;
}
