/* Audit of dc_contact.h, what it is built of: elementary functions, rotations, smooth operators, dense algebra. See audit.h.
 * Errors of the first and the last are those the header states, over DC_EPS: one unit in the last place counts as DC_EPS. */
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"
#define DQ_CONTACT_IMPLEMENTATION
#include "dq_contact.h"

#include <float.h>
#include "audit.h"

#define E ((double)DC_EPS)

/* ---- elementary functions ---- */

#define MANT (DC_IS_FLOAT ? FLT_MANT_DIG : DBL_MANT_DIG)
#define LEAST_EXP (DC_IS_FLOAT ? FLT_MIN_EXP : DBL_MIN_EXP)

/* the error of y in units of the last place of `want`, times DC_EPS; NaN is right where it is wanted, infinity beyond the range */
static double ulp(dc_real y, dq_real want)
{
    int e;
    if (isnanq(want)) return y == y;
    if (!finiteq(want) || fabsq(want) > DC_REAL_MAX) {
        if (!dc_finite(y) && y == y && (y > 0) == (want > 0)) return 0;
        if (!finiteq(want)) return 1;
    }
    if (!dc_finite(y)) y = y > 0 ? DC_REAL_MAX : -DC_REAL_MAX;
    if (want == 0) return y != 0;
    e = ilogbq(want);
    if (e < LEAST_EXP - 1) e = LEAST_EXP - 1;
    return (double)(fabsq(y - want)/ldexpq(1, e - MANT + 1))*E;
}

/* any number: by its bits */
static dc_real bits(rng *r)
{
    for (;;) {
        union { dc_real x; uint64_t u; } b;
        b.u = rng_bits(r);
        if (dc_finite(b.x)) return b.x;
    }
}

static dq_real sigmoid_q(dq_real x) { return x < 0 ? expq(x)/(1 + expq(x)) : 1/(1 + expq(-x)); }
static dq_real softplus_q(dq_real x) { return x < 0 ? log1pq(expq(x)) : x + log1pq(expq(-x)); }

typedef struct { const char *name; dc_real (*f)(dc_real); dq_real (*q)(dq_real); double bar, bar_float, low, high; } elementary;

