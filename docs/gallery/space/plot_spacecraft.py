r"""
Spacecraft in orbit
===================

*A flexible spacecraft turns in orbit by its wheels*

A hull with a boom of 20 m and two panels flies around the earth. Gravity is a field of the model: its origin falls
along the orbit, and each part feels how much the attraction at its place differs from that at the origin. A law that
is sampled four times a second turns the craft by 30°, a jet pushes it for five seconds, and then its sun sets.
Assumed modes, made by other means than flexmb, tell where it is after 300 s.
"""

import matplotlib.pyplot as plt
import numpy as np

import flexmb as fm
from flexmb.examples.spacecraft import SUN, T_END, build, slew, tip

solution = fm.simulate(build(4, 3), T_END, tolerance=1e-6, times=np.linspace(0.0, T_END, 601))
hull, bent = solution["hull"], tip(solution)
print("hull from the origin in orbit [m]:", hull.position[-1].round(6))
assert np.allclose(hull.position[-1], (-1.195249392, 2.763722408, 0.299024882), atol=2e-6)

figure, (top, bottom) = plt.subplots(2, sharex=True, layout="constrained")
top.plot(solution.t, np.degrees(hull.orientation.magnitude()))
for letter, values in zip("yz", 1e3 * bent.T):
    bottom.plot(solution.t, values, label=letter)
top.set(ylabel="turned by [°]")
bottom.set(xlabel="t [s]", ylabel="tip of the boom [mm]")
bottom.legend(frameon=False)

# sphinx_gallery_thumbnail_number = 3

# %%
# Where it flies, and when its sun sets. The jet lifts it: half the axis of the orbit grows by 39 m.

orbit = fm.spatial.orbit(solution, sun=SUN)
sets = solution.t[orbit.light < 0.5][0]
print(
    f"the sun sets after {sets:.1f} s; half the axis grows by {orbit.elements.axis[-1] - orbit.elements.axis[0]:.1f} m"
)
assert abs(sets - 215.3) < 0.6
orbit.plot()

# %%
# The craft, its deformations 100 times as large, with the axes of its orbit: outwards red, along the flight green,
# along the normal blue, and to the sun gold, as long as it shines.

solution.view(orbit=orbit, magnify=100.0, camera=(1.7, -1.3, 0.8))

# %%
# A quicker slew, in 15 s, as it is and shaped by ZVD for the boom's own frequency. What the boom swings by at that
# frequency is told apart from the slow turning of the craft by the poles of its loop.

runs, poles = slew.slews()
left = {name: slew.swing(run, poles) for name, run in runs.items()}
print(", ".join(f"{name}: {1e3 * amplitude:.1f} mm" for name, amplitude in left.items()))
assert left["shaped by ZVD"] < 0.05 * left["plain"]
figure, ax = plt.subplots(layout="constrained")
for name, run in runs.items():
    ax.plot(run.t, 1e3 * tip(run)[:, 0], label=name)
ax.set(xlabel="t [s]", ylabel="tip of the boom [mm]")
ax.legend(frameon=False)
