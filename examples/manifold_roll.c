/* manifold_roll.c - objects that are not convex roll over each other, with and without edge contacts, and the derivative of where they go
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * A step is one smooth convex problem over the contacts of their manifolds (roll.h). The page shows each scene with the contacts of edges
 * and without them. Energy is printed, and momenta: what their change in a step is off what gravity and the ground gave. Then the
 * derivative of where the last body ends by how all bodies began a number of steps before is compared with differences of whole runs. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_WITNESS_IMPLEMENTATION
#include "dc_witness.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"
#include "objects.h"
#include "roll.h"

enum { MOST_STEPS = 4800, PER_FRAME = 4 };

/* who is in a scene, and where they begin: position, rotation vector */
typedef struct { const char *name; int bodies, kind[ROLL_BODIES]; double pose[ROLL_BODIES][6]; } scene;
static const scene scenes[] = {
    {"figure on figure", 2, {OBJECT_FIGURE, OBJECT_FIGURE}, {{0, 0, 1.05, 0.5, 0.3, 0}, {0, -0.1, 2.4, 0.9, -1.2, 0.4}}},
    {"drill on aeroplane", 2, {OBJECT_AEROPLANE, OBJECT_DRILL}, {{0, 0, 0.45, 0, 0, 0}, {0.1, 0.1, 1.3, 0.4, 1.4, 0.5}}},
    {"screwdriver into a pile", 4, {OBJECT_AEROPLANE, OBJECT_DRILL, OBJECT_TOY, OBJECT_SCREWDRIVER},
     {{0, 0, 0.45, 0, 0, 0}, {0.3, -0.3, 1.2, 0.3, 1.5, 0.5}, {-0.4, 0.3, 2.0, 1.2, 0.4, 0}, {0, 0.1, 3.2, -1.2, 0.3, 0.8}}}
};
enum { SCENES = (int)(sizeof scenes/sizeof scenes[0]) };

typedef struct { view *v; int vertices, edges, forces; } marks;

static object     objects[OBJECT_KINDS];
static roll_state state[MOST_STEPS + 1];
static dc_real    velocity[MOST_STEPS + 1][ROLL_DIM];
static roll_pairs pairs;
static unsigned char memory[1 << 26];

static void mark(void *user, int edge, const dc_manifold_contact *c, dc_v3 impulse)
{
    const marks *m = (const marks *)user;
    view_ball(m->v, edge ? m->edges : m->vertices, c->p, DC_R(0.05)*c->act);
    if (dc_dot(impulse, impulse) > DC_R(1e-4)) view_arrow(m->v, m->forces, c->p, dc_scale(DC_R(0.05), impulse));
}

static double energy(const roll *r, const roll_state *x)
{
    dc_real Mu[ROLL_DIM];
    double  sum = 0;
    int     i;
    roll_times_mass(r, x, r->u, Mu);
    for (i = 0; i < 6*r->bodies; i++) sum += 0.5*(double)(Mu[i]*r->u[i]);
    for (i = 0; i < r->bodies; i++) sum += (double)(roll_mass(r, i)*r->gravity*x->pose[i].t.z);
    return sum;
}

/* Linear and angular momentum of all bodies, the latter about the world's origin. */
typedef struct { dc_v3 linear, angular; } momenta;

static momenta momenta_of(const roll *r, const roll_state *x)
{
    momenta sum = DC_ZERO;
    int i;
    for (i = 0; i < r->bodies; i++) {
        const dc_v3 p = roll_linear(x->momentum, i);
        sum.linear = dc_add(sum.linear, p);
        sum.angular = dc_add(sum.angular, dc_add(roll_angular(x->momentum, i), dc_cross(x->pose[i].t, p)));
    }
    return sum;
}

/* What gravity and the ground gave in the step from x that was done last. Bodies give each other nothing that lasts: of the momenta's
 * change this should leave rounding and what Newton left. */
