"""Error of vibration at the end of a run, due to the damping of the method.

For a vibration e^{iωt}, with z = ωh, a step of Radau IIA has the relative error z⁶/7200, and the third-order formula
that controls the steps estimates about γ z⁴/60/(1 + γ² z²), γ = 1/REAL:

    z                                     0.5      1        1.5      2        3        4
    error of a step                       2.1e-6   1.3e-4   1.4e-3   7.3e-3   0.063    0.23
    estimate                              2.8e-4   4.3e-3   0.020    0.056    0.20     0.41
    steps in which the vibration is lost  470000   7500     700      140      16       4

So the estimate is larger than the error by the factor 120 γ/z², but it covers one step only. Over N steps the errors of
a slow vibration (small z) add up to N z²/(120 γ) estimates. A vibration with z about one is damped to nothing during
the run: its error is then its whole amplitude, up to some hundred estimates, and does not fall with h as the error of a
smooth motion does. The smaller of these two is the error at the end of a run, and has to be below WAVES tolerances. It
shortens the following steps, but rejects none, since a single step adds little. The amplitude of faster vibration (z >
4) is at most 2.5 times the estimate, and the method may damp it.

The frequency follows from the estimated errors of speeds and positions: z = h |e_v|/|e|. For a cable of 64 elements,
released from a level line (:mod:`flexmb.validation.performance.cable`), for 0.1 s with a tolerance of 1e-8, the error
of waves of 4 to 16 kHz falls from 13 tolerances in 2634 steps to 6 in 4058; at 3.2e-8 it is 9.6.
"""

from __future__ import annotations

from flexmb.kernels.compilation import called
from flexmb.solvers.methods.radau.radau_coefficients import REAL

#: Allowed error of vibration at the end of a run, in tolerances. It bounds an estimate for waves whose errors all add
#: up, in phase with one another.
WAVES = 10.0


@called(float)
def error_of_waves(options, h, error, of_speeds):
    """Error of vibration at the end of a run with steps h, as a part of that allowed, from the estimated errors of
    positions and speeds of one step, as parts of the error allowed in a step."""
    if error <= 0.0:
        return 0.0
    z2 = (h * of_speeds / error) ** 2
    lost = z2 * REAL / (120.0 * h * options.slowest)
    whole = 60.0 * REAL * (1.0 + z2 / (REAL * REAL))  # amplitude of the vibration, divided by its estimate and by z⁴
    if lost * z2 * z2 > whole:
        lost = whole / (z2 * z2)
    return error * lost * options.waves
