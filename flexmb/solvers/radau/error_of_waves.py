"""What the damping of the method leaves of waves, by the end of a run.

Of a vibration e^{iωt} with z = ωh a step of Radau IIA has the error z⁶/7200, and the formula of third order by which
steps are judged says about γ z⁴/60/(1 + γ² z²), γ = 1/REAL:

    z                                     0.5      1        1.5      2        3        4
    error of a step                       2.1e-6   1.3e-4   1.4e-3   7.3e-3   0.063    0.23
    estimate                              2.8e-4   4.3e-3   0.020    0.056    0.20     0.41
    steps in which the vibration is lost  470000   7500     700      140      16       4

So the estimate is larger by 120 γ/z², but it knows of one step. Where something vibrates slowly for the steps, N of
them add up to N z²/(120 γ) estimates, which is what tolerances are about. A vibration of which z is about one is damped
until nothing is left: then its size is the error, up to some hundred estimates, and that of waves does not fall with h
as that of smooth motions does. The smaller one of both is what is left at the end of a run, and has to be below some
tolerances. Steps become shorter by that, but none is rejected, since it adds little alone. What vibrates faster (z > 4)
is at most 2.5 times its estimate, and is left to damping.

How fast the errors vibrate is seen from those of the speeds: z = h |e_v|/|e|. On a cable of 64 elements, released level
(:mod:`flexmb.validation.performance.cable`), with 0.1 s and a tolerance of 1e-8, 13 tolerances of waves of 4 to 16 kHz
were lost in 2634 steps, and 6 are in 4058; at 3.2e-8 it is 9.6.
"""

from __future__ import annotations

from flexmb.kernels.compilation import called
from flexmb.solvers.radau.radau_coefficients import REAL

#: so many tolerances may be lost, by the estimate, which holds for waves that are in step with one another all the time
WAVES = 10.0


@called(float)
def error_of_waves(options, h, error, of_speeds):
    """What a run of steps h leaves of vibrations, as a part of what it may, from the estimated errors of positions and
    of speeds of a step, as parts of the error allowed."""
    if error <= 0.0:
        return 0.0
    z2 = (h * of_speeds / error) ** 2
    lost = z2 * REAL / (120.0 * h * options.slowest)
    whole = 60.0 * REAL * (1.0 + z2 / (REAL * REAL))  # the vibration itself, divided by its estimate and by z⁴
    if lost * z2 * z2 > whole:
        lost = whole / (z2 * z2)
    return error * lost * options.waves
