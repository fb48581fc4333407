"""Numbering and assembly, compiled evaluation, and the System, which answers questions about (t, q, v)."""
