"""Bodies and beams in space, one family a file."""

from flexmb.elements.spatial.beam import SpatialBeam, SpatialBeamPoint
from flexmb.elements.spatial.cms_beam import SpatialCmsBeam
from flexmb.elements.spatial.figure import Figure
from flexmb.elements.spatial.floating_beam import SpatialFloatingBeam
from flexmb.elements.spatial.offset_mass import SpatialPointMass
from flexmb.elements.spatial.rigid_body import SpatialBody
from flexmb.elements.spatial.wheel import ReactionWheel, Wheel

#: Beam theories by their names in :meth:`flexmb.SpatialModel.add_beam`.
SPATIAL_BEAMS: dict[str, type[SpatialBeam]] = {
    "cms": SpatialCmsBeam,
    "floating": SpatialFloatingBeam,
}

__all__ = [
    "SPATIAL_BEAMS",
    "Figure",
    "ReactionWheel",
    "SpatialBeam",
    "SpatialBeamPoint",
    "SpatialBody",
    "SpatialCmsBeam",
    "SpatialFloatingBeam",
    "SpatialPointMass",
    "Wheel",
]
