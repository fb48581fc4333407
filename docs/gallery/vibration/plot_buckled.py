r"""
Buckled column
==============

*A column that has buckled still carries its load*

A cantilever buckles at :math:`P_0 = \tfrac14 \pi^2 EI/L^2`. Bent so far that its end leans by :math:`\alpha`, it
carries :math:`P = EI\,K(m)^2/L^2` with :math:`m = \sin^2\tfrac12\alpha`, and its end is at
:math:`y = 2 L \sqrt{m}/K(m)` beside its foot. Ten percent more load lets it lean by :math:`50^\circ`.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import ellipk

import flexmb as fm

model = fm.PlanarModel("column")
one = fm.planar.BeamProperties(EA=1e7, EI=1.0, rhoA=1.0, rhoI=1e-6)
mast = model.add_beam("mast", model.ground, (0, 1), properties=one, elements=8)
weight = model.point_force(mast.end, (0, -1), name="weight")
straight = fm.equilibrium_path(model, weight, factor=3.0)
buckling = straight.critical[0]
bent = fm.equilibrium_path(model, weight, factor=4.0, initial=buckling, steps=20)

print(f"buckles at {buckling.factor:.5f}, theory {0.25 * np.pi**2:.5f}")
assert abs(buckling.factor / (0.25 * np.pi**2) - 1.0) < 1e-4
lean = bent["mast.end.angle"] - bent["mast.start.angle"]
m = np.sin(0.5 * lean) ** 2
assert np.allclose(bent.factor, ellipk(m) ** 2, rtol=1e-3)
assert np.allclose(np.abs(bent["mast.end.x"]), 2.0 * np.sqrt(m) / ellipk(m), atol=1e-3)

figure, ax = plt.subplots(layout="constrained")
fine = np.linspace(1e-9, 0.65, 200)
ax.plot(2.0 * np.sqrt(fine) / ellipk(fine), ellipk(fine) ** 2, label="elliptic integrals")
ax.plot(np.abs(bent["mast.end.x"][::4]), bent.factor[::4], "o", label="computed")
ax.set(xlabel="end beside the foot $y/L$", ylabel="load $P L^2/EI$", ylim=(2.0, 4.2))
ax.legend(frameon=False)

# sphinx_gallery_thumbnail_number = 2

# %%
# The column as it bends under a growing weight:

bent.draw(6)
