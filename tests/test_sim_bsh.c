/* dc_sim.h with hierarchies of triangles: derivatives against whole steps, paths on which no triangles meet, a stack of planks, moments of
 * meshes, bad input. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"

#include <math.h>
#include <string.h>

#include "greatest.h"
#include "support.h"
#include "real.h"
#include "mesh.h"
#include "machine.h"
#include "jacobian.h"
#include "overlap.h"

static unsigned char tree_memory[1 << 19];
static dc_arena tree_arena;

/* a mesh scaled by r about c, as a tree that lives until trees_open */
static void trees_open(void) { tree_arena = dc_arena_make(tree_memory, sizeof tree_memory); }

static const dc_bsh *tree_of(mesh *s, dc_v3 c, dc_v3 r)
{
    dc_bsh *t = (dc_bsh *)dc_arena_take(&tree_arena, 1, sizeof *t);
    int k;
    for (k = 0; k < s->nv; ++k) s->v[k] = dc_vec(c.x + r.x*s->v[k].x, c.y + r.y*s->v[k].y, c.z + r.z*s->v[k].z);
    return t && dc_bsh_build(s->v, s->nv, s->tri, s->nt, &tree_arena, t, NULL) == DC_OK ? t : NULL;
}

static const dc_bsh *box_tree(dc_v3 c, dc_v3 half)
{
    static mesh s;
    mesh_box(&s, 1);
    return tree_of(&s, c, dc_scale(2, half));
}

static const dc_bsh *ring_tree(double radius, double thin)
{
    static mesh s;
    mesh_torus(&s, 6, 3, thin);
    return tree_of(&s, dc_vec(0, 0, 0), dc_vec((dc_real)radius, (dc_real)radius, (dc_real)radius));
}

static dc_sim_link *tree_link(int parent, dc_sim_joint joint, dc_v3 at, double mass, const dc_bsh *tree)
{
    dc_sim_link *l = machine_link(&m, parent, joint, at);
    l->mass = (dc_real)mass;
    l->tree = tree;
    return l;
}

static void open_trees(void)
{
    machine_open(&m);
    trees_open();
    m.desc.trees = 1;
    m.desc.stiffness = DC_R(1e-5);
    m.desc.friction.eps_v = DC_R(1e-4);
    m.desc.contacts = 2048;
    if (!DC_IS_FLOAT) m.desc.tolerance = DC_R(1e-13);
}

/* ---- derivatives ---- */

/* A box and a ring on a static slab, pushed sideways: they land, slide and rest. Friction of all triangle pairs, and of the near ones. */
TEST bodies_on_a_slab(void)
{
    static step_case c;
    worst e[CLASSES];
    int k, fades;
    if (DC_IS_FLOAT) SKIPm("differences need double");
    for (fades = 0; fades < 2; ++fades) {
        dc_sim_info info = DC_ZERO;
        worst_open(e);
        open_trees();
        m.desc.reach = fades ? DC_R(0.05) : 0;
        tree_link(-1, DC_SIM_FIXED, dc_vec(0, 0, 0), 0, box_tree(dc_vec(0, 0, DC_R(-0.1)), dc_vec(DC_R(0.5), DC_R(0.4), DC_R(0.1))));
        tree_link(-1, DC_SIM_FREE, dc_vec(0, 0, 0), 1, box_tree(dc_vec(0, 0, 0), dc_vec(DC_R(0.1), DC_R(0.15), DC_R(0.08))));
        m.desc.hierarchy.weighted = fades;
        ASSERT_EQ(DC_OK, machine_build(&m));
        memset(&c, 0, sizeof c);
        c.sparse = 1;           /* some alone, and all at once along a line */
        c.every = 9;
        dc_sim_neutral(&m.sim, c.target);
        dc_sim_neutral(&m.sim, c.q[0]);
        c.q[0][6] = DC_R(0.1);
        c.q[0][1] = DC_R(0.01);
        hold(&c);
        for (k = 0; k < 40; ++k) {
            c.force[0] = k < 20 ? 9 : 3;
            c.force[5] = k < 20 ? DC_R(0.1) : 0;
            ASSERT_EQ(DC_OK, step(&c, c.q[2], &info));
            go_on(&c);
            if (k == 39 || (fades && (k == 3 || k == 15))) ASSERT(jacobian_checks(&c, e, k == 3 ? "lands" : k == 15 ? "slides" : "rests"));
        }
        ASSERT_EQ(1, info.contacts);
        ASSERTm("it did not slide", (double)c.q[2][4] > 0.02);
        ASSERT(worst_close(e, 1e-5));
    }
    PASS();
}

