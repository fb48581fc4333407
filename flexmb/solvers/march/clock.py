"""Variables for the course of a run through time, which every compiled loop has."""

from __future__ import annotations

from flexmb.kernels.variables import Variables

#: Values of `anew`, why accelerations are to be computed from the equations of motion: the run begins or continues at
#: the present state; controllers have changed the forces; a kink of a function of time has just passed; a touch has
#: just passed.
AT_START, AT_COMMAND, AT_KINK, AT_TOUCH = range(1, 5)


class Clock(Variables):
    """Variables of the march; the loops of the methods add their own."""

    time: float  # the present time [s]
    step: float  # the proposed size of the next step [s]
    grid: float  # index k of the last point t₀ + k h of the grid of fixed steps that was passed
    anew: int  # why the accelerations of the present state are to be computed anew; 0 if they are not
    unsaved: int  # 1 if the present state has not been saved yet
    due: int  # status with which the segment ends at the present state; OK if it continues
