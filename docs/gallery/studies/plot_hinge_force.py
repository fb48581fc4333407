r"""
Study of a hinge force
======================

*A soft pendulum may pull harder at its hinge than a rigid one*

A rod of mass :math:`m` with a bob :math:`M` at its end is released level. If it is rigid, energy gives the force in the
hinge as it goes through the lowest place,

.. math:: F = (m + M)\,g + \frac{2 g\,(M + m/2)^2}{M + m/3} ,

for any length. A study over diameters shows where a soft rod, which lags and then catches up, pulls harder.
"""

import matplotlib.pyplot as plt
import numpy as np

import flexmb as fm
from flexmb.examples.pendulum_study import build, swing

runs = fm.grid(diameter=np.geomspace(0.014, 0.11, 9), length=[0.7, 1.0])
study = fm.study(swing, runs, workers=0, progress=False)

G, BOB, LENGTH = 9.81, 0.05, study["length"]
rod = 1100.0 * 0.25 * np.pi * study["diameter"] ** 2 * LENGTH
rigid = (rod + BOB) * G + 2.0 * G * (BOB + 0.5 * rod) ** 2 / (BOB + rod / 3.0)
ratio = study["hinge force"] / rigid
print("thickest rods:", ratio[study["diameter"] > 0.1].round(4), "softest:", ratio[study["diameter"] < 0.015].round(4))
assert np.allclose(ratio[study["diameter"] > 0.1], 1.0, atol=0.01)

figure, ax = plt.subplots(layout="constrained")
for length in (0.7, 1.0):
    rows = study["length"] == length
    ax.semilogx(1e3 * study["diameter"][rows], ratio[rows], "o-", label=f"{length} m long")
ax.axhline(1.0, color="0.6", linewidth=0.8, linestyle=":")
ax.set(xlabel="diameter [mm]", ylabel="largest force in the hinge / that of a rigid rod")
ax.minorticks_off()
ax.set_xticks([15, 20, 30, 50, 100], labels=["15", "20", "30", "50", "100"])
ax.legend(frameon=False)

# sphinx_gallery_thumbnail_number = 2

# %%
# The softest of the long rods as it goes through the lowest place, colored by its bending moment:

softest = fm.simulate(build(diameter=0.014, length=1.0), 0.6, progress=False)
softest.view(color="bending_moment", ghosts=[0.0, 0.15, 0.3], forces=False)
