/* Dense algebra: backward errors, known eigenvalues, certificates of optimality, hostile input.
 *
 * Errors are measured in units of n DC_EPS and the size of the data, so that the bars are the same in double and float. Products
 * of factors and residuals are formed in long double; the reference for solutions is Gauss-Jordan with full pivoting. */
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"
#include "greatest.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

GREATEST_MAIN_DEFS();

typedef long double ref;

#define N_MAX 250
#define LD (N_MAX + 3)              /* a stride of its own, so that a mix-up with n shows */
#define M_MAX 9                     /* right-hand sides */

static dc_real A[N_MAX*LD], F[N_MAX*LD], V[N_MAX*LD], B[N_MAX*M_MAX], X[N_MAX*M_MAX], W[N_MAX];
static ref     P[N_MAX*N_MAX], Q[N_MAX*N_MAX];
static int     piv[N_MAX];
static double  memory[(N_MAX + 8)*(N_MAX + 8)];

static const ref EPS = (ref)DC_EPS;

static ref ref_abs(ref x) { return x < 0 ? -x : x; }
static ref ref_max(ref a, ref b) { return a > b ? a : b; }

/* sizes: all of 1..40, then 60, 120, 250; 0 ends; no 250 where sweeps are shortened */
static int next_size(int n)
{
    if (n < 40) return n + 1;
    return n == 40 ? 60 : n == 60 ? 120 : n == 120 && sweep_count(1000) >= 1000 ? 250 : 0;
}

/* ---- matrices ---- */

enum { GENERAL, GRADED, SYMMETRIC, SADDLE, GRADED_SYMMETRIC, LAPLACE, HILBERT, SPD, GRADED_SPD, KINDS };
static const char *const kind_name[KINDS] = {
    "general", "graded", "symmetric", "saddle", "graded symmetric", "laplace", "hilbert", "spd", "graded spd"
};
#define FIRST_SYMMETRIC SYMMETRIC
#define FIRST_SPD LAPLACE

static void generate(int kind, int n, dc_real *a, rng *r)
{
    static double d[N_MAX], e[N_MAX];
    int i, j, m = n - n/3;
    for (i = 0; i < n; i++) {
        d[i] = kind == GRADED || kind == GRADED_SYMMETRIC || kind == GRADED_SPD ? rng_log(r, 1e-12, 1e12) : 1;
        e[i] = kind == GRADED ? rng_log(r, 1e-12, 1e12) : d[i];
    }
    for (i = 0; i < n; i++) {
        for (j = 0; j < n; j++) {
            double x = rng_uniform(r, -1, 1);
            if (kind == HILBERT) x = 1.0/(i + j + 1);
            if (kind == LAPLACE) x = i == j ? 2 : i == j + 1 || j == i + 1 ? -1 : 0;
            if (kind == SADDLE && i >= m && j >= m) x = 0;
            /* diagonally dominant */
            if (kind >= SPD) x = i == j ? 1 + 0.01*x : 0.99*x/n;
            a[i*LD + j] = (dc_real)(d[i]*x*e[j]);
        }
    }
    if (kind >= FIRST_SYMMETRIC) for (i = 0; i < n; i++) for (j = 0; j < i; j++) a[i*LD + j] = a[j*LD + i];
}

static ref norm(int n, const dc_real *a)
{
    ref big = 0;
    int i, j;
    for (i = 0; i < n; i++) {
        ref sum = 0;
        for (j = 0; j < n; j++) sum += ref_abs((ref)a[i*LD + j]);
        big = ref_max(big, sum);
    }
    return big;
}

/* the copy F of A that a symmetric routine gets: NaN below the diagonal, which it must not look at */
static void copy_upper(int n)
{
    int i, j;
    memcpy(F, A, sizeof F);
    for (i = 0; i < n; i++) for (j = 0; j < i; j++) F[i*LD + j] = (dc_real)NAN;
}

static void mark_padding(int n)
{
    int i, j;
    for (i = 0; i < n; i++) for (j = n; j < LD; j++) F[i*LD + j] = (dc_real)(i*LD + j);
}

static int padding_kept(int n)
{
    int i, j;
    for (i = 0; i < n; i++) for (j = n; j < LD; j++) if (F[i*LD + j] != (dc_real)(i*LD + j)) return 0;
    return 1;
}

/* ---- factors ---- */

/* |P A - L U| and |L| <= 1 */
static ref lu_error(int n, int *bounded)
{
    ref big = 0;
    int i, j, k;
    *bounded = 1;
    for (i = 0; i < n; i++) {
        ref sum = 0;
        for (j = 0; j < n; j++) {
            ref x = (ref)A[piv[i]*LD + j];
            for (k = 0; k < i && k <= j; k++) x -= (ref)F[i*LD + k]*(ref)F[k*LD + j];
            if (i <= j) x -= (ref)F[i*LD + j];
            else if (dc_abs(F[i*LD + j]) > 1) *bounded = 0;
            sum += ref_abs(x);
        }
        big = ref_max(big, sum);
    }
    return big/(n*EPS*norm(n, A));
}

/* |A - L L^T|_ij / (n eps sqrt(A_ii A_jj)): blind to scaling of rows and columns */
static ref chol_error(int n)
{
    ref big = 0;
    int i, j, k;
    for (i = 0; i < n; i++) {
        for (j = 0; j <= i; j++) {
            ref x = (ref)A[i*LD + j];
            for (k = 0; k <= j; k++) x -= (ref)F[i*LD + k]*(ref)F[j*LD + k];
            big = ref_max(big, ref_abs(x)/(ref)sqrt((double)A[i*LD + i]*(double)A[j*LD + j]));
        }
    }
    return big/(n*EPS);
}

/* |P A P^T - L D L^T| */
static ref ldlt_error(int n)
{
    ref big = 0;
    int i, j, k;
    /* P = D L^T */
    for (k = 0; k < n; k++) {
        for (j = 0; j < n; j++) {
            ref l0 = j > k ? (ref)F[j*LD + k] : j == k ? 1 : 0;
            P[k*n + j] = (ref)F[k*LD + k]*l0;
            if (piv[k] < 0) P[k*n + j] += (ref)F[k*LD + k + 1]*(j > k + 1 ? (ref)F[j*LD + k + 1] : j == k + 1 ? 1 : 0);
            if (k > 0 && piv[k - 1] < 0)
                P[k*n + j] += (ref)F[(k - 1)*LD + k]*(j > k - 1 ? (ref)F[j*LD + k - 1] : j == k - 1 ? 1 : 0);
        }
    }
    for (i = 0; i < n; i++) {
        ref sum = 0;
        int pi = piv[i] < 0 ? ~piv[i] : piv[i];
        for (j = 0; j < n; j++) {
            int pj = piv[j] < 0 ? ~piv[j] : piv[j];
            ref x = (ref)A[pi*LD + pj];
            for (k = 0; k < i; k++) x -= (ref)F[i*LD + k]*P[k*n + j];
            sum += ref_abs(x - P[i*n + j]);
        }
        big = ref_max(big, sum);
    }
    return big > 0 ? big/(n*EPS*norm(n, A)) : 0;
}

/* largest |B - A X| / (n eps (|A| |X| + |B|)) over the columns; A^T if transposed */
static ref residual(int n, int m, int transposed)
{
    ref big = 0, a = norm(n, A);
    int i, j, k;
    if (transposed) {
        a = 0;
        for (j = 0; j < n; j++) {
            ref sum = 0;
            for (i = 0; i < n; i++) sum += ref_abs((ref)A[i*LD + j]);
            a = ref_max(a, sum);
        }
    }
    for (j = 0; j < m; j++) {
        ref r = 0, x = 0, b = 0;
        for (i = 0; i < n; i++) {
            ref sum = (ref)B[i*M_MAX + j];
            b = ref_max(b, ref_abs(sum));
            x = ref_max(x, ref_abs((ref)X[i*M_MAX + j]));
            for (k = 0; k < n; k++) sum -= (ref)(transposed ? A[k*LD + i] : A[i*LD + k])*(ref)X[k*M_MAX + j];
            r = ref_max(r, ref_abs(sum));
        }
        if (r > 0) big = ref_max(big, r/(a*x + b));
    }
    return big/(n*EPS);
}

