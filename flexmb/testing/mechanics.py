"""Checks of mechanics: rigid motion, momentum, power, frame indifference."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from flexmb.algebra.differences import derivative
from flexmb.testing import differences
from flexmb.testing.differences import SEEDS, TOLERANCE, Part, TrialState, check_agreement, random_state, recorders
from flexmb.testing.recorder import UNIT, Array, Recorder, require


def check_rigid_motion(part: Part, seeds: Iterable[int] = SEEDS) -> None:
    """A rigid motion of the initial state, many turns too, changes neither strain energy nor strain forces,
    and a rigid spin dissipates nothing."""
    for recorder in recorders(part, (0.0, 0.0)):
        if recorder.instances_with("residual"):
            for seed in seeds:
                _check_rigid_motion(recorder, seed)


def _check_rigid_motion(recorder: Recorder, seed: int) -> None:
    where = recorder.where
    rng = np.random.default_rng(seed)
    turn = float(rng.uniform(-12.0, 12.0))
    q = recorder.moved(recorder.q, turn, recorder.size * rng.uniform(-1.0, 1.0, 2))
    zero = np.zeros(len(q))
    scales = recorder.scales
    units = np.outer(scales, scales)
    stiffness = np.abs(recorder.tangent(0.0, recorder.q, zero, zero, UNIT[2])) * units
    noise = 1e-11 * float(np.max(stiffness, initial=0.0))
    before, now = recorder.energy(0.0, recorder.q, zero)[1], recorder.energy(0.0, q, zero)[1]
    require(
        abs(now - before) <= noise,
        f"{where}: the strain energy goes from {before:.10g} to {now:.10g} when the initial state is moved "
        f"rigidly (turned by {turn:.3g})",
    )
    if recorder.component_is("external"):
        return
    check_agreement(
        lambda e: f"{where}: strain force [{recorder.names[e[0]]}] of the rigidly moved initial state",
        recorder.residual(0.0, q, zero, zero),
        recorder.turned(recorder.residual(0.0, recorder.q, zero, zero), turn),
        1e-9,
        noise=noise / scales,
    )
    spin = np.array([*rng.uniform(-1.0, 1.0, 2) * recorder.size, 1.0]) @ recorder.rigid_speeds(q)
    lost = recorder.energy(0.0, q, spin)[3]
    damping = np.abs(recorder.tangent(0.0, q, spin, zero, UNIT[1])) * units
    require(
        abs(lost) <= 1e-12 * float(np.max(damping, initial=0.0)),
        f"{where}: a rigid spin of 1 rad/s dissipates {lost:.6g} W; it must dissipate nothing",
    )


def check_momentum(part: Part, seeds: Iterable[int] = SEEDS, tol: float = TOLERANCE) -> None:
    """Inner forces sum to zero and have no moment: the residual, projected on rigid motions, is the rate of linear and
    angular momentum. Mass and mass centre are the same by all ways to compute them, and a rigid spin needs exactly the
    centripetal force. Constraint forces balance one another. Left out for components with ``external = True``."""
    for recorder in recorders(part, (0.0, 0.0)):
        if recorder.component_is("external"):
            continue
        for seed in seeds:
            if recorder.instances_with("residual"):
                _check_momentum(recorder, seed, tol)
            _check_reaction_balance(recorder, seed)


_WHOLE = ("force along x", "force along y", "moment about the origin")


def _check_momentum(recorder: Recorder, seed: int, tol: float) -> None:
    where = recorder.where
    s = random_state(recorder, seed)

    def momentum(x: float) -> Array:
        now = s.later(x)
        M = recorder.tangent(now.t, now.q, now.v, now.a, UNIT[0])
        return recorder.rigid_speeds(now.q) @ M @ now.v

    r = recorder.residual(s.t, s.q, s.v, s.a)
    z = recorder.rigid_speeds(s.q)
    rate, error = derivative(momentum, differences.time_step(s, recorder.scales))
    size = np.abs(z) @ np.abs(r)
    check_agreement(
        lambda e: f"{where}: the rows that move the whole, {_WHOLE[e[0]]}: the sum of the residual,",
        z @ r, rate, tol, error=error, units=np.array([recorder.size, recorder.size, 1.0]), noise=1e-12 * size,
    )  # fmt: skip
    M = recorder.tangent(s.t, s.q, s.v, s.a, UNIT[0])
    if not np.any(M):
        return
    B = z @ M @ z.T
    noise = 1e-13 * np.abs(z) @ np.abs(M) @ np.abs(z.T)
    mass = B[0, 0]
    require(
        bool(np.any(np.abs(B) > noise)),
        f"{where}: it has inertia, but no rigid motion moves that; its rigid_motion "
        "must give speeds to the coordinates that it owns",
    )
    zero = np.zeros(len(s.q))
    first = recorder.tangent(0.0, recorder.q, zero, zero, UNIT[0])
    z0 = recorder.rigid_speeds(recorder.q)
    check_agreement(
        lambda e: f"{where}: mass felt by a translation ({'xy'[e[0]]}, {'xy'[e[1]]})",
        B[:2, :2], (z0 @ first @ z0.T)[0, 0] * np.eye(2), 1e-10, noise=10.0 * noise[:2, :2],
    )  # fmt: skip
    center = np.array([B[1, 2], -B[0, 2]]) / mass if mass > 0.0 else np.zeros(2)
    omega = 1.7
    spin = omega * z[2]
    inward = np.zeros(len(s.q))
    for pairs in (recorder._places, recorder._vectors):
        inward[pairs] = -(omega**2) * s.q[pairs]
    needed = recorder.residual(s.t, s.q, spin, inward) - recorder.residual(s.t, s.q, zero, zero)
    moving = np.abs(z) @ np.abs(needed)
    check_agreement(
        lambda e: f"{where}: spinning rigidly at {omega} rad/s about the origin, {_WHOLE[e[0]]}",
        z @ needed, np.array([*(-(omega**2) * mass * center), 0.0]), 1e-9, noise=1e-11 * (size + moving),
    )  # fmt: skip


def _check_reaction_balance(recorder: Recorder, seed: int) -> None:
    rng = np.random.default_rng(seed)
    q = recorder.moved(recorder.q, float(rng.uniform(-3.0, 3.0)), recorder.size * rng.uniform(-1.0, 1.0, 2))
    z = recorder.rigid_speeds(q)
    zero = np.zeros(len(q))
    for instance in recorder.instances_with("constraint", "jacobian"):
        c = instance.columns
        m = len(instance.rows)
        g = instance.call("constraint", 0.0, q[c], zero[c])[0][:m]
        G = instance.jacobian(0.0, q[c], zero[c])
        size = np.abs(G) @ np.abs(z[:, c].T)
        before = instance.call("constraint", 0.0, recorder.q[c], zero[c])[0][:m]
        # a row in the axes of space that is not met changes in a rigid motion, and its reaction has a moment
        free = np.abs(g - before) <= 1e-9 * recorder.size
        whole = G @ z[:, c].T
        whole[~free, 2] = 0.0
        check_agreement(
            lambda e, i=instance: f"{i.where('jacobian')}: row {i.rows[e[0]][0]!r}, {_WHOLE[e[1]]} of the reactions",
            whole, np.zeros((m, 3)), 0.0, noise=1e-11 * size,
        )  # fmt: skip


def check_power(part: Part, seeds: Iterable[int] = SEEDS, tol: float = TOLERANCE) -> None:
    """v · residual = d/dt (kinetic + strain + potential) + dissipated − input, along a smooth motion; what is
    dissipated is not negative."""
    for recorder in recorders(part):
        if recorder.instances_with("residual"):
            for seed in seeds:
                _check_power(recorder, random_state(recorder, seed), tol)


def _check_power(recorder: Recorder, s: TrialState, tol: float) -> None:
    def stored(x: float) -> Array:
        now = s.later(x)
        return np.array([np.sum(recorder.energy(now.t, now.q, now.v)[:3])])

    rate, error = derivative(stored, differences.time_step(s, recorder.scales))
    lost, put_in = recorder.energy(s.t, s.q, s.v)[3:]
    r = recorder.residual(s.t, s.q, s.v, s.a)
    power = np.array([s.v @ r])
    noise = 1e-12 * (np.abs(s.v) @ np.abs(r))
    sentence = f"{recorder.where}: power of the residual"
    check_agreement(lambda _: sentence, power, rate + lost - put_in, tol, error=error, noise=noise)
    require(lost >= -noise, f"{recorder.where}: dissipated power is {lost:.6g} W; it must not be negative")


def check_strength(part: Part, seeds: Iterable[int] = SEEDS, tol: float = TOLERANCE) -> None:
    """A strength that is commanded from outside has the same effect as the component's own function."""
    for recorder in recorders(part):
        component = recorder.component
        if component is None or component.strength is None:
            continue
        stronger = Recorder.of(component, recorder.gravity, stronger=1.0)
        commanded = Recorder.of(component, recorder.gravity)
        slots = [i for i in commanded.instances if i.strength is not None]
        require(bool(slots), f"{recorder.where}: it does not say where its strength {component.strength!r} stands")
        for instance in slots:
            instance.parameters[instance.strength] += 1.0
        for seed in seeds:
            s = random_state(recorder, seed)
            r = commanded.residual(s.t, s.q, s.v, s.a)
            wanted = stronger.residual(s.t, s.q, s.v, s.a)
            message = f"{recorder.where}: residual under a command of 1 on its strength, entry"
            check_agreement(lambda k, text=message: f"{text} {k[0]}", r, wanted, tol)  # type: ignore[misc]


