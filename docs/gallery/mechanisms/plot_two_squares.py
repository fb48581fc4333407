r"""
Ledger of energy
================

*What two plates on a spring have lost, their damper has taken*

Two hinged plates hang on a spring, and a damper takes their energy. The ledger of the run holds what they had: motion,
height, spring and what was lost add up to what was there at the start.
"""

import matplotlib.pyplot as plt
import numpy as np

import flexmb as fm
from flexmb.examples.two_squares import build

solution = fm.simulate(build(), 30.0, "dop853", tolerance=1e-8)
energy = solution.energy
total = energy.kinetic + energy.potential + energy.strain + energy.dissipated
print(f"the sum changes by {np.ptp(total):.1e} J, {energy.dissipated[-1]:.1f} J are lost")
assert np.ptp(total) < 1e-2

figure, ax = plt.subplots(layout="constrained")
for label in ("kinetic", "potential", "strain", "dissipated"):
    ax.plot(solution.t, getattr(energy, label), label=label)
ax.plot(solution.t, total, color="0.4", linestyle=":", label="sum")
ax.set(xlabel="t [s]", ylabel="energy [J]")
ax.legend(frameon=False, ncols=3)

# sphinx_gallery_thumbnail_number = 2

# %%
# The mechanism as it moves:

solution.view(forces=False)
