"""Methods of SciPy, and the right-hand side as an ODE that they and others ask for."""
