/* mujoco_lobes.h - two bodies of convex lobes in MuJoCo: what it makes of superquadrics, to compare manifolds with
 *
 * Include it after dc_sdf.h. */
#ifndef DC_BENCH_MUJOCO_LOBES_H_INCLUDED
#define DC_BENCH_MUJOCO_LOBES_H_INCLUDED

#include "mujoco_model.h"

typedef struct { mjModel *m; mjData *d; } lobes;

/* 26 points of a superquadric's surface, along the directions to the corners, edges and faces of its box: CONTAX has less than 32 */
static void lobes_points(mujoco_text *x, const dc_sdf_prim *p)
{
    dc_sdf one = DC_ZERO;
    int i;
    one.prim = p;
    one.n = 1;
    for (i = 0; i < 27; ++i) {
        dc_v3   u = dc_vec(p->size.x*(dc_real)(i%3 - 1), p->size.y*(dc_real)(i/3%3 - 1), p->size.z*(dc_real)(i/9 - 1)), y;
        dc_real r = dc_sqrt(dc_dot(u, u)), phi = 0;
        if (i == 13) continue;
        y = dc_pose_apply(p->pose, u);
        dc_sdf_eval(&one, y, &phi, NULL, NULL);                 /* r (1 - 1/F), the gauge F */
        y = dc_pose_apply(p->pose, dc_scale((r - phi)/r, u));
        mujoco_print(x, "%.9g %.9g %.9g ", (double)y.x, (double)y.y, (double)y.z);
    }
}

/* A convex mesh for each lobe of the field, twice; several: up to five contacts a pair of lobes, not one. */
static void lobes_open(lobes *p, const dc_sdf *field, int several)
{
    static mujoco_text x;
    int i, k;

    x.n = 0;
    mujoco_print(&x, "<mujoco><size nconmax=\"2000\" njmax=\"500\"/><option><flag multiccd=\"%s\"/></option><asset>",
                 several ? "enable" : "disable");
    for (i = 0; i < field->n; ++i) {
        mujoco_print(&x, "<mesh name=\"l%d\" vertex=\"", i);
        lobes_points(&x, &field->prim[i]);
        mujoco_print(&x, "\"/>");
    }
    mujoco_print(&x, "</asset><worldbody>");
    for (k = 0; k < 2; ++k) {
        mujoco_print(&x, "<body><freejoint/>");
        for (i = 0; i < field->n; ++i) mujoco_print(&x, "<geom type=\"mesh\" mesh=\"l%d\"/>", i);
        mujoco_print(&x, "</body>");
    }
    mujoco_print(&x, "</worldbody></mujoco>");
    p->m = mujoco_compile(&x);
    p->d = mj_makeData(p->m);
}

static void lobes_close(lobes *p)
{
    mj_deleteData(p->d);
    mj_deleteModel(p->m);
}

/* contacts with the second body in a pose, the first at the origin; their number */
static int lobes_contacts(lobes *p, const dc_pose *pose)
{
    mjtNum *q = p->d->qpos + 7;
    q[0] = (mjtNum)pose->t.x;  q[1] = (mjtNum)pose->t.y;  q[2] = (mjtNum)pose->t.z;
    q[3] = (mjtNum)pose->q.w;  q[4] = (mjtNum)pose->q.x;  q[5] = (mjtNum)pose->q.y;  q[6] = (mjtNum)pose->q.z;
    mj_kinematics(p->m, p->d);
    mj_collision(p->m, p->d);
    return p->d->ncon;
}

#endif
