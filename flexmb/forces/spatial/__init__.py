"""Forces in space, one a file."""
