/* fuzz.h - what the fuzz programs tests/fuzz_<header>.c share: bytes to arguments, checks, a driver
 *
 * A program includes this file first, then its header, and defines
 *
 *     static void calls(fuzz *f) { ... }
 *     int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return fuzz_input(data, size, calls); }
 *
 * where `calls` makes arguments with the functions below, calls the header, and says what has to hold with FUZZ_CHECK. Every
 * number that a call promises goes into fuzz_mix: each input is run twice, over other memory, and has to mix to the same bits.
 *
 * Built with -DDC_FUZZ_LIBFUZZER -fsanitize=fuzzer it is a target of libFuzzer. Else there is a main:
 *
 *     fuzz_x             FUZZ_RUNS*DC_TEST_SWEEP random inputs, then every value of every byte of some of them
 *     fuzz_x N           the same with N random inputs, and as much of the rest
 *     fuzz_x FILE...     these inputs again
 *
 * deterministic. An input that fails, crashes or takes FUZZ_SECONDS is written to fuzz_x.failK beside the program. POSIX. */
#ifndef DC_TEST_FUZZ_H_INCLUDED
#define DC_TEST_FUZZ_H_INCLUDED

#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "dc_contact.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

#ifdef __cplusplus
extern "C" {
#endif
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
#ifdef __cplusplus
}
#endif

/* ---- checks ---------------------------------------------------------------------------------------- */

static inline void fuzz_fail(const char *file, int line, const char *what, const char *fmt, ...) SUPPORT_PRINTF(4, 5);
static inline void fuzz_fail(const char *file, int line, const char *what, const char *fmt, ...)
{
    va_list ap;
    fprintf(stderr, "%s:%d: not so: %s: ", file, line, what);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fprintf(stderr, "\n");
    abort();
}

/* the condition holds, or the input is a failure; the rest says where, like printf */
#define FUZZ_CHECK(condition, ...) do { if (!(condition)) fuzz_fail(__FILE__, __LINE__, #condition, __VA_ARGS__); } while (0)

static inline int fuzz_finite(const dc_real *x, size_t n)
{
    size_t i;
    for (i = 0; i < n; ++i)
        if (!dc_finite(x[i])) return 0;
    return 1;
}

/* ---- bytes to arguments ------------------------------------------------------------------------------- */

#define FUZZ_BLOCKS 256

typedef struct {
    const uint8_t *data;
    size_t  size, at;
    int     extreme;              /* of 256 numbers so many are legal, but at an end of the range */
    int     bad;                  /* and so many anything: NaN, infinite, too large; pointers NULL, counts wrong */
    dc_real seen[8];              /* numbers given before */
    unsigned n_seen;
    unsigned char stale;          /* what fresh memory is filled with */
    uint64_t hash;
    void    *block[FUZZ_BLOCKS];
    int     n_blocks;
} fuzz;

/* 0 at the end of the input */
static inline int fuzz_byte(fuzz *f) { return f->at < f->size ? f->data[f->at++] : 0; }
static inline int fuzz_more(const fuzz *f) { return f->at < f->size; }
static inline int fuzz_below(fuzz *f, int n) { return fuzz_byte(f)%n; }
/* whether this argument is to be wrong; costs no byte in inputs where nothing is */
static inline int fuzz_bad(fuzz *f) { return f->bad > 0 && fuzz_byte(f) < f->bad; }

