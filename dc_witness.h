/* dc_witness.h - v0.1.0 - smooth witness points and contact manifolds
 * SPDX-License-Identifier: MIT OR Unlicense
 */
#ifndef DC_WITNESS_H_INCLUDED
#define DC_WITNESS_H_INCLUDED

#include "dc_sdf.h"

/* every function of the float build has a name of its own, as in dc_contact.h */
#if DC_IS_FLOAT
#define dc_ee_witness dc_ee_witness_f
#define dc_ee_closest dc_ee_closest_f
#define dc_vf_witness dc_vf_witness_f
#define dc_vf_closest dc_vf_closest_f
#define dc_ee_witness_batch dc_ee_witness_batch_f
#define dc_vf_witness_batch dc_vf_witness_batch_f
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- witness points ------------------------------------------------------------------------------ */

/* How much is smoothed. All relative to the reference length, so that a scene in millimetres is smoothed like the same one
 * in metres when the length says so: w_reg and eps_min are of L^2, what is clipped and compared are numbers without unit. */
typedef struct {
    dc_real w_reg;      /* pulls towards the middle of edges and triangles: makes parallel pairs unique. 0: 0.01 */
    dc_real eps_clip;   /* width of the ends of an edge; 0: 0.1 */
    dc_real eps_min;    /* width of the choice between edges; 0: 0.1 */
    dc_real eps_comp;   /* width of the indicator; 0: 0.1 */
    dc_real length;     /* L; 0: 1 */
    int     listing;    /* 1: vertex against face as in the paper's listing, repaired: distances, not their squares, decide
                         * between edges, w_reg is not used. Has a kink where the vertex lies on an edge. */
} dc_witness_options;   /* each 0 or 1e-9 to 1e9; w_reg below 1e-6 costs digits: Jacobians grow as 1/w_reg */

typedef struct {
    dc_v3   a, b;       /* witness points a0 + alpha_a (a1 - a0), b0 + alpha_b (b1 - b0) */
    dc_real alpha[2];   /* may leave [0, 1] by 0.28 eps_comp */
    dc_real gamma;      /* 1 where both points are inside their edges, 0 where an end is met: whether the edges face each other */
} dc_ee;

typedef struct {
    dc_v3   p;          /* witness point alpha_0 t_0 + alpha_1 t_1 + alpha_2 t_2 */
    dc_real alpha[3];   /* its weights, of sum 1 */
    dc_real bary[3];    /* those of the vertex's projection into the plane (regularised) */
    dc_real gamma;      /* 1 where the projection is inside */
} dc_vf;

/* Witness points of the edges a[0]a[1] and b[0]b[1]: the smooth analytical active set of [1], IV-D2,
 *
 *     min over alpha of 1/2 |a(alpha_a) - b(alpha_b)|^2 + w_reg L^2/2 ((alpha_a - 1/2)^2 + (alpha_b - 1/2)^2)
 *
 * without the box, gamma; on its four sides, the least of them by a soft argmin; mixed by gamma. Infinitely often
 * differentiable everywhere: edges may be parallel, crossing, identical or of length zero.
 * jac    9x12 by (a0, a1, b0, b1), rows a, b, alpha, gamma; NULL: not computed.
 * DC_E_ARG: a coordinate that is not finite or beyond DC_LIMIT, an option out of range, a NULL. DC_E_RANGE: a derivative
 * (coordinates over lengths) exceeds DC_LIMIT^2. Outputs untouched.
 * Error: points 4e-15 of the coordinates, Jacobians 1e-12 of the largest entry, for the table's w_reg down to 1e-6. */
DC_DEF dc_status dc_ee_witness(const dc_witness_options *opt, const dc_v3 a[2], const dc_v3 b[2], dc_ee *out, dc_real *jac);

/* The closest points of two edges, without smoothing; of many the ones nearest to alpha = (1/2, 1/2). gamma is 1 where the
 * lines' closest points are inside both edges, else 0. Jumps where edges become parallel. */
DC_DEF dc_status dc_ee_closest(const dc_v3 a[2], const dc_v3 b[2], dc_ee *out);

/* Witness point of the vertex v on the triangle t, in the same way (supplement III-C, corrected): the plane's point where
 * gamma says so, else a soft argmin over the three edges. w_reg L^2/2 sum (bary_i - 1/3)^2 makes flat triangles unique.
 * jac    10x12 by (v, t0, t1, t2), rows p, alpha, bary, gamma; NULL: not computed. Statuses as above. */
DC_DEF dc_status dc_vf_witness(const dc_witness_options *opt, dc_v3 v, const dc_v3 t[3], dc_vf *out, dc_real *jac);

/* The closest point of the triangle, without smoothing: always unique. gamma is 1 where it is in the interior. For
 * triangles of no area bary = alpha. */
DC_DEF dc_status dc_vf_closest(dc_v3 v, const dc_v3 t[3], dc_vf *out);

/* The same for `count` pairs in rows, row r of pair i at [r*stride + i], stride >= count >= 0, solved DC_LANES side by side.
 * The same bits as the functions above, built without contraction.
 * x      12 rows: a0, a1, b0, b1; or v, t0, t1, t2
 * y      9 rows a, b, alpha, gamma; or 10 rows p, alpha, bary, gamma
 * jac    36 rows, or NULL: the gradients of alpha_a, alpha_b, gamma; or of alpha_1, alpha_2, gamma, each by the 12 of x. Those of
 *        the points follow: da = (1 - alpha_a) da0 + alpha_a da1 + (a1 - a0) dalpha_a.
 * Arrays do not overlap. DC_E_ARG, DC_E_RANGE: the first failure; the pairs that failed are untouched, the others complete. */
DC_DEF dc_status dc_ee_witness_batch(const dc_witness_options *opt, int count, const dc_real *x, size_t stride, dc_real *y, dc_real *jac);
DC_DEF dc_status dc_vf_witness_batch(const dc_witness_options *opt, int count, const dc_real *x, size_t stride, dc_real *y, dc_real *jac);

#ifdef __cplusplus
}
#endif
#endif /* DC_WITNESS_H_INCLUDED */

/* ============================================================================================== */
#ifdef DC_WITNESS_IMPLEMENTATION
#ifndef DC_WITNESS_IMPLEMENTED
#define DC_WITNESS_IMPLEMENTED

#define DC_CONTACT_KERNELS
#include "dc_contact.h"

/* ---- lanes --------------------------------------------------------------------------------------- */

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-trapping-math")   /* else gcc keeps ?: on floating point scalar */
#endif

typedef dc_real dci_wit_row[DC_LANES];

typedef struct {
    dc_real w;              /* w_reg */
    dc_real clip, rclip;    /* eps_clip and its inverse */
    dc_real rmin, rcomp;    /* 1/eps_min, 1/eps_comp */
    dc_real rl;             /* 1/L: the kernels work in units of L */
} dci_wit;

/* smooth clamp to [0, 1], clip_s(x, 0, 1, eps), and its derivative. With A = e^-|x|/eps, B = e^-|x-1|/eps:
 *     clamp(x) + eps log((1 + A)/(1 + B)),   log(N/D) = n ln2 + 2 atanh s, s = (N - D)/(N + D), |s| < 0.172
 * the ratio between 1/2 and 2 being brought to within sqrt 2 of 1 by a factor 2^n. */
