"""Contacts among many bodies: the same forces and runs as of pairs, momentum, heaps at rest, and what is refused."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import FlexmbError, ModelError

LAW: dict[str, Any] = {"stiffness": 1e5, "restitution": 0.5, "impact_speed": 1.0, "friction": 0.3}


def cloud(count: int, space: bool, searched: bool, spread: float, **options: Any) -> fm.PlanarModel | fm.SpatialModel:
    """Balls of three sizes, some off the middle of their frames, that fly at random from random places or, where they
    are spread by none, from a grid; pairs searched or one by one."""
    draw, size = np.random.default_rng(count), 3 if space else 2
    m = fm.SpatialModel("cloud") if space else fm.PlanarModel("cloud")
    side = spread * 0.2 * count ** (1.0 / size)
    bodies, shapes = [], []
    for k in range(count):
        inertia = (4e-3, 5e-3, 6e-3) if space else 4e-3
        place = draw.uniform(0.0, side, size) if spread else 0.27 * np.array([k % 5, k // 5 % 5, k // 25][:size])
        body = m.add_body(f"ball {k}", mass=1.0, inertia=inertia, position=place)
        body.frame.move(draw.uniform(-1.0, 1.0, size), draw.uniform(-2.0, 2.0, 3) if space else draw.uniform(-2.0, 2.0))
        frame = body.frame.attach(f"middle {k}", draw.uniform(-0.01, 0.01, size)) if k % 2 else body.frame
        bodies.append(frame)
        shapes.append((fm.Sphere if space else fm.Disk)(diameter=0.18 + 0.02 * (k % 3)))
    if searched:
        m.contact_among(bodies, shapes, name="cloud", **LAW, **options)
    else:
        for i, j in combinations(range(count), 2):
            m.contact(bodies[i], bodies[j], shapes[i], shapes[j], **LAW)
    return m


@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize("count", [3, 40])
def test_forces_energies_and_tangents_are_those_of_pairs(space: bool, count: int) -> None:
    ours, pairs = (fm.System(cloud(count, space, searched, 0.6)) for searched in (True, False))
    q, v, zero = ours.q0, ours.v0, np.zeros(ours.n)
    forces = pairs.residual(0.0, q, v, zero)
    assert np.abs(forces).max() > 1.0
    assert np.array_equal(ours.residual(0.0, q, v, zero), forces)
    assert np.array_equal(ours.energy(0.0, q, v), pairs.energy(0.0, q, v))
    weights, none = (1.0, 0.3, 0.01), np.zeros(0)
    found, wanted = (_dense(s.tangent(0.0, q, v, zero, none, weights)) for s in (ours, pairs))
    assert found == pytest.approx(wanted, rel=1e-14, abs=1e-12)


def _dense(matrix: Any) -> np.ndarray:
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix)


@pytest.mark.parametrize("method", ["generalized_alpha", "dop853", "rkf45", "rosenbrock", "projection", "baumgarte"])
def test_runs_are_those_of_pairs(method: str) -> None:
    models = (cloud(12, True, searched, 0.0, room=40) for searched in (True, False))
    ours, pairs = (fm.simulate(model, 0.15, method=method, progress=False) for model in models)
    assert ours.status == pairs.status == "finished"
    assert ours.trustworthy == pairs.trustworthy
    for k in range(12):
        one, other = ours[f"ball {k}"].position[-1], pairs[f"ball {k}"].position[-1]
        assert one == pytest.approx(other, abs=2e-4 if method == "generalized_alpha" else 1e-6)


@pytest.mark.parametrize("method", ["generalized_alpha", "dop853"])
def test_momentum_is_kept_and_energy_balances(method: str) -> None:
    solution = fm.simulate(cloud(25, False, True, 0.0), 0.5, method=method, progress=False)
    momentum = np.sum([solution[f"ball {k}"].velocity for k in range(25)], axis=0)
    assert np.ptp(momentum, axis=0) == pytest.approx(0.0, abs=1e-9)
    assert solution.trustworthy
    assert solution.energy.error < 1e-2
    spent = solution.energy.total[0] - solution.energy.total[-1]
    assert spent > 0.1 * solution.energy.total[0]


def test_pairs_that_come_together_get_places_in_the_matrix() -> None:
    system = fm.System(cloud(40, True, True, 0.6))
    q, zero, none = system.q0, np.zeros(system.n), np.zeros(0)
    few = system.matrix(0.0, q, zero, zero, none, (1.0, 0.0, 0.0)).nnz
    many = system.matrix(0.0, q, zero, zero, none, (1.0, 0.0, 1.0)).nnz
    assert few < many < 0.7 * system.n**2


def heap(searched: bool) -> fm.PlanarModel:
    """Ten disks above a trough."""
    m, disk = fm.PlanarModel("heap", gravity=(0.0, -9.81)), fm.Disk(diameter=0.2)
    law = LAW | {"restitution": 0.05}
    walls = (fm.HalfPlane((1.0, 1.0)), fm.HalfPlane((-1.0, 1.0)))
    bodies = []
    for k in range(10):
        place = (0.21 * (k % 3) - 0.2 + 0.02 * (k // 3), 0.55 + 0.21 * (k // 3))
        bodies.append(m.add_body(f"disk {k}", mass=1.0, inertia=5e-3, position=place).frame)
        for wall in walls:
            m.contact(m.ground, bodies[-1], wall, disk, **law)
    if searched:
        m.contact_among(bodies, disk, name="heap", **law)
    else:
        for a, b in combinations(bodies, 2):
            m.contact(a, b, disk, disk, **law)
    return m


def test_a_heap_comes_to_rest() -> None:
    solution = fm.simulate(heap(True), 3.0, progress=False)
    assert solution.status == "finished"
    speeds = [np.linalg.norm(solution[f"disk {k}"].velocity[-1]) for k in range(10)]
    assert max(speeds) < 0.02
    force = sum(solution[f"contact {k}"].normal_force[-1] for k in range(1, 21))
    assert force > 10 * 9.81  # the walls are steep


def test_large_overlaps_are_a_doubt() -> None:
    m = fm.PlanarModel("soft")
    bodies = [m.add_body(f"disk {k}", mass=1.0, inertia=5e-3, position=(0.5 * k, 0.0)) for k in range(3)]
    bodies[0].frame.move((3.0, 0.0))
    m.contact_among([body.frame for body in bodies], fm.Disk(diameter=0.2), stiffness=100.0, name="soft")
    with pytest.warns(
        fm.errors.AccuracyWarning, match=r"contacts 'soft': two bodies overlap by up to 0\.\d+ m, \d+% of the"
    ):
        solution = fm.simulate(m, 0.4, progress=False)
    assert not solution.trustworthy


@pytest.mark.parametrize("space", [False, True])
def test_bodies_are_drawn_and_files_keep_the_run(space: bool, tmp_path: Path) -> None:
    m = cloud(4, space, True, 0.0)
    solution = fm.simulate(m, 0.05, progress=False)
    lines = m.components["cloud"].drawn(solution)
    assert len(lines) == 4 * (3 if space else 2)
    for circle, k in ((lines[0], 0), (lines[-3 if space else -2], 3)):
        away = np.linalg.norm(circle - solution[f"middle {k}" if k % 2 else f"ball {k}"].position[:, None], axis=2)
        assert away == pytest.approx(0.5 * (0.18 + 0.02 * (k % 3)))
    solution.save(tmp_path / "run.h5")
    again = fm.load(tmp_path / "run.h5")
    assert np.array_equal(again["ball 3"].position, solution["ball 3"].position)
    with pytest.raises(FlexmbError, match="cloud"):
        solution["cloud"]


def test_contacts_can_be_switched_off_and_on() -> None:
    m = fm.PlanarModel("pair")
    one = m.add_body("one", mass=1.0, inertia=5e-3)
    other = m.add_body("other", mass=1.0, inertia=5e-3, position=(0.5, 0.0))
    one.frame.move((1.0, 0.0))
    pair = m.contact_among([one.frame, other.frame], fm.Disk(diameter=0.2), stiffness=1e6, name="pair")
    solution = fm.simulate(m, 1.0, progress=False)
    assert solution["other"].velocity[-1] == pytest.approx([1.0, 0.0], abs=1e-3)
    m.add_event(0.1, fm.Switch(off=[pair]))
    solution = fm.simulate(m, 1.0, progress=False)
    assert solution["other"].velocity[-1] == pytest.approx([0.0, 0.0])


def test_room_for_too_few_pairs_is_told() -> None:
    m = cloud(25, True, True, 0.6, room=3)
    with pytest.raises(FlexmbError, match=r"contacts 'cloud' has \d+ pairs that touch, and room for 3; give room=\d+"):
        fm.simulate(m, 0.1, progress=False)
    system = fm.System(m)
    assert np.isnan(system.energy(0.0, system.q0, system.v0)[1])
    m, disk = fm.PlanarModel("row"), fm.Disk(diameter=0.2)
    row = [m.add_body(f"disk {k}", mass=1.0, inertia=5e-3, position=(0.3 * k, 0.0)) for k in range(3)]
    row[0].frame.move((1.0, 0.0))
    row[2].frame.move((-1.0, 0.0))
    m.contact_among([body.frame for body in row], disk, stiffness=1e5, room=1, name="row")
    with pytest.warns(fm.errors.DivergenceWarning, match="contacts 'row' has 2 pairs that touch, and room for 1"):
        solution = fm.simulate(m, 0.5, progress=False)
    assert 0.09 < solution.t[-1] < 0.11


@pytest.mark.parametrize(
    ("method", "options", "instead"),
    [
        ("radau", {}, "take method='generalized_alpha', 'dop853' or 'rkf45'"),
        ("independent", {}, "take method='generalized_alpha', 'dop853' or 'rkf45'"),
        ("dop853", {"formulation": "aba"}, "leave formulation out"),
    ],
)
def test_methods_whose_matrix_keeps_its_pattern_refuse(method: str, options: dict[str, Any], instead: str) -> None:
    with pytest.raises(FlexmbError, match=rf"the pairs of contacts 'cloud' change as bodies move.*{instead}"):
        fm.simulate(cloud(4, False, True, 1.5), 0.1, method=method, progress=False, **options)


def _linearize(model: Any) -> Any:
    return fm.linearize(model, [], ["ball 0.x"])


@pytest.mark.parametrize("analysis", [fm.equilibrium, _linearize, fm.modes])
def test_analyses_refuse(analysis: Any) -> None:
    with pytest.raises(FlexmbError, match=r"contacts 'cloud'.*let them touch by contacts of two frames"):
        analysis(cloud(4, False, True, 1.5))


def test_what_cannot_be_right_is_told() -> None:
    m = fm.PlanarModel("m")
    a, b = (m.add_body(name, mass=1.0, inertia=1.0, position=(x, 0.0)) for name, x in (("a", 0.0), ("b", 1.0)))
    disk = fm.Disk(diameter=0.2)
    for bodies, shapes, said in (
        ([a.frame], disk, "give a list of two frames or more"),
        ([a.frame, m.ground], disk, "is fixed in space; a floor or a wall touches each"),
        ([a.frame, a.attach("end", (0.1, 0.0))], disk, "are parts of the same body"),
        ([a.frame, "b"], disk, "is not a frame"),
        ([a.frame, b.frame], [disk], "1 shapes for 2 bodies"),
        ([a.frame, b.frame], None, "a point is among its shapes"),
        ([a.frame, b.frame], fm.HalfPlane("y"), "a half-space is among its shapes"),
    ):
        with pytest.raises(ModelError, match=said):
            m.contact_among(bodies, shapes, stiffness=1e4)
    with pytest.raises(ModelError, match="room is 0; give a whole number, at least 1"):
        m.contact_among([a.frame, b.frame], disk, stiffness=1e4, room=0)