static inline dc_real fuzz_number(fuzz *f)
{
    static const dc_real tiny = DC_IS_FLOAT ? DC_R(1e-38) : DC_R(1e-300);
    const dc_real legal[16] = {0, -DC_R(0.0), DC_REAL_MIN, DC_REAL_MIN/2, -DC_REAL_MIN*DC_EPS, tiny, -tiny, DC_LIMIT, -DC_LIMIT, 1/DC_LIMIT,
                               1, -1, 1 + DC_EPS, 1 - DC_EPS/2, dc_sqrt(DC_LIMIT), DC_EPS};
    const dc_real never[8] = {(dc_real)(HUGE_VAL - HUGE_VAL), (dc_real)HUGE_VAL, -(dc_real)HUGE_VAL, DC_LIMIT*(1 + DC_EPS), -DC_REAL_MAX,
                              DC_IS_FLOAT ? DC_R(1e38) : DC_R(1e300), 2*DC_LIMIT, DC_REAL_MAX};
    int kind = fuzz_byte(f);
    if (kind < f->extreme) return legal[fuzz_below(f, 16)];
    if (kind < f->extreme + f->bad) return never[fuzz_below(f, 8)];
    switch (kind%8) {
    case 0: return f->seen[fuzz_below(f, 8)];
    case 1: {                                                               /* an ulp from an earlier one */
        int k = fuzz_byte(f);
        return f->seen[k%8]*(k & 8 ? 1 + DC_EPS : 1 - DC_EPS);
    }
    case 2: case 3: return (dc_real)(fuzz_byte(f) - 128)/64;                /* few values: they coincide, touch, are parallel */
    case 4: {                                                               /* any size from 1e-8 to 1e8 */
        int k = fuzz_byte(f);
        return (dc_real)((k & 1 ? -1 : 1)*pow(10, (k >> 1)%17 - 8)*(1 + fuzz_byte(f)/256.0));
    }
    default: {
        int k = fuzz_byte(f);
        return (dc_real)(k*256 + fuzz_byte(f) - 32768)/16384;               /* [-2, 2) */
    }
    }
}

static inline dc_real fuzz_real(fuzz *f)
{
    dc_real x = fuzz_number(f);
    f->seen[f->n_seen++%8] = x;
    return x;
}

/* an option: its default, about `usual`, or any number */
static inline dc_real fuzz_option(fuzz *f, double usual)
{
    int k = fuzz_byte(f);
    return k < 96 ? 0 : k < 224 ? (dc_real)ldexp(usual, k%8 - 4) : fuzz_real(f);
}

/* lo..hi, or wrong: below, above, the ends of int; for counts that are looked at before anything is read */
static inline int fuzz_int(fuzz *f, int lo, int hi)
{
    const int wrong[6] = {0, -1, lo - 1, hi + 1, INT_MAX, INT_MIN};
    return fuzz_bad(f) ? wrong[fuzz_below(f, 6)] : lo + fuzz_below(f, hi - lo + 1);
}
/* the same, wrong only by being too small: for the length of an array */
static inline int fuzz_count(fuzz *f, int lo, int hi) { return fuzz_bad(f) ? lo - 1 - fuzz_below(f, 2) : lo + fuzz_below(f, hi - lo + 1); }

static inline dc_v3 fuzz_v3(fuzz *f)
{
    dc_v3 v;
    v.x = fuzz_real(f);
    v.y = fuzz_real(f);
    v.z = fuzz_real(f);
    return v;
}

/* a pose with a unit quaternion, or one that is not quite, or not at all */
static inline dc_pose fuzz_pose(fuzz *f)
{
    dc_pose p;
    dc_v3 w = dc_vec((dc_real)(fuzz_byte(f) - 128)/40, (dc_real)(fuzz_byte(f) - 128)/40, (dc_real)(fuzz_byte(f) - 128)/40);
    p.q = dc_quat_exp(w);
    if (fuzz_byte(f) < 128) p.q = dc_quat_exp(dc_vec(0, 0, 0));
    if (fuzz_byte(f) < f->extreme) p.q.w *= DC_R(1.0003);
    if (fuzz_bad(f)) p.q.x = fuzz_real(f);
    p.t = fuzz_v3(f);
    return p;
}

/* ---- memory --------------------------------------------------------------------------------------------- */

/* Exactly so many bytes, until the end of the input: the sanitizer sees every byte outside. At least one. */
static inline void *fuzz_alloc(fuzz *f, size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);
    if (!p || f->n_blocks == FUZZ_BLOCKS) {
        fprintf(stderr, "fuzz.h: no memory\n");
        exit(2);
    }
    memset(p, f->stale, bytes ? bytes : 1);
    return f->block[f->n_blocks++] = p;
}
static inline dc_real *fuzz_reals(fuzz *f, size_t n) { return (dc_real *)fuzz_alloc(f, n*sizeof(dc_real)); }

