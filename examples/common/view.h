/* view.h - records a run while it computes, and writes it as one HTML page
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * DOES     3D and 2D scenes of moving shapes, overlays (contact points, arrows, planes, spheres, paths, targets), plots of
 *          named series, several runs side by side in step. The page is one file that needs no network and no server:
 *          play, pause, scrub, step, orbit, pan, zoom; a still picture and a table of the numbers where scripts are off.
 * DOES NOT show anything while the program runs, read a page back, or change what a shape looks like along a run.
 *
 * USE      In one file: #define VIEW_IMPLEMENTATION, then #include "view.h". Needs dc_contact.h for its types, and device.h.
 *
 *     view_options o = DC_ZERO;
 *     o.title = "A ball";
 *     view *v = view_open("ball.html", &o);
 *     int ball = view_body(v, view_sphere(v, 1), NULL);        // shapes, then bodies, then frames
 *     int height = view_series(v, "height", "m", 0);
 *     for (i = 0; i < 100 && view_ok(v); i++) {
 *         view_pose(v, ball, pose[i]);
 *         view_value(v, height, pose[i].t.z);
 *         view_frame(v, i*h);
 *     }
 *     return view_close(v);
 *
 * ERRORS   The first one is kept and everything after it does nothing; view_close prints it to stderr, leaves FILE as it
 *          was before and returns 1. Every function takes a NULL view. A loop may ask view_ok and stop early.
 * MEMORY   malloc. Frames go to FILE.part as they come, so that memory grows by 8 bytes a frame, 8 more for each series and
 *          12 for each track, up to twice that while it grows, but not by the bodies. FILE appears when it is whole.
 * SIZE     The page is 50 KB. A frame takes 65 bytes and 4/3 of: 28 bytes for each moving body, 12 in 2D; with `quantise` 14
 *          and 6, and 24 or 16 for the extent.
 * CAMERA   At the start the bounds of all frames, spheres of overlays but for their centres left out, fill the view but for
 *          6 % of its height or width in 2D. In 3D it looks from azimuth -60 and elevation 20 degrees, 35 degrees high, and is
 *          as far away as the 8 corners of the bounds, 2 % enlarged, need.
 * UNITS    The caller's; right-handed, z up in 3D, x right and y up in 2D. Colours are "#rrggbb" or "#rrggbbaa".
 *          Texts are UTF-8; they are shown as they are, never taken for HTML. Positions are floats on the page: a scene
 *          farther than some 1e4 of its own sizes from the origin is drawn raggedly. */
#ifndef VIEW_H_INCLUDED
#define VIEW_H_INCLUDED
#include "dc_contact.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct view view;

typedef struct {
    const char *title;                  /* heading; NULL: the name of the file */
    const char *note;                   /* a line or two below it; NULL: none */
    int         flat;                   /* 1: a 2D page */
    int         quantise;               /* 1: 16 bits for each number of a pose: 1/65535 of the frame's extent, 1e-4 rad */
    const char *step_name, *step_unit;  /* what view_frame counts; NULL: "time" in "s" */
    double      rate;                   /* frames shown per second at speed 1; 0: 30 */
    int         paused;                 /* 1: the page does not play when it opens, as for readers who asked for less motion */
} view_options;

/* Starts a page. opt may be NULL. Never NULL but for want of memory. */
view *view_open(const char *path, const view_options *opt);
/* 1 while nothing has gone wrong. */
int view_ok(const view *v);
/* Writes the page; v is gone. 0, or 1 after a message to stderr. */
int view_close(view *v);
/* Begins a run of its own bodies, overlays, series and frames, shown beside the others and in step with them, frame by
 * frame. A page of one run needs no call; a run without a frame is left out. */
void view_run(view *v, const char *name);

/* ---- shapes, in body coordinates, for all runs; they return a number for view_body, or -1 */

int view_hull(view *v, const dc_hull *hull);                            /* convex hull of the points, flat ones too */
int view_mesh(view *v, const dc_v3 *x, int n, const int *triangles, int n_triangles);   /* 3 corners each */
int view_sphere(view *v, dc_real radius);
int view_capsule(view *v, dc_real radius, dc_real half_length);         /* along z, half_length between centre and cap */
/* The half-space below z = 0 (2D: below y = 0), drawn to `half_size` around the origin. In 3D the first fixed,
 * level one of a run is drawn as the ground, which has the page's colours and no end. */
int view_plane(view *v, dc_real half_size);
int view_polygon(view *v, const dc_real *xy, int n);                    /* 2D: simple, n pairs (x, y) */
int view_disc(view *v, dc_real radius);                                 /* 2D */
int view_line(view *v, const dc_real *xy, int n);                       /* 2D: n points joined */

/* ---- a run: first what it has ... (each returns a number, or -1; colour NULL: the next of a palette) */

int view_body(view *v, int shape, const char *colour);
int view_fixed(view *v, int shape, const char *colour, dc_pose pose);   /* never moves */
/* Marks drawn over the scene, new ones in each frame, with a switch of that name on the page. */
enum { VIEW_POINTS, VIEW_TARGETS, VIEW_ARROWS, VIEW_SEGMENTS, VIEW_PLANES, VIEW_SPHERES };
int view_overlay(view *v, int kind, const char *name, const char *colour, int hidden);
/* The path of a point of a body. */
int view_track(view *v, const char *name, const char *colour, int body, dc_v3 point);
/* A plot. Series of one name, in several runs, share one. What changes by less than 1/2000 of its value is drawn level. */
int view_series(view *v, const char *name, const char *unit, int log_scale);

/* ---- ... then each frame */

void view_pose(view *v, int body, dc_pose pose);                        /* kept until it is set again */
void view_pose_2d(view *v, int body, dc_real x, dc_real y, dc_real angle);
void view_point(view *v, int overlay, dc_v3 p);                         /* VIEW_POINTS, VIEW_TARGETS */
void view_arrow(view *v, int overlay, dc_v3 p, dc_v3 along);            /* VIEW_ARROWS, VIEW_SEGMENTS: from p to p + along */
void view_patch(view *v, int overlay, dc_v3 p, dc_v3 normal, dc_real half_size);        /* VIEW_PLANES */
void view_ball(view *v, int overlay, dc_v3 centre, dc_real radius);     /* VIEW_SPHERES */
void view_value(view *v, int series, double value);                     /* not set, or not finite: a gap in the plot */
/* Ends the frame. `time`, in the page's step unit, must not decrease. */
void view_frame(view *v, double time);

#ifdef __cplusplus
}
#endif
#endif /* VIEW_H_INCLUDED */

#ifdef VIEW_IMPLEMENTATION
#ifndef VIEW_IMPLEMENTED
#define VIEW_IMPLEMENTED
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "device.h"

/* ---- what is kept ------------------------------------------------------------------------------ */

typedef struct { double x, y, z; } viewi_v3;
typedef struct { double c[7]; } viewi_pose;                     /* x y z, w x y z */

typedef struct {
    const char *kind;                                           /* as the page calls it */
    double      r, h, radius;                                   /* radius around the body's origin */
    double      crease;                                         /* edges are drawn where faces meet at more degrees */
    viewi_v3   *v;
    int         n, *f, n_f;                                     /* vertices; triangles, three indices each */
} viewi_shape;

typedef struct { int shape, fixed; char colour[10]; viewi_pose pose; } viewi_body;
typedef struct { int kind, hidden; char colour[10], *name; float *items; size_t n, cap; } viewi_overlay;
typedef struct { int body; viewi_v3 point; char colour[10], *name; float *p; size_t n, cap; } viewi_track;
typedef struct { int log_scale; double now; char *name, *unit; double *v; size_t n, cap; } viewi_series;

typedef struct {
    char          *name;
    viewi_body    *bodies;
    viewi_overlay *overlays;
    viewi_track   *tracks;
    viewi_series  *series;
    double        *times;
    size_t         n_bodies, n_overlays, n_tracks, n_series, n_times;
    size_t         cap_bodies, cap_overlays, cap_tracks, cap_series, cap_times;
    double         lo[3], hi[3];                                /* of everything, in all frames */
} viewi_run;

struct view {
    FILE        *file;
    char        *path, *part, *title, *note, *step_name, *step_unit;
    int          flat, quantise, play;
    double       rate;
    viewi_shape *shapes;
    viewi_run   *runs;
    size_t       n_shapes, cap_shapes, n_runs, cap_runs;
    unsigned char *frame;                                       /* the frame being packed */
    size_t       n_frame, cap_frame;
    char         error[400];
};

static const char *const viewi_palette[8] = {"#3b7dd8", "#e8833a", "#3aa675", "#d64f6b", "#8a63d2", "#c9971c", "#2ba3b5",
                                             "#8592a3"};
static const char *const viewi_kinds[6] = {"points", "targets", "arrows", "segments", "planes", "spheres"};
static const int viewi_width[6] = {3, 3, 6, 6, 7, 4};

/* Line i of the page's text, at the end of this file; a line that begins with @ is filled in. NULL after the last. */
static const char *viewi_page(size_t i);

/* ---- errors and memory ------------------------------------------------------------------------- */

#if defined(__GNUC__) || defined(__clang__)
static void viewi_fail(view *v, const char *format, ...) __attribute__((format(printf, 2, 3)));
#endif
static void viewi_fail(view *v, const char *format, ...)
{
    va_list args;

    if (v->error[0]) return;                                    /* the first one is the cause */
    va_start(args, format);
    vsnprintf(v->error, sizeof v->error, format, args);
    va_end(args);
}

/* Makes room for one more element after n; `array` is the address of its pointer. */
static int viewi_room(view *v, void *array, size_t n, size_t *cap, size_t size)
{
    void  *p;
    size_t more = *cap ? 2**cap : 8;

    if (n < *cap) return 1;
    memcpy(&p, array, sizeof p);
    p = more < SIZE_MAX/2/size ? realloc(p, more*size) : NULL;
    if (!p) { viewi_fail(v, "out of memory"); return 0; }
    memcpy(array, &p, sizeof p);
    *cap = more;
    return 1;
}

static char *viewi_text(view *v, const char *s)
{
    size_t n = s ? strlen(s) + 1 : 1;
    char  *copy = (char *)malloc(n);

    if (copy) memcpy(copy, s ? s : "", n);
    else viewi_fail(v, "out of memory");
    return copy;
}

static int viewi_number(double x) { return fabs(x) < 1e30; }    /* finite, and a float with room */
static int viewi_number3(dc_v3 p)
{
    return viewi_number((double)p.x) && viewi_number((double)p.y) && viewi_number((double)p.z);
}

static viewi_v3 viewi_vec(double x, double y, double z) { viewi_v3 r; r.x = x; r.y = y; r.z = z; return r; }
static viewi_v3 viewi_from(dc_v3 a) { return viewi_vec((double)a.x, (double)a.y, (double)a.z); }
static viewi_v3 viewi_madd(viewi_v3 a, double s, viewi_v3 b) { return viewi_vec(a.x + s*b.x, a.y + s*b.y, a.z + s*b.z); }
static viewi_v3 viewi_sub(viewi_v3 a, viewi_v3 b) { return viewi_madd(a, -1, b); }
static double   viewi_dot(viewi_v3 a, viewi_v3 b) { return a.x*b.x + a.y*b.y + a.z*b.z; }
static double   viewi_norm(viewi_v3 a) { return sqrt(viewi_dot(a, a)); }
static viewi_v3 viewi_cross(viewi_v3 a, viewi_v3 b)
{
    return viewi_vec(a.y*b.z - a.z*b.y, a.z*b.x - a.x*b.z, a.x*b.y - a.y*b.x);
}
static viewi_v3 viewi_apply(const viewi_pose *T, viewi_v3 a)
{
    viewi_v3 q = viewi_vec(T->c[4], T->c[5], T->c[6]), t = viewi_cross(q, a);
    viewi_v3 r = viewi_madd(viewi_madd(a, 2*T->c[3], t), 2, viewi_cross(q, t));

    return viewi_vec(r.x + T->c[0], r.y + T->c[1], r.z + T->c[2]);
}

/* "#rrggbb" or "#rrggbbaa" into out, or a colour of the palette. */
static void viewi_colour(view *v, const char *colour, size_t index, char out[10])
{
    size_t n;

    if (!colour) colour = viewi_palette[index % 8];
    n = strlen(colour);
    if (colour[0] != '#' || (n != 7 && n != 9) || strspn(colour + 1, "0123456789abcdefABCDEF") != n - 1) {
        viewi_fail(v, "colour \"%.20s\" is not #rrggbb or #rrggbbaa", colour);
        return;
    }
    memcpy(out, colour, n + 1);
}

/* ---- writing ----------------------------------------------------------------------------------- */

/* Text inside HTML. */
static void viewi_html(FILE *f, const char *s)
{
    for (; *s; s++) {
        switch (*s) {
        case '<': fputs("&lt;", f); break;
        case '>': fputs("&gt;", f); break;
        case '&': fputs("&amp;", f); break;
        case '"': fputs("&quot;", f); break;
        default: fputc(*s, f);
        }
    }
}

/* A JSON string inside a script element: nothing that could end either. */
static void viewi_json(FILE *f, const char *s)
{
    fputc('"', f);
    for (; *s; s++) {
        if ((unsigned char)*s < 32 || strchr("\"\\<>&", *s)) fprintf(f, "\\u%04x", (unsigned)(unsigned char)*s);
        else fputc(*s, f);
    }
    fputc('"', f);
}

static void viewi_base64(FILE *f, const unsigned char *p, size_t n)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char              line[4096];
    size_t            i, k = 0;

    for (i = 0; i < n; i += 3) {
        unsigned w = (unsigned)p[i] << 16;
        if (i + 1 < n) w |= (unsigned)p[i + 1] << 8;
        if (i + 2 < n) w |= p[i + 2];
        line[k++] = digit[w >> 18];
        line[k++] = digit[w >> 12 & 63];
        line[k++] = digit[w >> 6 & 63];                         /* the reader knows the length: no '=' */
        line[k++] = digit[w & 63];
        if (k == sizeof line || i + 3 >= n) { fwrite(line, 1, k, f); k = 0; }
    }
}

/* Little-endian, whatever the machine. */
static void viewi_put(view *v, unsigned w, int bytes)
{
    for (; bytes > 0; bytes--, w >>= 8) {
        if (!viewi_room(v, &v->frame, v->n_frame, &v->cap_frame, 1)) return;
        v->frame[v->n_frame++] = (unsigned char)(w & 255);
    }
}

static void viewi_put_float(view *v, double x)
{
    float    f = (float)x;
    uint32_t w;

    memcpy(&w, &f, sizeof w);
    viewi_put(v, w, 4);
}

/* Lines of the page from *line on, up to the next one that begins with @; returns that, or NULL at the end. */
static const char *viewi_lines(view *v, size_t *line)
{
    const char *s;

    while ((s = viewi_page(*line)) != NULL) {
        ++*line;
        if (s[0] == '@') return s;
        fputs(s, v->file);
        fputc('\n', v->file);
    }
    return NULL;
}

/* ---- the convex hull of points, as triangles --------------------------------------------------- */

/* Takes the directions of m unit vectors, normal to each other, out of d. */
static viewi_v3 viewi_without(viewi_v3 d, const viewi_v3 *axis, int m)
{
    while (m-- > 0) d = viewi_madd(d, -viewi_dot(d, axis[m]), axis[m]);
    return d;
}

/* Corners 0 to 3 of a tetrahedron that spans the points, each the one farthest from what came before. Where the points
 * are flat there is none in that direction: a point is added, a 1/500 of the size off, so that a plate has two sides.
 * Returns how many points there are now; there is room for three more. */
