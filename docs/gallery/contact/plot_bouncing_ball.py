r"""
Bouncing ball
=============

*A fast impact gives back less of its speed than a slow one*

A contact takes energy by the law of Hunt and Crossley (1975), with the damping :math:`d`. Impact speed :math:`v` and
rebound speed :math:`u` then go with

.. math:: d v - \ln(1 + d v) = -d u - \ln(1 - d u),

whatever mass and stiffness are, if the weight does not count during the touch. So the restitution :math:`u/v` of a ball
that bounces grows from bounce to bounce.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import brentq

import flexmb as fm

G, HEIGHT, DAMPING, RADIUS = 9.81, 0.5, 0.3, 0.02
steel = fm.Material(density=7850, youngs_modulus=210e9)
law = {"stiffness": fm.hertz(steel, steel, RADIUS), "damping": DAMPING}
model = fm.SpatialModel("bouncing ball", gravity=(0, 0, -G))
ball = model.add_body("ball", shape=fm.Sphere(radius=RADIUS), density=7850, position=(0, 0, HEIGHT + RADIUS))
model.contact(model.ground, ball.frame, fm.HalfSpace("z"), fm.Sphere(radius=RADIUS), name="floor", **law)
solution = fm.simulate(model, 2.5, "dop853", tolerance=1e-9)

# speeds of the free flights follow from their energy
t = np.linspace(0.0, 2.5, 5001)
dense = solution.at(t)
height, speed = dense["ball.z"] - RADIUS, dense["ball.vz"]
energy = 0.5 * speed**2 + G * height
flying = np.flatnonzero(height > 0.01)
flights = np.split(energy[flying], np.flatnonzero(np.diff(flying) > 1) + 1)
found = np.sqrt([2.0 * np.median(flight) for flight in flights])


def rebound(v):
    """The speed of the rebound by theory."""
    dv = DAMPING * v
    return brentq(lambda x: dv - np.log1p(dv) + x + np.log1p(-x), 1e-12, 1.0 - 1e-12) / DAMPING


theory = [np.sqrt(2.0 * G * HEIGHT)]
while len(theory) < len(found):
    theory.append(rebound(theory[-1]))
print("speeds [m/s]:", found.round(5))
print("theory [m/s]:", np.round(theory, 5))
assert len(found) >= 4 and np.allclose(found, theory, atol=1e-3)

figure, ax = plt.subplots(layout="constrained")
ax.plot(t, 1e3 * height)
for v in theory[1:]:
    ax.axhline(1e3 * v**2 / (2.0 * G), color="0.6", linewidth=0.8, linestyle=":")
ax.set(xlabel="t [s]", ylabel="height [mm], and by theory (dotted)", xlim=(0.0, 2.5))

# sphinx_gallery_thumbnail_number = 2

# %%
# The first flight:

solution.view(ghosts=[0.0, 0.1, 0.2, 0.28], trails=["ball"])