DCI_LANE dc_real dci_clip01(const dci_wit *o, dc_real x, dc_real *d)
{
    dc_real x1 = x - 1, a = dci_exp_neg_lane(-dci_fabs(x)*o->rclip), b = dci_exp_neg_lane(-dci_fabs(x1)*o->rclip);
    dc_real N = 1 + a, D = 1 + b, clamp, up, down, n, even, odd, s, z, sa, sb;
    clamp = x < 0 ? DC_R(0.0) : x;
    clamp = x1 > 0 ? DC_R(1.0) : clamp;
    up = N > DC_R(1.4142135623730951)*D ? DC_R(2.0) : DC_R(1.0);
    down = D > DC_R(1.4142135623730951)*N ? DC_R(2.0) : DC_R(1.0);
    n = up - down;
    even = a - b;                                       /* N - D without the rounding of the sums */
    odd = down*N - up*D;
    s = (n == 0 ? even : odd)/(down*N + up*D);
    /* s(x/eps) - s((x-1)/eps) */
    sa = x < 0 ? a : DC_R(1.0);
    sb = x1 < 0 ? b : DC_R(1.0);
    *d = (sa*D - sb*N)/(N*D);
    z = s*s;
    return clamp + o->clip*(n*DC_R(0.69314718055994531) + s*(2 + z*dci_poly_log(z)));
}

/* within_s(x, 0, 1, eps) = s(u) s(-v), u = x/eps, v = (x-1)/eps, and its derivative over itself, (s(-u) - s(v))/eps */
DCI_LANE dc_real dci_within01(const dci_wit *o, dc_real x, dc_real *g)
{
    dc_real x1 = x - 1, a = dci_exp_neg_lane(-dci_fabs(x)*o->rcomp), b = dci_exp_neg_lane(-dci_fabs(x1)*o->rcomp);
    dc_real N = 1 + a, D = 1 + b, r = 1/(N*D);
    dc_real sa = x < 0 ? a : DC_R(1.0), ca = x < 0 ? DC_R(1.0) : a;
    dc_real sb = x1 < 0 ? b : DC_R(1.0), cb = x1 < 0 ? DC_R(1.0) : b;
    *g = (ca*D - sb*N)*r*o->rcomp;
    return sa*cb*r;
}

DCI_LANE dc_real dci_lane_min(dc_real a, dc_real b) { return a < b ? a : b; }
DCI_LANE dc_real dci_lane_dot(dc_v3 a, dc_v3 b) { return a.x*b.x + a.y*b.y + a.z*b.z; }
DCI_LANE dc_v3 dci_lane_cross(dc_v3 a, dc_v3 b)
{
    dc_v3 r;
    r.x = a.y*b.z - a.z*b.y;
    r.y = a.z*b.x - a.x*b.z;
    r.z = a.x*b.y - a.y*b.x;
    return r;
}
/* s (p - q) */
DCI_LANE dc_v3 dci_lane_sub(dc_real s, dc_v3 p, dc_v3 q)
{
    dc_v3 r;
    r.x = s*(p.x - q.x);
    r.y = s*(p.y - q.y);
    r.z = s*(p.z - q.z);
    return r;
}

/* ---- edge against edge ----------------------------------------------------------------------------- */

/* Derivatives by Q = A^T A + w I = (Q1 Q2; Q2 Q3) and c = A^T r - w/2 (1,1), A = (a1 - a0, b0 - b1), r = a0 - b0,
 * everything in units of L. Named members: gcc does not vectorise over arrays. */
typedef struct { dc_real Q1, Q2, Q3, c1, c2; } dci_ee_d;
typedef struct { dc_real x1, x2, gamma; dci_ee_d d1, d2, dg; } dci_ee;

/* dv for a coordinate v = sum p_i x_i of the mean of the four sides' points: b_i = -p_i (x_i - v)/eps_min times dJ_i, plus what
 * the moving coordinates of the points give, T1, T0, S1, S0 times -1/Q3, -1/Q1 the derivative of their zt, zs */
DCI_LANE dci_ee_d dci_ee_sides(dc_real t1, dc_real t0, dc_real s1, dc_real s0, dc_real zt1, dc_real zt0, dc_real zs1, dc_real zs0,
                               dc_real b1, dc_real b0, dc_real b3, dc_real b4, dc_real T1, dc_real T0, dc_real S1, dc_real S0)
{
    dci_ee_d d;
    dc_real h = DC_R(0.5);
    d.Q1 = h*(b1 + b3*s1*s1 + b4*s0*s0) + S1*zs1 + S0*zs0;
    d.Q2 = b1*t1 + b3*s1 + T1 + S1;
    d.Q3 = h*(b1*t1*t1 + b0*t0*t0 + b3) + T1*zt1 + T0*zt0;
    d.c1 = b1 + b3*s1 + b4*s0 + S1 + S0;
    d.c2 = b1*t1 + b0*t0 + b3 + T1 + T0;
    return d;
}

/* x du + y dv, member by member */
DCI_LANE dci_ee_d dci_ee_mix(dc_real x, dci_ee_d u, dc_real y, dci_ee_d v)
{
    dci_ee_d d;
    d.Q1 = x*u.Q1 + y*v.Q1;
    d.Q2 = x*u.Q2 + y*v.Q2;
    d.Q3 = x*u.Q3 + y*v.Q3;
    d.c1 = x*u.c1 + y*v.c1;
    d.c2 = x*u.c2 + y*v.c2;
    return d;
}

