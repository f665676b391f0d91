/* dc_ncp.h under bytes turned into calls: see support/fuzz.h */
#define DC_CONTACT_IMPLEMENTATION
#define DC_NCP_IMPLEMENTATION
#include "fuzz.h"
#include "dc_ncp.h"

#define BODIES 3
#define CONTACTS 3

/* ---- shapes ---------------------------------------------------------------------------------------------- */

static dc_real length(fuzz *f) { return fuzz_byte(f) < 200 ? DC_R(0.25) + (dc_real)fuzz_byte(f)/256 : fuzz_real(f); }

static int shape_holds(const dc_shape *s, int dim)
{
    int k, rows = s->linear;
    for (k = 0; k < s->cones; ++k) rows += s->cone[k];
    return s->dim == dim && rows == s->rows && s->rows >= 1 && s->aux >= 0 && fuzz_finite(s->A, (size_t)(s->rows*dim)) && fuzz_finite(s->b, (size_t)s->rows)
        && fuzz_finite(s->d, (size_t)s->rows) && (s->aux == 0 || fuzz_finite(s->N, (size_t)(s->rows*s->aux))) && dc_finite(s->size) && s->size >= 0;
}

/* what an attempt left behind: 1 when there is a shape */
static int taken(fuzz *f, const fuzz_arena *m, size_t used, const dc_shape *s, int dim, dc_status st)
{
    FUZZ_CHECK(st == DC_OK || st == DC_E_ARG || st == DC_E_MEMORY || st == DC_E_RANGE, "status %d", (int)st);
    if (st != DC_OK) {
        FUZZ_CHECK(m->a.used == used && fuzz_untouched(f, s, sizeof *s), "status %d, but taken", (int)st);
        return 0;
    }
    FUZZ_CHECK(shape_holds(s, dim), "a shape of %d rows", s->rows);
    fuzz_mix(f, s->A, (size_t)(s->rows*dim)*sizeof(dc_real));
    fuzz_mix(f, s->b, (size_t)s->rows*sizeof(dc_real));
    return 1;
}

static const dc_shape *simple(fuzz *f, int dim)
{
    dc_shape *s = (dc_shape *)fuzz_alloc(f, sizeof *s);
    fuzz_arena *m = (fuzz_arena *)fuzz_alloc(f, sizeof *m);
    int kind = fuzz_below(f, 9), d = fuzz_bad(f) ? dim + 2 : dim, n, k;
    dc_v3 *v, half;
    dc_real *A, *b, r = length(f);
    dc_status st;
    size_t need = kind == 8 ? dc_shape_hull_bytes(dim, 10) : 4096;
    *m = fuzz_arena_open(f, need);
    half.x = length(f);
    half.y = length(f);
    half.z = length(f);
    switch (kind) {
    case 0: st = dc_shape_halfspace(d, fuzz_v3(f), fuzz_real(f), &m->a, s); break;
    case 1: st = dc_shape_sphere(d, r, &m->a, s); break;
    case 2: st = dc_shape_box(d, half, &m->a, s); break;
    case 3:
        n = fuzz_count(f, 1, 8);
        A = fuzz_reals(f, n > 0 ? (size_t)(3*n) : 0);
        b = fuzz_reals(f, n > 0 ? (size_t)n : 0);
        for (k = 0; k < 3*n; ++k) A[k] = fuzz_real(f);
        for (k = 0; k < n; ++k) b[k] = length(f);
        st = dc_shape_polytope(d, n, A, b, &m->a, s);
        break;
    case 4: st = dc_shape_capsule(d, r, half.x, &m->a, s); break;
    case 5: st = dc_shape_cylinder(d, r, half.x, &m->a, s); break;
    case 6: st = dc_shape_cone(d, half.x, r, &m->a, s); break;
    case 7: st = dc_shape_ellipsoid(d, half, &m->a, s); break;
    default:
        n = fuzz_count(f, 1, 10);
        v = fuzz_points(f, n);
        st = dc_shape_hull(d, n, v, &m->a, s);
    }
    fuzz_status(f, st);
    FUZZ_CHECK(st != DC_OK || d == dim, "dimension %d", d);
    return taken(f, m, 0, s, dim, st) ? s : NULL;
}

