"""Inverse kinematics of arms and of a parallel robot, and a path that is followed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.validation.references.drives import arm_kinematics as reference
from flexmb.validation.registry import Check, case

TARGETS, AROUND = 1000, 0.5
#: a target this near to a singular place has no distinct solutions: sine of the angles of elbow and wrist
DISTINCT = 0.1
POSES = 1000
BASES = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.9]])
CORNERS = np.array([[-0.12, -0.07], [0.12, -0.07], [0.0, 0.14]])
LEGS = 0.45, 0.4


def arm(name: str, **options: Any) -> fm.Robot:
    """An arm by its table."""
    own = reference.ARMS[name]
    convention = "proximal" if own.modified else "distal"
    return fm.denavit_hartenberg(own.table, convention=convention, tool=own.tool, name=name, **options)


def heavy_arm(**options: Any) -> fm.Robot:
    """The arm with a spherical wrist, with masses."""
    link = fm.spatial.ArmLink(mass=2.0, center=(-0.1, 0.02, 0.05), inertia=(0.02, 0.05, 0.04))
    return arm("spherical wrist", links=[link] * 6, **options)


def targets(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Joint angles (k, n), the poses (k, 4, 4) that they give by the reference, and starts near them."""
    own, rng = reference.ARMS[name], np.random.default_rng(5)
    q = rng.uniform(-2.5, 2.5, (TARGETS, len(own.table)))
    if name == "spherical wrist":
        q[:, 2] = reference.HALF + rng.choice([-1, 1], TARGETS) * rng.uniform(0.4, 2.4, TARGETS)
        q[:, 4] = rng.choice([-1, 1], TARGETS) * rng.uniform(0.4, 2.4, TARGETS)
    return q, np.array([reference.forward(own, x) for x in q]), q + rng.uniform(-AROUND, AROUND, q.shape)


def wanted(poses: np.ndarray) -> dict[str, Any]:
    return {"tool": (poses[:, :3, 3], Rotation.from_matrix(poses[:, :3, :3]))}


def off(T: np.ndarray, wanted: np.ndarray) -> float:
    """Distance of a pose from another [m or rad], whichever is more."""
    turn = Rotation.from_matrix(T[:3, :3].T @ wanted[:3, :3]).magnitude()
    return max(float(np.linalg.norm(T[:3, 3] - wanted[:3, 3])), float(turn))


def parallel_robot() -> fm.PlanarModel:
    """A platform on three legs of two links each."""
    model = fm.PlanarModel("parallel robot")
    pose = 0.5, 0.3, 0.1
    platform = model.add_body("platform", mass=1.0, inertia=0.02, position=pose[:2], angle=pose[2])
    for k, ((first, second), base) in enumerate(zip(reference.parallel_robot(*pose, BASES, CORNERS, LEGS), BASES)):
        a, b = LEGS
        elbow = base + a * np.array([np.cos(first), np.sin(first)])
        end = elbow + b * np.array([np.cos(second), np.sin(second)])
        upper = model.add_body(f"upper {k}", mass=1.0, inertia=0.01, position=0.5 * (base + elbow), angle=first)
        lower = model.add_body(f"lower {k}", mass=1.0, inertia=0.01, position=0.5 * (elbow + end), angle=second)
        foot = model.add_frame(f"base {k}", tuple(base), fixed=True)
        model.revolute(foot, upper.attach("foot", (-0.5 * a, 0)), name=f"motor {k}")
        model.revolute(upper.attach("top", (0.5 * a, 0)), lower.attach("foot", (-0.5 * b, 0)), name=f"elbow {k}")
        model.revolute(
            lower.attach("top", (0.5 * b, 0)), platform.attach(f"corner {k}", tuple(CORNERS[k])), name=f"tip {k}"
        )
    return model


