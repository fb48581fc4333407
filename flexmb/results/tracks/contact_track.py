"""What contacts and stops do over time: gaps and forces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from flexmb.forces.contact import histories, motion_of
from flexmb.model.appearance import ContactPlace, StopPlace
from flexmb.model.hints import Answering, AnswersCalls, no_attribute


@dataclass(frozen=True, eq=False)
class ContactTrack(metaclass=AnswersCalls):
    """What a contact does at k times.

    `gap` (k,) [m] between the shapes, negative where they overlap; `normal_force` and `friction_force` (k,) [N], their
    sizes; `force` (k, 2) or (k, 3) [N] on frame b, in the axes of the ground; `position`, where it acts, and `normal`,
    from a to b, of the same shape. Of a cylinder on a plane with two edges, and of corners, `gap` is the smallest one,
    forces are sums, and the position is their middle, weighted by normal forces.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("ball", gravity=(0, -10))
    >>> ball = m.add_body("ball", mass=1.0, inertia=0.1, position=(0, 0.1))
    >>> _ = m.contact(m.ground, ball.frame, fm.HalfPlane("y"), fm.Disk(diameter=0.2), stiffness=1e4, damping=1.0)
    >>> floor = fm.simulate(m, 2.0, progress=False)["contact 1"]
    >>> round(float(floor.normal_force[-1]), 3), floor.gap[-1].round(5).item()
    (10.0, -0.01)
    """

    name: str
    t: np.ndarray
    gap: np.ndarray
    normal_force: np.ndarray
    force: np.ndarray
    position: np.ndarray
    normal: np.ndarray
    hard: bool = False
    shown: ClassVar[tuple[str, ...]] = ("gap", "normal_force")

    @property
    def friction_force(self) -> np.ndarray:
        """The part of the force across the normal (k,) [N]."""
        along = np.sum(self.force * self.normal, axis=1, keepdims=True)
        return np.asarray(np.linalg.norm(self.force - along * self.normal, axis=1))

    @property
    def touching(self) -> np.ndarray:
        """Whether the shapes overlap, of hard ones whether they press (k,)."""
        return self.normal_force > 0.0 if self.hard else self.gap < 0.0

    def __getattr__(self, what: str) -> np.ndarray:
        axis = {"fx": 0, "fy": 1, "fz": 2}.get(what)
        if what.startswith("_"):  # what Python asks for, also while a copy is made
            raise AttributeError(what)
        if axis is None or axis >= self.force.shape[1]:
            known = [name for name in dir(self) if not name.startswith("_")]
            raise no_attribute(f"contact {self.name!r}", what, [*known, "fx", "fy"])
        return self.force[:, axis]

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        return f"ContactTrack({self.name!r}, {len(self.t)} times)"


def contact_track(
    name: str, place: ContactPlace, a: Any, b: Any, on: np.ndarray, borne: tuple[np.ndarray, Any] | None
) -> ContactTrack:
    """The track of a contact from those of its two frames; `on` (k,): whether it takes part; of a hard one what its
    rows put on frame b, `borne`, a force and a moment about its origin."""
    dimension = a.position.shape[1]
    found = np.array(histories(place, motion_of(a), motion_of(b)))  # (pairs, k, …)
    nearest = found[:, :, 0].argmin(axis=0), np.arange(len(a.t))
    found[:, ~on, 2] = found[:, ~on, 9:12] = 0.0
    N = found[:, :, 2]
    weights = np.where(N.sum(axis=0) > 0.0, N, 0.0)
    weights[nearest] += N.sum(axis=0) <= 0.0
    middle = np.einsum("pk,pkx->kx", weights, found[:, :, 6:9]) / weights.sum(axis=0)[:, None]
    part = slice(0, dimension)
    force, normal = found[:, :, 9:12].sum(axis=0), found[:, :, 3:6][nearest]
    if borne is not None:
        return _hard_track(name, a.t, b.position, borne, (found[:, :, 0], middle, normal), nearest)
    return ContactTrack(
        name, a.t, found[:, :, 0][nearest], N.sum(axis=0), force[:, part], middle[:, part], normal[:, part]
    )


def _hard_track(
    name: str, t: np.ndarray, about: np.ndarray, borne: tuple[np.ndarray, Any], seen: tuple[np.ndarray, ...],
    nearest: Any,
) -> ContactTrack:  # fmt: skip
    """The track of a hard contact: what its rows bear acts on the surface of the nearest pair, there where its moment
    is right; `about` (k, d): the origin of frame b."""
    gaps, middle, normal = seen
    force, moment = borne
    k, d = force.shape
    F, arm, turn = np.zeros((k, 3)), np.zeros((k, 3)), np.zeros((k, 3))
    F[:, :d], arm[:, :d] = force, middle[:, :d] - about
    turn[:, 3 - np.shape(moment)[1] if np.ndim(moment) > 1 else 2 :] = np.reshape(moment, (k, -1))
    N = np.sum(F * normal, axis=1)
    # across the normal, P − middle = n × (M − arm × F)/N puts it there where the moment about n is none
    beside = np.cross(normal, turn - np.cross(arm, F))
    place = middle + beside / np.where(N > 0.0, N, np.inf)[:, None]
    return ContactTrack(name, t, gaps[nearest], N, force, place[:, :d], normal[:, :d], True)


@dataclass(frozen=True, eq=False)
class StopTrack(Answering):
    """What a stop does at k times.

    `value` (k,) [m or rad], what it limits, and its `rate`; `gap` (k,) to the nearer limit, negative beyond it; `force`
    (k,) [N or Nm], positive where it drives the value up, zero while the stop takes no part.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("door")
    >>> door = m.add_body("door", mass=1.0, inertia=(1, 1, 1))
    >>> hinge = m.revolute(m.ground, door.frame, axis="z")
    >>> wind = m.point_torque(door.frame, (0, 0, 2.0))
    >>> buffer = m.joint_stop(hinge, upper=0.1, stiffness=1e3, damping=1.0, name="buffer")
    >>> track = fm.simulate(m, 1.0, step=0.01, progress=False)["buffer"]
    >>> track.t.shape == track.force.shape, bool(track.force.min() < 0), bool(track.gap.min() < 0)
    (True, True, True)
    """

    name: str
    t: np.ndarray
    value: np.ndarray
    rate: np.ndarray
    gap: np.ndarray
    force: np.ndarray
    place: StopPlace
    shown: ClassVar[tuple[str, ...]] = ("value", "force")

    @property
    def where(self) -> str:
        """The stop as messages name it."""
        return f"stop {self.name!r}"

    @property
    def touching(self) -> np.ndarray:
        """Whether it is beyond a limit, of a hard stop whether a limit holds it (k,)."""
        return self.force != 0.0 if self.place.law is None else self.gap < 0.0

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        return f"StopTrack({self.name!r}, {self.place.measure}, {len(self.t)} times)"
