"""Trims: the commands under which a mechanism stays where it is wanted, at rest, in steady motion and along a path."""
