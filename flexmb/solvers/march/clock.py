"""What every compiled loop remembers of the way of a run through time."""

from __future__ import annotations

from flexmb.kernels.variables import Variables

#: why accelerations are to be found anew: the run begins or goes on at the present state; controllers have changed the
#: forces; it is behind a kink of a function of time; it is behind a touch
AT_START, AT_COMMAND, AT_KINK, AT_TOUCH = range(1, 5)


class Clock(Variables):
    """Variables of the march; loops add their own."""

    time: float  # to which the motion has come [s]
    step: float  # the proposed size of the next step [s]
    grid: float  # the last point of the grid of fixed steps that was passed
    anew: int  # why the accelerations of the present state are to be found anew; 0 if they are not
    unsaved: int  # 1 if the present state is still to be saved
    due: int  # how the segment is to end at the present state; RUNNING if it goes on
