/* The design space of dc_sim.h: designs and gradients through the affine map, rows against differences, projections
 * against Dykstra's, starts that overlap, contradictions, wrong arguments. */
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
#include "machine.h"

enum { MOST = 256, ROWS = 4096, ENTRIES = 1 << 17 };

static unsigned char scratch[1 << 22], room[1 << 23];
static machine m;
static dc_design D;
static dc_design_rows R;

static double diff(dc_v3 a, dc_v3 b) { dc_v3 e = dc_sub(a, b); return sqrt((double)dc_dot(e, e)); }

/* ---- a robot: an arm of two hinges whose tip rubs on the floor, and a foot that is a copy of the tip ------------- */

enum { ARM = 1, TIP = 2, FOOT = 3, OWN = 3 };       /* own variables: length of the arm, mass of the tip, friction */

static unsigned char vertex_mark[MACHINE_VERTICES], attach_mark[MACHINE_LINKS];
static dc_design_copy copies[1];
static dc_design_stretch stretches[1];
static dc_design_term terms[4];

static void robot(void)
{
    dc_sim_link *l;
    int k;
    machine_open(&m);
    l = machine_link(&m, -1, DC_SIM_SLIDE, dc_vec(0, 0, DC_R(0.5)));
    l->mass = 1;
    l->kp = 200;
    l->kd = 10;
    machine_box(&m, dc_vec(0, 0, 0), dc_vec(DC_R(0.1), DC_R(0.1), DC_R(0.05)));
    l = machine_link(&m, 0, DC_SIM_HINGE, dc_vec(DC_R(0.1), 0, 0));
    l->axis = dc_vec(0, 1, 0);
    l->density = 300;
    l->kp = 20;
    l->kd = 2;
    machine_box(&m, dc_vec(DC_R(0.15), 0, 0), dc_vec(DC_R(0.15), DC_R(0.03), DC_R(0.04)));
    l = machine_link(&m, ARM, DC_SIM_HINGE, dc_vec(DC_R(0.3), DC_R(0.03), DC_R(0.04)));
    l->attach.q = dc_quat_exp(dc_vec(DC_R(0.1), DC_R(0.2), DC_R(-0.1)));
    l->axis = dc_vec(0, 1, DC_R(0.2));
    l->mass = DC_R(0.4);
    l->kp = 5;
    l->kd = DC_R(0.3);
    machine_box(&m, dc_vec(0, 0, DC_R(-0.25)), dc_vec(DC_R(0.03), DC_R(0.04), DC_R(0.24)));
    machine_box(&m, dc_vec(0, 0, DC_R(-0.45)), dc_vec(DC_R(0.06), DC_R(0.08), DC_R(0.04)));
    l = machine_link(&m, 0, DC_SIM_HINGE, dc_vec(DC_R(-0.1), 0, 0));
    l->axis = dc_vec(0, 1, 0);
    l->model = DC_SIM_LUMPED;
    l->mass = DC_R(0.5);
    l->kp = 5;
    l->kd = DC_R(0.3);
    machine_box(&m, dc_vec(0, 0, DC_R(-0.25)), dc_vec(DC_R(0.03), DC_R(0.04), DC_R(0.24)));
    machine_box(&m, dc_vec(DC_R(-0.02), 0, DC_R(-0.45)), dc_vec(DC_R(0.06), DC_R(0.08), DC_R(0.04)));
    machine_floor(&m, 0.8);

    /* the corner of the arm that the tip hangs on, and that corner's double at the box of the tip: a shared point */
    memset(vertex_mark, 0, sizeof vertex_mark);
    memset(attach_mark, 0, sizeof attach_mark);
    for (k = 8; k < 16; ++k) vertex_mark[k] = k == 15 ? DC_DESIGN_SHARED : DC_DESIGN_FREE;
    for (k = 16; k < 32; ++k) vertex_mark[k] = DC_DESIGN_FREE;
    m.vertex[24] = m.vertex[16];
    vertex_mark[16] = vertex_mark[24] = DC_DESIGN_SHARED;
    m.vertex[40] = m.vertex[32];
    attach_mark[TIP] = DC_DESIGN_MOVES | DC_DESIGN_TURNS;
    attach_mark[ARM] = DC_DESIGN_MOVES;
    copies[0].from = TIP;
    copies[0].to = FOOT;
    memset(&copies[0].map, 0, sizeof copies[0].map);
    copies[0].map.m[0] = -1;
    copies[0].map.m[4] = 1;
    copies[0].map.m[8] = 1;
    stretches[0].link = ARM;
    stretches[0].axis = dc_vec(2, 0, 0);
    stretches[0].variable = 0;
    terms[0].kind = DC_DESIGN_MASS;
    terms[0].index = TIP;
    terms[0].variable = 1;
    terms[0].weight = DC_R(0.5);
    terms[1].kind = DC_DESIGN_FRICTION;
    terms[1].index = TIP;
    terms[1].variable = 2;
    terms[1].weight = 1;
    terms[2].kind = DC_DESIGN_FRICTION;
    terms[2].index = 4;
    terms[2].variable = 2;
    terms[2].weight = DC_R(0.1);
}

static dc_design_desc describe(void)
{
    dc_design_desc desc = DC_ZERO;
    desc.vertex = vertex_mark;
    desc.attach = attach_mark;
    desc.copy = copies;
    desc.copies = 1;
    desc.stretch = stretches;
    desc.stretches = 1;
    desc.term = terms;
    desc.terms = 3;
    desc.variables = OWN;
    return desc;
}

