r"""Ho and Herber (1982), ALLFLEX: flexible bodies by perturbation, one way.

First all bodies are rigid, and each hinge balances what lies beyond it, as in :mod:`flexmb.formulations.classical.ho`:

    gᵤ · Σ (T^Iⱼ + (Oⱼ − Oᵤ) × F^Iⱼ) + τᵤ = 0,     Σ F^Iⱼ = 0                                           (2.6.7), (2.6.5)

The elastic displacement of a body is small and linear: that of its hinge point ΔR and its turn Δψ, which the bodies on
its path pass on with their own hinges, and what it bends itself (2.6.9), (2.6.13), (2.6.14). With y = (ΔR, Δθ, ξ) about
the rigid motion, at fixed nominal accelerations,

    M(t) ÿ + C(t) ẏ + K(t) y = −f₀(t)

of which f₀ is what the rigid motion leaves of the rows of all freedoms, zero for hinges. M, C and K are derivatives of
these rows at ξ = 0, by differences. The rigid motion never sees y. So accelerations for a state are those of its hinges
as in a rigid mechanism, and ξ̈ from these rows with hinges on the rigid motion, ΔR = Δθ = 0; matrices and load of all of
y are what it yields besides, and :func:`one_way` follows y along a motion. The paper has static shapes of interfaces
and vibrations with clamped ones, the same shapes in another basis. Numbers of Ohkami et al. (1985).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

from flexmb.errors import FormulationError
from flexmb.formulations.classical import ho
from flexmb.formulations.classical.motion import Motion
from flexmb.formulations.classical.motion_reader import Reader
from flexmb.formulations.classical.paper import Found, Paper
from flexmb.formulations.classical.scope import Scope, refuse_outside, scope
from flexmb.formulations.tree.coordinates import move as moved
from flexmb.formulations.tree.tree import Tree
from flexmb.model import checks
from flexmb.model.hints import answers_calls

#: step of differences, whose error is of the second order
STEP = 1e-4


class OneWayMotion(NamedTuple):
    """A motion in two parts: the `rigid` one, ξ = 0; `xi` and `rates` (k,), ξ and ξ̇; and the rows of all freedoms as a
    function of a small motion y, ẏ (nv,) about the rigid one with u̇ (nv,), `rows(y, ẏ, u̇)` (nv,)."""

    rigid: Motion
    xi: np.ndarray
    rates: np.ndarray
    rows: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


class OneWayReader(Reader):
    """Makes the two parts of a motion."""

    def __call__(  # type: ignore[override]
        self, x: np.ndarray, u: np.ndarray, tau: np.ndarray, wrench: np.ndarray, t: float = 0.0
    ) -> OneWayMotion:
        place, speed, out = x.copy(), u.copy(), np.empty_like(x)
        place[self.at_q], speed[self.speed] = 0.0, 0.0
        read = super().__call__

        def rows(y: np.ndarray, rate: np.ndarray, ud: np.ndarray) -> np.ndarray:
            moved(self.tree.arrays.joints, place, y, out)
            motion = read(out, speed + rate, tau, wrench, t)
            return motion.balance(motion.accelerations(ud), ud)

        return OneWayMotion(read(place, speed, tau, wrench, t), x[self.at_q], u[self.speed], rows)

    def answers(
        self, motion: Any, ud: np.ndarray, forces: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:  # those of the rigid motion
        rigid = ud.copy()
        rigid[self.speed] = 0.0
        return super().answers(motion.rigid, rigid, forces)


class Perturbed(NamedTuple):
    """M, C, K (nv, nv) and f₀ (nv,) of small motions about a rigid one."""

    M: np.ndarray
    C: np.ndarray
    K: np.ndarray
    load: np.ndarray


def solve(motion: OneWayMotion) -> Found:
    """u̇ of hinges by (2.6.7), and ξ̈ of modes on hinges that move so."""
    rigid = motion.rigid
    ud = ho.solve(rigid).ud
    about, own = perturbed(motion, ud), rigid.speed
    at = np.ix_(own, own)
    right = -about.load[own] - about.C[at] @ motion.rates - about.K[at] @ motion.xi
    ud[own] = np.linalg.solve(about.M[at], right)
    states = rigid.wheels.speed  # of first order, inertia about no axis; there are no other wheels
    ud[states] = rigid.tau[states] / rigid.wheels.spin
    names = "elastic mass", "elastic damping", "elastic stiffness", "elastic load"
    return Found(ud, dict(zip(names, about)))


def perturbed(motion: OneWayMotion, ud: np.ndarray) -> Perturbed:
    """The rows of all freedoms about a rigid motion with u̇ (nv,)."""
    nv = len(ud)
    none, unit = np.zeros(nv), np.eye(nv)
    load = motion.rows(none, none, ud)
    M, C, K = np.zeros((3, nv, nv))
    for j, e in enumerate(unit):
        h = STEP * e
        A = motion.rigid.accelerations(ud + e)
        M[:, j] = motion.rigid.balance(A, ud + e) - load
        C[:, j] = (motion.rows(none, h, ud) - motion.rows(none, -h, ud)) / (2.0 * STEP)
        K[:, j] = (motion.rows(h, none, ud) - motion.rows(-h, none, ud)) / (2.0 * STEP)
    return Perturbed(M, C, K, load)


class OneWayRun(NamedTuple):
    """A rigid motion and the equations of what it bends: times `t` (m,), joint coordinates `q` and speeds `v` (m, nv),
    in which modes are zero, M, C, K (m, nv, nv) and `load` f₀ (m, nv) of small motions; the speeds of `modes` (k,), and
    amplitudes `xi` and their `rates` (k,) at the start."""

    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    M: np.ndarray
    C: np.ndarray
    K: np.ndarray
    load: np.ndarray
    modes: np.ndarray
    xi: np.ndarray
    rates: np.ndarray

    def bent(self, hinges_move: bool = True, tolerance: float = 1e-9) -> tuple[np.ndarray, np.ndarray]:
        """The small motion y and ẏ (m, nv), with splines of the equations between the times; without `hinges_move` ΔR
        and Δθ stay zero."""
        nv = self.q.shape[1]
        free = np.arange(nv) if hinges_move else self.modes
        at = np.ix_(np.arange(len(self.t)), free, free)
        every = np.concatenate([self.M[at], self.C[at], self.K[at], self.load[:, free, None]], axis=2)
        equations, n = CubicSpline(self.t, every), len(free)
        start = np.zeros((2, nv))
        start[0, self.modes], start[1, self.modes] = self.xi, self.rates

        def rates(t: float, state: np.ndarray) -> np.ndarray:
            M, C, K, load = np.split(equations(t), [n, 2 * n, 3 * n], axis=1)
            y, yd = state[:n], state[n:]
            return np.concatenate([yd, np.linalg.solve(M, -load[:, 0] - C @ yd - K @ y)])

        run = _integrated(rates, self.t, start[:, free].ravel(), tolerance)
        found = np.zeros((2, len(self.t), nv))
        found[:, :, free] = run.reshape(len(self.t), 2, n).transpose(1, 0, 2)
        return found[0], found[1]


@answers_calls
def one_way(
    tree: Tree,
    times: Any,
    q: Any,
    v: Any,
    drive: Callable[[float], Any] | None = None,
    *,
    tolerance: float = 1e-9,
) -> OneWayRun:
    """The rigid motion of a tree of flexible bodies from hinge coordinates q and speeds v (nv,), under drives τ(t)
    (nv,), and the equations of the small one about it at `times`, which have to be dense enough for splines. Amplitudes
    of modes in q and v are where the small motion starts. The mechanism has true coordinates (`euler_angles` of trees).

    >>> import numpy as np
    >>> import flexmb as fm
    >>> m = fm.SpatialModel("m")
    >>> given = fm.spatial.BeamProperties(EA=1e6, EIy=10.0, EIz=10.0, GJ=15.0, rhoA=0.6)
    >>> rod = m.add_beam("rod", (0, 0, 0), (1, 0, 0), properties=given, theory="floating", modes=1, torsion_modes=0)
    >>> hinge = m.revolute(m.ground, rod.start, axis="z", name="hinge")
    >>> times, still = np.linspace(0.0, 0.1, 11), np.zeros(3)
    >>> run = fm.formulations.one_way(fm.Tree.of(m), times, still, still, lambda t: [0.1, 0.0, 0.0])
    >>> y, _ = run.bent()
    >>> float(run.q[-1, 0].round(6)), bool(y[-1, 1] < 0.0)  # ½ τ/J t², J = ρA L³/3; the tip stays behind
    (0.0025, True)
    """
    where = f"one-way motion of {tree.model.where}"
    refuse_outside(tree, SCOPE, where)
    if tree.nq != tree.nv:
        raise FormulationError(
            f"{where}: quaternions are no true coordinates; hold a flexible base by hinges, and make the tree with "
            "euler_angles, such as fm.Tree.of(model, euler_angles='ZYX')"
        )
    read, nv, at = OneWayReader(tree), tree.nv, checks.row(times, "times", where)
    x, u, none = tree.position(q, where), checks.vector(v, "v", where, nv), np.zeros((len(tree.links), 6))
    start = np.stack([x, u])
    start[:, read.speed] = 0.0

    def motion_at(t: float, state: np.ndarray) -> OneWayMotion:
        tau = np.zeros(nv) if drive is None else checks.vector(drive(t), "drive", where, nv)
        return read(state[:nv], state[nv:], tau, none, t)

    def rates(t: float, state: np.ndarray) -> np.ndarray:
        return np.concatenate([state[nv:], ho.solve(motion_at(t, state).rigid).ud])

    states = _integrated(rates, at, start.ravel(), tolerance)
    motions = [motion_at(t, state) for t, state in zip(at.tolist(), states)]
    found = [perturbed(motion, ho.solve(motion.rigid).ud) for motion in motions]
    M, C, K, load = (np.array(part) for part in zip(*found))
    return OneWayRun(
        at, states[:, :nv], states[:, nv:], M, C, K, load, read.speed, x[read.at_q], u[read.speed]
    )  # fmt: skip


def _integrated(rates: Callable[..., np.ndarray], times: np.ndarray, start: np.ndarray, tolerance: float) -> np.ndarray:
    """States (m, …) at the times, by DOP853."""
    ends = times[0], times[-1]
    run = solve_ivp(rates, ends, start, "DOP853", t_eval=times, rtol=tolerance, atol=1e-3 * tolerance)
    if not run.success:
        raise FormulationError(f"one-way motion: it stops at {run.t[-1]:.6g} s: {run.message}")
    return np.asarray(run.y.T)


#: what it takes: trees whose hinges turn
SCOPE: Scope = scope(
    "part of a base", "held base", "flexible", "inner flexible", "flexible hinge points", classes="④"
)  # fmt: skip

#: Ho and Herber (1982), in the table of formulations
PAPER: Paper = Paper(
    solve, SCOPE, "Ho (1977), Ho and Herber (1982)",
    {
        "elastic mass": "M (nv, nv) of small motions of hinges and modes about the rigid motion",
        "elastic damping": "C (nv, nv)",
        "elastic stiffness": "K (nv, nv)",
        "elastic load": "f₀ (nv,), zero for hinges",
    },
    OneWayReader,
)  # fmt: skip