static void elementary_functions(long n)
{
    /* the largest errors that dc_contact.h states; a range where the function is not trivial */
    static const elementary one[] = {
        {"dc_sqrt", dc_sqrt, sqrtq, 0.5, 0.5, 0, 10},          {"dc_exp", dc_exp, expq, 0.76, 0.77, -750, 720},
        {"dc_log", dc_log, logq, 0.70, 0.72, 0.5, 2},          {"dc_log1p", dc_log1p, log1pq, 0.71, 0.72, -0.9, 2},
        {"dc_tanh", dc_tanh, tanhq, 1.18, 1.21, -20, 20},      {"dc_sigmoid", dc_sigmoid, sigmoid_q, 1.06, 1.10, -750, 40},
        {"dc_softplus", dc_softplus, softplus_q, 1.03, 1.06, -750, 40}};
    static const char *const name[] = {"any bits", "ordinary", "tiny"};
    int f, class;
    long k;
    for (f = 0; f < 7; ++f)
        for (class = 0; class < 3; ++class) {
            audit_row *row = audit_of(one[f].name, name[class]);
            double bar = (DC_IS_FLOAT ? one[f].bar_float : one[f].bar)*1.01*E;
            for (k = audit_first(n); audit_next(row, k, n); ++k) {
                rng r = audit_draw(row, k);
                dc_real x = class == 0 ? bits(&r) : class == 1 ? (dc_real)rng_uniform(&r, one[f].low, one[f].high)
                          : (dc_real)(rng_log(&r, DC_IS_FLOAT ? 1e-40 : 1e-310, 1e-3)*(rng_int(&r, 0, 1) ? 1 : -1));
                audit_call(row, DC_OK, 1, NULL, 0);
                audit_close(row, ulp(one[f].f(x), one[f].q(x)), bar);
            }
        }
    for (class = 0; class < 4; ++class) {
        static const char *const angle[] = {"any bits", "ordinary", "tiny", "near k pi/2"};
        audit_row *row = audit_of("dc_sincos", angle[class]);
        for (k = audit_first(n); audit_next(row, k, n); ++k) {
            rng r = audit_draw(row, k);
            dc_real s, c, x = class == 0 ? bits(&r) : class == 1 ? (dc_real)rng_uniform(&r, -100, 100)
                : class == 2 ? (dc_real)rng_log(&r, DC_IS_FLOAT ? 1e-40 : 1e-310, 1e-3) : (dc_real)(M_PI_2q*floorq(rng_log(&r, 1, 1e6)));
            dq_real sq, cq;
            dc_sincos(x, &s, &c);
            sincosq(x, &sq, &cq);
            audit_call(row, DC_OK, 1, NULL, 0);
            audit_close(row, fmax(ulp(s, sq), ulp(c, cq)), (DC_IS_FLOAT ? 0.83 : 0.81)*1.01*E);
        }
    }
    for (class = 0; class < 4; ++class) {
        static const char *const two[] = {"any bits", "ordinary", "near 1", "whole exponents"};
        audit_row *row = audit_of("dc_pow", two[class]), *angle = class < 2 ? audit_of("dc_atan2", two[class]) : NULL;
        for (k = audit_first(n); audit_next(row, k, n); ++k) {
            rng r = audit_draw(row, k);
            dc_real x = bits(&r), y = bits(&r);
            if (angle) {
                dc_real a = class ? (dc_real)rng_normal(&r) : x, b = class ? (dc_real)rng_normal(&r) : y;
                audit_call(angle, DC_OK, 1, NULL, 0);
                audit_close(angle, ulp(dc_atan2(a, b), atan2q(a, b)), 0.65*1.01*E);
            }
            /* exponents that keep the result within range, and some beyond */
            if (class == 0) { x = dc_abs(x); y = (dc_real)(rng_uniform(&r, -1.1, 1.1)*(DC_IS_FLOAT ? 88 : 709)/fabs(log(x > 0 ? (double)x : 0.5))); }
            if (class == 1) { x = (dc_real)rng_log(&r, 1e-3, 1e3); y = (dc_real)rng_uniform(&r, -10, 10); }
            if (class == 2) { x = (dc_real)(1 + rng_normal(&r)*1e-4); y = (dc_real)rng_uniform(&r, -1e5, 1e5); }
            if (class == 3) { x = (dc_real)rng_uniform(&r, -10, 10); y = (dc_real)rng_int(&r, -30, 30); }
            audit_call(row, DC_OK, 1, NULL, 0);
            audit_close(row, ulp(dc_pow(x, y), powq(x, y)), (DC_IS_FLOAT ? 0.77 : 0.83)*1.01*E);
        }
    }
}

/* ---- rotations: values in the units of the bounds the header states, Jacobians as derivatives of the copy ---- */

static double gap3(dc_v3 a, dq_v3 b) { return fmax(fmax((double)fabsq(a.x - b.x), (double)fabsq(a.y - b.y)), (double)fabsq(a.z - b.z)); }
static double gap4(dc_quat a, dq_quat b)
{
    return fmax(fmax((double)fabsq(a.w - b.w), (double)fabsq(a.x - b.x)), fmax((double)fabsq(a.y - b.y), (double)fabsq(a.z - b.z)));
}
static double gap9(const dc_m3 *a, const dq_m3 *b)
{
    double most = 0;
    int k;
    for (k = 0; k < 9; ++k) most = fmax(most, (double)fabsq(a->m[k] - b->m[k]));
    return most;
}
static double most9(const dq_m3 *a)
{
    double most = 0;
    int k;
    for (k = 0; k < 9; ++k) most = fmax(most, (double)fabsq(a->m[k]));
    return most;
}
static double length3(dq_v3 a) { return (double)sqrtq(dq_dot(a, a)); }

