/* The manifold of two lobed figures in random poses, apart, touching and deep: the derivatives agree with each other and with
 * differences, and the contacts say what the fields say. A sweep of 1000 pairs takes 20 s; `make test` runs a fifth of it. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_WITNESS_IMPLEMENTATION
#include "dc_witness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "greatest.h"
#include "support.h"
#include "real.h"
#include "figure.h"

GREATEST_MAIN_DEFS();

enum { KEEP = 6, COUNT = 2*FIGURE_VERTICES + 2*KEEP*KEEP };
static unsigned char memory[1 << 22];
static dc_arena mem;
static dc_sdf_prim prims[FIGURE_LOBES];
static figure_memory mesh_memory;
static dc_mesh mesh;
static dc_sdf field;
static dc_surface figure;
static dc_manifold_options options;
static dc_manifold_contact contacts[COUNT], bar[COUNT], dcontacts[COUNT], jac[12*COUNT];

/* contacts of one kind weigh alike, so that it does not matter in which order the selection has them */
static double weight[4][8];
static int part[4];

static double weighed(const dc_manifold_contact *c, dc_manifold_contact *b)
{
    double sum = 0;
    int kind, i, k;
    for (kind = 0; kind < 4; ++kind)
        for (i = 0; i < part[kind]; ++i, ++c) {
            for (k = 0; k < 8; ++k) {
                sum += weight[kind][k]*(double)(&c->p.x)[k];
                if (b) (&b->p.x)[k] = (dc_real)weight[kind][k];
            }
            if (b) ++b;
        }
    return sum;
}

typedef struct { dc_pose a, b; dc_real xi[12]; int failed; } pair;

static void along(const double *x, double *f, void *user)
{
    pair *p = (pair *)user;
    dc_real xi[12];
    dc_pose a, b;
    int k;
    for (k = 0; k < 12; ++k) xi[k] = (dc_real)x[0]*p->xi[k];
    a = dc_pose_retract(p->a, xi);
    b = dc_pose_retract(p->b, xi + 6);
    p->failed |= dc_manifold(&figure, &a, &figure, &b, &options, &mem, contacts) != DC_OK;
    f[0] = weighed(contacts, NULL);
}

/* mean of plain central differences of three short steps */
static double slope_of(pair *p)
{
    double sum = 0;
    int k;
    for (k = 20; k < 23; ++k) {
        double h = ldexp(1, -k), back = -h, up, down;
        along(&h, &up, p);
        along(&back, &down, p);
        sum += (up - down)/(2*h);
    }
    return sum/3;
}

static double dot(const dc_manifold_contact *a, const dc_manifold_contact *b, double *size)
{
    double sum = 0;
    int i, k;
    for (i = 0; i < COUNT; ++i)
        for (k = 0; k < 8; ++k) {
            double x = (double)(&a[i].p.x)[k]*(double)(&b[i].p.x)[k];
            sum += x;
            *size += fabs(x);
        }
    return sum;
}

static dc_pose random_pose(rng *r, double far_off)
{
    double u[3], w[3];
    dc_pose p;
    rng_unit3(r, u);
    rng_unit3(r, w);
    p.t = dc_vec((dc_real)(far_off*u[0]), (dc_real)(far_off*u[1]), (dc_real)(far_off*u[2]));
    p.q = dc_quat_exp(dc_vec((dc_real)(3*w[0]), (dc_real)(3*w[1]), (dc_real)(3*w[2])));
    return p;
}

