"""What can be seen: models as they are described, and all that says of itself what a view shows of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.model.model import Model
from flexmb.results.state import as_solution
from flexmb.results.subject import Subject
from flexmb.system.system import System


def subject_of(shown: Any, mode: int | None = None) -> Subject:
    """The subject made from a model; from what has a method `subject`: a solution, a load path; from what has a
    `solution`: a state, an equilibrium; or from one `mode` of what has a method `subject_of_mode`, the first one when
    not given."""
    if isinstance(shown, Subject):
        return shown
    of_mode = getattr(shown, "subject_of_mode", None)
    if of_mode is not None:
        subject: Subject = of_mode(0 if mode is None else mode)
        return subject
    if mode is not None:
        raise ModelError(f"view: {_kind(shown)} has no modes; give fm.modes(…), or leave out mode")
    if isinstance(shown, Model):
        return _as_described(shown)
    says = getattr(shown, "subject", None) or getattr(getattr(shown, "solution", None), "subject", None)
    if says is None:
        raise ModelError(
            f"view: {_kind(shown)} is nothing that can be seen; give a model, a solution, a state, an equilibrium, a "
            "load path or modes"
        )
    subject = says()
    return subject


def _as_described(model: Model) -> Subject:
    """A model as it was described, at rest, even if its joints do not close."""
    system = System(model)
    q, zero, lam = system.q0[None, :], np.zeros((1, system.n)), np.zeros((1, system.m))
    rest = as_solution(system, np.zeros(1), q, zero, zero.copy(), lam, still=True)
    return Subject(rest, without_joint_forces="a model without a run knows no joint forces")


def _kind(shown: Any) -> str:
    """What was given, as messages name it."""
    text = repr(shown)
    return text if len(text) <= 60 else f"an object of type {type(shown).__name__}"
