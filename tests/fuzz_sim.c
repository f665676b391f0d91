/* dc_sim.h under bytes turned into calls: see support/fuzz.h */
#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "fuzz.h"
#include "dc_sim.h"

#define LINKS 4
#define STEPS 3

/* ---- models -------------------------------------------------------------------------------------------- */

static dc_real small(fuzz *f) { return (dc_real)(fuzz_byte(f) - 128)/128; }

/* a box about the origin, or any points; with a radius or without */
static dc_hull hull(fuzz *f)
{
    dc_hull h = DC_ZERO;
    dc_v3 *v;
    int k;
    if (fuzz_byte(f) < 96) h.radius = fuzz_bad(f) ? fuzz_real(f) : DC_R(0.05) + small(f)/16;
    if (fuzz_byte(f) < 64) {
        h.n = fuzz_count(f, 1, 6);
        h.v = fuzz_points(f, h.n);
        return h;
    }
    h.n = 8;
    h.v = v = (dc_v3 *)fuzz_alloc(f, 8*sizeof *v);
    {
        dc_real x = DC_R(0.25) + small(f)/8, y = DC_R(0.25) + small(f)/8, z = DC_R(0.25) + small(f)/8;
        for (k = 0; k < 8; ++k) v[k] = dc_vec(k & 1 ? x : -x, k & 2 ? y : -y, k & 4 ? z : -z);
    }
    if (fuzz_bad(f)) v[fuzz_below(f, 8)] = fuzz_v3(f);
    return h;
}

static void describe_link(fuzz *f, dc_sim_link *l, int i)
{
    dc_hull *h;
    int k;
    memset(l, 0, sizeof *l);
    l->parent = fuzz_int(f, -1, i - 1);
    l->joint = (dc_sim_joint)fuzz_int(f, DC_SIM_FREE, DC_SIM_FIXED);
    if (fuzz_byte(f) & 1) l->attach = fuzz_pose(f);
    else l->attach.t = dc_vec(1, small(f), small(f));
    if (fuzz_byte(f) & 1) l->axis = fuzz_v3(f);
    l->hulls = fuzz_count(f, 0, 2);
    l->hull = h = (dc_hull *)fuzz_alloc(f, l->hulls > 0 ? (size_t)l->hulls*sizeof *h : 0);
    for (k = 0; k < l->hulls; ++k) h[k] = hull(f);
    if (fuzz_bad(f)) l->hull = NULL;
    l->model = (dc_sim_mass)fuzz_int(f, DC_SIM_UNIFORM, DC_SIM_INERTIA);
    l->density = fuzz_option(f, 10);
    l->mass = fuzz_byte(f) < 160 ? 1 : fuzz_option(f, 1);
    if (l->model == DC_SIM_INERTIA) {
        l->centre = dc_vec(small(f), small(f), small(f));
        for (k = 0; k < 9; k += 4) l->inertia.m[k] = DC_R(0.5) + small(f)/8;
        l->inertia.m[1] = l->inertia.m[3] = small(f)/8;
        if (fuzz_bad(f)) l->inertia.m[fuzz_below(f, 9)] = fuzz_real(f);
    }
    l->friction = fuzz_option(f, 0.5);
    l->damping = fuzz_option(f, 0.5);
    if (l->joint != DC_SIM_FREE || fuzz_bad(f)) {
        l->kp = fuzz_option(f, 10);
        l->kd = fuzz_option(f, 1);
    }
    if (fuzz_byte(f) < 64) {
        l->lo = fuzz_byte(f) < 200 ? -2 + small(f) : fuzz_real(f);
        l->hi = fuzz_byte(f) < 200 ? 2 + small(f) : fuzz_real(f);
        l->limit = fuzz_option(f, 1);
        l->margin = fuzz_option(f, 0.5);
    }
}

