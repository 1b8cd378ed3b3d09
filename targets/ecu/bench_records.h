/* bench_records.h - what a free run leaves behind: an exact histogram, a log around each violation, the worst
 * activations with their inputs, those around the latest finish, an envelope of finishes over time. Written by the interrupt, read when the run is over. */
#ifndef BENCH_RECORDS_H
#define BENCH_RECORDS_H

#include "bench_protocol.h"
#include "model.h"
#include "rows.h"

#include <stdbool.h>
#include <stdint.h>

#define BENCH_HISTOGRAM_SLOTS UINT32_C(1024) /* different durations that can be counted; a power of two */
#define BENCH_LOG_SLOTS       UINT32_C(256)
#define BENCH_WORST_SLOTS     UINT32_C(8)
#define BENCH_ENVELOPE_SLOTS  UINT32_C(512)
#define BENCH_CONTEXT         UINT32_C(3) /* activations kept before and after a violation, and the latest finish */
#define BENCH_LATEST_SLOTS    (BENCH_CONTEXT + 1U + BENCH_CONTEXT)

/* One activation with the row that it was fed with. */
typedef struct bench_entry_t {
    bench_record_t head;
    kfx_real_t row[ECU_ROW_REALS];
} bench_entry_t;

/* Bytes of an entry on the wire: the head and KFX_INPUTS reals. */
#define BENCH_ENTRY_BYTES ((uint32_t)sizeof(bench_record_t) + ((uint32_t)KFX_INPUTS * (uint32_t)sizeof(kfx_real_t)))

/* Forget the last run. envelope_block > 0. */
void bench_records_clear(uint32_t envelope_block);

/* Note one executed activation; is_violation puts it and its neighbours into the log. */
void bench_records_add(const bench_entry_t *entry, bool is_violation);

/* Note releases that were never served, as one entry of the log. */
void bench_records_add_skip(uint32_t first_index, uint32_t count);

/* Fill in how many entries each section has, and how many found no room. */
void bench_records_count(bench_summary_t *summary);

/* Copy entry number `index` (below the section's count) to `to`; returns its bytes. */
uint32_t bench_records_copy(bench_section_t section, uint32_t index, uint8_t *to);

#endif /* BENCH_RECORDS_H */
