"""Robots from URDF files against pinocchio: forward and inverse dynamics, and a motion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.validation.references import robots as reference
from flexmb.validation.registry import Check, case

#: What each method gets, and the error of a position after the motion that it promises [rad or m]: ten times its
#: tolerance. An error of a rate at the start has grown up to 250 times by then. Below a tolerance of 1e-10 radau gains
#: nothing: its Newton method ends at the rounding of positions, and a unit in their last place, divided by steps of
#: 0.2 ms, is 1e-12 in speeds, in each of 5000 steps.
METHODS: dict[str, tuple[dict[str, Any], float, str]] = {
    "radau": ({"tolerance": 1e-9}, 1e-8, "10 times its tolerance"),
    "dop853": ({"tolerance": 1e-11}, 1e-10, "10 times its tolerance"),
    "independent": ({"tolerance": 1e-10, "absolute_tolerance": 1e-12}, 1e-9, "10 times the tolerance"),
}


def load(name: str, **more: Any) -> fm.Robot:
    """A robot from its file, without losses, which other codes do not know, and without meshes."""
    path = reference.path_of(name)
    assert path is not None
    return fm.read_urdf(path, meshes=False, losses=False, fixed_base=reference.ROBOTS[name][1], **more)


def _base(state: dict[str, Any]) -> dict[str, Any]:
    """Where the base of a state is and how it moves, if it is free."""
    if "base" not in state:
        return {}
    base = {what: np.array(x) for what, x in state["base"].items()}
    turn = Rotation.from_rotvec(base["rotation"])
    moving = {what: turn.apply(base[what]) for what in ("velocity", "angular_velocity")}
    return {"position": base["position"], "orientation": turn, **moving}


def forward(name: str, state: dict[str, Any]) -> float:
    """The largest error of an acceleration under given torques, as a part of the largest acceleration."""
    robot = load(name, positions=state["positions"], rates=state["rates"], **_base(state))
    for joint, torque in state["torques"].items():
        robot.actuate(joint, torque)
    start = fm.simulate(robot, 1e-3, step=1e-3, progress=False)
    found = robot.accelerations(start)
    errors = [abs(found[joint][0] - wanted) for joint, wanted in state["accelerations"].items()]
    sizes = [abs(wanted) for wanted in state["accelerations"].values()]
    if "base" in state:
        base, turn = state["base"], Rotation.from_rotvec(state["base"]["rotation"])
        track = start[next(iter(robot.links))]
        for values, what in (
            (track.acceleration, "acceleration"),
            (track.angular_acceleration, "angular_acceleration"),
        ):
            errors.append(float(np.max(np.abs(turn.inv().apply(values[0]) - base[what]))))
            sizes.append(float(np.max(np.abs(base[what]))))
    return max(errors) / max(sizes)


def inverse(name: str, state: dict[str, Any]) -> float:
    """The largest error of a torque that given accelerations need, as a part of the largest torque."""
    given = _base(state)
    place = {what: given[what] for what in ("position", "orientation") if given}
    robot = load(name, positions=state["positions"], **place)
    for joint, position in state["positions"].items():
        way = [position, state["rates"][joint], 0.5 * state["wanted"][joint]]
        robot.drive(joint, fm.Polynomial(way))
    if given:
        turn, link = given["orientation"], next(iter(robot.links.values()))
        pushes = turn.apply(state["base"]["wanted"]), turn.apply(state["base"]["wanted_angular"])
        ways = [fm.Polynomial(c) for c in zip(given["position"], given["velocity"], 0.5 * pushes[0])]
        turns = [fm.Polynomial([0.0, *c]) for c in zip(given["angular_velocity"], 0.5 * pushes[1])]
        carried = robot.drive_position(robot.ground, link, ways)
        turned = robot.drive_rotation(robot.ground, link, turns, relative_to_start=True)
    motion = fm.kinematics(robot, times=[0.0], progress=False)
    found = robot.efforts(motion)
    errors = [abs(found[joint][0] - needed) for joint, needed in state["needed"].items()]
    sizes = [abs(needed) for needed in state["needed"].values()]
    if given:
        both = [motion.reaction(drive) for drive in (carried, turned)]
        for k, what in enumerate(("force", "moment")):
            total = turn.inv().apply(both[0][k][0] + both[1][k][0])
            errors.append(float(np.max(np.abs(total - state["base"][what]))))
            sizes.append(float(np.max(np.abs(state["base"][what]))))
    return max(errors) / max(sizes)


@case("urdf-arm", draw=lambda: load("arm", positions=reference.THROWN[0]))
def compute() -> Iterator[Check]:
    """robots from URDF files, an arm and one with four legs: forward and inverse dynamics of pinocchio, a motion"""
    found, rounding = reference.stored(), "rounding, amplified by small masses at the ends of long chains"
    for name in reference.ROBOTS:
        if reference.path_of(name) is None:
            continue  # a robot of example-robot-data, where this is not installed
        states = found[name]["states"]
        for what, error, source in (
            ("accelerations under torques", forward, "pinocchio, articulated bodies"),
            ("torques for accelerations", inverse, "pinocchio, Newton and Euler"),
        ):
            worst = max(error(name, state) for state in states)
            yield Check(f"{name}: {what}, relative error", worst, 0.0, 1e-12, source, rounding)
    positions, rates = reference.THROWN
    for method, (options, allowed, why) in METHODS.items():
        robot = load("arm", positions=positions, rates=rates)
        run = fm.simulate(robot, reference.T_END, method, progress=False, **options)
        there = robot.positions(run)
        off = max(abs(there[joint][-1] - end) for joint, end in found["arm"]["end"].items())
        source = "pinocchio and DOP853 at 1e-13"
        yield Check(f"arm, {method}: largest error after 1 s [rad or m]", off, 0.0, allowed, source, why)
