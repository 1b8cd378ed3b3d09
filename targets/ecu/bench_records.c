/* bench_records.c - constant work per activation, apart from the probes of the histogram. */
#include "bench_records.h"

#include <stddef.h>

#define HISTOGRAM_MASK (BENCH_HISTOGRAM_SLOTS - 1U)
#define MULTIPLIER     UINT32_C(2654435761) /* Knuth's multiplicative hash: 2^32 over the golden ratio */
#define MOST_PROBES    UINT32_C(32)

_Static_assert((BENCH_HISTOGRAM_SLOTS & HISTOGRAM_MASK) == 0U, "the histogram's size is a power of two");

typedef struct records_t {
    bench_pair_t histogram[BENCH_HISTOGRAM_SLOTS]; /* duration, activations; hashed while the run goes on */
    bench_entry_t recent[BENCH_CONTEXT];           /* the last ones, oldest first */
    bench_entry_t log[BENCH_LOG_SLOTS];
    bench_entry_t worst[BENCH_WORST_SLOTS];
    bench_entry_t latest[BENCH_LATEST_SLOTS];      /* the latest finish, with those before and after it */
    bench_pair_t envelope[BENCH_ENVELOPE_SLOTS];   /* least and greatest finish after the release */
    uint32_t histogram_used;
    uint32_t histogram_lost;
    uint32_t recent_used;
    uint32_t unlogged;  /* of the recent ones */
    uint32_t to_follow; /* activations still to be logged after a violation */
    uint32_t latest_ticks;
    uint32_t latest_used;
    uint32_t latest_to_follow;
    uint32_t log_used;
    uint32_t log_lost;
    uint32_t worst_used;
    uint32_t envelope_used;
    uint32_t envelope_block;
} records_t;

static records_t records;

void bench_records_clear(const uint32_t envelope_block)
{
    for (uint32_t i = 0U; i < BENCH_HISTOGRAM_SLOTS; i++) {
        records.histogram[i].second = 0U;
    }
    records.histogram_used = 0U;
    records.histogram_lost = 0U;
    records.recent_used = 0U;
    records.unlogged = 0U;
    records.to_follow = 0U;
    records.latest_used = 0U;
    records.latest_to_follow = 0U;
    records.log_used = 0U;
    records.log_lost = 0U;
    records.worst_used = 0U;
    records.envelope_used = 0U;
    records.envelope_block = envelope_block;
}

static void count_duration(const uint32_t ticks)
{
    uint32_t slot = (ticks * MULTIPLIER) & HISTOGRAM_MASK;
    for (uint32_t probe = 0U; probe < MOST_PROBES; probe++) {
        bench_pair_t *const bin = &records.histogram[slot];
        const bool is_new = (bin->second == 0U);
        if (is_new || (bin->first == ticks)) {
            records.histogram_used += is_new ? 1U : 0U;
            bin->first = ticks;
            bin->second++;
            return;
        }
        slot = (slot + 1U) & HISTOGRAM_MASK;
    }
    records.histogram_lost++;
}

static void widen_envelope(const uint32_t index, const uint32_t ticks)
{
    const uint32_t slot = index / records.envelope_block;
    if (slot >= BENCH_ENVELOPE_SLOTS) {
        return;
    }
    bench_pair_t *const point = &records.envelope[slot];
    while (records.envelope_used <= slot) {
        const bench_pair_t empty = {UINT32_MAX, 0U};
        records.envelope[records.envelope_used] = empty;
        records.envelope_used++;
    }
    point->first = (ticks < point->first) ? ticks : point->first;
    point->second = (ticks > point->second) ? ticks : point->second;
}

/* Keep the longest ones; of equals the first. */
static void keep_worst(const bench_entry_t *const entry)
{
    if (records.worst_used < BENCH_WORST_SLOTS) {
        records.worst[records.worst_used] = *entry;
        records.worst_used++;
        return;
    }
    uint32_t least = 0U;
    for (uint32_t i = 1U; i < BENCH_WORST_SLOTS; i++) {
        if (records.worst[i].head.duration_ticks <= records.worst[least].head.duration_ticks) {
            least = i;
        }
    }
    if (entry->head.duration_ticks > records.worst[least].head.duration_ticks) {
        records.worst[least] = *entry;
    }
}

static void log_entry(const bench_entry_t *const entry)
{
    if (records.log_used < BENCH_LOG_SLOTS) {
        records.log[records.log_used] = *entry;
        records.log_used++;
    } else {
        records.log_lost++;
    }
}

