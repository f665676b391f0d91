/* witness_baselines.h - witness points of two edges, of a vertex and a triangle, by the methods that CONTAX compares with, Fig. 6
 *
 * The closest points are the minimum of a quadratic form over a square, or a triangle,
 *
 *     J = x^T Q x/2 + c^T x,     x the coordinates along both edges, or the weights of the triangle's last two corners,
 *
 * smoothed by a logarithmic barrier mu. Include it after dc_witness.h.
 *
 *   base_interior  primal-dual interior points, as in qpax (Tracy, Manchester 2024), its 2 x 2 systems solved by hand
 *   base_lbfgs     L-BFGS on J and the barrier over the unit square, as in jaxopt: of a triangle x = ((1 - v) u, v), which has a
 *                  square for its domain
 *   base_newton    Newton's method on the same, for edges: what a specialist would write */
#ifndef DC_BENCH_WITNESS_BASELINES_H_INCLUDED
#define DC_BENCH_WITNESS_BASELINES_H_INCLUDED

#include <math.h>

typedef struct { double Q1, Q2, Q3, c1, c2; } base_qp;
/* g.x <= h */
typedef struct { double g1, g2, h; } base_side;

static const base_side base_square[4] = {{-1, 0, 0}, {1, 0, 1}, {0, -1, 0}, {0, 1, 1}};
static const base_side base_triangle[3] = {{-1, 0, 0}, {0, -1, 0}, {1, 1, 1}};

/* |x1 A + x2 B + r|^2/2 and w pulling to the middle */
static base_qp base_of(const double a[3], const double b[3], const double r[3], double w)
{
    base_qp q;
    int k;
    q.Q1 = q.Q3 = w;
    q.Q2 = 0;
    q.c1 = q.c2 = -w/2;
    for (k = 0; k < 3; ++k) {
        q.Q1 += a[k]*a[k];
        q.Q2 += a[k]*b[k];
        q.Q3 += b[k]*b[k];
        q.c1 += a[k]*r[k];
        q.c2 += b[k]*r[k];
    }
    return q;
}

static void base_sub(dc_v3 p, dc_v3 q, double d[3])
{
    d[0] = (double)(p.x - q.x);
    d[1] = (double)(p.y - q.y);
    d[2] = (double)(p.z - q.z);
}

/* p: a0, a1, b0, b1 */
static base_qp base_edges(const dc_v3 *p, double w)
{
    double a[3], b[3], r[3];
    base_sub(p[1], p[0], a);
    base_sub(p[2], p[3], b);
    base_sub(p[0], p[2], r);
    return base_of(a, b, r, w);
}

/* p: vertex, corners */
static inline base_qp base_face(const dc_v3 *p, double w)
{
    double a[3], b[3], r[3];
    base_sub(p[2], p[1], a);
    base_sub(p[3], p[1], b);
    base_sub(p[1], p[0], r);
    return base_of(a, b, r, w);
}

static double base_cost(const base_qp *q, double x, double y)
{
    return 0.5*(q->Q1*x*x + 2*q->Q2*x*y + q->Q3*y*y) + q->c1*x + q->c2*y;
}

/* ---- Newton's method: J - mu sum (log x + log(1 - x)) from the middle, steps shortened to stay inside */

static inline void base_newton(const base_qp *q, double mu, double at[2])
{
    double x = 0.5, y = 0.5;
    int it;
    for (it = 0; it < 60; ++it) {
        double g1 = q->Q1*x + q->Q2*y + q->c1 - mu/x + mu/(1 - x), g2 = q->Q2*x + q->Q3*y + q->c2 - mu/y + mu/(1 - y);
        double h1 = q->Q1 + mu/(x*x) + mu/((1 - x)*(1 - x)), h3 = q->Q3 + mu/(y*y) + mu/((1 - y)*(1 - y)), det = h1*h3 - q->Q2*q->Q2;
        double dx = (q->Q2*g2 - h3*g1)/det, dy = (q->Q2*g1 - h1*g2)/det, t = 1;
        if (dx < 0) t = fmin(t, -0.95*x/dx);
        if (dx > 0) t = fmin(t, 0.95*(1 - x)/dx);
        if (dy < 0) t = fmin(t, -0.95*y/dy);
        if (dy > 0) t = fmin(t, 0.95*(1 - y)/dy);
        x += t*dx;
        y += t*dy;
        if (fabs(g1*dx + g2*dy) < 1e-12*mu) break;
    }
    at[0] = x;
    at[1] = y;
}

/* ---- primal-dual interior points. With slacks s and multipliers z Newton steps on
 *
 *     Q x + c + G^T z = 0,   G x + s = h,   s_i z_i = kappa
 *
 * first by predictor and corrector, kappa falling to 0, until every residual is below 1e-5, then with kappa = mu until it is again. */
