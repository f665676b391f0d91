/* The implicit step of grains: friction of CEM 8.1, momentum, bits, rest, snapshots, derivatives. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"

#include <math.h>
#include <string.h>

#include "greatest.h"
#include "support.h"
#include "real.h"
#include "record.h"
#include "grain.h"

static unsigned char memory[1 << 24], scratch[1 << 22], fields[1 << 22];
static record rec;

static dc_status step(dc_grains *g, dc_grains_info *info)
{
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    return dc_grains_step(g, &mem, info);
}

/* ---- friction of CEM 8.1 ------------------------------------------------------------------------- */

/* Which of the nine slide and which stand, and how far, beside the explicit step at 1 ms that the table was made with: within 3 %,
 * where the table's own start-up of some springs' lengths, up to 1.5 mm, is left out. */
TEST friction_as_tabulated_at_four_times_the_step(void)
{
    worst w = worst_make("slides of grain_validation, relative");
    table t;
    int cases = 0;
    ASSERT(table_open(&t, "grain_validation.txt"));
    while (record_next(&t, &rec)) {
        friction_scene s;
        dc_grains g;
        int k, done = 0;
        ++cases;
        ASSERT_EQ(DC_OK, friction_open(&rec, DC_R(4e-3), 8, dc_arena_make(memory, sizeof memory), &s, &g));
        for (k = 0; k < s.rows; ++k) {
            const double *want = s.series + s.width*k;
            double now[2];
            for (; done < (int)(want[0]/(double)g.desc.h + 0.5); ++done) ASSERT_EQ(DC_OK, step(&g, NULL));
            friction_now(&s, &g, now);
            /* the mirrored fall of two planks is unstable: that they fell */
            if (s.kind == 't' && s.mu < 0.2) {
                if (want[0] > 1.9) ASSERT(now[1] < -0.4 && now[0] > 0.25);
                continue;
            }
            worst_add(&w, fmax(fabs(now[0] - want[1]) - 1.5e-3, 0)/fmax(fabs(want[1]), 1e-3), "%s t %g: %g, table %g", rec.name, want[0],
                      now[0], want[1]);
            if (s.kind == 'i' && s.mu > 0.29) ASSERT(fabs(now[0]) < 1.5e-3 && (want[0] < 1 || fabs((double)g.v[4]) < 1e-5));
        }
    }
    table_close(&t);
    ASSERT_EQ(9, cases);
    ASSERT(worst_print(&w, 0.03));
    PASS();
}

/* ---- a crowd with baked fields -------------------------------------------------------------------- */

enum { WALLS = OCTAGON_WALLS };
static octagon_scene crowd, other;
static octagon_fields octagons;
static const dc_cfield *const baked = octagons.baked;

static void crowd_rain(octagon_scene *c, uint64_t seed)
{
    rng r;
    int k;
    rng_seed(&r, seed);
    for (k = 0; k < c->g.desc.bodies - WALLS; ++k) {
        double x = 0.8 + 1.1*(k%5) + rng_uniform(&r, -0.05, 0.05), y = 0.8 + 1.25*(k/5);
        place(&c->g, WALLS + k, rng_uniform(&r, -3, 3), x, y);
    }
}

