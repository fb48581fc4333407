"""Frequencies of a rotating cantilever in its plane of rotation and across it, over the speed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.analyses.statics.equilibrium import equilibrium
from flexmb.analyses.vibration.complex_modes import complex_modes
from flexmb.validation.references import rotating_beam as reference
from flexmb.validation.references.cms_beam import CmsCantilever
from flexmb.validation.registry import Check, case

SPEEDS = (0, 2, 4, 6, 12)
#: EA L²/EI: at η = 12 the blade is 24 millionths longer, and this changes every frequency by less than 3e-5
STIFF = 1e7
#: theory, elements, options, and the largest error of the first three frequencies of flapping, from the discretization
#: (that of ANCF falls with the fourth power of the elements, that of exact beams with the square). Lag is
#: ω_lag² = ω_flap² − η², a small difference at high speed: a relative error of the one is (ω_flap/ω_lag)² in the other.
MODELS: list[tuple[str, int, dict, tuple[float, float, float]]] = [
    ("ancf", 16, {}, (5e-6, 1e-5, 5e-5)),
    ("cms", 1, {"modes": 4}, (6e-4, 6e-4, 1.5e-3)),
    ("cms", 4, {"modes": 2}, (1.2e-5, 2e-5, 7e-5)),
    ("exact", 64, {}, (1e-4, 4e-4, 1.2e-3)),
]


def blade(theory: str, elements: int, speed: float, **options: Any) -> fm.PlanarModel:
    """A blade of L = EI = ρA = 1 on a driven hub of radius zero."""
    model = fm.PlanarModel("rotating blade")
    hub = model.add_body("hub", mass=1.0, inertia=1.0)
    model.revolute(model.ground, hub.frame, name="bearing")
    model.drive_angle(model.ground, hub.frame, fm.Polynomial([0.0, speed]), name="shaft")
    given = fm.planar.BeamProperties(EA=STIFF, EI=1.0, rhoA=1.0, rhoI=1e-9)
    model.add_beam("blade", hub.frame, (1, 0), properties=given, theory=theory, elements=elements, **options)
    return model


def lag(theory: str, elements: int, speed: float, count: int = 3, **options: Any) -> np.ndarray:
    """The first frequencies (count,) in the plane of rotation [rad/s]."""
    about = equilibrium(blade(theory, elements, speed, **options), spin=speed)
    return complex_modes(about, count).omegas


#: how the axis of rotation and the blade are turned in space, and where the hub is
TURN, HUB = Rotation.from_rotvec([0.7, -0.4, 1.1]), np.array([1.0, -2.0, 0.5])


def in_space(speed: float) -> np.ndarray:
    """λ (10,) [1/s] of the blade in space, by four CMS elements with two bending modes in both planes."""
    model = fm.SpatialModel("rotating blade")
    place = model.add_frame("place", HUB, orientation=TURN, fixed=True)
    hub = model.add_body("hub", mass=1.0, inertia=(1.0, 1.0, 1.0), position=HUB, orientation=TURN)
    model.revolute(place, hub.frame, axis="z", name="bearing")
    model.drive_angle(place, hub.frame, fm.Polynomial([0.0, speed]), axis="z", name="shaft")
    # slender: inertia of sections does not count
    given = fm.spatial.BeamProperties(EA=STIFF, EIy=1.0, EIz=1.0, GJ=1.0, rhoA=1.0, rhoIp=1e-8)
    end = HUB + TURN.apply((1.0, 0.0, 0.0))
    model.add_beam("blade", hub.frame, end, properties=given, theory="cms", elements=4, modes=2)
    axis = TURN.apply((0.0, 0.0, 1.0))
    return complex_modes(equilibrium(model, spin=speed, axis=axis, center=HUB), 10).eigenvalues


@case("rotating-beam-frequencies", draw=lambda: blade("cms", 4, 2.0))
def compute() -> Iterator[Check]:
    """lag and flap of a rotating cantilever, in plane and space, against a Ritz solution and published tables"""
    published = "Wright et al. (1982); Hodges and Rutkowski (1981)"
    for eta, row in reference.PUBLISHED.items():
        for k, value in enumerate(row):
            got = float(reference.flap(eta)[k])
            what = f"Ritz, flap {k + 1} at η = {eta}"
            yield Check(what, got, value, 1.0e-4, published, "last digit of the tables, which differ by one")
    ritz, own = "Ritz, 16 polynomials", "left by the elements"
    for theory, elements, options, allowed in MODELS:
        label = f"{theory}, {elements} el." + "".join(f", {n} modes" for n in options.values())
        at_rest = lag(theory, elements, 0.0, **options)
        apart = 0.0
        for eta in SPEEDS:
            omega = lag(theory, elements, float(eta), **options)
            if theory == "cms":
                same = CmsCantilever(elements, EA=STIFF, **options).spinning(float(eta))[:3]
                apart = max(apart, float(np.max(np.abs(omega / same - 1.0))))
            for k, wanted in enumerate(reference.lag(eta)):
                ratio = float(omega[k] / wanted)
                bound = allowed[k] * float(1.0 + (eta / wanted) ** 2)
                yield Check(f"{label}: lag {k + 1} at η = {eta}, ratio", ratio, 1.0, bound, ritz, own)
        if theory == "cms":
            what = f"{label}: all of these from other coordinates, relative"
            why = "Newton's tolerance and differences of fourth order"
            yield Check(what, apart, 0.0, 1e-9, "the same elements by other coordinates", why)
        # Southwell: at small speeds ω² = ω₀² + (B − 1) η²; the next term is about η⁴/100
        slow = 0.2
        slopes = (lag(theory, elements, slow, **options) ** 2 - at_rest**2) / slow**2
        for k, wanted in enumerate(reference.southwell() - 1.0):
            bound = 2e-4 + 3.0 * allowed[k] * (wanted + 1.0)
            source, because = "Southwell, B − 1", f"η² of next order; {own}"
            yield Check(f"{label}: d(ω²)/d(η²), lag {k + 1}", float(slopes[k]), float(wanted), bound, source, because)
    yield from _flap_and_lag_in_space()


def _flap_and_lag_in_space() -> Iterator[Check]:
    """Both of a blade that turns about any axis."""
    allowed = MODELS[2][3]
    why = "left by the elements"
    for eta in SPEEDS:
        found = in_space(float(eta))
        for k, (flap, lag_) in enumerate(zip(reference.flap(eta), reference.lag(eta))):
            for what, wanted in (("flap", flap), ("lag", lag_)):
                value = found[np.argmin(np.abs(found - 1j * wanted))]
                bound = allowed[k] * float(1.0 + (eta / wanted) ** 2)
                name = f"cms in space, 4 el.: {what} {k + 1} at η = {eta}, ratio"
                yield Check(name, float(value.imag / wanted), 1.0, bound, "Ritz, 16 polynomials", why)
