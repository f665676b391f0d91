// libccd's penetration depth (EPA) of two boxes for bench_manifold.c
#include <ccd/ccd.h>
#include <ccd/quat.h>

namespace {

struct box { ccd_vec3_t half, pos; ccd_quat_t q, qi; };

void support(const void *obj, const ccd_vec3_t *dir, ccd_vec3_t *out)
{
    const box *b = static_cast<const box *>(obj);
    ccd_vec3_t d;
    ccdVec3Copy(&d, dir);
    ccdQuatRotVec(&d, &b->qi);
    for (int i = 0; i < 3; i++) out->v[i] = d.v[i] > 0 ? b->half.v[i] : -b->half.v[i];
    ccdQuatRotVec(out, &b->q);
    ccdVec3Add(out, &b->pos);
}

box box_of(const double *half, const double *pose)
{
    box b;
    ccdVec3Set(&b.half, half[0], half[1], half[2]);
    ccdVec3Set(&b.pos, pose[0], pose[1], pose[2]);
    ccdQuatSet(&b.q, pose[3], pose[4], pose[5], pose[6]);
    ccdQuatInvert2(&b.qi, &b.q);
    return b;
}

} // namespace

// poses: place, quaternion x y z w; n from a to b
extern "C" int peer_ccd_boxes(const double *half_a, const double *pose_a, const double *half_b, const double *pose_b, double *depth, double n[3])
{
    const box a = box_of(half_a, pose_a), b = box_of(half_b, pose_b);
    ccd_t ccd;
    ccd_real_t by = 0;
    ccd_vec3_t d, x;
    CCD_INIT(&ccd);
    ccd.support1 = support;
    ccd.support2 = support;
    ccd.max_iterations = 500;
    ccd.epa_tolerance = 1e-6;
    const int failed = ccdGJKPenetration(&a, &b, &ccd, &by, &d, &x);
    if (failed) return failed;
    *depth = by;
    for (int i = 0; i < 3; i++) n[i] = d.v[i];
    return 0;
}
