/* Audit of dc_sim.h, grains: the derivative of a step, explicit and of sweeps, its transpose, and the gradient by what grains are
 * made of. See audit.h.
 *
 * Only smooth learned fields have a Hessian: with exact and sampled ones both functions must refuse. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"
#define DQ_CONTACT_IMPLEMENTATION
#define DQ_BSH_IMPLEMENTATION
#define DQ_SDF_IMPLEMENTATION
#define DQ_SIM_IMPLEMENTATION
#include "dq_sim.h"

#include "audit.h"
#include "grain.h"
#include "poses.h"

enum { BODIES = 4, SPRINGS = 12, NUMBERS = 6*BODIES + 3*SPRINGS, SAVED = 1 << 14, SWEEPS = 5, PARAMETERS = 2 };

static unsigned char field_memory[1 << 20], quad_fields[1 << 21], memory[1 << 18], quad_memory[1 << 19], scratch[1 << 19],
    quad_scratch[1 << 20];

static const char *const walls[] = {"half-plane", "disc", "hole", "no wall", "driven", "reduced mass", "sweeps", "sweeps, disc",
                                    "sweeps, driven", "sweeps, reduced mass"};
enum { HALFPLANE, DISC, HOLE, NOTHING, DRIVEN, REDUCED, SWEPT, SWEPT_DISC, SWEPT_DRIVEN, SWEPT_REDUCED, ALL };

/* ---- fields: of star and star, and of each wall and star ---- */

static grain star_points;
static dc_cshape star;
static dc_cfield exact[4], learned[4];
static dq_cfield quad_field[4];

/* 0: the training of one failed */
static int fields_make(void)
{
    static double training[1 << 19], eval[1 << 13];
    static unsigned char saved[SAVED];
    dc_arena mem = dc_arena_make(field_memory, sizeof field_memory);
    dq_arena quad_mem = dq_arena_make(quad_fields, sizeof quad_fields);
    dc_cfield_train_options o = DC_ZERO;
    int k;
    star.poly = grain_named(&star_points, "star");
    o.smooth = 1;
    o.harmonics = 6;
    o.layers = 2;
    o.width = 16;
    o.samples = 2000;
    o.epochs = 40;
    if (dc_cfield_train_bytes(&o) > sizeof training) return 0;
    for (k = 0; k < 4; ++k) {
        static const dc_cshape_kind kind[4] = {DC_CSHAPE_HALFPLANE, DC_CSHAPE_DISC, DC_CSHAPE_HOLE, DC_CSHAPE_POLY};
        dc_cshape a = star;
        dc_arena work = dc_arena_make(eval, sizeof eval);
        size_t size;
        a.kind = kind[k];
        a.radius = k == DISC ? 2 : 4;
        if (dc_cfield_exact(NULL, &a, &star.poly, &mem, exact + k) != DC_OK || dc_cfield_train_start(&o, exact + k, training) != DC_OK
            || dc_cfield_train(exact + k, training, &work, NULL, NULL, NULL) != DC_OK
            || dc_cfield_learned(training, &mem, learned + k) != DC_OK) return 0;
        size = dc_cfield_save_bytes(learned + k);
        if (size > sizeof saved || dc_cfield_save(learned + k, saved, size) != DC_OK
            || dq_cfield_load(saved, size, &quad_mem, quad_field + k) != DQ_OK) return 0;
    }
    return 1;
}

/* ---- a scene ---- */

/* width: numbers of a spring; next: the gradient by the next state of shape_rows */
typedef struct { dc_grains g; dq_grains q; int wall, contacts, width; dc_real next[NUMBERS]; } grains;

static const int bodies[BODIES] = {1, 0, 0, 0};         /* the wall, and three stars */

