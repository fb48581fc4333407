r"""
A force of one's own
====================

*A rope hangs as a catenary, until it is let go*

The rope is a component of one's own: a file with its formulas, as fast as what is built in. It hangs between two
points, a distance :math:`s` apart, of which the length :math:`\ell` is more. The catenary sags by
:math:`c\,(\cosh\tfrac{s}{2c} - 1)` with :math:`2c \sinh\tfrac{s}{2c} = \ell`, and pulls aside with :math:`\rho A g c`.
Then a ring at one end is let go. The rope has no losses: falling, it keeps its energy.
"""

import numpy as np
from scipy.optimize import brentq

import flexmb as fm
from flexmb.examples.own_elements.rope import Rope

SPAN, LENGTH, SEGMENTS, DENSITY, G = 1.0, 1.3, 30, 2.0, 9.81
model = fm.PlanarModel("rope", gravity=(0, -G))
ring = model.add_body("ring", mass=0.02, inertia=1e-5, position=(SPAN, 0))
rope = Rope(model.ground, ring.frame, LENGTH, EA=1e4, rhoA=DENSITY, segments=SEGMENTS, name="rope")
model.add(rope)
hook = model.weld(model.ground.attach("nail", (SPAN, 0)), ring.frame, name="hook")
model.add_event(0.1, fm.Switch(off=hook), name="let go")
rest = fm.equilibrium(model)
solution = fm.simulate(model, 0.7, initial=rest, tolerance=1e-4)

c = brentq(lambda c: 2.0 * c * np.sinh(0.5 * SPAN / c) - LENGTH, 0.1, 10.0)
sag, pull = c * (np.cosh(0.5 * SPAN / c) - 1.0), abs(rest["hook.fx"])
lowest = rope.line(solution)[0, :, 1].min()
print(f"{SEGMENTS} segments sag by {-lowest:.4f} m and pull with {pull:.3f} N")
print(f"the catenary sags by   {sag:.4f} m and pulls with {DENSITY * G * c:.3f} N")
assert abs(-lowest / sag - 1.0) < 5e-3 and abs(pull / (DENSITY * G * c) - 1.0) < 5e-3
print(f"energy changes by {np.ptp(solution.energy.total):.1e} J of {solution.energy.kinetic.max():.1f} J of motion")
assert np.ptp(solution.energy.total) < 1e-2 * solution.energy.kinetic.max()

solution.animate("rope.gif", fps=15, pace=0.3)
