"""The masses of a flexible link of a robot file: of what bends, and of what is left.

A link of a file has a mass m, a center c and an inertia J about it. What bends has m_b, c_b and J_b of its own. What is
left,

    m_r = m − m_b,    m_r c_r = m c − m_b c_b,    J_r = J + m s(c) − J_b − m_b s(c_b) − m_r s(c_r),
    s(c) = |c|² 1 − c cᵀ

is a rigid body on a frame of the link, so that a link that does not bend moves as the one of the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.errors import AccuracyWarning, ModelError, warn
from flexmb.io.urdf_file import NOWHERE_ELSE, LinkData, Place
from flexmb.io.urdf_shapes import Figures
from flexmb.model import given_names
from flexmb.model.geometry.inertia import check_tensor, nearest_possible, steiner
from flexmb.model.geometry.shapes import Sphere
from flexmb.model.spatial_frames import Frame
from flexmb.spatial.model import SpatialModel

#: masses that are less than this part of a link count as none
NOTHING = 1e-9
#: masses, centers (of the size) and inertias that differ by more than this part from those of the file are warned of
NOTICED = 0.01
#: the radius of the ball that shows a rest inside of a shape, in that of one outside
INSIDE = 0.1
#: the name of the frame of a link, where its rest may sit
LINK = "link"


@dataclass(frozen=True, eq=False)
class LinkSite:
    """Where a flexible link goes.

    Arguments: the `model`; `name` of the link in it; the `link` of the file; `at`, its place in the axes of the ground;
    `joint`, the name of the joint that carries it, "base" of the root; `joints`, places of the joints that it carries,
    in its own axes; `figures`, which read meshes; `where` begins the messages.
    """

    model: SpatialModel
    name: str
    link: LinkData
    at: Place
    joint: str
    joints: Mapping[str, Place]
    figures: Figures
    where: str

    def frame(self, name: str, place: Place = NOWHERE_ELSE) -> Frame:
        """A new frame on a node of its own, at a place in the axes of the link."""
        there = self.at.then(place)
        return self.model.add_frame(name, there.position, there.rotation)


@dataclass(frozen=True, eq=False)
class FlexiblePart:
    """What was added for a flexible link: its `frame`; `ends`, the frames of its joints and tips; its `nodes`; the
    `components`, a body or its beams; the `body`, (mass, center, inertia about it) in the axes of the link; what it is,
    in words; and the beams `along` which the shape of the link bends, None where a body shows its own mesh."""

    frame: Frame
    ends: dict[str, Frame]
    nodes: list[Any]
    components: list[Any]
    body: tuple[float, np.ndarray, np.ndarray]
    what: str
    along: Sequence[Any] | None = ()


@dataclass(frozen=True, eq=False)
class LinkMass:
    """The mass of a flexible link, of which the last two stand beside those of its file.

    Attributes: `components`, its beams or its body; `own`, `rest` and `file`, of what bends, of the rigid body beside
    it and of the file: mass [kg], mass center (3,) [m] and inertia (3, 3) [kg m²] about it, in the axes of the link;
    `sits_at`, the frame of the rest, empty where there is none. `str` says it in a line.
    """

    components: list[Any]
    own: tuple[float, np.ndarray, np.ndarray]
    rest: tuple[float, np.ndarray, np.ndarray]
    file: tuple[float, np.ndarray, np.ndarray]
    sits_at: str
    text: str

    def __str__(self) -> str:
        return self.text


def together(parts: list[tuple[float, np.ndarray, np.ndarray]]) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, center and inertia about it of several bodies; masses may be negative, where one is taken away.

    >>> two = [(1.0, np.array([x, 0.0, 0.0]), np.zeros((3, 3))) for x in (-1.0, 1.0)]
    >>> mass, center, inertia = together(two)
    >>> mass, inertia.diagonal().tolist()
    (2.0, [0.0, 2.0, 2.0])
    """
    mass = sum(m for m, _, _ in parts)
    if mass == 0.0:
        return 0.0, np.zeros(3), np.sum([J for _, _, J in parts], axis=0)
    center = sum((m * c for m, c, _ in parts), np.zeros(3)) / mass
    J = sum((J + steiner(m, c - center) for m, c, J in parts), np.zeros((3, 3)))
    return mass, center, J


