"""Distance, potential and force of two boxes: the calls of dc_contact.h as they are."""
import numpy as np

import dc

corner = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
box, low, high = dc.Hull(corner), dc.pose(), dc.pose(t=(0, 0, 2.125))
scratch, d = dc.Arena(1 << 15), dc.dc_distance()
dc.need(dc.dc_hull_distance(box.hull, high, box.hull, low, scratch.arena, d))
value, grad, hess = np.empty(1), np.empty(12), np.empty((12, 12))
dc.need(dc.dc_pair_rigid(None, box.hull, high, box.hull, low, scratch.arena, None, dc.numbers(value), dc.numbers(grad), dc.numbers(hess), None))
print(f"gap {d.gap}, normal ({d.n.x}, {d.n.y}, {d.n.z})")
print(f"potential {value[0]:.6g}, force on the upper box {-grad[2]:.6g}, stiffness {hess[2, 2]:.6g}")
assert abs(d.gap - 0.125) < 1e-12 and abs(hess - hess.T).max() == 0 and abs(grad[2] + grad[8]) < 1e-9*abs(grad[2])