/* the robot with its design space in `room`, what is left of it for rows */
static dc_status robot_design(dc_arena *left)
{
    const dc_design_desc desc = describe();
    dc_arena mem = dc_arena_make(room, sizeof room);
    dc_status status = machine_build(&m);
    if (status == DC_OK) status = dc_design_build(&desc, &m.sim, &mem, &D, NULL);
    if (status == DC_OK) status = dc_design_rows_open(ROWS, ENTRIES, &mem, &R);
    if (left) *left = mem;
    return status;
}

static dc_status apply(const dc_real *d, dc_sim_flaw *flaw) { return dc_design_apply(&D, d, &m.sim, flaw); }

TEST a_design_moves_what_it_says_and_nothing_else(void)
{
    static dc_real d[MOST];
    const dc_v3 *x = m.vertex;
    const dc_sim_link *l;
    dc_sim_flaw flaw;
    int k;

    robot();
    ASSERT_EQ(DC_OK, robot_design(NULL));
    /* own, 8 of the arm, 15 of the tip, the place of the arm and the turn of the tip, whose place is a vertex of the arm */
    ASSERT_EQ(OWN + 3*8 + 3*15 + 3 + 3, D.n);
    ASSERT_EQ(D.point[15], D.place[TIP]);
    ASSERT_EQ(D.point[16], D.point[24]);
    ASSERT_EQ(-1, D.point[3]);
    l = m.sim.link;

    /* a shared point moves in both hulls of the tip, and mirrored in the foot's */
    d[D.point[16]] = DC_R(0.01);
    d[D.point[16] + 2] = DC_R(-0.02);
    ASSERT_EQ(DC_OK, apply(d, &flaw));
    for (k = 0; k < 48; ++k) {
        const dc_v3 move = k == 16 || k == 24 ? dc_vec(DC_R(0.01), 0, DC_R(-0.02))
                         : k == 32 || k == 40 ? dc_vec(DC_R(-0.01), 0, DC_R(-0.02)) : dc_vec(0, 0, 0);
        ASSERT(diff(m.sim.vertex[k], dc_add(x[k], move)) <= 2*EPS);
    }

    /* the arm grows by a tenth: its vertices, and what hangs on it */
    memset(d, 0, sizeof d);
    d[0] = DC_R(0.1);
    ASSERT_EQ(DC_OK, apply(d, &flaw));
    for (k = 8; k < 16; ++k)
        ASSERT(diff(m.sim.vertex[k], dc_vec(DC_R(1.1)*x[k].x, x[k].y, x[k].z)) <= 4*EPS);
    ASSERT(diff(l[TIP].attach.t, dc_vec(DC_R(0.33), DC_R(0.03), DC_R(0.04))) <= 4*EPS);
    ASSERT(diff(m.sim.vertex[16], x[16]) == 0);

    /* the welded corner takes the tip along; a turn, mass and friction */
    memset(d, 0, sizeof d);
    d[D.place[TIP] + 1] = DC_R(0.03);
    d[D.turned[TIP] + 2] = DC_R(0.4);
    d[1] = DC_R(0.2);
    d[2] = DC_R(0.3);
    ASSERT_EQ(DC_OK, apply(d, &flaw));
    ASSERT(diff(l[TIP].attach.t, m.sim.vertex[15]) <= 2*EPS);
    ASSERT(fabs((double)l[TIP].attach.t.y - 0.06) <= 4*EPS);
    {
        const dc_quat turned = dc_quat_mul(dc_quat_exp(dc_vec(0, 0, DC_R(0.4))), m.link[TIP].attach.q);
        ASSERT(fabs((double)(turned.w*l[TIP].attach.q.w + turned.x*l[TIP].attach.q.x + turned.y*l[TIP].attach.q.y
                             + turned.z*l[TIP].attach.q.z) - 1) <= 8*EPS);
    }
    ASSERT(fabs((double)m.sim.moment[16*TIP + 15] - 0.5) <= 8*EPS);
    ASSERT(fabs((double)l[TIP].friction - 1) <= 4*EPS);
    ASSERT(fabs((double)m.sim.plane[0].friction - 0.83) <= 4*EPS);

    /* and back: the model as it was, to the bit */
    memset(d, 0, sizeof d);
    ASSERT_EQ(DC_OK, apply(d, &flaw));
    ASSERT(memcmp(m.sim.vertex, m.vertex, 48*sizeof(dc_v3)) == 0);
    ASSERT(l[TIP].mass == m.link[TIP].mass && l[TIP].attach.t.x == m.link[TIP].attach.t.x);
    PASS();
}

/* Legs that hang on both sides of a body, one the mirror image of the other: each goes with its side where the body is
 * stretched, once. */
TEST a_copy_beside_its_like_is_stretched_once(void)
{
    static const dc_real d[1] = {DC_R(0.5)};
    dc_design_desc desc = DC_ZERO;
    dc_design_stretch stretch = DC_ZERO;
    dc_design_copy copy = DC_ZERO;
    dc_arena mem = dc_arena_make(room, sizeof room);
    int side;

    machine_open(&m);
    machine_link(&m, -1, DC_SIM_FREE, dc_vec(0, 0, 0))->mass = 1;
    machine_box(&m, dc_vec(0, 0, 0), dc_vec(DC_R(0.1), DC_R(0.2), DC_R(0.1)));
    for (side = 1; side >= -1; side -= 2) {
        machine_link(&m, 0, DC_SIM_HINGE, dc_vec(0, DC_R(0.2)*(dc_real)side, 0))->mass = 1;
        machine_box(&m, dc_vec(0, DC_R(0.1)*(dc_real)side, 0), dc_vec(DC_R(0.05), DC_R(0.05), DC_R(0.05)));
    }
    ASSERT_EQ(DC_OK, machine_build(&m));
    copy.from = 1;
    copy.to = 2;
    copy.map.m[0] = copy.map.m[8] = 1;
    copy.map.m[4] = -1;
    stretch.axis.y = 1;
    desc.copy = &copy;
    desc.stretch = &stretch;
    desc.copies = desc.stretches = desc.variables = 1;
    ASSERT_EQ(DC_OK, dc_design_build(&desc, &m.sim, &mem, &D, NULL));
    ASSERT_EQ(DC_OK, apply(d, NULL));
    ASSERT(fabs((double)m.sim.link[1].attach.t.y - 0.3) <= 4*EPS);
    ASSERT(fabs((double)m.sim.link[2].attach.t.y + 0.3) <= 4*EPS);
    PASS();
}

