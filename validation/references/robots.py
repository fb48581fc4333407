"""Robots by pinocchio, Carpentier et al. (2019), a code in joint coordinates: what it computes, kept in `robots.json`.

    forward dynamics   accelerations by articulated bodies (`aba`), Featherstone (2008)
    inverse dynamics   torques by the recursive equations of Newton and Euler (`rnea`)
    motion             DOP853 on the former, at relative errors of 1e-13

A joint that mimics another takes no part in `aba`; there the accelerations solve M q̈ = τ − h, M by `crba`, h by `nle`.
States are random. The free base of a robot has a place, a rotation vector, and its velocity and angular velocity in its
own axes; accelerations of the base are those of its origin and of its angular velocity, in its own axes; its force and
moment too, about its origin. To compute them anew, in a checkout, with the extra `peers`:

    python -m flexmb.validation.references.robots
"""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from flexmb.examples import robots

FILE = Path(__file__).with_name("robots.json")
#: robots: a file of the demos, or of the package example-robot-data; whether the base is fixed
ROBOTS = {
    "arm": ("arm.urdf", True),
    "quadruped": ("quadruped.urdf", False),
    "panda": ("panda_description/urdf/panda.urdf", True),
    "solo12": ("solo_description/robots/solo12.urdf", False),
}
STATES, T_END = 3, 1.0
#: the arm is thrown from here: positions [rad, m] and rates [rad/s, m/s]
THROWN = ({"joint2": 0.5, "joint4": 1.2, "finger": 0.02}, {"joint1": 1.5, "joint3": -1.0, "joint6": 2.0})


def file_of(file: str) -> Path | None:
    """A URDF file of the demos, or of example-robot-data; None if it is one of that package, which is not installed."""
    own = robots.folder() / file
    return own if own.is_file() else robots.example_robot_data(file)


def path_of(name: str) -> Path | None:
    """The URDF file of a robot, as :func:`file_of` finds it."""
    return file_of(ROBOTS[name][0])


def stored() -> dict[str, Any]:
    """The numbers by robots: `states`, each with what goes in and what comes out, and of the arm its `end`."""
    return dict(json.loads(FILE.read_text(encoding="utf-8"))["robots"])


def compute(name: str) -> dict[str, Any]:
    """The same of one robot, by pinocchio."""
    import pinocchio as pin

    path, fixed = path_of(name), ROBOTS[name][1]
    if fixed:
        model = pin.buildModelFromUrdf(str(path), mimic=True)
    else:
        model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    model.damping[:] = 0.0
    data = model.createData()
    first = 1 if fixed else 2
    joints = {n: model.joints[k] for k, n in enumerate(model.names) if k >= first and model.joints[k].nq == 1}

    follows = any("imic" in joint.shortname() for joint in model.joints)

    def accelerations(q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        if not follows:
            return np.array(pin.aba(model, data, q, v, tau))
        upper = np.triu(pin.crba(model, data, q))
        return np.linalg.solve(upper + np.triu(upper, 1).T, tau - pin.nle(model, data, q, v))

    random = np.random.default_rng(len(name))
    states = []
    for _ in range(STATES):
        q, v = pin.neutral(model), random.uniform(-2.0, 2.0, model.nv)
        turn = Rotation.from_rotvec(random.uniform(-1.0, 1.0, 3))
        if not fixed:
            q[0:3], q[3:7] = random.uniform(-1.0, 1.0, 3), turn.as_quat()
        for joint in joints.values():
            q[joint.idx_q] = random.uniform(-1.0, 1.0)
        tau, wanted = random.uniform(-5.0, 5.0, (2, model.nv))
        tau[: 0 if fixed else 6] = 0.0
        of_tau, of_wanted = accelerations(q, v, tau), pin.rnea(model, data, q, v, wanted)

        def by_name(values: np.ndarray, joints: dict[str, Any] = joints) -> dict[str, float]:
            return {n: float(values[joint.idx_v]) for n, joint in joints.items()}

        state: dict[str, Any] = {
            "positions": {n: float(q[joint.idx_q]) for n, joint in joints.items()}, "rates": by_name(v),
            "torques": by_name(tau), "accelerations": by_name(of_tau), "wanted": by_name(wanted),
            "needed": by_name(of_wanted),
        }  # fmt: skip
        if not fixed:
            spin = np.cross(v[3:6], v[0:3])  # pinocchio's linear accelerations are those of spatial vectors
            base = {
                "position": q[0:3], "rotation": turn.as_rotvec(), "velocity": v[0:3], "angular_velocity": v[3:6],
                "acceleration": of_tau[0:3] + spin, "angular_acceleration": of_tau[3:6], "wanted": wanted[0:3] + spin,
                "wanted_angular": wanted[3:6], "force": of_wanted[0:3], "moment": of_wanted[3:6],
            }  # fmt: skip
            state["base"] = {what: np.asarray(x).tolist() for what, x in base.items()}
        states.append(state)
    found: dict[str, Any] = {"states": states}
    if name == "arm":
        n, start = model.nv, np.zeros((2, model.nv))
        for row, given in zip(start, THROWN):
            for joint, value in given.items():
                row[joints[joint].idx_v] = value
        rest = np.zeros(n)

        def rates(_: float, y: np.ndarray) -> np.ndarray:
            return np.concatenate([y[n:], accelerations(y[:n], y[n:], rest)])

        run = solve_ivp(rates, (0.0, T_END), start.ravel(), "DOP853", rtol=1e-13, atol=1e-14)
        found["end"] = {n: float(run.y[joint.idx_q, -1]) for n, joint in joints.items()}
    return found


def main() -> None:
    """Compute all of them and write the file."""
    found = {name: compute(name) for name in ROBOTS if path_of(name) is not None}
    FILE.write_text(
        json.dumps({"pinocchio": metadata.version("pin"), "robots": found}, indent=1) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
