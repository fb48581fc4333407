r"""
Inverted pendulum
=================

*A cart brings a rod upright that leans by 25 degrees*

A rod with a mass at its end stands on a cart. Without control it falls as :math:`e^{st}` with
:math:`s^2 = (M + m)\,g/(M \ell)`. A controller that reads place, angle and their rates every 5 ms pushes the cart, by
gains that are optimal for the linear model. They bring the nonlinear mechanism upright, too.
"""

import numpy as np

import flexmb as fm

M, MASS, LENGTH, G, PERIOD = 1.0, 0.3, 0.5, 9.81, 5e-3


def build(lean=0.0):
    """The cart, the rod on it, what is commanded and what is read."""
    model = fm.PlanarModel("cart and rod", gravity=(0, -G))
    cart = model.add_body("cart", mass=M, inertia=0.1)
    for k, corner in enumerate(((-0.1, -0.06), (0.1, -0.06), (0.1, 0.0), (-0.1, 0.0))):
        cart.attach(f"corner {k}", corner)  # pictures show the hull of a body's frames
    model.prismatic(model.ground, cart.frame, name="rail")
    top = LENGTH * np.array([-np.sin(lean), np.cos(lean)])
    rod = model.add_body("rod", mass=MASS, inertia=1e-9, position=top, angle=lean)
    model.revolute(cart.frame, rod.attach("foot", (0, -LENGTH)), name="hinge")
    push = model.point_force(cart.frame, (1, 0), factor=0.0, name="push")
    angle, rate = fm.control.RelativeAngle(model.ground, rod.frame), fm.control.RelativeRate(model.ground, rod.frame)
    start = model.ground.attach("start", (-2.0, 0.0))
    place, speed = fm.control.RangeFinder(start, cart.frame), fm.control.RangeRate(start, cart.frame)
    return model, push, [place, angle, speed, rate]


model, push, readings = build()
plant = fm.linearize(model, push, readings)
falls = np.sqrt((M + MASS) * G / (M * LENGTH))
print(f"falls with {plant.poles.real.max():.6f} 1/s, theory {falls:.6f} 1/s")
assert abs(plant.poles.real.max() / falls - 1.0) < 1e-6

best = fm.control.lqr(plant, Q=plant.C.T @ np.diag([10.0, 1.0, 1.0, 0.1]) @ plant.C, R=0.1)
gain = -best.K @ np.linalg.inv(plant.C)
model, push, readings = build(np.deg2rad(25.0))
wanted = fm.control.Reference(2.0)
law = np.hstack([gain, -gain[:, :1]])
model.add_controller("balance", period=PERIOD, sensors=[*readings, wanted], commands=push, law=law)
solution = fm.simulate(model, 4.0)
print(f"after 4 s the rod leans by {np.degrees(solution['rod.angle'][-1]):.3f}°")
assert abs(solution["rod.angle"][-1]) < 5e-3 and abs(solution["cart.x"][-1]) < 2e-2

solution.at(np.linspace(0.0, 2.5, 126)).animate("upright.gif", fps=12)
