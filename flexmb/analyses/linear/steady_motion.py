"""Steady motion: a mechanism goes on for ever in the same way, and its linear model has constant coefficients.

The whole mechanism turns at Ω about an axis of space, which may be zero: a vehicle runs straight ahead then. Each body
may spin besides, at ω_s about an axis of its own: the wheels of a bicycle roll. Ω is found from the accelerations
(:mod:`flexmb.analyses.vibration.steady_readings`). What is small around the motion is measured in axes that go along
with it (:mod:`flexmb.analyses.statics.rotation`); changes there are x_c = T x with T(0) = 1 and dT/dt = S T,

    S = −Ω × (places, directions),    S = ω_s × (turns of a body),    S = 0 (all others)

In them the coefficients are constant if the mechanism has the symmetries that its motion needs: wheels with equal
inertia about all axes across their own, roads without bumps. That is seen by moving the mechanism along, and computing
accelerations and coefficients there anew.

Where a vehicle is, its heading and the turns of its wheels matter to no force. Such cyclic positions go on as cyclic
positions and move no speeds: they stay (A c = 0), move one another (a heading moves the place aside), or seem to go
round where the axes turn (poles ±iΩ). Their poles 0 are of higher order, which rounding would scatter. They are left
out of the states, but for those on which outputs depend. A pole 0 that is left is that of steady motion at another
speed. Where the whole turns, a heading turns speeds too, and stays among the states with a pole 0 of its own.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np

from flexmb.analyses.linear.linear_model import LinearModel
from flexmb.analyses.linear.truncation import invariant_part, null_space, without
from flexmb.analyses.statics.rotation import SteadyRotation, check_orbit, spin_of_orbit
from flexmb.analyses.vibration.steady_readings import (
    STEADY,
    ZERO,
    differences,
    fastest,
    noticeable,
    possible_turns,
    slow,
)
from flexmb.errors import InitialConditionWarning, LinearModelError
from flexmb.results.state import State
from flexmb.solvers.start.initial import consistent_state

#: radians by which the mechanism is moved along to see whether it goes on in the same way
ALONG = (0.7, 2.0)
#: slower motions than this [rad/s, or lengths per s] are moved along by as much time as these
SLOWEST = 0.05
#: units of outputs that a small mechanism has small
LENGTHS = ("m", "m/s", "m/s²")


def steady_motions(state: State, where: str) -> list[SteadyRotation]:
    """The steady motions that a state may belong to, by its accelerations; a LinearModelError if there is none."""
    system, gravity = state.system, state.system.model.gravity
    instead = "a state that goes on in the same way"
    if gravity.is_central:
        turn = gravity.rate * gravity.normal
        check_orbit(gravity, turn, where)
        turns, off = [turn], differences(state, turn)
        instead = f"what turns with the orbit: fm.equilibrium(model, {spin_of_orbit(gravity)})"
    else:
        turns, off = possible_turns(state)
    worst = int(np.argmax(off))
    if off[worst] > noticeable(state, turns[0]):
        raise LinearModelError(
            f"{where}: the state is no steady motion: its accelerations differ from those of one by up to "
            f"{off[worst]:.3g} rad/s² (or of the mechanism's length in s²), most that of {system.names[worst]!r}; give "
            f"{instead}, or steady=False for the coefficients of this instant"
        )
    return [SteadyRotation.through(system, state.q, state.v, turn) for turn in turns]


def states_along(motion: SteadyRotation, state: State, where: str) -> Iterator[tuple[float, State]]:
    """Times [s] with the states that the mechanism has then, if it goes on steadily; a LinearModelError if it does
    not."""
    system = state.system
    fast = fastest(state, motion.turn)
    if fast == 0.0:
        return
    for angle in ALONG:
        h = angle / max(fast, SLOWEST * slow(state))
        q, v = motion.after(h, state.q, state.v)
        moved = f"{where}: the state is no steady motion: moved along with it for {h:.3g} s,"
        g, rate, _ = system.constraint(state.t + h, q, v)
        errors = np.maximum(np.abs(np.where(system.at_speed, 0.0, g)), np.abs(rate) / fast) / system.row_scale
        if len(errors) and np.max(errors) > STEADY:
            row = int(np.argmax(errors))
            raise LinearModelError(
                f"{moved} {system.rows[row].where} would be off by {errors[row]:.3g} rad (or of the mechanism's "
                "length); give a state that goes on in the same way, or steady=False for the coefficients of this "
                "instant"
            )
        with warnings.catch_warnings():  # of gaps that were found to be small, in a state that nobody has given
            warnings.simplefilter("ignore", InitialConditionWarning)
            q, v, a, lam, _, _ = consistent_state(system, state.t + h, q, v, of_model=False)
        q, v, a = q[: system.nq], v[: system.n], a[: system.n]
        off = np.abs(a - motion.accelerations(q, v)) / system.scale
        worst = int(np.argmax(off))
        if off[worst] > noticeable(state, motion.turn):
            raise LinearModelError(
                f"{moved} accelerations differ by up to {off[worst]:.3g} rad/s² (or of the mechanism's length in s²), "
                f"most that of {system.names[worst]!r}; give a state that goes on in the same way, or steady=False for "
                "the coefficients of this instant"
            )
        yield h, State(system, state.t + h, q, v, a, lam, state.held)


def check_constant(
    model: LinearModel, later: LinearModel, h: float, size: np.ndarray, length: float, least: float, where: str
) -> None:
    """Refuse a linear model whose coefficients are others `h` seconds later; `size` (k,) of its states, `length` of the
    mechanism [m], and a rate `least` [rad/s] of slow motions."""

    def differ(first: np.ndarray, second: np.ndarray, value: float = 0.0) -> np.ndarray:
        largest = np.max(np.abs(first), initial=0.0)
        return np.abs(second - first) > max(STEADY * largest, ZERO * abs(value))

    A, later_A = (x.A * size / size[:, None] for x in (model, later))
    # row by row, so that stiff springs do not hide slow motions
    largest = np.max(np.abs(A), axis=1, initial=0.0)
    row = np.maximum(largest, max(1e-3 * least**2, 1e-8 * float(np.max(largest, initial=0.0))))
    changes = np.max(np.abs(later_A - A), axis=1, initial=0.0) / row
    bad = np.argsort(-changes)[: int(np.sum(changes > STEADY))]
    if len(bad):
        change = changes[bad[0]]
        raise LinearModelError(
            f"{where}: to {STEADY:g} of its fastest accelerations the motion is steady, but what is small around it "
            f"has no constant coefficients: after {h:.3g} s they differ by {change:.2g} of the largest in the rate of "
            f"{model.states[bad[0]]!r}; give a state that goes on more exactly in the same way; bodies that spin need "
            "equal inertia about all axes across their own, and equal supports"
        )
    for j, name in enumerate(model.inputs):
        if differ(model.B[:, j] / size, later.B[:, j] / size).any():
            raise LinearModelError(
                f"{where}: input {name!r} keeps its direction while the mechanism turns, so it is none of constant "
                "coefficients; take a force between parts of the mechanism, or one that follows it"
            )
    for i, name in enumerate(model.outputs):
        now, then = (np.append(x.C[i] * size, x.D[i]) for x in (model, later))
        value, unit = model.operating_outputs[i], model.output_units[i]
        least = min(1.0, length) if unit in LENGTHS else 1.0
        change = abs(later.operating_outputs[i] - value)
        if differ(now, then, value).any() or change > STEADY * max(least, abs(value)):
            raise LinearModelError(
                f"{where}: output {name!r} goes on changing along the steady motion, so it has no constant "
                "coefficients; take one that stays the same, such as the angle of a joint or a speed along a straight "
                "way"
            )


def without_cyclic(
    model: LinearModel, positions: int, size: np.ndarray, turn: np.ndarray
) -> tuple[LinearModel, np.ndarray]:
    """The model without the cyclic positions among its first `positions` states, and the directions (k, c) of these;
    `size` (k,) of the states, `turn` Ω (3,)."""
    A = model.A * size / size[:, None]
    C = model.C * size
    C = C / np.maximum(np.max(np.abs(C), axis=1, initial=0.0), 1e-300)[:, None]
    # rates in units of what each can be, so that stiff springs do not hide slow motions
    unit = np.maximum(1.0, np.max(np.abs(A), axis=1, initial=0.0))
    slow = ZERO * float(np.max(unit[:positions], initial=1.0))
    # positions that no output shows, and that go on as such positions
    hidden = np.eye(len(A))[:, :positions] @ null_space(C[:, :positions], ZERO)
    hidden = invariant_part(A, hidden, unit[:, None], ZERO)
    inside = hidden.T @ A @ hidden
    spin = float(turn @ turn)
    found = np.zeros((len(inside), 0))
    for factor, allowed in ((inside, slow), (inside @ inside + spin * np.eye(len(inside)), slow * (1.0 + spin))):
        own = np.zeros((len(inside), 0))
        while True:
            grown = null_space(factor - own @ (own.T @ factor), allowed)
            if grown.shape[1] == own.shape[1]:
                break
            own = grown
        found = np.hstack([found, own])
        if not spin:
            break
    directions = hidden @ found
    return without(model, directions, size), directions * size[:, None]
