"""One instant of a mechanism: what analyses start from and give back."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy

from flexmb.machine import reports
from flexmb.model.hints import AnswersCalls
from flexmb.model.model import Model
from flexmb.results.contents import places
from flexmb.results.layout import Layout
from flexmb.results.solution import Solution
from flexmb.results.sources import SystemSource
from flexmb.results.tracks.spatial_track import Track
from flexmb.results.tracks.stress_track import StressField, StressTrack
from flexmb.system.system import System


@dataclass(frozen=True, eq=False)
class State(metaclass=AnswersCalls):
    """Positions, speeds, accelerations and joint forces of a mechanism at one time.

    Arguments: `system`; `t` [s]; `q` (nq,); `v`, `a` (n,); `lam` (m,), the multipliers of the rows of `system`;
    `held`: the commands of controllers stay as they are, so that analyses of the state leave controllers out; `doubts`:
    why it may not be the state that was meant, such as gaps of joints that had to be closed, a sentence each. Places
    and quantities have the same names as in a :class:`~flexmb.Solution`; `flexmb.simulate(model, t_end, initial=state)`
    goes on from it.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=2.0, inertia=0.1, position=(3, 4))
    >>> state = fm.assemble(m)
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
    doubts: tuple[str, ...] = ()

    @property
    def model(self) -> Model:
        """The model whose state it is."""
        return self.system.model

    @cached_property
    def solution(self) -> Solution:
        """The instant as a solution with one time, which can do all that solutions can."""
        instant = as_solution(
            self.system,
            np.array([self.t]),
            *(np.atleast_2d(np.asarray(x, dtype=float)) for x in (self.q, self.v, self.a, self.lam)),
        )
        instant.doubts = list(self.doubts)
        return instant

    def __getitem__(self, key: Any) -> Any:
        """A place ('rod.end', `rod.at(0.5)`: a :class:`Place`), the number of a quantity ('rod.end.y'), or a stress of
        a body ('bracket.von_mises': a :class:`~flexmb.results.tracks.stress_track.StressField`)."""
        track = self.solution[key]
        if isinstance(track, np.ndarray):
            return float(track[0])
        return StressField(track) if isinstance(track, StressTrack) else Place(track)

    def reaction(self, joint: Any, frame: Any = None, axes: str = "ground") -> tuple[np.ndarray, Any]:
        """Force (2,) [N] and moment [Nm] that a joint exerts, in space (3,) both, see
        :meth:`flexmb.Solution.reaction`.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("pendulum", gravity=(0, -9.81))
        >>> bob = m.add_body("bob", mass=2.0, inertia=0.1, position=(1, 0))
        >>> hinge = m.revolute(m.ground, bob.attach("pivot", (-1, 0)), name="hinge")
        >>> force, moment = fm.equilibrium(m).state.reaction("hinge")
        >>> force.round(6).tolist()
        [0.0, 19.62]
        """
        force, moment = self.solution.reaction(joint, frame, axes)
        return force[0], float(moment[0]) if moment.ndim == 1 else moment[0]

    def __repr__(self) -> str:
        return f"State({self.model.name!r}, t = {self.t:g} s)"

    def _repr_html_(self) -> str:
        doubts = [f"doubtful: {doubt}" for doubt in self.doubts]
        return reports.report(
            f"State of {self.model.name!r} at t = {self.t:g} s",
            doubts,
            self.solution.small_drawing(),
            places(self.solution),
        )


class Place(metaclass=AnswersCalls):
    """Where a frame or a point of a beam is, and how it moves, at one instant: the entries of a
    :class:`~flexmb.results.tracks.track.Track`, or of a joint's track, without their time.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("pendulum", gravity=(0, -9.81))
    >>> bob = m.add_body("bob", mass=2.0, inertia=0.1, position=(1, 0))
    >>> hinge = m.revolute(m.ground, bob.attach("pivot", (-1, 0)), name="hinge")
    >>> place = fm.equilibrium(m)["bob"]
    >>> place.position.round(9).tolist(), place.velocity.round(9).tolist()
    ([0.0, -1.0], [0.0, 0.0])
    """

    def __init__(self, track: Any) -> None:
        self._track = track

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        value = getattr(self._track, name)
        if callable(value):
            return lambda *args, **named: _at_one_time(value(*args, **named))
        return _at_one_time(value)

    def __repr__(self) -> str:
        if shown := getattr(self._track, "shown", ()):
            values = ", ".join(f"{what} = {getattr(self, what):.6g}" for what in shown)
            return f"Place({self._track.name!r}, {values})"
        places = ", ".join(f"{axis} = {x:.6g} m" for axis, x in zip("xyz", self.position))
        if len(self.position) == 2:
            return f"Place({self._track.name!r}, {places}, angle = {self.angle:.6g} rad)"
        turned = ", ".join(f"{x:.6g}" for x in self.orientation.as_rotvec())
        return f"Place({self._track.name!r}, {places}, turned by ({turned}) rad)"


def _at_one_time(value: Any) -> Any:
    """What stands in a track of one time, or the place whose track it is."""
    if isinstance(value, Track):
        return Place(value)
    if isinstance(value, scipy.spatial.transform.Rotation):
        return value[0]
    if not isinstance(value, np.ndarray):
        return value
    return value[0] if value.ndim > 1 else value[0].item()


def as_solution(
    system: System, t: np.ndarray, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray, **options: Any
) -> Solution:
    """States (k rows) of a system as a solution."""
    return with_all_rows(system, t, q, v, a, system.for_all_rows(lam), **options)


def with_all_rows(
    system: System, t: np.ndarray, q: np.ndarray, v: np.ndarray, a: np.ndarray, forces: np.ndarray, **options: Any
) -> Solution:
    """States (k rows) of a system as a solution, with the multipliers of all constraint rows of the model."""
    return Solution(Layout.of(system), SystemSource(system), t, q, v, a, forces, model=system.model, **options)
