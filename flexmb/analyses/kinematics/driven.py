"""Driven systems, which have as many independent constraint rows as coordinates; else an error names the motion that is
free or driven twice."""

from __future__ import annotations

import numpy as np

from flexmb.algebra.factors import dense
from flexmb.algebra.rank import row_space
from flexmb.errors import InitialConditionError, RedundancyError, SolverError
from flexmb.model.components import Component
from flexmb.model.functions.smooth_functions import Polynomial
from flexmb.model.functions.time_function import Constant, TimeFunction
from flexmb.model.model import Model
from flexmb.solvers.rows.redundancy import OR_REMOVE, without_redundant
from flexmb.solvers.start.movable_parts import MovableParts, close_joints, closed_start
from flexmb.system.assembly import Overrides
from flexmb.system.mobility import describe_mobility, mobility_of_rigid_parts
from flexmb.system.motions import describe_motion
from flexmb.system.moved_start import Move
from flexmb.system.rank import dependent_and_partners, redundant_rows, scaled_rows
from flexmb.system.system import System

#: Matrices of so many coordinates and rows are dense: only the square Jacobian of half the size is factorized.
DENSE_LIMIT = 200


def drive_names(model: Model) -> list[str]:
    """Names of the components that prescribe a motion."""
    return [name for name, component in model.components.items() if component.is_drive]


def drive_value(component: Component, t: float) -> float:
    """The value that a drive prescribes at a time."""
    return float(component.function(str(component.prescribed))(t))


def driven_system(model: Model, overrides: Overrides) -> System:
    """The system of a driven model."""
    return System(model, dense_limit=DENSE_LIMIT, overrides=overrides)


def swept_system(model: Model, drive: str, undeformed: bool) -> System:
    """The system of a model in which t is the value of one drive, f(t) = t; other drives and loads keep their values at
    t = 0. `undeformed`: flexible bodies keep their shapes."""
    loads = {name: c for name, c in model.components.items() if c.strength is not None}
    motions: dict[str, TimeFunction] = {
        name: Constant(drive_value(model.components[name], 0.0)) for name in drive_names(model)
    }
    strengths = {name: Constant(float(c.function(str(c.strength))(0.0))) for name, c in loads.items()}
    motions[drive] = Polynomial([0.0, 1.0])
    overrides = Overrides(strengths=strengths, prescribed=motions, held_at=0.0, undeformed=undeformed)
    return driven_system(model, overrides)


def value_in_model(system: System, drive: str) -> float:
    """The value of a swept drive in the model as it is drawn: its position error at t = 0."""
    row = system.prescribed_row(drive)
    assert row is not None
    return float(system.constraint(0.0, system.q0, np.zeros(system.n))[0][row])


def closed_and_driven(
    whole: System, t: float, redundant: str, gaps: str, where: str
) -> tuple[System, np.ndarray, Move]:
    """The system with as many independent rows as coordinates; the position (n,) in which joints and drives are closed
    at t; and how far coordinates were moved."""
    system = whole
    try:
        q, moved = closed_start(whole, t, whole.q0, gaps, where)
    except InitialConditionError:
        # Where errors are least but not zero rows depend on one another always, so it is asked where the joints fit.
        raise_if_overdriven(whole, t, whole.q0, where, redundant)
        raise
    dependent, partners = dependent_and_partners(whole, t, q)
    dropped = np.sort(np.array(dependent, dtype=int))
    freedom = whole.n - (whole.m - len(dropped))
    beside = _beside_singular(whole, t, q, dropped) if freedom and len(dropped) else None
    if beside is not None:
        left = whole.n - whole.m + len(redundant_rows(whole, t, beside))
        if left > 0:  # there, too, the drives leave motions free
            raise SolverError(not_driven_message(whole, t, beside, left, where))
        shapes, _ = mobility_of_rigid_parts(whole, t, q)
        motions = "; ".join(describe_motion(whole, shape) for shape in shapes[:3])
        raise SolverError(
            f"{where}: the mechanism stands in a dead point or a change point at the start, where the drives do "
            f"not say which way it goes (loose there: {motions}); start from a position beside it"
        )
    if len(dropped) and redundant == "error":
        raise_if_overdriven(whole, t, q, where, redundant)
    if freedom:
        raise SolverError(not_driven_message(whole, t, q, freedom, where))
    if len(dropped):
        system = without_redundant(whole, t, q, dependent, partners)
    return system, q, moved


def raise_if_overdriven(system: System, t: float, q: np.ndarray, where: str, redundant: str) -> None:
    """Raise a RedundancyError that names rows that depend on others; with 'remove' only if these contradict."""
    try:
        redundant_rows(system, t, q, raise_error=True)
    except RedundancyError as error:
        g = system.constraint(t, q, np.zeros(system.n))[0] / system.row_scale
        A = dense(scaled_rows(system, system.jacobian(t, q)))
        _, null = row_space(A, system.m - len(redundant_rows(system, t, q)))
        if redundant == "remove" and np.max(np.abs(null.T @ g)) <= 1e-9:  # the rows want one and the same
            return
        named = [name for name in drive_names(system.model) if repr(name) in str(error)]
        driven = f"; {', '.join(map(repr, named))} drives what is driven or held already" if named else ""
        advice = OR_REMOVE if redundant == "error" else ""
        raise RedundancyError(f"{where}: {error}{advice}{driven}") from None


def not_driven_message(system: System, t: float, q: np.ndarray, freedom: int, where: str) -> str:
    """The message about a mechanism whose drives leave some motion free."""
    motions = describe_mobility(system, t, q)
    flexible = [text for text in motions if text.endswith("can deform")]
    rigid = [text for text in motions if text not in flexible]
    parts = []
    if rigid:
        parts.append(
            f"no joint or drive says how it moves ({freedom} free motion{'s' if freedom > 1 else ''}): "
            f"{'; '.join(rigid)}; add a drive for each, or use simulate"
        )
    if flexible:
        instead = "give flexible='undeformed' for its undeformed shape"
        if system.assembly.overrides.undeformed:
            instead = "it has no keep_shape, by which a body says how it keeps its shape"
        parts.append(
            f"{', '.join(flexible)}, and drives do not say how; {instead}, or use equilibrium or simulate, or rigid "
            "bodies"
        )
    return f"{where}: {'; '.join(parts)}"


def _beside_singular(system: System, t: float, q: np.ndarray, dropped: np.ndarray) -> np.ndarray | None:
    """A position (nq,) beside this one, which the rows allow that are not `dropped`, and where fewer rows depend on one
    another; None if there is none, so that it is no single position in which they do."""
    kept = np.setdiff1d(np.arange(system.m), dropped)
    shapes, _ = mobility_of_rigid_parts(system, t, q)
    rng = np.random.default_rng(0)
    shape = rng.normal(size=len(shapes)) @ shapes
    size = np.max(np.abs(shape) / system.scale)
    if not size > 0.0:
        return None
    beside, left = close_joints(MovableParts(system), t, system.retract(q, 1e-2 * shape / size), kept)
    return beside if left <= 1e-9 and len(redundant_rows(system, t, beside)) < len(dropped) else None
