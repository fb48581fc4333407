r"""
A sensor of one's own
=====================

*A sensor of one's own stops a swing when its energy has gone*

A sensor of one's own is one formula: here the energy of a swing about its hinge,
:math:`E = \tfrac12 J \omega^2 + m g l (1 - \cos\theta)`. A brake acts along the hinge, and an event ends the run when
a tenth of the energy is left. What the brake does is :math:`-c\,\omega`, `hinge.effort`; so the energy falls at the
rate :math:`c\,\omega^2`.
"""

import math

import matplotlib.pyplot as plt
import numpy as np

import flexmb as fm
from flexmb.kernels import formula

G, MASS, LENGTH, INERTIA, BRAKE = 9.81, 30.0, 2.0, 4.0, 9.0


@formula
def energy(row, iq, iv, t, q, v, a):
    inertia, weight = row[0], row[1]
    return 0.5 * inertia * v[iv[2]] ** 2 + weight * (1.0 - math.cos(q[iq[2]]))


model = fm.PlanarModel("swing", gravity=(0, -G))
start = 1.0
place = (LENGTH * math.sin(start), -LENGTH * math.cos(start))
seat = model.add_body("seat", mass=MASS, inertia=INERTIA, position=place, angle=start)
hinge = model.revolute(model.ground, seat.attach("top", (0, LENGTH)), name="hinge")
model.joint_force(hinge, damping=BRAKE, name="brake")
about_hinge = INERTIA + MASS * LENGTH**2
left = fm.control.OwnSensor(energy, [seat.frame], [about_hinge, MASS * G * LENGTH], name="energy left", unit="J")
at_first = MASS * G * LENGTH * (1.0 - math.cos(start))
model.add_event(fm.crossing(left, 0.1 * at_first, "down"), fm.StopRun(), name="a tenth is left")
run = fm.simulate(model, 120.0, progress=False)
readings = left.readings(run)
print(f"a tenth of {at_first:.0f} J is left after {run.t[-1]:.2f} s")
square = run["hinge.rate"] ** 2
lost = np.concatenate([[0.0], np.cumsum(0.5 * np.diff(run.t) * (square[1:] + square[:-1]))])
assert np.allclose(run["hinge.effort"], -BRAKE * run["hinge.rate"], atol=1e-9)
total = run.energy.kinetic + run.energy.potential
assert np.allclose(readings, at_first + total - total[0], atol=1e-6)

figure, ax = plt.subplots(layout="constrained")
ax.plot(run.t, readings, label="what the sensor reads")
ax.plot(run.t, at_first - BRAKE * lost, "--", label="by the work of the brake")
ax.set(xlabel="t [s]", ylabel="energy [J]")
ax.legend(frameon=False)

# sphinx_gallery_thumbnail_number = 2

# %%
# The swing as it comes to rest:

run.view(trails=["seat"], forces=False)
