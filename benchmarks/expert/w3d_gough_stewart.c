/* W3d, the accelerations of the Gough-Stewart platform, as an expert writes them by hand; numbers folded in.
 *
 * in: x, y, z, phi, theta, psi, their rates, six leg forces F; out: six accelerations. No weight.
 * All vectors are resolved in the platform's axes, where its joints r = (bx, by, -0.4) stand still. A leg of length
 * L = |d| along u = d/L, whose tip moves by v, has the energy (A |v|^2 + b L'^2)/2 of its two rods of 0.1 kg, L' = u.v:
 *     A = 0.1 - 0.1/L + 0.0625/L^2, b = 0.1 - A, A' = dA/dL = 0.1/L^2 - 0.125/L^3
 * Lagrange's equations of the tip give the force on the platform
 *     f = F u - (A + b u u') v' - A' L' (v - L' u) - 0.05 (|v|^2 - L'^2)/L^2 u
 * With v' = a + alpha x r + e, e = omega x (omega x r), and n = r x u, Newton's and Euler's equations of the platform
 * (1.5 kg, 0.08 kg m^2 about all axes) are a symmetric system in (a, alpha), solved by L D L'. Its matrix is the sum of
 * b (u, n) (u, n)', of masses A at the joints, and of the platform's; its right side is the sum of (f0, r x f0), where
 * f0 is f at v' = e. Two sums need no products, since u.u = 1 and u.n = 0.
 * R = Rz(phi) Ry(theta) Rx(psi) turns a back; alpha gives the accelerations of the angles. */
#include <math.h>

typedef struct {
    double x, y, z;
} vector_t;

typedef struct {
    double uu[6], un[9], nn[6]; /* blocks of the matrix: xx, xy, xz, yy, yz, zz on the diagonal, un row by row */
    double f[3], t[3];          /* right side */
} system_t;

typedef struct {
    double a, x, y, z; /* A and f0 */
} leg_t;

static inline __attribute__((always_inline)) leg_t add_leg(
    system_t *s, double rx, double ry, vector_t d, vector_t v, vector_t e, double force)
{
    const double i = 1.0 / sqrt(d.x * d.x + d.y * d.y + d.z * d.z), i2 = i * i;
    const double ux = d.x * i, uy = d.y * i, uz = d.z * i;
    const double nx = ry * uz + 0.4 * uy, ny = -0.4 * ux - rx * uz, nz = rx * uy - ry * ux;
    const double a = 0.1 - 0.1 * i + 0.0625 * i2, b = 0.1 - a;
    const double rate = ux * v.x + uy * v.y + uz * v.z, c = (0.1 - 0.125 * i) * i2 * rate;
    const double across = (v.x * v.x + v.y * v.y + v.z * v.z - rate * rate) * i2;
    const double along = force - b * (ux * e.x + uy * e.y + uz * e.z) - 0.05 * across + c * rate;
    const double bx = b * ux, by = b * uy, bz = b * uz, mx = b * nx, my = b * ny, mz = b * nz;
    const leg_t leg = {
        a, along * ux - a * e.x - c * v.x, along * uy - a * e.y - c * v.y, along * uz - a * e.z - c * v.z};
    s->uu[0] += bx * ux, s->uu[1] += bx * uy, s->uu[2] += bx * uz;
    s->uu[3] += by * uy, s->uu[4] += by * uz;
    s->un[0] += bx * nx, s->un[1] += bx * ny, s->un[2] += bx * nz;
    s->un[3] += by * nx, s->un[4] += by * ny, s->un[5] += by * nz;
    s->un[6] += bz * nx, s->un[7] += bz * ny;
    s->nn[0] += mx * nx, s->nn[1] += mx * ny, s->nn[2] += mx * nz;
    s->nn[3] += my * ny, s->nn[4] += my * nz, s->nn[5] += mz * nz;
    return leg;
}

