"""Exact derivatives against differences, for the kernels of one instance or for a whole system."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from flexmb.algebra.differences import derivative
from flexmb.testing.differences import TrialState, check_agreement
from flexmb.testing.recorder import UNIT, Array


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

    `residual(q, v, a)` answers for one state (nv,) or for a row each of many (n, nv); `tangent(w)` at state s.
    """
    units = scales[:, None] * scales[None, :]
    force = float(np.max(np.abs(residual(s.q, s.v, s.a)) * scales))
    inertia = float(np.max(np.abs(tangent(UNIT[0])) * units)) or 1.0
    # inertia is linear in a and quadratic in v: large steps make it larger than the round-off of elastic forces
    steps = {
        "a": np.diag(np.maximum(scales * max(1.0, 50.0 * force / inertia), np.abs(s.a))),
        "v": np.diag(np.maximum(scales * max(1.0, 50.0 * np.sqrt(force / inertia)), np.abs(s.v))),
        "q": np.diag(scales),
    }
    parts = []
    for k, letter in enumerate("avq"):
        K = tangent(UNIT[k])

        def r(h: float, letter: str = letter) -> Array:
            moved = [
                x + (h * steps[letter] if name == letter else 0.0) for name, x in (("q", s.q), ("v", s.v), ("a", s.a))
            ]
            q, v, a = (np.broadcast_to(x, steps[letter].shape) for x in moved)
            return residual(q, v, a)

        slopes, error = derivative(r, 0.02, 8 if letter == "v" else 6)
        span = np.diag(steps[letter])
        rounding = 1e-13 * force / (scales[:, None] * span[None, :])
        check_agreement(
            lambda e, letter=letter: f"{label}: ∂r[{names[e[0]]}]/∂{letter}[{names[e[1]]}]",
            K,
            (slopes / span[:, None]).T,
            (error / span[:, None]).T,
            tol,
            units,
            rounding,
        )
        parts.append(K)
    w = np.array([0.7, 1.3, -0.4])
    total = sum(wk * K for wk, K in zip(w, parts, strict=True))
    size = np.max(np.abs(np.array(parts)), axis=0)
    check_agreement(
        lambda e: f"{label} with weights {w.tolist()}: entry [{names[e[0]]}, {names[e[1]]}]",
        tangent(w),
        np.asarray(total),
        0.0,
        1e-10,
        units,
        1e-13 * size,
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
    says which rows have a position error at all (nonholonomic ones leave g at zero)."""
    m, nv = G.shape
    move = np.diag(scales)
    still = np.broadcast_to(s.v, (nv, nv))

    def entry(e: tuple[int, ...]) -> str:
        return f"{label}: ∂g[{rows[e[0]]}]/∂[{names[e[1]]}]"

    slopes, error = derivative(lambda h: constraint(s.q + h * move, still)[:, :m], 0.02)
    slope = np.where(measured[:, None], (slopes / scales[:, None]).T, G)
    check_agreement(entry, G, slope, (error / scales[:, None]).T, tol, scales[None, :])
    there = np.broadcast_to(s.q, (nv, nv))
    slopes, error = derivative(lambda h: constraint(there, s.v + h * move)[:, m : 2 * m], 1.0)
    check_agreement(
        lambda e: entry(e) + " (as ∂ġ/∂v)",
        G,
        (slopes / scales[:, None]).T,
        (error / scales[:, None]).T,
        tol,
        scales[None, :],
    )


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
    check_agreement(lambda e: f"{label}: ġ[{rows[e[0]]}]", now[m : 2 * m], wanted, error[:m], tol)
    gamma = G @ s.a - rate[m : 2 * m]
    noise = 1e-13 * (np.abs(G) @ np.abs(s.a) + np.abs(now[2 * m :]))
    check_agreement(lambda e: f"{label}: γ[{rows[e[0]]}]", now[2 * m :], gamma, error[m : 2 * m], tol, noise=noise)