/* An arm of two hinges pushes a ring over a plane and against a ring that stands there: trees with trees and with a plane. */
TEST an_arm_pushes_a_ring(void)
{
    static step_case c;
    worst e[CLASSES];
    dc_sim_link *l;
    dc_sim_info info = DC_ZERO;
    int k, t;
    if (DC_IS_FLOAT) SKIPm("differences need double");
    worst_open(e);
    open_trees();
    for (k = 0; k < 2; ++k) {
        l = tree_link(k - 1, DC_SIM_HINGE, k ? dc_vec(DC_R(0.3), 0, 0) : dc_vec(0, 0, DC_R(0.61)), 0.4,
                      box_tree(dc_vec(DC_R(0.15), 0, 0), dc_vec(DC_R(0.13), DC_R(0.03), DC_R(0.03))));
        l->axis = dc_vec(0, 1, 0);
        l->kp = 40;
        l->kd = 1;
    }
    l = tree_link(-1, DC_SIM_FREE, dc_vec(0, 0, 0), 0.3, ring_tree(0.1, 0.3));
    l->friction = DC_R(0.6);
    machine_floor(&m, 0.5);
    m.desc.reach = DC_R(0.05);
    ASSERT_EQ(DC_OK, machine_build(&m));
    begin_case(&c);
    c.sparse = 1;
    c.every = 9;
    c.q[0][0] = DC_R(1.6);
    c.q[0][6] = DC_R(0.2);
    c.q[0][8] = DC_R(0.036);
    hold(&c);
    for (t = 0; t < 40; ++t) {
        c.target[0] = DC_R(1.6) - DC_R(0.02)*(dc_real)t;
        c.target[1] = DC_R(-0.1);
        ASSERT_EQ(DC_OK, step(&c, c.q[2], &info));
        if (t == 39) ASSERT(jacobian_checks(&c, e, "pushes"));
        go_on(&c);
    }
    printf("  ring at %g, %d contacts\n", (double)c.q[2][6], info.contacts);
    ASSERT((double)c.q[2][6] > 0.205 && info.contacts > 0);
    ASSERT(worst_close(e, 1e-5));
    PASS();
}

enum { RUN = 12 };