/* A violation: those before it go into the log, those after it will follow. */
static void open_window(void)
{
    for (uint32_t i = records.recent_used - records.unlogged; i < records.recent_used; i++) {
        log_entry(&records.recent[i]);
    }
    records.unlogged = 0U;
    records.to_follow = BENCH_CONTEXT;
}

static void add_latest(const bench_entry_t *const entry)
{
    records.latest[records.latest_used] = *entry;
    records.latest_used++;
}

/* Of equal finishes the first. */
static void keep_latest(const bench_entry_t *const entry)
{
    if ((records.latest_used == 0U) || (entry->head.response_ticks > records.latest_ticks)) {
        records.latest_ticks = entry->head.response_ticks;
        records.latest_used = 0U;
        for (uint32_t i = 0U; i < records.recent_used; i++) {
            add_latest(&records.recent[i]);
        }
        add_latest(entry);
        records.latest_to_follow = BENCH_CONTEXT;
    } else if (records.latest_to_follow > 0U) {
        records.latest_to_follow--;
        add_latest(entry);
    }
}

static void keep_recent(const bench_entry_t *const entry)
{
    if (records.recent_used == BENCH_CONTEXT) {
        for (uint32_t i = 1U; i < BENCH_CONTEXT; i++) {
            records.recent[i - 1U] = records.recent[i];
        }
        records.recent_used--;
    }
    records.recent[records.recent_used] = *entry;
    records.recent_used++;
}

void bench_records_add(const bench_entry_t *const entry, const bool is_violation)
{
    count_duration(entry->head.duration_ticks);
    widen_envelope(entry->head.index, entry->head.response_ticks);
    keep_worst(entry);
    keep_latest(entry);
    if (is_violation) {
        open_window();
        log_entry(entry);
    } else if (records.to_follow > 0U) {
        records.to_follow--;
        log_entry(entry);
    } else {
        records.unlogged += (records.unlogged < BENCH_CONTEXT) ? 1U : 0U;
    }
    keep_recent(entry);
}

void bench_records_add_skip(const uint32_t first_index, const uint32_t count)
{
    bench_entry_t entry = {.head = {.index = first_index, .skipped = count, .outcome = (uint8_t)BENCH_OUTCOME_SKIPPED}};
    open_window();
    log_entry(&entry);
}

/* Close the gaps that hashing left, so that bins can be fetched by number; the run is over. */
static void gather_histogram(void)
{
    uint32_t to = 0U;
    for (uint32_t from = 0U; from < BENCH_HISTOGRAM_SLOTS; from++) {
        if (records.histogram[from].second != 0U) {
            const bench_pair_t bin = records.histogram[from];
            records.histogram[from].second = 0U;
            records.histogram[to] = bin;
            to++;
        }
    }
}

void bench_records_count(bench_summary_t *const summary)
{
    if (summary->state != (uint8_t)BENCH_RUN_STATE_RUNNING) {
        gather_histogram();
    }
    summary->histogram_used = records.histogram_used;
    summary->histogram_lost = records.histogram_lost;
    summary->log_used = records.log_used;
    summary->log_lost = records.log_lost;
    summary->worst_used = records.worst_used;
    summary->latest_used = (uint16_t)records.latest_used;
    summary->envelope_used = records.envelope_used;
    summary->envelope_block = records.envelope_block;
}

static uint32_t copy_bytes(const void *const from, const uint32_t size, uint8_t *const to)
{
    const uint8_t *const bytes = (const uint8_t *)from;
    for (uint32_t i = 0U; i < size; i++) {
        to[i] = bytes[i];
    }
    return size;
}

static uint32_t copy_entry(const bench_entry_t *const entry, uint8_t *const to)
{
    const uint32_t head = copy_bytes(&entry->head, (uint32_t)sizeof entry->head, to);
    return head + copy_bytes(entry->row, BENCH_ENTRY_BYTES - head, &to[head]);
}

uint32_t bench_records_copy(const bench_section_t section, const uint32_t index, uint8_t *const to)
{
    switch (section) {
    case BENCH_SECTION_HISTOGRAM:
        return copy_bytes(&records.histogram[index], (uint32_t)sizeof(bench_pair_t), to);
    case BENCH_SECTION_LOG:
        return copy_entry(&records.log[index], to);
    case BENCH_SECTION_WORST:
        return copy_entry(&records.worst[index], to);
    case BENCH_SECTION_LATEST:
        return copy_entry(&records.latest[index], to);
    case BENCH_SECTION_FINISHES:
        return copy_bytes(&records.envelope[index], (uint32_t)sizeof(bench_pair_t), to);
    case BENCH_SECTION_SUMMARY:
    default:
        return 0U;
    }
}
