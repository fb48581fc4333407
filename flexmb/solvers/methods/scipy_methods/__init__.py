"""The methods of SciPy."""
