/* Shapes, growth distances and steps against input that means harm: a status that names the cause, outputs untouched, the arena
 * as it was. */
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"
#define DC_NCP_IMPLEMENTATION
#include "dc_ncp.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "greatest.h"
#include "support.h"
#include "real.h"

#define R(x) ((dc_real)(x))

static unsigned char shape_memory[1 << 15], memory[1 << 17];
/* 0..5: infinite, beyond DC_LIMIT, NaN */
static dc_real bad(int k) { return k >= 4 ? R(HUGE_VAL)*0 : R(k & 1 ? -1 : 1)*(k < 2 ? R(HUGE_VAL) : 8*DC_LIMIT); }

static int all_zero(const void *p, size_t n)
{
    const unsigned char *b = (const unsigned char *)p;
    size_t i;
    for (i = 0; i < n; ++i)
        if (b[i]) return 0;
    return 1;
}

/* a refused constructor: DC_E_ARG, nothing taken, nothing written */
#define REFUSED(call) do { \
        memset(&s, 0, sizeof s); \
        mem = dc_arena_make(shape_memory, sizeof shape_memory); \
        ASSERT_EQ(DC_E_ARG, (call)); \
        ASSERT(mem.used == 0 && all_zero(&s, sizeof s)); \
    } while (0)

TEST constructors(void)
{
    static const int dims[6] = {0, 1, 4, -1, INT_MAX, INT_MIN};
    const dc_real A[6] = {1, 0, -1, -1, -1, 1}, b[3] = {1, 1, 1}, flat[3] = {1, 0, 1};
    dc_real C[6];
    dc_v3 v[8], one = dc_vec(1, 1, 1);
    dc_arena mem;
    dc_shape s;
    int k, i;
    for (i = 0; i < 8; ++i) v[i] = dc_vec(R(i & 1 ? 1 : -1), R(i & 2 ? 1 : -1), R(i & 4 ? 1 : -1));
    for (k = 0; k < 6; ++k) {
        REFUSED(dc_shape_halfspace(dims[k], one, 0, &mem, &s));
        REFUSED(dc_shape_sphere(dims[k], 1, &mem, &s));
        REFUSED(dc_shape_box(dims[k], one, &mem, &s));
        REFUSED(dc_shape_polytope(dims[k], 3, A, b, &mem, &s));
        REFUSED(dc_shape_hull(dims[k], 8, v, &mem, &s));
        REFUSED(dc_shape_capsule(dims[k], 1, 1, &mem, &s));
        REFUSED(dc_shape_cylinder(dims[k], 1, 1, &mem, &s));
        REFUSED(dc_shape_cone(dims[k], 1, 1, &mem, &s));
        REFUSED(dc_shape_ellipsoid(dims[k], one, &mem, &s));
        ASSERT_EQ((size_t)0, dc_shape_bytes(dims[k], 3, 0, 0));
        ASSERT_EQ((size_t)0, dc_shape_hull_bytes(dims[k], 8));
        REFUSED(dc_shape_sphere(3, bad(k), &mem, &s));
        REFUSED(dc_shape_halfspace(3, dc_vec(0, bad(k), 1), 0, &mem, &s));
        REFUSED(dc_shape_halfspace(3, one, bad(k), &mem, &s));
        REFUSED(dc_shape_box(3, dc_vec(1, 1, bad(k)), &mem, &s));
        REFUSED(dc_shape_capsule(3, bad(k), 1, &mem, &s));
        REFUSED(dc_shape_capsule(2, 1, bad(k), &mem, &s));
        REFUSED(dc_shape_cylinder(3, bad(k), 1, &mem, &s));
        REFUSED(dc_shape_cylinder(3, 1, bad(k), &mem, &s));
        REFUSED(dc_shape_cone(3, bad(k), 1, &mem, &s));
        REFUSED(dc_shape_cone(3, 1, bad(k), &mem, &s));
        REFUSED(dc_shape_ellipsoid(3, dc_vec(1, bad(k), 1), &mem, &s));
        for (i = 0; i < 6; ++i) {
            memcpy(C, A, sizeof C);
            C[i] = bad(k);
            REFUSED(dc_shape_polytope(2, 3, C, b, &mem, &s));
            memcpy(C, b, sizeof b);
            C[i%3] = bad(k);
            REFUSED(dc_shape_polytope(2, 3, A, C, &mem, &s));
        }
        v[k].y = bad(k);
        REFUSED(dc_shape_hull(3, 8, v, &mem, &s));
        v[k].y = R(k & 2 ? 1 : -1);
    }
    /* lengths zero or negative, empty, flat, too many */
    REFUSED(dc_shape_sphere(3, 0, &mem, &s));
    REFUSED(dc_shape_sphere(2, -1, &mem, &s));
    REFUSED(dc_shape_halfspace(3, dc_vec(0, 0, 0), 0, &mem, &s));
    REFUSED(dc_shape_halfspace(2, dc_vec(0, 0, 1), 0, &mem, &s));
    REFUSED(dc_shape_box(3, dc_vec(1, 1, 0), &mem, &s));
    REFUSED(dc_shape_polytope(2, 3, A, flat, &mem, &s));
    for (k = -1; k < 3; ++k) REFUSED(dc_shape_polytope(2, k, A, b, &mem, &s));
    REFUSED(dc_shape_polytope(2, INT_MAX, A, b, &mem, &s));
    for (k = -1; k < 4; ++k) REFUSED(dc_shape_hull(3, k, v, &mem, &s));
    REFUSED(dc_shape_hull(3, INT_MAX, v, &mem, &s));
    REFUSED(dc_shape_hull(3, 4, v, &mem, &s));          /* one face of the cube */
    REFUSED(dc_shape_hull(3, 8, NULL, &mem, &s));
    REFUSED(dc_shape_polytope(2, 3, NULL, b, &mem, &s));
    REFUSED(dc_shape_polytope(2, 3, A, NULL, &mem, &s));
    REFUSED(dc_shape_sphere(3, 1, NULL, &s));
    REFUSED(dc_shape_sphere(3, 1, &mem, NULL));
    REFUSED(dc_shape_sum(NULL, NULL, &mem, &s));
    ASSERT_EQ((size_t)0, dc_shape_bytes(3, INT_MAX, 0, 0));
    ASSERT_EQ((size_t)0, dc_shape_bytes(3, 4, INT_MAX, 0));
    ASSERT_EQ((size_t)0, dc_shape_bytes(3, 4, 0, INT_MAX));
    PASS();
}

