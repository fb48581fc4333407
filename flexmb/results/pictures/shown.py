"""How a solution shows itself: diagrams, drawings, films and pictures in space."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flexmb.results import names, spectrum
from flexmb.results.beams import along
from flexmb.results.pictures import diagrams
from flexmb.results.recorded import Recorded

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Shown:
    """The pictures of a :class:`~flexmb.results.solution.Solution`."""

    def plot_spectrum(
        self: Recorded,
        *names: str,
        path: str | Path | None = None,
        window: str = "hann",
        detrend: str = "mean",
        sampling_rate: float | None = None,
        highest: float | None = None,
        log: bool = False,
        background: str = "light",
    ) -> Figure:
        """Amplitude spectra of quantities, one panel a unit, up to the frequency `highest` [Hz] (when not given, a
        little beyond the last visible amplitude); `log` shows amplitudes on a logarithmic scale. The other arguments
        are those of :meth:`spectrum` and of :meth:`plot`."""
        from flexmb.plots.frequencies import spectra

        groups, limit = spectrum.panels(self, names, window, detrend, sampling_rate, highest)
        return spectra(groups, limit, log, self.name, path, background)

    def plot_phase(
        self: Recorded, x: str, y: str | None = None, *, path: str | Path | None = None, background: str = "light"
    ) -> Figure:
        """Phase plane, colored by time: a quantity against its rate, or against another quantity `y`; `path` and
        `background` as in :meth:`plot`."""
        from flexmb.plots.relations import phase_plane

        across = self.series(x)
        up = diagrams.rate_of(self, x) if y is None else self.series(y)
        return phase_plane(self.t, across.axis, up.axis, self.name, self.time_label, path, background)

    def plot_along(
        self: Recorded,
        beam: str,
        quantity: str,
        times: Any = None,
        *,
        points: int = 101,
        path: str | Path | None = None,
        label: str | None = None,
        background: str = "light",
    ) -> Figure:
        """A quantity along a beam at chosen `times` [s] (nine in equal distances when not given), colored by time;
        `label`: that of the color scale (the name of the times when not given); `path` and `background` as in
        :meth:`plot`."""
        from flexmb.plots.histories import profiles

        lines = along.profiles(self, names.beam_name(self, beam), quantity, times, points)
        return profiles(*lines, self.time_label if label is None else label, path, background)

    def plot(self: Recorded, *names: str, path: str | Path | None = None, background: str = "light") -> Figure:
        """Time histories of quantities, one panel a unit; written to `path` when one is given, on a 'light' or 'dark'
        `background`."""
        from flexmb.plots.histories import histories

        return histories(diagrams.lines(self, names), self.time_label, self.name, path, background)

    def draw(
        self: Recorded,
        times: Any = None,
        *,
        trails: Sequence[Any] | Any = (),
        path: str | Path | None = None,
        size: tuple[float, float] | None = None,
        label: str | None = None,
        background: str = "light",
        camera: str | Sequence[float] | None = None,
        up: Sequence[float] | None = None,
    ) -> Figure:
        """The mechanism at chosen `times` [s] (nine in equal distances when not given) in one picture, colored by
        time, with the paths of the points `trails` between the first and the last of them; `label`: that of the color
        scale (the name of the times when not given); `size`: width and height [inch]; `path` and `background` as in
        :meth:`plot`. A mechanism in space is drawn with the outlines of its bodies, as seen from far away by a
        `camera`: 'isometric' (when not given), 'front', 'side', 'top', 'tilted', or the direction (3,) to the viewer,
        with the direction `up` (3,)."""
        from flexmb.visual.drawings import drawing

        return drawing(self, times, trails, path, size, label, background, camera, up)

    def animate(
        self: Recorded,
        path: str | Path,
        *,
        fps: int = 30,
        pace: float = 1.0,
        trails: Sequence[Any] | Any = (),
        size: tuple[float, float] | None = None,
        background: str = "light",
        camera: str | Sequence[float] | None = None,
        up: Sequence[float] | None = None,
    ) -> Path:
        """A film of the mechanism, .gif or .mp4; `pace` 0.1 shows it ten times as slow; `size`: width and height
        in inches of 100 pixels (when not given, a size that fits the mechanism); `background` 'light' or 'dark';
        `camera` and `up` as in :meth:`draw`. An .mp4 needs imageio and ffmpeg, which `pip install 'flexmb[film]'`
        brings. At the end of a cell of a notebook the path that is returned plays the film."""
        from flexmb.visual.drawings import film

        return film(self, path, fps, pace, trails, size, background, camera, up)

    def small_drawing(self: Recorded, count: int = 5) -> str:
        """The mechanism at `count` times, as a small drawing in SVG for notebooks; nothing if it cannot be drawn."""
        from flexmb.visual.drawings import small_drawing

        return small_drawing(self, count)

    def view(self: Recorded, **options: Any) -> Any:
        """The mechanism in space, for pictures, films, a window and pages for the browser: a :class:`flexmb.View`;
        `options` are its own: `color="bending_moment"`, `ghosts=[0.0, 0.5]`, `trails=["rod.end"]` …"""
        from flexmb.visual.view import View

        return View(self, **options)
