r"""
Robot that fails
================

*An arm whose motors fail comes to rest, and the ledger says where its energy went*

In the middle of a throw the motors of a robot fail. The arm flies on, meets the stops of its joints, and friction
brings it to rest. What it had, as motion and as height, friction and stops take, to the last joule.
"""

import flexmb as fm
from flexmb.examples.robot import FAILURE, build

solution = fm.simulate(build(), 1.8)
energy, after = solution.energy, solution.t >= FAILURE
total = (energy.kinetic + energy.potential + energy.strain)[after]
lost = energy.dissipated[after] - energy.dissipated[after][0]
print(f"since the failure {total[0] - total[-1]:.2f} J are gone; friction and stops took {lost[-1]:.2f} J")
assert abs(total[0] - total[-1] - lost[-1]) < 0.01 * lost[-1]

solution.view(trails=["load"], camera=(0.5, -2.0, 0.6), forces=False)
