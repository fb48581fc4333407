"""Joint motions by which frames move along paths: functions of time, or measured poses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.analyses.kinematics.inverse.batch import Batch
from flexmb.analyses.kinematics.inverse.inverse_kinematics import InverseKinematics, Posture
from flexmb.errors import FormulationError, InitialConditionError, ModelError
from flexmb.formulations.dynamics import TreeDynamics
from flexmb.formulations.tree.tree import Tree
from flexmb.kernels.blocks import INTEGRAL
from flexmb.machine.interruption import interruptible
from flexmb.machine.threads import one_thread
from flexmb.model import checks
from flexmb.model.functions.splines import Spline
from flexmb.model.functions.time_function import TimeFunction
from flexmb.model.hints import AnswersCalls, answers_calls
from flexmb.model.model import Model

#: A joint that moves farther than this from one time to the next [rad, or model lengths] has jumped.
JUMP = 0.5
#: Where the least singular value of the Jacobian is below this part of the largest, the place is singular.
SINGULAR = 1e-4
#: how many other places the search for the first pose begins from
RESTARTS = 20


@dataclass(frozen=True, eq=False)
class JointMotion(metaclass=AnswersCalls):
    """The motion of joints by which frames move along paths; :func:`flexmb.joint_motion` makes it.

    `times` (k,) [s]; `functions`: a cubic spline through the joint coordinates by name, as the model measures them:
    of a robot as its file does, so that `robot.drive(name, motion.functions[name])` follows it; `tree_functions`: the
    same by the coordinates of the tree, as :class:`flexmb.control.ComputedTorque` takes them; `positions`, `rates`
    and `accelerations` of these functions at the times, by name (k,) [rad or m, 1/s, 1/s²]; `joint_coordinates` (k,
    nq); `residuals` (k,), the largest errors of the poses at the times [m or rad]; `error`, that of the functions
    half-way between them, NaN where paths are measured poses, of which nothing is known there.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("arm")
    >>> upper = m.add_body("upper", mass=1.0, inertia=0.1, position=(0.5, 0))
    >>> shoulder = m.revolute(m.ground, upper.attach("left", (-0.5, 0)), name="shoulder")
    >>> circle = (fm.Harmonic(0.5, 1.0, 0.5 * np.pi), fm.Harmonic(0.5, 1.0))
    >>> motion = fm.joint_motion(m, {"upper": circle}, np.linspace(0.0, 1.0, 11))
    >>> motion.rates["shoulder.angle"].round(6)[:2].tolist(), motion.state(10).positions["shoulder.angle"].__round__(9)
    ([1.0, 1.0], 1.0)
    """

    tree: Tree
    times: np.ndarray
    functions: dict[str, Spline]
    tree_functions: dict[str, Spline]
    positions: dict[str, np.ndarray]
    rates: dict[str, np.ndarray]
    accelerations: dict[str, np.ndarray]
    joint_coordinates: np.ndarray
    residuals: np.ndarray
    error: float

    def state(self, k: int) -> Posture:
        """The state at time k, with speeds and their rates."""
        where = f"state of a joint motion of {self.tree.model.where}"
        k = checks.count(k, "k", where, most=len(self.times) - 1)
        x = self.joint_coordinates[k]
        t, splines = float(self.times[k]), self.tree_functions.values()
        v, a = (np.array([float(getattr(f, part)(t)) for f in splines]) for part in ("rate", "second_rate"))
        state = self.tree.state(x, v, a, t)
        mine = {name: float(values[k]) for name, values in self.positions.items()}
        return Posture(
            state.system, state.t, state.q, state.v, state.a, state.lam, positions=mine, joint_coordinates=x.copy(),
            residual=float(self.residuals[k]),
        )  # fmt: skip

    def drives(self, times: Any = None) -> dict[str, np.ndarray]:
        """Inverse dynamics: the torques [Nm] and forces [N] that the joints need for the motion, by name (k,), at its
        times or others [s]; with what :class:`flexmb.TreeDynamics` contains.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("arm", gravity=(0, -10))
        >>> upper = m.add_body("upper", mass=1.0, inertia=0.1, position=(0.5, 0))
        >>> shoulder = m.revolute(m.ground, upper.attach("left", (-0.5, 0)), name="shoulder")
        >>> still = fm.joint_motion(m, {"upper": [(0.5, 0.0)] * 4}, [0.0, 1.0, 2.0, 3.0])
        >>> still.drives()["shoulder.angle"].round(9).tolist()  # the weight of 1 kg at 0.5 m
        [5.0, 5.0, 5.0, 5.0]
        """
        if self.tree.chords:
            raise FormulationError(
                f"drives of a joint motion of {self.tree.model.where}: {', '.join(map(repr, self.tree.chords))} close "
                "loops, in which torques share the load; drive joints by the functions in simulate(method=…), whose "
                "reactions are the torques"
            )
        when = self.times if times is None else checks.row(times, "times", "drives of a joint motion")
        dynamics, splines = TreeDynamics(self.tree), list(self.tree_functions.values())
        x, v, a = (
            np.array([getattr(f, part)(when) for f in splines]).T for part in ("__call__", "rate", "second_rate")
        )
        found = np.array([dynamics.drives(*row) for row in zip(x, v, a)])
        shown = [at for at, name in enumerate(self.tree_functions) if not name.endswith(INTEGRAL)]
        return dict(zip(self.functions, found.T[shown]))


@answers_calls
@interruptible
@one_thread
def joint_motion(
    model: Model, paths: Any, times: Any, *, near: Any = None, goal: Any = None, limits: Any = None,
    singular_places: Literal["refuse", "pass"] = "refuse",
) -> JointMotion:  # fmt: skip
    """The motion of joints by which frames move along paths, as functions of time that drives and
    :class:`flexmb.control.ComputedTorque` take, and the torques that it needs (:meth:`JointMotion.drives`).

    Arguments: `paths`: a path by frames or their names. In space a place over time, or (place, orientation): a place
    is three functions of time or numbers, or measured ones (k, 3); an orientation a Rotation of SciPy, k of them, or a
    function of time that gives one, such as SciPy's RotationSpline. In the plane (x, y) or (x, y, angle), functions or
    numbers, or measured (k, 2) or (k, 3). Or a function of Python that gives the pose at a time. `times` (k,) [s],
    rising, four at least: where the poses are met; those of measured ones. Between them joints follow cubic splines,
    whose error falls with the fourth power of the distance of times, that of accelerations with the second. `near`,
    `goal` and `limits` as in :func:`flexmb.inverse_kinematics`: `near` where the search for the first pose begins, each
    further one begins at the one before; redundant joints keep near to `goal`, so that a closed path closes in joints
    too. `singular_places`: refuse a path that passes a singular place, in which the frames cannot move in some
    direction whatever the joints do; or "pass", where the path asks for no such motion there.

    A pose that cannot be reached, a path that jumps and a singular place raise an InitialConditionError with the time.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("arm")
    >>> upper = m.add_body("upper", mass=1.0, inertia=0.1, position=(0.5, 0))
    >>> fore = m.add_body("fore", mass=1.0, inertia=0.1, position=(1.5, 0))
    >>> shoulder = m.revolute(m.ground, upper.attach("left", (-0.5, 0)), name="shoulder")
    >>> elbow = m.revolute(upper.attach("right", (0.5, 0)), fore.attach("left", (-0.5, 0)), name="elbow")
    >>> hand = fore.attach("hand", (0.5, 0))
    >>> line = (1.0, fm.Polynomial([0.0, 0.2]))
    >>> motion = fm.joint_motion(m, {hand: line}, np.linspace(0.0, 2.0, 21), near={"elbow.angle": 1.0})
    >>> motion.functions["elbow.angle"](0.0).__round__(6), motion.error < 1e-6
    (2.094395, True)
    """
    what = "joint motion"
    when = _times(times, f"{what} of {getattr(model, 'where', checks.quoted(model))}")
    checks.choice(singular_places, ("refuse", "pass"), "singular_places", what)
    known = _sampled(model, paths, when, what)
    search = InverseKinematics(model, known, what, limits)
    first = InverseKinematics(model, _first(known), what, limits)
    begin, _ = first.found(near, goal, RESTARTS, False)
    if not begin.found[0]:
        raise InitialConditionError(f"at t = {when[0]:g} s, the first time: {first.missed_message(begin, 0)}")
    wish = search.coordinates.place(goal, "goal", search.coordinates.place(near, "near", search.tree.start()[0]))
    batch = search.search(begin.q.copy(), np.atleast_2d(np.array(wish)), search.coordinates.weights(goal), 0, True)
    _refuse(search, batch, when, singular_places)
    return _motion(search, batch, when, _between(model, paths, when, what))


def _times(given: Any, where: str) -> np.ndarray:
    times = checks.row(given, "times", where)
    if len(times) < 4:
        raise ModelError(f"{where}: there are {len(times)} times; give four at least, through which splines go")
    falling = np.flatnonzero(np.diff(times) <= 0.0)
    if len(falling):
        k = int(falling[0])
        raise ModelError(f"{where}: times must rise; after {times[k]:g} comes {times[k + 1]:g}")
    return times


def _sampled(model: Any, paths: Any, times: np.ndarray, what: str) -> dict[Any, Any]:
    """The poses of all paths at the times."""
    where = f"{what} of {getattr(model, 'where', checks.quoted(model))}"
    if not isinstance(paths, Mapping) or not paths:
        raise ModelError(f"{where}: paths are {checks.quoted(paths)}; give paths by frames, {{'hand': (fx, fy, fz)}}")
    found = {}
    for frame, path in paths.items():
        name = frame if isinstance(frame, str) else getattr(frame, "name", checks.quoted(frame))
        found[frame] = _poses(path, times, f"{where}: the path of {name!r}")
    return found


def _poses(path: Any, times: np.ndarray, where: str) -> Any:
    if callable(path) and not isinstance(path, TimeFunction):
        return _together([_called(path, t, where) for t in times.tolist()], where)
    if isinstance(path, tuple | list) and len(path) == 2 and _is_orientation(path[1]):
        turn = path[1]
        if callable(turn):
            turn = _together([_called(turn, t, where) for t in times.tolist()], where)
        return _places(path[0], times, where), turn
    return _places(path, times, where)


def _is_orientation(given: Any) -> bool:
    """Whether a user gave an orientation, or a function that gives one."""
    if isinstance(given, Rotation) or (callable(given) and not isinstance(given, TimeFunction)):
        return True
    return (checks.shape_of(given) or ())[-2:] == (3, 3)


def _called(path: Callable[[float], Any], t: float, where: str) -> Any:
    try:
        return path(t)
    except Exception as error:
        raise ModelError(f"{where}: it raised {type(error).__name__} at t = {t:.9g}: {error}") from error


def _together(given: list[Any], where: str) -> Any:
    """Poses one behind the other, as one pose of many places and orientations."""
    if all(isinstance(one, Rotation) for one in given):
        return Rotation.concatenate(given)
    if all(isinstance(one, tuple | list) and len(one) == 2 and _is_orientation(one[1]) for one in given):
        turns = [x if isinstance(x, Rotation) else Rotation.from_matrix(x) for _, x in given]
        return np.array([place for place, _ in given], dtype=float), Rotation.concatenate(turns)
    return checks.matrix(given, "what it gives over time", where)


def _places(given: Any, times: np.ndarray, where: str) -> np.ndarray:
    """Places, in the plane with angles, at the times (k, 2 or 3)."""
    if isinstance(given, np.ndarray) or np.ndim(_shaped(given)) == 2:
        table = checks.matrix(given, "what was measured", where)
        if len(table) != len(times):
            raise ModelError(f"{where}: it has {len(table)} measured rows and {len(times)} times; give as many of each")
        return table
    columns = []
    for one in checks.several(given, "its components", where):
        if isinstance(one, TimeFunction):
            columns.append(np.asarray(one(times), dtype=float))
        elif callable(one):
            columns.append(np.array([checks.number(_called(one, t, where), "it", where) for t in times.tolist()]))
        else:
            columns.append(np.full(len(times), checks.number(one, "a component", where)))
    return np.array(columns).T


def _shaped(given: Any) -> Any:
    return np.zeros(checks.shape_of(given) or ())


def _first(known: dict[Any, Any]) -> dict[Any, Any]:
    """The first of the poses of each path."""
    found = {}
    for frame, pose in known.items():
        if isinstance(pose, tuple):
            place, turn = pose
            several = isinstance(turn, Rotation) and not turn.single
            found[frame] = (place[0], turn[0] if several else turn)
        else:
            found[frame] = pose[0]
    return found


def _between(model: Any, paths: Mapping[Any, Any], times: np.ndarray, what: str) -> Any:
    """The poses half-way between the times, None if some are measured."""
    half = 0.5 * (times[:-1] + times[1:])
    try:
        return half, _sampled(model, paths, half, what)
    except ModelError:  # as many rows as times, not one less
        return half, None


def _refuse(search: InverseKinematics, batch: Batch, times: np.ndarray, singular_places: str) -> None:
    """Refuse poses that were not reached, jumps, and singular places."""
    where, names = search.where, search.tree.names
    missed = np.flatnonzero(batch.found == 0)
    last = int(missed[0]) if len(missed) else len(times)
    ease, sign = np.sqrt(batch.search.ease), 0.0
    for k in range(last):
        if k:
            way = search.increment(batch.q[k - 1], batch.q[k]) / np.where(ease > 0.0, ease, 1.0)
            worst = int(np.argmax(np.abs(way)))
            if abs(way[worst]) > JUMP:
                raise InitialConditionError(
                    f"{where}: from t = {times[k - 1]:g} s to {times[k]:g} s {names[worst]!r} moves by "
                    f"{way[worst]:.3g} {'model lengths' if search.coordinates.lengths[worst] else 'rad'}: the path "
                    "jumps there, or passes near a singular place, or its times lie too far apart; give a path without "
                    "jumps, more times, or another start by near="
                )
        if singular_places == "pass":
            continue
        search.errors(batch, k)
        J = _of_free_motions(batch.search.J_trial[:, ease > 0.0] * ease[ease > 0.0], len(search.holding.rows))
        if J.shape[0] > J.shape[1]:
            continue
        U, values, _ = np.linalg.svd(J)
        turned = np.sign(np.linalg.det(J)) if J.shape[0] == J.shape[1] else 1.0
        if values[-1] < SINGULAR * values[0] or (k and turned != sign):
            raise InitialConditionError(
                f"{where}: at t = {times[k]:g} s the path passes a singular place, where "
                f"{_direction(search, U[:, -1])}, whatever the joints do; lead the path around it, leave an "
                'orientation free, or give singular_places="pass"'
            )
        sign = turned
    if len(missed):
        raise InitialConditionError(f"at t = {times[last]:g} s: {search.missed_message(batch, last)}")


def _of_free_motions(J: np.ndarray, held: int) -> np.ndarray:
    """The Jacobian of the frames by the motions that the last `held` rows, those of loops, leave free."""
    if not held:
        return J
    frames, loops = J[:-held], J[-held:]
    _, values, Vt = np.linalg.svd(loops)
    rank = int(np.sum(values > SINGULAR * values.max(initial=0.0)))
    return np.asarray(frames @ Vt[rank:].T)


def _direction(search: InverseKinematics, u: np.ndarray) -> str:
    """In words which motion of the frames a row of their errors (m,) says."""
    row, dimension, largest, found = 0, search.tree.system.model.dimension, 0.0, "loops cannot open"
    for name, turns in zip(search.targets.frames, search.targets.turns.tolist()):
        for part, verb in ((u[row : row + dimension], "move along"), (u[row + dimension :][:turns], "turn about")):
            size = float(np.linalg.norm(part))
            if size > largest:
                largest, along = size, ", ".join(f"{x:.3g}" for x in (part / size).round(4) + 0.0)
                found = f"{name!r} cannot {verb} ({along})"
        row += dimension + turns
    return found


def _motion(search: InverseKinematics, batch: Batch, times: np.ndarray, between: Any) -> JointMotion:
    """The functions of time of what was found."""
    tree, q = search.tree, batch.q.copy()
    if tree.nq != tree.nv:
        raise FormulationError(
            f"{search.where}: it has orientations among its joint coordinates, of which no single functions of time "
            "tell; give the model joints with angles, or ask for single poses by inverse_kinematics"
        )
    named = search.coordinates.named(q)
    functions = {name: Spline(times, x) for name, x in named.items()}
    own = {name: Spline(times, x) for name, x in zip(tree.coordinate_names, q.T)}
    residuals = np.array([float(np.max(search.errors(batch, k))) for k in range(len(times))])
    half, poses = between
    error = np.nan
    if poses is not None:
        other = InverseKinematics(tree.model, poses, "joint motion", False)
        middle = np.array([f(half) for f in own.values()]).T
        probe = other.bound(middle[:1].copy(), middle[:1].copy(), np.ones(tree.nv), 0, True)
        probe.q[:] = middle
        error = max(float(np.max(other.errors(probe, k))) for k in range(len(half)))
    rates = {name: np.asarray(f.rate(times)) for name, f in functions.items()}
    seconds = {name: np.asarray(f.second_rate(times)) for name, f in functions.items()}
    return JointMotion(tree, times, functions, own, named, rates, seconds, q, residuals, error)
