/* model.h - the one model that a firmware carries, as rows of reals: what benches and batch runs call.
 *
 * A row is what the manifest says: in = state (if read) then inputs, out = state (if written) then outputs. The glue
 * behind these functions (model_glue.c, model_shape.h) is generated from the manifest, for one exported function.
 */
#ifndef KFX_MODEL_H
#define KFX_MODEL_H

#include "counter.h"
#include "model_shape.h" /* kfx_real_t, KFX_INPUTS, KFX_OUTPUTS, KFX_STATES, KFX_PARAMETERS */

#include <stdint.h>

#define KFX_HASH_BYTES 32

typedef struct kfx_identity_t {
    uint32_t export_id;
    uint32_t build_id;   /* of the sources, flags and compiler of this firmware */
    uint32_t real_bytes; /* 4 or 8 */
    uint32_t inputs;     /* reals in a row going in */
    uint32_t outputs;    /* reals in a row coming out */
    uint32_t states;     /* leading reals of both rows that are the state, 0 without one */
    uint32_t operations; /* of one call, all classes */
    uint8_t model_hash[KFX_HASH_BYTES];
} kfx_identity_t;

extern const kfx_identity_t kfx_identity;

/* Derived constants from the nominal parameters. Call once before the first step. Returns the status of recalibrate. */
uint32_t kfx_model_start(void);

/* Derived constants from these KFX_PARAMETERS tunable parameters, in the order of the parameter struct. Returns the
 * status of recalibrate, which takes the nominal value for one that is out of range. */
uint32_t kfx_model_set_parameters(const kfx_real_t *values);

/* The KFX_PARAMETERS reals that recalibrate was given last. */
void kfx_model_get_parameters(kfx_real_t *values);

/* The export's self-test on this core: 0, or the number of the first check that failed. */
int32_t kfx_model_selftest(void);

/* One call of the exported function. `ticks` receives what passed between two time stamps around that call alone.
 * Not reentrant: the row is unpacked into static structs. Returns the status word. */
uint32_t kfx_model_step(const ecu_counter_t *counter, const kfx_real_t *row_in, kfx_real_t *row_out, uint32_t *ticks);

/* The same two time stamps around a function of the same type that is a single return instruction: ticks, the
 * least of several calls. */
uint32_t kfx_model_overhead(const ecu_counter_t *counter);

#endif /* KFX_MODEL_H */
