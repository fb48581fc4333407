"""Estimates: states and disturbances from readings with noise, and feedback of what is estimated."""