typedef struct { dq_v3 w, v; } turn_case;
/* log(exp(w + t) exp(-w)): its derivative is the left Jacobian */
static int left_value(const dq_real *t, dq_real *f, void *user)
{
    turn_case *c = (turn_case *)user;
    dq_v3 y = dq_quat_log(dq_quat_mul(dq_quat_exp(dq_add(c->w, dq_vec(t[0], t[1], t[2]))), dq_quat_exp(dq_neg(c->w))));
    f[0] = y.x; f[1] = y.y; f[2] = y.z;
    return 1;
}
/* the w' near w with exp(w') = exp(t) exp(w): its derivative is the inverse; log gives another turn of it beyond pi */
static int inverse_value(const dq_real *t, dq_real *f, void *user)
{
    turn_case *c = (turn_case *)user;
    dq_v3 y = dq_quat_log(dq_quat_mul(dq_quat_exp(dq_vec(t[0], t[1], t[2])), dq_quat_exp(c->w)));
    dq_real th = sqrtq(dq_dot(y, y)), turn = 2*M_PIq;
    if (dq_dot(y, c->w) < 0) turn = -turn;
    if (dq_dot(c->w, c->w) > M_PIq*M_PIq) y = dq_scale((th*(turn > 0 ? 1 : -1) + 2*M_PIq)/th*(turn > 0 ? 1 : -1), y);
    f[0] = y.x; f[1] = y.y; f[2] = y.z;
    return 1;
}
static int jl_value(const dq_real *t, dq_real *f, void *user)
{
    turn_case *c = (turn_case *)user;
    dq_m3 J = dq_so3_jl(dq_add(c->w, dq_vec(t[0], t[1], t[2])));
    dq_v3 y = dq_mul(&J, c->v);
    f[0] = y.x; f[1] = y.y; f[2] = y.z;
    return 1;
}

