"""Small motions of a mechanism about a state, in minimal coordinates.

About a state (t, q, v, a, λ) the equations  M a + f(t, q, v) + Gᵀ λ = B u,  g(q, t) = E s  are, to first order,

    M δa + D δv + K δq + Gᵀ δλ = B δu
    G δq = E δs,    G δv = E δṡ − H δq,    G δa = E δs̈ + Γ_q δq + Γ_v δv

with the exact tangents M, D = ∂r/∂v, K = ∂r/∂q (∂(Gᵀλ)/∂q included), H = ∂ġ/∂q at fixed v, and Γ_q, Γ_v the derivatives
of γ − G a at fixed a. With minimal coordinates y, δq = Z δy + R E δs with G Z = 0 and G R = 1, and in the same way

    δv = Z δẏ + R (E δṡ − H δq),    δa = Z δÿ + R (E δs̈ + Γ_q δq + Γ_v δv)

Multiplied by Zᵀ, the equations lose the joint forces and give δÿ; multiplied by Rᵀ, they give δλ. The
states are x = (y, s, ẏ, ṡ), the inputs (u, s̈). H and Γ come from the rows' own rates, see
:mod:`flexmb.system.row_slopes`, and are zero for a mechanism that stands still. The result is exact to first order
about any state; its coefficients are constant about an equilibrium, and those of one instant about a motion.

Velocity rows (rolling, knife edges) have no g: G, R, E of the first equation are then those of the position rows alone,
and there are fewer independent speeds w than positions y. With G Z_w = 0 for all rows

    δv = Z_w w + R (E δṡ − H δq),    δa = Z_w ẇ + R (E δs̈ + Γ_q δq + Γ_v δv)

and the states are (y, s, w, ṡ); since y are coordinates and w speeds of some of them, δẏ is their part of δv.

The change δq of an orientation in space is a small turn in the body's own axes, so that all derivatives by positions
are along `system.retract`. Where the body turns, δω = d(δq)/dt + ω × δq. Then too speeds w are states, and δẏ is the
part of

    d(δq)/dt = δv − ω × δq

In coordinates that are sums over those of the mechanism, y = L δq and w = L_w δv, with L R = 0 and L Z = 1, and where L
and L_w change with time (:mod:`flexmb.analyses.linear.transport`),

    ẏ = L d(δq)/dt + L̇ δq,    ẇ = L_w δa + L̇_w δv
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg.lapack

from flexmb.analyses.linear.bases import Basis
from flexmb.analyses.linear.frequency_response import inertia_damping_stiffness
from flexmb.analyses.linear.inputs import Inputs
from flexmb.analyses.linear.joint_states import names_of_changes
from flexmb.analyses.linear.linear_model import LinearModel
from flexmb.analyses.linear.outputs import Derivatives, Outputs
from flexmb.errors import ModelError, SolverError
from flexmb.machine.threads import threads_for
from flexmb.results.state import State
from flexmb.system.row_slopes import row_slopes

#: M, D and K of so many coordinates are arrays; of more they are sparse, so that products with them cost less
SMALL = 64
#: reciprocal condition number of a scaled mass matrix below which some motion has no inertia: rounding leaves 1e-16
LEAST_CONDITION = 1e-14


@dataclass(frozen=True, eq=False)
class SmallMotions:
    """The coefficients of the linear equations at a `state`, with what acts and what is measured: M, D, K (n, n); H,
    Γ_q, Γ_v (m, n), None where they are zero; `turning` ω × (n, n), None where nothing turns in space; `by_forces`
    ∂F/∂λ (n, m) of friction by the joints' own forces, None without it; `by`: the outputs and their derivatives."""

    state: State
    forcing: Inputs
    measured: Outputs
    M: Any
    D: Any
    K: Any
    rates: tuple[np.ndarray, np.ndarray, np.ndarray] | None
    turning: np.ndarray | None
    by_forces: np.ndarray | None
    by: Derivatives

    @classmethod
    def about(cls, state: State, forcing: Inputs, measured: Outputs) -> SmallMotions:
        """The coefficients at a state."""
        system = state.system
        moves = system.m and (state.v.any() or state.a.any() or system.at_speed.any())
        M, D, K = _as_arrays(state) if system.n <= SMALL else inertia_damping_stiffness(state)
        of_rows = row_slopes(system, state.t, state.q, state.v, state.a) if moves else None
        turning, by_forces = _turning(state), _friction_by_forces(state)
        return cls(state, forcing, measured, M, D, K, of_rows, turning, by_forces, measured.derivatives(state))

    def in_basis(
        self, basis: Basis, where: str, S: np.ndarray | None = None, T: np.ndarray | None = None
    ) -> LinearModel:
        """The linear model in the coordinates of a basis, whose axes (T, the state's own if not given) change at the
        rate S (n, n)."""
        state, forcing, turning = self.state, self.forcing, self.turning
        system = state.system
        n = system.n
        first = basis.of_positions or basis
        if turning is not None and basis.numbers is None and basis.left is None:
            raise ModelError(
                f"{where}: modes of rest are no coordinates of a state in which bodies turn in space; leave out modes"
            )
        d, k = len(forcing.driven), len(forcing.forces)
        # columns: y, s, ẏ (or w), ṡ | u, s̈
        ends = np.cumsum([first.Z.shape[1], d, basis.Z.shape[1], d, k, d]).tolist()
        y, s, yd, sd, u, sdd = (slice(*between) for between in zip([0, *ends], ends))
        width, total = ends[3], ends[5]
        moved = basis.lift(forcing.E)
        dq, dv, da = np.zeros((3, n, total))
        dq[:, y], dq[:, s] = first.Z, first.lift(forcing.E[~system.at_speed])
        dv[:, yd], dv[:, sd] = basis.Z, moved
        da[:, sdd] = moved
        if self.rates is not None:
            H, Gq, Gv = self.rates
            dv -= basis.lift(H @ dq)
            da += basis.lift(Gq @ dq + Gv @ dv)
        force = -(self.M @ da + self.D @ dv + self.K @ dq)
        force[:, u] += forcing.B
        mass = basis.Z.T @ (self.M @ basis.Z)
        size = np.sqrt(np.maximum(np.diag(mass), 0.0))
        if np.any(size == 0.0) or (len(size) and _is_singular(mass / np.outer(size, size))):
            weak = basis.names[int(np.argmin(size))]
            raise SolverError(f"{where}: {weak!r} moves without any inertia; put mass or inertia on it, or fasten it")
        if self.by_forces is None:
            ydd = np.linalg.solve(mass, basis.Z.T @ force)
            dlam = basis.gather(force - self.M @ (basis.Z @ ydd))
        else:  # the joints' forces do work on the motions that they allow
            through = basis.gather(self.M @ basis.Z), np.eye(system.m) + basis.gather(self.by_forces)
            left = np.block([[mass, basis.Z.T @ self.by_forces], list(through)])
            both = np.linalg.solve(left, np.vstack([basis.Z.T @ force, basis.gather(force)]))
            ydd, dlam = np.split(both, [len(mass)])
        da += basis.Z @ ydd

        A = np.zeros((width, total))
        own = dv if turning is None else dv - turning @ dq
        if first.left is not None:
            A[y] = first.left @ own + first.left_rate @ dq
        elif first is basis and turning is None and S is None:
            A[y, yd] = np.eye(first.Z.shape[1])
        else:
            A[y] = _in_axes(own, dq, S, T)[first.numbers]
        A[s, sd] = np.eye(d)
        if basis.left is not None:
            A[yd] = basis.left @ da + basis.left_rate @ dv
        else:
            A[yd] = ydd if S is None else _in_axes(da, dv, S, T)[basis.numbers]
        A[sd, sdd] = np.eye(d)
        by = self.by
        Y = by.q @ dq + by.v @ dv + by.a @ da + by.lam @ dlam
        chosen = width + np.array(forcing.order, dtype=np.int64)
        names, rates = [*first.names, *forcing.driven], [*basis.names, *forcing.driven]
        of_changes, of_speeds = (dict(zip(system.names, own)) for own in names_of_changes(system))
        return LinearModel(
            A[:, :width],
            A[:, chosen],
            Y[:, :width],
            Y[:, chosen],
            states=[
                *(of_changes.get(name, name) for name in names),
                *(of_speeds.get(name, f"{name} rate") for name in rates),
            ],
            inputs=forcing.asked,
            outputs=list(self.measured.names),
            input_units=[forcing.units[j] for j in forcing.order],
            output_units=list(self.measured.units),
            operating_outputs=by.y,
            state=state,
            positions=dq[:, :width],
            speeds=dv[:, :width],
        )


