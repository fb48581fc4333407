r"""
Robot with flexible links
=========================

*Strain gauges stop the swing of an arm whose links bend*

Two long links of a robot arm bend under a fast motion, and swing on when it has ended: stiff servos hold the joints and
take no energy away. A law that also reads gauges at the roots of the links is designed on the linear model at the end
of the motion; on the nonlinear arm it brings the load to its place in a quarter of the time.
"""

import numpy as np

from flexmb.examples import flexible_robot as example

found, solution, said = example.runs()
print("\n".join(said))
settled = {label: example.settled(t, off) - example.DURATION for label, (t, off) in found.items()}
print(f"within 0.5 mm {settled['joint control']:.2f} s and {settled['with gauges']:.2f} s after the end of the motion")
assert settled["with gauges"] < 0.4 * settled["joint control"] and np.max(found["rigid links"][1]) < 1e-4

example.chart(found)

# %%
solution.view(ghosts=[0.0, 0.4], trails=["load"], camera=(1.2, -2.0, 0.9), forces=False)
