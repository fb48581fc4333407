"""
A pendulum that bends
=====================

A steel rod hangs on a hinge and falls from the horizontal.
"""

import flexmb as fm

model = fm.PlanarModel("soft pendulum", gravity=(0, -9.81))
steel = fm.Material(density=7850, youngs_modulus=205e9)
rod = model.add_beam("rod", (0, 0), (1, 0), material=steel, section=fm.Circle(diameter=0.004))
model.revolute(model.ground, rod.start, name="hinge")
solution = fm.simulate(model, 1.0)
print(f"lowest point of the end: {solution['rod.end'].y.min():.3f} m")

# %%
# The end of the rod lags behind: :math:`y(t)` of a rigid rod would be smooth.

solution.plot("rod.end.y")

# %%
# The motion in space:

# sphinx_gallery_thumbnail_number = 2
fm.View(solution, color="bending_moment")

# %%
# What it has to give:

assert -1.01 < solution["rod.end"].y.min() < -0.98
