"""Assembly of a mechanism from a rough sketch."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from flexmb.errors import InitialConditionError, InitialConditionWarning, ModelError, NamingError, warn
from flexmb.machine.interruption import interruptible
from flexmb.machine.threads import one_thread
from flexmb.model import checks, given_names
from flexmb.model.frames import Frame
from flexmb.model.hints import answers_calls
from flexmb.model.model import Model
from flexmb.model.spatial_frames import SpatialNode
from flexmb.results.state import State
from flexmb.solvers.binding.initial_state import initial_state, state_of
from flexmb.solvers.start.movable_parts import MovableParts, close_joints, solve_step
from flexmb.system.doubts import misplaced
from flexmb.system.mobility import flexible_bodies
from flexmb.system.system import System

#: joints whose error is below this are closed
CLOSED = 1e-10


@answers_calls
@interruptible
@one_thread
def assemble(
    model: Model,
    *,
    keep: Iterable[Any] = (),
    t: float = 0.0,
    restarts: int = 20,
    redundant: str = "remove",
    initial: Any = None,
) -> State:
    """Bring a roughly drawn mechanism together, and put the positions found into the model.

    Of all positions that close the joints it takes one near to the sketch, with a least sum of squares of the changes,
    angles in radians and places in units of the model's length. `simulate`, `kinematics` and drawings start there
    afterwards; the state is returned too.

    Flexible bodies are moved, but not bent. A joint keeps the values that it takes from the drawing: the angle of a
    prismatic joint, a distance or a lock without a value. Motors and drives relative to the start begin in the position
    found; other drives have their values at the time `t` [s].

    Arguments: `keep`: frames, bodies, or names of them or of coordinates ('crank', 'crank.angle'; in space 'crank.x',
    or 'crank.wz' for turns about its own z) that stay where they are drawn. `restarts`: how many random positions (the
    same ones each time) to begin from if the sketch itself leads to no closed position; a warning says so. `redundant`:
    as in :func:`flexmb.simulate`, for the forces in the state. `initial`: a state that is the sketch in place of the
    model as it is drawn, such as one of :func:`flexmb.inverse_kinematics`.

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
        raise ModelError(f"assemble: {model!r} is not a model; give a PlanarModel or a SpatialModel")
    where = f"assemble model {model.name!r}"
    t = checks.number(t, "t", where)
    checks.count(restarts, "restarts", where)
    system = System(model)
    sketch = system.q0 if initial is None else _sketched(system, initial, where)
    parts = MovableParts.rigid(system, _held(system, checks.several(keep, "keep", where), where))
    fixing = [
        not (at_speed or model.components[row.owner].measures_from_start)
        for row, at_speed in zip(system.rows, system.at_speed)
    ]
    rows = np.flatnonzero(np.array(fixing, dtype=bool))
    q = _closed_position(parts, t, sketch, rows, int(restarts), where) if len(rows) else sketch
    q = _nearest_position(parts, t, sketch, q, rows) if len(rows) else q
    _put_into_model(system, parts, system.q0, q)
    return initial_state(model, t, redundant=redundant)


def _sketched(system: System, initial: Any, where: str) -> np.ndarray:
    """The positions of a state of the same mechanism."""
    state = state_of(initial, where)
    if state.system.coordinate_names != system.coordinate_names:
        raise ModelError(f"{where}, initial: {state!r} has other coordinates; give a state of this model")
    return state.q.copy()


def _held(system: System, keep: list[Any], where: str) -> list[int]:
    """Numbers of the coordinates that stay."""
    model = system.model
    out: list[int] = []
    for item in keep:
        name = item if isinstance(item, str) else getattr(item, "name", None)
        if not isinstance(name, str):
            raise NamingError(f"{where}, keep: {item!r} is no name; give a frame, a body or a name")
        stem, _, tag = name.rpartition(".")
        component = model.components.get(name)
        of = [] if component is None else component.frames()
        frame = model.frames.get(name) or (of[0] if len(of) == 1 else None)
        if frame is not None:
            out += _node_coordinates(system, frame)
        elif name in system.names:
            out.append(system.names.index(name))
        elif stem in model.frames and tag in (known := _node_names(model.frames[stem])):
            _refuse_beside(model, model.frames[stem], tag, where)
            out += _node_coordinates(system, model.frames[stem])[known.index(tag) :][:1]
        elif component is not None:
            numbers = np.concatenate([i.speeds for i in system.instances_of(name)])
            out += [int(k) for k in np.unique(numbers) if k < system.n]
        else:
            known = [*model.frames, *model.components, *system.names]
            raise given_names.unknown(name, known, "frame, body or coordinate", f"{where}, keep")
    return out


def _refuse_beside(model: Model, frame: Frame, tag: str, where: str) -> None:
    """Refuse to hold a place of a frame that lies beside its node, or in space the turn about an axis of one that lies
    askew on it: these are no coordinates."""
    turns = tag == "angle" or tag.startswith("w")
    if not any(getattr(frame, "axes", (1.0,))[1:] if turns else frame.offset):
        return
    on_node = [x.name for x in model.frames.values() if x.node is frame.node and x.is_node]
    instead = f"{on_node[0]}.{tag}" if on_node else "a coordinate"
    raise NamingError(
        f"{where}, keep: {f'{frame.name}.{tag}'!r} is no coordinate, since {frame.where} is fastened beside or askew "
        f"to its node; keep {instead!r}, or the whole of {frame.name!r}"
    )


