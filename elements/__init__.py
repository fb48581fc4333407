"""Bodies and beams, one family a file."""
