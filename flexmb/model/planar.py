"""The model of a mechanism in the plane: names, frames and components, no numerics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from flexmb.errors import ModelError, NamingError
from flexmb.forces import Loading
from flexmb.joints import Joining
from flexmb.model import checks
from flexmb.model.beams import BeamBuilding
from flexmb.model.checks import Vector
from flexmb.model.components import Component, check_member
from flexmb.model.frames import Frame, Node
from flexmb.model.seen import check_place

if TYPE_CHECKING:
    from flexmb.control.controller import Controller
    from flexmb.control.sensors import Sensor

C = TypeVar("C", bound=Component)


class PlanarModel(Joining, Loading, BeamBuilding):
    """A mechanism in the plane.

    Arguments: `name`; `gravity` (2,) [m/s²].

    >>> import flexmb as fm
    >>> steel = fm.Material(density=7850, youngs_modulus=205e9)
    >>> arm = fm.PlanarModel("pendulum", gravity=(0, -9.81))
    >>> rod = arm.add_beam("rod", (0, 0), (1, 0), material=steel, section=fm.Circle(0.01), modes=2)
    >>> hinge = arm.revolute(arm.ground, rod.start)
    >>> sorted(arm.frames)
    ['ground', 'rod.end', 'rod.start']
    """

    def __init__(self, name: str, gravity: Vector = (0.0, 0.0)) -> None:
        self.name = checks.name(name, "model")
        self.gravity = checks.vector(gravity, "gravity", f"model {self.name!r}")
        self.frames: dict[str, Frame] = {}
        self.components: dict[str, Component] = {}
        self.controllers: dict[str, Controller] = {}
        self._counts: dict[str, int] = {}
        self.ground = self.add_frame("ground", fixed=True)

    def add_frame(self, name: str, position: Vector = (0.0, 0.0), angle: float = 0.0, *, fixed: bool = False) -> Frame:
        """A new frame with three coordinates of its own, or fixed in space: `position` (2,) [m], `angle` [rad]."""
        where = f"frame {checks.quoted(name)}"
        place = checks.vector(position, "position", where)
        node = Node(place, checks.number(angle, "angle", where), checks.flag(fixed, "fixed", where))
        return self.register_frame(Frame(name, self, node))

    def add(self, component: C) -> C:
        """Put a component (built in or of your own) into the model; returns it."""
        if not isinstance(component, Component):
            raise ModelError(
                f"model {self.name!r}: {checks.quoted(component)} is not a component; derive it from flexmb.Component"
            )
        self.free_name(component.name, component.where)
        self._check_component(component)
        self.components[component.name] = component
        return component

    def check(self) -> None:
        """Raise a ModelError if something in the model cannot be right. What is checked when it is added is checked
        here again, since attributes may be set at any time; every analysis begins with it."""
        where = f"model {self.name!r}"
        self.gravity = checks.vector(self.gravity, "gravity", where)
        for things in (self.frames, self.components, self.controllers):
            for name, thing in things.items():
                if thing.name != name:
                    raise NamingError(
                        f"{where}: {thing.where} was called {name!r} when it was made; names are given once"
                    )
        for frame in self.frames.values():
            frame.check()
        for component in self.components.values():
            self._check_component(component)
        for controller in self.controllers.values():
            controller.check()

    def _check_component(self, component: Component) -> None:
        """Its frames and the components that it refers to must be those of the model, and its data right."""
        where = component.where
        for frame in component.frames():
            if not isinstance(frame, Frame):
                raise ModelError(
                    f"{where}: {checks.quoted(frame)} is not a frame; give one, e.g. model.ground or beam.end"
                )
            check_member(frame, self, where)
        for part in component.parts():
            check_member(part, self, where)
        component.check()
        check_place(component.place(), self.frames, where)

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
        """A sampled controller, see :class:`flexmb.control.controller.Controller`; `commands` are components that have
        a strength (motors, torques, forces), themselves or their names."""
        from flexmb.control.controller import Controller

        where = f"controller {checks.quoted(name)}"
        if checks.name(name, f"model {self.name!r}: {where}") in self.controllers:
            raise NamingError(f"model {self.name!r}: there is a controller {name!r} already; give another name")
        given = checks.several(commands, "commands", where)
        for one in given:
            if isinstance(one, Component):
                check_member(one, self, where)
        names = [one.name if isinstance(one, Component) else one for one in given]
        read = checks.several(sensors, "sensors", where)
        made = Controller(name, self, period, read, names, law, delay, limits, seed, runaway)
        self.controllers[name] = made
        return made

    def frame(self, name: str) -> Frame:
        """The frame of that name."""
        return self.frames[checks.known(name, self.frames, "frame", f"model {self.name!r}")]

    def component(self, name: str) -> Component:
        """The component of that name."""
        return self.components[checks.known(name, self.components, "component", f"model {self.name!r}")]

    def set_rigid_motion(
        self,
        velocity: Vector = (0.0, 0.0),
        angular_velocity: float = 0.0,
        about: Vector = (0.0, 0.0),
        components: Iterable[Component] | None = None,
    ) -> None:
        """Start some components (all when not given) as one rigid body: `velocity` (2,) [m/s] of the point
        `about` (2,) [m], `angular_velocity` [rad/s]."""
        where = f"model {self.name!r}, rigid motion"
        v = checks.vector(velocity, "velocity", where)
        omega = checks.number(angular_velocity, "angular_velocity", where)
        point = checks.vector(about, "about", where)
        every = list(self.components.values())
        given = every if components is None else checks.several(components, "components", where)
        if components is not None and not given:
            raise ModelError(f"{where}: components are empty; leave them out to start all of them")
        for component in given:
            if not isinstance(component, Component):
                raise ModelError(f"{where}: {checks.quoted(component)} is not a component; give some of this model")
            check_member(component, self, where)
        for component in given:
            component.rigid_motion(v, omega, point)
        if components is None:
            for frame in self.frames.values():
                if not frame.node.fixed:
                    arm = frame.node.position - point
                    frame.node.velocity = v + omega * np.array([-arm[1], arm[0]])
                    frame.node.angular_velocity = omega

    # -- names ------------------------------------------------------------------------------------------------------

    def register_frame(self, frame: Frame) -> Frame:
        """Take a frame into the model under its name."""
        checks.name(frame.name, f"model {self.name!r}: a frame")
        if frame.name in self.frames:
            raise NamingError(f"model {self.name!r}: there is a frame {frame.name!r} already; give another name")
        self.frames[frame.name] = frame
        return frame

    def auto_name(self, name: str | None, stem: str) -> str:
        """The given name, or 'stem 1', 'stem 2', … for a component that was given none."""
        if name is not None:
            return name
        while True:
            self._counts[stem] = self._counts.get(stem, 0) + 1
            proposal = f"{stem} {self._counts[stem]}"
            if proposal not in self.components:
                return proposal

    def free_name(self, name: Any, where: str) -> str:
        """A name that a new component can have; an error that names `where` if there is one of that name already."""
        checks.name(name, f"model {self.name!r}: {where}")
        if name in self.components:
            raise NamingError(f"model {self.name!r}: there is a component {name!r} already; give another name")
        return str(name)

    def __repr__(self) -> str:
        return f"PlanarModel({self.name!r}, {len(self.frames)} frames, {len(self.components)} components)"
