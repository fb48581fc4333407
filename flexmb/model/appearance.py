"""How a component looks: its place in the mechanism, how it is drawn, and the loads that it shows.

All of this is names, numbers and arrays. So results can save it, and pictures and exports draw a component of a user's
own as they draw a built-in one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np

from flexmb.errors import ModelError
from flexmb.model import checks, given_names

#: the shapes in which a component between two frames a and b can be drawn; in space they lie along its axis
GLYPHS = (
    "pin",  # at b
    "slider",  # a block at b, and the rails along which it slides on a
    "rod",  # from a to b
    "spring",  # a coil from a to b
    "spiral",  # a flat spring about b; in space about the pin between the same bodies
    "bushing",  # a thick ring about b
    "motor",  # a ring about the pin between the same bodies; about b where there is none
    # in space only:
    "ball",  # at b: it turns about all axes
    "sleeve",  # a round sleeve at b, and the rod on a along which it slides and about which it turns
    "screw",  # a nut at b, and the threaded rod on a
    "cross",  # two pins at b: along the axis of a, and along that of b
    "cage",  # a ball at b in a ring about the axis: shafts that turn equally fast
    "table",  # a plate on a, across the axis, on which b slides
    "rolling",  # nothing of its own: b rolls on a, which needs no support there
)

#: what can be asked of a joint in space, b against a in the axes of the joint, and its unit and those of its rate and
#: acceleration: places of the origin of b, with `position` that along z; angles about z, or of the two axes of a
#: cross; the rotation vector
JOINT_COORDINATES = {
    **dict.fromkeys(("x", "y", "z", "position"), ("m", "m/s", "m/s²")),
    **dict.fromkeys(("angle", "angle1", "angle2", "rx", "ry", "rz"), ("rad", "rad/s", "rad/s²")),
}


#: the shapes of bodies in space, and what the numbers of each are [m]
SHAPES = {
    "box": ("length along x", "along y", "along z"),
    "cylinder": ("diameter", "length"),  # along z
    "hollow cylinder": ("outer diameter", "inner diameter", "length"),  # along z
    "sphere": ("diameter",),
    "surface": (),  # triangles
    "compound": (),  # parts
}
#: a color as pictures read it: red, green and blue, two hexadecimal digits each
COLOR = re.compile(r"#[0-9a-f]{6}")


@dataclass(frozen=True, eq=False)
class BodyShape:
    """The shape of a body in space: one of :data:`SHAPES` with its sizes [m], about the middle of its own axes; their
    origin `position` (3,) [m] and the quaternion `axes` (4,), scalar first, from them to the axes of the body's frame.
    A 'surface' has points (p, 3) [m] and faces (f, 3), counter-clockwise from outside, in its own axes. `color`:
    '#rrggbb', or empty for one that pictures choose. A 'compound' has `parts` in the axes of the body's frame, and
    neither place nor color of its own."""

    kind: str
    sizes: tuple[float, ...] = ()
    position: tuple[float, ...] = (0.0, 0.0, 0.0)
    axes: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)
    vertices: np.ndarray | None = None
    faces: np.ndarray | None = None
    color: str = ""
    parts: tuple[BodyShape, ...] = ()

    @property
    def pieces(self) -> tuple[BodyShape, ...]:
        """The parts of a compound; any other shape alone."""
        return self.parts if self.kind == "compound" else (self,)


@dataclass(frozen=True)
class SpinPlace:
    """How a wheel turns on the body that carries it: the unit direction `axis` (3,) through the wheel's middle, in the
    axes of its frame; its inertia about the axis and across it [kg m²], the latter 0 where unknown; a constant `speed`
    [rad/s]; or the name of the coordinate `rotor` that is its angle."""

    axis: tuple[float, ...]
    inertia: float
    transverse: float = 0.0
    speed: float = 0.0
    rotor: str = ""


@dataclass(frozen=True, eq=False)
class MeshPlace:
    """The mesh of a body that deforms, in the axes of its frame: `nodes` (N, d) [m]; the names of the coordinates
    `modes` that are the amplitudes η of its modes; `shapes` (N, d, n + n_s), those of the modes and then of the slave
    shapes, whose amplitudes are ½ ηᵀT^mη with `slaves` (n_s, n, n); `faces` (f, 3), triangles of its surface; and
    `cells`, pairs of meshio's name of a cell and the numbers of its nodes. In the plane d is 2. `elasticity` of each
    block of cells and `left_out` stresses are those of :class:`flexmb.bodies.BodyMesh`; `origin` (d,) [m] and
    `orientation` (d, d) are where the frame stands in the axes in which the mesh was given; `loaded`: whether loads may
    act on it between its interfaces; `interfaces`: by name the place (d,) [m] and the axes (d, d) of each on the
    undeformed body."""

    nodes: np.ndarray
    modes: tuple[str, ...]
    shapes: np.ndarray
    slaves: np.ndarray
    faces: np.ndarray
    cells: tuple[tuple[str, np.ndarray], ...] = ()
    elasticity: tuple[Any, ...] = ()
    left_out: np.ndarray | None = None
    origin: np.ndarray | None = None
    orientation: np.ndarray | None = None
    loaded: bool = False
    interfaces: Mapping[str, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)

    def given(self, places: np.ndarray) -> np.ndarray:
        """Places (…, d) of the frame's axes in the axes in which the mesh was given."""
        turned = places if self.orientation is None else places @ self.orientation.T
        return np.asarray(turned if self.origin is None else turned + self.origin)

    def moved(self, eta: np.ndarray) -> np.ndarray:
        """Displacements (k, N, d) [m] in the axes of the frame for amplitudes (k, n)."""
        count, d, _ = self.shapes.shape
        return np.asarray((self.amplitudes(eta) @ self.shapes.reshape(count * d, -1).T).reshape(-1, count, d))

    def interface_arrays(self, d: int) -> tuple[np.ndarray, np.ndarray]:
        """Places (i, d) and axes (i, d, d) of the interfaces."""
        known = list(self.interfaces.values())
        return np.array([x for x, _ in known]).reshape(-1, d), np.array([axes for _, axes in known]).reshape(-1, d, d)

    def amplitudes(self, eta: np.ndarray) -> np.ndarray:
        """Amplitudes (k, n + n_s) of all shapes for those of the modes (k, n)."""
        return np.concatenate([eta, 0.5 * np.einsum("ki,mij,kj->km", eta, self.slaves, eta)], axis=1)