/* The active set: alpha minimises J = 1/2 x^T Q x + c^T x over the unit square. `derive` is a constant where it counts. */
DCI_LANE void dci_ee_lane(const dci_wit *o, dc_v3 A1, dc_v3 A2, dc_v3 r, int derive, dci_ee *out)
{
    dc_real w = o->w, h = DC_R(0.5);
    dc_real q1 = dci_lane_dot(A1, A1), q2 = dci_lane_dot(A1, A2), q3 = dci_lane_dot(A2, A2);
    dc_real k1 = dci_lane_dot(A1, r), k2 = dci_lane_dot(A2, r);
    dc_real Q1 = q1 + w, Q2 = q2, Q3 = q3 + w, c1 = k1 - h*w, c2 = k2 - h*w;
    dc_v3   N = dci_lane_cross(A1, A2), M1 = dci_lane_cross(A1, r), M2 = dci_lane_cross(A2, r);

    /* without the box: x = -Q^-1 c. |A1 x A2|^2 = q1 q3 - q2^2, (A2 x r).(A1 x A2) = q2 k2 - q3 k1 and so on keep the
     * digits of nearly parallel edges; the determinant is at least w^2 > 0 */
    dc_real det = dci_lane_dot(N, N) + w*(q1 + q3 + w), rd = 1/det;
    dc_real u1 = (dci_lane_dot(M2, N) + w*(h*(q3 - q2 + w) - k1))*rd;
    dc_real u2 = (w*(h*(q1 - q2 + w) - k2) - dci_lane_dot(M1, N))*rd;

    /* the least point of each side: (1, t1), (0, t0), (s1, 1), (s0, 0); Q1, Q3 >= w > 0 */
    dc_real r1 = 1/Q1, r3 = 1/Q3;
    dc_real zt1 = -(Q2 + c2)*r3, zt0 = -c2*r3, zs1 = -(Q2 + c1)*r1, zs0 = -c1*r1;
    dc_real dt1, dt0, ds1, ds0;
    dc_real t1 = dci_clip01(o, zt1, &dt1), t0 = dci_clip01(o, zt0, &dt0);
    dc_real s1 = dci_clip01(o, zs1, &ds1), s0 = dci_clip01(o, zs0, &ds0);
    dc_real J1 = h*Q1 + c1 + t1*(Q2 + c2 + h*Q3*t1), J0 = t0*(c2 + h*Q3*t0);
    dc_real J3 = h*Q3 + c2 + s1*(Q2 + c1 + h*Q1*s1), J4 = s0*(c1 + h*Q1*s0);

    /* soft argmin of the four: x_c = sum p_i (point i) */
    dc_real Ja = dci_lane_min(J1, J0), Jb = dci_lane_min(J3, J4), J = dci_lane_min(Ja, Jb);
    dc_real p1 = dci_exp_neg_lane((J - J1)*o->rmin), p0 = dci_exp_neg_lane((J - J0)*o->rmin);
    dc_real p3 = dci_exp_neg_lane((J - J3)*o->rmin), p4 = dci_exp_neg_lane((J - J4)*o->rmin);
    dc_real rp = 1/(p1 + p0 + p3 + p4);
    dc_real v1, v2, g1, g2, gamma, e1, e2;
    p1 *= rp;
    p0 *= rp;
    p3 *= rp;
    p4 *= rp;
    v1 = p1 + p3*s1 + p4*s0;
    v2 = p3 + p1*t1 + p0*t0;

    /* mixed by the indicator */
    gamma = dci_within01(o, u1, &g1)*dci_within01(o, u2, &g2);
    e1 = u1 - v1;
    e2 = u2 - v2;
    out->x1 = v1 + gamma*e1;
    out->x2 = v2 + gamma*e2;
    out->gamma = gamma;

    if (derive) {
        /* du = -Q^-1 (dQ u + dc), I = Q^-1; dgamma = gamma (g1 du1 + g2 du2) */
        dc_real i11 = -Q3*rd, i12 = Q2*rd, i22 = -Q1*rd;
        dci_ee_d du1, du2, dv1, dv2;
        /* dv = sum p_i dpoint_i - 1/eps sum p_i (point_i - v) dJ_i, and dJ_i/dt_i = Q3 (t_i - zt_i) */
        dc_real f1 = -p1*o->rmin, f0 = -p0*o->rmin, f3 = -p3*o->rmin, f4 = -p4*o->rmin;
        dc_real T1 = -dt1*r3, T0 = -dt0*r3, S1 = -ds1*r1, S0 = -ds0*r1;
        dc_real J1t = Q3*(t1 - zt1)*T1, J0t = Q3*(t0 - zt0)*T0, J3s = Q1*(s1 - zs1)*S1, J4s = Q1*(s0 - zs0)*S0;
        dc_real b1, b0, b3, b4;
        du1.Q1 = i11*u1;             du2.Q1 = i12*u1;
        du1.Q2 = i11*u2 + i12*u1;    du2.Q2 = i12*u2 + i22*u1;
        du1.Q3 = i12*u2;             du2.Q3 = i22*u2;
        du1.c1 = i11;                du2.c1 = i12;
        du1.c2 = i12;                du2.c2 = i22;
        b1 = f1*(1 - v1);
        b0 = -f0*v1;
        b3 = f3*(s1 - v1);
        b4 = f4*(s0 - v1);
        dv1 = dci_ee_sides(t1, t0, s1, s0, zt1, zt0, zs1, zs0, b1, b0, b3, b4, b1*J1t, b0*J0t, b3*J3s + p3*S1, b4*J4s + p4*S0);
        b1 = f1*(t1 - v2);
        b0 = f0*(t0 - v2);
        b3 = f3*(1 - v2);
        b4 = -f4*v2;
        dv2 = dci_ee_sides(t1, t0, s1, s0, zt1, zt0, zs1, zs0, b1, b0, b3, b4, b1*J1t + p1*T1, b0*J0t + p0*T0, b3*J3s, b4*J4s);
        out->dg = dci_ee_mix(gamma*g1, du1, gamma*g2, du2);
        out->d1 = dci_ee_mix(1, dci_ee_mix(gamma, du1, 1 - gamma, dv1), e1, out->dg);
        out->d2 = dci_ee_mix(1, dci_ee_mix(gamma, du2, 1 - gamma, dv2), e2, out->dg);
    }
}

/* Gradient of a result by (a0, a1, b0, b1) from d, its derivatives by Q and c:
 *     dQ1 = 2 A1.dA1, dQ2 = A1.dA2 + A2.dA1, dQ3 = 2 A2.dA2, dc1 = A1.dr + r.dA1, dc2 = A2.dr + r.dA2 */
DCI_LANE void dci_ee_chain(dc_real rl, dc_v3 A1, dc_v3 A2, dc_v3 r, dci_ee_d d, dc_v3 g[4])
{
    dc_real d0 = 2*rl*d.Q1, d1 = rl*d.Q2, d2 = 2*rl*d.Q3, d3 = rl*d.c1, d4 = rl*d.c2;
    dc_v3   G1, G2, Gr;
    G1.x = d0*A1.x + d1*A2.x + d3*r.x;  G2.x = d1*A1.x + d2*A2.x + d4*r.x;  Gr.x = d3*A1.x + d4*A2.x;
    G1.y = d0*A1.y + d1*A2.y + d3*r.y;  G2.y = d1*A1.y + d2*A2.y + d4*r.y;  Gr.y = d3*A1.y + d4*A2.y;
    G1.z = d0*A1.z + d1*A2.z + d3*r.z;  G2.z = d1*A1.z + d2*A2.z + d4*r.z;  Gr.z = d3*A1.z + d4*A2.z;
    g[0] = dci_lane_sub(1, Gr, G1);
    g[1] = G1;
    g[2] = dci_lane_sub(1, G2, Gr);
    g[3].x = -G2.x;
    g[3].y = -G2.y;
    g[3].z = -G2.z;
}

/* ---- vertex against face --------------------------------------------------------------------------- */

/* Derivatives by the products of a = t1 - t0, b = t2 - t0, s = v - t0 */
typedef struct { dc_real aa, ab, bb, sa, sb, ss; } dci_vf_d;
/* weights of t1 and t2, barycentric coordinates of the projection, indicator */
typedef struct { dc_real x1, x2, y1, y2, gamma; dci_vf_d d1, d2, e1, e2, dg; } dci_vf;

DCI_LANE dci_vf_d dci_vf_mix(dc_real x, dci_vf_d u, dc_real y, dci_vf_d v)
{
    dci_vf_d d;
    d.aa = x*u.aa + y*v.aa;
    d.ab = x*u.ab + y*v.ab;
    d.bb = x*u.bb + y*v.bb;
    d.sa = x*u.sa + y*v.sa;
    d.sb = x*u.sb + y*v.sb;
    d.ss = x*u.ss + y*v.ss;
    return d;
}

/* derivative of a mean of the points of the edges: k_e times the cost's explicit derivative at t_e, plus m_e times that of z_e */
DCI_LANE dci_vf_d dci_vf_edges(dc_real t0, dc_real t1, dc_real t2, dc_real z0, dc_real z1, dc_real z2, dc_real k0, dc_real k1, dc_real k2,
                               dc_real m0, dc_real m1, dc_real m2)
{
    dci_vf_d d;
    dc_real h = DC_R(0.5), u1 = 1 - t1;
    d.aa = h*(k0*t0*t0 + k1*u1*u1) - m0*z0 + m1*(1 - z1);
    d.ab = k1*t1*u1 + m1*(2*z1 - 1);
    d.bb = h*(k1*t1*t1 + k2*t2*t2) - m1*z1 - m2*z2;
    d.sa = -k0*t0 - k1*u1 + m0 - m1;
    d.sb = -k1*t1 - k2*t2 + m1 + m2;
    d.ss = h*(k0 + k1 + k2);
    return d;
}

