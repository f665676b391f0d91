"""dc from Python, by ctypes:  make python, then PYTHONPATH=build/python python3 program.py

Everything of the headers under its own name: structs (dc_hull, dc_sim_desc, ..), constants and functions with their types, made from the
headers by generate.py and compared at import with what the library was compiled from. On top two classes that own the memory their
models point into, Sim (dc_sim.h) and Ncp (dc_ncp.h), and with PyTorch sim_step and ncp_step, which have gradients.

Arrays are numpy's, float64, contiguous; they are read and written where they are, without a copy: what is not so is refused.
Gradients of dc are by tangents; to_tangent and to_coordinates carry them to and from the numbers of a state.
"""
import ctypes
import pathlib

import numpy as np

import layout
from layout import *            # noqa: F401,F403

library = ctypes.CDLL(str(pathlib.Path(layout.__file__).with_name("libdc.so")))


def _check():
    there = (ctypes.c_size_t*sum(1 + len(s._fields_) for s in layout.structs)).in_dll(library, "dc_layout")
    at = 0
    for s in layout.structs:
        for name, here in [("size", ctypes.sizeof(s))] + [(f[0], getattr(s, f[0]).offset) for f in s._fields_]:
            if there[at] != here:
                raise ImportError(f"{s.__name__}.{name} is {here} here and {there[at]} in {library._name}: make python again")
            at += 1


_check()
for _name, (_result, _arguments) in layout.prototype.items():
    _f = getattr(library, _name)
    _f.restype, _f.argtypes = _result, _arguments
    globals()[_name] = _f


class Error(Exception):
    """A status that is not DC_OK."""
    def __init__(self, status, what=""):
        super().__init__((what and what + ": ") + library.dc_status_text(status).decode())
        self.status = status


def need(status, what=""):
    if status != layout.DC_OK:
        raise Error(status, what)


def numbers(a, size=None):
    """A pointer to the numbers of an array, which it keeps alive; None: NULL."""
    if a is None:
        return None
    if not (isinstance(a, np.ndarray) and a.dtype == np.float64 and a.flags.c_contiguous):
        raise TypeError("a contiguous numpy array of float64 is needed")
    if size is not None and a.size != size:
        raise ValueError(f"{size} numbers are needed, not {a.size}")
    return a.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


def points(a):
    """The same as dc_v3."""
    if a.ndim != 2 or a.shape[1] != 3:
        raise ValueError("an array of points has three columns")
    return ctypes.cast(numbers(a), ctypes.POINTER(dc_v3))


def vector(v):
    return dc_v3(*map(float, v))


def pose(q=(1, 0, 0, 0), t=(0, 0, 0)):
    return dc_pose(dc_quat(*map(float, q)), vector(t))


class Arena:
    """Scratch of so many bytes; .arena is what functions take."""
    def __init__(self, size):
        self.memory = (ctypes.c_ubyte*size)()
        self.arena = library.dc_arena_make(ctypes.cast(self.memory, layout.prototype["dc_arena_make"][1][0]), size)


class Hull:
    """A hull of points [n, 3], which it owns."""
    def __init__(self, corner, radius=0.0):
        self.corner = np.ascontiguousarray(corner, dtype=np.float64)
        self.hull = dc_hull(points(self.corner), len(self.corner), radius)


def _turn(q):
    """4x3: the change of w, x, y, z by a rotation vector in the world, E; E^T E = 1/4."""
    w, x, y, z = q
    return 0.5*np.array([[-x, -y, -z], [w, z, -y], [-z, w, x], [y, -x, w]])


