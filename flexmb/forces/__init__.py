"""Springs, dampers, motors, loads, one a file; functions of the user that kernels call."""