/* The adjoint against the product of Jacobians, and with checkpoints the same bits: what a step keeps to itself does not leak out. */
TEST adjoint_is_the_product(void)
{
    static dc_real q[(RUN + 2)*14], loss[RUN*12], start[24], again[24], friction[3], friction_again[3], marks[16*14];
    static dc_real prev[12*12], now[12*12], rub[12*3];
    double a[3][12], want[3] = {0, 0, 0};
    worst e = worst_make("adjoint against Jacobians");
    dc_sim_run run = DC_ZERO;
    dc_sim_jacobian o = DC_ZERO;
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    rng r;
    int t, k, i, nv, nq;
    if (DC_IS_FLOAT) SKIPm("the bars are for double");
    rng_seed(&r, 91);
    open_trees();
    m.desc.reach = DC_R(0.1);
    tree_link(-1, DC_SIM_FIXED, dc_vec(0, 0, 0), 0, box_tree(dc_vec(0, 0, DC_R(-0.1)), dc_vec(DC_R(0.5), DC_R(0.4), DC_R(0.1))));
    tree_link(-1, DC_SIM_FREE, dc_vec(0, 0, 0), 1, box_tree(dc_vec(0, 0, 0), dc_vec(DC_R(0.1), DC_R(0.15), DC_R(0.08))));
    tree_link(-1, DC_SIM_FREE, dc_vec(0, 0, 0), 0.5, box_tree(dc_vec(0, 0, 0), dc_vec(DC_R(0.1), DC_R(0.1), DC_R(0.05))));
    ASSERT_EQ(DC_OK, machine_build(&m));
    nv = m.sim.nv;
    nq = m.sim.nq;
    for (k = 0; k < 2; ++k) {
        dc_sim_neutral(&m.sim, q + k*nq);
        q[k*nq + 4] = DC_R(0.01)*(dc_real)k;
        q[k*nq + 6] = DC_R(0.09);
        q[k*nq + 13] = DC_R(0.23);
    }
    for (t = 0; t < RUN; ++t) ASSERT_EQ(DC_OK, dc_sim_step(&m.sim, q + t*nq, q + (t + 1)*nq, NULL, &mem, q + (t + 2)*nq, NULL));
    for (k = 0; k < RUN*nv; ++k) loss[k] = (dc_real)rng_uniform(&r, -1, 1);
    run.steps = RUN;
    run.q = q;
    run.loss = loss;
    run.start = start;
    run.friction = friction;
    ASSERT_EQ(DC_OK, dc_sim_adjoint(&m.sim, &run, &mem));
    memset(a, 0, sizeof a);
    o.prev = prev;
    o.now = now;
    o.friction = rub;
    for (t = RUN - 1; t >= 0; --t) {
        ASSERT_EQ(DC_OK, dc_sim_grad(&m.sim, q + t*nq, q + (t + 1)*nq, NULL, q + (t + 2)*nq, &mem, &o));
        for (k = 0; k < nv; ++k) a[0][k] += (double)loss[t*nv + k];
        for (i = 0; i < nv; ++i) {
            for (k = 0; k < nv; ++k) {
                a[1][k] += a[0][i]*(double)now[i*nv + k];
                a[2][k] += a[0][i]*(double)prev[i*nv + k];
            }
            for (k = 0; k < 3; ++k) want[k] += a[0][i]*(double)rub[i*3 + k];
        }
        memcpy(a[0], a[1], sizeof a[0]);
        memcpy(a[1], a[2], sizeof a[0]);
        memset(a[2], 0, sizeof a[0]);
    }
    worst_add(&e, relative_error(start, a[1], (size_t)nv), "q_{-1}");
    worst_add(&e, relative_error(start + nv, a[0], (size_t)nv), "q_0");
    worst_add(&e, relative_error(friction, want, 3), "friction");
    run.every = 5;
    for (t = 0; t < RUN; t += 5) memcpy(marks + 2*(t/5)*nq, q + t*nq, 2*(size_t)nq*sizeof *marks);
    run.q = marks;
    run.start = again;
    run.friction = friction_again;
    ASSERT_EQ(DC_OK, dc_sim_adjoint(&m.sim, &run, &mem));
    ASSERT(memcmp(start, again, sizeof start) == 0 && memcmp(friction, friction_again, sizeof friction) == 0);
    ASSERT(worst_print(&e, 1e-9));
    PASS();
}

/* ---- paths ---- */

/* do triangles of the two links have no proof that they are apart? counted */
static int meetings(const dc_sim *sim, int i, int j, const dc_pose *pose)
{
    const dc_bsh *a = sim->link[i].tree, *b = sim->link[j].tree;
    int s, t, k, bad = 0;
    for (s = 0; s < a->n; ++s)
        for (t = 0; t < b->n; ++t) {
            overlap_points p[2];
            double n[3] = {0, 0, 0}, d2 = 0;
            for (k = 0; k < 6; ++k) {
                const dc_bsh *tree = k < 3 ? a : b;
                dc_v3 x = dc_add(tree->o, tree->corner[k < 3 ? 3*s + k : 3*t + k - 3]);
                x = dc_pose_apply(pose[k < 3 ? i : j], x);
                p[k/3].x[k%3][0] = (double)x.x;
                p[k/3].x[k%3][1] = (double)x.y;
                p[k/3].x[k%3][2] = (double)x.z;
                n[0] += (k < 3 ? 1 : -1)*(double)x.x;
                n[1] += (k < 3 ? 1 : -1)*(double)x.y;
                n[2] += (k < 3 ? 1 : -1)*(double)x.z;
            }
            p[0].n = p[1].n = 3;
            p[0].error = p[1].error = 8*(double)DC_EPS;     /* of coordinates below 2 */
            for (k = 0; k < 3; ++k) d2 += n[k]*n[k];
            if (d2 > 0 && overlap_proof(p, p + 1, n)) continue;
            bad += !overlap_apart(p, p + 1, n);
        }
    return bad;
}

/* Two rings hang in each other like links of a chain, so that their hulls overlap, and a needle flies through: nothing meets on any
 * path, at up to 30 m/s with steps to 0.05 s. */
