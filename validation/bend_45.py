"""The 45° bend of Bathe and Bolourchi (1979), and why its tip has three places in print.

A cantilever along an arc of 45° in the x–y plane, of radius 100 and of the section 1 × 1, is loaded across that plane.
Programs agree on the load and disagree on the tip by half a percent of its displacement, since they take different
torsion constants of the square: its polar second moment 1/6, or Saint-Venant's 0.1406. The shear factor counts in the
sixth digit. A third place, displacements of (−23.807, 13.703, 53.577), is that of another axis: of the parabola through
both ends and the middle of the arc, which a single quadratic element has, with Saint-Venant's constant.

The beam goes along these axes; its error falls with the fourth power of the length of its elements.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np

import flexmb as fm
from flexmb.model.geometry.axes import Axis
from flexmb.validation.registry import Check, Errors, Record, case

RADIUS, E, FORCE = 100.0, 1e7, 600.0
POLAR, SAINT_VENANT = 1.0 / 6.0, 0.1405770
PARABOLA = "parabola, Saint-Venant's constant, shear factor 5/6"
#: the tip of an exact rod along the arc, or the parabola, by the torsion constant and the shear factor, by shooting
TIPS = {
    "arc, polar second moment, shear factor 1": (POLAR, 1.0, (47.1504385736, -15.6848005340, 53.4748587918)),
    "arc, Saint-Venant's constant, shear factor 5/6": (
        SAINT_VENANT, 5.0 / 6.0, (46.8915862192, -15.5576761492, 53.6079864062)
    ),
    PARABOLA: (SAINT_VENANT, 5.0 / 6.0, (46.9032969, -15.58662373, 53.57786248)),
}  # fmt: skip
NUMBERS = (8, 16, 32)


def arc() -> Axis:
    """The arc."""
    return fm.Arc(center=(0, -RADIUS, 0), start=(0, 0, 0), angle=-0.25 * np.pi)


def parabola() -> Axis:
    """The parabola through both ends and the middle of the arc."""
    angles = np.array([0.0, 0.125, 0.25]) * np.pi
    points = RADIUS * np.column_stack([np.sin(angles), np.cos(angles) - 1.0, np.zeros(3)])
    return fm.Curve(lambda s: np.array([(1 - s) * (1 - 2 * s), 4 * s * (1 - s), s * (2 * s - 1)]) @ points)


def build(
    elements: int, torsion: float = SAINT_VENANT, shear: float = 5.0 / 6.0, axis: Axis | None = None
) -> fm.SpatialModel:
    """The cantilever along an axis, the arc if none is given, with the force on its end; ν = 0, so G = E/2."""
    model = fm.SpatialModel("bend")
    G = 0.5 * E
    given = fm.spatial.BeamProperties(
        E, E / 12.0, E / 12.0, G * torsion, rhoA=1.0, rhoIp=1.0 / 6.0, GAy=shear * G, GAz=shear * G
    )
    course = arc() if axis is None else axis
    beam = model.add_beam("beam", model.ground, axis=course, properties=given, theory="exact", elements=elements)
    model.point_force(beam.end, (0.0, 0.0, FORCE))
    return model


def rest(model: fm.SpatialModel) -> fm.EquilibriumPath:
    """Its load path."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.errors.AccuracyWarning)
        return fm.equilibrium_path(model, steps=6, stability=False)


def tip(elements: int, torsion: float, shear: float, axis: Axis) -> np.ndarray:
    """The place (3,) of the end."""
    return np.asarray(rest(build(elements, torsion, shear, axis))["beam.end"].position[-1])


@case("bend-45", draw=lambda: rest(build(16)).state(-1))
def compute() -> Iterator[Record]:
    """the 45° bend: the tip by both torsion constants of a square, and along a parabola, against exact rods"""
    source = "exact rod along this axis, computed elsewhere"
    for name, (torsion, shear, exact) in TIPS.items():
        axis = parabola() if name == PARABOLA else arc()
        coarse, middle, fine = (tip(elements, torsion, shear, axis) for elements in NUMBERS)
        limits = (16.0 * middle - coarse) / 15.0, (16.0 * fine - middle) / 15.0
        limit = (64.0 * limits[1] - limits[0]) / 63.0
        why = "what two extrapolations leave, of order eight"
        for what, got, wanted in zip("xyz", limit, exact):
            yield Check(f"{name}: {what} of the tip", got, wanted, 2e-8, source, why)
        errors = [float(np.linalg.norm(place - exact)) for place in (coarse, middle, fine)]
        yield Errors(f"{name}: place of the tip", "elements", NUMBERS, errors, -4.0)
        order = float(np.log2(errors[1] / errors[2]))
        yield Check(f"{name}: order of convergence, 16 to 32 elements", order, 4.0, 0.05, "theory", "higher orders")
