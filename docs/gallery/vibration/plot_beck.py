r"""
Beck's column
=============

*A force that follows its column makes two frequencies one*

A force :math:`P` that stays tangential to the end of a cantilever never buckles it. But its two lowest frequencies
approach each other, and where they meet, at :math:`P L^2/EI = 20.05`, the column begins to flutter (Beck 1952).
"""

import matplotlib.pyplot as plt
import numpy as np

import flexmb as fm

FLUTTER = 20.05


def modes(load):
    """The two slowest motions of a column with length, bending stiffness and mass 1."""
    model = fm.PlanarModel("column")
    one = fm.planar.BeamProperties(EA=1e6, EI=1.0, rhoA=1.0, rhoI=1e-9)
    beam = model.add_beam("column", model.ground, (1, 0), properties=one, elements=4, modes=2)
    model.point_force(beam.end, (-load, 0.0), axes="body", name="thrust")
    return fm.complex_modes(fm.equilibrium(model, stable=False), 2, dense=True)


for load, flutters in ((FLUTTER - 0.01, False), (FLUTTER + 0.01, True)):
    grows = modes(load).eigenvalues.real.max()
    print(f"at {load} the fastest growth is {grows:.3f}")
    assert (grows > 1e-3) == flutters

figure, (top, bottom) = plt.subplots(2, sharex=True, layout="constrained")
loads = np.sort([*np.linspace(0.0, 25.0, 26), *np.linspace(19.5, 20.5, 21)])
for load in loads:
    values = modes(load).eigenvalues
    top.plot([load] * len(values), np.abs(values.imag), ".", color="C0")
    bottom.plot([load] * len(values), values.real, ".", color="C1")
for ax in (top, bottom):
    ax.axvline(FLUTTER, color="0.6", linewidth=0.8, linestyle=":")
top.set(ylabel=r"$\omega\,L^2\sqrt{\rho A/EI}$")
bottom.set(xlabel="$P L^2/EI$", ylabel="growth, in the same unit")

# sphinx_gallery_thumbnail_number = 2

# %%
# The motion that grows under a force beyond that of flutter:

modes(FLUTTER + 1.0).view(0)
