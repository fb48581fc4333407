r"""
Rolling disk
============

*A disk that leans rolls round in a circle*

A thin disk of radius :math:`r` rolls at the angle :math:`\theta` to the ground, and goes round at the rate
:math:`\Omega`. It keeps doing so if its turning about its own axis, :math:`\omega_3`, meets

.. math:: \tfrac32 r\,\omega_3 \Omega \sin\theta - \tfrac14 r\,\Omega^2 \sin\theta \cos\theta + g \cos\theta = 0 ,

and its center goes round at the distance :math:`r\,|\omega_3|/\Omega` (Neĭmark and Fufaev 1972, chapter III).
"""

import numpy as np

import flexmb as fm

R, G, LEAN, RATE = 0.5, 9.81, np.deg2rad(60.0), 3.0
s, c = np.sin(LEAN), np.cos(LEAN)
spin = (0.25 * R * RATE**2 * s * c - G * c) / (1.5 * R * RATE * s)

model = fm.SpatialModel("disk", gravity=(0, 0, -G))
turned = fm.rotation_vector((0.5 * np.pi - LEAN, 0, 0))
shape = fm.Cylinder(diameter=2.0 * R, length=0.02, axis="y")
inertia = 0.25 * R**2 * np.array([1.0, 2.0, 1.0])
disk = model.add_body("disk", mass=1.0, inertia=inertia, shape=shape, position=(0, 0, R * s), orientation=turned)
down, axis = np.array([0.0, c, -s]), np.array([0.0, s, c])
omega = -RATE * s * down + spin * axis
disk.move(-R * np.cross(omega, down), omega)
model.rolling_wheel(model.ground, disk.frame, R, name="road")
solution = fm.simulate(model, 2.0 * np.pi / RATE, "dop853", tolerance=1e-9)

center = np.array([0.0, -R * np.abs(spin) / RATE])
distance = np.hypot(*(solution["disk"].position[:, :2] - center).T)
print(f"circle of {distance.mean():.6f} m, theory {R * np.abs(spin) / RATE:.6f} m")
assert np.allclose(distance, R * np.abs(spin) / RATE, atol=1e-6)
assert np.ptp(solution["disk.z"]) < 1e-6

solution.view(trails=["disk"], ghosts=np.linspace(0.0, 1.6, 5), camera=(1.0, -1.8, 1.0), forces=False)
