"""The estimated errors of all steps of a run together, as a multiple of its tolerance.

What becomes of the error of a step until the end depends on the mechanism. In beams that are driven a twentieth to one
whole is left, since their vibration turns back what is wrong in speeds. In mechanisms of rigid bodies that goes on, so
that these have a smaller share, of which a tenth to six times are left. Where they go over their tops it grows: the
parallelograms of the work–precision benchmark, which do so five times, magnify an error of speeds by 111 s; no share
foresees that.
"""

from __future__ import annotations

from flexmb.system.system import System

#: with beams, and without
WITH_BEAMS, RIGID = 2.0, 1.0


def share(system: System) -> float:
    """The share of a system: that of beams if any of its components has cross sections."""
    beams = any(series.kernels.section is not None for series in system.assembly.instance_series)
    return WITH_BEAMS if beams else RIGID
