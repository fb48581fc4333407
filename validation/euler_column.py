"""Euler's columns: buckling loads, and the path after buckling."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.optimize import brentq

import flexmb as fm
from flexmb.validation.references import elastica
from flexmb.validation.registry import Check, case

PROPERTIES = fm.planar.BeamProperties(EA=1e8, EI=1.0, rhoA=1.0, rhoI=1e-6)
#: tan x = x, for the column that is clamped below and hinged above
_CLAMPED_HINGED = float(brentq(lambda x: np.tan(x) - x, 4.4, 4.6, xtol=1e-14)) ** 2
LOADS = {
    "clamped, free": 0.25 * np.pi**2,
    "hinged, hinged": np.pi**2,
    "clamped, hinged": _CLAMPED_HINGED,
    "clamped, clamped": 4.0 * np.pi**2,
}
ELEMENTS = {"ancf": 32, "cms": 8, "exact": 64}
#: relative
TOLERANCE = {"ancf": 5e-6, "cms": 5e-6}


def build(ends: str, theory: str, elements: int) -> fm.PlanarModel:
    """An upright column of 1 m under a force of 1 N, scaled by the load factor."""
    model = fm.PlanarModel(f"column, {ends}")
    below, above = ends.split(", ")
    foot = model.ground if below == "clamped" else (0.0, 0.0)
    column = model.add_beam("column", foot, (0.0, 1.0), properties=PROPERTIES, theory=theory, elements=elements)
    if below == "hinged":
        model.revolute(model.ground, column.start, name="foot")
    if above != "free":
        model.lock(model.ground, column.end, "x", name="guide")
    if above == "clamped":
        model.lock(model.ground, column.end, "angle", name="clamp")
    model.point_force(column.end, (0.0, -1.0), name="weight")
    return model


def after_buckling() -> fm.State:
    """The column on a foot that has buckled one way."""
    model = build("clamped, free", "cms", 8)
    buckling = fm.equilibrium_path(model, factor=3.0).critical[0]
    return fm.equilibrium_path(model, factor=3.0, initial=buckling).state(-1)


@case("euler-column", draw=after_buckling)
def compute() -> Iterator[Check]:
    """buckling loads of clamped and hinged columns, and a post-buckling path on the elastica"""
    for ends, load in LOADS.items():
        for theory, elements in ELEMENTS.items():
            if theory == "exact":  # straight elements make the load larger by (k h)²/12, k² = load/EI
                straight = load / elements**2
                wanted, why = load * (1.0 + straight / 12.0), "straight elements: next term of (k h)²"
                allowed = load * (0.02 * straight**2 + 1e-6)
            else:
                wanted, why, allowed = load, "left by the elements", TOLERANCE[theory] * load
            path = fm.equilibrium_path(build(ends, theory, elements), factor=1.1 * load)
            first = path.critical[0]
            about = f"{ends}: {theory}, {elements} elements [EI/L²]"
            yield Check(about, first.factor, wanted, allowed, "Euler", why)
            is_bifurcation = float(first.kind == "bifurcation")
            yield Check(f"{ends}: {theory}: is a bifurcation", is_bifurcation, 1.0, 0.0, "Euler", "yes or no")
    model = build("clamped, free", "cms", 8)
    buckling = fm.equilibrium_path(model, factor=3.0).critical[0]
    for about, leave in (("one way", buckling), ("the other way", buckling.reversed())):
        branch = fm.equilibrium_path(model, factor=3.0, initial=leave)
        k = float(brentq(lambda m: elastica.buckled_load(m) - 3.0, 1e-6, 0.999))
        lean = 2.0 * np.arcsin(np.sqrt(k))
        got = abs(float(branch["column.end.angle"][-1]) - 0.5 * np.pi)
        what = f"after buckling, {about}: lean of the end at 3 EI/L² [rad]"
        yield Check(what, got, lean, 2e-6, "K(k)² = α", "left by 8 elements")
        yield Check(f"after buckling, {about}: is stable", float(branch.stable[-1]), 1.0, 0.0, "theory", "yes or no")
