"""Dependent coordinates from independent ones: the rows that are closed, in absolute and in joint coordinates."""
