"""The library of the package's own kernels: machine code that was compiled before, perhaps on another machine.

contents    the file of a library, and whether it can be used
choice      the processor for which code is made, and whether a library is used
objects     machine code as a linker takes it
building    build a library of the kernels in the disk cache
"""
