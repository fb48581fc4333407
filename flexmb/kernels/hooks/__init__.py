"""The hooks into private parts of Numba and llvmlite, all of them; other rooms use what Numba documents for extensions.

They make compiling cheaper and results independent of the order in which functions were compiled: the pipeline and the
libraries of machine code, operators, functions that are called by their address, and what the disk cache must know. The
places where they hold on stand in :mod:`flexmb.kernels.hooks.places`, which a new version of Numba is compared with.
"""
