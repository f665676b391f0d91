/* The drop and stack grids of SILICO against the published tables and against independent recomputation, run by run. */
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"
#define DC_NCP_IMPLEMENTATION
#include "dc_ncp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "greatest.h"
#include "support.h"
#include "real.h"
#include "../bench/ncp_baselines.h"           /* the authors' formulation; reaches for dci_ functions */

static unsigned char shape_memory[1 << 14], memory[1 << 16];
static dc_arena mem;
static base authors;

/* one step in the formulation and by the iteration of the paper's code; as there a step that is not solved is taken all the same */
static dc_status authors_step(const dc_ncp_options *o, const dc_ncp_scene *scene, dc_ncp_body *next, int *iterations)
{
    const size_t used = mem.used;
    int ok = base_begin(&authors, BASE_NO_SLACKS, 1, o, scene, &mem) && base_solve(&authors);
    mem.used = used;
    base_write(&authors, next);
    *iterations = authors.steps + 1;
    return ok ? DC_OK : DC_E_DIVERGED;
}

static const int rate[6] = {10, 20, 30, 50, 70, 100};
static const double level[6] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10};

/* ---- the drop */

static dc_shape polygon, ground;
static double state[100][6];

static int read_drop(void)
{
    static const dc_real A[10] = {1, DC_R(0.2), 0, 1, -1, DC_R(-0.3), 0, -1, DC_R(0.8), DC_R(-0.8)};
    static const dc_real b[5] = {DC_R(0.4), DC_R(0.4), DC_R(0.4), DC_R(0.4), DC_R(0.4)};
    dc_arena shapes = dc_arena_make(shape_memory, sizeof shape_memory);
    table t;
    int i, run;
    mem = dc_arena_make(memory, sizeof memory);
    if (dc_shape_polytope(2, 5, A, b, &shapes, &polygon) != DC_OK || dc_shape_halfspace(2, dc_vec(0, 1, 0), 0, &shapes, &ground) != DC_OK) return 0;
    if (!table_open(&t, "ncp_drop_states.txt")) return 0;
    for (i = 0; i < 100; ++i)
        if (!table_int(&t, &run) || run != i + 1 || !table_reals(&t, state[i], 6)) return 0;
    table_close(&t);
    return 1;
}

typedef struct { double mean, end[6], depth, excess; int most, failed; } drop;     /* excess: depth over info.depth */

/* metres of the lowest vertex below the ground */
static double drop_depth(const dc_ncp_body *b)
{
    dc_m3 R = dc_rotation(b->pose.q);
    double low = 0;
    int i, j, k;
    for (i = 0; i < 5; ++i)
        for (j = i + 1; j < 5; ++j) {
            const dc_real *p = polygon.A + 2*i, *q = polygon.A + 2*j;
            double det = (double)(p[0]*q[1] - p[1]*q[0]), x, y;
            int inside = 1;
            if (fabs(det) < 1e-6) continue;
            x = (double)(polygon.b[i]*q[1] - polygon.b[j]*p[1])/det;
            y = (double)(p[0]*polygon.b[j] - q[0]*polygon.b[i])/det;
            for (k = 0; k < 5; ++k) inside &= (double)polygon.A[2*k]*x + (double)polygon.A[2*k + 1]*y < (double)polygon.b[k] + 1e-6;
            if (inside) low = fmax(low, -((double)b->pose.t.y + (double)R.m[3]*x + (double)R.m[4]*y));
        }
    return low;
}

/* paper: the authors' formulation */
static drop drop_run(const double *from, int hz, const dc_ncp_options *o, int warm, int paper)
{
    const dc_real tol = o && o->tol > 0 ? o->tol : (o && o->rho > 0 ? o->rho : DC_IS_FLOAT ? DC_R(1e-4) : DC_R(1e-6))/10;
    dc_real keep[64] = DC_ZERO;
    dc_ncp_body body;
    dc_ncp_contact touch;
    dc_ncp_scene scene;
    drop d;
    int k, steps = (3*hz)/2;
    memset(&body, 0, sizeof body);
    memset(&touch, 0, sizeof touch);
    memset(&scene, 0, sizeof scene);
    memset(&d, 0, sizeof d);
    body.pose.q = dc_quat_exp(dc_vec(0, 0, (dc_real)from[2]));
    body.pose.t = dc_vec((dc_real)from[0], (dc_real)from[1], 0);
    body.v = dc_vec((dc_real)from[3], (dc_real)from[4], 0);
    body.w = dc_vec(0, 0, (dc_real)from[5]);
    body.mass = 1;
    body.inertia.m[8] = DC_R(0.2);
    touch.body[1] = -1;
    touch.shape[0] = &polygon;
    touch.shape[1] = &ground;
    touch.mu = DC_R(0.2);
    touch.keep = warm ? keep : NULL;
    scene.dim = 2;
    scene.h = 1/(dc_real)hz;
    scene.gravity = dc_vec(0, DC_R(-9.81), 0);
    scene.bodies = scene.contacts = 1;
    scene.body = &body;
    scene.contact = &touch;
    for (k = 0; k < steps; ++k) {
        dc_ncp_info info = DC_ZERO;
        dc_status st = paper ? authors_step(o, &scene, &body, &info.iterations) : dc_ncp_step(o, &scene, &mem, &body, NULL, &info);
        if (st != DC_OK && st != DC_E_DIVERGED) d.failed = 2;
        if (st == DC_E_DIVERGED) d.failed = 1;
        if (st == DC_OK && !(info.residual <= tol && info.complementarity <= tol)) d.failed = 2;
        d.mean += info.iterations;
        if (info.iterations > d.most) d.most = info.iterations;
        d.depth = fmax(d.depth, drop_depth(&body));
        d.excess = fmax(d.excess, drop_depth(&body) - (double)info.depth);
    }
    d.mean /= steps;
    d.end[0] = (double)body.pose.t.x;
    d.end[1] = (double)body.pose.t.y;
    d.end[2] = (double)dc_quat_log(body.pose.q).z;
    d.end[3] = (double)body.v.x;
    d.end[4] = (double)body.v.y;
    d.end[5] = (double)body.w.z;
    return d;
}

