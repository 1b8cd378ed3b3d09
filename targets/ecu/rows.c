/* rows.c - a block of rows through the model. */
#include "rows.h"

void ecu_rows_run(const ecu_counter_t *const counter, const kfx_real_t *const rows, ecu_record_t *const records,
                  const uint32_t count)
{
    for (uint32_t i = 0U; i < count; i++) {
        ecu_record_t *const record = &records[i];
        record->status = kfx_model_step(counter, &rows[i * (uint32_t)KFX_INPUTS], record->outputs, &record->ticks);
    }
}
