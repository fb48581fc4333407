"""Studies: a model built and analyzed over many parameters."""