static double end_error(const double *a, const double *b)
{
    double e = 0;
    int i;
    for (i = 0; i < 6; ++i) e = fmax(e, i == 2 ? fabs(sin((a[i] - b[i])/2))*2 : fabs(a[i] - b[i]));
    return e;
}

/* Every run: iterations as in the table, the end state as near as moving the start by one unit in the last place moves it.
 * Ten times the larger of two such moves, and ten times the solver's tolerance, by which a run may differ where it takes
 * one Newton step more in a time step, are the bar. */
TEST drop_runs(void)
{
    worst wm = worst_make("mean iterations, rho >= 1e-6"), wl = worst_make("mean iterations, rho < 1e-6"), we = worst_make("end state over its bar");
    table t;
    int runs = (int)sweep_count(3);
    if (DC_IS_FLOAT) SKIPm("the table is in double");
    ASSERT(read_drop());
    ASSERT(table_open(&t, "ncp_drop_runs.txt"));
    for (;;) {
        double row[12];
        int hz, run, steps, most, failed, i, k;
        double rho, mean, moved = 0, bar;
        char word[64];
        dc_ncp_options o = DC_ZERO;
        drop d;
        if (!table_word(&t, word)) break;
        hz = atoi(word);
        ASSERT(table_real(&t, &rho) && table_int(&t, &run) && table_int(&t, &steps) && table_real(&t, &mean) && table_int(&t, &most)
               && table_int(&t, &failed) && table_reals(&t, row, 9));
        if (run > runs) continue;
        o.rho = (dc_real)rho;
        d = drop_run(state[run - 1], hz, &o, 0, 1);
        for (k = 0; k < 2; ++k) {
            double from[6];
            for (i = 0; i < 6; ++i) from[i] = state[run - 1][i]*(1 + (k ? 1 : -1)*EPS);
            moved = fmax(moved, end_error(drop_run(from, hz, &o, 0, 1).end, d.end));
        }
        bar = 10*moved + rho;
        worst_add(rho >= 0.99e-6 ? &wm : &wl, fabs(d.mean - mean)*steps, "hz %d rho %g run %d: %.6f, table %.6f", hz, rho, run, d.mean, mean);
        worst_add(&we, end_error(d.end, row + 3)/bar, "hz %d rho %g run %d: %.3g, moved %.3g", hz, rho, run, end_error(d.end, row + 3), moved);
        ASSERT_EQ(failed, d.failed);
    }
    table_close(&t);
    ASSERT(worst_print(&wm, 0.01));         /* the same count, to the step */
    ASSERT(worst_print(&wl, 4));            /* near rounding, a few steps of 15 to 150 may differ by one */
    ASSERT(worst_print(&we, 1));
    PASS();
}

/* The default formulation, cold and warm: no failure, less than 2 rho below the ground, the same end; warm takes at most 0.6
 * of the iterations. */
