/* Steps of grains that reuse evaluations of fields: the same as without where that is proved, close to them elsewhere; the error of the
 * quadratic, momentum, bits, what the state has to hold, what is refused. What is kept is private, as all dci_ functions are. */
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

enum { WALLS = OCTAGON_WALLS };
#define LENGTH OCTAGON_LENGTH

static octagon_scene crowd, other;
static octagon_fields octagons;
static const dc_cfield *const exact = octagons.exact, *const baked = octagons.baked;
static unsigned char scratch[1 << 20], memory[1 << 20], fields[1 << 22];

static dc_status step(dc_grains *g, dc_grains_info *info)
{
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    return dc_grains_step(g, &mem, info);
}

/* ---- with and without ---------------------------------------------------------------------------- */

/* exact fields: whoever is left alone is apart, and whoever is not goes by the field */
TEST exact_fields_keep_their_bits(void)
{
    int swept;
    ASSERT_EQ(DC_OK, octagons_bake(&octagons, fields, sizeof fields));
    for (swept = 0; swept < 2; ++swept) {
        double asked = 0, pairs = 0;
        int k;
        ASSERT_EQ(DC_OK, octagons_make(&crowd, &octagons, exact, 20, -9.81, swept ? 8 : 0, 3e-3));
        ASSERT_EQ(DC_OK, octagons_make(&other, &octagons, exact, 20, -9.81, swept ? 8 : 0, 0));
        for (k = 0; k < 500; ++k) {
            dc_grains_info info, all;
            ASSERT_EQ(DC_OK, step(&crowd.g, &info));
            ASSERT_EQ(DC_OK, step(&other.g, &all));
            ASSERT(memcmp(crowd.g.q, other.g.q, 6*sizeof(dc_real)*(size_t)crowd.g.desc.bodies) == 0);
            ASSERT_EQ(all.pairs, info.pairs);
            ASSERT_EQ(all.contacts, info.contacts);
            ASSERT_EQ(all.pairs, all.evaluations);
            asked += info.evaluations;
            pairs += info.pairs;
        }
        printf("  sweeps %d: %.0f %% of %g evaluations\n", crowd.g.desc.sweeps, 100*asked/pairs, pairs);
        ASSERT(pairs > 1000 && asked < pairs);
    }
    PASS();
}

/* blocks on half-planes, CEM 8.1: what slides slides as far as without, what stands stands */
TEST friction_is_as_without(void)
{
    static record rec;
    worst w = worst_make("slides with reuse, m");
    table t;
    int cases = 0, k;
    ASSERT(table_open(&t, "grain_validation.txt"));
    while (record_next(&t, &rec)) {
        friction_scene s;
        dc_grains g, with;
        dc_grains_desc d;
        dc_cfield wall, spline;
        dc_cshape plane = DC_ZERO;
        dc_poly block;
        dc_v2 v[4];
        dc_arena mem = dc_arena_make(memory, sizeof memory), keep = dc_arena_make(fields, sizeof fields);
        const double *geom = record_get(&rec, "geom", NULL);
        double now[2], then[2];
        /* two planks: their fall is unstable */
        if (rec.name[0] == 't' && record_one(&rec, "mu") < 0.2) continue;
        ++cases;
        ASSERT_EQ(DC_OK, friction_open(&rec, DC_R(4e-3), 8, mem, &s, &g));
        block = block_of(v, geom[0], geom[1]);
        plane.kind = DC_CSHAPE_HALFPLANE;
        ASSERT_EQ(DC_OK, dc_cfield_exact(NULL, &plane, &block, &keep, &wall));
        ASSERT_EQ(DC_OK, dc_cfield_bake(NULL, &wall, &keep, &spline, NULL));
        g.pair[0].field = &spline;
        d = g.desc;
        d.reuse = DC_R(3e-3);
        mem = dc_arena_make(other.memory, sizeof other.memory);
        ASSERT_EQ(DC_OK, dc_grains_build(&d, &mem, &with));
        memcpy(with.q, g.q, 3*sizeof(dc_real)*(size_t)d.bodies);
        for (k = 0; k < 500; ++k) {
            ASSERT_EQ(DC_OK, step(&g, NULL));
            ASSERT_EQ(DC_OK, step(&with, NULL));
        }
        friction_now(&s, &g, now);
        friction_now(&s, &with, then);
        for (k = 0; k < s.columns; ++k)
            worst_add(&w, fabs(then[k] - now[k])/(1e-3 + 0.01*fabs(now[k])), "%s, %d: %g, without %g", rec.name, k, then[k], now[k]);
    }
    table_close(&t);
    ASSERT_EQ(8, cases);
    ASSERT(worst_print(&w, 1));
    PASS();
}

