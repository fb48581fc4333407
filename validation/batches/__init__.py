"""Batches against single runs: their bits, and what they cost."""
