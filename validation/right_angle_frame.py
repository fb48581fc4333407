"""The right-angle frame of Argyris et al. (1979): a thin angle bracket that buckles out of its plane, both ways.

Two legs of 240, of a strip that is 30 high in their plane and 0.6 thick, clamped at one end; a dead force along the
first leg on the free end. Pushed either way the frame leaves its plane, at different loads. A force that follows the
end would have another load, of motion and not of rest.
"""

from __future__ import annotations

from collections.abc import Iterator

import flexmb as fm
from flexmb.validation.registry import Check, Errors, Record, case

LEG, HIGH, THICK, E, NU = 240.0, 30.0, 0.6, 71240.0, 0.31
#: critical loads of an exact rod by the direction of the force along the first leg, computed elsewhere; the torsion
#: constant is h t³/3
LOADS = {1.0: 1.0875179378761675, -1.0: 0.6804274093675402}
#: elements in a leg, and the largest error of the load, as a part of it
MESHES = ((1, 1e-3), (2, 1e-4), (4, 1e-5), (8, 1.5e-6))


def build(elements: int, force: float, across: float = 0.0) -> fm.SpatialModel:
    """The frame in the x–y plane with the unit of its force; a part `across` the plane of it."""
    model = fm.SpatialModel("right-angle frame")
    area, G = HIGH * THICK, E / (2.0 + 2.0 * NU)
    given = fm.spatial.BeamProperties(
        EA=E * area, EIy=E * HIGH * THICK**3 / 12.0, EIz=E * THICK * HIGH**3 / 12.0, GJ=G * HIGH * THICK**3 / 3.0,
        rhoA=1.0, rhoIp=1.0,
    )  # fmt: skip
    options = {"properties": given, "theory": "exact", "elements": elements}
    first = model.add_beam("first leg", model.ground, (LEG, 0.0, 0.0), y_axis="y", **options)  # type: ignore[arg-type]
    second = model.add_beam("second leg", first.end, (LEG, -LEG, 0.0), y_axis="x", **options)  # type: ignore[arg-type]
    model.point_force(second.end, (force, 0.0, abs(force) * across))
    return model


def first_load(elements: int, force: float) -> float:
    """The first critical load."""
    return float(fm.equilibrium_path(build(elements, force), factor=1.2 * LOADS[force]).critical[0].factor)


def bent() -> fm.State:
    """The frame behind its lower load, with a small force across."""
    return fm.equilibrium_path(build(8, -1.0, 1e-3), factor=0.75, stability=False).state(-1)


@case("right-angle-frame", draw=bent)
def compute() -> Iterator[Record]:
    """a thin right-angle frame that buckles out of its plane under a force either way: critical loads"""
    source = "exact rod, computed elsewhere"
    for force, exact in LOADS.items():
        way = "outwards" if force > 0.0 else "inwards"
        errors = []
        for elements, part in MESHES:
            found = first_load(elements, force)
            errors.append(abs(found - exact) / exact)
            about = f"{way}, {elements} elements a leg: critical load"
            yield Check(about, found, exact, part * exact, source, "left by the elements")
        numbers = [elements for elements, _ in MESHES]
        yield Errors(f"{way}: critical load, as a part of it", "elements a leg", numbers, errors, -4.0)
