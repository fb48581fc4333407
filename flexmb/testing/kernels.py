"""Checks of single kernels: derivatives, mass, and the arrays that they may write to."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from flexmb.kernels.blocks import STATE
from flexmb.kernels.contract import ALL_ROLES
from flexmb.testing import differences
from flexmb.testing.derivatives import compare_jacobian, compare_rates, compare_slopes, compare_tangent
from flexmb.testing.differences import SEEDS, TOLERANCE, Part, check_agreement, random_state, recorders
from flexmb.testing.motions import TrialState
from flexmb.testing.recorded import UNIT, Array, RecordedInstance, require
from flexmb.testing.recorder import Recorder

#: value of the numbers that a kernel must not change
SENTINEL = 1.2345678e99


def check_tangent(part: Part, seeds: Iterable[int] = SEEDS, tol: float = TOLERANCE) -> None:
    """∂residual/∂a, ∂residual/∂v and ∂residual/∂q against differences, and their weighted sum against its
    parts.

    >>> import flexmb as fm
    >>> from flexmb import testing
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=2.0, inertia=0.1, center=(0.2, 0.1))
    >>> part = testing.Recorder.of(body, (0.0, -9.81))
    >>> testing.check_tangent(part)  # raises an AssertionError if they differ
    """
    for recorder, instance, whole in differences.trials(part, seeds, "residual"):
        require(instance.kernels.tangent is not None, f"{instance.where('residual')} comes without a tangent")
        _check_tangent(recorder, instance, instance.at(whole), tol)


def _check_tangent(recorder: Recorder, instance: RecordedInstance, s: TrialState, tol: float) -> None:
    def residual(q: Array, v: Array, a: Array) -> Array:
        return instance.call("residual", s.t, q, v, a)[0]

    def tangent(w: Array) -> Array:
        return instance.call("tangent", s.t, s.q, s.v, s.a, w=w)[1]

    names = [recorder.names[c] for c in instance.columns]
    if instance.kernels.pattern is not None:
        whole = tangent(np.array([0.7, 1.3, -0.4]))
        _check_pattern(f"{instance.where('tangent')}: K", whole, instance.kernels.pattern.K, names, names)
    compare_tangent(instance.where("tangent"), names, recorder.scales[instance.columns], s, residual, tangent, tol)


def check_jacobian(part: Part, seeds: Iterable[int] = SEEDS, tol: float = TOLERANCE) -> None:
    """G against ∂g/∂q and ∂ġ/∂v, the K of the Jacobian against ∂(Gᵀλ)/∂q, and of velocity rows ∂ġ/∂q.

    >>> import flexmb as fm
    >>> from flexmb import testing
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=2.0, inertia=0.1, center=(0.2, 0.1))
    >>> part = testing.Recorder.of(m.revolute(m.ground, body.frame))
    >>> testing.check_jacobian(part)
    """
    for recorder in recorders(part):
        for instance in recorder.instances_with("constraint"):
            require(instance.kernels.jacobian is not None, f"{instance.where('constraint')} comes without a jacobian")
            for seed in seeds:
                _check_jacobian(recorder, instance, instance.at(random_state(recorder, seed)), seed, tol)


def _check_jacobian(recorder: Recorder, instance: RecordedInstance, s: TrialState, seed: int, tol: float) -> None:
    names = [recorder.names[c] for c in instance.columns]
    scales = recorder.scales[instance.columns]
    m, nv = len(instance.rows), len(instance.columns)
    lam = np.random.default_rng(seed).uniform(-1.0, 1.0, m)
    out, K = instance.call("jacobian", s.t, s.q, s.v, lam=lam, w=UNIT[2])

    def constraint(q: Array, v: Array) -> Array:
        return instance.call("constraint", s.t, q, v)[0]

    rows = [name for name, _, _ in instance.rows]
    at_speed, G = instance.at_speed, out[: m * nv].reshape(m, nv)
    compare_jacobian(instance.where("jacobian"), rows, names, scales, s, constraint, G, ~at_speed, tol)
    if instance.kernels.pattern is not None:
        _check_pattern(f"{instance.where('jacobian')}: K", K, instance.kernels.pattern.K, names, names)
        for part in out.reshape(-1, m, nv):
            _check_pattern(f"{instance.where('jacobian')}: G", part, instance.kernels.pattern.G, rows, names)
    empty = [name for name, row in zip(rows, G) if not row.any()]
    text = f"{instance.where('jacobian')}: of its {m} rows, {', '.join(map(repr, empty))}"
    require(not empty, f"{text} depends on no coordinate: it is zero at a random state")
    if at_speed.any():
        H = out[m * nv :].reshape(m, nv)
        compare_slopes(instance.where("jacobian"), rows, names, scales, s, constraint, H, at_speed, tol)

    def force(moves: Array) -> Array:
        return np.einsum("nmj,m->nj", instance.jacobian(s.t, s.retracted(moves), s.v), lam)

    def entry(e: tuple[int, ...]) -> str:
        return f"{instance.where('jacobian')}: K = ∂(Gᵀλ)/∂q, entry [{names[e[0]]}, {names[e[1]]}]"

    by_q, error = differences.slopes(force, scales)
    check_agreement(entry, K, by_q, tol, error=error, units=scales[:, None] * scales[None, :])


def _check_pattern(what: str, found: Array, pattern: Array, rows: list[str], columns: list[str]) -> None:
    """Nothing stands where the family says that there is nothing."""
    outside = np.argwhere((found != 0.0) & ~pattern)
    if len(outside):
        i, k = outside[0]
        require(False, f"{what}[{rows[i]}, {columns[k]}] is {found[i, k]:.10g}, but the family's pattern has it zero")


def check_rates(part: Part, seeds: Iterable[int] = SEEDS, tol: float = TOLERANCE) -> None:
    """g against positions, ġ against the change of g along a motion, and γ = G a − d(ġ)/dt.

    >>> import flexmb as fm
    >>> from flexmb import testing
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=2.0, inertia=0.1, center=(0.2, 0.1))
    >>> part = testing.Recorder.of(m.revolute(m.ground, body.frame))
    >>> testing.check_rates(part)
    """
    for recorder, instance, whole in differences.trials(part, seeds, "constraint", "jacobian"):
        h = differences.time_step(whole, recorder.scales)
        _check_rates(instance, instance.at(whole), h, tol)


def _check_rates(instance: RecordedInstance, s: TrialState, h: float, tol: float) -> None:
    def constraint(t: float, q: Array, v: Array) -> Array:
        return instance.call("constraint", t, q, v)[0]

    G = instance.jacobian(s.t, s.q, s.v)
    rows = [name for name, _, _ in instance.rows]
    g = constraint(s.t, s.q, s.v)[: len(rows)]
    require(not g[instance.at_speed].any(), f"{instance.where('constraint')}: a velocity row has a position error")
    if instance.kernels.position is not None:
        alone = instance.call("position", s.t, s.q)[0]
        check_agreement(
            lambda e: f"{instance.where('position')}: g[{rows[e[0]]}], against the constraint,", alone, g, tol
        )
    compare_rates(instance.where("constraint"), rows, s, h, constraint, G, ~instance.at_speed, tol)


def check_mass(part: Part, seeds: Iterable[int] = SEEDS, tol: float = TOLERANCE) -> None:
    """The part of the residual that is linear in a is M a. The mass matrix M is symmetric, has no negative eigenvalue,
    and ½ vᵀ M v is the kinetic energy.

    >>> import flexmb as fm
    >>> from flexmb import testing
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=2.0, inertia=0.1, center=(0.2, 0.1))
    >>> part = testing.Recorder.of(body, (0.0, -9.81))
    >>> testing.check_mass(part)
    """
    for recorder, instance, whole in differences.trials(part, seeds, "residual", "tangent"):
        _check_mass(recorder, instance, instance.at(whole), tol)


def _check_mass(recorder: Recorder, instance: RecordedInstance, s: TrialState, tol: float) -> None:
    names = [recorder.names[c] for c in instance.columns]
    scales = recorder.scales[instance.columns]
    units = scales[:, None] * scales[None, :]
    M = instance.call("tangent", s.t, s.q, s.v, s.a, w=UNIT[0])[1]
    with_a = instance.call("residual", s.t, s.q, s.v, s.a)[0]
    without = instance.call("residual", s.t, s.q, s.v)[0]
    noise = 1e-13 * (np.abs(M) @ np.abs(s.a) + np.abs(without))

    def entry(e: tuple[int, ...]) -> str:
        return f"{instance.where('tangent')}: mass matrix [{', '.join(names[i] for i in e)}]"

    def row(e: tuple[int, ...]) -> str:
        return f"{instance.where('residual')}: the part linear in a, row [{names[e[0]]}],"

    check_agreement(row, with_a - without, M @ s.a, tol, units=scales, noise=noise)
    check_agreement(entry, M, M.T, 1e-10, units=units)
    lowest = np.linalg.eigvalsh(M * units)[0]
    top = float(np.max(np.abs(M * units)))
    require(
        lowest >= -1e-10 * top,
        f"{instance.where('tangent')}: the mass matrix has the eigenvalue "
        f"{lowest:.6g} (largest entry {top:.6g}); kinetic energy cannot be negative",
    )
    if instance.kernels.energy is not None:
        kinetic = instance.call("energy", s.t, s.q, s.v)[0][0]
        v = np.where(recorder.numbering.mask(STATE)[instance.columns], 0.0, s.v)  # states have no kinetic energy
        noise = 1e-13 * np.abs(v) @ np.abs(M) @ np.abs(v)
        sentence = f"{instance.where('energy')}: kinetic energy"
        check_agreement(lambda _: sentence, kinetic, 0.5 * v @ M @ v, 1e-9, noise=noise)


def check_shapes(part: Part, seeds: Iterable[int] = SEEDS) -> None:
    """Kernels write to their own rows only, do not change their other arguments, add to K, treat each instance alone,
    and do not depend on the contents of the scratch space.

    >>> import flexmb as fm
    >>> from flexmb import testing
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=2.0, inertia=0.1, center=(0.2, 0.1))
    >>> part = testing.Recorder.of(body, (0.0, -9.81))
    >>> testing.check_shapes(part)
    """
    for recorder in recorders(part):
        for instance in recorder.instances:
            for role in ALL_ROLES:
                if getattr(instance.kernels, role) is not None:
                    for seed in seeds:
                        _check_shapes(recorder, instance, role, seed)


def _check_shapes(recorder: Recorder, instance: RecordedInstance, role: str, seed: int) -> None:
    n, nv, m = 3, len(instance.columns), instance.multipliers(role)
    states = [instance.at(random_state(recorder, seed + k)) for k in range(n)]
    rng = np.random.default_rng(seed)
    t = states[0].t
    w = differences.kernel_weights(instance, role, np.array([0.3, 0.8, 1.7]))
    lam = rng.uniform(-1.0, 1.0, (n, m))
    square = role in ("tangent", "jacobian", "point_jacobian", "friction")
    spare = 5
    places = rng.permutation(n * nv + spare)[: n * nv].reshape(n, nv).astype(np.int64)
    nq = len(instance.coordinates)
    in_q = places
    if nq > nv:
        in_q = rng.permutation(n * nq + spare)[: n * nq].reshape(n, nq).astype(np.int64)
    q = np.full(n * nq + spare, np.nan)
    v, a = np.full((2, n * nv + spare), np.nan)
    for k, s in enumerate(states):
        q[in_q[k]], v[places[k]], a[places[k]] = s.q, s.v, s.a
    iq, iv = np.ascontiguousarray(in_q[:, instance.order]), places.copy()
    p = np.tile(instance.parameters, (n, 1))
    given = (p, iq, iv, q, v, a, lam, w)
    kept = [x.copy() for x in given]
    width = instance.width(role)
    out = np.full((n + 2, width), SENTINEL)
    out[1:-1] = 0.0
    before = rng.uniform(-1.0, 1.0, (n, nv, nv)) if square else np.zeros((n, 0, 0))
    K = np.full((n + 2, nv, nv), SENTINEL) if square else np.zeros((n + 2, 0, 0))
    K[1:-1] = before
    work = instance.asked(role)
    scratch = np.append(rng.uniform(-1e3, 1e3, work), np.full(8, SENTINEL))
    getattr(instance.kernels, role)(p, iq, iv, t, q, v, a, lam, w, out[1:-1], K[1:-1], scratch)
    name = instance.where(role)
    for x, y, lent in zip(given, kept, ("p", "iq", "iv", "q", "v", "a", "lam", "w"), strict=True):
        require(np.array_equal(x, y, equal_nan=True), f"{name} changes {lent}, which is only lent to it")
    require(bool(np.all(out[[0, -1]] == SENTINEL)), f"{name} writes into `out` outside its {width} numbers")
    require(bool(np.all(K[[0, -1]] == SENTINEL)), f"{name} writes into K outside its own matrix")
    require(
        bool(np.all(scratch[work:] == SENTINEL)),
        f"{name} writes past the {work} scratch numbers that it asked for",
    )
    for k, s in enumerate(states):
        alone, matrix = instance.call(role, t, s.q, s.v, s.a, lam[k], w)
        among = out[1 + k]
        if role == "section":  # forces without a law are NaN
            without = np.isnan(alone) & np.isnan(among)
            alone, among = np.where(without, 0.0, alone), np.where(without, 0.0, among)
        check_agreement(
            lambda e, k=k: f"{name}: out[{k}, {e[0]}] among {n} instances and with other scratch contents",
            among, alone, 1e-12, noise=1e-12 * np.max(np.abs(alone), initial=0.0),
        )  # fmt: skip
        if square:
            check_agreement(
                lambda e, k=k: f"{name}: what is added to K[{k}, {e[0]}, {e[1]}] among {n} instances",
                K[1 + k] - before[k], matrix, 1e-12, noise=1e-12 * np.max(np.abs(matrix), initial=1.0),
            )  # fmt: skip
