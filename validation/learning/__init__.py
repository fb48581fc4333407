"""Environments for learning: a rigid arm of seven joints, what it conserves, and how many periods a second it makes."""
