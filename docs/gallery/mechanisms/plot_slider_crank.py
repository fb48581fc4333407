r"""
Flexible slider-crank
=====================

*The rod of a slider-crank bends, and the slider hardly notices*

A crank comes to 50 rad/s from rest. Its rod bends by :math:`w`, like half a sine. That brings its ends together by
:math:`\pi^2 w^2/(4\ell)` only, so that the slider is where a rigid rod would have it,
:math:`x = r\cos\varphi + \sqrt{\ell^2 - r^2\sin^2\varphi}`, to a few hundredths of a millimeter.
"""

import numpy as np

import flexmb as fm
from flexmb.examples.slider_crank import CRANK, DRIVE, ROD, bending, build

solution = fm.simulate(build(), 0.3, tolerance=1e-6)
phi = DRIVE(solution.t)
rigid = CRANK * np.cos(phi) + np.sqrt(ROD**2 - (CRANK * np.sin(phi)) ** 2)
off = np.abs(solution["slider.x"] - rigid).max()
sag = np.abs(bending(solution)).max()
shorter = np.pi**2 * sag**2 / (4.0 * ROD)
print(f"bends by {1e3 * sag:.2f} mm; the slider is off by {1e3 * off:.3f} mm, a bent rod by {1e3 * shorter:.3f} mm")
assert abs(off / shorter - 1.0) < 0.1

solution.animate("slider-crank.gif", fps=12, pace=0.1)