static momenta momenta_given(const roll *r, const roll_state *x)
{
    momenta sum = DC_ZERO;
    int i, k, on, by, edge;
    for (i = 0; i < r->bodies; i++) {
        const dc_v3 f = dc_vec(0, 0, -r->h*roll_mass(r, i)*r->gravity);
        sum.linear = dc_add(sum.linear, f);
        sum.angular = dc_add(sum.angular, dc_cross(x->pose[i].t, f));
    }
    for (i = 0; i < pairs.count; i++)
        for (k = 0; pairs.pair[i].b < 0 && k < pairs.pair[i].count; k++) {
            const dc_manifold_contact *c = &pairs.pair[i].contact[k];
            dc_v3 f;
            roll_sides(&pairs.pair[i], k, &on, &by, &edge);
            f = roll_cone_at(r, c, dc_sub(roll_velocity(x, r->u, on, c->p), roll_velocity(x, r->u, by, c->p))).impulse;
            f = dc_scale(roll_share(c, edge), f);
            sum.linear = dc_add(sum.linear, f);
            sum.angular = dc_add(sum.angular, dc_cross(c->p, f));
        }
    return sum;
}

static double size_of(dc_v3 v) { return sqrt((double)dc_dot(v, v)); }

/* where the last body is, in one number */
static double place(const roll *r, const roll_state *x)
{
    const dc_v3 t = x->pose[r->bodies - 1].t;
    return (double)t.x + 0.5*(double)t.y - 0.3*(double)t.z;
}

/* `steps` steps from state[from]; 0: one of them failed */
static int run(roll *r, int from, int steps)
{
    dc_real factor[ROLL_DIM*ROLL_DIM];
    int     i;
    memcpy(r->u, velocity[from], sizeof r->u);
    for (i = from; i < from + steps; i++) {
        if (roll_step(r, &state[i], &state[i + 1], &pairs, factor) != DC_OK) return 0;
        memcpy(velocity[i + 1], r->u, sizeof r->u);
    }
    return 1;
}

/* The derivative of `place` after these steps by the twists of all bodies before them, and its largest distance from differences, over
 * the largest entry; below 0: a step failed. */
static double gradient(roll *r, int from, int steps, double *largest)
{
    dc_real    factor[ROLL_DIM*ROLL_DIM];
    const int  last = r->bodies - 1, n = 6*r->bodies;
    const roll_state begin = state[from];
    roll_bar   bar = DC_ZERO;
    roll_state unused;
    double     worst = 0;
    int        i, k;

    if (!run(r, from, steps)) return -1;
    bar.twist[6*last] = 1;
    bar.twist[6*last + 1] = DC_R(0.5);
    bar.twist[6*last + 2] = DC_R(-0.3);
    for (i = from + steps - 1; i >= from; i--) {
        memcpy(r->u, velocity[i + 1], sizeof r->u);
        if (roll_step(r, &state[i], &unused, &pairs, factor) != DC_OK || roll_back(r, &state[i], &pairs, factor, &bar) != DC_OK) return -1;
    }

    *largest = 0;
    for (k = 0; k < n; k++) *largest = fmax(*largest, fabs((double)bar.twist[k]));
    for (k = 0; k < n; k++) {
        /* a contact that begins to slide or to part between the two points spoils a difference: the better of two */
        double end[2], error = 1e300, h = DC_IS_FLOAT ? 1e-3 : 1e-7;
        int    side, again;
        for (again = 0; again < 2; again++, h *= 0.1) {
            for (side = 0; side < 2; side++) {
                dc_real move[6] = {0};
                move[k%6] = (dc_real)(side ? -h : h);
                state[from] = begin;
                state[from].pose[k/6] = dc_pose_retract(begin.pose[k/6], move);
                if (!run(r, from, steps)) return -1;
                end[side] = place(r, &state[from + steps]);
            }
            error = fmin(error, fabs((end[0] - end[1])/(2*h) - (double)bar.twist[k]));
        }
        worst = fmax(worst, error);
    }
    state[from] = begin;
    return worst/fmax(*largest, 1e-30);
}

