"""Motion in time, one method a file; consistent initial values; rank of the constraints."""
