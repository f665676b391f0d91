/* Pair and friction potentials under input nobody should give, and under input that is only unusual: what comes back is a
 * right number or the status that names why not, nothing is written that was not promised, no call runs away. */
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "greatest.h"
#include "support.h"

#define EPS ((double)DC_EPS)
#define MAXV 8                              /* vertices of one hull */
#define ROWS (3*2*MAXV)
#define R(x) ((dc_real)(x))
#define LENGTH(a) ((int)(sizeof (a)/sizeof (a)[0]))

/* ---- complaints: a test prints the first few and fails on any -------------------------------------------- */

static int complaints;

static void complain(const char *fmt, ...) SUPPORT_PRINTF(1, 2);
static void complain(const char *fmt, ...)
{
    va_list args;
    if (++complaints > 6) return;
    va_start(args, fmt);
    printf("  ");
    vprintf(fmt, args);
    printf("\n");
    va_end(args);
}

static enum greatest_test_res verdict(void)
{
    int n = complaints;
    complaints = 0;
    if (n > 6) printf("  ... %d complaints\n", n);
    ASSERT_EQ(0, n);
    PASS();
}

/* ---- one problem, five entry points ------------------------------------------------------------------------ */

enum { PAIR, RIGID, AFFINE, SLIP, SLIP_RIGID, KINDS };
static const char *const kind_name[KINDS] = {"dc_pair", "dc_pair_rigid", "dc_pair_affine", "dc_friction", "dc_friction_rigid"};

typedef struct {
    int na, nb;
    dc_v3 a[MAXV], b[MAXV], a1[MAXV], b1[MAXV];
    dc_pose pa, pb, pa1, pb1;
    dc_affine Ta, Tb;
    dc_pair_options o;
    dc_friction_options f;
    dc_real mu, h;
    dc_plane plane;
} problem;

/* no padding is compared: every member is filled and looked at alone */
typedef struct {
    dc_plane plane;
    dc_real value, grad[ROWS], hess[ROWS*ROWS], mixed[ROWS*ROWS];
    dc_pair_info info;
    dc_friction_info slip;
} answer;

static unsigned char memory[1 << 16];
static answer out, blank, again;

static dc_hull hull_of(const dc_v3 *v, int n)
{
    dc_hull h;
    h.v = v;
    h.radius = 0;
    h.n = n;
    return h;
}

static dc_status call(const problem *p, int kind, dc_arena *mem, answer *x)
{
    dc_hull a = hull_of(p->a, p->na), b = hull_of(p->b, p->nb), a1 = hull_of(p->a1, p->na), b1 = hull_of(p->b1, p->nb);
    memset(x, 0xa5, sizeof *x);
    x->plane = p->plane;
    blank = *x;
    switch (kind) {
    case PAIR: return dc_pair(&p->o, &a, &b, mem, &x->plane, &x->value, x->grad, x->hess, &x->info);
    case RIGID: return dc_pair_rigid(&p->o, &a, &p->pa, &b, &p->pb, mem, &x->plane, &x->value, x->grad, x->hess, &x->info);
    case AFFINE: return dc_pair_affine(&p->o, &a, &p->Ta, &b, &p->Tb, mem, &x->plane, &x->value, x->grad, x->hess, &x->info);
    case SLIP:
        return dc_friction(&p->f, &p->o, p->mu, p->h, &a, &a1, &b, &b1, mem, &x->plane, &x->value, x->grad, x->hess, x->mixed,
                           &x->slip);
    default:
        return dc_friction_rigid(&p->f, &p->o, p->mu, p->h, &a, &p->pa, &p->pa1, &b, &p->pb, &p->pb1, mem, &x->plane, &x->value,
                                 x->grad, x->hess, x->mixed, &x->slip);
    }
}

static int all_finite(const dc_real *x, size_t n)
{
    while (n-- > 0)
        if (!dc_finite(x[n])) return 0;
    return 1;
}

static size_t entries(const problem *p, int kind)
{
    return kind == PAIR || kind == SLIP ? 3*(size_t)(p->na + p->nb) : kind == AFFINE ? 24 : 12;
}

/* What holds for every call. Returns the status. */
static dc_status judge(const problem *p, int kind, const char *what)
{
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_status s;
    size_t n = entries(p, kind);
    s = call(p, kind, &mem, &out);
    if (mem.used != 0) complain("%s, %s: the arena keeps %lu bytes", kind_name[kind], what, (unsigned long)mem.used);
    if (s == DC_E_OVERLAP) {
        if (!(out.value > DC_REAL_MAX)) complain("%s, %s: overlap without an infinite value", kind_name[kind], what);
        blank.value = out.value;
    }
    if (s != DC_OK && s != DC_E_DIVERGED) {
        if (memcmp(&out, &blank, sizeof out) != 0) complain("%s, %s: %s, but outputs were written", kind_name[kind], what, dc_status_text(s));
        return s;
    }
    if (!dc_finite(out.value) || out.value < 0) complain("%s, %s: status %d and value %g", kind_name[kind], what, (int)s, (double)out.value);
    if (!all_finite(&out.plane.n.x, 4)) complain("%s, %s: status %d and a plane that is not finite", kind_name[kind], what, (int)s);
    if (!all_finite(out.grad, n)) complain("%s, %s: status %d and a gradient that is not finite", kind_name[kind], what, (int)s);
    if (!all_finite(out.hess, n*n)) complain("%s, %s: status %d and a Hessian that is not finite", kind_name[kind], what, (int)s);
    if (dc_dot(out.plane.n, out.plane.n) > 1 + 4*DC_EPS) complain("%s, %s: |n| > 1", kind_name[kind], what);
    if (kind == SLIP || kind == SLIP_RIGID) {
        if (!all_finite(out.mixed, n*n)) complain("%s, %s: status %d and a mixed Hessian that is not finite", kind_name[kind], what, (int)s);
        if (!dc_finite3(out.slip.point) || !dc_finite3(out.slip.u) || !dc_finite(out.slip.w))
            complain("%s, %s: status %d and a plane velocity that is not finite", kind_name[kind], what, (int)s);
        if (out.slip.iterations < 0 || out.slip.iterations > 100) complain("%s, %s: %d steps", kind_name[kind], what, out.slip.iterations);
    } else {
        if (!dc_finite(out.info.gap) || !dc_finite(out.info.decrement))
            complain("%s, %s: status %d and an info that is not finite", kind_name[kind], what, (int)s);
        /* a warm start that fails is followed by a cold one */
        if (out.info.iterations < 0 || out.info.iterations > 120) complain("%s, %s: %d steps", kind_name[kind], what, out.info.iterations);
    }
    return s;
}

static dc_pose pose_at(dc_v3 t)
{
    dc_pose p = DC_ZERO;
    p.q.w = 1;
    p.t = t;
    return p;
}

/* Two boxes of edge 1, `gap` apart along z, moving past each other and turning a little. */
static problem boxes(dc_barrier barrier, dc_real gap)
{
    problem p;
    int k;
    memset(&p, 0, sizeof p);
    p.na = p.nb = 8;
    p.pa = pose_at(dc_vec(R(0.2), R(0.1), 1 + gap));
    p.pb = pose_at(dc_vec(0, 0, 0));
    p.pa1 = pose_at(dc_vec(R(0.21), R(0.105), 1 + gap));
    p.pa1.q = dc_quat_exp(dc_vec(0, 0, R(0.01)));
    p.pb1 = pose_at(dc_vec(0, R(-0.002), 0));
    p.Ta = dc_pose_to_affine(p.pa);
    p.Tb = dc_pose_to_affine(p.pb);
    for (k = 0; k < 8; ++k)
        p.a[k] = p.b[k] = dc_vec(k & 1 ? R(0.5) : R(-0.5), k & 2 ? R(0.5) : R(-0.5), k & 4 ? R(0.5) : R(-0.5));
    p.o.barrier = barrier;
    p.mu = R(0.5);
    p.h = R(0.01);
    return p;
}

/* dc_pair and dc_friction read world vertices: the posed ones. */
static void to_world(problem *p)
{
    int k;
    for (k = 0; k < p->na; ++k) {
        p->a1[k] = dc_pose_apply(p->pa1, p->a[k]);
        p->a[k] = dc_pose_apply(p->pa, p->a[k]);
    }
    for (k = 0; k < p->nb; ++k) {
        p->b1[k] = dc_pose_apply(p->pb1, p->b[k]);
        p->b[k] = dc_pose_apply(p->pb, p->b[k]);
    }
}

static problem boxes_for(int kind, dc_barrier barrier, dc_real gap)
{
    problem p = boxes(barrier, gap);
    if (kind == PAIR || kind == SLIP) to_world(&p);
    return p;
}

/* Two points, on z: gap r, moving apart sidewise by the velocities given. */
static problem points(dc_barrier barrier, dc_real r, dc_real va, dc_real vb, dc_real h)
{
    problem p;
    memset(&p, 0, sizeof p);
    p.na = p.nb = 1;
    p.pa = p.pb = p.pa1 = p.pb1 = pose_at(dc_vec(0, 0, 0));
    p.a[0].z = r;
    p.a1[0] = p.a[0];
    p.a1[0].x = va*h;
    p.b1[0].x = vb*h;
    p.pa1.t.x = va*h;
    p.pb1.t.x = vb*h;
    p.Ta = p.Tb = dc_pose_to_affine(p.pa);
    p.o.barrier = barrier;
    p.mu = 1;
    p.h = h;
    return p;
}

/* ---- numbers that are not finite ------------------------------------------------------------------------------ */

/* All numbers that an entry point reads, the plane apart. */
static int numbers(problem *p, int kind, dc_real *list[256])
{
    int n = 0, k, i;
    dc_real *at;
    for (k = 0; k < p->na; ++k) for (i = 0, at = &p->a[k].x; i < 3; ++i) list[n++] = at + i;
    for (k = 0; k < p->nb; ++k) for (i = 0, at = &p->b[k].x; i < 3; ++i) list[n++] = at + i;
    if (kind == SLIP) {
        for (k = 0; k < p->na; ++k) for (i = 0, at = &p->a1[k].x; i < 3; ++i) list[n++] = at + i;
        for (k = 0; k < p->nb; ++k) for (i = 0, at = &p->b1[k].x; i < 3; ++i) list[n++] = at + i;
    }
    if (kind == RIGID || kind == SLIP_RIGID) {
        for (i = 0, at = &p->pa.q.w; i < 7; ++i) list[n++] = at + i;
        for (i = 0, at = &p->pb.q.w; i < 7; ++i) list[n++] = at + i;
    }
    if (kind == SLIP_RIGID) {
        for (i = 0, at = &p->pa1.q.w; i < 7; ++i) list[n++] = at + i;
        for (i = 0, at = &p->pb1.q.w; i < 7; ++i) list[n++] = at + i;
    }
    if (kind == AFFINE) {
        for (i = 0; i < 12; ++i) list[n++] = &p->Ta.m[i];
        for (i = 0; i < 12; ++i) list[n++] = &p->Tb.m[i];
    }
    list[n++] = &p->o.length;
    list[n++] = p->o.barrier == DC_LOCAL ? &p->o.s : &p->o.c;
    if (kind == SLIP || kind == SLIP_RIGID) {
        list[n++] = &p->f.eps_f;
        list[n++] = &p->f.eps_v;
        list[n++] = &p->f.patch;
        list[n++] = &p->mu;
        list[n++] = &p->h;
    }
    return n;
}

TEST not_finite_is_an_argument_error(void)
{
    const dc_real bad[] = {(dc_real)NAN, (dc_real)INFINITY, (dc_real)-INFINITY, DC_REAL_MAX, -DC_REAL_MAX};
    dc_real *list[256];
    int kind, barrier, i, j, n;
    char what[80];
    for (kind = 0; kind < KINDS; ++kind)
        for (barrier = 0; barrier < 2; ++barrier) {
            problem p = boxes_for(kind, barrier ? DC_LOCAL : DC_GLOBAL, R(0.01));
            if (judge(&p, kind, "sane") != DC_OK) complain("%s: the sane problem fails", kind_name[kind]);
            n = numbers(&p, kind, list);
            for (i = 0; i < n; ++i)
                for (j = 0; j < LENGTH(bad); ++j) {
                    dc_real keep = *list[i];
                    dc_status s;
                    *list[i] = bad[j];
                    snprintf(what, sizeof what, "barrier %d, number %d of %d = %g", barrier, i, n, (double)bad[j]);
                    s = judge(&p, kind, what);
                    if (s != DC_E_ARG) complain("%s, %s: %s", kind_name[kind], what, dc_status_text(s));
                    *list[i] = keep;
                }
        }
    return verdict();
}

/* Options out of range: negative, 1 for s, a barrier that is none. */
TEST options_out_of_range(void)
{
    int kind, i;
    for (kind = 0; kind < KINDS; ++kind)
        for (i = 0; i < 10; ++i) {
            problem p = boxes_for(kind, DC_LOCAL, R(0.01));
            int slip = kind == SLIP || kind == SLIP_RIGID;
            dc_status s, want = i < 4 || slip ? DC_E_ARG : DC_OK;
            if (i == 0) p.o.length = -1;
            if (i == 1) p.o.s = 1;
            if (i == 2) p.o.s = R(-0.1);
            if (i == 3) { p.o.barrier = DC_GLOBAL; p.o.c = -1; }
            if (i == 4) p.mu = -DC_REAL_MIN;
            if (i == 5) p.h = 0;
            if (i == 6) p.h = R(-0.01);
            if (i == 7) p.f.eps_f = -1;
            if (i == 8) p.f.eps_v = -1;
            if (i == 9) p.f.patch = -1;
            s = judge(&p, kind, "options");
            if (s != want) complain("%s, option case %d: %s", kind_name[kind], i, dc_status_text(s));
        }
    return verdict();
}

TEST quaternions_far_from_unit(void)
{
    const double bad[][4] = {{0, 0, 0, 0}, {2, 0, 0, 0}, {0.5, 0, 0, 0}, {1, 0.1, 0, 0}, {1e-200, 0, 0, 0}, {1e30, 0, 0, 0}, {1.001, 0, 0, 0}};
    int kind, i, which;
    for (kind = RIGID; kind < KINDS; kind += SLIP_RIGID - RIGID)
        for (i = 0; i < LENGTH(bad); ++i)
            for (which = 0; which < (kind == RIGID ? 2 : 4); ++which) {
                problem p = boxes(DC_GLOBAL, R(0.01));
                dc_pose *at = which == 0 ? &p.pa : which == 1 ? &p.pb : which == 2 ? &p.pa1 : &p.pb1;
                at->q.w = R(bad[i][0]);
                at->q.x = R(bad[i][1]);
                at->q.y = R(bad[i][2]);
                at->q.z = R(bad[i][3]);
                if (judge(&p, kind, "quaternion") != DC_E_ARG) complain("%s: quaternion %d of pose %d accepted", kind_name[kind], i, which);
            }
    return verdict();
}

/* ---- null pointers and counts ------------------------------------------------------------------------------------ */

