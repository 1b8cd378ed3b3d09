/* startup.h - from reset to main, and the names of the handlers that a program may define. */
#ifndef ECU_STARTUP_H
#define ECU_STARTUP_H

/* Memory that start-up leaves alone, so that it survives a reset: for a crash record. */
#define ECU_NO_INIT __attribute__((section(".noinit")))

/* The program. It does not return; if it does, the core sleeps. */
int main(void);

void Reset_Handler(void);

/* Handlers that a program defines when it wants them; the default one stops the core in ecu_default_handler. */
void NMI_Handler(void);
void HardFault_Handler(void);
void MemManage_Handler(void);
void BusFault_Handler(void);
void UsageFault_Handler(void);
void SVC_Handler(void);
void DebugMon_Handler(void);
void PendSV_Handler(void);
void SysTick_Handler(void);
void UART0_RX_Handler(void);
void UART1_RX_Handler(void);
void TIMER0_Handler(void);
void TIMER1_Handler(void);

/* A loop without an end: a debugger finds the core here. */
void ecu_default_handler(void);

#endif /* ECU_STARTUP_H */