TEST derivatives_of_random_pairs(void)
{
    worst wt = worst_make("xi.vjp(bar) = bar.jvp(xi)"), wj = worst_make("Jacobian against jvp"), wf = worst_make("against differences"), wo = worst_make("order below 2 by");
    long i, n = sweep_count(1000), separated = 0, touching = 0, deep = 0;
    rng r;
    rng_seed(&r, 43);
    for (i = 0; i < n; ++i) {
        pair p;
        dc_real grad[12];
        double forward, back = 0, size = 0, depth = 0, e = 0, most = 0;
        int k, j;
        memset(&p, 0, sizeof p);
        p.a = random_pose(&r, 0.2);
        p.b = random_pose(&r, rng_uniform(&r, 0.1, 1.9));
        for (k = 0; k < 12; ++k) p.xi[k] = (dc_real)rng_uniform(&r, -1, 1);
        for (k = 0; k < 32; ++k) weight[k/8][k%8] = rng_uniform(&r, -1, 1);
        ASSERT_EQ(DC_OK, dc_manifold_jvp(&figure, &p.a, &figure, &p.b, &options, p.xi, &mem, contacts, dcontacts));
        weighed(contacts, bar);
        ASSERT_EQ(DC_OK, dc_manifold_vjp(&figure, &p.a, &figure, &p.b, &options, bar, &mem, contacts, grad));
        forward = dot(bar, dcontacts, &size);
        for (k = 0; k < 12; ++k) back += (double)grad[k]*(double)p.xi[k];
        worst_add(&wt, fabs(forward - back)/size, "pair %ld", i);
        for (k = 0; k < 2*FIGURE_VERTICES; ++k) depth = fmin(depth, (double)contacts[k].d);
        if (depth < -0.1) ++deep;
        else if (depth < 0) ++touching;
        else ++separated;
        ASSERT_EQ(DC_OK, dc_manifold_jac(&figure, &p.a, &figure, &p.b, &options, &mem, contacts, jac));
        for (k = 0; k < COUNT; ++k)
            for (j = 0; j < 8; ++j) {
                double sum = 0, added = 0;
                int c;
                for (c = 0; c < 12; ++c) {
                    double x = (double)(&jac[c*COUNT + k].p.x)[j]*(double)p.xi[c];
                    sum += x;
                    added += fabs(x);
                }
                e = fmax(e, fabs(sum - (double)(&dcontacts[k].p.x)[j]));
                most = fmax(most, added);
            }
        worst_add(&wj, e/most, "pair %ld", i);
        if (!DC_IS_FLOAT) {
            double x = 0;
            fd_result d = fd_check(along, &p, 1, &x, 1, &forward, 1.0/32768);         /* edges change places in the selection within 1e-4 */
            ASSERT(!p.failed && !d.bit_equal);
            /* third derivatives of the lobes are unbounded on their coordinate planes, |x|^(2/eps - 3): of all pairs one in a
             * hundred has a point there, which lowers the order and makes extrapolation useless */
            if (d.err > 1e-6) d.err = fabs(slope_of(&p)/forward - 1);
            worst_add(&wf, d.err, "pair %ld", i);
            if (i%(n < 1000 ? 10 : 50) == 0) worst_add(&wo, 2 - d.order, "pair %ld", i);
        }
    }
    printf("  %ld pairs apart, %ld touching, %ld deep\n", separated, touching, deep);
    ASSERT(worst_print(&wt, 50*EPS) & worst_print(&wj, 50*EPS));
    ASSERT(DC_IS_FLOAT || (worst_print(&wf, 1e-6) & worst_print(&wo, 1)));
    ASSERT(n < 200 || (separated > n/10 && touching > n/20 && deep > n/10));
    PASS();
}

static void mean_gradient(const double *x, double *f, void *user)
{
    pair *p = (pair *)user;
    dc_real xi[12], grad[12] = {0};
    dc_pose a, b;
    int k;
    for (k = 0; k < 12; ++k) xi[k] = (dc_real)x[0]*p->xi[k];
    a = dc_pose_retract(p->a, xi);
    b = dc_pose_retract(p->b, xi + 6);
    p->failed |= dc_manifold_vjp(&figure, &a, &figure, &b, &options, bar, &mem, NULL, grad) != DC_OK;
    to_double(grad, f, 12);
}

/* Of the mean distance, at these options, with and without `cull`: against differences of its gradient, which is that of turned
 * bodies and has w x grad/2 more; symmetric. */
