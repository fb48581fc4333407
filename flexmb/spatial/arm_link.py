"""A link of an arm: a rigid body, a beam between the joints of the link, or a beam with a rigid body at its end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.bodies.body_of_frame import Member, from_frame
from flexmb.bodies.reduced_body import ReducedBody
from flexmb.bodies.reducing.reduction import Reduction
from flexmb.elements.modal_body import FIELDS
from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.geometry.sections import Material, Section
from flexmb.model.geometry.shapes import Shape
from flexmb.model.geometry.spatial_properties import BeamProperties
from flexmb.model.hints import AnswersCalls

#: a beam whose joints are closer than this part of the arm's longest link has no length
SHORTEST = 1e-9


@dataclass(frozen=True, eq=False)
class ArmLink(metaclass=AnswersCalls):
    """A link of an arm by Denavit–Hartenberg parameters, see :func:`flexmb.denavit_hartenberg`.

    A rigid body: `mass` [kg], `center` (3,) [m] and `inertia` [kg m²] about the mass center, three principal ones or a
    matrix (3, 3), all in the axes of the link's frame; `shape` in this frame, for pictures. A beam: `material` and
    `section`, or `properties`, with `y_axis` (3,) of the section in the axes of the link's frame, `elements` of finite
    elements, `modes` with both joints held beside the six static ones, `field` of :meth:`SpatialModel.add_modal_body`
    and `damping`, ratio of modal damping. With both, the rigid body stands on the end of the beam.

    `name` of the link; `bearing` [m]: where on the axis of its joint the link begins, from the origin of the frame that
    the axis belongs to.

    >>> import flexmb as fm
    >>> forearm = ArmLink("forearm", mass=12.0, center=(-0.3, 0, 0), inertia=(0.1, 0.9, 0.9))
    >>> boom = ArmLink("boom", material=fm.Material(7850, 205e9), section=fm.Circle(diameter=0.05))
    >>> forearm.bends, boom.bends
    (False, True)
    """

    name: str | None = None
    mass: float | None = None
    center: Any = (0.0, 0.0, 0.0)
    inertia: Any = None
    shape: Shape | None = None
    material: Material | None = None
    section: Section | None = None
    properties: BeamProperties | None = None
    y_axis: Any = None
    elements: int = 8
    modes: int = 2
    field: str = "quadratic"
    damping: Any = 0.0
    bearing: float = 0.0

    @property
    def bends(self) -> bool:
        """Whether it is a beam."""
        return not (self.material is None and self.section is None and self.properties is None)

    def check(self, where: str) -> None:
        """Raise a ModelError if something is missing."""
        if (self.mass is None) != (self.inertia is None):
            missing = "mass" if self.mass is None else "inertia"
            raise ModelError(f"{where}: its {missing} is missing; give mass and inertia, or neither")
        checks.number(self.bearing, "bearing", where)
        checks.choice(self.field, FIELDS, "field", where)

    def beam(self, start: np.ndarray, end: np.ndarray, size: float, where: str) -> ReducedBody:
        """The reduced beam from `start` to `end`, (3,) [m] in the axes of the link; `size` [m] of the arm."""
        if np.linalg.norm(end - start) <= SHORTEST * size:
            raise ModelError(
                f"{where}: it begins and ends at the same place, and a beam between has no length; give it a "
                "bearing on the axis of its joint, a tool behind the last link, or make it rigid"
            )
        member = Member(("start", "end"), self.material, self.section, self.properties, self.elements, self.y_axis)
        return from_frame(
            {"start": start, "end": end}, [member], interfaces={name: name for name in ("start", "end")},
            modes=self.modes, name=where,
            reduction=Reduction(field=self.field, damping=self.damping, estimate=False),
        )  # fmt: skip
