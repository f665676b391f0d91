/* identify.c - friction, restitution and size of a tossed cube from recordings, by Gauss-Newton on the derivatives of dc_ncp_step
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 *     identify toss.csv ..          recordings; without one, the program makes its own at numbers that it then has to find
 *
 * A line of a recording is a time, 1/148 s after the one before: position, quaternion w x y z, velocity, angular velocity in the axes of
 * the body; what follows is not read. Such are the tosses of ContactNets and Dojo, with half the side as the unit of length. The cube is
 * rolled out from every fifth line for ten steps; what its poses are off by are the residuals, whose derivatives by the three numbers
 * are carried from step to step by dc_ncp_grad and dc_ncp_grad_shape. Windows are short because a bounce multiplies what was off before:
 * with 25 steps a fit can end where no small change helps. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_NCP_IMPLEMENTATION
#include "dc_ncp.h"
#include "cli.h"

enum { MU, BOUNCE, HALF, NUMBERS, LINES = 4000, STEPS = 10, EVERY = 5 };
static const double h = 1.0/148, least[NUMBERS] = {0.01, 0, 0.5}, most[NUMBERS] = {2, 1, 1.5};
static const char *const name[NUMBERS] = {"friction", "restitution", "half_side"};

static dc_ncp_body line[LINES];                 /* all recordings, one after the other */
static int  follows[LINES], lines;              /* how many lines of the same recording come after this one */
static int  unsolved;

/* One step of a cube with numbers x; with J the Jacobian of the next pose, v and w by pose, v, w (12 columns) and by x. */
static void step(const double *x, dc_ncp_body *cube, double J[12][12 + NUMBERS])
{
    static unsigned char memory[1 << 18];
    dc_arena       mem = dc_arena_make(memory, sizeof memory);
    dc_shape       box = DC_ZERO, ground = DC_ZERO;
    dc_ncp_contact touch = DC_ZERO;
    dc_ncp_scene   scene = DC_ZERO;
    dc_ncp_body    next;
    dc_ncp        *solution;
    enum { SCENE = DC_NCP_BODY_PARAMS, TOUCH = SCENE + DC_NCP_SCENE_PARAMS, ALL = TOUCH + DC_NCP_CONTACT_PARAMS, SHAPE = 18 + 6 + 6 + 1 };
    const dc_real  a = DC_R(x[HALF]);
    dc_real        by_all[12*ALL], by_shape[12*SHAPE];
    int            i, k;

    (void)dc_shape_box(3, dc_vec(a, a, a), &mem, &box);
    (void)dc_shape_halfspace(3, dc_vec(0, 0, 1), 0, &mem, &ground);
    touch.body[1] = -1;                                         /* the ground */
    touch.shape[0] = &box;
    touch.shape[1] = &ground;
    touch.mu = DC_R(x[MU]);
    touch.restitution = DC_R(x[BOUNCE]);
    cube->mass = 1;                                             /* its motion depends on inertia over mass alone */
    cube->inertia.m[0] = cube->inertia.m[4] = cube->inertia.m[8] = 2*a*a/3;
    scene.dim = 3;
    scene.h = DC_R(h);
    scene.gravity.z = DC_R(-9.81/0.0524);
    scene.bodies = scene.contacts = 1;
    scene.body = cube;
    scene.contact = &touch;
    if (dc_ncp_step(NULL, &scene, &mem, &next, &solution, NULL) != DC_OK) unsolved++;
    else if (J && dc_ncp_grad(solution, by_all, ALL) == DC_OK && dc_ncp_grad_shape(solution, 0, 0, by_shape, SHAPE) == DC_OK)
        for (i = 0; i < 12; i++) {
            for (k = 0; k < 12; k++) J[i][k] = (double)by_all[i*ALL + k];
            J[i][12 + MU] = (double)by_all[i*ALL + TOUCH + DC_NCP_AT_MU];
            J[i][12 + BOUNCE] = (double)by_all[i*ALL + TOUCH + DC_NCP_AT_RESTITUTION];
            J[i][12 + HALF] = (double)by_shape[i*SHAPE + 30]*(double)(box.size/a);      /* size; then b, and the inertia 2/3 a^2 */
            for (k = 18; k < 24; k++) J[i][12 + HALF] += (double)by_shape[i*SHAPE + k];
            for (k = 0; k < 9; k += 4) J[i][12 + HALF] += (double)by_all[i*ALL + DC_NCP_AT_INERTIA + k]*4*x[HALF]/3;
        }
    *cube = next;
}