TEST rings_never_pass_through_each_other(void)
{
    static dc_real q[3][21], path[64*21], part[21], dq[18];
    int runs = (int)sweep_count(3), run, t, k, c, s, met = 0, poses = 0, cut = 0, capped = 0, steps = 0;
    rng r;
    rng_seed(&r, 92);
    for (run = 0; run < runs; ++run) {
        dc_sim_info info = DC_ZERO;
        double speed = rng_uniform(&r, 1, 30);
        open_trees();
        m.desc.gravity = dc_vec(0, 0, 0);
        m.desc.tolerance = 0;
        m.desc.h = (dc_real)rng_uniform(&r, 0.005, 0.05);
        for (k = 0; k < 2; ++k) tree_link(-1, DC_SIM_FREE, dc_vec(0, 0, 0), 1, ring_tree(0.3, 0.25))->friction = 0;
        tree_link(-1, DC_SIM_FREE, dc_vec(0, 0, 0), 0.2, box_tree(dc_vec(0, 0, 0), dc_vec(DC_R(0.5), DC_R(0.02), DC_R(0.02))))->friction = 0;
        ASSERT_EQ(DC_OK, machine_build(&m));
        dc_sim_neutral(&m.sim, q[1]);
        q[1][7] = DC_R(0.70710678);
        q[1][8] = DC_R(0.70710678);
        q[1][11] = DC_R(0.3);
        q[1][20] = DC_R(0.6);
        for (k = 0; k < 18; ++k) dq[k] = (dc_real)(rng_uniform(&r, -1, 1)*speed)*m.desc.h*(k%6 < 3 ? DC_R(0.3) : 1);
        dq[14] = -(dc_real)speed*m.desc.h;
        for (k = 0; k < 18; ++k) dq[k] = -dq[k];
        dc_sim_retract(&m.sim, q[1], dq, q[0]);
        for (t = 0; t < 4; ++t) {
            dc_arena mem = dc_arena_make(scratch, sizeof scratch);
            dc_status status;
            info.path = path;
            info.path_size = 64;
            status = dc_sim_step(&m.sim, q[0], q[1], NULL, &mem, q[2], &info);
            ASSERT(status == DC_OK || status == DC_E_DIVERGED);
            capped += status != DC_OK;
            cut += info.shortened;
            steps++;
            for (c = 0; c + 1 < info.path_count && c + 1 < 64; ++c)
                for (s = 0; s < 3; ++s) {
                    dc_pose pose[3];
                    dc_sim_local(&m.sim, path + c*21, path + (c + 1)*21, dq);
                    for (k = 0; k < 18; ++k) dq[k] *= DC_R(0.33)*(dc_real)(s + 1);
                    dc_sim_retract(&m.sim, path + c*21, dq, part);
                    dc_sim_poses(&m.sim, part, pose);
                    met += meetings(&m.sim, 0, 1, pose) + meetings(&m.sim, 0, 2, pose) + meetings(&m.sim, 1, 2, pose);
                    poses++;
                }
            memcpy(q[0], q[1], sizeof q[0]);
            memcpy(q[1], q[2], sizeof q[0]);
        }
    }
    printf("  %d steps, %d cut short, %d at the cap, %d poses, %d meetings of triangles\n", steps, cut, capped, poses, met);
    ASSERT(poses > 0 && cut > 0 && 4*capped <= steps);
    ASSERT_EQ(0, met);
    PASS();
}

/* ---- models of pairs ---- */

/* Rings and boxes thrown at each other over the floor, felt at any distance: a step goes by quadratic models of the pairs; where it ends
 * the forces left over are below the tolerance with all pairs evaluated there. */
