"""Bodies from meshes of solid elements."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from flexmb.bodies.full_models.full_model import FullModel, MassField
from flexmb.bodies.full_models.mesh_files import mesh_of_file
from flexmb.bodies.full_models.meshed_elements import MeshedElements, meshed_elements
from flexmb.bodies.full_models.solid_elements import (
    Field,
    Heated,
    JoinedElements,
    SolidElements,
    lame_constants,
    thermal_modulus,
)
from flexmb.bodies.reduced_body import ReducedBody
from flexmb.bodies.reducing.nodal_loads import NodalLoad
from flexmb.bodies.reducing.reduction import Reduction, reduce
from flexmb.bodies.reducing.thermal_loads import ThermalLoad
from flexmb.errors import AccuracyWarning, ModelError, warn
from flexmb.machine import files
from flexmb.model import checks, given_names
from flexmb.model.geometry.sections import Material
from flexmb.model.hints import answers_calls

#: sound in a bar, √(E/ρ) [m/s], is faster in no material; sizes [m] of bodies that are looked at twice
FASTEST, SMALLEST, LARGEST = 2.5e4, 1e-4, 200.0


@answers_calls
def mesh_model(
    mesh: Any, material: Material, *, order: int = 2, scale: float = 1.0, thickness: float = 1.0,
    plane_strain: bool = False, name: str = "body",
) -> FullModel:  # fmt: skip
    """The full model of a mesh, before any reduction; arguments as for :func:`from_mesh`.

    >>> import skfem
    >>> cube = mesh_model(skfem.MeshHex(), Material(1000, 1e9))
    >>> cube.stiffness.shape
    (81, 81)
    """
    return _meshed(mesh, material, order, scale, thickness, plane_strain, name)[0]


def _meshed(
    mesh: Any, material: Material, order: int, scale: float, thickness: float, plane_strain: bool, name: str
) -> tuple[FullModel, MeshedElements]:
    """The full model of a mesh and its elements."""
    where = f"body {given_names.name(name, 'a body')!r}"
    if not isinstance(material, Material):
        raise ModelError(f"{where}: its material is missing; give a flexmb.Material, not {checks.quoted(material)}")
    found = meshed_elements(
        _read(mesh, where), material, order=checks.count(order, "order", where, 1, 2),
        scale=checks.positive(scale, "scale", where), thickness=checks.positive(thickness, "thickness", where),
        plane_strain=checks.flag(plane_strain, "plane_strain", where), where=where,
    )  # fmt: skip
    _check_units(found.nodes, material, where)
    N, d = found.nodes.shape
    m, elements = found.elements.mass(), found.elements
    modulus = thermal_modulus(material, lame_constants(material, d, plane_strain, where), d, plane_strain)
    model = FullModel(
        found.nodes, elements.stiffness(), sp.kron(m, sp.eye(d)), np.repeat(np.arange(N), d), np.tile(np.arange(d), N),
        MassField(found.nodes, m), elements.stress_work, lambda u: sp.kron(elements.geometric(u), sp.eye(d)),
        found.sets, found.cells, name=name, points=found.points, forces=elements.forces,
        heated=lambda temperature, at: _heated(elements, found.nodes, modulus, temperature, at),
        pair_strains=elements, elasticity=found.elasticity,
    )  # fmt: skip
    return model, found


def _heated(
    elements: SolidElements | JoinedElements, nodes: np.ndarray, modulus: float, temperature: Field, at: str
) -> Heated:
    """What a field of temperature does, see :class:`flexmb.bodies.full_models.full_model.FullModel`."""
    if modulus == 0.0:
        raise ModelError(f"{at}: its material has no thermal_expansion; give fm.Material(…, thermal_expansion=…) [1/K]")
    return elements.heated(nodes, modulus, temperature)


@answers_calls
def from_mesh(
    mesh: Any,
    material: Material,
    *,
    interfaces: Mapping[str, Any],
    followers: Mapping[str, Any] | None = None,
    loads: Mapping[str, NodalLoad | ThermalLoad] | None = None,
    modes: int = 20,
    order: int = 2,
    scale: float = 1.0,
    thickness: float = 1.0,
    plane_strain: bool = False,
    reduction: Reduction | None = None,
    name: str = "body",
) -> ReducedBody:
    """A reduced body from a mesh of solid elements, assembled by scikit-fem.

    Arguments: `mesh`, of meshio, meshlane or scikit-fem, or the path of a file that meshio reads: tetrahedra,
    hexahedra, wedges, pyramids, or several of them that share whole faces, in the plane triangles and quadrilaterals;
    `material`, a :class:`flexmb.Material`; `interfaces` and
    `followers` by names, sets of nodes or :class:`Tie`: the basis has static modes for interfaces, and none for frames
    that only follow the body; `loads` by names, of forces or of heat, each with its deformation in the basis; `modes`,
    number of modes with held interfaces, 0 for static ones alone; `order` of the elements, 2, or 1 for a mesh with
    corners alone; `scale`, meters for each unit of the mesh; `thickness` [m] of a body of the plane, in plane stress
    unless `plane_strain`; `reduction`, further options.

    >>> import skfem
    >>> from flexmb.bodies import on_plane
    >>> bar = skfem.MeshHex.init_tensor(np.linspace(0, 1, 6), np.array([0, 0.1]), np.array([0, 0.1]))
    >>> body = from_mesh(bar, Material(7850, 205e9), interfaces={"root": on_plane((0, 0, 0), (1, 0, 0))}, modes=4)
    >>> body.modes, round(body.mass, 6)
    (4, 78.5)
    """
    model, found = _meshed(mesh, material, order, scale, thickness, plane_strain, name)
    body = reduce(model, interfaces, modes, reduction, followers=followers, loads=loads)
    if found.first_order and body.modes and body.mesh is not None:
        error = found.elements.uncertainty(body.mesh.shapes[:, :, 0].ravel())
        warn(
            f"body {name!r}: elements of the first order are too stiff in bending; stresses of neighbors let its "
            f"lowest frequency be about {50.0 * error:.2g} % too high; take order=2, or a finer mesh",
            AccuracyWarning,
        )
    return body


def _read(mesh: Any, where: str) -> Any:
    """The mesh of a file, or the one given."""
    if not isinstance(mesh, str | Path):
        return mesh
    import meshio

    source = files.path_to_read(mesh, f"{where}: mesh")
    return mesh_of_file(meshio, source, f"{where}: mesh {source}")


def _check_units(nodes: np.ndarray, material: Material, where: str) -> None:
    """Warn of sizes and materials that are plausible in other units than meters, kilograms and seconds."""
    size, speed = float(np.max(np.ptp(nodes, axis=0))), float(np.sqrt(material.youngs_modulus / material.density))
    if speed > FASTEST:
        warn(
            f"{where}: sound in its material would run at {speed:.3g} m/s, faster than in any; give its density in "
            "kg/m³ and Young's modulus in Pa",
            AccuracyWarning,
        )
    if not SMALLEST < size < LARGEST:
        warn(
            f"{where}: it is {size:.4g} m long; if its mesh is in millimeters, say scale=1e-3",
            AccuracyWarning,
        )