@dataclass(frozen=True)
class BodyPlace:
    """A rigid body: the name of its frame, its center of mass in the frame's axes [m], of two or three numbers, its
    mass [kg], 0 for a figure; in space its shape, if it has one, its inertia [kg m²] about that center in the frame's
    axes, (xx, yy, zz, xy, xz, yz), which says how large it is drawn if no shape does, and of a wheel how it turns. A
    body that deforms has a `mesh`; a figure that bends goes with its shape `along` beams, by their names, which start
    on its node and are shown by it."""

    frame: str
    center: tuple[float, ...]
    mass: float
    shape: BodyShape | None = None
    inertia: tuple[float, ...] = ()
    spin: SpinPlace | None = None
    mesh: MeshPlace | None = None
    along: tuple[str, ...] = ()


@dataclass(frozen=True)
class JointPlace:
    """The axes of a joint, which coincide at the start: in space x, y, z, the unit quaternions (4,) from them to the
    axes of frame a and of frame b, in the plane their angles (1,) [rad] in these frames; what is measured in them
    (names of :data:`JOINT_COORDINATES`); the name of the coordinate of the mechanism that counts the turns of its
    angle, empty if there is none; and the coordinates along which it `acts` itself, as a spring or a drive does, where
    a joint lets others act."""

    axes_a: tuple[float, ...]
    axes_b: tuple[float, ...]
    coordinates: tuple[str, ...] = ()
    counted: str = ""
    acts: tuple[str, ...] = ()


@dataclass(frozen=True)
class ContactPlace:
    """The pairs of shapes of a contact: the parameters of each in the axes of the frames, as
    :mod:`flexmb.forces.contact_force` lists them, and whether the first body of the pairs is b."""

    rows: tuple[tuple[float, ...], ...]
    swapped: bool = False


@dataclass(frozen=True)
class StopPlace:
    """The limits of a stop, infinite where there is none, of an 'angle', a 'position' or a 'distance', in space of any
    of :data:`JOINT_COORDINATES`; and k, n and d of its law, None of a hard one."""

    measure: str
    lower: float
    upper: float
    law: tuple[float, float, float] | None


