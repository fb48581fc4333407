"""Constraint rows of a run: those that repeat others, positions and speeds put onto them, singular positions."""
