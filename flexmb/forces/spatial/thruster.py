"""Jets: thrusters that are open or closed, by a law with thresholds, delays and a minimum pulse.

What the law reads, s, opens the jet when it rises above one threshold and closes it when it falls below another. Each
command moves the valve a delay later, but an open jet stays open for its minimum pulse (Wertz (1978), section 7.10).
The run finds the instants, and steps end there (:mod:`flexmb.forces.spatial.valves`).
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from flexmb.elements.spatial.offset_mass import SpatialMass
from flexmb.elements.spatial.tank import Tank
from flexmb.errors import ModelError
from flexmb.forces.frame_load import FrameLoad
from flexmb.forces.spatial.load_in_axes import load_parameters
from flexmb.forces.spatial.outflow import LAWS_BEHIND, OUTFLOW, WORK
from flexmb.forces.spatial.place_load import put_place_load
from flexmb.forces.spatial.point_force import SPATIAL_FORCE
from flexmb.forces.spatial.valves import Valves
from flexmb.model import checks
from flexmb.model.appearance import Load, ShownMotion
from flexmb.model.components import Assembler, Component
from flexmb.model.events import Crossing, crossing
from flexmb.model.functions.time_function import TimeFunction, as_function
from flexmb.model.spatial_frames import Frame, unit_axis

#: part of the mass of its body that a jet may use without a doubt
USED = 0.01
#: part of the mass of a tank below which more of it is rounding
ROUNDING = 1e-9
#: Gauss points and weights for the factor between saved times
_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(5)


@dataclass(eq=False)
class Thruster(FrameLoad):
    """A jet on a body or a beam in space: a force of constant size and direction in the axes of its frame, on or off.

    It opens when what its law reads rises above `opens`, and closes when that falls below `closes`, both after a
    `delay`; once open it stays so for the minimum `pulse`. A run finds these instants. Where it starts above `opens`,
    the jet opens after the delay. A law that chatters without end, which a pulse or a distance between the thresholds
    prevents, ends the run by name. In a solution `events` tells of its valve, `pulses(solution)` are its open times,
    and `used(solution)` is the mass that it has used. It comes out of the `tank` on the same body, whose mass goes down
    by it (:mod:`flexmb.forces.spatial.outflow`), and the jet closes when that is empty. Without a tank the mass of the
    body stays what it is: a run that uses a hundredth of it or more says so among its doubts.

    Arguments: `frame`; `thrust` F [N]; `law`: a name as a solution knows it, or a sensor
    (:class:`flexmb.control.WeightedSum` adds some); `opens` and `closes` (as `opens` when not given), in its unit;
    `axis` of the force in the axes of the frame, 'x', 'y', 'z' or (3,); `pulse` and `delay` [s]; `exhaust` [m/s], the
    speed of the jet by which the used mass is F/exhaust for each second; `tank`, which :meth:`SpatialModel.add_tank`
    returned; `factor` of the thrust and of the used mass, a number or a function of time, which controllers command.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("m")
    >>> hull = m.add_body("hull", mass=100.0, inertia=(1, 1, 1))
    >>> hull.move((0.05, 0, 0))
    >>> jet = m.thruster(hull.frame, 10.0, "hull.x", opens=0.1, axis=(-1, 0, 0), pulse=1.0, exhaust=2000.0)
    >>> run = fm.simulate(m, 4.0)
    >>> jet.pulses(run).round(6).tolist(), round(float(run["hull.vx"][-1]), 6), round(jet.used(run), 6)
    ([[2.0, 3.0]], -0.05, 0.005)
    """

    frame: Frame
    thrust: float
    law: Any
    _: KW_ONLY
    opens: float
    closes: float | None = None
    axis: Any = "x"
    pulse: float = 0.0
    delay: float = 0.0
    exhaust: float | None = None
    factor: TimeFunction | float = 1.0
    tank: Tank | None = None
    kind = "thruster"
    dimension = 3
    axes = "body"
    starts_off = True
    switches_itself = Valves
    strength = "factor"

    def check(self) -> None:
        super().check()
        where = self.where
        checks.check_fields(self, checks.positive, where, "thrust")
        checks.check_fields(self, checks.number, where, "opens")
        self.closes = self.opens if self.closes is None else checks.number(self.closes, "closes", where)
        checks.check_fields(self, checks.not_negative, where, "pulse", "delay")
        self.factor = as_function(self.factor, "factor", where)
        if self.exhaust is not None:
            checks.check_fields(self, checks.positive, where, "exhaust")
        if self.closes > self.opens:
            raise ModelError(
                f"{where}: it opens above {self.opens:g} and closes below {self.closes:g}, which is more; give closes "
                "not above opens"
            )
        unit_axis(self.axis, where, frame=repr(self.frame.name))
        self._check_tank()
        if not isinstance(self.law, str) and not hasattr(self.law, "readings"):
            raise ModelError(f"{where}: its law {checks.quoted(self.law)} is no name of a quantity and no sensor")
        check_in = getattr(self.law, "check_in", None)
        if check_in is not None:
            check_in(self.frame.model, where)

    def _check_tank(self) -> None:
        """Refuse a tank that does not stand on the body of the jet, or for which it does not say what it uses."""
        tank = self.tank
        if tank is None:
            return
        if not isinstance(tank, Tank):
            raise ModelError(f"{self.where}: {checks.quoted(tank)} is no tank; give what model.add_tank returned")
        if self.exhaust is None:
            raise ModelError(f"{self.where}: give its exhaust=…, the speed of the jet, which says what mass it uses")
        if self.beam is not None:
            raise ModelError(
                f"{self.where}: it stands on a place of {self.beam.where}, and with a tank it needs a frame that is "
                f"attached there; attach one to {self.frame.name!r} by attach(…), and give it to the jet and its tank"
            )
        if tank.frame.node is not self.frame.node:
            raise ModelError(
                f"{self.where}: its {tank.where} stands on another body, {tank.frame.name!r}; a flow between "
                "bodies that move against each other is not known here; let both stand on one"
            )

    def parts(self) -> list[Component]:
        return [*super().parts(), *([] if self.tank is None else [self.tank])]

    def crossings(self) -> tuple[Crossing, Crossing]:
        """When it is told to open, and to close."""
        assert self.closes is not None
        return crossing(self.law, self.opens, "up"), crossing(self.law, self.closes, "down")

    def force(self) -> np.ndarray:
        """The force (3,) [N] in the axes of the frame."""
        return self.thrust * unit_axis(self.axis, self.where)

    def assemble(self, assembly: Assembler) -> None:
        place, slot = self.place_on_beam(assembly), assembly.strength(self).slot()
        if place is not None:
            put_place_load(self, 0, assembly, place, load_parameters(np.zeros(3), (1.0, 0.0, 0.0, 0.0), True,
                                                                     self.force(), slot))  # fmt: skip
        else:
            p = load_parameters(self.frame.offset, self.frame.axes, True, self.force(), slot)
            node = assembly.node(self.frame.node)
            assembly.instance(self, SPATIAL_FORCE, node, p, strength=len(p) - len(slot))
            if self.tank is not None:
                laws, rate = self.tank.law_numbers(), self.thrust / self._exhaust()
                at = LAWS_BEHIND + len(laws)
                p = np.array([*self.tank.head(assembly), rate, *self.frame.offset, at, *laws, *slot])
                on = [*node, self.tank.numbers(assembly)]
                assembly.instance(self, OUTFLOW, on, p, work=WORK, label="outflow", strength=at)

    def loads(self, solution: ShownMotion, times: np.ndarray, strength: np.ndarray) -> list[Load]:
        track: Any = solution.track(self.frame.name)
        return [Load(track.position, strength[:, None] * track.orientation.apply(self.force()))]

    def pulses(self, solution: Any) -> np.ndarray:
        """When the jet is open (k, 2) [s], from and until, in a solution; to its end if it is open there, and from its
        start if it was open there."""
        first, last = float(solution.t[0]), float(solution.t[-1])
        found = [] if self.name in solution.source.off(solution)[0] else [[first, last]]
        for record in solution.events:
            if self.name in record.on:
                found.append([record.t, last])
            elif self.name in record.off:
                found[-1][1] = record.t
        return np.array(found).reshape(-1, 2)

    def _exhaust(self) -> float:
        if self.exhaust is None:
            raise ModelError(f"{self.where}: give its exhaust=…, the speed of the jet, which says what mass it uses")
        return self.exhaust

    def used(self, solution: Any) -> float:
        """The mass [kg] that it has used in a solution: the integral of its factor, and of what controllers command,
        over its open times; of a jet alone on its tank what that has lost."""
        rate, tank = self.thrust / self._exhaust(), self.tank
        if tank is not None and sum(c.tank is tank for c in self._all() if isinstance(c, Thruster)) == 1:
            return float(solution[tank.state][-1] - solution[tank.state][0])
        if self._commanded_by():
            raise ModelError(
                f"{self.where}: {self._commanded_by()} commands it at every instant, which a solution does not have; "
                "give it a tank of its own, whose used mass is a state"
            )
        total, factor = 0.0, self.function("factor")
        for first, last in self.pulses(solution).tolist():
            kinks = [t for t in factor.kinks_until(last) if first < t < last]
            ends = np.unique([first, *solution.t[(solution.t > first) & (solution.t < last)], *kinks, last])
            half, middle = 0.5 * np.diff(ends)[:, None], 0.5 * (ends[1:] + ends[:-1])[:, None]
            total += float(np.sum(half * _WEIGHTS * factor(middle + half * _POINTS)))
            for log in (solution.control or {}).values():
                if self.name in log.commands:
                    t, u = log.course(self.name, first, last)
                    total += float(np.trapezoid(u, t))
        return rate * total

    def _all(self) -> list[Component]:
        return list(self.frame.model.components.values())

    def _commanded_by(self) -> str:
        """The states of first order that command it; empty if none do."""
        return next((c.where for c in self._all() if self in (getattr(c, "commands", None) or ())), "")

    def doubt(self, solution: Any) -> str:
        """Why a run is in doubt in which the jet uses much of the mass of its body, or mechanism if it stands within a
        beam, without a tank; or fills its tank. Else empty."""
        if self.exhaust is None:
            return ""
        if self.tank is not None:
            filled = float(np.max(-np.diff(solution[self.tank.state]), initial=0.0)) > ROUNDING * self.tank.mass
            return f"{self.where} has a negative factor, by which it fills its {self.tank.where}" if filled else ""
        if self._commanded_by():
            return (
                f"{self.where} is commanded by {self._commanded_by()}, so what mass it uses is not known without a tank"
            )
        mass = sum(x.mass for x in self._all() if isinstance(x, SpatialMass) and x.frame.node is self.frame.node)
        used = self.used(solution)
        if used < USED * (mass or float(solution.whole.mass[0])):
            return ""
        return (
            f"{self.where} uses {used:.3g} kg, and what carries it keeps its mass but would lose it; let it have a "
            "tank, model.add_tank"
        )