static int viewi_tetrahedron(viewi_v3 *p, int n, double size, int corner[4])
{
    viewi_v3 axis[3], d, best;
    int      i, k;

    corner[0] = 0;
    for (k = 1; k < 4; k++) {
        best = viewi_vec(0, 0, 0);
        corner[k] = n;
        for (i = 0; i < n; i++) {
            d = viewi_without(viewi_sub(p[i], p[0]), axis, k - 1);
            if (viewi_norm(d) > fmax(viewi_norm(best), 1e-6*size)) { best = d; corner[k] = i; }
        }
        for (i = 0; corner[k] == n && i < 3; i++) {             /* the axis that sticks out most */
            d = viewi_without(viewi_vec(i == 0, i == 1, i == 2), axis, k - 1);
            if (viewi_norm(d) > viewi_norm(best)) best = d;
        }
        axis[k - 1] = viewi_madd(viewi_vec(0, 0, 0), 1/viewi_norm(best), best);
        if (corner[k] == n) p[n++] = viewi_madd(p[0], 2e-3*size, axis[k - 1]);
    }
    return n;
}

/* Point by point: the triangles that see the new point give way to those that join it to their rim. The point lies
 * strictly above what it sees, so that faces of more than three corners come out as coplanar triangles. */
static void viewi_hull_of(view *v, viewi_shape *s, viewi_v3 *p, int n)
{
    static const int first[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {0, 2, 3}};
    int              corner[4], i, k, m, t, n_f = 0, *f = NULL, *rim = NULL;
    size_t           cap = 0, cap_rim = 0;
    double           size = 1e-12;

    for (i = 0; i < n; i++) size = fmax(size, viewi_norm(viewi_sub(p[i], p[0])));
    n = viewi_tetrahedron(p, n, size, corner);
    if (viewi_dot(viewi_cross(viewi_sub(p[corner[1]], p[corner[0]]), viewi_sub(p[corner[2]], p[corner[0]])),
                  viewi_sub(p[corner[3]], p[corner[0]])) > 0) {
        k = corner[1]; corner[1] = corner[2]; corner[2] = k;    /* 3 below the triangle 0 1 2 */
    }
    for (t = 0; t < 4; t++) for (k = 0; k < 3; k++) {
        if (!viewi_room(v, &f, (size_t)(3*n_f + k), &cap, sizeof *f)) goto done;
        f[3*t + k] = corner[first[t][k]];
        if (k == 2) n_f++;
    }
    for (i = 0; i < n; i++) {
        int n_rim = 0, kept = 0;
        for (t = 0; t < n_f; t++) {
            const int *c = f + 3*t;
            viewi_v3   normal = viewi_cross(viewi_sub(p[c[1]], p[c[0]]), viewi_sub(p[c[2]], p[c[0]]));
            if (viewi_dot(normal, viewi_sub(p[i], p[c[0]])) > 1e-6*size*viewi_norm(normal)) {
                for (k = 0; k < 3; k++) {
                    int a = c[k], b = c[(k + 1) % 3];
                    for (m = 0; m < n_rim && !(rim[2*m] == b && rim[2*m + 1] == a); m++) continue;
                    if (m < n_rim) {                            /* seen from both sides: inside the rim */
                        --n_rim;
                        rim[2*m] = rim[2*n_rim]; rim[2*m + 1] = rim[2*n_rim + 1];
                    } else {
                        if (!viewi_room(v, &rim, (size_t)(2*n_rim + 1), &cap_rim, sizeof *rim)) goto done;
                        rim[2*n_rim] = a; rim[2*n_rim++ + 1] = b;
                    }
                }
            } else {
                memmove(f + 3*kept++, c, 3*sizeof *f);
            }
        }
        n_f = kept;
        for (m = 0; m < n_rim; m++) {
            int c[3];
            c[0] = rim[2*m]; c[1] = rim[2*m + 1]; c[2] = i;
            for (k = 0; k < 3; k++) {
                if (!viewi_room(v, &f, (size_t)(3*n_f + k), &cap, sizeof *f)) goto done;
                f[3*n_f + k] = c[k];
            }
            n_f++;
        }
    }
    s->v = p; s->n = n; s->f = f; s->n_f = n_f;
    free(rim);
    return;
done:
    free(f); free(rim); free(p);
}

/* ---- shapes ------------------------------------------------------------------------------------ */

/* flat: 1 for 2D pages, 0 for 3D ones, -1 for both */
static int viewi_add_shape(view *v, viewi_shape s, int flat)
{
    int i;

    if (v->error[0]) goto bad;
    if (flat >= 0 && flat != v->flat) {
        viewi_fail(v, "a %s has no place in a %s page", s.kind, v->flat ? "2D" : "3D");
        goto bad;
    }
    for (i = 0; i < s.n; i++) s.radius = fmax(s.radius, viewi_norm(s.v[i]));
    if (!(s.radius > 0 && s.radius < 1e30) || !(s.r >= 0 && s.h >= 0)) { viewi_fail(v, "a %s has no size", s.kind); goto bad; }
    if (!viewi_room(v, &v->shapes, v->n_shapes, &v->cap_shapes, sizeof s)) goto bad;
    v->shapes[v->n_shapes] = s;
    return (int)v->n_shapes++;
bad:
    free(s.v); free(s.f);
    return -1;
}

/* n points of `stride` numbers, and room for three more */
static viewi_v3 *viewi_points(view *v, const dc_real *x, int n, int stride, int least, const char *kind)
{
    viewi_v3 *p;
    int       i;

    if (v->error[0]) return NULL;
    if (!x) { viewi_fail(v, "a %s without points", kind); return NULL; }
    if (n < least || n > 10000000) { viewi_fail(v, "a %s of %d points", kind, n); return NULL; }
    p = (viewi_v3 *)malloc(((size_t)n + 3)*sizeof *p);
    if (!p) { viewi_fail(v, "out of memory"); return NULL; }
    for (i = 0; i < n; i++) {
        p[i] = viewi_vec((double)x[i*stride], (double)x[i*stride + 1], stride > 2 ? (double)x[i*stride + 2] : 0);
        if (!(viewi_norm(p[i]) < 1e30)) {
            viewi_fail(v, "point %d of a %s is not finite", i, kind);
            free(p);
            return NULL;
        }
    }
    return p;
}

static viewi_shape viewi_shape_of(const char *kind, double r, double h)
{
    viewi_shape s;

    memset(&s, 0, sizeof s);
    s.kind = kind; s.r = r; s.h = h; s.radius = r + h;
    return s;
}

int view_hull(view *v, const dc_hull *hull)
{
    viewi_shape s = viewi_shape_of("hull", 0, 0);
    viewi_v3   *p;

    if (!v) return -1;
    p = viewi_points(v, hull && hull->v ? &hull->v[0].x : NULL, hull ? hull->n : 0, 3, 1, "hull");
    if (p) viewi_hull_of(v, &s, p, hull->n);
    s.crease = 1;
    return viewi_add_shape(v, s, 0);
}

int view_mesh(view *v, const dc_v3 *x, int n, const int *triangles, int n_triangles)
{
    viewi_shape s = viewi_shape_of("mesh", 0, 0);
    int         i;

    if (!v) return -1;
    s.v = viewi_points(v, x ? &x->x : NULL, n, 3, 3, "mesh");
    s.n = s.v ? n : 0;
    s.crease = 35;
    if (!triangles || n_triangles < 1 || n_triangles > 10000000) viewi_fail(v, "a mesh of %d triangles", n_triangles);
    if (!v->error[0]) {
        s.n_f = n_triangles;
        s.f = (int *)malloc(3*(size_t)n_triangles*sizeof *s.f);
        if (!s.f) viewi_fail(v, "out of memory");
    }
    for (i = 0; !v->error[0] && i < 3*n_triangles; i++) {
        s.f[i] = triangles[i];
        if (s.f[i] < 0 || s.f[i] >= n) viewi_fail(v, "triangle %d of a mesh has corner %d of %d", i/3, s.f[i], n);
    }
    return viewi_add_shape(v, s, 0);
}

static int viewi_round(view *v, const char *kind, dc_real r, dc_real h, int flat)
{
    return v ? viewi_add_shape(v, viewi_shape_of(kind, (double)r, (double)h), flat) : -1;
}
int view_sphere(view *v, dc_real radius) { return viewi_round(v, "sphere", radius, 0, 0); }
int view_disc(view *v, dc_real radius) { return viewi_round(v, "disc", radius, 0, 1); }
int view_capsule(view *v, dc_real radius, dc_real half_length) { return viewi_round(v, "capsule", radius, half_length, 0); }
int view_plane(view *v, dc_real half_size) { return viewi_round(v, "plane", half_size, 0, -1); }

static int viewi_outline(view *v, const char *kind, const dc_real *xy, int n, int least)
{
    viewi_shape s = viewi_shape_of(kind, 0, 0);

    if (!v) return -1;
    s.v = viewi_points(v, xy, n, 2, least, kind);
    s.n = s.v ? n : 0;
    return viewi_add_shape(v, s, 1);
}
int view_polygon(view *v, const dc_real *xy, int n) { return viewi_outline(v, "polygon", xy, n, 3); }
int view_line(view *v, const dc_real *xy, int n) { return viewi_outline(v, "line", xy, n, 2); }

/* ---- a run ------------------------------------------------------------------------------------- */

static void viewi_free_run(viewi_run *r)
{
    size_t k;

    for (k = 0; k < r->n_overlays; k++) { free(r->overlays[k].name); free(r->overlays[k].items); }
    for (k = 0; k < r->n_tracks; k++) { free(r->tracks[k].name); free(r->tracks[k].p); }
    for (k = 0; k < r->n_series; k++) { free(r->series[k].name); free(r->series[k].unit); free(r->series[k].v); }
    free(r->bodies); free(r->overlays); free(r->tracks); free(r->series); free(r->times); free(r->name);
}

/* The run at hand is over. Without a frame it is left out: so it goes when ctrl-C comes before its first one. */
static void viewi_end_run(view *v)
{
    viewi_run *r = v->n_runs ? &v->runs[v->n_runs - 1] : NULL;

    if (!r) return;
    if (!r->n_times) { viewi_free_run(r); v->n_runs--; }
    else if (!r->n_bodies && !r->n_overlays && !r->n_series) {
        viewi_fail(v, "nothing to show: run \"%.60s\" has no body, overlay or series", r->name);
    }
}

static void viewi_begin_run(view *v, const char *name)
{
    viewi_run r;
    int       c;

    viewi_end_run(v);
    if (v->error[0] || !viewi_room(v, &v->runs, v->n_runs, &v->cap_runs, sizeof r)) return;
    memset(&r, 0, sizeof r);
    for (c = 0; c < 3; c++) { r.lo[c] = 1e30; r.hi[c] = -1e30; }
    r.name = viewi_text(v, name);
    v->runs[v->n_runs++] = r;
}

void view_run(view *v, const char *name)
{
    if (v && !v->error[0]) viewi_begin_run(v, name);
}

/* The run at hand, or NULL after an error; `what` is to be added to it, which frames end. */
static viewi_run *viewi_current(view *v, const char *what)
{
    viewi_run *r;

    if (!v || v->error[0]) return NULL;
    if (!v->n_runs) viewi_begin_run(v, "");
    if (v->error[0]) return NULL;
    r = &v->runs[v->n_runs - 1];
    if (what && r->n_times) { viewi_fail(v, "a new %s after the first frame", what); return NULL; }
    return r;
}

static int viewi_set(view *v, viewi_pose *out, dc_pose p, int body)
{
    double w = (double)p.q.w, x = (double)p.q.x, y = (double)p.q.y, z = (double)p.q.z;
    double length = sqrt(w*w + x*x + y*y + z*z);

    if (!viewi_number3(p.t) || !(length < 1e30)) viewi_fail(v, "the pose of body %d is not finite", body);
    else if (!(length > 1e-9)) viewi_fail(v, "the quaternion of body %d is zero", body);
    if (v->error[0]) return 0;
    out->c[0] = (double)p.t.x; out->c[1] = (double)p.t.y; out->c[2] = (double)p.t.z;
    out->c[3] = w/length; out->c[4] = x/length; out->c[5] = y/length; out->c[6] = z/length;
    return 1;
}

static int viewi_add_body(view *v, int shape, const char *colour, int fixed, dc_pose pose)
{
    viewi_run *r = viewi_current(v, "body");
    viewi_body b;

    if (!r) return -1;
    memset(&b, 0, sizeof b);
    b.shape = shape; b.fixed = fixed;
    if (shape < 0 || (size_t)shape >= v->n_shapes) viewi_fail(v, "there is no shape %d", shape);
    viewi_colour(v, colour, r->n_bodies, b.colour);
    if (!viewi_set(v, &b.pose, pose, (int)r->n_bodies)) return -1;
    if (!viewi_room(v, &r->bodies, r->n_bodies, &r->cap_bodies, sizeof b)) return -1;
    r->bodies[r->n_bodies] = b;
    return (int)r->n_bodies++;
}

int view_body(view *v, int shape, const char *colour)
{
    static const dc_pose origin = {{1, 0, 0, 0}, {0, 0, 0}};
    return viewi_add_body(v, shape, colour, 0, origin);
}

int view_fixed(view *v, int shape, const char *colour, dc_pose pose) { return viewi_add_body(v, shape, colour, 1, pose); }

int view_overlay(view *v, int kind, const char *name, const char *colour, int hidden)
{
    viewi_run    *r = viewi_current(v, "overlay");
    viewi_overlay o;

    if (!r) return -1;
    memset(&o, 0, sizeof o);
    if (kind < 0 || kind > VIEW_SPHERES) viewi_fail(v, "there is no overlay of kind %d", kind);
    viewi_colour(v, colour, r->n_overlays + 3, o.colour);
    if (v->error[0] || !viewi_room(v, &r->overlays, r->n_overlays, &r->cap_overlays, sizeof o)) return -1;
    o.kind = kind; o.hidden = hidden; o.name = viewi_text(v, name);
    r->overlays[r->n_overlays] = o;
    return (int)r->n_overlays++;
}

int view_track(view *v, const char *name, const char *colour, int body, dc_v3 point)
{
    viewi_run  *r = viewi_current(v, "track");
    viewi_track t;

    if (!r) return -1;
    memset(&t, 0, sizeof t);
    if (body < 0 || (size_t)body >= r->n_bodies) viewi_fail(v, "a track of body %d of %d", body, (int)r->n_bodies);
    if (!viewi_number3(point)) viewi_fail(v, "the point of track \"%.60s\" is not finite", name ? name : "");
    viewi_colour(v, colour, r->n_tracks + 5, t.colour);
    if (v->error[0] || !viewi_room(v, &r->tracks, r->n_tracks, &r->cap_tracks, sizeof t)) return -1;
    t.body = body; t.point = viewi_from(point); t.name = viewi_text(v, name);
    r->tracks[r->n_tracks] = t;
    return (int)r->n_tracks++;
}

int view_series(view *v, const char *name, const char *unit, int log_scale)
{
    viewi_run   *r = viewi_current(v, "series");
    viewi_series s;
    size_t       k;

    for (k = 0; r && k < r->n_series; k++) {
        if (name && !strcmp(r->series[k].name, name)) viewi_fail(v, "two series \"%.60s\" in one run", name);
    }
    if (!r || v->error[0] || !viewi_room(v, &r->series, r->n_series, &r->cap_series, sizeof s)) return -1;
    memset(&s, 0, sizeof s);
    s.log_scale = log_scale; s.now = HUGE_VAL; s.name = viewi_text(v, name); s.unit = viewi_text(v, unit);
    r->series[r->n_series] = s;
    return (int)r->n_series++;
}

/* ---- a frame ----------------------------------------------------------------------------------- */

void view_pose(view *v, int body, dc_pose pose)
{
    viewi_run *r = viewi_current(v, NULL);

    if (!r) return;
    if (body < 0 || (size_t)body >= r->n_bodies) viewi_fail(v, "a pose for body %d of %d", body, (int)r->n_bodies);
    else if (r->bodies[body].fixed) viewi_fail(v, "a pose for body %d, which is fixed", body);
    else viewi_set(v, &r->bodies[body].pose, pose, body);
}

void view_pose_2d(view *v, int body, dc_real x, dc_real y, dc_real angle)
{
    dc_pose p = DC_ZERO;

    p.q.w = (dc_real)cos((double)angle/2); p.q.z = (dc_real)sin((double)angle/2);
    p.t.x = x; p.t.y = y;
    view_pose(v, body, p);
}