def _is_singular(matrix: np.ndarray) -> bool:
    """Whether a symmetric matrix, positive but for rounding, with ones on its diagonal is singular to rounding: by its
    condition number in the norm of sums of columns, which LAPACK estimates from Cholesky's factors in a twentieth of
    the time of its singular values."""
    with threads_for(0):  # on a busy machine, threads that wait for one another take a hundred times as long
        factor, failed = scipy.linalg.lapack.dpotrf(matrix)
        size = float(np.max(np.sum(np.abs(matrix), axis=0)))
        return bool(failed or scipy.linalg.lapack.dpocon(factor, size)[0] < LEAST_CONDITION)


def _as_arrays(state: State) -> list[np.ndarray]:
    """M, D and K (n, n) as arrays."""
    at, n = (state.t, state.q, state.v, state.a, state.lam), state.system.n
    return [state.system.matrix_array(*at, tuple(weights))[:n, :n] for weights in np.eye(3)]


def _friction_by_forces(state: State) -> np.ndarray | None:
    """∂F/∂λ (n, m) of friction by the joints' own forces; None where nothing moves, or there is none."""
    system = state.system
    if not system.plan.friction or not state.v.any():
        return None
    A = system.matrix_array(state.t, state.q, state.v, state.a, state.lam, (0.0, 0.0, 0.0))
    return A[: system.n, system.n :] - A[system.n :, : system.n].T


def _in_axes(rate: np.ndarray, x: np.ndarray, S: np.ndarray | None, T: np.ndarray | None) -> np.ndarray:
    """The rate of T x where T changes at the rate S T, from the rate of x."""
    if S is None:
        return rate
    return rate + S @ x if T is None else T @ rate + S @ (T @ x)


def _turning(state: State) -> np.ndarray | None:
    """The matrix (n, n) of ω × at orientations; None where nothing turns in space."""
    first = state.system.orientations[:, 0].tolist()
    if not any(state.v[i : i + 3].any() for i in first):
        return None
    out = np.zeros((state.system.n, state.system.n))
    for i in first:
        x, y, z = state.v[i : i + 3]
        out[i : i + 3, i : i + 3] = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]
    return out