/* a pile comes to rest as without, and then few fields are asked */
TEST a_pile_rests(void)
{
    dc_grains_info info;
    double speed = 0, weight = 0, up = 0, asked = 0, pairs = 0;
    int k;
    ASSERT_EQ(DC_OK, octagons_bake(&octagons, fields, sizeof fields));
    ASSERT_EQ(DC_OK, octagons_make(&crowd, &octagons, baked, OCTAGONS, -9.81, 16, 3e-3));
    for (k = 0; k < 2000; ++k) {
        ASSERT_EQ(DC_OK, step(&crowd.g, &info));
        if (k < 1500) continue;
        asked += info.evaluations;
        pairs += info.pairs;
    }
    for (k = WALLS; k < OCTAGONS + WALLS; ++k) {
        const dc_real *v = crowd.g.v + 3*k;
        speed += (double)(v[1]*v[1] + v[2]*v[2]);
        weight += 9.81*(double)crowd.g.type[0].mass;
    }
    for (k = 0; k < WALLS; ++k) up -= (double)crowd.g.force[3*k + 2];
    speed = sqrt(speed/(double)OCTAGONS);
    printf("  %d contacts, speed %.3g mm/s, deepest %.3g mm, the walls carry %.5f of the weight, %.1f %% of evaluations\n", info.contacts,
           1e3*speed, 1e3*(double)info.deepest, up/weight, 100*asked/pairs);
    ASSERT(speed < 0.01);
    ASSERT((double)info.deepest < 0.02);
    ASSERT(fabs(up/weight - 1) < 0.02);
    ASSERT(asked < 0.2*pairs);
    PASS();
}

/* ---- the quadratic ------------------------------------------------------------------------------- */

/* d, n, its torque and the lever of a contact at the present poses, without a step's leaving anything behind */
static dc_status shown(dc_grains *g, dc_real out[5], int *evaluations)
{
    static unsigned char saved[1 << 16];
    dc_grains_info info;
    dc_status status;
    if (g->state_bytes > sizeof saved) return DC_E_MEMORY;
    memcpy(saved, g->state, g->state_bytes);
    status = step(g, &info);
    memcpy(g->state, saved, g->state_bytes);
    if (status != DC_OK || g->contacts != 1) return DC_E_ARG;
    out[0] = g->contact[0].d;
    out[1] = g->contact[0].fb[1]/g->contact[0].fn;
    out[2] = g->contact[0].fb[2]/g->contact[0].fn;
    out[3] = g->contact[0].fb[0]/g->contact[0].fn;
    out[4] = g->contact[0].fa[0]/g->contact[0].fn;
    *evaluations = info.evaluations;
    return DC_OK;
}

/* two octagons that touch, without friction; way: of b in a's frame, m and radians over m */
static void two_at(dc_grains *g, int i, const double way[3])
{
    double a = 0.21*i, r = LENGTH*1.88, at = 0.83*i;
    place(g, WALLS, a, 3, 3);
    place(g, WALLS + 1, a + 0.5*i + way[0]/LENGTH, 3 + r*cos(at) + cos(a)*way[1] - sin(a)*way[2],
          3 + r*sin(at) + sin(a)*way[1] + cos(a)*way[2]);
}

