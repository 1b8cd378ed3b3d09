/* counter.h - one free-running counter, chosen because it was seen to move.
 *
 * A register that is there need not count: the cycle counter of the core reads 0 on emulators while its control word
 * claims that it exists. So ecu_counter_open() looks at it twice, and falls back to a timer that counts.
 */
#ifndef ECU_COUNTER_H
#define ECU_COUNTER_H

#include <stdint.h>

typedef enum ecu_counter_kind_t {
    ECU_COUNTER_NONE = 0,   /* nothing moves: no duration is to be trusted */
    ECU_COUNTER_CYCLES = 1, /* DWT CYCCNT, one tick per core cycle */
    ECU_COUNTER_TIMER = 2,  /* CMSDK timer 1 */
    ECU_COUNTER_SYSTICK = 3 /* 24 bits */
} ecu_counter_kind_t;

typedef struct ecu_counter_t {
    ecu_counter_kind_t kind;
    uint32_t rate_hz;
    uint32_t mask;                 /* the largest value; a span is shorter than this many ticks */
    uint32_t direction;            /* 1 up, UINT32_MAX (minus one) down */
    const volatile uint32_t *value; /* read this for a time stamp */
} ecu_counter_t;

/* Start what this core has and return the best counter that moves. */
ecu_counter_t ecu_counter_open(void);

/* A time stamp. */
static inline uint32_t ecu_counter_now(const ecu_counter_t *const counter)
{
    return *counter->value;
}

/* Ticks from one stamp to a later one. */
static inline uint32_t ecu_counter_ticks(const ecu_counter_t *const counter, const uint32_t begin, const uint32_t end)
{
    return ((end - begin) * counter->direction) & counter->mask;
}

#endif /* ECU_COUNTER_H */
