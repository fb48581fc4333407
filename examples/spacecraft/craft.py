"""The craft of the mission: hull, boom, panels, wheels, a sampled law and a jet, in orbit."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmb as fm

#: the earth [m³/s²], [m]; the radius of the orbit [m]; the direction of the sun, from behind and a little above
MU, EARTH, RADIUS, SUN = 3.986004418e14, 6378137.0, 7.0e6, (-0.2, -0.95, 0.25)
#: x outwards, y along the flight, z along the normal at the start
ORBIT = fm.spatial.CentralGravity(MU, (RADIUS, 0, 0), (0, float(np.sqrt(MU / RADIUS)), 0), radius=EARTH)
#: mass of the hull [kg] and its inertia [kg m²]; that of each wheel about its axis; mass at the tip of the boom [kg]
HULL, INERTIA, WHEEL, TIP = 400.0, (180.0, 220.0, 200.0), 0.2, 3.0
#: boom and panel: they hardly stretch; a panel is 1.5 m wide and 30 mm thick
BOOM = fm.spatial.BeamProperties(
    EA=1e8, EIy=3000.0, EIz=3000.0, GJ=2000.0, rhoA=0.4, rhoIy=5e-4, rhoIz=5e-4, radius=0.05
)  # fmt: skip
PANEL = fm.spatial.BeamProperties(
    EA=1e8, EIy=1500.0, EIz=6e4, GJ=1200.0, rhoA=4.5, rhoIy=3.375e-4, rhoIz=0.84375,
    outline=((0.75, 0.015), (-0.75, 0.015), (-0.75, -0.015), (0.75, -0.015)),
)  # fmt: skip
#: by what the craft turns [rad], about which axis, from when and how long [s]
TURN, AXIS, START, LASTS = float(np.deg2rad(30.0)), np.array([0.0, 0.6, 0.8]), 10.0, 120.0
#: the law, in Nm a radian and Nm s a radian, and how often it is asked [s]
STIFF, DAMPED, PERIOD = (7.0, 20.0, 20.0), (117.0, 350.0, 350.0), 0.25
#: force of the jet [N] in the hull's axes, from when and how long [s]
JET, FIRED, BURNS = (0.0, 2.0, 0.0), 150.0, 5.0
T_END = 300.0
#: where the wheels are seen on the hull [m]; without mass of their own they act alike anywhere
SEEN = {"x": (-0.81, 0.0, 0.3), "y": (0.0, -0.66, 0.0), "z": (-0.35, 0.0, 0.66)}


def build(
    boom: int = 8,
    panel: int = 6,
    theory: str = "exact",
    turn: fm.TimeFunction | None = None,
    gravity: fm.spatial.CentralGravity | None = ORBIT,
) -> fm.SpatialModel:
    """The craft, with so many elements in its boom and in each panel, beams of a theory: 'exact', 'cms' or
    'floating'; `turn`: the angle that is wanted over time [rad], that of the mission if none is given."""
    m = fm.SpatialModel("spacecraft", gravity=(0, 0, 0) if gravity is None else gravity)
    hull = m.add_body("hull", mass=HULL, inertia=INERTIA, shape=fm.Box((1.5, 1.2, 1.2)))
    parts = {
        "boom": ((0.75, 0, 0), (20.75, 0, 0), BOOM, boom),
        "panel up": ((0, 0, 0.6), (0, 0, 6.6), PANEL, panel),
        "panel down": ((0, 0, -0.6), (0, 0, -6.6), PANEL, panel),
    }
    modes: dict[str, Any] = {} if theory == "exact" else {"modes": 3}
    beams = [
        m.add_beam(
            name, hull.attach(f"{name} root", root), end, properties=properties, theory=theory, elements=elements,
            y_axis="y", damping=fm.StiffnessProportional(2e-3), **modes,
        )
        for name, (root, end, properties, elements) in parts.items()
    ]  # fmt: skip
    m.add_point_mass("tip", beams[0].end, TIP)
    for axis, place in SEEN.items():
        shape = fm.Cylinder(diameter=0.5, length=0.1, axis=axis)
        m.add_wheel(
            f"wheel {axis}", hull.attach(f"seat {axis}", place), inertia=WHEEL, axis=axis, torque=0.0, shape=shape
        )
    wanted = [fm.SmoothStep(START, LASTS, 0.0, float(x * TURN)) if turn is None else float(x) * turn for x in AXIS]
    off = [fm.control.AttitudeError(hull.frame, axis, reference=wanted) for axis in "xyz"]
    off += [fm.control.AttitudeRate(hull.frame, axis, reference=wanted) for axis in "xyz"]
    law = np.hstack([np.diag(STIFF), np.diag(DAMPED)])
    m.add_controller("attitude", period=PERIOD, sensors=off, commands=[f"wheel {axis}" for axis in "xyz"], law=law)
    m.point_force(hull.attach("jet", (-0.6, 0, 0)), JET, factor=fm.Pulse(FIRED, BURNS), axes="body", name="jet")
    return m


def tip(solution: fm.Solution) -> np.ndarray:
    """Deflection (k, 2) [m] of the end of the boom, along y and z of the hull."""
    hull = solution["hull"]
    return np.asarray(hull.orientation.inv().apply(solution["boom.end"].position - hull.position)[:, 1:])
