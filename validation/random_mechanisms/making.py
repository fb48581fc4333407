"""How random mechanisms are made: by calls of the public interface, one of which may get a senseless argument."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

#: wrong values that replace one argument
WRONG: tuple[Any, ...] = (
    *(None, float("nan"), float("inf"), -1.0, 0.0, 1e308, 1e-308, True, 1j, "x", "", "a\0b", b"x"),
    *([], (), {}, [1.0], (1.0, float("nan")), (1.0, 2.0, 3.0), np.zeros(0), np.zeros((2, 2)), object(), 10**9),
)


@dataclass
class Mechanism:
    """A model, its length [m], the time [s] of its slower motions, whether it is controlled, whether it is free: then
    nothing changes its momentum, and whether it is stiff: beams or smooth friction are much faster than its motions;
    the world in which it is expressed, and what was drawn."""

    model: Any
    length: float
    time: float
    controlled: bool = False
    free: bool = False
    stiff: bool = False
    world: Any = None
    drawn: set[str] = field(default_factory=set)


@dataclass
class Maker:
    """Calls the public interface; `wrong` is the number of the call that gets one wrong argument."""

    rng: np.random.Generator
    wrong: int = -1
    calls: int = field(default=0, init=False)

    def __call__(self, function: Callable[..., Any], /, *given: Any, **named: Any) -> Any:
        number, self.calls = self.calls, self.calls + 1
        if number == self.wrong:
            places: list[Any] = [*range(len(given)), *named]
            place = places[self.rng.integers(len(places))]
            senseless = WRONG[self.rng.integers(len(WRONG))]
            if isinstance(place, int):
                given = (*given[:place], senseless, *given[place + 1 :])
            else:
                named = {**named, place: senseless}
        return function(*given, **named)

    def uniform(self, low: float, high: float) -> float:
        return float(self.rng.uniform(low, high))

    def power(self, low: float, high: float) -> float:
        """10 to a random power between these."""
        return float(10.0 ** self.rng.uniform(low, high))

    def chance(self, part: float) -> bool:
        return bool(self.rng.random() < part)

    def choice(self, *things: Any) -> Any:
        return things[self.rng.integers(len(things))]


@dataclass(frozen=True)
class Scales:
    """What sizes a mechanism has: its length [m], mass of a link [kg] and time [s]."""

    length: float
    mass: float
    time: float

    @property
    def force(self) -> float:
        return self.mass * self.length / self.time**2

    @property
    def torque(self) -> float:
        return self.force * self.length

    @classmethod
    def by_chance(cls, make: Maker, gravity: float) -> Scales:
        """Light or heavy, small or large; the time is that in which gravity moves it, if there is any."""
        length, mass = make.power(-2, 1), make.power(-3, 3)
        return cls(length, mass, float(np.sqrt(length / gravity)) if gravity else make.power(-2, 1))
