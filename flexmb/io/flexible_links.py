"""Links of a robot file that bend: beams from joint to joint, or reduced bodies, of their own meshes or given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.bodies.body_of_mesh import from_mesh
from flexmb.bodies.reduced_body import ReducedBody
from flexmb.bodies.reducing.reduction import Reduction
from flexmb.bodies.reducing.ties import Tie
from flexmb.errors import ModelError
from flexmb.io.link_masses import LINK, NOTICED, FlexiblePart, LinkSite, together
from flexmb.io.link_solids import near_joint, tetrahedra_of
from flexmb.io.urdf_file import NOWHERE_ELSE, Place
from flexmb.model import checks, given_names
from flexmb.model.damping import Damping
from flexmb.model.geometry.inertia import steiner
from flexmb.model.geometry.sections import Material, Section
from flexmb.model.geometry.spatial_properties import BeamProperties
from flexmb.model.hints import AnswersCalls
from flexmb.model.spatial_frames import Frame

#: places of joints that are nearer than this part of the size of a link are one
SAME = 1e-9
#: the name of the interface of a root link at its own frame
BASE = "base"


@dataclass(frozen=True, eq=False)
class FlexibleLink(metaclass=AnswersCalls):
    """How a link of a robot file bends, for `flexible=` of :func:`flexmb.read_urdf`; made by :meth:`beam`,
    :meth:`solid` or :meth:`reduced`.

    `rest`: the frame on which the mass and the inertia that the file says beyond those of the beam or body sit, as a
    rigid body: "link", the frame of the link, the name of one of its joints or tips, or None for none.

    >>> import flexmb as fm
    >>> from flexmb.examples import robots
    >>> steel, tube = fm.Material(7850, 205e9), fm.Tube(outer_diameter=0.05, inner_diameter=0.044)
    >>> arm = {"upper": fm.FlexibleLink.beam(steel, tube)}
    >>> robot = fm.read_urdf(robots.folder() / "six_joints.urdf", flexible=arm)
    >>> print(robot.flexible["upper"])
    link 'upper': 1 beam of 2.086 kg; the rest of the file's 5 kg, 2.914 kg, sits at 'upper'
    """

    rest: str | None = field(default=LINK, kw_only=True)

    @staticmethod
    def beam(
        material: Material,
        section: Section,
        *,
        modes: int = 2,
        y_axis: Any = None,
        tips: Mapping[str, Any] | None = None,
        damping: Damping | None = None,
        rest: str | None = LINK,
        **options: Any,
    ) -> FlexibleLink:
        """Beams from the frame of the link to the frames of its joints, one for each place.

        Arguments: `material` and `section`; `modes` in each plane; `y_axis` (3,), a direction that tells the y-axis of
        the section, in the axes of the link; `tips` (3,) [m] by names, further ends of beams, also in its axes: the
        frames 'LINK.TIP'; `damping`; `rest`, see the class; `options` of :meth:`flexmb.SpatialModel.add_beam`.

        >>> import flexmb as fm
        >>> rod = fm.FlexibleLink.beam(fm.Material(2700, 7e10), fm.Circle(diameter=0.03), tips={"tip": (0, 0, 0.3)})
        >>> rod.tips
        {'tip': (0, 0, 0.3)}
        """
        ends = checks.names_or_none(tips, "tips", "FlexibleLink.beam")
        return BeamLink(material, section, modes, y_axis, dict(ends), damping, dict(options), rest=rest)

    @staticmethod
    def solid(
        material: Material,
        *,
        mesh: Any = "visual",
        interfaces: Mapping[str, Any] | None = None,
        modes: int = 6,
        size: float | None = None,
        damping: Any = 0.0,
        rest: str | None = LINK,
        **options: Any,
    ) -> FlexibleLink:
        """A reduced body of a solid of finite elements.

        Arguments: `material`; `mesh`, "visual" or "collision", the geometry of the file, which must be one solid with a
        closed surface and is filled with tetrahedra by the package pytetwild, which `pip install 'flexmb[tetrahedra]'`
        brings; or a mesh of the volume in the axes of the link, as for :func:`flexmb.bodies.from_mesh`; `interfaces`
        by the names of the joints of the link, with that which carries it ("base" of the root), sets of nodes or
        :class:`flexmb.bodies.Tie`, where not given the nodes around the joint; `modes` with held interfaces; `size`
        [m] of the tetrahedra, a tenth of the diagonal of the body if not given; `damping`, ratio of modal damping;
        `rest`, see the class; `options` of :func:`flexmb.bodies.from_mesh`.

        >>> import flexmb as fm
        >>> fm.FlexibleLink.solid(fm.Material(2700, 7e10), mesh="collision", modes=4).modes
        4
        """
        ties = checks.names_or_none(interfaces, "interfaces", "FlexibleLink.solid")
        return SolidLink(material, mesh, dict(ties), modes, size, damping, dict(options), rest=rest)

    @staticmethod
    def reduced(reduced: ReducedBody, *, rest: str | None = LINK, **options: Any) -> FlexibleLink:
        """A `reduced` body in the axes of the link, whose interfaces have the names of the joints of the link; that
        which carries a root is "base". `options` of :meth:`flexmb.SpatialModel.add_modal_body`.

        >>> import flexmb as fm
        >>> P = np.zeros((2, 2, 3, 3))
        >>> P[0, 0], P[1, 1] = np.diag([0.3, 0.2, 0.1]), np.diag([0.0, 1.0, 0.0])
        >>> fm.FlexibleLink.reduced(fm.bodies.ReducedBody(2.0, np.zeros((2, 3)), P, stiffness=[1e4])).rest
        'link'
        """
        return ReducedLink(reduced, dict(options), rest=rest)

    def add(self, site: LinkSite) -> FlexiblePart:
        """Add what bends to a model."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class BeamLink(FlexibleLink):
    """See :meth:`FlexibleLink.beam`."""

    material: Material
    section: Section
    modes: int
    y_axis: Any
    tips: dict[str, Any]
    damping: Damping | None
    options: dict[str, Any]

    def add(self, site: LinkSite) -> FlexiblePart:
        given = BeamProperties.of(self.material, self.section)
        wanted = dict(site.joints)
        for name, point in self.tips.items():
            if name in wanted:
                raise ModelError(f"{site.where}: its tip {name!r} has the name of one of its joints; rename it")
            wanted[name] = Place(checks.vector(point, f"tip {name!r}", site.where, 3), Rotation.identity())
        size = max((float(np.linalg.norm(place.position)) for place in wanted.values()), default=0.0)
        if size == 0.0:
            raise ModelError(
                f"{site.where}: it has no joint and no tip beside its own frame to which a beam could go; give "
                "tips={'tip': (x, y, z)}"
            )
        frame = site.frame(site.name)
        ends: dict[str, Frame] = {}
        carriers = [(NOWHERE_ELSE, frame)]
        beams, masses = [], []
        for name, place in wanted.items():
            called = f"{site.name}.{name}"
            near = [x for x in carriers if np.linalg.norm(place.position - x[0].position) <= SAME * size]
            if near:
                at, carrier = near[0]
                ends[name] = carrier.attach(called, orientation=at.rotation.inv() * place.rotation)
                continue
            ends[name] = site.frame(called, place)
            carriers.append((place, ends[name]))
            y = (
                None
                if self.y_axis is None
                else site.at.rotation.apply(checks.vector(self.y_axis, "y_axis", site.where, 3))
            )
            beams.append(site.model.add_beam(
                f"{called} beam", frame, ends[name], material=self.material, section=self.section, y_axis=y,
                damping=self.damping, **({"modes": self.modes} | self.options),
            ))  # fmt: skip
            axes = site.at.rotation.inv() * Rotation.from_quat(beams[-1].axes, scalar_first=True)
            masses.append(_beam_mass(given, place.position, axes.as_matrix()))
        count = f"{len(beams)} beam{'s' if len(beams) > 1 else ''}"
        nodes = [node for beam in beams for node in beam.chain]
        straight = [beam for beam in beams if not beam.place().curved]
        along = straight if len(straight) == len(beams) else None
        return FlexiblePart(frame, ends, nodes, list(beams), together(masses), count, along)


