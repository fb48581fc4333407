"""Lists of pairs that are near: they never miss a pair, whatever moves, and slots and forces stay with their pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import cKDTree

import flexmb as fm
from flexmb.solvers.events.crossing_state import crossings_for
from flexmb.system.evaluation import switches
from flexmb.system.near import COUNT, LISTS, MARGIN, MARGIN_NOW, PAIR_AT, STRIDE, longest_step

LAW = {"stiffness": 1e4, "damping": 0.5, "friction": 0.3}


def cloud(count: int, space: bool, seed: int, spread: float, **options: object) -> tuple[fm.System, np.ndarray]:
    """Balls of several sizes at random places, and their radii."""
    draw = np.random.default_rng(seed)
    radii = draw.uniform(0.05, 0.15, count)
    side = spread * 0.2 * count ** (1.0 / (3 if space else 2))
    m = fm.SpatialModel("cloud") if space else fm.PlanarModel("cloud")
    frames = []
    for k in range(count):
        place = draw.uniform(-side, side, 3 if space else 2)
        body = m.add_body(f"ball {k}", mass=1.0, inertia=(4e-3,) * 3 if space else 4e-3, position=place)
        frames.append(body.frame)
    shape = fm.Sphere if space else fm.Disk
    m.contact_among(frames, [shape(radius=r) for r in radii], name="cloud", **LAW, **options)
    return fm.System(m), radii


def listed(system: fm.System) -> dict[tuple[int, int], int]:
    """The pairs of the list, with their slots."""
    near = system.plan.near
    count = int(near.state[0, COUNT])
    first = np.repeat(np.arange(len(near.first) - 1), np.diff(near.first))
    assert len(first) == count
    pairs = list(zip(first.tolist(), near.other[:count].tolist()))
    assert pairs == sorted(set(pairs))
    return dict(zip(pairs, near.slot[:count].tolist()))


@pytest.mark.parametrize("space", [False, True])
@settings(max_examples=25)
@given(count=st.integers(2, 60), seed=st.integers(0, 2**32 - 1), moves=st.lists(st.floats(-4.0, 0.5), max_size=12))
def test_no_pair_is_missed(space: bool, count: int, seed: int, moves: list[float]) -> None:
    system, radii = cloud(count, space, seed, 1.0, room=count * count)
    system.plan.near.sizes[0, [MARGIN, STRIDE]] = 0.05, 0.01  # with room for all pairs they are infinite
    draw, q, size = np.random.default_rng(seed), system.q0, 3 if space else 2
    places = system.bodies_of("cloud")[:, :size]
    slots: dict[tuple[int, int], int] = {}
    for move in [-9.0, *moves]:
        q[places] += 10.0**move * draw.normal(size=places.shape)
        system.energy(0.0, q, system.v0)
        now = listed(system)
        tree = cKDTree(q[places])
        touching = [
            (i, j)
            for i, j in tree.query_pairs(0.3)
            if np.linalg.norm(q[places[i]] - q[places[j]]) < radii[i] + radii[j]
        ]
        assert set(touching) <= set(now)
        assert len(set(now.values())) == len(now)
        assert all(slots[pair] == now[pair] for pair in slots.keys() & now.keys())
        slots = now


@pytest.mark.parametrize("space", [False, True])
def test_forces_do_not_depend_on_when_the_list_was_made(space: bool) -> None:
    system, _ = cloud(50, space, 3, 0.5)
    draw, q, zero = np.random.default_rng(4), system.q0, np.zeros(system.n)
    places = system.bodies_of("cloud")[:, : 3 if space else 2]
    for _ in range(30):
        q[places] += 0.003 * draw.normal(size=places.shape)
        fresh, _ = cloud(50, space, 3, 0.5)
        assert np.array_equal(system.residual(0.0, q, zero, zero), fresh.residual(0.0, q, zero, zero))
    assert 2 <= system.plan.near.state[0, LISTS] < 30


def test_a_small_move_keeps_the_list_and_a_margin_halved_makes_room() -> None:
    system, radii = cloud(40, True, 5, 0.6)
    near, mean = system.plan.near, radii.mean()
    assert near.sizes[0, [MARGIN, STRIDE]] == pytest.approx([0.5 * mean, 0.1 * mean])
    system.energy(0.0, system.q0, system.v0)
    q = system.q0
    q[system.bodies_of("cloud")[:, 0]] += 0.249 * mean
    system.energy(0.0, q, system.v0)
    assert near.state[0, LISTS] == 1
    few = sum(depth < 0.0 for depth in _gaps(system, radii)) + 2
    narrow, _ = cloud(40, True, 5, 0.6, room=few)
    assert narrow.energy(0.0, narrow.q0, narrow.v0)[1] == system.energy(0.0, system.q0, system.v0)[1]
    assert narrow.plan.near.sizes[0, MARGIN_NOW] < 0.5 * mean


def _gaps(system: fm.System, radii: np.ndarray) -> np.ndarray:
    places = system.q0[system.bodies_of("cloud")[:, :3]]
    i, j = np.triu_indices(len(places), 1)
    return np.asarray(np.linalg.norm(places[i] - places[j], axis=1) - radii[i] - radii[j])


def test_switches_stand_in_slots() -> None:
    system, radii = cloud(40, True, 6, 0.6)
    plan = system.plan
    c = crossings_for(plan, system.initial, 1.0, True)
    assert c.switches == 2 * 12 * 40
    out, zero = np.zeros(c.switches), np.zeros(plan.total)
    switches(plan, system.scratch, 0.0, system.initial, zero, zero, np.zeros(4), out)
    gaps = dict(zip(zip(*np.triu_indices(40, 1)), _gaps(system, radii)))
    pairs = listed(system)
    for pair, slot in pairs.items():
        assert out[2 * slot] == pytest.approx(gaps[pair], abs=1e-14)
    free = np.setdiff1d(np.arange(12 * 40), list(pairs.values()))
    assert np.all(out.reshape(-1, 2)[free] == 1.0)
    assert plan.near.table[0, PAIR_AT] == 0


def test_a_step_is_as_long_as_bodies_may_go() -> None:
    system, radii = cloud(40, True, 7, 1.0)
    v = np.zeros(system.plan.total)
    assert longest_step(system.plan.near, v) == np.inf
    v[6:9] = 0.0, 3.0, 4.0
    assert longest_step(system.plan.near, v) == pytest.approx(0.1 * radii.mean() / 5.0)
    assert longest_step(fm.System(_lonely()).plan.near, v) == np.inf
    assert longest_step(cloud(5, True, 7, 1.0)[0].plan.near, v) == np.inf


def test_few_bodies_are_all_near() -> None:
    system, _ = cloud(5, True, 7, 1.0)
    q = system.q0
    for _ in range(3):
        q[:3] += 100.0
        system.energy(0.0, q, system.v0)
        assert len(listed(system)) == 10
    assert system.plan.near.state[0, LISTS] == 1


def _lonely() -> fm.PlanarModel:
    m = fm.PlanarModel("lonely")
    m.add_body("body", mass=1.0, inertia=1.0)
    return m
