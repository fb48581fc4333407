"""Sensors: the quantities of a mechanism that a controller can read.

Those of frames are in :mod:`flexmb.feedback.frame_sensors`, those of orientations in
:mod:`flexmb.feedback.attitude_sensors`, and those of joints in space in :mod:`flexmb.feedback.joint_sensors`. Every
sensor has a `bias` (a constant that is added to what it measures), a `noise` (the standard deviation of a normally
distributed error of each reading) and a `resolution` (readings are whole multiples of it; 0: any number), all in the
unit of the sensor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.elements.planar.beam import BeamPoint
from flexmb.elements.spatial.beam import BeamPoint as SpatialBeamPoint
from flexmb.elements.spatial.wheel import ReactionWheel
from flexmb.errors import ModelError
from flexmb.forces.motor import Motor
from flexmb.kernels.widths import SIDES
from flexmb.model import checks
from flexmb.model.components import Component
from flexmb.model.frames import Frame, take_frames
from flexmb.model.functions.time_function import TimeFunction, as_function
from flexmb.model.model import Model, check_member
from flexmb.model.spatial_frames import Frame as SpatialFrame
from flexmb.results.meaning import RATE
from flexmb.results.solution import Solution
from flexmb.system.readings import COORDINATES, FUNCTION, SECTION, Reading
from flexmb.system.system import System


@dataclass(frozen=True, eq=False, kw_only=True)
class Sensor:
    """A sensor: all have a `resolution`, a `noise` and a `bias`, in the unit of the sensor.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("pendulum")
    >>> arm = m.add_body("arm", mass=1.0, inertia=1.0, angle=0.5)
    >>> hinge = m.revolute(m.ground, arm.frame)
    >>> from_below = fm.control.RelativeAngle(m.ground, arm.frame, bias=1.5)
    >>> from_below.readings(fm.simulate(m, 0.1, step=0.1)).tolist()
    [2.0, 2.0]
    """

    resolution: float = 0.0
    noise: float = 0.0
    bias: float = 0.0
    unit = "–"

    def __post_init__(self) -> None:
        checks.check_fields(self, checks.not_negative, type(self).__name__, "resolution", "noise")
        checks.check_fields(self, checks.number, type(self).__name__, "bias")
        take_frames(self, self.frames(), type(self).__name__)

    def _must_be(self, kind: type | tuple[type, ...], thing: Any, wanted: str) -> None:
        if not isinstance(thing, kind):
            raise ModelError(f"{type(self).__name__}: {checks.quoted(thing)} is not a {wanted}")

    def check_in(self, model: Model, where: str) -> None:
        """Raise a ModelError if the sensor refers to a frame or a component of another model."""
        things: list[Frame | Component] = [*self.frames(), *self.parts()]
        for thing in things:
            check_member(thing, model, f"{where}: {self.name}")

    @property
    def name(self) -> str:
        """The name of the sensor in results."""
        raise NotImplementedError

    def frames(self) -> list[Frame]:
        """Frames that the sensor refers to."""
        return []

    def parts(self) -> list[Component]:
        """Components that the sensor refers to."""
        return []

    def reading(self, system: System) -> Reading:
        """The sensor as the compiled loop sees it, without its bias."""
        raise NotImplementedError

    def check_determined(self, system: System, t: float, q: np.ndarray) -> None:
        """Raise a ModelError if the motion does not determine, at a position q (nq,), a force that the sensor reads."""

    def quantities(self) -> list[str]:
        """Names of the quantities that a reading depends on."""
        raise NotImplementedError

    @property
    def turning(self) -> str:
        """The name of an angle that the sensor reads, if its turns have to be counted; else empty."""
        return ""

    def counted(self, solution: Solution, before: Any) -> tuple[float, Any]:
        """The reading at the only time of a solution; with it what the next reading gets as `before`, which is None at
        first, if angles go on from one to the next."""
        return float(self.readings(solution)[0]), before

    def in_doubt(self, period: float) -> str:
        """Why a reading was in doubt, sampled every `period` [s], and what to do."""
        return (
            f"the turns of the {self.name} are in doubt: in a period of {period:g} s it turns by too much; give the "
            "controller a shorter period, or to a joint count_turns=True"
        )

    def readings(self, solution: Solution) -> np.ndarray:
        """Readings (k,) at all times of a solution, without noise and resolution."""
        return self.measured(solution) + self.bias

    def measured(self, solution: Solution) -> np.ndarray:
        """What it measures (k,) at all times of a solution: readings without the bias."""
        raise NotImplementedError


def refuse_space(sensor: Sensor, instead: str) -> None:
    """Refuse frames in space to a sensor of the plane."""
    for frame in sensor.frames():
        if isinstance(frame, SpatialFrame):
            raise ModelError(
                f"{type(sensor).__name__}: {frame.where} is in space, and this sensor measures in the plane only; in "
                f"space take {instead}"
            )


@dataclass(frozen=True, eq=False)
class _BetweenFrames(Sensor):
    """What two frames measure of each other: a quantity of `b` less that of `a`."""

    a: Frame
    b: Frame
    _what = ""
    _quantity = ""
    _in_space = ""  # what measures it in space

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_space(self, self._in_space)

    @property
    def name(self) -> str:
        return f"{self._what} of {self.b.name} against {self.a.name}"

    def frames(self) -> list[Frame]:
        return [self.a, self.b]

    def _angles(self, system: System) -> list[int]:
        """Numbers of the angles of b and a."""
        return [int(system.assembly.node_numbers(frame.node).v[2]) for frame in (self.b, self.a)]

    def quantities(self) -> list[str]:
        return [f"{self.b.name}.{self._quantity}", f"{self.a.name}.{self._quantity}"]

    def measured(self, solution: Solution) -> np.ndarray:
        b, a = self.quantities()
        return solution[b] - solution[a]


@dataclass(frozen=True, eq=False)
class RelativeAngle(_BetweenFrames):
    """The angle of frame `b` against frame `a` [rad], counted through all turns.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("wheel")
    >>> wheel = m.add_body("wheel", mass=1.0, inertia=2.0)
    >>> axle = m.revolute(m.ground, wheel.frame)
    >>> push = m.point_torque(wheel.frame, 4.0)
    >>> run = fm.simulate(m, 1.0, step=0.1)
    >>> fm.control.RelativeAngle(m.ground, wheel.frame).readings(run)[-1].round(6).item()  # ½ (4/2) t²
    1.0
    """

    unit = "rad"
    _what = _quantity = "angle"
    _in_space = "JointAngle(joint), AttitudeError(frame, axis) or AttitudeAngle(frame, sequence, number)"

    def reading(self, system: System) -> Reading:
        constant = self.b.offset_angle - self.a.offset_angle
        return Reading(COORDINATES, self._angles(system), [constant, 1.0, 0.0, -1.0, 0.0])


@dataclass(frozen=True, eq=False)
class RelativeRate(_BetweenFrames):
    """The angular velocity of frame `b` against frame `a` [rad/s].

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("wheel")
    >>> wheel = m.add_body("wheel", mass=1.0, inertia=2.0)
    >>> axle = m.revolute(m.ground, wheel.frame)
    >>> push = m.point_torque(wheel.frame, 4.0)
    >>> run = fm.simulate(m, 1.0, step=0.1)
    >>> fm.control.RelativeRate(m.ground, wheel.frame).readings(run)[-1].round(6).item()
    2.0
    """

    unit = "rad/s"
    _what, _quantity = "rate", "angular_velocity"
    _in_space = "JointRate(joint) or Gyro(frame, axis)"

    def reading(self, system: System) -> Reading:
        return Reading(COORDINATES, self._angles(system), [0.0, 0.0, 1.0, 0.0, -1.0])


@dataclass(frozen=True, eq=False)
class OwnCoordinate(Sensor):
    """A coordinate that a component owns, or its rate."""

    _what = "angle"
    _factors = (1.0, 0.0)  # of the coordinate, and of its rate

    @property
    def _owner(self) -> Component:
        """The component."""
        raise NotImplementedError

    @property
    def _coordinate(self) -> str:
        """The name of the coordinate."""
        raise NotImplementedError

    @property
    def name(self) -> str:
        return f"{self._what} of {self._owner.name}"

    def parts(self) -> list[Component]:
        return [self._owner]

    def reading(self, system: System) -> Reading:
        return Reading(COORDINATES, [system.names.index(self._coordinate), -1], [0.0, *self._factors, 0.0, 0.0])

    def quantities(self) -> list[str]:
        return [self._coordinate + (RATE if self._factors[1] else "")]

    def measured(self, solution: Solution) -> np.ndarray:
        return solution[self.quantities()[0]]


@dataclass(frozen=True, eq=False)
class MotorAngle(OwnCoordinate):
    """The angle of a motor's rotor against its stator [rad], on the motor's side of the reducer; or that of a wheel
    with a coordinate against the body that carries it.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("arm")
    >>> arm = m.add_body("arm", mass=1.0, inertia=1.0)
    >>> axle = m.revolute(m.ground, arm.frame)
    >>> motor = m.motor(m.ground, arm.frame, inertia=1e-4, ratio=100.0, torque=0.02)
    >>> run = fm.simulate(m, 1.0, step=0.1)
    >>> fm.control.MotorAngle(motor).readings(run)[-1].round(6).item()  # a hundred times that of the arm, ½ rad
    50.0
    """

    motor: Motor | ReactionWheel
    unit = "rad"

    def __post_init__(self) -> None:
        super().__post_init__()
        wanted = "motor; give what model.motor returned, or a wheel with a torque, friction or an angle"
        self._must_be((Motor, ReactionWheel), self.motor, wanted)

    @property
    def _owner(self) -> Component:
        return self.motor

    @property
    def _coordinate(self) -> str:
        return f"{self.motor.name}.rotor"


@dataclass(frozen=True, eq=False)
class MotorRate(MotorAngle):
    """The angular velocity of a motor's rotor against its stator [rad/s], on the motor's side of the reducer.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("arm")
    >>> arm = m.add_body("arm", mass=1.0, inertia=1.0)
    >>> axle = m.revolute(m.ground, arm.frame)
    >>> motor = m.motor(m.ground, arm.frame, inertia=1e-4, ratio=100.0, torque=0.02)
    >>> run = fm.simulate(m, 1.0, step=0.1)
    >>> fm.control.MotorRate(motor).readings(run)[-1].round(6).item()
    100.0
    """

    unit = "rad/s"
    _what, _factors = "rate", (0.0, 1.0)


@dataclass(frozen=True, eq=False)
class StrainGauge(Sensor):
    """The strain [–] of a fiber of a beam along it, at a point of it. In the plane ε − κ h, with h [m] the `height` of
    the fiber above the axis (that of the outermost one, when not given). In space ε − κ_z y + κ_y z, with `fiber` its
    place (y, z) [m] in the axes of the section. (A gauge that is glued on askew would measure twist too.)

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("cantilever")
    >>> steel = fm.Material(density=7850, youngs_modulus=205e9)
    >>> rod = m.add_beam("rod", m.ground, (1, 0), material=steel, section=fm.Rectangle(0.02, 0.02), elements=2)
    >>> load = m.point_force(rod.end, (0, -10.0))
    >>> gauge = fm.control.StrainGauge(rod.at(0.01), 0.01)
    >>> round(float(gauge.readings(fm.equilibrium(m).solution)[0]) * 1e6)  # millionths; the upper fiber is in tension
    36
    """

    point: BeamPoint | SpatialBeamPoint
    height: float | None = None
    fiber: Sequence[float] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._must_be((BeamPoint, SpatialBeamPoint), self.point, "point of a beam; give one, e.g. beam.at(0.1)")
        if isinstance(self.point, SpatialBeamPoint):
            if self.fiber is None or self.height is not None:
                raise ModelError(
                    f"{self.name}: a beam in space has fibers at (y, z); give fiber=(y, z), in the axes of its "
                    "section, and no height"
                )
            object.__setattr__(self, "fiber", checks.vector(self.fiber, "fiber", self.name, 2))
        elif self.fiber is not None:
            raise ModelError(f"{self.name}: fiber is the place of a fiber in space; in the plane give its height")
        elif self.height is not None:
            checks.check_fields(self, checks.number, type(self).__name__, "height")

    @property
    def name(self) -> str:
        return f"strain of {self.point.name}"

    def parts(self) -> list[Component]:
        return [self.point.beam]

    @property
    def _height(self) -> float:
        if self.height is not None:
            return self.height
        height = self.point.beam.properties.outer_fiber
        if not height > 0.0:
            raise ModelError(f"{self.name}: the height of its fiber is unknown; give height=…, or the beam a section")
        return height

    @property
    def _factors(self) -> dict[str, float]:
        """What each strain of the section contributes."""
        if self.fiber is None:
            return {"strain": 1.0, "curvature": -self._height}
        y, z = (float(x) for x in self.fiber)
        return {"strain": 1.0, "curvature_y": z, "curvature_z": -y}

    def reading(self, system: System) -> Reading:
        beam, given = self.point.beam, self._factors
        instances = [i for i in system.instances_of(beam.name) if i.kernels.section is not None]
        if not instances:
            raise ModelError(f"{self.name}: {beam.where} is of a theory that tells no strains")
        element, local = beam.locate(self.point.s)
        row = np.asarray(beam.point_data(local), dtype=float)
        i, columns = instances[element], SIDES[system.model.dimension].section
        width, factors = len(columns), [given.get(name, 0.0) for name in columns]
        return Reading(SECTION, [i.group, i.place, width, len(row)], np.concatenate([factors, row]), width)

    def quantities(self) -> list[str]:
        place = f"{self.point.beam.name}@{self.point.s!r}"
        return [f"{place}.{name}" for name in self._factors]

    def measured(self, solution: Solution) -> np.ndarray:
        return np.sum([x * solution[name] for x, name in zip(self._factors.values(), self.quantities())], axis=0)


@dataclass(frozen=True, eq=False)
class Reference(Sensor):
    """A function of time that a controller is to follow, or its first or second `rate` (1 or 2); `name`: that of the
    signal in logs and pictures ("reference" or "rate of reference" when not given).

    >>> import flexmb as fm
    >>> fm.control.Reference(0.5).name, fm.control.Reference(0.5, name="wanted angle").name
    ('reference', 'wanted angle')
    """

    function: TimeFunction | float
    rate: int = 0
    name: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "function", as_function(self.function, "function", "reference"))
        checks.check_fields(self, checks.count, "reference", "rate")
        if self.rate > 2:
            raise ModelError(f"reference: rate is {checks.quoted(self.rate)}; give 0, 1 or 2")
        if not self.name:
            plain = ("reference", "rate of reference", "second rate of reference")[self.rate]
            object.__setattr__(self, "name", plain)
        checks.name(self.name, "reference")

    def reading(self, system: System) -> Reading:
        return Reading(FUNCTION, [self.rate], as_function(self.function, "function", "reference").parameters())

    def quantities(self) -> list[str]:
        return []

    def measured(self, solution: Solution) -> np.ndarray:
        function = as_function(self.function, "function", "reference")
        return np.asarray((function, function.rate, function.second_rate)[self.rate](solution.t))