@dataclass(frozen=True, eq=False)
class ReducedLink(FlexibleLink):
    """See :meth:`FlexibleLink.reduced`."""

    body: ReducedBody
    options: dict[str, Any]

    def add(self, site: LinkSite) -> FlexiblePart:
        if not isinstance(self.body, ReducedBody):
            raise ModelError(f"{site.where}: {checks.quoted(self.body)} is no ReducedBody; see fm.bodies")
        return _modal_part(site, self.body, self.options)


@dataclass(frozen=True, eq=False)
class SolidLink(FlexibleLink):
    """See :meth:`FlexibleLink.solid`."""

    material: Material
    mesh: Any
    interfaces: dict[str, Any]
    modes: int
    size: float | None
    damping: Any
    options: dict[str, Any]

    def add(self, site: LinkSite) -> FlexiblePart:
        joints = {site.joint: NOWHERE_ELSE, **site.joints}
        for name in self.interfaces:
            given_names.known(name, joints, "joint of the link", site.where)
        mesh, surface = self.mesh, None
        if isinstance(mesh, str) and mesh in ("visual", "collision"):
            mesh, surface = tetrahedra_of(site.link, mesh, site.figures, self.size, site.where)
        ties = {}
        for name, place in joints.items():
            tie = self.interfaces.get(name)
            if tie is None:
                tie = near_joint(place.position, surface, f"{site.where}, joint {name!r}", name)
            if not isinstance(tie, Tie):
                tie = Tie(tie, position=place.position, orientation=place.rotation.as_matrix())
            ties[name] = tie
        reduction = Reduction(damping=self.damping, progress=False)
        given: dict[str, Any] = {"modes": self.modes, "reduction": reduction, "name": site.name} | self.options
        return _modal_part(site, from_mesh(mesh, self.material, interfaces=ties, **given), {})


