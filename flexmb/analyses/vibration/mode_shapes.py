"""Mode shapes: by name, as motions and as pictures."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.appearance import BodyPlace
from flexmb.model.hints import AnswersCalls
from flexmb.plots.words import words
from flexmb.results.pictures.deforming import deforming
from flexmb.results.pictures.shown import Shown
from flexmb.results.solution import Solution
from flexmb.results.state import State, as_solution
from flexmb.results.subject import Subject
from flexmb.system.chart import Chart

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: largest displacement of a mode in pictures, in units of the model's length
SHOWN_AMPLITUDE = 0.1
#: how many modes a notebook draws, and of how many coordinates at most a mechanism then has
DRAWN, MOST_DRAWN = 3, 1000
#: the duration of one swing in a view at speed 1 [s]
SECONDS = 2.0


class ModeShape(metaclass=AnswersCalls):
    """A mode shape by name: `shape["rod.end"]` is the displacement of that place per unit of the modal coordinate,
    (3,): x, y [m] and angle [rad]; in space (6,): along x, y, z [m] and about x, y, z [rad]. It is complex for modes
    with damping or gyroscopic terms.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("oscillator")
    >>> body = m.add_body("body", mass=2.0, inertia=0.1)
    >>> slide = m.prismatic(m.ground, body.frame, name="slide")
    >>> spring = m.bushing(m.ground, body.frame, stiffness=(8.0, 0.0, 0.0), damping=(0.8, 0.0, 0.0))
    >>> shape = fm.modes(m, 1).shape(0)
    >>> abs(shape["body"]).round(6).tolist()  # 1/√m along x
    [0.707107, 0.0, 0.0]
    """

    def __init__(self, state: State, shape: np.ndarray) -> None:
        parts = [shape.real, shape.imag] if np.iscomplexobj(shape) else [shape]
        self._parts = [_as_speeds(state, part) for part in parts]

    def __getitem__(self, key: Any) -> np.ndarray:
        tracks = [part.track(key) for part in self._parts]
        values = [np.append(track.velocity[0], track.angular_velocity[0]) for track in tracks]
        return values[0] if len(values) == 1 else values[0] + 1j * values[1]

    def largest(self) -> float:
        """The largest displacement of any frame, point of a beam or node of a mesh [m], over the whole period; where
        nothing is displaced, angles count, times the length of the model.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("oscillator")
        >>> body = m.add_body("body", mass=2.0, inertia=0.1)
        >>> slide = m.prismatic(m.ground, body.frame, name="slide")
        >>> spring = m.bushing(m.ground, body.frame, stiffness=(8.0, 0.0, 0.0))
        >>> found = fm.modes(m, 1)
        >>> round(found.shape(0).largest(), 6)  # m, at the modal coordinate one
        0.707107
        """
        squares: float | np.ndarray = 0.0
        turns = 0.0
        for part in self._parts:
            shifts, turned = (moved[0] for moved in places_of(part))
            shifts = np.concatenate([shifts, *(mesh.velocities(0) for mesh in deforming(part))])
            squares = squares + np.sum(np.square(shifts), axis=1)
            turns = max(turns, float(np.max(np.linalg.norm(turned, axis=1))))
        length = self._parts[0].source.system.length_scale  # type: ignore[attr-defined]
        return max(float(np.sqrt(np.max(squares))), 1e-3 * turns * length)


class AnyModes(metaclass=AnswersCalls):
    """Modes of any kind: the state that they are about, and their shapes (n, c), real or complex."""

    state: State
    shapes: np.ndarray

    def __len__(self) -> int:
        return self.shapes.shape[1]

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.state.model.name

    def shape(self, k: int) -> ModeShape:
        """The shape of mode k (counted from 0) by names of frames and points of beams.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("oscillator")
        >>> body = m.add_body("body", mass=2.0, inertia=0.1)
        >>> slide = m.prismatic(m.ground, body.frame, name="slide")
        >>> spring = m.bushing(m.ground, body.frame, stiffness=(8.0, 0.0, 0.0))
        >>> found = fm.modes(m, 1)
        >>> abs(found.shape(0)["body"]).round(6).tolist()  # 1/√m along x
        [0.707107, 0.0, 0.0]
        """
        return ModeShape(self.state, self.shapes[:, self._number(k)])

    def motion(self, k: int, amplitude: float | None = None, *, count: int = 49) -> Solution:
        """Mode k (counted from 0) over one period, as a solution to draw or animate:  q + A Re(φ e^{iωt}).

        Arguments: `amplitude`, the largest displacement of a point [m], a tenth of the mechanism's length when not
        given; `count`: the number of its times. Decay and growth are left out; a mode without a period (a rigid motion,
        divergence) takes a second. In steady rotation it is the motion in axes that turn along.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("oscillator")
        >>> body = m.add_body("body", mass=2.0, inertia=0.1)
        >>> slide = m.prismatic(m.ground, body.frame, name="slide")
        >>> spring = m.bushing(m.ground, body.frame, stiffness=(8.0, 0.0, 0.0))
        >>> found = fm.modes(m, 1)
        >>> swing = found.motion(0, amplitude=0.1)
        >>> round(float(abs(swing["body.x"]).max()), 6)
        0.1
        """
        k = self._number(k)
        where = f"modes of model {self.name!r}, motion"
        system = self.state.system
        largest = self.shape(k).largest()
        if amplitude is None:
            amplitude = SHOWN_AMPLITUDE * system.length_scale
        wanted = checks.positive(amplitude, "amplitude", where)
        count = checks.count(count, "count", where, 2)
        share = wanted / largest if largest > 0.0 else 1.0
        omega = self._rate(k) or 2.0 * np.pi
        t = np.linspace(0.0, 2.0 * np.pi / omega, count)
        phase = share * np.exp(1j * omega * t)[:, None] * self.shapes[:, k]
        y, v, a = (np.ascontiguousarray(((1j * omega) ** order * phase).real) for order in range(3))
        lam = np.tile(self.state.lam, (count, 1))
        q = system.retract(self.state.q, y)
        if len(system.orientations):
            chart = Chart(system, self.state.q)
            rows = [chart.motion(chart.of(place), *rates) for place, *rates in zip(q, v, a)]
            v, a = (np.array(column) for column in zip(*rows))
        return as_solution(system, t, q, v, a, lam)

    def plot(
        self,
        which: Sequence[int] | None = None,
        path: str | Path | None = None,
        *,
        amplitude: float | None = None,
        title: str | None = None,
        labels: Mapping[str, str] | None = None,
        x_label: str | None = None,
        y_label: str | None = None,
        ax: Any = None,
        background: str = "light",
        camera: str | Sequence[float] | None = None,
        up: Sequence[float] | None = None,
    ) -> Figure:
        """Mode shapes side by side (`which`, counted from 0; the first six when not given), each at one end of its
        swing over the mechanism at rest, and faint at the other end; written to `path` when one is given, on a 'light'
        or 'dark' `background`; `title` of the whole, `labels` of modes by names such as "mode 0" (a text that stands
        above its panel), `x_label` and `y_label` of the axes; in space as seen by a `camera`, with `up` as in
        :meth:`Solution.draw <flexmb.results.pictures.shown.Shown.draw>`.
        `ax`: axes of your own to draw on, one for each panel from above.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("oscillator")
        >>> body = m.add_body("body", mass=2.0, inertia=0.1)
        >>> slide = m.prismatic(m.ground, body.frame, name="slide")
        >>> spring = m.bushing(m.ground, body.frame, stiffness=(8.0, 0.0, 0.0))
        >>> found = fm.modes(m, 1)
        >>> len(found.plot(0).axes)
        1
        """
        from flexmb.plots.figures import target
        from flexmb.visual.drawings import mode_shapes

        asked = range(min(6, len(self))) if which is None else which
        numbers = [self._number(k) for k in checks.several(asked, "which", f"modes of model {self.name!r}")]
        if not numbers:
            raise ModelError(f"modes of model {self.name!r}: there is no mode in the list; give one or more")
        swings = [self.motion(k, amplitude, count=5) for k in numbers]
        where, names = f"plot of modes of model {self.name!r}", [f"mode {k}" for k in numbers]
        said = words(self.name, names, where, title=title, labels=labels, x_label=x_label, y_label=y_label)
        titles = [said.labels.get(name, self.title(k)) for name, k in zip(names, numbers)]
        return mode_shapes(self.state.solution, swings, titles, said, target(path, ax, where), background, camera, up)

    def view(self, mode: int = 0, **options: Any) -> Any:
        """Mode `mode` (counted from 0) in space, swinging: beams and meshes of bodies bend, as they are or colored; a
        :class:`flexmb.View`, whose `options` are its own: `color="displacement"` …

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("oscillator")
        >>> body = m.add_body("body", mass=2.0, inertia=0.1)
        >>> slide = m.prismatic(m.ground, body.frame, name="slide")
        >>> spring = m.bushing(m.ground, body.frame, stiffness=(8.0, 0.0, 0.0))
        >>> fm.modes(m, 1).view(0, background="dark").title(0.0)
        'oscillator, mode 0: 0.3183 Hz'
        """
        return Shown.view(self, mode=mode, **options)  # type: ignore[arg-type]

    def small_drawings(self) -> str:
        """The first modes as small drawings in SVG, each at both ends of its swing, for notebooks.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("oscillator")
        >>> body = m.add_body("body", mass=2.0, inertia=0.1)
        >>> slide = m.prismatic(m.ground, body.frame, name="slide")
        >>> spring = m.bushing(m.ground, body.frame, stiffness=(8.0, 0.0, 0.0))
        >>> found = fm.modes(m, 1)
        >>> len(found.small_drawings()) > 0
        True
        """
        if not 0 < self.state.system.n <= MOST_DRAWN:
            return ""
        shown = [(self.title(k), self.motion(k, count=3).small_drawing(3)) for k in range(min(DRAWN, len(self)))]
        each = [f'<div style="max-width:33%">{html.escape(title)}{drawing}</div>' for title, drawing in shown]
        return f'<div style="display:flex;flex-wrap:wrap;gap:1em">{"".join(each)}</div>'

    def subject_of_mode(self, k: int) -> Subject:
        """What a view shows of mode k (counted from 0): one swing.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("oscillator")
        >>> body = m.add_body("body", mass=2.0, inertia=0.1)
        >>> slide = m.prismatic(m.ground, body.frame, name="slide")
        >>> spring = m.bushing(m.ground, body.frame, stiffness=(8.0, 0.0, 0.0))
        >>> found = fm.modes(m, 1)
        >>> found.subject_of_mode(0).caption
        'mode 0: 0.3183 Hz'
        """
        swing = self.motion(k)
        # wheels of constant speed are left as they are: their turns have nothing to do with the period of the mode
        bodies = swing.layout.bodies.items()
        swing.layout = replace(swing.layout, bodies={name: _without_speed(body) for name, body in bodies})
        nothing = "a mode shape knows neither loads nor joint forces"
        return Subject(
            swing, "", SECONDS, self.title(self._number(k)), without_loads=nothing, without_joint_forces=nothing
        )

    def _rate(self, k: int) -> float:
        """The rate [rad/s] at which mode k swings; 0 if it does not."""
        raise NotImplementedError

    def title(self, k: int) -> str:
        """A short title of mode k, for pictures."""
        raise NotImplementedError

    def _number(self, k: Any) -> int:
        """The number of a mode; negative ones count from the end."""
        whole = isinstance(k, int | np.integer) and not isinstance(k, bool)
        if not whole or not -len(self) <= k < len(self):
            said = int(k) if whole else checks.quoted(k)
            raise ModelError(
                f"modes of model {self.name!r}: there is no mode {said}; they are counted from 0 to {len(self) - 1}"
            )
        return int(k) % len(self)


def with_definite_signs(shapes: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Shapes (n, c) with the sign that makes the first of their largest entries, or its real part, positive."""
    size = np.abs(shapes.real) / scale[:, None]
    first = np.argmax(size >= 0.99 * size.max(axis=0), axis=0)
    return shapes * np.where(shapes.real[first, np.arange(shapes.shape[1])] < 0.0, -1.0, 1.0)