/* Half the sum of squares, its gradient g and Gauss-Newton matrix N by x; *residuals: how many there are. */
static double loss(const double *x, dc_real *g, dc_real *N, int *residuals)
{
    double sum = 0;
    int    from, i, j, k, l;

    memset(g, 0, NUMBERS*sizeof *g);
    memset(N, 0, NUMBERS*NUMBERS*sizeof *N);
    *residuals = 0;
    for (from = 0; from < lines; from += follows[from] > EVERY ? EVERY : follows[from] + 1) {
        dc_ncp_body cube = line[from];
        double      S[12][NUMBERS] = {{0}}, now[12][NUMBERS], J[12][12 + NUMBERS] = {{0}};
        for (i = 1; i <= STEPS && i <= follows[from]; i++, *residuals += 6) {
            dc_real off[6];
            step(x, &cube, J);
            for (k = 0; k < 12; k++)
                for (j = 0; j < NUMBERS; j++)
                    for (now[k][j] = J[k][12 + j], l = 0; l < 12; l++) now[k][j] += J[k][l]*S[l][j];
            memcpy(S, now, sizeof S);
            dc_pose_local(line[from + i].pose, cube.pose, off);
            for (k = 0; k < 6; k++) {
                sum += 0.5*(double)(off[k]*off[k]);
                for (j = 0; j < NUMBERS; j++) {                 /* small angles: the derivative of off is S */
                    g[j] += off[k]*DC_R(S[k][j]);
                    for (l = 0; l < NUMBERS; l++) N[NUMBERS*j + l] += DC_R(S[k][j]*S[k][l]);
                }
            }
        }
    }
    return sum;
}

/* Adds a recording; 0: the file cannot be read, or is none. */
static int load(const char *file)
{
    FILE *f = fopen(file, "r");
    char  text[1024];
    int   first = lines;

    while (f && lines < LINES && fgets(text, sizeof text, f)) {
        dc_ncp_body *b = &line[lines];
        double       z[13];
        char        *at = text, *end;
        int          k;
        for (k = 0; k < 13; k++, at = *end == ',' ? end + 1 : end) {
            z[k] = strtod(at, &end);
            if (end == at) break;
        }
        if (k < 13) break;
        memset(b, 0, sizeof *b);
        b->pose.t = dc_vec(DC_R(z[0]), DC_R(z[1]), DC_R(z[2]));
        b->pose.q.w = DC_R(z[3]);
        b->pose.q.x = DC_R(z[4]);
        b->pose.q.y = DC_R(z[5]);
        b->pose.q.z = DC_R(z[6]);
        if (dc_quat_normalize(b->pose.q, &b->pose.q) != DC_OK) break;
        b->v = dc_vec(DC_R(z[7]), DC_R(z[8]), DC_R(z[9]));
        b->w = dc_quat_rotate(b->pose.q, dc_vec(DC_R(z[10]), DC_R(z[11]), DC_R(z[12])));
        lines++;
    }
    if (f && fclose(f) == 0 && lines > first + 1) {
        int i;
        for (i = first; i < lines; i++) follows[i] = lines - 1 - i;
        return 1;
    }
    return 0;
}

/* Our own recordings, with noise, at the numbers x. */
static int record(const char *file, const double *x, double noise, unsigned long long *seed)
{
    FILE       *f = fopen(file, "w");
    dc_ncp_body b = DC_ZERO;
    double      r[9];
    int         i, k;

    for (k = 0; k < 9; k++) r[k] = cli_between(seed, -1, 1);
    b.pose.q = dc_quat_exp(dc_vec(DC_R(2*r[0]), DC_R(2*r[1]), DC_R(2*r[2])));
    b.pose.t.z = DC_R(2.5);
    b.v = dc_vec(DC_R(20*r[3]), DC_R(20*r[4]), DC_R(-10 - 5*r[5]));
    b.w = dc_vec(DC_R(6*r[6]), DC_R(6*r[7]), DC_R(6*r[8]));
    for (i = 0; f && i < 70; i++) {
        dc_real n[6];
        dc_pose seen;
        dc_v3   w = dc_quat_rotate(dc_quat_conj(b.pose.q), b.w);
        for (k = 0; k < 6; k++) n[k] = DC_R(noise*cli_between(seed, -1.7, 1.7));
        seen = dc_pose_retract(b.pose, n);
        fprintf(f, "%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", (double)seen.t.x, (double)seen.t.y, (double)seen.t.z,
                (double)seen.q.w, (double)seen.q.x, (double)seen.q.y, (double)seen.q.z, (double)b.v.x, (double)b.v.y, (double)b.v.z,
                (double)w.x, (double)w.y, (double)w.z);
        step(x, &b, NULL);
    }
    return f && fclose(f) == 0;
}

