"""Bodies and beams in space, one family a file."""

from flexmb.elements.spatial.ancf_cable import AncfCable
from flexmb.elements.spatial.beam import Beam, BeamPoint
from flexmb.elements.spatial.cms_beam import CmsBeam
from flexmb.elements.spatial.exact_beam import ExactBeam
from flexmb.elements.spatial.figure import Figure
from flexmb.elements.spatial.floating_beam import FloatingBeam
from flexmb.elements.spatial.modal_body import BodyInterface, ModalBody
from flexmb.elements.spatial.offset_mass import PointMass
from flexmb.elements.spatial.rigid_body import RigidBody
from flexmb.elements.spatial.tank import Tank
from flexmb.elements.spatial.wheel import ReactionWheel, Wheel

#: Beam theories by their names in :meth:`flexmb.SpatialModel.add_beam`.
BEAMS: dict[str, type[Beam]] = {
    "cms": CmsBeam,
    "ancf": AncfCable,
    "exact": ExactBeam,
    "floating": FloatingBeam,
}

__all__ = [
    "BEAMS",
    "AncfCable",
    "Beam",
    "BeamPoint",
    "BodyInterface",
    "CmsBeam",
    "ExactBeam",
    "Figure",
    "FloatingBeam",
    "ModalBody",
    "PointMass",
    "ReactionWheel",
    "RigidBody",
    "Tank",
    "Wheel",
]
