"""Formulations of the equations of motion in joint coordinates, and what they yield: a model as a tree of links."""

from flexmb.machine.late_names import late_names

__getattr__, __dir__, __all__ = late_names(__name__, __file__)
