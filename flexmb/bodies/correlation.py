"""How alike mode shapes are: modal assurance criteria (Allemang and Brown (1982)).

Two shapes φ and ψ at the same places and directions are alike if the square of their normed product is near 1,

    MAC = |φᴴ ψ|²/((φᴴ φ) (ψᴴ ψ)),

whatever their size and sign.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.hints import answers_calls


def shapes_from(given: Any, where: str) -> np.ndarray:
    """Shapes, real or complex; NaN where nobody knows them."""
    kind = np.asarray(given).dtype.kind if checks.shape_of(given) is not None else "O"
    if kind not in "iufc":
        raise ModelError(f"{where}: shapes must be an array of numbers, not {checks.quoted(given)}")
    return np.asarray(given, dtype=complex)


@answers_calls
def mac(one: Any, two: Any) -> np.ndarray:
    """The modal assurance criteria (n, m) of shapes (…, n) and (…, m) at the same places, real or complex.

    >>> mac(np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([[2.0], [2.0]])).round(3).tolist()
    [[1.0], [0.5]]
    """
    a, b = (shapes_from(x, "modal assurance criterion") for x in (one, two))
    if a.shape[:-1] != b.shape[:-1] or a.ndim < 2:
        raise ModelError(
            f"modal assurance criterion: shapes have the sizes {a.shape} and {b.shape}; give both at the same places "
            "and in the same directions, the modes last"
        )
    a, b = a.reshape(-1, a.shape[-1]), b.reshape(-1, b.shape[-1])
    norms = [np.real(np.sum(np.abs(x) ** 2, axis=0)) for x in (a, b)]
    if any(np.any(x == 0.0) for x in norms):
        raise ModelError("modal assurance criterion: one of the shapes is zero everywhere; leave it out")
    return np.asarray(np.abs(a.conj().T @ b) ** 2 / np.outer(*norms))
