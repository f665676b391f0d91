/* round_mesh.h - closed surfaces of triangles by latitude and longitude, with lobes that make them non-convex
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * About a centre, half axes r: at longitude a and colatitude b the point r (g sin b cos a, g sin b sin a, z) with
 * g = 1 + depth cos(lobes a) sin^2 b and z = cos b, cut off flat at -cut and cut, so that it stands. `around` and `along` divisions make 2 around (along - 1) triangles. A lobe from
 * valley to valley is next to convex: the hulls of all of them are the body's convex pieces. */
#ifndef ROUND_MESH_H_INCLUDED
#define ROUND_MESH_H_INCLUDED

enum { ROUND_TRIANGLES = 2600, ROUND_VERTICES = ROUND_TRIANGLES/2 + 2, ROUND_PIECE = 29, ROUND_LOBES = 5 };

/* shrunk: of pieces about the centre, so that they are apart where the meshes are */
typedef struct {
    int    lobes;
    double depth, cut, shrunk;
} round_form;

typedef struct {
    round_form form;
    dc_v3  centre, half;
    dc_v3  v[ROUND_VERTICES], corner[ROUND_LOBES*ROUND_PIECE];
    int    tri[3*ROUND_TRIANGLES], nv, nt;
    dc_hull piece[ROUND_LOBES];                 /* one a lobe */
} round_mesh;

static inline dc_v3 round_point(const round_mesh *m, double a, double b)
{
    const double s = sin(b), z = fmax(-m->form.cut, fmin(m->form.cut, cos(b))), g = s*(1 + m->form.depth*cos(m->form.lobes*a)*s*s);

    return dc_add(m->centre, dc_vec(m->half.x*DC_R(g*cos(a)), m->half.y*DC_R(g*sin(a)), m->half.z*DC_R(z)));
}

static inline void round_triangle(round_mesh *m, int a, int b, int c)
{
    int *t = m->tri + 3*m->nt++;

    t[0] = a;
    t[1] = b;
    t[2] = c;
}

/* One lobe of depth 0 and cut at 1: an ellipsoid. */
static inline void round_make(round_mesh *m, int around, int along, round_form form, dc_v3 centre, dc_v3 half)
{
    const double pi = 4*atan(1.0);
    const int    lobes = form.lobes;
    int          i, j, k;

    if (2*around*(along - 1) > ROUND_TRIANGLES || lobes > ROUND_LOBES) exit(cli_error("%s", "too fine a mesh"));
    m->form = form;
    m->centre = centre;
    m->half = half;

    /* rings from one pole to the other */
    m->nv = m->nt = 0;
    m->v[m->nv++] = round_point(m, 0, 0);
    for (j = 1; j < along; j++) for (i = 0; i < around; i++) m->v[m->nv++] = round_point(m, 2*pi*i/around, pi*j/along);
    m->v[m->nv++] = round_point(m, 0, pi);
    for (i = 0; i < around; i++) {
        const int next = (i + 1)%around, last = 1 + (along - 2)*around;
        round_triangle(m, 0, 1 + i, 1 + next);
        for (j = 0; j + 2 < along; j++) {
            const int a = 1 + j*around + i, b = 1 + j*around + next;
            round_triangle(m, a, a + around, b + around);
            round_triangle(m, a, b + around, b);
        }
        round_triangle(m, m->nv - 1, last + next, last + i);
    }

    /* pieces: five or nine meridians of a lobe, and the poles */
    for (k = 0; k < lobes; k++) {
        dc_v3 *x = m->corner + k*ROUND_PIECE;
        int    side = lobes > 1 ? 2 : 4, n = 0;
        for (i = lobes > 1 ? -side : 1 - side; i <= side; i++) {         /* the last of one lobe is the first */
            for (j = 1; j < 4; j++) x[n++] = round_point(m, pi*(2*k + i/(double)side)/lobes, pi*j/4);
        }
        x[n++] = round_point(m, 0, 0);
        x[n++] = round_point(m, 0, pi);
        for (i = 0; i < n; i++) x[i] = dc_add(m->centre, dc_scale(DC_R(form.shrunk), dc_sub(x[i], m->centre)));
        m->piece[k].v = x;
        m->piece[k].n = n;
        m->piece[k].radius = 0;
    }
}

#endif /* ROUND_MESH_H_INCLUDED */
