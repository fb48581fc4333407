"""What computed numbers can tell: the round-off below which they say nothing, and the size beyond which they do not."""

from __future__ import annotations

#: Round-off of a number, as a part of its size: of a time, of a coordinate, or of an error of constraints in units of
#: the model. Numbers near one are 2e-16 apart.
ROUNDING = 1e-15
#: Round-off of a time at which a step ends, as a part of the time: it is a sum.
TIME_ROUNDING = 4.0 * ROUNDING
#: Round-off of a quantity that was computed from many others, as a part of its size or of theirs.
SUMMED_ROUNDING = 1e-13
#: A coordinate, speed or acceleration beyond this number counts as diverged.
LARGEST = 1e100
