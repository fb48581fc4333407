"""Descriptions of the poles of linear models, for messages."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from flexmb.algebra.eigenvalues import in_like_units
from flexmb.analyses.linear.linear_model import LinearModel


def describe_pole(plant: LinearModel, pole: complex) -> str:
    """A text that tells how fast the mode of a pole is and which coordinates move most in it.

    >>> pair = LinearModel([[0, 1.0], [-4.0, 0.0]], [[0.0], [0.0]], np.eye(2), np.zeros((2, 1)), states=["x", "x rate"])
    >>> describe_pole(pair, 2j)
    'at 0.318 Hz, undamped (x)'
    """
    A, _ = in_like_units(plant.A)
    values, left, right = scipy.linalg.eig(A, left=True, right=True)
    k = int(np.argmin(np.abs(values - pole)))
    # participation factors: a state's part in the mode times the mode's part in the state, which has no unit
    share = np.abs(left[:, k].conj() * right[:, k])
    names: list[str] = []
    for j in np.argsort(-share):
        name = plant.states[j].removesuffix(" rate")
        if share[j] < 0.2 * share.max() or len(names) == 3:
            break
        if name not in names:
            names.append(name)
    if plant.period is not None:
        pole = complex(np.log(complex(pole))) / plant.period if pole else complex(-np.inf)
    size = abs(pole)
    damping = -pole.real / size if size > 0.0 else 0.0
    if size <= 1e-7 * np.abs(values).max():
        speed = "without stiffness"
    elif abs(pole.imag) > 1e-9 * size:
        how = "undamped" if abs(damping) < 1e-9 else f"damping ratio {damping:.3g}"
        speed = f"at {abs(pole.imag) / (2.0 * np.pi):.3g} Hz, {how}"
    else:
        speed = f"{'growing' if pole.real > 0.0 else 'decaying'} as exp({pole.real:.3g} t)"
    return f"{speed} ({', '.join(names)})"