/* 1/2 (|p|^2 + w sum (bary - 1/3)^2) at a point p away from an edge's point t, or |p| */
DCI_LANE dc_real dci_vf_cost(const dci_wit *o, int listing, dc_v3 p, dc_real t)
{
    dc_real p2 = dci_lane_dot(p, p), x = t - DC_R(1.0/3.0), y = DC_R(2.0/3.0) - t;
    return listing ? dci_sqrt_lane(p2) : DC_R(0.5)*(p2 + o->w*(x*x + y*y + DC_R(1.0/9.0)));
}

DCI_LANE void dci_vf_lane(const dci_wit *o, int listing, dc_v3 a, dc_v3 b, dc_v3 s, int derive, dci_vf *out)
{
    dc_real w = listing ? DC_R(0.0) : o->w;
    dc_real aa = dci_lane_dot(a, a), ab = dci_lane_dot(a, b), bb = dci_lane_dot(b, b), sa = dci_lane_dot(s, a), sb = dci_lane_dot(s, b);
    dc_v3   N = dci_lane_cross(a, b), Sb = dci_lane_cross(s, b), aS = dci_lane_cross(a, s), e;

    /* without the sides: (G + w (2 1; 1 2)) y = (sa, sb) + w (1, 1). |a x b|^2 = aa bb - ab^2, (a x b).(s x b) = bb sa - ab sb
     * and so on keep the digits of needles. Without w, triangles of no area get y = 0. */
    dc_real nn = dci_lane_dot(N, N), det = nn + w*(2*(aa - ab + bb) + 3*w), flat = 256*DC_EPS*DC_EPS*aa*bb + DC_REAL_MIN;
    dc_real rd = det > flat ? 1/det : DC_R(0.0);
    dc_real y1 = (dci_lane_dot(N, Sb) + w*(bb - ab + 2*sa - sb + w))*rd;
    dc_real y2 = (dci_lane_dot(N, aS) + w*(aa - ab + 2*sb - sa + w))*rd;

    /* the nearest points of the edges t0 t1, t1 t2, t0 t2; edges of no length have t = 0 without w */
    dc_real l0 = aa + 2*w + DC_REAL_MIN, l1 = aa - 2*ab + bb + 2*w + DC_REAL_MIN, l2 = bb + 2*w + DC_REAL_MIN;
    dc_real r0 = 1/l0, r1 = 1/l1, r2 = 1/l2;
    dc_v3   c = dci_lane_sub(1, b, a), f = dci_lane_sub(1, s, a), q0, q1, q2;
    dc_real z0 = (sa + w)*r0, z1 = (dci_lane_dot(c, f) + w)*r1, z2 = (sb + w)*r2, dt0, dt1, dt2;
    dc_real t0 = dci_clip01(o, z0, &dt0), t1 = dci_clip01(o, z1, &dt1), t2 = dci_clip01(o, z2, &dt2);
    dc_real C0, C1, C2, C, p0, p1, p2, rp, v1, v2, g0, g1, g2, gamma, y0 = 1 - y1 - y2;
    e.x = t0*a.x;
    e.y = t0*a.y;
    e.z = t0*a.z;
    q0 = dci_lane_sub(1, s, e);
    e.x = t1*c.x;
    e.y = t1*c.y;
    e.z = t1*c.z;
    q1 = dci_lane_sub(1, f, e);
    e.x = t2*b.x;
    e.y = t2*b.y;
    e.z = t2*b.z;
    q2 = dci_lane_sub(1, s, e);

    /* soft argmin of the three */
    C0 = dci_vf_cost(o, listing, q0, t0);
    C1 = dci_vf_cost(o, listing, q1, t1);
    C2 = dci_vf_cost(o, listing, q2, t2);
    C = dci_lane_min(C0, C1);
    C = dci_lane_min(C, C2);
    p0 = dci_exp_neg_lane((C - C0)*o->rmin);
    p1 = dci_exp_neg_lane((C - C1)*o->rmin);
    p2 = dci_exp_neg_lane((C - C2)*o->rmin);
    rp = 1/(p0 + p1 + p2);
    p0 *= rp;
    p1 *= rp;
    p2 *= rp;
    v1 = p0*t0 + p1*(1 - t1);
    v2 = p1*t1 + p2*t2;

    /* mixed by the indicator */
    gamma = dci_within01(o, y0, &g0)*dci_within01(o, y1, &g1)*dci_within01(o, y2, &g2);
    out->x1 = v1 + gamma*(y1 - v1);
    out->x2 = v2 + gamma*(y2 - v2);
    out->y1 = y1;
    out->y2 = y2;
    out->gamma = gamma;

    if (derive) {
        /* dy = (G + w..)^-1 (d(sa, sb) - dG y) */
        dc_real i11 = (bb + 2*w)*rd, i12 = -(ab + w)*rd, i22 = (aa + 2*w)*rd;
        dci_vf_d d1, d2, e1, e2, dg;
        /* dC_e/dt_e = l_e (t_e - z_e); without squares C = sqrt(2 (C^2/2)) */
        dc_real k0 = -p0*o->rmin, k1 = -p1*o->rmin, k2 = -p2*o->rmin;
        dc_real m0 = dt0*r0, m1 = dt1*r1, m2 = dt2*r2, b0, b1, b2;
        if (listing) {
            /* on an edge |v - q| has a kink: 0 is one of its derivatives */
            k0 = C0 > DC_REAL_MIN ? k0/C0 : DC_R(0.0);
            k1 = C1 > DC_REAL_MIN ? k1/C1 : DC_R(0.0);
            k2 = C2 > DC_REAL_MIN ? k2/C2 : DC_R(0.0);
        }
        e1.aa = -i11*y1;             e2.aa = -i12*y1;
        e1.ab = -i11*y2 - i12*y1;    e2.ab = -i12*y2 - i22*y1;
        e1.bb = -i12*y2;             e2.bb = -i22*y2;
        e1.sa = i11;                 e2.sa = i12;
        e1.sb = i12;                 e2.sb = i22;
        e1.ss = e2.ss = 0;
        b0 = k0*(t0 - v1);
        b1 = k1*(1 - t1 - v1);
        b2 = -k2*v1;
        d1 = dci_vf_edges(t0, t1, t2, z0, z1, z2, b0, b1, b2, m0*(p0 + b0*l0*(t0 - z0)), m1*(b1*l1*(t1 - z1) - p1), m2*b2*l2*(t2 - z2));
        b0 = -k0*v2;
        b1 = k1*(t1 - v2);
        b2 = k2*(t2 - v2);
        d2 = dci_vf_edges(t0, t1, t2, z0, z1, z2, b0, b1, b2, m0*b0*l0*(t0 - z0), m1*(p1 + b1*l1*(t1 - z1)), m2*(p2 + b2*l2*(t2 - z2)));
        dg = dci_vf_mix(gamma*(g1 - g0), e1, gamma*(g2 - g0), e2);
        out->e1 = e1;
        out->e2 = e2;
        out->dg = dg;
        out->d1 = dci_vf_mix(1, dci_vf_mix(gamma, e1, 1 - gamma, d1), y1 - v1, dg);
        out->d2 = dci_vf_mix(1, dci_vf_mix(gamma, e2, 1 - gamma, d2), y2 - v2, dg);
    }
}

