"""Constraints between frames, one joint a file."""
