"""Finite-element appendages on a spinning base: blades and a plate, against the literature and a reduced body."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb import bodies
from flexmb.analyses.statics.equilibrium import equilibrium
from flexmb.analyses.vibration.complex_modes import complex_modes
from flexmb.validation.registry import Check, case

#: lowest frequency of flapping of a uniform blade on a hub without radius, by η = ΩL²√(μ/EI), times L²√(μ/EI)
FLAP = {0: 3.5160, 2: 4.1373, 5: 6.4495, 10: 11.2023}
#: EA L²/EI: the blade is 4 millionths longer at η = 10
STIFF = 1e8
GIVEN = fm.spatial.BeamProperties(EA=STIFF, EIy=1.0, EIz=1.0, GJ=1.0, rhoA=1.0, rhoIp=1e-8)
PLACES = {"root": (0, 0, 0), "tip": (1, 0, 0)}
#: the plate, a strip that does not widen [m]
WIDTH, THICKNESS = 0.1, 0.004
METAL = fm.Material(density=2700.0, youngs_modulus=7e10, poissons_ratio=0.0)


def members(elements: int = 24) -> list[bodies.Member]:
    """The blade."""
    return [bodies.Member(("root", "tip"), properties=GIVEN, elements=elements)]


def blade() -> Any:
    """The full model of the blade. Its tension is the same all along an element, so that many are taken."""
    return bodies.frame_model(PLACES, members(96), name="blade")


def plate() -> Any:
    """The full model of the plate, of bricks of 27 nodes."""
    import skfem

    y, z = np.linspace(-0.5, 0.5, 3) * WIDTH, np.array([-0.5, 0.5]) * THICKNESS
    return bodies.mesh_model(skfem.MeshHex.init_tensor(np.linspace(0.0, 1.0, 17), y, z), METAL, name="plate")


def body_on_base(speed: float) -> fm.SpatialModel:
    """The blade as a reduced body on a driven hub."""
    model = fm.SpatialModel("blade on a hub")
    hub = model.add_body("hub", mass=1.0, inertia=(1e-3, 1e-3, 1e-3))
    model.revolute(model.ground, hub.frame, axis="z", name="bearing")
    model.drive_angle(model.ground, hub.frame, fm.Polynomial([0.0, speed]), axis="z", name="shaft")
    reduced = bodies.from_frame(PLACES, members(), interfaces={"root": "root"}, modes=12)
    model.weld(hub.frame, model.add_modal_body("blade", reduced).at("root"), name="clamp")
    return model


@case("appendage", draw=lambda: body_on_base(5.0))
def compute() -> Iterator[Check]:
    """appendages on a spinning base, after Likins: flap and lag of a blade, a plate, and a reduced body on a hub

    A blade on a hub without radius flaps the faster, the faster it spins; in the plane of rotation ω_lag² = ω_flap² −
    η². Without the stiffness of its tension it would soften, and diverge.
    """
    full = blade()
    published, digit = "Wright et al. (1982)", "the last digit; 96 elements leave 5e-5 at η = 10"
    for eta, flap in FLAP.items():
        found = bodies.appendage_matrices(full, "root", (0.0, 0.0, eta)).poles(2).imag
        yield Check(f"flap at η = {eta}", float(found[1]), flap, 1e-4, published, digit)
        lag = float(found[0]) ** 2
        yield Check(f"lag² at η = {eta}", lag, flap**2 - eta**2, 2.5e-4 * flap, "flap² − η²", "that of flap, squared")
    soft = bodies.appendage_matrices(full, "root", (0.0, 0.0, 5.0), geometric_stiffness=False).poles(3)
    squared = -(float(np.max(soft.real)) ** 2)
    yield Check("lag² at η = 5 without tension", squared, FLAP[0] ** 2 - 25.0, 1e-3, "3.5160² − η²", digit)
    for speed in (2.0, 5.0):
        wanted = bodies.appendage_matrices(full, "root", (0.0, 0.0, speed)).poles(2).imag
        state = equilibrium(body_on_base(speed), spin=speed, axis="z", center=(0.0, 0.0, 0.0))
        found = np.sort(np.abs(complex_modes(state, 2).eigenvalues.imag))
        for k, what in enumerate(("lag", "flap")):
            why = "0.1 %: twelve modes and six slave shapes"
            yield Check(f"{what} at η = {speed:g}, reduced body / appendage", float(found[k] / wanted[k]), 1.0, 1e-3,
                        "the same blade by Likins' matrices", why)  # fmt: skip
    strip, unit = plate(), np.sqrt(METAL.youngs_modulus / METAL.density / 12.0) * THICKNESS
    edge = bodies.on_plane((0, 0, 0), (1, 0, 0))
    for eta in (0, 5):
        found = bodies.appendage_matrices(strip, edge, (0.0, 0.0, eta * unit)).poles(1).imag
        why = "0.2 %: the root, whose section stays flat, and 16 elements"
        yield Check(f"plate: flap at η = {eta}", float(found[0] / unit), FLAP[eta], 2e-3 * FLAP[eta], published, why)
