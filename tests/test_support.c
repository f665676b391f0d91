/* The test support tests itself: above all, that the derivative checker rejects what is wrong. */
#include "greatest.h"
#include "support.h"

#include <math.h>
#include <string.h>

GREATEST_MAIN_DEFS();

/* ---- derivative checker ---- */

/* f = (sin x exp y, x y^2 + 1/x), and its Jacobian */
static void smooth(const double *x, double *f, void *user)
{
    (void)user;
    f[0] = sin(x[0])*exp(x[1]);
    f[1] = x[0]*x[1]*x[1] + 1/x[0];
}

static void smooth_jac(const double *x, double *J)
{
    J[0] = cos(x[0])*exp(x[1]);
    J[1] = sin(x[0])*exp(x[1]);
    J[2] = x[1]*x[1] - 1/(x[0]*x[0]);
    J[3] = 2*x[0]*x[1];
}

static void smooth_f(const double *x, double *f, void *user)
{
    (void)user;
    f[0] = (double)((float)sin(x[0])*(float)exp(x[1]));
    f[1] = (double)((float)(x[0]*x[1]*x[1]) + (float)(1/x[0]));
}

static void quadratic(const double *x, double *f, void *user) { (void)user; f[0] = 3*x[0]*x[0] + 0.1*x[0]; }
static void linear(const double *x, double *f, void *user) { (void)user; f[0] = 3*x[0]; }
static void kinked(const double *x, double *f, void *user) { (void)user; f[0] = x[0] + x[0]*fabs(x[0]); }
static void constant(const double *x, double *f, void *user) { (void)user; (void)x; f[0] = 7; }
static void broken(const double *x, double *f, void *user) { (void)user; f[0] = sqrt(x[0]); }

TEST fd_accepts_a_right_jacobian_of_order_two(void)
{
    const double x[2] = {0.7, -0.4};
    double J[4];
    fd_result r;
    smooth_jac(x, J);
    r = fd_check(smooth, NULL, 2, x, 2, J, 1e-2);
    ASSERT(r.err < 1e-11);
    ASSERT(fabs(r.order - 2) < 0.1);
    ASSERT(!r.bit_equal);
    PASS();
}

TEST fd_scale_does_not_matter(void)
{
    const double x[2] = {7e3, -0.4};
    double J[4];
    fd_result r;
    smooth_jac(x, J);
    r = fd_check(smooth, NULL, 2, x, 2, J, 1e-2);
    ASSERT(r.err < 1e-9);
    PASS();
}

TEST fd_rejects_one_wrong_entry(void)
{
    const double x[2] = {0.7, -0.4};
    double J[4], right[4];
    fd_result r;
    int i;
    smooth_jac(x, right);
    for (i = 0; i < 4; i++) {
        memcpy(J, right, sizeof J);
        J[i] *= 1 + 1e-4;
        r = fd_check(smooth, NULL, 2, x, 2, J, 1e-3);
        ASSERT(r.err > 1e-5);
        J[i] = -right[i];
        r = fd_check(smooth, NULL, 2, x, 2, J, 1e-3);
        ASSERT(r.err > 0.1);
        ASSERT(r.order < 0.5);
    }
    PASS();
}

TEST fd_rejects_a_transposed_jacobian(void)
{
    const double x[2] = {0.7, -0.4};
    double J[4], swap;
    smooth_jac(x, J);
    swap = J[1];
    J[1] = J[2];
    J[2] = swap;
    ASSERT(fd_check(smooth, NULL, 2, x, 2, J, 1e-2).err > 0.1);
    PASS();
}

TEST fd_rejects_zeros_and_nan(void)
{
    const double x[2] = {0.7, -0.4};
    double J[4] = {0, 0, 0, 0}, x0 = 1e-3, half = 0.5/sqrt(1e-3);
    ASSERT(fd_check(smooth, NULL, 2, x, 2, J, 1e-2).err >= 0.5);
    smooth_jac(x, J);
    J[3] = nan("");
    ASSERT(!(fd_check(smooth, NULL, 2, x, 2, J, 1e-2).err < 1e300));
    /* the steps leave the domain of the function */
    ASSERT(!(fd_check(broken, NULL, 1, &x0, 1, &half, 1e-2).err < 1e300));
    ASSERT(fd_check(broken, NULL, 1, &x0, 1, &half, 1e-4).err < 1e-10);
    PASS();
}

