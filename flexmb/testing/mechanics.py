"""Checks of mechanics: rigid motion, momentum, power, frame indifference."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from flexmb.algebra.differences import derivative
from flexmb.kernels.blocks import STATE
from flexmb.testing import differences
from flexmb.testing.differences import SEEDS, TOLERANCE, Part, check_agreement, random_state, recorders
from flexmb.testing.motions import TrialState, centripetal
from flexmb.testing.recorded import UNIT, Array, require
from flexmb.testing.recorder import Recorder


def check_rigid_motion(part: Part, seeds: Iterable[int] = SEEDS) -> None:
    """A rigid motion of the initial state, many turns too, changes neither strain energy nor strain forces,
    and a rigid spin dissipates nothing.

    >>> import flexmb as fm
    >>> from flexmb import testing
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=2.0, inertia=0.1, center=(0.2, 0.1))
    >>> part = testing.Recorder.of(body)
    >>> testing.check_rigid_motion(part)
    """
    for recorder in recorders(part, light=True):
        if recorder.instances_with("residual"):
            for seed in seeds:
                _check_rigid_motion(recorder, seed)


def _check_rigid_motion(recorder: Recorder, seed: int) -> None:
    where = recorder.where
    rng = np.random.default_rng(seed)
    motion = recorder.random_motion(rng, 12.0)
    q = recorder.moved(recorder.q, motion)
    zero = np.zeros(len(recorder.v))
    scales = recorder.scales
    units = np.outer(scales, scales)
    stiffness = np.abs(recorder.tangent(0.0, recorder.q, zero, zero, UNIT[2])) * units
    noise = 1e-11 * float(np.max(stiffness, initial=0.0))
    before, now = recorder.energy(0.0, recorder.q, zero)[1], recorder.energy(0.0, q, zero)[1]
    require(
        abs(now - before) <= noise,
        f"{where}: the strain energy goes from {before:.10g} to {now:.10g} when the initial state is moved "
        f"rigidly (turned by {motion})",
    )
    if recorder.component_is("external"):
        return
    check_agreement(
        lambda e: f"{where}: strain force [{recorder.names[e[0]]}] of the rigidly moved initial state",
        recorder.residual(0.0, q, zero, zero),
        recorder.turned(recorder.residual(0.0, recorder.q, zero, zero), motion),
        1e-9,
        noise=noise / scales,
    )
    along = rng.uniform(-1.0, 1.0, recorder.dimension) * recorder.size
    spin = np.append(along, _spin_axis(recorder, rng)) @ recorder.rigid_speeds(q)
    lost = recorder.energy(0.0, q, spin)[3]
    damping = np.abs(recorder.tangent(0.0, q, spin, zero, UNIT[1])) * units
    require(
        abs(lost) <= 1e-12 * float(np.max(damping, initial=0.0)),
        f"{where}: a rigid spin of 1 rad/s dissipates {lost:.6g} W; it must dissipate nothing",
    )


def check_momentum(part: Part, seeds: Iterable[int] = SEEDS, tol: float = TOLERANCE) -> None:
    """Inner forces sum to zero and have no moment: the residual, projected on rigid motions, is the rate of linear and
    angular momentum. Mass and mass center are the same by all ways to compute them, and a rigid spin needs exactly the
    centripetal force. Constraint forces balance one another. Left out for components with ``external = True``.

    >>> import flexmb as fm
    >>> from flexmb import testing
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=2.0, inertia=0.1, center=(0.2, 0.1))
    >>> part = testing.Recorder.of(body)
    >>> testing.check_momentum(part)
    """
    for recorder in recorders(part, light=True):
        if recorder.component_is("external"):
            continue
        for seed in seeds:
            if recorder.instances_with("residual"):
                _check_momentum(recorder, seed, tol)
            _check_reaction_balance(recorder, seed)


def _spin_axis(recorder: Recorder, rng: np.random.Generator) -> Array:
    """A unit angular velocity: (1,) in the plane, (3,) about any axis in space."""
    if recorder.dimension < 3:
        return np.ones(1)
    axis = rng.normal(size=3)
    return np.asarray(axis / np.linalg.norm(axis))


#: what the rows of rigid motions are, in the plane and in space
_WHOLE = {
    2: ("force along x", "force along y", "moment about the origin"),
    3: (*(f"force along {x}" for x in "xyz"), *(f"moment about {x} through the origin" for x in "xyz")),
}


def _check_momentum(recorder: Recorder, seed: int, tol: float) -> None:
    where = recorder.where
    s = random_state(recorder, seed)
    states = recorder.numbering.mask(STATE)  # a mass may depend on these, and takes its momentum away as it goes
    s = replace(s, v=np.where(states, 0.0, s.v), a=np.where(states, 0.0, s.a))

    def momentum(x: float) -> Array:
        now = s.later(x)
        M = recorder.tangent(now.t, now.q, now.v, now.a, UNIT[0])
        return recorder.rigid_speeds(now.q) @ (M @ now.v + recorder.spin())

    r = recorder.residual(s.t, s.q, s.v, s.a)
    z = recorder.rigid_speeds(s.q)
    d, names = recorder.dimension, _WHOLE[recorder.dimension]
    units = np.repeat([recorder.size, 1.0], (d, len(z) - d))
    rate, error = derivative(momentum, differences.time_step(s, recorder.scales))
    size = np.abs(z) @ np.abs(r)
    check_agreement(
        lambda e: f"{where}: the rows that move the whole, {names[e[0]]}: the sum of the residual,",
        z @ r, rate, tol, error=error, units=units, noise=1e-12 * size,
    )  # fmt: skip
    M = recorder.tangent(s.t, s.q, s.v, s.a, UNIT[0])
    bodies = ~recorder.numbering.mask(STATE)  # the unit mass of a state of first order is no inertia
    if not np.any(M[np.ix_(bodies, bodies)]):
        return
    B = z @ M @ z.T
    noise = 1e-13 * np.abs(z) @ np.abs(M) @ np.abs(z.T)
    require(
        bool(np.any(np.abs(B) > noise)),
        f"{where}: it has inertia, but no rigid motion moves that; its rigid_motion "
        "must give speeds to the coordinates that it owns",
    )
    zero = np.zeros(len(s.v))
    first = recorder.tangent(0.0, recorder.q, zero, zero, UNIT[0])
    z0 = recorder.rigid_speeds(recorder.q)
    check_agreement(
        lambda e: f"{where}: mass felt by a translation ({'xyz'[e[0]]}, {'xyz'[e[1]]})",
        B[:d, :d], (z0 @ first @ z0.T)[0, 0] * np.eye(d), 1e-10, noise=10.0 * noise[:d, :d],
    )  # fmt: skip
    omega = 1.7 * _spin_axis(recorder, np.random.default_rng(seed + 3000))
    # momentum is m ω × c: the columns of B that belong to turns are m e × c, in space skew
    carried = B[:d, d:]
    if d == 3:
        check_agreement(
            lambda e: f"{where}: momentum along {'xyz'[e[0]]} of a spin about {'xyz'[e[1]]}",
            carried, -carried.T, 1e-10, noise=10.0 * noise[:d, d:],
        )  # fmt: skip
        force = np.cross(omega, carried @ omega)
        turning = np.cross(omega, B[d:, d:] @ omega + z[d:] @ recorder.spin())
        needed_by_theory = np.append(force, turning)
    else:
        moved = carried[:, 0]  # m (−c_y, c_x)
        needed_by_theory = np.append(omega[0] ** 2 * np.array([-moved[1], moved[0]]), 0.0)
    spin = omega @ z[d:]
    inward = centripetal(recorder.numbering, s.q, omega)
    needed = recorder.residual(s.t, s.q, spin, inward) - recorder.residual(s.t, s.q, zero, zero)
    moving = np.abs(z) @ np.abs(needed)
    check_agreement(
        lambda e: f"{where}: spinning rigidly at {np.round(omega, 3).tolist()} rad/s about the origin, {names[e[0]]}",
        z @ needed, needed_by_theory, 1e-9, noise=1e-11 * (size + moving),
    )  # fmt: skip


def _check_reaction_balance(recorder: Recorder, seed: int) -> None:
    rng = np.random.default_rng(seed)
    q = recorder.moved(recorder.q, recorder.random_motion(rng, 3.0))
    z = recorder.rigid_speeds(q)
    d, names = recorder.dimension, _WHOLE[recorder.dimension]
    for instance in recorder.instances_with("constraint", "jacobian"):
        c, m = instance.columns, len(instance.rows)
        there, start = q[instance.coordinates], recorder.q[instance.coordinates]
        g = instance.call("constraint", 0.0, there)[0][:m]
        G = instance.jacobian(0.0, there)
        size = np.abs(G) @ np.abs(z[:, c].T)
        before = instance.call("constraint", 0.0, start)[0][:m]
        # a row in the axes of space that is not met changes in a rigid motion, and its reaction has a moment
        free = np.abs(g - before) <= 1e-9 * recorder.size
        whole = G @ z[:, c].T
        whole[~free, d:] = 0.0
        check_agreement(
            lambda e, i=instance: f"{i.where('jacobian')}: row {i.rows[e[0]][0]!r}, {names[e[1]]} of the reactions",
            whole, np.zeros((m, len(z))), 0.0, noise=1e-11 * size,
        )  # fmt: skip


def check_power(part: Part, seeds: Iterable[int] = SEEDS, tol: float = TOLERANCE) -> None:
    """v · residual = d/dt (kinetic + strain + potential) + dissipated − input, along a smooth motion; what is
    dissipated is not negative.

    >>> import flexmb as fm
    >>> from flexmb import testing
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=2.0, inertia=0.1, center=(0.2, 0.1))
    >>> part = testing.Recorder.of(body, (0.0, -9.81))
    >>> testing.check_power(part)
    """
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
    states = recorder.numbering.mask(STATE)
    speeds = differences.state_powers(lambda v: float(np.sum(recorder.energy(s.t, s.q, v)[:3])), s.v, states)
    power = np.array([speeds @ r])
    noise = 1e-12 * (np.abs(speeds) @ np.abs(r))
    sentence = f"{recorder.where}: power of the residual"
    check_agreement(lambda _: sentence, power, rate + lost - put_in, tol, error=error, noise=noise)
    require(lost >= -noise, f"{recorder.where}: dissipated power is {lost:.6g} W; it must not be negative")


def check_strength(part: Part, seeds: Iterable[int] = SEEDS, tol: float = TOLERANCE) -> None:
    """A strength that is commanded from outside has the same effect as the component's own function.

    >>> import flexmb as fm
    >>> from flexmb import testing
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=2.0, inertia=0.1, center=(0.2, 0.1))
    >>> part = testing.Recorder.of(m.point_force(body.frame, (1.0, 0.0)))
    >>> testing.check_strength(part)
    """
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


def check_found(part: Part, seeds: Iterable[int] = SEEDS) -> None:
    """What a row finds where its component is switched on is its last parameter, which is subtracted from its error.

    >>> import flexmb as fm
    >>> from flexmb import testing
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=2.0, inertia=0.1, center=(0.2, 0.1))
    >>> part = testing.Recorder.of(m.lock(m.ground, body.frame, "angle"))
    >>> testing.check_found(part)
    """
    for recorder in recorders(part):
        for instance in (i for i in recorder.instances if i.found):
            for seed in seeds:
                s = instance.at(random_state(recorder, seed))
                before = instance.call("constraint", s.t, s.q, s.v)[0]
                instance.parameters[-1] += 1.0
                moved = instance.call("constraint", s.t, s.q, s.v)[0] - before
                instance.parameters[-1] -= 1.0
                off = np.max(np.abs(moved - [-1.0, 0.0, 0.0])) / max(1.0, float(np.max(np.abs(before))))
                require(
                    bool(off < 1e-9),
                    f"{recorder.where}: with one more in its last parameter, which its row is to find (found=True), g, "
                    f"ġ and γ change by {moved}, not by −1, 0 and 0",
                )


def check_frame_indifference(part: Part, seeds: Iterable[int] = SEEDS) -> None:
    """If the whole state is turned and shifted, the residual turns too and the energies stay. Left out for components
    with ``fixed_in_space = True``, and of loads on a beam with ``axis_alone = True``.

    >>> import flexmb as fm
    >>> from flexmb import testing
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=2.0, inertia=0.1, center=(0.2, 0.1))
    >>> part = testing.Recorder.of(body)
    >>> testing.check_frame_indifference(part)
    """
    for recorder in recorders(part, light=True):
        on_axis = getattr(getattr(recorder.component, "beam", None), "axis_alone", False)
        if recorder.instances_with("residual") and not (on_axis or recorder.component_is("fixed_in_space")):
            for seed in seeds:
                _check_frame_indifference(recorder, seed)


def _check_frame_indifference(recorder: Recorder, seed: int) -> None:
    where = recorder.where
    s = random_state(recorder, seed)
    rng = np.random.default_rng(seed + 1000)
    motion = recorder.random_motion(rng, 9.0)
    q = recorder.moved(s.q, motion)
    v, a = recorder.turned(s.v, motion), recorder.turned(s.a, motion)
    r = recorder.residual(s.t, s.q, s.v, s.a)
    scales = recorder.scales
    stiffness = np.abs(recorder.tangent(s.t, s.q, s.v, s.a, UNIT[2]) * scales)
    noise = 1e-13 * (np.sum(stiffness, axis=1) + np.max(np.abs(r) * scales) / scales)
    noise += np.max(noise * scales) / scales
    check_agreement(
        lambda k: f"{where}: residual [{recorder.names[k[0]]}] after turning the whole by {motion}",
        recorder.residual(s.t, q, v, a), recorder.turned(r, motion), 1e-9, noise=noise,
    )  # fmt: skip
    e, f = recorder.energy(s.t, s.q, s.v), recorder.energy(s.t, q, v)
    what = ("kinetic energy", "strain energy", "potential energy", "dissipated power", "input power")
    allowed = np.array([0.0, np.sum(stiffness * scales[:, None]), 0.0, 0.0, 0.0]) * 1e-13
    sentence = f"after turning the whole by {motion}"
    check_agreement(lambda k: f"{where}: {what[k[0]]} {sentence}", f, e, 1e-9, noise=allowed)