/* Gradient of a result by (v, t0, t1, t2) from d, its derivatives by the products */
DCI_LANE void dci_vf_chain(dc_real rl, dc_v3 a, dc_v3 b, dc_v3 s, dci_vf_d d, dc_v3 g[4])
{
    dc_real aa = 2*rl*d.aa, ab = rl*d.ab, bb = 2*rl*d.bb, sa = rl*d.sa, sb = rl*d.sb, ss = 2*rl*d.ss;
    dc_v3   A, B, S;
    A.x = aa*a.x + ab*b.x + sa*s.x;  B.x = ab*a.x + bb*b.x + sb*s.x;  S.x = sa*a.x + sb*b.x + ss*s.x;
    A.y = aa*a.y + ab*b.y + sa*s.y;  B.y = ab*a.y + bb*b.y + sb*s.y;  S.y = sa*a.y + sb*b.y + ss*s.y;
    A.z = aa*a.z + ab*b.z + sa*s.z;  B.z = ab*a.z + bb*b.z + sb*s.z;  S.z = sa*a.z + sb*b.z + ss*s.z;
    g[0] = S;
    g[1].x = -(A.x + B.x + S.x);
    g[1].y = -(A.y + B.y + S.y);
    g[1].z = -(A.z + B.z + S.z);
    g[2] = A;
    g[3] = B;
}


/* ---- one pair, and blocks of pairs ------------------------------------------------------------------- */

/* One of the lanes, out of line; derivatives are not touched when derive is 0. */
static DCI_NOINLINE void dci_ee_one(const dci_wit *o, dc_v3 A1, dc_v3 A2, dc_v3 r, int derive, dci_ee *out)
{
    dci_ee_lane(o, A1, A2, r, derive, out);
}
static DCI_NOINLINE void dci_vf_one(const dci_wit *o, int listing, dc_v3 a, dc_v3 b, dc_v3 s, int derive, dci_vf *out)
{
    dci_vf_lane(o, listing, a, b, s, derive, out);
}

/* A block: inputs, results, their derivatives; status of each pair. Stays on the stack: 3 KB */
typedef struct {
    dci_wit_row x[12], y[10], d[18], ok, in;
    const dc_real *from;
    size_t stride, i;
    int n;
} dci_wit_block;

/* Loads pairs i.. of the batch, the last one repeated behind the end. */
static void dci_wit_load(dci_wit_block *B)
{
    int r, l;
    for (r = 0; r < 12; ++r) {
        const dc_real *from = B->from + (size_t)r*B->stride + B->i;
        if (B->n == DC_LANES) memcpy(B->x[r], from, sizeof(dci_wit_row));
        else
            for (l = 0; l < DC_LANES; ++l) B->x[r][l] = from[l < B->n ? l : B->n - 1];
    }
}

/* ok 1 for coordinates in range, 0 otherwise */
static void dci_wit_range(dci_wit_block *B)
{
    int r, l;
    for (l = 0; l < DC_LANES; ++l) B->ok[l] = 1;
    for (r = 0; r < 12; ++r)
        for (l = 0; l < DC_LANES; ++l) {
            dc_real x = dci_fabs(B->x[r][l]), ok = B->ok[l];
            B->ok[l] = x <= DC_LIMIT ? ok : DC_R(0.0);
        }
}

/* in 1 where ok and the first n_d derivatives are within range, 0 otherwise; DC_OK when all are */
static dc_status dci_wit_check(dci_wit_block *B, int n_y, int n_d)
{
    dc_status status = DC_OK;
    int r, l;
    for (l = 0; l < DC_LANES; ++l) B->in[l] = 0;
    for (r = 0; r < n_y; ++r)
        for (l = 0; l < DC_LANES; ++l) B->in[l] += dci_fabs(B->y[r][l]);
    for (r = 0; r < n_d; ++r)
        for (l = 0; l < DC_LANES; ++l) B->in[l] += dci_fabs(B->d[r][l]);
    for (l = 0; l < DC_LANES; ++l) B->in[l] = B->in[l] <= DC_LIMIT*DC_LIMIT ? B->ok[l] : DC_R(0.0);
    for (l = 0; l < B->n; ++l)
        if (!(B->in[l] > 0) && status == DC_OK) status = B->ok[l] > 0 ? DC_E_RANGE : DC_E_ARG;
    return status;
}

/* Stores a row; with a status only the pairs that are good. */
DCI_LANE void dci_wit_put(const dci_wit_block *B, dc_status status, const dc_real *row, dc_real *to, int r)
{
    int l;
    to += (size_t)r*B->stride + B->i;
    if (B->n == DC_LANES && status == DC_OK) memcpy(to, row, sizeof(dci_wit_row));
    else
        for (l = 0; l < B->n; ++l)
            if (B->in[l] > 0) to[l] = row[l];
}

/* s (x_p - x_q) for the points p and q of lane l */
DCI_LANE dc_v3 dci_wit_diff(const dci_wit_block *B, dc_real s, int p, int q, int l)
{
    dc_v3 r;
    r.x = s*(B->x[3*p][l] - B->x[3*q][l]);
    r.y = s*(B->x[3*p + 1][l] - B->x[3*q + 1][l]);
    r.z = s*(B->x[3*p + 2][l] - B->x[3*q + 2][l]);
    return r;
}

#define DCI_EE_PUT(k, e) (B->d[k][l] = (e).Q1, B->d[k + 1][l] = (e).Q2, B->d[k + 2][l] = (e).Q3, B->d[k + 3][l] = (e).c1, B->d[k + 4][l] = (e).c2)
#define DCI_VF_PUT(k, e) (B->d[k][l] = (e).aa, B->d[k + 1][l] = (e).ab, B->d[k + 2][l] = (e).bb, B->d[k + 3][l] = (e).sa, \
                          B->d[k + 4][l] = (e).sb, B->d[k + 5][l] = (e).ss)

/* values, and derivatives in a kernel of its own; a lane loop writes to its own arrays, or gcc sees them overlap */
static DCI_NOINLINE void dci_ee_value(const dci_wit *opt, dci_wit_block *B)
{
    dci_wit o = *opt;
    int l;
    for (l = 0; l < DC_LANES; ++l) {
        dci_ee e;
        dci_ee_lane(&o, dci_wit_diff(B, o.rl, 1, 0, l), dci_wit_diff(B, o.rl, 2, 3, l), dci_wit_diff(B, o.rl, 0, 2, l), 0, &e);
        B->y[6][l] = e.x1;
        B->y[7][l] = e.x2;
        B->y[8][l] = e.gamma;
    }
}
static DCI_NOINLINE void dci_ee_derive(const dci_wit *opt, dci_wit_block *B)
{
    dci_wit o = *opt;
    int l;
    for (l = 0; l < DC_LANES; ++l) {
        dci_ee e;
        dci_ee_lane(&o, dci_wit_diff(B, o.rl, 1, 0, l), dci_wit_diff(B, o.rl, 2, 3, l), dci_wit_diff(B, o.rl, 0, 2, l), 1, &e);
        B->y[6][l] = e.x1;
        B->y[7][l] = e.x2;
        B->y[8][l] = e.gamma;
        DCI_EE_PUT(0, e.d1);
        DCI_EE_PUT(5, e.d2);
        DCI_EE_PUT(10, e.dg);
    }
}
static DCI_NOINLINE void dci_vf_value(const dci_wit *opt, int listing, dci_wit_block *B)
{
    dci_wit o = *opt;
    int l;
    for (l = 0; l < DC_LANES; ++l) {
        dci_vf e;
        dci_vf_lane(&o, listing, dci_wit_diff(B, o.rl, 2, 1, l), dci_wit_diff(B, o.rl, 3, 1, l), dci_wit_diff(B, o.rl, 0, 1, l), 0, &e);
        B->y[4][l] = e.x1;
        B->y[5][l] = e.x2;
        B->y[7][l] = e.y1;
        B->y[8][l] = e.y2;
        B->y[9][l] = e.gamma;
    }
}
static DCI_NOINLINE void dci_vf_derive(const dci_wit *opt, int listing, dci_wit_block *B)
{
    dci_wit o = *opt;
    int l;
    for (l = 0; l < DC_LANES; ++l) {
        dci_vf e;
        dci_vf_lane(&o, listing, dci_wit_diff(B, o.rl, 2, 1, l), dci_wit_diff(B, o.rl, 3, 1, l), dci_wit_diff(B, o.rl, 0, 1, l), 1, &e);
        B->y[4][l] = e.x1;
        B->y[5][l] = e.x2;
        B->y[7][l] = e.y1;
        B->y[8][l] = e.y2;
        B->y[9][l] = e.gamma;
        DCI_VF_PUT(0, e.d1);
        DCI_VF_PUT(6, e.d2);
        DCI_VF_PUT(12, e.dg);
    }
}