static const dc_sim_desc *describe(fuzz *f)
{
    dc_sim_desc *d = (dc_sim_desc *)fuzz_alloc(f, sizeof *d);
    dc_sim_link *l;
    dc_sim_plane *p;
    int *x, k;
    memset(d, 0, sizeof *d);
    d->links = fuzz_count(f, 1, LINKS);
    d->link = l = (dc_sim_link *)fuzz_alloc(f, d->links > 0 ? (size_t)d->links*sizeof *l : 0);
    for (k = 0; k < d->links; ++k) describe_link(f, l + k, k);
    d->planes = fuzz_count(f, 0, 2);
    d->plane = p = (dc_sim_plane *)fuzz_alloc(f, d->planes > 0 ? (size_t)d->planes*sizeof *p : 0);
    for (k = 0; k < d->planes; ++k) {
        p[k].n = fuzz_byte(f) < 200 ? dc_vec(small(f), small(f), 1) : fuzz_v3(f);
        p[k].d = fuzz_byte(f) < 200 ? 3 + small(f) : fuzz_real(f);
        p[k].friction = fuzz_option(f, 0.5);
    }
    d->excludes = fuzz_count(f, 0, 2);
    d->exclude = x = (int *)fuzz_alloc(f, d->excludes > 0 ? 2*(size_t)d->excludes*sizeof *x : 0);
    for (k = 0; k < 2*d->excludes; ++k) x[k] = fuzz_int(f, 0, d->links > 0 ? d->links - 1 : 0);
    d->h = fuzz_byte(f) < 200 ? DC_R(0.0625) : fuzz_option(f, 0.01);
    d->gravity = fuzz_byte(f) < 200 ? dc_vec(0, 0, -8) : fuzz_v3(f);
    d->stiffness = fuzz_option(f, 0.1);
    d->global = fuzz_byte(f) < 64;
    d->support = fuzz_option(f, 0.1);
    d->length = fuzz_option(f, 0.1);
    d->friction.eps_f = fuzz_option(f, 1e-4);
    d->friction.eps_v = fuzz_option(f, 1e-4);
    d->friction.patch = fuzz_option(f, 0.1);
    d->tolerance = fuzz_option(f, 1e-6);
    d->iterations = fuzz_int(f, 1, 8);
    if (fuzz_bad(f)) d->link = NULL;
    return fuzz_bad(f) ? NULL : d;
}

static void model_holds(fuzz *f, const dc_sim *m)
{
    int i, k;
    FUZZ_CHECK(m->links >= 1 && m->links <= LINKS && m->hulls <= 2*LINKS && m->nq >= m->nv && m->nq <= 7*LINKS, "%d links", m->links);
    FUZZ_CHECK(fuzz_finite(m->moment, 16*(size_t)m->links) && fuzz_finite(m->moment_grad, 30*(size_t)m->vertices), "moments");
    for (i = 0; i < m->links; ++i) {
        const dc_real *M = m->moment + 16*i;
        FUZZ_CHECK(M[15] >= 0 && M[0] >= 0 && M[5] >= 0 && M[10] >= 0, "link %d: moments %g %g %g %g", i, (double)M[0], (double)M[5], (double)M[10], (double)M[15]);
    }
    for (k = 0; k < m->pairs; ++k) {
        int a = m->pair[2*k], b = m->pair[2*k + 1];
        FUZZ_CHECK(a >= 0 && a < b && b < m->hulls && m->hull[a].link != m->hull[b].link, "pair %d: %d %d", k, a, b);
    }
    fuzz_mix(f, m->moment, 16*(size_t)m->links*sizeof(dc_real));
    fuzz_mix(f, m->moment_grad, 30*(size_t)m->vertices*sizeof(dc_real));
}

