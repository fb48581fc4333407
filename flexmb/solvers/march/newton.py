"""What implicit methods ask of Newton's method for the end of a step: how it ended, how accurate it has to be, and when
corrections are due to round-off."""

from __future__ import annotations

from flexmb.kernels.compilation import inlined

#: How Newton's method ended. STALE: not yet: another trial, with other matrices for example, was chosen. NO_SPACE: the
#: factors need more memory. GO_ON: it has not ended.
CONVERGED, FAILED, STALE, NO_SPACE, GO_ON = range(5)
#: Newton's method has failed if a correction is HOPELESS times the one before or larger.
HOPELESS = 0.9
#: An error of positions, divided by the square of the step size, is an error of the accelerations: the allowed part of
#: the largest acceleration.
ACCELERATION_DIGITS = 1e-4
#: Corrections that do not shrink are due to round-off if they are smaller than ROUNDING_FACTOR times its measured
#: effect and than LARGEST_ROUNDING.
ROUNDING_FACTOR, LARGEST_ROUNDING = 4.0, 1e-4
#: A measurement of round-off is used for so many steps of about the same size.
ROUNDING_STEPS = 200.0


@inlined
def rounding_known(state, h):
    """Whether the effect of round-off was measured in recent steps, for a step of about this size."""
    return state.floor_left > 0.0 and abs(h / state.floor_step - 1.0) < 0.5
