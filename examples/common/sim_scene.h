/* sim_scene.h - what the examples of dc_sim.h share: a model with its memory, its steps, what they cost, and its drawing
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 *     static sim_world w;
 *     sim_begin(&w, 0.01);                                     time step
 *     sim_plane(&w, dc_vec(0, 0, 1), 0, 0.5);                  z >= 0 is free; friction
 *     sim_link(&w, -1, DC_SIM_FREE, dc_vec(0, 0, 1), 2);       parent, joint, where it is in the parent, mass
 *     sim_box(&w, dc_vec(0, 0, 0), half);                      the shape of the last link, or a part of it
 *     sim_build(&w);                                           at rest, every joint at 0: change w.prev and w.now if need be
 *     sim_show(&w, v, NULL);
 *     for (i = 0; i < 100; i++) { sim_step(&w, NULL); sim_draw(&w, v); view_frame(v, w.time); }
 *
 * Include it after dc_sim.h and cli.h, and after view.h for the drawing. */
#ifndef SIM_SCENE_H_INCLUDED
#define SIM_SCENE_H_INCLUDED

enum { SIM_LINKS = 272, SIM_HULLS = 176, SIM_VERTICES = 12*SIM_HULLS, SIM_STATE = 288 };

typedef struct {
    dc_sim_desc  desc;
    dc_sim_link  link[SIM_LINKS];
    dc_sim_plane plane[4];
    dc_hull      hull[SIM_HULLS];
    dc_v3        vertex[SIM_VERTICES];
    int          hulls, vertices, shown[SIM_HULLS];
    dc_sim       sim;
    dc_sim_info  info;                          /* of the last step */
    dc_real      state[3][SIM_STATE], *prev, *now, *next;
    double       time, seconds, worst;          /* worst: largest part of the forces left over by a step; seconds: of all steps */
    int          steps, failed, most;           /* most: Newton steps of a step */
    long         iterations, contacts;          /* of all steps */
    unsigned char memory[1 << 22], scratch[9 << 22];
} sim_world;

static inline void sim_need(dc_status status, const char *what)
{
    if (status != DC_OK) exit(cli_error("%s: %s", what, dc_status_text(status)));
}

/* An empty world with gravity along -z. */
static inline void sim_begin(sim_world *w, double h)
{
    memset(w, 0, offsetof(sim_world, memory));
    w->desc.link = w->link;
    w->desc.plane = w->plane;
    w->desc.h = DC_R(h);
    w->desc.gravity.z = DC_R(-9.81);
    w->prev = w->state[0];
    w->now = w->state[1];
    w->next = w->state[2];
}

static inline void sim_plane(sim_world *w, dc_v3 n, double d, double friction)
{
    dc_sim_plane *p = w->plane + w->desc.planes++;

    p->n = n;
    p->d = DC_R(d);
    p->friction = DC_R(friction);
}

/* Friction 1: that of what it meets is what counts. */
static inline dc_sim_link *sim_link(sim_world *w, int parent, dc_sim_joint joint, dc_v3 at, double mass)
{
    dc_sim_link *l = w->link + w->desc.links++;

    l->parent = parent;
    l->joint = joint;
    l->attach.q.w = 1;
    l->attach.t = at;
    l->mass = DC_R(mass);
    l->friction = 1;
    return l;
}

/* One more hull of the last link: its n vertices, to be filled in. */
static inline dc_v3 *sim_hull(sim_world *w, int n)
{
    dc_sim_link *l = w->link + w->desc.links - 1;
    dc_hull     *h = w->hull + w->hulls++;
    dc_v3       *x = w->vertex + w->vertices;

    if (w->hulls > SIM_HULLS || w->vertices + n > SIM_VERTICES) exit(cli_error("%s", "the scene has too many hulls"));
    if (l->hulls++ == 0) l->hull = h;
    h->v = x;
    h->radius = 0;
    h->n = n;
    w->vertices += n;
    return x;
}

/* A box of half sides r about c: one more hull of the last link. */
static inline void sim_box(sim_world *w, dc_v3 c, dc_v3 r)
{
    dc_v3 *x = sim_hull(w, 8);
    int    k;

    for (k = 0; k < 8; k++) x[k] = dc_vec(c.x + (k & 1 ? r.x : -r.x), c.y + (k & 2 ? r.y : -r.y), c.z + (k & 4 ? r.z : -r.z));
}

static inline void sim_build(sim_world *w)
{
    dc_arena    mem = dc_arena_make(w->memory, sizeof w->memory);
    dc_sim_flaw flaw = {-1, "memory", -1};

    if (dc_sim_build(&w->desc, &mem, &w->sim, &flaw) != DC_OK) exit(cli_error("link %d: %s", flaw.link, flaw.cause));
    if (w->sim.nq > SIM_STATE || dc_sim_step_bytes(&w->sim) > sizeof w->scratch) exit(cli_error("%s", "the scene is too large"));
    dc_sim_neutral(&w->sim, w->prev);
    dc_sim_neutral(&w->sim, w->now);
}

/* One step. One that does not reach the tolerance is counted, and its best iterate taken; any other failure ends the program. */
static inline void sim_step(sim_world *w, const dc_sim_control *control)
{
    dc_arena  mem = dc_arena_make(w->scratch, sizeof w->scratch);
    clock_t   before = clock();
    dc_status status = dc_sim_step(&w->sim, w->prev, w->now, control, &mem, w->next, &w->info);
    dc_real  *free_one = w->prev;

    w->seconds += (double)(clock() - before)/CLOCKS_PER_SEC;
    if (status == DC_E_DIVERGED) w->failed++;
    else sim_need(status, "step");
    w->prev = w->now;
    w->now = w->next;
    w->next = free_one;
    w->steps++;
    w->time += (double)w->desc.h;
    w->iterations += w->info.iterations;
    w->contacts += w->info.contacts;
    if (w->info.iterations > w->most) w->most = w->info.iterations;
    if (w->info.scale > 0) w->worst = fmax(w->worst, (double)(w->info.residual/w->info.scale));
}

/* Steps and what they cost, after a run's name. */
static inline void sim_report(const sim_world *w, const char *run)
{
    double n = fmax(w->steps, 1);

    printf("%s_steps %d steps\n%s_steps_at_the_cap %d steps\n", run, w->steps, run, w->failed);
    printf("%s_newton_steps_mean %.2f 1\n%s_newton_steps_most %d 1\n", run, (double)w->iterations/n, run, w->most);
    printf("%s_contacts_mean %.2f 1\n%s_force_left_over %.2g 1\n", run, (double)w->contacts/n, run, w->worst);
    printf("%s_time_of_a_step %.3g ms\n", run, 1e3*w->seconds/n);
}

/* ---- the page -------------------------------------------------------------------------------------- */
#ifdef VIEW_H_INCLUDED

/* Draws every hull of the links; colour[link], NULL: of the palette. */
static inline void sim_show(sim_world *w, view *v, const char *const *colour)
{
    int k;

    for (k = 0; k < w->hulls; k++) w->shown[k] = view_body(v, view_hull(v, w->hull + k), colour ? colour[w->sim.hull[k].link] : NULL);
}

/* The frame stays open for values. */
static inline void sim_draw(const sim_world *w, view *v)
{
    static dc_pose pose[SIM_LINKS];
    int            k;

    dc_sim_poses(&w->sim, w->now, pose);
    for (k = 0; k < w->hulls; k++) view_pose(v, w->shown[k], pose[w->sim.hull[k].link]);
}

#endif /* VIEW_H_INCLUDED */
#endif /* SIM_SCENE_H_INCLUDED */
