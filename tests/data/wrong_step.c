/* wrong_step.c - a step that is wrong only when the timer's interrupt calls it, in another way in each free run.
 *
 * A build defines <symbol of the function>=kfx_wrong_step, KFX_RIGHT_STEP (the symbol as a string) and KFX_RUN, the
 * activations of one free run. The function has state, inputs and outputs of float.
 */
#include <stdint.h>

typedef uint32_t step_t(float *state, float *inputs, float *outputs);
step_t right_step __asm__(KFX_RIGHT_STEP);
step_t kfx_wrong_step;

static uint32_t calls; /* by the interrupt, since reset */
static float before;

static uint32_t spoil(const uint32_t variant, const uint32_t at, float *const state, float *const outputs)
{
    const float now = outputs[0];
    uint32_t flags = 0U;
    switch (variant) {
    case 1U: /* a sign in all */
        outputs[0] = -outputs[0];
        break;
    case 2U: /* a sign in two */
        outputs[0] = ((at == 500U) || (at == 501U)) ? -outputs[0] : outputs[0];
        break;
    case 3U: /* a sign in the last one */
        outputs[0] = (at == (KFX_RUN - 1U)) ? -outputs[0] : outputs[0];
        break;
    case 4U: /* a status bit in all */
        flags = 1U;
        break;
    case 5U: /* a status bit in one */
        flags = (at == 7U) ? 0x80000000U : 0U;
        break;
    case 6U: /* the output of the activation before, once */
        outputs[0] = (at == 400U) ? before : outputs[0];
        break;
    case 7U: /* the last place of the state in one */
        ((volatile uint32_t *)state)[0] ^= (at == 300U) ? 1U : 0U;
        break;
    case 8U: /* right, and longer by an instruction or two every other time */
        if ((at & 1U) != 0U) {
            __asm volatile("nop");
        }
        break;
    default: /* right */
        break;
    }
    before = now;
    return flags;
}

uint32_t kfx_wrong_step(float *state, float *inputs, float *outputs)
{
    uint32_t interrupt;
    const uint32_t status = right_step(state, inputs, outputs);
    __asm volatile("mrs %0, ipsr" : "=r"(interrupt));
    if (interrupt == 0U) {
        return status;
    }
    const uint32_t flags = spoil(calls / KFX_RUN, calls % KFX_RUN, state, outputs);
    calls++;
    return status ^ flags;
}