/* The wall, or a star in its place, and stars at random that press on it and on each other; the copy likewise. */
static int grains_make(int which, rng *r, const dc_cfield *fields, grains *s)
{
    static const dc_grain_material stone = {DC_R(1e3), 8, DC_R(800.0), 6, DC_R(0.5)};
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dq_arena quad_mem = dq_arena_make(quad_memory, sizeof quad_memory);
    dc_grain_type type[2] = DC_ZERO;
    dq_grain_type quad_type[2] = DQ_ZERO;
    dc_grain_pair pair[2] = DC_ZERO;
    dq_grain_pair quad_pair[2] = DQ_ZERO;
    dc_grains_desc d = DC_ZERO;
    dq_grains_desc q = DQ_ZERO;
    int k, i;
    s->wall = which == DISC || which == SWEPT_DISC ? DISC : which == HOLE ? HOLE : HALFPLANE;
    s->width = which >= SWEPT ? 3 : 1;
    if (dc_grain_type_poly(&star.poly, 1, 1, &type[0]) != DC_OK) return 0;
    type[1].kind = s->wall == HALFPLANE ? DC_CSHAPE_HALFPLANE : s->wall == DISC ? DC_CSHAPE_DISC : DC_CSHAPE_HOLE;
    type[1].radius = s->wall == DISC ? 2 : 4;
    pair[0].field = fields + 3;
    pair[1].field = fields + s->wall;
    pair[1].a = 1;
    d.type = type; d.types = 2;
    d.pair = pair; d.pairs = 2;
    d.body = bodies; d.bodies = BODIES;
    d.h = which >= SWEPT ? DC_R(4e-3) : DC_R(1e-3);
    d.sweeps = which >= SWEPT ? SWEEPS : 0;
    d.gravity[1] = DC_R(-9.81);
    d.material = stone;
    d.material.mu = (dc_real)rng_uniform(r, 0.05, 1);
    if (rng_int(r, 0, 3) == 0) d.material.gn = DC_R(2e3);       /* dampers that would pull where grains part */
    d.reduced_mass = which == REDUCED || which == SWEPT_REDUCED;
    d.lo[0] = d.lo[1] = -8;
    d.hi[0] = d.hi[1] = 8;
    if (dc_grains_build(&d, &mem, &s->g) != DC_OK) return 0;

    /* the same numbers in the copy */
    for (k = 0; k < 2; ++k) {
        quad_type[k].kind = (dq_cshape_kind)type[k].kind;
        quad_type[k].mass = type[k].mass;
        quad_type[k].inertia = type[k].inertia;
        quad_type[k].radius = type[k].radius;
        quad_pair[k].a = pair[k].a;
        quad_pair[k].field = k ? quad_field + s->wall : quad_field + 3;
    }
    q.type = quad_type; q.types = 2;
    q.pair = quad_pair; q.pairs = 2;
    q.body = bodies; q.bodies = BODIES;
    q.h = d.h;
    q.sweeps = d.sweeps;
    q.gravity[0] = d.gravity[0]; q.gravity[1] = d.gravity[1];
    q.material.kn = d.material.kn; q.material.gn = d.material.gn; q.material.kt = d.material.kt;
    q.material.gt = d.material.gt; q.material.mu = d.material.mu;
    q.reduced_mass = d.reduced_mass;
    q.lo[0] = q.lo[1] = -8;
    q.hi[0] = q.hi[1] = 8;
    if (dq_grains_build(&q, &quad_mem, &s->q) != DQ_OK) return 0;

    /* stars that overlap the wall and each other a little */
    for (k = 1; k < BODIES; ++k) {
        double a = rng_uniform(r, -0.5, 0.5) + (k - 2)*0.8, R = s->wall == DISC ? 2.7 : 3.2;
        s->g.q[3*k] = (dc_real)rng_uniform(r, -3, 3);
        s->g.q[3*k + 1] = (dc_real)(s->wall == HALFPLANE ? 1.4*a : R*sin(a));
        s->g.q[3*k + 2] = (dc_real)(s->wall == HALFPLANE ? rng_uniform(r, 0.4, 1.2) : (s->wall == DISC ? 1 : -1)*R*cos(a));
        for (i = 0; i < 3; ++i) s->g.v[3*k + i] = (dc_real)rng_uniform(r, -1, 1);
    }
    if (which == NOTHING) {
        s->g.motion[0] = DC_GRAIN_ABSENT;
        s->g.motion[3] = DC_GRAIN_ABSENT;
    }
    if (which == DRIVEN || which == SWEPT_DRIVEN) {
        s->g.motion[1] = DC_GRAIN_DRIVEN;
        for (i = 0; i < 3; ++i) s->g.v[i] = (dc_real)rng_uniform(r, -0.5, 0.5);
    }
    return 1;
}

/* ---- the copy's step ---- */

