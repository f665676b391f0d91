/* svg.h - the least of an SVG line plot: a card, axes, curves, text
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Everything is written as it comes; coordinates are pixels from the upper left unless an svg_axes says otherwise.
 * Strings are UTF-8 and go out as they are, but for three marks: ^{up}, _{down} and *slanted*. */
#ifndef SVG_H_INCLUDED
#define SVG_H_INCLUDED

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SVG_INK "#24292f"
#define SVG_PALE "#6a737d"
#define SVG_CARD "#fcfcfa"

/* A plot: the data ranges, and the rectangle that shows them. */
typedef struct {
    FILE  *file;
    double left, top, width, height;
    double x0, x1, y0, y1;
    double x_step, y_step;              /* between labelled ticks; in decades where the axis is logarithmic */
    int    x_log, y_log;
} svg_axes;

/* A light card of its own, so that the page behind may be dark. */
static inline void svg_begin(FILE *f, int width, int height)
{
    fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
               "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n", width, height, width, height);
    fprintf(f, "<rect x=\".5\" y=\".5\" width=\"%d\" height=\"%d\" rx=\"8\" fill=\"%s\" stroke=\"#d0d7de\"/>\n",
            width - 1, height - 1, SVG_CARD);
}

static inline void svg_end(FILE *f)
{
    fprintf(f, "</svg>\n");
}

/* anchor: start, middle or end; turn: degrees; more: further attributes or "". */
static inline void svg_text(FILE *f, double x, double y, const char *anchor, double size, const char *colour,
                            double turn, const char *more, const char *s)
{
    int slanted = 0, shift = 0, back = 0;

    fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%g\" fill=\"%s\" %s", x, y, anchor, size,
            colour, more);
    if (turn < 0 || turn > 0) fprintf(f, " transform=\"rotate(%g %.1f %.1f)\"", turn, x, y);
    fputc('>', f);
    for (; *s; s++) {
        if (*s == '*') {
            slanted = !slanted;
            fputs(slanted ? "<tspan font-style=\"italic\">" : "</tspan>", f);
        } else if ((*s == '^' || *s == '_') && s[1] == '{') {
            shift = *s++ == '^' ? -1 : 1;
            fprintf(f, "<tspan dy=\"%.1f\" font-size=\"%g\">", 0.32*size*shift, 0.75*size);
        } else if (*s == '}' && shift) {
            fputs("</tspan>", f);
            back = -shift;                                  /* the next letter returns to the line */
            shift = 0;
        } else if (back && (*s & 0x80) == 0) {
            fprintf(f, "<tspan dy=\"%.1f\">%c</tspan>", 0.32*size*back, *s);
            back = 0;
        } else {
            fputc(*s, f);
        }
    }
    fputs("</text>\n", f);
}

static inline double svg_x(const svg_axes *ax, double x)
{
    double t = ax->x_log ? log(x/ax->x0)/log(ax->x1/ax->x0) : (x - ax->x0)/(ax->x1 - ax->x0);
    return ax->left + t*ax->width;
}

/* What is far below or above, such as a zero on a logarithmic axis, ends just outside the rectangle. */
static inline double svg_y(const svg_axes *ax, double y)
{
    double t = ax->y_log ? (y > 0 ? log(y/ax->y0)/log(ax->y1/ax->y0) : -1) : (y - ax->y0)/(ax->y1 - ax->y0);
    if (t < -0.1) t = -0.1;
    if (t > 1.1) t = 1.1;
    return ax->top + (1 - t)*ax->height;
}

static inline void svg_line(FILE *f, double xa, double ya, double xb, double yb, const char *colour, double width,
                            const char *dashes)
{
    fprintf(f, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\" stroke-width=\"%g\" stroke-dasharray=\"%s\"/>\n", xa, ya,
            xb, yb, colour, width, dashes);
}