/* The error of d falls as the cube of the motion, that of its gradient and arms as the square; nothing is asked meanwhile. */
TEST errors_of_the_quadratic(void)
{
    static const double none[3] = {0, 0, 0};
    const double ways = DC_IS_FLOAT ? 0.16 : 0.08;
    double error[3][2] = {{0, 0}, {0, 0}, {0, 0}};
    int k, i, r, used = 0;
    ASSERT_EQ(DC_OK, octagons_bake(&octagons, fields, sizeof fields));
    ASSERT_EQ(DC_OK, octagons_make(&crowd, &octagons, baked, 2, 0, 0, 0.5));
    ASSERT_EQ(DC_OK, octagons_make(&other, &octagons, baked, 2, 0, 0, 0));
    crowd.g.desc.material.mu = other.g.desc.material.mu = 0;
    for (k = 0; k < 2; ++k) crowd.g.pair[k].material.mu = other.g.pair[k].material.mu = 0;
    for (k = 0; k < 3; ++k)
        for (i = 0; i < 60; ++i) {
            double size = ways/(1 << k), way[3];
            dc_real got[5], want[5];
            int asked;
            way[0] = size*0.4*cos(3.0*i);
            way[1] = size*0.6*cos(1.7*i);
            way[2] = size*0.6*sin(1.7*i);
            /* keeps what it finds at rest, then b is moved */
            two_at(&crowd.g, i, none);
            memset(crowd.g.v, 0, 3*sizeof(dc_real)*(WALLS + 2));
            crowd.g.kept_row[WALLS + 1] = crowd.g.kept_row[WALLS + 2] = 0;
            ASSERT_EQ(DC_OK, step(&crowd.g, NULL));
            if (!(crowd.g.contact[0].d < 0)) continue;
            memset(crowd.g.v, 0, 3*sizeof(dc_real)*(WALLS + 2));
            two_at(&crowd.g, i, way);
            two_at(&other.g, i, way);
            if (shown(&other.g, want, &asked) != DC_OK || !(other.g.contact[0].fn > 0)) continue;
            ASSERT_EQ(1, asked);
            ASSERT_EQ(DC_OK, shown(&crowd.g, got, &asked));
            ASSERT_EQ(0, asked);
            if (!(crowd.g.contact[0].fn > 0)) continue;
            ++used;
            for (r = 0; r < 5; ++r) error[k][r > 0] += pow((double)(got[r] - want[r])/LENGTH, 2);
        }
    for (k = 0; k < 3; ++k)
        printf("  moved by %.3g radii: error %.3g in d, %.3g in the gradient\n", ways/LENGTH/(1 << k), sqrt(error[k][0]/used*3),
               sqrt(error[k][1]/used*3));
    ASSERT(used > 90);
    for (k = 0; k < 2; ++k) {
        double cube = sqrt(error[k][0]/error[k + 1][0]), square = sqrt(error[k][1]/error[k + 1][1]);
        ASSERT(cube > 6 && cube < 12);
        ASSERT(square > 3 && square < 6);
    }
    PASS();
}

