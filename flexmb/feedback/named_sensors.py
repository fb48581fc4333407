"""Sensors of quantities by name, and of a function of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.feedback.attitude_sensors import euler_in_doubt
from flexmb.feedback.sensors import Sensor
from flexmb.kernels.compilation import python_of
from flexmb.kernels.formula import check_formula
from flexmb.model import checks, given_names
from flexmb.model.components import Component
from flexmb.model.frames import Frame, meant_frame
from flexmb.model.model import Model
from flexmb.model.spatial_frames import Frame as SpatialFrame
from flexmb.quantities.places import InLayout, InSystem, Places
from flexmb.quantities.quantity import Quantity
from flexmb.results import names
from flexmb.results.asked import quantity_in
from flexmb.results.layout import Layout
from flexmb.results.meaning import meaning
from flexmb.results.solution import Solution
from flexmb.results.state import as_solution
from flexmb.system.assembly import Assembly
from flexmb.system.readings import EULER


@dataclass(frozen=True, eq=False)
class NamedQuantity(Sensor):
    """A quantity by the name that a solution has for it: "tip.vx", "hinge.angle", "rail.effort", "hinge.fx",
    "rod.bending1", "rod@0.5.curvature", "whole.momentum.x", in space "hull.ZYX1". Stresses, touches and what
    is summed over time are read by no sensor.

    Arguments: `model` in which the name is; `quantity`, the name.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("lift", gravity=(0, -10.0))
    >>> cabin = m.add_body("cabin", mass=1.0, inertia=1.0)
    >>> rail = m.prismatic(m.ground, cabin.frame, axis=0.5 * 3.141592653589793, name="rail")
    >>> sensor = fm.control.NamedQuantity(m, "rail.position")
    >>> sensor.name, sensor.unit, sensor.readings(fm.simulate(m, 1.0, step=0.1))[-1].round(9).item()
    ('rail.position', 'm', -5.0)
    """

    model: Model
    quantity: str

    def __post_init__(self) -> None:
        super().__post_init__()
        where = type(self).__name__
        if not isinstance(self.model, Model):
            raise ModelError(f"{where}: {checks.quoted(self.model)} is not a model; give the mechanism's")
        given_names.name(self.quantity, f"{where}: quantity")

    @property
    def name(self) -> str:
        return self.quantity

    @cached_property
    def unit(self) -> str:  # type: ignore[override]
        """Unit of the quantity."""
        known = meaning(Layout.of_names(self.model), self.quantity)
        if known is None:  # a coordinate, which has its name where it gets its number
            known = meaning(Layout.of_assembly(Assembly(self.model)), self.quantity)
        return "–" if known is None else known.unit

    def parts(self) -> list[Component]:
        component = self.model.components.get(self.quantity.rpartition(".")[0])
        return [] if component is None else [component]

    def check_in(self, model: Model, where: str) -> None:
        if model is not self.model:
            raise ModelError(f"{where}: {self.name!r} is a quantity of another model, {self.model.name!r}")

    def function_of_state(self, places: Places) -> Quantity:
        found = quantity_in(self.model, self.quantity, places)
        if found is None:
            raise self._unknown(places)
        return found

    def in_doubt(self, period: float) -> str:
        if self._by_names is not None and self._by_names.kind == EULER:
            return euler_in_doubt(self.name, period)
        return super().in_doubt(period) if self.turning else f"{self.name} has no value there"

    def _unknown(self, places: Places) -> Exception:
        """Why there is no such quantity."""
        if isinstance(places, InSystem) and meaning(Layout.of(places.system), self.quantity) is None:
            system = places.system
            still = np.zeros((1, system.n))
            rest = as_solution(system, np.zeros(1), system.q0[None], still, still, np.zeros((1, system.m)))
            return names.unknown_name(rest, self.quantity, series=True)
        return ModelError(
            f"NamedQuantity of {self.model.where}: {self.quantity!r} is nothing that a sensor reads, of what stands "
            "before it in the model; of surfaces read SurfaceGauge; stresses, touches and what is summed over time are "
            "known to solutions and events"
        )

    @cached_property
    def _by_names(self) -> Quantity | None:
        """The quantity as the names of the model tell it, without numbers of coordinates."""
        return quantity_in(self.model, self.quantity, InLayout(Layout.of_names(self.model)))

    @property
    def turning(self) -> str:  # type: ignore[override]
        """The name, if it is that of an angle that counts no turns."""
        return self.quantity if self._by_names is not None and self._by_names.rate is not None else ""

    def measured(self, solution: Solution) -> np.ndarray:
        return np.asarray(solution[self.quantity])


@dataclass(frozen=True, eq=False)
class OwnSensor(Sensor):
    """A sensor of one's own: one formula (:mod:`flexmb.kernels.formula`), a compiled function of a row of `values`, of
    time, and of the coordinates, speeds and accelerations of the nodes under some frames, which returns a number. Its
    derivatives are made of it, so that states, jets and linear models read it as they read any other sensor.

    Arguments: `formula`; frames `on` whose nodes it stands. Their coordinates are at iq, one node after the other:
    x, y, angle, in space x, y, z, e0, e1, e2, e3; their speeds at iv: in space vx, vy, vz, wx, wy, wz, the last three
    in the axes of the node. `values`: the row; `name` and `unit` of what it reads.

    >>> import flexmb as fm
    >>> from flexmb.kernels import formula
    >>> @formula
    ... def power(row, iq, iv, t, q, v, a):
    ...     return row[0] * v[iv[2]] ** 2
    >>> m = fm.PlanarModel("fan")
    >>> wheel = m.add_body("wheel", mass=1.0, inertia=1.0)
    >>> wheel.frame.move((0, 0), 3.0)
    >>> lost = fm.control.OwnSensor(power, [wheel.frame], [0.5], name="lost", unit="W")
    >>> lost.readings(fm.simulate(m, 0.1, step=0.1)).round(9).tolist()
    [4.5, 4.5]
    """

    formula: Any
    on: Sequence[Any]
    values: Sequence[float] = ()
    name: str = field(default="", kw_only=True)
    unit: str = field(default="–", kw_only=True)

    def __post_init__(self) -> None:
        where = type(self).__name__
        given_names.name(self.name, where)
        checks.text(self.unit, "unit", f"{where} {self.name!r}")
        check_formula(self.formula, f"{where} {self.name!r}")
        frames = [meant_frame(frame, where) for frame in checks.several(self.on, "on", where)]
        object.__setattr__(self, "on", frames)
        values = checks.numbers(self.values, "values", where, "numbers", infinite=False).ravel()
        object.__setattr__(self, "values", values)
        super().__post_init__()
        self._check_indices()

    def _check_indices(self) -> None:
        """Run the formula once as Python, which checks indices; compiled code does not."""
        function: Any = python_of(self.formula)
        space = isinstance(self.on[0], SpatialFrame)
        size, width = (7, 6) if space else (3, 3)
        q, v = np.zeros((len(self.on), size)), np.ones(len(self.on) * width)
        if space:
            q[:, 3] = 1.0
        numbers = np.asarray(self.values, dtype=float), np.arange(q.size), np.arange(v.size)
        try:
            with np.errstate(all="ignore"):
                function(*numbers, 0.0, q.ravel(), v, v)
        except IndexError as error:
            raise ModelError(
                f"OwnSensor {self.name!r}: its formula takes a number that is not there ({error}); it has {size} "
                f"coordinates and {width} speeds of each frame, and {len(self.values)} values"
            ) from error
        except ArithmeticError:  # at these coordinates alone
            pass

    def frames(self) -> list[Frame]:
        return list(self.on)

    def function_of_state(self, places: Places) -> Quantity:
        return Quantity(self.formula, [block for frame in self.on for block in places.blocks(frame)], self.values)
