/* What a step must do to be mechanics: sticking and sliding, rolling, spinning, momentum, towers, and hard cases. */
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"
#define DC_NCP_IMPLEMENTATION
#include "dc_ncp.h"

#include <math.h>
#include <string.h>

#include "greatest.h"
#include "support.h"
#include "real.h"

#define R(x) ((dc_real)(x))
#define G 9.81
#define MOST 24

static unsigned char shape_memory[1 << 15], memory[1 << 20];
static dc_arena shapes, mem;
static dc_ncp_body body[MOST];
static dc_ncp_contact contact[3*MOST];
static dc_ncp_scene scene;
static dc_shape ground;

static void begin(int dim, double h)
{
    shapes = dc_arena_make(shape_memory, sizeof shape_memory);
    mem = dc_arena_make(memory, sizeof memory);
    memset(body, 0, sizeof body);
    memset(contact, 0, sizeof contact);
    memset(&scene, 0, sizeof scene);
    scene.dim = dim;
    scene.h = R(h);
    scene.gravity = dim == 2 ? dc_vec(0, R(-G), 0) : dc_vec(0, 0, R(-G));
    scene.body = body;
    scene.contact = contact;
    dc_shape_halfspace(dim, dim == 2 ? dc_vec(0, 1, 0) : dc_vec(0, 0, 1), 0, &shapes, &ground);
}

static dc_ncp_body *add_body(double x, double y, double z, double mass, double inertia)
{
    dc_ncp_body *b = body + scene.bodies++;
    b->pose.q.w = 1;
    b->pose.t = dc_vec(R(x), R(y), R(z));
    b->mass = R(mass);
    b->inertia.m[0] = b->inertia.m[4] = b->inertia.m[8] = R(inertia);
    return b;
}

static dc_ncp_contact *add_contact(int a, int b, const dc_shape *sa, const dc_shape *sb, double mu)
{
    dc_ncp_contact *c = contact + scene.contacts++;
    c->body[0] = a;
    c->body[1] = b;
    c->shape[0] = sa;
    c->shape[1] = sb;
    c->mu = R(mu);
    return c;
}

static dc_status step(const dc_ncp_options *o) { return dc_ncp_step(o, &scene, &mem, body, NULL, NULL); }

#define RHO (DC_IS_FLOAT ? 1e-4 : 1e-7)

/* Appendix C: the box of side 2 at rest on the floor, seen at one alpha and one contact point below its centre */
TEST box_at_rest(void)
{
    dc_shape box;
    dc_ncp_options o = DC_ZERO;
    dc_ncp *solution;
    dc_ncp_touch t;
    dc_real J[12*35];
    double bar = DC_IS_FLOAT ? 1e-3 : 1e-6;
    int i;
    begin(2, 0.1);
    ASSERT_EQ(DC_OK, dc_shape_box(2, dc_vec(1, 1, 0), &shapes, &box));
    add_body(0, 1, 0, 1, 1);
    add_contact(0, -1, &box, &ground, 0);
    o.rho = R(DC_IS_FLOAT ? 1e-5 : 1e-8);
    ASSERT_EQ(DC_OK, dc_ncp_step(&o, &scene, &mem, body, &solution, NULL));
    ASSERT_EQ(DC_OK, dc_ncp_force(solution, 0, &t));
    ASSERT(fabs((double)body[0].pose.t.x) < bar && fabs((double)body[0].pose.t.y - 1) < bar && fabs((double)body[0].pose.q.z) < bar);
    ASSERT(fabs((double)t.p.x) < bar && fabs((double)t.p.y) < bar && fabs((double)t.alpha - 1) < bar);
    ASSERT(fabs((double)t.n.x) < bar && fabs((double)t.n.y - 1) < bar);
    ASSERT(fabs((double)t.impulse.y - G*0.1) < (DC_IS_FLOAT ? 1e-3 : 1e-6));
    /* full rank: the gradient exists, and is that of a box that may not turn or fall */
    ASSERT_EQ(DC_OK, dc_ncp_grad(solution, J, 32 + 3));
    for (i = 0; i < 12*35; ++i) ASSERT(dc_finite(J[i]));
    PASS();
}