enum { ANY, SMALL, SERIES, NEAR_PI, NEAR_2PI, LARGE, TURNS };
static void rotations(long n)
{
    static const char *const name[] = {"generic", "tiny", "near angle 2", "near pi", "near 2 pi", "large"};
    static const char *const f[] = {"dc_quat_exp", "dc_quat_log", "dc_m3_exp", "dc_m3_log", "dc_so3_jl", "dc_so3_jl, derivative", "dc_so3_jl_inv",
                                    "dc_so3_jl_inv, derivative", "dc_so3_jl_grad", "dc_quat_*, dc_pose_*", "dc_pose_retract, _local"};
    enum { EXP, LOG, M3EXP, M3LOG, JL, JL_D, INV, INV_D, GRAD, PRODUCTS, RETRACT, F };
    int class, i;
    for (class = 0; class < TURNS; ++class) {
        audit_row *row[F];
        long k;
        for (i = 0; i < F; ++i) row[i] = audit_of(f[i], name[class]);
        for (k = audit_first(n); k == audit_first(n) || audit_only < 0; ++k) {
            rng r;
            double th, u[3], sum, bar;
            dc_v3 w, v, x;
            dq_v3 qw, qv, qx;
            dc_quat q, p;
            dq_quat Q, P, Q2;
            dc_m3 R, J;
            dq_m3 QR, QJ;
            turn_case c;
            if (audit_only < 0 && k >= audit_count(n)) break;
            r = audit_draw(row[0], k);
            th = class == ANY ? rng_uniform(&r, 0, 6) : class == SMALL ? rng_log(&r, DC_IS_FLOAT ? 1e-15 : 1e-100, 1e-4)
               : class == SERIES ? 2 + rng_normal(&r)*1e-6 : class == NEAR_PI ? 3.14159265358979 + rng_normal(&r)*rng_log(&r, 1e-15, 1e-3)
               : class == NEAR_2PI ? 6.28318530717959 + (rng_int(&r, 0, 1) ? 1 : -1)*rng_log(&r, DC_IS_FLOAT ? 1e-3 : 1e-6, 1e-1) : rng_log(&r, 10, DC_IS_FLOAT ? 100 : 1e4);
            rng_unit3(&r, u);
            w = dc_vec((dc_real)(th*u[0]), (dc_real)(th*u[1]), (dc_real)(th*u[2]));
            v = dc_vec((dc_real)rng_normal(&r), (dc_real)rng_normal(&r), (dc_real)rng_normal(&r));
            qw = audit_up3(w);
            qv = audit_up3(v);
            c.w = qw;
            c.v = qv;
            th = length3(qw);

            q = dc_quat_exp(w);
            Q = dq_quat_exp(qw);
            if (audit_next(row[EXP], k, n)) {
                audit_call(row[EXP], DC_OK, 1, &q.w, 4);
                audit_close(row[EXP], gap4(q, Q), (4 + th/2)*E);
            }
            if (audit_next(row[LOG], k, n)) {
                x = dc_quat_log(q);
                qx = dq_quat_log(audit_up4(q));
                audit_call(row[LOG], DC_OK, 1, &x.x, 3);
                audit_close(row[LOG], gap3(x, qx)/fmax(length3(qx), 1e-300), 4*E);
            }
            R = dc_m3_exp(w);
            QR = dq_m3_exp(qw);
            if (audit_next(row[M3EXP], k, n)) {
                audit_call(row[M3EXP], DC_OK, 1, R.m, 9);
                audit_close(row[M3EXP], gap9(&R, &QR), (7 + th)*E);
            }
            if (audit_next(row[M3LOG], k, n)) {
                dq_v3 nearest;
                for (i = 0; i < 9; ++i) QR.m[i] = R.m[i];
                x = dc_m3_log(&R);
                qx = dq_m3_log(&QR);
                nearest = dq_dot(audit_up3(x), qx) < 0 && length3(qx) > 3 ? dq_neg(qx) : qx;        /* at pi either sign */
                audit_call(row[M3LOG], DC_OK, 1, &x.x, 3);
                audit_close(row[M3LOG], gap3(x, nearest), 8*E);
            }

            /* the Jacobians and their derivative */
            J = dc_so3_jl(w);
            QJ = dq_so3_jl(qw);
            if (audit_next(row[JL], k, n)) {
                audit_call(row[JL], DC_OK, 1, J.m, 9);
                audit_close(row[JL], gap9(&J, &QJ), 3*E);
            }
            if (audit_next(row[JL_D], k, n)) {
                ++row[JL_D]->samples;
                audit_rounding = 1 + th;
                audit_jacobian(row[JL_D], left_value, &c, 3, NULL, 3, NULL, J.m, 3, 1e-10, 1, &r);
            }
            J = dc_so3_jl_inv(w);
            QJ = dq_so3_jl_inv(qw);
            /* it grows, and loses digits, towards multiples of 2 pi */
            bar = 10*E*(1 + th*most9(&QJ));
            if (audit_next(row[INV], k, n)) {
                audit_call(row[INV], DC_OK, 1, J.m, 9);
                audit_close(row[INV], gap9(&J, &QJ)/most9(&QJ), bar);
            }
            if (audit_next(row[INV_D], k, n) && th < 6.3) {
                ++row[INV_D]->samples;
                audit_rounding = 1 + th*most9(&QJ);
                audit_jacobian(row[INV_D], inverse_value, &c, 3, NULL, 3, NULL, J.m, 3, 1e-12, 1, &r);
            }
            J = dc_so3_jl_grad(w, v);
            if (audit_next(row[GRAD], k, n)) {
                audit_call(row[GRAD], DC_OK, 1, J.m, 9);
                audit_rounding = 1 + th;
                audit_jacobian(row[GRAD], jl_value, &c, 3, NULL, 3, NULL, J.m, 3, 1e-10, 1, &r);
            }

            /* products, and what undoes them */
            if (audit_next(row[PRODUCTS], k, n)) {
                dc_pose a, b, ab, inverse;
                dq_pose A, B, AB;
                dc_affine T;
                double err;
                p = audit_turn(&r);
                P = audit_up4(p);
                Q2 = audit_up4(q);
                err = gap4(dc_quat_mul(q, p), dq_quat_mul(Q2, P));
                err = fmax(err, gap3(dc_quat_rotate(p, v), dq_quat_rotate(P, qv))/fmax(length3(qv), 1e-3));
                R = dc_rotation(p);
                QR = dq_rotation(P);
                err = fmax(err, gap9(&R, &QR));
                p = dc_quat_from_m3(&R);
                if (P.w < 0) { p.w = -p.w; p.x = -p.x; p.y = -p.y; p.z = -p.z; }
                err = fmax(err, gap4(p, P));
                a.q = q; a.t = v;
                b.q = audit_turn(&r); b.t = dc_vec((dc_real)u[1], (dc_real)u[2], (dc_real)u[0]);
                A.q = Q2; A.t = qv;
                B.q = audit_up4(b.q); B.t = audit_up3(b.t);
                ab = dc_pose_mul(a, b);
                AB = dq_pose_mul(A, B);
                sum = 1 + length3(qv);
                err = fmax(err, fmax(gap4(ab.q, AB.q), gap3(ab.t, AB.t)/sum));
                inverse = dc_pose_inv(a);
                A = dq_pose_inv(A);
                err = fmax(err, fmax(gap4(inverse.q, A.q), gap3(inverse.t, A.t)/sum));
                err = fmax(err, gap3(dc_pose_apply(b, v), dq_pose_apply(B, qv))/sum);
                T = dc_pose_to_affine(b);
                qx = dq_pose_apply(B, qv);
                err = fmax(err, gap3(dc_vec(T.m[0]*v.x + T.m[1]*v.y + T.m[2]*v.z + T.m[3], T.m[4]*v.x + T.m[5]*v.y + T.m[6]*v.z + T.m[7],
                                            T.m[8]*v.x + T.m[9]*v.y + T.m[10]*v.z + T.m[11]), qx)/sum);
                audit_call(row[PRODUCTS], DC_OK, 1, T.m, 12);
                audit_close(row[PRODUCTS], err, 8*E);
            }
            if (audit_next(row[RETRACT], k, n) && th < 3.1) {
                dc_pose a, b;
                dq_pose A;
                dc_real xi[6], back[6];
                dq_real XI[6];
                double err = 0;
                a.q = audit_turn(&r);
                a.t = v;
                A.q = audit_up4(a.q);
                A.t = qv;
                xi[0] = (dc_real)u[0]; xi[1] = (dc_real)u[1]; xi[2] = (dc_real)u[2];
                xi[3] = w.x; xi[4] = w.y; xi[5] = w.z;
                audit_up(xi, XI, 6);
                b = dc_pose_retract(a, xi);
                A = dq_pose_retract(A, XI);
                err = fmax(gap4(b.q, A.q), gap3(b.t, A.t)/(1 + length3(qv)));
                dc_pose_local(a, b, back);
                for (i = 0; i < 6; ++i) err = fmax(err, fabs((double)(back[i] - xi[i]))/(1 + length3(qv) + th));
                audit_call(row[RETRACT], DC_OK, 1, back, 6);
                audit_close(row[RETRACT], err, 16*E);
            }
        }
    }
}

