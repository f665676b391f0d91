/* grain.h - shapes of the grain tables by the names there; include it after dc_sdf.h. After dc_sim.h also what the tests of piles share:
 * where bodies are put, momentum, and the scenes of the table of friction */
#ifndef DC_TEST_GRAIN_H_INCLUDED
#define DC_TEST_GRAIN_H_INCLUDED

#include <string.h>

enum { GRAINS = 12 };
static const char *const grain_names[GRAINS] = {"octagon", "O", "U", "N", "hash", "D", "arc25", "arc50", "arc75", "arc100", "star", "square"};

typedef struct { dc_v2 v[DC_POLY_NAMED_MOST]; } grain;

/* no vertices: no such name */
DC_INLINE dc_poly grain_named(grain *g, const char *name)
{
    dc_poly p;
    const char *ours = strcmp(name, "hash") == 0 ? "#" : strcmp(name, "square") == 0 ? "block" : name;
    p.v = g->v;
    p.n = 0;
    if (dc_poly_named(ours, DC_POLY_NAMED_MOST, g->v, &p.n) != DC_OK) p.n = 0;
    return p;
}

#ifdef DC_SIM_H_INCLUDED

#include "support.h"
#include "record.h"

#define GRAIN_PI 3.14159265358979323846

DC_INLINE dc_poly block_of(dc_v2 v[4], double w, double h)
{
    dc_poly p;
    v[0].x = v[3].x = (dc_real)(-0.5*w);
    v[1].x = v[2].x = (dc_real)(0.5*w);
    v[0].y = v[1].y = (dc_real)(-0.5*h);
    v[2].y = v[3].y = (dc_real)(0.5*h);
    p.v = v;
    p.n = 4;
    return p;
}

DC_INLINE void place(dc_grains *g, int i, double theta, double x, double y)
{
    g->q[3*i] = (dc_real)theta;
    g->q[3*i + 1] = (dc_real)x;
    g->q[3*i + 2] = (dc_real)y;
}

/* momentum of all grains about the origin: angular, x, y; and the size of its parts */
DC_INLINE void momentum(const dc_grains *g, double L[3], double *size)
{
    int i;
    L[0] = L[1] = L[2] = *size = 0;
    for (i = 0; i < g->desc.bodies; ++i) {
        const dc_grain_type *T = g->type + g->body[i];
        const dc_real *q = g->q + 3*i, *v = g->v + 3*i;
        if (T->kind != DC_CSHAPE_POLY) continue;
        L[0] += (double)T->inertia*(double)v[0] + (double)T->mass*((double)q[1]*(double)v[2] - (double)q[2]*(double)v[1]);
        L[1] += (double)T->mass*(double)v[1];
        L[2] += (double)T->mass*(double)v[2];
        *size += (double)T->mass*(1 + hypot((double)q[1], (double)q[2]))*(fabs((double)v[0]) + hypot((double)v[1], (double)v[2]));
    }
}

/* ---- octagons between a floor and two walls ---- */

enum { OCTAGONS = 60, OCTAGON_WALLS = 3 };
#define OCTAGON_LENGTH 0.6                /* m, radius of an octagon */

/* fields of two octagons, and of half-plane and octagon; the exact ones are coarse enough to be baked in a moment */
typedef struct { dc_cfield exact[2], baked[2]; dc_v2 corner[DC_POLY_NAMED_MOST]; dc_poly octagon; } octagon_fields;
typedef struct { dc_grains g; unsigned char memory[1 << 20]; } octagon_scene;

DC_INLINE dc_status octagons_bake(octagon_fields *f, unsigned char *memory, size_t size)
{
    dc_arena keep = dc_arena_make(memory, size);
    dc_cshape a[2];
    int k;
    memset(a, 0, sizeof a);
    if (dc_poly_named("octagon", DC_POLY_NAMED_MOST, f->corner, &f->octagon.n) != DC_OK) return DC_E_ARG;
    f->octagon.v = f->corner;
    a[0].poly = f->octagon;
    a[1].kind = DC_CSHAPE_HALFPLANE;
    for (k = 0; k < 2; ++k) {
        dc_cfield_bake_options o = DC_ZERO;
        o.angles = k ? 0 : 8;
        o.side = k ? 0 : 31;
        if (dc_cfield_exact(NULL, a + k, &f->octagon, &keep, f->exact + k) != DC_OK) return DC_E_ARG;
        if (dc_cfield_bake(&o, f->exact + k, &keep, f->baked + k, NULL) != DC_OK) return DC_E_ARG;
    }
    return DC_OK;
}

