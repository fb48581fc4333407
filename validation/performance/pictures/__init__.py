"""Benchmarks of pictures and of scenes for other programs."""
