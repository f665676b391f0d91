/* What a description means: who may touch whom, moments as given, forces, springs, damping and limits of the size they say, design
 * changed in place, the reach of contacts; steps of several models that do not know of each other. */
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
#include "machine.h"

static unsigned char scratch[1 << 20];
static machine m;

static dc_status step_of(const dc_sim *sim, const dc_real *q0, const dc_real *q1, const dc_sim_control *u, dc_real *q2, dc_sim_info *info)
{
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    return dc_sim_step(sim, q0, q1, u, &mem, q2, info);
}

/* ---- who touches whom --------------------------------------------------------------------------------- */

static void row_of_boxes(int n, int chain)
{
    int k;
    machine_open(&m);
    for (k = 0; k < n; ++k) {
        machine_link(&m, chain ? k - 1 : -1, chain && k ? DC_SIM_HINGE : DC_SIM_FREE, dc_vec(k ? 1 : 0, 0, 0))->mass = 1;
        machine_box(&m, dc_vec(0, 0, 0), dc_vec(DC_R(0.1), DC_R(0.1), DC_R(0.1)));
    }
}

/* pairs of hulls that may touch; those that are listed where contact is felt at any distance are the same */
static int pairs_of(const dc_sim *sim)
{
    static unsigned char memory[1 << 16];
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_sim everywhere;
    int a, b, n = 0;
    m.desc.global = 1;
    if (dc_sim_build(&m.desc, &mem, &everywhere, NULL) != DC_OK) return -1;
    m.desc.global = 0;
    for (a = 0; a < sim->hulls; ++a)
        for (b = 0; b < sim->hulls; ++b) {
            if (dc_sim_may_touch(sim, a, b) != dc_sim_may_touch(sim, b, a)) return -1;
            if (a >= b || !dc_sim_may_touch(sim, a, b)) continue;
            if (n >= everywhere.pairs || everywhere.pair[2*n] != a || everywhere.pair[2*n + 1] != b) return -1;
            ++n;
        }
    return sim->pairs == 0 && n == everywhere.pairs ? n : -1;
}

TEST pairs_are_those_that_may_touch(void)
{
    row_of_boxes(3, 0);
    ASSERT_EQ(DC_OK, machine_build(&m));
    ASSERT_EQ(3, pairs_of(&m.sim));
    /* excluded in either order */
    m.exclude[0] = 2;
    m.exclude[1] = 0;
    m.desc.excludes = 1;
    ASSERT_EQ(DC_OK, machine_build(&m));
    ASSERT_EQ(2, pairs_of(&m.sim));
    m.exclude[2] = 0;
    m.exclude[3] = 1;
    m.desc.excludes = 2;
    ASSERT_EQ(DC_OK, machine_build(&m));
    ASSERT_EQ(1, pairs_of(&m.sim));
    ASSERT(dc_sim_may_touch(&m.sim, 1, 2) && dc_sim_may_touch(&m.sim, 2, 1));
    ASSERT(!dc_sim_may_touch(&m.sim, 0, 0) && !dc_sim_may_touch(&m.sim, -1, 2) && !dc_sim_may_touch(&m.sim, 1, 3) && !dc_sim_may_touch(NULL, 0, 1));
    /* a joint's two links do not touch; the next but one does */
    row_of_boxes(3, 1);
    ASSERT_EQ(DC_OK, machine_build(&m));
    ASSERT_EQ(1, pairs_of(&m.sim));
    ASSERT(dc_sim_may_touch(&m.sim, 0, 2));
    /* where the one between has no hull, its parent takes its place */
    m.link[1].hulls = 0;
    m.link[1].mass = 0;
    ASSERT_EQ(DC_OK, machine_build(&m));
    ASSERT_EQ(0, pairs_of(&m.sim));
    /* two links fixed to one never move against each other, nor does scenery */
    row_of_boxes(4, 0);
    m.link[1].parent = m.link[2].parent = 0;
    m.link[1].joint = m.link[2].joint = DC_SIM_FIXED;
    ASSERT_EQ(DC_OK, machine_build(&m));
    ASSERT_EQ(3, pairs_of(&m.sim));
    row_of_boxes(3, 0);
    m.link[0].joint = m.link[1].joint = DC_SIM_FIXED;
    ASSERT_EQ(DC_OK, machine_build(&m));
    ASSERT_EQ(2, pairs_of(&m.sim));
    PASS();
}

