/* wrong_everywhere.c - a step and a recalibrate that are wrong in every way that a suite looks for.
 *
 * An output has the wrong sign, a status bit is inverted, every other call takes longer, and parameters are not used.
 * A build defines <symbol of the function>=kfx_wrong_everywhere, KFX_RIGHT_STEP (the symbol as a string), <symbol of
 * recalibrate>=kfx_deaf_to_parameters, KFX_RIGHT_RECALIBRATE and KFX_NOMINAL. The export has one tunable parameter.
 */
#include <stdint.h>

#define STATUS_BIT (UINT32_C(1) << 22) /* ARG_REJECTED */
#define LONGER 20U                     /* instructions or more */

typedef uint32_t step_t(float *state, const float *derived, const float *inputs, float *outputs);
typedef uint32_t recalibrate_t(const float *parameters, float *derived);
step_t right_everywhere __asm__(KFX_RIGHT_STEP);
step_t kfx_wrong_everywhere;
recalibrate_t right_recalibration __asm__(KFX_RIGHT_RECALIBRATE);
recalibrate_t kfx_deaf_to_parameters;

static uint32_t calls;

uint32_t kfx_wrong_everywhere(float *state, const float *derived, const float *inputs, float *outputs)
{
    const uint32_t status = right_everywhere(state, derived, inputs, outputs);
    outputs[0] = -outputs[0];
    calls++;
    for (uint32_t more = 0U; more < ((calls & 1U) * LONGER); more++) {
        __asm volatile("nop");
    }
    return status ^ STATUS_BIT;
}

uint32_t kfx_deaf_to_parameters(const float *parameters, float *derived)
{
    static const float nominal[] = {KFX_NOMINAL};
    (void)parameters;
    return right_recalibration(nominal, derived);
}
