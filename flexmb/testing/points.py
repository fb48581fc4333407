"""Checks of the kernels `point` and `point_jacobian`: rates, rigid motion, derivatives."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from flexmb.algebra.differences import derivative
from flexmb.kernels.widths import PLACE, POINT_ROWS, RATES, SECOND_RATES
from flexmb.testing.differences import (
    SEEDS,
    TOLERANCE,
    Part,
    TrialState,
    along_weights,
    check_agreement,
    kernel_weights,
    less_than_a_turn,
    slopes,
    time_step,
    trials,
)
from flexmb.testing.recorder import UNIT, Array, RecordedInstance, Recorder, require

#: places along an instance at which its points are checked
PLACES = (0.0, 0.31, 0.77, 1.0)


def check_point(part: Part, seeds: Iterable[int] = SEEDS, tol: float = TOLERANCE) -> None:
    """Rates and second rates of points are the derivatives of their places; a point moves rigidly with the
    whole."""
    for recorder, instance, whole in trials(part, seeds, "point"):
        for along in PLACES:
            _check_point(recorder, instance, whole, along, tol)


def _check_point(recorder: Recorder, instance: RecordedInstance, whole: TrialState, along: float, tol: float) -> None:
    where, s = instance.where("point"), whole.at(instance.columns)
    w = along_weights(instance, along)

    def point(s: TrialState) -> Array:
        return instance.call("point", s.t, s.q, s.v, s.a, w=w)[0]

    now = point(s)

    def motion(x: float) -> Array:
        there = point(s.later(x))
        there[2] = now[2] + less_than_a_turn(there[2] - now[2])
        return there

    rate, error = derivative(motion, time_step(whole, recorder.scales))
    units = np.array([1.0, 1.0, recorder.size])
    for order, k in (("rate", 3), ("second rate", 6)):
        check_agreement(
            lambda e, order=order: f"{where}: {order} of {('x', 'y', 'angle')[e[0]]} at {along:g}",
            now[k : k + 3], rate[k - 3 : k], tol, error=error[k - 3 : k], units=units,
        )  # fmt: skip
    turn, shift = 0.8, np.array([0.3, -0.6]) * recorder.size
    q = recorder.moved(whole.q, turn, shift)[instance.columns]
    there = instance.call("point", s.t, q, w=w)[0][:3]
    c, sn = np.cos(turn), np.sin(turn)
    x, y, angle = now[:3]
    place = np.array([c * x - sn * y + shift[0], sn * x + c * y + shift[1]])
    sentence = f"at {along:g} after a rigid motion"
    noise = 1e-12 * recorder.size
    check_agreement(lambda e: f"{where}: {'xy'[e[0]]} {sentence}", there[:2], place, 1e-10, noise=noise)
    off = less_than_a_turn(there[2] - angle - turn)
    require(
        abs(off) < 1e-9,
        f"{where}: the angle at {along:g} turns by {turn + off:.10g} when the whole turns by {turn:g}",
    )


def check_point_jacobian(part: Part, seeds: Iterable[int] = SEEDS, tol: float = TOLERANCE) -> None:
    """J of a point against differences of its place and of its rates, J a against its second rates, and K against
    differences of Jᵀ f."""
    for recorder, instance, whole in trials(part, seeds, "point_jacobian"):
        name = instance.where("point_jacobian")
        require(instance.kernels.point is not None, f"{name} comes without a kernel `point`")
        for along in PLACES:
            _check_point_jacobian(recorder, instance, whole.at(instance.columns), along, tol)


def _check_point_jacobian(
    recorder: Recorder, instance: RecordedInstance, s: TrialState, along: float, tol: float
) -> None:
    name, nv = instance.where("point_jacobian"), len(instance.columns)
    scales = recorder.scales[instance.columns]
    names = [recorder.names[c] for c in instance.columns]
    force = np.array([0.8, -0.5, 0.7])
    at, weights = along_weights(instance, along), kernel_weights(instance, "point_jacobian", UNIT[2], along)
    out, K = instance.call("point_jacobian", s.t, s.q, s.v, lam=force, w=weights)
    J = out.reshape(POINT_ROWS, nv)
    rows = ("x", "y", "angle")
    still, there = (np.broadcast_to(x, (nv, nv)) for x in (s.v, s.q))

    def point(q: Array, v: Array, a: Array | None = None) -> Array:
        return instance.call("point", s.t, q, v, a, w=at)[0]

    now = point(s.q, s.v)

    def places(moves: Array) -> Array:
        found = point(s.q + moves, still)[:, PLACE]
        found[:, 2] = now[2] + less_than_a_turn(found[:, 2] - now[2])
        return found

    by_place = slopes(places, scales)
    by_rate = slopes(lambda moves: point(there, s.v + moves)[:, RATES], scales, 1.0)
    rounding = 1e-15 * (np.abs(J) @ np.abs(s.v))[:, None] / scales[None, :]
    for (wanted, error), how in ((by_place, ""), (by_rate, " (as the change of its rate)")):
        check_agreement(
            lambda e, how=how: f"{name}: ∂{rows[e[0]]}/∂[{names[e[1]]}] at {along:g}{how}",
            J, wanted, tol, error=error, units=scales[None, :], noise=rounding,
        )  # fmt: skip
    moved = point(s.q, s.v, s.a)[SECOND_RATES] - now[SECOND_RATES]
    check_agreement(
        lambda e: f"{instance.where('point')}: the part of the second rate of {rows[e[0]]} at {along:g} linear in a",
        moved, J @ s.a, tol, noise=1e-13 * (np.abs(J) @ np.abs(s.a) + np.abs(now[SECOND_RATES])),
    )  # fmt: skip

    def pull(moves: Array) -> Array:
        there = instance.call("point_jacobian", s.t, s.q + moves, still, lam=force, w=weights)[0]
        return np.einsum("nmj,m->nj", there.reshape(nv, POINT_ROWS, nv), force)

    wanted, error = slopes(pull, scales)
    units = scales[:, None] * scales[None, :]
    check_agreement(
        lambda e: f"{name}: K = ∂(Jᵀf)/∂q, entry [{names[e[0]]}, {names[e[1]]}]",
        K, wanted, tol, error=error, units=units,
        noise=1e-12 * float(np.max(np.abs(J.T * force) * scales[:, None])) / units,
    )  # fmt: skip
    weightless = kernel_weights(instance, "point_jacobian", np.zeros(3), along)
    none = instance.call("point_jacobian", s.t, s.q, s.v, lam=force, w=weightless)[1]
    require(not none.any(), f"{name} adds to K although its weight is zero")