/* ---- moments ------------------------------------------------------------------------------------------ */

/* A box, turned in its link, as a solid and by its own mass, centre and inertia R diag(m (b^2 + c^2)/3, ..) R^T. */
TEST given_inertia_is_that_of_the_solid(void)
{
    const dc_v3 half = dc_vec(DC_R(0.5), DC_R(0.2), DC_R(0.3)), centre = dc_vec(DC_R(0.3), DC_R(-0.4), DC_R(0.7));
    dc_m3 R = dc_m3_exp(dc_vec(DC_R(0.4), DC_R(-0.7), DC_R(0.9))), D = dc_outer(dc_vec(0, 0, 0), dc_vec(0, 0, 0)), t = dc_m3_t(&R);
    double want[16];
    int k;
    machine_open(&m);
    machine_link(&m, -1, DC_SIM_FREE, dc_vec(0, 0, 0))->mass = 3;
    machine_box(&m, dc_vec(0, 0, 0), half);
    for (k = 0; k < 8; ++k) m.vertex[k] = dc_add(dc_mul(&R, m.vertex[k]), centre);
    ASSERT_EQ(DC_OK, machine_build(&m));
    to_double(m.sim.moment, want, 16);
    m.link[0].model = DC_SIM_INERTIA;
    m.link[0].centre = centre;
    D.m[0] = half.y*half.y + half.z*half.z;
    D.m[4] = half.x*half.x + half.z*half.z;
    D.m[8] = half.x*half.x + half.y*half.y;
    D = dc_m3_mul(&D, &t);
    D = dc_m3_mul(&R, &D);
    for (k = 0; k < 9; ++k) m.link[0].inertia.m[k] = D.m[k];
    ASSERT_EQ(DC_OK, machine_build(&m));
    ASSERT(relative_error(m.sim.moment, want, 16) < 32*EPS);
    PASS();
}

/* ---- forces ------------------------------------------------------------------------------------------- */

/* One joint with all it can have, a body of mass 2 and moments of inertia 0.5: what the step's result satisfies. Along a line
 *     m (x2 - 2 x1 + x0)/h^2 = F - c (x2 - x1)/h - kp (x2 - target) - kd ((x2 - x1)/h - v)
 * about an axis, points on circles:
 *     I (2 sin(x2 - x1) - sin(x2 - x0))/h^2 = F - c (x2 - x1)/h - ..., or where the joint turns any way with sin instead: springs of
 * 2 sin(angle/2), the torque's of 2 sin(half the angle). */