static void right_hand_sides(int n, rng *r)
{
    int i;
    for (i = 0; i < n*M_MAX; i++) B[i] = (dc_real)rng_uniform(r, -1, 1);
    memcpy(X, B, sizeof X);
}

/* The column j of X solved alone, as a contiguous vector: takes other code than many columns. */
enum { CHOL, LDLT, LU, LU_T };
static dc_status solve(int how, int n, int m, dc_real *x, int ldx)
{
    switch (how) {
    case CHOL: return dc_chol_solve(n, F, LD, m, x, ldx);
    case LDLT: return dc_ldlt_solve(n, F, LD, piv, m, x, ldx);
    case LU:   return dc_lu_solve(n, F, LD, piv, m, x, ldx);
    default:   return dc_lu_solve_t(n, F, LD, piv, m, x, ldx);
    }
}

/* residuals of one vector and of m right-hand sides with the factor in F; -1 for a status that should not be */
static ref solve_error(int how, int n, int m, rng *r)
{
    static dc_real x[N_MAX];
    ref err;
    int i, j;
    right_hand_sides(n, r);
    if (solve(how, n, m, X, M_MAX) != DC_OK) return -1;
    for (i = 0; i < n; i++) for (j = m; j < M_MAX; j++) if (X[i*M_MAX + j] != B[i*M_MAX + j]) return -1;
    err = residual(n, m, how == LU_T);
    for (i = 0; i < n; i++) x[i] = B[i*M_MAX];
    if (solve(how, n, 1, x, 1) != DC_OK) return -1;
    for (i = 0; i < n; i++) X[i*M_MAX] = x[i];
    return ref_max(err, residual(n, 1, how == LU_T));
}

TEST lu_is_backward_stable(void)
{
    worst factor = worst_make("lu: |PA - LU| / (n eps |A|)"), solved = worst_make("lu: residual / (n eps (|A||x| + |b|))");
    rng r;
    int kind, n, bounded;
    rng_seed(&r, 1);
    for (kind = 0; kind < KINDS; kind++) {
        for (n = 1; n; n = next_size(n)) {
            int where = -7;
            generate(kind, n, A, &r);
            memcpy(F, A, sizeof F);
            mark_padding(n);
            ASSERT_EQ(DC_OK, dc_lu_factor(n, F, LD, piv, &where));
            ASSERT_EQ(-7, where);
            ASSERT(padding_kept(n));
            worst_add(&factor, (double)lu_error(n, &bounded), "%s n %d", kind_name[kind], n);
            ASSERT(bounded);
            {
                ref e = solve_error(LU, n, rng_int(&r, 1, M_MAX), &r), t = solve_error(LU_T, n, rng_int(&r, 1, M_MAX), &r);
                ASSERT(e >= 0 && t >= 0);
                worst_add(&solved, (double)e, "%s n %d", kind_name[kind], n);
                worst_add(&solved, (double)t, "%s n %d transposed", kind_name[kind], n);
            }
            ASSERT(padding_kept(n));
        }
    }
    ASSERT(worst_print(&factor, 0.4));
    ASSERT(worst_print(&solved, 1));
    PASS();
}

TEST chol_is_backward_stable(void)
{
    worst factor = worst_make("chol: |A - LL^T|_ij / (n eps sqrt(A_ii A_jj))");
    worst solved = worst_make("chol: residual / (n eps (|A||x| + |b|))");
    rng r;
    int kind, n, i, j;
    rng_seed(&r, 2);
    for (kind = FIRST_SPD; kind < KINDS; kind++) {
        for (n = 1; n; n = next_size(n)) {
            int       where = -7;
            dc_status s;
            ref       e;
            generate(kind, n, A, &r);
            copy_upper(n);
            mark_padding(n);
            s = dc_chol_factor(n, F, LD, &where);
            ASSERT(padding_kept(n));
            /* from some n on the Hilbert matrix is indefinite to working precision */
            if (kind == HILBERT && n > (DC_IS_FLOAT ? 5 : 10) && s == DC_E_SINGULAR) {
                ASSERT(where >= (DC_IS_FLOAT ? 5 : 10) && where < n);
                continue;
            }
            ASSERT_EQ(DC_OK, s);
            ASSERT_EQ(-7, where);
            worst_add(&factor, (double)chol_error(n), "%s n %d", kind_name[kind], n);
            for (i = 0; i < n; i++) for (j = 0; j < i; j++) ASSERT(F[i*LD + j] == F[j*LD + i]);
            e = solve_error(CHOL, n, rng_int(&r, 1, M_MAX), &r);
            ASSERT(e >= 0);
            worst_add(&solved, (double)e, "%s n %d", kind_name[kind], n);
        }
    }
    ASSERT(worst_print(&factor, 1));
    ASSERT(worst_print(&solved, 1));
    PASS();
}

TEST ldlt_is_backward_stable(void)
{
    worst factor = worst_make("ldlt: |PAP^T - LDL^T| / (n eps |A|)"), solved = worst_make("ldlt: residual / (n eps (|A||x| + |b|))");
    long  pairs = 0;
    rng r;
    int kind, n, k;
    rng_seed(&r, 3);
    for (kind = FIRST_SYMMETRIC; kind < KINDS; kind++) {
        for (n = 1; n; n = next_size(n)) {
            int where = -7;
            ref e;
            generate(kind, n, A, &r);
            copy_upper(n);
            mark_padding(n);
            ASSERT_EQ(DC_OK, dc_ldlt_factor(n, F, LD, piv, &where));
            ASSERT_EQ(-7, where);
            ASSERT(padding_kept(n));
            for (k = 0; k < n; k++) pairs += piv[k] < 0;
            worst_add(&factor, (double)ldlt_error(n), "%s n %d", kind_name[kind], n);
            e = solve_error(LDLT, n, rng_int(&r, 1, M_MAX), &r);
            ASSERT(e >= 0);
            worst_add(&solved, (double)e, "%s n %d", kind_name[kind], n);
        }
    }
    printf("ldlt: %ld 2x2 pivots\n", pairs);
    ASSERT(pairs > 500);
    ASSERT(worst_print(&factor, 0.4));
    ASSERT(worst_print(&solved, 1));
    PASS();
}

/* P <- inverse of A by Gauss-Jordan with full pivoting; returns its norm, 0 if singular */
static ref gauss_jordan(int n)
{
    static int row_of[N_MAX], used[N_MAX];
    ref big = 0;
    int i, j, k;
    for (i = 0; i < n; i++) {
        used[i] = 0;
        for (j = 0; j < n; j++) { Q[i*n + j] = (ref)A[i*LD + j]; P[i*n + j] = i == j; }
    }
    for (k = 0; k < n; k++) {
        int p = -1, c = -1;
        ref most = 0, d;
        for (i = 0; i < n; i++) {
            int taken = 0;
            for (j = 0; j < k; j++) taken = taken || used[j] == i;
            if (taken) continue;
            for (j = 0; j < n; j++) if (ref_abs(Q[i*n + j]) > most) { most = ref_abs(Q[i*n + j]); p = i; c = j; }
        }
        if (p < 0) return 0;
        used[k] = p;
        row_of[c] = p;
        d = Q[p*n + c];
        for (j = 0; j < n; j++) { Q[p*n + j] /= d; P[p*n + j] /= d; }
        for (i = 0; i < n; i++) {
            ref l = Q[i*n + c];
            if (i != p) for (j = 0; j < n; j++) { Q[i*n + j] -= l*Q[p*n + j]; P[i*n + j] -= l*P[p*n + j]; }
        }
    }
    for (i = 0; i < n; i++) for (j = 0; j < n; j++) Q[i*n + j] = P[row_of[i]*n + j];
    for (i = 0; i < n; i++) {
        ref sum = 0;
        for (j = 0; j < n; j++) sum += ref_abs(P[i*n + j] = Q[i*n + j]);
        big = ref_max(big, sum);
    }
    return big;
}

