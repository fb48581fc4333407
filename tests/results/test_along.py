"""Strains, forces and stresses along beams: names, units, files, tables."""

import builtins

import matplotlib
import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import MissingExtraError, ModelError, NamingError
from flexmb.results.beams.sections import SECTION_UNITS
from tests.results.mechanisms import flexible

matplotlib.use("Agg")
# the strip has two elements only, whose mean forces are compared with themselves
pytestmark = pytest.mark.filterwarnings("ignore:.*of beam 'rod' is that of the mean axial force of an element")


def swinging(theory="cms", **options):
    """A pendulum of a flat steel strip."""
    m = fm.PlanarModel("strip", gravity=(0, -9.81))
    steel = fm.Material(density=7850, youngs_modulus=205e9)
    rod = m.add_beam("rod", (0, 0), (1, 0), material=steel, section=fm.Rectangle(0.03, 0.005), theory=theory, **options)
    m.revolute(m.ground, rod.start, name="hinge")
    return m


@pytest.fixture(scope="module")
def solution():
    return fm.simulate(swinging(elements=2, shear=False), 0.1, step=0.005, progress=False)


@pytest.fixture(scope="module")
def loaded(solution, tmp_path_factory):
    return fm.load(solution.save(tmp_path_factory.mktemp("files") / "run.h5"))


def test_every_quantity_has_a_name_and_a_unit(solution):
    for quantity, unit in SECTION_UNITS.items():
        if quantity != "shear_force":
            series = solution.series(f"rod@0.25.{quantity}")
            assert series.unit == unit and series.values.shape == solution.t.shape
    assert np.array_equal(solution["rod.end.strain"], solution["rod@1.strain"])
    assert np.array_equal(solution["rod.start.strain"], solution["rod@0.strain"])
    assert np.abs(solution["rod@0.5.bending_moment"]).max() > 0.1


def test_the_stress_of_the_outer_fibers(solution):
    """σ = N/A ∓ 6 M/(b h²)."""
    N, M = solution["rod@0.4.axial_force"], solution["rod@0.4.bending_moment"]
    area, bending = 0.03 * 0.005, 6.0 * M / (0.03 * 0.005**2)
    assert solution["rod@0.4.stress_top"] == pytest.approx(N / area - bending, rel=1e-12)
    assert solution["rod@0.4.stress_bottom"] == pytest.approx(N / area + bending, rel=1e-12)
    both = np.abs([solution["rod@0.4.stress_top"], solution["rod@0.4.stress_bottom"]])
    assert solution["rod@0.4.stress"] == pytest.approx(both.max(axis=0), rel=1e-12)


def test_stress_needs_the_section():
    short = fm.simulate(flexible(), 0.01, step=0.005, progress=False)
    with pytest.raises(
        ModelError, match=r"beam 'rod' need its area and outer_fiber; give fm\.planar\.BeamProperties\(area=…"
    ):
        short["rod@0.5.stress"]
    assert short["rod@0.5.bending_moment"].shape == (3,)


def test_values_along_the_beam(solution):
    M = solution.along("rod", "bending_moment", 5)
    assert M.shape == (len(solution.t), 5)
    assert solution.places("rod", 5).tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert np.array_equal(M[:, 1], solution["rod@0.25.bending_moment"])
    assert np.array_equal(solution.along("rod", "vy", 5)[:, 3], solution["rod@0.75.vy"])
    assert np.array_equal(solution.along("rod", "x"), solution.axis("rod", 21)[:, :, 0])


def test_names_that_nothing_bears(solution):
    with pytest.raises(NamingError, match=r"did you mean 'rod@0\.5\.curvature'"):
        solution["rod@0.5.curvatur"]
    with pytest.raises(NamingError, match=r"did you mean 'rod.*\.curvature'"):
        solution["rad@0.5.curvature"]
    with pytest.raises(NamingError, match=r"did you mean 'bending_moment'"):
        solution.along("rod", "bending_momnt")
    with pytest.raises(NamingError, match=r"no beam 'rood' \(did you mean 'rod'"):
        solution.along("rood", "curvature")
    with pytest.raises(NamingError, match=r"point 1\.5 is off beam 'rod'"):
        solution["rod@1.5.curvature"]
    with pytest.raises(NamingError, match="has no law for its shear force"):
        solution.along("rod", "shear_force")


