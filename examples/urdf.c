/* urdf.c - robots from URDF files, with meshes from OBJ or STL as hulls, hold their posture under gravity
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 *     urdf robot.urdf ..               without one: models/arm7.urdf and models/quadruped.urdf
 *
 * Read of URDF: links with inertial (origin, mass, inertia) and collision (origin; box, cylinder, sphere, mesh); joints fixed, revolute,
 * continuous, prismatic, floating with origin, axis, limit, damping. The rest is left out: visual, transmissions, mimic. A root named
 * "world" is the world; any other root floats. Every collision body becomes a hull, a sphere its points on a grid of directions.
 * Joints are held where they start by springs; when all has come to rest, what the springs give has to be what gravity and the ground
 * ask: dc_sim_pull adds up the weights, which are then compared. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"
#include "obj.h"

#ifndef MODELS
#define MODELS "examples/models"
#endif
enum { MOST = 64, NAME = 64, STATE = 160 };

typedef struct { char name[NAME]; dc_sim_link link; dc_hull hull[4]; } part;
typedef struct { char parent[NAME], child[NAME]; dc_sim_joint type; dc_pose origin; dc_v3 axis; double lo, hi, damping; } joint;
typedef struct { part part[MOST]; joint joint[MOST]; int parts, joints; dc_sim_link link[MOST]; int source[MOST], links; } robot;

/* ---- the file ---------------------------------------------------------------------------------------- */

/* The value of an attribute of the tag that begins here, or NULL. */
static const char *attribute(const char *tag, const char *name, char value[256])
{
    const size_t length = strlen(name);
    const char  *end = strchr(tag, '>'), *at;

    for (at = tag; end && (at = strstr(at, name)) != NULL && at < end; at++) {
        const char *from = at + length, *to;
        if ((at[-1] != ' ' && at[-1] != '\n' && at[-1] != '\t') || *from != '=' || (from[1] != '"' && from[1] != '\'')) continue;
        to = strchr(from + 2, from[1]);
        if (!to || to - from > 250) return NULL;
        memcpy(value, from + 2, (size_t)(to - from - 2));
        value[to - from - 2] = 0;
        return value;
    }
    return NULL;
}

static double number(const char *tag, const char *name, double otherwise)
{
    char text[256];
    return attribute(tag, name, text) ? strtod(text, NULL) : otherwise;
}

static dc_v3 triple(const char *tag, const char *name, double x, double y, double z)
{
    char text[256];
    if (attribute(tag, name, text)) (void)sscanf(text, "%lf %lf %lf", &x, &y, &z);
    return dc_vec(DC_R(x), DC_R(y), DC_R(z));
}

/* xyz and rpy: turned about the fixed axes x, then y, then z */
static dc_pose origin(const char *tag)
{
    const dc_v3 r = triple(tag, "rpy", 0, 0, 0);
    dc_pose     p;
    p.t = triple(tag, "xyz", 0, 0, 0);
    p.q = dc_quat_mul(dc_quat_exp(dc_vec(0, 0, r.z)), dc_quat_mul(dc_quat_exp(dc_vec(0, r.y, 0)), dc_quat_exp(dc_vec(r.x, 0, 0))));
    return p;
}

/* One more hull of n points in the frame `at`; the points are copied. */
static int add_hull(part *p, const dc_v3 *v, int n, dc_pose at)
{
    dc_v3 *kept = (dc_v3 *)malloc((size_t)n*sizeof *kept);
    int    i;
    if (!kept || p->link.hulls == 4) return 0;
    for (i = 0; i < n; i++) kept[i] = dc_pose_apply(at, v[i]);
    p->hull[p->link.hulls].v = kept;
    p->hull[p->link.hulls++].n = n;
    return 1;
}

