/* uart.c - CMSDK UART driver. One producer (the interrupt) and one consumer (the main loop) share each ring. */
#include "uart.h"

#include "registers.h"
#include "startup.h"

#define RING_MASK   (ECU_UART_RING_BYTES - 1U)
#define LOW_PRIORITY UINT8_C(0x40) /* below the timer */

_Static_assert((ECU_UART_RING_BYTES & RING_MASK) == 0U, "the ring's size is a power of two");

typedef struct ring_t {
    uint8_t bytes[ECU_UART_RING_BYTES];
    volatile uint32_t written; /* by the interrupt only */
    volatile uint32_t taken;   /* by the main loop only */
    volatile uint32_t lost;
} ring_t;

static ring_t rings[ECU_PORTS];

static ecu_uart_registers_t *registers_of(const ecu_port_t port)
{
    return (port == ECU_PORT_0) ? ECU_UART0 : ECU_UART1;
}

static uint32_t interrupt_of(const ecu_port_t port)
{
    return (port == ECU_PORT_0) ? (uint32_t)ECU_IRQ_UART0_RX : (uint32_t)ECU_IRQ_UART1_RX;
}

void ecu_uart_open(const ecu_port_t port, const uint32_t baud)
{
    ecu_uart_registers_t *const uart = registers_of(port);
    const uint32_t number = interrupt_of(port);
    uart->divider = ECU_CLOCK_HZ / baud;
    uart->ctrl = ECU_UART_ENABLE;
    ECU_NVIC_PRIORITY(number) = LOW_PRIORITY;
    ECU_NVIC_ENABLE = UINT32_C(1) << number;
}

static void put(ring_t *const ring, const uint8_t byte)
{
    const uint32_t written = ring->written;
    if ((written - ring->taken) < ECU_UART_RING_BYTES) {
        ring->bytes[written & RING_MASK] = byte;
        ring->written = written + 1U;
    } else {
        ring->lost++;
    }
}

static void receive(const ecu_port_t port)
{
    ecu_uart_registers_t *const uart = registers_of(port);
    ring_t *const ring = &rings[port];
    uart->interrupt = ECU_UART_RX_INTERRUPT;
    if ((uart->state & ECU_UART_RX_OVERRUN) != 0U) {
        uart->state = ECU_UART_RX_OVERRUN;
        ring->lost++;
    }
    while ((uart->state & ECU_UART_RX_FULL) != 0U) {
        put(ring, (uint8_t)uart->data);
    }
}

void UART0_RX_Handler(void)
{
    receive(ECU_PORT_0);
}

void UART1_RX_Handler(void)
{
    receive(ECU_PORT_1);
}

size_t ecu_uart_waiting(const ecu_port_t port)
{
    return (size_t)(rings[port].written - rings[port].taken);
}

size_t ecu_uart_read(const ecu_port_t port, uint8_t *const bytes, const size_t limit)
{
    ring_t *const ring = &rings[port];
    size_t count = 0U;
    while ((count < limit) && (ring->taken != ring->written)) {
        bytes[count] = ring->bytes[ring->taken & RING_MASK];
        ring->taken++;
        count++;
    }
    return count;
}

void ecu_uart_write(const ecu_port_t port, const uint8_t *const bytes, const size_t size)
{
    ecu_uart_registers_t *const uart = registers_of(port);
    for (size_t i = 0U; i < size; i++) {
        while ((uart->state & ECU_UART_TX_FULL) != 0U) {
        }
        uart->data = bytes[i];
    }
}

uint32_t ecu_uart_lost(const ecu_port_t port)
{
    return rings[port].lost;
}
