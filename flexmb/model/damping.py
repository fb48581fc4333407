"""Damping of beams."""

from __future__ import annotations

from dataclasses import dataclass

from flexmb.model import checks


@dataclass(frozen=True)
class StiffnessProportional:
    """Kelvin–Voigt material: stress = E (ε + β ε̇). Argument: `beta` [s].

    A vibration of frequency ω [rad/s] gets the damping ratio βω/2; rigid motion is not damped.
    """

    beta: float

    def __post_init__(self) -> None:
        checks.not_negative(self.beta, "beta", "stiffness-proportional damping")


@dataclass(frozen=True)
class ModalDamping:
    """The same damping ratio for each vibration mode of the free beam element, or one ratio a mode.

    The modes are those of one element with both ends free, not those of the mechanism. A mode of the whole that is slow
    against them gets less: with a ratio of 1 % the first mode of a cantilever has 0.07 % with one element, 0.002 % with
    eight.

    Argument: `ratios` [–], a number or one number for each mode, lowest first (the last one serves for the rest).
    """

    ratios: float | tuple[float, ...]

    def __post_init__(self) -> None:
        for ratio in self.values(1):
            checks.not_negative(ratio, "damping ratio", "modal damping")

    def values(self, number: int) -> list[float]:
        """Ratios of `number` modes."""
        given = [float(self.ratios)] if isinstance(self.ratios, int | float) else [float(r) for r in self.ratios]
        return (given + [given[-1]] * number)[: max(number, len(given))]


Damping = StiffnessProportional | ModalDamping
