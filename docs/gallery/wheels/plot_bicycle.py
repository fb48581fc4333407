r"""
Bicycle
=======

*A bicycle rides by itself between two speeds*

Four rigid bodies, three hinges and two wheels that roll: the benchmark of Meijaard, Papadopoulos, Ruina and Schwab
(2007). A pair of its eigenvalues is the weave, which dies out above 4.292 m/s. Another one lets the bicycle fall over
into a curve above 6.024 m/s. In between it comes upright again after a push, here at 4.6 m/s.
"""

import numpy as np

import flexmb as fm
from flexmb.examples.bicycle import build, eigenvalues

for speed, stable in ((4.29238, False), (4.29239, True), (6.02426, True), (6.02427, False)):
    fastest = eigenvalues(speed).real.max()
    print(f"at {speed} m/s the fastest growth is {fastest:+.1e} 1/s")
    assert (fastest < 0.0) == stable

# table 2 of the source
assert np.abs(eigenvalues(5.0) - (-0.77534188 + 4.46486771j)).min() < 2e-8

# %%
# The push makes it lean and steer. The energy stays, since wheels that roll do no work.

solution = fm.simulate(build(4.6, 0.5), 2.5, "dop853", tolerance=1e-8)
print(f"energy changes by {np.ptp(solution.energy.total):.1e} J of {solution.energy.total[0]:.0f} J")
assert np.ptp(solution.energy.total) < 1e-3

solution.view(camera=(0.9, -2.0, 0.55), follow="frame", forces=False)