/* The lever, which friction turns bodies by, is expanded with the rest: its error falls as the square. */
TEST error_of_the_lever(void)
{
    const double ways = 0.08;
    double error[3] = {0, 0, 0}, least = 0;
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    int k, i, r;
    ASSERT_EQ(DC_OK, octagons_bake(&octagons, fields, sizeof fields));
    for (k = 0; k < 3; ++k)
        for (i = 0; i < 60; ++i) {
            struct dc_grain_kept kept;
            dc_cfield_out at;
            dc_real x[(4 + DCI_GRAIN_JET)*DCI_GRAIN_LANES], way[3], there[3], lever;
            double size = ways/(1 << k);
            way[0] = (dc_real)(size*0.4*cos(3.0*i));
            way[1] = (dc_real)(size*0.6*cos(1.7*i));
            way[2] = (dc_real)(size*0.6*sin(1.7*i));
            kept.pose[0] = (dc_real)(0.5*i);
            kept.pose[1] = (dc_real)(1.88*cos(0.83*i));
            kept.pose[2] = (dc_real)(1.88*sin(0.83*i));
            kept.reach = 1;
            at.d = &kept.d;
            at.grad = kept.jet;
            at.lever = kept.jet + 3;
            at.hess = kept.jet + 4;
            at.dlever = kept.jet + 10;
            ASSERT_EQ(DC_OK, dc_cfield_eval_batch(baked, 1, kept.pose, 1, &mem, &at));
            dci_grain_expand(&kept, way, x);
            for (r = 0; r < 3; ++r) there[r] = kept.pose[r] + way[r];
            ASSERT_EQ(DC_OK, dc_cfield_eval(baked, there, &mem, NULL, NULL, &lever, NULL, NULL));
            error[k] += pow((double)(x[7*DCI_GRAIN_LANES] - lever), 2);
            if (k == 2) least += pow((double)(kept.jet[3] - lever), 2);
        }
    printf("  error of the lever %.3g, %.3g, %.3g; unmoved %.3g\n", sqrt(error[0]/60), sqrt(error[1]/60), sqrt(error[2]/60),
           sqrt(least/60));
    ASSERT(16*error[2] < least);
    for (k = 0; k < 2; ++k) ASSERT(error[k] > 9*error[k + 1] && error[k] < 36*error[k + 1]);
    PASS();
}

/* the direction and the arms of the force are the gradient of the d that is shown, as b moves and turns within the reach */
TEST the_force_is_along_the_gradient_of_d(void)
{
    const double h = DC_IS_FLOAT ? 2e-3 : 1e-5;
    worst w = worst_make("gradient of d against differences");
    int i, r, side, asked, used = 0;
    ASSERT_EQ(DC_OK, octagons_bake(&octagons, fields, sizeof fields));
    ASSERT_EQ(DC_OK, octagons_make(&crowd, &octagons, baked, 2, 0, 0, 0.2));
    for (i = 0; i < 2; ++i) crowd.g.pair[i].material.mu = 0;
    for (i = 0; i < 40; ++i) {
        static const double none[3] = {0, 0, 0};
        double way[3], d[2];
        dc_real at[5], side_at[5], *q = crowd.g.q + 3*(WALLS + 1), home[3];
        for (r = 0; r < 3; ++r) way[r] = 0.02*cos(1.3*i + 2*r);
        two_at(&crowd.g, i, none);
        memset(crowd.g.v, 0, 3*sizeof(dc_real)*(WALLS + 2));
        ASSERT_EQ(DC_OK, step(&crowd.g, NULL));
        memset(crowd.g.v, 0, 3*sizeof(dc_real)*(WALLS + 2));
        two_at(&crowd.g, i, way);
        if (shown(&crowd.g, at, &asked) != DC_OK || !(crowd.g.contact[0].fn > 0)) continue;
        ASSERT_EQ(0, asked);
        ++used;
        memcpy(home, q, sizeof home);
        for (r = 0; r < 3; ++r) {
            for (side = 0; side < 2; ++side) {
                memcpy(q, home, sizeof home);
                q[r] += (dc_real)(side ? h : -h);
                ASSERT_EQ(DC_OK, shown(&crowd.g, side_at, &asked));
                d[side] = (double)side_at[0];
            }
            worst_add(&w, fabs((d[1] - d[0])/(2*h) - (double)at[r ? r : 3]), "%d, %d", i, r);
        }
    }
    ASSERT(used > 20);
    ASSERT(worst_print(&w, DC_IS_FLOAT ? 2e-3 : 1e-7));
    PASS();
}