/* a simple one, a sum of two, or one moved */
static const dc_shape *shape(fuzz *f, int dim)
{
    const dc_shape *a = simple(f, dim), *b;
    dc_shape *s;
    fuzz_arena *m;
    int kind = fuzz_byte(f);
    dc_status st;
    if (kind < 160) return a;
    s = (dc_shape *)fuzz_alloc(f, sizeof *s);
    m = (fuzz_arena *)fuzz_alloc(f, sizeof *m);
    if (kind < 208) {
        b = simple(f, dim);
        *m = fuzz_arena_open(f, 8192);
        st = fuzz_status(f, dc_shape_sum(a, b, &m->a, s));
        FUZZ_CHECK(st != DC_OK || (a && b && s->rows == a->rows + b->rows), "a sum");
    } else {
        *m = fuzz_arena_open(f, 8192);
        st = fuzz_status(f, dc_shape_place(a, fuzz_pose(f), &m->a, s));
        FUZZ_CHECK(st != DC_OK || (a && s->rows == a->rows), "moved");
    }
    return taken(f, m, 0, s, dim, st) ? s : NULL;
}

/* ---- growth ---------------------------------------------------------------------------------------------- */

static dc_shape_grad shape_grad(fuzz *f, const dc_shape *s)
{
    dc_shape_grad g = DC_ZERO;
    size_t k, rows = s ? (size_t)s->rows : 0;
    if (fuzz_byte(f) & 1) {
        g.A = fuzz_reals(f, s ? rows*(size_t)s->dim : 0);
        for (k = 0; s && k < rows*(size_t)s->dim; ++k) g.A[k] = 0;
    }
    if (fuzz_byte(f) & 1) {
        g.b = fuzz_reals(f, rows);
        for (k = 0; k < rows; ++k) g.b[k] = 0;
    }
    return g;
}

static void grad_holds(fuzz *f, const dc_shape_grad *g, const dc_shape *s)
{
    size_t rows = (size_t)s->rows;
    FUZZ_CHECK(!g->A || fuzz_finite(g->A, rows*(size_t)s->dim), "derivative by A");
    FUZZ_CHECK(!g->b || fuzz_finite(g->b, rows), "derivative by b");
    FUZZ_CHECK(dc_finite(g->size), "derivative by the size");
    if (g->A) fuzz_mix(f, g->A, rows*(size_t)s->dim*sizeof(dc_real));
    if (g->b) fuzz_mix(f, g->b, rows*sizeof(dc_real));
}

static dc_growth_options growth_options(fuzz *f)
{
    dc_growth_options o = DC_ZERO;
    o.rho = fuzz_option(f, 1e-4);
    o.max_iterations = fuzz_byte(f) < 200 ? 0 : fuzz_int(f, 0, 60);
    return o;
}