TEST second_derivatives_of_the_mean_distance(void)
{
    worst ws = worst_make("symmetry"), wf = worst_make("against differences");
    const dc_manifold_options keep = options;
    long i, n = sweep_count(40), far_off = 0;
    rng r;
    rng_seed(&r, 47);
    memset(contacts, 0, sizeof contacts);
    dc_manifold_mean(COUNT, contacts, bar);
    for (i = 0; i < n; ++i) {
        pair p;
        dc_real other[12], hvp[2][12], grad[12];
        double jac12[12], left = 0, right = 0, terms = 0, zero = 0;
        int k;
        memset(&p, 0, sizeof p);
        p.a = random_pose(&r, 0.2);
        p.b = random_pose(&r, rng_uniform(&r, 0.1, 1.9));
        for (k = 0; k < 12; ++k) p.xi[k] = (dc_real)rng_uniform(&r, -1, 1);
        for (k = 0; k < 12; ++k) other[k] = (dc_real)rng_uniform(&r, -1, 1);
        options.cull = i & 1 ? (DC_IS_FLOAT ? DC_R(1e-6) : DC_R(1e-14)) : 0;
        ASSERT_EQ(DC_OK, dc_manifold_hvp(&figure, &p.a, &figure, &p.b, &options, bar, NULL, p.xi, &mem, grad, hvp[0]));
        ASSERT_EQ(DC_OK, dc_manifold_hvp(&figure, &p.a, &figure, &p.b, &options, bar, NULL, other, &mem, NULL, hvp[1]));
        for (k = 0; k < 12; ++k) {
            const double x = (double)other[k]*(double)hvp[0][k], y = (double)p.xi[k]*(double)hvp[1][k];
            left += x;
            right += y;
            terms += fabs(x) + fabs(y);
        }
        if (terms > 0) worst_add(&ws, fabs(left - right)/terms, "pair %ld", i);
        if (DC_IS_FLOAT) continue;
        for (k = 0; k < 2; ++k) {
            const dc_v3 w = dc_vec(p.xi[6*k + 3], p.xi[6*k + 4], p.xi[6*k + 5]);
            const dc_v3 more = dc_scale(DC_R(0.5), dc_cross(w, dc_vec(grad[6*k + 3], grad[6*k + 4], grad[6*k + 5])));
            to_double(hvp[0] + 6*k, jac12 + 6*k, 6);
            jac12[6*k + 3] += (double)more.x;
            jac12[6*k + 4] += (double)more.y;
            jac12[6*k + 5] += (double)more.z;
        }
        {
            fd_result d = fd_check(mean_gradient, &p, 1, &zero, 12, jac12, 1.0/65536);
            ASSERT(!p.failed && !d.bit_equal);
            worst_add(&wf, d.err, "pair %ld", i);
            far_off += d.err > 1e-6;
        }
    }
    options = keep;
    if (!DC_IS_FLOAT) worst_print(&wf, 1e-6);
    ASSERT(worst_print(&ws, 5e3*EPS));
    /* as above, now and then a point is on a coordinate plane of a lobe */
    ASSERT(20*far_off <= n);
    PASS();
}

/* What is left out with `cull` is small: of every activity of vertices, and with it of what it weighs, no more than cull; of the
 * gradient no more than that over the widths of the activities. Edges are kept by depths that are bent at reach, which here is
 * farther off than those that are kept unless all are; in float, where reach is shorter, it is not. */
TEST culling_loses_what_it_says(void)
{
    static dc_manifold_contact whole[COUNT];
    worst wa = worst_make("activities of vertices over cull"), we = worst_make("those of edges over what lies beyond reach"), wg = worst_make("gradients over that/tau_pen");
    const double cull = DC_IS_FLOAT ? 1e-5 : 1e-12, rounding = 8*EPS, tau_pen = 0.01;
    double beyond, longest = 0;
    long i, n = sweep_count(150), left_out = 0;
    dc_manifold_options o = options;
    rng r;
    rng_seed(&r, 91);
    o.cull = (dc_real)cull;

    /* an edge whose ends are both beyond reach has points that are nearer by half its length, which tells what activities it has */
    for (i = 0; i < mesh.ne; ++i) {
        dc_v3 e = dc_sub(mesh.v[mesh.edge[2*i]], mesh.v[mesh.edge[2*i + 1]]);
        longest = fmax(longest, sqrt((double)dc_dot(e, e)));
    }
    beyond = exp((log(cull)*tau_pen + longest/2)/tau_pen);
    printf("  longest edge %.3g, activities of edges beyond reach %.2g\n", longest, beyond);
    for (i = 0; i < n; ++i) {
        dc_pose a = random_pose(&r, 0.2), b = random_pose(&r, rng_uniform(&r, 0.1, 2.5));
        dc_real grad[24];
        double most = 1;
        int k;
        ASSERT_EQ(DC_OK, dc_manifold(&figure, &a, &figure, &b, &options, &mem, whole));
        dc_manifold_active(COUNT, whole, bar);
        ASSERT_EQ(DC_OK, dc_manifold_vjp(&figure, &a, &figure, &b, &options, bar, &mem, NULL, grad));
        ASSERT_EQ(DC_OK, dc_manifold(&figure, &a, &figure, &b, &o, &mem, contacts));
        dc_manifold_active(COUNT, contacts, bar);
        ASSERT_EQ(DC_OK, dc_manifold_vjp(&figure, &a, &figure, &b, &o, bar, &mem, NULL, grad + 12));
        for (k = 0; k < COUNT; ++k) {
            double lost = fabs((double)(contacts[k].act - whole[k].act));
            if (k < 2*FIGURE_VERTICES) worst_add(&wa, lost/(cull + rounding), "pair %ld, contact %d", i, k);
            else worst_add(&we, lost/(beyond + rounding), "pair %ld, contact %d", i, k);
            left_out += !(contacts[k].act > 0);
        }
        for (k = 0; k < 12; ++k) most = fmax(most, fabs((double)grad[k]));
        for (k = 0; k < 12; ++k)
            worst_add(&wg, fabs((double)(grad[12 + k] - grad[k]))/(beyond/tau_pen + 200*EPS*most), "pair %ld, entry %d", i, k);
    }
    printf("  %.3g of the contacts left out\n", (double)left_out/(double)(n*COUNT));
    ASSERT(worst_print(&wa, 1));
    ASSERT(DC_IS_FLOAT || (worst_print(&we, 1) & worst_print(&wg, 1)));
    ASSERT(left_out > n*COUNT/4);
    PASS();
}

