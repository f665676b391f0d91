/* grips.h - what the examples of grippers take up: four objects, about 4 cm across
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Include it after sim_scene.h. */
#ifndef GRIPS_H_INCLUDED
#define GRIPS_H_INCLUDED

enum { GRIPS_SPOOL, GRIPS_CYLINDER, GRIPS_BALL, GRIPS_OCTAHEDRON };

static const char *const grips_name[] = {"spool", "cylinder", "ball", "octahedron"};

/* An object as the last link's hulls, turned about the vertical; how high its middle is. */
static inline double grips_object(sim_world *s, int kind, double yaw)
{
    static const double disc[3][3] = {{0.022, -0.024, -0.012}, {0.011, -0.0125, 0.0125}, {0.022, 0.012, 0.024}};   /* radius, from, to */
    const double t = 1.618034, r = 0.024/sqrt(1 + t*t), turn = 0.25*3.14159265;
    double       low = 0;
    int          part, k, c;

    for (part = 0; part < (kind == 0 ? 3 : 1); part++) {
        const int n = kind < 2 ? 16 : kind == 2 ? 12 : 6;
        dc_v3    *x = sim_hull(s, n);
        for (k = 0; k < n; k++) {
            double p[3] = {0, 0, 0};
            if (kind == 0) {
                p[0] = disc[part][0]*cos(turn*(k/2));
                p[1] = disc[part][0]*sin(turn*(k/2));
                p[2] = disc[part][1 + k%2];
            } else if (kind == 1) {
                p[0] = 0.022*cos(turn*(k/2 + 0.5));
                p[1] = k & 1 ? 0.024 : -0.024;
                p[2] = 0.022*sin(turn*(k/2 + 0.5));
            } else if (kind == 2) {
                c = k/4;
                p[c] = k & 1 ? r : -r;
                p[(c + 1)%3] = k & 2 ? r*t : -r*t;
            } else p[k/2] = k & 1 ? 0.027 : -0.027;
            x[k] = dc_vec(DC_R(p[0]*cos(yaw) - p[1]*sin(yaw)), DC_R(p[0]*sin(yaw) + p[1]*cos(yaw)), DC_R(p[2]));
            low = fmin(low, p[2]);
        }
    }
    return -low;
}

/* From 0 to 1, at rest before and after. */
static inline double grips_smooth(double x) { x = fmax(0, fmin(1, x)); return x*x*(3 - 2*x); }

#endif /* GRIPS_H_INCLUDED */
