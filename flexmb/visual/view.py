"""A view of a mechanism in space: pictures, films, a window, a page for the browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np

from flexmb.errors import ModelError
from flexmb.machine import files
from flexmb.machine.notebooks import Shown, ShownPath, frame, in_notebook
from flexmb.model import checks, given_times
from flexmb.model.hints import AnswersCalls
from flexmb.plots import film
from flexmb.plots.words import words
from flexmb.results import names
from flexmb.results.pictures.magnified import checked_factor, gaping, magnified, with_factor
from flexmb.results.recorded import Recorded
from flexmb.results.sources import MOST_PLACES
from flexmb.results.subject import at_time
from flexmb.visual.cameras import checked_camera, checked_direction, even_pixels, size_given, up_of
from flexmb.visual.chosen import chosen_displacements, chosen_frames, part_colors
from flexmb.visual.coloring import coloring_of
from flexmb.visual.following import carried, way_back
from flexmb.visual.gltf.scene import write_scene
from flexmb.visual.measures import scales_of
from flexmb.visual.rendering.look import LOOKS, color_map, rgb
from flexmb.visual.rendering.page import page_of
from flexmb.visual.rendering.render import (
    Picture,
    Size,
    Smoothing,
    drawn_points,
    extent,
    fitting_height,
    framing_of,
)
from flexmb.visual.rendering.window import Window
from flexmb.visual.screens import check_window
from flexmb.visual.several import Companions, runs_of
from flexmb.visual.stage.arrows import arrow_scale
from flexmb.visual.stage.orbit_axes import arrows_of_orbit, orbit_axes, orbit_of
from flexmb.visual.stage.pieces import Ghost, Piece
from flexmb.visual.stage.scales import Selection
from flexmb.visual.stage.stage import colorable, colors_in, stage, trails, triads
from flexmb.visual.subject import subject_of

#: the number of times at which the trail of a point looks smooth, and of times from which sizes are computed
TRAIL_TIMES, SCALE_TIMES = 1201, 161
#: the largest number of steps of a run that a trail goes through
MOST_STEPS = 10_000
#: the number of pictures of a page and of a window when not given, and the size of a page in a notebook [pixel]
PAGE_PICTURES, WINDOW_PICTURES, NOTEBOOK_SIZE = 121, 301, (900, 560)
#: places on the color scale whose colors a film of few colors keeps
SCALE = np.linspace(0.0, 1.0, 49)
#: roles of the pieces that have no ghosts, since most of them stay in their places
WITHOUT_GHOSTS = ("ground", "hatch", "rail", "motor", "rotor", "bushing", "axis x", "axis y", "axis z")

#: arguments of a view that those of other runs in it do not have, or have in their own way
ONE_VIEW = ("self", "shown", "mode", "beside", "over", "labels", "title", "color", "against", "color_limits")

#: the format of a picture by the ending of its file
FORMATS = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".tif": "TIFF", ".tiff": "TIFF", ".bmp": "BMP"}


class View(metaclass=AnswersCalls):
    """A mechanism of the plane or of space, seen in space: a model as it is described, any solution of it, or one of
    its modes.

    Beams are tubes with their section, bent to their true shape; joints are pins, balls, blocks and rails along their
    axes; springs are coils. Bodies of the plane are plates around all that is fastened to them, or balls. Bodies of
    space have their shape; one without shape is the box that has its mass and inertia, reduced if it is larger than the
    body reaches; bars go to the frames on it. Wheels turn on their bodies, and round bodies that turn have a mark. Only
    :meth:`show` needs a screen.

    Arguments: `shown`: a model, a solution, a state, an equilibrium, a load path, or modes, of which `mode` (the first
    one, 0, when not given) is shown swinging; `color`: a quantity along beams, 'bending_moment', 'axial_force',
    'stress', 'stress_top', 'curvature', 'vy' …, in space 'bending_moment_y', 'torque' …, for all beams that have it, or
    'rod.bending_moment' for one, of bodies with a mesh the 'deformation' in the frame of their modes or a stress,
    'von_mises', 'max_principal', 'stress_xx' …, or of both the 'displacement', which is taken `against` the 'ground'
    (when not given), a frame, or the 'start', see :mod:`flexmb.results.pictures.displacement`; `color_limits`
    (low, high) of its colors in SI units; `background` 'light' or 'dark'; `ghosts`:
    times [s] at which the mechanism is also shown, pale; `trails`: points whose paths are drawn; `forces`: whether
    applied loads are drawn as arrows (when not given: if they are known); `reactions`: joints whose force on their
    frame b is drawn; `triads`: whether the axes of frames are drawn, x red, y green, z blue, of all frames or of those
    named; `camera`: 'tilted', 'front', 'side', 'top', 'isometric', or the direction (3,) from the mechanism to the
    viewer (when not given, 'tilted' in the plane and 'isometric' in space); `up`: the direction (3,) that is up in the
    picture (when not given, y in the plane, in space against gravity, or z); `follow`: a point with which the picture
    goes along, as far as it comes across the vertical; `magnify`: the factor by which deformations of beams and of
    bodies with a mesh are shown larger, about what holds them, see :mod:`flexmb.results.pictures.moves`; the title says
    it, and where the picture gapes; `orbit`: whether Hill's axes of a craft in orbit are drawn at its mass center, x
    outwards red, y along the flight green, z along the normal blue; or one of its :func:`flexmb.spatial.orbit`, with
    the arrow to its sun, gold, as long as that shines; `title`: what stands before the time (when not given, the name
    of the model); `points` along a beam.

    `colors`: '#rrggbb' of parts and joints by their names, in the plane as in space.

    Several runs, a list of what is shown, are seen `beside` each other, from the left to the right, or `over` each
    other, a color each; `labels`: what they are called, the names of their models when not given. All that is chosen,
    sizes and colors are the same for all of them; their times are those that all of them have.

    A force is a straight arrow that starts at its point, as long as the force is large; the longest stands for the
    largest of the run, loads and reactions alike. A torque is a bent arrow whose angle goes with the square root of the
    torque. A distributed load is a row of arrows that end at the beam. A line in the corner says how large the force,
    the torque and the distributed load of the longest arrows are.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("pendulum", gravity=(0, -9.81))
    >>> steel = fm.Material(density=7850, youngs_modulus=205e9)
    >>> rod = m.add_beam("rod", (0, 0), (1, 0), material=steel, section=fm.Circle(diameter=0.01))
    >>> hinge = m.revolute(m.ground, rod.start, name="hinge")
    >>> view = View(fm.simulate(m, 0.1, step=0.01), color="bending_moment", ghosts=[0.0, 0.05])
    >>> [piece.name for piece in view.stage([0.1]) if piece.role == "beam"]
    ['rod', 'rod', 'rod']
    """

    def __init__(
        self,
        shown: Any,
        *,
        color: str | None = None,
        against: Any = None,
        color_limits: tuple[float, float] | None = None,
        background: str = "light",
        ghosts: Sequence[float] | float = (),
        trails: Sequence[Any] | Any = (),
        forces: bool | None = None,
        reactions: Sequence[Any] | Any = (),
        triads: bool | Sequence[Any] | Any = False,
        camera: str | Sequence[float] | None = None,
        up: Sequence[float] | None = None,
        follow: Any = None,
        magnify: float = 1.0,
        title: str | None = None,
        points: int = 41,
        mode: int | None = None,
        orbit: Any = False,
        beside: bool = False,
        over: bool = False,
        labels: Sequence[str] | None = None,
        colors: Mapping[str, str] | None = None,
    ) -> None:
        options = {what: given for what, given in locals().items() if what not in ONE_VIEW}
        several = isinstance(shown, list | tuple)
        subjects = [subject_of(one, mode) for one in (shown if several else [shown])]
        runs = runs_of(subjects, several, beside, over, labels)
        self.subject = runs.subjects[0]
        self.solution: Recorded = self.subject.solution
        where = f"view of {self.solution.where}"
        self.look = LOOKS[checks.choice(background, LOOKS, "background", where)]
        self.magnify = checked_factor(magnify, self.solution)
        self.named = words(self.solution.name, (), where, title=title).title
        upward = up_of(self.solution) if up is None else checked_direction(up, "up", where)
        self.axes = checked_camera(self.solution, camera, upward, where)
        self.triads = chosen_frames(self.solution, triads, where)
        self.colors = part_colors(self.solution, colors, where)
        self.orbit = orbit_of(self.subject, orbit, where)
        self.ghosts = given_times.times(ghosts, "ghosts", where)
        trails = checks.several(trails, "trails", where)
        for key in trails:
            self.solution.track(key)
        self.trails = [names.key_name(self.solution, key) for key in trails]
        if forces is not None and checks.flag(forces, "forces", where) and self.subject.without_loads:
            raise ModelError(f"{where}: {self.subject.without_loads}; leave out forces")
        quantity, colored = (None, ()) if color is None else colorable(self.solution, color)
        if color is None and color_limits is not None:
            raise ModelError(
                f"{where}: color_limits are those of a color, and there is none; give color, or leave them out"
            )
        joints = tuple(names.key_name(self.solution, joint) for joint in checks.several(reactions, "reactions", where))
        if joints and self.subject.without_joint_forces:
            raise ModelError(f"{where}: {self.subject.without_joint_forces}; leave out reactions")
        for joint in joints:
            self.solution.reaction(joint)
        self.selection = Selection(
            quantity,
            colored,
            not self.subject.without_loads if forces is None else bool(forces),
            joints,
            self.subject.factors,
            self.subject.load_time,
            checks.count(points, "points", where, least=2, most=MOST_PLACES),
            chosen_displacements(self.solution, quantity, colored, against, where),
        )
        first, last = float(self.solution.t[0]), float(self.solution.t[-1])
        if len(self.ghosts):
            self.solution.at(self.ghosts)
        sample = self._seen(np.linspace(first, last, SCALE_TIMES)) if last > first else self._whole()
        dense = self._dense_solution([]) if self.trails else sample
        paths = [dense.track(key).position for key in self.trails]
        whole = self._whole()
        self.gaping = gaping(whole)
        self.scales = scales_of(sample, self.selection, paths, upward, whole)
        self.followed = None if follow is None else names.key_name(self.solution, follow)
        if self.followed is not None:
            self.solution.track(self.followed)
            alone = scales_of(self._seen([first]), Selection(points=self.selection.points), [], upward)
            self.scales = replace(self.scales, unit=alone.unit, low=alone.low, high=alone.high)
        self.companions: Companions | None = None
        if runs.subjects[1:]:
            own = {"color": color, "against": against, "color_limits": color_limits}
            others = [View(one, **options, **colors_in(one.solution, own)) for one in runs.subjects[1:]]
            self.companions = Companions(self, others, runs)
        self.coloring = coloring_of(self.solution, self.selection, self.scales.limits, color_limits, where)

    def _dense_solution(self, times: Sequence[float] | np.ndarray) -> Recorded:
        """The solution at so many times that paths are smooth, and at the given times too."""
        first, last = float(self.solution.t[0]), float(self.solution.t[-1])
        if not last > first:
            return self._whole()
        steps = self.solution.t[:: -(-len(self.solution.t) // MOST_STEPS)]
        return self._seen(np.union1d(np.linspace(first, last, TRAIL_TIMES), np.union1d(steps, times)))

    def _seen(self, times: Sequence[float] | np.ndarray) -> Recorded:
        """The solution at times [s], with deformations as they are shown."""
        seen: Recorded = magnified(self.solution.at(times), self.magnify)
        return seen

    def _whole(self) -> Recorded:
        """The solution at its own times, with deformations as they are shown."""
        seen: Recorded = magnified(self.solution, self.magnify)
        return seen

    # -- pieces -------------------------------------------------------------------------------------------

    def stage(self, times: Sequence[float] | np.ndarray) -> list[Piece]:
        """All pieces at times [s], with ghosts and trails; `piece.points(k)` are its points at the k-th of them."""
        times = np.atleast_1d(np.asarray(times, dtype=float))
        shown = self._seen(times)
        ghosts = self._seen(self.ghosts) if len(self.ghosts) else None
        pieces = stage(shown, self.selection, self.scales, ghosts) + triads(shown, self.triads, self.scales.unit)
        if self.orbit is not None:
            pieces += orbit_axes(self.orbit.at(times), self.scales.unit)
        if self.trails:
            pieces += trails(self._dense_solution(times), self.trails, times, self.scales.unit)
        if len(self.ghosts):
            plain = Selection(self.selection.quantity, self.selection.colored, points=self.selection.points)
            for j, time in enumerate(self.ghosts):
                # two surfaces in one place would show through each other, so each ghost is a little thinner
                thinner = replace(self.scales, thickness_factor=1.0 - 0.03 * (1 + j % 8))
                past = stage(self._seen([time]), plain, thinner)
                layer = 1.0 - j / len(self.ghosts)
                pieces += [Ghost.of(piece, 0, layer) for piece in past if piece.role not in WITHOUT_GHOSTS]
        pieces = [replace(x, color=self.colors[x.name]) if x.name in self.colors else x for x in pieces]
        if self.followed is not None:
            shift = way_back(shown, self._seen(self.solution.t[:1]), self.followed, self.scales.up)
            pieces = [carried(piece, shift) for piece in pieces]
        return pieces if self.companions is None else self.companions.joined(pieces, times)

    def title(self, time: float) -> str:
        """The title of the picture at a time [s]."""
        return with_factor(self._title_at(time), self.magnify, self.gaping)

    def _title_at(self, time: float) -> str:
        name = self.named
        if self.subject.caption:
            return f"{name}, {self.subject.caption}".removeprefix(", ")
        first, last = self.solution.t[0], self.solution.t[-1]
        if not last > first:
            return name
        clock = self.subject.clock
        digits = max(0, 2 - int(np.floor(np.log10(last - first)))) if "[" in clock else 0
        return f"{name}, {at_time(clock, f'{time:.{digits}f}')}".removeprefix(", ")

    @property
    def arrow_scale(self) -> str:
        """The sizes that the longest arrows stand for, and those of an orbit; empty if there are none."""
        said = [arrow_scale(self.scales), "" if self.orbit is None else arrows_of_orbit(self.orbit)]
        return "\n".join(text for text in said if text)

    def seconds(self, pace: float) -> float:
        """How long the motion is shown [s]."""
        span = float(self.solution.t[-1] - self.solution.t[0]) if self.subject.seconds is None else self.subject.seconds
        return span / pace

    def frame_times(self, count: int) -> np.ndarray:
        """`count` times [s] at equal distances from start to end; the only time of a solution that has one."""
        first, last = float(self.solution.t[0]), float(self.solution.t[-1])
        return np.linspace(first, last, max(count, 2)) if last > first else np.array([first])

    # -- pictures ------------------------------------------------------------------------------------------

    def screenshot(self, path: str | Path, *, time: float | None = None, size: Size = 1600) -> Path:
        """A picture (.png, .jpg) at a time [s], the last one when not given; `size` [pixel]: a width, which
        leaves the height to the mechanism, or width and height."""
        target = ShownPath(files.path_to_write(path, "picture", tuple(FORMATS)))
        t = float(self.solution.t[-1]) if time is None else checks.number(time, "time", f"picture {target}")
        from PIL import Image

        with self.picture(np.array([t]), size, f"picture {target}") as picture:
            picture.title(self.title(t))
            picture.instant(0)
            image = picture.image()
        with files.replaced(target, "picture") as sink:
            Image.fromarray(image).save(cast(BinaryIO, sink), FORMATS[target.suffix.lower()])
        return target

    def movie(self, path: str | Path, *, fps: int = 30, pace: float = 1.0, size: Size = 800) -> Path:
        """A film, .mp4 or .gif, of :meth:`seconds` (pace) · `fps` + 1 pictures: `pace` 0.1 shows it ten times as slow,
        and `fps` are pictures a second; `size` as in :meth:`screenshot`. An .mp4 needs imageio and ffmpeg, which
        `pip install 'flexmb[film]'` brings. At the end of a cell of a notebook the path that is returned plays the
        film."""
        target = film.film_target(path)
        where = f"film {target}"
        fps = checks.count(fps, "fps", where, least=1)
        pace = checks.positive(pace, "pace", where)
        times = self.frame_times(film.frame_count(self.seconds(pace), fps, where))
        with self.picture(times, size, where, smooth="fxaa") as picture:

            def images() -> Iterator[np.ndarray]:
                for k, t in enumerate(times):
                    picture.title(self.title(float(t)))
                    picture.instant(k)
                    yield picture.image()

            own = {piece.color for piece, _, _ in picture.parts} - {""}
            used = (*self.look.roles.values(), *self.look.bodies, *self.look.marks, *sorted(own))
            colors = np.array([255.0 * rgb(color) for color in used])
            if self.coloring is not None:
                colors = np.concatenate([255.0 * color_map(self.coloring.both_signs)(SCALE)[:, :3], colors])
            film.write_film(target, images(), fps, colors)
        return target

    def show(self, *, pace: float = 1.0, pictures: int | None = None, size: Size = (1200, 800)) -> None:
        """Open a window: a button and the space bar play and pause, a slider and the arrow keys go through time, the
        mouse turns, shifts and zooms. The method returns when the window is closed. Without a screen it raises a
        DisplayError.

        In a notebook the page of :meth:`html` stands below the cell instead, of at most this `size`, and no screen is
        needed. `pictures`: the number of instants, when not given 301 in a window and 121 in a notebook."""
        pace = checks.positive(pace, "pace", "window")
        if pictures is not None:
            pictures = checks.count(pictures, "pictures", "window", least=2)
        if in_notebook():
            Shown(self._framed(pictures or PAGE_PICTURES, pace, size), repr(self))
            return
        check_window()
        Window(self, self.frame_times(pictures or WINDOW_PICTURES), pace, size).run()

    def _framed(self, pictures: int, pace: float, size: Any) -> str:
        """The page in a frame of a notebook."""
        times = self.frame_times(pictures)
        chosen = self._pixels(size, lambda: self.extent(self.stage(times), len(times)), "window")
        return frame(page_of(self, times, pace), chosen)

    def _repr_html_(self) -> str:
        return self._framed(PAGE_PICTURES, 1.0, NOTEBOOK_SIZE)

    def html(self, path: str | Path, *, pictures: int = PAGE_PICTURES, pace: float = 1.0) -> Path:
        """A page that a browser can turn and play: one file, which loads nothing else. It holds `pictures` instants."""
        target = files.path_to_write(path, "page", (".html", ".htm"))
        pictures = checks.count(pictures, "pictures", f"page {target}", least=1)
        pace = checks.positive(pace, "pace", f"page {target}")
        return files.write_text(target, "page", page_of(self, self.frame_times(pictures), pace))

    def gltf(
        self, path: str | Path, *, time: float | None = None, pictures: int | None = None, pace: float = 1.0
    ) -> Path:
        """A scene for browsers, presentations and Blender, one file: .glb, or .gltf as text. It plays `pictures`
        instants, 121 when not given, with linear motion between; `pace` 0.1 is ten times as slow. At a `time` [s] it
        stands still."""
        return write_scene(self, path, time, pictures, pace)

    def picture(
        self, times: np.ndarray, size: Any, where: str, *, window: bool = False, smooth: Smoothing = "msaa"
    ) -> Picture:
        """The stage at times [s], ready to be drawn; `size` is a width [pixel], or width and height."""
        pieces = self.stage(times)
        corners = self.extent(pieces, len(times))
        chosen = self._pixels(size, lambda: corners, where)
        framing = framing_of(*corners, self.axes, chosen, self.coloring is not None)
        how: dict[str, Any] = {"window": window, "smooth": smooth, "corner": self.arrow_scale}
        return Picture(pieces, self.look, self.coloring, framing, chosen, **how)

    def _pixels(self, size: Any, corners: Callable[[], tuple[np.ndarray, np.ndarray]], where: str) -> tuple[int, int]:
        """Width and height [pixel]; a height that fits what lies between the `corners` where only a width is given."""
        if not isinstance(size, int | np.integer):
            return size_given(size, where)
        width = even_pixels(size, where)
        return width, fitting_height(*corners(), width, self.coloring is not None)

    def extent(self, pieces: list[Piece], count: int) -> tuple[np.ndarray, np.ndarray]:
        """The corners (3,) [m] of all pieces at the instants of a stage, along the axes of the camera."""
        corners: list[np.ndarray] = []
        for piece in pieces:
            for k in range(0, count if piece.moves else 1, max(1, count // 40)):
                if piece.visible_faces(k):
                    corners += extent(drawn_points(piece, k), self.axes)
        if not corners:
            raise ModelError(f"view of {self.solution.where}: there is nothing to be seen in it; add a body or a beam")
        both = np.array(corners)
        return both.min(axis=0), both.max(axis=0)

    def __repr__(self) -> str:
        return f"View({self.solution.name!r}, {self.look.name})"
