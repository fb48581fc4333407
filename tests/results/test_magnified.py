"""Deformations shown larger: by how much, against what, and what goes along."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import ModelError
from flexmb.results.pictures.magnified import magnified

STEEL = fm.Material(density=7850.0, youngs_modulus=205e9)
ROUND = fm.Circle(diameter=0.01)
TIMES = [0.0, 0.03, 0.07]


def tower(theory):
    """A beam clamped to the ground that bends under its weight, with a body on it, on which another one hangs."""
    m = fm.PlanarModel("tower", gravity=(0.0, -9.81))
    rod = m.add_beam("rod", (0.0, 0.0), (0.8, 0.6), material=STEEL, section=ROUND, theory=theory)
    m.weld(m.ground, rod.start)
    tip = m.add_body("tip", mass=0.5, inertia=0.1, position=(0.9, 0.6))
    m.weld(rod.end, tip.attach("left", (-0.1, 0.0)))
    bob = m.add_body("bob", mass=0.1, inertia=0.1, position=(1.0, 0.3))
    m.revolute(tip.attach("right", (0.1, 0.0)), bob.attach("top", (0.0, 0.3)), name="hinge")
    return m


@pytest.mark.parametrize("theory", ["cms", "exact", "ancf", "floating"])
def test_what_is_held_by_one_end_bends_away_from_it(theory):
    run = fm.simulate(tower(theory), 0.1, step=0.005, progress=False).at(TIMES)
    shown = magnified(run, 20.0)
    start = run.source.point(run, "rod", 0.0)
    x = np.stack([np.cos(start[:, 2]), np.sin(start[:, 2])], axis=1)
    straight = start[:, None, 0:2] + run.places("rod", 41)[:, None] * x[:, None]
    assert np.allclose(shown.axis("rod") - straight, 20.0 * (run.axis("rod") - straight), atol=1e-12)
    assert np.allclose(shown.axis("rod")[:, -1], shown["rod.end"].position, atol=1e-9)
    assert np.max(np.abs(run.axis("rod")[-1, -1] - straight[-1, -1])) > 1e-4
    # the bodies keep their distances, and joints stay closed
    assert np.allclose(shown["rod.end"].position, shown["tip.left"].position, atol=1e-9)
    assert np.allclose(shown["tip.right"].position, shown["bob.top"].position, atol=1e-9)
    end = run.source.point(run, "rod", 1.0)
    turn = shown["tip"].angle - run["tip"].angle
    assert np.allclose(turn, 19.0 * (end[:, 2] - start[:, 2]), atol=1e-9)
    assert np.allclose(shown["bob"].angle - run["bob"].angle, turn)
    assert np.array_equal(shown["rod.end"].velocity, run["rod.end"].velocity)
    assert np.array_equal(shown.reaction("hinge")[0], run.reaction("hinge")[0])


def test_what_is_in_a_loop_bends_between_its_ends():
    m = fm.PlanarModel("swing", gravity=(0.0, -9.81))
    rod = m.add_beam("rod", (0.0, 0.0), (1.0, 0.0), material=STEEL, section=ROUND)
    m.revolute(m.ground, rod.start)
    rocker = m.add_body("rocker", mass=0.5, inertia=0.1, position=(1.0, 0.25))
    m.revolute(rod.end, rocker.attach("low", (0.0, -0.25)))
    m.revolute(m.ground.attach("high", (1.0, 0.5)), rocker.attach("top", (0.0, 0.25)))
    weight = m.add_body("weight", mass=0.3, inertia=0.01, position=(0.5, -0.2))
    m.revolute(rod.at(0.5), weight.attach("top", (0.0, 0.2)))
    run = fm.simulate(m, 0.1, step=0.005, progress=False).at(TIMES)
    shown = magnified(run, 30.0)
    for frame in ("rod.start", "rod.end", "rocker"):
        assert np.allclose(shown[frame].position, run[frame].position, atol=1e-12)
    a, b = run["rod.start"].position, run["rod.end"].position
    middle = 0.5 * (a + b)
    sag = 30.0 * (run["rod@0.5"].position - middle)
    assert np.allclose(shown["rod@0.5"].position - middle, sag) and np.max(np.abs(sag)) > 1e-3
    assert np.allclose(shown["weight.top"].position, shown["rod@0.5"].position, atol=1e-9)


@pytest.mark.parametrize("theory", ["cms", "floating"])
def test_in_space_sections_turn_too(theory):
    m = fm.SpatialModel("boom", gravity=(0.0, 0.0, -9.81))
    section = fm.Rectangle(height=0.02, width=0.01)
    steel = fm.Material(density=7850.0, youngs_modulus=205e9, poissons_ratio=0.3)
    rod = m.add_beam("rod", (0.0, 0.0, 0.0), (0.0, 1.0, 0.0), material=steel, section=section, theory=theory)
    m.weld(m.ground, rod.start)
    tip = m.add_body("tip", mass=0.5, inertia=(0.01, 0.01, 0.01), position=(0.1, 1.0, 0.0))
    m.weld(rod.end, tip.attach("seat", (-0.1, 0.0, 0.0)))
    run = fm.simulate(m, 0.1, step=0.005, progress=False).at(TIMES)
    shown = magnified(run, 10.0)
    straight = np.array([0.0, 1.0, 0.0]) * run.places("rod", 41)[:, None]
    assert np.allclose(shown.axis("rod") - straight, 10.0 * (run.axis("rod") - straight), atol=1e-9)
    assert np.allclose(shown["tip.seat"].position, shown["rod.end"].position, atol=1e-9)
    turn, more = ((at["tip"].orientation * run["tip"].orientation[0].inv()).as_rotvec() for at in (run, shown))
    assert np.allclose(more, 10.0 * turn, atol=1e-6) and np.max(np.abs(turn)) > 1e-3


def test_pictures_say_by_how_much(tmp_path):
    run = fm.simulate(tower("cms"), 0.1, step=0.005, progress=False)
    figure = run.draw(TIMES, magnify=50, path=tmp_path / "tower.png", trails="tip")
    assert figure.axes[0].get_title(loc="left") == "tower, deformation × 50"
    titled = run.draw(TIMES, magnify=0.5, title="mine", path=tmp_path / "tower.png")
    assert titled.axes[0].get_title(loc="left") == "mine, deformation × 0.5"
    view = run.view(magnify=50, title="mast")
    assert view.title(0.05) == "mast, t = 0.050 s, deformation × 50"
    rod = next(piece for piece in view.stage([0.05]) if piece.name == "rod" and piece.role == "beam")
    assert np.allclose(rod.axis[0, :, 0:2], magnified(run.at([0.05]), 50.0).axis("rod"))
    plain = run.view()
    assert view.scales.low[1] < plain.scales.low[1] and plain.title(0.05) == "tower, t = 0.050 s"


def test_what_does_not_bend_has_no_deformation(tmp_path):
    m = fm.PlanarModel("stone", gravity=(0.0, -9.81))
    m.add_body("stone", mass=1.0, inertia=1.0)
    run = fm.simulate(m, 0.1, step=0.05, progress=False)
    for show in (lambda: run.draw(magnify=2.0), lambda: run.view(magnify=2.0),
                 lambda: run.animate(tmp_path / "film.gif", magnify=2.0)):  # fmt: skip
        with pytest.raises(ModelError, match=r"solution 'stone': magnify shows .* of beams .* the model has none"):
            show()
    with pytest.raises(ModelError, match="magnify is 0; it must be positive"):
        run.draw(magnify=0.0)
    assert run.view(magnify=1.0).title(0.1)
