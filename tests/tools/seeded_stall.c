/* seeded_stall.c - a fault for tests of the bench: the exported function takes longer at some calls, and nobody is told.
 *
 * Not part of any firmware by itself. A build that adds it defines
 *   <symbol of the function>=kfx_seeded_step   so that the glue calls this instead,
 *   KFX_SEEDED_STEP                            the symbol again, as a string,
 *   KFX_SEEDED_STALL_AT                        which calls since reset, from 0, in rising order, with commas,
 *   KFX_SEEDED_STALL_TICKS                     how many ticks of timer 1 longer.
 * The stall is on the far side of the bench's time stamps: the bench measures it like any other instruction.
 */
#include "registers.h"

#include <stdint.h>

void kfx_seeded_stall(void);
void kfx_seeded_step(void);

static const uint32_t stalled[] = {KFX_SEEDED_STALL_AT};
static uint32_t next;
static uint32_t calls;

void kfx_seeded_stall(void)
{
    if ((next < (sizeof stalled / sizeof stalled[0])) && (calls == stalled[next])) {
        const uint32_t begin = ECU_TIMER1->value;
        next++;
        while ((begin - ECU_TIMER1->value) < KFX_SEEDED_STALL_TICKS) {
        }
    }
    calls++;
}

/* Passes the arguments and the return address on, whatever the function's type: at most four pointers. */
__attribute__((naked)) void kfx_seeded_step(void)
{
    __asm volatile("push {r0-r4, lr}\n\t"
                   "bl kfx_seeded_stall\n\t"
                   "pop {r0-r4, lr}\n\t"
                   "b " KFX_SEEDED_STEP);
}
