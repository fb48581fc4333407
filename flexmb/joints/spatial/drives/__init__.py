"""Drives in space: they prescribe an angle, a place, the coordinate of a joint, or a whole orientation."""
