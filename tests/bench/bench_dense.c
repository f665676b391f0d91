/* Dense factorisations and solves against the textbook's triple loops, n = 12, 60, 120, 250. Times per call; the matrix is copied
 * before each factorisation, in all entries alike. */
#include "bench.h"
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"

#define N_MAX 250

static dc_real general[N_MAX*N_MAX], spd[N_MAX*N_MAX], indefinite[N_MAX*N_MAX];     /* the matrices */
static dc_real A[N_MAX*N_MAX], F[N_MAX*N_MAX], B[N_MAX*N_MAX], b[N_MAX], w[N_MAX];
static int     piv[N_MAX], n;
static double  memory[(N_MAX + 8)*(N_MAX + 8)];

static void matrices(void)
{
    unsigned s = 12345;
    int      i, j;
    for (i = 0; i < n; i++) {
        for (j = 0; j < n; j++) {
            s = s*1664525u + 1013904223u;
            general[i*n + j] = (dc_real)((double)(s >> 8)/16777216.0 - 0.5);
        }
    }
    for (i = 0; i < n; i++) {
        for (j = 0; j < n; j++) {
            indefinite[i*n + j] = general[(i < j ? i : j)*n + (i < j ? j : i)];
            spd[i*n + j] = indefinite[i*n + j] + (dc_real)(i == j ? n : 0);
        }
    }
}

static void copy(dc_real *to, const dc_real *from) { memcpy(to, from, (size_t)(n*n)*sizeof *to); }
static void ones(void) { int i; for (i = 0; i < n; i++) b[i] = 1; }

/* ---- the loops of a textbook, rows innermost where that is possible ---- */

static void naive_lu_factor(void)
{
    int i, j, k, p;
    for (k = 0; k < n; k++) {
        for (p = k, i = k + 1; i < n; i++) if (dc_abs(A[i*n + k]) > dc_abs(A[p*n + k])) p = i;
        piv[k] = p;
        if (p != k) for (j = 0; j < n; j++) { dc_real t = A[k*n + j]; A[k*n + j] = A[p*n + j]; A[p*n + j] = t; }
        for (i = k + 1; i < n; i++) {
            dc_real l = A[i*n + k] /= A[k*n + k];
            for (j = k + 1; j < n; j++) A[i*n + j] -= l*A[k*n + j];
        }
    }
}

static void naive_lu_solve(void)
{
    int i, k;
    for (k = 0; k < n; k++) { dc_real t = b[k]; b[k] = b[piv[k]]; b[piv[k]] = t; }
    for (i = 0; i < n; i++) for (k = 0; k < i; k++) b[i] -= A[i*n + k]*b[k];
    for (i = n - 1; i >= 0; i--) {
        for (k = i + 1; k < n; k++) b[i] -= A[i*n + k]*b[k];
        b[i] /= A[i*n + i];
    }
}

static void naive_lu(void *user)
{
    (void)user;
    copy(A, general);
    ones();
    naive_lu_factor();
    naive_lu_solve();
    bench_keep((double)b[0]);
}

static void naive_cholesky(void *user)
{
    int i, j, k;
    (void)user;
    copy(A, spd);
    for (k = 0; k < n; k++) {
        dc_real d = A[k*n + k] = dc_sqrt(A[k*n + k]);
        for (j = k + 1; j < n; j++) A[k*n + j] /= d;
        for (i = k + 1; i < n; i++) for (j = i; j < n; j++) A[i*n + j] -= A[k*n + i]*A[k*n + j];
    }
    bench_keep((double)A[n*n - 1]);
}

static void naive_inverse(void *user)
{
    int i, j, k;
    (void)user;
    copy(A, general);
    naive_lu_factor();
    memset(B, 0, (size_t)(n*n)*sizeof *B);
    for (i = 0; i < n; i++) B[i*n + i] = 1;
    for (k = 0; k < n; k++)
        if (piv[k] != k) for (j = 0; j < n; j++) { dc_real t = B[k*n + j]; B[k*n + j] = B[piv[k]*n + j]; B[piv[k]*n + j] = t; }
    for (i = 0; i < n; i++) for (k = 0; k < i; k++) for (j = 0; j < n; j++) B[i*n + j] -= A[i*n + k]*B[k*n + j];
    for (i = n - 1; i >= 0; i--) {
        for (k = i + 1; k < n; k++) for (j = 0; j < n; j++) B[i*n + j] -= A[i*n + k]*B[k*n + j];
        for (j = 0; j < n; j++) B[i*n + j] /= A[i*n + i];
    }
    bench_keep((double)B[0]);
}

