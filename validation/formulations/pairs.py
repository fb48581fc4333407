"""Every formulation with every kind of mechanism: a number, or a refusal with its reason.

The number is how far the accelerations of the formulation are from those of the engine, which knows all bodies in
absolute coordinates; a second one is how far a run by the formulation ends from such a run. A paper's accelerations are
those of :func:`flexmb.formulation`, which has the forces of the model as loads. Compiled formulations leave forces to
their caller, and theirs are those of the joint coordinates in which :func:`flexmb.simulate` moves a model.

    python -m flexmb.validation.formulations.pairs

runs all of it and prints the tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

import flexmb as fm
from flexmb.formulations.classical.scope import ASSUMPTIONS, Scope, obstacles
from flexmb.formulations.classical_formulation import takes
from flexmb.formulations.kinds import FORMULATIONS
from flexmb.formulations.papers import NAMES
from flexmb.solvers.coordinates.coordinates import joint_coordinates
from flexmb.solvers.coordinates.joints.joint_state import put_accelerations
from flexmb.solvers.methods.scipy_methods.methods import PART
from flexmb.solvers.runs.right_hand_side import Accelerations
from flexmb.system.system import System
from flexmb.validation.agreement import apart
from flexmb.validation.formulations.kinds import FURTHER, KINDS, branch
from flexmb.validation.registry import Check, case

#: all formulations
EVERY = (*FORMULATIONS, *NAMES)
#: from where on a mechanism is compared, and until when [s]
BEGIN, END = 0.3, 0.4
#: of compiled runs and of runs by papers, whose steps are of a relative tolerance of 1e-9
TOLERANCES = {"compiled": 1e-9, "paper": 1e-9 / PART, "rough": 1e-3}
#: these drop terms of flexible bodies by construction
ROUGH = "frisch", "ho"
#: largest relative differences of accelerations, and of ends of runs, where nothing is dropped
ACCURATE, ENDS = 1e-11, 1e-8
SOURCE, RUNS = "absolute coordinates", "absolute coordinates, dop853, 1e-11"


class Cell(NamedTuple):
    """A formulation with a kind of mechanism: relative differences of its accelerations and of the end of its run, NaN
    where it was not asked for; or why it does not take it, empty if it does: what of
    :data:`~flexmb.formulations.classical.scope.ASSUMPTIONS` does not hold, or a message that names none of these."""

    formulation: str
    kind: str
    accelerations: float
    end: float
    refusal: str = ""


class Known(NamedTuple):
    """A mechanism of a kind in the state at :data:`BEGIN`, and its run in absolute coordinates from there on."""

    build: Callable[[], Any]
    state: fm.State
    run: fm.Solution


@cache
def known(kind: str) -> Known:
    """The mechanism of a kind, with the state and the run to compare with."""
    build: Callable[[], Any] = (KINDS | FURTHER)[kind]
    options: dict[str, Any] = {"tolerance": 1e-11, "progress": False}
    before = fm.simulate(build(), BEGIN, "dop853", **options)
    model = build()
    still = np.zeros(before.v.shape[1])
    state = fm.State(System(model), BEGIN, before.q[-1], before.v[-1], still, np.zeros(before.multipliers.shape[1]))
    return Known(build, state, fm.simulate(model, END, "dop853", t_start=BEGIN, initial=state, **options))


@cache
def rough(name: str, kind: str) -> bool:
    """Whether a formulation drops terms of a mechanism."""
    found = obstacles(fm.Tree.fitting(known(kind).build())) if name in ROUGH else []
    return any(obstacle.feature == "flexible" for obstacle in found)


def _asked(kind: str) -> System:
    """A mechanism with what its controllers command at :data:`BEGIN`."""
    of = known(kind)
    model = of.build()
    for name, servo in of.run.control.items():
        for command, value in zip(model.controllers[name].commands, servo.u[0]):
            one = model.component(command)
            setattr(one, one.strength, float(value))
    return System(model)


def accelerations(name: str, kind: str) -> float:
    """The relative difference of the accelerations by a formulation from those of the engine."""
    state, system = known(kind).state, _asked(kind)
    engine = Accelerations(system)
    engine(BEGIN, engine.carried(state.q, state.v))
    if name in NAMES:
        tree = fm.Tree.fitting(system.model)
        formulation: Any = fm.formulation(tree, name)
        x, u = tree.of_system(state.q, state.v)
        a = tree.state(x, u, formulation(x, u, t=BEGIN)).a
    else:
        run = Accelerations(system, coordinates=joint_coordinates(system, name))
        run.trial(BEGIN, run.carried(state.q, state.v))
        put_accelerations(run.coordinates.joints, run.a)
        a = run.a[: system.n]
    return apart(a, engine.a[: system.n])


def run_by(name: str, kind: str) -> fm.Solution:
    """The run by a formulation, from where the mechanism is compared."""
    of = known(kind)
    which = "rough" if rough(name, kind) else "paper" if name in NAMES else "compiled"
    return fm.simulate(
        of.build(), END, "projection", formulation=name, t_start=BEGIN, initial=of.state, tolerance=TOLERANCES[which],
        progress=False,
    )  # fmt: skip


def cell(name: str, kind: str, runs: bool = True) -> Cell:
    """A formulation with a kind of mechanism, with its run or without."""
    try:
        off = accelerations(name, kind)
        end = apart(run_by(name, kind).q[-1], known(kind).run.q[-1]) if runs else np.nan
    except fm.FlexmbError as error:
        return Cell(name, kind, np.nan, np.nan, _reason(name, kind, str(error)))
    return Cell(name, kind, off, end)


def _reason(name: str, kind: str, said: str) -> str:
    """The assumption that a refusal tells of, by the component that breaks it; the refusal if there is none."""
    found = obstacles(fm.Tree.fitting(known(kind).build()))
    broken = [one for one in Scope(takes(name, found)).broken(found) if repr(one.component) in said]
    return next((one.feature for one in broken if ASSUMPTIONS[one.feature] in said or len(broken) == 1), said)


def cells(kinds: Iterable[str] = (*KINDS, *FURTHER)) -> Iterator[Cell]:
    """All cells of some kinds, each made by running it."""
    for kind in kinds:
        for name in EVERY:
            yield cell(name, kind)


def table(found: Iterable[Cell], kinds: Iterable[str]) -> str:
    """The table in Markdown: a row a formulation, a column a kind."""
    columns, by = list(kinds), {(one.formulation, one.kind): one for one in found}
    lines = [f"| formulation | {' | '.join(columns)} |", f"|---|{'---|' * len(columns)}"]
    for name in EVERY:
        lines.append(f"| `{name}` | {' | '.join(_shown(by[name, kind]) for kind in columns)} |")
    return "\n".join(lines)


def _shown(cell: Cell) -> str:
    if cell.refusal:
        return f"*{cell.refusal}*"
    sign = "≈ " if rough(cell.formulation, cell.kind) else ""
    return f"{sign}{cell.accelerations:.0e}, {cell.end:.0e}"


def read(text: str) -> dict[tuple[str, str], str]:
    """The cells of tables by formulation and kind, as they are shown."""
    found, kinds = dict[tuple[str, str], str](), list[str]()
    for line in text.splitlines():
        first, *others = [part.strip() for part in line.strip("| ").split("|")]
        if first == "formulation":
            kinds = others
        elif first.startswith("`"):
            found |= {(first.strip("`"), kind): shown for kind, shown in zip(kinds, others, strict=True)}
    return found


@case("table-of-pairs", draw=branch)
def compute() -> Iterator[Check]:
    """every formulation with every kind of mechanism that it takes, against the engine: accelerations, ends of runs"""
    asked = (cell(name, kind) for kind in KINDS | FURTHER for name in EVERY if not rough(name, kind))
    found = [one for one in asked if not one.refusal]
    for name in EVERY:
        own = [one for one in found if one.formulation == name]
        label = f"{name}, {len(own)} of {len(KINDS | FURTHER)} kinds"
        off, end = (float(np.max([getattr(one, what) for one in own])) for what in ("accelerations", "end"))
        yield Check(f"{label}: accelerations, relative difference", off, 0.0, ACCURATE, SOURCE, "rounding, stiff modes")
        yield Check(f"{label}: end of the run, relative difference", end, 0.0, ENDS, RUNS, "the tolerance of a step")


if __name__ == "__main__":
    for group in (KINDS, FURTHER):
        print(table(cells(group), group), end="\n\n")
    print("\n".join(f"- *{feature}*: it assumes that {assumed}" for feature, assumed in ASSUMPTIONS.items()))