/* A scene of figures that drift past each other: the active distance of the pairs that are listed, and its gradient, are those of
 * all pairs to the bit, and pairs are left out. */
TEST pairs_of_a_scene(void)
{
    enum { BODIES = 6, PAIRS = BODIES*(BODIES - 1)/2 };
    dc_surface body[BODIES];
    dc_pose pose[BODIES];
    dc_manifold_options o = options;
    int list[2*PAIRS], few[2], step, i, j, k, count, listed = 0, steps = DC_TEST_SWEEP < 1 ? 4 : 40;
    rng r;
    rng_seed(&r, 17);
    o.cull = DC_IS_FLOAT ? DC_R(1e-5) : DC_R(1e-14);
    for (i = 0; i < BODIES; ++i) {
        body[i] = figure;
        pose[i] = random_pose(&r, 3);
    }
    for (step = 0; step < steps; ++step) {
        int at = 0;
        for (i = 0; i < BODIES; ++i) pose[i].t = dc_scale(DC_R(1.02), pose[i].t);
        ASSERT_EQ(DC_OK, dc_manifold_pairs(BODIES, body, pose, &o, &mem, PAIRS, list, &count));
        for (i = 0; i < BODIES; ++i)
            for (j = i + 1; j < BODIES; ++j) {
                const int in = at < count && list[2*at] == i && list[2*at + 1] == j;
                dc_real grad[12], most = 0;
                at += in;
                if (in) continue;
                ASSERT_EQ(DC_OK, dc_manifold(&figure, &pose[i], &figure, &pose[j], &o, &mem, contacts));
                dc_manifold_active(COUNT, contacts, bar);
                ASSERT_EQ(DC_OK, dc_manifold_vjp(&figure, &pose[i], &figure, &pose[j], &o, bar, &mem, NULL, grad));
                for (k = 0; k < COUNT; ++k) most = dc_max(most, contacts[k].act + dc_dot(contacts[k].n, contacts[k].n));
                for (k = 0; k < 12; ++k) most = dc_max(most, dc_abs(grad[k]));
                ASSERT(!(most > 0));
            }
        ASSERT_EQ(at, count);
        listed += count;
    }
    printf("  %.3g of the pairs listed\n", (double)listed/(double)(steps*PAIRS));
    ASSERT(listed > steps*PAIRS/20 && listed < steps*PAIRS*3/4);

    /* all where nothing is left out; too little room, the wrong arguments */
    ASSERT_EQ(DC_OK, dc_manifold_pairs(BODIES, body, pose, &options, &mem, PAIRS, list, &count));
    ASSERT_EQ((int)PAIRS, count);
    ASSERT_EQ(DC_E_RANGE, dc_manifold_pairs(BODIES, body, NULL, &o, &mem, 1, few, &count));
    ASSERT(count == PAIRS && few[0] == 0 && few[1] == 1);
    count = -7;
    {
        dc_arena exact = dc_arena_make(memory, dc_manifold_pairs_bytes(BODIES)), less = dc_arena_make(memory, exact.size/2);
        ASSERT_EQ(DC_E_MEMORY, dc_manifold_pairs(BODIES, body, pose, &o, &less, PAIRS, list, &count));
        ASSERT_EQ(-7, count);
        ASSERT_EQ(DC_OK, dc_manifold_pairs(BODIES, body, pose, &o, &exact, PAIRS, list, &count));
        ASSERT(exact.used == 0 && less.used == 0);
    }
    count = -7;
    ASSERT_EQ(DC_E_ARG, dc_manifold_pairs(-1, body, pose, &o, &mem, PAIRS, list, &count));
    ASSERT_EQ(DC_E_ARG, dc_manifold_pairs(BODIES, NULL, pose, &o, &mem, PAIRS, list, &count));
    ASSERT_EQ(DC_E_ARG, dc_manifold_pairs(BODIES, body, pose, &o, NULL, PAIRS, list, &count));
    ASSERT_EQ(DC_E_ARG, dc_manifold_pairs(BODIES, body, pose, &o, &mem, -1, list, &count));
    ASSERT_EQ(DC_E_ARG, dc_manifold_pairs(BODIES, body, pose, &o, &mem, 1, NULL, &count));
    ASSERT_EQ(DC_E_ARG, dc_manifold_pairs(BODIES, body, pose, &o, &mem, PAIRS, list, NULL));
    pose[3].t.x = (dc_real)(double)NAN;
    ASSERT_EQ(DC_E_ARG, dc_manifold_pairs(BODIES, body, pose, &o, &mem, PAIRS, list, &count));
    o.cull = -1;
    ASSERT_EQ(DC_E_ARG, dc_manifold_pairs(BODIES, body, NULL, &o, &mem, PAIRS, list, &count));
    ASSERT_EQ(-7, count);
    ASSERT_EQ(DC_OK, dc_manifold_pairs(0, NULL, NULL, NULL, &mem, 0, NULL, &count));
    ASSERT_EQ(0, count);
    PASS();
}

