"""The table of a study: columns, rows, tables of other packages, pictures."""

from __future__ import annotations

import csv
import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest

from flexmb.errors import MissingExtraError, ModelError, NamingError
from flexmb.studies.parameters import grid
from flexmb.studies.study import study

pytestmark = pytest.mark.filterwarnings("ignore::flexmb.errors.StudyWarning")  # test_failures.py is about them


def plane(a, b, kind="k"):
    """A plane over a and b, and its line along c."""
    if (a, b) == (2, 0.5):
        raise ValueError("no")
    return {"z": a + 10.0 * b, "line": [a, b], "kind of": kind}


@pytest.fixture(scope="module")
def found():
    return study(plane, grid(a=[1, 2, 3], b=[0.25, 0.5]), workers=0)


def test_rows_and_columns_say_the_same(found):
    assert len(found) == 6 and len(list(found)) == 6
    assert found[0] == {
        "a": 1,
        "b": 0.25,
        "z": 3.5,
        "line": found[0]["line"],
        "kind of": "k",
        "status": "ok",
        "error": "",
    }
    for k, row in enumerate(found):
        if row["status"] == "ok":
            assert row["z"] == found["z"][k] and np.array_equal(row["line"], found["line"][k])
    assert list(found.table) == ["a", "b", "z", "line", "kind of", "status", "error"]
    assert len(found.ok) == 5 and len(found.failed) == 1
    with pytest.raises(NamingError, match=r"no column 'zz'.*did you mean 'z'"):
        found["zz"]


def test_a_grid_is_an_xarray_with_the_parameters_as_axes(found):
    data = found.to_xarray()
    assert dict(data.sizes) == {"a": 3, "b": 2, "line_entry": 2}
    assert float(data["z"].sel(a=3, b=0.25)) == 5.5 and np.isnan(data["z"].sel(a=2, b=0.5))
    assert data["line"].sel(a=3, b=0.5).values.tolist() == [3, 0.5]
    turned = study(plane, list(reversed(grid(a=[1, 2, 3], b=[0.25, 0.5]))), workers=0).to_xarray()
    assert float(turned["z"].sel(a=3, b=0.25)) == 5.5
    with pytest.raises(ModelError, match="full grid"):
        found.ok.to_xarray()


def test_pandas_has_a_row_a_run(found):
    frame = found.to_pandas()
    assert list(frame.columns) == list(found.table)
    assert frame.loc[(frame.a == 3) & (frame.b == 0.5), "z"].item() == 8.0
    assert frame["line"][0].tolist() == [1, 0.25]


def test_csv_gives_back_the_same_numbers(found, tmp_path):
    with open(found.to_csv(tmp_path / "t.csv"), newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [float(r["b"]) for r in rows] == found["b"].tolist()
    np.testing.assert_array_equal([float(r["line[1]"]) for r in rows], found["line"][:, 1])
    assert rows[3]["error"].startswith("ValueError: no")


def test_a_missing_package_is_named(found, monkeypatch):
    for package, method in (("pandas", found.to_pandas), ("xarray", found.to_xarray)):
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(MissingExtraError, match=f"{package}.*flexmb\\[tables\\]"):
            method()


def test_a_picture_has_a_line_for_each_value_of_the_other_parameter(found, tmp_path):
    path = tmp_path / "p.png"
    ax = found.plot("a", "z", path, labels={"z": "height [m]", "b": "b [m]"}).axes[0]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("a", "height [m]")
    lines = {line.get_label(): line.get_xydata().tolist() for line in ax.lines}
    assert lines["b [m] = 0.25"] == [[1, 3.5], [2, 4.5], [3, 5.5]]
    assert lines["failed"] == [[2, 0]]
    assert path.stat().st_size > 5000
    many = study(plane, grid(a=np.linspace(0, 1, 4), b=np.linspace(0, 1, 20)), workers=0)
    dots = many.plot("a", "z", path).axes[0].collections[0]
    assert len(dots.get_offsets()) == 80
    with pytest.raises(ModelError, match="'line' holds no single numbers"):
        found.plot("a", "line", path)
    plt.close("all")


def test_pictures_show_numbers_of_the_si_in_units(found):
    plain, ax = (found.plot("a", "z", units=units).axes[0] for units in (None, {"z": "mm", "a": "deg"}))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("a [deg]", "z [mm]")
    for line, other in zip(ax.lines[:2], plain.lines[:2]):
        assert line.get_xydata() == pytest.approx(other.get_xydata() * [180.0 / np.pi, 1e3], nan_ok=True)
    assert found.plot("a", "z", units={"a": "m"}).axes[0].get_xlabel() == "a [m]"
    plt.close("all")
    for units, message in (
        ({"z": "furlong"}, "no unit for 'z' 'furlong'"),
        ({"m": "mm"}, "no quantity to show in a unit 'm'"),
        ({"zz": "mm"}, "'zz'"),
    ):
        with pytest.raises(NamingError, match=message):
            found.plot("a", "z", units=units)


def test_a_summary_tells_counts_extents_and_errors(found):
    text = str(found)
    assert "6 runs" in text and "5 ok, 1 failed" in text and "over b: 0.25 … 0.5" in text
    assert "1 × ValueError: no" in text and "at a = 2, b = 0.5" in text


def test_a_study_shows_itself_in_short():
    found = study(lambda x: {"y<": x, "long": np.zeros(1000)}, grid(x=range(100)), workers=0)
    assert repr(found) == f"Study({found.name!r}, 100 runs, 100 of them ok, finished)"
    assert repr(found.outcomes[0]) == "Outcome('ok', results ['y<', 'long'])"
    page = found._repr_html_()
    assert "<th>y&lt;</th>" in page and "1000 numbers" in page and "… 80 more" in page and len(page) < 5000
    assert "status" not in page

    def half(x):
        return 1 / x

    page = study(half, grid(x=[0, 1]), workers=0)._repr_html_()
    assert "ZeroDivisionError" in page and "failed" in page
