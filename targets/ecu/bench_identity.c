/* bench_identity.c - which model, which build, and what this device can measure. */
#include "bench_identity.h"

#include "bench_run.h"
#include "bench_tally.h"
#include "bench_vectors.h"
#include "model.h"
#include "timer.h"

#include <stdbool.h>

static uint8_t bits_of(const uint32_t mask)
{
    uint8_t bits = 0U;
    while ((bits < 32U) && ((mask >> bits) != 0U)) {
        bits++;
    }
    return bits;
}

/* Whether the core has instructions for reals of the export's type (ACLE: bits 2 and 3 of __ARM_FP). */
static uint8_t has_hardware_reals(void)
{
#ifdef __ARM_FP
    const uint32_t bit = (sizeof(kfx_real_t) == sizeof(double)) ? 8U : 4U;
    return (((uint32_t)__ARM_FP & bit) != 0U) ? 1U : 0U;
#else
    return 0U;
#endif
}

void bench_identity_hello(const uint16_t next_sequence, bench_answer_t *const answer)
{
    const ecu_counter_t *const counter = bench_run_counter();
    const bool moves = (counter->kind != ECU_COUNTER_NONE);
    bench_hello_t identity = {
        .export_id = kfx_identity.export_id,
        .build_id = kfx_identity.build_id,
        .max_payload = (uint16_t)BENCH_PAYLOAD_BYTES,
        .real_bytes = (uint8_t)kfx_identity.real_bytes,
        .counter = (uint8_t)counter->kind,
        .counter_bits = bits_of(counter->mask),
        .counter_moves = moves ? 1U : 0U,
        .row_inputs = (uint16_t)kfx_identity.inputs,
        .row_outputs = (uint16_t)kfx_identity.outputs,
        .state_values = (uint16_t)kfx_identity.states,
        .vector_slots = (uint16_t)BENCH_VECTOR_SLOTS,
        .parameters = (uint16_t)KFX_PARAMETERS,
        .counter_hz = counter->rate_hz,
        .timer_hz = ECU_TIMER_RATE_HZ,
        .overhead_ticks = kfx_model_overhead(counter),
        .operations = kfx_identity.operations,
        .digest_ticks = bench_tally_digest_ticks(counter),
        .next_sequence = next_sequence,
        .protocol = BENCH_VERSION,
        .hardware_reals = has_hardware_reals(),
    };
    bench_bytes_copy(kfx_identity.model_hash, identity.model_hash, sizeof identity.model_hash);
    bench_bytes_copy(&identity, answer->payload, sizeof identity);
    answer->size = sizeof identity;
}

static bool is_same_model(const uint8_t hash[BENCH_HASH_BYTES])
{
    uint32_t difference = 0U;
    for (uint32_t i = 0U; i < (uint32_t)BENCH_HASH_BYTES; i++) {
        difference |= (uint32_t)hash[i] ^ (uint32_t)kfx_identity.model_hash[i];
    }
    return difference == 0U;
}

bool bench_identity_is(const bench_open_t *const wanted)
{
    const bool is_same_build = (wanted->build_id == 0U) || (wanted->build_id == kfx_identity.build_id);
    return is_same_build && (wanted->export_id == kfx_identity.export_id) && is_same_model(wanted->model_hash);
}
