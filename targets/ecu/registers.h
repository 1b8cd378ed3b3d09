/* registers.h - the few registers that the firmware touches: Cortex-M core, and the CMSDK parts of the MPS2 boards.
 *
 * Sources: ARMv7-M Architecture Reference Manual (DDI 0403), B3; Cortex-M System Design Kit (DDI 0479), 4.1 and 4.5.
 */
#ifndef ECU_REGISTERS_H
#define ECU_REGISTERS_H

#include <stdint.h>

typedef volatile uint32_t ecu_register_t;

/* A register at a fixed address. Deviation, MISRA C:2012 rule 11.4: hardware has addresses, not objects. */
#define ECU_REGISTER(address) (*(ecu_register_t *)(address))

/* Core: debug, floating point, interrupts. */
#define ECU_DEMCR        ECU_REGISTER(0xE000EDFCU)
#define ECU_DEMCR_TRCENA UINT32_C(0x01000000)
#define ECU_DWT_CTRL     ECU_REGISTER(0xE0001000U)
#define ECU_DWT_CYCCNT   ECU_REGISTER(0xE0001004U)
#define ECU_DWT_RUN      UINT32_C(0x00000001)
#define ECU_DWT_ABSENT   UINT32_C(0x02000000) /* NOCYCCNT */
#define ECU_CPACR        ECU_REGISTER(0xE000ED88U)
#define ECU_CPACR_FPU    UINT32_C(0x00F00000)
#define ECU_AIRCR        ECU_REGISTER(0xE000ED0CU)
#define ECU_AIRCR_RESET  UINT32_C(0x05FA0004)
#define ECU_NVIC_ENABLE  ECU_REGISTER(0xE000E100U)
#define ECU_NVIC_DISABLE ECU_REGISTER(0xE000E180U)
#define ECU_NVIC_CLEAR   ECU_REGISTER(0xE000E280U)
#define ECU_NVIC_PRIORITY(number) (((volatile uint8_t *)0xE000E400U)[number])

/* Core: the 24-bit system timer, which counts down. */
#define ECU_SYSTICK_CTRL   ECU_REGISTER(0xE000E010U)
#define ECU_SYSTICK_RELOAD ECU_REGISTER(0xE000E014U)
#define ECU_SYSTICK_VALUE  ECU_REGISTER(0xE000E018U)
#define ECU_SYSTICK_RUN    UINT32_C(0x00000005) /* core clock, no interrupt */
#define ECU_SYSTICK_MASK   UINT32_C(0x00FFFFFF)

/* CMSDK APB timer: 32 bits, counts down, interrupts at zero. */
typedef struct ecu_timer_registers_t {
    ecu_register_t ctrl;   /* bit 0 run, bit 3 interrupt */
    ecu_register_t value;  /* counts down */
    ecu_register_t reload; /* period in ticks, less one */
    ecu_register_t interrupt;
} ecu_timer_registers_t;

#define ECU_TIMER0             ((ecu_timer_registers_t *)0x40000000U)
#define ECU_TIMER1             ((ecu_timer_registers_t *)0x40001000U)
#define ECU_TIMER_RUN          UINT32_C(0x00000001)
#define ECU_TIMER_INTERRUPT_ON UINT32_C(0x00000008)

/* CMSDK APB UART. */
typedef struct ecu_uart_registers_t {
    ecu_register_t data;
    ecu_register_t state;     /* bit 0 transmitter full, 1 receiver full, 3 receiver overrun */
    ecu_register_t ctrl;      /* bit 0 transmit, 1 receive, 3 receive interrupt */
    ecu_register_t interrupt; /* bit 1 receive, write 1 to clear */
    ecu_register_t divider;   /* clock over baud rate, at least 16 */
} ecu_uart_registers_t;

#define ECU_UART0              ((ecu_uart_registers_t *)0x40004000U)
#define ECU_UART1              ((ecu_uart_registers_t *)0x40005000U)
#define ECU_UART_TX_FULL       UINT32_C(0x01)
#define ECU_UART_RX_FULL       UINT32_C(0x02)
#define ECU_UART_RX_OVERRUN    UINT32_C(0x08)
#define ECU_UART_ENABLE        UINT32_C(0x0B)
#define ECU_UART_RX_INTERRUPT  UINT32_C(0x02)

/* Interrupt numbers of the MPS2 boards. */
enum {
    ECU_IRQ_UART0_RX = 0,
    ECU_IRQ_UART1_RX = 2,
    ECU_IRQ_TIMER0 = 8,
    ECU_IRQ_TIMER1 = 9,
    ECU_IRQ_COUNT = 10 /* those that the vector table serves */
};

/* The one clock of the MPS2 boards: core and peripherals. */
#define ECU_CLOCK_HZ UINT32_C(25000000)

#endif /* ECU_REGISTERS_H */
