"""Runs beside each other in diagrams, their differences and what was measured; units and axes that somebody chose."""

from __future__ import annotations

from typing import Any

import matplotlib
import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import FlexmbError, ModelError, NamingError
from flexmb.examples.pendulum import build

matplotlib.use("Agg")


@pytest.fixture(scope="module")
def runs() -> tuple[Any, Any]:
    """The pendulum as it is, and a shorter run at twice the step."""
    return fm.simulate(build(), 0.2, step=0.005), fm.simulate(build(), 0.1, step=0.01)


def texts(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_runs_and_tables_stand_in_one_panel(runs: Any) -> None:
    fine, coarse = runs
    table = {"t": [0.0, 0.05, 0.3], "rod.end.y": [0.0, -0.02, -0.4], "nobody": [1, 2, 3]}
    figure = fine.plot("rod.end.y", label="fine", beside={"coarse": coarse, "measured": table}, labels={"fine": "a"})
    (ax,) = figure.axes
    assert texts(ax) == ["a", "coarse", "measured"] and ax.get_ylabel() == "rod.end.y [m]"
    assert np.array_equal(ax.lines[1].get_ydata(), coarse["rod.end.y"])
    assert ax.lines[2].get_marker() == "o" and ax.lines[2].get_xdata().tolist() == table["t"]


def test_differences_are_taken_where_both_have_times(runs: Any) -> None:
    fine, coarse = runs
    own = fine["rod.end.y"]
    table = {"t": fine.t[::4], "rod.end.y": own[::4] + 0.125, "rod.end.x": np.zeros(len(fine.t[::4]))}
    figure = fine.plot("rod.end.y", label="fine", beside={"coarse": coarse, "measured": table}, differences=True)
    below = figure.axes[1]
    assert below.get_ylabel() == "difference of rod.end.y [m]" and texts(below) == ["coarse − fine", "measured − fine"]
    between, measured = below.lines
    assert np.array_equal(between.get_xdata(), coarse.t)
    assert np.allclose(between.get_ydata(), coarse["rod.end.y"] - own[::2][: len(coarse.t)], atol=1e-12)
    assert np.allclose(measured.get_ydata(), 0.125, atol=1e-12)


def test_several_quantities_have_a_color_each_and_runs_their_dashes(runs: Any) -> None:
    fine, coarse = runs
    (ax,) = fine.plot("rod.end.y", "rod.end.x", label="fine", beside={"coarse": coarse}).axes
    assert texts(ax) == ["rod.end.y, fine", "rod.end.x, fine", "rod.end.y, coarse", "rod.end.x, coarse"]
    colors = [line.get_color() for line in ax.lines]
    assert colors[0] == colors[2] != colors[1] == colors[3]
    assert ax.lines[0].get_linestyle() != ax.lines[2].get_linestyle()


def test_units_are_those_that_are_asked_for(runs: Any) -> None:
    fine, _ = runs
    of_rates = {"rod.end.angle": "deg", "rad/s": "rpm"}
    figure = fine.plot("rod.end.angle", "rod.end.angular_velocity", units=of_rates)
    angle, rate = figure.axes
    assert angle.get_ylabel() == "rod.end.angle [deg]" and rate.get_ylabel() == "rod.end.angular_velocity [rpm]"
    assert np.allclose(angle.lines[0].get_ydata(), np.degrees(fine["rod.end.angle"]))
    assert np.allclose(rate.lines[0].get_ydata(), fine["rod.end.angular_velocity"] * 30.0 / np.pi)
    phase = fine.plot_phase("rod.end.y", units={"m": "mm", "m/s": "km/h"}).axes[0]
    assert (phase.get_xlabel(), phase.get_ylabel()) == ("rod.end.y [mm]", "rod.end.vy [km/h]")
    along = fine.plot_along("rod", "stress", [0.1], units={"stress": "MPa", "m": "mm"}).axes[0]
    assert along.get_ylabel().endswith("[MPa]") and along.get_xlim()[1] == pytest.approx(1000.0)
    assert fine.plot_spectrum("rod.end.y", units={"m": "µm"}).axes[0].get_ylabel() == "amplitude [µm]"
    beside = fine.plot("rod.end.y", label="fine", beside={"same": fine}, units={"m": "mm"}).axes[0]
    assert np.allclose(beside.lines[1].get_ydata(), 1e3 * fine["rod.end.y"])


def test_diagrams_are_drawn_on_given_axes(runs: Any) -> None:
    import matplotlib.pyplot as plt

    fine, coarse = runs
    figure, grid = plt.subplots(2, 3)
    drawn = [
        fine.plot("rod.end.y", ax=grid[0, 0]),
        fine.plot_phase("rod.end.y", ax=grid[0, 1]),
        fine.plot_along("rod", "bending_moment", ax=grid[0, 2]),
        fine.draw([0.0, 0.1], ax=grid[1, 0]),
        fine.plot_spectrum("rod.end.y", ax=grid[1, 1]),
        fine.plot("rod.end.y", beside={"coarse": coarse}, label="fine", ax=[grid[1, 2]]),
    ]
    assert all(one is figure for one in drawn)
    labels = [ax.get_ylabel() for ax in grid.flat]
    wanted = ["rod.end.y [m]", "rod.end.vy [m/s]", "bending moment [Nm]", "y [m]", "amplitude [m]", "rod.end.y [m]"]
    assert labels == wanted
    both, pair = plt.subplots(2, 1)
    assert fine.plot("rod.end.y", "rod.end.angle", ax=pair) is both
    m = fm.PlanarModel("oscillator")
    m.bushing(m.ground, m.add_body("body", mass=2.0, inertia=0.1).frame, stiffness=(8.0, 18.0, 0.4))
    panels = fm.modes(m, 2).plot([0, 1], ax=list(plt.subplots(1, 2)[1])).axes
    assert [ax.get_title(loc="left")[:6] for ax in panels] == ["mode 0", "mode 1"]
    plt.close("all")


BAD = {
    r"ax has 1 axes, and the picture has 2 panels": lambda a, b, ax: a.plot("rod.end.y", "rod.end.vy", ax=ax),
    r"ax is 3; give axes of Matplotlib": lambda a, b, ax: a.plot("rod.end.y", ax=3),
    r"both path and ax are given": lambda a, b, ax: a.plot("rod.end.y", ax=ax, path="p.png"),
    r"rod\.end\.y cannot be shown in 'deg'; its units are: m, km": lambda a, b, ax: a.plot(
        "rod.end.y", units={"rod.end.y": "deg"}
    ),
    r"show in another unit 'rod\.y'": lambda a, b, ax: a.plot("rod.end.y", units={"rod.y": "mm"}),
    r"'b' in beside is 3; give a solution, or a table": lambda a, b, ax: a.plot("rod.end.y", beside={"b": 3}),
    r"table 'b' has no column 't'": lambda a, b, ax: a.plot("rod.end.y", beside={"b": {"x": [1]}}),
    r"table 'b' has none of rod\.end\.y; its columns are: y": lambda a, b, ax: a.plot(
        "rod.end.y", beside={"b": {"t": [1], "y": [1]}}
    ),
    r"has 1 rows, and there are 2 times": lambda a, b, ax: a.plot(
        "rod.end.y", beside={"b": {"t": [1, 2], "rod.end.y": [1]}}
    ),
    r"times of the table 'b' do not ascend": lambda a, b, ax: a.plot(
        "rod.end.y", beside={"b": {"t": [2, 1], "rod.end.y": [1, 2]}}
    ),
    r"times of 'b', 1 … 2 s, and those of 'pendulum', 0 … 0\.2 s, do not overlap": lambda a, b, ax: a.plot(
        "rod.end.y", beside={"b": {"t": [1, 2], "rod.end.y": [1, 2]}}, differences=True
    ),
    r"differences are those from other runs": lambda a, b, ax: a.plot("rod.end.y", differences=True),
    r"'pendulum' is the label of the run and of one beside it": lambda a, b, ax: a.plot(
        "rod.end.y", beside={"pendulum": b}
    ),
    r"units are 3; give texts": lambda a, b, ax: a.plot("rod.end.y", units=3),
}


@pytest.mark.parametrize("message", BAD)
def test_what_cannot_be_shown_is_refused(runs: Any, message: str) -> None:
    import matplotlib.pyplot as plt

    with pytest.raises(FlexmbError, match=message):
        BAD[message](*runs, plt.subplots()[1])
    plt.close("all")


def test_a_quantity_that_another_run_does_not_have_is_refused(runs: Any) -> None:
    m = fm.PlanarModel("stone", gravity=(0, -9.81))
    m.add_body("stone", mass=1.0, inertia=1.0)
    other = fm.simulate(m, 0.1, step=0.05)
    with pytest.raises(NamingError, match=r"solution 'stone'.*rod\.end\.y"):
        runs[0].plot("rod.end.y", beside={"stone": other})
    with pytest.raises(ModelError, match="give plain axes"):
        import matplotlib.pyplot as plt

        runs[0].plot("rod.end.y", ax=plt.figure().add_subplot(projection="polar"))
