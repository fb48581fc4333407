r"""
Quadruped
=========

*A robot that kicks falls as a stone does*

A robot with four legs falls, and its motors swing the legs. Forces between its own parts cannot change its momentum:
this grows as :math:`-m g t`, and its mass center follows :math:`\tfrac12 g t^2`, whatever the legs do. The trunk turns
against them.
"""

from xml.etree import ElementTree

import numpy as np

import flexmb as fm
from flexmb.examples import robots

G = 9.81
file = robots.folder() / "quadruped.urdf"
robot = fm.read_urdf(file, fixed_base=False, gravity=(0, 0, -G))
for k, joint in enumerate(robot.moving):
    robot.actuate(joint.name, 1.5 * (-1) ** k)
solution = fm.simulate(robot, 0.4, "dop853", tolerance=1e-8)

system = fm.System(robot)
momenta = np.array([system.momentum(*state) for state in zip(solution.t, solution.q, solution.v, strict=True)])
mass = sum(float(part.get("value")) for part in ElementTree.parse(file).iter("mass"))
print(f"downward momentum {-momenta[-1, 2]:.6f} kg m/s, theory {mass * G * solution.t[-1]:.6f} kg m/s")
print(f"momentum aside {np.abs(momenta[:, :2]).max():.0e} kg m/s")
assert np.allclose(momenta[:, 2], -mass * G * solution.t, atol=1e-8) and np.abs(momenta[:, :2]).max() < 1e-8

solution.view(ghosts=[0.0, 0.2], forces=False)