static void viewi_item(view *v, int overlay, int kind, int kind2, dc_v3 p, dc_v3 q, dc_real r)
{
    viewi_run     *run = viewi_current(v, NULL);
    viewi_overlay *o;
    double         x[7];
    int            i, n;

    if (!run) return;
    if (overlay < 0 || (size_t)overlay >= run->n_overlays) { viewi_fail(v, "there is no overlay %d", overlay); return; }
    o = &run->overlays[overlay];
    if (o->kind != kind && o->kind != kind2) {
        viewi_fail(v, "overlay \"%.60s\" holds %s", o->name, viewi_kinds[o->kind]);
        return;
    }
    n = viewi_width[o->kind];
    x[0] = (double)p.x; x[1] = (double)p.y; x[2] = (double)p.z;
    x[3] = (double)q.x; x[4] = (double)q.y; x[5] = (double)q.z; x[6] = (double)r;
    if (o->kind == VIEW_SPHERES) x[3] = (double)r;
    if (o->kind == VIEW_SPHERES && r < 0) { viewi_fail(v, "a ball of overlay \"%.60s\" has a negative radius", o->name); return; }
    for (i = 0; i < n; i++) {
        if (!viewi_number(x[i])) { viewi_fail(v, "an item of overlay \"%.60s\" is not finite", o->name); return; }
        if (!viewi_room(v, &o->items, o->n, &o->cap, sizeof *o->items)) return;
        o->items[o->n++] = (float)x[i];
    }
}

void view_point(view *v, int overlay, dc_v3 p) { viewi_item(v, overlay, VIEW_POINTS, VIEW_TARGETS, p, p, 0); }
void view_arrow(view *v, int overlay, dc_v3 p, dc_v3 along)
{
    viewi_item(v, overlay, VIEW_ARROWS, VIEW_SEGMENTS, p, along, 0);
}
void view_patch(view *v, int overlay, dc_v3 p, dc_v3 normal, dc_real half_size)
{
    viewi_item(v, overlay, VIEW_PLANES, VIEW_PLANES, p, normal, half_size);
}
void view_ball(view *v, int overlay, dc_v3 centre, dc_real radius)
{
    viewi_item(v, overlay, VIEW_SPHERES, VIEW_SPHERES, centre, centre, radius);
}

void view_value(view *v, int series, double value)
{
    viewi_run *r = viewi_current(v, NULL);

    if (!r) return;
    if (series < 0 || (size_t)series >= r->n_series) viewi_fail(v, "there is no series %d", series);
    else r->series[series].now = value;
}

static void viewi_reach(viewi_run *r, viewi_v3 p, double x, double y, double z)
{
    r->lo[0] = fmin(r->lo[0], p.x - x); r->hi[0] = fmax(r->hi[0], p.x + x);
    r->lo[1] = fmin(r->lo[1], p.y - y); r->hi[1] = fmax(r->hi[1], p.y + y);
    r->lo[2] = fmin(r->lo[2], p.z - z); r->hi[2] = fmax(r->hi[2], p.z + z);
}

/* Widens the run's bounds by what is in this frame; planes have none. */
static void viewi_bounds(view *v, viewi_run *r)
{
    size_t b, i;
    int    k;

    for (b = 0; b < r->n_bodies; b++) {
        const viewi_body  *body = &r->bodies[b];
        const viewi_shape *s = &v->shapes[body->shape];
        if (body->fixed && r->n_times) continue;
        if (!strcmp(s->kind, "plane")) continue;
        if (s->v) {
            for (k = 0; k < s->n; k++) viewi_reach(r, viewi_apply(&body->pose, s->v[k]), 0, 0, 0);
        } else {
            viewi_v3 end = viewi_vec(0, 0, s->h);
            viewi_reach(r, viewi_apply(&body->pose, end), s->r, s->r, v->flat ? 0 : s->r);
            viewi_reach(r, viewi_apply(&body->pose, viewi_vec(0, 0, -s->h)), s->r, s->r, v->flat ? 0 : s->r);
        }
    }
    for (b = 0; b < r->n_overlays; b++) {
        const viewi_overlay *o = &r->overlays[b];
        for (i = 0; i < o->n; i += (size_t)viewi_width[o->kind]) {
            viewi_reach(r, viewi_vec((double)o->items[i], (double)o->items[i + 1], (double)o->items[i + 2]), 0, 0, 0);
        }
    }
}

/* The poses of the moving bodies, 16 bits a number:
 *     position   lo + u (hi - lo)/65535 of this frame's extent;   angle   u/65536 turns;   quaternion   i/32767 */
static void viewi_pack_quantised(view *v, const viewi_run *r)
{
    int    c, dims = v->flat ? 2 : 3;
    double lo[3], hi[3];
    size_t b;

    for (c = 0; c < dims; c++) {
        lo[c] = 1e30; hi[c] = -1e30;
        for (b = 0; b < r->n_bodies; b++) {
            if (r->bodies[b].fixed) continue;
            lo[c] = fmin(lo[c], r->bodies[b].pose.c[c]);
            hi[c] = fmax(hi[c], r->bodies[b].pose.c[c]);
        }
        if (lo[c] > hi[c]) lo[c] = hi[c] = 0;                   /* nothing moves */
        lo[c] = (double)(float)lo[c];                           /* what the page reads */
        hi[c] = lo[c] + fmax((double)(float)(hi[c] - lo[c]), 1e-30);
    }
    for (c = 0; c < dims; c++) viewi_put_float(v, lo[c]);
    for (c = 0; c < dims; c++) viewi_put_float(v, hi[c] - lo[c]);
    for (b = 0; b < r->n_bodies; b++) {
        const double *p = r->bodies[b].pose.c;
        if (r->bodies[b].fixed) continue;
        for (c = 0; c < dims; c++) {
            double u = floor((p[c] - lo[c])/(hi[c] - lo[c])*65535 + 0.5);
            viewi_put(v, (unsigned)fmin(fmax(u, 0), 65535), 2);
        }
        if (v->flat) {
            viewi_put(v, (unsigned)(int)floor(atan2(p[6], p[3])*(65536/3.141592653589793) + 0.5) & 65535, 2);
        } else {
            for (c = 3; c < 7; c++) viewi_put(v, (unsigned)(int)floor(p[c]*32767 + 0.5) & 65535, 2);
        }
    }
    while (v->n_frame & 3 && !v->error[0]) viewi_put(v, 0, 1);
}

static void viewi_pack(view *v, const viewi_run *r)
{
    size_t b, i;
    int    c;

    v->n_frame = 0;
    if (v->quantise) {
        viewi_pack_quantised(v, r);
    } else {
        for (b = 0; b < r->n_bodies; b++) {
            const double *p = r->bodies[b].pose.c;
            if (r->bodies[b].fixed) continue;
            if (v->flat) {
                viewi_put_float(v, p[0]);
                viewi_put_float(v, p[1]);
                viewi_put_float(v, 2*atan2(p[6], p[3]));
            } else {
                for (c = 0; c < 7; c++) viewi_put_float(v, p[c]);
            }
        }
    }
    for (b = 0; b < r->n_overlays; b++) {
        const viewi_overlay *o = &r->overlays[b];
        viewi_put(v, (unsigned)(o->n/(size_t)viewi_width[o->kind]), 4);
        for (i = 0; i < o->n; i++) viewi_put_float(v, (double)o->items[i]);
    }
}

void view_frame(view *v, double time)
{
    viewi_run *r = viewi_current(v, NULL);
    size_t     i;

    if (!r) return;
    if (!viewi_number(time)) viewi_fail(v, "the time of frame %d is not finite", (int)r->n_times);
    else if (r->n_times && time < r->times[r->n_times - 1]) viewi_fail(v, "time goes back at frame %d", (int)r->n_times);
    if (v->error[0]) return;
    viewi_bounds(v, r);
    for (i = 0; i < r->n_tracks; i++) {
        viewi_track *t = &r->tracks[i];
        viewi_v3     p = viewi_apply(&r->bodies[t->body].pose, t->point);
        float        x[3];
        int          c;
        x[0] = (float)p.x; x[1] = (float)p.y; x[2] = (float)p.z;
        viewi_reach(r, p, 0, 0, 0);
        for (c = 0; c < 3; c++) {
            if (!viewi_room(v, &t->p, t->n, &t->cap, sizeof *t->p)) return;
            t->p[t->n++] = x[c];
        }
    }
    for (i = 0; i < r->n_series; i++) {
        viewi_series *s = &r->series[i];
        if (!viewi_room(v, &s->v, s->n, &s->cap, sizeof *s->v)) return;
        s->v[s->n++] = s->now;
        s->now = HUGE_VAL;
    }
    if (!viewi_room(v, &r->times, r->n_times, &r->cap_times, sizeof *r->times)) return;
    r->times[r->n_times++] = time;
    viewi_pack(v, r);
    for (i = 0; i < r->n_overlays; i++) r->overlays[i].n = 0;
    fprintf(v->file, "<script class='frame' type='text/plain' data-run='%d'>", (int)v->n_runs - 1);
    viewi_base64(v->file, v->frame, v->n_frame);
    fputs("</script>\n", v->file);
    if (ferror(v->file)) viewi_fail(v, "cannot write: %s", strerror(errno));
}
/* ---- the still picture: the last frame, for readers without scripts ----------------------------- */

#define VIEWI_WIDE 640                  /* of the picture */
#define VIEWI_HIGH 400
#define VIEWI_MANY 2000                 /* more bodies in a run, or triangles in a body, are drawn as balls */

/* The page's camera at the start: looks at `centre` along -toward. */
typedef struct { viewi_v3 centre, right, up, toward; double distance, slope; int flat; } viewi_camera;

static viewi_camera viewi_look(const view *v, const double lo[3], const double hi[3])
{
    static const double azimuth = -60*3.141592653589793/180, elevation = 20*3.141592653589793/180;
    double              ca = cos(azimuth), sa = sin(azimuth), ce = cos(elevation), se = sin(elevation);
    double              aspect = (double)VIEWI_WIDE/VIEWI_HIGH, half[3];
    viewi_camera        c;
    int                 k;

    for (k = 0; k < 3; k++) half[k] = (hi[k] - lo[k])/2;
    c.centre = viewi_vec(lo[0] + half[0], lo[1] + half[1], lo[2] + half[2]);
    c.flat = v->flat;
    c.right = v->flat ? viewi_vec(1, 0, 0) : viewi_vec(-sa, ca, 0);
    c.up = v->flat ? viewi_vec(0, 1, 0) : viewi_vec(-se*ca, -se*sa, ce);
    c.toward = v->flat ? viewi_vec(0, 0, 1) : viewi_vec(ce*ca, ce*sa, se);
    c.slope = tan(35*3.141592653589793/360);
    c.distance = 0;
    for (k = 0; k < 8; k++) {                                   /* far enough for each corner of the bounds */
        viewi_v3 p = viewi_vec(k & 1 ? half[0] : -half[0], k & 2 ? half[1] : -half[1], k & 4 ? half[2] : -half[2]);
        double   reach = (v->flat ? 1.06 : 1.02)*fmax(fabs(viewi_dot(p, c.right))/aspect, fabs(viewi_dot(p, c.up)));
        c.distance = fmax(c.distance, v->flat ? reach : viewi_dot(p, c.toward) + reach/c.slope);
    }
    return c;
}

/* x and y in the picture, and how far away; returns pixels per unit there. */
static double viewi_project(const viewi_camera *c, viewi_v3 p, double xy[2], double *away)
{
    viewi_v3 d = viewi_sub(p, c->centre);
    double   z = c->distance - viewi_dot(d, c->toward);
    double   scale = VIEWI_HIGH/2.0/(c->flat ? c->distance : c->slope*fmax(z, 0.01*c->distance));

    xy[0] = VIEWI_WIDE/2.0 + scale*viewi_dot(d, c->right);
    xy[1] = VIEWI_HIGH/2.0 - scale*viewi_dot(d, c->up);
    *away = z;
    return scale;
}

/* What is painted, the farthest first: a triangle, or a thick line from the first to the second point (a ball, a capsule). */
typedef struct { double away, xy[6], breadth; const char *colour; double shade; size_t order; } viewi_mark;

static int viewi_farther(const void *a, const void *b)
{
    const viewi_mark *p = (const viewi_mark *)a, *q = (const viewi_mark *)b;

    if (p->away > q->away || p->away < q->away) return p->away > q->away ? -1 : 1;
    return p->order < q->order ? -1 : p->order > q->order;
}

static void viewi_shaded(FILE *f, const char *attribute, const char *colour, double shade)
{
    unsigned rgb = (unsigned)strtoul(colour + 1, NULL, 16);

    if (strlen(colour) > 7) { fprintf(f, " %s-opacity='%.2f'", attribute, (rgb & 255)/255.0); rgb >>= 8; }
    fprintf(f, " %s='#%02x%02x%02x'", attribute, (unsigned)(shade*(rgb >> 16)), (unsigned)(shade*(rgb >> 8 & 255)),
            (unsigned)(shade*(rgb & 255)));
}

/* Adds what body b shows: the triangles that face the camera, or a thick line. */
static void viewi_marks(view *v, const viewi_camera *c, const viewi_body *b, int plain, viewi_mark **marks, size_t *n,
                        size_t *cap)
{
    const viewi_shape *s = &v->shapes[b->shape];
    viewi_mark         m;
    viewi_v3           p[3], end;
    double             scale, away[3];
    int                t, k;

    memset(&m, 0, sizeof m);
    m.colour = b->colour;
    if (plain || !s->n_f) {
        end = viewi_vec(0, 0, plain ? 0 : s->h);
        scale = viewi_project(c, viewi_apply(&b->pose, end), m.xy, &away[0]);
        viewi_project(c, viewi_apply(&b->pose, viewi_vec(0, 0, -end.z)), m.xy + 2, &away[1]);
        m.away = (away[0] + away[1])/2;
        m.breadth = 2*scale*(s->r > 0 ? s->r : s->radius);
        m.shade = 0.92;
        m.order = *n;
        if (viewi_room(v, marks, *n, cap, sizeof m)) (*marks)[(*n)++] = m;
        return;
    }
    for (t = 0; t < s->n_f; t++) {
        viewi_v3 normal;
        double   length;
        for (k = 0; k < 3; k++) {
            p[k] = viewi_apply(&b->pose, s->v[s->f[3*t + k]]);
            viewi_project(c, p[k], m.xy + 2*k, &away[k]);
        }
        /* seen from behind; y is down */
        if ((m.xy[2] - m.xy[0])*(m.xy[5] - m.xy[1]) - (m.xy[3] - m.xy[1])*(m.xy[4] - m.xy[0]) >= 0) continue;
        normal = viewi_cross(viewi_sub(p[1], p[0]), viewi_sub(p[2], p[0]));
        length = viewi_norm(normal);
        m.shade = 0.62 + 0.38*fmax(0, viewi_dot(normal, viewi_vec(0.35, -0.3, 0.89))/fmax(length, 1e-300));
        m.away = (away[0] + away[1] + away[2])/3;
        m.order = *n;
        if (viewi_room(v, marks, *n, cap, sizeof m)) (*marks)[(*n)++] = m;
    }
}

