/* The smallest program that uses Xylem's C API: one rank, one allreduce. */
#include <stdio.h>
#include <string.h>
#include <xylem/xylem.h>

static int allgather_of_one(const void* send, void* recv, size_t bytes, void* context) {
  (void)context;
  memcpy(recv, send, bytes);
  return 0;
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "--version") == 0) {
    puts(xylem_version());
    return 0;
  }
  const xylem_bootstrap alone = {.rank = 0, .size = 1, .allgather = allgather_of_one};
  xylem_comm_t comm = NULL;
  if (xylem_comm_create(&comm, &alone) != XYLEM_SUCCESS) {
    fprintf(stderr, "%s\n", xylem_last_error());
    return 1;
  }
  const double mine[3] = {1.0, 2.5, -4.0};
  double sum[3] = {0.0, 0.0, 0.0};
  const xylem_status status = xylem_allreduce(mine, sum, 3, XYLEM_DOUBLE, XYLEM_SUM, comm, XYLEM_STREAM_NONE);
  if (status != XYLEM_SUCCESS || memcmp(mine, sum, sizeof sum) != 0) {
    fprintf(stderr, "allreduce: %s: %s\n", xylem_status_string(status), xylem_last_error());
    return 1;
  }
  return xylem_comm_destroy(comm) == XYLEM_SUCCESS ? 0 : 1;
}
