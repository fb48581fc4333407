"""Joints of the plane, one a file."""
