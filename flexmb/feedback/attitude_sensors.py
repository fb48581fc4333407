"""Sensors of orientations in space.

With R the orientation of a frame, R_a that of the frame `against` (the ground if not given) and D(t) that of a
`reference` in the axes of `against`, a reading is of  E = (R_a D)ᵀ R,  which is 1 where the frame follows its
reference. `reference` is said as :meth:`flexmb.SpatialModel.drive_rotation` takes it: one orientation; rotations at
`times` with a spline between them; three functions of time, the Euler angles of a `sequence` or a rotation vector.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.feedback.frame_sensors import said
from flexmb.feedback.sensors import Sensor
from flexmb.model import checks
from flexmb.model.frames import Frame
from flexmb.model.functions.rotations_over_time import checked_rotation, rotation_parameters
from flexmb.model.functions.smooth_functions import Polynomial
from flexmb.model.functions.time_function import TimeFunction
from flexmb.model.orientations import checked_sequence
from flexmb.model.spatial_frames import Frame as SpatialFrame
from flexmb.model.spatial_frames import unit_axis
from flexmb.quantities import spatial_formulas
from flexmb.quantities.of_frames import euler
from flexmb.quantities.places import Places
from flexmb.quantities.quantity import Quantity
from flexmb.results.solution import Solution


@dataclass(frozen=True, eq=False)
class _OfOrientation(Sensor):
    """What measures the orientation of a frame in space, against the ground or the frame `against`."""

    frame: SpatialFrame
    against: SpatialFrame | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        for frame in self.frames():
            if not isinstance(frame, SpatialFrame):
                raise ModelError(
                    f"{type(self).__name__}: {frame.where} is in the plane, where one angle says how a frame is "
                    "turned; take RelativeAngle(model.ground, frame) and Gyro(frame)"
                )
        if self._from.node is self.frame.node:
            raise ModelError(f"{type(self).__name__}: {self.frame.where} and {self._from.where} are parts of one body")

    @property
    def _from(self) -> SpatialFrame:
        """The frame against which is measured."""
        ground: Any = self.frame.model.ground
        return ground if self.against is None else self.against

    def frames(self) -> list[Frame]:
        return [self.frame] if self.against is None else [self.frame, self.against]

    @property
    def _named(self) -> str:
        return self.frame.name if self.against is None else f"{self.frame.name} against {self.against.name}"


@dataclass(frozen=True, eq=False)
class _OfReference(_OfOrientation):
    """What measures E; `reference` is said with `times` or a `sequence`."""

    reference: Any = field(default=None, kw_only=True)
    times: Any = field(default=None, kw_only=True)
    sequence: str | None = field(default=None, kw_only=True)
    _formula = staticmethod(spatial_formulas.attitude_error)

    def __post_init__(self) -> None:
        super().__post_init__()
        reference, where = np.eye(3) if self.reference is None else self.reference, type(self).__name__
        rotation, times = checked_rotation(reference, self.times, self.sequence, f"{where} of {self.frame.where}")
        object.__setattr__(self, "reference", rotation)
        object.__setattr__(self, "times", times)

    def _reference(self) -> np.ndarray:
        """The parameters of the reference over time."""
        clock = Polynomial([0.0, 1.0])
        return np.concatenate([*rotation_parameters(clock, self.reference, self.times, self.sequence, self.name)])

    def _direction(self) -> np.ndarray:
        """The direction (3,) in the axes of the frame along which is measured."""
        return np.zeros(3)

    def function_of_state(self, places: Places) -> Quantity:
        blocks = [*places.blocks(self.frame), *places.blocks(self._from)]
        values = [*self.frame.axes, *self._from.axes, *self._which(), *self._reference()]
        return Quantity(self._formula, blocks, values)

    def functions(self) -> list[TimeFunction]:
        given = self.reference if isinstance(self.reference, list | tuple) else ()
        return [f for f in given if isinstance(f, TimeFunction)]

    def _which(self) -> Sequence[float] | np.ndarray:
        """Three numbers that say what is measured: the direction."""
        return self._direction()


@dataclass(frozen=True, eq=False)
class AttitudeError(_OfReference):
    """How far a frame is turned from a reference [rad]: the component along an `axis` of its own of the rotation vector
    of E, of half a turn at most, the shortest way. (Where that is half a turn, it jumps to the other side.)

    Arguments: `frame`; `axis`: 'x', 'y', 'z' or (3,) in its axes; `reference` with `times` or a `sequence`, and
    `against`, see :mod:`flexmb.feedback.attitude_sensors`; by default it is measured against the axes of the ground.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("satellite")
    >>> hull = m.add_body("hull", mass=1.0, inertia=(1, 1, 1), orientation=fm.rotation_vector((0.3, 0, 0)))
    >>> error = fm.control.AttitudeError(hull.frame, "x", reference=fm.rotation_vector((0.1, 0, 0)))
    >>> error.name, error.readings(fm.simulate(m, 0.1, step=0.1)).round(9).tolist()
    ('attitude error of hull about x', [0.2, 0.2])
    """

    axis: Any = "z"
    unit = "rad"
    _what = "attitude error"

    def __post_init__(self) -> None:
        super().__post_init__()
        unit_axis(self.axis, type(self).__name__, frame=repr(self.frame.name))

    @property
    def name(self) -> str:
        return f"{self._what} of {self._named} about {said(self.axis)}"

    def _direction(self) -> np.ndarray:
        return unit_axis(self.axis, self.name)


@dataclass(frozen=True, eq=False)
class AttitudeRate(AttitudeError):
    """The angular velocity of a frame against its reference [rad/s], about an `axis` of the frame: with Ω that of the
    reference in the axes R_a D,  ω − Eᵀ Ω. (E's rotation vector changes at that rate where it is small.)

    Arguments: those of :class:`AttitudeError`.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("satellite")
    >>> hull = m.add_body("hull", mass=1.0, inertia=(1, 1, 1))
    >>> hull.move(angular_velocity=(0, 0, 0.5))
    >>> slew = (0.0, 0.0, fm.Polynomial([0.0, 0.2]))  # a rotation vector that grows
    >>> rate = fm.control.AttitudeRate(hull.frame, "z", reference=slew)
    >>> rate.readings(fm.simulate(m, 0.1, step=0.1)).round(9).tolist()
    [0.3, 0.3]
    """

    unit = "rad/s"
    _what = "attitude rate"
    _formula = staticmethod(spatial_formulas.attitude_rate)


@dataclass(frozen=True, eq=False)
class StarTracker(_OfReference):
    """One of the four Euler parameters of E, as a star tracker gives them: `number` 0 is the scalar cos ½Θ, 1 to 3 are
    u sin ½Θ. They go on without jumps of their sign, for as many turns as there are; at first their sign is that of the
    state in which the run begins.

    Arguments: `frame`; `number`; `reference`, `times`, `sequence`, `against` as in :class:`AttitudeError`.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("satellite")
    >>> hull = m.add_body("hull", mass=1.0, inertia=(1, 1, 1), orientation=fm.rotation_vector((0, 0, 0.5 * np.pi)))
    >>> seen = fm.simulate(m, 0.1, step=0.1)
    >>> [float(fm.control.StarTracker(hull.frame, k).readings(seen)[0].round(6)) for k in range(4)]
    [0.707107, 0.0, 0.0, 0.707107]
    """

    number: int = 0
    unit = "–"
    _formula = staticmethod(spatial_formulas.attitude_parameter)

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.count(self.number, "number", type(self).__name__, most=3)

    @property
    def name(self) -> str:
        return f"Euler parameter {self.number} of {self._named}"

    def _which(self) -> Sequence[float] | np.ndarray:
        return [float(self.number), 0.0, 0.0]


@dataclass(frozen=True, eq=False)
class AttitudeAngle(_OfOrientation):
    """One of the three Euler angles of a frame [rad], counted through all its turns: `number` 1, 2 or 3 of a
    `sequence` such as "ZYX", as :func:`flexmb.euler_angles` has it, against the axes of the ground or of the frame
    `against`. A run ends where they are not determined (gimbal lock).

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("ship")
    >>> hull = m.add_body("hull", mass=1.0, inertia=(1, 1, 1), orientation=fm.euler_angles("ZYX", (0.3, 0.2, 0.1)))
    >>> yaw = fm.control.AttitudeAngle(hull.frame, "ZYX", 1)
    >>> yaw.name, yaw.readings(fm.simulate(m, 0.1, step=0.1)).round(9).tolist()
    ('Euler angle ZYX1 of hull', [0.3, 0.3])
    """

    sequence: str
    number: int
    unit = "rad"

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_sequence(self.sequence, type(self).__name__)
        checks.count(self.number, "number", type(self).__name__, least=1, most=3)

    @property
    def name(self) -> str:
        return f"Euler angle {self.sequence}{self.number} of {self._named}"

    def function_of_state(self, places: Places) -> Quantity:
        blocks = [*places.blocks(self.frame), *places.blocks(self._from)]
        return euler(blocks, self.sequence, self.number, self.frame.axes, self._from.axes)

    def measured(self, solution: Solution) -> np.ndarray:
        track = solution.track(self.frame.name)
        seen = track if self.against is None else solution.relative(self.frame.name, self.against.name)
        return np.asarray(seen.euler_angles(self.sequence)[:, self.number - 1])

    def in_doubt(self, period: float) -> str:
        return euler_in_doubt(self.name, period)


def euler_in_doubt(name: str, period: float) -> str:
    """Why an Euler angle was in doubt that was read every `period` [s]."""
    return (
        f"the {name} is in doubt: it is not determined, since the first and the last axis are nearly parallel "
        f"there, or it turns by too much in a period of {period:g} s; take AttitudeError or StarTracker, another "
        "sequence, or a shorter period"
    )
