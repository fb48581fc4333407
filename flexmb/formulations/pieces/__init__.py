"""Mechanisms in pieces that are put together and taken apart: their handles, orders of assembly, both roads."""
