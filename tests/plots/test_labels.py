"""What pictures say: names, units, prefixes, legends, and the words that users give instead."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import ModelError, NamingError
from flexmb.plots import frequencies, histories, relations
from flexmb.plots.labels import MOST_INSIDE, PowerFormatter
from flexmb.plots.words import Quantity, Words, words

T = np.linspace(0.0, 2.0, 5)


def drawn(lines, tmp_path, **given):
    """Labels and ticks of a diagram of lines over time."""
    said = words("rod", [name for _, name, *_ in lines], "plot", **given)
    figure = histories.histories(lines, "t [s]", said, tmp_path / "p.png", "light")
    figure.draw_without_rendering()
    return figure


@pytest.mark.parametrize(
    ("unit", "largest", "label", "last"),
    [
        ("N", 2.5e6, "force [MN]", "2.5"),
        ("Nm", 4.0e-5, "force [µNm]", "40"),
        ("m", 0.004, "force [mm]", "4.0"),
        ("m", 3.0e9, "force [km]", "3000000"),
        ("rad/s", 4.0e4, "force [10³ rad/s]", "40"),
        ("rad", 4.0e-4, "force [10⁻⁶ rad]", "400"),
        ("–", 1.0, "force", "1.0"),
        ("–", 4.0e6, "force [10⁶]", "4.0"),
        ("?", 1.0, "force", "1.0"),
        ("N", 5000.0, "force [N]", "5000"),
    ],
)
def test_numbers_are_easy_to_read_and_the_label_says_in_what(unit, largest, label, last, tmp_path):
    ax = drawn([(unit, "force", T, largest * T / 2.0)], tmp_path).axes[0]
    assert ax.get_ylabel() == label and np.array_equal(ax.lines[0].get_ydata(), largest * T / 2.0)
    texts = [text.get_text() for text in ax.get_yticklabels()]
    assert last in texts and not ax.yaxis.get_offset_text().get_text()


def test_numbers_that_differ_by_little_have_the_digits_for_it(tmp_path):
    ax = drawn([("N", "force", T, 5000.0 + 1e-3 * T)], tmp_path).axes[0]
    texts = [text.get_text() for text in ax.get_yticklabels()]
    assert len(set(texts)) == len(texts) and not ax.yaxis.get_offset_text().get_text()
    assert PowerFormatter(3).format_ticks([-500.0, 0.0, 250.0]) == ["−0.50", "0.00", "0.25"]


@pytest.mark.parametrize("count", [MOST_INSIDE, 12, 30])
def test_many_lines_are_named_beside_the_axes_and_differ(count, tmp_path):
    lines = [("m", f"x{k}", T, k * T) for k in range(count)]
    figure = drawn(lines, tmp_path)
    ax, legend = figure.axes[0], figure.axes[0].get_legend()
    assert [text.get_text() for text in legend.get_texts()] == [f"x{k}" for k in range(count)]
    inside = legend.get_window_extent().x0 < ax.get_window_extent().x1
    assert inside == (count <= MOST_INSIDE)
    assert legend.get_window_extent().x1 <= figure.bbox.x1 and ax.get_window_extent().width > 500
    assert len({(line.get_color(), str(line.get_linestyle()), line._dash_pattern[1] is None) for line in ax.lines}) >= (
        min(count, 16)
    )


def test_users_say_what_pictures_say(tmp_path):
    lines = [("m", "tip.x", T, T), ("m", "tip.y", T, T), ("N", "pin.fx", T, T)]
    given = {"title": "A swing", "labels": {"tip.y": "height", "pin.fx": "force"}, "x_label": "time in seconds"}
    above, below = drawn(lines, tmp_path, **given).axes
    assert above.get_title(loc="left") == "A swing" and below.get_xlabel() == "time in seconds"
    assert [text.get_text() for text in above.get_legend().get_texts()] == ["tip.x", "height"]
    assert below.get_ylabel() == "force [N]"
    above, below = drawn(lines, tmp_path, y_label=["place in m", "force in N"]).axes
    assert [ax.get_ylabel() for ax in (above, below)] == ["place in m", "force in N"]
    with pytest.raises(ModelError, match="y_label has 1 texts, and there are 2 panels"):
        drawn(lines, tmp_path, y_label="place")
    with pytest.raises(NamingError, match=r"plot: .*'tip\.z'.*'tip\.x'"):
        drawn(lines, tmp_path, labels={"tip.z": "depth"})
    for wrong in ({"title": 3}, {"x_label": 1}, {"y_label": [2]}, {"labels": ["a"]}):
        with pytest.raises(ModelError, match=f"plot: {next(iter(wrong))} "):
            drawn(lines, tmp_path, **wrong)


def test_a_text_for_what_has_no_unit_stands_as_it_is(tmp_path):
    said = Words("f", labels={"bend": "largest angle [°]"})
    x, y = Quantity("length", "", np.array([1.0, 2.0])), Quantity("bend", "", np.array([1e5, 2e5]))
    ax = relations.columns(x, y, [], None, np.zeros(2, bool), said, tmp_path / "p.png", "light").axes[0]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("length", "largest angle [°]")


def test_modes_are_counted_from_0_and_may_have_names(tmp_path):
    speeds, f = np.array([0.0, 50.0]), np.array([[10.0, 20.0], [11.0, 21.0]])
    said = Words("rotor", labels={"mode 1": "bending"})
    args = (speeds, f, [], (1,), "frequency", said, tmp_path / "p.png", "light")
    (legend,) = frequencies.campbell(*args).legends
    assert [text.get_text() for text in legend.get_texts()] == ["mode 0", "bending"]


def test_references_and_commands_have_the_names_that_they_were_given():
    m = fm.PlanarModel("arm")
    arm = m.add_body("arm", mass=1.0, inertia=1.0)
    m.revolute(m.ground, arm.frame)
    torque = m.point_torque(arm.frame, 0.0, name="motor")
    way = fm.Polynomial([0.0, 1.0])
    wanted = fm.control.Reference(way, name="wanted angle")
    sensors = [fm.control.RelativeAngle(m.ground, arm.frame), wanted, fm.control.Reference(0.0)]
    m.add_controller("servo", period=0.1, sensors=sensors, commands=torque, law=[[-1.0, 1.0, 0.0]])
    log = fm.simulate(m, 0.5, progress=False).control["servo"]
    assert log.signals[1:] == ["wanted angle", "reference", "motor"]
    assert np.allclose(log["wanted angle"], log.t)
    figure = log.plot("wanted angle", "reference", title="Servo", labels={"reference": "zero"})
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == ["wanted angle", "zero"]
    assert figure.axes[0].get_ylabel() == "" and figure.axes[0].get_title(loc="left") == "Servo"
    angle = log.signals[0]
    for units in ({angle: "deg"}, {"rad": "deg"}):
        (line,) = log.plot(angle, units=units).axes[0].lines
        assert line.axes.get_ylabel() == f"{angle} [deg]"
        assert line.get_ydata() == pytest.approx(np.degrees(log.course(angle, *line.get_xdata()[[0, -1]])[1]))
    with pytest.raises(ModelError, match="cannot be shown in 'rpm'; its units are: rad, deg"):
        log.plot(angle, units={angle: "rpm"})
    with pytest.raises(NamingError, match="'wheel'"):
        log.plot(units={"wheel": "rpm"})
