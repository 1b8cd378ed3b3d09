/* bench_requests.c - requests of the host: sessions, rows in lockstep, state, the free run and its records. */
#include "bench_requests.h"

#include "bench_identity.h"
#include "bench_parameters.h"
#include "bench_records.h"
#include "bench_run.h"
#include "bench_vectors.h"
#include "model.h"

#include <stdbool.h>

#define REAL_BYTES   ((size_t)sizeof(kfx_real_t))
#define STATE_BYTES  ((size_t)KFX_STATES * REAL_BYTES)
#define ANSWER_BYTES (sizeof(bench_row_head_t) + ((size_t)KFX_OUTPUTS * REAL_BYTES))

_Static_assert(sizeof(bench_batch_t) + ANSWER_BYTES <= BENCH_PAYLOAD_BYTES, "an answer to one row fits a packet");
_Static_assert(sizeof(bench_stats_t) + BENCH_ENTRY_BYTES <= BENCH_PAYLOAD_BYTES, "a logged row fits a packet");

void bench_bytes_copy(const void *const from, void *const to, const size_t size)
{
    const uint8_t *const source = (const uint8_t *)from;
    uint8_t *const target = (uint8_t *)to;
    for (size_t i = 0U; i < size; i++) {
        target[i] = source[i];
    }
}

static void put(bench_answer_t *const answer, const void *const bytes, const size_t size)
{
    bench_bytes_copy(bytes, &answer->payload[answer->size], size);
    answer->size += size;
}

static bench_reason_t open_session(const bench_request_t *const request)
{
    bench_open_t wanted;
    if (request->size != sizeof wanted) {
        return BENCH_REASON_BAD_LENGTH;
    }
    bench_bytes_copy(request->payload, &wanted, sizeof wanted);
    if (!bench_identity_is(&wanted)) {
        return BENCH_REASON_OTHER_MODEL;
    }
    bench_run_stop();
    bench_parameters_start();
    return BENCH_REASON_NONE;
}

/* The payload as reals: it is aligned for them. */
static size_t row_bytes(const uint16_t flags)
{
    const bool with_state = (flags & BENCH_FLAG_WITH_STATE) != 0U;
    return REAL_BYTES * (size_t)(with_state ? KFX_INPUTS : BENCH_PLAIN_INPUTS);
}

static void read_row(const uint8_t *const from, const uint16_t flags, kfx_real_t *const row)
{
    kfx_real_t received[ECU_ROW_REALS];
    bench_bytes_copy(from, received, row_bytes(flags));
    if ((flags & BENCH_FLAG_WITH_STATE) != 0U) {
        bench_reals_copy(received, row, (uint32_t)KFX_INPUTS);
    } else {
        bench_row_compose(received, row);
    }
}

/* One step in lockstep; its outputs become the state from which the next one goes on. */
static void step_row(const uint8_t *const from, const uint16_t flags, bench_answer_t *const answer)
{
    kfx_real_t row[ECU_ROW_REALS];
    kfx_real_t outputs[KFX_OUTPUTS];
    bench_row_head_t head;
    read_row(from, flags, row);
    head.status = kfx_model_step(bench_run_counter(), row, outputs, &head.ticks);
    bench_state_set(outputs);
    put(answer, &head, sizeof head);
    put(answer, outputs, sizeof outputs);
}

static bench_reason_t step(const bench_request_t *const request, bench_answer_t *const answer)
{
    if (request->size != row_bytes(request->flags)) {
        return BENCH_REASON_BAD_LENGTH;
    }
    step_row(request->payload, request->flags, answer);
    return BENCH_REASON_NONE;
}

static bench_reason_t store(const bench_batch_t *const head, const uint8_t *const rows)
{
    if (((uint32_t)head->slot + (uint32_t)head->rows) > BENCH_VECTOR_SLOTS) {
        return BENCH_REASON_OUT_OF_RANGE;
    }
    for (uint32_t i = 0U; i < head->rows; i++) {
        kfx_real_t inputs[ECU_ROW_REALS];
        bench_bytes_copy(&rows[i * row_bytes(0U)], inputs, row_bytes(0U));
        bench_vector_store(head->slot + i, inputs);
    }
    return BENCH_REASON_NONE;
}

static bench_reason_t step_rows(const bench_request_t *const request, const bench_batch_t *const head,
                                bench_answer_t *const answer)
{
    if ((sizeof *head + (head->rows * ANSWER_BYTES)) > BENCH_PAYLOAD_BYTES) {
        return BENCH_REASON_OUT_OF_RANGE;
    }
    put(answer, head, sizeof *head);
    for (uint32_t i = 0U; i < head->rows; i++) {
        step_row(&request->payload[sizeof *head + (i * row_bytes(request->flags))], request->flags, answer);
    }
    return BENCH_REASON_NONE;
}

static bench_reason_t batch(const bench_request_t *const request, bench_answer_t *const answer)
{
    const bool is_store = (request->flags & BENCH_FLAG_STORE) != 0U;
    bench_batch_t head = {0U, 0U, 0U};
    if (request->size < sizeof head) {
        return BENCH_REASON_BAD_LENGTH;
    }
    bench_bytes_copy(request->payload, &head, sizeof head);
    if (request->size != (sizeof head + (head.rows * row_bytes(request->flags)))) {
        return BENCH_REASON_BAD_LENGTH;
    }
    return is_store ? store(&head, &request->payload[sizeof head]) : step_rows(request, &head, answer);
}