static void viewi_still_3d(view *v, const viewi_run *r, const viewi_camera *c, const double lo[3], const double hi[3])
{
    FILE       *f = v->file;
    viewi_mark *marks = NULL;
    size_t      n = 0, cap = 0, i;
    double      xy[2], away;
    int         k;

    fputs("<path class='ground' fill='#e6eaef' d='", f);
    for (k = 0; k < 4; k++) {
        viewi_project(c, viewi_vec(k == 0 || k == 3 ? lo[0] : hi[0], k < 2 ? lo[1] : hi[1], lo[2]), xy, &away);
        fprintf(f, "%c%.1f %.1f", k ? 'L' : 'M', xy[0], xy[1]);
    }
    fputs("'/>\n", f);
    for (i = 0; i < r->n_bodies; i++) {
        const viewi_shape *s = &v->shapes[r->bodies[i].shape];
        if (!strcmp(s->kind, "plane")) continue;
        viewi_marks(v, c, &r->bodies[i], r->n_bodies > VIEWI_MANY || s->n_f > VIEWI_MANY, &marks, &n, &cap);
    }
    if (n) qsort(marks, n, sizeof *marks, viewi_farther);
    for (i = 0; i < n; i++) {
        const viewi_mark *m = &marks[i];
        if (m->breadth > 0) {
            fprintf(f, "<path d='M%.1f %.1fL%.1f %.1f' stroke-linecap='round' stroke-width='%.1f'", m->xy[0], m->xy[1],
                    m->xy[2] + 0.01, m->xy[3], m->breadth);
            viewi_shaded(f, "stroke", m->colour, m->shade);
        } else {
            fprintf(f, "<path d='M%.1f %.1fL%.1f %.1fL%.1f %.1fz'", m->xy[0], m->xy[1], m->xy[2], m->xy[3], m->xy[4],
                    m->xy[5]);
            viewi_shaded(f, "fill", m->colour, m->shade);
            viewi_shaded(f, "stroke", m->colour, m->shade);
        }
        fputs("/>\n", f);
    }
    free(marks);
}

static void viewi_still_2d(view *v, const viewi_run *r, const viewi_camera *c)
{
    FILE  *f = v->file;
    size_t i;
    int    k;
    double xy[2], away, scale;

    for (i = 0; i < r->n_bodies; i++) {
        const viewi_body  *b = &r->bodies[i];
        const viewi_shape *s = &v->shapes[b->shape];
        int                line = !strcmp(s->kind, "line") || !strcmp(s->kind, "plane");
        scale = viewi_project(c, viewi_apply(&b->pose, viewi_vec(0, 0, 0)), xy, &away);
        if (!line && (!s->v || r->n_bodies > VIEWI_MANY)) {
            fprintf(f, "<circle cx='%.1f' cy='%.1f' r='%.2f'", xy[0], xy[1], scale*s->radius);
        } else {
            viewi_v3        ends[2];
            const viewi_v3 *p = s->v ? s->v : ends;
            ends[0] = viewi_vec(-s->r, 0, 0); ends[1] = viewi_vec(s->r, 0, 0);
            fputs("<path d='", f);
            for (k = 0; k < (s->v ? s->n : 2); k++) {
                viewi_project(c, viewi_apply(&b->pose, p[k]), xy, &away);
                fprintf(f, "%c%.1f %.1f", k ? 'L' : 'M', xy[0], xy[1]);
            }
            fputs(line ? "'" : "z'", f);
        }
        if (line) {
            fputs(" fill='none' stroke-width='1.6'", f);
            viewi_shaded(f, "stroke", b->colour, 1);
        } else {
            viewi_shaded(f, "fill", b->colour, 1);
            viewi_shaded(f, "stroke", b->colour, 0.5);
        }
        fputs("/>\n", f);
    }
}

static void viewi_heading(FILE *f, const char *name, const char *unit)
{
    fputs("<th scope='col'>", f);
    viewi_html(f, name);
    if (unit[0]) { fputs(" [", f); viewi_html(f, unit); fputc(']', f); }
    fputs("</th>", f);
}

/* At most 20 frames of the run, evenly spread, and the last one. */
static void viewi_table(view *v, const viewi_run *r)
{
    static const char *const axes[3] = {"x", "y", "z"};
    FILE                    *f = v->file;
    size_t                   step = (r->n_times + 19)/20, i, k;
    int                      c, dims = v->flat ? 2 : 3;

    fputs("<div class='scroll'><table><caption>", f);
    viewi_html(f, r->name);
    fprintf(f, " (%d frames, %d bodies)</caption>\n<tr>", (int)r->n_times, (int)r->n_bodies);
    viewi_heading(f, "frame", "");
    viewi_heading(f, v->step_name, v->step_unit);
    for (k = 0; k < r->n_series; k++) viewi_heading(f, r->series[k].name, r->series[k].unit);
    for (k = 0; k < r->n_tracks; k++) for (c = 0; c < dims; c++) viewi_heading(f, r->tracks[k].name, axes[c]);
    fputs("</tr>\n", f);
    for (i = 0; i < r->n_times; i = i + step < r->n_times || i + 1 == r->n_times ? i + step : r->n_times - 1) {
        fprintf(f, "<tr><th scope='row'>%d</th><td>%.10g</td>", (int)i + 1, r->times[i]);
        for (k = 0; k < r->n_series; k++) {
            if (fabs(r->series[k].v[i]) < HUGE_VAL) fprintf(f, "<td>%.6g</td>", r->series[k].v[i]);
            else fputs("<td>-</td>", f);
        }
        for (k = 0; k < r->n_tracks; k++) for (c = 0; c < dims; c++) {
            fprintf(f, "<td>%.6g</td>", (double)r->tracks[k].p[3*i + (size_t)c]);
        }
        fputs("</tr>\n", f);
    }
    fputs("</table></div>\n", f);
}

static void viewi_still(view *v, const double lo[3], const double hi[3])
{
    viewi_camera c = viewi_look(v, lo, hi);
    FILE        *f = v->file;
    size_t       k;

    fputs("<div class='picture'>\n", f);
    for (k = 0; k < v->n_runs; k++) {
        const viewi_run *r = &v->runs[k];
        if (!r->n_bodies) continue;
        fprintf(f, "<figure><svg viewBox='0 0 %d %d' role='img' aria-label='The last frame' stroke-linejoin='round' "
                   "stroke-width='.6'>\n", VIEWI_WIDE, VIEWI_HIGH);
        if (v->flat) viewi_still_2d(v, r, &c);
        else viewi_still_3d(v, r, &c, lo, hi);
        fputs("</svg><figcaption>", f);
        viewi_html(f, r->name);
        fputs(" (the last frame; scripts make it move)</figcaption></figure>\n", f);
    }
    fputs("</div>\n<details open><summary>Numbers as a table</summary>\n", f);
    for (k = 0; k < v->n_runs; k++) viewi_table(v, &v->runs[k]);
    fputs("</details>\n", f);
}

/* ---- what the page's script reads --------------------------------------------------------------- */

static void viewi_numbers(FILE *f, const char *name, const double *x, size_t n)
{
    size_t i;

    fprintf(f, ",\"%s\":[", name);
    for (i = 0; i < n; i++) {
        if (i) fputc(',', f);
        if (fabs(x[i]) < HUGE_VAL) fprintf(f, "%.15g", x[i]);
        else fputs("null", f);
    }
    fputc(']', f);
}

/* {"name":..., and the rest of an object follows */
static void viewi_named(FILE *f, size_t index, const char *name)
{
    fputs(index ? ",\n{\"name\":" : "{\"name\":", f);
    viewi_json(f, name);
}

static void viewi_scene(view *v, const double lo[3], const double hi[3])
{
    FILE  *f = v->file;
    size_t c, i, j, k;
    int    m;

    fprintf(f, "{\"flat\":%d,\"quantised\":%d,\"play\":%d,\"rate\":%g,\"step_name\":", v->flat, v->quantise, v->play, v->rate);
    viewi_json(f, v->step_name);
    fputs(",\"step_unit\":", f);
    viewi_json(f, v->step_unit);
    fprintf(f, ",\"bounds\":[[%.9g,%.9g,%.9g],[%.9g,%.9g,%.9g]]", lo[0], lo[1], lo[2], hi[0], hi[1], hi[2]);
    fputs(",\n\"shapes\":[", f);
    for (k = 0; k < v->n_shapes; k++) {
        const viewi_shape *s = &v->shapes[k];
        fprintf(f, "%s{\"kind\":\"%s\",\"r\":%.9g,\"h\":%.9g,\"radius\":%.9g,\"crease\":%g,\"v\":[", k ? ",\n" : "",
                s->kind, s->r, s->h, s->radius, s->crease);
        for (m = 0; m < s->n; m++) {
            fprintf(f, "%s%.9g,%.9g", m ? "," : "", s->v[m].x, s->v[m].y);
            if (!v->flat) fprintf(f, ",%.9g", s->v[m].z);
        }
        fputs("],\"f\":[", f);
        for (m = 0; m < 3*s->n_f; m++) fprintf(f, "%s%d", m ? "," : "", s->f[m]);
        fputs("]}", f);
    }
    fputs("],\n\"runs\":[\n", f);
    for (k = 0; k < v->n_runs; k++) {
        const viewi_run *r = &v->runs[k];
        viewi_named(f, k, r->name);
        viewi_numbers(f, "times", r->times, r->n_times);
        for (m = 0; m < 2; m++) {
            fputs(m ? "],\n\"fixed\":[" : ",\n\"bodies\":[", f);
            for (i = 0, j = 0; i < r->n_bodies; i++) {
                const viewi_body *b = &r->bodies[i];
                if (b->fixed != m) continue;
                fprintf(f, "%s[%d,\"%s\"", j++ ? "," : "", b->shape, b->colour);
                for (c = 0; m && c < 7; c++) fprintf(f, ",%.9g", b->pose.c[c]);
                fputc(']', f);
            }
        }
        fputs("],\n\"overlays\":[", f);
        for (i = 0; i < r->n_overlays; i++) {
            const viewi_overlay *o = &r->overlays[i];
            viewi_named(f, i, o->name);
            fprintf(f, ",\"kind\":\"%s\",\"colour\":\"%s\",\"hidden\":%d}", viewi_kinds[o->kind], o->colour, o->hidden != 0);
        }
        fputs("],\n\"tracks\":[", f);
        for (i = 0; i < r->n_tracks; i++) {
            const viewi_track *t = &r->tracks[i];
            viewi_named(f, i, t->name);
            fprintf(f, ",\"colour\":\"%s\",\"p\":[", t->colour);
            for (j = 0; j < t->n; j++) fprintf(f, "%s%.9g", j ? "," : "", (double)t->p[j]);
            fputs("]}", f);
        }
        fputs("],\n\"series\":[", f);
        for (i = 0; i < r->n_series; i++) {
            const viewi_series *s = &r->series[i];
            viewi_named(f, i, s->name);
            fputs(",\"unit\":", f);
            viewi_json(f, s->unit);
            fprintf(f, ",\"log\":%d", s->log_scale != 0);
            viewi_numbers(f, "v", s->v, s->n);
            fputc('}', f);
        }
        fputs("]}", f);
    }
    fputs("]}\n", f);
}

/* ---- open and close ----------------------------------------------------------------------------- */

int view_ok(const view *v) { return v && !v->error[0]; }

view *view_open(const char *path, const view_options *opt)
{
    static const view_options defaults = DC_ZERO;
    view                     *v = (view *)calloc(1, sizeof *v);
    const char               *s;
    size_t                    line = 0, length;

    if (!v) return NULL;
    if (!opt) opt = &defaults;
    v->flat = opt->flat != 0;
    v->quantise = opt->quantise != 0;
    v->play = !opt->paused;
    v->rate = opt->rate > 0 && opt->rate < 1e6 ? opt->rate : 30;
    v->path = viewi_text(v, path);
    v->title = viewi_text(v, opt->title ? opt->title : path);
    v->note = viewi_text(v, opt->note);
    v->step_name = viewi_text(v, opt->step_name ? opt->step_name : "time");
    v->step_unit = viewi_text(v, opt->step_unit || opt->step_name ? opt->step_unit : "s");
    if (!path || !path[0]) viewi_fail(v, "no name for the page");
    if (v->error[0]) return v;
    length = strlen(path);
    v->part = (char *)malloc(length + 6);
    if (!v->part) { viewi_fail(v, "out of memory"); return v; }
    memcpy(v->part, path, length);
    memcpy(v->part + length, is_device(path) ? "" : ".part", is_device(path) ? 1 : 6);
    v->file = fopen(v->part, "wb");
    if (!v->file) { viewi_fail(v, "cannot write %.250s: %s", v->part, strerror(errno)); return v; }
    while ((s = viewi_lines(v, &line)) != NULL && strcmp(s, "@frames")) {
        viewi_html(v->file, strcmp(s, "@title") ? v->note : v->title);
        fputc('\n', v->file);
    }
    return v;
}

static void viewi_finish(view *v)
{
    double      lo[3], hi[3], size = 0;
    const char *s;
    size_t      line = 0, k;
    int         c;

    for (c = 0; c < 3; c++) {
        lo[c] = 1e30; hi[c] = -1e30;
        for (k = 0; k < v->n_runs; k++) {
            lo[c] = fmin(lo[c], v->runs[k].lo[c]);
            hi[c] = fmax(hi[c], v->runs[k].hi[c]);
        }
        if (lo[c] > hi[c]) { lo[c] = -1; hi[c] = 1; }           /* nothing but planes */
        size = fmax(size, hi[c] - lo[c]);
    }
    for (c = 0; c < 3 && size <= 0; c++) { lo[c] -= 1; hi[c] += 1; }
    while (strcmp(viewi_page(line++), "@frames")) continue;
    while ((s = viewi_lines(v, &line)) != NULL) {
        if (!strcmp(s, "@still")) viewi_still(v, lo, hi);
        else viewi_scene(v, lo, hi);
    }
    if (ferror(v->file)) viewi_fail(v, "cannot write: %s", strerror(errno));
}

int view_close(view *v)
{
    size_t i;
    int    failed, device;

    if (!v) { fprintf(stderr, "view: out of memory\n"); return 1; }
    if (!v->error[0]) viewi_end_run(v);
    if (!v->n_runs) viewi_fail(v, "nothing to show: no frame");
    if (!v->error[0]) viewi_finish(v);
    if (v->file && fclose(v->file) != 0) viewi_fail(v, "cannot write: %s", strerror(errno));
    device = v->part && !strcmp(v->part, v->path);
#ifdef _WIN32
    if (!v->error[0] && !device) remove(v->path);            /* rename does not replace there */
#endif
    if (!v->error[0] && !device && rename(v->part, v->path) != 0) viewi_fail(v, "cannot name it: %s", strerror(errno));
    failed = v->error[0] != 0;
    if (failed) {
        fprintf(stderr, "view: %s: %s\n", v->path ? v->path : "", v->error);
        if (v->file && !device) remove(v->part);
    }
    for (i = 0; i < v->n_shapes; i++) { free(v->shapes[i].v); free(v->shapes[i].f); }
    for (i = 0; i < v->n_runs; i++) viewi_free_run(&v->runs[i]);
    free(v->shapes); free(v->runs); free(v->frame);
    free(v->path); free(v->part); free(v->title); free(v->note); free(v->step_name); free(v->step_unit);
    free(v);
    return failed;
}

/* ---- the page ----------------------------------------------------------------------------------- */

