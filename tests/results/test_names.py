"""Names of a solution against plain geometry."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import ModelError, NamingError
from flexmb.results.layout import Layout
from flexmb.results.solution import Solution
from flexmb.results.sources import SystemSource
from tests.results.mechanisms import ROD, flexible, pendulum


@pytest.fixture(scope="module")
def swing():
    return fm.simulate(pendulum(), 1.0, "projection", progress=False, tolerance=1e-10, absolute_tolerance=1e-10)


@pytest.fixture(scope="module")
def bent():
    return fm.simulate(flexible(), 0.3, step=0.002, progress=False)


def test_a_frame_with_an_offset_moves_as_the_body_carries_it(swing):
    bob, pivot = swing["bob"], swing["bob.pivot"]
    assert np.allclose(pivot.position, 0.0, atol=1e-9)
    assert np.allclose(pivot.velocity, 0.0, atol=1e-9)
    assert np.allclose(pivot.acceleration, 0.0, atol=1e-8)
    assert np.allclose(pivot.angle - bob.angle, 0.3, rtol=0, atol=1e-14)
    # the rigid pendulum: ω² = −2 m g l sin θ / (J + m l²)
    omega2 = -2 * 2.0 * 9.81 * np.sin(bob.angle) / 2.1
    assert np.allclose(bob.angular_velocity**2, omega2, atol=1e-8)
    assert np.allclose(bob.speed**2, omega2, atol=1e-8)
    assert np.allclose(bob.angular_acceleration, -2.0 * 9.81 * np.cos(bob.angle) / 2.1, atol=1e-8)


def test_all_ways_to_say_the_same(bent):
    m = bent.model
    rod, bob = m.component("rod"), m.component("bob")
    for a, b in (
        (rod.end, "rod.end"),
        (bob, "bob"),
        (bob.frame, "bob"),
        (rod.at(0.25), "rod@0.25"),
        ("rod@1", "rod.end"),
    ):
        assert np.allclose(bent[a].values[:, :6], bent[b].values[:, :6], atol=1e-9)
    track = bent["rod@0.25"]
    for k, name in enumerate("x y angle vx vy angular_velocity ax ay angular_acceleration".split()):
        assert np.array_equal(bent[f"rod@0.25.{name}"], track.values[:, k])
        assert np.array_equal(getattr(track, name), track.values[:, k])
    assert np.array_equal(bent.coordinate("rod.bending1"), bent["rod.bending1"])
    assert np.array_equal(bent["rod.bending1"], bent.q[:, bent.coordinate_names.index("rod.bending1")])
    assert np.array_equal(bent["energy.total"], bent.energy.total)
    assert np.array_equal(bent["hinge.fy"], bent.reaction("hinge")[0][:, 1])
    assert not np.any(bent["ground"].values)


@pytest.mark.parametrize("theory, elements", [("cms", 1), ("cms", 3), ("ancf", 4), ("floating", 1)])
def test_points_of_a_beam_that_spins_as_a_rigid_one(theory, elements):
    m = fm.PlanarModel("free")
    m.add_beam("rod", (0, 0), (3, 4), properties=ROD, theory=theory, elements=elements)
    m.set_rigid_motion((1.0, 2.0), 0.5)
    solution = fm.simulate(m, 1e-3, step=1e-3, progress=False)
    for s in (0.0, 0.1, 0.25, 0.5, 0.9, 1.0):
        track = solution[f"rod@{s}"]
        place = s * np.array([3.0, 4.0])
        assert np.allclose(track.position[0], place, rtol=0, atol=1e-14)
        assert np.allclose(track.velocity[0], [1 - 0.5 * place[1], 2 + 0.5 * place[0]], rtol=0, atol=1e-13)
        assert np.isclose(track.angle[0], np.arctan2(4, 3), rtol=0, atol=1e-14)
        assert np.isclose(track.angular_velocity[0], 0.5, rtol=0, atol=1e-13)
    assert solution.axis("rod", 5)[0] == pytest.approx(np.linspace(0, 1, 5)[:, None] * [3.0, 4.0])
    end = solution["rod.end"]  # a cable has no frame here; the name is understood
    assert np.allclose(end.position, solution["rod@1"].position)


def waving(theory, elements, t):
    """A solution whose coordinates are given functions of time: kinematics only."""
    system = fm.System(flexible(theory, elements))
    rng = np.random.default_rng(8)
    size, rate, phase = 0.1 * rng.normal(size=system.n), rng.uniform(1, 4, system.n), rng.uniform(0, 6, system.n)
    t = np.asarray(t, dtype=float)
    turn = np.outer(t, rate) + phase
    q = system.q0 + size * np.sin(turn)
    v, a = size * rate * np.cos(turn), -size * rate**2 * np.sin(turn)
    lam = np.zeros((len(t), system.m))
    return Solution(Layout.of(system), SystemSource(system), t, q, v, a, lam, model=system.model)


def assert_rates(values, h):
    """Each column of rates integrates to its column of values, by Simpson's rule."""
    for k in range(6):
        simpson = (values[:-2, k + 3] + 4 * values[1:-1, k + 3] + values[2:, k + 3]) * h / 3
        assert np.allclose(values[2:, k] - values[:-2, k], simpson, rtol=0, atol=2e-11), k


