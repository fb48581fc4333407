r"""
Best spring by derivatives
==========================

*The derivative of a run leads to the spring that brings a mass home in a second*

A mass is pushed away on a spring. With :math:`k = \pi^2 m` it is back at its start after one second. Newton's method
finds this stiffness from the place at the end of a run and its derivative, in five runs.
"""

import matplotlib.pyplot as plt
import numpy as np

import flexmb as fm


def build(stiffness):
    """A mass of 1 kg on a guide, with a speed of 1 m/s."""
    model = fm.PlanarModel("oscillator")
    body = model.add_body("body", mass=1.0, inertia=1.0)
    model.prismatic(model.ground, body.frame)
    model.bushing(model.ground, body.frame, stiffness=(stiffness, 0, 0))
    body.move((1.0, 0.0))
    return model


tried = [6.0]
for _ in range(5):
    found = fm.sensitivity(build, {"stiffness": tried[-1]}, 1.0, final="body.x", step=5e-4)
    tried.append(tried[-1] - found.values[0] / found["body.x", "stiffness"])
print("stiffness:", np.round(tried, 5), "theory:", round(np.pi**2, 5))
assert abs(tried[-1] / np.pi**2 - 1.0) < 1e-5

figure, ax = plt.subplots(layout="constrained")
for stiffness in tried[:4]:
    run = fm.simulate(build(stiffness), 1.0, step=5e-3, progress=False)
    ax.plot(run.t, run["body.x"], label=f"{stiffness:.3f} N/m")
ax.axhline(0.0, color="0.6", linewidth=0.8)
ax.set(xlabel="t [s]", ylabel="place [m]")
ax.legend(frameon=False)

# sphinx_gallery_thumbnail_number = 2

# %%
# The run with the last of these springs brings the mass back to where it started:

fm.simulate(build(tried[-1]), 1.0, step=5e-3, progress=False).view(ghosts=[0.0, 0.5], trails=["body"])
