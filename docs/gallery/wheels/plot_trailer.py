r"""
Trailer
=======

*The axle of a trailer draws a tractrix*

A car pulls the hitch of a trailer along a line with the speed :math:`V`. Its wheels do not slip sideways, so that the
angle :math:`\theta` of the drawbar of length :math:`L` to the line falls as
:math:`\tan\tfrac12\theta = \tan\tfrac12\theta_0\; e^{-V t/L}`, whatever the trailer weighs.
"""

import matplotlib.pyplot as plt
import numpy as np

import flexmb as fm

V, L, START = 1.5, 2.0, np.deg2rad(140.0)
model = fm.PlanarModel("trailer")
place = -L * np.array([np.cos(START), np.sin(START)])
trailer = model.add_body("trailer", mass=500.0, inertia=300.0, center=(0.8, 0.0), position=place, angle=START)
hitch = trailer.attach("hitch", (L, 0.0))
model.knife_edge(model.ground, trailer.frame, name="wheels")
model.drive_position(model.ground, hitch, fm.Polynomial([0.0, V]), name="car")
model.lock(model.ground, hitch, "y", name="line")
solution = fm.simulate(model, 6.0, tolerance=1e-8)

theta = 2.0 * np.arctan(np.tan(0.5 * START) * np.exp(-V * solution.t / L))
off = np.abs(solution["trailer.angle"] - theta).max()
print(f"from {np.degrees(START):.0f}° to {np.degrees(theta[-1]):.2f}°; the largest error is {off:.0e} rad")
assert off < 1e-6

figure, ax = plt.subplots(layout="constrained", figsize=(6.4, 3.2))
axle, car = solution["trailer"].position, solution["trailer.hitch"].position
ax.plot(*axle.T, label="axle")
ax.plot(*car.T, label="hitch")
for t in np.linspace(0.0, 6.0, 9):
    k = np.argmin(np.abs(solution.t - t))
    ax.plot(*np.transpose([axle[k], car[k]]), "o-", color="0.6", linewidth=1.0, markersize=3, zorder=0)
ax.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
ax.legend(frameon=False)

# sphinx_gallery_thumbnail_number = 2

# %%
# The trailer as it swings round behind its car:

solution.view(trails=["trailer"], ghosts=[0.0, 1.0, 2.0], forces=False)
