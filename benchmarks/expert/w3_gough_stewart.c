/* W3, the inverse kinematics of the Gough-Stewart platform, as an expert writes it by hand; numbers folded in.
 *
 * in: x, y, z, phi, theta, psi; out: rho, cos(beta), sin(beta), cos(alpha), sin(alpha) of legs 1 to 6.
 * Leg k spans d = p + R B_k - A_k. R = Rz(phi) Ry(theta) Rx(psi) has the columns X, Y, Z. All B lie at z = -0.4, and
 * the legs come in pairs that mirror each other in y, so that pairs share p - 0.4 Z + Bx X, and By Y up to its sign.
 * A leg points along (sin(beta), -sin(alpha) cos(beta), cos(alpha) cos(beta)); with h^2 = dy^2 + dz^2:
 *     rho = |d|, cos(beta) = h/rho, sin(beta) = dx/rho, cos(alpha) = dz/h, sin(alpha) = -dy/h
 * ONE_DIVISION: for cores that divide slowly, both reciprocals come from one. */
#include <math.h>

static inline __attribute__((always_inline)) void leg(double x, double y, double z, double *out)
{
    const double h2 = y * y + z * z, r2 = x * x + h2, h = sqrt(h2), r = sqrt(r2);
#ifdef ONE_DIVISION
    const double i = 1.0 / (r * h), per_r = h * i, per_h = r * i;
#else
    const double per_r = 1.0 / r, per_h = 1.0 / h;
#endif
    out[0] = r;
    out[1] = h * per_r;
    out[2] = x * per_r;
    out[3] = z * per_h;
    out[4] = -(y * per_h);
}

void expert(const double *in, double *out)
{
    const double cf = cos(in[3]), sf = sin(in[3]), ct = cos(in[4]), st = sin(in[4]), cp = cos(in[5]), sp = sin(in[5]);
    const double cs = cf * st, ss = sf * st;
    const double xx = cf * ct, xy = sf * ct, xz = -st;
    const double yx = cs * sp - sf * cp, yy = ss * sp + cf * cp, yz = ct * sp;
    const double px = in[0] - 0.4 * (cs * cp + sf * sp);
    const double py = in[1] - 0.4 * (ss * cp - cf * sp);
    const double pz = in[2] - 0.4 * (ct * cp);

    const double ax = px + 0.17 * xx + 2.12, ay = py + 0.17 * xy, az = pz + 0.17 * xz;
    const double ux = 0.595 * yx, uy = 0.595 * yy - 1.374, uz = 0.595 * yz;
    leg(ax + ux, ay + uy, az + uz, out);
    leg(ax - ux, ay - uy, az - uz, out + 15);

    const double bx = px - 0.6 * xx + 2.38, by = py - 0.6 * xy, bz = pz - 0.6 * xz;
    const double vx = 0.15 * yx, vy = 0.15 * yy - 1.224, vz = 0.15 * yz;
    leg(bx + vx, by + vy, bz + vz, out + 5);
    leg(bx - vx, by - vy, bz - vz, out + 10);

    const double cx = px + 0.43 * xx, cy = py + 0.43 * xy, cz = pz + 0.43 * xz;
    const double wx = 0.445 * yx, wy = 0.445 * yy - 0.15, wz = 0.445 * yz;
    leg(cx - wx, cy - wy, cz - wz, out + 20);
    leg(cx + wx, cy + wy, cz + wz, out + 25);
}
