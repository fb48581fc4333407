"""Joints in space."""
