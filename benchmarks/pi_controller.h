/* pi_controller.h - types of the controller by hand; -DREAL_BITS=32 or 64. */
#ifndef PI_CONTROLLER_H
#define PI_CONTROLLER_H

#include <stdint.h>

#if REAL_BITS == 32
typedef float real;
#define R(x) (x##F)
#define fabs_of fabsf
#else
typedef double real;
#define R(x) (x)
#define fabs_of fabs
#endif

typedef struct { real integral; } hand_state_t;
typedef struct { real kp, ki_period; } hand_par_t;
typedef struct { real wanted, measured, restart; } hand_in_t;
typedef struct { real command; } hand_out_t;

uint32_t hand_dostep(hand_state_t *state, const hand_par_t *par, const hand_in_t *in, hand_out_t *out);

#endif /* PI_CONTROLLER_H */