/* every arena that is too small says so and changes nothing; the promised bytes do, from any alignment */
TEST small_arenas(void)
{
    dc_arena m = dc_arena_make(shape_memory, sizeof shape_memory), mem;
    dc_shape box, ball, s;
    dc_pose p = {{1, 0, 0, 0}, {0, 0, 2}};
    dc_growth_result g, zero;
    size_t n, need;
    memset(&zero, 0, sizeof zero);
    ASSERT_EQ(DC_OK, dc_shape_box(3, dc_vec(1, 1, 1), &m, &box));
    ASSERT_EQ(DC_OK, dc_shape_sphere(3, 1, &m, &ball));
    for (n = 0; n < 63; ++n) {
        mem = dc_arena_make(memory + n, dc_shape_bytes(3, box.rows + ball.rows, 1, 3));
        ASSERT_EQ(DC_OK, dc_shape_sum(&box, &ball, &mem, &s));
        mem = dc_arena_make(memory + n, dc_growth_bytes(&box, &ball));
        ASSERT_EQ(DC_OK, dc_growth(NULL, &box, &p, &ball, NULL, &mem, &g, NULL, NULL, NULL, NULL));
        ASSERT_EQ((size_t)0, mem.used);
    }
    need = dc_growth_bytes(&box, &ball) - 63;
    for (n = 0; n < need - 64; n += 1 + (size_t)(63*(1 - DC_TEST_SWEEP) > 0 ? 63*(1 - DC_TEST_SWEEP) : 0)) {
        size_t start = (size_t)(-(intptr_t)memory & 63);
        mem = dc_arena_make(memory + start, n);
        memset(&g, 0, sizeof g);
        ASSERT_EQ(DC_E_MEMORY, dc_growth(NULL, &box, &p, &ball, NULL, &mem, &g, NULL, NULL, NULL, NULL));
        ASSERT(mem.used == 0 && memcmp(&g, &zero, sizeof g) == 0);
    }
    PASS();
}

/* Growth of shapes 1e9 times each other's size, without a limit of iterations: an end soon, and a true status. Options and warm
 * starts that mean harm. */
TEST growth_ends(void)
{
    dc_arena m = dc_arena_make(shape_memory, sizeof shape_memory), mem = dc_arena_make(memory, sizeof memory);
    dc_growth_options o = DC_ZERO;
    dc_growth_warm warm;
    dc_growth_result g, h;
    dc_shape s[6];
    dc_real jac[84];
    int i, j, k, l, most = 0;
    const dc_real big = DC_IS_FLOAT ? R(1e5) : R(1e9);
    ASSERT_EQ(DC_OK, dc_shape_cone(3, big, R(0.4), &m, &s[0]));
    ASSERT_EQ(DC_OK, dc_shape_cylinder(3, R(0.01), R(0.02), &m, &s[1]));
    ASSERT_EQ(DC_OK, dc_shape_box(3, dc_vec(big, 1, 1/big), &m, &s[2]));
    ASSERT_EQ(DC_OK, dc_shape_box(3, dc_vec(1, R(0.5), 1), &m, &s[3]));
    ASSERT_EQ(DC_OK, dc_shape_ellipsoid(3, dc_vec(big, 1, 1/big), &m, &s[4]));
    ASSERT_EQ(DC_OK, dc_shape_sum(&s[3], &s[1], &m, &s[5]));
    o.max_iterations = INT_MAX;
    for (i = 0; i < 6; ++i)
        for (j = 0; j < 6; ++j)
            for (k = 0; k < 8; ++k) {
                static const double rho[4] = {1e-8, 1, 1e-15, 1e-300};
                const dc_real far = k & 1 ? big : 1;
                dc_pose p = {{1, 0, 0, 0}, {0, 0, 0}};
                dc_status st;
                o.rho = DC_IS_FLOAT && k > 1 ? R(1e-6) : R(rho[k/2]);
                p.q = dc_quat_exp(dc_vec(R(0.1*i), R(0.2*j), R(0.3*k)));
                p.t = dc_vec(far, R(-0.3)*far, R(0.1)*far);
                st = dc_growth(&o, &s[i], &p, &s[j], NULL, &mem, &g, jac, NULL, NULL, NULL);
                ASSERT(st == DC_OK || st == DC_E_DIVERGED || st == DC_E_SINGULAR || st == DC_E_RANGE);
                if (st == DC_OK) ASSERT(dc_finite(g.alpha) && dc_finite3(g.p) && fabs((double)dc_dot(g.n_a, g.n_a) - 1) < 16*EPS);
                for (l = 0; l < 84 && st == DC_OK; ++l) ASSERT(dc_finite(jac[l]));
                if (st != DC_E_RANGE && g.iterations > most) most = g.iterations;
            }
    printf("  at most %d iterations\n", most);
    ASSERT(most <= 2000);
    memset(&o, 0, sizeof o);
    o.warm = &warm;
    {
        dc_pose p = {{1, 0, 0, 0}, {0, 0, 3}};
        p.q = dc_quat_exp(dc_vec(R(0.3), R(0.2), R(0.1)));
        ASSERT_EQ(DC_OK, dc_growth(NULL, &s[3], &p, &s[3], NULL, &mem, &g, NULL, NULL, NULL, NULL));
        for (k = 0; k < 40; ++k) {
            for (i = 0; i < 4; ++i) warm.row[i] = k%10 == 0 ? INT_MIN : k%10 == 1 ? INT_MAX : k%10 == 2 ? 13 : k%10 == 3 ? 1 : 1 + (7*k + (3 + k%4)*i)%12;
            ASSERT_EQ(DC_OK, dc_growth(&o, &s[3], &p, &s[3], NULL, &mem, &h, NULL, NULL, NULL, NULL));
            ASSERT(fabs((double)(g.alpha - h.alpha)) <= 64*EPS);
        }
        o.rho = bad(4);
        ASSERT_EQ(DC_E_ARG, dc_growth(&o, &s[3], &p, &s[3], NULL, &mem, &h, NULL, NULL, NULL, NULL));
        o.rho = -1;
        ASSERT_EQ(DC_E_ARG, dc_growth(&o, &s[3], &p, &s[3], NULL, &mem, &h, NULL, NULL, NULL, NULL));
        o.rho = 0;
        o.max_iterations = -1;
        ASSERT_EQ(DC_E_ARG, dc_growth(&o, &s[3], &p, &s[3], NULL, &mem, &h, NULL, NULL, NULL, NULL));
        o.max_iterations = 1;                           /* not enough where faces are parallel */
        p.q = dc_quat_exp(dc_vec(0, 0, 0));
        ASSERT_EQ(DC_E_DIVERGED, dc_growth(&o, &s[3], &p, &s[3], NULL, &mem, &h, NULL, NULL, NULL, NULL));
        ASSERT_EQ(1, h.iterations);
    }
    ASSERT_EQ((size_t)0, mem.used);
    PASS();
}

