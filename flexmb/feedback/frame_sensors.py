"""Sensors on frames, in the plane and in space: gyros, accelerometers, speedometers, distances.

A direction turns with the frame. In the plane it is an angle in the frame's axes [rad], in space 'x', 'y', 'z' or three
numbers in the frame's axes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.feedback.sensors import Sensor
from flexmb.kernels.rotations import turned
from flexmb.model import checks
from flexmb.model.frames import Frame
from flexmb.model.spatial_frames import Frame as SpatialFrame
from flexmb.model.spatial_frames import unit_axis
from flexmb.quantities import formulas, spatial_formulas
from flexmb.quantities.places import Places
from flexmb.quantities.quantity import Quantity


def said(direction: Any) -> str:
    """A direction in space, as the name of a sensor has it.

    >>> said("x"), said((0, 0.6, 0.8))
    ('x', '(0, 0.6, 0.8)')
    """
    return direction if isinstance(direction, str) else f"({', '.join(f'{float(x):g}' for x in direction)})"


@dataclass(frozen=True, eq=False)
class Gyro(Sensor):
    """The angular velocity of a frame against the stars [rad/s], in space about an `axis` of its own.

    ω = e · Rᵀ ω_ground, e the axis. In the plane, where there is one axis, leave it out.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("satellite")
    >>> hull = m.add_body("hull", mass=100.0, inertia=(20.0, 25.0, 30.0))
    >>> [fm.control.Gyro(hull.frame, axis, noise=1e-5).name for axis in "xy"]
    ['angular velocity of hull about x', 'angular velocity of hull about y']
    """

    frame: Frame
    axis: Any = "z"
    unit = "rad/s"

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.frame, SpatialFrame):
            unit_axis(self.axis, type(self).__name__, frame=repr(self.frame.name))
        elif not isinstance(self.axis, str) or self.axis != "z":
            raise ModelError(
                f"Gyro: {self.frame.where} is in the plane, where turns are about z; leave out axis="
                f"{checks.quoted(self.axis)}"
            )

    @property
    def name(self) -> str:
        about = f" about {said(self.axis)}" if isinstance(self.frame, SpatialFrame) else ""
        return f"angular velocity of {self.frame.name}{about}"

    def frames(self) -> list[Frame]:
        return [self.frame]

    def function_of_state(self, places: Places) -> Quantity:
        blocks = places.blocks(self.frame)
        if not isinstance(self.frame, SpatialFrame):
            return Quantity(formulas.coordinate, blocks[-1:], (0.0, 1.0))
        axis = turned(tuple(self.frame.axes), tuple(unit_axis(self.axis, self.name)))
        return Quantity(spatial_formulas.spin, blocks, [*self.frame.offset, *axis])


@dataclass(frozen=True, eq=False)
class Accelerometer(Sensor):
    """The acceleration of a frame's origin [m/s²] along a `direction` that turns with the frame: its angle in the
    frame's axes [rad] (0 if not given), in space 'x' (if not given), 'y', 'z' or (3,); with `with_gravity`, as a real
    one: less the acceleration of gravity at its place, e · Rᵀ (r̈ − g).

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("stone", gravity=(0, 0, -9.81))
    >>> stone = m.add_body("stone", mass=1.0, inertia=(0.1, 0.1, 0.1))
    >>> falls = fm.simulate(m, 0.1, step=0.01)
    >>> up = fm.control.Accelerometer(stone.frame, "z"), fm.control.Accelerometer(stone.frame, "z", with_gravity=True)
    >>> [float(sensor.readings(falls)[-1].round(9)) for sensor in up]
    [-9.81, 0.0]
    """

    frame: Frame
    direction: Any = None
    with_gravity: bool = False
    unit = "m/s²"
    _what = "acceleration"

    def __post_init__(self) -> None:
        super().__post_init__()
        where = type(self).__name__
        checks.check_fields(self, checks.flag, where, "with_gravity")
        if isinstance(self.frame, SpatialFrame):
            object.__setattr__(self, "direction", "x" if self.direction is None else self.direction)
            unit_axis(self.direction, where, "direction", repr(self.frame.name))
        else:
            object.__setattr__(self, "direction", 0.0 if self.direction is None else self.direction)
            checks.check_fields(self, checks.number, where, "direction")

    @property
    def name(self) -> str:
        along = f" along {said(self.direction)}" if isinstance(self.frame, SpatialFrame) else ""
        return f"{self._what} of {self.frame.name}{along}"

    def frames(self) -> list[Frame]:
        return [self.frame]

    def function_of_state(self, places: Places) -> Quantity:
        field = self.frame.model.gravity
        gravity = field.weight() if self.with_gravity else np.zeros(self.frame.model.dimension)
        formula: Any = formulas.planar_acceleration
        if isinstance(self.frame, SpatialFrame):
            formula = spatial_formulas.acceleration
        if self.with_gravity and field.is_central:
            formula, gravity = spatial_formulas.acceleration_in_orbit, field.parameters
        return Quantity(formula, places.blocks(self.frame), [*self._values(), *gravity])

    def _values(self) -> list[float]:
        """The arm of the frame on its node and the direction, in the axes of the node."""
        if isinstance(self.frame, SpatialFrame):
            return [*self.frame.offset, *turned(tuple(self.frame.axes), tuple(unit_axis(self.direction, self.name)))]
        turn = self.frame.offset_angle + self.direction
        return [*self.frame.offset, math.cos(turn), math.sin(turn)]


@dataclass(frozen=True, eq=False)
class Speedometer(Accelerometer):
    """The velocity of a frame's origin [m/s] along a `direction` that turns with the frame, as that of an
    :class:`Accelerometer`.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("car")
    >>> car = m.add_body("car", mass=1.0, inertia=(1, 1, 1), orientation=fm.rotation_vector((0, 0, 0.5 * np.pi)))
    >>> car.move((0, 3, 0))
    >>> float(fm.control.Speedometer(car.frame).readings(fm.simulate(m, 0.1, step=0.1))[-1].round(9))
    3.0
    """

    unit = "m/s"
    _what = "velocity"

    def function_of_state(self, places: Places) -> Quantity:
        formula = spatial_formulas.velocity if isinstance(self.frame, SpatialFrame) else formulas.planar_velocity
        return Quantity(formula, places.blocks(self.frame), self._values())

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.with_gravity:
            raise ModelError(
                f"Speedometer of {self.frame.where}: a velocity has no gravity in it; leave with_gravity out"
            )


@dataclass(frozen=True, eq=False)
class RangeFinder(Sensor):
    """The distance of the origins of frames `a` and `b` [m], |r_b − r_a|.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("stones")
    >>> stones = [m.add_body(x, mass=1.0, inertia=(1, 1, 1), position=(k, 0, 0)) for k, x in enumerate("ab")]
    >>> far = fm.control.RangeFinder(stones[0].frame, stones[1].frame)
    >>> far.name, far.readings(fm.simulate(m, 0.1, step=0.1)).tolist()
    ('distance of b from a', [1.0, 1.0])
    """

    a: Frame
    b: Frame
    unit = "m"
    _what = "distance"
    _formulas = (formulas.planar_distance, spatial_formulas.distance)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.a.node is self.b.node:
            raise ModelError(f"{type(self).__name__}: {self.a.where} and {self.b.where} are parts of the same body")

    @property
    def name(self) -> str:
        return f"{self._what} of {self.b.name} from {self.a.name}"

    def frames(self) -> list[Frame]:
        return [self.a, self.b]

    def function_of_state(self, places: Places) -> Quantity:
        formula = self._formulas[isinstance(self.b, SpatialFrame)]
        blocks = [*places.blocks(self.b), *places.blocks(self.a)]
        return Quantity(formula, blocks, [*self.b.offset, *self.a.offset])


@dataclass(frozen=True, eq=False)
class RangeRate(RangeFinder):
    """The rate of the distance of two frames [m/s], as a radar reads it: (r_b − r_a) · (ṙ_b − ṙ_a)/|r_b − r_a|.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("stones")
    >>> stones = [m.add_body(x, mass=1.0, inertia=1.0, position=(k, 0)) for k, x in enumerate("ab")]
    >>> stones[1].move((2.0, 5.0))
    >>> float(fm.control.RangeRate(stones[0].frame, stones[1].frame).readings(fm.simulate(m, 0.1, step=0.1))[0])
    2.0
    """

    unit = "m/s"
    _what = "rate of the distance"
    _formulas = (formulas.planar_distance_rate, spatial_formulas.distance_rate)
