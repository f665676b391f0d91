/* naive_bsh.h - LRI Algorithm 1 as it is printed: recursion, one pair at a time, twelve-dimensional sums; the reference that
 * dc_bsh_eval is tested and timed against. Include it after dc_bsh.h. */
#ifndef DC_TEST_NAIVE_BSH_H_INCLUDED
#define DC_TEST_NAIVE_BSH_H_INCLUDED

#include <string.h>

typedef struct { dc_real P, g[12], H[144]; } naive_sum;

typedef struct {
    const dc_bsh *a, *b;
    dc_pose pa, pb;
    dc_real eps, length;
    int weighted, want;             /* want: 0 value, 1 and gradient, 2 and Hessian */
    dc_arena *mem;
    long pairs[6];                  /* leaf near, blended, far; inner the same */
    dc_real least;                  /* least S/C of a blended pair: Lemma 5.1 iii wants it >= 1 */
    dc_status status;
} naive_bsh;

/* A function of the distance |x - y|, q1 and q2 its derivatives, to the twists of both bodies; H may be NULL:
 * x moves as v + w x rho + w x (w x rho)/2, rho = x - t. */
DC_INLINE void naive_radial(const naive_bsh *N, dc_v3 x, dc_v3 y, dc_real q1, dc_real q2, dc_real *g, dc_real *H)
{
    dc_v3 e = dc_sub(x, y), rho[2], u, f[2];
    dc_real r = dc_sqrt(dc_dot(e, e)), J[3][12], K[3][3], U[3], KJ[3][12];
    int i, j, k, body;
    u = dc_scale(1/r, e);
    rho[0] = dc_sub(x, N->pa.t);
    rho[1] = dc_sub(y, N->pb.t);
    U[0] = u.x;
    U[1] = u.y;
    U[2] = u.z;
    for (body = 0; body < 2; ++body) {
        dc_m3 W = dc_m3_skew(rho[body]);
        dc_real s = body ? DC_R(-1.0) : DC_R(1.0);
        f[body] = dc_scale(s*q1, u);
        for (i = 0; i < 3; ++i)
            for (j = 0; j < 3; ++j) {
                J[i][6*body + j] = i == j ? s : DC_R(0.0);
                J[i][6*body + 3 + j] = -s*W.m[3*i + j];
            }
    }
    for (j = 0; j < 12; ++j) g[j] = q1*(U[0]*J[0][j] + U[1]*J[1][j] + U[2]*J[2][j]);
    if (!H) return;
    for (i = 0; i < 3; ++i)
        for (j = 0; j < 3; ++j) K[i][j] = (q2 - q1/r)*U[i]*U[j] + (i == j ? q1/r : 0);
    for (i = 0; i < 3; ++i)
        for (j = 0; j < 12; ++j) KJ[i][j] = K[i][0]*J[0][j] + K[i][1]*J[1][j] + K[i][2]*J[2][j];
    for (i = 0; i < 12; ++i)
        for (j = 0; j < 12; ++j) H[12*i + j] = J[0][i]*KJ[0][j] + J[1][i]*KJ[1][j] + J[2][i]*KJ[2][j];
    for (body = 0; body < 2; ++body) {
        dc_m3 A = dc_outer(f[body], rho[body]), B = dc_m3_t(&A);
        for (i = 0; i < 3; ++i)
            for (k = 0; k < 3; ++k)
                H[12*(6*body + 3 + i) + 6*body + 3 + k] += DC_R(0.5)*(A.m[3*i + k] + B.m[3*i + k]) - (i == k ? dc_dot(f[body], rho[body]) : 0);
    }
}

