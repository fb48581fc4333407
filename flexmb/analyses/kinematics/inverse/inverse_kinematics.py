"""Inverse kinematics: states of a mechanism in which frames stand where they shall."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from flexmb.analyses.kinematics.inverse.batch import Batch, advanced, evaluated, keep, search_all, start
from flexmb.analyses.kinematics.inverse.holding import HoldingRows
from flexmb.analyses.kinematics.inverse.limits import Coordinates
from flexmb.analyses.kinematics.inverse.search import Progress, Search, scratch
from flexmb.analyses.kinematics.inverse.searching import CLOSED, ROUNDING
from flexmb.analyses.kinematics.inverse.targets import Targets, targets_of
from flexmb.errors import FormulationError, InitialConditionError, ModelError
from flexmb.formulations.tree.coordinates import increment
from flexmb.formulations.tree.moving import moving_for
from flexmb.formulations.tree.tree import Tree
from flexmb.kernels.lending import Lent
from flexmb.machine.interruption import interruptible
from flexmb.machine.threads import in_turn, one_thread
from flexmb.model import checks
from flexmb.model.hints import AnswersCalls, answers_calls
from flexmb.model.model import Model
from flexmb.results.state import State

#: the farthest that further attempts begin from where the first one did [rad or m]
AROUND = np.pi


@dataclass(frozen=True, eq=False, repr=False)
class Posture(State):
    """A state at rest in which frames stand where they shall: what :func:`flexmb.inverse_kinematics` found.

    Beside what a :class:`flexmb.State` has: `positions`, the joint coordinates by name [rad or m], of a robot as its
    file measures them; `joint_coordinates` (nq,) of the tree; `residual`, the largest error of a place [m] or an
    orientation [rad] of a frame, and of the joints that close loops; `attempt`, 0 if the search from `near` found it,
    else the number of the start that did.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("arm")
    >>> upper = m.add_body("upper", mass=1.0, inertia=0.1, position=(0.5, 0))
    >>> shoulder = m.revolute(m.ground, upper.attach("left", (-0.5, 0)), name="shoulder")
    >>> fm.inverse_kinematics(m, {"upper": (0.3, 0.4)}).positions["shoulder.angle"].__round__(6)
    0.927295
    """

    positions: Any = None
    joint_coordinates: Any = None
    residual: float = 0.0
    attempt: int = 0


@dataclass(frozen=True, eq=False)
class PostureSeries(metaclass=AnswersCalls):
    """States in which frames stand where they shall, one for each of k poses.

    `positions`: joint coordinates (k,) by name [rad or m]; `joint_coordinates` (k, nq) of the `tree`; `residuals` (k,),
    the largest error of each [m or rad]; `reached` (k,), which of the poses were; `attempts` (k,), as in
    :class:`Posture`. `postures[3]` is the state of pose 3.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("arm")
    >>> upper = m.add_body("upper", mass=1.0, inertia=0.1, position=(0.5, 0))
    >>> shoulder = m.revolute(m.ground, upper.attach("left", (-0.5, 0)), name="shoulder")
    >>> both = fm.inverse_kinematics(m, {"upper": [(0.3, 0.4), (0.0, 0.5)]})
    >>> both.positions["shoulder.angle"].round(6).tolist(), both[1]["upper"].position.round(9).tolist()
    ([0.927295, 1.570796], [0.0, 0.5])
    """

    tree: Tree
    positions: dict[str, np.ndarray]
    joint_coordinates: np.ndarray
    residuals: np.ndarray
    reached: np.ndarray
    attempts: np.ndarray

    def __len__(self) -> int:
        return len(self.residuals)

    def __getitem__(self, k: int) -> Posture:
        if not -len(self) <= k < len(self):
            raise IndexError(f"there are {len(self)} postures; there is none with the number {k}")
        state = self.tree.state(self.joint_coordinates[k])
        mine = {name: float(x[k]) for name, x in self.positions.items()}
        return Posture(
            state.system, state.t, state.q, state.v, state.a, state.lam, positions=mine,
            joint_coordinates=self.joint_coordinates[k].copy(), residual=float(self.residuals[k]),
            attempt=int(self.attempts[k]),
        )  # fmt: skip


@answers_calls
@interruptible
@one_thread
def inverse_kinematics(
    model: Model, targets: Any, *, near: Any = None, goal: Any = None, limits: Any = None, restarts: int = 20,
    unreached: Literal["error", "nearest"] = "error",
) -> Any:  # fmt: skip
    """The joint coordinates at which frames stand where they shall, as a :class:`Posture`, a state from which
    `simulate`, `equilibrium` and `assemble` go on.

    Arguments: `targets`: poses by frames or their names, one or several at once. In space a pose is a place (3,) [m],
    or (place, orientation), a Rotation of SciPy or a matrix; in the plane (x, y), or (x, y, angle). With k of them,
    places (k, 3), there are as many, a :class:`PostureSeries`. `near`: where the search begins, a state, numbers by
    joints (the others as in the model), or all coordinates (nq,) of :class:`flexmb.Tree`, or (k, nq); the model as it
    stands when not given. `goal`: to which the joints come as near as they can where some are left over, as `near` is
    said; joints that it names count a thousand times as much as others, which keep near to `near`. When not given it is
    `near`, so that of all postures the nearest is taken: with the least sum of squares of angles, and of displacements
    in units of the model's length. `limits`: (lower, upper) by joints, over those of the robot's file and of stops of
    joints; False for none at all. `restarts`: from how many other places (the same ones each time) the search begins if
    it finds nothing from `near`; of what it then finds the nearest is taken. `unreached`: where there is no solution,
    an InitialConditionError says how near the frames can come, and which limit holds them; or "nearest" gives that
    posture, whose `residual` is not small, in a batch marked in `reached`.

    The search is local: of several postures it finds the one to which it comes from `near`, and only where that is far
    away it looks for nearer ones.

    Joints that close loops, gears and couplings stay satisfied; drives do not hold, since their motion is what is
    asked for. Bodies that bend stay as they are in the model.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("arm")
    >>> upper = m.add_body("upper", mass=1.0, inertia=0.1, position=(0.5, 0))
    >>> fore = m.add_body("fore", mass=1.0, inertia=0.1, position=(1.5, 0))
    >>> shoulder = m.revolute(m.ground, upper.attach("left", (-0.5, 0)), name="shoulder")
    >>> elbow = m.revolute(upper.attach("right", (0.5, 0)), fore.attach("left", (-0.5, 0)), name="elbow")
    >>> hand = fore.attach("hand", (0.5, 0))
    >>> posture = fm.inverse_kinematics(m, {hand: (1.0, 1.0)}, near={"elbow.angle": 1.0})
    >>> {name: round(x, 6) + 0.0 for name, x in posture.positions.items()}
    {'shoulder.angle': 0.0, 'elbow.angle': 1.570796}
    >>> fm.inverse_kinematics(m, {hand: (3.0, 0.0)})
    Traceback (most recent call last):
        ...
    flexmb.errors.InitialConditionError: inverse kinematics of model 'arm': 'fore.hand' cannot come nearer than 1 m; \
