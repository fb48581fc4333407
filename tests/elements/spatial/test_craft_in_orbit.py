"""A craft with two panels, a boom, wheels and a sampled controller turns in orbit, against assumed modes with particles
on their sections and exact attraction, by other means than flexmb."""

from __future__ import annotations

import numpy as np

import flexmb as fm

MU, RADIUS = 3.986004418e14, 7.0e6
ORBIT = fm.spatial.CentralGravity(MU, (RADIUS, 0, 0), (0, float(np.sqrt(MU / RADIUS)), 0))


def craft() -> fm.SpatialModel:
    m = fm.SpatialModel("craft", gravity=ORBIT)
    hull = m.add_body("hull", mass=400.0, inertia=(180.0, 220.0, 200.0))
    thin = fm.spatial.BeamProperties(EA=1e8, EIy=3000.0, EIz=3000.0, GJ=2000.0, rhoA=0.4, rhoIy=5e-4, rhoIz=5e-4)
    wide = fm.spatial.BeamProperties(
        EA=1e8, EIy=1500.0, EIz=6e4, GJ=1200.0, rhoA=4.5, rhoIy=3.375e-4, rhoIz=0.84375
    )  # fmt: skip
    parts = ("boom", (0.75, 0, 0), (20.75, 0, 0), thin, 8), ("up", (0, 0, 0.6), (0, 0, 6.6), wide, 6)
    for name, root, end, given, elements in (*parts, ("down", (0, 0, -0.6), (0, 0, -6.6), wide, 6)):
        m.add_beam(
            name, hull.attach(f"{name} root", root), end, properties=given, theory="exact", elements=elements,
            y_axis="y", damping=fm.StiffnessProportional(2e-3),
        )  # fmt: skip
    m.add_point_mass("tip", m.component("boom").end, 3.0)
    for axis in "xyz":
        m.add_wheel(f"wheel {axis}", hull.frame, inertia=0.2, axis=axis, torque=0.0)
    turn = [fm.SmoothStep(10.0, 120.0, 0.0, float(x * np.deg2rad(30.0))) for x in (0.0, 0.6, 0.8)]
    off = [fm.control.AttitudeError(hull.frame, axis, reference=turn) for axis in "xyz"]
    off += [fm.control.AttitudeRate(hull.frame, axis, reference=turn) for axis in "xyz"]
    law = np.hstack([np.diag([7.0, 20.0, 20.0]), np.diag([117.0, 350.0, 350.0])])
    m.add_controller("attitude", period=0.25, sensors=off, commands=[f"wheel {axis}" for axis in "xyz"], law=law)
    return m


def test_a_craft_turns_in_orbit_as_assumed_modes_say():
    """The wheels are left off by 7.5e-3 rad/s without the inertia of the panels' sections, the tip by 1e-4 m without
    gravity."""
    run = fm.simulate(craft(), 70.0, tolerance=1e-8, progress=False, times=[0.0, 70.0])
    hull = run["hull"]
    np.testing.assert_allclose(hull.position[-1], [0.010944443, -0.061324349, 0.044369911], atol=1e-8)
    turned = hull.orientation[-1].as_quat(scalar_first=True)
    np.testing.assert_allclose(turned, [0.992804003, 0.000192185, 0.070182051, 0.097029140], atol=5e-9)
    rates = [run[f"wheel {axis}.rotor rate"][-1] for axis in "xyz"]
    np.testing.assert_allclose(rates, [-0.21385, -96.55350, -95.16283], atol=2e-5)
    tip = hull.orientation[-1].inv().apply(run["boom.end"].position[-1] - hull.position[-1])
    np.testing.assert_allclose(tip[1:], [-0.003138115, 0.003651071], atol=2e-8)