/* ---- a scene of two bodies and three contacts, and everything in it spoilt once */

typedef struct { dc_shape box, ball, floor_; dc_ncp_body body[2], next[2]; dc_ncp_contact contact[3]; dc_ncp_scene scene; dc_ncp_options opt; } world;

static void make(world *w)
{
    dc_arena m = dc_arena_make(shape_memory, sizeof shape_memory);
    int i;
    memset(w, 0, sizeof *w);
    dc_shape_box(3, dc_vec(R(0.5), R(0.5), R(0.5)), &m, &w->box);
    dc_shape_sphere(3, R(0.5), &m, &w->ball);
    dc_shape_halfspace(3, dc_vec(0, 0, 1), 0, &m, &w->floor_);
    for (i = 0; i < 2; ++i) {
        w->body[i].pose.q.w = w->body[i].mass = 1;
        w->body[i].pose.t = dc_vec(R(0.1*i), 0, R(0.55 + 1.05*i));
        w->body[i].inertia.m[0] = w->body[i].inertia.m[4] = w->body[i].inertia.m[8] = R(0.1);
        w->contact[i].body[0] = i;
        w->contact[i].body[1] = -1;
        w->contact[i].shape[0] = i ? &w->ball : &w->box;
        w->contact[i].shape[1] = &w->floor_;
    }
    w->contact[2].body[0] = 1;
    w->contact[2].shape[0] = &w->ball;
    w->contact[2].shape[1] = &w->box;
    for (i = 0; i < 3; ++i) w->contact[i].mu = R(0.5);
    w->scene.dim = 3;
    w->scene.h = R(0.01);
    w->scene.gravity.z = R(-9.81);
    w->scene.bodies = 2;
    w->scene.contacts = 3;
    w->scene.body = w->body;
    w->scene.contact = w->contact;
}

static dc_status try_step(world *w, int *clean)
{
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_ncp *solution = NULL;
    dc_ncp_info info;
    dc_status st;
    memset(w->next, 0, sizeof w->next);
    memset(&info, 0, sizeof info);
    st = dc_ncp_step(&w->opt, &w->scene, &mem, w->next, &solution, &info);
    *clean = mem.used == 0 && !solution && all_zero(w->next, sizeof w->next) && all_zero(&info, sizeof info);
    return st;
}