TEST solutions_agree_with_gauss_jordan(void)
{
    worst w = worst_make("all: |x - x_ref| / (n eps cond |x|)");
    rng r;
    int n, how, i, j, k;
    rng_seed(&r, 4);
    for (n = 1; n <= 40; n++) {
        for (how = CHOL; how <= LU_T; how++) {
            ref cond;
            generate(how == CHOL ? SPD : how == LDLT ? SYMMETRIC : GENERAL, n, A, &r);
            cond = gauss_jordan(n);
            ASSERT(cond > 0);
            cond *= norm(n, A);
            right_hand_sides(n, &r);
            memcpy(F, A, sizeof F);
            ASSERT_EQ(DC_OK, how == CHOL ? dc_chol_factor(n, F, LD, NULL) : how == LDLT ? dc_ldlt_factor(n, F, LD, piv, NULL)
                                                                                        : dc_lu_factor(n, F, LD, piv, NULL));
            ASSERT_EQ(DC_OK, solve(how, n, M_MAX, X, M_MAX));
            for (j = 0; j < M_MAX; j++) {
                ref err = 0, x = 0;
                for (i = 0; i < n; i++) {
                    ref sum = 0;
                    for (k = 0; k < n; k++) sum += (how == LU_T ? P[k*n + i] : P[i*n + k])*(ref)B[k*M_MAX + j];
                    x = ref_max(x, ref_abs(sum));
                    err = ref_max(err, ref_abs(sum - (ref)X[i*M_MAX + j]));
                }
                worst_add(&w, (double)(err/(n*EPS*cond*x)), "how %d n %d", how, n);
            }
        }
    }
    ASSERT(worst_print(&w, 1.5));
    PASS();
}

/* ---- singular and indefinite ---- */

TEST chol_names_the_pivot_that_fails(void)
{
    rng r;
    int n, k, i, j;
    rng_seed(&r, 5);
    for (n = 1; n <= 40; n++) {
        for (k = 0; k < n; k++) {
            int where = -7;
            generate(SPD, n, A, &r);
            /* row k pulled below what the rows before it leave of the diagonal: negative for certain, those before untouched */
            A[k*LD + k] = DC_R(-0.5);
            copy_upper(n);
            ASSERT_EQ(DC_E_SINGULAR, dc_chol_factor(n, F, LD, &where));
            ASSERT_EQ(k, where);
            /* a zero row */
            for (i = 0; i < n; i++) A[i*LD + k] = A[k*LD + i] = 0;
            copy_upper(n);
            where = -7;
            ASSERT_EQ(DC_E_SINGULAR, dc_chol_factor(n, F, LD, &where));
            ASSERT_EQ(k, where);
            copy_upper(n);
            ASSERT_EQ(DC_E_SINGULAR, dc_chol_factor(n, F, LD, NULL));
        }
    }
    /* all ones: rank one exactly */
    for (i = 0; i < 20; i++) for (j = 0; j < 20; j++) F[i*LD + j] = 1;
    ASSERT_EQ(DC_E_SINGULAR, dc_chol_factor(20, F, LD, &n));
    ASSERT_EQ(1, n);
    PASS();
}

TEST lu_finds_exact_singularity(void)
{
    rng r;
    int n, k, i, where;
    rng_seed(&r, 6);
    for (n = 1; n <= 40; n++) {
        for (k = 0; k < n; k++) {
            /* column k is zero: rows exchanges and elimination leave it so */
            generate(GENERAL, n, F, &r);
            for (i = 0; i < n; i++) F[i*LD + k] = 0;
            where = -7;
            ASSERT_EQ(DC_E_SINGULAR, dc_lu_factor(n, F, LD, piv, &where));
            ASSERT_EQ(k, where);
        }
    }
    /* two equal rows of small integers: exact, the last pivot is zero */
    {
        const dc_real a[9] = {1, 2, 4, 1, 2, 4, 2, 8, 2};
        dc_real f[9];
        memcpy(f, a, sizeof f);
        ASSERT_EQ(DC_E_SINGULAR, dc_lu_factor(3, f, 3, piv, &where));
        ASSERT_EQ(2, where);
    }
    PASS();
}

/* a factor with a zero pivot must not be divided by, and B stays */
TEST solves_refuse_zero_pivots(void)
{
    dc_real f[9] = {1, 0, 0, 0, 0, 0, 0, 0, 1}, b[3] = {1, 2, 3}, keep[3] = {1, 2, 3};
    int     p[3] = {0, 1, 2}, pair[3] = {0, ~1, 2};
    ASSERT_EQ(DC_E_SINGULAR, dc_chol_solve(3, f, 3, 1, b, 1));
    ASSERT_EQ(DC_E_SINGULAR, dc_ldlt_solve(3, f, 3, p, 1, b, 1));
    ASSERT_EQ(DC_E_SINGULAR, dc_ldlt_solve(3, f, 3, pair, 1, b, 1));
    ASSERT_EQ(DC_E_SINGULAR, dc_lu_solve(3, f, 3, p, 1, b, 1));
    ASSERT_EQ(DC_E_SINGULAR, dc_lu_solve_t(3, f, 3, p, 1, b, 1));
    ASSERT(memcmp(b, keep, sizeof b) == 0);
    PASS();
}

/* A = M diag(signs) M^T has the inertia of the signs (Sylvester), M well-conditioned */
TEST inertia_follows_sylvester(void)
{
    rng r;
    int n, i, j, k, round;
    rng_seed(&r, 7);
    for (n = 1; n; n = next_size(n)) {
        for (round = 0; round < (n <= 40 ? 4 : 1); round++) {
            int want[3] = {0, 0, 0}, got[3] = {-1, -1, -1};
            static int sign[N_MAX];
            for (i = 0; i < n; i++) {
                sign[i] = rng_int(&r, 0, 1) ? 1 : -1;
                want[sign[i] > 0 ? 0 : 1]++;
            }
            generate(SPD, n, V, &r);
            for (i = 0; i < n; i++) {
                for (j = i; j < n; j++) {
                    double sum = 0;
                    for (k = 0; k < n; k++) sum += (double)V[i*LD + k]*sign[k]*(double)V[j*LD + k];
                    A[i*LD + j] = A[j*LD + i] = (dc_real)sum;
                }
            }
            copy_upper(n);
            ASSERT_EQ(DC_OK, dc_ldlt_factor(n, F, LD, piv, NULL));
            ASSERT_EQ(DC_OK, dc_ldlt_inertia(n, F, LD, piv, got));
            ASSERT(memcmp(want, got, sizeof want) == 0);
        }
        /* saddle point with H positive definite, full rank constraints: n - m positive, m negative */
        {
            int m = n/3, got[3];
            generate(SADDLE, n, A, &r);
            for (i = 0; i < n - m; i++) A[i*LD + i] += (dc_real)n;
            copy_upper(n);
            ASSERT_EQ(DC_OK, dc_ldlt_factor(n, F, LD, piv, NULL));
            ASSERT_EQ(DC_OK, dc_ldlt_inertia(n, F, LD, piv, got));
            ASSERT_EQ(n - m, got[0]);
            ASSERT_EQ(m, got[1]);
            ASSERT_EQ(0, got[2]);
        }
    }
    PASS();
}

TEST ldlt_goes_on_past_zero_pivots(void)
{
    int n, k, where, in[3];
    rng r;
    rng_seed(&r, 8);
    for (n = 1; n <= 40; n++) {
        /* zero matrix */
        memset(F, 0, sizeof F);
        where = -7;
        ASSERT_EQ(DC_E_SINGULAR, dc_ldlt_factor(n, F, LD, piv, &where));
        ASSERT_EQ(0, where);
        ASSERT_EQ(DC_OK, dc_ldlt_inertia(n, F, LD, piv, in));
        ASSERT(in[0] == 0 && in[1] == 0 && in[2] == n);
        /* row and column k zero */
        generate(SYMMETRIC, n, A, &r);
        k = rng_int(&r, 0, n - 1);
        for (where = 0; where < n; where++) A[where*LD + k] = A[k*LD + where] = 0;
        copy_upper(n);
        ASSERT_EQ(DC_E_SINGULAR, dc_ldlt_factor(n, F, LD, piv, &where));
        ASSERT_EQ(k, piv[where]);
        ASSERT_EQ(DC_OK, dc_ldlt_inertia(n, F, LD, piv, in));
        ASSERT_EQ(1, in[2]);
        ASSERT(ldlt_error(n) < 5);
    }
    PASS();
}

/* Small diagonal entry, row r of the largest entry lambda = 1 far larger (sigma = 100): the 2x2 block of the two is singular,
 * and k alone is the pivot because of sigma. */
