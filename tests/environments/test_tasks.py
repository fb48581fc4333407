"""Tasks of control: what is refused, by name."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import flexmb as fm
from tests.environments.wheels import wheel

pytest.importorskip("gymnasium")


@pytest.mark.parametrize(
    "given, words",
    [
        ({"commands": {"engine": (-1, 1)}}, "'engine'"),
        ({"commands": {"motor": (1, -1)}}, "command of 'motor'"),
        ({"commands": {"motor": 1.0}}, "command of 'motor'"),
        ({"commands": {}}, "nothing to command"),
        ({"period": 0.0}, "period is 0"),
        ({"period": -0.1}, "period is -0.1"),
        ({"duration": 0.25}, "whole periods"),
        ({"reward": 1.0}, "reward is 1.0"),
        ({"terminated": "never"}, "terminated is 'never'"),
        ({"observations": ["axle.angle", "axle.angle"]}, "axle.angle"),
        ({"observations": [3.0]}, "3.0"),
        ({"observations": {"axle.angle": (1, 1)}}, "range of 'axle.angle'"),
        ({"noise": {"axle.rats": 0.1}}, "axle.rats"),
        ({"noise": {"axle.rate": -0.1}}, "noise of 'axle.rate'"),
        ({"initial": {"axel.angle": 0.0}}, "axel.angle"),
        ({"initial": {"axle.angle": (1, 0)}}, "initial of 'axle.angle'"),
        ({"targets": {"goal": "far"}}, "targets of 'goal'"),
        ({"delay": -0.1}, "delay"),
        ({"marks": ["goal.x"]}, "goal.x"),
        ({"scaled": 1}, "scaled"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(given, words):
    with pytest.raises(fm.FlexmbError, match=words):
        wheel(**given)


def test_a_component_that_a_controller_commands_is_not_commanded_again():
    task = wheel()
    m = task.model
    rate = fm.control.RelativeRate(m.ground, m.frame("wheel"))
    m.add_controller("brake", period=0.1, sensors=rate, commands="motor", law=[[-1.0]])
    with pytest.raises(fm.FlexmbError, match="brake"):
        fm.environments.Task(
            model=m, commands={"motor": (-1, 1)}, observations=["axle.angle"], period=0.1, reward=lambda now: now.t
        )


@pytest.mark.parametrize(
    "given, words",
    [
        ({"observations": ["axle.angel"]}, "axle.angel"),
        ({"measured": ["nothing.x"]}, "nothing.x"),
        ({"method": "magic"}, "magic"),
        ({"method": "cvode", "options": {}}, "magic|marches in Python|cvode"),
        ({"options": {"stepp": 0.1}}, "stepp"),
        (
            {"observations": ["axle.fx"], "options": {"step": 0.05, "formulation": "aba"}},
            "force of a joint",
        ),
    ],
)
def test_what_cannot_be_bound_is_refused_by_name(given, words):
    with pytest.raises(fm.FlexmbError, match=words):
        fm.environments.VectorEnv(wheel(**given), 2)


def test_events_are_refused_and_say_what_to_do():
    task = wheel()
    task.model.add_event(0.5, fm.Note())
    with pytest.raises(fm.FlexmbError, match=r"it has events.*Simulator"):
        fm.environments.Env(task)


@pytest.mark.parametrize("given, words", [({"threads": 0}, "threads"), ({"num_envs": 0}, "num_envs")])
def test_counts(given, words):
    with pytest.raises(fm.FlexmbError, match=words):
        fm.environments.VectorEnv(wheel(), **{"num_envs": 2, **given})
    with pytest.raises(fm.FlexmbError, match="autoreset_mode"):
        fm.environments.VectorEnv(wheel(), autoreset_mode="Sometimes")
    with pytest.raises(fm.FlexmbError, match="render_mode"):
        fm.environments.Env(wheel(), render_mode="human")
    with pytest.raises(fm.FlexmbError, match="is not a task"):
        fm.environments.Env(task := wheel().model)  # noqa: F841


def test_actions_and_the_order_of_calls():
    env, envs = fm.environments.Env(wheel()), fm.environments.VectorEnv(wheel(), 3, autoreset_mode="Disabled")
    with pytest.raises(fm.FlexmbError, match="step before reset"):
        env.step([1.0])
    with pytest.raises(fm.FlexmbError, match="step before reset"):
        envs.step(np.zeros((3, 1)))
    with pytest.raises(fm.FlexmbError, match="have not begun"):
        envs.reset(options={"reset_mask": np.array([True, False, False])})
    env.reset(seed=1)
    envs.reset(seed=1)
    with pytest.raises(fm.FlexmbError, match=r"shape \(1,\), commands of motor, and this one \(2,\)"):
        env.step([1.0, 2.0])
    with pytest.raises(fm.FlexmbError, match=r"shape \(3, 1\)"):
        envs.step(np.zeros((2, 1)))
    with pytest.raises(fm.FlexmbError, match="'motor' is nan"):
        env.step([np.nan])
    with pytest.raises(fm.FlexmbError, match="of member 1 for 'motor' is inf"):
        envs.step([[0.0], [np.inf], [0.0]])
    for mask in (np.ones(2, dtype=bool), np.zeros(3, dtype=bool), np.ones(3)):
        with pytest.raises(fm.FlexmbError, match="reset_mask"):
            envs.reset(options={"reset_mask": mask})
    with pytest.raises(fm.FlexmbError, match="seeds for 3 members"):
        envs.reset(seed=[1, 2])
    for _ in range(10):
        *_, over, _ = env.step([0.0])
        envs.step(np.zeros((3, 1)))
    assert over
    with pytest.raises(fm.FlexmbError, match=r"reset\(\)"):
        env.step([0.0])
    with pytest.raises(fm.FlexmbError, match=r"\[0, 1, 2\] have ended"):
        envs.step(np.zeros((3, 1)))


def test_a_model_that_has_changed_is_refused():
    env = fm.environments.Env(wheel())
    env.reset()
    env.task.model.components["wheel"].mass = 3.0
    with pytest.raises(fm.FlexmbError, match=r"'wheel'.* has changed since the environment was made"):
        env.reset()


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_a_model_that_has_changed_is_refused_where_the_next_episode_begins_by_itself(mode):
    envs = fm.environments.VectorEnv(wheel(duration=0.2), 2, autoreset_mode=mode)
    envs.reset(seed=0)
    envs.step(np.zeros((2, 1)))
    envs.task.model.components["wheel"].mass = 3.0
    with pytest.raises(fm.FlexmbError, match=r"'wheel'.* has changed since the environment was made"):
        for _ in range(2):
            envs.step(np.zeros((2, 1)))


def test_without_gymnasium_the_room_says_what_to_install():
    code = (
        "import sys; sys.modules['gymnasium'] = None\nimport flexmb as fm\nfm.environments.Task\n"
        "try:\n    fm.environments.Env\nexcept fm.errors.MissingExtraError as error:\n    print(error)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "pip install 'flexmb[gym]'" in said


@pytest.mark.parametrize(
    "reward, words",
    [
        (lambda now: now["axle.angel"], "axle.angel"),
        (lambda now: 1.0, "one number for each"),
        (lambda now: "good", "returned 'good'"),
        (lambda now: np.full(len(now.t), np.nan), "member 0 is nan"),
    ],
)
def test_rewards_that_do_not_fit(reward, words):
    env = fm.environments.Env(wheel(reward=reward))
    env.reset()
    with pytest.raises(fm.FlexmbError, match=words):
        env.step([0.0])
