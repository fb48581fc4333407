"""Sunada and Dubowsky's linear equations of a flexible arm about a nominal motion."""
