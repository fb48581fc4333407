"""Pictures of the members of an environment."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.environments.members import Members
from flexmb.environments.tasks import Task
from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.plots.drawing import draw
from flexmb.plots.words import words
from flexmb.results.layout import Layout
from flexmb.results.solution import Solution
from flexmb.results.sources import SystemSource
from flexmb.visual.cameras import checked_camera
from flexmb.visual.drawings import drawn_scene, extent, with_coils

#: How pictures are given, and how many a second films of them have; in films of 20 ms a period time is not stretched.
MODES, FPS = ("rgb_array",), 50
#: Width and height of a picture [inch] of 100 pixels.
SIZE = (6.0, 5.0)


class Pictures:
    """Pictures of members of a task, if the render `mode` asks for them. What they show lies within the reach of the
    mechanism about its supports, so that all of an episode have the same frame."""

    def __init__(self, task: Task, members: Members, mode: Any) -> None:
        if mode is not None:
            checks.choice(mode, MODES, "render_mode", task.where)
        self.task, self._members = task, members
        self._around: Any = None
        own = members.image.system
        self._system = own.whole.with_rows(own.whole.kept) if mode else None

    def of(self, i: int, t: float) -> np.ndarray:
        """The picture (height, width, 3) of member i."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        solution = self._solution(t, *self._members.state(i))
        scene = drawn_scene(solution)
        if self._around is None:
            self._around = _reach(scene)
        said = words(f"{self.task.model.name}, {t:.2f} s", (), self.task.where)
        figure = draw(with_coils(scene, self._around), [], solution.t, self._around, "t [s]", said, None, SIZE, "light")
        for point in self._marks(i, solution):
            figure.axes[0].plot(*point, marker="x", markersize=12, markeredgewidth=2, color="tab:red", zorder=9)
        canvas: Any = FigureCanvasAgg(figure)
        canvas.draw()
        return np.ascontiguousarray(np.asarray(canvas.buffer_rgba())[:, :, :3])

    def _solution(self, t: float, q: np.ndarray, v: np.ndarray) -> Solution:
        """The present state as a solution with one time."""
        s: Any = self._system
        zero = np.zeros_like(v)
        rows = s.for_all_rows(np.zeros((1, s.m)))
        return Solution(Layout.of(s), SystemSource(s), np.array([t]), q[None], v[None], zero[None], rows, model=s.model)

    def _marks(self, i: int, solution: Solution) -> list[np.ndarray]:
        """The point that the task marks, in the plane of the picture."""
        if not self.task.marks:
            return []
        at = [self.task.names.index(name) for name in self.task.marks]
        point, dimension = self._members.values[i, at], solution.layout.dimension
        if len(point) != dimension:
            raise ModelError(f"{self.task.where}: marks has {len(point)} names; a point has {dimension} coordinates")
        if dimension == 2:
            return [point]
        return [checked_camera(solution, None, None, self.task.where)[:2] @ point]


def _reach(scene: Any) -> Any:
    """The square about the supports in which the mechanism stays if its parts turn as they like."""
    low, high = extent([scene])
    supports = [np.reshape(x, (-1, 2)) for x in scene.grounds]
    middle = np.mean(np.concatenate(supports), axis=0) if supports else 0.5 * (low + high)
    reach = float(np.max(np.abs(np.stack([low - middle, high - middle]))))
    return middle - reach, middle + reach