class Sim:
    """A model of dc_sim.h. links: dicts with the members of dc_sim_link, but joint "free", "ball", "hinge", "slide" or "fixed",
    hull: arrays of points or one of them, attach: (q, t). planes: (n, d, friction). Other names are members of dc_sim_desc."""
    _joints = {"free": DC_SIM_FREE, "ball": DC_SIM_BALL, "hinge": DC_SIM_HINGE, "slide": DC_SIM_SLIDE, "fixed": DC_SIM_FIXED}

    def __init__(self, links, planes=(), h=0.01, gravity=(0, 0, -9.81), **options):
        self.link = (dc_sim_link*len(links))()
        self.kept = []
        for to, link in zip(self.link, links):
            link = {"parent": -1, "friction": 1.0, **link}
            hulls = link.pop("hull", [])
            hulls = [Hull(x) for x in (hulls if isinstance(hulls, list) else [hulls])]
            array = (dc_hull*max(1, len(hulls)))(*[x.hull for x in hulls])
            self.kept += [hulls, array]
            to.hull, to.hulls = array, len(hulls)
            to.joint = self._joints[link.pop("joint", "free")]
            to.attach = pose(*link.pop("attach", ()))
            for name in ("axis", "centre"):
                if name in link:
                    setattr(to, name, vector(link.pop(name)))
            if "inertia" in link:
                to.inertia, to.model = dc_m3((ctypes.c_double*9)(*np.ravel(link.pop("inertia")))), DC_SIM_INERTIA
            for name, value in link.items():
                setattr(to, name, value)
        self.plane = (dc_sim_plane*max(1, len(planes)))(*[dc_sim_plane(vector(n), d, f) for n, d, f in planes])
        desc = dc_sim_desc(link=self.link, links=len(links), plane=self.plane, planes=len(planes), h=h, gravity=vector(gravity))
        for name, value in options.items():
            setattr(desc, name, value)
        self.memory, self.sim, flaw = Arena(library.dc_sim_bytes(desc) or 1), dc_sim(), dc_sim_flaw()
        status = library.dc_sim_build(desc, self.memory.arena, self.sim, flaw)
        need(status, f"link {flaw.link}, {flaw.cause.decode()}" if status == layout.DC_E_ARG and flaw.cause else "dc_sim_build")
        self.nq, self.nv, self.scratch = self.sim.nq, self.sim.nv, Arena(library.dc_sim_step_bytes(self.sim))
        # where the quaternions are: (in q, in dq)
        self.turns = [(self.sim.q_at[i], self.sim.v_at[i] + (3 if x.joint == DC_SIM_FREE else 0))
                      for i, x in enumerate(self.link) if x.joint in (DC_SIM_FREE, DC_SIM_BALL)]
        self.same = []
        for i, x in enumerate(self.link):
            q, v = self.sim.q_at[i], self.sim.v_at[i]
            self.same += {DC_SIM_FREE: [(q + 4 + k, v + k) for k in range(3)], DC_SIM_HINGE: [(q, v)], DC_SIM_SLIDE: [(q, v)]}.get(x.joint, [])

    def neutral(self):
        q = np.empty(self.nq)
        library.dc_sim_neutral(self.sim, numbers(q))
        return q

    def refresh(self):
        """After a change of sim.link[i].mass, .friction, ..: they are the design."""
        need(library.dc_sim_refresh(self.sim, None), "dc_sim_refresh")

    def poses(self, q):
        """[links, 7]: w x y z, position."""
        out = np.empty((len(self.link), 7))
        library.dc_sim_poses(self.sim, numbers(q, self.nq), ctypes.cast(numbers(out), ctypes.POINTER(dc_pose)))
        return out

    def step(self, q_prev, q, force=None, target=None, out=None):
        """The next state; DC_E_DIVERGED is an Error whose .state is the last iterate."""
        out = np.empty(self.nq) if out is None else out
        control = dc_sim_control(target=numbers(target, self.nq), force=numbers(force, self.nv))
        status = library.dc_sim_step(self.sim, numbers(q_prev, self.nq), numbers(q, self.nq), control, self.scratch.arena, numbers(out, self.nq), None)
        if status != layout.DC_OK:
            error = Error(status, "dc_sim_step")
            error.state = out if status == layout.DC_E_DIVERGED else None
            raise error
        return out

    def _run(self, q, force):
        steps = len(q) - 2
        control = (dc_sim_control*steps)()
        for i in range(steps if force is not None else 0):
            control[i].force = numbers(force[i], self.nv)
        return dc_sim_run(steps=steps, q=numbers(q, (steps + 2)*self.nq), control=control), control

    def roll(self, q_prev, q, force):
        """The states [steps + 2, nq] of a motion with forces [steps, nv]; how many steps did not reach their tolerance."""
        states = np.empty((len(force) + 2, self.nq))
        states[0], states[1] = q_prev, q
        run, kept = self._run(states, force)
        info, scratch = dc_sim_roll_info(), Arena(library.dc_sim_roll_bytes(self.sim))
        status = library.dc_sim_roll(self.sim, run, numbers(states), scratch.arena, info)
        if status not in (layout.DC_OK, layout.DC_E_DIVERGED):
            raise Error(status, "dc_sim_roll")
        return states, info.diverged

    def adjoint(self, states, loss, force=None):
        """Gradient of a loss whose derivatives by the tangents at the steps' ends are loss [steps, nv]. A dict: start [2, nv] by the two
        earlier states, force [steps, nv], mass [links], friction [links + planes]."""
        run, kept = self._run(states, force)
        start, control = np.empty((2, self.nv)), np.empty((run.steps, 3, self.nv))
        mass, friction = np.empty(self.sim.links), np.empty(self.sim.links + self.sim.planes)
        run.loss, run.start, run.control_grad = numbers(loss, run.steps*self.nv), numbers(start), numbers(control)
        run.mass, run.friction = numbers(mass), numbers(friction)
        scratch = Arena(library.dc_sim_adjoint_bytes(self.sim, run))
        need(library.dc_sim_adjoint(self.sim, run, scratch.arena), "dc_sim_adjoint")
        return {"start": start, "force": control[:, 2], "mass": mass, "friction": friction}

    def to_tangent(self, q, g):
        """The gradient by the tangent at q of a function whose gradient by the numbers of q is g."""
        out = np.empty(self.nv)
        for i, j in self.same:
            out[j] = g[i]
        for i, j in self.turns:
            out[j:j + 3] = g[i:i + 4] @ _turn(q[i:i + 4])
        return out

    def to_coordinates(self, q, g):
        """The other way; of quaternions the shortest vector there is."""
        out = np.empty(self.nq)
        for i, j in self.same:
            out[i] = g[j]
        for i, j in self.turns:
            out[i:i + 4] = 4*_turn(q[i:i + 4]) @ g[j:j + 3]
        return out