/* f: q, v, springs of the contacts that keep them, in the order of contact. 0: others touch than at the sample. */
static int grains_value(const dq_real *t, dq_real *f, void *user)
{
    grains *s = (grains *)user;
    dq_arena mem = dq_arena_make(quad_scratch, sizeof quad_scratch);
    dq_grains *q = &s->q;
    int k, at = 6*BODIES, springs = dc_grains_springs(&s->g);
    memcpy(q->motion, s->g.motion, BODIES*sizeof *q->motion);
    memcpy(q->spring_row, s->g.spring_row, (BODIES + 1)*sizeof *q->spring_row);
    memcpy(q->spring_body, s->g.spring_body, (size_t)springs*sizeof *q->spring_body);
    for (k = 0; k < 3*BODIES; ++k) {
        q->q[k] = (dq_real)s->g.q[k] + t[k];
        q->v[k] = (dq_real)s->g.v[k] + t[3*BODIES + k];
    }
    for (k = 0; k < s->width*springs; ++k) q->spring[k] = (dq_real)s->g.spring[k] + t[6*BODIES + k];
    if (dq_grains_step(q, &mem, NULL) != DQ_OK) return 0;
    for (k = 0; k < 3*BODIES; ++k) {
        f[k] = q->q[k];
        f[3*BODIES + k] = q->v[k];
    }
    for (k = 0; k < q->contacts; ++k) {
        const dq_grain_contact *c = q->contact + k;
        if (!(s->width > 1 ? c->fn > 0 : c->d < 0) || at + s->width > NUMBERS) continue;
        f[at++] = c->spring;
        if (s->width == 1) continue;
        f[at++] = c->fn;
        f[at++] = c->ft;
    }
    return at == 6*BODIES + s->width*s->contacts;
}

static dc_grains_tangent tangent(dc_real *x)
{
    dc_grains_tangent t;
    t.q = x;
    t.v = x + 3*BODIES;
    t.spring = x + 6*BODIES;
    return t;
}

/* a scene after two steps, its springs and velocities a little different; 0: none */
static int grains_run(int which, rng *r, const dc_cfield *fields, grains *s)
{
    dc_status status = DC_OK;
    int i;
    if (!grains_make(which, r, fields, s)) return 0;
    for (i = 0; i < 2 && status == DC_OK; ++i) {
        dc_arena mem = dc_arena_make(scratch, sizeof scratch);
        status = dc_grains_step(&s->g, &mem, NULL);
    }
    if (status != DC_OK || dc_grains_springs(&s->g) > SPRINGS) return 0;
    for (i = 0; i < dc_grains_springs(&s->g); ++i) s->g.spring[s->width*i] += (dc_real)(0.02*rng_normal(r));
    for (i = 3; i < 3*BODIES; ++i) s->g.v[i] += (dc_real)rng_uniform(r, -1, 1);
    return 1;
}

static void grains_rows(int which, long n)
{
    audit_row *row = audit_of("dc_grains_jvp", walls[which]), *back = audit_of("dc_grains_vjp", walls[which]);
    long k;
    for (k = audit_first(n); audit_next(row, k, n) || audit_next(back, k, n); ++k) {
        static grains s;
        static dc_real J[NUMBERS*NUMBERS], column[1 << 12], e[1 << 12], Jt[NUMBERS*NUMBERS];
        rng r = audit_draw(row, k);
        dc_arena mem = dc_arena_make(scratch, sizeof scratch);
        dc_grains_info info = DC_ZERO;
        dc_grains_tangent in = tangent(e), out = tangent(column);
        dc_status status = DC_OK;
        double most = 0, err = 0, scale[NUMBERS], unit[NUMBERS];
        int i, j, springs, inputs, outputs;
        if (!grains_run(which, &r, learned, &s)) continue;
        springs = s.width*dc_grains_springs(&s.g);
        inputs = 6*BODIES + springs;
        for (j = 0; j < inputs && status == DC_OK; ++j) {
            memset(e, 0, sizeof e);
            e[j] = 1;
            status = dc_grains_jvp(&s.g, &in, &out, &mem, &info);
            for (i = 0; i < NUMBERS; ++i) J[i*NUMBERS + j] = column[i];
        }
        s.contacts = info.contacts;
        outputs = 6*BODIES + s.width*info.contacts;
        audit_call(row, status, status == DC_OK, NULL, 0);
        if (status != DC_OK || outputs > NUMBERS) continue;
        for (i = 0; i < outputs; ++i)
            for (j = 0; j < inputs; ++j) most = fmax(most, fabs((double)J[i*NUMBERS + j]));

        /* the transpose */
        for (i = 0; i < outputs && status == DC_OK; ++i) {
            memset(e, 0, sizeof e);
            e[i] = 1;
            status = dc_grains_vjp(&s.g, &in, &out, &mem, NULL);
            memcpy(Jt + i*NUMBERS, column, NUMBERS*sizeof *column);
            for (j = 0; j < inputs; ++j) err = fmax(err, fabs((double)(column[j] - J[i*NUMBERS + j])));
        }
        audit_call(back, status, status == DC_OK, NULL, 0);
        if (status == DC_OK && most > 0) audit_agree(back, err/most, 64*(double)DC_EPS);
        for (j = 0; j < NUMBERS; ++j) scale[j] = unit[j] = 1;
        for (j = 0; j < 3; ++j) if (which == NOTHING) scale[j] = 0;
        audit_jacobian(row, grains_value, &s, inputs, scale, outputs, unit, J, NUMBERS, 1e-9, 1, &r);
    }
}

