/* Friction potential against the high-precision table, differences, and its conservation laws. */
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "greatest.h"
#include "support.h"

#define EPS ((double)DC_EPS)
#define MOST 40

static unsigned char memory[1 << 17];

typedef struct {
    char name[64];
    double s, mu, h, eps_f, eps_v, x0[3*MOST], x1[3*MOST], plane[5], force[MOST], value, u[3], w;
    int na, nb, n, rank, has_hess, has_mixed;
    double grad[3*MOST], hess[9*MOST*MOST], hv[2][2][3*MOST], diag[3*MOST], o[6], tgrad[12], thess[144], mixed[9*24*24];
} slip_case;

static void upper(table *t, double *H, size_t n)
{
    size_t i, j;
    for (i = 0; i < n; ++i)
        for (j = i; j < n; ++j) {
            table_real(t, &H[i*n + j]);
            H[j*n + i] = H[i*n + j];
        }
}

static int read_case(table *t, slip_case *c)
{
    char word[64];
    double param[5];
    int n;
    size_t N;
    if (!table_word(t, word) || strcmp(word, "CASE") != 0) return 0;
    if (!table_word(t, c->name) || !table_expect(t, "TYPE") || !table_expect(t, "SDRSFRIC") || !table_expect(t, "PARAM")
        || !table_reals(t, param, 5) || !table_expect(t, "COUNT") || !table_int(t, &c->na) || !table_int(t, &c->nb)) return 0;
    c->s = param[0];
    c->mu = param[1];
    c->h = param[2];
    c->eps_f = param[3];
    c->eps_v = param[4];
    c->n = c->na + c->nb;
    N = 3*(size_t)c->n;
    if (c->n > MOST || !table_expect(t, "X0") || !table_reals(t, c->x0, N) || !table_expect(t, "X1")
        || !table_reals(t, c->x1, N) || !table_expect(t, "PLANE") || !table_reals(t, c->plane, 5) || !table_expect(t, "FORCE")
        || !table_reals(t, c->force, (size_t)c->n) || !table_expect(t, "RANK") || !table_int(t, &c->rank)
        || !table_expect(t, "VALUE") || !table_real(t, &c->value) || !table_expect(t, "U3") || !table_reals(t, c->u, 3)
        || !table_expect(t, "W") || !table_real(t, &c->w) || !table_expect(t, "GRAD") || !table_reals(t, c->grad, N)
        || !table_expect(t, "HESS") || !table_word(t, word) || !table_int(t, &n)) return 0;
    c->has_hess = strcmp(word, "FULL") == 0;
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
    table_expect(t, "MIXED");
    table_int(t, &n);
    c->has_mixed = n > 0;
    if (n > 0) table_reals(t, c->mixed, (size_t)n*(size_t)n);
    return table_expect(t, "END");
}

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

static void to_v3(const double *x, int n, dc_v3 *v)
{
    int k;
    for (k = 0; k < n; ++k) v[k] = dc_vec((dc_real)x[3*k], (dc_real)x[3*k + 1], (dc_real)x[3*k + 2]);
}

