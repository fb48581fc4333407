"""A craft with two panels, a boom, wheels and a sampled controller turns in orbit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.registry import Check, case

MU, RADIUS = 3.986004418e14, 7.0e6
ORBIT = fm.spatial.CentralGravity(MU, (RADIUS, 0, 0), (0, float(np.sqrt(MU / RADIUS)), 0))
#: at 70 s: place of the hull [m], its quaternion, rates of the wheels [rad/s], and the tip of the boom across it [m],
#: in the axes of the hull
HULL = (0.010944443, -0.061324349, 0.044369911)
TURNED = (0.992804003, 0.000192185, 0.070182051, 0.097029140)
RATES = (-0.21385, -96.55350, -95.16283)
TIP = (-0.003138115, 0.003651071)


def build(theory: str = "exact", elements: tuple[int, int] = (8, 6)) -> fm.SpatialModel:
    """A hull with a boom of 20 m, two panels and three wheels, which a law sampled four times a second turns by 30°;
    with beams of a theory, and the number of elements of the boom and of a panel."""
    m = fm.SpatialModel("craft", gravity=ORBIT)
    hull = m.add_body("hull", mass=400.0, inertia=(180.0, 220.0, 200.0))
    thin = fm.spatial.BeamProperties(EA=1e8, EIy=3000.0, EIz=3000.0, GJ=2000.0, rhoA=0.4, rhoIy=5e-4, rhoIz=5e-4)
    wide = fm.spatial.BeamProperties(
        EA=1e8, EIy=1500.0, EIz=6e4, GJ=1200.0, rhoA=4.5, rhoIy=3.375e-4, rhoIz=0.84375
    )  # fmt: skip
    boom, panel = elements
    parts = ("boom", (0.75, 0, 0), (20.75, 0, 0), thin, boom), ("up", (0, 0, 0.6), (0, 0, 6.6), wide, panel)
    beams = {}
    options: dict[str, Any] = {"cms": {"modes": 3}, "floating": {"modes": 3}}.get(theory, {})
    for name, root, end, given, count in (*parts, ("down", (0, 0, -0.6), (0, 0, -6.6), wide, panel)):
        beams[name] = m.add_beam(
            name, hull.attach(f"{name} root", root), end, properties=given, theory=theory, elements=count, y_axis="y",
            damping=fm.StiffnessProportional(2e-3), **options,
        )  # fmt: skip
    m.add_point_mass("tip", beams["boom"].end, 3.0)
    for axis in "xyz":
        m.add_wheel(f"wheel {axis}", hull.frame, inertia=0.2, axis=axis, torque=0.0)
    turn = [fm.SmoothStep(10.0, 120.0, 0.0, float(x * np.deg2rad(30.0))) for x in (0.0, 0.6, 0.8)]
    off = [fm.control.AttitudeError(hull.frame, axis, reference=turn) for axis in "xyz"]
    off += [fm.control.AttitudeRate(hull.frame, axis, reference=turn) for axis in "xyz"]
    law = np.hstack([np.diag([7.0, 20.0, 20.0]), np.diag([117.0, 350.0, 350.0])])
    m.add_controller("attitude", period=0.25, sensors=off, commands=[f"wheel {axis}" for axis in "xyz"], law=law)
    return m


@case("spacecraft", draw=build)
def compute() -> Iterator[Check]:
    """a craft with boom, panels and wheels that turns in orbit, against assumed modes"""
    run = fm.simulate(build(), 70.0, tolerance=1e-8, progress=False, times=[0.0, 70.0])
    source = "assumed modes with particles on their sections and exact attraction, by other means than flexmb"
    why = "tolerance 1e-8; off by 7.5e-3 rad/s without the inertia of sections, the tip by 1e-4 m without gravity"
    hull = run["hull"]
    tip = hull.orientation[-1].inv().apply(run["boom.end"].position[-1] - hull.position[-1])
    turned = hull.orientation[-1].as_quat(scalar_first=True)
    for axis, got, wanted in zip("xyz", hull.position[-1], HULL):
        yield Check(f"hull, {axis} after 70 s [m]", float(got), wanted, 1e-8, source, why)
    for number, (got, wanted) in enumerate(zip(turned, TURNED)):
        yield Check(f"hull, number {number} of the quaternion", float(got), wanted, 5e-9, source, why)
    for axis, wanted in zip("xyz", RATES):
        got = float(run[f"wheel {axis}.rotor rate"][-1])
        yield Check(f"wheel {axis}, rate [rad/s]", got, wanted, 2e-5, source, why)
    for axis, got, wanted in zip("yz", tip[1:], TIP):
        yield Check(f"tip of the boom, {axis} in the hull's axes [m]", float(got), wanted, 2e-8, source, why)
