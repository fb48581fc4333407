"""The links of a tree in a state, from the kinematics and forces that all formulations share: how they move, what is
rigid on them, their loads, and the rows that hold them beside the hinges.

Loads are the residual of the system without accelerations, less the inertia forces of what is rigid on the links and
the forces of bodies with modes, and so know every force that a run knows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.algebra.factors import dense
from flexmb.formulations.classical.modal_parts import block_of, modal_parts
from flexmb.formulations.classical.motion import Rows, Wheels
from flexmb.formulations.classical.scope import counted_coordinates
from flexmb.formulations.jacobians import column_rates
from flexmb.formulations.tree.arrays import Moving
from flexmb.formulations.tree.inertial import plan_of
from flexmb.formulations.tree.moving import move, moving_for
from flexmb.formulations.tree.nodes import put_accelerations, put_motions, put_wrench
from flexmb.formulations.tree.tree import Tree
from flexmb.system.evaluation import residual

#: corrections of counted coordinates, and the last one [rad or m]
SWEEPS, SETTLED = 20, 1e-14


class Links(NamedTuple):
    """n links in a state, in ground axes: their origins `O` (n, 3), axes `R` (n, 3, 3) and motions [ω; v] (n, 6);
    `columns` and `rates` (nv, 6) of hinges, [g; e] and what they change by; `bias` (n, 6) of accelerations; of what is
    rigid the first moment `s` (n, 3) and the inertia `J` (n, 3, 3) about O; `loads` [T; F] (n, 6) about O, drives `tau`
    (nv,), and `rows`."""

    O: np.ndarray
    R: np.ndarray
    motion: np.ndarray
    columns: np.ndarray
    rates: np.ndarray
    bias: np.ndarray
    s: np.ndarray
    J: np.ndarray
    loads: np.ndarray
    tau: np.ndarray
    rows: Rows | None


class LinkReader:
    """Makes the :class:`Links` of a tree at given coordinates."""

    def __init__(self, tree: Tree) -> None:
        self.tree, self.system = tree, tree.system
        #: of links with flexible bodies on them these, whose own equations are not among the loads
        self.flexible = {
            group.links[0]: parts for group in tree.graph.groups if (parts := modal_parts(tree, group))
        }  # fmt: skip
        own_shares = [part.share for parts in self.flexible.values() for part in parts]
        self._own_plan = plan_of(self.system.plan, own_shares, rows=False)
        self.moving: Moving = moving_for(tree.arrays)
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

    def __call__(self, x: np.ndarray, u: np.ndarray, tau: np.ndarray, wrench: np.ndarray, t: float) -> Links:
        """The links at joint coordinates x and speeds u, with drives τ, forces `wrench` (n, 6) at their origins, and
        the forces of components at a time t [s]."""
        tree, moving, (q, v, a) = self.tree, self.moving, self._full
        tree.put(x, u, np.zeros(tree.nv), q, v, a)
        move(tree.arrays, moving, x, u)
        R = moving.rotation.reshape(-1, 3, 3).copy()
        columns, rates = np.zeros((tree.nv, 6)), np.zeros((tree.nv, 6))
        columns[: len(moving.columns)] = moving.columns
        column_rates(tree.arrays, moving, u, rates)
        s, J = np.einsum("iab,ib->ia", R, self.moment), R @ self.inertia @ R.transpose(0, 2, 1)
        links = Links(
            moving.at[:, :3].copy(), R, moving.motion.copy(), columns, rates, moving.bias.copy(), s, J,
            loads=np.array(wrench, float), tau=np.array(tau, float), rows=None,
        )  # fmt: skip
        if len(self.row_numbers):
            self._settle(t)
        r = self._put_loads(links, t)
        return links._replace(rows=self._rows(links, t, r)) if len(self.row_numbers) else links

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

    def _put_loads(self, links: Links, t: float) -> np.ndarray:
        """Add what the residual without accelerations has beside the inertia forces of what is rigid; it is
        returned."""
        tree, system, (q, v, _) = self.tree, self.system, self._full
        still = np.zeros(system.n)
        r = np.zeros(system.plan.total)
        r[: system.n] = system.residual(t, q[: system.nq], v[: system.n], still)
        r[: system.n] -= self._of_flexible(t)
        found = np.zeros_like(links.loads)
        for k in range(len(found)):
            put_wrench(tree.nodes, self.moving.at, k, r, found)
        # a node that does not accelerate: the origin of its link, which is elsewhere, does
        w = links.motion[:, :3]
        a = -np.cross(w, np.cross(w, np.einsum("iab,ib->ia", links.R, tree.nodes.place[: len(found)])))
        found[:, :3] += np.cross(links.s, a) + np.cross(w, np.einsum("iab,ib->ia", links.J, w))
        found[:, 3:] += self.mass[:, None] * a + np.cross(w, np.cross(w, links.s))
        links.loads[:] += found
        own = tree.nodes.own
        for s in np.flatnonzero(own >= 0):
            links.tau[tree.arrays.joints.at_v[s]] -= r[own[s]]
        for k, number in enumerate(tree.nodes.inner.tolist()):
            links.tau[tree.nv - len(tree.nodes.inner) + k] -= r[number]
        return r

    def _of_flexible(self, t: float) -> np.ndarray:
        """The part of flexible bodies in the residual (n,) without accelerations."""
        (q, v, _), system = self._full, self.system
        found, still = np.zeros((2, system.plan.total))
        if self.flexible:
            weights = np.zeros(4)
            residual(self._own_plan, system.scratch, t, q, v, still, weights, found)
        return found[: system.n]

    def _rows(self, links: Links, t: float, r: np.ndarray) -> Rows | None:
        """The rows of chords, drives and all else that holds the tree, those combinations of them that are free of
        counted coordinates; forces on these, in the residual r, go to the links by the other ones."""
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
            links.loads[:] -= np.einsum("r,ria->ia", push, B)
            links.tau[:] -= push @ b
            parts = [_free_of(E, levels), _free_of(E, ~levels)]
            Z = np.hstack(parts)
            levels = np.repeat([True, False], [part.shape[1] for part in parts])
            g, rates, c, b, B = Z.T @ g, Z.T @ rates, Z.T @ c, Z.T @ b, np.einsum("rz,ria->zia", Z, B)
        return Rows(g, rates, B, b, c, levels) if len(g) else None


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
