/* Nothing depends on kilograms, metres or seconds: scenes scaled step by step, things at rest that neither creep nor
 * float, whatever their weight, and a pile that friction barely holds. */
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
enum { MOST = 6, TOUCHES = 24 };

static unsigned char shape_memory[1 << 16], memory[1 << 20];

typedef struct {
    dc_arena shapes;
    dc_ncp_scene scene;
    dc_ncp_body body[MOST];
    dc_ncp_contact contact[TOUCHES];
    dc_shape shape[8], ground;
    int n;
    double length;      /* unit of what follows */
} world;

static void begin(world *w, double length, double h)
{
    memset(w, 0, sizeof *w);
    w->shapes = dc_arena_make(shape_memory, sizeof shape_memory);
    w->length = length;
    w->scene.dim = 3;
    w->scene.h = R(h);
    w->scene.gravity = dc_vec(0, 0, R(-G));
    w->scene.body = w->body;
    w->scene.contact = w->contact;
    dc_shape_halfspace(3, dc_vec(0, 0, 1), 0, &w->shapes, &w->ground);
}

/* inertia over mass in units of length^2 */
static dc_ncp_body *add_body(world *w, double x, double y, double z, double mass, double inertia)
{
    dc_ncp_body *b = w->body + w->scene.bodies++;
    double l = w->length;
    b->pose.q.w = 1;
    b->pose.t = dc_vec(R(l*x), R(l*y), R(l*z));
    b->mass = R(mass);
    b->inertia.m[0] = b->inertia.m[4] = b->inertia.m[8] = R(mass*inertia*l*l);
    b->inertia.m[0] *= R(0.9);
    return b;
}

static void add_contact(world *w, int a, int b, const dc_shape *sa, const dc_shape *sb, double mu)
{
    dc_ncp_contact *c = w->contact + w->scene.contacts++;
    c->body[0] = a;
    c->body[1] = b;
    c->shape[0] = sa;
    c->shape[1] = sb;
    c->mu = R(mu);
}

static dc_ncp_options options;

static dc_status step(const dc_ncp_scene *scene, dc_ncp_body *next)
{
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    return dc_ncp_step(&options, scene, &mem, next, NULL, NULL);
}

/* ---- scaled scenes ------------------------------------------------------------------------------ */

enum { TUMBLE, TOWER, SLIDE, HEAVY, BOUNCE, COLLIDE, SCENES };
static const char *const scene_name[SCENES] = {"tumble", "tower", "slide", "heavy on light", "bounce", "collision"};

