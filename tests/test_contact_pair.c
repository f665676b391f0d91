/* Pair potentials against the high-precision tables, and what the papers prove of them. */
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "greatest.h"
#include "support.h"

#define EPS ((double)DC_EPS)
#define MOST 40                    /* vertices of the largest table case */

/* ---- tables ------------------------------------------------------------------------------------- */

typedef struct {
    char name[64], type[64];
    double param, gap, cond[4], plane[5], value;
    int na, nb, n, has_hess;
    double x[3*MOST], grad[3*MOST], hess[9*MOST*MOST], hv[2][2][3*MOST], diag[3*MOST];
    double o[6], tgrad[12], thess[144];
} pair_case;

static void upper(table *t, double *H, size_t n)
{
    size_t i, j;
    for (i = 0; i < n; ++i)
        for (j = i; j < n; ++j) {
            table_real(t, &H[i*n + j]);
            H[j*n + i] = H[i*n + j];
        }
}

static int read_case(table *t, pair_case *c)
{
    char word[64];
    int ok, n;
    size_t N;
    if (!table_word(t, word)) return 0;
    ok = strcmp(word, "CASE") == 0 && table_word(t, c->name) && table_expect(t, "TYPE") && table_word(t, c->type)
        && table_expect(t, "PARAM") && table_real(t, &c->param) && table_expect(t, "COUNT") && table_int(t, &c->na)
        && table_int(t, &c->nb);
    if (!ok || c->na + c->nb > MOST) return 0;
    c->n = c->na + c->nb;
    N = 3*(size_t)c->n;
    ok = table_expect(t, "X") && table_reals(t, c->x, N) && table_expect(t, "GAP") && table_real(t, &c->gap)
        && table_expect(t, "COND") && table_reals(t, c->cond, 4) && table_expect(t, "PLANE") && table_reals(t, c->plane, 5)
        && table_expect(t, "VALUE") && table_real(t, &c->value) && table_expect(t, "GRAD") && table_reals(t, c->grad, N)
        && table_expect(t, "HESS") && table_word(t, word);
    if (!ok) return 0;
    c->has_hess = strcmp(word, "FULL") == 0;
    table_int(t, &n);
    if (c->has_hess) upper(t, c->hess, N);
    else {
        for (n = 0; n < 2; ++n) {
            table_expect(t, "V");
            table_reals(t, c->hv[n][0], N);
            table_expect(t, "HVV");
            table_reals(t, c->hv[n][1], N);
        }
        table_expect(t, "DIAG");
        table_reals(t, c->diag, N);
    }
    if (!table_expect(t, "TWIST") || !table_reals(t, c->o, 6) || !table_reals(t, c->tgrad, 12)) return 0;
    upper(t, c->thess, 12);
    return table_expect(t, "END");
}

/* largest difference over the largest entry of `want`; 0/0 is 0 */
static double relative(const dc_real *got, const double *want, size_t n)
{
    double d = 0, m = 0;
    size_t i;
    for (i = 0; i < n; ++i) {
        double e = fabs((double)got[i] - want[i]);
        if (!(e <= d)) d = e;
        m = fmax(m, fabs(want[i]));
    }
    return d == 0 ? 0 : d/m;
}

static void multiply(const dc_real *H, const double *v, dc_real *Hv, size_t n)
{
    size_t i, j;
    for (i = 0; i < n; ++i) {
        double s = 0;
        for (j = 0; j < n; ++j) s += (double)H[i*n + j]*v[j];
        Hv[i] = (dc_real)s;
    }
}

static unsigned char memory[1 << 17];

/* Every case of a table: error over eps (1 + condition), the bar is K = 100. */
static enum greatest_test_res pair_table(const char *file)
{
    static pair_case c;
    static dc_real grad[3*MOST], hess[9*MOST*MOST], out[3*MOST];
    static dc_v3 x[MOST], local[MOST];
    worst wv = worst_make("value"), wg = worst_make("gradient"), wh = worst_make("Hessian");
    worst wtg = worst_make("twist gradient"), wth = worst_make("twist Hessian");
    int cases = 0, skipped = 0, most = 0, k;
    table t;

