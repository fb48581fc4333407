"""Heat in a beam, in the plane and in space."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from flexmb.elements.beam import AnyBeam, BeamElements
from flexmb.errors import ModelError
from flexmb.kernels.blocks import Numbers, joined
from flexmb.model import checks
from flexmb.model.components import Assembler, Component
from flexmb.model.doubted import Assembled, Doubt
from flexmb.model.functions.time_function import TimeFunction, as_function

#: an end that heat moves to a wrong place is a doubt from this part of the beam's length on
NOTICEABLE = 1e-3
#: where the blocks of both nodes of an element in space end, in its coordinates and in its speeds
IN_SPACE = ((3, 7, 10, 14), (3, 6, 9, 12))


@dataclass(eq=False)
class ThermalLoad(Component):
    """A temperature in a beam above that without stress, the same all along, with a gradient across its section.

    It strains the beam freely by ᾱ τ and bends it away from its warm side, with the curvature ᾱ times the gradient;
    what holds the beam makes stresses of it (:mod:`flexmb.elements.heat`). Forces, moments and stresses of its sections
    are those that remain, E (ε − ᾱ τ); strains and curvatures are those that a ruler sees, heat included. The power of
    heat is input power.

    Arguments: `beam`, of the theory 'cms' or 'exact', in the plane also 'ancf'; `temperature` τ [K] of its axis;
    `gradient` [K/m]: ∂τ/∂y, y to the left of the way from start to end; in space (2,), (∂τ/∂y, ∂τ/∂z) along the axes of
    its section; `factor`, a number or a function of time, which controllers, states and load paths command. The
    material, or the properties, need a `thermal_expansion` ᾱ.

    >>> import flexmb as fm
    >>> copper = fm.Material(density=8250.0, youngs_modulus=1.3e11, thermal_expansion=1.7e-5)
    >>> m = fm.PlanarModel("m")
    >>> bar = m.add_beam("bar", m.ground, (2, 0), material=copper, section=fm.Circle(diameter=0.01))
    >>> sun = m.thermal_load(bar, 100.0, factor=0.5)
    >>> float(fm.equilibrium(m).solution["bar.end"].x[0].round(6))  # 2 m (1 + 1.7e-5 · 50)
    2.0017
    """

    beam: AnyBeam
    temperature: float = 0.0
    gradient: Any = 0.0
    _: KW_ONLY
    factor: TimeFunction | float = 1.0
    kind = "load"
    external = True
    strength = "factor"
    dimension = None

    @property
    def stands_in(self) -> int:
        return self.beam.model.dimension

    @property
    def heated(self) -> AnyBeam:
        return self.beam

    def parts(self) -> list[Component]:
        if not isinstance(self.beam, AnyBeam):
            raise ModelError(
                f"{self.where}: {checks.quoted(self.beam)} is not a beam; give what model.add_beam returned (a reduced "
                "body takes fm.bodies.ThermalLoad in its loads, and model.body_load)"
            )
        return [self.beam]

    def check(self) -> None:
        self.parts()
        beam, properties = self.beam, self.beam.properties
        if beam.heat_kernels is None:
            raise ModelError(
                f"{self.where}: {beam.where} is a {type(beam).__name__}, which takes no heat; use theory='cms' or "
                "'exact', or make it a body by fm.bodies.from_frame with an fm.bodies.ThermalLoad"
            )
        if getattr(beam, "course", None) is not None or not hasattr(properties, "thermal_expansion"):
            raise ModelError(
                f"{self.where}: {beam.where} is curved, twisted or tapered, or its sections are matrices; heat acts on "
                "straight beams of one material and section: take several of them"
            )
        if properties.thermal_expansion == 0.0:
            raise ModelError(
                f"{self.where}: {beam.where} has no thermal expansion; give its fm.Material(…, thermal_expansion=…), "
                "or its properties, the strain for each kelvin [1/K]"
            )
        self.temperature = checks.number(self.temperature, "temperature", self.where)
        if self.stands_in == 2:
            self.gradient = checks.number(self.gradient, "gradient", self.where)
        elif isinstance(self.gradient, int | float) and self.gradient == 0.0:
            self.gradient = np.zeros(2)
        else:
            self.gradient = checks.vector(self.gradient, "gradient", self.where, 2)
        self.factor = as_function(self.factor, "factor", self.where)

    def strains(self) -> np.ndarray:
        """The strain and the curvatures [1/m] of a free beam for a factor of 1: ᾱ τ, and those of the gradient, one in
        the plane, about y and z in space."""
        bent = -self.gradient if self.stands_in == 2 else np.array([self.gradient[1], -self.gradient[0]])
        return np.asarray(self.beam.properties.thermal_expansion * np.append(self.temperature, bent))

    def forces(self) -> np.ndarray:
        """What the beam's forces are less for a factor of 1: EA times the strain [N], and the moments [Nm] of the
        curvatures."""
        given = self.beam.properties
        stiffness = [given.EA, given.EI] if self.stands_in == 2 else [given.EA, given.EIy, given.EIz]
        return self.strains() * stiffness

    def doubts(self, system: Assembled, q: np.ndarray) -> list[Doubt]:
        """A warning if the elements are too long for what heat strains and for how they are bent, with the factor that
        acts at first, or of 1 where that is less."""
        factor = max(1.0, abs(float(self.function("factor")(0.0))))
        off = self.beam.heat_error(system, q, factor * self.strains())
        most = float(np.max(off))
        if not most > NOTICEABLE:
            return []
        count = int(np.ceil(int(self.beam.elements) * np.sqrt(most / NOTICEABLE)))
        text = (
            f"{self.where}: {self.beam.where} is bent so far in each of its elements that heat moves its end to a "
            f"wrong place, by about {100.0 * most:.2g} % of its length; take elements={count}, or theory='cms'"
        )
        return [Doubt(int(np.argmax(off > NOTICEABLE)), text)]

    def assemble(self, assembly: Assembler) -> None:
        beam, kernels = self.beam, self.beam.heat_kernels
        assert kernels is not None
        elements: BeamElements = beam.elements_of(assembly)
        numbers = joined(elements.coordinates)
        slot, forces = assembly.strength(self).slot(), self.forces()
        for row, q, v in zip(
            np.broadcast_to(elements.parameters, (len(numbers.v), np.shape(elements.parameters)[-1])),
            numbers.q,
            numbers.v,
        ):
            at, place = len(row), len(row) + len(forces)
            p = np.concatenate([row, forces, slot, [at]])
            if self.stands_in == 2:
                blocks = [Numbers(q, v)]
            else:
                parts = zip(np.split(q, IN_SPACE[0]), np.split(v, IN_SPACE[1]))
                blocks = [Numbers(one, other) for one, other in parts if len(one)]
            room = beam.heat_room(elements) + len(v)
            assembly.instance(self, kernels, blocks, p, work=room, strength=place)
