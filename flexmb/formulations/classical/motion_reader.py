"""Makes the :class:`~flexmb.formulations.classical.motion.Motion` of a tree in a state.

Links of the tree at places within flexible bodies that have no mass are no bodies: what stands on them stands on the
body that has the place, and forces on them act on that body and on its modes.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from flexmb.formulations.classical.link_reader import LinkReader, Links
from flexmb.formulations.classical.modal_parts import ModalPart, block_of
from flexmb.formulations.classical.motion import Motion, Rows, shifted
from flexmb.formulations.classical.scope import stands_alone
from flexmb.formulations.classical.speeds_of_rows import forces_of_rows
from flexmb.formulations.classical.topology import Topology
from flexmb.formulations.tree.graph import GROUND
from flexmb.formulations.tree.tree import Tree


class Reader:
    """Makes the motion of a tree at given coordinates."""

    def __init__(self, tree: Tree) -> None:
        self.tree, self.read = tree, LinkReader(tree)
        arrays, graph = tree.arrays, tree.graph
        speeds = self.read.moving.speeds.tolist()
        self.bodies = [k for k in range(len(tree.links)) if stands_alone(tree, k)]
        self.number = {k: i for i, k in enumerate(self.bodies)}
        #: of a place, the link of the body that has it
        self.carrier = {place.link: graph.groups[place.group].links[0] for place in graph.places}
        parents, self.through = [], list[int]()
        for k in self.bodies:
            place = k if arrays.place_of[k] >= 0 else int(arrays.parent[k])
            on = self.carrier.get(place, place)
            self.through.append(place if place in self.carrier else GROUND)
            parents.append(self.number[on] if on != GROUND else GROUND)
        arcs = [tree.joints[k] for k, p in zip(self.bodies, parents) if p != GROUND]
        cuts = [(self._body(c.a), self._body(c.b)) for c in graph.chords]
        cuts = [(a, b) for a, b in cuts if a != b]
        names = [tree.links[k] for k in self.bodies]
        self.topology = Topology(parents, cuts, names, [*arcs, *tree.chords])
        self.hinge = [slice(*speeds[k : k + 2]) for k in self.bodies]
        self.parts = [self.read.flexible.get(k, []) for k in self.bodies]
        first = tree.nv - len(tree.nodes.inner)
        amplitudes = [[i for part in parts for i in part.amplitudes] for parts in self.parts]
        ends = np.cumsum([0, *map(len, amplitudes)])
        self.modes = [slice(*ends[i : i + 2].tolist()) for i in range(len(self.bodies))]
        self.of = np.repeat(np.arange(len(self.bodies)), np.diff(ends))
        inner = np.array([i for own in amplitudes for i in own], dtype=int)
        self.speed, self.at_q = first + inner, tree.nq - len(tree.nodes.inner) + inner
        #: of each inner coordinate its number among the modes
        self.mode = {i: j for j, i in enumerate(inner.tolist())}

    def _body(self, link: int) -> int:
        return (
            GROUND if link == GROUND else self.number[self.carrier.get(link, link) if link not in self.number else link]
        )

    def __call__(self, x: np.ndarray, u: np.ndarray, tau: np.ndarray, wrench: np.ndarray, t: float = 0.0) -> Motion:
        """The motion at joint coordinates x and speeds u, with drives τ, forces `wrench` (links, 6) at the origins of
        links, and the forces of components at a time t [s]."""
        links = self.read(x, u, tau, wrench, t)
        at, n, k = np.array(self.bodies), len(self.bodies), len(self.of)
        W = {place: self._on_place(place) for place in self.carrier}
        on, bias = np.zeros((k, n, 6)), links.bias[at]
        for i, place in enumerate(self.through):
            if place == GROUND:
                continue
            arm = links.O[self.bodies[i]] - links.O[place]
            on[:, i] = shifted(W[place], arm)
            if place != self.bodies[i]:
                bias[i] += shifted(links.bias[place], arm)
        s, wheels = links.s[at], self.read.wheels
        wheels = wheels._replace(body=np.array([self.number[k] for k in wheels.body.tolist()], dtype=int))
        motion = Motion(
            self.topology, links.O[at], links.R[at], links.motion[at, :3], links.motion[at, 3:], links.columns,
            links.rates, self.hinge, bias[:, :3], bias[:, 3:], on, self.modes, self.of, self.speed,
            m=self.read.mass[at], s=s, s0=s.copy(), J=links.J[at], sigma=np.zeros((k, 3)), d=np.zeros((k, 3)),
            sigma0=np.zeros((k, 3)), d0=np.zeros((k, 3)), e=np.zeros((k, k)), N=np.zeros((k, 3, 3)),
            z=np.zeros((k, k, 3)), T=links.loads[at, :3], F=links.loads[at, 3:],
            Q=links.tau[self.speed], tau=links.tau, u=np.array(u, float), wheels=wheels,
            planar=self.tree.system.model.dimension == 2,
        )  # fmt: skip
        self._put_blocks(motion, x)
        self._hand_down(motion, links, W)
        if links.rows is not None:
            motion.rows = self._rows(motion, links, links.rows, W)
        return motion

    def _on_place(self, place: int) -> np.ndarray:
        """The motion (k, 6) of a place for the rates of all modes."""
        columns, moving = self.tree.arrays.places.columns, self.read.moving
        c, found = self.tree.arrays.place_of[place], np.zeros((len(self.of), 6))
        for j in range(columns.first[c], columns.first[c + 1]):
            if columns.link[j] < 0:
                found[self.mode[int(columns.axis[j])]] = moving.carried[j]
        return found

    def _each(self) -> Iterator[tuple[int, ModalPart, slice]]:
        """Each body with modes on a link: the number of that, and its modes."""
        for i, parts in enumerate(self.parts):
            first = self.modes[i].start
            for part in parts:
                yield i, part, slice(first, first + part.of.modes)
                first += part.of.modes

    def _put_blocks(self, motion: Motion, x: np.ndarray) -> None:
        gravity, amplitudes, rates = self.tree.arrays.gravity, x[self.at_q], motion.rates
        for i, part, own in self._each():
            block = block_of(part, motion.R[i], amplitudes[own], rates[own], gravity)
            motion.m[i] += block.m
            motion.s[i] += block.s
            motion.s0[i] += block.s0
            motion.J[i] += block.J
            motion.sigma[own], motion.d[own], motion.N[own] = block.sigma, block.d, block.N
            motion.sigma0[own], motion.d0[own] = block.sigma0, block.d0
            motion.e[own, own], motion.z[own, own] = block.e, block.z
            motion.T[i] += block.T
            motion.F[i] += block.F
            motion.Q[own] += block.Q

    def _hand_down(self, motion: Motion, links: Links, W: dict[int, np.ndarray]) -> None:
        """Forces on places that are no bodies act on the bodies that have them."""
        for place, link in self.carrier.items():
            if place in self.number:
                continue
            i, six = self.number[link], links.loads[place]
            motion.F[i] += six[3:]
            motion.T[i] += six[:3] + np.cross(links.O[place] - links.O[link], six[3:])
            motion.Q += W[place] @ six

    def _rows(self, motion: Motion, links: Links, rows: Rows, W: dict[int, np.ndarray]) -> Rows:
        """Rows beside the hinges, on bodies and modes."""
        B, b, c = rows.B[:, self.bodies].copy(), rows.b.copy(), rows.c.copy()
        for place, link in self.carrier.items():
            if place in self.number:
                continue
            six, i = rows.B[:, place], self.number[link]
            B[:, i] += six
            B[:, i, :3] += np.cross(links.O[place] - links.O[link], six[:, 3:])
            b[:, self.speed] += six @ W[place].T
            c -= six @ links.bias[place]
        return rows._replace(B=B, b=b, c=c)

    def answers(self, motion: Motion, ud: np.ndarray, forces: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations (links, 6) of the links for u̇, and what their hinges do on them (links, 6): `forces` (n, 6) on
        the bodies if they are known, else those that (★) needs."""
        A = motion.accelerations(ud)
        if forces is None:
            needed, _ = motion.needed(A, ud)
            if motion.rows is not None:
                needed = needed - forces_of_rows(motion, motion.balance(A, ud))
            forces = motion.outboard_sums(needed)
        return self._of_links(motion, A, ud[motion.speed]), self._on_links(forces)

    def _of_links(self, motion: Motion, bodies: np.ndarray, xi: np.ndarray) -> np.ndarray:
        """Accelerations of all links by those of the bodies and of modes."""
        found, moving = np.zeros((len(self.tree.links), 6)), self.read.moving
        found[self.bodies] = bodies
        for place, link in self.carrier.items():
            if place in self.number:
                continue
            A, arm = bodies[self.number[link]], moving.at[place, :3] - moving.at[link, :3]
            found[place] = shifted(A, arm) + xi @ self._on_place(place) + moving.bias[place]
        return found

    def _on_links(self, forces: np.ndarray) -> np.ndarray:
        """Forces that hold all links by those of the bodies: at a place that is no body those of what stands on it."""
        found, at = np.zeros((len(self.tree.links), 6)), self.read.moving.at
        found[self.bodies] = forces
        for i, place in enumerate(self.through):
            if place != GROUND and place not in self.number:
                found[place] += forces[i]
                found[place, :3] += np.cross(at[self.bodies[i], :3] - at[place, :3], forces[i, 3:])
        return found
