"""Tracks: the motion of places, of joints and of contacts at every time."""
