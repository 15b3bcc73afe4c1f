/*
 * Solves the Poisson equation on a box by conjugate gradients: A u = b, where A is the 7-point stencil with zero values
 * around the box. Ordinary MPI: it knows nothing of Xylem, and runs with or without it.
 *
 *   MPI_Bcast      the parameters, read by rank 0
 *   MPI_Allreduce  two dot products per iteration
 *   MPI_Allgather  what each rank found and how long it took
 *   point to point the faces of the blocks, MPI_Irecv, MPI_Isend, MPI_Waitall
 *
 * The right-hand side is made from a known solution, so the program checks itself: it exits with 0 only if the residual fell
 * and the solution is near the known one.
 *
 * Comparing two runs: floating-point sums depend on the order of their terms, and from 3 ranks on another MPI library may
 * add the ranks' parts of a dot product in another order. That changes the last of 16 digits, and the method amplifies it:
 * the first residuals agree in all 9 digits printed, later ones in 6 or 7. A sum that is wrong shows in the first digits.
 * compare_residuals.py compares two outputs by this rule.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct parameters {
  int points[3];   /* of the whole grid, per dimension */
  int iterations;  /* at most */
  int print_every; /* iterations between two lines */
  double tolerance;
};

/* One rank's block of the grid. Fields have one layer of ghost points on every side. */
struct block {
  MPI_Comm grid;
  int rank, ranks;
  int first[3];          /* global index of the first point */
  int points[3];         /* without ghosts */
  int stride[3];         /* between neighbours in a field; [0] is 1 */
  int neighbour[3][2];   /* ranks below and above, MPI_PROC_NULL at the border */
  double* faces[2][2];   /* [sent, received][below, above], each as large as the largest face */
  size_t field_length;   /* elements of a field, with ghosts */
  double reduce_seconds; /* spent in MPI_Allreduce */
};