TEST models_end_where_all_pairs_do(void)
{
    static dc_real q[3][7*6];
    worst wf = worst_make("force left over, of the tolerance"), wm = worst_make("gradient by models, a thousandth of a step on");
    static dc_real way[36], place[42], grad[36];
    int runs = (int)sweep_count(4), run, t, k, modelled = 0;
    rng r;
    if (DC_IS_FLOAT) SKIPm("a tolerance below the rounding of float");
    rng_seed(&r, 97);
    for (run = 0; run < runs; ++run) {
        open_trees();
        m.desc.tolerance = 0;
        m.desc.h = DC_R(0.02);
        m.desc.length = DC_R(0.5);
        m.desc.stiffness = (dc_real)rng_log(&r, 1e-8, 1e-4);
        for (k = 0; k < 6; ++k)
            tree_link(-1, DC_SIM_FREE, dc_vec(0, 0, 0), rng_log(&r, 0.2, 5), k & 1 ? ring_tree(0.2, 0.3) : box_tree(dc_vec(0, 0, 0), dc_vec(DC_R(0.1), DC_R(0.1), DC_R(0.2))))->friction = k < 2;
        machine_floor(&m, 0.5);
        ASSERT_EQ(DC_OK, machine_build(&m));
        dc_sim_neutral(&m.sim, q[1]);
        for (k = 0; k < 6; ++k) {
            dc_real d[36] = {0};
            d[6*k] = (dc_real)(0.8*(k%3) + rng_uniform(&r, -0.1, 0.1));
            d[6*k + 1] = DC_R(0.8)*(dc_real)(k/3);
            d[6*k + 2] = (dc_real)rng_uniform(&r, 0.3, 0.6);
            d[6*k + 4] = (dc_real)rng_uniform(&r, -1, 1);
            dc_sim_retract(&m.sim, q[1], d, q[1]);
            memset(d, 0, sizeof d);
            d[6*k] = (dc_real)rng_uniform(&r, -0.1, 0.1);
            d[6*k + 1] = (dc_real)rng_uniform(&r, -0.1, 0.1);
            d[6*k + 2] = DC_R(0.05);
            memcpy(q[0], k ? q[0] : q[1], sizeof q[0]);
            memcpy(q[0] + 7*k, q[1] + 7*k, 7*sizeof q[0][0]);
            dc_sim_retract(&m.sim, q[0], d, q[0]);
        }
        for (t = 0; t < 20; ++t) {
            dc_arena mem = dc_arena_make(scratch, sizeof scratch);
            dc_sim_info info = DC_ZERO;
            dci_sim_work *W;
            double change = 0, whole = 0;
            ASSERT_EQ(DC_OK, dc_sim_step(&m.sim, q[0], q[1], NULL, &mem, q[2], &info));

            ASSERT_EQ(DC_OK, dci_sim_open(&m.sim, q[0], q[1], NULL, 0, 0, &mem, &W));
            dci_sim_eval(W, q[2], DCI_SIM_DERIVATIVES, DCI_SIM_IN_FULL);
            ASSERT_EQ(DC_OK, W->at.status);
            worst_add(&wf, (double)dci_sim_largest(W->at.grad, m.sim.nv)/(double)(m.sim.desc.tolerance*info.scale), "run %d step %d", run, t);

            /* a thousandth of the way on by models, against all pairs there */
            W->trees.allowed = DCI_SIM_MODEL*info.scale;
            dc_sim_local(&m.sim, q[1], q[2], way);
            for (k = 0; k < m.sim.nv; ++k) way[k] *= DC_R(1e-3);
            dc_sim_retract(&m.sim, q[2], way, place);
            dci_sim_eval(W, place, DCI_SIM_DERIVATIVES, DCI_SIM_BY_MODELS);
            modelled += W->at.modelled;
            memcpy(grad, W->at.grad, sizeof grad);
            dci_sim_eval(W, place, DCI_SIM_DERIVATIVES, DCI_SIM_IN_FULL);
            for (k = 0; k < m.sim.nv; ++k) change = fmax(change, fabs((double)(grad[k] - W->at.grad[k])));
            for (k = 0; k < m.sim.nv; ++k) whole = fmax(whole, fabs((double)grad[k]));
            worst_add(&wm, change/whole, "run %d step %d", run, t);
            memcpy(q[0], q[1], sizeof q[0]);
            memcpy(q[1], q[2], sizeof q[0]);
        }
    }
    printf("  %d pairs by their models\n", modelled);
    ASSERT(modelled > 100*runs);
    ASSERT(worst_print(&wf, 1.001) & worst_print(&wm, 0.01));
    PASS();
}

/* ---- stack ---- */

