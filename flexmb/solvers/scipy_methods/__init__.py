"""The methods of SciPy, and the index-1 form as the right-hand side of an ODE, which other methods use too."""