TEST ldlt_weighs_the_row_of_the_largest_entry(void)
{
    const dc_real a[9] = {DC_R(0.015625), 1, 0, 1, 64, 128, 0, 128, 1};
    int in[3], i;
    for (i = 0; i < 9; i++) A[i/3*LD + i%3] = a[i];
    copy_upper(3);
    ASSERT_EQ(DC_OK, dc_ldlt_factor(3, F, LD, piv, NULL));
    ASSERT_EQ(0, piv[0]);
    ASSERT((double)ldlt_error(3) < 0.4);
    ASSERT_EQ(DC_OK, dc_ldlt_inertia(3, F, LD, piv, in));
    ASSERT(in[0] == 2 && in[1] == 1 && in[2] == 0);
    PASS();
}

/* every symmetric 3x3 and 4x4 matrix of entries -1, 0, 1: all branches of the pivoting, ties included */
TEST ldlt_of_all_small_integer_matrices(void)
{
    worst w = worst_make("ldlt: all 3x3, 4x4 of -1, 0, 1: |PAP^T - LDL^T| / (n eps |A|)");
    int n, i, j, checked = 0;
    for (n = 3; n <= 4; n++) {
        long code, codes = n == 3 ? 729 : 59049;
        for (code = 0; code < codes; code++) {
            long      c = code;
            int       in[3], eig[3] = {0, 0, 0}, near_zero = 0;
            dc_status s;
            dc_arena  arena = dc_arena_make(memory, sizeof memory);
            for (i = 0; i < n; i++) for (j = i; j < n; j++, c /= 3) A[i*LD + j] = A[j*LD + i] = (dc_real)((int)(c%3) - 1);
            for (i = 0; i < n; i++) for (j = 0; j < n; j++) F[i*LD + j] = i <= j ? A[i*LD + j] : (dc_real)NAN;
            s = dc_ldlt_factor(n, F, LD, piv, NULL);
            ASSERT(s == DC_OK || s == DC_E_SINGULAR);
            if (code > 0) worst_add(&w, (double)ldlt_error(n), "n %d code %ld", n, code);
            ASSERT_EQ(DC_OK, dc_ldlt_inertia(n, F, LD, piv, in));
            ASSERT_EQ(s == DC_E_SINGULAR, in[2] > 0);
            ASSERT_EQ(DC_OK, dc_eigsym(n, A, LD, W, NULL, 0, &arena));
            for (i = 0; i < n; i++) {
                eig[W[i] > 0 ? 0 : 1]++;
                near_zero += dc_abs(W[i]) < 100*DC_EPS;
            }
            /* an eigenvalue of such a matrix is zero or above 1e-2 */
            if (near_zero) continue;
            checked++;
            ASSERT(in[0] == eig[0] && in[1] == eig[1] && in[2] == 0);
        }
    }
    ASSERT(checked > 30000);
    ASSERT(worst_print(&w, 0.4));
    PASS();
}

/* ---- eigenvalues ---- */

/* |A V - V w| and |V V^T - I| in n eps (|A|), rows of V */
static void eigen_errors(int n, ref *res, ref *orth)
{
    ref a = norm(n, A);
    int i, j, k;
    *res = *orth = 0;
    for (k = 0; k < n; k++) {
        for (i = 0; i < n; i++) {
            ref x = -(ref)W[k]*(ref)V[k*LD + i], o = i == k ? -1 : 0;
            for (j = 0; j < n; j++) {
                x += (ref)A[i*LD + j]*(ref)V[k*LD + j];
                o += (ref)V[i*LD + j]*(ref)V[k*LD + j];
            }
            *res = ref_max(*res, ref_abs(x));
            *orth = ref_max(*orth, ref_abs(o));
        }
    }
    if (a > 0) *res /= n*EPS*a;
    *orth /= n*EPS;
}

TEST eigenvectors_reproduce_the_matrix(void)
{
    worst res = worst_make("eigsym: |AV - Vw| / (n eps |A|)"), orth = worst_make("eigsym: |VV^T - I| / (n eps)");
    worst same = worst_make("eigsym: eigenvalues without vectors differ, / (n eps |A|)");
    rng r;
    int kind, n, i;
    rng_seed(&r, 9);
    /* kinds beyond the list: zero, diagonal, repeated eigenvalues (c I + u u^T), identity */
    for (kind = FIRST_SYMMETRIC; kind < KINDS + 4; kind++) {
        for (n = 1; n && n <= 120; n = next_size(n)) {
            dc_arena arena = dc_arena_make(memory, dc_eigsym_bytes(n));
            ref e, o;
            generate(kind < KINDS ? kind : SYMMETRIC, n, A, &r);
            if (kind >= KINDS) {
                dc_real u[N_MAX];
                int j;
                for (i = 0; i < n; i++) u[i] = A[i*LD];
                for (i = 0; i < n; i++)
                    for (j = 0; j < n; j++)
                        A[i*LD + j] = kind == KINDS + 2 ? (i == j ? 3 : 0) + u[i]*u[j]
                                    : i != j || kind == KINDS ? 0 : kind == KINDS + 1 ? u[i] : 1;
            }
            copy_upper(n);
            for (i = 0; i < N_MAX*LD; i++) V[i] = DC_R(0.25);
            ASSERT_EQ(DC_OK, dc_eigsym(n, F, LD, W, V, LD, &arena));
            ASSERT_EQ((size_t)0, arena.used);
            for (i = 1; i < n; i++) ASSERT(W[i - 1] <= W[i]);
            for (i = 0; i < n; i++) ASSERT(V[i*LD + n] == DC_R(0.25));
            eigen_errors(n, &e, &o);
            worst_add(&res, (double)e, "kind %d n %d", kind, n);
            worst_add(&orth, (double)o, "kind %d n %d", kind, n);
            /* eigenvalues alone */
            ASSERT_EQ(DC_OK, dc_eigsym(n, F, LD, X, NULL, 0, &arena));
            for (i = 0; i < n && norm(n, A) > 0; i++)
                worst_add(&same, (double)(ref_abs((ref)X[i] - (ref)W[i])/(n*EPS*norm(n, A))), "kind %d n %d", kind, n);
            /* in place */
            copy_upper(n);
            ASSERT_EQ(DC_OK, dc_eigsym(n, F, LD, X, F, LD, &arena));
            for (i = 0; i < n; i++) ASSERT(memcmp(F + i*LD, V + i*LD, (size_t)n*sizeof *F) == 0);
            ASSERT(memcmp(X, W, (size_t)n*sizeof *X) == 0);
        }
    }
    ASSERT(worst_print(&res, 2));
    ASSERT(worst_print(&orth, 4));
    ASSERT(worst_print(&same, 0));
    PASS();
}

/* second differences: 2 - 2 cos(k pi/(n+1)) = 4 sin^2(k pi/(2(n+1))), k = 1..n */
TEST eigenvalues_of_second_differences(void)
{
    worst w = worst_make("eigsym: second differences, |w - w_ref| / (eps max|w|)");
    rng r;
    int n, k;
    rng_seed(&r, 10);
    for (n = 1; n; n = next_size(n)) {
        dc_arena arena = dc_arena_make(memory, sizeof memory);
        generate(LAPLACE, n, A, &r);
        ASSERT_EQ(DC_OK, dc_eigsym(n, A, LD, W, n <= 120 ? V : NULL, LD, &arena));
        for (k = 0; k < n; k++) {
            double s = sin((k + 1)*3.14159265358979323846/(2.0*(n + 1)));
            worst_add(&w, fabs((double)W[k] - 4*s*s)/(4*(double)DC_EPS), "n %d k %d", n, k);
        }
    }
    ASSERT(worst_print(&w, 12));
    PASS();
}

