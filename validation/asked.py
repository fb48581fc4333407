"""What can be asked, and where: every kind of quantity by every consumer, in the plane and in space.

Each cell is made by asking: it is the number of the quantity at one instant of a run, beside that of the solution of
the same run, or why it is refused.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import flexmb as fm
from flexmb.analyses.linear.outputs import Outputs
from flexmb.solvers.events.row_states import RowStates
from flexmb.solvers.events.run_events import Watch
from flexmb.validation.random_mechanisms.one_of_each import plane, space

#: how far the numbers of a row may be from one another, as a part of their size
AGREE = 1e-12
T_END, STEP = 0.1, 0.05
#: steps of runs that are differentiated, which are not divided where bodies touch
FINE = 0.001
#: the row of a run at which all ask
K = 1
#: kinds of quantities: a name for each in the plane and in space; empty where there is none
KINDS: dict[str, tuple[str, str]] = {
    "place of a frame": ("arm.tip.x", "arm.tip.x"),
    "orientation of a frame": ("arm.tip.angle", "arm.tip.e1"),
    "Euler angle": ("", "arm.tip.ZXZ1"),
    "velocity": ("arm.tip.vx", "arm.tip.vx"),
    "speed": ("arm.tip.speed", "arm.tip.speed"),
    "angular velocity": ("arm.tip.angular_velocity", "arm.tip.wx"),
    "acceleration": ("arm.tip.ax", "arm.tip.ax"),
    "angular acceleration": ("arm.tip.angular_acceleration", "arm.tip.alpha_x"),
    "motion against a frame": ("arm.tip seen from slide.vx", "arm.tip seen from slide.vx"),
    "angle of a joint": ("hinge.angle", "hinge.angle"),
    "its rate": ("hinge.rate", "hinge.rate"),
    "its acceleration": ("hinge.acceleration", "hinge.acceleration"),
    "position of a joint": ("rail.position", "rail.position"),
    "its speed": ("rail.rate", "rail.rate"),
    "its second rate": ("rail.acceleration", "rail.acceleration"),
    "several coordinates of one joint": ("slot.angle_rate", "cross.angle1_rate"),
    "rotation vector of a joint": ("", "ball.rx"),
    "angular velocity in a joint": ("", "ball.wx"),
    "elongation of a spring": ("coil.elongation", "coil.elongation"),
    "pull of a spring or a rod": ("coil.tension", "coil.tension"),
    "force of one spring": ("coil.fx", "coil.fx"),
    "turn of a torsion spring": ("twist.angle", "twist.angle"),
    "torque of one spring": ("twist.effort", "twist.effort"),
    "torque of a motor": ("motor.effort", "motor.effort"),
    "turn in a bushing": ("mount.angle", "mount.rx"),
    "force of a bushing": ("mount.y_effort", "mount.rx_effort"),
    "force along a coordinate": ("hinge.effort", "hinge.effort"),
    "force along one of several": ("slot.position_effort", "cross.angle2_effort"),
    "force of a joint": ("hinge.fx", "hinge.fx"),
    "size of that force": ("hinge.force", "hinge.force"),
    "moment of a joint": ("rail.moment", "rail.mx"),
    "coordinate of a component": ("motor.rotor", "motor.rotor"),
    "its speed, by name": ("motor.rotor rate", "motor.rotor rate"),
    "mode of a beam": ("rod.bending1", "rod.bending_y1"),
    "place along a beam": ("rod@0.5.x", "rod@0.5.x"),
    "strain of a section": ("rod@0.5.curvature", "rod@0.5.curvature_z"),
    "force of a section": ("rod@0.5.bending_moment", "rod@0.5.bending_moment_z"),
    "gap of a contact": ("floor.gap", "floor.gap"),
    "slip of a contact": ("floor.slip_speed", "floor.slip_speed"),
    "force of a contact": ("floor.normal_force", "floor.normal_force"),
    "its part along an axis": ("floor.fx", "floor.fx"),
    "slip of a tire": ("tire.slip_aside", "tire.slip_aside"),
    "force of a tire": ("tire.force_aside", "tire.force_aside"),
    "value that a stop limits": ("buffer.value", "buffer.value"),
    "gap of a stop": ("buffer.gap", "buffer.gap"),
    "force of a stop": ("buffer.force", "buffer.force"),
    "stress at a node of a body": ("plate@4.stress_xx", "plate@4.stress_xx"),
    "equivalent stress there": ("plate@4.von_mises", "plate@4.von_mises"),
    "state of first order": ("lag.x1", "lag.x1"),
    "energy": ("energy.kinetic", "energy.kinetic"),
    "mass center": ("whole.center_of_mass.x", "whole.center_of_mass.x"),
    "momentum": ("whole.momentum.x", "whole.momentum.x"),
    "zero-moment point": ("whole.zmp.x", "whole.zmp.x"),
    "margin of standing": ("whole.margin", "whole.margin"),
}
#: the name of a state of first order, which what is at rest does not have
STATE = "lag.x1"
#: names of what rolls, which has no rest
ROLLING = ("tire.slip_aside", "tire.force_aside")
#: the mechanisms
MODELS: tuple[Callable[..., Any], Callable[..., Any]] = (plane, space)


#: the number that a consumer gets, and that of the solution of the same run
Numbers = tuple[float, float]


@cache
def _run(build: Callable[..., Any]) -> fm.Solution:
    return fm.simulate(build(), T_END, step=STEP, progress=False)


@cache
def _filed(build: Callable[..., Any]) -> fm.Solution:
    with tempfile.TemporaryDirectory() as folder:
        return fm.load(_run(build).save(Path(folder) / "run.h5", points=3))


@cache
def _state(build: Callable[..., Any]) -> fm.State:
    """The instant as a state of an analysis."""
    run, system = _run(build), fm.System(build())
    lam = run.multipliers[K][system.row_numbers]
    return fm.State(system, float(run.t[K]), run.q[K], run.v[K], run.a[K], lam)


def _known(build: Callable[..., Any], name: str) -> float:
    return float(_run(build)[name][K])


def _solution(build: Callable[..., Any], name: str) -> Numbers:
    return (_known(build, name),) * 2


def _between(build: Callable[..., Any], name: str) -> Numbers:
    return float(_run(build).at([_run(build).t[K]])[name][0]), _known(build, name)


def _file(build: Callable[..., Any], name: str) -> Numbers:
    return float(_filed(build)[name][K]), _known(build, name)


def _table(build: Callable[..., Any], name: str) -> Numbers:
    return float(_run(build).to_dict([name])[name][K]), _known(build, name)


def _of_state(build: Callable[..., Any], name: str) -> Numbers:
    return float(_state(build)[name]), _known(build, name)


def _event(build: Callable[..., Any], name: str) -> Numbers:
    """The value that an event watches."""
    model, state = build(), _state(build)
    event = model.add_event(fm.crossing(name, 0.0), fm.Note(), name="watched")
    system = fm.System(model)
    watch = Watch([event], 0.0, T_END, RowStates(system))
    full = system.full_q(state.q), system.full(state.v), system.full(state.a), state.lam
    watch.check_start(system, state.t, full, continued=True)
    return float(watch.values(state.t, *full)[0]), _known(build, name)


def _sensor(build: Callable[..., Any], name: str) -> Numbers:
    """What a sampled controller reads that commands nothing."""
    model = build()
    sensor = fm.control.NamedQuantity(model, name)
    model.add_controller("log", period=STEP, sensors=[sensor], commands="motor", law=[[0.0]])
    run = fm.simulate(model, T_END, step=STEP, progress=False)
    return float(run.control["log"].y[K, 0]), float(run[name][K])


def _first_order(build: Callable[..., Any], name: str) -> Numbers:
    """The rate of a state ẋ = y, y what is read."""
    model = build()
    one, none = np.ones((1, 1)), np.zeros((1, 1))
    law = fm.LinearModel(none, one, one, none)
    model.add_states("sum", law, sensors=fm.control.NamedQuantity(model, name))
    run = fm.simulate(model, T_END, step=STEP, progress=False)
    return float(run.a[0, run.layout.coordinates.index("sum.x1 integral")]), float(run[name][0])


def _output(build: Callable[..., Any], name: str) -> Numbers:
    """An output of a linear model, which has derivatives too."""
    state = _state(build)
    found = Outputs(state.system, [name]).derivatives(state)
    if not all(np.all(np.isfinite(x)) for x in found):
        raise fm.FlexmbError(f"{name!r} has no derivatives")
    return float(found.y[0]), _known(build, name)


def _sensitivity(build: Callable[..., Any], name: str) -> Numbers:
    """The value of a quantity at the end of a run, which is differentiated too."""
    return _at_end(build, _together(build, name))[name], float(_finely(build)[name][-1])


@cache
def _at_end(build: Callable[..., Any], names: tuple[str, ...]) -> dict[str, float]:
    found = fm.sensitivity(lambda gravity: build(False, gravity), {"gravity": 9.81}, T_END, final=names, step=FINE)
    return _differentiated(names, found)


@cache
def _finely(build: Callable[..., Any]) -> fm.Solution:
    return fm.simulate(build(), T_END, step=FINE, newton_tolerance=1e-13, spectral_radius=0.8, progress=False)


@cache
def _at_rest(build: Callable[..., Any], states: bool) -> fm.State:
    return fm.equilibrium(build(True, states=states)).state


def _static_sensitivity(build: Callable[..., Any], name: str) -> Numbers:
    """The value of a quantity at rest, which is differentiated too."""
    return _there(build, _together(build, name))[name], float(_at_rest(build, name == STATE)[name])


@cache
def _there(build: Callable[..., Any], names: tuple[str, ...]) -> dict[str, float]:
    states = names == (STATE,)
    found = fm.static_sensitivity(lambda gravity: build(True, gravity, states), {"gravity": 9.81}, names)
    return _differentiated(names, found)


def _together(build: Callable[..., Any], name: str) -> tuple[str, ...]:
    """Names that are asked for together with this one, which takes less time: all that have derivatives, if it does."""
    every = [names[MODELS.index(build)] for names in KINDS.values()]
    able = tuple(x for x in every if x and x != STATE and x not in ROLLING and _has_derivatives(build, x))
    return able if name in able else (name,)


@cache
def _has_derivatives(build: Callable[..., Any], name: str) -> bool:
    try:
        return bool(np.isfinite(_output(build, name)).all())
    except fm.FlexmbError:
        return False


def _differentiated(names: tuple[str, ...], found: fm.Sensitivity) -> dict[str, float]:
    for name, row in zip(names, found.matrix):
        if not np.all(np.isfinite(row)):
            raise fm.FlexmbError(f"{name!r} has no derivative by gravity")
    return dict(zip(names, found.values.tolist()))


def _response(build: Callable[..., Any], name: str) -> Numbers:
    """The amplitude of a quantity at 2 Hz with all coordinates, and that of a linear model."""
    state, at = _at_rest(build, name == STATE), [2.0]
    whole, linear = fm.frequency_response(state, "motor", name, at), fm.linearize(state, "motor", name).response(at)
    return float(abs(whole[name, "motor"][0])), float(abs(linear[name, "motor"][0]))


def _study(build: Callable[..., Any], name: str) -> Numbers:
    """What a function of a study returns."""
    found = fm.study(lambda row: float(_run(build)[name][row]), fm.grid(row=[K]), workers=0, progress=False)
    return float(found["result"][0]), _known(build, name)


#: who asks, by what the user writes
CONSUMERS: dict[str, Callable[[Callable[..., Any], str], Numbers]] = {
    "solution[…]": _solution,
    "solution.at": _between,
    "files": _file,
    "tables": _table,
    "states of analyses": _of_state,
    "events": _event,
    "sampled sensors": _sensor,
    "states of first order": _first_order,
    "outputs of linear models": _output,
    "frequency_response": _response,
    "sensitivity": _sensitivity,
    "static_sensitivity": _static_sensitivity,
    "study": _study,
}


class Cell(NamedTuple):
    """A kind of quantity by a consumer, in the plane (2) or in space (3): the numbers that it gets and
    that of the solution, or why there are none."""

    kind: str
    name: str
    consumer: str
    dimension: int
    numbers: Numbers | None
    refusal: str


def cells(kinds: dict[str, tuple[str, str]] | None = None) -> Iterator[Cell]:
    """All cells, asked one by one; a kind that the plane or space does not have has none there."""
    for kind, names in (KINDS if kinds is None else kinds).items():
        for dimension, build, name in zip((2, 3), MODELS, names):
            for consumer, ask in CONSUMERS.items() if name else ():
                numbers, refusal = None, ""
                try:
                    numbers = ask(build, name)
                except fm.FlexmbError as error:
                    refusal = str(error)
                yield Cell(kind, name, consumer, dimension, numbers, refusal)


#: why mechanics, or the way in which a consumer asks, refuses what it refuses: a sign in the table, and words below it
WHY: dict[str, str] = {
    "a": "mechanisms with states of first order have no rest: linearize them, or leave the states out",
    "b": "states of first order: accelerations, forces of joints and what carries the whole come out of the same "
    "equations as the rates of states, which would become algebraic unknowns: let a sampled controller read them, or "
    "filter the velocity in place of an acceleration",
    "c": "states of first order are read at every instant, where nothing counts turns: give the joint "
    "`count_turns=True`, or read `AttitudeError`",
    "e": "Euler angles jump where they are not determined: read `AttitudeError` or `StarTracker`",
    "d": "what rolls has no rest: velocity rows hold its slip, and linear models have it",
}


#: kinds that come out of the equations of motion
DETERMINED = frozenset({
    "acceleration", "angular acceleration", "its acceleration", "its second rate", "force of a joint",
    "size of that force", "moment of a joint", "zero-moment point", "margin of standing",
})  # fmt: skip
#: kinds without a rest
AT_REST = {"state of first order": "a", "slip of a tire": "d", "force of a tire": "d"}


def why(cell: Cell) -> str:
    """The sign of :data:`WHY` for a refusal; empty if none is known, which the tests do not let stand."""
    kind, consumer = cell.kind, cell.consumer
    if kind in AT_REST and consumer in ("frequency_response", "static_sensitivity"):
        return AT_REST[kind]
    if consumer != "states of first order":
        return ""
    if kind == "Euler angle":
        return "e"
    if kind == "angle of a joint" and cell.dimension == 3:
        return "c"
    return "b" if kind in DETERMINED else ""


def _sign(cell: Cell | None) -> str:
    """What stands in the table for a cell; nothing for a kind that the plane or space does not have."""
    return "" if cell is None else "yes" if cell.numbers is not None else f"({why(cell)})"


def table(asked: list[Cell]) -> str:
    """The table in Markdown: a row a kind, a column a consumer; in the plane and in space."""
    by = {(cell.kind, cell.consumer, cell.dimension): cell for cell in asked}
    lines = [f"| Quantity | Name | {' | '.join(CONSUMERS)} |", f"|---|---|{'---|' * len(CONSUMERS)}"]
    for kind, names in KINDS.items():
        row = []
        for consumer in CONSUMERS:
            flat, spatial = (_sign(by.get((kind, consumer, dimension))) for dimension in (2, 3))
            row.append(spatial if flat in ("", spatial) else f"{flat}, in space {spatial}")
        shown = names[1] if not names[0] else names[0] if names[0] == names[1] else f"{names[0]}, {names[1]}"
        lines.append(f"| {kind} | `{shown}` | {' | '.join(row)} |")
    return "\n".join([*lines, "", *(f"- ({sign}) {words}" for sign, words in WHY.items())])


if __name__ == "__main__":
    print(table(list(cells())))
