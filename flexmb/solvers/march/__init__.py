"""The march of every method from stop to stop: its compiled loop, and the driver in Python around it."""
