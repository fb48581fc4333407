r"""
Humanoid
========

*A shoved robot bends so that its mass center stays*

A small humanoid robot is shoved from behind at its right shoulder. Its upper body turns and bends, and its ankles
follow the hips at the ratio :math:`n_{11}/n_{31}` of rates at which the momentum along :math:`x` stays zero: the mass
center hardly moves, and the zero-moment point stays on the soles. With soft springs in its joints alone it falls.
"""

import numpy as np

from flexmb.examples import humanoid

shove = "from behind"
kept = humanoid.shoved(humanoid.bending, shove, 0.8)
lost = humanoid.shoved(humanoid.yielding, shove, 0.8)
for name, run in (("with its control", kept), ("with soft joints alone", lost)):
    print(f"{name}: the mass center moves by {1e3 * np.ptp(run.whole.center_of_mass[:, 0]):.0f} mm, {run.status}")
print(f"the zero-moment point stays {1e3 * np.nanmin(kept.support().margin):.1f} mm inside")
momentum = kept.whole.angular_momentum
pushed = (kept.t > 0.2) & (kept.t < 0.3)
assert np.all(momentum[pushed, 1] > 0.0) and np.all(momentum[pushed, 2] > 0.0)  # in phase
assert np.ptp(kept.whole.center_of_mass[:, 0]) < 0.012 and np.nanmin(kept.support().margin) > 0.005
assert lost.status == "stopped"

kept.view(camera=(0.62, -0.72, 0.42), up=(0.0, 0.0, 1.0))