/* The shapes and the world of a scene in units of `length`, masses of `mass`, h and velocities of `time`. */
static void make(world *w, int which, double mass, double length, double time)
{
    double l = length, v = length/time;
    int i, j;
    begin(w, length, (which == HEAVY ? 0.02 : 0.01)*time);
    w->scene.gravity.z = R(-G*length/(time*time));
    dc_shape_box(3, dc_vec(R(0.3*l), R(0.25*l), R(0.2*l)), &w->shapes, &w->shape[0]);
    dc_shape_sphere(3, R(0.2*l), &w->shapes, &w->shape[1]);
    dc_shape_capsule(3, R(0.15*l), R(0.5*l), &w->shapes, &w->shape[2]);
    dc_shape_cylinder(3, R(0.2*l), R(0.4*l), &w->shapes, &w->shape[3]);
    if (which == TUMBLE) {
        for (i = 0; i < 4; ++i) {
            dc_ncp_body *b = add_body(w, 0.1*i, 0.05*i*i, 0.4 + 0.55*i, mass*(1 + 0.3*i), 0.04);
            b->pose.q = dc_quat_exp(dc_vec(R(0.4 + 0.3*i), R(0.2*i), R(-0.5 + 0.2*i)));
            b->w = dc_vec(R((1 - i)/time), R(2/time), R(-1/time));
            add_contact(w, i, -1, &w->shape[i], &w->ground, 0.4);
            for (j = 0; j < i; ++j) add_contact(w, i, j, &w->shape[i], &w->shape[j], 0.3);
        }
        w->contact[0].mu_spin = R(0.01*l);
    } else if (which == TOWER) {
        for (i = 0; i < 4; ++i) {
            add_body(w, 0.02*i, -0.01*i, 0.2 + 0.4*i, mass, 0.04);
            add_contact(w, i, i - 1, &w->shape[0], i > 0 ? &w->shape[0] : &w->ground, 0.5);
        }
    } else if (which == SLIDE) {
        add_body(w, 0, 0, 0.2, mass, 0.03)->v = dc_vec(R(1.5*v), R(0.5*v), 0);
        add_contact(w, 0, -1, &w->shape[0], &w->ground, 0.3);
    } else if (which == HEAVY) {
        add_body(w, 0, 0, 0.2, mass, 0.04);
        add_body(w, 0.02, 0, 0.6, 50*mass, 0.04);
        add_contact(w, 0, -1, &w->shape[0], &w->ground, 0.5);
        add_contact(w, 1, 0, &w->shape[0], &w->shape[0], 0.5);
    } else if (which == BOUNCE) {
        dc_ncp_body *b = add_body(w, 0, 0, 0.5, mass, 0.03);
        b->pose.q = dc_quat_exp(dc_vec(R(0.5), R(0.3), 0));
        b->v = dc_vec(R(0.5*v), 0, R(-2*v));
        add_contact(w, 0, -1, &w->shape[0], &w->ground, 0.3);
        w->contact[0].restitution = R(0.4);
    } else {
        w->scene.gravity.z = 0;
        add_body(w, 0, 0, 0, mass, 0.04)->v = dc_vec(R(v), 0, 0);
        add_body(w, 0.9, 0.1, 0.05, 3*mass, 0.04)->v = dc_vec(R(-v), 0, 0);
        add_contact(w, 0, 1, &w->shape[0], &w->shape[3], 0.3);
    }
}

static double apart(dc_v3 a, dc_v3 b, double scale)
{
    dc_v3 d = dc_sub(dc_scale(R(scale), a), b);
    return sqrt((double)dc_dot(d, d));
}

/* Each step of a run taken again with the same state in other units. */
static enum greatest_test_res in_units(const char *what, double mass, double length, double time)
{
    worst wv = worst_make(what);
    int which, i, k, other = 0, steps = 0;
    for (which = 0; which < SCENES; ++which) {
        static world w, s;
        make(&w, which, 1, 1, 1);
        for (i = 0; i < 40; ++i) {
            dc_ncp_body next[MOST], scaled[MOST];
            dc_status status[2];
            double v = G*(double)w.scene.h, e = 0;
            unsigned char keep[sizeof shape_memory/16];
            size_t used = w.shapes.used;
            if (used > sizeof keep) FAILm("room for shapes");
            memcpy(keep, shape_memory, used);       /* the other world's shapes take their place */
            status[0] = step(&w.scene, next);
            make(&s, which, mass, length, time);
            for (k = 0; k < w.scene.bodies; ++k) {
                s.body[k].pose.q = w.body[k].pose.q;
                s.body[k].pose.t = dc_scale(R(length), w.body[k].pose.t);
                s.body[k].v = dc_scale(R(length/time), w.body[k].v);
                s.body[k].w = dc_scale(R(1/time), w.body[k].w);
            }
            status[1] = step(&s.scene, scaled);
            memcpy(shape_memory, keep, used);
            steps++;
            if (status[0] != status[1]) {
                if (other++ < 3) printf("  %s, step %d: %s instead of %s\n", scene_name[which], i,
                                        dc_status_text(status[1]), dc_status_text(status[0]));
            }
            for (k = 0; k < w.scene.bodies; ++k) v = fmax(v, sqrt((double)dc_dot(next[k].v, next[k].v)));
            for (k = 0; k < w.scene.bodies && status[0] == DC_OK && status[1] == DC_OK; ++k) {
                e = fmax(e, apart(scaled[k].v, next[k].v, time/length));
                e = fmax(e, 0.3*apart(scaled[k].w, next[k].w, time));
            }
            if (status[0] == DC_OK && status[1] == DC_OK) worst_add(&wv, e/v, "%s step %d", scene_name[which], i);
            memcpy(w.body, next, sizeof next);
        }
    }
    printf("  %d of %d statuses differ\n", other, steps);
    k = worst_print(&wv, rounded(1e-9, 1e-3));
    ASSERT_EQ(0, other);
    ASSERT(k);
    PASS();
}

