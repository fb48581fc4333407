"""Checks of the kernels `point` and `point_jacobian`: rates, rigid motion, derivatives."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.algebra.differences import extrapolated, halved_steps
from flexmb.kernels.widths import PLANE, SIDES, SPACE, Widths
from flexmb.testing.derivatives import many
from flexmb.testing.differences import (
    SEEDS,
    TOLERANCE,
    Part,
    along_weights,
    check_agreement,
    kernel_weights,
    less_than_a_turn,
    slopes,
    time_step,
    trials,
)
from flexmb.testing.motions import RigidMotion, TrialState
from flexmb.testing.recorded import UNIT, Array, RecordedInstance, require
from flexmb.testing.recorder import Recorder

#: places along an instance at which its points are checked
PLACES = (0.0, 0.31, 0.77, 1.0)
#: what the rows of the Jacobian of a point are, in the plane and in space
ROWS = {2: ("x", "y", "angle"), 3: ("x", "y", "z", "turn about x", "turn about y", "turn about z")}
#: the motion of the whole with which points must move
MOTIONS = {
    2: RigidMotion(np.array([0.8]), np.array([0.3, -0.6])),
    3: RigidMotion(np.array([0.5, -0.9, 0.3]), np.array([0.3, -0.6, 0.2])),
}


def side_of(point: Array) -> Widths:
    """The side of the table of widths to which points (…, 9) or (…, 19) belong."""
    return PLANE if point.shape[-1] == len(PLANE.point) else SPACE


def change(point: Array, before: Array) -> Array:
    """How points (…, 9) or (…, 19) differ from an earlier one in their places, (…, 3): position and angle, or in space
    (…, 6): position, and the rotation vector in the axes of the ground that turns it there."""
    if side_of(before) is PLANE:
        moved = point[..., PLANE.place] - before[PLANE.place]
        moved[..., 2] = less_than_a_turn(moved[..., 2])
        return np.asarray(moved)
    turns = [Rotation.from_quat(np.roll(x[..., SPACE.orientation], -1, axis=-1)) for x in (point, before)]
    moved = point[..., SPACE.position] - before[SPACE.position]
    return np.concatenate([moved, (turns[0] * turns[1].inv()).as_rotvec()], axis=-1)


def rates(point: Array) -> Array:
    """The rates (…, 3) or (…, 6) of a point."""
    return point[..., side_of(point).rates]


def second_rates(point: Array) -> Array:
    """The second rates (…, 3) or (…, 6) of a point."""
    return point[..., side_of(point).second_rates]


def check_point(part: Part, seeds: Iterable[int] = SEEDS, tol: float = TOLERANCE) -> None:
    """Rates and second rates of points are the derivatives of their places; a point moves rigidly with the whole, of an
    owner with `axis_alone` its x-axis.

    >>> import flexmb as fm
    >>> from flexmb import testing
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=2.0, inertia=0.1, center=(0.2, 0.1))
    >>> part = testing.Recorder.of(body)
    >>> testing.check_point(part)
    """
    for recorder, instance, whole in trials(part, seeds, "point"):
        s, step = instance.at(whole), time_step(whole, recorder.scales)
        around = [s.later(h) for h in halved_steps(step).tolist()]
        for along in PLACES:
            _check_point(recorder, instance, whole, around, step, along, tol)


def _check_point(
    recorder: Recorder,
    instance: RecordedInstance,
    whole: TrialState,
    around: list[TrialState],
    step: float,
    along: float,
    tol: float,
) -> None:
    """`around`: the states of the instance before and after that of the whole, by halved steps of time."""
    where, s = instance.where("point"), instance.at(whole)
    w, d = along_weights(instance, along), recorder.dimension

    def point(s: TrialState) -> Array:
        return instance.call("point", s.t, s.q, s.v, s.a, w=w)[0]

    now = point(s)
    if d == 3:
        length = float(np.linalg.norm(now[SPACE.orientation]))
        require(abs(length - 1.0) < 1e-9, f"{where}: the quaternion at {along:g} has the length {length:.10g}, not 1")

    points = np.array([point(state) for state in around])
    slope, error = extrapolated(np.hstack([change(points, now), rates(points)]), step)
    rows = len(ROWS[d])
    units = np.repeat([1.0, recorder.size], (d, rows - d))
    first, second = slice(0, rows), slice(rows, 2 * rows)
    for order, given, k in (("rate", rates(now), first), ("second rate", second_rates(now), second)):
        check_agreement(
            lambda e, order=order: f"{where}: {order} of {ROWS[d][e[0]]} at {along:g}",
            given, slope[k], tol, error=error[k], units=units,
        )  # fmt: skip
    turn = RigidMotion(MOTIONS[d].turn, MOTIONS[d].shift * recorder.size)
    there = instance.call("point", s.t, recorder.moved(whole.q, turn)[instance.coordinates], w=w)[0]
    wanted = now.copy()
    wanted[:d] = turn.of_point(now[:d])
    if d == 3:
        wanted[SPACE.orientation] = turn.of_orientation(now[SPACE.orientation])
    else:
        wanted[2] += turn.turn[0]
    off = change(there, wanted)
    if d == 3 and instance.owner.axis_alone:
        axes = (Rotation.from_quat(np.roll(x[SPACE.orientation], -1)).apply((1.0, 0.0, 0.0)) for x in (there, wanted))
        off[d:] = np.cross(*axes)
    sentence = f"at {along:g} after a rigid motion"
    noise = 1e-12 * recorder.size
    check_agreement(
        lambda e: f"{where}: {'xyz'[e[0]]} {sentence}", there[:d], wanted[:d], 1e-10, noise=noise
    )  # fmt: skip
    require(
        float(np.max(np.abs(off[d:]))) < 1e-9,
        f"{where}: the {'angle' if d == 2 else 'orientation'} at {along:g} is off by {off[d:].tolist()} rad when the "
        f"whole turns by {turn}",
    )


def check_point_jacobian(part: Part, seeds: Iterable[int] = SEEDS, tol: float = TOLERANCE) -> None:
    """J of a point against differences of its place and of its rates, J a against its second rates, and K against
    differences of Jᵀ f.

    >>> import flexmb as fm
    >>> from flexmb import testing
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=2.0, inertia=0.1, center=(0.2, 0.1))
    >>> part = testing.Recorder.of(body)
    >>> testing.check_point_jacobian(part)
    """
    for recorder, instance, whole in trials(part, seeds, "point_jacobian"):
        name = instance.where("point_jacobian")
        require(instance.kernels.point is not None, f"{name} comes without a kernel `point`")
        for along in PLACES:
            _check_point_jacobian(recorder, instance, instance.at(whole), along, tol)


def _check_point_jacobian(
    recorder: Recorder, instance: RecordedInstance, s: TrialState, along: float, tol: float
) -> None:
    name, nv, d = instance.where("point_jacobian"), len(instance.columns), recorder.dimension
    scales = recorder.scales[instance.columns]
    names, rows = [recorder.names[c] for c in instance.columns], ROWS[d]
    force = np.array([0.8, -0.5, 0.7, -0.3, 0.6, 0.4])[: SIDES[d].rows]
    at, weights = along_weights(instance, along), kernel_weights(instance, "point_jacobian", UNIT[2], along)
    out, K = instance.call("point_jacobian", s.t, s.q, s.v, lam=force, w=weights)
    J = out.reshape(len(rows), nv)

    def point(q: Array, v: Array, a: Array | None = None) -> Array:
        return instance.call("point", s.t, q, v, a, w=at)[0]

    now = point(s.q, s.v)
    by_place = slopes(lambda moves: change(point(s.retracted(moves), many(s.v, moves)), now), scales)
    by_rate = slopes(lambda moves: rates(point(many(s.q, moves), s.v + moves)), scales, 1.0)
    # of two rates whose difference is taken each term rounds
    rounding = 2.0 * nv * np.finfo(float).eps * (np.abs(J) @ np.abs(s.v))[:, None] / scales[None, :]
    for (wanted, error), how in ((by_place, ""), (by_rate, " (as the change of its rate)")):
        check_agreement(
            lambda e, how=how: f"{name}: ∂{rows[e[0]]}/∂[{names[e[1]]}] at {along:g}{how}",
            J, wanted, tol, error=error, units=scales[None, :], noise=rounding,
        )  # fmt: skip
    moved = second_rates(point(s.q, s.v, s.a)) - second_rates(now)
    check_agreement(
        lambda e: f"{instance.where('point')}: the part of the second rate of {rows[e[0]]} at {along:g} linear in a",
        moved, J @ s.a, tol, noise=1e-13 * (np.abs(J) @ np.abs(s.a) + np.abs(second_rates(now))),
    )  # fmt: skip

    def pull(moves: Array) -> Array:
        there = instance.call("point_jacobian", s.t, s.retracted(moves), many(s.v, moves), lam=force, w=weights)[0]
        return np.einsum("nmj,m->nj", there.reshape(-1, len(rows), nv), force)

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
