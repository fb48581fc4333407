r"""
Strip rolled up
===============

*A moment rolls a strip up into a circle*

A moment :math:`M` at its end bends a strip to the curvature :math:`M/EI` all along. With
:math:`M = 2\pi\,EI/L` its end comes to its start, and closes a circle.
"""

import numpy as np

import flexmb as fm

strip = fm.SpatialModel("strip")
steel = fm.Material(density=7850, youngs_modulus=205e9, poissons_ratio=0.3)
section = fm.Rectangle(width=0.03, height=0.0005)
beam = strip.add_beam("strip", strip.ground, (1, 0, 0), material=steel, section=section, elements=8)
bending = steel.youngs_modulus * section.second_moment
strip.point_torque(beam.end, (0, 0, 2.0 * np.pi * bending))
path = fm.equilibrium_path(strip, steps=12, stability=False)

end = np.array([path[f"strip.end.{axis}"] for axis in "xyz"])
radius = 1.0 / (2.0 * np.pi * path.factor[1:])
theory = np.array([radius * np.sin(1.0 / radius), radius * (1.0 - np.cos(1.0 / radius))])
print(f"distance between its ends: {np.linalg.norm(end[:, -1]):.1e} m")
assert np.allclose(end[:2, 1:], theory, atol=1e-4)

fm.View(path, camera=(0.5, -0.8, 1.2))
