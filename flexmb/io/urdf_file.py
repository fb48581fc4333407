"""What a URDF file says: links and joints, read by yourdfpy and checked as a tree."""

from __future__ import annotations

import xml.parsers.expat
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.errors import FlexmbError, MissingExtraError, ModelError
from flexmb.machine import files
from flexmb.model import checks

TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
#: types with one coordinate
SINGLE = ("revolute", "continuous", "prismatic")
#: tags that only the preprocessor xacro understands
_MACROS = ("xacro:macro", "xacro:include", "xacro:property", "xacro:arg", "xacro:if", "xacro:unless")


@dataclass(frozen=True, eq=False)
class Place:
    """A place (3,) [m] and a rotation, from its axes to those in which the place is given."""

    position: np.ndarray
    rotation: Rotation

    def then(self, other: Place) -> Place:
        """A place that is given in the axes of this one, in those in which this one is given."""
        return Place(self.position + self.rotation.apply(other.position), self.rotation * other.rotation)


NOWHERE_ELSE = Place(np.zeros(3), Rotation.identity())


@dataclass(frozen=True, eq=False)
class LinkData:
    """A link: its mass [kg], the place of its mass center with the axes of its inertia (3, 3) [kg m²], and its visual
    and collision elements, as yourdfpy has them."""

    name: str
    mass: float
    center: Place
    inertia: np.ndarray
    visuals: list[Any]
    collisions: list[Any]

    @property
    def where(self) -> str:
        """The link as messages name it."""
        return f"link {checks.quoted(self.name)}"


@dataclass(frozen=True, eq=False)
class JointData:
    """A joint: what :class:`flexmb.RobotJoint` has, and its place on the parent. `mimic`: the joint that it follows,
    multiplier and offset, through all joints between."""

    name: str
    type: str
    parent: str
    child: str
    origin: Place
    axis: np.ndarray
    limits: tuple[float, float]
    effort: float
    velocity: float
    damping: float
    friction: float
    mimic: tuple[str, float, float] | None

    @property
    def where(self) -> str:
        """The joint as messages name it."""
        return f"joint {checks.quoted(self.name)}"


@dataclass(frozen=True, eq=False)
class RobotFile:
    """A robot: its name, its links and joints by name, its root link, and colors (4,) of named materials. Joints come
    in an order in which each parent is known before its children."""

    name: str
    root: str
    links: dict[str, LinkData]
    joints: dict[str, JointData]
    colors: dict[str, np.ndarray] = field(default_factory=dict)

    def children(self, link: str) -> list[JointData]:
        """The joints of which a link is the parent."""
        return [joint for joint in self.joints.values() if joint.parent == link]


def yourdfpy() -> Any:
    """The package that reads URDF."""
    try:
        import yourdfpy as package
    except ImportError:
        raise MissingExtraError(
            "read_urdf: URDF is read by the package yourdfpy, which is not installed: pip install 'flexmb[urdf]'"
        ) from None
    return package


def parsed(source: Path, where: str) -> RobotFile:
    """The robot in a file; `where` begins the messages."""
    package = yourdfpy()
    text = source.read_bytes()
    _check_text(text, where)
    with files.parsing(where, ModelError):
        given = package.URDF.load(BytesIO(text), build_scene_graph=False, load_meshes=False).robot
    for what, several in (("link", given.links), ("joint", given.joints)):
        names = [str(one.name) for one in several]
        for name in names:
            checks.name(name, f"{where}: a {what}")
        checks.all_different(names, what, where)
    links = {link.name: _link(link, where) for link in given.links}
    if not links:
        raise ModelError(f"{where}: it has no links")
    joints = {joint.name: _joint(joint, links, where) for joint in given.joints}
    root, order = _tree(links, joints, where)
    leaders = {joint.name: joint.mimic for joint in given.joints if joint.mimic is not None}
    found = {}
    for name in order:
        one = joints[name]
        mimic = _resolved(name, leaders, joints, where) if name in leaders and one.type != "fixed" else None
        found[name] = replace(one, mimic=mimic)
    colors = {m.name: np.asarray(m.color.rgba) for m in given.materials if m is not None and m.color is not None}
    return RobotFile(str(given.name), root, links, found, colors)


