"""How a component tells the machine what it does: the contract, compilation and its cache, slots, geometry.

Whoever writes a component imports these names from here.
"""

from flexmb.kernels.compilation import compiled, inlined, kernel
from flexmb.kernels.contract import Kernels, address
from flexmb.kernels.slots import strength_at, time_function

__all__ = ["Kernels", "address", "compiled", "inlined", "kernel", "strength_at", "time_function"]
