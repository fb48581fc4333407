"""Load paths: the equilibria of a mechanism over a load factor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.analyses.statics.asked_rotation import asked_rotation
from flexmb.analyses.statics.balance import Balance, load_names, unloaded_system
from flexmb.analyses.statics.continuation import EquilibriumPoint, PathEquations, keep_factors, state_at
from flexmb.analyses.statics.critical import CriticalPoint
from flexmb.analyses.statics.equilibrium import first_position, starting_state
from flexmb.analyses.statics.newton import newton
from flexmb.analyses.statics.other_rows import exchanged
from flexmb.analyses.statics.path_follower import PathFollower
from flexmb.analyses.statics.spinning import SpinningBalance
from flexmb.analyses.statics.stability import lowest_eigenvalues
from flexmb.errors import DivergenceWarning, EquilibriumError, ModelError, warn
from flexmb.machine import reports
from flexmb.machine.interruption import interruptible
from flexmb.machine.threads import one_thread
from flexmb.model import checks, given_names
from flexmb.model.checks import Vector
from flexmb.model.hints import AnswersCalls, answers_calls
from flexmb.model.model import Model
from flexmb.plots.words import words
from flexmb.results.names import Series
from flexmb.results.solution import Solution
from flexmb.results.state import State, with_all_rows
from flexmb.results.subject import PATH_SECONDS, Subject
from flexmb.solvers.binding.initial_state import CONTROLLERS, leave_out_controllers, regular_system
from flexmb.solvers.rows.left_out import refuse_contradiction
from flexmb.system.doubts import warn_of_doubts
from flexmb.system.motions import describe_motion
from flexmb.system.refusals import refuse_velocity_rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(eq=False)
class EquilibriumPath(metaclass=AnswersCalls):
    """A path of equilibria.

    `factor` (k,) [–] of the `loads`; `omega_squared` (k, c) [1/s²], the lowest at each point (no columns when they were
    not asked for); `flutters` (k,): whether follower forces make it flutter there; `critical`: limit and bifurcation
    points in their order; `status`: 'finished' or 'stopped', with a `message`; `doubts`: why it may
    not be the path that was meant. Quantities (k,) go by the names of a
    :class:`~flexmb.Solution`: `path["rod.end.y"]`.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("column")
    >>> of = fm.planar.BeamProperties(EA=1e8, EI=1.0, rhoA=1.0)
    >>> rod = m.add_beam("rod", m.ground, (0, 1), properties=of, elements=2)
    >>> weight = m.point_force(rod.end, (0, -1), name="weight")
    >>> path = fm.equilibrium_path(m, weight, factor=3.0)
    >>> path.status, round(float(path.factor[-1]), 6), path.stable[[0, -1]].tolist()
    ('finished', 3.0, [True, False])
    """

    balance: Balance = field(repr=False)
    loads: list[str]
    points: list[EquilibriumPoint] = field(repr=False)
    omega_squared: np.ndarray = field(repr=False)
    flutters: np.ndarray = field(repr=False)
    critical: list[CriticalPoint]
    status: str = "finished"
    message: str = ""
    iterations: int = 0
    doubts: tuple[str, ...] = ()

    @property
    def factor(self) -> np.ndarray:
        """Load factors (k,)."""
        return np.array([p.factor for p in self.points])

    @property
    def stable(self) -> np.ndarray:
        """Whether each point is stable (k,). In steady rotation the eigenvalues of the stiffness do not tell."""
        if isinstance(self.balance, SpinningBalance):
            raise EquilibriumError(f"{self.where}: it turns steadily; complex_modes(path.state(k)) says what is stable")
        if not self.omega_squared.shape[1]:
            raise EquilibriumError(f"{self.where}: its stability was not asked for; give stability=True")
        return (self.omega_squared[:, 0] > 0.0) & ~self.flutters

    @property
    def where(self) -> str:
        """The path as messages name it."""
        return f"load path of model {self.balance.system.model.name!r}"

    @property
    def solution(self) -> Solution:
        """All points in their order, as a solution; all have the same time."""
        return self._solution(np.full(len(self.points), self.balance.t))

    def __getitem__(self, key: Any) -> Any:
        """A track of a frame or point ('rod.end'), or the values (k,) of a quantity ('rod.end.y')."""
        return self.solution[key]

    def series(self, name: str) -> Series:
        """A quantity with its unit; 'factor' is the load factor.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("column")
        >>> of = fm.planar.BeamProperties(EA=1e8, EI=1.0, rhoA=1.0)
        >>> rod = m.add_beam("rod", m.ground, (0, 1), properties=of, elements=2)
        >>> weight = m.point_force(rod.end, (0, -1), name="weight")
        >>> path = fm.equilibrium_path(m, weight, factor=3.0)
        >>> height = path.series("rod.end.y")
        >>> height.unit, len(height.values) == len(path.factor)
        ('m', True)
        """
        if isinstance(name, str) and name == "factor":
            return Series("load factor", "–", self.factor)
        return self.solution.series(name)

    def state(self, k: int = -1) -> State:
        """The state at point k (the last one when not given).

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("column")
        >>> of = fm.planar.BeamProperties(EA=1e8, EI=1.0, rhoA=1.0)
        >>> rod = m.add_beam("rod", m.ground, (0, 1), properties=of, elements=2)
        >>> weight = m.point_force(rod.end, (0, -1), name="weight")
        >>> path = fm.equilibrium_path(m, weight, factor=3.0)
        >>> round(float(path.state(0)["rod.end"].y), 6)
        1.0
        """
        if not isinstance(k, int | np.integer) or not -len(self) <= k < len(self):
            raise ModelError(f"{self.where}: there is no point {k!r}; it has {len(self)}, counted from 0")
        return state_at(self.balance, self.points[k], self.loads)

    def __len__(self) -> int:
        return len(self.points)

    def __str__(self) -> str:
        f = self.factor
        lines = [f"Load path of {self.balance.system.model.name!r}: {self.status}, {len(f)} points"]
        lines.append(f"  load factor {f[0]:g} … {f[-1]:g}, from {f.min():g} to {f.max():g} ({', '.join(self.loads)})")
        lines += [f"  {point}" for point in self.critical]
        lines += [f"  doubtful: {doubt}" for doubt in self.doubts]
        return "\n".join([*lines, f"  {self.message}"] if self.message else lines)

    def __repr__(self) -> str:
        return f"EquilibriumPath({self.balance.system.model.name!r}, {len(self)} points, {self.status})"

    def _repr_html_(self) -> str:
        chosen = np.unique(np.linspace(0, len(self) - 1, min(len(self), reports.MOST_ROWS)).round().astype(int))
        head, columns = ["point", "load factor [–]"], [chosen, self.factor[chosen]]
        if self.omega_squared.shape[1]:
            head, columns = [*head, "lowest ω² [1/s²]"], [*columns, self.omega_squared[chosen, 0]]
        drawn = self.ordered(np.arange(float(len(self)))).small_drawing()
        return reports.report_of(str(self), drawn, reports.table(head, list(zip(*columns))))

    def plot(
        self,
        x: str,
        y: str = "factor",
        path: Any = None,
        *,
        title: str | None = None,
        labels: Mapping[str, str] | None = None,
        x_label: str | None = None,
        y_label: str | None = None,
        ax: Any = None,
        background: str = "light",
    ) -> Figure:
        """One quantity over another (the load factor when not given): unstable parts dashed, critical points marked.
        `labels` replace the names `x` and `y`; all else as of :meth:`Solution.plot <flexmb.Solution.plot>`.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("column")
        >>> of = fm.planar.BeamProperties(EA=1e8, EI=1.0, rhoA=1.0)
        >>> rod = m.add_beam("rod", m.ground, (0, 1), properties=of, elements=2)
        >>> weight = m.point_force(rod.end, (0, -1), name="weight")
        >>> path = fm.equilibrium_path(m, weight, factor=3.0)
        >>> path.plot("rod.end.y").axes[0].get_ylabel()
        'load factor'
        """
        from flexmb.plots.figures import target
        from flexmb.plots.relations import equilibria

        unknown = not self.omega_squared.shape[1] or isinstance(self.balance, SpinningBalance)
        stable = np.ones(len(self), dtype=bool) if unknown else self.stable
        across, up = self.series(x).axis, self.series(y).axis
        marks = [(c.kind, c.value(x), c.value(y)) for c in self.critical]
        name, drawn_on = self.balance.system.model.name, target(path, ax, where := f"plot of {self.where}")
        given = {"title": title, "labels": labels, "x_label": x_label, "y_label": y_label}
        said = words(name, (across.name, up.name), where, **given)
        return equilibria(across, up, stable, marks, said, drawn_on, background)

    def draw(
        self,
        count: int = 9,
        *,
        trails: Any = (),
        magnify: float = 1.0,
        path: Any = None,
        title: str | None = None,
        x_label: str | None = None,
        y_label: str | None = None,
        color_label: str | None = None,
        background: str = "light",
        camera: Any = None,
        up: Any = None,
    ) -> Figure:
        """The mechanism at `count` points along the path, colored by the load factor if it grows along the whole
        path, else by the order of the points; the rest as of :meth:`Solution.draw <flexmb.Solution.draw>`.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("column")
        >>> of = fm.planar.BeamProperties(EA=1e8, EI=1.0, rhoA=1.0)
        >>> rod = m.add_beam("rod", m.ground, (0, 1), properties=of, elements=2)
        >>> weight = m.point_force(rod.end, (0, -1), name="weight")
        >>> path = fm.equilibrium_path(m, weight, factor=3.0)
        >>> path.draw(3).axes[0].get_xlabel()
        'x [m]'
        """
        forward = bool(np.all(np.diff(self.factor) > 0.0))
        ordered = self.ordered(self.factor if forward else np.arange(float(len(self))))
        ordered.time_label = "load factor" if forward else "points along the path"
        shown = min(checks.count(count, "count", f"drawing of {self.where}", least=2), len(self))
        chosen = np.unique(np.linspace(0, len(self) - 1, shown).round().astype(int))
        looks: dict[str, Any] = {"magnify": magnify, "background": background, "camera": camera, "up": up}
        looks |= {"title": title, "x_label": x_label, "y_label": y_label, "color_label": color_label}
        return ordered.draw(ordered.t[chosen], trails=trails, path=path, **looks)

    def subject(self) -> Subject:
        """What a view shows of it: its points in their order, with the loads as they are scaled there.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("column")
        >>> of = fm.planar.BeamProperties(EA=1e8, EI=1.0, rhoA=1.0)
        >>> rod = m.add_beam("rod", m.ground, (0, 1), properties=of, elements=2)
        >>> weight = m.point_force(rod.end, (0, -1), name="weight")
        >>> path = fm.equilibrium_path(m, weight, factor=3.0)
        >>> path.subject().clock
        'point'
        """
        order = np.arange(float(len(self)))
        factors = {name: (order, self.factor) for name in self.loads}
        return Subject(self.ordered(order), "point", PATH_SECONDS, factors=factors, load_time=self.balance.t)

    def ordered(self, order: np.ndarray) -> Solution:
        """All points as a solution, with numbers (k,) that grow from point to point in place of the time.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("column")
        >>> of = fm.planar.BeamProperties(EA=1e8, EI=1.0, rhoA=1.0)
        >>> rod = m.add_beam("rod", m.ground, (0, 1), properties=of, elements=2)
        >>> weight = m.point_force(rod.end, (0, -1), name="weight")
        >>> path = fm.equilibrium_path(m, weight, factor=3.0)
        >>> import numpy as np
        >>> path.ordered(np.arange(float(len(path))))["rod.end.y"].shape == path.factor.shape
        True
        """
        return self._solution(order, still=True)

    def _solution(self, t: np.ndarray, **options: Any) -> Solution:
        q = np.array([p.q for p in self.points])
        forces = np.array([p.system.for_all_rows(p.lam) for p in self.points])
        v, a = (np.array(rows) for rows in zip(*(self.balance.rates(p.q) for p in self.points)))
        found = with_all_rows(self.points[-1].system, t, q, v, a, forces, message=self.message, **options)
        found.doubts += self.doubts
        keep_factors(found, self.loads, self.factor)
        found.load_time = self.balance.t
        return found


@answers_calls
@interruptible
@one_thread
def equilibrium_path(
    model: Model,
    loads: Sequence[Any] | Any = None,
    *,
    factor: float = 1.0,
    steps: int = 20,
    control: str = "arc",
    initial: Any = None,
    at: Sequence[float] = (),
    until: Callable[[State], bool] | None = None,
    max_points: int = 400,
    stability: bool = True,
    count: int = 3,
    t: float = 0.0,
    redundant: str = "remove",
    gaps: str = "refuse",
    tolerance: float = 1e-10,
    controllers: str = "refuse",
    spin: float = 0.0,
    axis: Any = "z",
    center: Vector | None = None,
    rotors: Mapping[str, Any] | None = None,
) -> EquilibriumPath:
    """Follow the equilibria of a mechanism while a factor μ scales some of its loads, from 0 to `factor`.

    Limit points, where the load turns back, and bifurcations, where other paths branch off, are located to ten digits,
    where rounding allows: a column that is 1e8 times as stiff along its axis as across buckles at a load of eight.

    Arguments: `model`; `loads`: forces, torques, distributed loads, actuators or 'gravity', themselves or their names
    (when not given all forces and torques, or gravity if there are none); `factor`: the factor at which to stop;
    `steps`: the range of the factor is divided by it to give the first step, and no step changes the factor by more;
    `control`: "arc" follows the path where the load turns back, "load" stops there; `initial`: a state to begin from,
    or a :class:`CriticalPoint` to leave by the other branch; `at`: factors at which a point is wanted; `until(state)`:
    the path ends when it is true; `max_points`; `stability`: whether to compute the `count` lowest eigenvalues of every
    point, without which no critical points are found; `t` [s] at which functions of time are taken; `redundant`:
    "remove" constraint rows that repeat others, with a warning, or "error"; `gaps` of joints at the start, see
    :func:`flexmb.simulate`; `controllers`: "refuse" a model that has some, or leave their commands "held" at zero;
    `spin`, `axis`, `center`, `rotors`: a path of steady rotations, see :func:`equilibrium`; the loads turn along.

    A path that cannot be followed to its end is returned as far as it goes, with `status` 'stopped' and a `message`.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("column")
    >>> of = fm.planar.BeamProperties(EA=1e8, EI=1.0, rhoA=1.0)
    >>> rod = m.add_beam("rod", m.ground, (0, 1), properties=of, elements=2)
    >>> weight = m.point_force(rod.end, (0, -1), name="weight")
    >>> path = fm.equilibrium_path(m, weight, factor=3.0)
    >>> path.critical[0].kind, round(path.critical[0].factor, 2)  # π²/4 EI/L²
    ('bifurcation', 2.47)
    """
    where = f"load path of model {getattr(model, 'name', model)!r}"
    checks.choice(controllers, CONTROLLERS, "controllers", where)
    system = regular_system(model, checks.number(t, "t", where), redundant=redundant)
    refuse_velocity_rows(system, where)
    leave_out_controllers(model, controllers, where)
    chosen = _chosen(model, loads, where)
    factor = checks.number(factor, "factor", where)
    checks.count(steps, "steps", where, least=1)
    checks.count(max_points, "max_points", where, least=2)
    checks.choice(control, ("arc", "load"), "control", where)
    checks.flag(stability, "stability", where)
    checks.count(count, "count", where)
    if until is not None:
        checks.function(until, "until", where, "state")
    if factor == 0.0:
        raise ModelError(f"{where}: to is 0; give the load factor at which to stop")
    wanted = sorted({checks.number(f, "at", where) for f in checks.row(at, "at", where).tolist()})
    for f in wanted:
        if not min(0.0, factor) <= f <= max(0.0, factor):
            raise ModelError(f"{where}: at {f:g} lies outside of the way from 0 to {factor:g}")
    position, moved = first_position(system, t, None if isinstance(initial, CriticalPoint) else initial, gaps, where)
    rotation, turning = asked_rotation(system, t, spin, axis, center, rotors, 0.0, where)
    unloaded = unloaded_system(model, chosen, system, where)
    if rotation is None:
        balance = Balance(system, t, unloaded)
    else:
        balance = SpinningBalance(system, t, rotation, unloaded, turning)
        exchanged(balance, position, np.zeros(balance.m))
        balance.hold_cyclic(position)
    balance.factor = 0.0
    path = PathEquations(balance, abs(factor) or 1.0, checks.positive(tolerance, "tolerance", where), chosen)
    follower = PathFollower(path, factor, steps, control, wanted, until, max_points, count if stability else 0)
    if isinstance(initial, CriticalPoint):
        first = initial.branch(path)
        follower.length = 0.1 * follower.length
    else:
        first = _first_point(path, initial, position, factor, where)
    refuse_contradiction(balance.system, t, first.q, where)
    follower.run(first)
    if follower.status == "stopped":
        warn(f"model {model.name!r}: {follower.message}", DivergenceWarning)
    if isinstance(balance, SpinningBalance):
        last = follower.points[-1]
        balance.use_rows(last.system.kept)
        balance.factor = last.factor  # steps that failed may have left another one
        balance.check(balance.state(last.q, last.lam), where)
    factors = np.array([point.factor for point in follower.points])
    omega_squared = np.array(follower.values).reshape(len(follower.points), -1)
    flutters = np.array(follower.flutters, dtype=bool)
    ended = (follower.critical, follower.status, follower.message, path.iterations, moved.doubts)
    found = EquilibriumPath(balance, chosen, follower.points, omega_squared, flutters, *ended)
    motion = found.solution
    warn_of_doubts(balance.system, motion.q, lambda: motion.multipliers, where, "load factor {:.3g}", factors)
    return found


def _chosen(model: Model, loads: Any, where: str) -> list[str]:
    """Names of the loads to scale."""
    known = load_names(model)
    if loads is None:
        names = [n for n in known if n != "gravity" and model.components[n].external]
        names = names or [n for n in known if n == "gravity"]
    else:
        given = loads if isinstance(loads, list | tuple | set) else [loads]
        names = [x if isinstance(x, str) else str(getattr(x, "name", x)) for x in given]
    if not names:
        raise ModelError(f"{where}: there is nothing to scale; add a force, a torque or a distributed load")
    given_names.all_different(names, "load", where)
    return names


def _first_point(path: PathEquations, start: Any, q: np.ndarray, to: float, where: str) -> EquilibriumPoint:
    """The equilibrium without the loads, near the state to start from, whose position is q (nq,)."""
    balance = path.balance
    lam = balance.first_multipliers(q)
    if start is not None:
        given = starting_state(start, balance.system, where)
        balance.use_rows(given.system.kept)
        lam = given.lam.copy()
    rest = newton(balance, q, lam, tolerance=path.tolerance, exchange=True)
    point = path.start(0.0, rest.q, rest.lam, 1.0 if to >= 0.0 else -1.0) if rest.converged else None
    if point is None:
        spectrum = lowest_eigenvalues(balance, rest.q, rest.lam, 1)
        if spectrum.free:
            raise EquilibriumError(
                f"{where}: nothing resists this motion of the mechanism without these loads: "
                f"{describe_motion(balance.system, spectrum.shapes[:, 0])}; hold it by a joint, a lock or a spring"
            )
        raise EquilibriumError(
            f"{where}: the mechanism without these loads is not in equilibrium near its start ({rest.reason}); give "
            "the state to start from, e.g. initial=fm.equilibrium(...)"
        )
    return point