/* dc_ncp_forces against the change of momentum: cubes and a ball, whose inertia is the same about all axes, slide, spin and
 * stand on each other, and a ball falls and bounces. Their parts against what is known without the solver: normals are those of the ground, of
 * the lower cube's top; a ball is touched a radius below its centre; friction is within mu times the push, and all of that against the slip. */
TEST forces_are_the_change_of_momentum(void)
{
    worst linear = worst_make("force against the change of momentum"), angular = worst_make("torque likewise");
    worst split = worst_make("normal force not along the face's normal, or friction not across"), place = worst_make("contact points, m");
    worst law = worst_make("friction beyond its cone, or of one that slips not at its edge against the slip");
    const double bar = DC_IS_FLOAT ? 1e-3 : 1e-6;
    dc_ncp_options o = DC_ZERO;
    dc_shape box, sphere;
    int k, i, side, j, count, sliding = 0, bounced = 0;
    begin(3, 0.01);
    o.rho = R(RHO);
    ASSERT_EQ(DC_OK, dc_shape_box(3, dc_vec(R(0.5), R(0.5), R(0.5)), &shapes, &box));
    ASSERT_EQ(DC_OK, dc_shape_sphere(3, R(0.4), &shapes, &sphere));
    add_body(0, 0, 0.5, 2, 0.3);
    add_body(0.1, 0.05, 1.5, 1, 0.2);
    add_body(2, 0, 0.4, 1, 0.1);
    body[0].v.x = 2;
    body[0].w.z = 1;
    body[2].v.y = R(-1.0);
    body[2].w = dc_vec(R(0.5), 3, 4);
    add_contact(0, -1, &box, &ground, 0.4)->mu_spin = R(0.1);
    add_contact(1, 0, &box, &box, 0.3);
    add_contact(2, -1, &sphere, &ground, 0.5)->mu_spin = R(0.05);
    add_body(4, 0, 0.45, 1, 0.1);
    body[3].v = dc_vec(1, 0, -1);
    add_contact(3, -1, &sphere, &ground, 0.3)->restitution = R(0.5);
    for (k = 0; k < 40; ++k) {
        dc_contact_force c[4];
        dc_ncp_body before[4];
        dc_v3 F[4], M[4];
        dc_ncp *solution;
        memcpy(before, body, sizeof before);
        mem = dc_arena_make(memory, sizeof memory);
        ASSERT_EQ(DC_OK, dc_ncp_step(&o, &scene, &mem, body, &solution, NULL));
        ASSERT_EQ(DC_E_MEMORY, dc_ncp_forces(solution, 3, c, &count));
        ASSERT_EQ(DC_OK, dc_ncp_forces(solution, 4, c, &count));
        ASSERT_EQ(4, count);
        for (i = 0; i < 4; ++i) F[i] = M[i] = dc_vec(0, 0, 0);
        for (i = 0; i < count; ++i) {
            const int a = contact[i].body[0], b = contact[i].body[1];
            const dc_v3 up = b < 0 ? dc_vec(0, 0, 1) : dc_quat_rotate(body[b].pose.q, dc_vec(0, 0, 1));
            const dc_v3 all = dc_add(c[i].normal, c[i].friction), off = dc_cross(c[i].normal, up);
            const double size = 1 + sqrt((double)dc_dot(all, all)), push = (double)dc_dot(all, up);
            dc_v3 arm = dc_sub(c[i].point, body[a].pose.t), slip = dc_add(body[a].v, dc_cross(body[a].w, arm)), rub = dc_madd(all, R(-push), up);
            double speed, most = (double)contact[i].mu*push;
            ASSERT(c[i].body_a == contact[i].body[0] && c[i].body_b == contact[i].body[1] && c[i].part_a == i && c[i].vertex == -1);
            ASSERT(push >= 0 && (double)dc_dot(c[i].n, up) > 0.99);
            worst_add(&split, (sqrt((double)dc_dot(off, off)) + fabs((double)dc_dot(c[i].friction, up)))/size, "step %d contact %d", k, i);

            /* on the ground below the centre of a ball; of faces, in their plane */
            if (contact[i].shape[0] == &sphere) arm.z = c[i].point.z;
            else arm = dc_vec(0, 0, dc_dot(arm, up) + R(0.5));
            if (push > 1) worst_add(&place, sqrt((double)dc_dot(arm, arm)), "step %d contact %d", k, i);

            /* Coulomb's law */
            if (b >= 0) slip = dc_sub(slip, dc_add(body[b].v, dc_cross(body[b].w, dc_sub(c[i].point, body[b].pose.t))));
            slip = dc_madd(slip, -dc_dot(slip, up), up);
            speed = sqrt((double)dc_dot(slip, slip));
            worst_add(&law, (sqrt((double)dc_dot(rub, rub)) - most)/size, "step %d contact %d", k, i);
            if (speed > 0.1) {
                rub = dc_madd(rub, R(most/speed), slip);
                worst_add(&law, sqrt((double)dc_dot(rub, rub))/size, "step %d contact %d slips", k, i);
            }
            sliding += dc_dot(c[i].friction, c[i].friction) > R(0.01)*dc_dot(c[i].normal, c[i].normal);
            for (side = 0; side < 2; ++side) {
                const dc_real s = R(side ? -1 : 1);
                j = side ? c[i].body_b : c[i].body_a;
                if (j < 0) continue;
                F[j] = dc_madd(F[j], s, all);
                M[j] = dc_add(M[j], dc_cross(dc_sub(c[i].point, body[j].pose.t), dc_scale(s, all)));
                M[j] = dc_add(M[j], side ? c[i].torque_b : c[i].torque_a);
            }
        }
        for (j = 0; j < 4; ++j) {
            dc_v3 f = dc_scale(body[j].mass/scene.h, dc_sub(body[j].v, before[j].v));
            dc_v3 t = dc_scale(body[j].inertia.m[0]/scene.h, dc_sub(body[j].w, before[j].w));
            f = dc_sub(dc_madd(f, -body[j].mass, scene.gravity), F[j]);
            t = dc_sub(t, M[j]);
            worst_add(&linear, sqrt((double)dc_dot(f, f))/20, "step %d body %d", k, j);
            worst_add(&angular, sqrt((double)dc_dot(t, t))/20, "step %d body %d", k, j);
        }

        /* half of its speed comes back */
        if (before[3].v.z < R(-1.0) && body[3].v.z > R(0.1)) {
            ASSERT(fabs((double)(body[3].v.z/before[3].v.z) + 0.5) < (DC_IS_FLOAT ? 1e-2 : 1e-3));
            ++bounced;
        }
    }
    ASSERT(sliding > 20);
    ASSERT_EQ(1, bounced);
    ASSERT_EQ(DC_E_ARG, dc_ncp_forces(NULL, 0, NULL, &count));
    k = worst_print(&linear, bar) & worst_print(&angular, bar);
    ASSERT(k & worst_print(&split, bar) & worst_print(&place, bar) & worst_print(&law, bar));
    PASS();
}

