r"""
Imagined loop
=============

*An arm moves as a slider-crank that it only imagines*

Four links hang on four motors. The controller imagines that the second and the third are one rod, that the last one
slides on a rail, and that a spring pulls it; it computes how this slider-crank would accelerate, and which torques make
the arm do so. Nothing holds the slider: what is left of its height is of the first order in the period of the
controller.
"""

import numpy as np

from flexmb.examples import virtual_loop as arm

start = arm.SLIDER_CRANK
strays = []
for period in (8e-3, 4e-3):
    solution = arm.controlled(arm.slider_crank(), start, 2.0, period=period)
    height = solution["link 4.start 4.y"]
    strays.append(np.abs(height - height[0]).max())
    print(f"torques held for {1e3 * period:.0f} ms: the slider is off its rail by {1e6 * strays[-1]:.1f} µm at most")
assert strays[1] < 1e-5 and abs(strays[0] / strays[1] - 2.0) < 0.1
assert abs(solution["link 4.angle"] - solution["link 4.angle"][0]).max() < 1e-4

solution.draw(times=[0.0, 0.7, 1.0, 1.3, 2.0], trails="link 4.start 4")
