/* W2, the positions of the spatial four-bar, as an expert writes them by hand; numbers folded in.
 *
 * in: beta1; out: (cos, sin) of beta2, beta3, beta4. Lc = 1.5, Lr = 4, Lf = 2, Lg = 5; z = Lc cos(beta1).
 * Across the follower's plane Lr sin(beta4) = Lc sin(beta1). In that plane follower and rod reach the crank's tip at
 * (Lg, z): along the follower by A = Lf + Lr c4 s3, across it by B = Lr c4 c3, both turned by beta2:
 *     A c2 - B s2 = z, A s2 + B c2 = Lg, hence A^2 + B^2 = z^2 + Lg^2
 * The unknowns' squares cancel: Lr c4 s3 = (Lg^2 - Lf^2 - Lr^2 + Lc^2)/(2 Lf) = 1.8125, so A = 3.8125 at all times.
 *     s3 = 0.453125/c4, c2 = (A z + Lg B)/(z^2 + Lg^2), s2 = (A - z c2)/Lg
 * ONE_DIVISION: for cores that divide slowly, both quotients come from one. */
#include <math.h>

void expert(const double *in, double *out)
{
    const double z = 1.5 * cos(in[0]), s4 = 0.375 * sin(in[0]), c4 = sqrt(1.0 - s4 * s4);
    const double reach = z * z + 25.0;
#ifdef ONE_DIVISION
    const double i = 1.0 / (reach * c4), s3 = 0.453125 * reach * i, c3 = sqrt(1.0 - s3 * s3);
    const double c2 = (3.8125 * z + 20.0 * c3 * c4) * c4 * i;
#else
    const double s3 = 0.453125 / c4, c3 = sqrt(1.0 - s3 * s3), c2 = (3.8125 * z + 20.0 * c3 * c4) / reach;
#endif
    out[0] = c2;
    out[1] = 0.7625 - 0.2 * z * c2;
    out[2] = c3;
    out[3] = s3;
    out[4] = c4;
    out[5] = s4;
}