static const char *viewi_page(size_t i)
{
    /* HTML, style and script, line by line. Only single quotes and no backslash inside, so that the text stands here as it
     * is in the page. */
    static const char *const page[] = {
        "<!doctype html>",
        "<html lang='en'>",
        "<head>",
        "<meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width, initial-scale=1'>",
        "<title>",
        "@title",
        "</title>",
        "<style>",
        ":root { color-scheme: light; --page: #f6f7f9; --card: #ffffff; --ink: #1d2430; --pale: #5d6878; --line: #d9dee6;",
        "  --accent: #2563eb; --sky: #fbfcfd; --ground: #dfe4ea; --grid: #b9c2cd; --edge: #1d2430; --shadow: .17; }",
        " @media (prefers-color-scheme: dark) { :root:not([data-theme=light]) { color-scheme: dark; --page: #10141a; --card: #171c24;",
        "  --ink: #e8ecf2; --pale: #9aa6b6; --line: #2b333f; --accent: #74a5ff; --sky: #151a21; --ground: #1d242d; --grid: #3a4553;",
        "  --edge: #05070a; --shadow: .38; } }",
        ":root[data-theme=dark] { color-scheme: dark; --page: #10141a; --card: #171c24; --ink: #e8ecf2; --pale: #9aa6b6;",
        "  --line: #2b333f; --accent: #74a5ff; --sky: #151a21; --ground: #1d242d; --grid: #3a4553; --edge: #05070a; --shadow: .38; }",
        "* { box-sizing: border-box; }",
        "body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.45 system-ui, 'Segoe UI', Helvetica, Arial, sans-serif; }",
        "header, main, #numbers { max-width: 1280px; margin: 0 auto; padding: 0 20px; }",
        "header { padding-top: 18px; padding-bottom: 12px; }",
        "h1 { font-size: 22px; margin: 0; letter-spacing: -.01em; overflow-wrap: anywhere; }",
        "header p { margin: 4px 0 0; color: var(--pale); max-width: 80ch; overflow-wrap: anywhere; }",
        "main { display: none; }",
        ".live main { display: block; }",
        ".live .picture { display: none; }",
        ".card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; overflow: hidden; }",
        "#stage { position: relative; height: min(62vh, 640px); min-height: 260px; background: var(--sky); touch-action: none; cursor: grab; }",
        "#stage:active { cursor: grabbing; }",
        "#stage canvas { position: absolute; inset: 0; width: 100%; height: 100%; }",
        "#marks { pointer-events: none; }",
        ".pane { position: absolute; pointer-events: none; padding: 9px 13px; font-weight: 600; overflow: hidden; overflow-wrap: anywhere;",
        " box-shadow: 1px 1px var(--line); }",
        ".pane::before { content: ''; display: inline-block; width: 10px; height: 10px; border-radius: 3px; margin-right: 7px; background: var(--c); }",
        "#bar, #switches { display: flex; flex-wrap: wrap; gap: 8px 10px; align-items: center; padding: 9px 12px; border-top: 1px solid var(--line); }",
        "#switches { gap: 6px 16px; color: var(--pale); font-size: 14px; }",
        "#switches:empty { display: none; }",
        "#switches label { display: inline-flex; align-items: center; gap: 6px; cursor: pointer; }",
        "#switches i { width: 11px; height: 11px; border-radius: 50%; background: var(--c); }",
        "button, select { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 7px;",
        "  height: 34px; padding: 0 10px; cursor: pointer; }",
        "button:hover, select:hover { border-color: var(--accent); }",
        "button[aria-pressed=true] { color: var(--accent); border-color: var(--accent); }",
        ":focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }",
        "button svg { width: 14px; height: 14px; fill: currentColor; vertical-align: -2px; }",
        "#play { width: 44px; }",
        "#scrub { flex: 1 1 160px; min-width: 120px; accent-color: var(--accent); height: 34px; margin: 0; }",
        "#now { font-variant-numeric: tabular-nums; color: var(--pale); font-size: 14px; min-width: 19ch; text-align: right; }",
        "#plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 340px), 1fr)); gap: 14px; margin: 14px 0; }",
        ".plot { padding: 10px 12px 6px; cursor: crosshair; touch-action: pan-y; }",
        ".plot h2 { font-size: 14px; margin: 0; display: flex; flex-wrap: wrap; gap: 2px 14px; }",
        ".plot h2 span { font-weight: 400; color: var(--pale); font-variant-numeric: tabular-nums; }",
        ".plot h2 span::before { content: ''; display: inline-block; width: 12px; height: 3px; border-radius: 2px; margin-right: 5px;",
        "  vertical-align: 4px; background: var(--c); }",
        ".plot svg { display: block; width: 100%; height: 170px; font-size: 11px; fill: var(--pale); }",
        ".plot .g { stroke: var(--line); } .plot .f { fill: none; stroke: var(--pale); opacity: .6; }",
        ".plot .l { fill: none; stroke-width: 1.8; stroke-linejoin: round; }",
        ".plot .c { stroke: var(--accent); stroke-width: 1.3; }",
        "#numbers { padding-bottom: 30px; font-size: 14px; }",
        "#numbers summary { color: var(--pale); cursor: pointer; padding: 6px 0; }",
        ".scroll { overflow-x: auto; }",
        "table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 6px 0 14px; }",
        "caption { text-align: left; font-weight: 600; padding: 4px 0; }",
        "th, td { text-align: right; padding: 3px 12px 3px 0; border-bottom: 1px solid var(--line); font-weight: 400; white-space: nowrap; }",
        "th { color: var(--pale); }",
        ".picture { display: flex; flex-wrap: wrap; gap: 12px; margin-bottom: 12px; }",
        ".picture figure { margin: 0; flex: 1 1 340px; }",
        ".picture .ground { fill: var(--ground); }",
        ".picture svg { display: block; width: 100%; height: auto; background: var(--sky); border: 1px solid var(--line); border-radius: 10px; }",
        "kbd { font: 12px/1 ui-monospace, monospace; border: 1px solid var(--line); border-radius: 4px; padding: 1px 5px; background: var(--card); }",
        ".keys { color: var(--pale); font-size: 13px; margin: 10px 2px 14px; line-height: 1.9; }",
        "#trouble { padding: 10px 14px; color: var(--pale); }",
        "#trouble:empty { display: none; }",
        "</style>",
        "</head>",
        "<body>",
        "<script>document.body.className = 'live'</script>",
        "<header><h1>",
        "@title",
        "</h1><p>",
        "@note",
        "</p></header>",
        "<main>",
        "<div class='card'>",
        "<div id='trouble' role='status'></div>",
        "<div id='stage' tabindex='0' role='group' aria-label='Scene'><canvas id='view' role='img' aria-label='The scene'></canvas><canvas id='marks' aria-hidden='true'></canvas></div>",
        "<div id='switches' role='group' aria-label='Overlays'></div>",
        "<div id='bar' role='group' aria-label='Playback'>",
        "<button id='play' aria-label='Play' title='Play or pause (space)'></button>",
        "<button id='back' aria-label='Step back' title='Step back (left arrow)'><svg viewBox='0 0 14 14'><path d='M2 1h2v12H2zM12 1v12L5 7z'/></svg></button>",
        "<button id='next' aria-label='Step forward' title='Step forward (right arrow)'><svg viewBox='0 0 14 14'><path d='M10 1h2v12h-2zM2 1v12l7-6z'/></svg></button>",
        "<input id='scrub' type='range' min='0' value='0' step='1' aria-label='Frame'>",
        "<output id='now' aria-live='off'></output>",
        "<select id='speed' aria-label='Speed' title='Speed (up, down)'><option>0.1</option><option>0.25</option><option>0.5</option><option selected>1</option><option>2</option><option>4</option><option>10</option></select>",
        "<button id='loop' aria-pressed='true' title='Start again at the end (L)'>Loop</button>",
        "<button id='fit' title='Show the whole scene (F)'>Fit</button>",
        "<button id='theme' title='Light or dark (D)'>Theme</button>",
        "</div>",
        "</div>",
        "<div id='plots'></div>",
        "<p class='keys'><kbd>space</kbd> play <kbd>&larr;</kbd> <kbd>&rarr;</kbd> step, ten with <kbd>shift</kbd> <kbd>Home</kbd> <kbd>End</kbd>",
        " <kbd>&uarr;</kbd> <kbd>&darr;</kbd> speed <kbd>L</kbd> loop <kbd>F</kbd> fit <kbd>D</kbd> light or dark<span id='mouse'></span></p>",
        "</main>",
        "@frames",
        "<section id='numbers' aria-label='Numbers'>",
        "@still",
        "</section>",
        "<script id='scene' type='application/json'>",
        "@scene",
        "</script>",
        "<script>",
        "'use strict';",
        "const $ = id => document.getElementById(id);",
        "const scene = JSON.parse($('scene').textContent), runs = scene.runs, flat = scene.flat;",
        "const palette = ['#3b7dd8', '#e8833a', '#3aa675', '#d64f6b', '#8a63d2', '#c9971c', '#2ba3b5', '#8592a3'];",
        "const stage = $('stage'), canvas = $('view'), marks = $('marks').getContext('2d');",
        "let frame = 0, length = 1, playing = false, loop = true, due = 0, last = 0, dirty = true;",
        "",
        "for (const run of runs) run.frames = [];",
        "for (const s of document.querySelectorAll('script.frame')) runs[s.dataset.run].frames.push(s);",
        "runs.forEach((run, k) => { run.colour = palette[k % 8]; run.shown = -1; length = Math.max(length, run.frames.length); });",
        "document.querySelector('#numbers details').open = false;",
        "",
        "// ---- small vectors; quaternions are (w, x, y, z)",
        "",
        "const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]], sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];",
        "const scale = (s, a) => [s*a[0], s*a[1], s*a[2]], dot = (a, b) => a[0]*b[0] + a[1]*b[1] + a[2]*b[2];",
        "const cross = (a, b) => [a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]];",
        "const unit = a => scale(1/(Math.hypot(...a) || 1), a);",
        "const clamp = (x, lo, hi) => Math.min(Math.max(x, lo), hi);",
        "// columns one after the other, as WebGL wants them",
        "function product(a, b) {",
        "  const c = new Float32Array(16);",
        "  for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++) for (let k = 0; k < 4; k++) c[4*j + i] += a[4*k + i]*b[4*j + k];",
        "  return c;",
        "}",
        "",
        "// ---- frames: base64 of little-endian numbers",
        "",
        "const digit = new Uint8Array(128);",
        "[...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].forEach((c, i) => { digit[c.charCodeAt(0)] = i; });",
        "function bytes(text) {",
        "  const out = new Uint8Array(text.length/4*3);",
        "  for (let i = 0, j = 0; i < text.length; i += 4) {",
        "    const w = digit[text.charCodeAt(i)] << 18 | digit[text.charCodeAt(i + 1)] << 12",
        "            | digit[text.charCodeAt(i + 2)] << 6 | digit[text.charCodeAt(i + 3)];",
        "    out[j++] = w >> 16; out[j++] = w >> 8; out[j++] = w;",
        "  }",
        "  return out.buffer;",
        "}",
        "",
        "// Poses of the moving bodies as x y z 1 w x y z, and the items of each overlay.",
        "const width = { points: 3, targets: 3, arrows: 6, segments: 6, planes: 7, spheres: 4 };",
        "function decode(run, index) {",
        "  if (run.shown === index) return;",
        "  run.shown = index;",
        "  const data = bytes(run.frames[index].textContent), n = run.bodies.length, dims = flat ? 2 : 3, pose = run.pose;",
        "  const turn = (k, angle) => { pose[k + 4] = Math.cos(angle/2); pose[k + 7] = Math.sin(angle/2); };",
        "  let at = 0;",
        "  if (scene.quantised) {",
        "    const box = new Float32Array(data, 0, 2*dims), per = flat ? 3 : 7;",
        "    const u = new Uint16Array(data, 8*dims, per*n), q = new Int16Array(data, 8*dims, per*n);",
        "    for (let b = 0, i = 0, k = 0; b < n; b++, i += per, k += 8) {",
        "      for (let c = 0; c < dims; c++) pose[k + c] = box[c] + u[i + c]*box[dims + c]/65535;",
        "      if (flat) turn(k, u[i + 2]*Math.PI/32768);",
        "      else for (let c = 0; c < 4; c++) pose[k + 4 + c] = q[i + 3 + c]/32767;",
        "    }",
        "    at = (8*dims + 2*per*n + 3) & ~3;",
        "  } else {",
        "    const f = new Float32Array(data, 0, (flat ? 3 : 7)*n);",
        "    for (let b = 0, i = 0, k = 0; b < n; b++, k += 8) {",
        "      for (let c = 0; c < dims; c++) pose[k + c] = f[i++];",
        "      if (flat) turn(k, f[i++]);",
        "      else for (let c = 0; c < 4; c++) pose[k + 4 + c] = f[i++];",
        "    }",
        "    at = 4*f.length;",
        "  }",
        "  for (const o of run.overlays) {",
        "    const count = new Uint32Array(data, at, 1)[0];",
        "    o.items = new Float32Array(data, at + 4, width[o.kind]*count);",
        "    at += 4 + 4*o.items.length;",
        "  }",
        "}",
        "",
        "// ---- shapes: triangles with a normal at each corner, and the edges where the surface bends by more than the crease",
        "",
        "function from_triangles(v, f, crease) {",
        "  const count = f.length/3, normal = [], about = v.map(() => []), sides = new Map(), least = Math.cos(crease*Math.PI/180);",
        "  const position = new Float32Array(3*f.length), normals = new Float32Array(3*f.length), edges = [];",
        "  for (let t = 0; t < count; t++) {",
        "    const [a, b, c] = f.slice(3*t, 3*t + 3);",
        "    normal.push(cross(sub(v[b], v[a]), sub(v[c], v[a])));",
        "    [[a, b], [b, c], [c, a]].forEach(([i, j]) => {",
        "      about[i].push(t);",
        "      const key = Math.min(i, j)*v.length + Math.max(i, j);",
        "      if (!sides.has(key)) sides.set(key, []);",
        "      sides.get(key).push(t);",
        "    });",
        "  }",
        "  const direction = normal.map(unit);",
        "  for (let k = 0; k < f.length; k++) {",
        "    const own = direction[Math.floor(k/3)];",
        "    let sum = [0, 0, 0];",
        "    for (const t of about[f[k]]) if (dot(direction[t], own) >= least - 1e-6) sum = add(sum, normal[t]);",
        "    position.set(v[f[k]], 3*k);",
        "    normals.set(unit(sum), 3*k);",
        "  }",
        "  for (const [key, ts] of sides) {",
        "    const i = Math.floor(key/v.length), j = key % v.length;",
        "    if (ts.length !== 2 || dot(direction[ts[0]], direction[ts[1]]) < least - 1e-6) edges.push(v[i], v[j]);",
        "  }",
        "  return { position, normals, edges };",
        "}",
        "// Rows of a surface of revolution about z, (radius, height, normal's radius, normal's height) from the bottom up.",
        "function lathe(rows, n) {",
        "  const position = [], normals = [];",
        "  const put = (r, i) => {",
        "    const c = Math.cos(2*Math.PI*i/n), s = Math.sin(2*Math.PI*i/n);",
        "    position.push(r[0]*c, r[0]*s, r[1]); normals.push(r[2]*c, r[2]*s, r[3]);",
        "  };",
        "  for (let k = 0; k + 1 < rows.length; k++) for (let i = 0; i < n; i++) {",
        "    const a = rows[k], b = rows[k + 1];",
        "    put(a, i); put(a, i + 1); put(b, i + 1); put(a, i); put(b, i + 1); put(b, i);",
        "  }",
        "  return { position: new Float32Array(position), normals: new Float32Array(normals), edges: [] };",
        "}",
        "function ball(r, h, fine) {",
        "  const rows = [], n = fine ? 12 : 4;",
        "  for (const side of [-1, 1]) for (let i = 0; i <= n; i++) {",
        "    const a = Math.PI/2*(side < 0 ? i/n - 1 : i/n);",
        "    rows.push([r*Math.cos(a), side*h + r*Math.sin(a), Math.cos(a), Math.sin(a)]);",
        "  }",
        "  return lathe(rows, fine ? 40 : 10);",
        "}",
        "// Cuts ears off a simple polygon, counter-clockwise or not; at most one pass over what is left for each.",
        "function from_polygon(p) {",
        "  const area = (a, b, c) => (b[0] - a[0])*(c[1] - a[1]) - (b[1] - a[1])*(c[0] - a[0]);",
        "  let sum = 0, f = [], left = p.map((_, i) => i);",
        "  p.forEach((q, i) => { const r = p[(i + 1) % p.length]; sum += q[0]*r[1] - q[1]*r[0]; });",
        "  if (sum < 0) left.reverse();",
        "  while (left.length > 3) {",
        "    let best = 0;",
        "    for (let k = 0; k < left.length; k++) {",
        "      const [a, b, c] = [left[(k + left.length - 1) % left.length], left[k], left[(k + 1) % left.length]];",
        "      const inside = i => i !== a && i !== b && i !== c && area(p[a], p[b], p[i]) >= 0 && area(p[b], p[c], p[i]) >= 0",
        "                       && area(p[c], p[a], p[i]) >= 0;",
        "      if (area(p[a], p[b], p[c]) > 0 && !left.some(inside)) { best = k; break; }",
        "    }",
        "    f.push(left[(best + left.length - 1) % left.length], left[best], left[(best + 1) % left.length]);",
        "    left.splice(best, 1);",
        "  }",
        "  const v = p.map(q => [q[0], q[1], 0]);",
        "  const shape = from_triangles(v, f.concat(left), 0);",
        "  shape.edges = v.flatMap((q, i) => [q, v[(i + 1) % v.length]]);",
        "  return shape;",
        "}",
        "function make_shape(s, users) {",
        "  const rows = (v, n) => { const out = []; for (let i = 0; i < v.length; i += n) out.push(v.slice(i, i + n)); return out; };",
        "  const round = n => Array.from({ length: n }, (_, i) => [s.r*Math.cos(2*Math.PI*i/n), s.r*Math.sin(2*Math.PI*i/n)]);",
        "  const fine = users <= 400;",
        "  let out;",
        "  if (s.kind === 'sphere') out = ball(s.r, 0, fine);",
        "  else if (s.kind === 'capsule') out = ball(s.r, s.h, fine);",
        "  else if (s.kind === 'polygon') out = from_polygon(rows(s.v, 2));",
        "  else if (s.kind === 'disc') {",
        "    out = from_polygon(round(fine ? 64 : 16));",
        "    out.edges.push([0, 0, 0], [s.r, 0, 0]);                     // shows how it turns",
        "  } else if (s.kind === 'line') {",
        "    const v = rows(s.v, 2).map(q => [q[0], q[1], 0]);",
        "    out = { position: new Float32Array(0), normals: new Float32Array(0), edges: v.slice(1).flatMap((q, i) => [v[i], q]), own: true };",
        "  } else if (s.kind === 'plane' && flat) {                      // the solid side is hatched",
        "    const edges = [[-s.r, 0, 0], [s.r, 0, 0]], d = s.r/32;",
        "    for (let i = -31; i <= 32; i++) edges.push([i*d, 0, 0], [(i - 1)*d, -d, 0]);",
        "    out = { position: new Float32Array(0), normals: new Float32Array(0), edges, own: true };",
        "  } else if (s.kind === 'plane') {",
        "    out = from_triangles([[-s.r, -s.r, 0], [s.r, -s.r, 0], [s.r, s.r, 0], [-s.r, s.r, 0]], [0, 1, 2, 0, 2, 3], 1);",
        "  } else out = from_triangles(rows(s.v, 3), s.f, s.crease);",
        "  let area = 0;                                                 // of the shape in 2D, in 3D a quarter of its surface",
        "  for (let i = 0; i < out.position.length; i += 9) {",
        "    const [a, b, c] = [0, 3, 6].map(k => out.position.slice(i + k, i + k + 3));",
        "    area += Math.hypot(...cross(sub(b, a), sub(c, a)))/2;",
        "  }",
        "  out.dot = Math.sqrt(area/(flat ? Math.PI : 4*Math.PI));",
        "  out.radius = s.radius;",
        "  return out;",
        "}",
        "",
        "// ---- WebGL",
        "",
        "const vertex_common = `#version 300 es",
        "precision highp float;",
        "layout(location=2) in float copy;",
        "uniform highp sampler2D bodies;",
        "uniform int copies, count;",
        "uniform mat4 camera;",
        "out vec4 tint;",
        "vec4 at, turn;",
        "// Which body this vertex belongs to: its pose and colour are three texels of a texture, 256 bodies a row.",
        "bool find() {",
        "  int body = gl_InstanceID*copies + int(copy);",
        "  ivec2 texel = ivec2(3*(body & 255), body >> 8);",
        "  at = texelFetch(bodies, texel, 0);",
        "  turn = texelFetch(bodies, texel + ivec2(1, 0), 0);",
        "  tint = texelFetch(bodies, texel + ivec2(2, 0), 0);",
        "  gl_Position = vec4(0, 0, 2, 1);",
        "  return body < count;",
        "}",
        "vec3 rotate(vec3 v) { vec3 t = 2.*cross(turn.yzw, v); return v + turn.x*t + cross(turn.yzw, t); }",
        "vec3 world(vec3 v) { return at.xyz + rotate(v); }",
        "`;",
        "const programs_text = {",
        "  body: [vertex_common + `",
        "layout(location=0) in vec3 position;",
        "layout(location=1) in vec3 normal;",
        "out vec3 where, facing;",
        "void main() {",
        "  if (!find()) return;",
        "  where = world(position); facing = rotate(normal); gl_Position = camera*vec4(where, 1);",
        "}`,",
        "`#version 300 es",
        "precision highp float;",
        "in vec4 tint;",
        "in vec3 where, facing;",
        "uniform vec3 eye;",
        "uniform vec4 flood;",
        "out vec4 pixel;",
        "void main() {",
        "  if (flood.a > 0.) { pixel = flood; return; }",
        "  if (eye == vec3(0)) { pixel = tint; return; }",
        "  vec3 v = normalize(eye - where), n = normalize(facing), l = normalize(vec3(.35, -.3, .9));",
        "  if (dot(n, v) < 0.) n = -n;",
        "  float key = max(dot(n, l), 0.), fill = .5 + .5*n.z, rim = pow(1. - max(dot(n, v), 0.), 3.);",
        "  float shine = pow(max(dot(n, normalize(l + v)), 0.), 40.);",
        "  pixel = vec4(tint.rgb*(.46 + .14*fill + .3*key + .24*max(dot(n, v), 0.)) + .12*shine + .08*rim, tint.a);",
        "}`],",
        "  edge: [vertex_common + `",
        "layout(location=0) in vec3 from;",
        "layout(location=1) in vec3 to;",
        "layout(location=3) in vec2 corner;",
        "uniform vec2 size;",
        "uniform float breadth;",
        "void main() {",
        "  if (!find()) return;",
        "  vec4 a = camera*vec4(world(from), 1), b = camera*vec4(world(to), 1), c = corner.x > .5 ? b : a;",
        "  vec2 d = (b.xy/b.w - a.xy/a.w)*size;",
        "  vec2 side = vec2(-d.y, d.x)/max(length(d), 1e-6);",
        "  c.xy += (side*corner.y + normalize(d + 1e-9)*(2.*corner.x - 1.)*.5)*breadth/size*c.w;",
        "  gl_Position = min(a.w, b.w) <= 0. ? vec4(0, 0, 2, 1) : c;",
        "}`,",
        "`#version 300 es",
        "precision highp float;",
        "in vec4 tint;",
        "uniform vec4 ink;",
        "out vec4 pixel;",
        "void main() { pixel = vec4(mix(tint.rgb, ink.rgb, ink.a), tint.a); }`],",
        "  dot: [vertex_common + `",
        "uniform float size;",
        "void main() {",
        "  if (!find()) return;",
        "  gl_Position = camera*vec4(at.xyz, 1);",
        "  gl_PointSize = size/gl_Position.w;",
        "}`,",
        "`#version 300 es",
        "precision highp float;",
        "in vec4 tint;",
        "out vec4 pixel;",
        "void main() { pixel = vec4(tint.rgb, tint.a*clamp(4.*(1. - length(2.*gl_PointCoord - 1.)), 0., 1.)); }`],",
        "  ground: [`#version 300 es",
        "precision highp float;",
        "layout(location=0) in vec2 corner;",
        "uniform mat4 camera;",
        "uniform vec4 centre;",
        "out vec2 where;",
        "void main() { where = corner*centre.w; gl_Position = camera*vec4(centre.xy + where, centre.z, 1); }`,",
        "`#version 300 es",
        "precision highp float;",
        "in vec2 where;",
        "uniform vec4 centre;",
        "uniform float cell;",
        "uniform vec3 ground, grid;",
        "out vec4 pixel;",
        "float lines(float s) {",
        "  vec2 p = (where + centre.xy)/s, w = fwidth(p), d = abs(fract(p - .5) - .5)/max(w, 1e-6);",
        "  return (1. - min(min(d.x, d.y), 1.))*(1. - smoothstep(.2, .7, max(w.x, w.y)));",
        "}",
        "void main() {",
        "  float fade = 1. - smoothstep(.25, 1., length(where)/centre.w);",
        "  pixel = vec4(mix(ground, grid, max(.45*lines(cell), .9*lines(5.*cell))), fade*fade);",
        "}`] };",
        "",
        "const many = runs.some(r => r.bodies.length > 4000);            // smoothed edges would cost too much without a GPU",
        "let gl = canvas.getContext('webgl2', { antialias: !many, alpha: false, stencil: true });",
        "const programs = {};",
        "function compile(texts) {",
        "  const p = gl.createProgram();",
        "  texts.forEach((text, i) => {",
        "    const s = gl.createShader(i ? gl.FRAGMENT_SHADER : gl.VERTEX_SHADER);",
        "    gl.shaderSource(s, text); gl.compileShader(s); gl.attachShader(p, s);",
        "    if (!gl.getShaderParameter(s, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(s));",
        "  });",
        "  gl.linkProgram(p);",
        "  if (!gl.getProgramParameter(p, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(p));",
        "  const out = { p };",
        "  for (let i = gl.getProgramParameter(p, gl.ACTIVE_UNIFORMS) - 1; i >= 0; i--) {",
        "    const name = gl.getActiveUniform(p, i).name;",
        "    out[name] = gl.getUniformLocation(p, name);",
        "  }",
        "  return out;",
        "}",
        "function floats(location, size, data) {",
        "  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());",
        "  gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);",
        "  gl.enableVertexAttribArray(location);",
        "  gl.vertexAttribPointer(location, size, gl.FLOAT, false, 0, 0);",
        "}",
        "// Each edge is a rectangle of two triangles, spread out to its breadth in pixels by the shader.",
        "function edge_arrays(edges) {",
        "  const n = edges.length/2, from = new Float32Array(18*n), to = new Float32Array(18*n), corner = new Float32Array(12*n);",
        "  for (let i = 0; i < n; i++) {",
        "    [[0, -1], [1, -1], [1, 1], [0, -1], [1, 1], [0, 1]].forEach((c, k) => {",
        "      from.set(edges[2*i], 18*i + 3*k); to.set(edges[2*i + 1], 18*i + 3*k); corner.set(c, 12*i + 2*k);",
        "    });",
        "  }",
        "  return [from, to, corner];",
        "}",
        "",
        "// A shape's arrays, repeated so that one draw of a few thousand vertices shows many bodies: a draw each would be slow.",
        "function repeat(arrays, vertices, count) {",
        "  const out = { vertices, copies: clamp(Math.floor(30000/Math.max(vertices, 1)), 1, count), vao: gl.createVertexArray() };",
        "  const n = vertices*out.copies;",
        "  gl.bindVertexArray(out.vao);",
        "  for (const [location, size, one] of arrays) {",
        "    const all = new Float32Array(size*n);",
        "    for (let k = 0; k < out.copies; k++) all.set(one, size*vertices*k);",
        "    floats(location, size, all);",
        "  }",
        "  floats(2, 1, Float32Array.from({ length: n }, (_, i) => Math.floor(i/vertices)));",
        "  gl.bindVertexArray(null);",
        "  return out;",
        "}",
        "// Bodies of one shape, 12 numbers each in `data`: x y z 1, w x y z, red green blue alpha.",
        "function make_group(shape, bodies, translucent) {",
        "  const rows = Math.ceil(bodies.length/256), [from, to, corner] = edge_arrays(shape.edges);",
        "  const g = { shape, bodies, translucent, data: new Float32Array(12*256*rows), count: 0, texture: gl.createTexture() };",
        "  gl.bindTexture(gl.TEXTURE_2D, g.texture);",
        "  gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32F, 3*256, rows);",
        "  for (const which of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, which, gl.NEAREST);",
        "  g.faces = repeat([[0, 3, shape.position], [1, 3, shape.normals]], shape.position.length/3, bodies.length);",
        "  g.dots = repeat([], 1, bodies.length);",
        "  g.lines = repeat([[0, 3, from], [1, 3, to], [3, 2, corner]], 3*shape.edges.length, bodies.length);",
        "  return g;",
        "}",
        "function draw_group(g, part, program, mode) {",
        "  if (!g.count || !part.vertices) return;",
        "  gl.bindTexture(gl.TEXTURE_2D, g.texture);",
        "  gl.bindVertexArray(part.vao);",
        "  gl.uniform1i(program.copies, part.copies);",
        "  gl.uniform1i(program.count, g.count);",
        "  gl.drawArraysInstanced(mode, 0, part.vertices*part.copies, Math.ceil(g.count/part.copies));",
        "}",
        "function rgba(text) {                                           // #rrggbb or #rrggbbaa",
        "  return [1, 3, 5, 7].map(i => i < text.length ? parseInt(text.slice(i, i + 2), 16)/255 : 1);",
        "}",
        "function set_up() {",
        "  for (const name in programs_text) programs[name] = compile(programs_text[name]);",
        "  const users = scene.shapes.map(() => 0);",
        "  for (const run of runs) for (const b of run.bodies.concat(run.fixed)) users[b[0]]++;",
        "  const shapes = scene.shapes.map((s, i) => make_shape(s, users[i]));",
        "  for (const run of runs) {",
        "    const n = run.bodies.length, all = run.bodies.concat(run.fixed), groups = new Map();",
        "    run.pose = new Float32Array(8*all.length);",
        "    for (let b = 0; b < all.length; b++) { run.pose[8*b + 3] = 1; run.pose[8*b + 4] = 1; }",
        "    run.fixed.forEach((b, k) => {",
        "      run.pose.set(b.slice(2, 5), 8*(n + k)); run.pose.set(b.slice(5, 9), 8*(n + k) + 4);",
        "    });",
        "    run.rgba = new Float32Array(all.flatMap(b => rgba(b[1])));",
        "    all.forEach((b, k) => {",
        "      const level = !flat && k >= n && scene.shapes[b[0]].kind === 'plane' && Math.hypot(b[6], b[7]) < 1e-6;",
        "      if (level && run.ground === undefined) { run.ground = b[4]; return; }",
        "      const key = 2*b[0] + (b[1].length > 7 ? 1 : 0);",
        "      if (!groups.has(key)) groups.set(key, []);",
        "      groups.get(key).push(k);",
        "    });",
        "    run.groups = [...groups].map(([key, list]) => make_group(shapes[key >> 1], list, key & 1));",
        "    run.groups.sort((a, b) => a.translucent - b.translucent);",
        "  }",
        "  ground.vao = gl.createVertexArray(); gl.bindVertexArray(ground.vao);",
        "  floats(0, 2, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]));",
        "  gl.bindVertexArray(null);",
        "}",
        "",
        "// ---- camera: looks at `centre`; 3D from `distance` away, 35 degrees high; 2D shows `distance` from centre to top",
        "",
        "const camera = {}, ground = {}, slope = Math.tan(35*Math.PI/360);",
        "const bounds = scene.bounds;",
        "function directions() {",
        "  const [ca, sa, ce, se] = [Math.cos(camera.azimuth), Math.sin(camera.azimuth), Math.cos(camera.elevation), Math.sin(camera.elevation)];",
        "  const toward = [ce*ca, ce*sa, se];",
        "  return { right: [-sa, ca, 0], up: [-se*ca, -se*sa, ce], toward, eye: add(camera.centre, scale(camera.distance, toward)) };",
        "}",
        "function panes() {",
        "  const w = stage.clientWidth, h = stage.clientHeight, n = runs.length;",
        "  const rows = Math.ceil(n/Math.max(1, Math.floor(w/(w > h ? 280 : 1e9)))), columns = Math.ceil(n/rows);",
        "  return runs.map((_, k) => ({ x: Math.floor(w*(k % columns)/columns), y: Math.floor(h*Math.floor(k/columns)/rows),",
        "                               w: Math.floor(w/columns), h: Math.floor(h/rows) }));",
        "}",
        "function fit() {",
        "  const pane = panes()[0], aspect = pane.w/Math.max(pane.h, 1), half = scale(.5, sub(bounds[1], bounds[0]));",
        "  camera.centre = scale(.5, add(bounds[0], bounds[1]));",
        "  camera.azimuth = -60*Math.PI/180; camera.elevation = 20*Math.PI/180;",
        "  if (flat) camera.distance = 1.06*Math.max(half[1], half[0]/aspect);",
        "  else {",
        "    const d = directions();",
        "    camera.distance = 0;",
        "    for (let k = 0; k < 8; k++) {                               // far enough for each corner of the bounds",
        "      const p = [0, 1, 2].map(c => k >> c & 1 ? half[c] : -half[c]);",
        "      const reach = Math.max(Math.abs(dot(p, d.right))/aspect, Math.abs(dot(p, d.up)))/slope;",
        "      camera.distance = Math.max(camera.distance, dot(p, d.toward) + 1.02*reach);",
        "    }",
        "  }",
        "  dirty = true;",
        "}",
        "function matrix(pane) {",
        "  const aspect = pane.w/Math.max(pane.h, 1), c = camera.centre, size = camera.distance;",
        "  if (flat) return new Float32Array([1/(size*aspect), 0, 0, 0, 0, 1/size, 0, 0, 0, 0, 0, 0, -c[0]/(size*aspect), -c[1]/size, 0, 1]);",
        "  const { right, up, toward, eye } = directions(), radius = Math.hypot(...sub(bounds[1], bounds[0]));",
        "  const near = Math.max(size/100, size - 2*radius - Math.hypot(...sub(c, ground.middle))), far = size + 12*radius, f = 1/slope;",
        "  const view = [right, up, toward].map(a => [...a, -dot(a, eye)]);",
        "  return product(new Float32Array([f/aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near)/(near - far), -1, 0, 0, 2*far*near/(near - far), 0]),",
        "                 new Float32Array([0, 1, 2, 3].flatMap(j => [view[0][j], view[1][j], view[2][j], j === 3 ? 1 : 0])));",
        "}",
        "// A point of the world in CSS pixels of the stage, or null behind the camera.",
        "function project(pane, p) {",
        "  const m = pane.matrix, w = m[3]*p[0] + m[7]*p[1] + m[11]*p[2] + m[15];",
        "  if (w <= 0) return null;",
        "  return [pane.x + pane.w*(.5 + .5*(m[0]*p[0] + m[4]*p[1] + m[8]*p[2] + m[12])/w),",
        "          pane.y + pane.h*(.5 - .5*(m[1]*p[0] + m[5]*p[1] + m[9]*p[2] + m[13])/w)];",
        "}",
        "",
        "// ---- drawing",
        "",
        "let look = {};",
        "function read_theme() {",
        "  const style = getComputedStyle(document.documentElement), get = name => style.getPropertyValue('--' + name).trim();",
        "  const rgb = name => [1, 3, 5].map(i => parseInt(get(name).slice(i, i + 2), 16)/255);",
        "  look = { sky: rgb('sky'), ground: rgb('ground'), grid: rgb('grid'), edge: rgb('edge'), shadow: +get('shadow'), card: get('card') };",
        "}",
        "function fill_groups(run, pane) {",
        "  const c = camera.centre, tall = camera.distance, wide = tall*pane.w/Math.max(pane.h, 1);",
        "  for (const g of run.groups) {",
        "    const r = g.shape.radius, pose = run.pose, data = g.data;",
        "    let at = 0;",
        "    for (const b of g.bodies) {",
        "      const k = 8*b;",
        "      if (flat && (Math.abs(pose[k] - c[0]) > wide + r || Math.abs(pose[k + 1] - c[1]) > tall + r)) continue;",
        "      for (let i = 0; i < 8; i++) data[at + i] = pose[k + i];",
        "      for (let i = 0; i < 4; i++) data[at + 8 + i] = run.rgba[4*b + i];",
        "      at += 12;",
        "    }",
        "    g.count = at/12;",
        "    gl.bindTexture(gl.TEXTURE_2D, g.texture);",
        "    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 3*256, Math.ceil(g.count/256), gl.RGBA, gl.FLOAT, data);",
        "  }",
        "}",
        "// Pixels of one unit of length, at the centre in 3D.",
        "const pixels = pane => pane.h/(2*camera.distance*(flat ? 1 : slope));",
        "const small = (g, pane, radius) => !g.shape.own && g.shape.radius*pixels(pane) < radius;",
        "function use(program, view) { gl.useProgram(program.p); gl.uniformMatrix4fv(program.camera, false, view); }",
        "function draw_faces(run, pane, view, flood, translucent) {",
        "  const groups = run.groups.filter(g => g.translucent === translucent), body = programs.body, eye = directions().eye;",
        "  use(body, view);",
        "  gl.uniform3f(body.eye, ...(flat ? [0, 0, 0] : eye)); gl.uniform4f(body.flood, ...flood);",
        "  for (const g of groups) if (!small(g, pane, 3)) draw_group(g, g.faces, body, gl.TRIANGLES);",
        "}",
        "// What is only a few pixels wide is a dot of the same area.",
        "function draw_dots(run, pane, translucent) {",
        "  const p = programs.dot, dpr = canvas.width/Math.max(stage.clientWidth, 1);",
        "  use(p, pane.matrix);",
        "  for (const g of run.groups) {",
        "    if (g.translucent !== translucent || !small(g, pane, 3)) continue;",
        "    gl.uniform1f(p.size, 2*g.shape.dot*pixels(pane)*dpr*(flat ? 1 : camera.distance));",
        "    draw_group(g, g.dots, p, gl.POINTS);",
        "  }",
        "}",
        "function draw_edges(run, pane, translucent) {",
        "  const p = programs.edge;",
        "  use(p, pane.matrix);",
        "  gl.uniform2f(p.size, pane.w, pane.h);",
        "  gl.uniform1f(p.breadth, flat ? 1.2 : 1.5);",
        "  for (const g of run.groups) {",
        "    if (g.translucent !== translucent || small(g, pane, 4)) continue;",
        "    gl.uniform4f(p.ink, ...look.edge, g.shape.own ? 0 : .72);",
        "    draw_group(g, g.lines, p, gl.TRIANGLES);",
        "  }",
        "}",
        "function draw_bodies(run, pane, translucent) {",
        "  draw_faces(run, pane, pane.matrix, [0, 0, 0, 0], translucent);",
        "  draw_dots(run, pane, translucent);",
        "}",
        "// Onto the ground along the light: p - l (p.z - z)/l.z.",
        "function shadow_matrix(z) {",
        "  const l = [.35/.9, -.3/.9];",
        "  return new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, -l[0], -l[1], 0, 0, l[0]*z, l[1]*z, z, 1]);",
        "}",
        "function draw_pane(run, pane) {",
        "  const dpr = canvas.width/Math.max(stage.clientWidth, 1);",
        "  const box = [Math.round(pane.x*dpr), Math.round(canvas.height - (pane.y + pane.h)*dpr), Math.round(pane.w*dpr), Math.round(pane.h*dpr)];",
        "  gl.viewport(...box); gl.scissor(...box);",
        "  gl.clearColor(...look.sky, 1);",
        "  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);",
        "  fill_groups(run, pane);",
        "  gl.enable(gl.BLEND); gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);",
        "  gl.disable(gl.DEPTH_TEST);",
        "  if (flat) {",
        "    for (const t of [0, 1]) { draw_bodies(run, pane, t); draw_edges(run, pane, t); }",
        "    return;",
        "  }",
        "  const level = run.ground === undefined ? bounds[0][2] : run.ground;",
        "  if (directions().eye[2] > level) {",
        "    const p = programs.ground;",
        "    use(p, pane.matrix);",
        "    gl.uniform4f(p.centre, ground.middle[0], ground.middle[1], level, ground.size);",
        "    gl.uniform1f(p.cell, ground.cell);",
        "    gl.uniform3f(p.ground, ...look.ground); gl.uniform3f(p.grid, ...look.grid);",
        "    gl.bindVertexArray(ground.vao); gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);",
        "    gl.enable(gl.STENCIL_TEST);                                 // each pixel is darkened once",
        "    gl.stencilFunc(gl.EQUAL, 0, 255); gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);",
        "    draw_faces(run, pane, product(pane.matrix, shadow_matrix(level)), [0, 0, 0, look.shadow], 0);",
        "    gl.disable(gl.STENCIL_TEST);",
        "  }",
        "  gl.enable(gl.DEPTH_TEST);",
        "  for (const t of [0, 1]) {",
        "    gl.depthMask(!t);",
        "    gl.enable(gl.POLYGON_OFFSET_FILL); gl.polygonOffset(1, 2);",
        "    draw_bodies(run, pane, t);",
        "    gl.disable(gl.POLYGON_OFFSET_FILL);",
        "    draw_edges(run, pane, t);",
        "  }",
        "  gl.depthMask(true);",
        "}",
        "",
        "// Overlays lie over the scene, so that a contact between two bodies can be seen.",
        "const hidden = new Map();",
        "function draw_path(pane, points) {",
        "  let pen = false;",
        "  marks.beginPath();",
        "  for (const p of points) {",
        "    const q = project(pane, p);",
        "    if (q) { if (pen) marks.lineTo(...q); else marks.moveTo(...q); }",
        "    pen = !!q;",
        "  }",
        "}",
        "function draw_arrow(a, b) {",
        "  const d = Math.hypot(b[0] - a[0], b[1] - a[1]);",
        "  if (d < 1) return;",
        "  const u = [(b[0] - a[0])/d, (b[1] - a[1])/d], head = Math.min(9, .6*d), c = [b[0] - head*u[0], b[1] - head*u[1]];",
        "  marks.beginPath(); marks.moveTo(...a); marks.lineTo(...c); marks.stroke();",
        "  marks.beginPath(); marks.moveTo(...b);",
        "  marks.lineTo(c[0] - .42*head*u[1], c[1] + .42*head*u[0]); marks.lineTo(c[0] + .42*head*u[1], c[1] - .42*head*u[0]); marks.fill();",
        "}",
        "const painters = {",
        "  points(pane, f) {",
        "    const q = project(pane, f);",
        "    if (!q) return;",
        "    marks.beginPath(); marks.arc(...q, 3.6, 0, 7); marks.fill();",
        "    marks.strokeStyle = look.card; marks.lineWidth = 1; marks.stroke();",
        "  },",
        "  targets(pane, f) {",
        "    const q = project(pane, f);",
        "    if (!q) return;",
        "    for (const r of [4, 10]) { marks.beginPath(); marks.arc(...q, r, 0, 7); marks.stroke(); }",
        "    for (const [x, y] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {",
        "      marks.beginPath(); marks.moveTo(q[0] + 7*x, q[1] + 7*y); marks.lineTo(q[0] + 14*x, q[1] + 14*y); marks.stroke();",
        "    }",
        "  },",
        "  arrows(pane, f) {",
        "    const a = project(pane, f), b = project(pane, add(f, f.slice(3, 6)));",
        "    if (a && b) draw_arrow(a, b);",
        "  },",
        "  segments(pane, f) { draw_path(pane, [f, add(f, f.slice(3, 6))]); marks.stroke(); },",
        "  planes(pane, f) {",
        "    const c = f.slice(0, 3), n = unit([...f.slice(3, 6)]);",
        "    if (flat) {",
        "      draw_path(pane, [-1, 1].map(s => [c[0] - s*f[6]*n[1], c[1] + s*f[6]*n[0], 0]));",
        "    } else {",
        "      const a = unit(cross(n, Math.abs(n[2]) < .9 ? [0, 0, 1] : [1, 0, 0])), b = cross(n, a);",
        "      const at = (s, t) => add(c, add(scale(s*f[6], a), scale(t*f[6], b)));",
        "      draw_path(pane, [at(-1, -1), at(1, -1), at(1, 1), at(-1, 1), at(-1, -1)]);",
        "      marks.globalAlpha = .16; marks.fill(); marks.globalAlpha = .8;",
        "    }",
        "    marks.stroke();",
        "    marks.globalAlpha = 1;",
        "  },",
        "  spheres(pane, f) {",
        "    const q = project(pane, f);",
        "    if (!q) return;",
        "    let r = f[3]*pane.h/(2*camera.distance);",
        "    if (!flat) {",
        "      const e = directions().eye, d2 = dot(sub(e, f), sub(e, f)) - f[3]*f[3];",
        "      if (d2 <= 0) return;",
        "      r = f[3]*pane.h/(2*slope*Math.sqrt(d2));",
        "    }",
        "    marks.beginPath(); marks.arc(...q, r, 0, 7); marks.stroke();",
        "  }",
        "};",
        "function draw_marks(run, pane) {",
        "  marks.save();",
        "  marks.beginPath(); marks.rect(pane.x, pane.y, pane.w, pane.h); marks.clip();",
        "  for (const t of run.tracks) {",
        "    if (hidden.get(t.name)) continue;",
        "    const points = [], upto = Math.min(frame, run.frames.length - 1);",
        "    for (let i = 0; i <= upto; i++) points.push(t.p.slice(3*i, 3*i + 3));",
        "    marks.strokeStyle = marks.fillStyle = t.colour; marks.lineWidth = 2;",
        "    draw_path(pane, points); marks.stroke();",
        "    painters.points(pane, points[upto]);",
        "  }",
        "  for (const o of run.overlays) {",
        "    if (hidden.get(o.name)) continue;",
        "    for (let i = 0; i < o.items.length; i += width[o.kind]) {",
        "      marks.strokeStyle = marks.fillStyle = o.colour; marks.lineWidth = 1.8;",
        "      painters[o.kind](pane, o.items.subarray(i, i + width[o.kind]));",
        "    }",
        "  }",
        "  marks.restore();",
        "}",
        "function draw() {",
        "  dirty = false;",
        "  const dpr = Math.min(window.devicePixelRatio || 1, 2), w = Math.round(stage.clientWidth*dpr), h = Math.round(stage.clientHeight*dpr);",
        "  for (const c of [canvas, marks.canvas]) if (c.width !== w || c.height !== h) { c.width = w; c.height = h; }",
        "  marks.setTransform(dpr, 0, 0, dpr, 0, 0);",
        "  marks.clearRect(0, 0, w, h);",
        "  gl.enable(gl.SCISSOR_TEST);",
        "  gl.scissor(0, 0, w, h); gl.clearColor(...look.sky, 1); gl.clear(gl.COLOR_BUFFER_BIT);     // what no pane covers",
        "  panes().forEach((pane, k) => {",
        "    const run = runs[k];",
        "    decode(run, Math.min(frame, run.frames.length - 1));",
        "    pane.matrix = matrix(pane);",
        "    draw_pane(run, pane);",
        "    draw_marks(run, pane);",
        "  });",
        "}",
        "",
        "// ---- plots: one for each name, the runs in it",
        "",
        "const format = x => x === null || x === undefined ? '-' : x === 0 ? '0' : Math.abs(x) >= 1e5 || Math.abs(x) < 1e-3 ? x.toExponential(2) : String(+x.toPrecision(4));",
        "const names = [], charts = [];",
        "for (const run of runs) for (const s of run.series) if (!names.some(n => n.name === s.name)) names.push(s);",
        "function nice_step(range, count) {",
        "  const raw = range/count, power = 10**Math.floor(Math.log10(raw));",
        "  return power*[1, 2, 5, 10].find(m => m*power >= raw*.999);",
        "}",
        "const escape_text = s => { const e = document.createElement('i'); e.textContent = s; return e.innerHTML; };",
        "function make_chart(series) {",
        "  const box = document.createElement('div'), log = series.log;",
        "  const lines = runs.map(run => ({ run, s: run.series.find(s => s.name === series.name) })).filter(l => l.s);",
        "  box.className = 'card plot';",
        "  box.innerHTML = '<h2>' + escape_text(series.name + (series.unit ? ' [' + series.unit + ']' : '')) + '</h2><svg role=img></svg>';",
        "  const svg = box.querySelector('svg'), chart = { box, series };",
        "  for (const l of lines) {",
        "    l.label = document.createElement('span');",
        "    l.label.style.setProperty('--c', l.run.colour);",
        "    box.querySelector('h2').append(l.label);",
        "  }",
        "  const shown = y => y !== null && (log ? y > 0 : Math.abs(y) < 1e300), warp = y => log ? Math.log10(y) : y;",
        "  let x0 = Infinity, x1 = -Infinity, y0 = Infinity, y1 = -Infinity;",
        "  for (const l of lines) l.s.v.forEach((y, i) => {",
        "    x0 = Math.min(x0, l.run.times[i]); x1 = Math.max(x1, l.run.times[i]);",
        "    if (shown(y)) { y0 = Math.min(y0, warp(y)); y1 = Math.max(y1, warp(y)); }",
        "  });",
        "  if (!(y1 >= y0)) { y0 = 0; y1 = 1; }",
        "  if (!(x1 > x0)) { x0 -= .5; x1 = x0 + 1; }",
        "  // what is constant but for its last digits is drawn as such",
        "  const pad = Math.max((y1 - y0)*.06, (log ? .1 : 5e-4)*Math.max(Math.abs(y0), Math.abs(y1))) || 1;",
        "  y0 -= pad; y1 += pad;",
        "  chart.lay_out = () => {",
        "    const w = Math.max(svg.clientWidth, 200), h = 170, left = 52, right = w - 8, top = 8, bottom = h - 34;",
        "    const X = x => left + (x - x0)/(x1 - x0)*(right - left), Y = y => bottom - (warp(y) - y0)/(y1 - y0)*(bottom - top);",
        "    const out = [], n = v => v.toFixed(1);",
        "    const decades = log && y1 - y0 >= 1;                         // within one decade a log axis has the ticks of a linear one",
        "    const [lo, hi] = log && !decades ? [10**y0, 10**y1] : [y0, y1];",
        "    const sx = nice_step(x1 - x0, w/90), sy = decades ? Math.max(1, Math.ceil((y1 - y0)/5)) : nice_step(hi - lo, 5);",
        "    const tick = v => { const t = +v.toPrecision(6), s = String(t); return s.length > 8 ? t.toExponential() : s; };",
        "    for (let k = Math.ceil(x0/sx - 1e-6); k*sx <= x1 + 1e-6*sx; k++)",
        "      out.push(`<path class='g' d='M${n(X(k*sx))} ${top}V${bottom}'/><text x='${n(X(k*sx))}' y='${bottom + 14}' text-anchor='middle'>${tick(k*sx)}</text>`);",
        "    for (let k = Math.ceil(lo/sy - 1e-6); k*sy <= hi + 1e-6*sy; k++) {",
        "      const at = decades ? k*sy : warp(k*sy), y = bottom - (at - y0)/(y1 - y0)*(bottom - top), label = decades ? '1e' + k*sy : tick(k*sy);",
        "      out.push(`<path class='g' d='M${left} ${n(y)}H${right}'/><text x='${left - 6}' y='${n(y + 4)}' text-anchor='end'>${label}</text>`);",
        "    }",
        "    out.push(`<path class='f' d='M${left} ${top}V${bottom}H${right}'/>`);",
        "    out.push(`<text x='${n((left + right)/2)}' y='${h - 4}' text-anchor='middle'>${escape_text(scene.step_name + (scene.step_unit ? ' [' + scene.step_unit + ']' : ''))}</text>`);",
        "    for (const l of lines) {",
        "      // at most the least and the largest of each half pixel",
        "      const bins = new Map();",
        "      let path = '', pen = false;",
        "      l.s.v.forEach((y, i) => {",
        "        const key = shown(y) ? Math.floor(2*X(l.run.times[i])) : -1 - i;",
        "        if (!bins.has(key)) bins.set(key, []);",
        "        bins.get(key).push(i);",
        "      });",
        "      for (const [key, list] of bins) {",
        "        if (key < 0) { pen = false; continue; }",
        "        const by = list.slice().sort((a, b) => l.s.v[a] - l.s.v[b]);",
        "        for (const i of list.length < 3 ? list : [list[0], by[0], by[by.length - 1], list[list.length - 1]]) {",
        "          path += (pen ? 'L' : 'M') + n(X(l.run.times[i])) + ' ' + n(Y(l.s.v[i]));",
        "          pen = true;",
        "        }",
        "      }",
        "      out.push(`<path class='l' stroke='${l.run.colour}' d='${path}'/>`);",
        "    }",
        "    out.push(`<path class='c'/>`);",
        "    for (const l of lines) out.push(`<circle r='3.5' fill='${l.run.colour}'/>`);",
        "    svg.innerHTML = out.join('');",
        "    chart.X = X; chart.Y = Y; chart.left = left; chart.right = right; chart.top = top; chart.bottom = bottom;",
        "    chart.mark();",
        "  };",
        "  chart.mark = () => {",
        "    const dots = svg.querySelectorAll('circle');",
        "    lines.forEach((l, k) => {",
        "      const i = Math.min(frame, l.s.v.length - 1), y = l.s.v[i];",
        "      l.label.textContent = (runs.length > 1 ? l.run.name + ' ' : '') + format(y);",
        "      dots[k].setAttribute('visibility', shown(y) ? 'visible' : 'hidden');",
        "      if (shown(y)) { dots[k].setAttribute('cx', chart.X(l.run.times[i])); dots[k].setAttribute('cy', chart.Y(y)); }",
        "    });",
        "    svg.querySelector('.c').setAttribute('d', `M${chart.X(time_of(frame)).toFixed(1)} ${chart.top}V${chart.bottom}`);",
        "    svg.setAttribute('aria-label', series.name + ': ' + lines.map(l => l.label.textContent).join(', '));",
        "  };",
        "  const seek_to = e => {",
        "    const r = svg.getBoundingClientRect(), t = x0 + (e.clientX - r.left - chart.left)/(chart.right - chart.left)*(x1 - x0);",
        "    const times = longest.times;",
        "    let best = 0;",
        "    times.forEach((x, i) => { if (Math.abs(x - t) < Math.abs(times[best] - t)) best = i; });",
        "    seek(best);",
        "  };",
        "  svg.addEventListener('pointerdown', e => { svg.setPointerCapture(e.pointerId); seek_to(e); });",
        "  svg.addEventListener('pointermove', e => { if (e.buttons) seek_to(e); });",
        "  return chart;",
        "}",
        "",
        "// ---- time",
        "",
        "const longest = runs.reduce((a, b) => b.frames.length > a.frames.length ? b : a);",
        "const time_of = i => longest.times[i];",
        "function seek(i) {",
        "  frame = clamp(Math.round(i), 0, length - 1);",
        "  $('scrub').value = frame;",
        "  $('now').textContent = `frame ${frame + 1} / ${length}, ${scene.step_name} ${format(time_of(frame))}${scene.step_unit ? ' ' + scene.step_unit : ''}`;",
        "  for (const c of charts) c.mark();",
        "  dirty = true;",
        "}",
        "function play(on) {",
        "  playing = on;",
        "  if (on && frame === length - 1) seek(0);",
        "  due = frame; last = performance.now();",
        "  $('play').innerHTML = `<svg viewBox='0 0 14 14'><path d='${on ? 'M2 1h3.5v12H2zM8.5 1H12v12H8.5z' : 'M2 1v12l11-6z'}'/></svg>`;",
        "  $('play').setAttribute('aria-label', on ? 'Pause' : 'Play');",
        "}",
        "function tick(now) {",
        "  if (playing) {",
        "    due += Math.min(now - last, 250)/1000*scene.rate*+$('speed').value;",
        "    last = now;",
        "    if (due > length - 1) {",
        "      if (loop && length > 1) due %= length; else { seek(length - 1); play(false); }",
        "    }",
        "    if (playing && Math.floor(due) !== frame) seek(Math.floor(due));",
        "  }",
        "  if (dirty && gl) draw();",
        "  requestAnimationFrame(tick);",
        "}",
        "",
        "// ---- controls",
        "",
        "function change_speed(by) { const s = $('speed'); s.selectedIndex = clamp(s.selectedIndex + by, 0, s.options.length - 1); }",
        "function toggle_loop() { loop = !loop; $('loop').setAttribute('aria-pressed', loop); }",
        "function toggle_theme() {",
        "  const root = document.documentElement, dark = getComputedStyle(root).colorScheme === 'dark';",
        "  root.dataset.theme = dark ? 'light' : 'dark';",
        "  read_theme(); dirty = true;",
        "}",
        "const keys = {",
        "  ' ': () => play(!playing), ArrowLeft: e => { play(false); seek(frame - (e.shiftKey ? 10 : 1)); },",
        "  ArrowRight: e => { play(false); seek(frame + (e.shiftKey ? 10 : 1)); }, Home: () => seek(0), End: () => seek(length - 1),",
        "  ArrowUp: () => change_speed(1), ArrowDown: () => change_speed(-1), l: toggle_loop, f: fit, d: toggle_theme",
        "};",
        "function wire() {",
        "  $('scrub').max = length - 1;",
        "  $('scrub').oninput = e => { play(false); seek(+e.target.value); };",
        "  $('play').onclick = () => play(!playing);",
        "  $('back').onclick = () => { play(false); seek(frame - 1); };",
        "  $('next').onclick = () => { play(false); seek(frame + 1); };",
        "  $('loop').onclick = toggle_loop; $('fit').onclick = fit; $('theme').onclick = toggle_theme;",
        "  document.addEventListener('keydown', e => {",
        "    const key = e.key.length === 1 ? e.key.toLowerCase() : e.key;",
        "    if (e.ctrlKey || e.metaKey || e.altKey || !keys[key]) return;",
        "    if (e.target.matches('select') && key !== ' ' || e.target.matches('button, summary, [type=checkbox]') && key === ' ') return;",
        "    e.preventDefault();",
        "    keys[key](e);",
        "  });",
        "  const held = new Map();",
        "  let spread = 0;",
        "  stage.addEventListener('pointerdown', e => { stage.setPointerCapture(e.pointerId); held.set(e.pointerId, [e.clientX, e.clientY]); spread = 0; });",
        "  for (const name of ['pointerup', 'pointercancel']) stage.addEventListener(name, e => { held.delete(e.pointerId); spread = 0; });",
        "  stage.addEventListener('contextmenu', e => e.preventDefault());",
        "  const pan = (dx, dy) => {",
        "    const unit_px = 2*camera.distance*(flat ? 1 : slope)/panes()[0].h, d = flat ? { right: [1, 0, 0], up: [0, 1, 0] } : directions();",
        "    camera.centre = add(camera.centre, add(scale(-dx*unit_px, d.right), scale(dy*unit_px, d.up)));",
        "  };",
        "  stage.addEventListener('pointermove', e => {",
        "    const was = held.get(e.pointerId);",
        "    if (!was) return;",
        "    const dx = e.clientX - was[0], dy = e.clientY - was[1];",
        "    held.set(e.pointerId, [e.clientX, e.clientY]);",
        "    if (held.size === 2) {                                      // two fingers: pan, and zoom by their distance",
        "      const [a, b] = [...held.values()], now = Math.hypot(a[0] - b[0], a[1] - b[1]);",
        "      if (spread) camera.distance *= spread/Math.max(now, 1);",
        "      spread = now;",
        "      pan(dx/2, dy/2);",
        "    } else if (flat || e.shiftKey || e.buttons & 6) pan(dx, dy);",
        "    else {",
        "      camera.azimuth -= dx*.007;",
        "      camera.elevation = clamp(camera.elevation + dy*.007, -1.5, 1.5);",
        "    }",
        "    dirty = true;",
        "  });",
        "  stage.addEventListener('wheel', e => {",
        "    e.preventDefault();",
        "    const s = Math.exp(clamp(e.deltaY*(e.deltaMode ? 20 : 1), -300, 300)*.0016);",
        "    if (flat) {                                                 // what is under the pointer stays there",
        "      const r = stage.getBoundingClientRect(), pane = panes().find(p => e.clientX - r.left < p.x + p.w && e.clientY - r.top < p.y + p.h) || panes()[0];",
        "      const k = 2*camera.distance/pane.h*(1 - s);",
        "      camera.centre = add(camera.centre, [k*(e.clientX - r.left - pane.x - pane.w/2), -k*(e.clientY - r.top - pane.y - pane.h/2), 0]);",
        "    }",
        "    camera.distance *= s;",
        "    dirty = true;",
        "  }, { passive: false });",
        "  stage.addEventListener('dblclick', fit);",
        "  $('mouse').textContent = !gl ? '' : flat ? '; drag to move, wheel to zoom, double click to fit'",
        "                         : '; drag to turn, right or shift drag to move, wheel to zoom, double click to fit';",
        "}",
        "function make_switches() {",
        "  for (const run of runs) for (const o of run.tracks.concat(run.overlays)) {",
        "    if (hidden.has(o.name)) continue;",
        "    hidden.set(o.name, !!o.hidden);",
        "    const label = document.createElement('label'), box = document.createElement('input'), dot = document.createElement('i');",
        "    box.type = 'checkbox'; box.checked = !o.hidden;",
        "    box.onchange = () => { hidden.set(o.name, !box.checked); dirty = true; };",
        "    dot.style.setProperty('--c', o.colour);",
        "    label.append(box, dot, o.name);",
        "    $('switches').append(label);",
        "  }",
        "}",
        "function label_panes() {",
        "  for (const old of stage.querySelectorAll('.pane')) old.remove();",
        "  if (runs.length < 2) return;",
        "  panes().forEach((p, k) => {",
        "    const e = document.createElement('div');",
        "    e.className = 'pane'; e.textContent = runs[k].name;",
        "    e.style.cssText = `left:${p.x}px;top:${p.y}px;width:${p.w}px;height:${p.h}px;--c:${runs[k].colour}`;",
        "    stage.append(e);",
        "  });",
        "}",
        "function lay_out() { label_panes(); for (const c of charts) c.lay_out(); dirty = true; }",
        "",
        "// ---- start",
        "",
        "const has_scene = runs.some(r => r.bodies.length + r.fixed.length + r.overlays.length + r.tracks.length);",
        "if (!has_scene) { stage.style.display = 'none'; gl = null; $('fit').hidden = true; }",
        "else if (gl) {",
        "  ground.middle = scale(.5, add(bounds[0], bounds[1]));",
        "  ground.size = 3*Math.hypot(bounds[1][0] - bounds[0][0], bounds[1][1] - bounds[0][1], bounds[1][2] - bounds[0][2]);",
        "  ground.cell = nice_step(ground.size/3, 14);",
        "  set_up();",
        "} else {",
        "  stage.style.display = 'none';",
        "  document.querySelector('.picture').style.display = 'flex';",
        "  $('trouble').textContent = 'This browser offers no WebGL 2, so the scene does not move here; a still frame is below.';",
        "}",
        "for (const s of names) { const c = make_chart(s); charts.push(c); $('plots').append(c.box); }",
        "if (length < 2) $('bar').style.display = 'none';",
        "read_theme(); wire(); make_switches();",
        "for (const c of charts) c.lay_out();",
        "seek(0); play(scene.play > 0 && length > 1 && !matchMedia('(prefers-reduced-motion: reduce)').matches);",
        "if (gl) fit();",
        "lay_out();",
        "let was_wide = stage.clientWidth;",
        "new ResizeObserver(() => { if (gl && stage.clientWidth !== was_wide) { was_wide = stage.clientWidth; fit(); } lay_out(); }).observe(document.querySelector('main'));",
        "matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { read_theme(); dirty = true; });",
        "canvas.addEventListener('webglcontextlost', e => { e.preventDefault(); $('trouble').textContent = 'The graphics context was lost: load the page again.'; gl = null; });",
        "window.view = { seek, draw, camera, bounds, project: (k, p) => { const pane = panes()[k]; pane.matrix = matrix(pane); return project(pane, p); } };",
        "requestAnimationFrame(tick);",
        "</script>",
        "</body>",
        "</html>",
    };
    return i < sizeof page/sizeof *page ? page[i] : NULL;
}

#endif /* VIEW_IMPLEMENTED */
#endif /* VIEW_IMPLEMENTATION */
