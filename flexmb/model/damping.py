"""Damping of beams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.hints import AnswersCalls


@dataclass(frozen=True)
class StiffnessProportional(metaclass=AnswersCalls):
    """Kelvin–Voigt material: stress = E (ε + β ε̇). Argument: `beta` [s].

    A vibration of frequency ω [rad/s] has the damping ratio βω/2. Rigid motion is not damped.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("cantilever")
    >>> of = fm.planar.BeamProperties(EA=1e6, EI=100.0, rhoA=1.0)
    >>> soft = fm.StiffnessProportional(beta=1e-4)
    >>> rod = m.add_beam("rod", m.ground, (1, 0), properties=of, elements=2, damping=soft)
    >>> found = fm.complex_modes(m, 1)
    >>> round(float(found.damping[0] / abs(found.eigenvalues[0])), 9)  # ½ β ω
    5e-05
    """

    beta: float

    def __post_init__(self) -> None:
        checks.check_fields(self, checks.not_negative, "stiffness-proportional damping", "beta")


@dataclass(frozen=True)
class ModalDamping(metaclass=AnswersCalls):
    """One damping ratio for all vibration modes of the free beam element, or one ratio for each.

    The modes are those of one element with both ends free, not those of the mechanism. A slower mode of the mechanism
    is damped less: with a ratio of 1 % the first mode of a cantilever has 0.07 % with one element, 0.002 % with
    eight.

    Argument: `ratios` [–], a number or one number for each mode, lowest first (the last one serves for the rest).

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("free")
    >>> of = fm.planar.BeamProperties(EA=1e6, EI=100.0, rhoA=1.0)
    >>> rod = m.add_beam("rod", (0, 0), (1, 0), properties=of, damping=fm.ModalDamping(0.01))
    >>> found = fm.complex_modes(m, 4)
    >>> found.damping[~found.rigid].round(6).tolist()
    [0.01]
    """

    ratios: float | Sequence[float] | np.ndarray

    def __post_init__(self) -> None:
        ratios = checks.numbers(self.ratios, "ratios", "modal damping", "a number, or one number for each mode")
        if ratios.ndim > 1 or not ratios.size:
            raise ModelError(f"modal damping: ratios are {checks.quoted(self.ratios)}; give a number, or one a mode")
        for ratio in np.atleast_1d(ratios).tolist():
            checks.not_negative(ratio, "damping ratio", "modal damping")
        object.__setattr__(self, "ratios", tuple(ratios.tolist()) if ratios.ndim else float(ratios))

    def values(self, number: int) -> list[float]:
        """Ratios of `number` modes."""
        ratios = list(np.atleast_1d(self.ratios).tolist())
        return (ratios + [ratios[-1]] * number)[:number]

    def check(self, modes: int, where: str) -> None:
        """Refuse more ratios than an element has modes; `where` names the beam."""
        count = np.size(self.ratios)
        if count > max(modes, 1):
            raise ModelError(
                f"{where}: its modal damping has {count} ratios, an element has {modes} modes; leave out those that "
                "have no effect, or give it more modes"
            )


Damping = StiffnessProportional | ModalDamping
