"""Views of a motion in orbit: where the craft is, how it lies against the orbit, and whether the sun shines on it."""
