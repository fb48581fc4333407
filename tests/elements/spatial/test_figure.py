"""Figures, compound shapes and open surfaces: what pictures show, and what a body weighs."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm

TRIANGLE = ([(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0)], [(0, 1, 2)])


def swing():
    m = fm.SpatialModel("swing", gravity=(0, 0, -9.81))
    rod = m.add_body("rod", shape=fm.Box((0.4, 0.02, 0.02), position=(0.2, 0, 0)), density=1000)
    m.revolute(m.ground, rod.frame, axis="y", name="hinge")
    return m, rod


def test_a_figure_changes_pictures_alone():
    (plain, bare), (shown, rod) = swing(), swing()
    bare.attach("end", (0.4, 0, 0))
    shown.add_figure("table", shown.ground, fm.Box((1, 1, 0.1)))
    shown.add_figure("flag", rod.attach("end", (0.4, 0, 0)), fm.OpenSurface(*TRIANGLE).colored("#D1472B"))
    runs = [fm.simulate(m, 0.2, progress=False) for m in (plain, shown)]
    assert np.array_equal(runs[0].q, runs[1].q)
    assert runs[1]["flag"].position[-1].tolist() == runs[1]["rod.end"].position[-1].tolist()
    assert fm.modes(fm.equilibrium(shown), 1).frequencies == pytest.approx(
        fm.modes(fm.equilibrium(plain), 1).frequencies
    )


def test_what_is_drawn_is_in_files(tmp_path):
    m, rod = swing()
    parts = [
        fm.Box((0.1, 0.2, 0.3)).colored("#112233"),
        fm.Sphere(diameter=0.1, position=(1, 2, 3)),
        fm.OpenSurface(*TRIANGLE),
    ]
    m.add_figure("all", rod.frame, fm.CompoundShape(parts))
    m.add_figure("one", rod.frame, fm.CompoundShape(parts[:1]))
    run = fm.simulate(m, 0.01, progress=False)
    run.save(tmp_path / "swing.h5")
    bodies = fm.load(tmp_path / "swing.h5").layout.bodies
    read, one = bodies["all"].shape, bodies["one"].shape
    assert [part.kind for part in read.parts] == ["box", "sphere", "surface"] and one.kind == "compound"
    assert [part.color for part in read.parts] == ["#112233", "", ""]
    assert read.parts[1].position == (1.0, 2.0, 3.0) and read.parts[2].faces.tolist() == [[0, 1, 2]]
    assert bodies["rod"].shape.kind == "box"


def test_a_compound_weighs_what_its_parts_do():
    halves = [fm.Box((1.0, 0.4, 0.6), position=(x, 0, 0)) for x in (0.5, 1.5)]
    both, whole = fm.CompoundShape(halves), fm.Box((2.0, 0.4, 0.6), position=(1, 0, 0))
    assert both.volume == pytest.approx(whole.volume) and both.center == pytest.approx(whole.center)
    assert both.gyration == pytest.approx(whole.gyration)
    painted = both.colored("#abcdef")
    assert {part.color for part in painted.drawn.parts} == {"#abcdef"} and both.drawn.parts[0].color == ""
    nested = fm.CompoundShape([both, fm.Sphere(diameter=0.1)])
    assert len(nested.drawn.parts) == 3


def test_wrong_input():
    m, rod = swing()
    for make, message in (
        (lambda: m.add_figure("x", rod.frame, "box"), "figure 'x': shape is 'box'; give a Box"),
        (lambda: fm.Box((1, 1, 1)).colored("red"), "color is 'red'; give red, green and blue as '#rrggbb'"),
        (lambda: fm.CompoundShape([]), "it has no parts"),
        (lambda: fm.CompoundShape([3]), "3 is not a shape"),
        (lambda: fm.OpenSurface([(0, 0, 0)], [(0, 1, 2)]), "there are 1, numbered from 0"),
        (lambda: m.add_body("y", shape=fm.OpenSurface(*TRIANGLE), density=1000), "open surface, which holds no mass"),
        (lambda: m.add_body("y", shape=fm.OpenSurface(*TRIANGLE), mass=1.0), "open surface, which holds no mass"),
        (lambda: m.switch_off(m.add_figure("z", rod.frame, fm.Sphere(diameter=1.0))) or fm.System(m), "z"),
    ):
        with pytest.raises(fm.errors.ModelError, match=message):
            make()
