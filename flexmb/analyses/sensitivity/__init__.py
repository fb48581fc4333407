"""Derivatives of what a mechanism does with respect to its parameters."""
