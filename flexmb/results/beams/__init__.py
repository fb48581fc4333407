"""Quantities of beams: strains, forces and stresses of their sections, and values along them."""
