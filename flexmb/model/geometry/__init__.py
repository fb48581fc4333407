"""Geometry and what follows from it: sections of beams, shapes and inertia of bodies, shapes that touch."""
