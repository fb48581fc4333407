"""Robots by pinocchio, Carpentier et al. (2019): what follows from a state in its joint coordinates, kept in
`public_robots.json`.

    mass matrix        `crba`; lower triangle, row by row
    bias               `nle`
    forward dynamics   `aba`
    inverse dynamics   `rnea`
    Jacobian           of a frame, [v; ω] in the axes of the ground, and its rate; all columns, one after the other

States are random. A free base has q = place, quaternion (scalar last), v = [v; ω] of its origin in its own axes, and
its accelerations are those of spatial vectors: a_linear = d²r/dt² − ω × v, in its own axes. Joints that mimic others
are free of them. To compute them anew, in a checkout, with the extra `peers`:

    python -m flexmb.validation.references.public_robots
"""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.validation.references.robots import file_of

FILE = Path(__file__).with_name("public_robots.json")
#: robots: a file of the demos or of the package example-robot-data, whether the base is fixed, and a frame
ROBOTS = {
    "arm": ("arm.urdf", True, "hand"),
    "quadruped": ("quadruped.urdf", False, "camera"),
    "panda": ("panda_description/urdf/panda.urdf", True, "panda_hand"),
    "ur5": ("ur_description/urdf/ur5_robot.urdf", True, "ee_link"),
    "solo12": ("solo_description/robots/solo12.urdf", False, "HR_FOOT"),
    "talos": ("talos_data/robots/talos_reduced.urdf", False, "gripper_left_base_link"),
}


def path_of(name: str) -> Path | None:
    """The URDF file of a robot; None if it is one of example-robot-data, which is not installed."""
    return file_of(ROBOTS[name][0])


def stored() -> dict[str, Any]:
    """The numbers by robots."""
    return dict(json.loads(FILE.read_text(encoding="utf-8"))["robots"])


def compute(name: str) -> dict[str, Any]:
    """The same of one robot, by pinocchio."""
    import pinocchio as pin

    path, (_, fixed, frame) = path_of(name), ROBOTS[name]
    if fixed:
        model = pin.buildModelFromUrdf(str(path))
    else:
        model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    for losses in (model.damping, model.armature, model.friction):
        losses[:] = 0.0
    data, random = model.createData(), np.random.default_rng(len(name))
    q, v = pin.neutral(model), random.uniform(-2.0, 2.0, model.nv)
    base = 0 if fixed else 1
    if base:
        q[0:3] = random.uniform(-1.0, 1.0, 3)
        q[3:7] = Rotation.from_rotvec(random.uniform(-1.0, 1.0, 3)).as_quat()
    joints = model.joints.tolist()[1 + base :]
    for joint in joints:
        assert joint.nq == 1, joint
        q[joint.idx_q] = random.uniform(-1.0, 1.0)
    tau, wanted = random.uniform(-5.0, 5.0, (2, model.nv))
    M = pin.crba(model, data, q)
    M = np.triu(M).T
    found: dict[str, Any] = {
        "joints": list(model.names)[1 + base :], "q": q, "v": v, "tau": tau, "vdot": wanted, "frame": frame,
        "mass": M[np.tril_indices(model.nv)], "bias": pin.nle(model, data, q, v),
        "aba": pin.aba(model, data, q, v, tau), "rnea": pin.rnea(model, data, q, v, wanted),
    }  # fmt: skip
    axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    number = model.getFrameId(frame)
    pin.computeJointJacobiansTimeVariation(model, data, q, v)
    pin.updateFramePlacements(model, data)
    found["jacobian"] = pin.getFrameJacobian(model, data, number, axes).T.ravel()
    found["jacobian_rate"] = pin.getFrameJacobianTimeVariation(model, data, number, axes).T.ravel()
    return {what: x.tolist() if isinstance(x, np.ndarray) else x for what, x in found.items()}


def main() -> None:
    """Compute all of them and write the file."""
    found = {name: compute(name) for name in ROBOTS if path_of(name) is not None}
    text = json.dumps({"pinocchio": metadata.version("pin"), "robots": found})
    FILE.write_text(text.replace('"], ', '"],\n').replace("], ", "],\n") + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
