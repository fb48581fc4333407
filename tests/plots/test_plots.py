"""Diagrams and drawings of plain arrays: everything is drawn where the numbers say."""

from __future__ import annotations

import threading

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from PIL import Image

from flexmb.errors import ModelError
from flexmb.plots import drawing, figures, frequencies, histories, modes, relations
from flexmb.plots.scene import Scene
from flexmb.plots.words import Quantity, Words

matplotlib.use("Agg")

T = np.linspace(0.0, 2.0, 5)


def test_lines_of_one_unit_share_a_panel(tmp_path):
    lines = [("m", "x", T, T**2), ("rad", "angle", T, -T), ("m", "y", T, 3.0 * T)]
    figure = histories.histories(lines, "t [s]", Words("rod"), tmp_path / "p.png", "light")
    length, angle = figure.axes
    assert [line.get_label() for line in length.lines] == ["x", "y"] and angle.get_ylabel() == "angle [rad]"
    assert np.array_equal(length.lines[1].get_ydata(), 3.0 * T)
    with figures.on_background("light"):
        assert [line.get_color() for ax in figure.axes for line in ax.lines] == figures.colors().lines[:3]
    assert length.get_title(loc="left") == "rod" and angle.get_xlabel() == "t [s]"


def test_profiles_are_colored_by_time(tmp_path):
    s, rows = np.linspace(0.0, 1.0, 4), np.arange(20.0).reshape(5, 4)
    figure = histories.profiles(
        Quantity("s", "m", s), T, Quantity("N", "N", rows), "t [s]", Words("rod"), tmp_path / "p.png", "light"
    )
    ax, bar = figure.axes
    assert [to_hex(ax.lines[k].get_color()) for k in (1, 5)] == [figures.TIMES["light"][k] for k in (0, -1)]
    assert np.array_equal([line.get_ydata() for line in ax.lines[1:]], rows) and bar.get_ylabel() == "t [s]"


def test_a_phase_plane_begins_at_the_ring(tmp_path):
    x, y = Quantity("x", "m", np.cos(T)), Quantity("v", "m/s", -np.sin(T))
    ax = relations.phase_plane(T, x, y, "t [s]", Words("stone"), tmp_path / "p.png", "dark").axes[0]
    ring, dot = ax.lines
    assert [*ring.get_xydata()[0], *dot.get_xydata()[0]] == [1.0, 0.0, np.cos(2.0), -np.sin(2.0)]
    assert ring.get_markerfacecolor() == "#11171d" and to_hex(dot.get_color()) == figures.TIMES["dark"][-1]


def test_what_is_unstable_is_dashed_and_marks_are_named_once(tmp_path):
    x, y = Quantity("u", "m", np.arange(6.0)), Quantity("load factor", "–", np.arange(6.0) ** 2)
    stable = np.array([True, True, False, False, True, True])
    critical = [("limit", 1.5, 2.0), ("bifurcation", 2.0, 4.0), ("limit", 3.5, 12.0)]
    ax = relations.equilibria(x, y, stable, critical, Words("truss"), tmp_path / "p.png", "light").axes[0]
    parts = [(line.get_linestyle(), line.get_xdata().tolist()) for line in ax.lines[:3]]
    assert parts == [("-", [0.0, 1.0, 2.0]), ("--", [2.0, 3.0, 4.0]), ("-", [4.0, 5.0])]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["limit point", "bifurcation", "unstable"]
    assert [tuple(line.get_xydata()[0]) for line in ax.lines[3:6]] == [(1.5, 2.0), (2.0, 4.0), (3.5, 12.0)]


def test_columns_are_lines_dots_or_shades(tmp_path):
    a, z = (Quantity(*x) for x in (("a", "", np.array([1.0, 2, 3, 4])), ("z", "", np.array([4.0, 3, 2, np.nan]))))
    lost = np.array([False, False, False, True])
    path, words = tmp_path / "p.png", Words("f")
    lines = relations.columns(a, z, [("b = 1", [1, 0]), ("b = 2", [2, 3])], None, lost, words, path, "light").axes[0]
    assert lines.lines[0].get_xdata().tolist() == [2.0, 1.0] and lines.lines[2].get_xdata().tolist() == [4.0]
    assert [text.get_text() for text in lines.get_legend().get_texts()] == ["b = 1", "b = 2", "failed"]
    none = np.zeros(4, dtype=bool)
    shaded, bar = relations.columns(a, a, [], Quantity("b", "", np.arange(4.0)), none, words, path, "light").axes
    assert shaded.collections[0].get_array().tolist() == [0.0, 1.0, 2.0, 3.0] and bar.get_ylabel() == "b"
    (dots,) = relations.columns(a, z, [], None, none, words, path, "light").axes
    assert dots.lines[0].get_marker() == "." and not dots.collections and dots.get_legend() is None


def test_phases_of_a_bode_plot_begin_near_a_right_angle(tmp_path):
    f = np.array([0.0, 1.0, 10.0, 100.0])
    size, phase = np.ones((4, 1, 2)), np.full((4, 1, 2), -2.25 * np.pi)
    figure = frequencies.bode(
        [("", f, size, phase)], [("motor", "Nm"), ("seat", "–")], [("x", "m")], Words(), tmp_path / "p.png", "light"
    )
    above, _, below, _ = figure.axes
    assert below.lines[0].get_ydata() == pytest.approx([-45.0] * 3) and len(above.lines[0].get_xdata()) == 3
    assert [ax.get_ylabel() for ax in figure.axes] == [
        "magnitude [m per Nm]",
        "magnitude [m]",
        "phase [°]",
        "phase [°]",
    ]