    ASSERT(table_open(&t, file));
    while (read_case(&t, &c)) {
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        dc_pair_options o = DC_ZERO;
        dc_pair_info info;
        dc_plane plane = DC_ZERO;
        dc_hull a, b;
        dc_pose pa = DC_ZERO, pb = DC_ZERO;
        dc_real v, tg[12], th[144];
        double e = EPS, far = 0;
        size_t N = 3*(size_t)c.n;
        dc_status s;

        for (k = 0; k < c.n; ++k) {
            x[k] = dc_vec((dc_real)c.x[3*k], (dc_real)c.x[3*k + 1], (dc_real)c.x[3*k + 2]);
            far = fmax(far, fmax(fabs(c.x[3*k]), fmax(fabs(c.x[3*k + 1]), fabs(c.x[3*k + 2]))));
        }
        ++cases;
        /* float: the vertices as rounded have another gap */
        if (DC_IS_FLOAT && c.gap < 100*EPS*far) {
            ++skipped;
            printf("  %s: gap below 100 eps of the coordinates\n", c.name);
            continue;
        }
        /* an offset is lost to the rounding of the float input, not to the computation */
        if (DC_IS_FLOAT) e *= fmax(1, far/c.cond[3]);
        a.v = x;  a.n = c.na;
        b.v = x + c.na;  b.n = c.nb;
        if (strcmp(c.type, "LRI") == 0) o.c = (dc_real)c.param;
        else {
            o.barrier = DC_LOCAL;
            o.s = (dc_real)c.param;
        }
        s = dc_pair(&o, &a, &b, &mem, &plane, &v, grad, hess, &info);
        if (s != DC_OK) printf("  %s: %s\n", c.name, dc_status_text(s));
        ASSERT_EQ(s, DC_OK);
        ASSERT_EQ(mem.used, (size_t)0);
        most = info.iterations > most ? info.iterations : most;
        if (c.value == 0) {
            ASSERT(v == 0);
            for (k = 0; k < (int)N; ++k) ASSERT(grad[k] == 0 && hess[k] == 0);
        }
        worst_add(&wv, fabs((double)v - c.value)/(c.value == 0 ? 1 : c.value)/(e*(1 + c.cond[0])), "%s", c.name);
        worst_add(&wg, relative(grad, c.grad, N)/(e*(1 + c.cond[1])), "%s", c.name);
        if (c.has_hess) worst_add(&wh, relative(hess, c.hess, N*N)/(e*(1 + c.cond[2])), "%s", c.name);
        else {
            for (k = 0; k < 2; ++k) {
                multiply(hess, c.hv[k][0], out, N);
                worst_add(&wh, relative(out, c.hv[k][1], N)/(e*(1 + c.cond[2])), "%s HV", c.name);
            }
            for (k = 0; k < (int)N; ++k) out[k] = hess[(size_t)k*(N + 1)];
            worst_add(&wh, relative(out, c.diag, N)/(e*(1 + c.cond[2])), "%s DIAG", c.name);
        }

        /* by twists about the table's origins: bodies at them, not turned */
        pa.q.w = pb.q.w = 1;
        pa.t = dc_vec((dc_real)c.o[0], (dc_real)c.o[1], (dc_real)c.o[2]);
        pb.t = dc_vec((dc_real)c.o[3], (dc_real)c.o[4], (dc_real)c.o[5]);
        for (k = 0; k < c.n; ++k) {
            const double *q = k < c.na ? c.o : c.o + 3;
            local[k] = dc_vec((dc_real)(c.x[3*k] - q[0]), (dc_real)(c.x[3*k + 1] - q[1]), (dc_real)(c.x[3*k + 2] - q[2]));
        }
        a.v = local;
        b.v = local + c.na;
        plane.n = dc_vec(0, 0, 0);
        s = dc_pair_rigid(&o, &a, &pa, &b, &pb, &mem, &plane, &v, tg, th, &info);
        if (s != DC_OK) printf("  %s: by twists: %s\n", c.name, dc_status_text(s));
        ASSERT_EQ(s, DC_OK);
        worst_add(&wtg, relative(tg, c.tgrad, 12)/(e*(1 + c.cond[1])), "%s", c.name);
        worst_add(&wth, relative(th, c.thess, 144)/(e*(1 + c.cond[2])), "%s", c.name);
    }
    table_close(&t);
    printf("  %s: %d cases, %d out of range, at most %d iterations; errors in eps (1 + condition)\n", file, cases, skipped, most);
    ASSERT(cases > 0 && worst_print(&wv, 100) + worst_print(&wg, 100) + worst_print(&wh, 100) + worst_print(&wtg, 100)
                            + worst_print(&wth, 100) == 5);
    PASS();
}

TEST lri_pair(void) { return pair_table("lri_pair.txt"); }
TEST lri_counts(void) { return pair_table("lri_counts.txt"); }
TEST sdrs_pair(void) { return pair_table("sdrs_pair.txt"); }

SUITE(tables)
{
    RUN_TEST(lri_pair);
    RUN_TEST(lri_counts);
    RUN_TEST(sdrs_pair);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(tables);
    GREATEST_MAIN_END();
}
