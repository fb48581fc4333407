r"""
Deployment
==========

*Latches take energy from a satellite that unfolds, and no momentum*

Springs unfold two wings of three panels. Six latches close, one after the other, each when its hinge is straight. Each
time speeds jump and energy is lost. But all forces are the satellite's own, so that its momentum and its moment of
momentum stay what they were.
"""

import numpy as np

import flexmb as fm
from flexmb.examples.deployment import build, momenta

solution = fm.simulate(build(), 6.2, tolerance=1e-4)
for event in solution.events:
    print(f"{event.name} at {event.t:.3f} s: {event.lost:.3f} J are lost")
momentum = momenta(solution)
print(f"moment of momentum {np.linalg.norm(momentum[0, 3:]):.3f} Nms, changes by {np.ptp(momentum, axis=0).max():.0e}")
assert len(solution.events) == 6 and all(event.lost > 0.0 for event in solution.events)
assert np.ptp(momentum, axis=0).max() < 1e-4

solution.view(camera=(1.2, -2.2, 1.1), up=(0, 0, 1), ghosts=[0.0], forces=False)
