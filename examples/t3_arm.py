"""The Cincinnati Milacron T3 without its wrist, the example of Sunada and Dubowsky for FLEX-ARM.

The lengths are those of Table 2.9.7 of the survey of Ohkami et al. (1985), 40.0 and 59.5 inches; links are a base, a
shoulder, an upper arm and a forearm. The table says no masses and sections. They are chosen here: welded boxes of
steel with the motor of the elbow and a flange at the end, as thick as makes the lowest frequency of the stretched arm
the 20 Hz of Table 2.9.6.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmb as fm

UPPER, FOREARM = 40.0 * 0.0254, 59.5 * 0.0254
#: heights of floor and bearing of the shoulder below the axis of the upper arm [m]
FLOOR, TURNTABLE = -1.2, -0.35
STEEL = fm.Material(density=7850.0, youngs_modulus=205e9, poissons_ratio=0.3)
#: sections of the links, chosen
SECTIONS = {
    "base": fm.Tube(outer_diameter=0.45, inner_diameter=0.436),
    "shoulder": fm.HollowRectangle(width=0.30, height=0.30, thickness=0.010),
    "upper arm": fm.HollowRectangle(width=0.14, height=0.18, thickness=0.005),
    "forearm": fm.HollowRectangle(width=0.12, height=0.15, thickness=0.004),
}
#: mass and inertia of the motor of the elbow, and of the flange at the end of the forearm, chosen
MOTOR, FLANGE = (45.0, (0.5, 0.5, 0.5)), (6.0, (0.02, 0.02, 0.02))
#: joint angles at the start and at the end of the study [rad], and its duration [s]
JOINTS = ("waist", "shoulder joint", "elbow")
FROM, TO, DURATION = (0.0, 1.1, -1.6), (1.2, 0.3, -0.4), 1.2


def smooth(duration: float, start: float, end: float) -> fm.Polynomial:
    """From one angle to another with four rates that are zero at both ends, by a polynomial of degree 9."""
    c = np.zeros(10)
    c[0], c[5:] = start, (end - start) * np.array([126, -420, 540, -315, 70]) / duration ** np.arange(5, 10)
    return fm.Polynomial(c.tolist())


def build(
    angles: tuple[float, ...] = FROM, *, modes: int = 0, damping: float = 0.0, gravity: float = 9.81, elements: int = 6
) -> fm.Robot:
    """The arm with its joints at `angles` [rad], without what leads it; each link with `modes` beside its static ones,
    the ratio `damping` of each mode, and `elements` of finite elements."""

    def link(name: str, bearing: float = 0.0, carries: Any = (None, None)) -> fm.spatial.ArmLink:
        mass, inertia = carries
        return fm.spatial.ArmLink(
            name, mass=mass, inertia=inertia, material=STEEL, section=SECTIONS[name], bearing=bearing, modes=modes,
            damping=damping, elements=elements,
        )  # fmt: skip

    return fm.denavit_hartenberg(
        [[0, 0, 0, 0.5 * np.pi], [0, 0, UPPER, 0], [0, 0, FOREARM, 0]], names=JOINTS, name="T3",
        gravity=(0.0, 0.0, -gravity), positions=dict(zip(JOINTS, angles, strict=True)), base=link("base", FLOOR),
        links=[link("shoulder", TURNTABLE), link("upper arm", carries=MOTOR), link("forearm", carries=FLANGE)],
    )  # fmt: skip


def moving(duration: float = DURATION, **options: Any) -> fm.Robot:
    """The arm whose drives lead it along the nominal motion of the study."""
    arm = build(**options)
    for name, start, end in zip(JOINTS, FROM, TO, strict=True):
        arm.drive(name, smooth(duration, start, end))
    return arm


def held(angles: tuple[float, ...], **options: Any) -> fm.Robot:
    """The arm held in a posture."""
    arm = build(angles, **options)
    for name, angle in zip(JOINTS, angles, strict=True):
        arm.drive(name, angle)
    return arm
