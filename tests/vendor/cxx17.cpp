// A C++17 program with two headers: a mesh of points against the field of a rounded box less a ball.
#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#include "dc_contact.h"
#include "dc_sdf.h"
#include <array>
#include <cstdio>
#include <vector>

struct sample { dc_v3 x; dc_real phi; std::array<dc_real, 3> grad; };

int main()
{
    std::array<dc_sdf_prim, 2> part{};
    part[0].kind = DC_SDF_SUPERQUADRIC;
    part[0].pose.q.w = 1;
    part[0].size = dc_vec(1, 1, DC_R(0.5));
    part[0].eps1 = part[0].eps2 = DC_R(0.25);
    part[1] = part[0];
    part[1].kind = DC_SDF_SPHERE;
    part[1].pose.t = dc_vec(0, 0, DC_R(0.8));
    part[1].size.x = DC_R(0.6);
    part[1].subtract = 1;
    dc_sdf body = DC_ZERO;
    body.prim = part.data();
    body.n = static_cast<int>(part.size());
    body.tau = DC_R(0.02);

    std::vector<sample> samples;
    for (int i = 0; i <= 8; ++i) samples.push_back({dc_vec(0, 0, DC_R(-1.0) + DC_R(0.25)*static_cast<dc_real>(i)), 0, {}});
    int inside = 0;
    for (auto &[x, phi, grad] : samples) {
        if (dc_sdf_eval(&body, x, &phi, grad.data(), nullptr) != DC_OK) return 1;
        inside += phi < 0;
    }
    std::printf("%d of %zu points inside\n", inside, samples.size());
    return inside != 2;      // z = -0.25 and 0: the ball takes away what is above 0.2
}
