/* ncp_baselines.h - the step of dc_ncp.h solved in other ways, for its checks and times. 2D, shapes of linear rows, bodies that
 * all move. Include it after the implementation of dc_ncp.h.
 *
 *   BASE_WHOLE      (20) as it stands: velocities, contact points, growths, duals and slacks of all contacts, one dense LU
 *   BASE_NO_SLACKS  the slacks taken out first, one division each: the compressed direction of the paper's code
 *   BASE_BILEVEL    velocities and contact impulses alone, slacks taken out; every evaluation solves the growth problem of each
 *                   pair to rounding, and has the derivatives of alpha, p and n by the implicit function theorem
 *
 * All three take the first start, units, iteration and tolerances of dc_ncp_step; residuals and Jacobian are their own, but for the
 * growth problems, which are dc_growth's without its checks and copies. At a relaxation rho such a problem has one solution, that
 * of the lower half of (20), so that all methods have the same answer.
 *
 * With `authors` the first two are the formulation of the paper's code instead, which reproduces its tables: rows as given, normals
 * that are not unit, lengths, impulses and speeds of 1 m, 1 N s, 1 m/s, one passive pair more, alpha and its dual; start at rest
 * with z = s = e, the usual cube in the centring, the test of the excess of products from above alone, at most 29 steps.
 * The bilevel method wants a line search that lowers the sum of both errors and up to 100 iterations: with the one of
 * dc_ncp_step, where it is enough that either falls, and 40 it fails 82 of the 100 runs of the drop at 10 Hz and rho 1e-4. */
#ifndef DC_BENCH_NCP_BASELINES_H_INCLUDED
#define DC_BENCH_NCP_BASELINES_H_INCLUDED

#define BASE_X 64               /* most of x, of z */
#define BASE_Z 128
#define BASE_N (BASE_X + 2*BASE_Z)
#define BASE_ROWS 12            /* of a pair */
#define BASE_CONTACTS 12

enum { BASE_WHOLE, BASE_NO_SLACKS, BASE_BILEVEL };

typedef struct {
    int body[2], rows[2], x, z, lam, nz;        /* body: -1 the world; first places in x and z, of lam in z */
    dc_real A[BASE_ROWS][2], b[BASE_ROWS], d[BASE_ROWS], mu, L, weight;
    dc_real length, impulse, speed, path[3], end[3];        /* units; products of gap, friction and pair, on the way and at the end */
    /* of the last evaluation */
    dc_real a[BASE_ROWS][2], alpha, n[2][2], N[2][4], u[2][2], r[2][2], vp[2][2], F[2][2], slip, jac[84];
} base_contact;

typedef struct {
    int method, authors, nv, nx, nz, n, contacts, steps;        /* n: rows of the dense system; steps: of Newton */
    long solves;                                                /* growth problems */
    dc_real h, rho, tol, x[BASE_X], z[BASE_Z], s[BASE_Z], Fx[BASE_X], Fs[BASE_Z];
    dc_ncp *S;                                                  /* the start, and the pairs of growth problems */
    base_contact c[BASE_CONTACTS];
    dc_real J[BASE_N*BASE_N], whole[BASE_N*BASE_N];             /* the factor; the matrix, for a refinement */
    int piv[BASE_N];
} base;