/* scaling by a power of two is exact: same vectors, scaled values, bit by bit, to the ends of the range */
TEST eigenvalues_scale_exactly(void)
{
    static dc_real w0[40], v0[40*LD];
    const int far = DC_IS_FLOAT ? 96 : 960;         /* leaves room for the smallest eigenvalue and the largest */
    rng r;
    int n, i, j, e;
    rng_seed(&r, 11);
    for (n = 1; n <= 40; n += 3) {
        dc_arena arena = dc_arena_make(memory, sizeof memory);
        generate(SYMMETRIC, n, A, &r);
        ASSERT_EQ(DC_OK, dc_eigsym(n, A, LD, w0, v0, LD, &arena));
        for (e = -far; e <= far; e += far/8) {
            for (i = 0; i < n; i++) for (j = 0; j < n; j++) F[i*LD + j] = (dc_real)ldexp((double)A[i*LD + j], e);
            /* entries near the bottom may have lost bits */
            for (i = 0; i < n; i++) for (j = 0; j < n; j++) if (ldexp((double)F[i*LD + j], -e) != (double)A[i*LD + j]) i = j = N_MAX;
            if (i > n) continue;
            ASSERT_EQ(DC_OK, dc_eigsym(n, F, LD, W, V, LD, &arena));
            for (i = 0; i < n; i++) {
                ASSERT((double)W[i] == ldexp((double)w0[i], e));
                ASSERT(memcmp(V + i*LD, v0 + i*LD, (size_t)n*sizeof *V) == 0);
            }
        }
        /* subnormal: no NaN, sorted, orthogonal */
        for (i = 0; i < n; i++) for (j = 0; j < n; j++) A[i*LD + j] = (dc_real)ldexp((double)A[i*LD + j], DC_IS_FLOAT ? -140 : -1060);
        ASSERT_EQ(DC_OK, dc_eigsym(n, A, LD, W, V, LD, &arena));
        {
            ref res, orth;
            eigen_errors(n, &res, &orth);
            ASSERT(orth < 5);
        }
    }
    /* all entries the largest number: the eigenvalue n DC_REAL_MAX does not fit */
    for (i = 0; i < 3; i++) for (j = 0; j < 3; j++) A[i*LD + j] = DC_REAL_MAX;
    {
        dc_arena arena = dc_arena_make(memory, sizeof memory);
        W[0] = 77;
        ASSERT_EQ(DC_E_RANGE, dc_eigsym(3, A, LD, W, NULL, 0, &arena));
        ASSERT(W[0] == 77);
        ASSERT_EQ(DC_OK, dc_eigsym(1, A, LD, W, NULL, 0, &arena));
        ASSERT(W[0] == DC_REAL_MAX);
    }
    PASS();
}

/* matrices made to trouble the QL iteration */
TEST eigenvalues_of_awkward_matrices(void)
{
    worst res = worst_make("eigsym: awkward matrices, |AV - Vw| / (n eps |A|)");
    worst orth = worst_make("eigsym: awkward matrices, |VV^T - I| / (n eps)");
    int kind, n, i, j;
    for (kind = 0; kind < 6; kind++) {
        for (n = 2; n <= 60; n++) {
            dc_arena arena = dc_arena_make(memory, sizeof memory);
            ref e, o;
            for (i = 0; i < n; i++) {
                for (j = 0; j < n; j++) {
                    int    d = i > j ? i - j : j - i, m = i > j ? i : j;
                    double x = 0;
                    if (kind == 0) x = d == 1 ? 1 : d == 0 ? fabs(i - 0.5*(n - 1)) : 0;       /* Wilkinson: pairs that agree to rounding */
                    if (kind == 1) x = d == 1 ? 1 : 0;                                        /* zero diagonal */
                    if (kind == 2) x = i + j == n - 1;                                        /* eigenvalues +-1 only */
                    if (kind == 3) x = d <= 1 ? pow(10, -1.0*m) : 0;                          /* graded down */
                    if (kind == 4) x = d <= 1 ? pow(10, m - (double)n) : 0;                   /* graded up */
                    if (kind == 5) x = d == 0 ? 1 : pow(10, DC_IS_FLOAT ? -30 : -200);        /* coupling far below rounding */
                    A[i*LD + j] = (dc_real)x;
                }
            }
            ASSERT_EQ(DC_OK, dc_eigsym(n, A, LD, W, V, LD, &arena));
            eigen_errors(n, &e, &o);
            worst_add(&res, (double)e, "kind %d n %d", kind, n);
            worst_add(&orth, (double)o, "kind %d n %d", kind, n);
        }
    }
    ASSERT(worst_print(&res, 2));
    ASSERT(worst_print(&orth, 4));
    PASS();
}

/* ---- nearest matrix with eigenvalues >= least ----
 * C is the projection of A exactly when C - least I >= 0, N = C - A >= 0 and tr(N (C - least I)) = 0. */
TEST psd_clamp_is_the_nearest(void)
{
    worst low = worst_make("psd: (least - smallest eigenvalue) / (n eps max|w|)");
    worst up = worst_make("psd: -smallest eigenvalue of C - A / (n eps max|w|)");
    worst tr = worst_make("psd: tr((C - A)(C - least I)) / (n eps (max|w|)^2)");
    worst again = worst_make("psd: change of a second clamp / (n eps max|w|)");
    rng r;
    int kind, n, i, j;
    rng_seed(&r, 12);
    for (kind = FIRST_SYMMETRIC; kind < KINDS; kind++) {
        for (n = 1; n <= 60 && n; n = next_size(n)) {
            const double leasts[4] = {0, 1e-3, 0.7, -0.2};
            dc_arena arena = dc_arena_make(memory, dc_psd_clamp_bytes(n));
            dc_real  least;
            ref      scale, trace = 0, change = 0;
            generate(kind, n, A, &r);
            ASSERT_EQ(DC_OK, dc_eigsym(n, A, LD, W, NULL, 0, &arena));
            least = (dc_real)leasts[n%4]*dc_max(dc_abs(W[0]), dc_abs(W[n - 1]));
            scale = n*EPS*(ref)dc_max(dc_abs(W[0]), dc_abs(W[n - 1]));
            copy_upper(n);
            mark_padding(n);
            ASSERT_EQ(DC_OK, dc_psd_clamp(n, F, LD, least, &arena));
            ASSERT_EQ((size_t)0, arena.used);
            ASSERT(padding_kept(n));
            for (i = 0; i < n; i++) for (j = 0; j < i; j++) ASSERT(F[i*LD + j] == F[j*LD + i]);
            if (W[0] >= least) for (i = 0; i < n; i++) ASSERT(memcmp(F + i*LD, A + i*LD, (size_t)n*sizeof *F) == 0);
            /* V = C - A */
            for (i = 0; i < n; i++) {
                for (j = 0; j < n; j++) {
                    V[i*LD + j] = F[i*LD + j] - A[i*LD + j];
                    trace += ((ref)F[i*LD + j] - (ref)A[i*LD + j])*((ref)F[i*LD + j] - (i == j ? (ref)least : 0));
                }
            }
            ASSERT_EQ(DC_OK, dc_eigsym(n, F, LD, W, NULL, 0, &arena));
            worst_add(&low, (double)(((ref)least - (ref)W[0])/scale), "%s n %d least %g", kind_name[kind], n, (double)least);
            ASSERT_EQ(DC_OK, dc_eigsym(n, V, LD, W, NULL, 0, &arena));
            worst_add(&up, (double)(-(ref)W[0]/scale), "%s n %d least %g", kind_name[kind], n, (double)least);
            worst_add(&tr, (double)(ref_abs(trace)*n*EPS/(scale*scale)), "%s n %d least %g", kind_name[kind], n, (double)least);
            memcpy(V, F, sizeof V);
            ASSERT_EQ(DC_OK, dc_psd_clamp(n, F, LD, least, &arena));
            for (i = 0; i < n; i++) for (j = 0; j < n; j++) change = ref_max(change, ref_abs((ref)F[i*LD + j] - (ref)V[i*LD + j]));
            worst_add(&again, (double)(change/scale), "%s n %d least %g", kind_name[kind], n, (double)least);
        }
    }
    ASSERT(worst_print(&low, 4));
    ASSERT(worst_print(&up, 1));
    ASSERT(worst_print(&tr, 8));
    ASSERT(worst_print(&again, 3));
    PASS();
}

TEST psd_clamp_at_the_ends_of_the_range(void)
{
    dc_real  big = DC_REAL_MAX/16, a[4], keep[4];
    dc_arena arena = dc_arena_make(memory, sizeof memory);
    a[0] = a[3] = 0;
    a[1] = a[2] = big;
    ASSERT_EQ(DC_OK, dc_psd_clamp(2, a, 2, 0, &arena));
    ASSERT(fabs((double)(a[0]/big) - 0.5) < 4*(double)DC_EPS && fabs((double)(a[1]/big) - 0.5) < 4*(double)DC_EPS);
    a[0] = a[1] = a[2] = a[3] = -DC_REAL_MAX/2;
    memcpy(keep, a, sizeof a);
    ASSERT_EQ(DC_E_RANGE, dc_psd_clamp(2, a, 2, DC_REAL_MAX, &arena));
    ASSERT(memcmp(keep, a, sizeof a) == 0);
    PASS();
}

