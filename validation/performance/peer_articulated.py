"""The arm in two programs: pinocchio, Carpentier et al. (2019); and MuJoCo by Todorov, Erez and Tassa (2012)."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from flexmb.validation.performance.arm import GRAVITY, INERTIA, LENGTH, MASS, axis

#: accelerations of q, v and τ, or the place and speeds after so many steps of so many seconds
Accelerations = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
Steps = Callable[[np.ndarray, np.ndarray, float, int], tuple[np.ndarray, np.ndarray]]


def available(name: str) -> bool:
    """Whether a package can be imported."""
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True


def pinocchio_arm(count: int) -> tuple[Accelerations, Steps]:
    """Articulated bodies of pinocchio, and steps of v += h v̇, q += h v in Python with them."""
    pin: Any = importlib.import_module("pinocchio")
    model, joint = pin.Model(), 0
    model.gravity = pin.Motion(np.array([*GRAVITY, 0.0, 0.0, 0.0]))
    for k in range(count):
        place = pin.SE3(np.eye(3), np.array([0.0, 0.0, LENGTH if k else 0.0]))
        kind = pin.JointModelRZ() if axis(k) == "z" else pin.JointModelRY()
        joint = model.addJoint(joint, kind, place, f"hinge {k}")
        body = pin.Inertia(MASS, np.array([0.0, 0.0, 0.5 * LENGTH]), np.diag(INERTIA))
        model.appendBodyToJoint(joint, body, pin.SE3.Identity())
    data, tau, aba = model.createData(), np.zeros(count), pin.aba

    def steps(q: np.ndarray, v: np.ndarray, h: float, number: int) -> tuple[np.ndarray, np.ndarray]:
        for _ in range(number):
            v = v + h * aba(model, data, q, v, tau)
            q = q + h * v
        return q, v

    return lambda q, v, tau: aba(model, data, q, v, tau), steps


def pinocchio_robot(path: str, fixed_base: bool) -> Accelerations:
    """Articulated bodies of a robot from a file, without losses."""
    pin: Any = importlib.import_module("pinocchio")
    base = () if fixed_base else (pin.JointModelFreeFlyer(),)
    model = pin.buildModelFromUrdf(path, *base)
    model.damping[:] = 0.0
    data, aba = model.createData(), pin.aba
    return lambda q, v, tau: aba(model, data, q, v, tau)


def mujoco_model(count: int, integrator: str = "Euler", motors: bool = False) -> Any:
    """The arm as a model of MuJoCo, with a motor in each hinge if there shall be `motors`."""
    mujoco: Any = importlib.import_module("mujoco")
    gravity, inertia = (" ".join(map(str, numbers)) for numbers in (GRAVITY, INERTIA))
    inner = ""
    for k in reversed(range(count)):
        along = "0 0 1" if axis(k) == "z" else "0 1 0"
        inner = (
            f'<body pos="0 0 {LENGTH if k else 0.0}"><joint name="hinge {k}" type="hinge" axis="{along}"/>'
            f'<inertial pos="0 0 {0.5 * LENGTH}" mass="{MASS}" diaginertia="{inertia}"/>{inner}</body>'
        )
    acting = "".join(f'<motor joint="hinge {k}"/>' for k in range(count)) if motors else ""
    text = (
        f'<mujoco><option gravity="{gravity}" integrator="{integrator}"><flag contact="disable" constraint="disable"/>'
        f"</option><worldbody>{inner}</worldbody><actuator>{acting}</actuator></mujoco>"
    )
    return mujoco.MjModel.from_xml_string(text)


def mujoco_arm(count: int) -> Steps:
    """Steps of MuJoCo in one call, by its Euler method, which is v += h v̇, q += h v without damping; M by composite
    bodies and its sparse factors."""
    mujoco: Any = importlib.import_module("mujoco")
    model = mujoco_model(count)
    data = mujoco.MjData(model)

    def steps(q: np.ndarray, v: np.ndarray, h: float, number: int) -> tuple[np.ndarray, np.ndarray]:
        model.opt.timestep = h
        mujoco.mj_resetData(model, data)
        data.qpos[:], data.qvel[:] = q, v
        mujoco.mj_step(model, data, number)
        return data.qpos.copy(), data.qvel.copy()

    return steps
