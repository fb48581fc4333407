"""Rest: equilibria, load paths, stability, motion so slow that inertia does not matter."""
