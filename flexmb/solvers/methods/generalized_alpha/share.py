"""The allowed sum of the estimated errors of all steps of a run, as a multiple of its tolerance.

How much of the error of a step remains at the end depends on the mechanism. In driven beams a twentieth to the whole of
it remains, since errors of speeds oscillate with their vibration. In mechanisms of rigid bodies errors of speeds
persist, so that these have a smaller share and include errors of speeds
(:mod:`flexmb.solvers.methods.generalized_alpha.alpha_error`). For the problems of the work–precision benchmark the
error at the end is then a half to five tolerances, also for a row of parallelograms that goes over its top five times,
where an error of a speed grows to a displacement 111 s times as large.
"""

from __future__ import annotations

from flexmb.system.system import System

#: Shares of systems with beams and without.
WITH_BEAMS, RIGID = 2.0, 1.0


def bends(system: System) -> bool:
    """Whether any component of a system has cross sections."""
    return any(series.kernels.section is not None for series in system.assembly.instance_series)


def share(system: System) -> float:
    """The allowed sum of the estimated errors of a system, in tolerances."""
    return WITH_BEAMS if bends(system) else RIGID
