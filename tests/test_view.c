/* The pages of view.h, read back: sizes, memory, poses and hulls as they were given, hostile input refused without a
 * trace. What the pages do in a browser is tested in tests/view. */
#include "child.h"

#include "dc_contact.h"
#include "greatest.h"
#include "support.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/stat.h>

/* The writer's memory, which ends after so many allocations; negative: never. */
static long allocations = -1;
static int enough(void) { return allocations < 0 || (allocations > 0 && allocations--); }
static void *scarce_malloc(size_t n) { return enough() ? malloc(n) : NULL; }
static void *scarce_calloc(size_t n, size_t size) { return enough() ? calloc(n, size) : NULL; }
static void *scarce_realloc(void *p, size_t n) { return enough() ? realloc(p, n) : NULL; }
#define malloc scarce_malloc
#define calloc scarce_calloc
#define realloc scarce_realloc
#define VIEW_IMPLEMENTATION
#include "view.h"
#undef malloc
#undef calloc
#undef realloc

GREATEST_MAIN_DEFS();

static char directory[64];                                  /* of this program's files; empty between tests */
static char page[128];                                      /* a file there */

/* ---- reading a page ---- */

/* The file as a string, to be freed; NULL if it cannot be read. */
static char *contents(const char *file, size_t *length)
{
    FILE  *f = fopen(file, "rb");
    char  *text = NULL;
    long   n = -1;

    *length = 0;
    if (f && fseek(f, 0, SEEK_END) == 0) n = ftell(f);
    if (n >= 0) text = (char *)malloc((size_t)n + 1);
    if (text) {
        rewind(f);
        *length = fread(text, 1, (size_t)n, f);
        text[*length] = 0;
    }
    if (f) fclose(f);
    return text;
}