@dataclass(frozen=True)
class RoadPlace:
    """A plane that lines show below what rolls on it: the frames a, through whose origin the plane is, and b, which
    rolls; the unit `normal` (3,) of the plane in the axes of a, towards b; and the `radius` of what rolls [m]."""

    a: str
    b: str
    normal: tuple[float, ...]
    radius: float


@dataclass(frozen=True)
class PairPlace:
    """A component between two frames: their names, its shapes (see :data:`GLYPHS`), and its axis.

    In the plane `axis` is the direction of a slider in frame a [rad] (None: the direction in which its block moves in
    the run). In space it is the unit direction (3,) of the axis in frame a, and `axis_b` that in frame b; when they are
    not given, both are those of z. `joint`: the axes of a joint, and what is measured in them; `contact`: the
    shapes that touch; `stop`: what a stop limits; `rotor`: of a motor in space the coordinate that is the angle of its
    rotor on frame a; `line`: of what pulls along the line between both origins, a spring or a rod, its free length [m],
    or nothing, (), if it has none; `tire`: the parameters of a tire (:mod:`flexmb.quantities.of_contacts`)."""

    a: str
    b: str
    glyphs: tuple[str, ...] = ()
    axis: float | tuple[float, ...] | None = None
    axis_b: tuple[float, ...] | None = None
    joint: JointPlace | None = None
    contact: ContactPlace | None = None
    stop: StopPlace | None = None
    rotor: str = ""
    line: tuple[float, ...] | None = None
    tire: tuple[float, ...] | None = None


@dataclass(frozen=True)
class BeamPlace:
    """A beam: its number of elements, its undeformed length [m], and the properties from which stresses are computed:
    EA [N], EI [Nm²], area [m²] and outer fiber [m]; 0 where unknown. In space EI is that of bending in x–y; and there
    are EIy [Nm²] of bending in x–z, GJ [Nm²], and the `radius` [m] of a round section or the corners (y, z) [m] of the
    `outline` of another one, instead of the outer fiber. Of a beam whose section varies these are the numbers in its
    middle; `taper` has rows (s, share of the width along y, along z) for pictures. `curved`: 1 for a beam that
    is curved or twisted when it is undeformed."""

    elements: int
    length: float = 0.0
    EA: float = 0.0
    EI: float = 0.0
    area: float = 0.0
    outer_fiber: float = 0.0
    EIy: float = 0.0
    GJ: float = 0.0
    radius: float = 0.0
    curved: float = 0.0
    outline: tuple[tuple[float, float], ...] = ()
    taper: tuple[tuple[float, float, float], ...] = ()


Place = BodyPlace | PairPlace | BeamPlace


@dataclass(frozen=True, eq=False)
class Load:
    """A load at places (k, 2) [m] at k times: forces (k, 2) [N], or [N/m] if it is `spread`, and torques (k,) [Nm],
    positive counter-clockwise; in space (k, 3) each, in the axes of the ground. What stays the same may be given
    once."""

    places: np.ndarray
    forces: np.ndarray | None = None
    torques: np.ndarray | None = None
    spread: bool = False


class PointMotion(Protocol):
    """The motion of a frame, a body or a point of a beam at k times."""

    @property
    def position(self) -> np.ndarray:
        """Places (k, 2) [m]."""

    @property
    def angle(self) -> np.ndarray:
        """Angles (k,) [rad], counted through all turns."""

    @property
    def velocity(self) -> np.ndarray:
        """Velocities (k, 2) [m/s]."""

    @property
    def angular_velocity(self) -> np.ndarray:
        """Angular velocities (k,) [rad/s]."""


class ShownMotion(Protocol):
    """The motion in which a component is shown, at the k times `t` [s], as far as the component may ask about it.
    A :class:`flexmb.results.solution.Solution` is one."""

    t: np.ndarray

    def track(self, key: Any) -> PointMotion:
        """The motion of a frame, a body or a point of a beam."""

    def coordinate(self, name: str) -> np.ndarray:
        """A coordinate (k,) of the system by its name."""

    def places(self, beam: str, points: int = ...) -> np.ndarray:
        """Places s ∈ [0, 1] (p,) along a beam."""

    def axis(self, beam: str, points: int = ...) -> np.ndarray:
        """The bent axis of a beam, (k, p, 2) [m], at these places."""

    def along(self, beam: str, quantity: str, points: int = ...) -> np.ndarray:
        """A quantity along a beam, (k, p), at these places."""


