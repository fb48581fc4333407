"""Robots that float and move their arms so that their base stays at rest: the reaction null space.

Takahashi (2012), section 6.1. The motors hold the torques of an instant for a period, so that the base is left alone
but for errors of the first order in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.registry import Check, Errors, case

#: joints of the arm in the plane and in space: more than force and moment have components
LINKS = {2: 5, 3: 9}
SPAN = 0.5


def robot(dimension: int, motors: bool = False) -> Any:
    """A base that floats, with an arm of unequal links, bent from the start."""
    plane = dimension == 2
    model: Any = fm.PlanarModel("robot in the plane") if plane else fm.SpatialModel("robot in space")
    hull: dict[str, Any] = {"inertia": 3.0} if plane else {"inertia": (3.0, 4.0, 5.0)}
    at, place, turned = model.add_body("base", mass=20.0, **hull).frame, np.zeros(2), 0.0
    for k in range(LINKS[dimension]):
        turned += 0.4 * (-1.0) ** k * (1.0 + 0.2 * k)
        along = np.array([np.cos(turned), np.sin(turned)])
        middle = place + 0.25 * along
        given: dict[str, Any] = {"mass": 1.0 + 0.1 * k, "position": middle, "inertia": 0.05, "angle": turned}
        if not plane:
            given |= {"position": (*middle, 0.0), "inertia": (0.02, 0.05, 0.05), "orientation": (0.0, 0.0, turned)}
            given["orientation"] = fm.rotation_vector(given["orientation"])
            del given["angle"]
        link = model.add_body(f"link {k}", **given)
        zero = () if plane else (0.0,)
        about = {} if plane else {"axis": "zyx"[k % 3]}
        joint = model.revolute(at, link.attach("a", (-0.25, 0.0, *zero)), name=f"joint {k}", **about)
        if motors:
            model.joint_force(joint, 0.0, name=f"motor {k}")
        at, place = link.attach("b", (0.25, 0.0, *zero)), place + 0.5 * along
    return model


def _identity(dimension: int) -> float:
    """What inverse dynamics needs at the base in random states, at most, as a part of what other motions need."""
    space = fm.control.ReactionNullSpace(robot(dimension))
    dynamics, rng, n = fm.TreeDynamics(space.tree), np.random.default_rng(1), LINKS[dimension]
    held, worst, other = space.tree.nv - n, 0.0, 0.0
    for _ in range(20):
        q, v = space.tree.start()
        q[-n:], v[-n:] = rng.normal(size=n), rng.normal(size=n)
        for bound in (True, False):
            wanted = rng.normal(size=n)
            found = space.accelerations(q, v, wanted) if bound else wanted
            at_base = float(np.abs(dynamics.drives(q, v, np.concatenate([np.zeros(held), found]))[:held]).max())
            worst, other = (max(worst, at_base), other) if bound else (worst, max(other, at_base))
    return worst / other


def _drift(dimension: int, period: float) -> float:
    """The largest momentum of the base [kg m/s] in a run in which the arm shakes in its null space."""
    space = fm.control.ReactionNullSpace(robot(dimension))
    dynamics, n = fm.TreeDynamics(space.tree), LINKS[dimension]
    rest, held = space.tree.start()[0], space.tree.nv - n
    shake = np.cos(1.0 + np.arange(n))

    def law(t: float, y: np.ndarray) -> np.ndarray:
        q, v = rest.copy(), np.zeros(space.tree.nv)
        q[-n:], v[-n:] = y[:n], y[n:]
        wanted = 8.0 * np.cos(8.0 * t) * shake
        moving = np.concatenate([np.zeros(held), space.accelerations(q, v, wanted)])
        return dynamics.drives(q, v, moving)[held:]

    model = robot(dimension, motors=True)
    joints = [model.components[f"joint {k}"] for k in range(n)]
    sensors: list[Any] = []
    if dimension == 2:
        sensors += [fm.control.RelativeAngle(joint.a, joint.b) for joint in joints]
        sensors += [fm.control.RelativeRate(joint.a, joint.b) for joint in joints]
    else:
        sensors += [fm.control.JointAngle(joint) for joint in joints]
        sensors += [fm.control.JointRate(joint) for joint in joints]
    commands = [f"motor {k}" for k in range(n)]
    own = fm.control.PythonLaw(law, state_count=0)
    model.add_controller("null space", period=period, sensors=sensors, commands=commands, law=own)
    run = fm.simulate(model, SPAN, tolerance=1e-7, progress=False)
    return float(20.0 * np.abs(run["base"].velocity).max())


@case("reaction-null-space", draw=lambda: robot(3))
def compute() -> Iterator[Check | Errors]:
    """motions of an arm that leave its floating base alone: the identity at random states, and runs"""
    for dimension, where in ((2, "in the plane"), (3, "in space")):
        part, source = _identity(dimension), "inverse dynamics of the tree with its base"
        yield Check(f"{where}: what the base needs, as a part of other motions'", part, 0.0, 1e-10, source, "round-off")
        periods = (4e-3, 2e-3)
        drifts = [_drift(dimension, period) for period in periods]
        order = float(np.log2(drifts[0] / drifts[1]))
        yield Check(
            f"{where}: order of the base's momentum in the period", order, 1.0, 0.15, "torques held", "two periods"
        )
        yield Errors(f"momentum of the base {where} [kg m/s]", "period [s]", periods, drifts, 1.0)