static dc_sim *model(fuzz *f)
{
    const dc_sim_desc *d = describe(f);
    size_t need = dc_sim_bytes(d);
    fuzz_arena *m = (fuzz_arena *)fuzz_alloc(f, sizeof *m);
    dc_sim *sim = (dc_sim *)fuzz_alloc(f, sizeof *sim);
    dc_sim_flaw flaw;
    dc_status s;
    flaw.link = 77;
    flaw.cause = NULL;
    *m = fuzz_arena_open(f, need);
    s = fuzz_status(f, dc_sim_build(d, &m->a, sim, fuzz_byte(f) & 1 ? NULL : &flaw));
    FUZZ_CHECK(s == DC_OK || s == DC_E_ARG || s == DC_E_MEMORY, "status %d", (int)s);
    FUZZ_CHECK(need > 0 || s == DC_E_ARG, "no bytes, status %d", (int)s);
    if (s != DC_OK) {
        fuzz_arena_close(m, 0, s);
        FUZZ_CHECK(fuzz_untouched(f, sim, sizeof *sim), "status %d, model written", (int)s);
        FUZZ_CHECK(flaw.link == 77 || (s == DC_E_ARG && flaw.cause && (flaw.link == -1 || (flaw.link >= 0 && flaw.link < d->links))), "flaw of link %d", flaw.link);
        return NULL;
    }
    FUZZ_CHECK(flaw.link == 77 && m->a.used <= need, "%lu bytes of %lu", (unsigned long)m->a.used, (unsigned long)need);
    model_holds(f, sim);
    return sim;
}

/* ---- states -------------------------------------------------------------------------------------------- */

static int quaternions_unit(const dc_sim *m, const dc_real *q)
{
    int i;
    for (i = 0; i < m->links; ++i)
        if (m->link[i].joint == DC_SIM_FREE || m->link[i].joint == DC_SIM_BALL) {
            const dc_real *x = q + m->q_at[i];
            if (!(dc_abs(x[0]*x[0] + x[1]*x[1] + x[2]*x[2] + x[3]*x[3] - 1) <= 16*DC_EPS)) return 0;
        }
    return 1;
}

/* near the neutral state, bodies side by side; then as far again as a step goes */
static dc_real *state(fuzz *f, const dc_sim *m, const dc_real *from)
{
    dc_real *q = fuzz_reals(f, (size_t)m->nq), d[6*LINKS], back[6*LINKS];
    dc_real size = from ? DC_R(0.0625) : DC_R(0.5);
    int i, k;
    if (!from) dc_sim_neutral(m, q);
    else memcpy(q, from, (size_t)m->nq*sizeof *q);
    for (i = 0; i < m->links && !from; ++i)
        if (m->link[i].joint == DC_SIM_FREE) q[m->q_at[i] + 4] = (dc_real)(2*i);
    for (k = 0; k < m->nv; ++k) d[k] = size*small(f);
    {
        dc_real *to = fuzz_reals(f, (size_t)m->nq);
        dc_sim_retract(m, q, d, to);
        if (!from) {
            FUZZ_CHECK(quaternions_unit(m, to), "a quaternion that is not of length 1");
            dc_sim_local(m, q, to, back);
            for (k = 0; k < m->nv; ++k) FUZZ_CHECK(dc_abs(back[k] - d[k]) <= 64*DC_EPS*(9 + dc_abs(d[k])), "tangent %d: %g, back %g", k, (double)d[k], (double)back[k]);
        }
        q = to;
    }
    if (m->nq > 0 && (fuzz_bad(f) || fuzz_byte(f) < f->extreme/4)) q[fuzz_below(f, m->nq)] = fuzz_real(f);
    return q;
}

static const dc_sim_control *control(fuzz *f, const dc_sim *m)
{
    dc_sim_control *u = (dc_sim_control *)fuzz_alloc(f, sizeof *u);
    dc_real *v = fuzz_reals(f, 2*(size_t)m->nv);
    int kind = fuzz_byte(f), k;
    memset(u, 0, sizeof *u);
    for (k = 0; k < 2*m->nv; ++k) v[k] = 4*small(f);
    if (kind & 1) u->target = state(f, m, NULL);
    if (kind & 2) u->velocity = v;
    if (kind & 4) u->force = v + m->nv;
    if (fuzz_bad(f) && m->nv > 0) v[fuzz_below(f, 2*m->nv)] = fuzz_real(f);
    return kind & 8 ? NULL : u;
}

