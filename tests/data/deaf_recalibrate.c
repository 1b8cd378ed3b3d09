/* deaf_recalibrate.c - a recalibrate that takes whatever it is given, says that all is well, and uses the nominal value.
 *
 * A build defines <symbol of recalibrate>=kfx_deaf_recalibrate, KFX_RIGHT (the symbol as a string) and KFX_NOMINAL. The
 * export has one tunable parameter, in float.
 */
#include <stdint.h>

typedef uint32_t recalibrate_t(const float *parameters, float *derived);
recalibrate_t right_recalibrate __asm__(KFX_RIGHT);
recalibrate_t kfx_deaf_recalibrate;

uint32_t kfx_deaf_recalibrate(const float *parameters, float *derived)
{
    static const float nominal[] = {KFX_NOMINAL};
    (void)parameters;
    return right_recalibrate(nominal, derived);
}
