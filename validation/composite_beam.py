"""The composite cantilever of BeamDyn's manual: torsion and bending are coupled, so that a force across bends and
twists it; at rest, and with the force stepped on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import flexmb as fm
from flexmb.validation.registry import Check, Errors, Record, case

LENGTH, FORCE = 10.0, 150.0
STIFFNESS = 1e3 * np.block(
    [
        [np.diag([1368.17, 88.56, 38.78]), np.zeros((3, 3))],
        [np.zeros((3, 3)), np.array([[16.96, 17.61, -0.351], [17.61, 59.12, -0.37], [-0.351, -0.37, 141.47]])],
    ]
)
MASS = np.diag([0.08538, 0.08538, 0.08538, 0.014433, 0.004097, 0.010336])
#: displacement (3,) of the end at rest: an exact rod by shooting
AT_REST = (-0.0902726627566, -0.0647488486259, 1.2297364829237)
#: displacement along z at these times [s]: an independent program of the same theory, 16 elements and steps of 0.25 ms;
#: since a step excites all modes, good to 3e-3
IN_MOTION = {0.05: 0.7710, 0.1: 2.0383, 0.15: 2.1771, 0.2: 1.0732, 0.25: 0.1071, 0.5: 0.2490}
#: numbers of elements at rest
NUMBERS = (4, 8, 16)


def build(elements: int = 16) -> fm.SpatialModel:
    """The cantilever along x with the force along z on its end."""
    model = fm.SpatialModel("composite beam")
    given = fm.spatial.SectionMatrices(STIFFNESS, MASS)
    beam = model.add_beam(
        "beam", model.ground, (LENGTH, 0.0, 0.0), properties=given, theory="exact", elements=elements, y_axis="y"
    )
    model.point_force(beam.end, (0.0, 0.0, FORCE), name="force")
    return model


@case("composite-beam", draw=lambda: fm.equilibrium(build()).state)
def compute() -> Iterator[Record]:
    """a composite cantilever whose bending twists it: its end at rest to ten digits, and after a step of the force"""
    errors = []
    for elements in NUMBERS:
        found = fm.equilibrium(build(elements))["beam.end"].position - [LENGTH, 0.0, 0.0]
        errors.append(float(np.linalg.norm(found - AT_REST)) / LENGTH)
    source = "exact rod by shooting"
    yield Errors("end at rest, as a part of the length", "elements", NUMBERS, errors, -4.0)
    for coarse, fine, elements in zip(errors, errors[1:], NUMBERS):
        order = float(np.log2(coarse / fine))
        yield Check(
            f"at rest: order, {elements} to {2 * elements} elements", order, 4.0, 0.1, "theory", "higher orders"
        )
    for axis, got, wanted in zip("xyz", found, AT_REST):
        yield Check(f"at rest: displacement along {axis}", got, wanted, 2e-7, source, "left by 16 elements")
    program = "program of the same theory and steps; converged to 0.003"
    run = fm.simulate(build(), 0.5, step=2.5e-4, progress=False, second_run=False)
    height = run["beam.end"].position[:, 2]
    for t, wanted in IN_MOTION.items():
        got = float(height[np.argmin(np.abs(run.t - t))])
        yield Check(f"after a step: displacement along z at {t:g} s", got, wanted, 1e-4, program, "its digits")