def _without_speed(body: BodyPlace) -> BodyPlace:
    """A body that does not turn at a constant speed on the body that carries it."""
    return body if body.spin is None else replace(body, spin=replace(body.spin, speed=0.0))


def displaced_places(state: State, shapes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Displacements (k, p, 2 or 3) [m] and turns (k, p, 1 or 3) [rad] of all frames and of points of beams, in axes of
    the ground, for real shapes (k, n)."""
    return places_of(_as_speeds(state, shapes))


def places_of(solution: Solution) -> tuple[np.ndarray, np.ndarray]:
    """Velocities (k, p, 2 or 3) and angular velocities (k, p, 1 or 3) of all frames and of 21 points of each beam."""
    layout = solution.layout
    tracks = [solution.track(name) for name in (*layout.frames, *layout.spatial)]
    shifts = [track.velocity for track in tracks]
    turned = [track.angular_velocity.reshape(len(track.velocity), -1) for track in tracks]
    for beam in layout.beams:
        for s in solution.source.places(beam, 21):
            rates = solution.source.point(solution, beam, float(s))[:, layout.widths.rates]
            shifts.append(rates[:, : layout.dimension])
            turned.append(rates[:, layout.dimension :])
    return np.stack(shifts, axis=1), np.stack(turned, axis=1)


def _as_speeds(state: State, shapes: np.ndarray) -> Solution:
    """A solution whose speeds are the shapes (n,) or (k, n), so that velocities of places are their displacements."""
    v = np.atleast_2d(np.ascontiguousarray(shapes))
    t, q, a, lam = (np.tile(x, (len(v), 1)) for x in (state.t, state.q, np.zeros(state.system.n), state.lam))
    return as_solution(state.system, t.ravel(), q, v, a, lam)
