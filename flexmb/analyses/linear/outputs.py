"""Outputs: quantities of a mechanism as functions of its state, with their derivatives.

An output y = h(t, q, v, a, λ) is anything that a solution knows by name: 'rod.end.y', 'hinge.angle',
'rod@0.5.bending_moment', 'hinge.fx', 'energy.kinetic', or a sensor of a controller. The derivatives of what is one
compiled function of the state (:mod:`flexmb.quantities.quantity`) are exact. Those of the others are central
differences of fourth order over the few coordinates that they depend on, of positions along `system.retract`. In v, a
and λ most are polynomials of second degree at most, for which the differences are exact. The largest stress of a
section is that of the fiber that has it in this state.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from flexmb.algebra.differences import OFFSETS, slope
from flexmb.errors import AccuracyWarning, FlexmbError, NamingError
from flexmb.feedback.sensors import Sensor
from flexmb.model import given_names
from flexmb.quantities.given import AlongBeam
from flexmb.quantities.of_system import ENERGY_SUMS
from flexmb.quantities.places import InLayout
from flexmb.quantities.quantity import Quantity
from flexmb.results import meaning as meanings
from flexmb.results import names as naming
from flexmb.results.asked import quantity_of
from flexmb.results.beams.sections import LARGEST, stress_near
from flexmb.results.layout import Layout
from flexmb.results.meaning import ENERGY, meaning
from flexmb.results.solution import Solution
from flexmb.results.state import State, as_solution
from flexmb.system.system import System

#: steps of the differences, in units of each coordinate's scale, of the largest speed, acceleration and joint force
STEP = 2e-4


class Derivatives(NamedTuple):
    """y (p,); ∂y/∂q, ∂y/∂v, ∂y/∂a (p, n), ∂y/∂λ (p, m); time acts on outputs through the state only."""

    y: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray


class Outputs:
    """Named quantities of a system, sensors, and functions of the model that return one. Of several sensors with one
    name, such as gauges on both sides of a beam, the second and later ones get numbers, as in the logs of controllers:
    'strain of rod@0.1 2'.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=2.0, inertia=0.1, angle=0.5 * np.pi)
    >>> tip = body.attach("tip", (0.3, 0))
    >>> outputs = Outputs(fm.System(m), ["body.tip.x", "body.tip.y"])
    >>> outputs.derivatives(fm.assemble(m)).q.round(9).tolist()
    [[1.0, 0.0, -0.3], [0.0, 1.0, 0.0]]
    """

    def __init__(self, system: System, names: Sequence[Any] | Any) -> None:
        self.system = system
        self.layout = Layout.of(system)
        still = np.zeros((1, system.n))
        rest = as_solution(system, np.zeros(1), system.q0[None, :], still, still, np.zeros((1, system.m)))
        #: weighted sums of quantities, and of these those that are functions of the state alone
        self._sums: dict[str, list[tuple[float, Quantity]]] = {}
        self.exact: set[str] = set()
        self.names: list[str] = []
        self.units: list[str] = []
        self._sensors: dict[str, Sensor] = {}
        #: what makes those sensors that depend on the model, by their names
        self._makers: dict[str, Callable[[Any], Sensor]] = {}
        for name in names if isinstance(names, list | tuple) else [names]:
            maker = name if callable(name) else None
            if maker is not None:
                name = made_sensor(maker, system.model, f"model {system.model.name!r}")
            if isinstance(name, Sensor):
                name.check_in(system.model, f"model {system.model.name!r}")
                with _no_doubts():  # of a state that nobody asked for
                    name.readings(rest)
                own = next((key for key, sensor in self._sensors.items() if sensor is name), None)
                self.names.append(given_names.numbered(name.name, self.names) if own is None else own)
                self.units.append(name.unit)
                self._sensors[self.names[-1]] = name
                if maker is not None:
                    self._makers[self.names[-1]] = maker
                places = InLayout(self.layout)
                self._take_sum(
                    self.names[-1], *((weight, one.function_of_state(places)) for weight, one in name.terms())
                )
                continue
            name = naming.key_name(rest, name)
            known = meaning(self.layout, name)
            if known is not None and known.kind == ENERGY and known.what not in ENERGY_SUMS:
                raise NamingError(
                    f"model {system.model.name!r}: output {name!r} is a sum over time; of one instant there are "
                    f"{', '.join(f'energy.{e}' for e in ENERGY_SUMS)}"
                )
            self.names.append(name)
            self._take_sum(name, (1.0, quantity_of(self.layout, known)))
            if known is not None and name in self.exact:
                self.units.append(known.unit)
                continue
            with _no_doubts():
                self.units.append(rest.series(name).unit)
        self._supports = {name: self._support(name) for name in self.names if name not in self.exact}

    def coordinates_of(self, name: str) -> np.ndarray:
        """Numbers of the coordinates, by their speeds, on which an output depends."""
        return (self._support(name) if name in self.exact else self._supports[name])[0]

    def values(self, t: np.ndarray, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray) -> np.ndarray:
        """y (k, p) of k states."""
        return self._values_in(as_solution(self.system, t, q, v, a, lam))

    def _values_in(self, solution: Solution) -> np.ndarray:
        columns = [self._values_of(name, solution) for name in self.names]
        return np.stack(columns, axis=1) if columns else np.zeros((len(solution.t), 0))

    def _values_of(self, name: str, solution: Solution) -> np.ndarray:
        if name not in self._sensors:
            return solution.series(name).values
        maker, model = self._makers.get(name), solution.model
        own = self._sensors[name] if maker is None or model is self.system.model else maker(model)
        return own.readings(solution)

    def near(self, solution: Solution) -> Callable[[Solution], np.ndarray]:
        """y (k, p) as a smooth function of solutions near this one, also of neighboring systems."""
        functions = [self._near(name, solution) for name in self.names]
        return lambda other: np.array([function(other) for function in functions]).reshape(-1, len(other.t)).T

    def _near(self, name: str, solution: Solution) -> Callable[[Solution], np.ndarray]:
        known = None if name in self._sensors else meaning(self.layout, name)
        if known is not None and known.kind == meanings.SECTION and known.what in LARGEST:
            return stress_near(solution, known.spot.beam, known.spot.s, known.what)
        return lambda other: self._values_of(name, other)

    def derivatives(self, state: State) -> Derivatives:
        """y and its derivatives at a state."""
        n, m, p = self.system.n, self.system.m, len(self.names)
        by_q, by_v, by_a = np.zeros((3, p, n))
        out = Derivatives(np.zeros(p), by_q, by_v, by_a, np.zeros((p, m)))
        for k, name in enumerate(self.names):
            if name in self.exact:
                out.y[k] = self._add_slopes(k, state, out)
            else:
                self._differentiate(k, state, *self._supports[name], out)
            if name not in self.exact or name in self._sensors:
                out.y[k] = self._values_of(name, state.solution)[0]
        return out

    def along(self, name: str, t: np.ndarray, state: Sequence[np.ndarray], change: Sequence[np.ndarray]) -> Any:
        """The changes (k,) of an output as q, v and a (k, …) change; None if only differences tell them."""
        if name not in self.exact:
            return None
        return sum(weight * one.along(self.system, t, state, change) for weight, one in self._sums[name])

    def _take_sum(self, name: str, *terms: tuple[float, Quantity | None]) -> None:
        """Keep the weighted sum of quantities that an output is, if all of them are there."""
        found = [(weight, one) for weight, one in terms if one is not None]
        if len(found) == len(terms):
            self._sums[name] = found
            if all(one.given is None for _, one in found):
                self.exact.add(name)

    def _add_slopes(self, k: int, state: State, out: Derivatives) -> float:
        """Add the exact derivatives of one output; returns its value."""
        system, value = self.system, 0.0
        full = system.full_q(state.q), system.full(state.v), system.full(state.a)
        for weight, one in self._sums[self.names[k]]:
            if one.owner in system.off:
                value += weight * one.constant
                continue
            slopes = one.slopes(state.t, *full)
            value += weight * slopes.value
            free = slopes.numbers < system.n
            for by, into in ((slopes.q, out.q), (slopes.v, out.v), (slopes.a, out.a)):
                np.add.at(into[k], slopes.numbers[free], weight * by[free])
        return value

    def _differentiate(self, k: int, state: State, coordinates: np.ndarray, rows: np.ndarray, out: Derivatives) -> None:
        """The derivatives of one output, with all shifted states in one evaluation."""
        system = self.system
        count = 4 * (3 * len(coordinates) + len(rows))
        if count == 0:
            return
        moves = np.zeros((count, system.n))
        shifted = [moves, *(np.repeat(x[None, :], count, axis=0) for x in (state.v, state.a, state.lam))]
        at = 0
        jobs = []
        force = max(1.0, float(np.max(np.abs(state.lam), initial=0.0)))
        scale = system.scale[coordinates]
        fast, quick = (max(1.0, float(np.max(np.abs(x) / system.scale, initial=0.0))) for x in (state.v, state.a))
        fields = (
            (0, coordinates, STEP * scale, out.q),
            (1, coordinates, STEP * fast * scale, out.v),
            (2, coordinates, STEP * quick * scale, out.a),
            (3, rows, np.full(len(rows), STEP * force), out.lam),
        )
        for which, places, steps, target in fields:
            for place, step in zip(places, steps):
                shifted[which][at : at + 4, place] += np.array(OFFSETS) * step
                jobs.append((at, place, step, target))
                at += 4
        moved = (system.retract(state.q, moves), *shifted[1:])
        with _no_doubts():  # those of the state itself come with its y
            y = self._near(self.names[k], state.solution)(as_solution(system, np.full(count, state.t), *moved))
        for first, place, step, target in jobs:
            target[k, place] = slope(y[first : first + 4], step)

    def _support(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Numbers of the coordinates by their speeds, and of the multipliers, on which an output depends."""
        system, layout = self.system, self.layout
        none = np.zeros(0, dtype=np.int64)
        if name in self._sums:
            self._refuse_touch(name)
            given = [one.given.depends(system) for _, one in self._sums[name] if one.given is not None]
            coordinates = [*(one.numbers.v for _, one in self._sums[name]), *(part for part, _ in given)]
            joints = self.joints_of(name)
            if joints and system.left_out:  # the smallest forces of all rows
                return np.arange(system.n), np.arange(system.m)
            rows = [k for k, row in enumerate(system.assembly.every_row) if row.owner in joints]
            return self._free(np.concatenate([none, *coordinates])), np.flatnonzero(np.isin(system.row_numbers, rows))
        if name in self._sensors:
            frames = [layout.spatial[frame.name].speeds for frame in self._sensors[name].frames()]
            return self._free(np.array(frames).ravel()), none
        known = meaning(layout, name)
        assert known is not None
        match known.kind:
            case meanings.ENERGY | meanings.WHOLE:
                return np.arange(system.n), none
            case meanings.FORCE:  # the sizes of what presses in rolling
                rows = layout.rows_of(known.of)
                return self._of_component(known.of), np.flatnonzero(np.isin(system.row_numbers, rows))
            case meanings.STRESS:
                raise NamingError(
                    f"model {system.model.name!r}: output {name!r} has no derivative where stresses are equal, or "
                    f"where another node takes the lead; take components at a node, such as '{known.of}@0.stress_xx'"
                )
        beam, s = known.spot.beam, known.spot.s
        if known.spot.to or known.spot.frame:  # of a point of a beam as another one sees it
            return np.arange(system.n), none
        if beam not in layout.beams:
            return self._of_component(beam), none
        return self._free(AlongBeam(beam, s, known.kind == meanings.SECTION).depends(system)[0]), none

    def _refuse_touch(self, name: str) -> None:
        """Refuse the moment of a contact, which is found as a whole: its kernel has a corner where bodies touch."""
        known = None if name in self._sensors else meaning(self.layout, name)
        if known is not None and known.kind == meanings.FORCE and self.layout.pairs[known.of].contact is not None:
            raise NamingError(
                f"model {self.system.model.name!r}: output {name!r} is the moment of a touch, which no difference of "
                f"two states follows; take {f'{known.of}.fx'!r} and its like, which have exact derivatives"
            )

    def joints_of(self, name: str) -> list[str]:
        """Names of the components whose forces an output is made of."""
        given = [one.given for _, one in self._sums.get(name, ()) if one.given is not None]
        return list(dict.fromkeys(joint for one in given for joint in one.depends(self.system)[1]))

    def _of_component(self, name: str) -> np.ndarray:
        """Numbers of the speeds of all nodes and coordinates with which a component has to do."""
        return self._free(np.concatenate([i.speeds for i in self.system.instances_of(name)]))

    def _free(self, numbers: np.ndarray) -> np.ndarray:
        """Sorted numbers without repetition, those of fixed frames left out."""
        numbers = np.unique(numbers)
        return numbers[numbers < self.system.n]


def made_sensor(maker: Callable[[Any], Any], model: Any, where: str) -> Sensor:
    """The sensor of a model that a function of it makes."""
    try:
        made = maker(model)
    except FlexmbError:
        raise
    except Exception as error:
        raise NamingError(
            f"{where}: a function that is to make the sensor of an output raised {type(error).__name__}: {error}"
        ) from error
    if not isinstance(made, Sensor):
        raise NamingError(
            f"{where}: an output is a name, or a function of the model that returns a sensor, not {made!r}"
        )
    return made


@contextmanager
def _no_doubts() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AccuracyWarning)
        yield


def chosen_outputs(system: System, names: Sequence[Any] | Any, where: str) -> Outputs:
    """Outputs by name; there may be none."""
    outputs = Outputs(system, names)
    given_names.all_different(outputs.names, "output", where)
    return outputs