/* A pile comes to rest: slower than 10 mm/s, overlaps of a few hundredths of a grain, and the floor carries the weight. */
TEST a_pile_rests(void)
{
    dc_grains_info info;
    double speed = 0, weight = 0, up = 0;
    int k;
    ASSERT_EQ(DC_OK, octagons_bake(&octagons, fields, sizeof fields));
    ASSERT_EQ(DC_OK, octagons_make(&crowd, &octagons, baked, OCTAGONS, -9.81, 8, 0));
    crowd_rain(&crowd, 3);
    for (k = 0; k < 2000; ++k) ASSERT_EQ(DC_OK, step(&crowd.g, &info));
    for (k = WALLS; k < OCTAGONS + WALLS; ++k) {
        const dc_real *v = crowd.g.v + 3*k;
        speed += (double)(v[1]*v[1] + v[2]*v[2]);
        weight += 9.81*(double)crowd.g.type[0].mass;
        ASSERT(crowd.g.q[3*k + 2] > 0 && crowd.g.q[3*k + 1] > 0 && crowd.g.q[3*k + 1] < 6);
    }
    for (k = 0; k < WALLS; ++k) up -= (double)crowd.g.force[3*k + 2];
    speed = sqrt(speed/(double)OCTAGONS);
    printf("  %d contacts, speed %.3g mm/s, deepest %.3g mm, the walls carry %.5f of the weight\n", info.contacts, 1e3*speed,
           1e3*(double)info.deepest, up/weight);
    ASSERT(speed < 0.01);
    ASSERT((double)info.deepest < 0.02);
    ASSERT(fabs(up/weight - 1) < 0.02);
    PASS();
}

/* fields that take no memory of their own: what dc_grains_step_bytes says is enough wherever it begins */
TEST memory_begins_anywhere(void)
{
    static unsigned char odd[1 << 16];
    dc_grains_info info;
    size_t need, begin;
    ASSERT_EQ(DC_OK, octagons_bake(&octagons, fields, sizeof fields));
    ASSERT_EQ(DC_OK, octagons_make(&crowd, &octagons, baked, OCTAGONS, -9.81, 8, 0));
    crowd_rain(&crowd, 5);
    need = dc_grains_step_bytes(&crowd.g);
    ASSERT(need > 0 && need + DC_ALIGN <= sizeof odd);
    for (begin = 0; begin < DC_ALIGN; ++begin) {
        dc_arena mem = dc_arena_make(odd + begin, need);
        ASSERT_EQ(DC_OK, dc_grains_step(&crowd.g, &mem, &info));
    }
    PASS();
}

/* no walls, no gravity: grains that overlap blow apart */
TEST momentum_is_kept(void)
{
    worst w = worst_make("drift of momentum in a step, of its parts, in EPS");
    dc_grains_info info;
    int k, i, touched = 0;
    ASSERT_EQ(DC_OK, octagons_bake(&octagons, fields, sizeof fields));
    ASSERT_EQ(DC_OK, octagons_make(&crowd, &octagons, baked, OCTAGONS, 0, 8, 0));
    crowd_rain(&crowd, 4);
    for (k = 0; k < WALLS; ++k) crowd.g.motion[k] = DC_GRAIN_ABSENT;
    for (k = WALLS; k < OCTAGONS + WALLS; ++k) {
        crowd.g.q[3*k + 2] *= DC_R(0.8);
        for (i = 0; i < 3; ++i) crowd.g.v[3*k + i] = (dc_real)(0.3*((7*k + 5*i)%11 - 5));
    }
    for (k = 0; k < 60; ++k) {
        double before[3], after[3], size, size_2;
        momentum(&crowd.g, before, &size);
        ASSERT_EQ(DC_OK, step(&crowd.g, &info));
        momentum(&crowd.g, after, &size_2);
        touched += info.contacts;
        for (i = 0; i < 3; ++i) worst_add(&w, fabs(after[i] - before[i])/(EPS*(size + size_2)), "step %d, %d", k, i);
    }
    ASSERT(touched > 500);
    ASSERT(worst_print(&w, 10));
    PASS();
}