def check_frame_indifference(part: Part, seeds: Iterable[int] = SEEDS) -> None:
    """If the whole state is turned and shifted, the residual turns too and the energies stay. Left out for components
    with ``fixed_in_space = True``."""
    for recorder in recorders(part, (0.0, 0.0)):
        if recorder.instances_with("residual") and not recorder.component_is("fixed_in_space"):
            for seed in seeds:
                _check_frame_indifference(recorder, seed)


def _check_frame_indifference(recorder: Recorder, seed: int) -> None:
    where = recorder.where
    s = random_state(recorder, seed)
    rng = np.random.default_rng(seed + 1000)
    turn = float(rng.uniform(-9.0, 9.0))
    q = recorder.moved(s.q, turn, recorder.size * rng.uniform(-1.0, 1.0, 2))
    v, a = recorder.turned(s.v, turn), recorder.turned(s.a, turn)
    r = recorder.residual(s.t, s.q, s.v, s.a)
    scales = recorder.scales
    stiffness = np.abs(recorder.tangent(s.t, s.q, s.v, s.a, UNIT[2]) * scales)
    noise = 1e-13 * (np.sum(stiffness, axis=1) + np.max(np.abs(r) * scales) / scales)
    noise = recorder.turned(noise, 0.0) + np.max(noise * scales) / scales
    check_agreement(
        lambda k: f"{where}: residual [{recorder.names[k[0]]}] after turning the whole by {turn:.4g}",
        recorder.residual(s.t, q, v, a), recorder.turned(r, turn), 1e-9, noise=noise,
    )  # fmt: skip
    e, f = recorder.energy(s.t, s.q, s.v), recorder.energy(s.t, q, v)
    what = ("kinetic energy", "strain energy", "potential energy", "dissipated power", "input power")
    allowed = np.array([0.0, np.sum(stiffness * scales[:, None]), 0.0, 0.0, 0.0]) * 1e-13
    sentence = f"after turning the whole by {turn:.4g}"
    check_agreement(lambda k: f"{where}: {what[k[0]]} {sentence}", f, e, 1e-9, noise=allowed)
