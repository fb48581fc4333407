"""Diagrams are readable on light and on dark ground: writing and lines have enough contrast."""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib import style
from matplotlib.collections import PathCollection
from matplotlib.colors import to_rgb, to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text
from PIL import Image

import flexmb as fm
from flexmb.errors import ModelError, ResultFileError
from flexmb.plots import figures
from flexmb.visual.rendering.look import LOOKS
from tests.models.pendulums import flexible_pendulum

matplotlib.use("Agg")


def contrast(color, ground):
    """The contrast of two colors, 1 to 21: the ratio of their luminances as W3C (n.d.) defines it."""

    def luminance(c):
        x = np.array(to_rgb(c))
        return float(np.where(x <= 0.04045, x / 12.92, ((x + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722])

    low, high = sorted((luminance(color), luminance(ground)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_that_of_the_guidelines():
    """Published values for pairs of colors."""
    assert contrast("black", "white") == pytest.approx(21.0)
    assert contrast("#777777", "white") == pytest.approx(4.48, abs=0.01)


def test_every_color_stands_out_on_dark_ground():
    with figures.on_background("dark"):
        c = figures.colors()
        times = matplotlib.colormaps[matplotlib.rcParams["image.cmap"]](np.linspace(0.0, 1.0, 101))
    assert c.paper == LOOKS["dark"].background  # pictures in space stand beside diagrams
    assert contrast(c.ink, c.paper) > 12.0
    for color in (*c.lines, c.quiet, c.rest, *times):
        assert contrast(color, c.paper) >= 3.5, color
    assert contrast(c.fill, c.paper) < 2.0 and len(set(c.lines)) == 8


def test_light_ground_is_white_and_its_writing_dark():
    with figures.on_background("light"):
        c = figures.colors()
    assert to_rgb(c.paper) == (1.0, 1.0, 1.0) and contrast(c.ink, c.paper) > 12.0
    assert all(contrast(color, c.paper) >= 2.8 for color in c.lines)
    assert all(contrast(color, c.paper) >= 3.5 for color in c.lines[:4])


def test_both_sheets_say_the_same_of_all_but_colors():
    light, dark = (
        dict(re.findall(r"^([\w.]+): (.*)$", (Path(figures.__file__).parent / f"{name}.mplstyle").read_text(), re.M))
        for name in ("light", "dark")
    )
    colored = {"axes.prop_cycle", *(key for key in light if key.endswith("color"))} - {"savefig.facecolor"}
    assert light.keys() == dark.keys() and len(colored) > 8
    assert {key for key in light if light[key] != dark[key]} == colored


@pytest.fixture(scope="module")
def run() -> fm.Solution:
    return fm.simulate(flexible_pendulum(), 0.3, step=0.01, progress=False)


def still(model):
    """A rod that hangs at rest; the time of a linear model's equilibrium."""
    model.torsion_spring(model.ground, model.components["rod"].start, stiffness=20.0, damping=0.1)
    return fm.equilibrium(model)


def rotor(speed):
    m = fm.PlanarModel("rotor")
    hub = m.add_body("hub", mass=1.0, inertia=1.0)
    m.revolute(m.ground, hub.frame)
    m.drive_angle(m.ground, hub.frame, fm.Polynomial([0.0, speed]))
    bead = m.add_body("bead", mass=2.0, inertia=0.1, position=(0.5, 0.0))
    m.prismatic(hub.frame, bead.frame)
    m.bushing(hub.frame.attach("seat", (0.5, 0.0)), bead.frame, stiffness=(50.0, 0.0, 0.0))
    return m


def strut():
    m = fm.PlanarModel("strut")
    rod = m.add_beam(
        "rod", (0, 0), (0, 1), properties=fm.planar.BeamProperties(EA=2000.0, EI=1.5, rhoA=0.4), elements=2
    )
    m.weld(m.ground, rod.start)
    m.point_force(rod.end, (0.1, -1.0), name="load")
    return fm.equilibrium_path(m, factor=1.0)


def double(a, b):
    return {"y": 2.0 * a + b}


#: every method that makes a diagram
DIAGRAMS = {
    "plot": lambda run, **options: run.plot("rod.end.y", "rod.end.vx", **options),
    "draw": lambda run, **options: run.draw(trails="rod.end", **options),
    "spectrum": lambda run, **options: run.plot_spectrum("rod.end.y", log=True, **options),
    "phase": lambda run, **options: run.plot_phase("rod.end.y", **options),
    "along": lambda run, **options: run.plot_along("rod", "bending_moment", **options),
    "modes": lambda run, **options: fm.modes(flexible_pendulum(), 2).plot(**options),
    "campbell": lambda run, **options: fm.campbell(rotor, [0.0, 3.0, 4.0], 1).plot(**options),
    "bode": lambda run, **options: (
        fm.linearize(still(flexible_pendulum()), ["rod.end.fx"], ["rod.end.x"])
        .response(np.geomspace(0.1, 10.0, 20))
        .bode(**options)
    ),
    "path": lambda run, **options: strut().plot("rod.end.x", **options),
    "path drawn": lambda run, **options: strut().draw(3, **options),
    "study": lambda run, **options: fm.study(double, fm.grid(a=[1, 2], b=[3, 4]), workers=0, progress=False).plot(
        "a", "y", **options
    ),
}


@pytest.mark.parametrize("kind", DIAGRAMS)
@pytest.mark.warns(fm.errors.BalanceWarning, "the state is not an equilibrium", kind="modes")
def test_all_of_a_dark_diagram_can_be_seen(run, kind, tmp_path):
    path = tmp_path / "dark.png"
    figure = DIAGRAMS[kind](run, path=path, background="dark")
    with figures.on_background("dark"):
        ground, grid = figures.colors().paper, matplotlib.rcParams["grid.color"]
    assert to_rgba(figure.get_facecolor()) == to_rgba(ground)
    texts = [text for text in figure.findobj(Text) if text.get_text() and text.get_visible()]
    assert len(texts) > 8
    for text in texts:
        assert contrast(text.get_color(), ground) > 4.5, text.get_text()
    seen = [line for line in figure.findobj(Line2D) if line.get_color() != grid and to_rgba(line.get_color())[3] == 1.0]
    assert len(seen) > 8
    for line in seen:
        hollow = line.get_color() == ground
        assert contrast(line.get_markeredgecolor() if hollow else line.get_color(), ground) >= 3.5 or line_on_bar(line)
    for dots in figure.findobj(PathCollection):
        assert all(contrast(color, ground) >= 3.5 for color in dots.get_facecolor())
    corner = np.asarray(Image.open(path).convert("RGB"))[0, 0]
    np.testing.assert_allclose(corner, np.rint(255 * np.array(to_rgb(ground))), atol=1)


def line_on_bar(line):
    """Whether a line holds the marks on a color scale, which have the color of the ground."""
    return line.axes is not None and line.axes.get_label() == "<colorbar>"


def axes_of(figure):
    return [axis for ax in figure.axes for axis in (ax.xaxis, ax.yaxis)]


def test_films_are_dark_too(run, tmp_path):
    with Image.open(run.animate(tmp_path / "film.gif", fps=10, background="dark")) as images:
        corner = np.asarray(images.convert("RGB"))[0, 0]
    np.testing.assert_allclose(corner, [0x11, 0x17, 0x1D], atol=3)


def test_a_figure_on_the_screen_keeps_its_colors_when_more_is_drawn(run):
    before = dict(matplotlib.rcParams)
    figure = run.plot("rod.end.y", background="dark")
    assert dict(matplotlib.rcParams) == before
    figure.axes[0].set_ylim(-100.0, 1e-3)  # other ticks, and more of them
    figure.draw_without_rendering()
    labels = [text for axis in axes_of(figure) for text in axis.get_ticklabels()]
    assert len(labels) > 6 and {text.get_color() for text in labels} == {"#e8eef3"}
    matplotlib.pyplot.close(figure)


def test_figures_of_a_users_own_can_look_alike():
    with style.context("flexmb.plots.dark"):
        figure = Figure()
        line = figure.subplots().plot([0, 1])[0]
    assert to_rgba(figure.get_facecolor()) == to_rgba("#11171d") and line.get_color() == "#69a5ea"


def test_what_is_no_background_is_told(run, tmp_path):
    for picture in (run.plot_phase, run.plot):
        with pytest.raises(ModelError, match="picture: background is 'black'; choose one of 'light', 'dark'"):
            picture("rod.end.y", background="black")
    with pytest.raises(ResultFileError, match="no/dark"):
        run.draw(path=tmp_path / "no" / "dark.png", background="dark")


@pytest.mark.parametrize("kind", DIAGRAMS)
@pytest.mark.warns(fm.errors.BalanceWarning, "the state is not an equilibrium", kind="modes")
def test_every_diagram_takes_a_title_and_labels_of_its_axes(kind, run, tmp_path):
    up = ["upward"] * 2 if kind in ("plot", "bode") else "upward"
    given = {"title": "My title", "x_label": "across", "y_label": up, "path": tmp_path / "p.png"}
    texts = {text.get_text() for text in DIAGRAMS[kind](run, **given).findobj(Text)}
    assert texts >= {"My title", "across", "upward"}
    assert not any("[–]" in text or "[?]" in text for text in texts)
    with pytest.raises(ModelError, match="title is 3; give a text"):
        DIAGRAMS[kind](run, **given | {"title": 3})
