"""Forces in the plane, one a file."""
