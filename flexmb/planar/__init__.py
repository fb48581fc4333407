"""The model of a mechanism in the plane, with a method for each component."""

from flexmb.planar.model import PlanarModel

__all__ = ["PlanarModel"]
