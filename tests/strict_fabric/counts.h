/* What the strict libfabric saw in this process. `strict_fabric_counts` is a symbol of it. */
#ifndef STRICT_FABRIC_COUNTS_H
#define STRICT_FABRIC_COUNTS_H

#include <stdint.h>

typedef struct strict_fabric_counts_t {
  uint64_t sends;    /* from registered memory */
  uint64_t injects;  /* from any */
  uint64_t writes;   /* into memory of peers */
  uint64_t receives; /* posted */
  uint64_t bytes_sent;
  uint64_t bytes_written;
  uint64_t refused;       /* with FI_EAGAIN */
  uint64_t registrations; /* of memory */
  uint64_t connected;     /* addresses of peers that were handed in */
} strict_fabric_counts_t;

#endif
