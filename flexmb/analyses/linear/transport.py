"""Minimal coordinates of small motions along a run.

Small motions about a state at the time t are δq with G(t) δq = 0 and δv with G_w(t) δv = 0, rows of speeds among the
latter. Coordinates y = L δq, w = L_w δv of them are

fixed: each row of L picks one of the mechanism's own coordinates, as :func:`flexmb.linearize` does, and L is constant.
That is possible as long as these determine the others; a pendulum's horizontal place does not where its rod is level.

transported: the rows of L are an orthonormal basis N of the motions that G leaves free, in scaled coordinates, which is
carried along with as little turn as possible (parallel transport, Kato (1966), section II.4),

    Ṅ = S N,    S = [Ṗ, P],    Ṗ = −R Ġ P − (R Ġ P)ᵀ

with P = N Nᵀ the projection and R = Gᵀ (G Gᵀ)⁻¹. S is a function of the motion alone, whatever basis one begins with;
with these signs S N = −R Ġ N, so that G N stays zero and N is not turned within the free motions (Nᵀ Ṅ = 0). So L is as
smooth as the motion is. Coordinates that no row knows, such as modes of beams, stay what they are.

Ġ of position rows is H + G (ω ×), since d(G δq)/dt = δġ for any δq, with H = ∂ġ/∂q at fixed speeds; that of velocity
rows is a difference of fourth order along the motion.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg

from flexmb.algebra.differences import OFFSETS, slope
from flexmb.algebra.factors import dense
from flexmb.analyses.linear.bases import Basis, basis_of_sums
from flexmb.analyses.linear.outputs import STEP
from flexmb.analyses.linear.small_motions import SmallMotions
from flexmb.errors import SolverError
from flexmb.results.state import State
from flexmb.solvers.methods.independent.partition import Partition

#: dependent coordinates of fixed ones move at most so many times as far, in scaled units
FARTHEST = 12.0


class Chart(NamedTuple):
    """L (f, n) of positions and L_w (f_w, n) of speeds, with names; `fixed`: both are constant."""

    left: np.ndarray
    left_w: np.ndarray
    names: list[str]
    names_w: list[str]
    fixed: bool


class Rows(NamedTuple):
    """The rows of constraints at an instant, G of positions and G_w of all, with what they change at, Ġ and Ġ_w (the
    latter empty where both are the same)."""

    G: np.ndarray
    G_w: np.ndarray
    rate: np.ndarray
    rate_w: np.ndarray


def rows_at(small: SmallMotions) -> Rows:
    """The rows at the state of small motions, and their rates."""
    state = small.state
    system = state.system
    G_w = dense(system.jacobian(state.t, state.q)) if system.m else np.zeros((0, system.n))
    rate_w = np.zeros_like(G_w)
    if small.rates is not None:
        rate_w += small.rates[0]
        if small.turning is not None:
            rate_w += G_w @ small.turning
    if system.at_speed.any():
        largest = max(float(np.max(np.abs(state.v) / system.scale)), 1.0)
        h = STEP / largest
        near = [
            dense(system.jacobian(state.t + x * h, system.retract(state.q, x * h * state.v)))[system.at_speed]
            for x in OFFSETS
        ]
        rate_w[system.at_speed] = slope(near, h)
    at_position = ~system.at_speed
    return Rows(G_w[at_position], G_w, rate_w[at_position], rate_w)


def basis_at(small: SmallMotions, chart: Chart, rates: tuple[np.ndarray, np.ndarray] | None = None) -> Basis:
    """The basis of a chart at a state; `rates` L̇, L̇_w of its coordinates, zero where they are not given."""
    rows = rows_at(small)
    for own, left in ((rows.G, chart.left), (rows.G_w, chart.left_w)):
        if len(own) + len(left) != left.shape[1]:
            raise SolverError(
                f"linear model along a run: at t = {small.state.t:.6g} s the mechanism has another mobility than at "
                "its start, where fewer of its constraint rows repeat one another; end the run before"
            )
    slow, slow_w = (np.zeros_like(chart.left), np.zeros_like(chart.left_w)) if rates is None else rates
    whole = basis_of_sums(rows.G_w, chart.left_w, slow_w, chart.names_w)
    if small.state.system.at_speed.any():
        whole.of_positions = basis_of_sums(rows.G, chart.left, slow, chart.names)
    return whole


# -- fixed coordinates ------------------------------------------------------------------------------------------------


def fixed_chart(state: State, names: list[str] | None) -> Chart:
    """Coordinates of the mechanism itself, chosen at a state where their `names` are not given."""
    system = state.system
    parts = Partition(system, state.t, system.full_q(state.q), names)
    unit = np.eye(system.n)
    own, own_w = parts.independent, parts.independent_speeds
    return Chart(unit[own], unit[own_w], [system.names[k] for k in own], [system.names[k] for k in own_w], True)


def stretch(state: State, chart: Chart) -> tuple[float, float]:
    """How far all coordinates move at most with those of a fixed chart, in scaled units, infinite where they are not
    determined; and on which side of such a position the state is, −1 or 1 (0 where the rows are others)."""
    system = state.system
    G = dense(system.jacobian(state.t, state.q)) if system.m else np.zeros((0, system.n))
    found, side = 0.0, 1.0
    pairs = [(G, chart.left_w)] + ([(G[~system.at_speed], chart.left)] if system.at_speed.any() else [])
    for rows, left in pairs:
        if len(rows) + len(left) != system.n:
            return np.inf, 0.0
        both = np.vstack([rows, left]) * system.scale
        both /= np.maximum(np.linalg.norm(both, axis=1), 1e-300)[:, None]
        side *= float(np.linalg.slogdet(both)[0])
        if side == 0.0:
            return np.inf, 0.0
        moved = np.linalg.inv(both)[:, len(rows) :]
        found = max(found, float(np.linalg.norm(moved, 2))) if moved.size else found
    return found, 0.0 if system.left_out else side


def farthest(along: list[State], chart: Chart) -> tuple[float, State]:
    """The largest :func:`stretch` of a chart over some states of a run, infinite if the states are on both sides of a
    position in which its coordinates do not determine the others; and the state at which it is."""
    known = [stretch(state, chart) for state in along]
    for k in range(1, len(known)):
        if known[k][1] * known[k - 1][1] < 0.0:
            return np.inf, along[k]
    worst = int(np.argmax([far for far, _ in known]))
    return known[worst][0], along[worst]


# -- transported coordinates ------------------------------------------------------------------------------------------


def transported_chart(small: SmallMotions, idle: np.ndarray) -> Chart:
    """The coordinates at the start: own ones where `idle` (n,), of which no row ever knows, and directions besides."""
    rows, system = rows_at(small), small.state.system
    left, names = _orthonormal(rows.G, system.scale, idle, system.names)
    left_w, names_w = _orthonormal(rows.G_w, system.scale, idle, system.names) if len(rows.G_w) > len(rows.G) else (
        left, names
    )  # fmt: skip
    return Chart(left, left_w, names, names_w, False)


def _orthonormal(G: np.ndarray, scale: np.ndarray, idle: np.ndarray, names: list[str]) -> tuple[np.ndarray, list[str]]:
    """L at the start, and the names of its coordinates."""
    held = np.flatnonzero(~idle)
    free = scipy.linalg.null_space(G[:, held] * scale[held], rcond=1e-12).T
    if len(free) != len(held) - len(G):
        raise SolverError("linear model along a run: the constraints lose rank at its start; begin at another time")
    left = np.zeros((len(scale) - len(G), len(scale)))
    left[: len(free), held] = free / scale[held]
    own = np.flatnonzero(idle)
    left[len(free) + np.arange(len(own)), own] = 1.0
    return left, [*(f"direction {k + 1}" for k in range(len(free))), *(names[k] for k in own)]


def spin(G: np.ndarray, rate: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """S (n, n), at which an orthonormal basis of the motions that G leaves free turns, in scaled coordinates."""
    n = len(scale)
    if not len(G):
        return np.zeros((n, n))
    own = G * scale
    R = np.linalg.pinv(own)
    moved = R @ (rate * scale)
    moved -= moved @ R @ own
    return np.asarray(moved.T - moved)


def rates_of(chart: Chart, rows: Rows, scale: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """L̇ and L̇_w of a chart at an instant."""
    if chart.fixed:
        return np.zeros_like(chart.left), np.zeros_like(chart.left_w)
    slow = (chart.left * scale) @ spin(rows.G, rows.rate, scale).T / scale
    return slow, slow if chart.left_w is chart.left else (chart.left_w * scale) @ spin(
        rows.G_w, rows.rate_w, scale
    ).T / scale  # fmt: skip


def carried(chart: Chart, h: float, at: tuple[Rows, Rows, Rows], scale: np.ndarray) -> Chart:
    """The chart h later [s], by Magnus's series of fourth order from rows at its start, middle and end; what its
    error leaves of the rows is taken off."""
    if chart.fixed:
        return chart
    left = _turned(chart.left, h, [spin(x.G, x.rate, scale) for x in at], at[2].G, scale)
    if chart.left_w is chart.left:
        return chart._replace(left=left, left_w=left)
    return chart._replace(
        left=left, left_w=_turned(chart.left_w, h, [spin(x.G_w, x.rate_w, scale) for x in at], at[2].G_w, scale)
    )


def _turned(left: np.ndarray, h: float, S: list[np.ndarray], G: np.ndarray, scale: np.ndarray) -> np.ndarray:
    turned = (left * scale) @ scipy.linalg.expm(magnus_exponent(h, *S)).T
    size = np.linalg.norm(turned, axis=1)
    turned /= size[:, None]
    if len(G):
        own = G * scale
        turned -= turned @ np.linalg.pinv(own) @ own
    u, _, v = np.linalg.svd(turned, full_matrices=False)
    return np.asarray(size[:, None] * (u @ v) / scale)


def magnus_exponent(h: float, A0: np.ndarray, A1: np.ndarray, A2: np.ndarray) -> np.ndarray:
    """Ω of ẋ = A x over a step h, x(h) = exp(Ω) x(0), of fourth order, from A at its start, middle and end: Blanes et
    al. (2009), by Simpson's rule,  Ω = h/6 (A₀ + 4 A₁ + A₂) − h²/12 [A₀, A₂].

    >>> A = np.array([[0.0, 1.0], [-1.0, 0.0]])
    >>> magnus_exponent(0.5, A, A, A).tolist()
    [[0.0, 0.5], [-0.5, 0.0]]
    """
    return h / 6.0 * (A0 + 4.0 * A1 + A2) - h * h / 12.0 * (A0 @ A2 - A2 @ A0)