def _modal_part(site: LinkSite, reduced: ReducedBody, options: dict[str, Any]) -> FlexiblePart:
    """A reduced body as a link."""
    for name in (site.joint, *site.joints):
        if name not in reduced.interfaces:
            raise given_names.unknown(name, reduced.interfaces, "interface", f"{site.where}: its reduced body")
    body = site.model.add_modal_body(f"{site.name} body", reduced, site.at.position, site.at.rotation, **options)
    places = {name: body.at(name) for name in (site.joint, *site.joints)}
    frames = {}
    for name, place in {site.joint: NOWHERE_ELSE, **site.joints}.items():
        wanted, at = site.at.then(place), places[name]
        apart = float(np.linalg.norm(at.position - wanted.position))
        if apart > NOTICED * np.sqrt(np.trace(reduced.inertia) / reduced.mass):
            raise ModelError(
                f"{site.where}: the interface {name!r} of its body is {apart:.4g} m from the joint of this name; give "
                "the body in the axes of the link, and the tie the position of the joint"
            )
        called = site.name if name == site.joint else f"{site.name}.{name}"
        inverse = at.orientation.inv()
        frames[name] = at.attach(called, inverse.apply(wanted.position - at.position), inverse * wanted.rotation)
    nodes = [body.frame.node, *(at.node for at in places.values())]
    axes = np.array(reduced.orientation)
    center = reduced.first[0] / reduced.mass
    inertia = axes @ (reduced.inertia - steiner(reduced.mass, center)) @ axes.T
    own = reduced.mass, reduced.origin + axes @ center, inertia
    ends = {name: frames[name] for name in site.joints}
    along = None if reduced.mesh is not None else ()
    return FlexiblePart(frames[site.joint], ends, nodes, [body], own, f"a body with {reduced.modes} modes", along)


def _beam_mass(given: BeamProperties, end: np.ndarray, axes: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, center and inertia about it of a beam from the origin to its end, with the axes of its section."""
    L = float(np.linalg.norm(end))
    mass = given.rhoA * L
    turning = L * np.diag([given.polar_inertia, given.rhoIy, given.rhoIz])
    along = mass * L * L / 12.0 * np.diag([0.0, 1.0, 1.0])
    return mass, 0.5 * end, axes @ (turning + along) @ axes.T