TEST fd_refuses_differences_given_as_derivatives(void)
{
    /* called through a pointer that the compiler cannot see through: an inlined copy may be contracted differently */
    fd_fun volatile f = smooth;
    const double x[2] = {0.7, -0.4}, h = 0.0078125;
    double J[4], z[2], up[2], down[2], J1 = 3;
    fd_result r;
    int i, j;
    for (j = 0; j < 2; j++) {
        memcpy(z, x, sizeof z);
        z[j] = x[j] + h;
        f(z, up, NULL);
        z[j] = x[j] - h;
        f(z, down, NULL);
        for (i = 0; i < 2; i++) J[2*i + j] = (up[i] - down[i])/((x[j] + h) - (x[j] - h));
    }
    r = fd_check(f, NULL, 2, x, 2, J, h);
    ASSERT_EQ(1, r.bit_equal);
    ASSERT(!(r.err < 1e300));
    z[0] = 1;
    r = fd_check(linear, NULL, 1, z, 1, &J1, h);
    ASSERT_EQ(1, r.bit_equal);
    PASS();
}

TEST fd_sees_the_kink_of_a_second_derivative(void)
{
    /* f' = 1 + 2|x| is right at 0, but differences come in with order 1 */
    double x = 0, J = 1;
    fd_result r = fd_check(kinked, NULL, 1, &x, 1, &J, 1e-2);
    ASSERT(r.order < 1.2);
    PASS();
}

TEST fd_orders_of_exact_cases(void)
{
    double x = 0.3, J = 6*0.3 + 0.1, zero = 0;
    fd_result r = fd_check(quadratic, NULL, 1, &x, 1, &J, 1e-2);
    ASSERT(r.err < 1e-11);
    ASSERT_EQ(2.0, r.order);
    r = fd_check(constant, NULL, 1, &x, 1, &zero, 1e-2);
    ASSERT_EQ(0.0, r.err);
    ASSERT_EQ(0, r.bit_equal);
    PASS();
}

TEST fd_in_single_precision(void)
{
    const double x[2] = {0.703125, -0.40625};
    double J[4];
    fd_result r;
    smooth_jac(x, J);
    r = fd_check(smooth_f, NULL, 2, x, 2, J, 0.0625);
    ASSERT(r.err < 2e-5);
    J[1] *= 1.01;
    r = fd_check(smooth_f, NULL, 2, x, 2, J, 0.0625);
    ASSERT(r.err > 1e-3);
    PASS();
}

/* ---- worst case ---- */

TEST worst_keeps_the_worst_and_its_inputs(void)
{
    worst w = worst_make("self test (FAIL is meant here)");
    ASSERT_EQ(0, worst_print(&w, 1.0));         /* nothing was added: not a pass */
    worst_add(&w, 0.5, "first %d", 1);
    worst_add(&w, 2.0, "second %d", 2);
    worst_add(&w, 1.0, "third %d", 3);
    ASSERT_EQ(3, w.count);
    ASSERT_EQ(2.0, w.err);
    ASSERT(strcmp(w.where, "second 2") == 0);
    ASSERT_EQ(1, worst_print(&w, 2.0));
    ASSERT_EQ(0, worst_print(&w, 1.9));
    worst_add(&w, nan(""), "fourth");
    worst_add(&w, 1e300, "fifth");
    ASSERT(strcmp(w.where, "fourth") == 0);
    ASSERT_EQ(0, worst_print(&w, HUGE_VAL));
    PASS();
}

/* ---- random numbers ---- */

