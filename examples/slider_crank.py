"""A slider-crank whose rod bends."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import flexmb as fm

CRANK, ROD = 0.15, 0.3
CRANK_MASS, ROD_MASS, SLIDER_MASS = 0.36, 0.15, 0.08
SPEED, SPIN_UP = 50.0, 0.2
#: the crank starts from rest and reaches 50 rad/s after 0.2 s
DRIVE = fm.SpinUp(SPEED, SPIN_UP)


def build(rod: str = "cms", *, driven: bool = True, start: float = 0.0) -> fm.PlanarModel:
    """Crank, rod and slider; `rod`: 'rigid' or a beam theory. DRIVE turns the crank, or it is free under gravity from
    the angle `start` [rad]."""
    model = fm.PlanarModel("slider-crank", gravity=(0.0, 0.0 if driven else -9.81))
    elbow = CRANK * np.array([np.cos(start), np.sin(start)])
    beta = np.arcsin(CRANK * np.sin(start) / ROD)
    pin = elbow + ROD * np.array([np.cos(beta), -np.sin(beta)])
    crank = model.add_body(
        "crank", mass=CRANK_MASS, inertia=CRANK_MASS * CRANK**2 / 12, position=(elbow[0] / 2, elbow[1] / 2), angle=start
    )
    slider = model.add_body("slider", mass=SLIDER_MASS, inertia=1e-4, position=(pin[0], 0.0))
    model.revolute(model.ground, crank.attach("foot", (-CRANK / 2, 0.0)), name="foot")
    model.prismatic(model.ground, slider, name="guide")
    top = crank.attach("top", (CRANK / 2, 0.0))
    if rod == "rigid":
        middle = 0.5 * (elbow + pin)
        inertia = ROD_MASS * ROD**2 / 12
        body = model.add_body("rod", mass=ROD_MASS, inertia=inertia, position=(middle[0], middle[1]), angle=-beta)
        near, far = body.attach("near", (-ROD / 2, 0.0)), body.attach("far", (ROD / 2, 0.0))
    else:
        # its first hinged-hinged frequency is eight times the crank's speed
        EI = (8.0 * SPEED) ** 2 * (ROD / np.pi) ** 4 * ROD_MASS / ROD
        properties = fm.planar.BeamProperties(EA=1e6, EI=EI, rhoA=ROD_MASS / ROD)
        elements = 8 if rod == "ancf" else 1
        beam = model.add_beam("rod", tuple(elbow), tuple(pin), properties=properties, theory=rod, elements=elements)
        near, far = beam.start, beam.end
    model.revolute(top, near, name="elbow")
    model.revolute(far, slider, name="pin")
    if driven:
        model.drive_angle(model.ground, crank, start + DRIVE, name="motor")
    return model


def bending(solution: fm.Solution) -> np.ndarray:
    """Deflection (k,) [m] of the rod's middle across its chord."""
    start, end = solution["rod.start"].position, solution["rod.end"].position
    middle = solution["rod@0.5"].position - 0.5 * (start + end)
    chord = end - start
    return (chord[:, 0] * middle[:, 1] - chord[:, 1] * middle[:, 0]) / np.hypot(*chord.T)


def run(out: Path) -> list[Path]:
    """Spin up and turn twice more; write the motion and the force in the slider's pin."""
    solution = fm.simulate(build(), SPIN_UP + 0.25, step=1e-4)
    print(solution)
    print(f"largest deflection of the rod's middle: {1e3 * np.max(np.abs(bending(solution))):.2f} mm")
    drawing = out / "slider-crank.png"
    solution.draw(times=SPIN_UP + np.linspace(0.0, 0.11, 8), trails="rod.start", path=drawing)
    history = out / "slider-crank-forces.png"
    solution.plot("pin.fx", "pin.fy", path=history)
    return [drawing, history, solution.save(out / "slider-crank.h5")]
