/* dc_sim.h - v0.1.0 - articulated bodies in contact, differentiable in state, control and shape; grains in the plane
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * DOES     steps trees of rigid links of convex hulls, or of triangles with a hierarchy (dc_bsh.h, LRI [2]), in time by
 *          minimising SDRS Eq. 14 [1]: position-level dynamics, their contact potential, friction, joint limits,
 *          damping, proportional-derivative control; the Jacobians of the next state by both earlier ones, control,
 *          masses, friction, attachments and hull vertices; a whole trajectory's gradient by the adjoint; Adam; a
 *          design space, what a model may change as an affine function of variables, and steps that stay in it. Grains
 *          of any shape in the plane: penalty contact with friction through fields over relative pose (dc_cfield of
 *          dc_sdf.h, CEM [3]), walls, driven grains, the derivative of a step.
 * DOES NOT close loops of joints, bend links, decompose shapes that are not convex.
 *
 * USE
 *   In one C or C++ file: #define DC_CONTACT_, DC_BSH_, DC_SDF_ and DC_SIM_IMPLEMENTATION, then #include "dc_sim.h".
 *   Elsewhere include it. Quick start, a complete program; cc -std=c99 -O3 program.c -lm. One for grains stands above
 *   their declarations.
 *
 *|#define DC_CONTACT_IMPLEMENTATION
 *|#define DC_BSH_IMPLEMENTATION
 *|#define DC_SDF_IMPLEMENTATION
 *|#define DC_SIM_IMPLEMENTATION
 *|#include "dc_sim.h"
 *|#include <stdio.h>
 *|static unsigned char memory[1 << 20];
 *|int main(void)
 *|{
 *|    const dc_v3 v[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
 *|    dc_hull hull = {v, 4, 0};
 *|    dc_sim_link link = DC_ZERO;                            // a free tetrahedron of 1 kg
 *|    dc_sim_plane floor = {{0, 0, 1}, 0, DC_R(0.5)};        // z >= 0, friction 0.5
 *|    dc_sim_desc desc = DC_ZERO;
 *|    dc_real q[3][7];                                       // at t - h, t, t + h
 *|    dc_arena mem = dc_arena_make(memory, sizeof memory);
 *|    dc_sim sim;
 *|    dc_status s;
 *|    int k;
 *|    link.parent = -1; link.hull = &hull; link.hulls = 1; link.mass = 1; link.friction = 1;
 *|    desc.link = &link; desc.links = 1; desc.plane = &floor; desc.planes = 1;
 *|    desc.h = DC_R(0.01); desc.gravity.z = DC_R(-9.81);     // stiffness, length, friction: chosen by these
 *|    s = dc_sim_build(&desc, &mem, &sim, NULL);
 *|    if (s != DC_OK) return 1;
 *|    dc_sim_neutral(&sim, q[0]); q[0][6] = 1;               // a metre up
 *|    for (k = 0; k < 7; ++k) q[1][k] = q[0][k];
 *|    for (k = 0; k < 100 && s == DC_OK; ++k)
 *|        s = dc_sim_step(&sim, q[k%3], q[(k + 1)%3], NULL, &mem, q[(k + 2)%3], NULL);
 *|    printf("%s, height %g\n", dc_status_text(s), (double)q[(k + 1)%3][6]);
 *|    return s != DC_OK;
 *|}
 *
 * OPTIONS (macros)
 *   DC_SIM_IMPLEMENTATION  in one file: the code. In more than one with DC_STATIC: private copies.
 *   DC_SIM_NO_GRAINS       in every file: without the grains (dc_grain_..., dc_grains_...) and without dc_sdf.h, of
 *                          which robots use nothing
 *   DC_SIM_NO_DESIGN       in every file: without the design space (dc_design_...)
 *   DC_REAL, DC_STATIC, DC_DEF: see dc_contact.h, the same for both.
 *
 * NOTATION
 *   q, nq           the state, joint after joint: free w x y z tx ty tz, ball w x y z, hinge angle (rad), slide length
 *                   (m)
 *   dq, nv          its tangent: free v then w, ball w, hinge, slide; v and w in the axes of the joint's frame, w about
 *                   the link's origin: t <- t + v, R <- exp([w]) R. All derivatives are by tangents at their own time
 *   T_i = [R t]     link to world, 3x4: T_i = T_parent A_i J_i(q), A_i the attachment (SDRS Eq. 1)
 *   S_a             world twist of tangent coordinate a: dT_i/dq_a = [S_a] T_i
 *   M_i             moment matrix, integral of rho (x,1)(x,1)^T, 4x4
 *   h, U            time step; potentials in J
 *
 * THE STEP
 *   q^{t+1} minimises O (SDRS Eq. 14, LRI Eq. 1; theta and Delta t there are q and h here),
 *       O = sum_i 1/(2h^2) tr((T_i - Y_i) M_i (T_i - Y_i)^T) + U                         (SDRS Eq. 3)
 *       Y_i = 2 T_i^t - T_i^{t-1} + h^2 [0 g]                                            (SDRS Eq. 2)
 *   with U that of the joints (SDRS Eq. 5) and k (P_c + U_f) of the contacts (SDRS Eq. 7, 13). Second derivatives by
 *   tangents: for a before b in a chain d2T_i/dq_a dq_b = [S_a][S_b] T_i, the half-sum of both orders among the three
 *   of a rotation.
 *   A hull at a plane of the scenery has the plane itself for its plane of separation: P_c is the sum of P over its
 *   vertices, felt from s lengths; the plane does not move, so that u = w = 0 in its friction.
 *   A hull with a radius is the core of its vertices and all that is so near to it: balls (one vertex), capsules (two),
 *   rounded boxes. Slacks, gaps, ways and moments are those of the round body; friction acts where the balls about the
 *   vertices are next to the plane at time t, so that they roll. The radius is no design.
 *   Newton's method from q^t. Where the Hessian is not positive definite, the sum of its parts made semidefinite takes
 *   its place: pairs of hulls clamped, the curvature of rotations left out; from the tenth step on |H|, in the measure
 *   of the inertia; elsewhere the steps are Newton's own, with the forces of friction as unknowns (dc_friction_try), so
 *   that what sticks and slides in many places settles in tens of steps. A direction whose way ends at a contact is
 *   bent to slide along it: up to four gaps are demanded to stay at least where the barrier costs what the step gains.
 *   What is left to gain below the rounding of O is judged by its slope.
 *
 * CONTRACTS
 *   Memory    None of its own: dc_sim_bytes for a model, dc_sim_step_bytes, dc_sim_grad_bytes and dc_sim_adjoint_bytes
 *             for scratch that is given back (dc_sim_roll_bytes for many steps): the most a state can ask for; where
 *             few pairs press, less will do, and dc_sim_info.bytes says how much did (1000 boxes in a pile: 5 MB).
 *             Grains: dc_grains_bytes, dc_grains_step_bytes. Stack below 4 KB (`make facts`).
 *   Errors    dc_status:
 *             DC_E_ARG       bad input; dc_sim_flaw and dc_grains_info say where
 *             DC_E_MEMORY    the arena, the list of triangle pairs or the room for grains' pairs is too small; DC_E_ARG
 *                            comes first, as in dc_contact.h
 *             DC_E_OVERLAP   the state a step starts from is not free of overlap: dc_sim_info says who
 *             DC_E_RANGE     numbers too large; a grain that flew away
 *             DC_E_SINGULAR  derivatives: the Hessian of O at the solution is singular
 *             DC_E_DIVERGED  a step did not reach its tolerance; its last iterate is free of overlap
 *             On failure outputs are untouched but as said at the functions.
 *   Threads   Every function is re-entrant; a model is read-only but for dc_sim_refresh.
 *   Bits      A step depends on its arguments alone: no warm start outlives it. Built with -ffp-contract=off the bits
 *             are the same under any compiler: states of 1000 steps and the gradient of a loss of theirs
 *             (tests/test_sim_golden.c). Grains: the same for any split of the parts over threads.
 *   Smooth    The next state is C1 in both earlier ones, control and design wherever d2O/dq_next^2 is regular, through
 *             all changes of contact; friction has its normal force and normal from time t (SDRS Eq. 8), a product of
 *             two coefficients. A uniform solid keeps the faces it was built with.
 *   Accuracy  Of first order in h. Jacobians of every kind against differences of whole steps, sliding, landing and
 *             resting: 1e-6 of the largest entry; the adjoint against their product over 100 steps: 1e-13.
 *   Stable    With V = (T^{t+1} - T^t)/h and V' that of the step before, E the energy of motion, weight and contacts
 *             without control and springs, friction's part of O left aside,
 *                 E^{t+1} - E^t = O^{t+1} - O^t + |V|^2/2 - |V - V'|^2/2,    |V|^2 = sum_i tr(V_i M_i V_i^T).
 *             Where O is convex, on planes and without far turns, it falls by |V|^2/2 and more, and so E falls; O falls
 *             in any case. A body that one step carries past the edge of another, which then pushes it on, may gain:
 *             not by an iterate gone astray, but at the only minimum there is near the start, and no longer where
 *             steps are so short that the edge stops it. Of 30000 steps of bodies thrown at up to 100 m/s, with sizes
 *             from 0.01 to 10 m and flails, energy grew by more than 1e-3 of that of the throw in at most five on
 *             nineteen seeds, mostly by less than 0.05, twice by 0.11; without hulls that push each other by 5e-4 at
 *             most. In 170 tumbles of 200 steps by 5.5e-4 of the energy at the start. On sixteen of these seeds no
 *             step ends with DC_E_DIVERGED, on three one does; on none of the paths anything touched
 *             (tests/test_sim_path.c, DC_TEST_SWEEP 25, DC_TEST_SEED).
 *   Float     A place is known to 6e-8 of its distance from the origin, and a force of contact to what that makes of a
 *             gap: DC_OK says that rounding keeps what is left over from shrinking, dc_sim_info.residual how much that
 *             is. Of 30000 thrown steps, sizes 0.01 to 1 m within 10 m, at most one ended with DC_E_DIVERGED on six
 *             seeds; the force left over was below 1e-3 of the largest in 88 of 100, above 1e-2 in 2, above 0.1 in one
 *             of 600. Beside double from the same states: 85 of 100 of those above 1e-2 end where states within
 *             rounding of theirs lead, 96 within ten times of that.
 *   Cost      us of a step, of its adjoint, the same by vertices and attachments too, and of its Jacobians by both
 *             earlier states and control, one Zen 4 core, gcc 12 -O3, `make bench`: a box on the floor 2.4, 2.1, 2.5,
 *             3.7; a chain of 8 hinges that lands on it 15, 9, 11, 16, of 16 hinges 54, 20, 23, 54; 8 boxes in a stack,
 *             48 freedoms, 170, 43, 62, 130; four chains, 64 freedoms, that meet, a step 1000, an adjoint 210. Grains:
 *             see there.
 *   Trees     A step goes by quadratic models of the pairs of trees, with bounds of their errors: each pair is
 *             evaluated once for a sequence of Newton steps, once more where the step ends, its Hessian where links
 *             moved enough for it to matter and inertia does not outweigh it; planes between triangles are sought from
 *             those of the evaluation before. Scratch: 2.8 KB a pair, 1.3 KB for each of desc.contacts, and 12 KB sqrt
 *             n for a link of n triangles, 6 MB for all links at most. Jacobians against differences of whole steps
 *             1.2e-6 of the largest entry at worst; links that hang in each other as rings of a chain do not meet on
 *             any path.
 *   Piles     Beyond 64 freedoms a step is one of islands, each solved alone to the tolerance, by its own forces: trees
 *             of links that may come to feel each other on their way. What other islands do changes no bit of it. The
 *             Hessian of an island beyond 64 freedoms is in blocks: one for each tree of links, one for every two trees
 *             that touch; Cholesky's factor takes them in the order of least degree. Links whose tree stands in one
 *             piece in the description make the smallest blocks. Boxes that fall and pile up between walls,
 *             bench_sim_pile: 10, 100, 300, 1000 of them take 0.3, 8, 39, 250 ms a step, 11, 11, 15, 18 Newton steps of
 *             a box; of 300 that have come to lie on each other 83 ms, 25. |H| late in a step is for islands of up to
 *             64 freedoms alone.
 *   Limits    Dense algebra within a tree of links: n^3 in its freedoms. Pairs that can meet are found by a sweep along
 *             one axis; felt at any distance (global, trees) all pairs are listed, of 4096 hulls at most. A step that
 *             slides a body round an edge with gaps far below its way needs many iterations: the way between two
 *             iterates is straight in the tangents. Grains without sweeps: symplectic Euler, h < 2 sqrt(m_eff/k_n);
 *             resting contacts of ReLU fields chatter with a speed proportional to h.
 *
 * CHAPTERS of the implementation; each begins with its mark in brackets
 *   of robots:
 *   [moments]             moment matrices
 *   [build]               building a model
 *   [kinematics]          configurations
 *   [twists]              forces and forms of twists, and where derivatives go
 *   [workspace]           what a step reads and what it writes
 *   [energy]              what adds up to O
 *   [broad]               broad phase
 *   [friction]            friction of time t
 *   [trees]               pairs of trees by quadratic models
 *   [evaluation]          O at a place
 *   [path]                continuous collision
 *   [open]                memory of a step, and what does not change during it
 *   [blocks]              Cholesky's factor of a Hessian in blocks
 *   [factor]              factors of the Hessian
 *   [direction]           Newton's direction, bent to slide along contacts
 *   [step]                a step
 *   [islands]             what feels nothing of each other is solved alone
 *   [forces]              forces of contact
 *   [terms]               second derivatives of O by what it depends on
 *   [jacobians]           Jacobians of a step
 *   [trajectory]          many steps, forward and backward
 *   [adam]                optimiser
 *   of designs:
 *   [design]              what a model may change, by variables
 *   [design rows]         hulls that stay solid, a start that stays free
 *   [design step]         the nearest step that is allowed
 *   of grains:
 *   [contact]             one contact: CEM Algorithm 1
 *   [grains]              building grains
 *   [reach]               who is within reach
 *   [reuse]               fields that are as they were
 *   [grain step]          a step of grains
 *   [grain derivatives]   what derivatives of a step of grains are made of
 *   [sweep derivatives]   derivatives of a step with sweeps
 *   [step derivatives]    the calls, and derivatives of the explicit step
 *
 * REFERENCES
 *   [1] SDRS  Ye, Gao, Wu, Pan, Komura: SDRS, shape-differentiable robot simulator.
 *   [2] LRI   Ye, Wu, Komura, Pan: Efficient differentiable contact model with long-range influence.
 *   [3] CEM   Zhecheng Wang, Smith, Madan, Grinspun: The configurational element method for nonconvex granular media.
 *
 * CHANGES  see CHANGELOG.md. LICENCE at the end of this file. */
#ifndef DC_SIM_H_INCLUDED
#define DC_SIM_H_INCLUDED

#include "dc_bsh.h"
#ifndef DC_SIM_NO_GRAINS
#include "dc_sdf.h"
#endif
#include <stdint.h>

/* every function of the float build has a name of its own, as in dc_contact.h */
#if DC_IS_FLOAT
#define dc_sim_bytes dc_sim_bytes_f
#define dc_sim_build dc_sim_build_f
#define dc_sim_refresh dc_sim_refresh_f
#define dc_sim_neutral dc_sim_neutral_f
#define dc_sim_may_touch dc_sim_may_touch_f
#define dc_sim_rest_gap dc_sim_rest_gap_f
#define dc_sim_rest_stiffness dc_sim_rest_stiffness_f
#define dc_sim_poses dc_sim_poses_f
#define dc_sim_retract dc_sim_retract_f
#define dc_sim_local dc_sim_local_f
#define dc_sim_step_bytes dc_sim_step_bytes_f
#define dc_sim_step dc_sim_step_f
#define dc_sim_contacts dc_sim_contacts_f
#define dc_sim_grad_bytes dc_sim_grad_bytes_f
#define dc_sim_grad dc_sim_grad_f
#define dc_sim_adjoint_bytes dc_sim_adjoint_bytes_f
#define dc_sim_adjoint dc_sim_adjoint_f
#define dc_sim_hash dc_sim_hash_f
#define dc_sim_pull dc_sim_pull_f
#define dc_sim_carry dc_sim_carry_f
#define dc_sim_roll dc_sim_roll_f
#define dc_sim_roll_bytes dc_sim_roll_bytes_f
#define dc_adam dc_adam_f
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the model ---------------------------------------------------------------------------------- */

typedef enum {
    DC_SIM_FREE = 0,     /* q: w x y z tx ty tz, 6 tangents v, w */
    DC_SIM_BALL,         /* q: w x y z, 3 */
    DC_SIM_HINGE,        /* turns about the axis, rad */
    DC_SIM_SLIDE,        /* moves along the axis, m */
    DC_SIM_FIXED         /* no freedom; with the world as its parent a part of the scenery */
} dc_sim_joint;

typedef enum {
    DC_SIM_UNIFORM = 0,  /* the hulls are solid; where they overlap they count twice. A link without hulls: what the
                          * triangles of its tree enclose, a closed surface, all of it the same way round */
    DC_SIM_LUMPED,       /* the hulls' vertices are equal point masses (SDRS Eq. 4) */
    DC_SIM_INERTIA       /* mass, centre and inertia as given; the hulls are shape only */
} dc_sim_mass;

/* A link, its joint to its parent and its shape, in the link's frame, whose origin the joint turns. */
typedef struct {
    int          parent;        /* an earlier link, or -1: the world */
    dc_sim_joint joint;
    dc_pose      attach;        /* the joint's frame in the parent's; quaternion all 0: not turned */
    dc_v3        axis;          /* HINGE and SLIDE, any length; 0: z */
    const dc_hull *hull;        /* `hulls` of them, vertices in the link's frame; NULL when 0. Solids are
                                 * not flat, but for one point (a ball) or two (a capsule) with a radius */
    int          hulls;
    const dc_bsh *tree;         /* NULL, or its triangles; borrowed for the life of the model */
    dc_sim_mass  model;
    dc_real      density;       /* UNIFORM: kg/m^3; LUMPED: kg per vertex. Read where mass is 0 */
    dc_real      mass;          /* kg, >= 0; 0: by density. A joint must have something to move */
    dc_v3        centre;        /* INERTIA: centre of mass */
    dc_m3        inertia;       /* INERTIA: about the centre, kg m^2, in the link's axes */
    dc_real      friction;      /* of two things in contact the coefficient is the product of theirs, times what the
                                 * table of the description says of their materials; >= 0 */
    dc_real      damping;       /* N s/m or N m s, against every freedom of the joint; >= 0 */
    dc_real      kp, kd;        /* gains of the control, per rad or m; FREE: of the rotation; >= 0 */
    dc_real      kp_move, kd_move;  /* FREE: of the translation, N/m and N s/m; >= 0 */
    dc_real      lo, hi;        /* HINGE and SLIDE: limits, lo < hi; both 0: none */
    dc_real      limit;         /* stiffness of their barrier, J; 0: 1 */
    dc_real      margin;        /* it is felt this near a limit; 0: (hi - lo)/10 */
} dc_sim_link;

/* Scenery: the half-space n.x + d >= 0 is free. */
typedef struct { dc_v3 n; dc_real d, friction; } dc_sim_plane;

/* What a model is built from. Links that a joint connects never touch each other (where a link has no shape, its parent
 * takes its place), nor do links that do not move; exclude lists further pairs.
 *
 * With `trees` links touch by the triangles of their trees alone, and hulls are for moments. The potential of two links
 * is dc_bsh_eval's, felt at any distance; friction is that of the triangle pairs in dc_bsh_contacts at time t, with
 * their weights (LRI Eq. 12); a triangle at a plane counts as a hull of three vertices, with the potential that
 * `global` and `support` say. Trees have constant radii: there is no derivative by their vertices, which dc_sim_grad
 * and dc_sim_adjoint refuse. */
typedef struct {
    const dc_sim_link *link;    /* parents first */
    int links;
    const dc_sim_plane *plane;
    int planes;
    const int *exclude;         /* 2*excludes links */
    int excludes;
    int materials;              /* in the table below; 0: none */
    dc_real h;                  /* time step, s, > 0 */
    dc_v3   gravity;            /* m/s^2 */
    dc_real stiffness;          /* k, J; 0: the weight of the lightest body times length, 0.003 of it where contact is
                                 * felt at any distance */
    int     global;             /* 1: DC_GLOBAL, felt at any distance, instead of DC_LOCAL, with which bodies far apart
                                 * cost nothing */
    dc_real support;            /* s of DC_LOCAL; 0: 0.1 */
    dc_real length;             /* the unit of length of the potentials, m; 0: 0.025 diameters of the smallest hull (or
                                 * tree). Contact is felt from 2s/(1-s) lengths; with `global` force falls as k
                                 * length/x^2 nearby and k sqrt(length)/x^1.5 far away */
    const dc_real *table;       /* NULL, or materials x materials, symmetric: factors of the product of two
                                 * coefficients */
    const int *material;        /* of the links, then of the planes: rows of the table */
    dc_friction_options friction;   /* eps_v 0: (1e-6 sqrt(g diameter))^2, float (1e-5 ..)^2; eps_f 0:
                                     * (1e-6/length)^2. What slides slower than sqrt(eps_v) creeps: bodies rest better
                                     * with less of it, plans and Newton's method want more, see below */
    int     trees;              /* 1: links touch by their trees. Near contact hundreds of pairs of triangles add up,
                                 * each with the whole stiffness: examples with bodies of 280 and 1800 triangles have
                                 * k 1e-8 and 1e-9 J where those with boxes have 3e-5 and 1e-4 */
    dc_bsh_options hierarchy;   /* its length is not read */
    int     contacts;           /* room for so many triangle pairs with friction, before they fade; more: DC_E_MEMORY;
                                 * 0: 1024 */
    dc_real reach;              /* m: their friction fades, C2, while the distance r of their potential, 12 (1 + 1/sqrt
                                 * r)^2, which is one to three gaps, grows from half of it to all of it; 0: friction of
                                 * all of them */
    dc_real tolerance;          /* the step ends when the largest force left over is below this part of the largest
                                 * force acting (of an island: its own), or when rounding keeps it from shrinking; 0:
                                 * 1e-9 (float 1e-4) */
    int     iterations;         /* cap; 0: 400 */
} dc_sim_desc;

/* What zero stands for in stiffness, length and friction, dc_sim_build chooses from gravity and the links as they are
 * then (without gravity by diameter/(100 h^2)); sim->desc has the numbers. Bodies of any size and weight, in any unit,
 * rest at gaps of at most 0.6 % of the smallest hull's diameter, and creep by less than 1e-4 of it in a second (float
 * 1e-3). dc_sim_rest_gap and dc_sim_rest_stiffness say what other numbers do. A body placed nearer than where it rests
 * is pushed out with what the potential holds there, k P: steps longer than sqrt(length/g) damp that, shorter ones
 * throw the body.
 *
 * What eps_v, k and length do where contact is felt at any distance. Ten cubes of 0.1 m and 1 kg and a rod that comes
 * among them, h 0.04 s, means of five layouts; Newton steps of a step, gradient at the untouched start, creep of what
 * lies still in 1.28 s (bench_tasks):
 *     eps_v 1e-6, 1e-3, 1e-2 m^2/s^2    5.4, 3.1, 2.9    8e-4, 2e-3, 5e-3    0.04, 0.7, 2 mm
 *     k 3e-6, 3e-5, 3e-4 J              2.8, 3.1, 3.6    2e-4, 2e-3, 2e-2    0.07, 0.7, 6 mm
 *     length 0.1, 1, 10 m               3.3, 3.1, 3.7    4e-4, 2e-3, 2e-2    0.1, 0.7, 5 mm
 *     k 1e-9, 1e-8, 1e-6 J, trees       2.0, 2.2, 4.1    6e-6, 6e-5, 8e-3    0.01, 0.1, 3 mm
 * The gradient from afar is as k and sqrt(length), from layout to layout 5 times more or less, with trees 40; so is the
 * creep, since what pushes is the same force. For plans take eps_v 1e-3 and the largest k whose creep does no harm. */

/* Why a model was refused. */
typedef struct { int link; const char *cause; int hull; } dc_sim_flaw;  /* -1: not a link's, not a hull's fault */

/* Hull j of the model: vertices vertex[begin .. begin + n), link, bounding sphere, faces as loops of vertices. With
 * `trees` the corners of each tree follow as one more hull. round: the radius about its vertices. */
typedef struct { int link, begin, n, loop, face, faces, tree; dc_v3 centre; dc_real radius, round; } dc_sim_hull;

/* The model: plain data in the caller's memory. Entries of link (but for parent, joint, hull, hulls and model), vertex
 * and plane are the design and may be changed; then dc_sim_refresh. */
typedef struct {
    dc_sim_desc desc;           /* its pointers to model memory */
    dc_sim_link *link;
    dc_sim_plane *plane;
    dc_v3 *vertex;              /* of all hulls, link after link, then the corners of trees, which are no design */
    dc_sim_hull *hull;
    int *pair;                  /* 2*pairs hulls that may touch, where contact is felt at any distance; else none is
                                 * listed */
    int *anchor, *above;        /* of link i: the link it moves with, and the nearest with shape before it; -1: none */
    int *exclude;               /* 2*excludes links, the smaller first, ascending */
    int *loop, *face;           /* of the hulls' faces */
    int *q_at, *v_at;           /* of link i: where its joint is in q and dq */
    int *piece, *piece_at;      /* of link i: the piece it belongs to; where the pieces begin in dq, and where the last
                                 * one ends */
    dc_real *moment;            /* 16 per link */
    dc_real *moment_grad;       /* 10 per coordinate of a vertex: the upper triangle by rows of its link's moment
                                 * matrix */
    int links, planes, hulls, vertices, pairs, nq, nv, most;    /* most: vertices of the largest hull */
    int pieces;                 /* trees of links, or what lies between the first and the last link of several: between
                                 * two of them the Hessian has a block where they touch. Small models are one piece */
    int corners;                /* of the trees, 3 a triangle */
    int excludes, meets;        /* meets: some two links may touch */
    dc_real *table;             /* as in the description */
    int *material, materials;
} dc_sim;

/* Bytes of arena that dc_sim_build takes, some of them, to find faces, while it runs; 0: desc or what it points to is
 * no description, or it does not fit. */
DC_DEF size_t dc_sim_bytes(const dc_sim_desc *desc);

/* Builds a model. The description is copied and may go. flaw may be NULL; written only with DC_E_ARG. DC_E_ARG,
 * DC_E_MEMORY: *sim and mem untouched. Faces and moments are found in the arena: DC_E_MEMORY comes before their flaws,
 * a solid that is flat, a joint that moves no mass. */
DC_DEF dc_status dc_sim_build(const dc_sim_desc *desc, dc_arena *mem, dc_sim *sim, dc_sim_flaw *flaw);

/* The gap at which `vertices` vertices of a hull over a plane together push with `force`, N; two hulls face to face
 * rest at about twice that. And the stiffness k of a description at which they rest at `gap`, m, with the model's
 * length and support. 0: an argument is not positive, or no stiffness does (DC_LOCAL: a gap that is not felt). */
DC_DEF dc_real dc_sim_rest_gap(const dc_sim *sim, dc_real force, int vertices);
DC_DEF dc_real dc_sim_rest_stiffness(const dc_sim *sim, dc_real gap, dc_real force, int vertices);

/* Checks a changed design and computes what depends on it. A solid keeps the faces it was built with: a face of four or
 * more vertices is the fan from their mean to its edges, so that moments are polynomials of the vertices, with
 * derivatives where those of the hull itself have kinks. A hull that had faces and has no volume left, or was turned
 * inside out, is named. DC_E_ARG: the model is not to be used until it is repaired. */
DC_DEF dc_status dc_sim_refresh(dc_sim *sim, dc_sim_flaw *flaw);

/* 1: hulls a and b of the model may touch. 0: they never meet, or there are no such. */
DC_DEF int dc_sim_may_touch(const dc_sim *sim, int a, int b);

/* q[nq] with every joint at 0. */
DC_DEF void dc_sim_neutral(const dc_sim *sim, dc_real *q);

/* pose[links], body to world. */
DC_DEF void dc_sim_poses(const dc_sim *sim, const dc_real *q, dc_pose *pose);

/* out = q moved by the tangent dq; out may be q. */
DC_DEF void dc_sim_retract(const dc_sim *sim, const dc_real *q, const dc_real *dq, dc_real *out);

/* The tangent at q0 that leads to q1, rotations below pi. */
DC_DEF void dc_sim_local(const dc_sim *sim, const dc_real *q0, const dc_real *q1, dc_real *dq);

/* The generalised force of a force f in the world at a point x of a link's frame, added to dq: dq += J^T f. So the
 * gradient of a loss of places is pulled back to tangents. */
DC_DEF void dc_sim_pull(const dc_sim *sim, const dc_real *q, int link, dc_v3 x, dc_v3 f, dc_real *dq);

/* J dq: the change of that point in the world by a tangent, to first order. */
DC_DEF dc_v3 dc_sim_carry(const dc_sim *sim, const dc_real *q, int link, dc_v3 x, const dc_real *dq);

/* 64-bit FNV-1a hash of n numbers, the lowest byte of each first on every machine, for comparing runs bit by bit. */
DC_DEF uint64_t dc_sim_hash(const dc_real *x, int n);

/* ---- the step ----------------------------------------------------------------------------------- */

/* Control of one step, any of it NULL: stable PD (SDRS Eq. 5 with kp/2 for its k_p and kd h/2 for its k_d, so that the
 * force is kp (target - q) + kd (velocity - dq/dt)) towards the end of the step, and forces. */
typedef struct {
    const dc_real *target;      /* nq; NULL: the neutral state. For BALL and FREE the spring of the rotation is that of
                                 * 2 sin(angle/2), smooth everywhere */
    const dc_real *velocity;    /* nv */
    const dc_real *force;       /* nv, N or N m */
} dc_sim_control;

typedef struct {
    int     iterations;         /* Newton steps; of islands the most of any, as of the next two */
    int     shifts;             /* of them with a Hessian that had to be made positive definite */
    int     shortened;          /* of them cut short or bent aside so that nothing is met on the way */
    dc_real residual;           /* largest force left over, N or N m, and */
    dc_real scale;              /* largest force acting: of the island that is left with most of it */
    dc_real gap;                /* least distance between a plane of separation and a vertex that feels it, of the pairs
                                 * in contact; +INFINITY: none */
    int     contacts;           /* pairs of hulls, and hulls at planes, that feel each other */
    int     hull_a, hull_b;     /* DC_E_OVERLAP: who; hull_b = -1-p: plane p */
    size_t  bytes;              /* of arena that were enough for this step; with another status than DC_E_MEMORY */
    int     islands;            /* parts of the scene that were solved alone: of a model beyond 64 freedoms */
    dc_real newton;             /* Newton steps of a freedom, the mean of all */
    dc_real *path;              /* in: NULL, or room for path_size states: */
    int     path_size, path_count;      /* the corners of the motion from q to q_next, both included; between corners
                                         * all joints move evenly (dc_sim_retract by a share) */
} dc_sim_info;

/* Bytes of arena for dc_sim_step in any state, also where all hulls touch each other: they grow with the square of the
 * links. A pile takes far less: give what there is and look at dc_sim_info.bytes. 0: no model, or it does not fit. */
DC_DEF size_t dc_sim_step_bytes(const dc_sim *sim);

/* q_next[nq] from the states one step ago and now. Depends on its arguments alone, so that a step repeated gives the
 * same bits. control and info may be NULL; q_next may be q_prev. Set info->path before the call (info zero otherwise).
 * Nothing overlaps anywhere on the path: every Newton step is cut where, for each pair, a chain of moving planes, each
 * keeping all vertices on their sides by bounds on their speed and acceleration, comes to an end; it turns nothing by
 * more than half a radian.
 * DC_E_OVERLAP   q is not free of overlap.
 * DC_E_DIVERGED  the tolerance was not reached, or a plane of separation or a slip not found to rounding; q_next is the
 *                last iterate, free of overlap. Where the cap of iterations ended it, it may have gained energy.
 * DC_E_ARG, DC_E_MEMORY, DC_E_RANGE: bad input; the arena is too small; numbers too large. q_next untouched but for
 * DC_E_DIVERGED. */
DC_DEF dc_status dc_sim_step(const dc_sim *sim, const dc_real *q_prev, const dc_real *q, const dc_sim_control *control,
                             dc_arena *mem, dc_real *q_next, dc_sim_info *info);

/* The forces of contact of a step that led from q to q_next. A pair of hulls is one contact, in the middle of its
 * pressure on the plane of separation, with the room between the hulls along n for its gap; a hull at a plane has one
 * for every vertex that feels it; a pair of trees one, with n along the force, the gap that its potential tells, and a
 * torque of the normal forces too where they have no common line. Friction is that of time t at the velocity of the
 * step, where there is no normal force any more as well. The forces on a body, with gravity, joints and control, are
 * what changes its momentum, within the tolerance of the step.
 * most      room for contacts; contact[most], count: out. Bytes of mem: dc_sim_step_bytes.
 * DC_E_MEMORY: mem, or more than `most`: then *count is how many there are, elsewhere outputs are untouched. DC_E_ARG,
 * DC_E_OVERLAP (q or q_next), DC_E_DIVERGED, DC_E_RANGE as for the step. */
DC_DEF dc_status dc_sim_contacts(const dc_sim *sim, const dc_real *q, const dc_real *q_next, dc_arena *mem, int most,
                                 dc_contact_force *contact, int *count);

/* ---- derivatives -------------------------------------------------------------------------------- */

/* Jacobians of the tangent at q_next, row-major, nv rows; NULL costs nothing. */
typedef struct {
    dc_real *prev, *now;        /* nv columns: by q_prev, by q */
    dc_real *control;           /* 3 nv columns: by target, velocity, force */
    dc_real *attach;            /* 6 links: by the twist (v, w) of link i's attachment, in the parent's axes about its
                                 * origin */
    dc_real *mass;              /* links: by the mass of link i, its shape held: moments scale */
    dc_real *friction;          /* links + planes: by the friction of link i, then of the planes */
    dc_real *vertex;            /* 3 vertices: by the vertices, in the link's frame; mass or density held as
                                 * described */
} dc_sim_jacobian;

/* Bytes of arena for dc_sim_grad with these outputs; only whether they are NULL is looked at. */
DC_DEF size_t dc_sim_grad_bytes(const dc_sim *sim, const dc_sim_jacobian *out);

/* The derivatives of dc_sim_step at its solution q_next, by the implicit function theorem (SDRS Eq. 88):
 *     d2O/dq_next^2 dq_next = - d2O/dq_next d(q_prev, q, control, design)
 * DC_E_SINGULAR: d2O/dq_next^2 is. Other statuses as for the step. Outputs untouched but with DC_OK. */
DC_DEF dc_status dc_sim_grad(const dc_sim *sim, const dc_real *q_prev, const dc_real *q, const dc_sim_control *control,
                             const dc_real *q_next, dc_arena *mem, const dc_sim_jacobian *out);

/* A trajectory of H steps from q_{-1}, q_0 and what its loss L(q_1, ..., q_H) is differentiated by. */
typedef struct {
    int steps;                  /* H >= 1 */
    int every;                  /* 0 or 1: q holds all states. k > 1: checkpoints of every k-th step, from which the
                                 * steps between are made again, to the same bits, k = sqrt H for the least memory */
    const dc_real *q;           /* (H + 2) nq: q_{-1}, ..., q_H; with k: pairs q_{ck-1}, q_{ck} for c = 0, 1, .. while
                                 * ck < H */
    const dc_sim_control *control;  /* H; NULL: none */
    const dc_real *loss;        /* H nv: dL/dq_1, ..., dL/dq_H by the tangents there */
    dc_real *start;             /* out, 2 nv: dL/dq_{-1}, dL/dq_0; NULL as the others: not computed */
    dc_real *control_grad;      /* H 3nv: by target, velocity, force of every step */
    dc_real *attach, *mass, *friction, *vertex;     /* columns as in dc_sim_jacobian */
    dc_real *velocity;          /* nv: by the velocity v at q_0, which is held, where q_{-1} is dc_sim_retract of q_0 by
                                 * -h v */
} dc_sim_run;

typedef struct {
    int diverged, first;        /* steps that did not reach their tolerance, and the first of them, from 0; -1: none */
    long iterations;            /* Newton steps of all */
} dc_sim_roll_info;

/* The steps of a run into its states: q is the array that run->q points to, whose first two the caller has set. It goes
 * on after steps that did not reach their tolerance: DC_E_DIVERGED, *info (may be NULL) says how many; any other status
 * ends it, states after that are not written. Bytes of arena: dc_sim_roll_bytes. */
DC_DEF size_t dc_sim_roll_bytes(const dc_sim *sim);
DC_DEF dc_status dc_sim_roll(const dc_sim *sim, const dc_sim_run *run, dc_real *q, dc_arena *mem,
                             dc_sim_roll_info *info);

/* Bytes of arena for dc_sim_adjoint; of run, the numbers of steps and which pointers are NULL is looked at. */
DC_DEF size_t dc_sim_adjoint_bytes(const dc_sim *sim, const dc_sim_run *run);

/* The gradient of L, from the last step to the first: one factorisation each and no Jacobian. On failure, statuses as
 * in dc_sim_grad and dc_sim_step, the outputs are not defined. */
DC_DEF dc_status dc_sim_adjoint(const dc_sim *sim, const dc_sim_run *run, dc_arena *mem);

/* ---- optimiser ---------------------------------------------------------------------------------- */

/* Adam (Kingma and Ba): keeps n numbers of each moment. Start with step 0 and m, v zero. A projection onto the allowed
 * set is applied by the caller to x after each step. */
typedef struct {
    int n, step;
    dc_real *m, *v;             /* n each */
    dc_real rate;               /* 0: 0.001 */
    dc_real beta1, beta2, eps;  /* 0: 0.9, 0.999, 1e-8 */
} dc_adam_state;

/* x <- x - rate m^/(sqrt v^ + eps),  m^ and v^ the bias-corrected moments of the gradient. DC_E_ARG, nothing written: a
 * NULL, n < 1, a gradient that is not finite. */
DC_DEF dc_status dc_adam(dc_adam_state *a, const dc_real *grad, dc_real *x);

#ifndef DC_SIM_NO_DESIGN

/* ---- design --------------------------------------------------------------------------------------
 *
 * What a model may change, coordinates of hull vertices, attachments, masses and coefficients of friction, as an affine
 * function of n variables d (SDRS III-B):
 *
 *     x_s(d) = base_s + sum_k w_sk d_k        s: a slot; d = 0: the model as it was when the design was built
 *
 * so that hulls that share a point x_ijk, an attachment welded to a vertex of its parent (SDRS Fig. 3), feet that
 * mirror each other, fingers that are copies, lengths and scalings are the same variable in several slots and no
 * constraint. What is left is a box and sparse rows, and SDRS Eq. 15 is a projection. One iteration:
 *
 *     dc_design_apply(&D, d, &sim, NULL);                      the design into the model
 *     dc_sim_roll(..), dc_sim_adjoint(..);                     with run.vertex, run.attach as needed
 *     dc_design_pull(&D, d, &run, grad);                       gradient by d
 *     dc_design_solid(&D, &sim, margin, &mem, &rows);          hulls stay solid
 *     dc_design_clear(&D, &sim, q0, gap, reach, &mem, &rows, NULL);    the start stays free of overlap
 *     for (k = 0; k < n; ++k) step[k] = -t*grad[k];            t large: SDRS Eq. 15
 *     dc_design_project(&D, &rows, d, radius, &mem, step, NULL);
 *     for (k = 0; k < n; ++k) d[k] += step[k]; */

#if DC_IS_FLOAT
#define dc_design_bytes dc_design_bytes_f
#define dc_design_build dc_design_build_f
#define dc_design_apply dc_design_apply_f
#define dc_design_pull dc_design_pull_f
#define dc_design_rows_bytes dc_design_rows_bytes_f
#define dc_design_rows_open dc_design_rows_open_f
#define dc_design_row dc_design_row_f
#define dc_design_scratch_bytes dc_design_scratch_bytes_f
#define dc_design_solid dc_design_solid_f
#define dc_design_clear dc_design_clear_f
#define dc_design_project_bytes dc_design_project_bytes_f
#define dc_design_project dc_design_project_f
#endif

/* A vertex moves by itself, or with all shared vertices of its link, and attachments on it, that are at its place. */
enum { DC_DESIGN_HELD = 0, DC_DESIGN_FREE, DC_DESIGN_SHARED };
/* What of an attachment is variable; both: their sum. Its place is that of a shared vertex of its parent where there is
 * one; its turn is exp([r]) before that it was built with, r a vector in the parent's axes. */
enum { DC_DESIGN_MOVES = 1, DC_DESIGN_TURNS = 2 };

/* Link `to`, which has hulls as link `from` has and nothing marked of its own, takes part in every move of it but those
 * by terms of one's own: its vertices, and its attachment if that of `from` is marked or its parent stretched, move by
 * map times what they do; turns by map as of axial vectors. Where both are attached to a link that is stretched, each
 * moves with its own place on it. `from` is itself no copy. */
typedef struct { int from, to; dc_m3 map; } dc_design_copy;

/* A link is stretched: its vertices, and what is attached to it, move by d_k times their coordinate along the axis, of
 * any length, as built; axis 0: by d_k times their place, which scales. */
typedef struct { int link; dc_v3 axis; int variable; } dc_design_stretch;

/* A term of one's own: d_k times `weight` in a coordinate of a vertex (axis 0..2), of an attachment (0..2 place, 3..5
 * turn), in the mass of a link, its shape held, or the friction of a link or, behind the links, of a plane. */
typedef enum { DC_DESIGN_VERTEX, DC_DESIGN_ATTACH, DC_DESIGN_MASS, DC_DESIGN_FRICTION } dc_design_kind;
typedef struct { dc_design_kind kind; int index, axis, variable; dc_real weight; } dc_design_term;

typedef struct {
    const unsigned char *vertex;        /* vertices of the model: DC_DESIGN_HELD, .._FREE, .._SHARED; NULL: all held */
    const unsigned char *attach;        /* links: DC_DESIGN_MOVES, .._TURNS; NULL: all held */
    const dc_design_copy *copy;
    int copies;
    const dc_design_stretch *stretch;
    int stretches;
    const dc_design_term *term;
    int terms;
    int variables;                      /* of stretches and own terms: the first of d */
    dc_real range;                      /* points stay this near where they were, in each coordinate, m; 0: anywhere */
} dc_design_desc;

/* Plain data in the caller's memory. lo and hi may be changed. */
typedef struct {
    int n;                              /* variables: own ones, then three for each point and each turn */
    int slots;                          /* vertices' coordinates, 6 of each attachment, masses, frictions: the columns
                                         * of dc_sim_run */
    int *begin, *variable;              /* terms of slot s: begin[s] .. begin[s + 1) */
    dc_real *weight;
    dc_real *base;                      /* of the slots; 0 for turns */
    dc_quat *turn;                      /* of the attachments, as built */
    dc_m3 *inertia;                     /* of the links, as built */
    dc_real *lo, *hi;                   /* n: bounds of d */
    int *point, *place, *turned;        /* the first of the three variables of a vertex, of an attachment's place and
                                         * turn; -1: none of its own */
    int vertices, links, planes;        /* of the model */
} dc_design;

/* Bytes of arena that dc_design_build takes at most. 0: no description, or it does not fit. */
DC_DEF size_t dc_design_bytes(const dc_design_desc *desc, const dc_sim *sim);

/* The design space about the model as it is. flaw may be NULL; written only with DC_E_ARG: a mark of no meaning, a copy
 * of a link of another shape, terms of nothing, of a mass that is given by density, or of models of trees. */
DC_DEF dc_status dc_design_build(const dc_design_desc *desc, const dc_sim *sim, dc_arena *mem, dc_design *design,
                                 dc_sim_flaw *flaw);

/* Writes d[n] into a model, which is that of the build or a copy of it, and refreshes it. A mass brings its inertia
 * along. The result depends on d alone. DC_E_ARG: another model, d not finite (the model is as it was); or the design
 * is no model, *flaw (may be NULL) says which link and hull: apply another before it is used. */
DC_DEF dc_status dc_design_apply(const dc_design *design, const dc_real *d, dc_sim *sim, dc_sim_flaw *flaw);

/* grad[n] += the gradient by d of a loss whose gradients by vertices, attachments, masses and friction are in the
 * columns of a run, as dc_sim_adjoint leaves them; those that are NULL are not read. What a loss says of the design
 * itself may be added to the columns before. */
DC_DEF dc_status dc_design_pull(const dc_design *design, const dc_real *d, const dc_sim_run *run, dc_real *grad);

/* What a row is about. */
typedef enum { DC_DESIGN_OWN = 0, DC_DESIGN_SOLID, DC_DESIGN_PLANE, DC_DESIGN_PAIR } dc_design_cause;
typedef struct {
    dc_design_cause cause;
    int hull, vertex;                   /* vertex of the hull, from 0; -1 where there is none */
    int other;                          /* SOLID: face of the hull; PLANE: plane; PAIR: hull */
} dc_design_name;

/* Rows  sum_k weight_k step_k >= least  on a step from the design that the model has. */
typedef struct {
    int rows, entries;                  /* set to 0 for the next step */
    int most_rows, most_entries;        /* room */
    int need_rows, need_entries;        /* after DC_E_MEMORY: room for all that was asked for */
    int *begin, *variable;
    dc_real *weight, *least;
    dc_design_name *name;
} dc_design_rows;

/* Room for rows; 0: it does not fit. */
DC_DEF size_t dc_design_rows_bytes(int rows, int entries);
DC_DEF dc_status dc_design_rows_open(int rows, int entries, dc_arena *mem, dc_design_rows *out);

/* A row of one's own, no variable twice. DC_E_MEMORY: no room, as in the next two. */
DC_DEF dc_status dc_design_row(const dc_design *design, int entries, const int *variable, const dc_real *weight,
                               dc_real least, dc_design_rows *rows);

/* Bytes of scratch for the next two. */
DC_DEF size_t dc_design_scratch_bytes(const dc_design *design, const dc_sim *sim);

/* Adds the rows that keep hulls solid and convex: to first order each vertex that is no corner of a face stays `margin`
 * below it, through the mean of its corners; where it was nearer as built, half as far as then. Hulls that were flat
 * when the model was built, or have more than 1024 vertices and no mass of a solid, have no rows. */
DC_DEF dc_status dc_design_solid(const dc_design *design, const dc_sim *sim, dc_real margin, dc_arena *mem,
                                 dc_design_rows *rows);

/* Adds the rows that keep the state q free: vertices stay `gap` in front of the planes, and on their sides of a plane
 * between two hulls that may touch, `gap` apart; vertices farther than `reach` from where they have to be are left out:
 * a step moves none as far. With a state that overlaps, rows that part it, each as far as the last answer of
 * dc_hull_distance says; *worst (may be NULL) receives the least distance minus gap of all that was looked at, and
 * what it is of. */
DC_DEF dc_status dc_design_clear(const dc_design *design, const dc_sim *sim, const dc_real *q, dc_real gap,
                                 dc_real reach, dc_arena *mem, dc_design_rows *rows, dc_real *room,
                                 dc_design_name *worst);

typedef struct {
    int sweeps;                         /* over the rows */
    int held;                           /* rows that hold the step back */
    int row;                            /* DC_OK, DC_E_DIVERGED: the row that is missed by most; DC_E_SINGULAR: that
                                         * which asks for most; -1: none */
    dc_real missed;                     /* by how much, in its unit over the length of its weights */
} dc_design_info;

/* Bytes of arena for dc_design_project; 0: it does not fit. */
DC_DEF size_t dc_design_project_bytes(const dc_design *design, const dc_design_rows *rows);

/* SDRS Eq. 15. step[n], in: where to, as -t grad with t large; out: of the steps that stay in the box and the rows and
 * are no longer than `radius` (0: any) the one nearest to it. It is the projection onto box and rows alone of a share
 * of the step, found by the dual: coordinate ascent, and Newton's method on the rows that hold. rows, info may be NULL.
 * DC_E_SINGULAR  no such step: rows, bounds and radius contradict each other, which is certain; info names a row.
 * DC_E_DIVERGED  a cap was reached; step is what there is, info says what it misses.
 * DC_E_ARG, DC_E_MEMORY; step untouched but for DC_E_DIVERGED. */
DC_DEF dc_status dc_design_project(const dc_design *design, const dc_design_rows *rows, const dc_real *d,
                                   dc_real radius, dc_arena *mem, dc_real *step, dc_design_info *info);

#endif /* DC_SIM_NO_DESIGN */

#ifndef DC_SIM_NO_GRAINS

/* ---- grains --------------------------------------------------------------------------------------
 *
 * Rigid grains of any shape in the plane, after CEM [3]: all that two shapes need to touch is a pair of scalar fields
 * over their relative pose (dc_cfield of dc_sdf.h): the distance d and the lever of friction. Each pair of grains
 * within reach gets one force (CEM Algorithm 1), then all move by symplectic Euler. Half-planes and circles are bodies
 * too, of types of their own.
 *
 *   q = (theta, x, y)   pose of a body, rad and m; v = (omega, vx, vy)
 *   q_AB                pose of B in A's frame: (theta_B - theta_A, R(-theta_A)(x_B - x_A))
 *   g                   gradient of d by q_AB; n its part by x and y, turned into the world; t = n turned by +90
 *                       degrees
 *   lever               (p - (x_A + x_B)/2).n/|n|, p the point of contact. proj_A = -(p - x_A).n/|n| and proj_B = (p -
 *                       x_B).n/|n| follow from it, so that both refer to one point and friction keeps angular momentum
 *
 *     f_n = max(0, k_n max(-d, 0) - c gamma_n v_n),   v_n = d(d)/dt            force J_A^T g f_n on A, J_B^T g f_n on B
 *     s <- s + h v_t,   v_t = t.(v_B - v_A) + proj_B omega_B + proj_A omega_A
 *     f_t = -k_t s - c gamma_t v_t, with s cut so that |f_t| <= mu f_n |n|;  s = 0 where the dashpot alone exceeds that
 *     v <- v + h (f/m + gravity),   q <- q + h v
 *
 * With `sweeps` the forces are those at the end of the step, implicit in the velocity, which takes steps 20 times as
 * long (4 ms where 0.2 ms are needed) at a fraction of the overlap. Of contacts nearer than they can come in a step,
 * K = c gamma + h k of either direction:
 *
 *     f_n = -K_n v_n - k_n d  (d > 0: -K_n (v_n + d/h)) >= 0,      f_t = -K_t v_t - k_t s,  |f_t| <= mu f_n |n|
 *
 * at the new velocities v = v_0 + h (f/m + gravity). They are found by Jacobi's iteration with split masses, from the
 * forces of the step before: each contact answers with its share m/n of a body with n contacts,
 *     f <- f - (K v_contact + pull + f)/(1 + h K w),     w of the shares,
 * all of them at the same velocities, so that the bits do not depend on the order. What is left of the error after the
 * sweeps is carried to the next step by the forces, which belong to the state: too few of them leave a pile that
 * trembles. 500 # of 0.4 kg in 20 layers, 4 ms, k 8e4: 70 mm/s with 8 sweeps, 9 with 16, 4 with 32; k 2e4: 18 with 8.
 *
 * With `reuse` fields are not evaluated in every step. What was found last is kept in the state, with the pose it was
 * found at. As long as the relative pose of a pair has moved by an e with |e_xy| + r_b |e_theta| below reuse times the
 * smaller radius, the contact goes by the quadratic about it, whose gradient is that of its d:
 *
 *     d + g.e + e.H e/2,   g + H e,   lever + (its derivative).e
 *
 * so do smooth and baked fields, of bodies slow enough for H to pay. Pairs apart are left alone until motion may have
 * used up half their distance, or they may touch in the step; that is proved for exact fields, whose steps keep their
 * bits. For networks of so many shapes that it takes too long, or too much memory, to bake all pairs of them: of 500 #
 * of 20 types, smooth networks, implicit steps of 4 ms, 4 % of the evaluations are left at rest, and a step takes 0.3
 * ms instead of 1.7 (bench_grains); of 300 in a turning drum 86 %, and 0.81 ms instead of 0.87.
 * The error of d grows with the cube of reuse, that of the gradient with its square: of smooth networks of # near the
 * surface 2e-6 of the radius (at worst 5e-5) and 3e-3 (7e-2) with 3e-3; 7e-5 (2e-3) and 3e-2 (0.7) with 1e-2, of which
 * piles tremble: 30 mm/s instead of 10.
 *
 * c is 1/2, the reduced mass of grains of unit mass as in the paper, or the reduced mass of the pair (reduced_mass).
 * The spring s belongs to the pair while d < 0 and is gone when contact opens. Linear and angular momentum are kept to
 * rounding by every pair, whatever its field says. h must be below 2 sqrt(m_eff/k_n), m_eff the mass a contact feels:
 * m/4 at the end of a rod.
 *
 * Memory: some 2 KB for each body with the room for 16 pairs, with sweeps 7 KB, with reuse 5 KB more. The same bits for
 * any split of the parts of a step. Resting contacts of fields whose gradient jumps, as that of networks of max(0, z),
 * chatter with a speed that falls with h.
 *
 * A step costs O(bodies + pairs within reach) + bodies x walls. It never looks at pairs whose circles about the centres
 * of mass are apart. The grid's cells are as wide as the largest grain: one grain far larger than the rest belongs
 * among the walls.
 *
 * Two stars fall on the ground; a complete program:
 *
 *|#define DC_CONTACT_IMPLEMENTATION
 *|#define DC_BSH_IMPLEMENTATION
 *|#define DC_SDF_IMPLEMENTATION
 *|#define DC_SIM_IMPLEMENTATION
 *|#include "dc_sim.h"
 *|#include <stdio.h>
 *|static unsigned char memory[1 << 17];
 *|int main(void)
 *|{
 *|    const dc_grain_material stone = {DC_R(1e4), 20, DC_R(1e4), 20, DC_R(0.5)};  // k_n, gamma_n, k_t, gamma_t, mu
 *|    const int body[3] = {0, 0, 1};                         // of which type: star, star, ground
 *|    dc_arena mem = dc_arena_make(memory, sizeof memory);
 *|    dc_v2 v[DC_POLY_NAMED_MOST];
 *|    dc_cshape star = DC_ZERO, ground = DC_ZERO;
 *|    dc_cfield field[2];                                    // of star and star, of ground and star
 *|    dc_grain_type type[2] = DC_ZERO;
 *|    dc_grain_pair pair[2] = DC_ZERO;
 *|    dc_grains_desc desc = DC_ZERO;
 *|    dc_grains g;
 *|    int k;
 *|    dc_status s = dc_poly_named("star", DC_POLY_NAMED_MOST, v, &star.poly.n);
 *|    star.poly.v = v;
 *|    ground.kind = type[1].kind = DC_CSHAPE_HALFPLANE;      // solid where y <= 0
 *|    if (s == DC_OK) s = dc_cfield_exact(NULL, &star, &star.poly, &mem, &field[0]);
 *|    if (s == DC_OK) s = dc_cfield_exact(NULL, &ground, &star.poly, &mem, &field[1]);
 *|    if (s == DC_OK) s = dc_grain_type_poly(&star.poly, 1, 1, &type[0]);         // 1 m, 1 kg/m^2
 *|    pair[0].field = &field[0];
 *|    pair[1].field = &field[1]; pair[1].a = 1;
 *|    desc.type = type; desc.types = 2; desc.pair = pair; desc.pairs = 2; desc.body = body; desc.bodies = 3;
 *|    desc.h = DC_R(1e-3); desc.gravity[1] = DC_R(-9.81); desc.material = stone;
 *|    desc.lo[0] = -4; desc.hi[0] = 4; desc.hi[1] = 8;
 *|    if (s == DC_OK) s = dc_grains_build(&desc, &mem, &g);
 *|    if (s != DC_OK) return 1;
 *|    g.q[2] = 2; g.q[3] = DC_R(0.3); g.q[5] = 5;            // y of the first; angle, y of the second
 *|    for (k = 0; k < 2000 && s == DC_OK; ++k) s = dc_grains_step(&g, &mem, NULL);
 *|    printf("%s, heights %.2f and %.2f\n", dc_status_text(s), (double)g.q[2], (double)g.q[5]);
 *|    return s != DC_OK;
 *|}
 */

#if DC_IS_FLOAT
#define dc_grain_type_poly dc_grain_type_poly_f
#define dc_grains_bytes dc_grains_bytes_f
#define dc_grains_build dc_grains_build_f
#define dc_grains_step dc_grains_step_f
#define dc_grains_step_bytes dc_grains_step_bytes_f
#define dc_grains_find dc_grains_find_f
#define dc_grains_meet dc_grains_meet_f
#define dc_grains_sum dc_grains_sum_f
#define dc_grains_sweep dc_grains_sweep_f
#define dc_grains_solve dc_grains_solve_f
#define dc_grains_grad_bytes dc_grains_grad_bytes_f
#define dc_grains_advance dc_grains_advance_f
#define dc_grains_springs dc_grains_springs_f
#define dc_grains_jvp dc_grains_jvp_f
#define dc_grains_vjp dc_grains_vjp_f
#define dc_grains_vjp_shape dc_grains_vjp_shape_f
#endif

typedef struct {
    dc_cshape_kind kind;        /* POLY: a grain, of any shape; HALFPLANE, DISC and HOLE are walls */
    dc_real mass, inertia;      /* kg, kg m^2 about the origin of the frame, the centre of mass; > 0; not read of
                                 * walls */
    dc_real radius;             /* m, > 0: all of the grain is this near its origin; the circle's of DISC and HOLE */
} dc_grain_type;

typedef struct { dc_real kn, gn, kt, gt, mu; } dc_grain_material;   /* k_n, gamma_n, k_t, gamma_t, mu; all >= 0 */

/* How bodies of types a and b touch. The field's first shape is a's; the same field serves bodies of types b and a. A
 * wall has to be a; a grain that is a disc may have the field of one. Of pairs listed twice, in either order, the first
 * counts. */
typedef struct {
    int a, b;
    const dc_cfield *field;     /* borrowed while the grains are used; NULL: they pass through each other */
    dc_real length;             /* m per unit of length of the field; 0: 1 */
    dc_grain_material material; /* kn 0: the description's */
} dc_grain_pair;

typedef enum {
    DC_GRAIN_FREE = 0,
    DC_GRAIN_DRIVEN,            /* moves by its v, which forces do not change; v = 0: fixed. Walls are driven */
    DC_GRAIN_ABSENT             /* neither moves nor touches: not there yet, or taken away */
} dc_grain_motion;

typedef struct {
    const dc_grain_type *type;  int types;      /* up to 4096 */
    const dc_grain_pair *pair;  int pairs;      /* all that can come within reach of each other, one of them free */
    const int *body;            int bodies;     /* type of each body, grains and walls in any order */
    dc_real h;                                  /* s, > 0 */
    dc_real gravity[2];                         /* m/s^2 */
    dc_grain_material material;
    int     reduced_mass;                       /* 1: c = m_A m_B/(m_A + m_B), gamma in 1/s; bodies that are not free
                                                 * count as infinitely heavy */
    dc_real lo[2], hi[2];                       /* m: the domain, where the grid is */
    int     room;                               /* pairs within reach at most, without walls' too; 0: 16 per body */
    int     sweeps;                             /* 0: the explicit step; 1 to 1000: the implicit one, with so many
                                                 * sweeps, 8 to 32 */
    dc_real reuse;                              /* 0: fields are evaluated in every step; to 1: not while the relative
                                                 * pose has moved by less than this part of the smaller radius, 3e-3.
                                                 * Such steps have no derivatives */
} dc_grains_desc;

typedef struct dc_grain_row dc_grain_row;
typedef struct dc_grain_pack dc_grain_pack;
typedef struct dc_grain_kept dc_grain_kept;

/* A pair within reach: a and b as of dc_grains_find, the rest as of dc_grains_meet and later; not set in between. */
typedef struct {
    int a, b;                   /* bodies */
    dc_real d;                  /* m; with reuse, of pairs apart, it may be a bound from below, half of it at least */
    dc_real spring, fn, ft;     /* after the step; m, N, N. Where d >= 0 these and the forces are 0, with sweeps where
                                 * nothing presses */
    dc_real fa[3], fb[3];       /* torque, fx, fy on a and on b */
} dc_grain_contact;

/* Plain data in the caller's memory. */
typedef struct {
    /* the state, one block without pointers: memcpy(copy, state, state_bytes) is a snapshot, and back again. The caller
     * may set q, v and motion between steps */
    void   *state;
    size_t  state_bytes;
    dc_real *q, *v;             /* 3 per body; at first 0 */
    int     *motion;            /* dc_grain_motion of each body; at first grains are FREE, walls DRIVEN */
    /* of the last step */
    dc_grain_contact *contact;  int contacts;   /* none where dc_grains_find failed */
    dc_real *force;             /* 3 per body: torque, fx, fy of all contacts, without gravity */
    int      blocks;            /* what dc_grains_meet is divided into */
    /* the rest is for the functions below */
    dc_grains_desc desc;
    dc_grain_type *type;
    dc_grain_pair *pair;
    int     *table;             /* types x types: pair, or -1 */
    int     *body, *wall;       int walls;
    dc_real *spring;            /* room, with sweeps 3 room: spring, f_n, f_t; in the state, by rows of bodies */
    dc_grain_row *rows;         /* with sweeps: room */
    dc_grain_pack *pack;        /* those that may touch, side by side; of dc_grains_solve */
    int     *touch;             /* with sweeps, room: 1: may touch in this step */
    dc_real *share;             /* with sweeps, 2 per body: n/m, n/inertia, n its contacts */
    dc_real *gain, *drift;      /* 3 per body, of dc_grains_solve: h/inertia, h/m, h/m; h gravity */
    int     *spring_row, *spring_body;      /* bodies + 1, room; in the state */
    dc_grain_kept *kept, *keep; /* with reuse, room each: looks at fields, by rows of bodies in the state, and those of
                                 * this step */
    int     *kept_row, *kept_body;          /* the same; in the state */
    int     *asked;             /* with reuse: poses evaluated in each block */
    int     *row, *pair_of, *order, *back_row, *back, *block, *tally;
    int     *cell, *slot_row, *slot;
    int     *list_row, *list;   /* grains j > i that were within reach of i and the skin; list_row[0] -1: no list */
    int     *list_motion;       /* when they were, motion and x, y of all bodies */
    dc_real *list_at;
    dc_real skin;               /* m */
    dc_real *turn, *next, *at;
    dc_real cell_size[2];
    int     cells[2];
} dc_grains;

typedef struct {
    int     pairs;              /* within reach */
    int     contacts;           /* of them with d < 0; with sweeps, with f_n > 0 */
    dc_real deepest;            /* largest -d of them, m; 0: none */
    int     outside;            /* grains whose centre is outside the domain after the step: they move and touch as the
                                 * others, at greater cost when they are many */
    int     evaluations;        /* poses at which fields were evaluated; without reuse, the pairs; with it twice that
                                 * of a pair whose distance, asked first, is too small to do without the rest */
    int     capped;             /* blocks with an exact field whose search for the largest disc reached its cap */
    int     a, b;               /* DC_OK: a is the first grain outside, or -1. DC_E_ARG: two bodies within reach of
                                 * which no pair tells how they touch, or a: the body whose state is bad, or too
                                 * far from one within its reach, and b = -1.
                                 * DC_E_RANGE: a flew away */
} dc_grains_info;

/* Mass, inertia and radius of a polygon, given in units of `length` m, density in kg/m^2; 0: 1. DC_E_ARG, *type
 * untouched: no polygon, or its centroid is not the origin within 1e-6 (float 1e-4) of its radius. */
DC_DEF dc_status dc_grain_type_poly(const dc_poly *poly, dc_real length, dc_real density, dc_grain_type *type);

/* Bytes of arena that dc_grains_build takes; 0: desc is no description, or it does not fit. */
DC_DEF size_t dc_grains_bytes(const dc_grains_desc *desc);

/* Copies the description (fields are borrowed), lays out the state. DC_E_ARG, DC_E_MEMORY: *g and mem untouched. */
DC_DEF dc_status dc_grains_build(const dc_grains_desc *desc, dc_arena *mem, dc_grains *g);

/* Bytes of arena for dc_grains_step and dc_grains_meet. */
DC_DEF size_t dc_grains_step_bytes(const dc_grains *g);

/* Bytes of arena for dc_grains_jvp and dc_grains_vjp: without sweeps the same; with sweeps for as many pairs as there
 * is room for. */
DC_DEF size_t dc_grains_grad_bytes(const dc_grains *g);

/* One step. mem is scratch; info may be NULL.
 * DC_E_ARG     the state is not finite, or out of range, or two bodies came within reach that no pair covers; see info.
 * DC_E_MEMORY  mem is too small (before anything), or more pairs are within reach than there is room for: info->pairs >
 *              room, found out in O(bodies + room).
 * DC_E_RANGE   a body flew away: its next state is not in range; or what a learned field answers does not fit.
 * On failure the state is untouched. */
DC_DEF dc_status dc_grains_step(dc_grains *g, dc_arena *mem, dc_grains_info *info);

/* The same in parts, so that the caller may run those in the middle in parallel: every block once, in any order, by any
 * number of threads, each with an arena of its own; then every body. The bits do not depend on it. Statuses are those
 * of the step; after a failure the rest is left out, and the state is as it was. dc_grains_step is
 *     find(g, info);  meet(g, 0, g->blocks, mem);  sum(g, 0, bodies);  advance(g, info)
 * and with sweeps, between meet and the last sum, so many times
 *     sum(g, 0, bodies);  sweep(g, 0, g->contacts) */
DC_DEF dc_status dc_grains_find(dc_grains *g, dc_grains_info *info);    /* pairs within reach */
/* fields and forces of blocks begin..end-1 */
DC_DEF dc_status dc_grains_meet(dc_grains *g, int begin, int end, dc_arena *mem);
/* forces on bodies begin..end-1, in a fixed order */
DC_DEF void dc_grains_sum(dc_grains *g, int begin, int end);
/* better forces of contacts begin..end-1, at the velocities that those so far lead to */
DC_DEF void dc_grains_sweep(dc_grains *g, int begin, int end);
/* All that is between meet and advance, by one thread: to the bit what sums and sweeps do, in half of their time. */
DC_DEF void dc_grains_solve(dc_grains *g);
DC_DEF dc_status dc_grains_advance(dc_grains *g, dc_grains_info *info); /* the state moves on */

/* Number of springs in the state; with sweeps, of triples of spring, f_n and f_t. */
DC_DEF int dc_grains_springs(const dc_grains *g);

/* A tangent of the state, or a gradient by it: 3 per body, 3 per body, one per spring of the state, with sweeps 3. */
typedef struct { dc_real *q, *v, *spring; } dc_grains_tangent;

/* The derivative of dc_grains_step from the present state, which is not changed: `in`, of the present state, into
 * `out`, of the next, whose springs are as many as contacts with d < 0, in the order of g->contact (info->contacts;
 * room at most). Which pairs are in contact, slip, or are held by clamped forces is frozen. With sweeps the springs are
 * those of contacts with f_n > 0, and the derivative is that of the sweeps as they are done, converged or not, what
 * is clamped in each of them frozen: at a switch it is that of the side the step took. Needs fields with Hessians
 * (smooth or baked ones), and no reuse: what a step then finds depends on poses of earlier ones. DC_E_ARG: a field has
 * none, or desc.reuse > 0; otherwise as the step. in and out must not overlap; on failure out is not defined. */
DC_DEF dc_status dc_grains_jvp(dc_grains *g, const dc_grains_tangent *in, const dc_grains_tangent *out, dc_arena *mem,
                               dc_grains_info *info);

/* Its transpose: the gradient by the next state, `next`, into that by the present one, `now`. */
DC_DEF dc_status dc_grains_vjp(dc_grains *g, const dc_grains_tangent *next, const dc_grains_tangent *now, dc_arena *mem,
                               dc_grains_info *info);

/* How grains change with parameters of theirs, one after the other. */
typedef struct {
    int parameters;                     /* 1 to 4096 */
    const dc_cfield *const *field;      /* parameters x desc.pairs: the derivative of the pair's field at the same pose,
                                         * in its unit of length, as dc_cfield_mix makes it; NULL, or one that is: 0 */
    const dc_real *mass, *inertia;      /* parameters x desc.types: derivatives; NULL: 0. Not read of walls */
} dc_grains_shape;

/* The same with the gradient by the parameters, of this step alone, into by[parameters]. Steps with sweeps only.
 * Through many steps gradients of a crowd may grow without bound, the sooner the larger it is and the less it rests: 60
 * grains at rest keep theirs for a second, 1000 for 0.02 s (examples/grain_design.c).
 * DC_E_ARG also: a parameter's field has another first shape than the pair's, or a number is not finite. */
DC_DEF dc_status dc_grains_vjp_shape(dc_grains *g, const dc_grains_shape *shape, const dc_grains_tangent *next,
                                     const dc_grains_tangent *now, dc_real *by, dc_arena *mem, dc_grains_info *info);

#endif /* DC_SIM_NO_GRAINS */

#ifdef __cplusplus
}
#endif
#endif /* DC_SIM_H_INCLUDED */

/* ============================================================================================== */
#ifdef DC_SIM_IMPLEMENTATION
#ifndef DC_SIM_IMPLEMENTED
#define DC_SIM_IMPLEMENTED

#define DC_CONTACT_KERNELS
#include "dc_contact.h"
#include "dc_bsh.h"
#ifndef DC_SIM_NO_GRAINS
#include "dc_sdf.h"
#endif

#if !defined(DC_CONTACT_IMPLEMENTED) || !defined(DC_BSH_IMPLEMENTED) \
    || !(defined(DC_SDF_IMPLEMENTED) || defined(DC_SIM_NO_GRAINS))
#error "dc_sim.h: first define DC_CONTACT_, DC_BSH_, DC_SDF_ and DC_SIM_IMPLEMENTATION (DC_..._IMPLEMENTED: elsewhere)"
#endif

#include <math.h>
#include <string.h>

#if DCI_FUSES
#pragma GCC push_options
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

/* ---- [moments] moment matrices ---------------------------------------------------------------- */
/* in: a link with its hulls' vertices and faces, or its tree; out: M, the integral of rho (x,1)(x,1)^T, and its
 * derivatives by the vertices.
 *
 * stage               | reads                  | writes                 | equation
 * dci_sim_tetrahedron | corners                | M, dM by three of them | of a solid
 * dci_sim_solid       | faces of a hull        | M, dM by its vertices  |
 * dci_sim_round       | the same, radius       | the same               | of a round solid
 * dci_sim_enclosed    | triangles of a tree    | M                      |
 * dci_sim_moments     | a link, its mass model | the model's moments    | SDRS Eq. 4 for point masses */

/* Symmetric 4x4 matrices as their upper triangle by rows: entry (i,j), i <= j, at i(7-i)/2 + j. */
static void dci_sim_outer(dc_real s, const dc_real x[4], const dc_real y[4], dc_real *M)
{
    int i, j, k = 0;
    for (i = 0; i < 4; ++i)
        for (j = i; j < 4; ++j) M[k++] += DC_R(0.5)*s*(x[i]*y[j] + x[j]*y[i]);
}

static void dci_sim_homogeneous(dc_v3 x, dc_real y[4])
{
    y[0] = x.x;
    y[1] = x.y;
    y[2] = x.z;
    y[3] = 1;
}

/* Adds a tetrahedron of unit density and, for its corners p[1..3], the derivative of the sum over a closed surface, in
 * which the apex p[0] cancels:
 *     M = V/20 (s s^T + sum_k p_k p_k^T),   s = sum_k p_k,   p = (x, 1) */
static void dci_sim_tetrahedron(const dc_v3 p[4], dc_real M[10], dc_real grad[90])
{
    dc_v3 e[4], area[4];
    dc_real y[4][4], s[4], N[10], V;
    int i, k, c;

    /* volume */
    for (k = 0; k < 4; ++k) {
        e[k] = dc_sub(p[k], p[0]);
        dci_sim_homogeneous(p[k], y[k]);
    }
    area[1] = dc_cross(e[2], e[3]);
    area[2] = dc_cross(e[3], e[1]);
    area[3] = dc_cross(e[1], e[2]);
    V = dc_dot(e[1], area[1])/6;

    /* M = V N */
    for (i = 0; i < 4; ++i) s[i] = y[0][i] + y[1][i] + y[2][i] + y[3][i];
    for (i = 0; i < 10; ++i) N[i] = 0;
    dci_sim_outer(DC_R(0.05), s, s, N);
    for (k = 0; k < 4; ++k) dci_sim_outer(DC_R(0.05), y[k], y[k], N);
    for (i = 0; i < 10; ++i) M[i] += V*N[i];

    /* dM = dV N + V dN */
    for (k = 1; k < 4; ++k) {
        dc_real dV[3];
        dV[0] = area[k].x/6;
        dV[1] = area[k].y/6;
        dV[2] = area[k].z/6;
        for (c = 0; c < 3; ++c) {
            dc_real *g = grad + 30*(k - 1) + 10*c, u[4] = {0, 0, 0, 0};
            u[c] = 1;
            for (i = 0; i < 10; ++i) g[i] += dV[c]*N[i];
            dci_sim_outer(DC_R(0.1)*V, u, s, g);
            dci_sim_outer(DC_R(0.1)*V, u, y[k], g);
        }
    }
}

/* A solid hull of unit density: moments and their derivatives by the vertices, 30 each. A face of more than three
 * corners is the fan from their mean to its edges. */
static DCI_NOINLINE void dci_sim_solid(const dc_sim *sim, const dc_sim_hull *hull, dc_real M[10], dc_real *grad)
{
    const dc_v3 *x = sim->vertex + hull->begin;
    const int *face = sim->face + hull->face;
    int f, k, i, c;

    for (f = 0; f < hull->faces; ++f) {
        const int *loop = sim->loop + hull->loop + face[f];
        int n = face[f + 1] - face[f], fan = n > 3;
        dc_v3 p[4], mean = dc_vec(0, 0, 0);
        p[0] = x[0];
        for (k = 0; k < n; ++k) mean = dc_madd(mean, DC_R(1.0)/(dc_real)n, x[loop[k]]);

        for (k = 0; k < (fan ? n : 1); ++k) {
            int b = loop[(k + 1)%n], to[3];
            dc_real g[90] = {0};
            p[1] = x[loop[k]];
            p[2] = x[b];
            p[3] = fan ? mean : x[loop[2]];
            dci_sim_tetrahedron(p, M, g);

            /* the mean's share belongs to all corners of the face */
            to[0] = loop[k];
            to[1] = b;
            to[2] = loop[2];
            for (c = 0; c < 2 + !fan; ++c)
                for (i = 0; i < 30; ++i) grad[30*to[c] + i] += g[30*c + i];
            for (c = 0; fan && c < n; ++c)
                for (i = 0; i < 30; ++i) grad[30*loop[c] + i] += g[60 + i]/(dc_real)n;
        }
    }
}

/* A solid with a radius r. Its surface is made of pieces x + r u, x on a simplex (face, edge, vertex) and u among the
 * unit normals there: one, an arc, a cap. A vertex v, l_v its barycentric weight, moves it by l_v u dv, so that with
 * y = (x + r u, 1)
 *     dM/dv = sum of integrals y y^T l_v u,   dM/dr = the same with 1 for l_v u,                       (1)
 * and M follows by Euler's theorem: its entries are homogeneous of degree d = 5, 4 and 3 in vertices and r,
 *     M = (v . dM/dv + r dM/dr)/d.                                                                     (2)
 *
 * Integrals over the normals of a piece of 1, u, u u^T, u u u: */
typedef struct { dc_real none, one[3], two[3][3], three[3][3][3]; } dci_sim_normals;

/* Adds the integrals over a piece of 1 to 3 corners y, the measure of x and of the scale of u given, to those of each
 * corner: 10 by u, three times, then 10 by 1. */
static DCI_NOINLINE void dci_sim_round_piece(const dci_sim_normals *u, int corners, dc_real y[3][4], dc_real measure,
                                             dc_real r, dc_real G[3][40])
{
    static const dc_real over[3] = {DC_R(6.0), DC_R(24.0), DC_R(60.0)};
    int a, b, c, i, j, k;

    for (a = 0; a < corners; ++a) {
        dc_real N[10] = {0};        /* integral of l_a (x,1)(x,1)^T; its last column: of l_a (x,1) */
        for (b = 0; b < corners; ++b)
            for (c = 0; c < corners; ++c) {
                const int same = (a == b) + (b == c) + (c == a);
                dci_sim_outer(measure*(dc_real)(same == 3 ? 6 : same ? 2 : 1)/over[corners - 1], y[b], y[c], N);
            }
        for (c = 0; c < 4; ++c) {
            const dc_real *one = c < 3 ? u->two[c] : u->one;
            const dc_real (*two)[3] = c < 3 ? u->three[c] : u->two;
            const dc_real last[4] = {N[3], N[6], N[8], N[9]};
            for (i = 0, k = 0; i < 4; ++i)
                for (j = i; j < 4; ++j, ++k) {
                    dc_real sum = N[k]*(c < 3 ? u->one[c] : u->none);
                    if (i < 3) sum += r*one[i]*last[j];
                    if (j < 3) sum += r*last[i]*one[j] + r*r*last[3]*two[i][j];
                    G[a][10*c + k] += sum;                      /* (1) */
                }
        }
    }
}

/* An edge from y[0] to y[1], unit direction t, whose normals turn about t by `angle`, the middle one being a; and the
 * part that the arc is of the boundaries of the caps at both ends. There, v the outward normal of the arc, by Gauss'
 * theorem on the sphere with the Laplacians -2, -6, -12 of its harmonics,
 *     int u = -1/2 int v,                                                                              (3)
 *     int uu = (2 I int 1 - int (vu + uv))/6,                                                          (4)
 *     int uuu = (2 sym(I int u) - int sym(vuu))/12                                                     (5)
 * where 2 I int 1 of (4) is left to dci_sim_round_cap. */
static DCI_NOINLINE void dci_sim_round_edge(dc_v3 t, dc_v3 a, dc_real angle, dc_real y[3][4], dc_real length, dc_real r,
                                            dc_real G[3][40])
{
    const dc_v3 b = dc_cross(t, a);
    const dc_real A[3] = {a.x, a.y, a.z}, B[3] = {b.x, b.y, b.z}, v[3] = {t.x, t.y, t.z};
    dci_sim_normals arc, cap;
    dc_real sine, cosine, cubed;
    int i, j, k, end;

    /* u = a cos f + b sin f, f from -angle/2 to angle/2 */
    dc_sincos(DC_R(0.5)*angle, &sine, &cosine);
    cubed = DC_R(2.0)/3*sine*sine*sine;
    arc.none = angle;
    for (i = 0; i < 3; ++i) {
        arc.one[i] = 2*sine*A[i];
        for (j = 0; j < 3; ++j) {
            arc.two[i][j] = (DC_R(0.5)*angle + sine*cosine)*A[i]*A[j] + (DC_R(0.5)*angle - sine*cosine)*B[i]*B[j];
            for (k = 0; k < 3; ++k)
                arc.three[i][j][k] = (2*sine - cubed)*A[i]*A[j]*A[k]
                                   + cubed*(A[i]*B[j]*B[k] + B[i]*A[j]*B[k] + B[i]*B[j]*A[k]);
        }
    }
    dci_sim_round_piece(&arc, 2, y, r*length, r, G);

    /* the cap of y[0], where v = t, then that of y[1] */
    for (end = 0; end < 2; ++end) {
        const dc_real s = end ? DC_R(-1.0) : DC_R(1.0);
        dc_real place[3][4], to[3][40] = {{0}};
        cap.none = 0;
        for (i = 0; i < 3; ++i) cap.one[i] = -DC_R(0.5)*angle*s*v[i];            /* (3) */
        for (i = 0; i < 3; ++i)
            for (j = 0; j < 3; ++j) {
                cap.two[i][j] = -s*(v[i]*arc.one[j] + arc.one[i]*v[j])/6;           /* (4) */
                for (k = 0; k < 3; ++k) {
                    const dc_real U = (i == j ? cap.one[k] : 0) + (j == k ? cap.one[i] : 0) + (k == i ? cap.one[j] : 0);
                    const dc_real V = v[i]*arc.two[j][k] + v[j]*arc.two[k][i] + v[k]*arc.two[i][j];
                    cap.three[i][j][k] = (2*U - s*V)/12;                            /* (5) */
                }
            }
        memcpy(place[0], y[end], sizeof place[0]);
        dci_sim_round_piece(&cap, 1, place, r*r, r, to);
        for (i = 0; i < 40; ++i) G[end][i] += to[0][i];
    }
}

/* A cap's solid angle at y, which its boundary does not tell. */
static void dci_sim_round_cap(const dc_real y[4], dc_real angle, dc_real r, dc_real G[40])
{
    dci_sim_normals cap;
    dc_real place[3][4], to[3][40] = {{0}};
    int i;
    memset(&cap, 0, sizeof cap);
    cap.none = angle;
    for (i = 0; i < 3; ++i) cap.two[i][i] = angle/3;
    memcpy(place[0], y, sizeof place[0]);
    dci_sim_round_piece(&cap, 1, place, r*r, r, to);
    for (i = 0; i < 40; ++i) G[i] += to[0][i];
}

/* A triangle of the surface, seen from a place within, which is the origin: its face, its angles off its corners' caps,
 * and of its edges the normals from its own to that which is nearest to the edge's direction. */
static DCI_NOINLINE void dci_sim_round_triangle(const dc_v3 p[3], dc_real r, dc_real G[3][40])
{
    const dc_v3 across = dc_cross(dc_sub(p[1], p[0]), dc_sub(p[2], p[0]));
    const dc_real twice = dc_sqrt(dc_dot(across, across));
    dci_sim_normals face;
    dc_real y[3][4], N[4];
    dc_v3 n;
    int i, j, k;

    /* the face; u = n */
    if (!(twice > 0)) return;
    n = dc_scale(1/twice, across);
    dci_sim_homogeneous(n, N);
    face.none = 1;
    for (i = 0; i < 3; ++i) {
        face.one[i] = N[i];
        for (j = 0; j < 3; ++j) {
            face.two[i][j] = N[i]*N[j];
            for (k = 0; k < 3; ++k) face.three[i][j][k] = N[i]*N[j]*N[k];
        }
    }
    for (k = 0; k < 3; ++k) dci_sim_homogeneous(p[k], y[k]);
    dci_sim_round_piece(&face, 3, y, DC_R(0.5)*twice, r, G);

    /* edges and caps */
    for (k = 0; k < 3; ++k) {
        const int next = (k + 1)%3;
        const dc_v3 along = dc_sub(p[next], p[k]), back = dc_sub(p[(k + 2)%3], p[k]);
        const dc_real length = dc_sqrt(dc_dot(along, along));
        const dc_v3 t = dc_scale(1/length, along), out = dc_cross(t, n), way = dc_madd(p[k], -dc_dot(p[k], t), t);
        const dc_real angle = dc_atan2(dc_dot(way, out), dc_dot(way, n));
        dc_real ends[3][4], to[3][40] = {{0}}, sine, cosine;
        dc_sincos(DC_R(0.5)*angle, &sine, &cosine);
        memcpy(ends[0], y[k], sizeof ends[0]);
        memcpy(ends[1], y[next], sizeof ends[1]);
        dci_sim_round_edge(t, dc_add(dc_scale(cosine, n), dc_scale(sine, out)), angle, ends, length, r, to);
        for (i = 0; i < 40; ++i) {
            G[k][i] += to[0][i];
            G[next][i] += to[1][i];
        }
        dci_sim_round_cap(y[k], -dc_atan2(twice, dc_dot(along, back)), r, G[k]);
    }
}

/* adds integrals of a vertex */
static void dci_sim_round_add(const dc_real G[40], dc_real share, dc_real grad[30], dc_real by_r[10])
{
    int i;
    for (i = 0; i < 30; ++i) grad[i] += share*G[i];
    for (i = 0; i < 10; ++i) by_r[i] += share*G[30 + i];
}

/* moments about an origin from those about another, o from there */
static void dci_sim_shift_moments(dc_v3 o, dc_real M[10])
{
    const dc_real u[4] = {o.x, o.y, o.z, 0}, last[4] = {M[3], M[6], M[8], 0};
    const dc_real unit[4] = {0, 0, 0, 1};
    dci_sim_outer(2, u, last, M);
    dci_sim_outer(M[9], u, u, M);
    dci_sim_outer(2*M[9], u, unit, M);
}

/* A solid hull with a radius, of unit density: as dci_sim_solid. One point is a ball, two are a capsule, about which
 * the normals go all the way round. */
static DCI_NOINLINE void dci_sim_round(const dc_sim *sim, const dc_sim_hull *hull, dc_real M[10], dc_real *grad)
{
    static const dc_real degree[10] = {5, 5, 5, 4, 5, 5, 4, 5, 4, 3};
    const dc_v3 *x = sim->vertex + hull->begin, o = hull->centre;
    const int *face = sim->face + hull->face;
    const dc_real pi = 4*dc_atan2(1, 1), r = hull->round;
    dc_real by_r[10] = {0}, sum[10] = {0}, y[3][4], G[3][40];
    int f, k, c, i;

    /* triangles, as in dci_sim_solid; the mean's share belongs to all corners of the face */
    for (f = 0; f < hull->faces; ++f) {
        const int *loop = sim->loop + hull->loop + face[f], n = face[f + 1] - face[f], fan = n > 3;
        dc_v3 p[3], mean = dc_vec(0, 0, 0);
        for (k = 0; k < n; ++k) mean = dc_madd(mean, DC_R(1.0)/(dc_real)n, dc_sub(x[loop[k]], o));
        for (k = 0; k < (fan ? n : 1); ++k) {
            const int b = loop[(k + 1)%n];
            p[0] = dc_sub(x[loop[k]], o);
            p[1] = dc_sub(x[b], o);
            p[2] = fan ? mean : dc_sub(x[loop[2]], o);
            memset(G, 0, sizeof G);
            dci_sim_round_triangle(p, r, G);
            if (fan && k == 0) {
                dci_sim_homogeneous(mean, y[0]);
                dci_sim_round_cap(y[0], 2*pi, r, G[2]);
            }
            dci_sim_round_add(G[0], 1, grad + 30*loop[k], by_r);
            dci_sim_round_add(G[1], 1, grad + 30*b, by_r);
            for (c = 0; c < n; ++c)
                if (fan || c == 2) dci_sim_round_add(G[2], fan ? DC_R(1.0)/(dc_real)n : 1, grad + 30*loop[c], by_r);
        }
    }
    if (hull->faces == 0 && hull->n == 2) {
        const dc_v3 along = dc_sub(x[1], x[0]);
        const dc_real length = dc_sqrt(dc_dot(along, along));
        const dc_v3 t = length > 0 ? dc_scale(1/length, along) : dc_vec(0, 0, 1);
        const dc_v3 off = dc_cross(t, dc_abs(t.x) < DC_R(0.5) ? dc_vec(1, 0, 0) : dc_vec(0, 1, 0));
        memset(G, 0, sizeof G);
        for (k = 0; k < 2; ++k) dci_sim_homogeneous(dc_sub(x[k], o), y[k]);
        dci_sim_round_edge(t, dc_scale(1/dc_sqrt(dc_dot(off, off)), off), 2*pi, y, length, r, G);
        for (k = 0; k < 2; ++k) dci_sim_round_add(G[k], 1, grad + 30*k, by_r);
    }

    /* caps of vertices of the surface, whose faces take from 2 pi; a ball's own */
    for (k = 0; k < hull->n; ++k) {
        const dc_real *g = grad + 30*k;
        if (hull->faces > 0 && g[9] == 0 && g[19] == 0 && g[29] == 0) continue;
        memset(G, 0, sizeof G);
        dci_sim_homogeneous(dc_sub(x[k], o), y[0]);
        dci_sim_round_cap(y[0], hull->n == 1 ? 4*pi : 2*pi, r, G[0]);
        dci_sim_round_add(G[0], 1, grad + 30*k, by_r);
    }

    /* Euler; then about the link's origin */
    for (k = 0; k < hull->n; ++k) {
        dci_sim_homogeneous(dc_sub(x[k], o), y[0]);
        for (c = 0; c < 3; ++c) {
            dc_real *g = grad + 30*k + 10*c;
            for (i = 0; i < 10; ++i) sum[i] += y[0][c]*g[i];
            dci_sim_shift_moments(o, g);
        }
    }
    for (i = 0; i < 10; ++i) sum[i] = (sum[i] + r*by_r[i])/degree[i];           /* (2) */
    dci_sim_shift_moments(o, sum);
    for (i = 0; i < 10; ++i) M[i] += sum[i];
}

/* The same of what the triangles of a tree enclose, without derivatives; 0: they are not closed (areas do not
 * cancel). */
static DCI_NOINLINE int dci_sim_enclosed(const dc_bsh *tree, dc_real M[10])
{
    dc_v3 sum = dc_vec(0, 0, 0);
    dc_real all = 0, way;
    int k, c;

    for (k = 0; k < tree->n; ++k) {
        dc_real unread[90] = {0};
        dc_v3 p[4], area;
        p[0] = tree->o;
        for (c = 0; c < 3; ++c) p[c + 1] = dc_add(tree->o, tree->corner[3*k + c]);
        area = dc_cross(dc_sub(p[2], p[1]), dc_sub(p[3], p[1]));
        sum = dc_add(sum, area);
        all += dc_sqrt(dc_dot(area, area));
        dci_sim_tetrahedron(p, M, unread);
    }

    /* triangles may be seen from inside, all of them */
    way = M[9] < 0 ? DC_R(-1.0) : DC_R(1.0);
    for (k = 0; k < 10; ++k) M[k] *= way;
    return M[9] > 0 && dc_dot(sum, sum) <= 4096*DC_EPS*all*all;
}

/* M of a mass with its centre and inertia: A = tr(I)/2 - I about the centre */
static void dci_sim_given_moments(const dc_sim_link *link, dc_real M[10])
{
    const dc_real *about = link->inertia.m, half = DC_R(0.5)*(about[0] + about[4] + about[8]);
    dc_real y[4];
    int a, b, k;
    dci_sim_homogeneous(link->centre, y);
    dci_sim_outer(link->mass, y, y, M);
    for (a = 0, k = 0; a < 3; ++a, ++k)
        for (b = a; b < 3; ++b, ++k) M[k] += (a == b ? half : 0) - DC_R(0.5)*(about[3*a + b] + about[3*b + a]);
}

/* M of n equal point masses, and its derivatives: SDRS Eq. 4 */
static void dci_sim_lumped_moments(const dc_v3 *x, int n, dc_real M[10], dc_real *grad)
{
    dc_real y[4];
    int k, c;

    for (k = 0; k < n; ++k) {
        dci_sim_homogeneous(x[k], y);
        dci_sim_outer(1, y, y, M);
        for (c = 0; c < 3; ++c) {
            dc_real u[4] = {0, 0, 0, 0};
            u[c] = 1;
            dci_sim_outer(2, u, y, grad + 30*k + 10*c);
        }
    }
}

/* The moments of link i by its mass model; a cause when there are none. */
static const char *dci_sim_moments(dc_sim *sim, int i)
{
    const dc_sim_link *l = sim->link + i;
    dc_real M[10] = {0}, factor, *grad;
    int first = -1, n = 0, k, a, b;

    /* its vertices, of all its hulls */
    for (k = 0; k < sim->hulls; ++k)
        if (sim->hull[k].link == i && !sim->hull[k].tree) {
            if (first < 0) first = sim->hull[k].begin;
            n += sim->hull[k].n;
        }
    grad = sim->moment_grad + 30*(first < 0 ? 0 : first);
    for (k = 0; k < 30*n; ++k) grad[k] = 0;

    if (l->model == DC_SIM_INERTIA) dci_sim_given_moments(l, M);
    else if (n > 0 && (l->mass > 0 || l->density > 0)) {
        if (l->model == DC_SIM_LUMPED) dci_sim_lumped_moments(sim->vertex + first, n, M, grad);
        else
            for (k = 0; k < sim->hulls; ++k)
                if (sim->hull[k].link == i && !sim->hull[k].tree)
                    (sim->hull[k].round > 0 ? dci_sim_round : dci_sim_solid)(
                        sim, sim->hull + k, M, grad + 30*(sim->hull[k].begin - first));
        if (!(M[9] > 0)) return "no volume";

        /* by mass the sum is held: d(M/V) = dM/V - M dV/V^2 */
        factor = l->mass > 0 ? l->mass/M[9] : l->density;
        for (a = 0; a < 10; ++a) M[a] *= factor;
        for (k = 0; k < 3*n; ++k) {
            dc_real *g = grad + 10*k, V = l->mass > 0 ? g[9]*factor/M[9] : 0;
            for (a = 0; a < 10; ++a) g[a] = factor*g[a] - V*M[a];
        }
    } else if (l->hulls == 0 && l->tree && l->model == DC_SIM_UNIFORM && (l->mass > 0 || l->density > 0)) {
        if (!dci_sim_enclosed(l->tree, M)) return "the triangles enclose no volume";
        factor = l->mass > 0 ? l->mass/M[9] : l->density;
        for (a = 0; a < 10; ++a) M[a] *= factor;
    }

    /* into the model, symmetric */
    for (a = 0, k = 0; a < 4; ++a)
        for (b = a; b < 4; ++b, ++k) {
            if (!dc_finite(M[k])) return "moments do not fit";
            sim->moment[16*i + 4*a + b] = sim->moment[16*i + 4*b + a] = M[k];
        }
    return NULL;
}

/* ---- [build] building a model ----------------------------------------------------------------- */
/* in: a description; out: a model in the arena, or why there is none.
 *
 * stage              | reads              | writes
 * dci_sim_check      | description        | counts
 * dci_sim_take_model | counts             | arrays, or how large they are
 * dci_sim_fill       | description        | links, hulls with faces, pairs
 * dc_sim_refresh     | the model's design | moments, bounding spheres */

/* coordinates of a model that is one piece */
#ifndef DCI_SIM_ONE_PIECE
#define DCI_SIM_ONE_PIECE 64
#endif

/* hulls of more vertices have faces only where mass asks for them */
#define DCI_SIM_FACES 1024

/* numbers of a joint's state, and of its tangents */
static int dci_sim_nq(dc_sim_joint j)
{
    return j == DC_SIM_FREE ? 7 : j == DC_SIM_BALL ? 4 : j == DC_SIM_FIXED ? 0 : 1;
}

static int dci_sim_nv(dc_sim_joint j)
{
    return j == DC_SIM_FREE ? 6 : j == DC_SIM_BALL ? 3 : j == DC_SIM_FIXED ? 0 : 1;
}

/* the link that link i moves with: itself, or that which it is fixed to; -1: the world */
static int dci_sim_anchor(const dc_sim_link *link, int i)
{
    while (i >= 0 && link[i].joint == DC_SIM_FIXED) i = link[i].parent;
    return i;
}

/* has link i what links touch by? */
static int dci_sim_shaped(const dc_sim_desc *d, int i)
{
    return d->trees ? d->link[i].tree != NULL : d->link[i].hulls > 0;
}

/* may links i and j touch? */
static int dci_sim_links_touch(const dc_sim *sim, int i, int j)
{
    int lo = 0, hi = sim->excludes, k;

    /* parts of one body, and neighbours along a chain, links without shape left out */
    if (sim->anchor[i] == sim->anchor[j] || sim->above[i] == j || sim->above[j] == i) return 0;

    if (i > j) {
        k = i;
        i = j;
        j = k;
    }
    while (lo < hi) {
        const int mid = lo + (hi - lo)/2, a = sim->exclude[2*mid], b = sim->exclude[2*mid + 1];
        if (a == i && b == j) return 0;
        if (a < i || (a == i && b < j)) lo = mid + 1;
        else hi = mid;
    }
    return 1;
}

/* may hulls a and b? */
static int dci_sim_hulls_touch(const dc_sim *sim, int a, int b)
{
    const dc_sim_hull *A = sim->hull + a, *B = sim->hull + b;
    return A->tree == sim->desc.trees && B->tree == A->tree && dci_sim_links_touch(sim, A->link, B->link);
}

DC_DEF int dc_sim_may_touch(const dc_sim *sim, int a, int b)
{
    return sim && sim->hull && a >= 0 && b >= 0 && a < sim->hulls && b < sim->hulls && dci_sim_hulls_touch(sim, a, b);
}

/* contact is felt at any distance, so that all pairs are listed */
static int dci_sim_everywhere(const dc_sim_desc *d) { return d->trees || d->global; }

static int dci_sim_scalar(dc_real x, dc_real least) { return x >= least && x <= DC_LIMIT; }

static int dci_sim_no_quat(const dc_quat *q) { return q->w == 0 && q->x == 0 && q->y == 0 && q->z == 0; }

static const char *dci_sim_link_flaw(const dc_sim_link *l, int i)
{
    const dc_bsh *tree = l->tree;
    int k;

    /* the joint */
    if (l->parent < -1 || l->parent >= i) return "the parent is not an earlier link";
    if ((unsigned)l->joint > DC_SIM_FIXED) return "no such joint";
    if (!dc_in_range(l->attach.t) || !(dc_pose_ok(&l->attach) || dci_sim_no_quat(&l->attach.q))) return "attachment";
    if (!dc_in_range(l->axis)) return "axis";

    /* shape and mass */
    if (l->hulls < 0 || (unsigned)l->model > DC_SIM_INERTIA) return "no such shape or mass model";
    if (tree && (!tree->node || !tree->corner || tree->n < 1 || tree->n > (1 << 22) || tree->depth < 0
                 || tree->depth >= tree->n || !dc_in_range(tree->o))) return "no tree";
    if (!dci_sim_scalar(l->density, 0) || !dci_sim_scalar(l->mass, 0) || !dc_in_range(l->centre)) return "mass";
    for (k = 0; k < 9; ++k)
        if (!(dc_abs(l->inertia.m[k]) <= DC_LIMIT)) return "inertia";
    if (l->model == DC_SIM_INERTIA) {
        /* no moment is above the sum of the other two */
        dc_real half = DC_R(0.5)*(l->inertia.m[0] + l->inertia.m[4] + l->inertia.m[8]);
        if (half < l->inertia.m[0] || half < l->inertia.m[4] || half < l->inertia.m[8]) return "inertia of no body";
    }

    /* what acts in the joint */
    if (!dci_sim_scalar(l->friction, 0)) return "friction";
    if (!dci_sim_scalar(l->damping, 0) || !dci_sim_scalar(l->kp, 0) || !dci_sim_scalar(l->kd, 0))
        return "damping or gain";
    if (!dci_sim_scalar(l->kp_move, 0) || !dci_sim_scalar(l->kd_move, 0)) return "damping or gain";
    if (l->joint != DC_SIM_FREE && (l->kp_move > 0 || l->kd_move > 0)) return "kp_move and kd_move are of free joints";
    if (!dci_sim_scalar(l->lo, -DC_LIMIT) || !dci_sim_scalar(l->hi, -DC_LIMIT) || !dci_sim_scalar(l->limit, 0)
        || !dci_sim_scalar(l->margin, 0) || l->lo > l->hi || (l->lo == l->hi && l->lo != 0)) return "limits";
    return NULL;
}

/* what of a description is not of links */
static const char *dci_sim_desc_flaw(const dc_sim_desc *d)
{
    const dc_friction_options *f = &d->friction;
    int k;

    /* lists */
    if (!d->link || d->links < 1 || d->links > (1 << 20) || d->planes < 0 || (d->planes && !d->plane)) return "counts";
    if (d->excludes < 0 || (d->excludes && !d->exclude)) return "exclusions";
    for (k = 0; k < 2*d->excludes; ++k)
        if (d->exclude[k] < 0 || d->exclude[k] >= d->links) return "exclusions";
    for (k = 0; k < d->planes; ++k) {
        const dc_sim_plane *p = d->plane + k;
        if (!dc_in_range(p->n) || !(dc_dot(p->n, p->n) > 0) || !(dc_abs(p->d) <= DC_LIMIT)
            || !dci_sim_scalar(p->friction, 0)) return "plane";
    }

    /* materials */
    if (d->materials < 0 || d->materials > 4096 || (d->materials > 0) != (d->table != NULL)
        || (d->materials > 0 && !d->material)) return "materials";
    for (k = 0; d->materials > 0 && k < d->links + d->planes; ++k)
        if (d->material[k] < 0 || d->material[k] >= d->materials) return "materials";
    for (k = 0; k < d->materials*d->materials; ++k) {
        if (!dci_sim_scalar(d->table[k], 0)) return "materials";
        if (d->table[k] != d->table[k%d->materials*d->materials + k/d->materials]) return "materials";
    }

    /* numbers */
    if (!(d->h > 0 && d->h <= DC_LIMIT) || !dc_in_range(d->gravity)) return "h or gravity";
    if (!dci_sim_scalar(d->stiffness, 0) || !dci_sim_scalar(d->length, 0)) return "stiffness or length";
    if (d->support != 0 && !(d->support >= DC_R(0.01) && d->support <= DC_R(0.95))) return "support";
    if (!dci_sim_scalar(f->eps_f, 0) || !dci_sim_scalar(f->eps_v, 0) || !dci_sim_scalar(f->patch, 0))
        return "friction options";
    if (!dci_sim_scalar(d->tolerance, 0) || d->iterations < 0) return "tolerance or iterations";
    if (d->hierarchy.eps != 0 && !(d->hierarchy.eps >= DC_R(1e-3) && d->hierarchy.eps <= DC_R(1e3)))
        return "hierarchy";
    if (d->contacts < 0 || d->contacts > (1 << 24) || !dci_sim_scalar(d->reach, 0)) return "contacts or reach";
    return NULL;
}

/* the hulls of link l: counts into *m */
static const char *dci_sim_count_hulls(const dc_sim_desc *d, const dc_sim_link *l, dc_sim *m)
{
    int j, k;

    if (l->hulls > 0 && !l->hull) return "no hulls";
    for (k = 0; k < l->hulls; ++k) {
        const dc_hull *h = l->hull + k;
        if (h->n < 1 || h->n > (1 << 16) || !h->v) return "a hull without vertices";
        if (!(h->radius >= 0 && h->radius <= DC_LIMIT)) return "the radius of a hull";
        for (j = 0; j < h->n; ++j)
            if (!dc_in_range(h->v[j])) return "a vertex is not finite";
        m->vertices += h->n;
        m->most = h->n > m->most ? h->n : m->most;
    }
    if (d->trees && l->tree) {
        m->corners += 3*l->tree->n;
        m->hulls++;
    }
    m->hulls += l->hulls;
    return NULL;
}

/* What of a description can be seen before its hulls are read; counts into *m. */
static const char *dci_sim_check(const dc_sim_desc *d, dc_sim *m, int *where)
{
    const char *cause;
    int i, shaped = 0;

    *where = -1;
    memset(m, 0, sizeof *m);
    cause = dci_sim_desc_flaw(d);
    if (cause) return cause;
    m->links = d->links;
    m->planes = d->planes;
    m->excludes = d->excludes;
    m->materials = d->materials;

    for (i = 0; i < d->links; ++i) {
        const dc_sim_link *l = d->link + i;
        *where = i;
        cause = dci_sim_link_flaw(l, i);
        if (!cause) cause = dci_sim_count_hulls(d, l, m);
        if (cause) return cause;
        m->nq += dci_sim_nq(l->joint);
        m->nv += dci_sim_nv(l->joint);
        if (m->vertices > (1 << 22) || m->corners > 3*(1 << 24) || m->hulls > (1 << 20)) return "too many";

        /* room for pairs with all that came before */
        if (!dci_sim_everywhere(d)) continue;
        m->pairs += shaped*(d->trees ? l->tree != NULL : l->hulls);
        shaped += d->trees ? l->tree != NULL : l->hulls;
        if (shaped > 4096) return "too many";
    }
    *where = -1;
    return NULL;
}

/* a solid has faces, of which its moments are made, but for balls and capsules; other hulls have them where they can,
 * for designs that are to keep them convex */
static int dci_sim_needs_faces(const dc_sim_link *l, const dc_hull *h)
{
    return !(h->n <= 2 && h->radius > 0) && l->model == DC_SIM_UNIFORM && (l->mass > 0 || l->density > 0);
}

static int dci_sim_may_have_faces(const dc_sim_link *l, const dc_hull *h)
{
    return h->n <= DCI_SIM_FACES || dci_sim_needs_faces(l, h);
}

/* bytes for finding the faces of one hull after the other */
static size_t dci_sim_faces_bytes(const dc_sim_desc *d)
{
    int i, k, most = 0;
    for (i = 0; i < d->links; ++i)
        for (k = 0; k < d->link[i].hulls; ++k) {
            const dc_hull *h = d->link[i].hull + k;
            if (h->n > most && h->n >= 4 && dci_sim_may_have_faces(d->link + i, h)) most = h->n;
        }
    return most > 0 ? dc_hull_faces_bytes(most) : 0;
}

/* the arrays of a counted model */
static void dci_sim_take_model(dc_sim *m, dci_room *room)
{
    const size_t links = (size_t)m->links, vertices = (size_t)m->vertices, hulls = (size_t)m->hulls;

    m->link = DCI_TAKE(room, links, dc_sim_link);
    m->plane = DCI_TAKE(room, m->planes, dc_sim_plane);
    m->vertex = DCI_TAKE(room, vertices + (size_t)m->corners, dc_v3);
    m->hull = DCI_TAKE(room, hulls, dc_sim_hull);
    m->pair = DCI_TAKE(room, 2*(size_t)m->pairs, int);
    m->loop = DCI_TAKE(room, 6*vertices, int);
    m->face = DCI_TAKE(room, 2*vertices + hulls, int);
    m->q_at = DCI_TAKE(room, 6*links + 1 + 2*(size_t)m->excludes, int);
    if (m->q_at) {
        m->v_at = m->q_at + links;
        m->piece = m->v_at + links;
        m->anchor = m->piece + links;
        m->above = m->anchor + links;
        m->piece_at = m->above + links;
        m->exclude = m->piece_at + links + 1;
    }
    m->moment = DCI_TAKE(room, 16*links, dc_real);
    m->moment_grad = DCI_TAKE(room, 30*vertices, dc_real);
    m->table = DCI_TAKE(room, m->materials*m->materials, dc_real);
    m->material = DCI_TAKE(room, m->materials > 0 ? m->links + m->planes : 0, int);
}

DC_DEF size_t dc_sim_bytes(const dc_sim_desc *desc)
{
    dci_room room = DC_ZERO;
    dc_sim m;
    int where;
    if (!desc || dci_sim_check(desc, &m, &where)) return 0;
    dci_sim_take_model(&m, &room);
    DCI_TAKE(&room, dci_sim_faces_bytes(desc), unsigned char);
    return dci_counted(&room);
}

/* normalises quaternions and axes and sets what zero stands for; a cause when a direction has no length */
static const char *dci_sim_normalise(dc_sim *sim, int *where)
{
    int i;

    for (i = 0; i < sim->planes; ++i) {
        dc_real n = dc_sqrt(dc_dot(sim->plane[i].n, sim->plane[i].n));
        if (!(n > 0)) return "plane";
        sim->plane[i].n = dc_scale(1/n, sim->plane[i].n);
        sim->plane[i].d /= n;
    }
    for (i = 0; i < sim->links; ++i) {
        dc_sim_link *l = sim->link + i;
        dc_real n = dc_sqrt(dc_dot(l->axis, l->axis));
        *where = i;
        if (n > 0) l->axis = dc_scale(1/n, l->axis);
        else l->axis = dc_vec(0, 0, 1);
        if (dci_sim_no_quat(&l->attach.q)) l->attach.q.w = 1;
        dc_quat_normalize(l->attach.q, &l->attach.q);
        if (l->limit == 0) l->limit = 1;
        if (l->margin == 0) l->margin = DC_R(0.1)*(l->hi - l->lo);
    }
    *where = -1;
    return NULL;
}

/* the bounding sphere of a hull: about the mean of its vertices */
static const char *dci_sim_bound(const dc_sim *sim, dc_sim_hull *h)
{
    const char *cause = NULL;
    dc_real r2 = 0;
    int j;

    h->centre = dc_vec(0, 0, 0);
    for (j = 0; j < h->n; ++j) {
        if (!dc_in_range(sim->vertex[h->begin + j])) cause = "a vertex is not finite";
        h->centre = dc_madd(h->centre, DC_R(1.0)/(dc_real)h->n, sim->vertex[h->begin + j]);
    }
    for (j = 0; j < h->n; ++j) {
        dc_v3 r = dc_sub(sim->vertex[h->begin + j], h->centre);
        r2 = dc_max(r2, dc_dot(r, r));
    }
    h->radius = dc_sqrt(r2)*(1 + 8*DC_EPS) + h->round;
    return cause;
}

/* Do the faces of a hull enclose more than rounding does? Six times the volume, in cubes of their bounding sphere's
 * radius. */
static int dci_sim_encloses(const dc_sim *sim, const dc_sim_hull *h)
{
    const dc_v3 *x = sim->vertex + h->begin;
    const int *face = sim->face + h->face;
    const dc_real size = h->radius - h->round;
    dc_real volume = 0;
    int f, k;

    for (f = 0; f < h->faces; ++f) {
        const int *loop = sim->loop + h->loop + face[f];
        const int n = face[f + 1] - face[f];
        dc_v3 mean = dc_vec(0, 0, 0);
        for (k = 0; k < n; ++k)
            mean = dc_madd(mean, 1/(size*(dc_real)n), dc_sub(x[loop[k]], h->centre));
        for (k = 0; k < n; ++k) {
            const dc_v3 a = dc_scale(1/size, dc_sub(x[loop[k]], h->centre));
            const dc_v3 b = dc_scale(1/size, dc_sub(x[loop[(k + 1)%n]], h->centre));
            volume += dc_dot(mean, dc_cross(a, b));
        }
    }
    return volume > 8*DC_EPS;
}

/* the mass that the joint of link i moves */
static dc_real dci_sim_moved_mass(const dc_sim *sim, int i)
{
    dc_real mass = 0;
    int j, k;
    for (j = i; j < sim->links; ++j) {
        for (k = j; k > i; ) k = sim->link[k].parent;
        if (k == i) mass += sim->moment[16*j + 15];
    }
    return mass;
}

DC_DEF dc_status dc_sim_refresh(dc_sim *sim, dc_sim_flaw *flaw)
{
    const char *cause;
    int i, k, where = -1, hull = -1;

    if (!sim || !sim->link) return DC_E_ARG;
    cause = dci_sim_normalise(sim, &where);

    for (i = 0; i < sim->links && !cause; ++i) {
        where = i;
        cause = dci_sim_link_flaw(sim->link + i, i);
    }
    for (k = 0; k < sim->hulls && !cause; ++k) {
        where = sim->hull[k].link;
        cause = dci_sim_bound(sim, sim->hull + k);

        /* what had faces encloses more than rounding does */
        if (!cause && sim->hull[k].faces > 0 && !dci_sim_encloses(sim, sim->hull + k))
            cause = "a hull has no volume";
        if (cause) hull = k;
    }
    for (i = 0; i < sim->links && !cause; ++i) {
        where = i;
        cause = dci_sim_moments(sim, i);
    }
    for (i = 0; i < sim->links && !cause; ++i) {
        where = i;
        if (sim->link[i].joint != DC_SIM_FIXED && !(dci_sim_moved_mass(sim, i) > 0))
            cause = "the joint moves no mass";
    }

    if (cause && flaw) {
        flaw->link = where;
        flaw->cause = cause;
        flaw->hull = hull;
    }
    return cause ? DC_E_ARG : DC_OK;
}

/* the half-edge with which face f begins: that of its first corner */
static int dci_sim_face_start(const dc_hull_topology *hull, int f)
{
    int h, start = hull->begin[f];
    for (h = start; h < hull->begin[f + 1]; ++h)
        if (hull->corner[h] < hull->corner[start]) start = h;
    return start;
}

/* Half-edges `start`, one of each face, by their corner, then by the one on the other side: the order depends on who is
 * next to whom, not on where they are. */
static void dci_sim_face_sort(const dc_hull_topology *hull, int *start)
{
    int f, k, gap;
    for (gap = hull->faces/2; gap > 0; gap /= 2)
        for (f = gap; f < hull->faces; ++f) {
            const int h = start[f], from = hull->corner[h], to = hull->corner[hull->twin[h]];
            for (k = f; k >= gap; k -= gap) {
                const int g = start[k - gap], other = hull->corner[g];
                if (other < from || (other == from && hull->corner[hull->twin[g]] < to)) break;
                start[k] = g;
            }
            start[k] = h;
        }
}

/* The faces of hull h, by dc_hull_faces, as loops of their corners; 0: it is flat, or its volume is rounding. */
static int dci_sim_hull_faces(dc_sim *m, dc_sim_hull *h, dc_arena *mem)
{
    const size_t used = mem->used;
    int *loop = m->loop + h->loop, *face = m->face + h->face, *start = NULL, f, k, n, loops = 0;
    dc_hull points = DC_ZERO;
    dc_hull_topology hull;

    points.v = m->vertex + h->begin;
    points.n = h->n;
    if (h->n < 4 || dc_hull_faces(&points, DC_IS_FLOAT ? 0 : 4096*DC_EPS, mem, &hull) != DC_OK) return 0;

    /* there is room: half of what dc_hull_faces asks for is given back */
    if (hull.dimension == 3) start = (int *)dc_arena_take(mem, (size_t)hull.faces, sizeof(int));
    for (f = 0; start && f < hull.faces; ++f) start[f] = dci_sim_face_start(&hull, f);
    if (start) dci_sim_face_sort(&hull, start);
    for (f = 0; start && f < hull.faces; ++f) {
        const int begin = hull.begin[hull.owner[start[f]]];
        n = hull.begin[hull.owner[start[f]] + 1] - begin;
        face[f] = loops;
        for (k = 0; k < n; ++k) loop[loops++] = hull.corner[begin + (start[f] - begin + k)%n];
    }
    mem->used = used;
    if (!start) return 0;
    face[hull.faces] = loops;
    h->faces = hull.faces;

    /* thin ones have none */
    dci_sim_bound(m, h);
    if (!dci_sim_encloses(m, h)) h->faces = 0;
    return h->faces > 0;
}

/* links with their hulls, then the corners of trees; 0: a solid of link *where is flat */
static int dci_sim_fill_links(const dc_sim_desc *d, dc_arena *mem, dc_sim *m, int *where)
{
    int i, j, k, hulls = 0, vertices = 0, q_at = 0, v_at = 0;

    for (i = 0; i < m->links; ++i) {
        const dc_sim_link *l = d->link + i;
        m->link[i] = *l;
        m->link[i].hull = NULL;
        m->q_at[i] = q_at;
        m->v_at[i] = v_at;
        q_at += dci_sim_nq(l->joint);
        v_at += dci_sim_nv(l->joint);
        for (k = 0; k < l->hulls; ++k, ++hulls) {
            dc_sim_hull *h = m->hull + hulls;
            h->link = i;
            h->begin = vertices;
            h->n = l->hull[k].n;
            h->round = l->hull[k].radius;
            h->loop = 6*vertices;
            h->face = 2*vertices + hulls;
            h->faces = h->tree = 0;
            for (j = 0; j < h->n; ++j) m->vertex[vertices++] = l->hull[k].v[j];

            *where = i;
            if (dci_sim_may_have_faces(l, l->hull + k) && !dci_sim_hull_faces(m, h, mem)
                && dci_sim_needs_faces(l, l->hull + k)) return 0;
        }
    }

    /* the corners of a tree are one more hull */
    for (i = 0; i < m->links; ++i) {
        const dc_bsh *tree = d->link[i].tree;
        dc_sim_hull *h = m->hull + hulls;
        if (!d->trees || !tree) continue;
        memset(h, 0, sizeof *h);
        h->tree = 1;
        h->link = i;
        h->begin = vertices;
        h->n = 3*tree->n;
        for (j = 0; j < h->n; ++j) m->vertex[vertices++] = dc_add(tree->o, tree->corner[j]);
        ++hulls;
    }
    return 1;
}

/* Where the Hessian is cut: into runs of links, as short as they can be with every link in the run of its parent; not
 * below DCI_SIM_ONE_PIECE coordinates, for which one block is as fast. */
static void dci_sim_fill_pieces(dc_sim *m)
{
    int i, k;

    m->pieces = 0;
    for (i = 0; i < m->links; ++i) {
        const int up = m->link[i].parent;
        if (m->nv <= DCI_SIM_ONE_PIECE ? i == 0 : up < 0) m->piece_at[m->pieces++] = i;
        else while (m->nv > DCI_SIM_ONE_PIECE && m->piece_at[m->pieces - 1] > up) --m->pieces;
    }

    /* links, then coordinates */
    m->piece_at[m->pieces] = m->links;
    for (k = 0; k < m->pieces; ++k) {
        for (i = m->piece_at[k]; i < m->piece_at[k + 1]; ++i) m->piece[i] = k;
        m->piece_at[k] = m->v_at[m->piece_at[k]];
    }
    m->piece_at[m->pieces] = m->nv;
}

/* what says which links may touch: who moves with whom, who hangs on whom, and the exclusions, ascending */
static void dci_sim_fill_touch(const dc_sim_desc *d, dc_sim *m)
{
    int i, k, gap;

    for (i = 0; i < m->links; ++i) {
        const int up = d->link[i].parent;
        m->anchor[i] = d->link[i].joint != DC_SIM_FIXED ? i : up < 0 ? -1 : m->anchor[up];
        m->above[i] = up < 0 || dci_sim_shaped(d, up) ? up : m->above[up];
    }
    for (k = 0; k < m->excludes; ++k) {
        const int a = d->exclude[2*k], b = d->exclude[2*k + 1];
        m->exclude[2*k] = a < b ? a : b;
        m->exclude[2*k + 1] = a < b ? b : a;
    }
    for (gap = m->excludes/2; gap > 0; gap /= 2)
        for (i = gap; i < m->excludes; ++i) {
            const int a = m->exclude[2*i], b = m->exclude[2*i + 1];
            for (k = i; k >= gap; k -= gap) {
                const int *x = m->exclude + 2*(k - gap);
                if (x[0] < a || (x[0] == a && x[1] <= b)) break;
                m->exclude[2*k] = x[0];
                m->exclude[2*k + 1] = x[1];
            }
            m->exclude[2*k] = a;
            m->exclude[2*k + 1] = b;
        }
}

/* the pairs that may touch, ascending, and whether there are any */
static void dci_sim_fill_pairs(dc_sim *m)
{
    int i, j;
    m->meets = 0;
    for (i = 0; i < m->links && !m->meets; ++i)
        for (j = 0; j < i && !m->meets && dci_sim_shaped(&m->desc, i); ++j)
            m->meets = dci_sim_shaped(&m->desc, j) && dci_sim_links_touch(m, i, j);
    m->pairs = 0;
    for (i = 0; dci_sim_everywhere(&m->desc) && i < m->hulls; ++i)
        for (j = i + 1; j < m->hulls; ++j) {
            if (!dci_sim_hulls_touch(m, i, j)) continue;
            m->pair[2*m->pairs] = i;
            m->pair[2*m->pairs + 1] = j;
            ++m->pairs;
        }
}

/* copies the description into the arrays, finds faces and pairs */
static const char *dci_sim_fill(const dc_sim_desc *d, dc_arena *mem, dc_sim *m, int *where)
{
    int k;

    for (k = 0; k < m->planes; ++k) m->plane[k] = d->plane[k];
    if (!dci_sim_fill_links(d, mem, m, where)) return "a solid hull is flat";
    dci_sim_fill_pieces(m);

    /* what zero stands for */
    m->desc = *d;
    m->desc.link = m->link;
    m->desc.plane = m->plane;
    m->desc.exclude = NULL;
    m->desc.excludes = 0;
    for (k = 0; k < m->materials*m->materials; ++k) m->table[k] = d->table[k];
    for (k = 0; m->materials > 0 && k < m->links + m->planes; ++k) m->material[k] = d->material[k];
    m->desc.table = m->table;
    m->desc.material = m->material;
    if (m->desc.support == 0) m->desc.support = DC_R(0.1);
    m->desc.trees = d->trees != 0;
    if (m->desc.contacts == 0) m->desc.contacts = 1024;
    if (m->desc.tolerance == 0) m->desc.tolerance = DC_IS_FLOAT ? DC_R(1e-4) : DC_R(1e-9);
    if (m->desc.iterations == 0) m->desc.iterations = 400;

    dci_sim_fill_touch(d, m);
    dci_sim_fill_pairs(m);
    *where = -1;
    return NULL;
}

/* a chosen number within what is accepted of a given one */
static dc_real dci_sim_bounded(dc_real x, dc_real least) { return dc_min(dc_max(x, least), DC_LIMIT); }

/* What zero stands for in the potentials, by the smallest hull, the lightest tree of links and gravity, constants of
 * the model from here on. Where there are none: lengths of 1, masses of 1, a hundredth of the size in a squared
 * step. */
static void dci_sim_choose(dc_sim *m)
{
    dc_sim_desc *d = &m->desc;
    dc_real a = dc_sqrt(dc_dot(d->gravity, d->gravity)), size = 0, mass = 0, eps;
    int i, k;

    for (k = 0; k < m->hulls; ++k) {
        const dc_real diameter = 2*m->hull[k].radius;
        if (m->hull[k].tree == d->trees && diameter > 0 && !(size > 0 && size <= diameter)) size = diameter;
    }
    for (i = 0; i < m->links; ++i) {
        const int root = m->link[i].joint != DC_SIM_FIXED && dci_sim_anchor(m->link, m->link[i].parent) < 0;
        const dc_real moved = root ? dci_sim_moved_mass(m, i) : 0;
        if (moved > 0 && !(mass > 0 && mass <= moved)) mass = moved;
    }
    if (!(size > 0)) size = 1;
    if (!(mass > 0)) mass = 1;
    if (!(a > 0)) a = size/(100*d->h*d->h);

    /* two hulls feel each other within 0.56 % of the size; where they always do, the lightest on four vertices of a
     * plane rests at 0.27 % */
    if (d->length == 0) d->length = dci_sim_bounded(DC_R(0.025)*size, 1/DC_LIMIT);
    if (d->stiffness == 0) {
        const dc_real share = d->global || d->trees ? DC_R(0.003) : DC_R(1.0);
        d->stiffness = dci_sim_bounded(share*mass*a*d->length, DC_REAL_MIN);
    }
    d->hierarchy.length = d->length;

    /* friction sticks by a creep of 1e-6 of a fall through the size; forces are of the size of 1/length */
    eps = DC_IS_FLOAT ? DC_R(1e-5) : DC_R(1e-6);
    if (d->friction.eps_v == 0) d->friction.eps_v = dci_sim_bounded(eps*eps*a*size, DC_REAL_MIN);
    if (d->friction.eps_f == 0) d->friction.eps_f = dci_sim_bounded(DC_R(1e-12)/d->length/d->length, DC_REAL_MIN);
}

DC_DEF dc_status dc_sim_build(const dc_sim_desc *desc, dc_arena *mem, dc_sim *sim, dc_sim_flaw *flaw)
{
    dci_room room = DC_ZERO;
    dc_sim m;
    const char *cause;
    dc_status status = DC_E_ARG;
    int where = -1;
    size_t used, kept;

    if (!desc || !mem || !sim) return DC_E_ARG;
    used = kept = mem->used;
    room.arena = mem;

    /* counts, memory, then what is made of the links */
    cause = dci_sim_check(desc, &m, &where);
    if (!cause) {
        dci_sim_take_model(&m, &room);
        kept = mem->used;
        DCI_TAKE(&room, dci_sim_faces_bytes(desc), unsigned char);
    }
    if (room.full) status = DC_E_MEMORY;
    else {
        mem->used = kept;
        if (!cause) cause = dci_sim_fill(desc, mem, &m, &where);
        if (cause && flaw) {
            flaw->link = where;
            flaw->cause = cause;
            flaw->hull = -1;
        }
        if (!cause) status = dc_sim_refresh(&m, flaw);
    }
    if (status != DC_OK) {
        mem->used = used;
        return status;
    }

    dci_sim_choose(&m);
    *sim = m;
    return DC_OK;
}

/* ---- [kinematics] configurations -------------------------------------------------------------- */
/* in: a state; out: its place in the world: poses of the links and the twists S_a of the coordinates.
 *
 * stage           | reads            | writes           | equation
 * dci_sim_forward | q                | poses of a place | SDRS Eq. 1
 * dci_sim_axes    | poses            | axes of a place  | dT_i/dq_a = [S_a] T_i
 * dci_sim_move    | q, dq of a joint | q moved          | R <- exp([w]) R
 * dci_sim_lever   | q, a point       | J^T f, or J dq   | */

/* A tangent coordinate in the world: a point x of what it moves has the velocity move + turn x (x - o), o as in
 * dci_sim_place. */
typedef struct { dc_v3 turn, move; } dci_sim_axis;

/* One configuration. */
typedef struct {
    const dc_sim *sim;
    dc_pose *pose;          /* of the links */
    dc_pose *joint;         /* of their joints' frames */
    dc_m3 *rotation;        /* of the links */
    dc_v3 *origin;          /* o: of the first link of their tree, about which sums over the tree are formed */
    dci_sim_axis *axis;     /* of the joints' coordinates, then, when asked for, of the attachments', 6 per link */
} dci_sim_place;

/* does the joint turn by a quaternion; has it one coordinate? */
static int dci_sim_rotates(dc_sim_joint j) { return j == DC_SIM_FREE || j == DC_SIM_BALL; }
static int dci_sim_single(dc_sim_joint j) { return j == DC_SIM_HINGE || j == DC_SIM_SLIDE; }
/* where its rotation begins among its tangents: after a free joint's velocity */
static int dci_sim_turn_at(dc_sim_joint j) { return j == DC_SIM_FREE ? 3 : 0; }

/* coordinates, the first ones, that only move */
static int dci_sim_straight(dc_sim_joint j) { return j == DC_SIM_FREE ? 3 : j == DC_SIM_SLIDE; }

static dc_quat dci_sim_q4(const dc_real *q)
{
    dc_quat r;
    r.w = q[0];
    r.x = q[1];
    r.y = q[2];
    r.z = q[3];
    return r;
}

static void dci_sim_put4(dc_quat q, dc_real *out)
{
    out[0] = q.w;
    out[1] = q.x;
    out[2] = q.y;
    out[3] = q.z;
}

static dc_v3 dci_sim_v3(const dc_real *x) { return dc_vec(x[0], x[1], x[2]); }

static void dci_sim_put3(dc_v3 v, dc_real *out)
{
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

DC_DEF void dc_sim_neutral(const dc_sim *sim, dc_real *q)
{
    int i, k;
    for (k = 0; k < sim->nq; ++k) q[k] = 0;
    for (i = 0; i < sim->links; ++i)
        if (dci_sim_rotates(sim->link[i].joint)) q[sim->q_at[i]] = 1;
}

static dc_pose dci_sim_identity(void)
{
    dc_pose p;
    p.q.w = 1;
    p.q.x = p.q.y = p.q.z = 0;
    p.t = dc_vec(0, 0, 0);
    return p;
}

/* J_i(q) */
static dc_pose dci_sim_joint_pose(const dc_sim_link *l, const dc_real *q)
{
    dc_pose p = dci_sim_identity();
    if (dci_sim_rotates(l->joint)) p.q = dci_sim_q4(q);
    if (l->joint == DC_SIM_FREE) p.t = dci_sim_v3(q + 4);
    if (l->joint == DC_SIM_HINGE) {
        dc_real s;
        dc_sincos(DC_R(0.5)*q[0], &s, &p.q.w);
        p.q.x = s*l->axis.x;
        p.q.y = s*l->axis.y;
        p.q.z = s*l->axis.z;
    }
    if (l->joint == DC_SIM_SLIDE) p.t = dc_scale(q[0], l->axis);
    return p;
}

/* SDRS Eq. 1; the axes are as they were */
static void dci_sim_forward(const dc_real *q, dci_sim_place *place)
{
    const dc_sim *sim = place->sim;
    int i;
    for (i = 0; i < sim->links; ++i) {
        const dc_sim_link *l = sim->link + i;
        place->joint[i] = l->parent < 0 ? l->attach : dc_pose_mul(place->pose[l->parent], l->attach);
        place->pose[i] = dc_pose_mul(place->joint[i], dci_sim_joint_pose(l, q + sim->q_at[i]));
        place->rotation[i] = dc_rotation(place->pose[i].q);
        place->origin[i] = l->parent < 0 ? place->pose[i].t : place->origin[l->parent];
    }
}

DC_DEF void dc_sim_poses(const dc_sim *sim, const dc_real *q, dc_pose *pose)
{
    int i;
    for (i = 0; i < sim->links; ++i) {
        const dc_sim_link *l = sim->link + i;
        dc_pose p = dc_pose_mul(l->attach, dci_sim_joint_pose(l, q + sim->q_at[i]));
        pose[i] = l->parent < 0 ? p : dc_pose_mul(pose[l->parent], p);
    }
}

/* y = the joint's x moved by s d */
static void dci_sim_move(dc_sim_joint joint, const dc_real *x, const dc_real *d, dc_real s, dc_real *y)
{
    int k;

    switch (joint) {
    case DC_SIM_FREE:
    case DC_SIM_BALL: {
        int at = dci_sim_turn_at(joint);
        dc_quat p = dc_quat_mul(dc_quat_exp(dc_scale(s, dci_sim_v3(d + at))), dci_sim_q4(x));
        dc_quat_normalize(p, &p);
        for (k = 0; k < at; ++k) y[4 + k] = x[4 + k] + s*d[k];
        dci_sim_put4(p, y);
        break;
    }
    case DC_SIM_HINGE:
    case DC_SIM_SLIDE: y[0] = x[0] + s*d[0]; break;
    case DC_SIM_FIXED: break;
    }
}

DC_DEF void dc_sim_retract(const dc_sim *sim, const dc_real *q, const dc_real *dq, dc_real *out)
{
    int i;
    for (i = 0; i < sim->links; ++i)
        dci_sim_move(sim->link[i].joint, q + sim->q_at[i], dq + sim->v_at[i], 1, out + sim->q_at[i]);
}

DC_DEF void dc_sim_local(const dc_sim *sim, const dc_real *q0, const dc_real *q1, dc_real *dq)
{
    int i, k;

    for (i = 0; i < sim->links; ++i) {
        const dc_real *x = q0 + sim->q_at[i], *y = q1 + sim->q_at[i];
        dc_real *d = dq + sim->v_at[i];
        switch (sim->link[i].joint) {
        case DC_SIM_FREE:
        case DC_SIM_BALL: {
            int at = dci_sim_turn_at(sim->link[i].joint);
            for (k = 0; k < at; ++k) d[k] = y[4 + k] - x[4 + k];
            dci_sim_put3(dc_quat_log(dc_quat_mul(dci_sim_q4(y), dc_quat_conj(dci_sim_q4(x)))), d + at);
            break;
        }
        case DC_SIM_HINGE:
        case DC_SIM_SLIDE: d[0] = y[0] - x[0]; break;
        case DC_SIM_FIXED: break;
        }
    }
}

/* the frame of the joint of link i, in the world */
static dc_pose dci_sim_joint_frame(const dc_sim *sim, const dc_real *q, int i)
{
    dc_pose p = dci_sim_identity();
    int first = 1;
    for (; i >= 0; i = sim->link[i].parent, first = 0) {
        const dc_sim_link *l = sim->link + i;
        if (!first) p = dc_pose_mul(dci_sim_joint_pose(l, q + sim->q_at[i]), p);
        p = dc_pose_mul(l->attach, p);
    }
    return p;
}

/* What moves the point x of link i by a force f, joint after joint up the tree: dq += J^T f, or with dq given J dq,
 * added to *moved */
static void dci_sim_lever(const dc_sim *sim, const dc_real *q, int i, dc_v3 x, dc_v3 f, dc_real *pulled,
                          const dc_real *dq, dc_v3 *moved)
{
    dc_pose frame = dci_sim_joint_frame(sim, q, i);
    int k;

    x = dc_pose_apply(dc_pose_mul(frame, dci_sim_joint_pose(sim->link + i, q + sim->q_at[i])), x);

    for (; i >= 0; i = sim->link[i].parent) {
        const dc_sim_link *l = sim->link + i;
        const int at = sim->v_at[i], nv = dci_sim_nv(l->joint);
        const int straight = dci_sim_straight(l->joint);
        dc_v3 arm;
        frame = dci_sim_joint_frame(sim, q, i);
        arm = dc_sub(x, dc_pose_apply(frame, dci_sim_joint_pose(l, q + sim->q_at[i]).t));
        for (k = 0; k < nv; ++k) {
            dc_v3 e = dc_quat_rotate(frame.q, dci_sim_single(l->joint) ? l->axis : dci_axis(k%3));
            dc_v3 way = k < straight ? e : dc_cross(e, arm);
            if (pulled) pulled[at + k] += dc_dot(way, f);
            else *moved = dc_madd(*moved, dq[at + k], way);
        }
    }
}

DC_DEF void dc_sim_pull(const dc_sim *sim, const dc_real *q, int link, dc_v3 x, dc_v3 f, dc_real *dq)
{
    dci_sim_lever(sim, q, link, x, f, dq, NULL, NULL);
}

DC_DEF dc_v3 dc_sim_carry(const dc_sim *sim, const dc_real *q, int link, dc_v3 x, const dc_real *dq)
{
    dc_v3 moved = dc_vec(0, 0, 0);
    dci_sim_lever(sim, q, link, x, moved, NULL, dq, &moved);
    return moved;
}

DC_DEF uint64_t dc_sim_hash(const dc_real *x, int n)
{
    uint64_t h = UINT64_C(14695981039346656037);
    size_t   i;
    int      k;
    for (k = 0; k < n; ++k) {
        dci_bits b = dci_to_bits(x[k]);
        for (i = 0; i < sizeof *x; ++i, b >>= 8) h = (h ^ (b & 255))*UINT64_C(1099511628211);
    }
    return h;
}

/* Do the coordinates of link i move it and turn it about its origin along the axes of the world? Then the matrix of its
 * twists by them is the unit one. */
static int dci_sim_plain(const dc_sim *sim, int i)
{
    const dc_sim_link *l = sim->link + i;
    const dc_quat q = l->attach.q;
    return l->joint == DC_SIM_FREE && l->parent < 0 && q.w == 1 && q.x == 0 && q.y == 0 && q.z == 0;
}

/* about a point at `arm` from o */
static void dci_sim_turns(dci_sim_axis *axis, dc_quat q, dc_v3 e, dc_v3 arm)
{
    axis->turn = dc_quat_rotate(q, e);
    axis->move = dc_cross(arm, axis->turn);
}

static void dci_sim_moves(dci_sim_axis *axis, dc_quat q, dc_v3 e)
{
    axis->turn = dc_vec(0, 0, 0);
    axis->move = dc_quat_rotate(q, e);
}

/* three that move, then three that turn, in the axes of q */
static void dci_sim_six_axes(dci_sim_axis *axis, dc_quat q, dc_v3 arm)
{
    int k;
    for (k = 0; k < 3; ++k) dci_sim_moves(axis + k, q, dci_axis(k));
    for (k = 0; k < 3; ++k) dci_sim_turns(axis + 3 + k, q, dci_axis(k), arm);
}

/* The axes of a place, its poses known: the coordinates of all joints, nv, and, when asked for, those of the
 * attachments after them, 6 per link. In the chain from the world to a link they come in the order parent, attachment,
 * joint, v before w. */
static void dci_sim_axes(dci_sim_place *place, int attachments)
{
    const dc_sim *sim = place->sim;
    int i, k;

    for (i = 0; i < sim->links; ++i) {
        const dc_sim_link *l = sim->link + i;
        dci_sim_axis *axis = place->axis + sim->v_at[i];
        dc_quat q = place->joint[i].q;
        dc_v3 arm = dc_sub(place->pose[i].t, place->origin[i]);
        switch (l->joint) {
        case DC_SIM_FREE: dci_sim_six_axes(axis, q, arm); break;
        case DC_SIM_BALL:
            for (k = 0; k < 3; ++k) dci_sim_turns(axis + k, q, dci_axis(k), arm);
            break;
        case DC_SIM_HINGE: dci_sim_turns(axis, q, l->axis, arm); break;
        case DC_SIM_SLIDE: dci_sim_moves(axis, q, l->axis); break;
        case DC_SIM_FIXED: break;
        }
        if (!attachments) continue;
        dci_sim_six_axes(place->axis + sim->nv + 6*i, l->parent >= 0 ? place->pose[l->parent].q : dci_sim_identity().q,
                         dc_sub(place->joint[i].t, place->origin[i]));
    }
}

/* axes of a place */
static size_t dci_sim_axis_count(const dc_sim *sim, int attachments)
{
    return (size_t)sim->nv + (attachments ? 6*(size_t)sim->links : 0);
}

/* the arrays of a place, but for its axes */
static void dci_sim_take_place(const dc_sim *sim, dci_room *room, dci_sim_place *place)
{
    place->sim = sim;
    place->pose = DCI_TAKE(room, 2*(size_t)sim->links, dc_pose);
    place->joint = place->pose ? place->pose + sim->links : NULL;
    place->rotation = DCI_TAKE(room, sim->links, dc_m3);
    place->origin = DCI_TAKE(room, sim->links, dc_v3);
}

/* ---- [twists] forces and forms of twists, and where derivatives go ---------------------------- */
/* in: gradients and Hessians by the twists of links; out: by the coordinates. A wrench is a gradient by a twist (v, w),
 * a form a second derivative by two.
 *
 * stage             | reads                 | writes             | equation
 * dci_sim_shift     | a wrench, a form      | the same about o   |
 * dci_sim_put       | a wrench on a link    | a column           | J_i^T m
 * dci_sim_put_block | a form of two links   | a block            | J_i^T B J_j
 * dci_sim_put_pulled| products by links     | their joints'      | J_j^T of all blocks at once
 * dci_sim_brackets  | wrenches on all links | c_b                | g . 1/2 [S_a, S_b] = w_a . c_b
 * dci_sim_put_tree  | forms of all links, c | a symmetric matrix | sum J_i^T H_i J_i + w_a . c_b */

static dc_real dci_sim_dot6(const dc_real *a, const dc_real *b)
{
    return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] + a[3]*b[3] + a[4]*b[4] + a[5]*b[5];
}

/* the larger of a wrench's force and torque */
static dc_real dci_sim_size(const dc_real m[6])
{
    dc_v3 f = dci_sim_v3(m), t = dci_sim_v3(m + 3);
    return dc_sqrt(dc_max(dc_dot(f, f), dc_dot(t, t)));
}

/* velocity by a coordinate, dot product with a wrench, both about o */
static dc_real dci_sim_power(const dci_sim_axis *a, const dc_real m[6])
{
    const dc_v3 u = a->move, w = a->turn;
    return u.x*m[0] + u.y*m[1] + u.z*m[2] + w.x*m[3] + w.y*m[4] + w.z*m[5];
}

/* adds the wrench (f, r x f) */
static void dci_sim_push(dc_real *wrench, dc_v3 r, dc_v3 f)
{
    dc_v3 t = dc_cross(r, f);
    wrench[0] += f.x;
    wrench[1] += f.y;
    wrench[2] += f.z;
    wrench[3] += t.x;
    wrench[4] += t.y;
    wrench[5] += t.z;
}

/* a wrench about the origin of a link, r from o, becomes one about o */
static void dci_sim_shift(dc_v3 r, const dc_real m[6], dc_real out[6])
{
    dc_v3 t = dc_cross(r, dci_sim_v3(m));
    out[0] = m[0];
    out[1] = m[1];
    out[2] = m[2];
    out[3] = m[3] + t.x;
    out[4] = m[4] + t.y;
    out[5] = m[5] + t.z;
}

/* The same for a form of two twists: rows about a point at r, columns about one at s. out may not be B. */
static void dci_sim_shift_block(dc_v3 r, dc_v3 s, const dc_real *B, int ldb, dc_real out[36])
{
    int i, j;
    for (i = 0; i < 6; ++i) dci_sim_shift(s, B + i*ldb, out + 6*i);
    for (j = 0; j < 6; ++j) {
        dc_v3 t = dc_cross(r, dc_vec(out[j], out[6 + j], out[12 + j]));
        out[18 + j] += t.x;
        out[24 + j] += t.y;
        out[30 + j] += t.z;
    }
}

/* The same for the symmetric form of one link, in place: A, B + A [r]^T, C + B^T [r]^T + [r] (B + A [r]^T). */
static void dci_sim_shift_form(dc_v3 r, dc_real *H)
{
    dc_real more[9];
    int i, j;
    for (i = 0; i < 3; ++i) {
        const dc_v3 b = dc_vec(H[3 + i], H[9 + i], H[15 + i]);
        dci_sim_put3(dc_cross(r, b), more + 3*i);
    }
    for (i = 0; i < 3; ++i) {
        const dc_v3 turned = dc_cross(r, dci_sim_v3(H + 6*i));
        H[6*i + 3] += turned.x;
        H[6*i + 4] += turned.y;
        H[6*i + 5] += turned.z;
    }
    for (j = 0; j < 3; ++j) {
        const dc_v3 b = dc_vec(H[3 + j], H[9 + j], H[15 + j]), turned = dc_cross(r, b);
        H[21 + j] += more[j] + turned.x;
        H[27 + j] += more[3 + j] + turned.y;
        H[33 + j] += more[6 + j] + turned.z;
        dci_sim_put3(b, H + 18 + 6*j);
    }
}

/* out = H S_a, H symmetric */
static void dci_sim_press(const dc_real H[36], const dci_sim_axis *a, dc_real out[6])
{
    const dc_v3 u = a->move, w = a->turn;
    int c;
    for (c = 0; c < 6; ++c)
        out[c] = u.x*H[c] + u.y*H[6 + c] + u.z*H[12 + c] + w.x*H[18 + c] + w.y*H[24 + c] + w.z*H[30 + c];
}

/* out = B S_a */
static void dci_sim_times(const dc_real B[36], const dci_sim_axis *a, dc_real out[6])
{
    int i;
    for (i = 0; i < 6; ++i) out[i] = dci_sim_power(a, B + 6*i);
}

/* Adds E K E^T, E = [1; [r]x]: the symmetric form K of a point at the arm r as one of twists. */
static void dci_sim_arm_form(dc_real *H, dc_v3 r, const dc_m3 *K)
{
    dc_real rK[9];                  /* K [r]x^T by rows, which is ([r]x K)^T */
    int i, j;
    for (i = 0; i < 3; ++i) dci_sim_put3(dc_cross(r, dci_sim_v3(K->m + 3*i)), rK + 3*i);
    for (i = 0; i < 3; ++i) {
        const dc_v3 rKr = dc_cross(r, dc_vec(rK[i], rK[3 + i], rK[6 + i]));
        for (j = 0; j < 3; ++j) {
            H[6*i + j] += K->m[3*i + j];
            H[6*i + j + 3] += rK[3*i + j];
            H[6*(i + 3) + j] += rK[3*j + i];
        }
        H[6*i + 21] += rKr.x;
        H[6*i + 22] += rKr.y;
        H[6*i + 23] += rKr.z;
    }
}

/* Adds E K F^T, E = [1; [r]x], F = [1; [s]x]: the form K of points at arms r and s as one of twists. */
static void dci_sim_arms(dc_real *H, dc_v3 r, const dc_m3 *K, dc_v3 s)
{
    dc_m3 rx = dc_m3_skew(r), sx = dc_m3_skew(dc_neg(s));
    dc_m3 rK = dc_m3_mul(&rx, K), Ks = dc_m3_mul(K, &sx), rKs = dc_m3_mul(&rK, &sx);
    int i, j;
    for (i = 0; i < 3; ++i)
        for (j = 0; j < 3; ++j) {
            H[6*i + j] += K->m[3*i + j];
            H[6*i + j + 3] += Ks.m[3*i + j];
            H[6*(i + 3) + j] += rK.m[3*i + j];
            H[6*(i + 3) + j + 3] += rKs.m[3*i + j];
        }
}

/* o to the origin of link i */
static dc_v3 dci_sim_arm(const dci_sim_place *place, int i) { return dc_sub(place->pose[i].t, place->origin[i]); }

/* The twist z of link i when the coordinates move by dq. */
static void dci_sim_twist(const dci_sim_place *place, int i, const dc_real *dq, dc_real z[6])
{
    const dc_sim *sim = place->sim;
    dc_v3 u = dc_vec(0, 0, 0), w = u;
    int l, k;

    for (l = i; l >= 0; l = sim->link[l].parent)
        for (k = 0; k < dci_sim_nv(sim->link[l].joint); ++k) {
            const int at = sim->v_at[l] + k;
            u = dc_madd(u, dq[at], place->axis[at].move);
            w = dc_madd(w, dq[at], place->axis[at].turn);
        }
    dci_sim_put3(dc_add(u, dc_cross(w, dci_sim_arm(place, i))), z);
    dci_sim_put3(w, z + 3);
}

static void dci_sim_zero(dc_real *x, size_t n)
{
    size_t k;
    for (k = 0; x && k < n; ++k) x[k] = 0;
}

static int dci_sim_finite(const dc_real *x, size_t n)
{
    size_t k;
    for (k = 0; x && k < n; ++k)
        if (!dc_finite(x[k])) return 0;
    return 1;
}

/* to += x, which are apart: four at a time, so that it needs no proof of that to vectorise */
static void dci_sim_sum(const dc_real *x, int n, dc_real *to)
{
    int k;
    for (k = 0; k + 4 <= n; k += 4) {
        const dc_real a = x[k] + to[k], b = x[k + 1] + to[k + 1], c = x[k + 2] + to[k + 2], d = x[k + 3] + to[k + 3];
        to[k] = a;
        to[k + 1] = b;
        to[k + 2] = c;
        to[k + 3] = d;
    }
    for (; k < n; ++k) to[k] += x[k];
}

/* Where derivatives go: entry (a, c) of a matrix with nv rows; or, with `twist`, its product with a vector `weight` of
 * rows, `twist` being the twists of the links by it. out NULL: nowhere. */
typedef struct {
    dc_real *out;
    size_t stride;
    int row, column;                /* of its first entry */
    const dc_real *weight, *twist;
    dc_real *pulled;                /* with `twist`: [6 links] products by the twists of links at an earlier place */
} dci_sim_sink;

static dci_sim_sink dci_sim_dense(dc_real *out, size_t columns)
{
    dci_sim_sink s = DC_ZERO;
    s.out = out;
    s.stride = columns;
    return s;
}

/* A symmetric matrix by the coordinates of the joints, in blocks of pieces. */
typedef struct dci_sim_block dci_sim_block;
struct dci_sim_block {
    dci_sim_block *next;            /* of its row */
    int column;                     /* a piece before that of its row */
    dc_real *entry;                 /* row-major */
};

typedef struct {
    dc_real *own;                   /* blocks of the pieces with themselves, square */
    size_t *own_at;                 /* [pieces] where they begin */
    dci_sim_block **row;            /* [pieces] blocks of the row left of its own, as they were met; one piece: NULL */
    int blocks;                     /* how many there are */
} dci_sim_hessian;

static int dci_sim_width(const dc_sim *sim, int piece) { return sim->piece_at[piece + 1] - sim->piece_at[piece]; }

/* the block of a piece with itself */
static dci_sim_sink dci_sim_own(const dc_sim *sim, const dci_sim_hessian *H, int piece)
{
    dci_sim_sink s = dci_sim_dense(H->own + H->own_at[piece], (size_t)dci_sim_width(sim, piece));
    s.row = s.column = sim->piece_at[piece];
    return s;
}

/* The block of a row and a column before it, of zeros if there was none; out NULL: there is no memory. */
static DCI_NOINLINE dci_sim_sink dci_sim_block_of(const dc_sim *sim, int row, int column, dc_arena *mem,
                                                  dci_sim_hessian *H)
{
    const size_t width = (size_t)dci_sim_width(sim, column), entries = (size_t)dci_sim_width(sim, row)*width;
    dci_sim_block *block = H->row[row];
    dci_sim_sink s;

    while (block && block->column != column) block = block->next;
    if (!block) {
        const size_t used = mem->used;
        block = (dci_sim_block *)dc_arena_take(mem, 1, sizeof *block);
        if (block) block->entry = (dc_real *)dc_arena_take(mem, entries, sizeof(dc_real));
        if (!block || !block->entry) {
            mem->used = used;
            return dci_sim_dense(NULL, 0);
        }
        dci_sim_zero(block->entry, entries);
        block->column = column;
        block->next = H->row[row];
        H->row[row] = block;
        ++H->blocks;
    }
    s = dci_sim_dense(block->entry, width);
    s.row = sim->piece_at[row];
    s.column = sim->piece_at[column];
    return s;
}

static void dci_sim_zero_hessian(const dc_sim *sim, dci_sim_hessian *H)
{
    int k;
    for (k = 0; k < sim->pieces; ++k) {
        const size_t width = (size_t)dci_sim_width(sim, k);
        dci_sim_block *block = H->row ? H->row[k] : NULL;
        dci_sim_zero(H->own + H->own_at[k], width*width);
        for (; block; block = block->next)
            dci_sim_zero(block->entry, width*(size_t)dci_sim_width(sim, block->column));
    }
}

static void dci_sim_put_row(const dci_sim_sink *s, int a, int c, dc_real x)
{
    if (s->out && s->twist) s->out[c] += s->weight[a]*x;
    else if (s->out) s->out[(size_t)(a - s->row)*s->stride + (size_t)(c - s->column)] += x;
}

/* entries (a, b) and (b, a) of a block of a piece with itself */
static void dci_sim_put_both(const dci_sim_sink *s, int a, int b, dc_real x)
{
    const size_t i = (size_t)(a - s->row), j = (size_t)(b - s->row);
    s->out[i*s->stride + j] += x;
    if (i != j) s->out[j*s->stride + i] += x;
}

/* The entries of b with the coordinates of the joint of link l above, and of these with b, by the wrench m of b. */
static void dci_sim_put_above(const dci_sim_place *place, const dci_sim_sink *s, int l, int b, const dc_real m[6])
{
    const dc_sim *sim = place->sim;
    const int first = sim->v_at[l], n = dci_sim_nv(sim->link[l].joint), plain = dci_sim_plain(sim, l);
    const size_t i = (size_t)(first - s->row), j = (size_t)(b - s->row);
    dc_real *down = s->out + i*s->stride + j, *along = s->out + j*s->stride + i;
    int k;
    for (k = 0; k < n; ++k, down += s->stride) {
        const dc_real x = plain ? m[k] : dci_sim_power(place->axis + first + k, m);
        *down += x;
        along[k] += x;
    }
}

/* column c of a matrix gets J_i^T m, m about o */
static void dci_sim_put_chain(const dci_sim_place *place, const dci_sim_sink *s, int i, int c, const dc_real m[6])
{
    const dc_sim *sim = place->sim;
    int l, k;
    for (l = i; l >= 0; l = sim->link[l].parent)
        for (k = 0; k < dci_sim_nv(sim->link[l].joint); ++k) {
            const int at = sim->v_at[l] + k;
            s->out[(size_t)(at - s->row)*s->stride + (size_t)(c - s->column)] += dci_sim_power(place->axis + at, m);
        }
}

/* column c gets J_i^T m: m is a wrench on link i about its origin */
static void dci_sim_put(const dci_sim_place *place, const dci_sim_sink *s, int i, int c, const dc_real m[6])
{
    dc_real about_o[6];
    if (!s->out) return;
    if (s->twist) {
        s->out[c] += dci_sim_dot6(s->twist + 6*i, m);
        return;
    }
    dci_sim_shift(dci_sim_arm(place, i), m, about_o);
    dci_sim_put_chain(place, s, i, c, about_o);
}

/* the columns of the coordinates a, n of them, from column c on: rows of link i's chain by B */
static void dci_sim_put_columns(const dci_sim_place *place, const dci_sim_sink *s, int i, int c, const dci_sim_axis *a,
                                int n, const dc_real B[36])
{
    dc_real m[6];
    for (; n > 0 && s->out; --n, ++a, ++c) {
        dci_sim_times(B, a, m);
        dci_sim_put_chain(place, s, i, c, m);
    }
}

/* J_i^T B J_j: rows by link i at the new place, columns by link j at the place `from`: of joints into s, of attachments
 * into t. Products with a vector wait in s->pulled, about the trees' origins, for dci_sim_put_pulled. */
static DCI_NOINLINE void dci_sim_put_block(const dci_sim_place *place, int i, const dci_sim_place *from, int j,
                                           const dc_real *B, int ldb, const dci_sim_sink *s, const dci_sim_sink *t)
{
    const dc_sim *sim = place->sim;
    dc_v3 r = dci_sim_arm(from, j);
    dc_real X[36];
    int l, k, c;

    if (!s->out && !t->out) return;
    if (s->twist) {
        const dc_real *z = s->twist + 6*i;
        dc_real y[6] = {0}, y_o[6];
        for (k = 0; k < 6; ++k)
            for (c = 0; c < 6; ++c) y[c] += z[k]*B[k*ldb + c];
        dci_sim_shift(r, y, y_o);
        for (k = 0; k < 6; ++k) s->pulled[6*j + k] += y_o[k];
        return;
    }

    /* about the trees' origins */
    dci_sim_shift_block(dci_sim_arm(place, i), r, B, ldb, X);
    for (l = j; l >= 0; l = sim->link[l].parent) {
        const dci_sim_axis *joint = from->axis + sim->v_at[l], *attachment = from->axis + sim->nv + 6*l;
        dci_sim_put_columns(place, s, i, sim->v_at[l], joint, dci_sim_nv(sim->link[l].joint), X);
        if (t->out) dci_sim_put_columns(place, t, i, 6*l, attachment, 6, X);
    }
}

/* What waits in s->pulled, by links at the place `from`: a joint and an attachment move all that they carry, so that
 * one pass from the tips to the roots serves all blocks. */
static DCI_NOINLINE void dci_sim_put_pulled(const dci_sim_place *from, const dci_sim_sink *s, const dci_sim_sink *t)
{
    const dc_sim *sim = from->sim;
    int i, k;

    for (i = sim->links - 1; i >= 0; --i) {
        const int up = sim->link[i].parent, first = sim->v_at[i];
        const dci_sim_axis *attachment = from->axis + sim->nv + 6*i;
        const dc_real *y = s->pulled + 6*i;
        for (k = first; k < first + dci_sim_nv(sim->link[i].joint); ++k)
            s->out[k] += dci_sim_power(from->axis + k, y);
        for (k = 0; t->out && k < 6; ++k) t->out[6*i + k] += dci_sim_power(attachment + k, y);
        for (k = 0; up >= 0 && k < 6; ++k) s->pulled[6*up + k] += y[k];
    }
}

/* J_i^T B J_j of two links at one place: rows by link i, columns by link j into s, its transpose into t (out NULL: not
 * there). */
static DCI_NOINLINE void dci_sim_put_cross(const dci_sim_place *place, int i, int j, const dc_real *B, int ldb,
                                           const dci_sim_sink *s, const dci_sim_sink *t)
{
    const dc_sim *sim = place->sim;
    dc_real X[36], m[6];
    int l, k, a, b;

    if (dci_sim_plain(sim, i) && dci_sim_plain(sim, j)) {
        for (a = 0; a < 6; ++a)
            for (b = 0; b < 6; ++b) {
                const int row = sim->v_at[i] + a, column = sim->v_at[j] + b;
                if (s->out) dci_sim_put_row(s, row, column, B[a*ldb + b]);
                if (t->out) dci_sim_put_row(t, column, row, B[a*ldb + b]);
            }
        return;
    }
    dci_sim_shift_block(dci_sim_arm(place, i), dci_sim_arm(place, j), B, ldb, X);
    for (; j >= 0; j = sim->link[j].parent)
        for (b = sim->v_at[j]; b < sim->v_at[j] + dci_sim_nv(sim->link[j].joint); ++b) {
            dci_sim_times(X, place->axis + b, m);
            for (l = i; l >= 0; l = sim->link[l].parent)
                for (k = dci_sim_nv(sim->link[l].joint), a = sim->v_at[l]; k > 0; --k, ++a) {
                    const dc_real x = dci_sim_power(place->axis + a, m);
                    if (s->out) s->out[(size_t)(a - s->row)*s->stride + (size_t)(b - s->column)] += x;
                    if (t->out) t->out[(size_t)(b - t->row)*t->stride + (size_t)(a - t->column)] += x;
                }
        }
}

/* What a tree of links carries: the sum of its forces and torques, and of arm (x) force, whose trace stands apart */
typedef struct { dc_v3 force, torque; dc_m3 moment; } dci_sim_carried;

/* c_b of all coordinates b, as below; what the links carry into `sum` */
static void dci_sim_brackets(const dci_sim_place *place, const dc_real *g, int attachments, dci_sim_carried *sum,
                             dc_v3 *c)
{
    const dc_sim *sim = place->sim;
    int i, k;

    for (i = 0; i < sim->links; ++i) {
        dc_v3 r = dci_sim_arm(place, i);
        sum[i].force = dci_sim_v3(g + 6*i);
        sum[i].torque = dci_sim_v3(g + 6*i + 3);
        sum[i].moment = dc_outer(r, sum[i].force);
    }
    for (i = sim->links - 1; i >= 0; --i) {
        const int n = dci_sim_nv(sim->link[i].joint), up = sim->link[i].parent;
        const dc_m3 *rf = &sum[i].moment;
        const dc_real trace = rf->m[0] + rf->m[4] + rf->m[8];
        for (k = 0; k < n + (attachments ? 6 : 0); ++k) {
            const int a = k < n ? sim->v_at[i] + k : sim->nv + 6*i + k - n;
            const dc_v3 u = place->axis[a].move, w = place->axis[a].turn;
            c[a] = dc_add(dc_cross(u, sum[i].force), dc_madd(dc_mul(rf, w), -trace, w));
            c[a] = dc_madd(c[a], DC_R(0.5), dc_cross(w, sum[i].torque));
        }

        /* its parent carries it too */
        if (up < 0) continue;
        sum[up].force = dc_add(sum[up].force, sum[i].force);
        sum[up].torque = dc_add(sum[up].torque, sum[i].torque);
        for (k = 0; k < 9; ++k) sum[up].moment.m[k] += rf->m[k];
    }
}

/* The forms of all links at once, symmetric and about o, each already the sum over what its link carries: then the
 * entry of a before b in a chain is S_a^T H S_b, H that of b's link. The curvature of the motion adds, for every link i
 * with gradient g_i = (f, tau) and a before b of its chain,
 *     (w_a x u_b(i)).f + (w_a x w_b).tau/2 = w_a . c_b,
 *     c_b = sum_i u_b(i) x f + w_b x tau/2,   u_b(i) = u_b + w_b x r_i
 * where sum (w x r) x f = (rf - tr rf) w, rf = sum r f^T over the links that b moves: a torque c_b more in H S_b. c
 * NULL: without it. Joints into H, joints by attachments into t. */
static DCI_NOINLINE void dci_sim_put_tree(const dci_sim_place *place, const dc_real *form, const dc_v3 *c,
                                          const dci_sim_hessian *H, const dci_sim_sink *t)
{
    const dc_sim *sim = place->sim;
    const dci_sim_axis *axis = place->axis;
    int i, l, k, a;

    for (i = 0; i < sim->links; ++i) {
        const dci_sim_sink own = dci_sim_own(sim, H, sim->piece[i]), *s = &own;
        const int n = dci_sim_nv(sim->link[i].joint), first = sim->v_at[i];
        const int straight = dci_sim_straight(sim->link[i].joint), plain = dci_sim_plain(sim, i);
        for (k = 0; k < n + (t->out ? 6 : 0); ++k) {
            const int joint = k < n, b = joint ? first + k : sim->nv + 6*i + k - n;
            dc_real m[6];
            if (joint && plain) memcpy(m, form + 36*i + 6*k, sizeof m);
            else dci_sim_press(form + 36*i, axis + b, m);

            /* a: the same joint's, up to b; of one rotation the half-sum, c of an axis that slides only meets one that
             * turns after it */
            for (a = first; a < first + (joint ? k + 1 : n); ++a) {
                dc_real x = plain ? m[a - first] : dci_sim_power(axis + a, m);
                if (joint && c) {
                    const dc_v3 wa = axis[a].turn, wb = axis[b].turn;
                    const int both = a >= first + straight;
                    x += both ? DC_R(0.5)*(dc_dot(wa, c[b]) + dc_dot(wb, c[a])) : dc_dot(wa, c[b]);
                }
                if (joint) dci_sim_put_both(s, a, b, x);
                else dci_sim_put_row(t, a, b - sim->nv, x);
            }

            /* a: a coordinate above; the attachment of b's link comes before b */
            if (c) {
                m[3] += c[b].x;
                m[4] += c[b].y;
                m[5] += c[b].z;
            }
            for (a = sim->nv + 6*i; t->out && joint && c && a < sim->nv + 6*i + 6; ++a)
                dci_sim_put_row(t, b, a - sim->nv, dc_dot(axis[a].turn, c[b]));
            for (l = sim->link[i].parent; l >= 0; l = sim->link[l].parent) {
                const int end = sim->v_at[l] + dci_sim_nv(sim->link[l].joint);
                if (joint) dci_sim_put_above(place, s, l, b, m);
                else for (a = sim->v_at[l]; a < end; ++a)
                    dci_sim_put_row(t, a, b - sim->nv, dci_sim_power(axis + a, m));
                for (a = sim->nv + 6*l; t->out && joint && a < sim->nv + 6*l + 6; ++a)
                    dci_sim_put_row(t, b, a - sim->nv, dci_sim_power(axis + a, m));
            }
        }
    }
}

/* ---- [workspace] what a step reads and what it writes ----------------------------------------- */
/* dci_sim_problem      what does not change during a step: states, inertia, friction as it is at time t
 * dci_sim_energy       O at a place
 * dci_sim_trees        quadratic models of pairs of trees, kept from place to place
 * dci_sim_broad        broad phase
 * dci_sim_path         continuous collision
 * dci_sim_factor       of the Hessian
 * dci_sim_direction    Newton's, bent to slide along contacts
 * dci_sim_iterate      states */

/* What is asked of O: its value; its gradient too; and its Hessian; the same with a Hessian that is a sum of
 * semidefinite parts. */
enum { DCI_SIM_VALUE = 0, DCI_SIM_GRADIENT, DCI_SIM_DERIVATIVES, DCI_SIM_SEMIDEFINITE };

/* How pairs of trees may be known: by models that are near enough, the others made anew; all made at the place, in a
 * step without the Hessians that inertia outweighs; all made there, in full. */
enum { DCI_SIM_BY_MODELS = 0, DCI_SIM_HERE, DCI_SIM_IN_FULL };

/* a function of the twists of two links, to second order */
typedef struct { dc_real value, grad[12], hessian[144]; } dci_sim_jet;

/* Forces of friction as unknowns of Newton's method (dc_friction_try); those of pairs are in their loads. */
typedef struct {
    dc_friction_dual *kept, *tried; /* [touches] at the iterate and at a place, of vertices at planes that held them at
                                     * time t, in the order in which an evaluation meets them */
    int touches, next;              /* how many there are; the next one of an evaluation */
    int known;                      /* an iterate was kept */
    dc_real share;                  /* of Newton's direction that leads from it to the place */
    const dci_sim_place *prev;      /* that at t - h, while the place is that at t; NULL: it is another */
} dci_sim_duals;

/* what the evaluation of a pair takes */
typedef struct {
    dc_arena *mem;
    dci_sim_jet *jet;               /* two */
    dci_sim_duals *duals;           /* NULL: second derivatives of friction are its own */

    /* trees */
    dc_bsh_info *seen;
    dc_bsh_cache planes;            /* of triangle pairs, between all evaluations of a step */
    int warm;                       /* they fit: searches start from them */
} dci_sim_scratch;

/* Two hulls that came near each other in a step; where contact is felt at any distance, all that may touch. */
typedef struct dci_sim_met dci_sim_met;
struct dci_sim_met {
    dci_sim_met *next;              /* of the same first hull, by the second */
    int a, b;                       /* a < b */
    int found;                      /* by the sweep of this number last */
    dc_plane plane;                 /* of separation, found last, with the links at these poses; it moves with them to
                                     * where the next search starts */
    dc_pose at[2];
    dc_plane before;                /* that at time t */
    dc_friction_load *load;         /* NULL: not felt at time t */
    dc_real room;                   /* what is known to be between them at the iterate; 0: not known */
};

/* Friction as far as it is that of time t; of hulls in dci_sim_met. */
typedef struct {
    int doubt;                      /* pairs whose plane or slip was not found to rounding */

    /* trees */
    dc_bsh_contact *contact;        /* triangle pairs: those of pair k from begin[k] to begin[k + 1] */
    dc_friction_load *contact_load; /* theirs, over mu and weight */
    int *begin;                     /* [pairs + 1] */
} dci_sim_friction;

typedef struct {
    const dc_sim *sim;
    const dc_sim_control *control;  /* NULL: none */
    const dc_real *q_prev, *q;      /* states at t - h and at t */
    dci_sim_place before;           /* at time t; axes are for derivatives */
    dc_pair_options pair;           /* of the potential, with trees that of their triangles' friction */
    dc_real *inert;                 /* [12 links] Y of SDRS Eq. 3 */
    dc_real motion;                 /* the largest force that the motion is */
    dci_sim_friction friction;
    dci_sim_met **met;              /* [hulls] those with the hull as their first, by the second */
} dci_sim_problem;

/* Sums over the links while O is added up. */
typedef struct {
    dc_real *inertia, *contact;     /* [6 links] wrenches about the links' origins, in one piece */
    dc_real *form;                  /* [36 links] second derivatives by the link's twists, then about o, of all that it
                                     * carries */
    dc_real *carried;               /* [12 links] the wrenches about o, contacts first, of all that the link carries */
    dci_sim_carried *load;          /* [links] for dci_sim_brackets */
    dc_v3 *bracket;                 /* [axes] c of dci_sim_put_tree */
} dci_sim_sums;

/* The mixed second derivatives of a pair of links by their twists */
typedef struct dci_sim_cross dci_sim_cross;
struct dci_sim_cross { dci_sim_cross *next; int i, j; dc_real form[36]; };

/* O at a place. */
typedef struct {
    dci_sim_place place;
    dc_status status;               /* why there is no O */
    int hull_a, hull_b;             /*   and whose fault it is; hull_b = -1-p: plane p */
    dc_real value, noise;           /* O, and the sum of the magnitudes in it */
    dc_real *grad;                  /* [nv] */
    dci_sim_hessian hessian;
    dci_sim_sink attach;            /* where second derivatives by the attachments go */
    int keep;                       /* the forms of pairs: */
    dci_sim_cross *cross;
    dc_real force;                  /* the largest of joints and contacts */
    dc_real gap;                    /* least between a plane of separation and a vertex that feels it */
    int contacts;                   /* pairs that feel each other */
    int doubt;                      /* pairs whose plane or slip was not found to rounding */
    int modelled;                   /* pairs of trees of which O is that of their models */
    dci_sim_sums sums;
} dci_sim_energy;

/* A pair of trees: its potential and the friction of all its triangle pairs, by the twists of the links, at the poses
 * `at`; the potential's Hessian at the poses `curved_at`, near enough, or, flat, left out because inertia outweighs it.
 * Elsewhere they are a quadratic model of the pair. */
typedef struct {
    dc_pose at[2], curved_at[2];
    int known, curved;              /* made; with a Hessian, or flat */
    int flat, felt;
    dc_status status;
    dci_sim_jet potential, friction;
} dci_sim_model;

typedef struct {
    dci_sim_model *model;           /* [pairs] */
    dc_real allowed;                /* the force that a model may be off by */
} dci_sim_trees;

typedef struct {
    dc_v3 *centre;                  /* [hulls] of their spheres */
    dc_v3 *swept;                   /* [hulls] the same at the last sweep of the reach of the potential */
    dc_real *grow, *low;            /* [hulls] what they are grown by, and where they begin along the sweep's axis */
    int *order;                     /* [hulls] as they begin */
    int at, next;                   /* places in it of the next pair to look at */
    int sweeps;                     /* how many there have been of the reach of the potential */
} dci_sim_broad;

/* A link as seen from another, on its way. */
typedef struct { dc_pose pose; dc_m3 rotation; dc_v3 velocity, spin; } dci_sim_motion;

/* Two links on their way as seen from their last common ancestor `top`: whatever that does, they do not meet by it.
 * from: at the start, at: on the way; speed and acceleration bound those of their points. */
typedef struct {
    int link[2], top;
    dci_sim_motion from[2], at[2];
    dc_real speed[2], acceleration[2];
    dc_real gap;                    /* at the start */
    dc_distance distance;           /* at the end */
} dci_sim_way;

/* What ends a way: two hulls, or a hull and plane -1-other; hull -1: a limit of a joint or of turns. */
typedef struct {
    int hull, other;
    dc_real gap;                    /* at the start */
    dc_distance distance;           /* of a pair at the end, as seen from the links' last common ancestor */
} dci_sim_end;

/* Where the points of a hull have been since time t, each from where it was then: a box. */
typedef struct { dc_v3 lo, hi; } dci_sim_drift;

typedef struct {
    const dc_real *q, *dq;          /* the way leads from q along dq */
    dc_v3 *velocity, *spin;         /* [links] at its start */
    dc_real *speed, *acceleration;  /* [hulls] bounds for their points, as seen from the world */
    dci_sim_drift *drift;           /* NULL, or [hulls] on the path up to the iterate */
    dci_sim_way *way;               /* of the pair that is looked at */
    dci_sim_end end;
} dci_sim_path;

/* Of a Hessian in blocks: pieces in the order in which they are eliminated. */
typedef struct {
    uint32_t *bits;                 /* [pieces x words] the pieces that have a block with one when its turn comes */
    int *order, *rank, *degree;     /* [pieces] its turn; coordinates that are left beside a piece's own */
    int words, known;               /* blocks of the Hessian for which the order was found; -1: none */

    /* one factor, in scratch from `used` on */
    int *first, *list;              /* ranks of the rows of the column of rank c: from list[first[c]] on,
                                     * before list[first[c + 1]] */
    int *row;                       /* [pieces] where they are in one column */
    dc_real **column;               /* [pieces] its own block, then those of its rows */
    size_t used;
} dci_sim_sparse;

/* Of the Hessian: Cholesky's, or that of the eigenvalues in the measure of the inertia. */
typedef struct {
    int spectral, whole;            /* whole: Cholesky's of the Hessian as it is */
    dci_sim_sparse fill;              /* of more than one piece: its Cholesky factor */
    dc_real *lower;                 /* [nv x nv] Cholesky's, as the next four of one piece */
    int *first;                     /* [nv] the first column of a row of it that is not zero */
    dc_real *measure;               /* [nv] the inertia's own diagonal, positive */
    int measured;                   /* it is known; zeros before */
    dc_real *eigenvalue, *vector;   /* [nv], [nv x nv] magnitudes; the vectors take the place of the Hessian */
    dc_real *turned;                /* [nv] scratch of a solution by them */
    dc_real least, negative;        /* least of them, and what part of the magnitude negative ones have */
} dci_sim_factor;

/* What is demanded of a direction p: J p >= bound, J the change of a gap. */
typedef struct {
    dc_real *row, *answer;          /* [nv] J, H^-1 J^T */
    dc_real bound, force;           /* force: its multiplier */
} dci_sim_demand;

enum { DCI_SIM_DEMANDS = 4 };
typedef struct {
    dc_real *newton;                /* [nv] that nothing is demanded of */
    dc_real *dq;                    /* [nv] the direction */
    dci_sim_demand demand[DCI_SIM_DEMANDS];
    int demands;
} dci_sim_direction;

typedef struct {
    dc_real *q, *trial;             /* [nq] */
    dc_real *saved;                 /* [nq] before steps by models */
    dc_real *step;                  /* [nv] from q to trial */
    const int *whole_at;            /* NULL, or [links] where their coordinates are in a corner of the path */
    int corner;                     /*   and how many these are */
} dci_sim_iterate;

typedef struct {
    dci_sim_problem problem;
    dci_sim_iterate iterate;
    dci_sim_energy at;              /* O at the iterate, or at the trial */
    dci_sim_trees trees;
    dci_sim_factor factor;
    dci_sim_direction direction;
    dci_sim_path path;
    dci_sim_broad broad;
    dci_sim_place there;            /* any other place: the state at t - h, the end of a direction */
    size_t most;                    /* of the arena in use beside scratch */
    dci_sim_duals duals;
    dci_sim_scratch scratch;
} dci_sim_work;

/* ---- [energy] what adds up to O --------------------------------------------------------------- */
/* in: problem, place; out: dci_sim_energy.
 *
 * stage                 | reads                | writes                        | equation
 * dci_sim_eval_inertia  | Y, place             | value, wrench, form of a link | SDRS Eq. 3
 * dci_sim_eval_joints   | control, q           | value, gradient, Hessian      | SDRS Eq. 5
 * dci_sim_eval_plane    | place, place at t    | value, wrench, form of a link | SDRS Eq. 12, u = w = 0
 * dci_sim_eval_pair     | place                | value, wrenches, forms        | SDRS Eq. 7
 * dci_sim_eval_friction | place, friction at t | value, wrenches, forms        | SDRS Eq. 13 */

/* P(x) and its derivatives for x in lengths: (x-s)^4/x^5 below s (SDRS section IV-B), or 1/x. +INFINITY for x <= 0. */
static dc_real dci_sim_barrier(int global, dc_real s, dc_real x, dc_real *d1, dc_real *d2)
{
    dc_real y, e, y5;

    *d1 = *d2 = 0;
    if (!(x > 0)) return dci_from_bits(DCI_INF);
    if (global) {
        *d1 = -1/(x*x);
        *d2 = 2/(x*x*x);
        return 1/x;
    }
    if (x >= s) return 0;
    y = x/s;
    e = 1 - y;
    y5 = y*y*y*y*y;
    *d1 = -e*e*e*(5 - y)/(y5*y*s*s);
    *d2 = e*e*(30 + y*(2*y - 20))/(y5*y*y*s*s*s);
    return e*e*e*e/(y5*s);
}

/* force of `vertices` of them at the gap of x lengths, over k/length */
static dc_real dci_sim_push_of(const dc_sim *sim, dc_real x, int vertices)
{
    dc_real d1, d2;
    dci_sim_barrier(sim->desc.global, sim->desc.support, x, &d1, &d2);
    return -d1*(dc_real)vertices;
}

DC_DEF dc_real dc_sim_rest_stiffness(const dc_sim *sim, dc_real gap, dc_real force, int vertices)
{
    dc_real push;
    if (!sim || !dci_positive(gap) || !dci_positive(force) || vertices < 1) return 0;
    push = dci_sim_push_of(sim, gap/sim->desc.length, vertices);
    return push > 0 && dc_finite(push) ? force*sim->desc.length/push : 0;
}

DC_DEF dc_real dc_sim_rest_gap(const dc_sim *sim, dc_real force, int vertices)
{
    dc_real low, high, want;
    int k;
    if (!sim || !dci_positive(force) || vertices < 1) return 0;
    want = force*sim->desc.length/sim->desc.stiffness;

    /* the push falls from infinity: n/x^2, or to 0 at the support, between which each half has its bit */
    if (sim->desc.global) return sim->desc.length*dc_sqrt((dc_real)vertices/want);
    for (low = 0, high = sim->desc.support, k = 0; k < 2*DCI_MANT; ++k) {
        const dc_real x = (low + high)/2;
        if (dci_sim_push_of(sim, x, vertices) > want) low = x;
        else high = x;
    }
    return sim->desc.length*high;
}

static void dci_sim_add_value(dci_sim_energy *at, dc_real x)
{
    at->value += x;
    at->noise += dc_abs(x);
}

/* what a wrench makes of the rounding of a place and a rotation */
static void dci_sim_add_noise(dci_sim_energy *at, dc_v3 t, dc_real s, const dc_real g[6])
{
    const dc_real force = dc_abs(g[0]) + dc_abs(g[1]) + dc_abs(g[2]);
    at->noise += s*(force*(dc_abs(t.x) + dc_abs(t.y) + dc_abs(t.z)) + dc_abs(g[3]) + dc_abs(g[4]) + dc_abs(g[5]));
}

static void dci_sim_add_force(dci_sim_energy *at, dc_real force) { at->force = dc_max(at->force, dc_abs(force)); }

/* why there is no O: hulls a and b */
static void dci_sim_stop(int a, int b, dc_status status, dci_sim_energy *at)
{
    at->status = status;
    at->hull_a = a;
    at->hull_b = b;
}

/* what the table says of two links, or of a link and the plane other - links */
static dc_real dci_sim_material(const dc_sim *sim, int link, int other)
{
    return sim->materials > 0 ? sim->table[sim->material[link]*sim->materials + sim->material[other]] : 1;
}

/* two hulls, their links, and their coefficient of friction */
typedef struct { int hull_a, hull_b, link_a, link_b; dc_real friction; } dci_sim_pair;

static dci_sim_pair dci_sim_pair_of(const dc_sim *sim, int a, int b)
{
    dci_sim_pair p;
    p.hull_a = a;
    p.hull_b = b;
    p.link_a = sim->hull[p.hull_a].link;
    p.link_b = sim->hull[p.hull_b].link;
    p.friction = sim->link[p.link_a].friction*sim->link[p.link_b].friction*dci_sim_material(sim, p.link_a, p.link_b);
    return p;
}

/* pair k of those that are listed */
static dci_sim_pair dci_sim_pair_at(const dc_sim *sim, int k)
{
    return dci_sim_pair_of(sim, sim->pair[2*k], sim->pair[2*k + 1]);
}

/* ---- inertia ---- */

/* entry (r, c) of T M for T 3x4, M 4x4 */
static dc_real dci_sim_entry(const dc_real *T, const dc_real *M, int r, int c)
{
    return T[4*r]*M[c] + T[4*r + 1]*M[4 + c] + T[4*r + 2]*M[8 + c] + T[4*r + 3]*M[12 + c];
}

/* wrench of G, 3x4, by the twist of a body with rotation R: (G e_4, sum_k R_k x G_k) */
static void dci_sim_wrench_of(const dc_real G[12], const dc_m3 *R, dc_real s, dc_real out[6])
{
    dc_v3 tau = dc_vec(0, 0, 0);
    int k;

    for (k = 0; k < 3; ++k)
        tau = dc_add(tau, dc_cross(dc_vec(R->m[k], R->m[3 + k], R->m[6 + k]), dc_vec(G[k], G[4 + k], G[8 + k])));
    out[0] = s*G[3];
    out[1] = s*G[7];
    out[2] = s*G[11];
    out[3] = s*tau.x;
    out[4] = s*tau.y;
    out[5] = s*tau.z;
}

/* the same of G = D M */
static void dci_sim_wrench(const dc_real D[12], const dc_real *M, const dc_m3 *R, dc_real s, dc_real out[6])
{
    dc_real G[12];
    int k;
    for (k = 0; k < 12; ++k) G[k] = dci_sim_entry(D, M, k/4, k%4);
    dci_sim_wrench_of(G, R, s, out);
}

/* T of link i */
static void dci_sim_matrix(const dci_sim_place *place, int i, dc_real T[12])
{
    const dc_v3 t = place->pose[i].t;
    int k;
    for (k = 0; k < 9; ++k) T[k + k/3] = place->rotation[i].m[k];
    T[3] = t.x;
    T[7] = t.y;
    T[11] = t.z;
}

/* Adds s X, X the 6x6 form tr(dT M dT'^T) of twists of two poses [R t], [R' t'] of one body:
 *     v.v' m + v.(w' x R'b) + w.(R b x v') + w^T (tr N - N^T) w',   N = R A R'^T,  M = [A b; b^T m] */
static void dci_sim_cross_inertia(const dc_real *M, const dc_m3 *R, const dc_m3 *R2, dc_real s, dc_real *X)
{
    dc_m3 A, N, B, t;
    dc_v3 b = dc_vec(M[3], M[7], M[11]);
    dc_real trace;
    int i, j;

    /* N, [R b], [R' b] */
    for (i = 0; i < 9; ++i) A.m[i] = M[i + i/3];
    t = dc_m3_t(R2);
    N = dc_m3_mul(&A, &t);
    N = dc_m3_mul(R, &N);
    trace = N.m[0] + N.m[4] + N.m[8];
    t = dc_m3_skew(dc_mul(R, b));
    B = dc_m3_skew(dc_mul(R2, b));

    for (i = 0; i < 3; ++i)
        for (j = 0; j < 3; ++j) {
            X[6*i + j] += i == j ? s*M[15] : 0;
            X[6*i + j + 3] -= s*B.m[3*i + j];
            X[6*(i + 3) + j] += s*t.m[3*i + j];
            X[6*(i + 3) + j + 3] += s*((i == j ? trace : 0) - N.m[3*j + i]);
        }
}

/* 1/(2h^2) tr((T - Y) M (T - Y)^T) of link i: SDRS Eq. 3, or SDRS Eq. 4. With G = (T - Y) M and N, A, b of
 * dci_sim_cross_inertia, the rotations' form tr N - N and their second order sym(B) - tr B, B = R G_r^T, together are
 * sym(E) - tr E, E = B - N = R (G_r - R A)^T; the form alone is that with G_r left out. */
static DCI_NOINLINE void dci_sim_eval_inertia(const dci_sim_problem *problem, int i, int want, dci_sim_energy *at)
{
    const dc_real *M = problem->sim->moment + 16*i, *Y = problem->inert + 12*i, h = problem->sim->desc.h, s = 1/(h*h);
    const dc_m3 *R = at->place.rotation + i;
    const dc_v3 t = at->place.pose[i].t, b = dc_vec(M[3], M[7], M[11]);
    dc_real G[12], value = 0, noise = 0, *H = at->sums.form + 36*i, E[9], trace;
    dc_v3 Rb;
    int r, c;

    if (!(M[0] + M[5] + M[10] + M[15] > 0)) return;
    for (r = 0; r < 3; ++r) {
        const dc_real *T = R->m + 3*r, at_r = r == 0 ? t.x : r == 1 ? t.y : t.z;
        const dc_real d0 = T[0] - Y[4*r], d1 = T[1] - Y[4*r + 1], d2 = T[2] - Y[4*r + 2], d3 = at_r - Y[4*r + 3];
        dc_real *g = G + 4*r;
        for (c = 0; c < 4; ++c) g[c] = d0*M[c] + d1*M[4 + c] + d2*M[8 + c] + d3*M[12 + c];
        value += g[0]*d0 + g[1]*d1 + g[2]*d2 + g[3]*d3;

        /* T - Y is off by the rounding of T, also where the wrench is zero */
        noise += dc_abs(g[0]*T[0]) + dc_abs(g[1]*T[1]) + dc_abs(g[2]*T[2]) + dc_abs(g[3]*at_r);
    }
    dci_sim_add_value(at, DC_R(0.5)*s*value);
    at->noise += s*noise;
    if (!want) return;

    dci_sim_wrench_of(G, R, s, at->sums.inertia + 6*i);
    if (want == DCI_SIM_GRADIENT) return;

    /* F = G_r - R A, E = R F^T */
    for (r = 0; r < 3; ++r) {
        const dc_real *T = R->m + 3*r;
        dc_real F[3];
        for (c = 0; c < 3; ++c) {
            const dc_real RA = T[0]*M[c] + T[1]*M[4 + c] + T[2]*M[8 + c];
            F[c] = s*((want == DCI_SIM_SEMIDEFINITE ? 0 : G[4*r + c]) - RA);
        }
        for (c = 0; c < 3; ++c) E[3*c + r] = R->m[3*c]*F[0] + R->m[3*c + 1]*F[1] + R->m[3*c + 2]*F[2];
    }
    trace = E[0] + E[4] + E[8];
    Rb = dc_scale(s, dc_mul(R, b));

    H[0] += s*M[15];  H[7] += s*M[15];  H[14] += s*M[15];
    H[4] += Rb.z;  H[5] -= Rb.y;  H[9] -= Rb.z;  H[11] += Rb.x;  H[15] += Rb.y;  H[16] -= Rb.x;
    H[24] += Rb.z;  H[30] -= Rb.y;  H[19] -= Rb.z;  H[31] += Rb.x;  H[20] += Rb.y;  H[26] -= Rb.x;
    for (r = 0; r < 3; ++r)
        for (c = 0; c < 3; ++c)
            H[6*r + c + 21] += DC_R(0.5)*(E[3*r + c] + E[3*c + r]) - (r == c ? trace : 0);
}

/* ---- joints: limits, damping, control ---- */

static dc_real dci_sim_at(const dc_real *x, int k) { return x ? x[k] : 0; }

/* one side of a joint's limits: U += limit P(room/margin), room changing by `way` with the coordinate */
static void dci_sim_limit(const dc_sim_link *l, dc_real room, dc_real way, dc_real *U, dc_real *d1, dc_real *d2,
                          dci_sim_energy *at)
{
    dc_real a, b;
    *U += l->limit*dci_sim_barrier(0, 1, room/l->margin, &a, &b);
    *d1 += way*(l->limit*a/l->margin);
    *d2 += l->limit*b/(l->margin*l->margin);
    dci_sim_add_force(at, l->limit*a/l->margin);
}

/* What coordinate k of joint i feels, an angle or a length: value, two derivatives. per_h: 1/h. Only hinges and slides
 * have gains and limits. */
static dc_real dci_sim_scalar_energy(const dci_sim_problem *problem, const dc_real *q, int i, int k, dc_real per_h,
                                     dc_real *d1, dc_real *d2, dci_sim_energy *at)
{
    const dc_sim *sim = problem->sim;
    const dc_sim_link *l = sim->link + i;
    const dc_sim_control *u = problem->control;
    const int single = dci_sim_single(l->joint), place = sim->q_at[i] + (single ? 0 : 4 + k), a = sim->v_at[i] + k;
    const dc_real h = sim->desc.h, kp = single ? l->kp : l->kp_move, kd = single ? l->kd : l->kd_move;
    const dc_real x = q[place], old = problem->q[place], force = u ? dci_sim_at(u->force, a) : 0;
    const dc_real e = x - (kp > 0 && u ? dci_sim_at(u->target, place) : 0);
    const dc_real m = x - old, v = m*per_h - (kd > 0 && u ? dci_sim_at(u->velocity, a) : 0), damp = l->damping*per_h;

    dc_real U = DC_R(0.5)*kp*e*e + DC_R(0.5)*kd*h*v*v + DC_R(0.5)*damp*m*m - force*m;      /* SDRS Eq. 5 */
    *d1 = kp*e + kd*v + damp*m - force;
    *d2 = kp + kd*per_h + damp;
    dci_sim_add_force(at, kp*e);
    dci_sim_add_force(at, kd*v);
    dci_sim_add_force(at, damp*m);
    dci_sim_add_force(at, force);
    if (single && l->lo < l->hi) {
        dci_sim_limit(l, x - l->lo, 1, &U, d1, d2, at);
        dci_sim_limit(l, l->hi - x, -1, &U, d1, d2, at);
    }
    return U;
}

/* A spring of stiffness kappa between the rotation q and p: 2 kappa (1 - c^2), r = q p^-1 = (c, rv), which is
 * kappa/2 (2 sin(angle/2))^2. By the twists of q: g = 2 kappa c rv, H = kappa (c^2 - rv rv^T); by q, then p:
 * kappa (rv rv^T - c^2 - c [rv]). */
static dc_real dci_sim_spring(dc_real kappa, dc_quat q, dc_quat p, dc_v3 *g, dc_m3 *H, dc_m3 *mixed)
{
    dc_quat r = dc_quat_mul(q, dc_quat_conj(p));
    dc_v3 v = dc_vec(r.x, r.y, r.z);
    dc_m3 vv = dc_outer(v, v), sk = dc_m3_skew(v);
    int k;
    *g = dc_scale(2*kappa*r.w, v);
    for (k = 0; k < 9; ++k) {
        H->m[k] = kappa*((k%4 == 0 ? r.w*r.w : 0) - vv.m[k]);
        mixed->m[k] = -H->m[k] - kappa*r.w*sk.m[k];
    }
    return 2*kappa*dc_dot(v, v);    /* 1 - c^2 = |rv|^2 */
}

/* A torque tau on q since p: -2 s tau.rv, s the sign of c: g = -s (c tau + rv x tau), H = s (tau.rv)/2, by q, then p
 * s/2 (tau.rv - rv tau^T - tau rv^T - c [tau]); by q, then tau: -s (c + [rv]). */
static dc_real dci_sim_torque(dc_v3 tau, dc_quat q, dc_quat p, dc_v3 *g, dc_m3 *H, dc_m3 *mixed, dc_m3 *by_tau)
{
    dc_quat r = dc_quat_mul(q, dc_quat_conj(p));
    dc_real s = r.w < 0 ? DC_R(-1.0) : DC_R(1.0);
    dc_v3 v = dc_vec(s*r.x, s*r.y, s*r.z);
    dc_m3 a = dc_outer(v, tau), b = dc_outer(tau, v), sk = dc_m3_skew(tau), sv = dc_m3_skew(v);
    dc_real c = s*r.w, tv = dc_dot(tau, v);
    int k;

    *g = dc_neg(dc_madd(dc_cross(v, tau), c, tau));
    for (k = 0; k < 9; ++k) {
        dc_real diagonal = k%4 == 0 ? DC_R(1.0) : DC_R(0.0);
        H->m[k] = DC_R(0.5)*tv*diagonal;
        mixed->m[k] = DC_R(0.5)*(tv*diagonal - a.m[k] - b.m[k] - c*sk.m[k]);
        by_tau->m[k] = -c*diagonal - sv.m[k];
    }
    return -2*tv;
}

/* The springs of a joint that rotates, of control and of damping. */
enum { DCI_SIM_TARGET = 0, DCI_SIM_VELOCITY, DCI_SIM_DAMPING, DCI_SIM_SPRINGS };

/* Stiffness of one of them at joint i, and the rotation p that it pulls to; 0 when there is none. */
static int dci_sim_rotation(const dci_sim_problem *problem, int i, int term, dc_real *kappa, dc_quat *p)
{
    const dc_sim *sim = problem->sim;
    const dc_sim_link *l = sim->link + i;
    const dc_sim_control *u = problem->control;
    const dc_quat old = dci_sim_q4(problem->q + sim->q_at[i]);
    const dc_real h = sim->desc.h;

    *p = old;
    if (term == DCI_SIM_TARGET) {
        *kappa = l->kp;
        *p = dci_sim_identity().q;
        if (u && u->target) dc_quat_normalize(dci_sim_q4(u->target + sim->q_at[i]), p);
    } else if (term == DCI_SIM_VELOCITY) {
        *kappa = l->kd/h;
        if (u && u->velocity) {
            const int at = sim->v_at[i] + dci_sim_turn_at(l->joint);
            *p = dc_quat_mul(dc_quat_exp(dc_scale(h, dci_sim_v3(u->velocity + at))), old);
        }
    } else *kappa = l->damping/h;
    return *kappa > 0;
}

/* the gradient and the Hessian of the rotation of joint i */
static void dci_sim_add_rotation(const dc_sim *sim, int i, dc_v3 g, const dc_m3 *H, int want, dci_sim_energy *at)
{
    const dci_sim_sink s = dci_sim_own(sim, &at->hessian, sim->piece[i]);
    const int a = sim->v_at[i] + dci_sim_turn_at(sim->link[i].joint);
    int k, j;
    dci_sim_add_force(at, dc_sqrt(dc_dot(g, g)));
    at->grad[a] += g.x;
    at->grad[a + 1] += g.y;
    at->grad[a + 2] += g.z;
    for (k = 0; k < 3 && want > DCI_SIM_GRADIENT; ++k)
        for (j = 0; j < 3; ++j) dci_sim_put_row(&s, a + k, a + j, H->m[3*k + j]);
}

/* Energies of all joints at the state q: value, and with want gradient and Hessian in the joints' own coordinates. */
static DCI_NOINLINE void dci_sim_eval_joints(const dci_sim_problem *problem, const dc_real *q, int want,
                                             dci_sim_energy *at)
{
    const dc_sim *sim = problem->sim;
    const dc_real *force = problem->control ? problem->control->force : NULL, per_h = 1/sim->desc.h;
    dci_sim_sink own;
    int i, k, term;

    for (i = 0; i < sim->links; ++i) {
        const dc_sim_joint joint = sim->link[i].joint;
        const int slides = joint == DC_SIM_FREE ? 3 : dci_sim_single(joint);

        /* angles and lengths */
        for (k = 0; k < slides; ++k) {
            const int a = sim->v_at[i] + k;
            dc_real d1, d2;
            dci_sim_add_value(at, dci_sim_scalar_energy(problem, q, i, k, per_h, &d1, &d2, at));
            if (!want) continue;
            at->grad[a] += d1;
            if (want == DCI_SIM_GRADIENT) continue;
            own = dci_sim_own(sim, &at->hessian, sim->piece[i]);
            dci_sim_put_row(&own, a, a, d2);
        }

        /* rotations: springs, then the torque of the control */
        for (term = 0; dci_sim_rotates(joint) && term <= DCI_SIM_SPRINGS; ++term) {
            const int a = sim->v_at[i] + dci_sim_turn_at(joint);
            dc_quat p, x = dci_sim_q4(q + sim->q_at[i]);
            dc_v3 g;
            dc_m3 H, mixed, tau;
            dc_real kappa;
            if (term < DCI_SIM_SPRINGS) {
                if (!dci_sim_rotation(problem, i, term, &kappa, &p)) continue;
                dci_sim_add_value(at, dci_sim_spring(kappa, x, p, &g, &H, &mixed));
            } else {
                if (!force) continue;
                p = dci_sim_q4(problem->q + sim->q_at[i]);
                dci_sim_add_value(at, dci_sim_torque(dci_sim_v3(force + a), x, p, &g, &H, &mixed, &tau));
            }
            if (want) dci_sim_add_rotation(sim, i, g, &H, want, at);
        }
    }
}

/* ---- contacts ---- */

static dc_hull dci_sim_hull_of(const dc_sim *sim, int k)
{
    dc_hull h;
    h.v = sim->vertex + sim->hull[k].begin;
    h.n = sim->hull[k].n;
    h.radius = sim->hull[k].round;
    return h;
}

static dc_v3 dci_sim_centre(const dci_sim_place *place, int k)
{
    const dc_sim_hull *h = place->sim->hull + k;
    return dc_add(dc_mul(place->rotation + h->link, h->centre), place->pose[h->link].t);
}

/* gap of the bounding spheres of a pair of hulls */
static dc_real dci_sim_apart(const dci_sim_place *place, int a, int b)
{
    const dc_sim_hull *hull = place->sim->hull;
    dc_v3 d = dc_sub(dci_sim_centre(place, a), dci_sim_centre(place, b));
    return dc_sqrt(dc_dot(d, d)) - hull[a].radius - hull[b].radius;
}

/* the gap below which hulls (at a plane: a hull) feel each other */
static dc_real dci_sim_reach(const dc_sim *sim, int plane)
{
    dc_real s = sim->desc.support;
    if (sim->desc.global) return dci_from_bits(DCI_INF);
    return sim->desc.length*(plane ? s : 2*s/(1 - s));
}

/* ---- hulls at planes ---- */

/* Friction of a vertex at a plane of normal n, which moves from x to y in h, over mu: h A(f) sqrt(|e|^2/h^2 + eps_v), e
 * the part of y - x along the plane, f = |P'|/l the force at time t: SDRS Eq. 12 with u = w = 0. grad = weight e,
 * Hessian by y: weight (1 - nn^T) - across ee^T; by y, then x: minus that, and rise e n^T. */
typedef struct { dc_v3 along; dc_real speed, value, weight, across, rise; } dci_sim_slip;

static dci_sim_slip dci_sim_slide(const dc_sim *sim, dc_v3 n, dc_real d1, dc_real d2, dc_v3 x, dc_v3 y)
{
    dci_sim_slip slip;
    dc_real h = sim->desc.h, l = sim->desc.length, f = -d1/l, s, A, root;
    dc_real ef = sim->desc.friction.eps_f, ev = sim->desc.friction.eps_v;
    dc_v3 e = dc_sub(y, x);

    root = dc_sqrt(f*f + ef);
    A = f*f/(root + dc_sqrt(ef));
    e = dc_madd(e, -dc_dot(e, n), n);
    s = dc_sqrt(dc_dot(e, e)/(h*h) + ev);
    slip.along = e;
    slip.speed = s;
    slip.value = h*A*s;
    slip.weight = A/(h*s);
    slip.across = slip.weight/(h*h*s*s);
    slip.rise = -(f/root)*d2/(h*s*l*l);
    return slip;
}

/* A vertex of a hull at a plane: P((n.x + d - r)/l) and friction, times the stiffness. */
typedef struct {
    dc_v3 arm, arm_before;          /* from the link's origin, now (with a radius: to where friction acts) and at t */
    dc_v3 force;                    /* gradient by its place now */
    dc_v3 slip;                     /* the part of it that is friction, over the coefficient */
    dc_m3 stiffness;                /* second derivatives by its place now */
    dc_m3 mixed;                    /* and by that, then its place at time t: without duals */
    dc_real slack, value;
    int felt, slides;
} dci_sim_touch;

/* The speed along a plane at which a point came from x to y, smoothed as in dci_sim_slide. */
static dc_real dci_sim_speed_along(const dc_sim *sim, dc_v3 n, dc_v3 x, dc_v3 y)
{
    dc_v3 e = dc_scale(1/sim->desc.h, dc_sub(y, x));
    e = dc_madd(e, -dc_dot(e, n), n);
    return dc_sqrt(dc_dot(e, e) + sim->desc.friction.eps_v);
}

/* friction of a touch by its place now: with its force as an unknown, as in dc_friction_try */
static void dci_sim_dual_form(const dc_sim *sim, const dci_sim_slip *slip, dci_sim_duals *duals, const dc_m3 *nn,
                              dc_real s, dc_m3 *form)
{
    const dc_real h = sim->desc.h;
    const dc_v3 w = dc_scale(1/(h*slip->speed), slip->along);
    dc_friction_dual *tried = duals->tried + duals->next;
    dc_m3 lw;
    int c;

    dci_sim_put3(dc_scale(1/h, slip->along), tried->slip);
    dci_sim_put3(w, tried->force);
    if (duals->known) dci_dual_force(duals->kept + duals->next, duals->share, sim->desc.friction.eps_v, tried);
    ++duals->next;
    lw = dc_outer(dci_sim_v3(tried->force), w);
    for (c = 0; c < 9; ++c)
        form->m[c] = s*((c%4 == 0 ? 1 : 0) - nn->m[c] - DC_R(0.5)*(lw.m[c] + lw.m[3*(c%3) + c/3]));
}

/* The touches of a hull are its vertices; with a radius these have the potential alone, and friction follows in as many
 * more: it acts where the vertices' balls were next to the plane at time t. */
static int dci_sim_touch_count(const dc_sim_hull *hull) { return hull->round > 0 ? 2*hull->n : hull->n; }

/* A plane in the coordinates of a link, now and at time t. */
typedef struct { dc_plane now, before; } dci_sim_seen;

static dc_plane dci_sim_see(const dci_sim_place *place, int i, const dc_sim_plane *plane)
{
    dc_plane seen;
    seen.n = dc_mul_t(place->rotation + i, plane->n);
    seen.d = dc_dot(plane->n, place->pose[i].t) + plane->d;
    return seen;
}

static dc_real dci_sim_slack(const dc_plane *seen, const dc_sim_hull *hull, dc_v3 x)
{
    return dc_dot(seen->n, x) + seen->d - hull->round;
}

/* Is hull k near plane p, now or at time t? Then as its link sees it. */
static int dci_sim_near_plane(const dci_sim_problem *problem, const dci_sim_place *place, int k, int p,
                              dci_sim_seen *seen)
{
    const dc_sim *sim = problem->sim;
    const dc_sim_hull *hull = sim->hull + k;
    const dc_real most = dci_sim_reach(sim, 1) + hull->radius;
    if (hull->tree != sim->desc.trees || dci_sim_anchor(sim->link, hull->link) < 0) return 0;
    seen->now = dci_sim_see(place, hull->link, sim->plane + p);
    seen->before = dci_sim_see(&problem->before, hull->link, sim->plane + p);
    return dc_dot(seen->now.n, hull->centre) + seen->now.d < most
        || dc_dot(seen->before.n, hull->centre) + seen->before.d < most;
}

/* Touch j of hull k at plane p; 0: it is behind the plane. With `want` below DCI_SIM_DERIVATIVES, or where it neither
 * is felt nor slides, without second derivatives. duals: NULL, or friction's forces are unknowns. */
static int dci_sim_touches(const dci_sim_problem *problem, const dci_sim_place *place, int k, int p, int j,
                           const dci_sim_seen *seen, int want, dci_sim_duals *duals, dci_sim_touch *t)
{
    const dc_sim *sim = problem->sim;
    const dci_sim_place *before = &problem->before;
    const dc_sim_plane *plane = sim->plane + p;
    const dc_sim_hull *hull = sim->hull + k;
    const int i = hull->link, balls = hull->round > 0, second = j >= hull->n;
    const dc_v3 x = sim->vertex[hull->begin + (second ? j - hull->n : j)], n = plane->n;
    const dc_real l = sim->desc.length, ks = sim->desc.stiffness;
    const int curved = want >= DCI_SIM_DERIVATIVES;
    dc_v3 y, old, point = x;
    dc_real mu, d1, d2, b1, b2;
    dc_m3 nn, by_y;
    dci_sim_slip s;
    int c;

    t->arm_before = dc_mul(before->rotation + i, x);
    old = dc_add(t->arm_before, before->pose[i].t);
    if (second) {
        const dc_v3 down = dc_scale(-hull->round, n);
        old = dc_add(old, down);
        point = dc_add(x, dc_mul_t(before->rotation + i, down));
    }
    t->arm = dc_mul(place->rotation + i, point);
    y = dc_add(t->arm, place->pose[i].t);
    t->slack = dci_sim_slack(&seen->now, hull, x);
    if (!second && !(t->slack > 0)) return 0;

    /* the potential now, and its force at time t */
    t->value = d1 = d2 = 0;
    if (!second) t->value = ks*dci_sim_barrier(sim->desc.global, sim->desc.support, t->slack/l, &d1, &d2);
    t->felt = d1 < 0;
    t->force = dc_scale(ks*d1/l, n);
    dci_sim_barrier(sim->desc.global, sim->desc.support, dci_sim_slack(&seen->before, hull, x)/l, &b1, &b2);
    t->slides = b1 < 0 && balls == second;
    if (!t->felt && !t->slides) return 1;
    nn = dc_outer(n, n);
    for (c = 0; curved && c < 9; ++c) t->stiffness.m[c] = ks*d2/(l*l)*nn.m[c];
    for (c = 0; curved && !duals && c < 9; ++c) t->mixed.m[c] = 0;
    if (!t->slides) return 1;

    /* friction */
    mu = sim->link[i].friction*plane->friction*dci_sim_material(sim, i, sim->links + p);
    s = dci_sim_slide(sim, n, b1, b2, old, y);
    t->slip = dc_scale(ks*s.weight, s.along);
    t->value += ks*mu*s.value;
    t->force = dc_madd(t->force, mu, t->slip);
    if (!curved) return 1;
    if (duals && duals->next < duals->touches) {
        dc_real weight = s.weight;

        /* where nothing has slipped yet: the parabola that touches the norm at the slip that goes on as it was */
        if (duals->prev) {
            const dc_v3 was = dc_add(dc_mul(duals->prev->rotation + i, point), duals->prev->pose[i].t);
            weight *= s.speed/dci_sim_speed_along(sim, n, was, old);
        }
        dci_sim_dual_form(sim, &s, duals, &nn, ks*mu*weight, &by_y);
    } else {
        const dc_m3 ee = dc_outer(s.along, s.along);
        for (c = 0; c < 9; ++c) by_y.m[c] = ks*mu*(s.weight*((c%4 == 0 ? 1 : 0) - nn.m[c]) - s.across*ee.m[c]);
    }
    if (!duals) {
        const dc_m3 en = dc_outer(s.along, n);
        for (c = 0; c < 9; ++c) t->mixed.m[c] = ks*mu*s.rise*en.m[c] - by_y.m[c];
    }
    for (c = 0; c < 9; ++c) t->stiffness.m[c] += by_y.m[c];
    return 1;
}

/* Hull k at plane p: the sum over its vertices; the plane of separation is the plane itself. */
static DCI_NOINLINE void dci_sim_eval_plane(const dci_sim_problem *problem, int k, int p, int want,
                                          dci_sim_scratch *scratch, dci_sim_energy *at)
{
    const dc_sim *sim = problem->sim;
    const dc_sim_hull *hull = sim->hull + k;
    const dc_real beyond = dci_sim_reach(sim, 1)*(1 + 4*DC_EPS);    /* where the barrier is 0, however it is rounded */
    const int i = hull->link;
    dc_real *H = at->sums.form + 36*i, trace;
    dc_m3 rf, moment = DC_ZERO;
    dci_sim_seen seen;
    dci_sim_touch t;
    int j, c, felt = 0;

    if (!dci_sim_near_plane(problem, &at->place, k, p, &seen)) return;
    for (j = 0; j < dci_sim_touch_count(hull); ++j) {
        const dc_v3 x = sim->vertex[hull->begin + (j < hull->n ? j : j - hull->n)];
        if (dci_sim_slack(&seen.now, hull, x) >= beyond && dci_sim_slack(&seen.before, hull, x) >= beyond) continue;
        if (!dci_sim_touches(problem, &at->place, k, p, j, &seen, want, scratch->duals, &t)) {
            at->status = DC_E_OVERLAP;
            at->hull_a = k;
            at->hull_b = -1 - p;
            return;
        }

        dci_sim_add_value(at, t.value);
        if (t.felt) at->gap = dc_min(at->gap, t.slack);
        felt |= t.felt;
        if (!want || !(t.felt || t.slides)) continue;
        dci_sim_push(at->sums.contact + 6*i, t.arm, t.force);
        at->noise += dc_sqrt(dc_dot(t.force, t.force))*dc_sqrt(dc_dot(t.arm, t.arm));
        if (want == DCI_SIM_GRADIENT) continue;
        dci_sim_arm_form(H, t.arm, &t.stiffness);
        rf = dc_outer(t.arm, t.force);
        for (c = 0; c < 9; ++c) moment.m[c] += rf.m[c];
    }
    at->contacts += felt;
    if (want != DCI_SIM_DERIVATIVES) return;

    /* second order of the rotation: the sum of sym(r f^T) - r.f */
    trace = moment.m[0] + moment.m[4] + moment.m[8];
    for (c = 0; c < 9; ++c)
        H[21 + 6*(c/3) + c%3] += DC_R(0.5)*(moment.m[c] + moment.m[3*(c%3) + c/3]) - (c%4 == 0 ? trace : 0);
}

/* ---- pairs of hulls ---- */

/* keeps the form of links i and j for dci_sim_by_attachments */
static void dci_sim_keep_cross(int i, int j, const dc_real *H, int ldb, dc_arena *mem, dci_sim_energy *at)
{
    dci_sim_cross *cross = (dci_sim_cross *)dc_arena_take(mem, 1, sizeof *cross);
    int k;
    if (!cross) {
        at->status = DC_E_MEMORY;
        return;
    }
    cross->next = at->cross;
    cross->i = i;
    cross->j = j;
    for (k = 0; k < 36; ++k) cross->form[k] = H[k/6*ldb + k%6];
    at->cross = cross;
}

/* Adds gradient and Hessian of a pair of links, times the stiffness: own blocks to their forms, the others to the
 * Hessian. The jet's own Hessian is clamped on the way. */
static DCI_NOINLINE void dci_sim_add_pair(int i, int j, int want, dci_sim_jet *jet, dc_arena *mem, dci_sim_energy *at)
{
    const dci_sim_place *place = &at->place;
    const dc_real ks = place->sim->desc.stiffness, *g = jet->grad;
    const int a = place->sim->piece[i], b = place->sim->piece[j];
    const dci_sim_sink none = DC_ZERO;
    dci_sim_sink ij = DC_ZERO, ji = DC_ZERO;
    dc_real *H = jet->hessian, cross[36], turned[36];
    int r, c;

    dci_sim_add_noise(at, place->pose[i].t, ks, g);
    dci_sim_add_noise(at, place->pose[j].t, ks, g + 6);
    for (r = 0; r < 6; ++r) {
        at->sums.contact[6*i + r] += ks*g[r];
        at->sums.contact[6*j + r] += ks*g[r + 6];
    }
    if (want == DCI_SIM_GRADIENT) return;

    /* of two pieces one block stands for both */
    if (a == b) ij = ji = dci_sim_own(place->sim, &at->hessian, a);
    else if (dci_sim_width(place->sim, a) > 0 && dci_sim_width(place->sim, b) > 0) {
        *(a > b ? &ij : &ji) = dci_sim_block_of(place->sim, a > b ? a : b, a > b ? b : a, mem, &at->hessian);
        if (!ij.out && !ji.out) {
            at->status = DC_E_MEMORY;
            return;
        }
    }

    if (want == DCI_SIM_SEMIDEFINITE) dc_psd_clamp(12, H, 12, 0, mem);
    for (r = 0; r < 6; ++r)
        for (c = 0; c < 6; ++c) {
            at->sums.form[36*i + 6*r + c] += ks*H[12*r + c];
            at->sums.form[36*j + 6*r + c] += ks*H[12*(r + 6) + c + 6];
            cross[6*r + c] = ks*H[12*r + c + 6];
        }
    if (ij.out || ji.out) dci_sim_put_cross(place, i, j, cross, 6, &ij, &ji);
    if (at->keep) dci_sim_keep_cross(i, j, cross, 6, mem, at);
    if (!at->attach.out) return;
    dci_sim_put_block(place, i, place, j, cross, 6, &none, &at->attach);
    for (r = 0; r < 36; ++r) turned[r] = cross[6*(r%6) + r/6];
    dci_sim_put_block(place, j, place, i, turned, 6, &none, &at->attach);
}

/* least distance of the vertices of hull k to the plane of separation */
static dc_real dci_sim_room(const dci_sim_place *place, int k, dc_v3 n, dc_real d)
{
    const dc_sim_hull *hull = place->sim->hull + k;
    const dc_v3 m = dc_mul_t(place->rotation + hull->link, n);
    dc_real room = dci_from_bits(DCI_INF);
    int j;
    d += dc_dot(n, place->pose[hull->link].t);
    for (j = 0; j < hull->n; ++j) room = dc_min(room, dc_dot(m, place->sim->vertex[hull->begin + j]) + d);
    return room - hull->round;
}

/* the rooms of both hulls of a pair at a plane, without its length; 0: it is none */
static int dci_sim_rooms(const dci_sim_place *place, const dci_sim_pair *p, const dc_plane *plane, dc_real room[2])
{
    const dc_real length = dc_sqrt(dc_dot(plane->n, plane->n));
    dc_v3 n;
    if (!(length > 0)) return 0;
    n = dc_scale(1/length, plane->n);
    room[0] = dci_sim_room(place, p->hull_a, n, plane->d/length);
    room[1] = dci_sim_room(place, p->hull_b, dc_neg(n), -plane->d/length);
    return 1;
}

/* the plane of separation found last, moved with both links, half of the way with each */
static dc_plane dci_sim_follow(const dci_sim_met *met, const dc_pose *a, const dc_pose *b)
{
    const dc_pose *now[2];
    dc_plane plane = met->plane;
    dc_v3 n = dc_vec(0, 0, 0);
    dc_real d = 0;
    int side;

    now[0] = a;
    now[1] = b;
    for (side = 0; side < 2; ++side) {
        const dc_pose *then = met->at + side;
        const dc_v3 m = dc_quat_rotate(now[side]->q, dc_quat_rotate(dc_quat_conj(then->q), plane.n));
        n = dc_madd(n, DC_R(0.5), m);
        d += DC_R(0.5)*(plane.d + dc_dot(plane.n, then->t) - dc_dot(m, now[side]->t));
    }
    plane.n = n;
    plane.d = d;
    return plane;
}

/* Two hulls: the potential, SDRS Eq. 7. 1: it is felt, and with `want` its derivatives are in the scratch's jet. */
static DCI_NOINLINE int dci_sim_eval_pair(const dci_sim_problem *problem, dci_sim_met *met, int want,
                                          dci_sim_scratch *scratch, dci_sim_energy *at)
{
    const dc_sim *sim = problem->sim;
    const dci_sim_pair p = dci_sim_pair_of(sim, met->a, met->b);
    const dc_pose *pose = at->place.pose;
    dc_hull A = dci_sim_hull_of(sim, p.hull_a), B = dci_sim_hull_of(sim, p.hull_b);
    dci_sim_jet *jet = scratch->jet;
    dc_plane plane = dci_sim_follow(met, pose + p.link_a, pose + p.link_b);
    dc_real room[2];
    dc_status s;

    /* the plane of the place before may show that they do not feel each other */
    if (!sim->desc.global && dci_sim_rooms(&at->place, &p, &plane, room)
        && room[0] + room[1] >= dci_sim_reach(sim, 0)) {
        met->room = room[0] + room[1];
        return 0;
    }
    s = dc_pair_rigid(&problem->pair, &A, pose + p.link_a, &B, pose + p.link_b, scratch->mem, &plane, &jet->value,
                      want ? jet->grad : NULL, want > DCI_SIM_GRADIENT ? jet->hessian : NULL, NULL);
    met->room = 0;
    if (s != DC_OK && s != DC_E_DIVERGED) {
        dci_sim_stop(met->a, met->b, s, at);
        return 0;
    }
    met->plane = plane;
    met->at[0] = pose[p.link_a];
    met->at[1] = pose[p.link_b];
    at->doubt += s == DC_E_DIVERGED;
    if (!(jet->value > 0)) {
        if (s == DC_OK) met->room = dci_sim_reach(sim, 0);
        return 0;
    }

    dci_sim_add_value(at, sim->desc.stiffness*jet->value);
    at->contacts++;
    if (!want || !dci_sim_rooms(&at->place, &p, &met->plane, room)) return 1;
    met->room = room[0] + room[1];
    at->gap = dc_min(at->gap, dc_min(room[0], room[1]));
    return 1;
}

/* the friction of a load at new poses, into a jet */
static dc_status dci_sim_move_friction(dc_friction_load *load, dci_sim_scratch *scratch, const dc_hull *A,
                                       const dc_pose *a, const dc_hull *B, const dc_pose *b, int want,
                                       dci_sim_jet *jet)
{
    dc_real *grad = want ? jet->grad : NULL, *hessian = want > DCI_SIM_GRADIENT ? jet->hessian : NULL;
    if (!scratch->duals)
        return dc_friction_move(load, A, a, B, b, scratch->mem, &jet->value, grad, hessian);
    return dc_friction_try(load, scratch->duals->share, A, a, B, b, scratch->mem, &jet->value, grad, hessian);
}

/* Their friction, by what was felt at time t: SDRS Eq. 13. 1: it is felt, and with `want` its derivatives are in
 * *jet. */
static DCI_NOINLINE int dci_sim_eval_friction(const dci_sim_problem *problem, const dci_sim_met *met, int want,
                                              dci_sim_scratch *scratch, dci_sim_jet *jet, dci_sim_energy *at)
{
    const dc_sim *sim = problem->sim;
    const dci_sim_pair p = dci_sim_pair_of(sim, met->a, met->b);
    const dc_pose *pose = at->place.pose;
    dc_hull A = dci_sim_hull_of(sim, p.hull_a), B = dci_sim_hull_of(sim, p.hull_b);
    dc_status s;

    if (!(p.friction > 0)) return 0;
    s = dci_sim_move_friction(met->load, scratch, &A, pose + p.link_a, &B, pose + p.link_b, want, jet);
    if (s != DC_OK && s != DC_E_DIVERGED) {
        dci_sim_stop(met->a, met->b, s, at);
        return 0;
    }
    at->doubt += s == DC_E_DIVERGED;
    dci_sim_add_value(at, sim->desc.stiffness*jet->value);
    return jet->value > 0;
}

/* Potential, of hulls near each other, and friction together */
static DCI_NOINLINE void dci_sim_eval_met(const dci_sim_problem *problem, dci_sim_met *met, int adjacent, int want,
                                          dci_sim_scratch *scratch, dci_sim_energy *at)
{
    const dci_sim_pair p = dci_sim_pair_of(problem->sim, met->a, met->b);
    dci_sim_jet *sum = scratch->jet, *friction = scratch->jet + 1;
    const int felt = adjacent ? dci_sim_eval_pair(problem, met, want, scratch, at) : 0;
    int slides = 0, k;

    if (at->status == DC_OK && met->load) slides = dci_sim_eval_friction(problem, met, want, scratch, friction, at);
    if (at->status != DC_OK || !want || !(felt || slides)) return;
    if (felt && slides) {
        for (k = 0; k < 12; ++k) sum->grad[k] += friction->grad[k];
        for (k = 0; k < 144 && want > DCI_SIM_GRADIENT; ++k) sum->hessian[k] += friction->hessian[k];
    }
    dci_sim_add_pair(p.link_a, p.link_b, want, felt ? sum : friction, scratch->mem, at);
}

/* ---- [broad] broad phase ---------------------------------------------------------------------- */
/* in: a place; out: the pairs of hulls that may feel each other there, ascending, by a sweep along one axis.
 *
 * stage               | reads                     | writes
 * dci_sim_next_pair   | place, what hulls grow by | the next pair whose spheres meet
 * dci_sim_broad_phase | place                     | those within the reach of the potential */

/* ascending, by key and then by number; key NULL: by number */
static void dci_sim_sort(int *x, int n, const dc_real *key)
{
    int gap, i, j;

    for (gap = n/2; gap > 0; gap = gap == 2 ? 1 : gap*5/11)
        for (i = gap; i < n; ++i) {
            int v = x[i];
            for (j = i; j >= gap; j -= gap) {
                int u = x[j - gap];
                int after = u > v;
                if (key && key[u] != key[v]) after = key[u] > key[v];
                if (!after) break;
                x[j] = u;
            }
            x[j] = v;
        }
}

/* the spheres' centres, and the axis on which they spread most */
static int dci_sim_spread(const dci_sim_place *place, dc_v3 *centre)
{
    const int n = place->sim->hulls;
    dc_v3 mean = dc_vec(0, 0, 0), spread = mean;
    int k;

    for (k = 0; k < n; ++k) {
        centre[k] = dci_sim_centre(place, k);
        mean = dc_madd(mean, 1/(dc_real)n, centre[k]);
    }
    for (k = 0; k < n; ++k) {
        dc_v3 d = dc_sub(centre[k], mean);
        spread = dc_add(spread, dc_vec(d.x*d.x, d.y*d.y, d.z*d.z));
    }
    return spread.x >= spread.y && spread.x >= spread.z ? 0 : spread.y >= spread.z ? 1 : 2;
}

/* Begins a sweep over the pairs whose spheres meet at the place when each is grown by broad->grow. */
static DCI_NOINLINE void dci_sim_begin_sweep(const dci_sim_place *place, dci_sim_broad *broad)
{
    const dc_sim *sim = place->sim;
    const int n = sim->hulls, axis = dci_sim_spread(place, broad->centre);
    int k;

    /* in the order in which they begin along the axis */
    for (k = 0; k < n; ++k) {
        dc_v3 c = broad->centre[k];
        broad->low[k] = (axis == 0 ? c.x : axis == 1 ? c.y : c.z) - sim->hull[k].radius - broad->grow[k];
        broad->order[k] = k;
    }
    dci_sim_sort(broad->order, n, broad->low);
    broad->at = 0;
    broad->next = 1;
}

/* The next of its pairs, a < b: each hull with those that begin before it ends. 0: there is none. */
static int dci_sim_next_pair(const dc_sim *sim, dci_sim_broad *broad, int *a, int *b)
{
    for (; broad->at < sim->hulls; ++broad->at, broad->next = broad->at + 1) {
        const int i = broad->order[broad->at];
        const dc_real ri = sim->hull[i].radius + broad->grow[i], end = broad->low[i] + 2*ri;
        while (broad->next < sim->hulls && broad->low[broad->order[broad->next]] <= end) {
            const int j = broad->order[broad->next++];
            const dc_v3 d = dc_sub(broad->centre[i], broad->centre[j]);
            const dc_real r = ri + sim->hull[j].radius + broad->grow[j];
            if (!(dc_dot(d, d) <= r*r) || !dci_sim_hulls_touch(sim, i, j)) continue;
            *a = i < j ? i : j;
            *b = i < j ? j : i;
            return 1;
        }
    }
    return 0;
}

/* Hulls a < b have come near each other: their place among those that have. NULL: there is no memory. */
static dci_sim_met *dci_sim_meet(int a, int b, dc_arena *mem, dci_sim_met **met)
{
    dci_sim_met *m, **at = met + a;
    while (*at && (*at)->b < b) at = &(*at)->next;
    m = *at;
    if (m && m->b == b) return m;

    m = (dci_sim_met *)dc_arena_take(mem, 1, sizeof *m);
    if (!m) return NULL;
    memset(m, 0, sizeof *m);
    m->a = a;
    m->b = b;
    m->next = *at;
    *at = m;
    return m;
}

/* Is every hull within `slack` of where it was swept last? */
static int dci_sim_still_near(const dci_sim_place *place, const dci_sim_broad *broad, dc_real slack)
{
    int k;
    for (k = 0; k < place->sim->hulls; ++k) {
        const dc_v3 d = dc_sub(dci_sim_centre(place, k), broad->swept[k]);
        if (!(dc_dot(d, d) <= slack*slack)) return 0;
    }
    return 1;
}

/* All pairs that may feel each other at the place: those found by the last sweep, which looks a little farther, so that
 * it is good for places near by. 0: there is no memory for them. */
static int dci_sim_broad_phase(const dci_sim_place *place, dc_arena *mem, dci_sim_broad *broad, dci_sim_met **met)
{
    const dc_sim *sim = place->sim;
    const dc_real reach = dci_sim_reach(sim, 0), slack = DC_R(0.25)*reach;
    int k, a, b;

    /* felt at any distance: once for all */
    if (!(reach <= DC_LIMIT)) {
        for (k = sim->pairs - 1; k >= 0 && broad->sweeps == 0; --k)
            if (!dci_sim_meet(sim->pair[2*k], sim->pair[2*k + 1], mem, met)) return 0;
        broad->sweeps = 1;
        for (a = 0; a < sim->hulls; ++a) {
            dci_sim_met *m;
            for (m = met[a]; m; m = m->next) m->found = 1;
        }
        return 1;
    }

    if (broad->sweeps > 0 && dci_sim_still_near(place, broad, slack)) return 1;
    for (k = 0; k < sim->hulls; ++k) broad->grow[k] = DC_R(0.5)*reach + slack;
    ++broad->sweeps;
    dci_sim_begin_sweep(place, broad);
    memcpy(broad->swept, broad->centre, (size_t)sim->hulls*sizeof *broad->swept);
    while (dci_sim_next_pair(sim, broad, &a, &b)) {
        dci_sim_met *m = dci_sim_meet(a, b, mem, met);
        if (!m) return 0;
        m->found = broad->sweeps;
    }
    return 1;
}

/* ---- [friction] friction of time t ------------------------------------------------------------ */
/* in: problem at time t; out: dci_sim_friction, and the planes from which all searches start.
 *
 * stage                 | reads                   | writes                  | equation
 * dci_sim_load          | a pair of hulls         | plane, load             | SDRS Eq. 8
 * dci_sim_fade          | a contact of triangles  | its weight              | reach
 * dci_sim_load_contacts | triangle pairs of trees | those that count, loads | LRI Eq. 12 */

/* A plane across the line of the hulls' centres, midway; 1: it shows that they do not feel each other. */
static int dci_sim_across(const dci_sim_place *place, const dci_sim_pair *p, dc_plane *plane)
{
    const dc_sim *sim = place->sim;
    const dc_real most = 1 - sim->desc.support;
    dc_plane seen;
    dc_real room[2];
    if (sim->desc.global) return 0;
    seen.n = dc_sub(dci_sim_centre(place, p->hull_a), dci_sim_centre(place, p->hull_b));
    seen.d = 0;
    if (!dci_sim_rooms(place, p, &seen, room) || !(room[0] + room[1] >= dci_sim_reach(sim, 0))) return 0;
    plane->n = dc_scale(most/dc_sqrt(dc_dot(seen.n, seen.n)), seen.n);
    plane->d = DC_R(0.5)*most*(room[1] - room[0]);
    return 1;
}

/* Two hulls at time t: the plane, and the load of friction, which stays in the arena while there is one. */
static DCI_NOINLINE dc_status dci_sim_load(dci_sim_problem *problem, dci_sim_met *met, dc_arena *mem)
{
    const dc_sim *sim = problem->sim;
    const dci_sim_pair p = dci_sim_pair_of(sim, met->a, met->b);
    const dc_pose *pose = problem->before.pose;
    const size_t used = mem->used;
    dci_sim_friction *friction = &problem->friction;
    dc_hull A = dci_sim_hull_of(sim, p.hull_a), B = dci_sim_hull_of(sim, p.hull_b);
    dc_friction_load *load = (dc_friction_load *)dc_arena_take(mem, 1, sizeof *load);
    dc_status s = DC_OK;

    if (!load) return DC_E_MEMORY;
    load->count = 0;

    /* without friction the load is asked for all the same: it tells whether there are derivatives by the coefficient */
    if (!dci_sim_across(&problem->before, &p, &met->before))
        s = dc_friction_open(&sim->desc.friction, &problem->pair, p.friction > 0 ? p.friction : 1, sim->desc.h, &A,
                             pose + p.link_a, &B, pose + p.link_b, mem, &met->before, load);
    if (s != DC_OK && s != DC_E_DIVERGED) return s;
    friction->doubt += s == DC_E_DIVERGED;
    met->plane = met->before;
    met->at[0] = pose[p.link_a];
    met->at[1] = pose[p.link_b];
    if (load->count > 0) met->load = load;
    else mem->used = used;
    return DC_OK;
}

/* triangle of a tree in the link's frame */
static dc_hull dci_sim_triangle(const dc_sim *sim, int k, int triangle)
{
    dc_hull h;
    h.v = sim->vertex + sim->hull[k].begin + 3*triangle;
    h.n = 3;
    h.radius = 0;
    return h;
}

/* The distance at which one pair of triangles, of centres, would have the potential P: P = 12 (1 + 1/sqrt r)^2. dr:
 * r'(P) */
static dc_real dci_sim_distance(dc_real P, dc_real *dr)
{
    dc_real x = dc_sqrt(P/12), y = x > 1 + DC_EPS ? 1/(x - 1) : 1/DC_EPS;
    *dr = -y*y*y/(12*x);
    return y*y;
}

/* Contact c of pair k fades with its distance: weight and its gradient times 1 - Phi(2r/reach - 1). 0: nothing left */
static DCI_NOINLINE int dci_sim_fade(const dci_sim_problem *problem, int k, dc_bsh_contact *c)
{
    const dc_sim *sim = problem->sim;
    const dc_real reach = sim->desc.reach/sim->desc.length, n2 = dc_dot(c->plane.n, c->plane.n);
    dc_real r, dr, d1, d2, share, rate;
    dc_v3 n;
    int side, v;

    if (!(c->weight > 0) || !(n2 > 0)) return 0;
    if (!(reach > 0)) return 1;
    r = dci_sim_distance(c->value/c->weight, &dr);
    share = 1 - dc_blend(2*r/reach - 1, &d1, &d2);
    if (!(share > 0)) return 0;

    /* by P. dP/dx = -n f at the vertices of a, n f at those of b, c->force is weight f */
    rate = -2*d1*dr/reach;
    n = dc_scale(1/dc_sqrt(n2), c->plane.n);
    for (v = 0; v < 12; ++v) c->weight_grad[v] *= share;
    for (side = 0; side < 2; ++side) {
        const int hull = sim->pair[2*k + side];
        const dc_m3 *R = problem->before.rotation + sim->hull[hull].link;
        dc_hull t = dci_sim_triangle(sim, hull, side ? c->triangle_b : c->triangle_a);
        for (v = 0; v < 3; ++v)
            dci_sim_push(c->weight_grad + 6*side, dc_mul(R, t.v[v]),
                         dc_scale((side ? 1 : -1)*rate*c->force[3*side + v], n));
    }
    c->weight *= share;
    return 1;
}

/* the friction of contact n of pair k as far as it is that of time t */
static DCI_NOINLINE dc_status dci_sim_load_contact(dci_sim_problem *problem, int k, int n, dc_arena *mem)
{
    const dc_sim *sim = problem->sim;
    const dci_sim_pair p = dci_sim_pair_at(sim, k);
    const dc_pose *pose = problem->before.pose;
    dc_bsh_contact *c = problem->friction.contact + n;
    dc_hull A = dci_sim_triangle(sim, p.hull_a, c->triangle_a), B = dci_sim_triangle(sim, p.hull_b, c->triangle_b);
    return dc_friction_open(&sim->desc.friction, &problem->pair, 1, sim->desc.h, &A, pose + p.link_a, &B,
                            pose + p.link_b, mem, &c->plane, problem->friction.contact_load + n);
}

/* the planes of pair k's triangles; NULL: they are not kept */
static dc_bsh_cache *dci_sim_planes(dci_sim_scratch *scratch, int k)
{
    scratch->planes.pair = (unsigned)k;
    return scratch->warm ? &scratch->planes : NULL;
}

/* The triangle pairs of pair k with friction at time t, after those of the pairs before; how many into *listed */
static DCI_NOINLINE dc_status dci_sim_list_contacts(dci_sim_problem *problem, int k, dci_sim_scratch *scratch,
                                                    int *listed)
{
    const dc_sim *sim = problem->sim;
    const dci_sim_pair p = dci_sim_pair_at(sim, k);
    const dc_pose *pose = problem->before.pose;
    const int n = problem->friction.begin[k];
    return dc_bsh_contacts(&sim->desc.hierarchy, sim->link[p.link_a].tree, pose + p.link_a, sim->link[p.link_b].tree,
                           pose + p.link_b, scratch->mem, dci_sim_planes(scratch, k), sim->desc.contacts - n,
                           problem->friction.contact + n, listed, scratch->seen);
}

/* of those of pair k the ones that have not faded, and their loads */
static DCI_NOINLINE dc_status dci_sim_keep_contacts(dci_sim_problem *problem, int k, int listed, dc_arena *mem)
{
    dci_sim_friction *friction = &problem->friction;
    int n = friction->begin[k], j, end = n + listed;
    dc_status s = DC_OK;
    for (j = n; j < end && (s == DC_OK || s == DC_E_DIVERGED); ++j) {
        if (j > n) friction->contact[n] = friction->contact[j];
        if (dci_sim_fade(problem, k, friction->contact + n)) s = dci_sim_load_contact(problem, k, n++, mem);
    }
    friction->begin[k + 1] = n;
    return s;
}

/* All triangle pairs with friction; `all`: also of links that have none. DC_E_MEMORY: more than desc.contacts. *failed:
 * the pair that has none of its own. Planes are kept from here on where they fill three quarters of the slots at most:
 * the oldest, which would give way to others, is the one that is wanted next. */
static DCI_NOINLINE dc_status dci_sim_load_contacts(dci_sim_problem *problem, int all, dci_sim_scratch *scratch,
                                                    int *failed)
{
    const dc_sim *sim = problem->sim;
    int *begin = problem->friction.begin, k;
    size_t felt = 0;

    for (k = begin[0] = 0; k < sim->pairs; ++k) {
        dc_status s;
        int listed = 0;
        begin[k + 1] = begin[k];
        if (!all && !(dci_sim_pair_at(sim, k).friction > 0)) continue;
        s = dci_sim_list_contacts(problem, k, scratch, &listed);
        if (s == DC_OK || s == DC_E_DIVERGED) s = dci_sim_keep_contacts(problem, k, listed, scratch->mem);
        if (s != DC_OK && s != DC_E_DIVERGED) {
            *failed = k;
            return s;
        }
        felt += scratch->seen->leaf_near + scratch->seen->leaf_blended;
    }
    scratch->warm = felt <= (size_t)scratch->planes.n/4*3;
    return DC_OK;
}

/* ---- [trees] pairs of trees by quadratic models ----------------------------------------------- */
/* in: problem, place; out: dci_sim_trees, and what a pair adds to O.
 *
 * stage                   | reads                      | writes                       | equation
 * dci_sim_keep_model      | a model, place             | whether it is good there     | its error
 * dci_sim_model_potential | trees at the model's poses | potential of the model       | LRI Eq. 8
 * dci_sim_model_friction  | friction at t, these poses | friction of the model        | LRI section A.3
 * dci_sim_update_models   | place                      | all models that are not good |
 * dci_sim_eval_model      | a model, place             | value, wrenches, forms       | to second order */

/* Newton's steps with a curvature of poses near by converge linearly, by the part that it changed. It is taken for good
 * where this is below DCI_SIM_CURVATURE: H changes by its own size over the distance of the links, and what the links'
 * inertia outweighs does not matter. Of most pairs it is computed once a step. */
#define DCI_SIM_CURVATURE DC_R(0.01)

/* The part of a step's tolerance that the models of pairs may be off by. */
#define DCI_SIM_MODEL DC_R(0.05)

/* how far the points of hull k go from pose p to pose q, at most */
static dc_real dci_sim_moved(const dc_sim *sim, int k, const dc_pose *p, const dc_pose *q)
{
    const dc_sim_hull *h = sim->hull + k;
    dc_real w = p->q.w - q->q.w, x = p->q.x - q->q.x, y = p->q.y - q->q.y, z = p->q.z - q->q.z;
    dc_real turn = DC_R(2.5)*dc_sqrt(w*w + x*x + y*y + z*z);        /* |p - q| = 2 sin(angle/4) */
    dc_v3 t = dc_sub(p->t, q->t);
    return dc_sqrt(dc_dot(t, t)) + turn*(dc_sqrt(dc_dot(h->centre, h->centre)) + h->radius);
}

/* is a stiffness between links i and j, over the scene's, nothing beside the inertia of the lighter one? */
static int dci_sim_outweighed(const dc_sim *sim, int i, int j, dc_real stiffness)
{
    dc_real mass = 0, h = sim->desc.h;
    if (dci_sim_anchor(sim->link, i) >= 0) mass = sim->moment[16*i + 15];
    if (dci_sim_anchor(sim->link, j) >= 0 && (!(mass > 0) || sim->moment[16*j + 15] < mass))
        mass = sim->moment[16*j + 15];
    return sim->desc.stiffness*stiffness*h*h <= DCI_SIM_CURVATURE*mass;
}

/* the distance of a pair of trees as its potential tells it, m */
static dc_real dci_sim_far_off(const dc_sim *sim, const dci_sim_model *model)
{
    dc_real unread;
    return sim->desc.length*dci_sim_distance(model->potential.value, &unread);
}

/* the largest of the three entries x[0], x[step], x[2 step] */
static dc_real dci_sim_most(const dc_real *x, int step)
{
    dc_real most = 0;
    int c;
    for (c = 0; c < 3; ++c) most = dc_max(most, dc_abs(x[step*c]));
    return most;
}

/* is the Hessian of pair k's model still good at the poses `at`? */
static int dci_sim_still_curved(const dc_sim *sim, const dci_sim_model *model, int k)
{
    const dci_sim_pair p = dci_sim_pair_at(sim, k);
    const dc_real far_off = dci_sim_far_off(sim, model);
    const dc_real moved = dci_sim_moved(sim, p.hull_a, model->curved_at, model->at)
                        + dci_sim_moved(sim, p.hull_b, model->curved_at + 1, model->at + 1);
    if (moved <= DCI_SIM_CURVATURE*far_off) return 1;
    return dci_sim_outweighed(sim, p.link_a, p.link_b, dci_sim_most(model->potential.hessian, 13)*moved/far_off);
}

/* A bound of the force that a model is off by where its points have moved by `moved`: to third order, or to second
 * without a Hessian; derivatives grow by four times their size over the distance, *far_off. */
static dc_real dci_sim_model_error(const dc_sim *sim, const dci_sim_model *model, dc_real moved, dc_real *far_off)
{
    const dci_sim_jet *jet = &model->potential;
    const dc_real most = model->flat ? dci_sim_most(jet->grad, 1) : dci_sim_most(jet->hessian, 13);
    *far_off = dci_sim_far_off(sim, model);
    return sim->desc.stiffness*4*most*moved*(model->flat ? 1 : moved)/ *far_off;
}

/* how far the points of pair k are from where it is known, both sides together */
static dc_real dci_sim_strayed(const dci_sim_place *place, const dci_sim_model *model, int k)
{
    const dci_sim_pair p = dci_sim_pair_at(place->sim, k);
    return dci_sim_moved(place->sim, p.hull_a, model->at, place->pose + p.link_a)
         + dci_sim_moved(place->sim, p.hull_b, model->at + 1, place->pose + p.link_b);
}

static int dci_sim_same_pose(const dc_pose *p, const dc_pose *q) { return memcmp(p, q, sizeof *p) == 0; }

static int dci_sim_has_friction(const dci_sim_problem *problem, int k)
{
    return problem->friction.begin[k] < problem->friction.begin[k + 1];
}

/* Is the model of pair k good at the place: made there, or near enough? If not, its poses become those of the place,
 * and its Hessian is kept while it is still good. */
static DCI_NOINLINE int dci_sim_keep_model(const dci_sim_problem *problem, const dci_sim_place *place, int k, int known,
                                           const dci_sim_trees *trees, dci_sim_model *model)
{
    const dc_sim *sim = problem->sim;
    const dci_sim_pair p = dci_sim_pair_at(sim, k);
    const dc_pose *a = place->pose + p.link_a, *b = place->pose + p.link_b;

    if (model->known && dci_sim_same_pose(model->at, a) && dci_sim_same_pose(model->at + 1, b)) return 1;
    if (model->known && known == DCI_SIM_BY_MODELS && !dci_sim_has_friction(problem, k)) {
        dc_real far_off, moved = dci_sim_strayed(place, model, k);
        dc_real error = dci_sim_model_error(sim, model, moved, &far_off);
        if (error <= trees->allowed && moved <= DC_R(0.25)*far_off) return 1;
    }
    model->at[0] = *a;
    model->at[1] = *b;
    model->curved = model->curved && !model->flat && dci_sim_still_curved(sim, model, k);
    return 0;
}

/* May the Hessian of pair k's potential be left out in a step? It was before, or the trees are apart by a fiftieth of
 * one: then value and gradient are known. Not with friction. */
static DCI_NOINLINE int dci_sim_may_be_flat(const dci_sim_problem *problem, int k, const dci_sim_model *model)
{
    const dci_sim_pair p = dci_sim_pair_at(problem->sim, k);
    const dc_bsh *a = problem->sim->link[p.link_a].tree, *b = problem->sim->link[p.link_b].tree;
    dc_v3 d;
    if (model->curved || dci_sim_has_friction(problem, k)) return 0;
    d = dc_sub(dc_pose_apply(model->at[0], a->o), dc_pose_apply(model->at[1], b->o));
    return model->flat || dc_sqrt(dc_dot(d, d)) - a->node->R - b->node->R > DC_R(0.02)*a->node->R;
}

/* value, gradient and (NULL: not asked for) Hessian of pair k at the model's poses; whether it is felt */
static dc_status dci_sim_tree_pair(const dc_sim *sim, int k, dci_sim_scratch *scratch, dci_sim_model *model,
                                   dc_real *hessian)
{
    const dci_sim_pair p = dci_sim_pair_at(sim, k);
    const dc_bsh *a = sim->link[p.link_a].tree, *b = sim->link[p.link_b].tree;
    dci_sim_jet *jet = &model->potential;
    dc_status s = dc_bsh_eval(&sim->desc.hierarchy, a, model->at, b, model->at + 1, scratch->mem,
                              dci_sim_planes(scratch, k), &jet->value, jet->grad, hessian, scratch->seen);
    if (s == DC_OK || s == DC_E_DIVERGED) model->felt = scratch->seen->leaf_near + scratch->seen->leaf_blended > 0;
    return s;
}

/* The potential of pair k at the model's poses, its Hessian there or near by; `may_be_flat`: left out where inertia
 * outweighs it. */
static DCI_NOINLINE dc_status dci_sim_model_potential(const dc_sim *sim, int k, int may_be_flat,
                                                      dci_sim_scratch *scratch, dci_sim_model *model)
{
    dci_sim_jet *jet = &model->potential;
    int flat = may_be_flat, c;
    dc_status s = dci_sim_tree_pair(sim, k, scratch, model, model->curved || flat ? NULL : jet->hessian);

    if (s != DC_OK && s != DC_E_DIVERGED) return s;

    /* what the Hessian can be, from the gradient */
    if (flat) {
        const dci_sim_pair p = dci_sim_pair_at(sim, k);
        flat = dci_sim_outweighed(sim, p.link_a, p.link_b, 4*dci_sim_most(jet->grad, 1)/dci_sim_far_off(sim, model));
        if (!flat) s = dci_sim_tree_pair(sim, k, scratch, model, jet->hessian);
        else for (c = 0; c < 144; ++c) jet->hessian[c] = 0;
        if (s != DC_OK && s != DC_E_DIVERGED) return s;
    }
    if (!model->curved) memcpy(model->curved_at, model->at, sizeof model->at);
    model->flat = flat;
    model->curved = 1;
    return DC_OK;
}

/* the friction of pair k at the model's poses: the damping term of LRI section A.3 */
static DCI_NOINLINE dc_status dci_sim_model_friction(const dci_sim_problem *problem, int k, dci_sim_scratch *scratch,
                                          dci_sim_model *model)
{
    const dc_sim *sim = problem->sim;
    const dci_sim_friction *friction = &problem->friction;
    const dci_sim_pair p = dci_sim_pair_at(sim, k);
    dci_sim_jet *sum = &model->friction, *jet = scratch->jet;
    int c, v;

    sum->value = 0;
    for (v = 0; v < 12; ++v) sum->grad[v] = 0;
    for (v = 0; v < 144; ++v) sum->hessian[v] = 0;

    for (c = friction->begin[k]; c < friction->begin[k + 1]; ++c) {
        const dc_bsh_contact *t = friction->contact + c;
        const dc_real w = p.friction*t->weight;
        dc_hull A = dci_sim_triangle(sim, p.hull_a, t->triangle_a), B = dci_sim_triangle(sim, p.hull_b, t->triangle_b);
        dc_status s;
        if (!(w > 0)) continue;
        s = dci_sim_move_friction(friction->contact_load + c, scratch, &A, model->at, &B, model->at + 1,
                                  DCI_SIM_DERIVATIVES, jet);
        if (s != DC_OK && s != DC_E_DIVERGED) return s;
        sum->value += w*jet->value;
        for (v = 0; v < 12; ++v) sum->grad[v] += w*jet->grad[v];
        for (v = 0; v < 144; ++v) sum->hessian[v] += w*jet->hessian[v];
    }
    return DC_OK;
}

/* The models of all pairs of trees for a place, up to the first that fails. Those that are good there stay. */
static DCI_NOINLINE void dci_sim_update_models(const dci_sim_problem *problem, const dci_sim_place *place, int known,
                                            dci_sim_scratch *scratch, dci_sim_trees *trees)
{
    const dc_sim *sim = problem->sim;
    dc_status s = DC_OK;
    int k;

    for (k = 0; k < sim->pairs && s == DC_OK; ++k) {
        dci_sim_model *model = trees->model + k;
        if (dci_sim_keep_model(problem, place, k, known, trees, model)) continue;
        s = dci_sim_model_potential(sim, k, known != DCI_SIM_IN_FULL && dci_sim_may_be_flat(problem, k, model), scratch,
                              model);
        if (s == DC_OK) s = dci_sim_model_friction(problem, k, scratch, model);
        model->known = s == DC_OK;
        model->status = s;
    }
}

/* Pair k of trees, by its model: with x the twists from the poses where it is known to those now, g and H those of
 * potential and friction together, by the left Jacobian J of rotations,
 *     P + F + g.x + x^T H x/2,   gradient J^-T (g + H x) */
static DCI_NOINLINE void dci_sim_eval_model(const dci_sim_model *model, int k, int want, dci_sim_scratch *scratch,
                                          dci_sim_energy *at)
{
    const dc_sim *sim = at->place.sim;
    const dci_sim_pair p = dci_sim_pair_at(sim, k);
    const dci_sim_jet *potential = &model->potential, *friction = &model->friction;
    const dc_real ks = sim->desc.stiffness;
    dci_sim_jet *jet = scratch->jet;
    dc_real x[12] = {0}, rise = 0, *g = jet->grad;
    int v, c, side, strayed = 0;

    if (model->status != DC_OK) {
        dci_sim_stop(p.hull_a, p.hull_b, model->status, at);
        return;
    }

    /* how far from where it is known */
    for (side = 0; side < 2; ++side) {
        const dc_pose *now = at->place.pose + (side ? p.link_b : p.link_a);
        if (dci_sim_same_pose(model->at + side, now)) continue;
        dc_pose_local(model->at[side], *now, x + 6*side);
        strayed = 1;
    }
    at->modelled += strayed;

    /* to second order */
    for (v = 0; v < 12; ++v) g[v] = potential->grad[v] + friction->grad[v];
    if (strayed) {
        for (v = 0; v < 12; ++v) {
            dc_real bend = 0;
            for (c = 0; c < 12; ++c) bend += (potential->hessian[12*v + c] + friction->hessian[12*v + c])*x[c];
            rise += x[v]*(g[v] + DC_R(0.5)*bend);
            g[v] += bend;
        }
        for (side = 0; side < 2; ++side) {
            dc_m3 J = dc_so3_jl_inv(dci_sim_v3(x + 6*side + 3));
            dci_sim_put3(dc_mul_t(&J, dci_sim_v3(g + 6*side + 3)), g + 6*side + 3);
        }
    }

    dci_sim_add_value(at, ks*potential->value);
    dci_sim_add_value(at, ks*friction->value);
    dci_sim_add_value(at, ks*rise);
    at->contacts += model->felt;
    if (!want) return;

    for (v = 0; v < 144 && want > DCI_SIM_GRADIENT; ++v) jet->hessian[v] = potential->hessian[v] + friction->hessian[v];
    dci_sim_add_pair(p.link_a, p.link_b, want, jet, scratch->mem, at);
}

/* ---- [evaluation] O at a place ---------------------------------------------------------------- */
/* in: problem, q; out: dci_sim_energy.
 *
 * stage                 | reads                | writes                 | equation
 * dci_sim_forward       | q                    | place                  | SDRS Eq. 1
 * dci_sim_update_models | place                | models of trees        |
 * dci_sim_broad_phase   | place                | pairs                  |
 * [energy], [trees]     | place, models, pairs | value, wrenches, forms | SDRS Eq. 14
 * dci_sim_gather        | wrenches, forms      | gradient, Hessian      | J^T H J + g . 1/2 [S_a, S_b] */

/* gradient and, if wanted, Hessian by the coordinates from those by the links' twists */
static DCI_NOINLINE void dci_sim_gather(int want, dci_sim_energy *at)
{
    const dci_sim_place *place = &at->place;
    const dc_sim *sim = place->sim;
    const dci_sim_sums *sums = &at->sums;
    const int curved = want >= DCI_SIM_DERIVATIVES;
    int i;

    /* about the roots' origins */
    for (i = 0; i < sim->links; ++i) {
        const dc_v3 r = dci_sim_arm(place, i);
        at->force = dc_max(at->force, dci_sim_size(sums->contact + 6*i));
        dci_sim_shift(r, sums->contact + 6*i, sums->carried + 12*i);
        dci_sim_shift(r, sums->inertia + 6*i, sums->carried + 12*i + 6);
        if (curved && sim->link[i].parent >= 0) dci_sim_shift_form(r, sums->form + 36*i);
    }

    /* from the tips to the roots */
    for (i = sim->links - 1; i >= 0; --i) {
        int up = sim->link[i].parent, j;
        for (j = 0; j < dci_sim_nv(sim->link[i].joint); ++j) {
            const dci_sim_axis *a = place->axis + sim->v_at[i] + j;
            const dc_real *m = sums->carried + 12*i;
            at->grad[sim->v_at[i] + j] += dci_sim_power(a, m) + dci_sim_power(a, m + 6);
        }
        if (up < 0) continue;
        dci_sim_sum(sums->carried + 12*i, 12, sums->carried + 12*up);
        if (curved) dci_sim_sum(sums->form + 36*i, 36, sums->form + 36*up);
    }
    if (!curved) return;

    /* the curvature is of all wrenches together */
    dci_sim_sum(sums->inertia, 6*sim->links, sums->contact);
    if (want == DCI_SIM_DERIVATIVES)
        dci_sim_brackets(place, sums->contact, at->attach.out != NULL, sums->load, sums->bracket);
    dci_sim_put_tree(place, sums->form, want == DCI_SIM_DERIVATIVES ? sums->bracket : NULL, &at->hessian, &at->attach);
}

/* nothing is added up yet */
static void dci_sim_reset(int want, dci_sim_energy *at)
{
    const dc_sim *sim = at->place.sim;
    const size_t links = (size_t)sim->links;
    at->value = at->noise = at->force = 0;
    at->gap = dci_from_bits(DCI_INF);
    at->contacts = at->doubt = at->modelled = 0;
    at->cross = NULL;
    at->status = DC_OK;
    if (!want) return;
    dci_sim_zero(at->sums.inertia, 12*links);
    dci_sim_zero(at->grad, (size_t)sim->nv);
    if (want == DCI_SIM_GRADIENT) return;
    dci_sim_zero(at->sums.form, 36*links);
    dci_sim_zero_hessian(sim, &at->hessian);
}

/* O of SDRS Eq. 14 (LRI Eq. 1) at q, with want its gradient and Hessian, all of W->at; pairs of trees by the models
 * there are. W->at.status: why there is none. */
static DCI_NOINLINE void dci_sim_eval_known(dci_sim_work *W, const dc_real *q, int want)
{
    const dci_sim_problem *problem = &W->problem;
    const dc_sim *sim = problem->sim;
    dci_sim_energy *at = &W->at;
    dci_sim_met *met;
    int i, p;

    /* where */
    dci_sim_reset(want, at);
    W->duals.next = 0;
    dci_sim_forward(q, &at->place);
    if (want) dci_sim_axes(&at->place, at->attach.out != NULL);

    /* the motion */
    for (i = 0; i < sim->links; ++i) dci_sim_eval_inertia(problem, i, want, at);
    dci_sim_eval_joints(problem, q, want, at);

    /* contacts, up to the first pair that overlaps */
    for (i = 0; i < sim->hulls && at->status == DC_OK; ++i)
        for (p = 0; p < sim->planes && at->status == DC_OK; ++p)
            dci_sim_eval_plane(problem, i, p, want, &W->scratch, at);
    if (sim->desc.trees) {
        for (i = 0; i < sim->pairs && at->status == DC_OK; ++i)
            dci_sim_eval_model(W->trees.model + i, i, want, &W->scratch, at);
    } else {
        if (!dci_sim_broad_phase(&at->place, W->scratch.mem, &W->broad, problem->met)) at->status = DC_E_MEMORY;
        for (i = 0; i < sim->hulls; ++i)
            for (met = problem->met[i]; met && at->status == DC_OK; met = met->next)
                dci_sim_eval_met(problem, met, met->found == W->broad.sweeps, want, &W->scratch, at);
    }

    if (at->status == DC_OK && !dc_finite(at->value)) at->status = DC_E_RANGE;
    if (want && at->status == DC_OK) dci_sim_gather(want, at);
}

/* The same, with pairs of trees `known` as said there. Their models are made first, so that the stack is shallow. */
static void dci_sim_eval(dci_sim_work *W, const dc_real *q, int want, int known)
{
    if (W->problem.sim->desc.trees) {
        dci_sim_forward(q, &W->at.place);
        dci_sim_update_models(&W->problem, &W->at.place, known, &W->scratch, &W->trees);
    }
    dci_sim_eval_known(W, q, want);
}

/* ---- [path] continuous collision -------------------------------------------------------------- */
/* in: a place, of which O is known, and a direction; out: the share of the direction over which nothing is met, and
 * what ends it. From place to place each pair has a plane between it that both sides are proved to keep.
 *
 * stage               | reads             | writes
 * dci_sim_joint_share | limits, rotations | share
 * dci_sim_bounds      | q, dq             | speed and acceleration of a hull's points
 * dci_sim_velocities  | place, dq         | velocities of the links
 * dci_sim_plane_share | a hull, a plane   | share, the end
 * dci_sim_pair_share  | a pair            | share, the end
 * dci_sim_safe_share  | all of these      | share, the end */

/* Bounds for a point of link i at most `arm` from its origin, seen from its ancestor `top`, while the joints between
 * move along dq, from 0 to 1: its speed and its acceleration. A joint moves evenly, so that from a link to its parent
 *     a <- a + 2 w v + w^2 arm,  v <- v + u + w arm,  arm <- arm + the distance of the origins. */
static void dci_sim_bounds(const dc_sim *sim, const dc_real *q, const dc_real *dq, int i, int top, dc_real arm,
                           dc_real *v, dc_real *a)
{
    *v = *a = 0;
    for (; i != top; i = sim->link[i].parent) {
        const dc_sim_link *l = sim->link + i;
        const dc_real *d = dq + sim->v_at[i], *x = q + sim->q_at[i];
        dc_real u = 0, w = 0, slid = 0;
        switch (l->joint) {
        case DC_SIM_FREE:
            u = dc_sqrt(dc_dot(dci_sim_v3(d), dci_sim_v3(d)));
            w = dc_sqrt(dc_dot(dci_sim_v3(d + 3), dci_sim_v3(d + 3)));
            slid = dc_sqrt(dc_dot(dci_sim_v3(x + 4), dci_sim_v3(x + 4)));
            break;
        case DC_SIM_BALL: w = dc_sqrt(dc_dot(dci_sim_v3(d), dci_sim_v3(d))); break;
        case DC_SIM_HINGE: w = dc_abs(d[0]); break;
        case DC_SIM_SLIDE:
            u = dc_abs(d[0]);
            slid = dc_abs(x[0]);
            break;
        case DC_SIM_FIXED: break;
        }
        *a += 2*w**v + w*w*arm;
        *v += u + w*arm;
        arm += slid + u + dc_sqrt(dc_dot(l->attach.t, l->attach.t));    /* anywhere on the way */
    }
}

/* the same for the points of hull k */
static DCI_NOINLINE void dci_sim_hull_bounds(const dc_sim *sim, int k, int top, const dci_sim_path *path, dc_real *v,
                                             dc_real *a)
{
    const dc_sim_hull *hull = sim->hull + k;
    const dc_real arm = dc_sqrt(dc_dot(hull->centre, hull->centre)) + hull->radius;
    dci_sim_bounds(sim, path->q, path->dq, hull->link, top, arm, v, a);
}

/* the last common ancestor of two links; -1: the world */
static int dci_sim_common(const dc_sim *sim, int i, int j)
{
    while (i != j) {
        if (i > j) i = sim->link[i].parent;
        else j = sim->link[j].parent;
    }
    return i;
}

/* Largest t <= most with  keep + t rate - t^2 a/2 >= 0,  keep > 0, a >= 0 */
static dc_real dci_sim_until(dc_real keep, dc_real rate, dc_real a, dc_real most)
{
    dc_real root, t;
    if (keep + most*(rate - DC_R(0.5)*a*most) >= 0) return most;
    root = dc_sqrt(rate*rate + 2*a*keep);
    t = rate > 0 ? (rate + root)/a : 2*keep/(root - rate);    /* not for all of `most`, so that a > 0 or rate < 0 */
    return dc_min(t, most);
}

/* Link i as seen from its ancestor `top` when a share t of the way is done. */
static DCI_NOINLINE void dci_sim_moving(const dc_sim *sim, int i, int top, const dci_sim_path *path, dc_real t,
                                        dci_sim_motion *m)
{
    dc_pose p = dci_sim_identity();
    dc_v3 u = dc_vec(0, 0, 0), w = u;

    for (; i != top; i = sim->link[i].parent) {
        const dc_sim_link *l = sim->link + i;
        const dc_real *d = path->dq + sim->v_at[i];
        dc_real x[7] = {0};
        dc_pose J;

        /* through the joint */
        dci_sim_move(l->joint, path->q + sim->q_at[i], d, t, x);
        J = dci_sim_joint_pose(l, x);
        p = dc_pose_mul(J, p);
        u = dc_quat_rotate(J.q, u);
        w = dc_quat_rotate(J.q, w);
        if (l->joint == DC_SIM_SLIDE) u = dc_madd(u, d[0], l->axis);
        if (l->joint == DC_SIM_FREE) u = dc_add(u, dci_sim_v3(d));
        if (l->joint != DC_SIM_SLIDE && l->joint != DC_SIM_FIXED) {
            dc_v3 turn = l->joint == DC_SIM_HINGE ? dc_scale(d[0], l->axis)
                                                  : dci_sim_v3(d + dci_sim_turn_at(l->joint));
            u = dc_add(u, dc_cross(turn, dc_sub(p.t, J.t)));
            w = dc_add(w, turn);
        }

        /* through the attachment */
        p = dc_pose_mul(l->attach, p);
        u = dc_quat_rotate(l->attach.q, u);
        w = dc_quat_rotate(l->attach.q, w);
    }
    m->pose = p;
    m->rotation = dc_rotation(p.q);
    m->velocity = u;
    m->spin = w;
}

/* All links at the start of their way, by the axes of the place */
static DCI_NOINLINE void dci_sim_velocities(const dci_sim_place *place, dci_sim_path *path)
{
    const dc_sim *sim = place->sim;
    const dc_real *dq = path->dq;
    int i, k;

    /* of the point at o, until all links have theirs */
    for (i = 0; i < sim->links; ++i) {
        const int up = sim->link[i].parent;
        dc_v3 u = up < 0 ? dc_vec(0, 0, 0) : path->velocity[up], w = up < 0 ? dc_vec(0, 0, 0) : path->spin[up];
        for (k = sim->v_at[i]; k < sim->v_at[i] + dci_sim_nv(sim->link[i].joint); ++k) {
            u = dc_madd(u, dq[k], place->axis[k].move);
            w = dc_madd(w, dq[k], place->axis[k].turn);
        }
        path->velocity[i] = u;
        path->spin[i] = w;
    }
    for (i = 0; i < sim->links; ++i)
        path->velocity[i] = dc_add(path->velocity[i], dc_cross(path->spin[i], dci_sim_arm(place, i)));
}

/* link i there as seen from its ancestor `top` */
static DCI_NOINLINE void dci_sim_seen_from(const dci_sim_place *place, const dci_sim_path *path, int i, int top,
                                           dci_sim_motion *m)
{
    dc_v3 arm;
    dc_m3 up;

    m->pose = place->pose[i];
    m->rotation = place->rotation[i];
    m->velocity = path->velocity[i];
    m->spin = path->spin[i];
    if (top < 0) return;
    arm = dc_sub(m->pose.t, place->pose[top].t);
    up = dc_m3_t(place->rotation + top);
    m->velocity = dc_mul(&up, dc_sub(dc_sub(m->velocity, path->velocity[top]), dc_cross(path->spin[top], arm)));
    m->spin = dc_mul(&up, dc_sub(m->spin, path->spin[top]));
    m->pose.q = dc_quat_mul(dc_quat_conj(place->pose[top].q), m->pose.q);
    m->pose.t = dc_mul(&up, arm);
    m->rotation = dc_rotation(m->pose.q);
}

/* How far a hull may go with motion m, its acceleration below a, while it stays on its side of a plane (n, d) that
 * moves along n with speed c, keeping a part of each vertex's distance. */
static dc_real dci_sim_advance(const dci_sim_motion *m, dc_real a, const dc_hull *hull, dc_v3 n, dc_real d, dc_real c,
                               dc_real most)
{
    int j;
    for (j = 0; j < hull->n; ++j) {
        dc_v3 r = dc_mul(&m->rotation, hull->v[j]);
        dc_real slack = dc_dot(n, dc_add(r, m->pose.t)) + d - hull->radius;
        if (!(slack > 0)) return 0;
        most = dci_sim_until(DC_R(0.9)*slack, dc_dot(n, dc_add(m->velocity, dc_cross(m->spin, r))) - c, a, most);
    }
    return most;
}

/* speed along n of the point p of a body */
static dc_real dci_sim_speed(const dci_sim_motion *m, dc_v3 n, dc_v3 p)
{
    return dc_dot(n, dc_add(m->velocity, dc_cross(m->spin, dc_sub(p, m->pose.t))));
}

#define DCI_SIM_TURNS 1024  /* of the advancement of a pair */

/* The share of the way, up to most, over which the hulls A and B of the links of path->way do not meet; -1: they meet
 * now. From place to place, each with a plane between them, half way and moving with the mean of the witness points;
 * until they are as near as it pays to be before the potential is asked. */
static DCI_NOINLINE dc_real dci_sim_hulls_share(const dc_sim *sim, const dc_hull *A, const dc_hull *B, dc_real most,
                                                dci_sim_path *path)
{
    dci_sim_way *way = path->way;
    dci_sim_motion *a = way->at, *b = way->at + 1;
    dc_distance *D = &way->distance;
    dc_real t = 0, least = 0, d, c, s;
    int turn;

    memset(D, 0, sizeof *D);
    *a = way->from[0];
    *b = way->from[1];
    for (turn = 0; turn < DCI_SIM_TURNS; ++turn) {
        if (dc_hull_distance(A, &a->pose, B, &b->pose, NULL, D) != DC_OK || !(D->gap > 0)) return turn ? t : -1;
        if (turn == 0) {
            way->gap = D->gap;
            least = DC_R(0.1)*dc_min(D->gap, sim->desc.length);
        } else if (D->gap <= least) break;

        /* how far both keep to their sides of the plane */
        d = -DC_R(0.5)*dc_dot(D->n, dc_add(D->pa, D->pb));
        c = DC_R(0.5)*(dci_sim_speed(a, D->n, D->pa) + dci_sim_speed(b, D->n, D->pb));
        s = dci_sim_advance(a, way->acceleration[0], A, D->n, d, c, most - t);
        s = dci_sim_advance(b, way->acceleration[1], B, dc_neg(D->n), -d, -c, s);
        if (s >= most - t) return most;
        t += s;
        dci_sim_moving(sim, way->link[0], way->top, path, t, a);
        dci_sim_moving(sim, way->link[1], way->top, path, t, b);
    }
    return t;
}

/* the pair of path->way ends it */
static void dci_sim_ends(const dci_sim_pair *p, dci_sim_path *path)
{
    dci_sim_end *end = &path->end;
    end->hull = p->hull_a;
    end->other = p->hull_b;
    end->gap = path->way->gap;
    end->distance = path->way->distance;
}

/* where the centre of a node of a tree is when the way begins */
static dc_v3 dci_sim_node_centre(const dci_sim_motion *m, const dc_bsh *tree, const dc_bsh_node *node)
{
    return dc_add(dc_mul(&m->rotation, dc_add(tree->o, node->c)), m->pose.t);
}

/* The same for two trees, whose hulls meet on the way: all pairs of triangles, but those whose nodes' spheres do
 * not. The larger of two nodes is opened, so that the stack grows by one a level. */
static DCI_NOINLINE dc_real dci_sim_trees_share(const dc_sim *sim, const dci_sim_pair *p, dc_real most, dc_arena *mem,
                                                dci_sim_path *path)
{
    const dci_sim_way *way = path->way;
    const dc_bsh *ta = sim->link[p->link_a].tree, *tb = sim->link[p->link_b].tree;
    const size_t used = mem->used, room = 2*((size_t)ta->depth + (size_t)tb->depth + 2);
    int n = 1, *stack = (int *)dc_arena_take(mem, room, sizeof *stack);

    if (!stack) return 0;
    stack[0] = stack[1] = 0;
    while (n > 0 && most > 0) {
        int ia = stack[2*--n], ib = stack[2*n + 1];
        const dc_bsh_node *A = ta->node + ia, *B = tb->node + ib;
        dc_v3 d = dc_sub(dci_sim_node_centre(way->from, ta, A), dci_sim_node_centre(way->from + 1, tb, B));

        /* too far apart to meet */
        if (dc_sqrt(dc_dot(d, d)) - (1 + 16*DC_EPS)*(A->R + B->R) > most*(way->speed[0] + way->speed[1])) continue;

        /* two triangles */
        if (A->left < 0 && B->left < 0) {
            dc_hull a = dci_sim_triangle(sim, p->hull_a, A->triangle);
            dc_hull b = dci_sim_triangle(sim, p->hull_b, B->triangle);
            dc_real share = dc_max(dci_sim_hulls_share(sim, &a, &b, most, path), 0);
            if (share < most) dci_sim_ends(p, path);
            most = share;
            continue;
        }

        /* the children of the larger */
        if (B->left < 0 || (A->left >= 0 && A->R >= B->R)) {
            stack[2*n] = A->left;
            stack[2*n + 2] = A->right;
            stack[2*n + 1] = stack[2*n + 3] = ib;
        } else {
            stack[2*n] = stack[2*n + 2] = ia;
            stack[2*n + 1] = B->left;
            stack[2*n + 3] = B->right;
        }
        n += 2;
    }
    mem->used = used;
    return most;
}

/* the same for hulls i and j, which have `room` between them */
static dc_real dci_sim_pair_share(const dci_sim_place *place, int i, int j, dc_real room, dc_real most, dc_arena *mem,
                                  dci_sim_path *path)
{
    const dc_sim *sim = place->sim;
    const dci_sim_pair p = dci_sim_pair_of(sim, i, j);
    dc_hull A = dci_sim_hull_of(sim, p.hull_a), B = dci_sim_hull_of(sim, p.hull_b);
    dci_sim_way *way = path->way;
    dc_real share, both;
    int c;

    /* who, and how fast */
    way->link[0] = p.link_a;
    way->link[1] = p.link_b;
    way->top = dci_sim_common(sim, p.link_a, p.link_b);
    for (c = 0; c < 2; ++c) {
        const int hull = c ? p.hull_b : p.hull_a;
        way->speed[c] = path->speed[hull];
        way->acceleration[c] = path->acceleration[hull];
        if (way->top >= 0) dci_sim_hull_bounds(sim, hull, way->top, path, way->speed + c, way->acceleration + c);
    }
    both = way->speed[0] + way->speed[1];
    if (both <= 0 || DC_R(0.8)*room > most*both || dci_sim_apart(place, p.hull_a, p.hull_b) > most*both) return most;

    for (c = 0; c < 2; ++c) dci_sim_seen_from(place, path, way->link[c], way->top, way->from + c);
    share = dci_sim_hulls_share(sim, &A, &B, most, path);

    /* the way into a hull may lead through a hole */
    if (share < most && sim->desc.trees) return dci_sim_trees_share(sim, &p, most, mem, path);
    if (share < most) dci_sim_ends(&p, path);
    return dc_max(share, 0);
}

/* the same for hull k at plane p */
static DCI_NOINLINE dc_real dci_sim_plane_share(const dci_sim_place *place, int k, int p, dc_real most,
                                                dci_sim_path *path)
{
    const dc_sim *sim = place->sim;
    const dc_sim_plane *plane = sim->plane + p;
    dc_hull A = dci_sim_hull_of(sim, k);
    dci_sim_motion *m = path->way->at;
    dc_real t = 0, least = 0, start = 0, s, room;
    int turn, j;

    dci_sim_seen_from(place, path, sim->hull[k].link, -1, m);
    for (turn = 0; turn < DCI_SIM_TURNS; ++turn) {
        if (turn > 0) dci_sim_moving(sim, sim->hull[k].link, -1, path, t, m);
        for (room = DC_REAL_MAX, j = 0; j < A.n; ++j)
            room = dc_min(room, dc_dot(plane->n, dc_add(dc_mul(&m->rotation, A.v[j]), m->pose.t)) + plane->d);
        room -= A.radius;
        if (turn == 0) {
            start = room;
            least = DC_R(0.1)*dc_min(room, sim->desc.length);
        } else if (room <= least) break;

        /* how far it keeps to its side */
        s = dci_sim_advance(m, path->acceleration[k], &A, plane->n, plane->d, 0, most - t);
        if (s >= most - t) return most;
        t += s;
    }
    path->end.hull = k;
    path->end.other = -1 - p;
    path->end.gap = start;
    return t;
}

/* What a body turns by in one of Newton's steps, rad, at most. The parabola of a turn tells of O up to about that:
 * beyond, a body finds minima of O that are half a turn away, with energy that nobody gave it, or turns round and round
 * about its thin axis. 2, 1, 0.5, 0.25 rad: 5, 3, 1, 5 of 180000 steps at the cap. */
#define DCI_SIM_TURN DC_R(0.5)

/* the share of the way within the limits of joints, and of turns, so that the corners of the path tell the way */
static DCI_NOINLINE dc_real dci_sim_joint_share(const dc_sim *sim, const dci_sim_path *path)
{
    dc_real most = 1;
    int i;

    for (i = 0; i < sim->links; ++i) {
        const dc_sim_link *l = sim->link + i;
        const dc_real *x = path->q + sim->q_at[i], *d = path->dq + sim->v_at[i];
        if (dci_sim_rotates(l->joint)) {
            dc_v3 w = dci_sim_v3(d + dci_sim_turn_at(l->joint));
            if (dc_dot(w, w) > DCI_SIM_TURN*DCI_SIM_TURN) most = dc_min(most, DCI_SIM_TURN/dc_sqrt(dc_dot(w, w)));
        }
        if (!(l->lo < l->hi) || !dci_sim_single(l->joint)) continue;
        most = dci_sim_until(DC_R(0.9)*(x[0] - l->lo), d[0], 0, most);
        most = dci_sim_until(DC_R(0.9)*(l->hi - x[0]), -d[0], 0, most);
    }
    return most;
}

/* what the evaluation at the iterate found between hulls a < b; 0: they were not looked at */
static dc_real dci_sim_room_between(const dci_sim_broad *broad, dci_sim_met *const *met, int a, int b)
{
    const dci_sim_met *m = met ? met[a] : NULL;
    while (m && m->b < b) m = m->next;
    return m && m->b == b && m->found == broad->sweeps ? m->room : 0;
}

/* Largest share of dq over which nothing is met, from the state q, where O is known with its derivatives. */
static DCI_NOINLINE dc_real dci_sim_safe_share(const dci_sim_energy *at, dci_sim_met *const *met, const dc_real *q,
                                               const dc_real *dq, dc_arena *mem, dci_sim_broad *broad,
                                               dci_sim_path *path)
{
    const dci_sim_place *place = &at->place;
    const dc_sim *sim = place->sim;
    dc_real most, room, fastest = 0;
    int k, p;

    path->q = q;
    path->dq = dq;
    path->end.hull = -1;
    most = dci_sim_joint_share(sim, path);

    /* Between hulls that feel each other is a plane at least `gap` from both, between others the reach of the barrier,
     * two supports and more: nobody who goes less meets anybody. */
    for (k = 0; k < sim->hulls; ++k) {
        dci_sim_hull_bounds(sim, k, -1, path, path->speed + k, path->acceleration + k);
        fastest = dc_max(fastest, path->speed[k]);
    }
    room = dc_min(at->gap, dci_sim_reach(sim, 1));
    if (!sim->desc.trees && at->doubt == 0 && most*fastest < DC_R(0.8)*room) return most;

    /* planes */
    dci_sim_velocities(place, path);
    for (k = 0; k < sim->hulls; ++k) {
        const dc_sim_hull *hull = sim->hull + k;
        for (p = 0; p < sim->planes && hull->tree == sim->desc.trees && path->speed[k] > 0; ++p) {
            const dc_sim_plane *plane = sim->plane + p;
            if (dc_dot(plane->n, dci_sim_centre(place, k)) + plane->d - hull->radius > most*path->speed[k]) continue;
            most = dci_sim_plane_share(place, k, p, most, path);
        }
        broad->grow[k] = most*path->speed[k];
    }

    /* pairs: growing by its speed, a hull's sphere holds all its way */
    dci_sim_begin_sweep(place, broad);
    while (dci_sim_next_pair(sim, broad, &k, &p))
        most = dci_sim_pair_share(place, k, p, dci_sim_room_between(broad, met, k, p), most, mem, path);
    return most;
}

/* ---- [open] memory of a step, and what does not change during it ------------------------------ */
/* in: states at t - h and t, control; out: a workspace in the arena.
 *
 * stage              | reads                 | writes                 | equation
 * dci_sim_take_work  | counts of the model   | arrays                 |
 * dci_sim_inert      | places at t - h and t | Y, force of the motion | SDRS Eq. 2, 3
 * dci_sim_load_hulls | place at t            | friction, planes       | SDRS Eq. 8 */

/* both places' axes in one piece */
static void dci_sim_take_energy(const dc_sim *sim, size_t axes, dci_room *room, dci_sim_energy *at,
                                dci_sim_place *there)
{
    dci_sim_take_place(sim, room, &at->place);
    dci_sim_take_place(sim, room, there);
    at->place.axis = DCI_TAKE(room, 2*axes, dci_sim_axis);
    there->axis = at->place.axis ? at->place.axis + axes : NULL;
    at->sums.load = DCI_TAKE(room, sim->links, dci_sim_carried);
    at->sums.bracket = DCI_TAKE(room, axes, dc_v3);
}

static void dci_sim_take_friction(const dc_sim *sim, dci_room *room, dci_sim_friction *friction)
{
    if (sim->desc.trees) {
        friction->contact = DCI_TAKE(room, sim->desc.contacts, dc_bsh_contact);
        friction->contact_load = DCI_TAKE(room, sim->desc.contacts, dc_friction_load);
        friction->begin = DCI_TAKE(room, sim->pairs + 1, int);
    }
}

/* broad phase and continuous collision */
static void dci_sim_take_path(const dc_sim *sim, dci_room *room, dci_sim_broad *broad, dci_sim_path *path)
{
    broad->centre = DCI_TAKE(room, 2*(size_t)sim->hulls, dc_v3);
    broad->swept = broad->centre ? broad->centre + sim->hulls : NULL;
    broad->order = DCI_TAKE(room, sim->hulls, int);
    path->velocity = DCI_TAKE(room, 2*(size_t)sim->links, dc_v3);
    path->spin = path->velocity ? path->velocity + sim->links : NULL;
    path->way = DCI_TAKE(room, 1, dci_sim_way);
}

/* `count` numbers, from *x on */
static dc_real *dci_sim_next(dc_real **x, size_t count)
{
    dc_real *here = *x;
    *x += count;
    return here;
}

/* all numbers of a workspace, in one piece: many takes would be felt in small scenes */
static void dci_sim_take_numbers(const dc_sim *sim, dci_room *room, dci_sim_work *W)
{
    const size_t n = (size_t)sim->links, nv = (size_t)sim->nv, nq = (size_t)sim->nq, hulls = (size_t)sim->hulls;
    const size_t vectors = 7 + 2*DCI_SIM_DEMANDS, dense = sim->pieces == 1 ? nv*nv : 0;
    size_t own = 0;
    dci_sim_direction *direction = &W->direction;
    dc_real *x;
    int k;

    for (k = 0; k < sim->pieces; ++k) own += (size_t)dci_sim_width(sim, k)*(size_t)dci_sim_width(sim, k);
    x = DCI_TAKE(room, 72*n + own + dense + vectors*nv + 3*nq + 4*hulls, dc_real);
    if (!x) return;

    /* of links */
    W->problem.inert = dci_sim_next(&x, 12*n);
    W->at.sums.inertia = dci_sim_next(&x, 6*n);
    W->at.sums.contact = dci_sim_next(&x, 6*n);
    W->at.sums.form = dci_sim_next(&x, 36*n);
    W->at.sums.carried = dci_sim_next(&x, 12*n);

    /* of coordinates */
    W->at.hessian.own = W->factor.vector = dci_sim_next(&x, own);
    W->factor.lower = dci_sim_next(&x, dense);
    W->at.grad = dci_sim_next(&x, nv);
    W->factor.measure = dci_sim_next(&x, nv);
    W->factor.eigenvalue = dci_sim_next(&x, nv);
    W->factor.turned = dci_sim_next(&x, nv);
    direction->newton = dci_sim_next(&x, nv);
    direction->dq = dci_sim_next(&x, nv);
    for (k = 0; k < DCI_SIM_DEMANDS; ++k) {
        direction->demand[k].row = dci_sim_next(&x, nv);
        direction->demand[k].answer = dci_sim_next(&x, nv);
    }
    W->iterate.step = dci_sim_next(&x, nv);
    W->iterate.q = dci_sim_next(&x, nq);
    W->iterate.trial = dci_sim_next(&x, nq);
    W->iterate.saved = dci_sim_next(&x, nq);

    /* of hulls */
    W->broad.grow = dci_sim_next(&x, hulls);
    W->broad.low = dci_sim_next(&x, hulls);
    W->path.speed = dci_sim_next(&x, hulls);
    W->path.acceleration = dci_sim_next(&x, hulls);
}

/* the blocks of the Hessian, and what of their factor does not depend on how many they are */
static void dci_sim_take_blocks(const dc_sim *sim, dci_room *room, dci_sim_hessian *H, dci_sim_factor *factor)
{
    const size_t n = (size_t)sim->pieces;
    dci_sim_sparse *fill = &factor->fill;
    size_t at = 0;
    int k;

    H->own_at = DCI_TAKE(room, n, size_t);
    for (k = 0; H->own_at && k < sim->pieces; ++k) {
        H->own_at[k] = at;
        at += (size_t)dci_sim_width(sim, k)*(size_t)dci_sim_width(sim, k);
    }
    if (n == 1) {
        factor->first = DCI_TAKE(room, sim->nv, int);
        return;
    }
    H->row = DCI_TAKE(room, n, dci_sim_block *);
    for (k = 0; H->row && k < sim->pieces; ++k) H->row[k] = NULL;
    fill->words = (sim->pieces + 31)/32;
    fill->known = -1;
    fill->bits = DCI_TAKE(room, n*(size_t)fill->words, uint32_t);
    fill->order = DCI_TAKE(room, 3*n, int);
    fill->rank = fill->order ? fill->order + n : NULL;
    fill->degree = fill->order ? fill->rank + n : NULL;
}

/* the most that blocks and their factor take, in a state in which all pieces touch */
static size_t dci_sim_block_bytes(const dc_sim *sim)
{
    const size_t n = (size_t)sim->pieces, nv = (size_t)sim->nv;
    size_t own = 0, between, sum;
    int k;
    if (n <= 1) return 0;
    for (k = 0; k < sim->pieces; ++k) own += (size_t)dci_sim_width(sim, k)*(size_t)dci_sim_width(sim, k);
    between = (nv*nv - own)/2;
    sum = dc_bytes(0, n*(n - 1)/2, sizeof(dci_sim_block) + DC_ALIGN);
    sum = dc_bytes(sum, 2*between + own, sizeof(dc_real));
    sum = dc_bytes(sum, n*(n - 1)/2 + 2*n + 1, sizeof(int));
    return dc_bytes(sum, n, sizeof(dc_real *));
}

/* the arrays of a workspace */
static void dci_sim_take_work(const dc_sim *sim, int attachments, dci_room *room, dci_sim_work *W)
{
    const size_t axes = dci_sim_axis_count(sim, attachments);
    dci_sim_take_place(sim, room, &W->problem.before);
    dci_sim_take_friction(sim, room, &W->problem.friction);
    W->problem.met = DCI_TAKE(room, sim->hulls, dci_sim_met *);
    dci_sim_take_energy(sim, axes, room, &W->at, &W->there);
    if (sim->desc.trees) W->trees.model = DCI_TAKE(room, sim->pairs, dci_sim_model);
    dci_sim_take_path(sim, room, &W->broad, &W->path);
    W->scratch.jet = DCI_TAKE(room, 2, dci_sim_jet);
    W->scratch.seen = sim->desc.trees ? DCI_TAKE(room, 1, dc_bsh_info) : NULL;
    dci_sim_take_blocks(sim, room, &W->at.hessian, &W->factor);
    dci_sim_take_numbers(sim, room, W);
}

/* Slots for the planes of triangle pairs that are near each other. These are about the points of contact: of round
 * bodies of n triangles as many as sqrt n says, 160 sqrt n a link among the balls of LRI's billiards. */
static int dci_sim_slots(const dc_sim *sim)
{
    dc_real sum = 1;
    int i;
    for (i = 0; i < sim->links; ++i)
        if (sim->link[i].tree) sum += 256*dc_sqrt((dc_real)sim->link[i].tree->n);
    return (int)dc_min(sum, DC_R(131072.0));
}

/* bytes of dci_sim_open */
static size_t dci_sim_open_bytes(const dc_sim *sim, int attachments)
{
    const size_t cross = attachments ? sizeof(dci_sim_cross) + DC_ALIGN : 0;
    dci_room room = DC_ZERO;
    dci_sim_work unread;
    size_t sum;
    int i, k;

    dci_sim_take_work(sim, attachments, &room, &unread);
    sum = dc_bytes(room.bytes, 1, sizeof unread);
    sum = dc_bytes(sum, dci_sim_block_bytes(sim), 1);
    sum = dc_bytes(sum, 2*(size_t)sim->planes*((size_t)sim->vertices + (size_t)sim->corners), sizeof(dc_friction_dual));
    if (sim->desc.trees) {
        sum = dc_bytes(sum, (size_t)sim->pairs, cross);
        sum = dc_bytes(sum, 1, dc_bsh_cache_bytes(dci_sim_slots(sim)));
        return dc_bytes(sum, (size_t)sim->desc.contacts, dc_friction_load_bytes(3, 3));
    }

    /* pairs of hulls: those that may touch, of very many simply all */
    if (sim->hulls > 4096) {
        const size_t hulls = (size_t)sim->hulls;
        const size_t load = dc_bytes(sizeof(dci_sim_met) + cross, 1, sizeof(dc_friction_load) + 2*DC_ALIGN);
        return dc_bytes(sum, hulls*(hulls - 1)/2, dc_bytes(load, dc_friction_load_bytes(sim->most, sim->most), 1));
    }
    for (i = 0; i < sim->hulls; ++i)
        for (k = 0; k < i; ++k) {
            if (!dci_sim_hulls_touch(sim, k, i)) continue;
            sum = dc_bytes(sum, 1, sizeof(dci_sim_met));
            sum = dc_bytes(sum, 1, cross);
            sum = dc_bytes(sum, 1, sizeof(dc_friction_load));
            sum = dc_bytes(sum, dc_friction_load_bytes(sim->hull[k].n, sim->hull[i].n), 1);
        }
    return sum;
}

/* scratch for pairs of trees: an evaluation, or the stack of dci_sim_trees_share */
static size_t dci_sim_tree_bytes(const dc_sim *sim)
{
    const dc_bsh *deepest = NULL;
    size_t sum, stack;
    int i;
    for (i = 0; i < sim->links; ++i)
        if (sim->link[i].tree && (!deepest || sim->link[i].tree->depth > deepest->depth)) deepest = sim->link[i].tree;
    if (!deepest) return 0;
    sum = dc_bsh_eval_bytes(deepest, deepest);
    stack = dc_bytes(0, 4*((size_t)deepest->depth + 1), sizeof(int));
    return sum > stack ? sum : stack;
}

/* the most that one pair, or the eigenvalues, take */
static size_t dci_sim_scratch_bytes(const dc_sim *sim)
{
    const int most = sim->desc.trees ? 3 : sim->most;
    size_t need[4], sum = 0;
    int k;
    need[0] = dc_psd_clamp_bytes(12);
    need[1] = sim->pieces > 1 ? 0 : dc_eigsym_bytes(sim->nv > 0 ? sim->nv : 1);
    need[2] = sim->meets ? dc_friction_bytes(most, most) : 0;
    need[3] = need[2] == 0 ? 0 : sim->desc.trees ? dci_sim_tree_bytes(sim) : dc_pair_bytes(most, most);
    for (k = 0; k < 4; ++k) sum = need[k] > sum ? need[k] : sum;
    return sum;
}

/* A state that can be worked with: finite, in range, quaternions near unit ones. */
static DCI_NOINLINE int dci_sim_state_ok(const dc_sim *sim, const dc_real *q)
{
    int i, k;
    for (k = 0; k < sim->nq; ++k)
        if (!(dc_abs(q[k]) <= DC_LIMIT)) return 0;
    for (i = 0; i < sim->links; ++i)
        if (dci_sim_rotates(sim->link[i].joint)) {
            dc_pose p = dci_sim_identity();
            p.q = dci_sim_q4(q + sim->q_at[i]);
            if (!dc_pose_ok(&p)) return 0;
        }
    return 1;
}

static DCI_NOINLINE int dci_sim_control_ok(const dc_sim *sim, const dc_sim_control *u)
{
    int k;
    if (!u) return 1;
    if (u->target && !dci_sim_state_ok(sim, u->target)) return 0;
    for (k = 0; k < sim->nv; ++k)
        if (!(dc_abs(dci_sim_at(u->velocity, k)) <= DC_LIMIT) || !(dc_abs(dci_sim_at(u->force, k)) <= DC_LIMIT))
            return 0;
    return 1;
}

/* Y of link i (SDRS Eq. 2, 3), and the force that its motion is; prev: the place at t - h */
static DCI_NOINLINE void dci_sim_inert(dci_sim_problem *problem, const dci_sim_place *prev, int i)
{
    const dc_sim *sim = problem->sim;
    dc_real T[12], D[12], w[6], *Y = problem->inert + 12*i, h = sim->desc.h;
    int k;

    dci_sim_matrix(&problem->before, i, T);
    dci_sim_matrix(prev, i, D);
    for (k = 0; k < 12; ++k) Y[k] = T[k] + (T[k] - D[k]);
    Y[3] += h*h*sim->desc.gravity.x;
    Y[7] += h*h*sim->desc.gravity.y;
    Y[11] += h*h*sim->desc.gravity.z;

    for (k = 0; k < 12; ++k) D[k] = Y[k] - T[k];
    dci_sim_wrench(D, sim->moment + 16*i, problem->before.rotation + i, 1/(h*h), w);
    problem->motion = dc_max(problem->motion, dci_sim_size(w));
}

/* Friction of hulls at time t, and the planes from which the searches of the step start. */
static dc_status dci_sim_load_hulls(dci_sim_work *W)
{
    dci_sim_problem *problem = &W->problem;
    const int most = problem->sim->most;
    int i;

    if (!dci_sim_broad_phase(&problem->before, W->scratch.mem, &W->broad, problem->met)) return DC_E_MEMORY;
    for (i = 0; i < problem->sim->hulls; ++i) {
        dci_sim_met *met;
        for (met = problem->met[i]; met; met = met->next) {
            const size_t load = dc_bytes(W->scratch.mem->used, 1, sizeof(dc_friction_load));
            dc_status s = dci_sim_load(problem, met, W->scratch.mem);
            W->most = dc_bytes(load, dc_friction_load_bytes(most, most), 1);
            if (s == DC_OK) continue;
            dci_sim_stop(met->a, met->b, s, &W->at);
            return s;
        }
    }
    return DC_OK;
}

/* memory for the forces of vertices at planes that held them at time t; none of them is known */
static DCI_NOINLINE dc_status dci_sim_take_duals(const dci_sim_problem *problem, dc_arena *mem, dci_sim_duals *duals)
{
    const dc_sim *sim = problem->sim;
    int k, p, j;

    duals->touches = 0;
    for (k = 0; k < sim->hulls; ++k)
        for (p = 0; p < sim->planes; ++p) {
            const dc_sim_hull *hull = sim->hull + k;
            dci_sim_seen seen;
            if (!dci_sim_near_plane(problem, &problem->before, k, p, &seen)) continue;
            for (j = 0; j < hull->n; ++j) {
                const dc_real slack = dci_sim_slack(&seen.before, hull, sim->vertex[hull->begin + j]);
                dc_real slope, unread;
                dci_sim_barrier(sim->desc.global, sim->desc.support, slack/sim->desc.length, &slope, &unread);
                duals->touches += slope < 0;
            }
        }
    duals->known = 0;
    duals->share = 1;
    duals->kept = (dc_friction_dual *)dc_arena_take(mem, 2*(size_t)duals->touches, sizeof(dc_friction_dual));
    if (!duals->kept) return DC_E_MEMORY;
    duals->tried = duals->kept + duals->touches;
    memset(duals->kept, 0, 2*(size_t)duals->touches*sizeof(dc_friction_dual));
    return DC_OK;
}

/* the same of trees: of all links, or of those with coefficients; no model is known, nor a plane */
static dc_status dci_sim_load_trees(dci_sim_work *W, int all)
{
    const dc_sim *sim = W->problem.sim;
    dc_status s = dc_bsh_cache_make(dci_sim_slots(sim), W->scratch.mem, &W->scratch.planes);
    int k;
    if (s != DC_OK) return s;
    W->scratch.warm = 1;
    for (k = 0; k < sim->pairs; ++k) {
        dci_sim_model *model = W->trees.model + k;
        model->known = model->curved = model->flat = 0;
    }
    s = dci_sim_load_contacts(&W->problem, all, &W->scratch, &k);
    if (s != DC_OK) dci_sim_stop(sim->pair[2*k], sim->pair[2*k + 1], s, &W->at);
    return s;
}

/* Takes a workspace and computes what does not change during a step; `all_friction`: also where coefficients are 0, as
 * far as derivatives by them ask for it. DC_E_OVERLAP with W->at.hull_a, hull_b. */
static DCI_NOINLINE dc_status dci_sim_open(const dc_sim *sim, const dc_real *q_prev, const dc_real *q,
                                           const dc_sim_control *control, int attachments, int all_friction,
                                           dc_arena *mem, dci_sim_work **out)
{
    dci_sim_work *W = (dci_sim_work *)dc_arena_take(mem, 1, sizeof *W);
    dci_room room = DC_ZERO;
    dci_sim_problem *problem;
    int i;

    /* memory */
    if (!W) return DC_E_MEMORY;
    memset(W, 0, sizeof *W);
    room.arena = mem;
    dci_sim_take_work(sim, attachments, &room, W);
    if (room.full) return DC_E_MEMORY;
    W->scratch.mem = mem;
    *out = W;

    problem = &W->problem;
    problem->sim = sim;
    problem->control = control;
    problem->q_prev = q_prev;
    problem->q = q;
    problem->pair.barrier = sim->desc.global || sim->desc.trees ? DC_GLOBAL : DC_LOCAL;
    problem->pair.s = sim->desc.support;
    problem->pair.length = sim->desc.length;

    for (i = 0; i < sim->hulls; ++i) problem->met[i] = NULL;
    dci_sim_forward(q, &problem->before);
    dci_sim_forward(q_prev, &W->there);
    for (i = 0; i < sim->links; ++i) {
        const dc_v3 t = problem->before.pose[i].t;
        if (!(dc_max(dc_abs(t.x), dc_max(dc_abs(t.y), dc_abs(t.z))) <= DC_LIMIT)) return DC_E_RANGE;
        dci_sim_inert(problem, &W->there, i);
    }
    return sim->desc.trees ? dci_sim_load_trees(W, all_friction) : dci_sim_load_hulls(W);
}

/* ---- [blocks] Cholesky's factor of a Hessian in blocks ----------------------------------------- */
/* in: a Hessian of several pieces; out: H + shift D = L L^T, by columns of blocks.
 *
 * stage                  | reads               | writes
 * dci_sim_find_order     | which blocks are    | order, the rows of every column
 * dci_sim_take_factor    | order, rows         | memory of the columns
 * dci_sim_fill_columns   | H, shift            | columns
 * dci_sim_factor_blocks  | all of these        | L: from column to column a Cholesky factor, the rows below, updates
 * dci_sim_update_columns | a column that is done | the columns of its rows
 * dci_sim_solve_blocks   | L                   | x <- (L L^T)^-1 x */

/* the pieces that have a block with `piece` and are still there, and their coordinates */
static int dci_sim_degree(const dc_sim *sim, const dci_sim_sparse *fill, int piece)
{
    const uint32_t *row = fill->bits + (size_t)piece*(size_t)fill->words;
    int sum = 0, w, k;
    for (w = 0; w < fill->words; ++w) {
        uint32_t left = row[w];
        for (k = 32*w; left; ++k, left >>= 1) if (left & 1) sum += dci_sim_width(sim, k);
    }
    return sum;
}

static void dci_sim_join(dci_sim_sparse *fill, int a, int b)
{
    fill->bits[(size_t)a*(size_t)fill->words + (size_t)b/32] |= (uint32_t)1 << b%32;
    fill->bits[(size_t)b*(size_t)fill->words + (size_t)a/32] |= (uint32_t)1 << a%32;
}

/* Piece p goes: those it has a block with have one with each other from then on. Its own bits stay as they are, the
 * rows of its column. */
static void dci_sim_eliminate(const dc_sim *sim, int p, dci_sim_sparse *fill)
{
    const size_t words = (size_t)fill->words;
    const uint32_t *row = fill->bits + (size_t)p*words;
    size_t w, v;

    for (w = 0; w < words; ++w) {
        uint32_t left = row[w];
        int k;
        for (k = 32*(int)w; left; ++k, left >>= 1) {
            uint32_t *other = fill->bits + (size_t)k*words;
            if (!(left & 1)) continue;
            for (v = 0; v < words; ++v) other[v] |= row[v];
            other[k/32] &= ~((uint32_t)1 << k%32);
            other[p/32] &= ~((uint32_t)1 << p%32);
            fill->degree[k] = dci_sim_degree(sim, fill, k);
        }
    }
}

/* The order of least degree, the first of equals, for the blocks that there are. */
static DCI_NOINLINE void dci_sim_find_order(const dc_sim *sim, const dci_sim_hessian *H, dci_sim_sparse *fill)
{
    const int n = sim->pieces;
    int k, step;

    memset(fill->bits, 0, (size_t)n*(size_t)fill->words*sizeof *fill->bits);
    for (k = 0; k < n; ++k) {
        const dci_sim_block *block;
        for (block = H->row[k]; block; block = block->next) dci_sim_join(fill, k, block->column);
        fill->rank[k] = n;
    }
    for (k = 0; k < n; ++k) fill->degree[k] = dci_sim_degree(sim, fill, k);
    for (step = 0; step < n; ++step) {
        int best = -1;
        for (k = 0; k < n; ++k)
            if (fill->rank[k] == n && (best < 0 || fill->degree[k] < fill->degree[best])) best = k;
        fill->order[step] = best;
        fill->rank[best] = step;
        dci_sim_eliminate(sim, best, fill);
    }
    fill->known = H->blocks;
}

/* Memory for the factor: the rows of all columns and their numbers, zero. 0: there is none. */
static DCI_NOINLINE int dci_sim_take_factor(const dc_sim *sim, dc_arena *mem, dci_sim_sparse *fill)
{
    const int n = sim->pieces;
    size_t entries = 0, rows = 0;
    dc_real *x;
    int c, k, w, count = 0;

    /* how much */
    fill->column = (dc_real **)dc_arena_take(mem, (size_t)n, sizeof *fill->column);
    fill->first = (int *)dc_arena_take(mem, 2*(size_t)n + 1, sizeof(int));
    for (c = 0; c < n; ++c) {
        const uint32_t *row = fill->bits + (size_t)c*(size_t)fill->words;
        const size_t width = (size_t)dci_sim_width(sim, c);
        for (w = 0; w < fill->words; ++w) {
            uint32_t left = row[w];
            for (; left; left >>= 1) rows += left & 1;
        }
        entries += width*(width + (size_t)fill->degree[c]);
    }
    fill->list = (int *)dc_arena_take(mem, rows, sizeof(int));
    x = (dc_real *)dc_arena_take(mem, entries, sizeof *x);
    if (!fill->column || !fill->first || !fill->list || !x) return 0;
    fill->row = fill->first + n + 1;
    dci_sim_zero(x, entries);

    /* the rows of each column in the order of their turns */
    for (c = 0; c < n; ++c) {
        const int p = fill->order[c];
        const uint32_t *row = fill->bits + (size_t)p*(size_t)fill->words;
        fill->first[c] = count;
        for (w = 0; w < fill->words; ++w) {
            uint32_t left = row[w];
            for (k = 32*w; left; ++k, left >>= 1) if (left & 1) fill->list[count++] = fill->rank[k];
        }
        dci_sim_sort(fill->list + fill->first[c], count - fill->first[c], NULL);
        fill->column[c] = x;
        x += (size_t)dci_sim_width(sim, p)*(size_t)(dci_sim_width(sim, p) + fill->degree[p]);
    }
    fill->first[n] = count;
    return 1;
}

/* where the rows of column c begin, counted in coordinates from its own block on */
static void dci_sim_find_rows(const dc_sim *sim, int c, dci_sim_sparse *fill)
{
    int k, at = dci_sim_width(sim, fill->order[c]);
    fill->row[c] = 0;
    for (k = fill->first[c]; k < fill->first[c + 1]; ++k) {
        fill->row[fill->list[k]] = at;
        at += dci_sim_width(sim, fill->order[fill->list[k]]);
    }
}

/* The Hessian, shifted along the measure, into the columns of the factor. */
static DCI_NOINLINE void dci_sim_fill_columns(const dc_sim *sim, const dci_sim_hessian *H, dc_real shift,
                                              const dc_real *measure, dci_sim_sparse *fill)
{
    const dci_sim_block *block;
    int k, i, j;

    for (k = 0; k < sim->pieces; ++k) {
        const int width = dci_sim_width(sim, k);
        dc_real *own = fill->column[fill->rank[k]];
        memcpy(own, H->own + H->own_at[k], (size_t)width*(size_t)width*sizeof *own);
        for (i = 0; i < width; ++i) own[i*width + i] += shift*measure[sim->piece_at[k] + i];
    }

    /* a block is in the column of that of its pieces which goes first */
    for (k = 0; k < sim->pieces; ++k)
        for (block = H->row[k]; block; block = block->next) {
            const int turned = fill->rank[k] < fill->rank[block->column], c = turned ? k : block->column;
            const int r = turned ? block->column : k, width = dci_sim_width(sim, c), rows = dci_sim_width(sim, r);
            dc_real *to;
            dci_sim_find_rows(sim, fill->rank[c], fill);
            to = fill->column[fill->rank[c]] + (size_t)fill->row[fill->rank[r]]*(size_t)width;
            for (i = 0; i < rows; ++i)
                for (j = 0; j < width; ++j)
                    to[i*width + j] = turned ? block->entry[j*rows + i] : block->entry[i*width + j];
        }
}

/* T -= X Y^T,  X rows x n, Y columns x n */
static void dci_sim_lower(dc_real *DCI_RESTRICT T, const dc_real *X, int rows, const dc_real *Y, int columns, int n)
{
    int i, j, k;
    for (i = 0; i < rows; ++i, T += columns, X += n) {
        const dc_real *y = Y;
        for (j = 0; j < columns; ++j, y += n) {
            dc_real sum = T[j];
            for (k = 0; k < n; ++k) sum -= X[k]*y[k];
            T[j] = sum;
        }
    }
}

/* the same of three free bodies: Y is turned, so that its columns lie side by side */
static void dci_sim_lower_six(dc_real *DCI_RESTRICT T, const dc_real *DCI_RESTRICT X,
                              const dc_real *DCI_RESTRICT turned)
{
    int i, j, k;
    for (i = 0; i < 6; ++i) {
        dc_real sum[6];
        for (j = 0; j < 6; ++j) sum[j] = T[6*i + j];
        for (k = 0; k < 6; ++k)
            for (j = 0; j < 6; ++j) sum[j] -= X[6*i + k]*turned[6*k + j];
        for (j = 0; j < 6; ++j) T[6*i + j] = sum[j];
    }
}

/* What column c, done, takes from the columns of its rows: row i and row j of it from their block. */
static DCI_NOINLINE void dci_sim_update_columns(const dc_sim *sim, int c, dci_sim_sparse *fill)
{
    const int n = dci_sim_width(sim, fill->order[c]), *list = fill->list;
    const dc_real *Y = fill->column[c] + (size_t)n*(size_t)n;
    int i, j, k;

    for (j = fill->first[c]; j < fill->first[c + 1]; ++j) {
        const int to = list[j], columns = dci_sim_width(sim, fill->order[to]);
        const dc_real *X = Y;
        dc_real turned[36];
        if (n == 6 && columns == 6) for (k = 0; k < 36; ++k) turned[6*(k%6) + k/6] = Y[k];
        dci_sim_find_rows(sim, to, fill);
        for (i = j; i < fill->first[c + 1]; ++i) {
            const int rows = dci_sim_width(sim, fill->order[list[i]]);
            dc_real *T = fill->column[to] + (size_t)fill->row[list[i]]*(size_t)columns;
            if (n == 6 && columns == 6 && rows == 6) dci_sim_lower_six(T, X, turned);
            else dci_sim_lower(T, X, rows, Y, columns, n);
            X += (size_t)rows*(size_t)n;
        }
        Y += (size_t)columns*(size_t)n;
    }
}

/* x L^T = b in place, rows of n */
static void dci_sim_panel(const dc_real *L, int n, dc_real *x, int rows)
{
    int i, j, k;
    for (i = 0; i < rows; ++i, x += n)
        for (j = 0; j < n; ++j) {
            dc_real sum = x[j];
            for (k = 0; k < j; ++k) sum -= x[k]*L[j*n + k];
            x[j] = sum/L[j*n + j];
        }
}

/* H + shift measure = L L^T in blocks. DC_E_SINGULAR: it is not positive definite. */
static DCI_NOINLINE dc_status dci_sim_factor_blocks(const dc_sim *sim, const dci_sim_hessian *H, dc_real shift,
                                                    const dc_real *measure, dc_arena *mem, dci_sim_sparse *fill)
{
    int c;

    fill->used = mem->used;
    if (fill->known != H->blocks) dci_sim_find_order(sim, H, fill);
    if (!dci_sim_take_factor(sim, mem, fill)) {
        mem->used = fill->used;
        return DC_E_MEMORY;
    }
    dci_sim_fill_columns(sim, H, shift, measure, fill);
    for (c = 0; c < sim->pieces; ++c) {
        const int p = fill->order[c], n = dci_sim_width(sim, p);
        dc_real *own = fill->column[c];
        if (n == 0) continue;
        if (dc_chol_factor(n, own, n, NULL) != DC_OK) {
            mem->used = fill->used;
            return DC_E_SINGULAR;
        }
        dci_sim_panel(own, n, own + (size_t)n*(size_t)n, fill->degree[p]);
        dci_sim_update_columns(sim, c, fill);
    }
    return DC_OK;
}

/* x <- (L L^T)^-1 x */
static DCI_NOINLINE void dci_sim_solve_blocks(const dc_sim *sim, const dci_sim_sparse *fill, dc_real *x)
{
    int c, k, i, j;

    /* L x = b */
    for (c = 0; c < sim->pieces; ++c) {
        const int p = fill->order[c], n = dci_sim_width(sim, p);
        const dc_real *row = fill->column[c] + (size_t)n*(size_t)n;
        dc_real *own = x + sim->piece_at[p];
        dci_sim_panel(fill->column[c], n, own, 1);
        for (k = fill->first[c]; k < fill->first[c + 1]; ++k) {
            const int q = fill->order[fill->list[k]];
            for (i = sim->piece_at[q]; i < sim->piece_at[q + 1]; ++i, row += n)
                for (j = 0; j < n; ++j) x[i] -= row[j]*own[j];
        }
    }

    /* L^T x = b */
    for (c = sim->pieces - 1; c >= 0; --c) {
        const int p = fill->order[c], n = dci_sim_width(sim, p);
        const dc_real *L = fill->column[c], *row = L + (size_t)n*(size_t)n;
        dc_real *own = x + sim->piece_at[p];
        for (k = fill->first[c]; k < fill->first[c + 1]; ++k) {
            const int q = fill->order[fill->list[k]];
            for (i = sim->piece_at[q]; i < sim->piece_at[q + 1]; ++i, row += n)
                for (j = 0; j < n; ++j) own[j] -= row[j]*x[i];
        }
        for (j = n - 1; j >= 0; --j) {
            for (i = j + 1; i < n; ++i) own[j] -= L[i*n + j]*own[i];
            own[j] /= L[j*n + j];
        }
    }
}

/* ---- [factor] factors of the Hessian ---------------------------------------------------------- */
/* in: O at the iterate; out: a factor that is positive definite.
 *
 * stage               | reads               | writes
 * dci_sim_measure     | place               | the inertia's own diagonal
 * dci_sim_find_factor | Hessian             | Cholesky's, of the Hessian or of what takes its place
 * dci_sim_spectrum    | Hessian             | eigenvalues as magnitudes
 * dci_sim_trust       | how far a step went | how far the next one with magnitudes may go
 * dci_sim_solve       | factor              | H^-1 x */

/* |H| where Newton's steps have not settled after so many: from the start it leads astray more often. */
#define DCI_SIM_LATE 10

/* What inertia alone would have is an eigenvalue of about 1: no less than a thousandth of it. */
#define DCI_SIM_LEAST DC_R(1e-3)

/* the inertia's own diagonal, positive: what a shift is measured by; the links' forms are scratch */
static DCI_NOINLINE void dci_sim_measure(dci_sim_energy *at, dc_real *measure)
{
    const dci_sim_place *place = &at->place;
    const dc_sim *sim = place->sim;
    dc_real *form = at->sums.form;
    int i, k;

    for (i = 0; i < sim->links; ++i) {
        const dc_m3 *R = place->rotation + i;
        const dc_v3 r = dci_sim_arm(place, i);
        dc_real X[36] = {0};
        dci_sim_cross_inertia(sim->moment + 16*i, R, R, 1/(sim->desc.h*sim->desc.h), X);
        dci_sim_shift_block(r, r, X, 6, form + 36*i);
    }

    /* from the tips to the roots */
    for (i = sim->links - 1; i >= 0; --i) {
        const int up = sim->link[i].parent;
        dc_real m[6];
        for (k = sim->v_at[i]; k < sim->v_at[i] + dci_sim_nv(sim->link[i].joint); ++k) {
            dci_sim_times(form + 36*i, place->axis + k, m);
            measure[k] = dci_sim_power(place->axis + k, m);
        }
        for (k = 0; up >= 0 && k < 36; ++k) form[36*up + k] += form[36*i + k];
    }
}

/* The eigenvalues of H = D^1/2 V^T w V D^1/2 in the measure of the inertia's diagonal D, as magnitudes; V takes the
 * place of H. 0: not found. */
static DCI_NOINLINE int dci_sim_spectrum(int n, dc_arena *mem, dci_sim_factor *factor)
{
    const dc_real *D = factor->measure;
    dc_real *H = factor->vector, *scaled = factor->lower, *w = factor->eigenvalue;
    int i, j;
    for (i = 0; i < n; ++i)
        for (j = 0; j < n; ++j) scaled[i*n + j] = H[i*n + j]/dc_sqrt(D[i]*D[j]);
    if (dc_eigsym(n, scaled, n, w, H, n, mem) != DC_OK) return 0;
    for (i = 0; i < n; ++i) w[i] = dc_max(w[i] > 0 ? w[i] : -factor->negative*w[i], factor->least);
    return 1;
}

/* How steps with |H| went, by the share of the way that was taken and the gain over what the slope promised, tells how
 * far the next one may go: less where it overshot; more along negative eigenvalues where it gained more than the half
 * of a parabola. */
static void dci_sim_trust(dc_real share, dc_real gain, dci_sim_factor *factor)
{
    if (share < DC_R(0.25)) factor->least = dc_min(8*factor->least, 1);
    else if (share >= 1) factor->least = dc_max(factor->least/4, DCI_SIM_LEAST);
    if (share < 1) factor->negative = dc_min(2*factor->negative, 1);
    else if (gain > DC_R(0.6)) factor->negative = dc_max(factor->negative/2, DC_R(1.0/64));
}

/* to -= s x, which are apart: four at a time, so that it needs no proof of that to vectorise */
static void dci_sim_subtract(dc_real s, const dc_real *x, int n, dc_real *to)
{
    int k;
    for (k = 0; k + 4 <= n; k += 4) {
        const dc_real a = to[k] - s*x[k], b = to[k + 1] - s*x[k + 1];
        const dc_real c = to[k + 2] - s*x[k + 2], d = to[k + 3] - s*x[k + 3];
        to[k] = a;
        to[k + 1] = b;
        to[k + 2] = c;
        to[k + 3] = d;
    }
    for (; k < n; ++k) to[k] -= s*x[k];
}

/* H = L^T L in place, of the lower triangles. The last coordinate goes first, and so what a joint carries before the
 * joint: then branches of a tree stay zero beside each other, and bodies that feel nothing of each other. The diagonal
 * is that of 1/L. 0: not positive definite. */
static DCI_NOINLINE int dci_sim_factor_rows(int n, dc_real *L, int *first)
{
    dc_real *row = L;
    int i, j, k;

    for (i = 0; i < n; ++i, row += n) {
        for (k = 0; k < i && row[k] == 0; ++k) {}
        first[i] = k;
    }
    for (j = n - 1; j >= 0; --j) {
        const int begin = first[j];
        dc_real *to = L + (ptrdiff_t)begin*n, inverse;

        row -= n;
        if (!(row[j] > 0 && row[j] <= DC_REAL_MAX)) return 0;
        row[j] = inverse = 1/dc_sqrt(row[j]);
        for (k = begin; k < j; ++k) row[k] *= inverse;
        for (i = begin; i < j; ++i, to += n) {
            if (row[i] == 0) continue;
            dci_sim_subtract(row[i], row + begin, i + 1 - begin, to + begin);
            if (first[i] > begin) first[i] = begin;
        }
    }
    return 1;
}

/* x <- (L^T L)^-1 x */
static void dci_sim_solve_rows(int n, const dc_real *L, const int *first, dc_real *x)
{
    const dc_real *row = L + (ptrdiff_t)n*n;
    int j, k;

    for (j = n - 1; j >= 0; --j) {
        row -= n;
        x[j] *= row[j];
        dci_sim_subtract(x[j], row + first[j], j - first[j], x + first[j]);
    }
    for (j = 0; j < n; ++j, row += n) {
        dc_real sum = x[j];
        for (k = first[j]; k < j; ++k) sum -= row[k]*x[k];
        x[j] = sum*row[j];
    }
}

/* x <- H^-1 x; 0: not found */
static int dci_sim_solve(const dc_sim *sim, const dci_sim_factor *factor, dc_real *x)
{
    const dc_real *V = factor->vector, *D = factor->measure;
    const int n = sim->nv;
    dc_real *y = factor->turned;
    int i, k;

    if (sim->pieces > 1) {
        dci_sim_solve_blocks(sim, &factor->fill, x);
        return 1;
    }
    if (!factor->spectral) {
        dci_sim_solve_rows(n, factor->lower, factor->first, x);
        return dci_sim_finite(x, (size_t)n);
    }
    for (i = 0; i < n; ++i) y[i] = 0;
    for (k = 0; k < n; ++k) {
        dc_real c = 0;
        for (i = 0; i < n; ++i) c += V[k*n + i]*x[i]/dc_sqrt(D[i]);
        c /= factor->eigenvalue[k];
        for (i = 0; i < n; ++i) y[i] += c*V[k*n + i];
    }
    for (i = 0; i < n; ++i) x[i] = y[i]/dc_sqrt(D[i]);
    return 1;
}

/* Cholesky's factor of the Hessian, shifted along the measure. DC_E_SINGULAR: it is not positive definite. */
static dc_status dci_sim_cholesky(dci_sim_work *W, dc_real shift)
{
    const dc_sim *sim = W->problem.sim;
    const size_t nv = (size_t)sim->nv;
    dci_sim_factor *factor = &W->factor;
    size_t k;

    if (sim->pieces > 1)
        return dci_sim_factor_blocks(sim, &W->at.hessian, shift, factor->measure, W->scratch.mem, &factor->fill);
    factor->fill.used = W->scratch.mem->used;
    memcpy(factor->lower, W->at.hessian.own, nv*nv*sizeof *factor->lower);
    for (k = 0; k < nv; ++k) factor->lower[k*nv + k] += shift*factor->measure[k];
    return dci_sim_factor_rows(sim->nv, factor->lower, factor->first) ? DC_OK : DC_E_SINGULAR;
}

/* A factor of H, in scratch until dci_sim_drop_factor. Where H is not positive definite, the sum of its parts made
 * semidefinite one by one takes its place, without the curvature of the motion: what bends is left out, pairs of hulls
 * are clamped. What the joints' rotations may still lack is added along the inertia's diagonal, more and more until
 * there is a Cholesky factor. Late in a step |H| instead, of one piece. DC_E_DIVERGED: none found. */
static DCI_NOINLINE dc_status dci_sim_find_factor(dci_sim_work *W, dc_sim_info *info)
{
    const dc_sim *sim = W->problem.sim;
    dci_sim_factor *factor = &W->factor;
    dc_real shift = 0;
    int tries;

    factor->spectral = 0;
    for (tries = 0; tries < 40; ++tries) {
        const dc_status status = dci_sim_cholesky(W, shift);
        if (W->scratch.mem->used > W->most) W->most = W->scratch.mem->used;
        if (status == DC_OK) info->shifts += tries > 0;
        factor->whole = status == DC_OK && tries == 0;
        if (status == DC_OK || status == DC_E_MEMORY) return status;
        if (tries > 0) {
            shift = shift > 0 ? 4*shift : DC_R(0.01);
            continue;
        }
        if (!factor->measured) dci_sim_measure(&W->at, factor->measure);
        factor->measured = 1;
        if (sim->pieces == 1 && info->iterations >= DCI_SIM_LATE && dci_sim_spectrum(sim->nv, W->scratch.mem, factor)) {
            info->shifts++;
            factor->spectral = 1;
            return DC_OK;
        }
        dci_sim_eval_known(W, W->iterate.q, DCI_SIM_SEMIDEFINITE);
        if (W->at.status == DC_E_MEMORY) return DC_E_MEMORY;
    }
    return DC_E_DIVERGED;
}

static void dci_sim_drop_factor(dci_sim_work *W) { W->scratch.mem->used = W->factor.fill.used; }

/* ---- [direction] Newton's direction, bent to slide along contacts ----------------------------- */
/* in: O at the iterate, factor; out: a direction of descent, and the share of it over which nothing is met.
 *
 * stage                  | reads              | writes        | equation
 * dci_sim_find_direction | gradient, factor   | newton        | H p = -g
 * dci_sim_demand_more    | the end of the way | a demand      | J p >= bound
 * dci_sim_meet_demands   | demands            | dq            | least of the model that meets them
 * dci_sim_slide_by       | all of these       | dq, its share | */

static dc_real dci_sim_dot(const dc_real *x, const dc_real *y, int n)
{
    dc_real sum = 0;
    int k;
    for (k = 0; k < n; ++k) sum += x[k]*y[k];
    return sum;
}

static dc_real dci_sim_largest(const dc_real *x, int n)
{
    dc_real m = 0;
    int k;
    for (k = 0; k < n; ++k) m = dc_max(m, dc_abs(x[k]));
    return m;
}

/* the slope of O along the direction: a twist that goes on evenly has the same coordinates everywhere on its way */
static dc_real dci_sim_slope(const dci_sim_work *W)
{
    return dci_sim_dot(W->at.grad, W->direction.dq, W->problem.sim->nv);
}

/* dq = - H^-1 grad, by the factor at hand. DC_E_DIVERGED: none found */
static dc_status dci_sim_solve_direction(dci_sim_work *W)
{
    const dc_sim *sim = W->problem.sim;
    int k;
    for (k = 0; k < sim->nv; ++k) W->direction.dq[k] = -W->at.grad[k];
    return dci_sim_solve(sim, &W->factor, W->direction.dq) ? DC_OK : DC_E_DIVERGED;
}

/* the same, by a factor of the Hessian here */
static dc_status dci_sim_find_direction(dci_sim_work *W, dc_sim_info *info)
{
    const dc_status status = dci_sim_find_factor(W, info);
    return status == DC_OK ? dci_sim_solve_direction(W) : status;
}

/* The change of n.x for a point x of link i, times s, by the coordinates of a place: added to J. */
static void dci_sim_add_row(const dci_sim_place *place, int i, dc_v3 x, dc_v3 n, dc_real s, dc_real *J)
{
    const dc_sim *sim = place->sim;
    int k;
    for (; i >= 0; i = sim->link[i].parent) {
        const dc_v3 t = dc_cross(dc_sub(x, place->origin[i]), n);
        for (k = sim->v_at[i]; k < sim->v_at[i] + dci_sim_nv(sim->link[i].joint); ++k)
            J[k] += s*(dc_dot(place->axis[k].move, n) + dc_dot(place->axis[k].turn, t));
    }
}

static int dci_sim_root(const dc_sim *sim, int i)
{
    while (i >= 0 && sim->link[i].parent >= 0) i = sim->link[i].parent;
    return i;
}

/* what the step gains by the coordinates of the trees of links i and j (-1: none), to first order */
static dc_real dci_sim_gain(const dc_sim *sim, const dc_real *grad, const dc_real *dq, int i, int j)
{
    const int a = dci_sim_root(sim, i), b = dci_sim_root(sim, j);
    dc_real gain = 0;
    int k, c;
    for (k = 0; k < sim->links; ++k) {
        const int root = dci_sim_root(sim, k);
        if (root != a && root != b) continue;
        for (c = sim->v_at[k]; c < sim->v_at[k] + dci_sim_nv(sim->link[k].joint); ++c) gain -= grad[c]*dq[c];
    }
    return dc_max(gain, 0);
}

/* the barrier of two hulls, or of a hull and a plane, by their gap */
static dc_real dci_sim_gap_barrier(const dc_sim *sim, int plane, dc_real gap)
{
    const dc_real l = sim->desc.length;
    const dc_real x = plane ? gap/l : sim->desc.global ? gap/(2*l) : gap/(2*l + gap);
    dc_real unread;
    return dci_sim_barrier(sim->desc.global, sim->desc.support, x, &unread, &unread);
}

/* The gap at which the barrier costs `gain` more than at `gap`: nearer would not pay. No less than a tenth of `gap` or
 * of the barrier's reach; no more than its reach, where a stiff one begins to cost more than is gained, and than most
 * of `gap`. */
static dc_real dci_sim_paying_gap(const dc_sim *sim, int plane, dc_real gap, dc_real gain)
{
    const dc_real reach = dci_sim_reach(sim, plane), sides = plane ? 1 : 2;
    dc_real lo, hi, most;
    int n;

    if (sim->desc.trees) return dc_min(DC_R(0.1)*gap, DC_R(0.5)*reach);
    most = dci_sim_gap_barrier(sim, plane, gap) + gain/(sim->desc.stiffness*sides);
    lo = DC_R(0.1)*dc_min(gap, reach);
    hi = gap > reach ? reach : DC_R(0.98)*gap;
    for (n = 0; n < 20; ++n) {
        const dc_real g = DC_R(0.5)*(lo + hi);
        if (dci_sim_gap_barrier(sim, plane, g) > most) lo = g;
        else hi = g;
    }
    return hi;
}

/* the lowest vertex of a hull over a plane; its gap */
static dc_real dci_sim_lowest(const dci_sim_place *place, const dc_sim_hull *hull, const dc_sim_plane *plane,
                              dc_v3 *lowest)
{
    dc_real gap = DC_REAL_MAX;
    int j;

    *lowest = dc_vec(0, 0, 0);
    for (j = 0; j < hull->n; ++j) {
        const dc_v3 x = place->sim->vertex[hull->begin + j];
        const dc_v3 y = dc_add(dc_mul(place->rotation + hull->link, x), place->pose[hull->link].t);
        const dc_real room = dc_dot(plane->n, y) + plane->d - hull->round;
        if (room < gap) {
            gap = room;
            *lowest = y;
        }
    }
    return gap;
}

/* The gap of the bodies that end a way, at the place where it ends, and its change by the coordinates there, added to
 * J; links[1] -1: a plane */
static dc_real dci_sim_end_gap(const dci_sim_place *place, const dci_sim_end *end, int links[2], dc_real *J)
{
    const dc_sim *sim = place->sim;

    if (end->other >= 0) {
        const dci_sim_pair p = dci_sim_pair_of(sim, end->hull, end->other);
        const int top = dci_sim_common(sim, p.link_a, p.link_b);
        dc_v3 n = end->distance.n, pa = end->distance.pa, pb = end->distance.pb;
        if (top >= 0) {
            const dc_m3 *R = place->rotation + top;
            n = dc_mul(R, n);
            pa = dc_add(dc_mul(R, pa), place->pose[top].t);
            pb = dc_add(dc_mul(R, pb), place->pose[top].t);
        }
        dci_sim_add_row(place, p.link_a, pa, n, 1, J);
        dci_sim_add_row(place, p.link_b, pb, n, -1, J);
        links[0] = p.link_a;
        links[1] = p.link_b;
        return end->distance.gap;
    } else {
        const dc_sim_hull *hull = sim->hull + end->hull;
        const dc_sim_plane *plane = sim->plane + (-1 - end->other);
        dc_v3 at;
        const dc_real gap = dci_sim_lowest(place, hull, plane, &at);
        dci_sim_add_row(place, hull->link, at, plane->n, 1, J);
        links[0] = hull->link;
        links[1] = -1;
        return gap;
    }
}

/* the place at which a share of the direction ends */
static void dci_sim_try(const dc_sim *sim, const dci_sim_direction *direction, dc_real share, dci_sim_iterate *iterate)
{
    int k;
    for (k = 0; k < sim->nv; ++k) iterate->step[k] = share*direction->dq[k];
    dc_sim_retract(sim, iterate->q, iterate->step, iterate->trial);
}

/* One more demand: at the place where the way ended, after `share` of it, gap + J (p - share dq) >= keep. 0: none to be
 * made */
static DCI_NOINLINE int dci_sim_demand_more(dci_sim_work *W, dc_real share)
{
    const dc_sim *sim = W->problem.sim;
    const dci_sim_end *end = &W->path.end;
    dci_sim_direction *direction = &W->direction;
    dci_sim_demand *demand = direction->demand + direction->demands;
    const int nv = sim->nv;
    dc_real gap, keep, along, *J = demand->row;
    int links[2];

    if (end->hull < 0) return 0;

    /* where it ended */
    dci_sim_zero(J, (size_t)nv);
    dci_sim_try(sim, direction, share, &W->iterate);
    dci_sim_forward(W->iterate.trial, &W->there);
    dci_sim_axes(&W->there, 0);
    gap = dci_sim_end_gap(&W->there, end, links, J);

    /* what is to be kept; standing still meets it, with a tenth to spare */
    keep = dci_sim_paying_gap(sim, end->other < 0, end->gap,
                              dci_sim_gain(sim, W->at.grad, direction->dq, links[0], links[1]));
    along = dci_sim_dot(J, direction->dq, nv);
    demand->bound = dc_min(keep - gap + share*along, DC_R(-0.1)*(end->gap - keep));

    memcpy(demand->answer, J, (size_t)nv*sizeof *J);
    if (!dci_sim_solve(sim, &W->factor, demand->answer)) return 0;
    direction->demands++;
    return 1;
}

/* dq = newton + sum of f_i H^-1 J_i^T: the least of the quadratic model among the directions that meet the demands,
 * f >= 0 by projected Gauss-Seidel. 0: a demand that nothing answers */
static DCI_NOINLINE int dci_sim_meet_demands(int nv, dci_sim_direction *direction)
{
    dci_sim_demand *d = direction->demand;
    const int n = direction->demands;
    dc_real G[DCI_SIM_DEMANDS][DCI_SIM_DEMANDS], lack[DCI_SIM_DEMANDS];
    int i, j, k, sweep;

    for (i = 0; i < n; ++i) {
        lack[i] = d[i].bound - dci_sim_dot(d[i].row, direction->newton, nv);
        for (j = 0; j < n; ++j) G[i][j] = dci_sim_dot(d[i].row, d[j].answer, nv);
        d[i].force = 0;
        if (!(G[i][i] > 0)) return 0;
    }

    /* forces */
    for (sweep = 0; sweep < 200; ++sweep)
        for (i = 0; i < n; ++i) {
            dc_real left = lack[i];
            for (j = 0; j < n; ++j) left -= j == i ? 0 : G[i][j]*d[j].force;
            d[i].force = dc_max(0, left/G[i][i]);
        }

    for (k = 0; k < nv; ++k) {
        direction->dq[k] = direction->newton[k];
        for (i = 0; i < n; ++i) direction->dq[k] += d[i].force*d[i].answer[k];
    }
    return 1;
}

/* the share of the direction over which nothing is met */
static dc_real dci_sim_direction_share(dci_sim_work *W)
{
    return dci_sim_safe_share(&W->at, W->problem.met, W->iterate.q, W->direction.dq, W->scratch.mem, &W->broad,
                              &W->path);
}

/* The same for Newton's direction. Where its way ends at two bodies, it is bent to keep them apart and slide along, as
 * often as there is room for demands. It stays a direction of descent, or is Newton's own again. */
static DCI_NOINLINE dc_real dci_sim_slide_by(dci_sim_work *W)
{
    const dc_real slope = dci_sim_slope(W);
    const int nv = W->problem.sim->nv;
    dci_sim_direction *direction = &W->direction;

    direction->demands = 0;
    memcpy(direction->newton, direction->dq, (size_t)nv*sizeof *direction->dq);
    for (;;) {
        const dc_real share = dci_sim_direction_share(W);
        if (!(share < 1 && share > 0) || direction->demands == DCI_SIM_DEMANDS) return share;
        if (!dci_sim_demand_more(W, share) || !dci_sim_meet_demands(nv, direction)) return share;
        if (dci_sim_slope(W) < DC_R(1e-6)*slope) continue;
        memcpy(direction->dq, direction->newton, (size_t)nv*sizeof *direction->dq);
        return dci_sim_direction_share(W);
    }
}

/* ---- [step] a step ---------------------------------------------------------------------------- */
/* in: a workspace; out: the state that minimises O.
 *
 * stage                  | reads            | writes                      | equation
 * dci_sim_open           | states, control  | problem                     | SDRS Eq. 2, 8
 * dci_sim_eval           | a state          | O there                     | SDRS Eq. 14
 * dci_sim_model_steps    | models of trees  | iterate                     | Newton on the models
 * dci_sim_find_direction | O at the iterate | direction                   | Newton
 * dci_sim_slide_by       | direction, place | direction, safe share of it |
 * dci_sim_line_search    | direction, share | O at the trial, share       |
 * dci_sim_minimise       | all of these     | iterate                     | SDRS Eq. 86 */

/* a force left over that may be rounding, over the largest acting */
#define DCI_SIM_FLOOR (DC_IS_FLOAT ? DC_R(1e-2) : DC_R(1e-7))

/* what of a place may be rounding, of its distance from the origin */
#define DCI_SIM_STILL (4*DC_EPS)

/* what of a value may be rounding, of the magnitudes in it */
#define DCI_SIM_ROUNDING (64*DC_EPS)

/* the place where derivatives were asked for last is the iterate: with the loads of pairs, or of vertices at planes
 * alone */
static void dci_sim_keep_duals(dci_sim_work *W, int loads)
{
    const dc_sim *sim = W->problem.sim;
    dci_sim_friction *friction = &W->problem.friction;
    int k;
    memcpy(W->duals.kept, W->duals.tried, (size_t)W->duals.touches*sizeof *W->duals.kept);
    for (k = 0; k < W->duals.touches; ++k) W->duals.tried[k].turned = 0;
    W->duals.known = 1;
    W->duals.share = 1;
    for (k = 0; loads && k < sim->hulls; ++k) {
        dci_sim_met *met;
        for (met = W->problem.met[k]; met; met = met->next) dc_friction_keep(met->load);
    }
    for (k = 0; loads && sim->desc.trees && k < friction->begin[sim->pairs]; ++k)
        dc_friction_keep(friction->contact_load + k);
}

/* the iterate is a corner of the path */
static void dci_sim_record(const dc_sim *sim, const dci_sim_iterate *iterate, dc_sim_info *info)
{
    const dc_real *q = iterate->q;
    dc_real *to = info->path;
    int i;
    if (info->path_count++ >= info->path_size || !to) return;
    to += (size_t)(info->path_count - 1)*(size_t)iterate->corner;
    if (!iterate->whole_at) memcpy(to, q, (size_t)sim->nq*sizeof *q);
    for (i = 0; iterate->whole_at && i < sim->links; ++i)
        memcpy(to + iterate->whole_at[i], q + sim->q_at[i], (size_t)dci_sim_nq(sim->link[i].joint)*sizeof *q);
}

/* a box that holds another, and all that is as near to d as `slack` */
static void dci_sim_grow_drift(dci_sim_drift *drift, dc_v3 d, dc_real slack)
{
    const dc_v3 s = dc_vec(slack, slack, slack), lo = dc_sub(d, s), hi = dc_add(d, s);
    drift->lo = dc_vec(dc_min(drift->lo.x, lo.x), dc_min(drift->lo.y, lo.y), dc_min(drift->lo.z, lo.z));
    drift->hi = dc_vec(dc_max(drift->hi.x, hi.x), dc_max(drift->hi.y, hi.y), dc_max(drift->hi.z, hi.z));
}

/* Where the points of hull k are at a place, from where they are at another: vertices, others are among them. */
static void dci_sim_add_drift(const dci_sim_place *from, const dci_sim_place *to, int k, dc_real slack,
                              dci_sim_drift *drift)
{
    const dc_sim *sim = to->sim;
    const dc_sim_hull *hull = sim->hull + k;
    const dc_v3 t = dc_sub(to->pose[hull->link].t, from->pose[hull->link].t);
    dc_m3 turn;
    int j;
    for (j = 0; j < 9; ++j) turn.m[j] = to->rotation[hull->link].m[j] - from->rotation[hull->link].m[j];
    for (j = 0; j < hull->n; ++j)
        dci_sim_grow_drift(drift, dc_add(dc_mul(&turn, sim->vertex[hull->begin + j]), t), slack);
}

/* The trial, where O was evaluated last, becomes the iterate, a share of the direction further. On the way, which bends
 * by accelerations, a point is no farther from the line between its ends than an eighth of that. */
static void dci_sim_accept(dci_sim_work *W, dc_real share, dc_sim_info *info)
{
    const dc_sim *sim = W->problem.sim;
    dci_sim_path *path = &W->path;
    int k;
    memcpy(W->iterate.q, W->iterate.trial, (size_t)sim->nq*sizeof *W->iterate.q);
    info->iterations++;
    dci_sim_record(sim, &W->iterate, info);
    for (k = 0; path->drift && k < sim->hulls; ++k)
        dci_sim_add_drift(&W->problem.before, &W->at.place, k, DC_R(0.13)*share*share*path->acceleration[k],
                          path->drift + k);
}

/* The share of the direction up to which all models of pairs of trees are to be trusted: half the way to where the
 * trees would be, unless they are off by less than a tenth of the force left over. */
static DCI_NOINLINE dc_real dci_sim_trusted(dci_sim_work *W, dc_real residual)
{
    const dc_sim *sim = W->problem.sim;
    dc_real share = 1;
    int k;

    dci_sim_try(sim, &W->direction, 1, &W->iterate);
    dci_sim_forward(W->iterate.trial, &W->there);
    for (k = 0; k < sim->pairs; ++k) {
        const dci_sim_model *model = W->trees.model + k;
        dc_real far_off, moved = dci_sim_strayed(&W->there, model, k);
        dc_real error = dci_sim_model_error(sim, model, moved, &far_off);
        if (moved > DC_R(0.5)*far_off && error > DC_R(0.1)*residual) share = dc_min(share, DC_R(0.5)*far_off/moved);
    }
    return share;
}

/* Is O at the trial, after `share` of the direction, low enough against `value` and `slope` at the iterate? Where what
 * is to be gained, half of share times slope, is below the rounding of O, its slope decides, if derivatives are known:
 * it has to fall. */
static int dci_sim_descends(const dci_sim_work *W, dc_real value, dc_real slope, dc_real share, dc_real rounding,
                            int derivatives)
{
    if (W->at.status != DC_OK) return 0;
    if (W->at.value <= value + DC_R(1e-4)*share*slope) return 1;
    if (!derivatives || -share*slope > 2*rounding) return 0;
    return W->at.value <= value + rounding && dc_abs(dci_sim_slope(W)) <= DC_R(0.9)*-slope;
}

/* One of Newton's steps with the models as they are, on exact inertia, joints and planes, each proved clear. 0: none to
 * be made, or the models end here: *last */
static DCI_NOINLINE int dci_sim_model_step(dci_sim_work *W, dc_sim_info *info, dc_real residual, int *last)
{
    const dc_sim *sim = W->problem.sim;
    const dc_real value = W->at.value, rounding = DCI_SIM_ROUNDING*W->at.noise;
    dc_real share, trusted, slope;
    int tries;

    if (dci_sim_find_direction(W, info) != DC_OK) return 0;
    dci_sim_drop_factor(W);
    slope = dci_sim_slope(W);
    share = dci_sim_direction_share(W);
    trusted = dci_sim_trusted(W, residual);
    *last = trusted < 1;
    if (trusted < DC_R(0.25)) return 0;
    share = dc_min(share, trusted);

    for (tries = 0; tries < 40; ++tries, share *= DC_R(0.5)) {
        dci_sim_try(sim, &W->direction, share, &W->iterate);
        W->duals.share = share;
        dci_sim_eval_known(W, W->iterate.trial, DCI_SIM_DERIVATIVES);
        if (dci_sim_descends(W, value, slope, share, rounding, 1)) {
            dci_sim_accept(W, share, info);
            dci_sim_keep_duals(W, 0);
            return 1;
        }
    }
    return 0;
}

/* Steps by the models of pairs of trees, until the model is at rest or no longer to be trusted; then all pairs are met
 * again. 1: O fell. 0: nothing is changed. */
static DCI_NOINLINE int dci_sim_model_steps(dci_sim_work *W, dc_sim_info *info, dc_real residual)
{
    const dc_sim *sim = W->problem.sim;
    const dc_real before = W->at.value, rounding = DCI_SIM_ROUNDING*W->at.noise;
    const dc_real rest = dc_max(DC_R(1e-3)*sim->desc.tolerance*info->scale, DC_EPS*residual);
    const int corners = info->path_count, most = 30;
    dc_real left = residual;
    int steps, last = 0;

    memcpy(W->iterate.saved, W->iterate.q, (size_t)sim->nq*sizeof *W->iterate.q);
    for (steps = 0; steps < most && left > rest && !last && info->iterations < sim->desc.iterations; ++steps) {
        if (!dci_sim_model_step(W, info, residual, &last)) break;
        left = dci_sim_largest(W->at.grad, sim->nv);
    }

    /* what the models promised has to be so */
    if (info->path_count > corners) {
        dc_real promised;
        dci_sim_eval_known(W, W->iterate.q, DCI_SIM_VALUE);
        promised = W->at.value - before;
        dci_sim_eval(W, W->iterate.q, DCI_SIM_DERIVATIVES, DCI_SIM_BY_MODELS);
        if (W->at.status == DC_OK
            && (W->at.value <= before + DC_R(1e-4)*promised
                || (W->at.value <= before + rounding && dci_sim_largest(W->at.grad, sim->nv) < residual))) {
            dci_sim_keep_duals(W, 1);
            return 1;
        }
    }
    info->path_count = corners;
    memcpy(W->iterate.q, W->iterate.saved, (size_t)sim->nq*sizeof *W->iterate.q);
    dci_sim_eval(W, W->iterate.q, DCI_SIM_DERIVATIVES, DCI_SIM_BY_MODELS);
    return 0;
}

/* Halves the share of the direction until O falls; W->at is O at the trial, as far as *want says: at the first place
 * what the caller does. -1: as far as rounding allows it does not fall. */
static dc_real dci_sim_line_search(dci_sim_work *W, dc_real share, dc_real slope, int *want)
{
    const dc_real value = W->at.value, rounding = DCI_SIM_ROUNDING*W->at.noise;

    /* mostly the first place is taken, so that its derivatives are computed with it; so they are where O tells
     * nothing */
    for (;; *want = -slope <= rounding ? DCI_SIM_DERIVATIVES : DCI_SIM_VALUE) {
        dci_sim_try(W->problem.sim, &W->direction, share, &W->iterate);
        W->duals.share = share;
        dci_sim_eval(W, W->iterate.trial, *want, DCI_SIM_BY_MODELS);
        if (dci_sim_descends(W, value, slope, share, rounding, *want != DCI_SIM_VALUE)) return share;
        share *= DC_R(0.5);
        if (!(share > DC_R(1e-12)) || W->at.status == DC_E_MEMORY) return -1;
    }
}

/* Did the direction move no point by more than the rounding of its place? */
static DCI_NOINLINE int dci_sim_moved_nothing(const dci_sim_work *W)
{
    const dc_sim *sim = W->problem.sim;
    int k;
    for (k = 0; k < sim->hulls; ++k) {
        const dc_v3 c = dci_sim_centre(&W->at.place, k);
        const dc_real far_off = dc_max(dc_max(dc_abs(c.x), dc_abs(c.y)), dc_abs(c.z)) + sim->hull[k].radius;
        if (W->path.speed[k] > DCI_SIM_STILL*far_off) return 0;
    }
    return 1;
}

/* what of a step at an iterate the caller may see */
static void dci_sim_report(const dci_sim_energy *at, dc_real residual, dc_real acting, dc_sim_info *info)
{
    info->residual = residual;
    info->scale = dc_max(acting, at->force);
    info->gap = at->gap;
    info->contacts = at->contacts;
}

/* What Newton's steps leave over of a force, `left` at the iterate and `before` one step earlier: as it fell, it falls
 * by the square of that. by_chord: after one more step that takes no Hessian, by the factor of the step before, which
 * leaves twice the part that this one does. */
static dc_real dci_sim_foretell(dc_real left, dc_real before, int by_chord)
{
    const dc_real ratio = left/before, next = left*ratio*ratio;
    return by_chord ? dc_min(next, 2*next*ratio*ratio) : next;
}

/* the end of a step: a force that is not known is not left over */
static dc_status dci_sim_sure(const dci_sim_work *W)
{
    return W->at.doubt + W->problem.friction.doubt > 0 ? DC_E_DIVERGED : DC_OK;
}

/* Newton's method for SDRS Eq. 86 from the state now, with the line search of the header's description. */
static DCI_NOINLINE dc_status dci_sim_minimise(dci_sim_work *W, dc_sim_info *info)
{
    const dci_sim_problem *problem = &W->problem;
    const dc_sim *sim = problem->sim;
    dci_sim_iterate *iterate = &W->iterate;
    dci_sim_energy *at = &W->at;
    dc_real acting, rounding = 0, slope = 0, before = 0, least = dci_from_bits(DCI_INF);
    int slow = 0, want = DCI_SIM_DERIVATIVES, chord = 0;
    const int chords = sim->pieces == 1 && !sim->desc.trees;        /* else the factor is gone when it is wanted */

    /* from the state now; friction is of the size that contact has at time t */
    memcpy(iterate->q, problem->q, (size_t)sim->nq*sizeof *iterate->q);
    dci_sim_record(sim, iterate, info);
    W->scratch.duals = &W->duals;
    W->duals.prev = sim->desc.trees ? NULL : &W->there;
    dci_sim_eval(W, iterate->q, DCI_SIM_DERIVATIVES, DCI_SIM_BY_MODELS);
    if (at->status != DC_OK) return at->status;
    dci_sim_keep_duals(W, 1);
    acting = dc_max(problem->motion, at->force);
    W->trees.allowed = DCI_SIM_MODEL*sim->desc.tolerance*acting;
    dci_sim_zero(W->factor.measure, (size_t)sim->nv);
    W->factor.measured = 0;
    W->factor.least = DCI_SIM_LEAST;
    W->factor.negative = 1;

    for (;;) {
        const dc_real residual = dci_sim_largest(at->grad, sim->nv);
        dc_real share, safe, value, end;
        dc_status status;
        int tiny;
        dci_sim_report(at, residual, acting, info);
        end = sim->desc.tolerance*info->scale;

        /* The rounding of the forces: Newton's steps no longer halve what is left, where they should square it, and it
         * is small, or what they gain is below the rounding of O. That may be of a heavy body, beside which a light one
         * is not at rest: slopes lead it on for a while. */
        tiny = residual <= DCI_SIM_FLOOR*info->scale || (slow >= 3 && dci_sim_moved_nothing(W));
        slow = (tiny || (info->iterations > 0 && -slope <= rounding)) && residual > DC_R(0.5)*least ? slow + 1 : 0;
        if (residual <= end || slow >= (tiny ? 3 : 20)) {
            if (at->modelled == 0) return dci_sim_sure(W);
            want = DCI_SIM_DERIVATIVES;

            /* an end by models is none until all pairs are met there */
            slow = 0;
            dci_sim_eval(W, iterate->q, DCI_SIM_DERIVATIVES, DCI_SIM_HERE);
            if (at->status != DC_OK) return at->status;
            continue;
        }
        least = dc_min(least, residual);
        if (info->iterations == sim->desc.iterations) return DC_E_DIVERGED;

        /* what a step that was to be the last did without, unless the factor at hand leads to the end: with it what is
         * left falls by twice the ratio by which it fell */
        chord = chords && !chord && want != DCI_SIM_DERIVATIVES && W->factor.whole
             && 2*residual*(residual/before) <= end;
        if (want != DCI_SIM_DERIVATIVES && !chord) {
            want = DCI_SIM_DERIVATIVES;
            dci_sim_eval_known(W, iterate->q, want);
            if (at->status != DC_OK) return at->status;
            dci_sim_keep_duals(W, 1);
        }

        /* as far as models of trees lead */
        if (sim->desc.trees) {
            if (dci_sim_model_steps(W, info, residual)) continue;
            if (at->status != DC_OK) return at->status;
        }

        /* where to, and how far nothing is met */
        status = chord ? dci_sim_solve_direction(W) : dci_sim_find_direction(W, info);
        W->duals.prev = NULL;
        if (status != DC_OK) return status;
        safe = dci_sim_slide_by(W);
        if (!chord) dci_sim_drop_factor(W);
        info->shortened += safe < 1 || W->direction.demands > 0;
        slope = dci_sim_slope(W);
        value = at->value;
        rounding = DCI_SIM_ROUNDING*at->noise;

        /* how far O falls; the last place takes no Hessian, nor that before a chord */
        want = chord || (safe >= 1 && before > 0 && dci_sim_foretell(residual, before, chords) <= end)
             ? DCI_SIM_GRADIENT : DCI_SIM_DERIVATIVES;
        before = chord ? 0 : residual;
        share = dci_sim_line_search(W, safe, slope, &want);
        if (at->status == DC_E_MEMORY) return DC_E_MEMORY;
        if (share < 0) return tiny || -slope <= rounding ? dci_sim_sure(W) : DC_E_DIVERGED;
        dci_sim_accept(W, share, info);

        /* a way that a turn ended was too long */
        if (W->factor.spectral)
            dci_sim_trust(W->path.end.hull < 0 ? share : share/safe, (at->value - value)/slope, &W->factor);

        /* after a halving its value alone is known */
        if (want == DCI_SIM_VALUE) {
            want = DCI_SIM_DERIVATIVES;
            dci_sim_eval_known(W, iterate->q, want);
        }
        if (at->status != DC_OK) return at->status;
        if (want == DCI_SIM_DERIVATIVES) dci_sim_keep_duals(W, 1);
    }
}

/* ---- [islands] what feels nothing of each other is solved alone -------------------------------- */
/* in: states, control; out: the next state, by islands: pieces that may come to feel each other on their way. Which
 * these are is foreseen, and seen when all are solved: where their ways do not keep hulls apart, two islands are one
 * and solved again. Scenery belongs to every island that comes near it.
 *
 * stage                | reads                 | writes
 * dci_sim_foresee      | places at t - h and t | how far hulls will go
 * dci_sim_unite        | ways, place at t      | islands
 * dci_sim_next_island  | islands               | whose turn it is
 * dci_sim_open_island  | an island             | a model of it alone, its states
 * dci_sim_step_whole   | a model, its states   | its next state, how far hulls went
 * dci_sim_close_island | these                 | the whole's */

/* The model of an island's links and hulls, and what its step reads and writes. */
typedef struct {
    dc_sim sim;
    dc_sim_control control;
    dc_real *q_prev, *q, *target, *velocity, *force;
    dci_sim_drift *drift;
    int *whole_at, corner;          /* [links] where a link's coordinates are in a state of the whole; its length */
} dci_sim_part;

/* The island whose turn it is: what dci_sim_step_whole takes of it. */
typedef struct {
    int rounds, first, members;     /* first: its first piece, or -1 */
    size_t used;                    /* of the arena before it */
    const dc_sim *sim;
    const dc_real *q_prev, *q;
    const dc_sim_control *control;
    dci_sim_part *part;             /* NULL: it is the whole model */
    dci_sim_drift *drift;
    dc_real *q_next;
    dc_sim_info *info;
} dci_sim_turn;

typedef struct {
    const dc_sim *sim;
    dci_sim_place prev, before;     /* at t - h and t */
    dci_sim_broad broad;
    dc_sim_info *info;              /* [pieces] of the first: of its step */
    dc_status *status;              /* [pieces] of the first: how that ended */
    int *first;                     /* [pieces] of its island, or one on the way to it; its own: it is the first */
    int *next, *last;               /* [pieces] of its island: the next one, -1: none; of the first: the last one */
    int *solved;                    /* [pieces] of the first: the island is */
    int *member;                    /* [pieces] those of the island in hand, ascending, and the scenery near it */
    int *link_at, *hull_at;         /* [pieces + 1] where they begin among links and hulls */
    int *scenery, sceneries;        /* [pieces] what does not move */
    int *renamed;                   /* [links] their number in the model of the island in hand; -1: not of it */
    dci_sim_drift *box;             /* [pieces] of the first: that whose scenery the island was solved with */
    dci_sim_drift *drift;           /* [hulls] as foreseen, then as it was */
    dc_real *q;                     /* [nq] the next state */
    dci_sim_turn turn;
} dci_sim_islands;

static void dci_sim_take_islands(const dc_sim *sim, dci_room *room, dci_sim_islands *islands)
{
    const size_t pieces = (size_t)sim->pieces, hulls = (size_t)sim->hulls;
    islands->sim = sim;
    dci_sim_take_place(sim, room, &islands->before);
    dci_sim_take_place(sim, room, &islands->prev);
    islands->broad.centre = DCI_TAKE(room, hulls, dc_v3);
    islands->broad.order = DCI_TAKE(room, hulls, int);
    islands->first = DCI_TAKE(room, 8*pieces + 2 + (size_t)sim->links, int);
    if (islands->first) {
        islands->next = islands->first + pieces;
        islands->last = islands->next + pieces;
        islands->solved = islands->last + pieces;
        islands->member = islands->solved + pieces;
        islands->link_at = islands->member + pieces;
        islands->hull_at = islands->link_at + pieces + 1;
        islands->scenery = islands->hull_at + pieces + 1;
        islands->renamed = islands->scenery + pieces;
    }
    islands->info = DCI_TAKE(room, pieces, dc_sim_info);
    islands->status = DCI_TAKE(room, pieces, dc_status);
    islands->box = DCI_TAKE(room, pieces, dci_sim_drift);
    islands->drift = DCI_TAKE(room, hulls, dci_sim_drift);
    islands->q = DCI_TAKE(room, (size_t)sim->nq + 2*hulls, dc_real);
    if (islands->q) {
        islands->broad.grow = islands->q + sim->nq;
        islands->broad.low = islands->broad.grow + hulls;
    }
}

/* arrays of a part with so many links, hulls, excluded pairs and coordinates */
static void dci_sim_take_arrays(const dc_sim *sim, size_t links, size_t hulls, size_t excludes, size_t nq, size_t nv,
                                dci_room *room, dci_sim_part *part)
{
    dc_sim *m = &part->sim;
    m->link = DCI_TAKE(room, links, dc_sim_link);
    m->hull = DCI_TAKE(room, hulls, dc_sim_hull);
    m->moment = DCI_TAKE(room, 16*links, dc_real);
    m->material = DCI_TAKE(room, sim->materials > 0 ? links + (size_t)sim->planes : 0, int);
    m->q_at = DCI_TAKE(room, 7*links + 1 + 2*excludes, int);
    if (m->q_at) {
        m->v_at = m->q_at + links;
        m->piece = m->v_at + links;
        m->anchor = m->piece + links;
        m->above = m->anchor + links;
        m->piece_at = m->above + links;
        part->whole_at = m->piece_at + links + 1;
        m->exclude = part->whole_at + links;
    }
    part->drift = DCI_TAKE(room, hulls, dci_sim_drift);
    part->q_prev = DCI_TAKE(room, 3*nq + 2*nv, dc_real);
    if (part->q_prev) {
        part->q = part->q_prev + nq;
        part->target = part->q + nq;
        part->velocity = part->target + nq;
        part->force = part->velocity + nv;
    }
}

/* bytes of the islands and of the largest part, a small one's dense algebra too */
static size_t dci_sim_island_bytes(const dc_sim *sim)
{
    const size_t most = DCI_SIM_ONE_PIECE > 0 ? (size_t)DCI_SIM_ONE_PIECE : 1;
    dci_room room = DC_ZERO;
    dci_sim_islands unread;
    dci_sim_part part;
    if (sim->pieces == 1 || dci_sim_everywhere(&sim->desc)) return 0;
    dci_sim_take_islands(sim, &room, &unread);
    dci_sim_take_arrays(sim, (size_t)sim->links, (size_t)sim->hulls, (size_t)sim->excludes, (size_t)sim->nq,
                        (size_t)sim->nv, &room, &part);
    room.bytes = dc_bytes(dc_bytes(room.bytes, 1, sizeof unread), 1, sizeof part);
    room.bytes = dc_bytes(room.bytes, 2*most*most, sizeof(dc_real));
    room.bytes = dc_bytes(room.bytes, most, sizeof(int));
    return dc_bytes(room.bytes, dc_eigsym_bytes((int)most), 1);
}

static int dci_sim_is_scenery(const dc_sim *sim, int piece) { return dci_sim_width(sim, piece) == 0; }

/* the first piece of an island */
static int dci_sim_first(int *first, int piece)
{
    while (first[piece] != piece) piece = first[piece] = first[first[piece]];
    return piece;
}

static dci_sim_drift dci_sim_no_box(void)
{
    dci_sim_drift box;
    box.lo = dc_vec(DC_REAL_MAX, DC_REAL_MAX, DC_REAL_MAX);
    box.hi = dc_neg(box.lo);
    return box;
}

/* every piece alone, and where it begins */
static DCI_NOINLINE void dci_sim_part_all(dci_sim_islands *islands)
{
    const dc_sim *sim = islands->sim;
    int k, i, hull = 0;

    islands->sceneries = 0;
    for (k = 0, i = 0; k < sim->pieces; ++k) {
        if (dci_sim_is_scenery(sim, k)) islands->scenery[islands->sceneries++] = k;
        islands->first[k] = k;
        islands->solved[k] = 0;
        islands->box[k] = dci_sim_no_box();
        islands->link_at[k] = i;
        islands->hull_at[k] = hull;
        for (; i < sim->links && sim->piece[i] == k; ++i) {
            islands->renamed[i] = -1;
            hull += sim->link[i].hulls;
        }
    }
    islands->link_at[k] = sim->links;
    islands->hull_at[k] = hull;
}

/* Where hulls will be if they go on as they did, and a fifth beyond it; before: the place at t - h, then that of time
 * t. */
static DCI_NOINLINE void dci_sim_foresee(const dc_real *q_prev, const dc_real *q, dci_sim_islands *islands)
{
    const dc_sim *sim = islands->sim;
    const dc_v3 fall = dc_scale(sim->desc.h*sim->desc.h, sim->desc.gravity);
    const dc_v3 down = dc_vec(dc_min(fall.x, 0), dc_min(fall.y, 0), dc_min(fall.z, 0)), up = dc_sub(fall, down);
    int k;

    dci_sim_forward(q_prev, &islands->prev);
    dci_sim_forward(q, &islands->before);
    for (k = 0; k < sim->hulls; ++k) {
        dci_sim_drift *drift = islands->drift + k;
        memset(drift, 0, sizeof *drift);
        if (dci_sim_is_scenery(sim, sim->piece[sim->hull[k].link])) continue;
        dci_sim_add_drift(&islands->prev, &islands->before, k, 0, drift);
        drift->lo = dc_scale(DC_R(1.2), dc_add(drift->lo, down));
        drift->hi = dc_scale(DC_R(1.2), dc_add(drift->hi, up));
    }
}

/* how far points go against n at most */
static dc_real dci_sim_against(const dci_sim_drift *drift, dc_v3 n)
{
    return -dc_min(n.x*drift->lo.x, n.x*drift->hi.x) - dc_min(n.y*drift->lo.y, n.y*drift->hi.y)
        - dc_min(n.z*drift->lo.z, n.z*drift->hi.z);
}

/* Do hulls a and b, that drift `factor` times as far, stay out of each other's reach, whenever either goes its way? By
 * what they drift along a normal between them: of their spheres, or of the hulls. */
static int dci_sim_stay_apart(const dci_sim_islands *islands, int a, int b, dc_real factor)
{
    const dci_sim_place *place = &islands->before;
    const dc_sim *sim = islands->sim;
    const dci_sim_drift *da = islands->drift + a, *db = islands->drift + b;
    const dc_v3 d = dc_sub(islands->broad.centre[a], islands->broad.centre[b]);
    const dc_real apart = dc_sqrt(dc_dot(d, d)), reach = dci_sim_reach(sim, 0);
    dc_hull A, B;
    dc_distance D;

    if (apart > 0) {
        const dc_v3 n = dc_scale(1/apart, d);
        if (apart - sim->hull[a].radius - sim->hull[b].radius
            > reach + factor*(dci_sim_against(da, n) + dci_sim_against(db, dc_neg(n)))) return 1;
    }
    A = dci_sim_hull_of(sim, a);
    B = dci_sim_hull_of(sim, b);
    memset(&D, 0, sizeof D);
    return dc_hull_distance(&A, place->pose + sim->hull[a].link, &B, place->pose + sim->hull[b].link, NULL, &D) == DC_OK
        && DC_R(0.99)*D.gap > reach + factor*(dci_sim_against(da, D.n) + dci_sim_against(db, dc_neg(D.n)));
}

/* Islands that may come to feel each other when hulls drift `factor` times as far become one, which is not solved. How
 * many did */
static DCI_NOINLINE int dci_sim_unite(dc_real factor, dci_sim_islands *islands)
{
    const dc_sim *sim = islands->sim;
    dci_sim_broad *broad = &islands->broad;
    const dc_real reach = dci_sim_reach(sim, 0);
    int a, b, k, count = 0;

    for (k = 0; k < sim->hulls; ++k) {
        const dci_sim_drift *d = islands->drift + k;
        const dc_v3 most = dc_vec(dc_max(-d->lo.x, d->hi.x), dc_max(-d->lo.y, d->hi.y), dc_max(-d->lo.z, d->hi.z));
        broad->grow[k] = factor*dc_sqrt(dc_dot(most, most)) + DC_R(0.56)*reach;
    }
    dci_sim_begin_sweep(&islands->before, broad);
    while (dci_sim_next_pair(sim, broad, &a, &b)) {
        int i = sim->piece[sim->hull[a].link], j = sim->piece[sim->hull[b].link];
        if (dci_sim_is_scenery(sim, i) || dci_sim_is_scenery(sim, j)) continue;
        i = dci_sim_first(islands->first, i);
        j = dci_sim_first(islands->first, j);
        if (i == j || dci_sim_stay_apart(islands, a, b, factor)) continue;
        islands->first[i > j ? i : j] = i > j ? j : i;
        islands->solved[i > j ? j : i] = 0;
        ++count;
    }
    return count;
}

/* the pieces of every island in their order */
static DCI_NOINLINE void dci_sim_chain(dci_sim_islands *islands)
{
    int k;
    for (k = 0; k < islands->sim->pieces; ++k) {
        const int first = dci_sim_first(islands->first, k);
        if (first != k) islands->next[islands->last[first]] = k;
        islands->last[first] = k;
        islands->next[k] = -1;
    }
}

/* `box`, and where an island stays on its way with what its hulls feel from there */
static dci_sim_drift dci_sim_add_box(const dci_sim_islands *islands, int first, dci_sim_drift box)
{
    const dc_sim *sim = islands->sim;
    const dc_real reach = dci_sim_reach(sim, 0);
    int piece, k;

    for (piece = first; piece >= 0; piece = islands->next[piece])
        for (k = islands->hull_at[piece]; k < islands->hull_at[piece + 1]; ++k) {
            const dc_v3 c = dci_sim_centre(&islands->before, k);
            const dc_real r = sim->hull[k].radius + 2*reach;
            dci_sim_grow_drift(&box, dc_add(c, islands->drift[k].lo), r);
            dci_sim_grow_drift(&box, dc_add(c, islands->drift[k].hi), r);
        }
    return box;
}

/* is a hull of the piece in the box? */
static int dci_sim_in_box(const dci_sim_islands *islands, int piece, const dci_sim_drift *box)
{
    const dc_v3 lo = box->lo, hi = box->hi;
    int k;
    for (k = islands->hull_at[piece]; k < islands->hull_at[piece + 1]; ++k) {
        const dc_v3 c = dci_sim_centre(&islands->before, k);
        const dc_real r = islands->sim->hull[k].radius;
        if (c.x + r >= lo.x && c.x - r <= hi.x && c.y + r >= lo.y && c.y - r <= hi.y && c.z + r >= lo.z
            && c.z - r <= hi.z) return 1;
    }
    return 0;
}

/* Islands that went as far as scenery they were solved without are to be solved again. */
static DCI_NOINLINE int dci_sim_miss_scenery(dci_sim_islands *islands)
{
    int k, first, count = 0;
    for (first = 0; first < islands->sim->pieces && islands->sceneries > 0; ++first) {
        dci_sim_drift box;
        if (!islands->solved[first] || islands->first[first] != first) continue;
        box = dci_sim_add_box(islands, first, dci_sim_no_box());
        for (k = 0; k < islands->sceneries; ++k) {
            const int piece = islands->scenery[k];
            if (dci_sim_in_box(islands, piece, &box) && !dci_sim_in_box(islands, piece, islands->box + first)) {
                islands->solved[first] = 0;
                ++count;
                break;
            }
        }
    }
    return count;
}

/* The pieces of an island and the scenery where it may come, or might have come before, ascending. How many */
static DCI_NOINLINE int dci_sim_gather_members(int first, dci_sim_islands *islands)
{
    int n = 0, piece, k;
    for (piece = first; piece >= 0; piece = islands->next[piece]) islands->member[n++] = piece;
    islands->box[first] = dci_sim_add_box(islands, first, islands->box[first]);
    for (k = 0; k < islands->sceneries; ++k)
        if (dci_sim_in_box(islands, islands->scenery[k], islands->box + first))
            islands->member[n++] = islands->scenery[k];
    dci_sim_sort(islands->member, n, NULL);
    return n;
}

/* Pairs that are excluded among the links that are renamed, by their new numbers; out: NULL, or where they go. How
 * many */
static int dci_sim_rename_excludes(const dci_sim_islands *islands, int member, int *out)
{
    const dc_sim *sim = islands->sim;
    int i, n = 0;
    for (i = islands->link_at[member]; i < islands->link_at[member + 1]; ++i) {
        int lo = 0, hi = sim->excludes;
        while (lo < hi) {
            const int mid = lo + (hi - lo)/2;
            if (sim->exclude[2*mid] < i) lo = mid + 1;
            else hi = mid;
        }
        for (; lo < sim->excludes && sim->exclude[2*lo] == i; ++lo) {
            const int other = islands->renamed[sim->exclude[2*lo + 1]];
            if (other < 0) continue;
            if (out) {
                out[2*n] = islands->renamed[i];
                out[2*n + 1] = other;
            }
            ++n;
        }
    }
    return n;
}

/* link i with its hulls into the model of a part, as its next */
static void dci_sim_take_link(const dci_sim_islands *islands, int i, int *hull, dc_sim *m)
{
    const dc_sim *sim = islands->sim;
    const int up = sim->link[i].parent, to = islands->renamed[i], k_end = *hull + sim->link[i].hulls;
    m->link[to] = sim->link[i];
    m->link[to].parent = up < 0 ? -1 : islands->renamed[up];
    m->anchor[to] = sim->anchor[i] < 0 ? -1 : islands->renamed[sim->anchor[i]];
    m->above[to] = sim->above[i] < 0 ? -1 : islands->renamed[sim->above[i]];
    m->q_at[to] = m->nq;
    m->v_at[to] = m->nv;
    m->nq += dci_sim_nq(sim->link[i].joint);
    m->nv += dci_sim_nv(sim->link[i].joint);
    memcpy(m->moment + 16*to, sim->moment + 16*i, 16*sizeof *m->moment);
    if (sim->materials > 0) m->material[to] = sim->material[i];
    for (; *hull < k_end; ++*hull) {
        m->hull[m->hulls] = sim->hull[*hull];
        m->hull[m->hulls++].link = to;
    }
}

/* where the coordinates of a piece begin in a state, or in a tangent; how many there are into *n */
static int dci_sim_span(const dci_sim_islands *islands, int piece, int tangent, size_t *n)
{
    const dc_sim *sim = islands->sim;
    const int *at = tangent ? sim->v_at : sim->q_at, end = islands->link_at[piece + 1];
    const int from = at[islands->link_at[piece]], to = end < sim->links ? at[end] : tangent ? sim->nv : sim->nq;
    *n = (size_t)(to - from);
    return from;
}

/* those of all members into a part's, one after the other; x NULL: none */
static DCI_NOINLINE const dc_real *dci_sim_collect(const dci_sim_islands *islands, int members, int tangent,
                                                   const dc_real *x, dc_real *out)
{
    dc_real *to = out;
    size_t n;
    int k;
    for (k = 0; x && k < members; ++k, to += n) {
        const int from = dci_sim_span(islands, islands->member[k], tangent, &n);
        memcpy(to, x + from, n*sizeof *x);
    }
    return x ? out : NULL;
}

/* and back */
static DCI_NOINLINE void dci_sim_spread_out(const dci_sim_islands *islands, int members, const dc_real *x, dc_real *out)
{
    size_t n;
    int k;
    for (k = 0; k < members; ++k, x += n) {
        const int to = dci_sim_span(islands, islands->member[k], 0, &n);
        memcpy(out + to, x, n*sizeof *x);
    }
}

/* The model of the members, and room for what its step reads and writes. NULL: there is no memory. */
static DCI_NOINLINE dci_sim_part *dci_sim_open_part(dci_sim_islands *islands, int members, dc_arena *mem)
{
    const dc_sim *sim = islands->sim;
    dci_sim_part *part = (dci_sim_part *)dc_arena_take(mem, 1, sizeof *part);
    dci_room room = DC_ZERO;
    size_t nq = 0, nv = 0, hulls = 0, n;
    int k, i, links = 0, excludes = 0, hull;
    dc_sim *m;

    /* how much */
    for (k = 0; k < members; ++k) {
        const int piece = islands->member[k];
        for (i = islands->link_at[piece]; i < islands->link_at[piece + 1]; ++i) islands->renamed[i] = links++;
        hulls += (size_t)(islands->hull_at[piece + 1] - islands->hull_at[piece]);
        dci_sim_span(islands, piece, 0, &n);
        nq += n;
        dci_sim_span(islands, piece, 1, &n);
        nv += n;
    }
    for (k = 0; k < members; ++k) excludes += dci_sim_rename_excludes(islands, islands->member[k], NULL);
    if (!part) return NULL;
    memset(part, 0, sizeof *part);
    m = &part->sim;
    *m = *sim;
    room.arena = mem;
    dci_sim_take_arrays(sim, (size_t)links, hulls, (size_t)excludes, nq, nv, &room, part);
    if (room.full) return NULL;

    /* the model */
    m->desc.link = m->link;
    m->desc.material = m->material;
    m->links = links;
    m->hulls = m->nq = m->nv = 0;
    for (k = excludes = 0; k < members; ++k) {
        const int piece = islands->member[k];
        hull = islands->hull_at[piece];
        for (i = islands->link_at[piece]; i < islands->link_at[piece + 1]; ++i) {
            part->whole_at[islands->renamed[i]] = sim->q_at[i];
            dci_sim_take_link(islands, i, &hull, m);
        }
        excludes += dci_sim_rename_excludes(islands, piece, m->exclude + 2*excludes);
    }
    m->excludes = excludes;
    for (k = 0; sim->materials > 0 && k < sim->planes; ++k) m->material[links + k] = sim->material[sim->links + k];
    dci_sim_fill_pieces(m);
    for (k = 0; k < members; ++k)
        for (i = islands->link_at[islands->member[k]]; i < islands->link_at[islands->member[k] + 1]; ++i)
            islands->renamed[i] = -1;
    return part;
}

/* A step of a model as it is: dc_sim_step of arguments that are checked. drift: NULL, or [hulls] where they go. */
static DCI_NOINLINE dc_status dci_sim_step_whole(const dc_sim *sim, const dc_real *q_prev, const dc_real *q,
                                                 const dc_sim_control *control, const dci_sim_part *part,
                                                 dci_sim_drift *drift, dc_arena *mem, dc_real *q_next,
                                                 dc_sim_info *info)
{
    dci_sim_work *W = NULL;
    const size_t used = mem->used;
    dc_status status = dci_sim_open(sim, q_prev, q, control, 0, 0, mem, &W);

    if (status == DC_OK) status = dci_sim_take_duals(&W->problem, mem, &W->duals);
    if (status == DC_OK) {
        if (drift) memset(drift, 0, (size_t)sim->hulls*sizeof *drift);
        W->path.drift = drift;
        W->iterate.whole_at = part ? part->whole_at : NULL;
        W->iterate.corner = part ? part->corner : sim->nq;
        status = dci_sim_minimise(W, info);
    }

    /* places beyond DC_LIMIT that were not the caller's */
    if ((status == DC_OK || status == DC_E_DIVERGED) && !dci_sim_state_ok(sim, W->iterate.q)) status = DC_E_RANGE;
    if (status == DC_E_ARG) status = DC_E_RANGE;

    if (status == DC_OK || status == DC_E_DIVERGED) memcpy(q_next, W->iterate.q, (size_t)sim->nq*sizeof *q_next);
    if (status == DC_E_OVERLAP) {
        info->hull_a = W->at.hull_a;
        info->hull_b = W->at.hull_b;
    }
    if (W && status != DC_E_MEMORY) {
        info->bytes = (mem->used > W->most ? mem->used : W->most) - used;
        info->bytes = dc_bytes(info->bytes, dci_sim_scratch_bytes(sim) + DC_ALIGN, 1);
    }
    mem->used = used;
    return status;
}

/* hull k of the part of the members in the whole model */
static int dci_sim_whole_hull(const dci_sim_islands *islands, int k)
{
    const int *member = islands->member;
    for (; k >= islands->hull_at[*member + 1] - islands->hull_at[*member]; ++member)
        k -= islands->hull_at[*member + 1] - islands->hull_at[*member];
    return islands->hull_at[*member] + k;
}

/* What the step of the island whose turn it is takes. 0: there is no memory. */
static DCI_NOINLINE int dci_sim_open_island(const dc_real *q_prev, const dc_real *q, const dc_sim_control *control,
                                            const dc_sim_info *whole, dc_arena *mem, dci_sim_islands *islands)
{
    const dc_sim *sim = islands->sim;
    dci_sim_turn *turn = &islands->turn;
    const int members = dci_sim_gather_members(turn->first, islands);
    dc_sim_info *info = islands->info + turn->first;
    dci_sim_part *part;

    memset(info, 0, sizeof *info);
    info->path = whole->path;
    info->path_size = whole->path_size;
    info->hull_a = info->hull_b = -1;
    islands->solved[turn->first] = 1;
    turn->used = mem->used;
    turn->members = members;
    turn->info = info;

    /* all there is */
    turn->sim = sim;
    turn->q_prev = q_prev;
    turn->q = q;
    turn->control = control;
    turn->part = NULL;
    turn->drift = islands->drift;
    turn->q_next = islands->q;
    if (members == sim->pieces) return 1;

    /* or the island's states and control */
    turn->part = part = dci_sim_open_part(islands, members, mem);
    if (!part) return 0;
    part->corner = sim->nq;
    turn->sim = &part->sim;
    turn->q_prev = dci_sim_collect(islands, members, 0, q_prev, part->q_prev);
    turn->q = turn->q_next = part->q;
    dci_sim_collect(islands, members, 0, q, part->q);
    turn->drift = part->drift;
    if (!control) return 1;
    part->control.target = dci_sim_collect(islands, members, 0, control->target, part->target);
    part->control.velocity = dci_sim_collect(islands, members, 1, control->velocity, part->velocity);
    part->control.force = dci_sim_collect(islands, members, 1, control->force, part->force);
    turn->control = &part->control;
    return 1;
}

/* The island was solved, or not: into the whole's state. What to go on with, DC_OK also where it diverged. */
static DCI_NOINLINE dc_status dci_sim_close_island(dc_status status, dc_sim_info *whole, dc_arena *mem,
                                                   dci_sim_islands *islands)
{
    const dci_sim_turn *turn = &islands->turn;
    const int nq = islands->sim->nq, members = turn->members, solved = status == DC_OK || status == DC_E_DIVERGED;
    dc_sim_info *info = turn->info;
    int k, j;

    islands->status[turn->first] = status;
    if (turn->part) info->bytes = dc_bytes(info->bytes, mem->used - turn->used, 1);
    info->newton = (dc_real)info->iterations*((dc_real)turn->sim->nv/(dc_real)islands->sim->nv);
    if (turn->part && solved) {
        dci_sim_spread_out(islands, members, turn->q_next, islands->q);
        for (k = j = 0; k < members; ++k) {
            const int begin = islands->hull_at[islands->member[k]], end = islands->hull_at[islands->member[k] + 1];
            memcpy(islands->drift + begin, turn->drift + j, (size_t)(end - begin)*sizeof *turn->drift);
            j += end - begin;
        }
        for (j = info->path_count; info->path && j < info->path_size; ++j)
            dci_sim_spread_out(islands, members, turn->q_next, info->path + (size_t)j*(size_t)nq);
    }
    if (turn->part && info->hull_a >= 0) info->hull_a = dci_sim_whole_hull(islands, info->hull_a);
    if (turn->part && info->hull_b >= 0) info->hull_b = dci_sim_whole_hull(islands, info->hull_b);
    mem->used = turn->used;
    whole->bytes = info->bytes > whole->bytes ? info->bytes : whole->bytes;
    if (solved) return DC_OK;
    whole->hull_a = info->hull_a;
    whole->hull_b = info->hull_b;
    return status;
}

/* what an island's step did, among the others */
static DCI_NOINLINE void dci_sim_add_info(const dc_sim_info *info, dc_sim_info *whole)
{
    whole->iterations = info->iterations > whole->iterations ? info->iterations : whole->iterations;
    whole->shifts = info->shifts > whole->shifts ? info->shifts : whole->shifts;
    whole->shortened = info->shortened > whole->shortened ? info->shortened : whole->shortened;
    whole->path_count = info->path_count > whole->path_count ? info->path_count : whole->path_count;
    whole->gap = dc_min(whole->gap, info->gap);
    whole->contacts += info->contacts;
    whole->newton += info->newton;
    if (info->residual*whole->scale > whole->residual*info->scale || whole->islands == 0) {
        whole->residual = info->residual;
        whole->scale = info->scale;
    }
    whole->islands++;
}

/* What is foreseen. NULL: there is no memory. */
static DCI_NOINLINE dci_sim_islands *dci_sim_open_islands(const dc_sim *sim, const dc_real *q_prev, const dc_real *q,
                                                          dc_arena *mem)
{
    dci_room room = DC_ZERO;
    dci_sim_islands *islands;

    room.arena = mem;
    islands = DCI_TAKE(&room, 1, dci_sim_islands);
    if (!islands) return NULL;
    memset(islands, 0, sizeof *islands);
    dci_sim_take_islands(sim, &room, islands);
    if (room.full) return NULL;
    dci_sim_part_all(islands);
    dci_sim_foresee(q_prev, q, islands);
    dci_sim_unite(1, islands);
    dci_sim_chain(islands);
    islands->turn.first = -1;
    islands->turn.rounds = 1;
    return islands;
}

/* Whose turn it is; 0: no two islands could have met. After a few rounds they look farther each time, so that this ends
 * soon; it does when all are one. */
static DCI_NOINLINE int dci_sim_next_island(dci_sim_islands *islands)
{
    const dc_sim *sim = islands->sim;
    dci_sim_turn *turn = &islands->turn;
    for (;;) {
        while (++turn->first < sim->pieces) {
            const int k = turn->first;
            if (islands->first[k] == k && !islands->solved[k] && !dci_sim_is_scenery(sim, k)) return 1;
        }
        if (dci_sim_unite(1, islands) + dci_sim_miss_scenery(islands) == 0) return 0;
        if (turn->rounds >= 3) dci_sim_unite((dc_real)(turn->rounds - 1), islands);
        turn->rounds++;
        turn->first = -1;
        dci_sim_chain(islands);
    }
}

/* all together */
static DCI_NOINLINE dc_status dci_sim_close_islands(const dci_sim_islands *islands, dc_real *q_next, dc_sim_info *info)
{
    const dc_sim *sim = islands->sim;
    dc_status status = DC_OK;
    int k;

    info->gap = dci_from_bits(DCI_INF);
    for (k = 0; k < sim->pieces; ++k) {
        if (islands->first[k] != k || dci_sim_is_scenery(sim, k)) continue;
        if (islands->status[k] != DC_OK) status = DC_E_DIVERGED;
        dci_sim_add_info(islands->info + k, info);
    }
    memcpy(q_next, islands->q, (size_t)sim->nq*sizeof *q_next);
    return status;
}

/* A step by islands. */
static dc_status dci_sim_step_islands(const dc_sim *sim, const dc_real *q_prev, const dc_real *q,
                                      const dc_sim_control *control, dc_arena *mem, dc_real *q_next, dc_sim_info *info)
{
    const size_t used = mem->used;
    dci_sim_islands *islands = dci_sim_open_islands(sim, q_prev, q, mem);
    dc_status status = islands ? DC_OK : DC_E_MEMORY;

    while (status == DC_OK && dci_sim_next_island(islands)) {
        const dci_sim_turn *turn = &islands->turn;
        status = DC_E_MEMORY;
        if (dci_sim_open_island(q_prev, q, control, info, mem, islands))
            status = dci_sim_step_whole(turn->sim, turn->q_prev, turn->q, turn->control, turn->part, turn->drift, mem,
                                        turn->q_next, turn->info);
        status = dci_sim_close_island(status, info, mem, islands);
    }
    info->bytes = status == DC_E_MEMORY ? 0 : dc_bytes(info->bytes, mem->used - used, 1);
    if (status == DC_OK) status = dci_sim_close_islands(islands, q_next, info);
    mem->used = used;
    return status;
}

DC_DEF size_t dc_sim_step_bytes(const dc_sim *sim)
{
    size_t sum;
    if (!sim || !sim->link) return 0;
    sum = dc_bytes(dci_sim_open_bytes(sim, 0), dci_sim_scratch_bytes(sim), 1);
    sum = dc_bytes(sum, dci_sim_island_bytes(sim), 1);
    return sum == SIZE_MAX ? 0 : sum;
}

DC_DEF dc_status dc_sim_step(const dc_sim *sim, const dc_real *q_prev, const dc_real *q, const dc_sim_control *control,
                             dc_arena *mem, dc_real *q_next, dc_sim_info *info)
{
    dc_sim_info unseen = DC_ZERO, *o = info ? info : &unseen;
    dc_status status;

    if (!sim || !sim->link || !q_prev || !q || !mem || !q_next) return DC_E_ARG;
    if (!dci_sim_state_ok(sim, q_prev) || !dci_sim_state_ok(sim, q) || !dci_sim_control_ok(sim, control))
        return DC_E_ARG;
    o->iterations = o->shifts = o->shortened = o->contacts = o->path_count = o->islands = 0;
    o->newton = o->residual = o->scale = 0;
    o->bytes = 0;
    o->hull_a = o->hull_b = -1;

    if (sim->pieces > 1 && !dci_sim_everywhere(&sim->desc))
        return dci_sim_step_islands(sim, q_prev, q, control, mem, q_next, o);
    status = dci_sim_step_whole(sim, q_prev, q, control, NULL, NULL, mem, q_next, o);
    o->newton = (dc_real)o->iterations;
    o->islands = 1;
    return status;
}

/* ---- [forces] forces of contact --------------------------------------------------------------- */
/* in: q, q_next; out: dc_contact_force.
 *
 * stage                | reads                      | writes
 * dci_sim_plane_forces | touches of a hull          | a contact a vertex
 * dci_sim_pair_forces  | two wrenches of a pair     | its contact
 * dci_sim_all_forces   | the place, pairs that meet | all contacts */

/* contacts as they are counted, and written where there is room */
typedef struct { dc_contact_force *contact; int most, count; } dci_sim_list;

static void dci_sim_list_force(const dc_contact_force *c, dci_sim_list *list)
{
    if (list->count < list->most) list->contact[list->count] = *c;
    ++list->count;
}

/* Hull k at plane p; DC_E_OVERLAP: it is through. */
static DCI_NOINLINE dc_status dci_sim_plane_forces(const dci_sim_problem *problem, const dci_sim_place *place, int k,
                                                   int p, dci_sim_list *list)
{
    const dc_sim *sim = problem->sim;
    const int i = sim->hull[k].link;
    const dc_real mu = sim->link[i].friction*sim->plane[p].friction*dci_sim_material(sim, i, sim->links + p);
    const dc_v3 down = dc_scale(-sim->hull[k].round, sim->plane[p].n);
    dci_sim_seen seen;
    dci_sim_touch t, slip;
    int j;

    if (!dci_sim_near_plane(problem, place, k, p, &seen)) return DC_OK;
    for (j = 0; j < sim->hull[k].n; ++j) {
        dc_contact_force c;
        if (!dci_sim_touches(problem, place, k, p, j, &seen, DCI_SIM_GRADIENT, NULL, &t)) return DC_E_OVERLAP;
        slip = t;
        if (sim->hull[k].round > 0)
            dci_sim_touches(problem, place, k, p, sim->hull[k].n + j, &seen, DCI_SIM_GRADIENT, NULL, &slip);
        if (!t.felt && !slip.slides) continue;

        /* the force that O has at the vertex, friction apart */
        c.body_a = i;
        c.body_b = -1;
        c.part_a = k;
        c.part_b = p;
        c.vertex = j;
        c.point = dc_add(dc_add(t.arm, place->pose[i].t), down);
        c.n = sim->plane[p].n;
        c.gap = t.slack;
        c.friction = slip.slides ? dc_scale(-mu, slip.slip) : dc_vec(0, 0, 0);
        c.normal = dc_neg(t.force);
        if (t.slides) c.normal = dc_sub(c.normal, c.friction);
        c.torque_a = c.torque_b = dc_vec(0, 0, 0);
        if (sim->hull[k].round > 0)     /* friction acts at the point that was lowest at time t */
            c.torque_a = dc_cross(dc_sub(slip.arm, dc_add(t.arm, down)), c.friction);
        dci_sim_list_force(&c, list);
    }
    return DC_OK;
}

/* The contact of a pair of links from the gradients of its potential and its friction by the twists, [12] both, and
 * the plane <x,n> + d = 0 that separates it, n unit; trees have none: n = 0. On the axis of a wrench F, M, which is
 * nearest at F x M/|F|^2, normal forces act; without any, friction. */
static void dci_sim_pair_forces(const dci_sim_place *place, const dci_sim_pair *p, const dc_real *potential,
                                const dc_real *friction, dc_v3 n, dc_real d, dc_real gap, dci_sim_list *list)
{
    const dc_real ks = -place->sim->desc.stiffness;
    const dc_v3 t = place->pose[p->link_a].t;
    const dc_v3 F = dc_scale(ks, dci_sim_v3(potential)), M = dc_scale(ks, dci_sim_v3(potential + 3));
    const dc_v3 S = dc_scale(ks, dci_sim_v3(friction)), T = dc_scale(ks, dci_sim_v3(friction + 3));
    const int pressed = dc_dot(F, F) > 0, tree = !(dc_dot(n, n) > 0);
    const dc_v3 force = pressed ? F : S;
    const dc_real size = dc_dot(force, force);
    dc_contact_force c;
    dc_v3 arm, M_b;

    if (!(size > 0)) return;

    /* where */
    c.body_a = p->link_a;
    c.body_b = p->link_b;
    c.part_a = p->hull_a;
    c.part_b = p->hull_b;
    c.vertex = -1;
    c.n = tree ? dc_scale(1/dc_sqrt(size), force) : n;
    arm = dc_scale(1/size, dc_cross(force, pressed ? M : T));
    if (!tree) arm = dc_madd(arm, -(dc_dot(n, dc_add(arm, t)) + d), n);
    c.point = dc_add(t, arm);
    c.gap = gap;

    /* how strong; what turns beside it */
    c.normal = F;
    c.friction = S;
    c.torque_a = dc_sub(dc_add(M, T), dc_cross(arm, dc_add(F, S)));
    M_b = dc_scale(ks, dc_add(dci_sim_v3(potential + 9), dci_sim_v3(friction + 9)));
    c.torque_b = dc_add(M_b, dc_cross(dc_sub(c.point, place->pose[p->link_b].t), dc_add(F, S)));
    dci_sim_list_force(&c, list);
}

/* A pair of hulls that are met at the place, or were at time t. */
static DCI_NOINLINE dc_status dci_sim_hull_forces(dci_sim_work *W, dci_sim_met *met, dci_sim_list *list)
{
    const dci_sim_problem *problem = &W->problem;
    const dci_sim_place *place = &W->at.place;
    const dc_sim *sim = problem->sim;
    const dci_sim_pair p = dci_sim_pair_of(sim, met->a, met->b);
    const dc_pose *a = place->pose + p.link_a, *b = place->pose + p.link_b;
    dc_hull A = dci_sim_hull_of(sim, p.hull_a), B = dci_sim_hull_of(sim, p.hull_b);
    dci_sim_jet *jet = W->scratch.jet;
    dc_plane plane = met->before;
    dc_real normal[12] = {0}, friction[12] = {0}, length, d;
    dc_status s = DC_OK, slip = DC_OK;
    dc_v3 n;
    int v;

    /* normal force */
    if (met->found == W->broad.sweeps) {
        s = dc_pair_rigid(&problem->pair, &A, a, &B, b, W->scratch.mem, &met->plane, &jet->value, normal, NULL, NULL);
        if (s != DC_OK && s != DC_E_DIVERGED) return s;
        if (jet->value > 0) plane = met->plane;
    }

    /* friction */
    if (met->load && p.friction > 0) {
        slip = dci_sim_move_friction(met->load, &W->scratch, &A, a, &B, b, 1, jet);
        if (slip != DC_OK && slip != DC_E_DIVERGED) return slip;
        for (v = 0; v < 12; ++v) friction[v] = jet->grad[v];
    }

    length = dc_sqrt(dc_dot(plane.n, plane.n));
    if (!(length > 0)) return DC_OK;
    n = dc_scale(1/length, plane.n);
    d = plane.d/length;
    dci_sim_pair_forces(place, &p, normal, friction, n, d,
                        dci_sim_room(place, p.hull_a, n, d) + dci_sim_room(place, p.hull_b, dc_neg(n), -d), list);
    return s != DC_OK ? s : slip;
}

/* all at q_next; a pair whose plane was not found to rounding: DC_E_DIVERGED in the end */
static DCI_NOINLINE dc_status dci_sim_all_forces(dci_sim_work *W, const dc_real *q_next, dci_sim_list *list)
{
    const dci_sim_problem *problem = &W->problem;
    const dc_sim *sim = problem->sim;
    const dci_sim_place *place = &W->at.place;
    dc_status s = DC_OK, doubt = DC_OK;
    int i, p;

    dci_sim_forward(q_next, &W->at.place);
    for (i = 0; i < sim->hulls; ++i)
        for (p = 0; p < sim->planes && s == DC_OK; ++p) s = dci_sim_plane_forces(problem, place, i, p, list);
    if (s != DC_OK) return s;

    /* pairs of trees, as evaluated there in full */
    if (sim->desc.trees) {
        dci_sim_update_models(problem, place, DCI_SIM_IN_FULL, &W->scratch, &W->trees);
        for (i = 0; i < sim->pairs; ++i) {
            const dci_sim_model *model = W->trees.model + i;
            const dci_sim_pair pair = dci_sim_pair_at(sim, i);
            if (model->status != DC_OK) return model->status;
            dci_sim_pair_forces(place, &pair, model->potential.grad, model->friction.grad, dc_vec(0, 0, 0), 0,
                                dci_sim_far_off(sim, model), list);
        }
        return DC_OK;
    }

    /* pairs of hulls */
    if (!dci_sim_broad_phase(place, W->scratch.mem, &W->broad, problem->met)) return DC_E_MEMORY;
    for (i = 0; i < sim->hulls; ++i) {
        dci_sim_met *met;
        for (met = problem->met[i]; met; met = met->next) {
            s = dci_sim_hull_forces(W, met, list);
            if (s == DC_E_DIVERGED) doubt = s;
            else if (s != DC_OK) return s;
        }
    }
    return doubt;
}

DC_DEF dc_status dc_sim_contacts(const dc_sim *sim, const dc_real *q, const dc_real *q_next, dc_arena *mem, int most,
                                 dc_contact_force *contact, int *count)
{
    dci_sim_work *W = NULL;
    dci_sim_list list;
    dc_status s;
    size_t used;

    if (!sim || !sim->link || !q || !q_next || !mem || most < 0 || (!contact && most > 0) || !count) return DC_E_ARG;
    if (!dci_sim_state_ok(sim, q) || !dci_sim_state_ok(sim, q_next)) return DC_E_ARG;
    used = mem->used;
    list.contact = NULL;
    list.most = list.count = 0;

    /* counted, then written */
    s = dci_sim_open(sim, q, q, NULL, 0, 0, mem, &W);
    if (s == DC_OK) s = dci_sim_all_forces(W, q_next, &list);
    if (s == DC_OK || s == DC_E_DIVERGED) {
        *count = list.count;
        if (list.count > most) s = DC_E_MEMORY;
        else {
            list.contact = contact;
            list.most = most;
            list.count = 0;
            (void)dci_sim_all_forces(W, q_next, &list);
        }
    }
    mem->used = used;
    return s == DC_E_ARG ? DC_E_RANGE : s;              /* as in dc_sim_step */
}

/* ---- [terms] second derivatives of O by what it depends on ------------------------------------ */
/* in: problem, O at q_next with its place; out: d2O/dq_next dp for every kind of parameter p, into sinks.
 *
 * stage               | reads                        | writes, by
 * dci_sim_by_inertia  | places                       | both states, mass, vertices
 * dci_sim_by_joints   | q_next, control              | the state at t, control
 * dci_sim_by_plane    | touches of a hull at a plane | the state at t, friction, vertices
 * dci_sim_by_friction | friction of a pair of hulls  | the state at t, friction
 * dci_sim_by_pair     | a pair of hulls in the world | vertices
 * dci_sim_by_trees    | contacts of a pair of trees  | the state at t, friction
 * dci_sim_all_terms   | all of these                 | all sinks */

typedef struct { dci_sim_sink prev, now, control, mass, friction, vertex; } dci_sim_sinks;

typedef struct {
    const dci_sim_problem *problem;
    const dci_sim_energy *at;       /* at q_next; has the sink of attachments */
    const dci_sim_place *prev;      /* at t - h */
    dci_sim_sinks by;               /* q_prev, q, and the design */
    dci_sim_scratch scratch;
    dc_real *mixed;                 /* [144] of a pair by the twists now, then at time t */
    dc_status status;               /* why there are none */

    /* of a pair by its vertices, of which there are 2 most */
    dc_v3 *world;                   /* [2 most] a and b */
    dc_real *vertex_grad;           /* [3N] N = 2 most */
    dc_real *vertex_hessian;        /* [3N x 3N] */
    dc_real *vertex_friction;       /* [12 x 3N] wrenches of friction */
} dci_sim_terms;

/* forces of a block by old poses: rows link i, columns link j */
static void dci_sim_by_old(dci_sim_terms *terms, int i, int j, const dc_real *B, int ldb)
{
    const dci_sim_energy *at = terms->at;
    dci_sim_put_block(&at->place, i, &terms->problem->before, j, B, ldb, &terms->by.now, &at->attach);
}

/* all four blocks of a pair of links */
static void dci_sim_pair_by_old(dci_sim_terms *terms, const dci_sim_pair *p, const dc_real M[144])
{
    const int i = p->link_a, j = p->link_b;
    dci_sim_by_old(terms, i, i, M, 12);
    dci_sim_by_old(terms, i, j, M + 6, 12);
    dci_sim_by_old(terms, j, i, M + 72, 12);
    dci_sim_by_old(terms, j, j, M + 78, 12);
}

/* by the coefficients of both links, their product's derivative being g times ks */
static void dci_sim_pair_by_friction(dci_sim_terms *terms, const dci_sim_pair *p, dc_real ks, const dc_real g[12])
{
    const dci_sim_place *place = &terms->at->place;
    const dc_sim_link *link = place->sim->link;
    const dc_real factor = dci_sim_material(place->sim, p->link_a, p->link_b);
    int side, v;
    for (side = 0; side < 2; ++side) {
        const int i = side ? p->link_b : p->link_a, other = side ? p->link_a : p->link_b;
        dc_real w[12];
        for (v = 0; v < 12; ++v) w[v] = ks*factor*link[other].friction*g[v];
        dci_sim_put(place, &terms->by.friction, p->link_a, i, w);
        dci_sim_put(place, &terms->by.friction, p->link_b, i, w + 6);
    }
}

/* Products with a vector, which moves link i by the twist z and T by Z = [[w]x R, v]: those of the wrench of D dM, by
 * M, are s tr(Z dM D^T), so that the ten numbers of D^T Z + Z^T D serve all vertices. */
static void dci_sim_inertia_back(const dci_sim_terms *terms, int i, const dc_real D[12])
{
    const dc_sim *sim = terms->problem->sim;
    const dc_m3 *R = terms->at->place.rotation + i;
    const dc_real *z = terms->by.vertex.twist + 6*i, s = 1/(sim->desc.h*sim->desc.h);
    const dc_m3 wx = dc_m3_skew(dci_sim_v3(z + 3)), wR = dc_m3_mul(&wx, R);
    dc_real Z[12], by_moment[10];
    int k, a, b, c, v;

    for (k = 0; k < 9; ++k) Z[k + k/3] = wR.m[k];
    for (k = 0; k < 3; ++k) Z[4*k + 3] = z[k];
    for (a = 0, c = 0; a < 4; ++a)
        for (b = a; b < 4; ++b, ++c) {
            dc_real sum = 0;
            for (k = 0; k < 12; k += 4) sum += D[k + a]*Z[k + b] + (a == b ? 0 : D[k + b]*Z[k + a]);
            by_moment[c] = s*sum;
        }
    for (k = 0; terms->by.vertex.out && k < sim->hulls; ++k) {
        const dc_sim_hull *hull = sim->hull + k;
        if (hull->link != i) continue;
        for (v = 3*hull->begin; v < 3*(hull->begin + hull->n); ++v) {
            const dc_real *grad = sim->moment_grad + 10*v;
            for (c = 0; c < 10; ++c) terms->by.vertex.out[v] += grad[c]*by_moment[c];
        }
    }
}

static DCI_NOINLINE void dci_sim_by_inertia(dci_sim_terms *terms, int i)
{
    const dci_sim_problem *problem = terms->problem;
    const dci_sim_place *now = &terms->at->place;
    const dc_sim *sim = problem->sim;
    const dc_real *M = sim->moment + 16*i;
    const dc_m3 *R = now->rotation + i;
    dc_real X[36] = {0}, T[12], w[6], h = sim->desc.h, s = 1/(h*h);
    int k, a, b, c, v;

    /* by the states: Y = 2 T^t - T^(t-1) */
    dci_sim_cross_inertia(M, R, problem->before.rotation + i, -2*s, X);
    dci_sim_by_old(terms, i, i, X, 6);
    for (k = 0; k < 36; ++k) X[k] = 0;
    dci_sim_cross_inertia(M, R, terms->prev->rotation + i, s, X);
    dci_sim_put_block(now, i, terms->prev, i, X, 6, &terms->by.prev, &terms->at->attach);

    /* by M: the wrench of (T - Y) dM */
    dci_sim_matrix(now, i, T);
    for (k = 0; k < 12; ++k) T[k] -= problem->inert[12*i + k];
    if (terms->by.mass.out && M[15] > 0) {
        dc_real N[16];
        for (k = 0; k < 16; ++k) N[k] = M[k]/M[15];
        dci_sim_wrench(T, N, R, s, w);
        dci_sim_put(now, &terms->by.mass, i, i, w);
    }
    if (terms->by.vertex.twist) {
        dci_sim_inertia_back(terms, i, T);
        return;
    }
    for (k = 0; terms->by.vertex.out && k < sim->hulls; ++k) {
        const dc_sim_hull *hull = sim->hull + k;
        if (hull->link != i) continue;
        for (v = 3*hull->begin; v < 3*(hull->begin + hull->n); ++v) {
            dc_real D[16];
            for (a = 0, c = 0; a < 4; ++a)
                for (b = a; b < 4; ++b, ++c) D[4*a + b] = D[4*b + a] = sim->moment_grad[10*v + c];
            dci_sim_wrench(T, D, R, s, w);
            dci_sim_put(now, &terms->by.vertex, i, v, w);
        }
    }
}

/* column c of a matrix */
static dc_v3 dci_sim_col(const dc_m3 *M, int c) { return dc_vec(M->m[c], M->m[3 + c], M->m[6 + c]); }

/* The point of a ball that is next to plane p at time t moves on hull k as this turns then, by r R1 R0^T (w x n) now:
 * what the wrench of its friction changes by, added to B. */
static void dci_sim_by_roll(const dci_sim_terms *terms, int k, int p, const dci_sim_touch *t, dc_real B[36])
{
    const dc_sim *sim = terms->problem->sim;
    const int i = sim->hull[k].link;
    int c, r;
    for (c = 0; c < 3; ++c) {
        const dc_v3 old = dc_scale(sim->hull[k].round, dc_cross(dci_axis(c), sim->plane[p].n));
        const dc_v3 y = dc_mul(terms->at->place.rotation + i, dc_mul_t(terms->problem->before.rotation + i, old));
        dc_real to[6] = {0};
        dci_sim_put3(dc_cross(y, t->force), to + 3);
        dci_sim_push(to, t->arm, dc_mul(&t->stiffness, y));
        for (r = 0; r < 6; ++r) B[6*r + 3 + c] += to[r];
    }
}

/* Products with a vector, which moves touch t of hull k and plane p by u and turns its link by w: by the places of its
 * vertex now and at time t, f x w + K^T u and M^T u, f, K and M being the touch's force, stiffness and mixed. */
static void dci_sim_plane_back(const dci_sim_terms *terms, int k, int p, int vertex, const dci_sim_touch *t)
{
    const dci_sim_sinks *by = &terms->by;
    const dci_sim_place *before = &terms->problem->before;
    const dc_sim *sim = before->sim;
    const int i = sim->hull[k].link;
    const dc_m3 *R0 = before->rotation + i, *R1 = terms->at->place.rotation + i;
    const dc_real *z = by->now.twist + 6*i;
    const dc_v3 w = dci_sim_v3(z + 3), u = dc_add(dci_sim_v3(z), dc_cross(w, t->arm));
    const dc_v3 old = dc_mul_t(&t->mixed, u), now = dc_add(dc_cross(t->force, w), dc_mul_t(&t->stiffness, u));
    dc_real *pulled = by->now.pulled + 6*i;

    if (t->slides) {
        /* as in dci_sim_by_roll */
        const dc_v3 y = dc_scale(sim->hull[k].round, dc_mul(R0, dc_mul_t(R1, now)));
        const dc_real slip = dci_sim_material(sim, i, sim->links + p)*dc_dot(u, t->slip);
        dci_sim_push(pulled, dc_add(t->arm_before, dci_sim_arm(before, i)), old);
        dci_sim_put3(dc_add(dci_sim_v3(pulled + 3), dc_cross(sim->plane[p].n, y)), pulled + 3);
        if (by->friction.out) by->friction.out[i] += sim->plane[p].friction*slip;
        if (by->friction.out) by->friction.out[sim->links + p] += sim->link[i].friction*slip;
    }
    if (by->vertex.out) {
        dc_real *out = by->vertex.out + 3*vertex;
        dci_sim_put3(dc_add(dci_sim_v3(out), dc_add(dc_mul_t(R1, now), dc_mul_t(R0, old))), out);
    }
}

/* hull k at plane p */
static DCI_NOINLINE void dci_sim_by_plane(dci_sim_terms *terms, int k, int p)
{
    const dci_sim_problem *problem = terms->problem;
    const dci_sim_place *now = &terms->at->place;
    const dc_sim *sim = problem->sim;
    const int i = sim->hull[k].link;
    const dc_real factor = dci_sim_material(sim, i, sim->links + p);
    int j, c;
    dci_sim_seen seen;
    dci_sim_touch t;

    if (!dci_sim_near_plane(problem, now, k, p, &seen)) return;
    for (j = 0; j < dci_sim_touch_count(sim->hull + k); ++j) {
        dc_real B[36], w[6] = {0};
        if (!dci_sim_touches(problem, now, k, p, j, &seen, DCI_SIM_DERIVATIVES, NULL, &t)) continue;
        if (!t.felt && !t.slides) continue;
        if (terms->by.now.twist) {
            dci_sim_plane_back(terms, k, p, sim->hull[k].begin + j%sim->hull[k].n, &t);
            continue;
        }
        if (t.slides) {
            /* the state at t, then the coefficients of the link and the plane */
            dci_sim_zero(B, 36);
            dci_sim_arms(B, t.arm, &t.mixed, t.arm_before);
            if (sim->hull[k].round > 0) dci_sim_by_roll(terms, k, p, &t, B);
            dci_sim_by_old(terms, i, i, B, 6);
            dci_sim_push(w, t.arm, t.slip);
            for (c = 0; c < 6; ++c) w[c] *= factor*sim->plane[p].friction;
            dci_sim_put(now, &terms->by.friction, i, i, w);
            for (c = 0; c < 6; ++c) w[c] = 0;
            dci_sim_push(w, t.arm, dc_scale(factor*sim->link[i].friction, t.slip));
            dci_sim_put(now, &terms->by.friction, i, sim->links + p, w);
        }

        /* the vertex, whose places now and at time t move */
        for (c = 0; terms->by.vertex.out && c < 3; ++c) {
            dc_v3 e = dci_sim_col(now->rotation + i, c), f = dc_mul(&t.stiffness, e);
            f = dc_add(f, dc_mul(&t.mixed, dci_sim_col(problem->before.rotation + i, c)));
            w[0] = w[1] = w[2] = 0;
            dci_sim_put3(dc_cross(e, t.force), w + 3);
            dci_sim_push(w, t.arm, f);
            dci_sim_put(now, &terms->by.vertex, i, 3*(sim->hull[k].begin + j%sim->hull[k].n) + c, w);
        }
    }
}

/* change of the forces on n vertices by one coordinate of a vertex: ks H e, rows of H from `row` on; as a wrench about
 * a point `about` */
static void dci_sim_vertex_wrench(const dc_real *H, dc_v3 e, size_t ld, dc_real ks, const dc_v3 *x, int n, dc_v3 about,
                                  dc_real w[6])
{
    int v, r;

    for (v = 0; v < n; ++v) {
        dc_real f[3];
        for (r = 0; r < 3; ++r) {
            const size_t at = (size_t)(3*v + r)*ld;
            f[r] = ks*(H[at]*e.x + H[at + 1]*e.y + H[at + 2]*e.z);
        }
        dci_sim_push(w, dc_sub(x[v], about), dci_sim_v3(f));
    }
}

/* Hulls a and b by their vertices: the forces of their potential on them and its second derivatives. */
static DCI_NOINLINE void dci_sim_by_vertices(dci_sim_terms *terms, const dci_sim_met *met)
{
    const dci_sim_place *now = &terms->at->place;
    const dc_sim *sim = now->sim;
    const dc_real ks = sim->desc.stiffness;
    const dc_sim_hull *hull[2];
    size_t N;
    int side, to, j, c;

    hull[0] = sim->hull + met->a;
    hull[1] = sim->hull + met->b;
    N = 3*(size_t)(hull[0]->n + hull[1]->n);

    /* coordinate c of vertex j of one side; forces on both */
    for (side = 0; side < 2; ++side)
        for (j = 0; j < hull[side]->n; ++j)
            for (c = 0; c < 3; ++c) {
                const int link = hull[side]->link;
                const size_t at = 3*(size_t)(side ? hull[0]->n : 0) + 3*(size_t)j;
                const dc_v3 e = dci_sim_col(now->rotation + link, c);
                const dc_v3 turned = dc_scale(ks, dc_cross(e, dci_sim_v3(terms->vertex_grad + at)));
                for (to = 0; to < 2; ++to) {
                    const size_t first = (to ? 3*(size_t)hull[0]->n : 0)*N + at;
                    dc_real w[6] = {0};
                    dci_sim_vertex_wrench(terms->vertex_hessian + first, e, N, ks, terms->world + to*sim->most,
                                          hull[to]->n, now->pose[hull[to]->link].t, w);
                    if (to == side) {
                        w[3] += turned.x;
                        w[4] += turned.y;
                        w[5] += turned.z;
                    }
                    dci_sim_put(now, &terms->by.vertex, hull[to]->link, 3*(hull[side]->begin + j) + c, w);
                }
            }
}

/* The same of their friction, the derivatives of whose wrenches are known. */
static void dci_sim_friction_by_vertices(dci_sim_terms *terms, const dci_sim_met *met)
{
    const dci_sim_place *now = &terms->at->place;
    const dc_sim *sim = now->sim;
    const dc_sim_hull *a = sim->hull + met->a, *b = sim->hull + met->b;
    const int columns = 3*(a->n + b->n);
    int j, r;

    for (j = 0; j < columns; ++j) {
        const int column = j < 3*a->n ? 3*a->begin + j : 3*(b->begin - a->n) + j;
        dc_real w[12];
        for (r = 0; r < 12; ++r) w[r] = sim->desc.stiffness*terms->vertex_friction[r*columns + j];
        dci_sim_put(now, &terms->by.vertex, a->link, column, w);
        dci_sim_put(now, &terms->by.vertex, b->link, column, w + 6);
    }
}

/* Both hulls in the world. */
static DCI_NOINLINE void dci_sim_to_world(dci_sim_terms *terms, const dci_sim_met *met, dc_hull at[2])
{
    const dc_sim *sim = terms->problem->sim;
    int side, v;
    for (side = 0; side < 2; ++side) {
        const int hull = side ? met->b : met->a;
        const dc_hull h = dci_sim_hull_of(sim, hull);
        const dc_pose *p = terms->at->place.pose + sim->hull[hull].link;
        at[side] = h;
        at[side].v = terms->world + side*sim->most;
        for (v = 0; v < h.n; ++v) terms->world[side*sim->most + v] = dc_pose_apply(*p, h.v[v]);
    }
}

/* The friction of hulls A and B of two links over mu: its gradient by the twists now, g, and its derivatives by those
 * at time t, M; from the plane at time t */
static DCI_NOINLINE dc_status dci_sim_friction_by_old(const dci_sim_terms *terms, const dci_sim_pair *p,
                                                      const dc_hull *A, const dc_hull *B, dc_plane *plane,
                                                      dc_real g[12], dc_real M[144])
{
    const dci_sim_problem *problem = terms->problem;
    const dc_sim_desc *desc = &problem->sim->desc;
    const dc_pose *old = problem->before.pose, *now = terms->at->place.pose;
    return dc_friction_rigid(&desc->friction, &problem->pair, 1, desc->h, A, old + p->link_a, now + p->link_a, B,
                             old + p->link_b, now + p->link_b, terms->scratch.mem, plane, NULL, g, NULL, M, NULL);
}

/* Two hulls: products of all derivatives of their friction with a vector, at once. */
static DCI_NOINLINE void dci_sim_friction_back(dci_sim_terms *terms, dci_sim_met *met)
{
    const dci_sim_problem *problem = terms->problem;
    const dci_sim_sinks *by = &terms->by;
    const dc_sim *sim = problem->sim;
    const dci_sim_pair p = dci_sim_pair_of(sim, met->a, met->b);
    const dc_hull A = dci_sim_hull_of(sim, p.hull_a), B = dci_sim_hull_of(sim, p.hull_b);
    const dc_pose *old = problem->before.pose, *now = terms->at->place.pose;
    const dc_real ks = sim->desc.stiffness, s = ks*p.friction;
    dc_real z[12], g[12], pulled[12], y[6];
    dc_real *by_vertex = by->vertex.out ? terms->vertex_grad : NULL;
    int k, side;
    dc_status status;

    /* by the coefficient, even where it is zero */
    memcpy(z, by->now.twist + 6*p.link_a, 6*sizeof *z);
    memcpy(z + 6, by->now.twist + 6*p.link_b, 6*sizeof *z);
    status = dc_friction_vjp(&sim->desc.friction, &problem->pair, 1, sim->desc.h, &A, old + p.link_a, now + p.link_a,
                             &B, old + p.link_b, now + p.link_b, terms->scratch.mem, &met->before, z, g, pulled,
                             by_vertex);
    if (status != DC_OK) {
        terms->status = status;
        return;
    }
    dci_sim_pair_by_friction(terms, &p, ks, g);
    if (!(s > 0)) return;

    for (side = 0; side < 2; ++side) {
        const dc_sim_hull *hull = sim->hull + (side ? p.hull_b : p.hull_a);
        const dc_real *x = by_vertex ? by_vertex + (side ? 3*A.n : 0) : NULL;
        dci_sim_shift(dci_sim_arm(&problem->before, hull->link), pulled + 6*side, y);
        for (k = 0; k < 6; ++k) by->now.pulled[6*hull->link + k] += s*y[k];
        for (k = 0; by_vertex && k < 3*hull->n; ++k) by->vertex.out[3*hull->begin + k] += s*x[k];
    }
}

/* Two hulls: friction by the state at time t and by the coefficients. */
static DCI_NOINLINE void dci_sim_by_friction(dci_sim_terms *terms, dci_sim_met *met)
{
    const dc_sim *sim = terms->problem->sim;
    const dci_sim_pair p = dci_sim_pair_of(sim, met->a, met->b);
    const dc_real ks = sim->desc.stiffness;
    dc_hull A = dci_sim_hull_of(sim, p.hull_a), B = dci_sim_hull_of(sim, p.hull_b);
    dc_real *g = terms->scratch.jet->grad, *M = terms->mixed;
    int v;
    dc_status s;

    if (!met->load) return;
    if (terms->by.now.twist) {
        dci_sim_friction_back(terms, met);
        return;
    }

    /* by the coefficient, even where it is zero */
    s = dci_sim_friction_by_old(terms, &p, &A, &B, &met->before, g, M);
    if (s != DC_OK) {
        terms->status = s;
        return;
    }
    dci_sim_pair_by_friction(terms, &p, ks, g);
    if (!(p.friction > 0)) return;
    for (v = 0; v < 144; ++v) M[v] *= ks*p.friction;
    dci_sim_pair_by_old(terms, &p, M);
}

/* Two hulls by their vertices. */
static DCI_NOINLINE void dci_sim_by_pair(dci_sim_terms *terms, dci_sim_met *met)
{
    const dci_sim_problem *problem = terms->problem;
    const dc_sim *sim = problem->sim;
    const dci_sim_pair p = dci_sim_pair_of(sim, met->a, met->b);
    const dc_real reach = dci_sim_reach(sim, 0);
    const int felt = met->room < reach && dci_sim_apart(&terms->at->place, p.hull_a, p.hull_b) < reach;
    const dc_pose *old = problem->before.pose, *now = terms->at->place.pose;
    dc_real P = 0;
    dc_hull at[2];
    dc_status s = DC_OK;

    if (!felt && !met->load) return;

    /* the potential */
    if (felt) {
        dci_sim_to_world(terms, met, at);
        s = dc_pair(&problem->pair, at, at + 1, terms->scratch.mem, &met->plane, &P, terms->vertex_grad,
                    terms->vertex_hessian, NULL);
        if (s == DC_OK && P > 0) dci_sim_by_vertices(terms, met);
    }

    /* friction, if its products are not there already */
    if (met->load && s == DC_OK && p.friction > 0 && !terms->by.vertex.twist) {
        const dc_hull A = dci_sim_hull_of(sim, p.hull_a), B = dci_sim_hull_of(sim, p.hull_b);
        s = dc_friction_shape(&sim->desc.friction, &problem->pair, p.friction, sim->desc.h, &A, old + p.link_a,
                              now + p.link_a, &B, old + p.link_b, now + p.link_b, terms->scratch.mem, &met->before,
                              terms->vertex_friction);
        if (s == DC_OK) dci_sim_friction_by_vertices(terms, met);
    }
    if (s != DC_OK) terms->status = s;
}

/* the same for contact c of pair k of trees, over its weight too */
static DCI_NOINLINE dc_status dci_sim_contact_by_old(const dci_sim_terms *terms, int k, const dc_bsh_contact *c,
                                                     dc_real g[12], dc_real M[144])
{
    const dc_sim *sim = terms->problem->sim;
    const dci_sim_pair p = dci_sim_pair_at(sim, k);
    dc_hull A = dci_sim_triangle(sim, p.hull_a, c->triangle_a), B = dci_sim_triangle(sim, p.hull_b, c->triangle_b);
    dc_plane plane = c->plane;
    return dci_sim_friction_by_old(terms, &p, &A, &B, &plane, g, M);
}

/* Pair k of trees: friction of its triangle pairs, whose weights are those of time t. The potential does not know the
 * old state. */
static DCI_NOINLINE void dci_sim_by_trees(dci_sim_terms *terms, int k)
{
    const dc_sim *sim = terms->problem->sim;
    const dci_sim_friction *friction = &terms->problem->friction;
    const dci_sim_pair p = dci_sim_pair_at(sim, k);
    const dc_real mu = p.friction, ks = sim->desc.stiffness;
    dc_real *g = terms->scratch.jet->grad, *M = terms->mixed, *sum_M = terms->scratch.jet->hessian, sum_g[12] = {0};
    int c, v, r;

    if (friction->begin[k] == friction->begin[k + 1]) return;
    for (v = 0; v < 144; ++v) sum_M[v] = 0;

    /* d(weight g) = weight dg + g dweight */
    for (c = friction->begin[k]; c < friction->begin[k + 1]; ++c) {
        const dc_bsh_contact *t = friction->contact + c;
        const dc_status s = dci_sim_contact_by_old(terms, k, t, g, M);
        if (s != DC_OK && s != DC_E_DIVERGED) {
            terms->status = s;
            return;
        }
        for (r = 0; r < 12; ++r) {
            sum_g[r] += ks*t->weight*g[r];
            for (v = 0; v < 12; ++v)
                sum_M[12*r + v] += ks*mu*(t->weight*M[12*r + v] + g[r]*t->weight_grad[v]);
        }
    }
    dci_sim_pair_by_friction(terms, &p, 1, sum_g);
    if (mu > 0) dci_sim_pair_by_old(terms, &p, sum_M);
}

/* a joint that rotates, its coordinates from a on: springs, then the torque */
static void dci_sim_by_rotation(dci_sim_terms *terms, const dc_real *q, int i, int a)
{
    const dci_sim_problem *problem = terms->problem;
    const dc_sim *sim = problem->sim;
    const dc_sim_control *u = problem->control;
    const dci_sim_sink *control = &terms->by.control;
    const dc_quat x = dci_sim_q4(q + sim->q_at[i]), old = dci_sim_q4(problem->q + sim->q_at[i]);
    const dc_real h = sim->desc.h;
    const int nv = sim->nv;
    int k, j, term;
    dc_quat p;
    dc_v3 g;
    dc_m3 H, mixed, by_now, by_torque;
    dc_real kappa;

    for (term = 0; term < DCI_SIM_SPRINGS; ++term) {
        if (!dci_sim_rotation(problem, i, term, &kappa, &p)) continue;
        dci_sim_spring(kappa, x, p, &g, &H, &mixed);
        by_now = mixed;
        if (term == DCI_SIM_VELOCITY && u && u->velocity) {
            /* p = exp(h omega) q^t: its twist is h J_l domega + exp(h omega) dq^t */
            dc_v3 w = dc_scale(h, dci_sim_v3(u->velocity + a));
            dc_m3 R = dc_m3_exp(w), J = dc_so3_jl(w);
            by_now = dc_m3_mul(&mixed, &R);
            mixed = dc_m3_mul(&mixed, &J);
        }
        for (k = 0; k < 3; ++k)
            for (j = 0; j < 3; ++j) {
                const dc_real m = mixed.m[3*k + j];
                if (term == DCI_SIM_TARGET) dci_sim_put_row(control, a + k, a + j, m);
                if (term == DCI_SIM_VELOCITY) dci_sim_put_row(control, a + k, nv + a + j, h*m);
                if (term != DCI_SIM_TARGET) dci_sim_put_row(&terms->by.now, a + k, a + j, by_now.m[3*k + j]);
            }
    }

    dci_sim_torque(u && u->force ? dci_sim_v3(u->force + a) : dc_vec(0, 0, 0), x, old, &g, &H, &mixed, &by_torque);
    for (k = 0; k < 3; ++k)
        for (j = 0; j < 3; ++j) {
            dci_sim_put_row(control, a + k, 2*nv + a + j, by_torque.m[3*k + j]);
            dci_sim_put_row(&terms->by.now, a + k, a + j, mixed.m[3*k + j]);
        }
}

/* joints: by the state at t, and by the control: columns target, velocity, force */
static DCI_NOINLINE void dci_sim_by_joints(dci_sim_terms *terms, const dc_real *q)
{
    const dc_sim *sim = terms->problem->sim;
    const dci_sim_sink *control = &terms->by.control;
    const dc_real h = sim->desc.h;
    const int nv = sim->nv;
    int i, k;

    for (i = 0; i < sim->links; ++i) {
        const dc_sim_link *l = sim->link + i;
        const int single = dci_sim_single(l->joint), slides = l->joint == DC_SIM_FREE ? 3 : single;
        const dc_real kp = single ? l->kp : l->kp_move, kd = single ? l->kd : l->kd_move;

        /* angles and lengths */
        for (k = 0; k < slides; ++k) {
            const int a = sim->v_at[i] + k;
            dci_sim_put_row(&terms->by.now, a, a, -(kd + l->damping)/h);
            dci_sim_put_row(control, a, a, -kp);
            dci_sim_put_row(control, a, nv + a, -kd);
            dci_sim_put_row(control, a, 2*nv + a, -1);
        }
        if (dci_sim_rotates(l->joint)) dci_sim_by_rotation(terms, q, i, sim->v_at[i] + dci_sim_turn_at(l->joint));
    }
}

/* all of them, at q_next; terms->status: why there are none */
static void dci_sim_all_terms(dci_sim_terms *terms, const dc_real *q)
{
    const dc_sim *sim = terms->problem->sim;
    dci_sim_met *met;
    int i, p;

    for (i = 0; i < sim->links; ++i) dci_sim_by_inertia(terms, i);
    dci_sim_by_joints(terms, q);
    for (i = 0; i < sim->hulls; ++i)
        for (p = 0; p < sim->planes; ++p) dci_sim_by_plane(terms, i, p);
    for (i = 0; sim->desc.trees && i < sim->pairs && terms->status == DC_OK; ++i) dci_sim_by_trees(terms, i);
    if (sim->desc.trees) return;
    for (i = 0; i < sim->hulls; ++i)
        for (met = terms->problem->met[i]; met && terms->status == DC_OK; met = met->next)
            dci_sim_by_friction(terms, met);
    for (i = 0; i < sim->hulls && terms->by.vertex.out; ++i)
        for (met = terms->problem->met[i]; met && terms->status == DC_OK; met = met->next) dci_sim_by_pair(terms, met);
}

/* ---- [jacobians] Jacobians of a step ---------------------------------------------------------- */
/* in: states, control, what is asked for; out: the Jacobians.
 *
 * stage             | reads           | writes           | equation
 * dci_sim_open      | states, control | problem          |
 * dci_sim_eval      | q_next          | Hessian          | d2O/dq_next^2
 * dci_sim_all_terms | problem, O      | right-hand sides | d2O/dq_next dp
 * dci_sim_jacobians | both            | Jacobians        | SDRS Eq. 88 */

/* the seven outputs in the order of dc_sim_jacobian, and their columns */
enum {
    DCI_SIM_PREV = 0, DCI_SIM_NOW, DCI_SIM_CONTROL, DCI_SIM_ATTACH, DCI_SIM_MASS, DCI_SIM_FRICTION, DCI_SIM_VERTEX,
    DCI_SIM_OUTPUTS
};

static void dci_sim_columns(const dc_sim *sim, size_t n[DCI_SIM_OUTPUTS])
{
    n[DCI_SIM_PREV] = n[DCI_SIM_NOW] = (size_t)sim->nv;
    n[DCI_SIM_CONTROL] = 3*(size_t)sim->nv;
    n[DCI_SIM_ATTACH] = 6*(size_t)sim->links;
    n[DCI_SIM_MASS] = (size_t)sim->links;
    n[DCI_SIM_FRICTION] = (size_t)sim->links + (size_t)sim->planes;
    n[DCI_SIM_VERTEX] = 3*(size_t)sim->vertices;
}

static void dci_sim_outputs(const dc_sim_jacobian *o, dc_real *p[DCI_SIM_OUTPUTS])
{
    p[DCI_SIM_PREV] = o->prev;
    p[DCI_SIM_NOW] = o->now;
    p[DCI_SIM_CONTROL] = o->control;
    p[DCI_SIM_ATTACH] = o->attach;
    p[DCI_SIM_MASS] = o->mass;
    p[DCI_SIM_FRICTION] = o->friction;
    p[DCI_SIM_VERTEX] = o->vertex;
}

/* the arrays for the terms, and the axes of the place at time t */
static void dci_sim_take_terms(const dc_sim *sim, int attachments, int vertices, dci_room *room,
                              dci_sim_place *before, dci_sim_terms *terms)
{
    const size_t most = (size_t)sim->most, N = 6*most;
    before->axis = DCI_TAKE(room, dci_sim_axis_count(sim, attachments), dci_sim_axis);
    terms->mixed = DCI_TAKE(room, 144, dc_real);
    if (!vertices) return;
    terms->world = DCI_TAKE(room, 2*most, dc_v3);
    if (!sim->meets) return;            /* there is no pair to need the rest */
    terms->vertex_grad = DCI_TAKE(room, N, dc_real);
    terms->vertex_hessian = DCI_TAKE(room, N*N, dc_real);
    terms->vertex_friction = DCI_TAKE(room, 12*N, dc_real);
}

DC_DEF size_t dc_sim_grad_bytes(const dc_sim *sim, const dc_sim_jacobian *out)
{
    size_t sum, n[DCI_SIM_OUTPUTS];
    dc_real *p[DCI_SIM_OUTPUTS];
    dci_room room = DC_ZERO;
    dci_sim_terms unread;
    dci_sim_place before;
    int k;

    if (!sim || !sim->link || !out) return 0;
    dci_sim_columns(sim, n);
    dci_sim_outputs(out, p);
    room.bytes = dc_bytes(dci_sim_open_bytes(sim, out->attach != NULL), 1, sizeof unread);
    dci_sim_take_terms(sim, out->attach != NULL, out->vertex != NULL, &room, &before, &unread);
    sum = room.bytes;
    for (k = 0; k < DCI_SIM_OUTPUTS; ++k)
        if (p[k]) sum = dc_bytes(sum, n[k]*(size_t)sim->nv, sizeof(dc_real));
    sum = dc_bytes(sum, (size_t)sim->nv, sizeof(int));
    sum = dc_bytes(sum, dci_sim_scratch_bytes(sim), 1);
    return sum == SIZE_MAX ? 0 : sum;
}

/* The terms of a workspace as dci_sim_open left it, and what they need of it; NULL: it does not fit. In the arena and
 * not on the stack. */
static DCI_NOINLINE dci_sim_terms *dci_sim_open_terms(dci_sim_work *W, int attachments, int vertices)
{
    dc_arena *mem = W->scratch.mem;
    dci_sim_terms *terms = (dci_sim_terms *)dc_arena_take(mem, 1, sizeof *terms);
    dci_room room = DC_ZERO;

    if (!terms) return NULL;
    memset(terms, 0, sizeof *terms);
    room.arena = mem;
    dci_sim_take_terms(W->problem.sim, attachments, vertices, &room, &W->problem.before, terms);
    if (room.full) return NULL;
    terms->problem = &W->problem;
    terms->at = &W->at;
    terms->prev = &W->there;            /* where it still is, at t - h */
    terms->scratch = W->scratch;
    dci_sim_axes(&W->problem.before, attachments);
    dci_sim_axes(&W->there, attachments);
    return terms;
}

/* the factor of d2O/dq_next^2 itself; of more than one piece it has to be positive definite, as at a minimum */
static dc_status dci_sim_factor_exact(dci_sim_work *W, int *piv)
{
    const dc_sim *sim = W->problem.sim;
    W->factor.fill.used = W->scratch.mem->used;
    if (sim->nv == 0) return DC_OK;
    if (sim->pieces == 1) return dc_ldlt_factor(sim->nv, W->at.hessian.own, sim->nv, piv, NULL);
    dci_sim_zero(W->factor.measure, (size_t)sim->nv);
    return dci_sim_factor_blocks(sim, &W->at.hessian, 0, W->factor.measure, W->scratch.mem, &W->factor.fill);
}

/* D <- its inverse times D, n columns */
static dc_status dci_sim_solve_exact(dci_sim_work *W, const int *piv, int n, dc_real *D)
{
    const dc_sim *sim = W->problem.sim;
    dc_real *column = W->factor.turned;
    int c, k;
    if (sim->nv == 0) return DC_OK;
    if (sim->pieces == 1) return dc_ldlt_solve(sim->nv, W->at.hessian.own, sim->nv, piv, n, D, n);
    for (c = 0; c < n; ++c) {
        for (k = 0; k < sim->nv; ++k) column[k] = D[(size_t)k*(size_t)n + (size_t)c];
        dci_sim_solve_blocks(sim, &W->factor.fill, column);
        for (k = 0; k < sim->nv; ++k) D[(size_t)k*(size_t)n + (size_t)c] = column[k];
    }
    return DC_OK;
}

/* after dci_sim_open: all Jacobians into D, unsolved, then solved */
static DCI_NOINLINE dc_status dci_sim_jacobians(dci_sim_work *W, const dc_real *q, dc_real *const want[DCI_SIM_OUTPUTS])
{
    const int nv = W->problem.sim->nv;
    dc_arena *mem = W->scratch.mem;
    dci_sim_terms *terms;
    dc_real *D[DCI_SIM_OUTPUTS];
    size_t n[DCI_SIM_OUTPUTS], k;
    int c, *piv;
    dc_status s;

    /* memory */
    dci_sim_columns(W->problem.sim, n);
    for (c = 0; c < DCI_SIM_OUTPUTS; ++c) {
        D[c] = want[c] ? (dc_real *)dc_arena_take(mem, n[c]*(size_t)nv, sizeof(dc_real)) : NULL;
        if (want[c] && !D[c]) return DC_E_MEMORY;
        dci_sim_zero(D[c], n[c]*(size_t)nv);
    }
    piv = (int *)dc_arena_take(mem, (size_t)nv, sizeof *piv);
    terms = dci_sim_open_terms(W, D[DCI_SIM_ATTACH] != NULL, D[DCI_SIM_VERTEX] != NULL);
    if (!piv || !terms) return DC_E_MEMORY;

    /* d2O/dq_next^2 and the right-hand sides */
    W->at.attach = dci_sim_dense(D[DCI_SIM_ATTACH], n[DCI_SIM_ATTACH]);
    dci_sim_eval(W, q, DCI_SIM_DERIVATIVES, DCI_SIM_IN_FULL);
    if (W->at.status != DC_OK) return W->at.status;
    terms->by.prev = dci_sim_dense(D[DCI_SIM_PREV], n[DCI_SIM_PREV]);
    terms->by.now = dci_sim_dense(D[DCI_SIM_NOW], n[DCI_SIM_NOW]);
    terms->by.control = dci_sim_dense(D[DCI_SIM_CONTROL], n[DCI_SIM_CONTROL]);
    terms->by.mass = dci_sim_dense(D[DCI_SIM_MASS], n[DCI_SIM_MASS]);
    terms->by.friction = dci_sim_dense(D[DCI_SIM_FRICTION], n[DCI_SIM_FRICTION]);
    terms->by.vertex = dci_sim_dense(D[DCI_SIM_VERTEX], n[DCI_SIM_VERTEX]);
    dci_sim_all_terms(terms, q);
    if (terms->status != DC_OK) return terms->status;

    /* SDRS Eq. 88 */
    s = dci_sim_factor_exact(W, piv);
    for (c = 0; c < DCI_SIM_OUTPUTS && s == DC_OK; ++c)
        if (D[c] && n[c]) s = dci_sim_solve_exact(W, piv, (int)n[c], D[c]);
    for (c = 0; c < DCI_SIM_OUTPUTS && s == DC_OK; ++c)
        if (!dci_sim_finite(D[c], n[c]*(size_t)nv)) s = DC_E_RANGE;
    for (c = 0; c < DCI_SIM_OUTPUTS && s == DC_OK; ++c)
        for (k = 0; D[c] && k < n[c]*(size_t)nv; ++k) want[c][k] = -D[c][k];
    return s;
}

DC_DEF dc_status dc_sim_grad(const dc_sim *sim, const dc_real *q_prev, const dc_real *q, const dc_sim_control *control,
                             const dc_real *q_next, dc_arena *mem, const dc_sim_jacobian *out)
{
    dci_sim_work *W = NULL;
    dc_real *want[DCI_SIM_OUTPUTS];
    dc_status s;
    size_t used;

    if (!sim || !sim->link || !q_prev || !q || !q_next || !mem || !out || (sim->desc.trees && out->vertex))
        return DC_E_ARG;
    if (!dci_sim_state_ok(sim, q_prev) || !dci_sim_state_ok(sim, q) || !dci_sim_state_ok(sim, q_next)
        || !dci_sim_control_ok(sim, control)) return DC_E_ARG;

    used = mem->used;
    dci_sim_outputs(out, want);
    s = dci_sim_open(sim, q_prev, q, control, out->attach != NULL, out->friction != NULL, mem, &W);
    if (s == DC_OK) s = dci_sim_jacobians(W, q_next, want);
    mem->used = used;
    return s == DC_E_ARG ? DC_E_RANGE : s;              /* as in dc_sim_step */
}

/* ---- [trajectory] many steps, forward and backward -------------------------------------------- */
/* in: a run; out: its states, or the gradient of a loss of theirs.
 *
 * stage               | reads                         | writes                        | equation
 * dc_sim_step         | two states, control           | the next one                  |
 * dci_sim_again       | a checkpoint                  | the states up to the next one |
 * dci_sim_back        | three states, gradient by the | gradients by the earlier two, | SDRS Eq. 88, transposed
 *                     | last                          | by control and design         |
 * dci_sim_by_velocity | gradient by the first state   | gradient by the velocity      | */

/* states kept between two checkpoints, q_{ck-1} to q_{(c+1)k} */
static size_t dci_sim_kept(const dc_sim *sim, const dc_sim_run *r)
{
    return r->every > 1 ? ((size_t)r->every + 2)*(size_t)sim->nq : 0;
}

DC_DEF size_t dc_sim_adjoint_bytes(const dc_sim *sim, const dc_sim_run *run)
{
    dc_sim_jacobian none = DC_ZERO;
    dc_real mark = 0;
    size_t sum, nv, g;

    if (!sim || !sim->link || !run) return 0;
    nv = (size_t)sim->nv;

    /* as for Jacobians by attachments and vertices, without the Jacobians */
    none.attach = run->attach ? &mark : NULL;
    none.vertex = run->vertex ? &mark : NULL;
    g = dc_sim_grad_bytes(sim, &none);
    sum = dc_bytes(0, 4*nv + 18*(size_t)sim->links, sizeof(dc_real));
    sum = dc_bytes(sum, dci_sim_kept(sim, run), sizeof(dc_real));
    sum = dc_bytes(sum, g, 1);
    return sum == SIZE_MAX || g == 0 ? 0 : sum;
}

/* dL/dq_{t+1}, dL/dq_t, dL/dq_{t-1}, and scratch: twists of the links by the first, products by those at t and t-1,
 * [12 links] */
typedef struct { dc_real *next, *now, *prev, *twist, *pulled; } dci_sim_adjoint;

/* The attachments' share of lam^T d2O/dq dA at q_next, from what the evaluation there left: an attachment moves its
 * link and all that it carries, on which lam pulls, by the second derivatives, with the wrench
 *     W = sum over what it carries of B z (pairs) + H (z - z_i) + c lam,  + H z_i',
 * H of all that a link carries, z_i of its own joint, z_i' of those above it. out: 6 per link */
static DCI_NOINLINE void dci_sim_by_attachments(dci_sim_energy *at, const dc_real *lam, const dc_real *twist,
                                                dc_real *out)
{
    dci_sim_place *place = &at->place;
    const dc_sim *sim = place->sim;
    const dci_sim_cross *cross;
    const dc_v3 *c = at->sums.bracket;
    dc_real *carried = at->sums.carried, w[6];      /* of a link: W, then z_i' */
    int i, k, j;

    dci_sim_axes(place, 1);
    dci_sim_brackets(place, at->sums.contact, 1, at->sums.load, at->sums.bracket);
    dci_sim_zero(carried, 12*(size_t)sim->links);

    /* pairs */
    for (cross = at->cross; cross; cross = cross->next) {
        const dc_real *B = cross->form, *zi = twist + 6*cross->i, *zj = twist + 6*cross->j;
        dc_real by_i[6] = {0}, by_j[6] = {0};
        for (k = 0; k < 6; ++k)
            for (j = 0; j < 6; ++j) {
                by_i[k] += B[6*k + j]*zj[j];
                by_j[j] += B[6*k + j]*zi[k];
            }
        dci_sim_shift(dci_sim_arm(place, cross->i), by_i, w);
        for (k = 0; k < 6; ++k) carried[12*cross->i + k] += w[k];
        dci_sim_shift(dci_sim_arm(place, cross->j), by_j, w);
        for (k = 0; k < 6; ++k) carried[12*cross->j + k] += w[k];
    }

    /* from the roots to the tips: twists about o */
    for (i = 0; i < sim->links; ++i) {
        const int up = sim->link[i].parent;
        dc_v3 move = dc_vec(0, 0, 0), turn = move, bend = move;
        dc_real z[6], *W = carried + 12*i, *above = W + 6;
        if (up >= 0) {
            const dc_v3 t = dci_sim_v3(twist + 6*up + 3);
            dci_sim_put3(dc_sub(dci_sim_v3(twist + 6*up), dc_cross(t, dci_sim_arm(place, up))), above);
            dci_sim_put3(t, above + 3);
        }
        for (k = sim->v_at[i]; k < sim->v_at[i] + dci_sim_nv(sim->link[i].joint); ++k) {
            move = dc_madd(move, lam[k], place->axis[k].move);
            turn = dc_madd(turn, lam[k], place->axis[k].turn);
            bend = dc_madd(bend, lam[k], c[k]);
        }
        dci_sim_put3(move, z);
        dci_sim_put3(turn, z + 3);
        for (k = 0; k < 6; ++k) W[k] += dci_sim_dot6(at->sums.form + 36*i + 6*k, z);
        dci_sim_put3(dc_add(dci_sim_v3(W + 3), bend), W + 3);
    }

    /* from the tips to the roots */
    for (i = sim->links - 1; i >= 0; --i) {
        const int up = sim->link[i].parent;
        const dc_real *above = carried + 12*i + 6;
        for (k = 0; up >= 0 && k < 6; ++k) carried[12*up + k] += carried[12*i + k];
        for (k = 0; k < 6; ++k) w[k] = carried[12*i + k] + dci_sim_dot6(at->sums.form + 36*i + 6*k, above);
        for (k = 0; k < 6; ++k) {
            const int a = sim->nv + 6*i + k;
            out[6*i + k] += dci_sim_power(place->axis + a, w) + dc_dot(dci_sim_v3(above + 3), c[a]);
        }
    }
}

/* One step backwards, opened: lam = - H^-1 next takes the place of `next`, and everything is multiplied with it; by now
 * into `now`, by prev into `prev`. */
static DCI_NOINLINE dc_status dci_sim_back(dci_sim_work *W, const dc_sim_run *r, int t, const dc_real *q_next,
                                           const dci_sim_adjoint *bar)
{
    const dc_sim *sim = W->problem.sim;
    const int nv = sim->nv;
    dc_real *lam = bar->next;
    int i, k, *piv = (int *)dc_arena_take(W->scratch.mem, (size_t)nv, sizeof *piv);
    dci_sim_terms *terms = dci_sim_open_terms(W, r->attach != NULL, r->vertex != NULL);
    dci_sim_sink s = DC_ZERO;
    dc_status status;

    if (!piv || !terms) return DC_E_MEMORY;

    /* lam, SDRS Eq. 88 transposed, and what moves by it */
    W->at.keep = r->attach != NULL;
    dci_sim_eval(W, q_next, DCI_SIM_DERIVATIVES, DCI_SIM_IN_FULL);
    if (W->at.status != DC_OK) return W->at.status;
    status = dci_sim_factor_exact(W, piv);
    if (status == DC_OK) status = dci_sim_solve_exact(W, piv, 1, lam);
    if (status != DC_OK) return status;
    dci_sim_drop_factor(W);
    for (k = 0; k < nv; ++k) lam[k] = -lam[k];
    for (i = 0; i < sim->links; ++i) dci_sim_twist(&W->at.place, i, lam, bar->twist + 6*i);

    /* products with lam */
    s.weight = lam;
    s.twist = bar->twist;
    W->at.attach = terms->by.prev = terms->by.now = terms->by.control = s;
    terms->by.mass = terms->by.friction = terms->by.vertex = s;
    terms->by.prev.out = bar->prev;
    terms->by.now.out = bar->now;
    terms->by.now.pulled = bar->pulled;
    terms->by.prev.pulled = bar->pulled + 6*sim->links;
    terms->by.control.out = r->control_grad ? r->control_grad + (size_t)t*3*(size_t)nv : NULL;
    terms->by.mass.out = r->mass;
    terms->by.friction.out = r->friction;
    terms->by.vertex.out = r->vertex;
    W->at.attach.out = r->attach;

    if (r->attach) dci_sim_by_attachments(&W->at, lam, bar->twist, r->attach);
    dci_sim_zero(bar->pulled, 12*(size_t)sim->links);
    dci_sim_all_terms(terms, q_next);
    dci_sim_put_pulled(&W->problem.before, &terms->by.now, &W->at.attach);
    dci_sim_put_pulled(&W->there, &terms->by.prev, &W->at.attach);
    return terms->status;
}

static DCI_NOINLINE int dci_sim_run_finite(const dc_sim *sim, const dc_sim_run *r)
{
    size_t n[DCI_SIM_OUTPUTS], nv = (size_t)sim->nv;
    dci_sim_columns(sim, n);
    return dci_sim_finite(r->start, 2*nv) && dci_sim_finite(r->velocity, nv)
        && dci_sim_finite(r->control_grad, (size_t)r->steps*n[DCI_SIM_CONTROL])
        && dci_sim_finite(r->attach, n[DCI_SIM_ATTACH]) && dci_sim_finite(r->mass, n[DCI_SIM_MASS])
        && dci_sim_finite(r->friction, n[DCI_SIM_FRICTION]) && dci_sim_finite(r->vertex, n[DCI_SIM_VERTEX]);
}

static DCI_NOINLINE void dci_sim_zero_run(const dc_sim *sim, const dc_sim_run *r)
{
    size_t n[DCI_SIM_OUTPUTS];
    dci_sim_columns(sim, n);
    dci_sim_zero(r->control_grad, (size_t)r->steps*n[DCI_SIM_CONTROL]);
    dci_sim_zero(r->attach, n[DCI_SIM_ATTACH]);
    dci_sim_zero(r->mass, n[DCI_SIM_MASS]);
    dci_sim_zero(r->friction, n[DCI_SIM_FRICTION]);
    dci_sim_zero(r->vertex, n[DCI_SIM_VERTEX]);
}

/* By the velocity v, q[0] being q[1] moved by -h v: rotations by exp([-h w]), so that g_w -> -h J_l(-h w)^T g_w */
static DCI_NOINLINE void dci_sim_by_velocity(const dc_sim *sim, const dc_real *q, const dc_real *g, dc_real *out)
{
    const dc_real h = sim->desc.h;
    int i, k;

    dc_sim_local(sim, q + sim->nq, q, out);
    for (i = 0; i < sim->links; ++i) {
        const dc_sim_joint joint = sim->link[i].joint;
        const int at = sim->v_at[i], turn = at + dci_sim_turn_at(joint);
        dc_v3 w = dc_vec(0, 0, 0);
        if (dci_sim_rotates(joint)) {
            dc_m3 J = dc_so3_jl(dci_sim_v3(out + turn));
            w = dc_mul_t(&J, dci_sim_v3(g + turn));
        }
        for (k = 0; k < dci_sim_nv(joint); ++k) out[at + k] = -h*g[at + k];
        if (dci_sim_rotates(joint)) dci_sim_put3(dc_scale(-h, w), out + turn);
    }
}

/* is what a run points to what it has to be? */
static DCI_NOINLINE int dci_sim_run_ok(const dc_sim *sim, const dc_sim_run *r)
{
    size_t n = (size_t)r->steps + 2, t;

    if (sim->desc.trees && r->vertex) return 0;
    for (t = 0; r->control && t < (size_t)r->steps; ++t)
        if (!dci_sim_control_ok(sim, r->control + t)) return 0;
    if (!dci_sim_finite(r->loss, (size_t)r->steps*(size_t)sim->nv)) return 0;

    /* all states, or pairs at the checkpoints */
    if (r->every > 1) n = 2*(((size_t)r->steps - 1)/(size_t)r->every + 1);
    for (t = 0; t < n; ++t)
        if (!dci_sim_state_ok(sim, r->q + t*(size_t)sim->nq)) return 0;
    return 1;
}

DC_DEF size_t dc_sim_roll_bytes(const dc_sim *sim)
{
    size_t sum = dc_sim_step_bytes(sim);
    if (!sum) return 0;
    sum = dc_bytes(dc_bytes(sum, 3*(size_t)sim->nq, sizeof(dc_real)), 1, sizeof(dc_sim_info));
    return sum == SIZE_MAX ? 0 : sum;
}

DC_DEF dc_status dc_sim_roll(const dc_sim *sim, const dc_sim_run *r, dc_real *q, dc_arena *mem, dc_sim_roll_info *info)
{
    dc_sim_roll_info seen = {0, -1, 0};
    dc_status status = DC_OK;
    dc_sim_info *one;
    dc_real *x;
    size_t used, nq;
    int t;

    if (!sim || !sim->link || !r || !q || !mem || r->steps < 1 || r->every < 0) return DC_E_ARG;
    if (!dci_sim_state_ok(sim, q) || !dci_sim_state_ok(sim, q + sim->nq)) return DC_E_ARG;
    for (t = 0; r->control && t < r->steps; ++t)
        if (!dci_sim_control_ok(sim, r->control + t)) return DC_E_ARG;

    /* three states in a row */
    nq = (size_t)sim->nq;
    used = mem->used;
    x = (dc_real *)dc_arena_take(mem, 3*nq, sizeof *x);
    one = (dc_sim_info *)dc_arena_take(mem, 1, sizeof *one);
    if (!x || !one) {
        mem->used = used;
        return DC_E_MEMORY;
    }
    memcpy(x, q, 2*nq*sizeof *x);
    for (t = 0; t < r->steps && (status == DC_OK || status == DC_E_DIVERGED); ++t) {
        memset(one, 0, sizeof *one);
        status = dc_sim_step(sim, x, x + nq, r->control ? r->control + t : NULL, mem, x + 2*nq, one);
        seen.iterations += one->iterations;
        if (status != DC_OK && status != DC_E_DIVERGED) break;
        if (status == DC_E_DIVERGED && ++seen.diverged == 1) seen.first = t;
        memcpy(x, x + nq, nq*sizeof *x);
        memcpy(x + nq, x + 2*nq, nq*sizeof *x);

        /* all states, or pairs at the checkpoints but the last */
        if (r->every <= 1) memcpy(q + ((size_t)t + 2)*nq, x + nq, nq*sizeof *x);
        else if ((t + 1)%r->every == 0 && t + 1 < r->steps)
            memcpy(q + 2*(size_t)((t + 1)/r->every)*nq, x, 2*nq*sizeof *x);
    }
    mem->used = used;
    if (info) *info = seen;
    return status == DC_OK && seen.diverged > 0 ? DC_E_DIVERGED : status;
}

/* The states from the checkpoint at or before step t, up to the one after t, once more: to the same bits. */
static dc_status dci_sim_again(const dc_sim *sim, const dc_sim_run *r, int t, dc_arena *mem, dc_real *kept)
{
    const size_t nq = (size_t)sim->nq;
    const int first = t - t%r->every;
    dc_status status = DC_OK;
    int k;
    memcpy(kept, r->q + 2*(size_t)(t/r->every)*nq, 2*nq*sizeof *kept);
    for (k = first; k <= t && status == DC_OK; ++k) {
        dc_real *x = kept + (size_t)(k - first)*nq;
        status = dc_sim_step(sim, x, x + nq, r->control ? r->control + k : NULL, mem, x + 2*nq, NULL);
    }
    return status;
}

DC_DEF dc_status dc_sim_adjoint(const dc_sim *sim, const dc_sim_run *r, dc_arena *mem)
{
    const size_t used = mem ? mem->used : 0;
    size_t floor, nv, nq;
    dci_sim_work *W;
    dci_sim_adjoint bar;
    dc_real *kept, *turn;
    dc_status status = DC_OK;
    int t, k;

    if (!sim || !sim->link || !r || !mem || r->steps < 1 || r->every < 0 || !r->q || !r->loss
        || !dci_sim_run_ok(sim, r)) return DC_E_ARG;
    nv = (size_t)sim->nv;
    nq = (size_t)sim->nq;
    bar.next = (dc_real *)dc_arena_take(mem, 4*nv + 18*(size_t)sim->links, sizeof(dc_real));
    kept = (dc_real *)dc_arena_take(mem, dci_sim_kept(sim, r), sizeof(dc_real));
    if (!bar.next || !kept) {
        mem->used = used;
        return DC_E_MEMORY;
    }

    floor = mem->used;
    bar.now = bar.next + nv;
    bar.prev = bar.now + nv;
    bar.twist = bar.prev + 2*nv;
    bar.pulled = bar.twist + 6*sim->links;
    dci_sim_zero_run(sim, r);
    dci_sim_zero(bar.next, 3*nv);

    for (t = r->steps - 1; t >= 0; --t) {
        const dc_real *q = r->q + (size_t)t*nq;             /* q_{t-1}, then q_t, q_{t+1} */

        /* at the end of a piece all its states are made again */
        if (r->every > 1) {
            if (t == r->steps - 1 || (t + 1)%r->every == 0) status = dci_sim_again(sim, r, t, mem, kept);
            if (status != DC_OK) break;
            q = kept + (size_t)(t%r->every)*nq;
        }

        /* a step back */
        for (k = 0; k < sim->nv; ++k) bar.next[k] += r->loss[(size_t)t*nv + (size_t)k];
        status = dci_sim_open(sim, q, q + nq, r->control ? r->control + t : NULL, r->attach != NULL,
                              r->friction != NULL, mem, &W);
        if (status == DC_OK) status = dci_sim_back(W, r, t, q + 2*nq, &bar);
        mem->used = floor;

        turn = bar.next;
        bar.next = bar.now;
        bar.now = bar.prev;
        bar.prev = turn;
        dci_sim_zero(bar.prev, nv);
        if (status != DC_OK) break;
    }

    /* what is left is by the states at the start */
    for (k = 0; r->start && k < sim->nv; ++k) {
        r->start[k] = bar.now[k];
        r->start[nv + (size_t)k] = bar.next[k];
    }
    if (r->velocity) dci_sim_by_velocity(sim, r->q, bar.now, r->velocity);
    if (status == DC_OK && !dci_sim_run_finite(sim, r)) status = DC_E_RANGE;
    mem->used = used;
    return status == DC_E_ARG ? DC_E_RANGE : status;    /* as in dc_sim_step */
}

/* ---- [adam] optimiser ------------------------------------------------------------------------- */
/* in: state, gradient; out: state, x. */

DC_DEF dc_status dc_adam(dc_adam_state *a, const dc_real *grad, dc_real *x)
{
    dc_real b1, b2, rate, eps, c1, c2;
    int k;

    if (!a || !grad || !x || !a->m || !a->v || a->n < 1 || a->step < 0) return DC_E_ARG;
    for (k = 0; k < a->n; ++k)
        if (!dc_finite(grad[k])) return DC_E_ARG;

    /* what zero stands for */
    b1 = a->beta1 > 0 ? a->beta1 : DC_R(0.9);
    b2 = a->beta2 > 0 ? a->beta2 : DC_R(0.999);
    rate = a->rate > 0 ? a->rate : DC_R(0.001);
    eps = a->eps > 0 ? a->eps : DC_R(1e-8);

    /* the moments' bias is that of a start at zero */
    a->step++;
    c1 = 1 - dc_pow(b1, (dc_real)a->step);
    c2 = 1 - dc_pow(b2, (dc_real)a->step);
    for (k = 0; k < a->n; ++k) {
        a->m[k] = b1*a->m[k] + (1 - b1)*grad[k];
        a->v[k] = b2*a->v[k] + (1 - b2)*grad[k]*grad[k];
        x[k] -= rate*(a->m[k]/c1)/(dc_sqrt(a->v[k]/c2) + eps);
    }
    return DC_OK;
}

/* ============================================================================================== */
#ifndef DC_SIM_NO_DESIGN

/* ---- [design] what a model may change, by variables ------------------------------------------- */
/* in: marks, copies, stretches, terms; out: the affine map from variables to slots; designs and gradients through it.
 *
 * stage             | reads               | writes                            | equation
 * dci_design_flaw   | description, model  | why it is refused                 |
 * dci_design_points | marks               | points: one for what is shared    | x_ijk
 * dci_design_terms  | description, points | terms of the slots, or their count | x_s = base_s + sum w_sk d_k
 * dc_design_apply   | d                   | the model                         |
 * dc_design_pull    | gradient by slots   | by d                              | W^T */

/* coordinate c of a vector, to read and to write */
static dc_real dci_design_read(dc_v3 v, int c) { return c == 0 ? v.x : c == 1 ? v.y : v.z; }
static dc_real *dci_design_axis(dc_v3 *v, int c) { return c == 0 ? &v->x : c == 1 ? &v->y : &v->z; }

/* where slots begin */
static int dci_design_slot(const dc_sim *sim, dc_design_kind kind, int index, int axis)
{
    const int attach = 3*sim->vertices, mass = attach + 6*sim->links;
    switch (kind) {
    case DC_DESIGN_VERTEX: return 3*index + axis;
    case DC_DESIGN_ATTACH: return attach + 6*index + axis;
    case DC_DESIGN_MASS: return mass + index;
    case DC_DESIGN_FRICTION: break;
    }
    return mass + sim->links + index;
}

/* the vertices of link i: where they begin, and how many */
static int dci_design_vertices(const dc_sim *sim, int i, int *first)
{
    int k, n = 0;
    *first = 0;
    for (k = 0; k < sim->hulls; ++k) {
        if (sim->hull[k].link != i || sim->hull[k].tree) continue;
        if (n == 0) *first = sim->hull[k].begin;
        n += sim->hull[k].n;
    }
    return n;
}

/* is anything of link i marked? */
static int dci_design_marked(const dc_design_desc *desc, const dc_sim *sim, int i)
{
    int first, k, n = dci_design_vertices(sim, i, &first);
    if (desc->attach && desc->attach[i]) return 1;
    for (k = 0; desc->vertex && k < n; ++k)
        if (desc->vertex[first + k]) return 1;
    return 0;
}

static const char *dci_design_copy_flaw(const dc_design_desc *desc, const dc_sim *sim, int c)
{
    const dc_design_copy *copy = desc->copy + c;
    int a = 0, b = 0, k;

    if (copy->from < 0 || copy->to < 0 || copy->from >= sim->links || copy->to >= sim->links || copy->from == copy->to)
        return "a copy of no link";
    for (k = 0; k < 9; ++k)
        if (!(dc_abs(copy->map.m[k]) <= DC_LIMIT)) return "the map of a copy";
    for (k = 0; k < desc->copies; ++k)
        if (desc->copy[k].from == copy->to || (k < c && desc->copy[k].to == copy->to)) return "a copy of a copy";
    if (dci_design_marked(desc, sim, copy->to)) return "a copy with marks of its own";

    /* hull by hull the same counts */
    for (;;) {
        while (a < sim->hulls && (sim->hull[a].link != copy->from || sim->hull[a].tree)) ++a;
        while (b < sim->hulls && (sim->hull[b].link != copy->to || sim->hull[b].tree)) ++b;
        if (a == sim->hulls || b == sim->hulls) break;
        if (sim->hull[a].n != sim->hull[b].n || sim->hull[a].round != sim->hull[b].round)
            return "a copy of another shape";
        ++a;
        ++b;
    }
    return a == sim->hulls && b == sim->hulls ? NULL : "a copy of another shape";
}

static const char *dci_design_term_flaw(const dc_design_desc *desc, const dc_sim *sim, const dc_design_term *t)
{
    if (t->variable < 0 || t->variable >= desc->variables || !(dc_abs(t->weight) <= DC_LIMIT)) return "a term";
    switch (t->kind) {
    case DC_DESIGN_VERTEX:
        return t->index < 0 || t->index >= sim->vertices || t->axis < 0 || t->axis > 2 ? "a term of no vertex" : NULL;
    case DC_DESIGN_ATTACH:
        return t->index < 0 || t->index >= sim->links || t->axis < 0 || t->axis > 5 ? "a term of no attachment" : NULL;
    case DC_DESIGN_MASS:
        if (t->index < 0 || t->index >= sim->links) return "a term of no mass";
        return sim->link[t->index].mass > 0 ? NULL : "a term of a mass that is given by density";
    case DC_DESIGN_FRICTION:
        return t->index < 0 || t->index >= sim->links + sim->planes ? "a term of no friction" : NULL;
    }
    return "a term of nothing";
}

/* Why a description is refused; *where: the link. */
static const char *dci_design_flaw(const dc_design_desc *desc, const dc_sim *sim, int *where)
{
    const char *cause = NULL;
    int k;

    *where = -1;
    if (desc->copies < 0 || desc->stretches < 0 || desc->terms < 0 || desc->variables < 0
        || desc->variables > (1 << 24) || desc->terms > (1 << 24) || desc->stretches > sim->links
        || desc->copies > sim->links
        || (desc->copies && !desc->copy) || (desc->stretches && !desc->stretch) || (desc->terms && !desc->term)
        || !dci_sim_scalar(desc->range, 0)) return "counts";
    if (sim->desc.trees) return "trees have no design";

    /* marks */
    for (k = 0; desc->vertex && k < sim->vertices; ++k)
        if (desc->vertex[k] > DC_DESIGN_SHARED) return "the mark of a vertex";
    for (k = 0; desc->attach && k < sim->links; ++k)
        if (desc->attach[k] > (DC_DESIGN_MOVES | DC_DESIGN_TURNS)) {
            *where = k;
            return "the mark of an attachment";
        }

    /* what moves together */
    for (k = 0; k < desc->copies && !cause; ++k) {
        cause = dci_design_copy_flaw(desc, sim, k);
        if (cause) *where = desc->copy[k].to;
    }
    for (k = 0; k < desc->stretches && !cause; ++k) {
        const dc_design_stretch *s = desc->stretch + k;
        if (s->link < 0 || s->link >= sim->links || s->variable < 0 || s->variable >= desc->variables
            || !dc_in_range(s->axis)) cause = "a stretch";
    }
    for (k = 0; k < desc->terms && !cause; ++k) cause = dci_design_term_flaw(desc, sim, desc->term + k);
    return cause;
}

/* are two points of one link one, up to the rounding of how they were made? */
static int dci_design_same(dc_v3 a, dc_v3 b)
{
    const dc_v3 e = dc_sub(a, b);
    const dc_real tolerance = (DC_IS_FLOAT ? 16 : 4096)*DC_EPS;
    return dc_dot(e, e) <= tolerance*tolerance*dc_max(dc_dot(a, a), dc_dot(b, b));
}

/* the shared vertex before `end` of link i at x; -1: none */
static int dci_design_shared(const dc_design_desc *desc, const dc_sim *sim, int i, dc_v3 x, int end)
{
    int first, k, n;
    if (i < 0 || !desc->vertex) return -1;
    n = dci_design_vertices(sim, i, &first);
    for (k = first; k < first + n && k < end; ++k)
        if (desc->vertex[k] == DC_DESIGN_SHARED && dci_design_same(x, sim->vertex[k])) return k;
    return -1;
}

/* Variables of points and turns. */
static void dci_design_points(const dc_design_desc *desc, const dc_sim *sim, dc_design *design)
{
    int i, k, h, n = desc->variables;

    for (k = 0; k < sim->vertices; ++k) design->point[k] = -1;
    for (h = 0; h < sim->hulls; ++h) {
        const dc_sim_hull *hull = sim->hull + h;
        for (k = hull->begin; !hull->tree && desc->vertex && k < hull->begin + hull->n; ++k) {
            const int same = desc->vertex[k] == DC_DESIGN_SHARED
                           ? dci_design_shared(desc, sim, hull->link, sim->vertex[k], k) : -1;
            if (desc->vertex[k] == DC_DESIGN_HELD) continue;
            design->point[k] = same >= 0 ? design->point[same] : n;
            if (same < 0) n += 3;
        }
    }

    /* attachments: their places may be welded to a vertex of the parent */
    for (i = 0; i < sim->links; ++i) {
        const int mark = desc->attach ? desc->attach[i] : 0;
        const int same = mark & DC_DESIGN_MOVES
                       ? dci_design_shared(desc, sim, sim->link[i].parent, sim->link[i].attach.t, sim->vertices) : -1;
        design->place[i] = design->turned[i] = -1;
        if (mark & DC_DESIGN_MOVES) {
            design->place[i] = same >= 0 ? design->point[same] : n;
            if (same < 0) n += 3;
        }
        if (mark & DC_DESIGN_TURNS) {
            design->turned[i] = n;
            n += 3;
        }
    }
    design->n = n;
}

/* Where terms go: counted by slot, or written behind those of their slot. */
typedef struct {
    const dc_design_desc *desc;
    const dc_sim *sim;
    dc_design *design;
    const dc_design_stretch *stretch;   /* whose terms these are; NULL: none's */
    int *end;               /* of the terms of each slot so far; NULL: they are counted */
    int count;
} dci_design_sink;

static void dci_design_put(dci_design_sink *sink, int slot, int variable, dc_real weight)
{
    if (sink->end) {
        const int at = sink->end[slot]++;
        sink->design->variable[at] = variable;
        sink->design->weight[at] = weight;
    } else if (sink->design) sink->design->begin[slot + 1]++;
    sink->count++;
}

/* A term of a vertex or an attachment of link i, and of the copies of i. What is attached to a stretched link moves by
 * that once, copy or not. */
static void dci_design_spread(dci_design_sink *sink, int i, dc_design_kind kind, int index, int axis, int variable,
                              dc_real weight)
{
    const dc_sim *sim = sink->sim;
    int c, r, from, to;

    if (weight == 0) return;
    dci_design_put(sink, dci_design_slot(sim, kind, index, axis), variable, weight);
    for (c = 0; c < sink->desc->copies; ++c) {
        const dc_design_copy *copy = sink->desc->copy + c;
        const dc_real *m = copy->map.m;
        const dc_real det = m[0]*(m[4]*m[8] - m[5]*m[7]) - m[1]*(m[3]*m[8] - m[5]*m[6]) + m[2]*(m[3]*m[7] - m[4]*m[6]);
        const dc_real sign = axis >= 3 && det < 0 ? DC_R(-1.0) : DC_R(1.0);
        int place = index;
        if (copy->from != i) continue;
        if (sink->stretch && kind == DC_DESIGN_ATTACH && sim->link[copy->to].parent == sink->stretch->link) continue;
        if (kind == DC_DESIGN_VERTEX) {
            dci_design_vertices(sim, copy->from, &from);
            dci_design_vertices(sim, copy->to, &to);
            place = to + index - from;
        } else place = copy->to;
        for (r = 0; r < 3; ++r)
            if (m[3*r + axis%3] != 0)
                dci_design_put(sink, dci_design_slot(sim, kind, place, 3*(axis/3) + r), variable,
                               sign*weight*m[3*r + axis%3]);
    }
}

/* A point of link i is stretched. */
static void dci_design_stretch_point(dci_design_sink *sink, const dc_design_stretch *s, int i, dc_design_kind kind,
                                     int index, dc_v3 x)
{
    const dc_real length2 = dc_dot(s->axis, s->axis);
    const dc_v3 move = length2 > 0 ? dc_scale(dc_dot(s->axis, x)/length2, s->axis) : x;
    int c;
    for (c = 0; c < 3; ++c) dci_design_spread(sink, i, kind, index, c, s->variable, dci_design_read(move, c));
}

/* All terms. Counted without a design their number does not depend on what is one point. */
static void dci_design_terms(dci_design_sink *sink)
{
    const dc_design_desc *desc = sink->desc;
    const dc_sim *sim = sink->sim;
    const dc_design *design = sink->design;
    int h, i, k, c;

    /* own terms */
    for (k = 0; k < desc->terms; ++k) {
        const dc_design_term *t = desc->term + k;
        dci_design_put(sink, dci_design_slot(sim, t->kind, t->index, t->axis), t->variable, t->weight);
    }
    for (k = 0; k < desc->stretches; ++k) {
        const dc_design_stretch *s = sink->stretch = desc->stretch + k;
        int first, n = dci_design_vertices(sim, s->link, &first);
        for (i = first; i < first + n; ++i)
            dci_design_stretch_point(sink, s, s->link, DC_DESIGN_VERTEX, i, sim->vertex[i]);
        for (i = 0; i < sim->links; ++i)
            if (sim->link[i].parent == s->link)
                dci_design_stretch_point(sink, s, i, DC_DESIGN_ATTACH, i, sim->link[i].attach.t);
    }

    /* points and turns */
    sink->stretch = NULL;
    for (h = 0; h < sim->hulls && desc->vertex; ++h)
        for (k = sim->hull[h].begin; !sim->hull[h].tree && k < sim->hull[h].begin + sim->hull[h].n; ++k)
            for (c = 0; c < 3 && desc->vertex[k]; ++c)
                dci_design_spread(sink, sim->hull[h].link, DC_DESIGN_VERTEX, k, c,
                                  design ? design->point[k] + c : 0, 1);
    for (i = 0; i < sim->links && desc->attach; ++i)
        for (c = 0; c < 6; ++c) {
            const int turns = c >= 3;
            if (!(desc->attach[i] & (turns ? DC_DESIGN_TURNS : DC_DESIGN_MOVES))) continue;
            dci_design_spread(sink, i, DC_DESIGN_ATTACH, i, c,
                              !design ? 0 : turns ? design->turned[i] + c - 3 : design->place[i] + c, 1);
        }
}

/* the arrays of a design with so many terms */
static int *dci_design_take(const dc_design_desc *desc, const dc_sim *sim, int terms, dci_room *room, dc_design *design)
{
    const size_t vertices = (size_t)sim->vertices, links = (size_t)sim->links;
    const size_t slots = 3*vertices + 8*links + (size_t)sim->planes;
    const size_t n = (size_t)desc->variables + 3*vertices + 6*links;
    int *end;

    memset(design, 0, sizeof *design);
    design->slots = (int)slots;
    design->vertices = sim->vertices;
    design->links = sim->links;
    design->planes = sim->planes;
    design->begin = DCI_TAKE(room, slots + 1, int);
    design->variable = DCI_TAKE(room, terms, int);
    design->weight = DCI_TAKE(room, terms, dc_real);
    design->base = DCI_TAKE(room, slots, dc_real);
    design->turn = DCI_TAKE(room, links, dc_quat);
    design->inertia = DCI_TAKE(room, links, dc_m3);
    design->lo = DCI_TAKE(room, n, dc_real);
    design->hi = DCI_TAKE(room, n, dc_real);
    design->point = DCI_TAKE(room, vertices + 2*links, int);
    if (design->point) {
        design->place = design->point + vertices;
        design->turned = design->place + links;
    }
    end = DCI_TAKE(room, slots, int);
    return end;
}

DC_DEF size_t dc_design_bytes(const dc_design_desc *desc, const dc_sim *sim)
{
    dci_room room = DC_ZERO;
    dci_design_sink sink = DC_ZERO;
    dc_design design;
    int where;

    if (!desc || !sim || !sim->link || dci_design_flaw(desc, sim, &where)) return 0;
    sink.desc = desc;
    sink.sim = sim;
    dci_design_terms(&sink);
    dci_design_take(desc, sim, sink.count, &room, &design);
    return dci_counted(&room);
}

/* what the slots are as built, and bounds */
static void dci_design_fill(const dc_design_desc *desc, const dc_sim *sim, dc_design *design)
{
    const dc_real far_off = dci_from_bits(DCI_INF);
    dc_real *base = design->base;
    int i, k;

    for (k = 0; k < sim->vertices; ++k) {
        dci_sim_put3(sim->vertex[k], base);
        base += 3;
    }
    for (i = 0; i < sim->links; ++i, base += 6) {
        dci_sim_put3(sim->link[i].attach.t, base);
        dci_sim_put3(dc_vec(0, 0, 0), base + 3);
        design->turn[i] = sim->link[i].attach.q;
        design->inertia[i] = sim->link[i].inertia;
    }
    for (i = 0; i < sim->links; ++i) *base++ = sim->link[i].mass;
    for (i = 0; i < sim->links; ++i) *base++ = sim->link[i].friction;
    for (k = 0; k < sim->planes; ++k) *base++ = sim->plane[k].friction;

    for (k = 0; k < design->n; ++k) {
        const dc_real range = k >= desc->variables && desc->range > 0 ? desc->range : far_off;
        design->lo[k] = -range;
        design->hi[k] = range;
    }

    /* a turn of more than 3 rad is a smaller one the other way round */
    for (i = 0; i < sim->links; ++i)
        for (k = 0; k < 3 && design->turned[i] >= 0; ++k) {
            design->lo[design->turned[i] + k] = DC_R(-1.7);
            design->hi[design->turned[i] + k] = DC_R(1.7);
        }
}

DC_DEF dc_status dc_design_build(const dc_design_desc *desc, const dc_sim *sim, dc_arena *mem, dc_design *design,
                                 dc_sim_flaw *flaw)
{
    dci_room room = DC_ZERO;
    dci_design_sink sink = DC_ZERO;
    dc_design made;
    const char *cause;
    int *end, k, where;
    size_t used;

    if (!desc || !sim || !sim->link || !mem || !design) return DC_E_ARG;
    cause = dci_design_flaw(desc, sim, &where);
    if (cause) {
        if (flaw) {
            flaw->link = where;
            flaw->cause = cause;
            flaw->hull = -1;
        }
        return DC_E_ARG;
    }

    /* memory */
    used = mem->used;
    sink.desc = desc;
    sink.sim = sim;
    dci_design_terms(&sink);
    room.arena = mem;
    end = dci_design_take(desc, sim, sink.count, &room, &made);
    if (room.full) {
        mem->used = used;
        return DC_E_MEMORY;
    }

    /* points, then terms: counted, and put in their places */
    dci_design_points(desc, sim, &made);
    for (k = 0; k <= made.slots; ++k) made.begin[k] = 0;
    sink.design = &made;
    dci_design_terms(&sink);
    for (k = 0; k < made.slots; ++k) {
        made.begin[k + 1] += made.begin[k];
        end[k] = made.begin[k];
    }
    sink.end = end;
    dci_design_terms(&sink);
    dci_design_fill(desc, sim, &made);
    *design = made;
    return DC_OK;
}

/* has slot s terms? */
static int dci_design_moves(const dc_design *design, int s) { return design->begin[s + 1] > design->begin[s]; }

/* x_s(d) */
static dc_real dci_design_value(const dc_design *design, const dc_real *d, int s)
{
    dc_real x = design->base[s];
    int k;
    for (k = design->begin[s]; k < design->begin[s + 1]; ++k) x += design->weight[k]*d[design->variable[k]];
    return x;
}

/* is it a design of this model? */
static int dci_design_of(const dc_design *design, const dc_sim *sim)
{
    return design && sim && sim->link && design->begin && design->base && design->vertices == sim->vertices
        && design->links == sim->links && design->planes == sim->planes;
}

DC_DEF dc_status dc_design_apply(const dc_design *design, const dc_real *d, dc_sim *sim, dc_sim_flaw *flaw)
{
    int i, k, s, weightless = -1;
    dc_status status;

    if (!dci_design_of(design, sim) || !d) return DC_E_ARG;
    for (k = 0; k < design->n; ++k)
        if (!dc_finite(d[k])) return DC_E_ARG;

    /* vertices */
    for (s = 0; s < 3*sim->vertices; ++s)
        if (dci_design_moves(design, s)) *dci_design_axis(&sim->vertex[s/3], s%3) = dci_design_value(design, d, s);

    /* attachments */
    for (i = 0; i < sim->links; ++i, s += 6) {
        dc_v3 turn;
        for (k = 0; k < 3; ++k)
            if (dci_design_moves(design, s + k))
                *dci_design_axis(&sim->link[i].attach.t, k) = dci_design_value(design, d, s + k);
        if (!(dci_design_moves(design, s + 3) || dci_design_moves(design, s + 4) || dci_design_moves(design, s + 5)))
            continue;
        for (k = 0; k < 3; ++k) *dci_design_axis(&turn, k) = dci_design_value(design, d, s + 3 + k);
        sim->link[i].attach.q = dc_quat_mul(dc_quat_exp(turn), design->turn[i]);
    }

    /* masses, with the inertia that was given for them; friction */
    for (i = 0; i < sim->links; ++i, ++s) {
        if (!dci_design_moves(design, s)) continue;
        sim->link[i].mass = dci_design_value(design, d, s);
        if (sim->link[i].mass == 0) weightless = i;         /* would be that of the density */
        for (k = 0; k < 9; ++k) sim->link[i].inertia.m[k] = design->inertia[i].m[k]*(sim->link[i].mass/design->base[s]);
    }
    for (i = 0; i < sim->links; ++i, ++s)
        if (dci_design_moves(design, s)) sim->link[i].friction = dci_design_value(design, d, s);
    for (i = 0; i < sim->planes; ++i, ++s)
        if (dci_design_moves(design, s)) sim->plane[i].friction = dci_design_value(design, d, s);
    status = dc_sim_refresh(sim, flaw);
    if (status == DC_OK && weightless >= 0) {
        status = DC_E_ARG;
        if (flaw) {
            flaw->link = weightless;
            flaw->cause = "mass";
            flaw->hull = -1;
        }
    }
    return status;
}

DC_DEF dc_status dc_design_pull(const dc_design *design, const dc_real *d, const dc_sim_run *run, dc_real *grad)
{
    int s, k, at = 0;

    if (!design || !design->begin || !d || !run || !grad) return DC_E_ARG;
    for (s = 0; s < design->slots; ++s) {
        const int links = design->links, attach = 3*design->vertices, mass = attach + 6*links, rub = mass + links;
        const dc_real *column = s < attach ? run->vertex : s < mass ? run->attach : s < rub ? run->mass : run->friction;
        dc_real by;
        at = s < attach ? s : s < mass ? s - attach : s < rub ? s - mass : s - rub;
        if (!column || !dci_design_moves(design, s)) continue;
        by = column[at];

        /* exp([r + dr]) = exp([J_l dr]) exp([r]): by the turn r, of the gradient by the twist */
        if (s >= attach && s < mass && at%6 >= 3) {
            const int first = s - (at%6 - 3), axis = at%6 - 3;
            dc_v3 r;
            dc_m3 J;
            for (k = 0; k < 3; ++k) *dci_design_axis(&r, k) = dci_design_value(design, d, first + k);
            J = dc_so3_jl(r);
            for (by = 0, k = 0; k < 3; ++k) by += J.m[3*k + axis]*column[at - axis + k];
        }
        for (k = design->begin[s]; k < design->begin[s + 1]; ++k) grad[design->variable[k]] += design->weight[k]*by;
    }
    return DC_OK;
}

/* ---- [design rows] hulls that stay solid, a start that stays free ----------------------------- */
/* in: a design, the model with it; out: rows on the next step.
 *
 * stage                 | reads               | writes                | equation
 * dci_design_lean       | slopes by slots     | slopes by variables   | W^T
 * dci_design_keep_row   | slopes by variables | a row                 |
 * dci_design_face_rows  | a face              | rows of the others    | m.(mean - x_i) >= margin
 * dci_design_front_rows | a plane, a hull     | rows of its vertices  | n.x + offset >= gap */

/* A row in the making, dense with a list of what is not zero. */
typedef struct {
    const dc_design *design;
    const dc_sim *sim;
    dc_design_rows *rows;
    const dc_pose *pose;        /* of the links, and of their attachments' frames */
    const dc_m3 *bend;          /* J_l of the attachments' turns */
    dc_real *slope;             /* n */
    int *touched, touches;      /* which; 2 n: the list, and flags */
    int rows_wanted, entries_wanted;
} dci_design_maker;

/* adds `by` times slot s */
static void dci_design_lean(dci_design_maker *maker, int s, dc_real by)
{
    const dc_design *design = maker->design;
    int k;
    for (k = design->begin[s]; k < design->begin[s + 1]; ++k) {
        const int v = design->variable[k];
        int *flag = maker->touched + design->n + v;
        if (!*flag) maker->touched[maker->touches++] = v;
        *flag = 1;
        maker->slope[v] += by*design->weight[k];
    }
}

/* The row made so far, if there is anything in it; counted where there is no room. */
static void dci_design_keep_row(dci_design_maker *maker, dc_real least, dc_design_name name)
{
    dc_design_rows *rows = maker->rows;
    int k, n = 0, fits;

    for (k = 0; k < maker->touches; ++k) n += maker->slope[maker->touched[k]] != 0;
    fits = maker->rows_wanted == rows->rows && rows->rows < rows->most_rows && n <= rows->most_entries - rows->entries;
    if (n > 0 && fits) {
        rows->begin[rows->rows] = rows->entries;
        for (k = 0; k < maker->touches; ++k) {
            const int v = maker->touched[k];
            if (maker->slope[v] == 0) continue;
            rows->variable[rows->entries] = v;
            rows->weight[rows->entries++] = maker->slope[v];
        }
        rows->least[rows->rows] = least;
        rows->name[rows->rows++] = name;
        rows->begin[rows->rows] = rows->entries;
    }
    maker->rows_wanted += n > 0;
    maker->entries_wanted += n;

    /* clean for the next */
    for (k = 0; k < maker->touches; ++k) {
        maker->slope[maker->touched[k]] = 0;
        maker->touched[maker->design->n + maker->touched[k]] = 0;
    }
    maker->touches = 0;
}

DC_DEF size_t dc_design_rows_bytes(int rows, int entries)
{
    dci_room room = DC_ZERO;
    if (rows < 1 || entries < 1) return 0;
    DCI_TAKE(&room, (size_t)rows + 1, int);
    DCI_TAKE(&room, entries, int);
    DCI_TAKE(&room, entries, dc_real);
    DCI_TAKE(&room, rows, dc_real);
    DCI_TAKE(&room, rows, dc_design_name);
    return dci_counted(&room);
}

DC_DEF dc_status dc_design_rows_open(int rows, int entries, dc_arena *mem, dc_design_rows *out)
{
    dci_room room = DC_ZERO;
    dc_design_rows made;
    size_t used;

    if (rows < 1 || entries < 1 || !mem || !out) return DC_E_ARG;
    used = mem->used;
    room.arena = mem;
    memset(&made, 0, sizeof made);
    made.most_rows = rows;
    made.most_entries = entries;
    made.begin = DCI_TAKE(&room, (size_t)rows + 1, int);
    made.variable = DCI_TAKE(&room, entries, int);
    made.weight = DCI_TAKE(&room, entries, dc_real);
    made.least = DCI_TAKE(&room, rows, dc_real);
    made.name = DCI_TAKE(&room, rows, dc_design_name);
    if (room.full) {
        mem->used = used;
        return DC_E_MEMORY;
    }
    made.begin[0] = 0;
    *out = made;
    return DC_OK;
}

/* are rows what dc_design_rows_open made? */
static int dci_design_rows_ok(const dc_design_rows *rows)
{
    return rows && rows->begin && rows->variable && rows->weight && rows->least && rows->name && rows->rows >= 0
        && rows->rows <= rows->most_rows && rows->entries >= 0 && rows->entries <= rows->most_entries;
}

DC_DEF dc_status dc_design_row(const dc_design *design, int entries, const int *variable, const dc_real *weight,
                               dc_real least, dc_design_rows *rows)
{
    dc_design_name name = DC_ZERO;
    int k;

    if (!design || !dci_design_rows_ok(rows) || entries < 1 || !variable || !weight || !(dc_abs(least) <= DC_LIMIT))
        return DC_E_ARG;
    for (k = 0; k < entries; ++k)
        if (variable[k] < 0 || variable[k] >= design->n || !(dc_abs(weight[k]) <= DC_LIMIT)) return DC_E_ARG;
    if (rows->rows == rows->most_rows || entries > rows->most_entries - rows->entries) {
        rows->need_rows = rows->rows + 1;
        rows->need_entries = rows->entries + entries;
        return DC_E_MEMORY;
    }
    rows->begin[rows->rows] = rows->entries;
    for (k = 0; k < entries; ++k) {
        rows->variable[rows->entries] = variable[k];
        rows->weight[rows->entries++] = weight[k];
    }
    name.hull = name.vertex = name.other = -1;
    rows->least[rows->rows] = least;
    rows->name[rows->rows++] = name;
    rows->begin[rows->rows] = rows->entries;
    return DC_OK;
}

/* the scratch of a maker; poses, where wanted, are filled by the caller */
static void dci_design_take_maker(const dc_design *design, const dc_sim *sim, dci_room *room, dci_design_maker *maker,
                                  dc_pose **pose, dc_m3 **bend)
{
    memset(maker, 0, sizeof *maker);
    maker->design = design;
    maker->sim = sim;
    maker->slope = DCI_TAKE(room, design->n, dc_real);
    maker->touched = DCI_TAKE(room, 2*(size_t)design->n, int);
    maker->pose = *pose = DCI_TAKE(room, 2*(size_t)sim->links, dc_pose);
    maker->bend = *bend = DCI_TAKE(room, sim->links, dc_m3);
}

DC_DEF size_t dc_design_scratch_bytes(const dc_design *design, const dc_sim *sim)
{
    dci_room room = DC_ZERO;
    dci_design_maker maker;
    dc_pose *pose;
    dc_m3 *bend;
    if (!dci_design_of(design, sim)) return 0;
    dci_design_take_maker(design, sim, &room, &maker, &pose, &bend);
    dci_take(&room, dc_hull_distance_bytes(sim->most > 0 ? sim->most : 1, sim->most > 0 ? sim->most : 1), 1);
    return dci_counted(&room);
}

/* a clean maker */
static dc_status dci_design_open(const dc_design *design, const dc_sim *sim, dc_arena *mem, dc_design_rows *rows,
                                 dci_design_maker *maker, dc_pose **pose, dc_m3 **bend)
{
    dci_room room = DC_ZERO;
    int k;
    room.arena = mem;
    dci_design_take_maker(design, sim, &room, maker, pose, bend);
    if (room.full) return DC_E_MEMORY;
    for (k = 0; k < design->n; ++k) {
        maker->slope[k] = 0;
        maker->touched[design->n + k] = 0;
    }
    maker->rows = rows;
    maker->rows_wanted = rows->rows;
    maker->entries_wanted = rows->entries;
    return DC_OK;
}

/* Were there rows without room? Then there are none. */
static dc_status dci_design_close(const dci_design_maker *maker, int rows_before, int entries_before)
{
    dc_design_rows *rows = maker->rows;
    if (maker->rows_wanted == rows->rows) return DC_OK;
    rows->need_rows = maker->rows_wanted;
    rows->need_entries = maker->entries_wanted;
    rows->rows = rows_before;
    rows->entries = entries_before;
    return DC_E_MEMORY;
}

/* A face of n corners of x: m its normal, the mean of the corners; the length of the sum of their cross products. */
static dc_real dci_design_face(const dc_v3 *x, const int *loop, int n, dc_v3 *m, dc_v3 *mean)
{
    dc_real length;
    int k;
    *m = *mean = dc_vec(0, 0, 0);
    for (k = 0; k < n; ++k) *mean = dc_madd(*mean, DC_R(1.0)/(dc_real)n, x[loop[k]]);
    for (k = 0; k < n; ++k)
        *m = dc_add(*m, dc_cross(dc_sub(x[loop[k]], *mean), dc_sub(x[loop[(k + 1)%n]], *mean)));
    length = dc_sqrt(dc_dot(*m, *m));
    if (length > 0) *m = dc_scale(1/length, *m);
    return length;
}

/* the depth of vertex i of a hull below a face of n corners as built */
static dc_real dci_design_built_depth(const dc_design *design, int begin, const int *loop, int n, int i)
{
    dc_v3 m = dc_vec(0, 0, 0), mean = m, first = dci_sim_v3(design->base + 3*(begin + loop[0]));
    dc_real length;
    int k;
    for (k = 0; k < n; ++k) {
        const dc_v3 a = dc_sub(dci_sim_v3(design->base + 3*(begin + loop[k])), first);
        const dc_v3 b = dc_sub(dci_sim_v3(design->base + 3*(begin + loop[(k + 1)%n])), first);
        m = dc_add(m, dc_cross(a, b));
        mean = dc_madd(mean, DC_R(1.0)/(dc_real)n, a);
    }
    length = dc_sqrt(dc_dot(m, m));
    if (!(length > 0)) return 0;
    return dc_dot(m, dc_sub(mean, dc_sub(dci_sim_v3(design->base + 3*(begin + i)), first)))/length;
}

/* The rows of face f of a hull: for each vertex x_i that is no corner, with the corners x_k, N = sum x_k x x_{k+1},
 * m = N/|N|, mean = sum x_k/n, s = m.(mean - x_i), e = mean - x_i - s m,
 *     ds = m.(dmean - dx_i) + e.dN/|N|,   e.dN = sum_k dx_k.((x_{k+1} - x_{k-1}) x e) */
static void dci_design_face_rows(dci_design_maker *maker, int h, int f, dc_real margin)
{
    const dc_sim *sim = maker->sim;
    const dc_sim_hull *hull = sim->hull + h;
    const int *face = sim->face + hull->face, *loop = sim->loop + hull->loop + face[f];
    const int n = face[f + 1] - face[f], begin = hull->begin;
    const dc_v3 *x = sim->vertex + begin;
    dc_v3 m, mean;
    const dc_real length = dci_design_face(x, loop, n, &m, &mean);
    int i, k, c;

    if (!(length > 0)) return;
    for (i = 0; i < hull->n; ++i) {
        const dc_v3 down = dc_sub(mean, x[i]);
        const dc_real s = dc_dot(m, down), built = dci_design_built_depth(maker->design, begin, loop, n, i);
        const dc_v3 e = dc_madd(down, -s, m);
        dc_design_name name;
        for (k = 0; k < n && loop[k] != i; ++k) ;
        if (k < n) continue;

        /* slopes by the vertex, then by the corners */
        for (c = 0; c < 3; ++c) dci_design_lean(maker, 3*(begin + i) + c, -dci_design_read(m, c));
        for (k = 0; k < n; ++k) {
            const dc_v3 across = dc_sub(x[loop[(k + 1)%n]], x[loop[(k + n - 1)%n]]);
            const dc_v3 by = dc_madd(dc_scale(1/length, dc_cross(across, e)), DC_R(1.0)/(dc_real)n, m);
            for (c = 0; c < 3; ++c) dci_design_lean(maker, 3*(begin + loop[k]) + c, dci_design_read(by, c));
        }
        name.cause = DC_DESIGN_SOLID;
        name.hull = h;
        name.vertex = i;
        name.other = f;
        dci_design_keep_row(maker, dc_min(margin, DC_R(0.5)*dc_max(built, 0)) - s, name);
    }
}

DC_DEF dc_status dc_design_solid(const dc_design *design, const dc_sim *sim, dc_real margin, dc_arena *mem,
                                 dc_design_rows *rows)
{
    dci_design_maker maker;
    dc_pose *pose;
    dc_m3 *bend;
    dc_status status;
    int h, f, rows_before, entries_before;
    size_t used;

    if (!dci_design_of(design, sim) || !mem || !dci_design_rows_ok(rows) || !dci_sim_scalar(margin, 0)) return DC_E_ARG;
    used = mem->used;
    rows_before = rows->rows;
    entries_before = rows->entries;
    status = dci_design_open(design, sim, mem, rows, &maker, &pose, &bend);
    if (status == DC_OK) {
        for (h = 0; h < sim->hulls; ++h)
            for (f = 0; f < sim->hull[h].faces; ++f) dci_design_face_rows(&maker, h, f, margin);
        status = dci_design_close(&maker, rows_before, entries_before);
    }
    mem->used = used;
    return status;
}

/* Adds n.dp of the point p of link l in the world, x in its frame: by the vertex, if it is one, and by the attachments
 * on the way to the world. */
static void dci_design_lean_point(dci_design_maker *maker, int l, int vertex, dc_v3 p, dc_v3 n, dc_real by)
{
    const dc_sim *sim = maker->sim;
    const dc_v3 local = dc_quat_rotate(dc_quat_conj(maker->pose[l].q), n);
    int c, r;

    for (c = 0; c < 3; ++c) dci_design_lean(maker, 3*vertex + c, by*dci_design_read(local, c));
    for (; l >= 0; l = sim->link[l].parent) {
        const int s = dci_design_slot(sim, DC_DESIGN_ATTACH, l, 0);
        const dc_pose frame = maker->pose[sim->links + l];
        const dc_v3 torque = dc_cross(dc_sub(p, frame.t), n);
        const dc_quat up = sim->link[l].parent < 0 ? dci_sim_identity().q : maker->pose[sim->link[l].parent].q;
        const dc_v3 force_in = dc_quat_rotate(dc_quat_conj(up), n);
        const dc_v3 torque_in = dc_quat_rotate(dc_quat_conj(up), torque);
        for (c = 0; c < 3; ++c) {
            dc_real turn = 0;
            dci_design_lean(maker, s + c, by*dci_design_read(force_in, c));
            for (r = 0; r < 3; ++r) turn += maker->bend[l].m[3*r + c]*dci_design_read(torque_in, r);
            dci_design_lean(maker, s + 3 + c, by*turn);
        }
    }
}

/* The rows of the vertices of hull h in front of n.x + offset = gap, those within reach of it; the least room. */
static dc_real dci_design_front_rows(dci_design_maker *maker, int h, dc_v3 n, dc_real offset, dc_real gap,
                                     dc_real reach, dc_design_name name)
{
    const dc_sim *sim = maker->sim;
    const dc_sim_hull *hull = sim->hull + h;
    dc_real least = dci_from_bits(DCI_INF);
    int i;

    for (i = 0; i < hull->n; ++i) {
        const dc_v3 p = dc_pose_apply(maker->pose[hull->link], sim->vertex[hull->begin + i]);
        const dc_real room = dc_dot(n, p) + offset - gap - hull->round;
        least = dc_min(least, room);
        if (room > reach) continue;
        dci_design_lean_point(maker, hull->link, hull->begin + i, p, n, 1);
        name.hull = h;
        name.vertex = i;
        dci_design_keep_row(maker, -room, name);
    }
    return least;
}

/* can the design move hull h? */
static int dci_design_hull_moves(const dci_design_maker *maker, int h)
{
    const dc_sim *sim = maker->sim;
    const dc_sim_hull *hull = sim->hull + h;
    const int *begin = maker->design->begin;
    int l, s;
    if (begin[3*hull->begin] < begin[3*(hull->begin + hull->n)]) return 1;
    for (l = hull->link; l >= 0; l = sim->link[l].parent) {
        s = dci_design_slot(sim, DC_DESIGN_ATTACH, l, 0);
        if (begin[s] < begin[s + 6]) return 1;
    }
    return 0;
}

/* The rows of two hulls, apart or not, by a plane between them; *room: their distance less gap. */
static dc_status dci_design_pair_rows(dci_design_maker *maker, int a, int b, dc_real gap, dc_real reach, dc_arena *mem,
                                      dc_real *room)
{
    const dc_sim *sim = maker->sim;
    const int ia = sim->hull[a].link, ib = sim->hull[b].link;
    const int move_a = dci_design_hull_moves(maker, a), move_b = dci_design_hull_moves(maker, b);
    const dc_hull A = dci_sim_hull_of(sim, a), B = dci_sim_hull_of(sim, b);
    const dc_v3 apart = dc_sub(dc_pose_apply(maker->pose[ia], sim->hull[a].centre),
                               dc_pose_apply(maker->pose[ib], sim->hull[b].centre));
    dc_distance D = DC_ZERO;
    dc_design_name name = DC_ZERO;
    dc_status status;
    dc_real offset;

    /* far from each other, or out of the design's hands */
    *room = dci_from_bits(DCI_INF);
    if (!move_a && !move_b) return DC_OK;
    if (dc_sqrt(dc_dot(apart, apart)) > sim->hull[a].radius + sim->hull[b].radius + gap + reach) return DC_OK;
    status = dc_hull_distance(&A, maker->pose + ia, &B, maker->pose + ib, mem, &D);
    if (status != DC_OK && status != DC_E_DIVERGED) return status;
    *room = D.gap - gap;
    if (*room > reach) return DC_OK;

    /* the plane n.x = offset in the middle, or at the one that cannot move */
    offset = move_a && move_b ? DC_R(0.5)*(dc_dot(D.n, D.pa) + dc_dot(D.n, D.pb)) : dc_dot(D.n, move_a ? D.pb : D.pa);
    if (move_a && move_b) gap = DC_R(0.5)*gap;
    name.cause = DC_DESIGN_PAIR;
    name.other = b;
    if (move_a) dci_design_front_rows(maker, a, D.n, -offset, gap, reach, name);
    name.other = a;
    if (move_b) dci_design_front_rows(maker, b, dc_neg(D.n), offset, gap, reach, name);
    return DC_OK;
}

/* where the links are, and their attachments' frames, at q */
static void dci_design_pose(const dci_design_maker *maker, const dc_real *q, dc_pose *pose, dc_m3 *bend)
{
    const dc_sim *sim = maker->sim;
    int i;
    dc_sim_poses(sim, q, pose);
    for (i = 0; i < sim->links; ++i) {
        const dc_sim_link *l = sim->link + i;
        pose[sim->links + i] = l->parent < 0 ? l->attach : dc_pose_mul(pose[l->parent], l->attach);
        bend[i] = dc_so3_jl(dc_quat_log(dc_quat_mul(l->attach.q, dc_quat_conj(maker->design->turn[i]))));
    }
}

DC_DEF dc_status dc_design_clear(const dc_design *design, const dc_sim *sim, const dc_real *q, dc_real gap,
                                 dc_real reach, dc_arena *mem, dc_design_rows *rows, dc_real *room,
                                 dc_design_name *worst)
{
    dci_design_maker maker;
    dc_design_name name = DC_ZERO, least_of = DC_ZERO;
    dc_real least = dci_from_bits(DCI_INF), here;
    dc_pose *pose;
    dc_m3 *bend;
    dc_status status;
    int a, b, p, rows_before, entries_before;
    size_t used;

    if (!dci_design_of(design, sim) || !q || !mem || !dci_design_rows_ok(rows) || !dci_sim_scalar(gap, 0)
        || !dci_sim_scalar(reach, 0) || !dci_sim_state_ok(sim, q)) return DC_E_ARG;
    used = mem->used;
    rows_before = rows->rows;
    entries_before = rows->entries;
    status = dci_design_open(design, sim, mem, rows, &maker, &pose, &bend);
    if (status == DC_OK) dci_design_pose(&maker, q, pose, bend);
    least_of.hull = least_of.vertex = least_of.other = -1;

    /* planes, of what is not fixed to the world */
    name.cause = DC_DESIGN_PLANE;
    for (a = 0; a < sim->hulls && status == DC_OK; ++a)
        for (p = 0; p < sim->planes && sim->anchor[sim->hull[a].link] >= 0; ++p) {
            if (!dci_design_hull_moves(&maker, a)) break;
            name.other = p;
            here = dci_design_front_rows(&maker, a, sim->plane[p].n, sim->plane[p].d, gap, reach, name);
            if (!(here < least)) continue;
            least = here;
            least_of = name;
            least_of.hull = a;
            least_of.vertex = -1;
        }

    /* pairs */
    for (a = 0; a < sim->hulls && status == DC_OK; ++a)
        for (b = a + 1; b < sim->hulls && status == DC_OK; ++b) {
            if (!dci_sim_hulls_touch(sim, a, b)) continue;
            status = dci_design_pair_rows(&maker, a, b, gap, reach, mem, &here);
            if (status != DC_OK || !(here < least)) continue;
            least = here;
            least_of.cause = DC_DESIGN_PAIR;
            least_of.hull = a;
            least_of.vertex = -1;
            least_of.other = b;
        }
    if (status == DC_OK) status = dci_design_close(&maker, rows_before, entries_before);
    else {
        rows->rows = rows_before;
        rows->entries = entries_before;
    }
    if (status == DC_OK && room) *room = least;
    if (status == DC_OK && worst) *worst = least_of;
    mem->used = used;
    return status;
}

/* ---- [design step] the nearest step that is allowed ------------------------------------------- */
/* in: a wish y, box, rows A x >= b, radius; out: the nearest x to y of them. With l the multiplier of the ball x is the
 * projection of s y, s = 1/(1 + l), onto box and rows alone, and |x| grows with s. That projection is, by its dual,
 *     x(mu) = clip(s y + A^T mu),   mu >= 0 of largest  phi(mu) = |x - s y|^2/2 + mu.(b - A x)
 *
 * stage                 | reads             | writes               | equation
 * dci_design_ascend     | a row, mu         | its mu_r, x          | a_r.x = b_r, or mu_r = 0
 * dci_design_sweep      | rows, mu          | mu, x: row after row |
 * dci_design_newton     | rows that hold    | mu, x                | (A_W A_W^T) dmu = b - A x, free x alone
 * dci_design_near       | s                 | x, mu                | both in turn, until neither moves
 * dci_design_within     | radius            | s                    | |x| = radius
 * dc_design_project     | wish, radius      | step                 | SDRS Eq. 15 */

/* what does not change */
typedef struct {
    int n, rows;
    const dc_design_rows *list;
    const dc_real *wish;        /* n */
    const dc_real *lo, *hi;     /* n: the box of steps */
    const dc_real *norm2;       /* rows: |a_r|^2 */
    const int *kept;            /* rows that the radius does not imply */
    dc_real radius, size;       /* 0: none; the largest number among wish and radius */
} dci_design_task;

/* a place of the dual */
typedef struct {
    dc_real share;              /* s */
    dc_real *dual;              /* rows: mu */
    dc_real *open;              /* n: s y + A^T mu */
    dc_real *step;              /* n: x */
    int sweeps;
} dci_design_at;

/* scratch of Newton's method */
typedef struct { dc_real *rhs, *dir, *image, *way, *trial; dc_real *across; int *works; } dci_design_scratch;

static dc_real dci_design_clip(const dci_design_task *task, int i, dc_real x)
{
    return dc_max(task->lo[i], dc_min(task->hi[i], x));
}

static dc_real dci_design_length(const dc_real *x, int n)
{
    dc_real sum = 0;
    int i;
    for (i = 0; i < n; ++i) sum += x[i]*x[i];
    return dc_sqrt(sum);
}

/* a_r.x */
static dc_real dci_design_times(const dc_design_rows *rows, int r, const dc_real *x)
{
    dc_real sum = 0;
    int k;
    for (k = rows->begin[r]; k < rows->begin[r + 1]; ++k) sum += rows->weight[k]*x[rows->variable[k]];
    return sum;
}

/* open and step from dual */
static void dci_design_place_at(const dci_design_task *task, dci_design_at *at)
{
    const dc_design_rows *rows = task->list;
    int i, j, k;
    for (i = 0; i < task->n; ++i) at->open[i] = at->share*task->wish[i];
    for (j = 0; j < task->rows; ++j) {
        const int r = task->kept[j];
        for (k = rows->begin[r]; k < rows->begin[r + 1] && at->dual[j] != 0; ++k)
            at->open[rows->variable[k]] += at->dual[j]*rows->weight[k];
    }
    for (i = 0; i < task->n; ++i) at->step[i] = dci_design_clip(task, i, at->open[i]);
}

/* phi(mu) */
static dc_real dci_design_dual(const dci_design_task *task, const dci_design_at *at)
{
    dc_real sum = 0;
    int i, j;
    for (i = 0; i < task->n; ++i) {
        const dc_real e = at->step[i] - at->share*task->wish[i];
        sum += DC_R(0.5)*e*e;
    }
    for (j = 0; j < task->rows; ++j) {
        const int r = task->kept[j];
        if (at->dual[j] > 0) sum += at->dual[j]*(task->list->least[r] - dci_design_times(task->list, r, at->step));
    }
    return sum;
}

/* phi along the multiplier of row r, its sign `way`: *slope, the sum of squares of the weights of what is off its
 * bounds; returned, how far to the next place where a variable meets a bound or leaves it. */
static dc_real dci_design_bend(const dci_design_task *task, const dci_design_at *at, int r, dc_real way, dc_real *slope)
{
    const dc_design_rows *rows = task->list;
    dc_real next = dci_from_bits(DCI_INF);
    int k;

    *slope = 0;
    for (k = rows->begin[r]; k < rows->begin[r + 1]; ++k) {
        const int i = rows->variable[k];
        const dc_real w = way*rows->weight[k], z = at->open[i];
        const dc_real ahead = w > 0 ? task->hi[i] - z : z - task->lo[i];        /* to the bound it moves to */
        const dc_real behind = w > 0 ? task->lo[i] - z : z - task->hi[i];       /* back to the one it is beyond */
        const dc_real far_off = behind > 0 ? behind : ahead;
        if (w == 0 || far_off <= 0) continue;
        next = dc_min(next, far_off/dc_abs(w));
        if (behind <= 0) *slope += w*w;
    }
    return next;
}

/* The multiplier of kept row j to where phi is largest along it: where the row holds just so, or 0. How far the row
 * moved, as a length; infinite: the box has nothing that meets it. */
static dc_real dci_design_ascend(const dci_design_task *task, dci_design_at *at, int j)
{
    const dc_design_rows *rows = task->list;
    const int r = task->kept[j], most = 2*(rows->begin[r + 1] - rows->begin[r]) + 2;
    dc_real all = 0;
    int pass, k;

    for (pass = 0; pass < most; ++pass) {
        const dc_real miss = rows->least[r] - dci_design_times(rows, r, at->step), way = miss > 0 ? 1 : -1;
        dc_real slope, next, move;
        if (miss == 0 || (miss < 0 && at->dual[j] == 0)) break;
        next = dci_design_bend(task, at, r, way, &slope);
        move = dc_abs(miss) <= slope*next ? dc_abs(miss)/slope : next;
        if (way < 0) move = dc_min(move, at->dual[j]);
        if (move > DC_REAL_MAX) return move;
        at->dual[j] += way*move;
        all += move;
        for (k = rows->begin[r]; k < rows->begin[r + 1]; ++k) {
            const int i = rows->variable[k];
            at->open[i] += way*move*rows->weight[k];
            at->step[i] = dci_design_clip(task, i, at->open[i]);
        }
        if (move < next) break;
    }
    return all*dc_sqrt(task->norm2[j]);
}

/* One sweep of coordinate ascent; the largest move of a row. */
static dc_real dci_design_sweep(const dci_design_task *task, dci_design_at *at)
{
    dc_real most = 0;
    int j;
    at->sweeps++;
    for (j = 0; j < task->rows; ++j) {
        const dc_real move = dci_design_ascend(task, at, j);
        most = dc_max(most, move);
        if (move > DC_REAL_MAX) break;
    }
    return most;
}

/* out = A_W D A_W^T p over the rows that work, D the variables off their bounds */
static void dci_design_gram(const dci_design_task *task, const dci_design_at *at, const dci_design_scratch *scratch,
                            const dc_real *p, dc_real *out)
{
    const dc_design_rows *rows = task->list;
    int i, j, k;
    for (i = 0; i < task->n; ++i) scratch->across[i] = 0;
    for (j = 0; j < task->rows; ++j)
        for (k = rows->begin[task->kept[j]]; scratch->works[j] && k < rows->begin[task->kept[j] + 1]; ++k)
            scratch->across[rows->variable[k]] += p[j]*rows->weight[k];
    for (i = 0; i < task->n; ++i)
        if (at->open[i] != at->step[i]) scratch->across[i] = 0;
    for (j = 0; j < task->rows; ++j)
        out[j] = scratch->works[j] ? dci_design_times(rows, task->kept[j], scratch->across) : 0;
}

/* To t along the way from the trial place: d phi/dt there. */
static dc_real dci_design_ahead(const dci_design_task *task, dci_design_at *at, const dci_design_scratch *scratch,
                                dc_real t)
{
    dc_real slope = 0;
    int j;
    for (j = 0; j < task->rows; ++j) at->dual[j] = dc_max(0, scratch->trial[j] + t*scratch->way[j]);
    dci_design_place_at(task, at);
    for (j = 0; j < task->rows; ++j) {
        const int r = task->kept[j];
        if (at->dual[j] > 0 || scratch->way[j] > 0)
            slope += scratch->way[j]*(task->list->least[r] - dci_design_times(task->list, r, at->step));
    }
    return slope;
}

/* Along the way to where phi is largest, at most to where the first row lets go: phi is concave there. */
static void dci_design_search(const dci_design_task *task, dci_design_at *at, const dci_design_scratch *scratch)
{
    dc_real limit = dci_from_bits(DCI_INF), lo = 0, hi;
    int j, it;

    for (j = 0; j < task->rows; ++j)
        if (scratch->trial[j] > 0 && scratch->way[j] < 0)
            limit = dc_min(limit, -scratch->trial[j]/scratch->way[j]);
    hi = dc_min(1, limit);
    for (it = 0; it < 40 && dci_design_ahead(task, at, scratch, hi) > 0; ++it) {
        lo = hi;
        if (hi >= limit) break;
        hi = dc_min(8*hi, limit);
    }
    for (it = 0; it < 50 && lo < hi*(1 - 4*DC_EPS); ++it) {
        const dc_real middle = lo > 0 ? DC_R(0.5)*(lo + hi) : DC_R(0.25)*hi;
        if (dci_design_ahead(task, at, scratch, middle) > 0) lo = middle;
        else hi = middle;
    }
    dci_design_ahead(task, at, scratch, lo);
}

/* Newton's step on the rows that hold or are missed, by conjugate gradients, as far as phi grows. */
static void dci_design_newton(const dci_design_task *task, dci_design_at *at, const dci_design_scratch *scratch)
{
    const dc_real before = dci_design_dual(task, at);
    dc_real rr = 0, rr0;
    int j, it, cap = 0;

    /* the rows, and by how much they are missed */
    for (j = 0; j < task->rows; ++j) {
        const int r = task->kept[j];
        const dc_real miss = task->list->least[r] - dci_design_times(task->list, r, at->step);
        scratch->works[j] = at->dual[j] > 0 || miss > 0;
        scratch->rhs[j] = scratch->works[j] ? miss : 0;
        scratch->dir[j] = scratch->rhs[j]/task->norm2[j];
        scratch->way[j] = 0;
        rr += scratch->rhs[j]*scratch->dir[j];
        cap += 2*scratch->works[j];
    }
    if (!(rr > 0)) return;

    /* conjugate gradients, in the measure of the rows' lengths */
    for (it = 0, rr0 = rr; it < cap && it < 400 && rr > 16*DC_EPS*DC_EPS*rr0; ++it) {
        dc_real curve = 0, full = 0, next = 0, a;
        dci_design_gram(task, at, scratch, scratch->dir, scratch->image);
        for (j = 0; j < task->rows; ++j) {
            curve += scratch->dir[j]*scratch->image[j];
            full += scratch->dir[j]*scratch->dir[j]*task->norm2[j];
        }

        /* rows that depend on each other and disagree: phi grows without end, until one of them lets go */
        a = rr/dc_max(curve, 16*DC_EPS*full);
        for (j = 0; j < task->rows; ++j) {
            scratch->way[j] += a*scratch->dir[j];
            scratch->rhs[j] -= a*scratch->image[j];
            next += scratch->rhs[j]*scratch->rhs[j]/task->norm2[j];
        }
        for (j = 0; j < task->rows; ++j)
            scratch->dir[j] = scratch->rhs[j]/task->norm2[j] + next/rr*scratch->dir[j];
        rr = next;
    }

    /* all of it, rows that let go left at 0; if that is no gain, as far as phi grows before the first lets go */
    for (j = 0; j < task->rows; ++j) {
        scratch->trial[j] = at->dual[j];
        at->dual[j] = dc_max(0, at->dual[j] + scratch->way[j]);
    }
    dci_design_place_at(task, at);
    if (!(dci_design_dual(task, at) > before)) dci_design_search(task, at, scratch);
}

/* Above this phi no allowed step exists: |x - s y|^2/2 of any that does is below it. */
static dc_real dci_design_ceiling(const dci_design_task *task, const dci_design_at *at)
{
    dc_real box = 0, length = 0, ball;
    int i;
    for (i = 0; i < task->n; ++i) {
        const dc_real y = at->share*task->wish[i], e = dc_max(dc_abs(task->lo[i] - y), dc_abs(task->hi[i] - y));
        box += DC_R(0.5)*e*e;
        length += y*y;
    }
    ball = task->radius + dc_sqrt(length);
    ball = task->radius > 0 ? DC_R(0.5)*ball*ball : dci_from_bits(DCI_INF);
    return dc_min(box, ball)*(1 + (DC_IS_FLOAT ? DC_R(1e-4) : DC_R(1e-9)));
}

/* The projection of s y, from the multipliers there are. */
static dc_status dci_design_near(const dci_design_task *task, dci_design_at *at, const dci_design_scratch *scratch,
                                 dc_real share)
{
    const dc_real size = dc_max(task->size, share*dci_design_length(task->wish, task->n));
    const dc_real tolerance = (DC_IS_FLOAT ? DC_R(2e-6) : DC_R(1e-13))*size;
    dc_real ceiling;
    int round, k;

    at->share = share;
    dci_design_place_at(task, at);
    if (task->rows == 0) return DC_OK;
    ceiling = dci_design_ceiling(task, at);
    for (round = 0; round < 150; ++round) {
        for (k = 0; k < 6; ++k) {
            const dc_real move = dci_design_sweep(task, at);
            if (move <= tolerance) return DC_OK;
            if (move > DC_REAL_MAX) return DC_E_SINGULAR;
        }
        if (dci_design_dual(task, at) > ceiling) return DC_E_SINGULAR;
        dci_design_newton(task, at, scratch);
        if (dci_design_dual(task, at) > ceiling) return DC_E_SINGULAR;
    }
    return DC_E_DIVERGED;
}

/* The share of the wish, at most all of it, whose projection is as long as the radius: up to it by factors, then by
 * secants of the bracket, the weight of a side that stays halved. rest: the length of the projection of nothing. */
static dc_status dci_design_within(const dci_design_task *task, dci_design_at *at, const dci_design_scratch *scratch,
                                   dc_real rest)
{
    const dc_real near_by = DC_IS_FLOAT ? DC_R(1e-4) : DC_R(1e-10), length = dci_design_length(task->wish, task->n);
    dc_real lo = 0, hi = length > task->radius ? task->radius/length : 1, under = rest - task->radius, over;
    dc_status status;
    int it, side = 0;

    /* a bracket */
    for (;;) {
        status = dci_design_near(task, at, scratch, hi);
        if (status == DC_E_SINGULAR) return status;
        over = dci_design_length(at->step, task->n) - task->radius;
        if (over > 0) break;
        if (hi >= 1) return status;
        lo = hi;
        under = over;
        hi = dc_min(1, 4*hi);
    }

    /* secants */
    for (it = 0; it < 60; ++it) {
        const dc_real weight = under < over ? under/(under - over) : DC_R(0.5);
        const dc_real share = lo + (hi - lo)*dc_min(DC_R(0.99), dc_max(DC_R(0.01), weight));
        dc_real gap;
        status = dci_design_near(task, at, scratch, share);
        if (status == DC_E_SINGULAR) return status;
        gap = dci_design_length(at->step, task->n) - task->radius;
        if (gap <= 0 && (gap >= -near_by*task->radius || hi - lo <= 4*DC_EPS*hi)) return status;
        if (gap > 0) {
            hi = share;
            over = gap;
            if (side > 0) under *= DC_R(0.5);
            side = 1;
        } else {
            lo = share;
            under = gap;
            if (side < 0) over *= DC_R(0.5);
            side = -1;
        }
    }
    return dci_design_near(task, at, scratch, lo);
}

/* is the step of length 0 allowed? */
static int dci_design_stays(const dci_design_task *task)
{
    int i, j;
    for (i = 0; i < task->n; ++i)
        if (task->lo[i] > 0 || task->hi[i] < 0) return 0;
    for (j = 0; j < task->rows; ++j)
        if (task->list->least[task->kept[j]] > 0) return 0;
    return 1;
}

/* The step, from multipliers 0. Where not to move is not allowed, that comes first: it tells whether anything is. */
static dc_status dci_design_find(const dci_design_task *task, dci_design_at *at, const dci_design_scratch *scratch)
{
    dc_real rest = 0;
    if (!dci_design_stays(task)) {
        const dc_status status = dci_design_near(task, at, scratch, 0);
        if (status == DC_E_SINGULAR) return status;
        rest = dci_design_length(at->step, task->n);
        if (task->radius > 0 && rest > task->radius*(1 + (DC_IS_FLOAT ? DC_R(1e-4) : DC_R(1e-9))))
            return status == DC_OK ? DC_E_SINGULAR : status;
    }
    return task->radius > 0 ? dci_design_within(task, at, scratch, rest) : dci_design_near(task, at, scratch, 1);
}

/* the arrays of a projection */
static void dci_design_take_step(int n, int rows, dci_room *room, dc_real *part[4], int **kept, dci_design_at *at,
                                 dci_design_scratch *scratch)
{
    int k;
    for (k = 0; k < 3; ++k) part[k] = DCI_TAKE(room, n, dc_real);
    part[3] = DCI_TAKE(room, rows, dc_real);
    at->open = DCI_TAKE(room, n, dc_real);
    at->step = DCI_TAKE(room, n, dc_real);
    at->dual = DCI_TAKE(room, rows, dc_real);
    scratch->across = DCI_TAKE(room, n, dc_real);
    scratch->rhs = DCI_TAKE(room, rows, dc_real);
    scratch->dir = DCI_TAKE(room, rows, dc_real);
    scratch->image = DCI_TAKE(room, rows, dc_real);
    scratch->way = DCI_TAKE(room, rows, dc_real);
    scratch->trial = DCI_TAKE(room, rows, dc_real);
    scratch->works = DCI_TAKE(room, rows, int);
    *kept = DCI_TAKE(room, rows, int);
}

DC_DEF size_t dc_design_project_bytes(const dc_design *design, const dc_design_rows *rows)
{
    dci_room room = DC_ZERO;
    dci_design_at at;
    dci_design_scratch scratch;
    dc_real *part[4];
    int *kept;
    if (!design || design->n < 1) return 0;
    dci_design_take_step(design->n, rows ? rows->rows : 0, &room, part, &kept, &at, &scratch);
    return dci_counted(&room);
}

/* are the arguments numbers, the bounds in order? */
static int dci_design_step_ok(const dc_design *design, const dc_design_rows *rows, const dc_real *d,
                              const dc_real *step)
{
    int i, k;
    for (i = 0; i < design->n; ++i)
        if (!(dc_abs(d[i]) <= DC_LIMIT) || !(dc_abs(step[i]) <= DC_LIMIT) || !(design->lo[i] <= design->hi[i])
            || !(design->lo[i] <= DC_LIMIT) || !(design->hi[i] >= -DC_LIMIT)) return 0;
    for (k = 0; rows && k < rows->rows; ++k)
        if (!(dc_abs(rows->least[k]) <= DC_LIMIT)) return 0;
    for (k = 0; rows && k < rows->entries; ++k)
        if (rows->variable[k] < 0 || rows->variable[k] >= design->n || !(dc_abs(rows->weight[k]) <= DC_LIMIT)) return 0;
    return 1;
}

/* Which rows hold the step back and which is missed by most, or, where they contradict, which asks for most. */
static void dci_design_report(const dci_design_task *task, const dci_design_at *at, dc_status status,
                              dc_design_info *info)
{
    dc_real most = 0;
    int j;
    info->sweeps = at->sweeps;
    info->held = 0;
    info->row = -1;
    info->missed = 0;
    for (j = 0; j < task->rows; ++j) {
        const int r = task->kept[j];
        const dc_real length = dc_sqrt(task->norm2[j]);
        const dc_real miss = (task->list->least[r] - dci_design_times(task->list, r, at->step))/length;
        const dc_real weigh = status == DC_E_SINGULAR ? at->dual[j]*length : miss;
        info->held += at->dual[j] > 0;
        if (!(weigh > most)) continue;
        most = weigh;
        info->row = r;
        info->missed = dc_max(miss, 0);
    }
}

DC_DEF dc_status dc_design_project(const dc_design *design, const dc_design_rows *rows, const dc_real *d,
                                   dc_real radius, dc_arena *mem, dc_real *step, dc_design_info *info)
{
    dci_room room = DC_ZERO;
    dci_design_task task;
    dci_design_at at;
    dci_design_scratch scratch;
    dc_real *part[4];
    int *kept, i, r, k, empty = -1;
    dc_status status;
    size_t used;

    if (!design || !design->lo || !design->hi || design->n < 1 || !d || !mem || !step || !dci_sim_scalar(radius, 0)
        || (rows && !dci_design_rows_ok(rows)) || !dci_design_step_ok(design, rows, d, step)) return DC_E_ARG;
    used = mem->used;
    room.arena = mem;
    dci_design_take_step(design->n, rows ? rows->rows : 0, &room, part, &kept, &at, &scratch);
    if (room.full) {
        mem->used = used;
        return DC_E_MEMORY;
    }

    /* the wish, in the box of steps */
    memset(&task, 0, sizeof task);
    task.n = design->n;
    task.list = rows;
    task.radius = task.size = radius;
    for (i = 0; i < task.n; ++i) {
        part[0][i] = step[i];
        part[1][i] = design->lo[i] - d[i];
        part[2][i] = design->hi[i] - d[i];
        task.size = radius > 0 ? radius : dc_max(task.size, dc_abs(step[i]));
    }

    /* the rows that a step of this length can miss */
    for (r = 0; rows && r < rows->rows; ++r) {
        dc_real norm2 = 0;
        for (k = rows->begin[r]; k < rows->begin[r + 1]; ++k) norm2 += rows->weight[k]*rows->weight[k];
        if (!(norm2 > 0)) {
            if (rows->least[r] > 0) empty = r;
            continue;
        }
        if (radius > 0 && rows->least[r] <= -dc_sqrt(norm2)*radius) continue;
        kept[task.rows] = r;
        part[3][task.rows] = norm2;
        at.dual[task.rows++] = 0;
        task.size = dc_max(task.size, dc_abs(rows->least[r])/dc_sqrt(norm2));
    }
    task.wish = part[0];
    task.lo = part[1];
    task.hi = part[2];
    task.norm2 = part[3];
    task.kept = kept;
    at.sweeps = 0;

    /* all of the wish, or as much as the radius holds */
    status = dci_design_find(&task, &at, &scratch);
    if (empty >= 0) status = DC_E_SINGULAR;

    if (info) dci_design_report(&task, &at, status, info);
    if (info && empty >= 0) info->row = empty;
    for (i = 0; i < task.n && status != DC_E_SINGULAR; ++i) step[i] = at.step[i];
    mem->used = used;
    return status;
}

#endif /* DC_SIM_NO_DESIGN */

/* ============================================================================================== */
#ifndef DC_SIM_NO_GRAINS

/* Below this length of a gradient by x and y, which is 1 where the field is a distance, there is no direction to rub
 * in. */
#define DCI_GRAIN_NO_NORMAL DC_R(1e-12)

enum { DCI_GRAIN_LANES = 32 };      /* pairs in a block */

/* ---- [contact] one contact: CEM Algorithm 1 --------------------------------------------------- */
/* in: both bodies' motion, the field there, material; out: forces on both, the spring; their tangent.
 *
 * stage                   | reads               | writes                            | equation
 * dci_grain_look          | field, velocities   | frame: directions, levers, speeds | J_A^T g, J_B^T g
 * dci_grain_force         | law, frame          | forces, spring, regime            | CEM Algorithm 1
 * dci_grain_force_tangent | the same, a tangent | tangent of forces and spring      | chain rule */

/* What a contact is computed from; a tangent of it is one too. */
typedef struct {
    dc_real cosine, sine;           /* of theta_A */
    dc_real rel[3];                 /* q_AB */
    dc_real velocity_a[3], velocity_b[3];
    dc_real distance, grad[3], lever;   /* the field there, in m */
    dc_real spring;
} dci_grain_in;

/* k_n, c gamma_n, k_t, c gamma_t, mu, h */
typedef struct { dc_real stiffness_n, damping_n, stiffness_t, damping_t, friction, step; } dci_grain_law;

/* on a and on b; f_n, f_t */
typedef struct { dc_real force_a[3], force_b[3], spring, normal, tangential; } dci_grain_out;

/* moment_a is that of J_A^T g, whose forces are minus those of b (CEM Algorithm 1 has them not transposed) */
typedef struct {
    dc_real moment_a, push_b[3];        /* J_A^T g, J_B^T g */
    dc_real length;                     /* of the part by x and y */
    dc_real tangent[2];                 /* t */
    dc_real lever_a, lever_b;           /* of friction: proj_A, proj_B */
    dc_real speed_n, speed_t;           /* along g and t */
} dci_grain_frame;

typedef enum { DCI_GRAIN_OPEN = 0, DCI_GRAIN_SMOOTH, DCI_GRAIN_STICK, DCI_GRAIN_CUT, DCI_GRAIN_SLIP } dci_grain_regime;

/* With sweeps: a contact's frame and law, of which each sweep makes its forces. A tangent of it is one too, and a
 * gradient by it. */
struct dc_grain_row {
    dci_grain_frame frame;
    dc_real pull_n, pull_t;             /* k_n d, or K_n d/h where d > 0; k_t s */
    dc_real friction;                   /* mu |n| */
    dc_real gain_n, gain_t;             /* K_n, K_t */
    dc_real stiffness_t, damping_t, spring;
};

/* What sweeps read of contacts that may touch and write of them, side by side, for dc_grains_solve. */
struct dc_grain_pack {
    dc_real moment_a[DCI_GRAIN_LANES], push_b[3][DCI_GRAIN_LANES], tangent[2][DCI_GRAIN_LANES];
    dc_real lever_a[DCI_GRAIN_LANES], lever_b[DCI_GRAIN_LANES];
    dc_real gain_n[DCI_GRAIN_LANES], gain_t[DCI_GRAIN_LANES], pull_n[DCI_GRAIN_LANES], pull_t[DCI_GRAIN_LANES];
    dc_real friction[DCI_GRAIN_LANES], part_n[DCI_GRAIN_LANES], part_t[DCI_GRAIN_LANES];    /* 1/(1 + h K w) */
    dc_real normal[DCI_GRAIN_LANES], tangential[DCI_GRAIN_LANES];
    int     a[DCI_GRAIN_LANES], b[DCI_GRAIN_LANES];
};

/* the frame of a contact; 0: no direction to rub in, and no t, levers and speed along t */
static int dci_grain_look(const dci_grain_in *in, dci_grain_frame *frame)
{
    const dc_real c = in->cosine, s = in->sine, gx = in->grad[1], gy = in->grad[2], x = in->rel[1], y = in->rel[2];
    const dc_real *va = in->velocity_a, *vb = in->velocity_b;
    dc_real *gb = frame->push_b, *t = frame->tangent, half;

    /* along g */
    gb[0] = in->grad[0];
    gb[1] = c*gx - s*gy;
    gb[2] = s*gx + c*gy;
    frame->moment_a = (y*gx - x*gy) - in->grad[0];      /* -g_theta - (R(pi/2) x_AB).g_xy */
    frame->speed_n = frame->moment_a*va[0] + gb[0]*vb[0] + gb[1]*(vb[1] - va[1]) + gb[2]*(vb[2] - va[2]);
    frame->length = dc_sqrt(gx*gx + gy*gy);
    if (!(frame->length >= DCI_GRAIN_NO_NORMAL)) return 0;

    /* along t */
    t[0] = -gb[2]/frame->length;
    t[1] = gb[1]/frame->length;
    half = DC_R(0.5)*(x*gx + y*gy)/frame->length;       /* of x_AB.n/|n| */
    frame->lever_b = in->lever - half;
    frame->lever_a = -in->lever - half;
    frame->speed_t = t[0]*(vb[1] - va[1]) + t[1]*(vb[2] - va[2]) + frame->lever_b*vb[0] + frame->lever_a*va[0];
    return 1;
}

/* forces f_n along g and f_t along t; those on a and b are opposite to the bit */
DCI_LANE void dci_grain_push(const dci_grain_frame *frame, dci_grain_out *out)
{
    const dc_real fn = out->normal, ft = out->tangential, *gb = frame->push_b;
    out->force_a[0] = fn*frame->moment_a + ft*frame->lever_a;
    out->force_b[0] = fn*gb[0] + ft*frame->lever_b;
    out->force_b[1] = fn*gb[1] + ft*frame->tangent[0];
    out->force_b[2] = fn*gb[2] + ft*frame->tangent[1];
    out->force_a[1] = -out->force_b[1];
    out->force_a[2] = -out->force_b[2];
}

/* The forces of CEM Algorithm 1, without the pull that its f_n may have, and with the cone of the normal force
 * f_n |n|. */
static dci_grain_regime dci_grain_force(const dci_grain_law *law, const dci_grain_in *in, dci_grain_out *out)
{
    const dc_real kt = law->stiffness_t, damp_t = law->damping_t;
    dci_grain_frame frame;
    dci_grain_regime regime = DCI_GRAIN_STICK;
    dc_real most, vt;

    memset(out, 0, sizeof *out);
    memset(&frame, 0, sizeof frame);
    if (!(in->distance < 0)) return DCI_GRAIN_OPEN;
    if (!dci_grain_look(in, &frame)) regime = DCI_GRAIN_SMOOTH;
    out->normal = dc_max(-law->stiffness_n*in->distance - law->damping_n*frame.speed_n, 0);

    if (regime == DCI_GRAIN_STICK) {
        vt = frame.speed_t;
        most = law->friction*out->normal*frame.length;
        out->spring = in->spring + vt*law->step;
        out->tangential = -kt*out->spring - damp_t*vt;
        if (damp_t*dc_abs(vt) > most) {
            /* the dashpot alone is beyond the cone */
            regime = DCI_GRAIN_SLIP;
            out->spring = 0;
            out->tangential = vt > 0 ? -most : most;
        } else if (dc_abs(out->tangential) > most) {
            /* the part of the spring with |f_t| = f_max. It is not 0, since the dashpot alone is within f_max, and the
             * force has the sign of -s */
            dc_real part = (most + (out->spring > 0 ? -damp_t : damp_t)*vt)/(kt*dc_abs(out->spring));
            regime = DCI_GRAIN_CUT;
            out->spring *= dc_max(dc_min(part, 1), 0);
            out->tangential = -kt*out->spring - damp_t*vt;
        }
    }
    dci_grain_push(&frame, out);
    return regime;
}

/* the tangent of the frame along `d_in`; rubs: of t, levers and speed along t too */
static void dci_grain_look_tangent(const dci_grain_in *in, const dci_grain_in *d_in, const dci_grain_frame *frame,
                                   int rubs, dci_grain_frame *d)
{
    const dc_real c = in->cosine, s = in->sine, gx = in->grad[1], gy = in->grad[2], x = in->rel[1], y = in->rel[2];
    const dc_real hx = d_in->grad[1], hy = d_in->grad[2], dx = d_in->rel[1], dy = d_in->rel[2];
    const dc_real *va = in->velocity_a, *vb = in->velocity_b, *dva = d_in->velocity_a, *dvb = d_in->velocity_b;
    const dc_real *gb = frame->push_b, *t = frame->tangent, length = frame->length;
    dc_real *dgb = d->push_b, *dt = d->tangent, half;

    /* along g */
    dgb[0] = d_in->grad[0];
    dgb[1] = c*hx - s*hy + d_in->cosine*gx - d_in->sine*gy;
    dgb[2] = s*hx + c*hy + d_in->sine*gx + d_in->cosine*gy;
    d->moment_a = (y*hx - x*hy) + (dy*gx - dx*gy) - d_in->grad[0];
    d->speed_n = frame->moment_a*dva[0] + gb[0]*dvb[0] + gb[1]*(dvb[1] - dva[1]) + gb[2]*(dvb[2] - dva[2])
               + d->moment_a*va[0] + dgb[0]*vb[0] + dgb[1]*(vb[1] - va[1]) + dgb[2]*(vb[2] - va[2]);
    if (!rubs) return;

    /* along t */
    d->length = (gx*hx + gy*hy)/length;
    dt[0] = (-dgb[2] - t[0]*d->length)/length;
    dt[1] = (dgb[1] - t[1]*d->length)/length;
    half = DC_R(0.5)*(dx*gx + dy*gy + x*hx + y*hy - (x*gx + y*gy)*d->length/length)/length;
    d->lever_b = d_in->lever - half;
    d->lever_a = -d_in->lever - half;
    d->speed_t = dt[0]*(vb[1] - va[1]) + dt[1]*(vb[2] - va[2]) + d->lever_b*vb[0] + d->lever_a*va[0]
               + t[0]*(dvb[1] - dva[1]) + t[1]*(dvb[2] - dva[2]) + frame->lever_b*dvb[0] + frame->lever_a*dva[0];
}

/* the tangent of both products of dci_grain_push, from that of the frame and of f_n and f_t in d_out */
static void dci_grain_push_tangent(const dci_grain_frame *frame, const dci_grain_frame *d, dc_real fn, dc_real ft,
                                   dci_grain_out *d_out)
{
    const dc_real dfn = d_out->normal, dft = d_out->tangential;
    d_out->force_a[0] = dfn*frame->moment_a + dft*frame->lever_a + fn*d->moment_a + ft*d->lever_a;
    d_out->force_b[0] = dfn*frame->push_b[0] + dft*frame->lever_b + fn*d->push_b[0] + ft*d->lever_b;
    d_out->force_b[1] = dfn*frame->push_b[1] + dft*frame->tangent[0] + fn*d->push_b[1] + ft*d->tangent[0];
    d_out->force_b[2] = dfn*frame->push_b[2] + dft*frame->tangent[1] + fn*d->push_b[2] + ft*d->tangent[1];
    d_out->force_a[1] = -d_out->force_b[1];
    d_out->force_a[2] = -d_out->force_b[2];
}

/* The tangent of the above along `d_in`, by the chain rule line by line. Frozen: d < 0, f_n > 0 or not, the regime. */
static void dci_grain_force_tangent(const dci_grain_law *law, const dci_grain_in *in, const dci_grain_in *d_in,
                                    dci_grain_out *d_out)
{
    const dc_real kt = law->stiffness_t, damp_t = law->damping_t;
    dci_grain_frame frame, d;                       /* the frame and its tangent */
    dci_grain_out out;
    const dci_grain_regime regime = dci_grain_force(law, in, &out);
    const dc_real fn = out.normal, ft = out.tangential;
    dc_real most;

    memset(d_out, 0, sizeof *d_out);
    memset(&frame, 0, sizeof frame);
    memset(&d, 0, sizeof d);
    if (regime == DCI_GRAIN_OPEN) return;
    dci_grain_look(in, &frame);
    dci_grain_look_tangent(in, d_in, &frame, regime != DCI_GRAIN_SMOOTH, &d);

    /* f_n, f_t, spring */
    if (fn > 0) d_out->normal = -law->stiffness_n*d_in->distance - law->damping_n*d.speed_n;
    if (regime != DCI_GRAIN_SMOOTH) {
        most = law->friction*(d_out->normal*frame.length + fn*d.length);
        if (regime == DCI_GRAIN_STICK) {
            d_out->spring = d_in->spring + d.speed_t*law->step;
            d_out->tangential = -kt*d_out->spring - damp_t*d.speed_t;
        } else {
            d_out->tangential = ft > 0 ? most : -most;
            if (regime == DCI_GRAIN_CUT) d_out->spring = -(d_out->tangential + damp_t*d.speed_t)/kt;
        }
    }

    dci_grain_push_tangent(&frame, &d, fn, ft, d_out);
}

/* ---- [grains] building grains ------------------------------------------------------------------ */
/* in: a description; out: grains in the arena.
 *
 * stage            | reads       | writes
 * dci_grains_check | description | whether it is one
 * dci_grains_grid  | description | cells
 * dci_grains_take  | counts      | arrays
 * dc_grains_build  | description | types, pairs, bodies, an empty state */

static int dci_grain_material_ok(const dc_grain_material *m)
{
    return dci_sim_scalar(m->kn, 0) && dci_sim_scalar(m->gn, 0) && dci_sim_scalar(m->kt, 0) && dci_sim_scalar(m->gt, 0)
        && dci_sim_scalar(m->mu, 0);
}

/* a grain may have the field of a disc, a wall has that of its kind */
static int dci_grain_fits(dc_cshape_kind kind, dc_cshape_kind field)
{
    return field == kind || (kind == DC_CSHAPE_POLY && field == DC_CSHAPE_DISC);
}

static int dci_grain_type_ok(const dc_grain_type *t)
{
    if ((unsigned)t->kind > DC_CSHAPE_HOLE) return 0;
    if (t->kind != DC_CSHAPE_HALFPLANE && !(t->radius > 0 && t->radius <= DC_LIMIT)) return 0;
    if (t->kind != DC_CSHAPE_POLY) return 1;
    return t->mass > 0 && t->mass <= DC_LIMIT && t->inertia > 0 && t->inertia <= DC_LIMIT;
}

static int dci_grains_check(const dc_grains_desc *d)
{
    int k;

    /* counts and numbers */
    if (!d || !d->type || d->types < 1 || d->types > 4096) return 0;
    if (!d->body || d->bodies < 1 || d->bodies > (1 << 26)) return 0;
    if (d->pairs < 0 || d->pairs > (1 << 24) || (d->pairs > 0 && !d->pair)) return 0;
    if (d->room < 0 || d->room > (1 << 29) || d->sweeps < 0 || d->sweeps > 1000) return 0;
    if (!(d->h > 0 && d->h <= DC_LIMIT) || !dci_grain_material_ok(&d->material)) return 0;
    if (!(d->reuse >= 0 && d->reuse <= 1)) return 0;
    for (k = 0; k < 2; ++k)
        if (!dci_sim_scalar(d->gravity[k], -DC_LIMIT) || !dci_sim_scalar(d->lo[k], -DC_LIMIT)
            || !dci_sim_scalar(d->hi[k], -DC_LIMIT) || !(d->lo[k] < d->hi[k])) return 0;

    /* lists */
    for (k = 0; k < d->types; ++k)
        if (!dci_grain_type_ok(d->type + k)) return 0;
    for (k = 0; k < d->pairs; ++k) {
        const dc_grain_pair *p = d->pair + k;
        if (p->a < 0 || p->a >= d->types || p->b < 0 || p->b >= d->types) return 0;
        if (d->type[p->b].kind != DC_CSHAPE_POLY) return 0;
        if (p->field && !dci_grain_fits(d->type[p->a].kind, p->field->wall)) return 0;
        if (!dci_sim_scalar(p->length, 0) || !dci_grain_material_ok(&p->material)) return 0;
    }
    for (k = 0; k < d->bodies; ++k)
        if (d->body[k] < 0 || d->body[k] >= d->types) return 0;
    return 1;
}

/* The skin, of the largest radius: thicker ones last longer, and have more pairs to look at. Of 0.1, 0.2 and 0.35 piles
 * find as fast with the last two; what turns in a drum gains with the last alone. */
#define DCI_GRAIN_SKIN DC_R(0.35)

/* grid: cells as wide as the largest grain with the skin, fewer than 4 for each body */
static void dci_grains_grid(const dc_grains_desc *d, dc_grains *g)
{
    dc_real least = 0, most = 4*(dc_real)d->bodies + 16, n[2];
    int k;

    for (k = 0; k < d->bodies; ++k)
        if (d->type[d->body[k]].kind == DC_CSHAPE_POLY) least = dc_max(d->type[d->body[k]].radius, least);
    g->skin = DCI_GRAIN_SKIN*least;

    /* rounding must not hide a neighbour two cells off */
    least = dc_max((2*least + g->skin)*(1 + 16*DC_EPS), DC_REAL_MIN);
    for (;; least *= DC_R(1.25)) {
        for (k = 0; k < 2; ++k) n[k] = (d->hi[k] - d->lo[k])/least;
        if (dc_max(n[0], 1)*dc_max(n[1], 1) <= most) break;
    }
    for (k = 0; k < 2; ++k) {
        g->cells[k] = n[k] > 1 ? (int)n[k] : 1;
        g->cell_size[k] = (d->hi[k] - d->lo[k])/(dc_real)g->cells[k];
    }
}

/* pairs there is room for, and blocks they can make */
static size_t dci_grains_room(const dc_grains_desc *d) { return d->room > 0 ? (size_t)d->room : 16*(size_t)d->bodies; }
static size_t dci_grains_blocks(const dc_grains_desc *d)
{
    return dci_grains_room(d)/DCI_GRAIN_LANES + (size_t)d->pairs + 1;
}

/* numbers that a spring has in the state: itself, with sweeps f_n and f_t too */
static int dci_grain_width(const dc_grains_desc *d) { return d->sweeps > 0 ? 3 : 1; }

/* What is kept of a look at a pair's field, in the field's unit of length: the pose, d, and, good for motions below
 * reach, gradient, lever, H, the lever's derivative. */
enum { DCI_GRAIN_JET = 3 + 1 + 6 + 3, DCI_GRAIN_KEPT = 3 + 2 + DCI_GRAIN_JET };
struct dc_grain_kept { dc_real pose[3], reach, d, jet[DCI_GRAIN_JET]; };

/* The state: q, v, `springs` numbers, what is kept of `kept` pairs, then motion, spring_row, spring_body, kept_row,
 * kept_body, in one block of g->state_bytes. */
static void dci_grains_state(size_t n, size_t room, size_t springs, size_t kept, dc_grains *g)
{
    g->q = (dc_real *)g->state;
    g->v = g->q + 3*n;
    g->spring = g->q + 6*n;
    g->kept = kept > 0 ? (dc_grain_kept *)(void *)(g->spring + springs) : NULL;
    g->motion = (int *)(void *)(g->spring + springs + kept*DCI_GRAIN_KEPT);
    g->spring_row = g->motion + n;
    g->spring_body = g->spring_row + n + 1;
    g->kept_row = kept > 0 ? g->spring_body + room : NULL;
    g->kept_body = kept > 0 ? g->kept_row + n + 1 : NULL;
}

/* the arrays of grains whose grid is known, several in one piece */
static void dci_grains_take(const dc_grains_desc *d, dci_room *room, dc_grains *g)
{
    const size_t n = (size_t)d->bodies, pairs = dci_grains_room(d), cells = (size_t)g->cells[0]*(size_t)g->cells[1];
    const size_t blocks = dci_grains_blocks(d), types = (size_t)d->types;
    const size_t springs = pairs*(size_t)dci_grain_width(d), kept = d->reuse > 0 ? pairs : 0;

    g->state_bytes = (6*n + springs + kept*DCI_GRAIN_KEPT)*sizeof(dc_real) + (2*n + 1 + pairs)*sizeof(int);
    if (kept > 0) g->state_bytes += (n + 1 + pairs)*sizeof(int);
    g->state = DCI_TAKE(room, g->state_bytes, unsigned char);
    g->rows = d->sweeps > 0 ? DCI_TAKE(room, pairs, dc_grain_row) : NULL;
    g->pack = d->sweeps > 0 ? DCI_TAKE(room, pairs/DCI_GRAIN_LANES + 1, dc_grain_pack) : NULL;
    g->share = d->sweeps > 0 ? DCI_TAKE(room, 2*n + 3*n + 3*n, dc_real) : NULL;
    g->touch = d->sweeps > 0 ? DCI_TAKE(room, pairs, int) : NULL;
    g->keep = kept > 0 ? DCI_TAKE(room, kept, dc_grain_kept) : NULL;
    g->asked = kept > 0 ? DCI_TAKE(room, blocks, int) : NULL;
    g->contact = DCI_TAKE(room, pairs, dc_grain_contact);
    g->force = DCI_TAKE(room, 3*n + 2*n + 3*n + 3*n + 2*n, dc_real);
    g->type = DCI_TAKE(room, types, dc_grain_type);
    g->pair = DCI_TAKE(room, d->pairs, dc_grain_pair);
    g->table = DCI_TAKE(room, types*types, int);
    g->body = DCI_TAKE(room, 2*n, int);
    g->row = DCI_TAKE(room, 2*(n + 1) + 3*pairs, int);
    g->block = DCI_TAKE(room, 2*(blocks + 1) + (size_t)d->pairs + 1, int);
    g->cell = DCI_TAKE(room, 2*n + cells + 1, int);
    g->list_row = DCI_TAKE(room, n + 1 + n + 2*pairs, int);
    if (!room->arena || room->full) return;

    /* pieces */
    dci_grains_state(n, pairs, springs, kept, g);
    g->turn = g->force + 3*n;
    g->next = g->turn + 2*n;
    g->at = g->next + 3*n;
    g->list_at = g->at + 3*n;
    g->list_motion = g->list_row + n + 1;
    g->list = g->list_motion + n;
    g->wall = g->body + n;
    g->back_row = g->row + n + 1;
    g->pair_of = g->back_row + n + 1;
    g->order = g->pair_of + pairs;
    g->gain = g->share ? g->share + 2*n : NULL;
    g->drift = g->share ? g->gain + 3*n : NULL;
    g->back = g->order + pairs;
    g->tally = g->block + 2*(blocks + 1);
    g->slot = g->cell + n;
    g->slot_row = g->slot + n;
}

DC_DEF size_t dc_grains_bytes(const dc_grains_desc *desc)
{
    dci_room room = DC_ZERO;
    dc_grains unread;
    if (!dci_grains_check(desc)) return 0;
    memset(&unread, 0, sizeof unread);
    dci_grains_grid(desc, &unread);
    dci_grains_take(desc, &room, &unread);
    return dci_counted(&room);
}

/* the pairs of types, and a table of them */
static void dci_grains_pairs(const dc_grains_desc *d, dc_grains *g)
{
    int k;
    for (k = 0; k < d->types*d->types; ++k) g->table[k] = -1;
    for (k = 0; k < d->pairs; ++k) {
        const int a = d->pair[k].a, b = d->pair[k].b;
        int *to = g->table + a*d->types + b, *from = g->table + b*d->types + a;
        g->pair[k] = d->pair[k];
        if (g->pair[k].length == 0) g->pair[k].length = 1;
        if (g->pair[k].material.kn == 0) g->pair[k].material = d->material;
        if (*to < 0) *to = *from = k;
    }
}

DC_DEF dc_status dc_grains_build(const dc_grains_desc *desc, dc_arena *mem, dc_grains *g)
{
    dci_room room = DC_ZERO;
    dc_grains m;
    size_t used;
    int k;

    if (!dci_grains_check(desc) || !mem || !g || dc_grains_bytes(desc) == 0) return DC_E_ARG;
    memset(&m, 0, sizeof m);
    dci_grains_grid(desc, &m);

    /* memory */
    used = mem->used;
    room.arena = mem;
    dci_grains_take(desc, &room, &m);
    if (room.full) {
        mem->used = used;
        return DC_E_MEMORY;
    }

    memset(m.state, 0, m.state_bytes);
    m.list_row[0] = -1;
    for (k = 0; k < desc->types; ++k) m.type[k] = desc->type[k];
    dci_grains_pairs(desc, &m);

    /* walls are driven */
    for (k = 0; k < desc->bodies; ++k) {
        m.body[k] = desc->body[k];
        m.motion[k] = DC_GRAIN_FREE;
        if (m.type[m.body[k]].kind != DC_CSHAPE_POLY) {
            m.motion[k] = DC_GRAIN_DRIVEN;
            m.wall[m.walls++] = k;
        }
    }
    m.desc = *desc;
    m.desc.type = m.type;
    m.desc.pair = m.pair;
    m.desc.body = m.body;
    m.desc.room = (int)dci_grains_room(desc);
    *g = m;
    return DC_OK;
}

DC_DEF dc_status dc_grain_type_poly(const dc_poly *poly, dc_real length, dc_real density, dc_grain_type *type)
{
    dc_poly_moments_of m;
    dc_real L2;

    if (!type || !dci_sim_scalar(length, 0) || !dci_sim_scalar(density, 0) || dc_poly_check(poly) != DC_OK
        || dc_poly_moments(poly, &m) != DC_OK) return DC_E_ARG;
    if (dc_max(dc_abs(m.centroid.x), dc_abs(m.centroid.y)) > (DC_IS_FLOAT ? DC_R(1e-4) : DC_R(1e-6))*m.radius)
        return DC_E_ARG;
    if (length == 0) length = 1;
    if (density == 0) density = 1;

    L2 = length*length;
    if (!(density*L2*m.area > 0 && density*L2*m.area <= DC_LIMIT && density*L2*L2*m.inertia > 0
        && density*L2*L2*m.inertia <= DC_LIMIT && length*m.radius <= DC_LIMIT)) return DC_E_ARG;
    type->kind = DC_CSHAPE_POLY;
    type->mass = density*L2*m.area;
    type->inertia = density*L2*L2*m.inertia;
    type->radius = length*m.radius;
    return DC_OK;
}

DC_DEF int dc_grains_springs(const dc_grains *g) { return g && g->spring_row ? g->spring_row[g->desc.bodies] : 0; }

/* ---- [reach] who is within reach --------------------------------------------------------------- */
/* in: the state; out: pairs within reach in rows of bodies, in blocks of one field.
 *
 * stage            | reads  | writes
 * dci_grains_bad   | state  | whether it can be worked with
 * dci_grains_stale | places | whether the list is to be made anew
 * dci_grains_sort  | places | grains by cells
 * dci_grains_list  | cells  | the list: grains within reach and the skin of others
 * dci_grains_row   | list   | pairs of one grain with later ones and with walls
 * dci_grains_order | pairs  | blocks, and the pairs of bodies in rows of others
 *
 * The list is no part of the state. It only says whom to look at: while it holds, all pairs within reach are in it, in
 * the order of their numbers, whatever the places it was made at. */

static int dci_grain_free(const dc_grains *g, int i)
{
    return g->motion[i] == DC_GRAIN_FREE && g->type[g->body[i]].kind == DC_CSHAPE_POLY;
}

/* is what is kept of body i's pairs in order? *last: where the row before ended, then this one */
static int dci_grain_kept_ok(const dc_grains *g, int i, int *last)
{
    const dc_real *x = (const dc_real *)(const void *)(g->kept + *last);
    int k, ok = 1;

    if (g->kept_row[i] != *last || g->kept_row[i + 1] < *last || g->kept_row[i + 1] > g->desc.room) return 0;
    for (k = DCI_GRAIN_KEPT*(g->kept_row[i + 1] - *last); k > 0; --k, ++x) ok &= dc_abs(*x) <= DC_LIMIT;
    *last = g->kept_row[i + 1];
    return ok;
}

/* the first body whose state is bad, or -1 */
static int dci_grains_bad(const dc_grains *g)
{
    int i, k, n = g->desc.bodies, last = 0, last_kept = 0, width = dci_grain_width(&g->desc);

    for (i = 0; i < n; ++i) {
        for (k = 3*i; k < 3*i + 3; ++k)
            if (!(dc_abs(g->q[k]) <= DC_LIMIT) || !(dc_abs(g->v[k]) <= DC_LIMIT)) return i;
        if (g->motion[i] < 0 || g->motion[i] > DC_GRAIN_ABSENT || g->spring_row[i] != last) return i;
        last = g->spring_row[i + 1];
        if (last < g->spring_row[i] || last > g->desc.room) return i;
        for (k = width*g->spring_row[i]; k < width*last; ++k)
            if (!(dc_abs(g->spring[k]) <= DC_LIMIT)) return i;
        if (g->kept && !dci_grain_kept_ok(g, i, &last_kept)) return i;
    }
    return -1;
}

/* where x is along axis k of the grid; what is outside belongs to the cell at the edge */
static int dci_grains_cell(const dc_grains *g, int k, dc_real x)
{
    dc_real at = (x - g->desc.lo[k])/g->cell_size[k];
    if (!(at > 0)) return 0;
    return at < (dc_real)g->cells[k] ? (int)at : g->cells[k] - 1;
}

/* counts become starts */
static void dci_grains_starts(int *count, int n)
{
    int k, sum = 0;
    for (k = 0; k <= n; ++k) {
        int here = count[k];
        count[k] = sum;
        sum += here;
    }
}

/* each start has become its end, which is the start of the next */
static void dci_grains_back(int *start, int n)
{
    int k;
    for (k = n; k > 0; --k) start[k] = start[k - 1];
    start[0] = 0;
}

/* sorts the grains that are there into cells, row after row; within a cell by number */
static void dci_grains_sort(dc_grains *g)
{
    int i, c, n = g->desc.bodies, cells = g->cells[0]*g->cells[1];

    /* how many in each cell */
    for (c = 0; c <= cells; ++c) g->slot_row[c] = 0;
    for (i = 0; i < n; ++i) {
        g->cell[i] = -1;
        if (g->type[g->body[i]].kind != DC_CSHAPE_POLY || g->motion[i] == DC_GRAIN_ABSENT) continue;
        g->cell[i] = g->cells[0]*dci_grains_cell(g, 1, g->q[3*i + 2]) + dci_grains_cell(g, 0, g->q[3*i + 1]);
        g->slot_row[g->cell[i]]++;
    }

    /* and who, with place and radius */
    dci_grains_starts(g->slot_row, cells);
    for (i = 0; i < n; ++i)
        if (g->cell[i] >= 0) {
            int to = g->slot_row[g->cell[i]]++;
            g->slot[to] = i;
            g->at[3*to] = g->q[3*i + 1];
            g->at[3*to + 1] = g->q[3*i + 2];
            g->at[3*to + 2] = g->type[g->body[i]].radius;
        }
    dci_grains_back(g->slot_row, cells);
}

/* Appends i and j: 1, or 0 where no pair covers them or there is no room. */
static int dci_grains_append(dc_grains *g, int i, int j, dc_grains_info *info)
{
    int k = g->table[g->body[i]*g->desc.types + g->body[j]];
    dc_grain_contact *contact = g->contact + g->contacts;

    if (k < 0) {
        info->a = i;
        info->b = j;
        return 0;
    }
    if (!g->pair[k].field) return 1;
    if (g->contacts == g->desc.room) {
        info->pairs = g->desc.room + 1;
        return 0;
    }
    contact->a = g->pair[k].a == g->body[i] ? i : j;
    contact->b = g->pair[k].a == g->body[i] ? j : i;
    g->pair_of[g->contacts++] = k;
    return 1;
}

/* is grain i, a grain, within reach of wall w? */
static int dci_grains_near(const dc_grains *g, int i, int w)
{
    const dc_real *q = g->q + 3*i, *p = g->q + 3*w;
    dc_real x = q[1] - p[1], y = q[2] - p[2], r = g->type[g->body[i]].radius, R = g->type[g->body[w]].radius;
    switch (g->type[g->body[w]].kind) {
    case DC_CSHAPE_HALFPLANE: return g->turn[2*w]*y - g->turn[2*w + 1]*x <= r;
    case DC_CSHAPE_DISC: return x*x + y*y <= (R + r)*(R + r);
    default: return R <= r || x*x + y*y >= (R - r)*(R - r);
    }
}

/* Could a pair be within reach that the list does not have? While no motion has changed and no body has come further
 * than half the skin, no two have come nearer than the skin. */
static int dci_grains_stale(const dc_grains *g)
{
    const dc_real most = DC_R(0.49)*g->skin;        /* and rounding cannot hide one */
    int i, n = g->desc.bodies;

    if (g->list_row[0] < 0) return 1;
    for (i = 0; i < n; ++i) {
        const dc_real x = g->q[3*i + 1] - g->list_at[2*i], y = g->q[3*i + 2] - g->list_at[2*i + 1];
        if (!(x*x + y*y <= most*most) || g->motion[i] != g->list_motion[i]) return 1;
    }
    return 0;
}

/* Grain i with those before it within reach and a skin, after the `found` in by[]; *looks: at how many it looked. The
 * new number, or -1: there is no room, or two are within reach, without a skin, that no pair covers. */
static int dci_grains_before(const dc_grains *g, int i, dc_real skin, int found, size_t *looks, dc_grains_info *info)
{
    int k, y, cx = g->cell[i]%g->cells[0], cy = g->cell[i]/g->cells[0], free = dci_grain_free(g, i), *by = g->order;
    dc_real qx = g->q[3*i + 1], qy = g->q[3*i + 2], r = g->type[g->body[i]].radius + skin;

    /* the cells around its own, row by row */
    for (y = cy > 0 ? cy - 1 : 0; y <= cy + 1 && y < g->cells[1]; ++y) {
        int from = g->slot_row[g->cells[0]*y + (cx > 0 ? cx - 1 : 0)];
        int to = g->slot_row[g->cells[0]*y + (cx + 1 < g->cells[0] ? cx + 2 : cx + 1)];
        *looks += (size_t)(to - from);
        for (k = from; k < to; ++k) {
            dc_real dx = g->at[3*k] - qx, dy = g->at[3*k + 1] - qy, R = g->at[3*k + 2] + r;
            int j = g->slot[k], pair;
            if (dx*dx + dy*dy > R*R || j >= i || !(free || dci_grain_free(g, j))) continue;
            pair = g->table[g->body[i]*g->desc.types + g->body[j]];
            if (pair >= 0 && !g->pair[pair].field) continue;
            if (pair < 0 && !(skin > 0)) {
                info->a = j;
                info->b = i;
                return -1;
            }
            if (found == 2*g->desc.room) return -1;
            by[found++] = j;
        }
    }
    return found;
}

/* Lists pairs of grains within reach and a skin, in rows of the lower number by the higher: 1, or 0 as above, or where
 * cells are too crowded. Turning the rows about leaves them sorted, in a time that their length does not multiply. */
static int dci_grains_list(dc_grains *g, dc_real skin, dc_grains_info *info)
{
    int i, k, n = g->desc.bodies, found = 0, *row = g->back_row, *by = g->order;
    size_t looks = 0, most = 64*((size_t)n + (size_t)g->desc.room);     /* however crowded: no more */

    /* rows of the higher number; how many each lower one has */
    g->list_row[0] = -1;
    for (i = 0; i < n; ++i) {
        row[i] = found;
        if (g->cell[i] >= 0) found = dci_grains_before(g, i, skin, found, &looks, info);
        if (found < 0 || looks > most) return 0;
    }
    row[n] = found;

    /* the same by the lower */
    for (i = 0; i <= n; ++i) g->list_row[i] = 0;
    for (k = 0; k < found; ++k) g->list_row[by[k]]++;
    dci_grains_starts(g->list_row, n);
    for (i = 0; i < n; ++i)
        for (k = row[i]; k < row[i + 1]; ++k) g->list[g->list_row[by[k]]++] = i;
    dci_grains_back(g->list_row, n);
    for (i = 0; i < n; ++i) {
        g->list_motion[i] = g->motion[i];
        g->list_at[2*i] = g->q[3*i + 1];
        g->list_at[2*i + 1] = g->q[3*i + 2];
    }
    return 1;
}

/* the pairs of grain i with grains after it, then with walls */
static int dci_grains_row(dc_grains *g, int i, dc_grains_info *info)
{
    dc_real qx = g->q[3*i + 1], qy = g->q[3*i + 2], r = g->type[g->body[i]].radius;
    int w, k;

    for (k = g->list_row[i]; k < g->list_row[i + 1]; ++k) {
        const int j = g->list[k];
        dc_real dx = g->q[3*j + 1] - qx, dy = g->q[3*j + 2] - qy, R = g->type[g->body[j]].radius + r;
        if (dx*dx + dy*dy <= R*R && !dci_grains_append(g, i, j, info)) return 0;
    }

    for (w = 0; w < g->walls && dci_grain_free(g, i); ++w)
        if (g->motion[g->wall[w]] != DC_GRAIN_ABSENT && dci_grains_near(g, i, g->wall[w])
            && !dci_grains_append(g, i, g->wall[w], info)) return 0;
    return 1;
}

/* pose of b in a's frame */
static void dci_grain_relative(const dc_grains *g, const dc_grain_contact *contact, dc_real rel[3])
{
    const dc_real *qa = g->q + 3*contact->a, *qb = g->q + 3*contact->b;
    dc_real c = g->turn[2*contact->a], s = g->turn[2*contact->a + 1], x = qb[1] - qa[1], y = qb[2] - qa[2];
    rel[0] = qb[0] - qa[0];
    rel[1] = c*x + s*y;
    rel[2] = c*y - s*x;
}

/* A body too far away, or turned too far, from one within its reach for their relative pose to be one of a field: of
 * the first such pair the one further out, or -1. Where no place is near the limit no pair is looked at. */
static int dci_grains_far(const dc_grains *g)
{
    dc_real most = 0, size[2], rel[3], least = 1;
    int k, p;

    for (k = 0; k < 3*g->desc.bodies; ++k) most = dc_max(dc_abs(g->q[k]), most);
    for (k = 0; k < g->desc.pairs; ++k) least = dc_min(g->pair[k].length, least);
    if (3*most <= least*DC_LIMIT) return -1;            /* 2 sqrt(2) most/length is the largest there can be */

    for (p = 0; p < g->contacts; ++p) {
        const dc_grain_contact *contact = g->contact + p;
        const dc_real L = g->pair[g->pair_of[p]].length, *qa = g->q + 3*contact->a, *qb = g->q + 3*contact->b;
        dci_grain_relative(g, contact, rel);
        if (dc_abs(rel[0]) <= DC_LIMIT && dc_abs(rel[1]/L) <= DC_LIMIT && dc_abs(rel[2]/L) <= DC_LIMIT) continue;
        size[0] = size[1] = 0;
        for (k = 0; k < 3; ++k) {
            size[0] = dc_max(dc_abs(qa[k]), size[0]);
            size[1] = dc_max(dc_abs(qb[k]), size[1]);
        }
        return size[1] > size[0] ? contact->b : contact->a;
    }
    return -1;
}

/* the body other than i of contact p */
static int dci_grains_other(const dc_grains *g, int p, int i)
{
    return g->contact[p].a == i ? g->contact[p].b : g->contact[p].a;
}

/* blocks of pairs with the same field, and for each body its pairs in rows of others */
static void dci_grains_order(dc_grains *g)
{
    int i, k, p, n = g->desc.bodies, m = g->contacts;

    /* blocks */
    for (k = 0; k <= g->desc.pairs; ++k) g->tally[k] = 0;
    for (p = 0; p < m; ++p) g->tally[g->pair_of[p] + 1]++;
    g->blocks = 0;
    for (k = 0; k < g->desc.pairs; ++k) {
        for (i = g->tally[k]; i < g->tally[k] + g->tally[k + 1]; i += DCI_GRAIN_LANES) g->block[2*g->blocks++] = i;
        g->tally[k + 1] += g->tally[k];
    }
    g->block[2*g->blocks] = m;
    for (p = 0; p < m; ++p) g->order[g->tally[g->pair_of[p]]++] = p;

    /* rows of others */
    for (i = 0; i <= n; ++i) g->back_row[i] = 0;
    for (i = 0; i < n; ++i)
        for (p = g->row[i]; p < g->row[i + 1]; ++p) g->back_row[dci_grains_other(g, p, i)]++;
    dci_grains_starts(g->back_row, n);
    for (i = 0; i < n; ++i)
        for (p = g->row[i]; p < g->row[i + 1]; ++p) g->back[g->back_row[dci_grains_other(g, p, i)]++] = p;
    dci_grains_back(g->back_row, n);
}

DC_DEF dc_status dc_grains_find(dc_grains *g, dc_grains_info *info)
{
    dc_grains_info none;
    int i, n, listed = 1, kept = 1;

    if (!g || !g->state) return DC_E_ARG;
    if (!info) info = &none;
    memset(info, 0, sizeof *info);
    info->b = -1;
    info->a = dci_grains_bad(g);
    g->contacts = g->blocks = 0;
    if (info->a >= 0) return DC_E_ARG;
    n = g->desc.bodies;
    for (i = 0; i < n; ++i) dc_sincos(g->q[3*i], g->turn + 2*i + 1, g->turn + 2*i);

    /* where there is no room for the skin, a list without one serves this once */
    if (dci_grains_stale(g)) {
        dci_grains_sort(g);
        kept = dci_grains_list(g, g->skin, info);
        listed = kept || dci_grains_list(g, 0, info);
    }
    for (i = 0; listed && i < n; ++i) {
        g->row[i] = g->contacts;
        listed = dci_grains_row(g, i, info);
    }
    if (!kept) g->list_row[0] = -1;
    if (!listed) {
        g->contacts = 0;                /* those found so far are not all */
        if (info->a >= 0) return DC_E_ARG;
        info->pairs = g->desc.room + 1;
        return DC_E_MEMORY;
    }
    info->a = dci_grains_far(g);
    if (info->a >= 0) {
        g->contacts = 0;
        return DC_E_ARG;
    }
    g->row[n] = g->contacts;
    dci_grains_order(g);
    info->pairs = g->contacts;
    return DC_OK;
}

/* ---- [reuse] fields that are as they were ------------------------------------------------------- */
/* in: poses of a block, what is kept of its pairs; out: their fields, what is kept from now on.
 *
 * stage             | reads                   | writes                               | equation
 * dci_grain_recall  | what is kept of a pair  | its field, or how it has to be asked | d + g.e + e.H e/2
 * dci_grains_ask    | poses of some pairs     | their fields                         |
 * dci_grain_learn   | what was asked          | its field, what is kept              |
 * dci_grains_keep   | what is kept of a step  | the state                            | */

/* rows of a block: theta, x, y, d, gradient, lever; with reuse the same of those that are asked, with H and the
 * lever's derivative */
enum { DCI_GRAIN_ROWS = 8, DCI_GRAIN_ASKED_ROWS = 4 + DCI_GRAIN_JET };

/* How a field is asked: not at all, for d, with gradient and lever, or with their derivatives too. */
typedef enum { DCI_ASK_NOTHING = 0, DCI_ASK_DISTANCE, DCI_ASK_GRADIENT, DCI_ASK_HESSIAN } dci_grain_question;

static size_t dci_grain_rows(const dc_grains *g)
{
    return DCI_GRAIN_ROWS + (g->kept ? (size_t)DCI_GRAIN_ASKED_ROWS : 0);
}

/* The row of a pair is its grain's, of two grains that with the lower number. */
static int dci_grain_row_of(const dc_grains *g, const dc_grain_contact *contact)
{
    if (g->type[g->body[contact->a]].kind != DC_CSHAPE_POLY) return contact->b;
    return contact->a < contact->b ? contact->a : contact->b;
}

/* How far b's points can come towards a in a step: h (|u| + r_b |omega_B - omega_A|) + h^2 |gravity|, u the velocity
 * of b's origin in the frame that turns with a. */
static dc_real dci_grain_margin(const dc_grains *g, const dc_grain_contact *contact)
{
    const dc_real *va = g->v + 3*contact->a, *vb = g->v + 3*contact->b, h = g->desc.h, *G = g->desc.gravity;
    const dc_real *qa = g->q + 3*contact->a, *qb = g->q + 3*contact->b;
    const dc_real ux = vb[1] - va[1] + va[0]*(qb[2] - qa[2]), uy = vb[2] - va[2] - va[0]*(qb[1] - qa[1]);
    return h*(dc_sqrt(ux*ux + uy*uy) + g->type[g->body[contact->b]].radius*dc_abs(vb[0] - va[0])
              + h*dc_sqrt(G[0]*G[0] + G[1]*G[1]));
}

/* what is kept of a pair, or NULL */
static const dc_grain_kept *dci_grain_kept_of(const dc_grains *g, const dc_grain_contact *contact)
{
    const int i = dci_grain_row_of(g, contact), other = contact->a + contact->b - i;
    int k;

    for (k = g->kept_row[i]; k < g->kept_row[i + 1]; ++k)
        if (g->kept_body[k] == other) return g->kept + k;
    return NULL;
}

/* how far motions may go that the quadratic is good for, in the field's unit */
static dc_real dci_grain_reach(const dc_grains *g, const dc_cfield *f)
{
    const dc_real least = f->a.radius > 0 ? dc_min(f->a.radius, f->b.radius) : f->b.radius;
    return g->desc.reuse*least;
}

/* d, gradient and lever of the quadratic where the pose has moved by e, to rows of a block */
static void dci_grain_expand(const dc_grain_kept *kept, const dc_real e[3], dc_real *x)
{
    const dc_real *g = kept->jet, *H = kept->jet + 4, *l = kept->jet + 10;
    dc_real He[3];
    int r;

    He[0] = H[0]*e[0] + H[1]*e[1] + H[2]*e[2];
    He[1] = H[1]*e[0] + H[3]*e[1] + H[4]*e[2];
    He[2] = H[2]*e[0] + H[4]*e[1] + H[5]*e[2];
    x[3*DCI_GRAIN_LANES] = kept->d + e[0]*(g[0] + DC_R(0.5)*He[0]) + e[1]*(g[1] + DC_R(0.5)*He[1])
                         + e[2]*(g[2] + DC_R(0.5)*He[2]);
    for (r = 0; r < 3; ++r) x[(4 + r)*DCI_GRAIN_LANES] = g[r] + He[r];
    x[7*DCI_GRAIN_LANES] = kept->jet[3] + l[0]*e[0] + l[1]*e[1] + l[2]*e[2];
}

/* The field of pair p, whose pose is in rows x, by what is kept; or how it has to be asked. Second derivatives cost as
 * much as 2.5 gradients: they pay where motion takes more than 3 steps to leave the reach. */
static dci_grain_question dci_grain_recall(dc_grains *g, int p, dc_real *x)
{
    const dc_grain_pair *pair = g->pair + g->pair_of[p];
    const dc_grain_kept *kept = dci_grain_kept_of(g, g->contact + p);
    const dc_real way = dci_grain_margin(g, g->contact + p), margin = g->desc.sweeps > 0 ? way : 0;
    const dc_real reach = dci_grain_reach(g, pair->field);
    const int slow = pair->field->smooth && 3*way <= reach*pair->length;
    dc_real e[3], moved;
    int r;

    g->keep[p].reach = slow ? reach : 0;
    if (!kept) return DCI_ASK_DISTANCE;
    for (r = 0; r < 3; ++r) e[r] = x[r*DCI_GRAIN_LANES] - kept->pose[r];
    moved = dc_sqrt(e[1]*e[1] + e[2]*e[2]) + pair->field->b.radius*dc_abs(e[0]);

    /* still within reach of the quadratic */
    if (moved < kept->reach) {
        dci_grain_expand(kept, e, x);
        g->keep[p] = *kept;
        return DCI_ASK_NOTHING;
    }

    /* still apart: the bound of d is at least half of it. The product is dci_grain_meet's */
    if (2*moved <= kept->d && pair->length*(kept->d - moved) >= margin) {
        x[3*DCI_GRAIN_LANES] = kept->d - moved;
        for (r = 4; r < DCI_GRAIN_ROWS; ++r) x[r*DCI_GRAIN_LANES] = 0;
        g->keep[p] = *kept;
        return DCI_ASK_NOTHING;
    }
    if (pair->length*(kept->d - moved) >= margin) return DCI_ASK_DISTANCE;
    return slow ? DCI_ASK_HESSIAN : DCI_ASK_GRADIENT;
}

/* Asks the field of a block at the poses of some of its pairs, gathered into rows `asked`. */
static dc_status dci_grains_ask(const dc_cfield *f, dci_grain_question how, int count, const unsigned char *lane,
                                const dc_real *x, dc_real *asked, dc_arena *mem)
{
    dc_cfield_out out;
    int i, r;

    if (count == 0) return DC_OK;
    for (r = 0; r < 3; ++r)
        for (i = 0; i < count; ++i) asked[r*DCI_GRAIN_LANES + i] = x[r*DCI_GRAIN_LANES + lane[i]];
    memset(&out, 0, sizeof out);
    out.d = asked + 3*DCI_GRAIN_LANES;
    if (how != DCI_ASK_DISTANCE) {
        out.grad = asked + 4*DCI_GRAIN_LANES;
        out.lever = asked + 7*DCI_GRAIN_LANES;
    }
    if (how == DCI_ASK_HESSIAN) {
        out.hess = asked + 8*DCI_GRAIN_LANES;
        out.dlever = asked + 14*DCI_GRAIN_LANES;
    }
    return dc_cfield_eval_batch(f, count, asked, DCI_GRAIN_LANES, mem, &out);
}

/* What was asked of a pair goes to its rows, and is kept. Numbers that the state may not hold are not: they are asked
 * for again. */
static void dci_grain_learn(dci_grain_question how, const dc_real *asked, dc_real *x, dc_grain_kept *keep)
{
    int r, ok = how == DCI_ASK_HESSIAN;

    for (r = 0; r < 3; ++r) keep->pose[r] = x[r*DCI_GRAIN_LANES];
    keep->d = dc_max(dc_min(asked[3*DCI_GRAIN_LANES], DC_LIMIT), -DC_LIMIT);
    for (r = 3; r < DCI_GRAIN_ROWS; ++r)
        x[r*DCI_GRAIN_LANES] = r == 3 || how != DCI_ASK_DISTANCE ? asked[r*DCI_GRAIN_LANES] : 0;
    for (r = 0; r < DCI_GRAIN_JET && ok; ++r) {
        keep->jet[r] = asked[(4 + r)*DCI_GRAIN_LANES];
        ok = dc_abs(keep->jet[r]) <= DC_LIMIT;
    }
    if (!ok) {
        keep->reach = 0;
        memset(keep->jet, 0, sizeof keep->jet);
    }
}

/* The fields of a block whose poses are in the first rows of x, into the rows after them. */
static dc_status dci_grains_reuse(dc_grains *g, int block, dc_real *x, dc_arena *mem)
{
    const int *order = g->order + g->block[2*block], n = g->block[2*block + 2] - g->block[2*block];
    const dc_grain_pair *pair = g->pair + g->pair_of[order[0]];
    dc_real *asked = x + (size_t)DCI_GRAIN_ROWS*DCI_GRAIN_LANES;
    unsigned char lane[4][DCI_GRAIN_LANES];
    int count[4] = {0, 0, 0, 0}, how, k, capped = 0;
    dc_status status;

    for (k = 0; k < n; ++k) {
        how = (int)dci_grain_recall(g, order[k], x + k);
        lane[how][count[how]++] = (unsigned char)k;
    }

    /* distances first: what turns out to be near is asked once more */
    g->asked[block] = 0;
    for (how = DCI_ASK_DISTANCE; how <= DCI_ASK_HESSIAN; ++how) {
        status = dci_grains_ask(pair->field, (dci_grain_question)how, count[how], lane[how], x, asked, mem);
        if (status != DC_OK && status != DC_E_DIVERGED) return status;
        capped |= status == DC_E_DIVERGED;
        g->asked[block] += count[how];
        for (k = 0; k < count[how]; ++k) {
            const int i = lane[how][k];
            dc_grain_kept *keep = g->keep + order[i];
            const dc_real margin = g->desc.sweeps > 0 ? dci_grain_margin(g, g->contact + order[i]) : 0;
            if (how == DCI_ASK_DISTANCE && pair->length*asked[3*DCI_GRAIN_LANES + k] < margin) {
                const int next = keep->reach > 0 ? (int)DCI_ASK_HESSIAN : (int)DCI_ASK_GRADIENT;
                lane[next][count[next]++] = (unsigned char)i;
            } else dci_grain_learn((dci_grain_question)how, asked + k, x + i, keep);
        }
    }
    return capped ? DC_E_DIVERGED : DC_OK;
}

/* what is kept of this step becomes part of the state: all pairs within reach, in rows of bodies */
static void dci_grains_keep(dc_grains *g)
{
    int i, p;

    for (i = 0; i < g->desc.bodies; ++i) {
        g->kept_row[i] = g->row[i];
        for (p = g->row[i]; p < g->row[i + 1]; ++p) {
            g->kept_body[p] = g->contact[p].a + g->contact[p].b - i;
            g->kept[p] = g->keep[p];
        }
    }
    g->kept_row[g->desc.bodies] = g->contacts;
}

/* ---- [grain step] a step of grains ------------------------------------------------------------- */
/* in: the state; out: the state a step later.
 *
 * stage             | reads                        | writes                       | equation
 * dc_grains_find    | state                        | pairs within reach, blocks   |
 * dc_grains_meet    | a block                      | fields, forces of its pairs  | CEM Algorithm 1; [reuse]
 * dc_grains_sum     | forces of the pairs          | forces on bodies, velocities | v + h (f/m + gravity)
 * dc_grains_sweep   | velocities, a contact        | its forces                   | f - (K v + pull + f)/(1 + h K w)
 * dc_grains_solve   | forces of the pairs          | these, velocities            | sums and sweeps
 * dc_grains_advance | velocities, springs of pairs | state                        | q + h v */

/* the largest scratch of a field; a block's poses and fields before it */
DC_DEF size_t dc_grains_step_bytes(const dc_grains *g)
{
    size_t most = 0;
    int k;
    if (!g || !g->state) return 0;
    for (k = 0; k < g->desc.pairs; ++k)
        if (g->pair[k].field) {
            size_t b = dc_cfield_eval_bytes(g->pair[k].field);
            most = b > most ? b : most;
        }
    most = dc_bytes(most > 1 ? most : 0, dci_grain_rows(g)*DCI_GRAIN_LANES, sizeof(dc_real));   /* 1: baked ones */
    return most == SIZE_MAX ? 0 : most;
}

/* the spring of a pair whose row is body i's; *where: its place in the state */
static dc_real dci_grain_spring(const dc_grains *g, int i, int other, int *where)
{
    int k;
    for (k = g->spring_row[i]; k < g->spring_row[i + 1]; ++k)
        if (g->spring_body[k] == other) {
            *where = k;
            return g->spring[dci_grain_width(&g->desc)*k];
        }
    return 0;
}

/* all of a contact but its field; where: its spring in the state, or -1 */
static void dci_grain_read(const dc_grains *g, const dc_grain_contact *contact, const dc_grain_pair *pair,
                           dci_grain_in *in, dci_grain_law *law, int *where)
{
    const int a = contact->a, b = contact->b, row = dci_grain_row_of(g, contact);
    dc_real share = DC_R(0.5);
    int k;

    /* c gamma: of a body that is not free the mass counts as infinite */
    if (g->desc.reduced_mass) {
        const dc_real ma = g->type[g->body[a]].mass, mb = g->type[g->body[b]].mass;
        share = !dci_grain_free(g, b) ? ma : !dci_grain_free(g, a) ? mb : ma*(mb/(ma + mb));
    }
    law->stiffness_n = pair->material.kn;
    law->stiffness_t = pair->material.kt;
    law->damping_n = share*pair->material.gn;
    law->damping_t = share*pair->material.gt;
    law->friction = pair->material.mu;
    law->step = g->desc.h;

    in->cosine = g->turn[2*a];
    in->sine = g->turn[2*a + 1];
    for (k = 0; k < 3; ++k) {
        in->velocity_a[k] = g->v[3*a + k];
        in->velocity_b[k] = g->v[3*b + k];
    }
    *where = -1;
    in->spring = dci_grain_spring(g, row, a + b - row, where);
}

/* have blocks begin..end-1 fields, and ones with Hessians if asked for? */
static int dci_grains_fields(const dc_grains *g, int begin, int end, int hessians)
{
    int block;
    for (block = begin; block < end; ++block) {
        const dc_cfield *f = g->pair[g->pair_of[g->order[g->block[2*block]]]].field;
        if (dc_cfield_eval_bytes(f) == 0 || (hessians && !f->smooth)) return 0;
    }
    return 1;
}

/* The row of a contact that may touch in this step; its forces begin with those of the last step. */
static void dci_grain_begin(const dc_grains *g, const dci_grain_law *law, const dci_grain_in *in, int where,
                            dc_grain_row *row, dci_grain_out *out)
{
    int rubs;

    memset(row, 0, sizeof *row);
    rubs = dci_grain_look(in, &row->frame);
    row->gain_n = law->damping_n + law->step*law->stiffness_n;
    row->gain_t = law->damping_t + law->step*law->stiffness_t;
    row->stiffness_t = law->stiffness_t;
    row->damping_t = law->damping_t;
    row->friction = rubs ? law->friction*row->frame.length : 0;
    row->spring = in->distance < 0 ? in->spring : 0;
    row->pull_n = in->distance < 0 ? law->stiffness_n*in->distance : row->gain_n*in->distance/law->step;
    row->pull_t = law->stiffness_t*row->spring;
    if (where >= 0) {
        out->normal = g->spring[3*where + 1];
        out->tangential = g->spring[3*where + 2];
    }
    dci_grain_push(&row->frame, out);
}

/* what a contact shows of its forces */
static void dci_grain_show(const dci_grain_out *out, dc_grain_contact *contact)
{
    int r;

    contact->fn = out->normal;
    contact->ft = out->tangential;
    for (r = 0; r < 3; ++r) {
        contact->fa[r] = out->force_a[r];
        contact->fb[r] = out->force_b[r];
    }
}

/* the force of a contact: its pose x[0], and x and y over L, and its field, each a stride of lanes apart */
static void dci_grain_meet(const dc_grains *g, const dc_grain_pair *pair, const dc_real *x, const dc_real *d,
                           const dc_real *grad, const dc_real *lever, dc_grain_contact *contact)
{
    const dc_real L = pair->length;
    dci_grain_in in;
    dci_grain_law law;
    dci_grain_out out;
    dc_grain_row *row = g->desc.sweeps > 0 ? g->rows + (contact - g->contact) : NULL;
    int where, near_enough;

    memset(&out, 0, sizeof out);
    contact->d = L*d[0];

    /* nothing acts where they are apart */
    near_enough = contact->d < (row ? dci_grain_margin(g, contact) : 0);
    if (row) g->touch[contact - g->contact] = near_enough;
    if (near_enough) {
        dci_grain_read(g, contact, pair, &in, &law, &where);
        in.distance = contact->d;
        in.rel[0] = x[0];
        in.rel[1] = L*x[DCI_GRAIN_LANES];
        in.rel[2] = L*x[2*DCI_GRAIN_LANES];
        in.grad[0] = L*grad[0];
        in.grad[1] = grad[DCI_GRAIN_LANES];
        in.grad[2] = grad[2*DCI_GRAIN_LANES];
        in.lever = L*lever[0];
        if (row) dci_grain_begin(g, &law, &in, where, row, &out);
        else dci_grain_force(&law, &in, &out);
    }

    contact->spring = out.spring;
    dci_grain_show(&out, contact);
}

DC_DEF dc_status dc_grains_meet(dc_grains *g, int begin, int end, dc_arena *mem)
{
    size_t used;
    dc_real *x;
    int block, k;
    dc_status status = DC_OK;

    if (!g || !g->state || !mem || begin < 0 || end > g->blocks) return DC_E_ARG;
    if (!dci_grains_fields(g, begin, end, 0)) return DC_E_ARG;
    used = mem->used;
    x = (dc_real *)dc_arena_take(mem, dci_grain_rows(g)*DCI_GRAIN_LANES, sizeof(dc_real));
    if (!x) return DC_E_MEMORY;

    for (block = begin; block < end && status == DC_OK; ++block) {
        const int *order = g->order + g->block[2*block];
        const int n = g->block[2*block + 2] - g->block[2*block];
        const dc_grain_pair *pair = g->pair + g->pair_of[order[0]];
        dc_cfield_out field;
        memset(&field, 0, sizeof field);
        field.d = x + 3*DCI_GRAIN_LANES;
        field.grad = x + 4*DCI_GRAIN_LANES;
        field.lever = x + 7*DCI_GRAIN_LANES;

        /* poses in the field's unit of length, and the field of all */
        for (k = 0; k < n; ++k) {
            dc_real rel[3];
            dci_grain_relative(g, g->contact + order[k], rel);
            x[k] = rel[0];
            x[DCI_GRAIN_LANES + k] = rel[1]/pair->length;
            x[2*DCI_GRAIN_LANES + k] = rel[2]/pair->length;
        }
        if (g->kept) status = dci_grains_reuse(g, block, x, mem);
        else status = dc_cfield_eval_batch(pair->field, n, x, DCI_GRAIN_LANES, mem, &field);
        g->block[2*block + 1] = status == DC_E_DIVERGED;
        if (status == DC_E_DIVERGED) status = DC_OK;

        for (k = 0; k < n && status == DC_OK; ++k)
            dci_grain_meet(g, pair, x + k, field.d + k, field.grad + k, field.lever + k, g->contact + order[k]);
    }
    mem->used = used;
    return status;
}

/* adds the force of a contact on body i; 0: it cannot touch */
static int dci_grains_add(const dc_grains *g, int p, int i, dc_real f[3])
{
    const dc_grain_contact *contact = g->contact + p;
    int k;

    if (g->touch && !g->touch[p]) return 0;
    for (k = 0; k < 3; ++k) f[k] += contact->a == i ? contact->fa[k] : contact->fb[k];
    return 1;
}

/* The forces on body i of the contacts in its own row and in those of others, with sweeps the latter first, in the
 * order of all contacts, as dc_grains_solve does it; how many of them may touch. */
static int dci_grains_forces(const dc_grains *g, int i, dc_real f[3])
{
    int p, k, n = 0;

    f[0] = f[1] = f[2] = 0;
    for (p = g->row[i]; !g->touch && p < g->row[i + 1]; ++p) n += dci_grains_add(g, p, i, f);
    for (k = g->back_row[i]; k < g->back_row[i + 1]; ++k) n += dci_grains_add(g, g->back[k], i, f);
    for (p = g->row[i]; g->touch && p < g->row[i + 1]; ++p) n += dci_grains_add(g, p, i, f);
    return n;
}

/* with sweeps, h/inertia, h/m, h/m of a body, and h gravity; 0: they do not move it */
static void dci_grain_gains(const dc_grains *g, int i, dc_real gain[3], dc_real drift[3])
{
    const dc_grain_type *type = g->type + g->body[i];
    const int free = dci_grain_free(g, i);

    gain[0] = free ? g->desc.h/type->inertia : 0;
    gain[1] = gain[2] = free ? g->desc.h/type->mass : 0;
    drift[0] = 0;
    drift[1] = free ? g->desc.h*g->desc.gravity[0] : 0;
    drift[2] = free ? g->desc.h*g->desc.gravity[1] : 0;
}

/* n/m and n/inertia of a body with n contacts that may touch */
static void dci_grain_share(dc_grains *g, int i, int n)
{
    const dc_grain_type *type = g->type + g->body[i];
    const int free = dci_grain_free(g, i);

    g->share[2*i] = free ? (dc_real)n/type->mass : 0;
    g->share[2*i + 1] = free ? (dc_real)n/type->inertia : 0;
}

/* n numbers of the velocities that forces f lead to from v */
DCI_LANE void dci_grains_speed_up(int n, const dc_real *gain, const dc_real *drift, const dc_real *f, const dc_real *v,
                                  dc_real *DCI_RESTRICT to)
{
    int k;
    for (k = 0; k < n; ++k) to[k] = v[k] + (gain[k]*f[k] + drift[k]);
}

DC_DEF void dc_grains_sum(dc_grains *g, int begin, int end)
{
    int i, k;

    for (i = begin; i < end; ++i) {
        const dc_grain_type *type = g->type + g->body[i];
        const int free = dci_grain_free(g, i);
        dc_real f[3], gain[3], drift[3];
        const int n = dci_grains_forces(g, i, f);

        for (k = 0; k < 3; ++k) {
            g->force[3*i + k] = f[k];
            g->next[3*i + k] = g->v[3*i + k];
        }
        if (g->share) {
            dci_grain_share(g, i, n);
            dci_grain_gains(g, i, gain, drift);
            dci_grains_speed_up(3, gain, drift, f, g->v + 3*i, g->next + 3*i);
        } else if (free) {
            g->next[3*i] += g->desc.h*(f[0]/type->inertia);
            for (k = 0; k < 2; ++k) g->next[3*i + 1 + k] += g->desc.h*(f[1 + k]/type->mass + g->desc.gravity[k]);
        }
    }
}

/* v_n and v_t of velocities of a and b, and what they weigh in a sweep: those of the shares of both bodies */
typedef struct { dc_real speed_n, speed_t, den_n, den_t, normal, tangential, rest_n, rest_t; } dci_grain_answer;

/* of two bodies: omega_a, omega_b, v_b - v_a */
DCI_LANE void dci_grain_between(const dc_real *va, const dc_real *vb, dc_real u[4])
{
    u[0] = va[0];
    u[1] = vb[0];
    u[2] = vb[1] - va[1];
    u[3] = vb[2] - va[2];
}

/* v_n and v_t at these */
DCI_LANE void dci_grain_speeds_at(const dci_grain_frame *frame, const dc_real u[4], dc_real *vn, dc_real *vt)
{
    const dc_real *gb = frame->push_b, *t = frame->tangent;
    *vn = frame->moment_a*u[0] + gb[0]*u[1] + gb[1]*u[2] + gb[2]*u[3];
    *vt = t[0]*u[2] + t[1]*u[3] + frame->lever_b*u[1] + frame->lever_a*u[0];
}

/* at velocities of a and b */
DCI_LANE void dci_grain_speeds(const dci_grain_frame *frame, const dc_real *va, const dc_real *vb, dc_real *vn,
                               dc_real *vt)
{
    dc_real u[4];
    dci_grain_between(va, vb, u);
    dci_grain_speeds_at(frame, u, vn, vt);
}

/* The new forces of a contact from f_n and f_t,
 *     f_n <- max(0, f_n - (K_n v_n + pull_n + f_n)/(1 + h K_n w_n)),   w_n = (a + b) |n|^2 + a' m_a^2 + b' m_b^2
 *     f_t <- f_t - (K_t v_t + pull_t + f_t)/(1 + h K_t w_t),  within mu |n| f_n,   w_t = a + b + a' p_a^2 + b' p_b^2
 * a, a', b, b' the shares n/m and n/inertia of both bodies, m the arms of g, p those of friction */
DCI_LANE void dci_grain_answers(const dc_grain_row *row, const dc_real u[4], dc_real fn, dc_real ft, dc_real part_n,
                                dc_real part_t, dci_grain_answer *to)
{
    dc_real most;

    dci_grain_speeds_at(&row->frame, u, &to->speed_n, &to->speed_t);
    to->rest_n = row->gain_n*to->speed_n + row->pull_n + fn;
    to->rest_t = row->gain_t*to->speed_t + row->pull_t + ft;
    to->normal = dc_max(fn - to->rest_n*part_n, 0);
    most = row->friction*to->normal;
    to->tangential = dc_max(dc_min(ft - to->rest_t*part_t, most), -most);
}

/* 1 + h K w, along g and t */
static void dci_grain_dens(const dc_grains *g, const dc_grain_contact *contact, const dc_grain_row *row,
                           dci_grain_answer *to)
{
    const dci_grain_frame *f = &row->frame;
    const dc_real *a = g->share + 2*contact->a, *b = g->share + 2*contact->b, h = g->desc.h, both = a[0] + b[0];

    to->den_n = 1 + h*row->gain_n*(both*f->length*f->length + a[1]*f->moment_a*f->moment_a
                                   + b[1]*f->push_b[0]*f->push_b[0]);
    to->den_t = 1 + h*row->gain_t*(both + a[1]*f->lever_a*f->lever_a + b[1]*f->lever_b*f->lever_b);
}

static void dci_grain_sweep(const dc_grains *g, const dc_grain_contact *contact, const dc_grain_row *row,
                            dci_grain_answer *to)
{
    dc_real u[4];

    dci_grain_dens(g, contact, row, to);
    dci_grain_between(g->next + 3*contact->a, g->next + 3*contact->b, u);
    dci_grain_answers(row, u, contact->fn, contact->ft, 1/to->den_n, 1/to->den_t, to);
}

/* the forces of a contact become these */
static void dci_grain_force_is(const dc_grain_row *row, dc_real normal, dc_real tangential, dc_grain_contact *contact)
{
    dci_grain_out out = DC_ZERO;

    out.normal = normal;
    out.tangential = tangential;
    dci_grain_push(&row->frame, &out);
    dci_grain_show(&out, contact);
}

DC_DEF void dc_grains_sweep(dc_grains *g, int begin, int end)
{
    dci_grain_answer to;
    int p;

    for (p = begin; p < end; ++p) {
        if (!g->touch[p]) continue;
        dci_grain_sweep(g, g->contact + p, g->rows + p, &to);
        dci_grain_force_is(g->rows + p, to.normal, to.tangential, g->contact + p);
    }
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-trapping-math")   /* else gcc keeps ?: on floating point scalar */
#endif

/* New forces of the contacts of a pack at the motions of their bodies, u, which become torques on a and on b and the
 * force on b. By the same expressions as one by one. */
static DCI_NOINLINE void dci_pack_answer(dc_grain_pack *DCI_RESTRICT pack, dc_real (*DCI_RESTRICT u)[DCI_GRAIN_LANES])
{
    int l;

    for (l = 0; l < DCI_GRAIN_LANES; ++l) {
        dc_real motion[4];
        dc_grain_row row = DC_ZERO;
        dci_grain_answer to;
        dci_grain_out out = DC_ZERO;

        /* contact l */
        motion[0] = u[0][l];
        motion[1] = u[1][l];
        motion[2] = u[2][l];
        motion[3] = u[3][l];
        row.frame.moment_a = pack->moment_a[l];
        row.frame.push_b[0] = pack->push_b[0][l];
        row.frame.push_b[1] = pack->push_b[1][l];
        row.frame.push_b[2] = pack->push_b[2][l];
        row.frame.tangent[0] = pack->tangent[0][l];
        row.frame.tangent[1] = pack->tangent[1][l];
        row.frame.lever_a = pack->lever_a[l];
        row.frame.lever_b = pack->lever_b[l];
        row.gain_n = pack->gain_n[l];
        row.gain_t = pack->gain_t[l];
        row.pull_n = pack->pull_n[l];
        row.pull_t = pack->pull_t[l];
        row.friction = pack->friction[l];

        /* its forces */
        dci_grain_answers(&row, motion, pack->normal[l], pack->tangential[l], pack->part_n[l], pack->part_t[l], &to);
        pack->normal[l] = out.normal = to.normal;
        pack->tangential[l] = out.tangential = to.tangential;

        /* on a and on b */
        dci_grain_push(&row.frame, &out);
        u[0][l] = out.force_a[0];
        u[1][l] = out.force_b[0];
        u[2][l] = out.force_b[1];
        u[3][l] = out.force_b[2];
    }
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

/* contact p becomes contact l of a pack */
static void dci_pack_put(const dc_grains *g, int p, int l, dc_grain_pack *pack)
{
    const dc_grain_contact *contact = g->contact + p;
    const dc_grain_row *row = g->rows + p;
    dci_grain_answer to;
    int k;

    dci_grain_dens(g, contact, row, &to);
    pack->moment_a[l] = row->frame.moment_a;
    for (k = 0; k < 3; ++k) pack->push_b[k][l] = row->frame.push_b[k];
    for (k = 0; k < 2; ++k) pack->tangent[k][l] = row->frame.tangent[k];
    pack->lever_a[l] = row->frame.lever_a;
    pack->lever_b[l] = row->frame.lever_b;
    pack->gain_n[l] = row->gain_n;
    pack->gain_t[l] = row->gain_t;
    pack->pull_n[l] = row->pull_n;
    pack->pull_t[l] = row->pull_t;
    pack->friction[l] = row->friction;
    pack->part_n[l] = 1/to.den_n;
    pack->part_t[l] = 1/to.den_t;
    pack->normal[l] = contact->fn;
    pack->tangential[l] = contact->ft;
    pack->a[l] = contact->a;
    pack->b[l] = contact->b;
}

/* the first `count` of the packed contacts, in their order: new forces, added up on their bodies */
static void dci_grains_sweep_add(dc_grains *g, int count)
{
    dc_real u[4][DCI_GRAIN_LANES] = DC_ZERO, motion[4];
    int i, k, l;

    memset(g->force, 0, 3*(size_t)g->desc.bodies*sizeof *g->force);
    for (i = 0; i < count; i += DCI_GRAIN_LANES) {
        dc_grain_pack *pack = g->pack + i/DCI_GRAIN_LANES;
        const int n = count - i < DCI_GRAIN_LANES ? count - i : DCI_GRAIN_LANES;

        for (l = 0; l < n; ++l) {
            dci_grain_between(g->next + 3*pack->a[l], g->next + 3*pack->b[l], motion);
            for (k = 0; k < 4; ++k) u[k][l] = motion[k];
        }
        dci_pack_answer(pack, u);
        for (l = 0; l < n; ++l) {
            dc_real *a = g->force + 3*pack->a[l], *b = g->force + 3*pack->b[l];
            a[0] += u[0][l];
            a[1] -= u[2][l];
            a[2] -= u[3][l];
            b[0] += u[1][l];
            b[1] += u[2][l];
            b[2] += u[3][l];
        }
    }
}

DC_DEF void dc_grains_solve(dc_grains *g)
{
    const int n = g->desc.bodies;
    int i, k, p, count = 0;

    dc_grains_sum(g, 0, n);
    if (g->desc.sweeps == 0) return;

    /* what stays through all sweeps; what is left of the last pack are contacts without forces */
    for (p = 0; p < g->contacts; ++p) {
        dc_grain_pack *pack = g->pack + count/DCI_GRAIN_LANES;
        if (!g->touch[p]) continue;
        if (count%DCI_GRAIN_LANES == 0) memset(pack, 0, sizeof *pack);
        dci_pack_put(g, p, count++%DCI_GRAIN_LANES, pack);
    }
    for (i = 0; i < n; ++i) dci_grain_gains(g, i, g->gain + 3*i, g->drift + 3*i);

    for (k = 0; k < g->desc.sweeps; ++k) {
        dci_grains_sweep_add(g, count);
        dci_grains_speed_up(3*n, g->gain, g->drift, g->force, g->v, g->next);
    }
    for (p = 0, i = 0; p < g->contacts; ++p) {
        const dc_grain_pack *pack = g->pack + i/DCI_GRAIN_LANES;
        if (!g->touch[p]) continue;
        dci_grain_force_is(g->rows + p, pack->normal[i%DCI_GRAIN_LANES], pack->tangential[i%DCI_GRAIN_LANES],
                           g->contact + p);
        ++i;
    }
}

/* The spring after a step, s + h v_t; of a contact that slips what keeps the force at the cone, -(f_t + c gamma_t
 * v_t)/k_t, between 0 and that. v_t: at the new velocities. -1, 0, 1: it is s + h v_t, 0, what keeps the force. */
static int dci_grain_spring_end(const dc_grains *g, const dc_grain_contact *contact, const dc_grain_row *row,
                                dc_real vt, dc_real *spring)
{
    const dc_real most = row->friction*contact->fn, moved = row->spring + g->desc.h*vt;
    const dc_real want = -(contact->ft + row->damping_t*vt), have = row->stiffness_t*moved;

    *spring = moved;
    if (dc_abs(contact->ft) < most || !(dc_abs(have) > 0)) return -1;
    if (dc_abs(want) >= dc_abs(have) && want*have > 0) return -1;
    *spring = want*have > 0 ? want/row->stiffness_t : 0;
    return want*have > 0 ? 1 : 0;
}

/* does a contact's spring stay in the state? With sweeps it is brought to the end of the step, too. */
static int dci_grain_stays(const dc_grains *g, int p)
{
    dc_grain_contact *contact = g->contact + p;
    dc_real vn, vt;

    if (g->desc.sweeps == 0) return contact->d < 0;
    contact->spring = 0;
    if (!g->touch[p] || !(contact->fn > 0)) return 0;
    dci_grain_speeds(&g->rows[p].frame, g->next + 3*contact->a, g->next + 3*contact->b, &vn, &vt);
    dci_grain_spring_end(g, contact, g->rows + p, vt, &contact->spring);
    return 1;
}

/* the first body whose next state is out of range, or -1 */
static int dci_grains_flown(const dc_grains *g)
{
    const dc_real h = g->desc.h;
    int i, k;
    for (i = 0; i < g->desc.bodies; ++i)
        for (k = 3*i; k < 3*i + 3 && g->motion[i] != DC_GRAIN_ABSENT; ++k)
            if (!(dc_abs(g->next[k]) <= DC_LIMIT && dc_abs(g->q[k] + h*g->next[k]) <= DC_LIMIT)) return i;
    return -1;
}

static int dci_grains_outside(const dc_grains *g, int i)
{
    int k;
    if (g->type[g->body[i]].kind != DC_CSHAPE_POLY) return 0;
    for (k = 0; k < 2; ++k)
        if (g->q[3*i + 1 + k] < g->desc.lo[k] || g->q[3*i + 1 + k] > g->desc.hi[k]) return 1;
    return 0;
}

DC_DEF dc_status dc_grains_advance(dc_grains *g, dc_grains_info *info)
{
    dc_grains_info none;
    int i, k, p, springs = 0, width;

    if (!g || !g->state) return DC_E_ARG;
    if (!info) info = &none;
    memset(info, 0, sizeof *info);
    width = dci_grain_width(&g->desc);
    info->pairs = g->contacts;
    info->b = -1;
    info->a = dci_grains_flown(g);
    if (info->a >= 0) return DC_E_RANGE;
    for (i = 0; i < g->blocks; ++i) info->capped += g->block[2*i + 1];
    info->evaluations = g->kept ? 0 : g->contacts;
    for (i = 0; i < g->blocks && g->kept; ++i) info->evaluations += g->asked[i];

    for (i = 0; i < g->desc.bodies; ++i) {
        /* springs of the contacts that are closed */
        g->spring_row[i] = springs;
        for (p = g->row[i]; p < g->row[i + 1]; ++p) {
            const dc_grain_contact *contact = g->contact + p;
            if (contact->d < 0) info->deepest = dc_max(info->deepest, -contact->d);
            if (!dci_grain_stays(g, p)) continue;
            g->spring_body[springs] = contact->a + contact->b - i;
            g->spring[width*springs] = contact->spring;
            if (width > 1) {
                g->spring[width*springs + 1] = contact->fn;
                g->spring[width*springs + 2] = contact->ft;
            }
            ++springs;
        }

        /* velocity, then place */
        if (g->motion[i] == DC_GRAIN_ABSENT) continue;
        for (k = 3*i; k < 3*i + 3; ++k) {
            g->v[k] = g->next[k];
            g->q[k] += g->desc.h*g->v[k];
        }
        if (dci_grains_outside(g, i) && info->outside++ == 0) info->a = i;
    }
    g->spring_row[g->desc.bodies] = springs;
    info->contacts = springs;
    if (g->kept) dci_grains_keep(g);
    return DC_OK;
}

DC_DEF dc_status dc_grains_step(dc_grains *g, dc_arena *mem, dc_grains_info *info)
{
    dc_status status;
    if (!g || !g->state || !mem) return DC_E_ARG;
    status = dc_grains_find(g, info);
    if (status == DC_OK) status = dc_grains_meet(g, 0, g->blocks, mem);
    if (status != DC_OK) return status;
    dc_grains_solve(g);
    return dc_grains_advance(g, info);
}

/* ---- [grain derivatives] derivatives of a step of grains --------------------------------------- */
/* in: the state, a tangent or a gradient; out: that of the other end of a step.
 *
 * stage            | reads                       | writes                     | equation
 * dci_grain_jet_of | a pair within reach         | its field with derivatives |
 * dci_grain_along  | jet, tangents of the bodies | tangent of forces, spring  | chain rule
 * dci_grain_pull   | jet, gradient of the next   | gradient of the present    | its transpose, by columns */

/* A pair's field with its derivatives, in m, at the present state; touching: distance < 0. */
typedef struct {
    dci_grain_in in;
    dci_grain_law law;
    dc_real hessian[9], lever_grad[3];      /* by q_AB */
    const dc_grain_contact *contact;
    int where;                              /* its spring in the state, or -1 */
} dci_grain_jet;

static dc_status dci_grain_jet_of(const dc_grains *g, int p, dc_arena *mem, dci_grain_jet *jet)
{
    const dc_grain_pair *pair = g->pair + g->pair_of[p];
    const dc_real L = pair->length;
    dc_real q[3];
    dc_status status;
    int r, c;

    jet->contact = g->contact + p;
    dci_grain_read(g, jet->contact, pair, &jet->in, &jet->law, &jet->where);
    dci_grain_relative(g, jet->contact, jet->in.rel);
    q[0] = jet->in.rel[0];
    q[1] = jet->in.rel[1]/L;
    q[2] = jet->in.rel[2]/L;
    status = dc_cfield_eval(pair->field, q, mem, &jet->in.distance, jet->in.grad, &jet->in.lever, jet->hessian,
                            jet->lever_grad);
    if (status != DC_OK) return status;

    /* from the field's unit of length to m */
    jet->in.distance *= L;
    jet->in.grad[0] *= L;
    jet->in.lever *= L;
    jet->lever_grad[0] *= L;
    for (r = 0; r < 3; ++r)
        for (c = 0; c < 3; ++c) jet->hessian[3*r + c] *= (r ? 1 : L)*(c ? 1/L : 1);
    return DC_OK;
}

/* what a contact is computed from, along the states of its bodies, 3 each, and its spring */
static void dci_grain_in_along(const dci_grain_jet *jet, const dc_real *qa, const dc_real *qb, const dc_real *va,
                               const dc_real *vb, dc_real spring, dci_grain_in *d)
{
    dc_real x = qb[1] - qa[1], y = qb[2] - qa[2], c = jet->in.cosine, s = jet->in.sine;
    int r, k;

    /* the relative pose */
    d->cosine = -s*qa[0];
    d->sine = c*qa[0];
    d->rel[0] = qb[0] - qa[0];
    d->rel[1] = c*x + s*y + jet->in.rel[2]*qa[0];
    d->rel[2] = c*y - s*x - jet->in.rel[1]*qa[0];

    /* the field there */
    d->distance = d->lever = 0;
    for (r = 0; r < 3; ++r) {
        d->distance += jet->in.grad[r]*d->rel[r];
        d->lever += jet->lever_grad[r]*d->rel[r];
        d->velocity_a[r] = va[r];
        d->velocity_b[r] = vb[r];
        for (k = 0, d->grad[r] = 0; k < 3; ++k) d->grad[r] += jet->hessian[3*r + k]*d->rel[k];
    }
    d->spring = spring;
}

/* the tangent of a contact's forces and spring along those of its bodies' states, and of its spring */
static DCI_NOINLINE void dci_grain_along(const dci_grain_jet *jet, const dc_real *qa, const dc_real *qb,
                                         const dc_real *va, const dc_real *vb, dc_real spring, dci_grain_out *out)
{
    dci_grain_in d;

    dci_grain_in_along(jet, qa, qb, va, vb, spring, &d);
    dci_grain_force_tangent(&jet->law, &jet->in, &d, out);
}

/* dv/df of component k of body i, times h */
static dc_real dci_grain_gain(const dc_grains *g, int i, int k)
{
    const dc_grain_type *type = g->type + g->body[i];
    return dci_grain_free(g, i) ? g->desc.h/(k ? type->mass : type->inertia) : 0;
}

/* dq/dv of body i */
static dc_real dci_grain_way(const dc_grains *g, int i) { return g->motion[i] == DC_GRAIN_ABSENT ? 0 : g->desc.h; }

static int dci_grains_tangent_ok(const dc_grains *g, const dc_grains_tangent *t)
{
    return g && g->state && t && t->q && t->v && t->spring;
}

/* ---- [sweep derivatives] derivatives of a step with sweeps --------------------------------------- */
/* in: the state, a tangent or a gradient; out: that of the other end of a step. Sweeps are gone through as they were.
 *
 * stage                | reads                          | writes                       | equation
 * dci_sweeps_open      | sizes                          | scratch, zeros               |
 * dci_sweeps_rows_along| jets, tangent of the state     | tangents of rows and forces  | chain rule
 *  dci_grain_row_along | a jet, tangents of its bodies  | tangent of its row           |
 * dci_sweeps_jvp       | these                          | tangent of the next state    |
 * dci_sweeps_velocity  | tangents of rows and forces    | tangent of velocities        | v + h (f/m + gravity)
 * dci_sweep_along      | tangents of row and velocities | tangent of forces            | chain rule of a sweep
 * dci_sweeps_vjp       | gradient by the next state     | by velocities, rows, forces  | the transpose
 *  dci_sweep_back      | gradient by the new forces     | by the old ones, velocities, |
 *                      |                                | and the row                  |
 *  dci_share_back      | gradient by w                  | by masses                    |
 * dci_sweeps_mass_back | gradient by velocities         | by masses                    | -h f/m^2
 * dci_sweeps_rows_back | gradients by rows, jets        | gradient by state and shape  | */

/* scratch: of jvp tangents of rows and forces, of vjp gradients by them, and the forces before each sweep */
typedef struct {
    dc_grain_row *rows;
    dc_real *force, *swap;              /* f_n, f_t of each contact */
    dc_real *velocity, *speed;          /* 3 per body */
    dc_real *past;                      /* forces of all sweeps */
    dc_real *mass;                      /* vjp: gradients by mass and inertia of each body */
} dci_sweeps_work;

static void dci_sweeps_lay(const dc_grains *g, size_t contacts, int back, dci_room *room, dci_sweeps_work *w)
{
    const size_t n = (size_t)g->desc.bodies, sweeps = back ? (size_t)g->desc.sweeps + 1 : 0;

    w->rows = DCI_TAKE(room, contacts, dc_grain_row);
    w->force = DCI_TAKE(room, 2*contacts, dc_real);
    w->swap = DCI_TAKE(room, 2*contacts, dc_real);
    w->velocity = DCI_TAKE(room, 3*n, dc_real);
    w->speed = DCI_TAKE(room, 3*n, dc_real);
    w->past = back ? DCI_TAKE(room, sweeps*2*contacts, dc_real) : NULL;
    w->mass = back ? DCI_TAKE(room, 2*n, dc_real) : NULL;
}

DC_DEF size_t dc_grains_grad_bytes(const dc_grains *g)
{
    const size_t step = dc_grains_step_bytes(g);
    dci_room room = DC_ZERO;
    dci_sweeps_work w;

    if (step == 0 || g->desc.sweeps == 0) return step;
    dci_sweeps_lay(g, (size_t)g->desc.room, 1, &room, &w);
    DCI_TAKE(&room, step, unsigned char);
    return dci_counted(&room);
}

/* the scratch, which the caller gives back, with zeros */
static dc_status dci_sweeps_open(const dc_grains *g, int back, dc_arena *mem, dci_sweeps_work *w)
{
    const size_t m = (size_t)g->contacts;
    dci_room room = DC_ZERO;

    room.arena = mem;
    dci_sweeps_lay(g, m, back, &room, w);
    if (room.full) return DC_E_MEMORY;
    memset(w->rows, 0, m*sizeof *w->rows);
    memset(w->force, 0, 2*m*sizeof *w->force);
    if (w->mass) memset(w->mass, 0, 2*(size_t)g->desc.bodies*sizeof *w->mass);
    return DC_OK;
}

/* the tangent of a contact's row along that of what it is computed from */
static DCI_NOINLINE void dci_grain_row_tangent(const dci_grain_jet *jet, const dc_grain_row *row,
                                               const dci_grain_in *d_in, dc_grain_row *d)
{
    const int rubs = row->frame.length >= DCI_GRAIN_NO_NORMAL, touches = jet->in.distance < 0;

    memset(d, 0, sizeof *d);
    dci_grain_look_tangent(&jet->in, d_in, &row->frame, rubs, &d->frame);
    if (rubs) d->friction = jet->law.friction*d->frame.length;
    d->pull_n = touches ? jet->law.stiffness_n*d_in->distance : row->gain_n*d_in->distance/jet->law.step;
    d->spring = touches ? d_in->spring : 0;
    d->pull_t = jet->law.stiffness_t*d->spring;
}

/* along its bodies' places and its spring */
static void dci_grain_row_along(const dci_grain_jet *jet, const dc_grain_row *row, const dc_real *qa, const dc_real *qb,
                                dc_real spring, dc_grain_row *d)
{
    static const dc_real still[3] = {0, 0, 0};
    dci_grain_in d_in;

    dci_grain_in_along(jet, qa, qb, still, still, spring, &d_in);
    dci_grain_row_tangent(jet, row, &d_in, d);
}

/* The field's derivative by parameter k of the shapes where contact p is: distance, gradient, lever, in m. */
static DCI_NOINLINE dc_status dci_grain_field_by(const dc_grains *g, const dc_grains_shape *shape, int k, int p,
                                                 const dc_real *rel, dc_arena *mem, dc_real out[5])
{
    const dc_real L = g->pair[g->pair_of[p]].length, q[3] = {rel[0], rel[1]/L, rel[2]/L};
    const dc_cfield *by = shape->field ? shape->field[(size_t)k*(size_t)g->desc.pairs
                                                         + (size_t)g->pair_of[p]] : NULL;
    dc_status status;

    memset(out, 0, 5*sizeof *out);
    if (!by) return DC_OK;
    status = dc_cfield_eval(by, q, mem, out, out + 1, out + 4, NULL, NULL);
    out[0] *= L;
    out[1] *= L;
    out[4] *= L;
    return status;
}

/* Along parameter k of the shapes: the field's derivative at rest, and of c, the reduced mass,
 *     dc = (m_B/(m_A + m_B))^2 dm_A + (m_A/(m_A + m_B))^2 dm_B,   (1, 0) or (0, 1) where the other one is not free */
static DCI_NOINLINE void dci_grain_row_by(const dc_grains *g, const dc_grains_shape *shape, int k, int p,
                                          const dci_grain_jet *jet, const dc_real field[5], dc_grain_row *d)
{
    const dc_grain_contact *contact = g->contact + p;
    const dc_grain_pair *pair = g->pair + g->pair_of[p];
    const int ta = g->body[contact->a], tb = g->body[contact->b];
    dci_grain_in d_in;
    dc_real a = 1, b = 1, dc;

    /* by the field */
    memset(&d_in, 0, sizeof d_in);
    d_in.distance = field[0];
    memcpy(d_in.grad, field + 1, sizeof d_in.grad);
    d_in.lever = field[4];
    dci_grain_row_tangent(jet, g->rows + p, &d_in, d);

    /* c's, in the dampers */
    if (!g->desc.reduced_mass || !shape->mass) return;
    if (!dci_grain_free(g, contact->b)) b = 0;
    else if (!dci_grain_free(g, contact->a)) a = 0;
    else {
        a = g->type[tb].mass/(g->type[ta].mass + g->type[tb].mass);
        b = 1 - a;
    }
    dc = (a > 0 ? a*a*shape->mass[k*g->desc.types + ta] : 0) + (b > 0 ? b*b*shape->mass[k*g->desc.types + tb] : 0);
    d->gain_n = dc*pair->material.gn;
    d->gain_t = d->damping_t = dc*pair->material.gt;
    if (!(jet->in.distance < 0)) d->pull_n += d->gain_n*jet->in.distance/jet->law.step;
}

/* velocities' tangents from those of the velocities before the step, of rows and forces */
static void dci_sweeps_velocity(const dc_grains *g, const dc_real *before, const dci_sweeps_work *w, dc_real *velocity)
{
    dci_grain_out d;
    int k, p;

    for (k = 0; k < 3*g->desc.bodies; ++k) velocity[k] = before[k];
    for (p = 0; p < g->contacts; ++p) {
        const dc_grain_contact *contact = g->contact + p;
        if (!g->touch[p]) continue;
        d.normal = w->force[2*p];
        d.tangential = w->force[2*p + 1];
        dci_grain_push_tangent(&g->rows[p].frame, &w->rows[p].frame, contact->fn, contact->ft, &d);
        for (k = 0; k < 3; ++k) {
            velocity[3*contact->a + k] += dci_grain_gain(g, contact->a, k)*d.force_a[k];
            velocity[3*contact->b + k] += dci_grain_gain(g, contact->b, k)*d.force_b[k];
        }
    }
}

/* speeds' tangents along those of a frame and of velocities */
static void dci_grain_speeds_along(const dc_grains *g, const dc_grain_contact *contact, const dci_grain_frame *frame,
                                   const dci_grain_frame *d, const dc_real *velocity, dc_real *vn, dc_real *vt)
{
    const int a = 3*contact->a, b = 3*contact->b;
    dc_real n, t;

    dci_grain_speeds(frame, velocity + a, velocity + b, vn, vt);
    dci_grain_speeds(d, g->next + a, g->next + b, &n, &t);
    *vn += n;
    *vt += t;
}

/* the tangent of a contact's new forces, from that of the old ones in force[0], [1] */
static void dci_sweep_along(const dc_grains *g, const dc_grain_contact *contact, const dc_grain_row *row,
                            const dc_grain_row *d, const dc_real *velocity, const dci_grain_answer *to, dc_real *force)
{
    const dci_grain_frame *f = &row->frame, *df = &d->frame;
    const dc_real *a = g->share + 2*contact->a, *b = g->share + 2*contact->b, h = g->desc.h;
    const dc_real most = row->friction*to->normal;
    dc_real vn, vt, den_n, den_t, dfn = 0, dft;

    dci_grain_speeds_along(g, contact, f, df, velocity, &vn, &vt);
    den_n = 2*h*row->gain_n*((a[0] + b[0])*f->length*df->length + a[1]*f->moment_a*df->moment_a
                             + b[1]*f->push_b[0]*df->push_b[0]);
    den_t = 2*h*row->gain_t*(a[1]*f->lever_a*df->lever_a + b[1]*f->lever_b*df->lever_b);

    if (to->normal > 0)
        dfn = force[0] - (row->gain_n*vn + d->pull_n + force[0] - to->rest_n*den_n/to->den_n)/to->den_n;
    if (dc_abs(to->tangential) < most)
        dft = force[1] - (row->gain_t*vt + d->pull_t + force[1] - to->rest_t*den_t/to->den_t)/to->den_t;
    else dft = (to->tangential > 0 ? 1 : -1)*(d->friction*to->normal + row->friction*dfn);
    force[0] = dfn;
    force[1] = dft;
}

/* Tangents of the rows of all contacts, and of the forces to begin with. */
static DCI_NOINLINE dc_status dci_sweeps_rows_along(const dc_grains *g, const dc_grains_tangent *in, dc_arena *mem,
                                                    dci_sweeps_work *w)
{
    dci_grain_jet jet;
    dc_status status;
    int k, p;

    for (p = 0; p < g->contacts; ++p) {
        const dc_grain_contact *contact = g->contact + p;
        if (!g->touch[p]) continue;
        status = dci_grain_jet_of(g, p, mem, &jet);
        if (status != DC_OK) return status;
        dci_grain_row_along(&jet, g->rows + p, in->q + 3*contact->a, in->q + 3*contact->b,
                            jet.where < 0 ? 0 : in->spring[3*jet.where], w->rows + p);
        for (k = 0; k < 2 && jet.where >= 0; ++k) w->force[2*p + k] = in->spring[3*jet.where + 1 + k];
    }
    return DC_OK;
}

/* The sweeps with their tangents, then that of the next state. */
static DCI_NOINLINE void dci_sweeps_jvp(dc_grains *g, const dc_grains_tangent *in, const dc_grains_tangent *out,
                                        dci_sweeps_work *w, dc_grains_info *info)
{
    const int n = g->desc.bodies;
    dci_grain_answer to;
    int i, k, p, springs = 0;

    /* sweeps */
    for (k = 0; k < g->desc.sweeps; ++k) {
        dc_grains_sum(g, 0, n);
        dci_sweeps_velocity(g, in->v, w, w->velocity);
        for (p = 0; p < g->contacts; ++p) {
            if (!g->touch[p]) continue;
            dci_grain_sweep(g, g->contact + p, g->rows + p, &to);
            dci_sweep_along(g, g->contact + p, g->rows + p, w->rows + p, w->velocity, &to, w->force + 2*p);
            dci_grain_force_is(g->rows + p, to.normal, to.tangential, g->contact + p);
        }
    }
    dc_grains_sum(g, 0, n);
    dci_sweeps_velocity(g, in->v, w, out->v);

    /* springs: s + h v_t, or what keeps the force at the cone; dq' = dq + h dv' */
    for (p = 0; p < g->contacts; ++p) {
        const dc_grain_row *row = g->rows + p, *d = w->rows + p;
        dc_real *to_spring = out->spring + 3*springs, vn, vt, dvn, dvt, spring;
        int end;
        if (!dci_grain_stays(g, p)) continue;
        dci_grain_speeds(&row->frame, g->next + 3*g->contact[p].a, g->next + 3*g->contact[p].b, &vn, &vt);
        dci_grain_speeds_along(g, g->contact + p, &row->frame, &d->frame, out->v, &dvn, &dvt);
        end = dci_grain_spring_end(g, g->contact + p, row, vt, &spring);
        to_spring[0] = end < 0 ? d->spring + g->desc.h*dvt
            : end > 0 ? -(w->force[2*p + 1] + row->damping_t*dvt)/row->stiffness_t : 0;
        to_spring[1] = w->force[2*p];
        to_spring[2] = w->force[2*p + 1];
        ++springs;
    }
    for (i = 0; i < n; ++i)
        for (k = 3*i; k < 3*i + 3; ++k) out->q[k] = in->q[k] + dci_grain_way(g, i)*out->v[k];
    info->contacts = springs;
}

/* gradients by speeds vn and vt go to those by velocities and by the frame */
static void dci_grain_speeds_back(const dc_grains *g, const dc_grain_contact *contact, const dci_grain_frame *frame,
                                  dc_real vn, dc_real vt, dc_real *velocity, dci_grain_frame *d)
{
    const dc_real *va = g->next + 3*contact->a, *vb = g->next + 3*contact->b;
    const dc_real *gb = frame->push_b, *t = frame->tangent, x = vb[1] - va[1], y = vb[2] - va[2];
    const dc_real fx = vn*gb[1] + vt*t[0], fy = vn*gb[2] + vt*t[1];
    dc_real *a = velocity + 3*contact->a, *b = velocity + 3*contact->b;

    a[0] += vn*frame->moment_a + vt*frame->lever_a;
    a[1] -= fx;
    a[2] -= fy;
    b[0] += vn*gb[0] + vt*frame->lever_b;
    b[1] += fx;
    b[2] += fy;
    d->moment_a += vn*va[0];
    d->push_b[0] += vn*vb[0];
    d->push_b[1] += vn*x;
    d->push_b[2] += vn*y;
    d->lever_a += vt*va[0];
    d->lever_b += vt*vb[0];
    d->tangent[0] += vt*x;
    d->tangent[1] += vt*y;
}

/* the gradient by velocities goes to those by forces and rows: the transpose of dci_sweeps_velocity */
static void dci_sweeps_velocity_back(const dc_grains *g, const dc_real *velocity, const dci_sweeps_work *w,
                                     dc_real *force)
{
    int k, p;

    for (p = 0; p < g->contacts; ++p) {
        const dc_grain_contact *contact = g->contact + p;
        const dci_grain_frame *f = &g->rows[p].frame;
        dci_grain_frame *d = &w->rows[p].frame;
        const dc_real fn = contact->fn, ft = contact->ft;
        dc_real on_a[3], on_b[3];

        if (!g->touch[p]) continue;
        for (k = 0; k < 3; ++k) {
            on_a[k] = dci_grain_gain(g, contact->a, k)*velocity[3*contact->a + k];
            on_b[k] = dci_grain_gain(g, contact->b, k)*velocity[3*contact->b + k];
        }
        on_b[1] -= on_a[1];
        on_b[2] -= on_a[2];
        force[2*p] += on_a[0]*f->moment_a + on_b[0]*f->push_b[0] + on_b[1]*f->push_b[1] + on_b[2]*f->push_b[2];
        force[2*p + 1] += on_a[0]*f->lever_a + on_b[0]*f->lever_b + on_b[1]*f->tangent[0] + on_b[2]*f->tangent[1];
        d->moment_a += fn*on_a[0];
        d->lever_a += ft*on_a[0];
        d->lever_b += ft*on_b[0];
        for (k = 0; k < 3; ++k) d->push_b[k] += fn*on_b[k];
        for (k = 0; k < 2; ++k) d->tangent[k] += ft*on_b[k + 1];
    }
}

/* The gradient by velocities goes to those by masses, at the forces so far: dv/dm = -h f/m^2 */
static void dci_sweeps_mass_back(const dc_grains *g, const dc_real *velocity, dc_real *mass)
{
    int i;

    for (i = 0; i < g->desc.bodies; ++i) {
        const dc_real *f = g->force + 3*i, *v = velocity + 3*i;
        const dc_grain_type *type = g->type + g->body[i];
        if (!dci_grain_free(g, i)) continue;
        mass[2*i] -= dci_grain_gain(g, i, 1)*(v[1]*f[1] + v[2]*f[2])/type->mass;
        mass[2*i + 1] -= dci_grain_gain(g, i, 0)*v[0]*f[0]/type->inertia;
    }
}

/* The gradient by w, of a sweep, goes to those by the masses of a body: w holds along/m and arm^2/inertia */
static void dci_share_back(const dc_grains *g, int i, dc_real by, dc_real along, dc_real arm, dc_real *mass)
{
    const dc_grain_type *type = g->type + g->body[i];

    if (!(g->share[2*i] > 0)) return;
    mass[2*i] -= by*along*g->share[2*i]/type->mass;
    mass[2*i + 1] -= by*arm*arm*g->share[2*i + 1]/type->inertia;
}

/* The gradient by a contact's new forces, w->force, goes to those by the old ones, w->swap, by velocities, w->speed,
 * its row and masses. */
static void dci_sweep_back(const dc_grains *g, int p, const dci_grain_answer *to, const dci_sweeps_work *w)
{
    const dc_grain_contact *contact = g->contact + p;
    const dc_grain_row *row = g->rows + p;
    const dci_grain_frame *f = &row->frame;
    dc_grain_row *d = w->rows + p;
    dci_grain_frame *df = &d->frame;
    const dc_real *a = g->share + 2*contact->a, *b = g->share + 2*contact->b, h = g->desc.h;
    const dc_real *after = w->force + 2*p, most = row->friction*to->normal, length2 = f->length*f->length;
    dc_real fn = after[0], vn = 0, vt = 0, den, *force = w->swap + 2*p;

    /* friction: within the cone, or at it */
    force[0] = force[1] = 0;
    if (dc_abs(to->tangential) < most) {
        const dc_real rest = -after[1]/to->den_t;
        force[1] = after[1] + rest;
        vt = rest*row->gain_t;
        d->pull_t += rest;
        den = -2*h*row->gain_t*rest*to->rest_t/to->den_t;
        df->lever_a += den*a[1]*f->lever_a;
        df->lever_b += den*b[1]*f->lever_b;
        d->gain_t += rest*to->speed_t;
        if (row->gain_t > 0) d->gain_t -= rest*to->rest_t*(1 - 1/to->den_t)/row->gain_t;
        dci_share_back(g, contact->a, DC_R(0.5)*den, 1, f->lever_a, w->mass);
        dci_share_back(g, contact->b, DC_R(0.5)*den, 1, f->lever_b, w->mass);
    } else {
        const dc_real limit = to->tangential > 0 ? after[1] : -after[1];
        d->friction += limit*to->normal;
        fn += limit*row->friction;
    }

    /* the normal force, unless it is held at 0 */
    if (to->normal > 0) {
        const dc_real rest = -fn/to->den_n;
        force[0] = fn + rest;
        vn = rest*row->gain_n;
        d->pull_n += rest;
        den = -2*h*row->gain_n*rest*to->rest_n/to->den_n;
        df->length += den*(a[0] + b[0])*f->length;
        df->moment_a += den*a[1]*f->moment_a;
        df->push_b[0] += den*b[1]*f->push_b[0];
        d->gain_n += rest*to->speed_n;
        if (row->gain_n > 0) d->gain_n -= rest*to->rest_n*(1 - 1/to->den_n)/row->gain_n;
        dci_share_back(g, contact->a, DC_R(0.5)*den, length2, f->moment_a, w->mass);
        dci_share_back(g, contact->b, DC_R(0.5)*den, length2, f->push_b[0], w->mass);
    }
    dci_grain_speeds_back(g, contact, f, vn, vt, w->speed, df);
}

/* the product of a gradient by a row with a tangent of it */
static dc_real dci_grain_row_dot(const dc_grain_row *a, const dc_grain_row *b)
{
    const dci_grain_frame *f = &a->frame, *e = &b->frame;
    dc_real sum = f->moment_a*e->moment_a + f->length*e->length + f->lever_a*e->lever_a + f->lever_b*e->lever_b;
    int k;

    for (k = 0; k < 3; ++k) sum += f->push_b[k]*e->push_b[k];
    for (k = 0; k < 2; ++k) sum += f->tangent[k]*e->tangent[k];
    sum += a->pull_n*b->pull_n + a->pull_t*b->pull_t + a->friction*b->friction + a->spring*b->spring;
    return sum + a->gain_n*b->gain_n + a->gain_t*b->gain_t + a->damping_t*b->damping_t;
}

/* The forces of a contact before sweep k, and those velocities */
static void dci_sweeps_recall(dc_grains *g, const dci_sweeps_work *w, int k)
{
    const dc_real *past = w->past + 2*(size_t)k*(size_t)g->contacts;
    int p;

    for (p = 0; p < g->contacts; ++p)
        if (g->touch[p]) dci_grain_force_is(g->rows + p, past[2*p], past[2*p + 1], g->contact + p);
    dc_grains_sum(g, 0, g->desc.bodies);
}

/* springs: gradients by them go to forces, velocities (w->velocity) and rows; how many there are */
static int dci_sweeps_springs_back(dc_grains *g, const dc_grains_tangent *next, const dci_sweeps_work *w)
{
    int p, springs = 0;

    for (p = 0; p < g->contacts; ++p) {
        const dc_grain_row *row = g->rows + p;
        const dc_real *by = next->spring + 3*springs;
        dc_real vn, vt, spring;
        int end;
        if (!dci_grain_stays(g, p)) continue;
        dci_grain_speeds(&row->frame, g->next + 3*g->contact[p].a, g->next + 3*g->contact[p].b, &vn, &vt);
        end = dci_grain_spring_end(g, g->contact + p, row, vt, &spring);
        w->force[2*p] += by[1];
        w->force[2*p + 1] += by[2];
        if (end < 0) w->rows[p].spring += by[0];
        if (end > 0) {
            w->force[2*p + 1] -= by[0]/row->stiffness_t;
            w->rows[p].damping_t -= by[0]*vt/row->stiffness_t;
        }
        vt = end < 0 ? g->desc.h*by[0] : end > 0 ? -row->damping_t*by[0]/row->stiffness_t : 0;
        dci_grain_speeds_back(g, g->contact + p, &row->frame, 0, vt, w->velocity, &w->rows[p].frame);
        ++springs;
    }
    return springs;
}

/* The transpose of the sweeps: gradients by the rows, by the forces to begin with and by the velocities. */
static DCI_NOINLINE void dci_sweeps_vjp(dc_grains *g, const dc_grains_tangent *next, const dc_grains_tangent *now,
                                        dci_sweeps_work *w, dc_grains_info *info)
{
    const int n = g->desc.bodies, sweeps = g->desc.sweeps;
    dci_grain_answer to;
    dc_real *swap;
    int i, k, p;

    /* forward, keeping the forces before each sweep */
    for (k = 0; k <= sweeps; ++k) {
        dc_real *past = w->past + 2*(size_t)k*(size_t)g->contacts;
        for (p = 0; p < g->contacts; ++p) {
            past[2*p] = g->contact[p].fn;
            past[2*p + 1] = g->contact[p].ft;
        }
        dc_grains_sum(g, 0, n);
        if (k < sweeps) dc_grains_sweep(g, 0, g->contacts);
    }

    /* what no contact changes: q' = q + h v'; springs; velocities to the last forces */
    for (k = 0; k < 3*dc_grains_springs(g); ++k) now->spring[k] = 0;
    for (i = 0; i < n; ++i)
        for (k = 3*i; k < 3*i + 3; ++k) {
            now->q[k] = next->q[k];
            w->velocity[k] = next->v[k] + dci_grain_way(g, i)*next->q[k];
        }
    info->contacts = dci_sweeps_springs_back(g, next, w);
    for (k = 0; k < 3*n; ++k) now->v[k] = w->velocity[k];
    dci_sweeps_velocity_back(g, w->velocity, w, w->force);
    dci_sweeps_mass_back(g, w->velocity, w->mass);

    /* sweeps, backward */
    for (k = sweeps - 1; k >= 0; --k) {
        dci_sweeps_recall(g, w, k);
        memset(w->speed, 0, 3*(size_t)n*sizeof *w->speed);
        for (p = 0; p < g->contacts; ++p) {
            if (!g->touch[p]) continue;
            dci_grain_sweep(g, g->contact + p, g->rows + p, &to);
            dci_sweep_back(g, p, &to, w);
        }
        swap = w->force;
        w->force = w->swap;
        w->swap = swap;
        dci_sweeps_velocity_back(g, w->speed, w, w->force);
        dci_sweeps_mass_back(g, w->speed, w->mass);
        for (i = 0; i < 3*n; ++i) now->v[i] += w->speed[i];
    }
}

/* what row p gives the positions of both grains and the spring */
static DCI_NOINLINE void dci_sweeps_row_state(const dc_grains *g, const dci_sweeps_work *w, int p,
                                              const dci_grain_jet *jet, const dc_grains_tangent *now)
{
    const dc_grain_contact *contact = g->contact + p;
    dc_grain_row d;
    int i;

    for (i = 0; i < 7; ++i) {
        dc_real e[7] = {0}, by;
        e[i] = 1;
        dci_grain_row_along(jet, g->rows + p, e, e + 3, e[6], &d);
        by = dci_grain_row_dot(w->rows + p, &d);
        if (i < 6) now->q[3*(i < 3 ? contact->a : contact->b) + i%3] += by;
        else if (jet->where >= 0) now->spring[3*jet->where] += by;
    }
}

/* what row p gives parameter k of the shapes */
static DCI_NOINLINE dc_real dci_sweeps_row_by(const dc_grains *g, const dci_sweeps_work *w,
                                              const dc_grains_shape *shape, int k, int p, const dci_grain_jet *jet,
                                              const dc_real field[5])
{
    dc_grain_row d;

    dci_grain_row_by(g, shape, k, p, jet, field, &d);
    return dci_grain_row_dot(w->rows + p, &d);
}

/* The transpose of dci_sweeps_rows_along, by columns, and that of parameters of the shapes, or NULL. */
static DCI_NOINLINE dc_status dci_sweeps_rows_back(const dc_grains *g, const dci_sweeps_work *w,
                                                   const dc_grains_shape *shape, dc_arena *mem,
                                                   const dc_grains_tangent *now, dc_real *by_shape)
{
    dci_grain_jet jet;
    dc_real field[5];
    dc_status status;
    int i, k, p;

    for (p = 0; p < g->contacts; ++p) {
        if (!g->touch[p]) continue;
        status = dci_grain_jet_of(g, p, mem, &jet);
        if (status != DC_OK) return status;
        dci_sweeps_row_state(g, w, p, &jet, now);
        for (k = 0; k < 2 && jet.where >= 0; ++k) now->spring[3*jet.where + 1 + k] += w->force[2*p + k];
        for (k = 0; shape && k < shape->parameters; ++k) {
            status = dci_grain_field_by(g, shape, k, p, jet.in.rel, mem, field);
            if (status != DC_OK) return status;
            by_shape[k] += dci_sweeps_row_by(g, w, shape, k, p, &jet, field);
        }
    }

    /* masses */
    for (k = 0; shape && k < shape->parameters; ++k)
        for (i = 0; i < g->desc.bodies; ++i) {
            const int type = k*g->desc.types + g->body[i];
            if (!dci_grain_free(g, i)) continue;
            if (shape->mass) by_shape[k] += w->mass[2*i]*shape->mass[type];
            if (shape->inertia) by_shape[k] += w->mass[2*i + 1]*shape->inertia[type];
        }
    return DC_OK;
}

/* ---- [step derivatives] the calls, and derivatives of the explicit step --------------------------- */

/* The derivative of the explicit step, contacts found. */
static DCI_NOINLINE dc_status dci_explicit_jvp(dc_grains *g, const dc_grains_tangent *in, const dc_grains_tangent *out,
                                               dc_arena *mem, dc_grains_info *info)
{
    dci_grain_jet jet;
    dci_grain_out force;
    dc_status status = DC_OK;
    int i, k, p, springs = 0;
    const int n = g->desc.bodies;

    /* dv' = dv + h df/m */
    for (k = 0; k < 3*n; ++k) out->v[k] = in->v[k];
    for (p = 0; p < g->contacts && status == DC_OK; ++p) {
        status = dci_grain_jet_of(g, p, mem, &jet);
        if (status == DC_OK && jet.in.distance < 0) {
            int a = jet.contact->a, b = jet.contact->b;
            dci_grain_along(&jet, in->q + 3*a, in->q + 3*b, in->v + 3*a, in->v + 3*b,
                            jet.where < 0 ? 0 : in->spring[jet.where], &force);
            out->spring[springs++] = force.spring;
            for (k = 0; k < 3; ++k) {
                out->v[3*a + k] += dci_grain_gain(g, a, k)*force.force_a[k];
                out->v[3*b + k] += dci_grain_gain(g, b, k)*force.force_b[k];
            }
        }
    }
    if (status != DC_OK) return status;

    /* dq' = dq + h dv' */
    for (i = 0; i < n; ++i)
        for (k = 3*i; k < 3*i + 3; ++k) out->q[k] = in->q[k] + dci_grain_way(g, i)*out->v[k];
    info->contacts = springs;
    return DC_OK;
}

DC_DEF dc_status dc_grains_jvp(dc_grains *g, const dc_grains_tangent *in, const dc_grains_tangent *out, dc_arena *mem,
                               dc_grains_info *info)
{
    dci_sweeps_work w;
    dc_grains_info none;
    dc_status status;
    size_t used;

    if (!dci_grains_tangent_ok(g, in) || !dci_grains_tangent_ok(g, out) || !mem || g->kept) return DC_E_ARG;
    used = mem->used;
    if (!info) info = &none;
    status = dc_grains_find(g, info);
    if (status == DC_OK && !dci_grains_fields(g, 0, g->blocks, 1)) status = DC_E_ARG;
    if (status != DC_OK) return status;
    if (g->desc.sweeps == 0) return dci_explicit_jvp(g, in, out, mem, info);

    status = dci_sweeps_open(g, 0, mem, &w);
    if (status == DC_OK) status = dc_grains_meet(g, 0, g->blocks, mem);
    if (status == DC_OK) status = dci_sweeps_rows_along(g, in, mem, &w);
    if (status == DC_OK) dci_sweeps_jvp(g, in, out, &w, info);
    mem->used = used;
    return status;
}

/* adds a contact's part of the gradient: `spring` is that by its next spring */
static DCI_NOINLINE void dci_grain_pull(const dc_grains *g, const dci_grain_jet *jet, const dc_grains_tangent *next,
                                        dc_real spring, const dc_grains_tangent *now)
{
    dci_grain_out out;
    dc_real w[6], got[13];
    int i, k, a = jet->contact->a, b = jet->contact->b;

    /* what the forces on a and b weigh: through the next v, and the next q by way of it */
    for (k = 0; k < 6; ++k) {
        i = k < 3 ? a : b;
        w[k] = dci_grain_gain(g, i, k%3)*(next->v[3*i + k%3] + g->desc.h*next->q[3*i + k%3]);
    }

    /* by each of qa, qb, va, vb, spring */
    for (i = 0; i < 13; ++i) {
        dc_real e[13] = {0};
        e[i] = 1;
        dci_grain_along(jet, e, e + 3, e + 6, e + 9, e[12], &out);
        got[i] = out.spring*spring;
        for (k = 0; k < 3; ++k) got[i] += w[k]*out.force_a[k] + w[3 + k]*out.force_b[k];
    }
    for (k = 0; k < 3; ++k) {
        now->q[3*a + k] += got[k];
        now->q[3*b + k] += got[3 + k];
        now->v[3*a + k] += got[6 + k];
        now->v[3*b + k] += got[9 + k];
    }
    if (jet->where >= 0) now->spring[jet->where] += got[12];
}

/* The transpose of the explicit step, contacts found. */
static DCI_NOINLINE dc_status dci_explicit_vjp(dc_grains *g, const dc_grains_tangent *next,
                                               const dc_grains_tangent *now, dc_arena *mem, dc_grains_info *info)
{
    dci_grain_jet jet;
    dc_status status = DC_OK;
    int i, k, p, springs = 0;
    const int n = g->desc.bodies;

    /* what no contact changes */
    for (k = 0; k < dc_grains_springs(g); ++k) now->spring[k] = 0;
    for (i = 0; i < n; ++i)
        for (k = 3*i; k < 3*i + 3; ++k) {
            now->q[k] = next->q[k];
            now->v[k] = next->v[k] + dci_grain_way(g, i)*next->q[k];
        }

    /* contacts */
    for (p = 0; p < g->contacts && status == DC_OK; ++p) {
        status = dci_grain_jet_of(g, p, mem, &jet);
        if (status != DC_OK || !(jet.in.distance < 0)) continue;
        dci_grain_pull(g, &jet, next, next->spring[springs], now);
        ++springs;
    }
    info->contacts = springs;
    return status;
}

/* both calls; shape and by may be NULL */
static dc_status dci_grains_vjp(dc_grains *g, const dc_grains_shape *shape, const dc_grains_tangent *next,
                                const dc_grains_tangent *now, dc_real *by, dc_arena *mem, dc_grains_info *info)
{
    dci_sweeps_work w;
    dc_grains_info none;
    dc_status status;
    size_t used;
    int k;

    if (!dci_grains_tangent_ok(g, next) || !dci_grains_tangent_ok(g, now) || !mem || g->kept) return DC_E_ARG;
    used = mem->used;
    if (!info) info = &none;
    status = dc_grains_find(g, info);
    if (status == DC_OK && !dci_grains_fields(g, 0, g->blocks, 1)) status = DC_E_ARG;
    if (status != DC_OK) return status;
    if (g->desc.sweeps == 0) return dci_explicit_vjp(g, next, now, mem, info);

    for (k = 0; shape && k < shape->parameters; ++k) by[k] = 0;
    status = dci_sweeps_open(g, 1, mem, &w);
    if (status == DC_OK) status = dc_grains_meet(g, 0, g->blocks, mem);
    if (status == DC_OK) dci_sweeps_vjp(g, next, now, &w, info);
    if (status == DC_OK) status = dci_sweeps_rows_back(g, &w, shape, mem, now, by);
    mem->used = used;
    return status;
}

DC_DEF dc_status dc_grains_vjp(dc_grains *g, const dc_grains_tangent *next, const dc_grains_tangent *now, dc_arena *mem,
                               dc_grains_info *info)
{
    return dci_grains_vjp(g, NULL, next, now, NULL, mem, info);
}

static int dci_grains_shape_ok(const dc_grains *g, const dc_grains_shape *shape)
{
    int k, i;

    if (!g || !g->state || !shape || shape->parameters < 1 || shape->parameters > 4096) return 0;
    for (k = 0; k < shape->parameters; ++k) {
        for (i = 0; i < g->desc.pairs && shape->field; ++i) {
            const dc_cfield *f = shape->field[(size_t)k*(size_t)g->desc.pairs + (size_t)i], *of = g->pair[i].field;
            if (f && of && f->wall != of->wall) return 0;
        }
        for (i = 0; i < g->desc.types; ++i) {
            if (g->type[i].kind != DC_CSHAPE_POLY) continue;
            if (shape->mass && !dci_sim_scalar(shape->mass[k*g->desc.types + i], -DC_LIMIT)) return 0;
            if (shape->inertia && !dci_sim_scalar(shape->inertia[k*g->desc.types + i], -DC_LIMIT)) return 0;
        }
    }
    return 1;
}

DC_DEF dc_status dc_grains_vjp_shape(dc_grains *g, const dc_grains_shape *shape, const dc_grains_tangent *next,
                                     const dc_grains_tangent *now, dc_real *by, dc_arena *mem, dc_grains_info *info)
{
    if (!dci_grains_shape_ok(g, shape) || !by || g->desc.sweeps == 0) return DC_E_ARG;
    return dci_grains_vjp(g, shape, next, now, by, mem, info);
}

#endif /* DC_SIM_NO_GRAINS */

#if DCI_FUSES
#pragma GCC pop_options
#endif

#endif /* DC_SIM_IMPLEMENTED */
#endif /* DC_SIM_IMPLEMENTATION */

/*
This software is available under two licenses: choose whichever you prefer.

ALTERNATIVE A: MIT License

Copyright (c) 2026 the dc authors

Permission is hereby granted, free of charge, to any person obtaining a copy of
this software and associated documentation files (the "Software"), to deal in
the Software without restriction, including without limitation the rights to
use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies
of the Software, and to permit persons to whom the Software is furnished to do
so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.

ALTERNATIVE B: Public Domain (www.unlicense.org)

This is free and unencumbered software released into the public domain.

Anyone is free to copy, modify, publish, use, compile, sell, or distribute this
software, either in source code form or as a compiled binary, for any purpose,
commercial or non-commercial, and by any means.

In jurisdictions that recognize copyright laws, the author or authors of this
software dedicate any and all copyright interest in the software to the public
domain. We make this dedication for the benefit of the public at large and to
the detriment of our heirs and successors. We intend this dedication to be an
overt act of relinquishment in perpetuity of all present and future rights to
this software under copyright law.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN
ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION
WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
*/
