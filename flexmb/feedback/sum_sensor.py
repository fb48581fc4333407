"""A sensor that is a weighted sum of others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from flexmb.errors import ModelError
from flexmb.feedback.sensors import Sensor
from flexmb.model import checks
from flexmb.model.components import Component
from flexmb.model.frames import Frame
from flexmb.model.model import Model
from flexmb.results.solution import Solution
from flexmb.system.readings import Reading
from flexmb.system.system import System


@dataclass(frozen=True, eq=False)
class WeightedSum(Sensor):
    """A sum of what sensors read with some weights, such as the switching function θ + τ θ̇ of a jet. Jets, events and
    outputs of linear models take it; controllers and states read its sensors one by one.

    Arguments: `sensors`; `weights`, one for each; `unit` of the sum.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("satellite")
    >>> hull = m.add_body("hull", mass=1.0, inertia=(1, 1, 1))
    >>> hull.move(angular_velocity=(0, 0, 0.5))
    >>> angle, rate = fm.control.AttitudeError(hull.frame, "z"), fm.control.Gyro(hull.frame, "z")
    >>> fm.control.WeightedSum([angle, rate], [1.0, 2.0]).readings(fm.simulate(m, 1.0, step=0.1))[-1].round(6).item()
    1.5
    """

    sensors: list[Sensor]
    weights: Sequence[float]
    unit: str = field(default="–", kw_only=True)

    def __post_init__(self) -> None:
        where = type(self).__name__
        object.__setattr__(self, "sensors", checks.several(self.sensors, "sensors", where))
        for sensor in self.sensors:
            self._must_be(Sensor, sensor, "sensor; give e.g. fm.control.Gyro(frame, axis)")
            if sensor.turning:
                raise ModelError(
                    f"{where}: {sensor.name} counts turns from reading to reading, and a sum does not; take "
                    "AttitudeError(frame, axis), or a joint with count_turns=True"
                )
        object.__setattr__(self, "weights", checks.vector(self.weights, "weights", where, len(self.sensors)))
        super().__post_init__()

    @property
    def name(self) -> str:
        return " + ".join(f"{weight:g} {sensor.name}" for weight, sensor in zip(self.weights, self.sensors))

    def frames(self) -> list[Frame]:
        return [frame for sensor in self.sensors for frame in sensor.frames()]

    def parts(self) -> list[Component]:
        return [part for sensor in self.sensors for part in sensor.parts()]

    def check_in(self, model: Model, where: str) -> None:
        for sensor in self.sensors:
            sensor.check_in(model, where)

    def terms(self) -> list[tuple[float, Sensor]]:
        return list(zip(map(float, self.weights), self.sensors))

    def reading(self, system: System) -> Reading:
        raise ModelError(f"{self.name}: a controller reads its sensors one by one; let its law add them")

    def measured(self, solution: Solution) -> np.ndarray:
        return np.asarray(sum(w * sensor.readings(solution) for w, sensor in zip(self.weights, self.sensors)))
