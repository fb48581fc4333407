r"""
Block on an incline
===================

*A block on an incline slides above the angle of friction, and not below*

With the coefficient :math:`\mu` it stays where :math:`\tan\alpha \le \mu`, whatever it weighs, and else slides with
:math:`g\,(\sin\alpha - \mu \cos\alpha)`. The friction of a joint that truly sticks holds it without any creep.
"""

import matplotlib.pyplot as plt
import numpy as np

import flexmb as fm

G, MU = 9.81, 0.3
alpha = np.deg2rad([5.0, 10.0, 15.0, 16.6, 16.8, 20.0, 25.0, 30.0])
found = np.zeros(len(alpha))
for k, angle in enumerate(alpha):
    model = fm.PlanarModel("incline", gravity=(0, -G))
    block = model.add_body("block", mass=2.0, inertia=0.01, angle=-angle)
    friction = fm.JointFriction(MU, smoothing=0.0, length=0.2)
    model.prismatic(model.ground, block.frame, axis=-angle, friction=friction, name="slope")
    solution = fm.simulate(model, 0.5, progress=False)
    found[k] = 2.0 * np.hypot(*solution["block"].position[-1]) / 0.5**2  # x = a t²/2

theory = G * np.maximum(np.sin(alpha) - MU * np.cos(alpha), 0.0)
print("angle of friction [°]:", np.degrees(np.arctan(MU)).round(3))
print("computed [m/s²]:", found.round(4))
print("theory [m/s²]:  ", theory.round(4))
assert np.all(found[:4] < 1e-12) and np.allclose(found, theory, atol=1e-5)

fine = np.linspace(0.0, np.deg2rad(32.0), 200)
figure, ax = plt.subplots(layout="constrained")
ax.plot(np.degrees(fine), G * np.maximum(np.sin(fine) - MU * np.cos(fine), 0.0), label="theory")
ax.plot(np.degrees(alpha), found, "o", label="computed")
ax.set(xlabel="angle of the incline [°]", ylabel="acceleration [m/s²]")
ax.legend(frameon=False)

# sphinx_gallery_thumbnail_number = 2

# %%
# The last block slides down its incline:

solution.view(ghosts=[0.0, 0.3])