/* ---- overflow ---- */

TEST overflow_has_a_status(void)
{
    const dc_real big = DC_REAL_MAX, tiny = DC_REAL_MIN;
    dc_real f[4], b[2];
    int     p[2];
    /* L U of two huge rows: the second pivot is -1.5 big - .5 big */
    f[0] = big; f[1] = big; f[2] = -big/2; f[3] = big;
    ASSERT_EQ(DC_E_RANGE, dc_lu_factor(2, f, 2, p, NULL));
    f[0] = 1; f[1] = big; f[3] = -big;
    f[0] = big/2; f[1] = big; f[3] = -big;
    ASSERT_EQ(DC_E_RANGE, dc_ldlt_factor(2, f, 2, p, NULL));
    /* 1/tiny fits, big/tiny does not */
    f[0] = tiny; f[1] = f[2] = 0; f[3] = 1;
    b[0] = big; b[1] = 1;
    ASSERT_EQ(DC_OK, dc_lu_factor(2, f, 2, p, NULL));
    ASSERT_EQ(DC_E_RANGE, dc_lu_solve(2, f, 2, p, 1, b, 1));
    b[0] = 1;
    ASSERT_EQ(DC_OK, dc_lu_solve(2, f, 2, p, 1, b, 1));
    ASSERT(b[0] == 1/tiny);
    /* below the normal numbers 1/x would overflow where a/x does not */
    f[0] = tiny*DC_EPS; f[1] = f[2] = 0; f[3] = tiny*DC_EPS*4;
    b[0] = f[0]; b[1] = f[0];
    ASSERT_EQ(DC_OK, dc_ldlt_factor(2, f, 2, p, NULL));
    ASSERT_EQ(DC_OK, dc_ldlt_solve(2, f, 2, p, 1, b, 1));
    ASSERT(b[0] == 1 && b[1] == DC_R(0.25));
    /* 2x2 pivot of subnormal numbers */
    f[0] = 0; f[1] = tiny*DC_EPS; f[3] = 0;
    b[0] = f[1]; b[1] = 2*f[1];
    ASSERT_EQ(DC_OK, dc_ldlt_factor(2, f, 2, p, NULL));
    ASSERT(p[0] < 0);
    ASSERT_EQ(DC_OK, dc_ldlt_solve(2, f, 2, p, 1, b, 1));
    ASSERT(b[0] == 2 && b[1] == 1);
    /* indefinite beyond the range is still only indefinite */
    f[0] = tiny; f[1] = big; f[3] = 1;
    ASSERT_EQ(DC_E_SINGULAR, dc_chol_factor(2, f, 2, NULL));
    PASS();
}

/* Random entries over the whole range of exponents: whatever happens, never a number that is not finite with DC_OK */
TEST wild_numbers_never_pass_as_results(void)
{
    const int top = DC_IS_FLOAT ? 127 : 1023;
    long round, rounds = sweep_count(20000), ok = 0;
    rng r;
    rng_seed(&r, 13);
    for (round = 0; round < rounds; round++) {
        int n = rng_int(&r, 1, 7), how, i, j, spread = rng_int(&r, 0, top);
        dc_arena arena = dc_arena_make(memory, sizeof memory);
        for (i = 0; i < n; i++)
            for (j = i; j < n; j++)
                A[i*LD + j] = A[j*LD + i] = rng_int(&r, 0, 9) == 0 ? 0 : (dc_real)ldexp(rng_uniform(&r, -1, 1), rng_int(&r, -spread, spread));
        for (how = CHOL; how <= LU_T; how++) {
            dc_status s;
            dc_real   x[7];
            for (i = 0; i < n; i++) {
                memcpy(F + i*LD, A + i*LD, (size_t)n*sizeof *F);
                x[i] = (dc_real)ldexp(rng_uniform(&r, -1, 1), rng_int(&r, -spread, spread));
            }
            s = how == CHOL ? dc_chol_factor(n, F, LD, NULL) : how == LDLT ? dc_ldlt_factor(n, F, LD, piv, NULL)
                                                                           : dc_lu_factor(n, F, LD, piv, NULL);
            ASSERT(s == DC_OK || s == DC_E_SINGULAR || s == DC_E_RANGE);
            if (s != DC_OK) continue;
            for (i = 0; i < n; i++) for (j = 0; j < n; j++) ASSERT(dc_finite(F[i*LD + j]));
            s = solve(how, n, 1, x, 1);
            ASSERT(s == DC_OK || s == DC_E_RANGE);
            if (s != DC_OK) continue;
            ok++;
            for (i = 0; i < n; i++) ASSERT(dc_finite(x[i]));
        }
        {
            dc_status s = dc_eigsym(n, A, LD, W, V, LD, &arena);
            ASSERT(s == DC_OK || s == DC_E_RANGE);
            if (s == DC_OK)
                for (i = 0; i < n; i++) for (j = 0; j < n; j++) ASSERT(dc_finite(W[i]) && dc_finite(V[i*LD + j]));
        }
    }
    printf("wild numbers: %ld solutions of %ld\n", ok, 4*rounds);
    ASSERT(ok > rounds/2);
    PASS();
}

/* ---- hostile input ---- */

typedef struct { dc_real A[36], B[36], V[36], w[6]; int piv[6], where, inertia[3]; unsigned char mem[4096]; dc_arena arena; } state;
static state S, before;

static void state_reset(void)
{
    int i, j;
    memset(&S, 0, sizeof S);
    for (i = 0; i < 6; i++) {
        for (j = 0; j < 6; j++) { S.A[6*i + j] = i == j ? 3 : DC_R(0.25); S.B[6*i + j] = (dc_real)(i - j); S.V[6*i + j] = 1; }
        S.w[i] = 1;
        S.piv[i] = i;
    }
    S.arena = dc_arena_make(S.mem, sizeof S.mem);
}

/* the status, or -1 when anything at all was written */
static int untouched(dc_status s) { return memcmp(&S, &before, sizeof S) == 0 ? (int)s : -1; }
#define REFUSED(call) do { before = S; ASSERT_EQ((int)DC_E_ARG, untouched(call)); } while (0)

