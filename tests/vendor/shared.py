"""dc_contact.h from Python: the layouts agree, and the distance of two boxes is right. python3 shared.py LIBRARY"""
import ctypes as c
import sys


class V3(c.Structure):
    _fields_ = [("x", c.c_double), ("y", c.c_double), ("z", c.c_double)]


class Quat(c.Structure):
    _fields_ = [("w", c.c_double), ("x", c.c_double), ("y", c.c_double), ("z", c.c_double)]


class Pose(c.Structure):
    _fields_ = [("q", Quat), ("t", V3)]


class Hull(c.Structure):
    _fields_ = [("v", c.POINTER(V3)), ("n", c.c_int), ("radius", c.c_double)]


class Arena(c.Structure):
    _fields_ = [("base", c.c_void_p), ("size", c.c_size_t), ("used", c.c_size_t)]


class Distance(c.Structure):
    _fields_ = [("gap", c.c_double), ("n", V3), ("pa", V3), ("pb", V3), ("na", c.c_int), ("nb", c.c_int),
                ("ia", c.c_int*3), ("ib", c.c_int*3), ("wa", c.c_double*3), ("wb", c.c_double*3), ("iterations", c.c_int)]


dc = c.CDLL(sys.argv[1])
mine = [c.sizeof(Pose), Pose.t.offset, c.sizeof(Hull), c.sizeof(Arena), c.sizeof(Distance), Distance.wb.offset]
theirs = list((c.c_size_t*6).in_dll(dc, "layout"))
if mine != theirs:
    sys.exit(f"layouts differ: {mine} here, {theirs} in the library")

dc.dc_arena_make.restype = Arena
memory = c.create_string_buffer(1 << 15)
arena = dc.dc_arena_make(memory, c.c_size_t(len(memory)))
corner = (V3*8)(*[V3(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
box = Hull(corner, 8, 0)
low, high = Pose(Quat(1, 0, 0, 0), V3(0, 0, 0)), Pose(Quat(1, 0, 0, 0), V3(0, 0, 2.125))
d = Distance()
status = dc.dc_hull_distance(c.byref(box), c.byref(high), c.byref(box), c.byref(low), c.byref(arena), c.byref(d))
print(f"status {status}, gap {d.gap}, normal ({d.n.x}, {d.n.y}, {d.n.z})")
sys.exit(not (status == 0 and abs(d.gap - 0.125) < 1e-12 and abs(d.n.z - 1) < 1e-12 and arena.used == 0))
