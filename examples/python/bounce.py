"""The throw whose second bounce is on a mark: Newton's method through the impacts of dc_ncp.h."""
import numpy as np

import dc

world = dc.Ncp([(0.5, np.full(3, 0.4*0.5*0.1**2))], [("sphere", 0.1), ("halfspace", (0, 0, 1), 0.0)], [(0, 0, -1, 1, 0.6, 0.7)], h=1/200)
mark, steps = np.array([2.0, 0.5]), 280


def throw(velocity):
    """Where the ball is on the floor plan at the end, and the derivatives of that by the velocity it was thrown with."""
    state = np.zeros((1, 13))
    state[0, 0], state[0, 6], state[0, 7:9] = 1, 1.5, velocity
    solved = []
    for k in range(steps):
        state, solution = world.step(state)
        solved.append(solution)
    jacobian = np.empty((2, 2))
    for i in range(2):
        bar = np.zeros((1, 12))
        bar[0, i] = 1
        for solution in reversed(solved):
            bar = solution.vjp(bar)["body"][:, :12]     # by pose, v and w before the step
        jacobian[i] = bar[0, 6:8]
    return state[0, 4:6], jacobian


velocity = np.array([1.0, 0.1])
for k in range(20):
    place, jacobian = throw(velocity)
    print(f"thrown with {velocity}: at {place}")
    if abs(place - mark).max() < 1e-8:
        break
    velocity -= np.linalg.solve(jacobian, place - mark)
assert abs(place - mark).max() < 1e-8
