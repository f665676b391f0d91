/* plan_plot.h - the loss of plans, iteration by iteration, as a picture beside the page
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Include it after plan.h and plot.h. */
#ifndef PLAN_PLOT_H_INCLUDED
#define PLAN_PLOT_H_INCLUDED

enum { PLAN_CURVES = 4 };

typedef struct {
    int         n;
    const char *name[PLAN_CURVES];
    int         count[PLAN_CURVES];
    double      loss[PLAN_CURVES][PLAN_HISTORY];
} plan_curves;

/* The history of a plan, or of what it did frame by frame. */
static inline void plan_curve(plan_curves *c, const char *name, int count, const double *loss)
{
    int i;

    if (c->n == PLAN_CURVES || count < 1) return;
    c->name[c->n] = name;
    c->count[c->n] = count < PLAN_HISTORY ? count : PLAN_HISTORY;
    for (i = 0; i < c->count[c->n]; i++) c->loss[c->n][i] = loss[i];
    c->n++;
}

/* FILE.html to FILE_loss.svg. */
static inline int plan_plot(const plan_curves *c, const char *page, const char *title, const char *along)
{
    static const char *const colour[PLAN_CURVES] = {PLOT_BLUE, PLOT_RED, PLOT_GREEN, PLOT_PURPLE};
    static double x[PLAN_HISTORY];
    const size_t  length = strlen(page), stem = length > 5 && !strcmp(page + length - 5, ".html") ? length - 5 : length;
    char          file[1000];
    plot          p;
    plot_panel    a;
    int           i, k;

    if (stem + 10 > sizeof file) return cli_error("%s", "the name of the page is too long");
    snprintf(file, sizeof file, "%.*s_loss.svg", (int)stem, page);
    plot_begin(&p, 640, 400, title);
    a = plot_panel_at(&p, 80, 70, 520, 260);
    a.x.name = along;
    a.y.name = "loss [m^{2}]";
    for (i = 0; i < PLAN_HISTORY; i++) x[i] = i;
    for (k = 0; k < c->n; k++) plot_fit(&a, c->count[k], x, c->loss[k]);
    a.y.lo = 0;
    for (k = 0; k < c->n; k++) a.y.hi = fmax(a.y.hi, 1.3*c->loss[k][0]);        /* room for the legend */
    plot_axes(&a);
    for (k = 0; k < c->n; k++) plot_curve(&a, c->count[k], x, c->loss[k], colour[k], c->name[k]);
    plot_legend(&a, PLOT_UPPER_RIGHT);
    return plot_end(&p, file);
}

#endif /* PLAN_PLOT_H_INCLUDED */
