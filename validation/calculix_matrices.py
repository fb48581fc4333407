"""A bar of solid elements that CalculiX assembled: its matrices read, its frequencies, and our own elements beside."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

import flexmb as fm
from flexmb import bodies
from flexmb.bodies.reducing.held_body import HeldBody
from flexmb.bodies.reducing.mode_basis import held_modes
from flexmb.bodies.reducing.reduction import Reduction
from flexmb.bodies.reducing.ties import tied_sets
from flexmb.validation.registry import Check, Record, case

#: input deck and the files that CalculiX 2.20 wrote by *FREQUENCY, SOLVER=MATRIXSTORAGE
JOB = Path(__file__).parent / "references" / "calculix" / "bar"
ALUMINIUM = fm.Material(density=2700.0, youngs_modulus=7e10, poissons_ratio=0.33)
#: frequencies [rad/s] that it printed for the same deck by *FREQUENCY, free and with *BOUNDARY at the node set ROOT
FREE = (14029.96, 16195.35, 30555.07, 40205.70, 45068.92, 54113.78, 63568.60, 82445.25)
HELD = (2178.939, 2559.277, 13770.53, 14991.55, 16123.36, 27311.62, 39753.43, 44030.41)


def _mesh() -> Any:
    """The nodes and bricks of the deck."""
    import meshio

    return meshio.read(JOB.with_suffix(".inp"))


def bar_in_space() -> fm.SpatialModel:
    """The bar, reduced by our own elements, free in space."""
    model = fm.SpatialModel("bar")
    how = Reduction(estimate=False, progress=False)
    model.add_modal_body(
        "bar", bodies.from_mesh(_mesh(), ALUMINIUM, interfaces={"root": "ROOT"}, modes=4, reduction=how)
    )
    return model


@case("calculix-matrices", draw=bar_in_space)
def matrices() -> Iterator[Record]:
    """frequencies of a bar from the matrices that CalculiX wrote, and its matrices against those of our own elements"""
    given = bodies.read_calculix(JOB)
    body = bodies.from_matrices(*given, interfaces={}, modes=len(FREE), reduction=Reduction(progress=False))
    printed, digits = "CalculiX 2.20, its .dat file", "seven digits are printed"
    for k, wanted in enumerate(FREE):
        yield Check(f"free: ω{k + 1} [rad/s]", float(body.frequencies[k]), wanted, 5e-7 * wanted, printed, digits)
    model = bodies.matrix_model(*given)
    held = held_modes(HeldBody(model, tied_sets(model, {"root": "ROOT"})), len(HELD))[0]
    for k, wanted in enumerate(HELD):
        yield Check(f"root held: ω{k + 1} [rad/s]", float(held[k]), wanted, 5e-7 * wanted, printed, digits)
    own = bodies.mesh_model(_mesh(), ALUMINIUM, order=1)
    at = 3 * cKDTree(own.nodes).query(model.nodes)[1][model.node_of] + model.direction_of
    for what, ours, theirs in (("K", own.stiffness, model.stiffness), ("M", own.mass, model.mass)):
        apart = float(abs(ours[at][:, at] - theirs).max() / abs(theirs).max())
        source, why = "the matrix that CalculiX wrote", "14 digits are written"
        yield Check(f"{what} of our own bricks, largest difference, relative", apart, 0.0, 1e-12, source, why)
    exact = float(model.mass_field is not None)
    yield Check("1 if its mass matrix is that of points", exact, 1.0, 0.0, "bricks have no rotary part", "yes or no")
    yield Check("mass [kg]", body.mass, 2700.0 * 0.3 * 0.02 * 0.03, 1e-8, "volume times density", "8 digits of places")
    rigid = np.abs(model.stiffness @ model.rigid_modes()).max() / abs(model.stiffness).max()
    yield Check(
        "largest force of rigid motions, relative", float(rigid), 0.0, 1e-12, "a body without supports", "14 digits"
    )
