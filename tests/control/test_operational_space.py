"""The end of an arm follows a wanted motion, and what its joints do besides does not move it."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import flexmb as fm
from flexmb.examples import virtual_loop as four_links
from tests.control.arms import arm, bare, known

Gains = fm.control.Gains
LINKS = {(2, False): 4, (2, True): 5, (3, False): 5, (3, True): 8}


@cache
def task(dimension: int, turns: bool, links: int, floats: bool, besides: bool) -> fm.control.OperationalSpace:
    """A task of the hand, which moves and turns, and what the joints do besides."""
    wanted = [0.3 * fm.Harmonic(1.0, 2.0 + 0.5 * k) + 0.5 for k in range(dimension)]
    more: dict[str, Any] = {}
    if turns and dimension == 2:
        more = {"rotation": 0.4 * fm.Harmonic(1.0, 3.0)}
    elif turns:
        more = {"rotation": [0.4 * fm.Harmonic(1.0, 3.0), 0.2, 0.1 * fm.Harmonic(1.0, 2.0)], "sequence": "ZYX"}
    if besides:
        more |= {"posture": [0.1] * links, "posture_gains": Gains(20.0, 3.0)}
        more["torques"] = lambda q, v, t: np.cos(t + np.arange(links))
    end = f"link {links - 1}.b {links - 1}"
    return fm.control.OperationalSpace(known(dimension, links, floats), end, wanted, Gains(40.0, 9.0), **more)


def end_acceleration(law: fm.control.OperationalSpace, q: Any, v: Any, vdot: Any) -> np.ndarray:
    """[α; a] of the hand."""
    dynamics = fm.TreeDynamics(law.tree)
    return np.asarray(dynamics.jacobian(law.frame, q) @ vdot + dynamics.jacobian_rate(law.frame, q, v) @ v)


@given(seed=st.integers(0, 10_000), kind=st.sampled_from(sorted(LINKS)), floats=st.booleans())
def test_the_end_obeys_its_own_equation_whatever_the_joints_do_besides(seed, kind, floats):
    rng, n, dimension = np.random.default_rng(seed), LINKS[kind], kind[0]
    laws = [task(*kind, n, floats, besides) for besides in (False, True)]
    nv, t = laws[0].tree.nv, rng.uniform(0.0, 2.0)
    q, v = laws[0].tree.start()[0], rng.normal(size=nv)
    q[-n:] = rng.uniform(0.3, 1.2, n) * (-1.0) ** np.arange(n)
    drives = [law.drives(q, v, t) for law in laws]
    found = [end_acceleration(laws[0], q, v, bare(dimension, n, floats)(q, v, tau)) for tau in drives]
    rows = [3, 4, 2][: 2 + kind[1]] if dimension == 2 else [3, 4, 5, 0, 1, 2][: 3 + 3 * kind[1]]
    e, rate = laws[0].errors(q, v, t)
    ahead = laws[0]._errors(q, v, t)[2]
    size = 1.0 + np.abs(ahead).max() + 40.0 * np.abs(e).max() + 9.0 * np.abs(rate).max()
    for one in found:
        assert np.abs(ahead - one[rows] + 9.0 * rate + 40.0 * e).max() < 1e-9 * size
    assert np.abs((found[1] - found[0])[rows]).max() < 1e-10 * size
    assert np.abs(drives[1] - drives[0]).max() > 1e-3
    assert np.count_nonzero(drives[0]) == n


@given(bend=st.floats(0.3, 2.8), turned=st.floats(-3.0, 3.0))
def test_the_inertia_at_the_hand_of_two_links(bend, turned):
    """Point masses at elbow and hand: along the last link m2 + m1/sin² of the bend, across it m2 (Craig, 2005)."""
    m = fm.PlanarModel("arm")
    upper = m.add_body("upper", mass=2.0, inertia=1e-12, position=(0.7, 0))
    fore = m.add_body("fore", mass=3.0, inertia=1e-12, position=(1.2, 0))
    m.joint_force(m.revolute(m.ground, upper.attach("a", (-0.7, 0)), name="shoulder"), 0.0)
    m.joint_force(m.revolute(upper.frame, fore.attach("b", (-0.5, 0)), name="elbow"), 0.0)
    law = fm.control.OperationalSpace(m, "fore", (0, 0), Gains(1.0, 1.0))
    c, s = np.cos(turned + bend), np.sin(turned + bend)
    R = np.array([[c, -s], [s, c]])
    wanted = R @ np.diag([3.0 + 2.0 / np.sin(bend) ** 2, 3.0]) @ R.T
    assert law.inertia([turned, bend]) == pytest.approx(wanted, rel=1e-8, abs=1e-8)


def test_held_torques_leave_an_error_of_the_first_order():
    """Against the closed form of ë + 2 ω ė + ω² e = 0 from e(0) = (0.1, −0.05) m at rest."""
    model, omega, worst, away = arm(2, 3), 8.0, [], np.array([0.1, -0.05])
    start = model.frames["link 2.b 2"].position
    swing = 0.05 * fm.Harmonic(1.0, 4.0, phase=0.5 * np.pi) - 0.05
    for period in (4e-3, 2e-3):
        plant = arm(2, 3)
        law = fm.control.OperationalSpace(model, "link 2.b 2", [x + swing for x in start + away], Gains.of(omega))
        law.control(plant, period=period)
        run = fm.simulate(plant, 0.8, tolerance=1e-8, progress=False)
        exact = away * ((1.0 + omega * run.t) * np.exp(-omega * run.t))[:, None]
        wanted = np.column_stack([f(run.t) for f in law.wanted])
        worst.append(np.abs(wanted - run["link 2.b 2"].position - exact).max())
    assert worst[1] < 2e-3
    assert np.log2(worst[0] / worst[1]) == pytest.approx(1.0, abs=0.1)


def test_a_held_end_is_a_virtual_loop():
    """With K_p = α² and K_d = 2 α a task that holds a pose is a loop that a weld closes, with all errors. In the null
    space the loop moves freely, under its springs: τ₀ is their torque less that of the speeds."""
    chain, alpha = four_links.chain(), 25.0
    loop = fm.control.VirtualLoop(chain, four_links.four_bar(), stabilization=alpha)
    end = chain.frames["link 4.end 4"]
    weightless = fm.PlanarModel("weightless")
    four_links.links(weightless, four_links.FOUR_BAR, motors=False)
    dynamics = fm.TreeDynamics(weightless)

    def torques(q: np.ndarray, v: np.ndarray, t: float) -> np.ndarray:
        pull = four_links.TURNING * (0.5 * np.pi - four_links.LEVEL - q[0]) - four_links.TURNING * v[0]
        return np.array([pull, 0.0, 0.0, 0.0]) - dynamics.bias(q, v)

    law = fm.control.OperationalSpace(
        chain, end, end.position, Gains(alpha**2, 2.0 * alpha), rotation=end.angle, posture_gains=Gains(0.0, 0.0),
        torques=torques,
    )  # fmt: skip
    rng = np.random.default_rng(5)
    for size in (0.0, 1.0):
        q, v = law.tree.start()[0] + 0.05 * size * rng.normal(size=4), size * rng.normal(size=4)
        assert law.accelerations(q, v) == pytest.approx(loop.accelerations(q, v), rel=1e-8, abs=1e-8)
        assert law.drives(q, v) == pytest.approx(loop.drives(q, v), rel=1e-8, abs=1e-8)


def test_singular_positions_are_refused_by_name_or_damped():
    def law(**options):
        return fm.control.OperationalSpace(arm(2, 2), "link 1.b 1", (2.0, 0.0), Gains(1.0, 1.0), **options)

    with pytest.raises(fm.errors.ControlError, match=r"for the task of 'link 1\.b 1': the smallest singular value is"):
        law().accelerations([0.3, 0.0], [0.0, 0.0])
    with pytest.raises(fm.errors.ControlError, match="singular for the task"):
        law(damped=True).inertia([0.3, 0.0])
    damped = law(damped=True)
    stretched = damped.accelerations([0.0, 0.0], [0.0, 0.0])  # it is asked to reach outwards, which it cannot
    assert np.abs(stretched).max() < 1e-6
    # across the arm, in which it is not singular, it does what it is asked to
    up = fm.control.OperationalSpace(arm(2, 2), "link 1.b 1", (1.0, 0.1), Gains(1.0, 1.0), damped=True)
    found = end_acceleration(up, [0, 0], [0, 0], bare(2, 2)([0, 0], [0, 0], up.drives([0, 0], [0, 0])))
    assert found[4] == pytest.approx(0.1, abs=1e-10)
    # continuous where the damping begins, and as without it outside
    size = [np.abs(damped.accelerations([0.0, b], [0.0, 0.0])).max() for b in np.geomspace(1e-4, 0.1, 1000)]
    assert np.abs(np.diff(size)).max() < 0.01 * max(size)
    assert law().accelerations([0.0, 1.0], [0.1, 0.2]) == pytest.approx(damped.accelerations([0.0, 1.0], [0.1, 0.2]))


@pytest.mark.parametrize("dimension", [2, 3])
def test_the_end_follows_that_of_a_run(dimension, tmp_path):
    links = 3 if dimension == 2 else 6
    free, end = arm(dimension, links), f"link {links - 1}.b {links - 1}"
    run = fm.simulate(free, 0.2, tolerance=1e-9, progress=False)
    saved = fm.load(run.save(tmp_path / "swing.h5"))
    tree, t = fm.Tree.of(arm(dimension, links, motors=False)), 0.123
    for solution in (run, saved):
        law = fm.control.OperationalSpace(arm(dimension, links), end, solution, Gains(9.0, 6.0), rotation=solution)
        state = fm.control.ComputedTorque(arm(dimension, links), run, Gains(1.0, 1.0))
        q, v = (np.array([getattr(f, what)(t) for f in state.wanted]) for what in ("__call__", "rate"))
        e, rate = law.errors(q, v, t)
        assert e == pytest.approx(np.zeros(len(e)), abs=1e-6)
        assert rate == pytest.approx(np.zeros(len(e)), abs=1e-3)
        assert law.drives(q, v, t) == pytest.approx(np.zeros(tree.nv), abs=0.3)  # it fell without torques


def test_a_pose_in_space_is_reached():
    chain, plant = arm(3, 7, bend=0.9), arm(3, 7, bend=0.9)
    start = chain.frames["link 6.b 6"]
    place, turn = start.position + [0.05, -0.1, 0.08], start.orientation * fm.rotation_vector((0.0, 0.0, 0.3))
    law = fm.control.OperationalSpace(chain, start, place, Gains.of(9.0), rotation=turn)
    law.control(plant, period=4e-3)
    run = fm.simulate(plant, 1.5, tolerance=1e-6, progress=False)
    track = run["link 6.b 6"]
    assert track.position[-1] == pytest.approx(place, abs=1e-4)
    assert abs(np.dot(track.euler_parameters[-1], turn.as_quat(scalar_first=True))) == pytest.approx(1.0, abs=1e-8)


def test_wrong_input_is_refused():
    error, good = fm.errors.ControlError, Gains.of(5.0)

    def law(*given, links=3, **options):
        return fm.control.OperationalSpace(arm(2, links), *given, **options)

    with pytest.raises(fm.errors.NamingError, match="no frame 'hand'"):
        law("hand", (0, 0), good)
    with pytest.raises(fm.FlexmbError, match="7 is not a frame"):
        law(7, (0, 0), good)
    with pytest.raises(fm.errors.FormulationError, match="no frame of this model"):
        law(arm(2, 3).frames["link 1"], (0, 0), good)
    with pytest.raises(error, match="is fixed to the ground"):
        law("ground", (0, 0), good)
    soft = fm.PlanarModel("soft")
    given = fm.planar.BeamProperties(EA=1e4, EI=10.0, rhoA=0.5)
    rod = soft.add_beam("rod", (0, 0), (1, 0), properties=given)
    soft.joint_force(soft.revolute(soft.ground, rod.start, name="hinge"), 0.0)
    with pytest.raises(fm.errors.FormulationError, match="a place along a beam"):
        fm.control.OperationalSpace(soft, rod.at(0.4), (0, 0), good)
    with pytest.raises(error, match="wanted has 3 functions of time; the position of 'link 1' has 2 components"):
        law("link 1", (0, 0, 0), good)
    with pytest.raises(error, match="the task has 3 rows, and actuators move 2 joints"):
        law("link 1", (0, 0), good, rotation=0.0, links=2)
    with pytest.raises(error, match="the null space has dimension zero"):
        law("link 1", (0, 0), good, links=2, posture=[0.0, 0.0], posture_gains=good)
    with pytest.raises(error, match="singular is 2; give a part of the largest"):
        law("link 2", (0, 0), good, singular=2.0)
    with pytest.raises(error, match="pull by their position to a posture"):
        law("link 2", (0, 0), good, posture_gains=good)
    with pytest.raises(error, match="a posture wants posture_gains"):
        law("link 2", (0, 0), good, posture=[0.0, 0.0, 0.0])
    with pytest.raises(error, match=r"give a function τ\(q, v, t\)"):
        law("link 2", (0, 0), good, torques=[0.0, 0.0, 0.0])
    with pytest.raises(error, match="there are 2 errors"):
        law("link 2", (0, 0), Gains([1.0, 1.0, 1.0], 1.0))
    with pytest.raises(error, match="times and sequence are those of"):
        law("link 2", (0, 0), good, sequence="ZYX")
    with pytest.raises(error, match="has no frame 'link 2'"):
        law("link 2", fm.simulate(arm(2, 1), 0.1, progress=False), good)
    with pytest.raises(error, match="has one time; give a run"):
        law("link 2", fm.Tree.of(arm(2, 3)).state([0.1, 0.2, 0.3]).solution, good)
