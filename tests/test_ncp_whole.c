/* dc_ncp_step against the whole of (20) as one dense system, which shares its start alone; the rank of that system. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_NCP_IMPLEMENTATION
#include "dc_ncp.h"

#include <math.h>
#include <string.h>

#include "greatest.h"
#include "support.h"
#include "real.h"
#include "../bench/ncp_baselines.h"         /* reaches for dci_ functions */

#define R(x) ((dc_real)(x))

static unsigned char shape_memory[1 << 12], memory[1 << 17];
static base whole;

/* A box on the floor: Appendix C's at rest, side 2; or tilted and moving. */
typedef struct { dc_shape box, ground; dc_ncp_body body; dc_ncp_contact contact; dc_ncp_scene scene; dc_ncp_options opt; } world;

static void make(world *w, double x, double tilt, double v, double rho)
{
    dc_arena mem = dc_arena_make(shape_memory, sizeof shape_memory);
    memset(w, 0, sizeof *w);
    dc_shape_box(2, dc_vec(1, 1, 0), &mem, &w->box);
    dc_shape_halfspace(2, dc_vec(0, 1, 0), 0, &mem, &w->ground);
    w->body.pose.q = dc_quat_exp(dc_vec(0, 0, R(tilt)));
    w->body.pose.t = dc_vec(R(x), R(1 + fabs(tilt)), 0);
    w->body.v.x = R(v);
    w->body.mass = w->body.inertia.m[8] = 1;
    w->contact.body[1] = -1;
    w->contact.shape[0] = &w->box;
    w->contact.shape[1] = &w->ground;
    w->contact.mu = R(0.2);
    w->scene.dim = 2;
    w->scene.h = R(0.1);
    w->scene.gravity.y = R(-9.81);
    w->scene.bodies = w->scene.contacts = 1;
    w->scene.body = &w->body;
    w->scene.contact = &w->contact;
    w->opt.rho = R(rho);
}

TEST the_same_step(void)
{
    worst w = worst_make("velocities");
    long k, n = sweep_count(60), compared = 0;
    rng r;
    rng_seed(&r, 12);
    for (k = 0; k < n; ++k) {
        double x = rng_uniform(&r, -1, 1), tilt = rng_uniform(&r, -0.4, 0.4), v = rng_uniform(&r, -2, 2);
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        dc_ncp_body next, also;
        dc_ncp_info info;
        world s;
        make(&s, x, tilt, v, DC_IS_FLOAT ? 1e-3 : 1e-5);
        ASSERT_EQ(DC_OK, dc_ncp_step(&s.opt, &s.scene, &mem, &next, NULL, &info));
        if (!base_begin(&whole, BASE_WHOLE, 0, &s.opt, &s.scene, &mem) || !base_solve(&whole)) continue;    /* the start stalled: no other here */
        ++compared;
        base_write(&whole, &also);
        worst_add(&w, fabs((double)(also.v.x - next.v.x)), "x, box %ld", k);
        worst_add(&w, fabs((double)(also.v.y - next.v.y)), "y, box %ld", k);
        worst_add(&w, fabs((double)(also.w.z - next.w.z)), "turn, box %ld", k);
    }
    printf("  %ld of %ld steps compared\n", compared, n);
    ASSERT(10*compared >= 9*n);
    ASSERT(worst_print(&w, DC_IS_FLOAT ? 1e-4 : 1e-9));
    PASS();
}

/* least pivot over the largest, rows and columns scaled to 1 */
static double pivots(int n, dc_real *J)
{
    double least = HUGE_VAL, most = 0;
    int i, j, pass;
    for (pass = 0; pass < 4; ++pass)
        for (i = 0; i < n; ++i) {
            dc_real *at = pass%2 ? J + i : J + i*n, big = 0;
            int step = pass%2 ? n : 1;
            for (j = 0; j < n; ++j) big = dc_max(big, dc_abs(at[j*step]));
            for (j = 0; j < n && big > 0; ++j) at[j*step] /= big;
        }
    if (dc_lu_factor(n, J, n, whole.piv, NULL) != DC_OK) return 0;
    for (i = 0; i < n; ++i) {
        least = fmin(least, fabs((double)J[i*n + i]));
        most = fmax(most, fabs((double)J[i*n + i]));
    }
    return least/most;
}

/* The Jacobian where it was evaluated, of the system without friction: psi and beta, which are not unique at rest, are held. */
static void frictionless(void)
{
    int n = whole.n, i, j, k;
    base_jacobian(&whole);
    for (k = 1; k < 4; ++k)
        for (i = whole.nx + whole.c[0].z + k; i < n; i += whole.nz)
            for (j = 0; j < n; ++j) whole.J[i*n + j] = whole.J[j*n + i] = DC_R(i == j);
}

/* Appendix C: at rest every contact point under the box supports it, and alpha does not see the velocity; that the angular
 * momentum depends on the contact point makes the solution one, and the Jacobian of full rank. */
TEST full_rank_at_rest(void)
{
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    world w;
    dc_real eq, cp;
    double coupled, alone;
    int k;
    if (DC_IS_FLOAT) SKIPm("rho 1e-8 needs double");
    make(&w, 0, 0, 0, 1e-8);
    ASSERT(base_begin(&whole, BASE_WHOLE, 1, &w.opt, &w.scene, &mem));
    ASSERT(base_solve(&whole));
    ASSERT(base_eval(&whole, whole.x, whole.z, whole.s, &eq, &cp));
    frictionless();
    coupled = pivots(whole.n, whole.J);
    frictionless();
    for (k = 0; k < 2; ++k) whole.J[2*whole.n + whole.c[0].x + k] = 0;
    alone = pivots(whole.n, whole.J);
    printf("  %d unknowns, least pivot %.2g, with the contact point out of the angular momentum %.2g\n", whole.n, coupled, alone);
    ASSERT(coupled > 1e-3);
    ASSERT(alone < 1e-6);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(the_same_step);
    RUN_TEST(full_rank_at_rest);
    GREATEST_MAIN_END();
}