class _Seen:
    """What the reader would pass over without a word, noted while the text is parsed once."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.path: list[str] = []
        self.owner = ""
        self.found: set[str] = set()

    def begin(self, tag: str, attributes: dict[str, str]) -> None:
        """A tag opens."""
        if not self.path and tag != "robot":
            raise ModelError(f"{self.where}: it begins with <{tag}>; a URDF file begins with <robot>")
        if not self.path and "name" not in attributes:
            raise ModelError(f"{self.where}: <robot> has no name; give one, <robot name=…>")
        if tag in _MACROS:
            raise ModelError(
                f"{self.where}: it has <{tag}>, which is xacro; make a URDF of it first: xacro FILE > FILE.urdf"
            )
        if len(self.path) == 1:
            self.owner, self.found = "", set()
            if tag in ("link", "joint"):
                if not attributes.get("name"):
                    raise ModelError(f"{self.where}: a <{tag}> has no name")
                self.owner = f"{tag} {attributes['name']!r}"
        if self.owner and self.path[1:] == ["joint"] and tag in ("parent", "child"):
            self.found.add(tag)
            if not attributes.get("link"):
                raise ModelError(f"{self.where}: {self.owner} has a <{tag}> without link; name it, <{tag} link=…>")
        if self.owner and self.path[1:] == ["link", "inertial"]:
            self.found.add(tag)
            missing = [x for x in ("ixx", "iyy", "izz") if x not in attributes] if tag == "inertia" else []
            if missing:
                raise ModelError(f"{self.where}: the inertia of {self.owner} has no {', '.join(missing)}")
            if tag == "mass" and "value" not in attributes:
                raise ModelError(f"{self.where}: the mass of {self.owner} has no value")
        self.path.append(tag)

    def end(self, tag: str) -> None:
        """A tag closes."""
        self.path.pop()
        if not self.owner:
            return
        wanted: Iterable[str] = ()
        if len(self.path) == 1 and tag == "joint":
            wanted = ("parent", "child")
        elif self.path[1:] == ["link"] and tag == "inertial":
            wanted = ("mass", "inertia")
        for one in wanted:
            if one not in self.found:
                raise ModelError(f"{self.where}: {self.owner} has no <{one}>")


def _check_text(text: bytes, where: str) -> None:
    """Refuse what is no XML, or lacks what the reader would make up."""
    seen, parser = _Seen(where), xml.parsers.expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = seen.begin, seen.end
    try:
        parser.Parse(text, True)
    except xml.parsers.expat.ExpatError as why:
        raise ModelError(f"{where}: it is no XML: {why}") from None


def place_of(matrix: Any, where: str) -> Place:
    """The place that an <origin> says."""
    if matrix is None:
        return NOWHERE_ELSE
    checks.numbers(matrix, "origin", where, "numbers")
    return Place(np.array(matrix[:3, 3], dtype=float), Rotation.from_matrix(matrix[:3, :3]))


def _link(link: Any, where: str) -> LinkData:
    where = f"{where}: link {link.name!r}"
    inertial = link.inertial
    if inertial is None:
        return LinkData(link.name, 0.0, NOWHERE_ELSE, np.zeros((3, 3)), link.visuals, link.collisions)
    mass = checks.not_negative(inertial.mass, "mass", where)
    inertia = checks.numbers(inertial.inertia, "inertia", where, "ixx … izz")
    center = place_of(inertial.origin, f"{where}, inertial")
    return LinkData(link.name, mass, center, inertia, link.visuals, link.collisions)


def _joint(joint: Any, links: dict[str, LinkData], where: str) -> JointData:
    where = f"{where}: joint {joint.name!r}"
    checks.choice(joint.type, TYPES, "type", where)
    for end in ("parent", "child"):
        checks.known(getattr(joint, end), links, "link", f"{where}, {end}")
    axis = checks.vector(joint.axis, "axis", where, 3)
    if joint.type != "fixed" and joint.type != "floating" and not np.any(axis):
        raise ModelError(f"{where}: its axis is zero; give a direction, <axis xyz=…>")
    limit, dynamics = joint.limit, joint.dynamics

    def limited(field: str, default: float) -> float:
        value = getattr(limit, field, None) if limit is not None else None
        return default if value is None else float(value)

    lower, upper = -np.inf, np.inf
    if joint.type in ("revolute", "prismatic") and limit is not None:
        lower, upper = limited("lower", 0.0), limited("upper", 0.0)
        if not lower <= upper:
            raise ModelError(f"{where}: its limits are {lower:g} and {upper:g}; lower must not be above upper")
    lost = []
    for what in ("damping", "friction"):
        value = getattr(dynamics, what, None) if dynamics is not None else None
        try:
            lost.append(checks.not_negative(0.0 if value is None else float(value), what, where))
        except ValueError as why:
            if isinstance(why, FlexmbError):
                raise
            raise ModelError(f"{where}: {what} is {checks.quoted(value)}; give a number") from None
    return JointData(
        joint.name, joint.type, joint.parent, joint.child, place_of(joint.origin, where), axis, (lower, upper),
        limited("effort", np.inf), limited("velocity", np.inf), lost[0], lost[1], None,
    )  # fmt: skip


def _tree(links: dict[str, LinkData], joints: dict[str, JointData], where: str) -> tuple[str, list[str]]:
    """The root of the tree, and its joints from there on."""
    above: dict[str, JointData] = {}
    for joint in joints.values():
        if joint.child in above:
            raise ModelError(
                f"{where}: link {joint.child!r} is the child of two joints, {above[joint.child].name!r} and "
                f"{joint.name!r}; a URDF is a tree: leave one out, and close the loop in the model that is loaded"
            )
        above[joint.child] = joint
    roots = [name for name in links if name not in above]
    if len(roots) > 1:
        raise ModelError(
            f"{where}: it has {len(roots)} roots, links that are no joint's child: {', '.join(map(repr, roots))}; "
            "join them, or load them from files of their own"
        )
    order, reached = [], set(roots)
    ahead = list(roots)
    while ahead:
        link = ahead.pop(0)
        for joint in joints.values():
            if joint.parent == link:
                order.append(joint.name)
                reached.add(joint.child)
                ahead.append(joint.child)
    if len(reached) < len(links):
        name = next(name for name in links if name not in reached)
        around = [name]
        while above[around[-1]].parent not in around:
            around.append(above[around[-1]].parent)
        around = around[around.index(above[around[-1]].parent) :]
        raise ModelError(
            f"{where}: the links {', '.join(map(repr, around))} are children of one another in a circle; a URDF is "
            "a tree"
        )
    return roots[0], order


def _resolved(name: str, leaders: dict[str, Any], joints: dict[str, JointData], where: str) -> tuple[str, float, float]:
    """The joint that one follows in the end, with multiplier and offset: q = m q₁ + o, where q₁ = m₁ q₂ + o₁, …"""
    multiplier, offset, way = 1.0, 0.0, [name]
    while way[-1] in leaders:
        here = f"{where}: joint {way[-1]!r}"
        mimic = leaders[way[-1]]
        if joints[way[-1]].type not in SINGLE:
            raise ModelError(f"{here} is {joints[way[-1]].type} and mimics another; only one coordinate can")
        m = 1.0 if mimic.multiplier is None else checks.number(mimic.multiplier, "multiplier", here)
        o = 0.0 if mimic.offset is None else checks.number(mimic.offset, "offset", here)
        multiplier, offset = multiplier * m, offset + multiplier * o
        leader = checks.known(mimic.joint, joints, "joint", f"{here}, mimic")
        if leader in way:
            raise ModelError(f"{here} mimics {leader!r}, which mimics it in turn: {' → '.join([*way, leader])}")
        way.append(leader)
    if joints[way[-1]].type not in SINGLE:
        raise ModelError(
            f"{where}: joint {name!r} mimics {way[-1]!r}, which is {joints[way[-1]].type}: it has not one coordinate"
        )
    return way[-1], multiplier, offset
