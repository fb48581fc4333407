"""What a computation asks of its computer: files written whole, memory, threads of BLAS, and Ctrl-C."""