static void growth(fuzz *f)
{
    int dim = 2 + (fuzz_byte(f) & 1), ask = fuzz_byte(f), k;
    const dc_shape *a = shape(f, dim), *b = shape(f, dim);
    dc_pose pa = fuzz_pose(f), pb = fuzz_pose(f);
    dc_growth_options o = growth_options(f);
    dc_growth_result *r = (dc_growth_result *)fuzz_alloc(f, sizeof *r);
    dc_real *jac = ask & 1 ? fuzz_reals(f, 84) : NULL, *bar = ask & 2 ? fuzz_reals(f, 7) : NULL;
    dc_shape_grad ga = shape_grad(f, a), gb = shape_grad(f, b);
    fuzz_arena m = fuzz_arena_open(f, a && b ? dc_growth_bytes(a, b) : 64);
    dc_status s, alone;
    for (k = 0; bar && k < 7; ++k) bar[k] = (dc_real)(fuzz_byte(f) - 128)/64;
    s = fuzz_status(f, dc_growth(&o, a, ask & 4 ? &pa : NULL, b, &pb, &m.a, r, jac, bar, &ga, &gb));
    fuzz_arena_close(&m, 0, s);
    FUZZ_CHECK(s != DC_E_OVERLAP, "status %d", (int)s);
    if (s == DC_E_ARG || s == DC_E_MEMORY) {
        FUZZ_CHECK(fuzz_untouched(f, r, sizeof *r), "status %d, but written", (int)s);
        FUZZ_CHECK(!jac || fuzz_untouched(f, jac, 84*sizeof *jac), "status %d, derivatives written", (int)s);
        return;
    }
    FUZZ_CHECK(a && b && dc_pose_ok(&pb), "accepted");
    FUZZ_CHECK(s == DC_OK || !jac || fuzz_untouched(f, jac, 84*sizeof *jac), "status %d, derivatives written", (int)s);
    if (s != DC_OK) return;
    FUZZ_CHECK(dc_finite(r->alpha) && dc_finite3(r->p) && dc_finite3(r->n_a) && dc_finite3(r->n_b) && dc_finite(r->length), "alpha %g", (double)r->alpha);
    /* shapes whose rows do not bound them towards each other have no normal but by rounding */
    FUZZ_CHECK(r->length <= 0 || r->length > 1000000
               || (dc_abs(dc_dot(r->n_a, r->n_a) - 1) <= 64*DC_EPS && dc_abs(dc_dot(r->n_b, r->n_b) - 1) <= 64*DC_EPS),
               "length %g, normals of %g, %g", (double)r->length, (double)dc_dot(r->n_a, r->n_a), (double)dc_dot(r->n_b, r->n_b));
    FUZZ_CHECK(!jac || fuzz_finite(jac, 84), "jac");
    fuzz_mix(f, &r->alpha, sizeof r->alpha);
    fuzz_mix(f, &r->p, sizeof r->p);
    if (jac) fuzz_mix(f, jac, 84*sizeof *jac);
    if (bar) {
        grad_holds(f, &ga, a);
        grad_holds(f, &gb, b);
    }
    /* several pairs of poses: each as alone */
    {
        dc_pose *p = (dc_pose *)fuzz_alloc(f, 2*sizeof *p), *q = (dc_pose *)fuzz_alloc(f, 2*sizeof *q);
        dc_growth_result *all = (dc_growth_result *)fuzz_alloc(f, 2*sizeof *all);
        dc_status each[2];
        size_t need = dc_growth_bytes(a, b);
        dc_arena mem = dc_arena_make(fuzz_alloc(f, need), need);
        p[0] = pa;
        q[0] = pb;
        p[1] = fuzz_pose(f);
        q[1] = fuzz_pose(f);
        s = fuzz_status(f, dc_growth_batch(&o, a, b, 2, p, q, &mem, all, NULL, each));
        FUZZ_CHECK(s == (each[0] != DC_OK ? each[0] : each[1]) && mem.used == 0, "status %d of %d and %d", (int)s, (int)each[0], (int)each[1]);
        for (k = 0; k < 2; ++k) {
            dc_growth_result one;
            alone = dc_growth(&o, a, p + k, b, q + k, &mem, &one, NULL, NULL, NULL, NULL);
            FUZZ_CHECK(alone == each[k], "pair %d: status %d, alone %d", k, (int)each[k], (int)alone);
            FUZZ_CHECK(alone != DC_OK || (memcmp(&one.alpha, &all[k].alpha, sizeof one.alpha) == 0 && memcmp(&one.n_a, &all[k].n_a, sizeof one.n_a) == 0), "pair %d", k);
        }
    }
}

/* ---- steps ------------------------------------------------------------------------------------------------ */

static dc_ncp_body body(fuzz *f)
{
    dc_ncp_body b;
    int k;
    memset(&b, 0, sizeof b);
    b.pose = fuzz_pose(f);
    for (k = 0; k < 3; ++k) *(k == 0 ? &b.v.x : k == 1 ? &b.v.y : &b.v.z) = (dc_real)(fuzz_byte(f) - 128)/64;
    b.w = dc_scale(DC_R(0.5), b.v);
    b.mass = fuzz_byte(f) < 32 ? 0 : fuzz_byte(f) < 200 ? 1 : fuzz_real(f);
    b.inertia.m[0] = b.inertia.m[4] = b.inertia.m[8] = DC_R(0.25);
    if (fuzz_byte(f) < 64) b.inertia.m[1] = b.inertia.m[3] = (dc_real)(fuzz_byte(f) - 128)/1024;
    if (fuzz_bad(f)) b.inertia.m[fuzz_below(f, 9)] = fuzz_real(f);
    if (fuzz_byte(f) < 64) b.force = fuzz_v3(f);
    return b;
}

