"""Constraints between frames in space."""