/* Reads a scene: the rows of its shapes, unit unless `authors`, and dc_ncp_step's cold start. */
static int base_begin(base *B, int method, int authors, const dc_ncp_options *opt, const dc_ncp_scene *scene, dc_arena *mem)
{
    dc_ncp *S;
    size_t bytes;
    int i, j, k, m, row;
    if (dci_ncp_make(opt, scene, mem, &S, &bytes) != DC_OK) return 0;
    if (!authors) {
        const dci_ncp_start start = dci_ncp_start_number(0);
        dci_ncp_cold(S, &start, 1);
        dci_ncp_free(S);
    }
    B->S = S;
    B->method = method;
    B->authors = authors;
    B->h = scene->h;
    B->rho = S->rho;
    B->tol = S->tolerance;
    B->contacts = scene->contacts;
    B->nv = 3*scene->bodies;
    B->nx = B->nv;
    B->nz = 0;
    B->solves = 0;
    for (i = 0; i < B->nv; ++i) B->x[i] = authors ? 0 : S->now.free[i];
    for (k = 0; k < scene->contacts; ++k) {
        const dc_ncp_contact *from = scene->contact + k;
        const dci_contact_nc *start = S->contact + k;
        base_contact *c = B->c + k;
        c->mu = from->mu;
        c->L = authors ? 1 : from->shape[0]->size + from->shape[1]->size;
        c->x = B->nx;
        c->z = B->nz;
        c->lam = c->nz = 4 + authors;
        for (i = row = 0; i < 2; ++i) {
            const dc_shape *s = from->shape[i];
            c->body[i] = from->body[i];
            c->rows[i] = s->rows;
            for (j = 0; j < s->rows; ++j, ++row) {
                dc_real f = authors ? 1 : 1/dc_sqrt(s->A[2*j]*s->A[2*j] + s->A[2*j + 1]*s->A[2*j + 1]);
                for (m = 0; m < 2; ++m) c->A[row][m] = f*s->A[2*j + m];
                c->b[row] = f*s->b[j];
                c->d[row] = f*s->d[j];
            }
        }
        c->weight = authors ? 1 : DC_R(0.5)*DC_R(row)*c->L;
        if (method != BASE_BILEVEL) {
            memcpy(B->x + c->x, S->now.free + start->row.free, 3*sizeof(dc_real));
            B->nx += 3;
            c->nz += row;
        }
        if (!authors) {
            memcpy(B->z + c->z, S->now.dual + start->row.dual, (size_t)c->nz*sizeof(dc_real));
            memcpy(B->s + c->z, S->now.slack + start->row.dual, (size_t)c->nz*sizeof(dc_real));
        } else for (i = 0; i < c->nz; ++i) B->z[c->z + i] = B->s[c->z + i] = 1;
        for (i = 0; authors && i < 3; ++i) {            /* the point between the bodies, alpha 0 */
            const dci_ncp_place *a = S->place + start->body[0], *b = S->place + start->body[1];
            const dc_real w = from->body[1] < 0 ? 1 : from->body[0] < 0 ? 0 : DC_R(0.5);
            B->x[c->x + i] = i < 2 ? w*a->before.position[i] + (1 - w)*b->before.position[i] : 0;
        }
        c->length = authors ? 1 : start->unit.length;
        c->impulse = authors ? 1 : start->unit.impulse;
        c->speed = authors ? 1 : start->unit.speed;
        for (i = 0; i < 3; ++i) {
            const dci_run *run = i < 2 ? start->head + i : start->pair.cones.run;
            c->path[i] = authors ? 1 : run->path;
            c->end[i] = authors ? 1 : run->end;
        }
        B->nz += c->nz;
    }
    B->n = B->nx + (method == BASE_WHOLE ? 2 : 1)*B->nz;
    return 1;
}

/* Position and rotation of body i (-1: the world) at the end of the step */
static void base_pose(const base *B, int i, const dc_real *x, dc_real *at, dc_real *R)
{
    const dci_ncp_place *b = B->S->place + (i < 0 ? B->S->scene.bodies : i);
    dc_real sn = 0, cs = 1;
    int j;
    if (i >= 0) dc_sincos(B->h*x[3*i + 2], &sn, &cs);
    for (j = 0; j < 2; ++j) {
        at[j] = b->before.position[j] + (i >= 0 ? B->h*x[3*i + j] : 0);
        R[j] = cs*b->before.rotation[j] - sn*b->before.rotation[2 + j];
        R[2 + j] = sn*b->before.rotation[j] + cs*b->before.rotation[2 + j];
    }
}