static int geometry(part *p, const char *tag, dc_pose at, const char *file)
{
    dc_v3 v[26], size = triple(tag, "size", 1, 1, 1), scale = triple(tag, "scale", 1, 1, 1);
    dc_real r = DC_R(number(tag, "radius", 1)), l = DC_R(number(tag, "length", 1));
    char  name[256], path[1024];
    int   i, n = 0, ok;

    if (strncmp(tag, "<box", 4) == 0)
        for (n = 0; n < 8; n++) v[n] = dc_vec((n & 4 ? size.x : -size.x)/2, (n & 2 ? size.y : -size.y)/2, (n & 1 ? size.z : -size.z)/2);
    else if (strncmp(tag, "<cylinder", 9) == 0)
        for (n = 0; n < 24; n++) {
            dc_sincos(DC_R(6.283185307179586*(n/2)/12), &v[n].y, &v[n].x);
            v[n] = dc_vec(r*v[n].x, r*v[n].y, n & 1 ? l/2 : -l/2);
        }
    else if (strncmp(tag, "<sphere", 7) == 0)
        for (i = 0; i < 27; i++) {
            const dc_v3 d = dc_vec(DC_R(i/9 - 1), DC_R(i/3%3 - 1), DC_R(i%3 - 1));
            if (i != 13) v[n++] = dc_scale(r/dc_sqrt(dc_dot(d, d)), d);
        }
    if (n > 0) return add_hull(p, v, n, at);
    if (strncmp(tag, "<mesh", 5) == 0 && attribute(tag, "filename", name)) {
        static const char *const up[3] = {"", "../", "../../"};
        const char *slash = strrchr(file, '/'), *in = strncmp(name, "package://", 10) == 0 ? strchr(name + 10, '/') : NULL;
        obj_mesh    m = {0};
        /* beside the file; of a package the file is in its folder or one below */
        for (i = 0; i < (in ? 3 : 1) && !m.v; i++) {
            snprintf(path, sizeof path, "%.*s%s%s", slash ? (int)(slash - file + 1) : 0, file, up[i], in ? in + 1 : name);
            m = obj_read(path);
        }
        for (i = 0; i < m.n; i++) m.v[i] = dc_vec(scale.x*m.v[i].x, scale.y*m.v[i].y, scale.z*m.v[i].z);
        ok = m.v && add_hull(p, m.v, m.n, at);
        obj_free(&m);
        if (!ok) (void)cli_error("%s: mesh %s cannot be read", file, path);
        return ok;
    }
    return 1;
}

static int named(const char *tag, const char *what) { const size_t n = strlen(what); return strncmp(tag + 1, what, n) == 0 && strchr(" >/\n\t", tag[n + 1]) != NULL; }

