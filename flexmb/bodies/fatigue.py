"""Counts of stress cycles and damage of a history of stress, by the public package rainflow (ASTM E1049-85)."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.errors import MissingExtraError, ModelError
from flexmb.model import checks
from flexmb.model.hints import answers_calls


@answers_calls
def rainflow_cycles(stress: Any) -> np.ndarray:
    """The cycles (c, 3) of a history of stress (k,): range, mean [Pa], and count, 0.5 or 1, by rainflow counting.

    Needs `pip install 'flexmb[fatigue]'`. Von Mises's stress has no sign, so that it counts a full swing as two; count
    a principal stress or a component.

    >>> rainflow_cycles([0.0, 3.0, 1.0, 2.0, 0.0]).tolist()
    [[1.0, 1.5, 1.0], [3.0, 1.5, 0.5], [3.0, 1.5, 0.5]]
    """
    where = "cycles of stress"
    series = checks.row(stress, "stress", where)
    try:
        import rainflow
    except ImportError:
        raise MissingExtraError(
            f"{where}: they are counted by the package rainflow: pip install 'flexmb[fatigue]'"
        ) from None
    found = [(width, mean, count) for width, mean, count, _, _ in rainflow.extract_cycles(series)]
    return np.array(found, dtype=float).reshape(-1, 3)


@answers_calls
def damage(stress: Any, *, strength: float, cycles: float, exponent: float) -> float:
    """The damage of a history of stress (k,) [Pa] by the sum of Palmgren and Miner: Σ n/N, 1 where it fails.

    Of the line of Basquin N = `cycles` · (σ_a/`strength`)^−`exponent`, with the amplitude σ_a half the range; mean
    stress is not counted.

    >>> round(damage([0.0, 2e8] * 500, strength=1e8, cycles=1e6, exponent=5.0), 9)
    0.0004995
    """
    where = "damage by cycles of stress"
    limit = checks.positive(strength, "strength", where)
    count, m = checks.positive(cycles, "cycles", where), checks.positive(exponent, "exponent", where)
    if not 1.0 <= m <= 50.0:
        raise ModelError(f"{where}: its exponent is {m:g}; lines of Basquin have 3 to 20")
    found = rainflow_cycles(stress)
    return float(np.sum(found[:, 2] * (0.5 * found[:, 0] / limit) ** m) / count)