@pytest.mark.parametrize("theory, elements", [("cms", 1), ("cms", 2), ("ancf", 2), ("floating", 1)])
def test_velocities_and_accelerations_are_rates(theory, elements):
    s = waving(theory, elements, 1e-3 * np.arange(200))
    for name in ("rod@0", "rod@0.37", "rod@0.5", "bob.left"):
        assert_rates(s[name].values, 1e-3)
    assert_rates(s.relative("bob.left", to="rod@0.3").values, 1e-3)
    assert_rates(s.relative("rod@0.9", to="bob.left").values, 1e-3)


def test_seen_from_a_turning_frame(swing):
    ground = swing.relative("ground", to="bob")
    assert np.allclose(ground.position, [-1.0, 0.0], atol=1e-9)
    assert np.allclose(ground.velocity, 0.0, atol=1e-8)
    assert np.allclose(ground.acceleration, 0.0, atol=1e-7)
    assert np.allclose(ground.angle, -swing["bob"].angle)
    back = swing.relative("bob", to="ground")
    assert np.array_equal(back.values, swing["bob"].values)


@pytest.mark.parametrize(
    "name, hint",
    [("bobb", "'bob'"), ("bob.z", "'bob.y'"), ("rod@0.5.vz", "'rod@0.5.vy'"), ("hinge.fz", "'hinge.fy'")]
    + [("energy.totl", "'energy.total'"), ("rod.bendin1", "'rod.bending1'"), ("rot@0.5", "'rod@0.5'")],
)
def test_unknown_names_come_with_near_ones(bent, name, hint):
    with pytest.raises(NamingError, match="flexible") as error:
        bent[name]
    assert hint in str(error.value).split("; it has")[0]


def test_other_wrong_keys(bent):
    for key, words in (
        (3, "is no name"),
        ("rod@1.5", "off beam"),
        ("rod@x", "there is no"),
        ("rod@nan", "off beam"),
    ):
        with pytest.raises(NamingError, match=words):
            bent[key]
    with pytest.raises(NamingError, match="another one"):
        bent[flexible().component("bob")]
    with pytest.raises(NamingError, match=r"rod\.bending1"):
        bent.coordinate("rod.bending")
    for question in (bent.reaction, bent.multipliers_of):
        with pytest.raises(NamingError, match="'hinge'"):
            question("hing")
    with pytest.raises(NamingError, match="quantit"):
        bent.series("rod.end")
    with pytest.raises(NamingError, match=r"'rod\.end'"):
        bent.track("rod.end.x")


def test_between_the_steps(swing):
    times = np.linspace(0.51, 1.49, 23)
    errors = []
    for h in (0.08, 0.04):
        coarse = waving("cms", 1, h * np.arange(40))
        errors.append(np.max(np.abs(coarse.at(times).q - waving("cms", 1, times).q)))
    assert errors[1] < errors[0] / 12  # fourth order would be 16
    same = swing.at(swing.t)
    for a, b in (
        (same.q, swing.q),
        (same.v, swing.v),
        (same.a, swing.a),
        (same.multipliers, swing.multipliers),
    ):
        assert np.array_equal(a, b)
    assert swing.at(0.5).t.tolist() == [0.5]
    for times in (-0.1, [0.5, 1.5], np.nan):
        with pytest.raises(ModelError):
            swing.at(times)


def test_tables(swing, tmp_path):
    data = swing.to_dict(["bob.y", "energy.kinetic"])
    assert list(data) == ["t", "bob.y", "energy.kinetic"]
    assert "bob.pivot.angle" in swing.to_dict() and "ground.x" not in swing.to_dict()
    path = swing.to_csv(tmp_path / "table.csv", ["bob.y", "hinge.fx"])
    assert path.read_text(encoding="utf-8").splitlines()[0] == "t [s],bob.y [m],hinge.fx [N]"
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    assert np.array_equal(table, np.column_stack([swing.t, swing["bob.y"], swing["hinge.fx"]]))


def test_the_summary_says_what_matters(swing):
    text = str(swing)
    assert "'pendulum'" in text and "finished" in text and "projection" in text and "balance error" in text
    assert len(text.splitlines()) <= 4


def test_contacts_and_stops_of_one_instant_are_shown_by_what_they_have():
    m = fm.PlanarModel("ball", gravity=(0, -10))
    ball = m.add_body("ball", mass=1.0, inertia=0.1, position=(0, 0.1))
    m.contact(m.ground, ball.frame, fm.HalfPlane("y"), fm.Disk(diameter=0.2), stiffness=1e4, damping=1.0, name="floor")
    m.distance_stop(m.ground, ball.frame, upper=1.0, stiffness=1e3, name="rope")
    state = fm.assemble(m)
    assert repr(state["floor"]) == "Place('floor', gap = 0, normal_force = 0)"
    assert repr(state["rope"]) == "Place('rope', value = 0.1, force = 0)"
    assert state["rope"].touching is False