static double factor;

TEST masses(void)
{
    char s[80];
    sprintf(s, "velocities, masses x %g", factor);
    return in_units(s, factor, 1, 1);
}

TEST lengths(void)
{
    char s[80];
    sprintf(s, "velocities, lengths x %g, times x sqrt", factor);
    return in_units(s, 1, factor, sqrt(factor));
}

TEST all_units(void)
{
    char s[80];
    sprintf(s, "velocities, masses x %g, lengths, times", factor);
    return in_units(s, factor, pow(factor, -0.5), pow(factor, 0.4));
}

/* ---- at rest --------------------------------------------------------------------------------------- */

static const double steps_of[3] = {0.1, 0.01, 1e-3};

/* What the header says of creep in float: rho V/(mu - mu') of pairs of length l, with `left` of mu not used, and what poses of size
 * q can hold, eps q/h. In double, a bar. */
static double still(double bar, double left, double l, double q, double h)
{
    const double rho = options.rho > 0 ? (double)options.rho : 1e-4;
    return DC_IS_FLOAT ? rho*sqrt(G*l)/left + EPS*q/h : bar;
}

/* A cube on a slope of half the friction angle's tangent stands still. */
TEST creep(void)
{
    worst ws = worst_make(DC_IS_FLOAT ? "creep, of what float can hold" : "creep, of 1e-5 m/s");
    double slope = atan(0.25), mass;
    int k, i, bad = 0;
    for (mass = rounded(1e-3, 1e-2); mass < rounded(2e4, 2e3); mass *= 10)
        for (k = 0; k < 3; ++k) {
            static world w;
            dc_shape hill;
            begin(&w, 1, steps_of[k]);
            dc_shape_box(3, dc_vec(R(0.5), R(0.5), R(0.5)), &w.shapes, &w.shape[0]);
            dc_shape_halfspace(3, dc_vec(R(sin(slope)), 0, R(cos(slope))), 0, &w.shapes, &hill);
            add_body(&w, 0.5*sin(slope), 0, 0.5*cos(slope), mass, 1.0/6)->pose.q = dc_quat_exp(dc_vec(0, R(slope), 0));
            add_contact(&w, 0, -1, &w.shape[0], &hill, 0.5);
            for (i = 0; i < 20; ++i) bad += step(&w.scene, w.body) != DC_OK;
            worst_add(&ws, sqrt((double)dc_dot(w.body[0].v, w.body[0].v))/still(1e-5, 0.25, 0.5, 0.5, steps_of[k]), "%g kg, h %g s", mass,
                      steps_of[k]);
        }
    ASSERT(worst_print(&ws, 1));
    ASSERT_EQ(0, bad);
    PASS();
}

/* A cube that was put on the floor stays there, and does not float. Where gravity carries it farther in a step than it is wide, a step
 * has several solutions: tilted at every step by some 1e-6, which is what rounding in float does, one in six tumbles, in double too. */
