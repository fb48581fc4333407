"""What a name means: the one place where 'rod.end.y', 'rod@0.5.curvature', 'hinge.fx' … are taken apart.

Solutions, files, events, outputs of linear models, sensitivities and studies all ask :func:`meaning`, so that a name
means the same to each. 'b.x' is the place of the origin of the frame b, or of the frame of the body b:

    r_b = r_n + R u,   u the offset of the frame on its node n

A coordinate has the name of such a quantity only where both are one number: the coordinates of a node are called after
a frame that lies on it (:class:`flexmb.system.assembly.Assembly`), 'b.center.x' where b has its mass center beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from flexmb.errors import NamingError
from flexmb.forces.tire import PLANAR_TIRE_UNITS, TIRE_UNITS
from flexmb.joints.touching import ACROSS, NORMAL
from flexmb.kernels.blocks import INTEGRAL
from flexmb.quantities.of_contacts import CONTACT_UNITS, stop_units
from flexmb.quantities.of_frames import TURNS
from flexmb.quantities.of_joints import joint_units, line_units
from flexmb.quantities.of_system import whole_units
from flexmb.results.beams.sections import section_units
from flexmb.results.energy.ledger import ENTRIES
from flexmb.results.layout import Layout
from flexmb.results.tracks.stress_track import stress_names
from flexmb.results.tracks.track import SEEN_FROM, SPATIAL_UNITS, UNITS

#: what follows the name of a coordinate in the name of its rate
RATE = " rate"
#: what can be asked of a joint, and its unit, for 2 and 3 coordinates of a place; force and moment in space are sizes
FORCES = {
    2: {"fx": "N", "fy": "N", "moment": "Nm", "force": "N"},
    3: {**dict.fromkeys(("fx", "fy", "fz", "force"), "N"), **dict.fromkeys(("mx", "my", "mz", "moment"), "Nm")},
}
#: what can besides be asked of what rolls, in the words of contacts: sizes, positive where the surfaces press
PRESSING = {"normal_force": "N", "friction_force": "N"}
ENERGIES = (*ENTRIES, "total", "balance")

# kinds of quantities: energies; of the mechanism as a whole; of a place; of the section of a beam; of a contact or
# stop; of the motion in a joint; of the line along which a spring or a rod pulls; of the force of a joint; of the mesh
# of a body; a coordinate; the rate of a coordinate
ENERGY, WHOLE, PLACE, SECTION, TOUCH, MOTION, LINE, FORCE, STRESS, COORDINATE, COORDINATE_RATE = (
    "energy", "whole", "place", "section", "touch", "motion", "line", "force", "stress", "coordinate",
    "coordinate rate",
)  # fmt: skip


class Spot(NamedTuple):
    """Where a track is: at the origin of a `frame`, or else at the point `s` of a `beam`, or at the place of any
    component that has the name `s` there; as an observer sees it who is at the frame, or at the point, `to`."""

    frame: str = ""
    beam: str = ""
    s: Any = 0.0
    to: str = ""


class Meaning(NamedTuple):
    """A quantity: its `kind`, the name of what it is asked `of`, `what` is asked, its `unit`, and where it is a
    quantity of a place, the `spot`."""

    kind: str
    of: str
    what: str
    unit: str
    spot: Spot = Spot()


def meaning(layout: Layout, name: str) -> Meaning | None:
    """What a name means in a mechanism; None if it is no quantity of its state.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("m")
    >>> b = m.add_body("b", mass=1.0, inertia=(1, 1, 1), center=(0, 0, 1))
    >>> layout = Layout.of(fm.System(m))
    >>> [meaning(layout, f"{frame}.z").spot.frame for frame in ("b", "b.center")], layout.coordinates[2]
    (['b', 'b.center'], 'b.center.z')
    """
    head, _, what = name.rpartition(".")
    if what in (asked := asked_of(layout, head)):
        kind, unit = asked[what]
        if kind == STRESS:
            body, node = node_named(layout, head) or ("", None)
            return Meaning(kind, body, what, unit, Spot(s=node))
        where = {PLACE: spot_of, SECTION: point_of}.get(kind)
        return Meaning(kind, head, what, unit, (where(layout, head) if where else None) or Spot())
    if name in layout.coordinates:
        return Meaning(COORDINATE, name, "", layout.units(layout.coordinates.index(name))[0])
    if name.endswith(RATE) and (of := name.removesuffix(RATE)) in layout.coordinates:
        return Meaning(COORDINATE_RATE, of, "", layout.units(layout.coordinates.index(of))[1])
    if name in layout.states:
        return Meaning(COORDINATE_RATE, f"{name}{INTEGRAL}", "", "–")
    of_whole = name.removeprefix("whole.")
    if name == "whole.margin" and any(pair.contact is not None for pair in layout.pairs.values()):
        return Meaning(WHOLE, "whole", "margin", "m")
    if of_whole != name and of_whole in (units := whole_units(layout.dimension)):
        return Meaning(WHOLE, "whole", of_whole, units[of_whole])
    return None


def asked_of(layout: Layout, name: str) -> dict[str, tuple[str, str]]:
    """What can be asked of whatever has this name, a frame, a joint, a beam …: the kind and the unit of each."""
    found: dict[str, tuple[str, str]] = {}
    kinds: list[tuple[str, Mapping[str, str]]] = [(ENERGY, dict.fromkeys(ENERGIES, "J"))] if name == "energy" else []
    if spot_of(layout, name) is not None:
        kinds.append((PLACE, track_units(layout) | (TURNS if layout.dimension == 3 else {})))
    if point_of(layout, name) is not None:
        kinds.append((SECTION, section_units(layout)))
    of_pairs = ((TOUCH, touch_units), (MOTION, joint_quantities), (LINE, lines), (FORCE, row_forces))
    kinds += [(kind, units_of(layout, name)) for kind, units_of in of_pairs]
    if node_named(layout, name) is not None:
        kinds.append((STRESS, dict.fromkeys(stress_names(layout.dimension), "Pa")))
    for kind, units in kinds:
        found |= {what: (kind, unit) for what, unit in units.items() if what not in found}
    return found


def spot_of(layout: Layout, name: str) -> Spot | None:
    """Where the track of a frame, a body or a point of a beam is, 'tip', 'rod@0.5', 'tip seen from hull'; None for
    other names."""
    one, seen, to = name.partition(SEEN_FROM)
    if seen:
        spot, observer = spot_of(layout, one), spot_of(layout, to)
        return None if spot is None or observer is None else spot._replace(to=observer.frame or to)
    if name in layout.spatial or name in layout.frames:
        return Spot(frame=name)
    if name in layout.bodies:
        return Spot(frame=layout.bodies[name].frame)
    if name in layout.inner:
        component, place = layout.inner[name]
        return Spot(beam=component, s=place)
    return point_of(layout, name)


def point_of(layout: Layout, name: str) -> Spot | None:
    """The point of a beam that a name like 'rod@0.25', 'rod.start' or 'rod.end' means; None for other names."""
    beam, at, where = name.rpartition("@")
    if not at:
        beam, _, tag = name.rpartition(".")
        where = {"start": "0", "end": "1"}.get(tag, "")
    if beam not in layout.beams or not where:
        return None
    try:
        s = float(where)
    except ValueError:
        return None
    if not 0.0 <= s <= 1.0:
        raise NamingError(
            f"model {layout.model!r}: point {where} is off beam {beam!r}; give a fraction of its length, 0 to 1"
        )
    return Spot(beam=beam, s=s)


def node_named(layout: Layout, name: str) -> tuple[str, int | None] | None:
    """The body with a mesh and the number of its node that 'bracket@17' means; 'bracket' means all of them, None; None
    for other names."""
    body, at, node = name.rpartition("@")
    body, node = (body, node) if at else (name, "")
    if body not in layout.bodies or (mesh := layout.bodies[body].mesh) is None:
        return None
    if not at:
        return body, None
    if not node.isdecimal() or int(node) >= len(mesh.nodes):
        raise NamingError(
            f"model {layout.model!r}: the mesh of {body!r} has no node {node!r}; give a number from 0 to "
            f"{len(mesh.nodes) - 1}, as in '{body}@0'"
        )
    return body, int(node)


def track_units(layout: Layout) -> dict[str, str]:
    """The unit of every quantity of a track of a mechanism."""
    return UNITS if layout.dimension == 2 else SPATIAL_UNITS


def touch_units(layout: Layout, name: str) -> dict[str, str]:
    """Names and units of what can be asked of a contact, a tire or a stop; none for other names."""
    pair = layout.pairs.get(name)
    if pair is not None and pair.contact is not None:
        return {what: unit for what, unit in CONTACT_UNITS.items() if what != "fz" or layout.dimension == 3}
    if pair is not None and pair.tire is not None:
        return TIRE_UNITS | dict.fromkeys("xyz", "m") if layout.dimension == 3 else PLANAR_TIRE_UNITS
    return stop_units(pair.stop) if pair is not None and pair.stop is not None else {}


def joint_quantities(layout: Layout, name: str) -> dict[str, str]:
    """Names and units of what is measured in a joint; none for other names."""
    pair = layout.pairs.get(name)
    return joint_units(pair.joint) if pair is not None and pair.joint is not None else {}


def lines(layout: Layout, name: str) -> dict[str, str]:
    """Names and units of what is along the line between the frames of a spring or a rod; none for other names."""
    pair = layout.pairs.get(name)
    return {} if pair is None else line_units(pair)


def row_forces(layout: Layout, name: str) -> dict[str, str]:
    """Names and units of the forces that a joint, or what else acts between two frames, puts on its frame b; none for
    other names."""
    if not layout.has_reaction(name):
        return {}
    rows = {layout.rows[k][1] for k in layout.rows_of(name)}
    return FORCES[layout.dimension] | (PRESSING if NORMAL in rows and not rows.isdisjoint(ACROSS) else {})
