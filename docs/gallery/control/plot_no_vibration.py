r"""
Move without vibration
======================

*A move whose acceleration lasts one period leaves no vibration*

A motor turns a thin arm with a heavy tip: it accelerates for a time :math:`T_a`, goes on for :math:`T_c` and brakes for
:math:`T_a`. The tip then swings on, by a part of the deflection :math:`w_0 = m L \alpha/k` that the acceleration
:math:`\alpha` alone would cause,

.. math:: w/w_0 = 4\, |\sin \tfrac12\omega T_a\, \sin \tfrac12\omega (T_a + T_c)| .

With :math:`\omega T_a = 2\pi` it stands still at once.
"""

import matplotlib.pyplot as plt
import numpy as np

import flexmb as fm

L, M, EI, MU, ANGLE, CRUISE = 0.8, 0.5, 3.0, 0.02, 0.2, 0.4
k, m = 3.0 * EI / L**3, M + 33.0 / 140.0 * MU * L
omega = np.sqrt(k / m)
period = 2.0 * np.pi / omega


def swing(accelerate):
    """How far the tip swings after the move [m], the run, and its course."""
    model = fm.PlanarModel("arm")
    hub = model.add_body("hub", mass=1.0, inertia=0.01)
    model.revolute(model.ground, hub.frame, name="shoulder")
    move = fm.TrapezoidalSpeed(ANGLE, accelerate=accelerate, cruise=CRUISE, decelerate=accelerate)
    model.drive_angle(model.ground, hub.frame, move, name="motor")
    properties = fm.planar.BeamProperties(EA=1e5, EI=EI, rhoA=MU)
    link = model.add_beam("link", hub.frame, (L, 0), properties=properties)
    model.add_point_mass("tip", link.end, M)
    end = 2.0 * accelerate + CRUISE
    solution = fm.simulate(model, end + 1.2 * period, tolerance=1e-6, progress=False)
    w = solution.relative("link.end", to="hub").position[:, 1]
    return np.abs(w[solution.t > end]).max(), solution, w


parts = np.array([0.4, 0.7, 1.0, 1.3, 1.6, 2.0])
found = np.array([swing(part * period)[0] for part in parts])
static = m * L * ANGLE / (parts * period * (parts * period + CRUISE)) / k
theory = 4.0 * static * np.abs(np.sin(np.pi * parts) * np.sin(0.5 * omega * (parts * period + CRUISE)))
print("swing [mm]: ", (1e3 * found).round(2))
print("theory [mm]:", (1e3 * theory).round(2))
assert np.allclose(found, theory, atol=4e-4)

figure, ax = plt.subplots(layout="constrained")
for part in (0.7, 1.0):
    _, run, w = swing(part * period)
    ax.plot(run.t, 1e3 * w, label=f"accelerates for {part:g} of a period")
ax.set(xlabel="t [s]", ylabel="deflection of the tip [mm]")
ax.legend(frameon=False)

# sphinx_gallery_thumbnail_number = 2

# %%
# The arm that does not swing, with its bending larger:

run.view(color="bending_moment", magnify=5, ghosts=[0.0])
