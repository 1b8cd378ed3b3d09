/* rows.h - a block of rows through the model. */
#ifndef ECU_ROWS_H
#define ECU_ROWS_H

#include "counter.h"
#include "model.h"

#include <stdint.h>

/* An array cannot be empty: a function without inputs still has room for one. */
#define ECU_ROW_REALS ((KFX_INPUTS > 0) ? KFX_INPUTS : 1)

#define ECU_PARAMETER_REALS ((KFX_PARAMETERS > 0) ? KFX_PARAMETERS : 1)

/* What comes back for each row. No padding: reals are 4 or 8 bytes, and two words follow them. */
typedef struct ecu_record_t {
    kfx_real_t outputs[KFX_OUTPUTS];
    uint32_t status;
    uint32_t ticks; /* of the call alone, with the overhead of kfx_model_overhead() */
} ecu_record_t;

/* Run `count` rows: rows[i * KFX_INPUTS] is the first real of row i. */
void ecu_rows_run(const ecu_counter_t *counter, const kfx_real_t *rows, ecu_record_t *records, uint32_t count);

#endif /* ECU_ROWS_H */