/* The lower level of (20): its residuals; alpha, r, the normals and their derivatives N by u = sum lam a. */
static void base_rows(base *B, base_contact *c, const dc_real *x, const dc_real *z, const dc_real *s)
{
    const dc_real *p = x + c->x, *lam = z + c->z + c->lam, r0 = DC_R(1.0/32);
    dc_real *Fx = B->Fx + c->x, *Fs = B->Fs + c->z + c->lam;
    int i, j, k, m;
    c->alpha = p[2];
    Fx[0] = Fx[1] = 0;
    Fx[2] = c->weight;
    for (k = i = 0; k < 2; ++k) {
        const dc_real sign = k ? DC_R(1) : DC_R(-1);
        dc_real at[2], R[4], len2, inv = 1, across = 0;
        base_pose(B, c->body[k], x, at, R);
        for (j = 0; j < 2; ++j) {
            c->r[k][j] = p[j] - at[j];
            c->u[k][j] = 0;
        }
        for (m = 0; m < c->rows[k]; ++m, ++i) {
            for (j = 0; j < 2; ++j) {
                c->a[i][j] = R[2*j]*c->A[i][0] + R[2*j + 1]*c->A[i][1];
                c->u[k][j] += lam[i]*c->a[i][j];
            }
            Fs[i] = s[c->z + c->lam + i] - (c->alpha*c->b[i] + c->d[i] - c->a[i][0]*c->r[k][0] - c->a[i][1]*c->r[k][1]);
            Fx[2] -= lam[i]*c->b[i];
        }
        len2 = c->u[k][0]*c->u[k][0] + c->u[k][1]*c->u[k][1];
        if (!B->authors && len2 >= r0*r0) inv = across = 1/dc_sqrt(len2);
        else if (!B->authors) {
            inv = 2*r0/(r0*r0 + len2);
            across = 1/r0;
        }
        for (j = 0; j < 2; ++j) {
            Fx[j] += c->u[k][j];
            c->n[k][j] = sign*inv*c->u[k][j];
        }
        for (j = 0; j < 4; ++j) c->N[k][j] = sign*((j%3 == 0 ? inv : 0) - across*c->n[k][j/2]*c->n[k][j%2]);
    }
}

/* The same from the growth problem at the poses; jac: rows alpha, p, n by the twists. 0: it did not converge. */
static int base_growth(base *B, int k, const dc_real *x)
{
    base_contact *c = B->c + k;
    dci_growth G;
    dc_growth_result out;
    dc_real len;
    int i, j;
    dci_ncp_growth(B->S, B->S->contact + k, 0, &G);
    for (i = 0; i < 2; ++i) {
        base_pose(B, c->body[i], x, G.own_position[i], G.own_rotation[i]);
        G.position[i] = G.own_position[i];
        G.rotation[i] = G.own_rotation[i];
    }
    dci_growth_middle(&G, G.pair->shape[0], G.pair->shape[1]);
    if (G.pair->dim != 2 || dci_growth_solve(&G, B->rho*c->length, 0, 60, &out) != DC_OK) return 0;
    B->solves++;
    len = dc_sqrt(G.pair->pull[0][0]*G.pair->pull[0][0] + G.pair->pull[0][1]*G.pair->pull[0][1]);
    c->alpha = G.at.free[2];
    for (j = 0; j < 2; ++j) {
        c->n[0][j] = c->n[1][j] = -G.pair->pull[0][j]/len;
        for (i = 0; i < 2; ++i) c->r[i][j] = G.pair->arm[i][j];
    }
    dci_pnc_phi(G.pair, 2);
    dci_growth_jac(&G, 1/len, c->n[0], c->jac);
    return 1;
}

/* product i of contact c: 0 of the gap, 1 of friction, 2 of the pair */
static int base_kind(const base_contact *c, int i) { return i == 0 ? 0 : i < c->lam ? 1 : 2; }

