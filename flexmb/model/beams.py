"""Bodies and beams as methods of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.checks import Vector
from flexmb.model.frames import Frame
from flexmb.model.materials import Material
from flexmb.model.sections import BeamProperties, Section

if TYPE_CHECKING:
    from flexmb.elements import Beam, RigidBody
    from flexmb.model.damping import Damping
    from flexmb.model.planar import PlanarModel

#: A place for a body or the end of a beam: a frame, or a point (2,) [m] at which a new one is made.
FrameOrPoint = Frame | Vector


class BeamBuilding:
    """What has inertia, as methods of a model."""

    def add_body(  # type: ignore[misc]
        self: PlanarModel,
        name: str,
        *,
        mass: float,
        inertia: float,
        position: Vector | None = None,
        angle: float | None = None,
        center: Vector = (0.0, 0.0),
        frame: Frame | None = None,
    ) -> RigidBody:
        """A rigid body: `mass` [kg], `inertia` about its centre of mass [kg m²], `center` (2,) [m] the centre of mass
        in the axes of its frame. The frame is new (`position` (2,) [m] and `angle` [rad], zero when not given) and
        bears the body's name, or is an existing `frame`."""
        from flexmb.elements import RigidBody

        where = f"body {checks.quoted(name)}"
        self.free_name(name, where)
        if frame is not None and (position is not None or angle is not None):
            raise ModelError(f"{where}: give either a frame, which has its place already, or position and angle")
        if frame is None:
            place = self.add_frame(name, (0.0, 0.0) if position is None else position, 0.0 if angle is None else angle)
        else:
            place = frame
        body = RigidBody(name, place, mass, inertia, center)
        try:
            return self.add(body)
        except Exception:
            if frame is None:
                del self.frames[name]
            raise

    def add_point_mass(self: PlanarModel, name: str, frame: Frame, mass: float) -> RigidBody:  # type: ignore[misc]
        """A point mass [kg] on a frame."""
        from flexmb.elements import RigidBody

        return self.add(RigidBody(name, frame, mass, 0.0))

    def add_beam(  # type: ignore[misc]
        self: PlanarModel,
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

        A frame that is a node (or fixed) is shared with the beam, which is clamped to it without any constraint; to a
        frame with an offset the beam is welded. Its stiffness and mass come from `material` and `section`, or from
        `properties` (EA, EI, ρA).

        `theory`: 'cms' (component modes; options `modes=2`, `axial_modes=0`, `axial='second_order'`, see
        :class:`flexmb.elements.CmsBeam`), 'ancf' (:class:`flexmb.elements.AncfCable`), 'exact'
        (:class:`flexmb.elements.ExactBeam`, with shear), 'floating' (:class:`flexmb.elements.FloatingBeam`, linear in
        its own frame; `modes=2`). `elements`: their number along the beam; when not given one of 'cms' and 'floating',
        8 of 'ancf', 16 of 'exact'. `damping`: see :mod:`flexmb.model.damping`.
        """
        from flexmb.elements import BEAMS

        where = f"beam {checks.quoted(name)}"
        self.free_name(name, where)
        checks.choice(theory, BEAMS, "theory", where)
        if properties is None:
            if material is None or section is None:
                raise ModelError(f"{where}: give a material and a section, or properties=BeamProperties(EA, EI, rhoA)")
            if not isinstance(material, Material) or not isinstance(section, Section):
                wrong = section if isinstance(material, Material) else material
                raise ModelError(
                    f"{where}: {checks.quoted(wrong)} is no {'section' if wrong is section else 'material'}; give e.g. "
                    "material=Material(7850, 205e9), section=Circle(0.01)"
                )
            properties = BeamProperties.of(material, section)
        elif material is not None or section is not None:
            raise ModelError(f"{where}: give either a material and a section or properties, not both")
        family = BEAMS[theory]
        allowed = family.options()
        for option in options:
            if option not in allowed:
                raise ModelError(
                    f"{where}: theory {theory!r} has no option {option!r}{checks.similar(option, allowed)}; it has: "
                    f"{', '.join(allowed) or 'none'}"
                )
        count = family.usual_elements if elements is None else elements
        return family.build(self, name, start, end, properties, count, damping, **options)
