"""The start of a run: consistent initial values, and how joints are closed."""