/* spoils one number or count; returns 0 when there are no more */
static int spoil(world *w, int k, int with)
{
    dc_real *const number[] = {
        &w->scene.h, &w->scene.gravity.x, &w->scene.gravity.z, &w->body[1].pose.t.x, &w->body[1].pose.q.w, &w->body[0].pose.q.z,
        &w->body[0].v.y, &w->body[0].w.z, &w->body[1].mass, &w->body[1].inertia.m[0], &w->body[1].inertia.m[5], &w->body[0].force.x,
        &w->body[0].torque.z, &w->contact[0].mu, &w->contact[1].mu_spin, &w->contact[2].restitution, &w->box.size, &w->opt.rho, &w->opt.tol};
    const int numbers = (int)(sizeof number/sizeof number[0]);
    if (k < numbers) {
        *number[k] = bad(with);
        return 1;
    }
    switch (k - numbers) {
    case 0: w->scene.dim = with ? 2 : 4; return 1;              /* shapes of 3D in 2D */
    case 1: w->scene.bodies = with & 1 ? -1 : INT_MAX; return 1;
    case 2: w->scene.contacts = with & 1 ? -1 : INT_MAX; return 1;
    case 3: w->scene.body = NULL; return 1;
    case 4: w->scene.contact = NULL; return 1;
    case 5: w->contact[0].body[0] = with & 1 ? 2 : INT_MAX; return 1;
    case 6: w->contact[0].body[1] = with & 1 ? -2 : INT_MIN; return 1;
    case 7: w->contact[2].body[1] = 1; return 1;                /* with itself */
    case 8: w->contact[1].shape[with & 1] = NULL; return 1;
    case 9: w->contact[1].shape[0] = &w->floor_; return 1;      /* neither grows */
    case 10: w->scene.h = with & 1 ? R(0) : R(-0.01); return 1;
    case 11: w->contact[0].mu = R(-0.1); return 1;
    case 12: w->contact[0].restitution = R(1.1); return 1;
    case 13: w->body[0].mass = R(-1); return 1;
    case 14: w->body[0].inertia.m[4] = 0; return 1;
    case 15: memset(&w->body[0].pose.q, 0, sizeof w->body[0].pose.q); return 1;
    case 16: w->opt.rho = R(with & 1 ? -1 : 2); return 1;
    case 17: w->opt.max_iterations = -1; return 1;
    case 18: w->opt.acceleration = with & 1 ? R(-1) : bad(with); return 1;
    case 19: w->box.rows = with & 1 ? 0 : INT_MAX; return 1;
    case 20: w->box.linear = with & 1 ? -1 : 7; return 1;
    case 21: w->ball.cones = with & 1 ? -1 : 2; return 1;
    case 22: w->ball.aux = with & 1 ? 1 : INT_MAX; return 1;
    case 23: w->ball.A = NULL; return 1;
    case 24: w->box.b = NULL; return 1;
    case 25: w->box.d = NULL; return 1;
    case 26: w->ball.cone = NULL; return 1;
    default: return 0;
    }
}

TEST scenes(void)
{
    world w;
    int k, with, clean, more = 1;
    make(&w);
    ASSERT_EQ(DC_OK, try_step(&w, &clean));
    for (k = 0; more; ++k)
        for (with = 0; with < 5; ++with) {
            dc_status st;
            make(&w);
            more = spoil(&w, k, with);
            if (!more) break;
            st = try_step(&w, &clean);
            {                                                   /* and dc_ncp_flaw says so too, of a body or a contact that there is */
                dc_ncp_flaw_info flaw = {7, 7, NULL, NULL};
                ASSERT_EQ(DC_E_ARG, dc_ncp_flaw(&w.opt, &w.scene, &flaw));
                ASSERT(flaw.field && flaw.cause && flaw.body >= -1 && flaw.body < 2 && flaw.contact >= -1 && flaw.contact < 3);
                ASSERT(flaw.body == -1 || flaw.contact == -1);
            }
            if (st != DC_E_ARG || !clean) printf("  case %d.%d: %s%s\n", k, with, dc_status_text(st), clean ? "" : ", written");
            ASSERT(st == DC_E_ARG && clean);
        }
    {
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        make(&w);
        ASSERT_EQ(DC_E_ARG, dc_ncp_step(NULL, NULL, &mem, w.next, NULL, NULL));
        ASSERT_EQ(DC_E_ARG, dc_ncp_step(NULL, &w.scene, NULL, w.next, NULL, NULL));
        ASSERT_EQ(DC_E_ARG, dc_ncp_step(NULL, &w.scene, &mem, NULL, NULL, NULL));
        ASSERT_EQ((size_t)0, dc_ncp_bytes(NULL, NULL));
        w.scene.bodies = w.scene.contacts = 0;
        ASSERT_EQ(DC_OK, dc_ncp_step(NULL, &w.scene, &mem, NULL, NULL, NULL));
        ASSERT_EQ((size_t)0, mem.used);
    }
    PASS();
}

TEST small_arenas_of_steps(void)
{
    world w;
    size_t need, n, step = sweep_count(64) < 64 ? 1021 : 61;
    make(&w);
    need = dc_ncp_bytes(NULL, &w.scene);
    for (n = 0; n < need; n += step) {
        dc_arena mem = dc_arena_make(memory, n);
        dc_status st;
        memset(w.next, 0, sizeof w.next);
        st = dc_ncp_step(NULL, &w.scene, &mem, w.next, NULL, NULL);
        ASSERT(mem.used == 0);
        ASSERT(st == DC_OK ? n + 4096 > need/2 : st == DC_E_MEMORY && all_zero(w.next, sizeof w.next));
    }
    for (n = 0; n < 64; n += 9) {
        dc_arena mem = dc_arena_make(memory + n, need);
        ASSERT_EQ(DC_OK, dc_ncp_step(NULL, &w.scene, &mem, w.next, NULL, NULL));
        ASSERT_EQ((size_t)0, mem.used);
    }
    PASS();
}

