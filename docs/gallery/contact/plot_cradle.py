r"""
Newton's cradle
===============

*Newton's cradle hands on the speed if its balls stand a hair apart*

Five steel balls hang in a row, with gaps of a tenth of a millimeter. They meet in pairs, and balls of equal mass
exchange their speeds. So the last one takes nearly all momentum and energy, and rises as high as the first one was, to
half a percent. The force between them is that of Hertz, a thousandth as stiff as steel's, which makes steps longer.
"""

from itertools import pairwise

import numpy as np

import flexmb as fm

RADIUS, LENGTH, GAP, LEAN, G = 0.025, 0.2, 1e-4, np.deg2rad(40.0), 9.81
steel = fm.Material(density=7850, youngs_modulus=210e9)
stiffness = 1e-3 * fm.hertz(steel, steel, RADIUS, RADIUS)
model = fm.PlanarModel("cradle", gravity=(0, -G))
balls = []
for k in range(5):
    x, lean = k * (2.0 * RADIUS + GAP), LEAN if k == 0 else 0.0
    place = (x - LENGTH * np.sin(lean), -LENGTH * np.cos(lean))
    ball = model.add_body(f"ball {k}", mass=0.5, inertia=1e-6, position=place, angle=-lean)
    model.revolute(model.ground.attach(f"hook {k}", (x, 0)), ball.attach(f"eye {k}", (0, LENGTH)), name=f"wire {k}")
    balls.append(ball.frame)
disk = fm.Disk(radius=RADIUS)
for a, b in pairwise(balls):
    model.contact(a, b, disk, disk, stiffness=stiffness)
solution = fm.simulate(model, 1.8, tolerance=1e-6)

risen = LENGTH + solution["ball 4.y"].max()
print(f"the last ball rises by {1e3 * risen:.2f} mm, the first fell by {1e3 * LENGTH * (1 - np.cos(LEAN)):.2f} mm")
assert abs(risen / (LENGTH * (1.0 - np.cos(LEAN))) - 1.0) < 0.01
assert np.ptp(solution.energy.total) < 1e-3

solution.animate("cradle.gif", fps=20)