/* result k of the Jacobian, 12 rows */
static DCI_NOINLINE void dci_ee_rows(dc_real rl, const dci_wit_block *B, dc_status status, int k, dc_real *jac)
{
    dci_wit_row row[12];
    int l, r;
    for (l = 0; l < DC_LANES; ++l) {
        dc_v3    g[4];
        dci_ee_d d;
        d.Q1 = B->d[5*k][l];
        d.Q2 = B->d[5*k + 1][l];
        d.Q3 = B->d[5*k + 2][l];
        d.c1 = B->d[5*k + 3][l];
        d.c2 = B->d[5*k + 4][l];
        dci_ee_chain(rl, dci_wit_diff(B, rl, 1, 0, l), dci_wit_diff(B, rl, 2, 3, l), dci_wit_diff(B, rl, 0, 2, l), d, g);
        row[0][l] = g[0].x;  row[1][l] = g[0].y;   row[2][l] = g[0].z;
        row[3][l] = g[1].x;  row[4][l] = g[1].y;   row[5][l] = g[1].z;
        row[6][l] = g[2].x;  row[7][l] = g[2].y;   row[8][l] = g[2].z;
        row[9][l] = g[3].x;  row[10][l] = g[3].y;  row[11][l] = g[3].z;
    }
    for (r = 0; r < 12; ++r) dci_wit_put(B, status, row[r], jac, 12*k + r);
}
static DCI_NOINLINE void dci_vf_rows(dc_real rl, const dci_wit_block *B, dc_status status, int k, dc_real *jac)
{
    dci_wit_row row[12];
    int l, r;
    for (l = 0; l < DC_LANES; ++l) {
        dc_v3    g[4];
        dci_vf_d d;
        d.aa = B->d[6*k][l];
        d.ab = B->d[6*k + 1][l];
        d.bb = B->d[6*k + 2][l];
        d.sa = B->d[6*k + 3][l];
        d.sb = B->d[6*k + 4][l];
        d.ss = B->d[6*k + 5][l];
        dci_vf_chain(rl, dci_wit_diff(B, rl, 2, 1, l), dci_wit_diff(B, rl, 3, 1, l), dci_wit_diff(B, rl, 0, 1, l), d, g);
        row[0][l] = g[0].x;  row[1][l] = g[0].y;   row[2][l] = g[0].z;
        row[3][l] = g[1].x;  row[4][l] = g[1].y;   row[5][l] = g[1].z;
        row[6][l] = g[2].x;  row[7][l] = g[2].y;   row[8][l] = g[2].z;
        row[9][l] = g[3].x;  row[10][l] = g[3].y;  row[11][l] = g[3].z;
    }
    for (r = 0; r < 12; ++r) dci_wit_put(B, status, row[r], jac, 12*k + r);
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

/* ---- options ---- */

static dc_real dci_or(dc_real x, dc_real standard) { return x != 0 ? x : standard; }
static int dci_wit_ok(dc_real x) { return x >= DC_R(1e-9) && x <= DC_R(1e9); }

static dc_status dci_wit_options(const dc_witness_options *opt, dci_wit *o)
{
    dc_witness_options z = DC_ZERO;
    dc_real min, comp, length;
    if (!opt) opt = &z;
    o->w = dci_or(opt->w_reg, DC_R(0.01));
    o->clip = dci_or(opt->eps_clip, DC_R(0.1));
    min = dci_or(opt->eps_min, DC_R(0.1));
    comp = dci_or(opt->eps_comp, DC_R(0.1));
    length = dci_or(opt->length, 1);
    if (!dci_wit_ok(o->w) || !dci_wit_ok(o->clip) || !dci_wit_ok(min) || !dci_wit_ok(comp) || !dci_wit_ok(length)) return DC_E_ARG;
    o->rclip = 1/o->clip;
    o->rmin = 1/min;
    o->rcomp = 1/comp;
    o->rl = 1/length;
    return DC_OK;
}

/* ---- public ---- */

/* adds s at the diagonal of a 3x3 block of a Jacobian with rows of 12 */
static void dci_jac_diagonal(dc_real *jac, dc_real s)
{
    jac[0] += s;
    jac[13] += s;
    jac[26] += s;
}
/* rows += e grad^T */
static void dci_jac_outer(dc_real *jac, dc_v3 e, const dc_real *grad)
{
    int k;
    for (k = 0; k < 12; ++k) {
        jac[k] += e.x*grad[k];
        jac[12 + k] += e.y*grad[k];
        jac[24 + k] += e.z*grad[k];
    }
}
static void dci_jac_row(dc_real *row, const dc_v3 g[4])
{
    int k;
    for (k = 0; k < 4; ++k) {
        row[3*k] = g[k].x;
        row[3*k + 1] = g[k].y;
        row[3*k + 2] = g[k].z;
    }
}
/* the first n numbers of a dci_ee or dci_vf at most DC_LIMIT^2 in size: products with coordinates stay finite */
static int dci_moderate(const void *result, int n)
{
    const dc_real *x = (const dc_real *)result;
    dc_real sum = 0;
    int k;
    for (k = 0; k < n; ++k) sum += dc_abs(x[k]);
    return sum <= DC_LIMIT*DC_LIMIT;
}

DC_DEF dc_status dc_ee_witness(const dc_witness_options *opt, const dc_v3 a[2], const dc_v3 b[2], dc_ee *out, dc_real *jac)
{
    dci_wit o;
    dci_ee  e;
    dc_v3   A1, A2, r, edge1, edge2, g[4];
    dc_real J[108];
    int     k;
    if (!a || !b || !out || dci_wit_options(opt, &o) != DC_OK) return DC_E_ARG;
    if (!dc_in_range(a[0]) || !dc_in_range(a[1]) || !dc_in_range(b[0]) || !dc_in_range(b[1])) return DC_E_ARG;
    edge1 = dc_sub(a[1], a[0]);
    edge2 = dc_sub(b[1], b[0]);
    A1 = dci_lane_sub(o.rl, a[1], a[0]);
    A2 = dci_lane_sub(o.rl, b[0], b[1]);
    r = dci_lane_sub(o.rl, a[0], b[0]);
    dci_ee_one(&o, A1, A2, r, jac != NULL, &e);
    if (!dci_moderate(&e, jac ? 18 : 3)) return DC_E_RANGE;

    if (jac) {
        memset(J, 0, sizeof J);
        dci_ee_chain(o.rl, A1, A2, r, e.d1, g);
        dci_jac_row(J + 72, g);
        dci_ee_chain(o.rl, A1, A2, r, e.d2, g);
        dci_jac_row(J + 84, g);
        dci_ee_chain(o.rl, A1, A2, r, e.dg, g);
        dci_jac_row(J + 96, g);
        /* a = a0 + alpha (a1 - a0) */
        dci_jac_diagonal(J, 1 - e.x1);
        dci_jac_diagonal(J + 3, e.x1);
        dci_jac_outer(J, edge1, J + 72);
        dci_jac_diagonal(J + 36 + 6, 1 - e.x2);
        dci_jac_diagonal(J + 36 + 9, e.x2);
        dci_jac_outer(J + 36, edge2, J + 84);
        for (k = 0; k < 108; ++k)
            if (!dc_finite(J[k])) return DC_E_RANGE;
        memcpy(jac, J, sizeof J);
    }
    out->a = dc_madd(a[0], e.x1, edge1);
    out->b = dc_madd(b[0], e.x2, edge2);
    out->alpha[0] = e.x1;
    out->alpha[1] = e.x2;
    out->gamma = e.gamma;
    return DC_OK;
}

DC_DEF dc_status dc_vf_witness(const dc_witness_options *opt, dc_v3 v, const dc_v3 t[3], dc_vf *out, dc_real *jac)
{
    dci_wit o;
    dci_vf  e;
    dc_v3   a, b, s, edge1, edge2, g[4];
    dc_real J[120];
    int     k, listing = opt ? opt->listing : 0;
    if (!t || !out || dci_wit_options(opt, &o) != DC_OK) return DC_E_ARG;
    if (!dc_in_range(v) || !dc_in_range(t[0]) || !dc_in_range(t[1]) || !dc_in_range(t[2])) return DC_E_ARG;
    edge1 = dc_sub(t[1], t[0]);
    edge2 = dc_sub(t[2], t[0]);
    a = dci_lane_sub(o.rl, t[1], t[0]);
    b = dci_lane_sub(o.rl, t[2], t[0]);
    s = dci_lane_sub(o.rl, v, t[0]);
    dci_vf_one(&o, listing, a, b, s, jac != NULL, &e);
    if (!dci_moderate(&e, jac ? 35 : 5)) return DC_E_RANGE;

    if (jac) {
        memset(J, 0, sizeof J);
        dci_vf_chain(o.rl, a, b, s, e.d1, g);
        dci_jac_row(J + 48, g);
        dci_vf_chain(o.rl, a, b, s, e.d2, g);
        dci_jac_row(J + 60, g);
        dci_vf_chain(o.rl, a, b, s, e.e1, g);
        dci_jac_row(J + 84, g);
        dci_vf_chain(o.rl, a, b, s, e.e2, g);
        dci_jac_row(J + 96, g);
        dci_vf_chain(o.rl, a, b, s, e.dg, g);
        dci_jac_row(J + 108, g);
        for (k = 0; k < 12; ++k) {
            J[36 + k] = -J[48 + k] - J[60 + k];
            J[72 + k] = -J[84 + k] - J[96 + k];
        }
        /* p = t0 + alpha_1 (t1 - t0) + alpha_2 (t2 - t0) */
        dci_jac_diagonal(J + 3, 1 - e.x1 - e.x2);
        dci_jac_diagonal(J + 6, e.x1);
        dci_jac_diagonal(J + 9, e.x2);
        dci_jac_outer(J, edge1, J + 48);
        dci_jac_outer(J, edge2, J + 60);
        for (k = 0; k < 120; ++k)
            if (!dc_finite(J[k])) return DC_E_RANGE;
        memcpy(jac, J, sizeof J);
    }
    out->p = dc_madd(dc_madd(t[0], e.x1, edge1), e.x2, edge2);
    out->alpha[0] = 1 - e.x1 - e.x2;
    out->alpha[1] = e.x1;
    out->alpha[2] = e.x2;
    out->bary[0] = 1 - e.y1 - e.y2;
    out->bary[1] = e.y1;
    out->bary[2] = e.y2;
    out->gamma = e.gamma;
    return DC_OK;
}

/* arguments of a batch */
static int dci_batch_ok(int count, const dc_real *x, size_t stride, const dc_real *y)
{
    return count >= 0 && count <= INT32_MAX - DC_LANES && stride >= (size_t)count && (count == 0 || (x && y));
}

DC_DEF dc_status dc_ee_witness_batch(const dc_witness_options *opt, int count, const dc_real *x, size_t stride, dc_real *y, dc_real *jac)
{
    dci_wit_block B;
    dci_wit       o;
    dc_status     status = DC_OK;
    int           i, k, l;
    if (!dci_batch_ok(count, x, stride, y) || dci_wit_options(opt, &o) != DC_OK) return DC_E_ARG;
    B.from = x;
    B.stride = stride;
    for (i = 0; i < count; i += DC_LANES) {
        dc_status s;
        B.i = (size_t)i;
        B.n = count - i < DC_LANES ? count - i : DC_LANES;
        dci_wit_load(&B);
        dci_wit_range(&B);
        if (jac) dci_ee_derive(&o, &B);
        else dci_ee_value(&o, &B);
        for (k = 0; k < 3; ++k)
            for (l = 0; l < DC_LANES; ++l) {
                B.y[k][l] = B.x[k][l] + B.y[6][l]*(B.x[3 + k][l] - B.x[k][l]);
                B.y[3 + k][l] = B.x[6 + k][l] + B.y[7][l]*(B.x[9 + k][l] - B.x[6 + k][l]);
            }
        s = dci_wit_check(&B, 9, jac ? 15 : 0);
        if (status == DC_OK) status = s;
        for (k = 0; k < 9; ++k) dci_wit_put(&B, s, B.y[k], y, k);
        for (k = 0; jac && k < 3; ++k) dci_ee_rows(o.rl, &B, s, k, jac);
    }
    return status;
}

DC_DEF dc_status dc_vf_witness_batch(const dc_witness_options *opt, int count, const dc_real *x, size_t stride, dc_real *y, dc_real *jac)
{
    dci_wit_block B;
    dci_wit       o;
    dc_status     status = DC_OK;
    int           i, k, l, listing = opt ? opt->listing : 0;
    if (!dci_batch_ok(count, x, stride, y) || dci_wit_options(opt, &o) != DC_OK) return DC_E_ARG;
    B.from = x;
    B.stride = stride;
    for (i = 0; i < count; i += DC_LANES) {
        dc_status s;
        B.i = (size_t)i;
        B.n = count - i < DC_LANES ? count - i : DC_LANES;
        dci_wit_load(&B);
        dci_wit_range(&B);
        if (jac) dci_vf_derive(&o, listing, &B);
        else dci_vf_value(&o, listing, &B);
        for (l = 0; l < DC_LANES; ++l) {
            B.y[3][l] = 1 - B.y[4][l] - B.y[5][l];
            B.y[6][l] = 1 - B.y[7][l] - B.y[8][l];
        }
        for (k = 0; k < 3; ++k)
            for (l = 0; l < DC_LANES; ++l) {
                dc_real t0 = B.x[3 + k][l];
                B.y[k][l] = (t0 + B.y[4][l]*(B.x[6 + k][l] - t0)) + B.y[5][l]*(B.x[9 + k][l] - t0);
            }
        s = dci_wit_check(&B, 10, jac ? 18 : 0);
        if (status == DC_OK) status = s;
        for (k = 0; k < 10; ++k) dci_wit_put(&B, s, B.y[k], y, k);
        for (k = 0; jac && k < 3; ++k) dci_vf_rows(o.rl, &B, s, k, jac);
    }
    return status;
}

/* ---- without smoothing ------------------------------------------------------------------------------- */

/* t in [0, 1] nearest to num/den, 1/2 for den = 0 */
static dc_real dci_hard_clip(dc_real num, dc_real den)
{
    if (!(den > 0)) return DC_R(0.5);
    return num <= 0 ? DC_R(0) : (num >= den ? DC_R(1) : num/den);
}

DC_DEF dc_status dc_ee_closest(const dc_v3 a[2], const dc_v3 b[2], dc_ee *out)
{
    dc_real best = -1, size, tie, far_off = -1, q1, q2, q3, k1, k2, det, u1, u2, x[4][2], d2[4], w = 0, alpha[2], inside = 0;
    dc_v3   A1, A2, r, N;
    int     i, first = 0, other = 0;
    if (!a || !b || !out || !dc_in_range(a[0]) || !dc_in_range(a[1]) || !dc_in_range(b[0]) || !dc_in_range(b[1])) return DC_E_ARG;
    A1 = dc_sub(a[1], a[0]);
    A2 = dc_sub(b[0], b[1]);
    r = dc_sub(a[0], b[0]);
    N = dc_cross(A1, A2);
    q1 = dc_dot(A1, A1);
    q2 = dc_dot(A1, A2);
    q3 = dc_dot(A2, A2);
    k1 = dc_dot(A1, r);
    k2 = dc_dot(A2, r);
    det = dc_dot(N, N);

    /* skew lines: u = num/det, compared before it is divided */
    u1 = dc_dot(dc_cross(A2, r), N);
    u2 = -dc_dot(dc_cross(A1, r), N);
    if (det > 16*DC_EPS*DC_EPS*q1*q3 && u1 >= 0 && u1 <= det && u2 >= 0 && u2 <= det) {
        alpha[0] = u1/det;
        alpha[1] = u2/det;
        inside = 1;
    } else {
        /* the least point of each side of the square; det = 0 makes the optimum a segment, whose ends are two of them */
        x[0][0] = 1;
        x[0][1] = dci_hard_clip(-(q2 + k2), q3);
        x[1][0] = 0;
        x[1][1] = dci_hard_clip(-k2, q3);
        x[2][0] = dci_hard_clip(-(q2 + k1), q1);
        x[2][1] = 1;
        x[3][0] = dci_hard_clip(-k1, q1);
        x[3][1] = 0;
        for (i = 0; i < 4; ++i) {
            dc_v3 e = dc_madd(dc_madd(r, x[i][0], A1), x[i][1], A2);
            d2[i] = dc_dot(e, e);
            if (i == 0 || d2[i] < best) {
                best = d2[i];
                first = i;
            }
        }
        /* those as near up to rounding, the one farthest off: (1/2, 1/2) projected onto the segment between */
        size = dc_max(dc_max(q1, q3), dc_dot(r, r));
        tie = best + 64*DC_EPS*(best + DC_EPS*size);
        for (i = 0; i < 4; ++i) {
            dc_real f1 = x[i][0] - x[first][0], f2 = x[i][1] - x[first][1], f = f1*f1 + f2*f2;
            if (d2[i] <= tie && f > far_off) {
                far_off = f;
                other = i;
            }
        }
        alpha[0] = x[other][0] - x[first][0];
        alpha[1] = x[other][1] - x[first][1];
        w = far_off > 0 ? dci_hard_clip(alpha[0]*(DC_R(0.5) - x[first][0]) + alpha[1]*(DC_R(0.5) - x[first][1]), far_off) : DC_R(0);
        alpha[0] = x[first][0] + w*alpha[0];
        alpha[1] = x[first][1] + w*alpha[1];
    }
    out->a = dc_madd(a[0], alpha[0], A1);
    out->b = dc_madd(b[0], -alpha[1], A2);
    out->alpha[0] = alpha[0];
    out->alpha[1] = alpha[1];
    out->gamma = inside;
    return DC_OK;
}

DC_DEF dc_status dc_vf_closest(dc_v3 v, const dc_v3 t[3], dc_vf *out)
{
    dc_real best = -1, det, y1, y2, w[3], bary[3], inside = 0;
    dc_v3   a, b, s, N;
    int     i, k;
    if (!t || !out || !dc_in_range(v) || !dc_in_range(t[0]) || !dc_in_range(t[1]) || !dc_in_range(t[2])) return DC_E_ARG;
    a = dc_sub(t[1], t[0]);
    b = dc_sub(t[2], t[0]);
    s = dc_sub(v, t[0]);
    N = dc_cross(a, b);
    det = dc_dot(N, N);
    y1 = dc_dot(N, dc_cross(s, b));
    y2 = dc_dot(N, dc_cross(a, s));
    w[0] = w[1] = w[2] = 0;
    bary[0] = bary[1] = bary[2] = 0;
    if (det > 256*DC_EPS*DC_EPS*dc_dot(a, a)*dc_dot(b, b)) {
        bary[1] = y1/det;
        bary[2] = y2/det;
        bary[0] = 1 - bary[1] - bary[2];
        inside = bary[0] >= 0 && bary[1] >= 0 && bary[2] >= 0 ? DC_R(1) : DC_R(0);
    } else {
        det = 0;
    }
    if (inside > 0) {
        for (i = 0; i < 3; ++i) w[i] = bary[i];
    } else {
        /* the nearest of the edges */
        for (i = 0; i < 3; ++i) {
            dc_v3   d = dc_sub(t[(i + 1)%3], t[i]), p = dc_sub(v, t[i]), e;
            dc_real x = dci_hard_clip(dc_dot(d, p), dc_dot(d, d)), d2;
            e = dc_madd(p, -x, d);
            d2 = dc_dot(e, e);
            if (i == 0 || d2 < best) {
                best = d2;
                for (k = 0; k < 3; ++k) w[k] = k == i ? 1 - x : (k == (i + 1)%3 ? x : DC_R(0));
            }
        }
        for (k = 0; k < 3 && !(det > 0); ++k) bary[k] = w[k];
    }
    out->p = dc_madd(dc_madd(t[0], w[1], a), w[2], b);
    for (k = 0; k < 3; ++k) {
        out->alpha[k] = w[k];
        out->bary[k] = bary[k];
    }
    out->gamma = inside;
    return DC_OK;
}

#endif /* DC_WITNESS_IMPLEMENTED */
#endif /* DC_WITNESS_IMPLEMENTATION */

/*
This software is available under two licenses: choose whichever you prefer.

ALTERNATIVE A: MIT License

Copyright (c) 2026 the dc authors

Permission is hereby granted, free of charge, to any person obtaining a copy of
this software and associated documentation files (the "Software"), to deal in
the Software without restriction, including without limitation the rights to
use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies
of the Software, and to permit persons to whom the Software is furnished to do
so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.

ALTERNATIVE B: Public Domain (www.unlicense.org)

This is free and unencumbered software released into the public domain.

Anyone is free to copy, modify, publish, use, compile, sell, or distribute this
software, either in source code form or as a compiled binary, for any purpose,
commercial or non-commercial, and by any means.

In jurisdictions that recognize copyright laws, the author or authors of this
software dedicate any and all copyright interest in the software to the public
domain. We make this dedication for the benefit of the public at large and to
the detriment of our heirs and successors. We intend this dedication to be an
overt act of relinquishment in perpetuity of all present and future rights to
this software under copyright law.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN
ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION
WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
*/