/* any split of the parts, and a snapshot put back, leave the same bits; what is warm belongs to it */
TEST order_of_the_parts_and_snapshots_leave_the_bits(void)
{
    static unsigned char saved[1 << 18];
    int k;
    ASSERT_EQ(DC_OK, octagons_bake(&octagons, fields, sizeof fields));
    ASSERT_EQ(DC_OK, octagons_make(&crowd, &octagons, baked, OCTAGONS, -9.81, 8, 0));
    ASSERT_EQ(DC_OK, octagons_make(&other, &octagons, baked, OCTAGONS, -9.81, 8, 0));
    crowd_rain(&crowd, 5);
    for (k = 0; k < 200; ++k) ASSERT_EQ(DC_OK, step(&crowd.g, NULL));
    ASSERT(crowd.g.state_bytes <= sizeof saved && dc_grains_springs(&crowd.g) > 50);
    memcpy(saved, crowd.g.state, crowd.g.state_bytes);
    memcpy(other.g.state, saved, crowd.g.state_bytes);
    for (k = 0; k < 50; ++k) ASSERT_EQ(DC_OK, step(&crowd.g, NULL));
    for (k = 0; k < 50; ++k) ASSERT_EQ(DC_OK, step_by_parts(&other.g, scratch, sizeof scratch));
    ASSERT(memcmp(crowd.g.q, other.g.q, sizeof(dc_real)*(size_t)(6*crowd.g.desc.bodies)) == 0);
    ASSERT_EQ(dc_grains_springs(&crowd.g), dc_grains_springs(&other.g));
    ASSERT(memcmp(crowd.g.spring, other.g.spring, sizeof(dc_real)*3*(size_t)dc_grains_springs(&crowd.g)) == 0);
    /* without the forces of the last step it goes on otherwise */
    memcpy(other.g.state, saved, other.g.state_bytes);
    memcpy(crowd.g.state, saved, crowd.g.state_bytes);
    for (k = 0; k < dc_grains_springs(&other.g); ++k) other.g.spring[3*k + 1] = other.g.spring[3*k + 2] = 0;
    ASSERT_EQ(DC_OK, step(&crowd.g, NULL));
    ASSERT_EQ(DC_OK, step(&other.g, NULL));
    ASSERT(memcmp(crowd.g.v, other.g.v, sizeof(dc_real)*3*(size_t)crowd.g.desc.bodies) != 0);
    PASS();
}

TEST what_is_refused(void)
{
    octagon_scene *c = &crowd;
    dc_grains_desc d;
    dc_arena none = dc_arena_make(scratch, 8);
    ASSERT_EQ(DC_OK, octagons_bake(&octagons, fields, sizeof fields));
    ASSERT_EQ(DC_OK, octagons_make(c, &octagons, baked, OCTAGONS, -9.81, 8, 0));
    d = c->g.desc;
    d.sweeps = -1;
    ASSERT_EQ(0, (int)dc_grains_bytes(&d));
    d.sweeps = 1001;
    ASSERT_EQ(0, (int)dc_grains_bytes(&d));
    d.sweeps = 1000;
    ASSERT(dc_grains_bytes(&d) > 0);
    crowd_rain(c, 1);
    memcpy(other.memory, c->g.state, c->g.state_bytes);
    ASSERT_EQ(DC_E_MEMORY, dc_grains_step(&c->g, &none, NULL));
    ASSERT(memcmp(other.memory, c->g.state, c->g.state_bytes) == 0);
    /* a force in the state that is no number */
    ASSERT_EQ(DC_OK, step(&c->g, NULL));
    c->g.spring_row[c->g.desc.bodies] = 1;
    c->g.spring[2] = (dc_real)NAN;
    ASSERT_EQ(DC_E_ARG, step(&c->g, NULL));
    PASS();
}

/* ---- derivatives ---------------------------------------------------------------------------------- */

enum { FEW = 4, BODIES = WALLS + FEW, ROOM = 16*BODIES, MOST = 6*BODIES + 3*12 };
typedef struct { dc_grains *g; int springs, crossed; uint64_t signature; int inside, slip, open; } small_scene;