int main(int argc, char **argv)
{
    double      seconds = 3, which = 0;
    cli_number  number[] = {{"seconds", &seconds, 0.1, 20, "how long they roll"},
                            {"scene", &which, 0, SCENES - 1, "0: figures, 1: drill on aeroplane, 2: pile"}};
    cli         o = cli_parse(argc, argv, "Rolls objects that are not convex over each other.", "manifold_roll.html", number, 2);
    const scene *s = &scenes[(int)which];
    dc_arena    mem = dc_arena_make(memory, sizeof memory);
    object_ground flat;
    dc_pose     rest = {{1, 0, 0, 0}, {0, 0, 0}};
    roll        r = DC_ZERO;
    view_options page = DC_ZERO;
    view       *v;
    marks       m;
    cli_bar     bar;
    double      left = 0;
    int         i, k, without, steps, id[ROLL_BODIES], shape[ROLL_BODIES], series[6], newton = 0, most = 0, failed = 0;

    object_ground_make(&flat);
    r.ground.mesh = &flat.mesh;
    r.ground.sdf = &flat.field;
    r.bodies = s->bodies;
    r.density = 100;
    r.gravity = DC_R(9.81);
    r.friction = DC_R(0.5);
    r.stiffness = DC_R(3e4);
    r.delay = DC_R(0.02);
    r.slip = DC_R(1e-2);
    r.h = DC_R(1.0/240);
    r.mem = &mem;
    for (i = 0; i < r.bodies; i++) {
        object *body = &objects[s->kind[i]];
        dc_status e = body->mesh.nv ? DC_OK : object_make(body, s->kind[i], &mem);
        if (e != DC_OK) return cli_error("%s: %s", object_table[s->kind[i]].name, dc_status_text(e));
        r.object[i] = body;
    }
    steps = (int)(240*(o.quick ? 0.5 : seconds));

    page.title = s->name;
    page.note = "One convex problem a step over the contacts of their manifolds; beside it the same without contacts of edges.";
    page.rate = 60;
    v = view_open(o.out, &page);
    for (i = 0; i < r.bodies; i++) shape[i] = view_mesh(v, r.object[i]->v, r.object[i]->mesh.nv, r.object[i]->tri, r.object[i]->mesh.nt);
    bar = cli_bar_begin("roll", 2*steps, "steps");
    for (without = 1; without >= 0; without--) {
        const char *what = without ? "vertices" : "all";
        double first = 0, deepest = 0, most_energy, off = 0, most_linear = 0, most_angular = 0;
        momenta last = DC_ZERO;
        view_run(v, without ? "without edges" : "with edges");
        for (i = 0; i < r.bodies; i++) id[i] = view_body(v, shape[i], NULL);
        view_fixed(v, view_plane(v, DC_R(0.5)), NULL, rest);
        m.v = v;
        m.vertices = view_overlay(v, VIEW_SPHERES, "vertex contacts", "#d64f6b", 0);
        m.edges = view_overlay(v, VIEW_SPHERES, "edge contacts", "#8a63d2", 0);
        m.forces = view_overlay(v, VIEW_ARROWS, "impulses", "#24292f", 0);
        series[0] = view_series(v, "kinetic and potential energy", "J", 0);
        series[1] = view_series(v, "deepest vertex", "m", 0);
        series[2] = view_series(v, "sum of activities", "", 0);
        series[3] = view_series(v, "Newton steps", "", 0);
        series[4] = view_series(v, "linear momentum", "kg m/s", 0);
        series[5] = view_series(v, "angular momentum", "kg m2/s", 0);

        memset(&state[0], 0, sizeof state[0]);
        memset(velocity[0], 0, sizeof velocity[0]);
        memset(r.u, 0, sizeof r.u);
        for (i = 0; i < r.bodies; i++) {
            const double *p = s->pose[i];
            state[0].pose[i].t = dc_vec((dc_real)p[0], (dc_real)p[1], (dc_real)p[2]);
            state[0].pose[i].q = dc_quat_exp(dc_vec((dc_real)p[3], (dc_real)p[4], (dc_real)p[5]));
        }
        r.no_ee = without;
        first = most_energy = energy(&r, &state[0]);
        for (k = 0; k < steps && view_ok(v) && !cli_stopped(); k++) {
            dc_real factor[ROLL_DIM*ROLL_DIM];
            dc_status e;
            r.show = k%PER_FRAME == 0 ? mark : NULL;
            r.user = &m;
            e = roll_step(&r, &state[k], &state[k + 1], &pairs, factor);
            if (e != DC_OK) {
                failed += cli_error("step %d: %s, %g left of the momenta", k, dc_status_text(e), r.left);
                break;
            }
            memcpy(velocity[k + 1], r.u, sizeof r.u);
            newton += r.newton;
            most = r.newton > most ? r.newton : most;
            left = fmax(left, r.left);
            deepest = fmax(deepest, (double)r.depth);
            most_energy = fmax(most_energy, energy(&r, &state[k + 1]));
            {
                const momenta now = momenta_of(&r, &state[k + 1]), given = momenta_given(&r, &state[k]);
                const dc_v3 lost = dc_sub(dc_sub(now.linear, last.linear), given.linear);
                const dc_v3 turned = dc_sub(dc_sub(now.angular, last.angular), given.angular);
                most_linear = fmax(most_linear, size_of(now.linear));
                most_angular = fmax(most_angular, size_of(now.angular));
                off = fmax(off, fmax(size_of(lost)/most_linear, size_of(turned)/(most_linear + most_angular)));
                last = now;
            }
            if (k%PER_FRAME == 0) {
                for (i = 0; i < r.bodies; i++) view_pose(v, id[i], state[k].pose[i]);
                view_value(v, series[0], energy(&r, &state[k]));
                view_value(v, series[1], (double)r.depth);
                view_value(v, series[2], (double)r.active);
                view_value(v, series[3], r.newton);
                view_value(v, series[4], size_of(last.linear));
                view_value(v, series[5], size_of(last.angular));
                view_frame(v, k*(double)r.h);
            }
            cli_bar_step(&bar, (without ? 0 : steps) + k + 1);
        }
        printf("%s/energy_begin %.2f J\n%s/energy_most %.2f J\n%s/energy_end %.2f J\n", what, first, what, most_energy, what, energy(&r, &state[k]));
        printf("%s/momentum_most %.2f kg m/s\n%s/momentum_end %.2g kg m/s\n", what, most_linear, what, size_of(last.linear));
        printf("%s/angular_most %.2f kg m2/s\n%s/angular_end %.2g kg m2/s\n", what, most_angular, what, size_of(last.angular));
        printf("%s/momentum_off %.1e\n%s/deepest %.4f m\n", what, off, what, deepest);
        failed += !(off < (DC_IS_FLOAT ? 1e-2 : 1e-9));
    }
    cli_bar_end(&bar);
    r.show = NULL;
    printf("newton %.2f\nnewton/most %d\nmomentum_left %.1e\nfailed %d\n", newton/(2.0*steps), most, left, failed);

    /* over ever more of the last steps */
    for (k = 5; k <= 40 && !failed && !cli_stopped(); k *= 2) {
        double size = 0, error = gradient(&r, steps - 40, k, &size);
        printf("gradient/%d_steps %.3g\ngradient/%d_steps/error %.2e\n", k, size, k, error);
        failed += !DC_IS_FLOAT && !(error >= 0 && error < 1e-4);
    }
    if (view_close(v) != 0) return CLI_FAILED;
    printf("wrote %s\n", o.out);
    return cli_exit(failed ? CLI_FAILED : CLI_DONE);
}