TEST hover(void)
{
    static const double side[3] = {1, 0.1, 0.01};
    worst wh = worst_make("distance from the floor, sides");
    double mass;
    int k, j, i, bad = 0, lost = 0, wide = 0, tumbled = 0;
    for (mass = rounded(1e-3, 1e-2); mass < rounded(2e4, 2e3); mass *= 10)
        for (k = 0; k < 3; ++k)
            for (j = 0; j < 3; ++j) {
                static world w;
                double half = side[j]/2;
                const int far = G*steps_of[k]*steps_of[k] > side[j];
                int tilted;
                for (tilted = far ? 16 : 0; tilted >= 0; --tilted) {
                    begin(&w, side[j], steps_of[k]);
                    dc_shape_box(3, dc_vec(R(half), R(half), R(half)), &w.shapes, &w.shape[0]);
                    add_body(&w, 0, 0, 0.5, mass, 1.0/6)->pose.q = dc_quat_exp(dc_vec(R(2e-7*tilted), R(1e-7*tilted*(tilted%3)), 0));
                    add_contact(&w, 0, -1, &w.shape[0], &w.ground, 0.5);
                    for (i = 0; i < 50; ++i) {
                        *(tilted > 0 ? &lost : &bad) += step(&w.scene, w.body) != DC_OK;
                        if (tilted > 0) w.body[0].pose.q = dc_quat_mul(dc_quat_exp(dc_vec(R(1e-6*(i*7%5 - 2)), R(1e-6*(i*3%7 - 3)), 0)),
                                                                        w.body[0].pose.q);
                    }
                    tumbled += tilted > 0 && fabs((double)w.body[0].pose.t.z - half) > 0.01*side[j];
                    wide += tilted > 0;
                }
                if (far && DC_IS_FLOAT) continue;
                worst_add(&wh, fabs((double)w.body[0].pose.t.z - half)/side[j], "side %g m, %g kg, h %g s", side[j],
                          mass, steps_of[k]);
            }
    ASSERT(worst_print(&wh, 1e-4));
    printf("  of %d cubes that gravity carries farther than they are wide, tilted by 1e-6 at every step, %d tumble; of %d steps %d not solved\n", wide, tumbled,
           50*wide, lost);
    ASSERT(tumbled > 0);
    ASSERT_EQ(0, bad);
    PASS();
}

/* Two cylinders side by side and one on them hold by friction above tan 15 degrees, 0.268. */
TEST three_cylinders(void)
{
    static const double hs[4] = {0.02, 0.01, 5e-3, 1e-3}, radii[2] = {0.25, 0.1};
    worst ws = worst_make(DC_IS_FLOAT ? "sinking in 0.6 s at mu 0.275, of creep" : "sinking in 0.6 s at mu 0.275, of 2e-4 m");
    int k, j, i, bad = 0;
    for (k = 0; k < 4; ++k)
        for (j = 0; j < 2; ++j) {
            static world w;
            double top = 1 + sqrt(3.0), r = radii[j];
            begin(&w, r, hs[k]);
            dc_shape_cylinder(3, R(r), R(4*r), &w.shapes, &w.shape[0]);
            add_body(&w, 0, -1, 1, 1, 1.5);
            add_body(&w, 0, 1, 1, 1, 1.5);
            add_body(&w, 0, 0, top, 1, 1.5);
            for (i = 0; i < 3; ++i) {
                w.body[i].inertia.m[0] = R(0.5*r*r);
                add_contact(&w, i, -1, &w.shape[0], &w.ground, 0.275);
                if (i > 0) add_contact(&w, i, 0, &w.shape[0], &w.shape[0], 0.275);
            }
            add_contact(&w, 2, 1, &w.shape[0], &w.shape[0], 0.275);
            for (i = 0; i < (int)(0.6/hs[k] + 0.5); ++i) bad += step(&w.scene, w.body) != DC_OK;
            worst_add(&ws, fabs(r*top - (double)w.body[2].pose.t.z)/still(2e-4, (0.275 - tan(atan(1.0)/3))/0.6, r, 0, 1), "radius %g m, h %g s", r,
                      hs[k]);
        }
    ASSERT(worst_print(&ws, 1));
    ASSERT_EQ(0, bad);
    PASS();
}

SUITE(units)
{
    static const double mass[6] = {1e-6, 1e-3, 0.1, 30, 1e3, 1e6}, length[5] = {1e-3, 1e-2, 0.3, 10, 1e3},
        all[4] = {1e-6, 1e-3, 1e3, 1e6};
    int k;
    for (k = 0; k < 6; ++k) {
        factor = mass[k];
        RUN_TEST(masses);
    }
    for (k = 0; k < 5; ++k) {
        factor = length[k];
        RUN_TEST(lengths);
    }
    for (k = 0; k < 4; ++k) {
        factor = all[k];
        RUN_TEST(all_units);
    }
    RUN_TEST(creep);
    if (DC_IS_FLOAT) {          /* rho as the header says for bodies that rest */
        options.rho = R(1e-6);
        RUN_TEST(creep);
        options.rho = 0;
    }
    RUN_TEST(hover);
    RUN_TEST(three_cylinders);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(units);
    GREATEST_MAIN_END();
}
