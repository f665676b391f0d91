/* manifold_poses.c - manifolds and their derivatives in random poses of four objects: is every number finite?
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Any two of the objects of objects.h, put into each other: turned at random or, once in eight, by quarters and shifted by eighths of
 * their size, so that edges are parallel and vertices, planes of symmetry and whole bodies coincide. Every contact is looked at, and the
 * derivative by both poses of the sum of all their numbers; half of the poses are culled at 1e-14. --full: 10^6 poses. Built with -fopenmp
 * on all threads. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_WITNESS_IMPLEMENTATION
#include "dc_witness.h"
#include "cli.h"
#include "objects.h"
#include "turns.h"

/* _Pragma: Wunknown-pragmas has nothing to say to a compiler without -fopenmp */
#ifdef _OPENMP
#include <omp.h>
#define IN_PARALLEL _Pragma("omp parallel for schedule(dynamic, 16)")
#else
#define IN_PARALLEL
#endif

enum { FIRST = OBJECT_AEROPLANE, KINDS = OBJECT_KINDS - FIRST, THREADS = 64, CHUNK = 1024,
       CONTACTS = 2*OBJECT_VERTICES + 2*OBJECT_PARTS*OBJECT_PARTS };

typedef struct { dc_arena mem; dc_manifold_contact contact[CONTACTS]; } worker;
typedef struct { dc_status status; int finite, touching; } verdict;

static object objects[OBJECT_KINDS];
static dc_manifold_contact ones[CONTACTS];

