/* bench_run.c - the interrupt of the free run.
 *
 * Release n is due at origin + (n + 1) * period, counted on the free-running counter. The origin is read just before
 * the timer starts, so a start is never recorded earlier than it was. A pending interrupt is only one deep, so what the
 * timer lost is found from the counter: the interrupt serves the newest release, those before it were skipped.
 */
#include "bench_run.h"

#include "bench_records.h"
#include "bench_tally.h"
#include "bench_vectors.h"
#include "startup.h"
#include "timer.h"

#define LEAST_PERIOD_TICKS  UINT32_C(2)
#define STARVED_PERIODS     UINT32_C(8) /* without an activation */

typedef struct run_t {
    volatile bench_run_state_t state;
    bench_fault_report_t fault;
    bench_run_t request;
    uint32_t release; /* when the next activation is due */
    uint32_t index;   /* of that activation */
    volatile uint32_t last_start;
} run_t;

static run_t run;
static ecu_counter_t counter;

void bench_run_open(void)
{
    counter = ecu_counter_open();
}

const ecu_counter_t *bench_run_counter(void)
{
    return &counter;
}

/* Time that goes up, whichever way the counter goes; it wraps at the counter's width. */
static uint32_t now(void)
{
    return (ecu_counter_now(&counter) * counter.direction) & counter.mask;
}

static uint32_t since(const uint32_t begin, const uint32_t end)
{
    return (end - begin) & counter.mask;
}

static bench_reason_t check(const bench_run_t *const request)
{
    const bool has_period = (request->period_ticks >= LEAST_PERIOD_TICKS) && (request->timer_ticks >= LEAST_PERIOD_TICKS);
    const bool is_unambiguous = request->period_ticks <= (counter.mask / (2U * STARVED_PERIODS));
    const bool has_counts = (request->latch_after > 0U) && (request->envelope_block > 0U) && (request->deadline_ticks > 0U);
    const bool has_vectors = (request->vectors > 0U) && (request->vectors <= BENCH_VECTOR_SLOTS);
    if (counter.kind == ECU_COUNTER_NONE) {
        return BENCH_REASON_NO_COUNTER;
    }
    if (run.fault.fault != (uint32_t)BENCH_FAULT_NONE) {
        return BENCH_REASON_FAULT_LATCHED;
    }
    return (has_period && is_unambiguous && has_counts && has_vectors) ? BENCH_REASON_NONE : BENCH_REASON_OUT_OF_RANGE;
}

bench_reason_t bench_run_start(const bench_run_t *const request)
{
    const bench_reason_t reason = check(request);
    if (reason != BENCH_REASON_NONE) {
        return reason;
    }
    bench_records_clear(request->envelope_block);
    run.request = *request;
    bench_tally_clear(request);
    run.index = 0U;
    run.state = BENCH_RUN_STATE_RUNNING;
    const uint32_t origin = now();
    run.last_start = origin;
    run.release = (origin + request->period_ticks) & counter.mask;
    ecu_timer_start(request->timer_ticks);
    return BENCH_REASON_NONE;
}

static void end(const bench_run_state_t state)
{
    ecu_timer_stop();
    run.state = state;
}

void bench_run_stop(void)
{
    if (bench_run_is_running()) {
        end(BENCH_RUN_STATE_FINISHED);
    }
}

bool bench_run_is_running(void)
{
    return run.state == BENCH_RUN_STATE_RUNNING;
}

static void latch(const bench_fault_t fault)
{
    run.fault.fault = (uint32_t)fault;
    run.fault.index = run.index;
    end(BENCH_RUN_STATE_FAULTED);
}

void bench_run_watch(void)
{
    const uint32_t last_start = run.last_start; /* read before the clock: the interrupt may move it on */
    const uint32_t silence = since(last_start, now());
    if (bench_run_is_running() && (silence > (STARVED_PERIODS * run.request.period_ticks))) {
        latch(BENCH_FAULT_STARVED);
    }
}

bench_fault_report_t bench_run_fault(void)
{
    return run.fault;
}

void bench_run_clear_fault(void)
{
    const bench_fault_report_t none = {(uint32_t)BENCH_FAULT_NONE, 0U};
    run.fault = none;
}

bench_summary_t bench_run_summary(void)
{
    bench_summary_t summary = bench_tally();
    summary.state = (uint8_t)run.state;
    summary.fault = (uint8_t)run.fault.fault;
    bench_records_count(&summary);
    return summary;
}

/* Move on to the newest release that is due at `entered`; returns how many before it were never served. */
static uint32_t skip_to_newest(const uint32_t entered)
{
    const uint32_t left = run.request.activations - run.index;
    uint32_t skipped = 0U;
    while ((skipped < left) && (since(run.release, entered) >= run.request.period_ticks)) {
        run.release = (run.release + run.request.period_ticks) & counter.mask;
        skipped++;
    }
    return skipped;
}

static void note_skipped(const uint32_t skipped)
{
    bench_records_add_skip(run.index, skipped);
    bench_tally_add_skip(skipped);
    run.index += skipped;
}

static bench_outcome_t outcome_of(const bench_record_t *const record)
{
    if (record->response_ticks <= run.request.deadline_ticks) {
        return BENCH_OUTCOME_IN_TIME;
    }
    return (record->duration_ticks > run.request.deadline_ticks) ? BENCH_OUTCOME_OVERRUN : BENCH_OUTCOME_LATE_START;
}

/* Step once for the release that is due, and write down when and how long. */
static void activate(void)
{
    bench_entry_t entry = {.head = {.index = run.index}};
    kfx_real_t outputs[KFX_OUTPUTS];
    entry.head.vector = (uint16_t)(run.index % run.request.vectors);
    bench_row_compose_stored(entry.head.vector, entry.row);

    const uint32_t start = now();
    entry.head.status = kfx_model_step(&counter, entry.row, outputs, &entry.head.duration_ticks);
    const uint32_t finish = now();

    run.last_start = start;
    entry.head.late_ticks = since(run.release, start);
    entry.head.response_ticks = since(run.release, finish);
    const bench_outcome_t outcome = outcome_of(&entry.head);
    entry.head.outcome = (uint8_t)outcome;
    bench_state_set(outputs);
    bench_tally_add(&entry.head, outputs);
    bench_records_add(&entry, outcome != BENCH_OUTCOME_IN_TIME);
}

static void serve(const uint32_t entered)
{
    const uint32_t skipped = skip_to_newest(entered);
    if (skipped > 0U) {
        note_skipped(skipped);
    }
    if (run.index >= run.request.activations) {
        end(BENCH_RUN_STATE_FINISHED);
        return;
    }
    activate();
    if (bench_tally_late_in_a_row() >= run.request.latch_after) {
        latch(BENCH_FAULT_OVERRUNS);
        return;
    }
    run.release = (run.release + run.request.period_ticks) & counter.mask;
    run.index++;
    if (run.index >= run.request.activations) {
        end(BENCH_RUN_STATE_FINISHED);
    }
}

void TIMER0_Handler(void)
{
    ecu_timer_acknowledge();
    const uint32_t entered = now();
    const bool is_due = since(run.release, entered) <= (counter.mask / 2U);
    if (!bench_run_is_running()) {
        ecu_timer_stop();
    } else if (is_due) {
        serve(entered);
    } else {
        bench_tally_add_coalesced();
    }
}
