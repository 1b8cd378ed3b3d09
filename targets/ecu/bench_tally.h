/* bench_tally.h - the numbers of a free run: counts, extremes and sums, and a digest over status and outputs. */
#ifndef BENCH_TALLY_H
#define BENCH_TALLY_H

#include "bench_protocol.h"
#include "counter.h"
#include "model.h"

#include <stdint.h>

/* Forget the last run. */
void bench_tally_clear(const bench_run_t *request);

/* One executed activation, its outcome filled in, with its KFX_OUTPUTS outputs. */
void bench_tally_add(const bench_record_t *record, const kfx_real_t *outputs);

/* Releases that were never served. */
void bench_tally_add_skip(uint32_t count);

/* An interrupt for a release that was served already. */
void bench_tally_add_coalesced(void);

/* Executed activations that missed their deadline, without one in time between them, up to now. */
uint32_t bench_tally_late_in_a_row(void);

/* Ticks that the digest takes after each activation. */
uint32_t bench_tally_digest_ticks(const ecu_counter_t *counter);

/* The numbers so far; state, fault and the records' counts are not filled in. */
bench_summary_t bench_tally(void);

#endif /* BENCH_TALLY_H */
