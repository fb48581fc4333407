"""Pictures of a stage, drawn by VTK."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeGuard

import numpy as np

from flexmb.machine.threads import one_thread
from flexmb.results.recorded import Recorded
from flexmb.visual.rendering.look import Look, color_map, faded, rgb
from flexmb.visual.rendering.smoothing import smoothed
from flexmb.visual.screens import check_off_screen, pyvista, silent_vtk
from flexmb.visual.stage.meshes import vertex_normals
from flexmb.visual.stage.pieces import Ghost, Piece, Rigid
from flexmb.visual.stage.placing import transform
from flexmb.visual.stage.scales import PictureScales

#: margins as parts of a picture's width: above for the title, below, below with a color scale, at the sides
TOP, BELOW, BAR, SIDE = 0.055, 0.03, 0.098, 0.035
#: the width of a letter of the title of a color scale, as a part of a picture's width
LETTER = 0.0115
#: samples of a pixel, as far as a machine has them
SAMPLES = 8
#: how edges are smoothed: by several samples of each pixel, or afterwards, from the neighbors of each pixel, which
#: takes processors without a graphics card a fifth of the time (13 and 68 ms for 55 000 triangles, 800 by 600 pixels)
Smoothing = Literal["msaa", "fxaa"]
#: how far the rearmost ghost is moved back, as a part of the depth of the picture
BEHIND = 0.3


@dataclass(frozen=True, eq=False)
class Coloring:
    """The color scale of a quantity along beams: its title with unit, the factor from SI to that unit, and its
    limits."""

    title: str
    factor: float
    limits: tuple[float, float]

    @property
    def both_signs(self) -> bool:
        """Whether zero lies between the limits, so that it is the middle color."""
        return self.limits[0] < 0.0 < self.limits[1]


@dataclass(frozen=True, eq=False)
class Framing:
    """How a camera frames a picture: directions to the right, up and to the viewer (3,), the middle (3,) [m], half the
    height of the picture [m], and half its depth [m]."""

    right: np.ndarray
    up: np.ndarray
    back: np.ndarray
    middle: np.ndarray
    half: float
    depth: float


class Picture:
    """A stage in a plotter of pyvista; :meth:`instant` moves it to another instant."""

    def __init__(
        self,
        pieces: list[Piece],
        look: Look,
        coloring: Coloring | None,
        frame: Framing,
        size: tuple[int, int],
        *,
        window: bool = False,
        smooth: Smoothing = "msaa",
        corner: str = "",
    ) -> None:
        pv = pyvista()
        if not window:
            check_off_screen()
        self.look, self.coloring, self.size, self.smooth = look, coloring, size, smooth
        with silent_vtk():
            self.plotter = pv.Plotter(off_screen=not window, window_size=size, lighting="none")
        self.plotter.set_background(look.background)
        _add_lights(self.plotter, frame)
        if smooth == "msaa":
            self.plotter.enable_anti_aliasing("msaa", multi_samples=SAMPLES)
        else:
            self.plotter.render_window.SetMultiSamples(0)
        self.parts: list[tuple[Piece, Any, Any]] = []
        self.text: Any = None
        colored = None
        for piece in pieces:
            actor, mesh = self._add(piece)
            if coloring is not None and piece.values(0) is not None and not isinstance(piece, Ghost):
                colored = actor
            self.parts.append((piece, mesh, actor))
        if coloring is not None and colored is not None:
            self._bar(colored.mapper)
        for k, line in enumerate(corner.splitlines()):
            # above on the right, where neither the title nor the color scale is
            text = self.write(line, (0.978, 1.0 - (1.7 + 1.4 * k) * self.letters / self.size[1]), 0.85)
            text.prop.SetJustificationToRight()
        aim_camera(self.plotter, frame)

    @property
    def letters(self) -> int:
        """The height of letters [pixel], readable when the picture is shown 800 pixels wide."""
        return max(8, round(0.0185 * self.size[0]))

    def _add(self, piece: Piece) -> tuple[Any, Any]:
        """Add a piece to the plotter; returns its actor and its mesh."""
        pv = pyvista()
        # a rigid piece that moves stays as it is, and its actor moves
        points = piece.local if _moves_rigidly(piece) else piece.points(0)
        mesh = pv.PolyData.from_regular_faces(points, piece.faces)
        mesh.point_data.active_normals = vertex_normals(points, piece.faces)
        values = piece.values(0)
        style: dict[str, Any] = {"color": color_of(piece, self.look)}
        if values is not None and self.coloring is not None:
            colors = color_map(self.coloring.both_signs)
            if isinstance(piece, Ghost):
                low, high = self.coloring.limits
                part = np.clip((values * self.coloring.factor - low) / (high - low), 0.0, 1.0)
                mesh.point_data["color"] = faded(colors(part)[:, :3], self.look.background, self.look.pale)
                style = {"scalars": "color", "rgb": True}
            else:
                mesh.point_data["quantity"] = values * self.coloring.factor
                style = {"scalars": "quantity", "cmap": colors, "clim": self.coloring.limits}
        flat = isinstance(piece, Ghost)
        actor = self.plotter.add_mesh(
            mesh,
            **style,
            show_scalar_bar=False,
            reset_camera=False,
            render=False,
            copy_mesh=False,
            ambient=0.55 if flat else self.look.ambient,
            diffuse=0.5 if flat else 0.85,
            specular=0.0 if flat else 0.16,
            specular_power=18,
        )
        actor.prop.interpolation = "Phong"
        if piece.behind:
            # VTK divides the depth of a picture, from 0 to 1, into 65000 parts
            actor.mapper.SetResolveCoincidentTopologyToPolygonOffset()
            actor.mapper.SetRelativeCoincidentTopologyPolygonOffsetParameters(0.0, 65000.0 * BEHIND * piece.behind)
        return actor, mesh

    def _bar(self, mapper: Any) -> None:
        """Draw the color scale below the picture, with its title to the left."""
        assert self.coloring is not None
        big = max(abs(x) for x in self.coloring.limits)
        # a long title takes room from the scale to its right
        first = min(max(0.36, 0.04 + LETTER * len(self.coloring.title)), 0.56)
        title = self.write(self.coloring.title, (first - 0.02, 3.8 * self.letters / self.size[1]))
        title.prop.SetJustificationToRight()
        bar = self.plotter.add_scalar_bar(
            "",
            mapper=mapper,
            n_labels=5,
            fmt="{:.3g}" if 1e-3 <= big < 1e5 else "{:.1e}",
            color=self.look.ink,
            label_font_size=self.letters,
            unconstrained_font_size=True,
            position_x=first,
            position_y=0.0,
            width=0.92 - first if first > 0.36 else 0.5,
            height=1.0,
            vertical=False,
            render=False,
        )
        line = self.letters / self.size[1]
        bar.SetHeight(3.6 * line)
        bar.SetPosition(first, 0.9 * line)
        bar.SetTextPad(max(1, round(0.3 * self.letters)))
        bar.SetTextPositionToPrecedeScalarBar()
        bar.SetBarRatio(0.36)
        bar.SetTitleRatio(0.0)
        self._set_font(bar.GetLabelTextProperty())

    def _set_font(self, style: Any) -> None:
        """Give a text the font that has all letters and signs, in the size that suits the picture."""
        from flexmb.plots.figures import font_file

        style.SetFontFamily(4)  # a font from a file
        style.SetFontFile(font_file())
        style.SetFontSize(self.letters)
        style.BoldOff()
        style.ItalicOff()
        style.ShadowOff()

    def write(self, text: str, place: tuple[float, float], size: float = 1.0) -> Any:
        """Write text that begins at a place (parts of the width and height), `size` times as large as the rest."""
        actor = self.plotter.add_text(text, position=place, viewport=True, color=self.look.ink, render=False)
        self._set_font(actor.prop)
        actor.prop.SetFontSize(round(size * self.letters))
        actor.prop.SetVerticalJustificationToCentered()
        return actor

    def title(self, text: str) -> None:
        """Write the title above the picture."""
        if self.text is None:
            self.text = self.write(text, (0.022, 1.0 - 1.7 * self.letters / self.size[1]))
        else:
            self.text.SetInput(text)

    @one_thread  # threads of BLAS that wait for work would take turns with those that draw
    def instant(self, k: int) -> None:
        """Move all pieces to their places at the instant k."""
        for piece, mesh, actor in self.parts:
            if not piece.moves and piece.on is None:
                continue
            if _moves_rigidly(piece):
                actor.visibility = piece.visible_faces(k) > 0
                actor.user_matrix = transform(piece.poses[k])
                continue
            count = piece.visible_faces(k)
            actor.visibility = count > 0
            if not count:
                continue
            if count < len(piece.faces) or mesh.n_cells < len(piece.faces):
                mesh.regular_faces = piece.faces[:count]
            points = piece.points(k)
            mesh.points = points
            mesh.point_data.active_normals = vertex_normals(points, piece.faces)
            values = piece.values(k)
            if values is not None and self.coloring is not None:
                mesh.point_data["quantity"][:] = values * self.coloring.factor
                mesh.Modified()

    def image(self) -> np.ndarray:
        """The picture as an array (height, width, 3) of numbers from 0 to 255."""
        with silent_vtk():
            self.plotter.render()
            image = np.ascontiguousarray(self.plotter.screenshot(None, return_img=True)[:, :, :3])
        if self.smooth == "msaa":
            return image
        # letters above and below are smooth already
        below = BELOW if self.coloring is None else BAR
        return smoothed(image, round(TOP * self.size[0]), self.size[1] - round(below * self.size[0]))

    def close(self) -> None:
        """Release the memory of the picture."""
        self.plotter.close()
        self.parts.clear()

    def __enter__(self) -> Picture:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _moves_rigidly(piece: Piece) -> TypeGuard[Rigid]:
    return isinstance(piece, Rigid) and piece.moves


def color_of(piece: Piece, look: Look) -> np.ndarray:
    """The color (3,) of a piece that no quantity colors."""
    color = rgb(piece.color or look.color(piece.role, piece.number))
    return faded(color, look.background, look.pale) if isinstance(piece, Ghost) else color


def drawn_points(piece: Piece, k: int) -> np.ndarray:
    """The points of a piece that are drawn at the instant k."""
    count = piece.visible_faces(k)
    points = piece.points(k)
    return points if count == len(piece.faces) else points[np.unique(piece.faces[:count])]


def extent(points: np.ndarray, axes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The corners (3,) of points (p, 3) along the axes (3, 3) of a camera [m]: to the right, up, to the viewer."""
    projected = points @ axes.T
    return projected.min(axis=0), projected.max(axis=0)