/* With its head at b. */
static inline void svg_arrow(FILE *f, double xa, double ya, double xb, double yb, const char *colour)
{
    svg_line(f, xa, ya, xb, yb, colour, 1.6, "none");
    fprintf(f, "<path d=\"M0 0L-9 4V-4Z\" fill=\"%s\" transform=\"translate(%.1f %.1f) rotate(%.1f)\"/>\n", colour, xb,
            yb, atan2(yb - ya, xb - xa)*45/atan(1.0));
}

/* Grid line and label of one tick. */
static inline void svg_tick(const svg_axes *ax, int vertical, double at)
{
    int    log_axis = vertical ? ax->y_log : ax->x_log;
    double x = vertical ? ax->left : svg_x(ax, at), y = vertical ? svg_y(ax, at) : ax->top + ax->height;
    char   label[32];

    if (log_axis) sprintf(label, "10^{%s%d}", at < 0.5 ? "−" : "", abs((int)floor(log10(at) + 0.5)));
    else sprintf(label, "%s%g", at < 0 ? "−" : "", fabs(at));
    if (vertical) svg_line(ax->file, x, y, x + ax->width, y, "#e6e8ea", 1, "none");
    else svg_line(ax->file, x, y, x, y - ax->height, "#e6e8ea", 1, "none");
    if (vertical) svg_text(ax->file, x - 6, y + 4, "end", 12, SVG_INK, 0, "", label);
    else svg_text(ax->file, x, y + 16, "middle", 12, SVG_INK, 0, "", label);
}

/* Grid, tick labels, frame, and the names of the plot and of its axes. */
static inline void svg_frame(const svg_axes *ax, const char *title, const char *x_name, const char *y_name)
{
    int    vertical, i, n;
    double bottom = ax->top + ax->height;
    char   rect[160];

    for (vertical = 0; vertical < 2; vertical++) {
        double lo = vertical ? ax->y0 : ax->x0, hi = vertical ? ax->y1 : ax->x1;
        double step = vertical ? ax->y_step : ax->x_step;
        if (vertical ? ax->y_log : ax->x_log) {
            n = (int)floor(log10(hi/lo)/step + 1e-9);
            for (i = 0; i <= n; i++) svg_tick(ax, vertical, lo*pow(10, i*step));
        } else {
            n = (int)floor(hi/step + 1e-9);
            for (i = (int)ceil(lo/step - 1e-9); i <= n; i++) svg_tick(ax, vertical, i*step);
        }
    }
    sprintf(rect, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"", ax->left, ax->top, ax->width,
            ax->height);
    fprintf(ax->file, "%s fill=\"none\" stroke=\"#8c959f\"/>\n", rect);
    fprintf(ax->file, "<clipPath id=\"c%.0f-%.0f\">%s/></clipPath>\n", ax->left, ax->top, rect);
    svg_text(ax->file, ax->left, ax->top - 9, "start", 14, SVG_INK, 0, "font-weight=\"bold\"", title);
    svg_text(ax->file, ax->left + ax->width/2, bottom + 34, "middle", 13, SVG_INK, 0, "", x_name);
    svg_text(ax->file, ax->left - 42, ax->top + ax->height/2, "middle", 13, SVG_INK, -90, "", y_name);
}

/* n points joined by lines, cut off at the frame; points inside a level stretch are left out. */
static inline void svg_curve(const svg_axes *ax, int n, const double *x, const double *y, const char *colour)
{
    int i;

    fprintf(ax->file, "<polyline clip-path=\"url(#c%.0f-%.0f)\" fill=\"none\" stroke=\"%s\" stroke-width=\"2.4\" "
                      "stroke-linejoin=\"round\" points=\"", ax->left, ax->top, colour);
    for (i = 0; i < n; i++) {
        double at = svg_y(ax, y[i]);
        int    level = i > 0 && i < n - 1 && fabs(svg_y(ax, y[i - 1]) - at) + fabs(svg_y(ax, y[i + 1]) - at) < 1e-6;
        if (!level) fprintf(ax->file, "%.1f,%.1f ", svg_x(ax, x[i]), at);
    }
    fprintf(ax->file, "\"/>\n");
}

#endif /* SVG_H_INCLUDED */
