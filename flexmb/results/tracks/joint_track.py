"""The motion in a joint of space: its coordinates, their rates and their accelerations at every time.

With the axes of the joint on a and on b, M = R_aᵀ R_b, and ω that of b against a in the axes of a, α = ω̇ there:

    place        d = R_aᵀ (r_b − r_a),   ḋ,   d̈;   `position` is d_z
    angle        atan2(M_yx, M_xx),   ω_z,   α_z
    of a cross   u = z of a, w = z of b, c = u · w:   angle1 = atan2(M_yz, M_xz),   angle2 = −atan2(M_zy, M_zx)
                 their rates (ω · u − c ω · w)/(1 − c²) and (ω · w − c ω · u)/(1 − c²), by the reciprocal vectors
                 their accelerations (α · u − c α · w + ċ (2 c rate − ω · w))/(1 − c²), or with u and w exchanged

(ẇ = ω × w, so that (ω · w)˙ = α · w, and ċ = u · (ω × w), which is zero in a cross that is closed.)

Orientations say angles up to whole turns. Between two saved times the rates say how far an angle goes, and so how many
turns that is, where they leave no doubt; else asking for the angle is an error.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from flexmb.errors import NamingError
from flexmb.model.appearance import JOINT_COORDINATES, JointPlace
from flexmb.model.hints import AnswersCalls, no_attribute
from flexmb.results.tracks.spatial_track import Track

#: the angle after a step may be so far from that which the rates predict [rad]
DOUBTFUL = 0.5 * np.pi
#: how the rates of rotation vectors are called, which are angular velocities
_SPINS = {"rx": "wx", "ry": "wy", "rz": "wz"}
#: and their accelerations
_SPIN_UPS = {"rx": "alpha_x", "ry": "alpha_y", "rz": "alpha_z"}


def joint_units(place: JointPlace) -> dict[str, str]:
    """The unit of every quantity of a joint: its coordinates, their rates and accelerations; `rate` and `acceleration`,
    if there is one only.

    >>> [f"{name} [{unit}]" for name, unit in joint_units(JointPlace((), (), ("angle",))).items()]
    ['angle [rad]', 'angle_rate [rad/s]', 'angle_acceleration [rad/s²]', 'rate [rad/s]', 'acceleration [rad/s²]']
    """
    units: dict[str, str] = {}
    for name in place.coordinates:
        unit, rate_unit, second_unit = JOINT_COORDINATES[name]
        units |= {
            name: unit,
            _SPINS.get(name, f"{name}_rate"): rate_unit,
            _SPIN_UPS.get(name, f"{name}_acceleration"): second_unit,
        }
    if len(place.coordinates) == 1:
        units |= dict(zip(("rate", "acceleration"), JOINT_COORDINATES[place.coordinates[0]][1:]))
    return units


@dataclass(frozen=True, eq=False)
class JointTrack(metaclass=AnswersCalls):
    """The motion of frame b against frame a in the axes of a joint.

    Its coordinates are attributes, `hinge.angle`, `slide.position`, `table.x` …, and so are their rates and
    accelerations, `hinge.angle_rate`, `hinge.angle_acceleration`; where there is one coordinate these are `rate` and
    `acceleration` too. Angles are zero in the position that the model starts in and counted through all turns. (The
    first angle of a run that goes on from a state, and that of a single state, are up to half a turn, but in joints
    that count their turns.) The vector of a rotation (rx, ry, rz) has half a turn at most, and beside it wx, wy, wz are
    the angular velocity and alpha_x, alpha_y, alpha_z the angular acceleration.

    Arguments: `name`; `place` in the mechanism; `seen`: the axes of the joint on b as those on a see them; `counted`
    (k,): its angle, where a coordinate of the mechanism counts its turns; `whole`: the same joint in the whole run, if
    these are other times of it.

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
    place: JointPlace
    seen: Track
    counted: np.ndarray | None = None
    whole: JointTrack | None = None

    @property
    def shown(self) -> tuple[str, ...]:
        """Its coordinates, which stand for it at one instant."""
        return self.place.coordinates

    @property
    def t(self) -> np.ndarray:
        """Times (k,) [s]."""
        return self.seen.t

    @property
    def rotation(self) -> scipy.spatial.transform.Rotation:
        """The rotations (k) of b against a since the start."""
        return self.seen.orientation

    @property
    def rotation_vector(self) -> np.ndarray:
        """Their rotation vectors (k, 3) [rad], of half a turn at most."""
        return self.seen.orientation.as_rotvec()

    @property
    def angular_velocity(self) -> np.ndarray:
        """Angular velocities (k, 3) [rad/s] of b against a, in the axes of the joint on a."""
        return self.seen.angular_velocity

    @property
    def angular_acceleration(self) -> np.ndarray:
        """The rates (k, 3) [rad/s²] of these angular velocities."""
        return self.seen.angular_acceleration

    def __getattr__(self, what: str) -> np.ndarray:
        if what.startswith("__"):
            raise AttributeError(what)
        units = joint_units(self.place)
        if what not in units:
            known = [*units, "rotation", "rotation_vector", "angular_velocity", "angular_acceleration", "t"]
            raise no_attribute(f"joint {self.name!r}", what, known)
        if what in ("rate", "acceleration"):
            what = f"{self.place.coordinates[0]}_{what}"
        coordinate, _, order = what.rpartition("_")
        if order == "acceleration":
            return self._acceleration(coordinate)
        return self._rate(coordinate) if order == "rate" else self._value(what)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *joint_units(self.place)]

    def _value(self, what: str) -> np.ndarray:
        if what in ("x", "y", "z", "position"):
            return self.seen.position[:, "xyz".index(what if what != "position" else "z")]
        if what in _SPINS:
            return self.rotation_vector[:, list(_SPINS).index(what)]
        if what in (*_SPINS.values(), *_SPIN_UPS.values()):
            return getattr(self.seen, what)
        if what == "angle" and self.counted is not None:
            return self.counted
        angle = self._angle(what)
        if self.whole is not None:
            return _nearest(angle, self.t, self.whole.t, self.whole._value(what), self.whole._rate(what))
        return counted_turns(angle, self._rate(what), self.t, f"{what} of joint {self.name!r}")

    def _angle(self, what: str) -> np.ndarray:
        """An angle (k,), of half a turn at most."""
        M = self.seen.orientation.as_matrix()
        if what == "angle":
            return np.arctan2(M[:, 1, 0], M[:, 0, 0])
        return np.arctan2(M[:, 1, 2], M[:, 0, 2]) if what == "angle1" else -np.arctan2(M[:, 2, 1], M[:, 2, 0])

    def _rate(self, what: str) -> np.ndarray:
        if what in ("x", "y", "z", "position"):
            return self.seen.velocity[:, "xyz".index(what if what != "position" else "z")]
        omega = self.seen.angular_velocity
        if what == "angle":
            return omega[:, 2]
        w = self.seen.orientation.as_matrix()[:, :, 2]
        along = omega[:, 2], np.sum(omega * w, axis=1)
        own, other = along if what == "angle1" else along[::-1]
        return (own - w[:, 2] * other) / (1.0 - w[:, 2] ** 2)

    def _acceleration(self, what: str) -> np.ndarray:
        if what in ("x", "y", "z", "position"):
            return self.seen.acceleration[:, "xyz".index(what if what != "position" else "z")]
        alpha = self.seen.angular_acceleration
        if what == "angle":
            return alpha[:, 2]
        omega, w = self.seen.angular_velocity, self.seen.orientation.as_matrix()[:, :, 2]
        spins, spin_ups = ((x[:, 2], np.sum(x * w, axis=1)) for x in (omega, alpha))
        first = what == "angle1"
        other, own_up, other_up = spins[first], spin_ups[not first], spin_ups[first]
        c, c_rate = w[:, 2], omega[:, 0] * w[:, 1] - omega[:, 1] * w[:, 0]
        return (own_up - c * other_up + c_rate * (2.0 * c * self._rate(what) - other)) / (1.0 - c**2)

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
