/* W1, the slider-crank's positions, rates and acceleration, as an expert writes them by hand; numbers folded in.
 *
 * in: theta, theta', F; out: sin(beta), cos(beta), s, beta', s', theta''.
 * x = l1 cos(theta), y = l1 sin(theta), h = l2 sin(beta); the pin is common to crank and rod:
 *     l2 cos(beta) = y, h = sqrt(l2^2 - y^2), s = x + h
 * Kb = beta'/theta' = -x/h, Ks = s'/theta' = y (Kb - 1); along theta they change by
 *     Lb = y (1 - Kb^2)/h, Ls = x (Kb - 1) + y Lb
 * Kinetic energy is I theta'^2/2 with the masses that move by theta (0.03 kg m^2), beta (0.08) and s (3.5 kg):
 *     I = 0.03 + 0.08 Kb^2 - 1.5 y Kb Ks + 3.5 Ks^2, potential energy 9.81 (m1 + m2)/2 y
 *     I theta'' = F Ks - 12.2625 x - (dI/dtheta)/2 theta'^2 */
#include <math.h>

void expert(const double *in, double *out)
{
    const double x = 0.3 * cos(in[0]), y = 0.3 * sin(in[0]), h = sqrt(0.16 - y * y), i = 1.0 / h;
    const double kb = -x * i, kb1 = kb - 1.0, ks = y * kb1;
    const double lb = y * i * (1.0 - kb * kb), yl = y * lb, ls = x * kb1 + yl;
    const double ykb = 0.75 * y * kb, pb = 0.08 * kb - 0.75 * y * ks, ps = 3.5 * ks - ykb;
    const double inertia = 0.03 + kb * pb + ks * ps;
    const double half_change = lb * pb + ls * ps - 0.75 * x * kb * ks;
    out[0] = 2.5 * h;
    out[1] = 2.5 * y;
    out[2] = x + h;
    out[3] = kb * in[1];
    out[4] = ks * in[1];
    out[5] = (in[2] * ks - 12.2625 * x - half_change * in[1] * in[1]) / inertia;
}