def fitting_height(low: np.ndarray, high: np.ndarray, width: int, bar: bool) -> int:
    """The height [pixel] that suits the content of a picture of a given width, between 40 % and 90 % of the width."""
    w, h = np.maximum(high - low, 1e-12)[:2]
    height = width * (h / w * (1.0 - 2.0 * SIDE) + TOP + (BAR if bar else BELOW))
    return 2 * round(0.5 * float(np.clip(height, 0.4 * width, 0.9 * width)))


def framing_of(low: np.ndarray, high: np.ndarray, axes: np.ndarray, size: tuple[int, int], bar: bool) -> Framing:
    """The framing that shows an extent along the axes of a camera, with room for the title and the color scale."""
    right, up, back = axes
    w, h = np.maximum(high - low, 1e-12)[:2]
    shape = size[0] / size[1]
    above, below = shape * TOP, shape * (BAR if bar else BELOW)
    height = max(h / (1.0 - above - below), w / (1.0 - 2.0 * SIDE) / shape)
    x = 0.5 * (low[0] + high[0])
    y = 0.5 * (low[1] + high[1]) + 0.5 * (above - below) * height
    z = 0.5 * (low[2] + high[2])
    return Framing(right, up, back, x * right + y * up + z * back, 0.5 * height, 0.5 * float(high[2] - low[2]))


