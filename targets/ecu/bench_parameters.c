/* bench_parameters.c - a set that recalibrate flags is not taken: the one before it stays in force. */
#include "bench_parameters.h"

#include "bench_vectors.h"
#include "model.h"
#include "rows.h"

#include <stdbool.h>

#define REAL_BYTES ((size_t)sizeof(kfx_real_t))

static kfx_real_t staged[ECU_PARAMETER_REALS];
static uint32_t status; /* of recalibrate, for the set that was given last */

void bench_parameters_start(void)
{
    status = kfx_model_start();
    kfx_model_get_parameters(staged);
}

static void apply(void)
{
    kfx_real_t before[ECU_PARAMETER_REALS];
    kfx_model_get_parameters(before);
    status = kfx_model_set_parameters(staged);
    if (status != 0U) {
        (void)kfx_model_set_parameters(before);
        bench_reals_copy(before, staged, (uint32_t)KFX_PARAMETERS);
    }
}

static bench_reason_t check(const bench_request_t *const request, const bench_parameters_t *const head)
{
    const bool is_set = (request->flags & BENCH_FLAG_SET) != 0U;
    const size_t given = is_set ? (head->count * REAL_BYTES) : 0U;
    const bool has_room = (sizeof *head + (head->count * REAL_BYTES)) <= BENCH_PAYLOAD_BYTES;
    if (request->size != (sizeof *head + given)) {
        return BENCH_REASON_BAD_LENGTH;
    }
    const bool is_there = ((uint32_t)head->first + (uint32_t)head->count) <= (uint32_t)KFX_PARAMETERS;
    return (is_there && has_room) ? BENCH_REASON_NONE : BENCH_REASON_OUT_OF_RANGE;
}

static void answer_with(bench_parameters_t head, bench_answer_t *const answer)
{
    kfx_real_t in_force[ECU_PARAMETER_REALS];
    const size_t size = head.count * REAL_BYTES;
    kfx_model_get_parameters(in_force);
    head.status = status;
    bench_bytes_copy(&head, answer->payload, sizeof head);
    bench_bytes_copy(&in_force[head.first], &answer->payload[sizeof head], size);
    answer->size = sizeof head + size;
}

bench_reason_t bench_parameters_serve(const bench_request_t *const request, bench_answer_t *const answer)
{
    bench_parameters_t head = {0U, 0U, 0U};
    if (request->size < sizeof head) {
        return BENCH_REASON_BAD_LENGTH;
    }
    bench_bytes_copy(request->payload, &head, sizeof head);
    const bench_reason_t reason = check(request, &head);
    if (reason != BENCH_REASON_NONE) {
        return reason;
    }
    if ((request->flags & BENCH_FLAG_SET) != 0U) {
        bench_bytes_copy(&request->payload[sizeof head], &staged[head.first], head.count * REAL_BYTES);
    }
    if ((request->flags & BENCH_FLAG_APPLY) != 0U) {
        apply();
    }
    answer_with(head, answer);
    return BENCH_REASON_NONE;
}
