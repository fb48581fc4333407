"""The right-angle frame of Argyris et al. (1979): a thin angle bracket that buckles out of its plane, both ways.

Two legs of 240, of a strip that is 30 high in their plane and 0.6 thick, clamped at one end; a dead force along the
first leg on the free end. Pushed either way the frame leaves its plane, at different loads. A force that follows the
end would have another load, of motion and not of rest. With a thousandth of the force across the plane it goes out
without a jump, far beyond these loads.

And the frame of Simo and Vu-Quoc (1988) in motion: two soft legs of 10 whose sections turn with as much inertia as they
move, struck at the corner across their plane. Exact beams and component modes agree on it. The figure in print is no
reference: its whole curve is 0.77 s earlier than both, and why is not known.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import flexmb as fm
from flexmb.validation.registry import Check, Errors, Record, case

LEG, HIGH, THICK, E, NU = 240.0, 30.0, 0.6, 71240.0, 0.31
#: critical loads of an exact rod by the direction of the force along the first leg, computed elsewhere; the torsion
#: constant is h t³/3
LOADS = {1.0: 1.0875179378761675, -1.0: 0.6804274093675402}
#: places of the end behind and before the critical loads, by direction and factor, with a thousandth of the force
#: across: two exact rods by shooting (:mod:`flexmb.validation.references.angle_frame`)
PATHS = {
    -1.0: {
        0.6: (239.87810833, -240.04017769, 1.87936258),
        0.7: (223.33570436, -233.86874393, 88.14917624),
        0.9: (110.73900097, -189.25465451, 212.40816846),
    },
    1.0: {
        1.0: (240.19540288, -239.92465233, 0.84685883),
        1.1: (243.60722587, -237.33422908, 19.44479428),
        1.3: (278.62419452, -209.30540156, 55.20174387),
    },
}
#: what 8 elements a leg leave of a place, as a part of a leg: where the frame is nearly straight, and where it is bent
LEFT = {0.6: 5e-8, 0.7: 3e-6, 0.9: 1e-5, 1.0: 5e-8, 1.1: 3e-6, 1.3: 3e-6}
#: times [s] at which the motions are compared, and by how much they may be apart: both meshes are coarse for the modes
#: that come in later
TIMES = {5.0: 0.01, 10.0: 0.01, 15.0: 0.01, 20.0: 0.05, 25.0: 0.05, 30.0: 0.05}
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


def struck(theory: str, elements: int) -> fm.SpatialModel:
    """The frame in motion, by a triangle of force of 2 s across its plane."""
    model = fm.SpatialModel("struck frame")
    given = fm.spatial.BeamProperties(
        EA=1e6, EIy=1e3, EIz=1e3, GJ=1e3, rhoA=1.0, GAy=1e6, GAz=1e6, rhoIy=10.0, rhoIz=10.0, rhoIp=20.0
    )
    options = {"properties": given, "theory": theory, "elements": elements}
    first = model.add_beam("first leg", model.ground, (10.0, 0.0, 0.0), **options)  # type: ignore[arg-type]
    model.add_beam("second leg", first.end, (10.0, 10.0, 0.0), **options)  # type: ignore[arg-type]
    model.point_force(first.end, (0.0, 0.0, 50.0), factor=fm.PiecewiseLinear([0.0, 1.0, 2.0], [0.0, 1.0, 0.0]))
    return model


def swing(theory: str, elements: int, times: np.ndarray) -> np.ndarray:
    """The displacement (k,) of its free end across the plane."""
    run = fm.simulate(struck(theory, elements), 30.0, step=0.02, progress=False, second_run=False)
    return np.asarray(run.at(times)["second leg.end"].position[:, 2])


@case("right-angle-frame", draw=bent)
def compute() -> Iterator[Record]:
    """a thin right-angle frame that buckles out of its plane either way: critical loads, paths; a soft one in motion"""
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
    yield from _paths()
    yield from _motion()


def _paths() -> Iterator[Record]:
    """Load paths that a small force across leads out of the plane."""
    source, why = "two exact rods by shooting", "left by 8 elements a leg"
    for force, places in PATHS.items():
        way = "outwards" if force > 0.0 else "inwards"
        for factor, exact in places.items():
            found = end_at(8, force, factor)
            for axis, got, wanted in zip("xyz", found, exact):
                about = f"{way}, load {factor:g} and 0.1 % across: {axis} of the end"
                yield Check(about, got, wanted, LEFT[factor] * LEG, source, why)
    counts = (4, 8)
    errors = [float(np.linalg.norm(end_at(n, -1.0, 0.9) - PATHS[-1.0][0.9])) for n in counts]
    yield Errors("inwards, load 0.9: place of the end", "elements a leg", counts, errors, -4.0)


def end_at(elements: int, force: float, factor: float) -> np.ndarray:
    """The place (3,) of the free end under a part of the force, with a thousandth of it across."""
    path = fm.equilibrium_path(build(elements, force, 1e-3), factor=factor, stability=False)
    return np.asarray(path["second leg.end"].position[-1])


def _motion() -> Iterator[Record]:
    """The soft frame: two theories against each other."""
    exact, modes = (swing(theory, n, np.array(list(TIMES))) for theory, n in (("exact", 8), ("cms", 4)))
    for (t, apart), one, two in zip(TIMES.items(), exact, modes):
        about = f"struck, at {t:g} s: displacement of the end across the plane, exact and CMS"
        yield Check(about, one, two, apart, "CMS, 4 elements a leg", "left by both meshes")
