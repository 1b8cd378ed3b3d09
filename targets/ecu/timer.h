/* timer.h - a periodic interrupt (CMSDK timer 0). Its handler is TIMER0_Handler, which the program defines.
 *
 * Time is never read from this timer: durations come from counter.h, because a pending interrupt is only one deep.
 */
#ifndef ECU_TIMER_H
#define ECU_TIMER_H

#include <stdint.h>

/* Ticks per second of the period. */
#define ECU_TIMER_RATE_HZ UINT32_C(25000000)

/* Interrupt every period_ticks (at least 2) from now on, above every other interrupt. */
void ecu_timer_start(uint32_t period_ticks);

/* No further interrupt; one that is pending is withdrawn. */
void ecu_timer_stop(void);

/* To be called first in TIMER0_Handler. */
void ecu_timer_acknowledge(void);

#endif /* ECU_TIMER_H */
