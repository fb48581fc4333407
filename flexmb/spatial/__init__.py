"""Space: the model of a mechanism in it, and the classes of its frames, bodies, joints and forces, which the methods of
:class:`SpatialModel` make. What is the same in the plane and in space has one name in both rooms."""

from flexmb.machine.late_names import late_names

__getattr__, __dir__, __all__ = late_names(__name__, __file__)