no limit holds it, it is out of the reach of its joints; give a pose that is nearer, or unreached="nearest"
    """
    search = InverseKinematics(model, targets, "inverse kinematics", limits, ', or unreached="nearest"')
    return search.postures(near, goal, checks.count(restarts, "restarts", search.where), unreached)


class InverseKinematics:
    """A search that is bound to a model and to targets."""

    def __init__(self, model: Model, targets: Any, what: str, limits: Any, or_else: str = "") -> None:
        #: what else to do where a pose is not reached
        self.or_else = or_else
        if not isinstance(model, Model):
            raise ModelError(f"{what}: {checks.quoted(model)} is not a model; give a PlanarModel or a SpatialModel")
        self.where = f"{what} of {model.where}"
        self.tree = tree = Tree.of(model)
        self._refuse_bending()
        self.targets: Targets = targets_of(tree, targets, self.where)
        self.coordinates = Coordinates(tree, self.where)
        self.lower, self.upper = self.coordinates.limits(limits)
        self.holding = HoldingRows(tree)
        self._still = np.zeros(tree.nv, dtype=bool)
        self._refuse_unmoved()

    def _refuse_bending(self) -> None:
        bent = [self.tree.links[k] for group in self.tree.graph.groups for k in group.links if len(group.links) > 1]
        if bent:
            raise FormulationError(
                f"{self.where}: {', '.join(map(repr, bent[:4]))} are ends of a beam, which bends, and joint angles do "
                "not say where it leads; ask a model with rigid links, and take its joint angles for this one"
            )

    def _refuse_unmoved(self) -> None:
        """Refuse a frame whose link no joint carries."""
        tree, joints = self.tree, self.tree.arrays.joints
        for name, k in zip(self.targets.frames, self.targets.link.tolist()):
            here, moved = k, False
            while here >= 0:
                first, last = joints.first[here], joints.first[here + 1]
                moved |= bool(np.any(joints.kind[first:last] != 0))
                here = int(tree.arrays.parent[here])
            if not moved:
                raise FormulationError(f"{self.where}: no joint moves {name!r}; give a frame that joints carry")

    def _moving(self) -> np.ndarray:
        """The speeds (nv,) that move a frame, a mask."""
        tree, found = self.tree, np.zeros(self.tree.nv, dtype=bool)
        speeds = moving_for(tree.arrays).speeds
        for k in self.targets.link.tolist():
            here = k
            while here >= 0:
                found[speeds[here] : speeds[here + 1]] = True
                here = int(tree.arrays.parent[here])
        return found

    def _leave_out(self, start: np.ndarray, *asked: np.ndarray) -> None:
        """Leave out rows that tie joints which move no frame, where these joints shall stay as they are."""
        if not len(self.holding.rows):
            return
        moving, at = self._moving(), self.coordinates.at_q
        others = at[~moving & (at >= 0)]
        if all(np.all(np.abs(x[..., others] - start[others]) <= CLOSED) for x in asked):
            self._still = ~self.holding.leave_out(moving)

    # -- the search ----------------------------------------------------------------------------------------------------

    def _ease(self) -> np.ndarray:
        """M (nv,): 1 for angles, L² for lengths; inner coordinates move only as rows ask for it."""
        tree, L = self.tree, float(self.tree.system.length_scale)
        ease = np.where(self.coordinates.lengths, L * L, 1.0)
        ease[self._still] = 0.0
        inner = tree.arrays.joints.inner
        if inner:
            still = np.ones(inner, dtype=bool)
            if len(self.holding.rows):
                still = ~np.any(self.holding.at(tree.start()[0]).C[:, tree.nv - inner :], axis=0)
            ease[tree.nv - inner :] *= ~still
        return ease

    def search(self, near: np.ndarray, goal: np.ndarray, weights: np.ndarray, restarts: int, chained: bool) -> Batch:
        """Search from `near` (k, nq) or (1, nq)."""
        batch = self.bound(near, goal, weights, restarts, chained)
        if len(self.holding.rows):
            self._in_python(batch)
        else:
            Lent(search_all, batch)(0.0)
        return batch

    def bound(self, near: np.ndarray, goal: np.ndarray, weights: np.ndarray, restarts: int, chained: bool) -> Batch:
        """The arrays of a search, before it."""
        tree, given = self.tree, self.targets
        n, nq, count = tree.nv, tree.nq, len(given.wanted)
        held, dimension = len(self.holding.rows), tree.system.model.dimension
        m = int(np.sum(dimension + given.turns)) + held
        ease = self._ease()
        starts = self._starts(0 if chained else restarts)
        s = Search(
            tree.arrays, moving_for(tree.arrays), Progress.zeros(), dimension, 1.0 / float(tree.system.length_scale),
            given.link, given.place, given.axes, given.turns, np.zeros((len(given.link), 7)), self.coordinates.at_q,
            self.lower, self.upper, ease, ease / weights, np.zeros(nq), starts, **scratch(nq, n, m),
        )  # fmt: skip
        whole = {"found": np.zeros(count, dtype=np.int64), "total": np.zeros(count, dtype=np.int64)}
        number = np.zeros(1, dtype=np.int64)
        return Batch(s, given.wanted, near, goal, int(chained), np.zeros((count, nq)), **whole, number=number)

    def increment(self, x0: np.ndarray, x: np.ndarray) -> np.ndarray:
        """The increment (nv,) that leads from x₀ to x."""
        y = np.zeros(self.tree.nv)
        increment(self.tree.arrays.joints, x0, x, y)
        return y

    def _in_python(self, batch: Batch) -> None:
        """Search for targets in a model with rows that only Python knows."""
        begin, evaluate, advance, end = (Lent(f, batch) for f in (start, evaluated, advanced, keep))
        s, first = batch.search, len(batch.search.e) - len(self.holding.rows)
        for i in range(len(batch.q)):
            batch.number[0] = i
            begin(0.0)
            going = 1
            while going:
                evaluate(0.0)
                self.holding.put(s.trial, s.e_trial[first:], s.J_trial[first:])
                going = advance(0.0)
            end(0.0)

    def _starts(self, count: int) -> np.ndarray:
        """Starts of further attempts (count, nv + 1), the same ones each time: farther and farther from the first."""
        found = np.random.default_rng(0).uniform(size=(count, self.tree.nv + 1))
        found[:, -1] = AROUND * np.linspace(0.2, 1.0, count)
        return found

    def postures(self, near: Any, goal: Any, restarts: int, unreached: str, chained: bool = False) -> Any:
        """Result of the search: a posture, or one for each pose."""
        checks.choice(unreached, ("error", "nearest"), "unreached", self.where)
        batch, residuals = self.found(near, goal, restarts, chained)
        missed = np.flatnonzero(batch.found == 0)
        if len(missed) and unreached == "error":
            raise InitialConditionError(self.missed_message(batch, int(missed[0])))
        named: dict[str, Any] = self.coordinates.named(batch.q)
        every = PostureSeries(self.tree, named, batch.q, residuals, batch.found > 0, np.maximum(batch.found - 1, 0))
        return every if self.targets.many else every[0]

    @in_turn
    def found(self, near: Any, goal: Any, restarts: int, chained: bool) -> tuple[Batch, np.ndarray]:
        """The batch of all targets, and the largest error of each."""
        x = self.tree.start()[0]
        begin = self.coordinates.place(near, "near", x)
        wish = self.coordinates.place(goal, "goal", begin)
        count = len(self.targets.wanted)
        self._leave_out(x, begin, wish)
        for what, given in (("near", begin), ("goal", wish)):
            if given.ndim == 2 and len(given) != count:
                raise ModelError(f"{self.where}: {what} has {len(given)} rows; there are {count} poses")
        begin, wish = (np.array(np.atleast_2d(y), dtype=float) for y in np.broadcast_arrays(begin, wish))
        begin = self.coordinates.within(begin, self.lower, self.upper)
        batch = self.search(begin, wish, self.coordinates.weights(goal), restarts, chained)
        return batch, np.array([self.errors(batch, i).max() for i in range(count)])

    def errors(self, batch: Batch, i: int) -> np.ndarray:
        """Distances of the frames from pose i [m] and [rad], (2 F,), and the largest error of rows that hold."""
        s, number = batch.search, batch.number
        number[0] = i
        self._start(batch)
        s.trial[:] = batch.q[i]
        self._evaluate(batch)
        found, row, dimension = [], 0, self.tree.system.model.dimension
        for turns in self.targets.turns.tolist():
            found.append(float(np.linalg.norm(s.e_trial[row : row + dimension])) / s.unit)
            found.append(float(np.linalg.norm(s.e_trial[row + dimension : row + dimension + turns])))
            row += dimension + turns
        if len(self.holding.rows):
            self.holding.put(s.trial, s.e_trial[row:], s.J_trial[row:])
        return np.array([*found, float(np.max(np.abs(s.e_trial[row:]), initial=0.0))])

    def _start(self, batch: Batch) -> None:
        self._lent(batch)[0](0.0)

    def _evaluate(self, batch: Batch) -> None:
        self._lent(batch)[1](0.0)

    def _lent(self, batch: Batch) -> tuple[Lent, Lent]:
        """The compiled start and evaluation of a batch, made once for each."""
        if self._known is None or self._known[0] is not batch:
            self._known = batch, (Lent(start, batch), Lent(evaluated, batch))
        return self._known[1]

    _known: Any = None

    # -- what holds it -------------------------------------------------------------------------------------------------

    @cached_property
    def _unlimited(self) -> InverseKinematics:
        other = object.__new__(InverseKinematics)
        other.__dict__.update({k: v for k, v in self.__dict__.items() if k not in ("_unlimited", "_known")})
        other.lower, other.upper = np.full_like(self.lower, -np.inf), np.full_like(self.upper, np.inf)
        return other

    def missed_message(self, batch: Batch, i: int) -> str:
        """How near the frames come to pose i, and what holds them."""
        off, names, s = self.errors(batch, i), self.targets.frames, batch.search
        which = f", pose {i}" if self.targets.many else ""
        parts = []
        for f, name in enumerate(names):
            far = [f"{x:.4g} {unit}" for x, unit in zip(off[2 * f : 2 * f + 2], ("m", "rad")) if x > ROUNDING]
            if far:
                parts.append(f"{name!r} cannot come nearer than {' and '.join(far)}")
        if off[-1] > ROUNDING:
            parts.append(f"joints that close loops are open by {off[-1]:.4g}")
        push = s.J_trial.T @ s.e_trial
        small = 1e-6 * float(np.max(np.abs(s.J_trial))) * float(np.linalg.norm(s.e_trial))
        held = []
        for j, at in enumerate(self.coordinates.at_q.tolist()):
            x = s.trial[at]
            low, high = x - self.lower[j] < 1e-9, self.upper[j] - x < 1e-9
            if at >= 0 and ((low and push[j] > small) or (high and push[j] < -small)):
                held.append(self.coordinates.limit_in_words(j, x, self.lower, self.upper))
        if held:
            free = self._unlimited.search(batch.near[:1], batch.goal[:1], np.ones(self.tree.nv), 20, False)
            beyond = (
                "; without limits it could be reached" if free.found[i] else "; without limits it is out of reach too"
            )
            why = f"{', '.join(held)}, hold{'s' * (len(held) == 1)} it{beyond}"
            todo = "give other limits, or another pose"
        else:
            why = "no limit holds it, it is out of the reach of its joints"
            todo = "give a pose that is nearer"
        return f"{self.where}{which}: {', '.join(parts)}; {why}; {todo}{self.or_else}"