/* ---- momentum, bits, the state ------------------------------------------------------------------- */

/* no walls, no gravity: grains that overlap blow apart */
TEST momentum_is_kept(void)
{
    worst w = worst_make("drift of momentum in a step, of its parts, in EPS");
    dc_grains_info info;
    int k, i, touched = 0, saved = 0;
    ASSERT_EQ(DC_OK, octagons_bake(&octagons, fields, sizeof fields));
    ASSERT_EQ(DC_OK, octagons_make(&crowd, &octagons, baked, OCTAGONS, 0, 8, 0.1));
    for (k = 0; k < WALLS; ++k) crowd.g.motion[k] = DC_GRAIN_ABSENT;
    for (k = WALLS; k < OCTAGONS + WALLS; ++k) {
        crowd.g.q[3*k + 2] *= DC_R(0.86);
        for (i = 0; i < 3; ++i) crowd.g.v[3*k + i] = (dc_real)(0.05*((7*k + 5*i)%11 - 5));
    }
    for (k = 0; k < 60; ++k) {
        double before[3], after[3], size, size_2;
        momentum(&crowd.g, before, &size);
        ASSERT_EQ(DC_OK, step(&crowd.g, &info));
        momentum(&crowd.g, after, &size_2);
        touched += info.contacts;
        saved += info.pairs - info.evaluations;
        for (i = 0; i < 3; ++i) worst_add(&w, fabs(after[i] - before[i])/(EPS*(size + size_2)), "step %d, %d", k, i);
    }
    printf("  %d contacts, %d evaluations saved\n", touched, saved);
    ASSERT(touched > 500 && saved > 300);
    ASSERT(worst_print(&w, 10));
    PASS();
}

/* any split of the parts, and a snapshot put back, leave the same bits; what is kept belongs to it */
TEST order_of_the_parts_and_snapshots_leave_the_bits(void)
{
    static unsigned char saved[1 << 18];
    double most = 0;
    int k;
    ASSERT_EQ(DC_OK, octagons_bake(&octagons, fields, sizeof fields));
    ASSERT_EQ(DC_OK, octagons_make(&crowd, &octagons, baked, OCTAGONS, -9.81, 8, 3e-3));
    ASSERT_EQ(DC_OK, octagons_make(&other, &octagons, baked, OCTAGONS, -9.81, 8, 3e-3));
    for (k = 0; k < 400; ++k) ASSERT_EQ(DC_OK, step(&crowd.g, NULL));
    ASSERT(crowd.g.state_bytes <= sizeof saved && crowd.g.kept_row[OCTAGONS + WALLS] > 50);
    memcpy(saved, crowd.g.state, crowd.g.state_bytes);
    memcpy(other.g.state, saved, crowd.g.state_bytes);
    for (k = 0; k < 50; ++k) ASSERT_EQ(DC_OK, step(&crowd.g, NULL));
    for (k = 0; k < 50; ++k) ASSERT_EQ(DC_OK, step_by_parts(&other.g, scratch, sizeof scratch));
    ASSERT(memcmp(crowd.g.q, other.g.q, sizeof(dc_real)*(size_t)(6*crowd.g.desc.bodies)) == 0);
    ASSERT_EQ(crowd.g.kept_row[OCTAGONS + WALLS], other.g.kept_row[OCTAGONS + WALLS]);
    ASSERT(memcmp(crowd.g.kept, other.g.kept, sizeof(dc_grain_kept)*(size_t)crowd.g.kept_row[OCTAGONS + WALLS]) == 0);
    /* without what was kept it goes on otherwise, a little */
    memcpy(other.g.state, saved, other.g.state_bytes);
    memcpy(crowd.g.state, saved, crowd.g.state_bytes);
    for (k = 0; k <= OCTAGONS + WALLS; ++k) other.g.kept_row[k] = 0;
    ASSERT_EQ(DC_OK, step(&crowd.g, NULL));
    ASSERT_EQ(DC_OK, step(&other.g, NULL));
    ASSERT(memcmp(crowd.g.v, other.g.v, sizeof(dc_real)*3*(size_t)crowd.g.desc.bodies) != 0);
    for (k = 0; k < 3*crowd.g.desc.bodies; ++k) most = fmax(most, fabs((double)(crowd.g.v[k] - other.g.v[k])));
    printf("  without what was kept velocities change by up to %.2g m/s\n", most);
    ASSERT(most < 0.05);
    PASS();
}

