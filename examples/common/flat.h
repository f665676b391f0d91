/* flat.h - boxes on a table, seen from above, and a rod that pushes them: steps and gradients with potentials to compare
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 *     FLAT_SMOOTH   of dc_contact.h, felt at any distance: LRI Eq. 3, C2
 *     FLAT_EDGES    without smoothness (LRI A.6.3): as strong, felt at any distance, but a sum over corners and edges of
 *                   a function of their distance, as IPC has it: C1, its second derivatives jump where a corner's nearest
 *                   place passes from an edge to its end
 *     FLAT_NEAR     of dc_contact.h, felt near contact only: SDRS Eq. 7
 *
 * Body 0 is the rod: it slides freely, drawn along by velocities. The others stick to the table by friction. A step minimises
 *
 *     O = sum_i |x_i - 2 x_i^t + x_i^{t-1}|^2_M/(2h^2) + friction(x_i - x_i^t) + h kd/2 |(x_0 - x_0^t)/h - v|^2
 *         + the rod's reach + k sum P
 *
 * by Newton's method, with unknowns x, y and angle of every body; its derivative is that of the implicit function theorem, which
 * wants d2P. Include it after dc_contact.h and cli.h. */
#ifndef FLAT_H_INCLUDED
#define FLAT_H_INCLUDED

enum { FLAT_BODIES = 2, FLAT_X = 3*FLAT_BODIES, FLAT_STEPS = 64, FLAT_CAP = 200 };
typedef enum { FLAT_SMOOTH, FLAT_EDGES, FLAT_NEAR, FLAT_KINDS } flat_kind;

typedef struct {
    flat_kind kind;
    int       bodies;
    double    half[FLAT_BODIES][2];                     /* m; 1 kg each */
    double    lo[2], hi[2];                             /* the rod's reach */
    double    h, k, friction, slow, drive;              /* slow: m/s, below which what slides creeps; drive: kd */
    double    x[FLAT_STEPS + 2][FLAT_X];                /* the two states before, and after each step */
    double    by_velocity[FLAT_STEPS][3];               /* gradients of the loss, by flat_back */
    long      steps, iterations, stuck;                 /* stuck: steps that did not reach their tolerance */
} flat_world;

/* O at a place: gradient and Hessian */
typedef struct { double value, g[FLAT_X], H[FLAT_X][FLAT_X]; } flat_place;

/* b(d) = 12 (1 + 1/sqrt d)^2, what LRI Eq. 3 comes to for two points d apart, and its derivatives; a quarter: corners are eight */
static inline double flat_barrier(double d, double *slope, double *bend)
{
    const double s = 1/sqrt(d), f = 1 + s;
    *slope = -3*f*s/d;
    *bend = (4.5*f + 1.5*s)*s/(d*d);
    return 3*f*f;
}

/* The potential of corner c of body a and the edges of body b, in axes of b: p = R_b^T (x_a + R_a c - x_b); inside: HUGE_VAL. */
static inline double flat_corner(const flat_world *w, const double *x, int a, int b, int c, double g[6], double H[6][6])
{
    const double hx = w->half[b][0], hy = w->half[b][1], cs = cos(x[3*b + 2]), sn = sin(x[3*b + 2]);
    const double lx = c & 1 ? w->half[a][0] : -w->half[a][0], ly = c & 2 ? w->half[a][1] : -w->half[a][1];
    const double ca = cos(x[3*a + 2]), sa = sin(x[3*a + 2]), rx = ca*lx - sa*ly, ry = sa*lx + ca*ly;
    const double wx = x[3*a] + rx - x[3*b], wy = x[3*a + 1] + ry - x[3*b + 1], p[2] = {cs*wx + sn*wy, cs*wy - sn*wx};
    const double turn_x = -cs*ry + sn*rx, turn_y = cs*rx + sn*ry;               /* of p by the angle of a */
    const double J[2][6] = {{cs, sn, turn_x, -cs, -sn, p[1]}, {-sn, cs, turn_y, sn, -cs, -p[0]}};
    double       value = 0, dp[2] = {0, 0}, d2p[2][2] = {{0, 0}, {0, 0}}, S[6][6] = {{0}};
    int          e, i, j, m, n;

    if (fabs(p[0]) <= hx && fabs(p[1]) <= hy) return HUGE_VAL;

    /* the four edges: along axis m at +-half of the other one; nearest is a place within, or an end */
    for (e = 0; e < 4; e++) {
        const double along = e < 2 ? hx : hy, at = (e & 1 ? 1 : -1)*(e < 2 ? hy : hx);
        double       u[2], d, slope, bend, N[2];
        m = e < 2 ? 0 : 1;
        u[m] = p[m] - fmax(-along, fmin(along, p[m]));
        u[1 - m] = p[1 - m] - at;
        d = hypot(u[0], u[1]);
        value += flat_barrier(d, &slope, &bend);
        for (i = 0; i < 2; i++) N[i] = u[i]/d;
        for (i = 0; i < 2; i++) {
            dp[i] += slope*N[i];
            for (j = 0; j < 2; j++) d2p[i][j] += bend*N[i]*N[j] + (fabs(u[m]) > 0 ? slope*((i == j) - N[i]*N[j])/d : 0);
        }
    }

    /* second derivatives of p itself, pulled by dp: by angles, and by an angle and a place */
    S[2][2] = -dp[0]*(cs*rx + sn*ry) - dp[1]*(cs*ry - sn*rx);
    S[5][5] = -dp[0]*p[0] - dp[1]*p[1];
    S[2][5] = S[5][2] = dp[0]*turn_y - dp[1]*turn_x;
    S[0][5] = S[5][0] = -dp[0]*sn - dp[1]*cs;
    S[1][5] = S[5][1] = dp[0]*cs - dp[1]*sn;
    S[3][5] = S[5][3] = -S[0][5];
    S[4][5] = S[5][4] = -S[1][5];
    for (i = 0; i < 6; i++) {
        g[i] += dp[0]*J[0][i] + dp[1]*J[1][i];
        for (j = 0; j < 6; j++) {
            H[i][j] += S[i][j];
            for (m = 0; m < 2; m++) for (n = 0; n < 2; n++) H[i][j] += J[m][i]*d2p[m][n]*J[n][j];
        }
    }
    return value;
}

