"""Several runs in one view: beside each other, from the left to the right, or over each other, a color each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.results.recorded import Recorded
from flexmb.results.subject import Subject
from flexmb.visual.following import Carried, CarriedGhost
from flexmb.visual.measures import nice_limits
from flexmb.visual.rendering.look import Look
from flexmb.visual.stage.pieces import Ghost, Piece, Rigid
from flexmb.visual.stage.scales import PictureScales, Selection

#: what parts runs beside each other, as a part of the width of the widest
GAP = 0.12
#: colors of runs over each other, on light and on dark ground, by the words that titles have for them
COLORS = {
    "blue": ("#2b62a8", "#69a5ea"),
    "orange": ("#d1702b", "#f2a35c"),
    "green": ("#2f8f57", "#63cf8f"),
    "violet": ("#7d56b3", "#b391e6"),
    "red": ("#b8383c", "#ef7f83"),
    "gray": ("#6d7a86", "#a9b4be"),
}
#: roles of pieces that have the color of their run, where runs are over each other
COLORED = ("beam", "body", "arm", "rod", "joint")
#: how far each run lies behind those before it, as ghosts do
LAYER = 0.12


@dataclass
class _Behind(Rigid):
    """A rigid piece of a run that lies behind others."""

    layer: float = 0.0

    @property
    def behind(self) -> float:
        return self.layer


@dataclass
class _CarriedBehind(Carried):
    """A piece of a run that lies behind others."""

    layer: float = 0.0

    @property
    def behind(self) -> float:
        return self.layer + self.piece.behind


@dataclass(frozen=True, eq=False)
class Runs:
    """The subjects of a view, whether they are `over` each other, and how they are called."""

    subjects: list[Subject]
    over: bool
    labels: list[str]


class RunView(Protocol):
    """The view of one run, as far as it is asked here."""

    solution: Recorded
    selection: Selection
    scales: PictureScales
    look: Look
    axes: np.ndarray
    named: str

    def stage(self, times: Sequence[float] | np.ndarray) -> list[Piece]: ...


def runs_of(subjects: list[Subject], several: bool, beside: Any, over: Any, labels: Any) -> Runs:
    """The subject of a view, or `several`, a list of them."""
    side, same = (checks.flag(given, what, "view") for given, what in ((beside, "beside"), (over, "over")))
    if not several:
        if side or same or labels is not None:
            raise ModelError(
                "view: beside, over and labels are for several runs, and there is one; give a list of runs"
            )
        return Runs(subjects, False, [""])
    if side == same:
        both = "both beside and over" if side else "neither beside nor over"
        raise ModelError(f"view of several runs: {both}; say beside=True or over=True")
    if not subjects:
        raise ModelError("view of several runs: there is no run in the list; give one or more")
    where = "view of several runs"
    if over and len(subjects) > len(COLORS):
        raise ModelError(
            f"{where}: {len(subjects)} runs over each other are too many to tell apart; give {len(COLORS)}"
        )
    named = _labels(subjects, labels, where)
    for subject, name in zip(subjects[1:], named[1:]):
        _check_pair(subjects[0], subject, named[0], name, same, where)
    return Runs(_within_all(subjects, named, where), same, named)


def _labels(subjects: list[Subject], labels: Any, where: str) -> list[str]:
    names = [subject.solution.name for subject in subjects]
    if labels is None:
        return names if len(set(names)) == len(names) else [f"{name} {k + 1}" for k, name in enumerate(names)]
    given = checks.several(labels, "labels", where)
    if len(given) != len(subjects) or not all(isinstance(text, str) for text in given):
        raise ModelError(
            f"{where}: labels are {checks.quoted(labels)}; give a text for each of the {len(subjects)} runs"
        )
    return list(given)


def _check_pair(first: Subject, other: Subject, name: str, another: str, over: bool, where: str) -> None:
    """Refuse runs that cannot be seen together."""
    if first.caption or other.caption:
        raise ModelError(f"{where}: each mode swings with its own period; make a view of each, or a list of motions")
    if first.clock != other.clock:
        raise ModelError(f"{where}: the times of {name!r} are {first.clock}, those of {another!r} {other.clock}")
    one, two = first.solution.layout, other.solution.layout
    if one.dimension != two.dimension:
        raise ModelError(f"{where}: {name!r} has {one.dimension} dimensions, and {another!r} has {two.dimension}")
    parts = [{*x.bodies, *x.beams, *x.pairs} for x in (one, two)]
    if over and not parts[0] & parts[1]:
        raise ModelError(
            f"{where}: {name!r} and {another!r} are runs of different models, which have no part of the same name, so "
            "that nothing in them compares; give beside=True"
        )


def _within_all(subjects: list[Subject], labels: list[str], where: str) -> list[Subject]:
    """The subjects at the times that all of them have."""
    ends = [(float(subject.solution.t[0]), float(subject.solution.t[-1])) for subject in subjects]
    first, last = max(low for low, _ in ends), min(high for _, high in ends)
    if last < first or (last == first and any(low < high for low, high in ends)):
        spans = ", ".join(f"{label!r} {low:g} … {high:g} s" for label, (low, high) in zip(labels, ends))
        raise ModelError(f"{where}: their times do not overlap: {spans}")
    out = []
    for subject, (low, high) in zip(subjects, ends):
        t = subject.solution.t
        inside = t[(t > first) & (t < last)]
        cut = subject.solution if (low, high) == (first, last) else subject.solution.at([first, *inside, last])
        out.append(replace(subject, solution=cut))
    return out


class Companions:
    """The views of other runs beside or over the first one. The sizes of all of them are the same."""

    def __init__(self, first: RunView, others: Sequence[RunView], runs: Runs) -> None:
        self.views, self.over = [first, *others], runs.over
        every = [view.scales for view in self.views]
        common = {
            what: max(getattr(scales, what) for scales in every) for what in ("unit", "force", "density", "torque")
        }
        colored = [view.scales.limits for view in self.views if view.selection.quantity is not None]
        if len(colored) > 1:
            common["limits"] = nice_limits(min(low for low, _ in colored), max(high for _, high in colored))
        for view in self.views:
            view.scales = replace(view.scales, **common)
        light = first.look.name == "light"
        self.colors = [pair[0 if light else 1] for pair in COLORS.values()]
        named = [f"{label} {word}" for label, word in zip(runs.labels, COLORS)] if runs.over else runs.labels
        first.named = f"{first.named}: {', '.join(named)}".removeprefix(": ")

    def shifts(self) -> list[np.ndarray]:
        """By how much (3,) [m] each run is shifted, along the picture from the left to the right."""
        right = self.views[0].axes[0]
        ends = []
        for view in self.views:
            low, high = view.scales.low, view.scales.high
            corners = (
                np.array([[(low, high)[b][k] for k, b in enumerate(bits)] for bits in np.ndindex(2, 2, 2)]) @ right
            )
            ends.append((corners.min(), corners.max()))
        gap = GAP * max(high - low for low, high in ends)
        out, place = [], ends[0][0]
        for low, high in ends:
            out.append((place - low) * right)
            place += high - low + gap
        return out

    def joined(self, own: list[Piece], times: np.ndarray) -> list[Piece]:
        """The pieces of all runs at times [s], of which the first has its `own`."""
        each = [own, *(view.stage(times) for view in self.views[1:])]
        if self.over:
            plain = [view.selection.quantity is None for view in self.views]
            for pieces, color, without in zip(each, self.colors, plain):
                for piece in pieces:
                    if without and piece.role in COLORED:
                        piece.color = color
            return [_moved(p, np.zeros(3), LAYER * j, len(times)) if j else p for j, ps in enumerate(each) for p in ps]
        return [
            _moved(piece, shift, 0.0, len(times)) if j else piece
            for j, (pieces, shift) in enumerate(zip(each, self.shifts()))
            for piece in pieces
        ]


def _moved(piece: Piece, shift: np.ndarray, layer: float, count: int) -> Piece:
    """A piece that is shifted (3,) [m], and lies behind others."""
    if isinstance(piece, Ghost):
        several = np.tile(shift, (count, 1))
        given = (piece.name, piece.role, piece.faces, piece.piece, piece.instant, piece.layer, several)
        return CarriedGhost(*given, number=piece.number, color=piece.color)
    looks: dict[str, Any] = {"number": piece.number, "color": piece.color, "on": piece.on}
    if isinstance(piece, Rigid) and not piece.behind:
        poses = piece.poses.copy()
        poses[:, 0:3] += shift
        return _Behind(piece.name, piece.role, piece.faces, piece.local, poses, layer, **looks)
    several = np.tile(shift, (count, 1))
    return _CarriedBehind(piece.name, piece.role, piece.faces, piece, several, layer, **looks)
