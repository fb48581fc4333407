"""A sensor of the mechanism as a whole: its mass center, its momenta, the zero-moment point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.errors import ModelError
from flexmb.feedback.sensors import Sensor
from flexmb.model import checks, given_names
from flexmb.model.model import Model
from flexmb.quantities.of_system import of_whole, whole_units
from flexmb.quantities.places import Places
from flexmb.quantities.quantity import Quantity


@dataclass(frozen=True, eq=False)
class WholeSensor(Sensor):
    """A number of the mechanism as a whole, as a robot computes it from its own model: a `quantity` of
    :class:`flexmb.WholeTrack` by its name, "center_of_mass.x", "velocity.z", "momentum.x", "angular_momentum" (in space
    "angular_momentum.y"), "force.z", "moment", or "zmp.x", the zero-moment point on the floor through the origin. Where
    nothing presses on the floor there is no such point, and the run ends with a message.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("walker", gravity=(0, -9.81))
    >>> trunk = m.add_body("trunk", mass=30.0, inertia=2.0, position=(0.1, 0.8))
    >>> sensor = fm.control.WholeSensor(m, "center_of_mass.x")
    >>> sensor.name, sensor.unit, sensor.readings(fm.simulate(m, 0.1, step=0.1)).round(6).tolist()
    ('center_of_mass.x of walker', 'm', [0.1, 0.1])
    """

    model: Model
    quantity: str

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.model, Model):
            raise ModelError(f"WholeSensor: {checks.quoted(self.model)} is not a model; give the mechanism's")
        units = whole_units(self.model.dimension)
        given_names.known(self.quantity, units, "quantity of the whole", f"WholeSensor of {self.model.where}")
        if self.quantity.startswith("zmp") and not np.any(self.model.gravity.weight()):
            raise ModelError(f"WholeSensor of {self.model.where}: without gravity no floor carries it, and has no zmp")

    @property
    def unit(self) -> str:  # type: ignore[override]
        """Unit of the quantity."""
        return whole_units(self.model.dimension)[self.quantity]

    @property
    def name(self) -> str:
        return f"{self.quantity} of {self.model.name}"

    def check_in(self, model: Model, where: str) -> None:
        if model is not self.model:
            raise ModelError(f"{where}: {self.name} belongs to another model")

    def function_of_state(self, places: Places) -> Quantity:
        return of_whole(self.model.gravity.weight(), self.quantity)

    def in_doubt(self, period: float) -> str:
        return f"the {self.name} is nowhere, since nothing presses on the floor"