/* whoever is put elsewhere, taken away and brought back meets the field that is there */
TEST bodies_may_be_moved_between_steps(void)
{
    static const double none[3] = {0, 0, 0};
    dc_real got[5], want[5];
    int asked, i;
    ASSERT_EQ(DC_OK, octagons_bake(&octagons, fields, sizeof fields));
    ASSERT_EQ(DC_OK, octagons_make(&crowd, &octagons, baked, 2, 0, 0, 3e-3));
    ASSERT_EQ(DC_OK, octagons_make(&other, &octagons, baked, 2, 0, 0, 0));
    for (i = 0; i < 20; ++i) {
        two_at(&crowd.g, i, none);
        two_at(&other.g, i, none);
        if (i%3 == 1) {
            crowd.g.motion[WALLS] = DC_GRAIN_ABSENT;
            ASSERT_EQ(DC_OK, step(&crowd.g, NULL));
            ASSERT_EQ(0, crowd.g.kept_row[WALLS + 2]);
            crowd.g.motion[WALLS] = DC_GRAIN_FREE;
            two_at(&crowd.g, i, none);
        }
        memset(crowd.g.v, 0, 3*sizeof(dc_real)*(WALLS + 2));
        ASSERT_EQ(DC_OK, shown(&other.g, want, &asked));
        ASSERT_EQ(DC_OK, shown(&crowd.g, got, &asked));
        ASSERT(asked > 0 && fabs((double)(got[0] - want[0])) <= 0);
        ASSERT_EQ(DC_OK, step(&crowd.g, NULL));
    }
    PASS();
}

