r"""
Planned motion
==============

*What the motors of an arm give, its weight gains and its joints lose*

An arm from a URDF file is led along a plan, from rest to rest. Inverse dynamics gives the torques of its motors. Their
work :math:`\sum\int\tau\,\dot q\,dt` must be the potential energy that arm and load have gained, and what friction
in the joints has taken. Here the arm comes down, and the motors brake it.
"""

import matplotlib.pyplot as plt
import numpy as np

import flexmb as fm
from flexmb.examples.robot import DURATION, build

robot = build(fails=False)
planned = fm.kinematics(robot, DURATION, steps=400)
torques, rates = robot.efforts(planned), robot.rates(planned)
work = sum(np.trapezoid(torques[name] * rates[name], planned.t) for name in torques)
gained = planned.energy.potential[-1] - planned.energy.potential[0]
lost = planned.energy.dissipated[-1]
print(f"work of the motors {work:.4f} J = gained {gained:.4f} J + lost {lost:.4f} J")
assert abs(work - gained - lost) < 1e-3 * np.ptp(planned.energy.potential)

figure, ax = plt.subplots(layout="constrained")
for name, torque in torques.items():
    if name != "finger":
        ax.plot(planned.t, torque / robot.joints[name].effort, label=name)
ax.set(xlabel="t [s]", ylabel="torque / what the motor can give")
ax.legend(frameon=False, ncols=2)

# sphinx_gallery_thumbnail_number = 2

# %%
# The robot on its way:

planned.view(ghosts=[0.0], forces=False)