/* ---- steps and derivatives ----------------------------------------------------------------------------- */

static dc_status step(fuzz *f, const dc_sim *m, const dc_real *q_prev, const dc_real *q, const dc_sim_control *u, dc_real *q_next)
{
    fuzz_arena a = fuzz_arena_open(f, dc_sim_step_bytes(m));
    int room = fuzz_below(f, 6);
    dc_real *path = fuzz_reals(f, (size_t)room*(size_t)m->nq);
    dc_sim_info info = DC_ZERO;
    dc_status s;
    info.path = path;
    info.path_size = room;
    s = fuzz_status(f, dc_sim_step(m, q_prev, q, u, &a.a, q_next, fuzz_byte(f) & 1 ? NULL : &info));
    fuzz_arena_close(&a, 0, s);
    FUZZ_CHECK(s != DC_E_SINGULAR, "status %d", (int)s);
    if (s != DC_OK && s != DC_E_DIVERGED) {
        FUZZ_CHECK(fuzz_untouched(f, q_next, (size_t)m->nq*sizeof *q_next), "status %d, but written", (int)s);
        FUZZ_CHECK(s == DC_E_OVERLAP || info.hull_a <= 0, "status %d blames hull %d", (int)s, info.hull_a);
        FUZZ_CHECK(s != DC_E_OVERLAP || info.hull_a < m->hulls, "hull %d", info.hull_a);
        return s;
    }
    FUZZ_CHECK(fuzz_finite(q_next, (size_t)m->nq) && quaternions_unit(m, q_next), "the next state");
    FUZZ_CHECK(info.iterations <= m->desc.iterations && info.shifts <= info.iterations + 1 && info.shortened <= info.iterations + 1, "%d iterations", info.iterations);
    FUZZ_CHECK(info.path_count == 0 || info.path_count == info.iterations + 1, "%d corners, %d iterations", info.path_count, info.iterations);
    FUZZ_CHECK(info.path_count == 0 || room <= info.path_count || memcmp(path + (size_t)(info.path_count - 1)*(size_t)m->nq, q_next, (size_t)m->nq*sizeof *q_next) == 0, "the end of the path");
    fuzz_mix(f, q_next, (size_t)m->nq*sizeof *q_next);
    return s;
}

static void gradient(fuzz *f, const dc_sim *m, const dc_real *q_prev, const dc_real *q, const dc_sim_control *u, const dc_real *q_next)
{
    dc_sim_jacobian o = DC_ZERO;
    size_t nv = (size_t)m->nv, n[7];
    dc_real **out[7];
    fuzz_arena a;
    dc_status s;
    int mask = fuzz_byte(f) | fuzz_byte(f), k;
    out[0] = &o.prev;       n[0] = nv;
    out[1] = &o.now;        n[1] = nv;
    out[2] = &o.control;    n[2] = 3*nv;
    out[3] = &o.attach;     n[3] = 6*(size_t)m->links;
    out[4] = &o.mass;       n[4] = (size_t)m->links;
    out[5] = &o.friction;   n[5] = (size_t)(m->links + m->planes);
    out[6] = &o.vertex;     n[6] = 3*(size_t)m->vertices;
    for (k = 0; k < 7; ++k)
        if (mask >> k & 1) *out[k] = fuzz_reals(f, nv*n[k]);
    a = fuzz_arena_open(f, dc_sim_grad_bytes(m, &o));
    s = fuzz_status(f, dc_sim_grad(m, q_prev, q, u, q_next, &a.a, &o));
    fuzz_arena_close(&a, 0, s);
    for (k = 0; k < 7; ++k) {
        if (!*out[k] || nv*n[k] == 0) continue;
        FUZZ_CHECK(s == DC_OK || fuzz_untouched(f, *out[k], nv*n[k]*sizeof(dc_real)), "status %d, output %d written", (int)s, k);
        FUZZ_CHECK(s != DC_OK || fuzz_finite(*out[k], nv*n[k]), "output %d", k);
        if (s == DC_OK) fuzz_mix(f, *out[k], nv*n[k]*sizeof(dc_real));
    }
}