static int thread(void)
{
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

/* all edges of CONTAX: as many as an object has parts */
static dc_manifold_options options(const object *a, const object *b, int cull)
{
    dc_manifold_options o = DC_ZERO;
    o.keep_e_a = a->field.n;
    o.keep_e_b = b->field.n;
    o.cull = cull ? DC_R(1e-14) : DC_R(0.0);
    return o;
}

/* of a number in 0 .. 4 */
static dc_real eighth(unsigned long long *state) { return (dc_real)((double)(cli_random(state) % 5)/8); }

/* who they are and where: the same for a number, whoever asks */
static void draw(unsigned long long seed, long i, const object *who[2], dc_pose pose[2])
{
    unsigned long long state = seed*0x100000001b3u + (unsigned long long)i;
    dc_real reach;
    int     k;

    state = cli_random(&state);
    for (k = 0; k < 2; k++) who[k] = &objects[FIRST + (int)(cli_random(&state) % KINDS)];
    reach = who[0]->radius + who[1]->radius;
    pose[0].t = dc_vec(0, 0, 0);
    if (i%8 == 0) {
        pose[0].q = dc_quat_exp(dc_vec(0, 0, 0));
        pose[1].q = pose[0].q;
        for (k = 0; k < 3; k++) {
            dc_v3 axis = dc_vec(k == 0, k == 1, k == 2);
            pose[1].q = dc_quat_mul(dc_quat_exp(dc_scale((dc_real)((double)(cli_random(&state) % 4)*1.5707963267948966), axis)), pose[1].q);
        }
        pose[1].t = dc_scale(reach, dc_vec(eighth(&state), eighth(&state), eighth(&state)));
    } else {
        pose[0].q = turns_any(&state);
        pose[1].q = turns_any(&state);
        pose[1].t = dc_scale((dc_real)cli_between(&state, 0, (double)reach), turns_direction(&state));
    }
}

static int finite_number(dc_real x) { return x - x == 0; }
static int finite_vector(dc_v3 x) { return finite_number(x.x) && finite_number(x.y) && finite_number(x.z); }

static verdict look(unsigned long long seed, long i, worker *w)
{
    verdict v = {DC_OK, 1, 0};
    const object *who[2];
    dc_pose    pose[2];
    dc_surface s[2];
    dc_real    grad[12];
    dc_manifold_options o;
    int k, n;

    draw(seed, i, who, pose);
    for (k = 0; k < 2; k++) {
        s[k].mesh = &who[k]->mesh;
        s[k].sdf = &who[k]->field;
    }
    o = options(who[0], who[1], (int)(i/8%2));
    n = dc_manifold_count(&s[0], &s[1], &o, NULL);
    v.status = dc_manifold_vjp(&s[0], &pose[0], &s[1], &pose[1], &o, ones, &w->mem, w->contact, grad);
    for (k = 0; k < n && v.status == DC_OK; k++) {
        const dc_manifold_contact *c = &w->contact[k];
        v.finite = v.finite && finite_vector(c->p) && finite_number(c->d) && finite_vector(c->n) && c->act >= 0 && c->act <= 1;
        v.touching = v.touching || c->act > DC_R(0.5);
    }
    for (k = 0; k < 12 && v.status == DC_OK; k++) v.finite = v.finite && finite_number(grad[k]);
    return v;
}

int main(int argc, char **argv)
{
    static verdict verdicts[CHUNK];
    static unsigned char scratch[1 << 25];
    double     poses = 20000;
    cli_number number[] = {{"poses", &poses, 1, 1e8, "random poses"}};
    cli        o = cli_parse(argc, argv, "Looks for numbers that are not finite in manifolds of four objects.", NULL, number, 1);
    dc_arena   mem = dc_arena_make(scratch, sizeof scratch);
    worker    *workers;
    unsigned char *memory;
    size_t     bytes = 0;
    long       done = 0, failed = 0, broken = 0, touching = 0, total;
    double     begin;
    cli_bar    bar;
    int        k, i, threads = 1;

    if (o.quick) poses = 256;
    if (o.full) poses = 1e6;
    total = (long)poses;
    for (k = FIRST; k < OBJECT_KINDS; k++) {
        dc_status s = object_make(&objects[k], k, &mem);
        if (s != DC_OK) return cli_error("%s: %s", object_table[k].name, dc_status_text(s));
    }
    for (k = 0; k < KINDS*KINDS; k++) {
        const object *a = &objects[FIRST + k%KINDS], *b = &objects[FIRST + k/KINDS];
        const dc_surface sa = {&a->mesh, &a->field}, sb = {&b->mesh, &b->field};
        dc_manifold_options e = options(a, b, 1);
        size_t need = dc_manifold_bytes(&sa, &sb, &e, 1);
        bytes = need > bytes ? need : bytes;
    }
    for (k = 0; k < CONTACTS; k++) {
        ones[k].p = ones[k].n = dc_vec(1, 1, 1);
        ones[k].d = ones[k].act = 1;
    }
#ifdef _OPENMP
    threads = omp_get_max_threads() < THREADS ? omp_get_max_threads() : THREADS;
    omp_set_num_threads(threads);
#endif
    workers = (worker *)malloc((size_t)threads*sizeof *workers);
    memory = (unsigned char *)malloc((size_t)threads*bytes);
    if (!workers || !memory || bytes == 0) return cli_error("no memory");
    for (k = 0; k < threads; k++) workers[k].mem = dc_arena_make(memory + (size_t)k*bytes, bytes);

    bar = cli_bar_begin("poses", poses, "poses");
    begin = cli_seconds();
    while (done < total && !cli_stopped()) {
        const int n = total - done < CHUNK ? (int)(total - done) : CHUNK;
        IN_PARALLEL
        for (i = 0; i < n; i++) verdicts[i] = look(o.seed, done + i, &workers[thread()]);
        for (i = 0; i < n; i++) {
            if (verdicts[i].status != DC_OK || !verdicts[i].finite) {
                cli_error("pose %ld: %s", done + i, verdicts[i].finite ? dc_status_text(verdicts[i].status) : "a number that is not finite");
            }
            failed += verdicts[i].status != DC_OK;
            broken += !verdicts[i].finite;
            touching += verdicts[i].touching;
        }
        done += n;
        cli_bar_step(&bar, (double)done);
    }
    cli_bar_end(&bar);
    printf("poses %ld\nposes/touching %ld\nposes/failed %ld\nposes/not_finite %ld\nthreads %d\ntime %.4g ms\n", done, touching, failed, broken, threads,
           done ? 1e3*(cli_seconds() - begin)/(double)done : 0.0);
    free(workers);
    free(memory);
    return cli_exit(failed + broken ? CLI_FAILED : CLI_DONE);
}
