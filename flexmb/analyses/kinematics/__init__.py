"""Driven mechanisms: their motion without forces, their singular positions, and how joints are closed."""