/* P of two bodies with its derivatives by their x, y and angles; HUGE_VAL: they overlap. */
static inline double flat_pair(const flat_world *w, const double *x, int a, int b, double g[6], double H[6][6])
{
    static unsigned char memory[1 << 14];
    static const int     twist[6] = {0, 1, 5, 6, 7, 11};
    dc_arena             mem = dc_arena_make(memory, sizeof memory);
    dc_pair_options      opt = DC_ZERO;
    dc_v3                v[2][8];
    dc_hull              hull[2];
    dc_pose              pose[2];
    dc_real              value, grad[12], hess[144];
    double               sum = 0;
    int                  i, j, k;

    memset(g, 0, 6*sizeof *g);
    memset(H, 0, 6*sizeof *H);
    if (w->kind == FLAT_EDGES) {
        static const int swap[6] = {3, 4, 5, 0, 1, 2};
        for (k = 0; k < 8; k++) {
            double gk[6] = {0}, Hk[6][6] = {{0}};
            sum += k < 4 ? flat_corner(w, x, a, b, k, gk, Hk) : flat_corner(w, x, b, a, k - 4, gk, Hk);
            if (sum >= HUGE_VAL) return sum;
            for (i = 0; i < 6; i++) {
                g[k < 4 ? i : swap[i]] += gk[i];
                for (j = 0; j < 6; j++) H[k < 4 ? i : swap[i]][k < 4 ? j : swap[j]] += Hk[i][j];
            }
        }
        return sum;
    }
    opt.barrier = w->kind == FLAT_NEAR ? DC_LOCAL : DC_GLOBAL;
    opt.length = w->kind == FLAT_NEAR ? DC_R(0.1) : 1;
    for (i = 0; i < 2; i++) {
        const int     body = i ? b : a;
        const double *half = w->half[body], *at = x + 3*body;
        for (k = 0; k < 8; k++)
            v[i][k] = dc_vec(DC_R(k & 1 ? half[0] : -half[0]), DC_R(k & 2 ? half[1] : -half[1]), DC_R(k & 4 ? 0.1 : -0.1));
        hull[i].v = v[i];
        hull[i].n = 8;
        hull[i].radius = 0;
        pose[i].q = dc_quat_exp(dc_vec(0, 0, DC_R(at[2])));
        pose[i].t = dc_vec(DC_R(at[0]), DC_R(at[1]), 0);
    }
    if (dc_pair_rigid(&opt, hull, pose, hull + 1, pose + 1, &mem, NULL, &value, grad, hess, NULL) != DC_OK) return HUGE_VAL;
    for (i = 0; i < 6; i++) {
        g[i] = (double)grad[twist[i]];
        for (j = 0; j < 6; j++) H[i][j] = (double)hess[12*twist[i] + twist[j]];
    }
    return (double)value;
}

