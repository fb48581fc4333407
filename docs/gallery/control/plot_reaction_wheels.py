r"""
Reaction wheels
===============

*A satellite turns by what it gives to its wheels*

Three wheels turn a satellite by 120 degrees about an oblique axis. No torque acts from outside, so that the whole
momentum stays zero: about each axis of the body :math:`I\omega + J(\omega + \Omega) = 0`, with the wheel's own inertia
:math:`J` and its speed :math:`\Omega`. When the satellite rests again, the wheels do so too.
"""

import matplotlib.pyplot as plt
import numpy as np

import flexmb as fm

INERTIA, WHEEL, STIFF, DAMPED = np.array([100.0, 80.0, 120.0]), 0.05, 0.04, 0.4
START = np.deg2rad(120.0) * np.array([2.0, -3.0, 6.0]) / 7.0
model = fm.SpatialModel("satellite")
box = fm.Box((1.0, 1.4, 0.8))
hull = model.add_body("hull", mass=500.0, inertia=INERTIA, shape=box, orientation=fm.rotation_vector(START))
for axis in "xyz":
    model.add_wheel(f"wheel {axis}", hull.frame, inertia=WHEEL, axis=axis, torque=0.0)
read = [fm.control.AttitudeError(hull.frame, axis) for axis in "xyz"]
read += [fm.control.Gyro(hull.frame, axis) for axis in "xyz"]
gain = np.hstack([np.diag(STIFF * INERTIA), np.diag(DAMPED * INERTIA)])
wheels = [f"wheel {axis}" for axis in "xyz"]
model.add_controller("attitude", period=0.2, sensors=read, commands=wheels, law=gain)
solution = fm.simulate(model, 60.0, "rkf45", step=0.1)

own = solution["hull"].orientation.inv().apply(solution["hull"].angular_velocity)
speeds = np.column_stack([solution[f"{wheel}.rotor rate"] for wheel in wheels])
momentum = INERTIA * own + WHEEL * (own + speeds)
left = np.linalg.norm(solution["hull"].rotation_vector[-1])
print(f"fastest wheel {np.abs(speeds).max():.0f} rad/s; whole momentum at most {np.abs(momentum).max():.0e} Nms")
print(f"turned from {np.degrees(np.linalg.norm(START)):.0f}° to {np.degrees(left):.3f}°")
assert np.abs(speeds).max() > 100.0 and np.abs(momentum).max() < 1e-6 and left < 0.01

figure, ax = plt.subplots(layout="constrained")
for wheel, values in zip(wheels, speeds.T, strict=True):
    ax.plot(solution.t, values, label=wheel)
ax.set(xlabel="t [s]", ylabel="speed [rad/s]")
ax.legend(frameon=False)

# sphinx_gallery_thumbnail_number = 2

# %%
# The satellite as it turns:

solution.view(forces=False)
