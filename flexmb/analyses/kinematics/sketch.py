"""Assembly of a mechanism from a rough sketch."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from flexmb.algebra.threads import one_thread
from flexmb.analyses.kinematics.closing import Moves, meet, solve_step
from flexmb.errors import InitialConditionError, InitialConditionWarning, ModelError, NamingError, warn
from flexmb.forces.planar.motor import Motor
from flexmb.interruption import interruptible
from flexmb.model import checks
from flexmb.model.frames import Frame, rotation
from flexmb.model.model import Model
from flexmb.results.state import State
from flexmb.solvers.initial_state import initial_state
from flexmb.system.mobility import flexible_bodies
from flexmb.system.system import System

#: joints that miss by less than this are met
MET = 1e-10
#: the coordinates of a node
TAGS = ("x", "y", "angle")


@interruptible
@one_thread
def assemble(
    model: Model, *, hold: Iterable[Any] = (), t: float = 0.0, restarts: int = 20, redundant: str = "error"
) -> State:
    """Bring a roughly drawn mechanism together, and put the positions found into the model.

    Of the positions that meet all joints, one as near to the sketch as the joints let it: a smallest sum of squares
    of the changes, angles in radians and places in units of the model's length. So `simulate`, `kinematics` and
    drawings start there afterwards; the state is returned too.

    Flexible bodies are moved as they are, not bent. What a joint takes from the drawing it keeps: the angle of a
    prismatic joint, a distance or a lock without a value. Motors and drives relative to the start begin wherever the
    mechanism comes to stand; other drives stand as at the time `t` [s].

    Arguments: `hold`: what stays where it is drawn: frames, bodies, or names of them or of coordinates ('crank',
    'crank.angle'). `restarts`: how many random positions (the same ones each time) to begin from if the sketch itself
    does not lead to one; a warning says so. `redundant`: as in :func:`flexmb.simulate`, for the forces in the state.

    Joints that cannot be met raise an InitialConditionError that names them, and the model stays as it was.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("roof")
    >>> left = m.add_body("left", mass=1.0, inertia=0.1, position=(0.1, 0.1), angle=1.2)
    >>> right = m.add_body("right", mass=1.0, inertia=0.1, position=(1.1, 0.2), angle=1.9)
    >>> foot = m.revolute(m.ground, left.frame)
    >>> other = m.revolute(m.add_frame("base", (1, 0), fixed=True), right.frame)
    >>> top = m.revolute(left.attach("end", (1, 0)), right.attach("end", (1, 0)))
    >>> state = assemble(m)
    >>> round(left.frame.angle, 12) == round(np.pi / 3, 12)
    True
    """
    if not isinstance(model, Model):
        raise ModelError(f"assemble: {model!r} is not a model; give a PlanarModel")
    where = f"assemble model {model.name!r}"
    t = checks.number(t, "t", where)
    checks.count(restarts, "restarts", where)
    system = System(model)
    sketch = system.q0
    moves = Moves.rigid(system, _held(system, [hold] if isinstance(hold, str | Frame) else list(hold), where))
    rows = np.array([k for k, row in enumerate(system.rows) if _says_where(model, row.owner)], dtype=np.int64)
    q = _met(moves, t, sketch, rows, int(restarts), where) if len(rows) else sketch
    q = _nearest(moves, t, sketch, q, rows) if len(rows) else q
    _put(system, moves, sketch, q)
    return initial_state(model, t, redundant=redundant)


def _says_where(model: Model, owner: str) -> bool:
    component = model.components[owner]
    return not isinstance(component, Motor) and not getattr(component, "relative_to_start", False)


def _held(system: System, hold: list[Any], where: str) -> list[int]:
    """Numbers of the coordinates that stay."""
    model = system.model
    out: list[int] = []
    for item in hold:
        name = item if isinstance(item, str) else getattr(item, "name", None)
        if not isinstance(name, str):
            raise NamingError(f"{where}, hold: {item!r} is no name; give a frame, a body or a name")
        stem, _, tag = name.rpartition(".")
        component = model.components.get(name)
        frame = model.frames.get(name) or getattr(component, "frame", None)
        if frame is not None:
            out += _node(system, frame)
        elif name in system.names:
            out.append(system.names.index(name))
        elif stem in model.frames and tag in TAGS:
            out += _node(system, model.frames[stem])[TAGS.index(tag) :][:1]
        elif component is not None:
            numbers = np.concatenate([i.coordinates for i in system.instances_of(name)])
            out += [int(k) for k in np.unique(numbers) if k < system.n]
        else:
            known = [*model.frames, *model.components, *system.names]
            raise checks.unknown(name, known, "frame, body or coordinate", f"{where}, hold")
    return out


def _node(system: System, frame: Frame) -> list[int]:
    """Numbers of the coordinates of the node under a frame, none if it is fixed."""
    return [] if frame.node.fixed else [int(k) for k in system.assembly.node_numbers(frame.node)]


def _met(moves: Moves, t: float, sketch: np.ndarray, rows: np.ndarray, restarts: int, where: str) -> np.ndarray:
    """A position that meets the joints, from the sketch or from random positions ever further away from it."""
    first, left = meet(moves, t, sketch, rows)
    if left <= MET:
        return first
    best = (left, first)
    rng = np.random.default_rng(0)
    for k in range(restarts):
        away = (0.2 + 2.0 * k / max(restarts, 1)) * rng.normal(size=moves.count)
        q, left = meet(moves, t, moves.moved(sketch, away), rows)
        if left <= MET:
            warn(
                f"{where}: the sketch itself leads to no position that meets the joints; this one was found from "
                "random "
                f"position {k + 1} of {restarts}; look whether it is the one meant, or draw the bodies nearer to it",
                InitialConditionWarning,
            )
            return q
        best = min(best, (left, q), key=lambda item: item[0])
    raise InitialConditionError(_missed(moves, t, best[1], rows, restarts, where))


def _missed(moves: Moves, t: float, q: np.ndarray, rows: np.ndarray, restarts: int, where: str) -> str:
    system = moves.system
    g = system.constraint(t, q, np.zeros(system.n))[0]
    off = np.abs(g) / system.row_scale
    worst = sorted((int(k) for k in rows if off[k] > MET), key=lambda k: -off[k])[:6]
    units = {"length": "m", "angle": "rad"}
    parts = ", ".join(
        f"{system.rows[k].where} by {g[k]:.3g} {units.get(system.rows[k].kind, '')}".strip() for k in worst
    )
    held = " or hold less" if len(moves.held) else ""
    return (
        f"{where}: the joints cannot all be met, neither from the sketch nor from {restarts} random positions; at "
        "best they "
        f"miss in {parts}; check lengths and where the joints sit{held}"
    )


def _nearest(moves: Moves, t: float, sketch: np.ndarray, q: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Along the positions that meet the joints to one nearest to the sketch."""
    share = 1.0
    for _ in range(100):
        d = moves.between(sketch, q)
        g = moves.system.constraint(t, q, np.zeros(moves.system.n))[0] / moves.system.row_scale
        step = solve_step(moves, t, q, rows, g[rows], d, 1e-13)
        way = float(np.max(np.abs(step)))
        if way < 1e-11:
            break
        new, left = meet(moves, t, moves.moved(q, min(share, 0.3 / way) * step), rows)
        if left <= MET and np.linalg.norm(moves.between(sketch, new)) < np.linalg.norm(d):
            q, share = new, min(1.0, 2.0 * share)
        else:
            share *= 0.5
            if share * way < 1e-12:
                break
    return q


def _put(system: System, moves: Moves, sketch: np.ndarray, q: np.ndarray) -> None:
    """Put a position into the nodes of the model, and into the ends of its beams."""
    assembly = system.assembly
    nodes = [frame.node for frame in system.model.frames.values()]
    nodes += [node for component in system.model.components.values() for node in component.nodes()]
    for node in {id(node): node for node in nodes if not node.fixed}.values():
        numbers = assembly.node_numbers(node)
        node.position, node.angle = q[numbers[:2]].copy(), float(q[numbers[2]])
    changes = moves.between(sketch, q)[len(moves.single) :].reshape(-1, 3)
    for component, numbers in flexible_bodies(system):
        for members, change in zip(moves.groups, changes):
            if hasattr(component, "ends") and np.any(np.isin(numbers, members)):
                centre = np.array(moves.centre(sketch, members))
                shift = change[:2] * system.length_scale
                component.ends = centre + shift + (component.ends - centre) @ rotation(change[2]).T
