r"""
Princeton beam
==============

*A strip under a skew force bends in both planes, and twists*

A strip of 508 mm that is 15 times as stiff in one plane as in the other carries 13.345 N on its end, at angles from
along its stiff side to along its soft side. Bent far in the soft plane, it twists and gives way in the stiff one too.
Four geometrically exact elements, against an exact rod by shooting.
"""

import matplotlib.pyplot as plt
import numpy as np

import flexmb as fm

LENGTH, FORCE = 0.508, 13.345
strip = fm.spatial.BeamProperties(
    EA=2.84191e6, EIy=36.2794, EIz=2.42873, GJ=3.10338, rhoA=1.0, rhoIp=1e-4, GAy=6.40131e5, GAz=9.03881e5
)


def bent(angle, elements=4):
    model = fm.SpatialModel("strip")
    beam = model.add_beam(
        "beam", model.ground, (LENGTH, 0, 0), properties=strip, theory="exact", elements=elements, y_axis="y"
    )
    model.point_force(beam.end, (0.0, FORCE * np.sin(angle), FORCE * np.cos(angle)))
    return fm.equilibrium(model)


def moved(angle):
    return bent(angle)["beam.end"].position - [LENGTH, 0.0, 0.0]


exact = {
    30: (-0.0171638261, 0.1179039223, 0.0167780537),
    45: (-0.0303617829, 0.1565898721, 0.0153423485),
    60: (-0.0412072363, 0.1819234400, 0.0117164962),
}
for angle, known in exact.items():
    off = np.linalg.norm(moved(np.radians(angle)) - known) / LENGTH
    print(f"{angle}°: off by {off:.1e} of the length")
    assert off < 3e-5

angles = np.linspace(0.0, 90.0, 19)
places = 1e3 * np.array([moved(angle) for angle in np.radians(angles)])
figure, ax = plt.subplots(layout="constrained")
for k, label in ((1, "in the soft plane, $y$"), (2, "in the stiff plane, $z$")):
    (line,) = ax.plot(angles, places[:, k], label=label)
    ax.plot(list(exact), 1e3 * np.array(list(exact.values()))[:, k], "o", color=line.get_color())
ax.set(xlabel="angle of the force from $z$ to $y$ [°]", ylabel="displacement of the end [mm]", xticks=range(0, 91, 15))
ax.legend(frameon=False)

# sphinx_gallery_thumbnail_number = 2

# %%
# The strip under a force halfway between both planes, colored by its torque:

bent(np.pi / 4).solution.view(color="torque")