static int read_urdf(const char *file, robot *r)
{
    static char text[1 << 20];
    FILE       *f = fopen(file, "rb");
    size_t      size = f ? fread(text, 1, sizeof text - 1, f) : 0;
    char       *tag, value[256];
    part       *p = NULL;
    joint      *j = NULL;
    int         inertial = 0, collision = 0, visual = 0;
    dc_pose     at = {{1, 0, 0, 0}, {0, 0, 0}};

    if (f) (void)fclose(f);
    text[size] = 0;
    memset(r, 0, sizeof *r);
    for (tag = strchr(text, '<'); tag; tag = strchr(tag + 1, '<')) {
        if (strncmp(tag, "<!--", 4) == 0) {
            tag = strstr(tag, "-->");
            if (!tag) break;
        } else if (named(tag, "link") && attribute(tag, "name", value)) {
            if (r->parts == MOST) return 0;
            p = &r->part[r->parts++];
            j = NULL;
            snprintf(p->name, NAME, "%.63s", value);
            inertial = collision = visual = 0;
        } else if (named(tag, "joint") && attribute(tag, "type", value)) {
            if (r->joints == MOST) return 0;
            j = &r->joint[r->joints++];
            p = NULL;
            j->type = strcmp(value, "fixed") == 0 ? DC_SIM_FIXED : strcmp(value, "prismatic") == 0 ? DC_SIM_SLIDE
                      : strcmp(value, "floating") == 0 ? DC_SIM_FREE : DC_SIM_HINGE;
            if (strcmp(value, "planar") == 0) return cli_error("%s: planar joints are not read", file), 0;
            j->origin = at = origin("<origin>");
            j->axis = dc_vec(1, 0, 0);
        } else if (p && tag[1] != '/' && (named(tag, "inertial") || named(tag, "collision") || named(tag, "visual"))) {
            inertial = named(tag, "inertial");
            collision = named(tag, "collision");
            visual = named(tag, "visual");
            at = origin("<origin>");
        } else if (named(tag, "origin")) {
            at = origin(tag);
            if (j) j->origin = at;
        } else if (p && inertial && named(tag, "mass")) {
            p->link.mass = DC_R(number(tag, "value", 0));
        } else if (p && inertial && named(tag, "inertia")) {
            const dc_m3 turn = dc_rotation(at.q);
            dc_m3       I, half;
            int         a, b, k;
            I.m[0] = DC_R(number(tag, "ixx", 0));  I.m[4] = DC_R(number(tag, "iyy", 0));  I.m[8] = DC_R(number(tag, "izz", 0));
            I.m[1] = I.m[3] = DC_R(number(tag, "ixy", 0));
            I.m[2] = I.m[6] = DC_R(number(tag, "ixz", 0));
            I.m[5] = I.m[7] = DC_R(number(tag, "iyz", 0));
            for (a = 0; a < 3; a++) for (b = 0; b < 3; b++) for (half.m[3*a + b] = 0, k = 0; k < 3; k++) half.m[3*a + b] += turn.m[3*a + k]*I.m[3*k + b];
            for (a = 0; a < 3; a++) for (b = 0; b < 3; b++) for (p->link.inertia.m[3*a + b] = 0, k = 0; k < 3; k++) p->link.inertia.m[3*a + b] += half.m[3*a + k]*turn.m[3*b + k];
            p->link.centre = at.t;
            p->link.model = DC_SIM_INERTIA;
        } else if (p && collision && !visual && !named(tag, "geometry") && tag[1] != '/') {
            if (!geometry(p, tag, at, file)) return 0;
        } else if (j && named(tag, "parent")) { if (attribute(tag, "link", value)) snprintf(j->parent, NAME, "%.63s", value);
        } else if (j && named(tag, "child")) { if (attribute(tag, "link", value)) snprintf(j->child, NAME, "%.63s", value);
        } else if (j && named(tag, "axis")) { j->axis = triple(tag, "xyz", 1, 0, 0);
        } else if (j && named(tag, "limit")) { j->lo = number(tag, "lower", 0); j->hi = number(tag, "upper", 0);
        } else if (j && named(tag, "dynamics")) j->damping = number(tag, "damping", 0);
    }
    return r->parts > 0;
}

/* ---- the model --------------------------------------------------------------------------------------- */

/* Links, parents first, each with the joint that leads to it. */
static int assemble(robot *r)
{
    int place[MOST], added = 1, i, k, m;

    for (i = 0; i < r->parts; i++) place[i] = -2;               /* not there yet; -1: the world */
    while (added) {
        for (added = i = 0; i < r->parts; i++) {
            const joint *up = NULL;
            int          above = -2;
            if (place[i] != -2) continue;
            for (k = 0; k < r->joints; k++) if (strcmp(r->joint[k].child, r->part[i].name) == 0) up = &r->joint[k];
            if (up) for (m = 0; m < r->parts; m++) if (strcmp(up->parent, r->part[m].name) == 0) above = place[m];
            if (up && above == -2) continue;
            added = 1;
            if (!up && strcmp(r->part[i].name, "world") == 0) { place[i] = -1; continue; }
            {
                dc_sim_link *l = &r->link[r->links];
                *l = r->part[i].link;
                l->hull = r->part[i].hull;
                l->parent = up ? above : -1;
                l->joint = up ? up->type : DC_SIM_FREE;
                l->attach = up ? up->origin : origin("<origin>");
                l->friction = 1;
                if (up && (up->type == DC_SIM_HINGE || up->type == DC_SIM_SLIDE)) {
                    l->axis = up->axis;
                    l->lo = DC_R(up->lo);
                    l->hi = DC_R(up->hi);
                    l->damping = DC_R(up->damping);
                }
                r->source[r->links] = i;
                place[i] = r->links++;
            }
        }
    }
    for (i = 0; i < r->parts; i++) {
        if (place[i] == -2) return 0;
        if (r->part[i].link.mass > 0 && r->part[i].link.model != DC_SIM_INERTIA)
            return cli_error("link %s has a mass and no <inertia>", r->part[i].name), 0;
    }
    return r->links > 0;
}