/* with the exact or the baked fields; grains stand in rows above each other */
DC_INLINE dc_status octagons_make(octagon_scene *c, const octagon_fields *f, const dc_cfield *of, int grains, double gravity, int sweeps,
                               double reuse)
{
    static int body[OCTAGONS + OCTAGON_WALLS];
    int k;
    dc_grain_type type[2];
    dc_grain_pair pair[2];
    dc_grains_desc d = DC_ZERO;
    dc_arena own = dc_arena_make(c->memory, sizeof c->memory);
    memset(type, 0, sizeof type);
    memset(pair, 0, sizeof pair);
    if (dc_grain_type_poly(&f->octagon, DC_R(OCTAGON_LENGTH), 1, type) != DC_OK) return DC_E_ARG;
    type[1].kind = DC_CSHAPE_HALFPLANE;
    pair[0].field = of;
    pair[1].a = 1;
    pair[1].field = of + 1;
    pair[0].length = pair[1].length = DC_R(OCTAGON_LENGTH);
    for (k = 0; k < OCTAGON_WALLS + grains; ++k) body[k] = k < OCTAGON_WALLS;
    d.type = type;
    d.types = d.pairs = 2;
    d.pair = pair;
    d.body = body;
    d.bodies = OCTAGON_WALLS + grains;
    d.h = sweeps > 0 ? DC_R(4e-3) : DC_R(1e-3);
    d.sweeps = sweeps;
    d.reuse = (dc_real)reuse;
    d.reduced_mass = 1;
    d.material.kn = d.material.kt = DC_R(2e4);
    d.material.gn = d.material.gt = 150;
    d.material.mu = DC_R(0.5);
    d.gravity[1] = (dc_real)gravity;
    d.lo[0] = -1;
    d.hi[0] = 7;
    d.lo[1] = -1;
    d.hi[1] = 30;
    if (dc_grains_build(&d, &own, &c->g) != DC_OK) return DC_E_MEMORY;
    place(&c->g, 0, 0, 0, 0);
    place(&c->g, 1, -0.5*GRAIN_PI, 0, 0);
    place(&c->g, 2, 0.5*GRAIN_PI, 6, 0);
    for (k = 0; k < grains; ++k)
        place(&c->g, OCTAGON_WALLS + k, 0.37*k, 0.8 + 1.1*(k%5) + 0.03*(k*7%5), 0.8 + 1.25*(k/5));
    return DC_OK;
}

/* an implicit step by its parts, each of them backwards, block by block and body by body */
DC_INLINE dc_status step_by_parts(dc_grains *g, unsigned char *scratch, size_t size)
{
    dc_status status = dc_grains_find(g, NULL);
    int i, s;
    for (i = g->blocks; i-- > 0 && status == DC_OK;) {
        dc_arena mem = dc_arena_make(scratch, size);
        status = dc_grains_meet(g, i, i + 1, &mem);
    }
    for (s = 0; s <= g->desc.sweeps && status == DC_OK; ++s) {
        for (i = g->desc.bodies; i-- > 0;) dc_grains_sum(g, i, i + 1);
        for (i = g->contacts; i-- > 0 && s < g->desc.sweeps;) dc_grains_sweep(g, i, i + 1);
    }
    return status == DC_OK ? dc_grains_advance(g, NULL) : status;
}