/* ---- smooth operators ---- */

typedef struct { int op; dc_real x, a, b, eps; } soft_case;
static int soft_value(const dq_real *t, dq_real *f, void *user)
{
    soft_case *c = (soft_case *)user;
    dq_real x = c->x + *t;
    *f = c->op == 0 ? dq_soft_sign(x, c->eps, NULL, NULL) : c->op == 1 ? dq_soft_relu(x, c->eps, NULL, NULL)
       : c->op == 2 ? dq_soft_clip(x, c->a, c->b, c->eps, NULL, NULL) : c->op == 3 ? dq_soft_greater(x, c->a, c->eps, NULL, NULL)
       : dq_soft_within(x, c->a, c->b, c->eps, NULL, NULL);
    return 1;
}

static void soft(long n)
{
    static const char *const name[] = {"dc_soft_sign", "dc_soft_relu", "dc_soft_clip", "dc_soft_greater", "dc_soft_within"};
    static const char *const place[] = {"generic", "tails", "sizes 1e+-6"};
    int op, class;
    for (op = 0; op < 5; ++op)
        for (class = 0; class < 3; ++class) {
            audit_row *row = audit_of(name[op], place[class]);
            long k;
            for (k = audit_first(n); audit_next(row, k, n); ++k) {
                rng r = audit_draw(row, k);
                soft_case c;
                dc_real out[3];
                dq_real zero = 0, want;
                double scale;
                c.op = op;
                c.eps = (dc_real)(class == 2 ? rng_log(&r, 1e-6, 1e6) : rng_log(&r, 0.1, 10));
                c.a = (dc_real)((double)c.eps*rng_uniform(&r, -3, 3));
                c.b = c.a + (dc_real)((double)c.eps*rng_uniform(&r, 0.1, 10));
                c.x = c.a + (dc_real)((double)c.eps*rng_uniform(&r, -1, 1)*(class == 1 ? (DC_IS_FLOAT ? 30 : 60) : 5));
                if (op < 2) c.x -= c.a;
                out[0] = op == 0 ? dc_soft_sign(c.x, c.eps, out + 1, out + 2) : op == 1 ? dc_soft_relu(c.x, c.eps, out + 1, out + 2)
                       : op == 2 ? dc_soft_clip(c.x, c.a, c.b, c.eps, out + 1, out + 2) : op == 3 ? dc_soft_greater(c.x, c.a, c.eps, out + 1, out + 2)
                       : dc_soft_within(c.x, c.a, c.b, c.eps, out + 1, out + 2);
                soft_value(&zero, &want, &c);
                scale = (double)c.eps;
                audit_rounding = 1 + fmax(fabs((double)c.x), fmax(fabs((double)c.a), fabs((double)c.b)))/scale;
                audit_call(row, DC_OK, audit_near(out[0], want, audit_inputs(1, &scale, out + 1)), out, 3);
                audit_scalar(row, row, soft_value, &c, 1, &scale, out + 1, out + 2, 1e-7, 1, &r);
            }
        }
}

