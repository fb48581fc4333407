"""The fuzzer: random mechanisms through every analysis, by pairs of methods that must agree."""