/* A block on an incline: gravity is turned instead of the ground. Cone friction: any direction. */
TEST incline(void)
{
    worst ws = worst_make("creep of a sticking block, m/s"), wg = worst_make("acceleration against g (sin - mu cos), relative"), wd = worst_make("slip off the line of fall");
    rng r;
    int k, n = (int)sweep_count(12), i;
    rng_seed(&r, 4);
    for (k = 0; k < n; ++k) {
        dc_shape box;
        dc_ncp_options o = DC_ZERO;
        double direction = rng_uniform(&r, 0, 6.28), mu = rng_uniform(&r, 0.2, 0.9), side, angle, v, want;
        int slide = k & 1;
        angle = atan(mu)*(slide ? 1.2 : 0.98);
        begin(3, 0.01);
        o.rho = R(RHO);
        ASSERT_EQ(DC_OK, dc_shape_box(3, dc_vec(R(0.5), R(0.5), R(0.1)), &shapes, &box));
        add_body(0, 0, 0.1, 1, 0.2);
        scene.gravity = dc_vec(R(G*sin(angle)*cos(direction)), R(G*sin(angle)*sin(direction)), R(-G*cos(angle)));
        add_contact(0, -1, &box, &ground, mu);
        for (i = 0; i < 50; ++i) ASSERT_EQ(DC_OK, step(&o));
        v = hypot((double)body[0].v.x, (double)body[0].v.y);
        want = 0.5*G*(sin(angle) - mu*cos(angle));
        if (slide) {
            worst_add(&wg, fabs(v/want - 1), "mu %g direction %g", mu, direction);
            side = fabs(-(double)body[0].v.x*sin(direction) + (double)body[0].v.y*cos(direction))/v;
            worst_add(&wd, side, "mu %g direction %g", mu, direction);
        } else worst_add(&ws, v, "mu %g direction %g", mu, direction);
    }
    ASSERT(worst_print(&ws, DC_IS_FLOAT ? 0.2 : 1e-3));
    if (n > 1) ASSERT(worst_print(&wg, DC_IS_FLOAT ? 0.3 : 1e-3));
    if (n > 1) ASSERT(worst_print(&wd, DC_IS_FLOAT ? 0.05 : 1e-3));
    PASS();
}

