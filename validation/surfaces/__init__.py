"""Sunlight, thin gases and heat on surfaces of craft."""
