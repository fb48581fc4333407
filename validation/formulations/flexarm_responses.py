"""Questions to FLEX-ARM: answers of frames and joints to forces, moments and torques.

At rest, the answers of a clamped beam are L³/3EI + L/κGA, L²/2EI and L/EI. Over frequencies, an arm of two links with
servos in its joints is compared with the linear model of the engine, in which springs and dampers stand in place of the
servos: the same shapes of links, by other equations.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.registry import Check, case

MATERIAL, ROD = fm.Material(2700, 70e9, 0.33), fm.Circle(diameter=0.02)
LENGTH, SERVO = 1.2, (300.0, 2.0)
HERTZ = np.array([0.5, 2.0, 7.0, 20.0, 45.0])
SOURCE, BECAUSE = "the engine's linear model", "rounding: stiffnesses are some 1e6 apart"


def arm(lengths: tuple[float, ...], posture: tuple[float, ...] = (), driven: bool = True) -> fm.SpatialModel:
    """An arm of bending links about parallel axes; `driven`: its joints have drives, which FLEX-ARM reads as the
    nominal motion, else springs and dampers."""
    links = [
        fm.spatial.ArmLink(f"link {k + 1}", material=MATERIAL, section=ROD, modes=2) for k, _ in enumerate(lengths)
    ]
    table = [[0, 0, length, 0] for length in lengths]
    positions = {f"joint {k + 1}": angle for k, angle in enumerate(posture)}
    m = fm.denavit_hartenberg(table, links=links, gravity=(0, 0, 0), positions=positions)
    for k, angle in enumerate(posture or (0.0,) * len(lengths)):
        joint: Any = m.component(f"joint {k + 1}")
        if driven:
            m.drive(joint.name, angle)
        else:
            stiffness, damping = SERVO
            m.torsion_spring(joint.a, joint.b, axis="z", stiffness=stiffness, damping=damping)  # free as it stands
    return m


@case("flexarm-responses", draw=lambda: arm((LENGTH, 0.8), (0.4, -1.0)))
def compute() -> Iterator[Check]:
    """a clamped beam at rest in closed form; an arm with servos over frequencies, against the engine's linear model"""
    beam = fm.formulations.FlexArm(arm((LENGTH,)), servos=math.inf)
    EI = MATERIAL.youngs_modulus * ROD.second_moment
    shear = MATERIAL.shear_modulus * ROD.shear_coefficient * ROD.area
    answers = {
        ("force", "displacement"): LENGTH**3 / (3.0 * EI) + LENGTH / shear,
        ("force", "rotation"): LENGTH**2 / (2.0 * EI),
        ("moment", "displacement"): LENGTH**2 / (2.0 * EI),
        ("moment", "rotation"): LENGTH / EI,
    }
    axes = {"force": "y", "displacement": "y", "moment": "z", "rotation": "z"}
    for (acts, at), exact in answers.items():
        found = beam.frequency_response([0.0], (acts, "tool", axes[acts]), (at, "tool", axes[at]))[0].real
        yield Check(f"clamped beam at rest: {at} by a {acts}", found, exact, 1e-9 * exact, "closed form", "rounding")
    posture = (0.4, -1.0)
    flex = fm.formulations.FlexArm(arm((LENGTH, 0.8), posture), servos={"joint 1": SERVO, "joint 2": SERVO})
    engine = arm((LENGTH, 0.8), posture, driven=False)
    tool: Any = engine.frame("tool")
    turned: Any = engine.component("joint 1")
    engine.point_force(tool, (1, 0, 0), factor=0.0, name="push")
    engine.point_torque(tool, (0, 0, 1), factor=0.0, name="twist")
    engine.joint_force(turned, 0.0, name="turn")
    asks: dict[str, tuple[str, ...]] = {
        "push": ("force", "tool", "x"),
        "twist": ("moment", "tool", "z"),
        "turn": ("torque", "joint 1"),
    }
    reads: dict[str, tuple[str, ...]] = {"tool.y": ("displacement", "tool", "y"), "joint 2.angle": ("angle", "joint 2")}
    response = fm.frequency_response(engine, list(asks), list(reads), HERTZ)
    for (name, given), (output, asked) in product(asks.items(), reads.items()):
        known = response[output, name]
        off = float(np.max(np.abs(flex.frequency_response(HERTZ, given, asked) - known)) / np.max(np.abs(known)))
        yield Check(f"arm, {output} by {given[0]}, 0.5 to 45 Hz: relative error", off, 0.0, 1e-9, SOURCE, BECAUSE)