/* What dc_ncp_info says of memory is exact: of a row of balls on the floor, from an empty arena on. */
TEST bytes_of_a_step(void)
{
    enum { ROW = 8 };
    static dc_ncp_body body[ROW], next[ROW];
    static dc_ncp_contact contact[2*ROW];
    unsigned char *at = memory;
    dc_ncp_scene scene = DC_ZERO;
    dc_ncp_info info = DC_ZERO;
    dc_arena mem;
    dc_status st = DC_E_MEMORY;
    world w;
    int i, calls;
    size_t bound;
    make(&w);
    memset(contact, 0, sizeof contact);
    scene = w.scene;
    scene.bodies = ROW;
    scene.contacts = 2*ROW - 1;
    scene.body = body;
    scene.contact = contact;
    for (i = 0; i < ROW; ++i) {
        body[i] = w.body[1];
        body[i].pose.t = dc_vec(R(0.55*i), 0, R(0.31));
        contact[2*i].body[0] = i;
        contact[2*i].body[1] = -1;
        contact[2*i].shape[0] = &w.ball;
        contact[2*i].shape[1] = &w.floor_;
        contact[2*i + 1] = contact[2*i];
        contact[2*i + 1].body[1] = i + 1;
        contact[2*i + 1].shape[1] = &w.ball;
    }
    bound = dc_ncp_bytes(NULL, &scene);
    while ((size_t)((uintptr_t)at & (DC_ALIGN - 1)) != 1) ++at;     /* the worst that memory may be aligned */
    for (calls = 0; calls < 3 && st == DC_E_MEMORY; ++calls) {
        memset(next, 0, sizeof next);
        ASSERT(info.bytes + DC_ALIGN <= sizeof memory);
        mem = dc_arena_make(at, info.bytes);
        st = dc_ncp_step(NULL, &scene, &mem, next, NULL, &info);
        ASSERT(info.bytes > 0 && info.bytes < bound);
        ASSERT(st == DC_OK || (info.iterations == 0 && all_zero(next, sizeof next)));
    }
    printf("  %d bodies in a row: %lu bytes, dc_ncp_bytes %lu\n", ROW, (unsigned long)info.bytes, (unsigned long)bound);
    ASSERT_EQ(DC_OK, st);
    ASSERT_EQ(3, calls);
    mem = dc_arena_make(at, info.bytes - 1);
    ASSERT_EQ(DC_E_MEMORY, dc_ncp_step(NULL, &scene, &mem, next, NULL, NULL));
    ASSERT_EQ((size_t)0, mem.used);
    PASS();
}

/* the functions that ask a solution, and a kept solution that was spoilt: as if there were none */
TEST solutions(void)
{
    static dc_real keep[256], J[24*100];
    const dc_real nan_bar[24] = {bad(4)};
    world w;
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_ncp *s;
    dc_ncp_touch t;
    dc_contact_force force[3];
    dc_ncp_adjoint out = DC_ZERO;
    dc_ncp_body first;
    int k, n;
    make(&w);
    ASSERT_EQ(DC_OK, dc_ncp_step(NULL, &w.scene, &mem, w.next, &s, NULL));
    ASSERT_EQ(DC_E_ARG, dc_ncp_force(s, -1, &t));
    ASSERT_EQ(DC_E_ARG, dc_ncp_force(s, 3, &t));
    ASSERT_EQ(DC_E_ARG, dc_ncp_force(NULL, 0, &t));
    ASSERT_EQ(DC_E_ARG, dc_ncp_forces(s, 3, NULL, &n));
    ASSERT_EQ(DC_E_ARG, dc_ncp_forces(s, -1, force, &n));
    ASSERT_EQ(DC_E_ARG, dc_ncp_forces(s, 3, force, NULL));
    ASSERT_EQ(DC_E_MEMORY, dc_ncp_forces(s, 2, force, &n));
    ASSERT_EQ(3, n);
    ASSERT_EQ(DC_E_ARG, dc_ncp_vjp(s, nan_bar, &out));
    ASSERT_EQ(DC_E_ARG, dc_ncp_vjp(s, NULL, &out));
    ASSERT_EQ(DC_E_ARG, dc_ncp_grad(s, J, 2*DC_NCP_BODY_PARAMS + DC_NCP_SCENE_PARAMS + 3*DC_NCP_CONTACT_PARAMS - 1));
    ASSERT_EQ(DC_E_ARG, dc_ncp_grad(s, NULL, 100));
    ASSERT_EQ(DC_E_ARG, dc_ncp_grad_shape(s, 3, 0, J, 100));
    ASSERT_EQ(DC_E_ARG, dc_ncp_grad_shape(s, 0, 2, J, 100));
    ASSERT_EQ(DC_E_ARG, dc_ncp_grad_shape(s, 0, 0, J, 6*5));
    ASSERT_EQ(DC_E_ARG, dc_ncp_relax(s, bad(4), NULL));
    ASSERT_EQ(DC_E_ARG, dc_ncp_relax(s, 0, NULL));
    ASSERT_EQ(DC_E_ARG, dc_ncp_relax(s, 2, NULL));
    ASSERT(all_zero(J, sizeof J));
    n = dc_ncp_keep_count(NULL, 3, &w.contact[0]);
    ASSERT(n > 0 && n <= 256);
    ASSERT_EQ(0, dc_ncp_keep_count(NULL, 4, &w.contact[0]));
    ASSERT_EQ(0, dc_ncp_keep_count(NULL, 3, NULL));
    w.scene.bodies = w.scene.contacts = 1;
    w.scene.contact = w.contact;
    ASSERT_EQ(DC_OK, dc_ncp_step(NULL, &w.scene, &mem, w.next, NULL, NULL));
    first = w.next[0];
    for (k = 0; k < 3*n; ++k) {
        int i;
        w.contact[0].keep = keep;
        for (i = 0; i < n; ++i) keep[i] = R(0.5);
        keep[k%n] = k < n ? bad(4) : k < 2*n ? bad(0) : R(-1);
        mem = dc_arena_make(memory, sizeof memory);
        ASSERT_EQ(DC_OK, dc_ncp_step(NULL, &w.scene, &mem, w.next, NULL, NULL));
        ASSERT(fabs((double)(w.next[0].pose.t.z - first.pose.t.z)) < (DC_IS_FLOAT ? 1e-3 : 1e-5));
    }
    PASS();
}