typedef struct { int n; dc_real x[8], tau; } lse_case;
static int lse_value(const dq_real *t, dq_real *f, void *user)
{
    lse_case *c = (lse_case *)user;
    dq_real x[8];
    int k;
    for (k = 0; k < c->n; ++k) x[k] = c->x[k] + t[k];
    *f = dq_lse(c->n, x, c->tau, NULL, NULL);
    return 1;
}

static void lse(long n)
{
    static const char *const name[] = {"generic", "ties", "spread", "sizes 1e+-6"};
    int class;
    for (class = 0; class < 4; ++class) {
        audit_row *row = audit_of("dc_lse", name[class]);
        long k;
        for (k = audit_first(n); audit_next(row, k, n); ++k) {
            rng r = audit_draw(row, k);
            lse_case c;
            dc_real out[1 + 8 + 64];
            dq_real zero[8] = {0}, want;
            double scale[8], size = class == 3 ? rng_log(&r, 1e-6, 1e6) : 1, most = 0;
            int i;
            c.n = rng_int(&r, 1, 8);
            c.tau = (dc_real)(size*(rng_int(&r, 0, 1) ? 1 : -1)*rng_log(&r, 0.1, 10));
            for (i = 0; i < c.n; ++i) {
                c.x[i] = (dc_real)(size*(class == 1 ? (i%2 ? 0.25 : 0.75) : rng_normal(&r)*(class == 2 ? 100 : 1)));
                scale[i] = fabs((double)c.tau);
                most = fmax(most, fabs((double)c.x[i]));
            }
            audit_rounding = 1 + most/scale[0];
            out[0] = dc_lse(c.n, c.x, c.tau, out + 1, out + 1 + c.n);
            lse_value(zero, &want, &c);
            audit_call(row, DC_OK, audit_near(out[0], want, audit_inputs(c.n, scale, out + 1)), out, (size_t)(1 + c.n + c.n*c.n));
            audit_symmetric(row, out + 1 + c.n, c.n);
            audit_scalar(row, row, lse_value, &c, c.n, scale, out + 1, out + 1 + c.n, 1e-7, 1, &r);
        }
    }
}

/* ---- dense algebra: residuals in quadruple precision within the bounds stated, over them; solutions against the copy's ---- */

enum { N = 24 };
static double row_sum(int n, const dc_real *A)
{
    double most = 0;
    int i, j;
    for (i = 0; i < n; ++i) {
        double sum = 0;
        for (j = 0; j < n; ++j) sum += fabs((double)A[i*n + j]);
        most = fmax(most, sum);
    }
    return most;
}

/* |b - A x| over eps n (|A| |x| + |b|), of A or its transpose */
static double residual(int n, const dc_real *A, const dc_real *x, const dc_real *b, int transposed)
{
    double most = 0, mx = 0, mb = 0;
    int i, j;
    for (i = 0; i < n; ++i) {
        dq_real sum = b[i];
        for (j = 0; j < n; ++j) sum -= (dq_real)A[transposed ? j*n + i : i*n + j]*x[j];
        most = fmax(most, (double)fabsq(sum));
        mx = fmax(mx, fabs((double)x[i]));
        mb = fmax(mb, fabs((double)b[i]));
    }
    return most/(n*E*(row_sum(n, A)*mx + mb));
}

