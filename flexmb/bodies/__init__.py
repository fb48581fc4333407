"""Bodies from finite elements: from matrices to a reduced body, arrays in and arrays out."""

from typing import TYPE_CHECKING

from flexmb.bodies.appendage import Appendage, appendage_matrices
from flexmb.bodies.correlation import mac
from flexmb.bodies.cuts import Cut, cut
from flexmb.bodies.fatigue import damage, rainflow_cycles
from flexmb.bodies.files.body_file import load, save
from flexmb.bodies.files.sid import read_sid, write_sid
from flexmb.bodies.from_frame import Member, frame_model, from_frame
from flexmb.bodies.from_matrices import from_matrices, matrix_model
from flexmb.bodies.from_mesh import from_mesh, mesh_model
from flexmb.bodies.from_modes import from_modes
from flexmb.bodies.full_models.node_sets import NodeSet, in_box, nearest, on_cylinder, on_plane
from flexmb.bodies.full_models.read_matrices import BodyMatrices, read_calculix, read_matrices, read_nastran
from flexmb.bodies.measured_modes import MeasuredModes, ModeComparison, compare_modes
from flexmb.bodies.reduced_body import BodyMesh, Interface, ModalLoad, ReducedBody, UnitLoadStiffness
from flexmb.bodies.reducing.nodal_loads import NodalLoad
from flexmb.bodies.reducing.reduction import Reduction
from flexmb.bodies.reducing.thermal_loads import ThermalLoad
from flexmb.bodies.reducing.ties import Tie
from flexmb.bodies.stresses import ElasticCells, StressModes, gauge_modes, principal, stress_modes, von_mises
from flexmb.bodies.substructures import from_substructures
from flexmb.model.hints import no_name_in

__all__ = [
    "Appendage",
    "BodyMatrices",
    "BodyMesh",
    "Cut",
    "ElasticCells",
    "Interface",
    "MeasuredModes",
    "Member",
    "ModalLoad",
    "ModeComparison",
    "NodalLoad",
    "NodeSet",
    "ReducedBody",
    "Reduction",
    "StressModes",
    "ThermalLoad",
    "Tie",
    "UnitLoadStiffness",
    "appendage_matrices",
    "compare_modes",
    "cut",
    "damage",
    "frame_model",
    "from_frame",
    "from_matrices",
    "from_mesh",
    "from_modes",
    "from_substructures",
    "gauge_modes",
    "in_box",
    "load",
    "mac",
    "matrix_model",
    "mesh_model",
    "nearest",
    "on_cylinder",
    "on_plane",
    "principal",
    "rainflow_cycles",
    "read_calculix",
    "read_matrices",
    "read_nastran",
    "read_sid",
    "save",
    "stress_modes",
    "von_mises",
    "write_sid",
]

if not TYPE_CHECKING:  # for type checkers there are the names that there are
    __getattr__ = no_name_in(__name__, __all__)
