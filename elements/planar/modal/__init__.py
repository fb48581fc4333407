"""Kernels of reduced bodies in the plane."""
