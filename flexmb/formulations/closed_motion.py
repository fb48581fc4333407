"""Motion of a mechanism with loops in joint coordinates, also through its singular positions.

In a singular position, such as that of a parallelogram laid flat, the loop rows lose rank and σ of
:mod:`flexmb.formulations.tree.loops` is zero: the rows determine neither the accelerations nor the branch on which the
mechanism continues. The motion itself is smooth, since only an impulse could make it change branch. What fails is the
evaluation of accelerations there: they, and the effect of position errors on them, are divided by σ. So none are
evaluated there:

1. σ is monitored. Where it falls towards zero, the position of its minimum is predicted on the parabola given by the
present speeds and accelerations. 2. A step of Dormand and Prince's method is placed across it, with the predicted
minimum of σ in the gap between the stages at 1/3 and at 3/5, so that every stage is a seventh of the step length or
more away from it. The states of all stages, and of the end of the step, are projected onto the loops before
accelerations are evaluated: errors across the loops, which 1/σ magnifies, do not enter. The error estimate, along the
loops, is held below the tolerance as in any other step. If it is not, the mechanism first steps closer to the singular
position and then tries a shorter step across.

The branch is that of the smooth motion, and energy is kept (:mod:`flexmb.validation.fold`). All other steps are
ordinary ones of the same method, with the loops closed at their ends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import DOP853
from scipy.optimize import minimize_scalar

from flexmb.errors import FormulationError, ModelError
from flexmb.formulations.tree.loops import Loops
from flexmb.formulations.tree.tree import Tree
from flexmb.machine.threads import one_thread
from flexmb.model import checks
from flexmb.model.model import Model

#: where in a step across a singular position the singular position lies, as a fraction of the step
MIDDLE = 0.467
#: a position counts as singular if the predicted σ is below this fraction of its largest value so far
SINGULAR = 0.02
#: a start is singular if σ is below this fraction of the largest singular value, which is rounding
AT_START = 1e-6
#: A step across a singular position is at most LONGEST times as long as the last step; steps towards it cover at most
#: the fraction PART_OF_WAY of the remaining time.
LONGEST, PART_OF_WAY = 10.0, 0.5
#: fraction of the next step over which the decrease of σ is measured
GLANCE = 0.05
#: Step control: largest and smallest ratio of consecutive steps; target error as a fraction of the tolerance; shortest
#: step as a fraction of the whole motion.
GROWS, SHRINKS, AIM, SHORTEST = 3.0, 0.2, 0.2, 1e-8

#: v̇ (nv,) as a function of joint coordinates and speeds
Accelerations = Callable[[np.ndarray, np.ndarray], np.ndarray]


class ClosedMotion(NamedTuple):
    """The ends of the steps: times t (k,) [s], joint coordinates q (k, nq), speeds v (k, nv) and accelerations vdot
    (k, nv) of the `tree`, σ of its loops (k,); and the predicted times [s] of the `singular` positions that it
    passed."""

    tree: Tree
    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    vdot: np.ndarray
    sigma: np.ndarray
    singular: list[float]

    @property
    def energy(self) -> np.ndarray:
        """The sum of kinetic, strain and potential energy (k,) [J]."""
        states = [self.tree.state(q, v) for q, v in zip(self.q, self.v)]
        system = self.tree.system
        return np.array([float(np.sum(system.energy(t, s.q, s.v)[:3])) for t, s in zip(self.t.tolist(), states)])


@one_thread
def closed_motion(
    model: Model | Tree, t_end: float, *, accelerations: Accelerations | None = None, tolerance: float = 1e-10
) -> ClosedMotion:
    """The motion of a mechanism with loops from its start, in joint coordinates. Singular positions are stepped across,
    on the branch of the smooth motion; if the last step is one of these, it ends a little after t_end [s].

    `accelerations`: v̇ = f(q, v) with the loops closed, such as a bound formulation that takes loops; when not given,
    Lagrange's equations of the tree and its loops (:meth:`flexmb.Loops.accelerations`), under all forces of the model,
    which may depend on time. Events and controllers are refused. `tolerance`: of a step, in radians and lengths of the
    model.

    >>> import flexmb as fm
    >>> from flexmb.examples.four_bar import build
    >>> motion = fm.closed_motion(build(start=1.0471975512), 0.5)  # it falls, and lies flat on its way
    >>> [round(t, 4) for t in motion.singular], bool(abs(motion.energy - 9.81).max() < 1e-9)
    ([0.3143], True)
    """
    tree = model if isinstance(model, Tree) else Tree.of(model)
    where = f"closed_motion of {tree.model.where}"
    tolerance, t_end = checks.positive(tolerance, "tolerance", where), checks.positive(t_end, "t_end", where)
    loops = Loops(tree)
    unasked = [*tree.model.events, *tree.model.controllers]
    if unasked:
        raise FormulationError(
            f"{where}: the model has event or controller {unasked[0]!r}, which it does not ask; take fm.simulate with "
            "a formulation, which does"
        )
    f = loops.accelerations if accelerations is None else _checked(accelerations, tree.nv, where)
    way = _Way(loops, f, tolerance, t_end)
    while way.t < t_end:
        way.on()
    t, q, v, vdot, sigma = (np.array(column) for column in zip(*way.kept))
    return ClosedMotion(tree, t, q, v, vdot, sigma, way.singular)


def _checked(accelerations: Any, size: int, where: str) -> Callable[..., np.ndarray]:
    """The user's own function for accelerations, made to check the array (nv,) that it returns."""
    if not callable(accelerations):
        raise ModelError(
            f"{where}: accelerations must be a function of q and v, such as fm.road(tree, 'ada'), not "
            f"{checks.quoted(accelerations)}"
        )

    def f(x: np.ndarray, u: np.ndarray, t: float) -> np.ndarray:
        found = accelerations(x, u)
        if not (isinstance(found, np.ndarray) and found.shape == (size,) and found.dtype.kind in "fiu"):
            raise ModelError(
                f"{where}: accelerations must return an array of {size} numbers, not {checks.quoted(found)}"
            )
        return found

    return f


