"""Inverse kinematics beside pinocchio, Carpentier et al. (2019): the loop of its documentation on inverse kinematics,
"clik", in Python, on the UR5 and the Panda of example-robot-data, from starts within 0.5 rad of a solution, in one run:

    python -m flexmb.validation.drives.beside_pinocchio

needs the extra `peers`. Of each: how many targets are found, the largest error, and the time of each target."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.examples import robots

TARGETS, AROUND = 1000, 0.5
ROBOTS = {
    "UR5": ("ur_description/urdf/ur5_robot.urdf", "ee_link"),
    "Panda": ("panda_description/urdf/panda.urdf", "panda_hand"),
}
#: the documentation's numbers, but for the error, 1e-4 there
ERROR, STEPS, STEP, DAMPING = 1e-10, 1000, 0.1, 1e-12


def clik(
    pin: Any, model: Any, data: Any, frame: int, wanted: Any, q: np.ndarray, step: float
) -> tuple[np.ndarray, float]:
    """The loop of the documentation: q ← q ∘ exp(−Jᵀ (J Jᵀ + μ)⁻¹ e h), and |e| at the end."""
    size = np.inf
    for _ in range(STEPS):
        pin.forwardKinematics(model, data, q)
        pin.updateFramePlacement(model, data, frame)
        iMd = data.oMf[frame].actInv(wanted)
        error = pin.log(iMd).vector
        size = float(np.linalg.norm(error))
        if size < ERROR:
            break
        J = -pin.Jlog6(iMd.inverse()) @ pin.computeFrameJacobian(model, data, q, frame)
        v = -J.T @ np.linalg.solve(J @ J.T + DAMPING * np.eye(6), error)
        q = pin.integrate(model, q, v * step)
    return q, size


def compare(name: str) -> None:
    import pinocchio as pin

    file, frame = ROBOTS[name]
    path = robots.example_robot_data(file)
    assert path is not None, "pip install 'flexmb[peers]'"
    model = pin.buildModelFromUrdf(str(path))
    data, number, rng = model.createData(), model.getFrameId(frame), np.random.default_rng(1)
    low, high = np.maximum(model.lowerPositionLimit, -np.pi), np.minimum(model.upperPositionLimit, np.pi)
    q = rng.uniform(low, high, (TARGETS, model.nq))
    near = np.clip(q + rng.uniform(-AROUND, AROUND, q.shape), low, high)
    wanted = []
    for x in q:
        pin.framesForwardKinematics(model, data, x)
        wanted.append(pin.SE3(data.oMf[number]))
    for step, what in ((STEP, "as documented, steps of 0.1"), (1.0, "with whole steps")):
        begin = time.perf_counter()
        ends = [clik(pin, model, data, number, T, x.copy(), step)[1] for T, x in zip(wanted, near)]
        each = 1e3 * (time.perf_counter() - begin) / TARGETS
        found = [x for x in ends if x < ERROR]
        print(f"{name}, pinocchio {what}: {len(found)} of {TARGETS} found, without limits, {each:.3f} ms each")
    robot = fm.read_urdf(path, meshes=False, losses=False)
    names = [n for n in model.names][1:]
    poses = {frame: (np.array([T.translation for T in wanted]), Rotation.from_matrix([T.rotation for T in wanted]))}
    tree = fm.Tree.of(robot)
    order = [names.index(one.rpartition(".")[0]) for one in tree.coordinate_names]
    start = near[:, order]
    start[:, [k for k, one in enumerate(tree.coordinate_names) if "finger" in one]] = 0.0
    fm.inverse_kinematics(robot, {frame: (poses[frame][0][:2], poses[frame][1][:2])}, near=start[:2])  # compiles
    begin = time.perf_counter()
    ours = fm.inverse_kinematics(robot, poses, near=start, unreached="nearest")
    each = 1e3 * (time.perf_counter() - begin) / TARGETS
    print(
        f"{name}, flexmb: {int(ours.reached.sum())} of {TARGETS} found within limits, errors up to "
        f"{ours.residuals[ours.reached].max():.1e}, {each:.3f} ms each"
    )


if __name__ == "__main__":
    for robot in ROBOTS:
        compare(robot)