typedef struct { double x[2], s[4], z[4]; } base_iterate;

static inline void base_kkt_solve(const base_qp *q, const base_side *side, int n, const base_iterate *v, const double r1[2], const double *r2,
                                  const double *r3, base_iterate *d)
{
    double H1 = q->Q1, H2 = q->Q2, H3 = q->Q3, g1 = -r1[0], g2 = -r1[1], det;
    int k;
    for (k = 0; k < n; ++k) {
        const base_side *c = &side[k];
        double w = v->z[k]/v->s[k], f = w*r3[k] - r2[k]/v->s[k];
        H1 += w*c->g1*c->g1;
        H2 += w*c->g1*c->g2;
        H3 += w*c->g2*c->g2;
        g1 -= f*c->g1;
        g2 -= f*c->g2;
    }
    det = H1*H3 - H2*H2;
    d->x[0] = (H3*g1 - H2*g2)/det;
    d->x[1] = (H1*g2 - H2*g1)/det;
    for (k = 0; k < n; ++k) {
        d->s[k] = -r3[k] - side[k].g1*d->x[0] - side[k].g2*d->x[1];
        d->z[k] = (-r2[k] - v->z[k]*d->s[k])/v->s[k];
    }
}
static inline double base_largest_step(const base_iterate *v, const base_iterate *d, int n)
{
    double t = 1;
    int k;
    for (k = 0; k < n; ++k) {
        if (d->s[k] < 0) t = fmin(t, -v->s[k]/d->s[k]);
        if (d->z[k] < 0) t = fmin(t, -v->z[k]/d->z[k]);
    }
    return t;
}
/* residuals of the conditions at kappa; the largest one */
static inline double base_residuals(const base_qp *q, const base_side *side, int n, const base_iterate *v, double kappa, double r1[2], double *r2,
                                    double *r3)
{
    double most;
    int k;
    r1[0] = q->Q1*v->x[0] + q->Q2*v->x[1] + q->c1;
    r1[1] = q->Q2*v->x[0] + q->Q3*v->x[1] + q->c2;
    for (k = 0; k < n; ++k) {
        r1[0] += side[k].g1*v->z[k];
        r1[1] += side[k].g2*v->z[k];
    }
    most = fmax(fabs(r1[0]), fabs(r1[1]));
    for (k = 0; k < n; ++k) {
        r2[k] = v->s[k]*v->z[k] - kappa;
        r3[k] = v->s[k] + side[k].g1*v->x[0] + side[k].g2*v->x[1] - side[k].h;
        most = fmax(most, fmax(fabs(r2[k]), fabs(r3[k])));
    }
    return most;
}
static inline void base_advance(base_iterate *v, const base_iterate *d, double t, int n)
{
    int k;
    for (k = 0; k < 2; ++k) v->x[k] += t*d->x[k];
    for (k = 0; k < n; ++k) {
        v->s[k] += t*d->s[k];
        v->z[k] += t*d->z[k];
    }
}

static inline void base_interior(const base_qp *q, const base_side *side, int n, double mu, double at[2])
{
    base_iterate v, d, a;
    double r1[2], r2[4], r3[4], least = 1e300, most = -1e300, H1 = q->Q1, H2 = q->Q2, H3 = q->Q3, g1 = -q->c1, g2 = -q->c2, det;
    int it, k;

    /* start: (Q + G^T G) x = G^T h - c, z = G x - h, both s = -z and z shifted to at least 1 where one is negative */
    for (k = 0; k < n; ++k) {
        const base_side *c = &side[k];
        H1 += c->g1*c->g1;
        H2 += c->g1*c->g2;
        H3 += c->g2*c->g2;
        g1 += c->h*c->g1;
        g2 += c->h*c->g2;
    }
    det = H1*H3 - H2*H2;
    v.x[0] = (H3*g1 - H2*g2)/det;
    v.x[1] = (H1*g2 - H2*g1)/det;
    for (k = 0; k < n; ++k) {
        v.z[k] = side[k].g1*v.x[0] + side[k].g2*v.x[1] - side[k].h;
        least = fmin(least, v.z[k]);
        most = fmax(most, v.z[k]);
    }
    for (k = 0; k < n; ++k) {
        v.s[k] = most < 0 ? -v.z[k] : -v.z[k] + 1 + most;
        if (least <= 0) v.z[k] += 1 - least;
    }

    for (it = 0; it < 30 && base_residuals(q, side, n, &v, 0, r1, r2, r3) >= 1e-5; ++it) {
        double t, gap = 0, after = 0, sigma;
        base_kkt_solve(q, side, n, &v, r1, r2, r3, &a);
        t = base_largest_step(&v, &a, n);
        for (k = 0; k < n; ++k) {
            gap += v.s[k]*v.z[k];
            after += (v.s[k] + t*a.s[k])*(v.z[k] + t*a.z[k]);
        }
        sigma = after/gap*(after/gap)*(after/gap);
        for (k = 0; k < n; ++k) r2[k] += a.s[k]*a.z[k] - sigma*gap/n;
        base_kkt_solve(q, side, n, &v, r1, r2, r3, &d);
        base_advance(&v, &d, 0.99*base_largest_step(&v, &d, n), n);
    }
    for (it = 0; it < 30 && base_residuals(q, side, n, &v, mu, r1, r2, r3) >= 1e-5; ++it) {
        base_kkt_solve(q, side, n, &v, r1, r2, r3, &d);
        base_advance(&v, &d, fmin(1, 0.99*base_largest_step(&v, &d, n)), n);
    }
    at[0] = v.x[0];
    at[1] = v.x[1];
}

