"""How many freedoms a mechanism has, and what each joint takes.

Every part brings freedoms, 3 in the plane and 6 in space for what is rigid, and joints and drives take some by their
rows. With flexible bodies taken as rigid, those that share nodes as one,

    count     the sum over all parts: freedoms brought less rows, Grübler (1917)
    freedoms  the motions that are left free in a position: freedoms brought less the rank of the rows

They differ by the rows that repeat others, as three of the five rows of a hinge that closes a loop in space do. What
deforms has more freedoms besides. In a singular position, as a dead point, the rank is less than beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy

from flexmb.algebra.rank import LARGEST_DENSE, null_vectors
from flexmb.machine import reports
from flexmb.model import given_names
from flexmb.model.model import Model
from flexmb.system.mobility import MOST_DESCRIBED, describe_mobility, flexible_bodies, rigid_groups, rigid_parts
from flexmb.system.rank import closed_by_all_rows, dependent_and_partners, repeated
from flexmb.system.system import System

#: joints are closed first in systems with up to so many entries of the Jacobian
MOST_CLOSED = 25 * LARGEST_DENSE


class Part(NamedTuple):
    """A part of a mechanism by its name, what it is in words, the freedoms that it `brings`, and the rows by which it
    `takes` some."""

    name: str
    what: str
    brings: int
    takes: int

    @property
    def freedoms(self) -> int:
        """Contribution to the count of freedoms, negative for a joint."""
        return self.brings - self.takes


@dataclass(frozen=True, eq=False)
class Freedoms:
    """The freedoms of a mechanism, of :meth:`flexmb.PlanarModel.freedoms`; printed they are a table.

    `name` of the model; `parts`, each with its `freedoms`: +3 or +6 of a body, −2 of a pin; `count`, their sum
    (Grübler's count); `freedoms`, how many motions are free by the rank of the rows; `of_positions`: without the rows
    that restrict speeds alone, as those of what rolls, which leave all positions to be reached; `redundant`: rows that
    repeat others, by name; `straining`: how many more would do so if no part deformed, so that these rows deform what
    can; `motions`: the first six free motions in words; `deforming`: freedoms of deformation besides.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("door")
    >>> leaf = m.add_body("leaf", mass=20.0, inertia=(1, 2, 3))
    >>> for height in (0.3, 1.7):
    ...     at = (0, 0, height)
    ...     _ = m.revolute(m.ground.attach(f"post {height}", at), leaf.attach(f"eye {height}", at), axis="z")
    >>> found = m.freedoms()
    >>> found.count, found.freedoms, len(found.redundant), found["leaf"], found["revolute 1"]
    (-4, 1, 5, 6, -5)
    """

    name: str
    parts: list[Part]
    freedoms: int
    of_positions: int
    redundant: list[str]
    straining: int
    motions: list[str]
    deforming: int

    @property
    def count(self) -> int:
        """Grübler's count: the sum over all parts."""
        return sum(part.freedoms for part in self.parts)

    def __getitem__(self, name: str) -> int:
        """What a part adds to the count, by the name of the body, joint or frame."""
        found = {part.name: part.freedoms for part in self.parts}
        return found[given_names.known(name, found, "part", f"freedoms of {self.name!r}")]

    def _lines(self) -> list[str]:
        lines = [f"{self.freedoms} free motion{'' if self.freedoms == 1 else 's'} by rank, {self.count} by count"]
        if self.of_positions > self.freedoms:
            lines.append(f"{self.of_positions} freedoms of positions: other rows restrict speeds alone")
        if self.deforming:
            lines.append(f"{self.deforming} freedoms of deformation besides")
        if self.straining:
            lines.append(f"{self.straining} rows strain what deforms: they would repeat others if it were rigid")
        lines += [f"repeats others: {text}" for text in self.redundant]
        lines += [f"free: {text}" for text in self.motions]
        return lines

    def __str__(self) -> str:
        width = max((len(part.what) for part in self.parts), default=0)
        table = [f"  {part.what:<{width}}  {part.freedoms:+d}" for part in self.parts]
        return "\n".join([f"Freedoms of {self.name!r}", *table, *(f"  {line}" for line in self._lines())])

    def __repr__(self) -> str:
        return f"Freedoms({self.name!r}, {self.freedoms} by rank, {self.count} by count)"

    def _repr_html_(self) -> str:
        rows = [(part.what, f"{part.freedoms:+d}") for part in self.parts]
        return reports.report(f"Freedoms of {self.name!r}", self._lines(), reports.table(["part", "freedoms"], rows))


class CountedModel(Model):
    """A model with the method that counts its freedoms."""

    def freedoms(self) -> Freedoms:
        """The count of freedoms with what each joint takes, in the position in which the model is drawn, at t = 0; a
        table when it is printed. Components that are switched off take nothing.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("press")
        >>> crank = m.add_body("crank", mass=1.0, inertia=0.1)
        >>> hinge = m.revolute(m.ground, crank.frame, name="hinge")
        >>> again = m.revolute(m.ground, crank.frame, name="again")
        >>> print(m.freedoms())
        Freedoms of 'press'
          body 'crank'   +3
          joint 'hinge'  -2
          joint 'again'  -2
          1 free motion by rank, -1 by count
          repeats others: joint 'again' (row x) with joint 'hinge'
          repeats others: joint 'again' (row y) with joint 'hinge'
          free: 'crank' turns
        """
        return freedoms_of(System(self))


def freedoms_of(system: System) -> Freedoms:
    """The freedoms of the mechanism of a system in its initial position."""
    t, q, m = 0.0, system.q0, system.m
    if m * system.n <= MOST_CLOSED:
        q = closed_by_all_rows(system, t, q)
    Z, _ = rigid_parts(system, q)
    rows = scipy.sparse.csr_array(
        scipy.sparse.diags_array(1.0 / system.row_scale) @ scipy.sparse.csc_array(system.jacobian(t, q)) @ Z
    )
    free, of_positions = (len(null_vectors(scipy.sparse.csc_array(x), 1).T) for x in (rows, rows[~system.at_speed]))
    dependent, partners = dependent_and_partners(system, t, q)
    redundant = [repeated(system, k, others) for k, others in zip(dependent, partners)]
    motions = describe_mobility(system, t, q)[: min(free, MOST_DESCRIBED)]
    straining = free - Z.shape[1] + m - len(dependent)
    deforming = system.n - m + len(dependent) - free
    return Freedoms(system.model.name, _parts(system), free, of_positions, redundant, straining, motions, deforming)


def _parts(system: System) -> list[Part]:
    """The parts of a mechanism with what they bring and take, those that do neither left out."""
    groups, clamped = rigid_groups(system)
    brings: dict[str, int] = {}
    single = np.ones(system.n, dtype=bool)
    single[np.concatenate([clamped, *groups]).astype(int)] = False
    what = {name: component.where for name, component in system.model.components.items()}
    bodies = flexible_bodies(system)
    for members in groups:
        of_group = [c for c, numbers in bodies if np.isin(numbers, members).any()]
        brings[of_group[0].name] = 3 if system.model.dimension == 2 else 6
        what[of_group[0].name] = " and ".join(c.where for c in of_group)
    on_nodes = _owners_of_nodes(system)
    for k in np.flatnonzero(single).tolist():
        name = on_nodes.get(k) or system.names[k].rpartition(".")[0]
        brings[name] = brings.get(name, 0) + 1
    takes: dict[str, int] = {}
    for row in system.rows:
        takes[row.owner] = takes.get(row.owner, 0) + 1
    names = [*what, *(name for name in brings if name not in what)]
    parts = [Part(x, what.get(x, f"frame {x!r}"), brings.get(x, 0), takes.get(x, 0)) for x in names]
    return [part for part in parts if part.freedoms]


def _owners_of_nodes(system: System) -> dict[int, str]:
    """By the indices of their coordinates in v, the components that nodes carry; of several the first."""
    found: dict[int, str] = {}
    for name, component in system.model.components.items():
        for node in component.nodes():
            for k in system.assembly.node_numbers(node).v.tolist():
                found.setdefault(k, name)
    return found