/* A sliding ball ends rolling at 5/7 of its speed; a spinning one stops after w I / (mu_spin m g). */
TEST ball(void)
{
    dc_shape sphere;
    dc_ncp_options o = DC_ZERO;
    double v, w;
    int i;
    begin(3, 0.01);
    o.rho = R(RHO);
    ASSERT_EQ(DC_OK, dc_shape_sphere(3, R(0.5), &shapes, &sphere));
    add_body(0, 0, 0.5, 1, 0.4*0.25)->v = dc_vec(R(1.2), R(1.6), 0);
    add_contact(0, -1, &sphere, &ground, 0.3);
    for (i = 0; i < 100; ++i) ASSERT_EQ(DC_OK, step(&o));
    v = hypot((double)body[0].v.x, (double)body[0].v.y);
    printf("  rolls at %.6f of 2 m/s, 5/7 is %.6f\n", v/2, 5.0/7);
    ASSERT(fabs(v/2 - 5.0/7) < (DC_IS_FLOAT ? 0.02 : 2e-3));
    begin(3, 0.01);
    ASSERT_EQ(DC_OK, dc_shape_sphere(3, R(0.5), &shapes, &sphere));
    add_body(0, 0, 0.5, 1, 0.1)->w.z = 10;
    add_contact(0, -1, &sphere, &ground, 0.3)->mu_spin = R(0.02);
    for (i = 0; i < 20; ++i) ASSERT_EQ(DC_OK, step(&o));
    w = 10 - 0.2*0.02*G/0.1;
    printf("  spin %.6f, analytic %.6f\n", (double)body[0].w.z, w);
    ASSERT(fabs((double)body[0].w.z/w - 1) < (DC_IS_FLOAT ? 1e-2 : 1e-3));
    PASS();
}

/* A tumbling body without contact keeps momentum to rounding and energy to the order of the integrator; so do two bodies
 * that collide, to the solver's tolerance. */
