r"""
Snap-through
============

*A flat truss snaps through where its force is largest*

Two springs of stiffness :math:`k` lean against each other over a span of :math:`2b`. At the height :math:`y` they
resist with :math:`2 k (\ell_0/\ell - 1)\, y`, where :math:`\ell^2 = b^2 + y^2`. This force is largest where
:math:`\ell^3 = \ell_0 b^2`. Loaded beyond it, the truss jumps to its other side.
"""

import matplotlib.pyplot as plt
import numpy as np

import flexmb as fm

B, RISE, K = 1.0, 0.2, 1000.0
model = fm.PlanarModel("truss")
top = model.add_body("top", mass=1.0, inertia=1.0, position=(0, RISE))
for name, x in (("left", -B), ("right", B)):
    model.spring_damper(model.ground.attach(name, (x, 0)), top.frame, stiffness=K, name=f"{name} spring")
model.lock(model.ground, top.frame, "angle", name="guide")
model.point_force(top.frame, (0, -1), name="load")
path = fm.equilibrium_path(model, factor=8.0, steps=40)

rest = np.hypot(B, RISE)
force = 2.0 * K * (rest / np.hypot(B, path["top.y"]) - 1.0) * path["top.y"]
limit = np.sqrt((rest * B**2) ** (2 / 3) - B**2)
largest = 2.0 * K * (rest / np.hypot(B, limit) - 1.0) * limit
print(f"it snaps at {path.critical[0].factor:.6f} N, theory {largest:.6f} N")
assert np.allclose(path.factor, force, atol=1e-9)
assert np.allclose([c.factor for c in path.critical], [largest, -largest], atol=1e-9)

figure, ax = plt.subplots(layout="constrained")
ax.plot(1e3 * path["top.y"], path.factor, color="0.6", linestyle="--", label="unstable")
ax.plot(1e3 * path["top.y"], np.where(path.stable, path.factor, np.nan), label="stable")
ax.plot(1e3 * np.array([limit, -limit]), [largest, -largest], "o", label="limit points of theory")
ax.set(xlabel="height of the top [mm]", ylabel="force on it [N]")
ax.invert_xaxis()
ax.legend(frameon=False)

# sphinx_gallery_thumbnail_number = 2

# %%
# The truss as it snaps through:

fm.View(path)