int main(int argc, char **argv)
{
    static const double truth[NUMBERS] = {0.18, 0.3, 0.98};
    double     noise = 0.002, x[NUMBERS] = {0.4, 0.1, 1.04}, before, now;
    cli_number number[] = {{"noise", &noise, 0, 0.1, "of the poses of our own recordings, half sides and radians"},
                           {"mu", &x[MU], 0.01, 2, "friction to begin with"},
                           {"restitution", &x[BOUNCE], 0, 1, "to begin with"},
                           {"half", &x[HALF], 0.5, 1.5, "half side to begin with"}};
    int        files = 0, i, k, iterations, residuals, off = 0, own;
    dc_real    g[NUMBERS], N[NUMBERS*NUMBERS], damping = DC_R(1e-3);
    cli        o;

    while (files + 1 < argc && argv[files + 1][0] != '-')
        if (!load(argv[++files])) return cli_error("%s is no recording", argv[files]);
    argv[files] = argv[0];
    o = cli_parse(argc - files, argv + files, "Finds friction, restitution and half the side of a cube from recordings of its tosses, or from its own, identify_00.csv and on, which it writes here.", NULL, number, 4);
    own = files == 0;
    for (i = 0; own && i < (o.quick ? 12 : 30); i++) {
        char file[32];
        snprintf(file, sizeof file, "identify_%02d.csv", i);
        if (!record(file, truth, noise, &o.seed) || !load(file)) return cli_error("cannot write and read %s", file);
    }

    /* Levenberg and Marquardt: (N + damping diag N) d = -g, less damping after a step that helped */
    now = loss(x, g, N, &residuals);
    for (iterations = 0; iterations < 40 && (double)damping < 1e3 && !cli_stopped(); iterations++) {
        double  y[NUMBERS];
        dc_real A[NUMBERS*NUMBERS], d[NUMBERS], gy[NUMBERS], Ny[NUMBERS*NUMBERS];
        if (!o.quick) printf("iteration %2d: rms %.5f, friction %.4f, restitution %.4f, half side %.4f\n", iterations, sqrt(2*now/residuals), x[MU], x[BOUNCE], x[HALF]);
        memcpy(A, N, sizeof A);
        for (k = 0; k < NUMBERS; k++) {
            A[4*k] += damping*A[4*k] + DC_R(1e-30);
            d[k] = -g[k];
        }
        if (dc_chol_factor(NUMBERS, A, NUMBERS, NULL) != DC_OK || dc_chol_solve(NUMBERS, A, NUMBERS, 1, d, 1) != DC_OK) return cli_error("no direction");
        for (k = 0; k < NUMBERS; k++) y[k] = fmin(most[k], fmax(least[k], x[k] + (double)d[k]));
        before = now;
        now = loss(y, gy, Ny, &residuals);
        if (now < before) {
            memcpy(x, y, sizeof x);
            memcpy(g, gy, sizeof g);
            memcpy(N, Ny, sizeof N);
            damping *= DC_R(0.2);
            if (before - now < 1e-6*now) break;
        } else {
            now = before;
            damping *= 8;
        }
    }

    for (k = 0; k < NUMBERS; k++) {
        printf("%s %.4f", name[k], x[k]);
        if (own) printf(" true_%.4f", truth[k]);
        printf("\n");
        off += own && !(fabs(x[k] - truth[k]) < 0.05*truth[k]);
    }
    printf("residuals %d rms_%.4g\nsteps_not_solved %d\n", residuals, sqrt(2*now/residuals), unsolved);
    if (off) return cli_error("%d of the numbers are off by more than 5 %%", off);
    return cli_exit(CLI_DONE);
}
