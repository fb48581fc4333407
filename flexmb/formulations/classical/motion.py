r"""What all classical formulations begin with: a tree of rigid bodies in a state, as arrays in ground axes.

Positions, speeds and the axes of hinges come from the kinematics that the compiled formulations share
(:mod:`flexmb.formulations.tree.moving`). In the notation of the survey, Ohkami et al. (1985): Oᵢ is the hinge point of
body i, Cᵢ its mass center, cᵢ = Cᵢ − Oᵢ; column k of its hinge is [g; e], a rotation axis and a translation axis, with
the speed u, and

    Ωᵢ = Σ gₖ uₖ,   Uᵢ = Σ eₖ uₖ,     ωᵢ = ωₚ + Ωᵢ,          vᵢ = vₚ + ωₚ × (Oᵢ − Oₚ) + Uᵢ
                                    αᵢ = αₚ + Σ g u̇ + α_c,   aᵢ = aₚ + αₚ × (Oᵢ − Oₚ) + Σ e u̇ + a_c

where α_c and a_c are what remains for u̇ = 0. Loads are what the components of the model do beside the inertia of its
bodies: gravity, springs, thrusters, wheels of constant speed. They are the residual of the system without
accelerations, less the inertia forces of bodies, and so know every force that a run knows. The force on a body from a
wheel with an angle of its own is not among them: of inertia J_S about b at the angle φ, which is frozen in the inertia
of the body, it does

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
    """n bodies in a state. `O`, `C`, `c` (n, 3) [m]; axes `R` (n, 3, 3); `omega`, `v` (n, 3), at O; `columns` (nv, 6)
    [g; e], those of body i in the slice `hinge[i]`; `alpha_c`, `a_c` (n, 3); `m` (n,), `I` about C and `J` about O (n,
    3, 3); loads `F` (n, 3) and `T` (n, 3) about C; drives `tau` (nv,); speeds `u` (nv,)."""

    topology: Topology
    O: np.ndarray
    C: np.ndarray
    R: np.ndarray
    omega: np.ndarray
    v: np.ndarray
    columns: np.ndarray
    hinge: Sequence[slice]
    alpha_c: np.ndarray
    a_c: np.ndarray
    m: np.ndarray
    I: np.ndarray
    F: np.ndarray
    T: np.ndarray
    tau: np.ndarray
    u: np.ndarray
    wheels: Wheels
    rates: np.ndarray
    planar: bool
    rows: Rows | None = None

    @property
    def n(self) -> int:
        """Number of bodies."""
        return len(self.m)

    @property
    def parents(self) -> Sequence[int]:
        """The body that carries each, −1 for the ground."""
        return self.topology.parents

    @property
    def paths(self) -> np.ndarray:
        """ε (n, n), :class:`flexmb.Topology`."""
        return self.topology.paths

    @cached_property
    def c(self) -> np.ndarray:
        """Cᵢ − Oᵢ (n, 3)."""
        return self.C - self.O

    @cached_property
    def J(self) -> np.ndarray:
        """Inertia about O (n, 3, 3)."""
        return np.asarray(self.I - self.m[:, None, None] * (tilde(self.c) @ tilde(self.c)))

    @cached_property
    def carried_by(self) -> np.ndarray:
        """Body (nv,) that the hinge of each column carries; −1 for wheels."""
        found = np.full(len(self.u), -1)
        for i, own in enumerate(self.hinge):
            found[own] = i
        return found

    @cached_property
    def partial(self) -> np.ndarray:
        """Partial velocities (nv, n, 6): ∂[ω; v]ᵢ/∂u, of the bodies at their hinge points."""
        V, e = np.zeros((len(self.u), self.n, 6)), self.columns
        for i, own in enumerate(self.hinge):
            V[own, i] = e[own]
        for i, p in enumerate(self.parents):  # outwards: a column acts on all that the hinge carries
            if p >= 0:
                V[:, i, :3] += V[:, p, :3]
                V[:, i, 3:] += V[:, p, 3:] + np.cross(V[:, p, :3], self.O[i] - self.O[p])
        return V

    @cached_property
    def at_center(self) -> np.ndarray:
        """Partial velocities (nv, n, 6) at the mass centers."""
        V = self.partial.copy()
        V[:, :, 3:] += np.cross(V[:, :, :3], self.c)
        return V

    def accelerations(self, ud: np.ndarray | None = None) -> np.ndarray:
        """[α; a] (n, 6) at the hinge points, for u̇ (nv,), or for u̇ = 0."""
        A, own = np.zeros((self.n, 6)), np.hstack([self.alpha_c, self.a_c])
        for i, p in enumerate(self.parents):
            A[i] = own[i]
            if ud is not None:
                A[i] += ud[self.hinge[i]] @ self.columns[self.hinge[i]]
            if p >= 0:
                A[i, :3] += A[p, :3]
                A[i, 3:] += A[p, 3:] + np.cross(A[p, :3], self.O[i] - self.O[p])
        return A

    def of_centers(self, A: np.ndarray) -> np.ndarray:
        """Accelerations of the mass centers (n, 3) for those of the bodies."""
        along = np.cross(self.omega, np.cross(self.omega, self.c))
        return np.asarray(A[:, 3:] + np.cross(A[:, :3], self.c) + along)

    @cached_property
    def gyroscopic(self) -> np.ndarray:
        """ω × I ω (n, 3), and of wheels ω × J_S φ̇ b."""
        h = np.einsum("iab,ib->ia", self.I, self.omega)
        np.add.at(h, self.wheels.body, self.wheel_momenta)
        return np.cross(self.omega, h)

    @property
    def wheel_axes(self) -> np.ndarray:
        """b (w, 3)."""
        return np.einsum("wab,wb->wa", self.R[self.wheels.body], self.wheels.axis)

    @property
    def wheel_momenta(self) -> np.ndarray:
        """J_S φ̇ b (w, 3)."""
        return (self.wheels.spin * self.u[self.wheels.speed])[:, None] * self.wheel_axes

    def needed(self, A: np.ndarray, ud: np.ndarray) -> np.ndarray:
        """[n; f] (n, 6) that the hinges of bodies with accelerations A do on them beside their loads, about O: Newton
        and Euler of each body alone."""
        f = self.m[:, None] * self.of_centers(A) - self.F
        n = np.einsum("iab,ib->ia", self.I, A[:, :3]) + self.gyroscopic - self.T
        np.add.at(n, self.wheels.body, (self.wheels.spin * ud[self.wheels.speed])[:, None] * self.wheel_axes)
        return np.hstack([n + np.cross(self.c, f), f])

    def outboard_sums(self, own: np.ndarray) -> np.ndarray:
        """Sums (n, 6) of six-forces `own` (n, 6) at hinge points, over each body and all that it carries, about its
        hinge point."""
        total = own.copy()
        for i in range(self.n - 1, -1, -1):
            p = self.parents[i]
            if p >= 0:
                total[p] += total[i]
                total[p, :3] += np.cross(self.O[i] - self.O[p], total[i, 3:])
        return total