TEST drop_default(void)
{
    worst wd = worst_make("depth over rho"), we = worst_make("warm end against cold, over rho"), wb = worst_make("depth over info.depth, over rho");
    double total[2] = {0, 0};
    int i, j, run, warm, runs = (int)sweep_count(3);
    ASSERT(read_drop());
    for (i = 0; i < 6; ++i)
        for (j = 0; j < (DC_IS_FLOAT ? 2 : 6); ++j)
            for (run = 0; run < runs; ++run) {
                dc_ncp_options o = DC_ZERO;
                drop d[2];
                o.rho = (dc_real)level[j];
                for (warm = 0; warm < 2; ++warm) {
                    d[warm] = drop_run(state[run], rate[i], &o, warm, 0);
                    ASSERT_EQ(0, d[warm].failed);
                    worst_add(&wd, d[warm].depth/level[j], "hz %d rho %g run %d", rate[i], level[j], run);
                    worst_add(&wb, d[warm].excess/level[j], "hz %d rho %g run %d", rate[i], level[j], run);
                    total[warm] += d[warm].mean*rate[i];
                }
                worst_add(&we, end_error(d[0].end, d[1].end)/level[j], "hz %d rho %g run %d", rate[i], level[j], run);
            }
    ASSERT(worst_print(&wd, 2));
    ASSERT(worst_print(&wb, 0.2));          /* tol is rho/10 */
    ASSERT(worst_print(&we, 800));          /* what single steps leave adds up: 272 at rho 1e-10, 1 above 1e-6 */
    printf("  iterations warm over cold %.3f\n", total[1]/total[0]);
    ASSERT(total[1] < 0.6*total[0]);
    PASS();
}

/* ---- the stack */

static int stack_run(int i, int hz, const dc_ncp_options *o, double *linear, double *angular)
{
    dc_arena shapes = dc_arena_make(shape_memory, sizeof shape_memory);
    dc_shape box, floor_;
    dc_ncp_body body[2];
    dc_ncp_contact touch[3];
    dc_ncp_scene scene;
    int k, iterations, failed = 0;
    mem = dc_arena_make(memory, sizeof memory);
    memset(body, 0, sizeof body);
    memset(touch, 0, sizeof touch);
    memset(&scene, 0, sizeof scene);
    if (dc_shape_box(2, dc_vec(DC_R(0.25), DC_R(0.25), 0), &shapes, &box) != DC_OK
        || dc_shape_halfspace(2, dc_vec(0, 1, 0), 0, &shapes, &floor_) != DC_OK) return -1;
    for (k = 0; k < 3; ++k) {
        touch[k].mu = DC_R(0.5);
        touch[k].shape[0] = &box;
        touch[k].shape[1] = k ? &floor_ : &box;
        touch[k].body[0] = k ? k - 1 : 0;
        touch[k].body[1] = k ? -1 : 1;
    }
    for (k = 0; k < 2; ++k) {
        body[k].pose.q.w = body[k].mass = 1;
        body[k].inertia.m[8] = DC_R(0.2);
    }
    body[0].pose.t = dc_vec(DC_R(0.02)*(dc_real)i, DC_R(0.25), 0);
    body[1].pose.t = dc_vec(0, DC_R(0.75), 0);
    scene.dim = 2;
    scene.h = 1/(dc_real)hz;
    scene.gravity = dc_vec(0, DC_R(-9.81), 0);
    scene.bodies = 2;
    scene.contacts = 3;
    scene.body = body;
    scene.contact = touch;
    *linear = *angular = 0;
    for (k = 0; k < hz; ++k) {
        *linear += fabs((double)(body[0].v.x + body[1].v.x)) + fabs((double)(body[0].v.y + body[1].v.y));
        *angular += 0.2*fabs((double)(body[0].w.z + body[1].w.z));
        failed += authors_step(o, &scene, body, &iterations) != DC_OK;
    }
    *linear /= 2*hz;
    *angular /= hz;
    return failed;
}

TEST stack_table(void)
{
    static double published[5][6][6];
    worst wl = worst_make("linear momentum"), wa = worst_make("angular momentum");
    char word[64];
    table t;
    int i, j, k, r;
    if (DC_IS_FLOAT) SKIPm("the table is in double");
    ASSERT(table_open(&t, "ncp_published.txt"));
    for (k = 0; k < 5; ++k) {
        ASSERT(table_word(&t, word));
        for (i = 0; i < 6; ++i) ASSERT(table_int(&t, &r) && r == rate[i] && table_reals(&t, published[k][i], 6));
    }
    table_close(&t);
    for (i = 0; i < (sweep_count(6) < 6 ? 1 : 6); ++i)
        for (j = 0; j < 6; ++j) {
            double linear = 0, angular = 0;
            dc_ncp_options o = DC_ZERO;
            o.rho = (dc_real)level[j];
            for (r = 1; r <= 10; ++r) {
                double l, a;
                ASSERT_EQ(0, stack_run(r, rate[i], &o, &l, &a));
                linear += l/10;
                angular += a/10;
            }
            worst_add(&wl, fabs(linear/published[3][i][j] - 1), "hz %d rho %g", rate[i], level[j]);
            worst_add(&wa, fabs(angular/published[4][i][j] - 1), "hz %d rho %g", rate[i], level[j]);
        }
    ASSERT(worst_print(&wl, 1e-5));
    ASSERT(worst_print(&wa, 1e-10));
    PASS();
}

SUITE(grids)
{
    RUN_TEST(drop_runs);
    RUN_TEST(drop_default);
    RUN_TEST(stack_table);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(grids);
    GREATEST_MAIN_END();
}