/* The next state, and all that is frozen in its derivative: which contacts may touch, and what is clamped in each sweep */
static void small_step(const double *x, double *f, void *user)
{
    small_scene *s = (small_scene *)user;
    static unsigned char save[1 << 14];
    dc_grains *g = s->g;
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    int k, p;
    memcpy(save, g->state, g->state_bytes);
    for (k = 0; k < 3*BODIES; ++k) {
        g->q[k] = (dc_real)x[k];
        g->v[k] = (dc_real)x[3*BODIES + k];
    }
    for (k = 0; k < 3*s->springs; ++k) g->spring[k] = (dc_real)x[6*BODIES + k];
    for (k = 0; k < MOST; ++k) f[k] = 0;
    s->signature = 1;
    s->inside = s->slip = s->open = 0;
    if (dc_grains_find(g, NULL) == DC_OK && dc_grains_meet(g, 0, g->blocks, &mem) == DC_OK) {
        for (k = 0; k <= g->desc.sweeps; ++k) {
            dc_grains_sum(g, 0, BODIES);
            for (p = 0; p < g->contacts; ++p) {
                dci_grain_answer to;
                dc_real spring;
                int kind = 0;
                if (g->touch[p]) {
                    const dc_grain_contact *c = g->contact + p;
                    dci_grain_sweep(g, c, g->rows + p, &to);
                    kind = 1 + (to.normal > 0) + 2*(dc_abs(to.tangential) < g->rows[p].friction*to.normal) + 4*(c->d < 0)
                         + 8*(to.tangential > 0);
                    if (k == g->desc.sweeps) kind = 20 + (c->fn > 0) + 2*dci_grain_spring_end(g, c, g->rows + p, to.speed_t, &spring);
                    else {
                        s->open += !(to.normal > 0);
                        s->inside += ((kind - 1) & 2) != 0;
                        s->slip += to.normal > 0 && !((kind - 1) & 2);
                    }
                }
                s->signature = 31*s->signature + (uint64_t)kind;
            }
            if (k < g->desc.sweeps) dc_grains_sweep(g, 0, g->contacts);
        }
        if (dc_grains_advance(g, NULL) == DC_OK) {
            for (k = 0; k < 3*BODIES; ++k) {
                f[k] = (double)g->q[k];
                f[3*BODIES + k] = (double)g->v[k];
            }
            for (k = 0; k < 3*dc_grains_springs(g) && 6*BODIES + k < MOST; ++k) f[6*BODIES + k] = (double)g->spring[k];
        }
    }
    memcpy(g->state, save, g->state_bytes);
}

static void small_watch(const double *x, double *f, void *user)
{
    small_scene *s = (small_scene *)user;
    uint64_t centre = s->signature;
    small_step(x, f, user);
    if (s->signature != centre) s->crossed = 1;
    s->signature = centre;
}

/* grains that touch and move, as drawn; x: their state */
static dc_status small_make(long draw, rng *r, double *x, small_scene *s)
{
    static const double friction[4] = {0.02, 0.1, 0.3, 2};
    dc_grains *g = &crowd.g;
    double speed = rng_log(r, 0.03, 2);
    dc_status status = octagons_make(&crowd, &octagons, baked, FEW, -9.81, 8, 0);
    int i, k;
    memset(s, 0, sizeof *s);
    s->g = g;
    if (status != DC_OK) return status;
    for (k = 0; k < 2; ++k) g->pair[k].material.mu = (dc_real)friction[draw%4];
    g->desc.reduced_mass = (int)(draw/4%2);
    g->desc.sweeps = draw%3 == 2 ? 3 : 8;
    if (draw%5 == 4) g->motion[WALLS + 1] = DC_GRAIN_DRIVEN;
    for (i = 0; i < FEW; ++i) {
        double px = 0.55 + 1.05*(i%2) + 0.3*(i/2), py = 0.5 + 0.95*(i/2);
        place(g, WALLS + i, rng_uniform(r, -3, 3), px, py);
        for (k = 0; k < 3; ++k) g->v[3*(WALLS + i) + k] = (dc_real)(speed*rng_uniform(r, -1, 1));
    }
    for (k = 0; k < 3 && status == DC_OK; ++k) status = step(g, NULL);
    s->springs = dc_grains_springs(g);
    for (k = 3*WALLS; k < 3*BODIES; ++k) g->v[k] += (dc_real)(0.3*speed*rng_uniform(r, -1, 1));
    if (6*BODIES + 3*s->springs > MOST) return status;
    memset(x, 0, MOST*sizeof *x);
    to_double(g->q, x, 3*BODIES);
    to_double(g->v, x + 3*BODIES, 3*BODIES);
    to_double(g->spring, x + 6*BODIES, 3*s->springs);
    return status;
}