/* a trajectory's gradient, with all states and with checkpoints: the same bits */
static void adjoint(fuzz *f, const dc_sim *m, const dc_real *q, const dc_sim_control *u)
{
    size_t nv = (size_t)m->nv, nq = (size_t)m->nq, n[6], k;
    int round, mask = fuzz_byte(f), c;
    dc_real *loss = fuzz_reals(f, STEPS*nv), *out[2][6], *marks = fuzz_reals(f, 4*nq);
    dc_sim_control *all = (dc_sim_control *)fuzz_alloc(f, STEPS*sizeof *all);
    dc_status s[2];
    for (k = 0; k < STEPS*nv; ++k) loss[k] = small(f);
    if (fuzz_bad(f) && nv > 0) loss[(size_t)fuzz_byte(f)%(STEPS*nv)] = fuzz_real(f);
    for (k = 0; u && k < STEPS; ++k) all[k] = *u;
    memcpy(marks, q, 2*nq*sizeof *q);               /* q_{-1}, q_0 */
    memcpy(marks + 2*nq, q + 2*nq, 2*nq*sizeof *q); /* q_1, q_2 */
    n[0] = 2*nv;
    n[1] = STEPS*3*nv;
    n[2] = 6*(size_t)m->links;
    n[3] = (size_t)m->links;
    n[4] = (size_t)(m->links + m->planes);
    n[5] = 3*(size_t)m->vertices;
    for (round = 0; round < 2; ++round) {
        dc_sim_run r = DC_ZERO;
        fuzz_arena a;
        r.steps = fuzz_bad(f) ? 0 : STEPS;
        r.every = round ? 2 : fuzz_bad(f) ? -1 : 0;
        r.q = round ? marks : q;
        r.control = u ? all : NULL;
        r.loss = loss;
        for (c = 0; c < 6; ++c) out[round][c] = mask >> c & 1 ? fuzz_reals(f, n[c]) : NULL;
        r.start = out[round][0];
        r.control_grad = out[round][1];
        r.attach = out[round][2];
        r.mass = out[round][3];
        r.friction = out[round][4];
        r.vertex = out[round][5];
        a = fuzz_arena_open(f, dc_sim_adjoint_bytes(m, &r));
        s[round] = fuzz_status(f, dc_sim_adjoint(m, &r, &a.a));
        fuzz_arena_close(&a, 0, s[round]);
        for (c = 0; c < 6 && s[round] == DC_OK; ++c)
            if (out[round][c]) {
                FUZZ_CHECK(fuzz_finite(out[round][c], n[c]), "output %d", c);
                fuzz_mix(f, out[round][c], n[c]*sizeof(dc_real));
                FUZZ_CHECK(round == 0 || s[0] != DC_OK || memcmp(out[0][c], out[1][c], n[c]*sizeof(dc_real)) == 0, "output %d by checkpoints", c);
            }
    }
}

