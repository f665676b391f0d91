"""What must hold of dc.py:  make python && PYTHONPATH=build/python python3 examples/python/test_dc.py"""
import ctypes
import gc
import pathlib
import runpy

import numpy as np

import dc
import layout

corner = 0.1*np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)


def differences(f, x, step=1e-6):
    return np.array([(f(x + step*e) - f(x - step*e))/(2*step) for e in np.eye(len(x))])


def refused(what, function, *arguments):
    try:
        function(*arguments)
    except what:
        return
    raise AssertionError(f"{function} took {arguments}")


def layouts():
    """A struct that is not as the library's is refused; that the rest is was seen at import."""
    right = layout.structs[0]
    layout.structs[0] = type("dc_v3", (ctypes.Structure,), {"_fields_": [("x", ctypes.c_float), ("y", ctypes.c_float), ("z", ctypes.c_double)]})
    try:
        refused(ImportError, dc._check)
    finally:
        layout.structs[0] = right
    assert len(layout.structs) > 80 and len(layout.prototype) > 150


def arrays():
    """Numbers stay where they are; what would need a copy is refused."""
    a = np.arange(6.0)
    p = dc.numbers(a)
    p[2] = 7
    assert a[2] == 7 and ctypes.addressof(p.contents) == a.ctypes.data
    for bad in (a[::2], a.astype(np.float32), [1.0, 2.0]):
        refused(TypeError, dc.numbers, bad)
    refused(ValueError, dc.numbers, a, 5)


def kept_alive():
    """A model outlives all that it was made from."""
    def make():
        return dc.Sim([dict(mass=1.0, hull=corner.copy()), dict(parent=0, joint="hinge", hull=corner + 0.3, mass=0.5, attach=((1, 0, 0, 0), (0, 0, 0.3)))],
                      [((0, 0, 1), 0, 0.5)])
    sim = make()
    gc.collect()
    junk = [np.random.rand(24) for _ in range(1000)]
    q = sim.neutral()
    q[6] = 0.2
    a = sim.step(q, q)
    del junk
    other = make()
    assert (a == other.step(q, q)).all() and sim.nq == 8 and sim.nv == 7 and sim.poses(q).shape == (2, 7)


def errors():
    """A status is an exception that says what was wrong."""
    try:
        dc.Sim([dict(mass=-1.0, hull=corner)])
    except dc.Error as e:
        assert e.status == dc.DC_E_ARG and "link 0" in str(e), str(e)
    else:
        raise AssertionError("a negative mass")
    sim = dc.Sim([dict(mass=1.0, hull=corner)], [((0, 0, 1), 0, 0.5)])
    refused(dc.Error, sim.step, sim.neutral(), sim.neutral())           # in the floor
    refused(ValueError, sim.step, np.zeros(3), np.zeros(7))


def sim_gradients():
    """The adjoint of a push against differences of whole motions: by forces, masses, friction and, in coordinates, the start."""
    sim = dc.Sim([dict(mass=1.0, hull=corner)], [((0, 0, 1), 0, 0.5)], tolerance=1e-12)
    q = sim.neutral()
    q[6] = 0.1 + dc.dc_sim_rest_gap(sim.sim, 9.81, 4)
    weights, force = np.random.default_rng(1).normal(size=7), np.zeros((8, 6))
    force[:, 0] = 7

    def end(q_prev, q, force):
        states, bad = sim.roll(q_prev, q, force)
        assert bad == 0
        return states

    states = end(q, q, force)
    loss = np.zeros((8, 6))
    loss[-1] = sim.to_tangent(states[-1], weights)
    g = sim.adjoint(states, loss, force)
    value = lambda f: weights @ end(q, q, f.reshape(8, 6))[-1]
    d = differences(value, force.ravel(), 1e-4).reshape(8, 6)
    assert abs(g["force"] - d).max() < 1e-6*abs(d).max(), abs(g["force"] - d).max()

    def unit(q):
        return np.concatenate([q[:4]/np.linalg.norm(q[:4]), q[4:]])
    d = differences(lambda x: weights @ end(unit(x), q, force)[-1], q)
    assert abs(sim.to_coordinates(q, g["start"][0]) - d).max() < 1e-5*abs(d).max()

    def by_mu(mu):
        sim.sim.plane[0].friction = mu[0]
        sim.refresh()
        return weights @ end(q, q, force)[-1]
    d = differences(by_mu, np.array([0.5]))
    assert abs(d[0]) > 1e-4 and abs(g["friction"][1] - d[0]) < 1e-5*abs(d[0]), (g["friction"], d)


