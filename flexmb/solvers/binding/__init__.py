"""Binding a model to a method and its options, and the state from which its runs begin."""
