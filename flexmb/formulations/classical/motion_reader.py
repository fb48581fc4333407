"""The motion of a tree in a state, as classical formulations take it, from the kinematics and forces that all share:
:mod:`flexmb.formulations.classical.motion`."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from flexmb.algebra.factors import dense
from flexmb.formulations.classical.modal_parts import block_of, modal_parts
from flexmb.formulations.classical.motion import Motion, Rows, Wheels
from flexmb.formulations.classical.scope import counted_coordinates
from flexmb.formulations.classical.speeds_of_rows import forces_of_rows
from flexmb.formulations.classical.topology import Topology, tilde
from flexmb.formulations.jacobians import column_rates
from flexmb.formulations.tree.arrays import Moving
from flexmb.formulations.tree.inertial import plan_of
from flexmb.formulations.tree.moving import move, moving_for
from flexmb.formulations.tree.nodes import put_accelerations, put_motions, put_wrench
from flexmb.formulations.tree.tree import Tree
from flexmb.system.evaluation import residual

#: corrections of counted coordinates, and the last one [rad or m]
SWEEPS, SETTLED = 20, 1e-14


class Reader:
    """Makes the :class:`Motion` of a tree at given coordinates."""

    def __init__(self, tree: Tree) -> None:
        self.tree, self.system = tree, tree.system
        self.topology = Topology.of(tree)
        #: of links with flexible bodies on them these, whose own equations are not among the loads
        self.flexible = {
            group.links[0]: parts for group in tree.graph.groups if (parts := modal_parts(tree, group))
        }  # fmt: skip
        own_shares = [part.share for parts in self.flexible.values() for part in parts]
        self._own_plan = plan_of(self.system.plan, own_shares, rows=False)
        self.moving: Moving = moving_for(tree.arrays)
        speeds = self.moving.speeds.tolist()
        self.hinge = [slice(*ends) for ends in pairwise(speeds)]
        self._full = [self.system.initial.copy(), *np.zeros((2, self.system.plan.total))]
        own, welds = set(tree.joints), tree.rows_of_places()
        of_others = [k for k, row in enumerate(self.system.rows) if row.owner not in own and k not in welds]
        self.row_numbers = np.array(of_others, dtype=int)
        self.counted = counted_coordinates(tree)
        self.mass, self.moment, self.inertia, self.wheels = self._inertias()

    def _inertias(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, Wheels]:
        """Mass (n,), first moment (n, 3) and inertia (n, 3, 3) of the bodies about O, in their axes, and the wheels:
        those of a body with wheels from the mass matrix that couples both."""
        tree, links = self.tree, self.tree.arrays
        m, s, J = links.mass.copy(), links.moment.copy(), _full(links.inertia)
        bodies, axes, spins, speeds = [], [], [], []
        if tree.graph.groups:
            move(links, self.moving, tree.zero, np.zeros(tree.nv))
            M = dense(self.system.mass_matrix(0.0, self.system.q0))
            inner = tree.nodes.inner.tolist()
            for group in tree.graph.groups:
                k = group.links[0]
                if group.hangs:  # what is rigid on its interface is no part of it
                    continue
                parts = self.flexible.get(k, [])
                modal = {i for part in parts for i in part.amplitudes}
                R = self.moving.rotation[k].reshape(3, 3)
                angles = [number for number in group.inner.tolist() if inner.index(number) not in modal]
                at = [tree.nv - len(inner) + inner.index(number) for number in angles]
                columns = np.zeros((self.system.n, 6 + len(at)))
                columns[:, :6] = self._unit_motions()[:, k, :]
                columns[angles, range(6, 6 + len(at))] = 1.0
                full = np.zeros((6 + len(at),) * 2)
                full[:] = columns.T @ self._at_zero(M, columns)
                turn = np.kron(np.eye(2), R)
                block = turn.T @ full[:6, :6] @ turn
                m[k], J[k] = block[3, 3], block[:3, :3]
                s[k] = block[2, 4], block[0, 5], block[1, 3]
                for part in parts:
                    still = np.zeros(part.of.modes)
                    own = block_of(part, np.eye(3), still, still, np.zeros(3))
                    m[k] = _less(m[k], own.m)
                    s[k], J[k] = _less(s[k], own.s), _less(J[k], own.J)
                for w, speed in enumerate(at):
                    spin = full[6 + w, 6 + w]
                    bodies.append(k)
                    spins.append(spin)
                    axes.append(R.T @ full[:3, 6 + w] / spin)
                    speeds.append(speed)
        wheels = Wheels(
            np.array(bodies, dtype=int), np.array(axes).reshape(-1, 3), np.array(spins), np.array(speeds, dtype=int)
        )
        return m, s, J, wheels

    def _at_zero(self, M: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """M times columns, with M of the pose of `moving`."""
        tree, (q, v, a) = self.tree, self._full
        still = np.zeros(tree.nv)
        tree.put(tree.zero, still, still, q, v, a)
        return np.asarray(self.system.mass_matrix(0.0, q[: self.system.nq]) @ columns)

    def _unit_motions(self) -> np.ndarray:
        """(N, n, 6): the speeds of the system for each unit motion [ω; v] of each body alone, in the pose of
        `moving`."""
        tree, n = self.tree, len(self.tree.links)
        found = np.zeros((self.system.plan.total, n, 6))
        still, numbers = np.zeros(tree.nv), tree.nodes.numbers_v
        for j, unit in enumerate(np.eye(6)):
            v = np.zeros(self.system.plan.total)
            put_motions(tree.arrays, tree.nodes, self.moving, np.tile(unit, (n, 1)), still, v)
            for k in range(n):
                found[numbers[k], k, j] = v[numbers[k]]
        return found[: self.system.n]

    def __call__(self, x: np.ndarray, u: np.ndarray, tau: np.ndarray, wrench: np.ndarray, t: float = 0.0) -> Motion:
        """The motion at joint coordinates x and speeds u, with drives τ, forces `wrench` (n, 6) at hinge points, and
        the forces of components at a time t [s]."""
        tree, moving, (q, v, a) = self.tree, self.moving, self._full
        tree.put(x, u, np.zeros(tree.nv), q, v, a)
        move(tree.arrays, moving, x, u)
        R = moving.rotation.reshape(-1, 3, 3).copy()
        O, omega = moving.at[:, :3].copy(), moving.motion[:, :3].copy()
        heavy = np.where(self.mass > 0.0, self.mass, 1.0)[:, None]
        c = np.einsum("iab,ib->ia", R, self.moment / heavy)
        J = R @ self.inertia @ R.transpose(0, 2, 1)
        I = J + self.mass[:, None, None] * (tilde(c) @ tilde(c))
        columns, rates = np.zeros((tree.nv, 6)), np.zeros((tree.nv, 6))
        columns[: len(moving.columns)] = moving.columns
        column_rates(tree.arrays, moving, u, rates)
        zero = np.zeros((len(R), 3))
        motion = Motion(
            self.topology, O, O + c, R, omega, moving.motion[:, 3:].copy(), columns, self.hinge,
            alpha_c=zero, a_c=zero.copy(), m=self.mass, I=I, F=zero.copy(), T=zero.copy(), tau=np.array(tau, float),
            u=np.array(u, float), wheels=self.wheels, rates=rates, planar=self.system.model.dimension == 2,
        )  # fmt: skip
        motion.alpha_c[:], motion.a_c[:] = moving.bias[:, :3], moving.bias[:, 3:]
        if len(self.row_numbers):
            self._settle(t)
        r = self._put_loads(motion, t, wrench)
        if len(self.row_numbers):
            rows = self._rows(motion, t, r)
            motion.rows = rows if len(rows.g) else None
        return motion

    def answers(self, motion: Motion, ud: np.ndarray, forces: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations (links, 6) of the links for u̇, and what their hinges do on them (links, 6) if no `forces` are
        known."""
        A = motion.accelerations(ud)
        if forces is not None:
            return A, forces
        needed = motion.needed(A, ud)
        if motion.rows is not None:
            left = motion.partial.reshape(len(ud), -1) @ needed.ravel() - motion.tau
            needed = needed - forces_of_rows(motion, left)
        return A, motion.outboard_sums(needed)

    def _settle(self, t: float) -> None:
        """Give counted coordinates the values and speeds that the rows ask of them."""
        if not self.counted:
            return
        system, own, (q, v, _) = self.system, self.row_numbers, self._full
        for _ in range(SWEEPS):
            g = system.constraint(t, q[: system.nq], v[: system.n])[0][own]
            E = dense(system.jacobian(t, q[: system.nq]))[own][:, self.counted]
            step = np.linalg.lstsq(E, g, rcond=None)[0]
            q[self.counted] -= step
            if np.max(np.abs(step)) < SETTLED:
                break
        v[self.counted] = 0.0
        rates = system.constraint(t, q[: system.nq], v[: system.n])[1][own]
        v[self.counted] = -np.linalg.lstsq(E, rates, rcond=None)[0]

    def _put_loads(self, motion: Motion, t: float, wrench: np.ndarray) -> np.ndarray:
        """Put what the residual without accelerations has beside the inertia forces of bodies and wheels; it is
        returned."""
        tree, system, (q, v, _) = self.tree, self.system, self._full
        still = np.zeros(system.n)
        r = np.zeros(system.plan.total)
        r[: system.n] = system.residual(t, q[: system.nq], v[: system.n], still)
        r[: system.n] -= self._of_flexible(t)
        found = np.zeros((motion.n, 6))
        for k in range(motion.n):
            put_wrench(tree.nodes, self.moving.at, k, r, found)
        # a node that does not accelerate: its body's origin, which is elsewhere, does
        found += motion.needed(-self._along_arms(), np.zeros(tree.nv)) + wrench
        motion.F[:] = found[:, 3:]
        motion.T[:] = found[:, :3] - np.cross(motion.c, found[:, 3:])
        own = tree.nodes.own
        for s in np.flatnonzero(own >= 0):
            motion.tau[tree.arrays.joints.at_v[s]] -= r[own[s]]
        for w, number in enumerate(tree.nodes.inner.tolist()):
            motion.tau[tree.nv - len(tree.nodes.inner) + w] -= r[number]
        return r

    def _of_flexible(self, t: float) -> np.ndarray:
        """The part of flexible bodies in the residual (n,) without accelerations."""
        (q, v, _), system = self._full, self.system
        found, still = np.zeros((2, system.plan.total))
        if self.flexible:
            weights = np.zeros(4)
            residual(self._own_plan, system.scratch, t, q, v, still, weights, found)
        return found[: system.n]

    def _along_arms(self) -> np.ndarray:
        """[0; ω × (ω × d)] (n, 6) of the nodes at the ends of the arms d from the hinge points."""
        found = np.zeros((len(self.mass), 6))
        for k in range(len(found)):
            R, w = self.moving.rotation[k].reshape(3, 3), self.moving.motion[k, :3]
            found[k, 3:] = np.cross(w, np.cross(w, R @ self.tree.nodes.place[k]))
        return found

    def _rows(self, motion: Motion, t: float, r: np.ndarray) -> Rows:
        """The rows of chords, drives and all else that holds the tree, those combinations of them that are free of
        counted coordinates; forces on these, in the residual r, go to the bodies by the other ones."""
        tree, system, own = self.tree, self.system, self.row_numbers
        q, v = self._full[0][: system.nq], self._full[1][: system.n]
        scale = system.row_scale[own]
        g, rates, gamma = (row[own] / scale for row in system.constraint(t, q, v))
        G = dense(system.jacobian(t, q))[own] / scale[:, None]
        B = (G @ self._unit_motions().reshape(system.n, -1)).reshape(len(own), -1, 6)
        b = np.zeros((len(own), tree.nv))
        for s in np.flatnonzero(tree.nodes.own >= 0):
            b[:, tree.arrays.joints.at_v[s]] += _column(G, tree.nodes.own[s])
        for w, number in enumerate(tree.nodes.inner.tolist()):
            b[:, tree.nv - len(tree.nodes.inner) + w] += _column(G, number)
        a, n = np.zeros(system.plan.total), len(tree.links)
        put_accelerations(tree.arrays, tree.nodes, self.moving, np.zeros((n, 6)), np.zeros(tree.nv), a)
        c, levels = gamma - G @ a[: system.n], np.array([system.rows[k].level == "position" for k in own])
        if self.counted:
            E = G[:, self.counted]
            push = np.linalg.lstsq(E.T, -r[self.counted], rcond=None)[0]
            force = -np.einsum("r,ria->ia", push, B)
            motion.F += force[:, 3:]
            motion.T += force[:, :3] - np.cross(motion.c, force[:, 3:])
            motion.tau -= push @ b
            parts = [_free_of(E, levels), _free_of(E, ~levels)]
            Z = np.hstack(parts)
            levels = np.repeat([True, False], [part.shape[1] for part in parts])
            g, rates, c, b, B = Z.T @ g, Z.T @ rates, Z.T @ c, Z.T @ b, np.einsum("rz,ria->zia", Z, B)
        return Rows(g, rates, B, b, c, levels)


def _free_of(E: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Orthonormal combinations (r, z) of the chosen rows of E (r, k) that are zero."""
    U, s, _ = np.linalg.svd(E[chosen], full_matrices=True)
    free = U[:, np.sum(s > 1e-10) :]
    found = np.zeros((len(E), free.shape[1]))
    found[chosen] = free
    return found


def _less(whole: np.ndarray, part: np.ndarray | float) -> np.ndarray:
    """Difference of a whole and a part of it, zero where it is rounding."""
    left = whole - part
    return np.where(np.abs(left) < 1e-12 * np.max(np.abs(part)), 0.0, left)


def _column(G: np.ndarray, number: int) -> np.ndarray:
    """A column of G, zero for a coordinate that is fixed and has none."""
    return G[:, number] if number < G.shape[1] else np.zeros(len(G))


def _full(six: np.ndarray) -> np.ndarray:
    """Matrices (n, 3, 3) from xx, yy, zz, xy, xz, yz."""
    return np.asarray(six[:, [0, 3, 4, 3, 1, 5, 4, 5, 2]].reshape(-1, 3, 3))
