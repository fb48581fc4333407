"""Bodies and beams in the plane, one family a file."""

from flexmb.elements.planar.ancf_cable import AncfCable
from flexmb.elements.planar.beam import Beam, BeamPoint
from flexmb.elements.planar.cms_beam import CmsBeam
from flexmb.elements.planar.exact_beam import ExactBeam
from flexmb.elements.planar.floating_beam import FloatingBeam
from flexmb.elements.planar.modal_body import BodyInterface, ModalBody
from flexmb.elements.planar.rigid_body import RigidBody

#: Beam theories by their names in :meth:`flexmb.PlanarModel.add_beam`.
BEAMS: dict[str, type[Beam]] = {
    "ancf": AncfCable,
    "cms": CmsBeam,
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
    "FloatingBeam",
    "ModalBody",
    "RigidBody",
]
