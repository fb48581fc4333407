"""Sensors: the quantities of a mechanism that a controller can read.

Those of frames are in :mod:`flexmb.feedback.frame_sensors`, those of orientations in
:mod:`flexmb.feedback.attitude_sensors`, and those of joints in :mod:`flexmb.feedback.joint_sensors`. What a sensor
reads is a quantity (:mod:`flexmb.quantities.quantity`), the same for loops, states, events, solutions and linear
models. Every sensor has a `bias` (a constant that is added to what it measures), a `noise` (the standard deviation of a
normally distributed error of each reading) and a `resolution` (readings are whole multiples of it; 0: any number), all
in the unit of the sensor.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.elements.spatial.wheel import ReactionWheel
from flexmb.errors import ModelError
from flexmb.forces.motor import Motor
from flexmb.kernels.formula import reads_accelerations
from flexmb.model import checks, given_names
from flexmb.model.components import Component
from flexmb.model.frames import Frame, take_frames
from flexmb.model.functions.time_function import TimeFunction, as_function
from flexmb.model.hints import AnswersCalls
from flexmb.model.model import Model, check_member
from flexmb.model.spatial_frames import Frame as SpatialFrame
from flexmb.quantities import formulas
from flexmb.quantities.places import InLayout, InSystem, Places
from flexmb.quantities.quantity import Quantity
from flexmb.results.solution import Solution
from flexmb.system.found import DETERMINED
from flexmb.system.readings import EULER, Reading
from flexmb.system.system import System


@dataclass(frozen=True, eq=False, kw_only=True)
class Sensor(metaclass=AnswersCalls):
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

    def function_of_state(self, places: Places) -> Quantity | None:
        """What it reads, without its bias, as one quantity; None if it is none."""
        return None

    def reading(self, system: System) -> Reading:
        """The sensor as the compiled loop sees it, without its bias."""
        quantity = self.function_of_state(InSystem(system))
        assert quantity is not None
        return quantity.reading(self.name, system)

    def terms(self) -> list[tuple[float, Sensor]]:
        """The sensors of which it is the sum, with their weights."""
        return [(1.0, self)]

    def at_every_instant(self, places: Places) -> Quantity:
        """What states of first order read, a function of time, coordinates and speeds that needs no memory."""
        found = self.function_of_state(places)
        if found is None:
            raise ModelError(
                f"{self.name}: states of first order read at every instant, for which {type(self).__name__} is not "
                "made; read it by a sampled controller, model.add_controller, or the sensors of a sum one by one"
            )
        if found.given is None and reads_accelerations(found.formula):
            raise ModelError(f"{self.name}: what it reads {DETERMINED}")
        if found.kind == EULER:
            raise ModelError(
                f"{self.name}: states of first order read at every instant, and Euler angles jump where they are not "
                "determined; read AttitudeError or StarTracker"
            )
        if found.rate is not None:
            raise ModelError(
                f"{self.name}: states of first order read at every instant, and turns are not counted from one to the "
                f"next; give {self.parts()[0].where} count_turns=True, or take AttitudeError(b, axis, against=a)"
            )
        return found

    def functions(self) -> list[TimeFunction]:
        """The functions of time that it reads, whose kinks end steps where it is read at every instant."""
        return []

    def check_determined(self, system: System, t: float, q: np.ndarray) -> None:
        """Raise a ModelError if the motion does not determine, at a position q (nq,), a force that the sensor reads."""
        quantity = self.function_of_state(InSystem(system))
        if quantity is not None and quantity.given is not None:
            quantity.given.check(system, t, q, self.name)

    @property
    def turning(self) -> str:
        """The name of an angle that the sensor reads, if its turns have to be counted; else empty."""
        return ""

    def in_doubt(self, period: float) -> str:
        """Why a reading was in doubt, sampled every `period` [s], and what to do."""
        return (
            f"the turns of the {self.name} are in doubt: in a period of {period:g} s it turns by too much; give the "
            "controller a shorter period, or to a joint count_turns=True"
        )

    def readings(self, solution: Solution) -> np.ndarray:
        """Readings (k,) at all times of a solution, without noise and resolution."""
        return self.measured(checks.solution(solution, type(self).__name__)) + self.bias

    def measured(self, solution: Solution) -> np.ndarray:
        """What it measures (k,) at all times of a solution: readings without the bias."""
        quantity = self.function_of_state(InLayout(solution.layout))
        assert quantity is not None
        return quantity.over(solution)


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
    _factors = (1.0, 0.0)  # of the angles, and of their rates
    _in_space = ""  # what measures it in space

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_space(self, self._in_space)

    @property
    def name(self) -> str:
        return f"{self._what} of {self.b.name} against {self.a.name}"

    def frames(self) -> list[Frame]:
        return [self.a, self.b]

    def function_of_state(self, places: Places) -> Quantity:
        both = [places.blocks(frame)[-1] for frame in (self.b, self.a)]
        x, v = self._factors
        constant = x * (self.b.offset_angle - self.a.offset_angle)
        return Quantity(formulas.two_coordinates, both, (x, v, -x, -v), constant)


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
    _what = "angle"
    _in_space = "JointAngle(joint), AttitudeError(frame, axis) or AttitudeAngle(frame, sequence, number)"


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
    _what = "rate"
    _factors = (0.0, 1.0)
    _in_space = "JointRate(joint) or Gyro(frame, axis)"


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

    def function_of_state(self, places: Places) -> Quantity:
        return Quantity(formulas.coordinate, [places.coordinate(self._coordinate)], self._factors)


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
        if isinstance(self.name, str) and not self.name:
            plain = ("reference", "rate of reference", "second rate of reference")[self.rate]
            object.__setattr__(self, "name", plain)
        given_names.name(self.name, "reference")

    def function_of_state(self, places: Places) -> Quantity:
        return Quantity(formulas.function, [], [self.rate, *places.held(self.functions()[0]).parameters()])

    def functions(self) -> list[TimeFunction]:
        return [as_function(self.function, "function", "reference")]
