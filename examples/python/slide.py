"""Friction from how far a pushed box slides: Newton's method on the adjoint of a second of dc_sim.h."""
import numpy as np

import dc

corner = 0.1*np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
sim = dc.Sim([dict(mass=2.0, hull=corner)], [((0, 0, 1), 0, 0.3)])
start = sim.neutral()
start[6] = 0.1 + dc.dc_sim_rest_gap(sim.sim, 2*9.81, 4)
force = np.zeros((100, sim.nv))
force[:50, 0] = 12                                      # N, for half a second


def slide(friction):
    """How far it got, and the derivative of that by the coefficient."""
    sim.sim.plane[0].friction = friction
    sim.refresh()
    states, unsolved = sim.roll(start, start, force)
    assert unsolved == 0
    loss = np.zeros_like(force)
    loss[-1, 0] = 1                                     # the loss is x at the end
    return states[-1, 4], sim.adjoint(states, loss, force)["friction"][1]


measured, mu = slide(0.3)[0], 0.5
for k in range(20):
    x, by_mu = slide(mu)
    print(f"friction {mu:.6f}: slides {x:.6f} m of {measured:.6f}, derivative {by_mu:.5f}")
    if abs(x - measured) < 1e-9:
        break
    mu -= (x - measured)/by_mu
assert abs(mu - 0.3) < 1e-6, mu
