/* memory.c - firmware of a run without any device: rows and records lie in memory where the emulator put them.
 *
 * The emulator fills ecu_mailbox and starts at Reset_Handler; the run is over when ecu_memory_done is reached.
 */
#include "counter.h"
#include "model.h"
#include "rows.h"
#include "startup.h"

#include <stddef.h>
#include <stdint.h>

typedef struct ecu_mailbox_t {
    const kfx_real_t *rows;
    ecu_record_t *records;
    uint32_t count;
    uint32_t start_status;        /* answer */
    const kfx_real_t *parameters; /* KFX_PARAMETERS reals; a null pointer: nominal */
} ecu_mailbox_t;

extern ecu_mailbox_t ecu_mailbox;
ECU_NO_INIT ecu_mailbox_t ecu_mailbox;

void ecu_memory_done(void);

__attribute__((noinline)) void ecu_memory_done(void)
{
    ecu_default_handler();
}

int main(void)
{
    static const uint32_t still = 0U; /* no time passes here */
    const ecu_counter_t counter = {ECU_COUNTER_NONE, 0U, UINT32_MAX, 1U, &still};
    ecu_mailbox.start_status = (ecu_mailbox.parameters == NULL) ? kfx_model_start()
                                                                : kfx_model_set_parameters(ecu_mailbox.parameters);
    ecu_rows_run(&counter, ecu_mailbox.rows, ecu_mailbox.records, ecu_mailbox.count);
    ecu_memory_done();
    return 0;
}