/* ---- gradients ------------------------------------------------------------------------------------------------- */

enum { H = 12, NQ = 4 };
static dc_real states[(H + 2)*NQ], by_state[H*NQ], columns[8*MOST];

/* twelve steps of the design d, the foot and the tip on the floor; the loss is the sum of squares of the last state */
static void travel(const double *d, double *loss, void *user)
{
    dc_real as[MOST];
    dc_sim_run run = DC_ZERO;
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    int k;
    (void)user;
    for (k = 0; k < D.n; ++k) as[k] = (dc_real)d[k];
    *loss = HUGE_VAL;
    if (apply(as, NULL) != DC_OK) return;
    for (k = 0; k < 2*NQ; ++k) states[k] = 0;
    states[0] = states[NQ] = DC_R(0.006);
    states[2] = states[NQ + 2] = DC_R(-0.2);
    states[1] = DC_R(0.005);
    run.steps = H;
    run.q = states;
    if (dc_sim_roll(&m.sim, &run, states, &mem, NULL) != DC_OK) return;
    for (*loss = 0, k = 0; k < NQ; ++k) *loss += (double)(states[(H + 1)*NQ + k]*states[(H + 1)*NQ + k]);
}

TEST gradients_by_the_design_are_those_of_the_trajectory(void)
{
    static double at[MOST], grad[MOST];
    static dc_real d[MOST], g[MOST];
    dc_sim_run run = DC_ZERO;
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    static const double products[4] = {0.392736946603, 0.0546789712177, -0.272000798601, -0.216750220673};
    const double largest = 0.148021105;
    worst e = worst_make("gradient against that in double");
    double loss;
    fd_result fd;
    rng r;
    int k, c;

    robot();
    m.desc.tolerance = (dc_real)rounded(1e-13, 1e-5);
    m.desc.length = DC_R(0.3);
    m.desc.stiffness = DC_R(0.05);
    m.desc.friction.eps_v = DC_R(1e-3);
    ASSERT_EQ(DC_OK, robot_design(NULL));
    rng_seed(&r, 5);
    for (k = 0; k < D.n; ++k) d[k] = (dc_real)(at[k] = rng_uniform(&r, -0.004, 0.004));
    d[D.turned[TIP]] = (dc_real)(at[D.turned[TIP]] = 0.03);
    travel(at, &loss, NULL);
    ASSERT(loss < 1 && loss > 1e-6);
    for (k = 0; k < NQ; ++k) by_state[(H - 1)*NQ + k] = 2*states[(H + 1)*NQ + k];
    run.steps = H;
    run.q = states;
    run.loss = by_state;
    run.attach = columns;
    run.mass = run.attach + 6*m.sim.links;
    run.friction = run.mass + m.sim.links;
    run.vertex = run.friction + m.sim.links + 1;
    ASSERT_EQ(DC_OK, dc_sim_adjoint(&m.sim, &run, &mem));
    memset(g, 0, sizeof g);
    ASSERT_EQ(DC_OK, dc_design_pull(&D, d, &run, g));
    for (k = 0; k < D.n; ++k) grad[k] = (double)g[k];
    ASSERT(fabs(grad[0]) > 1e-4 && grad[1] != 0 && grad[2] != 0 && grad[D.turned[TIP] + 1] != 0);
    fd = fd_check(travel, NULL, D.n, at, 1, grad, rounded(1e-3, 1e-2));
    printf("  gradient of %d steps by %d variables: %.1e of the largest, order %.1f\n", H, D.n, fd.err, fd.order);
    ASSERT(!fd.bit_equal);
    ASSERT(DC_IS_FLOAT || fd.err < 1e-6);

    /* Differences of float trajectories have 1e-3 to 9e-2 of noise, by luck: there the gradient is compared with that in
     * double, which differences confirm to 4e-10, by its products with four vectors. */
    for (c = 0; c < 4; ++c) {
        double product = 0;
        for (k = 0; k < D.n; ++k) product += grad[k]*cos((double)(k*(c + 1)));
        worst_add(&e, fabs(product - products[c])/largest, "product %d", c);
    }
    ASSERT(worst_print(&e, rounded(1e-7, 1e-3)));
    PASS();
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

/* the `least` of all rows at design d, in the order they are made in */
static int leasts(const dc_real *d, dc_real *out, int solid)
{
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    dc_real q[NQ] = {0};
    int k;
    q[2] = DC_R(-0.2);
    R.rows = R.entries = 0;
    if (apply(d, NULL) != DC_OK) return -1;
    if (solid && dc_design_solid(&D, &m.sim, DC_R(0.001), &mem, &R) != DC_OK) return -1;
    if (!solid && dc_design_clear(&D, &m.sim, q, DC_R(0.02), 10, &mem, &R, NULL, NULL) != DC_OK) return -1;
    for (k = 0; k < R.rows; ++k) out[k] = R.least[k];
    return R.rows;
}

TEST rows_are_the_slopes_of_what_they_keep(void)
{
    static dc_real d[MOST], e[MOST], here[ROWS], up[ROWS], down[ROWS], slope[ROWS];
    const double h = rounded(1e-5, 1e-3);
    worst off = worst_make("slope of a row, per length");
    rng r;
    int solid, trial, k, j, n;

    robot();
    ASSERT_EQ(DC_OK, robot_design(NULL));
    rng_seed(&r, 7);
    for (solid = 0; solid < 2; ++solid)
        for (trial = 0; trial < 6; ++trial) {
            int planes = 0;
            for (k = 0; k < D.n; ++k) {
                d[k] = (dc_real)rng_uniform(&r, -0.005, 0.005);
                e[k] = (dc_real)rng_uniform(&r, -1, 1);
            }
            d[D.turned[TIP]] = DC_R(0.5);
            n = leasts(d, here, solid);
            ASSERT(n > 50);
            for (j = 0; j < n; ++j) {
                for (slope[j] = 0, k = R.begin[j]; k < R.begin[j + 1]; ++k) slope[j] += R.weight[k]*e[R.variable[k]];
                planes += R.name[j].cause == DC_DESIGN_PLANE;
                if (R.name[j].cause == DC_DESIGN_PAIR) slope[j] = (dc_real)HUGE_VAL;    /* its plane moves along */
            }
            ASSERT(solid || planes == 40);
            for (k = 0; k < D.n; ++k) d[k] += (dc_real)h*e[k];
            ASSERT_EQ(n, leasts(d, up, solid));
            for (k = 0; k < D.n; ++k) d[k] -= 2*(dc_real)h*e[k];
            ASSERT_EQ(n, leasts(d, down, solid));
            for (j = 0; j < n; ++j)
                if (slope[j] < (dc_real)HUGE_VAL)
                    worst_add(&off, fabs((double)(down[j] - up[j])/(2*h) - (double)slope[j]), "row %d of %d, solid %d", j, n, solid);
        }
    ASSERT(worst_print(&off, rounded(1e-6, 2e-2)));
    PASS();
}

/* ---- the step ---------------------------------------------------------------------------------------------------- */

static dc_real bounds[2*MOST], zero[MOST];
static int row_begin[65], row_variable[2048];
static dc_real row_weight[2048], row_least[64];
static dc_design_name row_name[64];

/* a design of n variables and rows that are all at random; kind 1: 0 is not allowed */
static void problem(rng *r, int n, int rows, int kind)
{
    int k, j, e = 0;
    memset(&D, 0, sizeof D);
    memset(&R, 0, sizeof R);
    D.n = n;
    D.lo = bounds;
    D.hi = bounds + MOST;
    for (k = 0; k < n; ++k) {
        D.lo[k] = rng_int(r, 0, 3) ? -(dc_real)rng_uniform(r, 0, 1) : (dc_real)-HUGE_VAL;
        D.hi[k] = rng_int(r, 0, 3) ? (dc_real)rng_uniform(r, 0, 1) : (dc_real)HUGE_VAL;
    }
    for (j = 0; j < rows; ++j) {
        row_begin[j] = e;
        for (k = 0; k < n; ++k)
            if (rng_int(r, 0, 2) == 0) {
                row_variable[e] = k;
                row_weight[e++] = (dc_real)rng_normal(r);
            }
        row_least[j] = (dc_real)(kind ? rng_uniform(r, -0.5, 0.3) : -rng_uniform(r, 0, 0.5)*rng_int(r, 0, 2));
    }
    row_begin[rows] = e;
    R.rows = R.most_rows = rows;
    R.entries = e;
    R.most_entries = 2048;
    R.begin = row_begin;
    R.variable = row_variable;
    R.weight = row_weight;
    R.least = row_least;
    R.name = row_name;
}

/* by how much x misses the box, the rows and the ball */
static double missed(const double *x, double radius)
{
    double most = 0, len = 0;
    int k, j;
    for (k = 0; k < D.n; ++k) {
        most = fmax(most, fmax((double)D.lo[k] - x[k], x[k] - (double)D.hi[k]));
        len += x[k]*x[k];
    }
    if (radius > 0) most = fmax(most, sqrt(len) - radius);
    for (j = 0; j < R.rows; ++j) {
        double g = (double)R.least[j], a2 = 0;
        for (k = R.begin[j]; k < R.begin[j + 1]; ++k) {
            g -= (double)R.weight[k]*x[R.variable[k]];
            a2 += (double)R.weight[k]*(double)R.weight[k];
        }
        most = fmax(most, a2 > 0 ? g/sqrt(a2) : g);
    }
    return most;
}

/* Dykstra's projection of y onto the same: rows, box and ball in turn. */
static void dykstra(const double *y, double radius, int sweeps, double *x)
{
    static double kept[66][MOST];
    const int n = D.n, sets = R.rows + 2;
    double z[MOST];
    int s, j, k;
    memset(kept, 0, sizeof kept);
    memcpy(x, y, (size_t)n*sizeof *x);
    for (s = 0; s < sweeps; ++s)
        for (j = 0; j < sets; ++j) {
            double g = 0, a2 = 0, len = 0;
            for (k = 0; k < n; ++k) z[k] = x[k] + kept[j][k];
            memcpy(x, z, (size_t)n*sizeof *x);
            if (j < R.rows) {
                for (g = -(double)R.least[j], k = R.begin[j]; k < R.begin[j + 1]; ++k) {
                    g += (double)R.weight[k]*z[R.variable[k]];
                    a2 += (double)R.weight[k]*(double)R.weight[k];
                }
                for (k = R.begin[j]; k < R.begin[j + 1] && g < 0; ++k) x[R.variable[k]] -= g/a2*(double)R.weight[k];
            } else if (j == R.rows) for (k = 0; k < n; ++k) x[k] = fmax((double)D.lo[k], fmin((double)D.hi[k], z[k]));
            else if (radius > 0) {
                for (k = 0; k < n; ++k) len += z[k]*z[k];
                for (k = 0; k < n && len > radius*radius; ++k) x[k] = z[k]*radius/sqrt(len);
            }
            for (k = 0; k < n; ++k) kept[j][k] = z[k] - x[k];
        }
}

TEST a_step_is_the_nearest_one_allowed(void)
{
    worst off = worst_make("farther than Dykstra's by"), miss = worst_make("box, rows, radius missed by");
    long trial, none = 0, slow = 0, held = 0, balls = 0;
    rng r;
    rng_seed(&r, 11);
    for (trial = 0; trial < sweep_count(400); ++trial) {
        const int n = rng_int(&r, 1, 12), rows = rng_int(&r, 0, 10), kind = rng_int(&r, 0, 1);
        const double radius = rng_int(&r, 0, 1) ? rng_uniform(&r, 0.05, 1) : 0, far = rng_log(&r, 0.1, 30);
        double y[MOST], x[MOST], ours = 0, theirs = 0, y2 = 0, len = 0;
        dc_real step[MOST], keep[MOST];
        dc_arena mem = dc_arena_make(scratch, sizeof scratch);
        dc_design_info info;
        dc_status status;
        int k;
        problem(&r, n, rows, kind);
        for (k = 0; k < n; ++k) keep[k] = step[k] = (dc_real)(y[k] = (double)(dc_real)(far*rng_normal(&r)));
        status = dc_design_project(&D, &R, zero, (dc_real)radius, &mem, step, &info);
        ASSERT(mem.used == 0);
        ASSERT(kind || status == DC_OK);
        dykstra(y, radius, 4000, x);
        if (status == DC_E_SINGULAR) {              /* Dykstra finds nothing either, and a row is named */
            ++none;
            ASSERT(missed(x, radius) > rounded(1e-9, 1e-6));
            ASSERT(memcmp(step, keep, sizeof *step*(size_t)n) == 0);
            ASSERT(info.row >= -1 && info.row < rows);
            continue;
        }
        if (status != DC_OK) {                      /* only without a radius or bounds a contradiction is no certainty */
            ++slow;
            ASSERT(radius == 0 && missed(x, radius) > 1e-6 && info.row >= 0);
            continue;
        }
        for (k = 0; k < n; ++k) {
            ours += ((double)step[k] - y[k])*((double)step[k] - y[k]);
            theirs += (x[k] - y[k])*(x[k] - y[k]);
            y2 = fmax(y2, fabs(y[k]));
            len += (double)step[k]*(double)step[k];
            y[k] = (double)step[k];
        }
        held += info.held > 0;
        balls += radius > 0 && sqrt(len) > 0.999*radius;
        worst_add(&miss, missed(y, radius)/fmax(1, radius > 0 ? 0 : y2), "trial %ld n %d rows %d radius %g far %g", trial, n, rows, radius, far);
        if (missed(x, radius) < 1e-9) worst_add(&off, fmax(0, ours - theirs)/fmax(1, theirs), "trial %ld n %d rows %d radius %g far %g", trial, n, rows, radius, far);
    }
    printf("  none allowed %ld, unbounded contradictions %ld, held by rows %ld, by the radius %ld\n", none, slow, held, balls);
    /* a short sweep may miss a kind */
    ASSERT(sweep_short() || (held > 20*sweep_count(400)/400 && balls > 20*sweep_count(400)/400 && none > 0));
    ASSERT(worst_print(&miss, rounded(1e-11, 1e-4)));
    ASSERT(worst_print(&off, rounded(1e-8, 1e-3)));
    PASS();
}

TEST contradictions_name_a_row(void)
{
    static const struct { double least[2], weight[2], hi, radius; int held; } bad[] = {
        {{0.2, -0.1}, {1, -1}, 1, 0.5, 1},          /* x >= 0.2 and x <= 0.1 */
        {{0.3, -1}, {1, -1}, 0.2, 0.5, 0},          /* x >= 0.3, the box ends at 0.2 */
        {{0.3, -1}, {1, -1}, 1, 0.1, 0},            /* the radius does */
        {{0.3, -1}, {1e-3, -1}, 1, 0, 0},           /* a short row asks for 300 */
    };
    rng r;
    int k;
    rng_seed(&r, 3);
    for (k = 0; k < 4; ++k) {
        dc_arena mem = dc_arena_make(scratch, sizeof scratch);
        dc_design_info info;
        dc_real step[2] = {DC_R(0.7), DC_R(-0.3)};
        problem(&r, 2, 2, 0);
        row_begin[0] = 0;
        row_begin[1] = 1;
        row_begin[2] = R.entries = 2;
        row_variable[0] = row_variable[1] = 1;
        row_weight[0] = (dc_real)bad[k].weight[0];
        row_weight[1] = (dc_real)bad[k].weight[1];
        row_least[0] = (dc_real)bad[k].least[0];
        row_least[1] = (dc_real)bad[k].least[1];
        D.lo[0] = D.lo[1] = -1;
        D.hi[0] = D.hi[1] = (dc_real)bad[k].hi;
        row_name[0].hull = 17;
        ASSERT_EQ(DC_E_SINGULAR, dc_design_project(&D, &R, zero, (dc_real)bad[k].radius, &mem, step, &info));
        ASSERT(info.row == 0 || (bad[k].held && info.row == 1));
        ASSERT(step[0] == DC_R(0.7) && step[1] == DC_R(-0.3));
    }
    PASS();
}

/* ---- designs that are no models ---------------------------------------------------------------------------------- */

TEST hulls_that_are_flat_or_inside_out_are_named(void)
{
    static dc_real d[MOST];
    dc_sim_flaw flaw;
    int k, way;
    for (way = 0; way < 3; ++way) {
        robot();
        ASSERT_EQ(DC_OK, robot_design(NULL));
        memset(d, 0, sizeof d);
        /* the second hull of the tip: flat; mirrored; mirrored a little beyond flat. The first is large enough for both */
        for (k = 24; k < 32; ++k) {
            const dc_real up = DC_R(-0.45) - m.vertex[k].z;
            d[D.point[k] + 2] = way == 0 ? up : way == 1 ? 2*up : DC_R(1.01)*up;
        }
        d[D.point[24] + 2] = m.vertex[28].z - m.vertex[24].z;       /* shared with the first hull */
        if (way == 0) for (k = 25; k < 32; ++k) d[D.point[k] + 2] = m.vertex[28].z - m.vertex[k].z;
        flaw.link = flaw.hull = 77;
        ASSERT_EQ(DC_E_ARG, apply(d, &flaw));
        ASSERT_EQ(TIP, flaw.link);
        ASSERT_EQ(3, flaw.hull);
        ASSERT_STR_EQ("a hull has no volume", flaw.cause);
        memset(d, 0, sizeof d);
        ASSERT_EQ(DC_OK, apply(d, &flaw));
    }

    /* lumped and given masses too: their hulls have faces */
    for (way = 0; way < 2; ++way) {
        static unsigned char mark[8];
        dc_design_desc desc = DC_ZERO;
        dc_arena mem = dc_arena_make(room, sizeof room);
        machine_open(&m);
        machine_link(&m, -1, DC_SIM_FREE, dc_vec(0, 0, 0))->mass = 1;
        m.link[0].model = way ? DC_SIM_INERTIA : DC_SIM_LUMPED;
        m.link[0].inertia.m[0] = m.link[0].inertia.m[4] = m.link[0].inertia.m[8] = 1;
        machine_box(&m, dc_vec(0, 0, 0), dc_vec(1, 1, 1));
        ASSERT_EQ(DC_OK, machine_build(&m));
        memset(mark, DC_DESIGN_FREE, sizeof mark);
        desc.vertex = mark;
        ASSERT_EQ(DC_OK, dc_design_build(&desc, &m.sim, &mem, &D, NULL));
        memset(d, 0, sizeof d);
        for (k = 0; k < 8; ++k) d[D.point[k]] = -2*m.vertex[k].x;
        ASSERT_EQ(DC_E_ARG, apply(d, &flaw));
        ASSERT(flaw.link == 0 && flaw.hull == 0);
    }
    PASS();
}

/* the way of random steps, their rows kept: no hull loses its volume, no vertex comes out of its hull by more than the
 * second order of a step, and the start stays free of planes and hulls */
TEST steps_keep_hulls_solid_and_the_start_free(void)
{
    static dc_real d[MOST], step[MOST];
    const dc_real radius = DC_R(0.02), margin = DC_R(0.005), gap = DC_R(0.004);
    const dc_real q[NQ] = {DC_R(0.05), 0, DC_R(-0.2), 0};
    double out = 0, close = HUGE_VAL;
    dc_design_name at;
    dc_real here;
    rng r;
    int trial, k, moved = 0;

    robot();
    ASSERT_EQ(DC_OK, robot_design(NULL));
    for (k = OWN; k < D.n; ++k) {
        D.lo[k] = DC_R(-0.2);
        D.hi[k] = DC_R(0.2);
    }
    D.lo[0] = DC_R(-0.1);
    D.hi[0] = DC_R(0.1);
    D.lo[1] = D.hi[1] = D.lo[2] = D.hi[2] = 0;
    rng_seed(&r, 13);
    for (k = 0; k < D.n; ++k) step[k] = (dc_real)rng_normal(&r);
    for (trial = 0; trial < 200; ++trial) {
        dc_arena mem = dc_arena_make(scratch, sizeof scratch);
        dc_design_info info;
        dc_status status;
        R.rows = R.entries = 0;
        ASSERT_EQ(DC_OK, apply(d, NULL));
        ASSERT_EQ(DC_OK, dc_design_solid(&D, &m.sim, margin, &mem, &R));
        for (k = 0; k < R.rows && trial > 0; ++k) out = fmax(out, (double)R.least[k]);
        ASSERT_EQ(DC_OK, dc_design_clear(&D, &m.sim, q, gap, 2*radius, &mem, &R, &here, &at));
        close = fmin(close, (double)here);
        for (k = 0; k < D.n; ++k) step[k] = (dc_real)(trial%20 < 10 ? (k*k%7) - 3 : rng_normal(&r))*(trial%3 ? 1 : -2);
        status = dc_design_project(&D, &R, d, radius, &mem, step, &info);
        ASSERT_EQ(DC_OK, status);
        for (k = 0; k < D.n; ++k) {
            d[k] += step[k];
            moved += dc_abs(d[k]) > DC_R(0.02);
        }
    }
    printf("  solid by %g, at worst %.1e short of it; free by %g, at worst %.1e short\n", (double)margin, out, (double)gap, -close);
    ASSERT(out < 0.8*(double)margin && close > -0.5*(double)gap && moved > 100);
    PASS();
}

TEST a_start_that_overlaps_is_parted(void)
{
    static dc_real d[MOST], step[MOST];
    static unsigned char mark[16];
    dc_design_desc desc = DC_ZERO;
    dc_arena mem = dc_arena_make(room, sizeof room);
    dc_design_name at;
    dc_real q[7], here;
    int trial, k;

    /* a box into the floor and into one that is fixed */
    machine_open(&m);
    machine_link(&m, -1, DC_SIM_FREE, dc_vec(0, 0, 0))->mass = 1;
    machine_box(&m, dc_vec(0, 0, DC_R(0.98)), dc_vec(1, 1, 1));
    machine_link(&m, -1, DC_SIM_FIXED, dc_vec(DC_R(1.4), DC_R(0.3), DC_R(0.5)))->mass = 1;
    machine_box(&m, dc_vec(0, 0, 0), dc_vec(DC_R(0.5), DC_R(0.4), DC_R(0.3)));
    machine_floor(&m, 1);
    ASSERT_EQ(DC_OK, machine_build(&m));
    memset(mark, DC_DESIGN_FREE, 8);
    desc.vertex = mark;
    ASSERT_EQ(DC_OK, dc_design_build(&desc, &m.sim, &mem, &D, NULL));
    ASSERT_EQ(DC_OK, dc_design_rows_open(ROWS, ENTRIES, &mem, &R));
    dc_sim_neutral(&m.sim, q);
    q[0] = 0;           /* no rotation */
    ASSERT_EQ(DC_E_ARG, dc_design_clear(&D, &m.sim, q, 0, 1, &mem, &R, NULL, NULL));
    q[0] = 1;
    for (trial = 0; trial < 4; ++trial) {
        dc_arena work = dc_arena_make(scratch, sizeof scratch);
        R.rows = R.entries = 0;
        ASSERT_EQ(DC_OK, apply(d, NULL));
        ASSERT_EQ(DC_OK, dc_design_solid(&D, &m.sim, DC_R(0.1), &work, &R));
        ASSERT_EQ(DC_OK, dc_design_clear(&D, &m.sim, q, DC_R(0.01), 1, &work, &R, &here, &at));
        if (trial == 0) {
            ASSERT_EQ(DC_DESIGN_PAIR, at.cause);
            ASSERT(at.hull == 0 && at.other == 1 && fabs((double)here + 0.11) < 1e-6);
        }
        memset(step, 0, sizeof step);
        ASSERT_EQ(DC_OK, dc_design_project(&D, &R, d, 0, &work, step, NULL));
        for (k = 0; k < D.n; ++k) d[k] += step[k];
    }
    ASSERT((double)here > -rounded(1e-9, 1e-5));
    ASSERT(fabs((double)d[D.point[1]] + 0.11) < 1e-4 && fabs((double)d[D.point[0] + 2] - 0.03) < 1e-5);
    PASS();
}

/* ---- wrong arguments ------------------------------------------------------------------------------------------------ */

TEST wrong_descriptions_are_refused(void)
{
    dc_sim_flaw flaw;
#define REFUSED(change, of, why) do { \
        dc_design_desc desc; \
        dc_arena mem = dc_arena_make(room, sizeof room); \
        robot(); \
        ASSERT_EQ(DC_OK, machine_build(&m)); \
        desc = describe(); \
        change; \
        memset(&D, PATTERN, sizeof D); \
        flaw.cause = NULL; \
        flaw.link = 77; \
        ASSERT_EQ(0, (int)dc_design_bytes(&desc, &m.sim)); \
        ASSERT_EQ(DC_E_ARG, dc_design_build(&desc, &m.sim, &mem, &D, &flaw)); \
        ASSERT(mem.used == 0 && untouched(&D, sizeof D)); \
        ASSERT(flaw.cause); \
        ASSERT_STR_EQ(why, flaw.cause); \
        ASSERT_EQ(of, flaw.link); \
    } while (0)
    REFUSED(desc.variables = -1, -1, "counts");
    REFUSED(desc.terms = -1, -1, "counts");
    REFUSED(desc.copy = NULL, -1, "counts");
    REFUSED(desc.stretches = 1000, -1, "counts");
    REFUSED(desc.range = (dc_real)-1, -1, "counts");
    REFUSED(desc.range = (dc_real)(HUGE_VAL - HUGE_VAL), -1, "counts");
    REFUSED(vertex_mark[9] = 3, -1, "the mark of a vertex");
    REFUSED(attach_mark[1] = 4, 1, "the mark of an attachment");
    REFUSED(copies[0].to = 9, 9, "a copy of no link");
    REFUSED(copies[0].to = ARM, ARM, "a copy with marks of its own");
    REFUSED(copies[0].to = TIP, TIP, "a copy of no link");
    REFUSED(copies[0].map.m[4] = (dc_real)HUGE_VAL, FOOT, "the map of a copy");
    REFUSED(copies[0].to = 0, 0, "a copy of another shape");
    REFUSED(stretches[0].variable = OWN, -1, "a stretch");
    REFUSED(stretches[0].axis.x = (dc_real)HUGE_VAL, -1, "a stretch");
    REFUSED(terms[0].variable = -1, -1, "a term");
    REFUSED(terms[0].weight = (dc_real)(HUGE_VAL - HUGE_VAL), -1, "a term");
    REFUSED(terms[0].index = ARM, -1, "a term of a mass that is given by density");
    REFUSED(terms[1].index = 5, -1, "a term of no friction");
    REFUSED((terms[1].kind = DC_DESIGN_ATTACH, terms[1].axis = 6), -1, "a term of no attachment");
    REFUSED((terms[1].kind = DC_DESIGN_VERTEX, terms[1].index = 48), -1, "a term of no vertex");
    PASS();
}

