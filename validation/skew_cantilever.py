"""A cantilever under a skew force on its end: bent in both planes, and twisted by that."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.validation.references import torsion_bending
from flexmb.validation.references.rod_in_space import RodInSpace
from flexmb.validation.registry import Check, Errors, Record, case

#: EA [N]; it stretches by 1e-7
EA = 1e7
FORCE = np.array([0.0, 0.8, 0.5])
#: GJ, EIy, EIz [Nm²], and the tip of an unstretchable rod, computed elsewhere to these digits [m]
RODS = {
    "alike in both planes": ((0.8, 1.0, 1.0), (0.94894552, 0.24374308, 0.15233942)),
    "softer in one plane": ((0.5, 0.4, 1.0), (0.8899675, 0.23644976, 0.34007182)),
}
#: of each rod: elements, modes of bending a plane, of torsion, and the largest distance of the end from its place [m]
ROWS = {
    "alike in both planes": ((1, 0, 0, 9.5e-4), (1, 1, 1, 9.1e-4), (2, 1, 1, 7.6e-5), (8, 2, 2, 4e-7)),
    "softer in one plane": (
        (1, 0, 0, 1.1e-2),
        (1, 1, 1, 4.5e-3),
        (1, 2, 2, 3.2e-3),
        (2, 1, 1, 3.9e-4),
        (8, 2, 2, 1.1e-6),
    ),
}


def build(stiffness: tuple[float, float, float], force: Any, elements: int, **options: Any) -> fm.SpatialModel:
    """The cantilever of 1 m along x with a force on its end."""
    GJ, EIy, EIz = stiffness
    model = fm.SpatialModel("skew cantilever")
    given = fm.spatial.BeamProperties(EA=EA, EIy=EIy, EIz=EIz, GJ=GJ, rhoA=1.0, rhoIp=1e-2)
    beam = model.add_beam(
        "beam", model.ground, (1.0, 0.0, 0.0), properties=given, theory="cms", elements=elements, **options
    )
    model.point_force(beam.end, force)
    return model


def at_rest(model: fm.SpatialModel) -> fm.Equilibrium:
    """The cantilever under its force."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.errors.AccuracyWarning)
        return fm.equilibrium(model)


def end_at_rest(model: fm.SpatialModel) -> tuple[np.ndarray, Rotation]:
    """Place (3,) [m] and orientation of the end."""
    end = at_rest(model)["beam.end"]
    return np.asarray(end.position), end.orientation


def twisted(turn: Rotation) -> float:
    """The twist about the axis of the rod [rad], what is left without the smallest turn that swings the axis."""
    q = turn.as_quat()
    return float(2.0 * np.arctan2(q[0], q[3]))


@case("skew-cantilever", draw=lambda: at_rest(build(RODS["softer in one plane"][0], FORCE, 2, modes=2)))
def compute() -> Iterator[Record]:
    """a cantilever under a skew dead force: the exact rod, the order of the elements, the twist by bending"""
    shooting, elsewhere = "Kirchhoff's rod, by shooting", "Kirchhoff's rod, computed elsewhere"
    for name, (stiffness, known) in RODS.items():
        rod = RodInSpace(1.0, *stiffness)
        off = float(np.max(np.abs(rod.end(FORCE)[0] - known)))
        yield Check(f"{name}: the reference against another one [m]", off, 0.0, 1e-8, elsewhere, "printed digits")
        exact = RodInSpace(1.0, *stiffness, EA).end(FORCE)[0]
        for elements, modes, torsion, allowed in ROWS[name]:
            model = build(stiffness, FORCE, elements, modes=modes, torsion_modes=torsion)
            off = float(np.linalg.norm(end_at_rest(model)[0] - exact))
            about = f"{name}: {elements} el., {modes} + {torsion} modes: the end is off by [m]"
            yield Check(about, off, 0.0, allowed, shooting, "left by the elements: field of second order in slopes")
    for name, (stiffness, _) in RODS.items():
        exact = RodInSpace(1.0, *stiffness, EA).end(FORCE)[0]
        errors, numbers = [], (8, 16)
        for elements in numbers:
            model = build(stiffness, FORCE, elements, modes=1, torsion_modes=1)
            errors.append(float(np.linalg.norm(end_at_rest(model)[0] - exact)))
        yield Errors(f"rod {name}: place of the end [m]", "elements", numbers, errors, -4.0)
        what = f"{name}: order of convergence, 8 to 16 elements"
        order = float(np.log2(errors[0] / errors[1]))
        yield Check(what, order, 4.0, 0.05, "theory of the element", "terms of higher order")
    yield from _twist()


def _twist() -> Iterator[Check]:
    """The twist that small bending in both planes makes is of second order in the forces."""
    GJ, EIy, EIz = stiffness = RODS["softer in one plane"][0]
    found = []
    for part in (0.04, 0.02):
        force = part * FORCE
        model = build(stiffness, force, 1, modes=1, torsion_modes=3)
        found.append(twisted(end_at_rest(model)[1]) / part**2)
    wanted = torsion_bending.twist(FORCE[1], FORCE[2], 1.0, GJ, EIy, EIz)
    closed = "F_y F_z L⁴/(12 GJ) (1/EIz − 1/EIy)"
    limit = (4.0 * found[1] - found[0]) / 3.0
    what = "twist by small bending in both planes, by the square of the force [rad]"
    yield Check(what, limit, wanted, 2e-5 * abs(wanted), closed, "left by the modes of torsion, and by EA")