TEST rng_is_the_same_everywhere(void)
{
    /* the first words of splitmix64 from seed 1234567, as published with the algorithm */
    rng r;
    rng_seed(&r, 1234567);
    ASSERT(rng_bits(&r) == UINT64_C(6457827717110365317));
    ASSERT(rng_bits(&r) == UINT64_C(3203168211198807973));
    PASS();
}

TEST rng_ranges_and_moments(void)
{
    rng r;
    double sum = 0, squares = 0, v[3], mean[3] = {0, 0, 0};
    int i, seen[3] = {0, 0, 0};
    rng_seed(&r, 1);
    for (i = 0; i < 20000; i++) {
        double u = rng_uniform(&r, -2, 3), n = rng_normal(&r), l = rng_log(&r, 1e-9, 1e2);
        int k = rng_int(&r, -1, 1);
        ASSERT(u >= -2 && u < 3);
        ASSERT(l >= 1e-9 && l <= 1e2);
        ASSERT(k >= -1 && k <= 1);
        seen[k + 1]++;
        sum += n;
        squares += n*n;
        rng_unit3(&r, v);
        ASSERT(fabs(v[0]*v[0] + v[1]*v[1] + v[2]*v[2] - 1) < 1e-14);
        mean[0] += v[0];
        mean[1] += v[1];
        mean[2] += v[2];
    }
    ASSERT(fabs(sum) < 5*sqrt(20000.0));
    ASSERT(fabs(squares/20000 - 1) < 0.06);
    for (i = 0; i < 3; i++) {
        ASSERT(fabs(mean[i]) < 5*sqrt(20000.0/3));
        ASSERT(seen[i] > 6300 && seen[i] < 7000);
    }
    ASSERT_EQ(5, rng_int(&r, 5, 5));
    PASS();
}

/* ---- tables ---- */

TEST table_reads_words_numbers_and_comments(void)
{
    table t;
    char word[64];
    double x[3];
    int i;
    ASSERT(table_open(&t, "support.txt"));
    ASSERT(table_expect(&t, "CASE"));
    ASSERT(table_word(&t, word));
    ASSERT(strcmp(word, "name#1") == 0);
    ASSERT(table_int(&t, &i));
    ASSERT_EQ(-3, i);
    ASSERT(table_reals(&t, x, 3));
    ASSERT(x[0] == 1.5 && x[1] == -2e-300 && x[2] > 1e308);
    ASSERT_EQ(5, t.line);
    /* the wrong kind is told apart; these print to standard error */
    ASSERT(!table_int(&t, &i));
    ASSERT(!table_real(&t, x));
    ASSERT(!table_expect(&t, "END"));
    ASSERT(!table_word(&t, word));
    ASSERT(!table_real(&t, x));
    table_close(&t);
    ASSERT(!table_open(&t, "no such file"));
    ASSERT(!table_word(&t, word));
    table_close(&t);
    PASS();
}

TEST sweep_is_never_empty(void)
{
    ASSERT(sweep_count(0) == 1);
    ASSERT(sweep_count(1000000) >= 1 && sweep_count(1000000) <= 1000000);
    ASSERT(sweep_short() == ((double)DC_TEST_SWEEP < 0.2));
    PASS();
}

SUITE(support)
{
    RUN_TEST(fd_accepts_a_right_jacobian_of_order_two);
    RUN_TEST(fd_scale_does_not_matter);
    RUN_TEST(fd_rejects_one_wrong_entry);
    RUN_TEST(fd_rejects_a_transposed_jacobian);
    RUN_TEST(fd_rejects_zeros_and_nan);
    RUN_TEST(fd_refuses_differences_given_as_derivatives);
    RUN_TEST(fd_sees_the_kink_of_a_second_derivative);
    RUN_TEST(fd_orders_of_exact_cases);
    RUN_TEST(fd_in_single_precision);
    RUN_TEST(worst_keeps_the_worst_and_its_inputs);
    RUN_TEST(rng_is_the_same_everywhere);
    RUN_TEST(rng_ranges_and_moments);
    RUN_TEST(table_reads_words_numbers_and_comments);
    RUN_TEST(sweep_is_never_empty);
}

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(support);
    GREATEST_MAIN_END();
}