TEST what_is_refused(void)
{
    const dc_real bad[4] = {(dc_real)NAN, (dc_real)HUGE_VAL, -1, DC_R(1.001)};
    dc_grains_desc d;
    dc_arena mem = dc_arena_make(scratch, sizeof scratch), none = dc_arena_make(scratch, 8);
    dc_grains_tangent t;
    dc_grains_info info;
    dc_grains *g = &crowd.g, unbuilt;
    size_t plain, need;
    int k, n = OCTAGONS + WALLS;
    ASSERT_EQ(DC_OK, octagons_bake(&octagons, fields, sizeof fields));
    ASSERT_EQ(DC_OK, octagons_make(&crowd, &octagons, baked, OCTAGONS, -9.81, 8, 0.1));
    d = g->desc;
    for (k = 0; k < 4; ++k) {
        d.reuse = bad[k];
        ASSERT_EQ(0, (int)dc_grains_bytes(&d));
        ASSERT_EQ(DC_E_ARG, dc_grains_build(&d, &mem, &unbuilt));
    }
    d.reuse = 0;
    plain = dc_grains_bytes(&d);
    d.reuse = DC_R(0.1);
    need = dc_grains_bytes(&d);
    /* the snapshot, and what a step finds besides */
    ASSERT(plain > 0 && need > plain + 2*(size_t)d.room*sizeof(dc_grain_kept));
    ASSERT(need <= sizeof memory);
    mem = dc_arena_make(memory, need);
    ASSERT_EQ(DC_OK, dc_grains_build(&d, &mem, &unbuilt));
    mem = dc_arena_make(memory, need - 2*DC_ALIGN);
    ASSERT_EQ(DC_E_MEMORY, dc_grains_build(&d, &mem, &unbuilt));

    /* a failed step leaves all as it was */
    for (k = 0; k < 200; ++k) ASSERT_EQ(DC_OK, step(g, NULL));
    ASSERT(g->state_bytes <= sizeof memory);
    memcpy(memory, g->state, g->state_bytes);
    ASSERT_EQ(DC_E_MEMORY, dc_grains_step(g, &none, NULL));
    ASSERT(memcmp(memory, g->state, g->state_bytes) == 0);
    mem = dc_arena_make(scratch, dc_grains_step_bytes(g));
    ASSERT_EQ(DC_OK, dc_grains_step(g, &mem, NULL));
    memcpy(memory, g->state, g->state_bytes);
    for (k = 0; k < WALLS; ++k) g->motion[k] = DC_GRAIN_ABSENT;
    g->q[3*n - 1] = g->v[3*n - 1] = DC_LIMIT;
    memcpy(other.memory, g->state, g->state_bytes);
    ASSERT_EQ(DC_E_RANGE, step(g, &info));
    ASSERT(info.a == n - 1 && memcmp(other.memory, g->state, g->state_bytes) == 0);
    memcpy(g->state, memory, g->state_bytes);

    /* no derivatives */
    t.q = (dc_real *)(void *)scratch;
    t.v = t.q + 3*n;
    t.spring = t.v + 3*n;
    memset(scratch, 0, sizeof scratch);
    mem = dc_arena_make(other.memory, sizeof other.memory);
    ASSERT_EQ(DC_E_ARG, dc_grains_jvp(g, &t, &t, &mem, NULL));
    ASSERT_EQ(DC_E_ARG, dc_grains_vjp(g, &t, &t, &mem, NULL));

    /* a state that is none */
    for (k = 0; k < (int)(sizeof(dc_grain_kept)/sizeof(dc_real)); ++k) {
        int at = g->kept_row[WALLS + 8], row = WALLS + 8;
        while (g->kept_row[row + 1] == at) ++row;
        ((dc_real *)(void *)(g->kept + at))[k] = bad[k%2];
        ASSERT_EQ(DC_E_ARG, step(g, &info));
        ASSERT_EQ(row, info.a);
        memcpy(g->state, memory, g->state_bytes);
    }
    g->kept_row[WALLS] = -1;
    ASSERT_EQ(DC_E_ARG, step(g, &info));
    memcpy(g->state, memory, g->state_bytes);
    g->kept_row[n] = g->desc.room + 1;
    ASSERT_EQ(DC_E_ARG, step(g, &info));
    memcpy(g->state, memory, g->state_bytes);
    g->kept_row[0] = 1;
    ASSERT_EQ(DC_E_ARG, step(g, &info));
    memcpy(g->state, memory, g->state_bytes);
    /* numbers it never has, but might: no more than a bad step */
    for (k = 0; k < g->kept_row[n]; ++k) {
        dc_real *x = (dc_real *)(void *)(g->kept + k);
        int i;
        for (i = 3; i < (int)(sizeof(dc_grain_kept)/sizeof(dc_real)); ++i) x[i] = i%2 ? DC_LIMIT : -DC_LIMIT;
    }
    ASSERT(step(g, &info) != DC_E_ARG);
    PASS();
}

SUITE(grains_reuse)
{
    RUN_TEST(exact_fields_keep_their_bits);
    RUN_TEST(friction_is_as_without);
    RUN_TEST(a_pile_rests);
    RUN_TEST(errors_of_the_quadratic);
    RUN_TEST(error_of_the_lever);
    RUN_TEST(the_force_is_along_the_gradient_of_d);
    RUN_TEST(momentum_is_kept);
    RUN_TEST(order_of_the_parts_and_snapshots_leave_the_bits);
    RUN_TEST(bodies_may_be_moved_between_steps);
    RUN_TEST(what_is_refused);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(grains_reuse);
    GREATEST_MAIN_END();
}
