"""The plane: the model of a mechanism in it, and the classes of its frames, bodies, joints and forces, which the
methods of :class:`PlanarModel` make."""

from flexmb.machine.late_names import late_names

__getattr__, __dir__, __all__ = late_names(__name__, __file__)