class Ncp:
    """Bodies of dc_ncp.h. bodies: (mass, inertia 3x3 or its diagonal). shapes: ("sphere", r), ("box", half), ("halfspace", n, offset),
    ("capsule", r, length), ("hull", points). contacts: (body a, its shape, body b or -1 for the world, its shape, friction, restitution).
    A state is [bodies, 13]: w x y z, position, velocity, angular velocity in the world."""
    def __init__(self, bodies, shapes, contacts, h=0.01, gravity=(0, 0, -9.81), rho=0.0):
        self.memory = Arena(sum(4096 + 2000*len(s[1]) if s[0] == "hull" else 4096 for s in shapes))
        self.shape, self.options = (dc_shape*len(shapes))(), dc_ncp_options(rho=rho)
        for to, (kind, *size) in zip(self.shape, shapes):
            arena = self.memory.arena
            if kind == "hull":
                corner = np.ascontiguousarray(size[0], dtype=np.float64)
                status = library.dc_shape_hull(3, len(corner), points(corner), arena, to)
            elif kind == "halfspace":
                status = library.dc_shape_halfspace(3, vector(size[0]), size[1], arena, to)
            elif kind == "box":
                status = library.dc_shape_box(3, vector(size[0]), arena, to)
            else:
                status = getattr(library, "dc_shape_" + kind)(3, *size, arena, to)
            need(status, kind)
        self.bodies, self.contacts, self.h, self.gravity = bodies, contacts, h, vector(gravity)

    def step(self, state, load=None, mu=None):
        """The next state, and the solved step, which Ncp.vjp asks. load: [bodies, 6], force and torque; mu: of the contacts."""
        return self._solve(NcpSolution(self), state, load, mu)

    def _solve(self, s, state, load, mu):
        n = len(self.bodies)
        if state.shape != (n, 13) or (load is not None and load.shape != (n, 6)):
            raise ValueError(f"a state is [{n}, 13], a load [{n}, 6]")
        s.body, s.next, s.contact = (dc_ncp_body*n)(), (dc_ncp_body*n)(), (dc_ncp_contact*max(1, len(self.contacts)))()
        data = np.frombuffer(s.body).reshape(n, -1)           # pose, v, w, mass, inertia, force, torque: all numbers
        data[:, :13] = state
        for row, (mass, inertia) in zip(data, self.bodies):
            row[13] = mass
            row[14:23] = np.ravel(np.diag(inertia) if np.ndim(inertia) == 1 else inertia)
        if load is not None:
            data[:, 23:29] = load
        for k, (a, shape_a, b, shape_b, friction, restitution) in enumerate(self.contacts):
            to = s.contact[k]
            to.body[0], to.body[1] = a, b
            to.shape[0], to.shape[1] = ctypes.pointer(self.shape[shape_a]), ctypes.pointer(self.shape[shape_b])
            to.mu, to.restitution = friction if mu is None else float(mu[k]), restitution
        s.scene = dc_ncp_scene(dim=3, h=self.h, gravity=self.gravity, bodies=n, contacts=len(self.contacts), body=s.body, contact=s.contact)
        s.memory, info = Arena(library.dc_ncp_bytes(self.options, s.scene) or 1), dc_ncp_info()
        need(library.dc_ncp_step(self.options, s.scene, s.memory.arena, s.next, s.solution, info), "dc_ncp_step")
        return np.frombuffer(s.next).reshape(n, -1)[:, :13].copy(), s


