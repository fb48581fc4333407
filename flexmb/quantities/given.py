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
from flexmb.kernels.widths import ENERGY_WIDTH, SIDES
from flexmb.model.components import Component
from flexmb.system.node_forces import force_table, putting_force
from flexmb.system.readings import ENERGIES, NODE_FORCE, POINT, SECTION, WHOLE
from flexmb.system.redundancy import rows_not_unique
from flexmb.system.system import System
from flexmb.system.whole import EVERYTHING, WIDTH, whole_table


class Asked(NamedTuple):
    """What compiled code has to know to find them: the kind of reading, integers, values, and how many numbers of room
    it takes."""

    kind: int
    numbers: list[int]
    values: list[float]
    room: int


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


@dataclass(frozen=True)
class NodeForce:
    """The force of a joint, or of what acts between two frames, on the node under its frame b; `along`: of all that
    acts along its coordinates. In the plane
    (fx, fy, moment), in space the force in ground axes and the moment in those of the node, both about its origin."""

    joint: str
    frame: str
    along: bool = False

    def asked(self, system: System, where: str) -> Asked:
        self.check(system, 0.0, system.q0, where)
        component = system.model.components[self.joint]
        if not self.along and not putting_force(system, self.joint, False) and self.joint not in system.off:
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
        putting = [i for i, _ in putting_force(system, self.joint, self.along)]
        names = list(dict.fromkeys(i.owner.name for i in putting if len(i.rows)))
        every = [i.speeds for name in (self.joint, *names) for i in system.instances_of(name)]
        return np.concatenate([*every, *(i.speeds for i in putting)]), names


@dataclass(frozen=True)
class AlongBeam:
    """What kernels say of the point s of a beam: of a `section` its strains and forces, less what heat takes from
    these; else the motion of the point (:mod:`flexmb.kernels.widths`)."""

    beam: str
    s: float
    section: bool

    def asked(self, system: System, where: str) -> Asked:
        beam: Any = system.model.components[self.beam]
        element, local = beam.locate(self.s)
        row, side = np.asarray(beam.point_data(local), dtype=float).tolist(), SIDES[system.model.dimension]
        width, found = len(side.section if self.section else side.point), []
        for owner in [beam, *(_heating(system, self.beam, where) if self.section else [])]:
            own = system.instances_of(owner.name)
            own = [i for i in own if (i.kernels.section if self.section else i.kernels.point) is not None]
            if not own and owner is beam:
                raise ModelError(f"{where}: {beam.where} is of a theory that tells no strains")
            if own and not own[element].off:
                strength = -1 if owner is beam else int(system.strength_places(owner.name)[element])
                found.append([own[element].group, own[element].place, strength])
        numbers = [width, len(row), len(found), *(number for one in found for number in one)]
        return Asked(SECTION if self.section else POINT, numbers, row, 2 * width)

    def over(self, solution: Any) -> np.ndarray:
        source = solution.source
        found = (source.section if self.section else source.point)(solution, self.beam, self.s)
        if found is None:
            raise ModelError(f"{solution.where}: beam {self.beam!r} is of a theory that tells no strains")
        return np.asarray(found)

    def check(self, system: System, t: float, q: np.ndarray, where: str) -> None:
        """They follow from the state."""

    def depends(self, system: System) -> tuple[np.ndarray, list[str]]:
        own = system.instances_of(self.beam)
        own = [i for i in own if (i.kernels.section if self.section else i.kernels.point) is not None]
        return own[system.model.components[self.beam].locate(self.s)[0]].speeds, []  # type: ignore[attr-defined]


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
        momenta, total = system.full(system.spins[0]), system.plan.total
        numbers = [WIDTH + len(readings), total, self.used, len(readings), *own, *whole_table(system).tolist()]
        return Asked(WHOLE, numbers, [*values, *momenta.tolist()], numbers[0] + 3 * total)

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
