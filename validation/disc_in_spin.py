"""A thin ring of tetrahedra that spins steadily: its frequencies against those that CalculiX finds on the same mesh."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.linalg

import flexmb as fm
from flexmb import bodies
from flexmb.analyses.vibration.complex_modes import complex_modes
from flexmb.validation.registry import Check, Record, case

#: input deck of CalculiX 2.20, with its mesh: inner radius 0.1 m, outer radius 0.3 m, 4 mm thick
DECK = Path(__file__).parent / "references" / "calculix" / "disc.inp"
STEEL = fm.Material(density=7850.0, youngs_modulus=2.1e11, poissons_ratio=0.3)
SPEED = 300.0
#: frequencies [rad/s] that it printed for bending without and with one and two nodal diameters, by *FREQUENCY and by
#: *FREQUENCY in a step of *PERTURBATION behind *CENTRIF
AT_REST = (653.0304, 710.5518, 710.5518, 917.2925, 917.2925)
IN_SPIN = (747.0156, 812.5443, 812.5443, 1031.249, 1031.249)


def mesh() -> Any:
    """The tetrahedra of the deck, of ten nodes each."""
    import meshio

    return meshio.read(DECK)


def disc_on_shaft(modes: int = 20) -> fm.SpatialModel:
    """The disc as a reduced body on a hub that a shaft drives."""
    model = fm.SpatialModel("disc on a shaft")
    hub = model.add_body("hub", mass=1.0, inertia=(1.0, 1.0, 1.0))
    model.revolute(model.ground, hub.frame, axis="z", name="bearing")
    model.drive_angle(model.ground, hub.frame, fm.Polynomial([0.0, SPEED]), axis="z", name="shaft")
    how = bodies.Reduction(estimate=False, progress=False)
    reduced = bodies.from_mesh(mesh(), STEEL, interfaces={"hub": "INNER"}, modes=modes, reduction=how)
    body = model.add_modal_body("disc", reduced)
    model.weld(hub.attach("rim", body.at("hub").position), body.at("hub"), name="clamp")
    return model


@case("disc-in-spin", draw=disc_on_shaft)
def compute() -> Iterator[Record]:
    """frequencies of a disc at rest and in steady spin, by CalculiX: of all coordinates, and of a reduced body

    Tension stiffens the disc, the more the more nodal diameters its mode has. CalculiX also counts how far the disc has
    grown, with strains of 1e-4, and leaves out the forces of Coriolis, which part pairs of frequencies: their mean is
    compared.
    """
    full, printed = bodies.mesh_model(mesh(), STEEL), "CalculiX 2.20, its .dat file"
    squares = []
    for speed, known in ((0.0, AT_REST), (SPEED, IN_SPIN)):
        spun = bodies.appendage_matrices(full, "INNER", (0.0, 0.0, speed))
        K, M = (x.toarray() for x in (spun.stiffness, spun.mass))
        found = np.sqrt(scipy.linalg.eigh(K, M, eigvals_only=True, subset_by_index=(0, len(known) - 1)))
        squares.append(found**2)
        for k, wanted in enumerate(known):
            why = "1e-4: other points of integration of the mass, and of the tension"
            yield Check(f"{speed:g} rad/s: ω{k + 1} [rad/s]", float(found[k]), wanted, 1e-4 * wanted, printed, why)
    growth = (squares[1] - squares[0])[[0, 1, 3]]
    for d, own, wanted in zip((0, 1, 2), growth, (np.square(IN_SPIN) - np.square(AT_REST))[[0, 1, 3]], strict=True):
        label = f"growth of ω² by spin with {d} nodal diameters, by that of CalculiX"
        yield Check(label, float(own / wanted), 1.0, 1e-3, printed, "strains of 1e-4, by frequencies of ten times ω")
    state = fm.equilibrium(disc_on_shaft(), spin=SPEED, axis="z", center=(0.0, 0.0, 0.0))
    found = np.sort(np.abs(complex_modes(state, len(IN_SPIN)).eigenvalues.imag))[: len(IN_SPIN)]
    for d, (first, last) in enumerate(((0, 1), (1, 3), (3, 5))):
        mean, wanted = float(np.mean(found[first:last])), IN_SPIN[first]
        label = f"{SPEED:g} rad/s, reduced body, {d} nodal diameters: ω [rad/s]"
        yield Check(label, mean, wanted, 2e-4 * wanted, printed, "as of all coordinates, and twenty modes")
