"""Rods without inertia about themselves move wherever joints hold that motion, and are refused by name elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import FormulationError, SolverError

#: the methods and formulations by which rods move, with as many digits as each gives
WAYS: list[tuple[str, dict[str, Any], float]] = [
    ("radau", {"tolerance": 1e-7}, 1e-8),
    ("generalized_alpha", {"tolerance": 1e-5}, 1e-4),
    ("independent", {"tolerance": 1e-7}, 1e-8),
    ("baumgarte", {"tolerance": 1e-7}, 1e-8),
    ("projection", {"tolerance": 1e-7}, 1e-8),
    ("rkf45", {"tolerance": 1e-7}, 1e-8),
    *(("dop853", {"tolerance": 1e-7, "formulation": name}, 1e-8) for name in ("aba", "lagrange", "hybrid")),
]


def chain(count: int = 3, *, thick: float = 0.0, joint: str = "revolute") -> fm.SpatialModel:
    """Rods of 1 m that hang from one another, with hinges across them."""
    m: Any = fm.SpatialModel("rods", gravity=(0, 0.4, -9.81))
    at = m.ground
    for k in range(count):
        rod = m.add_body(f"rod {k}", mass=1.0 + k, inertia=(1 / 12, 1 / 12, thick), position=(0, 0, -0.5 - k))
        about = {"axis": ((1, 0, 0), (0, 1, 0), (0.6, 0.8, 0))[k % 3]} if joint == "revolute" else {}
        getattr(m, joint)(at, rod.attach("top", (0, 0, 0.5)), name=f"joint {k}", **about)
        at = rod.attach("end", (0, 0, -0.5))
    m.components["rod 0"].move(None, (1.0, 0, 0))
    return m


def four_bar(thick: float = 0.0) -> fm.SpatialModel:
    m = fm.SpatialModel("four-bar", gravity=(0, 0, -9.81))
    ends = []
    for name, at, half in (
        ("left", (0, 0, 0.5), (0, 0, 0.5)), ("top", (0.5, 0, 1), (0.5, 0, 0)),
        ("right", (1.25, 0, 0.5), (0.25, 0, -0.5)),
    ):  # fmt: skip
        l = 2.0 * np.linalg.norm(half)
        along = np.outer(half, half) / (half @ np.array(half))
        body = m.add_body(name, mass=1.0, inertia=l * l / 12.0 * (np.eye(3) - along) + thick * along, position=at)
        ends.append((body.attach("start", -np.array(half)), body.attach("end", half)))
    m.revolute(m.ground, ends[0][0], axis="y", name="A")
    m.revolute(ends[0][1], ends[1][0], axis="y", name="B")
    m.revolute(ends[1][1], ends[2][0], axis="y", name="C")
    m.revolute(m.ground.attach("D0", (1.5, 0, 0)), ends[2][1], axis="y", name="D")
    return m


@pytest.mark.filterwarnings("ignore::flexmb.errors.RedundancyWarning")
@pytest.mark.parametrize(("make", "last"), [(chain, "rod 2"), (four_bar, "right")])
def test_rods_move_as_those_that_are_all_but_thin(make, last):
    wanted = fm.simulate(make(thick=1e-9), 0.3, "radau", tolerance=1e-8, progress=False)[last].position[-1]
    for method, options, close in WAYS:
        run = fm.simulate(make(), 0.3, method, progress=False, **options)
        assert run.trustworthy
        assert run[last].position[-1] == pytest.approx(wanted, abs=close)


def test_a_rod_on_a_hinge_swings_as_the_book_says():
    """½ l across a hinge: φ̈ = (3/2) (g/l) at level, with J = m l²/12 about the middle."""
    m = fm.SpatialModel("rod", gravity=(0, 0, -9.81))
    rod = m.add_body("rod", mass=2.0, inertia=(0.0, 2.0 * 4.0 / 12.0, 2.0 * 4.0 / 12.0), position=(1.0, 0, 0))
    m.revolute(m.ground, rod.attach("root", (-1.0, 0, 0)), axis="y", name="hinge")
    for name in ("aba", "lagrange", "hybrid", "frisch"):
        assert fm.formulation(m, name)([0.0], [0.0]) == pytest.approx([1.5 * 9.81 / 2.0], rel=1e-12)


def test_formulations_that_invert_each_link_are_named():
    m = chain()
    taken = fm.formulations_of(m).taken
    assert {"aba", "lagrange", "hybrid"} < {*taken}
    assert {"ada", "dca"}.isdisjoint(taken)
    x, u = np.array([0.3, -0.4, 0.5]), np.array([1.0, 2.0, -1.0])
    wanted = fm.formulation(chain(thick=1e-9), "lagrange")(x, u)
    for name in taken:
        assert fm.formulation(m, name)(x, u) == pytest.approx(wanted, abs=1e-7)
    for name in ("ada", "dca"):
        with pytest.raises(
            FormulationError, match=r"'rod 0' has no moment of inertia .* take 'aba', 'lagrange' or 'hy"
        ):
            fm.formulation(m, name)
    straight, still = np.zeros((2, 20))
    assert np.all(np.isfinite(fm.formulation(chain(20), "aba")(straight, still)))
    with pytest.raises(FormulationError, match="block of links that begins at 'rod 8', as a body of its own, has no"):
        fm.formulation(chain(20), fm.Hybrid(block=8))(straight, still)


@pytest.mark.parametrize("formulation", [None, "aba", "lagrange", "hybrid"])
def test_a_motion_that_nothing_determines_is_refused_by_name(formulation):
    asked = {} if formulation is None else {"formulation": formulation}
    with pytest.raises(SolverError, match=r"'rod 0\.wz', 'rod 1\.wz' has no inertia, so its acceleration is not det"):
        fm.simulate(chain(2, joint="spherical"), 0.1, "dop853", **asked)
    m = fm.SpatialModel("spun")
    rod = m.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.0))
    m.revolute(m.ground, rod.frame, axis="z", name="own axis")
    with pytest.raises(SolverError, match=r"'rod\.wz'.* has no inertia"):
        fm.simulate(m, 0.1, "dop853", **asked)


def test_masses_without_extent_and_impossible_rods_are_refused():
    for inertia, why in (
        ((0.0, 0.0, 0.0), "add_point_mass"),
        ((0.1, 0.0, 0.0), "eigenvalue 0"),
        ((0.1, 0.2, 0.0), "larger than the sum of the other two"),
        ((0.1, 0.1, -1e-6), "must be positive"),
    ):
        with pytest.raises(fm.errors.ModelError, match=why):
            fm.SpatialModel("m").add_body("b", mass=1.0, inertia=inertia)
