/* bench_identity.h - who this device is. */
#ifndef BENCH_IDENTITY_H
#define BENCH_IDENTITY_H

#include "bench_requests.h"

#include <stdbool.h>

/* Fill in the answer to HELLO; `next_sequence` is that of the next numbered request. */
void bench_identity_hello(uint16_t next_sequence, bench_answer_t *answer);

/* Whether this is the model, the export and the build that a host wants. */
bool bench_identity_is(const bench_open_t *wanted);

#endif /* BENCH_IDENTITY_H */
