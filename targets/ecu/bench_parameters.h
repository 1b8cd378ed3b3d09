/* bench_parameters.h - the tunable parameters: given in parts, brought into force as one set, read back. */
#ifndef BENCH_PARAMETERS_H
#define BENCH_PARAMETERS_H

#include "bench_requests.h"

/* Nominal parameters. */
void bench_parameters_start(void);

/* A PARAMETERS request. */
bench_reason_t bench_parameters_serve(const bench_request_t *request, bench_answer_t *answer);

#endif /* BENCH_PARAMETERS_H */
