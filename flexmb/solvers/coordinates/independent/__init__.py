"""Dependent coordinates from independent ones: the rows that are closed, in absolute and in joint coordinates."""

#: Smallest tolerance that runs in independent coordinates can keep, as a part of the coordinates.
FINEST_INDEPENDENT = 1e-10
