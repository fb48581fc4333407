"""Motion in time, one method a file or folder; consistent initial values; rank of the constraints."""