/* What every contact must satisfy: activity in [0, 1], normals no longer than 1; vertex contacts of two figures far apart are
 * inactive, of two in the same place inside or on the surface. */
TEST contacts_are_sensible(void)
{
    dc_pose far_off;
    int k;
    memset(&far_off, 0, sizeof far_off);
    far_off.q.w = 1;
    far_off.t.x = 5;
    ASSERT_EQ(DC_OK, dc_manifold(&figure, NULL, &figure, &far_off, &options, &mem, contacts));
    for (k = 0; k < COUNT; ++k) {
        ASSERT(contacts[k].act >= 0 && contacts[k].act < DC_R(1e-9));
        ASSERT(dc_dot(contacts[k].n, contacts[k].n) <= 1 + 8*DC_EPS);
    }
    ASSERT_EQ(DC_OK, dc_manifold(&figure, NULL, &figure, NULL, &options, &mem, contacts));
    for (k = 0; k < COUNT; ++k) {
        ASSERT(contacts[k].act >= 0 && contacts[k].act <= 1);
        ASSERT(dc_dot(contacts[k].n, contacts[k].n) <= 1 + 8*DC_EPS);
        if (k < 2*FIGURE_VERTICES) ASSERT(dc_abs(contacts[k].d) < (DC_IS_FLOAT ? DC_R(1e-3) : DC_R(1e-5)));
    }
    PASS();
}

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    mem = dc_arena_make(memory, sizeof memory);
    figure.mesh = &mesh;
    figure.sdf = &field;
    field = figure_make(prims);
    options.keep_e_a = options.keep_e_b = KEEP;
    if (!figure_mesh(&mesh_memory, &mesh) || dc_manifold_count(&figure, &figure, &options, part) != COUNT) return 1;
    RUN_TEST(derivatives_of_random_pairs);
    RUN_TEST(second_derivatives_of_the_mean_distance);
    RUN_TEST(culling_loses_what_it_says);
    RUN_TEST(pairs_of_a_scene);
    RUN_TEST(contacts_are_sensible);
    GREATEST_MAIN_END();
}
