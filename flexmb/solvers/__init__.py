"""Motion in time, with a file or folder for each method; the start of a run, its events, and redundant constraint
rows."""
