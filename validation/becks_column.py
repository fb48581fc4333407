"""Beck's column: flutter of a cantilever under a force that follows its end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import flexmb as fm
from flexmb.analyses.statics.equilibrium import equilibrium
from flexmb.analyses.vibration.complex_modes import ComplexModes, complex_modes
from flexmb.validation.references import beck
from flexmb.validation.references.cms_beam import CmsCantilever
from flexmb.validation.registry import Check, case

#: EA L²/EI: the flutter load shortens the column by 20 millionths, which raises the load by 40 millionths
STIFF = 1e6
#: theory, elements, options, and the error of the discretization, which load and frequency may have (relative)
MODELS: list[tuple[str, int, dict, float]] = [
    ("exact", 64, {}, 7e-4),
    ("ancf", 12, {}, 7e-5),
    ("cms", 1, {"modes": 4}, 7e-4),
    ("cms", 4, {"modes": 2}, 5e-5),
]
#: a real part above this part of |λ| counts as flutter
GROWS = 1e-6


def column(theory: str, elements: int, load: float, **options: Any) -> fm.PlanarModel:
    """A column of L = EI = ρA = 1, pushed along the axis of its end section."""
    model = fm.PlanarModel("Beck's column")
    given = fm.planar.BeamProperties(EA=STIFF, EI=1.0, rhoA=1.0, rhoI=1e-9)
    beam = model.add_beam("column", model.ground, (1, 0), properties=given, theory=theory, elements=elements, **options)
    model.point_force(beam.end, (-load, 0.0), axes="body", name="thrust")
    return model


def small_motions(theory: str, elements: int, load: float, **options: Any) -> ComplexModes:
    """The slowest motions about the straight column."""
    about = equilibrium(column(theory, elements, load, **options), stable=False)
    return complex_modes(about, 2, dense=True)


def flutter(theory: str, elements: int, **options: Any) -> tuple[float, float]:
    """The load at which the real parts leave zero, found by bisection, and the frequency there [rad/s]."""
    low, high = 15.0, 25.0
    while high - low > 1e-5:
        load = 0.5 * (low + high)
        eigenvalues = small_motions(theory, elements, load, **options).eigenvalues
        if eigenvalues.real.max() > GROWS * abs(eigenvalues).max():
            high = load
        else:
            low = load
    at_flutter = small_motions(theory, elements, low, **options)
    return 0.5 * (low + high), float(at_flutter.omegas.mean())


@case("becks-column", draw=lambda: column("cms", 4, 20.0))
def compute() -> Iterator[Check]:
    """flutter load and frequency of a column under a following end force, by complex modes"""
    load, frequency = beck.flutter()
    source, own = "double root of the characteristic equation", "left by the elements"
    yield Check("P L²/EI of the reference", load, 20.05, 0.005, "Beck (1952)", "its last digit")
    for theory, elements, options, allowed in MODELS:
        got_load, got_frequency = flutter(theory, elements, **options)
        label = f"{theory}, {elements} el." + "".join(f", {n} modes" for n in options.values())
        yield Check(f"{label}: P L²/EI", got_load, load, allowed * load, source, own)

        yield Check(f"{label}: ω L² √(ρA/EI)", got_frequency, frequency, allowed * frequency, source, own)

        if theory == "cms":
            same = CmsCantilever(elements, EA=STIFF, **options).flutter(19.5, 20.5)
            apart, why = "the same elements by other coordinates", "bisected to 1e-5"
            yield Check(f"{label}: P L²/EI, in itself", got_load, same[0], 1e-5, apart, why)
            yield Check(f"{label}: ω L² √(ρA/EI), in itself", got_frequency, same[1], 1e-5, apart, why)