TEST friction_table(void)
{
    static slip_case c;
    static dc_real grad[3*MOST], hess[9*MOST*MOST], mixed[9*MOST*MOST], out[3*MOST];
    static dc_v3 x0[MOST], x1[MOST], l0[MOST], l1[MOST];
    worst wv = worst_make("value"), wg = worst_make("gradient"), wh = worst_make("Hessian"), wm = worst_make("mixed");
    worst wtg = worst_make("twist gradient"), wth = worst_make("twist Hessian");
    int cases = 0, most = 0, k, j, i;
    table t;
    ASSERT(table_open(&t, "sdrs_friction.txt"));
    while (read_case(&t, &c)) {
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        dc_friction_options o = DC_ZERO;
        dc_pair_options pair = DC_ZERO;
        dc_friction_info info;
        dc_hull a0, a1, b0, b1;
        dc_pose pa = DC_ZERO, pb = DC_ZERO;
        dci_posed old[2], now[2];
        dci_friction f;
        dci_pair p;
        dc_plane plane;
        dc_real v, tg[12], th[144], M[2][12];
        double e, L = 0;
        size_t N = 3*(size_t)c.n;
        dc_status s;
        ++cases;
        to_v3(c.x0, c.n, x0);
        to_v3(c.x1, c.n, x1);
        for (k = 0; k < 3*c.n; ++k) L = fmax(L, fabs(c.x0[k]));
        a0.v = x0;  a1.v = x1;  b0.v = x0 + c.na;  b1.v = x1 + c.na;
        a0.n = a1.n = c.na;
        b0.n = b1.n = c.nb;
        o.eps_f = (dc_real)c.eps_f;
        o.eps_v = (dc_real)c.eps_v;
        o.no_patch = 1;
        pair.barrier = DC_LOCAL;
        pair.s = (dc_real)c.s;
        s = dc_friction(&o, &pair, (dc_real)c.mu, (dc_real)c.h, &a0, &a1, &b0, &b1, &mem, NULL, &v, grad, hess, mixed, &info);
        if (s != DC_OK) printf("  %s: %s\n", c.name, dc_status_text(s));
        ASSERT_EQ(s, DC_OK);
        most = info.iterations > most ? info.iterations : most;
        /* condition for vertex errors of eps L: forces change by 3 L/gap, slip directions by L/(h sqrt eps_v) */
        e = EPS*(1 + 3*L/(double)info.pair.gap + L/(c.h*sqrt(c.eps_v)));
        worst_add(&wv, fabs((double)v - c.value)/c.value/e, "%s", c.name);
        worst_add(&wg, relative(grad, c.grad, N)/e, "%s", c.name);
        if (c.has_hess) worst_add(&wh, relative(hess, c.hess, N*N)/e, "%s", c.name);
        else {
            for (k = 0; k < 2; ++k) {
                for (i = 0; i < (int)N; ++i)
                    for (j = 0, out[i] = 0; j < (int)N; ++j) out[i] += hess[(size_t)i*N + (size_t)j]*(dc_real)c.hv[k][0][j];
                worst_add(&wh, relative(out, c.hv[k][1], N)/e, "%s HV", c.name);
            }
            for (i = 0; i < (int)N; ++i) out[i] = hess[(size_t)i*(N + 1)];
            worst_add(&wh, relative(out, c.diag, N)/e, "%s DIAG", c.name);
        }
        if (c.has_mixed) worst_add(&wm, relative(mixed, c.mixed, N*N)/e, "%s", c.name);

        /* by twists: the table turns x^{t+1} as it is about its origins, whatever motion led there; so each
         * configuration is given as its own hull, and the poses agree */
        pa.q.w = pb.q.w = 1;
        pa.t = dc_vec((dc_real)c.o[0], (dc_real)c.o[1], (dc_real)c.o[2]);
        pb.t = dc_vec((dc_real)c.o[3], (dc_real)c.o[4], (dc_real)c.o[5]);
        for (k = 0; k < c.n; ++k) {
            const double *q = k < c.na ? c.o : c.o + 3;
            l0[k] = dc_vec((dc_real)(c.x0[3*k] - q[0]), (dc_real)(c.x0[3*k + 1] - q[1]), (dc_real)(c.x0[3*k + 2] - q[2]));
            l1[k] = dc_vec((dc_real)(c.x1[3*k] - q[0]), (dc_real)(c.x1[3*k + 1] - q[1]), (dc_real)(c.x1[3*k + 2] - q[2]));
        }
        dci_pose_map(&pa, M[0], &old[0].M);
        dci_pose_map(&pb, M[1], &old[1].M);
        now[0].M = old[0].M;
        now[1].M = old[1].M;
        old[0].hull = &a0;  now[0].hull = &a1;
        old[1].hull = &b0;  now[1].hull = &b1;
        a0.v = l0;  a1.v = l1;  b0.v = l0 + c.na;  b1.v = l1 + c.na;
        memset(&plane, 0, sizeof plane);
        s = dci_friction_run(&f, &p, &o, &pair, (dc_real)c.mu, (dc_real)c.h, old, now, &mem, &plane, &v, &plane, &info);
        ASSERT_EQ(s, DC_OK);
        dci_friction_twists(&f, old, now, tg, th, NULL);
        worst_add(&wtg, relative(tg, c.tgrad, 12)/e, "%s", c.name);
        worst_add(&wth, relative(th, c.thess, 144)/e, "%s", c.name);
    }
    table_close(&t);
    printf("  %d cases, at most %d iterations; errors in eps (1 + condition)\n", cases, most);
    ASSERT(cases > 0 && worst_print(&wv, 100) + worst_print(&wg, 100) + worst_print(&wh, 100) + worst_print(&wm, 100)
                            + worst_print(&wtg, 100) + worst_print(&wth, 100) == 6);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(friction_table);
    GREATEST_MAIN_END();
}
