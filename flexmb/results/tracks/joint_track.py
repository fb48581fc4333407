"""The motion in a joint: its coordinates, their rates and their accelerations at every time
(:mod:`flexmb.quantities.of_joints`).

Orientations say angles up to whole turns. Between two saved times the rates say how far an angle goes, and so how many
turns that is, where they leave no doubt; else asking for the angle is an error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from flexmb.errors import NamingError
from flexmb.model.appearance import JointPlace
from flexmb.model.hints import AnswersCalls, no_attribute
from flexmb.model.orientations import rotation_of
from flexmb.quantities.of_joints import JointFrames, joint_units
from flexmb.quantities.places import InLayout
from flexmb.quantities.quantity import Quantity

#: the angle after a step may be so far from that which the rates predict [rad]
DOUBTFUL = 0.5 * np.pi
#: what else there is of a joint in space
_IN_SPACE = ("rotation", "rotation_vector", "angular_velocity", "angular_acceleration")


@dataclass(frozen=True, eq=False)
class JointTrack(metaclass=AnswersCalls):
    """The motion of frame b against frame a in the axes of a joint.

    Its coordinates are attributes, `hinge.angle`, `slide.position`, `table.x` …, and so are their rates and
    accelerations, `hinge.angle_rate`, `hinge.angle_acceleration`; where there is one coordinate these are `rate` and
    `acceleration` too. Angles are zero in the position that the model starts in and counted through all turns. (The
    first angle of a run that goes on from a state, and that of a single state, are up to half a turn, but in joints
    that count their turns.) The vector of a rotation (rx, ry, rz) has half a turn at most, and beside it wx, wy, wz are
    the angular velocity and alpha_x, alpha_y, alpha_z the angular acceleration.

    In space `rotation` (k) is that of b against a since the start, `rotation_vector` (k, 3) [rad] of half a turn at
    most, `angular_velocity` (k, 3) [rad/s] and `angular_acceleration` (k, 3) [rad/s²] are in the axes of the joint on
    a.

    Arguments: `name`; `joint`: its place in the mechanism, with its frames; `solution`, whose times it has; `whole`:
    the same joint in the whole run, if these are other times of it.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("fan")
    >>> wheel = m.add_body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.2))
    >>> axle = m.revolute(m.ground, wheel.frame, axis="z", name="axle")
    >>> push = m.point_torque(wheel.frame, (0, 0, 1.0))
    >>> run = fm.simulate(m, 1.0, step=0.1)
    >>> track = run["axle"]
    >>> track.angle[-1].round(6).item(), track.rate[-1].round(6).item(), track.acceleration[-1].round(6).item()
    (2.5, 5.0, 5.0)
    """

    name: str
    joint: JointFrames
    solution: Any
    whole: JointTrack | None = None

    @property
    def place(self) -> JointPlace:
        """Its place in the mechanism."""
        return self.joint.place

    @property
    def shown(self) -> tuple[str, ...]:
        """Its coordinates, which stand for it at one instant."""
        return self.place.coordinates

    @property
    def t(self) -> np.ndarray:
        """Times (k,) [s]."""
        return np.asarray(self.solution.t)

    def __getattr__(self, what: str) -> Any:
        if what.startswith("__"):
            raise AttributeError(what)
        units, in_space = joint_units(self.place), _IN_SPACE if self.joint.on_a else ()
        if what in units:
            return self._named(what)
        if what not in in_space:
            raise no_attribute(f"joint {self.name!r}", what, [*units, *in_space, "t"])
        if what == "rotation":
            a, b = (self.solution.track(frame).orientation for frame in (self.joint.a, self.joint.b))
            return (a * rotation_of(self.place.axes_a)).inv() * (b * rotation_of(self.place.axes_b))
        order = _IN_SPACE.index(what) - 1
        of = [self.joint.vector(k, order, InLayout(self.solution.layout)) for k in range(3)]
        return np.column_stack([component.over(self.solution) for component in of])

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *joint_units(self.place), *(_IN_SPACE if self.joint.on_a else ())]

    def _quantity(self, what: str) -> Quantity:
        return self.joint.quantity(what, InLayout(self.solution.layout))

    def _named(self, what: str) -> np.ndarray:
        quantity = self._quantity(what)
        values = quantity.over(self.solution)
        if quantity.rate is None:
            return values
        if self.whole is not None:
            whole = self.whole.solution
            rates = self.whole._quantity(what).over(whole, rate=True)
            return _nearest(values, self.t, whole.t, self.whole._named(what), rates)
        rates = quantity.over(self.solution, rate=True)
        return counted_turns(values, rates, self.t, f"{what} of joint {self.name!r}")

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        return f"JointTrack({self.name!r}, {', '.join(joint_units(self.place))}, {len(self.t)} times)"


def counted_turns(angle: np.ndarray, rate: np.ndarray, t: np.ndarray, where: str) -> np.ndarray:
    """Angles (k,) through all turns, from angles up to whole turns and their rates.

    >>> t = np.linspace(0.0, 1.0, 9)
    >>> angle = 40.0 * t**2  # by up to 1.5 turns in a step
    >>> bool(np.allclose(counted_turns(np.arctan2(np.sin(angle), np.cos(angle)), 80.0 * t, t, "angle"), angle))
    True
    """
    step = np.diff(angle)
    steps = np.diff(t)
    predicted = 0.5 * steps * (rate[1:] + rate[:-1])
    step = step + 2.0 * np.pi * np.round((predicted - step) / (2.0 * np.pi))
    # between the two rates it may have turned by so much less or more
    apart = np.maximum(np.abs(step - predicted), 0.5 * np.abs(steps * np.diff(rate)))
    if np.any(apart > DOUBTFUL):
        k = int(np.argmax(apart > DOUBTFUL))
        raise NamingError(
            f"{where}: from t = {t[k]:g} to {t[k + 1]:g} s it goes too far to tell how many turns it makes (by "
            f"{predicted[k]:.3g} rad, as its rates say, give or take {apart[k]:.2g} rad); save more often, or give the "
            "joint count_turns=True"
        )
    return angle[0] + np.concatenate([[0.0], np.cumsum(step)])


def _nearest(angle: np.ndarray, t: np.ndarray, times: np.ndarray, values: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """Angles (k,) with as many turns as those known at other times have there."""
    known = np.interp(t, times, values)
    if np.all(np.diff(times) > 0.0) and len(times) > 1:
        known = scipy.interpolate.CubicHermiteSpline(times, values, rates)(t)
    return np.asarray(angle + 2.0 * np.pi * np.round((known - angle) / (2.0 * np.pi)))