TEST forces_are_of_the_size_they_say(void)
{
    worst e = worst_make("forces left over, of those acting");
    const double h = 0.05, c = 0.7, kp = 11, kd = 1.3, target = 0.6, v = -0.4, F = 1.7, x0 = 0.15, x1 = 0.21;
    int joint, about, coordinate;
    for (joint = DC_SIM_FREE; joint <= DC_SIM_SLIDE; ++joint)
        for (coordinate = 0; coordinate < (joint == DC_SIM_FREE ? 6 : joint == DC_SIM_BALL ? 3 : 1); ++coordinate) {
            dc_real q[3][7], d[6] = {0, 0, 0, 0, 0, 0}, vel[6] = {0, 0, 0, 0, 0, 0}, force[6] = {0, 0, 0, 0, 0, 0}, want[7], next[7];
            double x, inertia, other, most;
            dc_sim_control u = DC_ZERO;
            dc_sim_link *l;
            int gains = joint != DC_SIM_FREE, round = joint == DC_SIM_BALL || joint == DC_SIM_FREE;
            machine_open(&m);
            m.desc.h = (dc_real)h;
            m.desc.gravity = dc_vec(0, 0, 0);
            m.desc.tolerance = DC_IS_FLOAT ? DC_R(1e-6) : DC_R(1e-13);
            l = machine_link(&m, -1, (dc_sim_joint)joint, dc_vec(0, 0, 0));
            l->axis = dc_vec(1, 2, 3);
            l->model = DC_SIM_INERTIA;
            l->mass = 2;
            l->inertia.m[0] = l->inertia.m[4] = l->inertia.m[8] = DC_R(0.5);
            l->damping = (dc_real)c;
            l->kp = gains ? (dc_real)kp : 0;
            l->kd = gains ? (dc_real)kd : 0;
            ASSERT_EQ(DC_OK, machine_build(&m));
            about = joint == DC_SIM_HINGE || joint == DC_SIM_BALL || (joint == DC_SIM_FREE && coordinate >= 3);
            dc_sim_neutral(&m.sim, q[2]);
            d[coordinate] = (dc_real)x0;
            dc_sim_retract(&m.sim, q[2], d, q[0]);
            d[coordinate] = (dc_real)x1;
            dc_sim_retract(&m.sim, q[2], d, q[1]);
            d[coordinate] = (dc_real)target;
            dc_sim_retract(&m.sim, q[2], d, want);
            vel[coordinate] = (dc_real)v;
            force[coordinate] = (dc_real)F;
            u.target = want;
            u.velocity = vel;
            u.force = force;
            ASSERT_EQ(DC_OK, step_of(&m.sim, q[0], q[1], &u, next, NULL));
            dc_sim_local(&m.sim, q[2], next, d);
            x = (double)d[coordinate];
            inertia = about ? 0.5*(2*sin(x - x1) - sin(x - x0))/(h*h) : 2*(x - 2*x1 + x0)/(h*h);
            if (about && round) {
                other = F*cos((x - x1)/2) - c*sin(x - x1)/h;
                if (gains) other += -kp*sin(x - target) - kd*sin(x - x1 - h*v)/h;
            } else {
                other = F - c*(x - x1)/h;
                if (gains) other += -kp*(x - target) - kd*((x - x1)/h - v);
            }
            most = fmax(fabs(F), fabs(inertia));
            worst_add(&e, fabs(inertia - other)/most/EPS, "joint %d, coordinate %d", joint, coordinate);
        }
    ASSERT(worst_print(&e, 1024));
    PASS();
}

/* Nothing moves yet and there is no weight: what acts is the control's force alone, and a step ends as quickly as others. */
TEST a_force_on_what_rests(void)
{
    int joint;
    for (joint = DC_SIM_FREE; joint <= DC_SIM_SLIDE; ++joint) {
        dc_real q[7], next[7], force[6] = {0, 0, 0, 0, 0, 0};
        dc_sim_control u = DC_ZERO;
        dc_sim_info info = DC_ZERO;
        row_of_boxes(1, 0);
        m.desc.gravity = dc_vec(0, 0, 0);
        m.link[0].joint = (dc_sim_joint)joint;
        ASSERT_EQ(DC_OK, machine_build(&m));
        dc_sim_neutral(&m.sim, q);
        u.force = force;
        ASSERT_EQ(DC_OK, step_of(&m.sim, q, q, &u, next, &info));
        ASSERT(memcmp(next, q, (size_t)m.sim.nq*sizeof *q) == 0 && info.iterations == 0);
        force[m.sim.nv - 1] = DC_R(0.5);
        ASSERT_EQ(DC_OK, step_of(&m.sim, q, q, &u, next, &info));
        ASSERT(info.iterations <= 5 && info.scale >= DC_R(0.5) && info.scale < 10);
    }
    PASS();
}