TEST null_pointers(void)
{
    problem p = boxes(DC_GLOBAL, R(0.01)), w = boxes_for(PAIR, DC_GLOBAL, R(0.01));
    dc_hull a = hull_of(w.a, 8), b = hull_of(w.b, 8), a1 = hull_of(w.a1, 8), b1 = hull_of(w.b1, 8), none = hull_of(NULL, 8);
    dc_hull la = hull_of(p.a, 8), lb = hull_of(p.b, 8);
    dc_arena mem = dc_arena_make(memory, sizeof memory), nowhere = dc_arena_make(NULL, 1000000);
    dc_pose up = pose_at(dc_vec(0, 0, 2));
    dc_real v = 7, g[48] = {0}, shape[12*48] = {0}, z[12] = {1};
    dc_plane pl = DC_ZERO;
    dc_tri_out o;
    int n;
    memset(&o, 0, sizeof o);

    ASSERT_EQ(DC_E_ARG, dc_pair(NULL, NULL, &b, &mem, NULL, &v, NULL, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_pair(NULL, &a, NULL, &mem, NULL, &v, NULL, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_pair(NULL, &a, &none, &mem, NULL, &v, NULL, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_pair(NULL, &none, &b, &mem, NULL, &v, NULL, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_pair(NULL, &a, &b, NULL, NULL, &v, NULL, NULL, NULL));
    ASSERT_EQ(DC_E_MEMORY, dc_pair(NULL, &a, &b, &nowhere, NULL, &v, NULL, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_pair_rigid(NULL, NULL, NULL, &lb, NULL, &mem, NULL, &v, g, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_pair_rigid(NULL, &la, &up, NULL, NULL, &mem, NULL, &v, g, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_pair_rigid(NULL, &la, &up, &lb, NULL, NULL, NULL, &v, g, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_pair_rigid(NULL, &none, &up, &lb, NULL, &mem, NULL, &v, g, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_pair_affine(NULL, NULL, NULL, &lb, NULL, &mem, NULL, &v, g, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_pair_affine(NULL, &la, NULL, NULL, NULL, &mem, NULL, &v, g, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_pair_affine(NULL, &la, NULL, &none, NULL, &mem, NULL, &v, g, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_pair_affine(NULL, &la, NULL, &lb, NULL, NULL, NULL, &v, g, NULL, NULL));
    for (n = 0; n < 4; ++n) {
        const dc_real bad[4] = {-1, 2*DC_LIMIT, dci_from_bits(DCI_INF), dci_from_bits(DCI_NAN)};
        dc_hull wa = a, wl = la;
        dc_friction_load load;
        wa.radius = wl.radius = bad[n];
        ASSERT_EQ(DC_E_ARG, dc_pair(NULL, &wa, &b, &mem, NULL, &v, NULL, NULL, NULL));
        ASSERT_EQ(DC_E_ARG, dc_pair(NULL, &b, &wa, &nowhere, NULL, &v, NULL, NULL, NULL));
        ASSERT_EQ(DC_E_ARG, dc_pair_rigid(NULL, &wl, &up, &lb, NULL, &mem, NULL, &v, g, NULL, NULL));
        ASSERT_EQ(DC_E_ARG, dc_pair_affine(NULL, &lb, NULL, &wl, NULL, &mem, NULL, &v, g, NULL, NULL));
        ASSERT_EQ(DC_E_ARG, dc_friction(NULL, NULL, 1, 1, &wa, &wa, &b, &b1, &mem, NULL, &v, g, NULL, NULL, NULL));
        ASSERT_EQ(DC_E_ARG, dc_friction_rigid(NULL, NULL, 1, 1, &wl, &up, &up, &lb, NULL, NULL, &mem, NULL, &v, g, NULL, NULL, NULL));
        ASSERT_EQ(DC_E_ARG, dc_friction_open(NULL, NULL, 1, 1, &wl, &up, &lb, &up, &mem, NULL, &load));
        ASSERT_EQ(DC_E_ARG, dc_friction_shape(NULL, NULL, 1, 1, &wl, &up, &up, &lb, &up, &up, &mem, NULL, shape));
        ASSERT_EQ(DC_E_ARG, dc_friction_vjp(NULL, NULL, 1, 1, &wl, &up, &up, &lb, &up, &up, &mem, NULL, z, shape, shape + 12, shape + 24));
    }
    for (n = 0; n < 8; ++n) {
        const dc_hull *h[4] = {&a, &a1, &b, &b1};
        h[n/2] = n & 1 ? &none : NULL;
        ASSERT_EQ(DC_E_ARG, dc_friction(NULL, NULL, 1, 1, h[0], h[1], h[2], h[3], &mem, NULL, &v, g, NULL, NULL, NULL));
    }
    ASSERT_EQ(DC_E_ARG, dc_friction(NULL, NULL, 1, 1, &a, &a1, &b, &b1, NULL, NULL, &v, g, NULL, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_friction_rigid(NULL, NULL, 1, 1, NULL, NULL, NULL, &lb, NULL, NULL, &mem, NULL, &v, g, NULL, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_friction_rigid(NULL, NULL, 1, 1, &la, &up, &up, NULL, NULL, NULL, &mem, NULL, &v, g, NULL, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_friction_rigid(NULL, NULL, 1, 1, &la, &up, &up, &lb, NULL, NULL, NULL, NULL, &v, g, NULL, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_friction_shape(NULL, NULL, 1, 1, &la, &up, &up, &lb, NULL, NULL, &mem, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_friction_shape(NULL, NULL, 1, 1, &la, &up, &up, &lb, NULL, NULL, NULL, NULL, shape));
    ASSERT_EQ(DC_E_MEMORY, dc_friction_shape(NULL, NULL, 1, 1, &la, &up, &up, &lb, NULL, NULL, &nowhere, NULL, shape));
    ASSERT_EQ(DC_E_OVERLAP, dc_friction_shape(NULL, NULL, 1, 1, &la, NULL, &up, &lb, NULL, NULL, &mem, NULL, shape));
    ASSERT_EQ(DC_E_ARG, dc_friction_vjp(NULL, NULL, 1, 1, &la, &up, &up, &lb, NULL, NULL, &mem, NULL, NULL, shape, shape, shape));
    ASSERT_EQ(DC_E_ARG, dc_friction_vjp(NULL, NULL, 1, 1, &la, &up, &up, &lb, NULL, NULL, NULL, NULL, z, shape, shape, shape));
    ASSERT_EQ(DC_E_MEMORY, dc_friction_vjp(NULL, NULL, 1, 1, &la, &up, &up, &lb, NULL, NULL, &nowhere, NULL, z, shape, shape, shape));
    ASSERT_EQ(DC_E_OVERLAP, dc_friction_vjp(NULL, NULL, 1, 1, &la, NULL, &up, &lb, NULL, NULL, &mem, NULL, z, shape, shape, shape));
    z[7] = (dc_real)NAN;
    ASSERT_EQ(DC_E_ARG, dc_friction_vjp(NULL, NULL, 1, 1, &la, &up, &up, &lb, NULL, NULL, &mem, NULL, z, shape, shape, shape));
    for (n = 0; n < 12*48; ++n) ASSERT_EQ(0, shape[n]);
    ASSERT_EQ(DC_E_ARG, dc_tri_batch(NULL, 1, NULL, 1, &mem, &o));
    ASSERT_EQ(DC_E_ARG, dc_tri_batch(NULL, 1, g, 1, NULL, &o));
    ASSERT_EQ(DC_E_ARG, dc_tri_batch(NULL, 1, g, 1, &mem, NULL));
    ASSERT_EQ(DC_E_MEMORY, dc_tri_batch(NULL, 1, g, 1, &nowhere, &o));
    ASSERT_EQ(7, v);
    ASSERT_EQ(0, mem.used);
    ASSERT_EQ(0, nowhere.used);
    ASSERT_EQ(NULL, dc_arena_take(NULL, 1, 1));
    ASSERT_EQ(NULL, dc_arena_take(&nowhere, 1, 1));

    /* nothing but what is needed: options, poses, plane and all outputs NULL */
    ASSERT_EQ(DC_OK, dc_pair(NULL, &a, &b, &mem, NULL, NULL, NULL, NULL, NULL));
    ASSERT_EQ(DC_OK, dc_pair_rigid(NULL, &la, &up, &lb, NULL, &mem, NULL, NULL, NULL, NULL, NULL));
    ASSERT_EQ(DC_OK, dc_pair_affine(NULL, &a, NULL, &b, NULL, &mem, NULL, NULL, NULL, NULL, NULL));
    ASSERT_EQ(DC_E_OVERLAP, dc_pair_rigid(NULL, &la, NULL, &lb, NULL, &mem, NULL, NULL, NULL, NULL, NULL));
    ASSERT_EQ(DC_E_OVERLAP, dc_pair_affine(NULL, &la, NULL, &lb, NULL, &mem, &pl, NULL, NULL, NULL, NULL));
    ASSERT_EQ(DC_OK, dc_friction(NULL, NULL, 1, 1, &a, &a1, &b, &b1, &mem, NULL, NULL, NULL, NULL, NULL, NULL));
    ASSERT_EQ(DC_OK, dc_friction_rigid(NULL, NULL, 1, 1, &la, &up, &up, &lb, NULL, NULL, &mem, NULL, NULL, NULL, NULL, NULL, NULL));
    ASSERT_EQ(DC_E_OVERLAP, dc_friction_rigid(NULL, NULL, 1, 1, &la, NULL, &up, &lb, NULL, NULL, &mem, NULL, NULL, NULL, NULL, NULL, NULL));
    ASSERT_EQ(DC_OK, dc_centred(NULL, 3, 3, dc_vec(1, 0, 0), dc_vec(0, 0, 0), NULL, NULL, NULL));
    ASSERT_EQ(DC_E_OVERLAP, dc_centred(NULL, 3, 3, dc_vec(1, 0, 0), dc_vec(1, 0, 0), NULL, NULL, NULL));
    PASS();
}

TEST counts(void)
{
    problem w = boxes_for(PAIR, DC_GLOBAL, R(0.01));
    const int bad[] = {0, -1, INT_MIN};
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_real v = 7, x[18];
    dc_tri_out o;
    int i, j;
    memset(x, 0, sizeof x);
    memset(&o, 0, sizeof o);
    for (i = 0; i < 3; ++i)
        for (j = 0; j < 4; ++j) {
            dc_hull h[4];
            h[0] = h[1] = hull_of(w.a, 8);
            h[2] = h[3] = hull_of(w.b, 8);
            h[j].n = bad[i];
            ASSERT_EQ(DC_E_ARG, dc_pair(NULL, &h[j], &h[(j + 2)%4], &mem, NULL, &v, NULL, NULL, NULL));
            ASSERT_EQ(DC_E_ARG, dc_pair(NULL, &h[(j + 2)%4], &h[j], &mem, NULL, &v, NULL, NULL, NULL));
            ASSERT_EQ(DC_E_ARG, dc_friction(NULL, NULL, 1, 1, &h[0], &h[1], &h[2], &h[3], &mem, NULL, &v, NULL, NULL, NULL, NULL));
            ASSERT_EQ(0, (int)dc_pair_bytes(bad[i], 3));
            ASSERT_EQ(0, (int)dc_pair_bytes(3, bad[i]));
            ASSERT_EQ(0, (int)dc_friction_bytes(bad[i], 3));
            ASSERT_EQ(0, (int)dc_friction_bytes(3, bad[i]));
            ASSERT_EQ(DC_E_ARG, dc_centred(NULL, bad[i], 1, dc_vec(1, 0, 0), dc_vec(0, 0, 0), &v, NULL, NULL));
            ASSERT_EQ(DC_E_ARG, dc_centred(NULL, 1, bad[i], dc_vec(1, 0, 0), dc_vec(0, 0, 0), &v, NULL, NULL));
        }
    {
        /* more vertices than can be counted: none is read */
        dc_hull big = hull_of(w.a, INT_MAX), one = hull_of(w.b, 1), a = hull_of(w.a, 8), b = hull_of(w.b, 8);
        ASSERT_EQ(DC_E_ARG, dc_pair(NULL, &big, &one, &mem, NULL, &v, NULL, NULL, NULL));
        ASSERT_EQ(DC_E_ARG, dc_pair(NULL, &one, &big, &mem, NULL, &v, NULL, NULL, NULL));
        /* friction: counts must agree between the times */
        one.v = w.a;
        ASSERT_EQ(DC_E_ARG, dc_friction(NULL, NULL, 1, 1, &a, &one, &b, &b, &mem, NULL, &v, NULL, NULL, NULL, NULL));
    }
    {
        /* bytes: more vertices never take less, huge counts give 0 or the sum, which is above 100 bytes per vertex */
        size_t n = dc_pair_bytes(INT_MAX, INT_MAX), f = dc_friction_bytes(INT_MAX, INT_MAX);
        ASSERT(n == 0 || n/100 > (size_t)INT_MAX);
        ASSERT(f == 0 || f > n);
    }
    ASSERT_EQ(DC_E_ARG, dc_tri_batch(NULL, -1, x, 1, &mem, &o));
    ASSERT_EQ(DC_E_ARG, dc_tri_batch(NULL, 2, x, 1, &mem, &o));
    ASSERT_EQ(DC_OK, dc_tri_batch(NULL, 0, NULL, 0, &mem, &o));
    ASSERT_EQ(7, v);
    ASSERT_EQ(0, mem.used);
    PASS();
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

TEST bytes_do_not_wrap(void)
{
    size_t s;
    for (s = SIZE_MAX - 300; s < SIZE_MAX; ++s) {
        size_t count = 1;
        for (count = 1; count < 4; ++count) {
            size_t sum = dc_bytes(s, count, 100);
            if (sum < s) complain("dc_bytes(SIZE_MAX - %lu, %lu, 100) = %lu", (unsigned long)(SIZE_MAX - s), (unsigned long)count, (unsigned long)sum);
        }
    }
    if (dc_bytes(SIZE_MAX, 0, 1) != SIZE_MAX || dc_bytes(0, SIZE_MAX, 2) != SIZE_MAX || dc_bytes(1, SIZE_MAX, SIZE_MAX) != SIZE_MAX
        || dc_bytes(SIZE_MAX/2, SIZE_MAX/2, 1) != SIZE_MAX || dc_bytes(7, SIZE_MAX, 0) != 7) complain("dc_bytes at the ends");
    return verdict();
}

TEST arena_takes_what_fits(void)
{
    static unsigned char space[640];
    size_t offset, size, n;
    for (offset = 0; offset < 130; offset += 13)
        for (size = 0; size <= 300; size += 5)
            for (n = 1; n < 5; ++n) {
                dc_arena a = dc_arena_make(space + offset, size), before;
                unsigned char *p;
                before = a;
                p = (unsigned char *)dc_arena_take(&a, n, 50);
                if (!p) {
                    if (a.used != before.used) complain("a failed take moved the arena");
                    if (size >= dc_bytes(0, n, 50)) complain("%lu bytes suffice for %lu x 50", (unsigned long)size, (unsigned long)n);
                } else if ((uintptr_t)p % DC_ALIGN != 0 || p < space + offset || p + n*50 > space + offset + size || a.used > a.size)
                    complain("a take outside of the arena");
            }
    {
        dc_arena a = dc_arena_make(space, sizeof space), b;
        ASSERT_EQ(NULL, dc_arena_take(&a, SIZE_MAX, 1));
        ASSERT_EQ(NULL, dc_arena_take(&a, SIZE_MAX/2, 3));
        ASSERT_EQ(NULL, dc_arena_take(&a, SIZE_MAX/64, 64));
        ASSERT_EQ(NULL, dc_arena_take(&a, SIZE_MAX, SIZE_MAX));
        ASSERT_EQ(0, a.used);
        b = a;
        b.used = b.size + 1;                 /* a broken arena holds nothing */
        ASSERT_EQ(NULL, dc_arena_take(&b, 1, 1));
    }
    return verdict();
}

/* Exactly the bytes asked for, at every misalignment, behind a guard of the address sanitizer; and less. */
static void arena_case(const problem *p, int kind, size_t offset, size_t taken)
{
    int slip = kind == SLIP || kind == SLIP_RIGID;
    size_t bytes = slip ? dc_friction_bytes(p->na, p->nb) : dc_pair_bytes(p->na, p->nb), cut, k;
    for (cut = 0; cut <= bytes; cut += cut < 3*DC_ALIGN ? DC_ALIGN : bytes/3) {
        size_t size = taken + bytes - cut;
        unsigned char *block = (unsigned char *)malloc(offset + size);
        dc_arena mem = dc_arena_make(block + offset, size);
        dc_status s;
        for (k = 0; k < taken; ++k) block[offset + k] = 0x5a;
        mem.used = taken;
        s = call(p, kind, &mem, &out);
        if (mem.used != taken || mem.size != size || mem.base != block + offset)
            complain("%s: the arena is not as it was, %d and %d vertices", kind_name[kind], p->na, p->nb);
        for (k = 0; k < taken; ++k)
            if (block[offset + k] != 0x5a) break;
        if (k < taken) complain("%s: what was taken before is overwritten", kind_name[kind]);
        if (cut == 0 && s != DC_OK) complain("%s: %s with exactly its bytes, %d and %d vertices", kind_name[kind], dc_status_text(s), p->na, p->nb);
        if (cut > DC_ALIGN && s != DC_E_MEMORY) complain("%s: %s with %lu bytes less", kind_name[kind], dc_status_text(s), (unsigned long)cut);
        if (s != DC_OK && s != DC_E_MEMORY) complain("%s: %s with %lu bytes less", kind_name[kind], dc_status_text(s), (unsigned long)cut);
        if (s != DC_OK && memcmp(&out, &blank, sizeof out) != 0) complain("%s: outputs written without memory", kind_name[kind]);
        free(block);
    }
}

TEST arena_of_exactly_the_bytes(void)
{
    int kind, na, nb;
    for (kind = 0; kind < KINDS; ++kind)
        for (na = 1; na <= 8; na += 1 + (na > 3))
            for (nb = 1; nb <= 8; nb += 2) {
                problem p = boxes_for(kind, kind & 1 ? DC_LOCAL : DC_GLOBAL, R(0.01));
                p.na = na;
                p.nb = nb;
                arena_case(&p, kind, (size_t)(7*na + nb), 0);
                arena_case(&p, kind, (size_t)(na == 1 ? 0 : na == 2 ? 1 : 63), (size_t)(nb == 1 ? 1 : 64));
            }
    return verdict();
}

/* The answer does not depend on what the scratch held before, nor on where it is: in contact, beyond the support, overlapping. */
static void stale_memory(dc_real gap)
{
    int kind, barrier, warm, k;
    for (kind = 0; kind < KINDS; ++kind)
        for (barrier = 0; barrier < 2; ++barrier)
            for (warm = 0; warm < 3; ++warm) {
                problem p = boxes_for(kind, barrier ? DC_LOCAL : DC_GLOBAL, gap);
                dc_status s, t;
                dc_arena mem = dc_arena_make(memory, sizeof memory);
                if (warm) p.plane.n = warm == 1 ? dc_vec(R(0.1), R(0.1), R(0.8)) : dc_vec(R(0.9), R(0.1), R(0.1));
                memset(memory, 0, sizeof memory);
                s = call(&p, kind, &mem, &again);
                for (k = 0; k < 3; ++k) {
                    memset(memory, k == 0 ? 0xff : k == 1 ? 0x7f : 0x3c, sizeof memory);
                    mem = dc_arena_make(memory + 17*k, sizeof memory - 64);
                    t = call(&p, kind, &mem, &out);
                    if (s != t || memcmp(&out, &again, sizeof out) != 0) complain("%s: stale memory shows, barrier %d, warm %d", kind_name[kind], barrier, warm);
                }
            }
}

TEST stale_memory_in_contact(void)
{
    stale_memory(R(0.01));
    stale_memory(R(0.2222));
    return verdict();
}

TEST stale_memory_in_overlap(void)
{
    stale_memory(R(-0.01));
    return verdict();
}

TEST stale_memory_beyond_the_support(void)
{
    stale_memory(1);
    return verdict();
}

/* ---- shapes ------------------------------------------------------------------------------------------------------- */

/* Points z >= 0 whose lowest feature lies in z = 0 and holds the origin: a vertex, edges in three directions, a face; and the
 * flat and point-like hulls that are only that feature. */
enum { VERTEX, EDGE_X, EDGE_Y, EDGE_XY, FACE, BOX, POINT, SEGMENT, TRIANGLE, EIGHTFOLD, FEATURES };

static int shape(int feature, dc_v3 v[MAXV])
{
    int n = 0, k;
    const dc_real e = R(0.5);
    if (feature == EIGHTFOLD) {
        for (k = 0; k < 8; ++k) v[k] = dc_vec(0, 0, 0);
        return 8;
    }
    if (feature == VERTEX || feature == POINT) v[n++] = dc_vec(0, 0, 0);
    if (feature == EDGE_X || feature == SEGMENT) { v[n++] = dc_vec(-e, 0, 0);  v[n++] = dc_vec(e, 0, 0); }
    if (feature == EDGE_Y) { v[n++] = dc_vec(0, -e, 0);  v[n++] = dc_vec(0, e, 0); }
    if (feature == EDGE_XY) { v[n++] = dc_vec(-e, -e, 0);  v[n++] = dc_vec(e, e, 0); }
    if (feature == FACE || feature == BOX) for (k = 0; k < 4; ++k) v[n++] = dc_vec(k & 1 ? e : -e, k & 2 ? e : -e, 0);
    if (feature == TRIANGLE) { v[n++] = dc_vec(-e, -e, 0);  v[n++] = dc_vec(e, -e, 0);  v[n++] = dc_vec(0, e, 0); }
    if (feature == BOX) for (k = 0; k < 4; ++k) v[n++] = dc_vec(k & 1 ? e : -e, k & 2 ? e : -e, 1);
    else if (feature < BOX) {
        v[n++] = dc_vec(R(-0.25), R(-0.25), 1);
        v[n++] = dc_vec(R(0.375), R(-0.125), 1);
        v[n++] = dc_vec(R(0.125), R(0.5), 1);
        v[n] = v[n - 1];                                  /* a duplicate */
        ++n;
    }
    return n;
}

/* Hull `fa` above hull `fb` mirrored, exactly `gap` apart; `size` times as large, b `ratio` times that, squeezed in x and y. */
static problem stacked(int fa, int fb, dc_barrier barrier, dc_real gap, dc_real size, dc_real ratio, dc_real squeeze)
{
    problem p;
    int k;
    memset(&p, 0, sizeof p);
    p.na = shape(fa, p.a);
    p.nb = shape(fb, p.b);
    for (k = 0; k < p.na; ++k) p.a[k] = dc_vec(size*p.a[k].x, size*(squeeze*p.a[k].y), size*p.a[k].z);
    for (k = 0; k < p.nb; ++k) p.b[k] = dc_vec(size*(ratio*squeeze*p.b[k].x), size*(ratio*p.b[k].y), -size*(ratio*p.b[k].z));
    p.pa = pose_at(dc_vec(0, 0, size*gap));
    p.pb = p.pb1 = pose_at(dc_vec(0, 0, 0));
    p.pa1 = pose_at(dc_vec(R(0.01)*dc_min(size, 1), R(0.003)*dc_min(size, 1), size*gap));
    p.Ta = dc_pose_to_affine(p.pa);
    p.Tb = dc_pose_to_affine(p.pb);
    p.o.barrier = barrier;
    p.o.length = size;
    p.mu = R(0.5);
    p.h = R(0.01);
    return p;
}

static problem stacked_for(int kind, int fa, int fb, dc_barrier barrier, dc_real gap, dc_real size, dc_real ratio, dc_real squeeze)
{
    problem p = stacked(fa, fb, barrier, gap, size, ratio, squeeze);
    if (kind == PAIR || kind == SLIP) to_world(&p);
    return p;
}

/* What the header says of the plane: n from b to a, between the hulls; the gap along it is no more than their distance; each
 * vertex is pushed along n. */
static void check_plane(const problem *p, int kind, dc_real gap, const char *what)
{
    const dc_real noise = 16*DC_EPS;
    int k;
    if (!(out.plane.n.z > 0)) complain("%s, %s: n does not point from b to a", kind_name[kind], what);
    if (kind < SLIP && out.info.gap > gap + noise) complain("%s, %s: gap %g reported", kind_name[kind], what, (double)out.info.gap);
    if (kind != PAIR) return;
    for (k = 0; k < p->na + p->nb; ++k) {
        dc_v3 x = k < p->na ? p->a[k] : p->b[k - p->na], g = dc_vec(out.grad[3*k], out.grad[3*k + 1], out.grad[3*k + 2]);
        dc_real slack = dc_dot(x, out.plane.n) + out.plane.d, push = -dc_dot(g, out.plane.n);
        if (k >= p->na) { slack = -slack;  push = -push; }
        if (slack < -noise) complain("%s, %s: vertex %d is behind the plane by %g", kind_name[kind], what, k, -(double)slack);
        if (push < 0) complain("%s, %s: vertex %d is pulled", kind_name[kind], what, k);
    }
}

/* Every pair of features, at gaps from far to a few times the rounding: the gap is exact, so the answer has to be one.
 * DC_LOCAL carries 1-|n|, which is about (gap/length)^(5/6): below 1e-9 of the length nothing is asked here. */
TEST features_at_every_gap(void)
{
    const double gaps[] = {3, 0.2222, 0.1, 1e-3, 1e-6, 0};
    int kind, barrier, fa, fb, i;
    char what[96];
    for (kind = 0; kind < KINDS; ++kind)
        for (barrier = 0; barrier < 2; ++barrier)
            for (fa = 0; fa < FEATURES; ++fa)
                for (fb = 0; fb < FEATURES; ++fb) {
                    if ((kind == SLIP || kind == SLIP_RIGID || kind == AFFINE) && (fa + 3*fb + kind)%4 != 0) continue;
                    for (i = 0; i < LENGTH(gaps); ++i) {
                        dc_real gap = i < LENGTH(gaps) - 1 ? R(gaps[i]) : barrier ? 256*DC_EPS*R(DC_IS_FLOAT ? 1 : 1e5) : 256*DC_EPS;
                        problem p = stacked_for(kind, fa, fb, barrier ? DC_LOCAL : DC_GLOBAL, gap, 1, 1, 1);
                        dc_status s;
                        snprintf(what, sizeof what, "barrier %d, features %d %d, gap %g", barrier, fa, fb, (double)gap);
                        s = judge(&p, kind, what);
                        if (DC_IS_FLOAT && barrier && gap < R(1e-5) && s == DC_E_RANGE) continue;    /* the Hessian is 1/g^7 */
                        if (s != DC_OK) complain("%s, %s: %s", kind_name[kind], what, dc_status_text(s));
                        else if (barrier && gap >= R(0.2223) && (out.value > 0 || out.value < 0)) complain("%s, %s: not idle", kind_name[kind], what);
                        else if (barrier && gap < R(0.2222) && !(out.value > 0)) complain("%s, %s: value 0", kind_name[kind], what);
                        if (s == DC_OK) check_plane(&p, kind, gap, what);
                    }
                }
    return verdict();
}

/* Exactly touching, and overlapping a little or entirely. */
TEST touching_is_overlap(void)
{
    const double depth[] = {0, 1e-3, 0.4};
    int kind, barrier, fa, fb, i;
    char what[96];
    for (kind = 0; kind < KINDS; ++kind)
        for (barrier = 0; barrier < 2; ++barrier)
            for (fa = 0; fa < FEATURES; ++fa)
                for (fb = 0; fb < FEATURES; ++fb)
                    for (i = 0; i < LENGTH(depth); ++i) {
                        problem p = stacked_for(kind, fa, fb, barrier ? DC_LOCAL : DC_GLOBAL, -R(depth[i]), 1, 1, 1);
                        dc_status s;
                        if (depth[i] > 0 && (fa >= POINT || fb >= POINT)) continue;      /* nothing below the plane to overlap */
                        snprintf(what, sizeof what, "barrier %d, features %d %d, depth %g", barrier, fa, fb, depth[i]);
                        s = judge(&p, kind, what);
                        if (s != DC_E_OVERLAP) complain("%s, %s: %s", kind_name[kind], what, dc_status_text(s));
                    }
    return verdict();
}

TEST identical_and_nested(void)
{
    int kind, barrier, f, scale, k;
    char what[64];
    for (kind = 0; kind < KINDS; ++kind)
        for (barrier = 0; barrier < 2; ++barrier)
            for (f = 0; f < FEATURES; ++f)
                for (scale = 0; scale < 3; ++scale) {
                    problem p = stacked_for(kind, f, f, barrier ? DC_LOCAL : DC_GLOBAL, 0, 1, 1, 1);
                    dc_real w = scale == 0 ? 1 : scale == 1 ? R(0.5) : R(1e-6);
                    dc_v3 c = scale == 0 ? dc_vec(0, 0, 0) : dc_vec(0, 0, f < POINT ? R(0.5) : 0);
                    /* b: a itself, a smaller one, a tiny one inside */
                    p.nb = p.na;
                    for (k = 0; k < p.na; ++k) p.b[k] = dc_add(c, dc_scale(w, dc_sub(p.a[k], c)));
                    snprintf(what, sizeof what, "barrier %d, feature %d in itself, times %g", barrier, f, (double)w);
                    if (judge(&p, kind, what) != DC_E_OVERLAP) complain("%s, %s: not overlap", kind_name[kind], what);
                }
    return verdict();
}

/* Sizes to the ends of the range, in units of the size: the potential is that of size 1, derivatives scale. The status is DC_OK
 * unless the largest derivative does not fit. */
TEST sizes_to_the_ends(void)
{
    const double wide[] = {1e-300, 1e-150, 1e-120, 1e-100, 1e-60, 1e-3, 1e3, 1e30, 1e70};
    const double narrow[] = {1e-30, 1e-18, 1e-15, 1e-12, 1e-8, 1e-3, 1e3, 1e5, 1e8};
    const double gaps[] = {0.1, 1e-3};
    int kind, barrier, f, i, g;
    char what[96];
    for (kind = 0; kind < KINDS; ++kind)
        for (barrier = 0; barrier < 2; ++barrier)
            for (i = 0; i < 9; ++i)
                for (f = 0; f < 3; ++f)
                    for (g = 0; g < 2; ++g) {
                        double size = DC_IS_FLOAT ? narrow[i] : wide[i], l = log10(size), most;
                        const int fa[3] = {BOX, EDGE_X, POINT}, fb[3] = {FACE, EDGE_XY, TRIANGLE};
                        problem p = stacked_for(kind, fa[f], fb[f], barrier ? DC_LOCAL : DC_GLOBAL, R(gaps[g]), R(size), 1, 1);
                        dc_status s;
                        /* log10 of the largest derivative, within two */
                        most = (barrier ? -7 : -3)*log10(gaps[g]) + 2;
                        if (kind == PAIR || kind == RIGID || kind == AFFINE) most += fmax(-2*l, 0);
                        else most += 8 + fmax(-2*l, 0);
                        snprintf(what, sizeof what, "barrier %d, size %g, gap %g of it, pair %d", barrier, size, gaps[g], f);
                        /* a length below 1/DC_LIMIT is refused */
                        s = judge(&p, kind, what);
                        if (size < 1/(double)DC_LIMIT*1.01) {
                            if (s != DC_E_ARG) complain("%s, %s: %s", kind_name[kind], what, dc_status_text(s));
                            continue;
                        }
                        if (s != DC_OK && !(s == DC_E_RANGE && most > (DC_IS_FLOAT ? 33 : 300)))
                            complain("%s, %s: %s", kind_name[kind], what, dc_status_text(s));
                    }
    return verdict();
}

/* The same sizes with length 1: tiny pairs overflow and have to say so. */
TEST tiny_sizes_in_units_of_one(void)
{
    int kind, barrier, e;
    char what[96];
    for (kind = 0; kind < KINDS; ++kind)
        for (barrier = 0; barrier < 2; ++barrier)
            for (e = 0; e > (DC_IS_FLOAT ? -37 : -306); e -= DC_IS_FLOAT ? 1 : 6) {
                double size = pow(10, e), range = DC_IS_FLOAT ? 38 : 308;
                problem p = stacked_for(kind, BOX, FACE, barrier ? DC_LOCAL : DC_GLOBAL, R(0.125), R(size), 1, 1);
                dc_status s;
                double most = barrier ? -7*e + 3 : -3*e + 3;
                p.o.length = 1;
                snprintf(what, sizeof what, "barrier %d, size 1e%d", barrier, e);
                s = judge(&p, kind, what);
                if (s != DC_OK && s != DC_E_RANGE && !(barrier && s == DC_E_DIVERGED && size < (DC_IS_FLOAT ? 1e-4 : 1e-9)))
                    complain("%s, %s: %s", kind_name[kind], what, dc_status_text(s));
                if (s == DC_E_RANGE && most + 12 < range && kind < SLIP) complain("%s, %s: fits, but %s", kind_name[kind], what, dc_status_text(s));
            }
    return verdict();
}

/* Needles and plates of 1e6 : 1, one hull 1e6 times the other. */
TEST flat_needle_and_mixed_sizes(void)
{
    const double squeeze[] = {1e-6, 1e6, 1}, ratio[] = {1, 1e6, 1e-6}, gaps[] = {0.1, 1e-3};
    int kind, barrier, fa, fb, i, j, g;
    char what[128];
    for (kind = 0; kind < KINDS; ++kind)
        for (barrier = 0; barrier < 2; ++barrier)
            for (fa = 0; fa < FEATURES; ++fa)
                for (fb = fa%3; fb < FEATURES; fb += 3)
                    for (i = 0; i < 3; ++i)
                        for (j = 0; j < 3; ++j)
                            for (g = 0; g < 2; ++g) {
                                dc_real gap = R(gaps[g]);
                                double L = (ratio[j] > 1 ? ratio[j] : 1)*(squeeze[i] > 1 ? squeeze[i] : 1);
                                problem p;
                                dc_status s;
                                if (i == 2 && j == 0) continue;
                                if (kind >= AFFINE && (fa + fb + i + j)%3 != 0) continue;
                                if (L*EPS > 0.02*(double)gap) continue;                 /* the gap is lost in the rounding of the size */
                                p = stacked_for(kind, fa, fb, barrier ? DC_LOCAL : DC_GLOBAL, gap, 1, R(ratio[j]), R(squeeze[i]));
                                snprintf(what, sizeof what, "barrier %d, features %d %d, squeeze %g, ratio %g, gap %g", barrier, fa, fb,
                                         squeeze[i], ratio[j], (double)gap);
                                s = judge(&p, kind, what);
                                if (s != DC_OK) complain("%s, %s: %s", kind_name[kind], what, dc_status_text(s));
                            }
    return verdict();
}

/* 1e6 from the origin, the gap a few units in the last place of that. */
TEST offset_and_a_few_ulp(void)
{
    int kind, barrier, fa, fb, k, ulps;
    char what[96];
    for (kind = PAIR; kind <= SLIP; kind += SLIP)
        for (barrier = 0; barrier < 2; ++barrier)
            for (fa = 0; fa < FEATURES; ++fa)
                for (fb = 0; fb < FEATURES; ++fb)
                    for (ulps = 0; ulps < 5; ++ulps) {
                        problem p = stacked(fa, fb, barrier ? DC_LOCAL : DC_GLOBAL, 0, 16, 1, 1);
                        const dc_real off = R(1048576.0), ulp = off*DC_EPS;
                        dc_status s;
                        p.o.length = 1;
                        p.h = 16;
                        p.pa.t = dc_vec(off, -off, off + R(ulps)*ulp);
                        p.pa1.t = dc_vec(off + 1, -off, off + R(ulps)*ulp);
                        p.pb.t = p.pb1.t = dc_vec(off, -off, off);
                        to_world(&p);
                        for (k = 0; k < p.na; ++k) p.a[k].z = dc_max(p.a[k].z, off + R(ulps)*ulp);
                        snprintf(what, sizeof what, "barrier %d, features %d %d, %d ulp of the offset", barrier, fa, fb, ulps);
                        s = judge(&p, kind, what);
                        if (ulps > 0 && barrier && !DC_IS_FLOAT && s == DC_E_DIVERGED) continue;      /* 1e-10 of the length */
                        if (ulps == 0 ? s != DC_E_OVERLAP : s != DC_OK) complain("%s, %s: %s", kind_name[kind], what, dc_status_text(s));
                    }
    return verdict();
}

/* Gaps down to nothing between hulls of size 1 at the origin: an answer, overlap or out of range; no other status, and not slowly. */
TEST gaps_below_the_rounding(void)
{
    int kind, barrier, fa, fb, e;
    char what[96];
    for (kind = 0; kind < KINDS; ++kind)
        for (barrier = 0; barrier < 2; ++barrier)
            for (fa = 0; fa < FEATURES; ++fa)
                for (fb = 0; fb < FEATURES; ++fb)
                    for (e = 6; e > -8; --e) {
                        problem p = stacked_for(kind, fa, fb, barrier ? DC_LOCAL : DC_GLOBAL, DC_EPS*R(pow(2, e)), 1, 1, 1);
                        dc_status s;
                        if ((fa + fb + e + kind + 16)%3 != 0) continue;
                        snprintf(what, sizeof what, "barrier %d, features %d %d, gap 2^%d eps", barrier, fa, fb, e);
                        s = judge(&p, kind, what);
                        if (s != DC_OK && s != DC_E_OVERLAP && s != DC_E_RANGE && s != DC_E_DIVERGED) complain("%s, %s: %s", kind_name[kind], what, dc_status_text(s));
                    }
    return verdict();
}

/* Random turns of all that: separated by much more than the rounding is DC_OK. */
TEST turned_shapes(void)
{
    rng r;
    long n = sweep_count(3000);
    char what[160];
    rng_seed(&r, 77);
    while (n-- > 0) {
        int fa = rng_int(&r, 0, FEATURES - 1), fb = rng_int(&r, 0, FEATURES - 1), kind = n%3 == 0 ? RIGID : n%3 == 1 ? AFFINE : SLIP_RIGID;
        int barrier = rng_int(&r, 0, 1);
        double sq = rng_log(&r, 1e-6, 1), ratio = rng_log(&r, 1e-2, 1e2), L = ratio > 1 ? ratio : 1;
        double gap = rng_log(&r, (DC_IS_FLOAT ? 3e3 : barrier ? 1e7 : 1e5)*EPS*L, 10*L);
        problem p = stacked(fa, fb, barrier ? DC_LOCAL : DC_GLOBAL, R(gap), 1, R(ratio), R(sq));
        dc_pose turn;
        dc_status s;
        turn.q = dc_quat_exp(dc_vec(R(rng_normal(&r)), R(rng_normal(&r)), R(rng_normal(&r))));
        turn.t = dc_vec(R(rng_normal(&r)), R(rng_normal(&r)), R(rng_normal(&r)));
        p.pa = dc_pose_mul(turn, p.pa);
        p.pb = dc_pose_mul(turn, p.pb);
        p.pa1 = dc_pose_mul(turn, p.pa1);
        p.pb1 = dc_pose_mul(turn, p.pb1);
        p.Ta = dc_pose_to_affine(p.pa);
        p.Tb = dc_pose_to_affine(p.pb);
        snprintf(what, sizeof what, "barrier %d, features %d %d, squeeze %g, ratio %g, gap %g", barrier, fa, fb, sq, ratio, gap);
        s = judge(&p, kind, what);
        if (barrier && s == DC_E_RANGE && DC_IS_FLOAT && gap < 1e-4) continue;
        if (s != DC_OK) complain("%s, %s: %s", kind_name[kind], what, dc_status_text(s));
    }
    return verdict();
}

/* ---- two points: closed forms ---------------------------------------------------------------------------------------- */

typedef struct { double P, F, H, zero; } radial;   /* value, -dP/dr, d2P/dr2 */

static radial global_points(double r, double c, double length)
{
    radial x;
    double G = 4*(length/r), root = sqrt(c) + sqrt(G);
    x.P = root*root;
    x.F = root*sqrt(G)/r;
    x.H = (0.5*G + 1.5*root*sqrt(G))/r/r;
    x.H = (1.5*sqrt(c)*sqrt(G) + 2*G)/r/r;
    x.zero = 0;
    return x;
}

static double ps(double x, double s) { return x < s ? pow((s - x)/x, 4)/x : 0; }
static double ps1(double x, double s) { double w = s - x; return w > 0 ? -pow(w/x, 3)*(4*x + 5*w)/x/x/x : 0; }

/* min over e = 1-|n| of P_s(e) + 2 P_s((1-e) g/2), g = r/length */
static radial local_points(double r, double s, double length)
{
    radial x;
    double g = r/length, lo = 0, hi = s;
    int k;
    /* bisected by e, or by w = s - e where that is the smaller one: neither it nor |n| = (1 - s) + w cancels */
    for (k = 0; k < 400; ++k) {
        double e = 0.5*(lo + hi);
        if (ps1(e, s) - g*ps1((1 - e)*g/2, s) > 0) hi = e;
        else lo = e;
    }
    if (lo > 0.5*s) {
        double w0 = 0, w1 = s;
        for (k = 0; k < 400; ++k) {
            double w = 0.5*(w0 + w1), q = w/(s - w), tau = (1 - s) + w;
            if (-q*q*q*(4*(s - w) + 5*w)/(s - w)/(s - w)/(s - w) - g*ps1(tau*g/2, s) > 0) w0 = w;
            else w1 = w;
        }
        x.P = pow(w0/(s - w0), 4)/(s - w0) + 2*ps(((1 - s) + w0)*g/2, s);
        x.F = -((1 - s) + w0)*ps1(((1 - s) + w0)*g/2, s)/length;
    } else {
        x.P = ps(lo, s) + 2*ps((1 - lo)*g/2, s);
        x.F = -(1 - lo)*ps1((1 - lo)*g/2, s)/length;
    }
    x.H = x.zero = 0;
    return x;
}

static int fits(double x) { return fabs(x) < 0.03*(double)DC_REAL_MAX; }

static double off(double got, double want) { return fabs(got - want)/fabs(want); }

/* value alone, then value and gradient, then all: what fits is given, to rounding */
static void check_points(const problem *p, radial want, double bar, const char *what)
{
    dc_hull a = hull_of(p->a, 1), b = hull_of(p->b, 1);
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_real v = -7, g[6];
    dc_status s = dc_pair(&p->o, &a, &b, &mem, NULL, &v, NULL, NULL, NULL);
    memset(g, 0, sizeof g);
    if (!fits(want.P)) {
        if (want.P > 32*(double)DC_REAL_MAX && s != DC_E_RANGE) complain("%s: value %g does not fit, but %s", what, want.P, dc_status_text(s));
        return;
    }
    if (s != DC_OK) {
        complain("%s: %s, where P = %g", what, dc_status_text(s), want.P);
        return;
    }
    if (want.P > 1e3*(double)DC_REAL_MIN && !(off((double)v, want.P) <= bar)) complain("%s: P = %.17g, not %.17g", what, (double)v, want.P);
    s = dc_pair(&p->o, &a, &b, &mem, NULL, &v, g, NULL, NULL);
    if (!fits(want.F)) return;
    if (s != DC_OK) {
        complain("%s: %s, where dP/dr = %g", what, dc_status_text(s), -want.F);
        return;
    }
    if (want.F > 1e3*(double)DC_REAL_MIN && !(off(-(double)g[2], want.F) <= 4*bar)) complain("%s: dP/dr = %.17g, not %.17g", what, (double)g[2], -want.F);
}

TEST two_points_global(void)
{
    char what[128];
    rng r;
    long n = sweep_count(4000);
    rng_seed(&r, 3);
    while (n-- > 0) {
        double d = DC_IS_FLOAT ? rng_log(&r, 1e-36, 1e8) : rng_log(&r, 1e-300, 1e70);
        double c = DC_IS_FLOAT ? rng_log(&r, 2e-9, 5e8) : rng_log(&r, 1e-70, 1e70), l = DC_IS_FLOAT ? rng_log(&r, 2e-9, 5e8) : rng_log(&r, 1e-70, 1e70);
        problem p = points(DC_GLOBAL, R(d), 0, 0, 1);
        if (n & 1) { c = 4;  l = 1; }
        if (n & 2) d = DC_IS_FLOAT ? rng_log(&r, 1e-12, 1e6) : rng_log(&r, 1e-100, 1e30);
        p.a[0].z = R(d);
        p.o.c = R(c);
        p.o.length = R(l);
        snprintf(what, sizeof what, "points %g apart, c %g, length %g", d, c, l);
        check_points(&p, global_points((double)p.a[0].z, (double)p.o.c, (double)p.o.length), 40*EPS, what);
    }
    return verdict();
}

TEST two_points_local(void)
{
    const double supports[] = {DC_IS_FLOAT ? 0.02 : 0.001, 0.01, 0.03, 0.1, 0.3, 0.5, 0.7, 0.9};
    char what[128];
    rng r;
    long n = sweep_count(4000);
    rng_seed(&r, 4);
    while (n-- > 0) {
        double s = supports[n%8], reach = 2*s/(1 - s), l = n%3 ? 1 : DC_IS_FLOAT ? rng_log(&r, 1e-6, 1e6) : rng_log(&r, 1e-40, 1e40);
        double d = reach*l*(1 - rng_log(&r, 1e-3, 0.999)), cond;
        problem p = points(DC_LOCAL, R(d), 0, 0, 1);
        radial want;
        p.o.s = R(s);
        p.o.length = R(l);
        want = local_points((double)p.a[0].z, (double)p.o.s, (double)p.o.length);
        if (want.P <= 0) continue;
        cond = 1 + (double)p.a[0].z*want.F/want.P;
        snprintf(what, sizeof what, "points %g apart, s %g, length %g", d, s, l);
        check_points(&p, want, 40*EPS*cond, what);
    }
    return verdict();
}

/* Gaps tiny against the support: the value is large but fits. */
TEST two_points_local_close(void)
{
    char what[128];
    rng r;
    long n = sweep_count(2000);
    rng_seed(&r, 5);
    while (n-- > 0) {
        double s = n%2 ? 0.1 : rng_log(&r, DC_IS_FLOAT ? 0.02 : 0.001, 0.9), d = s*(DC_IS_FLOAT ? rng_log(&r, 1e-4, 1e-1) : rng_log(&r, 1e-8, 1e-1));
        problem p;
        radial want;
        if (DC_IS_FLOAT && d < 2e-5) d = 2e-5;                  /* the solver's limit for DC_LOCAL */
        p = points(DC_LOCAL, R(d), 0, 0, 1);
        p.o.s = R(s);
        want = local_points((double)p.a[0].z, (double)p.o.s, 1);
        snprintf(what, sizeof what, "points %g apart, s %g", d, s);
        check_points(&p, want, 400*EPS, what);
    }
    return verdict();
}

/* ---- the end of the local support ---------------------------------------------------------------------------------------- */

TEST end_of_the_support(void)
{
    const double supports[] = {0.5, 0.1, DC_IS_FLOAT ? 0.05 : 0.01, DC_IS_FLOAT ? 0.02 : 0.001, 0.9, 0.95};
    const double away[] = {0, 1e-12, -1e-12, 1e-14, -1e-14, 1e-6, -1e-6, 2.3e-16, -2.3e-16, 1e-9, -1e-9, 1e-4, -1e-4};
    int kind, f, i, j, warm;
    char what[128];
    for (kind = 0; kind < KINDS; ++kind)
        for (f = 0; f < 5; ++f)
            for (i = 0; i < LENGTH(supports); ++i)
                for (j = 0; j < LENGTH(away); ++j)
                    for (warm = 0; warm < ((kind + f + i + j)%3 ? 1 : 3); ++warm) {
                        const int fa[5] = {FACE, EDGE_X, VERTEX, POINT, BOX}, fb[5] = {FACE, EDGE_XY, FACE, POINT, EDGE_Y};
                        dc_real s = R(supports[i]), end = 2*s/(1 - s), gap = end + end*R(away[j]);
                        problem p = stacked_for(kind, fa[f], fb[f], DC_LOCAL, gap, 1, 1, 1);
                        double slack = 64*EPS*(1 + 1/(double)s + 1/(1 - (double)s)), rel = ((double)gap - (double)end)/(double)end;
                        dc_status st;
                        p.o.s = s;
                        if (warm) p.plane.n.z = warm == 1 ? 1 - s : 1 - R(0.5)*s;
                        if (warm) p.plane.d = -p.plane.n.z*R(0.5)*gap;
                        snprintf(what, sizeof what, "s %g, relative gap beyond the end %g, pair %d, warm %d", (double)s, rel, f, warm);
                        st = judge(&p, kind, what);
                        if (st != DC_OK) complain("%s, %s: %s", kind_name[kind], what, dc_status_text(st));
                        /* within its support P grows as the fourth power of the distance to its end */
                        else if (rel >= 0 && rel < slack && (double)out.value > pow(slack, 3)) complain("%s, %s: value %g", kind_name[kind], what, (double)out.value);
                        else if (rel >= slack) {
                            size_t n = entries(&p, kind), k;
                            int zero = !(out.value > 0);
                            for (k = 0; k < n; ++k) zero = zero && !(dc_abs(out.grad[k]) > 0);
                            for (k = 0; k < n*n; ++k) zero = zero && !(dc_abs(out.hess[k]) > 0);
                            if (!zero) complain("%s, %s: not exactly zero", kind_name[kind], what);
                        }
                    }
    return verdict();
}

/* Cold, at and beyond the end exactly: 0, not nearly 0. */
TEST exactly_zero_beyond(void)
{
    int kind, k;
    for (kind = 0; kind < KINDS; ++kind)
        for (k = 0; k < 4; ++k) {
            problem p = stacked_for(kind, FACE, k & 1 ? FACE : EDGE_X, DC_LOCAL, 2 + 2*R(k)*DC_EPS, 1, 1, 1);
            dc_status s;
            size_t n = entries(&p, kind), i;
            p.o.s = R(0.5);
            s = judge(&p, kind, "s 1/2, gap 2");
            if (s != DC_OK || out.value > 0) complain("%s: %s, %g", kind_name[kind], dc_status_text(s), (double)out.value);
            for (i = 0; i < n*n; ++i)
                if (s == DC_OK && dc_abs(out.hess[i]) > 0) { complain("%s: Hessian", kind_name[kind]);  break; }
        }
    return verdict();
}

/* ---- the caller's plane ---------------------------------------------------------------------------------------------------- */

static dc_plane any_plane(rng *r, long k, dc_real middle)
{
    dc_plane p = DC_ZERO;
    double u[3], len = DC_IS_FLOAT ? rng_log(r, 1e-36, 1) : rng_log(r, 1e-300, 1);
    rng_unit3(r, u);
    if (k%3 == 0) { u[0] *= 0.1;  u[1] *= 0.1;  u[2] = 1; }
    if (k%4 == 0) len = rng_uniform(r, 0, 1);
    if (k%16 == 1) len = 1;
    if (k%16 == 2) len = 1 - rng_log(r, EPS, 0.1);
    if (k%16 == 3) len = rng_log(r, 1, 1e30);
    p.n = dc_vec(R(len*u[0]), R(len*u[1]), R(len*u[2]));
    if (k%3 == 0) p.d = -p.n.z*middle*R(rng_uniform(r, 0, 2));       /* through the gap or near it */
    else p.d = R(rng_normal(r)*len);
    if (k%16 == 5) p.d = R(rng_normal(r)*(DC_IS_FLOAT ? 1e37 : 1e300));
    if (k%32 == 6) p.d = (dc_real)NAN;
    if (k%32 == 7) p.n.y = (dc_real)INFINITY;
    if (k%32 == 8) p.n = dc_vec(0, 0, 1);
    if (k%32 == 9) { p.n = dc_vec(0, 0, R(0.5));  p.d = -R(0.5)*middle; }
    if (k%32 == 10) p.n.x = (dc_real)NAN;
    if (k%32 == 11) p.d = DC_REAL_MAX;
    if (k%32 == 12) p.d = -DC_REAL_MAX;
    if (k%32 == 13) p.n = dc_vec(0, 0, DC_REAL_MIN);
    if (k%32 == 14) p.n = dc_vec(DC_REAL_MAX, DC_REAL_MAX, DC_REAL_MAX);
    if (k%32 == 15) p.d = (dc_real)INFINITY;
    return p;
}

/* Whatever plane is given, value and gradient are those of a cold start. */
TEST any_plane_is_safe(void)
{
    const double gaps[] = {0.5, 0.1, 1e-2, 1e-4, 1e-6};
    rng r;
    long n = sweep_count(3000);
    char what[200];
    rng_seed(&r, 5);
    while (n-- > 0) {
        int kind = (int)(n%KINDS), barrier = rng_int(&r, 0, 1), fa = rng_int(&r, 0, FEATURES - 1), fb = rng_int(&r, 0, FEATURES - 1);
        dc_real gap = R(gaps[rng_int(&r, 0, DC_IS_FLOAT ? 3 : 4)]);
        double bar, d = 0, m = 0;
        problem p = stacked_for(kind, fa, fb, barrier ? DC_LOCAL : DC_GLOBAL, gap, 1, 1, 1);
        dc_status s, cold;
        size_t k;
        cold = judge(&p, kind, "cold");
        again = out;
        p.plane = any_plane(&r, rng_int(&r, 0, 1000000), R(0.5)*gap);
        bar = (barrier ? 2000 : 400)*EPS*(1 + 3/(double)gap);
        if (kind >= SLIP) bar *= 8;
        snprintf(what, sizeof what, "barrier %d, features %d %d, gap %g, plane %.9g %.9g %.9g, %.9g", barrier, fa, fb, (double)gap,
                 (double)p.plane.n.x, (double)p.plane.n.y, (double)p.plane.n.z, (double)p.plane.d);
        s = judge(&p, kind, what);
        if (s != cold) complain("%s, %s: %s, cold: %s", kind_name[kind], what, dc_status_text(s), dc_status_text(cold));
        if (s != DC_OK || cold != DC_OK) continue;
        for (k = 0; k < entries(&p, kind); ++k) {
            d = fmax(d, fabs((double)out.grad[k] - (double)again.grad[k]));
            m = fmax(m, fabs((double)again.grad[k]));
        }
        if (fabs((double)out.value - (double)again.value) > bar*(double)again.value || d > bar*m)
            complain("%s, %s: value %.9g, cold %.9g, gradient off by %.2g (bar %.2g)", kind_name[kind], what, (double)out.value,
                     (double)again.value, m > 0 ? d/m : d, bar);
    }
    return verdict();
}

/* A right plane given with a normal of any length: separating, or next to touching one of the hulls. */
TEST planes_of_any_length(void)
{
    int kind, barrier, e, g, k;
    char what[128];
    for (kind = 0; kind < KINDS; ++kind)
        for (barrier = 0; barrier < 2; ++barrier)
            for (g = 0; g < 3; ++g)
                for (e = 0; e > (DC_IS_FLOAT ? -128 : -1024); e -= DC_IS_FLOAT ? 3 : e < -500 && e > -516 ? 1 : 24)
                    for (k = (e & 1) + (g == 0); k < 3; k += 2) {
                        const double gaps[] = {0.1, 1e-3, 1e-6};
                        dc_real gap = R(gaps[g]);
                        problem p = stacked_for(kind, BOX, TRIANGLE, barrier ? DC_LOCAL : DC_GLOBAL, gap, 1, 1, 1);
                        dc_status s, cold;
                        if (DC_IS_FLOAT && g == 2) continue;
                        cold = judge(&p, kind, "cold");
                        p.plane.n.z = R(ldexp(0.99, e));
                        p.plane.d = -p.plane.n.z*(k == 0 ? R(0.5)*gap : k == 1 ? gap*(1 - 8*DC_EPS) : gap*R(1e-6));
                        snprintf(what, sizeof what, "barrier %d, gap %g, plane 0 0 %g, %.9g", barrier, (double)gap, (double)p.plane.n.z, (double)p.plane.d);
                        s = judge(&p, kind, what);
                        if (s != cold) complain("%s, %s: %s, cold: %s", kind_name[kind], what, dc_status_text(s), dc_status_text(cold));
                    }
    return verdict();
}

/* The direction of a plane that separates by little: where to start from is the header's business. */
TEST planes_that_barely_separate(void)
{
    int kind, barrier, k;
    char what[128];
    for (kind = 0; kind < KINDS; ++kind)
        for (barrier = 0; barrier < 2; ++barrier)
            for (k = 1; k < 40; ++k) {
                const dc_real gap = R(0.125);
                problem p = stacked_for(kind, POINT, FACE, barrier ? DC_LOCAL : DC_GLOBAL, gap, 1, 1, 1);
                /* b's edge x = 1/2 and the point (0, 0, 1/8): n.x/2 <= n.z/8 separates */
                dc_real nx = R(0.7)*R(0.25)*(1 - R(ldexp(1, -k))), s2;
                dc_status s;
                p.plane.n = dc_vec(nx, 0, R(0.7));
                s2 = R(0.5)*(R(0.5)*nx + R(0.7)*gap);
                p.plane.d = k%2 ? -s2 : 5;
                snprintf(what, sizeof what, "barrier %d, plane %.9g 0 0.7, %.9g", barrier, (double)nx, (double)p.plane.d);
                s = judge(&p, kind, what);
                if (s != DC_OK) complain("%s, %s: %s", kind_name[kind], what, dc_status_text(s));
            }
    return verdict();
}

/* No plane makes an overlap anything else. */
TEST no_plane_hides_an_overlap(void)
{
    rng r;
    long n = sweep_count(1500);
    rng_seed(&r, 6);
    while (n-- > 0) {
        int kind = (int)(n%KINDS), barrier = rng_int(&r, 0, 1), fa = rng_int(&r, 0, BOX), fb = rng_int(&r, 0, BOX);
        problem p = stacked_for(kind, fa, fb, barrier ? DC_LOCAL : DC_GLOBAL, n%2 ? 0 : R(-0.01), 1, 1, 1);
        p.plane = any_plane(&r, n, 0);
        if (judge(&p, kind, "overlap") != DC_E_OVERLAP) complain("%s: not overlap", kind_name[kind]);
    }
    return verdict();
}

/* Beyond the support no plane makes the value anything but 0; inside it none makes it 0. */
TEST no_plane_moves_the_support(void)
{
    rng r;
    long n = sweep_count(2000);
    char what[160];
    rng_seed(&r, 7);
    while (n-- > 0) {
        int kind = (int)(n%KINDS), fa = rng_int(&r, 0, FEATURES - 1), fb = rng_int(&r, 0, FEATURES - 1), beyond = rng_int(&r, 0, 1);
        dc_real gap = R(beyond ? 2/9.0*(1 + rng_log(&r, 1e-3, 10)) : 2/9.0*(1 - rng_log(&r, 1e-2, 0.9)));
        problem p = stacked_for(kind, fa, fb, DC_LOCAL, gap, 1, 1, 1);
        dc_status s;
        p.plane = any_plane(&r, n, R(0.5)*gap);
        snprintf(what, sizeof what, "features %d %d, gap %g, plane %.9g %.9g %.9g, %.9g", fa, fb, (double)gap, (double)p.plane.n.x,
                 (double)p.plane.n.y, (double)p.plane.n.z, (double)p.plane.d);
        s = judge(&p, kind, what);
        if (s != DC_OK) complain("%s, %s: %s", kind_name[kind], what, dc_status_text(s));
        else if (beyond ? out.value > 0 : !(out.value > 0)) complain("%s, %s: value %g", kind_name[kind], what, (double)out.value);
    }
    return verdict();
}

/* ---- numbers that overflow ----------------------------------------------------------------------------------------------- */

/* Affine maps that shrink huge body coordinates, or stretch tiny ones: the derivatives by the map overflow or underflow. */
TEST affine_maps_of_every_size(void)
{
    int barrier, e;
    char what[64];
    for (barrier = 0; barrier < 2; ++barrier)
        for (e = DC_IS_FLOAT ? -36 : -300; e <= (DC_IS_FLOAT ? 36 : 300); e += DC_IS_FLOAT ? 3 : 20) {
            problem p = boxes(barrier ? DC_LOCAL : DC_GLOBAL, R(0.01));
            dc_status s;
            int k, i;
            for (k = 0; k < 8; ++k) {
                p.a[k] = dc_scale(R(pow(10, e)), p.a[k]);
                p.b[k] = dc_scale(R(pow(10, e)), p.b[k]);
            }
            for (i = 0; i < 12; ++i)
                if (i%4 != 3) {
                    p.Ta.m[i] *= R(pow(10, -e));
                    p.Tb.m[i] *= R(pow(10, -e));
                }
            snprintf(what, sizeof what, "barrier %d, body coordinates 1e%d", barrier, e);
            s = judge(&p, AFFINE, what);
            if (s != DC_OK && s != DC_E_RANGE && s != DC_E_ARG) complain("%s: %s", what, dc_status_text(s));
            if (abs(e) < (DC_IS_FLOAT ? 9 : 70) && s != DC_OK) complain("%s: %s", what, dc_status_text(s));
        }
    return verdict();
}

/* Maps that flatten, or send everything to one point. */
TEST affine_maps_that_collapse(void)
{
    int barrier, k, i;
    for (barrier = 0; barrier < 2; ++barrier)
        for (k = 0; k < 4; ++k) {
            problem p = boxes(barrier ? DC_LOCAL : DC_GLOBAL, R(0.01));
            dc_status s;
            for (i = 0; i < 12; ++i)
                if (i%4 != 3 && (k == 0 || (k == 1 && i < 4) || (k == 2 && i < 8))) p.Ta.m[i] = 0;
            if (k == 3) for (i = 0; i < 12; ++i) if (i%4 != 3) p.Ta.m[i] = p.Tb.m[i] = 0;
            s = judge(&p, AFFINE, "collapse");
            if (s != DC_OK) complain("map %d, barrier %d: %s", k, barrier, dc_status_text(s));
        }
    return verdict();
}

/* A far translation that every vertex shares. */
TEST far_offsets(void)
{
    int kind, barrier, e;
    char what[64];
    for (kind = 0; kind < KINDS; ++kind)
        for (barrier = 0; barrier < 2; ++barrier)
            for (e = 0; e <= (DC_IS_FLOAT ? 12 : 90); e += DC_IS_FLOAT ? 1 : 6) {
                problem p = boxes(barrier ? DC_LOCAL : DC_GLOBAL, R(0.25));
                dc_status s;
                dc_real t = R(ldexp(1, (int)(e*3.322)));
                p.pa.t.x += t;  p.pb.t.x += t;  p.pa1.t.x += t;  p.pb1.t.x += t;
                p.Ta.m[3] += t;  p.Tb.m[3] += t;
                if (kind == PAIR || kind == SLIP) to_world(&p);
                snprintf(what, sizeof what, "barrier %d, offset 1e%d", barrier, e);
                s = judge(&p, kind, what);
                if (t > DC_LIMIT ? s != DC_E_ARG : s != DC_OK) complain("%s, %s: %s", kind_name[kind], what, dc_status_text(s));
            }
    return verdict();
}

/* ---- centred ----------------------------------------------------------------------------------------------------------------- */

TEST centred_extremes(void)
{
    rng r;
    long n = sweep_count(4000);
    dc_real v, g[6], H[36];
    dc_v3 o = dc_vec(0, 0, 0);
    dc_pair_options opt = DC_ZERO;
    dc_real *in[8];
    int i, j;
    rng_seed(&r, 8);
    while (n-- > 0) {
        double d = DC_IS_FLOAT ? rng_log(&r, 1e-36, 1e8) : rng_log(&r, 1e-300, 1e70);
        double c = DC_IS_FLOAT ? rng_log(&r, 2e-9, 5e8) : rng_log(&r, 1e-70, 1e70), l = DC_IS_FLOAT ? rng_log(&r, 2e-9, 5e8) : rng_log(&r, 1e-70, 1e70);
        radial want;
        dc_status s;
        opt.c = n%2 ? R(c) : 4;
        opt.length = n%4 < 2 ? R(l) : 1;
        opt.s = (dc_real)NAN;                           /* not read */
        want = global_points((double)R(d), (double)opt.c, (double)opt.length);
        memset(H, 0xa5, sizeof H);
        v = -7;
        s = dc_centred(&opt, 1, 1, dc_vec(R(d), 0, 0), o, &v, NULL, NULL);
        if (fits(want.P) && (s != DC_OK || !(off((double)v, want.P) <= 20*EPS))) complain("r %g, c %g, length %g: %s, %g, not %g", d, (double)opt.c, (double)opt.length, dc_status_text(s), (double)v, want.P);
        s = dc_centred(&opt, 1, 1, dc_vec(R(d), 0, 0), o, &v, g, H);
        if (s == DC_OK && !(all_finite(g, 6) && all_finite(H, 36))) complain("r %g, c %g, length %g: not finite", d, (double)opt.c, (double)opt.length);
        if (fits(want.P) && fits(want.F) && fits(want.H)) {
            if (s != DC_OK) complain("r %g, c %g, length %g: %s, though P'' = %g", d, (double)opt.c, (double)opt.length, dc_status_text(s), want.H);
            else if (want.H > 1e3*(double)DC_REAL_MIN && !(off((double)H[0], want.H) <= 40*EPS)) complain("r %g, c %g, length %g: P'' = %g, not %g", d, (double)opt.c, (double)opt.length, (double)H[0], want.H);
        } else if (s == DC_OK && !(fits(want.H/32) && fits(want.P/32) && fits(want.F/32))) complain("r %g: overflow not told", d);
        if (s == DC_E_OVERLAP) complain("r %g, c %g, length %g: the centres do not coincide", d, (double)opt.c, (double)opt.length);
    }
    {
        const dc_real bad[] = {(dc_real)NAN, (dc_real)INFINITY, (dc_real)-INFINITY, DC_REAL_MAX};
        dc_v3 a = dc_vec(1, 2, 3), b = dc_vec(0, 1, 0);
        in[0] = &a.x; in[1] = &a.y; in[2] = &a.z; in[3] = &b.x; in[4] = &b.y; in[5] = &b.z; in[6] = &opt.c; in[7] = &opt.length;
        opt.c = opt.length = 1;
        for (i = 0; i < 8; ++i)
            for (j = 0; j < LENGTH(bad); ++j) {
                dc_real keep = *in[i];
                *in[i] = bad[j];
                v = -7;
                memset(H, 0, sizeof H);
                if (dc_centred(&opt, 3, 3, a, b, &v, g, H) != DC_E_ARG || v < -7 || v > -7 || dc_abs(H[0]) > 0) complain("dc_centred: number %d = %g", i, (double)bad[j]);
                *in[i] = keep;
            }
        opt.c = -1;
        if (dc_centred(&opt, 3, 3, a, b, &v, g, H) != DC_E_ARG) complain("dc_centred: c = -1");
        opt.c = 1;
        if (dc_centred(&opt, 3, 3, a, a, &v, g, H) != DC_E_OVERLAP || !(v > DC_REAL_MAX)) complain("dc_centred: the same centres");
        if (dc_centred(&opt, INT_MAX, INT_MAX, a, b, &v, g, H) != DC_OK || !all_finite(H, 36)) complain("dc_centred: INT_MAX vertices");
    }
    return verdict();
}

/* Eight times the same point is a hull, and its potential the centred one. */
/* Hessians are symmetric to the bit: P'' u_i u_j was not, its products taken from the left. */
TEST centred_is_symmetric(void)
{
    rng r;
    long n = sweep_count(1000);
    rng_seed(&r, 5);
    while (n-- > 0) {
        dc_v3 x[2];
        dc_real H[36];
        int i, j;
        for (i = 0; i < 6; ++i) (&x[i/3].x)[i%3] = R(rng_uniform(&r, -2, 2));
        if (dc_centred(NULL, 3, 4, x[0], x[1], NULL, NULL, H) != DC_OK) complain("refused");
        for (i = 0; i < 6; ++i)
            for (j = 0; j < i; ++j)
                if (memcmp(&H[6*i + j], &H[6*j + i], sizeof H[0]) != 0) complain("(%d,%d): %.17g, not %.17g", i, j, (double)H[6*i + j], (double)H[6*j + i]);
    }
    return verdict();
}

TEST eightfold_points_are_centred(void)
{
    int k;
    for (k = 0; k < 12; ++k) {
        problem p = stacked(EIGHTFOLD, k%2 ? POINT : EIGHTFOLD, DC_GLOBAL, R(pow(10, 2 - k)), 1, 1, 1);
        dc_real v = 0;
        to_world(&p);
        p.o.length = 1;
        if (judge(&p, PAIR, "eightfold") != DC_OK || dc_centred(&p.o, p.na, p.nb, p.a[0], p.b[0], &v, NULL, NULL) != DC_OK
            || !(off((double)out.value, (double)v) < 40*EPS)) complain("gap 1e%d: %.17g, centred %.17g", 2 - k, (double)out.value, (double)v);
    }
    return verdict();
}

/* ---- batches ------------------------------------------------------------------------------------------------------------------- */

#define PAIRS 37

typedef struct {
    dc_real x[18*PAIRS], plane[4*PAIRS], value[PAIRS], grad[18*PAIRS], rel[27*PAIRS];
    unsigned char status[PAIRS];
} batch;

static batch one, two;

static dc_tri_out batch_out(batch *b, int with_plane)
{
    dc_tri_out o;
    memset(&o, 0, sizeof o);
    o.plane = with_plane ? b->plane : NULL;
    o.value = b->value;
    o.grad = b->grad;
    o.relative = b->rel;
    o.origin = dc_vec(R(0.3), R(-0.2), R(0.1));
    o.status = b->status;
    return o;
}

static void batch_blank(batch *b)
{
    memset(b->plane, 0, sizeof b->plane);
    memset(b->value, 0xa5, sizeof b->value);
    memset(b->grad, 0xa5, sizeof b->grad);
    memset(b->rel, 0xa5, sizeof b->rel);
    memset(b->status, 0xa5, sizeof b->status);
}

/* A mixture: ordinary, far, very close, degenerate, overlapping, touching, far away, beyond all bounds, not numbers. */
static void batch_fill(batch *b, uint64_t seed)
{
    rng r;
    int i, k;
    rng_seed(&r, seed);
    for (i = 0; i < PAIRS; ++i) {
        double gap = rng_log(&r, 1e-3, 3), size = 1;
        int kind = i%19;
        dc_real v[18];
        if (kind == 1) gap = 100;
        if (kind == 2) gap = 1e4*EPS;
        if (kind == 4) gap = -0.3;
        if (kind == 5) gap = 0;
        if (kind == 6) size = DC_IS_FLOAT ? 1e-20 : 1e-160;
        if (kind == 7) size = DC_IS_FLOAT ? 1e-14 : 1e-110;
        if (kind == 8) size = DC_IS_FLOAT ? 1e8 : 1e70;
        for (k = 0; k < 18; ++k) v[k] = R(rng_uniform(&r, -0.5, 0.5));
        v[2] = R(gap/2);                                   /* a0 and b0 on z, facing */
        v[11] = R(-gap/2);
        v[0] = v[1] = v[9] = v[10] = 0;
        v[5] = v[2] + dc_abs(v[5]);
        v[8] = v[2] + dc_abs(v[8]);
        v[14] = v[11] - dc_abs(v[14]);
        v[17] = v[11] - dc_abs(v[17]);
        if (kind == 3) for (k = 0; k < 9; ++k) v[k] = v[k%3];
        if (kind == 9) for (k = 0; k < 18; k += 3) v[k] = R(ldexp(1, DC_IS_FLOAT ? 60 : 300));
        if (kind == 10) v[3] = (dc_real)NAN;
        if (kind == 11) v[17] = (dc_real)INFINITY;
        if (kind == 12) v[0] = DC_REAL_MAX;
        if (kind == 13) for (k = 0; k < 18; ++k) v[k] = k%3 == 2 ? v[k] : v[k]*R(1e-6);
        if (kind == 14) for (k = 0; k < 18; ++k) v[k] = 0;
        for (k = 0; k < 18; ++k) b->x[k*PAIRS + i] = R(size)*v[k];
    }
}

/* Status and numbers are those of dc_pair, pair by pair; nothing but the plane, value and status of a failed pair is touched. */
static void batch_against_pair(const dc_pair_options *opt, uint64_t seed)
{
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_tri_out o = batch_out(&one, 1);
    dc_status whole, first = DC_OK;
    int i, k;
    batch_fill(&one, seed);
    batch_blank(&one);
    batch_blank(&two);
    whole = dc_tri_batch(opt, PAIRS, one.x, PAIRS, &mem, &o);
    if (mem.used != 0) complain("the batch keeps memory");
    for (i = 0; i < PAIRS; ++i) {
        dc_v3 v[6];
        dc_hull a = hull_of(v, 3), b = hull_of(v + 3, 3);
        dc_real value = -7, g[18];
        dc_pair_info info;
        dc_plane pl = DC_ZERO;
        dc_status s, got = (dc_status)one.status[i];
        double d = 0, m = 0, bar;
        memset(g, 0, sizeof g);
        for (k = 0; k < 6; ++k) v[k] = dc_vec(one.x[3*k*PAIRS + i], one.x[(3*k + 1)*PAIRS + i], one.x[(3*k + 2)*PAIRS + i]);
        s = dc_pair(opt, &a, &b, &mem, &pl, &value, g, NULL, &info);
        if (first == DC_OK) first = got;
        if (got != s && !(s == DC_OK && got == DC_E_RANGE)) complain("pair %d (case %d): status %d, dc_pair %d", i, i%19, (int)got, (int)s);
        if (got != DC_OK && got != DC_E_DIVERGED) {
            int clean = got == DC_E_OVERLAP ? one.value[i] > DC_REAL_MAX : memcmp(&one.value[i], &two.value[i], sizeof one.value[i]) == 0;
            for (k = 0; k < 18; ++k) clean &= memcmp(&one.grad[k*PAIRS + i], &two.grad[k*PAIRS + i], sizeof one.grad[0]) == 0;
            for (k = 0; k < 27; ++k) clean &= memcmp(&one.rel[k*PAIRS + i], &two.rel[k*PAIRS + i], sizeof one.rel[0]) == 0;
            for (k = 0; k < 4; ++k) clean &= memcmp(&one.plane[k*PAIRS + i], &two.plane[k*PAIRS + i], sizeof one.plane[0]) == 0;
            if (!clean) complain("pair %d (case %d) failed with %s, but its outputs are written", i, i%19, dc_status_text(got));
            continue;
        }
        for (k = 0; k < 18; ++k) {
            if (!dc_finite(one.grad[k*PAIRS + i])) { complain("pair %d (case %d): DC_OK and a gradient that is not finite", i, i%19);  break; }
            d = fmax(d, fabs((double)one.grad[k*PAIRS + i] - (double)g[k]));
            m = fmax(m, fabs((double)g[k]));
        }
        for (k = 0; k < 27; ++k)
            if (!dc_finite(one.rel[k*PAIRS + i])) { complain("pair %d (case %d): DC_OK and a relative row that is not finite", i, i%19);  break; }
        for (k = 0; k < 4; ++k)
            if (!dc_finite(one.plane[k*PAIRS + i])) { complain("pair %d (case %d): DC_OK and a plane that is not finite", i, i%19);  break; }
        if (s != DC_OK) continue;
        for (k = 0; k < 18; ++k) m = fmax(m, (double)DC_REAL_MIN);
        bar = 400*EPS*(1 + 3*fabs(fmax((double)dc_abs(v[1].x), 1))/fmax((double)info.gap, 1e-300));
        if (i%19 == 8 || i%19 == 13 || i%19 == 3) bar = 1e-4;
        if (i%19 == 7 || i%19 == 6) continue;
        if (fabs((double)one.value[i] - (double)value) > bar*(double)value || d > bar*m) complain("pair %d (case %d): value %.9g, dc_pair %.9g, gradient off by %g of %g", i, i%19, (double)one.value[i], (double)value, d, m);
    }
    if (whole != first) complain("the batch returns %d, its first failure is %d", (int)whole, (int)first);
}

TEST batch_is_dc_pair(void)
{
    dc_pair_options o = DC_ZERO;
    int k;
    for (k = 0; k < 4; ++k) batch_against_pair(NULL, (uint64_t)(100 + k));
    o.length = R(0.01);
    o.c = R(1e-3);
    batch_against_pair(&o, 200);
    o.c = 0;
    o.barrier = DC_LOCAL;
    o.length = 3;
    batch_against_pair(&o, 300);
    return verdict();
}

/* Triangles 2^-52 apart: dc_pair separates them as they are, but not from another origin, where the relative derivatives are
 * taken. The status was overlap, the value that of dc_pair, 1e16. */
TEST batch_overlap_is_infinite(void)
{
    const double x[18] = {-0.96875 + EPS, 0, 0, 1 + EPS, EPS, 0.23773193359375, 0, 0, EPS,
                          1.2684326171875, -0.58099365234375, EPS, 0.000157421875, 0, 1e-76, 1e-76, 0, 0};
    dc_pair_options o = DC_ZERO;
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_tri_out to = batch_out(&one, 1);
    int k;
    batch_blank(&one);
    for (k = 0; k < 18; ++k) one.x[k*PAIRS] = R(x[k]);
    o.length = R(0.5);
    if (DC_IS_FLOAT) SKIPm("the pair is one of double");
    if (dc_tri_batch(&o, 1, one.x, PAIRS, &mem, &to) != DC_E_OVERLAP) complain("status %d", (int)one.status[0]);
    if (!(one.value[0] > DC_REAL_MAX)) complain("overlap, value %g", (double)one.value[0]);
    return verdict();
}

/* Options are judged as by dc_pair, whatever the pairs are. */
TEST batch_options(void)
{
    const dc_real bad[] = {(dc_real)NAN, (dc_real)INFINITY, -1, DC_REAL_MAX, 1};
    int i, j, barrier;
    for (barrier = 0; barrier < 2; ++barrier)
        for (i = 0; i < 3; ++i)
            for (j = 0; j < LENGTH(bad); ++j) {
                dc_pair_options o = DC_ZERO;
                dc_arena mem = dc_arena_make(memory, sizeof memory);
                dc_tri_out to = batch_out(&one, 1);
                dc_v3 v[6];
                dc_hull a = hull_of(v, 3), b = hull_of(v + 3, 3);
                dc_status s, t;
                int k;
                batch_fill(&one, 1);
                batch_blank(&one);
                o.barrier = barrier ? DC_LOCAL : DC_GLOBAL;
                *(i == 0 ? &o.c : i == 1 ? &o.s : &o.length) = bad[j];
                for (k = 0; k < 6; ++k) v[k] = dc_vec(one.x[3*k*PAIRS], one.x[(3*k + 1)*PAIRS], one.x[(3*k + 2)*PAIRS]);
                s = dc_pair(&o, &a, &b, &mem, NULL, NULL, NULL, NULL, NULL);
                t = dc_tri_batch(&o, 1, one.x, PAIRS, &mem, &to);
                if (s != t) complain("barrier %d, option %d = %g: batch %s, dc_pair %s", barrier, i, (double)bad[j], dc_status_text(t), dc_status_text(s));
            }
    return verdict();
}

/* The bits of a pair do not depend on its place or on its neighbours; nor on the scratch. */
static void batch_order(const dc_pair_options *opt, int warm)
{
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_tri_out o = batch_out(&one, 1), q = batch_out(&two, 1);
    int i, k, shift, at[PAIRS];
    batch_fill(&one, 9);
    batch_blank(&one);
    if (warm) {
        for (i = 0; i < PAIRS; ++i)
            if (i%3) { one.plane[2*PAIRS + i] = R(0.7);  one.plane[3*PAIRS + i] = i%5 == 0 ? R(0.2) : 0; }
        one.plane[5] = (dc_real)NAN;
    }
    memcpy(&two, &one, sizeof two);
    memset(memory, 0, sizeof memory);
    dc_tri_batch(opt, PAIRS, one.x, PAIRS, &mem, &o);
    for (shift = 1; shift < PAIRS; shift += 5) {
        static batch fresh;
        memset(memory, 0xff, sizeof memory);
        batch_fill(&fresh, 9);
        for (i = 0; i < PAIRS; ++i) at[i] = (i*7 + shift)%PAIRS;
        {
            static batch start;
            batch_blank(&start);
            if (warm) {
                for (i = 0; i < PAIRS; ++i)
                    if (i%3) { start.plane[2*PAIRS + i] = R(0.7);  start.plane[3*PAIRS + i] = i%5 == 0 ? R(0.2) : 0; }
                start.plane[5] = (dc_real)NAN;
            }
            batch_blank(&two);
            for (i = 0; i < PAIRS; ++i) {
                for (k = 0; k < 18; ++k) two.x[k*PAIRS + at[i]] = fresh.x[k*PAIRS + i];
                for (k = 0; k < 4; ++k) two.plane[k*PAIRS + at[i]] = start.plane[k*PAIRS + i];
            }
        }
        dc_tri_batch(opt, PAIRS, two.x, PAIRS, &mem, &q);
        for (i = 0; i < PAIRS; ++i) {
            int same = memcmp(&one.value[i], &two.value[at[i]], sizeof one.value[i]) == 0 && one.status[i] == two.status[at[i]];
            for (k = 0; k < 4; ++k) same &= memcmp(&one.plane[k*PAIRS + i], &two.plane[k*PAIRS + at[i]], sizeof one.value[0]) == 0;
            for (k = 0; k < 18; ++k) same &= memcmp(&one.grad[k*PAIRS + i], &two.grad[k*PAIRS + at[i]], sizeof one.value[0]) == 0;
            for (k = 0; k < 27; ++k) same &= memcmp(&one.rel[k*PAIRS + i], &two.rel[k*PAIRS + at[i]], sizeof one.value[0]) == 0;
            if (!same) complain("pair %d (case %d) has other bits at place %d, warm %d", i, i%19, at[i], warm);
        }
    }
}

TEST batch_place_and_neighbours(void)
{
    dc_pair_options o = DC_ZERO;
    batch_order(NULL, 0);
    batch_order(NULL, 1);
    o.barrier = DC_LOCAL;
    batch_order(&o, 0);
    batch_order(&o, 1);
    return verdict();
}

/* The origin of the relative derivatives is a place to take moments about: value and status stand without it. */
TEST batch_origin_moves_no_value(void)
{
    int i, e, k;
    for (e = 0; e < (DC_IS_FLOAT ? 5 : 10); ++e) {
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        dc_tri_out o = batch_out(&one, 0), q = batch_out(&two, 0);
        batch_fill(&one, 31);
        /* close, but well above the rounding: these are solved one by one */
        for (i = 0; i < PAIRS; ++i)
            for (k = 0; k < 9; ++k) {
                if (k%3 == 2) one.x[k*PAIRS + i] = dc_max(dc_abs(one.x[k*PAIRS + i]), R(DC_IS_FLOAT ? 1e-3 : 1e-7));
                if (k%3 == 2) one.x[(9 + k)*PAIRS + i] = -dc_abs(one.x[(9 + k)*PAIRS + i]);
            }
        for (k = 0; k < 18; ++k) one.x[k*PAIRS] = one.x[k*PAIRS + 1];
        one.x[2*PAIRS] = R(DC_IS_FLOAT ? 1e-3 : 1e-7);
        one.x[11*PAIRS] = 0;
        batch_blank(&one);
        memcpy(&two, &one, sizeof two);
        o.origin = dc_vec(R(0.7*pow(10, e)), R(0.3*pow(10, e)), R(0.9*pow(10, e)));
        q.relative = NULL;
        dc_tri_batch(NULL, 1, one.x, PAIRS, &mem, &o);
        dc_tri_batch(NULL, 1, two.x, PAIRS, &mem, &q);
        if (one.status[0] != two.status[0]) complain("origin 1e%d away: %s, without %s", e, dc_status_text((dc_status)one.status[0]), dc_status_text((dc_status)two.status[0]));
        else if (!(off((double)one.value[0], (double)two.value[0]) <= 8*EPS*(1 + 3/(DC_IS_FLOAT ? 1e-3 : 1e-7)))) complain("origin 1e%d away: value %.9g, without %.9g", e, (double)one.value[0], (double)two.value[0]);
    }
    return verdict();
}

TEST batch_memory(void)
{
    size_t bytes = dc_tri_batch_bytes(), cut, offset;
    for (offset = 0; offset < 70; offset += 23)
        for (cut = 0; cut <= bytes; cut += cut < 2*DC_ALIGN ? DC_ALIGN : bytes/5) {
            unsigned char *block = (unsigned char *)malloc(offset + 3 + bytes - cut);
            dc_arena mem = dc_arena_make(block + offset, bytes - cut + 3);
            dc_tri_out o = batch_out(&one, 1);
            dc_status s;
            mem.used = 3;
            batch_fill(&one, 9);
            batch_blank(&one);
            memcpy(&two, &one, sizeof two);
            s = dc_tri_batch(NULL, PAIRS, one.x, PAIRS, &mem, &o);
            if (mem.used != 3) complain("the batch keeps memory");
            /* the first pair that fails overlaps; without room only the numbers of others are known to be bad */
            if (cut == 0 && s != DC_E_OVERLAP) complain("dc_tri_batch_bytes is too small at offset %lu", (unsigned long)offset);
            if (cut > DC_ALIGN && s != DC_E_ARG) complain("%lu bytes less: %s", (unsigned long)cut, dc_status_text(s));
            if (s == DC_E_ARG && memcmp(&one, &two, sizeof one) != 0) complain("outputs written without memory");
            free(block);
        }
    return verdict();
}

TEST batch_origin(void)
{
    const dc_real bad[] = {(dc_real)NAN, (dc_real)INFINITY, DC_REAL_MAX};
    int i, j;
    for (i = 0; i < 3; ++i)
        for (j = 0; j < LENGTH(bad); ++j) {
            dc_arena mem = dc_arena_make(memory, sizeof memory);
            dc_tri_out o = batch_out(&one, 0);
            batch_fill(&one, 9);
            batch_blank(&one);
            memcpy(&two, &one, sizeof two);
            *(i == 0 ? &o.origin.x : i == 1 ? &o.origin.y : &o.origin.z) = bad[j];
            if (dc_tri_batch(NULL, 1, one.x, PAIRS, &mem, &o) != DC_E_ARG || memcmp(&one, &two, sizeof one) != 0) complain("origin %g", (double)bad[j]);
            o.relative = NULL;
            if (dc_tri_batch(NULL, 1, one.x, PAIRS, &mem, &o) != DC_OK) complain("an origin that is not read matters");
        }
    /* far origins: the moments grow, or overflow and say so */
    for (i = 0; i < (DC_IS_FLOAT ? 9 : 76); i += DC_IS_FLOAT ? 1 : 5) {
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        dc_tri_out o = batch_out(&one, 0);
        int k;
        batch_fill(&one, 9);
        batch_blank(&one);
        o.origin = dc_vec(R(pow(10, i)), R(pow(10, i)), 0);
        if (dc_tri_batch(NULL, 1, one.x, PAIRS, &mem, &o) != DC_OK) complain("origin at 1e%d", i);
        for (k = 0; k < 27; ++k) if (!dc_finite(one.rel[k*PAIRS])) { complain("origin at 1e%d: not finite", i);  break; }
    }
    return verdict();
}

/* ---- friction -------------------------------------------------------------------------------------------------------------------- */

/* Two points of normal force F, sliding past each other with v: the plane goes with the mean, by symmetry,
 * U = 2 mu h A(F) sqrt(v^2/4 + eps_v),   dU/dx = mu A(F) (v/2)/sqrt(v^2/4 + eps_v). */
static void check_slip(const problem *p, double v, const char *what, double bar, int may_diverge)
{
    double l = p->o.length > 0 ? (double)p->o.length : 1, s = p->o.s > 0 ? (double)p->o.s : 0.1, c = p->o.c > 0 ? (double)p->o.c : 4;
    double ef = p->f.eps_f > 0 ? (double)p->f.eps_f : 1e-6, ev = p->f.eps_v > 0 ? (double)p->f.eps_v : 1e-6;
    radial N = p->o.barrier == DC_LOCAL ? local_points((double)p->a[0].z, s, l) : global_points((double)p->a[0].z, c, l);
    double F = N.F, A = F*(F/(hypot(F, sqrt(ef)) + sqrt(ef))), root = hypot(v/2, sqrt(ev)), U, g;
    dc_hull a = hull_of(p->a, 1), b = hull_of(p->b, 1), a1 = hull_of(p->a1, 1), b1 = hull_of(p->b1, 1);
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_real value = -7, grad[6], hess[36], mixed[36];
    dc_status t;
    U = 2*(double)p->mu*(double)p->h*A*root;
    g = (double)p->mu*A*(v/2/root);
    memset(grad, 0, sizeof grad);
    t = dc_friction(&p->f, &p->o, p->mu, p->h, &a, &a1, &b, &b1, &mem, NULL, &value, grad, NULL, NULL, NULL);
    if (!fits(U) || !fits(g) || !fits(F) || !fits(N.P)) return;
    if (t == DC_E_DIVERGED && may_diverge) return;
    if (t != DC_OK) {
        complain("%s: %s, where U = %g, force %g of %g", what, dc_status_text(t), U, g, F);
        return;
    }
    if (U > 1e3*(double)DC_REAL_MIN && !(off((double)value, U) <= bar)) complain("%s: U = %.12g, not %.12g (normal force %g)", what, (double)value, U, F);
    else if (fabs(g) > 1e3*(double)DC_REAL_MIN && !(fabs((double)grad[0] - g) <= bar*fabs(g))) complain("%s: dU/dx = %.12g, not %.12g (normal force %g)", what, (double)grad[0], g, F);
    t = dc_friction(&p->f, &p->o, p->mu, p->h, &a, &a1, &b, &b1, &mem, NULL, &value, grad, hess, mixed, NULL);
    /* d2U/dx2 = mu A eps_v/(2 h root^3) along the slip and mu A/(2 h root) across, eps of the larger one apart */
    if (t == DC_OK && fits(A/(double)p->h/root) && (double)p->mu*A/(double)p->h/root > 1e3*(double)DC_REAL_MIN) {
        double across = (double)p->mu*A/2/(double)p->h/root, along = across*(ev/root/root);
        if (!(fabs((double)hess[7] - across) <= bar*across) || !(fabs((double)hess[0] - along) <= bar*across))
            complain("%s: Hessian %.9g along, %.9g across the slip, not %.9g and %.9g", what, (double)hess[0], (double)hess[7], along, across);
    }
    if (t == DC_OK && !(all_finite(hess, 36) && all_finite(mixed, 36) && all_finite(grad, 6) && dc_finite(value)))
        complain("%s: DC_OK and a Hessian that is not finite (normal force %g)", what, F);
}

/* Close contacts: forces up to the end of the range. */
TEST friction_of_large_forces(void)
{
    int barrier, e;
    char what[96];
    for (barrier = 0; barrier < 2; ++barrier)
        for (e = 0; e > (DC_IS_FLOAT ? -20 : -150); e -= DC_IS_FLOAT ? 1 : 5) {
            problem p = points(barrier ? DC_LOCAL : DC_GLOBAL, R(pow(10, e)*0.1), 1, R(-0.5), R(0.015625));
            snprintf(what, sizeof what, "barrier %d, points 1e%d apart", barrier, e - 1);
            /* DC_LOCAL is solved down to a gap of 1e-9 of the length */
            if (!(barrier && e < -8)) check_slip(&p, 1.5, what, 4000*EPS, 0);
            judge(&p, SLIP, what);
            judge(&p, SLIP_RIGID, what);
        }
    return verdict();
}

/* Far apart, forces to nothing; and options over their whole range. */
TEST friction_of_small_forces(void)
{
    int e;
    char what[96];
    for (e = 0; e < (DC_IS_FLOAT ? 9 : 76); e += DC_IS_FLOAT ? 1 : 5) {
        problem p = points(DC_GLOBAL, R(pow(10, e)), 1, R(-0.5), R(0.015625));
        snprintf(what, sizeof what, "points 1e%d apart", e);
        check_slip(&p, 1.5, what, 4000*EPS, 0);
        judge(&p, SLIP, what);
        judge(&p, SLIP_RIGID, what);
    }
    return verdict();
}

static void slip_range(int which, double lo, double hi, int steps)
{
    int i, barrier;
    char what[96];
    for (barrier = 0; barrier < 2; ++barrier)
        for (i = 0; i <= steps; ++i) {
            double x = lo*pow(hi/lo, (double)i/steps), v = 1.5;
            double h = which == 3 ? x : 0.015625;
            problem p = points(barrier ? DC_LOCAL : DC_GLOBAL, R(0.01), 1, R(-0.5), R(h));
            dc_status s;
            if (which == 0) p.f.eps_f = R(x);
            if (which == 1) p.f.eps_v = R(x);
            if (which == 2) p.f.patch = R(x);
            if (which == 4) p.mu = R(x);
            if (which == 3) v = ((double)p.a1[0].x - (double)p.b1[0].x)/(double)p.h;
            snprintf(what, sizeof what, "barrier %d, %s %g", barrier, which == 0 ? "eps_f" : which == 1 ? "eps_v" : which == 2 ? "patch" : which == 3 ? "h" : "mu", x);
            /* steps of one percent from the size of the velocity to sqrt(eps_v) are too many below 1e-30 or so */
            check_slip(&p, v, what, 4000*EPS, which == 1 && x < (DC_IS_FLOAT ? 1e-12 : 1e-24));
            s = judge(&p, SLIP, what);
            if (s != DC_OK && s != DC_E_DIVERGED && s != DC_E_RANGE) complain("%s: %s", what, dc_status_text(s));
            p = boxes(barrier ? DC_LOCAL : DC_GLOBAL, R(0.01));
            if (which == 0) p.f.eps_f = R(x);
            if (which == 1) p.f.eps_v = R(x);
            if (which == 2) p.f.patch = R(x);
            if (which == 3) p.h = R(x);
            if (which == 4) p.mu = R(x);
            s = judge(&p, SLIP_RIGID, what);
            if (s != DC_OK && !(which == 1 && x < (DC_IS_FLOAT ? 1e-12 : 1e-24)))
                complain("boxes, %s: %s", what, dc_status_text(s));
        }
}

TEST friction_eps_f(void) { slip_range(0, DC_IS_FLOAT ? 1e-30 : 1e-200, DC_IS_FLOAT ? 1e8 : 1e70, 40);  return verdict(); }
TEST friction_eps_v(void) { slip_range(1, DC_IS_FLOAT ? 1e-30 : 1e-200, DC_IS_FLOAT ? 1e8 : 1e70, 40);  return verdict(); }
TEST friction_patch(void) { slip_range(2, DC_IS_FLOAT ? 1e-30 : 1e-200, DC_IS_FLOAT ? 1e8 : 1e70, 40);  return verdict(); }
TEST friction_step(void) { slip_range(3, 1e-6, DC_IS_FLOAT ? 1e8 : 1e70, 40);  return verdict(); }
TEST friction_mu(void) { slip_range(4, DC_IS_FLOAT ? 1e-30 : 1e-200, DC_IS_FLOAT ? 1e8 : 1e70, 40);  return verdict(); }

/* mu = 0, or beyond the support: everything is exactly 0. Not moving: the value is the smoothing's, the gradient 0. */
TEST friction_of_nothing(void)
{
    int kind, which;
    for (kind = SLIP; kind <= SLIP_RIGID; ++kind)
        for (which = 0; which < 4; ++which) {
            problem p = boxes(which == 1 ? DC_LOCAL : DC_GLOBAL, which == 1 ? 3 : R(0.01));
            size_t n, k;
            dc_status s;
            int zero;
            if (which == 0) p.mu = 0;
            if (which >= 2) { p.pa1 = p.pa;  p.pb1 = p.pb; }
            if (which == 3) p.f.no_patch = 1;
            if (kind == SLIP) to_world(&p);
            s = judge(&p, kind, "nothing");
            if (s != DC_OK) complain("%s, case %d: %s", kind_name[kind], which, dc_status_text(s));
            n = entries(&p, kind);
            zero = which >= 2 || !(out.value > 0);
            for (k = 0; k < n; ++k) zero = zero && !(dc_abs(out.grad[k]) > 0);
            for (k = 0; which < 2 && k < n*n; ++k) zero = zero && !(dc_abs(out.hess[k]) > 0) && !(dc_abs(out.mixed[k]) > 0);
            if (!zero) complain("%s, case %d: not zero", kind_name[kind], which);
        }
    return verdict();
}

/* Where dc_friction says that it may give up: slip over sqrt(eps_v), which is 1e-3 by default. */
static int too_fast(double v) { return v > 1e-3*(DC_IS_FLOAT ? 5e3 : 1e13); }

/* Boxes that slide at the speeds of daily life and beyond, with the default creep of 1e-3. */
TEST friction_of_sliding_boxes(void)
{
    int kind, barrier, axis, k;
    char what[96];
    for (kind = SLIP; kind <= SLIP_RIGID; ++kind)
        for (barrier = 0; barrier < 2; ++barrier)
            for (axis = 0; axis < 3; ++axis)
                for (k = 0; k < 24; ++k) {
                    problem p = boxes(barrier ? DC_LOCAL : DC_GLOBAL, R(0.01));
                    double v = 0.01*pow(2, 0.6*k);
                    dc_status s;
                    p.pa1 = p.pa;
                    p.pb1 = p.pb;
                    if (axis != 1) p.pa1.t.x += R(v)*p.h;
                    if (axis != 0) p.pa1.t.y += R(v)*p.h;
                    if (kind == SLIP) to_world(&p);
                    snprintf(what, sizeof what, "barrier %d, %g m/s along %s", barrier, v, axis == 0 ? "x" : axis == 1 ? "y" : "x and y");
                    s = judge(&p, kind, what);
                    if (s != DC_OK && !((s == DC_E_RANGE || s == DC_E_DIVERGED) && too_fast(v))) complain("%s, %s: %s", kind_name[kind], what, dc_status_text(s));
                }
    return verdict();
}

/* Steps as long as the range, turns by half a circle, and the second pose in overlap, which friction does not mind. */
TEST friction_of_large_steps(void)
{
    int kind, barrier, e;
    char what[64];
    for (kind = SLIP; kind <= SLIP_RIGID; ++kind)
        for (barrier = 0; barrier < 2; ++barrier)
            for (e = -12; e < (DC_IS_FLOAT ? 9 : 70); e += DC_IS_FLOAT ? 1 : 4) {
                problem p = boxes(barrier ? DC_LOCAL : DC_GLOBAL, R(0.01));
                dc_status s;
                p.pa1 = pose_at(dc_vec(R(pow(10, e)), 0, 1));
                p.pa1.q = dc_quat_exp(dc_vec(1, 2, R(0.01)*R(e)));
                p.h = 1;
                if (kind == SLIP) to_world(&p);
                snprintf(what, sizeof what, "barrier %d, step 1e%d", barrier, e);
                s = judge(&p, kind, what);
                if (s != DC_OK && !((s == DC_E_RANGE || s == DC_E_DIVERGED) && too_fast(pow(10, e)))) complain("%s, %s: %s", kind_name[kind], what, dc_status_text(s));
            }
    return verdict();
}

/* Many random motions of random shapes. */
TEST friction_of_random_motions(void)
{
    rng r;
    long n = sweep_count(2000);
    char what[160];
    rng_seed(&r, 21);
    while (n-- > 0) {
        int fa = rng_int(&r, 0, FEATURES - 1), fb = rng_int(&r, 0, FEATURES - 1), kind = n%2 ? SLIP : SLIP_RIGID, barrier = rng_int(&r, 0, 1);
        double v = rng_log(&r, 1e-8, 1e2), w = rng_log(&r, 1e-8, 10), gap = rng_log(&r, 1e-4, 0.2), u[3];
        problem p = stacked(fa, fb, barrier ? DC_LOCAL : DC_GLOBAL, R(gap), 1, 1, R(rng_log(&r, 1e-4, 1)));
        dc_status s;
        rng_unit3(&r, u);
        p.pa1 = p.pa;
        p.pa1.t = dc_add(p.pa.t, dc_vec(R(v*0.01*u[0]), R(v*0.01*u[1]), R(v*0.01*u[2])));
        p.pa1.q = dc_quat_exp(dc_vec(0, R(rng_int(&r, 0, 1))*R(0.01*w), R(0.01*w)));
        p.f.no_patch = rng_int(&r, 0, 1);
        if (kind == SLIP) to_world(&p);
        snprintf(what, sizeof what, "barrier %d, features %d %d, gap %g, v %g, w %g, no_patch %d", barrier, fa, fb, gap, v, w, p.f.no_patch);
        s = judge(&p, kind, what);
        if (s != DC_OK) complain("%s, %s: %s", kind_name[kind], what, dc_status_text(s));
    }
    return verdict();
}

/* Linear momentum balances to rounding, that of slips of about sqrt(eps_v), whose directions have an error of eps times
 * the speed over sqrt(eps_v). The solve ended some 1e-5 away from balance where Newton's method was slow, but not done. */
TEST friction_balances(void)
{
    rng r;
    long n = sweep_count(4000);
    rng_seed(&r, 22);
    while (n-- > 0) {
        problem p;
        double all = 0, sum[3] = {0, 0, 0}, rough;
        int k;
        memset(&p, 0, sizeof p);
        p.na = p.nb = 4;
        p.o.barrier = n%2 ? DC_LOCAL : DC_GLOBAL;
        p.o.s = R(0.5);
        p.mu = p.h = 1;
        for (k = 0; k < 12; ++k) (&p.a[k/3].x)[k%3] = R(rng_uniform(&r, -2, 2));
        for (k = 0; k < 12; ++k) (&p.b[k/3].x)[k%3] = R(rng_uniform(&r, -2, 2));
        p.pa = p.pb = p.pa1 = p.pb1 = pose_at(dc_vec(0, 0, 0));
        p.pa.t.z = p.pa1.t.z = R(4.1);
        for (k = 0; k < 3; ++k) (&p.pa1.t.x)[k] += R(rng_uniform(&r, -2, 2)*(DC_IS_FLOAT ? 1e-2 : 1));
        p.pa1.q = dc_quat_exp(dc_vec(0, 0, R(rng_uniform(&r, -1, 1)*(DC_IS_FLOAT ? 1e-2 : 1))));
        if (judge(&p, SLIP_RIGID, "random") != DC_OK) continue;
        for (k = 0; k < 12; ++k)
            if (k%6 < 3) {
                sum[k%3] += (double)out.grad[k];
                all = fmax(all, fabs((double)out.grad[k]));
            }
        rough = EPS*(200*(1 + 3*20/(double)out.slip.pair.gap) + 16*40/1e-3);
        for (k = 0; k < 3; ++k)
            if (fabs(sum[k]) > rough*all) complain("forces of sum %g, largest %g, %g allowed", sum[k], all, rough*all);
    }
    return verdict();
}

/* ---- all at once ------------------------------------------------------------------------------------------------------------------ */

/* Everything random over its whole range: what is DC_OK is finite, what is not is untouched, and it ends. */
TEST anything_goes(void)
{
    rng r;
    long n = sweep_count(6000);
    const double big = DC_IS_FLOAT ? 1e8 : 1e70, small = DC_IS_FLOAT ? 1e-8 : 1e-70;
    char what[200];
    rng_seed(&r, 99);
    while (n-- > 0) {
        int kind = rng_int(&r, 0, KINDS - 1), barrier = rng_int(&r, 0, 1), tame = rng_int(&r, 0, 2);
        double size = tame ? rng_log(&r, 1e-3, 1e3) : rng_log(&r, small, big), gap = rng_log(&r, 1e-7, 10), ratio = rng_log(&r, 1e-3, 1e3);
        double squeeze = rng_log(&r, 1e-6, 1), e = tame == 2 ? 0 : 1;
        int fa = rng_int(&r, 0, FEATURES - 1), fb = rng_int(&r, 0, FEATURES - 1);
        problem p = stacked(fa, fb, barrier ? DC_LOCAL : DC_GLOBAL, R(gap), R(size), R(ratio), R(squeeze));
        p.pa.t.x += R(size*rng_uniform(&r, -2, 2));
        p.pa.q = dc_quat_exp(dc_vec(R(rng_normal(&r)), R(rng_normal(&r)), R(rng_normal(&r))));
        p.pa1 = p.pa;
        p.pa1.t = dc_add(p.pa.t, dc_vec(R(rng_normal(&r)*rng_log(&r, 1e-9, 1)*size), R(rng_normal(&r)*rng_log(&r, 1e-9, 1)*size), 0));
        p.pa1.q = dc_quat_mul(dc_quat_exp(dc_vec(0, R(0.01*rng_normal(&r)), R(rng_normal(&r)))), p.pa.q);
        p.Ta = dc_pose_to_affine(p.pa);
        p.o.length = R(tame ? rng_log(&r, 1e-2, 1e2) : size*rng_log(&r, 1e-3, 1e3));
        p.o.s = R(rng_int(&r, 0, 1) ? rng_log(&r, 1e-4, 0.99) : 0);
        p.o.c = e > 0 ? R(rng_log(&r, small, big)) : 0;
        p.f.eps_f = e > 0 ? R(rng_log(&r, small, big)) : 0;
        p.f.eps_v = e > 0 ? R(rng_log(&r, small, big)) : 0;
        p.f.patch = e > 0 ? R(rng_log(&r, small, big)) : 0;
        p.f.no_patch = rng_int(&r, 0, 1);
        p.mu = R(e > 0 ? rng_log(&r, small, big) : 0.5);
        p.h = R(e > 0 ? rng_log(&r, small, big) : 0.01);
        if (rng_int(&r, 0, 1)) p.plane = any_plane(&r, rng_int(&r, 0, 10000), R(gap*size));
        if (kind == PAIR || kind == SLIP) to_world(&p);
        snprintf(what, sizeof what, "run %ld, barrier %d, features %d %d, size %.3g, gap %.3g, length %.3g, s %.3g, tame %d", n, barrier, fa, fb, size,
                 gap, (double)p.o.length, (double)p.o.s, tame);
        judge(&p, kind, what);
    }
    return verdict();
}

/* ---- relative: two forms of the same derivatives ---------------------------------------------------------------------------------- */

TEST relative_far_and_back(void)
{
    dc_relative r, s;
    int i, e;
    for (e = 0; e < (DC_IS_FLOAT ? 9 : 76); e += DC_IS_FLOAT ? 1 : 5) {
        dc_real g[12], H[144];
        memset(&r, 0, sizeof r);
        for (i = 0; i < 6; ++i) {
            r.g[i] = R(i + 1);
            r.H[7*i] = R(2 + i);
        }
        s = r;
        dc_relative_shift(&s, dc_vec(R(pow(10, e)), 0, R(-pow(10, e))));
        if (!all_finite(s.g, 6) || !all_finite(s.H, 36)) complain("shift by 1e%d: not finite", e);
        dc_relative_expand(&r, dc_vec(R(pow(10, e)), 0, 0), dc_vec(0, R(pow(10, e)), 0), g, H);
        if (!all_finite(g, 12) || !all_finite(H, 144)) complain("expand by 1e%d: not finite", e);
        memset(g, 0, sizeof g);
        dc_relative_expand(&r, dc_vec(1, 0, 0), dc_vec(0, 1, 0), g, NULL);
        if (!all_finite(g, 12)) complain("expand without a Hessian");
        dc_relative_shift(&r, r.o);
        for (i = 0; i < 6; ++i)
            if (dc_abs(r.g[i] - R(i + 1)) > 0 || dc_abs(r.H[7*i] - R(2 + i)) > 0) complain("a shift by nothing changes something");
    }
    return verdict();
}

/* ------------------------------------------------------------------------------------------------------------------------------------ */

SUITE(arguments)
{
    RUN_TEST(not_finite_is_an_argument_error);
    RUN_TEST(options_out_of_range);
    RUN_TEST(quaternions_far_from_unit);
    RUN_TEST(null_pointers);
    RUN_TEST(counts);
}

SUITE(memory_and_determinism)
{
    RUN_TEST(bytes_do_not_wrap);
    RUN_TEST(arena_takes_what_fits);
    RUN_TEST(arena_of_exactly_the_bytes);
    RUN_TEST(stale_memory_in_contact);
    RUN_TEST(stale_memory_in_overlap);
    RUN_TEST(stale_memory_beyond_the_support);
}

SUITE(geometry)
{
    RUN_TEST(features_at_every_gap);
    RUN_TEST(touching_is_overlap);
    RUN_TEST(identical_and_nested);
    RUN_TEST(sizes_to_the_ends);
    RUN_TEST(tiny_sizes_in_units_of_one);
    RUN_TEST(flat_needle_and_mixed_sizes);
    RUN_TEST(offset_and_a_few_ulp);
    RUN_TEST(gaps_below_the_rounding);
    RUN_TEST(turned_shapes);
    RUN_TEST(far_offsets);
    RUN_TEST(affine_maps_of_every_size);
    RUN_TEST(affine_maps_that_collapse);
}

SUITE(values)
{
    RUN_TEST(two_points_global);
    RUN_TEST(two_points_local);
    RUN_TEST(two_points_local_close);
    RUN_TEST(centred_extremes);
    RUN_TEST(centred_is_symmetric);
    RUN_TEST(eightfold_points_are_centred);
    RUN_TEST(end_of_the_support);
    RUN_TEST(exactly_zero_beyond);
    RUN_TEST(relative_far_and_back);
}

SUITE(planes)
{
    RUN_TEST(any_plane_is_safe);
    RUN_TEST(planes_of_any_length);
    RUN_TEST(planes_that_barely_separate);
    RUN_TEST(no_plane_hides_an_overlap);
    RUN_TEST(no_plane_moves_the_support);
}

SUITE(batches)
{
    RUN_TEST(batch_is_dc_pair);
    RUN_TEST(batch_overlap_is_infinite);
    RUN_TEST(batch_options);
    RUN_TEST(batch_place_and_neighbours);
    RUN_TEST(batch_origin_moves_no_value);
    RUN_TEST(batch_memory);
    RUN_TEST(batch_origin);
}

SUITE(friction)
{
    RUN_TEST(friction_of_large_forces);
    RUN_TEST(friction_of_small_forces);
    RUN_TEST(friction_eps_f);
    RUN_TEST(friction_eps_v);
    RUN_TEST(friction_patch);
    RUN_TEST(friction_step);
    RUN_TEST(friction_mu);
    RUN_TEST(friction_of_nothing);
    RUN_TEST(friction_of_sliding_boxes);
    RUN_TEST(friction_of_large_steps);
    RUN_TEST(friction_of_random_motions);
    RUN_TEST(friction_balances);
    RUN_TEST(anything_goes);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(arguments);
    RUN_SUITE(geometry);
    RUN_SUITE(values);
    RUN_SUITE(planes);
    RUN_SUITE(batches);
    RUN_SUITE(friction);
    RUN_SUITE(memory_and_determinism);
    GREATEST_MAIN_END();
}
