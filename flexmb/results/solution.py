"""The solution of a run: the motion, by names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from flexmb.errors import ModelError, NamingError
from flexmb.machine import reports
from flexmb.model import checks, given_names, given_times
from flexmb.model.hints import Answering
from flexmb.model.model import Model
from flexmb.results import names
from flexmb.results.beams.beam_results import BeamResults
from flexmb.results.between_steps.interpolation import Interpolation
from flexmb.results.between_steps.nodes import States, StepAgain
from flexmb.results.body_results import BodyResults
from flexmb.results.contents import contents
from flexmb.results.energy.ledger import Ledger
from flexmb.results.events import EventRecord
from flexmb.results.layout import Layout
from flexmb.results.pictures.shown import Shown
from flexmb.results.reactions import Reactions
from flexmb.results.recorded import MadeLater
from flexmb.results.signals import Logs
from flexmb.results.sources import Source
from flexmb.results.spectrum import Swings
from flexmb.results.subject import CLOCK, PATH_SECONDS, Subject
from flexmb.results.support import Support, support
from flexmb.results.tracks.track import seen_from
from flexmb.results.tracks.whole_track import WholeTrack
from flexmb.results.written import Written

#: events that a summary names
MOST_EVENTS = 10
#: the largest number of times for which a notebook, unasked, makes the energy ledger
MOST_TIMES = 20_000


class Solution(BeamResults, BodyResults, Reactions, Swings, Written, Shown, Answering):
    """The motion of a mechanism at k times; `simulate` returns it, `flexmb.load` reads it from a file.

    `t` (k,) [s]; `q` (k, nq): coordinates, named by `coordinate_names`; `v`, `a` (k, n): speeds and accelerations, in
    the order of the coordinates, of orientations angular ones in their own axes (:mod:`flexmb.kernels.blocks`);
    `multipliers` (k, m), those of all constraint rows, zero while a joint is off; `status`: 'finished', 'stopped' (by
    an event), 'diverged', 'interrupted' or 'failed', with a `message`; `doubts`: why the motion may be wrong although
    the run came to its end, a sentence each; `statistics` of the run; `events`: what events did, in their order, each
    an :class:`EventRecord`; where they switched components, there are two times at one instant, before and behind;
    `control`: what its sampled controllers read and commanded, by name; `model` (None when it was read from a file);
    `still`: whether it is a row of equilibria, not a motion with speeds; `order`: that of the method, to which
    :meth:`at` interpolates.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("pendulum", gravity=(0, -9.81))
    >>> bob = m.add_body("bob", mass=2.0, inertia=0.1, position=(1, 0))
    >>> hinge = m.revolute(m.ground, bob.attach("pivot", (-1, 0)), name="hinge")
    >>> solution = fm.simulate(m, 0.1, step=0.01)
    >>> solution["bob"].position.shape
    (11, 2)
    >>> solution["bob.pivot.y"].shape
    (11,)
    >>> force, moment = solution.reaction("hinge")
    >>> [round(float(x), 3) for x in force[0]]
    [0.0, 0.934]
    """

    def __init__(
        self,
        layout: Layout,
        source: Source,
        t: np.ndarray,
        q: np.ndarray,
        v: np.ndarray,
        a: np.ndarray,
        multipliers: np.ndarray | MadeLater,
        *,
        status: str = "finished",
        message: str = "",
        statistics: Any = None,
        model: Model | None = None,
        still: bool = False,
        order: int = 2,
        again: StepAgain | None = None,
    ) -> None:
        self.layout, self.source = layout, source
        self.t, self.q, self.v, self.a, self._multipliers = t, q, v, a, multipliers
        self.status, self.message = status, message
        self._statistics, self.model, self.still = statistics, model, still
        self.order, self.again = order, again
        self.control = Logs()
        self.doubts: list[str] = []
        self.events: Sequence[Any] = []
        #: names of the events that had happened before, in the run from which this one went on
        self.earlier_events: Sequence[str] = []
        #: the name and unit of the times in diagrams, pictures and tables
        self.time_label = CLOCK
        #: the time at which loads as functions of time are read, if the times are something else [s]
        self.load_time: float | None = None
        #: the run at whose times this solution was interpolated, which knows how many turns joints have made
        self.original: Solution | None = None

    #: what to write for words that other programs have
    _hints: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("time", "times"), "solution.t"),
        **dict.fromkeys(("y", "coordinates", "x"), "solution.q, or by name solution['body'].position"),
        **dict.fromkeys(("position", "positions", "angle", "bodies", "frames"), "solution['body'].position, by name"),
        **dict.fromkeys(("velocity", "velocities", "speeds"), "solution.v, or by name solution['body'].velocity"),
        **dict.fromkeys(("acceleration", "accelerations"), "solution.a, or by name solution['body'].acceleration"),
        **dict.fromkeys(("names", "keys", "columns"), "solution.coordinate_names"),
        **dict.fromkeys(("reactions", "forces", "joint_forces"), "solution.reaction('joint')"),
        **dict.fromkeys(("success", "converged"), "solution.trustworthy, or solution.status"),
        **dict.fromkeys(("stats", "info"), "solution.statistics"),
        **dict.fromkeys(("to_hdf5", "export", "write"), "solution.save(path)"),
        **dict.fromkeys(("show", "render", "movie"), "solution.view(), solution.draw() or solution.animate(path)"),
        "lam": "solution.multipliers",
        "to_dataframe": "solution.to_pandas()",
    }

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.layout.model

    @property
    def trustworthy(self) -> bool:
        """Whether the run came to its end and nothing speaks against its motion: energy balances about as well as the
        method promises, and no beam is bent beyond the range of its theory. If not, `message` or `doubts` say why."""
        return self.status in ("finished", "stopped") and not self.doubts

    @property
    def where(self) -> str:
        """The solution as messages name it."""
        return f"solution {self.name!r}"

    @property
    def coordinate_names(self) -> list[str]:
        """Names of the nq coordinates, in the order of the columns of `q`."""
        return self.layout.coordinates

    # -- by name -------------------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Any:
        """A :class:`Track` of a frame ('rod.end'), a body ('stone') or a point of a beam ('rod@0.25', `rod.at(0.25)`);
        a series (k,) of one quantity ('rod.end.y', 'rod@0.25.vx', 'rod@0.25.bending_moment', 'hinge.fx',
        'energy.total', 'whole.center_of_mass.x', 'rod.bending1'). A joint with coordinates ('hinge') is a
        :class:`JointTrack`, with series of them ('hinge.angle', 'hinge.rate', 'hinge.acceleration'). A contact
        ('floor') is a :class:`ContactTrack`, with series ('floor.gap', 'floor.normal_force'), a stop ('buffer') a
        :class:`StopTrack` ('buffer.force'); what rolls has a 'road.normal_force', negative where its surfaces had to
        pull, and a 'road.friction_force'. Sections of beams have strain, curvature, axial_force, shear_force,
        bending_moment, stress, stress_top and stress_bottom, see :mod:`flexmb.results.beams.sections`. A body with a
        mesh has stresses, a :class:`StressTrack` 'bracket.von_mises', and at a node the series
        'bracket@17.von_mises'."""
        name = names.key_name(self, key)
        self._belongs(key)
        finds = (names.find_track, names.find_touch, names.find_joint, names.find_stress)
        track = next((track for find in finds if (track := find(self, name)) is not None), None)
        return track if track is not None else self.series(name, any_kind=True).values

    def track(self, key: Any) -> Any:
        """The motion of a frame, a body or a point of a beam: a :class:`~flexmb.results.tracks.track.Track`, or in
        space a :class:`~flexmb.results.tracks.spatial_track.Track`.

        >>> import flexmb as fm
        >>> from flexmb.examples.pendulum import build
        >>> fm.simulate(build(), 0.1, step=0.01).track("rod.end").velocity[-1].round(2).tolist()
        [-0.12, -0.96]
        """
        name = names.key_name(self, key)
        self._belongs(key)
        track = names.find_track(self, name)
        if track is None:
            raise given_names.unknown(name, names.track_names(self), "frame, body or point of a beam", self.where)
        return track

    def series(self, name: str, *, any_kind: bool = False) -> names.Series:
        """One quantity over time with its unit, by name.

        >>> import flexmb as fm
        >>> from flexmb.examples.pendulum import build
        >>> height = fm.simulate(build(), 0.1, step=0.01).series("rod.end.y")
        >>> height.unit, float(height.values[-1].round(2))
        ('m', -0.05)
        """
        name = names.key_name(self, name)
        series = names.find_series(self, name)
        if series is None:
            raise names.unknown_name(self, name, series=not checks.flag(any_kind, "any_kind", self.where))
        return series

    def coordinate(self, name: str) -> np.ndarray:
        """A coordinate (k,) of the system by its name, e.g. 'rod.bending1', or of a joint: 'hinge.angle'.

        >>> import flexmb as fm
        >>> from flexmb.examples.pendulum import build
        >>> float(fm.simulate(build(), 0.1, step=0.01).coordinate("rod.end.angle")[-1].round(3))
        0.033
        """
        name = names.key_name(self, name)
        if name not in self.layout.coordinates:
            of_joints = names.joint_coordinates(self.layout)
            if name in of_joints:
                return self.series(name).values
            raise given_names.unknown(name, [*self.layout.coordinates, *of_joints], "coordinate", self.where)
        return self.q[:, self.layout.coordinates.index(name)]

    def relative(self, key: Any, to: Any) -> Any:
        """The motion of a frame, body or point as an observer on the frame `to` sees it, in its axes.

        >>> import flexmb as fm
        >>> from flexmb.examples.pendulum import build
        >>> fm.simulate(build(), 0.1, step=0.01).relative("rod.end", to="rod.start").position[-1].round(2).tolist()
        [0.99, 0.11]
        """
        return seen_from(self.track(key), self.track(to))

    def is_on(self, component: Any) -> np.ndarray:
        """Whether a component takes part, at each of the k times: not before it is switched on, nor after it is
        switched off. At the instant itself there are two times, before and behind.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("stone", gravity=(0, -9.81))
        >>> stone = m.add_body("stone", mass=1.0, inertia=0.1)
        >>> thread = m.revolute(m.ground, stone.frame, name="thread")
        >>> cut = m.add_event(0.2, fm.Switch(off=thread), name="cut")
        >>> fm.simulate(m, 0.3, step=0.1).is_on("thread").tolist()
        [True, True, True, False, False]
        """
        name = component if isinstance(component, str) else getattr(component, "name", component)
        layout = self.layout
        known = (
            self.model.components if self.model else {*layout.pairs, *layout.bodies, *layout.beams, *layout.joints()}
        )
        given_names.known(name, known, "component", self.where)
        return np.array([name not in off for off in self.source.off(self)])

    def _belongs(self, key: Any) -> None:
        """Refuse a frame of another model that happens to have a known name."""
        parts: tuple[Any, ...] = (key, getattr(key, "beam", None), getattr(key, "frame", None))
        owner = next((part.model for part in parts if hasattr(part, "model")), None)
        if self.model is not None and owner is not None and owner is not self.model:
            raise NamingError(f"{self.where}: {key!r} belongs to model {owner.name!r}, which is another one")

    # -- forces and energy ---------------------------------------------------------------------------------

    @property
    def statistics(self) -> Any:
        """Counts and errors of the run, see :class:`~flexmb.results.statistics.Statistics`; None if there are none."""
        if self._statistics is not None and isinstance(self._multipliers, MadeLater):
            self._multipliers.note(self._statistics)
        return self._statistics

    @property
    def basic_multipliers(self) -> np.ndarray:
        """As `multipliers`, with zeros in the rows that the run left out."""
        late = self._multipliers
        return late.all() if isinstance(late, MadeLater) else late

    @basic_multipliers.setter
    def basic_multipliers(self, multipliers: np.ndarray) -> None:
        self._multipliers = multipliers

    def _multipliers_at(self, rows: np.ndarray) -> np.ndarray:
        """The `basic_multipliers` of these rows of the solution."""
        late = self._multipliers
        return late.of(rows) if isinstance(late, MadeLater) else late[rows]

    @cached_property
    def multipliers(self) -> np.ndarray:
        """The multipliers (k, m) of all constraint rows, in the order of `layout.rows`. Where rows repeat one another,
        they are the smallest that hold the mechanism; :meth:`reaction`, names such as 'hinge.fx' and files have these.
        `basic_multipliers` do the same with zeros in the rows that the run left out: the ledger and analyses take
        them. Of a solution from a file both are the smallest."""
        return self.source.least_multipliers(self)

    @cached_property
    def energy(self) -> Ledger:
        """The energy ledger of the run, see :class:`Ledger`."""
        return self.source.ledger(self)

    @cached_property
    def whole(self) -> WholeTrack:
        """The mechanism as a whole: mass center, momenta, what carries it and the zero-moment point, see
        :class:`WholeTrack`."""
        numbers = self.source.whole(self)
        if numbers is None:
            raise NamingError(f"{self.where}: its file is older than tracks of the whole; run it and save it again")
        return WholeTrack(self.name, self.t, numbers, np.asarray(self.layout.gravity, dtype=float))

    def support(self) -> Support:
        """What the mechanism stands on: the polygon of its contacts with the ground, and how far the zero-moment point
        lies inside, see :class:`Support`.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("post", gravity=(0, -9.81))
        >>> post = m.add_body("post", mass=10.0, inertia=1.0, position=(0, 0.5))
        >>> for x in (-0.4, 0.6):
        ...     _ = m.contact(m.ground, post.attach(f"foot {x}", (x, -0.5)), fm.HalfPlane("y"), stiffness=1e5)
        >>> fm.simulate(m, 0.1, progress=False).support().contacts
        ['contact 1', 'contact 2']
        """
        return support(self)

    # -- other times ---------------------------------------------------------------------------------------

    def at(self, times: Any) -> Solution:
        """The solution at other times [s] within the run, about as accurate as at its steps. Of a method of second
        order: positions and speeds by cubic Hermite polynomials (orientations by such cubics on their group),
        accelerations and multipliers by lines; equilibria (`still`) by lines and steady turns. Of methods of higher
        order: quintics, and polynomials through six steps, where the motion is smooth, see
        :mod:`flexmb.results.between_steps.interpolation`. Long steps of explicit methods are made again, see
        :mod:`flexmb.results.between_steps.nodes`. A solution from a file has the same coordinates, speeds,
        accelerations and multipliers there as the run, and all that follows from them; its points and sections of
        beams, which it holds at its own times, are interpolated themselves, to the same order, and so are the forces of
        joints and energies. The work of the ledger since the first of the times is summed up over steps and parts of
        steps, see :mod:`flexmb.results.energy.powers`; that of a file, and between chosen times, follows from its
        values there.

        Where the motion jumps, at an event, it is that behind the jump; a time that is given twice in a row is on both
        sides, before and behind.

        >>> import flexmb as fm
        >>> from flexmb.examples.pendulum import build
        >>> fm.simulate(build(), 0.1, step=0.01).at([0.055])["rod.end.y"].round(4).tolist()
        [-0.0148]
        """
        return self._at(times, self.again)

    def _at(self, times: Any, again: StepAgain | None) -> Solution:
        """The solution at other times, with the states inside of steps that `again` gives."""
        t = given_times.times(times, "t", self.where)
        if not len(t):
            raise ModelError(f"{self.where}: there is no time in the list; give one or more")
        between = Interpolation(self.t, t, self.where, self.order)
        known = States(self.q, self.v, self.a, self.basic_multipliers)
        there = between.states(known, self.layout.orientations, straight=self.still, again=again)
        solution = Solution(
            self.layout,
            self.source.between(self, between, there),
            t,
            *there[0],
            status=self.status,
            message=self.message,
            statistics=self.statistics,
            model=self.model,
            still=self.still,
            order=self.order,
            again=self.again,
        )
        solution.control, solution.doubts, solution.events = self.control, self.doubts, self.events
        solution.earlier_events = self.earlier_events
        solution.time_label, solution.load_time = self.time_label, self.load_time
        solution.original = self.original or self
        return solution

    def subject(self) -> Subject:
        """What a view shows of it, see :class:`~flexmb.results.subject.Subject`.

        >>> import flexmb as fm
        >>> from flexmb import examples
        >>> run = fm.simulate(examples.load("pendulum").build(), 0.1, step=0.01)
        >>> run.subject().clock
        't [s]'
        """
        filed = "a solution from a file has no model, which knows the loads" if self.model is None else ""
        seconds = None if self.load_time is None else PATH_SECONDS
        return Subject(self, self.time_label, seconds, load_time=self.load_time, without_loads=filed)

    # -- reports -------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """A few lines of text: how the run ended, what it cost, and how well energy balances.

        >>> import flexmb as fm
        >>> from flexmb.examples.pendulum import build
        >>> print(fm.simulate(build(), 0.1, step=0.01).summary().splitlines()[0])
        Solution of 'pendulum': finished, t = 0 … 0.1 s, 11 times
        """
        return self._summary(with_energy=True)

    def _summary(self, with_energy: bool) -> str:
        lines = [f"Solution of {self.name!r}: {self.status}, t = {self.t[0]:g} … {self.t[-1]:g} s, {len(self.t)} times"]
        if self.message:
            lines.append(f"  {self.message}")
        if self.statistics is not None:
            lines.append(f"  {self.statistics}")
        if with_energy:
            lines.append(f"  energy: {self.energy}")
        if self.joints_not_unique:
            names = ", ".join(map(repr, self.joints_not_unique))
            lines.append(f"  forces not unique, the smallest are given (redundant constraint rows): {names}")
        lines += [f"  {event}" for event in self.events[:MOST_EVENTS] if isinstance(event, EventRecord)]
        lines += [f"  doubtful: {doubt}" for doubt in self.doubts]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return f"Solution({self.name!r}, {len(self.t)} times, {self.status})"

    def _repr_html_(self) -> str:
        text = self._summary(with_energy="energy" in vars(self) or len(self) <= MOST_TIMES)
        return reports.report_of(text, self.small_drawing(), contents(self))

    def __len__(self) -> int:
        return len(self.t)