@case("inverse-kinematics", draw=parallel_robot)
def compute() -> Iterator[Check]:
    """joint angles of UR5, Panda and a wrist for 1000 poses each, of a parallel robot, and a path with its torques"""
    for name in reference.ARMS:
        _, poses, near = targets(name)
        found = fm.inverse_kinematics(arm(name), wanted(poses), near=near)
        by = "forward kinematics by products of Denavit–Hartenberg matrices"
        missed = max(off(reference.forward(reference.ARMS[name], x), T) for x, T in zip(found.joint_coordinates, poses))
        yield Check(f"{name}: poses found of {TARGETS}", float(found.reached.sum()), TARGETS, 0.0, by, "each has one")
        yield Check(f"{name}: largest error of a pose [m or rad]", missed, 0.0, 1e-10, by, "where the search ends")
        if name == "spherical wrist":
            errors = [
                np.min(np.max(np.abs(np.angle(np.exp(1j * (reference.inverse(T) - x)))), axis=1))
                for x, T in zip(found.joint_coordinates, poses)
                if abs(np.sin(x[4])) > DISTINCT and abs(np.cos(x[2])) > DISTINCT
            ]
            yield Check(
                "spherical wrist: largest distance from a solution in closed form [rad]", float(max(errors)), 0.0, 1e-9,
                "Pieper (1968): all eight solutions", "errors of the poses, over the sine of elbow and wrist",
            )  # fmt: skip
    yield from _parallel()
    yield from _path()


def _parallel() -> Iterator[Check]:
    """The legs of the parallel robot by the law of cosines."""
    model, rng = parallel_robot(), np.random.default_rng(1)
    loops, errors, opened = fm.Loops(model), [], []
    for _ in range(20):
        pose = 0.5 + rng.uniform(-0.06, 0.06), 0.3 + rng.uniform(-0.06, 0.06), rng.uniform(-0.3, 0.3)
        found = fm.inverse_kinematics(model, {"platform": pose})
        exact = reference.parallel_robot(*pose, BASES, CORNERS, LEGS)
        errors += [
            abs(found[f"{part} {k}"].angle - exact[k, i]) for k in range(3) for i, part in enumerate(("upper", "lower"))
        ]
        opened.append(float(np.max(np.abs(loops.at(found.joint_coordinates).g))))
    yield Check(
        "parallel robot: largest error of an angle of its legs [rad]", max(errors), 0.0, 1e-10,
        "law of cosines for each leg", "where the search ends",
    )  # fmt: skip
    yield Check(
        "parallel robot: its loops are open by [model lengths]", max(opened), 0.0, 1e-10, "closed loops", "the same"
    )


def _path() -> Iterator[Check]:
    """A measured path of the hand, by known joint angles, and the torques that it needs."""
    robot, own = heavy_arm(), reference.ARMS["spherical wrist"]
    times = np.linspace(0.0, 2.0, POSES)
    q = np.array([0.3, 0.6, 2.4, 0.4, 0.9, 0.2]) + 0.3 * np.sin(times[:, None] * [1.0, 1.3, 0.8, 1.1, 0.9, 1.2])
    poses = np.array([reference.forward(own, x) for x in q])
    motion = fm.joint_motion(robot, wanted(poses), times, near=q[0] + 0.2)
    yield Check(
        f"path of {POSES} poses: largest error of a joint angle [rad]",
        float(np.abs(motion.joint_coordinates - q).max()), 0.0, 1e-10,
        "the joint angles that gave the path", "where the search ends",
    )  # fmt: skip
    driven = heavy_arm(positions={name: float(x[0]) for name, x in motion.positions.items()})
    for name in driven.joints:
        driven.drive(name, motion.functions[name])
    run = fm.kinematics(driven, times=np.linspace(0.0, 2.0, 21))
    torques, asked = driven.efforts(run), motion.drives(run.t)
    size = max(float(np.abs(x).max()) for x in torques.values())
    worst = max(float(np.abs(torques[name] - asked[name]).max()) for name in torques)
    yield Check(
        "path: largest difference of a torque of the inverse dynamics, part of the largest",
        worst / size,
        0.0,
        1e-9,
        "joint forces of the drives of a kinematic run in absolute coordinates",
        "rounding of both",
    )
