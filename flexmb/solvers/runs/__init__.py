"""A run of a system: its present state and its history; what a method in Python asks of it, and why it ends early."""
