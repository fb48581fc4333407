"""The model of a mechanism in the plane, with its bodies and beams."""

from __future__ import annotations

import math
from typing import Any

from flexmb import bodies
from flexmb.elements import planar
from flexmb.elements.planar import BEAMS, Beam, RigidBody
from flexmb.errors import ModelError
from flexmb.feedback.controlled import ControlledModel
from flexmb.model import checks
from flexmb.model.checks import Vector
from flexmb.model.damping import Damping
from flexmb.model.frames import Frame, FrameLike, FrameOrPoint, Node, as_frame, rotation
from flexmb.model.geometry.planar_properties import BeamProperties
from flexmb.model.geometry.sections import Material, Section, properties_from
from flexmb.planar.verbs import PlanarVerbs


class PlanarModel(PlanarVerbs, ControlledModel):
    """A mechanism in the plane.

    Arguments: `name`; `gravity` (2,) [m/s²].

    >>> import flexmb as fm
    >>> steel = fm.Material(density=7850, youngs_modulus=205e9)
    >>> arm = fm.PlanarModel("pendulum", gravity=(0, -9.81))
    >>> rod = arm.add_beam("rod", (0, 0), (1, 0), material=steel, section=fm.Circle(diameter=0.01), modes=2)
    >>> hinge = arm.revolute(arm.ground, rod.start)
    >>> sorted(arm.frames)
    ['ground', 'rod.end', 'rod.start']
    """

    def __init__(self, name: str, gravity: Vector = (0.0, 0.0)) -> None:
        super().__init__(name, gravity)
        self.ground = self.add_frame("ground", fixed=True)

    def add_frame(self, name: str, position: Vector = (0.0, 0.0), angle: float = 0.0, *, fixed: bool = False) -> Frame:
        """A new frame at `position` (2,) [m] and `angle` [rad], with three coordinates of its own, or fixed in
        space.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("pendulum", gravity=(0, -9.81))
        >>> seat = m.add_frame("seat", (0.5, 0.0), fixed=True)
        >>> seat.name, seat.position.tolist()
        ('seat', [0.5, 0.0])
        """
        return Frame.placed(self, name, position, angle, fixed=fixed)

    # -- bodies and beams ----------------------------------------------------------------------------------------------

    def add_body(
        self,
        name: str,
        *,
        mass: float,
        inertia: float,
        center: Vector = (0.0, 0.0),
        position: Vector | None = None,
        angle: float | None = None,
        frame: FrameLike | None = None,
    ) -> RigidBody:
        """A rigid body: `mass` [kg], `inertia` about its center of mass [kg m²], `center` (2,) [m] of mass in the axes
        of its frame. The frame is new, with the body's name, at `position` (2,) [m] and `angle` [rad] (zero when not
        given); or it is an existing `frame`.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("pendulum", gravity=(0, -9.81))
        >>> bob = m.add_body("bob", mass=2.0, inertia=0.1, position=(1, 0))
        >>> bob.frame.name, bob.frame.position.tolist()
        ('bob', [1.0, 0.0])
        """
        where = f"body {checks.quoted(name)}"
        self.free_name(name, where)
        if frame is not None and (position is not None or angle is not None):
            raise ModelError(f"{where}: give either a frame, which has its place already, or position and angle")
        with self.all_or_nothing():
            if frame is None:
                frame = self.add_frame(
                    name, (0.0, 0.0) if position is None else position, 0.0 if angle is None else angle
                )
            return self.add(RigidBody(name, as_frame(frame), mass, inertia, center))

    def add_modal_body(
        self,
        name: str,
        reduced: bodies.ReducedBody,
        position: Vector = (0.0, 0.0),
        angle: float = 0.0,
        *,
        field: str = "quadratic",
        geometric_stiffness: bool = False,
        damping: Damping | None = None,
        amplitudes: Vector | None = None,
        amplitude_rates: Vector | None = None,
    ) -> planar.ModalBody:
        """A flexible body by its modes, a :class:`flexmb.bodies.ReducedBody` of two dimensions, with the axes of its
        mesh at `position` (2,) [m] and `angle` [rad]. The frame of its name is its reference frame; `body.at(name)` is
        the frame of an interface. The other arguments are those of :meth:`flexmb.SpatialModel.add_modal_body`.

        >>> import flexmb as fm, numpy as np
        >>> m = fm.PlanarModel("m")
        >>> P = np.zeros((2, 2, 2, 2))
        >>> P[0, 0], P[1, 1] = np.diag([0.3, 0.1]), np.diag([0.0, 1.0])
        >>> strip = fm.bodies.ReducedBody(2.0, np.zeros((2, 2)), P, stiffness=[1e4], origin=(0.5, 0))
        >>> m.add_modal_body("strip", strip, field="linear").frame.position.tolist()
        [0.5, 0.0]
        """
        where = f"body {checks.quoted(name)}"
        self.free_name(name, where)
        if not isinstance(reduced, bodies.ReducedBody):
            raise ModelError(f"{where}: {checks.quoted(reduced)} is no ReducedBody; see fm.bodies")
        at, turn = checks.vector(position, "position", where), checks.number(angle, "angle", where)
        with self.all_or_nothing():
            if reduced.dimension == 2:  # a body of space is refused below, by its own check
                at = at + rotation(turn) @ reduced.origin
                turn += math.atan2(reduced.orientation[1, 0], reduced.orientation[0, 0])
            frame = self.register_frame(Frame(name, self, Node(at, turn)))
            return self.add(
                planar.ModalBody(
                    name, self, reduced, frame, field, geometric_stiffness, damping, amplitudes, amplitude_rates
                )
            )

    def add_point_mass(self, name: str, frame: FrameLike, mass: float) -> RigidBody:
        """A point mass [kg] on a frame.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("pendulum", gravity=(0, -9.81))
        >>> frame = m.add_frame("bob", (1.0, 0.0))
        >>> mass = m.add_point_mass("weight", frame, 0.5)
        >>> mass.mass, mass.inertia
        (0.5, 0.0)
        """
        return self.add(RigidBody(name, as_frame(frame), mass, 0.0))

    def add_beam(
        self,
        name: str,
        start: FrameOrPoint,
        end: FrameOrPoint,
        *,
        material: Material | None = None,
        section: Section | None = None,
        properties: BeamProperties | None = None,
        theory: str = "cms",
        elements: int | None = None,
        damping: Damping | None = None,
        **options: Any,
    ) -> Beam:
        """A straight uniform beam from `start` to `end`, each a point (2,) [m] or a frame.

        The beam is clamped to a frame on a node (or a fixed one) by sharing it, without any constraint; to a frame with
        an offset it is welded. Its stiffness and mass are those of `material` and `section`, or `properties` (EA, EI,
        ρA).

        `theory`: 'cms' (component modes; options `modes=2`, `axial_modes=0`, `axial='second_order'`), 'ancf', 'exact'
        (with shear) or 'floating' (linear in its own frame; `modes=2`), see
        :class:`~flexmb.elements.planar.cms_beam.CmsBeam`, :class:`~flexmb.elements.planar.ancf_cable.AncfCable`,
        :class:`~flexmb.elements.planar.exact_beam.ExactBeam` and
        :class:`~flexmb.elements.planar.floating_beam.FloatingBeam`. `elements`: their number along the beam; when not
        given 1 for 'cms' and 'floating', 8 for 'ancf', 16 for 'exact'. `damping`: see :mod:`flexmb.model.damping`.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("pendulum", gravity=(0, -9.81))
        >>> steel = fm.Material(density=7850, youngs_modulus=205e9)
        >>> rod = m.add_beam("rod", (0, 0), (1, 0), material=steel, section=fm.Circle(diameter=0.01), modes=2)
        >>> rod.length, rod.start.name, rod.end.name
        (1.0, 'rod.start', 'rod.end')
        """
        where = f"beam {checks.quoted(name)}"
        self.free_name(name, where)
        checks.choice(theory, BEAMS, "theory", where)
        given = properties_from(BeamProperties, material, section, properties, where)
        family = BEAMS[theory]
        family.check_options(options, theory, where)
        count = family.usual_elements if elements is None else elements
        return family.build(self, name, start, end, given, count, damping, **options)