/* Jacobians by both modes, against each other and, in double, against differences of whole steps where nothing switches */
TEST one_step_has_its_derivatives(void)
{
    static double x[MOST], f[MOST], jac[MOST*MOST];
    static dc_real forward[MOST][MOST], backward[MOST][MOST], e[MOST];
    worst fd = worst_make("Jacobian of a step against differences"), modes = worst_make("transposed Jacobian, of its largest entry, in EPS");
    long draw, draws = sweep_count(60);
    int k, i, j, n, kept = 0, inside = 0, slip = 0, open = 0;
    rng r;
    rng_seed(&r, 12);
    ASSERT_EQ(DC_OK, octagons_bake(&octagons, fields, sizeof fields));
    for (draw = 0; draw < draws; ++draw) {
        dc_arena mem = dc_arena_make(scratch, sizeof scratch), exact;
        small_scene s;
        dc_grains *g = &crowd.g;
        double big = 0;
        fd_result res;
        ASSERT_EQ(DC_OK, small_make(draw, &r, x, &s));
        n = 6*BODIES + 3*s.springs;
        if (n > MOST) continue;
        small_step(x, f, &s);
        inside += s.inside;
        slip += s.slip;
        open += s.open;
        memset(forward, 0, sizeof forward);
        memset(backward, 0, sizeof backward);
        exact = dc_arena_make(scratch + 1, dc_grains_grad_bytes(g));
        for (k = 0; k < MOST; ++k) {
            dc_grains_tangent in, out;
            memset(e, 0, sizeof e);
            e[k] = 1;
            in.q = e;
            in.v = e + 3*BODIES;
            in.spring = e + 6*BODIES;
            out.q = forward[k];
            out.v = forward[k] + 3*BODIES;
            out.spring = forward[k] + 6*BODIES;
            if (k < n) ASSERT_EQ(DC_OK, dc_grains_jvp(g, &in, &out, &mem, NULL));
            out.q = backward[k];
            out.v = backward[k] + 3*BODIES;
            out.spring = backward[k] + 6*BODIES;
            ASSERT_EQ(DC_OK, dc_grains_vjp(g, &in, &out, &exact, NULL));
            ASSERT(mem.used == 0 && exact.used == 0);
        }
        for (i = 0; i < n; ++i)
            for (j = 0; j < MOST; ++j) {
                big = fmax(big, fabs((double)forward[i][j]));
                jac[j*n + i] = (double)forward[i][j];
            }
        for (i = 0; i < n; ++i)
            for (j = 0; j < MOST; ++j)
                worst_add(&modes, fabs((double)(forward[i][j] - backward[j][i]))/(EPS*big), "draw %ld, (%d, %d)", draw, i, j);
        if (DC_IS_FLOAT) continue;
        s.crossed = 0;
        res = fd_check(small_watch, &s, n, x, MOST, jac, 1.0/65536);
        if (s.crossed) continue;
        ++kept;
        worst_add(&fd, res.err, "draw %ld", draw);
        ASSERT(!res.bit_equal);
    }
    printf("  of %ld draws %d switch nothing; in their sweeps %d within the cone, %d at it, %d without a force\n", draws, kept, inside, slip, open);
    ASSERT(sweep_count(100) < 100 || (inside > 100 && slip > 100 && open > 100));
    ASSERT(DC_IS_FLOAT || sweep_count(100) < 100 || kept > 10);
    ASSERT(worst_print(&modes, 200));
    if (!DC_IS_FLOAT) ASSERT(worst_print(&fd, 1e-6));
    PASS();
}

