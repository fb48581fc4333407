"""Bodies from frames of beams: points, and members between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from flexmb.bodies.full_models.frame_elements import FrameElements
from flexmb.bodies.full_models.frame_skin import Beam, Skin, outline_of, skin_of
from flexmb.bodies.full_models.full_model import FullModel, MassField
from flexmb.bodies.reduced_body import ReducedBody
from flexmb.bodies.reducing.nodal_loads import NodalLoad
from flexmb.bodies.reducing.reduction import Reduction, reduce
from flexmb.bodies.reducing.thermal_loads import ThermalLoad
from flexmb.errors import ModelError
from flexmb.model import checks, given_names
from flexmb.model.geometry import planar_properties, spatial_properties
from flexmb.model.geometry.axes import SMALLEST_ANGLE, y_across
from flexmb.model.geometry.sections import Material, Section
from flexmb.model.hints import AnswersCalls, answers_calls


@dataclass(frozen=True, eq=False)
class Member(metaclass=AnswersCalls):
    """A straight beam of a frame.

    Arguments: the names of the two points that it `joins`, the start first; `material` and `section`, or
    `properties`, such as a `fm.spatial.BeamProperties`, whose infinite GA means no shear; `elements`, number of
    elements of equal length; `y_axis` (3,), a direction that tells the y-axis of the section: across the beam and the
    vertical z if not given.

    >>> Member(("a", "b"), elements=3).elements
    3
    """

    joins: tuple[str, str]
    material: Material | None = None
    section: Section | None = None
    properties: Any = None
    elements: int = 4
    y_axis: Any = None


@answers_calls
def from_frame(
    places: Mapping[str, Any],
    members: Sequence[Member],
    *,
    interfaces: Mapping[str, Any],
    followers: Mapping[str, Any] | None = None,
    loads: Mapping[str, NodalLoad | ThermalLoad] | None = None,
    modes: int = 20,
    reduction: Reduction | None = None,
    name: str = "frame",
) -> ReducedBody:
    """A reduced body from a frame of beams that are welded to each other at its points.

    Arguments: `places` (d,) [m] of its points by names, which are names of sets of nodes too; `members`; the others as
    for :func:`from_mesh`, an interface at a point being its name.

    >>> import flexmb as fm
    >>> steel, tube = fm.Material(7850, 205e9), fm.Tube(outer_diameter=0.05, inner_diameter=0.04)
    >>> corners = {"foot": (0, 0, 0), "knee": (0, 0, 1), "hand": (1, 0, 1)}
    >>> beams = [Member(("foot", "knee"), steel, tube), Member(("knee", "hand"), steel, tube)]
    >>> body = from_frame(corners, beams, interfaces={"foot": "foot", "hand": "hand"}, modes=6)
    >>> body.modes, round(body.mass, 4)
    (12, 11.0977)
    """
    model = frame_model(places, members, name=name)
    return reduce(model, interfaces, modes, reduction, followers=followers, loads=loads)


@answers_calls
def frame_model(places: Mapping[str, Any], members: Sequence[Member], *, name: str = "frame") -> FullModel:
    """The full model of a frame, before any reduction; arguments as for :func:`from_frame`.

    >>> import flexmb as fm
    >>> one = [Member(("a", "b"), fm.Material(1000, 1e9), fm.Circle(diameter=0.1), elements=1)]
    >>> frame_model({"a": (0, 0), "b": (1, 0)}, one).stiffness.shape
    (6, 6)
    """
    where = f"body {given_names.name(name, 'a body')!r}"
    checks.by_names(places, "places", where)
    parts = checks.several(members, "members", where)
    if not places or not parts:
        raise ModelError(f"{where}: it has no {'members' if places else 'points'}")
    d = len(checks.row(next(iter(places.values())), "a point", where))
    if d not in (2, 3):
        raise ModelError(f"{where}: its points have {d} coordinates; give 3, or 2 in the plane")
    points = {
        given_names.name(key, f"{where}, point"): checks.vector(x, f"point {key!r}", where, d)
        for key, x in places.items()
    }
    nodes, number = [np.append(x, np.zeros(3 - d)) for x in points.values()], {key: k for k, key in enumerate(points)}
    ends, axes, lengths, stiffness, inertia, expansion = [], [], [], [], [], []
    beams = []
    for k, member in enumerate(parts):
        at = f"{where}, member {k}"
        if not isinstance(member, Member):
            raise ModelError(f"{at}: give a flexmb.bodies.Member, not {checks.quoted(member)}")
        a, b = (number[given_names.known(x, number, "point", at)] for x in _pair(member.joins, at))
        along, count = nodes[b] - nodes[a], checks.count(member.elements, "elements", at, 1)
        length = float(np.linalg.norm(along))
        if length == 0.0:
            raise ModelError(f"{at}: both of its ends are at the place of {member.joins[0]!r}; it has no length")
        chain = [a, *range(len(nodes), len(nodes) + count - 1), b]
        nodes += [nodes[a] + along * j / count for j in range(1, count)]
        frame = _axes(along / length, member.y_axis, at)
        beams.append(Beam(chain, frame, outline_of(member.section or member.properties, length)))
        k_section, m_section = _properties(member, d, at)
        for i, j in pairwise(chain):
            ends.append((i, j))
            axes.append(frame)
            lengths.append(length / count)
            stiffness.append(k_section)
            inertia.append(m_section)
            expansion.append(0.0 if member.material is None else member.material.thermal_expansion)
    X = np.array(nodes)
    elements = FrameElements(
        np.array(ends), np.array(axes), np.array(lengths), np.array(stiffness), np.array(inertia), X,
        np.array(expansion),
    )  # fmt: skip
    skin = skin_of(X, beams, d)
    return _model(elements, d, {key: np.array([k]) for key, k in number.items()}, skin, name)


def _model(elements: FrameElements, d: int, sets: dict[str, np.ndarray], skin: Skin, name: str) -> FullModel:
    """The full model of a frame, in the plane without what leaves it."""
    N = len(elements.nodes)
    directions = np.arange(6) if d == 3 else np.array([0, 1, 5])
    kept = (6 * np.arange(N)[:, None] + directions).ravel()
    positions, masses, L, arms, turns = elements.points_of_mass()
    P = len(positions)
    ground = (3 * np.arange(P)[:, None] + np.arange(d)).ravel()
    L = L[ground][:, kept]
    m = sp.diags(masses).tocsr()
    turning = turns[:, kept] if d == 3 else turns[3 * np.arange(P) + 2][:, kept]

    def full(u: np.ndarray) -> np.ndarray:
        result = np.zeros((6 * N, *u.shape[1:]))
        result[kept] = u
        return result

    def heated(temperature: Callable[[np.ndarray], np.ndarray], at: str) -> Any:
        if not np.all(elements.expansion > 0.0):
            bad = int(np.argmin(elements.expansion > 0.0))
            raise ModelError(
                f"{at}: the material of its element {bad} has no thermal_expansion; give every member a "
                "fm.Material(…, thermal_expansion=…) [1/K]"
            )
        force, moment = elements.heated(lambda places: temperature(places[:, :d]))
        K = elements.prestressed(force, moment)[kept][:, kept]
        return elements.nodal(force, moment)[kept], lambda shapes: shapes.T @ (K @ shapes)

    return FullModel(
        elements.nodes[:, :d], elements.stiffness_matrix()[kept][:, kept], L.T @ sp.kron(m, sp.eye(d)) @ L,
        np.repeat(np.arange(N), len(directions)), np.tile(np.arange(len(directions)), N),
        MassField(positions[:, :d], m, L.tocsr(), arms[:, :d], turning.tocsr()),
        lambda u, phi: elements.stress_work(full(u), full(phi)), lambda u: elements.geometric(full(u))[kept][:, kept],
        sets, [("line", elements.ends)], name=name, heated=heated, skin=skin,
    )  # fmt: skip


def _pair(joins: Any, where: str) -> tuple[str, str]:
    if isinstance(joins, str) or not isinstance(joins, Sequence) or len(joins) != 2:
        raise ModelError(f"{where}: joins is {checks.quoted(joins)}; give the names of two points")
    return joins[0], joins[1]


def _axes(x: np.ndarray, y_axis: Any, where: str) -> np.ndarray:
    """Axes of the sections of a beam along x, as columns."""
    y = y_across(x, None if y_axis is None else checks.vector(y_axis, "y_axis", where, 3))
    if np.linalg.norm(y) < SMALLEST_ANGLE:
        raise ModelError(f"{where}: its y_axis is along the beam; give a direction across it")
    y = y / np.linalg.norm(y)
    return np.column_stack([x, y, np.cross(x, y)])


def _properties(member: Member, d: int, where: str) -> tuple[tuple[float, ...], tuple[float, float, float]]:
    """EA, GAy, GAz, GJ, EIy, EIz and ρA, ρIy, ρIz of a member."""
    given = member.properties
    if given is None:
        if member.material is None or member.section is None:
            raise ModelError(f"{where}: its material is missing; give material=… and section=…, or properties=…")
        kind = spatial_properties.BeamProperties if d == 3 else planar_properties.BeamProperties
        given = kind.of(member.material, member.section)
    if d == 2 and isinstance(given, planar_properties.BeamProperties):
        return (given.EA, given.GA, np.inf, 1.0, 1.0, given.EI), (given.rhoA, 0.0, given.rhoI)
    if d == 3 and isinstance(given, spatial_properties.BeamProperties):
        p = given
        inertia = (p.rhoA, p.rhoIy, p.rhoIz)
        if p.rhoIy == p.rhoIz == 0.0 or p.rhoIp is not None:  # shares of both axes in the inertia about the beam
            share = p.EIy / (p.EIy + p.EIz) if p.rhoIy + p.rhoIz == 0.0 else p.rhoIy / (p.rhoIy + p.rhoIz)
            inertia = (p.rhoA, p.polar_inertia * share, p.polar_inertia * (1.0 - share))
        return (p.EA, p.GAy, p.GAz, p.GJ, p.EIy, p.EIz), inertia
    raise ModelError(f"{where}: its properties must be BeamProperties of {'space' if d == 3 else 'the plane'}")
