/* W4k, the links' directions of the planar parallel robot, as an expert writes them by hand; numbers folded in.
 *
 * in: x, y, theta of the end effector; out: (cos, sin) of upper and lower link of legs 1 to 3.
 * A leg spans d from its base to its joint at the end effector. The upper link a (l1 = 0.4) and the lower b (l2 = 0.6)
 * close the triangle a + b = d with the knee on the right of d:
 *     D = d.d, e = D + l1^2 - l2^2, q = sqrt(4 l1^2 D - e^2), a = (e d + q (dy, -dx))/(2 D), b = d - a */
#include <math.h>

static inline __attribute__((always_inline)) void leg(double x, double y, double *out)
{
    const double d = x * x + y * y, e = d - 0.2, i = 0.5 / d, u = e * i, v = sqrt(0.64 * d - e * e) * i;
    const double ax = u * x + v * y, ay = u * y - v * x;
    out[0] = 2.5 * ax;
    out[1] = 2.5 * ay;
    out[2] = (x - ax) * (1.0 / 0.6);
    out[3] = (y - ay) * (1.0 / 0.6);
}

void expert(const double *in, double *out)
{
    const double c = cos(in[2]), s = sin(in[2]);
    const double hx = 0.2 * c, hy = 0.2 * s; /* half a side of the end effector, along its base */
    const double kx = 0.11547005383792515 * s, ky = -0.11547005383792515 * c; /* from its centroid to its base */
    const double mx = in[0] + kx, my = in[1] + ky;
    leg(mx - hx, my - hy, out);
    leg(mx + hx - 1.0, my + hy, out + 4);
    leg(in[0] - 2.0 * kx - 0.5, in[1] - 2.0 * ky - 0.86602540378443865, out + 8);
}