def test_files_keep_the_sections(solution, loaded, tmp_path):
    for quantity in SECTION_UNITS:
        if quantity != "shear_force":
            assert np.array_equal(loaded.along("rod", quantity), solution.along("rod", quantity, 21)), quantity
    with pytest.raises(NamingError, match="has no law for its shear force"):
        loaded["rod@0.5.shear_force"]
    with pytest.raises(NamingError, match=r"0\.33 is not one of them"):
        loaded["rod@0.33.curvature"]
    again = fm.load(loaded.save(tmp_path / "again.h5"))
    assert np.array_equal(again.along("rod", "stress"), loaded.along("rod", "stress"))
    between = loaded.at([0.0125])["rod@0.5.bending_moment"]
    assert between == pytest.approx(np.mean(solution["rod@0.5.bending_moment"][2:4], keepdims=True), rel=1e-9)


def test_a_table_of_pandas(solution):
    names = ["rod.end.y", "rod@0.5.curvature", "hinge.fx", "energy.kinetic"]
    table = solution.to_pandas(names)
    assert list(table.columns) == names and table.index.name == "t"
    assert np.array_equal(table.index, solution.t)
    for name in names:
        assert np.array_equal(table[name], solution[name])
    assert table.attrs["units"] == {
        "t": "s",
        "rod.end.y": "m",
        "rod@0.5.curvature": "1/m",
        "hinge.fx": "N",
        "energy.kinetic": "J",
    }
    assert list(solution.to_pandas()) == list(solution.to_dict())[1:]


def test_a_data_set_of_xarray(solution, loaded):
    data = solution.to_xarray(["rod.end.y"], points=5)
    assert dict(data.sizes) == {"time": len(solution.t), "s": 5}
    assert np.array_equal(data["rod.end.y"], solution["rod.end.y"]) and data["rod.end.y"].dims == ("time",)
    for quantity in ("x", "angle", "vy", "curvature", "axial_force", "bending_moment"):
        assert np.array_equal(data[f"rod.{quantity}"].sel(s=0.25), solution[f"rod@0.25.{quantity}"])
    assert data["rod.curvature"].attrs == {"units": "1/m", "long_name": "curvature along rod"}
    assert data["time"].attrs["units"] == "s"
    assert "rod.shear_force" not in data
    assert "s" not in solution.to_xarray(beams=[]).dims
    assert np.array_equal(loaded.to_xarray()["rod.bending_moment"], solution.along("rod", "bending_moment", 21))
    with pytest.raises(NamingError, match=r"no beam 'rood'"):
        solution.to_xarray(beams="rood")


def test_what_is_not_installed_is_named(solution, monkeypatch):
    honest = builtins.__import__
    import importlib

    def without(name, *rest, **options):
        if name in ("pandas", "xarray"):
            raise ImportError(name)
        return honest(name, *rest, **options)

    monkeypatch.setattr(importlib, "import_module", lambda name: without(name))
    with pytest.raises(MissingExtraError, match=r"package 'pandas'.*pip install 'flexmb\[tables\]'"):
        solution.to_pandas()
    with pytest.raises(MissingExtraError, match=r"package 'xarray'"):
        solution.to_xarray()


def test_a_picture_along_the_beam(solution, tmp_path):
    times = [0.02, 0.05, 0.1]
    figure = solution.plot_along("rod", "bending_moment", times, points=11, path=tmp_path / "moment.png")
    ax, bar = figure.axes
    lines = [line for line in ax.lines if len(line.get_xdata()) == 12]
    wanted = solution.at(times).along("rod", "bending_moment", 11)
    assert len(lines) == 3
    other_side = 5  # just before the node in the middle
    for line, row in zip(lines, wanted):
        assert np.array_equal(np.delete(line.get_xdata(), other_side), np.linspace(0.0, 1.0, 11).round(12))
        assert np.array_equal(np.delete(line.get_ydata(), other_side), row)
        assert line.get_xdata()[other_side] == pytest.approx(0.5, abs=1e-11)
        assert line.get_ydata()[other_side] != row[other_side]
    assert ax.get_xlabel() == "distance from the start [m]" and ax.get_ylabel() == "bending moment [Nm]"
    assert bar.get_ylabel() == "t [s]"
    assert len(solution.plot_along("rod", "stress", 0.1, path=tmp_path / "one.png").axes) == 1
