r"""
Lagrange's equations
====================

*Lagrange's equations of a cart with a pendulum, beside the program*

A cart of mass :math:`M` runs on a rail and carries a pendulum, a uniform rod of mass :math:`m` and length :math:`l`.
With the place :math:`x` of the cart and the angle :math:`\theta` of the rod from the downward vertical,

.. math::

    T = \tfrac12 (M + m)\,\dot x^2 + \tfrac12 m l\,\dot x \dot\theta \cos\theta + \tfrac16 m l^2 \dot\theta^2, \qquad
    V = -\tfrac12 m g l \cos\theta,

and Lagrange's equations are

.. math::

    (M + m)\,\ddot x + \tfrac12 m l\,(\ddot\theta \cos\theta - \dot\theta^2 \sin\theta) = 0, \qquad
    \tfrac13 m l^2 \ddot\theta + \tfrac12 m l\,(\ddot x \cos\theta + g \sin\theta) = 0.

The program is told of a rail and a hinge only. As an exercise: why does the mass center of both move along a vertical?
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import solve_ivp

import flexmb as fm

M, m, l, g, START = 2.0, 1.0, 1.0, 9.81, 2.0


def lagrange(t, state):
    _, angle, speed, rate = state
    masses = [[M + m, 0.5 * m * l * np.cos(angle)], [0.5 * m * l * np.cos(angle), m * l**2 / 3.0]]
    forces = [0.5 * m * l * rate**2 * np.sin(angle), -0.5 * m * g * l * np.sin(angle)]
    return [speed, rate, *np.linalg.solve(masses, forces)]


model = fm.PlanarModel("cart and pendulum", gravity=(0, -g))
cart = model.add_body("cart", mass=M, inertia=0.1)
rod = model.add_body(
    "rod", mass=m, inertia=m * l**2 / 12.0, position=(0.5 * l * np.sin(START), -0.5 * l * np.cos(START)), angle=START
)
model.prismatic(model.ground, cart.frame, name="rail")
model.revolute(cart.frame, rod.attach("top", (0, 0.5 * l)), name="hinge")
solution = fm.simulate(model, 5.0, tolerance=1e-9)

by_hand = solve_ivp(lagrange, (0.0, 5.0), [0.0, START, 0.0, 0.0], "DOP853", t_eval=solution.t, rtol=1e-11, atol=1e-12)
apart = np.abs(by_hand.y[0] - solution["cart.x"]).max()
print(f"places of the cart differ by {apart:.0e} m at most")
assert apart < 1e-7
# answer: no force acts along the rail, so that the momentum along it stays zero
assert np.ptp(solution["whole.center_of_mass.x"]) < 1e-8

figure, ax = plt.subplots(layout="constrained")
ax.plot(solution.t, solution["cart.x"], label="program")
ax.plot(by_hand.t[::40], by_hand.y[0, ::40], "o", fillstyle="none", label="Lagrange's equations by hand")
ax.set(xlabel="t [s]", ylabel="place of the cart [m]")
ax.legend()

# sphinx_gallery_thumbnail_number = 2

# %%
# The cart and the rod:

solution.view(trails=["rod"], ghosts=[0.0])
