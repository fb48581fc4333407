r"""
Stick and slip
==============

*A block on a belt sticks and slips in a period that two forces decide*

A belt of speed :math:`V` carries a block until its spring :math:`k` pulls with the static friction :math:`\mu_S N`.
Then it slips against :math:`\mu_C N` with :math:`\omega = \sqrt{k/m}`, until its speed is that of the belt again. With
:math:`a = (\mu_S - \mu_C) N/k` the cycle takes

.. math:: T = \frac{2 a}{V} + \frac{2}{\omega} \left(\pi - \arctan\frac{a\,\omega}{V}\right).
"""

import matplotlib.pyplot as plt
import numpy as np

import flexmb as fm

MASS, G, STIFFNESS, SPEED, STATIC, SLIDING = 1.0, 9.81, 100.0, 0.2, 0.5, 0.3
model = fm.PlanarModel("block and belt", gravity=(0, -G))
belt = model.add_body("belt", mass=1.0, inertia=0.1)
block = model.add_body("block", mass=MASS, inertia=0.1)
model.prismatic(model.ground, belt.frame, name="rollers")
model.drive_position(model.ground, belt.frame, fm.Polynomial([0.0, SPEED]), name="drive")
# friction falls from static to sliding within a millionth of the belt's speed
friction = fm.JointFriction(SLIDING, static=STATIC, stribeck_speed=1e-6 * SPEED, smoothing=0.0, length=0.2)
model.prismatic(belt.frame, block.frame, friction=friction, name="contact")
wall = model.ground.attach("wall", (-1.0, 0.0))
model.spring_damper(wall, block.frame, stiffness=STIFFNESS, free_length=1.0)
for body in (belt, block):
    body.move((SPEED, 0.0))
solution = fm.simulate(model, 6.0, "dop853", tolerance=1e-8)

slips = [event.t for event in solution.events if event.name == "contact" and "slides" in " ".join(event.done)]
a, omega = (STATIC - SLIDING) * MASS * G / STIFFNESS, np.sqrt(STIFFNESS / MASS)
theory = 2.0 * a / SPEED + 2.0 / omega * (np.pi - np.arctan(a * omega / SPEED))
print("periods [s]:", np.diff(slips).round(5), "theory:", theory.round(5))
assert np.allclose(np.diff(slips), theory, rtol=1e-4)

figure, ax = plt.subplots(layout="constrained")
fine = solution.at(np.linspace(1.0, 6.0, 2001))
ax.plot(fine["block.x"], fine["block.vx"])
ax.axhline(SPEED, color="0.6", linewidth=0.8, linestyle=":")
ax.set(xlabel="place of the block [m]", ylabel="speed of the block [m/s], of the belt (dotted)")

# sphinx_gallery_thumbnail_number = 2

# %%
# The block on its belt, held by the spring:

solution.view(forces=False)