/* All residuals, into B->Fx and B->Fs; largest of them, and of the excess of complementarity. 0: an inner solve failed. */
static int base_eval(base *B, const dc_real *x, const dc_real *z, const dc_real *s, dc_real *eq, dc_real *cp)
{
    dc_real load[BASE_X];                           /* of the momentum rows */
    int i, j, k;
    for (i = 0; i < B->nv; ++i) {
        const dc_real *rhs = B->S->place[i/3].momentum;
        load[i] = i%3 == 2 ? dc_abs(rhs[2]) : dc_abs(rhs[0]) + dc_abs(rhs[1]);
    }
    for (i = 0; i < B->nv/3; ++i) {
        const dci_ncp_place *b = B->S->place + i;
        for (j = 0; j < 3; ++j) B->Fx[3*i + j] = (j < 2 ? b->mass : b->inertia[0])*x[3*i + j] - b->momentum[j];
    }
    for (k = 0; k < B->contacts; ++k) {
        base_contact *c = B->c + k;
        const dc_real *Z = z + c->z, *Sl = s + c->z;
        dc_real *Fs = B->Fs + c->z, gamma = Z[0], f = Z[2] - Z[3];
        if (B->method != BASE_BILEVEL) base_rows(B, c, x, z, s);
        else if (!base_growth(B, k, x)) return 0;
        c->slip = 0;
        for (i = 0; i < 2; ++i) {
            const dc_real sign = i ? DC_R(-1) : DC_R(1), *n = c->n[i], *r = c->r[i], t[2] = {n[1], -n[0]};
            const dc_real *v = c->body[i] < 0 ? NULL : x + 3*c->body[i];
            dc_real *Fb = B->Fx + 3*c->body[i];
            for (j = 0; j < 2; ++j) c->F[i][j] = sign*(gamma*n[j] + f*t[j]);
            if (!v) {
                c->vp[i][0] = c->vp[i][1] = 0;
                continue;
            }
            c->vp[i][0] = v[0] - v[2]*r[1];
            c->vp[i][1] = v[1] + v[2]*r[0];
            c->slip += sign*(t[0]*c->vp[i][0] + t[1]*c->vp[i][1]);
            Fb[0] -= c->F[i][0];
            Fb[1] -= c->F[i][1];
            Fb[2] -= r[0]*c->F[i][1] - r[1]*c->F[i][0];
            for (j = 0; j < 3; ++j)
                load[3*c->body[i] + j] += (dc_abs(c->F[i][0]) + dc_abs(c->F[i][1]))*(j < 2 ? 1 : dc_abs(r[0]) + dc_abs(r[1]));
        }
        Fs[0] = Sl[0] - c->L*(c->alpha - 1);
        Fs[1] = Sl[1] - (c->mu*gamma - Z[2] - Z[3]);
        Fs[2] = Sl[2] - (c->slip + Z[1]);
        Fs[3] = Sl[3] - (Z[1] - c->slip);
        if (B->authors) Fs[4] = Sl[4] - c->alpha;
    }
    *eq = *cp = 0;
    for (i = 0; i < B->nv; ++i) {
        const dc_real unit = B->authors ? 1 : B->S->place[i/3].unit[i%3 == 2] + DC_R(0.01)*load[i];
        *eq = dc_max(*eq, dc_abs(B->Fx[i])/unit);
    }
    for (k = 0; k < B->contacts; ++k) {
        const base_contact *c = B->c + k;
        for (i = 0; i < 3 && B->method != BASE_BILEVEL; ++i) *eq = dc_max(*eq, dc_abs(B->Fx[c->x + i])/(i < 2 ? 1 : c->length));
        for (i = 0; i < c->nz; ++i) {
            const int kind = base_kind(c, i), at = c->z + i;
            const dc_real e = (z[at]*s[at])/c->end[kind] - B->rho;
            const dc_real slip = B->authors ? 1 : c->speed*c->impulse/(c->impulse + DC_R(0.1)*c->mu*z[c->z]);
            *eq = dc_max(*eq, dc_abs(B->Fs[at])/(kind != 1 ? c->length : i == 1 ? c->impulse : slip));
            *cp = dc_max(*cp, B->authors ? e : dc_abs(e));
        }
    }
    return 1;
}

/* Column `col` by side k of contact c: dn, dr, and dv what the body's own velocity adds to that of its point */
static void base_column(base *B, const base_contact *c, int k, int col, const dc_real *dn, const dc_real *dr, const dc_real *dv)
{
    const int i = c->body[k], slip = B->nx + c->z + 2;
    const dc_real sign = k ? DC_R(-1) : DC_R(1), *n = c->n[k], *r = c->r[k], *F = c->F[k], w = B->x[3*i + 2];
    const dc_real gamma = B->z[c->z], f = B->z[c->z + 2] - B->z[c->z + 3];
    const dc_real F0 = sign*(gamma*dn[0] + f*dn[1]), F1 = sign*(gamma*dn[1] - f*dn[0]);
    const dc_real ds = sign*(dn[1]*c->vp[k][0] - dn[0]*c->vp[k][1] + n[1]*(dv[0] - w*dr[1]) - n[0]*(dv[1] + w*dr[0]));
    dc_real *J = B->J + col;
    J[(3*i)*B->n] -= F0;
    J[(3*i + 1)*B->n] -= F1;
    J[(3*i + 2)*B->n] -= dr[0]*F[1] - dr[1]*F[0] + r[0]*F1 - r[1]*F0;
    J[slip*B->n] -= ds;
    J[(slip + 1)*B->n] += ds;
}