/* Planks over the edge as far as they go but for a part of their length: 0 when the top one comes down by 0.01 m. */
static int stack(int n, double inset)
{
    static dc_real q[3][7*4];
    int k, t;
    dc_status status;
    double x = 0, z = 0;
    open_trees();
    m.desc.length = 1;
    m.desc.stiffness = DC_R(1e-10);
    m.desc.reach = DC_R(0.01);
    m.desc.friction.eps_v = DC_R(1e-12);
    m.desc.tolerance = DC_IS_FLOAT ? 0 : DC_R(1e-7);
    tree_link(-1, DC_SIM_FIXED, dc_vec(0, 0, 0), 0, box_tree(dc_vec(0, 0, 0), dc_vec(1, DC_R(0.2), DC_R(0.1))));
    for (k = 0; k < n; ++k) tree_link(-1, DC_SIM_FREE, dc_vec(0, 0, 0), 0.16, m.link[0].tree);
    m.desc.h = DC_R(0.2);
    if (machine_build(&m) != DC_OK) return -1;
    dc_sim_neutral(&m.sim, q[0]);
    for (k = 0; k < n; ++k) {
        x += 1.0/(n - k) - 2*inset;
        z += 0.2 + sqrt(170*(double)m.desc.stiffness/(1.5696*(n - k)));
        q[0][7*k + 4] = (dc_real)x;
        q[0][7*k + 6] = (dc_real)z;
    }
    /* long steps from rest find where they stand, if they do */
    for (t = 0; t < 30; ++t) {
        dc_arena mem = dc_arena_make(scratch, sizeof scratch);
        if (t == 20) m.sim.desc.h = DC_R(0.1);
        memcpy(q[1], t < 20 ? q[0] : q[1], sizeof q[1]);
        status = dc_sim_step(&m.sim, q[0], q[1], NULL, &mem, q[2], NULL);
        if (status != DC_OK) return -1;
        memcpy(q[0], t < 20 ? q[2] : q[1], sizeof q[0]);
        memcpy(q[1], q[2], sizeof q[1]);
        if ((double)q[2][7*(n - 1) + 6] < z - 0.01) return 0;
    }
    return 1;
}

TEST planks_stand_to_the_edge(void)
{
    if (DC_IS_FLOAT) SKIPm("gaps of 3e-5");
    ASSERT_EQ(1, stack(3, 0.001));
    ASSERT_EQ(0, stack(3, -0.001));
    PASS();
}

/* ---- models ---- */

TEST moments_of_a_closed_mesh_are_those_of_the_hull(void)
{
    dc_v3 c = dc_vec(DC_R(0.1), DC_R(-0.2), DC_R(0.3)), half = dc_vec(DC_R(0.1), DC_R(0.2), DC_R(0.3));
    worst e = worst_make("moments");
    double want[16];
    dc_bsh open;
    int k;
    machine_open(&m);
    trees_open();
    machine_link(&m, -1, DC_SIM_FREE, dc_vec(0, 0, 0))->density = 500;
    machine_box(&m, c, half);
    tree_link(-1, DC_SIM_FREE, dc_vec(0, 0, 0), 0, box_tree(c, half))->density = 500;
    ASSERT_EQ(DC_OK, machine_build(&m));
    for (k = 0; k < 16; ++k) want[k] = (double)m.sim.moment[k];
    worst_add(&e, relative_error(m.sim.moment + 16, want, 16), "box");
    ASSERT(worst_print(&e, 8*(double)DC_EPS));
    /* a triangle short */
    open = *m.link[1].tree;
    open.n = 11;
    m.link[1].tree = &open;
    ASSERT_EQ(DC_E_ARG, machine_build(&m));
    PASS();
}

static void two_boxes(double z)
{
    open_trees();
    m.desc.tolerance = 0;
    tree_link(-1, DC_SIM_FIXED, dc_vec(0, 0, 0), 0, box_tree(dc_vec(0, 0, DC_R(-0.1)), dc_vec(DC_R(0.5), DC_R(0.4), DC_R(0.1))));
    tree_link(-1, DC_SIM_FREE, dc_vec(0, 0, (dc_real)z), 1, box_tree(dc_vec(0, 0, 0), dc_vec(DC_R(0.1), DC_R(0.15), DC_R(0.08))));
}

