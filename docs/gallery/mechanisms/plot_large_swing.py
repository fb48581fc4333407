r"""
Wide swing
==========

*A wide swing takes longer than a small one*

A pendulum of length :math:`L` that swings to the angle :math:`\theta_0` has the period
:math:`4 \sqrt{L/g}\, K(\sin^2 \tfrac12\theta_0)`, with the complete elliptic integral :math:`K`.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import ellipk

import flexmb as fm

L, G = 1.0, 9.81


def quarter(amplitude):
    """The first quarter of the swing of a pendulum, released at an angle to the vertical [rad]."""
    model = fm.PlanarModel("pendulum", gravity=(0, -G))
    bob = model.add_body(
        "bob", mass=1.0, inertia=1e-9, position=(L * np.sin(amplitude), -L * np.cos(amplitude)), angle=amplitude
    )
    model.revolute(model.ground, bob.attach("pivot", (0.0, L)), name="hinge")
    model.add_event(fm.crossing("bob.x", 0.0), fm.StopRun())
    return fm.simulate(model, 10.0, tolerance=1e-9)


amplitudes = np.deg2rad([10.0, 45.0, 90.0, 135.0, 170.0])
found = np.array([4.0 * quarter(a).t[-1] for a in amplitudes])
theory = 4.0 * np.sqrt(L / G) * ellipk(np.sin(0.5 * amplitudes) ** 2)
print("computed [s]:", found.round(4))
print("theory [s]:  ", theory.round(4))
assert np.allclose(found, theory, rtol=1e-5)

fine = np.linspace(0.0, np.deg2rad(175.0), 200)
figure, ax = plt.subplots(layout="constrained")
ax.plot(np.degrees(fine), 4.0 * np.sqrt(L / G) * ellipk(np.sin(0.5 * fine) ** 2), label="theory")
ax.plot(np.degrees(amplitudes), found, "o", label="computed")
ax.set(xlabel="amplitude [°]", ylabel="period [s]", ylim=(0.0, None))
ax.legend(frameon=False)

# sphinx_gallery_thumbnail_number = 2

# %%
# The first quarter of the largest swing:

quarter(amplitudes[-1]).view(trails=["bob"], ghosts=[0.0])
