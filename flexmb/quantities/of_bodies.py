"""Quantities of bodies with meshes by their names: stresses at their nodes, which follow from amplitudes of modes."""

from __future__ import annotations

from flexmb.bodies.stresses import COMPONENTS, needed_elasticity, stress_modes
from flexmb.model.appearance import MeshPlace
from flexmb.quantities import formulas
from flexmb.quantities.places import Places
from flexmb.quantities.quantity import Quantity


def of_stress(mesh: MeshPlace, node: int, what: str, places: Places, where: str) -> Quantity | None:
    """A stress at a node of a mesh, 'stress_xx' or 'von_mises'; None for principal stresses, which are roots that take
    one another's place."""
    modes = [places.coordinate(name) for name in mesh.modes]
    own = stress_modes(needed_elasticity(mesh, where), len(modes)).nodal[node]
    if what == "von_mises":
        return Quantity(formulas.von_mises, modes, own.ravel())
    components = COMPONENTS[mesh.nodes.shape[1]]
    return Quantity(formulas.weighted_sum, modes, own[components.index(what)]) if what in components else None
