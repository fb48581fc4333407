"""Control: sensors, sampled controllers and their laws, and the design of feedback and filters on linear models."""

from flexmb.machine.late_names import late_names

__getattr__, __dir__, __all__ = late_names(__name__, __file__)