TEST bad_sizes_and_null_pointers(void)
{
    static const int sizes[][2] = { {0, 6}, {-1, 6}, {6, 5}, {6, 0}, {6, -6}, {-2147483647, 6}, {2147483647, 6} };
    size_t i;
    state_reset();
    for (i = 0; i < sizeof sizes/sizeof *sizes; i++) {
        int n = sizes[i][0], ld = sizes[i][1];
        REFUSED(dc_chol_factor(n, S.A, ld, &S.where));
        REFUSED(dc_ldlt_factor(n, S.A, ld, S.piv, &S.where));
        REFUSED(dc_lu_factor(n, S.A, ld, S.piv, &S.where));
        REFUSED(dc_chol_solve(n, S.A, ld, 1, S.B, 6));
        REFUSED(dc_ldlt_solve(n, S.A, ld, S.piv, 1, S.B, 6));
        REFUSED(dc_lu_solve(n, S.A, ld, S.piv, 1, S.B, 6));
        REFUSED(dc_lu_solve_t(n, S.A, ld, S.piv, 1, S.B, 6));
        REFUSED(dc_ldlt_inertia(n, S.A, ld, S.piv, S.inertia));
        REFUSED(dc_eigsym(n, S.A, ld, S.w, S.V, 6, &S.arena));
        REFUSED(dc_psd_clamp(n, S.A, ld, 0, &S.arena));
        if (n < 6) {
            ASSERT_EQ((size_t)0, dc_eigsym_bytes(n));
            ASSERT_EQ((size_t)0, dc_psd_clamp_bytes(n));
        }
    }
    REFUSED(dc_eigsym(6, S.A, 6, S.w, S.V, 5, &S.arena));
    for (i = 0; i < 3; i++) {
        const int rhs[3][2] = { {0, 6}, {7, 6}, {-1, 6} };
        int m = rhs[i][0], ldb = rhs[i][1];
        REFUSED(dc_chol_solve(6, S.A, 6, m, S.B, ldb));
        REFUSED(dc_ldlt_solve(6, S.A, 6, S.piv, m, S.B, ldb));
        REFUSED(dc_lu_solve(6, S.A, 6, S.piv, m, S.B, ldb));
        REFUSED(dc_lu_solve_t(6, S.A, 6, S.piv, m, S.B, ldb));
    }
    REFUSED(dc_chol_factor(6, NULL, 6, &S.where));
    REFUSED(dc_ldlt_factor(6, NULL, 6, S.piv, &S.where));
    REFUSED(dc_ldlt_factor(6, S.A, 6, NULL, &S.where));
    REFUSED(dc_lu_factor(6, NULL, 6, S.piv, &S.where));
    REFUSED(dc_lu_factor(6, S.A, 6, NULL, &S.where));
    REFUSED(dc_chol_solve(6, NULL, 6, 1, S.B, 1));
    REFUSED(dc_chol_solve(6, S.A, 6, 1, NULL, 1));
    REFUSED(dc_ldlt_solve(6, NULL, 6, S.piv, 1, S.B, 1));
    REFUSED(dc_ldlt_solve(6, S.A, 6, NULL, 1, S.B, 1));
    REFUSED(dc_ldlt_solve(6, S.A, 6, S.piv, 1, NULL, 1));
    REFUSED(dc_lu_solve(6, NULL, 6, S.piv, 1, S.B, 1));
    REFUSED(dc_lu_solve(6, S.A, 6, NULL, 1, S.B, 1));
    REFUSED(dc_lu_solve_t(6, S.A, 6, S.piv, 1, NULL, 1));
    REFUSED(dc_ldlt_inertia(6, S.A, 6, S.piv, NULL));
    REFUSED(dc_ldlt_inertia(6, S.A, 6, NULL, S.inertia));
    REFUSED(dc_ldlt_inertia(6, NULL, 6, S.piv, S.inertia));
    REFUSED(dc_eigsym(6, NULL, 6, S.w, S.V, 6, &S.arena));
    REFUSED(dc_eigsym(6, S.A, 6, NULL, S.V, 6, &S.arena));
    REFUSED(dc_eigsym(6, S.A, 6, S.w, S.V, 6, NULL));
    REFUSED(dc_psd_clamp(6, NULL, 6, 0, &S.arena));
    REFUSED(dc_psd_clamp(6, S.A, 6, 0, NULL));
    REFUSED(dc_psd_clamp(6, S.A, 6, (dc_real)NAN, &S.arena));
    REFUSED(dc_psd_clamp(6, S.A, 6, (dc_real)INFINITY, &S.arena));
    PASS();
}

TEST numbers_that_are_not_finite(void)
{
    const dc_real bad[3] = {(dc_real)NAN, (dc_real)INFINITY, -(dc_real)INFINITY};
    int v, i, j;
    for (v = 0; v < 3; v++) {
        for (i = 0; i < 6; i++) {
            for (j = 0; j < 6; j++) {
                state_reset();
                S.A[6*i + j] = bad[v];
                REFUSED(dc_lu_factor(6, S.A, 6, S.piv, &S.where));
                REFUSED(dc_lu_solve(6, S.A, 6, S.piv, 1, S.B, 1));
                REFUSED(dc_lu_solve_t(6, S.A, 6, S.piv, 1, S.B, 1));
                if (i >= j) {
                    REFUSED(dc_chol_solve(6, S.A, 6, 1, S.B, 1));
                    REFUSED(dc_ldlt_solve(6, S.A, 6, S.piv, 1, S.B, 1));
                    REFUSED(dc_ldlt_inertia(6, S.A, 6, S.piv, S.inertia));
                }
                if (i <= j) {
                    REFUSED(dc_chol_factor(6, S.A, 6, &S.where));
                    REFUSED(dc_ldlt_factor(6, S.A, 6, S.piv, &S.where));
                    REFUSED(dc_eigsym(6, S.A, 6, S.w, S.V, 6, &S.arena));
                    REFUSED(dc_psd_clamp(6, S.A, 6, 0, &S.arena));
                }
                state_reset();
                S.B[6*i + j] = bad[v];
                REFUSED(dc_lu_solve(6, S.A, 6, S.piv, 6, S.B, 6));
                REFUSED(dc_lu_solve_t(6, S.A, 6, S.piv, 6, S.B, 6));
                REFUSED(dc_chol_solve(6, S.A, 6, 6, S.B, 6));
                REFUSED(dc_ldlt_solve(6, S.A, 6, S.piv, 6, S.B, 6));
            }
        }
        /* the off-diagonal entry of a 2x2 block */
        state_reset();
        S.piv[2] = ~2;
        S.A[6*2 + 3] = bad[v];
        REFUSED(dc_ldlt_solve(6, S.A, 6, S.piv, 1, S.B, 1));
        REFUSED(dc_ldlt_inertia(6, S.A, 6, S.piv, S.inertia));
    }
    PASS();
}

TEST pivot_lists_that_are_none(void)
{
    static const int lists[][6] = {
        {0, 1, 2, 3, 4, 6}, {6, 1, 2, 3, 4, 5}, {2147483647, 1, 2, 3, 4, 5}, {0, 0, 2, 3, 4, 5}, {1, 1, 1, 1, 1, 1},
        {0, 1, 2, 3, 4, 4}, {0, 1, 2, 3, 4, ~5}, {0, ~1, ~2, 3, 4, 5}, {0, 1, ~(int)2147483647, 3, 4, 5}
    };
    size_t i;
    for (i = 0; i < sizeof lists/sizeof *lists; i++) {
        state_reset();
        memcpy(S.piv, lists[i], sizeof S.piv);
        REFUSED(dc_lu_solve(6, S.A, 6, S.piv, 1, S.B, 1));
        REFUSED(dc_lu_solve_t(6, S.A, 6, S.piv, 1, S.B, 1));
        REFUSED(dc_ldlt_solve(6, S.A, 6, S.piv, 1, S.B, 1));
        REFUSED(dc_ldlt_inertia(6, S.A, 6, S.piv, S.inertia));
    }
    PASS();
}

/* A list that repeats rows may pass for some other permutation, but nothing outside the arrays is touched, and the solution stays
 * finite: the factor is the identity, so each call permutes B and permutes it back, or permutes it. */
TEST any_pivot_list_is_safe(void)
{
    long round, rounds = sweep_count(20000), refused = 0;
    rng r;
    int i;
    rng_seed(&r, 16);
    for (round = 0; round < rounds; round++) {
        dc_status s;
        state_reset();
        for (i = 0; i < 36; i++) S.A[i] = i%7 == 0;
        for (i = 0; i < 6; i++) {
            S.piv[i] = rng_int(&r, round%2 ? 0 : -7, round%3 ? 5 : 6);
            S.A[6*i + (i < 5 ? i + 1 : 0)] = (dc_real)(S.piv[i] < 0 ? DC_R(0.5) : 0);
        }
        before = S;
        s = round%4 ? dc_ldlt_solve(6, S.A, 6, S.piv, 6, S.B, 6) : dc_lu_solve(6, S.A, 6, S.piv, 6, S.B, 6);
        refused += s == DC_E_ARG;
        if (s == DC_E_ARG) ASSERT_EQ((int)DC_E_ARG, untouched(s));
        else for (i = 0; i < 36; i++) ASSERT(dc_finite(S.B[i]));
        ASSERT(memcmp(S.V, before.V, sizeof S.V) == 0 && memcmp(S.A, before.A, sizeof S.A) == 0);
    }
    ASSERT(refused > rounds/2 && refused < rounds);
    PASS();
}

/* every size of arena below the stated one is refused, the stated one does at any address */
TEST arena_sizes_are_exact(void)
{
    int n, shift;
    for (n = 1; n <= 6; n++) {
        size_t need = dc_eigsym_bytes(n), size;
        ASSERT(need > 0 && need == dc_psd_clamp_bytes(n) && need < sizeof S.mem - 64);
        state_reset();
        for (size = 0; size < need - 63; size++) {
            S.arena = dc_arena_make(S.mem, size);
            before = S;
            {
                dc_status s = dc_eigsym(n, S.A, 6, S.w, S.V, 6, &S.arena);
                if (s == DC_OK) { ASSERT(size + 64 + 64*4 > need); break; }     /* a lucky address saves the alignment */
                ASSERT_EQ((int)DC_E_MEMORY, untouched(s));
            }
            ASSERT_EQ((int)DC_E_MEMORY, untouched(dc_psd_clamp(n, S.A, 6, 5, &S.arena)));
        }
        for (shift = 0; shift < 64; shift++) {
            state_reset();
            S.arena = dc_arena_make(S.mem + shift, need);
            ASSERT_EQ(DC_OK, dc_eigsym(n, S.A, 6, S.w, S.V, 6, &S.arena));
            ASSERT_EQ(DC_OK, dc_psd_clamp(n, S.A, 6, 5, &S.arena));
            ASSERT_EQ((size_t)0, S.arena.used);
        }
    }
    PASS();
}

