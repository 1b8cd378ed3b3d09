/* timer.c - the periodic interrupt. */
#include "timer.h"

#include "registers.h"

#define TIMER0_BIT      (UINT32_C(1) << (uint32_t)ECU_IRQ_TIMER0)
#define HIGHEST_PRIORITY UINT8_C(0)

_Static_assert(ECU_TIMER_RATE_HZ == ECU_CLOCK_HZ, "the timer runs at the clock of the board");

void ecu_timer_start(const uint32_t period_ticks)
{
    ecu_timer_stop();
    ECU_TIMER0->reload = period_ticks - 1U;
    ECU_TIMER0->value = period_ticks - 1U;
    ECU_NVIC_PRIORITY(ECU_IRQ_TIMER0) = HIGHEST_PRIORITY;
    ECU_NVIC_ENABLE = TIMER0_BIT;
    ECU_TIMER0->ctrl = ECU_TIMER_RUN | ECU_TIMER_INTERRUPT_ON;
}

void ecu_timer_stop(void)
{
    ECU_TIMER0->ctrl = 0U;
    ECU_TIMER0->interrupt = 1U;
    ECU_NVIC_DISABLE = TIMER0_BIT;
    ECU_NVIC_CLEAR = TIMER0_BIT;
}

void ecu_timer_acknowledge(void)
{
    ECU_TIMER0->interrupt = 1U;
}
