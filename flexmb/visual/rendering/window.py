"""The window: play and pause, a slider of time, keys."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from flexmb.errors import DisplayError
from flexmb.visual.rendering.render import Picture, Size, Viewed

#: the time between two ticks of the window while it plays [ms]
TICK = 25


class Window:
    """A view at times [s] in a window; `speed` 0.1 plays it ten times as slow."""

    def __init__(self, view: Viewed, times: np.ndarray, speed: float, size: Size) -> None:
        self.view, self.times = view, times
        self.seconds = view.seconds(speed)
        self.playing = len(times) > 1
        self.instant = 0
        self.begun, self.begun_at = time.perf_counter(), 0
        self.picture: Picture = view.picture(times, size, "window", window=True)
        self.slider: Any = None
        self.button: Any = None

    def run(self) -> None:
        """Show the window until it is closed."""
        plotter = self.picture.plotter
        try:
            if type(plotter.render_window).__name__ in ("vtkEGLRenderWindow", "vtkOSOpenGLRenderWindow"):
                raise DisplayError("window: the display takes no windows that OpenGL draws in; use .movie or .html")
            self._add_controls()
            self.show_instant(0)
            plotter.show(title=f"{self.view.solution.name} – flexmb", auto_close=False, interactive=True)
        finally:
            self.picture.close()

    def show_instant(self, k: int) -> None:
        """Show the k-th of the times."""
        self.instant = int(np.clip(k, 0, len(self.times) - 1))
        self.picture.title(self.view.title(float(self.times[self.instant])))
        self.picture.instant(self.instant)
        if self.slider is not None:
            self.slider.GetRepresentation().SetValue(float(self.times[self.instant]))
        self.picture.plotter.render()

    def play(self, on: bool) -> None:
        """Play from the instant shown, or pause."""
        self.playing = bool(on) and len(self.times) > 1
        if self.playing and self.instant == len(self.times) - 1:
            self.instant = 0
        self.begun, self.begun_at = time.perf_counter(), self.instant
        if self.button is not None:
            self.button.GetRepresentation().SetState(int(self.playing))

    def tick(self, *_: Any) -> None:
        """Go on to the instant that is due by the clock; after the last one, start again."""
        if not self.playing or self.seconds <= 0.0:
            return
        passed = (time.perf_counter() - self.begun) / self.seconds * (len(self.times) - 1)
        k = self.begun_at + int(passed)
        if k >= len(self.times):
            self.instant = 0
            self.play(True)
            k = 0
        if k != self.instant:
            self.show_instant(k)

    def step(self, by: int) -> None:
        """Pause, and go `by` instants forward, or back if negative."""
        self.play(False)
        self.show_instant(self.instant + by)

    def _add_controls(self) -> None:
        """Add the button, the slider, the keys and the clock."""
        plotter, look = self.picture.plotter, self.view.look
        for key, by in (("Right", 1), ("Left", -1), ("Next", 10), ("Prior", -10)):
            plotter.add_key_event(key, lambda by=by: self.step(by))
        plotter.add_key_event("Home", lambda: self.step(-len(self.times)))
        plotter.add_key_event("End", lambda: self.step(len(self.times)))
        plotter.add_key_event("space", lambda: self.play(not self.playing))
        if len(self.times) < 2:
            return
        self.button = plotter.add_checkbox_button_widget(
            self.play, value=True, position=(14.0, 14.0), size=28, color_on="#2a8c6e", color_off=look.quiet
        )
        self.slider = plotter.add_slider_widget(
            self._slider_moved,
            (float(self.times[0]), float(self.times[-1])),
            value=float(self.times[0]),
            pointa=(0.45, 0.96),
            pointb=(0.98, 0.96),
            color=look.ink,
            style="modern",
            fmt="{:.3g}",
            interaction_event="always",
            title=None,
        )
        self.slider.GetRepresentation().ShowSliderLabelOff()
        self.picture.write("play / pause: space", (52.0 / self.picture.size[0], 28.0 / self.picture.size[1]), 0.7)
        self.playing = True
        self.play(True)
        plotter.iren.add_observer("TimerEvent", self.tick)
        plotter.iren.initialize()
        plotter.iren.create_timer(TICK, repeating=True)

    def _slider_moved(self, value: float) -> None:
        """Show the instant to which the slider was moved."""
        k = int(np.argmin(np.abs(self.times - value)))
        if k != self.instant:
            self.play(False)
            self.show_instant(k)
