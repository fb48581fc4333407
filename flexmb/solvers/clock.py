"""What every compiled loop remembers of the way of a run through time."""

from __future__ import annotations

from flexmb.kernels.variables import Variables


class Clock(Variables):
    """Variables of the march; loops add their own. Flags are 0 or 1."""

    time: float  # to which the motion has come [s]
    step: float  # the proposed size of the next step [s]
    unsaved: float  # whether the present state is still to be saved
    anew: float  # whether forces have jumped at the present state, so that accelerations are to be found anew