static int sextet(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* The bytes of a frame of a run into `bytes`, room for `room`; their number, or 0. */
static size_t frame_bytes(const char *text, int run, int frame, unsigned char *bytes, size_t room)
{
    char        start[80];
    const char *s = text;
    size_t      n = 0, length;

    snprintf(start, sizeof start, "<script class='frame' type='text/plain' data-run='%d'>", run);
    length = strlen(start);
    while ((s = strstr(s, start)) != NULL && frame-- > 0) s += length;
    if (!s) return 0;
    for (s += length; sextet(s[0]) >= 0; s += 4) {
        unsigned w = 0;
        int      k;
        for (k = 0; k < 4; k++) {
            if (sextet(s[k]) < 0) return 0;
            w = w << 6 | (unsigned)sextet(s[k]);
        }
        if (n + 3 > room) return 0;
        for (k = 16; k >= 0; k -= 8) bytes[n++] = (unsigned char)(w >> k & 255);
    }
    return strncmp(s, "</script>", 9) == 0 ? n : 0;
}

static unsigned little(const unsigned char *p, int n)
{
    unsigned w = 0;

    while (n-- > 0) w = w << 8 | p[n];
    return w;
}
static double float_at(const unsigned char *p)
{
    uint32_t w = little(p, 4);
    float    f;

    memcpy(&f, &w, sizeof f);
    return (double)f;
}

/* ---- what to write ---- */

static dc_v3 v3(double x, double y, double z) { dc_v3 r; r.x = (dc_real)x; r.y = (dc_real)y; r.z = (dc_real)z; return r; }

static dc_pose random_pose(rng *r, double size)
{
    dc_pose p;
    double  q[4], length = 0;
    int     k;

    for (k = 0; k < 4; k++) q[k] = rng_normal(r);
    for (k = 0; k < 4; k++) length += q[k]*q[k]/4;              /* length 2: the writer normalises */
    p.q.w = (dc_real)(q[0]/sqrt(length)); p.q.x = (dc_real)(q[1]/sqrt(length));
    p.q.y = (dc_real)(q[2]/sqrt(length)); p.q.z = (dc_real)(q[3]/sqrt(length));
    for (k = 0; k < 3; k++) q[k] = rng_uniform(r, -size, size);
    p.t = v3(q[0], q[1], q[2]);
    return p;
}

static view *open_page(int flat, int quantise)
{
    view_options o = DC_ZERO;

    o.flat = flat; o.quantise = quantise;
    return view_open(page, &o);
}

/* n moving spheres or discs over a number of frames, all in motion. The status. */
static int many_bodies(int flat, int quantise, int n, long frames)
{
    view *v = open_page(flat, quantise);
    rng   r;
    int   k, shape = flat ? view_disc(v, DC_R(0.1)) : view_sphere(v, DC_R(0.1));
    long  i;

    rng_seed(&r, 1);
    for (k = 0; k < n; k++) view_body(v, shape, NULL);
    for (i = 0; i < frames; i++) {
        for (k = 0; k < n; k++) {
            double a = 0.1*(double)i + k;
            dc_pose p;
            p.q.w = (dc_real)cos(a/2); p.q.x = p.q.y = 0; p.q.z = (dc_real)sin(a/2);
            p.t = v3(k % 100 + 0.3*sin(a), k/100 + 0.3*cos(a), flat ? 0 : 0.1*sin(3*a));
            view_pose(v, k, p);
        }
        view_frame(v, 0.01*(double)i);
    }
    return view_close(v);
}

/* ---- sizes ---- */

static long size_of_page(void)
{
    struct stat s;
    return stat(page, &s) == 0 ? (long)s.st_size : -1;
}

TEST twenty_hulls_over_300_frames_take_less_than_a_megabyte_and_a_half(void)
{
    view   *v = open_page(0, 0);
    rng     r;
    dc_v3   x[30];
    dc_hull hull = DC_ZERO;
    int     k, i, b, contacts = view_overlay(v, VIEW_POINTS, "contacts", NULL, 0), energy = view_series(v, "energy", "J", 0);

    rng_seed(&r, 2);
    for (b = 0; b < 20; b++) {
        for (k = 0; k < 30; k++) {
            double u[3];
            rng_unit3(&r, u);
            x[k] = v3(u[0], u[1], u[2]);
        }
        hull.v = x; hull.n = 30;
        view_body(v, view_hull(v, &hull), NULL);
    }
    for (i = 0; i < 300; i++) {
        for (b = 0; b < 20; b++) {
            view_pose(v, b, random_pose(&r, 10));
            view_point(v, contacts, v3(b, i, 0));
        }
        view_value(v, energy, rng_normal(&r));
        view_frame(v, i/60.0);
    }
    ASSERT_EQ(0, view_close(v));
    printf("\n  %ld bytes", size_of_page());
    ASSERT(size_of_page() < 1500000);
    ASSERT_EQ(1, clear_directory(directory));
    PASS();
}

/* A part of the frames in the short runs, and the same part of the bar. */
TEST ten_thousand_grains_over_300_frames_take_less_than_50_megabytes(void)
{
    long frames = sweep_count(300), size;

    ASSERT_EQ(0, many_bodies(1, 1, 10000, frames));
    size = size_of_page();
    printf("\n  %ld frames, %ld bytes", frames, size);
    ASSERT(size > 0);
    ASSERT((double)size < 5e5 + (50e6 - 5e5)/300*(double)frames);   /* the bodies themselves: half a megabyte */
    ASSERT_EQ(1, clear_directory(directory));
    PASS();
}

/* 4/3 of the bytes that the documentation gives for a moving body, and for the frame a script element. */
TEST a_frame_takes_the_bytes_that_the_documentation_says(void)
{
    static const int bytes[2][2] = {{28, 14}, {12, 6}};
    int              flat, quantise;

    for (flat = 0; flat < 2; flat++) for (quantise = 0; quantise < 2; quantise++) {
        long size[2];
        double frame;
        ASSERT_EQ(0, many_bodies(flat, quantise, 300, 10));
        size[0] = size_of_page();
        ASSERT_EQ(0, many_bodies(flat, quantise, 300, 30));
        size[1] = size_of_page();
        frame = (double)(size[1] - size[0])/20;
        ASSERT(frame >= 4.0/3*300*bytes[flat][quantise]);
        ASSERT(frame < 4.0/3*300*bytes[flat][quantise] + 150);
    }
    ASSERT_EQ(1, clear_directory(directory));
    PASS();
}

/* ---- memory ---- */

/* Prints by how many KB the largest memory grows over frames 200 to 800, which take 14 MB in the file. */
static int grow(void *user)
{
    struct rusage use;
    view         *v = open_page(0, 0);
    long          before = 0;
    int           k, i, shape = view_sphere(v, 1), points = view_overlay(v, VIEW_POINTS, "points", NULL, 0);

    (void)user;
    for (k = 0; k < 600; k++) view_body(v, shape, NULL);
    for (i = 0; i < 800; i++) {
        dc_pose p = DC_ZERO;
        p.q.w = 1;
        for (k = 0; k < 600; k++) {
            p.t = v3(i, k, 0);
            view_pose(v, k, p);
            if (k < 100) view_point(v, points, p.t);
        }
        view_frame(v, i);
        if (i == 200 && getrusage(RUSAGE_SELF, &use) == 0) before = use.ru_maxrss;
    }
    if (view_close(v) || getrusage(RUSAGE_SELF, &use) != 0) return 1;
    printf("%ld", use.ru_maxrss - before);
    return 0;
}

TEST memory_does_not_grow_with_the_frames(void)
{
    child c = child_run(grow, NULL);

    ASSERT_EQ(0, c.code);
    printf("\n  %s KB more for 600 frames, file of %ld KB", c.out, size_of_page()/1024);
    ASSERT(size_of_page() > 15000000);
    ASSERT(atol(c.out) < 3000);
    ASSERT_EQ(1, clear_directory(directory));
    PASS();
}

/* ---- poses ---- */

enum { BODIES = 23, FRAMES = 9, ROOM = 4096 };

/* Moving and fixed bodies in turn, poses of several sizes; each frame read back against what was given. */
static enum greatest_test_res poses(int flat, int quantise)
{
    static dc_pose pose[FRAMES][BODIES];
    unsigned char  bytes[ROOM];
    view          *v = open_page(flat, quantise);
    rng            r;
    char          *text;
    size_t         length, n, at;
    worst          place = worst_make("position, over its quantum"), turn = worst_make("angle, over its quantum");
    int            i, k, c, shape = flat ? view_disc(v, 1) : view_sphere(v, 1), moving = 0, dims = flat ? 2 : 3, arrows, points;

    rng_seed(&r, 3);
    for (k = 0; k < BODIES; k++) {
        if (k % 5 == 3) view_fixed(v, shape, NULL, random_pose(&r, 1));
        else { view_body(v, shape, "#00000080"); moving++; }
    }
    arrows = view_overlay(v, VIEW_ARROWS, "arrows", NULL, 0);
    points = view_overlay(v, VIEW_POINTS, "points", NULL, 0);
    for (i = 0; i < FRAMES; i++) {
        double size = pow(10, i - 4);
        for (k = 0; k < BODIES; k++) {
            if (k % 5 == 3) continue;
            pose[i][k] = random_pose(&r, size);
            if (flat) {
                double a = rng_uniform(&r, -20, 20);
                pose[i][k].q.w = (dc_real)cos(a/2); pose[i][k].q.z = (dc_real)sin(a/2);
                pose[i][k].q.x = pose[i][k].q.y = 0;
                view_pose_2d(v, k, pose[i][k].t.x, pose[i][k].t.y, (dc_real)a);
            } else {
                view_pose(v, k, pose[i][k]);
            }
        }
        for (k = 0; k < i; k++) view_arrow(v, arrows, v3(k, 0.1, i), v3(1e-3, k, -1));
        if (i % 2) view_point(v, points, v3(1, 2, 3 + i));
        view_frame(v, i);
    }
    ASSERT_EQ(0, view_close(v));
    text = contents(page, &length);
    ASSERT(text);
    for (i = 0; i < FRAMES; i++) {
        double lo[3] = {0, 0, 0}, range[3] = {0, 0, 0}, extent[3];
        n = frame_bytes(text, 0, i, bytes, sizeof bytes);
        at = 0;
        ASSERT(n > 0);
        for (c = 0; c < dims; c++) {
            double least = HUGE_VAL, most = -HUGE_VAL;
            for (k = 0; k < BODIES; k++) {
                double x = (double)(c == 0 ? pose[i][k].t.x : c == 1 ? pose[i][k].t.y : pose[i][k].t.z);
                if (k % 5 == 3) continue;
                least = fmin(least, x); most = fmax(most, x);
            }
            extent[c] = most - least;
        }
        if (quantise) {
            for (c = 0; c < dims; c++) { lo[c] = float_at(bytes + 4*c); range[c] = float_at(bytes + 4*(dims + c)); }
            at = (size_t)(8*dims);
        }
        for (k = 0; k < BODIES; k++) {
            double x[3], q[4] = {0, 0, 0, 0}, p[3], w[4], length2 = 0, same = 0, angle;
            if (k % 5 == 3) continue;
            p[0] = (double)pose[i][k].t.x; p[1] = (double)pose[i][k].t.y; p[2] = (double)pose[i][k].t.z;
            w[0] = (double)pose[i][k].q.w; w[1] = (double)pose[i][k].q.x;
            w[2] = (double)pose[i][k].q.y; w[3] = (double)pose[i][k].q.z;
            for (c = 0; c < dims; c++, at += quantise ? 2 : 4) {
                x[c] = quantise ? lo[c] + little(bytes + at, 2)*range[c]/65535 : float_at(bytes + at);
                worst_add(&place, fabs(x[c] - p[c])/(quantise ? extent[c]/65535 : fabs(p[c])*6e-8), "frame %d body %d", i, k);
            }
            if (flat) {
                angle = quantise ? little(bytes + at, 2)*3.141592653589793/32768 : float_at(bytes + at);
                at += quantise ? 2 : 4;
                q[0] = cos(angle/2); q[3] = sin(angle/2);
            } else {
                for (c = 0; c < 4; c++, at += quantise ? 2 : 4) {
                    q[c] = quantise ? ((int)(little(bytes + at, 2) ^ 32768u) - 32768)/32767.0 : float_at(bytes + at);
                }
            }
            /* the angle between the two: 2 asin of half the distance of unit quaternions, up to their sign */
            for (c = 0; c < 4; c++) { same += q[c]*w[c]; length2 += w[c]*w[c]; }
            for (c = 0, angle = 0; c < 4; c++) angle += pow(q[c] - (same < 0 ? -1 : 1)*w[c]/sqrt(length2), 2);
            angle = 4*asin(fmin(sqrt(angle)/2, 1));
            worst_add(&turn, angle/(quantise ? 1e-4 : sizeof(dc_real) == 4 ? 4e-6 : 1e-6), "frame %d body %d", i, k);
        }
        while (at % 4) at++;
        ASSERT_EQ((unsigned)i, little(bytes + at, 4));
        at += 4;
        for (k = 0; k < i; k++) {
            const double want[6] = {(double)k, 0.1, (double)i, 1e-3, (double)k, -1};
            for (c = 0; c < 6; c++, at += 4) ASSERT(fabs(float_at(bytes + at) - want[c]) <= 1e-6*fabs(want[c]));
        }
        ASSERT_EQ((unsigned)(i % 2), little(bytes + at, 4));
        at += 4;
        if (i % 2) { ASSERT(float_at(bytes + at + 8) > i + 2.9 && float_at(bytes + at + 8) < i + 3.1); at += 12; }
        ASSERT(n >= at && n - at < 3);                          /* base64 comes in threes */
    }
    ASSERT_EQ(0u, (unsigned)frame_bytes(text, 0, FRAMES, bytes, sizeof bytes));
    free(text);
    ASSERT_EQ(1, clear_directory(directory));
    ASSERT_EQ(FRAMES*moving*dims, (int)place.count);
    ASSERT(worst_print(&place, 1));
    ASSERT(worst_print(&turn, 1));
    PASS();
}
TEST poses_in_3d_are_what_was_given_rounded_to_float(void) { return poses(0, 0); }
TEST poses_in_2d_are_what_was_given_rounded_to_float(void) { return poses(1, 0); }
TEST quantised_poses_in_3d_are_within_the_stated_quantum(void) { return poses(0, 1); }
TEST quantised_poses_in_2d_are_within_the_stated_quantum(void) { return poses(1, 1); }

/* A pose that is not set again stays; a run of fewer bodies has its own numbering. */
TEST poses_stay_until_they_are_set_again(void)
{
    view         *v = open_page(0, 0);
    unsigned char bytes[ROOM];
    char         *text;
    size_t        length;
    dc_pose       p = DC_ZERO;
    int           i, a, b, shape = view_sphere(v, 1);

    p.q.w = 1;
    view_run(v, "first");
    a = view_body(v, shape, NULL);
    b = view_body(v, shape, NULL);
    for (i = 0; i < 3; i++) {
        p.t = v3(i, 0, 0);
        view_pose(v, i == 1 ? b : a, p);
        view_frame(v, i);
    }
    view_run(v, "second");
    a = view_body(v, shape, NULL);
    ASSERT_EQ(0, a);
    p.t = v3(7, 0, 0);
    view_pose(v, a, p);
    view_frame(v, 0);
    ASSERT_EQ(0, view_close(v));
    text = contents(page, &length);
    ASSERT(text);
    for (i = 0; i < 3; i++) {
        ASSERT_EQ(57u, (unsigned)frame_bytes(text, 0, i, bytes, sizeof bytes));     /* 2 x 28 bytes, in threes */
        ASSERT(float_at(bytes) == (i == 2 ? 2.0 : 0.0));
        ASSERT(float_at(bytes + 28) == (i >= 1 ? 1.0 : 0.0));
        ASSERT(float_at(bytes + 12) == 1.0);
    }
    ASSERT(frame_bytes(text, 1, 0, bytes, sizeof bytes) > 0);
    ASSERT(float_at(bytes) == 7.0);
    free(text);
    ASSERT_EQ(1, clear_directory(directory));
    PASS();
}

/* ---- hulls ---- */

/* Reads numbers of a JSON list from *s on. */
static int list(const char **s, double *x, int room)
{
    int   n = 0;
    char *end;

    while (**s != ']' && n < room) {
        x[n++] = strtod(*s, &end);
        if (end == *s) return -1;
        *s = *end == ',' ? end + 1 : end;
    }
    return n;
}

/* Whether the triangles in the page close around the points x: all of them below each, every edge used once in each
 * direction, and twice as many triangles as corners, less four. */
static int closes_around(const dc_v3 *x, int n, double size)
{
    static double p[3*200], f[3*400];
    size_t        length;
    char         *text = contents(page, &length);
    const char   *s = text ? strstr(text, "\"kind\":\"hull\"") : NULL;
    int           n_p, n_f, t, u, k, j, i, used = 0, ok = 1;

    if (!s || !(s = strstr(s, "\"v\":["))) { free(text); return 0; }
    s += 5;
    n_p = list(&s, p, 600);
    if (!(s = strstr(s, "\"f\":["))) { free(text); return 0; }
    s += 5;
    n_f = list(&s, f, 1200)/3;
    free(text);
    if (n_p < 12 || n_p % 3 || n_f < 4) return 0;
    for (i = 0; i < n_p/3; i++) for (k = 0; k < 3*n_f; k++) if ((int)f[k] == i) { used++; break; }
    if (n_f != 2*used - 4) ok = 0;
    for (t = 0; t < n_f; t++) {
        const double *a = p + 3*(int)f[3*t], *b = p + 3*(int)f[3*t + 1], *c = p + 3*(int)f[3*t + 2];
        double        e[3], g[3], m[3], area;
        for (k = 0; k < 3; k++) { e[k] = b[k] - a[k]; g[k] = c[k] - a[k]; }
        for (k = 0; k < 3; k++) m[k] = e[(k + 1)%3]*g[(k + 2)%3] - e[(k + 2)%3]*g[(k + 1)%3];
        area = sqrt(m[0]*m[0] + m[1]*m[1] + m[2]*m[2]);
        if (!(area > 0)) ok = 0;
        for (i = 0; i < n; i++) {
            double above = m[0]*((double)x[i].x - a[0]) + m[1]*((double)x[i].y - a[1]) + m[2]*((double)x[i].z - a[2]);
            if (!(above/area < 1e-5*size)) ok = 0;
        }
        for (k = 0; k < 3; k++) {
            int there = 0, back = 0;
            for (u = 0; u < n_f; u++) for (j = 0; j < 3; j++) {
                double i0 = f[3*u + j], i1 = f[3*u + (j + 1)%3];
                there += i0 == f[3*t + k] && i1 == f[3*t + (k + 1)%3];
                back += i1 == f[3*t + k] && i0 == f[3*t + (k + 1)%3];
            }
            if (there != 1 || back != 1) ok = 0;
        }
    }
    return ok;
}

TEST hulls_close_around_their_points(void)
{
    static const char *const kind[] = {"random points", "a grid with points inside and on faces", "twice the same cube",
                                       "a flat square", "a line", "a thin needle", "a tiny cube far from its origin"};
    rng r;
    int i, k, c;

    rng_seed(&r, 4);
    for (i = 0; i < 7; i++) {
        dc_v3   x[64];
        dc_hull hull = DC_ZERO;
        double  size = 0;
        view   *v = open_page(0, 0);
        for (k = 0; k < 64; k++) {
            double y[3];
            for (c = 0; c < 3; c++) {
                double u = rng_normal(&r);
                int    grid = k >> 2*c & 3, bit = k >> c & 1;
                y[c] = i == 0 ? u : i == 1 ? grid : i == 2 ? bit : i == 3 ? (c < 2 ? bit : 0) : i == 4 ? k*(c + 1)/7.0
                     : i == 5 ? (c ? 1e-3*u : k) : 100 + 0.01*bit;
            }
            x[k] = v3(y[0], y[1], y[2]);
            size = fmax(size, fabs(y[0] - (double)x[0].x) + fabs(y[1] - (double)x[0].y) + fabs(y[2] - (double)x[0].z));
        }
        hull.v = x; hull.n = 64;
        view_body(v, view_hull(v, &hull), NULL);
        view_frame(v, 0);
        ASSERT_EQ(0, view_close(v));
        /* a coordinate has 7 digits in the page */
        if (!closes_around(x, 64, fmax(size, 100*(fabs((double)x[0].x) > 50)))) FAILm(kind[i]);
    }
    ASSERT_EQ(1, clear_directory(directory));
    PASS();
}

/* ---- refusals ---- */

/* What may be wrong with a page, and what the message has to say. */
#define HOSTILE(X) \
    X(NO_FRAME, "frame") X(NO_CALL, "frame") X(NO_BODY, "body") X(TWO_SERIES, "two series") X(NAN_POSE, "finite") \
    X(INFINITE_POSE, "finite") X(HUGE_POSE, "finite") X(NAN_TURN, "finite") X(ZERO_TURN, "zero") \
    X(NAN_TURN_2D, "finite") X(NAN_FIXED, "finite") X(NAN_TIME, "finite") X(TIME_BACK, "back") \
    X(POSE_OF_NOTHING, "body 5") X(POSE_OF_FIXED, "fixed") X(BODY_OF_NOTHING, "shape 7") \
    X(LATE_BODY, "after the first frame") X(LATE_SERIES, "after the first frame") X(NAN_ITEM, "finite") \
    X(NEGATIVE_BALL, "") X(WRONG_ITEM, "holds") X(NO_OVERLAY, "overlay 3") X(NO_KIND, "kind 9") \
    X(NO_SERIES, "series 4") X(TRACK_OF_NOTHING, "body 2") X(NAN_TRACK, "finite") X(BAD_COLOUR, "#nothex") \
    X(SHORT_COLOUR, "#abc") X(EMPTY_HULL, "0 points") X(NAN_HULL, "finite") X(NULL_HULL, "points") \
    X(NAN_MESH, "finite") X(BAD_CORNER, "corner") X(NO_TRIANGLES, "triangles") X(ZERO_SPHERE, "size") \
    X(NEGATIVE_SPHERE, "") X(NAN_SPHERE, "") X(NEGATIVE_CAPSULE, "") X(NAN_CAPSULE, "") X(FLAT_IN_3D, "3D") \
    X(SOLID_IN_2D, "2D") X(SHORT_POLYGON, "2 points") X(NAN_POLYGON, "finite") X(NAN_PLANE, "")
#define HOSTILE_KIND(kind, about) kind,
#define HOSTILE_ABOUT(kind, about) about,
enum { GOOD, HOSTILE(HOSTILE_KIND) KINDS };
static const char *const about[KINDS] = {"", HOSTILE(HOSTILE_ABOUT)};

/* A page with one hostile thing in it, in the middle of good ones. The status; view_ok must have said so. */
static int write_hostile(void *user)
{
    static const dc_v3   corner[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const dc_real flat_corner[] = {0, 0, 1, 0, 0, 1};
    static const int     triangle[] = {0, 1, 2}, bad_triangle[] = {0, 1, 4};
    const double         nan_ = HUGE_VAL - HUGE_VAL, infinite = HUGE_VAL;
    int                  kind = *(int *)user, i, ok, failed;
    int                  flat = kind == NAN_TURN_2D || kind == SOLID_IN_2D || kind == SHORT_POLYGON || kind == NAN_POLYGON;
    view                *v = open_page(flat, 0);
    dc_v3                x[4];
    dc_hull              hull = DC_ZERO;
    dc_real              xy[6];
    dc_pose              p = DC_ZERO;
    int                  body = 0, points, balls, series, fixed;

    memcpy(x, corner, sizeof x);
    memcpy(xy, flat_corner, sizeof xy);
    hull.v = x; hull.n = 4;
    p.q.w = 1;
    if (kind == NO_CALL) return view_close(v);
    if (kind == NO_BODY) { view_frame(v, 0); return view_close(v); }
    body = view_body(v, flat ? view_polygon(v, flat_corner, 3) : view_hull(v, &hull),
                     kind == BAD_COLOUR ? "#nothex" : kind == SHORT_COLOUR ? "#abc" : NULL);
    fixed = view_fixed(v, 0, NULL, p);
    points = view_overlay(v, kind == NO_KIND ? 9 : VIEW_POINTS, "points", NULL, 0);
    balls = view_overlay(v, VIEW_SPHERES, "balls", NULL, 0);
    series = view_series(v, "series", "", 0);
    if (kind == TWO_SERIES) view_series(v, "series", "", 0);
    switch (kind) {
    case NAN_FIXED: p.t.y = (dc_real)nan_; view_fixed(v, 0, NULL, p); break;
    case BODY_OF_NOTHING: view_body(v, 7, NULL); break;
    case TRACK_OF_NOTHING: view_track(v, "track", NULL, 2, corner[0]); break;
    case NAN_TRACK: view_track(v, "track", NULL, body, v3(0, nan_, 0)); break;
    case EMPTY_HULL: hull.n = 0; view_hull(v, &hull); break;
    case NAN_HULL: x[2].z = (dc_real)nan_; view_hull(v, &hull); break;
    case NULL_HULL: view_hull(v, NULL); break;
    case NAN_MESH: x[1].x = (dc_real)infinite; view_mesh(v, x, 4, triangle, 1); break;
    case BAD_CORNER: view_mesh(v, x, 4, bad_triangle, 1); break;
    case NO_TRIANGLES: view_mesh(v, x, 4, triangle, 0); break;
    case ZERO_SPHERE: view_sphere(v, 0); break;
    case NEGATIVE_SPHERE: view_sphere(v, -1); break;
    case NAN_SPHERE: view_sphere(v, (dc_real)nan_); break;
    case NEGATIVE_CAPSULE: view_capsule(v, -1, 2); break;
    case NAN_CAPSULE: view_capsule(v, 1, (dc_real)nan_); break;
    case FLAT_IN_3D: view_disc(v, 1); break;
    case SOLID_IN_2D: view_sphere(v, 1); break;
    case SHORT_POLYGON: view_polygon(v, xy, 2); break;
    case NAN_POLYGON: xy[3] = (dc_real)nan_; view_polygon(v, xy, 3); break;
    case NAN_PLANE: view_plane(v, (dc_real)infinite); break;
    default: break;
    }
    if (kind == NO_FRAME) return view_close(v);
    for (i = 0; i < 10; i++) {
        if (i == 5) {
            switch (kind) {
            case NAN_POSE: p.t.x = (dc_real)nan_; break;
            case INFINITE_POSE: p.t.z = (dc_real)-infinite; break;
            case HUGE_POSE: p.t.z = DC_R(1e35); break;
            case NAN_TURN: p.q.y = (dc_real)nan_; break;
            case ZERO_TURN: p.q.w = 0; break;
            case NAN_TURN_2D: view_pose_2d(v, body, 0, 0, (dc_real)infinite); break;
            case POSE_OF_NOTHING: view_pose(v, 5, p); break;
            case POSE_OF_FIXED: view_pose(v, fixed, p); break;
            case LATE_BODY: view_body(v, 0, NULL); break;
            case LATE_SERIES: view_series(v, "late", "", 0); break;
            case NAN_ITEM: view_point(v, points, v3(0, nan_, 0)); break;
            case NEGATIVE_BALL: view_ball(v, balls, corner[0], -1); break;
            case WRONG_ITEM: view_point(v, balls, corner[0]); break;
            case NO_OVERLAY: view_point(v, 3, corner[0]); break;
            case NO_SERIES: view_value(v, 4, 0); break;
            case TIME_BACK: view_frame(v, 1); break;
            default: break;
            }
        }
        view_pose(v, body, p);
        view_point(v, points, corner[1]);
        view_ball(v, balls, corner[1], 1);
        view_value(v, series, i % 3 ? 1 : nan_);                /* not an error: a gap */
        view_frame(v, kind == NAN_TIME && i == 5 ? nan_ : i);
    }
    ok = view_ok(v);
    failed = view_close(v);
    return failed == !ok || (failed && allocations >= 0) ? failed : 99;    /* memory may end in view_close */
}

/* One line that begins as ours do and names the page. */
static int one_message(const char *s)
{
    const char *end = strchr(s, '\n');
    return strncmp(s, "view: ", 6) == 0 && strstr(s, page) && end && end[1] == 0;
}

TEST hostile_input_leaves_a_message_and_no_page(void)
{
    int   kind, files, bad = 0;
    child c;

    for (kind = 1; kind < KINDS; kind++) {
        c = child_run(write_hostile, &kind);
        files = clear_directory(directory);
        if (c.code == 1 && c.out[0] == 0 && one_message(c.err) && strstr(c.err, about[kind]) && files == 0) continue;
        printf("\n  case %d (\"%s\"): status %d, message \"%s\", %d files", kind, about[kind], c.code, c.err, files);
        bad++;
    }
    ASSERT_EQ(0, bad);
    kind = GOOD;                                            /* without the hostile thing it is a page */
    c = child_run(write_hostile, &kind);
    ASSERT_EQ(0, c.code);
    ASSERT_EQ(0, (int)strlen(c.err));
    ASSERT_EQ(1, clear_directory(directory));
    PASS();
}

TEST an_earlier_page_outlives_a_failure_and_is_replaced_by_a_success(void)
{
    int    kind = NAN_POSE;
    FILE  *f = fopen(page, "w");
    char  *text;
    size_t length;

    ASSERT(f);
    fputs("earlier", f);
    fclose(f);
    ASSERT_EQ(1, child_run(write_hostile, &kind).code);
    text = contents(page, &length);
    ASSERT(text && strcmp(text, "earlier") == 0);
    free(text);
    kind = GOOD;
    ASSERT_EQ(0, child_run(write_hostile, &kind).code);
    text = contents(page, &length);
    ASSERT(text && strncmp(text, "<!doctype html>", 15) == 0);
    ASSERT(length > 8 && strcmp(text + length - 8, "</html>\n") == 0);
    free(text);
    ASSERT_EQ(1, clear_directory(directory));
    PASS();
}

static int write_to(void *user)
{
    view *v = view_open((const char *)user, NULL);

    view_body(v, view_sphere(v, 1), NULL);
    view_frame(v, 0);
    return view_close(v);
}

TEST an_unwritable_path_is_a_message(void)
{
    char path[4][128];
    int  i;

    snprintf(path[0], sizeof path[0], "%s/none/page.html", directory);     /* no such directory */
    snprintf(path[1], sizeof path[1], "%s", directory);                     /* a directory */
    snprintf(path[2], sizeof path[2], "/proc/version/page.html");
    path[3][0] = 0;
    for (i = 0; i < 4; i++) {
        child c = child_run(write_to, path[i]);
        ASSERT_EQ(1, c.code);
        ASSERTm(c.err, strncmp(c.err, "view: ", 6) == 0 && strstr(c.err, path[i]) && strlen(c.err) > strlen(path[i]) + 12);
    }
    ASSERT_EQ(1, child_run(write_to, NULL).code);
    ASSERT_EQ(0, clear_directory(directory));
    snprintf(path[0], sizeof path[0], "%s.part", directory);
    ASSERT(remove(path[0]) != 0);
    PASS();
}

/* The disk is full after so many bytes. */
static int write_on_a_full_disk(void *user)
{
    struct rlimit limit;

    limit.rlim_cur = limit.rlim_max = (rlim_t)*(long *)user;
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 99;
    signal(SIGXFSZ, SIG_IGN);
    return many_bodies(0, 0, 300, 20);
}

TEST a_full_disk_is_a_message_and_leaves_nothing_behind(void)
{
    long size, limit[4];
    int  i;

    ASSERT_EQ(0, many_bodies(0, 0, 300, 20));
    size = size_of_page();
    ASSERT_EQ(1, clear_directory(directory));
    /* in the head of the page, in the frames, in what follows them, and at the last byte */
    limit[0] = 4096; limit[1] = size/2; limit[2] = size - 20000; limit[3] = size - 1;
    for (i = 0; i < 4; i++) {
        child c = child_run(write_on_a_full_disk, &limit[i]);
        ASSERT_EQ(1, c.code);
        if (!one_message(c.err)) FAILm(c.err);
        ASSERT_EQ(0, clear_directory(directory));
    }
    PASS();
}

/* What is no file is not replaced by one: --out /dev/null. */
static int write_to_a_pipe(void *user)
{
    alarm(20);                                              /* a writer that waits for a reader */
    return write_to(user);
}
TEST a_pipe_is_not_replaced(void)
{
    struct stat s;
    FILE       *reader;
    child       c;

    ASSERT_EQ(0, mkfifo(page, 0600));
    reader = fopen(page, "r+");                             /* does not wait for a writer, as "r" would */
    ASSERT(reader);
    c = child_run(write_to_a_pipe, page);
    ASSERT_EQ(0, c.signal);
    ASSERTm(c.err, c.code == 0 || one_message(c.err));
    ASSERT(stat(page, &s) == 0 && S_ISFIFO(s.st_mode));
    fclose(reader);
    ASSERT_EQ(1, clear_directory(directory));
    PASS();
}

static int write_in_little_memory(void *user)
{
    int kind = GOOD;

    allocations = *(long *)user;
    return write_hostile(&kind);
}

/* Whichever allocation is the first that fails, and all after it. */
TEST want_of_memory_is_a_message_and_leaves_nothing_behind(void)
{
    long  n;
    child c = DC_ZERO;

    for (n = 0; n < 1000; n++) {
        c = child_run(write_in_little_memory, &n);
        if (c.code == 0) break;
        if (c.code != 1 || strncmp(c.err, "view: ", 6) != 0 || !strstr(c.err, "out of memory")) {
            printf("\n  %ld allocations: status %d, signal %d, message \"%s\"", n, c.code, c.signal, c.err);
            FAILm("after so many allocations");
        }
        ASSERT_EQ(0, clear_directory(directory));
    }
    printf("\n  %ld allocations", n);
    ASSERT(c.code == 0 && n > 20);
    ASSERT_EQ(1, clear_directory(directory));
    PASS();
}

/* Every function takes no view, as there is for want of memory. */
/* As when ctrl-C comes between view_run and the first frame: what there is gets written. */
TEST a_run_without_a_frame_is_left_out(void)
{
    view  *v = view_open(page, NULL);
    char  *text;
    size_t length;
    int    i;

    for (i = 0; i < 3; i++) {
        view_run(v, i == 0 ? "run with frames" : "run without");
        view_body(v, view_sphere(v, 1), NULL);
        if (i == 0) view_frame(v, 0);
    }
    ASSERT_EQ(0, view_close(v));
    text = contents(page, &length);
    ASSERT(text && strstr(text, "run with frames") && !strstr(text, "run without"));
    free(text);
    ASSERT_EQ(1, clear_directory(directory));
    PASS();
}

TEST no_view_is_refused_quietly(void)
{
    const dc_v3   x = DC_ZERO;
    const dc_pose p = DC_ZERO;

    view_run(NULL, "run");
    ASSERT_EQ(0, view_ok(NULL));
    ASSERT_EQ(-1, view_hull(NULL, NULL));
    ASSERT_EQ(-1, view_mesh(NULL, NULL, 0, NULL, 0));
    ASSERT_EQ(-1, view_sphere(NULL, 1));
    ASSERT_EQ(-1, view_capsule(NULL, 1, 1));
    ASSERT_EQ(-1, view_plane(NULL, 1));
    ASSERT_EQ(-1, view_polygon(NULL, NULL, 0));
    ASSERT_EQ(-1, view_disc(NULL, 1));
    ASSERT_EQ(-1, view_line(NULL, NULL, 0));
    ASSERT_EQ(-1, view_body(NULL, 0, NULL));
    ASSERT_EQ(-1, view_fixed(NULL, 0, NULL, p));
    ASSERT_EQ(-1, view_overlay(NULL, VIEW_POINTS, "", NULL, 0));
    ASSERT_EQ(-1, view_track(NULL, "", NULL, 0, x));
    ASSERT_EQ(-1, view_series(NULL, "", "", 0));
    view_pose(NULL, 0, p);
    view_pose_2d(NULL, 0, 0, 0, 0);
    view_point(NULL, 0, x);
    view_arrow(NULL, 0, x, x);
    view_patch(NULL, 0, x, x, 1);
    view_ball(NULL, 0, x, 1);
    view_value(NULL, 0, 0);
    view_frame(NULL, 0);
    PASS();
}

SUITE(sizes)
{
    RUN_TEST(twenty_hulls_over_300_frames_take_less_than_a_megabyte_and_a_half);
    RUN_TEST(ten_thousand_grains_over_300_frames_take_less_than_50_megabytes);
    RUN_TEST(a_frame_takes_the_bytes_that_the_documentation_says);
    RUN_TEST(memory_does_not_grow_with_the_frames);
}
SUITE(frames)
{
    RUN_TEST(poses_in_3d_are_what_was_given_rounded_to_float);
    RUN_TEST(poses_in_2d_are_what_was_given_rounded_to_float);
    RUN_TEST(quantised_poses_in_3d_are_within_the_stated_quantum);
    RUN_TEST(quantised_poses_in_2d_are_within_the_stated_quantum);
    RUN_TEST(poses_stay_until_they_are_set_again);
    RUN_TEST(hulls_close_around_their_points);
}
SUITE(refusals)
{
    RUN_TEST(hostile_input_leaves_a_message_and_no_page);
    RUN_TEST(an_earlier_page_outlives_a_failure_and_is_replaced_by_a_success);
    RUN_TEST(an_unwritable_path_is_a_message);
    RUN_TEST(a_full_disk_is_a_message_and_leaves_nothing_behind);
    RUN_TEST(a_pipe_is_not_replaced);
    RUN_TEST(want_of_memory_is_a_message_and_leaves_nothing_behind);
    RUN_TEST(a_run_without_a_frame_is_left_out);
    RUN_TEST(no_view_is_refused_quietly);
}

int main(int argc, char **argv)
{
    snprintf(directory, sizeof directory, "build/view.%ld", (long)getpid());
    snprintf(page, sizeof page, "%s/page.html", directory);
    if (mkdir(directory, 0777) != 0) {
        perror(directory);
        return EXIT_FAILURE;
    }
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(sizes);
    RUN_SUITE(frames);
    RUN_SUITE(refusals);
    clear_directory(directory);
    rmdir(directory);
    GREATEST_MAIN_END();
}