static bench_reason_t set_state(const bench_request_t *const request)
{
    kfx_real_t state[ECU_ROW_REALS];
    if (request->size != STATE_BYTES) {
        return BENCH_REASON_BAD_LENGTH;
    }
    bench_bytes_copy(request->payload, state, STATE_BYTES);
    bench_state_set(state);
    return BENCH_REASON_NONE;
}

static bench_reason_t run(const bench_request_t *const request)
{
    bench_run_t wanted;
    if (request->size != sizeof wanted) {
        return BENCH_REASON_BAD_LENGTH;
    }
    bench_bytes_copy(request->payload, &wanted, sizeof wanted);
    if (wanted.activations == 0U) {
        bench_run_stop();
        return BENCH_REASON_NONE;
    }
    return bench_run_is_running() ? BENCH_REASON_BUSY : bench_run_start(&wanted);
}

static uint32_t entries_of(const bench_section_t section, const bench_summary_t *const summary)
{
    switch (section) {
    case BENCH_SECTION_HISTOGRAM:
        return summary->histogram_used;
    case BENCH_SECTION_LOG:
        return summary->log_used;
    case BENCH_SECTION_WORST:
        return summary->worst_used;
    case BENCH_SECTION_LATEST:
        return summary->latest_used;
    case BENCH_SECTION_FINISHES:
        return summary->envelope_used;
    case BENCH_SECTION_SUMMARY:
    default:
        return 0U;
    }
}

/* As many entries from head->offset on as the packet has room for. */
static void put_entries(bench_stats_t head, const uint32_t available, bench_answer_t *const answer)
{
    const size_t size = (head.section <= (uint8_t)BENCH_SECTION_HISTOGRAM) ||
                                (head.section == (uint8_t)BENCH_SECTION_FINISHES)
                            ? sizeof(bench_pair_t)
                            : (size_t)BENCH_ENTRY_BYTES;
    size_t filled = sizeof head;
    head.entries = 0U;
    while (((head.offset + head.entries) < available) && ((filled + size) <= BENCH_PAYLOAD_BYTES)) {
        const uint32_t index = head.offset + head.entries;
        filled += bench_records_copy((bench_section_t)head.section, index, &answer->payload[filled]);
        head.entries++;
    }
    bench_bytes_copy(&head, answer->payload, sizeof head);
    answer->size = filled;
}

static bench_reason_t stats(const bench_request_t *const request, bench_answer_t *const answer)
{
    bench_stats_t head;
    if (request->size != sizeof head) {
        return BENCH_REASON_BAD_LENGTH;
    }
    bench_bytes_copy(request->payload, &head, sizeof head);
    if (head.section > (uint8_t)BENCH_SECTION_FINISHES) {
        return BENCH_REASON_OUT_OF_RANGE;
    }
    if ((head.section != (uint8_t)BENCH_SECTION_SUMMARY) && bench_run_is_running()) {
        return BENCH_REASON_BUSY;
    }
    const bench_summary_t summary = bench_run_summary();
    if (head.section == (uint8_t)BENCH_SECTION_SUMMARY) {
        put(answer, &head, sizeof head);
        put(answer, &summary, sizeof summary);
    } else {
        put_entries(head, entries_of((bench_section_t)head.section, &summary), answer);
    }
    return BENCH_REASON_NONE;
}

static bench_reason_t fault(const bench_request_t *const request, bench_answer_t *const answer)
{
    const bench_fault_report_t report = bench_run_fault();
    if ((request->flags & BENCH_FLAG_CLEAR) != 0U) {
        bench_run_clear_fault();
    }
    put(answer, &report, sizeof report);
    return BENCH_REASON_NONE;
}

/* What would disturb the activations has to wait until they are over. */
static bool must_wait(const bench_type_t type)
{
    const bool is_disturbing = (type == BENCH_TYPE_STEP) || (type == BENCH_TYPE_BATCH) ||
                               (type == BENCH_TYPE_SETSTATE) || (type == BENCH_TYPE_GETSTATE) ||
                               (type == BENCH_TYPE_PARAMETERS);
    return is_disturbing && bench_run_is_running();
}

bench_reason_t bench_request_serve(const bench_request_t *const request, bench_answer_t *const answer)
{
    if (must_wait(request->type)) {
        return BENCH_REASON_BUSY;
    }
    switch (request->type) {
    case BENCH_TYPE_OPEN:
        return open_session(request);
    case BENCH_TYPE_STEP:
        return step(request, answer);
    case BENCH_TYPE_BATCH:
        return batch(request, answer);
    case BENCH_TYPE_SETSTATE:
        return set_state(request);
    case BENCH_TYPE_GETSTATE:
        put(answer, bench_state(), STATE_BYTES);
        return BENCH_REASON_NONE;
    case BENCH_TYPE_RUN:
        return run(request);
    case BENCH_TYPE_STATS:
        return stats(request, answer);
    case BENCH_TYPE_FAULT:
        return fault(request, answer);
    case BENCH_TYPE_PARAMETERS:
        return bench_parameters_serve(request, answer);
    case BENCH_TYPE_NONE:
    case BENCH_TYPE_HELLO: /* belongs to no session */
    case BENCH_TYPE_BOOT:
    case BENCH_TYPE_NACK:
    default:
        return BENCH_REASON_UNKNOWN_TYPE;
    }
}