/* a flaw has its place and its name */
TEST flaws(void)
{
    dc_ncp_flaw_info flaw = {7, 7, NULL, NULL};
    world w;
    make(&w);
    ASSERT_EQ(DC_OK, dc_ncp_flaw(&w.opt, &w.scene, &flaw));
    ASSERT(flaw.body == 7 && !flaw.field);
    ASSERT_EQ(DC_E_ARG, dc_ncp_flaw(NULL, NULL, NULL));
    w.contact[2].mu = -1;
    ASSERT_EQ(DC_E_ARG, dc_ncp_flaw(NULL, &w.scene, &flaw));
    ASSERT(flaw.contact == 2 && flaw.body == -1);
    ASSERT(strcmp("mu", flaw.field) == 0);
    make(&w);
    w.body[1].inertia.m[4] = 0;
    ASSERT_EQ(DC_E_ARG, dc_ncp_flaw(NULL, &w.scene, &flaw));
    ASSERT(flaw.contact == -1 && flaw.body == 1);
    ASSERT(strcmp("inertia", flaw.field) == 0);
    ASSERT(strcmp("is not positive", flaw.cause) == 0);
    make(&w);
    w.opt.tol = 2;
    ASSERT_EQ(DC_E_ARG, dc_ncp_flaw(&w.opt, &w.scene, &flaw));
    ASSERT(flaw.contact == -1 && flaw.body == -1);
    ASSERT(strcmp("tol", flaw.field) == 0);
    PASS();
}

/* the compiler's bound of the bytes of a step is one, and not far off where bodies are few */
TEST ram_bound(void)
{
    world w;
    int bodies, contacts;
    for (bodies = 1; bodies <= 2; ++bodies)
        for (contacts = 0; contacts <= 3; ++contacts) {
            const size_t most = DC_NCP_RAM(2, 3, 12, 2);
            make(&w);
            w.scene.contacts = bodies == 1 && contacts > 1 ? 1 : contacts;
            w.scene.bodies = bodies;
            w.contact[2].body[1] = 0;
            ASSERT(dc_ncp_bytes(NULL, &w.scene) <= DC_NCP_RAM(bodies, w.scene.contacts, 10, 0));
            ASSERT(dc_ncp_bytes(NULL, &w.scene) <= most);
        }
    printf("  two bodies, three contacts: %lu bytes, bound %lu\n", (unsigned long)dc_ncp_bytes(NULL, &w.scene), (unsigned long)DC_NCP_RAM(2, 3, 10, 0));
    ASSERT(DC_NCP_RAM(2, 3, 10, 0) <= 2*dc_ncp_bytes(NULL, &w.scene));
    PASS();
}

/* contacts from parts: the pairs that are near, materials, what they keep follows the pair, and bad calls */
TEST contact_lists(void)
{
    static int key[4];
    static dc_real keep[4*256];
    const int apart[2] = {1, 0};
    dc_ncp_memory kept = {4, 256, key, keep};
    dc_ncp_part part[3];
    dc_ncp_contact c[3];
    dc_real *first;
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    world w;
    int i, n = -1;
    make(&w);
    memset(part, 0, sizeof part);
    memset(key, 0, sizeof key);
    for (i = 0; i < 3; ++i) {
        part[i].body = i - 1;
        part[i].shape = i == 0 ? &w.floor_ : i == 1 ? &w.box : &w.ball;
        part[i].radius = R(0.9);
        part[i].mu = R(i == 2 ? 1 : 0.25);
    }
    w.body[0].pose.t = dc_vec(0, 0, R(0.6));
    w.body[1].pose.t = dc_vec(0, 0, R(1.7));
    ASSERT_EQ(DC_OK, dc_ncp_contacts(NULL, &w.scene, 3, part, R(0.01), 0, NULL, &kept, 3, c, &n, &mem));
    ASSERT(n == 2 && mem.used == 0);
    ASSERT(c[0].body[0] == 0 && c[0].body[1] == -1 && c[0].shape[1] == &w.floor_ && c[1].body[0] == 0 && c[1].body[1] == 1);
    ASSERT(fabs((double)c[1].mu - 0.5) < 1e-6 && c[0].keep && c[1].keep && c[0].keep != c[1].keep);
    first = c[1].keep;
    first[0] = 1;
    w.body[0].pose.t.z = 2;                                     /* off the floor: its place is free, the other's stays */
    ASSERT_EQ(DC_OK, dc_ncp_contacts(NULL, &w.scene, 3, part, R(0.01), 0, NULL, &kept, 3, c, &n, &mem));
    ASSERT(n == 1 && c[0].keep == first && c[0].keep[0] > 0);
    ASSERT_EQ(DC_OK, dc_ncp_contacts(NULL, &w.scene, 3, part, R(0.01), 1, apart, &kept, 3, c, &n, &mem));
    ASSERT_EQ(0, n);
    ASSERT_EQ(DC_OK, dc_ncp_contacts(NULL, &w.scene, 3, part, R(9), 0, NULL, NULL, 3, c, &n, &mem));
    ASSERT(n == 3 && !c[0].keep);
    ASSERT_EQ(DC_E_RANGE, dc_ncp_contacts(NULL, &w.scene, 3, part, R(9), 0, NULL, NULL, 2, c, &n, &mem));
    ASSERT_EQ(3, n);
    n = -1;
    mem = dc_arena_make(memory, 8);
    ASSERT_EQ(DC_E_MEMORY, dc_ncp_contacts(NULL, &w.scene, 3, part, R(9), 0, NULL, NULL, 3, c, &n, &mem));
    part[1].mu = bad(4);
    ASSERT_EQ(DC_E_ARG, dc_ncp_contacts(NULL, &w.scene, 3, part, R(9), 0, NULL, NULL, 3, c, &n, &mem));
    part[1].mu = 0;
    part[1].body = 2;
    ASSERT_EQ(DC_E_ARG, dc_ncp_contacts(NULL, &w.scene, 3, part, R(9), 0, NULL, NULL, 3, c, &n, &mem));
    part[1].body = 0;
    ASSERT_EQ(DC_E_ARG, dc_ncp_contacts(NULL, &w.scene, 0, part, R(9), 0, NULL, NULL, 3, c, &n, &mem));
    ASSERT_EQ(DC_E_ARG, dc_ncp_contacts(NULL, &w.scene, 3, part, R(-1), 0, NULL, NULL, 3, c, &n, &mem));
    ASSERT(n == -1 && mem.used == 0);
    PASS();
}

