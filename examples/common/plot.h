/* plot.h - line, log and arrow plots as one SVG picture
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Draws panels with axes, ticks and units on a light card with a border, so that the picture reads on a light and on a
 * dark page: curves, measured points with fitted power laws, arrows of a vector field coloured by log magnitude, shapes
 * and notes over them. Static inline functions and the C library: include it and draw, in this order.
 *
 *     plot       p;
 *     plot_panel a;
 *     plot_begin(&p, 640, 400, "Cost of one evaluation");
 *     a = plot_panel_at(&p, 80, 70, 520, 260);                 frame: left, top, width, height in pixels
 *     a.x.name = "triangles *n*";  a.x.log = 1;
 *     a.y.name = "time [s]";       a.y.log = 1;
 *     plot_fit(&a, n, count, time);                            ranges that hold these points; or set a.x.lo, a.x.hi ..
 *     plot_axes(&a);                                           ticks, grid, frame, names: after it the ranges stay
 *     plot_points(&a, n, count, time, PLOT_BLUE, "measured");
 *     plot_power(&a, n, count, time, PLOT_BLUE, 0.5);          line of the fitted power, its exponent beside
 *     plot_legend(&a, PLOT_UPPER_LEFT);
 *     return plot_end(&p, "cost.svg");                         0, or 1 after a message on stderr
 *
 * Positions are data coordinates of a panel where the function takes one, else pixels from the upper left. A panel without
 * plot_axes is a plain coordinate system, not clipped, for sketches; set its ranges.
 * Text is UTF-8 with three marks: ^{up}, _{down} and *slanted*. Colours are what SVG takes: "#0072b2", "none".
 *
 * Errors: the picture is kept in memory, the first error is printed to stderr, what follows does nothing and plot_end
 * returns 1. Errors are numbers that are not finite, no data, numbers that are not positive on a logarithmic axis, memory,
 * and a file that cannot be written. plot_end writes FILE.tmp and renames it, so FILE is a whole picture or what it was. */
#ifndef PLOT_H_INCLUDED
#define PLOT_H_INCLUDED

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "device.h"

#define PLOT_INK "#24292f"
#define PLOT_PALE "#6a737d"             /* secondary text and lines */
#define PLOT_CARD "#fcfcfa"
#define PLOT_SOLID "#dfe4ea"            /* the inside of bodies */

/* Colours that people with any colour vision tell apart (Okabe and Ito). */
#define PLOT_BLUE "#0072b2"
#define PLOT_GREEN "#009e73"
#define PLOT_RED "#d55e00"
#define PLOT_PURPLE "#b5588f"
#define PLOT_ORANGE "#e69f00"
#define PLOT_SKY "#56b4e9"

#define PLOT_LABELS 8                   /* legend entries of a panel */
#define PLOT_TICKS 64                   /* ticks of an axis */
#define PLOT_SHADES 24                  /* colours of the arrows */

#if defined(__GNUC__) || defined(__clang__)
#define PLOT_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define PLOT_PRINTF(f, a)
#endif

/* A picture: its text so far. */
typedef struct {
    char  *text;
    size_t length, room;
    int    panels, failed;
} plot;

/* lo = hi = 0: the range comes from plot_fit. */
typedef struct {
    double      lo, hi;
    int         log;
    const char *name;                   /* may be NULL */
    int         fitted;                 /* set by plot_fit */
} plot_axis;

typedef struct {
    plot       *p;
    double      left, top, width, height;
    plot_axis   x, y;
    const char *title;                  /* may be NULL */
    int         number;                 /* of its clip path; 0 before plot_axes */
    int         n_labels;
    struct { const char *text, *colour; int dots; } label[PLOT_LABELS];
} plot_panel;

/* Magnitudes of arrows and the colours that show them, logarithmic. lo = hi = 0: from plot_scale_fit. */
typedef struct { double lo, hi; } plot_scale;

typedef enum { PLOT_UPPER_LEFT, PLOT_UPPER_RIGHT, PLOT_LOWER_LEFT, PLOT_LOWER_RIGHT } plot_corner;

/* ---- the text of the picture ------------------------------------------------------------------ */

static inline void plot_fail(plot *p, const char *format, ...) PLOT_PRINTF(2, 3);
static inline void plot_put(plot *p, const char *format, ...) PLOT_PRINTF(2, 3);

