/* uart.h - two serial ports: received bytes wait in a ring that an interrupt fills, sending is polled. */
#ifndef ECU_UART_H
#define ECU_UART_H

#include <stddef.h>
#include <stdint.h>

typedef enum ecu_port_t {
    ECU_PORT_0 = 0, /* the bench link */
    ECU_PORT_1 = 1, /* CAN, by slcan */
    ECU_PORTS = 2
} ecu_port_t;

/* Received bytes that can wait: a power of two. */
#define ECU_UART_RING_BYTES UINT32_C(4096)

void ecu_uart_open(ecu_port_t port, uint32_t baud);

/* Received bytes that wait to be taken. */
size_t ecu_uart_waiting(ecu_port_t port);

/* Take at most `limit` received bytes; returns how many. Never waits. */
size_t ecu_uart_read(ecu_port_t port, uint8_t *bytes, size_t limit);

/* Send all of them; waits for the line. */
void ecu_uart_write(ecu_port_t port, const uint8_t *bytes, size_t size);

/* Bytes lost so far because the ring or the receiver was full. */
uint32_t ecu_uart_lost(ecu_port_t port);

#endif /* ECU_UART_H */