/* ---- 3x3 ---- */

static dc_m3 random3(rng *r, double scale)
{
    dc_m3 a;
    int i;
    for (i = 0; i < 9; i++) a.m[i] = (dc_real)(scale*rng_uniform(r, -1, 1));
    return a;
}

TEST small_matrices(void)
{
    worst inv = worst_make("m3_inv: |A A^-1 - I| / (eps |A||A^-1|)"), mul = worst_make("m3_mul, det, outer, skew against sums / eps");
    long round, rounds = sweep_count(20000);
    rng r;
    int i, j, k;
    rng_seed(&r, 14);
    for (round = 0; round < rounds; round++) {
        double scale = DC_IS_FLOAT ? rng_log(&r, 1e-9, 1e9) : rng_log(&r, 1e-60, 1e60);
        dc_m3  a = random3(&r, scale), b = random3(&r, 1), c = dc_m3_mul(&a, &b), t = dc_m3_t(&a), x;
        dc_v3  u = dc_vec(b.m[0], b.m[1], b.m[2]), v = dc_vec(b.m[3], b.m[4], b.m[5]), s, z;
        double det = 0, na = 0, nx = 0, e = 0;
        for (i = 0; i < 3; i++) {
            for (j = 0; j < 3; j++) {
                double sum = 0;
                for (k = 0; k < 3; k++) sum += (double)a.m[3*i + k]*(double)b.m[3*k + j];
                worst_add(&mul, fabs((double)c.m[3*i + j] - sum)/(scale*(double)DC_EPS), "mul");
                ASSERT(t.m[3*j + i] == a.m[3*i + j]);
            }
            det += (double)b.m[i]*((double)b.m[3 + (i + 1)%3]*(double)b.m[6 + (i + 2)%3] - (double)b.m[3 + (i + 2)%3]*(double)b.m[6 + (i + 1)%3]);
        }
        worst_add(&mul, fabs((double)dc_m3_det(&b) - det)/(double)DC_EPS, "det");
        /* [u] v = u x v, (u v^T) v = (v.v) u */
        x = dc_m3_skew(u);
        s = dc_sub(dc_mul(&x, v), dc_cross(u, v));
        worst_add(&mul, fabs((double)s.x) + fabs((double)s.y) + fabs((double)s.z), "skew");
        x = dc_outer(u, v);
        z = dc_sub(dc_mul(&x, v), dc_scale(dc_dot(v, v), u));
        worst_add(&mul, (fabs((double)z.x) + fabs((double)z.y) + fabs((double)z.z))/(double)DC_EPS, "outer");

        if (dc_m3_inv(&a, &x) != DC_OK) continue;
        for (i = 0; i < 9; i++) { na = fmax(na, fabs((double)a.m[i])); nx = fmax(nx, fabs((double)x.m[i])); }
        for (i = 0; i < 3; i++) {
            for (j = 0; j < 3; j++) {
                double sum = i == j ? -1 : 0;
                for (k = 0; k < 3; k++) sum += (double)a.m[3*i + k]*(double)x.m[3*k + j];
                e = fmax(e, fabs(sum));
            }
        }
        worst_add(&inv, e/((double)DC_EPS*na*nx), "scale %g det %g", scale, (double)dc_m3_det(&a)/scale/scale/scale);
    }
    ASSERT(worst_print(&mul, 12));
    ASSERT(worst_print(&inv, 8));
    ASSERT(inv.count > rounds - 5);
    PASS();
}

TEST small_inverse_refuses(void)
{
    const dc_real bad[3] = {(dc_real)NAN, (dc_real)INFINITY, -(dc_real)INFINITY};
    rng   r;
    dc_m3 a, x, keep;
    int   i, v;
    rng_seed(&r, 15);
    keep = x = random3(&r, 1);
    for (i = 0; i < 9; i++) {
        for (v = 0; v < 3; v++) {
            a = keep;
            a.m[i] = bad[v];
            ASSERT_EQ(DC_E_ARG, dc_m3_inv(&a, &x));
        }
    }
    ASSERT_EQ(DC_E_ARG, dc_m3_inv(NULL, &x));
    ASSERT_EQ(DC_E_ARG, dc_m3_inv(&keep, NULL));
    memset(&a, 0, sizeof a);
    ASSERT_EQ(DC_E_SINGULAR, dc_m3_inv(&a, &x));
    for (i = 0; i < 1000; i++) {
        /* rank two up to rounding, rows of very different size */
        a = random3(&r, 1);
        for (v = 0; v < 3; v++) { a.m[6 + v] = DC_R(0.5)*a.m[v] + DC_R(0.5)*a.m[3 + v]; a.m[v] *= DC_R(1e-6); }
        if (dc_m3_inv(&a, &x) != DC_OK) ASSERT(memcmp(&x, &keep, sizeof x) == 0);
        else x = keep;
        a = dc_outer(dc_vec(a.m[0], a.m[1], a.m[2]), dc_vec(a.m[3], a.m[4], a.m[5]));
        ASSERT_EQ(DC_E_SINGULAR, dc_m3_inv(&a, &x));
        a = dc_m3_skew(dc_vec(a.m[0], a.m[1], a.m[2]));
        ASSERT_EQ(DC_E_SINGULAR, dc_m3_inv(&a, &x));
    }
    ASSERT(memcmp(&x, &keep, sizeof x) == 0);
    /* the inverse of a subnormal matrix does not fit */
    memset(&a, 0, sizeof a);
    a.m[0] = a.m[4] = a.m[8] = DC_REAL_MIN*DC_EPS;
    ASSERT_EQ(DC_E_RANGE, dc_m3_inv(&a, &x));
    ASSERT(memcmp(&x, &keep, sizeof x) == 0);
    /* badly scaled is not singular; in place */
    a.m[0] = DC_R(1e-12);
    a.m[4] = 1;
    a.m[8] = DC_R(1e12);
    ASSERT_EQ(DC_OK, dc_m3_inv(&a, &a));
    ASSERT(fabs((double)a.m[0] - 1e12) < 1e12*4*(double)DC_EPS && a.m[4] == 1 && fabs((double)a.m[8]*1e12 - 1) < 4*(double)DC_EPS);
    PASS();
}

SUITE(dense)
{
    RUN_TEST(lu_is_backward_stable);
    RUN_TEST(chol_is_backward_stable);
    RUN_TEST(ldlt_is_backward_stable);
    RUN_TEST(solutions_agree_with_gauss_jordan);
    RUN_TEST(chol_names_the_pivot_that_fails);
    RUN_TEST(lu_finds_exact_singularity);
    RUN_TEST(solves_refuse_zero_pivots);
    RUN_TEST(inertia_follows_sylvester);
    RUN_TEST(ldlt_goes_on_past_zero_pivots);
    RUN_TEST(ldlt_weighs_the_row_of_the_largest_entry);
    RUN_TEST(ldlt_of_all_small_integer_matrices);
    RUN_TEST(eigenvectors_reproduce_the_matrix);
    RUN_TEST(eigenvalues_of_second_differences);
    RUN_TEST(eigenvalues_scale_exactly);
    RUN_TEST(eigenvalues_of_awkward_matrices);
    RUN_TEST(psd_clamp_is_the_nearest);
    RUN_TEST(psd_clamp_at_the_ends_of_the_range);
    RUN_TEST(overflow_has_a_status);
    RUN_TEST(wild_numbers_never_pass_as_results);
    RUN_TEST(bad_sizes_and_null_pointers);
    RUN_TEST(numbers_that_are_not_finite);
    RUN_TEST(pivot_lists_that_are_none);
    RUN_TEST(any_pivot_list_is_safe);
    RUN_TEST(arena_sizes_are_exact);
    RUN_TEST(small_matrices);
    RUN_TEST(small_inverse_refuses);
}

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(dense);
    GREATEST_MAIN_END();
}