/* a design space of the model, one step in it from where it was built, and that design in the model */
static void design(fuzz *f, dc_sim *m)
{
    dc_design_desc desc = DC_ZERO;
    dc_design D;
    dc_design_rows R;
    dc_design_info info;
    dc_sim_flaw flaw;
    dc_design_term *term = (dc_design_term *)fuzz_alloc(f, 2*sizeof *term);
    dc_design_copy *copy = (dc_design_copy *)fuzz_alloc(f, sizeof *copy);
    unsigned char *mark = (unsigned char *)fuzz_alloc(f, (size_t)m->vertices + 1), *attach = (unsigned char *)fuzz_alloc(f, LINKS);
    dc_arena mem = dc_arena_make(fuzz_alloc(f, 1 << 18), 1 << 18);
    dc_real *d, *step, radius, far_off;
    dc_status s;
    int k;

    /* marks, terms, a copy: most of it sound */
    for (k = 0; k < m->vertices; ++k) mark[k] = (unsigned char)fuzz_below(f, 3);
    for (k = 0; k < LINKS; ++k) attach[k] = (unsigned char)fuzz_below(f, 4);
    if (fuzz_bad(f)) attach[0] = (unsigned char)fuzz_byte(f);
    memset(term, 0, 2*sizeof *term);
    for (k = 0; k < 2; ++k) {
        term[k].kind = k ? DC_DESIGN_FRICTION : DC_DESIGN_ATTACH;
        term[k].index = fuzz_int(f, 0, m->links - 1 + fuzz_bad(f));
        term[k].axis = fuzz_int(f, 0, 5);
        term[k].variable = fuzz_bad(f) ? fuzz_int(f, -1, 2) : 0;
        term[k].weight = fuzz_bad(f) ? fuzz_real(f) : small(f);
    }
    memset(copy, 0, sizeof *copy);
    copy->from = fuzz_int(f, 0, m->links);
    copy->to = fuzz_int(f, 0, m->links);
    for (k = 0; k < 9; ++k) copy->map.m[k] = small(f);
    desc.vertex = mark;
    desc.attach = attach;
    desc.term = term;
    desc.terms = fuzz_int(f, 0, 2);
    desc.copy = copy;
    desc.copies = fuzz_byte(f) < 32;
    desc.variables = fuzz_int(f, 1, 2);
    desc.range = fuzz_byte(f) < 128 ? DC_R(0.1) : fuzz_option(f, 1);
    s = fuzz_status(f, dc_design_build(&desc, m, &mem, &D, &flaw));
    FUZZ_CHECK(s == DC_OK || s == DC_E_ARG || s == DC_E_MEMORY, "status %d", (int)s);
    FUZZ_CHECK((dc_design_bytes(&desc, m) == 0) == (s == DC_E_ARG), "bytes and build disagree");
    if (s != DC_OK || D.n < 1 || dc_design_rows_open(512, 1 << 12, &mem, &R) != DC_OK) return;

    /* rows, a step within them */
    d = fuzz_reals(f, (size_t)D.n);
    step = fuzz_reals(f, (size_t)D.n);
    for (k = 0; k < D.n; ++k) {
        d[k] = 0;
        step[k] = fuzz_byte(f) < 250 ? small(f) : fuzz_real(f);
    }
    s = fuzz_status(f, dc_design_solid(&D, m, fuzz_option(f, 0.01), &mem, &R));
    FUZZ_CHECK(s == DC_OK || s == DC_E_ARG || s == DC_E_MEMORY, "status %d", (int)s);
    far_off = fuzz_option(f, 1);
    s = fuzz_status(f, dc_design_clear(&D, m, state(f, m, NULL), DC_R(0.01), far_off, &mem, &R, NULL, NULL));
    FUZZ_CHECK(R.rows >= 0 && R.rows <= R.most_rows && R.entries <= R.most_entries, "rows out of their room");
    radius = fuzz_option(f, 0.1);
    s = fuzz_status(f, dc_design_project(&D, &R, d, radius, &mem, step, &info));
    FUZZ_CHECK(s != DC_E_RANGE && s != DC_E_OVERLAP, "status %d", (int)s);
    if (s != DC_OK) return;
    for (k = 0; k < D.n; ++k)
        FUZZ_CHECK(step[k] >= D.lo[k] && step[k] <= D.hi[k] && (radius == 0 || dc_abs(step[k]) <= radius*DC_R(1.001)), "step %d", k);
    s = fuzz_status(f, dc_design_apply(&D, step, m, &flaw));
    FUZZ_CHECK(s == DC_OK || s == DC_E_ARG, "status %d", (int)s);
    if (s != DC_OK) fuzz_status(f, dc_design_apply(&D, d, m, &flaw));
}

