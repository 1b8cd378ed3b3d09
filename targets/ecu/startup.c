/* startup.c - vector table and start-up code for Cortex-M on the MPS2 boards. */
#include "startup.h"

#include "registers.h"

#include <stdint.h>

/* The linker script's symbols: their addresses are the information. */
extern uint32_t ecu_stack_top[];
extern uint32_t ecu_data_start[];
extern uint32_t ecu_data_end[];
extern const uint32_t ecu_data_image[];
extern uint32_t ecu_bss_start[];
extern uint32_t ecu_bss_end[];

typedef void (*ecu_handler_t)(void);

#define ECU_WEAK __attribute__((weak, alias("ecu_default_handler")))

void NMI_Handler(void) ECU_WEAK;
void HardFault_Handler(void) ECU_WEAK;
void MemManage_Handler(void) ECU_WEAK;
void BusFault_Handler(void) ECU_WEAK;
void UsageFault_Handler(void) ECU_WEAK;
void SVC_Handler(void) ECU_WEAK;
void DebugMon_Handler(void) ECU_WEAK;
void PendSV_Handler(void) ECU_WEAK;
void SysTick_Handler(void) ECU_WEAK;
void UART0_RX_Handler(void) ECU_WEAK;
void UART1_RX_Handler(void) ECU_WEAK;
void TIMER0_Handler(void) ECU_WEAK;
void TIMER1_Handler(void) ECU_WEAK;

void ecu_default_handler(void)
{
    for (;;) {
        __asm volatile("wfi");
    }
}

typedef struct ecu_vectors_t {
    const uint32_t *stack_top;
    ecu_handler_t core[15];
    ecu_handler_t interrupt[ECU_IRQ_COUNT];
} ecu_vectors_t;

extern const ecu_vectors_t ecu_vectors;

__attribute__((section(".vectors"), used)) const ecu_vectors_t ecu_vectors = {
    .stack_top = ecu_stack_top,
    .core = {Reset_Handler, NMI_Handler, HardFault_Handler, MemManage_Handler, BusFault_Handler, UsageFault_Handler,
             ecu_default_handler, ecu_default_handler, ecu_default_handler, ecu_default_handler, SVC_Handler,
             DebugMon_Handler, ecu_default_handler, PendSV_Handler, SysTick_Handler},
    .interrupt = {UART0_RX_Handler, ecu_default_handler, UART1_RX_Handler, ecu_default_handler, ecu_default_handler,
                  ecu_default_handler, ecu_default_handler, ecu_default_handler, TIMER0_Handler, TIMER1_Handler},
};

static void copy_data(void)
{
    const uint32_t *from = ecu_data_image;
    for (uint32_t *to = ecu_data_start; to < ecu_data_end; to++) {
        *to = *from;
        from++;
    }
}

static void clear_bss(void)
{
    for (uint32_t *to = ecu_bss_start; to < ecu_bss_end; to++) {
        *to = 0U;
    }
}

static void enable_fpu(void)
{
    ECU_CPACR |= ECU_CPACR_FPU;
    __asm volatile("dsb\n\tisb" ::: "memory");
}

void Reset_Handler(void)
{
    enable_fpu();
    copy_data();
    clear_bss();
    (void)main();
    ecu_default_handler();
}