def test_engine_orders_are_lines_through_the_origin(tmp_path):
    speeds = np.array([0.0, 50.0, 100.0])
    f = np.array([[10.0], [11.0], [12.0]])
    path = tmp_path / "p.png"
    ax = frequencies.campbell(speeds, f, [(66.0, 10.5)], (1, 2), "frequency", Words("rotor"), path, "light").axes[0]
    assert ax.lines[1].get_ydata() == pytest.approx(2.0 * speeds / (2.0 * np.pi))
    assert ax.lines[-1].get_xydata().tolist() == [[66.0, 10.5]] and ax.get_ylim() == (0.0, 1.08 * 12.0)


def mechanism(angles):
    """A bar of 1 m about the origin with a pin, a body and a support."""
    tip = np.stack([np.cos(angles), np.sin(angles)], axis=1)[:, None, :]
    beam = np.concatenate([np.zeros_like(tip), tip], axis=1)
    times = np.arange(float(len(angles)))
    return Scene(times, beams=[beam], bodies=[tip], pins=[beam[:, :1]], grounds=[np.zeros(2)])


EXTENT = np.array([-1.2, -1.2]), np.array([1.2, 1.2])


def test_a_drawing_shows_a_mechanism_at_all_its_times(tmp_path):
    seen = mechanism(np.array([0.0, 0.5, 1.0]))
    args = (EXTENT, "t [s]", Words("arm"), tmp_path / "p.png", (5.0, 4.0), "light")
    figure = drawing.draw(seen, [seen.bodies[0][:, 0]], seen.t, *args)
    ax, bar = figure.axes
    drawn = [line.get_xydata() for line in ax.lines if len(line.get_xydata()) == 2 and line.get_linewidth() == 2.4]
    assert np.array_equal(drawn, seen.beams[0]) and tuple(figure.get_size_inches()) == (5.0, 4.0)
    assert (ax.get_xlim(), ax.get_aspect()) == ((-1.2, 1.2), 1.0)
    assert bar.lines[0].get_ydata().tolist() == [0.0, 1.0, 2.0] and len(ax.collections[0].get_segments()) == 2


def test_modes_stand_side_by_side_over_the_mechanism_at_rest(tmp_path):
    rest, swing = mechanism(np.zeros(1)), mechanism(np.array([0.3, 0.0, -0.3]))
    figure = modes.modes([swing] * 4, rest, EXTENT, list("abcd"), Words("arm"), tmp_path / "p.png", "light")
    shown = [ax for ax in figure.axes if ax.get_visible()]
    assert [ax.get_title(loc="left") for ax in shown] == list("abcd") and len(figure.axes) == 6
    beams = [line for line in shown[0].lines if isinstance(line, Line2D) and line.get_linewidth() == 2.4]
    assert [line.get_ydata()[1] for line in beams] == pytest.approx([0.0, np.sin(-0.3), np.sin(0.3)])


@pytest.mark.parametrize(("count", "height"), [(3, 0.6), (3, 1.0), (4, 0.75), (5, 0.6), (5, 1.0)])
def test_nothing_of_modes_is_cut_off(count, height, tmp_path):
    scene = Scene(np.array([0.0, 1.0, 2.0]), beams=[np.array([[[0.0, 0.0], [1.0, height]]] * 3)])
    extent = np.array([-0.05, -0.05]), np.array([1.05, height + 0.05])
    target = tmp_path / "modes.png"
    modes.modes([scene] * count, scene, extent, [f"mode {k}" for k in range(count)], Words("arm"), target, "light")
    seen = np.asarray(Image.open(target).convert("L"), dtype=int)
    assert seen.min() < 100
    for edge in (seen[0], seen[-1], seen[:, 0], seen[:, -1]):
        assert np.ptp(edge) == 0


def test_pictures_of_two_threads_keep_their_own_background(tmp_path):
    before, grounds = dict(matplotlib.rcParams), {}

    def make(background, k):
        figure = histories.histories(
            [("m", "x", T, T)], "t [s]", Words(), tmp_path / f"{background}{k}.png", background
        )
        grounds[background, k] = to_hex(figure.axes[0].get_facecolor())

    threads = [threading.Thread(target=make, args=(b, k)) for k in range(4) for b in ("light", "dark")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {(b, ground) for (b, _), ground in grounds.items()} == {("light", "#ffffff"), ("dark", "#11171d")}
    assert dict(matplotlib.rcParams) == before


def test_unknown_endings_are_told_before_anything_is_written(tmp_path):
    with pytest.raises(ModelError, match=r"picture .*p\.xyz: the ending '\.xyz' is unknown"):
        histories.histories([("m", "x", T, T)], "t [s]", Words(), tmp_path / "p.xyz", "light")
    histories.histories([("m", "x", T, T)], "t [s]", Words(), tmp_path / "p", "light")
    assert [path.name for path in tmp_path.iterdir()] == ["p.png"]