def complete(
    rest: str | None, part: FlexiblePart, site: LinkSite, file: tuple[float, np.ndarray, np.ndarray], repair: bool,
    inside: bool = False,
) -> LinkMass:  # fmt: skip
    """Add what the file says beyond the mass of what bends; `repair` inertias that no body can have; `inside`: the
    shape of the link is shown around it."""
    mass, center, J = part.body
    left, middle, inertia = together([file, (-mass, center, -J)])
    text = f"{site.where.rpartition(': ')[2]}: {part.what} of {mass:.4g} kg"
    nothing = 0.0, np.zeros(3), np.zeros((3, 3))
    if rest is None:
        size = max(float(np.sqrt(np.trace(file[2]) / file[0])), 1e-300) if file[0] > 0.0 else np.inf
        off = float(np.linalg.norm(center - file[1]))
        differ = float(np.linalg.norm(J - file[2]) / max(float(np.linalg.norm(file[2])), 1e-300))
        text += (
            f"; the file says {file[0]:.4g} kg, its mass center {off:.3g} m away, and an inertia that differs by "
            f"{100.0 * differ:.3g} %"
        )
        if abs(left) > NOTICED * file[0] or off > NOTICED * size or differ > NOTICED:
            warn(f"{site.where.rpartition(': link')[0]}: {text}; rest='link' adds what is left", AccuracyWarning)
        return LinkMass(part.components, part.body, nothing, file, "", text)
    frames = {LINK: part.frame, **part.ends}
    frame = frames[given_names.known(rest, frames, "frame for its rest", site.where)]
    if left < -NOTHING * file[0]:
        raise ModelError(
            f"{site.where}: {part.what} of {mass:.4g} kg weigh{'' if part.what[0].isdigit() else 's'} more than the "
            f"link of the file, {file[0]:.4g} kg; take a lighter section or material, or rest=None, which adds nothing"
        )
    size = max(float(np.linalg.norm(file[2])), NOTHING * mass)
    if left <= NOTHING * file[0] and np.linalg.norm(inertia) <= NOTICED * size:
        return LinkMass(part.components, part.body, nothing, file, "", f"{text}, as in the file")
    try:
        check_tensor(inertia, f"{site.where}: what is left beside {part.what}")
    except ModelError as error:
        if not repair or left <= NOTHING * file[0]:
            raise ModelError(
                f"{error}: {left:.4g} kg at {np.array2string(middle, precision=4)} m; take a lighter section, "
                "rest=None, which adds nothing, or improper_inertia='repair', which takes the nearest that a body has"
            ) from None
        near = nearest_possible(inertia, site.where)
        warn(
            f"{site.where}: no body has the inertia that is left beside {part.what}; the nearest that one can have is "
            f"taken, {np.linalg.norm(near - inertia):.3g} kg m² from it",
            AccuracyWarning,
        )
        inertia = near
    on = (site.at.then(Place(middle, Rotation.identity()))).position - frame.position
    turn = frame.orientation.inv() * site.at.rotation
    about = turn.as_matrix()
    middle_there, tensor = frame.orientation.inv().apply(on), about @ inertia @ about.T
    # shown as a ball with the smallest of its radii of gyration, or small, so that it does not stand out of a shape
    radius = float(np.sqrt(np.linalg.eigvalsh(inertia)[0] / left))
    ball = Sphere(radius=INSIDE * radius if inside else radius, position=middle_there)
    site.model.add_body(f"{site.name}.rest", mass=left, inertia=tensor, center=middle_there, shape=ball, frame=frame)
    text += f"; the rest of the file's {file[0]:.4g} kg, {left:.4g} kg, sits at {frame.name!r}"
    return LinkMass(part.components, part.body, (left, middle, inertia), file, frame.name, text)
