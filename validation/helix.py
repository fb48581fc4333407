"""A round rod under a torque on its end that keeps its direction coils to a helix, whatever its torsional stiffness.

Without forces the moment M is the same everywhere, and the rod is a symmetric top with the arc length for time (Love
(1927), chapter 18): its tangent turns about M at the rate |M|/EI, and the section turns on about the tangent,

    e' = k × e,   k = M/EI,   r = ∫ e ds,   R = exp(k s) exp((M·e_x) (1/GJ − 1/EI) s e_x)

A coil spring, a beam along a helix of n turns of the radius R and the angle α, wire of the diameter d: a force F in its
axis twists the wire by F R cos α and bends it by F R sin α, so by Castigliano it lengthens by

    δ = 64 F R³ n/(d⁴ cos α) (cos² α/G + 2 sin² α/E)
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.validation.registry import Check, Errors, Record, case

#: EI = 1 Nm², the length is 1 m; the torque [Nm], which makes a turn and a half
TORQUE = np.array([4.0, 0.0, 8.5])
#: GJ by EI: a rod of one stiffness, whose strains are the same everywhere, and one that twists more easily
ALIKE, SOFT = 1.0, 0.6
NUMBERS = (12, 24, 48)


def build(elements: int, GJ: float = SOFT) -> fm.SpatialModel:
    """The rod along x, clamped at its start."""
    model = fm.SpatialModel("helix")
    given = fm.spatial.BeamProperties(EA=1e4, EIy=1.0, EIz=1.0, GJ=GJ, rhoA=1.0, rhoIp=1e-3, GAy=4e3, GAz=4e3)
    rod = model.add_beam(
        "rod", model.ground, (1.0, 0.0, 0.0), properties=given, theory="exact", elements=elements, y_axis="y"
    )
    model.point_torque(rod.end, TORQUE)
    return model


def coiled(elements: int, GJ: float = SOFT) -> fm.State:
    """The rod under its whole torque."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.errors.AccuracyWarning)
        return fm.equilibrium_path(build(elements, GJ), steps=15, stability=False).state(-1)


def end(GJ: float) -> tuple[np.ndarray, Rotation]:
    """Place (3,) [m] and orientation of the end in closed form."""
    rate = float(np.linalg.norm(TORQUE))
    axis, ahead = TORQUE / rate, np.array([1.0, 0.0, 0.0])
    along = (axis @ ahead) * axis
    place = along + np.sin(rate) / rate * (ahead - along) + (1.0 - np.cos(rate)) / rate * np.cross(axis, ahead)
    return place, Rotation.from_rotvec(TORQUE) * Rotation.from_rotvec(TORQUE[0] * (1.0 / GJ - 1.0) * ahead)


#: the coil spring: E and G [Pa], radius R, pitch and diameter d of its wire [m], turns n, and the force F [N]
YOUNG, SHEAR, RADIUS, PITCH, WIRE, TURNS, PULL = 2e11, 8e10, 0.03, 0.05, 0.005, 3.0, 1e-3


def spring(elements: int) -> fm.SpatialModel:
    """The coil spring, clamped, with the force in its axis on an arm at its end; its sections do not shear."""
    model = fm.SpatialModel("spring")
    bending = YOUNG * np.pi * WIRE**4 / 64.0
    given = fm.spatial.BeamProperties(
        EA=1e10, EIy=bending, EIz=bending, GJ=SHEAR * np.pi * WIRE**4 / 32.0, rhoA=0.15, rhoIp=1e-6
    )
    coil = fm.Helix(center=(0, 0, 0), start=(RADIUS, 0, 0), angle=2.0 * np.pi * TURNS, pitch=PITCH)
    foot = model.add_frame("foot", (RADIUS, 0, 0), fixed=True)
    wire = model.add_beam("wire", foot, axis=coil, properties=given, theory="exact", elements=elements)
    arm = wire.end.orientation.inv().apply(np.array([0.0, 0.0, PITCH * TURNS]) - wire.end.position)
    model.point_force(wire.end.attach("hook", arm), (0.0, 0.0, PULL))
    return model


def lengthening(elements: int) -> float:
    """How far the hook moves along the axis [m]."""
    return float(fm.equilibrium(spring(elements)).solution["hook"].z[0] - PITCH * TURNS)


def of_castigliano() -> float:
    """δ [m]."""
    angle = np.arctan(PITCH / (2.0 * np.pi * RADIUS))
    compliance = np.cos(angle) ** 2 / SHEAR + 2.0 * np.sin(angle) ** 2 / YOUNG
    return float(64.0 * PULL * RADIUS**3 * TURNS / (WIRE**4 * np.cos(angle)) * compliance)


def off(elements: int, GJ: float) -> tuple[float, float]:
    """How far the end is off in place [m] and in orientation [rad]."""
    state, (place, turn) = coiled(elements, GJ)["rod.end"], end(GJ)
    return float(np.linalg.norm(state.position - place)), float((state.orientation * turn.inv()).magnitude())


@case("helix", draw=lambda: coiled(24))
def compute() -> Iterator[Record]:
    """a round rod that a torque on its end coils to a helix: exact where its strains are the same everywhere"""
    source = "symmetric top"
    for elements in (6, 12):
        place, turn = off(elements, ALIKE)
        why = "the elements are helices: the tolerance of the solver"
        yield Check(f"GJ = EI, {elements} elements: the end is off by [m]", place, 0.0, 1e-9, source, why)
        yield Check(f"GJ = EI, {elements} elements: the end is turned off by [rad]", turn, 0.0, 1e-9, source, why)
    errors = [off(elements, SOFT) for elements in NUMBERS]
    for k, what in enumerate(("place of the end [m]", "orientation of the end [rad]")):
        found = [error[k] for error in errors]
        yield Errors(f"GJ = {SOFT:g} EI: {what}", "elements", NUMBERS, found, -4.0)
        order = float(np.log2(found[1] / found[2]))
        yield Check(
            f"GJ = {SOFT:g} EI: order of convergence of the {what}, 24 to 48", order, 4.0, 0.1, "theory of the element",
            "higher orders",
        )  # fmt: skip
    exact = of_castigliano()
    found = [lengthening(n) for n in (32, 64)]
    yield Check(
        "spring of three turns, 64 elements: it lengthens by [µm]", 1e6 * found[-1], 1e6 * exact, 1e-4 * 1e6 * exact,
        "Castigliano", "21 elements in each turn, of order four, and the square of a small lengthening",
    )  # fmt: skip
    order = float(np.log2((found[0] - exact) / (found[1] - exact)))
    yield Check("spring: order of convergence, 32 to 64 elements", order, 4.0, 0.1, "theory", "higher orders")
