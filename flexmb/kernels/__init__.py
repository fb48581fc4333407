"""The interface between components and the compiled loop: kernel contract, compilation and its cache, slots, geometry.

Authors of components import these names.
"""

from flexmb.kernels.compilation import compiled, inlined, kernel
from flexmb.kernels.contract import Kernels, address
from flexmb.kernels.formula import formula
from flexmb.kernels.slots import strength_at, time_function

__all__ = ["Kernels", "address", "compiled", "formula", "inlined", "kernel", "strength_at", "time_function"]