def aim_camera(plotter: Any, frame: Framing) -> None:
    """Point the camera at the frame."""
    camera = plotter.camera
    camera.parallel_projection = True
    far = max(10.0 * frame.half, 1.5 * frame.depth)
    camera.focal_point = frame.middle
    camera.position = frame.middle + far * frame.back
    camera.up = frame.up
    camera.parallel_scale = frame.half
    camera.clipping_range = (0.01 * far, 3.0 * far)


def _add_lights(plotter: Any, frame: Framing) -> None:
    """Add one light from above on the left and a weaker one from the right."""
    pv = pyvista()
    for direction, strength in (((-0.4, 0.6, 1.0), 0.74), ((0.8, -0.25, 1.0), 0.28)):
        light = pv.Light(light_type="camera light", intensity=strength)
        light.position = direction
        light.focal_point = (0.0, 0.0, 0.0)
        light.positional = False
        plotter.add_light(light)


#: the size of a picture: its width, or width and height [pixel]
Size = int | tuple[int, int]


class Viewed(Protocol):
    """What windows and pages need of a view (:class:`flexmb.View`)."""

    solution: Recorded
    look: Look
    axes: np.ndarray
    scales: PictureScales
    coloring: Coloring | None

    def stage(self, times: Sequence[float] | np.ndarray) -> list[Piece]: ...

    def extent(self, pieces: list[Piece], count: int) -> tuple[np.ndarray, np.ndarray]: ...

    def title(self, time: float) -> str: ...

    def frame_times(self, count: int) -> np.ndarray: ...

    @property
    def arrow_scale(self) -> str: ...

    def seconds(self, speed: float) -> float: ...

    def picture(self, times: np.ndarray, size: Size, where: str, *, window: bool = False) -> Picture: ...
