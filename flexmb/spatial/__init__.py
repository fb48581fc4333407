"""The model of a mechanism in space, with a method for each component."""

from flexmb.spatial.model import SpatialModel

__all__ = ["SpatialModel"]
