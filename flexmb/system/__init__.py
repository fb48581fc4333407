"""Numbering, assembly, the kernel contract, the linear solvers."""
