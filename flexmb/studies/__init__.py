"""Studies: a model built and analysed over many parameters."""
