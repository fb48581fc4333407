"""The 45° bend of Bathe and Bolourchi (1979), and why its tip has three places in print.

A cantilever along an arc of 45° in the x–y plane, of radius 100 and of the section 1 × 1, is loaded across that plane.
Programs agree on the load and disagree on the tip by half a percent of its displacement, since they take different
torsion constants of the square: its polar second moment 1/6, or Saint-Venant's 0.1406. The shear factor counts in the
sixth digit. A third place, displacements of (−23.807, 13.703, 53.577), is that of another axis: of the parabola through
both ends and the middle of the arc, which a single quadratic element has, with Saint-Venant's constant.

Here the axis is a polygon of straight beams, so the error falls with the square of their length; the limit is
extrapolated.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator

import numpy as np

import flexmb as fm
from flexmb.validation.registry import Check, Errors, Record, case

#: points (k, 3) of an axis at parts (k,) of it
Axis = Callable[[np.ndarray], np.ndarray]
RADIUS, E, FORCE = 100.0, 1e7, 600.0
POLAR, SAINT_VENANT = 1.0 / 6.0, 0.1405770
PARABOLA = "parabola, Saint-Venant's constant, shear factor 5/6"
#: the tip of an exact rod along the arc or the parabola, by the torsion constant and the shear factor, by shooting
TIPS: dict[str, tuple[float, float, tuple[float, float, float]]] = {
    "arc, polar second moment, shear factor 1": (POLAR, 1.0, (47.1504385736, -15.6848005340, 53.4748587918)),
    "arc, Saint-Venant's constant, shear factor 5/6": (
        SAINT_VENANT, 5.0 / 6.0, (46.8915862192, -15.5576761492, 53.6079864062)
    ),
    PARABOLA: (SAINT_VENANT, 5.0 / 6.0, (46.9032969, -15.58662373, 53.57786248)),
}  # fmt: skip
#: numbers of straight beams from which limits are extrapolated
NUMBERS = (16, 32, 64)


def arc(s: np.ndarray) -> np.ndarray:
    """Points of the arc, at s ∈ [0, 1]."""
    angle = 0.25 * np.pi * s
    return RADIUS * np.column_stack([np.sin(angle), np.cos(angle) - 1.0, np.zeros(len(s))])


def parabola(s: np.ndarray) -> np.ndarray:
    """Points of the parabola through both ends and the middle of the arc."""
    shares = np.column_stack([(1.0 - s) * (1.0 - 2.0 * s), 4.0 * s * (1.0 - s), s * (2.0 * s - 1.0)])
    return np.asarray(shares @ arc(np.array([0.0, 0.5, 1.0])))


def build(beams: int, torsion: float = SAINT_VENANT, shear: float = 5.0 / 6.0, axis: Axis = arc) -> fm.SpatialModel:
    """The cantilever of so many straight beams with the force on its end; ν = 0, so G = E/2."""
    model = fm.SpatialModel("bend")
    G = 0.5 * E
    given = fm.spatial.BeamProperties(
        E, E / 12.0, E / 12.0, G * torsion, rhoA=1.0, rhoIp=1.0 / 6.0, GAy=shear * G, GAz=shear * G
    )
    before = model.ground
    for k, point in enumerate(axis(np.linspace(0.0, 1.0, beams + 1))[1:]):
        last = model.add_beam(
            f"beam {k + 1}", before, point, properties=given, theory="exact", elements=1, y_axis="z"
        )  # fmt: skip
        before = last.end
    model.point_force(before, (0.0, 0.0, FORCE))
    return model


def rest(model: fm.SpatialModel) -> fm.EquilibriumPath:
    """Its load path."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.errors.AccuracyWarning)
        return fm.equilibrium_path(model, steps=6, stability=False)


def tip(beams: int, torsion: float, shear: float, axis: Axis = arc) -> np.ndarray:
    """The place (3,) of the end."""
    return np.asarray(rest(build(beams, torsion, shear, axis))[f"beam {beams}.end"].position[-1])


@case("bend-45", draw=lambda: rest(build(16)).state(-1))
def compute() -> Iterator[Record]:
    """the 45° bend: the tip by both torsion constants of a square, and along a parabola, against exact rods"""
    source = "exact rod along this axis, computed elsewhere"
    for name, (torsion, shear, exact) in TIPS.items():
        axis_of = parabola if name == PARABOLA else arc
        coarse, middle, fine = (tip(beams, torsion, shear, axis_of) for beams in NUMBERS)
        limits = (4.0 * middle - coarse) / 3.0, (4.0 * fine - middle) / 3.0
        limit = (16.0 * limits[1] - limits[0]) / 15.0
        why = "what two extrapolations leave, of order six"
        for axis, got, wanted in zip("xyz", limit, exact):
            yield Check(f"{name}: {axis} of the tip", got, wanted, 2e-8, source, why)
        errors = [float(np.linalg.norm(place - exact)) for place in (coarse, middle, fine)]
        yield Errors(f"{name}: place of the tip", "straight beams", NUMBERS, errors, -2.0)
        order = float(np.log2(errors[1] / errors[2]))
        yield Check(f"{name}: order of convergence, 32 to 64 beams", order, 2.0, 0.01, "a polygon", "higher orders")
