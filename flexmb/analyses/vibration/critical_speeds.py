"""The speeds at which a load that goes round with a rotor, or repeats with its turns, meets a frequency.

A branch of modes Re(φ e^{λt}) with f = Im λ consists, across the axis of rotation, of a circle run through at f with
the share s₊ of the motion, one at −f with the share s₋, and along the axis of a swing, see
:mod:`flexmb.analyses.vibration.whirl`. In axes that turn at a rate r against those of the modes the circles go round at
f − r and −f − r, and the swing stays as it is.

A load that turns at a rate ρ excites what goes round at ρ: unbalance, which turns with the rotor, excites forward
circles, and what rests, such as weight, excites circles that rest. A load of a fixed direction that repeats n times a
turn is the sum of two that turn at nΩ and at −nΩ.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

#: parts of a motion below this share are none: a thirtieth of its amplitude
NO_SHARE = 1e-3
#: a motion goes round in circles if this share of it does
CIRCLE = 0.9
#: a branch is at the rate of a load if it differs by no more than this part
SAME = 1e-9


class CriticalSpeed(NamedTuple):
    """A speed at which a mode (counted from 0) is excited by a load of so many turns or swings a turn of the rotor, its
    order: `speed` [rad/s], `frequency` [Hz] of the load in the `axes`, 'ground' or 'turning'; `whirl` 'forward',
    'backward' or '' of the mode as it goes round in axes of the ground.

    >>> import flexmb as fm
    >>> def build(speed):
    ...     m = fm.PlanarModel("Jeffcott")
    ...     shaft = m.add_body("shaft", mass=1.0, inertia=1.0)
    ...     bearing = m.revolute(m.ground, shaft.frame)
    ...     motor = m.drive_angle(m.ground, shaft.frame, fm.Polynomial([0.0, speed]))
    ...     disk = m.add_body("disk", mass=1.0, inertia=1.0)
    ...     bending = m.bushing(shaft.frame, disk.frame, stiffness=(25.0, 25.0, 400.0))
    ...     return m
    >>> found = fm.campbell(build, [0.0, 4.0, 8.0], 2)
    >>> critical = found.critical_speeds()[0]
    >>> round(critical.speed, 6), critical.whirl
    (5.0, 'forward')
    """

    order: float
    mode: int
    speed: float
    frequency: float
    axes: str = "turning"
    whirl: str = ""


class Branch(NamedTuple):
    """A branch of modes over the speed: λ (k,) [rad/s], whose Im λ goes on through zero; the shares s₊, s₋, s₀ (k, 3)
    that belong to it; and whether some mode grows at a speed (k,)."""

    values: np.ndarray
    shares: np.ndarray
    grows: np.ndarray

    def meetings(self, speeds: np.ndarray, rate: np.ndarray, ground: np.ndarray) -> list[float]:
        """The speeds at which a circle of the branch goes round at the rate (k,) [rad/s] of a load; `ground` (k,): the
        rate at which the axes of the modes turn against the ground."""
        found: dict[int, tuple[float, float]] = {}
        f, creeps = self.values.imag, (self.values.imag == 0.0) & (self.values != 0.0)
        for share, turning in ((self.shares[:, 0], f), (self.shares[:, 1], -f)):
            for k, speed in _crossings(speeds, turning + ground, rate + ground):
                size = float(np.max(share[k : k + 2]))
                if not np.any(creeps[k : k + 2]) and size > max(NO_SHARE, found.get(k, (0.0,))[0]):
                    found[k] = (size, speed)
        if not rate.any():
            found.update({k: (1.0, speed) for k, speed in _losses_of_stability(self, speeds)})
        return [speed for _, speed in found.values()]

    def swings_at(self, speeds: np.ndarray, rate: np.ndarray, ground: np.ndarray, along: bool = False) -> list[float]:
        """The speeds at which |Im λ| is the rate (k,) [rad/s]; where there is motion `along` the axis, if asked for."""
        found, f = [], self.values.imag
        turning = np.where(self.shares[:, 0] > self.shares[:, 1], f, -f)
        for k, speed in _crossings(speeds, np.abs(f), rate):
            two, share = slice(k, k + 2), self.shares[k : k + 2]
            if along and np.max(share[:, 2]) <= NO_SHARE:
                continue
            if np.all(share[:, :2].max(axis=1) > CIRCLE) and np.all(turning[two] * turning[k] > 0.0):
                # of circles the frequency against the ground is the one that changes little with the speed
                there = ground[two]
                speed = _between(speeds[two], turning[two] + there, np.sign(turning[k]) * rate[two] + there)
            found.append(speed)
        return found


def _crossings(speeds: np.ndarray, a: np.ndarray, b: np.ndarray) -> Iterator[tuple[int, float]]:
    """Numbers of the intervals of speed in which a (k,) crosses b (k,), and the speeds.

    Where both keep their signs, their squares are linear in the square of the speed, as for centrifugal stiffening
    (Southwell's formula); elsewhere they are linear in the speed.
    """
    ahead = np.where(np.abs(a - b) <= SAME * (np.abs(a) + np.abs(b)), 0.0, a - b)
    for k in np.flatnonzero((ahead[:-1] != 0.0) & (ahead[:-1] * ahead[1:] <= 0.0)).tolist():
        yield k, _between(speeds[k : k + 2], a[k : k + 2], b[k : k + 2])


def _between(speeds: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    """The speed at which a (2,) crosses b (2,)."""
    pairs = np.array([speeds, a, b])
    if np.all(pairs[:, 0] * pairs[:, 1] >= 0.0) and np.all(pairs[1] * pairs[2] >= 0.0):
        return _in_squares(speeds, a**2 - b**2)
    return float(speeds[0] + (a[0] - b[0]) / (a[0] - b[0] - a[1] + b[1]) * (speeds[1] - speeds[0]))


def _in_squares(speeds: np.ndarray, values: np.ndarray) -> float:
    """The speed at which values (2,) that are linear in its square are zero."""
    share = values[0] / (values[0] - values[1])
    square = speeds[0] ** 2 + share * (speeds[1] ** 2 - speeds[0] ** 2)
    return float(np.sign(np.sum(speeds)) * np.sqrt(max(square, 0.0)))


def _losses_of_stability(branch: Branch, speeds: np.ndarray) -> Iterator[tuple[int, float]]:
    """Where λ becomes zero and real: a load at rest in these axes then moves a mode without limit, on both sides of the
    speeds at which it grows. λ² is linear in the square of the speed."""
    values, swings = branch.values, branch.values.imag != 0.0
    for k in range(len(speeds) - 1):
        pair = values[k : k + 2]
        if swings[k] != swings[k + 1] and branch.grows[k + int(swings[k])]:
            squares = np.where(pair.imag != 0.0, pair.imag**2 - pair.real**2, -(pair.real**2))
            if squares[0] * squares[1] < 0.0:
                yield k, _in_squares(speeds[k : k + 2], squares)
        elif not swings[k] and not swings[k + 1] and pair[0].real * pair[1].real < 0.0:
            yield k, _between(speeds[k : k + 2], pair.real, np.zeros(2))