/* blocks w x h of 1 kg on half-planes, with exact fields; par: k_n, gamma_n, k_t, gamma_t; bodies: walls, then blocks */
DC_INLINE dc_status blocks_on_planes(double w, double h, int walls, int blocks, const double *par, double mu, dc_real step, int sweeps,
                                     dc_arena mem, dc_grains *g)
{
    static dc_cfield field[2];
    static int body[16];
    dc_grain_type type[2];
    dc_grain_pair pair[2];
    dc_grains_desc d = DC_ZERO;
    dc_v2 v[4];
    dc_poly p = block_of(v, w, h);
    dc_cshape wall = DC_ZERO, shape = DC_ZERO;
    int k;
    memset(type, 0, sizeof type);
    memset(pair, 0, sizeof pair);
    wall.kind = DC_CSHAPE_HALFPLANE;
    shape.kind = DC_CSHAPE_POLY;
    shape.poly = p;
    if (dc_cfield_exact(NULL, &wall, &p, &mem, field) != DC_OK || dc_cfield_exact(NULL, &shape, &p, &mem, field + 1) != DC_OK)
        return DC_E_ARG;
    type[0].kind = DC_CSHAPE_HALFPLANE;
    if (dc_grain_type_poly(&p, 1, (dc_real)(1/(w*h)), type + 1) != DC_OK) return DC_E_ARG;
    pair[0].b = pair[1].a = pair[1].b = 1;
    pair[0].field = field;
    pair[1].field = field + 1;
    for (k = 0; k < walls + blocks; ++k) body[k] = k >= walls;
    d.type = type;
    d.types = 2;
    d.pair = pair;
    d.pairs = 2;
    d.body = body;
    d.bodies = walls + blocks;
    d.h = step;
    d.sweeps = sweeps;
    d.material.kn = (dc_real)par[0];
    d.material.gn = (dc_real)par[1];
    d.material.kt = (dc_real)par[2];
    d.material.gt = (dc_real)par[3];
    d.material.mu = (dc_real)mu;
    d.gravity[1] = DC_R(-9.81);
    d.lo[0] = d.lo[1] = -4;
    d.hi[0] = d.hi[1] = 4;
    return dc_grains_build(&d, &mem, g);
}

/* A scene of grain_validation (CEM 8.1). series: rows of the time and what friction_now tells, of which so many columns count. */
typedef struct {
    char kind;                  /* i: a block on an incline; l: one that leans on a wall; t: two that lean on each other */
    double mu, at, a, b, height;        /* how they lean; half of a block's length and width; mean height of the two at first */
    const double *series;
    int rows, width, columns;
} friction_scene;

DC_INLINE dc_status friction_open(const record *rec, dc_real step, int sweeps, dc_arena mem, friction_scene *s, dc_grains *g)
{
    const double *par = record_get(rec, "par", NULL), *geom = record_get(rec, "geom", NULL);
    double c, n;
    dc_status status;
    s->kind = rec->name[0];
    s->mu = record_one(rec, "mu");
    s->a = 0.5*geom[0];
    s->b = 0.5*geom[1];
    s->at = geom[2]*(s->kind == 'l' ? 1 : GRAIN_PI/180);
    s->series = record_get(rec, "series", &s->rows);
    s->width = s->kind == 'i' ? 4 : 3;
    s->columns = s->kind == 'i' ? 1 : 2;
    s->rows /= s->width;
    status = blocks_on_planes(geom[0], geom[1], s->kind == 'l' ? 2 : 1, s->kind == 't' ? 2 : 1, par, s->mu, step, sweeps, mem, g);
    if (status != DC_OK) return status;
    c = cos(s->at);
    n = sin(s->at);
    if (s->kind == 'i') {
        place(g, 0, -s->at, 0, 0);
        place(g, 1, -s->at, s->b*n, s->b*c);
    } else if (s->kind == 'l') {
        place(g, 1, -0.5*GRAIN_PI, 0, 0);
        place(g, 2, -s->at, s->a*c + s->b*n, s->a*n + s->b*c);
    } else {
        place(g, 1, 0.5*GRAIN_PI - s->at, -(s->a*n + s->b*c), s->a*c + s->b*n);
        place(g, 2, 0.5*GRAIN_PI + s->at, s->a*n + s->b*c, s->a*c + s->b*n);
    }
    s->height = (double)g->q[5];
    return status;
}

/* i: how far it slid; l: how far its foot did, its angle; t: how far they went apart, how far they fell (negative) */
DC_INLINE void friction_now(const friction_scene *s, const dc_grains *g, double now[2])
{
    const double c = cos(s->at), n = sin(s->at);
    now[1] = 0;
    if (s->kind == 'i') now[0] = c*((double)g->q[4] - s->b*n) - n*((double)g->q[5] - s->b*c);
    else if (s->kind == 'l') {
        now[1] = -(double)g->q[6];
        now[0] = (double)g->q[7] + s->a*cos(now[1]) - s->b*sin(now[1]) - 2*s->a*c;
    } else {
        now[0] = (double)g->q[7] - (double)g->q[4] - 2*(s->a*n + s->b*c);
        now[1] = 0.5*((double)g->q[5] + (double)g->q[8]) - s->height;
    }
}

#endif /* DC_SIM_H_INCLUDED */

#endif /* DC_TEST_GRAIN_H_INCLUDED */
