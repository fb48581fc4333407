r"""What all classical formulations begin with: a tree of rigid and flexible bodies in a state, in axes of the ground. A
rigid body is one without modes.

In the notation of the survey, Ohkami et al. (1985): Oᵢ is the hinge point of body i, Cᵢ its mass center, cᵢ = Cᵢ − Oᵢ,
Qᵢ its place on the body p that carries it, which moves with the modes of that by φ_H and turns by ψ*, zᵢ = Oᵢ − Qᵢ.
Column k of the hinge at Oᵢ is [g; e], a rotation axis and a translation axis, with the speed u; W = [ψ*; φ_H + ψ* × z]:

    ωᵢ = ωₚ + Σ ψ* ξ̇ + Σ g u,                        vᵢ = vₚ + ωₚ × (Oᵢ − Oₚ) + Σ (φ_H + ψ* × z) ξ̇ + Σ e u
    αᵢ = αₚ + Σ ψ* ξ̈ + Σ g u̇ + α_c,                  aᵢ = aₚ + αₚ × (Oᵢ − Oₚ) + Σ (φ_H + ψ* × z) ξ̈ + Σ e u̇ + a_c    (★★)

where α_c and a_c are what remains for u̇ = 0 and ξ̈ = 0. The papers turn the place of a hinge by ψ* = ψ_H; that is the
rate of its orientation only where ψ_H ξ has one axis. Here ψ* = V(ψ) W is that of the rotation vector ψ, by the
kinematics that the compiled formulations share (:mod:`flexmb.formulations.tree.places`), so that energy is kept, with
the same equations. Each body obeys (★) of :mod:`flexmb.formulations.classical.modal_parts`; T is about O.

Loads are what the components of the model do beside the inertia of its bodies: gravity, springs, thrusters, wheels of
constant speed. A wheel with an angle of its own, of inertia J_S about b at the angle φ, is frozen in the inertia of its
body, on which it does besides, and obeys

    −J_S φ̈ b − ω × J_S φ̇ b,    J_S (φ̈ + b · α) = τ
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from flexmb.formulations.classical.topology import Topology, tilde


class Wheels(NamedTuple):
    """Wheels with angles of their own: the `body` (w,) that carries each, its axis b (w, 3) in the axes of that body,
    its inertia J_S (w,) [kg m²], and the index of its speed (w,)."""

    body: np.ndarray
    axis: np.ndarray
    spin: np.ndarray
    speed: np.ndarray


class Rows(NamedTuple):
    """Rows that hold a tree beside its hinges, Σ Bₖ Aₖ + b u̇ = c: errors g (r,), their rates ġ (r,), B (r, n, 6) on the
    accelerations [α; a] of the bodies at their hinge points, b (r, nv), c (r,), and which are of positions (r,)."""

    g: np.ndarray
    rates: np.ndarray
    B: np.ndarray
    b: np.ndarray
    c: np.ndarray
    of_positions: np.ndarray


@dataclass
class Motion:
    """n bodies with k modes in all, in a state. `O`, `omega`, `v` (n, 3); axes `R` (n, 3, 3); `columns` (nv, 6) [g; e],
    those of body i in the slice `hinge[i]`, and their rates `column_rates` (nv, 6); `alpha_c`, `a_c` (n, 3); `on`
    (k, n, 6): W of the modes of the carrying body for each body that hinges on it, zero for others. `modes[i]`: the
    slice of the modes of body i, `of` (k,) the body of each, `speed` (k,) the index of its speed in u.

    Of (★): `m` (n,), `s` (n, 3), `J` (n, 3, 3), `sigma`, `d` (k, 3), `s0`, `sigma0`, `d0` of the undeformed bodies, `e`
    (k, k), `N` (k, 3, 3), `z` (k, k, 3), loads `T`, `F` (n, 3) about O and `Q` (k,). Drives `tau` (nv,), speeds `u`
    (nv,). What wheels with angles do by ω × J_S φ̇ b is among T, their acceleration is not."""

    topology: Topology
    O: np.ndarray
    R: np.ndarray
    omega: np.ndarray
    v: np.ndarray
    columns: np.ndarray
    column_rates: np.ndarray
    hinge: Sequence[slice]
    alpha_c: np.ndarray
    a_c: np.ndarray
    on: np.ndarray
    modes: Sequence[slice]
    of: np.ndarray
    speed: np.ndarray
    m: np.ndarray
    s: np.ndarray
    s0: np.ndarray
    J: np.ndarray
    sigma: np.ndarray
    d: np.ndarray
    sigma0: np.ndarray
    d0: np.ndarray
    e: np.ndarray
    N: np.ndarray
    z: np.ndarray
    T: np.ndarray
    F: np.ndarray
    Q: np.ndarray
    tau: np.ndarray
    u: np.ndarray
    wheels: Wheels
    planar: bool
    rows: Rows | None = None

    @property
    def n(self) -> int:
        """Number of bodies."""
        return len(self.m)

    @property
    def k(self) -> int:
        """Number of modes."""
        return len(self.of)

    @property
    def parents(self) -> Sequence[int]:
        """The body that carries each, −1 for the ground."""
        return self.topology.parents

    @property
    def paths(self) -> np.ndarray:
        """ε (n, n), :class:`flexmb.Topology`."""
        return self.topology.paths

    @property
    def rates(self) -> np.ndarray:
        """ξ̇ (k,)."""
        return self.u[self.speed]

    @cached_property
    def c(self) -> np.ndarray:
        """From O to the mass center of the deformed body (n, 3)."""
        return self.s / np.where(self.m > 0.0, self.m, 1.0)[:, None]

    @cached_property
    def about_centers(self) -> np.ndarray:
        """The loads T (n, 3) about the mass centers."""
        return np.asarray(self.T - np.cross(self.c, self.F))

    @cached_property
    def central(self) -> np.ndarray:
        """Inertia about the mass center (n, 3, 3)."""
        return np.asarray(self.J + self.m[:, None, None] * (tilde(self.c) @ tilde(self.c)))

    @cached_property
    def of_modes(self) -> np.ndarray:
        """(n, k): 1 where a mode is one of a body."""
        return (np.arange(self.n)[:, None] == self.of).astype(float)

    @cached_property
    def carried_by(self) -> np.ndarray:
        """Body (nv,) that the hinge of each speed carries; −1 for modes and wheels."""
        found = np.full(len(self.u), -1)
        for i, own in enumerate(self.hinge):
            found[own] = i
        return found

    @cached_property
    def wheel_axes(self) -> np.ndarray:
        """b (w, 3)."""
        return np.einsum("wab,wb->wa", self.R[self.wheels.body], self.wheels.axis)

    @cached_property
    def arms(self) -> np.ndarray:
        """d̃ (n, 3, 3) of d from the hinge point of the carrying body to that of each body: ω × d is ω d̃."""
        on = np.array([self.O[p] if p >= 0 else np.zeros(3) for p in self.parents]).reshape(-1, 3)
        return tilde(self.O - on)

    # -- (★★) ---------------------------------------------------------------------------------------------------------

    def along(self, own: np.ndarray, xi: np.ndarray) -> np.ndarray:
        """Motions (…, n, 6) of the bodies, by what their hinges add, `own` (…, n, 6), and rates of modes xi (…, k)."""
        A = own + np.einsum("...k,kia->...ia", xi, self.on)
        for i, p in enumerate(self.parents):
            if p >= 0:
                A[..., i, :3] += A[..., p, :3]
                A[..., i, 3:] += A[..., p, 3:] + A[..., p, :3] @ self.arms[i]
        return A

    @cached_property
    def partial(self) -> np.ndarray:
        """Partial velocities (nv, n, 6): ∂[ω; v]ᵢ/∂u, of the bodies at their hinge points."""
        own, xi = np.zeros((len(self.u), self.n, 6)), np.zeros((len(self.u), self.k))
        for i, hinge in enumerate(self.hinge):
            own[hinge, i] = self.columns[hinge]
        xi[self.speed, range(self.k)] = 1.0
        return self.along(own, xi)

    def accelerations(self, ud: np.ndarray | None = None) -> np.ndarray:
        """[α; a] (n, 6) at the hinge points, for u̇ (nv,), or for u̇ = 0."""
        own = np.hstack([self.alpha_c, self.a_c])
        if ud is None:
            return self.along(own, np.zeros(self.k))
        for i, hinge in enumerate(self.hinge):
            own[i] += ud[hinge] @ self.columns[hinge]
        return self.along(own, ud[self.speed])

    # -- (★) ----------------------------------------------------------------------------------------------------------

    def inertia(self, A: np.ndarray, xi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What (★) has of accelerations A (…, n, 6) and ξ̈ (…, k): [T; F] (…, n, 6) about O, and Q (…, k)."""
        six = np.einsum("iab,...ib->...ia", self.masses, A) + self.of_modes @ (xi[..., None] * self.with_modes)
        return six, np.einsum("ka,...ka->...k", self.with_modes, A[..., self.of, :]) + xi @ self.e

    @cached_property
    def masses(self) -> np.ndarray:
        """[J s̃; s̃ᵀ m 1] (n, 6, 6) of each body."""
        found, s = np.zeros((self.n, 6, 6)), tilde(self.s)
        found[:, :3, :3], found[:, :3, 3:], found[:, 3:, :3] = self.J, s, -s
        found[:, 3:, 3:] = self.m[:, None, None] * np.eye(3)
        return found

    @cached_property
    def with_modes(self) -> np.ndarray:
        """[d; σ] (k, 6) of each mode."""
        return np.hstack([self.d, self.sigma])

    @cached_property
    def with_speeds(self) -> tuple[np.ndarray, np.ndarray]:
        """h of (★): [h_ω; h_v] (n, 6) and h_ξ (k,)."""
        w, of, rates = self.omega, self.of, self.rates
        moving = self.of_modes @ (rates[:, None] * self.sigma)  # s°
        turning = np.einsum("kab,kb->ka", self.N, w[of])
        h_w = np.cross(w, np.einsum("iab,ib->ia", self.J, w)) + 2.0 * self.of_modes @ (rates[:, None] * turning)
        h_v = np.cross(w, np.cross(w, self.s)) + 2.0 * np.cross(w, moving)
        h_xi = -np.einsum("ka,ka->k", w[of], turning)
        h_xi += 2.0 * np.einsum("pa,pa->p", w[of], np.einsum("q,qpa->pa", rates, self.z))
        return np.hstack([h_w, h_v]), h_xi

    def needed(self, A: np.ndarray, ud: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """[n; f] (n, 6) that hinges do on bodies with accelerations A about O, and what is left of the rows of modes
        (k,) for the hinges that stand on them: (★) less its loads."""
        six, Q = self.inertia(A, ud[self.speed])
        h, h_xi = self.with_speeds
        six = six + h - np.hstack([self.T, self.F])
        np.add.at(six[:, :3], self.wheels.body, (self.wheels.spin * ud[self.wheels.speed])[:, None] * self.wheel_axes)
        return six, Q + h_xi - self.Q

    def balance(self, A: np.ndarray, ud: np.ndarray) -> np.ndarray:
        """What accelerations A (n, 6), u̇ (nv,) leave of the rows of hinges, modes and wheels (nv,), zero for the true
        motion without further rows."""
        forces, on_modes = self.needed(A, ud)
        found, wheels = np.einsum("ria,ia->r", self.partial, forces) - self.tau, self.wheels
        found[self.speed] += on_modes + self.tau[self.speed]  # which Q has already
        along = np.einsum("wa,wa->w", self.wheel_axes, A[wheels.body, :3])
        found[wheels.speed] += wheels.spin * (ud[wheels.speed] + along)
        return np.asarray(found)

    def outboard_sums(self, own: np.ndarray) -> np.ndarray:
        """Sums (…, n, 6) of six-forces `own` (…, n, 6) at hinge points, over each body and all that it carries, about
        its hinge point."""
        total = own.copy()
        for i in range(self.n - 1, -1, -1):
            p = self.parents[i]
            if p >= 0:
                total[..., p, :] += total[..., i, :]
                total[..., p, :3] -= total[..., i, 3:] @ self.arms[i]
        return total

    def of_centers(self, A: np.ndarray, xi: np.ndarray, at_rest: bool = False) -> np.ndarray:
        """Accelerations of the mass centers (n, 3) for those of the bodies and of modes; with `at_rest` without what
        speeds do, and never with what of the field's is among the loads."""
        mass = np.where(self.m > 0.0, self.m, 1.0)[:, None]
        F = self.inertia(A, xi)[0][..., 3:]
        return np.asarray((F if at_rest else F + self.with_speeds[0][:, 3:]) / mass)


def shifted(A: np.ndarray, arm: np.ndarray) -> np.ndarray:
    """Motions or their rates (…, 6) of a body at a point that is away by an arm, without what speeds do."""
    found = A.copy()
    found[..., 3:] += np.cross(A[..., :3], arm)
    return found
