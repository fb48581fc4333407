"""Numbering and assembly, compiled evaluation, and the System, which evaluates the equations of motion for
(t, q, v)."""