/* A margin of a tenth of the range: at rest just outside of it nothing moves, just inside it is pushed away. */
TEST limits_are_felt_within_their_margin(void)
{
    int joint, end, inside;
    for (joint = DC_SIM_HINGE; joint <= DC_SIM_SLIDE; ++joint)
        for (end = 0; end < 2; ++end)
            for (inside = 0; inside < 2; ++inside) {
                dc_real q[1], next[1], away;
                dc_sim_link *l;
                machine_open(&m);
                m.desc.gravity = dc_vec(0, 0, 0);
                l = machine_link(&m, -1, (dc_sim_joint)joint, dc_vec(0, 0, 0));
                l->mass = 1;
                l->lo = -2;
                l->hi = 3;
                machine_box(&m, dc_vec(0, 0, 0), dc_vec(DC_R(0.1), DC_R(0.15), DC_R(0.08)));
                ASSERT_EQ(DC_OK, machine_build(&m));
                q[0] = end ? 3 - DC_R(0.5)*(inside ? DC_R(0.8) : DC_R(1.01)) : -2 + DC_R(0.5)*(inside ? DC_R(0.8) : DC_R(1.01));
                ASSERT_EQ(DC_OK, step_of(&m.sim, q, q, NULL, next, NULL));
                away = end ? q[0] - next[0] : next[0] - q[0];
                ASSERT(inside ? away > DC_R(1e-7) : away <= 0 && away >= 0);
            }
    PASS();
}

/* The last box's corners moved to the middles of its sides, so that its bounding sphere is no larger than it is. */
static void octahedron(dc_real r)
{
    int k;
    for (k = 0; k < 8; ++k)
        m.vertex[m.vertices - 8 + k] = k < 6 ? dc_vec(k/2 == 0 ? r : 0, k/2 == 1 ? r : 0, k/2 == 2 ? r : 0) : dc_vec(0, 0, 0);
    for (k = 0; k < 6; k += 2) m.vertex[m.vertices - 8 + k] = dc_neg(m.vertex[m.vertices - 8 + k]);
}

/* Two bodies, or one and the floor, at rest within reach of each other part; beyond it they do not feel each other. */
TEST contacts_are_felt_within_their_reach(void)
{
    int hulls, inside;
    for (hulls = 0; hulls < 2; ++hulls)
        for (inside = 0; inside < 2; ++inside) {
            const double reach = hulls ? 0.1*2*0.2/0.8 : 0.1*0.2;      /* support 0.2: 2s/(1-s) lengths, s lengths */
            dc_real q[14], next[14], gap = (dc_real)(reach*(inside ? 0.85 : 1.05));
            dc_sim_info info = DC_ZERO;
            machine_open(&m);
            m.desc.gravity = dc_vec(0, 0, 0);
            m.desc.support = DC_R(0.2);
            machine_link(&m, -1, DC_SIM_FREE, dc_vec(0, 0, 0))->mass = 1;
            machine_box(&m, dc_vec(0, 0, 0), dc_vec(DC_R(0.1), DC_R(0.1), DC_R(0.1)));
            octahedron(DC_R(0.1));
            if (hulls) {
                machine_link(&m, -1, DC_SIM_FREE, dc_vec(0, 0, 0))->mass = 1;
                machine_box(&m, dc_vec(0, 0, 0), dc_vec(DC_R(0.1), DC_R(0.1), DC_R(0.1)));
                octahedron(DC_R(0.1));
            } else machine_floor(&m, 0);
            ASSERT_EQ(DC_OK, machine_build(&m));
            dc_sim_neutral(&m.sim, q);
            q[6] = hulls ? DC_R(0.2) + gap : DC_R(0.1) + gap;
            ASSERT_EQ(DC_OK, step_of(&m.sim, q, q, NULL, next, &info));
            ASSERT_EQ(inside, info.contacts);
            ASSERT(inside ? next[6] > q[6] : next[6] >= q[6] && next[6] <= q[6]);
            /* half of it on either side of the plane of separation */
            gap = next[6] - (hulls ? next[13] + DC_R(0.2) : DC_R(0.1));
            if (inside) ASSERT(fabs((double)info.gap/(double)gap - (hulls ? 0.5 : 1)) < (DC_IS_FLOAT ? 1e-3 : 1e-6));
        }
    PASS();
}

/* A tip on a face: each of the face's corners is pushed by less and is farther from the plane of separation than the tip, which is
 * what the gap says, whichever of the two comes first. */
