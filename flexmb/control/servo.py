"""The servo form: errors between readings and their references."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from flexmb.analyses.linear.linear_model import LinearModel
from flexmb.control.filters import check_filters
from flexmb.errors import ControlError
from flexmb.feedback.laws import LinearLaw
from flexmb.model import checks
from flexmb.model.hints import answers_calls


@answers_calls
def servo_errors(
    count: int, period: float, *, filters: Mapping[int, LinearModel] | None = None, scale: object = 1.0
) -> LinearLaw:
    """The linear law e = y − y_d, whose inputs are `count` readings y and then as many references y_d.

    Kobayashi (n.d.), eq. (88), has the other sign, e = y_d − y.

    Arguments: `count`; `period` [s] of the controller; `filters` in continuous time, by the number of a reading: the
    reading and its reference both pass the filter (sampled so that it is exact for straight lines between the
    instants); `scale`: a factor of the errors, a number or (count,), e.g. to the units of the plant.

    >>> servo_errors(2, 0.001).D.tolist()
    [[1.0, 0.0, -1.0, 0.0], [0.0, 1.0, 0.0, -1.0]]
    """
    where = "servo errors"
    count = checks.count(count, "count", where, least=1)
    period = checks.positive(period, "period", where)
    factor = checks.numbers(scale, "scale", where, f"a number, or {count} of them")
    if factor.shape not in ((), (count,)):
        raise ControlError(f"{where}: scale must be a number, or {count} of them")
    factor = np.broadcast_to(factor, (count,))
    filters = {} if filters is None else filters
    check_filters(filters, where)
    D = np.eye(count, 2 * count) - np.eye(count, 2 * count, count)
    stages: dict[int, LinearModel] = {}
    for place, f in filters.items():
        if place not in range(count):
            raise ControlError(f"{where}: there is no reading {place!r} for a filter; there are 0 to {count - 1}")
        stages[place] = f.discrete(period, "first") if f.period is None else f
    n = sum(len(f) for f in stages.values())
    A, B, C = np.zeros((n, n)), np.zeros((n, 2 * count)), np.zeros((count, n))
    at = 0
    for place, f in stages.items():
        own = slice(at, at + len(f))
        A[own, own], B[own], C[place, own] = f.A, f.B @ D[place : place + 1], f.C[0]
        D[place] *= f.D[0, 0]
        at += len(f)
    return LinearLaw(A, B, factor[:, None] * C, factor[:, None] * D)
