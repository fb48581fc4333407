"""Exact derivatives against differences, for the kernels of one instance or for a whole system.

Derivatives by q are those along :meth:`flexmb.System.retract`, so there are as many of them as speeds.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from flexmb.algebra.differences import derivative
from flexmb.testing.differences import check_agreement, slopes
from flexmb.testing.motions import TrialState
from flexmb.testing.recorded import UNIT, Array


def many(x: Array, moves: Array) -> Array:
    """The same vector in as many rows as there are moves."""
    return np.broadcast_to(x, (len(moves), len(x)))


def compare_tangent(
    label: str,
    names: list[str],
    scales: Array,
    s: TrialState,
    residual: Callable[[Array, Array, Array], Array],
    tangent: Callable[[Array], Array],
    tol: float,
) -> None:
    """∂r/∂a, ∂r/∂v and ∂r/∂q against differences, and their weighted sum against its parts.

    `residual(q, v, a)` answers for one state or for a row each of many; `tangent(w)` at state s.
    """
    units = scales[:, None] * scales[None, :]
    force = float(np.max(np.abs(residual(s.q, s.v, s.a)) * scales))
    inertia = float(np.max(np.abs(tangent(UNIT[0])) * units)) or 1.0
    # inertia is linear in a and quadratic in v: large steps make it larger than the round-off of elastic forces
    spans = {
        "a": np.maximum(scales * max(1.0, 50.0 * force / inertia), np.abs(s.a)),
        "v": np.maximum(scales * max(1.0, 50.0 * np.sqrt(force / inertia)), np.abs(s.v)),
        "q": scales,
    }
    parts = []
    for k, (letter, span) in enumerate(spans.items()):
        K = tangent(UNIT[k])

        def r(moves: Array, letter: str = letter) -> Array:
            v, a = (x + moves if name == letter else many(x, moves) for name, x in (("v", s.v), ("a", s.a)))
            return residual(s.retracted(moves) if letter == "q" else many(s.q, moves), v, a)

        measured, error = slopes(r, span, levels=8 if letter == "v" else 6)
        rounding = 1e-13 * force / (scales[:, None] * span[None, :])
        check_agreement(
            lambda e, letter=letter: f"{label}: ∂r[{names[e[0]]}]/∂{letter}[{names[e[1]]}]",
            K, measured, tol, error=error, units=units, noise=rounding,
        )  # fmt: skip
        parts.append(K)
    w = np.array([0.7, 1.3, -0.4])
    total = np.asarray(sum(wk * K for wk, K in zip(w, parts, strict=True)))
    noise = 1e-13 * np.max(np.abs(np.array(parts)), axis=0)
    sentence = f"{label} with weights {w.tolist()}: entry"
    check_agreement(
        lambda e: f"{sentence} [{names[e[0]]}, {names[e[1]]}]", tangent(w), total, 1e-10, units=units, noise=noise
    )


def compare_jacobian(
    label: str,
    rows: list[str],
    names: list[str],
    scales: Array,
    s: TrialState,
    constraint: Callable[[Array, Array], Array],
    G: Array,
    measured: Array,
    tol: float,
) -> None:
    """G against ∂g/∂q and ∂ġ/∂v. `constraint(q, v)` answers g | ġ | γ for a row of states each; `measured` (m,)
    says which are position rows; velocity rows have no g."""
    m = len(G)

    def entry(e: tuple[int, ...]) -> str:
        return f"{label}: ∂g[{rows[e[0]]}]/∂[{names[e[1]]}]"

    by_q, error = slopes(lambda moves: constraint(s.retracted(moves), many(s.v, moves))[:, :m], scales)
    by_q = np.where(measured[:, None], by_q, G)
    check_agreement(entry, G, by_q, tol, error=error, units=scales[None, :])
    by_v, error = slopes(lambda moves: constraint(many(s.q, moves), s.v + moves)[:, m : 2 * m], scales, 1.0)
    check_agreement(lambda e: entry(e) + " (as ∂ġ/∂v)", G, by_v, tol, error=error, units=scales[None, :])


def compare_slopes(
    label: str,
    rows: list[str],
    names: list[str],
    scales: Array,
    s: TrialState,
    constraint: Callable[[Array, Array], Array],
    H: Array,
    at_speed: Array,
    tol: float,
) -> None:
    """H against ∂ġ/∂q, in the rows that are `at_speed`; `constraint` as for :func:`compare_jacobian`."""
    m, numbers = len(H), np.flatnonzero(at_speed)
    by_q, error = slopes(lambda moves: constraint(s.retracted(moves), many(s.v, moves))[:, m : 2 * m], scales)

    def entry(e: tuple[int, ...]) -> str:
        return f"{label}: ∂ġ[{rows[numbers[e[0]]]}]/∂q[{names[e[1]]}]"

    check_agreement(entry, H[at_speed], by_q[at_speed], tol, error=error[at_speed], units=scales[None, :])


def compare_rates(
    label: str,
    rows: list[str],
    s: TrialState,
    h: float,
    constraint: Callable[[float, Array, Array], Array],
    G: Array,
    measured: Array,
    tol: float,
) -> None:
    """ġ against the change of g along a motion, and γ = G a − d(ġ)/dt. `constraint(t, q, v)` answers g | ġ | γ."""
    m = len(rows)

    def values(x: float) -> Array:
        moved = s.later(x)
        return constraint(moved.t, moved.q, moved.v)

    now = values(0.0)
    rate, error = derivative(values, h)
    wanted = np.where(measured, rate[:m], now[m : 2 * m])
    check_agreement(lambda e: f"{label}: ġ[{rows[e[0]]}]", now[m : 2 * m], wanted, tol, error=error[:m])
    gamma = G @ s.a - rate[m : 2 * m]
    # round-off of the sum, and of ġ in differences over the time h
    noise = 1e-13 * (np.abs(G) @ np.abs(s.a) + np.abs(now[2 * m :])) + 2e-15 / h * (np.abs(G) @ np.abs(s.v))
    error = error[m : 2 * m]
    check_agreement(lambda e: f"{label}: γ[{rows[e[0]]}]", now[2 * m :], gamma, tol, error=error, noise=noise)
