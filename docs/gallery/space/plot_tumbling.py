r"""
Tumbling body
=============

*A body that spins about its middle axis turns over, again and again*

A free body with moments of inertia :math:`A < B < C` that is spun about the middle axis, with a little of the others,
turns over. Euler's equations give its speeds as elliptic functions. Between two reversals of the middle speed lies
:math:`2 K(m)/p`, where, with :math:`T = \tfrac12 \omega^T I \omega` and :math:`H = |I \omega|` and for
:math:`H^2 > 2 T B`,

.. math:: p^2 = \frac{(C - B)(H^2 - 2 T A)}{A B C}, \qquad m = \frac{(B - A)(2 T C - H^2)}{(C - B)(H^2 - 2 T A)}.

(Landau and Lifshitz 1976, §37.)
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import ellipk

import flexmb as fm

A, B, C = 1.0, 2.0, 3.0
START = np.array([0.0, 2.0, 0.1])

model = fm.SpatialModel("free body")
body = model.add_body("body", mass=1.0, inertia=(A, B, C))
body.move(angular_velocity=tuple(START))
solution = fm.simulate(model, 30.0, tolerance=1e-9).at(np.linspace(0.0, 30.0, 6001))
orientation = solution["body"].orientation
omega = orientation.inv().apply(solution["body"].angular_velocity)

middle = omega[:, 1]
turns = np.flatnonzero(middle[:-1] * middle[1:] < 0.0)
crossings = solution.t[turns] - middle[turns] * np.diff(solution.t)[turns] / np.diff(middle)[turns]
twice_T, H2 = START**2 @ [A, B, C], START**2 @ [A**2, B**2, C**2]
p = np.sqrt((C - B) * (H2 - twice_T * A) / (A * B * C))
m = (B - A) * (twice_T * C - H2) / ((C - B) * (H2 - twice_T * A))
theory = 2.0 * ellipk(m) / p
print("between reversals [s]:", np.diff(crossings).round(4), "theory:", theory.round(4))
assert np.allclose(np.diff(crossings), theory, rtol=1e-4)

figure, ax = plt.subplots(layout="constrained")
for k, label in enumerate(("least inertia", "middle", "largest")):
    ax.plot(solution.t, omega[:, k], label=label)
ax.set(xlabel="t [s]", ylabel="angular velocity [rad/s]")
ax.legend(frameon=False, title="about the axis of")

# sphinx_gallery_thumbnail_number = 2

# %%
# The body as it tumbles:

solution.view(camera="front")
