"""Building a mechanism and checking it."""
