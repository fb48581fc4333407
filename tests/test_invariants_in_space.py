"""Properties of any mechanism in space, tried on random chains and loops of hinges, spherical joints and bushings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.algebra.factors import dense

SEEDS = st.integers(0, 10**6)
VECTORS = st.tuples(*[st.floats(-3.0, 3.0)] * 3).map(np.array)
STILL = Rotation.identity()
#: options of each method, and the largest error of a place [m] or an angle after 0.3 s with them
METHODS: dict[str, tuple[dict[str, Any], float]] = {
    "radau": ({"tolerance": 1e-9}, 1e-8),
    "independent": ({"tolerance": 1e-9, "absolute_tolerance": 1e-11}, 1e-6),
    "independent, radau": ({"integrator": "radau", "tolerance": 1e-9}, 1e-8),
    "projection": ({"tolerance": 1e-10, "absolute_tolerance": 1e-12}, 1e-8),
    "baumgarte": ({"tolerance": 1e-10, "absolute_tolerance": 1e-12}, 1e-8),
    "dop853": ({"tolerance": 1e-10}, 1e-9),
    "rkf45": ({"step": 5e-4}, 1e-7),
    "rosenbrock": ({"tolerance": 1e-7}, 1e-6),
}
T_END = 0.3


def mechanism(
    seed: int, turn: Rotation = STILL, shift: Any = (0.0, 0.0, 0.0), *, free: bool = False, damped: bool = True
) -> fm.SpatialModel:
    """A chain of one to four bodies that hangs on a fixed frame, or is `free`; its end may be held in a socket, if
    enough motions are left. All of it is turned and shifted."""
    rng = np.random.default_rng(seed)
    gravity = np.zeros(3) if free else 9.81 * _direction(rng)
    model = fm.SpatialModel("by chance", gravity=turn.apply(gravity))
    before: Any = model.add_frame("base", shift, turn * Rotation.random(random_state=rng), fixed=True)
    end, freedom = np.zeros(3), 0
    for k in range(int(rng.integers(2 if free else 1, 5))):
        start, end = end, end + rng.uniform(0.3, 1.0) * _direction(rng)
        center, own = start + 0.5 * (end - start) + 0.1 * _direction(rng), Rotation.random(random_state=rng)
        mass, sides = rng.uniform(0.5, 3.0), rng.uniform(0.1, 1.0, 3) ** 2
        axes = Rotation.random(random_state=rng).as_matrix()
        inertia = axes @ np.diag(mass / 12.0 * (sides.sum() - sides)) @ axes.T
        body = model.add_body(
            f"body{k}", mass=mass, inertia=inertia, position=turn.apply(center) + shift, orientation=turn * own
        )
        near = body.attach("near", own.inv().apply(start - center), Rotation.random(random_state=rng))
        far = body.attach("far", own.inv().apply(end - center), Rotation.random(random_state=rng))
        kind, axis = rng.choice(["hinge", "sprung hinge", "spherical", "bushing"]), _direction(rng)
        stiffness = [*rng.uniform(50.0, 500.0, 3), *rng.uniform(1.0, 10.0, 3)]
        if free and k == 0:
            freedom = 6
        elif kind == "bushing":
            damping = 0.005 * np.array(stiffness) if damped else np.zeros(6)
            model.bushing(before, near, stiffness=stiffness, damping=damping, name=f"joint{k}")
            freedom += 6
        elif kind == "spherical":
            model.spherical(before, near, name=f"joint{k}")
            freedom += 3
        else:
            model.revolute(before, near, axis=axis, name=f"joint{k}")
            freedom += 1
            if kind == "sprung hinge":
                damping = 0.05 if damped else 0.0
                model.torsion_spring(before, near, axis=axis, stiffness=8.0, damping=damping, free_angle=2.0)
        before = far
    if not free and freedom >= 5 and rng.random() < 0.6:
        model.spherical(model.add_frame("socket", turn.apply(end) + shift, fixed=True), before, name="end")
    return model


def _direction(rng: np.random.Generator) -> np.ndarray:
    way = rng.normal(size=3)
    return np.asarray(way / np.linalg.norm(way))


def started(model: fm.SpatialModel, seed: int, turn: Rotation = STILL) -> fm.State:
    """The model with random speeds that fit the joints; `turn` of the places' speeds, where the model is turned."""
    state = fm.assemble(model)
    system = state.system
    speeds = np.random.default_rng([seed, 1]).normal(size=system.n)
    if system.m:
        plain = mechanism(seed, free="base" not in _grounded(model)) if turn is not STILL else model
        whole = fm.System(plain)
        G = dense(whole.jacobian(0.0, whole.q0))
        speeds -= np.linalg.lstsq(G, G @ speeds, rcond=None)[0]
    return fm.State(system, 0.0, state.q, _turned(system, turn, speeds), np.zeros(system.n), np.zeros(system.m))