static inline void plot_fail(plot *p, const char *format, ...)
{
    va_list args;

    if (p->failed) return;
    p->failed = 1;
    fputs("plot: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

static inline void plot_put(plot *p, const char *format, ...)
{
    va_list args;
    int     n;
    size_t  need;

    if (p->failed) return;
    va_start(args, format);
    n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0) { plot_fail(p, "text that cannot be printed"); return; }
    need = p->length + (size_t)n + 1;
    if (need > p->room) {
        size_t room = need + need/2 + 4096;
        char  *text = (char *)realloc(p->text, room);
        if (!text) { plot_fail(p, "no memory for %lu bytes", (unsigned long)room); return; }
        p->text = text;
        p->room = room;
    }
    va_start(args, format);
    vsnprintf(p->text + p->length, (size_t)n + 1, format, args);
    va_end(args);
    p->length += (size_t)n;
}

/* Bytes of the character at s, 1 to 4; 0 if it is not well-formed UTF-8 or a control character. */
static inline int plot_character(const char *s)
{
    const unsigned char *u = (const unsigned char *)s;
    unsigned             code;
    int                  n = u[0] < 0x80 ? 1 : u[0] < 0xc2 ? 0 : u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : u[0] < 0xf5 ? 4 : 0, i;

    if (n == 1) return u[0] >= 0x20 && u[0] != 0x7f;
    if (n == 0) return 0;
    code = u[0] & (0x7fu >> n);
    for (i = 1; i < n; i++) {
        if ((u[i] & 0xc0) != 0x80) return 0;
        code = code << 6 | (u[i] & 0x3fu);
    }
    if (code < (n == 2 ? 0x80u : n == 3 ? 0x800u : 0x10000u) || code > 0x10ffffu) return 0;     /* too long a form */
    return code < 0xa0u || (code >= 0xd800u && code < 0xe000u) || code == 0xfffeu || code == 0xffffu ? 0 : n;
}

/* One character as XML has it; what is not a character becomes U+FFFD. Returns the bytes read. */
static inline int plot_put_character(plot *p, const char *s)
{
    int n = plot_character(s);

    if (n == 0) plot_put(p, "\xef\xbf\xbd");
    else if (*s == '<') plot_put(p, "&lt;");
    else if (*s == '>') plot_put(p, "&gt;");
    else if (*s == '&') plot_put(p, "&amp;");
    else plot_put(p, "%.*s", n, s);
    return n ? n : 1;
}

/* Reads a mark at s, if there is one: changes level (1 up, -1 down) or slant, returns its bytes, else 0. */
static inline int plot_mark(const char *s, int *level, int *slanted)
{
    if (*s == '*') { *slanted = !*slanted; return 1; }
    if (*s == '}' && *level != 0) { *level = 0; return 1; }
    if ((*s == '^' || *s == '_') && s[1] == '{') { *level = *s == '^' ? 1 : -1; return 2; }
    return 0;
}

/* The width of a text, estimated: letters are 0.54 of the size on average. */
static inline double plot_text_width(const char *s, double size)
{
    double width = 0;
    int    level = 0, slanted = 0;

    while (*s) {
        int mark = plot_mark(s, &level, &slanted), n = plot_character(s);
        if (!mark) width += level ? 0.41 : 0.54;
        s += mark ? mark : n ? n : 1;
    }
    return width*size;
}

/* A text with its attributes as given; each change of level or slant is a tspan of its own. */
static inline void plot_text_as(plot *p, double x, double y, double size, const char *attributes, const char *s)
{
    int level = 0, slanted = 0, at_level = 0, open = 0;

    plot_put(p, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%g\" %s>", x, y, size, attributes);
    while (*s) {
        int n = plot_mark(s, &level, &slanted);
        if (n > 0) {
            if (open) plot_put(p, "</tspan>");
            open = 0;
        } else {
            if (!open && (level || slanted || level != at_level)) {
                plot_put(p, "<tspan");
                if (level != at_level) plot_put(p, " dy=\"%.1f\"", 0.32*size*(at_level - level));
                if (level) plot_put(p, " font-size=\"%g\"", 0.75*size);
                if (slanted) plot_put(p, " font-style=\"italic\"");
                plot_put(p, ">");
                at_level = level;
                open = 1;
            }
            n = plot_put_character(p, s);
        }
        s += n;
    }
    plot_put(p, "%s</text>\n", open ? "</tspan>" : "");
}

/* anchor: start, middle or end. */
static inline void plot_text(plot *p, double x, double y, const char *anchor, double size, const char *colour, const char *s)
{
    char attributes[100];

    snprintf(attributes, sizeof attributes, "text-anchor=\"%.8s\" fill=\"%.40s\"", anchor, colour);
    plot_text_as(p, x, y, size, attributes, s);
}

/* ---- begin and end ---------------------------------------------------------------------------- */

/* A card of this size in pixels, with a title at its upper left; NULL: none. */
static inline void plot_begin(plot *p, int width, int height, const char *title)
{
    const char *s = title;

    memset(p, 0, sizeof *p);
    plot_put(p, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" "
                "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n", width, height, width, height);
    plot_put(p, "<style>@media (prefers-color-scheme: dark) {\n"
                "[fill=\"" PLOT_CARD "\"] { fill: #171c24; } [fill=\"" PLOT_INK "\"] { fill: #e8ecf2; } [fill=\"" PLOT_PALE "\"] { fill: #9aa6b6; }\n"
                "[fill=\"" PLOT_SOLID "\"] { fill: #343d4a; } [fill=\"#a9b1ba\"] { fill: #6b7686; } [fill=\"" PLOT_BLUE "\"] { fill: #4ea6dc; }\n"
                "[stroke=\"" PLOT_CARD "\"] { stroke: #171c24; } [stroke=\"" PLOT_INK "\"] { stroke: #e8ecf2; } [stroke=\"" PLOT_PALE "\"] { stroke: #9aa6b6; }\n"
                "[stroke=\"" PLOT_BLUE "\"] { stroke: #4ea6dc; } [stroke=\"#8c959f\"] { stroke: #5d6878; }\n"
                "[stroke=\"#d0d7de\"], [stroke=\"#e6e8ea\"] { stroke: #2b333f; }\n}</style>\n");
    if (title) {
        int level = 0, slanted = 0;
        plot_put(p, "<title>");
        while (*s) {
            int mark = plot_mark(s, &level, &slanted);
            s += mark ? mark : plot_put_character(p, s);
        }
        plot_put(p, "</title>\n");
    }
    plot_put(p, "<rect x=\".5\" y=\".5\" width=\"%d\" height=\"%d\" rx=\"8\" fill=\"" PLOT_CARD "\" stroke=\"#d0d7de\"/>\n",
             width - 1, height - 1);
    if (title) plot_text_as(p, 24, 33, 18, "font-weight=\"bold\" fill=\"" PLOT_INK "\"", title);
}

/* Writes the picture and frees it: 0, or 1 after a message, and then FILE is as it was before. */
static inline int plot_end(plot *p, const char *file)
{
    const char *end = "</svg>\n";
    int         device = is_device(file), whole;
    size_t      bytes = strlen(file) + 5;
    char       *name = (char *)malloc(bytes);
    FILE       *f;

    plot_put(p, "%s", end);
    if (!name) plot_fail(p, "no memory");
    if (!p->failed) {
        snprintf(name, bytes, "%s%s", file, device ? "" : ".tmp");
        f = fopen(name, "wb");
        if (!f) {
            plot_fail(p, "%s: %s", file, strerror(errno));
        } else {
            errno = 0;
            whole = fwrite(p->text, 1, p->length, f) == p->length;
            whole = fclose(f) == 0 && whole;
#ifdef _WIN32
            if (whole) remove(file);                        /* rename does not replace there */
#endif
            if (whole && !device) whole = rename(name, file) == 0;
            if (!whole) {
                plot_fail(p, "%s: %s", file, errno ? strerror(errno) : "cannot be written");
                if (!device) remove(name);
            }
        }
    }
    free(name);
    free(p->text);
    p->text = NULL;
    p->length = p->room = 0;
    return p->failed;
}

/* ---- panels: ranges and positions ------------------------------------------------------------- */

static inline plot_panel plot_panel_at(plot *p, double left, double top, double width, double height)
{
    plot_panel a;

    memset(&a, 0, sizeof a);
    a.p = p;
    a.left = left;
    a.top = top;
    a.width = width;
    a.height = height;
    return a;
}

/* Says what is wrong with a panel. */
static inline void plot_panel_fail(const plot_panel *a, const char *what)
{
    plot_fail(a->p, "panel '%s': %s", a->title ? a->title : "", what);
}

/* Whether v can stand on the axis; if not, the picture has failed. The bound keeps differences finite. */
static inline int plot_check(const plot_panel *a, const plot_axis *axis, double v)
{
    char what[100];

    if (fabs(v) <= 1e300 && (!axis->log || v > 0)) return 1;
    snprintf(what, sizeof what, axis->log ? "%g is no number for a logarithmic axis" : "%g is no number to draw", v);
    plot_panel_fail(a, what);
    return 0;
}

static inline void plot_fit_axis(const plot_panel *a, plot_axis *axis, int n, const double *v)
{
    int i;

    if (!axis->fitted && (axis->lo < 0 || axis->lo > 0 || axis->hi < 0 || axis->hi > 0)) return;
    for (i = 0; i < n && plot_check(a, axis, v[i]); i++) {
        if (!axis->fitted || v[i] < axis->lo) axis->lo = v[i];
        if (!axis->fitted || v[i] > axis->hi) axis->hi = v[i];
        axis->fitted = 1;
    }
}

/* Widens the ranges to hold n points; a range that the program set stays. Say before which axis is logarithmic. */
static inline void plot_fit(plot_panel *a, int n, const double *x, const double *y)
{
    if (n <= 0) { plot_panel_fail(a, "no data"); return; }
    plot_fit_axis(a, &a->x, n, x);
    plot_fit_axis(a, &a->y, n, y);
}

/* Where v is on its axis, 0 at lo and 1 at hi. Far outside it ends at 1000 ranges, which any viewer can clip. */
static inline double plot_fraction(const plot_panel *a, const plot_axis *axis, double v)
{
    double t;

    if (!plot_check(a, axis, v)) return 0;
    if (!(axis->lo < axis->hi || axis->lo > axis->hi)) { plot_panel_fail(a, "drawn on before it has a range"); return 0; }
    t = axis->log ? log(v/axis->lo)/log(axis->hi/axis->lo) : (v - axis->lo)/(axis->hi - axis->lo);
    return t < -1e3 ? -1e3 : t > 1e3 ? 1e3 : t;
}

/* Pixels. */
static inline double plot_x(const plot_panel *a, double x) { return a->left + plot_fraction(a, &a->x, x)*a->width; }
static inline double plot_y(const plot_panel *a, double y) { return a->top + (1 - plot_fraction(a, &a->y, y))*a->height; }

/* A fitted range gets a margin of 4 %, or a width if it has none; an unusable one fails the picture. */
static inline void plot_range(const plot_panel *a, plot_axis *axis)
{
    double big = fabs(axis->lo) > fabs(axis->hi) ? fabs(axis->lo) : fabs(axis->hi), margin;
    char   what[100];

    if (axis->fitted && axis->log) {
        margin = axis->hi > 1.001*axis->lo ? pow(axis->hi/axis->lo, 0.04) : 2;
        axis->lo /= margin;
        axis->hi *= margin;
    } else if (axis->fitted) {
        margin = axis->hi - axis->lo > 1e-6*big ? 0.04*(axis->hi - axis->lo) : big > 1e-290 ? 0.5*big : 1;
        axis->lo -= margin;
        axis->hi += margin;
    }
    axis->fitted = 0;
    if (!plot_check(a, axis, axis->lo) || !plot_check(a, axis, axis->hi)) return;
    if (axis->hi - axis->lo > 1e-7*big && (!axis->log || log(axis->hi/axis->lo) > 1e-5)) return;
    snprintf(what, sizeof what, "%s axis from %.10g to %.10g: no range", axis == &a->x ? "x" : "y", axis->lo, axis->hi);
    plot_panel_fail(a, axis->lo < axis->hi || axis->lo > axis->hi ? what : "no data and no range");
}

/* ---- axes ------------------------------------------------------------------------------------- */

/* Label of a tick, plain or as 3·10^{5}. */
static inline void plot_tick_label(char *label, size_t bytes, double v, int power)
{
    const char *sign = v < 0 ? "−" : "";
    double      e = v < 0 || v > 0 ? floor(log10(fabs(v)) + 1e-9) : 0, m = fabs(v)/pow(10, e);
    char        number[32];

    snprintf(number, sizeof number, "%.10g", m);
    if (!power || !(fabs(v) > 0)) snprintf(label, bytes, "%s%.10g", sign, fabs(v));
    else snprintf(label, bytes, "%s%s%s10^{%s%.0f}", sign, strcmp(number, "1") ? number : "",
                  strcmp(number, "1") ? "·" : "", e < -0.5 ? "−" : "", fabs(e));
}

/* The smallest of 1, 2, 5, 10, 20 .. that is at least `least`. */
static inline double plot_step(double least)
{
    double ten = pow(10, floor(log10(least) + 1e-9)), m = least/ten;
    return ten*(m <= 1 + 1e-9 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10);
}

/* Ticks of an axis that is `pixels` long, at least `spacing` pixels apart; returns their count, and by *power whether they
 * read best as powers of ten. A logarithmic axis has ticks at 1 (10 ..), else at 1, 2, 5, else as a linear one. */
static inline int plot_ticks_apart(const plot_axis *axis, double pixels, double spacing, double *at, int *power)
{
    double span = axis->hi - axis->lo, big = fabs(axis->lo) > fabs(axis->hi) ? fabs(axis->lo) : fabs(axis->hi);
    double step, i, last, e;
    int    n = 0;

    *power = 1;
    if (axis->log) {
        double decade = pixels/log10(axis->hi/axis->lo);
        step = decade >= spacing ? 1 : plot_step(spacing/decade);
        last = floor(log10(axis->hi)/step + 1e-9);
        for (i = ceil(log10(axis->lo)/step - 1e-9); i <= last && n < PLOT_TICKS; i++) at[n++] = pow(10, i*step);
        if (n >= 3 || step > 1) return n;
        if (0.3*decade >= spacing) {
            static const double part[3] = {1, 2, 5};
            int                 k;
            last = floor(log10(axis->hi) + 1e-9);
            n = 0;
            for (e = floor(log10(axis->lo) - 1e-9); e <= last; e++) {
                for (k = 0; k < 3 && n < PLOT_TICKS; k++) {
                    double v = part[k]*pow(10, e);
                    if (v >= axis->lo*(1 - 1e-9) && v <= axis->hi*(1 + 1e-9)) at[n++] = v;
                }
            }
        }
        *power = axis->hi > 2e4 || axis->lo < 1e-3;
        if (n >= 2) return n;
        n = 0;
    }
    step = plot_step(span*spacing/pixels);
    last = floor(axis->hi/step + 1e-9);
    for (i = ceil(axis->lo/step - 1e-9); i <= last && n < PLOT_TICKS; i++) at[n++] = i*step;
    *power = big >= 1e5 || big < 1e-3;
    return n;
}

/* The same, but two at least: a short axis has them nearer. */
static inline int plot_ticks(const plot_axis *axis, double pixels, double spacing, double *at, int *power)
{
    int n = 0;

    while (n < 2 && spacing > 1) {
        n = plot_ticks_apart(axis, pixels, spacing, at, power);
        spacing /= 2;
    }
    return n;
}

/* Two points in pixels. */
static inline void plot_stroke(plot *p, double xa, double ya, double xb, double yb, const char *colour, double width)
{
    plot_put(p, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\" stroke-width=\"%g\"/>\n", xa, ya, xb, yb, colour, width);
}

/* Ticks and labels along one side of the frame, with lines across if grid; returns the width of the widest label. */
static inline double plot_side(const plot_panel *a, const plot_axis *axis, double spacing, int right, int grid)
{
    plot  *p = a->p;
    double at[PLOT_TICKS], pixels = axis == &a->x ? a->width : a->height, widest = 0;
    double bottom = a->top + a->height, edge = right ? a->left + a->width : a->left;
    int    power, i, n = plot_ticks(axis, pixels, spacing, at, &power);
    char   label[64];

    for (i = 0; i < n; i++) {
        double x = axis == &a->x ? plot_x(a, at[i]) : edge, y = axis == &a->x ? bottom : plot_y(a, at[i]), width;
        plot_tick_label(label, sizeof label, at[i], power);
        width = plot_text_width(label, 12);
        if (width > widest) widest = width;
        if (axis == &a->x) {
            if (grid) plot_stroke(p, x, bottom, x, a->top, "#e6e8ea", 1);
            plot_text_as(p, x, y + 16, 12, "text-anchor=\"middle\" fill=\"" PLOT_INK "\"", label);
        } else {
            if (grid) plot_stroke(p, a->left, y, a->left + a->width, y, "#e6e8ea", 1);
            plot_text_as(p, right ? x + 6 : x - 6, y + 4, 12,
                         right ? "fill=\"" PLOT_INK "\"" : "text-anchor=\"end\" fill=\"" PLOT_INK "\"", label);
        }
    }
    return widest;
}

/* A name along a side, turned by 90 degrees to the left. */
static inline void plot_side_name(plot *p, double x, double y, const char *s)
{
    char attributes[120];

    snprintf(attributes, sizeof attributes, "text-anchor=\"middle\" fill=\"" PLOT_INK "\" transform=\"rotate(-90 %.1f %.1f)\"",
             x, y);
    plot_text_as(p, x, y, 13, attributes, s);
}

/* Grid, ticks, frame, title and the names of the axes. What is drawn on the panel from here on ends at the frame. */
static inline void plot_axes(plot_panel *a)
{
    plot  *p = a->p;
    double bottom = a->top + a->height, width;
    char   rect[200];

    plot_range(a, &a->x);
    plot_range(a, &a->y);
    if (p->failed) return;
    plot_side(a, &a->x, 56, 0, 1);
    width = plot_side(a, &a->y, 28, 0, 1);
    snprintf(rect, sizeof rect, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"", a->left, a->top, a->width,
             a->height);
    plot_put(p, "%s fill=\"none\" stroke=\"#8c959f\"/>\n", rect);
    a->number = ++p->panels;
    plot_put(p, "<clipPath id=\"frame%d\">%s/></clipPath>\n", a->number, rect);
    if (a->title) plot_text_as(p, a->left, a->top - 9, 14, "font-weight=\"bold\" fill=\"" PLOT_INK "\"", a->title);
    if (a->x.name) {
        plot_text_as(p, a->left + a->width/2, bottom + 34, 13, "text-anchor=\"middle\" fill=\"" PLOT_INK "\"", a->x.name);
    }
    if (a->y.name) plot_side_name(p, a->left - (width > 28 ? width + 14 : 42), a->top + a->height/2, a->y.name);
}

/* ---- drawing on a panel ----------------------------------------------------------------------- */

/* The attribute that ends a drawing at the frame. */
static inline void plot_put_clip(const plot_panel *a)
{
    if (a->number) plot_put(a->p, " clip-path=\"url(#frame%d)\"", a->number);
}

/* n points joined by lines, closed if `closed`. Points nearer than a quarter of a pixel to the last one are left out, and
 * so are those inside a level stretch that goes one way. */
static inline void plot_path(const plot_panel *a, int n, const double *x, const double *y, int closed, const char *fill,
                             const char *colour, double width, const char *dashes)
{
    double px = 0, py = 0;
    int    i;

    if (n <= 0) { plot_panel_fail(a, "no data"); return; }
    plot_put(a->p, "<path d=\"");
    for (i = 0; i < n && !a->p->failed; i++) {
        double qx = plot_x(a, x[i]), qy = plot_y(a, y[i]);
        if (i > 0 && i < n - 1) {
            if (fabs(qx - px) + fabs(qy - py) < 0.25) continue;
            if (fabs(qy - py) < 0.05 && fabs(qy - plot_y(a, y[i + 1])) < 0.05
                && (qx - px)*(plot_x(a, x[i + 1]) - qx) >= 0) continue;
        }
        plot_put(a->p, "%s%.1f %.1f", i == 0 ? "M" : i == 1 ? "L" : " ", qx, qy);
        px = qx;
        py = qy;
    }
    plot_put(a->p, "%s\" fill=\"%s\" stroke=\"%s\" stroke-width=\"%g\" stroke-linejoin=\"round\"", closed ? "Z" : "", fill,
             colour, width);
    if (dashes) plot_put(a->p, " stroke-dasharray=\"%s\"", dashes);
    plot_put_clip(a);
    plot_put(a->p, "/>\n");
}

static inline void plot_polygon(const plot_panel *a, int n, const double *x, const double *y, const char *fill,
                                const char *colour)
{
    plot_path(a, n, x, y, 1, fill, colour, 1.6, NULL);
}

/* Upright, between two corners. */
static inline void plot_rectangle(const plot_panel *a, double x0, double y0, double x1, double y1, const char *fill,
                                  const char *colour)
{
    double x[4], y[4];

    x[0] = x[3] = x0; x[1] = x[2] = x1;
    y[0] = y[1] = y0; y[2] = y[3] = y1;
    plot_polygon(a, 4, x, y, fill, colour);
}

/* dashes: lengths of dash and gap as in "2 3", or NULL. */
static inline void plot_line(const plot_panel *a, double xa, double ya, double xb, double yb, const char *colour, double width,
                             const char *dashes)
{
    double x[2], y[2];

    x[0] = xa; x[1] = xb;
    y[0] = ya; y[1] = yb;
    plot_path(a, 2, x, y, 0, "none", colour, width, dashes);
}

/* With its head at b. */
static inline void plot_arrow(const plot_panel *a, double xa, double ya, double xb, double yb, const char *colour)
{
    double px = plot_x(a, xb), py = plot_y(a, yb);
    double angle = atan2(py - plot_y(a, ya), px - plot_x(a, xa));

    plot_line(a, xa, ya, xb, yb, colour, 1.6, NULL);
    plot_put(a->p, "<path d=\"M0 0L-9 4V-4Z\" fill=\"%s\" transform=\"translate(%.1f %.1f) rotate(%.1f)\"/>\n", colour, px, py,
             angle*45/atan(1.0));
}

/* A disc of a radius in pixels; at the frame it is drawn whole. */
static inline void plot_dot(const plot_panel *a, double x, double y, double radius, const char *fill, const char *colour)
{
    plot_put(a->p, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%g\" fill=\"%s\" stroke=\"%s\" stroke-width=\"2\"/>\n", plot_x(a, x),
             plot_y(a, y), radius, fill, colour);
}

/* A text dx, dy pixels from a point; anchor: start, middle or end. In a panel with axes a rim in the colour of the card keeps
 * it apart from the lines below. */
static inline void plot_note(const plot_panel *a, double x, double y, double dx, double dy, const char *anchor,
                             const char *colour, const char *s)
{
    if (a->number) plot_put(a->p, "<g stroke=\"" PLOT_CARD "\" stroke-width=\"3\" paint-order=\"stroke\">");
    plot_text(a->p, plot_x(a, x) + dx, plot_y(a, y) + dy, anchor, 12.5, colour, s);
    if (a->number) plot_put(a->p, "</g>\n");
}

/* An entry of the legend; label NULL: none. */
static inline void plot_label(plot_panel *a, const char *label, const char *colour, int dots)
{
    if (!label) return;
    if (a->n_labels == PLOT_LABELS) { plot_panel_fail(a, "too many labels"); return; }
    a->label[a->n_labels].text = label;
    a->label[a->n_labels].colour = colour;
    a->label[a->n_labels++].dots = dots;
}

/* label: of the legend, borrowed until it is drawn, or NULL. */
static inline void plot_curve(plot_panel *a, int n, const double *x, const double *y, const char *colour, const char *label)
{
    plot_path(a, n, x, y, 0, "none", colour, 2.4, NULL);
    plot_label(a, label, colour, 0);
}

static inline void plot_points(plot_panel *a, int n, const double *x, const double *y, const char *colour, const char *label)
{
    int i;

    if (n <= 0) plot_panel_fail(a, "no data");
    for (i = 0; i < n; i++) plot_dot(a, x[i], y[i], 3.5, PLOT_CARD, colour);
    plot_label(a, label, colour, 1);
}

/* Least squares of y = c x^k in the logarithms; returns k. Two different x at least, everything positive, or NaN. */
static inline double plot_power_fit(int n, const double *x, const double *y, double *c)
{
    double mx = 0, my = 0, xx = 0, xy = 0;
    int    i;

    for (i = 0; i < n; i++) { mx += log(x[i])/n; my += log(y[i])/n; }
    for (i = 0; i < n; i++) {
        double d = log(x[i]) - mx;
        xx += d*d;
        xy += d*(log(y[i]) - my);
    }
    if (c) *c = exp(my - xy/xx*mx);
    return xy/xx;
}

/* Draws the power law that fits the points and writes its exponent above the place `at` between the first point, 0, and the
 * last one, 1; with the letter of the x axis if its name has one *x*. Both axes logarithmic. Returns the exponent. */
static inline double plot_power(const plot_panel *a, int n, const double *x, const double *y, const char *colour, double at)
{
    const char *name = a->x.name ? strchr(a->x.name, '*') : NULL, *minus;
    double      c, k = plot_power_fit(n, x, y, &c), xa, xb, xm;
    char        text[80];

    if (!a->x.log || !a->y.log || n < 2 || !(fabs(k) < 1e3)) { plot_panel_fail(a, "no power law fits"); return k; }
    minus = k < 0 ? "−" : "";
    xa = x[0];
    xb = x[n - 1];
    xm = xa*pow(xb/xa, at);
    plot_line(a, xa, c*pow(xa, k), xb, c*pow(xb, k), colour, 1.6, "5 4");
    if (name && name[1] && name[2] == '*') snprintf(text, sizeof text, "∝*%c*^{%s%.2f}", name[1], minus, fabs(k));
    else snprintf(text, sizeof text, "exponent %s%.2f", minus, fabs(k));
    plot_note(a, xm, c*pow(xm, k), k < 0 ? 8 : -8, -9, k < 0 ? "start" : "end", colour, text);
    return k;
}

/* ---- legend ----------------------------------------------------------------------------------- */

static inline void plot_legend_entry(const plot_panel *a, int i, double x, double y, double size)
{
    if (a->label[i].dots) {
        plot_put(a->p, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"" PLOT_CARD "\" stroke=\"%s\" stroke-width=\"2\"/>\n",
                 x + 12, y - 0.35*size, a->label[i].colour);
    } else {
        plot_stroke(a->p, x, y - 0.35*size, x + 24, y - 0.35*size, a->label[i].colour, 3);
    }
    plot_text_as(a->p, x + 31, y, size, "fill=\"" PLOT_INK "\"", a->label[i].text);
}

/* The labels of what was drawn on the panel so far, in a box in a corner of its frame. */
static inline void plot_legend(const plot_panel *a, plot_corner corner)
{
    double width = 0, height = 10 + 18*a->n_labels, x, y;
    int    i;

    for (i = 0; i < a->n_labels; i++) {
        double w = 47 + plot_text_width(a->label[i].text, 12.5);
        if (w > width) width = w;
    }
    x = corner == PLOT_UPPER_LEFT || corner == PLOT_LOWER_LEFT ? a->left + 8 : a->left + a->width - 8 - width;
    y = corner == PLOT_UPPER_LEFT || corner == PLOT_UPPER_RIGHT ? a->top + 8 : a->top + a->height - 8 - height;
    plot_put(a->p, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"4\" fill=\"" PLOT_CARD
             "\" fill-opacity=\".88\" stroke=\"#d0d7de\"/>\n", x, y, width, height);
    for (i = 0; i < a->n_labels; i++) plot_legend_entry(a, i, x + 8, y + 18*(i + 1), 12.5);
}

/* The same in one line from x on, y the base line of the text in pixels: for several panels with the same curves. */
static inline void plot_legend_row(const plot_panel *a, double x, double y)
{
    int i;

    for (i = 0; i < a->n_labels; i++) {
        plot_legend_entry(a, i, x, y, 14);
        x += 62 + plot_text_width(a->label[i].text, 14);
    }
}

/* ---- arrow plots ------------------------------------------------------------------------------ */

/* Colour of t in 0..1, from weak to strong: darker all the way, so that it also reads without hue. */
static inline void plot_shade(double t, char colour[8])
{
    static const double stop[5][3] = {{168, 205, 224}, {82, 158, 204}, {70, 100, 178}, {124, 38, 132}, {128, 8, 44}};
    int                 i = t >= 0.75 ? 3 : t >= 0.5 ? 2 : t >= 0.25 ? 1 : 0, k, c[3];

    for (k = 0; k < 3; k++) c[k] = (int)(stop[i][k] + (stop[i + 1][k] - stop[i][k])*(4*t - i) + 0.5);
    snprintf(colour, 8, "#%02x%02x%02x", (unsigned)c[0] & 255u, (unsigned)c[1] & 255u, (unsigned)c[2] & 255u);
}

/* Widens the scale to whole powers of ten that hold the lengths of n vectors; zero vectors have no place on it. */
static inline void plot_scale_fit(plot *p, plot_scale *s, int n, const double *u, const double *v)
{
    int i;

    for (i = 0; i < n; i++) {
        double m = hypot(u[i], v[i]), lo, hi;
        if (!(m <= 1e300)) { plot_fail(p, "arrow %d is (%g, %g)", i, u[i], v[i]); return; }
        if (m < 1e-300) continue;
        lo = pow(10, floor(log10(m) + 1e-9));
        hi = m > lo*(1 + 1e-9) ? 10*lo : lo;
        if (!(s->hi > 0) || lo < s->lo) s->lo = lo;
        if (hi > s->hi) s->hi = hi;
    }
    if (s->hi > 0 && !(s->hi > s->lo)) s->hi = 10*s->lo;
}

/* Where a magnitude is on the scale, 0..1. */
static inline double plot_scale_at(const plot_scale *s, double magnitude)
{
    double t = log(magnitude/s->lo)/log(s->hi/s->lo);
    return t < 0 ? 0 : t > 1 ? 1 : t;
}

/* Arrows (u, v) centred on (x, y), of the colour of their magnitude and with a length in pixels from `shortest` at s->lo to
 * `longest` at s->hi, logarithmic; the same number twice for unit arrows. Zero vectors are dots. Right has the direction
 * (1, 0) and up (0, 1) whatever the ranges: give the panel one scale for both axes where directions are of its space. */
static inline void plot_arrows(const plot_panel *a, int n, const double *x, const double *y, const double *u, const double *v,
                               const plot_scale *s, double shortest, double longest)
{
    plot *p = a->p;
    char  colour[8];
    int   shade, i, dots = 0;

    if (n <= 0) plot_panel_fail(a, "no data");
    for (i = 0; i < n && !p->failed; i++) {
        double m = hypot(u[i], v[i]);
        if (!(m <= 1e300)) plot_fail(p, "panel '%s': arrow %d is (%g, %g)", a->title ? a->title : "", i, u[i], v[i]);
        else if (m >= 1e-300 && !(s->lo > 0 && s->hi > s->lo && s->hi <= 1e300)) plot_panel_fail(a, "arrows without a scale");
        dots += m < 1e-300;
    }
    if (p->failed) return;

    /* one path for each colour: tip, and so round */
    for (shade = 0; shade < PLOT_SHADES; shade++) {
        int open = 0;
        for (i = 0; i < n; i++) {
            double m = hypot(u[i], v[i]), t, length, head, half, cx, cy, c, d, px, py;
            int    k;
            if (m < 1e-300) continue;
            t = plot_scale_at(s, m);
            if ((int)(t*(PLOT_SHADES - 1) + 0.5) != shade) continue;
            length = shortest + (longest - shortest)*t;
            head = length*0.45 < 8 ? length*0.45 : 8;
            half = length*0.045 < 0.9 ? length*0.045 : 0.9;
            cx = u[i]/m;
            cy = -v[i]/m;
            px = plot_x(a, x[i]);
            py = plot_y(a, y[i]);
            if (!open) {
                plot_shade((double)shade/(PLOT_SHADES - 1), colour);
                plot_put(p, "<path fill=\"%s\"", colour);
                plot_put_clip(a);
                plot_put(p, " d=\"");
                open = 1;
            }
            for (k = 0; k < 7; k++) {
                c = k == 0 ? length/2 : k == 3 || k == 4 ? -length/2 : k == 1 || k == 6 ? length/2 - head : length/2 - 0.8*head;
                d = k == 0 ? 0 : k == 1 || k == 6 ? 0.42*head : half;
                if (k > 3) d = -d;
                plot_put(p, "%s%.1f %.1f", k == 0 ? "M" : k == 1 ? "L" : " ", px + c*cx - d*cy, py + c*cy + d*cx);
            }
            plot_put(p, "Z");
        }
        if (open) plot_put(p, "\"/>\n");
    }
    if (dots == 0) return;
    plot_put(p, "<g fill=\"#a9b1ba\">");
    for (i = 0; i < n; i++) {
        if (hypot(u[i], v[i]) < 1e-300) {
            plot_put(p, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"1\"/>", plot_x(a, x[i]), plot_y(a, y[i]));
        }
    }
    plot_put(p, "</g>\n");
}

/* The colours of a scale, right of the panel's frame: about 90 pixels with labels and name. */
static inline void plot_bar(const plot_panel *a, const plot_scale *s, const char *name)
{
    plot_panel bar = plot_panel_at(a->p, a->left + a->width + 14, a->top, 12, a->height);
    char       colour[8];
    int        i;
    double     width;

    bar.title = name;
    bar.y.lo = s->lo;
    bar.y.hi = s->hi;
    bar.y.log = 1;
    plot_range(&bar, &bar.y);
    if (a->p->failed) return;
    for (i = 0; i < PLOT_SHADES; i++) {
        plot_shade((double)i/(PLOT_SHADES - 1), colour);
        plot_put(a->p, "<rect x=\"%.1f\" y=\"%.2f\" width=\"12\" height=\"%.2f\" fill=\"%s\"/>\n", bar.left,
                 bar.top + bar.height*(PLOT_SHADES - 1 - i)/PLOT_SHADES, bar.height/PLOT_SHADES + 0.3, colour);
    }
    width = plot_side(&bar, &bar.y, 28, 1, 0);
    plot_side_name(a->p, bar.left + 12 + width + 24, bar.top + bar.height/2, name);
}

#endif /* PLOT_H_INCLUDED */
