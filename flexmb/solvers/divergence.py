"""What to say of a run that diverges under sampled controllers: which one, how its commands grew, what to do.

The rule by which growing commands stop a run stands with :class:`flexmb.control.controller.Controller`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.control.controller import Controller
from flexmb.solvers.run import Run
from flexmb.system.sampling import GROWTH


class Growth(NamedTuple):
    """How a controller's commands grew over its last instants."""

    controller: Controller
    first: float
    last: float
    instants: int
    alternating: bool

    def __str__(self) -> str:
        signs = ", of alternating sign" if self.alternating else ""
        return (
            f"the commands of {self.controller.where} grew from {self.first:.2g} to {self.last:.2g} in "
            f"{self.instants} instants{signs}"
        )

    @property
    def advice(self) -> str:
        """What may make the loop stable."""
        period = f"a period shorter than {self.controller.period:g} s"
        if self.alternating:
            return f"the gains are too large for the period: take smaller ones, or {period}"
        return f"look at the sign of its gains; if that is right, take smaller ones, or {period}"


def runaway_message(run: Run) -> str:
    """Why a run was stopped because commands grow."""
    c = list(run.system.model.controllers.values())[int(run.sampling.failed[1])]
    return (
        f"{_worst(run) or f'the commands of {c.where} grow'}; the mechanism moves by more than {c.runaway:g} times its "
        "size in a period (set the controller's runaway to None to let it go on)"
    )


def controllers_hint(run: Run) -> str:
    """How controllers may be the reason that a motion cannot be followed; empty without controllers."""
    names = [repr(name) for name in run.system.model.controllers]
    if not names:
        return ""
    hint = f"it is driven by sampled control ({', '.join(names)}), whose gains or periods may be too large"
    return f"; {_worst(run) or hint}"


def _worst(run: Run) -> str:
    """The growth of the largest commands, with what may help; empty when none grow."""
    found = [g for g in (growth(run, c) for c in run.system.model.controllers.values()) if g]
    if not found:
        return ""
    worst = max(found, key=lambda g: g.last)
    others = [g.controller.where for g in found if g is not worst]
    too = f" (and those of {', '.join(others)} with them)" if others else ""
    return f"{worst}{too}: the loop is unstable; {worst.advice}"


def growth(run: Run, controller: Controller) -> Growth | None:
    """The growth of a controller's commands up to the end of a run, if they grow at all: over the shortest windows in
    which the largest command grew by GROWTH twice in succession."""
    log = run.logs()[controller.name]
    k = int(np.argmax(np.max(np.abs(log.u), axis=0))) if len(log.u) else 0
    u = log.u[:, k]
    size = np.abs(u)
    n = 1
    while 3 * n <= len(u):
        windows = [size[len(u) - (j + 1) * n : len(u) - j * n] for j in range(3)]
        w2, w1, w0 = (float(np.max(w)) for w in windows)
        if w0 > 0.0 and w1 >= GROWTH * w0 and w2 >= GROWTH * w1:
            start = _start(size, n)
            signs = np.sign(u[start:])
            alternating = bool(np.all(signs[1:] * signs[:-1] < 0.0))
            return Growth(controller, float(size[start]), float(size[-n:].max()), len(u) - start, alternating)
        n *= 2
    return None


def _start(size: np.ndarray, n: int) -> int:
    """The instant since which windows of n instants have grown by GROWTH each."""
    end = len(size)
    while end >= 2 * n and size[end - n : end].max() >= GROWTH * size[end - 2 * n : end - n].max() > 0.0:
        end -= n
    first = end - n
    return first + int(np.argmax(size[first:end]))
