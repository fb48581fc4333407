"""Each validation case has a page, made of numbers that are recorded, and these are those of its code."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

import flexmb as fm
from docs.tools import mechanisms, validation
from flexmb.validation import Check, Errors, cases, groups
from flexmb.validation.recorded import Results, read
from flexmb.validation.registry import Case
from flexmb.validation.sources import mark, references

RECORDED = validation.results()


def test_every_case_is_recorded_and_nothing_else_is():
    assert sorted(RECORDED.cases) == sorted(cases())
    assert list(RECORDED.cases) == list(cases()), (
        "in another order: flexmb validate --json docs/validation/results.json"
    )
    assert RECORDED.version == fm.__version__
    assert {check["case"] for check in RECORDED.checks} == set(cases())
    assert {series["case"] for series in RECORDED.errors} <= set(cases())


@pytest.mark.parametrize("name", cases())
def test_recorded_numbers_are_those_of_the_code(name):
    assert RECORDED.cases[name]["code"] == mark(cases()[name]), (
        f"the case or its reference has changed since its numbers were recorded: python -m docs record {name}"
    )


def test_recorded_numbers_are_right():
    for check in RECORDED.checks:
        within = abs(check["got"] - check["reference"]) <= check["tolerance"]
        assert within == check["passed"] and (within or check["identified"]), check


def test_recorded_errors_can_be_plotted():
    assert len(RECORDED.errors) > 50
    for series in RECORDED.errors:
        x, errors = np.array(series["x"]), np.array(series["errors"])
        assert len(x) == len(errors) >= 2 and np.all(x > 0.0) and np.all(errors > 0.0), series
        assert len(set(series["x"])) == len(x) and series["order"] != 0.0


def test_a_page_shows_all_digits_of_its_case():
    text = validation.page(cases()["four-bar"])
    own = RECORDED.of("four-bar").checks
    assert text.count("   * - ") == len(own) + 1
    assert all(f"   * - {check['quantity']}" in text for check in own)
    assert "four-bar\n========\n" in text and "exact motion by elliptic functions\n\n" in text
    assert "flexmb validate four-bar" in text and "``validation/references/parallelogram.py``" in text
    assert "sin(ψ/2) = k cd(Ω t, k²)" in text and "Takahashi (2012)" in text
    assert "/_figures/validation-four-bar-dark.png" in text


def test_a_case_that_measures_orders_has_a_plot_on_its_page():
    text = validation.page(cases()["elastica"])
    assert "Errors\n------" in text and "validation-elastica-errors-0-light.png" in text
    figure = mechanisms.errors(RECORDED.of("elastica").errors)
    assert isinstance(figure, Figure)
    lines = figure.axes[0].lines
    assert len(lines) == 2 * len(RECORDED.of("elastica").errors)
    x, y = lines[1].get_data()  # of theory
    assert np.diff(np.log(y)) / np.diff(np.log(x)) == pytest.approx(-4.0)
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["4", "8", "16", "32", "64", "128"]


def test_what_fails_or_was_fitted_is_shown_so(monkeypatch):
    rows = [
        Check("right", 1.0, 1.0, 0.1, "a", "b"),
        Check("wrong", 2.0, 1.0, 0.1, "a", "b"),
        Check("chosen", 1.0, 1.0, 0.1, "a", "b", identified=True),
        Errors("place [m]", "step [s]", (1.0, 2.0), (1.0, 4.0), 2.0),
    ]
    case = Case("made up", "one of two_numbers", lambda: rows, module="flexmb.validation.four_bar")
    results = Results("0")
    results.add(case, rows, 1.0)
    monkeypatch.setattr(validation, "results", lambda: results)
    text = validation.page(case)
    assert "**1 of 2** numbers" in text
    assert "wrong **(fails)**" in text and "chosen (fitted: not counted)" in text and "right\n" in text


def test_results_are_written_and_read_again_one_record_a_line(tmp_path):
    file = tmp_path / "results.json"
    file.write_text(RECORDED.text(), encoding="utf-8")
    assert read(file) == RECORDED
    assert RECORDED.text().count("\n") == len(RECORDED.checks) + len(RECORDED.errors) + len(RECORDED.cases) + 9
    assert validation.FILE.read_text(encoding="utf-8") == RECORDED.text()


def test_a_case_that_is_computed_again_takes_the_place_of_the_old_one():
    newer = Results("1")
    newer.add(cases()["four-bar"], [Check("one", 1.0, 1.0, 0.1, "a", "b")], 2.0)
    found = RECORDED.replaced(newer, cases())
    assert list(found.cases) == list(RECORDED.cases) and found.version == "1"
    assert len(found.of("four-bar").checks) == 1
    assert found.of("elastica").checks == RECORDED.of("elastica").checks


def test_the_table_has_all_cases_under_headings():
    text = validation.table()
    assert [case.name for members in groups().values() for case in members] == list(cases())
    assert all(f"[{name}]({name}.rst)" in text and f"{name} <{name}>" in text for name in cases())
    checked = (validation.DOCS / "start" / "checked.md").read_text(encoding="utf-8")
    counted = sum(not check["identified"] for check in RECORDED.checks)
    assert f"computes {len(cases())} cases with {counted} numbers" in checked


def test_references_of_a_case_are_those_that_it_uses():
    names = [module.__name__.rpartition(".")[2] for module in references(cases()["torsion-bending-modes"])]
    assert names == ["torsion_bending", "strip"]


@pytest.mark.parametrize("name", ["four-bar", "knife-edge", "elastica"])
def test_mechanisms_are_drawn_on_both_grounds(name, tmp_path):
    from PIL import Image

    light, dark = tmp_path / "light.png", tmp_path / "dark.png"
    mechanisms.mechanism(cases()[name], light, dark)
    images = [np.asarray(Image.open(path).convert("L"), dtype=float) for path in (light, dark)]
    assert all(image.shape == mechanisms.SIZE[::-1] and np.std(image) > 2.0 for image in images)
    assert np.median(images[0]) > 200.0 > 60.0 > np.median(images[1])


@pytest.mark.parametrize("name", cases())
def test_every_case_has_a_mechanism_that_can_be_seen(name):
    with np.errstate(all="ignore"):
        view = fm.View(cases()[name].draw())
    low, high = view.extent(view.stage(view.solution.t[-1:]), 1)
    assert np.all(np.isfinite([low, high])) and np.linalg.norm(high - low) > 1e-3


def test_words_between_stars_are_set_apart_and_single_stars_stay():
    text = validation._text("Two.\n\n**Spin.** A body *turns* by a * b * c. It turns.")
    assert "**Spin.** A body *turns* by a \\* b \\* c" in text