/* The friction of body i on the table, of one norm of its way and its turn; by the state before: minus g, minus H. */
static inline double flat_friction(const flat_world *w, int i, const double *way, double g[3], double H[3][3])
{
    const double r = hypot(w->half[i][0], w->half[i][1])*0.6, scale[3] = {1, 1, r*r}, push = i ? 9.81*w->friction : 0;
    const double size = sqrt(way[0]*way[0] + way[1]*way[1] + r*r*way[2]*way[2] + w->h*w->h*w->slow*w->slow);
    int          m, n;

    for (m = 0; m < 3; m++) {
        g[m] = push*scale[m]*way[m]/size;
        for (n = 0; n < 3; n++) H[m][n] = push*scale[m]*((m == n) - way[m]*way[n]*scale[n]/(size*size))/size;
    }
    return push*size;
}

static inline double flat_inertia(const flat_world *w, int k)
{
    return k%3 < 2 ? 1 : (w->half[k/3][0]*w->half[k/3][0] + w->half[k/3][1]*w->half[k/3][1])/3;
}

/* The drive turns a tenth as hard as it moves. */
static inline double flat_drive(const flat_world *w, int k) { return k < 2 ? w->drive : 0.1*w->drive; }

/* The rod's reach as a barrier over the last 5 cm, of 0.01 J: -(s - 1)^2 log s, s the part of them that is left. */
static inline double flat_reach(const flat_world *w, int k, double x, double *slope, double *bend)
{
    const double margin = 0.05, side = x - w->lo[k] < w->hi[k] - x ? 1 : -1;
    const double s = (side > 0 ? x - w->lo[k] : w->hi[k] - x)/margin;

    *slope = *bend = 0;
    if (s <= 0) return HUGE_VAL;
    if (s >= 1) return 0;
    *slope = -0.01*side*(2*(s - 1)*log(s) + (s - 1)*(s - 1)/s)/margin;
    *bend = -0.01*(2*log(s) + 4*(s - 1)/s - (s - 1)*(s - 1)/(s*s))/(margin*margin);
    return -0.01*(s - 1)*(s - 1)*log(s);
}

/* O with the rod drawn along at v; HUGE_VAL where bodies overlap. */
static inline double flat_objective(const flat_world *w, const double *x, const double *now, const double *prev, const double *v,
                                    flat_place *o)
{
    const int n = 3*w->bodies;
    int       i, j, k, m;

    memset(o, 0, sizeof *o);
    for (k = 0; k < n; k++) {
        const double M = flat_inertia(w, k)/(w->h*w->h), off = x[k] - 2*now[k] + prev[k];
        o->value += 0.5*M*off*off;
        o->g[k] += M*off;
        o->H[k][k] += M;
    }
    for (k = 0; k < 3; k++) {
        const double off = (x[k] - now[k])/w->h - v[k], kd = flat_drive(w, k);
        o->value += 0.5*w->h*kd*off*off;
        o->g[k] += kd*off;
        o->H[k][k] += kd/w->h;
    }
    for (k = 0; k < 2; k++) {
        double slope, bend, P = flat_reach(w, k, x[k], &slope, &bend);
        if (P >= HUGE_VAL) return o->value = P;
        o->value += P;
        o->g[k] += slope;
        o->H[k][k] += bend;
    }
    for (i = 0; i < w->bodies; i++) {
        double g[3], H[3][3], way[3];
        for (k = 0; k < 3; k++) way[k] = x[3*i + k] - now[3*i + k];
        o->value += flat_friction(w, i, way, g, H);
        for (k = 0; k < 3; k++) {
            o->g[3*i + k] += g[k];
            for (m = 0; m < 3; m++) o->H[3*i + k][3*i + m] += H[k][m];
        }
    }
    for (i = 0; i < w->bodies; i++) {
        for (j = 0; j < i; j++) {
            double g[6], H[6][6], P = flat_pair(w, x, i, j, g, H);
            if (P >= HUGE_VAL) return o->value = P;
            o->value += w->k*P;
            for (k = 0; k < 6; k++) {
                const int row = k < 3 ? 3*i + k : 3*j + k - 3;
                o->g[row] += w->k*g[k];
                for (m = 0; m < 6; m++) o->H[row][m < 3 ? 3*i + m : 3*j + m - 3] += w->k*H[k][m];
            }
        }
    }
    return o->value;
}

