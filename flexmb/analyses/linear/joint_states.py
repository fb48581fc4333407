"""States of linear models that are coordinates of joints, in space.

A place of a body, or its small turn about an axis of its own, says little of a vehicle; the lean and the steer that its
joints measure say all. With the derivatives P of the coordinates of joints, a state x_p gives way to such a coordinate
z where P_p is large enough that z determines it,

    z = P x,      x_p = (z − Σ P_i x_i)/P_p,  i ≠ p

joint by joint in the order of the model. The rate of z takes the place of a speed in the same way, with the row P A;
where z itself is no function of the states, as the turn of a wheel that rolls along, with the derivatives of its rate.
States that are left are what they were, and the model is the same in other states.
"""

from __future__ import annotations

import numpy as np

from flexmb.analyses.linear.linear_model import LinearModel
from flexmb.kernels.blocks import FREE, INTEGRAL, ORIENTATION, PLACE, STATE
from flexmb.quantities.places import InLayout
from flexmb.results.asked import joint_frames
from flexmb.results.layout import Layout
from flexmb.results.state import State
from flexmb.system.system import System

#: coordinates of joints that are one number through all positions
SINGLE = ("angle", "angle1", "angle2", "position")
#: a coordinate determines a state that has at least this share of the largest in it
SHARE = 0.1
#: parts that are smaller than this are errors of differences
ZERO = 1e-7


def names_of_changes(system: System) -> tuple[list[str], list[str]]:
    """Names of small changes of the position (n,) and of the speeds (n,): those of coordinates with their rates;
    'box.turn x' for a small turn about an axis of the body, and 'box.own wx' for the angular velocity about it;
    'filter.x1' for a state of first order, which is a speed."""
    found: tuple[list[str], list[str]] = system.once("names of changes", lambda: _names_of_changes(system))
    return found


def _names_of_changes(system: System) -> tuple[list[str], list[str]]:
    changes, speeds = list(system.names), [f"{name} rate" for name in system.names]
    for k in np.flatnonzero(system.assembly.free.mask(STATE)).tolist():
        speeds[k] = system.names[k].removesuffix(INTEGRAL)
    for i in system.orientations[:, 0].tolist():
        for k, axis in enumerate("xyz", start=i):
            stem = system.names[k].removesuffix(f"w{axis}")
            changes[k], speeds[k] = f"{stem}turn {axis}", f"{stem}own w{axis}"
    return changes, speeds


def by_joints(model: LinearModel, whole: LinearModel, lost: np.ndarray) -> LinearModel:
    """A model of a mechanism in space with coordinates of joints and their rates as states in place of those of bodies,
    as far as they determine these. `whole` is the model with all states, `lost` (k, c) are directions of these that
    `model` has no more."""
    state = model.state
    assert state is not None and model.positions is not None and model.speeds is not None
    assert whole.positions is not None and whole.speeds is not None
    system = state.system
    named = _single_coordinates(system)
    if not named:
        return model
    of_places, _ = _slopes(state, named)
    of_rates = _slopes(state, [f"{name}_rate" for name in named])
    known = _hides_nothing(of_places @ whole.positions, lost)
    known_rates = _hides_nothing(of_rates[0] @ whole.positions + of_rates[1] @ whole.speeds, lost)
    places = of_places @ model.positions
    rates = of_rates[0] @ model.positions + of_rates[1] @ model.speeds
    exchange = _Exchange(model, system)
    taken = []
    for j, name in enumerate(named):
        if known[j] and exchange.take(name, places[j], exchange.of_positions):
            taken.append(j)
    for j, row in zip(taken, places[taken] @ model.A, strict=True):
        exchange.take(f"{named[j]} rate", row, exchange.of_speeds)
    for j in np.setdiff1d(np.flatnonzero(known_rates), taken).tolist():
        exchange.take(f"{named[j]} rate", rates[j], exchange.of_speeds)
    return model.transformed(exchange.T, exchange.L, exchange.names)


def _slopes(state: State, names: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """The derivatives (k, n) of what joints measure, by positions and by speeds."""
    system, layout = state.system, Layout.of(state.system)
    full = system.full_q(state.q), system.full(state.v), system.full(state.a)
    by_q, by_v = np.zeros((2, len(names), system.plan.total))
    for k, name in enumerate(names):
        joint, _, what = name.rpartition(".")
        slopes = joint_frames(layout, joint, {}).quantity(what, InLayout(layout)).slopes(state.t, *full)
        np.add.at(by_q[k], slopes.numbers, slopes.q)
        np.add.at(by_v[k], slopes.numbers, slopes.v)
    return by_q[:, : system.n], by_v[:, : system.n]


def _single_coordinates(system: System) -> list[str]:
    """The coordinates of joints in space that are one number, by name, of the joints that take part."""
    pairs = Layout.of(system).pairs if len(system.orientations) else {}
    joints = {
        name: pair.joint
        for name, pair in pairs.items()
        if pair.joint is not None and not pair.joint.acts and name not in system.off
    }
    return [f"{name}.{what}" for name, joint in joints.items() for what in joint.coordinates if what in SINGLE]


def _hides_nothing(rows: np.ndarray, lost: np.ndarray) -> np.ndarray:
    """Mask of the rows (r, k) that do not change along directions (k, c)."""
    along, size = np.abs(rows) @ np.abs(lost), np.abs(rows @ lost)
    return np.asarray(np.max(size - ZERO * along, axis=1, initial=0.0) <= 0.0)


class _Exchange:
    """States that give way to others one by one: z = L x, x = T z, with their names and sizes; those of bodies, and of
    counters of turns, that still may, by their numbers, `of_positions` and `of_speeds`."""

    def __init__(self, model: LinearModel, system: System) -> None:
        self.names = list(model.states)
        self.L, self.T = np.eye(len(model)), np.eye(len(model))
        changes, speeds = names_of_changes(system)
        bodies = np.flatnonzero(system.assembly.free.mask(PLACE, ORIENTATION, FREE)).tolist()
        scales = {name: system.scale[k] for names in (changes, speeds) for k, name in enumerate(names)}
        self.sizes = np.array([scales.get(name, 1.0) for name in self.names])
        self.of_positions = self._among({changes[k] for k in bodies})
        self.of_speeds = self._among({speeds[k] for k in bodies})
        self._length = system.length_scale

    def _among(self, names: set[str]) -> list[int]:
        return [k for k, name in enumerate(self.names) if name in names]

    def take(self, name: str, row: np.ndarray, among: list[int]) -> bool:
        """Put in a coordinate, the `row` (k,) of the model's states, for the state among some that it has most of;
        whether it determines that."""
        row = np.where(np.abs(row) * self.sizes < ZERO * np.max(np.abs(row) * self.sizes, initial=0.0), 0.0, row)
        own = np.flatnonzero(row)
        now = row[own] @ self.T[own]
        shares = np.abs(now) * self.sizes
        if not among or not shares[among].max() >= max(SHARE * shares.max(), ZERO):
            return False
        p = among.pop(int(np.argmax(shares[among])))
        pivot = self.T[:, p] / now[p]
        some, those = np.flatnonzero(pivot), np.flatnonzero(now)  # a joint moves few states
        self.T[np.ix_(some, those)] -= np.outer(pivot[some], now[those])
        self.T[:, p] = pivot
        self.L[p], self.names[p] = row, name
        self.sizes[p] = self._length if name.removesuffix(" rate").endswith(".position") else 1.0
        return True
