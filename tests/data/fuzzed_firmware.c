/* fuzzed_firmware.c - the bench firmware as a program of this computer: bytes of the line on stdin, answers on stdout.
 *
 * Drivers are replaced, everything else is the firmware's own. Arguments: a seed for where reads are cut, how time goes
 * on, and when the timer interrupts; the port that the line belongs to, 0 (serial) or 1 (CAN).
 */
#define main firmware_main
#include "bench_main.c"
#undef main

#include "timer.h"

#include <stdio.h>
#include <stdlib.h>

/* Instructions of the core that this computer's assembler does not know. */
__asm__(".macro cpsid which\n.endm\n.macro cpsie which\n.endm\n.macro wfi\n.endm\n.macro isb\n.endm\n");

void TIMER0_Handler(void);

static uint64_t number;
static volatile uint32_t ticks;
static bool timer_is_on;
static ecu_port_t fuzzed_port;

static uint32_t below(const uint32_t limit)
{
    number ^= number << 13U;
    number ^= number >> 7U;
    number ^= number << 17U;
    return (uint32_t)(number >> 32U) % limit;
}

static void let_time_pass(void)
{
    ticks += below((below(50U) == 0U) ? 400000U : 3000U);
    if (timer_is_on && (below(2U) == 0U)) {
        TIMER0_Handler();
    }
}

ecu_counter_t ecu_counter_open(void)
{
    const ecu_counter_t counter = {ECU_COUNTER_TIMER, UINT32_C(25000000), UINT32_MAX, 1U, &ticks};
    return counter;
}

void ecu_timer_start(const uint32_t period_ticks)
{
    (void)period_ticks;
    timer_is_on = true;
}

void ecu_timer_stop(void)
{
    timer_is_on = false;
}

void ecu_timer_acknowledge(void)
{
}

void ecu_uart_open(const ecu_port_t port, const uint32_t baud)
{
    (void)port;
    (void)baud;
}

uint32_t ecu_uart_lost(const ecu_port_t port)
{
    (void)port;
    return 0U;
}

size_t ecu_uart_waiting(const ecu_port_t port)
{
    return (port == fuzzed_port) ? 1U : 0U;
}

size_t ecu_uart_read(const ecu_port_t port, uint8_t *const bytes, const size_t limit)
{
    if (port != fuzzed_port) {
        return 0U;
    }
    let_time_pass();
    const size_t count = fread(bytes, 1U, 1U + below((uint32_t)limit), stdin);
    if (count == 0U) {
        (void)fflush(stdout);
        exit(0);
    }
    return count;
}

void ecu_uart_write(const ecu_port_t port, const uint8_t *const bytes, const size_t size)
{
    if (port == fuzzed_port) {
        (void)fwrite(bytes, 1U, size, stdout);
    }
}

int main(const int count, char **const arguments)
{
    number = UINT64_C(0x9E3779B97F4A7C15) * ((count > 1) ? strtoull(arguments[1], NULL, 10) + 1U : 1U);
    fuzzed_port = ((count > 2) && (arguments[2][0] == '1')) ? ECU_PORT_1 : ECU_PORT_0;
    return firmware_main();
}
