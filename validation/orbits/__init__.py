"""Craft in orbit about a center outside of the model."""