TEST momentum(void)
{
    dc_shape box;
    dc_ncp_options o = DC_ZERO;
    worst wl = worst_make("angular momentum"), we = worst_make("energy drift");
    dc_v3 before = {0, 0, 0};
    double energy = 0;
    int i, k;
    begin(3, 0.01);
    scene.gravity = dc_vec(0, 0, 0);
    add_body(0, 0, 0, 2, 1);
    body[0].inertia.m[0] = R(0.5);
    body[0].inertia.m[4] = R(1.1);
    body[0].inertia.m[8] = R(1.4);
    body[0].w = dc_vec(R(0.1), R(3), R(0.2));
    for (i = 0; i < 1000; ++i) {
        dc_ncp_body last = body[0];
        dc_m3 rot, I, Ji;
        dc_v3 L, w, hw;
        double e;
        ASSERT_EQ(DC_OK, step(&o));
        /* the momentum over the step: J_l^-1(-h w) R I R^T w at the attitude before it */
        rot = dc_rotation(last.pose.q);
        w = body[0].w;
        hw = dc_scale(-scene.h, w);
        I = body[0].inertia;
        L = dc_mul(&rot, dc_mul(&I, dc_mul_t(&rot, w)));
        e = 0.5*(double)dc_dot(w, L);
        Ji = dc_so3_jl_inv(hw);
        L = dc_mul(&Ji, L);
        if (i == 0) {
            before = L;
            energy = e;
        }
        L = dc_sub(L, before);
        worst_add(&wl, (double)dc_sqrt(dc_dot(L, L)), "step %d", i);
        worst_add(&we, fabs(e/energy - 1), "step %d", i);
    }
    ASSERT(worst_print(&wl, 2e4*EPS));
    ASSERT(worst_print(&we, 0.02));
    begin(3, 0.01);
    scene.gravity = dc_vec(0, 0, 0);
    o.rho = R(RHO);
    ASSERT_EQ(DC_OK, dc_shape_box(3, dc_vec(R(0.5), R(0.4), R(0.3)), &shapes, &box));
    add_body(0, 0, 0, 1, 0.2)->v = dc_vec(1, 0, 0);
    add_body(1.5, 0.3, 0.1, 3, 0.5)->v = dc_vec(-1, 0, 0);
    add_contact(0, 1, &box, &box, 0.3);
    for (i = 0; i < 60; ++i) ASSERT_EQ(DC_OK, step(&o));
    {
        double spun;
        dc_v3 p = dc_add(body[0].v, dc_scale(3, body[1].v)), L = dc_vec(0, 0, 0);
        for (k = 0; k < 2; ++k) L = dc_add(L, dc_add(dc_cross(body[k].pose.t, dc_scale(body[k].mass, body[k].v)), dc_scale(R(k ? 0.5 : 0.2), body[k].w)));
        spun = fabs((double)L.z - 0.9) + fabs((double)L.y + 0.3) + fabs((double)L.x);
        printf("  after a collision: momentum off by %.2g, angular momentum by %.2g\n", hypot((double)p.x + 2, hypot((double)p.y, (double)p.z)), spun);
        ASSERT(spun < 0.02);         /* h (v_a - v_b) x impulse: the pair moves on by a step while it is pushed */
        ASSERT(hypot((double)p.x + 2, hypot((double)p.y, (double)p.z)) < 60*RHO);
    }
    PASS();
}

/* Restitution e returns e of the speed. */
TEST bounce(void)
{
    dc_shape sphere;
    dc_ncp_options o = DC_ZERO;
    int i;
    double in = 0, out = 0;
    begin(3, 0.002);
    scene.gravity = dc_vec(0, 0, 0);
    o.rho = R(DC_IS_FLOAT ? 1e-5 : RHO);       /* pushes rho/gap of their own, so small gaps ask for a small rho */
    ASSERT_EQ(DC_OK, dc_shape_sphere(3, R(0.5), &shapes, &sphere));
    add_body(0, 0, 0.6, 1, 0.1)->v.z = -2;
    add_contact(0, -1, &sphere, &ground, 0.3)->restitution = R(0.6);
    for (i = 0; i < 200; ++i) {
        ASSERT_EQ(DC_OK, step(&o));
        in = fmin(in, (double)body[0].v.z);
        out = fmax(out, (double)body[0].v.z);
    }
    printf("  in %.4f, out %.4f\n", in, out);
    ASSERT(fabs(out/in + 0.6) < (DC_IS_FLOAT ? 0.05 : 0.01));
    PASS();
}