/* Jacobian of the lower level, and of all that it moves */
static void base_rows_jacobian(base *B, base_contact *c)
{
    const int n = B->n, zl = B->nx + c->z + c->lam, zero = B->nx + c->z;
    const dc_real h = B->h, none[2] = {0, 0};
    dc_real *J = B->J;
    int i, j, k, m, col;
    J[zero*n + c->x + 2] = -c->L;
    if (B->authors) J[(zero + 4)*n + c->x + 2] = -1;
    for (k = i = 0; k < 2; ++k) {
        const int v = 3*c->body[k], moves = c->body[k] >= 0;
        const dc_real *N = c->N[k], *u = c->u[k], *r = c->r[k];
        for (j = 0; moves && j < 2; ++j) {                              /* by p, by the velocity */
            dc_real dr[2] = {0, 0}, dv[2] = {0, 0};
            dr[j] = 1;
            base_column(B, c, k, c->x + j, none, dr, none);
            dr[j] = -h;
            dv[j] = 1;
            base_column(B, c, k, v + j, none, dr, dv);
        }
        if (moves) {                                                    /* by the spin: u turns */
            const dc_real du[2] = {-h*u[1], h*u[0]}, dv[2] = {-r[1], r[0]};
            const dc_real dn[2] = {N[0]*du[0] + N[1]*du[1], N[2]*du[0] + N[3]*du[1]};
            base_column(B, c, k, v + 2, dn, none, dv);
            J[c->x*n + v + 2] += du[0];
            J[(c->x + 1)*n + v + 2] += du[1];
        }
        for (m = 0; m < c->rows[k]; ++m, ++i) {                         /* by lam, and the row itself */
            const dc_real *a = c->a[i], dn[2] = {N[0]*a[0] + N[1]*a[1], N[2]*a[0] + N[3]*a[1]};
            dc_real *row = J + (zl + i)*n;
            col = zl + i;
            if (moves) {
                base_column(B, c, k, col, dn, none, none);
                row[v] = -h*a[0];
                row[v + 1] = -h*a[1];
                row[v + 2] = h*(a[0]*r[1] - a[1]*r[0]);
            }
            for (j = 0; j < 2; ++j) J[(c->x + j)*n + col] = row[c->x + j] = a[j];
            J[(c->x + 2)*n + col] = row[c->x + 2] = -c->b[i];
        }
    }
}

static void base_growth_jacobian(base *B, const base_contact *c)
{
    const dc_real h = B->h;
    int j, k, side;
    for (k = 0; k < 2; ++k)
        for (j = 0; j < 3 && c->body[k] >= 0; ++j) {
            const int from = 6*k + (j < 2 ? j : 5), col = 3*c->body[k] + j;
            const dc_real dn[2] = {h*c->jac[48 + from], h*c->jac[60 + from]};
            B->J[(B->nx + c->z)*B->n + col] = -h*c->L*c->jac[from];
            for (side = 0; side < 2; ++side) {
                dc_real dr[2] = {h*c->jac[12 + from], h*c->jac[24 + from]}, dv[2] = {0, 0};
                if (c->body[side] < 0) continue;
                if (side == k && j < 2) {
                    dr[j] -= h;
                    dv[j] = 1;
                } else if (side == k) {
                    dv[0] = -c->r[k][1];
                    dv[1] = c->r[k][0];
                }
                base_column(B, c, side, col, dn, dr, dv);
            }
        }
}

/* The dense Jacobian at B->x, z, s, for which the residuals are */
static void base_jacobian(base *B)
{
    const int n = B->n;
    int i, j, k, m;
    memset(B->J, 0, (size_t)(n*n)*sizeof(dc_real));
    for (i = 0; i < B->nv; ++i) B->J[i*(n + 1)] = i%3 < 2 ? B->S->place[i/3].mass : B->S->place[i/3].inertia[0];
    for (k = 0; k < B->contacts; ++k) {
        base_contact *c = B->c + k;
        dc_real *row = B->J + (B->nx + c->z)*n + B->nx + c->z;
        if (B->method == BASE_BILEVEL) base_growth_jacobian(B, c);
        else base_rows_jacobian(B, c);
        row[n] = -c->mu;                                                /* psi's row, beta's rows */
        row[n + 2] = row[n + 3] = 1;
        row[2*n + 1] = row[3*n + 1] = -1;
        for (i = 0; i < 2; ++i) {                                       /* forces by gamma and beta */
            const dc_real sign = i ? DC_R(-1) : DC_R(1), *q = c->n[i], *r = c->r[i];
            const dc_real F[3][2] = {{q[0], q[1]}, {q[1], -q[0]}, {-q[1], q[0]}};
            for (m = 0; m < 3 && c->body[i] >= 0; ++m) {
                dc_real *J = B->J + 3*c->body[i]*n + B->nx + c->z + (m == 0 ? 0 : 1 + m);
                J[0] -= sign*F[m][0];
                J[n] -= sign*F[m][1];
                J[2*n] -= sign*(r[0]*F[m][1] - r[1]*F[m][0]);
            }
        }
    }
    for (i = 0; i < B->nz; ++i) {
        j = B->nx + i;
        if (B->method != BASE_WHOLE) B->J[j*(n + 1)] -= B->s[i]/B->z[i];
        else {
            k = j + B->nz;
            B->J[j*n + k] = 1;
            B->J[k*n + j] = B->s[i];
            B->J[k*n + k] = B->z[i];
        }
    }
}

