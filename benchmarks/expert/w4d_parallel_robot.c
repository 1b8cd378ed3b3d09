/* W4d, the accelerations of the planar parallel robot, as an expert writes them by hand; numbers folded in.
 *
 * in: x, y, theta of the end effector, their rates, three motor torques; out: three accelerations.
 * Links a and b of a leg as in W4k, n = (-y, x) of a vector (x, y). Its tip moves by v = w1 n(a) + w2 n(b), hence
 *     S = a x b = q/2, w1 = b.v/S, w2 = -a.v/S
 * The leg's energy is (A w1^2 + 2 M w1 w2 + B w2^2)/2: A = 0.8, B = 0.48 and M = 2 a.b = D - 0.52. Lagrange, with the
 * force f on the end effector:  (A w1' + M w2', M w1' + B w2') = (tau + q w2^2, -q w1^2) - (n(a).f, n(b).f)
 * Seen from its tip a leg is a mass K = (b (A b - M a)' + a (B a - M b)')/S^2 and a force f0:
 *     f = f0 - K v',  f0 = (g1 b - g2 a)/S - K (w1^2 a + w2^2 b),  g = (tau + q w2^2, -q w1^2)
 * The tip stands at r from the centroid: v = p' + omega n(r), v' = p'' + omega' n(r) - omega^2 r. Newton's and Euler's
 * equations of the end effector give a symmetric system of three unknowns, eliminated without pivots.
 * ONE_DIVISION: for cores that divide slowly, 1/D and 1/S of a leg come from one. */
#include <math.h>

typedef struct {
    double xx, xy, yy, x, y; /* K, and f0 with omega^2 K r */
} tip_t;

static inline __attribute__((always_inline)) tip_t leg(
    double x, double y, double rx, double ry, const double *rate, double tau)
{
    const double d = x * x + y * y, e = d - 0.2, q = sqrt(0.64 * d - e * e);
#ifdef ONE_DIVISION
    const double j = 1.0 / (d * q), i = 0.5 * q * j, s = 2.0 * d * j; /* s = 1/S */
#else
    const double i = 0.5 / d, s = 2.0 / q;
#endif
    const double u = e * i, v = q * i;
    const double ax = u * x + v * y, ay = u * y - v * x, bx = x - ax, by = y - ay;
    const double px = bx * s, py = by * s, nx = -ax * s, ny = -ay * s; /* w1 = p.v, w2 = n.v */
    const double vx = rate[0] - rate[2] * ry, vy = rate[1] + rate[2] * rx, m = d - 0.52;
    const double w1 = px * vx + py * vy, w2 = nx * vx + ny * vy, w11 = w1 * w1, w22 = w2 * w2;
    const double p1x = 0.8 * px + m * nx, p1y = 0.8 * py + m * ny, p2x = m * px + 0.48 * nx, p2y = m * py + 0.48 * ny;
    const double xx = px * p1x + nx * p2x, xy = px * p1y + nx * p2y, yy = py * p1y + ny * p2y;
    const double w00 = rate[2] * rate[2], hx = w11 * ax + w22 * bx - w00 * rx, hy = w11 * ay + w22 * by - w00 * ry;
    const double g1 = tau + q * w22, g2 = q * w11;
    const tip_t tip = {xx, xy, yy, g1 * px - g2 * nx - xx * hx - xy * hy, g1 * py - g2 * ny - xy * hx - yy * hy};
    return tip;
}

void expert(const double *in, double *out)
{
    const double c = cos(in[2]), s = sin(in[2]), hx = 0.2 * c, hy = 0.2 * s;
    const double kx = 0.11547005383792515 * s, ky = -0.11547005383792515 * c;
    const double x1 = kx - hx, y1 = ky - hy, x2 = kx + hx, y2 = ky + hy, x3 = -2.0 * kx, y3 = -2.0 * ky;
    const tip_t t1 = leg(in[0] + x1, in[1] + y1, x1, y1, in + 3, in[6]);
    const tip_t t2 = leg(in[0] + x2 - 1.0, in[1] + y2, x2, y2, in + 3, in[7]);
    const tip_t t3 = leg(in[0] + x3 - 0.5, in[1] + y3 - 0.86602540378443865, x3, y3, in + 3, in[8]);

    /* K n(r) of each leg, the sums over legs, and the end effector's 8 kg and 0.0817 kg m^2 */
    const double u1 = t1.xy * x1 - t1.xx * y1, u2 = t2.xy * x2 - t2.xx * y2, u3 = t3.xy * x3 - t3.xx * y3;
    const double v1 = t1.yy * x1 - t1.xy * y1, v2 = t2.yy * x2 - t2.xy * y2, v3 = t3.yy * x3 - t3.xy * y3;
    const double m00 = 8.0 + t1.xx + t2.xx + t3.xx, m01 = t1.xy + t2.xy + t3.xy, m11 = 8.0 + t1.yy + t2.yy + t3.yy;
    const double m02 = u1 + u2 + u3, m12 = v1 + v2 + v3;
    const double m22 = 0.0817 + x1 * v1 - y1 * u1 + x2 * v2 - y2 * u2 + x3 * v3 - y3 * u3;
    const double f0 = t1.x + t2.x + t3.x, f1 = t1.y + t2.y + t3.y;
    const double f2 = x1 * t1.y - y1 * t1.x + x2 * t2.y - y2 * t2.x + x3 * t3.y - y3 * t3.x;

    const double i0 = 1.0 / m00, l1 = m01 * i0, l2 = m02 * i0;
    const double i1 = 1.0 / (m11 - l1 * m01), r1 = m12 - l1 * m02, l3 = r1 * i1, g1 = f1 - l1 * f0;
    out[2] = (f2 - l2 * f0 - l3 * g1) / (m22 - l2 * m02 - l3 * r1);
    out[1] = g1 * i1 - l3 * out[2];
    out[0] = f0 * i0 - l1 * out[1] - l2 * out[2];
}