DC_INLINE void naive_process(naive_bsh *N, int i, int j, naive_sum *out)
{
    const dc_bsh_node *I = N->a->node + i, *J = N->b->node + j;
    dc_v3 x = dc_pose_apply(N->pa, dc_add(I->c, N->a->o)), y = dc_pose_apply(N->pb, dc_add(J->c, N->b->o)), e = dc_sub(x, y);
    dc_real r = dc_sqrt(dc_dot(e, e)), d1 = I->R + J->R, d2 = (1 + N->eps)*d1, D, v, C = 0, C1 = 0, C2 = 0, phi, phi1, phi2;
    int leaves = I->left < 0 && J->left < 0, kind = r <= d1 ? 0 : r < d2 ? 1 : 2, k, m;
    size_t bytes = N->want == 2 ? sizeof *out : N->want == 1 ? 13*sizeof(dc_real) : sizeof(dc_real);
    ++N->pairs[(leaves ? 0 : 3) + kind];
    memset(out, 0, bytes);
    if (kind > 0) {                                                                     /* Eq. 7 */
        dc_real n = N->weighted ? (dc_real)I->count*(dc_real)J->count : 1;
        D = (N->weighted ? r + d1 : r)/N->length;
        v = 1/dc_sqrt(D);
        C = n*12*(1 + v)*(1 + v);
        C1 = -12*n*(v/D + 1/(D*D))/N->length;
        C2 = 12*n*(DC_R(1.5)*v/(D*D) + 2/(D*D*D))/(N->length*N->length);
    }
    if (kind == 2) {
        out->P = C;
        if (N->want > 0) naive_radial(N, x, y, C1, C2, out->g, N->want > 1 ? out->H : NULL);
        return;
    }
    if (leaves) {                                                                       /* Eq. 6 */
        dc_v3 va[3], vb[3];
        dc_hull a = DC_ZERO, b = DC_ZERO;
        dc_pair_options o = DC_ZERO;
        dc_status s;
        for (k = 0; k < 3; ++k) {
            va[k] = dc_add(N->a->corner[3*I->triangle + k], N->a->o);
            vb[k] = dc_add(N->b->corner[3*J->triangle + k], N->b->o);
        }
        a.v = va;
        b.v = vb;
        a.n = b.n = 3;
        o.length = N->length;
        s = dc_pair_rigid(&o, &a, &N->pa, &b, &N->pb, N->mem, NULL, &out->P, N->want > 0 ? out->g : NULL, N->want > 1 ? out->H : NULL, NULL);
        if (s != DC_OK) N->status = s;
    } else {
        int ii, jj, ni = I->left < 0 ? 1 : 2, nj = J->left < 0 ? 1 : 2;
        for (ii = 0; ii < ni; ++ii)
            for (jj = 0; jj < nj; ++jj) {
                naive_sum child;
                naive_process(N, ni == 1 ? i : ii ? I->right : I->left, nj == 1 ? j : jj ? J->right : J->left, &child);
                out->P += child.P;
                for (k = 0; N->want > 0 && k < 12; ++k) out->g[k] += child.g[k];
                for (k = 0; N->want > 1 && k < 144; ++k) out->H[k] += child.H[k];
            }
    }
    if (kind == 0) return;
    N->least = dc_min(N->least, out->P/C);
    phi = dc_blend((r - d1)/(N->eps*d1), &phi1, &phi2);                                 /* Eq. 4 */
    phi1 /= N->eps*d1;
    phi2 /= N->eps*d1*(N->eps*d1);
    if (N->want > 0) {
        dc_real q1 = phi*C1 + phi1*(C - out->P), q2 = phi*C2 + 2*phi1*C1 + phi2*(C - out->P), g[12], H[144], dr[12];
        naive_radial(N, x, y, q1, q2, g, N->want > 1 ? H : NULL);
        if (N->want > 1) {
            naive_radial(N, x, y, 1, 0, dr, NULL);
            for (k = 0; k < 12; ++k)
                for (m = 0; m < 12; ++m)
                    out->H[12*k + m] = (1 - phi)*out->H[12*k + m] + H[12*k + m] - phi1*(dr[k]*out->g[m] + out->g[k]*dr[m]);
        }
        for (k = 0; k < 12; ++k) out->g[k] = (1 - phi)*out->g[k] + g[k];
    }
    out->P = (1 - phi)*out->P + phi*C;
}

/* Fields a, b, pa, pb, want, mem set by the caller. */
DC_INLINE dc_status naive_eval(naive_bsh *N, const dc_bsh_options *opt, naive_sum *out)
{
    N->eps = opt && opt->eps != 0 ? opt->eps : DC_R(0.5);
    N->length = opt && opt->length != 0 ? opt->length : 1;
    N->weighted = opt && opt->weighted;
    N->status = DC_OK;
    N->least = DC_REAL_MAX;
    memset(N->pairs, 0, sizeof N->pairs);
    naive_process(N, 0, 0, out);
    return N->status;
}

#endif /* DC_TEST_NAIVE_BSH_H_INCLUDED */