def check_place(place: Place | None, frames: Collection[str], where: str) -> None:
    """Refuse a thing that is no place, glyphs that nobody can draw, and names of frames that a model does not have.

    >>> check_place(PairPlace("ground", "rod.end", ("pni",)), ["ground", "rod.end"], "joint 'hinge'")
    Traceback (most recent call last):
        ...
    flexmb.errors.ModelError: joint 'hinge': glyph is 'pni'; choose one of 'pin', 'slider', 'rod', 'spring', \
'spiral', 'bushing', 'motor', 'ball', 'sleeve', 'screw', 'cross', 'cage', 'table', 'rolling'
    """
    if place is None or isinstance(place, BeamPlace):
        return
    if not isinstance(place, (BodyPlace, PairPlace)):
        raise ModelError(
            f"{where}: its place is {checks.quoted(place)}; give a BodyPlace, a PairPlace or a BeamPlace of "
            "flexmb.model.appearance, or None"
        )
    if isinstance(place, PairPlace):
        if isinstance(place.glyphs, str):
            raise ModelError(f"{where}: glyphs is the text {place.glyphs!r}; give a tuple, ({place.glyphs!r},)")
        for glyph in place.glyphs:
            if not (isinstance(glyph, str) and glyph in GLYPHS):
                checks.choice(glyph, GLYPHS, "glyph", where)
    if isinstance(place, BodyPlace) and place.shape is not None:
        _check_shape(place.shape, where)
    for frame in (place.frame,) if isinstance(place, BodyPlace) else (place.a, place.b):
        if frame not in frames:
            raise given_names.unknown(frame, frames, "frame", f"place of {where}")


def _check_shape(shape: Any, where: str) -> None:
    """Refuse a shape that nobody can draw."""
    if not isinstance(shape, BodyShape):
        raise ModelError(f"{where}: its shape is {checks.quoted(shape)}; give a BodyShape of flexmb.model.appearance")
    checks.choice(shape.kind, SHAPES, "kind of shape", where)
    wanted = SHAPES[shape.kind]
    if len(shape.sizes) != len(wanted):
        raise ModelError(f"{where}: a {shape.kind} has the sizes ({', '.join(wanted)}), not {shape.sizes}")
    if (shape.kind == "compound") != bool(shape.parts):
        raise ModelError(f"{where}: a compound has parts, other shapes have none")
    for part in shape.parts:
        if not isinstance(part, BodyShape) or part.kind == "compound":
            raise ModelError(f"{where}: parts of a compound are shapes without parts, not {checks.quoted(part)}")
        _check_shape(part, where)
    if shape.color and not (isinstance(shape.color, str) and COLOR.fullmatch(shape.color)):
        raise ModelError(f"{where}: color is {checks.quoted(shape.color)}; give '#rrggbb' in small letters")
    if (shape.kind == "surface") != (shape.vertices is not None and shape.faces is not None):
        raise ModelError(f"{where}: a surface has vertices and faces, other shapes have none")


class Shown:
    """Attributes of a component that pictures read."""

    #: the shapes in which it is drawn between its frames `a` and `b`: names of :data:`GLYPHS`
    glyphs: ClassVar[tuple[str, ...]] = ()
    #: whether pictures alone show it, and it adds nothing to the equations
    only_drawn: ClassVar[bool] = False

    def drawn(self, solution: ShownMotion) -> Sequence[np.ndarray]:
        """Lines that show it in drawings, films and pictures in space: points (k, p, 2) [m] at the k times of a
        solution, or (p, 2) if they do not move; in space (k, p, 3) and (p, 3). Built-in components and `glyphs` are
        drawn without them."""
        return []

    def road(self) -> RoadPlace | None:
        """The plane on which it rolls in space, if pictures shall show it; all that rolls on one plane near to each
        other has one road."""
        return None

    def loads(self, solution: ShownMotion, times: np.ndarray, strength: np.ndarray) -> Sequence[Load]:
        """The loads that it puts on the mechanism from outside at the k times of a solution; arrows show them.

        Arguments: `times` (k,) [s], at which its functions of time are read: those of the solution, or one and the
        same time along a load path; `strength` (k,): its function of strength, times the factor of a load path, plus
        the command of a controller; 1 if it has no field `strength`."""
        return []
