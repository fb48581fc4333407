"""Random states, and the comparison of two numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Union

import numpy as np

from flexmb.model.components import Component
from flexmb.model.model import Model
from flexmb.testing.recorder import Array, RecordedInstance, Recorder

#: what the checks take: one component, or all of a model's
Part = Union[Component, "Model", Recorder]
SEEDS = range(4)
TOLERANCE = 1e-7


@dataclass
class TrialState:
    """A random state of a component."""

    t: float
    q: Array
    v: Array
    a: Array

    def at(self, columns: Array) -> TrialState:
        return TrialState(self.t, self.q[columns], self.v[columns], self.a[columns])

    def later(self, h: float) -> TrialState:
        """The state a time h later, with constant accelerations."""
        return TrialState(self.t + h, self.q + h * (self.v + 0.5 * h * self.a), self.v + h * self.a, self.a)


def random_state(recorder: Recorder, seed: int) -> TrialState:
    """A state near the initial one, then moved rigidly to anywhere. Odd seeds are nearer (1 % of the even
    ones), and from the third on the motion is so fast that inertia forces are of the size of the elastic
    ones."""
    rng = np.random.default_rng(seed)
    amounts = {"length": 0.1 * recorder.size, "angle": 0.3, "relative angle": 0.3, "slope": 0.2}
    size = np.array([amounts[kind] for kind in recorder.kinds]) * (0.01 if seed % 2 else 1.0)
    q = recorder.q + size * rng.uniform(-1.0, 1.0, len(size))
    q = recorder.moved(q, rng.uniform(-3.0, 3.0), recorder.size * rng.uniform(-1.0, 1.0, 2))
    scales = recorder.scales
    v = scales * rng.uniform(-1.0, 1.0, len(size))
    a = scales * rng.uniform(-1.0, 1.0, len(size))
    t = float(rng.uniform(0.1, 0.9))
    if seed % 4 >= 2:
        zero = np.zeros(len(q))
        still = recorder.residual(t, q, zero, zero)
        inertia = recorder.residual(t, q, zero, a) - still
        ratio = np.linalg.norm(scales * still) / max(float(np.linalg.norm(scales * inertia)), 1e-300)
        speed = float(np.clip(np.sqrt(ratio), 1.0, 1e4)) if np.any(inertia) else 3.0
        v *= speed
        a *= speed**2
    return TrialState(t, q, v, a)


def time_step(state: TrialState, scales: Array) -> float:
    fastest = max(1.0, *(np.abs(state.v) / scales), *np.sqrt(np.abs(state.a) / scales))
    return float(0.02 / fastest)


def compare(
    message: Callable[..., str],
    given: Array,
    found: Array,
    error: Array | float,
    tolerance: float,
    units: Array | float = 1.0,
    noise: Array | float = 0.0,
) -> None:
    """Every given number against the found one: within `tolerance` of the number itself, or within the
    `error` of the differences, but not more than 1e-6 of the largest number (`units` make them comparable),
    or within the rounding `noise` of the terms that it is a sum of."""
    given, found = np.atleast_1d(given), np.atleast_1d(found)
    units = np.broadcast_to(np.asarray(units, dtype=float), given.shape)
    largest = max(float(np.max(np.abs(given) * units, initial=0.0)), float(np.max(np.abs(found) * units, initial=0.0)))
    doubt = np.minimum(10.0 * np.asarray(error), 1e-6 * largest / units) + 1e-12 * largest / units + noise
    allowed = tolerance * np.maximum(np.abs(given), np.abs(found)) + doubt
    wrong = ~(np.abs(given - found) <= allowed)
    if np.any(wrong):
        where = np.argwhere(wrong)
        off = [np.abs(given[tuple(k)] - found[tuple(k)]) * units[tuple(k)] for k in where]
        k = tuple(int(i) for i in where[int(np.nanargmax([np.inf if np.isnan(x) else x for x in off]))])
        raise AssertionError(f"{message(k)} is {given[k]:.10g}, but it must be {found[k]:.10g}")


def recorders(part: Part, gravity: Any = (0.7, -9.81)) -> list[Recorder]:
    if isinstance(part, Recorder):
        return [part]
    if isinstance(part, Component):
        return [Recorder.of(part, gravity)]
    return [Recorder.of(component, gravity) for component in part.components.values()]


def along_weights(part: RecordedInstance, s: float) -> Array:
    """The `w` of a point or section kernel: what the owner's `point_data` makes of a place s, or s itself."""
    data = getattr(part.owner, "point_data", None)
    return np.array([s, 0.0, 0.0]) if data is None else np.asarray(data(s), dtype=float)