/* ---- by what grains are made of ---- */

/* next . (q', v', springs') of stars whose mass and inertia are larger by t[0], t[1]. Fields of the copy have cells of float, too, in
 * which steps of differences are lost: derivatives by the field are test_grains_sweeps.c's. */
static int shape_value(const dq_real *t, dq_real *f, void *user)
{
    static const dq_real still[NUMBERS];
    grains *s = (grains *)user;
    dq_real next[NUMBERS];
    int k;
    s->q.type[0].mass = (dq_real)s->g.type[0].mass + t[0];
    s->q.type[0].inertia = (dq_real)s->g.type[0].inertia + t[1];
    if (!grains_value(still, next, s)) return 0;
    for (k = 0, f[0] = 0; k < 6*BODIES + s->width*s->contacts; ++k) f[0] += (dq_real)s->next[k]*next[k];
    return 1;
}

static void shape_rows(int which, long n)
{
    audit_row *row = audit_of("dc_grains_vjp_shape", walls[which]);
    const dc_real mass[2*PARAMETERS] = {1, 0, 0, 0}, inertia[2*PARAMETERS] = {0, 0, 1, 0};
    const double scale[PARAMETERS] = {1, 1}, unit[1] = {1};
    dc_grains_shape shape;
    long k;
    shape.parameters = PARAMETERS;
    shape.field = NULL;
    shape.mass = mass;
    shape.inertia = inertia;
    for (k = audit_first(n); audit_next(row, k, n); ++k) {
        static grains s;
        static dc_real now[1 << 12];
        dc_real by[PARAMETERS];
        rng r = audit_draw(row, k);
        dc_arena mem = dc_arena_make(scratch, sizeof scratch);
        dc_grains_info info = DC_ZERO;
        dc_grains_tangent next = tangent(s.next), to = tangent(now);
        dc_status status;
        int i;
        if (!grains_run(which, &r, learned, &s)) continue;
        for (i = 0; i < NUMBERS; ++i) s.next[i] = (dc_real)rng_normal(&r);
        status = dc_grains_vjp_shape(&s.g, &shape, &next, &to, by, &mem, &info);
        s.contacts = info.contacts;
        audit_call(row, status, status == DC_OK, NULL, 0);
        if (status != DC_OK || info.contacts > SPRINGS) continue;
        audit_jacobian(row, shape_value, &s, PARAMETERS, scale, 1, unit, by, PARAMETERS, 1e-9, 1, &r);
    }
}

/* Fields without a Hessian are refused. */
static void refused_rows(const char *name, const dc_cfield *fields, long n)
{
    audit_row *row = audit_of("jvp, vjp refuse", name);
    long k;
    for (k = audit_first(n); audit_next(row, k, n); ++k) {
        static grains s;
        static dc_real e[1 << 12], column[1 << 12];
        rng r = audit_draw(row, k);
        dc_arena mem = dc_arena_make(scratch, sizeof scratch);
        dc_grains_tangent in = tangent(e), out = tangent(column);
        dc_grains_info info = DC_ZERO;
        dc_status forward, back;
        if (!grains_make(NOTHING, &r, fields, &s)) continue;
        forward = dc_grains_jvp(&s.g, &in, &out, &mem, &info);
        back = dc_grains_vjp(&s.g, &in, &out, &mem, NULL);
        if (forward == DC_OK && info.pairs == 0) continue;      /* no field was asked */
        audit_call(row, forward, forward == DC_E_ARG && back == DC_E_ARG, NULL, 0);
    }
}

int main(int argc, char **argv)
{
    static dc_cfield sampled[4];
    static unsigned char sampled_memory[1 << 16];
    dc_arena mem = dc_arena_make(sampled_memory, sizeof sampled_memory);
    int which;
    if (!audit_begin(argc, argv)) return 1;
    if (!fields_make()) {
        fprintf(stderr, "audit: no fields\n");
        return 1;
    }
    memcpy(sampled, exact, sizeof sampled);
    if (dc_cfield_sampled(NULL, &star, &star.poly, &mem, sampled + 3) != DC_OK) return 1;
    for (which = 0; which < ALL; ++which) grains_rows(which, 2000);
    for (which = SWEPT; which < ALL; ++which) shape_rows(which, 2000);
    refused_rows("exact", exact, 100);
    refused_rows("sampled", sampled, 100);
    return !audit_end();
}