/* The direction for the complementarity residuals rc: dx, dz, ds. The factor is in B->J. */
static int base_direction(base *B, const dc_real *rc, dc_real *dx, dc_real *dz, dc_real *ds)
{
    dc_real r[BASE_N], x[BASE_N];
    int i, j;
    for (i = 0; i < B->nx; ++i) r[i] = -B->Fx[i];
    for (i = 0; i < B->nz; ++i) {
        j = B->nx + i;
        r[j] = -B->Fs[i];
        if (B->method == BASE_WHOLE) r[j + B->nz] = -rc[i];
        else r[j] += rc[i]/B->z[i];
    }
    memcpy(x, r, (size_t)B->n*sizeof(dc_real));
    if (dc_lu_solve(B->n, B->J, B->n, B->piv, 1, x, 1) != DC_OK) return 0;
    for (i = 0; B->authors && i < B->n; ++i)
        for (j = 0; j < B->n; ++j) r[i] -= B->whole[i*B->n + j]*x[j];
    if (B->authors && dc_lu_solve(B->n, B->J, B->n, B->piv, 1, r, 1) != DC_OK) return 0;
    for (i = 0; i < B->n; ++i) r[i] = x[i] + (B->authors ? r[i] : 0);
    memcpy(dx, r, (size_t)B->nx*sizeof(dc_real));
    memcpy(dz, r + B->nx, (size_t)B->nz*sizeof(dc_real));
    for (i = 0; i < B->nz; ++i)
        ds[i] = B->method == BASE_WHOLE ? r[B->nx + B->nz + i] : -(rc[i] + B->s[i]*dz[i])/B->z[i];
    return 1;
}

/* the largest step that keeps z and s positive, `back` of the way to the boundary at most */
static dc_real base_length(const base *B, const dc_real *dz, const dc_real *ds, dc_real back)
{
    dc_real a = 1/back;
    int i;
    for (i = 0; i < B->nz; ++i) {
        if (B->z[i] + a*dz[i] < 0) a = -B->z[i]/dz[i];
        if (B->s[i] + a*ds[i] < 0) a = -B->s[i]/ds[i];
    }
    return dc_min(back*a, 1);
}

/* rc for the place t on the path, with q times the second-order term */
static void base_rc(const base *B, dc_real t, dc_real q, const dc_real *dsa, const dc_real *dza, dc_real *rc)
{
    int i, k;
    for (k = 0; k < B->contacts; ++k) {
        const base_contact *c = B->c + k;
        for (i = c->z; i < c->z + c->nz; ++i) {
            const int kind = base_kind(c, i - c->z);
            const dc_real target = B->authors ? dc_max(t, B->rho) : t*c->path[kind] + B->rho*c->end[kind];
            rc[i] = B->z[i]*B->s[i] - target + (q > 0 ? q*dsa[i]*dza[i] : 0);
        }
    }
}

/* the mean place on the path at (z + a dza, s + a dsa) */
static dc_real base_along(const base *B, dc_real a, const dc_real *dsa, const dc_real *dza)
{
    dc_real sum = 0;
    int i, k;
    for (k = 0; k < B->contacts; ++k) {
        const base_contact *c = B->c + k;
        for (i = c->z; i < c->z + c->nz; ++i) {
            const int kind = base_kind(c, i - c->z);
            const dc_real product = (B->z[i] + a*dza[i])*(B->s[i] + a*dsa[i]);
            sum += B->authors ? product : (product - B->rho*c->end[kind])/c->path[kind];
        }
    }
    return B->authors ? sum/DC_R(B->nz + 1) : dc_max(sum/DC_R(B->nz), 0);
}

