"""Random states, and the comparison of two arrays of numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from flexmb.algebra.differences import derivative, extrapolated, halved_steps
from flexmb.model.components import Component
from flexmb.model.model import Model
from flexmb.testing.motions import TrialState
from flexmb.testing.recorded import Array, RecordedInstance
from flexmb.testing.recorder import SLANTED, Recorder, dimension_of

#: the argument of a check: one component, or a model, whose components are checked one by one
Part = Component | Model | Recorder
SEEDS = range(4)
TOLERANCE = 1e-7
#: about so many states are given to a kernel in one call, so that their matrices take little memory
AT_ONCE = 500


def random_state(recorder: Recorder, seed: int) -> TrialState:
    """A state near the initial one, then moved rigidly to any place. Odd seeds are nearer (1 % of the even ones). For
    the third and the fourth of each four seeds the motion is so fast that inertia forces are as large as elastic
    ones.

    >>> import flexmb as fm
    >>> from flexmb import testing
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=2.0, inertia=0.1, center=(0.2, 0.1))
    >>> part = testing.Recorder.of(body)
    >>> state = testing.random_state(part, seed=0)
    >>> state.q.shape, state.v.shape
    ((3,), (3,))
    """
    if seed in recorder.states:  # which every check of a component asks for
        return recorder.states[seed]
    rng = np.random.default_rng(seed)
    amounts = {"length": 0.1 * recorder.size, "angle": 0.3, "slope": 0.2}
    size = np.array([amounts[measure] for measure in recorder.numbering.measures]) * (0.01 if seed % 2 else 1.0)
    zero = np.zeros(len(size))
    near = recorder.state(0.0, recorder.q, zero, zero).retracted(size * rng.uniform(-1.0, 1.0, len(size)))
    q = recorder.moved(near, recorder.random_motion(rng, 3.0))
    scales = recorder.scales
    v = scales * rng.uniform(-1.0, 1.0, len(size))
    a = scales * rng.uniform(-1.0, 1.0, len(size))
    t = float(rng.uniform(0.1, 0.9))
    if seed % 4 >= 2:
        still = recorder.residual(t, q, zero, zero)
        inertia = recorder.residual(t, q, zero, a) - still
        ratio = np.linalg.norm(scales * still) / max(float(np.linalg.norm(scales * inertia)), 1e-300)
        speed = float(np.clip(np.sqrt(ratio), 1.0, 1e4)) if np.any(inertia) else 3.0
        v *= speed
        a *= speed**2
    recorder.states[seed] = recorder.state(t, q, v, a)
    return recorder.states[seed]


def time_step(state: TrialState, scales: Array) -> float:
    """A step for differences over time, in which no coordinate moves by more than about 2 % of its size."""
    fastest = max(1.0, *(np.abs(state.v) / scales), *np.sqrt(np.abs(state.a) / scales))
    return float(0.02 / fastest)


def state_powers(stored: Callable[[Array], float], v: Array, states: Array) -> Array:
    """The speeds v (n,), by which forces have power, with ∂(stored energy)/∂x in place of the `states` x among them
    (n,), booleans: what is stored may depend on these, as on the used mass of a tank; then their rates have power."""
    out = v.copy()
    for k in np.flatnonzero(states).tolist():
        along = np.eye(len(v))[k]
        out[k] = derivative(lambda x, along=along: np.array([stored(v + x * along)]), 0.1)[0][0]  # type: ignore[misc]
    return out


def slopes(f: Callable[[Array], Array], scales: Array, step: float = 0.02, levels: int = 6) -> tuple[Array, Array]:
    """Derivatives (m, n) of m numbers by n coordinates of the sizes `scales`, by differences, and their errors.

    `f(moves)` gives the numbers (k, m) for k states at once; each row of `moves` (k, n) moves one coordinate.
    """
    n = len(scales)
    by_steps = np.array([h * np.diag(scales) for h in halved_steps(step, levels)])
    parts = np.array_split(by_steps, -(-len(by_steps) * n // AT_ONCE) or 1)
    values = np.concatenate([f(part.reshape(len(part) * n, n)) for part in parts if len(part)])
    slope, error = extrapolated(values.reshape(len(by_steps), n, -1 if n else 0), step)
    return (slope / scales[:, None]).T, (error / scales[:, None]).T


def check_agreement(
    message: Callable[..., str],
    given: Array,
    wanted: Array,
    tolerance: float,
    *,
    error: Array | float = 0.0,
    units: Array | float = 1.0,
    noise: Array | float = 0.0,
) -> None:
    """Raise an AssertionError if a given number is not the wanted one; `message(index)` names the number at an index.

    Allowed are a relative `tolerance`, the `error` of differences, up to 1e-6 of the largest number (numbers times
    `units` are comparable), and the `noise`: the round-off of the terms whose sum the number is."""
    given, wanted = np.atleast_1d(given), np.atleast_1d(wanted)
    units = np.broadcast_to(np.asarray(units, dtype=float), given.shape)
    largest = max(float(np.max(np.abs(given) * units, initial=0.0)), float(np.max(np.abs(wanted) * units, initial=0.0)))
    doubt = np.minimum(10.0 * np.asarray(error), 1e-6 * largest / units) + 1e-12 * largest / units + noise
    allowed = tolerance * np.maximum(np.abs(given), np.abs(wanted)) + doubt
    wrong = ~(np.abs(given - wanted) <= allowed)
    if np.any(wrong):
        where = np.argwhere(wrong)
        off = [np.abs(given[tuple(k)] - wanted[tuple(k)]) * units[tuple(k)] for k in where]
        k = tuple(int(i) for i in where[int(np.nanargmax([np.inf if np.isnan(x) else x for x in off]))])
        raise AssertionError(f"{message(k)} is {given[k]:.10g}, but it must be {wanted[k]:.10g}")


def recorders(part: Part, light: bool = False) -> list[Recorder]:
    """The recorder itself, or one for the component, or one for each component of a model, under a slanted gravity or
    without any."""
    if isinstance(part, Recorder):
        return [part]
    components = [part] if isinstance(part, Component) else part.components.values()
    return [Recorder.of(component, None if light else SLANTED[dimension_of(component)]) for component in components]


def trials(part: Part, seeds: Iterable[int], *roles: str) -> Iterator[tuple[Recorder, RecordedInstance, TrialState]]:
    """Every kernel instance that has all these roles, at random states of the component it belongs to."""
    for recorder in recorders(part):
        for instance in recorder.instances_with(*roles):
            for seed in seeds:
                yield recorder, instance, random_state(recorder, seed)


def less_than_a_turn(angle: Any) -> Any:
    """An angle without its full turns, from −π to π."""
    return (angle + np.pi) % (2.0 * np.pi) - np.pi


@lru_cache(maxsize=64)
def along_weights(part: RecordedInstance, s: float) -> Array:
    """The argument `w` of a point or section kernel at a place s: the owner's `point_data` for it, or s itself. It is
    kept, as differences ask for it at one place many times."""
    data = getattr(part.owner, "point_data", None)
    return np.array([s, 0.0, 0.0]) if data is None else np.asarray(data(s), dtype=float)


def kernel_weights(part: RecordedInstance, role: str, weights: Array, s: float = 0.3) -> Array:
    """The argument `w` of a kernel of a role: the place s, and what it takes of the weights (wm, wd, wk)."""
    if role in ("point", "section"):
        return along_weights(part, s)
    return np.append(along_weights(part, s), weights[2]) if role == "point_jacobian" else weights
