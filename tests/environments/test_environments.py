"""Environments against closed forms, single runs, gymnasium's own checks, and each other."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numba import njit

import flexmb as fm
from flexmb.examples.two_link_arm import environment as flexible_arm
from flexmb.validation.learning import rigid_arm
from tests.environments.wheels import wheel

gymnasium = pytest.importorskip("gymnasium")
check_env = pytest.importorskip("gymnasium.utils.env_checker").check_env

ARMS = pytest.mark.parametrize("arm", [rigid_arm, flexible_arm], ids=["rigid", "flexible"])


@pytest.mark.parametrize("formulation", [None, "aba"])
@pytest.mark.parametrize("delay", [0.0, 0.03, 0.1, 0.25])
def test_commands_are_held_and_delayed(delay, formulation):
    """Each command u acts for a period T from its instant t + d on: then θ = ∫∫ u/I."""
    options = {"step": 0.05} if formulation is None else {"step": 0.05, "formulation": formulation}
    env = fm.environments.Env(wheel(delay=delay, options=options))
    env.reset()
    rng, given, T = np.random.default_rng(1), [], 0.1
    for k in range(8):
        given.append(float(rng.uniform(-6, 6)))
        seen, *_ = env.step([given[-1]])
        angle = rate = 0.0
        for j, u in enumerate(given):
            a = np.clip(u, -4.0, 4.0) / 2.0
            begin, end, now = j * T + delay, (j + 1) * T + delay, (k + 1) * T
            held = max(0.0, min(now, end) - begin)
            rate += a * held
            angle += 0.5 * a * held**2 + a * held * max(0.0, now - end)
        np.testing.assert_allclose(seen, [angle, rate], atol=1e-12)


@ARMS
def test_a_period_is_a_step_of_a_simulator(arm):
    # generalized-α begins each step of a simulator with an acceleration of its own: in the task's steps of 4 ms the
    # elbow's rate differs by 1.5e-4, in those of 1 ms by 1.4e-6, and less in shorter ones
    env = fm.environments.Env(arm.task() if arm is rigid_arm else arm.task(options={"step": 1e-3}))
    seen, _ = env.reset(seed=3)
    task = env.task
    simulator = fm.Simulator(task.model, task.method, **task.options)
    if task.initial:
        simulator.state = fm.Tree.of(task.model).state(seen[:7], np.zeros(7))
    rng, most = np.random.default_rng(0), np.array(list(task.limits.values()))[:, 1]
    for _ in range(10):
        action = rng.uniform(-0.1, 0.1, len(most))
        seen, *_ = env.step(action)
        state = simulator.step(task.period, dict(zip(task.limits, action * most)))
        wanted = [state[name] for name in task.names[: len(task.ranges)]]
        np.testing.assert_allclose(seen[: len(wanted)], wanted, atol=1e-12 if arm is rigid_arm else 1e-5)


@pytest.mark.parametrize("name", ["flexmb/TwoLinkArm-v0", "flexmb/RigidArm-v0"])
def test_gymnasium_finds_no_fault(name):
    assert fm.environments.Env is not None  # the room registers them
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(name).unwrapped
        check_env(env)
        env.close()
        envs = gymnasium.make_vec(name, 2, vectorization_mode="vector_entry_point")
        assert envs.reset(seed=0)[0].shape == (2, *envs.single_observation_space.shape)
        envs.close()


@ARMS
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("threads", [1, 2])
def test_many_are_as_many_single_ones_to_the_bit(arm, mode, threads):
    given = {"duration": 0.1, "delay": (0.0, 0.03), "noise": {_first(arm): 0.01}}
    modes = gymnasium.vector.AutoresetMode
    single = gymnasium.vector.SyncVectorEnv(
        [lambda: fm.environments.Env(arm.task(**given))] * 3, autoreset_mode=modes(mode)
    )
    many = fm.environments.VectorEnv(arm.task(**given), 3, threads=threads, autoreset_mode=mode)
    (one, about), (other, said) = single.reset(seed=5), many.reset(seed=5)
    np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(about["drawn"]["delay"], said["drawn"]["delay"])
    single.action_space.seed(1)
    for _ in range(14):
        action = single.action_space.sample()
        *wanted, about = single.step(action)
        *got, said = many.step(action)
        for x, y in zip(wanted, got):
            np.testing.assert_array_equal(x, y)
        assert set(about) == set(said)
        for key in ("final_obs", "_final_obs"):
            for x, y in zip(about.get(key, ()), said.get(key, ())):
                np.testing.assert_array_equal(x, y)


def _first(arm):
    return arm.task().seen[0]


@ARMS
def test_a_masked_reset_leaves_the_others_as_they_are(arm):
    one, other = (fm.environments.VectorEnv(arm.task(), 3, autoreset_mode="Disabled") for _ in range(2))
    for envs in (one, other):
        envs.reset(seed=2)
    rng = np.random.default_rng(0)
    actions = rng.uniform(-0.2, 0.2, (6, *one.action_space.shape))
    for k, action in enumerate(actions):
        seen, _, _, cut, _ = one.step(action)
        alike, *_ = other.step(action)
        np.testing.assert_array_equal(seen[[0, 2]], alike[[0, 2]])
        assert not cut.any()
        if k == 2:
            before = seen
            seen, _ = one.reset(options={"reset_mask": np.array([False, True, False])})
            np.testing.assert_array_equal(seen[[0, 2]], before[[0, 2]])
            assert not np.array_equal(seen[1], before[1])


def test_rewards_and_ends_compiled_and_by_numpy_are_the_same():
    @njit
    def reward(values, action, t):
        return -(values[0] ** 2) - 0.1 * action[0] + t

    @njit
    def terminated(values, action, t):
        return abs(values[0]) > 0.02

    def by_numpy(now):
        return -(now["axle.angle"] ** 2) - 0.1 * now.actions[:, 0] + now.t

    given = [
        {"reward": reward, "terminated": terminated},
        {"reward": by_numpy, "terminated": lambda now: abs(now["axle.angle"]) > 0.02},
    ]
    one, other = (fm.environments.VectorEnv(wheel(**x), 2) for x in given)
    for envs in (one, other):
        envs.reset(seed=0)
    ended = False
    for _ in range(6):
        found, wanted = (envs.step([[3.0], [0.5]]) for envs in (one, other))
        np.testing.assert_allclose(found[1], wanted[1], rtol=1e-15)
        np.testing.assert_array_equal(found[2], wanted[2])
        ended = ended or found[2].any()
    assert ended


def test_an_episode_lasts_for_its_duration_and_the_next_begins():
    envs = fm.environments.VectorEnv(wheel(initial={"axle.angle": (-1, 1), "axle.rate": 0.5}), 2)
    first, _ = envs.reset(seed=7)
    np.testing.assert_array_equal(first[:, 1], 0.5)
    cuts = [envs.step(np.zeros((2, 1)))[3].all() for _ in range(10)]
    assert cuts == [False] * 9 + [True]
    seen, rewards, ended, cut, _ = envs.step(np.ones((2, 1)))
    np.testing.assert_array_equal(rewards, 0.0)
    np.testing.assert_array_equal(seen[:, 1], 0.5)
    assert not ended.any() and not cut.any() and not np.array_equal(seen, first)
    np.testing.assert_array_equal(envs.reset(seed=7)[0], first)


def test_noise_is_that_of_a_sensor_and_ranges_saturate():
    envs = fm.environments.VectorEnv(
        wheel(
            observations={"axle.angle": (-np.inf, np.inf), "axle.rate": (-0.1, 0.1)}, noise={"axle.angle": 0.2},
            measured=["wheel.angle"],
        ), 500,
    )  # fmt: skip
    seen, _ = envs.reset(seed=0)
    assert abs(seen[:, 0].mean()) < 4 * 0.2 / np.sqrt(500)
    np.testing.assert_allclose(seen[:, 0].std(), 0.2, rtol=0.15)
    seen, *_ = envs.step(np.full((500, 1), 4.0))
    np.testing.assert_array_equal(seen[:, 1], 0.1)  # the rate is 0.2
    np.testing.assert_allclose(seen[:, 0].mean(), 0.01, atol=4 * 0.2 / np.sqrt(500))


def test_the_noise_of_a_sensor_is_observed_and_differs_from_member_to_member():
    task = wheel()
    sensor = fm.control.RelativeAngle(task.model.ground, task.model.frame("wheel"), noise=0.2)
    given = {
        "model": task.model,
        "commands": task.commands,
        "period": 0.1,
        "method": "rkf45",
        "reward": lambda now: now.t,
    }
    noisy = fm.environments.Task(observations=[sensor], **given)
    envs = fm.environments.VectorEnv(noisy, 400)
    seen, _ = envs.reset(seed=0)
    np.testing.assert_allclose(seen[:, 0].std(), 0.2, rtol=0.15)
    with pytest.raises(fm.FlexmbError, match=r"noise of 'angle of wheel.*is that of its sensor"):
        fm.environments.Task(observations=[sensor], noise={sensor.name: 0.1}, **given)


def test_functions_draw_where_episodes_begin():
    drawn = []

    def angle(rng):
        drawn.append(rng.normal(2.0, 0.1))
        return drawn[-1]

    task = wheel(initial={"axle.angle": angle, "axle.rate": lambda rng: 0.5}, vary={"wheel.inertia": lambda rng: 3.0})
    envs = fm.environments.VectorEnv(task, 3)
    seen, infos = envs.reset(seed=0)
    np.testing.assert_allclose(seen[:, 0], drawn, rtol=1e-12)
    np.testing.assert_array_equal(seen[:, 1], 0.5)
    assert infos["drawn"]["wheel.inertia"].tolist() == [3.0] * 3
    with pytest.raises(fm.FlexmbError, match=r"initial of 'axle.angle' is nan"):
        fm.environments.Env(wheel(initial={"axle.angle": lambda rng: np.nan})).reset(seed=0)


def test_sensors_are_observed_with_their_errors():
    task = wheel()
    m = task.model
    sensor = fm.control.RelativeAngle(m.ground, m.frame("wheel"), bias=0.5, resolution=0.25)
    env = fm.environments.Env(
        fm.environments.Task(
            model=m, commands=task.commands, observations=[sensor], period=0.5, duration=1.0, method="rkf45",
            reward=lambda now: now.values[:, 0],
        )
    )  # fmt: skip
    env.reset()
    seen, reward, *_ = env.step([3.0])  # the angle is 0.1875
    assert seen.tolist() == [0.75]
    np.testing.assert_allclose(reward, 0.1875, rtol=1e-9)


def test_targets_are_drawn_anew_and_observed():
    task = wheel(targets={"goal": (1.0, 2.0), "side": lambda rng: rng.choice([-1.0, 1.0])}, duration=0.2)
    envs = fm.environments.VectorEnv(task, 4, autoreset_mode="SameStep")
    assert envs.single_observation_space.low[2] == 1.0
    first, _ = envs.reset(seed=0)
    assert ((first[:, 2] >= 1) & (first[:, 2] <= 2)).all() and set(first[:, 3]) <= {-1.0, 1.0}
    envs.step(np.zeros((4, 1)))
    seen, _, _, cut, infos = envs.step(np.zeros((4, 1)))
    assert cut.all() and not np.array_equal(seen[:, 2], first[:, 2])
    np.testing.assert_array_equal([x[2] for x in infos["final_obs"]], first[:, 2])


@pytest.mark.parametrize("formulation", [None, "aba"])
def test_parameters_vary_from_episode_to_episode(formulation):
    """An inertia I turns by ½ u t²/I, and the place of a point that is fastened elsewhere is read where it is."""
    options = {"step": 0.05} if formulation is None else {"step": 0.05, "formulation": formulation}
    task = wheel(vary={"wheel.inertia": (1.0, 3.0)}, duration=0.2, options=options)
    envs = fm.environments.VectorEnv(task, 3, threads=2, autoreset_mode="SameStep")
    _, infos = envs.reset(seed=0)
    single = gymnasium.vector.SyncVectorEnv(
        [lambda: fm.environments.Env(task)] * 3, autoreset_mode=gymnasium.vector.AutoresetMode.SAME_STEP
    )
    single.reset(seed=0)
    for _ in range(3):
        inertia = infos["drawn"]["wheel.inertia"]
        assert len(set(inertia)) == 3 and (inertia > 1.0).all() and (inertia < 3.0).all()
        for _ in range(2):
            seen, *_, infos = envs.step(np.full((3, 1), 2.0))
            alike, *_ = single.step(np.full((3, 1), 2.0))
            np.testing.assert_array_equal(seen, alike)
        last = np.array(list(infos["final_obs"]))
        np.testing.assert_allclose(last[:, 0], 0.5 * 2.0 * 0.2**2 / inertia, rtol=1e-12)
        np.testing.assert_array_equal(seen, 0.0)


def test_stiffness_damping_and_payload_of_the_flexible_arm_vary():
    """As a simulator of an arm that was built so."""
    given = {"tip.mass": 1.5, "link1.damping.beta": 1e-3, "link2.properties.EI": 8.0}
    env = fm.environments.Env(flexible_arm.task(vary=given, options={"step": 1e-3}))
    env.reset(seed=0)
    model = flexible_arm.build(elbow_angle=flexible_arm.BEND, tip_mass=1.5).model
    parameters = {name: value for name, value in given.items() if name != "tip.mass"}
    simulator = fm.Simulator(_changed(model, parameters), "generalized_alpha", step=1e-3)
    plain = fm.environments.Env(flexible_arm.task(options={"step": 1e-3}))
    plain.reset(seed=0)
    names = env.task.names[:6]
    for action in ([0.5, -0.5], [0.1, 0.9], [-0.8, 0.2], [0.5, 0.5], [0.5, 0.0], [0.0, -0.5]):
        seen, *_ = env.step(action)
        other, *_ = plain.step(action)
        commands = dict(zip(env.task.limits, np.array(action) * flexible_arm.TORQUES))
        state = simulator.step(env.task.period, commands)
        np.testing.assert_allclose(seen[:6], [state[name] for name in names], rtol=1e-4, atol=5e-6)
    assert np.abs(seen[:6] - other[:6]).max() > 2e-2


def _changed(model, values):
    from flexmb.parameters.names import changed

    return changed(model, values, "test")


@pytest.mark.parametrize(
    "vary, words",
    [({"wheel.mas": 1.0}, "mas"), ({"wheel": 1.0}, "whole part"), ({"wheel.inertia": (-2.0, -1.0)}, "inertia is -")],
)
def test_parameters_that_there_are_not(vary, words):
    with pytest.raises(fm.FlexmbError, match=words):
        fm.environments.Env(wheel(vary=vary)).reset(seed=0)


def test_what_changes_the_structure_is_refused():
    with pytest.raises(fm.FlexmbError, match="link1"):
        fm.environments.Env(flexible_arm.task(vary={"link1.modes": 3})).reset(seed=0)


def test_beams_and_rotors_go_along_where_an_episode_begins_at_a_drawn_angle():
    env = fm.environments.Env(flexible_arm.task(initial={"shoulder.angle": (0.3, 0.9), "shoulder.rate": 0.5}))
    seen, _ = env.reset(seed=4)
    turned = seen[env.task.seen.index("shoulder.angle")]
    assert 0.3 < turned < 0.9
    again, _ = env.reset()
    assert again[env.task.seen.index("shoulder.angle")] != turned
    state = env.task.start_of(env.task.model, {"shoulder.angle": turned, "shoulder.rate": 0.5})
    assert state["energy.strain"] < 1e-20  # a twisted reducer would hold thousands of joules


def two_bodies():
    m = fm.PlanarModel("two bodies", gravity=(0, -9.81))
    a = m.add_body("a", mass=1.0, inertia=0.1, position=(1, 0))
    b = m.add_body("b", mass=0.5, inertia=0.05, position=(2.5, 0))
    root = m.revolute(m.ground, a.attach("root", (-1, 0)), name="root")
    elbow = m.revolute(a.attach("end", (1, 0)), b.attach("start", (-0.5, 0)), name="elbow")
    m.joint_force(root, 0.0, name="motor")
    return m, a, b, elbow


def pulsed():
    m, _, _, elbow = two_bodies()
    m.joint_force(elbow, fm.Pulse(0.0331, 0.002, 30.0), name="push")
    return m


def jumping_at_an_instant():
    m, _, _, elbow = two_bodies()
    m.joint_force(elbow, fm.Step(0.04, 0.0, 5.0), name="push")
    return m


def bristly():
    m, _, _, elbow = two_bodies()
    law = fm.LuGre(stiffness=1e2, damping=5.0, viscous=0.1, coulomb=0.5, static=0.8, stribeck_speed=0.1)
    m.joint_force(elbow, 0.0, friction=law, name="rub")
    return m


def loose():
    m, a, b, _ = two_bodies()
    m.backlash(a.frame, b.frame, gap=0.02, stiffness=200.0, damping=0.5, name="gear")
    return m


def stopped():
    m, _, _, elbow = two_bodies()
    m.joint_stop(elbow, lower=-0.1, upper=0.1, stiffness=100.0, damping=1.0, name="stop")
    return m


def geared():
    m, a, b, _ = two_bodies()
    m.motor(a.frame, b.frame, inertia=1e-3, ratio=3.0, stiffness=50.0, damping=0.5, name="second motor")
    return m


@pytest.mark.parametrize("method", ["rkf45", "euler"])
@pytest.mark.parametrize("build", [pulsed, jumping_at_an_instant, bristly, loose, stopped, geared])
def test_quick_steps_are_those_of_a_simulator(build, method):
    """With forces that jump or remember, and members that share a lane."""
    options = {"step": 5e-3, "formulation": "aba"}
    task = fm.environments.Task(
        model=build(), commands={"motor": (-3, 3)}, observations=["a.x", "b.y", "root.rate", "elbow.rate"],
        period=0.02, duration=1.0, reward=lambda now: -now["a.x"], method=method, options=options,
    )  # fmt: skip
    simulator = fm.Simulator(build(), method, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.errors.AccuracyWarning)  # 5 ms are long for some of them
        envs = fm.environments.VectorEnv(task, 3)
    assert envs._episodes.members.shared
    envs.reset(seed=0)
    rng = np.random.default_rng(1)
    for _ in range(15):
        torques = rng.uniform(-3, 3, (3, 1))
        seen, *_ = envs.step(torques)
        state = simulator.step(task.period, {"motor": torques[0, 0]})
        np.testing.assert_allclose(seen[0], [state[name] for name in task.names], rtol=1e-12, atol=1e-13)


def runaway(**given):
    """A pendulum on a stiff spring, whose steps are far too long: each is many times as far off as the one before."""
    m = fm.PlanarModel("runaway")
    body = m.add_body("wheel", mass=1.0, inertia=1.0)
    m.revolute(m.ground, body.frame, name="axle")
    m.torsion_spring(m.ground, body.frame, stiffness=1e12, name="stiff")
    m.point_torque(body.frame, 0.0, name="motor")
    return fm.environments.Task(
        model=m, commands={"motor": (-1.0, 1.0)}, observations=["axle.angle"], period=0.1, duration=5.0,
        reward=lambda now: np.ones(len(now.t)), method="euler", **given,
    )  # fmt: skip


@pytest.mark.parametrize("options", [{"step": 0.01}, {"step": 0.01, "formulation": "aba"}])
def test_what_diverges_ends_its_episode_alone_and_says_why(options):
    with pytest.warns(fm.errors.AccuracyWarning, match=r"with the highest commands .* steps of 0\.01 s are too long"):
        envs = fm.environments.VectorEnv(runaway(options=options), 3)
    envs.reset(seed=0)
    with_motion = np.array([[0.0], [1.0], [0.0]])
    for _ in range(20):
        seen, rewards, ended, cut, infos = envs.step(with_motion)
        assert np.isfinite(seen).all() and np.isfinite(rewards).all() and not ended.any()
        if cut.any():
            break
    assert cut.tolist() == [False, True, False]
    assert infos["_diverged"].tolist() == [False, True, False] and "no next state" in infos["diverged"][1]
    np.testing.assert_array_equal(seen[[0, 2]], 0.0)
    seen, _, _, cut, _ = envs.step(with_motion)
    assert not cut.any()
    np.testing.assert_array_equal(seen, 0.0)  # and the next one begins as if nothing had happened


def test_pictures_have_one_frame_and_show_the_mechanism():
    env = fm.environments.Env(flexible_arm.task(), render_mode="rgb_array")
    with pytest.raises(fm.FlexmbError, match="render before reset"):
        env.render()
    env.reset(seed=0)
    first = env.render()
    env.step([0.5, -0.5])
    second = env.render()
    assert first.shape == second.shape and first.dtype == np.uint8 and first.ndim == 3
    assert 0.0005 < np.mean(first != second) < 0.2
    envs = fm.environments.VectorEnv(rigid_arm.task(), 2, render_mode="rgb_array")
    envs.reset(seed=0)
    one, other = envs.render()
    assert one.shape == other.shape and not np.array_equal(one, other)