/* A 3D tower stands. */
TEST tower(void)
{
    dc_shape box;
    dc_ncp_options o = DC_ZERO;
    static dc_real keep[MOST][256];
    int i, k, n = sweep_count(20) < 20 ? 4 : 20, steps = (int)(sweep_count(500) < 500 ? 5 : 500);
    double moved = 0;
    begin(3, 0.02);
    o.rho = R(DC_IS_FLOAT ? 1e-4 : 1e-6);
    ASSERT_EQ(DC_OK, dc_shape_box(3, dc_vec(R(0.25), R(0.25), R(0.25)), &shapes, &box));
    memset(keep, 0, sizeof keep);
    for (k = 0; k < n; ++k) {
        add_body(0, 0, 0.25 + 0.5*k, 1, 1.0/24);
        add_contact(k, k - 1, &box, k ? &box : &ground, 0.5)->keep = keep[k];
    }
    for (i = 0; i < steps; ++i) ASSERT_EQ(DC_OK, step(&o));
    for (k = 0; k < n; ++k) {
        moved = fmax(moved, hypot((double)body[k].pose.t.x, hypot((double)body[k].pose.t.y, (double)body[k].pose.t.z - 0.25 - 0.5*k)));
        moved = fmax(moved, fabs((double)body[k].pose.q.w) < 1 ? sqrt(1 - (double)body[k].pose.q.w*(double)body[k].pose.q.w) : 0);
    }
    printf("  %d boxes, %d steps: moved by %.3g\n", n, steps, moved);
    ASSERT(moved < (DC_IS_FLOAT ? 0.1 : 1e-2));
    PASS();
}

/* Painleve's rod, a rocking block, friction up to 10, mass ratios 1e4, steps of 0.1 s to 1e-4 s: a status, finite numbers, and
 * no energy out of nothing. */
TEST hard_cases(void)
{
    static const double mus[4] = {0.1, 1, 3, 10}, hs[4] = {0.1, 0.02, 1e-3, 1e-4};
    int a, b, c, i, failed = 0, total = 0, grown = 0;
    for (a = 0; a < 4; ++a)
        for (b = 0; b < 4; ++b)
            for (c = 0; c < 4; ++c) {
                dc_shape rod, box;
                dc_status last = DC_OK;
                double energy;
                begin(2, hs[b]);
                ASSERT_EQ(DC_OK, dc_shape_capsule(2, R(0.05), 1, &shapes, &rod));
                ASSERT_EQ(DC_OK, dc_shape_box(2, dc_vec(R(0.2), R(0.5), 0), &shapes, &box));
                if (c == 0) {                   /* a rod pushed along on its tip */
                    add_body(0, 0.5*sin(1.0) + 0.06, 0, 1, 1.0/12);
                    body[0].pose.q = dc_quat_exp(dc_vec(0, 0, R(-1.0)));
                    body[0].v = dc_vec(3, R(-0.1), 0);
                    add_contact(0, -1, &rod, &ground, mus[a]);
                } else if (c == 1) {            /* a rocking block */
                    add_body(0, 0.6, 0, 1, 0.1);
                    body[0].pose.q = dc_quat_exp(dc_vec(0, 0, R(0.2)));
                    add_contact(0, -1, &box, &ground, mus[a]);
                } else {                        /* light under heavy, heavy under light */
                    add_body(0, 0.5, 0, c == 2 ? 1e-2 : 1e2, c == 2 ? 1e-3 : 10);
                    add_body(0, 1.52, 0, c == 2 ? 1e2 : 1e-2, c == 2 ? 10 : 1e-3);
                    add_contact(0, -1, &box, &ground, mus[a]);
                    add_contact(1, 0, &box, &box, mus[a]);
                }
                energy = 0;
                for (i = 0; i < 60; ++i) {
                    double e = 0;
                    int k;
                    dc_status st = step(NULL);
                    total++;
                    failed += st != DC_OK;
                    ASSERT(st == DC_OK || st == DC_E_DIVERGED || st == DC_E_SINGULAR || st == DC_E_RANGE);
                    for (k = 0; k < scene.bodies; ++k) {
                        const dc_ncp_body *q = body + k;
                        ASSERT(dc_finite3(q->pose.t) && dc_finite3(q->v) && dc_finite3(q->w) && dc_finite(q->pose.q.w) && dc_finite(q->pose.q.z));
                        e += 0.5*(double)(q->mass*dc_dot(q->v, q->v) + q->inertia.m[8]*q->w.z*q->w.z) + (double)q->mass*G*(double)q->pose.t.y;
                    }
                    /* what a step that is not solved leaves overlapping is pushed out by the next one */
                    if (i > 0 && st == DC_OK && last == DC_OK && !(e < energy + 0.01*(1 + fabs(energy)))) ++grown;
                    energy = e;
                    last = st;
                }
            }
    printf("  %d of %d steps not solved, %d gain energy\n", failed, total, grown);
    ASSERT_EQ(0, grown);
    ASSERT(failed*100 <= total);
    PASS();
}

