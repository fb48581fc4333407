"""Bodies in space, one family a file."""