class NcpSolution:
    """A solved step, with all that it refers to."""
    def __init__(self, world):
        self.world, self.solution = world, ctypes.c_void_p()

    def vjp(self, bar):
        """Derivatives of a number whose derivatives by the next pose (twist), v and w are bar [bodies, 12]. A dict: body [bodies, 28] (pose,
        v, w, force, torque, mass, inertia), scene [4] (gravity, h), contact [contacts, 3] (friction, spin friction, restitution)."""
        n, m = len(self.body), len(self.world.contacts)
        out = {"body": np.zeros((n, 28)), "scene": np.zeros(4), "contact": np.zeros((m, 3))}
        bar = np.ascontiguousarray(bar, dtype=np.float64)
        need(library.dc_ncp_vjp(self.solution, numbers(bar, 12*n), dc_ncp_adjoint(**{k: numbers(v) for k, v in out.items()})), "dc_ncp_vjp")
        return out


try:
    import torch
except ImportError:
    torch = None

if torch is not None:
    class _SimStep(torch.autograd.Function):
        @staticmethod
        def forward(ctx, sim, q_prev, q, force):
            ctx.sim = sim
            ctx.states = np.stack([q_prev.detach().numpy(), q.detach().numpy(), np.empty(sim.nq)])
            ctx.force = np.ascontiguousarray(force.detach().numpy()).reshape(1, -1)
            sim.step(ctx.states[0], ctx.states[1], ctx.force[0], out=ctx.states[2])
            return torch.from_numpy(ctx.states[2].copy())

        @staticmethod
        def backward(ctx, grad):
            sim, q = ctx.sim, ctx.states
            g = sim.adjoint(q, sim.to_tangent(q[2], grad.numpy()).reshape(1, -1), ctx.force)
            return (None, torch.from_numpy(sim.to_coordinates(q[0], g["start"][0])), torch.from_numpy(sim.to_coordinates(q[1], g["start"][1])),
                    torch.from_numpy(g["force"][0].copy()))

    class _NcpStep(torch.autograd.Function):
        @staticmethod
        def forward(ctx, world, state, load, mu):
            ctx.state = state.detach().numpy().copy()
            ctx.next, ctx.solution = world.step(ctx.state, load.detach().numpy(), mu.detach().numpy())
            return torch.from_numpy(ctx.next.copy())

        @staticmethod
        def backward(ctx, grad):
            grad = grad.numpy()
            bar = np.array([np.concatenate([g[4:7], g[:4] @ _turn(x[:4]), g[7:]]) for g, x in zip(grad, ctx.next)])
            out = ctx.solution.vjp(bar)
            body = out["body"]
            state = np.array([np.concatenate([4*_turn(x[:4]) @ b[3:6], b[:3], b[6:12]]) for b, x in zip(body, ctx.state)])
            return None, torch.from_numpy(state), torch.from_numpy(body[:, 12:18].copy()), torch.from_numpy(out["contact"][:, 0].copy())

    def sim_step(sim, q_prev, q, force):
        """Sim.step with gradients by both states and the force; tensors of float64."""
        return _SimStep.apply(sim, q_prev, q, force)

    def ncp_step(world, state, load, mu):
        """Ncp.step with gradients by the state, the load [bodies, 6] and the friction of the contacts."""
        return _NcpStep.apply(world, state, load, mu)
