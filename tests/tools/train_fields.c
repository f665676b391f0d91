/* Learned fields of pairs of named shapes: training times, errors against the exact field, and the fields as files.
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 *     train_fields                      the table of `make train`: # and U with themselves, units max(0, z) and smooth
 *     train_fields A B [k=v ...]        one pair; keys of dc_cfield_train_options: harmonics layers width smooth raw samples
 *                                       epochs batch rate seed; dir=DIRECTORY writes DIRECTORY/A_B.dccfield
 *     train_fields all [k=v ...]        all 55 pairs of ten shapes
 *
 * Errors are of 4000 poses that were not trained on, nine of ten with |d| < 0.1, those alone: root mean square and largest
 * error of d; the same for |d| < 0.02; wrong signs; angle between the gradient by translation and the exact one, of shapes that
 * are apart (median, mean, 90th percentile), and its median length; root mean square error of the lever. */
#define _POSIX_C_SOURCE 199309L
#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#include "dc_sdf.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TEST_POSES = 4000, VERTICES = 128, SHAPES = 10 };

static const char *const shapes[SHAPES] = {"O", "U", "N", "#", "D", "arc25", "arc50", "arc75", "octagon", "star"};
static unsigned char memory[1 << 24];
static dc_real q[3*TEST_POSES], d[TEST_POSES], grad[3*TEST_POSES], lever[TEST_POSES];
static dc_real d2[TEST_POSES], grad2[3*TEST_POSES], lever2[TEST_POSES];
static double angle[TEST_POSES], length[TEST_POSES], sampled;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}