/* n points */
static inline dc_v3 *fuzz_points(fuzz *f, int n)
{
    dc_v3 *v = (dc_v3 *)fuzz_alloc(f, n > 0 ? (size_t)n*sizeof *v : 0);
    int k;
    for (k = 0; k < n; ++k) v[k] = fuzz_v3(f);
    return v;
}

static inline int fuzz_untouched(const fuzz *f, const void *p, size_t bytes)
{
    const unsigned char *b = (const unsigned char *)p;
    size_t i;
    for (i = 0; i < bytes; ++i)
        if (b[i] != f->stale) return 0;
    return 1;
}

/* the bits of a result */
static inline void fuzz_mix(fuzz *f, const void *p, size_t bytes)
{
    const unsigned char *b = (const unsigned char *)p;
    size_t i;
    for (i = 0; i < bytes; ++i) f->hash = (f->hash ^ b[i])*UINT64_C(1099511628211);
}
static inline dc_status fuzz_status(fuzz *f, dc_status s)
{
    FUZZ_CHECK(s >= DC_OK && s <= DC_E_DIVERGED, "status %d", (int)s);
    f->hash = (f->hash ^ (uint64_t)s)*UINT64_C(1099511628211);
    return s;
}

/* An arena at any address, of the bytes the header asks for (mostly), one fewer, few or none. */
typedef struct { dc_arena a; size_t need; } fuzz_arena;

static inline fuzz_arena fuzz_arena_open(fuzz *f, size_t need)
{
    fuzz_arena m;
    int kind = fuzz_byte(f), start = fuzz_below(f, DC_ALIGN);
    size_t bytes = kind == 1 && need ? need - 1 : kind == 2 ? 0 : kind == 3 ? need/2 : kind == 4 ? need + 4096 : need;
    m.need = need;
    m.a = dc_arena_make((unsigned char *)fuzz_alloc(f, bytes + (size_t)start) + start, bytes);
    return m;
}
/* the call gave back what it took, and did not ask for more than it said */
static inline void fuzz_arena_close(const fuzz_arena *m, size_t kept, dc_status s)
{
    FUZZ_CHECK(m->a.used == kept, "the arena keeps %lu bytes, not %lu, status %d", (unsigned long)m->a.used, (unsigned long)kept, (int)s);
    FUZZ_CHECK(s != DC_E_MEMORY || m->a.size < m->need || m->need == 0, "%lu bytes are said to be enough", (unsigned long)m->need);
}

/* ---- one input --------------------------------------------------------------------------------------------- */

static inline uint64_t fuzz_pass(const uint8_t *data, size_t size, unsigned char stale, void (*calls)(fuzz *))
{
    /* tempers: nothing wrong; ends of the range; now and then wrong; much wrong */
    static const int extreme[4] = {0, 48, 8, 64}, bad[4] = {0, 0, 6, 40};
    fuzz f;
    int k, temper;
    memset(&f, 0, sizeof f);
    f.data = data;
    f.size = size;
    f.stale = stale;
    f.hash = UINT64_C(14695981039346656037);
    temper = fuzz_below(&f, 4);
    f.extreme = extreme[temper];
    f.bad = bad[temper];
    calls(&f);
    for (k = 0; k < f.n_blocks; ++k) free(f.block[k]);
    return f.hash;
}

static inline int fuzz_input(const uint8_t *data, size_t size, void (*calls)(fuzz *))
{
    uint64_t once = fuzz_pass(data, size, 0x3c, calls), again = fuzz_pass(data, size, 0xff, calls);
    FUZZ_CHECK(once == again, "the same input gives other bits over other memory");
    return 0;
}

/* ---- the driver without libFuzzer --------------------------------------------------------------------------- */

#ifndef DC_FUZZ_LIBFUZZER

#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef FUZZ_RUNS
#define FUZZ_RUNS 4000
#endif
#define FUZZ_LENGTH 512           /* longest input */
#define FUZZ_BASE 96              /* length of those whose bytes are all changed */
#define FUZZ_SECONDS 20
#define FUZZ_FAILURES 10          /* the run ends after so many */

/* Input i of runs: random, of any length up to FUZZ_LENGTH; beyond, input j = i - runs is one of FUZZ_BASE bytes with
 * byte j/256 set to j mod 256. */
