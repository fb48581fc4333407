"""Robots in joint coordinates against pinocchio: mass matrix, bias, forward and inverse dynamics, Jacobians."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.validation.references import public_robots as reference
from flexmb.validation.registry import Check, case


class Found(NamedTuple):
    """A tree in a state of pinocchio's: its coordinates q and speeds u = T v of those of pinocchio, and Ṫ."""

    tree: fm.Tree
    q: np.ndarray
    v: np.ndarray
    T: np.ndarray
    rate: np.ndarray


def load(name: str) -> fm.Robot:
    """A robot from its file, without losses."""
    path = reference.path_of(name)
    assert path is not None
    return fm.read_urdf(path, meshes=False, losses=False, fixed_base=reference.ROBOTS[name][1])


def bring(name: str, state: dict[str, Any]) -> Found:
    """The tree of a robot, without losses and with joints that mimic others free of them.

    The origin of a free base is the mass center of its link, c from that of the file: u = [R (v + ω × c); ω]."""
    robot = load(name)
    for joint in robot.components.values():
        if isinstance(joint, fm.spatial.Coupling):
            robot.switch_off(joint)
    tree = fm.Tree.of(robot)
    fixed = reference.ROBOTS[name][1]
    q, v = np.array(state["q"]), np.array(state["v"])
    numbers = [tree.names.index(own) for joint in state["joints"] for own in tree.names if own.startswith(f"{joint}.")]
    base = 0 if fixed else 6
    T, rate = np.zeros((2, tree.nv, tree.nv))
    T[numbers, base + np.arange(len(numbers))] = 1.0
    x = np.zeros(tree.nq)
    x[np.array(numbers) + (0 if fixed else 1)] = q[base + (0 if fixed else 1) :]
    if not fixed:
        R, c, w = Rotation.from_quat(q[3:7]).as_matrix(), tree.start()[0][:3], v[3:6]
        arm, spin = _tilde(c), R @ _tilde(w)
        T[:3, :3], T[:3, 3:6], T[3:6, 3:6] = R, -R @ arm, np.eye(3)
        rate[:3, :3], rate[:3, 3:6] = spin, -spin @ arm
        x[:3], x[3:7] = q[:3] + R @ c, q[[6, 3, 4, 5]]
    return Found(tree, x, T @ v, T, rate)


def _tilde(u: np.ndarray) -> np.ndarray:
    return np.cross(np.eye(3), u)


def compare(name: str, state: dict[str, Any]) -> Iterator[tuple[str, float]]:
    """The largest error of each answer, as a part of its largest number."""
    found = bring(name, state)
    dynamics, T, v = fm.TreeDynamics(found.tree), found.T, np.array(state["v"])
    M = dynamics.mass_matrix(found.q)
    lower = np.tril_indices(len(v))
    yield "mass matrix", _error((T.T @ M @ T)[lower], state["mass"])
    pseudo = found.rate @ v  # u̇ = T v̇ + Ṫ v
    bias = T.T @ dynamics.drives(found.q, found.v, pseudo)
    yield "bias", _error(bias, state["bias"])
    wanted = T.T @ dynamics.drives(found.q, found.v, T @ state["vdot"] + pseudo)
    yield "inverse dynamics", _error(wanted, state["rnea"])
    for formulation in ("aba", "lagrange"):
        vdot = fm.formulation(found.tree, formulation)(found.q, found.v, np.linalg.solve(T.T, state["tau"]))
        yield f"forward dynamics, {formulation}", _error(np.linalg.solve(T, vdot - pseudo), state["aba"])
    robot: Any = found.tree.model
    frame = robot.links[state["frame"]]
    J, rate = dynamics.jacobian(frame, found.q), dynamics.jacobian_rate(frame, found.q, found.v)
    for what, mine, theirs in (
        ("Jacobian", J @ T, "jacobian"),
        ("rate of the Jacobian", rate @ T + J @ found.rate, "jacobian_rate"),
    ):
        swapped = mine[[3, 4, 5, 0, 1, 2]]  # pinocchio has linear parts first
        yield f"{what} of {state['frame']!r}", _error(swapped.T.ravel(), state[theirs])


def _error(found: np.ndarray, wanted: Any) -> float:
    wanted = np.array(wanted)
    return float(np.max(np.abs(found - wanted)) / np.max(np.abs(wanted)))


@case("public-robots", draw=lambda: load("quadruped"))
def compute() -> Iterator[Check]:
    """robots in joint coordinates: mass matrix, bias, forward and inverse dynamics, Jacobians of pinocchio"""
    for name, state in reference.stored().items():
        if reference.path_of(name) is None:
            continue  # a robot of example-robot-data, where this is not installed
        for what, error in compare(name, state):
            yield Check(
                f"{name}: {what}, relative error", error, 0.0, 1e-12, "pinocchio",
                "rounding, amplified by small masses at the ends of long chains",
            )  # fmt: skip