TEST gap_is_that_of_the_nearest_vertex(void)
{
    double gap[2];
    int order;
    for (order = 0; order < 2; ++order) {
        dc_real q[14], next[14];
        dc_sim_info info = DC_ZERO;
        int k;
        machine_open(&m);
        m.desc.gravity = dc_vec(0, 0, 0);
        for (k = 0; k < 2; ++k) {
            machine_link(&m, -1, DC_SIM_FREE, dc_vec(0, 0, 0))->mass = 1;
            machine_box(&m, dc_vec(0, 0, 0), dc_vec(DC_R(0.1), DC_R(0.1), DC_R(0.1)));
            if (k == order) octahedron(DC_R(0.1));
        }
        m.desc.stiffness = DC_R(1e-6);
        ASSERT_EQ(DC_OK, machine_build(&m));
        dc_sim_neutral(&m.sim, q);
        q[7*order + 6] = DC_R(0.21);
        ASSERT_EQ(DC_OK, step_of(&m.sim, q, q, NULL, next, &info));
        ASSERT_EQ(1, info.contacts);
        gap[order] = (double)info.gap/fabs((double)(next[6] - next[13]) - 0.2*(order ? -1 : 1));
    }
    printf("  the tip takes %.4f and %.4f of the gap\n", gap[0], gap[1]);
    ASSERT(gap[0] < 0.49 && fabs(gap[0] - gap[1]) < (DC_IS_FLOAT ? 1e-3 : 1e-6));
    PASS();
}

/* What is in contact now and far away at the end of the step still rubs: its friction is that of the force now. */
TEST what_leaves_still_rubs(void)
{
    int hulls, rough;
    for (hulls = 0; hulls < 2; ++hulls) {
        double slid[2];
        for (rough = 0; rough < 2; ++rough) {
            dc_real q[2][7], next[7];
            row_of_boxes(1, 0);
            m.desc.stiffness = 10;
            m.link[0].friction = rough ? DC_R(0.5) : 0;
            if (hulls) {
                machine_link(&m, -1, DC_SIM_FIXED, dc_vec(0, 0, 0))->friction = 1;
                machine_box(&m, dc_vec(0, 0, DC_R(-0.1)), dc_vec(1, 1, DC_R(0.1)));
            } else machine_floor(&m, 1);
            ASSERT_EQ(DC_OK, machine_build(&m));
            dc_sim_neutral(&m.sim, q[0]);
            memcpy(q[1], q[0], sizeof q[1]);
            q[1][6] = DC_R(0.1) + (hulls ? DC_R(0.009) : DC_R(0.005));
            q[0][6] = q[1][6] - DC_R(0.4);
            q[0][4] = DC_R(-0.02);
            ASSERT_EQ(DC_OK, step_of(&m.sim, q[0], q[1], NULL, next, NULL));
            ASSERT((double)next[6] > 0.4);
            slid[rough] = (double)next[4];
        }
        printf("  %s: slides %g, %g with friction\n", hulls ? "hulls" : "plane", slid[0], slid[1]);
        ASSERT(fabs(slid[0] - 0.02) < 1e-6 && slid[1] < 0.0195 && slid[1] > 0);
    }
    PASS();
}

/* ---- faces ---------------------------------------------------------------------------------------------- */

/* Thin hulls of points at random, some of them all but the same or in one plane: none is taken for flat, and each edge
 * has a face on either side. A needle too thin for that is refused as a solid, and as nothing else. */
