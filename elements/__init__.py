"""Bodies and beams, one family a file."""

from flexmb.elements.ancf_cable import AncfCable
from flexmb.elements.beam import Beam, BeamPoint
from flexmb.elements.cms_beam import CmsBeam
from flexmb.elements.exact_beam import ExactBeam
from flexmb.elements.floating_beam import FloatingBeam
from flexmb.elements.rigid_body import RigidBody

#: Beam theories by the name that :meth:`flexmb.PlanarModel.add_beam` knows.
BEAMS: dict[str, type[Beam]] = {
    "ancf": AncfCable,
    "cms": CmsBeam,
    "exact": ExactBeam,
    "floating": FloatingBeam,
}

__all__ = ["BEAMS", "AncfCable", "Beam", "BeamPoint", "CmsBeam", "ExactBeam", "FloatingBeam", "RigidBody"]
