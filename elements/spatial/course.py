"""The undeformed course of a beam in space along a curved axis: where its elements end, the axes of its sections, and
the sections themselves, where they vary.

Elements end where two smooth pieces of the axis meet and where the section jumps; between these they are alike long.
The axes of the sections go along the axis without turning about it (the double reflection of Wang et al. (2008)), and
from there by the twist. At a kink they make its smallest turn.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.elements.spatial.exact.parameters import Sections, Shape, gauss_points, mass_center, strains_between
from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.geometry.axes import SMALLEST_ANGLE, Axis, turned_to, y_across
from flexmb.model.geometry.axis_paths import AxisPath
from flexmb.model.geometry.section_matrices import SectionMatrices, properties_in_space
from flexmb.model.geometry.sections import Material
from flexmb.model.geometry.spatial_properties import BeamProperties

Properties = BeamProperties | SectionMatrices
#: turn of the sections [rad] within an element that is accurate, and that is possible
ACCURATE_TURN, MOST_TURN = 0.5, 2.0
#: points of an element at which its course is known, and steps of the transport between two of them
POINTS, STEPS = 5, 8
#: intervals of a beam in which jumps are looked for; a difference that is none; the width of a jump
INTERVALS, SMALL, NARROW = 32, 1e-6, 1e-13
#: differences of axes that are rounding
STRAIGHT = 1e-12
#: relative place beside a node at which a section that may jump there is taken
BESIDE = 1e-9
#: five-point derivative at the first of five points, in 1/3 of the reciprocal length of all
_FIRST = np.array([48.0, -36.0, 16.0, -3.0]) / 3.0


@dataclass(frozen=True, eq=False)
class Course:
    """The undeformed course of a beam: the fractions s ∈ [0, 1] at which elements end (n + 1,), the length [m], and of
    each element the places (n, 5, 3) [m] and the axes (n, 5, 3, 3) of its sections at five points that are equally far
    apart; and a function of s that gives its sections, if these vary."""

    stations: np.ndarray
    length: float
    places: np.ndarray
    axes: np.ndarray
    section: Callable[[float], Properties] | None = None
    #: the axis, the y of its first section and the twist as they were given
    given: tuple[Axis, np.ndarray | None, Any] | None = field(default=None, repr=False)
    _sections: dict[float, Properties] = field(default_factory=dict, repr=False)

    @property
    def elements(self) -> int:
        """The number of elements."""
        return len(self.places)

    @property
    def ends(self) -> np.ndarray:
        """The places (2, 3) [m] of start and end."""
        return np.array([self.places[0, 0], self.places[-1, -1]])

    def locate(self, s: float) -> tuple[int, float]:
        """The element that has the place s, and the place on that element, from 0 to 1.

        >>> Course(np.array([0.0, 0.25, 1.0]), 1.0, np.zeros((2, 5, 3)), np.zeros((2, 5, 3, 3))).locate(0.625)
        (1, 0.5)
        """
        e = int(np.clip(np.searchsorted(self.stations, s, side="right") - 1, 0, self.elements - 1))
        first, last = self.stations[e : e + 2].tolist()
        return e, min((s - first) / (last - first), 1.0)

    def finer(self, where: str) -> Course:
        """The course with each element in two halves."""
        assert self.given is not None
        axis, y_axis, twist = self.given
        stations = np.sort(np.concatenate([self.stations, 0.5 * (self.stations[:-1] + self.stations[1:])]))
        places, axes = _transported(axis.path(), stations, y_axis, twist_function(twist, where), where)
        return replace(self, stations=stations, places=places, axes=axes)

    @property
    def is_curved(self) -> bool:
        """Whether it is curved or twisted, and does not just have sections that vary."""
        return float(np.max(np.abs(self.axes - self.axes[0, 0]))) > STRAIGHT

    def node_axes(self, k: int) -> np.ndarray:
        """The axes (3, 3) of the section at a node, ahead of it; behind it at the end."""
        return np.asarray(self.axes[k, 0] if k < self.elements else self.axes[-1, -1])

    def shape(self, e: int) -> Shape:
        """The undeformed shape of an element."""
        x, R = self.places[e], self.axes[e]
        L = self.length * float(self.stations[e + 1] - self.stations[e])
        whole, first, last = (self._strains(x, R, i, j, L) for i, j in ((0, 4), (0, 2), (2, 4)))
        ahead = Rotation.from_matrix(R[0].T @ R[1:]).as_rotvec()
        back = Rotation.from_matrix(R[4].T @ R[3::-1]).as_rotvec()
        return Shape(L, whole, L / 6.0 * (last - first), np.array([_FIRST @ ahead, -_FIRST @ back]) / L)

    def _strains(self, x: np.ndarray, R: np.ndarray, i: int, j: int, L: float) -> np.ndarray:
        turn = Rotation.from_matrix(R[i].T @ R[j]).as_rotvec()
        return strains_between(turn, R[i].T @ (x[j] - x[i]), L * (j - i) / (POINTS - 1))

    def section_at(self, s: float) -> Properties:
        """The section at s of a beam whose sections vary."""
        assert self.section is not None
        if s not in self._sections:
            self._sections[s] = self.section(s)
        return self._sections[s]

    def beside_stations(self) -> list[float]:
        """Places ahead of and behind the ends of its elements, with the middles between."""
        first, last = self.stations[:-1], self.stations[1:]
        local = np.array([BESIDE, 0.5, 1.0 - BESIDE])
        return [float(s) for s in (first[:, None] + (last - first)[:, None] * local).ravel()]

    def sections(self, e: int) -> Sections:
        """The sections of an element of a beam whose sections vary."""
        first, last = self.stations[e], self.stations[e + 1]
        L = self.length * float(last - first)
        given = [self.section_at(float(s)) for s in first + (last - first) * gauss_points()]
        local = np.clip(np.linspace(0.0, 1.0, POINTS), BESIDE, 1.0 - BESIDE)
        masses = [self.section_at(float(s)).mass_matrix for s in first + (last - first) * local]
        c = np.array([mass_center(M) for M in masses])
        slopes = np.array([_FIRST @ (c[1:] - c[0]), -_FIRST @ (c[3::-1] - c[4])]) / L
        flexibility, mass = np.array([x.flexibility for x in given]), np.array([x.mass_matrix for x in given])
        return Sections.varying(L, flexibility, mass, c[[0, -1]], slopes)


def course_along(
    axis: Axis,
    y_axis: np.ndarray | None,
    given_twist: Any,
    given: SectionsGiven,
    elements: int | None,
    usual: int,
    where: str,
) -> Course:
    """The course of a beam along an `axis`, with the y of its first section (3,), horizontal if not given, the twist
    and the sections given; `elements` None: as many as its turns ask for, `usual` at least."""
    try:
        path = axis.path()
    except ModelError as error:
        raise ModelError(f"{where}: {error}") from None
    twist = twist_function(given_twist, where)
    section = (lambda s: given.at(s, where)) if given.vary else None
    if twist is not None and (found := jumps(lambda s: np.array([twist(s)]))):
        raise ModelError(
            f"{where}: its twist jumps at s = {found[0]:.6g}; a beam is whole, so give a continuous function"
        )
    at_jumps = [] if section is None else jumps(lambda s: _size(section(s)))
    breaks = path.breaks / path.length
    inner = [s for s in at_jumps if np.min(np.abs(breaks - s)) > BESIDE]
    ends = np.unique(np.concatenate([breaks, inner]))
    counts = _counts(path, ends, twist, elements, usual, where)
    stations = np.concatenate(
        [*(np.linspace(a, b, n + 1)[:-1] for a, b, n in zip(ends[:-1], ends[1:], counts)), ends[-1:]]
    )
    places, axes = _transported(path, stations, y_axis, twist, where)
    course = Course(stations, path.length, places, axes, section, (axis, y_axis, given_twist))
    _refuse_large_turns(course, elements, where)
    return course


def jumps(values: Callable[[float], np.ndarray]) -> list[float]:
    """The places s ∈ (0, 1) at which a function jumps, of those that make more of a difference between 33 places than
    what it does beside.

    >>> jumps(lambda s: np.array([1.0 if s < 0.3 else 1.2 - s]))
    [0.3]
    """
    grid = np.linspace(0.0, 1.0, INTERVALS + 1).tolist()
    known = [values(s) for s in grid]
    changes = [_change(a, b) for a, b in pairwise(known)]
    found: list[float] = []
    for k, change in enumerate(changes):
        beside = [changes[j] for j in (k - 1, k + 1) if 0 <= j < INTERVALS]
        if change > max(4.0 * min(beside), SMALL):
            found += _bisected(values, grid[k], grid[k + 1], known[k], known[k + 1])
    return [round(s, 12) for s in found]


def _bisected(
    values: Callable[[float], np.ndarray], a: float, b: float, at_a: np.ndarray, at_b: np.ndarray
) -> list[float]:
    """The jumps between a and b, largest first into halves in which a function changes most."""
    first, last, before, after, smooth = a, b, at_a, at_b, 0
    while b - a > NARROW and smooth < 3:
        middle = 0.5 * (a + b)
        if not a < middle < b:
            break
        at_middle, whole = values(middle), _change(at_a, at_b)
        left, right = _change(at_a, at_middle), _change(at_middle, at_b)
        a, b, at_a, at_b = (a, middle, at_a, at_middle) if left > right else (middle, b, at_middle, at_b)
        smooth = smooth + 1 if max(left, right) < 0.75 * whole else 0
    if smooth >= 3 or _change(at_a, at_b) < SMALL:
        return []
    found = [0.5 * (a + b)]
    for one, two, at_one, at_two in ((first, a, before, at_a), (b, last, at_b, after)):
        if two - one > 1e-6 and _change(at_one, at_two) > 0.1 * _change(at_a, at_b):
            found += _bisected(values, one, two, at_one, at_two)
    return sorted(found)


def _change(a: np.ndarray, b: np.ndarray) -> float:
    """The largest difference of two rows of numbers."""
    return float(np.max(np.abs(b - a)))


def _size(given: Properties) -> np.ndarray:
    """Numbers of a section by which a jump is seen: the logarithms of flexibilities and mass, and where its mass center
    is, in its own size."""
    M = given.mass_matrix
    size = math.sqrt(max(float(np.max(np.diag(M)[3:])) / float(M[0, 0]), 1e-300))
    return np.concatenate(
        [np.log(np.maximum(np.diag(given.flexibility), 1e-300)), [math.log(M[0, 0])], mass_center(M) / size]
    )


def _counts(path: AxisPath, ends: np.ndarray, twist: Any, elements: int | None, usual: int, where: str) -> list[int]:
    """The number of elements between two of the places at which elements have to end."""
    turns = []
    for a, b in pairwise(ends):
        s = np.linspace(a, b, 65)
        _, tangents = path.at(_piece(path, 0.5 * (a + b)), s * path.length)
        bent = float(np.sum(np.linalg.norm(np.diff(tangents, axis=0), axis=1)))
        twisted = 0.0 if twist is None else float(np.sum(np.abs(np.diff([twist(x) for x in s.tolist()]))))
        turns.append(math.hypot(bent, twisted))
    need = [max(1, math.ceil(turn / ACCURATE_TURN - 1e-9)) for turn in turns]
    if elements is None:
        counts, total = need, max(usual, sum(need))
    else:
        counts, total = [1] * len(turns), checks.count(elements, "elements", where, least=1)
        if total < len(turns):
            at = ", ".join(f"{s:.4g}" for s in ends[1:-1])
            raise ModelError(
                f"{where}: elements is {total}, but they end where pieces of its axis meet and where its section "
                f"jumps, at s = {at}; take elements={len(turns)} at least, or leave it out"
            )
    shares = [max(total * float(b - a), turn / ACCURATE_TURN) for a, b, turn in zip(ends[:-1], ends[1:], turns)]
    while sum(counts) < total:
        k = int(np.argmax([share / n for share, n in zip(shares, counts)]))
        counts[k] += 1
    return counts


def _piece(path: AxisPath, s: float) -> int:
    """The number of the piece of a path at s, between its ends."""
    return int(np.clip(np.searchsorted(path.breaks, s * path.length, side="right") - 1, 0, len(path.pieces) - 1))


def _transported(
    path: AxisPath, stations: np.ndarray, y_axis: np.ndarray | None, twist: Any, where: str
) -> tuple[np.ndarray, np.ndarray]:
    """Places (n, 5, 3) and axes (n, 5, 3, 3) of the sections of the elements."""
    places, axes = [], []
    y, last = None, None
    for a, b in pairwise(stations):
        s = np.linspace(a, b, (POINTS - 1) * STEPS + 1)
        x, t = path.at(_piece(path, 0.5 * (a + b)), s * path.length)
        if y is None:
            y = _first_y(t[0], y_axis, where)
        elif last is not None:
            y = turned_to(last, t[0]).apply(y)  # a kink
        ys = [y]
        for k in range(len(s) - 1):
            ys.append(y := _reflected(x[k], x[k + 1], t[k], t[k + 1], y))
        last = t[-1]
        own = slice(None, None, STEPS)
        frames = np.stack([t[own], np.array(ys)[own], np.cross(t[own], np.array(ys)[own])], axis=2)
        if twist is not None:
            angles = np.array([checks.number(twist(z), f"twist at {z:g}", where) for z in s[own].tolist()])
            frames = frames @ Rotation.from_rotvec(np.outer(angles, [1.0, 0.0, 0.0])).as_matrix()
        places.append(x[own])
        axes.append(frames)
    return np.array(places), np.array(axes)


def _first_y(ahead: np.ndarray, given: np.ndarray | None, where: str) -> np.ndarray:
    """The y of the first section, whose x is `ahead`."""
    y = y_across(ahead, given)
    if np.linalg.norm(y) < SMALLEST_ANGLE:
        raise ModelError(f"{where}: y_axis is along the start of its axis; give a direction across it")
    return np.asarray(y / np.linalg.norm(y))


def _reflected(x: np.ndarray, x_two: np.ndarray, t: np.ndarray, t_two: np.ndarray, y: np.ndarray) -> np.ndarray:
    """y at the next of two neighboring points, by two reflections: Wang et al. (2008), table I."""
    v = x_two - x
    c = float(v @ v)
    y_left, t_left = y - 2.0 / c * (v @ y) * v, t - 2.0 / c * (v @ t) * v
    v = t_two - t_left
    y = y_left - 2.0 / float(v @ v) * (v @ y_left) * v
    y = y - (y @ t_two) * t_two
    return np.asarray(y / np.linalg.norm(y))


def _refuse_large_turns(course: Course, elements: int | None, where: str) -> None:
    """Refuse elements whose sections turn too far against each other."""
    steps = np.swapaxes(course.axes[:, :-1], 2, 3) @ course.axes[:, 1:]
    turns = Rotation.from_matrix(steps.reshape(-1, 3, 3)).magnitude().reshape(steps.shape[:2]).sum(axis=1)
    worst = float(np.max(turns))
    if worst > MOST_TURN:
        e = int(np.argmax(turns))
        raise ModelError(
            f"{where}: its sections turn by {worst:.3g} rad from s = {course.stations[e]:.4g} to "
            f"{course.stations[e + 1]:.4g}, one element (up to {MOST_TURN:g} rad is possible, {ACCURATE_TURN:g} rad is "
            f"accurate); take elements={math.ceil(course.elements * worst / ACCURATE_TURN)}, or leave it out"
        )


class SectionsGiven(NamedTuple):
    """The sections of a beam as a user gives them: a material and a section, or properties; a section or properties may
    be functions of s. `couplings`: whether the beam takes 6 × 6 matrices."""

    material: Material | None
    section: Any
    properties: Any
    couplings: bool

    def at(self, s: float, where: str) -> Properties:
        """The properties at s; errors say at which s."""
        try:
            section, properties = (x(s) if callable(x) else x for x in (self.section, self.properties))
            return properties_in_space(self.material, section, properties, where, couplings=self.couplings)
        except ModelError as error:
            if not self.vary:
                raise
            raise ModelError(f"{where}: its section at s = {s:.6g}: {str(error).removeprefix(f'{where}: ')}") from None

    @property
    def vary(self) -> bool:
        """Whether they are functions of s."""
        return callable(self.section) or callable(self.properties)


def twist_function(given: Any, where: str) -> Callable[[float], float] | None:
    """The twist [rad] as a function of s: a number is that of the end, from zero at the start on."""
    if given is None:
        return None
    if callable(given):
        return lambda s: checks.number(given(s), f"twist at s = {s:g}", where)
    whole = checks.number(given, "twist", where)
    return lambda s: whole * s