static inline size_t fuzz_make(long i, long runs, uint8_t data[FUZZ_LENGTH])
{
    long    j = i - runs, base = j/(256L*FUZZ_BASE);
    size_t  size = FUZZ_BASE, k;
    rng     r;
    rng_seed(&r, j < 0 ? (uint64_t)i : UINT64_C(1000000007) + (uint64_t)base);
    if (j < 0) size = (size_t)rng_int(&r, 8, FUZZ_LENGTH);
    for (k = 0; k < size; ++k) data[k] = (uint8_t)(rng_bits(&r) >> 32);
    if (j >= 0) data[j/256%FUZZ_BASE] = (uint8_t)(j%256);
    return size;
}

/* From the first input on in a child: returns the input that ended it, or `total`. *progress is shared with the child. */
static inline long fuzz_child(long first, long runs, long total, volatile long *progress, int *status)
{
    pid_t pid;
    *progress = first;
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        struct itimerval limit;                     /* of the processor's time: a busy machine is no failure */
        uint8_t data[FUZZ_LENGTH];
        memset(&limit, 0, sizeof limit);
        limit.it_value.tv_sec = FUZZ_SECONDS;
        for (; *progress < total; ++*progress) {
            size_t size = fuzz_make(*progress, runs, data);
            uint8_t *exact = (uint8_t *)malloc(size);
            if (!exact) _exit(2);
            memcpy(exact, data, size);
            setitimer(ITIMER_VIRTUAL, &limit, NULL);
            LLVMFuzzerTestOneInput(exact, size);
            free(exact);
        }
        _exit(0);
    }
    if (pid < 0 || waitpid(pid, status, 0) != pid) {
        perror("fork");
        exit(2);
    }
    return *progress;
}

static inline int fuzz_replay(const char *file)
{
    FILE *in = fopen(file, "rb");
    uint8_t *data = (uint8_t *)malloc(1 << 20);
    size_t size;
    if (!in || !data) {
        perror(file);
        return 2;
    }
    size = fread(data, 1, 1 << 20, in);
    fclose(in);
    printf("%s: %lu bytes\n", file, (unsigned long)size);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 0;
}

int main(int argc, char **argv)
{
    const char *digit = argc > 1 ? argv[1] : "";
    long runs = sweep_count(FUZZ_RUNS), total, i;
    int  failed = 0, status = 0, k;
    FILE *shared;
    volatile long *progress;

    while (*digit >= '0' && *digit <= '9') ++digit;
    if (argc > 1 && *digit) {
        for (k = 1; k < argc; ++k)
            if (fuzz_replay(argv[k]) != 0) return 2;
        return 0;
    }
    if (argc > 1) runs = atol(argv[1]);
    /* as many changed bytes as random inputs, whole inputs only: at least one byte in all its values */
    total = runs + (runs/256 > 0 ? runs/256 : 1)*256;

    shared = tmpfile();
    if (!shared || ftruncate(fileno(shared), sizeof *progress) != 0) return perror("tmpfile"), 2;
    progress = (volatile long *)mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(shared), 0);
    if (progress == MAP_FAILED) return perror("mmap"), 2;

    for (i = 0; failed < FUZZ_FAILURES && (i = fuzz_child(i, runs, total, progress, &status)) < total; ++i) {
        uint8_t data[FUZZ_LENGTH];
        size_t  size = fuzz_make(i, runs, data);
        char    name[512];
        FILE   *out;
        snprintf(name, sizeof name, "%s.fail%d", argv[0], ++failed);
        out = fopen(name, "wb");
        if (!out || fwrite(data, 1, size, out) != size || fclose(out) != 0) perror(name);
        printf("FAIL input %ld%s: %s  (again: %s %s)\n", i,
               WIFSIGNALED(status) && WTERMSIG(status) == SIGVTALRM ? " takes too long" : "", name, argv[0], name);
    }
    printf("%ld inputs, %ld of them random, %d failed\n", i, i < runs ? i : runs, failed);
    printf("Pass: %d, fail: %d, skip: 0.\n", failed == 0, failed > 0);
    return failed > 0;
}

#endif /* DC_FUZZ_LIBFUZZER */
#endif /* DC_TEST_FUZZ_H_INCLUDED */
