"""Arms with a motor in each joint, which tests of controllers move."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm

GRAVITY = 9.81


def arm(
    dimension: int, links: int, *, motors: bool = True, floats: bool = False, hand: float = 0.0, bend: float = 0.5
) -> Any:
    """A chain of links of half a metre, each bent by `bend` [rad] against the last, with weight unless it floats;
    `hand` [kg] is a mass at its end."""
    plane = dimension == 2
    weight = (0.0,) * dimension if floats else (*(0.0,) * (dimension - 1), -GRAVITY)
    m: Any = (fm.PlanarModel if plane else fm.SpatialModel)("arm", gravity=weight)
    at = m.ground
    if floats:
        at = m.add_body("base", mass=8.0, inertia=1.0 if plane else (1.0, 1.2, 1.5)).frame
    place, axes = np.zeros(3), Rotation.from_rotvec([0.0, 0.0, 0.2])
    for k in range(links):
        about = "z" if plane else "zyx"[k % 3]
        axes = axes * Rotation.from_euler(about, bend * (-1.0) ** k)
        middle = place + axes.apply([0.25, 0.0, 0.0])
        if plane:
            given: dict[str, Any] = {"inertia": 0.05, "position": middle[:2], "angle": axes.as_rotvec()[2]}
        else:
            given = {"inertia": (0.02, 0.05, 0.06), "position": middle, "orientation": axes}
        link = m.add_body(f"link {k}", mass=1.0 + 0.1 * k, **given)
        zero = () if plane else (0.0,)
        joint = m.revolute(
            at, link.attach(f"a {k}", (-0.25, 0.0, *zero)), name=f"joint {k}", **({} if plane else {"axis": about})
        )
        if motors:
            m.joint_force(joint, 0.0, name=f"motor {k}")
        at, place = link.attach(f"b {k}", (0.25, 0.0, *zero)), place + axes.apply([0.5, 0.0, 0.0])
    if hand:
        load = m.add_body("load", mass=hand, inertia=1e-6 if plane else (1e-6,) * 3, position=at.position)
        m.weld(at, load.frame)
    return m


@cache
def known(dimension: int, links: int, floats: bool = False) -> Any:
    """The arm as a controller knows it; nobody changes it."""
    return arm(dimension, links, floats=floats)


@cache
def bare(dimension: int, links: int, floats: bool = False) -> Any:
    """v̇ of the arm from q, v and torques, by another formulation than controllers use."""
    return fm.formulation(arm(dimension, links, floats=floats, motors=False), "aba")
