/* mujoco_model.h - models for MuJoCo, written piece by piece and compiled
 *
 *     static mujoco_text x;
 *     x.n = 0;
 *     mujoco_print(&x, "<mujoco>..");
 *     model = mujoco_compile(&x);
 *
 * Include it after dc_sim.h where mujoco_links is wanted. */
#ifndef DC_BENCH_MUJOCO_MODEL_H_INCLUDED
#define DC_BENCH_MUJOCO_MODEL_H_INCLUDED

#include <mujoco/mujoco.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

typedef struct { size_t n; char text[1 << 17]; } mujoco_text;

static inline void mujoco_print(mujoco_text *x, const char *format, ...) CLI_PRINTF(2, 3);
static inline void mujoco_print(mujoco_text *x, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    x->n += (size_t)vsnprintf(x->text + x->n, sizeof x->text - x->n, format, args);
    va_end(args);
    if (x->n >= sizeof x->text) exit(cli_error("%s", "the model is too large"));
}

static inline mjModel *mujoco_compile(const mujoco_text *x)
{
    static mjVFS vfs;
    char         error[500] = "";
    mjModel     *m;

    mj_defaultVFS(&vfs);
    if (mj_makeEmptyFileVFS(&vfs, "model.xml", (int)x->n) != 0) exit(cli_error("%s", "no room for the model"));
    memcpy(vfs.filedata[mj_findFileVFS(&vfs, "model.xml")], x->text, x->n);
    m = mj_loadXML("model.xml", &vfs, error, sizeof error);
    mj_deleteVFS(&vfs);
    if (!m) exit(cli_error("%s", error));
    return m;
}

#ifdef DC_SIM_H_INCLUDED
/* Writes what link i has, without its joints. */
typedef void mujoco_link(mujoco_text *x, int i, void *user);

/* Links whose parent is `parent`, with all that hang on them. A link without a hull and without inertia of its own is a
 * joint more of the one on it. Joint i is called j<i>. */
static inline void mujoco_links(mujoco_text *x, int links, const dc_sim_link *link, int parent, mujoco_link *write, void *user)
{
    int i;
    for (i = parent + 1; i < links; ++i) {
        const dc_sim_link *l = link + i;
        int last = i;
        if (l->parent != parent) continue;
        mujoco_print(x, "<body pos=\"%.17g %.17g %.17g\" quat=\"%.17g %.17g %.17g %.17g\">", (double)l->attach.t.x, (double)l->attach.t.y,
                     (double)l->attach.t.z, (double)l->attach.q.w, (double)l->attach.q.x, (double)l->attach.q.y, (double)l->attach.q.z);
        for (;; last++, l++) {
            if (l->joint == DC_SIM_FREE) mujoco_print(x, "<freejoint/>");
            else mujoco_print(x, "<joint type=\"%s\" name=\"j%d\" axis=\"%g %g %g\" damping=\"%.17g\"/>",
                              l->joint == DC_SIM_SLIDE ? "slide" : "hinge", last, (double)l->axis.x, (double)l->axis.y,
                              dc_dot(l->axis, l->axis) > 0 ? (double)l->axis.z : 1.0, (double)(l->damping + l->kd));
            if (l->hulls > 0 || l->model == DC_SIM_INERTIA) break;
        }
        write(x, last, user);
        mujoco_links(x, links, link, last, write, user);
        mujoco_print(x, "</body>");
    }
}
#endif

#endif