/* L D L' of [P, Q; Q', S] with blocks of three; b becomes the solution. */
static inline __attribute__((always_inline)) void solve(const double *p, const double *q, const double *s, double *b)
{
    const double i0 = 1.0 / p[0], l10 = p[1] * i0, l20 = p[2] * i0, l30 = q[0] * i0, l40 = q[1] * i0, l50 = q[2] * i0;
    const double d1 = p[3] - l10 * p[1], i1 = 1.0 / d1, a21 = p[4] - l10 * p[2];
    const double a31 = q[3] - l10 * q[0], a41 = q[4] - l10 * q[1], a51 = q[5] - l10 * q[2];
    const double l21 = a21 * i1, l31 = a31 * i1, l41 = a41 * i1, l51 = a51 * i1;
    const double d2 = p[5] - l20 * p[2] - l21 * a21, i2 = 1.0 / d2;
    const double a32 = q[6] - l20 * q[0] - l21 * a31, a42 = q[7] - l20 * q[1] - l21 * a41;
    const double a52 = q[8] - l20 * q[2] - l21 * a51;
    const double l32 = a32 * i2, l42 = a42 * i2, l52 = a52 * i2;
    const double d3 = s[0] - l30 * q[0] - l31 * a31 - l32 * a32, i3 = 1.0 / d3;
    const double a43 = s[1] - l30 * q[1] - l31 * a41 - l32 * a42, a53 = s[2] - l30 * q[2] - l31 * a51 - l32 * a52;
    const double l43 = a43 * i3, l53 = a53 * i3;
    const double d4 = s[3] - l40 * q[1] - l41 * a41 - l42 * a42 - l43 * a43, i4 = 1.0 / d4;
    const double a54 = s[4] - l40 * q[2] - l41 * a51 - l42 * a52 - l43 * a53, l54 = a54 * i4;
    const double d5 = s[5] - l50 * q[2] - l51 * a51 - l52 * a52 - l53 * a53 - l54 * a54;
    b[1] -= l10 * b[0];
    b[2] -= l20 * b[0] + l21 * b[1];
    b[3] -= l30 * b[0] + l31 * b[1] + l32 * b[2];
    b[4] -= l40 * b[0] + l41 * b[1] + l42 * b[2] + l43 * b[3];
    b[5] = (b[5] - l50 * b[0] - l51 * b[1] - l52 * b[2] - l53 * b[3] - l54 * b[4]) / d5;
    b[4] = b[4] * i4 - l54 * b[5];
    b[3] = b[3] * i3 - l43 * b[4] - l53 * b[5];
    b[2] = b[2] * i2 - l32 * b[3] - l42 * b[4] - l52 * b[5];
    b[1] = b[1] * i1 - l21 * b[2] - l31 * b[3] - l41 * b[4] - l51 * b[5];
    b[0] = b[0] * i0 - l10 * b[1] - l20 * b[2] - l30 * b[3] - l40 * b[4] - l50 * b[5];
}

