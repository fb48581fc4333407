"""One instant of a mechanism: what analyses start from and give back."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.errors import ControlError, ModelError
from flexmb.forces.callbacks import raise_failures
from flexmb.interruption import interruptible
from flexmb.model import checks
from flexmb.system.system import System
from flexmb.system.threads import one_thread

if TYPE_CHECKING:
    from flexmb.model.planar import PlanarModel
    from flexmb.results.solution import Solution


@dataclass(frozen=True, eq=False)
class State:
    """Positions, speeds, accelerations and joint forces of a mechanism at one time.

    Arguments: `system`; `t` [s]; `q`, `v`, `a` (n,); `lam` (m,), the multipliers; `held`: the commands of controllers
    are held as they are, so that analyses of the state leave controllers out. Places and quantities go by the
    names that a :class:`~flexmb.Solution` knows; `flexmb.simulate(model, t_end, start=state)` goes on from it.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=2.0, inertia=0.1, position=(3, 4))
    >>> state = initial_state(m)
    >>> state["body"].position.tolist(), state["body.y"]
    ([3.0, 4.0], 4.0)
    """

    system: System
    t: float
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    held: bool = False

    @property
    def model(self) -> PlanarModel:
        """The model whose state it is."""
        return self.system.model

    @cached_property
    def solution(self) -> Solution:
        """The instant as a solution of one time, with all that solutions can."""
        return as_solution(
            self.system,
            np.array([self.t]),
            *(np.atleast_2d(np.asarray(x, dtype=float)) for x in (self.q, self.v, self.a, self.lam)),
        )

    def __getitem__(self, key: Any) -> Any:
        """A place ('rod.end', `rod.at(0.5)`: a :class:`Place`) or the number of a quantity ('rod.end.y')."""
        found = self.solution[key]
        return float(found[0]) if isinstance(found, np.ndarray) else Place(found)

    def reaction(self, joint: Any, on: Any = None) -> tuple[np.ndarray, float]:
        """Force (2,) [N] and moment [Nm] that a joint exerts, see :meth:`flexmb.Solution.reaction`."""
        force, moment = self.solution.reaction(joint, on)
        return force[0], float(moment[0])

    def __repr__(self) -> str:
        return f"State({self.model.name!r}, t = {self.t:g} s)"


class Place:
    """Where a frame or a point of a beam is, and how it moves, at one instant: the entries of a
    :class:`~flexmb.results.track.Track` without their time."""

    def __init__(self, track: Any) -> None:
        self._track = track

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        value = getattr(self._track, name)
        if not isinstance(value, np.ndarray):
            return value
        return value[0] if value.ndim > 1 else float(value[0])

    def __repr__(self) -> str:
        x, y = self.position
        return f"Place({self._track.name!r}, x = {x:.6g} m, y = {y:.6g} m, angle = {self.angle:.6g} rad)"


def as_solution(
    system: System, t: np.ndarray, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray, **options: Any
) -> Solution:
    """States (k rows) of a system as a solution."""
    from flexmb.results.layout import Layout
    from flexmb.results.solution import Solution
    from flexmb.results.sources import Live

    return Solution(Layout.of(system), Live(system), t, q, v, a, lam, model=system.model, **options)


@interruptible
@one_thread
def initial_state(model: PlanarModel, t: float = 0.0, *, redundant: str = "error") -> State:
    """The state that the model describes, joints closed, with the accelerations and joint forces that follow.

    Arguments: `model`; `t` [s]; `redundant`: "error", or "remove" constraint rows that depend on others.
    """
    system = regular_system(model, t, redundant=redundant)
    return _settled(system, t, system.q0, system.v0)


def _settled(system: System, t: float, q: np.ndarray, v: np.ndarray) -> State:
    """Positions and speeds that meet the constraints, with the accelerations and joint forces that follow from them (a
    step of an integration has them to its own accuracy only)."""
    from flexmb.solvers.initial import consistent_state

    try:
        q, v, a, lam, _, _ = consistent_state(system, t, q, v)
    finally:  # what a force in Python raised says more than what came of it
        raise_failures(system.model.components.values())
    n = system.n
    return State(system, t, q[:n], v[:n], a[:n], lam)


def regular_system(model: PlanarModel, t: float = 0.0, *, redundant: str = "error") -> System:
    """The system of a model, its constraint rows independent of one another in the initial position."""
    from flexmb.model.planar import PlanarModel
    from flexmb.solvers.rank import redundant_rows

    if not isinstance(model, PlanarModel):
        raise ModelError(f"{model!r} is not a model; give a PlanarModel")
    checks.choice(redundant, ("error", "remove"), "redundant", f"model {model.name!r}")
    system = System(model)
    dropped = redundant_rows(system, t, system.q0, raise_error=redundant == "error")
    if len(dropped):
        system = System(model, kept_rows=np.setdiff1d(np.arange(system.m), dropped))
    return system


#: what an analysis may do about controllers: refuse models that have some, or hold their commands
CONTROLLERS = ("refuse", "held")


def leave_out_controllers(model: PlanarModel, controllers: str, where: str, and_so: str = "") -> None:
    """Refuse a model with controllers, of which an analysis knows nothing, unless their commands are to be held."""
    if controllers != "held" and model.controllers:
        names = ", ".join(map(repr, model.controllers))
        raise ControlError(
            f"{where}: it has the controller{'s' * (len(model.controllers) > 1)} {names}, of which this analysis knows "
            f"nothing; controllers='held' leaves commands as they are (zero in a model){and_so}"
        )


def analysed_state(about: Any, where: str, controllers: str = "refuse", and_so: str = "") -> State:
    """The state meant, as :func:`state_of` has it, for an analysis that leaves controllers out or refuses them."""
    state = state_of(about, where)
    named = f"{where} of model {state.model.name!r}"
    checks.choice(controllers, CONTROLLERS, "controllers", named)
    if not state.held:
        leave_out_controllers(state.model, controllers, named, and_so)
    return state


def state_of(about: Any, where: str) -> State:
    """The state meant by a model, a state, a solution (its last time) or a result that has a `state`.

    Raises a ModelError for anything else, and for a sweep of a drive, whose rates are not rates of time.
    """
    from flexmb.model.planar import PlanarModel
    from flexmb.results.solution import Solution
    from flexmb.results.sources import Live

    if isinstance(about, State):
        return about
    if isinstance(about, PlanarModel):
        return initial_state(about)
    if isinstance(about, Solution):
        if not isinstance(about.source, Live):
            raise ModelError(f"{where}: a solution from a file has no model; give a state or a fresh solution")
        if getattr(about, "drive", None) is not None:
            raise ModelError(f"{where}: a sweep of a drive has no rates in time; give kinematics over time")
        if about.still:
            q, v, a, lam = (np.array(x[-1]) for x in (about.q, about.v, about.a, about.multipliers))
            return State(about.source.system, float(about.t[-1]), q, v, a, lam)
        return _settled(about.source.system, float(about.t[-1]), about.q[-1], about.v[-1])
    state = getattr(about, "state", None)
    if isinstance(state, State):
        return state
    raise ModelError(f"{where}: {about!r} says no state; give a model, a state, a solution or an equilibrium")
