"""Formulations that take a mechanism apart and put it together from pieces: handles, orders of assembly, ada and
dca."""