TEST hulls_that_are_not_flat_have_faces(void)
{
    dc_sim_flaw flaw = DC_ZERO;
    rng r;
    int n, k, c, f, g, e, twins;
    rng_seed(&r, sweep_seed(97));
    for (n = 0; n < sweep_count(3000); ++n) {
        const double size = rng_log(&r, 1e-3, 1e3);
        double half[3], x[3];
        const dc_sim_hull *h;
        machine_open(&m);
        machine_link(&m, -1, DC_SIM_FREE, dc_vec(0, 0, 0))->mass = 1;
        machine_box(&m, dc_vec(0, 0, 0), dc_vec(1, 1, 1));
        m.hull[0].n = rng_int(&r, 6, 20);
        for (c = 0; c < 3; ++c) half[c] = size*rng_log(&r, DC_IS_FLOAT ? 0.01 : 1e-4, 1);
        for (k = 0; k < m.hull[0].n; ++k) {
            double near_by = rng_log(&r, 1e-9, 1e-2);
            int beside = k > 5 && rng_int(&r, 0, 2) == 0, flat = k > 4 && rng_int(&r, 0, 2) == 0;
            dc_v3 *v = m.vertex + k, o = m.vertex[beside ? k - 3 : 0];
            rng_unit3(&r, x);
            if (flat) x[2] = 0.5;
            *v = dc_vec((dc_real)(half[0]*x[0]), (dc_real)(half[1]*x[1]), (dc_real)(half[2]*x[2]));
            if (beside) *v = dc_madd(o, (dc_real)near_by, *v);
        }
        ASSERT_EQ(DC_OK, machine_build(&m));
        h = m.sim.hull;
        ASSERT(h->faces >= 4);
        for (f = 0; f < h->faces; ++f) {
            const int *face = m.sim.face + h->face, *loop = m.sim.loop + h->loop + face[f];
            const int edges = face[f + 1] - face[f];
            ASSERT(edges >= 3);
            for (e = 0; e < edges; ++e) {
                const int from = loop[e], to = loop[(e + 1)%edges];
                for (twins = 0, g = 0; g < h->faces; ++g) {
                    const int *other = m.sim.loop + h->loop + face[g], others = face[g + 1] - face[g];
                    for (k = 0; k < others; ++k) twins += other[k] == to && other[(k + 1)%others] == from;
                }
                ASSERT_EQ(1, twins);
            }
        }
    }
    for (k = 0; k < 2; ++k) {
        const dc_real thin = DC_IS_FLOAT ? DC_R(1e-4) : DC_R(1e-9);
        machine_open(&m);
        machine_link(&m, -1, DC_SIM_FREE, dc_vec(0, 0, 0))->mass = 1;
        m.link[0].model = k ? DC_SIM_UNIFORM : DC_SIM_LUMPED;
        machine_box(&m, dc_vec(0, 0, 0), dc_vec(1, thin, thin));
        if (k == 0) ASSERT_EQ(DC_OK, machine_build(&m));
        else {
            dc_arena mem = dc_arena_make(scratch, sizeof scratch);
            ASSERT_EQ(DC_E_ARG, dc_sim_build(&m.desc, &mem, &m.sim, &flaw));
            ASSERT_STR_EQ("a solid hull is flat", flaw.cause);
            ASSERT(mem.used == 0 && flaw.link == 0);
        }
    }
    PASS();
}

/* ---- design changed in place ---------------------------------------------------------------------------- */

/* a stack of two boxes on the floor, the upper on an arm */
static void design(double size, double mass, double shift, double friction)
{
    machine_open(&m);
    machine_link(&m, -1, DC_SIM_FREE, dc_vec(0, 0, 0))->mass = (dc_real)mass;
    m.link[0].friction = (dc_real)friction;
    machine_box(&m, dc_vec(0, 0, 0), dc_vec((dc_real)(0.2*size), DC_R(0.2), DC_R(0.1)));
    machine_link(&m, -1, DC_SIM_HINGE, dc_vec((dc_real)shift, 0, DC_R(0.32)))->density = 100;
    m.link[1].axis = dc_vec(0, 1, 0);
    machine_box(&m, dc_vec(DC_R(-0.3), 0, 0), dc_vec((dc_real)(0.25*size), DC_R(0.1), DC_R(0.1)));
    machine_floor(&m, friction);
}

