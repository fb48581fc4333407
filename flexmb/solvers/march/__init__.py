"""The march of a run from stop to stop, shared by all methods: its compiled loop, and the driver in Python around
it."""