def ncp_gradients():
    """A box that lands on an edge: derivatives by its state and by friction against differences."""
    world = dc.Ncp([(1.0, np.array([0.1, 0.12, 0.15]))], [("box", (0.5, 0.4, 0.3)), ("halfspace", (0, 0, 1), 0.0)], [(0, 0, -1, 1, 0.3, 0.0)])
    state = np.zeros((1, 13))
    state[0] = [np.cos(0.2), 0, np.sin(0.2), 0, 0, 0, 0.47, 1, 0.2, -2, 0, 0.3, 0]
    weights = np.random.default_rng(2).normal(size=12)
    after, solution = world.step(state)
    got = solution.vjp(weights.reshape(1, 12))

    def value(mu, v):
        x = state.copy()
        x[0, 7:13] = v
        y = world.step(x, mu=mu)[0][0]
        q, p = y[:4], after[0, :4]
        w = 2*np.array([p[0]*q[1] - q[0]*p[1] - (q[2]*p[3] - q[3]*p[2]), p[0]*q[2] - q[0]*p[2] - (q[3]*p[1] - q[1]*p[3]),
                        p[0]*q[3] - q[0]*p[3] - (q[1]*p[2] - q[2]*p[1])])
        return weights @ np.concatenate([y[4:7], w, y[7:13]])

    d = differences(lambda v: value(None, v), state[0, 7:13], 1e-5)
    assert abs(got["body"][0, 6:12] - d).max() < 1e-4*abs(d).max(), (got["body"][0, 6:12], d)
    d = differences(lambda mu: value(mu, state[0, 7:13]), np.array([0.3]), 1e-5)
    assert abs(d[0]) > 1e-3 and abs(got["contact"][0, 0] - d[0]) < 1e-4*abs(d[0]), (got["contact"], d)


def torch_gradients():
    """gradcheck of both functions."""
    if dc.torch is None:
        return "no torch"
    torch = dc.torch
    tensor = lambda x: torch.tensor(x, dtype=torch.float64, requires_grad=True)
    unit = lambda q: torch.cat([q[:4]/q[:4].norm(), q[4:]])
    sim = dc.Sim([dict(mass=1.0, hull=corner)], [((0, 0, 1), 0, 0.5)], tolerance=1e-12)
    q = sim.neutral()
    q[6] = 0.1 + dc.dc_sim_rest_gap(sim.sim, 9.81, 4)
    w = torch.from_numpy(np.random.default_rng(3).normal(size=7))
    moved = q.copy()
    moved[4] += 1e-3
    assert torch.autograd.gradcheck(lambda a, b, f: (dc.sim_step(sim, unit(a), unit(b), f)*w).sum(), (tensor(q), tensor(moved), tensor(np.ones(6))),
                                    eps=1e-7, atol=1e-4, rtol=1e-5)
    world = dc.Ncp([(1.0, np.full(3, 0.1))], [("sphere", 0.5), ("halfspace", (0, 0, 1), 0.0)], [(0, 0, -1, 1, 0.5, 0.5)])
    state = np.zeros((1, 13))
    state[0, [0, 6, 7, 9]] = 1, 0.501, 1, -2
    w = torch.from_numpy(np.random.default_rng(4).normal(size=(1, 13)))
    assert torch.autograd.gradcheck(lambda s, f, m: (dc.ncp_step(world, unit(s[0]).reshape(1, 13), f, m)*w).sum(),
                                    (tensor(state), tensor(np.ones((1, 6))), tensor([0.5])), eps=1e-6, atol=1e-4, rtol=1e-3)


def examples():
    """They run, and what they assert holds."""
    for name in ("distance", "slide", "bounce"):
        runpy.run_path(str(pathlib.Path(__file__).with_name(name + ".py")))


skipped = 0
for test in (layouts, arrays, kept_alive, errors, sim_gradients, ncp_gradients, torch_gradients, examples):
    why = test()
    skipped += why is not None
    print(f"skip {test.__name__}: {why}" if why else f"pass {test.__name__}")
print(f"{8 - skipped} passed, 0 failed, {skipped} skipped")
