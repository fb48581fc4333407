"""Compiling ahead: a recorded list of compiled functions, and processes that share it.

types       the compiler's types as plain data
functions   which compiled function for which types: named, found again, compiled
recorded    the list that comes with the package: what each kind of mechanism asks for
recording   note what a run asks for
sharing     processes that share a list
helpers     processes that compile ahead of a run by themselves
helping     what such a process does
"""
