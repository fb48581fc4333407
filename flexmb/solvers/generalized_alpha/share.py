"""The estimated errors of all steps of a run together, as a multiple of its tolerance.

What becomes of the error of a step until the end depends on the mechanism. In beams that are driven a twentieth to one
whole is left, since their vibration turns back what is wrong in speeds. In mechanisms of rigid bodies that goes on, so
that these have a smaller share and count errors of speeds too (:mod:`flexmb.solvers.generalized_alpha.alpha_error`). Of
the problems of the work–precision benchmark they leave a half to five tolerances, also of a row of parallelograms that
goes over its top five times and magnifies an error of speeds by 111 s."""

from __future__ import annotations

from flexmb.system.system import System

#: with beams, and without
WITH_BEAMS, RIGID = 2.0, 1.0


def bends(system: System) -> bool:
    """Whether any component of a system has cross sections."""
    return any(series.kernels.section is not None for series in system.assembly.instance_series)


def share(system: System) -> float:
    """The share of a system."""
    return WITH_BEAMS if bends(system) else RIGID