static void* allocate(size_t count, size_t size) {
  void* memory = calloc(count, size);
  if (memory == NULL) {
    fprintf(stderr, "conjugate_gradient: out of memory\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return memory;
}

static int usage(void) {
  fprintf(stderr,
          "usage: conjugate_gradient [-n POINTS | -n NXxNYxNZ] [-i ITERATIONS] [-e PRINT_EVERY] [-t TOLERANCE]\n"
          "defaults: -n 64 -i 200 -e 10 -t 1e-10 (stops when the residual has fallen by this factor)\n");
  return 0;
}

/* Returns 0 if the arguments make no sense. */
static int parse(int argc, char** argv, struct parameters* parameters) {
  *parameters = (struct parameters){{64, 64, 64}, 200, 10, 1e-10};
  int* points = parameters->points;
  for (int i = 1; i < argc; i += 2) {
    if (argv[i][0] != '-' || strlen(argv[i]) != 2 || i + 1 == argc) return usage();
    const char* value = argv[i + 1];
    switch (argv[i][1]) {
      case 'n': {
        int given = sscanf(value, "%dx%dx%d", &points[0], &points[1], &points[2]);
        if (given == 1) points[1] = points[2] = points[0];
        if (given != 1 && given != 3) return usage();
        break;
      }
      case 'i':
        parameters->iterations = atoi(value);
        break;
      case 'e':
        parameters->print_every = atoi(value);
        break;
      case 't':
        parameters->tolerance = atof(value);
        break;
      default:
        return usage();
    }
  }
  if (points[0] < 1 || points[1] < 1 || points[2] < 1 || parameters->iterations < 1 || parameters->print_every < 1)
    return usage();
  return 1;
}

/* Cuts the grid in one block per rank; the first blocks of a dimension are one point larger where it does not divide. */
static int make_block(const struct parameters* parameters, struct block* block) {
  int dims[3] = {0, 0, 0}, periods[3] = {0, 0, 0}, at[3];
  memset(block, 0, sizeof *block);
  MPI_Comm_size(MPI_COMM_WORLD, &block->ranks);
  MPI_Dims_create(block->ranks, 3, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 1, &block->grid);
  MPI_Comm_rank(block->grid, &block->rank);
  MPI_Cart_coords(block->grid, block->rank, 3, at);

  int largest_face = 1;
  for (int d = 0; d < 3; d++) {
    int whole = parameters->points[d] / dims[d], rest = parameters->points[d] % dims[d];
    if (whole == 0) {
      if (block->rank == 0)
        fprintf(stderr, "conjugate_gradient: %d points in dimension %d are too few for %d ranks: choose a larger -n\n",
                parameters->points[d], d, dims[d]);
      return 0;
    }
    block->points[d] = whole + (at[d] < rest);
    block->first[d] = at[d] * whole + (at[d] < rest ? at[d] : rest);
    block->stride[d] = d == 0 ? 1 : block->stride[d - 1] * (block->points[d - 1] + 2);
    MPI_Cart_shift(block->grid, d, 1, &block->neighbour[d][0], &block->neighbour[d][1]);
  }
  block->field_length = (size_t)block->stride[2] * (size_t)(block->points[2] + 2);
  for (int d = 0; d < 3; d++) {
    int face = block->points[(d + 1) % 3] * block->points[(d + 2) % 3];
    if (face > largest_face) largest_face = face;
  }
  for (int i = 0; i < 4; i++) block->faces[i / 2][i % 2] = allocate((size_t)largest_face, sizeof(double));
  return 1;
}

static void free_block(struct block* block) {
  for (int i = 0; i < 4; i++) free(block->faces[i / 2][i % 2]);
  MPI_Comm_free(&block->grid);
}

/* The offset of point (i, j, k) of the block, where -1 and points[d] name the ghost layers. */
static size_t offset(const struct block* block, int i, int j, int k) {
  return (size_t)(i + 1) + (size_t)(j + 1) * (size_t)block->stride[1] + (size_t)(k + 1) * (size_t)block->stride[2];
}

/* Copies the layer `position` of dimension `d` of a field to a face, or back. */
static void copy_layer(const struct block* block, double* field, int d, int position, double* face, int to_face) {
  int across = (d + 1) % 3, along = (d + 2) % 3, index[3];
  index[d] = position;
  for (index[across] = 0; index[across] < block->points[across]; index[across]++)
    for (index[along] = 0; index[along] < block->points[along]; index[along]++) {
      double* point = &field[offset(block, index[0], index[1], index[2])];
      if (to_face)
        *face++ = *point;
      else
        *point = *face++;
    }
}

/* Fills the ghost layers with the neighbours' outermost points. */
static void exchange_faces(struct block* block, double* field) {
  for (int d = 0; d < 3; d++) {
    int face = block->points[(d + 1) % 3] * block->points[(d + 2) % 3];
    MPI_Request requests[4];
    MPI_Status statuses[4];
    for (int side = 0; side < 2; side++) /* tag: the direction in which the face travels, so that it is 1 - side here */
      MPI_Irecv(block->faces[1][side], face, MPI_DOUBLE, block->neighbour[d][side], 1 - side, block->grid, &requests[side]);
    for (int side = 0; side < 2; side++) {
      copy_layer(block, field, d, side == 0 ? 0 : block->points[d] - 1, block->faces[0][side], 1);
      MPI_Isend(block->faces[0][side], face, MPI_DOUBLE, block->neighbour[d][side], side, block->grid, &requests[2 + side]);
    }
    MPI_Waitall(4, requests, statuses);
    for (int side = 0; side < 2; side++)
      if (block->neighbour[d][side] != MPI_PROC_NULL)
        copy_layer(block, field, d, side == 0 ? -1 : block->points[d], block->faces[1][side], 0);
  }
}

/* out = A in. */
static void apply_stencil(struct block* block, double* in, double* out) {
  exchange_faces(block, in);
  const size_t y = (size_t)block->stride[1], z = (size_t)block->stride[2];
  for (int k = 0; k < block->points[2]; k++)
    for (int j = 0; j < block->points[1]; j++) {
      size_t at = offset(block, 0, j, k);
      for (int i = 0; i < block->points[0]; i++, at++)
        out[at] = 6 * in[at] - in[at - 1] - in[at + 1] - in[at - y] - in[at + y] - in[at - z] - in[at + z];
    }
}

static double local_dot(const struct block* block, const double* a, const double* b) {
  double sum = 0;
  for (int k = 0; k < block->points[2]; k++)
    for (int j = 0; j < block->points[1]; j++) {
      size_t at = offset(block, 0, j, k);
      for (int i = 0; i < block->points[0]; i++, at++) sum += a[at] * b[at];
    }
  return sum;
}

static double dot(struct block* block, const double* a, const double* b) {
  double part = local_dot(block, a, b), whole;
  double start = MPI_Wtime();
  MPI_Allreduce(&part, &whole, 1, MPI_DOUBLE, MPI_SUM, block->grid);
  block->reduce_seconds += MPI_Wtime() - start;
  return whole;
}

/* y = x + factor * y, or y += factor * x: the two updates of the method, ghosts included for they are simply overwritten. */
static void scale_and_add(const struct block* block, double* y, double factor, const double* x) {
  for (size_t i = 0; i < block->field_length; i++) y[i] = x[i] + factor * y[i];
}
static void add_scaled(const struct block* block, double* y, double factor, const double* x) {
  for (size_t i = 0; i < block->field_length; i++) y[i] += factor * x[i];
}

/* A smooth function that is zero around the box and different in all three dimensions. */
static void set_known_solution(const struct parameters* parameters, const struct block* block, double* field) {
  for (int k = 0; k < block->points[2]; k++)
    for (int j = 0; j < block->points[1]; j++)
      for (int i = 0; i < block->points[0]; i++) {
        double x = (block->first[0] + i + 1.0) / (parameters->points[0] + 1.0);
        double y = (block->first[1] + j + 1.0) / (parameters->points[1] + 1.0);
        double z = (block->first[2] + k + 1.0) / (parameters->points[2] + 1.0);
        field[offset(block, i, j, k)] = 64 * x * (1 - x) * y * (1 - y) * z * (1 - z) * (1 + x + 2 * y * y + 3 * x * z);
      }
}

/* Solves A u = b. Returns the factor by which the residual fell. */
static double solve(const struct parameters* parameters, struct block* block, double* u, const double* b, int* iterations) {
  double* residual = allocate(block->field_length, sizeof(double));
  double* direction = allocate(block->field_length, sizeof(double));
  double* product = allocate(block->field_length, sizeof(double));
  memcpy(residual, b, block->field_length * sizeof(double));
  memcpy(direction, b, block->field_length * sizeof(double));

  double squared = dot(block, residual, residual);
  const double first = sqrt(squared);
  if (block->rank == 0) printf("iteration %5d  residual %.8e\n", 0, first);
  for (*iterations = 0; *iterations < parameters->iterations && sqrt(squared) > parameters->tolerance * first;) {
    apply_stencil(block, direction, product);
    double step = squared / dot(block, direction, product);
    add_scaled(block, u, step, direction);
    add_scaled(block, residual, -step, product);
    double next = dot(block, residual, residual);
    scale_and_add(block, direction, next / squared, residual);
    squared = next;
    ++*iterations;
    if (block->rank == 0 && *iterations % parameters->print_every == 0)
      printf("iteration %5d  residual %.8e\n", *iterations, sqrt(squared));
  }
  free(residual);
  free(direction);
  free(product);
  return first > 0 ? sqrt(squared) / first : 0;
}

/* Gathers every rank's figures, prints them and returns the norm of the error over all ranks. */
static double report(const struct block* block, const double* error, double seconds) {
  double mine[3] = {local_dot(block, error, error), seconds, block->reduce_seconds};
  double* all = allocate((size_t)block->ranks * 3, sizeof(double));
  MPI_Allgather(mine, 3, MPI_DOUBLE, all, 3, MPI_DOUBLE, block->grid);
  double squared = 0, slowest = 0, reducing = 0;
  for (int rank = 0; rank < block->ranks; rank++) {
    squared += all[3 * rank];
    slowest = fmax(slowest, all[3 * rank + 1]);
    reducing = fmax(reducing, all[3 * rank + 2]);
  }
  free(all);
  if (block->rank == 0)
    printf("time %.3f s, of that in MPI_Allreduce %.3f s (the slowest of %d ranks)\n", slowest, reducing, block->ranks);
  return sqrt(squared);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int world_rank, sensible = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  struct parameters parameters;
  if (world_rank == 0) sensible = parse(argc, argv, &parameters);
  MPI_Bcast(&sensible, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Bcast(&parameters, (int)sizeof parameters, MPI_BYTE, 0, MPI_COMM_WORLD);

  struct block block;
  if (!sensible || !make_block(&parameters, &block)) {
    MPI_Finalize();
    return 2;
  }
  if (block.rank == 0)
    printf("grid %dx%dx%d on %d ranks\n", parameters.points[0], parameters.points[1], parameters.points[2], block.ranks);

  double* known = allocate(block.field_length, sizeof(double));
  double* b = allocate(block.field_length, sizeof(double));
  double* u = allocate(block.field_length, sizeof(double));
  set_known_solution(&parameters, &block, known);
  apply_stencil(&block, known, b);

  int iterations;
  double start = MPI_Wtime();
  double fallen = solve(&parameters, &block, u, b, &iterations);
  double seconds = MPI_Wtime() - start;

  double size = sqrt(dot(&block, known, known));
  add_scaled(&block, known, -1, u);
  double error = report(&block, known, seconds) / size;
  /* The error may exceed the residual by the condition of A, which grows with the square of the points per dimension. */
  int longest = parameters.points[0];
  for (int d = 1; d < 3; d++)
    if (parameters.points[d] > longest) longest = parameters.points[d];
  int good = fallen < 1 && error <= fallen * 2.0 * longest * longest;
  if (block.rank == 0)
    printf("%d iterations, residual fell by %.3e, error %.3e: %s\n", iterations, fallen, error, good ? "good" : "WRONG");

  free(known);
  free(b);
  free(u);
  free_block(&block);
  MPI_Finalize();
  return good ? 0 : 1;
}
