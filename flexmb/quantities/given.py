"""What formulas read that the system has to find: the force on the node of a joint, a point or a section
of a beam, the whole, energies.

The formula of such a quantity gets these numbers in the place of the accelerations. In a run they are found by the
system that is running; of a solution they are those of its source, which may be a file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from flexmb.errors import ModelError
from flexmb.kernels.blocks import FREE
from flexmb.kernels.widths import ENERGY_WIDTH, SIDES
from flexmb.model.components import Component
from flexmb.system.evaluation import RESIDUAL_TOO
from flexmb.system.finding import AS_WHOLE
from flexmb.system.found import DETERMINED, Found, Share, sum_of
from flexmb.system.instances import Instance
from flexmb.system.kernel_calls import ENERGY, JACOBIAN, RESIDUAL
from flexmb.system.kernel_calls import POINT as POINT_OF
from flexmb.system.kernel_calls import SECTION as SECTION_OF
from flexmb.system.node_forces import columns_on, force_table, putting_force
from flexmb.system.readings import ENERGIES, NODE_FORCE, POINT, SECTION, WHOLE
from flexmb.system.redundancy import rows_not_unique
from flexmb.system.system import System
from flexmb.system.whole import EVERYTHING, FORCES, ROOM, WIDTH
from flexmb.system.whole_tables import whole_known, whole_table


class Asked(NamedTuple):
    """What compiled code has to know to find them: the kind of reading, integers, values, how many numbers of room it
    takes, and how many are kept for other readings."""

    kind: int
    numbers: list[int]
    values: list[float]
    room: int
    kept: int = 0


class Given(Protocol):
    """Numbers that the system has to find."""

    def asked(self, system: System, where: str) -> Asked:
        """What compiled code has to know; `where`: who asks."""

    def over(self, solution: Any) -> np.ndarray:
        """The numbers (k, …) at the times of a solution."""

    def check(self, system: System, t: float, q: np.ndarray, where: str) -> None:
        """Raise a ModelError if the motion does not determine them at a position q (nq,)."""

    def depends(self, system: System) -> tuple[np.ndarray, list[str]]:
        """The numbers of the speeds of the coordinates on which they depend, and the names of the components on whose
        constraint rows they do."""

    @property
    def count(self) -> int:
        """How many numbers they are."""

    def instances(self, assembly: Any) -> list[Instance]:
        """The instances that are asked for them at every instant; a ModelError where these know them no sooner than the
        accelerations."""

    def found(self, system: System, where: str, used: list[int]) -> Found:
        """How they are found at every instant, as far as they are `used`, for the reader `where`."""


@dataclass(frozen=True)
class NodeForce:
    """The force of a joint, or of what acts between two frames, on the node under its frame b; `along`: of all that
    acts along its coordinates. In the plane
    (fx, fy, moment), in space the force in ground axes and the moment in those of the node, both about its origin."""

    joint: str
    frame: str
    along: bool = False
    space: bool = False

    def asked(self, system: System, where: str) -> Asked:
        self.check(system, 0.0, system.q0, where)
        component = system.model.components[self.joint]
        if not self.along and not putting_force(system.assembly, self.joint, False) and self.joint not in system.off:
            raise ModelError(f"{where}: {component.where} puts no force on frames")
        speeds = system.assembly.node_numbers(system.model.frames[self.frame].node).v
        numbers, room = force_table(system, self.joint, speeds, self.along)
        return Asked(NODE_FORCE, numbers, [], len(speeds) + room)

    def over(self, solution: Any) -> np.ndarray:
        if not self.along and not solution.layout.has_reaction(self.joint):
            raise ModelError(f"{solution.where}: {self.joint!r} puts no force on frames of which results know")
        return np.asarray(solution.source.node_force(solution, self.joint, self.frame, self.along))

    def check(self, system: System, t: float, q: np.ndarray, where: str) -> None:
        if not system.left_out:
            return
        owners = {system.assembly.every_row[k].owner for k in rows_not_unique(system, np.array([t]), q[None, :])}
        for name in (x for x in self.depends(system)[1] if x in owners):
            raise ModelError(
                f"{where}: the motion does not determine the force of {system.model.components[name].where}, since "
                "other joints hold the same; leave out one of these, or make a part between them elastic"
            )

    def depends(self, system: System) -> tuple[np.ndarray, list[str]]:
        putting = [i for i, _ in putting_force(system.assembly, self.joint, self.along)]
        names = list(dict.fromkeys(i.owner.name for i in putting if len(i.rows)))
        every = [i.speeds for name in (self.joint, *names) for i in system.instances_of(name)]
        return np.concatenate([*every, *(i.speeds for i in putting)]), names

    count = property(lambda self: 6 if self.space else 3)

    def instances(self, assembly: Any) -> list[Instance]:
        putting = putting_force(assembly, self.joint, self.along)
        if not putting and not self.along:
            raise ModelError(f"{assembly.model.components[self.joint].where} puts no force on frames")
        behind = [other for i, _ in putting for other in self._behind(assembly, i)]
        return [*(i for i, _ in putting), *behind]

    @staticmethod
    def _behind(assembly: Any, i: Instance) -> list[Instance]:
        """Of a row that counts a turn by a coordinate without inertia, what acts on that coordinate; the row passes it
        on. The forces of all other rows are refused."""
        if not len(i.rows) and i.kernels.friction is None:
            return []
        number, free = int(i.speeds[-1]), assembly.free.mask(FREE)
        own = 0 <= number < len(free) and free[number]
        others = [x for x in assembly.instances if number in x.speeds and x is not i and not x.off]
        others = [x for x in others if not x.owner.only_reads]
        if not own or len(i.rows) != 1 or i.kernels.friction is not None or any(len(x.rows) for x in others):
            raise ModelError(f"{i.owner.where}: its force is that of a constraint, and {DETERMINED}")
        return others

    def found(self, system: System, where: str, used: list[int]) -> Found:
        speeds = system.assembly.node_numbers(system.model.frames[self.frame].node).v
        shares = []
        for i, parts in putting_force(system.assembly, self.joint, self.along):
            pairs, width = [x for x in columns_on(i, speeds) if x[0] in used], len(i.speeds)
            if pairs and parts & RESIDUAL_TOO and i.kernels.residual is not None:
                shares.append(Share(i, RESIDUAL, width, pairs, -1))
            if pairs and (behind := self._behind(system.assembly, i)):
                shares.append(Share(i, JACOBIAN, width, pairs, -1, behind=behind))
        return sum_of(system, shares, self.count, where=where)


@dataclass(frozen=True)
class AlongBeam:
    """What kernels say of the point s of a beam: of a `section` its strains and forces, less what heat takes from
    these; else the motion of the point (:mod:`flexmb.kernels.widths`)."""

    beam: str
    s: float
    section: bool
    space: bool = False

    def asked(self, system: System, where: str) -> Asked:
        row, width, shares = self._shares(system, where, [])
        found = [x for s in shares if not s.instance.off for x in (s.instance.group, s.instance.place, s.strength)]
        numbers = [width, len(row), len(found) // 3, *found]
        return Asked(SECTION if self.section else POINT, numbers, row, 2 * width)

    def _shares(self, system: System, where: str, used: list[int]) -> tuple[list[float], int, list[Share]]:
        """What says where the place is, how many numbers kernels fill, and whose they are."""
        beam: Any = system.model.components[self.beam]
        element, local = beam.locate(self.s)
        row, shares = np.asarray(beam.point_data(local), dtype=float).tolist(), []
        for owner in [beam, *(_heating(system, self.beam, where) if self.section else [])]:
            own = self._telling(system.assembly, owner.name)
            if not own and owner is beam:
                raise ModelError(f"{where}: {beam.where} is of a theory that tells no strains")
            if own:
                strength = -1 if owner is beam else int(system.strength_places(owner.name)[element])
                role, pairs = SECTION_OF if self.section else POINT_OF, [(k, k) for k in used]
                sign = 1 if owner is beam else -1
                shares.append(Share(own[element], role, self.count, pairs, sign, strength, 0, len(row)))
        return row, self.count, shares

    def _telling(self, assembly: Any, owner: str) -> list[Instance]:
        """The instances of a component that say something of a place along the beam."""
        own = assembly.instances_by_owner.get(owner, [])
        return [i for i in own if (i.kernels.section if self.section else i.kernels.point) is not None]

    @property
    def count(self) -> int:
        side = SIDES[3 if self.space else 2]
        return len(side.section if self.section else side.point)

    def instances(self, assembly: Any) -> list[Instance]:
        own = self._telling(assembly, self.beam)
        return [own[assembly.model.components[self.beam].locate(self.s)[0]]]

    def found(self, system: System, where: str, used: list[int]) -> Found:
        row, width, shares = self._shares(system, where, used)
        return sum_of(system, shares, width, row, where=where)

    def over(self, solution: Any) -> np.ndarray:
        source = solution.source
        found = (source.section if self.section else source.point)(solution, self.beam, self.s)
        if found is None:
            raise ModelError(f"{solution.where}: beam {self.beam!r} is of a theory that tells no strains")
        return np.asarray(found)

    def check(self, system: System, t: float, q: np.ndarray, where: str) -> None:
        """They follow from the state."""

    def depends(self, system: System) -> tuple[np.ndarray, list[str]]:
        return self.instances(system.assembly)[0].speeds, []


def _heating(system: System, beam: str, where: str) -> list[Component]:
    """The components that heat a beam."""
    components = list(system.model.components.values())
    found = [c for c in components if c.heated is not None and c.heated.name == beam]
    for load in found:
        if states := next((c for c in components if load in getattr(c, "commands", ())), None):
            raise ModelError(
                f"{where}: {states.where} commands the heat of {load.where} at every instant, which no reading knows; "
                "let a sampled controller command it, model.add_controller"
            )
    return found


@dataclass(frozen=True)
class Whole:
    """The mechanism as a whole, the numbers of :func:`flexmb.system.whole.whole_now`, of which some are `used`, and
    behind these other quantities, functions of the state."""

    used: int = EVERYTHING
    beside: tuple[Any, ...] = ()

    def asked(self, system: System, where: str) -> Asked:
        readings = [one.reading(where, system) for one in self.beside]
        own, values = [x for one in readings for x in one.numbers], [x for one in readings for x in one.values]
        table, total = whole_table(system), system.plan.total
        numbers = [WIDTH + len(readings), 0, self.used, len(readings), *own, *table.tolist()]
        room, kept = numbers[0] + ROOM * total, WIDTH + 1 + system.plan.total_q + 2 * total
        return Asked(WHOLE, numbers, [*values, *whole_known(system, table).tolist()], room, kept)

    count = WIDTH

    def instances(self, assembly: Any) -> list[Instance]:
        if self.used & FORCES:
            raise ModelError(f"{assembly.model.where}: the force that carries the whole {DETERMINED}")
        return [i for i in assembly.instances if not i.owner.only_reads]

    def found(self, system: System, where: str, used: list[int]) -> Found:
        table = whole_table(system)
        return Found(AS_WHOLE, [self.used, *table.tolist()], whole_known(system, table).tolist(), WIDTH)

    def over(self, solution: Any) -> np.ndarray:
        return np.column_stack([solution.whole.numbers, *(one.over(solution) for one in self.beside)])

    def check(self, system: System, t: float, q: np.ndarray, where: str) -> None:
        """They follow from the state and its accelerations."""

    def depends(self, system: System) -> tuple[np.ndarray, list[str]]:
        return np.arange(system.n), []


@dataclass(frozen=True)
class Energies:
    """Kinetic, strain and potential energy of the mechanism, and the power that is dissipated and put in."""

    def asked(self, system: System, where: str) -> Asked:
        self.check(system, 0.0, system.q0, where)
        return Asked(ENERGIES, [ENERGY_WIDTH], [], ENERGY_WIDTH)

    count = ENERGY_WIDTH

    def instances(self, assembly: Any) -> list[Instance]:
        if assembly.searches:
            raise ModelError(
                f"{assembly.searches[0].owner.where} stores energy between bodies that a search finds, which states of "
                "first order do not read; let a sampled controller read it, model.add_controller"
            )
        return [i for i in assembly.instances if i.kernels.energy is not None]

    def found(self, system: System, where: str, used: list[int]) -> Found:
        self.check(system, 0.0, system.q0, where)
        pairs = [(k, k) for k in used]
        shares = [Share(i, ENERGY, ENERGY_WIDTH, pairs) for i in self.instances(system.assembly)]
        return sum_of(system, shares, ENERGY_WIDTH, where=where)

    def over(self, solution: Any) -> np.ndarray:
        of = solution.energy
        return np.column_stack([of.kinetic, of.strain, of.potential])

    def check(self, system: System, t: float, q: np.ndarray, where: str) -> None:
        if np.any(system.spins[0]) or system.spins[1]:
            raise ModelError(
                f"{where}: wheels of constant speed have energy that no reading knows; give them a torque or an angle"
            )

    def depends(self, system: System) -> tuple[np.ndarray, list[str]]:
        return np.arange(system.n), []
