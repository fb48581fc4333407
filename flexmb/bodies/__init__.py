"""Bodies from finite elements: from matrices to a reduced body, arrays in and arrays out."""

from flexmb.bodies.from_mesh import from_mesh
from flexmb.bodies.nodal_loads import NodalLoad
from flexmb.bodies.node_sets import NodeSet, in_box, nearest, on_cylinder, on_plane
from flexmb.bodies.reduced_body import BodyMesh, Interface, ModalLoad, ReducedBody, UnitLoadStiffness
from flexmb.bodies.reduction import Reduction
from flexmb.bodies.ties import Tie

__all__ = [
    "BodyMesh",
    "Interface",
    "ModalLoad",
    "NodalLoad",
    "NodeSet",
    "ReducedBody",
    "Reduction",
    "Tie",
    "UnitLoadStiffness",
    "from_mesh",
    "in_box",
    "nearest",
    "on_cylinder",
    "on_plane",
]