def _grounded(model: fm.SpatialModel) -> set[str]:
    return {frame.name for part in model.components.values() for frame in part.frames()}


def _turned(system: fm.System, turn: Rotation, values: np.ndarray) -> np.ndarray:
    """Speeds or accelerations (n,) with those of places turned; those of orientations are in the bodies' axes."""
    out = values.copy()
    for k, name in enumerate(system.names):
        if name.endswith(".x"):
            out[k : k + 3] = turn.apply(values[k : k + 3])
    return out


def run(model: fm.SpatialModel, start: fm.State, method: str, t_end: float = T_END, **options: Any) -> fm.Solution:
    """A motion from a state; the method's name up to a comma."""
    solution = fm.simulate(model, t_end, method.partition(",")[0], initial=start, progress=False, **options)
    assert solution.status == "finished", solution.message
    return solution


def bodies(model: fm.SpatialModel) -> list[Any]:
    """The rigid bodies."""
    return [part for part in model.components.values() if part.kind == "body"]


def momenta(model: fm.SpatialModel, solution: fm.Solution) -> tuple[np.ndarray, np.ndarray]:
    """Momentum and angular momentum about the origin (k, 3) of all bodies."""
    linear, angular = np.zeros((len(solution.t), 3)), np.zeros((len(solution.t), 3))
    for body in bodies(model):
        track = solution[body.name]
        p = body.mass * track.velocity
        own = track.orientation.inv().apply(track.angular_velocity) @ body.tensor()
        linear += p
        angular += np.cross(track.position, p) + track.orientation.apply(own)
    return linear, angular


def apart(model: fm.SpatialModel, one: fm.Solution, other: fm.Solution) -> float:
    """The largest difference of places [m] and orientations [rad] of the bodies at the end."""
    off = [0.0]
    for body in bodies(model):
        a, b = one[body.name], other[body.name]
        off.append(float(np.max(np.abs(a.position[-1] - b.position[-1]))))
        off.append(float((a.orientation[-1].inv() * b.orientation[-1]).magnitude()))
    return max(off)


@settings(max_examples=25)
@given(seed=SEEDS, rotation=VECTORS, shift=VECTORS)
def test_accelerations_do_not_depend_on_where_and_how_a_mechanism_stands(seed, rotation, shift):
    turn = Rotation.from_rotvec(rotation)
    plain, moved = mechanism(seed), mechanism(seed, turn, shift)
    first = run(plain, started(plain, seed), "generalized_alpha", 1e-3, step=1e-3)
    other = run(moved, started(moved, seed, turn), "generalized_alpha", 1e-3, step=1e-3)
    assert first.energy.kinetic[0] == pytest.approx(other.energy.kinetic[0], rel=1e-11)
    size = np.max(np.abs(first.a[0]))
    np.testing.assert_allclose(other.a[0], _turned(first.source.system, turn, first.a[0]), atol=1e-9 * size)
    for name, part in plain.components.items():
        if part.kind == "joint":
            known = [turn.apply(x[0]) for x in first.reaction(name)]
            scale = 1.0 + np.max(np.abs(known))
            np.testing.assert_allclose([x[0] for x in other.reaction(name)], known, atol=1e-8 * scale)