/* b <- (H + shift of the inertia)^-1 b by Cholesky's factor; 0: not positive definite. */
static inline int flat_solve(const flat_world *w, const flat_place *o, double shift, double *b)
{
    static double L[FLAT_X][FLAT_X];
    const int     n = 3*w->bodies;
    int           i, j, k;

    for (i = 0; i < n; i++) {
        for (j = 0; j <= i; j++) {
            double s = o->H[i][j] + (i == j ? shift*flat_inertia(w, i)/(w->h*w->h) : 0);
            for (k = 0; k < j; k++) s -= L[i][k]*L[j][k];
            if (i == j && !(s > 0)) return 0;
            L[i][j] = i == j ? sqrt(s) : s/L[j][j];
        }
    }
    for (i = 0; i < n; i++) {
        for (k = 0; k < i; k++) b[i] -= L[i][k]*b[k];
        b[i] /= L[i][i];
    }
    for (i = n - 1; i >= 0; i--) {
        for (k = i + 1; k < n; k++) b[i] -= L[k][i]*b[k];
        b[i] /= L[i][i];
    }
    return 1;
}

/* The least shift of a few with which it is. */
static inline void flat_solve_any(const flat_world *w, const flat_place *o, double *b)
{
    double shift, kept[FLAT_X];

    memcpy(kept, b, sizeof kept);
    for (shift = 0; !flat_solve(w, o, shift, b) && shift < 1e9; shift = shift > 0 ? 4*shift : 0.1) memcpy(b, kept, sizeof kept);
}

/* State t + 2 from the two before, by Newton's method; no step moves anything by more than a centimetre, so that nothing is jumped
 * over. */
static inline void flat_step(flat_world *w, int t, const double *v)
{
    static flat_place o, next;
    const int         n = 3*w->bodies;
    double           *x = w->x[t + 2], d[FLAT_X], trial[FLAT_X];
    int               it, k;

    w->steps++;
    memcpy(x, w->x[t + 1], sizeof w->x[0]);
    flat_objective(w, x, w->x[t + 1], w->x[t], v, &o);
    for (it = 0; it < FLAT_CAP; it++) {
        double size = 0, most = 0, slope = 0, s;

        /* a direction */
        for (k = 0; k < FLAT_X; k++) d[k] = k < n ? -o.g[k] : 0;
        for (k = 0; k < n; k++) size = fmax(size, fabs(o.g[k]));
        if (size < 1e-9*9.81) return;
        flat_solve_any(w, &o, d);
        for (k = 0; k < n; k++) {
            slope += d[k]*o.g[k];
            most = fmax(most, fabs(d[k])*(k%3 < 2 ? 1 : 0.2));
        }

        /* shorter until it gains */
        w->iterations++;
        for (s = fmin(1, 0.01/most); s > 1e-12; s *= 0.5) {
            for (k = 0; k < n; k++) trial[k] = x[k] + s*d[k];
            if (flat_objective(w, trial, w->x[t + 1], w->x[t], v, &next) <= o.value + 1e-4*s*slope + 1e-15*fabs(o.value)) break;
        }
        if (!(s > 1e-12)) break;
        memcpy(x, trial, (size_t)n*sizeof *x);
        memcpy(&o, &next, sizeof o);
    }
    w->stuck++;
}

/* Gradients of a loss by the velocities of `steps` steps, from its gradients by the states: adjoint, H^-1 the steps' own. */
static inline void flat_back(flat_world *w, int steps, const double (*v)[3], const double (*pull)[FLAT_X])
{
    static flat_place o;
    static double     by[FLAT_STEPS + 2][FLAT_X];
    const int         n = 3*w->bodies;
    int               t, i, k, m;

    memset(by, 0, sizeof by);
    for (t = 0; t < steps; t++) memcpy(by[t + 2], pull[t], sizeof by[0]);
    for (t = steps - 1; t >= 0; t--) {
        double *lam = by[t + 2];
        flat_objective(w, w->x[t + 2], w->x[t + 1], w->x[t], v[t], &o);
        flat_solve_any(w, &o, lam);
        for (k = 0; k < n; k++) {
            const double M = flat_inertia(w, k)/(w->h*w->h), kd = k < 3 ? flat_drive(w, k) : 0;
            by[t + 1][k] += lam[k]*(2*M + kd/w->h);
            by[t][k] -= lam[k]*M;
            if (k < 3) w->by_velocity[t][k] = lam[k]*kd;
        }
        for (i = 0; i < w->bodies; i++) {
            double g[3], H[3][3], way[3];
            for (k = 0; k < 3; k++) way[k] = w->x[t + 2][3*i + k] - w->x[t + 1][3*i + k];
            flat_friction(w, i, way, g, H);
            for (k = 0; k < 3; k++) for (m = 0; m < 3; m++) by[t + 1][3*i + m] += H[k][m]*lam[3*i + k];
        }
    }
}

#endif /* FLAT_H_INCLUDED */
