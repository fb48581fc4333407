"""Benchmarks: both codes in one process run, the ratio printed; `python -m flexmb.validation.performance.NAME`."""
