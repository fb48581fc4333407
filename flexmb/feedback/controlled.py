"""Models, of the plane or of space, that controllers may command."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from flexmb.errors import NamingError
from flexmb.feedback.controller import Controller
from flexmb.feedback.sensors import Sensor
from flexmb.feedback.states import States
from flexmb.model import checks
from flexmb.model.components import Component
from flexmb.model.functions.time_function import TimeFunction
from flexmb.model.model import check_member
from flexmb.system.freedoms import CountedModel


class ControlledModel(CountedModel):
    """A model with the method by which it gets controllers."""

    def add_states(
        self,
        name: str,
        law: Any,
        *,
        sensors: Sequence[Sensor] | Sensor = (),
        commands: Sequence[Any] | Any = (),
        decide: Callable[..., Any] | None = None,
        start: Any = None,
        names: Sequence[str] | None = None,
        feed: TimeFunction | float = 0.0,
        compiled: bool = False,
        sizes: float | Sequence[float] | None = None,
    ) -> States:
        """States of equations of first order beside the mechanism, see :class:`flexmb.control.States`; `commands` are
        components that have a strength, themselves or their names.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("wheel")
        >>> wheel = m.add_body("wheel", mass=1.0, inertia=1.0)
        >>> axle = m.revolute(m.ground, wheel.frame)
        >>> motor = m.point_torque(wheel.frame, 0.0, name="motor")
        >>> winding = fm.control.transfer_function([1.0], [0.1, 1.0])
        >>> m.add_states("winding", winding, commands="motor", feed=2.0).names
        ['x1']
        """
        where = f"states {checks.quoted(name)}"
        given = checks.several(commands, "commands", where)
        parts = [self.component(one) if isinstance(one, str) else one for one in given]
        made = States(
            law, sensors=sensors, commands=parts, decide=decide, start=start, names=names, feed=feed,
            compiled=compiled, sizes=sizes, name=checks.name(name, where),
        )  # fmt: skip
        return self.add(made)

    def add_controller(
        self,
        name: str,
        *,
        period: float,
        sensors: Sequence[Sensor] | Sensor,
        commands: Sequence[Any] | Any,
        law: Any,
        delay: float = 0.0,
        limits: Any = None,
        seed: int = 0,
        runaway: float | None = 10.0,
    ) -> Controller:
        """A sampled controller, see :class:`flexmb.feedback.controller.Controller`; `commands` are components that have
        a strength (motors, torques, forces), themselves or their names.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("wheel")
        >>> wheel = m.add_body("wheel", mass=1.0, inertia=1.0)
        >>> axle = m.revolute(m.ground, wheel.frame)
        >>> motor = m.point_torque(wheel.frame, 0.0, name="motor")
        >>> rate = fm.control.RelativeRate(m.ground, wheel.frame)
        >>> servo = m.add_controller("brake", period=0.01, sensors=rate, commands=motor, law=[[-4.0]])
        >>> servo.name, servo.period
        ('brake', 0.01)
        """
        where = f"controller {checks.quoted(name)}"
        if checks.name(name, f"model {self.name!r}: {where}") in self.controllers:
            raise NamingError(f"model {self.name!r}: there is a controller {name!r} already; give another name")
        given = checks.several(commands, "commands", where)
        for one in given:
            if isinstance(one, Component):
                check_member(one, self, where)
        names = [one.name if isinstance(one, Component) else one for one in given]
        read = checks.several(sensors, "sensors", where)
        with self.all_or_nothing():
            made = Controller(name, self, period, read, names, law, delay, limits, seed, runaway)
        self.controllers[name] = made
        return made
