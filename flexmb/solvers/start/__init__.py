"""The start of a run: consistent initial values, and the final state of another run with its controllers."""