@settings(max_examples=10)
@given(seed=SEEDS, rotation=VECTORS, shift=VECTORS, method=st.sampled_from(sorted(METHODS)))
def test_motion_does_not_depend_on_where_and_how_a_mechanism_stands(seed, rotation, shift, method):
    turn, options = Rotation.from_rotvec(rotation), METHODS[method][0]
    plain, moved = mechanism(seed), mechanism(seed, turn, shift)
    first = run(plain, started(plain, seed), method, **options)
    other = run(moved, started(moved, seed, turn), method, **options)
    for body in bodies(plain):
        a, b = first[body.name], other[body.name]
        allowed = METHODS[method][1]
        np.testing.assert_allclose(b.position[-1], turn.apply(a.position[-1]) + shift, atol=allowed)
        assert (b.orientation[-1].inv() * turn * a.orientation[-1]).magnitude() < allowed


@settings(max_examples=15)
@given(seed=SEEDS, method=st.sampled_from(sorted(METHODS)))
def test_free_mechanisms_keep_their_momenta(seed, method):
    model = mechanism(seed, free=True)
    options, allowed = METHODS[method]
    linear, angular = momenta(model, run(model, started(model, seed), method, **options))
    size = 1.0 + np.max(np.abs(angular)) + np.max(np.abs(linear))
    assert np.max(np.abs(linear - linear[0])) < 10.0 * allowed * size
    assert np.max(np.abs(angular - angular[0])) < 10.0 * allowed * size


@settings(max_examples=8)
@given(seed=SEEDS)
def test_generalized_alpha_keeps_momenta_and_energy_to_second_order(seed):
    off = []
    for step in (2e-3, 1e-3, 5e-4):
        model = mechanism(seed, free=True, damped=False)
        solution = run(model, started(model, seed), "generalized_alpha", step=step, newton_tolerance=1e-12)
        linear, angular = momenta(model, solution)
        size = np.max(np.abs(linear)) + np.max(np.abs(angular))
        assert np.max(np.abs(linear - linear[0])) < 1e-9 * size
        total = solution.energy.total
        off.append([np.max(np.abs(angular - angular[0])) / size, np.max(np.abs(total - total[0])) / total[0]])
    for coarse, middle, fine in np.transpose(off):
        assert fine < 1e-9 or 3.0 < middle / fine < 5.0, (coarse, middle, fine)


@settings(max_examples=12)
@given(seed=SEEDS, method=st.sampled_from(sorted(METHODS)))
def test_energy_is_balanced_in_tight_runs(seed, method):
    """What dampers take is summed over the steps, which follow the motion and not this sum."""
    options, allowed = METHODS[method]
    for damped, left in ((False, 10.0 * allowed), (True, 1e-4)):
        model = mechanism(seed, damped=damped)
        solution = run(model, started(model, seed), method, **options)
        assert solution.energy.error < left
        assert solution.energy.dissipated[-1] >= 0.0


@settings(max_examples=10)
@example(seed=2019)
@example(seed=2105)
@example(seed=3034)
@given(seed=SEEDS)
def test_methods_agree(seed):
    """Among the given ones are loops whose dependent coordinates come near to being no function of the others."""
    model = mechanism(seed)
    start = started(model, seed)
    exact = run(model, start, "dop853", tolerance=1e-12)
    for method, (options, allowed) in METHODS.items():
        assert apart(model, run(model, start, method, **options), exact) < allowed, method
    errors = [apart(model, run(model, start, "generalized_alpha", step=h), exact) for h in (1e-3, 5e-4)]
    assert errors[1] < 1e-7 or 3.0 < errors[0] / errors[1] < 5.0, errors
