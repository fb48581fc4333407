"""The arm: two slender rods, an elbow, a tip mass and two geared motors.

It is that of Kobayashi (n.d.), §2.3.2. *Printed* there are the links' length, diameter, density, Young's modulus and
bending stiffness, and the natural frequencies of the outstretched arm with its motors held, 2.32 and 6.04 Hz.
*Identified* from these frequencies are the masses of elbow and tip. *Assumed*, since the source does not give them, are
the hub, rotors, reducers and feedback gains: stiff enough to have no visible effect on the vibration. The arm moves in
a horizontal plane.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import flexmb as fm

# printed
DENSITY, YOUNGS_MODULUS = 7850.0, 205e9
LENGTHS = (0.415, 0.450)
DIAMETERS = (0.010, 0.006)
BENDING = (101.0, 13.0)
FREQUENCIES = (2.32, 6.04)
# identified
ELBOW_MASS, ELBOW_INERTIA, TIP_MASS = 5.461, 1e-3, 0.9486
# assumed
HUB_MASS, HUB_INERTIA = 0.5, 1e-3
TIP_INERTIA = 1e-6
FOREARM_SHARE = 0.3  # of the elbow's mass and inertia, on the side of the second link
RATIO = 100.0
ROTORS = (1e-4, 5e-5)
REDUCERS = (1e5, 5e4)
REDUCER_DAMPING = (5.0, 2.0)
LINK_DAMPING = 2e-5  # stress = E (ε + β ε̇) [s]
GAINS = ((0.6, 0.03), (0.2, 0.01))  # of each motor: Nm/rad and Nms/rad, on the motor's side
PERIOD = 1e-3

#: the ways in which links and bodies are connected
MODELLINGS = ("shared", "clamped", "ancf")


def properties(k: int) -> fm.planar.BeamProperties:
    """The beam properties of link 1 or 2 (k = 0, 1), with the printed bending stiffness."""
    d = DIAMETERS[k]
    area = 0.25 * np.pi * d**2
    turning = DENSITY * np.pi * d**4 / 64.0
    return fm.planar.BeamProperties(
        EA=YOUNGS_MODULUS * area, EI=BENDING[k], rhoA=DENSITY * area, rhoI=turning, outer_fiber=0.5 * d, area=area
    )


@dataclass
class Arm:
    """The arm's model and its parts."""

    model: fm.PlanarModel
    motors: tuple[fm.planar.Motor, fm.planar.Motor]


def build(
    modeling: str = "shared",
    *,
    elbow_angle: float = 0.0,
    tip_mass: float = TIP_MASS,
    elements: int = 16,
    modes: int = 2,
    friction: tuple[fm.Friction, fm.Friction] | None = None,
    angles: tuple[Any, Any] = (None, None),
    damping: float = LINK_DAMPING,
) -> Arm:
    """The arm, its first link along x: rigid bodies 1 to 4 (hub, elbow, forearm, tip), links and motors.

    `modeling`: "shared": one CMS element for each link, whose ends are the frames of the bodies; "clamped": the same
    with nodes of its own, which constraints clamp to the bodies, eq. (62); "ancf": links of `elements` cable elements.
    `elbow_angle` of the second link against the first [rad], `tip_mass` [kg]; `modes`: bending modes of a CMS element;
    `friction` of the two motors' rotors; `angles`: given angles of the rotors [rad] as functions of time, for motors
    that follow without any error; `damping` β of the links' material [s].
    """
    model = fm.PlanarModel("two-link arm")
    elbow_x = LENGTHS[0]
    tip_at = (elbow_x + LENGTHS[1] * np.cos(elbow_angle), LENGTHS[1] * np.sin(elbow_angle))
    hub = model.add_body("hub", mass=HUB_MASS, inertia=HUB_INERTIA)
    share = FOREARM_SHARE
    rest = 1.0 - share
    elbow = model.add_body("elbow", mass=rest * ELBOW_MASS, inertia=rest * ELBOW_INERTIA, position=(elbow_x, 0.0))
    forearm = model.add_body(
        "forearm", mass=share * ELBOW_MASS, inertia=share * ELBOW_INERTIA, position=(elbow_x, 0.0), angle=elbow_angle
    )
    tip = model.add_body("tip", mass=tip_mass, inertia=TIP_INERTIA, position=tip_at, angle=elbow_angle)
    model.revolute(model.ground, hub.frame, name="shoulder")
    model.revolute(elbow.frame, forearm.frame, name="elbow hinge")
    material = fm.StiffnessProportional(damping)
    for k, (start, end) in enumerate(((hub.frame, elbow.frame), (forearm.frame, tip.frame))):
        name = f"link{k + 1}"
        if modeling == "shared":
            model.add_beam(name, start, end, properties=properties(k), modes=modes, damping=material)
            continue
        options: dict[str, Any] = {"theory": "ancf", "elements": elements} if modeling == "ancf" else {"modes": modes}
        link = model.add_beam(name, start.position, end.position, properties=properties(k), damping=material, **options)
        model.weld(start, link.start, name=f"{name} start clamp")
        model.weld(end, link.end, name=f"{name} end clamp")

    def motor(k: int, name: str, stator: fm.planar.Frame, output: fm.planar.Frame) -> fm.planar.Motor:
        return model.motor(
            stator, output, inertia=ROTORS[k], ratio=RATIO, stiffness=REDUCERS[k], damping=REDUCER_DAMPING[k],
            friction=0.0 if friction is None else friction[k], angle=angles[k], name=name,
        )  # fmt: skip

    shoulder = motor(0, "shoulder motor", model.ground, hub.frame)
    return Arm(model, (shoulder, motor(1, "elbow motor", elbow.frame, forearm.frame)))


def held(modeling: str = "shared") -> fm.PlanarModel:
    """The arm with its motors held."""
    arm = build(modeling)
    model = arm.model
    model.lock(model.ground, model.frame("hub"), "angle", name="shoulder brake")
    model.lock(model.frame("elbow"), model.frame("forearm"), "angle", name="elbow brake")
    return model
