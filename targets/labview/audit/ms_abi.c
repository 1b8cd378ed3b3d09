/* ms_abi.c - calls functions of a 64-bit DLL from Linux: twelve integers or pointers by the Microsoft convention. */
#define _POSIX_C_SOURCE 199309L
#include <stdint.h>
#include <time.h>

typedef int (__attribute__((ms_abi)) * kfx_ms_t)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
    uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

enum { ATTEMPTS = 7 };

int kfx_call_ms(void *function, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g,
    uint64_t h, uint64_t i, uint64_t j, uint64_t k, uint64_t l)
{
    return ((kfx_ms_t)function)(a, b, c, d, e, f, g, h, i, j, k, l);
}

static int __attribute__((ms_abi)) empty(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f,
    uint64_t g, uint64_t h, uint64_t i, uint64_t j, uint64_t k, uint64_t l)
{
    return (int)(a + b + c + d + e + f + g + h + i + j + k + l);
}

static double now_ns(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return ((double)time.tv_sec * 1e9) + (double)time.tv_nsec;
}

/* ns per call, the least of several attempts; without a function, of one that does nothing. */
double kfx_time_ms(void *function, int calls, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f,
    uint64_t g, uint64_t h, uint64_t i, uint64_t j, uint64_t k, uint64_t l)
{
    volatile kfx_ms_t called = (function != 0) ? (kfx_ms_t)function : empty;
    double least = 1e300;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        const double before = now_ns();
        for (int call = 0; call < calls; call++) {
            (void)called(a, b, c, d, e, f, g, h, i, j, k, l);
        }
        const double taken = (now_ns() - before) / calls;
        least = (taken < least) ? taken : least;
    }
    return least;
}
