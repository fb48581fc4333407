r"""
Parallelogram
=============

*A parallelogram falls as a pendulum does*

The cranks of a parallelogram turn alike, and its coupler does not turn. With three links of mass :math:`m` and length
:math:`L`, energy gives :math:`\tfrac56 m L^2 \dot\theta^2 = 2 m g L\,(\cos\theta_0 - \cos\theta)`, where :math:`\theta`
is the angle of the cranks from the upward vertical.
"""

import numpy as np

import flexmb as fm
from flexmb.examples.four_bar import build

START = np.deg2rad(135.0)
model = build(START)
solution = fm.simulate(model, 1.0, tolerance=1e-8)
theta = 0.5 * np.pi - solution["left"].angle
rate = np.abs(solution["left"].angular_velocity)
theory = np.sqrt(np.maximum(2.4 * 9.81 * (np.cos(START) - np.cos(theta)), 0.0))
print(f"fastest: {rate.max():.4f} rad/s, energy says {theory.max():.4f} rad/s")
assert rate.max() > 2.0
assert np.allclose(rate**2, theory**2, atol=1e-4)

solution.draw(times=[0.0, 0.24, 0.36, 0.475], trails="coupler")
