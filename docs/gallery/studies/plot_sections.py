r"""
Study of sections
=================

*A rod that is one percent thicker bends four percent less*

A force :math:`F` at the end of a cantilever bends it by :math:`w = F L^3/(3 E I)` with :math:`I = \pi d^4/64`. So its
logarithmic derivatives are 3 by the length, :math:`-4` by the diameter, :math:`-1` by Young's modulus and 1 by the
force. Derivatives of the equilibrium by the numbers that build the model give the same.
"""

import matplotlib.pyplot as plt
import numpy as np

import flexmb as fm


def build(length, diameter, youngs_modulus, force):
    """The rod with the force at its end."""
    model = fm.PlanarModel("cantilever")
    material = fm.Material(density=7850, youngs_modulus=youngs_modulus)
    section = fm.Circle(diameter=diameter)
    # the formula is that of a beam without shear
    rod = model.add_beam("rod", model.ground, (length, 0), material=material, section=section, shear=False)
    model.point_force(rod.end, (0, force), name="force")
    return model


parameters = {"length": 1.0, "diameter": 0.02, "youngs_modulus": 205e9, "force": 1.0}
found = fm.static_sensitivity(build, parameters, "rod.end.y")
relative = [found.relative["rod.end.y", name] for name in parameters]
for name, value in zip(parameters, relative, strict=True):
    print(f"by {name}: {value:+.6f}")
assert np.allclose(relative, [3.0, -4.0, -1.0, 1.0], atol=1e-5)

figure, ax = plt.subplots(layout="constrained", figsize=(6.4, 3.2))
ax.barh(["length", "diameter", "Young's modulus", "force"], relative)
ax.axvline(0.0, color="0.4", linewidth=0.8)
ax.set(xlabel="percent more deflection for one percent more")
ax.invert_yaxis()

# sphinx_gallery_thumbnail_number = 2

# %%
# The rod under its force, colored by its stress:

fm.equilibrium(build(**parameters)).solution.view(color="stress", magnify=20)