TEST wrong_calls_touch_nothing(void)
{
    static dc_real d[MOST], step[MOST], keep[MOST], q[NQ];
    dc_arena left, none = dc_arena_make(scratch, 64), mem = dc_arena_make(scratch, sizeof scratch);
    dc_design_rows few, before;
    dc_sim_flaw flaw;
    dc_sim other;
    size_t need;
    dc_design_desc desc;
    int k;

    robot();
    ASSERT_EQ(DC_OK, robot_design(&left));
    desc = describe();
    need = dc_design_bytes(&desc, &m.sim);
    {
        dc_arena exact = dc_arena_make(scratch, need), less = dc_arena_make(scratch, need/2);
        dc_design made;
        ASSERT_EQ(DC_OK, dc_design_build(&desc, &m.sim, &exact, &made, NULL));
        ASSERT_EQ(DC_E_MEMORY, dc_design_build(&desc, &m.sim, &less, &made, NULL));
        ASSERT(less.used == 0);
    }

    /* designs */
    d[4] = (dc_real)(HUGE_VAL - HUGE_VAL);
    ASSERT_EQ(DC_E_ARG, apply(d, NULL));
    ASSERT(memcmp(m.sim.vertex, m.vertex, 48*sizeof(dc_v3)) == 0);
    d[4] = 0;
    d[1] = DC_R(-0.8);          /* a mass of 0, and not that of the density */
    m.sim.link[TIP].density = 1;
    flaw.cause = NULL;
    ASSERT_EQ(DC_E_ARG, apply(d, &flaw));
    ASSERT(flaw.cause && flaw.link == TIP && m.sim.link[TIP].mass == 0);
    ASSERT_STR_EQ("mass", flaw.cause);
    d[1] = 0;
    ASSERT_EQ(DC_OK, apply(d, NULL));
    other = m.sim;
    other.links--;
    ASSERT_EQ(DC_E_ARG, dc_design_apply(&D, d, &other, NULL));
    ASSERT_EQ(DC_E_ARG, dc_design_apply(&D, NULL, &m.sim, NULL));
    ASSERT_EQ(DC_E_ARG, dc_design_apply(NULL, d, &m.sim, NULL));
    ASSERT_EQ(DC_E_ARG, dc_design_pull(&D, d, NULL, step));

    /* rows: too little room says how much would do */
    ASSERT_EQ(DC_OK, dc_design_rows_open(20, 100, &left, &few));
    before = few;
    ASSERT_EQ(DC_E_MEMORY, dc_design_solid(&D, &m.sim, DC_R(0.001), &mem, &few));
    ASSERT(few.rows == before.rows && few.entries == before.entries && few.need_rows > 100 && mem.used == 0);
    ASSERT_EQ(DC_OK, dc_design_rows_open(few.need_rows, few.need_entries, &left, &few));
    ASSERT_EQ(DC_OK, dc_design_solid(&D, &m.sim, DC_R(0.001), &mem, &few));
    ASSERT(few.rows == few.most_rows && few.entries == few.most_entries);
    k = D.n;
    ASSERT_EQ(DC_E_ARG, dc_design_row(&D, 1, &k, d, 0, &R));
    k = 0;
    step[0] = DC_REAL_MAX;      /* a step would refuse it */
    ASSERT_EQ(DC_E_ARG, dc_design_row(&D, 1, &k, step, 0, &R));
    ASSERT_EQ(DC_E_ARG, dc_design_row(&D, 1, &k, d, DC_REAL_MAX, &R));
    ASSERT_EQ(DC_E_MEMORY, dc_design_solid(&D, &m.sim, DC_R(0.001), &none, &R));
    ASSERT_EQ(DC_E_ARG, dc_design_solid(&D, &m.sim, (dc_real)-1, &mem, &R));
    q[1] = (dc_real)HUGE_VAL;
    ASSERT_EQ(DC_E_ARG, dc_design_clear(&D, &m.sim, q, 0, 1, &mem, &R, NULL, NULL));
    ASSERT(R.rows == 0);

    /* steps */
    for (k = 0; k < D.n; ++k) keep[k] = step[k] = DC_R(0.1);
    ASSERT_EQ(DC_E_MEMORY, dc_design_project(&D, &few, d, 1, &none, step, NULL));
    ASSERT_EQ(DC_E_ARG, dc_design_project(&D, &few, d, (dc_real)-1, &mem, step, NULL));
    few.weight[3] = (dc_real)(HUGE_VAL - HUGE_VAL);
    ASSERT_EQ(DC_E_ARG, dc_design_project(&D, &few, d, 1, &mem, step, NULL));
    few.weight[3] = 1;
    D.lo[2] = 1;
    D.hi[2] = 0;
    ASSERT_EQ(DC_E_ARG, dc_design_project(&D, &few, d, 1, &mem, step, NULL));
    ASSERT(memcmp(step, keep, sizeof step) == 0);
    D.lo[2] = D.hi[2] = (dc_real)HUGE_VAL;
    ASSERT_EQ(DC_E_ARG, dc_design_project(&D, NULL, d, 0, &mem, step, NULL));
    D.lo[2] = D.hi[2] = -DC_REAL_MAX;
    ASSERT_EQ(DC_E_ARG, dc_design_project(&D, NULL, d, 0, &mem, step, NULL));
    ASSERT(memcmp(step, keep, sizeof step) == 0);
    D.lo[2] = D.hi[2] = 0;
    {
        dc_arena exact = dc_arena_make(scratch, dc_design_project_bytes(&D, &few));
        ASSERT_EQ(DC_OK, dc_design_project(&D, &few, d, 1, &exact, step, NULL));
    }
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(a_design_moves_what_it_says_and_nothing_else);
    RUN_TEST(a_copy_beside_its_like_is_stretched_once);
    RUN_TEST(gradients_by_the_design_are_those_of_the_trajectory);
    RUN_TEST(rows_are_the_slopes_of_what_they_keep);
    RUN_TEST(a_step_is_the_nearest_one_allowed);
    RUN_TEST(contradictions_name_a_row);
    RUN_TEST(hulls_that_are_flat_or_inside_out_are_named);
    RUN_TEST(steps_keep_hulls_solid_and_the_start_free);
    RUN_TEST(a_start_that_overlaps_is_parted);
    RUN_TEST(wrong_descriptions_are_refused);
    RUN_TEST(wrong_calls_touch_nothing);
    GREATEST_MAIN_END();
}
