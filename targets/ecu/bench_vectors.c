/* bench_vectors.c - state and stored inputs. */
#include "bench_vectors.h"

#define AT_LEAST_ONE(count) (((count) > 0) ? (count) : 1)

static kfx_real_t state[AT_LEAST_ONE(KFX_STATES)];
static kfx_real_t vectors[BENCH_VECTOR_SLOTS][AT_LEAST_ONE(BENCH_PLAIN_INPUTS)];

void bench_reals_copy(const kfx_real_t *const from, kfx_real_t *const to, const uint32_t count)
{
    for (uint32_t i = 0U; i < count; i++) {
        to[i] = from[i];
    }
}

void bench_state_set(const kfx_real_t *const values)
{
    bench_reals_copy(values, state, (uint32_t)KFX_STATES);
}

const kfx_real_t *bench_state(void)
{
    return state;
}

void bench_vector_store(const uint32_t slot, const kfx_real_t *const inputs)
{
    bench_reals_copy(inputs, vectors[slot], (uint32_t)BENCH_PLAIN_INPUTS);
}

void bench_row_compose(const kfx_real_t *const inputs, kfx_real_t *const row)
{
    bench_reals_copy(state, row, (uint32_t)KFX_STATES);
    bench_reals_copy(inputs, &row[KFX_STATES], (uint32_t)BENCH_PLAIN_INPUTS);
}

void bench_row_compose_stored(const uint32_t slot, kfx_real_t *const row)
{
    bench_row_compose(vectors[slot], row);
}