/* The step from a state, with fields that are so many times the baked ones, of grains of this mass and inertia. A factor of a
 * spline is exact, while cells are floats, of which differences would be coarse. */
typedef struct { small_scene s; double state[MOST]; dc_cspline spline[2]; dc_cfield field[2]; } shape_scene;

static void shape_step(const double *x, double *f, void *user)
{
    shape_scene *c = (shape_scene *)user;
    dc_grains *g = c->s.g;
    int k, i;
    for (k = 0; k < 2; ++k) {
        c->spline[k] = *baked[k].spline;
        c->spline[k].slope = (dc_real)x[k];
        for (i = 0; i < 2; ++i) c->spline[k].scale[i] *= (dc_real)x[k];
        c->field[k] = baked[k];
        c->field[k].spline = &c->spline[k];
        g->pair[k].field = &c->field[k];
    }
    g->type[0].mass = (dc_real)x[2];
    g->type[0].inertia = (dc_real)x[3];
    small_watch(c->state, f, &c->s);
}

/* The gradient by parameters of shapes: of the fields of both pairs, of mass and of inertia. */
TEST shapes_have_their_derivatives(void)
{
    static const dc_real weight[1] = {1};
    static dc_real backward[MOST][4], e[MOST], now[MOST];
    static double x[4], f[MOST], jac[MOST*4];
    static shape_scene c;
    worst fd = worst_make("derivative of a step by shapes against differences");
    const dc_cfield *field[8] = {0};
    dc_real mass[8] = {0}, inertia[8] = {0};
    dc_grains_shape shape = DC_ZERO;
    dc_cfield by[2];
    long draw, draws = sweep_count(60);
    int k, j, kept = 0;
    rng r;
    rng_seed(&r, 14);
    ASSERT_EQ(DC_OK, octagons_bake(&octagons, fields, sizeof fields));
    {
        static unsigned char mixed[1 << 20];
        dc_arena mem = dc_arena_make(mixed, sizeof mixed);
        for (k = 0; k < 2; ++k) {
            const dc_cfield *of[1];
            of[0] = baked + k;
            ASSERT_EQ(DC_OK, dc_cfield_mix(1, of, weight, &mem, by + k));
            field[2*k + k] = by + k;
        }
    }
    mass[2*2] = inertia[2*3] = 1;
    shape.parameters = 4;
    shape.field = field;
    shape.mass = mass;
    shape.inertia = inertia;
    for (draw = 0; draw < draws; ++draw) {
        dc_grains *g = &crowd.g;
        dc_grains_tangent in, out;
        dc_arena mem;
        fd_result res;
        ASSERT_EQ(DC_OK, small_make(draw, &r, c.state, &c.s));
        if (6*BODIES + 3*c.s.springs > MOST) continue;
        small_step(c.state, f, &c.s);
        mem = dc_arena_make(scratch + 1, dc_grains_grad_bytes(g));
        out.q = now;
        out.v = now + 3*BODIES;
        out.spring = now + 6*BODIES;
        for (k = 0; k < MOST; ++k) {
            memset(e, 0, sizeof e);
            e[k] = 1;
            in.q = e;
            in.v = e + 3*BODIES;
            in.spring = e + 6*BODIES;
            ASSERT_EQ(DC_OK, dc_grains_vjp_shape(g, &shape, &in, &out, backward[k], &mem, NULL));
            for (j = 0; j < 4; ++j) jac[4*k + j] = (double)backward[k][j];
        }
        if (DC_IS_FLOAT) continue;
        x[0] = x[1] = 1;
        x[2] = (double)g->type[0].mass;
        x[3] = (double)g->type[0].inertia;
        c.s.crossed = 0;
        res = fd_check(shape_step, &c, 4, x, MOST, jac, 1.0/65536);
        if (c.s.crossed) continue;
        ++kept;
        worst_add(&fd, res.err, "draw %ld", draw);
        ASSERT(!res.bit_equal);
    }
    if (DC_IS_FLOAT) SKIPm("differences are those of double");
    printf("  of %ld draws %d switch nothing\n", draws, kept);
    ASSERT(sweep_count(100) < 100 || kept > 10);
    ASSERT(worst_print(&fd, 1e-6));
    PASS();
}