/* how far a ball about x lies beyond the nearest face of a box, negative inside all; no face of a ball */
static double beyond_box(const dc_shape *shape, const dc_pose *pose, dc_v3 x, double radius)
{
    const dc_v3 own = dc_quat_rotate(dc_quat_conj(pose->q), dc_sub(x, pose->t));
    const double at[3] = {fabs((double)own.x), fabs((double)own.y), fabs((double)own.z)};
    double most = -HUGE_VAL;
    int i;
    if (shape->linear == 6) for (i = 0; i < 3; ++i) most = fmax(most, at[i] - (double)shape->b[2*i] - radius);
    return most;
}

/* The same list as by all pairs of parts, each with the place it had, in memory that grows with the parts alone. */
TEST contact_lists_at_random(void)
{
    enum { PARTS = 60, PLACES = 400, MOST = PARTS*(PARTS - 1)/2 };
    static int key[PLACES], had[PARTS*PARTS];
    static dc_real keep[PLACES*100];
    static dc_ncp_part part[PARTS];
    static dc_ncp_body body[PARTS];
    static dc_ncp_contact c[MOST];
    const int apart[4] = {3, 4, 9, 7};
    dc_ncp_memory kept = {PLACES, 100, key, keep};
    dc_shape slope = DC_ZERO;
    dc_arena mem = dc_arena_make(memory, dc_ncp_contacts_bytes(PARTS));
    dc_ncp_scene scene = DC_ZERO;
    world w;
    rng r;
    int run, i, j, k, n, near = 0, followed = 0, beside = 0;
    make(&w);
    {
        static unsigned char own[512];
        dc_arena shapes = dc_arena_make(own, sizeof own);
        ASSERT_EQ(DC_OK, dc_shape_halfspace(3, dc_vec(R(0.6), 0, R(0.8)), R(-1), &shapes, &slope));
    }
    ASSERT(dc_ncp_contacts_bytes(PARTS) < 100*PARTS && dc_ncp_contacts_bytes(10000) < 1000000);
    rng_seed(&r, 5);
    memset(key, 0, sizeof key);
    memset(had, 0, sizeof had);
    scene.dim = 3;
    scene.h = R(0.01);
    scene.body = body;
    scene.bodies = PARTS - 10;
    for (i = 0; i < PARTS; ++i) {
        const int plane = i == 7 || i == 31;
        part[i].body = i == 7 || i%13 == 12 ? -1 : rng_int(&r, 0, scene.bodies - 1);
        part[i].shape = i == 7 ? &w.floor_ : i == 31 ? &slope : i & 1 ? &w.ball : &w.box;
        part[i].radius = plane ? 0 : R(i == 20 ? 1.5 : rng_uniform(&r, 0.1, 0.4));
        part[i].mu = R(0.5);
    }
    for (run = 0; run < 12; ++run) {
        for (i = 0; i < scene.bodies; ++i) {
            if (run%4 == 0) body[i] = w.body[1];
            body[i].mass = R(i%9 != 0);
            body[i].pose.t = dc_madd(dc_scale(R(run%4 ? 1 : 0), body[i].pose.t), R(run%4 ? 0.1 : 1),
                                     dc_vec(R(rng_uniform(&r, -2, 2)), R(rng_uniform(&r, -1, 1)), R(rng_uniform(&r, 0, 2))));
        }
        mem.used = 0;
        ASSERT_EQ(DC_OK, dc_ncp_contacts(NULL, &scene, PARTS, part, R(0.05), 2, apart, &kept, MOST, c, &n, &mem));
        for (k = i = 0; i < PARTS; ++i)
            for (j = i + 1; j < PARTS; ++j) {
                const int a = part[i].body, b = part[j].body, flat_i = !(part[i].shape->size > 0), flat_j = !(part[j].shape->size > 0);
                const dc_v3 x = a < 0 ? dc_vec(0, 0, 0) : body[a].pose.t, y = b < 0 ? dc_vec(0, 0, 0) : body[b].pose.t;
                const dc_ncp_part *ball = part + (flat_i ? j : i), *plane = part + (flat_i ? i : j);
                const dc_v3 at = flat_i ? y : x;
                double gap;
                if (a == b || (flat_i && flat_j) || (a >= 0 && a%9 == 0 && (b < 0 || b%9 == 0)) || (a < 0 && b%9 == 0)
                    || (a == 3 && b == 4) || (a == 4 && b == 3) || (a == 9 && b == 7) || (a == 7 && b == 9)) continue;
                if (flat_i || flat_j) {
                    dc_pose pose = DC_ZERO;
                    dc_v3 normal, local = at;
                    pose.q.w = 1;
                    if (plane->body >= 0) pose = body[plane->body].pose;
                    local = dc_quat_rotate(dc_quat_conj(pose.q), dc_sub(at, pose.t));
                    normal = dc_vec(plane->shape->A[0], plane->shape->A[1], plane->shape->A[2]);
                    gap = (double)(dc_dot(normal, local) - plane->shape->d[0] - ball->radius);
                } else {
                    dc_pose world_pose = DC_ZERO;
                    world_pose.q.w = 1;
                    gap = sqrt((double)dc_dot(dc_sub(x, y), dc_sub(x, y))) - (double)part[i].radius - (double)part[j].radius;
                    beside += gap <= 0.05;
                    gap = fmax(gap, beyond_box(part[i].shape, a < 0 ? &world_pose : &body[a].pose, y, (double)part[j].radius));
                    gap = fmax(gap, beyond_box(part[j].shape, b < 0 ? &world_pose : &body[b].pose, x, (double)part[i].radius));
                    beside -= gap <= 0.05;
                }
                if (fabs(gap - 0.05) < 1e-5) {          /* either is right: as the list has it */
                    near++;
                    if (!(k < n && c[k].shape[0] == ball->shape && c[k].body[0] == ball->body && c[k].body[1] == plane->body)) continue;
                } else if (gap > 0.05) {
                    had[i*PARTS + j] = 0;
                    continue;
                }
                ASSERT(k < n);
                ASSERT(c[k].shape[0] == ball->shape && c[k].body[0] == ball->body && c[k].body[1] == plane->body && c[k].keep);
                if (had[i*PARTS + j] > 0) {
                    ASSERT(c[k].keep == keep + 100*(had[i*PARTS + j] - 1));
                    ++followed;
                } else
                    ASSERT(!(c[k].keep[0] > 0));
                had[i*PARTS + j] = (int)((c[k].keep - keep)/100) + 1;
                c[k].keep[0] = 1;
                ++k;
            }
        ASSERT_EQ(n, k);
    }
    printf("  %d contacts followed, %d at the margin, %d beyond a face\n", followed, near, beside);
    ASSERT(followed > 200 && beside > 20);
    PASS();
}

