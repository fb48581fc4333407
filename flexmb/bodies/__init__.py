"""Bodies from finite elements: from matrices to a reduced body, arrays in and arrays out."""

from flexmb.machine.late_names import late_names

__getattr__, __dir__, __all__ = late_names(__name__, __file__)