void expert(const double *in, double *out)
{
    const double cf = cos(in[3]), sf = sin(in[3]), ct = cos(in[4]), st = sin(in[4]), cp = cos(in[5]), sp = sin(in[5]);
    const double cs = cf * st, ss = sf * st, df = in[9], dt = in[10], dp = in[11];
    const vector_t rx = {cf * ct, cs * sp - sf * cp, cs * cp + sf * sp}; /* rows of R: the ground's axes */
    const vector_t ry = {sf * ct, ss * sp + cf * cp, ss * cp - cf * sp};
    const vector_t rz = {-st, ct * sp, ct * cp};
    const double wx = dp + df * rz.x, wy = dt * cp + df * rz.y, wz = df * rz.z - dt * sp;
    const double px = rx.x * in[0] + ry.x * in[1] + rz.x * in[2];
    const double py = rx.y * in[0] + ry.y * in[1] + rz.y * in[2];
    const double pz = rx.z * in[0] + ry.z * in[1] + rz.z * in[2] - 0.4;
    const double vx = rx.x * in[6] + ry.x * in[7] + rz.x * in[8] - 0.4 * wy;
    const double vy = rx.y * in[6] + ry.y * in[7] + rz.y * in[8] + 0.4 * wx;
    const double vz = rx.z * in[6] + ry.z * in[7] + rz.z * in[8];
    const double xx = -wy * wy - wz * wz, yy = -wx * wx - wz * wz, xy = wx * wy, xz = wx * wz, yz = wy * wz;
    const double ex = -0.4 * xz, ey = -0.4 * yz, ez = 0.4 * (wx * wx + wy * wy);

    system_t s = {{0.0}, {0.0}, {0.0}, {0.0}, {0.0}};
    double all = 0.0, mx = 0.0, my = 0.0; /* sums of A, A bx, A by */
    double jx = 0.0, jy = 0.0, jxy = 0.0; /* sums of A by^2, A bx^2, A bx by */

    /* Legs p and q of joints (bx, by) and (bx, -by), whose bases stand at (-ax, -ay) and (-ax, ay). */
#define PAIR(p, q, bx, by, ax, ay) \
    { \
        const double dx = px + bx + ax * rx.x, dy = py + ax * rx.y, dz = pz + ax * rx.z; \
        const double gx = ay * ry.x, gy = by + ay * ry.y, gz = ay * ry.z; \
        const double sy = vy + bx * wz, sz = vz - bx * wy, hx = by * wz, hz = by * wx; \
        const double cx = ex + bx * xx, cy = ey + bx * xy, cz = ez + bx * xz; \
        const double kx = by * xy, ky = by * yy, kz = by * yz; \
        const vector_t d1 = {dx + gx, dy + gy, dz + gz}, d2 = {dx - gx, dy - gy, dz - gz}; \
        const vector_t v1 = {vx - hx, sy, sz + hz}, v2 = {vx + hx, sy, sz - hz}; \
        const vector_t e1 = {cx + kx, cy + ky, cz + kz}, e2 = {cx - kx, cy - ky, cz - kz}; \
        const leg_t one = add_leg(&s, bx, by, d1, v1, e1, in[11 + p]); \
        const leg_t two = add_leg(&s, bx, -by, d2, v2, e2, in[11 + q]); \
        const double sum = one.a + two.a, difference = one.a - two.a, fy = one.y + two.y, fz = one.z + two.z; \
        all += sum, mx += bx * sum, my += by * difference; \
        jx += by * by * sum, jy += bx * bx * sum, jxy += bx * by * difference; \
        s.f[0] += one.x + two.x, s.f[1] += fy, s.f[2] += fz; \
        s.t[0] += by * (one.z - two.z), s.t[1] -= bx * fz, s.t[2] += bx * fy - by * (one.x - two.x); \
    }
    PAIR(1, 4, 0.17, 0.595, 2.12, -1.374)
    PAIR(2, 3, -0.6, 0.15, 2.38, -1.224)
    PAIR(6, 5, 0.43, 0.445, 0.0, -0.15)

    const double mz = -0.4 * all, jz = 0.16 * all;
    s.uu[5] = 2.1 - s.uu[0] - s.uu[3], s.un[8] = -s.un[0] - s.un[4];
    s.uu[0] += all + 1.5, s.uu[3] += all + 1.5;
    s.un[1] += mz, s.un[2] -= my, s.un[3] -= mz, s.un[5] += mx, s.un[6] += my, s.un[7] -= mx;
    s.nn[0] += 0.08 + jx + jz, s.nn[3] += 0.08 + jy + jz, s.nn[5] += 0.08 + jx + jy;
    s.nn[1] -= jxy, s.nn[2] += 0.4 * mx, s.nn[4] += 0.4 * my;
    s.t[0] += 0.4 * s.f[1], s.t[1] -= 0.4 * s.f[0];
    double b[6] = {s.f[0], s.f[1], s.f[2], s.t[0], s.t[1], s.t[2]};
    solve(s.uu, s.un, s.nn, b);

    out[0] = rx.x * b[0] + rx.y * b[1] + rx.z * b[2];
    out[1] = ry.x * b[0] + ry.y * b[1] + ry.z * b[2];
    out[2] = rz.x * b[0] + rz.y * b[1] + rz.z * b[2];
    out[3] = (sp * b[4] + cp * b[5] + dt * (dp + df * st)) / ct;
    out[4] = cp * b[4] - sp * b[5] - df * dp * ct;
    out[5] = b[3] + out[3] * st + df * dt * ct;
}
