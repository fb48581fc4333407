"""Slider-crank: rigid against closed forms, and with a flexible rod, one CMS element against an ANCF cable."""

from __future__ import annotations

import numpy as np

import flexmb as fm
from flexmb.validation.case import Check, case
from flexmb.validation.references.slider_crank import SliderCrank

SHAPE = SliderCrank()
SPEED = 50.0
#: the drive starts from rest and reaches its speed after this time [s]
SPIN_UP = 0.2
DRIVE = fm.SpinUp(SPEED, SPIN_UP)


def build(rod: str = "rigid", *, driven: bool = True, start: float = 0.0) -> fm.PlanarModel:
    """Crank, rod and slider; `rod`: 'rigid', or a beam theory. Driven up to SPEED [rad/s], or free under gravity."""
    s = SHAPE
    model = fm.PlanarModel("slider-crank", gravity=(0.0, -s.gravity if not driven else 0.0))
    elbow = s.crank * np.array([np.cos(start), np.sin(start)])
    beta = np.arcsin(s.crank * np.sin(start) / s.rod)
    pin = elbow + s.rod * np.array([np.cos(beta), -np.sin(beta)])
    crank = model.add_body(
        "crank", mass=s.crank_mass, inertia=s.crank_mass * s.crank**2 / 12, position=tuple(elbow / 2), angle=start
    )
    slider = model.add_body("slider", mass=s.slider_mass, inertia=1e-4, position=(float(pin[0]), 0.0))
    model.revolute(model.ground, crank.attach("foot", (-s.crank / 2, 0.0)), name="foot")
    model.prismatic(model.ground, slider.frame, name="guide")
    top = crank.attach("top", (s.crank / 2, 0.0))
    if rod == "rigid":
        middle = 0.5 * (elbow + pin)
        body = model.add_body(
            "rod", mass=s.rod_mass, inertia=s.rod_mass * s.rod**2 / 12, position=tuple(middle), angle=-beta
        )
        near, far = body.attach("near", (-s.rod / 2, 0.0)), body.attach("far", (s.rod / 2, 0.0))
    else:
        # its first hinged-hinged frequency is eight times the crank's speed
        EI = (8.0 * SPEED) ** 2 * (s.rod / np.pi) ** 4 * s.rod_mass / s.rod
        properties = fm.BeamProperties(EA=1e6, EI=EI, rhoA=s.rod_mass / s.rod)
        elements = 8 if rod == "ancf" else 1
        beam = model.add_beam("rod", tuple(elbow), tuple(pin), properties=properties, theory=rod, elements=elements)
        near, far = beam.start, beam.end
    model.revolute(top, near, name="elbow")
    model.revolute(far, slider.frame, name="pin")
    if driven:
        model.drive_angle(model.ground, crank.frame, start + DRIVE, name="motor")
    return model


@case("slider-crank")
def compute() -> list[Check]:
    """rigid: closed-form kinematics and free motion; flexible rod: CMS against ANCF"""
    checks = []
    driven = fm.simulate(build(), 2 * SPIN_UP, step=1e-4, progress=False)
    exact = np.array([SHAPE.slider(DRIVE(t), DRIVE.rate(t), DRIVE.second_rate(t)) for t in driven.t])
    track = driven["slider"]
    closed = "closed form"
    for name, got, reference, scale in (
        ("position [m]", track.position[:, 0], exact[:, 0], 1e-10),
        ("velocity [m/s]", track.velocity[:, 0], exact[:, 1], 1e-8),
    ):
        checks.append(Check(f"driven, slider {name}", float(np.max(np.abs(got - reference))), 0.0, scale, closed))
    error = float(np.max(np.abs(track.acceleration[:, 0] - exact[:, 2])) / np.max(np.abs(exact[:, 2])))
    checks.append(Check("driven, slider acceleration, relative [–]", error, 0.0, 1e-4, closed))
    free = fm.simulate(build(driven=False, start=1.0), 2.0, "projection", rtol=1e-10, atol=1e-12, progress=False)
    reference = SHAPE.free_motion(free.t, 1.0)
    error = float(np.max(np.abs(free["crank"].angle - reference)))
    checks.append(Check("free, crank angle over 2 s [rad]", error, 0.0, 1e-6, "one coordinate, derived apart"))
    bends = {}
    for theory in ("cms", "ancf"):
        solution = fm.simulate(build(theory), 1.5 * SPIN_UP, step=5e-5, progress=False)
        start, end = solution["rod.start"].position, solution["rod.end"].position
        middle = solution["rod@0.5"].position - 0.5 * (start + end)
        chord = end - start
        bends[theory] = (chord[:, 0] * middle[:, 1] - chord[:, 1] * middle[:, 0]) / np.hypot(*chord.T)
    size = float(np.max(np.abs(bends["ancf"])))
    difference = float(np.max(np.abs(bends["cms"] - bends["ancf"]))) / size
    checks.append(Check("flexible rod, mid deflection, CMS against ANCF [–]", difference, 0.0, 0.01, "8 ANCF elements"))
    return checks
