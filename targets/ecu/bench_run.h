/* bench_run.h - the free run: a timer interrupt steps the model, a free-running counter says when and how long. */
#ifndef BENCH_RUN_H
#define BENCH_RUN_H

#include "bench_protocol.h"
#include "counter.h"

#include <stdbool.h>
#include <stdint.h>

/* Choose the counter; call once. */
void bench_run_open(void);
const ecu_counter_t *bench_run_counter(void);

/* Start; BENCH_REASON_NONE, or why not. */
bench_reason_t bench_run_start(const bench_run_t *request);
void bench_run_stop(void);

bool bench_run_is_running(void);

/* To be called when the host asks: latch a fault when the interrupt stays away. */
void bench_run_watch(void);

bench_fault_report_t bench_run_fault(void);
void bench_run_clear_fault(void);

/* All numbers so far; consistent once the run is over. */
bench_summary_t bench_run_summary(void);

#endif /* BENCH_RUN_H */