/* what is wrong with parameters; the gradient by the state is the same bits as without them */
TEST parameters_are_looked_at(void)
{
    static double x[MOST];
    static dc_real e[MOST], now[MOST], same[MOST];
    const dc_cfield *field[2] = {baked, baked};
    dc_real mass[2] = {(dc_real)NAN, 0}, by[1] = {7};
    dc_grains_shape shape = DC_ZERO;
    dc_grains_tangent in, out;
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    dc_grains *g = &crowd.g;
    small_scene s;
    rng r;
    int k;
    rng_seed(&r, 3);
    ASSERT_EQ(DC_OK, octagons_bake(&octagons, fields, sizeof fields));
    ASSERT_EQ(DC_OK, small_make(0, &r, x, &s));
    for (k = 0; k < MOST; ++k) e[k] = (dc_real)rng_uniform(&r, -1, 1);
    in.q = e;
    in.v = e + 3*BODIES;
    in.spring = e + 6*BODIES;
    out.q = now;
    out.v = now + 3*BODIES;
    out.spring = now + 6*BODIES;
    ASSERT_EQ(DC_E_ARG, dc_grains_vjp_shape(g, NULL, &in, &out, by, &mem, NULL));
    ASSERT_EQ(DC_E_ARG, dc_grains_vjp_shape(g, &shape, &in, &out, by, &mem, NULL));
    shape.parameters = 1;
    ASSERT_EQ(DC_E_ARG, dc_grains_vjp_shape(g, &shape, &in, &out, NULL, &mem, NULL));
    shape.field = field;                /* of a half-plane another */
    ASSERT_EQ(DC_E_ARG, dc_grains_vjp_shape(g, &shape, &in, &out, by, &mem, NULL));
    shape.field = NULL;
    shape.mass = mass;
    ASSERT_EQ(DC_E_ARG, dc_grains_vjp_shape(g, &shape, &in, &out, by, &mem, NULL));
    mass[0] = 0;
    mass[1] = (dc_real)NAN;             /* a wall's */
    k = g->desc.sweeps;
    g->desc.sweeps = 0;
    ASSERT_EQ(DC_E_ARG, dc_grains_vjp_shape(g, &shape, &in, &out, by, &mem, NULL));
    g->desc.sweeps = k;
    ASSERT(by[0] > 6);
    ASSERT_EQ(DC_OK, dc_grains_vjp_shape(g, &shape, &in, &out, by, &mem, NULL));
    ASSERT(!(dc_abs(by[0]) > 0));
    memcpy(same, now, sizeof now);
    ASSERT_EQ(DC_OK, dc_grains_vjp(g, &in, &out, &mem, NULL));
    ASSERT(memcmp(same, now, sizeof now) == 0 && mem.used == 0);
    PASS();
}

SUITE(sweeps)
{
    RUN_TEST(friction_as_tabulated_at_four_times_the_step);
    RUN_TEST(a_pile_rests);
    RUN_TEST(memory_begins_anywhere);
    RUN_TEST(momentum_is_kept);
    RUN_TEST(order_of_the_parts_and_snapshots_leave_the_bits);
    RUN_TEST(what_is_refused);
    RUN_TEST(one_step_has_its_derivatives);
    RUN_TEST(shapes_have_their_derivatives);
    RUN_TEST(parameters_are_looked_at);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(sweeps);
    GREATEST_MAIN_END();
}
