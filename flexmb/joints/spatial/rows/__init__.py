"""Compiled rows that joints in space share, and the friction in them: each fills g, its Jacobian and its rates."""
