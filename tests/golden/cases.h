/* cases.h - all golden cases; the includer says which headers it implements */
#ifndef DC_TEST_GOLDEN_CASES_H_INCLUDED
#define DC_TEST_GOLDEN_CASES_H_INCLUDED

#include "dc_sim.h"
#include "dc_witness.h"
#include "dc_ncp.h"

#include "support.h"
#include "real.h"
#include "mesh.h"
#include "machine.h"
#include "golden.h"

#include "contact.h"
#include "bsh.h"
#include "sdf.h"
#include "witness.h"
#include "ncp.h"
#include "sim.h"

#define GOLDEN_CASE(header, name) {#header, #name, header##_##name}
static const golden_case golden_cases[] = {
    GOLDEN_CASE(contact, elementary),
    GOLDEN_CASE(contact, rotations),
    GOLDEN_CASE(contact, smooth),
    GOLDEN_CASE(contact, dense),
    GOLDEN_CASE(contact, distance),
    GOLDEN_CASE(contact, potential),
    GOLDEN_CASE(contact, centred),
    GOLDEN_CASE(contact, batch),
    GOLDEN_CASE(contact, friction),
    GOLDEN_CASE(contact, broad),
    GOLDEN_CASE(bsh, build),
    GOLDEN_CASE(bsh, eval),
    GOLDEN_CASE(bsh, scene),
    GOLDEN_CASE(sdf, eval),
    GOLDEN_CASE(sdf, along),
    GOLDEN_CASE(sdf, mesh_sample_fit),
    GOLDEN_CASE(sdf, polygons),
    GOLDEN_CASE(sdf, cfield),
    GOLDEN_CASE(sdf, learned),
    GOLDEN_CASE(sdf, baked),
    GOLDEN_CASE(witness, points),
    GOLDEN_CASE(witness, softsort),
    GOLDEN_CASE(witness, manifold),
    GOLDEN_CASE(witness, second),
    GOLDEN_CASE(ncp, growth),
    GOLDEN_CASE(ncp, step),
    GOLDEN_CASE(ncp, adjoint),
    GOLDEN_CASE(sim, hulls),
    GOLDEN_CASE(sim, joints),
    GOLDEN_CASE(sim, tree_steps),
    GOLDEN_CASE(sim, adam),
    GOLDEN_CASE(sim, grains_exact),
    GOLDEN_CASE(sim, grains_smooth),
    GOLDEN_CASE(sim, grains_sweeps)
};
enum { GOLDEN_CASES = sizeof golden_cases/sizeof golden_cases[0] };

#endif /* DC_TEST_GOLDEN_CASES_H_INCLUDED */