/* Four bodies of eight kinds fall into a box, tumbling: nearly every step is solved, none is deeper than it says, none is wild. */
TEST tumbling(void)
{
    static const char *const model[2] = {"cone", "linear"};
    int pyramid, scenes = (int)sweep_count(3), steps = (int)sweep_count(100), run, i, j, k;
    for (pyramid = 0; pyramid < 2; ++pyramid) {
        int failed = 0, total = 0, iterations = 0, most = 0;
        worst wd = worst_make("bound on the depth over rho"), we = worst_make("speed, m/s");
        for (run = 0; run < scenes; ++run) {
            dc_shape s[4], wall[5], part[2];
            double reach[4];
            dc_ncp_options o = DC_ZERO;
            rng r;
            rng_seed(&r, 40 + (uint64_t)run);
            begin(3, 0.01);
            o.rho = R(DC_IS_FLOAT ? 1e-4 : 1e-6);
            o.pyramid = pyramid;
            for (k = 0; k < 4; ++k) {
                double x[3], u[3];
                dc_v3 v[8];
                dc_ncp_body *b;
                for (i = 0; i < 3; ++i) x[i] = rng_uniform(&r, -2, 2);
                for (i = 0; i < 3; ++i) u[i] = rng_uniform(&r, -6, 6);
                for (i = 0; i < 8; ++i) v[i] = dc_vec(R(i & 1 ? 0.2 : -0.15), R(i & 2 ? 0.15 : -0.2), R(i & 4 ? (i & 1 ? 0.1 : 0.2) : -0.15));
                switch ((k + 4*run)%8) {
                case 0: ASSERT_EQ(DC_OK, dc_shape_sphere(3, R(0.2), &shapes, &s[k])); reach[k] = 0.2; break;
                case 1: ASSERT_EQ(DC_OK, dc_shape_box(3, dc_vec(R(0.25), R(0.15), R(0.2)), &shapes, &s[k])); reach[k] = 0.36; break;
                case 2: ASSERT_EQ(DC_OK, dc_shape_hull(3, 8, v, &shapes, &s[k])); reach[k] = 0.35; break;
                case 3:
                    ASSERT_EQ(DC_OK, dc_shape_box(3, dc_vec(R(0.2), R(0.1), R(0.12)), &shapes, &part[0]));
                    ASSERT_EQ(DC_OK, dc_shape_sphere(3, R(0.06), &shapes, &part[1]));
                    ASSERT_EQ(DC_OK, dc_shape_sum(&part[0], &part[1], &shapes, &s[k]));
                    reach[k] = 0.32;
                    break;
                case 4: ASSERT_EQ(DC_OK, dc_shape_capsule(3, R(0.12), R(0.4), &shapes, &s[k])); reach[k] = 0.32; break;
                case 5: ASSERT_EQ(DC_OK, dc_shape_cylinder(3, R(0.15), R(0.4), &shapes, &s[k])); reach[k] = 0.25; break;
                case 6: ASSERT_EQ(DC_OK, dc_shape_cone(3, R(0.5), R(0.5), &shapes, &s[k])); reach[k] = 0.38; break;
                default: ASSERT_EQ(DC_OK, dc_shape_ellipsoid(3, dc_vec(R(0.15), R(0.22), R(0.3)), &shapes, &s[k])); reach[k] = 0.3; break;
                }
                b = add_body(0.1*x[0], 0.1*x[1], 0.45 + 0.7*k, 1, 0.02);
                b->pose.q = dc_quat_exp(dc_vec(R(x[0]), R(x[1]), R(x[2])));
                b->w = dc_vec(R(u[0]), R(u[1]), R(u[2]));
            }
            for (k = 0; k < 5; ++k) {
                const double n[5][3] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
                ASSERT_EQ(DC_OK, dc_shape_halfspace(3, dc_vec(R(n[k][0]), R(n[k][1]), R(n[k][2])), R(k ? -0.6 : 0), &shapes, &wall[k]));
            }
            for (i = 0; i < steps; ++i) {
                dc_ncp_info info;
                dc_status st;
                memset(contact, 0, sizeof contact);
                scene.contacts = 0;
                for (k = 0; k < 4; ++k) {
                    for (j = 0; j < 5; ++j) {
                        const dc_real *n = wall[j].A;
                        double d = (double)(dc_dot(dc_vec(n[0], n[1], n[2]), body[k].pose.t) - wall[j].d[0]);
                        if (d < reach[k] + 0.15) add_contact(k, -1, &s[k], &wall[j], 0.4);
                    }
                    for (j = 0; j < k; ++j) {
                        dc_v3 d = dc_sub(body[k].pose.t, body[j].pose.t);
                        if (sqrt((double)dc_dot(d, d)) < reach[k] + reach[j] + 0.15) add_contact(k, j, &s[k], &s[j], 0.4);
                    }
                }
                st = dc_ncp_step(&o, &scene, &mem, body, NULL, &info);
                total++;
                failed += st != DC_OK;
                iterations += info.iterations;
                if (info.iterations > most) most = info.iterations;
                if (st == DC_OK) worst_add(&wd, (double)info.depth/(double)o.rho, "scene %d step %d", run, i);
                for (k = 0; k < 4; ++k) {
                    ASSERT(dc_finite3(body[k].pose.t) && dc_finite3(body[k].v) && dc_finite3(body[k].w));
                    worst_add(&we, sqrt((double)dc_dot(body[k].v, body[k].v)), "scene %d step %d body %d", run, i, k);
                }
            }
        }
        printf("  %s friction: %d of %d steps not solved, %.1f iterations, at most %d\n", model[pyramid], failed, total, (double)iterations/total, most);
        ASSERT(failed*100 <= total && iterations <= 30L*total && most <= 200);
        if (total > 10) ASSERT(worst_print(&wd, 4));
        if (total > 10) ASSERT(worst_print(&we, 12));
    }
    PASS();
}

SUITE(mechanics)
{
    RUN_TEST(box_at_rest);
    RUN_TEST(incline);
    RUN_TEST(forces_are_the_change_of_momentum);
    RUN_TEST(ball);
    RUN_TEST(momentum);
    RUN_TEST(bounce);
    RUN_TEST(tower);
    RUN_TEST(hard_cases);
    RUN_TEST(tumbling);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(mechanics);
    GREATEST_MAIN_END();
}