/* cyclic Jacobi, rows and columns, to convergence: what eigsym replaces */
static void naive_jacobi(void *user)
{
    int p, q, k, sweep;
    (void)user;
    copy(A, indefinite);
    memset(B, 0, (size_t)(n*n)*sizeof *B);
    for (k = 0; k < n; k++) B[k*n + k] = 1;
    for (sweep = 0; sweep < 30; sweep++) {
        dc_real off = 0, all = 0;
        for (p = 0; p < n; p++) for (q = 0; q < n; q++) { dc_real x = A[p*n + q]; all += x*x; if (p != q) off += x*x; }
        if (off <= DC_EPS*DC_EPS*all) break;
        for (p = 0; p < n; p++) {
            for (q = p + 1; q < n; q++) {
                dc_real x = A[p*n + q], theta, t, c, s;
                if (x == 0) continue;
                theta = (A[q*n + q] - A[p*n + p])/(2*x);
                t = 1/(dc_abs(theta) + dc_sqrt(theta*theta + 1));
                if (theta < 0) t = -t;
                c = 1/dc_sqrt(t*t + 1);
                s = t*c;
                for (k = 0; k < n; k++) { dc_real y = A[k*n + p], z = A[k*n + q]; A[k*n + p] = c*y - s*z; A[k*n + q] = s*y + c*z; }
                for (k = 0; k < n; k++) { dc_real y = A[p*n + k], z = A[q*n + k]; A[p*n + k] = c*y - s*z; A[q*n + k] = s*y + c*z; }
                for (k = 0; k < n; k++) { dc_real y = B[p*n + k], z = B[q*n + k]; B[p*n + k] = c*y - s*z; B[q*n + k] = s*y + c*z; }
            }
        }
    }
    bench_keep((double)A[0]);
}

/* ---- ours ---- */

static void lu(void *user)
{
    (void)user;
    copy(A, general);
    ones();
    dc_lu_factor(n, A, n, piv, NULL);
    dc_lu_solve(n, A, n, piv, 1, b, 1);
    bench_keep((double)b[0]);
}

static void inverse(void *user)
{
    int i;
    (void)user;
    copy(A, general);
    memset(B, 0, (size_t)(n*n)*sizeof *B);
    for (i = 0; i < n; i++) B[i*n + i] = 1;
    dc_lu_factor(n, A, n, piv, NULL);
    dc_lu_solve(n, A, n, piv, n, B, n);
    bench_keep((double)B[0]);
}

static void cholesky(void *user)
{
    (void)user;
    copy(A, spd);
    dc_chol_factor(n, A, n, NULL);
    bench_keep((double)A[n*n - 1]);
}

static void ldlt(void *user)
{
    (void)user;
    copy(A, indefinite);
    dc_ldlt_factor(n, A, n, piv, NULL);
    bench_keep((double)A[n*n - 1]);
}

static void eigsym(void *user)
{
    dc_arena arena = dc_arena_make(memory, sizeof memory);
    (void)user;
    dc_eigsym(n, indefinite, n, w, B, n, &arena);
    bench_keep((double)w[0]);
}

static void eigenvalues(void *user)
{
    dc_arena arena = dc_arena_make(memory, sizeof memory);
    (void)user;
    dc_eigsym(n, indefinite, n, w, NULL, 0, &arena);
    bench_keep((double)w[0]);
}

/* one right-hand side; F and piv hold the factor */
static void naive_solve(void *user) { (void)user; ones(); naive_lu_solve(); bench_keep((double)b[0]); }
static void lu_solve(void *user)    { (void)user; ones(); dc_lu_solve(n, F, n, piv, 1, b, 1); bench_keep((double)b[0]); }
static void lu_solve_t(void *user)  { (void)user; ones(); dc_lu_solve_t(n, F, n, piv, 1, b, 1); bench_keep((double)b[0]); }
static void chol_solve(void *user)  { (void)user; ones(); dc_chol_solve(n, B, n, 1, b, 1); bench_keep((double)b[0]); }

int main(int argc, char **argv)
{
    static const int sizes[4] = {12, 60, 120, 250};
    char name[5][32];
    int  k;
    bench_group g;

    bench_begin(argc, argv);
    for (k = 0; k < 4; k++) {
        n = sizes[k];
        matrices();

        snprintf(name[0], sizeof name[0], "lu_and_solve_%d", n);
        bench_open(&g, name[0]);
        bench_add(&g, "naive", naive_lu, NULL, 1);
        bench_add(&g, "dc", lu, NULL, 1);
        bench_run(&g);

        snprintf(name[1], sizeof name[1], "inverse_%d", n);
        bench_open(&g, name[1]);
        bench_add(&g, "naive", naive_inverse, NULL, 1);
        bench_add(&g, "dc", inverse, NULL, 1);
        bench_run(&g);

        snprintf(name[2], sizeof name[2], "symmetric_%d", n);
        bench_open(&g, name[2]);
        bench_add(&g, "naive_cholesky", naive_cholesky, NULL, 1);
        bench_add(&g, "cholesky", cholesky, NULL, 1);
        bench_add(&g, "ldlt", ldlt, NULL, 1);
        bench_run(&g);

        /* the same factor three times: the textbook's list of exchanges and ours differ, so this matrix needs none */
        snprintf(name[3], sizeof name[3], "one_solve_%d", n);
        copy(A, spd);
        naive_lu_factor();
        copy(F, spd);
        dc_lu_factor(n, F, n, piv, NULL);
        copy(B, spd);
        dc_chol_factor(n, B, n, NULL);
        bench_open(&g, name[3]);
        bench_add(&g, "naive", naive_solve, NULL, 1);
        bench_add(&g, "lu", lu_solve, NULL, 1);
        bench_add(&g, "lu_t", lu_solve_t, NULL, 1);
        bench_add(&g, "cholesky", chol_solve, NULL, 1);
        bench_run(&g);

        if (n > 60) continue;
        snprintf(name[4], sizeof name[4], "eigen_%d", n);
        bench_open(&g, name[4]);
        bench_add(&g, "jacobi", naive_jacobi, NULL, 1);
        bench_add(&g, "eigsym", eigsym, NULL, 1);
        bench_add(&g, "values_only", eigenvalues, NULL, 1);
        bench_run(&g);
    }
    return 0;
}