/* where to go: the authors' cube, or the ratio itself and nothing once near the end */
static dc_real base_target(const base *B, dc_real nu, dc_real nua)
{
    dc_real sigma;
    int i, k;
    if (B->authors) {
        sigma = dc_max(dc_min(nua/nu, 1), 0);
        return sigma*sigma*sigma*nu;
    }
    nua = dc_min(nua, nu);
    for (k = 0; k < B->contacts; ++k)
        for (i = 0; i < 3; ++i)
            if (nua*B->c[k].path[i] > 2*B->rho*B->c[k].end[i]) return nua;
    return 0;
}

/* The iteration of dc_ncp_step from its first start, the bilevel method with a line search of its own.
 * 1: solved; B->x begins with the velocities. */
static int base_solve(base *B)
{
    const dc_real back = B->authors ? DC_R(0.95) : DC_R(0.98);
    const int bilevel = B->method == BASE_BILEVEL, most = B->authors ? 29 : bilevel ? 100 : 50;
    dc_real dx[BASE_X], xt[BASE_X], dz[BASE_Z], ds[BASE_Z], dza[BASE_Z], dsa[BASE_Z], zt[BASE_Z], st[BASE_Z], rc[BASE_Z];
    dc_real eq, cp, eq2, cp2, a, affine, t;
    int i, trial, ok = 0;
    if (!base_eval(B, B->x, B->z, B->s, &eq, &cp)) return 0;
    for (B->steps = 0; !(eq <= B->tol && cp <= B->tol); ++B->steps) {
        if (B->steps == most) return 0;
        base_jacobian(B);
        if (B->authors) memcpy(B->whole, B->J, (size_t)(B->n*B->n)*sizeof(dc_real));      /* the momenta of the tables are below rounding */
        if (dc_lu_factor(B->n, B->J, B->n, B->piv, NULL) != DC_OK) return 0;
        base_rc(B, 0, 0, NULL, NULL, rc);
        if (!base_direction(B, rc, dx, dza, dsa)) return 0;
        affine = base_length(B, dza, dsa, back);
        t = base_target(B, base_along(B, 0, dsa, dza), base_along(B, affine, dsa, dza));
        for (a = -1, trial = 0; trial < 2 && a < affine/2; ++trial) {
            const dc_real q = trial > 0 ? 0 : B->authors || bilevel ? DC_R(0.25)*affine*affine : affine;
            base_rc(B, t, q, dsa, dza, rc);
            if (!base_direction(B, rc, dx, dz, ds)) return 0;
            a = base_length(B, dz, ds, back);
            if (B->authors) break;
        }
        for (trial = 0; trial < 25; ++trial, a *= DC_R(0.5)) {
            for (i = 0; i < B->nx; ++i) xt[i] = B->x[i] + a*dx[i];
            for (i = 0; i < B->nz; ++i) {
                zt[i] = B->z[i] + a*dz[i];
                st[i] = B->s[i] + a*ds[i];
            }
            ok = base_eval(B, xt, zt, st, &eq2, &cp2);
            if (ok && (bilevel ? eq2 + cp2 <= eq + cp : eq2 <= eq || cp2 <= cp)) break;
        }
        if (!ok) return 0;
        memcpy(B->x, xt, (size_t)B->nx*sizeof(dc_real));
        memcpy(B->z, zt, (size_t)B->nz*sizeof(dc_real));
        memcpy(B->s, st, (size_t)B->nz*sizeof(dc_real));
        eq = eq2;
        cp = cp2;
    }
    return 1;
}

/* The bodies after the step, from the velocities in B->x. */
static void base_write(const base *B, dc_ncp_body *next)
{
    int i;
    for (i = 0; i < B->nv/3; ++i) {
        const dc_real *v = B->x + 3*i;
        const dc_real xi[6] = {B->h*v[0], B->h*v[1], 0, 0, 0, B->h*v[2]};
        next[i] = B->S->scene.body[i];
        next[i].v.x = v[0];
        next[i].v.y = v[1];
        next[i].w.z = v[2];
        next[i].pose = dc_pose_retract(next[i].pose, xi);
    }
}

#endif
