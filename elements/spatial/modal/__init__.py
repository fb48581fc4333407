"""Kernels of reduced bodies in space."""
