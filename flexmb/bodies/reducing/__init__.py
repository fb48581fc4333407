"""The reduction of bodies: ties, modes, inertia, second order."""
