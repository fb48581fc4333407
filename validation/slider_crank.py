"""Slider-crank: rigid against closed forms, and with a flexible rod, one CMS element against an ANCF cable."""

from __future__ import annotations

import numpy as np

import flexmb as fm
from flexmb.examples import slider_crank as example
from flexmb.validation.references.slider_crank import SliderCrank
from flexmb.validation.registry import Check, case

#: the example's mechanism, as the closed forms take it
SHAPE = SliderCrank(example.CRANK, example.ROD, example.CRANK_MASS, example.ROD_MASS, example.SLIDER_MASS)


@case("slider-crank")
def compute() -> list[Check]:
    """rigid: closed-form kinematics and free motion; flexible rod: CMS against ANCF"""
    checks = []
    driven = fm.simulate(example.build("rigid"), 2 * example.SPIN_UP, step=1e-4, progress=False)
    exact = np.array(
        [SHAPE.slider(example.DRIVE(t), example.DRIVE.rate(t), example.DRIVE.second_rate(t)) for t in driven.t]
    )
    track = driven["slider"]
    closed = "closed form"
    for name, got, reference, scale in (
        ("position [m]", track.position[:, 0], exact[:, 0], 1e-10),
        ("velocity [m/s]", track.velocity[:, 0], exact[:, 1], 1e-8),
    ):
        checks.append(Check(f"driven, slider {name}", float(np.max(np.abs(got - reference))), 0.0, scale, closed))
    error = float(np.max(np.abs(track.acceleration[:, 0] - exact[:, 2])) / np.max(np.abs(exact[:, 2])))
    checks.append(Check("driven, slider acceleration, relative [–]", error, 0.0, 1e-4, closed))
    free = fm.simulate(
        example.build("rigid", driven=False, start=1.0), 2.0, "projection", rtol=1e-10, atol=1e-12, progress=False
    )
    reference = SHAPE.free_motion(free.t, 1.0)
    error = float(np.max(np.abs(free["crank"].angle - reference)))
    checks.append(Check("free, crank angle over 2 s [rad]", error, 0.0, 1e-6, "one coordinate, derived apart"))
    bends = {}
    for theory in ("cms", "ancf"):
        solution = fm.simulate(example.build(theory), 1.5 * example.SPIN_UP, step=5e-5, progress=False)
        bends[theory] = example.bending(solution)
    size = float(np.max(np.abs(bends["ancf"])))
    difference = float(np.max(np.abs(bends["cms"] - bends["ancf"]))) / size
    checks.append(Check("flexible rod, mid deflection, CMS against ANCF [–]", difference, 0.0, 0.01, "8 ANCF elements"))
    return checks
