"""Settings of all tests: random examples are the same in every run, and no test asserts a time."""

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")