/* A robot holds its posture for some seconds; 1 when springs, weights and ground balance. */
static int hold(robot *r, const char *file, double stiffness, double seconds, view *w)
{
    static unsigned char memory[1 << 25];
    static dc_real       q[3][STATE];
    dc_arena             mem = dc_arena_make(memory, sizeof memory);
    dc_sim_plane         ground = {{0, 0, 1}, 0, DC_R(0.8)};
    dc_sim_desc          desc = DC_ZERO;
    dc_sim_flaw          flaw = DC_ZERO;
    dc_sim               sim;
    dc_pose              pose[MOST];
    dc_real              low = DC_R(1e9), high = DC_R(-1e9), torque[STATE] = {0}, spring;
    double               worst = 0, largest = 0, mass = 0, moved = 0;
    int                  id[MOST], floats = 0, i, k, steps = (int)(seconds/0.005), bad = 0, exclude[2*MOST*4], excludes = 0, height;

    for (i = 0; i < r->links; i++) {
        dc_sim_link *l = &r->link[i];
        const int    up = l->parent;
        if (l->joint == DC_SIM_HINGE || l->joint == DC_SIM_SLIDE) { l->kp = DC_R(stiffness); l->kd = DC_R(0.1*stiffness); }
        floats |= l->joint == DC_SIM_FREE;
        mass += (double)l->mass;
        /* neighbours at one remove may overlap in their posture */
        if (up >= 0 && r->link[up].parent >= 0 && excludes < MOST*4 - 1) { exclude[2*excludes] = i; exclude[2*excludes++ + 1] = r->link[up].parent; }
    }
    desc.link = r->link;
    desc.links = r->links;
    desc.plane = &ground;
    desc.planes = floats;                                       /* what stands in the world needs no ground */
    desc.exclude = exclude;
    desc.excludes = excludes;
    desc.h = DC_R(0.005);
    desc.gravity.z = DC_R(-9.81);
    if (dc_sim_build(&desc, &mem, &sim, &flaw) != DC_OK)
        return cli_error("%s: link %s: %s", file, flaw.link >= 0 ? r->part[r->source[flaw.link]].name : "-", flaw.cause ? flaw.cause : "no memory"), 0;
    if (sim.nq > STATE) return cli_error("%s: more than %d numbers of state", file, (int)STATE), 0;
    dc_sim_neutral(&sim, q[0]);
    dc_sim_poses(&sim, q[0], pose);
    for (k = 0; k < sim.hulls; k++)
        for (i = 0; i < sim.hull[k].n; i++) {
            const dc_real z = dc_pose_apply(pose[sim.hull[k].link], sim.vertex[sim.hull[k].begin + i]).z;
            low = dc_min(low, z);
            high = dc_max(high, z);
        }
    if (floats) q[0][6] = DC_R(0.001) - low;
    memcpy(q[1], q[0], sizeof q[0]);

    view_run(w, strrchr(file, '/') ? strrchr(file, '/') + 1 : file);
    for (k = 0; k < sim.hulls; k++) {
        dc_hull h = DC_ZERO;
        h.v = sim.vertex + sim.hull[k].begin;
        h.n = sim.hull[k].n;
        id[k] = view_body(w, view_hull(w, &h), sim.hull[k].link%2 ? "#3b7dd8" : "#e8833a");
    }
    height = view_series(w, "height of the first link", "m", 0);
    for (i = 0; i < steps && !cli_stopped(); i++) {
        const dc_status s = dc_sim_step(&sim, q[i%3], q[(i + 1)%3], NULL, &mem, q[(i + 2)%3], NULL);
        bad += s != DC_OK;
        if (s != DC_OK && s != DC_E_DIVERGED) return cli_error("%s: step %d: %s", file, i, dc_status_text(s)), 0;
        if (i%4) continue;
        dc_sim_poses(&sim, q[(i + 2)%3], pose);
        for (k = 0; k < sim.hulls; k++) view_pose(w, id[k], pose[sim.hull[k].link]);
        view_value(w, height, (double)pose[0].t.z);
        view_frame(w, 0.005*i);
    }

    /* at rest the springs of what stands in the world carry the weights */
    for (i = 0; i < r->links; i++) dc_sim_pull(&sim, q[(steps + 1)%3], i, r->link[i].centre, dc_vec(0, 0, DC_R(-9.81)*r->link[i].mass), torque);
    for (i = 0; i < r->links; i++) {
        const int v = sim.v_at[i];
        if (r->link[i].joint != DC_SIM_HINGE && r->link[i].joint != DC_SIM_SLIDE) continue;
        spring = DC_R(-stiffness)*q[(steps + 1)%3][sim.q_at[i]];
        worst = fmax(worst, fabs((double)(spring + torque[v])));
        largest = fmax(largest, fabs((double)torque[v]));
        moved = fmax(moved, fabs((double)q[(steps + 1)%3][sim.q_at[i]]));
    }
    printf("%s: links %d hulls %d freedoms %d mass %.3f kg, steps not at tolerance %d, joints moved by at most %.4f\n", file, sim.links, sim.hulls, sim.nv, mass, bad, moved);
    if (floats) {
        printf("%s: height %.4f m, was %.4f\n", file, (double)q[(steps + 1)%3][6], (double)(DC_R(0.001) - low));
        return bad == 0 && moved < 0.25
            && fabs((double)(q[(steps + 1)%3][6] - (DC_R(0.001) - low))) < 0.1*(double)(high - low);
    }
    printf("%s: springs off the weights by %.2g of %.3g N m\n", file, worst, largest);
    return bad == 0 && worst < 1e-4*largest;
}