TEST bad_trees_are_refused(void)
{
    dc_sim_flaw flaw;
    dc_arena mem;
    dc_bsh none = DC_ZERO;
    int way;
    for (way = 0; way < 6; ++way) {
        two_boxes(0.2);
        if (way == 1) m.link[1].tree = &none;
        if (way == 2) m.desc.hierarchy.eps = DC_R(1e-4);
        if (way == 3) m.desc.contacts = -1;
        if (way == 4) m.desc.reach = (dc_real)(HUGE_VAL - HUGE_VAL);
        if (way == 5) m.link[1].model = DC_SIM_LUMPED;      /* of no hull */
        mem = dc_arena_make(machine_memory, sizeof machine_memory);
        ASSERT_EQ(way ? DC_E_ARG : DC_OK, dc_sim_build(&m.desc, &mem, &m.sim, &flaw));
        if (way == 0) ASSERT(mem.used <= dc_sim_bytes(&m.desc) && mem.used + 64 > dc_sim_bytes(&m.desc));
        if (way) ASSERT(mem.used == 0);
        if (way == 1 || way == 5) ASSERT_EQ(1, flaw.link);
    }
    PASS();
}

TEST steps_need_their_memory_and_space(void)
{
    dc_real q[3][7], same[7];
    dc_sim_info info = DC_ZERO;
    dc_sim_jacobian o = DC_ZERO;
    dc_real J[36], V[1];
    size_t need;
    dc_arena mem;
    two_boxes(0.1);
    ASSERT_EQ(DC_OK, machine_build(&m));
    dc_sim_neutral(&m.sim, q[0]);
    memcpy(q[1], q[0], sizeof q[0]);
    need = dc_sim_step_bytes(&m.sim);
    ASSERT(need > 0 && need <= sizeof scratch);
    mem = dc_arena_make(scratch, need);
    ASSERT_EQ(DC_OK, dc_sim_step(&m.sim, q[0], q[1], NULL, &mem, q[2], &info));
    ASSERT(mem.used == 0 && info.contacts == 1);
    ASSERT(info.bytes <= need);
    memcpy(same, q[2], sizeof same);
    mem = dc_arena_make(scratch, sizeof scratch);       /* more is no other step */
    ASSERT_EQ(DC_OK, dc_sim_step(&m.sim, q[0], q[1], NULL, &mem, q[2], NULL));
    ASSERT(memcmp(same, q[2], sizeof same) == 0);
    mem = dc_arena_make(scratch, need/4);
    ASSERT_EQ(DC_E_MEMORY, dc_sim_step(&m.sim, q[0], q[1], NULL, &mem, q[2], NULL));
    ASSERT(memcmp(same, q[2], sizeof same) == 0 && mem.used == 0);
    o.now = J;
    need = dc_sim_grad_bytes(&m.sim, &o);
    mem = dc_arena_make(scratch, need);
    ASSERT_EQ(DC_OK, dc_sim_grad(&m.sim, q[0], q[1], NULL, q[2], &mem, &o));
    o.vertex = V;
    mem = dc_arena_make(scratch, sizeof scratch);
    ASSERT_EQ(DC_E_ARG, dc_sim_grad(&m.sim, q[0], q[1], NULL, q[2], &mem, &o));
    /* too many triangle pairs for the room there is */
    m.sim.desc.contacts = 4;
    ASSERT_EQ(DC_E_MEMORY, dc_sim_step(&m.sim, q[0], q[1], NULL, &mem, q[2], NULL));
    ASSERT(memcmp(same, q[2], sizeof same) == 0 && mem.used == 0);
    /* triangles that cross */
    m.sim.desc.contacts = 2048;
    q[1][6] = DC_R(-0.05);
    ASSERT_EQ(DC_E_OVERLAP, dc_sim_step(&m.sim, q[0], q[1], NULL, &mem, q[2], &info));
    ASSERT(info.hull_a >= 0 && m.sim.hull[info.hull_a].link == 0 && m.sim.hull[info.hull_b].link == 1);
    ASSERT(memcmp(same, q[2], sizeof same) == 0 && mem.used == 0);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(bodies_on_a_slab);
    RUN_TEST(an_arm_pushes_a_ring);
    RUN_TEST(adjoint_is_the_product);
    RUN_TEST(rings_never_pass_through_each_other);
    RUN_TEST(models_end_where_all_pairs_do);
    RUN_TEST(planks_stand_to_the_edge);
    RUN_TEST(moments_of_a_closed_mesh_are_those_of_the_hull);
    RUN_TEST(bad_trees_are_refused);
    RUN_TEST(steps_need_their_memory_and_space);
    GREATEST_MAIN_END();
}
