/* pi_controller.c - the PI controller of examples/controllers.py as one writes it by hand, with the same promises:
 * arguments that are not finite or out of range are replaced and told, the integral rests while the command is at its
 * limit, a reset starts it again, and a limit that is taken is told. */
#include "pi_controller.h"

#include <math.h>

#define ARG_REJECTED (UINT32_C(1) << 22)
#define LIMITED (UINT32_C(1) << 25)

static real checked(const real value, const real limit, uint32_t *const status)
{
    if (fabs_of(value) <= limit) {
        return value;
    }
    *status |= ARG_REJECTED;
    return R(0.0);
}

uint32_t hand_dostep(hand_state_t *const state,
                     const hand_par_t *const par,
                     const hand_in_t *const in,
                     hand_out_t *const out)
{
    uint32_t status = 0U;
    const real wanted = checked(in->wanted, R(100.0), &status);
    const real measured = checked(in->measured, R(100.0), &status);
    real restart = in->restart;
    if (!((restart >= R(0.0)) && (restart <= R(1.0)))) {
        restart = R(0.0);
        status |= ARG_REJECTED;
    }
    real integral = checked(state->integral, R(12.0), &status);

    const real error = wanted - measured;
    const real raw = (par->kp * error) + integral;
    real command = raw;
    if (command > R(12.0)) {
        command = R(12.0);
    }
    if (command < R(-12.0)) {
        command = R(-12.0);
    }
    if (fabs_of(raw) <= R(12.0)) {
        integral += (par->ki_period * error);
    }
    if (restart > R(0.5)) {
        integral = R(0.0);
    }
    if (integral > R(12.0)) {
        integral = R(12.0);
        status |= LIMITED;
    }
    if (integral < R(-12.0)) {
        integral = R(-12.0);
        status |= LIMITED;
    }
    state->integral = integral;
    out->command = command;
    return status;
}