/* ---- L-BFGS: the last 10 steps and changes of the gradient, steps halved until they descend, gradient below 1e-5 */

enum { BASE_HISTORY = 10 };

/* J and the barrier at u, its gradient */
static inline double base_barrier(const base_qp *q, int face, double mu, const double u[2], double g[2])
{
    double x = face ? (1 - u[1])*u[0] : u[0], y = u[1];
    double jx = q->Q1*x + q->Q2*y + q->c1, jy = q->Q2*x + q->Q3*y + q->c2;
    g[0] = (face ? (1 - u[1])*jx : jx) - mu/u[0] + mu/(1 - u[0]);
    g[1] = (face ? jy - u[0]*jx : jy) - mu/u[1] + mu/(1 - u[1]);
    return base_cost(q, x, y) - mu*(log(u[0]*(1 - u[0])) + log(u[1]*(1 - u[1])));
}

static inline void base_lbfgs(const base_qp *q, int face, double mu, double at[2])
{
    double u[2] = {0.5, 0.5}, g[2], s[BASE_HISTORY][2], y[BASE_HISTORY][2], rho[BASE_HISTORY], weight[BASE_HISTORY];
    double f = base_barrier(q, face, mu, u, g);
    int it, k, n = 0;                               /* n: pairs so far; the last ones count */

    for (it = 0; it < 500 && g[0]*g[0] + g[1]*g[1] > 1e-10; ++it) {
        const int first = n > BASE_HISTORY ? n - BASE_HISTORY : 0;
        double d[2], t = 1, slope, v[2], gv[2], fv = 0, ys;
        int tries;

        /* both loops over what is kept */
        d[0] = -g[0];
        d[1] = -g[1];
        for (k = n - 1; k >= first; --k) {
            const int i = k%BASE_HISTORY;
            weight[i] = rho[i]*(s[i][0]*d[0] + s[i][1]*d[1]);
            d[0] -= weight[i]*y[i][0];
            d[1] -= weight[i]*y[i][1];
        }
        if (n > 0) {
            const int i = (n - 1)%BASE_HISTORY;
            const double scale = 1/(rho[i]*(y[i][0]*y[i][0] + y[i][1]*y[i][1]));
            d[0] *= scale;
            d[1] *= scale;
        }
        for (k = first; k < n; ++k) {
            const int i = k%BASE_HISTORY;
            const double b = weight[i] - rho[i]*(y[i][0]*d[0] + y[i][1]*d[1]);
            d[0] += b*s[i][0];
            d[1] += b*s[i][1];
        }

        /* inside the square, and down */
        for (k = 0; k < 2; ++k) {
            if (d[k] < 0) t = fmin(t, -0.95*u[k]/d[k]);
            if (d[k] > 0) t = fmin(t, 0.95*(1 - u[k])/d[k]);
        }
        slope = g[0]*d[0] + g[1]*d[1];
        for (tries = 0; tries < 30; ++tries, t *= 0.5) {
            v[0] = u[0] + t*d[0];
            v[1] = u[1] + t*d[1];
            fv = base_barrier(q, face, mu, v, gv);
            if (fv <= f + 1e-4*t*slope) break;
        }
        if (tries == 30) break;                     /* rounding */

        ys = (v[0] - u[0])*(gv[0] - g[0]) + (v[1] - u[1])*(gv[1] - g[1]);
        if (ys > 1e-30) {
            const int i = n++%BASE_HISTORY;
            for (k = 0; k < 2; ++k) {
                s[i][k] = v[k] - u[k];
                y[i][k] = gv[k] - g[k];
            }
            rho[i] = 1/ys;
        }
        for (k = 0; k < 2; ++k) {
            u[k] = v[k];
            g[k] = gv[k];
        }
        f = fv;
    }
    at[0] = face ? (1 - u[1])*u[0] : u[0];
    at[1] = u[1];
}

#endif
