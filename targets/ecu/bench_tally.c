/* bench_tally.c - counts, extremes, sums and the digest. */
#include "bench_tally.h"

#include "bench_crc.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct tally_t {
    bench_summary_t summary;
    uint32_t late_in_a_row;   /* executed ones, for the fault */
    uint32_t missed_in_a_row; /* skipped ones included, for the report */
} tally_t;

static tally_t tally;

void bench_tally_clear(const bench_run_t *const request)
{
    const bench_summary_t summary = {
        .requested = request->activations,
        .period_ticks = request->period_ticks,
        .deadline_ticks = request->deadline_ticks,
        .latch_after = request->latch_after,
        .duration_min = UINT32_MAX,
        .late_min = UINT32_MAX,
        .digest = BENCH_CRC_START,
    };
    tally.summary = summary;
    tally.late_in_a_row = 0U;
    tally.missed_in_a_row = 0U;
}

bench_summary_t bench_tally(void)
{
    bench_summary_t summary = tally.summary;
    summary.digest = ~summary.digest;
    return summary;
}

uint32_t bench_tally_late_in_a_row(void)
{
    return tally.late_in_a_row;
}

static void count_missed(const uint32_t count)
{
    tally.missed_in_a_row += count;
    if (tally.missed_in_a_row > tally.summary.longest_run) {
        tally.summary.longest_run = tally.missed_in_a_row;
    }
}

typedef union word_t {
    kfx_real_t real;
    uint32_t word[sizeof(kfx_real_t) / sizeof(uint32_t)];
} word_t;

/* The digest goes on over the status and the bits of the outputs. Apart, so that what is timed is what runs. */
__attribute__((noinline)) static uint32_t digest_activation(const uint32_t digest, const uint32_t status,
                                                            const kfx_real_t *const outputs)
{
    uint32_t result = bench_crc_word(digest, status);
    for (uint32_t i = 0U; i < (uint32_t)KFX_OUTPUTS; i++) {
        const word_t bits = {outputs[i]};
        for (size_t k = 0U; k < (sizeof(kfx_real_t) / sizeof(uint32_t)); k++) {
            result = bench_crc_word(result, bits.word[k]);
        }
    }
    return result;
}

uint32_t bench_tally_digest_ticks(const ecu_counter_t *const counter)
{
    static const kfx_real_t outputs[KFX_OUTPUTS];
    const uint32_t begin = ecu_counter_now(counter);
    volatile uint32_t digest = digest_activation(BENCH_CRC_START, 0U, outputs);
    const uint32_t end = ecu_counter_now(counter);
    (void)digest;
    return ecu_counter_ticks(counter, begin, end);
}

static void widen(uint32_t *const least, uint32_t *const greatest, const uint32_t value)
{
    *least = (value < *least) ? value : *least;
    *greatest = (value > *greatest) ? value : *greatest;
}

static void sum_up(const bench_record_t *const record)
{
    bench_summary_t *const summary = &tally.summary;
    if ((summary->ran == 0U) || (record->duration_ticks > summary->duration_max)) {
        summary->worst_index = record->index;
    }
    if ((summary->ran == 0U) || (record->late_ticks > summary->late_max)) {
        summary->latest_index = record->index;
    }
    if ((summary->ran == 0U) || (record->response_ticks > summary->response_max)) {
        summary->response_max = record->response_ticks;
        summary->response_index = record->index;
    }
    widen(&summary->duration_min, &summary->duration_max, record->duration_ticks);
    widen(&summary->late_min, &summary->late_max, record->late_ticks);
    summary->duration_sum += record->duration_ticks;
    summary->late_sum += record->late_ticks;
    summary->flagged += (record->status != 0U) ? 1U : 0U;
    summary->status_or |= record->status;
    summary->ran++;
}

static void judge(const bool is_missed)
{
    if (is_missed) {
        tally.summary.missed++;
        tally.late_in_a_row++;
        count_missed(1U);
    } else {
        tally.late_in_a_row = 0U;
        tally.missed_in_a_row = 0U;
    }
}

void bench_tally_add(const bench_record_t *const record, const kfx_real_t *const outputs)
{
    tally.summary.digest = digest_activation(tally.summary.digest, record->status, outputs);
    sum_up(record);
    judge(record->outcome != (uint8_t)BENCH_OUTCOME_IN_TIME);
}

void bench_tally_add_skip(const uint32_t count)
{
    tally.summary.skipped += count;
    count_missed(count);
}

void bench_tally_add_coalesced(void)
{
    tally.summary.coalesced++;
}
