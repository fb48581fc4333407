"""Smooth steps whose duration follows from the frequencies that they shall not excite.

The rate of a quintic step over a duration T has the Fourier transform of a step times

    F = 15 j₂(x)/x²,    x = ω T/2

with the spherical Bessel function j₂: an undamped mode of frequency ω keeps the part |F| of the vibration that a jump
would leave. It is zero where tan x = 3x/(3 − x²), first at T = 1.835 periods.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import spherical_jn

from flexmb.control.shaping.swinging import chosen_poles
from flexmb.errors import ControlError
from flexmb.model import checks
from flexmb.model.functions.smooth_functions import SmoothStep
from flexmb.model.hints import answers_calls

#: largest jerk of a quintic step of height one and duration one, at its ends
JERK = 60.0
#: number of zeros that are looked through
MOST = 1000


@answers_calls
def quiet_step(
    about: Any,
    from_value: float = 0.0,
    to_value: float = 1.0,
    modes: Any = 0,
    *,
    t_start: float = 0.0,
    jerk: float | None = None,
    tolerance: float = 0.02,
) -> SmoothStep:
    """The shortest :class:`flexmb.SmoothStep` that leaves no vibration of the slowest of the chosen modes, and at most
    the part `tolerance` of what a jump would leave of the others.

    Arguments: `about`, `modes` as in :func:`input_shaper`; `from_value`, `to_value`, `t_start` [s] of the step; `jerk`:
    the largest third rate that is allowed, in units of the step per s³; none when not given; `tolerance` [–].

    >>> step = quiet_step([2.0j * np.pi], 0.0, 0.5)  # a mode of 1 Hz
    >>> round(step.duration, 6)
    1.834566
    >>> round(quiet_step([2.0j * np.pi], 0.0, 0.5, jerk=0.5).duration, 3), round((60 * 0.5 / 0.5) ** (1 / 3), 3)
    (3.923, 3.915)
    """
    where = "quiet step"
    first, last = (checks.number(x, what, where) for x, what in ((from_value, "from_value"), (to_value, "to_value")))
    most = checks.positive(tolerance, "tolerance", where)
    omega = np.sort(chosen_poles(about, modes, None, where)[0].imag)
    least = 0.0 if jerk is None else (JERK * abs(last - first) / checks.positive(jerk, "jerk", where)) ** (1.0 / 3.0)
    x = np.pi
    for _ in range(MOST):
        x = _next_zero(x)
        duration = 2.0 * x / omega[0]
        if duration >= least and np.all(step_residual(omega[1:] * duration) <= most):
            return SmoothStep(checks.number(t_start, "t_start", where), duration, first, last)
    raise ControlError(
        f"{where}: no step that leaves the slowest mode at rest keeps the others below {most:g}; allow more, or shape "
        "the step, fm.control.input_shaper"
    )


def step_residual(phase: Any) -> np.ndarray:
    """|F| of a quintic step over the phase ω T [rad].

    >>> step_residual([1e-3, 11.526918]).round(6).tolist()
    [1.0, 0.0]
    """
    x = np.maximum(0.5 * np.abs(np.asarray(phase, dtype=float)), 1e-6)
    return np.asarray(np.where(x < 1e-3, 1.0 - x * x / 14.0, np.abs(15.0 * spherical_jn(2, x) / (x * x))))


def _next_zero(x: float) -> float:
    """The first zero of j₂ beyond a number above which its sign does not change for at least a unit."""
    low = x + 0.5
    while spherical_jn(2, low) * spherical_jn(2, low + 0.5) > 0.0:
        low += 0.5
    return float(brentq(lambda z: spherical_jn(2, z), low, low + 0.5, xtol=1e-15))