/* same input, same bits: other memory, other calls between */
TEST determinism(void)
{
    static unsigned char other[1 << 17];
    world a, b;
    int i;
    make(&a);
    b = a;
    b.scene.body = b.body;
    b.scene.contact = b.contact;
    memset(other, 0x5a, sizeof other);
    for (i = 0; i < 40; ++i) {
        dc_arena ma = dc_arena_make(memory, sizeof memory), mb = dc_arena_make(other + 17, sizeof other - 17);
        ASSERT_EQ(DC_OK, dc_ncp_step(NULL, &a.scene, &ma, a.body, NULL, NULL));
        ASSERT_EQ(DC_OK, dc_ncp_step(NULL, &b.scene, &mb, b.body, NULL, NULL));
        memset(memory, i, sizeof memory);
        ASSERT(memcmp(a.body, b.body, sizeof a.body) == 0);
    }
    PASS();
}

/* The unit of mass is of no account: the same bits, in as many steps of Newton, whether bodies weigh kilograms,
 * milligrams or a thousand tons. In float fourth powers of their impulses underflow. */
TEST mass_is_in_any_unit(void)
{
    static const double unit[3] = {1, 1.0/1048576, 1048576};
    world w[3];
    int i, k, u, iterations[3] = {0};
    for (u = 0; u < 3; ++u) {
        make(&w[u]);
        for (i = 0; i < 2; ++i) {
            dc_ncp_body *b = w[u].body + i;
            const dc_real by = R(unit[u]);
            b->mass *= by;
            for (k = 0; k < 9; ++k) b->inertia.m[k] *= by;
            b->force = dc_scale(by, b->force);
            b->torque = dc_scale(by, b->torque);
        }
        for (i = 0; i < 40; ++i) {
            dc_arena mem = dc_arena_make(memory, sizeof memory);
            dc_ncp_info info;
            ASSERT_EQ(DC_OK, dc_ncp_step(NULL, &w[u].scene, &mem, w[u].body, NULL, &info));
            iterations[u] += info.iterations;
        }
        ASSERT_EQ(iterations[0], iterations[u]);
        for (i = 0; i < 2; ++i) {
            const dc_ncp_body *a = w[0].body + i, *b = w[u].body + i;
            ASSERT(memcmp(&a->pose, &b->pose, sizeof a->pose) == 0);
            ASSERT(memcmp(&a->v, &b->v, sizeof a->v) == 0 && memcmp(&a->w, &b->w, sizeof a->w) == 0);
        }
    }
    PASS();
}

SUITE(hostile)
{
    RUN_TEST(constructors);
    RUN_TEST(small_arenas);
    RUN_TEST(growth_ends);
    RUN_TEST(scenes);
    RUN_TEST(small_arenas_of_steps);
    RUN_TEST(bytes_of_a_step);
    RUN_TEST(solutions);
    RUN_TEST(flaws);
    RUN_TEST(ram_bound);
    RUN_TEST(contact_lists);
    RUN_TEST(contact_lists_at_random);
    RUN_TEST(determinism);
    RUN_TEST(mass_is_in_any_unit);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(hostile);
    GREATEST_MAIN_END();
}