def _node_names(frame: Frame) -> list[str]:
    """Names of the coordinates of the node under a frame, as its speeds have them."""
    return [name for block in frame.node.blocks for name in block.names]


def _node_coordinates(system: System, frame: Frame) -> list[int]:
    """Numbers of the coordinates of the node under a frame, none if it is fixed."""
    return [] if frame.node.fixed else [int(k) for k in system.assembly.node_numbers(frame.node).v]


def _closed_position(
    parts: MovableParts, t: float, sketch: np.ndarray, rows: np.ndarray, restarts: int, where: str
) -> np.ndarray:
    """A position that closes the joints, from the sketch or from random positions further and further away from it."""
    first, left = close_joints(parts, t, sketch, rows)
    wrong = misplaced(parts.system, first) if left <= CLOSED else ""
    if left <= CLOSED and not wrong:
        return first
    best = (left, first)
    rng = np.random.default_rng(0)
    for k in range(restarts):
        away = (0.2 + 2.0 * k / max(restarts, 1)) * rng.normal(size=parts.count)
        q, left = close_joints(parts, t, parts.after_motion(sketch, away), rows)
        if left <= CLOSED and (new := misplaced(parts.system, q)):
            wrong = wrong or new
        elif left <= CLOSED:
            warn(
                f"{where}: the sketch itself leads to no position that meets the joints; this one was found "
                f"from random position {k + 1} of {restarts}; look whether it is the one meant, or draw the "
                "bodies nearer to it",
                InitialConditionWarning,
            )
            return q
        best = min(best, (left, q), key=lambda item: item[0])
    if wrong:
        raise InitialConditionError(
            f"{where}: neither the sketch nor {restarts} random positions lead to one in which the joints stand as "
            f"they are meant: {wrong}"
        )
    raise InitialConditionError(_missed_message(parts, t, best[1], rows, restarts, where))


def _missed_message(parts: MovableParts, t: float, q: np.ndarray, rows: np.ndarray, restarts: int, where: str) -> str:
    system = parts.system
    g = system.constraint(t, q, np.zeros(system.n))[0]
    off = np.abs(g) / system.row_scale
    worst = sorted((int(k) for k in rows if off[k] > CLOSED), key=lambda k: -off[k])[:6]
    units = {"length": "m", "angle": "rad"}
    misses = ", ".join(
        f"{system.rows[k].where} by {g[k]:.3g} {units.get(system.rows[k].kind, '')}".strip() for k in worst
    )
    held = " or hold less" if len(parts.held) else ""
    return (
        f"{where}: the joints cannot all be met, neither from the sketch nor from {restarts} random positions; at best "
        f"they miss in {misses}; check lengths and where the joints sit{held}"
    )


def _nearest_position(parts: MovableParts, t: float, sketch: np.ndarray, q: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The closed position nearest to the sketch, reached through closed positions."""
    share = 1.0
    for _ in range(100):
        d = parts.motion_between(sketch, q)
        g = parts.system.constraint(t, q, np.zeros(parts.system.n))[0] / parts.system.row_scale
        step = solve_step(parts, t, q, rows, g[rows], d, 1e-13)
        way = float(np.max(np.abs(step)))
        if way < 1e-11:
            break
        new, left = close_joints(parts, t, parts.after_motion(q, min(share, 0.3 / way) * step), rows)
        if left <= CLOSED and np.linalg.norm(parts.motion_between(sketch, new)) < np.linalg.norm(d):
            q, share = new, min(1.0, 2.0 * share)
        else:
            share *= 0.5
            if share * way < 1e-12:
                break
    return q


def _put_into_model(system: System, parts: MovableParts, sketch: np.ndarray, q: np.ndarray) -> None:
    """Write a position into the nodes of the model and into the ends of its beams."""
    assembly = system.assembly
    nodes = [frame.node for frame in system.model.frames.values()]
    nodes += [node for component in system.model.components.values() for node in component.nodes()]
    for node in {id(node): node for node in nodes if not node.fixed}.values():
        numbers = assembly.node_numbers(node).q
        if isinstance(node, SpatialNode):
            node.position, node.orientation = q[numbers[:3]].copy(), q[numbers[3:]].copy()
        else:
            node.position, node.angle = q[numbers[:2]].copy(), float(q[numbers[2]])
    changes = parts.motion_between(sketch, q)[len(parts.single) :].reshape(-1, parts.freedom)
    for component, numbers in flexible_bodies(system):
        for k, (members, change) in enumerate(zip(parts.groups, changes)):
            if hasattr(component, "ends") and np.any(np.isin(numbers, members)):
                center = parts.center(sketch, k)
                shift = change[: parts.dimension] * system.length_scale
                component.ends = center + shift + parts.turned(component.ends - center, change)