static void check(dc_status s, const char *what)
{
    if (s == DC_OK) return;
    fprintf(stderr, "%s: %s\n", what, dc_status_text(s));
    exit(1);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static int progress(const dc_cfield_train_info *info, void *user)
{
    (void)user;
    if (info->epochs == 0) sampled = seconds();
    return 0;
}

static void compare(const dc_cfield *exact, const dc_cfield *f, dc_arena *mem)
{
    dc_cfield_out out = DC_ZERO;
    dc_status s;
    double e2 = 0, most = 0, inner2 = 0, l2 = 0, mean = 0;
    int i, near = 0, inner = 0, wrong = 0, apart = 0;
    out.d = d;
    out.grad = grad;
    out.lever = lever;
    s = dci_cfield_samples(exact, 987654321, 0, TEST_POSES, DC_CFIELD_BAND*dc_min(exact->a.radius, exact->b.radius), q, TEST_POSES, mem,
                           &out);
    /* a search for a disc that reached its cap gives the largest one found */
    if (s != DC_E_DIVERGED) check(s, "test poses");
    out.d = d2;
    out.grad = grad2;
    out.lever = lever2;
    check(dc_cfield_eval_batch(f, TEST_POSES, q, TEST_POSES, mem, &out), "evaluation");
    for (i = 0; i < TEST_POSES; ++i) {
        double e = (double)(d2[i] - d[i]), l = (double)(lever2[i] - lever[i]);
        dc_real nx = grad[TEST_POSES + i], ny = grad[2*TEST_POSES + i], mx = grad2[TEST_POSES + i], my = grad2[2*TEST_POSES + i];
        if (i%10 == 9) continue;
        ++near;
        e2 += e*e;
        l2 += l*l;
        if (e < 0) e = -e;
        if (e > most) most = e;
        wrong += (d[i] < 0) != (d2[i] < 0);
        if (d[i] < DC_R(0.02) && d[i] > DC_R(-0.02)) {
            ++inner;
            inner2 += e*e;
        }
        if (d[i] > 0) {
            angle[apart] = 57.29577951308232*(double)dc_abs(dc_atan2(nx*my - ny*mx, nx*mx + ny*my));
            length[apart] = (double)dc_sqrt(mx*mx + my*my);
            mean += angle[apart++];
        }
    }
    qsort(angle, (size_t)apart, sizeof *angle, ascending);
    qsort(length, (size_t)apart, sizeof *length, ascending);
    printf("%.4f %.3f %.4f  %4.1f %%  %4.1f %4.1f %3.0f  %.2f  %.3f\n", (double)dc_sqrt((dc_real)(e2/near)), most,
           (double)dc_sqrt((dc_real)(inner2/inner)), 100.0*wrong/near, angle[apart/2], mean/apart, angle[apart*9/10], length[apart/2],
           (double)dc_sqrt((dc_real)(l2/near)));
    fflush(stdout);
}

static void save(const dc_cfield *f, const char *dir, const char *a, const char *b)
{
    char name[300];
    size_t size = dc_cfield_save_bytes(f);
    void *bytes = malloc(size);
    FILE *file;
    snprintf(name, sizeof name, "%s/%s_%s.dccfield", dir, strcmp(a, "#") == 0 ? "hash" : a, strcmp(b, "#") == 0 ? "hash" : b);
    file = fopen(name, "wb");
    if (!bytes || !file || dc_cfield_save(f, bytes, size) != DC_OK || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        fprintf(stderr, "cannot write %s\n", name);
        exit(1);
    }
    free(bytes);
}

static void pair(const dc_cfield_train_options *o, const char *a, const char *b, const char *dir)
{
    static dc_v2 va[VERTICES], vb[VERTICES];
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_cshape A = DC_ZERO;
    dc_poly B;
    dc_cfield exact, f;
    dc_cfield_train_info info;
    void *state = malloc(dc_cfield_train_bytes(o));
    double begin = seconds(), end;
    if (!state) check(DC_E_MEMORY, "options");
    check(dc_poly_named(a, VERTICES, va, &A.poly.n), a);
    check(dc_poly_named(b, VERTICES, vb, &B.n), b);
    A.poly.v = va;
    B.v = vb;
    check(dc_cfield_exact(NULL, &A, &B, &mem, &exact), "exact field");
    check(dc_cfield_train_start(o, &exact, state), "start");
    check(dc_cfield_train(&exact, state, &mem, progress, NULL, &info), "training");
    end = seconds();
    check(dc_cfield_learned(state, &mem, &f), "field");
    free(state);
    printf("%-8s%-8s%s %4.1f + %4.1f s  ", a, b, o->smooth ? "smooth" : "relu  ", sampled - begin, end - sampled);
    compare(&exact, &f, &mem);
    if (dir) save(&f, dir, a, b);
}

int main(int argc, char **argv)
{
    dc_cfield_train_options o = DC_ZERO;
    const char *dir = NULL;
    int i, j, first = argc > 1 && strcmp(argv[1], "all") == 0 ? 2 : 3;
    for (i = first; i < argc; ++i) {
        char key[32];
        double x = 0;
        if (strncmp(argv[i], "dir=", 4) == 0) {
            dir = argv[i] + 4;
            continue;
        }
        if (sscanf(argv[i], "%31[a-z]=%lf", key, &x) != 2) check(DC_E_ARG, argv[i]);
        if (strcmp(key, "harmonics") == 0) o.harmonics = (int)x;
        else if (strcmp(key, "layers") == 0) o.layers = (int)x;
        else if (strcmp(key, "width") == 0) o.width = (int)x;
        else if (strcmp(key, "smooth") == 0) o.smooth = (int)x;
        else if (strcmp(key, "raw") == 0) o.raw = (int)x;
        else if (strcmp(key, "samples") == 0) o.samples = (int)x;
        else if (strcmp(key, "epochs") == 0) o.epochs = (int)x;
        else if (strcmp(key, "batch") == 0) o.batch = (int)x;
        else if (strcmp(key, "rate") == 0) o.rate = (dc_real)x;
        else if (strcmp(key, "seed") == 0) o.seed = (unsigned)x;
        else check(DC_E_ARG, argv[i]);
    }
    printf("pair            units  drawn + trained   rmse  max  |d|<.02  sign  median mean p90  |n|  lever\n");
    if (argc < 3 && first == 3) {
        for (i = 0; i < 2; ++i) {
            o.smooth = i;
            pair(&o, "#", "#", NULL);
            pair(&o, "U", "U", NULL);
        }
        o.smooth = 0;
        o.layers = 5;
        o.width = 64;
        pair(&o, "#", "#", NULL);
    } else if (first == 3) pair(&o, argv[1], argv[2], dir);
    else
        for (i = 0; i < SHAPES; ++i)
            for (j = i; j < SHAPES; ++j) pair(&o, shapes[i], shapes[j], dir);
    return 0;
}
