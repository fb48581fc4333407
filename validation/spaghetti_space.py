"""A free beam in space that a force and a moment on one end throw and bend far: the flying spaghetti."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import flexmb as fm
from flexmb.validation.registry import Check, Errors, Record, case

#: Simo and Vu-Quoc (1988): a beam of 10 m as soft as its sections are heavy
PROPERTIES = fm.spatial.BeamProperties(
    EA=1e4, EIy=500.0, EIz=500.0, GJ=500.0, rhoA=1.0, GAy=1e4, GAz=1e4, rhoIy=10.0, rhoIz=10.0, rhoIp=20.0
)
STEP = 0.005
#: lower and upper end [m] at 5 s and at 10 s: an independent program of the same theory with 32 and 64 elements, of
#: which the errors fall with the second power of the length, extrapolated; good to 1e-3
LIMITS = {
    ("lower", 5.0): (19.2136, -2.1275, 1.6257),
    ("upper", 5.0): (12.9531, 3.0289, 6.8094),
    ("lower", 10.0): (42.8312, -4.3868, 3.6932),
    ("upper", 10.0): (38.3125, 4.2518, 5.1980),
}


def build(elements: int = 16) -> fm.SpatialModel:
    """The beam leans against the vertical; the moment has parts across the plane in which it leans, and along it."""
    model = fm.SpatialModel("flying spaghetti")
    beam = model.add_beam(
        "beam", (6.0, 0.0, 0.0), (0.0, 0.0, 8.0), properties=PROPERTIES, theory="exact", elements=elements, y_axis="y"
    )
    swell = fm.PiecewiseLinear([0.0, 2.5, 5.0], [0.0, 200.0, 0.0])
    model.point_force(beam.start, (0.1, 0.0, 0.0), factor=swell, name="force")
    model.point_torque(beam.start, (0.0, 1.0, 0.5), factor=swell, name="moment")
    return model


@case("spaghetti-space", draw=build)
def compute() -> Iterator[Record]:
    """a free beam thrown by a force and a moment on one end: both ends at 5 and 10 s, and its momentum"""
    counts, found = (16, 32), []
    for elements in counts:
        run = fm.simulate(build(elements), 10.0, step=STEP, progress=False, second_run=False)
        ends = {"lower": run["beam.start"].position, "upper": run["beam.end"].position}
        found.append({(end, t): ends[end][np.argmin(np.abs(run.t - t))] for end, t in LIMITS})
    source = "program of the same theory, 32 and 64 elements extrapolated"
    for place, wanted in LIMITS.items():
        end, t = place
        errors = [float(np.max(np.abs(x[place] - wanted))) for x in found]
        yield Errors(f"{end} end at {t:g} s [m]", "elements", counts, errors, -2.0)
        limit = (4.0 * found[1][place] - found[0][place]) / 3.0
        for k, axis in enumerate("xyz"):
            about = f"{end} end at {t:g} s, {axis}, 16 and 32 elements extrapolated [m]"
            yield Check(about, limit[k], wanted[k], 1e-3, source, "of the reference: 0.01 % of the length")
    assert run.model is not None
    momentum = float(fm.System(run.model).momentum(10.0, run.q[-1], run.v[-1])[0])
    why = "mass depends on orientations, so exact as the step falls"
    yield Check("momentum along x after the loads [Ns]", momentum, 50.0, 5e-5, "impulse, ½ · 20 N · 5 s", why)