class _End(NamedTuple):
    """The state at the end of a step, and its error in units of the tolerance."""

    x: np.ndarray
    u: np.ndarray
    error: float


class _Way:
    """The integration: the present state, the step size and the states kept."""

    def __init__(self, loops: Loops, f: Callable[..., np.ndarray], tolerance: float, t_end: float) -> None:
        self.loops, self.f, self.tolerance, self.t_end = loops, f, tolerance, t_end
        self.kept: list[tuple[Any, ...]] = []
        self.singular: list[float] = []
        self.largest, self.h, self.t = 0.0, 1e-3 * t_end, 0.0
        x, u = loops.tree.start()
        if loops.rank and loops.sigma(x) < AT_START * loops.singular_values(x)[0]:
            raise FormulationError(
                f"closed_motion of {loops.tree.model.where}: it begins in a singular position of the loops that "
                f"{', '.join(map(repr, loops.tree.chords))} close, which do not say there which way it goes; begin "
                "beside it"
            )
        self._arrive(*loops.closed(x, u))

    def on(self) -> None:
        """Take one step."""
        there = self._singular_in()
        if np.isfinite(there) and there / MIDDLE <= LONGEST * self.h and self._over(there):
            return
        longest = min(self.t_end - self.t, PART_OF_WAY * there)
        while True:
            h = min(self.h, longest)
            if h < SHORTEST * self.t_end:
                self._stuck()
            end = self._step(h, closing=False)
            factor = (AIM / max(end.error, 1e-16)) ** (1.0 / 8.0)
            longer = h * min(GROWS, max(SHRINKS, factor))
            if end.error <= 1.0:
                self.h = max(self.h, longer) if h < self.h else longer
                self.t = self.t_end if h == self.t_end - self.t else self.t + h
                self._arrive(end.x, end.u)
                return
            self.h = min(longer, 0.8 * h)

    def _arrive(self, x: np.ndarray, u: np.ndarray) -> None:
        """Make a state the present one: find its accelerations and σ, and keep it."""
        self.x, self.u, self.ud = x, u, np.array(self.f(x, u, self.t), dtype=float)
        if not checks.all_finite(self.ud):
            k = int(np.argmin(np.isfinite(self.ud)))
            raise FormulationError(
                f"closed_motion of {self.loops.tree.model.where}: the acceleration of {self.loops.tree.names[k]!r} at "
                f"t = {self.t:.6g} s is {self.ud[k]}; look at the forces, or at your own accelerations"
            )
        self.sigma = self.loops.sigma(x)
        self.largest = max(self.largest, self.sigma)
        self.kept.append((self.t, x, u, self.ud, self.sigma))

    def _foreseen(self, h: float) -> np.ndarray:
        """Joint coordinates after a time h [s], extrapolated with the present speeds and accelerations."""
        return self.loops.moved(self.x, h * (self.u + 0.5 * h * self.ud))

    def _singular_in(self) -> float:
        """The predicted time [s] to the singular position ahead; infinite if there is none near."""
        glance = GLANCE * self.h
        fall = (self.sigma - self.loops.sigma(self._foreseen(glance))) / glance if self.loops.rank else 0.0
        if not fall * LONGEST * self.h > self.sigma:
            return np.inf
        found = minimize_scalar(
            lambda h: self.loops.sigma(self._foreseen(h)) ** 2, bounds=(0.0, 3.0 * self.sigma / fall), method="bounded",
            options={"xatol": 1e-4 * self.sigma / fall},
        )  # fmt: skip
        return float(found.x) if np.sqrt(found.fun) < SINGULAR * self.largest else np.inf

    def _over(self, there: float) -> bool:
        """Try a step across the singular position predicted in `there` seconds; whether it succeeded."""
        h = there / MIDDLE
        try:
            end = self._step(h, closing=True)
        except FormulationError:  # its stages are too far from the loops
            return False
        if not end.error <= 1.0:
            return False
        self.singular.append(float(self.t + there))
        self.t += h
        self._arrive(end.x, end.u)
        return True

    def _step(self, h: float, closing: bool) -> _End:
        """A step of Dormand and Prince's method; with `closing` its stages are projected onto the loops."""
        loops, nq = self.loops, len(self.x)
        y, slopes = np.concatenate([self.x, self.u]), np.zeros((DOP853.n_stages + 1, len(self.x) + len(self.u)))
        slopes[0] = np.concatenate([loops.rates(self.x, self.u), self.ud])
        for i in range(1, DOP853.n_stages):
            x, u = np.split(y + h * (DOP853.A[i, :i] @ slopes[:i]), [nq])
            if closing:
                x, u = loops.closed(x, u)
            slopes[i] = np.concatenate([loops.rates(x, u), self.f(x, u, self.t + h * float(DOP853.C[i]))])
        x, u = np.split(y + h * (DOP853.B @ slopes[:-1]), [nq])
        if not (np.isfinite(x).all() and np.isfinite(u).all()):
            return _End(self.x, self.u, np.inf)
        x, u = loops.closed(loops.moved(x, np.zeros(len(u))), u)
        slopes[-1] = np.concatenate([loops.rates(x, u), self.f(x, u, self.t + h)])
        return _End(x, u, self._error(h, x, u, slopes))

    def _error(self, h: float, x: np.ndarray, u: np.ndarray, slopes: np.ndarray) -> float:
        """The error of a step along the loops; the part across them is removed by the projection at its end."""
        loops = self.loops
        C = loops.at(x).C
        parts, sizes = loops.parts(x, C) if loops.rank else None, []
        allowed = self.tolerance, self.tolerance * (1.0 + float(np.max(np.abs(u))))
        for weights in (DOP853.E5, DOP853.E3):
            of_x, of_u = np.split(h * (weights @ slopes), [len(x)])
            size = 0.0
            for e, most in zip((loops.speeds(x, of_x), of_u), allowed):
                along = e - parts.shortest(C @ e) if parts else e
                size = max(size, float(np.max(np.abs(along))) / most)
            sizes.append(size)
        E, F = sizes
        return E * E / np.hypot(E, 0.1 * F) if E > 0.0 else 0.0

    def _stuck(self) -> None:
        loops = self.loops
        near = self.sigma < SINGULAR * self.largest
        why = (
            f"σ of {', '.join(map(repr, loops.tree.chords))} is {self.sigma:.2g} there, a singular position"
            if near
            else ("the error stays larger than is allowed in ever shorter steps")
        )
        raise FormulationError(
            f"closed_motion of {loops.tree.model.where}: no step goes on from t = {self.t:.6g} s: {why}"
        )
