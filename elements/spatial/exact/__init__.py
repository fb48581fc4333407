"""The kernels of the exact beam in space, see :mod:`flexmb.elements.spatial.exact_beam`."""
