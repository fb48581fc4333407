r"""
Cantilever
==========

*A cantilever vibrates as Euler and Bernoulli say*

The bending frequencies of a clamped beam are :math:`\beta_k^2 \sqrt{EI/\mu L^4}` with
:math:`\cos\beta_k \cosh\beta_k = -1`.
"""

import matplotlib.pyplot as plt
import numpy as np

import flexmb as fm

L, E, RHO, WIDTH, HEIGHT = 1.0, 70e9, 2700.0, 0.02, 0.005
model = fm.PlanarModel("cantilever")
section = fm.Rectangle(width=WIDTH, height=HEIGHT)
beam = model.add_beam(
    "beam", (0, 0), (L, 0), material=fm.Material(density=RHO, youngs_modulus=E), section=section, elements=6, modes=3
)
model.weld(model.ground, beam.start)
found = np.sort(fm.modes(model).frequencies)[:3]

beta = np.array([1.875104, 4.694091, 7.854757])
omega = beta**2 * np.sqrt(E * HEIGHT**2 / (12.0 * RHO * L**4))
theory = omega / (2.0 * np.pi)
print("computed [Hz]:", found.round(3))
print("theory [Hz]:  ", theory.round(3))
assert np.allclose(found, theory, rtol=1e-3)

figure, ax = plt.subplots(layout="constrained")
ax.plot([1, 2, 3], theory, "o", fillstyle="none", markersize=10, label="theory")
ax.plot([1, 2, 3], found, "+", markersize=10, label="computed")
ax.set(xlabel="mode", ylabel="frequency [Hz]", xticks=[1, 2, 3])
ax.legend(frameon=False)

# sphinx_gallery_thumbnail_number = 2

# %%
# The third mode, colored by how far each section swings:

fm.modes(model).view(2, color="displacement")