static void world(fuzz *f)
{
    dc_sim *m = model(f);
    const dc_sim_control *u;
    dc_pose pose[LINKS];
    uint64_t hash;
    dc_real *q;
    dc_status s;
    size_t nq;
    int k, whole = 1;
    if (!m) return;
    nq = (size_t)m->nq;
    if (fuzz_byte(f) < 48 && m->vertices > 0) {                     /* another design */
        dc_sim_flaw flaw;
        m->vertex[fuzz_byte(f)%m->vertices].x += small(f)/16;
        m->link[fuzz_below(f, m->links)].friction = fuzz_option(f, 0.5);
        if (fuzz_bad(f)) m->link[fuzz_below(f, m->links)].mass = fuzz_real(f);
        s = fuzz_status(f, dc_sim_refresh(m, &flaw));
        FUZZ_CHECK(s == DC_OK || s == DC_E_ARG, "status %d", (int)s);
        if (s != DC_OK) return;
        model_holds(f, m);
    }
    if (fuzz_byte(f) < 48 && !m->desc.trees) design(f, m);
    q = fuzz_reals(f, (STEPS + 2)*nq);
    memcpy(q, state(f, m, NULL), nq*sizeof *q);
    memcpy(q + nq, state(f, m, q), nq*sizeof *q);
    u = control(f, m);
    dc_sim_poses(m, q, pose);
    hash = dc_sim_hash(q, m->nq);
    fuzz_mix(f, pose, (size_t)m->links*sizeof *pose);
    for (k = 0; k < STEPS; ++k) {
        s = step(f, m, q + (size_t)k*nq, q + (size_t)(k + 1)*nq, u, q + (size_t)(k + 2)*nq);
        /* from where a step ended another can start */
        FUZZ_CHECK(k == 0 || s != DC_E_OVERLAP, "overlap after a step");
        FUZZ_CHECK(k == 0 || s != DC_E_ARG, "a step's end is refused");
        whole &= s == DC_OK;
        if (s != DC_OK && s != DC_E_DIVERGED) break;
        if (fuzz_byte(f) < 128) gradient(f, m, q + (size_t)k*nq, q + (size_t)(k + 1)*nq, u, q + (size_t)(k + 2)*nq);
    }
    FUZZ_CHECK(hash == dc_sim_hash(q, m->nq), "a state that steps started from has changed");
    if (k == STEPS && whole) adjoint(f, m, q, u);
}

static void adam(fuzz *f)
{
    int n = fuzz_count(f, 1, 4), k;
    size_t sn = n > 0 ? (size_t)n : 0;
    dc_real *x = fuzz_reals(f, sn), *g = fuzz_reals(f, sn), *mom = fuzz_reals(f, sn), *var = fuzz_reals(f, sn), was[4] = {0, 0, 0, 0};
    dc_adam_state a = DC_ZERO;
    dc_status s;
    for (k = 0; k < n; ++k) {
        x[k] = was[k] = small(f);
        g[k] = fuzz_real(f);
        mom[k] = var[k] = 0;
    }
    a.n = n;
    a.m = fuzz_bad(f) ? NULL : mom;
    a.v = var;
    a.rate = fuzz_byte(f) < 128 ? 0 : DC_R(0.1);
    s = fuzz_status(f, dc_adam(&a, g, x));
    FUZZ_CHECK(s == DC_OK || s == DC_E_ARG, "status %d", (int)s);
    FUZZ_CHECK(s == DC_OK || n < 1 || !a.m || !fuzz_finite(g, sn), "refused");
    for (k = 0; k < n; ++k) {
        if (s != DC_OK) FUZZ_CHECK(x[k] <= was[k] && x[k] >= was[k], "refused, but written");
        else FUZZ_CHECK(dc_abs(x[k] - was[k]) <= DC_R(0.1001), "a first step of %g", (double)(x[k] - was[k]));
    }
    fuzz_mix(f, x, sn*sizeof *x);
}

static void calls(fuzz *f)
{
    while (fuzz_more(f) && f->n_blocks < FUZZ_BLOCKS - 150) {
        if (fuzz_byte(f) < 16) adam(f);
        else world(f);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return fuzz_input(data, size, calls); }
