r"""
Learned policy
==============

*A policy that feels the links bend learns to stop them*

The tip of the flexible arm of ``flexmb.examples.two_link_arm`` shall come to a point and rest there. Every 20 ms both
motors get a torque that is linear in what is observed: how far the joints are from the angles that belong to the point,
how fast they turn, and the curvatures at the roots of the links, as strain gauges measure them.

The weights are found by the cross-entropy method: of twenty policies, each tried on three points, the best five say
around which the next are drawn. First only the weights of joint control may differ from zero, then all.
"""

import matplotlib.pyplot as plt
import numpy as np

import flexmb as fm
from flexmb.examples.two_link_arm import environment as arm

POLICIES, POINTS, BEST = 20, 3, 5
envs = fm.environments.VectorEnv(arm.task(), POLICIES * POINTS, threads=2, autoreset_mode="Disabled")
SCALES = np.array([1.0, 1.0, 0.3, 0.3, 0.3, 0.3])


def errors(observed):
    """What policies see: errors and rates of both joints, and curvatures."""
    shoulder, elbow = arm.joint_angles(observed[:, 6], observed[:, 7])
    return np.column_stack([shoulder - observed[:, 0], elbow - observed[:, 1], observed[:, 2:6]]) * SCALES


def rewards(weights, seeds):
    """The sum of rewards of each member with its own weights (N, 2, 6), and the distances of all tips on the way."""
    observed, _ = envs.reset(seed=seeds)
    total = np.zeros(len(weights))
    for _ in range(envs.task.periods):
        torques = np.einsum("nij,nj->ni", weights, errors(observed))
        observed, reward, *_ = envs.step(np.clip(torques, -1.0, 1.0))
        total += reward
    return total


def learn(mean, free, generations, rng):
    """The cross-entropy method; weights that are not `free` stay zero."""
    spread = 0.5 * free
    for generation in range(generations):
        tried = mean + spread * rng.standard_normal((POLICIES, 2, 6))
        seeds = [1000 * generation + k for k in range(POINTS)] * POLICIES
        scores = rewards(np.repeat(tried, POINTS, axis=0), seeds).reshape(POLICIES, POINTS).mean(axis=1)
        best = tried[np.argsort(-scores)[:BEST]]
        mean, spread = 0.3 * mean + 0.7 * best.mean(axis=0), 0.3 * spread + 0.7 * best.std(axis=0) + 0.03 * free
    return mean


rng = np.random.default_rng(0)
joints = np.array([[1.0, 0, 1, 0, 0, 0], [0, 1, 0, 1, 0, 0]])
alone = learn(joints * [1.0, 1, -0.5, -0.5, 0, 0], joints, 16, rng)
learned = learn(alone, np.ones((2, 6)), 30, rng)

count = envs.num_envs
unseen = [100_000 + k for k in range(count)]
by_joints, by_all = (rewards(np.tile(w, (count, 1, 1)), unseen).mean() for w in (alone, learned))
print(f"mean sum of rewards at {count} points not seen before: joint control {by_joints:.2f}, learned {by_all:.2f}")
assert by_all > by_joints + 0.3

# %%
# Both policies go into the model as sampled controllers, and the run is one like any other: with its film.

GOAL = np.array([0.5, 0.15])
shoulder, elbow = (float(x) for x in arm.joint_angles(*GOAL))
names = [
    "shoulder.angle",
    "elbow hinge.angle",
    "shoulder.rate",
    "elbow hinge.rate",
    "link1@0.curvature",
    "link2@0.curvature",
]


def run(weights):
    model = arm.task().model
    sensors = [fm.control.NamedQuantity(model, name) for name in names]
    wanted = [fm.control.Reference(fm.Constant(x), name=f"wanted {k}") for k, x in enumerate((shoulder, elbow))]
    torques = weights * SCALES * np.array(arm.TORQUES)[:, None]
    gains = np.column_stack([-torques[:, :2], torques[:, 2:], torques[:, :2]])
    model.add_controller(
        "policy", period=arm.CONTROL_PERIOD, sensors=[*sensors, *wanted], commands=["shoulder motor", "elbow motor"],
        law=gains, limits=np.array([[-x, x] for x in arm.TORQUES]),
    )  # fmt: skip
    return fm.simulate(model, arm.DURATION, step=2e-3, progress=False)


figure, ax = plt.subplots(layout="constrained")
for weights, label in ((alone, "joint control"), (learned, "learned, with curvatures")):
    solution = run(weights)
    distance = np.linalg.norm(solution["tip"].position - GOAL, axis=1)
    ax.semilogy(solution.t, 1e3 * distance, label=label)
ax.set(xlabel="t [s]", ylabel="distance of the tip from the point [mm]")
ax.legend(frameon=False)

# sphinx_gallery_thumbnail_number = 2

solution.at(np.linspace(0.0, arm.DURATION, 61)).animate("learned.gif", fps=20, trails=["tip"])
