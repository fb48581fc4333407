"""The slider-crank in space of Haug (1989) with a rod that bends, twists and stretches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation import shapes
from flexmb.validation.references import spatial_slider_crank as reference
from flexmb.validation.registry import Check, Errors, Record, case

#: times [s] at which runs are compared; the rod's stiffness EI [Nm²]
TIMES = np.linspace(0.0, 0.5, 26)
SOFT = 0.5
#: ρA, ρIp and ρIy of a rod that has the mass and the axial inertia of the rigid one
RHO_A = reference.ROD_MASS / reference.ROD
RHO_IP = reference.ROD_INERTIA[0] / reference.ROD


def build(stiffness: float, elements: int = 1, **options: Any) -> fm.SpatialModel:
    """The mechanism of :mod:`~flexmb.validation.spatial_slider_crank` in its initial position, its rod a beam of
    EI = GJ = `stiffness` [Nm²]."""
    start = reference.Place(0.0)
    model = fm.SpatialModel("slider-crank with a flexible rod", gravity=(0.0, 0.0, -reference.G))
    bearing = np.array([0.0, *reference.BEARING])
    half = 0.5 * (start.pin - bearing)
    crank = model.add_body(
        "crank", mass=reference.CRANK_MASS, inertia=(reference.CRANK_INERTIA,) * 3, position=bearing + half,
        shape=shapes.bar(-half, half),
    )  # fmt: skip
    far = np.array([start.x, 0.0, 0.0])
    block = fm.Box((0.05, 0.03, 0.03))
    slider = model.add_body("slider", mass=reference.SLIDER_MASS, inertia=(1e-3,) * 3, position=far, shape=block)
    given = fm.spatial.BeamProperties(
        EA=2e4 * stiffness, EIy=stiffness, EIz=stiffness, GJ=stiffness, rhoA=RHO_A, rhoIy=0.5 * RHO_IP,
        rhoIz=0.5 * RHO_IP, rhoIp=RHO_IP,
    )  # fmt: skip
    rod = model.add_beam(
        "rod", start.pin, far, properties=given, theory="cms", elements=elements, y_axis=start.axes[:, 1], **options
    )
    model.revolute(model.ground.attach("post", bearing), crank.attach("foot", -half), axis="x", name="bearing")
    model.spherical(crank.attach("pin", half), rod.start, name="ball")
    model.universal(slider.frame, rod.end, axis="x", axis_b="y", name="cross")
    model.prismatic(model.ground, slider.frame, axis="x", name="guide")
    crank.move(np.cross([reference.SPEED, 0.0, 0.0], half), (reference.SPEED, 0.0, 0.0))
    turning = reference.SPEED * start.rod_turning[0]
    ends = reference.SPEED * start.pin_speed[0], reference.SPEED * start.slider_speed[0] * np.array([1.0, 0.0, 0.0])
    for k, node in enumerate(rod.chain):
        part = k / elements
        node.velocity, node.angular_velocity = (1.0 - part) * ends[0] + part * ends[1], turning
    slider.move(ends[1], (0.0, 0.0, 0.0))
    return model


def rigid() -> np.ndarray:
    """x of the slider at the TIMES [m] with a rigid rod, uniform as the beam is."""
    across = reference.ROD_MASS * reference.ROD**2 / 12.0 + 0.5 * reference.ROD_INERTIA[0]
    return np.array([reference.Place(phi).x for phi in reference.motion(TIMES, across)[0]])


def places(model: fm.SpatialModel) -> tuple[np.ndarray, fm.Solution]:
    """x of the slider at the TIMES [m], and the run."""
    run = fm.simulate(model, TIMES[-1], "radau", tolerance=1e-8, times=TIMES, progress=False)
    return np.asarray(run["slider"].x), run


def bent(run: fm.Solution) -> float:
    """How far the middle of the rod is away from its chord, at most [m]."""
    middle = run["rod@0.5"].position - 0.5 * (run["rod.start"].position + run["rod.end"].position)
    return float(np.max(np.linalg.norm(middle, axis=1)))


@case("spatial-slider-crank-beam", draw=lambda: build(SOFT))
def compute() -> Iterator[Record]:
    """the slider-crank in space with a flexible rod: the rigid limit and its order, few elements against many"""
    stiff = rigid()
    source = "one coordinate, a rigid rod"
    both = (1e4, 1e5)
    off = [float(np.max(np.abs(places(build(EI, modes=1, torsion_modes=1))[0] - stiff))) for EI in both]
    yield Errors(
        "place of the slider, against that with a rigid rod [m]", "stiffness EI of the rod [Nm²]", both, off, -1.0
    )
    yield Check("rod of EI = 1e5 Nm²: the slider is off by [m]", off[1], 0.0, 1.5e-7, source, "it yields a little")
    about = "how far it is off, as a power of the stiffness, from 1e4 to 1e5 Nm²"
    yield Check(about, float(np.log10(off[0] / off[1])), 1.0, 0.05, "the rod yields by F/EA", "its own vibration")
    fine, run = places(build(SOFT, 4, modes=2, torsion_modes=1))
    for elements, modes, allowed in ((1, 1, 3e-4), (1, 2, 3e-4), (2, 2, 2e-5)):
        found, _ = places(build(SOFT, elements, modes=modes, torsion_modes=1))
        about = f"soft rod, {elements} el., {modes} modes: the slider is off by [m]"
        off_it = float(np.max(np.abs(found - fine)))
        yield Check(about, off_it, 0.0, allowed, "4 elements, 2 modes", "left by few elements: slopes up to 1 rad")
    far = bent(run) / reference.ROD
    yield Check(
        "soft rod, bent by more than a twentieth of its length", float(far > 0.05), 1.0, 0.0, "a hard test", "yes"
    )
    yield Check("soft rod, 4 elements: energy balance [–]", run.energy.error, 0.0, 1e-8, "conservation", "tolerance")