static void dense(long n)
{
    static const char *const f[] = {"dc_chol_factor, _solve", "dc_ldlt_factor, _solve", "dc_lu_factor, _solve, _t", "dc_ldlt_inertia", "dc_eigsym",
                                    "dc_psd_clamp", "dc_m3_inv"};
    static const char *const name[] = {"generic", "graded 1e+-6", "nearly singular", "ties"};
    enum { CHOL, LDLT, LU, INERTIA, EIG, CLAMP, M3, F };
    static dc_real A[N*N], S[N*N], P[N*N], L[N*N], Vec[N*N], b[N], x[N], w[N], arena[1 << 14];
    static dq_real QV[N*N], qA[N*N], qw[N], quad_arena[1 << 14];
    int class, i, j, k;
    for (class = 0; class < 4; ++class) {
        audit_row *row[F];
        long sample;
        for (i = 0; i < F; ++i) row[i] = audit_of(f[i], name[class]);
        for (sample = audit_first(n); audit_only >= 0 ? sample == audit_first(n) : sample < audit_count(n); ++sample) {
            rng r = audit_draw(row[0], sample);
            dc_arena mem = dc_arena_make(arena, sizeof arena);
            dq_arena quad_mem = dq_arena_make(quad_arena, sizeof quad_arena);
            int m = rng_int(&r, 1, N), piv[N], in[3], qin[3];
            double g[N], err, most;
            dc_status s;
            for (i = 0; i < m; ++i) {
                g[i] = class == 1 ? rng_log(&r, DC_IS_FLOAT ? 1e-2 : 1e-6, DC_IS_FLOAT ? 1e2 : 1e6) : 1;
                b[i] = (dc_real)rng_normal(&r);
            }
            for (i = 0; i < m; ++i)
                for (j = 0; j < m; ++j) {
                    A[i*m + j] = (dc_real)(g[i]*g[j]*(class == 3 ? rng_int(&r, -1, 1) + (i == j ? 3 : 0) : rng_normal(&r)));
                    if (class == 2 && i == m - 1 && m > 1) A[i*m + j] = A[j] + (dc_real)(1e3*E)*A[i*m + j];
                }
            for (i = 0; i < m; ++i)
                for (j = 0; j <= i; ++j) S[i*m + j] = S[j*m + i] = A[i*m + j] + A[j*m + i];
            for (i = 0; i < m; ++i)
                for (j = 0; j <= i; ++j) {
                    dq_real sum = i == j ? (dq_real)(g[i]*g[i])*0.1Q : 0;
                    for (k = 0; k < m; ++k) sum += (dq_real)A[i*m + k]*A[j*m + k]/(dq_real)(g[k]*g[k]);
                    P[i*m + j] = P[j*m + i] = (dc_real)sum;
                }

            /* solutions: P is positive definite, S symmetric, A any */
            if (audit_next(row[CHOL], sample, n)) {
                memcpy(L, P, sizeof L);
                memcpy(x, b, sizeof x);
                s = dc_chol_factor(m, L, m, NULL);
                if (s == DC_OK) s = dc_chol_solve(m, L, m, 1, x, 1);
                audit_call(row[CHOL], s, s == DC_OK, x, (size_t)m);
                /* one number is rounded by a root, which counts twice, and two divisions */
                if (s == DC_OK) audit_close(row[CHOL], residual(m, P, x, b, 0)*E, 0.6*E + 0.4*E/m);
            }
            if (audit_next(row[LDLT], sample, n)) {
                memcpy(L, S, sizeof L);
                memcpy(x, b, sizeof x);
                s = dc_ldlt_factor(m, L, m, piv, NULL);
                if (s == DC_OK) s = dc_ldlt_solve(m, L, m, piv, 1, x, 1);
                audit_call(row[LDLT], s, s == DC_OK || (class == 3 && s == DC_E_SINGULAR), x, (size_t)m);     /* of small whole numbers */
                if (s == DC_OK) audit_close(row[LDLT], residual(m, S, x, b, 0)*E, 0.6*E);
            }
            if (audit_next(row[LU], sample, n)) {
                memcpy(L, A, sizeof L);
                s = dc_lu_factor(m, L, m, piv, NULL);
                for (k = 0; k < 2; ++k) {
                    memcpy(x, b, sizeof x);
                    if (s == DC_OK) s = k ? dc_lu_solve_t(m, L, m, piv, 1, x, 1) : dc_lu_solve(m, L, m, piv, 1, x, 1);
                    audit_call(row[LU], s, s == DC_OK || (class == 3 && s == DC_E_SINGULAR), x, (size_t)m);
                    if (s == DC_OK) audit_close(row[LU], residual(m, A, x, b, k)*E, 0.6*E);
                }
            }

            /* eigenvalues: those of the copy say what the inertia is, where they are above its error */
            audit_up(S, qA, (size_t)(m*m));
            if (dq_eigsym(m, qA, m, qw, QV, m, &quad_mem) != DQ_OK) continue;
            for (i = 0, most = 0; i < m; ++i) most = fmax(most, (double)fabsq(qw[i]));
            if (audit_next(row[EIG], sample, n)) {
                dq_real sum;
                s = dc_eigsym(m, S, m, w, Vec, m, &mem);
                audit_call(row[EIG], s, s == DC_OK, w, (size_t)m);
                for (i = 0, err = 0; i < m && s == DC_OK; ++i) {
                    err = fmax(err, (double)fabsq(w[i] - qw[i])/most/m);
                    for (j = 0; j < m; ++j) {
                        for (k = 0, sum = -(dq_real)w[i]*Vec[i*m + j]; k < m; ++k) sum += (dq_real)S[j*m + k]*Vec[i*m + k];
                        err = fmax(err, (double)fabsq(sum)/(m*row_sum(m, S)));
                        for (k = 0, sum = i == j ? -1 : 0; k < m; ++k) sum += (dq_real)Vec[i*m + k]*Vec[j*m + k];
                        err = fmax(err, (double)fabsq(sum)/m/2);
                    }
                }
                if (s == DC_OK) audit_close(row[EIG], err, 2*E + 3*E/m);
            }
            if (audit_next(row[INERTIA], sample, n)) {
                double least = most;
                memcpy(L, S, sizeof L);
                for (i = 0, qin[0] = qin[1] = qin[2] = 0; i < m; ++i) {
                    least = fmin(least, (double)fabsq(qw[i]));
                    ++qin[qw[i] > 0 ? 0 : 1];
                }
                s = dc_ldlt_factor(m, L, m, piv, NULL);
                if (s == DC_OK && least > 10*m*E*row_sum(m, S)) {
                    s = dc_ldlt_inertia(m, L, m, piv, in);
                    audit_call(row[INERTIA], s, s == DC_OK && in[0] == qin[0] && in[1] == qin[1] && in[2] == 0, NULL, 0);
                }
            }
            if (audit_next(row[CLAMP], sample, n)) {
                dc_real bound = (dc_real)(most*rng_uniform(&r, -0.5, 0.5));
                dq_real sum;
                memcpy(L, S, sizeof L);
                s = dc_psd_clamp(m, L, m, bound, &mem);
                audit_call(row[CLAMP], s, s == DC_OK, L, (size_t)(m*m));
                audit_symmetric(row[CLAMP], L, m);
                for (i = 0, err = 0; i < m && s == DC_OK; ++i)
                    for (j = 0; j < m; ++j) {
                        for (k = 0, sum = S[i*m + j] - L[i*m + j]; k < m; ++k)
                            if (qw[k] < bound) sum += (bound - qw[k])*QV[k*m + i]*QV[k*m + j];
                        err = fmax(err, (double)fabsq(sum)/(m*most));
                    }
                if (s == DC_OK) audit_close(row[CLAMP], err, 8*E);
            }
            if (audit_next(row[M3], sample, n)) {
                dc_m3 T, inverse;
                double big = 0, small = 0;
                for (i = 0; i < 9; ++i) T.m[i] = (dc_real)(rng_normal(&r)*(class == 1 ? g[0] : 1) + (class == 3 ? 4*(i%4 == 0) : 0));
                if (class == 2) for (i = 6; i < 9; ++i) T.m[i] = T.m[i - 6] + (dc_real)1e-3*T.m[i];
                s = dc_m3_inv(&T, &inverse);
                audit_call(row[M3], s, s == DC_OK, inverse.m, 9);
                for (i = 0; i < 9 && s == DC_OK; ++i) {
                    big = fmax(big, fabs((double)T.m[i]));
                    small = fmax(small, fabs((double)inverse.m[i]));
                }
                for (i = 0, err = 0; i < 9 && s == DC_OK; ++i) {
                    dq_real sum = i%4 == 0 ? -1 : 0;
                    for (k = 0; k < 3; ++k) sum += (dq_real)T.m[i - i%3 + k]*inverse.m[3*k + i%3];
                    err = fmax(err, (double)fabsq(sum)/(big*small));
                }
                if (s == DC_OK) audit_close(row[M3], err, 3*E);
            }
        }
    }
}

int main(int argc, char **argv)
{
    if (!audit_begin(argc, argv)) return 1;
    elementary_functions(4000);
    rotations(400);
    soft(1000);
    lse(1000);
    dense(400);
    return !audit_end();
}
