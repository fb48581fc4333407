"""How a solution shows itself: diagrams, drawings, films and pictures in space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flexmb.model.hints import AnswersCalls
from flexmb.plots.words import chosen_units, words
from flexmb.results import names, spectrum
from flexmb.results.beams import along
from flexmb.results.pictures import compared, diagrams
from flexmb.results.recorded import Recorded

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Shown(metaclass=AnswersCalls):
    """The pictures of a :class:`~flexmb.results.solution.Solution`. All take a `title`, and labels of their axes,
    `x_label` and `y_label`, in place of those that they would write themselves."""

    def plot_spectrum(
        self: Recorded,
        *names: str,
        path: str | Path | None = None,
        window: str = "hann",
        detrend: str = "mean",
        sampling_rate: float | None = None,
        highest: float | None = None,
        log: bool = False,
        units: Mapping[str, str] | None = None,
        title: str | None = None,
        labels: Mapping[str, str] | None = None,
        x_label: str | None = None,
        y_label: str | Sequence[str] | None = None,
        ax: Any = None,
        background: str = "light",
    ) -> Figure:
        """Amplitude spectra of quantities, one panel a unit, up to the frequency `highest` [Hz] (when not given, a
        little beyond the last visible amplitude); `log` shows amplitudes on a logarithmic scale; `units` and `ax` as of
        :meth:`plot`. The other arguments are those of :meth:`spectrum` and of :meth:`plot`.

        >>> import flexmb as fm
        >>> from flexmb.examples.pendulum import build
        >>> fm.simulate(build(), 0.1, step=0.01).plot_spectrum("rod.end.y", highest=50.0).axes[0].get_xlabel()
        'f [Hz]'
        """
        from flexmb.plots.figures import target
        from flexmb.plots.frequencies import spectra

        groups, limit = spectrum.panels(self, names, window, detrend, sampling_rate, highest)
        shown = [name for lines in groups.values() for name, _, _ in lines]
        where = f"plot_spectrum of {self.where}"
        chosen = chosen_units(units, shown, where)
        groups = diagrams.groups_in_units(groups, chosen, where)
        said = words(self.name, shown, where, title=title, labels=labels, x_label=x_label, y_label=y_label)
        return spectra(groups, limit, log, said, target(path, ax, where), background)

    def plot_phase(
        self: Recorded,
        x: str,
        y: str | None = None,
        *,
        units: Mapping[str, str] | None = None,
        path: str | Path | None = None,
        title: str | None = None,
        labels: Mapping[str, str] | None = None,
        x_label: str | None = None,
        y_label: str | None = None,
        color_label: str | None = None,
        ax: Any = None,
        background: str = "light",
    ) -> Figure:
        """Phase plane, colored by time: a quantity against its rate, or against another quantity `y`; `color_label`:
        that of the color scale (the name of the times when not given); all else as in :meth:`plot`.
        `ax`: axes of your own to draw on, one for each panel from above.

        >>> import flexmb as fm
        >>> from flexmb.examples.pendulum import build
        >>> fm.simulate(build(), 0.1, step=0.01).plot_phase("rod.end.y").axes[0].get_ylabel()
        'rod.end.vy [m/s]'
        """
        from flexmb.plots.figures import target
        from flexmb.plots.relations import phase_plane

        where = f"plot_phase of {self.where}"
        across = self.series(x).axis
        up = (diagrams.rate_of(self, x) if y is None else self.series(y)).axis
        chosen = chosen_units(units, (across.name, up.name), where)
        across, up = (diagrams.axis_in_units(one, chosen, where) for one in (across, up))
        given = {"title": title, "labels": labels, "x_label": x_label, "y_label": y_label, "color_label": color_label}
        said = words(self.name, (across.name, up.name), where, **given)
        return phase_plane(self.t, across, up, self.time_label, said, target(path, ax, where), background)

    def plot_along(
        self: Recorded,
        beam: str,
        quantity: str,
        times: Any = None,
        *,
        points: int = 101,
        units: Mapping[str, str] | None = None,
        path: str | Path | None = None,
        title: str | None = None,
        x_label: str | None = None,
        y_label: str | None = None,
        color_label: str | None = None,
        ax: Any = None,
        background: str = "light",
    ) -> Figure:
        """A quantity along a beam at chosen `times` [s] (nine in equal distances when not given), colored by time;
        `color_label`: that of the color scale (the name of the times when not given); all else as in :meth:`plot`.
        `ax`: axes of your own to draw on, one for each panel from above.

        >>> import flexmb as fm
        >>> from flexmb.examples.pendulum import build
        >>> figure = fm.simulate(build(), 0.1, step=0.01).plot_along("rod", "bending_moment", times=[0.05, 0.1])
        >>> figure.axes[0].get_ylabel()
        'bending moment [Nm]'
        """
        from flexmb.plots.figures import target
        from flexmb.plots.histories import profiles

        across, t, up, default = along.profiles(self, names.beam_name(self, beam), quantity, times, points)
        where = f"plot_along of {self.where}"
        chosen = chosen_units(units, (quantity,), where)
        up = diagrams.axis_in_units(up, chosen, where, quantity)
        across = diagrams.axis_in_units(across, chosen, where)
        said = words(default, (), where, title=title, x_label=x_label, y_label=y_label, color_label=color_label)
        return profiles(across, t, up, self.time_label, said, target(path, ax, where), background)

    def plot(
        self: Recorded,
        *names: str,
        label: str | None = None,
        beside: Mapping[str, Any] | None = None,
        differences: bool = False,
        units: Mapping[str, str] | None = None,
        path: str | Path | None = None,
        title: str | None = None,
        labels: Mapping[str, str] | None = None,
        x_label: str | None = None,
        y_label: str | Sequence[str] | None = None,
        ax: Any = None,
        background: str = "light",
    ) -> Figure:
        """Time histories of quantities, one panel a unit; written to `path` when one is given, on a 'light' or 'dark'
        `background`. `labels`: texts that replace names, e.g. {"rod.end.y": "height of the tip"}; `title`; `x_label`
        and `y_label` (one for each panel, from above) of the axes; `units` in which quantities are shown, by their
        names or by units of the SI: {"crank.angle": "deg", "Pa": "MPa"}; `ax`: axes of your own to draw on, one each
        panel, from above.

        `beside`: other runs by the labels that they get, or tables that somebody measured, with columns 't' [s] and
        names of quantities, in SI units; `label`: what this run is called beside them, the name of its model when not
        given; `differences`: whether panels below show by how much each is above this run.

        >>> import flexmb as fm
        >>> from flexmb.examples.pendulum import build
        >>> run, coarse = (fm.simulate(build(), 0.1, step=step) for step in (0.01, 0.02))
        >>> figure = run.plot("rod.end.y", labels={"rod.end.y": "height"}, label="fine", beside={"coarse": coarse})
        >>> figure.axes[0].get_ylabel(), [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
        ('height [m]', ['fine', 'coarse'])
        """
        from flexmb.plots.figures import target
        from flexmb.plots.histories import beside_each_other, histories

        where = f"plot of {self.where}"
        given: dict[str, Any] = {"title": title, "labels": labels, "x_label": x_label, "y_label": y_label}
        lines = diagrams.lines(self, names)
        shown = [name for _, name, _, _ in lines]
        chosen = chosen_units(units, shown, where)
        if beside is None and label is None and not differences:
            said = words(self.name, shown, where, **given)
            lines = [diagrams.in_units(line, chosen, where) for line in lines]
            return histories(lines, self.time_label, said, target(path, ax, where), background)
        panels = compared.panels_beside(self, shown, label, beside, differences, where)
        said = words(self.name if beside is None else "", compared.said_names(panels), where, **given)
        panels = [compared.in_units(panel, chosen, where) for panel in panels]
        return beside_each_other(panels, self.time_label, said, target(path, ax, where), background)

    def draw(
        self: Recorded,
        times: Any = None,
        *,
        trails: Sequence[Any] | Any = (),
        names: bool | Sequence[Any] | Any = False,
        magnify: float = 1.0,
        path: str | Path | None = None,
        size: tuple[float, float] | None = None,
        title: str | None = None,
        x_label: str | None = None,
        y_label: str | None = None,
        color_label: str | None = None,
        ax: Any = None,
        background: str = "light",
        camera: str | Sequence[float] | None = None,
        up: Sequence[float] | None = None,
        colors: Mapping[str, str] | None = None,
    ) -> Figure:
        """The mechanism at chosen `times` [s] (nine in equal distances when not given) in one picture, colored by
        time, with the paths of the points `trails` between the first and the last of them; `color_label`: that of the
        color scale (the name of the times when not given); `size`: width and height [inch]; `path`, `title` and
        `background` as in :meth:`plot`. A mechanism in space is drawn with the outlines of its bodies, as seen from far
        away by a `camera`: 'isometric' (when not given), 'front', 'side', 'top', 'tilted', or the direction (3,) to the
        viewer, with the direction `up` (3,).

        `names`: whether the names of parts and joints stand beside them, of all or of those given; `colors`: '#rrggbb'
        of parts and joints by their names, paler at earlier times in place of the color of the time.

        `magnify` shows deformations so many times as large, see :mod:`flexmb.results.pictures.magnified`: of a beam in
        a loop that which it has against the line between its ends, of any other that which it has against the section
        by which it is held; what is fastened to its other end goes along. The title says by how much.
        `ax`: axes of your own to draw on, one for each panel from above.

        >>> import flexmb as fm
        >>> from flexmb.examples.pendulum import build
        >>> figure = fm.simulate(build(), 0.1, step=0.01).draw(times=[0.0, 0.1], trails="rod.end")
        >>> figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()
        ('x [m]', 'y [m]')
        """
        from flexmb.plots.figures import target
        from flexmb.visual.drawings import drawing

        given = {"title": title, "x_label": x_label, "y_label": y_label, "color_label": color_label}
        drawn_on = target(path, ax, f"draw {self.where}")
        return drawing(self, times, trails, magnify, drawn_on, size, given, background, camera, up, names, colors)

    def animate(
        self: Recorded,
        path: str | Path,
        *,
        fps: int = 30,
        pace: float = 1.0,
        trails: Sequence[Any] | Any = (),
        magnify: float = 1.0,
        size: tuple[float, float] | None = None,
        title: str | None = None,
        x_label: str | None = None,
        y_label: str | None = None,
        background: str = "light",
        camera: str | Sequence[float] | None = None,
        up: Sequence[float] | None = None,
        colors: Mapping[str, str] | None = None,
    ) -> Path:
        """A film of the mechanism, .gif or .mp4, of duration · `fps` / `pace` + 1 pictures: `pace` 0.1 shows it ten
        times as slow, and `fps` are pictures a second. The paths of `trails` go through all steps of the run. `size`:
        width and height in inches of 100 pixels (when not given, a size that fits the mechanism); `title`: what stands
        before the time; `background` 'light' or 'dark'; `magnify`, `camera`, `up` and `colors` as in :meth:`draw`. An
        .mp4 needs imageio and ffmpeg, which `pip install 'flexmb[film]'` brings. At the end of a cell of a notebook the
        path that is returned plays the film.

        >>> import tempfile
        >>> import flexmb as fm
        >>> from flexmb.examples.pendulum import build
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     film = fm.simulate(build(), 0.1, step=0.01).animate(f"{folder}/swing.gif", fps=10, size=(2, 2))
        ...     film.name
        'swing.gif'
        """
        from flexmb.visual.drawings import film

        given = {"title": title, "x_label": x_label, "y_label": y_label}
        return film(self, path, fps, pace, trails, magnify, size, given, background, camera, up, colors)

    def small_drawing(self: Recorded, count: int = 5) -> str:
        """The mechanism at `count` times, as a small drawing in SVG for notebooks; nothing if it cannot be drawn.

        >>> import flexmb as fm
        >>> from flexmb import examples
        >>> run = fm.simulate(examples.load("pendulum").build(), 0.1, step=0.01)
        >>> run.small_drawing(3).count("<svg")
        1
        """
        from flexmb.visual.drawings import small_drawing

        return small_drawing(self, count)

    def view(self: Recorded, **options: Any) -> Any:
        """The mechanism in space, for pictures, films, a window and pages for the browser: a :class:`flexmb.View`;
        `options` are its own: `color="bending_moment"`, `ghosts=[0.0, 0.5]`, `trails=["rod.end"]` …

        >>> import flexmb as fm
        >>> from flexmb.examples.pendulum import build
        >>> fm.simulate(build(), 0.1, step=0.01).view(trails=["rod.end"], background="dark")
        View('pendulum', dark)
        """
        from flexmb.visual.view import View

        return View(self, **options)