static void step(fuzz *f)
{
    int dim = 2 + (fuzz_byte(f) & 1), k, ask, rows, columns, count;
    dc_ncp_scene *sc = (dc_ncp_scene *)fuzz_alloc(f, sizeof *sc);
    dc_ncp_body *b = (dc_ncp_body *)fuzz_alloc(f, BODIES*sizeof *b), *next = (dc_ncp_body *)fuzz_alloc(f, BODIES*sizeof *next);
    dc_ncp_contact *c = (dc_ncp_contact *)fuzz_alloc(f, CONTACTS*sizeof *c);
    dc_ncp_options o = DC_ZERO;
    dc_ncp_info info = DC_ZERO;
    dc_ncp *solution = NULL;
    fuzz_arena m;
    dc_status s;
    size_t need;
    o.rho = fuzz_option(f, 1e-5);
    o.tol = fuzz_byte(f) < 200 ? 0 : fuzz_option(f, 1e-6);
    o.max_iterations = fuzz_byte(f) < 200 ? 60 : fuzz_int(f, 0, 60);
    if (fuzz_byte(f) < 24) o.acceleration = fuzz_option(f, 1e6);
    o.pyramid = fuzz_byte(f) < 64;
    memset(sc, 0, sizeof *sc);
    sc->dim = fuzz_bad(f) ? 4 : dim;
    sc->h = fuzz_byte(f) < 200 ? DC_R(0.0625) : fuzz_real(f);
    sc->gravity = fuzz_byte(f) < 200 ? dc_vec(0, -8, dim == 3 ? -4 : 0) : fuzz_v3(f);
    sc->bodies = fuzz_int(f, 1, BODIES);
    if (sc->bodies > BODIES) sc->bodies = -1;
    sc->contacts = fuzz_int(f, 0, CONTACTS);
    if (sc->contacts > CONTACTS) sc->contacts = -1;
    sc->body = b;
    sc->contact = c;
    for (k = 0; k < BODIES; ++k) b[k] = body(f);
    memset(c, 0, CONTACTS*sizeof *c);
    for (k = 0; k < sc->contacts; ++k) {
        c[k].body[0] = fuzz_int(f, 0, sc->bodies > 1 ? sc->bodies - 1 : 0);
        c[k].body[1] = fuzz_int(f, -1, sc->bodies > 1 ? sc->bodies - 1 : 0);
        c[k].shape[0] = shape(f, dim);
        c[k].shape[1] = shape(f, dim);
        c[k].mu = fuzz_option(f, 0.5);
        c[k].mu_spin = fuzz_option(f, 0.05);
        c[k].restitution = fuzz_byte(f) < 200 ? 0 : fuzz_option(f, 0.25);
        if (fuzz_byte(f) < 64) {
            int i;
            count = dc_ncp_keep_count(&o, dim, c + k);
            FUZZ_CHECK(count >= 0, "%d numbers to keep", count);
            c[k].keep = fuzz_reals(f, (size_t)count);
            for (i = 0; i < count; ++i) c[k].keep[i] = 0;
        }
    }
    need = dc_ncp_bytes(&o, sc);
    m = fuzz_arena_open(f, need);
    ask = fuzz_byte(f);
    s = fuzz_status(f, dc_ncp_step(&o, sc, &m.a, next, ask & 1 ? &solution : NULL, ask & 2 ? &info : NULL));
    FUZZ_CHECK(s != DC_E_OVERLAP, "status %d", (int)s);
    FUZZ_CHECK(need > 0 || s == DC_E_ARG, "no bytes, status %d", (int)s);
    FUZZ_CHECK(s != DC_E_MEMORY || m.a.size < m.need, "%lu bytes are said to be enough", (unsigned long)m.need);
    if (s == DC_E_RANGE) return;
    if (s == DC_E_ARG || s == DC_E_MEMORY) {
        FUZZ_CHECK(fuzz_untouched(f, next, BODIES*sizeof *next), "status %d, but written", (int)s);
        return;
    }
    for (k = 0; k < sc->bodies; ++k) {
        const dc_ncp_body *x = next + k;
        dc_quat q = x->pose.q;
        dc_real was;
        FUZZ_CHECK(dc_finite3(x->pose.t) && dc_finite3(x->v) && dc_finite3(x->w), "body %d, status %d", k, (int)s);
        was = b[k].pose.q.w*b[k].pose.q.w + b[k].pose.q.x*b[k].pose.q.x + b[k].pose.q.y*b[k].pose.q.y + b[k].pose.q.z*b[k].pose.q.z - 1;
        FUZZ_CHECK(b[k].mass <= 0 || dc_abs(q.w*q.w + q.x*q.x + q.y*q.y + q.z*q.z - 1) <= was*was + 64*DC_EPS, "body %d: a quaternion of 1 + %g, before 1 + %g", k,
                   (double)(q.w*q.w + q.x*q.x + q.y*q.y + q.z*q.z - 1), (double)was);
        fuzz_mix(f, &x->pose, sizeof x->pose);
        fuzz_mix(f, &x->v, sizeof x->v);
    }
    for (k = 0; k < sc->contacts; ++k)
        if (c[k].keep) FUZZ_CHECK(fuzz_finite(c[k].keep, (size_t)dc_ncp_keep_count(&o, dim, c + k)), "what contact %d keeps", k);
    if (!solution) return;
    FUZZ_CHECK(ask & 1, "a solution that was not asked for");
    for (k = 0; k < sc->contacts; ++k) {
        dc_ncp_touch t;
        dc_status st = fuzz_status(f, dc_ncp_force(solution, k, &t));
        FUZZ_CHECK(st != DC_OK || s != DC_OK || (dc_finite3(t.p) && dc_finite3(t.n) && dc_finite3(t.impulse) && dc_finite(t.alpha)), "contact %d", k);
        if (st == DC_OK && s == DC_OK) fuzz_mix(f, &t.impulse, sizeof t.impulse);
    }
    if (s == DC_OK && (ask & 4)) {
        s = fuzz_status(f, dc_ncp_relax(solution, (dc_real)ldexp(1, -4 - fuzz_below(f, 12)), &info));
        FUZZ_CHECK(s == DC_OK || s == DC_E_DIVERGED || s == DC_E_SINGULAR || s == DC_E_ARG, "relaxed: status %d", (int)s);
    }
    if (s != DC_OK) return;
    rows = 12*sc->bodies;
    columns = sc->bodies*DC_NCP_BODY_PARAMS + DC_NCP_SCENE_PARAMS + sc->contacts*DC_NCP_CONTACT_PARAMS;
    if (ask & 8) {
        dc_real *J = fuzz_reals(f, (size_t)(rows*columns)), *bar = fuzz_reals(f, (size_t)rows), *g = fuzz_reals(f, (size_t)(sc->bodies*DC_NCP_BODY_PARAMS));
        dc_ncp_adjoint adjoint = DC_ZERO;
        dc_status st = fuzz_status(f, dc_ncp_grad(solution, J, columns));
        FUZZ_CHECK(st == DC_OK || st == DC_E_SINGULAR || st == DC_E_RANGE || st == DC_E_ARG, "Jacobian: status %d", (int)st);
        if (st != DC_OK) return;
        FUZZ_CHECK(fuzz_finite(J, (size_t)(rows*columns)), "Jacobian");
        fuzz_mix(f, J, (size_t)(rows*columns)*sizeof *J);
        for (k = 0; k < rows; ++k) bar[k] = (dc_real)(fuzz_byte(f) - 128)/64;
        for (k = 0; k < sc->bodies*DC_NCP_BODY_PARAMS; ++k) g[k] = 0;
        adjoint.body = g;
        st = fuzz_status(f, dc_ncp_vjp(solution, bar, &adjoint));
        FUZZ_CHECK(st == DC_OK && fuzz_finite(g, (size_t)(sc->bodies*DC_NCP_BODY_PARAMS)), "product: status %d", (int)st);
        for (k = 0; k < sc->bodies*DC_NCP_BODY_PARAMS; ++k) {
            double want = 0, size = 0;
            int i;
            for (i = 0; i < rows; ++i) {
                want += (double)bar[i]*(double)J[i*columns + k];
                size += fabs((double)bar[i]*(double)J[i*columns + k]);
            }
            /* the same system, nearly singular where contacts are at rest at a small rho: in float a per cent, in double 1e-9 */
            FUZZ_CHECK(fabs(want - (double)g[k]) <= (DC_IS_FLOAT ? 0.02 : 1e-6)*(size + 1) || size > 1e6, "product %d: %g, by the Jacobian %g", k, (double)g[k], want);
        }
        fuzz_mix(f, g, (size_t)(sc->bodies*DC_NCP_BODY_PARAMS)*sizeof *g);
    }
}

static void calls(fuzz *f)
{
    while (fuzz_more(f) && f->n_blocks < FUZZ_BLOCKS - 120) {
        switch (fuzz_below(f, 5)) {
        case 0: case 1: growth(f); break;
        default: step(f); break;
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return fuzz_input(data, size, calls); }
