r"""
Ball on a turning table
=======================

*A ball on a turning table goes round at two sevenths of its rate*

A uniform ball rolls on a table that turns at the rate :math:`\Omega`. Friction pulls it aside,
:math:`\ddot r = \tfrac27 \Omega\, e_z \times \dot r`: seen from the ground it goes round in a circle for ever, about a
center that is not that of the table.
"""

import numpy as np

import flexmb as fm

RATE, RADIUS, PLACE, SPEED = 3.0, 0.06, np.array([0.4, 0.0]), np.array([0.0, 0.15])
model = fm.SpatialModel("ball on a table", gravity=(0, 0, -9.81))
plate = fm.Cylinder(diameter=2.0, length=0.03, position=(0, 0, -0.015))
table = model.add_body("table", mass=5.0, inertia=(1, 1, 2), shape=plate)
ball = model.add_body("ball", shape=fm.Sphere(radius=RADIUS), density=1000, position=(*PLACE, RADIUS))
model.revolute(model.ground, table.frame, name="bearing")
model.drive_angle(model.ground, table.frame, fm.Polynomial([0.0, RATE]))
table.move(angular_velocity=(0, 0, RATE))
# what touches goes with the table
slip = SPEED - RATE * np.array([-PLACE[1], PLACE[0]])
ball.move((*SPEED, 0.0), (-slip[1] / RADIUS, slip[0] / RADIUS, 0.0))
model.rolling_sphere(table.frame, ball.frame, RADIUS, name="contact")
period = 2.0 * np.pi / (2.0 / 7.0 * RATE)
solution = fm.simulate(model, period, "dop853", tolerance=1e-8)

center = PLACE + np.array([-SPEED[1], SPEED[0]]) / (2.0 / 7.0 * RATE)
distance = np.hypot(*(solution["ball"].position[:, :2] - center).T)
home = np.hypot(*(solution["ball"].position[-1, :2] - PLACE))
print(f"after {period:.3f} s the ball is {home:.0e} m from where it was, on a circle of {distance.mean():.4f} m")
assert home < 1e-6 and np.ptp(distance) < 1e-6

solution.view(trails=["ball"], camera=(0.6, -1.5, 1.3), forces=False)
