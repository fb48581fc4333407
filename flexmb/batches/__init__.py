"""Batches: one model many times, in threads."""
