/* mujoco_lobes.h - two bodies of convex lobes in MuJoCo: what it makes of superquadrics, to compare manifolds with
 *
 * Include it after dc_sdf.h. */
#ifndef DC_BENCH_MUJOCO_LOBES_H_INCLUDED
#define DC_BENCH_MUJOCO_LOBES_H_INCLUDED

#include <mujoco/mujoco.h>
#include <stdio.h>
#include <string.h>

typedef struct { mjModel *m; mjData *d; } lobes;

/* 26 points of a superquadric's surface, along the directions to the corners, edges and faces of its box: CONTAX has less than 32 */
static int lobes_points(char *to, size_t room, const dc_sdf_prim *p)
{
    dc_sdf one = DC_ZERO;
    int i, n = 0;
    one.prim = p;
    one.n = 1;
    for (i = 0; i < 27; ++i) {
        dc_v3   u = dc_vec(p->size.x*(dc_real)(i%3 - 1), p->size.y*(dc_real)(i/3%3 - 1), p->size.z*(dc_real)(i/9 - 1)), x;
        dc_real r = dc_sqrt(dc_dot(u, u)), phi = 0;
        if (i == 13) continue;
        x = dc_pose_apply(p->pose, u);
        dc_sdf_eval(&one, x, &phi, NULL, NULL);                 /* r (1 - 1/F), the gauge F */
        x = dc_pose_apply(p->pose, dc_scale((r - phi)/r, u));
        n += snprintf(to + n, room - (size_t)n, "%.9g %.9g %.9g ", (double)x.x, (double)x.y, (double)x.z);
    }
    return n;
}

/* A convex mesh for each lobe of the field, twice; several: up to five contacts a pair of lobes, not one. 0: MuJoCo refused. */
static int lobes_open(lobes *p, const dc_sdf *field, int several)
{
    static char xml[1 << 17];
    static mjVFS vfs;
    char error[500] = "";
    size_t n = 0;
    int i, k;
    n += (size_t)snprintf(xml, sizeof xml, "<mujoco><size nconmax=\"2000\" njmax=\"500\"/><option><flag multiccd=\"%s\"/></option><asset>",
                          several ? "enable" : "disable");
    for (i = 0; i < field->n; ++i) {
        n += (size_t)snprintf(xml + n, sizeof xml - n, "<mesh name=\"l%d\" vertex=\"", i);
        n += (size_t)lobes_points(xml + n, sizeof xml - n, &field->prim[i]);
        n += (size_t)snprintf(xml + n, sizeof xml - n, "\"/>");
    }
    n += (size_t)snprintf(xml + n, sizeof xml - n, "</asset><worldbody>");
    for (k = 0; k < 2; ++k) {
        n += (size_t)snprintf(xml + n, sizeof xml - n, "<body><freejoint/>");
        for (i = 0; i < field->n; ++i) n += (size_t)snprintf(xml + n, sizeof xml - n, "<geom type=\"mesh\" mesh=\"l%d\"/>", i);
        n += (size_t)snprintf(xml + n, sizeof xml - n, "</body>");
    }
    n += (size_t)snprintf(xml + n, sizeof xml - n, "</worldbody></mujoco>");
    mj_defaultVFS(&vfs);
    if (mj_makeEmptyFileVFS(&vfs, "lobes.xml", (int)n) != 0) return 0;
    memcpy(vfs.filedata[mj_findFileVFS(&vfs, "lobes.xml")], xml, n);
    p->m = mj_loadXML("lobes.xml", &vfs, error, sizeof error);
    mj_deleteVFS(&vfs);
    p->d = p->m ? mj_makeData(p->m) : NULL;
    if (!p->d) fprintf(stderr, "MuJoCo: %s\n", error);
    return p->d != NULL;
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
