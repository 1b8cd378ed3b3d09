/* bench_vectors.h - what the step is fed with: its own state, and a ring of stored inputs for the free run. */
#ifndef BENCH_VECTORS_H
#define BENCH_VECTORS_H

#include "model.h"
#include "rows.h"

#include <stdint.h>

#define BENCH_VECTOR_SLOTS UINT32_C(512)
#define BENCH_PLAIN_INPUTS (KFX_INPUTS - KFX_STATES) /* reals of a row without its state */

/* The state from which the next step goes on; KFX_STATES reals. */
void bench_state_set(const kfx_real_t *state);
const kfx_real_t *bench_state(void);

/* Keep one row of plain inputs; slot < BENCH_VECTOR_SLOTS. */
void bench_vector_store(uint32_t slot, const kfx_real_t *inputs);

/* row = state, then the inputs. */
void bench_row_compose(const kfx_real_t *inputs, kfx_real_t *row);
void bench_row_compose_stored(uint32_t slot, kfx_real_t *row);

/* Copy reals; the ranges do not overlap. */
void bench_reals_copy(const kfx_real_t *from, kfx_real_t *to, uint32_t count);

#endif /* BENCH_VECTORS_H */
