"""Benchmarks, which run both codes in turn and print the ratio; `python -m flexmb.validation.performance.NAME`."""
