r"""The graph of a mechanism: its bodies are vertices, its hinges arcs, directed from the reference body outwards.

The matrices of the papers that Ohkami et al. (1985) survey, all from who carries whom. Body i is on the path to body j
if i ≤ j, its ends included; the arc into body c is called by c.

    Sᵢₐ = 1 if arc a leaves body i, −1 if it enters it            incidence; S̄ = (S + |S|)/2 has the leaving ones alone
    Tₐᵢ = −1 if a lies on the path to body i, else 0              TS = 1
    εᵢⱼ = 1 if i ≤ j, else 0;   π = εᵀ                            path matrices of Hooker, Ho, and of Jerkovsky
    R = −T S_c for the arcs S_c that close loops                  which arcs a loop passes, and which way round
    m*ᵢₐ = ± the mass beyond arc a, as seen from body i           + where a points away from i; mᵢ + Σ Sᵢₐ m*ᵢₐ = m

A loop more than a tree needs one cut arc; the number of these is the cyclomatic number. Of an augmented body, body i
with the mass beyond each of its hinges as a particle there, the mass center is its barycenter. With Lᵢⱼ from the mass
center Cᵢ to the hinge of i that leads to j,

    Dᵢᵢ = −(1/m) Σ mⱼ Lᵢⱼ,   Dᵢⱼ = Dᵢᵢ + Lᵢⱼ,   Σⱼ mⱼ Dᵢⱼ = 0,   Cᵢ − C = Σₖ Dₖᵢ (2.1.3), (2.1.4)
    Φᵢᵢ = Iᵢ + Σⱼ mⱼ (Dᵢⱼ² 1 − Dᵢⱼ Dᵢⱼᵀ),   Φᵢⱼ = −m (Dᵢⱼᵀ Dⱼᵢ 1 − Dⱼᵢ Dᵢⱼᵀ)    (2.1.2)

are the inertias of augmented bodies and what couples them; numbers of equations are those of the survey.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.formulations.tree.graph import GROUND
from flexmb.formulations.tree.tree import Tree
from flexmb.model import checks
from flexmb.model.hints import AnswersCalls
from flexmb.model.model import Model

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Topology(metaclass=AnswersCalls):
    """The graph of n bodies: `parents`, of each body the one that carries it, numbered from 0, each before those that
    it carries; −1 for a reference body, one that the ground carries or nothing. `cuts`: pairs of bodies, from and to,
    between which arcs close loops, −1 for the ground. `names` of the bodies, and of the `arcs`, those of the tree and
    then the cut ones.

    >>> import flexmb as fm
    >>> graph = fm.Topology([-1, 0, 1])
    >>> graph.incidence.tolist()  # Boland, Samin and Willems (1974): three bodies, two hinges
    [[1, 0], [-1, 1], [0, -1]]
    >>> graph.path_to_reference.tolist()
    [[0, -1, -1], [0, 0, -1]]
    >>> graph.augmented_masses([1.0, 2.0, 4.0]).tolist()
    [[6.0, 4.0], [-1.0, 4.0], [-1.0, -3.0]]
    """

    parents: Sequence[int]
    cuts: Sequence[tuple[int, int]] = ()
    names: Sequence[str] = ()
    arcs: Sequence[str] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "parents", checks.listed(self.parents, "parents", "Topology"))
        n = len(self.parents)
        for k, parent in enumerate(self.parents):
            if not isinstance(parent, int | np.integer) or not GROUND <= parent < k:
                raise ModelError(
                    f"Topology: body {k} is carried by {parent!r}; a body is carried by one of a lower number, or −1"
                )
        for cut in checks.listed(self.cuts, "cuts", "Topology"):
            ends = checks.pair(cut, "a cut arc", "Topology")
            a, b = (checks.count(x, "a body of a cut arc", "Topology", GROUND) for x in ends)
            if not (GROUND <= a < n and GROUND <= b < n) or a == b:
                raise ModelError(f"Topology: a cut arc leads from {a!r} to {b!r}; give two different bodies below {n}")

    @classmethod
    def of(cls, model: Model | Tree) -> Topology:
        """The graph of a model, whose links are the bodies.

        >>> import flexmb as fm
        >>> from flexmb.examples.four_bar import build
        >>> graph = fm.Topology.of(build())
        >>> graph.names, graph.cyclomatic, graph.circuits.T.tolist()
        (['left', 'right', 'coupler'], 1, [[-1]])
        """
        tree = Tree.fitting(model)
        parents = tree.arrays.parent.tolist()
        own = [name for name, parent in zip(tree.joints, parents) if parent != GROUND]
        return cls(parents, [(c.a, c.b) for c in tree.graph.chords], tree.links, [*own, *tree.chords])

    # -- matrices -----------------------------------------------------------------------------------------------------

    @property
    def count(self) -> int:
        """Number of bodies."""
        return len(self.parents)

    @cached_property
    def heads(self) -> list[int]:
        """The bodies that the arcs of the tree enter, in the order of the arcs."""
        return [k for k, parent in enumerate(self.parents) if parent != GROUND]

    @cached_property
    def paths(self) -> np.ndarray:
        """ε (n, n): 1 if body i lies on the path to body j."""
        found = np.eye(self.count, dtype=int)
        for k in self.heads:
            found[:, k] += found[:, self.parents[k]]
        return found

    @property
    def inward(self) -> np.ndarray:
        """π = εᵀ (n, n)."""
        return self.paths.T.copy()

    @cached_property
    def incidence(self) -> np.ndarray:
        """S (n, a) of the arcs of the tree."""
        return self._incidence([(self.parents[k], k) for k in self.heads])

    @property
    def leaving(self) -> np.ndarray:
        """S̄ (n, a)."""
        return (self.incidence + np.abs(self.incidence)) // 2

    @property
    def cut_incidence(self) -> np.ndarray:
        """S_c (n, c) of the arcs that close loops; the ground has no row."""
        return self._incidence(self.cuts)

    def _incidence(self, arcs: Sequence[tuple[int, int]]) -> np.ndarray:
        S = np.zeros((self.count, len(arcs)), dtype=int)
        for a, (start, end) in enumerate(arcs):
            if start != GROUND:
                S[start, a] = 1
            if end != GROUND:
                S[end, a] = -1
        return S

    @property
    def path_to_reference(self) -> np.ndarray:
        """T (a, n), a left inverse of S."""
        return -self.paths[self.heads]

    @property
    def circuits(self) -> np.ndarray:
        """R = −T S_c (a, c): 1 where the loop of a cut arc, followed the way that this one points, passes an arc of the
        tree the way that one points; −1 where it passes it the other way."""
        return -self.path_to_reference @ self.cut_incidence

    @property
    def cyclomatic(self) -> int:
        """The cyclomatic number: how many arcs have to be cut."""
        return len(self.cuts)

    @property
    def adjacency(self) -> np.ndarray:
        """(n, n): 1 where an arc of the tree joins two bodies."""
        S = np.abs(self.incidence)
        found = S @ S.T
        np.fill_diagonal(found, 0)
        return found

    # -- paths and sets -----------------------------------------------------------------------------------------------

    @property
    def references(self) -> list[int]:
        """The reference bodies, one of each tree."""
        return [k for k, parent in enumerate(self.parents) if parent == GROUND]

    def direct_path(self, vertex: int) -> list[int]:
        """The bodies from the reference body to a body, that one included, Ho (1977)."""
        return np.flatnonzero(self.paths[:, self._known(vertex)]).tolist()

    def outboard(self, vertex: int) -> list[int]:
        """A body and all that it carries: the nested bodies of Frisch, the outward set of Jerkovsky."""
        return np.flatnonzero(self.paths[self._known(vertex)]).tolist()

    @property
    def levels(self) -> list[int]:
        """How many arcs lie between each body and its reference body."""
        return (self.paths.sum(axis=0) - 1).tolist()

    def _known(self, body: int) -> int:
        if not isinstance(body, int | np.integer) or isinstance(body, bool) or not 0 <= body < self.count:
            raise ModelError(f"Topology: there is no body {body!r}; it has {self.count}, numbered from 0")
        return body

    # -- augmented bodies ---------------------------------------------------------------------------------------------

    def augmented_masses(self, masses: Any) -> np.ndarray:
        """m* (n, a) [kg], for the `masses` (n,) of the bodies."""
        m = checks.vector(masses, "masses", "Topology", self.count)
        tree_mass = (self.paths[self.references].T @ (self.paths[self.references] @ m)).astype(float)
        outside = self.paths[self.heads] @ m
        beyond = self.paths[self.heads].T == 1  # (n, a): body i lies behind arc a
        same = self.paths[self.references].T @ self.paths[self.references][:, self.heads] == 1
        found: np.ndarray = np.where(beyond, outside - tree_mass[:, None], outside) * same
        return found

    def plot(self, path: str | Path | None = None, *, ax: Any = None, background: str = "light") -> Figure:
        """A picture of the graph: bodies by levels with their numbers, arcs as arrows, cut ones dashed. With a `path`
        it is saved there, with `ax` it is drawn on axes of your own; `background` is 'light' or 'dark'."""
        from flexmb.plots.figures import target
        from flexmb.plots.graphs import numbered_graph

        arcs = [(self.parents[k], k) for k in self.heads]
        return numbered_graph(
            self.levels, arcs, self.cuts, self.names, self.arcs, target(path, ax, "plot of a graph"), background
        )


def tilde(a: np.ndarray) -> np.ndarray:
    """ã (…, 3, 3) of vectors (…, 3): ã b = a × b."""
    x, y, z = np.moveaxis(np.asarray(a), -1, 0)
    o = np.zeros_like(x)
    return np.stack([np.stack(row, -1) for row in ((o, -z, y), (z, o, -x), (-y, x, o))], -2)


def barycenters(masses: np.ndarray, L: np.ndarray) -> np.ndarray:
    """D (n, n, 3) of bodies with `masses` (n,) and the vectors L (n, n, 3) from mass centers to hinges, Lᵢᵢ = 0:
    (2.1.3), (2.1.4)."""
    own = -np.einsum("j,ijx->ix", masses, L) / masses.sum()
    return np.asarray(own[:, None] + L)


def augmented_inertias(masses: np.ndarray, I: np.ndarray, D: np.ndarray) -> np.ndarray:
    """Φ (n, n, 3, 3) of bodies with inertias I (n, 3, 3) about their mass centers, from their barycenters D: (2.1.2),
    also m D̃ᵢⱼ D̃ⱼᵢ where i ≠ j."""
    X, n = tilde(D), len(masses)
    found = masses.sum() * np.einsum("ijab,jibc->ijac", X, X)
    found[range(n), range(n)] = I - np.einsum("j,ijab,ijbc->iac", masses, X, X)
    return np.asarray(found)
