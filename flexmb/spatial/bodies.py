"""Bodies of a model in space: a method for each kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.bodies.reduced_body import ReducedBody
from flexmb.elements.spatial import (
    BEAMS,
    Beam,
    Figure,
    ModalBody,
    PointMass,
    ReactionWheel,
    RigidBody,
    Tank,
    Wheel,
)
from flexmb.elements.spatial.course import SectionsGiven
from flexmb.errors import ModelError
from flexmb.kernels.rotations import turned
from flexmb.model import checks
from flexmb.model.checks import Vector
from flexmb.model.damping import Damping
from flexmb.model.frames import FrameOrPoint, as_frame
from flexmb.model.functions.time_function import TimeFunction
from flexmb.model.geometry.axes import Axis
from flexmb.model.geometry.inertia import about_center
from flexmb.model.geometry.section_matrices import SectionMatrices, properties_in_space
from flexmb.model.geometry.sections import Material, Section
from flexmb.model.geometry.shapes import Shape
from flexmb.model.geometry.spatial_properties import BeamProperties
from flexmb.model.model import Model
from flexmb.model.orientations import Orientation, quaternion_of, rotation_of, scalar_first
from flexmb.model.spatial_frames import Frame, SpatialFrameLike, SpatialNode, spatial_frame


class BodyVerbs(Model):
    """What :class:`~flexmb.spatial.model.SpatialModel` is made of: its frames and bodies."""

    def add_frame(
        self,
        name: str,
        position: Vector = (0.0, 0.0, 0.0),
        orientation: Orientation = None,
        *,
        fixed: bool = False,
    ) -> Frame:
        """A new frame at `position` (3,) [m] and `orientation`, with coordinates of its own, or fixed in space.

        >>> import flexmb as fm
        >>> m = fm.SpatialModel("pendulum", gravity=(0, 0, -9.81))
        >>> seat = m.add_frame("seat", (0.5, 0.0, 0.0), fixed=True)
        >>> seat.name, seat.position.tolist()
        ('seat', [0.5, 0.0, 0.0])
        """
        return spatial_frame(self, name, position, orientation, fixed=fixed)

    def add_body(
        self,
        name: str,
        *,
        mass: float | None = None,
        inertia: Any = None,
        shape: Shape | None = None,
        density: float | None = None,
        center: Vector | None = None,
        inertia_about: Vector | None = None,
        inertia_axes: Orientation = None,
        position: Vector | None = None,
        orientation: Orientation = None,
        frame: SpatialFrameLike | None = None,
    ) -> RigidBody:
        """A rigid body, on a new frame of its name at `position` (3,) [m] and `orientation` (the origin and axes of the
        ground when not given), or on an existing `frame`.

        Its mass center stands at `center` (3,) [m] in the axes of that frame, at its origin when not given; on a new
        frame a `center` that is given, or that of a shape beside the origin, is a frame too, `name.center`. `mass`
        [kg]; `inertia` [kg m²], three principal ones or a matrix (3, 3), about the mass center and in the axes of the
        frame, or else about the point `inertia_about` (3,) [m] and in the axes `inertia_axes`, both said in the axes of
        the frame.

        With a `shape` of a `density` [kg/m³] or a `mass`, mass center and inertia are those of the shape, and `center`
        is not given: shapes have a place of their own. With `mass` and `inertia` the shape is for pictures, and has the
        mass center if no `center` is given.

        >>> import flexmb as fm
        >>> m = fm.SpatialModel("m")
        >>> plate = m.add_body("plate", shape=fm.Box((2, 1, 0.1), position=(1, 0, 0)), density=10, position=(0, 0, 3))
        >>> round(plate.mass, 6), m.frames["plate.center"].position.tolist()
        (2.0, [1.0, 0.0, 3.0])
        """
        where = f"body {checks.quoted(name)}"
        self.free_name(name, where)
        if frame is not None and (position is not None or orientation is not None):
            raise ModelError(f"{where}: give either a frame, which has its place already, or position and orientation")
        center = None if center is None else checks.vector(center, "center", where, 3)
        weight, J, middle = _inertia(where, mass, inertia, shape, density, center, inertia_about, inertia_axes)
        with self.all_or_nothing():
            if frame is None:
                at = checks.vector((0.0, 0.0, 0.0) if position is None else position, "position", where, 3)
                axes = quaternion_of(orientation, "orientation", where)
                node = SpatialNode(at + np.array(turned(tuple(axes), tuple(middle))), axes)
                frame = Frame(name, self, node, offset=0.0 - middle)
                self.register_frame(as_frame(frame))
                if center is not None or np.any(middle):
                    frame.attach(f"{name}.center", middle)
            return self.add(RigidBody(name, as_frame(frame), weight, J, middle, shape))

    def add_beam(
        self,
        name: str,
        start: FrameOrPoint | None = None,
        end: FrameOrPoint | None = None,
        *,
        axis: Axis | None = None,
        material: Material | None = None,
        section: Section | Callable[[float], Section] | None = None,
        properties: BeamProperties
        | SectionMatrices
        | Callable[[float], BeamProperties | SectionMatrices]
        | None = None,
        y_axis: Any = None,
        twist: float | Callable[[float], float] | None = None,
        theory: str = "cms",
        elements: int | None = None,
        damping: Damping | None = None,
        **options: Any,
    ) -> Beam:
        """A beam from `start` to `end`, each a point (3,) [m] or a frame, straight and uniform; or along an `axis`.

        The beam is clamped to a frame on a node (or a fixed one) by sharing it, without any constraint; to a frame with
        an offset it is welded. Its stiffness and mass are those of `material` and `section`, or `properties` (EA, EIy,
        EIz, GJ, ρA, or 6 × 6 matrices; what they couple theory 'exact' alone takes). `y_axis`: the direction of the
        section's y, 'x', 'y', 'z' or (3,) in axes of the ground; horizontal when not given, see
        :class:`~flexmb.elements.spatial.beam.Beam`.

        Theory 'exact' takes curved, twisted and tapered beams. `axis`: an :class:`~flexmb.Arc`, a
        :class:`~flexmb.Helix`, a :class:`~flexmb.Polyline`, a :class:`~flexmb.SplineCurve` or a
        :class:`~flexmb.Curve`; `start` and `end` are then frames at its ends, or left out. `twist` [rad]: the angle by
        which the section is turned about the axis, right-handed, as a function of s, 0 at the start and 1 at the end;
        a number is that of the end, and grows evenly. `section` and `properties` may be functions of s. Elements end
        where the section jumps, and at kinks of the axis.

        `theory`: 'cms' (component modes: one element does the work of eight of a cable; `modes=2` in each plane, or a
        pair for y and z, `torsion_modes=1`, `axial_modes=0`, `axial="second_order"`), see
        :class:`~flexmb.elements.spatial.cms_beam.CmsBeam`; 'exact' (geometrically exact, with shear), see
        :class:`~flexmb.elements.spatial.exact_beam.ExactBeam`; 'ancf' (a cable, without torsion), see
        :class:`~flexmb.elements.spatial.ancf_cable.AncfCable`; or 'floating' (linear in its own frame, for
        comparison; `modes=2`, `torsion_modes=1`), see
        :class:`~flexmb.elements.spatial.floating_beam.FloatingBeam`. `elements`: their number along the beam, if not
        given 1 for 'cms' and 'floating', 8 for 'exact' and 'ancf', and more of 'exact' where the axis turns by more
        than ½ rad in each.
        `damping`: see :mod:`flexmb.model.damping`.

        >>> import flexmb as fm
        >>> m = fm.SpatialModel("m")
        >>> steel, strip = fm.Material(7850, 205e9), fm.Rectangle(width=0.002, height=0.02)
        >>> rod = m.add_beam("rod", m.ground, (0, 0, 1), material=steel, section=strip, y_axis="x")
        >>> rod.end.orientation.apply((0, 1, 0)).round(12).tolist()
        [1.0, 0.0, 0.0]
        >>> ring = fm.Arc(center=(0, 0, 0), start=(1, 0, 0), angle=6.283185307179586)
        >>> m.add_beam("hoop", axis=ring, material=steel, section=fm.Circle(diameter=0.02), theory="exact").elements
        13
        """
        where = f"beam {checks.quoted(name)}"
        self.free_name(name, where)
        checks.choice(theory, BEAMS, "theory", where)
        family = BEAMS[theory]
        family.check_options(options, theory, where)
        if axis is not None or twist is not None or callable(section) or callable(properties):
            sections = SectionsGiven(material, section, properties, family.takes_couplings)
            return family.along(self, name, start, end, axis, sections, y_axis, twist, elements, damping, **options)
        if start is None or end is None:
            raise ModelError(f"{where}: give both its start and its end, or an axis: fm.Arc(…), fm.Polyline(…), …")
        given = properties_in_space(material, section, properties, where, couplings=family.takes_couplings)
        count = family.usual_elements if elements is None else elements
        return family.build(self, name, start, end, given, count, damping, y_axis=y_axis, **options)

    def add_modal_body(
        self,
        name: str,
        reduced: ReducedBody,
        position: Vector = (0.0, 0.0, 0.0),
        orientation: Orientation = None,
        *,
        field: str = "quadratic",
        geometric_stiffness: bool = False,
        damping: Damping | None = None,
        amplitudes: Vector | None = None,
        amplitude_rates: Vector | None = None,
    ) -> ModalBody:
        """A flexible body by its modes, a :class:`flexmb.bodies.ReducedBody`, with the axes of its mesh at `position`
        (3,) [m] and `orientation`. The frame of its name is its reference frame; `body.at(name)` is the frame of an
        interface, for joints, springs, loads, sensors and results.

        `field`: 'quadratic' in the modes (bending shortens, so the body stiffens when it spins, and by every load), or
        'linear', then with the `geometric_stiffness` of unit loads or without. `damping`: see
        :mod:`flexmb.model.damping`, that of the reduced body when not given. `amplitudes` and `amplitude_rates` (n,) of
        the modes at the start are zero when not given.

        >>> import flexmb as fm
        >>> m = fm.SpatialModel("m")
        >>> P = np.zeros((2, 2, 3, 3))
        >>> P[0, 0], P[1, 1] = np.diag([0.3, 0.2, 0.1]), np.diag([0.0, 1.0, 0.0])
        >>> plate = fm.bodies.ReducedBody(2.0, np.zeros((2, 3)), P, stiffness=[1e4], origin=(0.5, 0, 0))
        >>> m.add_modal_body("plate", plate, field="linear").frame.position.tolist()
        [0.5, 0.0, 0.0]
        """
        where = f"body {checks.quoted(name)}"
        self.free_name(name, where)
        if not isinstance(reduced, ReducedBody):
            raise ModelError(f"{where}: {checks.quoted(reduced)} is no ReducedBody; see fm.bodies")
        at = checks.vector(position, "position", where, 3)
        turn = rotation_of(quaternion_of(orientation, "orientation", where))
        with self.all_or_nothing():
            given = reduced.dimension == 3  # a body of the plane is refused below, by its own check
            axes = turn * Rotation.from_matrix(np.array(reduced.orientation)) if given else turn
            place = at + (turn.as_matrix() @ reduced.origin if given else 0.0)
            frame = self.register_frame(Frame(name, self, SpatialNode(place, scalar_first(axes))))
            body = ModalBody(
                name, self, reduced, frame, field, geometric_stiffness, damping, amplitudes, amplitude_rates
            )
            return self.add(body)

    def add_point_mass(self, name: str, frame: SpatialFrameLike, mass: float) -> PointMass:
        """A point mass [kg] on a frame, see :class:`~flexmb.elements.spatial.offset_mass.PointMass`.

        >>> import flexmb as fm
        >>> m = fm.SpatialModel("pendulum", gravity=(0, 0, -9.81))
        >>> bob = m.add_body("bob", mass=2.0, inertia=(0.1, 0.1, 0.1))
        >>> m.add_point_mass("weight", bob.frame.attach("hook", (0, 0, -0.2)), 0.5).mass
        0.5
        """
        return self.add(PointMass(name, as_frame(frame), mass))

    def add_tank(
        self,
        name: str,
        frame: SpatialFrameLike,
        mass: float,
        *,
        center: Any = (0.0, 0.0, 0.0),
        inertia: Any = (0.0, 0.0, 0.0),
        unusable: float = 0.0,
    ) -> Tank:
        """A mass that jets use up, on a frame of a body, see :class:`~flexmb.elements.spatial.tank.Tank`.

        >>> import flexmb as fm
        >>> m = fm.SpatialModel("satellite")
        >>> hull = m.add_body("hull", mass=100.0, inertia=(20.0, 25.0, 30.0))
        >>> tank = m.add_tank("tank", hull.frame.attach("middle", (0, 0, 0.2)), 12.0, inertia=(0.1, 0.1, 0.1))
        >>> jet = m.thruster(hull.frame, 5.0, "hull.x", opens=0.1, axis=(-1, 0, 0), exhaust=2000.0, tank=tank)
        >>> tank.usable
        12.0
        """
        return self.add(Tank(name, as_frame(frame), mass, center=center, inertia=inertia, unusable=unusable))

    def add_figure(
        self, name: str, frame: SpatialFrameLike, shape: Shape, *, bends_along: Sequence[Beam] = ()
    ) -> Figure:
        """A shape on a frame for pictures alone, which may bend along beams, see
        :class:`~flexmb.elements.spatial.figure.Figure`.

        >>> import flexmb as fm
        >>> m = fm.SpatialModel("pendulum", gravity=(0, 0, -9.81))
        >>> post = m.add_figure("post", m.ground, fm.Box((0.1, 0.1, 1.0)))
        >>> post.only_drawn, post.name
        (True, 'post')
        """
        return self.add(Figure(name, as_frame(frame), shape, bends_along))

    def add_wheel(
        self,
        name: str,
        frame: SpatialFrameLike,
        *,
        inertia: float,
        axis: Any = "z",
        speed: float = 0.0,
        mass: float = 0.0,
        transverse: float = 0.0,
        torque: float | TimeFunction | None = None,
        friction: float = 0.0,
        angle: float | TimeFunction | None = None,
        shape: Shape | None = None,
    ) -> Wheel:
        """A wheel, a rotor or a flywheel on a frame, about an `axis` of it: of a constant `speed` [rad/s] against the
        frame, see :class:`~flexmb.elements.spatial.wheel.Wheel`; or, with a `torque` [Nm], with `friction` [Nms/rad] or
        with a prescribed `angle` [rad], free to turn, see :class:`~flexmb.elements.spatial.wheel.ReactionWheel`.

        >>> import flexmb as fm
        >>> m = fm.SpatialModel("pendulum", gravity=(0, 0, -9.81))
        >>> bob = m.add_body("bob", mass=2.0, inertia=(0.1, 0.1, 0.1))
        >>> wheel = m.add_wheel("wheel", bob.frame, inertia=0.02, axis="x", speed=300.0)
        >>> wheel.name, wheel.speed
        ('wheel', 300.0)
        """
        _check_shape(shape, f"wheel {checks.quoted(name)}")
        own = (mass, inertia, axis, speed, transverse, None if shape is None else shape.drawn)
        if torque is None and angle is None and isinstance(friction, int | float) and friction == 0.0:
            return self.add(Wheel(name, as_frame(frame), *own))
        return self.add(ReactionWheel(name, as_frame(frame), *own, 0.0 if torque is None else torque, friction, angle))


def _inertia(
    where: str,
    mass: float | None,
    inertia: Any,
    shape: Shape | None,
    density: float | None,
    center: np.ndarray | None,
    about: Vector | None,
    axes: Orientation,
) -> tuple[float, Any, np.ndarray]:
    """Mass, inertia about the mass center and the mass center (3,), as the arguments of a body say them."""
    _check_shape(shape, where)
    if shape is not None and shape.volume == 0.0 and (density is not None or inertia is None):
        raise ModelError(f"{where}: its shape is an open surface, which holds no mass; give mass and inertia")
    if density is not None:
        density = checks.positive(density, "density", where)
        if shape is None:
            raise ModelError(f"{where}: density needs a shape; give shape too, or mass and inertia")
        if mass is not None or inertia is not None:
            raise ModelError(f"{where}: a shape of a density has its mass and inertia; leave {_first(mass)} out")
        mass = density * shape.volume
    elif mass is None:
        raise ModelError(f"{where}: give its mass, or a shape with a density")
    mass = checks.positive(mass, "mass", where)
    if inertia is None:
        if shape is None:
            raise ModelError(
                f"{where}: give its inertia or a shape; a mass without extent is a point mass, add_point_mass"
            )
        for given, what in ((center, "center"), (about, "inertia_about"), (axes, "inertia_axes")):
            if given is not None:
                raise ModelError(
                    f"{where}: its shape says where the mass is; leave {what} out, and give the shape a position"
                )
        return mass, mass * shape.gyration, shape.center
    if center is None:
        center = np.zeros(3) if shape is None else shape.center
    if about is None and axes is None:
        return mass, inertia, center
    return mass, about_center(inertia, mass, center, about, axes, where), center


def _check_shape(shape: Any, where: str) -> None:
    if shape is not None and not isinstance(shape, Shape):
        raise ModelError(f"{where}: shape is {checks.quoted(shape)}; give a Box, a Cylinder, a Sphere, …")


def _first(mass: float | None) -> str:
    return "inertia" if mass is None else "mass"
