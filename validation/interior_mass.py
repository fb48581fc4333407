"""Natural frequencies of cantilevers that carry a mass halfway: a body on the place 0.5 of a beam."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.references.beam_with_mass import frequencies
from flexmb.validation.registry import Check, case

#: L = EI = ρA = 1; the axis hardly stretches, and sections have hardly any inertia
STIFF, SECTION_INERTIA = 1e6, 1e-9
MASS, INERTIA, PLACE = 0.5, 0.005, 0.5
#: theory, elements, options, and errors of the first two frequencies that the elements leave (relative): of the mass as
#: a point, and with its inertia. The place is a node of beams with an even number of elements, else inside of one.
MODELS: list[tuple[str, int, dict[str, Any], tuple[float, float], tuple[float, float]]] = [
    ("cms", 1, {"modes": 16}, (5e-7, 2e-5), (4e-6, 7e-5)),
    ("cms", 2, {"modes": 4}, (3e-7, 5e-6), (3e-7, 5e-6)),
    ("cms", 3, {"modes": 4}, (1e-6, 4e-5), (5e-6, 9e-5)),
    ("ancf", 15, {}, (1.2e-6, 6e-5), (4e-6, 9e-5)),
    ("ancf", 16, {}, (2e-7, 3e-6), (2e-7, 3e-6)),
    ("ancf", 45, {}, (5e-8, 2e-6), (1e-6, 1.5e-5)),
    ("exact", 81, {}, (3e-5, 4e-4), (2e-5, 4e-4)),
    ("exact", 320, {}, (1e-6, 6e-6), (1e-6, 6e-6)),
    ("exact", 321, {}, (2e-6, 3e-5), (1e-6, 3e-5)),
]


def cantilever(theory: str, elements: int, inertia: float, **options: Any) -> fm.PlanarModel:
    """A clamped beam with a mass halfway."""
    model = fm.PlanarModel("beam with a mass halfway")
    given = fm.planar.BeamProperties(EA=STIFF, EI=1.0, rhoA=1.0, rhoI=SECTION_INERTIA)
    beam = model.add_beam("beam", model.ground, (1, 0), properties=given, theory=theory, elements=elements, **options)
    model.add_body("mass", mass=MASS, inertia=inertia, frame=beam.at(PLACE))
    return model


def found(theory: str, elements: int, inertia: float, **options: Any) -> np.ndarray:
    """The first two natural frequencies (2,) [rad/s]."""
    return fm.modes(fm.equilibrium(cantilever(theory, elements, inertia, **options)), 2).omegas


@case("interior-mass", draw=lambda: cantilever("cms", 2, INERTIA, modes=4))
def compute() -> list[Check]:
    """frequencies of beams with a mass on a place along them, at a node or inside an element, against beam theory"""
    checks = []
    source = "characteristic equation of a beam with a mass"
    for inertia, what in ((0.0, "point mass"), (INERTIA, "with inertia")):
        exact = frequencies(2, 1.0, 1.0, 1.0, MASS, inertia, PLACE)
        # w''' jumps at a mass, w'' at one with inertia, and shapes inside an element do not
        own = "left by the elements: " + ("w''' jumps" if inertia == 0.0 else "w'' jumps")
        for theory, elements, options, as_point, with_inertia in MODELS:
            allowed = as_point if inertia == 0.0 else with_inertia
            label = f"{theory}, {elements} el." + "".join(f", {n} modes" for n in options.values()) + f", {what}"
            for k, omega in enumerate(found(theory, elements, inertia, **options)):
                checks.append(
                    Check(f"{label}: ω{k + 1}", float(omega), float(exact[k]), allowed[k] * exact[k], source, own)
                )
    return checks