TEST a_design_refreshed_is_a_design_built(void)
{
    static machine other;
    dc_real q[2][3][16];
    int way, k;
    for (way = 0; way < 2; ++way) {
        if (way == 0) design(3, 2, 0.35, 0.9);
        else {
            design(1, 1, 0.2, 0.5);
            ASSERT_EQ(DC_OK, machine_build(&m));
            other = m;
            design(3, 2, 0.35, 0.9);
            for (k = 0; k < 16; ++k) other.sim.vertex[k] = m.vertex[k];
            for (k = 0; k < 2; ++k) {
                other.sim.link[k].attach = m.link[k].attach;
                other.sim.link[k].mass = m.link[k].mass;
                other.sim.link[k].friction = m.link[k].friction;
            }
            other.sim.plane[0].friction = m.plane[0].friction;
            m.sim = other.sim;
        }
        if (way == 0) ASSERT_EQ(DC_OK, machine_build(&m));
        else ASSERT_EQ(DC_OK, dc_sim_refresh(&m.sim, NULL));
        dc_sim_neutral(&m.sim, q[way][0]);
        q[way][0][6] = DC_R(0.105);
        memcpy(q[way][1], q[way][0], sizeof q[way][1]);
        q[way][1][4] = DC_R(0.002);
        for (k = 0; k < 60; ++k) ASSERT_EQ(DC_OK, step_of(&m.sim, q[way][k%3], q[way][(k + 1)%3], NULL, q[way][(k + 2)%3], NULL));
    }
    for (k = 0; k < 3; ++k) ASSERT(memcmp(q[0][k], q[1][k], (size_t)m.sim.nq*sizeof(dc_real)) == 0);
    PASS();
}

/* ---- re-entrance ---------------------------------------------------------------------------------------- */

/* Two models stepped in turns, each in memory of its own, differently filled before every step, and each alone: the same bits. */
TEST models_do_not_know_of_each_other(void)
{
    static unsigned char own[2][1 << 18], work[2][1 << 18];
    static dc_real q[2][2][3][64];
    dc_sim sim[2];
    int turn, way, k, b;
    for (b = 0; b < 2; ++b) {
        dc_arena mem = dc_arena_make(own[b], sizeof own[b]);
        if (b) design(1, 1, 0.2, 0.5);
        else {
            row_of_boxes(4, 1);
            machine_floor(&m, 0.4);
        }
        ASSERT_EQ(DC_OK, dc_sim_build(&m.desc, &mem, sim + b, NULL));
    }
    for (way = 0; way < 2; ++way) {
        for (b = 0; b < 2; ++b) {
            dc_sim_neutral(sim + b, q[way][b][0]);
            q[way][b][0][6] = DC_R(0.105);
            memcpy(q[way][b][1], q[way][b][0], sizeof q[way][b][1]);
            q[way][b][1][4] = DC_R(0.003);
        }
        for (turn = 0; turn < 100; ++turn) {
            b = way ? turn/50 : turn%2;
            k = way ? turn%50 : turn/2;
            {
                dc_arena mem = dc_arena_make(work[b], sizeof work[b]);
                memset(work[b], way ? 0xff : 0x3c, sizeof work[b]);
                ASSERT_EQ(DC_OK, dc_sim_step(sim + b, q[way][b][k%3], q[way][b][(k + 1)%3], NULL, &mem, q[way][b][(k + 2)%3], NULL));
            }
        }
    }
    for (b = 0; b < 2; ++b)
        for (k = 0; k < 3; ++k) ASSERT(memcmp(q[0][b][k], q[1][b][k], (size_t)sim[b].nq*sizeof(dc_real)) == 0);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(pairs_are_those_that_may_touch);
    RUN_TEST(given_inertia_is_that_of_the_solid);
    RUN_TEST(forces_are_of_the_size_they_say);
    RUN_TEST(a_force_on_what_rests);
    RUN_TEST(limits_are_felt_within_their_margin);
    RUN_TEST(contacts_are_felt_within_their_reach);
    RUN_TEST(gap_is_that_of_the_nearest_vertex);
    RUN_TEST(what_leaves_still_rubs);
    RUN_TEST(hulls_that_are_not_flat_have_faces);
    RUN_TEST(a_design_refreshed_is_a_design_built);
    RUN_TEST(models_do_not_know_of_each_other);
    GREATEST_MAIN_END();
}
