/* counter.c - start the counters of the core and the board, and find one that moves. */
#include "counter.h"

#include "registers.h"

#include <stdbool.h>
#include <stddef.h>

/* Long enough for the slowest counter here to move at least one tick, emulated or not. */
#define PROOF_LOOPS UINT32_C(64)

static bool moves(const volatile uint32_t *const value)
{
    const uint32_t begin = *value;
    bool moved = false;
    for (uint32_t i = 0U; i < PROOF_LOOPS; i++) {
        moved = moved || (*value != begin);
    }
    return moved;
}

static ecu_counter_t open_cycles(void)
{
    ECU_DEMCR |= ECU_DEMCR_TRCENA;
    ECU_DWT_CYCCNT = 0U;
    ECU_DWT_CTRL |= ECU_DWT_RUN;
    const ecu_counter_t counter = {ECU_COUNTER_CYCLES, ECU_CLOCK_HZ, UINT32_MAX, 1U, &ECU_DWT_CYCCNT};
    return counter;
}

static ecu_counter_t open_timer(void)
{
    ECU_TIMER1->ctrl = 0U;
    ECU_TIMER1->reload = UINT32_MAX;
    ECU_TIMER1->value = UINT32_MAX;
    ECU_TIMER1->ctrl = ECU_TIMER_RUN;
    const ecu_counter_t counter = {ECU_COUNTER_TIMER, ECU_CLOCK_HZ, UINT32_MAX, UINT32_MAX, &ECU_TIMER1->value};
    return counter;
}

static ecu_counter_t open_systick(void)
{
    ECU_SYSTICK_RELOAD = ECU_SYSTICK_MASK;
    ECU_SYSTICK_VALUE = 0U;
    ECU_SYSTICK_CTRL = ECU_SYSTICK_RUN;
    const ecu_counter_t counter = {ECU_COUNTER_SYSTICK, ECU_CLOCK_HZ, ECU_SYSTICK_MASK, UINT32_MAX, &ECU_SYSTICK_VALUE};
    return counter;
}

ecu_counter_t ecu_counter_open(void)
{
    ecu_counter_t counter = open_cycles();
    if (!moves(counter.value)) {
        counter = open_timer();
    }
    if (!moves(counter.value)) {
        counter = open_systick();
    }
    if (!moves(counter.value)) {
        counter.kind = ECU_COUNTER_NONE;
        counter.rate_hz = 0U;
    }
    return counter;
}
