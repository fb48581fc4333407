"""The Princeton beam: a thin strip that bends in both planes, and so twists, under a force on its end."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.references.rod_in_space import RodInSpace
from flexmb.validation.registry import Check, Errors, Record, case

#: Bauchau et al. (2016): length [m], EA, GAy, GAz [N], GJ, EIy, EIz [Nm²]
LENGTH, EA, GAY, GAZ, GJ, EIY, EIZ = 0.508, 2.84191e6, 6.40131e5, 9.03881e5, 3.10338, 36.2794, 2.42873
#: displacement [m] of the end of an exact rod under 13.345 N, by the angle of the force from z to y [°], by shooting
TABLE = {
    30: (-0.0171638261, 0.1179039223, 0.0167780537),
    45: (-0.0303617829, 0.1565898721, 0.0153423485),
    60: (-0.0412072363, 0.1819234400, 0.0117164962),
}
FORCE = 13.345
#: elements of the exact beam, and the largest distance of its end from that of the rod, by the length
EXACT = ((1, 5e-3), (2, 3.5e-4), (4, 2.2e-5), (8, 2e-6))
#: elements of the beam of component modes without shear, and the same
CMS = ((1, 2.5e-3), (2, 2e-4), (4, 1.3e-5))


def force_at(angle: float) -> np.ndarray:
    """The force (3,) [N] at an angle [°]."""
    turn = np.radians(angle)
    return FORCE * np.array([0.0, np.sin(turn), np.cos(turn)])


def build(theory: str, elements: int, angle: float = 45.0, **options: bool) -> fm.SpatialModel:
    """The beam along x with a force on its end."""
    model = fm.SpatialModel("princeton beam")
    given = fm.spatial.BeamProperties(EA, EIY, EIZ, GJ, rhoA=1.0, rhoIp=1e-4, GAy=GAY, GAz=GAZ)
    end = (LENGTH, 0.0, 0.0)
    kind: dict[str, Any] = {"theory": theory, "elements": elements, **options}
    beam = model.add_beam("beam", model.ground, end, properties=given, y_axis="y", **kind)
    model.point_force(beam.end, force_at(angle))
    return model


def moved(theory: str, elements: int, angle: float = 45.0, **options: bool) -> np.ndarray:
    """The displacement (3,) [m] of the end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.errors.AccuracyWarning)
        rest = fm.equilibrium(build(theory, elements, angle, **options))
    return np.asarray(rest["beam.end"].position) - [LENGTH, 0.0, 0.0]


def of_rod(angle: float, GAy: float = GAY, GAz: float = GAZ) -> np.ndarray:
    """The same of an exact rod."""
    return RodInSpace(LENGTH, GJ, EIY, EIZ, EA, GAy, GAz).end(force_at(angle))[0] - [LENGTH, 0.0, 0.0]


def uncoupled(angle: float) -> float:
    """The estimate of what shear that follows from the bending of each plane alone changes in the place of the end of
    an exact rod, by the length: a part of the deflection, that of the shear forces

        D_y = (EIy − EIz) κ₁ κ_y − κ_y T,     D_z = (EIz − EIy) κ₁ κ_z − κ_z T

    in the energy. These balance no moments (:mod:`flexmb.system.shear`), since Q_y = −EIz v''' and Q_z = −EIy w''', but
    κ_z' = v''' − κ₁ κ_y and κ_y' = −w''' + κ₁ κ_z where the turn of the section about the axis is 0.
    """
    force, rod = force_at(angle), RodInSpace(LENGTH, GJ, EIY, EIZ, EA, GAY, GAZ)
    start, stiffness = rod.clamp_moment(force), np.array([EA, GAY, GAZ, GJ, EIY, EIZ])
    excess = energy = 0.0
    for x, weight in zip(*np.polynomial.legendre.leggauss(12)):
        y = replace(rod, length=0.5 * LENGTH * (1.0 + x)).along(start, force)
        R = y[3:12].reshape(3, 3)
        forces = np.concatenate([R.T @ force, R.T @ y[12:]])
        strains = forces / stiffness
        twist, ky, kz = strains[3:]
        Dy, Dz = ((sign * (EIY - EIZ) * twist - forces[3]) * k for sign, k in ((1.0, ky), (-1.0, kz)))
        excess += weight * (Dy**2 / GAY + Dz**2 / GAZ)
        energy += weight * float(forces @ strains)
    moved_by = rod.along(start, force)[:3] - [LENGTH, 0.0, 0.0]
    return excess / energy * float(np.linalg.norm(moved_by)) / LENGTH


@case("princeton-beam", draw=lambda: fm.equilibrium(build("exact", 8)))
def compute() -> Iterator[Record]:
    """the Princeton beam, a strip bent in both planes: exact elements of order four, and component modes"""
    elsewhere, shooting = "exact rod, computed elsewhere", "exact rod, by shooting"
    for angle, known in TABLE.items():
        off = float(np.max(np.abs(of_rod(angle) - known)))
        yield Check(f"{angle}°: the reference against another one [m]", off, 0.0, 6e-11, elsewhere, "printed digits")
        for axis, got, wanted in zip("xyz", moved("exact", 128, angle), known):
            why = "ten printed digits, and what 128 elements leave"
            yield Check(f"{angle}°: displacement of the end, {axis}, 128 el. [m]", got, wanted, 1e-10, elsewhere, why)
    rod = of_rod(45.0)
    numbers = [elements for elements, _ in EXACT] + [16]
    errors = [float(np.linalg.norm(moved("exact", n) - rod)) / LENGTH for n in numbers]
    for (elements, allowed), off in zip(EXACT, errors):
        what = f"45°, exact, {elements} el.: the end is off by, by the length"
        yield Check(what, off, 0.0, allowed, shooting, "left by the elements: of fourth order")
    yield Errors("place of the end, by the length", "elements", numbers, errors, -4.0)
    order = float(np.log2(errors[-2] / errors[-1]))
    yield Check("order of convergence, 8 to 16 elements", order, 4.0, 0.05, "theory of the element", "higher orders")
    without = of_rod(45.0, np.inf, np.inf)
    apart = 2.0 * uncoupled(45.0)
    for elements, allowed in CMS:
        what = f"{elements} el.: the end is off by, by the length"
        off = float(np.linalg.norm(moved("cms", elements, shear=False) - without)) / LENGTH
        source = "exact rod without shear, by shooting"
        yield Check(f"45°, component modes, {what}", off, 0.0, allowed, source, "left by the elements")
        off = float(np.linalg.norm(moved("cms", elements) - rod)) / LENGTH
        why = f"left by the elements, and twice the estimate {0.5 * apart:.1e} of what shear without torsion changes"
        yield Check(f"45°, component modes with shear, {what}", off, 0.0, allowed + apart, shooting, why)