int main(int argc, char **argv)
{
    static robot r;
    static const char *const ours[2] = {MODELS "/arm7.urdf", MODELS "/quadruped.urdf"};
    double       stiffness = 500, seconds = 3;
    cli_number   number[] = {{"stiffness", &stiffness, 1, 1e6, "of the springs that hold the joints, N m or N/m"}, {"seconds", &seconds, 0.1, 100, "of motion"}};
    const char  *file[16];
    int          files = 0, i, k, ok = 1;
    cli          o;
    view_options page = DC_ZERO;
    view        *w;

    for (; files < 16 && files + 1 < argc && argv[files + 1][0] != '-'; files++) file[files] = argv[files + 1];
    argv[files] = argv[0];
    o = cli_parse(argc - files, argv + files, "Robots from URDF files hold their posture; writes a page.", "urdf.html", number, 2);
    page.title = "Robots from URDF files";
    page.note = "Springs hold every joint where it starts.";
    page.rate = 50;
    w = view_open(o.out, &page);
    if (files == 0)
        for (; files < 2; files++) file[files] = ours[files];
    for (i = 0; i < files; i++) {
        if (!read_urdf(file[i], &r) || !assemble(&r)) return cli_error("%s is no robot that is understood", file[i]);
        ok &= hold(&r, file[i], stiffness, seconds, w);
        for (k = 0; k < r.parts; k++)
            while (r.part[k].link.hulls > 0) free((void *)r.part[k].hull[--r.part[k].link.hulls].v);
    }
    if (view_close(w) != 0) return CLI_FAILED;
    printf("wrote %s\n", o.out);
    if (!ok) return cli_error("a robot does not hold its posture");
    return cli_exit(CLI_DONE);
}
