// FCL's distance (its default solver, derived from libccd's GJK, nearest points on) and libccd's penetration depth (EPA)
// for bench_hull.c. Built only where FCL and libccd are installed; without -march=native, since Eigen's alignment has
// to match the packaged library.
#include <ccd/ccd.h>
#include <ccd/quat.h>
#include <fcl/fcl.h>

#include <memory>
#include <vector>

namespace {

struct points { std::vector<double> v; ccd_vec3_t pos; ccd_quat_t q, qi; };

struct peer_pair {
    std::shared_ptr<fcl::Convexd> ga, gb;
    fcl::Transform3d ta, tb;
    points a, b;
};

void support(const void *obj, const ccd_vec3_t *dir, ccd_vec3_t *out)
{
    const points *p = static_cast<const points *>(obj);
    ccd_vec3_t d;
    ccdVec3Copy(&d, dir);
    ccdQuatRotVec(&d, &p->qi);
    const double *v = p->v.data();
    const std::size_t n = p->v.size()/3;
    double best = -1e300;
    std::size_t at = 0;
    for (std::size_t i = 0; i < n; i++) {
        const double s = v[3*i]*d.v[0] + v[3*i + 1]*d.v[1] + v[3*i + 2]*d.v[2];
        if (s > best) { best = s; at = i; }
    }
    ccdVec3Set(out, v[3*at], v[3*at + 1], v[3*at + 2]);
    ccdQuatRotVec(out, &p->q);
    ccdVec3Add(out, &p->pos);
}

std::shared_ptr<fcl::Convexd> convex(const double *v, int n, const int *f, int nf)
{
    auto vs = std::make_shared<std::vector<fcl::Vector3d>>();
    for (int i = 0; i < n; i++) vs->push_back(fcl::Vector3d(v[3*i], v[3*i + 1], v[3*i + 2]));
    auto fs = std::make_shared<std::vector<int>>();
    for (int i = 0; i < nf; i++) {
        fs->push_back(3);
        for (int k = 0; k < 3; k++) fs->push_back(f[3*i + k]);
    }
    return std::make_shared<fcl::Convexd>(vs, nf, fs);
}

fcl::Transform3d transform(const double *p)
{
    fcl::Transform3d t = fcl::Transform3d::Identity();
    t.linear() = fcl::Quaterniond(p[0], p[1], p[2], p[3]).toRotationMatrix();
    t.translation() = fcl::Vector3d(p[4], p[5], p[6]);
    return t;
}

points points_of(const double *v, int n, const double *p)
{
    points r;
    r.v.assign(v, v + 3*n);
    ccdVec3Set(&r.pos, p[4], p[5], p[6]);
    ccdQuatSet(&r.q, p[1], p[2], p[3], p[0]);
    ccdQuatInvert2(&r.qi, &r.q);
    return r;
}

} // namespace

extern "C" {

void *peer_hull_pair(const double *va, int na, const int *fa, int nfa, const double *pose_a,
                     const double *vb, int nb, const int *fb, int nfb, const double *pose_b)
{
    peer_pair *p = new peer_pair;
    p->ga = convex(va, na, fa, nfa);
    p->gb = convex(vb, nb, fb, nfb);
    p->ta = transform(pose_a);
    p->tb = transform(pose_b);
    p->a = points_of(va, na, pose_a);
    p->b = points_of(vb, nb, pose_b);
    return p;
}

void peer_hull_pair_free(void *pair) { delete static_cast<peer_pair *>(pair); }

double peer_fcl_distance(void *pair, double pa[3], double pb[3])
{
    peer_pair *p = static_cast<peer_pair *>(pair);
    fcl::DistanceRequestd request(true);
    fcl::DistanceResultd result;
    request.gjk_solver_type = fcl::GST_LIBCCD;
    fcl::distance(p->ga.get(), p->ta, p->gb.get(), p->tb, request, result);
    for (int i = 0; i < 3; i++) {
        pa[i] = result.nearest_points[0][i];
        pb[i] = result.nearest_points[1][i];
    }
    return result.min_distance;
}

double peer_ccd_depth(void *pair, double dir[3], double pos[3])
{
    peer_pair *p = static_cast<peer_pair *>(pair);
    ccd_t ccd;
    ccd_real_t depth = 0;
    ccd_vec3_t d, x;
    CCD_INIT(&ccd);
    ccd.support1 = support;
    ccd.support2 = support;
    ccd.max_iterations = 500;
    ccd.epa_tolerance = 1e-6;
    if (ccdGJKPenetration(&p->a, &p->b, &ccd, &depth, &d, &x) != 0) return 0;
    for (int i = 0; i < 3; i++) {
        dir[i] = d.v[i];
        pos[i] = x.v[i];
    }
    return depth;
}

} // extern "C"
