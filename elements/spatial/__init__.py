"""Bodies in space, one family a file."""

from flexmb.elements.spatial.offset_mass import SpatialPointMass
from flexmb.elements.spatial.rigid_body import SpatialBody
from flexmb.elements.spatial.wheel import ReactionWheel, Wheel

__all__ = ["ReactionWheel", "SpatialBody", "SpatialPointMass", "Wheel"]
