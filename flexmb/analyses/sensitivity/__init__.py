"""Derivatives of the results of a run or an equilibrium with respect to parameters."""
