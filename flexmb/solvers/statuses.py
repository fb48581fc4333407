"""How a computation of a step, a step, or a segment of a run ended: one enumeration for all methods, handed on as it
is.

A function names in its docstring the statuses that it returns. OK is 0: nothing stands in the way, and the run goes on.
"""

from __future__ import annotations

from flexmb.system.linear import NO_ROOM as NO_ROOM
from flexmb.system.linear import OK as OK
from flexmb.system.linear import SINGULAR as SINGULAR
from flexmb.system.with_friction import JAMMED as JAMMED

#: A state cannot be computed or taken: dependent coordinates were not found, or joints are open; a number is not
#: finite, or out of all bounds; Euler angles are not determined; the step leads to another branch of the mechanism.
NOT_CLOSED, NOT_FINITE, NO_ANGLES, LEAPT = range(JAMMED + 1, JAMMED + 5)
#: Newton's method: corrections do not lead to a solution; another trial, with other matrices for example, was chosen;
#: it has not ended.
FAILED, STALE, GO_ON = range(LEAPT + 1, LEAPT + 4)
#: Other constraint rows are needed: active ones fade, or one that was left out contradicts them.
FADE, CONTRADICT = range(GO_ON + 1, GO_ON + 3)
#: A segment ends: at the end of the run; because no step is possible; because a law failed, the motion runs away by
#: control, or an angle turns too fast; because a passage through a singular position is to be tried, or another
#: partition into independent and dependent coordinates is needed; because events happen at its last state; because
#: Ctrl-C was pressed. (COMMANDED does not end a segment: controllers have changed the forces.)
DONE, DIVERGED, CONTROL_FAILED, RUNAWAY, TOO_FAST = range(CONTRADICT + 1, CONTRADICT + 6)
PASSAGE_DUE, WORN, EVENT, ASKED, COMMANDED = range(TOO_FAST + 1, TOO_FAST + 6)
