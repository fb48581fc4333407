"""Mechanisms that tests of several rooms use, one idea a file."""
