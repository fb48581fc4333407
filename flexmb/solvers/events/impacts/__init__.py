"""Impacts of rows in one direction, with the friction beside them: their impulses, and the end of bouncing."""
